//! The strides of a body: their lengths, durations and speeds, and the shares of them in which feet stand.
//!
//! A stride lasts from a strike of a foot to its next strike. Source: docs/math/strides.md.

use glam::DVec3;

use super::{Body, Footing, MotionKind, Running, Side, Stay, bearing::LONGEST_STRIDE_SECS, gait::run_speed_of};
use crate::{
    loop_clip::LoopClip,
    math::{TimeStep, around, mean, ordered, percentile},
    motion::{PoseRef, Skeleton, WorldTracks},
    take::Take,
};

/// A body that moves less than this in a stride steps in place, metres on the reference body: its sway and drift have no direction.
const LEAST_WAY_METRES: f64 = 0.1;

/// A stride longer than so many medians of its foot contains a pause.
const PAUSE: f64 = 1.5;

/// Share of the cycle below which the double support of a walk is unusual: people who walk have .2 and more.
const LOW_DOUBLE_SUPPORT: f64 = 0.1;

/// The footing is averaged over this long, seconds: a single stumble is no run.
const FOOTING_SECS: f64 = 1.0;

/// A loop is measured in the second of this many cycles; no stride or stay is longer than one cycle.
const CYCLES: usize = 4;

/// The paths of a body and of its feet over the ground, from which strides are measured.
#[value]
pub struct FootPaths {
    /// Positions at each frame, metres; of a loop over [`CYCLES`] cycles.
    body: Vec<DVec3>,
    feet: Vec<(Option<Side>, Vec<DVec3>)>,
    frame_time_secs: f64,
    least_way: f64,
    run_mps: f64,
    /// Samples of the cycle of a loop.
    cycle: Option<usize>,
}

/// The frames at which a stay begins and ends; infinite if unknown.
type Stand = [f64; 2];

/// A stride: from a strike of a foot to its next.
#[value(Copy)]
pub struct Stride {
    /// The foot, as [`Stay::foot`].
    pub foot: usize,
    /// Its side, if known.
    pub side: Option<Side>,
    /// Seconds from the first frame to the strike.
    pub strike_secs: f64,
    /// ... to when the foot leaves the ground.
    pub lift_secs: f64,
    /// ... to its next strike; of a loop perhaps in the next cycle.
    pub next_strike_secs: f64,
    /// Distance between the places where the foot stands, along the path of the body, metres; `None` in place.
    pub stride_metres: Option<f64>,
    /// Seconds from the last strike of another foot to the next strike: the step of this foot.
    pub step_secs: Option<f64>,
    /// Distance between the places of those two feet, along the path of the body, metres; `None` in place.
    pub step_metres: Option<f64>,
    /// For two feet: the times after the strike and before the lift in which both stand, seconds.
    pub double_support_secs: Option<[f64; 2]>,
    /// Seconds in which no foot stands.
    pub flight_secs: f64,
    /// Speed of the body, metres per second; `None` in place.
    pub speed_mps: Option<f64>,
    /// Strikes of all feet per minute.
    pub cadence_spm: f64,
}

impl Stride {
    /// Returns the seconds from strike to strike.
    pub fn secs(&self) -> f64 {
        self.next_strike_secs - self.strike_secs
    }

    /// Returns the seconds in which the foot stands.
    pub fn stance_secs(&self) -> f64 {
        self.lift_secs - self.strike_secs
    }

    /// Returns the share of the stride in which the foot stands.
    pub fn duty(&self) -> f64 {
        self.stance_secs() / self.secs()
    }

    /// Returns the share of the stride in which no foot stands.
    fn flight(&self) -> f64 {
        self.flight_secs / self.secs()
    }
}

/// The mean of a measure over strides.
#[value(Copy)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Standard deviation of single values; `None` of a single one, and of a ratio of means.
    pub std_dev: Option<f64>,
    /// Standard error of the mean; `None` where it rests on a single value.
    pub std_error: Option<f64>,
    /// Number of values.
    pub count: usize,
}

impl Mean {
    /// Returns the mean of the known values; `None` without any.
    fn of(values: impl Iterator<Item = Option<f64>>) -> Option<Self> {
        let values: Vec<f64> = values.flatten().collect();
        let count = values.len();
        let mean = mean(values.iter().copied());
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let std_dev = (count > 1).then(|| (squares / (count as f64 - 1.0)).sqrt());
        (count > 0).then(|| Self {
            mean,
            std_dev,
            std_error: std_dev.map(|std_dev| std_dev / (count as f64).sqrt()),
            count,
        })
    }

    /// Returns the smaller mean over the larger, with its error; `None` if one is unknown or none is positive.
    fn evenness(means: [Option<Self>; 2]) -> Option<Self> {
        let [one, other] = [means[0]?, means[1]?];
        let (small, large) = if one.mean < other.mean {
            (one, other)
        } else {
            (other, one)
        };
        let mean = small.mean / large.mean;
        let errors = small.std_error.zip(large.std_error);
        (large.mean > 0.0).then(|| Self {
            mean,
            std_dev: None,
            std_error: errors.map(|(of_small, of_large)| {
                (of_small * of_small + mean * mean * of_large * of_large).sqrt() / large.mean
            }),
            count: small.count.min(large.count),
        })
    }
}

/// The means of a foot.
#[value(Copy)]
pub struct FootMeans {
    /// Its side, if known.
    pub side: Option<Side>,
    /// Share of a stride in which it stands.
    pub duty: Option<Mean>,
    /// [`Stride::step_secs`].
    pub step_secs: Option<Mean>,
    /// [`Stride::step_metres`].
    pub step_metres: Option<Mean>,
}

/// How alike two feet are: the smaller over the larger mean, 1 if even.
#[value(Copy, Default)]
pub struct Evenness {
    /// Of [`Stride::step_secs`].
    pub step_secs: Option<Mean>,
    /// Of [`Stride::step_metres`].
    pub step_metres: Option<Mean>,
    /// Of [`Stride::duty`].
    pub duty: Option<Mean>,
}

/// The strides of a body, and their means without those that contain a pause. Strides of several feet overlap, so standard errors of
/// means over all feet are a little too small.
#[value(Default)]
pub struct Strides {
    /// All strides, in order of their strikes.
    pub rows: Vec<Stride>,
    /// Number of strides that contain a pause.
    pub pauses: usize,
    /// Strikes of all feet per minute.
    pub cadence_spm: Option<Mean>,
    /// Speed of the body, metres per second.
    pub speed_mps: Option<Mean>,
    /// [`Stride::secs`].
    pub stride_secs: Option<Mean>,
    /// [`Stride::stride_metres`].
    pub stride_metres: Option<Mean>,
    /// [`Stride::step_secs`].
    pub step_secs: Option<Mean>,
    /// [`Stride::step_metres`].
    pub step_metres: Option<Mean>,
    /// [`Stride::stance_secs`].
    pub stance_secs: Option<Mean>,
    /// [`Stride::duty`].
    pub duty: Option<Mean>,
    /// For two feet: share of a stride in which both stand.
    pub double_support: Option<Mean>,
    /// Share of a stride in which no foot stands.
    pub flight: Option<Mean>,
    /// Each foot.
    pub feet: Vec<FootMeans>,
    /// For two feet.
    pub evenness: Evenness,
    /// A sentence about figures that are unusual.
    pub note: Option<String>,
}

impl FootPaths {
    /// Returns the paths of a take; the hips represent the body. `world` has all its frames; of `take` the middle one is enough.
    pub fn of_take(take: &Take, world: &WorldTracks, body: &Body) -> Self {
        let middle = take.pose(take.num_frames() / 2);
        let path = |joint: usize| {
            (0..world.num_frames())
                .map(move |frame| world.position(frame, joint))
                .collect()
        };
        Self {
            body: path(body.hips),
            feet: body
                .known_feet()
                .iter()
                .map(|foot| (foot.side, path(foot.lowest_joint())))
                .collect(),
            ..Self::new(body, (take.skeleton(), middle), take.frame_time_secs())
        }
    }

    /// Returns the paths of a loop, with these joints as feet; the root represents the body. `body` is that of its skeleton.
    pub fn of_loop(clip: &LoopClip, body: &Body, feet: &[usize]) -> Self {
        let (num_samples, from_root) = (clip.num_samples(), clip.tracks_from_root());
        let roots: Vec<_> = (0..CYCLES * num_samples).map(|key| clip.root_pose(key)).collect();
        let path = |&joint: &usize| {
            let side = body
                .feet
                .iter()
                .find(|foot| foot.lowest_joint() == joint)
                .and_then(|foot| foot.side);
            let at_key = roots.iter().enumerate();
            let points = at_key.map(|(key, root)| root.transform_point(from_root.position(key % num_samples, joint)));
            (side, points.collect())
        };
        Self {
            feet: feet.iter().map(path).collect(),
            body: roots.iter().map(|root| root.translation).collect(),
            cycle: Some(num_samples),
            ..Self::new(
                body,
                (clip.skeleton(), clip.body_pose(num_samples / 2)),
                clip.step_secs(),
            )
        }
    }

    fn new(body: &Body, (skeleton, pose): (&Skeleton, PoseRef), frame_time_secs: f64) -> Self {
        let world = pose.world(skeleton).translations;
        Self {
            body: Vec::new(),
            feet: Vec::new(),
            frame_time_secs,
            least_way: LEAST_WAY_METRES * body.leg_size(skeleton, |joint| world[joint]),
            run_mps: run_speed_of(body.stature_in(skeleton, pose)),
            cycle: None,
        }
    }

    /// Returns the paths over moving ground, such as the belt of a treadmill, given its velocity at each frame of a take or sample of a
    /// loop, metres per second.
    #[must_use]
    pub fn over(mut self, ground: impl Fn(usize) -> DVec3) -> Self {
        let mut travel = DVec3::ZERO;
        for frame in 1..self.body.len() {
            let cycle = self.cycle.unwrap_or(usize::MAX);
            travel += 0.5 * self.frame_time_secs * (ground((frame - 1) % cycle) + ground(frame % cycle));
            self.body[frame] -= travel;
            self.feet.iter_mut().for_each(|(_, path)| path[frame] -= travel);
        }
        self
    }

    /// Measures the strides from the stays of the feet; for a loop, `stays` are those that strike within one cycle.
    pub fn strides(&self, stays: &[Stay]) -> Strides {
        let stands = self.stands(stays);
        let mut rows: Vec<Stride> = (0..self.feet.len())
            .flat_map(|foot| stands[foot].windows(2).map(move |pair| (foot, pair)))
            .filter_map(|(foot, pair)| self.stride(&stands, foot, [pair[0], pair[1]]))
            .collect();
        rows.sort_by_key(|row| ordered(row.strike_secs));
        Strides::new(rows, self)
    }

    /// Returns the stays of each foot in order, of a loop in all cycles.
    fn stands(&self, stays: &[Stay]) -> Vec<Vec<Stand>> {
        let period = self.cycle.map_or(f64::INFINITY, |samples| samples as f64);
        let mut stands = vec![Vec::new(); self.feet.len()];
        for stay in stays.iter().filter(|stay| stay.foot < self.feet.len()) {
            let (strike, lift) = (
                stay.strike.unwrap_or(-f64::INFINITY),
                stay.lift.unwrap_or(f64::INFINITY),
            );
            if self.cycle.is_none() && lift > strike {
                stands[stay.foot].push([strike, lift]);
            } else if lift - strike >= period {
                stands[stay.foot] = vec![[-f64::INFINITY, f64::INFINITY]];
            } else if lift > strike {
                let shifts = (0..CYCLES).map(|cycle| cycle as f64 * period);
                stands[stay.foot].extend(shifts.map(|shift| [strike + shift, lift + shift]));
            }
        }
        for of_foot in &mut stands {
            of_foot.sort_by_key(|stand| ordered(stand[0]));
        }
        stands
    }

    /// Measures a stride; `None` if one of its ends is unknown or outside the cycle.
    fn stride(&self, stands: &[Vec<Stand>], foot: usize, [own, next]: [Stand; 2]) -> Option<Stride> {
        let ([strike, lift], end) = (own, next[0]);
        let start = self.cycle.map_or(0.0, |samples| samples as f64);
        let is_here = strike >= start && self.cycle.is_none_or(|_| strike < 2.0 * start);
        if !is_here || lift > end || end >= self.body.len() as f64 {
            return None;
        }
        let secs = |frames: f64| frames * self.frame_time_secs;
        let place = self.place(foot, next);
        let way = self.way([strike, end]);
        let others = (0..stands.len()).filter(|&other| other != foot);
        let strikes_before = others.filter_map(|other| {
            let last = stands[other].partition_point(|stand| stand[0] < end).checked_sub(1)?;
            Some((other, stands[other][last])).filter(|(_, stand)| stand[0] >= strike)
        });
        let step_from = strikes_before.max_by_key(|(_, stand)| ordered(stand[0]));
        let step_metres = step_from.and_then(|(other, stand)| {
            // Measured around the step, but over a whole stride, so that sway cancels.
            let from = 0.5 * (stand[0] + strike);
            let from = from.min((self.body.len() - 1) as f64 - (end - strike)).max(0.0);
            let way = self.way([from, from + end - strike])?;
            Some((place - self.place(other, stand)).dot(way.normalize_or_zero()))
        });
        let strikes = stands.iter().map(|stands| {
            let [from, to] = [strike, end].map(|at| stands.partition_point(|stand| stand[0] < at));
            to - from
        });
        Some(Stride {
            foot,
            side: self.feet[foot].0,
            strike_secs: secs(strike - start),
            lift_secs: secs(lift - start),
            next_strike_secs: secs(end - start),
            stride_metres: way.map(|way| (place - self.place(foot, own)).dot(way.normalize_or_zero())),
            step_secs: step_from.map(|(_, stand)| secs(end - stand[0])),
            step_metres,
            double_support_secs: (stands.len() == 2).then(|| double_support(&stands[1 - foot], own).map(secs)),
            flight_secs: secs(flight(stands, [strike, end])),
            speed_mps: way.map(|way| way.length() / secs(end - strike)),
            cadence_spm: 60.0 * strikes.sum::<usize>() as f64 / secs(end - strike),
        })
    }

    /// Returns the motion of the body over the ground between two frames, metres; `None` in place.
    fn way(&self, frames: [f64; 2]) -> Option<DVec3> {
        let [from, to] = frames.map(|frame| {
            let before = (frame as usize).min(self.body.len() - 1);
            let after = (before + 1).min(self.body.len() - 1);
            self.body[before].lerp(self.body[after], frame - before as f64)
        });
        let way = (to - from) * DVec3::new(1.0, 0.0, 1.0);
        Some(way).filter(|way| way.length() >= self.least_way)
    }

    /// Returns the place where a foot stands: its mean over the middle half of the stay, as far as that is in the take.
    fn place(&self, foot: usize, [strike, lift]: Stand) -> DVec3 {
        let (_, path) = &self.feet[foot];
        let last = (path.len() - 1) as f64;
        let (strike, lift) = (strike.max(0.0), lift.min(last));
        let [from, to] = [0.25, 0.75].map(|share| (strike + share * (lift - strike)).round() as usize);
        let frames = &path[from.min(path.len() - 1)..=to.min(path.len() - 1)];
        mean(frames.iter().copied())
    }
}

/// Returns the parts of the stays of a foot between two frames.
fn within(stands: &[Stand], [from, to]: [f64; 2]) -> impl Iterator<Item = [f64; 2]> {
    let first = stands.partition_point(|stand| stand[0] <= from).saturating_sub(1);
    let overlapping = stands[first..].iter().take_while(move |stand| stand[0] < to);
    let parts = overlapping.map(move |[strike, lift]| [strike.max(from), lift.min(to)]);
    parts.filter(|[from, to]| to > from)
}

/// Returns the number of frames of a stay in which the other foot stands too: at its beginning, and later.
fn double_support(other: &[Stand], own: Stand) -> [f64; 2] {
    let mut frames = [0.0; 2];
    for [from, to] in within(other, own) {
        frames[usize::from(from > own[0])] += to - from;
    }
    frames
}

/// Returns the number of frames between two in which no foot stands.
fn flight(stands: &[Vec<Stand>], [from, to]: [f64; 2]) -> f64 {
    let mut parts: Vec<[f64; 2]> = stands.iter().flat_map(|stands| within(stands, [from, to])).collect();
    parts.sort_by_key(|part| ordered(part[0]));
    let (mut frames, mut down_to) = (0.0, from);
    for [strike, lift] in parts {
        frames += (strike - down_to).max(0.0);
        down_to = down_to.max(lift);
    }
    frames + (to - down_to)
}

impl Strides {
    fn new(rows: Vec<Stride>, paths: &FootPaths) -> Self {
        let longest: Vec<f64> = (0..paths.feet.len())
            .map(|foot| {
                let secs = rows.iter().filter(|row| row.foot == foot).map(Stride::secs);
                PAUSE * percentile::of(secs, 0.5)
            })
            .collect();
        let steady: Vec<&Stride> = rows.iter().filter(|row| row.secs() <= longest[row.foot]).collect();
        let mean = |of: fn(&Stride) -> Option<f64>| Mean::of(steady.iter().map(|row| of(row)));
        let feet: Vec<FootMeans> = paths
            .feet
            .iter()
            .enumerate()
            .map(|(foot, &(side, _))| {
                let mean = |of: fn(&Stride) -> Option<f64>| {
                    Mean::of(steady.iter().filter(|row| row.foot == foot).map(|row| of(row)))
                };
                FootMeans {
                    side,
                    duty: mean(|row| Some(row.duty())),
                    step_secs: mean(|row| row.step_secs),
                    step_metres: mean(|row| row.step_metres),
                }
            })
            .collect();
        let evenness = match &feet[..] {
            [one, other] => Evenness {
                step_secs: Mean::evenness([one.step_secs, other.step_secs]),
                step_metres: Mean::evenness([one.step_metres, other.step_metres]),
                duty: Mean::evenness([one.duty, other.duty]),
            },
            _ => Evenness::default(),
        };
        let strides = Self {
            pauses: rows.len() - steady.len(),
            cadence_spm: mean(|row| Some(row.cadence_spm)),
            speed_mps: mean(|row| row.speed_mps),
            stride_secs: mean(|row| Some(row.secs())),
            stride_metres: mean(|row| row.stride_metres),
            step_secs: mean(|row| row.step_secs),
            step_metres: mean(|row| row.step_metres),
            stance_secs: mean(|row| Some(row.stance_secs())),
            duty: mean(|row| Some(row.duty())),
            double_support: mean(|row| {
                row.double_support_secs
                    .map(|[first, second]| (first + second) / row.secs())
            }),
            flight: mean(|row| Some(row.flight())),
            feet,
            evenness,
            ..Self::default()
        };
        let note = strides.note(paths.run_mps);
        Self { rows, note, ..strides }
    }

    /// Returns the mean footing in a stride; `None` without strides.
    pub(crate) fn footing(&self) -> Option<Footing> {
        let (duty, flight) = (self.duty?.mean, self.flight?.mean);
        Some(Footing { duty, flight })
    }

    /// Returns for each frame the mean footing in the strides around it, over half a second on either side.
    pub(super) fn footings(&self, num_frames: usize, frame_time_secs: f64) -> Vec<Option<Footing>> {
        // Of duties, flights and their number.
        let mut sums = vec![DVec3::ZERO; num_frames];
        for row in self.rows.iter().filter(|row| row.secs() < LONGEST_STRIDE_SECS) {
            let [from, to] =
                [row.strike_secs, row.next_strike_secs].map(|secs| (secs / frame_time_secs).round() as usize);
            for sums in sums.iter_mut().take(to).skip(from) {
                *sums += DVec3::new(row.duty(), row.flight(), 1.0);
            }
        }
        let mut before = vec![DVec3::ZERO];
        for (frame, sums) in sums.into_iter().enumerate() {
            before.push(before[frame] + sums);
        }
        let half = TimeStep::new(frame_time_secs).nearest_from_one(0.5 * FOOTING_SECS);
        (0..num_frames)
            .map(|frame| {
                let (from, to) = around(frame, half, num_frames - 1);
                let [duty, flight, count] = (before[to + 1] - before[from]).to_array();
                // Sums of counts are exact.
                (count > 0.0).then(|| Footing {
                    duty: duty / count,
                    flight: flight / count,
                })
            })
            .collect()
    }

    /// Explains a low double support of a walk.
    fn note(&self, run_mps: f64) -> Option<String> {
        let running = Running {
            from_mps: run_mps,
            footing: None,
        };
        let walks =
            !self.footing()?.flies() && MotionKind::at_speed(self.speed_mps?.mean, 0.0, &running) == MotionKind::Walk;
        let share = self.double_support?.mean;
        (walks && share < LOW_DOUBLE_SUPPORT).then(|| {
            format!("double support of {share:.2}: the walk is light-footed, or its feet leave the ground unseen")
        })
    }
}

#[cfg(test)]
mod tests {
    use core::f64::consts::TAU;

    use super::*;
    use crate::math::ops;
    use crate::tests::numbers;

    const STEP_SECS: f64 = 1.0 / 60.0;
    const PERIOD_SECS: f64 = 1.1137;
    const NUM_FRAMES: usize = 600;

    /// The strike of a foot, in periods, the share of a period in which it stands, and its distance ahead of the body.
    type Step = (f64, f64, f64);

    /// Returns the paths and stays of a body that sways and moves along +Z; the positions of swinging feet are undefined.
    fn walk(mps: f64, steps: &[Step]) -> (FootPaths, Vec<Stay>) {
        let last = (NUM_FRAMES - 1) as f64;
        let (mut stays, mut feet) = (Vec::new(), Vec::new());
        for (foot, &(phase, duty, ahead)) in steps.iter().enumerate() {
            let mut path = vec![DVec3::NAN; NUM_FRAMES];
            for cycle in -1..10 {
                let strike_secs = (f64::from(cycle) + phase) * PERIOD_SECS;
                let [strike, lift] = [0.0, duty * PERIOD_SECS].map(|later| (strike_secs + later) / STEP_SECS);
                if lift <= 0.0 || strike >= last {
                    continue;
                }
                stays.push(Stay {
                    foot,
                    strike: Some(strike).filter(|&strike| strike > 0.0),
                    lift: Some(lift).filter(|&lift| lift < last),
                });
                let stands = &mut path[strike.max(0.0) as usize..=lift.min(last) as usize];
                stands.fill(DVec3::new(0.1 - 0.2 * foot as f64, 0.0, mps * strike_secs + ahead));
            }
            feet.push((None, path));
        }
        let body = (0..NUM_FRAMES).map(|frame| frame as f64 * STEP_SECS);
        let paths = FootPaths {
            body: body
                .map(|secs| DVec3::new(0.02 * ops::sin(TAU * secs / PERIOD_SECS), 0.9, mps * secs))
                .collect(),
            feet,
            frame_time_secs: STEP_SECS,
            least_way: LEAST_WAY_METRES,
            run_mps: 2.1,
            cycle: None,
        };
        (paths, stays)
    }

    #[track_caller]
    fn near(found: Option<Mean>, expected: f64) {
        let found = found.unwrap();
        assert!((found.mean - expected).abs() < 1e-4, "{found:?}, expected {expected}");
    }

    #[test]
    fn measures_of_two_feet_have_their_closed_form() {
        for (mps, left, right, notes) in [
            (1.3, (0.1, 0.62, 0.0), (0.6, 0.62, 0.0), false),
            (1.1, (0.1, 0.55, 0.02), (0.55, 0.65, -0.03), false),
            (1.2, (0.9, 0.52, 0.0), (0.4, 0.52, 0.0), true),
            (3.2, (0.3, 0.35, 0.1), (0.8, 0.35, 0.1), false),
        ] {
            let (paths, stays) = walk(mps, &[left, right]);
            let found = paths.strides(&stays);
            let later = (right.0 - left.0 + 1.0) % 1.0;
            // For the left foot: after its strike, and before its lift.
            let both = [later + right.1 - 1.0, left.1 - later].map(|share| share.max(0.0));
            near(found.cadence_spm, 120.0 / PERIOD_SECS);
            near(found.speed_mps, mps);
            near(found.stride_secs, PERIOD_SECS);
            near(found.stride_metres, mps * PERIOD_SECS);
            near(found.duty, 0.5 * (left.1 + right.1));
            near(found.double_support, both[0] + both[1]);
            near(found.flight, 1.0 - left.1 - right.1 + both[0] + both[1]);
            let step_secs = [1.0 - later, later].map(|share| share * PERIOD_SECS);
            let ahead = left.2 - right.2;
            let step_metres = [mps * step_secs[0] + ahead, mps * step_secs[1] - ahead];
            for (foot, of_foot) in found.feet.iter().enumerate() {
                near(of_foot.step_secs, step_secs[foot]);
                near(of_foot.step_metres, step_metres[foot]);
                near(of_foot.duty, [left.1, right.1][foot]);
            }
            let even = |[one, other]: [f64; 2]| one.min(other) / one.max(other);
            near(found.evenness.step_secs, even(step_secs));
            near(found.evenness.step_metres, even(step_metres));
            near(found.evenness.duty, even([left.1, right.1]));
            assert_eq!(found.note.is_some(), notes, "{:?}", found.note);
            let row = found.rows.iter().find(|row| row.foot == 0).unwrap();
            assert!((row.strike_secs - left.0 * PERIOD_SECS).abs() < 1e-9);
            let [after, before] = row.double_support_secs.unwrap().map(|secs| secs / PERIOD_SECS);
            assert!((after - both[0]).abs() + (before - both[1]).abs() < 1e-9);
            assert!(found.stride_secs.unwrap().std_dev.unwrap() < 1e-9);
            assert_eq!((found.rows.len(), found.pauses), (found.stride_secs.unwrap().count, 0));
        }
    }

    #[test]
    fn a_mean_has_its_standard_error() {
        let mean = Mean::of([Some(1.0), None, Some(2.0), Some(3.0), Some(4.0)].into_iter()).unwrap();
        assert_eq!((mean.mean, mean.count), (2.5, 4));
        let variance = 5.0_f64 / 3.0;
        assert_eq!(mean.std_dev, Some(variance.sqrt()));
        assert_eq!(mean.std_error, Some(variance.sqrt() / 2.0));
        let single = Mean::of([Some(4.0)].into_iter()).unwrap();
        assert_eq!((single.std_dev, single.std_error), (None, None));
        // Of the quotient 1/2 by its differentials: sqrt(.1^2 + (.5 .2)^2) / 2.
        let [small, large] = [(1.0, 0.1, 5), (2.0, 0.2, 7)].map(|(mean, error, count)| {
            let (std_dev, std_error) = (None, Some(error));
            Some(Mean {
                mean,
                std_dev,
                std_error,
                count,
            })
        });
        let even = Mean::evenness([large, small]).unwrap();
        assert_eq!((even.mean, even.count), (0.5, 5));
        assert!((even.std_error.unwrap() - 0.02_f64.sqrt() / 2.0).abs() < 1e-12);
        assert_eq!(Mean::evenness([large, None]), None);
    }

    #[test]
    fn in_place_no_length_is_known_but_over_a_belt() {
        let velocity = DVec3::new(0.0, 0.0, 1.3);
        let (ahead, stays) = walk(velocity.z, &[(0.1, 0.6, 0.0), (0.6, 0.6, 0.0)]);
        let in_place = ahead.clone().over(|_| velocity);
        let (wanted, found) = (ahead.strides(&stays), in_place.strides(&stays));
        assert_eq!(
            (
                found.speed_mps,
                found.stride_metres,
                found.step_metres,
                found.evenness.step_metres
            ),
            (None, None, None, None)
        );
        assert_eq!((found.cadence_spm, found.flight), (wanted.cadence_spm, wanted.flight));
        let on_belt = in_place.over(|_| -velocity).strides(&stays);
        near(on_belt.stride_metres, wanted.stride_metres.unwrap().mean);
        near(on_belt.speed_mps, velocity.z);
    }

    #[test]
    fn pauses_do_not_count() {
        let (paths, mut stays) = walk(1.3, &[(0.1, 0.6, 0.0), (0.6, 0.6, 0.0)]);
        let wanted = paths.strides(&stays);
        stays.retain(|stay| !(200.0..330.0).contains(&stay.strike.unwrap_or(0.0)));
        let found = paths.strides(&stays);
        assert_eq!(found.pauses, 2);
        near(found.cadence_spm, wanted.cadence_spm.unwrap().mean);
        near(found.flight, 0.0);
        let longest = found.rows.iter().map(Stride::secs).fold(0.0, f64::max);
        assert!(longest > 2.5 * PERIOD_SECS, "{longest}");
    }

    #[test]
    fn bodies_have_one_to_eight_feet() {
        for count in 1..=8 {
            let steps: Vec<Step> = (0..count).map(|foot| (foot as f64 / count as f64, 0.1, 0.0)).collect();
            let (paths, stays) = walk(2.0, &steps);
            let found = paths.strides(&stays);
            near(found.cadence_spm, 60.0 * count as f64 / PERIOD_SECS);
            near(found.flight, 1.0 - 0.1 * count as f64);
            assert_eq!(found.double_support.is_some(), count == 2);
            assert_eq!(found.evenness.duty.is_some(), count == 2);
            assert_eq!(found.step_secs.is_some(), count > 1);
            assert_eq!(found.feet.len(), count);
        }
        let none = walk(1.0, &[]).0.strides(&[]);
        assert_eq!(none, Strides::default());
    }

    /// The facts in a loop's file may hold any values.
    #[test]
    fn no_stay_is_too_odd() {
        let mut number = numbers(3);
        for cycle in [None, Some(NUM_FRAMES / CYCLES)] {
            for _ in 0..300 {
                let mut odd = || match number() {
                    low if low < -0.8 => None,
                    high if high > 0.9 => Some(f64::NAN),
                    high if high > 0.8 => Some(f64::INFINITY),
                    at => Some(400.0 * at),
                };
                let stays: Vec<Stay> = (0..24)
                    .map(|at| {
                        let (strike, lift) = (odd(), odd());
                        Stay {
                            foot: at % 4,
                            strike,
                            lift,
                        }
                    })
                    .collect();
                let (paths, _) = walk(1.0, &[(0.0, 1.0, 0.0); 3]);
                let found = FootPaths { cycle, ..paths }.strides(&stays);
                assert!(
                    found.flight.is_none_or(|flight| (0.0..=1.0).contains(&flight.mean)),
                    "{found:?}"
                );
            }
        }
    }
}
