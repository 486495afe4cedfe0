//! Velocity estimators.
use glam::DVec3;
/// Central differences.
pub fn velocities(track: &[DVec3], dt: f64) -> Vec<DVec3> {
    let n = track.len();
    (0..n).map(|i| { let a = i.saturating_sub(1); let b = (i+1).min(n-1); if a==b {DVec3::ZERO} else {(track[b]-track[a])/((b-a) as f64*dt)} }).collect()
}
