//! Time as a setting: how long a loop lasts, how fast it goes, and when its feet touch down. Derivation: docs/math/time.md.

use core::{
    fmt::{self, Display, Formatter},
    str::FromStr,
};

use super::{MakeError, Plan, Sampling};
use crate::{
    analysis::{Body, MOVING_MPS, Side, Stay},
    edit::LoopEdit,
    feet::{self, Bearing, FootModel, Stage},
    loop_clip::LoopClip,
    math::{Rigid, Twist, mean, ops, ordered, percentile, smallest, time_map::TimeMap},
    motion::{Pose, PoseCurve, RootMotion, Skeleton, Tracks},
    root_motion::RootRelativeClip,
    take::Clip,
};

/// The length of a loop.
#[handed_over(Copy)]
pub enum Length {
    /// Seconds.
    Secs(f64),
    /// Touch-downs a minute.
    StepsPerMinute(f64),
}

/// The quantity that stays the same if only the length of a loop is given, or only its speed.
#[handed_over(Copy, Default, Eq)]
#[in_words]
pub enum Keep {
    /// The length of its strides: nothing but time changes.
    #[default]
    Stride,
    /// Its speed.
    Speed,
    /// The relation by which people change their pace: cadence grows with a power of speed.
    Natural,
}

/// Powers of speed with which the cadence of people grows, walking and running: least errors of the period among 546 pairs of takes
/// (docs/math/time.md).
const WALKING: f64 = 0.5;
const RUNNING: f64 = 0.2;

/// A moment of a cycle.
#[handed_over(Copy)]
pub enum FallsAt {
    /// A share of the cycle, 0 to 1.
    Share(f64),
    /// Seconds after its start.
    Secs(f64),
}

/// When the feet of each side touch down in each cycle.
#[handed_over(Copy, Default)]
pub struct Footfalls {
    /// When the left foot touches down.
    pub left: Option<FallsAt>,
    /// When the right foot touches down.
    pub right: Option<FallsAt>,
}

impl Footfalls {
    fn given(self) -> impl Iterator<Item = (Side, FallsAt)> {
        [(Side::Left, self.left), (Side::Right, self.right)]
            .into_iter()
            .filter_map(|(side, moment)| Some((side, moment?)))
    }
}

impl FromStr for Footfalls {
    type Err = &'static str;

    /// A side and a moment, or two with a comma: `left:0.25,right:0.75`, in seconds `left:0.1833s`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const ERROR: &str =
            "must be like left:0.25,right:0.75: shares of the cycle from 0 to below 1, or seconds as in left:0.1833s";
        let mut falls = Self::default();
        for part in text.split(',') {
            let (side, moment) = part.trim().split_once(':').ok_or(ERROR)?;
            let (number, moment, end): (_, fn(f64) -> FallsAt, _) = match moment.strip_suffix('s') {
                Some(secs) => (secs, FallsAt::Secs, f64::INFINITY),
                None => (moment, FallsAt::Share, 1.0),
            };
            let number = number.trim().parse().map_err(|_| ERROR)?;
            let fall = match side.parse() {
                Ok(Side::Left) => &mut falls.left,
                Ok(Side::Right) => &mut falls.right,
                Err(_) => return Err(ERROR),
            };
            if !(0.0..end).contains(&number) || fall.replace(moment(number)).is_some() {
                return Err(ERROR);
            }
        }
        Ok(falls)
    }
}

impl Display for Footfalls {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        for (index, (side, moment)) in self.given().enumerate() {
            f.write_str(if index > 0 { "," } else { "" })?;
            match moment {
                FallsAt::Share(share) => write!(f, "{side}:{share}")?,
                FallsAt::Secs(secs) => write!(f, "{side}:{secs}s")?,
            }
        }
        Ok(())
    }
}

/// The time of a loop: all as recorded by default.
#[handed_over(Copy, Default)]
pub struct Timing {
    /// The times at which it is sampled.
    pub sampling: Sampling,
    /// The length of the loop.
    pub length: Option<Length>,
    /// Its speed over the ground, metres per second.
    pub speed_mps: Option<f64>,
    /// The quantity that stays the same if only one of the two is given.
    pub keep: Keep,
    /// When its feet touch down; it then starts so that they do.
    pub footfalls: Footfalls,
}

impl From<Sampling> for Timing {
    fn from(sampling: Sampling) -> Self {
        Self {
            sampling,
            ..Self::default()
        }
    }
}

/// The differences in timing between a loop and the stretch that it was made from.
#[handed_over(Copy)]
pub struct Retimed {
    /// Its length over the recorded one.
    pub length: f64,
    /// Length of its strides over the recorded one.
    pub stride: f64,
    /// The least and the greatest rate at which the recorded cycle is shown, over the mean rate.
    pub rates: [f64; 2],
    /// How far its touch-downs are moved against each other, as a share of a cycle.
    pub footfalls: f64,
    /// The foot that touches down earliest for it.
    pub earliest: Option<Side>,
    /// The 95th percentile of the accelerations of joints over that before, times the square of [`Self::length`]: 1 if time is
    /// stretched evenly.
    pub acceleration: f64,
    /// Whether the length was given in seconds.
    pub is_exact: bool,
}

/// Lengths, strides, footfalls and rates beyond which a loop is refused.
const LENGTHS: [f64; 2] = [0.8, 1.25];
const STRIDES: [f64; 2] = [0.85, 1.12];
const FOOTFALLS: f64 = 0.08;
const RATES: [f64; 2] = [0.75, 1.33];

/// Why a loop cannot have the time that is asked for.
#[error_kinds(Copy)]
pub enum TimingError {
    #[error(
        "a loop of {wanted_secs:.4} s is {:.2} times as long as recorded, beyond {} to {}: {:.4} to {:.4} s",
        wanted_secs / own_secs, LENGTHS[0], LENGTHS[1], LENGTHS[0] * own_secs, LENGTHS[1] * own_secs
    )]
    Length { wanted_secs: f64, own_secs: f64 },
    #[error("its strides would be {stride:.2} times as long as recorded, beyond {} to {}", STRIDES[0], STRIDES[1])]
    Stride { stride: f64 },
    #[error(
        "its touch-downs would move by {shift:.3} of a cycle against each other, beyond {FOOTFALLS}: the {earliest} foot comes too early"
    )]
    Footfalls { shift: f64, earliest: Side },
    #[error("it would be shown at {:.2} to {:.2} times its rate in places, beyond {} to {}", rates[0], rates[1], RATES[0], RATES[1])]
    Rates { rates: [f64; 2] },
    #[error("it stays in place, so that it has no other speed")]
    Stays,
    #[error("a given speed is not kept: output.keep is stride or natural, or the length is given, too")]
    KeepsSpeed,
    #[error("it has no steps to count")]
    NoSteps,
    #[error("the {side} foot never touches down in it")]
    NeverTouches { side: Side },
    #[error("the left foot touches down {left} times in it, the right foot {right} times")]
    Uneven { left: usize, right: usize },
    #[error("a touch-down at {found} s lies outside a cycle of {cycle_secs:.4} s")]
    Outside { found: f64, cycle_secs: f64 },
}

/// Lengths and strides are given in a few digits.
const ROUNDING: f64 = 5e-4;

/// Lengths within this share of a frame of a whole number of frames are that number.
const WHOLE_FRAMES: f64 = 0.01;

/// Feet that stand for fewer samples are held again in loops that loop already.
const FEWEST_SAMPLES: f64 = 6.0;

/// A closed loop with its timing applied.
pub(super) struct Timed {
    pub loop_clip: LoopClip,
    pub source: RootRelativeClip,
    /// The edits that were applied to it.
    pub edits: Vec<LoopEdit>,
    pub retimed: Option<Retimed>,
    /// The sample that is written first.
    pub first_sample: usize,
    /// Whether feet stand for so few of its samples that straight lines between them are visible.
    pub has_short_contacts: bool,
    /// The accelerations of the original loop at as many samples, as `hardest` measures them.
    hardest: f64,
    /// When points of its feet bear, if its strides have another length.
    pub bearing: Option<Vec<Bearing>>,
}

impl Timed {
    /// Returns the loop at the times of a course.
    fn at(self, course: &Course, step_secs: f64) -> Result<Self, MakeError> {
        let Self { loop_clip, source, .. } = self;
        let root_joint = source.root_joint;
        let own_course = Course::new(None, course.count, loop_clip.num_samples());
        let own_step_secs = loop_clip.period_secs() / course.count as f64;
        let own = loop_at(&own_course, own_step_secs, loop_clip.clone(), root_joint)?;
        Ok(Self {
            hardest: hardest(&own),
            loop_clip: loop_at(course, step_secs, loop_clip, root_joint)?,
            source: source_at(course, step_secs, source),
            first_sample: course.first_sample(),
            ..self
        })
    }

    /// Measures the effects of its timing, once its feet are held.
    pub(super) fn measure(&mut self) {
        if let Some(retimed) = self.retimed.as_mut().filter(|_| self.hardest > 0.0) {
            retimed.acceleration = hardest(&self.loop_clip) / self.hardest * retimed.length * retimed.length;
        }
    }

    /// Whether the second half is still like the first.
    pub(super) fn is_even(&self) -> bool {
        self.retimed.is_none_or(|retimed| retimed.footfalls == 0.0)
    }
}

impl Timing {
    /// Whether it is as recorded.
    fn is_own(&self) -> bool {
        *self == self.sampling.into()
    }

    /// Returns the times at which a stretch is sampled before it is timed.
    pub(super) fn before(&self) -> Sampling {
        if self.is_own() {
            self.sampling
        } else {
            Sampling::SourceRate
        }
    }

    /// Returns length and stride over the recorded ones.
    fn pace(&self, clip: &LoopClip, stays: &[Stay], num_feet: usize) -> Result<[f64; 2], TimingError> {
        let (own_secs, own_mps) = (clip.period_secs(), ops::over_ground(clip.root().twist.linear));
        let length = match self.length {
            None => None,
            Some(Length::Secs(secs)) => Some(secs / own_secs),
            Some(Length::StepsPerMinute(rate)) => {
                let steps = stays.iter().filter(|stay| stay.strike.is_some()).count();
                if steps == 0 {
                    return Err(TimingError::NoSteps);
                }
                Some(60.0 * steps as f64 / rate / own_secs)
            }
        };
        let moves = own_mps >= MOVING_MPS;
        if self.speed_mps.is_some() && !moves {
            return Err(TimingError::Stays);
        }
        let faster = self.speed_mps.map(|mps| mps / own_mps);
        let to_power = |base: f64, power: f64| ops::exp(power * ops::ln(base));
        let exponent = || {
            if is_run(clip, stays, num_feet) {
                RUNNING
            } else {
                WALKING
            }
        };
        let [length, faster] = match (length, faster, self.keep) {
            (Some(length), Some(faster), _) => [length, faster],
            (None, Some(_), Keep::Speed) => return Err(TimingError::KeepsSpeed),
            (None, Some(faster), Keep::Stride) => [1.0 / faster, faster],
            (None, Some(faster), Keep::Natural) => [to_power(faster, -exponent()), faster],
            (Some(length), None, Keep::Speed) if moves => [length, 1.0],
            (Some(length), None, Keep::Natural) if moves => [length, to_power(length, -1.0 / exponent())],
            (length, None, _) => [length.unwrap_or(1.0), 1.0 / length.unwrap_or(1.0)],
        };
        let is_within = |value: f64, [least, most]: [f64; 2]| (least - ROUNDING..=most + ROUNDING).contains(&value);
        if !is_within(length, LENGTHS) {
            return Err(TimingError::Length {
                wanted_secs: length * own_secs,
                own_secs,
            });
        }
        let stride = length * faster;
        if !is_within(stride, STRIDES) {
            return Err(TimingError::Stride { stride });
        }
        Ok([length, if (stride - 1.0).abs() < 1e-9 { 1.0 } else { stride }])
    }

    /// Returns the number of samples and the seconds between them of a loop that lasts so long, of a take of that rate;
    /// `in_whole_frames` if it may rather last a little longer or shorter than be off that rate.
    fn samples(&self, secs: f64, take_rate_hz: f64, is_mirrored: bool, in_whole_frames: bool) -> (usize, f64) {
        let rate_hz = match self.sampling {
            Sampling::SourceRate => take_rate_hz,
            Sampling::Rate(rate_hz) => rate_hz,
            Sampling::Samples(count) => return (count, secs / count.max(1) as f64),
        };
        let frames = secs * rate_hz;
        let count = if is_mirrored {
            2.0 * (frames / 2.0).round()
        } else {
            frames.round()
        }
        .max(1.0);
        let step_secs = if in_whole_frames || (frames - count).abs() < WHOLE_FRAMES {
            1.0 / rate_hz
        } else {
            secs / count
        };
        (count as usize, step_secs)
    }

    /// Returns pairs of the new and the recorded share of the loop at which a foot touches down, with its side; empty if none are given.
    fn moments(
        &self,
        body: &Body,
        stays: &[Stay],
        [count, secs]: [f64; 2],
    ) -> Result<Vec<(Side, [f64; 2])>, TimingError> {
        let mut moments: Vec<(Side, [f64; 2])> = Vec::new();
        let mut numbers = Vec::new();
        for (side, moment) in self.footfalls.given() {
            let foot = body.feet.iter().position(|foot| foot.side == Some(side));
            let mut own: Vec<f64> = stays
                .iter()
                .filter(|stay| Some(stay.foot) == foot)
                .filter_map(|stay| Some(stay.strike? / count))
                .collect();
            own.sort_by(f64::total_cmp);
            let Some(&first) = own.first() else {
                return Err(TimingError::NeverTouches { side });
            };
            numbers.push(own.len());
            let cycles = own.len() as f64;
            let share = match moment {
                FallsAt::Share(share) => share,
                FallsAt::Secs(found) => found * cycles / secs,
            };
            if let FallsAt::Secs(found) = moment
                && share >= 1.0
            {
                return Err(TimingError::Outside {
                    found,
                    cycle_secs: secs / cycles,
                });
            }
            let off = moments
                .first()
                .map_or(first - share / cycles, |(_, [new, old])| old - new);
            moments.extend((0..own.len()).map(|cycle| {
                let new = (cycle as f64 + share) / cycles;
                let apart = own.iter().map(|old| (old - new - off) - (old - new - off).round());
                let nearest = apart.min_by_key(|off| ordered(off.abs())).unwrap_or(0.0);
                (side, [new, new + off + nearest])
            }));
        }
        if let [left, right] = numbers[..]
            && left != right
        {
            return Err(TimingError::Uneven { left, right });
        }
        moments.sort_by_key(|(_, [new, _])| ordered(*new));
        Ok(moments)
    }
}

/// Whether the feet of a gait are on the ground for less than half of the time.
fn is_run(clip: &LoopClip, stays: &[Stay], num_feet: usize) -> bool {
    let whole = clip.num_samples() as f64;
    let borne = stays
        .iter()
        .map(|stay| stay.strike.zip(stay.lift).map_or(whole, |(strike, lift)| lift - strike));
    borne.sum::<f64>() < 0.5 * whole * num_feet as f64
}

/// The changed timing of a loop: what each of its samples shows.
struct Course {
    /// Maps time to the original loop; see [`Self::at`].
    map: Option<TimeMap>,
    /// Number of samples after and before.
    count: usize,
    before: f64,
    /// The share of the new cycle that is shown at sample 0, which is written first, and the number of whole cycles before it.
    from: [f64; 2],
}

impl Course {
    fn new(map: Option<TimeMap>, count: usize, before: usize) -> Self {
        // The sample 0 stays as near to the seam as it can.
        let off_seam = |map: &TimeMap, sample: usize| {
            let old = map.at(sample as f64 / count as f64);
            (old - old.round()).abs()
        };
        let nearest = |map: &TimeMap| (0..count).min_by_key(|&sample| ordered(off_seam(map, sample)));
        let share = map.as_ref().and_then(nearest).unwrap_or(0) as f64 / count as f64;
        let cycles = map.as_ref().map_or(0.0, |map| map.at(share).round());
        Self {
            map,
            count,
            before: before as f64,
            from: [share, cycles],
        }
    }

    /// Returns the share of the original loop that a sample shows.
    fn at(&self, sample: isize) -> f64 {
        let share = sample as f64 / self.count as f64;
        match &self.map {
            Some(map) => map.at(share + self.from[0]) - self.from[1],
            None => share,
        }
    }

    /// Returns how far a sample is ahead of even time, as a share of the original loop.
    fn ahead(&self, sample: isize) -> f64 {
        self.at(sample) - sample as f64 / self.count as f64
    }

    fn mean_ahead(&self) -> f64 {
        mean((0..self.count as isize).map(|sample| self.ahead(sample)))
    }

    /// Whether the samples are those of the original loop.
    fn is_same(&self) -> bool {
        self.map.is_none() && self.count as f64 == self.before
    }

    fn first_sample(&self) -> usize {
        (self.count - (self.from[0] * self.count as f64).round() as usize) % self.count
    }
}

/// The root of the original motion, with its body moved so that each sample is where it was at its original time.
struct Carried {
    root: RootMotion,
    secs: f64,
    mean_ahead: f64,
    carrier: usize,
    root_joint: Option<usize>,
}

impl Carried {
    fn motion(&self, ahead: f64) -> Rigid {
        self.root.twist.exp((ahead - self.mean_ahead) * self.secs)
    }

    fn pose(&self, skeleton: &Skeleton, mut pose: Pose, ahead: f64) -> Pose {
        let motion = self.motion(ahead);
        pose.carry(skeleton, self.carrier, motion);
        match self.root_joint {
            Some(joint) => pose.as_ref().with_joint_led(skeleton, joint, motion.inverse()),
            None => pose,
        }
    }

    /// Returns the root that moves evenly over a period, seconds.
    fn root(&self, secs: f64) -> RootMotion {
        let Twist { linear, angular } = self.root.twist;
        let slower = self.secs / secs;
        RootMotion {
            start: self.root.start * self.root.twist.exp(self.mean_ahead * self.secs),
            twist: Twist::new(linear * slower, angular * slower),
        }
    }
}

impl Plan<'_> {
    /// Returns the closed loop, and its uncut samples, at the times asked for.
    pub(super) fn timed(&self, loop_clip: LoopClip, source: RootRelativeClip) -> Result<Timed, MakeError> {
        let timing = &self.settings.timing;
        let mut timed = Timed {
            loop_clip,
            source,
            edits: Vec::new(),
            retimed: None,
            first_sample: 0,
            has_short_contacts: false,
            hardest: 0.0,
            bearing: None,
        };
        if timing.is_own() {
            return Ok(timed);
        }
        let (body, limits) = (&self.analysis.body, self.analysis.contacts.limits());
        let clip = &timed.loop_clip;
        let stays = feet::bearings(&Stage::of_loop(clip), body, limits).stays;
        let [length, mut stride] = timing.pace(clip, &stays, body.feet.len())?;
        let wanted_secs = length * clip.period_secs();
        // Files of robots have fixed rates: unless the seconds are given, strides take up the rest of a frame.
        let in_whole_frames = clip.skeleton().hinges().is_some() && !matches!(timing.length, Some(Length::Secs(_)));
        let (count, step_secs) = timing.samples(
            wanted_secs,
            self.analysis.take.frame_rate_hz(),
            self.candidate.pairing.is_mirrored(),
            in_whole_frames,
        );
        let secs = count as f64 * step_secs;
        if in_whole_frames {
            stride *= secs / wanted_secs;
        }
        let moments = timing.moments(body, &stays, [clip.num_samples() as f64, secs])?;
        let (footfalls, earliest) = moved(&moments)?;
        let mut retimed = Retimed {
            length: secs / clip.period_secs(),
            stride,
            rates: [1.0; 2],
            footfalls,
            earliest,
            acceleration: 1.0,
            is_exact: matches!(timing.length, Some(Length::Secs(_))),
        };
        let moments: Vec<_> = moments.into_iter().map(|(_, moment)| moment).collect();
        let map = (!moments.is_empty()).then(|| TimeMap::through(&moments));
        if let Some(map) = &map {
            retimed.rates = map.rates();
            if retimed.rates[0] < RATES[0] || retimed.rates[1] > RATES[1] {
                return Err(TimingError::Rates { rates: retimed.rates }.into());
            }
        }
        let course = Course::new(map, count, clip.num_samples());
        timed.retimed = Some(retimed);
        if course.is_same() && (retimed.length - 1.0).abs() < 1e-12 && stride == 1.0 {
            return Ok(timed);
        }
        timed.has_short_contacts = stays
            .iter()
            .filter_map(|stay| Some(stay.lift? - stay.strike?))
            .any(|samples| samples * (count as f64 / course.before) < FEWEST_SAMPLES);
        let mut timed = timed.at(&course, step_secs)?;
        if stride != 1.0 {
            let stage = Stage::of_loop(&timed.loop_clip);
            timed.bearing = Some(feet::bearing(&stage, body, &FootModel::new(&stage, body, limits)));
            let Twist { linear, angular } = timed.loop_clip.root().twist;
            (timed.loop_clip, timed.source) =
                super::at_twist(timed.loop_clip, timed.source, Twist::new(linear * stride, angular));
        }
        Ok(timed)
    }
}

/// Measures how far touch-downs are moved against each other, as a share of a cycle, and which foot touches down earliest for it.
fn moved(moments: &[(Side, [f64; 2])]) -> Result<(f64, Option<Side>), TimingError> {
    let cycles = moments
        .iter()
        .filter(|(side, _)| Some(side) == moments.first().map(|(side, _)| side))
        .count();
    let early = moments
        .iter()
        .map(|(side, [new, old])| (*side, (old - new) * cycles as f64));
    let least = smallest(early.clone().map(|(_, early)| early));
    match early.max_by_key(|(_, early)| ordered(*early)) {
        None => Ok((0.0, None)),
        Some((earliest, most)) if most - least > FOOTFALLS => Err(TimingError::Footfalls {
            shift: most - least,
            earliest,
        }),
        Some((earliest, most)) => Ok((most - least, Some(earliest))),
    }
}

/// Returns the 95th percentile of the accelerations of all joints of a loop, metres per second squared.
fn hardest(clip: &LoopClip) -> f64 {
    let places: Vec<_> = (0..clip.num_samples() + 2)
        .map(|key| clip.world_pose(key).translations)
        .collect();
    let step = clip.step_secs();
    let accelerations = places.windows(3).flat_map(|three| {
        let joints = three[0].iter().zip(&three[1]).zip(&three[2]);
        joints.map(|((&from, &at), &to)| (from - 2.0 * at + to).length() / (step * step))
    });
    percentile::of(accelerations, 0.95)
}

fn loop_at(course: &Course, step_secs: f64, clip: LoopClip, root_joint: Option<usize>) -> Result<LoopClip, MakeError> {
    let carried = Carried {
        root: *clip.root(),
        secs: clip.period_secs(),
        mean_ahead: course.mean_ahead(),
        carrier: clip.carrier(),
        root_joint,
    };
    let skeleton = clip.skeleton();
    let tracks = if course.is_same() {
        Tracks::pose_by_pose(
            skeleton,
            step_secs,
            (0..course.count).map(|sample| clip.body_pose(sample)),
        )
    } else {
        let curve = PoseCurve::around(clip.tracks());
        let poses = (0..course.count as isize).map(|sample| {
            let shown = curve.at(course.at(sample) * course.before);
            carried.pose(skeleton, shown, course.ahead(sample))
        });
        Tracks::pose_by_pose(skeleton, step_secs, poses)
    };
    let root = carried.root(course.count as f64 * step_secs);
    Ok(LoopClip::new(clip.name(), tracks, clip.carrier(), root)?)
}

fn source_at(course: &Course, step_secs: f64, source: RootRelativeClip) -> RootRelativeClip {
    let clip = &source.clip;
    let samples = clip.sample_range();
    let carried = Carried {
        root: source.root,
        secs: clip.period_secs(),
        mean_ahead: course.mean_ahead(),
        carrier: source.carrier,
        root_joint: source.root_joint,
    };
    let [first, last] = [*samples.start(), *samples.end()].map(|sample| sample as f64);
    let shown = |sample: isize| course.at(sample) * course.before;
    let count = course.count as isize;
    let before = (1..=count).take_while(|&sample| shown(-sample) >= first).count() as isize;
    let after = (1..=count).take_while(|&sample| shown(count + sample) <= last).count() as isize;
    let times: Vec<f64> = samples.clone().map(|sample| sample as f64).collect();
    let poses: Vec<Pose> = samples.map(|sample| clip.pose(sample).to_pose()).collect();
    let curve = PoseCurve::new(times.clone(), &poses);
    let captured = if source.captured.is_empty() {
        Vec::new()
    } else {
        let own: Vec<Pose> = source
            .captured
            .iter()
            .map(|own| Pose::new(vec![own.translation], vec![own.rotation]))
            .collect();
        let curve = PoseCurve::new(times, &own);
        (-before..=count + after)
            .map(|sample| carried.motion(course.ahead(sample)) * curve.at(shown(sample)).joint(0))
            .collect()
    };
    let retimed = (-before..=count + after)
        .map(|sample| carried.pose(clip.skeleton(), curve.at(shown(sample)), course.ahead(sample)));
    let tracks = Tracks::pose_by_pose(clip.skeleton(), step_secs, retimed);
    RootRelativeClip {
        clip: Clip::from_samples(tracks, course.count, before as usize),
        root: carried.root(course.count as f64 * step_secs),
        captured,
        ..source
    }
}
