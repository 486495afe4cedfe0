//! Footprints along the path, and the transform of a foot at any phase: planted, rolling, or swinging.
//!
//! A stance has five events. The heel touches down with the toes up and the foot rolls about the heel until it is flat;
//! flat, nothing of it moves; then the heel rises and the foot rotates about the ball joint; then the ball rises too and the
//! toes roll over their tip, until that leaves the ground. Pitches and their first two derivatives are zero where foot or toes
//! are flat, and the swing continues the motion of the roll, so the ankle's path is C2 throughout. The heel touches the ground
//! while it still moves ahead and down, and stops as what is soft below it gives.

use glam::DVec3;
use loopwright_core::math::{Rigid, ops, rotation};

use crate::{
    body::{ANKLE, BALL, HEEL, Side, TIP},
    ease::{self, Fade, Jet},
    gait::Gait,
    path::Path,
};

// Most of the numbers below were fitted together, at 1.25 m/s, so that the knee bends as in people: some 20 degrees under load,
// 10 in mid-stance, 60 in swing, and 10 at heel strike. The fit also avoids jerks of ankle, ball and tip and keeps
// the toes some 25 mm above the ground in mid-swing. Neighbouring values look nearly the same.

/// Share of the stance during which the foot rolls down after the heel has touched.
const ROLL_DOWN_SHARE: f64 = 0.2;

/// Share of the stance after which the heel rises.
const HEEL_RISE_SHARE: f64 = 0.573;

/// Share of the time from the heel's rise to the end of the stance after which the ball rises too.
const BALL_RISE_SHARE: f64 = 0.794;

/// Shape of the roll down: 3 starts it at rest, which brings the foot too early; a smaller value lets it slap.
const ROLL_DOWN_SHAPE: f64 = 0.838;

/// Shape of the heel's rise: 3 ends it at rest, which leaves the foot behind; a smaller value carries it into the swing.
const HEEL_RISE_SHAPE: f64 = 1.511;

/// The same for the roll of the toes over their tip.
const TIP_ROLL_SHAPE: f64 = 0.634;

/// Path of the ankle from print to print. Shorter rise and fall jerk the foot; longer ones make it lag behind the body after
/// toe-off and run ahead of it before heel strike, so that the hips must sink for the legs to reach.
const SWING_FADE: Fade = Fade {
    start_window: 0.395,
    end_window: 0.894,
    rise: 0.238,
    fall: 0.32,
};

/// Rise of the first swing after a lead-in, while the body hardly moves.
const SETTING_OUT_RISE: f64 = 0.47;

/// How much higher it is lifted, metres.
const SETTING_OUT_LIFT_METRES: f64 = 0.02;

/// How far the toes hang in it, radians.
const SETTING_OUT_PITCH: f64 = 0.3;

/// How much higher the last step before a stop is lifted in its second half, metres.
const SETTLING_LIFT_METRES: f64 = 0.04;

/// Pitch of the foot in swing: the toes hang until late and rise for the heel strike.
const PITCH_FADE: Fade = Fade {
    start_window: 0.139,
    end_window: 0.109,
    rise: 0.509,
    fall: 0.445,
};

/// The toes straighten sooner than the foot levels; otherwise they would point up.
const TOE_FADE: Fade = Fade {
    start_window: 0.283,
    end_window: 0.95,
    rise: 0.64,
    fall: 0.36,
};

/// Duty factor of a slow walk, used at the start; above one half, so that a stance spans the standing.
const STROLLING_DUTY: f64 = 0.62;

/// Distance of the ankles behind the root while standing, which puts the root over the middle of the feet.
const STANDING_BEHIND_METRES: f64 = 0.04;

/// One stance of one foot. Phases in cycles; the root passes the foot at the middle of the stance.
pub(crate) struct Footstep {
    pub side: Side,
    /// Heel touches down.
    pub strike_phase: f64,
    pub flat_phase: f64,
    /// The heel rises.
    pub rise_phase: f64,
    /// The ball rises.
    pub ball_phase: f64,
    /// The tip of the toes leaves the ground.
    pub off_phase: f64,
    /// Yaw of the foot, unwrapped, radians.
    yaw: f64,
    /// The place of the flat ankle's axes, on the ground below the ankle.
    world_from_print: Rigid,
    heel_strike: f64,
    toe_off: f64,
    tip_roll: f64,
    /// Velocity of the heel as it lands, metres per cycle in the world.
    landing: DVec3,
    /// Cycles in which it stops.
    stop: f64,
}

pub(crate) struct FootPose {
    /// The ankle in the world, metres.
    pub ankle: DVec3,
    /// Direction of the foot, unwrapped, radians.
    pub yaw: f64,
    /// Pitch of the foot, toes up positive, radians.
    pub pitch: f64,
    /// Upward rotation of the toes against the foot, radians.
    pub toe_bend: f64,
}

/// All feet of one walk.
pub(crate) struct Footsteps<'a> {
    pub path: &'a Path,
    pub gait: &'a Gait,
    /// Growth of the stance width per second of gait time.
    pub drift_per_sec: f64,
}

impl Footsteps<'_> {
    /// Returns the footstep whose stance is centred at phase `half_cycles`/2; even ones are left.
    pub(crate) fn footstep(&self, half_cycles: i64) -> Footstep {
        let (path, gait) = (self.path, self.gait);
        let side = Side::BOTH[half_cycles.rem_euclid(2) as usize];
        let middle_phase = 0.5 * half_cycles as f64;
        let middle_secs = path.gait_secs_at_phase(middle_phase);
        let vigour = |phase: f64| path.vigour(path.gait_secs_at_phase(phase), 1.0);
        let duty = STROLLING_DUTY + (gait.duty - STROLLING_DUTY) * vigour(middle_phase);
        let strike_phase = middle_phase - 0.5 * duty;
        let off_phase = middle_phase + 0.5 * duty;
        let mut flat_phase = strike_phase + ROLL_DOWN_SHARE * duty;
        let mut rise_phase = strike_phase + HEEL_RISE_SHARE * duty;
        let mut push = 1.0;
        if path.has_lead_in() && strike_phase < path.start_phase && path.start_phase < off_phase {
            // Flat from the start; the remaining time limits the push.
            flat_phase = strike_phase;
            let usual = off_phase - rise_phase;
            rise_phase = rise_phase.max(path.start_phase);
            let left = (off_phase - rise_phase) / usual;
            push = left * left;
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
        let yaw = path.yaw(travel) + side.sign() * gait.toe_out;
        let aside = side.sign() * (gait.step_aside * (1.0 + self.drift_per_sec * middle_secs));
        let behind = STANDING_BEHIND_METRES + (gait.ankle_behind - STANDING_BEHIND_METRES) * vigour(middle_phase);
        let place = path.root(travel).transform_point(DVec3::new(aside, 0.0, -behind));
        let world_from_print = Rigid::from_yaw(yaw, place);
        Footstep {
            side,
            strike_phase,
            flat_phase,
            rise_phase,
            ball_phase: rise_phase + BALL_RISE_SHARE * (off_phase - rise_phase),
            off_phase,
            yaw,
            world_from_print,
            heel_strike: gait.heel_strike * vigour(strike_phase),
            toe_off: gait.toe_off * push,
            tip_roll: gait.tip_roll * push,
            landing: world_from_print.rotation * gait.landing * vigour(strike_phase),
            stop: gait.stop,
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
        self.swing(&last, &self.footstep(index + 2), phase)
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
        ankle.y += (self.gait.lift * leaves.max(lands) + SETTING_OUT_LIFT_METRES * (1.0 - haste)) * ease::early_bump(u);
        ankle.y += SETTLING_LIFT_METRES * (leaves - lands).max(0.0) * ease::early_bump(1.0 - u);
        FootPose {
            ankle,
            yaw: fade.between(u, duration, &Jet::at_rest(last.yaw), &Jet::at_rest(next.yaw)),
            pitch: PITCH_FADE.between(u, duration, &last.pitch_jet(off), &next.pitch_jet(strike))
                - (SETTING_OUT_PITCH * (1.0 - haste) * ease::early_bump(u)),
            toe_bend: TOE_FADE.between(u, duration, &last.toe_jet(off), &next.toe_jet(strike)),
        }
    }
}

impl Footstep {
    /// Returns where a point of the flat foot is in the world, metres.
    pub(crate) fn planted(&self, point: DVec3) -> DVec3 {
        self.world_from_print.transform_point(point)
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
            rising(
                -self.heel_strike,
                ROLL_DOWN_SHAPE,
                [self.flat_phase, self.strike_phase],
                phase,
            )
        } else {
            rising(self.toe_off, HEEL_RISE_SHAPE, [self.rise_phase, self.off_phase], phase)
        }
    }

    /// Pitch of the toes once the foot is flat.
    fn tip_jet(&self, phase: f64) -> Jet<f64> {
        rising(self.tip_roll, TIP_ROLL_SHAPE, [self.ball_phase, self.off_phase], phase)
    }

    /// Upward rotation of the toes against the foot: straight until the foot is flat, then from the ground or their own roll.
    fn toe_jet(&self, phase: f64) -> Jet<f64> {
        if phase < self.flat_phase {
            Jet::at_rest(0.0)
        } else {
            self.tip_jet(phase) - self.pitch_jet(phase)
        }
    }

    /// Returns the ankle in the world with its derivatives by phase, on the ground.
    fn ankle_jet(&self, phase: f64) -> Jet<DVec3> {
        let pitch = self.pitch_jet(phase);
        let (pivot, arm) = if phase < self.flat_phase {
            (HEEL, pitched(ANKLE - HEEL, &pitch))
        } else {
            (
                TIP,
                pitched(ANKLE - BALL, &pitch) - pitched(TIP - BALL, &self.tip_jet(phase)),
            )
        };
        let turn = self.world_from_print.rotation;
        let mut jet = Jet {
            value: self.planted(pivot + arm.value),
            rate: turn * arm.rate,
            acceleration: turn * arm.acceleration,
        };
        // The rest of the way of the heel, at a velocity that falls smoothly.
        let left = 1.0 - (phase - self.strike_phase) / self.stop;
        if left > 0.0 {
            jet.value -= self.landing * (self.stop * ease::step_integral(left));
            jet.rate += self.landing * ease::step(left);
        }
        jet
    }
}

/// Returns the pitch of what is flat at one phase and has risen by `angle` at another, with its derivatives by phase.
///
/// -h u^3 (1 + a (1-u)), with two zero derivatives where it is flat.
fn rising(angle: f64, shape: f64, [from, to]: [f64; 2], phase: f64) -> Jet<f64> {
    let (h, a, length) = (-angle, shape, to - from);
    let u = ((phase - from) / length).max(0.0);
    Jet {
        value: h * u * u * u * (1.0 + a * (1.0 - u)),
        rate: h * u * u * (3.0 + a * (3.0 - 4.0 * u)) / length,
        acceleration: h * u * (6.0 + a * (6.0 - 12.0 * u)) / (length * length),
    }
}

/// Returns an arm in the foot's flat axes, turned by the pitch, with its derivatives.
fn pitched(arm: DVec3, pitch: &Jet<f64>) -> Jet<DVec3> {
    let (sin, cos) = ops::sin_cos(pitch.value);
    let value = DVec3::new(0.0, arm.y * cos + arm.z * sin, arm.z * cos - arm.y * sin);
    let across = DVec3::new(0.0, value.z, -value.y);
    Jet {
        value,
        rate: across * pitch.rate,
        acceleration: across * pitch.acceleration - value * (pitch.rate * pitch.rate),
    }
}

/// Returns the world rotation of a foot: pitch first, then its direction.
pub(crate) fn rotation_of(pose: &FootPose) -> glam::DQuat {
    rotation::from_yaw(pose.yaw) * rotation::exp(DVec3::X * -pose.pitch)
}
