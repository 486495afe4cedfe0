//! Leaf mathematics without a word of the domain: rotations, rigid motions, screws, cubics, decays, smoothing, percentiles, portable
//! functions.

pub mod ops;

pub mod rotation;

pub mod rigid;

pub mod screw;

pub mod cubic;

pub mod kernel;

pub mod decay;

pub mod time_step;

pub(crate) mod percentile;
