//! Passages: motions that play once between two loops, such as starts, stops, turns, jumps and transitions.
//!
//! `find` finds them in a take and chooses where each meets the loops at least cost; `made` cuts them out, or bakes the jump
//! from one loop into another. Either way a passage begins in the state of one loop and ends in that of another: body and root
//! agree with them in value, rate and acceleration, and standing feet are held between. Derivation: docs/math/passage.md.

use glam::DVec3;

use crate::{
    floor::is_upright,
    play::{LoopSet, PlayError},
    transition::TransitionError,
};
use loopwright_core::{
    analysis::{Analysis, BodyError, FootEventKind, MOVING_MPS, Side},
    loop_clip::{LoopClip, LoopClipError},
    math::{Rigid, ops, rotation},
    motion::{Pose, PoseRef, Skeleton, SkeletonDifference, Tracks},
    take::{Take, TakeError},
};

mod action;

mod find;

mod ground;

mod joined;

mod made;

use ground::Way;

pub use action::Action;
pub use find::{FoundPassage, FoundPassages, Looked, calmest_stands, find};
pub use made::stance;

/// The kind of a passage.
#[choice_in_words("_")]
#[derive(PartialOrd, Ord)]
pub enum PassageKind {
    /// From standing to a gait.
    Start,
    /// From a gait to standing.
    Stop,
    /// A turn between two stands.
    TurnInPlace,
    /// A turn while moving.
    Turn,
    /// Both feet leave the ground, once.
    Jump,
    /// From any loop to any other, made of these two alone.
    Transition,
}

/// A state of a loop: the loop and a time.
#[value(Copy)]
pub struct LoopState {
    /// The loop, as an index into its set.
    pub loop_index: usize,
    /// Seconds since its start, within its first cycle.
    pub secs: f64,
}

/// A foot that touches down or lifts.
#[value(Copy)]
pub struct FootEvent {
    /// Seconds since the start of the passage.
    pub secs: f64,
    /// The foot, as an index into the feet of the body.
    pub foot: usize,
    /// Its side, if known.
    pub side: Option<Side>,
    /// Its kind.
    pub kind: FootEventKind,
}

/// A motion that begins in the state of one loop and ends in that of another.
///
/// Holds N + 1 samples of the body relative to the root, and the root's transform at each; the first is the identity.
#[value]
pub struct Passage {
    name: String,
    /// Its kind.
    pub kind: PassageKind,
    tracks: Tracks,
    roots: Vec<Rigid>,
    /// The joint that carries the root motion.
    carrier: usize,
    /// The states of the loops in which it begins and ends.
    pub ends: [LoopState; 2],
    /// The cost of leaving one loop and entering the other, metre-seconds.
    pub cost: f64,
    /// When feet touch down and lift, in order of time.
    pub events: Vec<FootEvent>,
    /// The first and last frame of the take that it was cut from; `None` if it was made of loops alone.
    pub source_frames: Option<[f64; 2]>,
    /// Whether its feet are held; not if there are none with a knee, or if every correction costs more than none. The best correction found
    /// is used, even if its search did not converge.
    pub has_held_feet: bool,
}

/// Why a passage cannot be found or made.
#[error_kinds]
pub enum PassageError {
    #[error("the skeleton of loop {index} differs from that of the take: {difference}")]
    Skeleton {
        index: usize,
        difference: SkeletonDifference,
    },
    #[error("the root of loop {index} leans: passages are made over the ground")]
    Leans {
        index: usize,
    },
    #[error("there is no loop {index}")]
    NoSuchLoop {
        index: usize,
    },
    #[error("the take ends before frame {end_frame:.1}, or the passage has fewer than {fewest} samples")]
    TooShort {
        end_frame: f64,
        fewest: usize,
    },
    #[error("the time between samples must be positive, found {found} s")]
    Step {
        found: f64,
    },
    Body(BodyError),
    Transition(TransitionError),
    LoopClip(LoopClipError),
    Play(PlayError),
    Take(TakeError),
}

impl Passage {
    /// Returns its name, such as `start_walk` or `turn_left_90`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the passage with another name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..self
        }
    }

    /// Returns the tree of joints.
    pub fn skeleton(&self) -> &Skeleton {
        self.tracks.skeleton()
    }

    /// Returns the body at every sample, local, relative to the root.
    pub fn tracks(&self) -> &Tracks {
        &self.tracks
    }

    /// Returns the root at every sample, relative to the first.
    pub fn roots(&self) -> &[Rigid] {
        &self.roots
    }

    /// Returns the seconds between samples.
    pub fn step_secs(&self) -> f64 {
        self.tracks.step_secs()
    }

    /// Returns the number of samples, both ends included.
    pub fn num_samples(&self) -> usize {
        self.tracks.num_frames()
    }

    /// Returns its duration, seconds.
    pub fn duration_secs(&self) -> f64 {
        (self.num_samples() - 1) as f64 * self.step_secs()
    }

    /// Returns the change of heading, radians, left positive; whole turns are counted.
    pub fn turn(&self) -> f64 {
        self.roots
            .windows(2)
            .map(|pair| rotation::yaw_of(pair[0].rotation.conjugate() * pair[1].rotation))
            .sum()
    }

    /// Returns the position of the root at the end, relative to its start, metres.
    pub fn travel(&self) -> DVec3 {
        self.roots[self.roots.len() - 1].translation
    }

    /// Returns its samples as a take, with the root motion on the joint that carried it. Errors: as for [`Take::new`].
    pub fn to_take(&self) -> Result<Take, TakeError> {
        self.sampled_as(self.skeleton(), |pose, root| {
            let mut pose = pose.to_pose();
            pose.carry(self.skeleton(), self.carrier, root);
            pose
        })
    }

    /// Returns the passage as a take below a new root joint of that name, which carries the root motion.
    pub fn to_take_with_root(&self, root: &str) -> Result<Take, TakeError> {
        self.sampled_as(&self.skeleton().below_root(root), |pose, root| {
            pose.to_pose().below_root(root)
        })
    }

    /// Returns the passage with a root that is fixed at its start, for engines that move the root themselves.
    #[must_use]
    pub fn in_place(&self) -> Self {
        Self {
            roots: vec![Rigid::IDENTITY; self.roots.len()],
            ..self.clone()
        }
    }

    fn sampled_as(&self, skeleton: &Skeleton, of: impl Fn(PoseRef<'_>, Rigid) -> Pose) -> Result<Take, TakeError> {
        let poses = self
            .roots
            .iter()
            .enumerate()
            .map(|(sample, &root)| of(self.tracks.pose(sample), root));
        let tracks = Tracks::pose_by_pose(skeleton, self.step_secs(), poses);
        Take::from_tracks(self.name.as_str(), tracks)
    }
}

/// Turn rate below which a loop in place stands, radians per second (20 degrees).
const STANDS_RATE: f64 = 0.349;

/// Whether a loop stands, on the body of a take: an idle, or a stance.
pub fn stands(clip: &LoopClip, analysis: &Analysis) -> bool {
    !moves(clip, analysis) && clip.root().twist.angular.length() < STANDS_RATE
}

/// Whether a loop travels: at least at the speed at which a frame of the take does.
pub fn moves(clip: &LoopClip, analysis: &Analysis) -> bool {
    let root_size = analysis.body.size(&analysis.take).sqrt();
    ops::over_ground(clip.root().twist.linear) >= MOVING_MPS * root_size
}

/// Checks the loops. Errors: one has another skeleton than the take, or a root that leans.
fn check(set: &LoopSet, analysis: Option<&Analysis>) -> Result<(), PassageError> {
    for (index, clip) in set.loops().iter().enumerate() {
        if let Some(analysis) = analysis
            && let Some(difference) = SkeletonDifference::between(analysis.take.skeleton(), clip.skeleton())
        {
            return Err(PassageError::Skeleton { index, difference });
        }
        if !is_upright(clip) {
            return Err(PassageError::Leans { index });
        }
    }
    Ok(())
}
