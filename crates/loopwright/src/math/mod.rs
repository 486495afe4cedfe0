//! Mathematics independent of motion capture: rotations, rigid motions and their fits, screws, cubics, decays, smoothing,
//! percentiles, portable functions.

pub mod ops;

pub mod rotation;

pub(crate) mod rigid;

pub(crate) mod fit;

pub(crate) mod screw;

pub(crate) mod cubic;

pub(crate) mod kernel;

pub(crate) mod decay;

pub(crate) mod time_step;

pub(crate) mod percentile;

pub use decay::{Decay, DecayKind, Fading, Jet, decay_rate, half_life_of_decay_rate};
pub use rigid::{Rigid, Twist};
pub use screw::Screw;
