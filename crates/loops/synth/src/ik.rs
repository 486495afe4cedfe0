//! Two-bone inverse kinematics in closed form.

use glam::{DMat3, DQuat, DVec3};
use loopwright_core::math::{ops, rotation};

/// Bends a leg from `hip` so that its end reaches `ankle`, with the knee towards `forward`.
///
/// Law of cosines; the bend axis is orthogonal to hip-ankle and `forward`, which must not be parallel. For a target out of reach
/// the leg is straight and points at it. Returns the world rotations of thigh and shank, whose bones run along their own -Y axes.
pub(crate) fn solve(hip: DVec3, ankle: DVec3, upper: f64, lower: f64, forward: DVec3) -> [DQuat; 2] {
    let reach = hip - ankle;
    let distance = reach.length();
    let up = reach / distance;
    let side = up.cross(forward).normalize();
    let straight = DQuat::from_mat3(&DMat3::from_cols(side, up, side.cross(up)));
    // The position of the knee relative to the line from hip to ankle: along it from the hip, and ahead of it.
    let distance = distance.min(upper + lower);
    let along = 0.5 * (distance + (upper - lower) * (upper + lower) / distance);
    let ahead = (upper * upper - along * along).max(0.0).sqrt();
    // A rotation by a negative angle about +X moves a bone that points down forward.
    [
        rotation::exp(DVec3::X * -ops::atan2(ahead, along)),
        rotation::exp(DVec3::X * ops::atan2(ahead, distance - along)),
    ]
    .map(|turn| (straight * turn).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_straight_at_what_it_cannot_reach() {
        let [thigh, shank] = solve(DVec3::ZERO, DVec3::new(0.0, -0.6, 0.8), 0.4, 0.4, DVec3::Z);
        let end = (thigh * DVec3::NEG_Y + shank * DVec3::NEG_Y) * 0.4;
        assert!((end - DVec3::new(0.0, -0.48, 0.64)).length() < 1e-14, "{end}");
    }
}
