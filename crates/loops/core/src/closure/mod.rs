//! Closes a seam: offsets make a cut meet itself in pose, velocity and, for C2 shapes, acceleration.
//!
//! Steps: measure the motion at both ends (`ends`) and the gaps between them (`seam`), compute the offsets required at the ends
//! (`targets`, `rotation`), spread them over the clip (`boundary`, `shapes`), apply them: points get o(t) added, rotations
//! become exp(o(t)) q(t). The result is exact for every shape, share and clip, because the system includes the remainder of each
//! shape at the far end. A crossfade, or a first layer for the smooth part of a noisy track, also consists of offsets, and the
//! gap that it leaves is closed in the same way. Derivations: docs/math, from boundary.md to layers.md.

mod settings;

mod order;

mod names;

mod method;

mod clamp;

pub(crate) mod ends;

pub(crate) mod seam;

pub(crate) mod targets;

pub(crate) mod rotation;

pub(crate) mod shapes;

pub(crate) mod boundary;

mod crossfade;

pub(crate) mod image;

mod tables;

mod plan;

mod close;

pub(crate) mod ring;

mod closed;

pub use boundary::BoundaryError;
pub use clamp::{Clamp, End};
pub use close::close;
pub(crate) use close::close_half;
pub use closed::Closed;
pub(crate) use image::Image;
pub use image::ImageError;
pub use method::{Method, Preset, Shares};
pub use names::ClosureName;
pub use order::Order;
pub use seam::{Gaps, JointGap, SeamGaps};
pub use settings::{ClosureError, ClosureSettings, SeamMotion};
pub use shapes::{DEFAULT_BLEND_SECS, Parameter, Shape, ShapeDescriptor, ShapeKey, ShapeKind};
