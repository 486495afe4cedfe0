//! Playing a set of loops one after the other: jumps that nobody sees, in an order drawn by lot.
//!
//! A jump goes from one loop into the phase of another at which it costs least (`entry`); the offset and the difference of
//! rates that it leaves fade away (`offset`), so that every joint and the root go on without a step and without a jerk. A
//! [`LoopSet`] draws which loop comes next and for how many cycles from a seed. Derivation: docs/math/blend.md.

use rand_pcg::{
    Pcg64,
    rand_core::{Rng, SeedableRng},
};

use crate::{
    blend::SkeletonDifference,
    loop_clip::{Interpolation, LoopClip, LoopClipError},
    math::{decay::Decay, rigid::Rigid},
    motion::{Pose, Skeleton, Tracks},
    take::{Take, TakeError},
};

pub(crate) mod entry;

pub(crate) mod offset;

pub use entry::Entry;

use entry::SampledLoops;
use offset::{MovingPose, Offset};

/// How a set of loops is played.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaySettings {
    /// Where the order comes from: same seed, same order.
    pub seed: u64,
    /// How the offset of a jump fades. Jumps are priced by the same decay.
    pub fade: Decay,
    /// Fewest and most cycles for which a loop plays before the next.
    pub cycles: [u32; 2],
}

impl Default for PlaySettings {
    fn default() -> Self {
        Self {
            seed: 0,
            fade: Decay::Quintic {
                blend_secs: DEFAULT_FADE_SECS,
            },
            cycles: [1, 3],
        }
    }
}

/// Blend time of the default fade, seconds: shorter, and a limb that is far away darts; longer, and it drifts after its loop
/// is long under way.
pub const DEFAULT_FADE_SECS: f64 = 0.4;

/// Shortest and longest fade, seconds: one frame at high rates, and far longer than any step.
const FADE_SECS: core::ops::RangeInclusive<f64> = 0.01..=10.0;

/// Most loops played one after the other: a guard against a slip that fills the memory.
const MAX_SEGMENTS: usize = 100_000;

/// Most transforms (frames times joints) of a performance written out: hours of a body with fingers.
const MAX_TRANSFORMS: usize = 20_000_000;

/// Why loops cannot be played one after the other.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// There is nothing to play.
    #[error("there are no loops")]
    NoLoops,
    /// A loop has another skeleton than the first.
    #[error("loop {index} has another skeleton than the first: {difference}")]
    Skeleton {
        /// Which loop, counted from 0.
        index: usize,
        /// What differs first.
        difference: SkeletonDifference,
    },
    /// The duration is not a positive number.
    #[error("the duration must be a positive number of seconds, found {found}")]
    Duration {
        /// Seconds given.
        found: f64,
    },
    /// The fade lasts too short or too long.
    #[error("a jump fades over {min} s to {max} s, found {found} s", min = FADE_SECS.start(), max = FADE_SECS.end())]
    FadeSecs {
        /// Seconds given.
        found: f64,
    },
    /// The cycles are not in order, or none.
    #[error("loops play for 1 cycle or more, the fewest first, found {} to {}", .found[0], .found[1])]
    Cycles {
        /// Cycles given.
        found: [u32; 2],
    },
    /// So many loops one after the other that something must be wrong.
    #[error("more than {MAX_SEGMENTS} loops might be played one after the other")]
    TooLong,
    /// More frames than a take may hold.
    #[error("{found} transforms (frames times joints) are asked for, the limit is {MAX_TRANSFORMS}")]
    TooManyFrames {
        /// Transforms asked for; a fraction or infinite where the rate makes it so.
        found: f64,
    },
    /// The frames are not a take.
    #[error(transparent)]
    Take(#[from] TakeError),
    /// A loop cannot be seen from its constant twist.
    #[error(transparent)]
    LoopClip(#[from] LoopClipError),
}

/// Loops of one skeleton that follow each other in any order.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopSet {
    /// Seen from their constant twists.
    loops: Vec<LoopClip>,
    sampled: SampledLoops,
}

impl LoopSet {
    /// Measures the loops, so that jumps between them can be priced.
    ///
    /// Errors: no loops, or not all of one skeleton.
    pub fn new(loops: Vec<LoopClip>) -> Result<Self, PlayError> {
        let first = loops.first().ok_or(PlayError::NoLoops)?;
        for (index, clip) in loops.iter().enumerate() {
            if let Some(difference) = SkeletonDifference::between(first.skeleton(), clip.skeleton()) {
                return Err(PlayError::Skeleton { index, difference });
            }
        }
        let loops = loops
            .into_iter()
            .map(LoopClip::on_screw)
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            sampled: SampledLoops::of(&loops),
            loops,
        })
    }

    /// The loops, seen from their constant twists.
    pub fn loops(&self) -> &[LoopClip] {
        &self.loops
    }

    /// Where to enter one loop from a time of another, and what that costs under a fade.
    ///
    /// Errors: [`PlayError::FadeSecs`].
    pub fn entry(&self, from: usize, secs: f64, to: usize, fade: Decay) -> Result<Entry, PlayError> {
        check_secs(fade)?;
        Ok(self.sampled.entry(&self.loops, from, secs, to, fade))
    }

    /// Draws an order of loops for so many seconds and lays them end to end.
    ///
    /// Another loop follows after the drawn number of cycles, at the end of the fade at the earliest; a set of one loop plays
    /// on. The first starts where it starts in its own take. What is played does not depend on any frame rate.
    /// Errors: settings out of range.
    pub fn perform(&self, duration_secs: f64, settings: &PlaySettings) -> Result<Performance, PlayError> {
        if !(duration_secs > 0.0 && duration_secs.is_finite()) {
            return Err(PlayError::Duration { found: duration_secs });
        }
        let fade = settings.fade;
        check_secs(fade)?;
        let [fewest, most] = settings.cycles;
        if fewest < 1 || most < fewest {
            return Err(PlayError::Cycles { found: settings.cycles });
        }
        let shortest = self
            .loops
            .iter()
            .map(|clip| held_secs(clip, fewest, fade))
            .fold(f64::INFINITY, f64::min);
        if self.loops.len() > 1 && duration_secs > shortest * MAX_SEGMENTS as f64 {
            return Err(PlayError::TooLong);
        }
        let random = &mut Pcg64::seed_from_u64(settings.seed);
        let mut at = below(random, self.loops.len());
        let mut segments = vec![PlayedLoop {
            loop_index: at,
            start_secs: 0.0,
            entry: Entry { secs: 0.0, cost: 0.0 },
            root: self.loops[at].root_pose_at(0.0),
            offset: Offset::none(self.loops[at].skeleton().num_joints()),
        }];
        while self.loops.len() > 1 {
            let segment = &segments[segments.len() - 1];
            let cycles = fewest + below(random, (most - fewest) as usize + 1) as u32;
            let start_secs = segment.start_secs + held_secs(&self.loops[at], cycles, fade);
            if start_secs >= duration_secs {
                break;
            }
            let since = start_secs - segment.start_secs;
            // Any but the one that plays.
            let next = (at + 1 + below(random, self.loops.len() - 1)) % self.loops.len();
            let entry = self
                .sampled
                .entry(&self.loops, at, segment.entry.secs + since, next, fade);
            let left = segment.state(&self.loops, fade, since);
            let joined = MovingPose::of_loop(&self.loops[next], entry.secs);
            let segment = PlayedLoop {
                loop_index: next,
                start_secs,
                entry,
                root: segment.root * left.root,
                offset: Offset::between(&left, &joined),
            };
            at = next;
            segments.push(segment);
        }
        Ok(Performance {
            loops: self.loops.clone(),
            fade,
            segments,
            duration_secs,
        })
    }
}

/// Seconds for which a loop plays: so many cycles, more where they are over before the fade is.
fn held_secs(clip: &LoopClip, cycles: u32, fade: Decay) -> f64 {
    let period_secs = clip.period_secs();
    period_secs * (fade.secs() / period_secs).ceil().max(f64::from(cycles))
}

/// Refuses fades that are too short or too long.
fn check_secs(fade: Decay) -> Result<(), PlayError> {
    if FADE_SECS.contains(&fade.secs()) {
        Ok(())
    } else {
        Err(PlayError::FadeSecs { found: fade.secs() })
    }
}

/// Even among 0 to `count` - 1.
fn below(random: &mut Pcg64, count: usize) -> usize {
    // The product's upper half; its bias is far below what any number of draws shows.
    ((u128::from(random.next_u64()) * count as u128) >> 64) as usize
}

/// One loop as it plays within a performance.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedLoop {
    /// Which loop of the set.
    pub loop_index: usize,
    /// When it starts, seconds since the start of the performance.
    pub start_secs: f64,
    /// Where in the loop it starts, and what the jump cost, metre-seconds; 0 for the first.
    pub entry: Entry,
    /// Where the root stands then.
    root: Rigid,
    offset: Offset,
}

impl PlayedLoop {
    /// What is seen `secs` seconds into the segment: loop and fading offset together.
    fn state(&self, loops: &[LoopClip], fade: Decay, secs: f64) -> MovingPose {
        let clip = &loops[self.loop_index];
        let at = self.entry.secs + secs;
        let mut state = MovingPose::of_loop(clip, at);
        state.root = clip.root_delta(self.entry.secs, at);
        self.offset.add_to(&mut state, fade, secs);
        state
    }
}

/// Loops end to end, to be looked at at any time.
///
/// C1 throughout: places, turns and their rates are continuous, those of the root too. The root goes from segment to segment
/// by what each loop moves it, X(from)^-1 X(to), so nothing is lost or added at a jump.
#[derive(Clone, Debug, PartialEq)]
pub struct Performance {
    loops: Vec<LoopClip>,
    fade: Decay,
    segments: Vec<PlayedLoop>,
    duration_secs: f64,
}

/// A pose of a performance.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedPose {
    /// World transform of the root.
    pub root: Rigid,
    /// The body, local, relative to the root.
    pub body: Pose,
}

impl Performance {
    /// What plays when, in order.
    pub fn segments(&self) -> &[PlayedLoop] {
        &self.segments
    }

    /// Seconds of the performance.
    pub fn duration_secs(&self) -> f64 {
        self.duration_secs
    }

    /// The tree of joints, that of the first loop of the set.
    pub fn skeleton(&self) -> &Skeleton {
        self.loops[0].skeleton()
    }

    /// The pose at any time, seconds since the start; before it the first loop plays, after the end the last plays on.
    pub fn pose_at(&self, secs: f64) -> PlayedPose {
        let secs = if secs.is_finite() { secs } else { 0.0 };
        let after = self.segments.partition_point(|segment| segment.start_secs <= secs);
        let segment = &self.segments[after.saturating_sub(1)];
        let state = segment.state(&self.loops, self.fade, secs - segment.start_secs);
        PlayedPose {
            root: segment.root * state.root,
            body: state.body,
        }
    }

    /// World positions (metres) and rotations of all joints at any time.
    pub fn world_pose_at(&self, secs: f64) -> Pose {
        let posed = self.pose_at(secs);
        posed.body.as_ref().world(self.skeleton()).moved(posed.root)
    }

    /// The whole performance at even times, from its start on, as a take on the source's skeleton.
    ///
    /// The travel lies on the joint that carried it in the source of the first loop. Errors: [`PlayError::TooManyFrames`], and
    /// those of [`Take::new`].
    pub fn to_take(&self, name: &str, frame_time_secs: f64) -> Result<Take, PlayError> {
        // The last frame lies at the end where the rate meets it, rounding aside, else just before it.
        let last = self.duration_secs / frame_time_secs + 1e-9;
        let found = (last.floor() + 1.0) * self.skeleton().num_joints() as f64;
        if found > MAX_TRANSFORMS as f64 {
            return Err(PlayError::TooManyFrames { found });
        }
        // A frame time that is none gives no frames, which the take refuses.
        let num_frames = if last >= 0.0 { last as usize + 1 } else { 0 };
        let mut tracks = Tracks::empty(self.skeleton().clone(), frame_time_secs, num_frames);
        for frame in 0..num_frames {
            let mut posed = self.pose_at(frame as f64 * frame_time_secs);
            posed.body.carry(self.skeleton(), self.loops[0].carrier(), posed.root);
            tracks.push(posed.body.as_ref());
        }
        Ok(Take::of_tracks(name, tracks)?)
    }
}

/// Interpolation by which loops of a set are played; jumps need its rates to be continuous.
const INTERPOLATION: Interpolation = Interpolation::Cubic;
