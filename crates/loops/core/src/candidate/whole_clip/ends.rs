//! Finds where a finished clip ends: at its last key, up to a frame after it, or some keys before it.
//!
//! The motion of its last keys goes on in that of its first. The time between is that at which all of them are one curve as
//! smooth as those inside the clip. Derivation, constants and errors: docs/math/whole_clips.md.

use glam::DVec3;

use super::curve::{NOISES, Roughness, weighted};
use super::reading::Scale;
use crate::analysis::Analysis;
use crate::math::fit::{PointPair, fit_planar};
use crate::math::{ops, percentile, rigid::Rigid, rotation};

/// Most keys compared on either side of the end, and the fewest.
const MOST_KEYS: usize = 6;
const FEWEST_KEYS: usize = 3;

/// Most keys of the next cycle that follow the end.
const MOST_FOLLOWING: usize = 5;

/// Most windows inside the clip from which its own roughness is taken.
const MOST_WINDOWS: usize = 16;

/// The distance from a joint of the points that show how it turns, metres at the size of an adult.
const LEVER_METRES: f64 = 0.1;

/// Noise that every file has, metres at the size of an adult.
const NOISE_METRES: f64 = 2e-5;

/// A gap within this share of a step, and this many metres, is none.
const SAME_SHARE: f64 = 0.03;
const SAME_METRES: f64 = 2e-6;

/// Loss of likelihood up to which a usual time is preferred, and that of the limits of the end.
const USUAL_LOSS: f64 = 1.0;
const LIMITS_LOSS: f64 = 0.5;

/// Rates of which authors take whole frames, per second.
const AUTHORS_RATES: [f64; 2] = [24.0, 30.0];

/// Largest miss of a key predicted over the end, in steps, and where keys follow.
const MISSED_STEPS: f64 = 0.25;
const MISSED_STEPS_FOLLOWED: f64 = 0.15;

/// A step is at least this long where misses are compared with it, metres at the size of an adult.
const LEAST_STEP_METRES: f64 = 2e-4;

/// Roughness over the end relative to the clip's own up to which any end counts; and misses up to which roughness does not matter,
/// metres at the size of an adult and in steps.
const ROUGH: f64 = 40.0;
const SMALL_MISS_METRES: f64 = 5e-4;
const SMALL_MISS_STEPS: f64 = 0.05;

/// Roughness of an end like any place of the clip, and how far its misses may exceed the 90th percentile of the clip's own.
const LIKE_OWN: f64 = 2.0;
const LIKE_OWN_MISS: f64 = 1.2;
const LIKE_OWN_FOLLOWED: f64 = 1.5;

/// An end with fewer left-out keys wins where its miss is within this factor of the least.
const AS_GOOD: f64 = 3.0;

/// Where the end may be after the last key; and after the key before a last one whose time was cut short, in frames.
const AFTER_LAST: [f64; 2] = [0.0, 1.0];
const AFTER_CLAMPED: [f64; 2] = [1.0, 2.0];

/// A clip goes on where it is, if that is rougher than moving on by no more than this.
const IN_PLACE: [f64; 2] = [2.0, 1.0];

/// A root that rises by less over a clip stays level, metres: floors are not exactly level.
const LEVEL_METRES: f64 = 0.03;

/// Farther than this from its first pose, in steps, a clip is not searched for its end.
const MOST_GAP_STEPS: f64 = 3.0;

/// Durations of the seam that are tried at even distances, and how often the best is refined.
const COARSE: usize = 5;
const REFINEMENTS: usize = 14;

/// An end this near to a whole frame is there: files round the times of frames.
const WHOLE_FRAMES: f64 = 5e-3;

/// The shortest step from the last key to the closing one, in frames.
const LEAST_STEP_FRAMES: f64 = 0.08;

/// Two keys at one time have no curve; they are taken this far apart, in frames.
const LEAST_SEAM_FRAMES: f64 = 0.01;

/// Most frames from which a clip's own misses are taken.
const MAX_SAMPLED: usize = 512;

/// Where a clip ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct End {
    /// Its last key: the first one again where the seam lasts no time.
    pub(super) last_frame: usize,
    /// Time from that key to the first one, in frames; 0 to 1.
    pub(super) seam_frames: f64,
    /// The limits within which that time lies, likely.
    pub(super) limits: [f64; 2],
    /// World motion from the first pose to the closing one.
    pub(super) motion: Rigid,
    /// Distance of the last key and the first from where those around them predict them, root mean square over the body, metres.
    pub(super) miss_metres: f64,
    /// Whether the two keys are one.
    pub(super) is_exact: bool,
}

impl End {
    /// Leaves out a last key that is next to the closing one: a curve through both would bend.
    fn without_short_step(mut self) -> Self {
        if (self.seam_frames - 1.0).abs() < WHOLE_FRAMES {
            self.seam_frames = 1.0;
        }
        if self.seam_frames == 0.0 || self.seam_frames >= LEAST_STEP_FRAMES {
            return self;
        }
        Self {
            last_frame: self.last_frame - 1,
            seam_frames: self.seam_frames + 1.0,
            limits: self.limits.map(|limit| limit + 1.0),
            ..self
        }
    }
}

/// Finds the end of a clip; `None` if its last keys do not lead to its first.
pub(super) fn find(scale: &Scale<'_>) -> Option<End> {
    let last = scale.analysis.take.num_frames() - 1;
    let most = MOST_FOLLOWING.min(last.saturating_sub(2 * FEWEST_KEYS));
    if !comes_near(scale, last - most..=last) {
        return None;
    }
    let clip = Clip::new(scale)?;
    let mut found: Vec<(End, f64)> = Vec::new();
    for following in 0..=most {
        let Some(end) = clip.end_at(last - following, following, AFTER_LAST) else {
            continue;
        };
        let steps = end.miss_metres / clip.step_metres;
        found.push((end, steps));
        if steps <= SMALL_MISS_STEPS {
            break;
        }
    }
    if found.is_empty() && scale.named.repeats != Some(false) {
        // Exporters that clamp the last sample leave a key that is too early: the end is up to a frame after its place.
        found.extend(clip.end_at(last - 1, 0, AFTER_CLAMPED).map(|end| (end, 0.0)));
    }
    let least = found.iter().map(|(_, steps)| *steps).reduce(f64::min)?;
    let (end, _) = found.into_iter().find(|(_, steps)| *steps <= AS_GOOD * least)?;
    Some(end.without_short_step())
}

/// Whether the first pose comes near in one of these frames: a quick look at the joints alone, since most takes end elsewhere.
fn comes_near(scale: &Scale<'_>, frames: core::ops::RangeInclusive<usize>) -> bool {
    let (world, last) = (&scale.analysis.world, *frames.end());
    let weights: f64 = scale.joints.iter().map(|(_, weight)| weight).sum();
    let apart = |one: usize, other: usize, motion: Rigid| {
        let squares = scale.joints.iter().map(|&(joint, weight)| {
            let moved = motion.transform_point(world.position(one, joint));
            weight * moved.distance_squared(world.position(other, joint))
        });
        (squares.sum::<f64>() / weights).sqrt()
    };
    let travel = (world.position(last, scale.analysis.body.hips) - world.position(0, scale.analysis.body.hips))
        / last.max(1) as f64;
    let step = Rigid::new(glam::DQuat::IDENTITY, travel.with_y(0.0));
    let every = last.div_ceil(MAX_SAMPLED / 4).max(1);
    let steps = (0..last).step_by(every).map(|frame| apart(frame, frame + 1, step));
    let usual = percentile::of(steps.collect(), 0.5) + LEAST_STEP_METRES * scale.size;
    frames.into_iter().any(|frame| {
        let joints = scale.joints.iter();
        let pairs: Vec<PointPair> = joints
            .map(|&(joint, weight)| PointPair::new(world.position(0, joint), world.position(frame, joint), weight))
            .collect();
        apart(0, frame, level(fit_planar(&pairs))) <= MOST_GAP_STEPS * usual
    })
}

/// A point of the body: a joint, or one beside it.
struct Point {
    joint: usize,
    lever: DVec3,
    /// Its share of a mean over the body.
    weight: f64,
    /// Its roughness inside the clip.
    own: f64,
}

/// A clip, and how it moves inside.
struct Clip<'a> {
    analysis: &'a Analysis,
    size: f64,
    points: Vec<Point>,
    /// Keys compared on either side.
    keys: usize,
    noise: f64,
    /// The usual step of the body, without its travel, metres.
    step_metres: f64,
    /// The 90th percentile of the distances of keys from where their neighbours predict them, metres.
    own_miss_metres: f64,
    /// A key after the last frame: when, and where its points are.
    tail: Option<(f64, Vec<DVec3>)>,
}

impl<'a> Clip<'a> {
    /// Measures the inside of a clip; `None` if it is too short.
    fn new(scale: &Scale<'a>) -> Option<Self> {
        let analysis = scale.analysis;
        let num_frames = analysis.take.num_frames();
        let keys = MOST_KEYS.min(num_frames / 2);
        if keys < FEWEST_KEYS {
            return None;
        }
        let levers = [DVec3::ZERO, DVec3::X, DVec3::Z].map(|axis| axis * LEVER_METRES * scale.size);
        let total: f64 = levers.len() as f64 * scale.joints.iter().map(|(_, weight)| weight).sum::<f64>();
        let points = (scale.joints.iter())
            .flat_map(|&(joint, weight)| {
                levers.map(|lever| Point {
                    joint,
                    lever,
                    weight: weight / total,
                    own: 1.0,
                })
            })
            .collect();
        let mut clip = Self {
            analysis,
            size: scale.size,
            points,
            keys,
            noise: 1.0,
            step_metres: 0.0,
            own_miss_metres: 0.0,
            tail: None,
        };
        clip.tail = analysis.take.tail().map(|tail| {
            let world = tail.pose.as_ref().world(analysis.take.skeleton());
            let at = |point: &Point| world.joint(point.joint).transform_point(point.lever);
            (tail.frames, clip.points.iter().map(at).collect())
        });
        clip.measure_steps();
        clip.measure_roughness();
        Some(clip)
    }

    fn num_frames(&self) -> usize {
        self.analysis.take.num_frames()
    }

    fn at(&self, frame: usize, point: &Point) -> DVec3 {
        self.analysis.world.point(frame, point.joint, point.lever)
    }

    /// Returns the root of the mean square of a length over the points.
    fn over_points(&self, length: impl Fn(&Point) -> f64) -> f64 {
        let squares = self.points.iter().map(|point| point.weight * length(point).powi(2));
        squares.sum::<f64>().sqrt()
    }

    fn measure_steps(&mut self) {
        let last = self.num_frames() - 1;
        let centre = |frame: usize| -> DVec3 {
            self.points
                .iter()
                .map(|point| self.at(frame, point) * point.weight)
                .sum()
        };
        let travel = ((centre(last) - centre(0)) / last as f64).with_y(0.0);
        let every = last.div_ceil(MAX_SAMPLED);
        let steps = (0..last).step_by(every).map(|frame| {
            self.over_points(|point| (self.at(frame + 1, point) - self.at(frame, point) - travel).length())
        });
        let step = percentile::of(steps.collect(), 0.5);
        let misses = (2..last.saturating_sub(1)).step_by(every).map(|frame| {
            self.over_points(|point| {
                let [far, near, after, beyond] =
                    [frame - 2, frame - 1, frame + 1, frame + 2].map(|frame| self.at(frame, point));
                (self.at(frame, point) - (4.0 * (near + after) - far - beyond) / 6.0).length()
            })
        });
        self.own_miss_metres = percentile::of(misses.collect(), 0.9);
        self.step_metres = step + LEAST_STEP_METRES * self.size;
    }

    /// Finds the likeliest noise, and scales the weight of each point by its own roughness.
    fn measure_roughness(&mut self) {
        let (length, num_frames) = (2 * self.keys, self.num_frames());
        let room = num_frames - length;
        let every = (room + 1).div_ceil(MOST_WINDOWS);
        let windows = (0..=room).step_by(every).count() as f64;
        let times: Vec<f64> = (0..length).map(|key| key as f64).collect();
        let products: Vec<Vec<f64>> = (self.points.iter())
            .map(|point| {
                let mut sums = vec![0.0; length * length];
                for first in (0..=room).step_by(every) {
                    let values: Vec<DVec3> = (first..first + length).map(|frame| self.at(frame, point)).collect();
                    let mean = values.iter().sum::<DVec3>() / length as f64;
                    for (row, one) in values.iter().enumerate() {
                        for (column, other) in values.iter().enumerate() {
                            sums[row * length + column] += (*one - mean).dot(*other - mean) / windows;
                        }
                    }
                }
                sums
            })
            .collect();
        let of_noise = |noise: f64| {
            let form = Roughness::new(&times, noise);
            let least = (NOISE_METRES * self.size).powi(2) * form.of_noise();
            let own: Vec<f64> = products.iter().map(|sums| form.of_products(sums).max(least)).collect();
            let logs: f64 = (self.points.iter().zip(&own))
                .map(|(point, own)| point.weight * ops::ln(*own))
                .sum();
            let cost = form.rank() * logs + form.log_det();
            (noise, own, cost)
        };
        let best = NOISES
            .map(of_noise)
            .into_iter()
            .min_by(|one, other| one.2.total_cmp(&other.2));
        if let Some((noise, own, _)) = best {
            self.noise = noise;
            (self.points.iter_mut().zip(own)).for_each(|(point, own)| point.own = own);
        }
    }

    /// Returns the end at a key followed by so many others; `None` if the motion does not go on there.
    fn end_at(&self, last_frame: usize, following: usize, within: [f64; 2]) -> Option<End> {
        let may_close = within == AFTER_LAST;
        if following == 0
            && may_close
            && let Some(end) = self.end_at_tail(last_frame)
        {
            return Some(end);
        }
        let planar = self.planar_motion(last_frame);
        let gap = |motion: Rigid| {
            self.over_points(|point| (motion.transform_point(self.at(0, point)) - self.at(last_frame, point)).length())
        };
        // Far from the first pose, no time of up to a frame leads there.
        if gap(planar) > MOST_GAP_STEPS * self.step_metres {
            return None;
        }
        let same = SAME_SHARE * self.step_metres + SAME_METRES * self.size;
        let mut motions = [Rigid::IDENTITY, planar].into_iter().filter(|_| may_close);
        let exact = motions.find(|&motion| gap(motion) <= same);
        let seam = Seam::new(self, last_frame, within);
        let fit = match exact {
            Some(motion) => seam.moved(0.0, Some(motion)),
            None => seam.best(),
        };
        let limits = exact.map_or_else(|| seam.limits(&fit), |_| [0.0; 2]);
        let end = End {
            last_frame,
            seam_frames: fit.seam_frames,
            limits,
            motion: fit.motion,
            miss_metres: seam.miss_metres(&fit),
            is_exact: exact.is_some(),
        };
        let followed = self.followed_miss_metres(&end, following);
        let steps = |miss: f64| miss / self.step_metres;
        let most = if following > 0 {
            MISSED_STEPS_FOLLOWED
        } else {
            MISSED_STEPS
        };
        let is_small = end.miss_metres <= SMALL_MISS_METRES * self.size || steps(end.miss_metres) <= SMALL_MISS_STEPS;
        let is_near = steps(end.miss_metres.max(followed)) <= most && (fit.roughness <= ROUGH || is_small);
        let is_like_own = fit.roughness <= LIKE_OWN
            && end.miss_metres <= LIKE_OWN_MISS * self.own_miss_metres
            && followed <= LIKE_OWN_FOLLOWED * self.own_miss_metres;
        (is_near || is_like_own).then_some(end)
    }

    /// Returns the end at a key between frames that is the first one again.
    fn end_at_tail(&self, last_frame: usize) -> Option<End> {
        let (seam_frames, points) = self.tail.as_ref()?;
        let miss = |motion: Rigid| {
            let off = |(point, end): (&Point, &DVec3)| motion.transform_point(self.at(0, point)).distance(*end);
            self.points.iter().zip(points).map(off).fold(0.0, f64::max)
        };
        let motions = [Rigid::IDENTITY, self.motion_to(points.iter().copied())];
        let motion = motions
            .into_iter()
            .find(|&motion| miss(motion) <= NOISE_METRES * self.size)?;
        Some(End {
            last_frame,
            seam_frames: *seam_frames,
            limits: [*seam_frames; 2],
            motion,
            miss_metres: miss(motion),
            is_exact: true,
        })
    }

    /// Returns the motion over the ground that best maps the first pose to another.
    fn planar_motion(&self, frame: usize) -> Rigid {
        self.motion_to(self.points.iter().map(|point| self.at(frame, point)))
    }

    fn motion_to(&self, ends: impl Iterator<Item = DVec3>) -> Rigid {
        let pairs: Vec<PointPair> = (self.points.iter().zip(ends))
            .map(|(point, end)| PointPair::new(self.at(0, point), end, point.weight))
            .collect();
        level(fit_planar(&pairs))
    }

    /// Returns how far the keys after an end are from the motion after the start, root mean square, metres.
    fn followed_miss_metres(&self, end: &End, following: usize) -> f64 {
        let misses = (1..=following).map(|key| {
            let after = key as f64 - end.seam_frames;
            let first = (after.floor().max(0.0) as usize).saturating_sub(1);
            let nodes: [f64; 4] = core::array::from_fn(|node| (first + node) as f64 - after);
            let weights = lagrange(nodes);
            self.over_points(|point| {
                let values: [DVec3; 4] = core::array::from_fn(|node| self.at(first + node, point));
                let own = end.motion.transform_point(weighted(&weights, &values));
                (own - self.at(end.last_frame + key, point)).length()
            })
        });
        misses.fold(0.0, f64::max)
    }
}

/// Returns a motion over the ground without a rise that is none.
fn level(motion: Rigid) -> Rigid {
    let rises = motion.translation.y.abs() >= LEVEL_METRES;
    let height = if rises { motion.translation.y } else { 0.0 };
    Rigid::new(motion.rotation, motion.translation.with_y(height))
}

/// Returns the weights with which values at four times give that at time 0, by a cubic.
fn lagrange(nodes: [f64; 4]) -> [f64; 4] {
    core::array::from_fn(|own| {
        let others = (0..4).filter(|&other| other != own);
        others
            .map(|other| -nodes[other] / (nodes[own] - nodes[other]))
            .product()
    })
}

/// The keys on both sides of an end.
struct Seam<'a> {
    clip: &'a Clip<'a>,
    /// Positions at the last keys, then at the first, of each point.
    values: Vec<Vec<DVec3>>,
    last_frame: usize,
    start: Rigid,
    /// Durations that are tried.
    within: [f64; 2],
    rises: bool,
}

/// A duration of the seam with the motion that suits it.
#[derive(Clone, Copy)]
struct Fit {
    seam_frames: f64,
    motion: Rigid,
    /// Roughness relative to the clip's own.
    roughness: f64,
    /// Negative logarithm of its likelihood.
    cost: f64,
}

impl<'a> Seam<'a> {
    fn new(clip: &'a Clip<'a>, last_frame: usize, within: [f64; 2]) -> Self {
        let keys = clip.keys;
        let start = clip.planar_motion(last_frame);
        let frames = (last_frame + 1 - keys..=last_frame).chain(0..keys);
        Self {
            values: (clip.points.iter())
                .map(|point| frames.clone().map(|frame| clip.at(frame, point)).collect())
                .collect(),
            last_frame,
            start,
            within,
            clip,
            rises: start.translation.y != 0.0,
        }
    }

    fn times(&self, seam_frames: f64) -> Vec<f64> {
        let keys = self.clip.keys;
        let before = (0..keys).map(|key| key as f64 + 1.0 - keys as f64);
        before.chain((0..keys).map(|key| key as f64 + seam_frames)).collect()
    }

    /// Returns the values of a point with the first keys moved on.
    fn moved_values(&self, point: usize, motion: Rigid) -> Vec<DVec3> {
        let keys = self.clip.keys;
        let values = &self.values[point];
        let moved = values[keys..].iter().map(|&value| motion.transform_point(value));
        values[..keys].iter().copied().chain(moved).collect()
    }

    /// Weighs a duration of the seam with a motion, or with that which fits best.
    fn moved(&self, seam_frames: f64, motion: Option<Rigid>) -> Fit {
        let form = Roughness::new(&self.times(seam_frames.max(LEAST_SEAM_FRAMES)), self.clip.noise);
        let motion = motion.unwrap_or_else(|| self.fitted(&form));
        let points = self.clip.points.iter().enumerate();
        let roughness: f64 = points
            .map(|(index, point)| point.weight * form.of(&self.moved_values(index, motion)) / point.own)
            .sum();
        let roughness = roughness.max(f64::MIN_POSITIVE);
        Fit {
            seam_frames,
            motion,
            roughness,
            cost: 0.5 * (form.rank() * ops::ln(roughness) + form.log_det()),
        }
    }

    /// Fits the motion over the ground with which the curve is least rough: twice, since turns are not linear.
    fn fitted(&self, form: &Roughness) -> Rigid {
        let keys = self.clip.keys;
        let ones: Vec<f64> = (0..2 * keys).map(|key| form.row(key)[keys..].iter().sum()).collect();
        let of_ones: f64 = ones[keys..].iter().sum();
        let mut motion = self.start;
        for _ in 0..2 {
            let (mut shift, mut turn, mut along, mut right, mut total) = (DVec3::ZERO, DVec3::ZERO, 0.0, 0.0, 0.0);
            for (index, point) in self.clip.points.iter().enumerate() {
                let weight = point.weight / point.own;
                let values = self.moved_values(index, motion);
                // How the first keys move when the motion turns about the origin.
                let turning: Vec<DVec3> = values[keys..].iter().map(|value| DVec3::Y.cross(*value)).collect();
                shift += weighted(&ones, &values) * weight;
                turn += weighted(&ones[keys..], &turning) * weight;
                for (key, turned) in turning.iter().enumerate() {
                    let row = form.row(keys + key);
                    along += weight * turned.dot(weighted(&row[keys..], &turning));
                    right += weight * turned.dot(weighted(row, &values));
                }
                total += weight * of_ones;
            }
            if total <= 0.0 {
                break;
            }
            // The translation follows from the turn, and leaves one equation for it.
            let yaw = -(right - turn.dot(shift.with_y(0.0)) / total) / (along - turn.dot(turn) / total);
            let yaw = if yaw.is_finite() { yaw } else { 0.0 };
            let off = -(shift + turn * yaw) / total;
            let off = if self.rises { off } else { off.with_y(0.0) };
            motion = Rigid::new(rotation::from_yaw(yaw), off) * motion;
        }
        motion
    }

    /// Returns the likeliest duration, in place if the clip stays there.
    fn best(&self) -> Fit {
        let rests = self.likeliest(Some(Rigid::IDENTITY));
        if rests.roughness <= IN_PLACE[1] {
            return rests;
        }
        let moves = self.likeliest(None);
        if rests.roughness <= IN_PLACE[0] * moves.roughness + IN_PLACE[1] {
            rests
        } else {
            moves
        }
    }

    fn likeliest(&self, motion: Option<Rigid>) -> Fit {
        let of = |seam_frames: f64| self.moved(seam_frames, motion);
        let [least, most] = self.within;
        let step = (most - least) / COARSE as f64;
        let coarse = (0..=COARSE).map(|part| of(least + step * part as f64));
        let best = coarse.reduce(less_costly).unwrap_or_else(|| of(most));
        let [mut low, mut high] = [-step, step].map(|off| (best.seam_frames + off).clamp(least, most));
        let mut free = best;
        for _ in 0..REFINEMENTS {
            let third = (high - low) / 3.0;
            let [one, other] = [low + third, high - third].map(of);
            if one.cost <= other.cost {
                high = other.seam_frames;
            } else {
                low = one.seam_frames;
            }
            free = less_costly(free, less_costly(one, other));
        }
        let usual = self.usual().into_iter().map(of).reduce(less_costly);
        usual
            .filter(|usual| usual.cost <= free.cost + USUAL_LOSS)
            .unwrap_or(free)
    }

    /// Returns durations that authors choose: none, a frame, and those that end on a whole frame of their own rate.
    fn usual(&self) -> Vec<f64> {
        let (step_secs, last) = (self.clip.analysis.take.frame_time_secs(), self.last_frame as f64);
        let [least, most] = self.within;
        let mut usual = vec![least, most];
        for rate in AUTHORS_RATES {
            let first = ((last + least) * step_secs * rate - 1e-6).ceil();
            let time = first / (rate * step_secs) - last;
            usual.extend((least..=most).contains(&time).then_some(time));
        }
        usual
    }
}

impl Seam<'_> {
    /// Returns how far the last key and the first are from where those around them predict them, metres.
    fn miss_metres(&self, fit: &Fit) -> f64 {
        let (keys, seam) = (self.clip.keys, fit.seam_frames);
        let [of_last, of_first] = [[-2.0, -1.0, seam, seam + 1.0], [-1.0 - seam, -seam, 1.0, 2.0]].map(lagrange);
        let squares = self.clip.points.iter().enumerate().map(|(index, point)| {
            let values = self.moved_values(index, fit.motion);
            let around = |keys: [usize; 4]| keys.map(|key| values[key]);
            let last = weighted(&of_last, &around([keys - 3, keys - 2, keys, keys + 1])) - values[keys - 1];
            let first = weighted(&of_first, &around([keys - 2, keys - 1, keys + 1, keys + 2])) - values[keys];
            point.weight * 0.5 * (last.length_squared() + first.length_squared())
        });
        squares.sum::<f64>().sqrt()
    }

    /// Returns the durations about the likeliest that are hardly less likely.
    fn limits(&self, fit: &Fit) -> [f64; 2] {
        let of = |seam_frames: f64| self.moved(seam_frames, (fit.motion == Rigid::IDENTITY).then_some(Rigid::IDENTITY));
        let least = fit.cost;
        self.within.map(|end| {
            let (mut inside, mut outside) = (fit.seam_frames, end);
            if of(outside).cost <= least + LIMITS_LOSS {
                return outside;
            }
            for _ in 0..REFINEMENTS {
                let middle = 0.5 * (inside + outside);
                if of(middle).cost <= least + LIMITS_LOSS {
                    inside = middle;
                } else {
                    outside = middle;
                }
            }
            inside
        })
    }
}

fn less_costly(one: Fit, other: Fit) -> Fit {
    if other.cost < one.cost { other } else { one }
}
