//! The root motion of one period: from a fitted motion between its ends to one constant velocity and turn rate.
//!
//! Over the ground and in space the question is the same, and so is the answer: a screw about an axis that is the up axis in
//! the one case and any in the other, with as many whole turns as the body made. Derivation: docs/math/root.md.

use core::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3};

use crate::{
    analysis::heading::Heading,
    math::{
        fit::fit_circle,
        ops,
        rigid::{Rigid, Twist},
        rotation,
    },
    motion::RootMotion,
};

/// A climb below this, metres per cycle, is left to the body: floors are not that level.
const MIN_CLIMB_METRES: f64 = 0.03;

/// A screw whose arc is longer than the path by more than this factor does not explain the motion.
const MAX_ARC_OVER_PATH: f64 = 1.3;

/// A path that comes back to itself after a whole turn has a chord below this share of its length; a longer one is no circle.
const MAX_CHORD_OVER_PATH: f64 = 0.3;

/// A turn this near to a whole one, radians, has too short a chord to determine radius and axis, and the path does it instead.
///
/// Over the ground that is where the sine of half the turn is below 0.2; in space it is that, rounded.
const NEAR_WHOLE_TURN_ON_GROUND: f64 = 0.402_715_841_580_661_5;
const NEAR_WHOLE_TURN_IN_SPACE: f64 = 0.4;

/// The same for motions that are exact to rounding, where the chord always determines radius and axis but at a whole turn.
const NEAR_WHOLE_TURN_EXACT: f64 = 2e-6;

/// In space, ways that differ by less than this count as equal, metres: props wobble by as much where they spin on the spot.
const EQUAL_METRES: f64 = 0.02;

/// Takes the height out of a point.
const LEVEL: DVec3 = DVec3::new(1.0, 0.0, 1.0);

/// Where the body stood at every sample of a period, and with that which motions its root can make.
#[derive(Clone, Copy, Debug)]
pub enum BodyPath<'a> {
    /// Over the ground: turns about +Y, ways over the ground, and climbs of 3 cm per cycle and more.
    Ground(GroundPath<'a>),
    /// In space: any rigid motion. World frames of the hips at the start, at every sample between, and at the end: two or more.
    Space(&'a [Rigid]),
}

/// The path of a body over the ground.
#[derive(Clone, Copy, Debug)]
pub struct GroundPath<'a> {
    /// Headings of samples, of which `first` is the start.
    pub heading: &'a Heading,
    /// Index of the start among the headings.
    pub first: usize,
    /// Samples from start to end.
    pub num_intervals: usize,
    /// Fundamental periods within.
    pub cycles: u32,
}

/// One period seen from outside: the path of the body and the motion that lays its start onto its end.
#[derive(Clone, Copy, Debug)]
pub struct Cycle<'a> {
    /// Where the body stood.
    pub path: BodyPath<'a>,
    /// Seconds from start to end.
    pub period_secs: f64,
    /// World motion from the start to the end, as `fit` finds it.
    pub motion: Rigid,
}

impl Cycle<'_> {
    /// The screw that carries the root from start to end at a constant rate.
    ///
    /// The root starts where the body stands on average over the cycle, each sample carried back to the start. Turns beyond
    /// half a turn are counted by the turning of the body in between and checked against the length of its path: where the
    /// screw's arc is too long for it, the principal turn is taken and the spin stays in the body. The end is reached exactly,
    /// except close to whole turns, where the circle of the path determines the velocity.
    pub fn root_motion(&self) -> RootMotion {
        let near_whole_turn = match self.path {
            BodyPath::Ground(_) => NEAR_WHOLE_TURN_ON_GROUND,
            BodyPath::Space(_) => NEAR_WHOLE_TURN_IN_SPACE,
        };
        self.wound(near_whole_turn, self.rise())
    }

    /// The same for a motion that is exact to rounding, as between the keys of a written loop: every rise is a climb, and the
    /// end is reached exactly unless the turn is whole to a millionth.
    pub fn exact_root_motion(&self) -> RootMotion {
        self.wound(NEAR_WHOLE_TURN_EXACT, self.motion.translation.y)
    }

    /// A root that runs straight at a constant velocity and never turns, facing as the body does on average.
    ///
    /// At the end it has made the same way as the screw; the turn is left to the body.
    pub fn straight_root_motion(&self) -> RootMotion {
        let from = self.path.start();
        let way = self.motion.transform_point(from) - from;
        let way = match self.path {
            BodyPath::Ground(_) => way * LEVEL + DVec3::Y * self.rise(),
            BodyPath::Space(_) => way,
        };
        let start = self.path.mean_start(DVec3::ZERO, self.period_secs, |secs| {
            Rigid::new(DQuat::IDENTITY, way * (secs / self.period_secs))
        });
        RootMotion {
            start,
            twist: Twist {
                linear: start.rotation.conjugate() * way / self.period_secs,
                angular: DVec3::ZERO,
            },
        }
    }

    /// Length of the body's way, metres: its steps in its own axes added up, so that sway cancels, turning does not shorten it,
    /// and a body that spins on a straight path has next to none.
    pub fn path_metres(&self) -> f64 {
        self.path.travelled().length()
    }

    /// Metres over the ground that count as climb: small rises are left to the body.
    fn rise(&self) -> f64 {
        let rise = self.motion.translation.y;
        match self.path {
            BodyPath::Ground(path) if rise.abs() < MIN_CLIMB_METRES * f64::from(path.cycles) => 0.0,
            _ => rise,
        }
    }

    fn wound(&self, near_whole_turn: f64, rise: f64) -> RootMotion {
        let is_on_ground = matches!(self.path, BodyPath::Ground(_));
        let (principal, turned) = (self.path.principal_turn(self.motion), self.path.turned());
        // Close to whole turns a fit in space hardly determines an axis, and the body does.
        let axis = if is_on_ground {
            Some(DVec3::Y)
        } else if turned.length() > PI && principal.length() < near_whole_turn {
            turned.try_normalize()
        } else {
            principal.try_normalize()
        };
        let Some(axis) = axis else {
            return self.with_turn(principal, rise);
        };
        let whole_turns = ((turned - principal).dot(axis) / TAU).round();
        if whole_turns == 0.0 {
            return self.with_turn(principal, rise);
        }
        let spun = principal.length() < near_whole_turn && (is_on_ground || turned.length() > PI);
        let start = self.path.start();
        let way = self.motion.transform_point(start) - start;
        let climb = way.dot(axis);
        let chord = (way - axis * climb).length();
        let wound = principal + axis * (TAU * whole_turns);
        let about_axis = axis * wound.dot(axis);
        let path = self.path_metres();
        // The way over the ground knows nothing of the climb; that in space does, and wobbles.
        let (arc_climb, slack) = if is_on_ground {
            (0.0, 0.0)
        } else {
            (climb, EQUAL_METRES)
        };
        if spun && chord < (MAX_CHORD_OVER_PATH * path).max(slack) {
            return self.on_a_circle(about_axis, if is_on_ground { rise } else { climb });
        }
        let arc = ops::hypot(arc_length(chord, wound.dot(axis)), arc_climb);
        let explains = arc <= MAX_ARC_OVER_PATH * path + slack;
        let turn = match (explains, is_on_ground) {
            (true, true) => about_axis,
            (true, false) if !spun => wound,
            _ => principal,
        };
        self.with_turn(turn, rise)
    }

    /// The start of the root for a turn (rotation vector over the period), and the twist that reaches the fitted motion.
    fn with_turn(&self, turn: DVec3, rise: f64) -> RootMotion {
        let mut motion = self.motion;
        if let BodyPath::Ground(_) = self.path {
            // The fit's height is that of the poses; what counts as climb is settled by the caller.
            motion.translation.y = rise;
        }
        let world = Twist::log_with_turn(motion, turn, self.period_secs);
        let start = self.path.mean_start(turn, self.period_secs, |secs| world.exp(secs));
        let local = start.inverse() * motion * start;
        let turn_in_root = match self.path {
            // A root that stands upright has the same up axis as the world.
            BodyPath::Ground(_) => turn,
            BodyPath::Space(_) => start.rotation.conjugate() * turn,
        };
        RootMotion {
            start,
            twist: Twist::log_with_turn(local, turn_in_root, self.period_secs),
        }
    }

    /// Near a whole turn the chord is next to nothing, and the circle is that on which the path lies; `climb` metres are made
    /// along the axis.
    fn on_a_circle(&self, turn: DVec3, climb: f64) -> RootMotion {
        let (centre, arm) = fit_circle(&self.path.places(), turn);
        let angular = turn / self.period_secs;
        match self.path {
            BodyPath::Ground(path) => {
                let start = Rigid::from_yaw(path.mean_yaw(turn.y), centre + arm);
                let linear = start.rotation.conjugate() * angular.cross(arm) + DVec3::Y * (climb / self.period_secs);
                RootMotion {
                    start,
                    twist: Twist { linear, angular },
                }
            }
            BodyPath::Space(_) => {
                let axis = turn.normalize_or_zero();
                let world = Twist {
                    angular,
                    linear: axis * (climb / self.period_secs) - turn.cross(centre) / self.period_secs,
                };
                let start = self.path.mean_start(turn, self.period_secs, |secs| world.exp(secs));
                let velocity = axis * (climb / self.period_secs) + angular.cross(arm);
                RootMotion {
                    start,
                    twist: Twist {
                        linear: start.rotation.conjugate() * velocity,
                        angular: start.rotation.conjugate() * angular,
                    },
                }
            }
        }
    }
}

/// Length of the arc over a chord, metres, that turns by `turn` radians.
fn arc_length(chord: f64, turn: f64) -> f64 {
    let sine = ops::sin(0.5 * turn).abs();
    if sine < 1e-9 {
        chord
    } else {
        0.5 * chord * turn.abs() / sine
    }
}

impl BodyPath<'_> {
    /// Where the body stands at the start, world.
    fn start(&self) -> DVec3 {
        match self {
            Self::Ground(path) => path.place(0),
            Self::Space(frames) => frames.first().map_or(DVec3::ZERO, |frame| frame.translation),
        }
    }

    /// Where it stands at all samples but the end.
    fn places(&self) -> Vec<DVec3> {
        match self {
            Self::Ground(path) => (0..path.num_intervals).map(|sample| path.place(sample)).collect(),
            Self::Space(frames) => {
                let frames = frames.iter().take(frames.len().saturating_sub(1));
                frames.map(|frame| frame.translation).collect()
            }
        }
    }

    /// The turn of a motion, at most half a turn, as a rotation vector in the world.
    fn principal_turn(&self, motion: Rigid) -> DVec3 {
        match self {
            Self::Ground(_) => DVec3::Y * rotation::yaw_of(motion.rotation),
            Self::Space(_) => rotation::log(motion.rotation),
        }
    }

    /// What the body turned by from start to end, whole turns included, as a rotation vector in the world.
    fn turned(&self) -> DVec3 {
        match self {
            Self::Ground(path) => DVec3::Y * (path.yaw(path.num_intervals) - path.yaw(0)),
            Self::Space(frames) => (frames.iter().zip(steps(frames)))
                .map(|(frame, step)| frame.rotation * step.angular)
                .sum(),
        }
    }

    /// Sum of the body's steps in its own axes, metres.
    fn travelled(&self) -> DVec3 {
        match self {
            Self::Ground(path) => path.travelled(),
            Self::Space(frames) => steps(frames).map(|step| step.linear).sum(),
        }
    }

    /// The body's frame averaged over the cycle, each sample carried back to the start; upright over the ground.
    ///
    /// `turn` is that of the root over the period, as a rotation vector in the world, `moved_after` how the world has moved
    /// after some seconds.
    fn mean_start(&self, turn: DVec3, period_secs: f64, moved_after: impl Fn(f64) -> Rigid) -> Rigid {
        match self {
            Self::Ground(path) => path.mean_start(turn.y, period_secs, moved_after),
            Self::Space(frames) => mean_start(frames, period_secs, moved_after),
        }
    }
}

impl GroundPath<'_> {
    fn place(&self, sample: usize) -> DVec3 {
        self.heading.ground(self.first + sample) * LEVEL
    }

    fn yaw(&self, sample: usize) -> f64 {
        self.heading.yaw(self.first + sample)
    }

    fn travelled(&self) -> DVec3 {
        (0..self.num_intervals)
            .map(|sample| {
                let step =
                    (self.heading.ground(self.first + sample + 1) - self.heading.ground(self.first + sample)) * LEVEL;
                // Half-way through the step, or every step would be seen half a step's turn too early.
                let yaw = 0.5 * (self.yaw(sample) + self.yaw(sample + 1));
                rotation::from_yaw(yaw).conjugate() * step
            })
            .sum()
    }

    fn mean_start(&self, turn: f64, period_secs: f64, moved_after: impl Fn(f64) -> Rigid) -> Rigid {
        let step_secs = period_secs / self.num_intervals as f64;
        let mut ground = DVec3::ZERO;
        for sample in 0..self.num_intervals {
            let back = moved_after(sample as f64 * step_secs).inverse();
            ground += back.transform_point(self.heading.ground(self.first + sample));
        }
        ground /= self.num_intervals as f64;
        ground.y = 0.0;
        Rigid::from_yaw(self.mean_yaw(turn), ground)
    }

    /// Facing averaged over the cycle, each sample turned back to the start, radians; `turn` is that of the root.
    fn mean_yaw(&self, turn: f64) -> f64 {
        // A body that spins while it travels has no mean facing along the screw; the start's own is as good as any.
        let spun = self.yaw(self.num_intervals) - self.yaw(0) - turn;
        if spun.abs() > PI {
            return self.yaw(0);
        }
        let count = self.num_intervals as f64;
        (0..self.num_intervals)
            .map(|sample| self.yaw(sample) - turn * sample as f64 / count)
            .sum::<f64>()
            / count
    }
}

/// Motions from sample to sample in the hips' own axes, as twists over one sample: exact for a screw.
fn steps(frames: &[Rigid]) -> impl Iterator<Item = Twist> {
    frames
        .windows(2)
        .map(|pair| Twist::log(pair[0].inverse() * pair[1], 1.0))
}

/// The mean of a joint's frames over one period, each carried back to the start as the world has moved.
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
    let translation = back.iter().map(|frame| frame.translation).sum::<DVec3>() / count as f64;
    let mut mean = back.first().map_or(DQuat::IDENTITY, |frame| frame.rotation);
    for _ in 0..MEAN_ROUNDS {
        let off = back
            .iter()
            .map(|frame| rotation::difference(frame.rotation, mean))
            .sum::<DVec3>()
            / count as f64;
        mean = (rotation::exp(off) * mean).normalize();
    }
    Rigid::new(mean, translation)
}

/// Rounds of averaging rotations: each leaves the square of what was off, in radians, or less.
const MEAN_ROUNDS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean of frames that lie evenly about a screw is the screw's own start.
    #[test]
    fn wobble_about_a_screw_averages_out() {
        let world = Twist {
            linear: DVec3::new(0.3, -0.1, 0.9),
            angular: DVec3::new(0.5, 1.0, -0.4),
        };
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
