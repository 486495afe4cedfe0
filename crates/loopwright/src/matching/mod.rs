//! Matching: the frame of many takes that is nearest to what is asked for.
//!
//! [`features::of_take`] gives the numbers that are compared, [`features::Standard`] brings them to one size, and
//! [`NearestRows`] finds the nearest row exactly. [`MatchDatabase`] puts them together and knows which frame a row is; as bytes it
//! can be used where they lie. [`walk`] is a character that walks by it.

pub mod features;

pub mod walk;

mod bytes;

mod database;

mod nearest;

mod principal;

mod source;

pub use bytes::DatabaseError;
pub use database::{ClipRows, MatchClip, MatchDatabase, MatchFilter, MatchFrame, MatchMotion};
pub use nearest::{MAX_COLUMNS, NearestRows, Neighbour, RowsError};
pub use source::MatchSource;
