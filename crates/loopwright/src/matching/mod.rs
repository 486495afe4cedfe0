//! Matching: the frame of many takes that is nearest to what is asked for.
//!
//! [`features::of_take`] gives the numbers that are compared, [`features::Standard`] brings them to one size, and
//! [`NearestRows`] finds the nearest row exactly.

pub mod features;

mod nearest;

mod principal;

pub use nearest::{MAX_COLUMNS, NearestRows, Neighbour, RowsError};
