//! The travel of one period as a screw: from two windows of poses to one constant twist.
//!
//! Derivation: docs/math/root.md.

use glam::DVec3;

use crate::{
    analysis::heading::Heading,
    math::{
        ops,
        rigid::{Rigid, Twist},
        rotation,
    },
};

/// A point seen at the start and, one period later, at the end, with its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointPair {
    /// World position at the start, metres.
    pub start: DVec3,
    /// World position at the end, metres.
    pub end: DVec3,
    /// Weight in the fit, at least 0.
    pub weight: f64,
}

/// The turn about +Y and the translation that best lay the start points onto the end points.
///
/// Weighted least squares in closed form: centroids give the translation, the plane cross and dot products about them the
/// turn. The height is carried along; the caller decides whether it is a climb. Without points: the identity.
pub fn fit_ground_motion(pairs: &[PointPair]) -> Rigid {
    let total: f64 = pairs.iter().map(|pair| pair.weight).sum();
    if total <= 0.0 {
        return Rigid::IDENTITY;
    }
    let start = pairs.iter().map(|pair| pair.start * pair.weight).sum::<DVec3>() / total;
    let end = pairs.iter().map(|pair| pair.end * pair.weight).sum::<DVec3>() / total;
    let (mut cross, mut dot) = (0.0, 0.0);
    for pair in pairs {
        let (from, to) = (pair.start - start, pair.end - end);
        // With +X to the left of +Z a left turn takes z towards x.
        cross += pair.weight * (from.z * to.x - from.x * to.z);
        dot += pair.weight * (from.x * to.x + from.z * to.z);
    }
    let yaw = if cross == 0.0 && dot == 0.0 {
        0.0
    } else {
        ops::atan2(cross, dot)
    };
    let turn = rotation::from_yaw(yaw);
    Rigid::new(turn, end - turn * start)
}

/// A climb below this, metres per cycle, is left to the body: floors are not that level.
const MIN_CLIMB_METRES: f64 = 0.03;

/// A screw whose arc is longer than the path by more than this factor does not explain the motion.
pub(crate) const MAX_ARC_OVER_PATH: f64 = 1.3;

/// Near a whole turn the chord is too short to tell the radius: below this |sin(turn/2)| the path tells it instead.
const MIN_CHORD_SINE: f64 = 0.2;

/// A path that comes back to itself after a whole turn has a chord below this share of its length; a longer one is no circle.
pub(crate) const MAX_CHORD_OVER_PATH: f64 = 0.3;

/// Takes the height out of a point.
const LEVEL: DVec3 = DVec3::new(1.0, 0.0, 1.0);

/// The root's start and its constant twist over one period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CycleTravel {
    /// Where the root stands at the start: the heading averaged over the cycle and carried back.
    pub start: Rigid,
    /// The constant twist, in the root's own axes.
    pub twist: Twist,
}

/// One period seen from outside: its headings from start to end and the motion that lays its start onto its end.
#[derive(Clone, Copy, Debug)]
pub struct Cycle<'a> {
    /// Headings of samples, of which `first` is the start.
    pub heading: &'a Heading,
    /// Index of the start among the headings.
    pub first: usize,
    /// Samples from start to end.
    pub num_intervals: usize,
    /// Seconds from start to end.
    pub period_secs: f64,
    /// World motion from the start to the end, from [`fit_ground_motion`].
    pub motion: Rigid,
    /// Fundamental periods within.
    pub cycles: u32,
}

impl Cycle<'_> {
    /// The screw that carries the root from start to end at a constant rate.
    ///
    /// Turns beyond half a turn are told by the headings between, and held against the path: where the screw's arc is too
    /// long for it, the principal turn is taken and the spin stays in the body. The end is reached exactly, except close to whole turns, where the circle of the path tells the
    /// velocity.
    pub fn travel(&self) -> CycleTravel {
        self.travel_within(MIN_CHORD_SINE, self.rise())
    }

    /// The same for a motion that is exact to rounding, as between the keys of a written loop: every rise is a climb, and the
    /// end is reached exactly unless the turn is whole to a millionth.
    pub fn exact_travel(&self) -> CycleTravel {
        self.travel_within(1e-6, self.motion.translation.y)
    }

    /// Length of the way over the ground, metres: steps in the heading's own axes, so that sway cancels, turning does not
    /// shorten it, and a body that spins on a straight path has next to none.
    pub fn path_metres(&self) -> f64 {
        self.body_travel().length()
    }

    /// A root that runs straight at a constant velocity and never turns, facing where the body faces on average.
    ///
    /// At the end it has made the same way as the screw; the turn is left to the body.
    pub fn straight_travel(&self) -> CycleTravel {
        let from = self.heading.ground(self.first) * LEVEL;
        let way = (self.motion.transform_point(from) - from) * LEVEL + DVec3::Y * self.rise();
        let start = self.mean_start(0.0, |secs| {
            Rigid::new(glam::DQuat::IDENTITY, way * (secs / self.period_secs))
        });
        CycleTravel {
            start,
            twist: Twist {
                linear: start.rotation.conjugate() * way / self.period_secs,
                angular: DVec3::ZERO,
            },
        }
    }

    /// Metres that count as climb: small rises are left to the body.
    fn rise(&self) -> f64 {
        let rise = self.motion.translation.y;
        if rise.abs() < MIN_CLIMB_METRES * f64::from(self.cycles) {
            0.0
        } else {
            rise
        }
    }

    fn travel_within(&self, min_chord_sine: f64, rise: f64) -> CycleTravel {
        let last = self.first + self.num_intervals;
        let principal = rotation::yaw_of(self.motion.rotation);
        let unwrapped = self.heading.yaw(last) - self.heading.yaw(self.first);
        let whole_turns = ((unwrapped - principal) / core::f64::consts::TAU).round();
        let path = self.path_metres();
        let chord = {
            let start = self.heading.ground(self.first);
            let mut moved = self.motion.transform_point(start) - start;
            moved.y = 0.0;
            moved.length()
        };
        let arc = |turn: f64| {
            let sine = ops::sin(0.5 * turn).abs();
            if sine < 1e-9 {
                chord
            } else {
                0.5 * chord * turn.abs() / sine
            }
        };
        let wound = principal + core::f64::consts::TAU * whole_turns;
        let near_whole_turn =
            whole_turns != 0.0 && ops::sin(0.5 * wound).abs() < min_chord_sine && chord < MAX_CHORD_OVER_PATH * path;
        if near_whole_turn {
            return self.travel_on_a_circle(wound, rise);
        }
        let turn = if whole_turns != 0.0 && arc(wound) <= MAX_ARC_OVER_PATH * path {
            wound
        } else {
            principal
        };
        self.travel_with_turn(turn, rise)
    }

    /// The start of the root for a turn (radians over the period), and the twist that reaches the fitted motion.
    fn travel_with_turn(&self, turn: f64, rise: f64) -> CycleTravel {
        let mut motion = self.motion;
        // The fit's height is that of the poses; what counts as climb is settled by the caller.
        motion.translation.y = rise;
        let world = Twist::log_with_turn(motion, DVec3::Y * turn, self.period_secs);
        let start = self.mean_start(turn, |secs| world.exp(secs));
        let local = start.inverse() * motion * start;
        CycleTravel {
            start,
            twist: Twist::log_with_turn(local, DVec3::Y * turn, self.period_secs),
        }
    }

    /// Near a whole turn the chord is next to nothing, and the circle is that on which the path lies.
    fn travel_on_a_circle(&self, turn: f64, rise: f64) -> CycleTravel {
        let places: Vec<DVec3> = (0..self.num_intervals)
            .map(|sample| self.heading.ground(self.first + sample) * LEVEL)
            .collect();
        let (centre, arm) = circle(&places, DVec3::Y * turn);
        let start = Rigid::from_yaw(self.mean_yaw(turn), centre + arm);
        let angular = DVec3::Y * (turn / self.period_secs);
        CycleTravel {
            start,
            twist: Twist {
                linear: start.rotation.conjugate() * angular.cross(arm) + DVec3::Y * (rise / self.period_secs),
                angular,
            },
        }
    }

    /// Heading averaged over the cycle, each sample carried back to the start along the screw.
    fn mean_start(&self, turn: f64, moved_after: impl Fn(f64) -> Rigid) -> Rigid {
        let step_secs = self.period_secs / self.num_intervals as f64;
        let mut ground = DVec3::ZERO;
        for sample in 0..self.num_intervals {
            let back = moved_after(sample as f64 * step_secs).inverse();
            ground += back.transform_point(self.heading.ground(self.first + sample));
        }
        ground /= self.num_intervals as f64;
        ground.y = 0.0;
        Rigid::from_yaw(self.mean_yaw(turn), ground)
    }

    /// Facing averaged over the cycle, each sample turned back to the start, radians.
    fn mean_yaw(&self, turn: f64) -> f64 {
        let first = self.heading.yaw(self.first);
        // A body that spins while it travels has no mean facing along the screw; the start's own is as good as any.
        let spun = self.heading.yaw(self.first + self.num_intervals) - first - turn;
        if spun.abs() > core::f64::consts::PI {
            return first;
        }
        let count = self.num_intervals as f64;
        (0..self.num_intervals)
            .map(|sample| self.heading.yaw(self.first + sample) - turn * sample as f64 / count)
            .sum::<f64>()
            / count
    }

    /// Sum of the ground steps in the heading's own axes, metres.
    fn body_travel(&self) -> DVec3 {
        (self.first..self.first + self.num_intervals)
            .map(|sample| {
                let step = (self.heading.ground(sample + 1) - self.heading.ground(sample)) * LEVEL;
                // Half-way through the step, or every step would be seen half a step's turn too early.
                let yaw = 0.5 * (self.heading.yaw(sample) + self.heading.yaw(sample + 1));
                rotation::from_yaw(yaw).conjugate() * step
            })
            .sum()
    }
}

/// Centre of the circle on which even steps of one turn lie, and the arm from there to its start, across the turn's axis.
///
/// `turn` is the rotation vector over all of `places`, radians, not zero. Least squares in closed form: with R_k the turn up to
/// place k, the places are centre + R_k arm, and the sums of R_k are a + b J with J the quarter turn about the axis. Well
/// determined from half a turn on.
pub(crate) fn circle(places: &[DVec3], turn: DVec3) -> (DVec3, DVec3) {
    let axis = turn.normalize_or_zero();
    let across = |v: DVec3| v - axis * v.dot(axis);
    let count = places.len().max(1) as f64;
    let (mut sum, mut turned_back) = (DVec3::ZERO, DVec3::ZERO);
    let (mut a, mut b) = (0.0, 0.0);
    for (index, &place) in places.iter().enumerate() {
        let angle = turn.length() * index as f64 / count;
        let (sin, cos) = ops::sin_cos(angle);
        let place = across(place);
        sum += place;
        turned_back += place * cos - axis.cross(place) * sin;
        a += cos;
        b += sin;
    }
    let determinant = count - (a * a + b * b) / count;
    let centre = (sum - (turned_back * a + axis.cross(turned_back) * b) / count) / determinant;
    let arm = (turned_back - (centre * a - axis.cross(centre) * b)) / count;
    (centre, arm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_circle_of_a_turn_is_recovered() {
        for degrees in [180.0, 355.0, 360.0, 405.0, -360.0_f64] {
            let axis = DVec3::new(0.48, -0.6, 0.64);
            let turn = axis * degrees.to_radians();
            let (centre, arm) = (DVec3::new(0.6, 0.48, 0.0), DVec3::new(-0.64, 0.0, 0.48) * 0.3);
            let places: Vec<DVec3> = (0..50)
                .map(|step| {
                    centre + rotation::exp(turn * (f64::from(step) / 50.0)) * arm + axis * 0.1 * f64::from(step)
                })
                .collect();
            let found = circle(&places, turn);
            assert!((found.0 - centre).length() < 1e-13, "{degrees}: {found:?}");
            assert!((found.1 - arm).length() < 1e-13, "{degrees}: {found:?}");
        }
    }

    #[test]
    fn the_fit_recovers_a_ground_motion() {
        let motion = Rigid::from_yaw(0.7, DVec3::new(1.0, 0.2, -0.5));
        let points = [
            DVec3::new(0.1, 0.9, 0.0),
            DVec3::new(-0.1, 0.1, 0.3),
            DVec3::new(0.4, 1.5, 2.0),
        ];
        let pairs: Vec<PointPair> = points
            .iter()
            .enumerate()
            .map(|(index, &start)| PointPair {
                start,
                end: motion.transform_point(start),
                weight: 1.0 + index as f64,
            })
            .collect();
        let found = fit_ground_motion(&pairs);
        assert!((found.translation - motion.translation).length() < 1e-14);
        assert!((rotation::yaw_of(found.rotation) - 0.7).abs() < 1e-14);
        assert_eq!(fit_ground_motion(&[]), Rigid::IDENTITY);
    }
}
