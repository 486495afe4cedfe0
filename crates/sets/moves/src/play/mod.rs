//! Plays a set of loops one after the other, in random order with invisible jumps.
//!
//! A jump leaves one loop and enters another at the two phases between which it costs least (`jump`); from a given time it
//! enters at the cheapest phase (`entry`). The offset and the difference of rates that it leaves fade away (`offset`), so that
//! every joint and the root continue without a step or a jerk. A [`LoopSet`] draws from a seed which loop comes next and for how
//! many cycles. Derivation: docs/math/blend.md.

use std::sync::Arc;

use rand_pcg::{
    Pcg64,
    rand_core::{Rng, SeedableRng},
};

use crate::floor::{on_one_floor, other_skeleton};
use loopwright_core::{
    analysis::BodyOverrides,
    feet::fade::{FadingLoop, Footwork, SolvedFade},
    loop_clip::{Interpolation, LoopClip, LoopClipError},
    math::{Decay, Rigid, ordered, smallest},
    motion::{Pose, Skeleton, SkeletonDifference, Tracks},
    take::{Take, TakeError},
};

pub(crate) mod entry;
pub(crate) mod jump;
pub(crate) mod offset;

pub mod switch;

pub use entry::Entry;
pub use jump::Jump;
pub use offset::{FadingOffset, MovingPose};

use entry::{SampledLoops, WeightedState};
use jump::Jumps;

/// How a set of loops is played.
#[value]
pub struct PlaySettings {
    /// Seed of the order: the same seed gives the same order.
    pub seed: u64,
    /// How the offset of a jump fades. The cost of jumps uses the same decay.
    pub fade: Decay,
    /// Fewest and most whole cycles for which a loop plays. A number is drawn for each loop, which then plays on to its best
    /// exit, less than one cycle later.
    pub cycles: [u32; 2],
    /// Whether feet are held through the fades: standing feet stay in place, and nothing goes below the floor.
    pub feet: bool,
}

impl Default for PlaySettings {
    fn default() -> Self {
        Self {
            seed: 0,
            fade: DEFAULT_FADE,
            cycles: [1, 3],
            feet: true,
        }
    }
}

/// Blend time of the default fade, seconds. If shorter, a limb that is far away darts; if longer, it drifts well into its loop.
pub const DEFAULT_FADE_SECS: f64 = 0.4;

/// The default fade.
pub const DEFAULT_FADE: Decay = Decay::Quintic {
    blend_secs: DEFAULT_FADE_SECS,
};

/// Shortest and longest fade, seconds: one frame at high rates, and far longer than any step.
const FADE_SECS: core::ops::RangeInclusive<f64> = 0.01..=10.0;

/// Most loops played one after the other: a guard against typing errors that would fill the memory.
const MAX_SEGMENTS: usize = 100_000;

/// Most transforms (frames times joints) of a written performance: hours of a body with fingers.
pub const MAX_TRANSFORMS: usize = 20_000_000;

/// Why loops cannot be played one after the other.
#[error_kinds]
pub enum PlayError {
    #[error("there are no loops")]
    NoLoops,
    #[error("the skeleton of loop {index} differs from that of the first loop: {difference}")]
    Skeleton {
        /// The loop, counted from 0.
        index: usize,
        difference: SkeletonDifference,
    },
    #[error("the duration must be a positive number of seconds, found {found}")]
    Duration { found: f64 },
    /// The fade is too short or too long.
    #[error(
        "the fade of a jump must last {min} to {max} seconds, found {found}",
        min = FADE_SECS.start(),
        max = FADE_SECS.end()
    )]
    FadeSecs { found: f64 },
    /// The cycles are out of order, or zero.
    #[error(
        "each loop must play for 1 cycle or more, with the smaller number first, found {} to {}",
        .found[0],
        .found[1]
    )]
    Cycles { found: [u32; 2] },
    /// The number of loops is too large to be intended.
    #[error("the duration may need more than {MAX_SEGMENTS} loops in sequence")]
    TooLong,
    /// There are more frames than a take may hold.
    #[error("{found} transforms (frames times joints) are requested, the limit is {MAX_TRANSFORMS}")]
    TooManyFrames { found: f64 },
    /// The frames do not form a take.
    Take(TakeError),
    /// A loop cannot be expressed relative to its constant twist.
    LoopClip(LoopClipError),
}

/// Loops of one skeleton that can follow each other in any order.
#[value]
pub struct LoopSet {
    /// The loops, relative to their constant twists.
    sampled: SampledLoops,
    /// The footwork of each loop; `None` if no feet are found.
    feet: Vec<Option<Footwork>>,
    /// The jumps between all pairs of loops under one fade, if prepared.
    jumps: Option<Jumps>,
}

impl LoopSet {
    /// Prepares the loops for jumps between them.
    ///
    /// Errors: no loops, or not all of one skeleton.
    pub fn new(loops: Vec<LoopClip>) -> Result<Self, PlayError> {
        Self::with(loops, &BodyOverrides::default())
    }

    /// Prepares loops with the caller's choices for the body, whose feet determine the floor and are held during fades.
    pub fn with(loops: Vec<LoopClip>, overrides: &BodyOverrides) -> Result<Self, PlayError> {
        let first = loops.first().ok_or(PlayError::NoLoops)?;
        if let Some((index, difference)) = other_skeleton(first.skeleton(), &loops) {
            return Err(PlayError::Skeleton { index, difference });
        }
        let loops: Result<Vec<_>, _> = loops.into_iter().map(LoopClip::on_screw).collect();
        let loops = on_one_floor(loops?, overrides);
        Ok(Self {
            feet: loops.iter().map(|clip| Footwork::new(clip, overrides)).collect(),
            sampled: SampledLoops::new(loops),
            jumps: None,
        })
    }

    /// Returns the loops, relative to their constant twists.
    pub fn loops(&self) -> &[LoopClip] {
        &self.sampled.loops
    }

    /// Finds the phase at which to enter a loop from a time of another, and its cost under a fade.
    ///
    /// Errors: [`PlayError::FadeSecs`].
    pub fn entry(&self, from: usize, secs: f64, to: usize, fade: Decay) -> Result<Entry, PlayError> {
        check_secs(fade)?;
        Ok(self.sampled.entry(from, secs, to, fade))
    }

    /// Finds the phase at which to enter a loop from another state, under a fade that is in range.
    pub(crate) fn entry_from(&self, state: &WeightedState, to: usize, fade: Decay) -> Entry {
        self.sampled.entry_from(state, to, fade)
    }

    /// Returns the weights of joints in costs.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.sampled.weights
    }

    /// Finds the cheapest jump from one loop into another under a fade, over all phases of both.
    ///
    /// The search is exact for all pairs of samples, and refined between them. The jump back has the same two phases and the
    /// same cost. Errors: [`PlayError::FadeSecs`].
    pub fn jump(&self, from: usize, to: usize, fade: Decay) -> Result<Jump, PlayError> {
        check_secs(fade)?;
        Ok(self.jumps_under(fade).between(&self.sampled, from, to))
    }

    /// Returns a loop at a time as the side of a jump; `None` if no feet are found.
    pub(crate) fn fading(&self, of: usize, secs: f64) -> Option<FadingLoop<'_>> {
        let (clip, feet) = (&self.loops()[of], self.feet[of].as_ref()?);
        Some(FadingLoop { clip, feet, secs })
    }

    /// Returns the cheapest entry at a sample of a loop near a time of it, for a jump from a time of another.
    pub(crate) fn entry_on_sample(&self, from: usize, secs: f64, (to, near): (usize, f64), fade: Decay) -> Entry {
        let clip = &self.loops()[to];
        let left = self.sampled.state(from, secs);
        let nearest = (near / clip.step_secs()).round() as isize;
        let entries = [0, -1, 1].map(|off| {
            let sample = (nearest + off).rem_euclid(clip.num_samples() as isize) as usize;
            Entry {
                secs: sample as f64 * clip.step_secs(),
                cost: left.state().cost(self.sampled.samples[to][sample].state(), fade),
            }
        });
        entries
            .into_iter()
            .min_by_key(|entry| ordered(entry.cost))
            .unwrap_or(entries[0])
    }

    /// Finds the jumps between all pairs of loops under a fade.
    ///
    /// Without this each performance finds the jumps that it needs, with the same results; use it for many performances of one
    /// set. Errors: [`PlayError::FadeSecs`].
    pub fn prepared(mut self, fade: Decay) -> Result<Self, PlayError> {
        check_secs(fade)?;
        let mut jumps = self.jumps_under(fade);
        for from in 0..self.loops().len() {
            for to in 0..from {
                jumps.between(&self.sampled, from, to);
                self.solved_fade(&mut jumps, from, to);
                self.solved_fade(&mut jumps, to, from);
            }
        }
        self.jumps = Some(jumps);
        Ok(self)
    }

    /// Returns the feet through the fade of a jump, if they can be held.
    fn solved_fade(&self, jumps: &mut Jumps, from: usize, to: usize) -> Option<Arc<SolvedFade>> {
        if let Some(known) = jumps.feet.get(&[from, to]) {
            return known.clone();
        }
        let Jump { exit_secs, entry } = jumps.between(&self.sampled, from, to);
        let solved = self
            .fading(from, exit_secs)
            .zip(self.fading(to, entry.secs))
            .and_then(|(left, entered)| {
                let fade = jumps.fade;
                let segment = PlayedLoop {
                    loop_index: to,
                    start_secs: 0.0,
                    entry,
                    exit_secs: None,
                    root: Rigid::IDENTITY,
                    offset: FadingOffset::between(
                        &MovingPose::of_loop(left.clip, exit_secs),
                        &MovingPose::of_loop(entered.clip, entry.secs),
                    ),
                    feet: None,
                };
                let longest_secs = held_secs(entered.clip, 1, fade);
                SolvedFade::new(left, entered, fade, longest_secs, |secs| {
                    let state = segment.state(self.loops(), fade, secs);
                    (state.body, state.root)
                })
            })
            .map(Arc::new);
        jumps.feet.insert([from, to], solved.clone());
        solved
    }

    fn jumps_under(&self, fade: Decay) -> Jumps {
        self.jumps
            .as_ref()
            .filter(|jumps| jumps.fade == fade)
            .cloned()
            .unwrap_or_else(|| Jumps::new(fade))
    }

    /// Draws an order of loops for a duration in seconds.
    ///
    /// The next loop follows at the best exit ([`Self::jump`]) after the drawn number of cycles, at most one cycle later, and
    /// never before the fade has ended (for a spring: its half-life); a set of one loop repeats it. The first starts at its
    /// start in its own take. The performance does not depend on any frame rate. Errors: [`PlayError`]: settings out of range,
    /// or too many loops one after the other.
    pub fn perform(&self, duration_secs: f64, settings: &PlaySettings) -> Result<Performance, PlayError> {
        let loops = self.loops();
        if !(duration_secs > 0.0 && duration_secs.is_finite()) {
            return Err(PlayError::Duration { found: duration_secs });
        }
        let fade = settings.fade;
        check_secs(fade)?;
        let [fewest, most] = settings.cycles;
        if fewest < 1 || most < fewest {
            return Err(PlayError::Cycles { found: settings.cycles });
        }
        let held = loops.iter().map(|clip| held_secs(clip, fewest, fade));
        if loops.len() > 1 && duration_secs > smallest(held) * MAX_SEGMENTS as f64 {
            return Err(PlayError::TooLong);
        }
        let random = &mut Pcg64::seed_from_u64(settings.seed);
        let mut at = below(random, loops.len());
        let mut segments = vec![PlayedLoop {
            loop_index: at,
            start_secs: 0.0,
            entry: Entry { secs: 0.0, cost: 0.0 },
            exit_secs: None,
            root: loops[at].root_pose_at(0.0),
            offset: FadingOffset::none(loops[at].skeleton().num_joints()),
            feet: None,
        }];
        let mut jumps = self.jumps_under(fade);
        while loops.len() > 1 {
            let last = segments.len() - 1;
            let segment = &mut segments[last];
            let cycles = fewest + below(random, (most - fewest) as usize + 1) as u32;
            // Any loop except the current one.
            let next = (at + 1 + below(random, loops.len() - 1)) % loops.len();
            let held_secs = held_secs(&loops[at], cycles, fade);
            if segment.start_secs + held_secs >= duration_secs {
                break;
            }
            let Jump { exit_secs, entry } = jumps.between(&self.sampled, at, next);
            // After whole cycles the loop has the phase at which it was entered.
            let since = held_secs + (exit_secs - segment.entry.secs).rem_euclid(loops[at].period_secs());
            let start_secs = segment.start_secs + since;
            if start_secs >= duration_secs {
                break;
            }
            segment.exit_secs = Some(exit_secs);
            let left = segment.state(loops, fade, since);
            let joined = MovingPose::of_loop(&loops[next], entry.secs);
            let segment = PlayedLoop {
                loop_index: next,
                start_secs,
                entry,
                exit_secs: None,
                root: segment.root * left.root,
                offset: FadingOffset::between(&left, &joined),
                feet: settings.feet.then(|| self.solved_fade(&mut jumps, at, next)).flatten(),
            };
            at = next;
            segments.push(segment);
        }
        Ok(Performance {
            loops: loops.to_vec(),
            fade,
            segments,
            duration_secs,
        })
    }
}

/// Returns the duration of a loop, seconds: the drawn cycles, or more if they end before the fade.
fn held_secs(clip: &LoopClip, cycles: u32, fade: Decay) -> f64 {
    let period_secs = clip.period_secs();
    period_secs * (fade.secs() / period_secs).ceil().max(f64::from(cycles))
}

/// Errors: more transforms than a performance may have.
pub(crate) fn check_count(num_poses: f64, skeleton: &Skeleton) -> Result<(), PlayError> {
    let found = num_poses * skeleton.num_joints() as f64;
    if found > MAX_TRANSFORMS as f64 {
        Err(PlayError::TooManyFrames { found })
    } else {
        Ok(())
    }
}

/// Rejects fades that are too short or too long.
fn check_secs(fade: Decay) -> Result<(), PlayError> {
    if FADE_SECS.contains(&fade.secs()) {
        Ok(())
    } else {
        Err(PlayError::FadeSecs { found: fade.secs() })
    }
}

/// Returns a uniform number from 0 to `count` - 1.
fn below(random: &mut Pcg64, count: usize) -> usize {
    // The product's upper half; its bias is too small to detect.
    ((u128::from(random.next_u64()) * count as u128) >> 64) as usize
}

/// One loop within a performance.
#[value]
pub struct PlayedLoop {
    /// The loop, as an index into the set.
    pub loop_index: usize,
    /// When it starts, seconds since the start of the performance.
    pub start_secs: f64,
    /// The time in the loop at which it starts, and the cost of the jump, metre-seconds; 0 for the first.
    pub entry: Entry,
    /// The time in the loop at which it is left for the next, within its first cycle; `None` for the last.
    pub exit_secs: Option<f64>,
    root: Rigid,
    offset: FadingOffset,
    feet: Option<Arc<SolvedFade>>,
}

impl PlayedLoop {
    /// Returns the state `secs` seconds into the segment: the loop plus the fading offset, with its feet held.
    fn state(&self, loops: &[LoopClip], fade: Decay, secs: f64) -> MovingPose {
        let clip = &loops[self.loop_index];
        let at = self.entry.secs + secs;
        let mut state = MovingPose::of_loop(clip, at);
        state.root = clip.root_delta(self.entry.secs, at);
        self.offset.add_to(&mut state, fade, secs);
        state
    }
}

/// Loops in sequence, which can be sampled at any time.
///
/// C1 throughout: positions, rotations and their rates are continuous, including those of the root. The root continues from
/// segment to segment by the root motion of each loop, X(from)^-1 X(to), so nothing is lost or added at a jump.
#[value]
pub struct Performance {
    loops: Vec<LoopClip>,
    fade: Decay,
    segments: Vec<PlayedLoop>,
    duration_secs: f64,
}

/// A pose of a performance.
#[value]
pub struct PlayedPose {
    /// World transform of the root.
    pub root: Rigid,
    /// The body, local, relative to the root.
    pub body: Pose,
}

impl Performance {
    /// Returns the segments, in order.
    pub fn segments(&self) -> &[PlayedLoop] {
        &self.segments
    }

    /// Returns the duration of the performance, seconds.
    pub fn duration_secs(&self) -> f64 {
        self.duration_secs
    }

    /// Returns the skeleton of the first loop of the set.
    pub fn skeleton(&self) -> &Skeleton {
        self.loops[0].skeleton()
    }

    /// Returns the pose at any time, seconds since the start; before the start the first loop plays, after the end the last one
    /// continues.
    pub fn pose_at(&self, secs: f64) -> PlayedPose {
        let secs = if secs.is_finite() { secs } else { 0.0 };
        let after = self.segments.partition_point(|segment| segment.start_secs <= secs);
        let segment = &self.segments[after.saturating_sub(1)];
        let since = secs - segment.start_secs;
        let mut state = segment.state(&self.loops, self.fade, since);
        if let Some(feet) = &segment.feet {
            feet.add_to(&mut state.body, since);
        }
        self.skeleton().keep_hinges(&mut state.body);
        PlayedPose {
            root: segment.root * state.root,
            body: state.body,
        }
    }

    /// Returns the world positions (metres) and rotations of all joints at any time.
    pub fn world_pose_at(&self, secs: f64) -> Pose {
        let posed = self.pose_at(secs);
        posed.body.world(self.skeleton()).moved(posed.root)
    }

    /// Returns the whole performance at even times, from its start on, as a take on the source's skeleton.
    ///
    /// The root motion is on the joint that carried it in the source of the first loop. Errors: [`PlayError::TooManyFrames`], and
    /// those of [`Take::new`].
    pub fn to_take(&self, name: &str, frame_time_secs: f64) -> Result<Take, PlayError> {
        let carrier = self.loops[0].carrier();
        self.sampled_as(name, self.skeleton(), frame_time_secs, |mut posed| {
            posed.body.carry(self.skeleton(), carrier, posed.root);
            posed.body
        })
    }

    /// Returns the performance as a take below a new root joint of that name, which carries the root motion.
    pub fn to_take_with_root(&self, name: &str, root: &str, frame_time_secs: f64) -> Result<Take, PlayError> {
        let skeleton = self.skeleton().below_root(root);
        self.sampled_as(name, &skeleton, frame_time_secs, |posed| {
            posed.body.below_root(posed.root)
        })
    }

    fn sampled_as(
        &self,
        name: &str,
        skeleton: &Skeleton,
        frame_time_secs: f64,
        of_pose: impl Fn(PlayedPose) -> Pose,
    ) -> Result<Take, PlayError> {
        // The last frame is at the end if the rate allows it, within rounding, else just before it.
        let last = self.duration_secs / frame_time_secs + 1e-9;
        check_count(last.floor() + 1.0, skeleton)?;
        // An invalid frame time gives no frames, which the take rejects.
        let num_frames = if last >= 0.0 { last as usize + 1 } else { 0 };
        let poses = (0..num_frames).map(|frame| of_pose(self.pose_at(frame as f64 * frame_time_secs)));
        let tracks = Tracks::pose_by_pose(skeleton, frame_time_secs, poses);
        Ok(Take::from_tracks(name, tracks)?)
    }
}

/// Interpolation of loops of a set; jumps need continuous rates.
pub(crate) const INTERPOLATION: Interpolation = Interpolation::Cubic;
