//! Travel in full space: the screw about any axis that carries a prop or an animal over one period.
//!
//! Derivation: docs/math/root.md.

use glam::{DQuat, DVec3};

use super::cycle::{CycleTravel, MAX_ARC_OVER_PATH, MAX_CHORD_OVER_PATH, PointPair, circle};
use crate::math::{
    ops,
    rigid::{Rigid, Twist},
    rotation,
};

/// The rigid motion that best lays the start points onto the end points.
///
/// Weighted least squares in closed form: centroids give the translation, the eigenvector of the largest eigenvalue of a
/// symmetric 4x4 matrix the rotation. Points on one line leave the turn about it open; then any of the best motions is
/// returned. Without points: the identity. Source: Horn, Closed-form solution of absolute orientation using unit
/// quaternions, Journal of the Optical Society of America A 4, 1987.
pub fn fit_motion(pairs: &[PointPair]) -> Rigid {
    let total: f64 = pairs.iter().map(|pair| pair.weight).sum();
    if total <= 0.0 {
        return Rigid::IDENTITY;
    }
    let start = pairs.iter().map(|pair| pair.start * pair.weight).sum::<DVec3>() / total;
    let end = pairs.iter().map(|pair| pair.end * pair.weight).sum::<DVec3>() / total;
    // s[i][j] sums start axis i times end axis j.
    let mut s = [[0.0; 3]; 3];
    for pair in pairs {
        let (from, to) = ((pair.start - start).to_array(), (pair.end - end).to_array());
        for (row, from) in s.iter_mut().zip(from) {
            for (sum, to) in row.iter_mut().zip(to) {
                *sum += pair.weight * from * to;
            }
        }
    }
    let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = s;
    // Rows and columns in the order w, x, y, z.
    let matrix = [
        [xx + yy + zz, yz - zy, zx - xz, xy - yx],
        [yz - zy, xx - yy - zz, xy + yx, zx + xz],
        [zx - xz, xy + yx, yy - xx - zz, yz + zy],
        [xy - yx, zx + xz, yz + zy, zz - xx - yy],
    ];
    let [w, x, y, z] = top_eigenvector(matrix);
    let turn = DQuat::from_xyzw(x, y, z, w).normalize();
    Rigid::new(turn, end - turn * start)
}

/// Sweeps of the Jacobi method: off-diagonal sizes fall quadratically, some five sweeps reach the last digit of a 4x4.
const MAX_SWEEPS: usize = 30;

/// Unit eigenvector of the largest eigenvalue of a symmetric matrix, by Jacobi rotations in a fixed order.
fn top_eigenvector(mut a: [[f64; 4]; 4]) -> [f64; 4] {
    // Columns become the eigenvectors.
    let mut vectors = [[0.0; 4]; 4];
    for (index, row) in vectors.iter_mut().enumerate() {
        row[index] = 1.0;
    }
    for _ in 0..MAX_SWEEPS {
        let mut turned = false;
        for p in 0..3 {
            for q in p + 1..4 {
                // Below this the entry cannot change the diagonal any more.
                if a[p][q].abs() <= f64::EPSILON * 1e-3 * (a[p][p].abs() + a[q][q].abs()) {
                    continue;
                }
                turned = true;
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let cos = 1.0 / (t * t + 1.0).sqrt();
                let sin = t * cos;
                for k in 0..4 {
                    let (at_p, at_q) = (a[k][p], a[k][q]);
                    a[k][p] = cos * at_p - sin * at_q;
                    a[k][q] = sin * at_p + cos * at_q;
                }
                for k in 0..4 {
                    let (at_p, at_q) = (a[p][k], a[q][k]);
                    a[p][k] = cos * at_p - sin * at_q;
                    a[q][k] = sin * at_p + cos * at_q;
                }
                for row in &mut vectors {
                    let (at_p, at_q) = (row[p], row[q]);
                    row[p] = cos * at_p - sin * at_q;
                    row[q] = sin * at_p + cos * at_q;
                }
            }
        }
        if !turned {
            break;
        }
    }
    // The first of equal ones, so that points that tell nothing turn nothing.
    let top = (1..4).fold(0, |top, index| if a[index][index] > a[top][top] { index } else { top });
    vectors.map(|row| row[top])
}

/// One period in full space: the frames of the hips from start to end and the motion that lays its start onto its end.
#[derive(Clone, Copy, Debug)]
pub struct FullCycle<'a> {
    /// World frames of the hips at the start, at every sample between, and at the end: two or more.
    pub frames: &'a [Rigid],
    /// Seconds from start to end.
    pub period_secs: f64,
    /// World motion from the start to the end, from [`fit_motion`].
    pub motion: Rigid,
}

impl FullCycle<'_> {
    /// The screw that carries the root from start to end at a constant rate; the root is the hips' frame averaged over the
    /// cycle, each sample carried back to the start.
    ///
    /// Whole turns are told as on the ground: by the turning of the hips in between, held against the length of the path.
    pub fn travel(&self) -> CycleTravel {
        self.travel_within(NEAR_WHOLE_TURN)
    }

    /// The same for a motion that is exact to rounding, as between the keys of a written loop: the end is reached exactly
    /// unless the turn is whole to a millionth.
    pub fn exact_travel(&self) -> CycleTravel {
        self.travel_within(2e-6)
    }

    fn travel_within(&self, near_whole_turn: f64) -> CycleTravel {
        let principal = rotation::log(self.motion.rotation);
        let steps: Vec<Twist> = self.steps();
        let turned: DVec3 = self
            .frames
            .iter()
            .zip(&steps)
            .map(|(frame, step)| frame.rotation * step.angular)
            .sum();
        let path = self.path_metres();
        // Close to whole turns the fit hardly tells an axis, and the hips do.
        let spun = turned.length() > core::f64::consts::PI && principal.length() < near_whole_turn;
        let Some(axis) = (if spun { turned } else { principal }).try_normalize() else {
            return self.travel_with_turn(principal);
        };
        let whole_turns = ((turned - principal).dot(axis) / core::f64::consts::TAU).round();
        if whole_turns == 0.0 {
            return self.travel_with_turn(principal);
        }
        let way = self.motion.transform_point(self.start().translation) - self.start().translation;
        let climb = way.dot(axis);
        let chord = (way - axis * climb).length();
        let arc = |turn: f64| {
            let sine = ops::sin(0.5 * turn).abs();
            let round = if sine < 1e-9 {
                chord
            } else {
                0.5 * chord * turn.abs() / sine
            };
            ops::hypot(round, climb)
        };
        let wound = principal + axis * (core::f64::consts::TAU * whole_turns);
        if spun && chord < (MAX_CHORD_OVER_PATH * path).max(ALIKE_METRES) {
            return self.travel_on_a_circle(axis * wound.dot(axis), climb);
        }
        let explains = arc(wound.dot(axis)) < MAX_ARC_OVER_PATH * path + ALIKE_METRES;
        self.travel_with_turn(if !spun && explains { wound } else { principal })
    }

    /// A root that runs straight at a constant velocity and never turns, as the hips stand on average.
    pub fn straight_travel(&self) -> CycleTravel {
        let from = self.start().translation;
        let way = self.motion.transform_point(from) - from;
        let world = Twist {
            linear: way / self.period_secs,
            angular: DVec3::ZERO,
        };
        let start = mean_start(self.frames, self.period_secs, world);
        CycleTravel {
            start,
            twist: Twist {
                linear: start.rotation.conjugate() * world.linear,
                angular: DVec3::ZERO,
            },
        }
    }

    /// Length of the way of the hips over the period, metres: what their velocity in their own axes adds up to, so that
    /// wobble cancels and turning does not shorten it.
    pub fn path_metres(&self) -> f64 {
        self.steps().iter().map(|step| step.linear).sum::<DVec3>().length()
    }

    fn start(&self) -> Rigid {
        self.frames.first().copied().unwrap_or(Rigid::IDENTITY)
    }

    /// Motions from sample to sample in the hips' own axes, as twists over one sample: exact for a screw.
    fn steps(&self) -> Vec<Twist> {
        self.frames
            .windows(2)
            .map(|pair| Twist::log(pair[0].inverse() * pair[1], 1.0))
            .collect()
    }

    fn travel_with_turn(&self, turn: DVec3) -> CycleTravel {
        let world = Twist::log_with_turn(self.motion, turn, self.period_secs);
        let start = mean_start(self.frames, self.period_secs, world);
        let local = start.inverse() * self.motion * start;
        let turn = start.rotation.conjugate() * turn;
        CycleTravel {
            start,
            twist: Twist::log_with_turn(local, turn, self.period_secs),
        }
    }

    /// Near a whole turn the chord is next to nothing, and the circle is that on which the hips' path lies; `climb` metres are
    /// made along the axis.
    fn travel_on_a_circle(&self, turn: DVec3, climb: f64) -> CycleTravel {
        let axis = turn.normalize_or_zero();
        let count = self.frames.len().saturating_sub(1);
        let places: Vec<DVec3> = self.frames.iter().take(count).map(|frame| frame.translation).collect();
        let (centre, arm) = circle(&places, turn);
        let world = Twist {
            angular: turn / self.period_secs,
            linear: axis * (climb / self.period_secs) - turn.cross(centre) / self.period_secs,
        };
        let start = mean_start(self.frames, self.period_secs, world);
        let velocity = axis * (climb / self.period_secs) + world.angular.cross(arm);
        CycleTravel {
            start,
            twist: Twist {
                linear: start.rotation.conjugate() * velocity,
                angular: start.rotation.conjugate() * world.angular,
            },
        }
    }
}

/// A turn this near to a whole one, radians, has too short a chord to tell radius and axis: that of the ground's rule, where
/// the sine of half the turn is below 0.2.
const NEAR_WHOLE_TURN: f64 = 0.4;

/// Ways that differ by less are alike, metres: props wobble by as much where they spin on the spot.
const ALIKE_METRES: f64 = 0.02;

/// The mean of a joint's frames over one period, each carried back to the start by a constant twist of the world.
///
/// The last frame is the end and belongs to the next period. Rotations are averaged as rotation vectors about their mean.
pub(crate) fn mean_start(frames: &[Rigid], period_secs: f64, world: Twist) -> Rigid {
    let count = frames.len().saturating_sub(1).max(1);
    let step_secs = period_secs / count as f64;
    let back: Vec<Rigid> = frames
        .iter()
        .take(count)
        .enumerate()
        .map(|(sample, &frame)| world.exp(sample as f64 * step_secs).inverse() * frame)
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

    #[test]
    fn the_fit_recovers_any_motion() {
        let points = [
            DVec3::new(0.1, 0.9, 0.0),
            DVec3::new(-0.1, 0.1, 0.3),
            DVec3::new(0.4, 1.5, 2.0),
            DVec3::new(-0.7, 0.2, 1.0),
        ];
        for angle in [0.0, 1e-9, 1e-3, 0.7, 2.0, 3.1, core::f64::consts::PI] {
            let turn = rotation::exp(DVec3::new(0.48, -0.6, 0.64) * angle);
            let motion = Rigid::new(turn, DVec3::new(1.0, 0.2, -0.5));
            let pairs: Vec<PointPair> = points
                .iter()
                .enumerate()
                .map(|(index, &start)| PointPair {
                    start,
                    end: motion.transform_point(start),
                    weight: 1.0 + index as f64,
                })
                .collect();
            let found = fit_motion(&pairs);
            assert!(rotation::difference(found.rotation, turn).length() < 1e-14, "{angle}");
            assert!((found.translation - motion.translation).length() < 1e-14, "{angle}");
        }
        assert_eq!(fit_motion(&[]), Rigid::IDENTITY);
    }

    #[test]
    fn points_that_tell_no_turn_turn_nothing() {
        let pair = PointPair {
            start: DVec3::X,
            end: DVec3::new(1.0, 2.0, 3.0),
            weight: 2.0,
        };
        let found = fit_motion(&[pair, pair]);
        assert_eq!(found.rotation, DQuat::IDENTITY);
        assert!((found.translation - (pair.end - pair.start)).length() < 1e-15);
    }

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
                let phase = core::f64::consts::TAU * f64::from(sample) / 40.0;
                let wobble = Rigid::new(
                    rotation::exp(DVec3::new(0.3, 0.1, -0.2) * ops::sin(phase)),
                    DVec3::new(0.02, 0.0, 0.05) * ops::cos(phase),
                );
                world.exp(f64::from(sample) * 0.05) * start * wobble
            })
            .collect();
        let found = mean_start(&frames, 2.0, world);
        assert!((found.translation - start.translation).length() < 1e-14);
        assert!(rotation::difference(found.rotation, start.rotation).length() < 1e-12);
    }
}
