//! The size of each part of the motion, for a speed and a period.
//!
//! The numbers follow common measurements of walking adults: duty factor, step width, bob and sway of the pelvis, swing of the
//! arms. Those of the legs were fitted at 0.4 to 2.1 m/s and in runs at 2.8 to 4 m/s together with the shapes of the footsteps,
//! the rest by eye on drawings of the result. They do not model any particular person.

use core::f64::consts::LN_2;

use glam::DVec3;
use loopwright_core::math::ops;

use crate::{WalkSettings, ease};

/// Standard gravity, metres per second squared.
const GRAVITY: f64 = 9.81;

/// Longest distances that the root moves, in metres, while one foot stays on the ground.
const WALK_REACH_METRES: f64 = 1.2;
const RUN_REACH_METRES: f64 = 1.0;

/// Largest share of the cycle during which a foot is on the ground, in walks and in runs.
const WALK_DUTY: f64 = 0.72;
const RUN_DUTY: f64 = 0.36;

/// Smallest such share, however long the stride.
const SPRINT_DUTY: f64 = 0.25;

/// Speed at which walks begin to turn into runs, and speed of the slowest run, metres per second.
const RUN_MPS: [f64; 2] = [2.0, 2.8];

/// Speed of the heel over the ground as it lands: in a walk as a share of the walking speed, in a run in metres per second.
const LANDING_SHARE: f64 = 0.2;
const LANDING_RUN_MPS: f64 = 0.4;

/// Downward speed of the landing heel, metres per second, and time in which it stops, seconds, in walks and in runs.
const LANDING_DOWN_MPS: [f64; 2] = [0.12, 1.0];
const LANDING_SECS: [f64; 2] = [0.012, 0.025];

/// Sizes of one gait. Lengths in metres, angles in radians, times in cycles.
#[derive(Clone, Debug)]
pub(crate) struct Gait {
    /// Share of the cycle during which a foot is on the ground, from the touch of the heel until the tip of the toes leaves.
    pub duty: f64,
    /// Sideways distance from the path to each footprint.
    pub step_aside: f64,
    /// Distance of the ankle behind the root at mid-stance.
    pub ankle_behind: f64,
    /// How far a foot points outward.
    pub toe_out: f64,
    /// Pitch of the foot when the heel touches down, toes up.
    pub heel_strike: f64,
    /// Pitch of the foot when the tip of the toes leaves the ground, heel up.
    pub toe_off: f64,
    /// Pitch of the toes at that time.
    pub tip_roll: f64,
    /// Velocity of the heel as it lands, metres per cycle in the foot's axes.
    pub landing: DVec3,
    /// Time in which it stops.
    pub stop: f64,
    /// Longest distance from hip to ankle as a share of the straight leg: the knee stays bent by some 8 degrees, 20 in runs.
    ///
    /// Closer to one the knee would snap straight, since its angle changes ever faster with the distance.
    pub leg_reach: f64,
    /// Height added to the ankle in mid-swing.
    pub lift: f64,
    /// Bob of the pelvis, up at mid-stance.
    pub bob: f64,
    /// Sway of the pelvis over the stance leg.
    pub sway: f64,
    /// Surge of the pelvis, ahead and back twice a cycle.
    pub surge: f64,
    /// Yaw of the pelvis, towards the leading leg.
    pub pelvis_yaw: f64,
    /// List of the pelvis, up on the stance side.
    pub pelvis_list: f64,
    /// Yaw of the chest, against the pelvis.
    pub chest_yaw: f64,
    /// Forward lean of the trunk.
    pub lean: f64,
    /// Lean of the whole body into the turn, left positive.
    pub bank: f64,
    /// Yaw of the head into the turn, left positive.
    pub gaze: f64,
    pub arm_swing: f64,
    /// Mean bend of the elbows.
    pub elbow: f64,
    /// Change of the elbows' bend over the swing of the arm.
    pub elbow_swing: f64,
}

impl Gait {
    pub(crate) fn new(settings: &WalkSettings) -> Self {
        let speed = settings.speed_mps;
        let stride = speed * settings.period_secs;
        let rise = settings.climb_mps * settings.period_secs;
        // 0 without forward motion, 1 at a brisk walk.
        let briskness = ease::step(speed / 1.4 + 0.12);
        let pace = speed.min(2.5);
        // In people 0.66 at 0.7 m/s, 0.60 at 1.25 and 0.57 at 1.8.
        let walk = (0.54 + 0.06 * ops::exp(LN_2 * (1.25 - speed) / 0.55))
            .min(WALK_DUTY)
            .min(WALK_REACH_METRES / stride.max(0.1));
        let run = (RUN_REACH_METRES / stride.max(0.1)).clamp(SPRINT_DUTY, RUN_DUTY);
        let [from, to] = RUN_MPS;
        let duty = walk + (run - walk) * ease::step((speed - from) / (to - from));
        // 0 for a walk, 1 if there is a time without any foot on the ground.
        let jog = ease::step((0.56 - duty) / 0.14);
        let mix = |walk: f64, run: f64| walk + (run - walk) * jog;
        let of = |[walk, run]: [f64; 2]| mix(walk, run);
        let turn_rate = settings.turn_dps.to_radians();
        let bank = ops::atan2(speed * turn_rate, GRAVITY);
        Self {
            duty,
            step_aside: mix(0.09 - 0.012 * pace, 0.05),
            ankle_behind: mix(0.04 + 0.055 * briskness, 0.154),
            toe_out: mix(0.11, 0.06),
            heel_strike: mix(0.02 + 0.277 * briskness, 0.19),
            toe_off: mix(0.35 + 0.637 * briskness, 1.08),
            tip_roll: mix(0.15 + 0.278 * briskness, 0.22),
            landing: DVec3::new(0.0, -of(LANDING_DOWN_MPS), mix(LANDING_SHARE * speed, LANDING_RUN_MPS))
                * settings.period_secs,
            stop: of(LANDING_SECS) / settings.period_secs,
            leg_reach: mix(0.9975, 0.985),
            lift: mix(0.10 - 0.061 * briskness, 0.18) + 0.3 * rise.abs(),
            bob: mix(0.004 + 0.0128 * pace, -0.025),
            sway: mix(0.034 - 0.008 * pace, 0.012),
            surge: mix(0.0043 * briskness, 0.005),
            pelvis_yaw: mix(0.02 + 0.09 * briskness, 0.12),
            pelvis_list: mix(0.035 + 0.025 * briskness, 0.05),
            chest_yaw: mix(0.02 + 0.06 * briskness, 0.16),
            lean: mix(0.02 + 0.02 * pace, 0.14) + 0.3 * (settings.climb_mps / speed.max(0.5)).clamp(-0.3, 0.4),
            bank: bank.clamp(-0.3, 0.3) * 0.6,
            gaze: (0.22 * turn_rate).clamp(-0.35, 0.35),
            arm_swing: mix(0.06 + 0.34 * briskness, 0.5),
            elbow: mix(0.30 + 0.1 * briskness, 1.3),
            elbow_swing: mix(0.03 + 0.19 * briskness, 0.25),
        }
    }
}
