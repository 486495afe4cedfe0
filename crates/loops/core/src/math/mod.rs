//! Mathematics independent of motion capture: rotations, rigid motions and their fits, screws, cubics, decays, springs, smoothing,
//! percentiles, portable functions.

pub mod ops;

pub mod rotation;

pub(crate) mod rigid;

pub(crate) mod fit;

pub(crate) mod screw;

pub(crate) mod spline;

pub(crate) mod spring;

pub(crate) mod cubic;

pub mod kernel;

pub(crate) mod decay;

pub(crate) mod time_map;

pub(crate) mod time_step;

pub(crate) mod numbers;

pub mod percentile;

pub use cubic::{Hermite, Span};
pub use decay::{Decay, DecayKind, Displacement, Fading, Jet, decay_rate};
pub(crate) use numbers::{around, distinct, outer, smooth_step};
pub use numbers::{bounds, dot, greatest, mean, ordered, smallest};
pub use rigid::{Rigid, Twist};
pub use screw::Screw;
pub use spring::Spring;
pub use time_step::TimeStep;
