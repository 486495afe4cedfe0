//! Motion matching: finds the frame of many takes that is nearest to a query.
//!
//! [`features::of_take`] computes the compared numbers, [`features::Standard`] standardizes them, and
//! [`NearestRows`] finds the nearest row exactly. [`MatchDatabase`] combines them and knows the frame of each row; its bytes
//! can be used in place. [`CostDatabase`] does the same for the cost of a jump: it finds the frame that is cheapest to continue in.
//! [`walk`] moves a character along a path with a [`MatchDatabase`].
//!
//! ```
//! use loopwright_core::Analysis;
//! use loopwright_match::{
//!     MatchDatabase, MatchFilter, MatchSource,
//!     features::{Future, Horizon},
//! };
//!
//! # let take = loopwright_synth::synthesize(&loopwright_synth::WalkSettings::default())?.take;
//! let (walk, horizon) = (MatchSource::from_take(Analysis::new(&take)?), Horizon::default());
//! let database = MatchDatabase::new(walk.motions("walk.bvh", &[], horizon)?, horizon)?;
//!
//! // The pose of frame 30, with a path that bends to the left.
//! let pose = database.standard().apply(&walk.queries(horizon)?[30]);
//! let path = [[0.1, 0.4], [0.3, 0.8], [0.6, 1.1]];
//! let futures = path.map(|position| Future { position, facing: 0.5 * position[1] });
//! let query = database.standard().steered(&pose, futures);
//! let found = database.nearest(&query, &MatchFilter::default(), None).ok_or("no row")?;
//! println!("go on in frame {}", database.frame_of(found.row).frame);
//!
//! // Without a new path, frame 30 is nearest to itself.
//! let itself = database.nearest(&pose, &MatchFilter::default(), None).ok_or("no row")?;
//! assert_eq!((database.frame_of(itself.row).frame, itself.squared_distance), (30, 0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[macro_use]
extern crate loopwright_attributes;

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
    APART_SECS, ClipRows, FrameDatabase, FrameRows, FutureRows, GaitSet, MatchClip, MatchDatabase, MatchFilter,
    MatchFrame, MatchMotion,
};
pub use nearest::{MAX_COLUMNS, NearestRows, Neighbour, RowsError};
pub use source::MatchSource;
