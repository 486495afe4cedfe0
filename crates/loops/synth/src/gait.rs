//! The size of each part of the motion, for a speed and a period.
//!
//! The numbers follow common measurements of walking adults: duty factor, step width, bob and sway of the pelvis, swing of the
//! arms. Those of the legs were fitted at 1.25 m/s together with the shapes of the footsteps, the rest by eye on drawings of
//! the result. They do not model any particular person.

use loopwright_core::math::ops;

use crate::{WalkSettings, ease};

/// Standard gravity, metres per second squared.
const GRAVITY: f64 = 9.81;

/// Longest distance that the root can move, in metres, while one foot stays on the ground.
const STANCE_REACH_METRES: f64 = 0.93;

/// Sizes of one gait. Lengths in metres, angles in radians, times in cycles.
#[derive(Clone, Debug)]
pub(crate) struct Gait {
    /// Share of the cycle during which a foot is on the ground.
    pub(crate) duty: f64,
    /// Sideways distance from the path to each footprint.
    pub(crate) step_aside: f64,
    /// Distance of the ankle behind the root at mid-stance.
    pub(crate) ankle_behind: f64,
    /// How far a foot points outward.
    pub(crate) toe_out: f64,
    /// Pitch of the foot when the heel touches down, toes up.
    pub(crate) heel_strike: f64,
    /// Pitch of the foot when the toes leave the ground, heel up.
    pub(crate) toe_off: f64,
    /// Height added to the ankle in mid-swing.
    pub(crate) lift: f64,
    /// Bob of the pelvis, up at mid-stance.
    pub(crate) bob: f64,
    /// Sway of the pelvis over the stance leg.
    pub(crate) sway: f64,
    /// Surge of the pelvis, ahead and back twice a cycle.
    pub(crate) surge: f64,
    /// Yaw of the pelvis, towards the leading leg.
    pub(crate) pelvis_yaw: f64,
    /// List of the pelvis, up on the stance side.
    pub(crate) pelvis_list: f64,
    /// Yaw of the chest, against the pelvis.
    pub(crate) chest_yaw: f64,
    /// Forward lean of the trunk.
    pub(crate) lean: f64,
    /// Lean of the whole body into the turn, left positive.
    pub(crate) bank: f64,
    /// Yaw of the head into the turn, left positive.
    pub(crate) gaze: f64,
    pub(crate) arm_swing: f64,
    /// Mean bend of the elbows.
    pub(crate) elbow: f64,
    /// Change of the elbows' bend over the swing of the arm.
    pub(crate) elbow_swing: f64,
}

impl Gait {
    pub(crate) fn new(settings: &WalkSettings) -> Self {
        let speed = settings.speed_mps;
        let stride = speed * settings.period_secs;
        let rise = settings.climb_mps * settings.period_secs;
        // 0 without forward motion, 1 at a brisk walk.
        let briskness = ease::step(speed / 1.4 + 0.12);
        let pace = speed.min(2.5);
        let duty = (0.624 - 0.036 * speed)
            .min(STANCE_REACH_METRES / stride.max(0.1))
            .clamp(0.34, 0.63);
        // 0 for a walk, 1 if there is a time without any foot on the ground.
        let jog = ease::step((0.56 - duty) / 0.14);
        let mix = |walk: f64, run: f64| walk + (run - walk) * jog;
        let slope = (settings.climb_mps / speed.max(0.5)).clamp(-0.3, 0.4);
        let turn_rate = settings.turn_dps.to_radians();
        let bank = ops::atan2(speed * turn_rate, GRAVITY);
        Self {
            duty,
            step_aside: mix(0.09 - 0.012 * pace, 0.05),
            ankle_behind: mix(0.04 + 0.0425 * briskness, 0.05),
            toe_out: mix(0.11, 0.06),
            heel_strike: mix(0.02 + 0.257 * briskness, 0.12),
            toe_off: mix(0.35 + 0.677 * briskness, 1.0),
            lift: mix(0.10 - 0.02 * briskness, 0.16) + 0.3 * rise.abs(),
            bob: mix(0.004 + 0.0128 * pace, -0.03),
            sway: mix(0.034 - 0.008 * pace, 0.012),
            surge: mix(0.0043 * briskness, 0.005),
            pelvis_yaw: mix(0.02 + 0.09 * briskness, 0.12),
            pelvis_list: mix(0.035 + 0.025 * briskness, 0.05),
            chest_yaw: mix(0.02 + 0.06 * briskness, 0.16),
            lean: mix(0.02 + 0.02 * pace, 0.14) + 0.3 * slope,
            bank: bank.clamp(-0.3, 0.3) * 0.6,
            gaze: (0.22 * turn_rate).clamp(-0.35, 0.35),
            arm_swing: mix(0.06 + 0.34 * briskness, 0.5),
            elbow: mix(0.30 + 0.1 * briskness, 1.3),
            elbow_swing: mix(0.03 + 0.19 * briskness, 0.25),
        }
    }
}
