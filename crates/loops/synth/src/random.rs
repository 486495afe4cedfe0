//! Settings drawn at random, for statistical tests of detectors.

use crate::{WalkSettings, noise::Noise};

/// Metres of step length per step per minute: nearly the same for all adults over all comfortable speeds.
const WALK_RATIO: f64 = 0.0065;

/// Draws a plausible walk.
///
/// Speeds 0.3 to 2.2 m/s with the usual period for the speed, plus or minus an eighth, within 0.7 to 1.6 s and never a whole
/// number of frames; turns up to 90 degrees per second on a radius of at least 0.7 m; one in three climbs or descends, -0.2 to
/// 0.3 m/s and no steeper than 1 in 2; 30, 60, 100 or 120 fps; 4 to 20 cycles; noise up to 0.5 degrees, drift, rise and
/// variation up to 2.5%. Same seed, same settings.
pub fn random_settings(seed: u64) -> WalkSettings {
    let mut random = Noise::new(seed ^ 0x0DD5_E771_465E_ED00);
    let speed_mps = random.between(0.3, 2.2);
    // speed = 2 step / period and step = ratio * 120 / period.
    let mut period_secs = ((240.0 * WALK_RATIO / speed_mps).sqrt() * random.between(0.88, 1.14)).clamp(0.7, 1.6);
    let frame_rate_hz = [30.0, 60.0, 100.0, 120.0][(4.0 * random.uniform()) as usize];
    // At least a fifth of a frame away from any whole number of frames.
    period_secs = ((period_secs * frame_rate_hz - 1.0).floor() + (0.2 + 0.6 * random.uniform())) / frame_rate_hz;
    let turn_dps = (speed_mps / 0.7).to_degrees().min(90.0) * random.between(-1.0, 1.0);
    let climbs = random.uniform() < 1.0 / 3.0;
    let steepest = 0.5 * speed_mps;
    let climb_mps = random.between(-0.2, 0.3).clamp(-steepest, steepest);
    WalkSettings {
        seed,
        seconds: random.between(4.0, 20.0) * period_secs,
        frame_rate_hz,
        period_secs,
        speed_mps,
        turn_dps,
        climb_mps: if climbs { climb_mps } else { 0.0 },
        start_phase: random.uniform(),
        drift: random.between(-0.025, 0.025),
        torso_rise_metres: random.between(-0.02, 0.02),
        speed_variation: random.between(0.0, 0.025),
        noise_deg: random.between(0.0, 0.5),
        ..WalkSettings::default()
    }
}
