//! Footprints along the path, and the transform of a foot at any phase: planted, rolling, or swinging.
//!
//! A stance has four events. The heel touches down with the toes up and the foot rolls about the heel until it is flat;
//! flat, neither ankle nor ball joint moves; then the heel rises and the foot rotates about the ball joint, which stays
//! planted until the toes leave the ground. Pitch and its first two derivatives are zero where the foot is flat, and the
//! swing continues the motion of the roll, so the ankle's path is C2 throughout.

use glam::DVec3;
use loopwright_core::math::{Rigid, ops, rotation};

use crate::body::{ANKLE_HEIGHT_METRES, BALL_AHEAD_METRES, BALL_HEIGHT_METRES, HEEL_BEHIND_METRES, Side};
use crate::ease::{self, Fade, Jet};
use crate::{gait::Gait, path::Path};

// Most of the numbers below were fitted together, at 1.25 m/s, so that the knee bends as in people: some 20 degrees under load,
// 10 in mid-stance, 60 in swing, and nearly straight at heel strike. The fit also avoids jerks of ankle and ball and keeps the
// ball above the ground. Neighbouring values look nearly the same.

/// Share of the stance during which the foot rolls down after the heel has touched.
const ROLL_DOWN_SHARE: f64 = 0.125;

/// Share of the stance after which the heel rises.
const HEEL_RISE_SHARE: f64 = 0.598;

/// Shape of the roll down: 3 starts it at rest, which brings the foot too early; a smaller value lets it slap.
const ROLL_DOWN_SHAPE: f64 = 0.57;

/// Shape of the heel's rise: 3 ends it at rest, which leaves the foot behind; a smaller value carries it into the swing.
const HEEL_RISE_SHAPE: f64 = 0.3;

/// Path of the ankle from print to print. Shorter rise and fall jerk the foot; longer ones make it lag behind the body after
/// toe-off and run ahead of it before heel strike, so that the hips must sink for the legs to reach.
const SWING_FADE: Fade = Fade {
    start_window: 0.92,
    end_window: 0.95,
    rise: 0.28,
    fall: 0.42,
};

/// Rise of the first swing after a lead-in, while the body hardly moves.
const SETTING_OUT_RISE: f64 = 0.55;

/// How far the toes hang in the first swing, radians.
const SETTING_OUT_PITCH: f64 = 0.3;

/// How much higher the last step before a stop is lifted in its second half, metres.
const SETTLING_LIFT_METRES: f64 = 0.04;

/// Pitch of the foot in swing: the toes hang until late and rise for the heel strike.
const PITCH_FADE: Fade = Fade {
    start_window: 0.22,
    end_window: 0.2,
    rise: 0.55,
    fall: 0.35,
};

/// The toes straighten sooner than the foot levels; otherwise they would point up.
const TOE_FADE: Fade = Fade {
    start_window: 0.3,
    end_window: 0.95,
    rise: 0.35,
    fall: 0.65,
};

/// Duty factor of a slow walk, used at the start; above one half, so that a stance spans the standing.
const STROLLING_DUTY: f64 = 0.62;

/// Distance of the ankles behind the root while standing, which puts the root over the middle of the feet.
const STANDING_BEHIND_METRES: f64 = 0.04;

/// One stance of one foot. Phases in cycles; the root passes the foot at the middle of the stance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Footstep {
    pub(crate) side: Side,
    /// Heel touches down.
    pub(crate) strike_phase: f64,
    pub(crate) flat_phase: f64,
    pub(crate) rise_phase: f64,
    /// Toes leave the ground.
    pub(crate) off_phase: f64,
    /// Yaw of the foot, unwrapped, radians.
    yaw: f64,
    /// Where the flat ankle's axes are, on the ground below the ankle.
    world_from_print: Rigid,
    heel_strike: f64,
    toe_off: f64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct FootPose {
    /// The ankle in the world, metres.
    pub(crate) ankle: DVec3,
    /// Direction of the foot, unwrapped, radians.
    pub(crate) yaw: f64,
    /// Pitch of the foot, toes up positive, radians.
    pub(crate) pitch: f64,
    /// Upward rotation of the toes against the foot, radians.
    pub(crate) toe_bend: f64,
}

/// All feet of one walk.
#[derive(Clone, Debug)]
pub(crate) struct Footsteps<'a> {
    pub(crate) path: &'a Path,
    pub(crate) gait: &'a Gait,
    /// Growth of the stance width per second of gait time.
    pub(crate) drift_per_sec: f64,
}

impl Footsteps<'_> {
    /// Returns the footstep whose stance is centred at phase `half_cycles`/2; even ones are left.
    pub(crate) fn footstep(&self, half_cycles: i64) -> Footstep {
        let (path, gait) = (self.path, self.gait);
        let side = if half_cycles.rem_euclid(2) == 0 {
            Side::Left
        } else {
            Side::Right
        };
        let middle_phase = 0.5 * half_cycles as f64;
        let middle_secs = path.gait_secs_at_phase(middle_phase);
        let vigour = |phase: f64| path.vigour(path.gait_secs_at_phase(phase), 1.0);
        let duty = STROLLING_DUTY + (gait.duty - STROLLING_DUTY) * vigour(middle_phase);
        let strike_phase = middle_phase - 0.5 * duty;
        let off_phase = middle_phase + 0.5 * duty;
        let mut flat_phase = strike_phase + ROLL_DOWN_SHARE * duty;
        let mut rise_phase = strike_phase + HEEL_RISE_SHARE * duty;
        let mut toe_off = gait.toe_off;
        let stands = path.has_lead_in() && strike_phase < path.start_phase() && path.start_phase() < off_phase;
        if stands {
            // Flat from the start; the remaining time limits the push.
            flat_phase = strike_phase;
            let usual = off_phase - rise_phase;
            rise_phase = rise_phase.max(path.start_phase());
            let left = (off_phase - rise_phase) / usual;
            toe_off *= left * left;
        }
        if let Some(stop) = path
            .stop_phase()
            .filter(|stop| (strike_phase..off_phase).contains(stop))
        {
            // Flat before the end, and never lifted.
            flat_phase = flat_phase.min(0.5 * (strike_phase + stop));
            rise_phase = rise_phase.max(stop);
        }
        let travel = path.travel_secs(middle_secs);
        let width = gait.step_aside * (1.0 + self.drift_per_sec * middle_secs);
        let behind = STANDING_BEHIND_METRES + (gait.ankle_behind - STANDING_BEHIND_METRES) * vigour(middle_phase);
        let root = path.root(travel);
        let yaw = path.yaw(travel) + side.sign() * gait.toe_out;
        let ground = root.transform_point(DVec3::new(side.sign() * width, 0.0, -behind));
        Footstep {
            side,
            strike_phase,
            flat_phase,
            rise_phase,
            off_phase,
            yaw,
            world_from_print: Rigid::from_yaw(yaw, ground),
            heel_strike: gait.heel_strike * vigour(strike_phase),
            toe_off,
        }
    }

    /// Returns the footstep of `side` that is standing at `phase` or stood last.
    fn last_begun(&self, side: Side, phase: f64) -> i64 {
        let parity = i64::from(side == Side::Right);
        // Stances are centred on whole cycles (left) and half ones (right), and last less than one.
        let mut index = 2 * (phase - 0.5 * parity as f64).floor() as i64 + parity;
        while self.footstep(index + 2).strike_phase <= phase {
            index += 2;
        }
        index
    }

    /// Returns the foot of `side` at `phase`.
    pub(crate) fn foot(&self, side: Side, phase: f64) -> FootPose {
        let index = self.last_begun(side, phase);
        let last = self.footstep(index);
        if phase <= last.off_phase {
            return last.stance(phase);
        }
        let next = self.footstep(index + 2);
        self.swing(&last, &next, phase)
    }

    /// Between two footprints.
    fn swing(&self, last: &Footstep, next: &Footstep, phase: f64) -> FootPose {
        let duration = next.strike_phase - last.off_phase;
        let u = (phase - last.off_phase) / duration;
        let vigour = |phase: f64, share: f64| self.path.vigour(self.path.gait_secs_at_phase(phase), share);
        // The body starts slowly, so the first foot takes longer, and hangs more than it pushes off.
        let haste = vigour(last.off_phase, 1.0);
        let fade = Fade {
            rise: SWING_FADE.rise + (SETTING_OUT_RISE - SWING_FADE.rise) * (1.0 - haste),
            ..SWING_FADE
        };
        let (off, strike) = (last.off_phase, next.strike_phase);
        let mut ankle = fade.between(u, duration, &last.ankle_jet(off), &next.ankle_jet(strike));
        // The last step before a stop is lifted as it leaves, and until late: its toes hang, with no heel strike ahead.
        let (leaves, lands) = (vigour(off, 0.5), vigour(strike, 0.5));
        let stops = (leaves - lands).max(0.0);
        ankle.y += self.gait.lift * leaves.max(lands) * ease::early_bump(u);
        ankle.y += SETTLING_LIFT_METRES * stops * ease::early_bump(1.0 - u);
        let hanging = SETTING_OUT_PITCH * (1.0 - haste) * ease::early_bump(u);
        FootPose {
            ankle,
            yaw: fade.between(u, duration, &Jet::at_rest(last.yaw), &Jet::at_rest(next.yaw)),
            pitch: PITCH_FADE.between(u, duration, &last.pitch_jet(off), &next.pitch_jet(strike)) - hanging,
            toe_bend: TOE_FADE.between(u, duration, &last.toe_jet(off), &next.toe_jet(strike)),
        }
    }
}

impl Footstep {
    /// Returns the position at which the ball joint is planted from flat to toe-off, metres.
    pub(crate) fn ball(&self) -> DVec3 {
        self.world_from_print
            .transform_point(DVec3::new(0.0, BALL_HEIGHT_METRES, BALL_AHEAD_METRES))
    }

    /// Returns the position at which the ankle is planted from flat to heel rise, metres.
    pub(crate) fn ankle(&self) -> DVec3 {
        self.world_from_print
            .transform_point(DVec3::new(0.0, ANKLE_HEIGHT_METRES, 0.0))
    }

    fn stance(&self, phase: f64) -> FootPose {
        FootPose {
            ankle: self.ankle_jet(phase).value,
            yaw: self.yaw,
            pitch: self.pitch_jet(phase).value,
            toe_bend: self.toe_jet(phase).value,
        }
    }

    /// Pitch with its derivatives by phase, on the ground.
    fn pitch_jet(&self, phase: f64) -> Jet<f64> {
        if phase < self.flat_phase {
            // h (1-u)^3 (1 + a u): flat with two zero derivatives at u = 1.
            let (h, a) = (self.heel_strike, ROLL_DOWN_SHAPE);
            let length = self.flat_phase - self.strike_phase;
            let u = (phase - self.strike_phase) / length;
            let rest = 1.0 - u;
            Jet {
                value: h * rest * rest * rest * (1.0 + a * u),
                rate: h * rest * rest * (a - 3.0 - 4.0 * a * u) / length,
                acceleration: h * rest * (6.0 - 6.0 * a + 12.0 * a * u) / (length * length),
            }
        } else if phase > self.rise_phase {
            // -h u^3 (1 + a (1-u)): the same shape, run backwards.
            let (h, a) = (-self.toe_off, HEEL_RISE_SHAPE);
            let length = self.off_phase - self.rise_phase;
            let u = (phase - self.rise_phase) / length;
            Jet {
                value: h * u * u * u * (1.0 + a * (1.0 - u)),
                rate: h * u * u * (3.0 + a * (3.0 - 4.0 * u)) / length,
                acceleration: h * u * (6.0 + a * (6.0 - 12.0 * u)) / (length * length),
            }
        } else {
            Jet::at_rest(0.0)
        }
    }

    /// Upward rotation of the toes: they lie on the ground while the heel rises, and are straight otherwise.
    fn toe_jet(&self, phase: f64) -> Jet<f64> {
        if phase > self.rise_phase {
            let pitch = self.pitch_jet(phase);
            Jet {
                value: -pitch.value,
                rate: -pitch.rate,
                acceleration: -pitch.acceleration,
            }
        } else {
            Jet::at_rest(0.0)
        }
    }

    /// Returns the ankle in the world with its derivatives by phase, on the ground.
    fn ankle_jet(&self, phase: f64) -> Jet<DVec3> {
        let pitch = self.pitch_jet(phase);
        let pivot = if phase < self.flat_phase {
            DVec3::new(0.0, 0.0, -HEEL_BEHIND_METRES)
        } else {
            DVec3::new(0.0, BALL_HEIGHT_METRES, BALL_AHEAD_METRES)
        };
        let flat = DVec3::new(0.0, ANKLE_HEIGHT_METRES, 0.0) - pivot;
        let (sin, cos) = ops::sin_cos(pitch.value);
        let arm = DVec3::new(0.0, flat.y * cos + flat.z * sin, flat.z * cos - flat.y * sin);
        let across = DVec3::new(0.0, arm.z, -arm.y);
        let turn = self.world_from_print.rotation;
        Jet {
            // Flat is exact: a sum of products would have rounding errors that vary between frames.
            value: if pitch.value == 0.0 {
                self.ankle()
            } else {
                self.world_from_print.transform_point(pivot + arm)
            },
            rate: turn * across * pitch.rate,
            acceleration: turn * (across * pitch.acceleration - arm * (pitch.rate * pitch.rate)),
        }
    }
}

/// Returns the world rotation of a foot: pitch first, then its direction.
pub(crate) fn rotation_of(pose: &FootPose) -> glam::DQuat {
    rotation::from_yaw(pose.yaw) * rotation::exp(DVec3::X * -pose.pitch)
}
