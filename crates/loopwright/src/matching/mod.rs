//! Matching: the frame of many takes that is nearest to what is asked for.
//!
//! [`features::of_take`] gives the numbers that are compared, [`features::Standard`] brings them to one size, and
//! [`NearestRows`] finds the nearest row exactly. [`MatchDatabase`] puts them together and knows which frame a row is; as bytes it
//! can be used where they lie. [`CostDatabase`] is the same for the cost of a jump: it finds the frame that is cheapest to go on in.
//! [`walk`] is a character that walks by a [`MatchDatabase`].

pub mod features;

pub mod walk;

mod bytes;

mod cost;

mod database;

mod nearest;

mod principal;

mod source;

mod tree;

pub use bytes::{DatabaseError, FeatureSetKind};
pub use cost::{Cheapest, CostDatabase, CostError, CostFeatures, CostJoint, CostMotion, CostRows};
pub use database::{
    ClipRows, FrameDatabase, FrameRows, FutureRows, GaitSet, MatchClip, MatchDatabase, MatchFilter, MatchFrame,
    MatchMotion,
};
pub use nearest::{MAX_COLUMNS, NearestRows, Neighbour, RowsError};
pub use source::MatchSource;
