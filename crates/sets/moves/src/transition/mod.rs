//! The cost of leaving one motion and entering another: the area between the two while an inertialized jump fades.
//!
//! Two frames are compared as in the search for seams (`features`): weighted joints relative to the floor below the hips and
//! the facing there, with their velocities, and the root's own velocity. Each motion has its own floor, on which its feet
//! stand. The cost of a jump is the exact total displacement of all these gaps under a [`Decay`]. It is one-sided, because only
//! the motion after a jump is changed. Its unit is the metre-second: weighted joints' distances, summed over the three axes,
//! times their duration. Derivation: docs/math/transition_cost.md.
//!
//! ```
//! use loopwright_core::{Analysis, math::Decay};
//! use loopwright_moves::{Transitions, transition::TransitionClip};
//!
//! let walk = |seconds| loopwright_synth::WalkSettings { seconds, ..Default::default() };
//! let motion = |seconds| {
//!     let take = loopwright_synth::synthesize(&walk(seconds))?.take;
//!     Ok::<_, Box<dyn std::error::Error>>(TransitionClip::from_take(Analysis::new(&take)?))
//! };
//! let transitions = Transitions::between(&motion(4.0)?, &motion(3.0)?, &[])?;
//! let decay = Decay::Spring { half_life_secs: 0.1 };
//! let best = transitions.best(0..transitions.num_exits(), 0..transitions.num_entries(), decay, 5);
//! assert!(best[0].cost <= transitions.cost(0, 30, decay));
//! assert!(transitions.feature_cost(0, 30, decay) <= transitions.cost(0, 30, decay));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use glam::DVec3;

use crate::floor::floor_over_root;
use loopwright_core::{
    analysis::features::{self, Features, WeightedJoint},
    analysis::{Analysis, Body, BodyError, BodyOverrides, Heading, TakeDefects},
    loop_clip::{LoopClip, LoopClipError},
    math::{Decay, Displacement},
    motion::{SkeletonDifference, Tracks, WorldTracks},
    take::{Take, TakeError},
};

pub(crate) mod best;
mod gaps;
mod occurrence;

pub use best::{CostGrid, Crossing};
pub use occurrence::{Occurrence, Occurrences};

/// Positions and velocities of the axes of a moving body, in one order.
#[derive(Clone, Copy)]
pub(crate) struct State<'a> {
    /// Weighted positions, metres.
    pub positions: &'a [f64],
    /// Weighted velocities, metres per second.
    pub velocities: &'a [f64],
}

impl State<'_> {
    /// Returns the gaps of position and velocity of a jump from here to `joined`, axis by axis.
    fn gaps(self, joined: Self) -> impl Iterator<Item = (f64, f64)> {
        let positions = self.positions.iter().zip(joined.positions).map(|(x, to)| x - to);
        let velocities = self.velocities.iter().zip(joined.velocities).map(|(v, into)| v - into);
        positions.zip(velocities)
    }

    /// Returns the cost of a jump from here to `joined`, metre-seconds, summed in the order of the axes.
    pub(crate) fn cost(self, joined: Self, decay: Decay) -> f64 {
        let displacement = Displacement::new(decay);
        self.gaps(joined).map(|(x, v)| displacement.get(x, v)).sum()
    }

    /// Returns the cost in feature form, which never exceeds the exact cost, even by rounding.
    fn feature_cost(self, joined: Self, decay: Decay) -> f64 {
        self.gaps(joined).map(|(x, v)| decay.signed_area(x, v).abs()).sum()
    }
}

/// Why two motions cannot be compared.
#[error_kinds]
pub enum TransitionError {
    #[error("the motions have different skeletons: {difference}")]
    Skeleton {
        difference: SkeletonDifference,
        only_left: Vec<String>,
        only_entered: Vec<String>,
    },
    /// A weight is invalid or names no joint.
    Body(BodyError),
    /// A loop cannot be expressed relative to its constant twist.
    LoopClip(LoopClipError),
    /// The samples of a loop do not form a take.
    Take(TakeError),
}

/// A take or a loop that can be left and entered at any of its frames.
#[value]
pub struct TransitionClip {
    take: Take,
    world: WorldTracks,
    body: Body,
    defects: TakeDefects,
    /// Height of the floor below the body at each frame of the take, metres.
    floor: Vec<f64>,
    /// Per frame of the motion, whether it can be left or entered.
    usable: Vec<bool>,
    /// The frame of the take at which the motion begins.
    first: usize,
    repeats: bool,
}

impl TransitionClip {
    /// Wraps a whole take. Bad frames are neither left nor entered.
    pub fn from_take(analysis: Analysis) -> Self {
        Self {
            floor: analysis.floor.heights().to_vec(),
            world: analysis.world,
            body: analysis.body,
            defects: analysis.defects,
            usable: analysis.usable,
            first: 0,
            repeats: false,
            take: analysis.take,
        }
    }

    /// Wraps a loop, all samples of which can be left and entered. Velocities are continuous across its seam, and heights are
    /// over its own floor.
    ///
    /// Errors: a joint named in `overrides` does not exist.
    pub fn from_loop(clip: &LoopClip, overrides: &BodyOverrides) -> Result<Self, TransitionError> {
        let count = clip.num_samples();
        // One key on either side gives the velocities of the first and the last sample.
        let keys = count - 1..=2 * count;
        let poses = keys.clone().map(|key| clip.folded_pose(key));
        let tracks = Tracks::pose_by_pose(clip.skeleton(), clip.step_secs(), poses);
        let take = Take::from_tracks(clip.name(), tracks)?;
        let world = take.world_tracks();
        let body = Body::find(&take, overrides)?;
        let over_root = floor_over_root(&clip.clone().on_screw()?, &body, &overrides.contacts);
        Ok(Self {
            defects: TakeDefects::of(&take, &world, &body),
            floor: keys
                .map(|key| clip.root().at(key as f64 * clip.step_secs()).translation.y + over_root)
                .collect(),
            usable: vec![true; count],
            first: 1,
            repeats: true,
            world,
            body,
            take,
        })
    }

    /// Returns the frames of the take, or samples of the loop.
    pub fn num_frames(&self) -> usize {
        self.usable.len()
    }

    /// Returns the seconds from one frame to the next.
    pub fn step_secs(&self) -> f64 {
        self.take.frame_time_secs()
    }

    /// Whether the first frame follows the last.
    pub fn repeats(&self) -> bool {
        self.repeats
    }

    fn side(&self, body: &Body, joints: &[WeightedJoint]) -> Side {
        let heading = Heading::over(&self.world, body, &self.floor);
        Side {
            features: Features::of(&self.take, &self.world, &heading, body, joints),
            usable: self.usable.clone(),
            first: self.first,
            step_secs: self.step_secs(),
            repeats: self.repeats,
        }
    }
}

/// One of the two compared motions.
#[value]
struct Side {
    features: Features,
    usable: Vec<bool>,
    first: usize,
    step_secs: f64,
    repeats: bool,
}

impl Side {
    fn state(&self, frame: usize) -> State<'_> {
        State {
            positions: self.features.positions(self.first + frame),
            velocities: self.features.velocities(self.first + frame),
        }
    }
}

/// The subject of a gap.
#[value(Copy, Eq)]
pub enum GapOf {
    /// A joint: its position and its velocity.
    Joint(usize),
    /// The root's linear velocity.
    RootVelocity,
    /// The root's turning, times half the body height.
    RootTurning,
}

/// The gap of a jump at one joint, or at the root.
#[value(Copy)]
pub struct Gap {
    /// The joint or root.
    pub of: GapOf,
    /// Its weight, a factor on metres.
    pub weight: f64,
    /// Difference of position from the other motion, metres, in the axes of the heading; zero for the root.
    pub position: DVec3,
    /// Difference of velocity, metres per second.
    pub velocity: DVec3,
}

impl Gap {
    /// Returns its part of the cost of the jump, metre-seconds.
    pub fn cost(&self, decay: Decay) -> f64 {
        (0..3)
            .map(|axis| decay.displacement(self.weight * self.position[axis], self.weight * self.velocity[axis]))
            .sum()
    }
}

/// All jumps from one motion into another.
///
/// Exits are frames of the motion that is left, entries are frames of the one that is entered, both counted from 0.
#[value]
pub struct Transitions {
    joints: Vec<WeightedJoint>,
    left: Side,
    entered: Side,
}

impl Transitions {
    /// Prepares two motions of one skeleton for jumps from the first into the second.
    ///
    /// Lengths of bones, frame rates and periods may differ. Weights are those of the search for seams, or as `asked`, by
    /// patterns of joints' names; a joint that flips in one of the motions is ignored in both. Errors: the skeletons have
    /// different trees of joints, or a weight names no joint.
    pub fn between(
        left: &TransitionClip,
        entered: &TransitionClip,
        asked: &[(String, f64)],
    ) -> Result<Self, TransitionError> {
        let [ours, theirs] = [left, entered].map(|motion| motion.take.skeleton());
        if let Some(difference) = SkeletonDifference::between(ours, theirs) {
            let [only_left, only_entered] = [(ours, theirs), (theirs, ours)].map(|(of, other)| {
                of.joints()
                    .iter()
                    .map(|joint| joint.name.clone())
                    .filter(|name| other.find(name).is_none())
                    .collect()
            });
            return Err(TransitionError::Skeleton {
                difference,
                only_left,
                only_entered,
            });
        }
        let body = &left.body;
        let mut joints = features::weights(ours, body, &left.defects, asked)?;
        let others = features::weights(ours, body, &entered.defects, asked)?;
        for joint in &mut joints {
            let other = others.iter().find(|other| other.joint == joint.joint);
            joint.weight = joint.weight.min(other.map_or(0.0, |other| other.weight));
        }
        joints.retain(|joint| joint.weight > 0.0);
        if joints.is_empty() {
            return Err(BodyError::NoWeight.into());
        }
        Ok(Self {
            left: left.side(body, &joints),
            entered: entered.side(body, &joints),
            joints,
        })
    }

    /// Returns the joints that are compared, in order of the skeleton.
    pub fn joints(&self) -> &[WeightedJoint] {
        &self.joints
    }

    /// Returns the frames of the motion that is left.
    pub fn num_exits(&self) -> usize {
        self.left.usable.len()
    }

    /// Returns the frames of the motion that is entered.
    pub fn num_entries(&self) -> usize {
        self.entered.usable.len()
    }

    /// Returns the cost of a jump, metre-seconds: the sum of [`Decay::displacement`] over the weighted axes.
    ///
    /// Panics if a frame is out of range.
    pub fn cost(&self, exit: usize, entry: usize, decay: Decay) -> f64 {
        self.left.state(exit).cost(self.entered.state(entry), decay)
    }

    /// Returns the cost in feature form, the sum of the sizes of [`Decay::signed_area`]. It never exceeds the exact cost, and
    /// is a distance between features of single frames, so that a table of them can be searched by ordinary methods.
    ///
    /// Panics if a frame is out of range.
    pub fn feature_cost(&self, exit: usize, entry: usize, decay: Decay) -> f64 {
        self.left.state(exit).feature_cost(self.entered.state(entry), decay)
    }

    /// Returns the gap of each joint and of the root after a jump; their costs add up to that of the jump.
    ///
    /// Panics if a frame is out of range.
    pub fn gaps(&self, exit: usize, entry: usize) -> Vec<Gap> {
        let axes: Vec<(f64, f64)> = self.left.state(exit).gaps(self.entered.state(entry)).collect();
        let of_joints = self
            .joints
            .iter()
            .map(|joint| (GapOf::Joint(joint.joint), joint.weight));
        let root = [(GapOf::RootVelocity, 1.0), (GapOf::RootTurning, 1.0)];
        of_joints
            .chain(root)
            .zip(axes.chunks(3))
            .map(|((of, weight), axes)| {
                // The root turns about one axis only.
                let axes = [0, 1, 2].map(|index| axes.get(index).copied().unwrap_or_default());
                Gap {
                    of,
                    weight,
                    position: DVec3::from_array(axes.map(|(x, _)| x)) / weight,
                    velocity: DVec3::from_array(axes.map(|(_, v)| v)) / weight,
                }
            })
            .collect()
    }
}
