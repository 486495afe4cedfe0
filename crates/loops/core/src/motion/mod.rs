//! Motion, as all stages use it: poses, tracks of local transforms over time, and the root's constant motion.
//!
//! A [`crate::take::Take`], a [`crate::take::Clip`] and a [`crate::loop_clip::LoopClip`] are [`Tracks`] with an invariant each.
//! Lengths in metres, +Y up; arrays are frame-major: the value of (frame, joint) is at frame * num_joints + joint.

pub(crate) mod skeleton;

pub(crate) mod hinges;

pub(crate) mod cycle;

pub(crate) mod pose;

pub(crate) mod tracks;

pub(crate) mod world;

pub(crate) mod root;

pub(crate) use cycle::{KeyedCycle, PoseCurve};
pub use hinges::{Hinge, Hinges, RobotLink, Sole, SolePoint};
pub use pose::{Pose, PoseRef};
pub use root::RootMotion;
pub use skeleton::{Joint, Part, Skeleton, SkeletonDifference, SkeletonError};
pub use tracks::{Tracks, TracksError};
pub use world::WorldTracks;
