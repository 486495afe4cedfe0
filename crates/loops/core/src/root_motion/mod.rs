//! Root motion: one constant velocity and turn rate that carries the character, and the remaining motion of the body.

mod settings;

pub(crate) mod cycle;

pub(crate) mod poses;

pub mod root_joint;

pub(crate) mod extract;

pub(crate) mod half_cycle;

pub(crate) use extract::extract_root_motion;
pub use extract::{RootMotionFit, RootRelativeClip};
pub use root_joint::root_joint_of;
pub use settings::{MAX_LINEAR_TURN, PATH_SMOOTHING_SECS, RootBlend, RootError, RootMode, RootSettings, RootSpace};
