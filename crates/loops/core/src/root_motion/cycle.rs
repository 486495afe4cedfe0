//! The root motion of one period: one constant velocity and turn rate from a fitted motion between its ends.
//!
//! The same method works over the ground and in space: a screw with as many whole turns as the body made, about the up axis over
//! the ground and about any axis in space. Derivation: docs/math/root.md.

use core::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3};

use crate::{
    analysis::Heading,
    math::{Rigid, Twist, fit::fit_circle, mean, ops, rotation},
    motion::RootMotion,
};

/// A climb below this, metres per cycle, is left in the body: floors are not exactly level.
pub(crate) const MIN_CLIMB_METRES: f64 = 0.03;

/// A screw whose arc is longer than the path by more than this factor does not fit the motion.
const MAX_ARC_OVER_PATH: f64 = 1.3;

/// Largest chord of a path that returns to itself after a whole turn, as a share of its length; a longer chord means that it is
/// not a circle.
const MAX_CHORD_OVER_PATH: f64 = 0.3;

/// A turn this near to a whole one, radians, has too short a chord to determine radius and axis; the path determines them
/// instead.
///
/// Over the ground the sine of half the turn is then below 0.2; in space it is the same value, rounded.
const NEAR_WHOLE_TURN_ON_GROUND: f64 = 0.402_715_841_580_661_5;
const NEAR_WHOLE_TURN_IN_SPACE: f64 = 0.4;

/// The limit for motions that are exact to rounding, where the chord determines radius and axis except at a whole turn.
const NEAR_WHOLE_TURN_EXACT: f64 = 2e-6;

/// In space, distances that differ by less than this count as equal, metres: props wobble by as much when they spin in place.
const EQUAL_METRES: f64 = 0.02;

/// Removes the height of a point.
const LEVEL: DVec3 = DVec3::new(1.0, 0.0, 1.0);

/// Positions of the body at every sample of a period; the variant also selects the motions that its root can make.
#[derive(Clone, Copy)]
pub(crate) enum BodyPath<'a> {
    /// Over the ground: turns about +Y, motion over the ground, and climbs of 3 cm per cycle and more.
    Ground(GroundPath<'a>),
    /// In space: any rigid motion. World frames of the hips at the start, at every sample between, and at the end: two or more.
    Space(&'a [Rigid]),
}

#[derive(Clone, Copy)]
pub(crate) struct GroundPath<'a> {
    /// Headings of samples, of which `first` is the start.
    pub heading: &'a Heading,
    /// Index of the start among the samples of `heading`.
    pub first: usize,
    /// Number of intervals from start to end.
    pub num_intervals: usize,
    /// Number of fundamental periods from start to end.
    pub cycles: u32,
}

/// One period: the path of the body and the motion that maps its start to its end.
pub(crate) struct Cycle<'a> {
    /// The path of the body.
    pub path: BodyPath<'a>,
    /// Seconds from start to end.
    pub period_secs: f64,
    /// World motion from the start to the end, as fitted by `fit`.
    pub motion: Rigid,
}

impl Cycle<'_> {
    /// Returns the screw that carries the root from start to end at a constant rate.
    ///
    /// The root starts at the mean frame of the body over the cycle, each sample carried back to the start. Whole turns are
    /// counted from the turning of the body in between and checked against the length of its path: if the screw's arc is too
    /// long for the path, the principal turn is used and the spin stays in the body. The end is reached exactly, except close to
    /// whole turns, for which the circle of the path determines the velocity.
    pub(crate) fn root_motion(&self) -> RootMotion {
        let near_whole_turn = match self.path {
            BodyPath::Ground(_) => NEAR_WHOLE_TURN_ON_GROUND,
            BodyPath::Space(_) => NEAR_WHOLE_TURN_IN_SPACE,
        };
        self.with_whole_turns(near_whole_turn, self.rise())
    }

    /// Returns the screw of a motion that is exact to rounding, as between the keys of a written loop: every rise is a climb,
    /// and the end is reached exactly unless the turn is whole to a millionth.
    pub(crate) fn exact_root_motion(&self) -> RootMotion {
        self.with_whole_turns(NEAR_WHOLE_TURN_EXACT, self.motion.translation.y)
    }

    /// Returns a root that moves straight at a constant velocity and never turns, with the mean facing of the body.
    ///
    /// At the end it has covered the same distance as the screw; the turn stays in the body.
    pub(crate) fn straight_root_motion(&self) -> RootMotion {
        let from = self.path.start();
        let displacement = self.motion.transform_point(from) - from;
        let displacement = match self.path {
            BodyPath::Ground(_) => displacement * LEVEL + DVec3::Y * self.rise(),
            BodyPath::Space(_) => displacement,
        };
        let start = self.mean_start(DVec3::ZERO, |secs| {
            Rigid::new(DQuat::IDENTITY, displacement * (secs / self.period_secs))
        });
        RootMotion::new(
            start,
            Twist {
                linear: start.rotation.conjugate() * displacement / self.period_secs,
                angular: DVec3::ZERO,
            },
        )
    }

    /// Returns a root that is fixed at the mean frame of the body over the cycle.
    pub(crate) fn root_at_rest(&self) -> RootMotion {
        RootMotion::new(self.mean_start(DVec3::ZERO, |_| Rigid::IDENTITY), Twist::default())
    }

    /// Returns the length of the body's path, metres: its steps in its own axes added up. Sway cancels, and turning does not
    /// shorten it; for a body that spins on a straight path it is close to zero.
    pub(crate) fn path_metres(&self) -> f64 {
        let total: DVec3 = match self.path {
            BodyPath::Ground(path) => {
                let steps = (0..path.num_intervals).map(|sample| {
                    let step = path.position(sample + 1) - path.position(sample);
                    // The facing half-way through the step; otherwise every step would be seen half a step's turn too early.
                    rotation::from_yaw(0.5 * (path.yaw(sample) + path.yaw(sample + 1))).conjugate() * step
                });
                steps.sum()
            }
            BodyPath::Space(frames) => steps(frames).map(|step| step.linear).sum(),
        };
        total.length()
    }

    /// Returns the rotation of the fitted motion, at most half a turn, and that of the body from start to end, whole turns included, as
    /// rotation vectors in the world.
    fn turns(&self) -> (DVec3, DVec3) {
        let turn = self.motion.rotation;
        match self.path {
            BodyPath::Ground(path) => (
                DVec3::Y * rotation::yaw_of(turn),
                DVec3::Y * (path.yaw(path.num_intervals) - path.yaw(0)),
            ),
            BodyPath::Space(frames) => {
                let total = frames
                    .iter()
                    .zip(steps(frames))
                    .map(|(frame, step)| frame.rotation * step.angular);
                (rotation::log(turn), total.sum())
            }
        }
    }

    /// Returns the body's frame averaged over the cycle, each sample carried back to the start; upright over the ground.
    ///
    /// `turn` is the root's rotation over the period, as a rotation vector in the world; `moved_after` gives the motion of the
    /// world after some seconds.
    fn mean_start(&self, turn: DVec3, moved_after: impl Fn(f64) -> Rigid) -> Rigid {
        let path = match self.path {
            BodyPath::Ground(path) => path,
            BodyPath::Space(frames) => return mean_start(frames, self.period_secs, moved_after),
        };
        let step_secs = self.period_secs / path.num_intervals as f64;
        let ground = mean((0..path.num_intervals).map(|sample| {
            moved_after(sample as f64 * step_secs)
                .inverse()
                .transform_point(path.heading.ground(path.first + sample))
        }));
        Rigid::from_yaw(path.mean_yaw(turn.y), ground.with_y(0.0))
    }

    /// Returns the metres over the ground that count as climb: small rises stay in the body.
    fn rise(&self) -> f64 {
        let rise = self.motion.translation.y;
        match self.path {
            BodyPath::Ground(path) if rise.abs() < MIN_CLIMB_METRES * f64::from(path.cycles) => 0.0,
            _ => rise,
        }
    }

    /// Returns the screw with the whole turns of the path; a principal turn below `near_whole_turn`, radians, counts as whole turns. `rise`
    /// is that of the root over the period, metres.
    fn with_whole_turns(&self, near_whole_turn: f64, rise: f64) -> RootMotion {
        let is_on_ground = matches!(self.path, BodyPath::Ground(_));
        let (principal, total_turn) = self.turns();
        // Close to whole turns a fit in space hardly determines an axis; the path of the body does.
        let axis = if is_on_ground {
            Some(DVec3::Y)
        } else if total_turn.length() > PI && principal.length() < near_whole_turn {
            total_turn.try_normalize()
        } else {
            principal.try_normalize()
        };
        let Some(axis) = axis else {
            return self.with_turn(principal, rise);
        };
        let whole_turns = ((total_turn - principal).dot(axis) / TAU).round();
        if whole_turns == 0.0 {
            return self.with_turn(principal, rise);
        }
        let spun = principal.length() < near_whole_turn && (is_on_ground || total_turn.length() > PI);
        let start = self.path.start();
        let displacement = self.motion.transform_point(start) - start;
        let climb = displacement.dot(axis);
        let chord = displacement.distance(axis * climb);
        let full_turn = principal + axis * (TAU * whole_turns);
        let about_axis = axis * full_turn.dot(axis);
        let path = self.path_metres();
        // The path over the ground does not include the climb; the path in space does, and wobbles.
        let (arc_climb, slack) = if is_on_ground {
            (0.0, 0.0)
        } else {
            (climb, EQUAL_METRES)
        };
        if spun && chord < (MAX_CHORD_OVER_PATH * path).max(slack) {
            return self.on_a_circle(about_axis, if is_on_ground { rise } else { climb });
        }
        let arc = ops::hypot(arc_length(chord, full_turn.dot(axis)), arc_climb);
        let explains = arc <= MAX_ARC_OVER_PATH * path + slack;
        let turn = match (explains, is_on_ground) {
            (true, true) => about_axis,
            (true, false) if !spun => full_turn,
            _ => principal,
        };
        self.with_turn(turn, rise)
    }

    /// Returns the start of the root for a turn (rotation vector over the period), and the twist that reaches the end of the
    /// fitted motion.
    fn with_turn(&self, turn: DVec3, rise: f64) -> RootMotion {
        let mut motion = self.motion;
        // The fitted height is that of the poses; the caller decides how much of it counts as climb.
        motion.translation.y = rise;
        let world = Twist::log_with_turn(motion, turn, self.period_secs);
        let start = self.mean_start(turn, |secs| world.exp(secs));
        let local = start.inverse() * motion * start;
        let turn_in_root = match self.path {
            // An upright root has the same up axis as the world.
            BodyPath::Ground(_) => turn,
            BodyPath::Space(_) => start.rotation.conjugate() * turn,
        };
        RootMotion::new(start, Twist::log_with_turn(local, turn_in_root, self.period_secs))
    }

    /// Near a whole turn the chord is close to zero, so the circle comes from the path; the root moves `climb` metres along the
    /// axis.
    fn on_a_circle(&self, turn: DVec3, climb: f64) -> RootMotion {
        let (centre, arm) = fit_circle(&self.path.positions(), turn);
        let angular = turn / self.period_secs;
        match self.path {
            BodyPath::Ground(path) => {
                let start = Rigid::from_yaw(path.mean_yaw(turn.y), centre + arm);
                RootMotion::new(
                    start,
                    Twist {
                        linear: start.rotation.conjugate() * angular.cross(arm) + DVec3::Y * (climb / self.period_secs),
                        angular,
                    },
                )
            }
            BodyPath::Space(_) => {
                let axis = turn.normalize_or_zero();
                let world = Twist {
                    linear: axis * (climb / self.period_secs) - turn.cross(centre) / self.period_secs,
                    angular,
                };
                let start = self.mean_start(turn, |secs| world.exp(secs));
                let velocity = axis * (climb / self.period_secs) + angular.cross(arm);
                RootMotion::new(
                    start,
                    Twist {
                        linear: start.rotation.conjugate() * velocity,
                        angular: start.rotation.conjugate() * angular,
                    },
                )
            }
        }
    }
}

/// Returns the length of the arc over a chord, metres, for a turn of `turn` radians.
fn arc_length(chord: f64, turn: f64) -> f64 {
    let sine = ops::sin(0.5 * turn).abs();
    if sine < 1e-9 {
        chord
    } else {
        0.5 * chord * turn.abs() / sine
    }
}

impl BodyPath<'_> {
    /// Returns the position of the body at the start, world.
    fn start(&self) -> DVec3 {
        match self {
            Self::Ground(path) => path.position(0),
            Self::Space(frames) => frames.first().map_or(DVec3::ZERO, |frame| frame.translation),
        }
    }

    /// Returns the positions of the body at all samples except the end.
    fn positions(&self) -> Vec<DVec3> {
        match self {
            Self::Ground(path) => (0..path.num_intervals).map(|sample| path.position(sample)).collect(),
            Self::Space(frames) => frames
                .iter()
                .take(frames.len().saturating_sub(1))
                .map(|frame| frame.translation)
                .collect(),
        }
    }
}

impl GroundPath<'_> {
    fn position(&self, sample: usize) -> DVec3 {
        self.heading.ground(self.first + sample) * LEVEL
    }

    fn yaw(&self, sample: usize) -> f64 {
        self.heading.yaw(self.first + sample)
    }

    /// Returns the facing averaged over the cycle, each sample rotated back to the start, radians; `turn` is that of the root.
    fn mean_yaw(&self, turn: f64) -> f64 {
        // A body that spins while it moves has no mean facing along the screw, so the facing of the start is used.
        let spun = self.yaw(self.num_intervals) - self.yaw(0) - turn;
        if spun.abs() > PI {
            return self.yaw(0);
        }
        let count = self.num_intervals as f64;
        mean((0..self.num_intervals).map(|sample| self.yaw(sample) - turn * sample as f64 / count))
    }
}

/// Motions from sample to sample in the hips' own axes, as twists over one sample: exact for a screw.
fn steps(frames: &[Rigid]) -> impl Iterator<Item = Twist> {
    frames
        .windows(2)
        .map(|pair| Twist::log(pair[0].inverse() * pair[1], 1.0))
}

/// Returns the mean of a joint's frames over one period, each carried back to the start by the motion of the world.
///
/// The last frame is the end and belongs to the next period. Rotations are averaged as rotation vectors about their mean.
pub(super) fn mean_start(frames: &[Rigid], period_secs: f64, moved_after: impl Fn(f64) -> Rigid) -> Rigid {
    let count = frames.len().saturating_sub(1).max(1);
    let step_secs = period_secs / count as f64;
    let back: Vec<Rigid> = frames
        .iter()
        .take(count)
        .enumerate()
        .map(|(sample, &frame)| moved_after(sample as f64 * step_secs).inverse() * frame)
        .collect();
    let mut turn = back.first().map_or(DQuat::IDENTITY, |frame| frame.rotation);
    for _ in 0..MEAN_ROUNDS {
        let off = mean(back.iter().map(|frame| rotation::difference(frame.rotation, turn)));
        turn = (rotation::exp(off) * turn).normalize();
    }
    Rigid::new(turn, mean(back.iter().map(|frame| frame.translation)))
}

/// Rounds of averaging rotations: each reduces the error, in radians, to its square or less.
const MEAN_ROUNDS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean of frames spread evenly about a screw is the screw's own start.
    #[test]
    fn wobble_about_a_screw_averages_out() {
        let world = Twist::new(DVec3::new(0.3, -0.1, 0.9), DVec3::new(0.5, 1.0, -0.4));
        let start = Rigid::new(rotation::exp(DVec3::new(0.2, 0.9, -0.3)), DVec3::new(0.4, 1.0, 0.0));
        let frames: Vec<Rigid> = (0..=40)
            .map(|sample| {
                let phase = TAU * f64::from(sample) / 40.0;
                let wobble = Rigid::new(
                    rotation::exp(DVec3::new(0.3, 0.1, -0.2) * ops::sin(phase)),
                    DVec3::new(0.02, 0.0, 0.05) * ops::cos(phase),
                );
                world.exp(f64::from(sample) * 0.05) * start * wobble
            })
            .collect();
        let found = mean_start(&frames, 2.0, |secs| world.exp(secs));
        assert!((found.translation - start.translation).length() < 1e-14);
        assert!(rotation::difference(found.rotation, start.rotation).length() < 1e-12);
    }
}
