//! Finds when nothing carries a body that does not fall. The feet are not trusted to be found standing: whatever is low and at
//! rest carries, and one good foot does not carry while the other should.

use glam::DVec3;

use super::faults::Figure;
use super::inside::JointPeak;
use crate::math::{ops, percentile};

/// A point carries up to this far above the lowest, metres at the size of an adult: heels rise before toes leave the ground.
const LOW_METRES: f64 = 0.32;

/// A point rests below this speed, metres per second at the size of an adult, and this share of the travel; upward speed counts
/// twice.
const REST_MPS: f64 = 0.28;
const REST_SHARE: f64 = 0.1;

/// Longest time without a point that carries, seconds: feet with toes, or with ends, and others, which roll over the missing ones.
const GAP_SECS: [f64; 2] = [0.1, 0.2];

/// Shortest time over which the fall of the hips is fitted, seconds.
const FIT_SECS: f64 = 0.15;

/// Accelerations of falling hips, times gravity: legs and arms move against them.
const FALL: [f64; 2] = [-1.7, -0.35];

/// Gravity, metres per second squared.
const GRAVITY: f64 = 9.81;

/// Height of an arc over its chord that is level, metres.
const LEVEL_METRES: f64 = -5e-3;

/// A trunk that leans further from up lies, rolls or hangs: the cosine of the angle.
const LYING: f64 = 0.5;

/// A body travels from this speed on, metres per second at the size of an adult.
const TRAVEL_MPS: f64 = 0.3;

/// The lowest points of a body that glides, rides or rolls move by less than this share of its travel.
const GLIDE_SHARE: f64 = 0.3;

/// What carries a body at a sample.
struct Moment {
    is_carried: bool,
    is_upright: bool,
    lowest: usize,
    /// Speed of the lowest point as seen from the root.
    mps: f64,
}

impl Figure<'_> {
    /// Returns the longest time without anything that carries, over the longest that is none, at the lowest joint; and whether the body is on legs.
    pub(super) fn bearing(&self) -> (JointPeak, bool) {
        let moments = self.moments();
        let count = moments.len();
        let travel = ops::over_ground(self.keys.root().twist.linear);
        let has_ends = (self.body.feet.iter()).all(|foot| foot.toe.is_some() || self.tip(foot.ankle).is_some());
        let allowed = GAP_SECS[usize::from(!has_ends)];
        if !moments.iter().any(|moment| moment.is_carried) {
            let speeds = moments.iter().map(|moment| moment.mps).collect();
            let is_on_legs = travel > TRAVEL_MPS * self.size
                && percentile::of(speeds, 0.5) > GLIDE_SHARE * travel
                && moments.iter().all(|moment| moment.is_upright);
            let peak = JointPeak {
                joint: moments[0].lowest,
                sample: 0,
                ratio: count as f64 * self.keys.step_secs() / allowed,
            };
            return (peak, is_on_legs);
        }
        let holds = |at: usize| moments[at % count].is_carried || !moments[at % count].is_upright;
        let (mut worst, mut first) = (JointPeak::default(), None);
        // From one that holds, around to the same.
        let start = (0..count).find(|&at| holds(at)).unwrap_or_default();
        for at in start..=start + count {
            match (holds(at), first) {
                (false, None) => first = Some(at),
                (true, Some(from)) => {
                    let (length, secs) = (at - from, (at - from) as f64 * self.keys.step_secs());
                    if length > 1 && secs / allowed > worst.ratio && !self.falls(from, length) {
                        worst = JointPeak {
                            joint: moments[(from + length / 2) % count].lowest,
                            sample: from % count,
                            ratio: secs / allowed,
                        };
                    }
                    first = None;
                }
                _ => {}
            }
        }
        (worst, true)
    }

    fn tip(&self, joint: usize) -> Option<DVec3> {
        self.keys.skeleton().joint(joint).tip
    }

    fn moments(&self) -> Vec<Moment> {
        let (keys, reach) = (self.keys, self.reach);
        let secs = reach as f64 * keys.step_secs();
        let twist = keys.root().twist;
        let [back, forth] = [-secs, secs].map(|secs| twist.exp(secs));
        let below = self
            .body
            .feet
            .iter()
            .flat_map(|foot| keys.skeleton().self_and_below(foot.ankle));
        let mut joints: Vec<usize> = self.joints.iter().copied().chain(below).collect();
        joints.sort_unstable();
        joints.dedup();
        let joints = joints.into_iter().map(|joint| (joint, DVec3::ZERO));
        let tips = (joints.clone()).filter_map(|(joint, _)| Some((joint, self.tip(joint)?)));
        let points: Vec<_> = joints.chain(tips).collect();
        let rest = REST_MPS * self.size + REST_SHARE * ops::over_ground(twist.linear);
        let up = |sample| {
            let trunk = keys.position(sample, self.body.head?) - keys.position(sample, self.body.hips);
            Some(trunk.y >= LYING * trunk.length())
        };
        (0..self.count())
            .map(|sample| {
                let place = |sample, (joint, tip)| keys.point(sample, joint, tip);
                let heights: Vec<f64> = points.iter().map(|&point| place(sample, point).y).collect();
                let (lowest, &least) = (heights.iter().enumerate())
                    .min_by(|one, other| one.1.total_cmp(other.1))
                    .unwrap_or((0, &0.0));
                let ends = |point| [sample - reach, sample + reach].map(|sample| place(sample, point));
                let rests = |(at, &point): (usize, &_)| {
                    let [before, after] = ends(point);
                    let way = forth.transform_point(after) - back.transform_point(before);
                    heights[at] - least < LOW_METRES * self.size
                        && ops::hypot(ops::over_ground(way), 2.0 * way.y) < rest * 2.0 * secs
                };
                let [before, after] = ends(points[lowest]);
                Moment {
                    is_carried: points.iter().enumerate().any(rests),
                    is_upright: up(sample).unwrap_or(true),
                    lowest: points[lowest].0,
                    mps: ops::over_ground(after - before) / (2.0 * secs),
                }
            })
            .collect()
    }

    /// Whether the hips fall freely over these samples.
    fn falls(&self, first: usize, length: usize) -> bool {
        let dt = self.keys.step_secs();
        let height = |step: f64| self.keys.position((first as f64 + step) as isize, self.body.hips).y;
        let secs = length as f64 * dt;
        let gravity = GRAVITY * self.size;
        if secs < FIT_SECS {
            let last = (length - 1) as f64;
            let arc = 0.5 * (height((0.5 * last).floor()) + height((0.5 * last).ceil()) - height(0.0) - height(last));
            return (LEVEL_METRES * self.size..=1.5 * gravity * (secs + 0.1) * (secs + 0.1) / 8.0).contains(&arc);
        }
        // The least squares fit of a parabola, by what is even about the middle.
        let middle = 0.5 * (length - 1) as f64;
        let square = |step: usize| (step as f64 - middle) * (step as f64 - middle) * dt * dt;
        let mean = (0..length).map(square).sum::<f64>() / length as f64;
        let (with, own) = (0..length).fold((0.0, 0.0), |(with, own), step| {
            let even = square(step) - mean;
            (with + even * height(step as f64), own + even * even)
        });
        own > 0.0 && (FALL[0] * gravity..=FALL[1] * gravity).contains(&(2.0 * with / own))
    }
}
