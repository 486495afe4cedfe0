//! Gaits: their names, and their classification by speed, direction and turn.
//!
//! Source: docs/math/segments.md.

use core::fmt;

use super::{Body, Side};
use crate::{
    math::{Twist, ops},
    take::Take,
};

/// An activity of a body, in the words of animators.
#[handed_over(Copy, Eq, PartialOrd, Ord)]
#[in_words("_")]
pub enum MotionKind {
    /// Nothing moves.
    Still,
    /// The body hardly moves.
    Idle,
    /// It walks ahead, on a path or in place.
    Walk,
    /// It walks on a curve.
    TurningWalk,
    /// It runs ahead, on a path or in place, straight or on a curve.
    Run,
    /// It goes backwards.
    Backward,
    /// It goes sideways.
    Strafe,
    /// It turns and stays in its position.
    TurnInPlace,
    /// It leaves the ground once, with all feet.
    Jump,
    /// It moves once and comes to rest.
    OneShot,
    /// Something else, or unknown from the geometry.
    Other,
}

/// Speed below which a body stays in place, metres per second.
pub const MOVING_MPS: f64 = 0.3;

/// Turn rate above which a walk or a run curves, radians per second (20 degrees).
const CURVE_RATE: f64 = 0.349;

/// Turn rate above which a body in place turns, radians per second (40 degrees).
const TURN_RATE: f64 = 0.698;

/// Speed squared over gravity times leg length at which people change from walking to running.
///
/// Source: R. McN. Alexander, "Optimization and gaits in the locomotion of vertebrates", Physiological Reviews 69 (1989).
const RUN_FROUDE: f64 = 0.5;

/// Leg length as a share of the height of the head joint.
const LEG_SHARE: f64 = 0.55;

/// Leg length where the skeleton has no measurable height, metres.
const FALLBACK_LEG: f64 = 0.9;

pub(super) const GRAVITY: f64 = 9.81;

/// Returns the speed above which this body runs, metres per second.
pub fn run_speed(take: &Take, body: &Body) -> f64 {
    run_speed_of(body.stature(take))
}

/// Returns the speed above which a body of this standing height runs, metres per second.
pub(crate) fn run_speed_of(stature: Option<f64>) -> f64 {
    (RUN_FROUDE * GRAVITY * leg_metres(stature)).sqrt()
}

/// Returns the length of a leg of a body of this standing height, metres.
pub(super) fn leg_metres(stature: Option<f64>) -> f64 {
    stature.map_or(FALLBACK_LEG, |height| LEG_SHARE * height)
}

/// A foot of a running body is on the ground for less than this share of its stride, ...
///
/// Source: M. Hildebrand, "Symmetrical gaits of horses", Science 150 (1965).
const RUN_DUTY: f64 = 0.5;

/// ... or if the body leaves the ground, for less than this share: jogs limp, and walking people never leave the ground.
const FLYING_RUN_DUTY: f64 = 0.54;

/// A body leaves the ground if no foot is down for more than this share of a stride.
const FLIES_SHARE: f64 = 0.02;

/// A smaller share means missed contacts: no body runs like that at speeds at which feet are used to distinguish gaits.
const LEAST_DUTY: f64 = 0.28;

/// Range of speeds in which the feet distinguish a run from a walk, as multiples of the speed at which people change between them;
/// elsewhere the speed does, since contacts may be missed.
const TOLD_BY_FEET: [f64; 2] = [0.5, 1.6];

/// Shares of a stride.
#[value(Copy)]
pub struct Footing {
    /// For which each foot is on the ground, on average.
    pub duty: f64,
    /// For which none is.
    pub flight: f64,
}

impl Footing {
    /// Whether the body leaves the ground.
    pub fn flies(&self) -> bool {
        self.flight > FLIES_SHARE
    }

    fn is_run(&self) -> bool {
        self.duty < RUN_DUTY || (self.flies() && self.duty < FLYING_RUN_DUTY)
    }
}

/// The data that distinguish a run from a walk: the feet, within their range of speeds, else the speed.
#[value(Copy)]
pub struct Running {
    /// The speed above which the body runs, as [`run_speed`] returns it, metres per second.
    pub from_mps: f64,
    /// Duty and flight of the feet, if known.
    pub footing: Option<Footing>,
}

impl Running {
    /// Whether a body that goes this fast, metres per second, runs.
    pub fn is_run(&self, speed_mps: f64) -> bool {
        let [least, most] = TOLD_BY_FEET.map(|times| times * self.from_mps);
        match self.footing {
            Some(footing) if (least..most).contains(&speed_mps) && footing.duty > LEAST_DUTY => footing.is_run(),
            _ => speed_mps >= self.from_mps,
        }
    }
}

/// Returns the side to which a walk or a run curves at a turn rate, radians per second to the left; `None` if it goes straight.
pub fn curve_side(turn_rate: f64) -> Option<Side> {
    (turn_rate.abs() >= CURVE_RATE).then(|| side_of(turn_rate))
}

fn side_of(left: f64) -> Side {
    if left > 0.0 { Side::Left } else { Side::Right }
}

impl MotionKind {
    /// Returns the kind of motion at a speed in any direction: walk, run, turn in place, or other in place. Speeds in metres per
    /// second; the turn rate in radians per second.
    pub fn at_speed(speed_mps: f64, turn_rate: f64, running: &Running) -> Self {
        if speed_mps >= MOVING_MPS {
            if running.is_run(speed_mps) {
                Self::Run
            } else {
                Self::Walk
            }
        } else if turn_rate.abs() >= TURN_RATE {
            Self::TurnInPlace
        } else {
            Self::Other
        }
    }

    /// Returns the corresponding kind on a straight line.
    #[must_use]
    pub fn straight(self) -> Self {
        match self {
            Self::TurningWalk => Self::Walk,
            kind => kind,
        }
    }

    /// Whether the body travels, or makes the motions of travelling in place.
    pub fn travels(self) -> bool {
        matches!(
            self,
            Self::Walk | Self::TurningWalk | Self::Run | Self::Backward | Self::Strafe
        )
    }
}

/// The motion of a body in a part of a take: its kind, and the side to which it turns, curves or goes.
#[handed_over(Copy, Eq, PartialOrd, Ord)]
pub struct Gait {
    /// The activity.
    pub kind: MotionKind,
    /// Its side; `None` for a kind without one.
    pub side: Option<Side>,
}

impl Gait {
    /// All gaits, in a fixed order.
    pub const ALL: [Self; 13] = [
        Self::new(MotionKind::Idle, None),
        Self::new(MotionKind::Other, None),
        Self::new(MotionKind::TurnInPlace, Some(Side::Left)),
        Self::new(MotionKind::TurnInPlace, Some(Side::Right)),
        Self::new(MotionKind::Walk, None),
        Self::new(MotionKind::TurningWalk, Some(Side::Left)),
        Self::new(MotionKind::TurningWalk, Some(Side::Right)),
        Self::new(MotionKind::Run, None),
        Self::new(MotionKind::Run, Some(Side::Left)),
        Self::new(MotionKind::Run, Some(Side::Right)),
        Self::new(MotionKind::Backward, None),
        Self::new(MotionKind::Strafe, Some(Side::Left)),
        Self::new(MotionKind::Strafe, Some(Side::Right)),
    ];

    /// Creates a kind with its side.
    pub const fn new(kind: MotionKind, side: Option<Side>) -> Self {
        Self { kind, side }
    }

    /// Classifies a body with this velocity (x left, z ahead, metres per second) and turn rate.
    pub fn classify(motion: &Twist, running: &Running) -> Self {
        let (velocity, turn_rate) = (motion.linear, motion.angular.y);
        let kind = MotionKind::at_speed(ops::over_ground(velocity), turn_rate, running);
        if !kind.travels() {
            return Self::new(kind, (kind == MotionKind::TurnInPlace).then(|| side_of(turn_rate)));
        }
        if velocity.x.abs() > velocity.z.abs() {
            return Self::new(MotionKind::Strafe, Some(side_of(velocity.x)));
        }
        if velocity.z < 0.0 {
            return Self::new(MotionKind::Backward, None);
        }
        match (kind, curve_side(turn_rate)) {
            (MotionKind::Walk, side @ Some(_)) => Self::new(MotionKind::TurningWalk, side),
            (kind, side) => Self::new(kind, side),
        }
    }
}

impl fmt::Display for Gait {
    /// As in "turn_in_place, left".
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.side {
            Some(side) => write!(f, "{}, {side}", self.kind),
            None => self.kind.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn speed_direction_and_turn_decide() {
        let running = Running {
            from_mps: 2.0,
            footing: None,
        };
        for (left, ahead, turn_dps, gait) in [
            (0.0, 0.29, 0.0, "other"),
            (0.0, 0.29, 39.0, "other"),
            (0.0, 0.29, 41.0, "turn_in_place, left"),
            (0.1, 0.0, -41.0, "turn_in_place, right"),
            (0.0, 0.31, 19.0, "walk"),
            (0.0, 1.99, 21.0, "turning_walk, left"),
            (0.0, 2.01, -19.0, "run"),
            (0.0, 2.01, -21.0, "run, right"),
            (0.5, 0.4, 90.0, "strafe, left"),
            (-3.0, 0.4, 0.0, "strafe, right"),
            (0.3, -0.4, 30.0, "backward"),
        ] {
            let motion = Twist::new(DVec3::new(left, 5.0, ahead), DVec3::Y * f64::to_radians(turn_dps));
            let found = Gait::classify(&motion, &running);
            assert_eq!(found.to_string(), gait, "{motion:?}");
            assert!(Gait::ALL.contains(&found));
        }
    }

    #[test]
    fn feet_tell_runs_from_walks_where_a_body_may_do_either() {
        for (speed_mps, shares, runs) in [
            (1.2, Some((0.4, 0.0)), true),
            (1.2, Some((0.52, 0.04)), true),
            (1.2, Some((0.52, 0.0)), false),
            (1.2, Some((0.6, 0.04)), false),
            (2.8, Some((0.6, 0.0)), false),
            (0.9, Some((0.3, 0.2)), false),
            (3.3, Some((0.6, 0.0)), true),
            (1.2, Some((0.2, 0.6)), false),
            (1.9, None, false),
            (2.1, None, true),
        ] {
            let running = Running {
                from_mps: 2.0,
                footing: shares.map(|(duty, flight)| Footing { duty, flight }),
            };
            assert_eq!(running.is_run(speed_mps), runs, "{speed_mps} {shares:?}");
        }
    }
}
