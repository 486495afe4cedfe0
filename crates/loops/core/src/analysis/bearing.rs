//! Detects when heel, ball and tip of each foot bear, in a motion over any ground, with sub-frame resolution.
//!
//! A foot comes to the ground with the first point that bears and leaves it with the last. Each point is judged by its own speed over the
//! ground, which may move as on a treadmill, and by its height. If a rig has no heels or tips, points of the sole serve, found where the
//! foot is flat. Derivation and measurements: docs/math/contacts.md.

use core::ops::{Range, RangeInclusive};

use glam::DVec3;

use super::{
    Body, FoundBy,
    standing::{
        GROUND_REACH_SECS, HOLD, LimitsAtSize, MAJORITY_SECS, SPEED_SECS, majority, over_lowest, rise_around,
        rise_of_hips,
    },
};
use crate::math::{Hermite, Span, TimeStep, around, kernel, ops, ordered, percentile};
use crate::motion::{Skeleton, WorldTracks};

mod ground;

mod sole;

pub use ground::Ground;
use sole::Sole;

/// A point of a foot that bears.
#[handed_over(Copy, Eq)]
#[in_words]
pub enum FootPoint {
    /// The ankle, of a foot without toes.
    Ankle,
    /// The sole below the ankle.
    Heel,
    /// The joint of the toes.
    Ball,
    /// The tip of the toes.
    Tip,
}

/// A time on the ground, in frames or samples that may be fractional.
#[handed_over(Copy)]
pub struct Stay {
    /// The foot, as an index into [`Body::feet`].
    pub foot: usize,
    /// When it touches down; `None` if it is down from the start on, or all the time.
    pub strike: Option<f64>,
    /// When it leaves the ground; `None` if it is down to the end, or all the time. Of a loop it may lie beyond the seam.
    pub lift: Option<f64>,
}

impl Stay {
    /// Returns the frames that it covers, in a motion that ends at a last frame; none if it lies between two.
    pub fn frames(&self, last: usize) -> RangeInclusive<usize> {
        let start = self.strike.map_or(0, |strike| strike.ceil().max(0.0) as usize);
        let end = self
            .lift
            .map_or(last, |lift| ((lift.ceil() - 1.0).max(0.0) as usize).min(last));
        start..=end
    }

    /// Returns the stay with other times.
    fn timed(self, time: impl Fn(f64) -> f64) -> Self {
        Self {
            strike: self.strike.map(&time),
            lift: self.lift.map(time),
            ..self
        }
    }
}

/// A span in which a point of a foot bears.
#[handed_over(Copy)]
pub struct PointStay {
    /// The point.
    pub point: FootPoint,
    /// When it bears.
    pub stay: Stay,
}

/// When the feet of a body are on the ground.
#[handed_over(Default)]
pub struct Bearings {
    /// Spans of whole feet, in order of their strikes.
    pub stays: Vec<Stay>,
    /// Spans of the points of feet, by foot and point.
    pub points: Vec<PointStay>,
    /// How the ground moves.
    pub ground: Ground,
}

/// The stride for which times are stated, seconds: one of a walk; shorter ones have shorter times.
const STRIDE_SECS: f64 = 1.1;

/// Times are never shorter than this share of those stated, ...
const LEAST_SHARE: f64 = 0.35;

/// ... and those that join and drop spans than this one.
const LEAST_SPAN_SHARE: f64 = 0.5;

/// Strides of a body without two swings in a row, seconds at the size of an adult: of walks, and of runs from this speed on,
/// metres per second.
const USUAL_STRIDE_SECS: [f64; 2] = [1.1, 0.72];
const RUN_MPS: f64 = 2.2;

/// Longest stride between two swings of a foot, seconds; a longer time is a pause.
pub(super) const LONGEST_STRIDE_SECS: f64 = 2.5;

/// A foot swings from when it is faster than the first share of its fast speed until it is slower than the second.
const SWING_SHARES: [f64; 2] = [0.6, 0.4];

/// Positions are sampled at least this many times a second, but at most this many times a frame: recordings slower than 20 frames per
/// second do not contain more.
const RATE_HZ: f64 = 200.0;
const MOST_PER_FRAME: f64 = 10.0;

/// Standard deviation of their smoothing, seconds, and the most in frames: markers and slow cameras shake.
const SMOOTH_SECS: f64 = 0.008;
const MOST_SMOOTH_FRAMES: f64 = 16.0;

/// Shorter gaps are filled, and shorter stays dropped, seconds.
const SHORTEST_SECS: f64 = 0.05;

/// The fast speed of a point is taken over this long on either side, seconds, and updated this many times a second.
const FAST_REACH_SECS: f64 = 1.0;
const FAST_PER_SEC: f64 = 4.0;

/// The ball leaves later than other points: it rests until this share of its fast speed, or this speed, metres per second.
const BALL_STAYS_SHARE: f64 = 0.3;
const BALL_STAYS_MPS: f64 = 1.5;

/// A foot with a point that stays below this height, metres, for less than this time, seconds, and over less than this distance, metres,
/// slides without leaving the ground: a swing takes longer, or goes farther.
const DOWN_METRES: f64 = 0.006;
const SLIDE_SECS: f64 = 0.2;
const SLIDE_METRES: f64 = 0.15;

/// A foot that is down for less than this share of its stride runs.
const RUN_DUTY: f64 = 0.42;

/// The landing of a run: up to this long before the point rests, seconds, it falls through this height, metres, faster than
/// this, metres per second.
const LANDING_SECS: f64 = 0.1;
const LANDING_METRES: f64 = 0.02;
const LANDING_MPS: f64 = 0.3;

impl Bearings {
    /// Finds the bearings of the feet of a body; empty if feet cannot be distinguished from other joints.
    pub(crate) fn of(
        world: &WorldTracks,
        (skeleton, body): (&Skeleton, &Body),
        frame_time_secs: f64,
        limits: &LimitsAtSize,
    ) -> Self {
        let num_frames = world.num_frames();
        if body.found_by == FoundBy::AllLeaves || num_frames < 3 {
            return Self::default();
        }
        let times = Times::new(num_frames, frame_time_secs);
        let reach = TimeStep::new(frame_time_secs).nearest_from_one(GROUND_REACH_SECS);
        // On stairs the slow trend of the hips raises the height limit.
        let allowance = times.finer(&rise_around(&rise_of_hips(world, body.hips, frame_time_secs), reach));
        let feet: Vec<Vec<Point>> = body
            .feet
            .iter()
            .map(|foot| {
                let sole = Sole::of(world, (skeleton, body), foot, limits.size(), reach);
                let points = sole.points().into_iter();
                points
                    .map(|(point, places)| Point::new(point, &times, &places, &allowance))
                    .collect()
            })
            .collect();
        let hips: Vec<DVec3> = (0..num_frames).map(|frame| world.position(frame, body.hips)).collect();
        let hips = times.finer_points(&hips);
        let all: Vec<&Point> = feet.iter().flatten().collect();
        let ground = ground::find(&times, &all, &hips, limits.size());
        let mut found = Self::default();
        for (foot, points) in feet.iter().enumerate() {
            FootJudge::new(&times, points, &ground, (&hips, limits)).add_to(&mut found, foot);
        }
        found
            .stays
            .sort_by_key(|stay| (ordered(stay.strike.unwrap_or(f64::NEG_INFINITY)), stay.foot));
        found.ground = ground.at_frames(&times);
        found
    }

    /// Returns the bearings of `frames` as if the motion consisted only of them, repeated without end on both sides: those that strike
    /// within them.
    pub(crate) fn within(&self, frames: Range<usize>) -> Self {
        let (first, count) = (frames.start as f64, frames.len() as f64);
        let inside = |stay: &Stay| {
            let stay = stay.timed(|frame| frame - first);
            match stay.strike {
                Some(strike) => (0.0..count).contains(&strike).then_some(stay),
                // A stay that lasts throughout.
                None => stay.lift.is_none_or(|lift| lift > count).then_some(Stay {
                    strike: None,
                    lift: None,
                    ..stay
                }),
            }
        };
        self.with(inside, |velocities| velocities[frames].to_vec())
    }

    /// Returns the bearings at `num_frames` frames of another rate, from frame `first` of these on, `step` of these apart.
    pub(super) fn resampled(&self, [first, step]: [f64; 2], num_frames: usize) -> Self {
        let last = (num_frames - 1) as f64;
        let inside = |stay: &Stay| {
            let Stay { foot, strike, lift } = stay.timed(|frame| (frame - first) / step);
            let is_inside = strike.is_none_or(|strike| strike <= last) && lift.is_none_or(|lift| lift > 0.0);
            is_inside.then_some(Stay {
                foot,
                strike: strike.filter(|&strike| strike >= 0.0),
                lift: lift.filter(|&lift| lift <= last),
            })
        };
        self.with(inside, |velocities| {
            let nearest = |frame: usize| (first + frame as f64 * step).round() as usize;
            let frames = 0..num_frames;
            frames
                .map(|frame| velocities[nearest(frame).min(velocities.len() - 1)])
                .collect()
        })
    }

    /// Returns the bearings with other stays, or without them, and over ground of other velocities if it moves unevenly.
    fn with(&self, stay: impl Fn(&Stay) -> Option<Stay>, uneven: impl FnOnce(&[DVec3]) -> Vec<DVec3>) -> Self {
        let points = self.points.iter().filter_map(|of| {
            let stay = stay(&of.stay)?;
            Some(PointStay { stay, ..*of })
        });
        Self {
            stays: self.stays.iter().filter_map(&stay).collect(),
            points: points.collect(),
            ground: match &self.ground {
                Ground::Uneven(velocities) => Ground::Uneven(uneven(velocities)),
                other => other.clone(),
            },
        }
    }

    /// Returns strike and lift of the longest stay of a foot that leaves the ground.
    pub fn longest_of(&self, foot: usize) -> Option<[f64; 2]> {
        let of_foot = self.stays.iter().filter(|stay| stay.foot == foot);
        let ends = of_foot.filter_map(|stay| Some([stay.strike?, stay.lift?]));
        ends.reduce(|longest, ends| {
            if ends[1] - ends[0] > longest[1] - longest[0] {
                ends
            } else {
                longest
            }
        })
    }
}

/// The times at which positions are judged: each frame, and some in between.
struct Times {
    num_frames: usize,
    /// Number of times a frame.
    per_frame: usize,
    step_secs: f64,
}

impl Times {
    fn new(num_frames: usize, frame_time_secs: f64) -> Self {
        let per_frame = (RATE_HZ * frame_time_secs).ceil().clamp(1.0, MOST_PER_FRAME) as usize;
        Self {
            num_frames,
            per_frame,
            step_secs: frame_time_secs / per_frame as f64,
        }
    }

    fn count(&self) -> usize {
        (self.num_frames - 1) * self.per_frame + 1
    }

    /// Returns the number of times that last this long, at least one.
    fn lasting(&self, secs: f64) -> usize {
        TimeStep::new(self.step_secs).nearest_from_one(secs).min(self.count())
    }

    /// Returns the frame of a time, which may be fractional.
    fn frame(&self, at: f64) -> f64 {
        at / self.per_frame as f64
    }

    /// Returns values at all times, each equal to that of its frame.
    fn finer(&self, values: &[f64]) -> Vec<f64> {
        (0..self.count()).map(|at| values[at / self.per_frame]).collect()
    }

    /// Returns places at all times: a smooth curve through those at the frames.
    fn finer_points(&self, places: &[DVec3]) -> Vec<DVec3> {
        let last = self.num_frames - 1;
        let basis: Vec<Hermite> = (0..self.per_frame)
            .map(|at| Hermite::at(at as f64 / self.per_frame as f64))
            .collect();
        let finer: Vec<DVec3> = (0..self.count())
            .map(|at| match (at / self.per_frame, at % self.per_frame) {
                (frame, 0) => places[frame],
                (frame, between) => basis[between].point(Span::within(frame, last).map(|frame| places[frame])),
            })
            .collect();
        let deviation = (SMOOTH_SECS / self.step_secs).min(MOST_SMOOTH_FRAMES);
        kernel::averaged_mirrored(&finer, &kernel::gaussian(deviation))
    }
}

/// A point of a foot at all times.
struct Point {
    point: FootPoint,
    places: Vec<DVec3>,
    /// Height over the lowest one nearby, minus the possible rise of the ground, metres.
    heights: Vec<f64>,
}

impl Point {
    fn new(point: FootPoint, times: &Times, places: &[DVec3], allowance: &[f64]) -> Self {
        let places = times.finer_points(places);
        let heights = over_lowest(places.iter().map(|place| place.y), times.lasting(GROUND_REACH_SECS));
        Self {
            point,
            heights: heights
                .iter()
                .zip(allowance)
                .map(|(height, rise)| height - rise)
                .collect(),
            places,
        }
    }

    /// Returns its velocity around a time, over `half` times on either side, metres per second.
    fn velocity(&self, times: &Times, at: usize, half: usize) -> DVec3 {
        let (from, to) = around(at, half, self.places.len() - 1);
        (self.places[to] - self.places[from]) / ((to - from).max(1) as f64 * times.step_secs)
    }
}

/// A foot whose points are judged.
struct FootJudge<'a> {
    times: &'a Times,
    points: &'a [Point],
    ground: &'a Ground,
    limits: &'a LimitsAtSize,
    /// Length of the stride around each time, seconds.
    strides: Vec<f64>,
}

/// A span of times, with fractional ends; infinite if the motion does not contain them.
type Ends = [f64; 2];

impl<'a> FootJudge<'a> {
    fn new(
        times: &'a Times,
        points: &'a [Point],
        ground: &'a Ground,
        (hips, limits): (&[DVec3], &'a LimitsAtSize),
    ) -> Self {
        let mut judge = Self {
            times,
            points,
            ground,
            limits,
            strides: Vec::new(),
        };
        judge.strides = judge.strides(hips);
        judge
    }

    /// Returns times that last `secs` in a usual stride, at a time; never below `least` of that.
    fn lasting(&self, at: usize, secs: f64, least: f64) -> f64 {
        secs * (self.strides[at] / STRIDE_SECS).clamp(least, 1.0) / self.times.step_secs
    }

    /// Returns the length of the stride around each time, from the swings of the foot, or from the speed of the body if the foot does not
    /// swing twice.
    fn strides(&self, hips: &[DVec3]) -> Vec<f64> {
        let Some(point) = self.points.iter().find(|point| point.point != FootPoint::Heel) else {
            return vec![STRIDE_SECS; self.times.count()];
        };
        let half = self.times.lasting(0.5 * SPEED_SECS);
        let speeds: Vec<f64> = (0..self.times.count())
            .map(|at| point.velocity(self.times, at, half).distance(self.ground.velocity(at)))
            .collect();
        let fast = fast_speeds(self.times, &speeds);
        let mut swings: Vec<f64> = Vec::new();
        let mut since = None;
        for (at, (&speed, &fast)) in speeds.iter().zip(&fast).enumerate() {
            match since {
                None if speed > SWING_SHARES[0] * fast && fast > 2.0 * self.limits.slow(0.0) => since = Some(at),
                Some(start) if speed < SWING_SHARES[1] * fast => {
                    swings.push(0.5 * (start + at) as f64);
                    since = None;
                }
                _ => {}
            }
        }
        let longest = LONGEST_STRIDE_SECS / self.times.step_secs;
        let between: Vec<[f64; 2]> = swings
            .windows(2)
            .filter(|pair| pair[1] - pair[0] < longest)
            .map(|pair| [pair[0], pair[1]])
            .collect();
        let reach = self.times.lasting(0.5 * FAST_REACH_SECS);
        let usual = |at: usize| {
            let (from, to) = around(at, reach, hips.len() - 1);
            let moved = (hips[to] - hips[from]) / ((to - from).max(1) as f64 * self.times.step_secs);
            let mps = ops::over_ground(moved - self.ground.velocity(at));
            let root = self.limits.size().sqrt();
            USUAL_STRIDE_SECS[usize::from(mps > RUN_MPS * root)] * root
        };
        let mut next = 0;
        (0..self.times.count())
            .map(|at| {
                // The stride around the time, or the nearest one within a stride.
                while next + 1 < between.len() && between[next][1] < at as f64 {
                    next += 1;
                }
                let near = between.get(next).filter(|[from, to]| {
                    let away = (from - at as f64).max(at as f64 - to);
                    away < to - from
                });
                near.map_or_else(|| usual(at), |[from, to]| (to - from) * self.times.step_secs)
            })
            .collect()
    }

    fn add_to(&self, found: &mut Bearings, foot: usize) {
        let mut spans: Vec<(FootPoint, Ends)> = Vec::new();
        for point in self.points {
            spans.extend(self.bears(point).into_iter().map(|ends| (point.point, ends)));
        }
        let mut stays = spans.iter().map(|(_, ends)| *ends).collect::<Vec<Ends>>();
        stays.sort_by_key(|ends| ordered(ends[0]));
        let mut joined: Vec<Ends> = Vec::new();
        for ends in stays {
            match joined.last_mut() {
                Some(last) if ends[0] - last[1] < self.shortest(ends[0]) || self.stays_down(last[1], ends[0]) => {
                    last[1] = last[1].max(ends[1]);
                }
                _ => joined.push(ends),
            }
        }
        joined.retain(|ends| ends[1] - ends[0] >= self.shortest(ends[0]));
        for ends in &mut joined {
            ends[0] = self.lands(&mut spans, *ends);
        }
        let stay = |ends: &Ends| {
            let [strike, lift] = ends.map(|at| Some(self.times.frame(at)).filter(|frame| frame.is_finite()));
            Stay { foot, strike, lift }
        };
        found.stays.extend(joined.iter().map(stay));
        let within = |ends: &Ends| joined.iter().any(|stay| ends[0] < stay[1] && stay[0] < ends[1]);
        let points = spans.iter().filter(|(_, ends)| within(ends));
        found.points.extend(points.map(|(point, ends)| PointStay {
            point: *point,
            stay: stay(ends),
        }));
    }

    /// Whether the foot slides from one time to another, too shortly for a swing, and does not leave the ground.
    fn stays_down(&self, from: f64, to: f64) -> bool {
        let [down, far] = [DOWN_METRES, SLIDE_METRES].map(|metres| metres * self.limits.size());
        let secs = (to - from) * self.times.step_secs;
        let (from, to) = (self.nearest(from), self.nearest(to));
        let is_down = |at: usize| self.points.iter().any(|point| point.heights[at] < down);
        let by_ground = self.ground.velocity(from) * secs;
        let is_near = |point: &Point| (point.places[to] - point.places[from] - by_ground).length() < far;
        secs < SLIDE_SECS && self.points.iter().any(is_near) && (from..=to).all(is_down)
    }

    /// Returns the shortest stay around a time, in times.
    fn shortest(&self, at: f64) -> f64 {
        self.lasting(self.nearest(at), SHORTEST_SECS, LEAST_SPAN_SHARE)
    }

    fn nearest(&self, at: f64) -> usize {
        (at.max(0.0) as usize).min(self.times.count() - 1)
    }

    /// Returns when a point bears.
    fn bears(&self, point: &Point) -> Vec<Ends> {
        let count = self.times.count();
        let speeds: Vec<f64> = (0..count)
            .map(|at| {
                let half = self.lasting(at, 0.5 * SPEED_SECS, LEAST_SHARE).round().max(1.0) as usize;
                point.velocity(self.times, at, half).distance(self.ground.velocity(at))
            })
            .collect();
        let fast = fast_speeds(self.times, &speeds);
        let low = self.limits.low();
        // The excess over the limits that start a bearing, and over those that continue it: below 0 the point bears.
        let beyond: Vec<Ends> = (0..count)
            .map(|at| {
                let slow = self.limits.slow(fast[at]);
                let stays = match point.point {
                    FootPoint::Ball if self.limits.is_own_speed() => (BALL_STAYS_SHARE * fast[at])
                        .min(BALL_STAYS_MPS * self.limits.size())
                        .max(HOLD * slow),
                    _ => HOLD * slow,
                };
                let height = point.heights[at] / low;
                [
                    (speeds[at] / slow).max(height) - 1.0,
                    (speeds[at] / stays).max(height / HOLD) - 1.0,
                ]
            })
            .collect();
        let mut bears = false;
        let raw: Vec<bool> = beyond
            .iter()
            .map(|[on, off]| {
                bears = *if bears { off } else { on } < 0.0;
                bears
            })
            .collect();
        let bears = majority(&raw, |at| {
            self.lasting(at, 0.5 * MAJORITY_SECS, LEAST_SHARE).round() as usize
        });
        let crossing = |at: usize, end: usize| {
            let [before, here] = [at - 1, at].map(|at| beyond[at][end]);
            let share = if (before < 0.0) == (here < 0.0) {
                0.5
            } else {
                before / (before - here)
            };
            (at - 1) as f64 + share
        };
        let mut found = Vec::new();
        let mut next = 0;
        for run in bears.chunk_by(|one, other| one == other) {
            let (start, end) = (next, next + run.len());
            next = end;
            if run[0] {
                found.push([
                    if start > 0 {
                        crossing(start, 0)
                    } else {
                        f64::NEG_INFINITY
                    },
                    if end < count { crossing(end, 1) } else { f64::INFINITY },
                ]);
            }
        }
        found
    }

    /// Returns when a stay begins: in a run, where the first point comes down to the ground, before it rests. The point's own bearing is
    /// moved there too.
    fn lands(&self, spans: &mut [(FootPoint, Ends)], stay: Ends) -> f64 {
        let start = stay[0];
        if !start.is_finite() {
            return start;
        }
        let at = self.nearest(start);
        if (stay[1] - start) * self.times.step_secs >= RUN_DUTY * self.strides[at] {
            return start;
        }
        let Some((of, ends)) = spans.iter_mut().find(|(_, ends)| ends[0] == start) else {
            return start;
        };
        let Some(point) = self.points.iter().find(|point| point.point == *of) else {
            return start;
        };
        let size = self.limits.size();
        let height = LANDING_METRES * size;
        let falls = |at: &usize| {
            let [before, here] = [at - 1, *at].map(|at| point.heights[at]);
            before > height && here <= height && (before - here) > LANDING_MPS * size * self.times.step_secs
        };
        let first = at.saturating_sub(self.times.lasting(LANDING_SECS)) + 1;
        if let Some(at) = (first..=at).rev().find(falls) {
            let [before, here] = [at - 1, at].map(|at| point.heights[at]);
            ends[0] = (at - 1) as f64 + (before - height) / (before - here);
        }
        ends[0]
    }
}

/// Returns the fast speed around each time: the 95th percentile within a second on either side.
fn fast_speeds(times: &Times, speeds: &[f64]) -> Vec<f64> {
    let (reach, step) = (times.lasting(FAST_REACH_SECS), times.lasting(1.0 / FAST_PER_SEC));
    let count = speeds.len();
    let at_steps: Vec<f64> = (0..=count.div_ceil(step))
        .map(|index| {
            let at = (index * step).min(count);
            let around = at.saturating_sub(reach)..(at + reach + 1).min(count);
            percentile::of(speeds[around].to_vec(), 0.95)
        })
        .collect();
    (0..count)
        .map(|at| {
            let (index, share) = (at / step, (at % step) as f64 / step as f64);
            at_steps[index] + share * (at_steps[index + 1] - at_steps[index])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples from frame 10.25 to frame 30.25, two frames apart and half a frame apart.
    #[test]
    fn bearings_at_another_rate_have_the_same_times() {
        let stay = |strike, lift| Stay { foot: 0, strike, lift };
        let stays = vec![
            stay(None, Some(4.0)),
            stay(Some(6.5), Some(13.0)),
            // It no longer stands at the first sample.
            stay(Some(7.0), Some(10.25)),
            stay(Some(15.5), Some(20.25)),
            stay(Some(26.0), Some(34.0)),
            stay(Some(31.0), None),
        ];
        let point = FootPoint::Ball;
        let own = Bearings {
            points: stays.iter().map(|&stay| PointStay { point, stay }).collect(),
            stays,
            ground: Ground::Uneven((0..40).map(|frame| DVec3::X * f64::from(frame)).collect()),
        };
        let inside = [
            stay(None, Some(13.0)),
            stay(Some(15.5), Some(20.25)),
            stay(Some(26.0), None),
        ];
        for (step, num_frames) in [(2.0, 11), (0.5, 41)] {
            let found = own.resampled([10.25, step], num_frames);
            let own_frame = |frame: f64| 10.25 + step * frame;
            let stays: Vec<Stay> = found.stays.iter().map(|stay| stay.timed(own_frame)).collect();
            assert_eq!(stays, inside, "{step}");
            let points: Vec<Stay> = found.points.iter().map(|of| of.stay.timed(own_frame)).collect();
            assert_eq!(points, inside, "{step}");
            // The ground has the velocity of the nearest frame.
            let Ground::Uneven(velocities) = &found.ground else {
                panic!("{step}");
            };
            assert_eq!(velocities.len(), num_frames, "{step}");
            for (frame, velocity) in velocities.iter().enumerate() {
                let off = velocity.x - own_frame(frame as f64);
                assert!(off.abs() <= 0.5, "{step}, {frame}: {off}");
            }
        }
        let even = Bearings {
            ground: Ground::Even(DVec3::X),
            ..own
        };
        assert_eq!(even.resampled([10.25, 2.0], 11).ground, even.ground);
    }
}
