//! Finds stretches of a take that repeat, and recommends which to loop.
//!
//! [`Analysis::find_loops`](crate::Analysis::find_loops) examines every admissible pair of frames and proposes distinct loops,
//! the recommended one first; [`Analysis::find_stretches`](crate::Analysis::find_stretches) lists each stretch of a long take
//! once. A stretch that does not qualify is a result with a reason, not an error: see [`FoundLoops::nearest_miss`].
//!
//! The parts: [`SearchSettings`] hold the question, `finder` judges the cheapest pairs by their `rhythm`, root motion and
//! abruptness, `stretches` groups what it finds, `search` lists distinct pairs by cost, `bound` skips pairs that cost too much,
//! and `seams` prices them.

mod settings;

mod report;

mod error;

mod choosing;

mod find;

mod finder;

mod stretches;

mod outcome;

mod drift;

mod steadiness;

mod whole;

mod whole_clip;

mod ping_pong;

mod kind;

mod named;

mod describe;

mod pair_motion;

mod remembered;

mod abruptness;

pub(crate) mod rhythm;

mod refine;

pub(crate) mod search;

pub(crate) mod bound;

pub(crate) mod seams;

pub(crate) mod comparison;

pub use crate::analysis::MotionKind;
pub(crate) use choosing::Choosing;
pub use error::SearchError;
pub(crate) use find::{Proposed, propose_loops};
pub use finder::MAX_COST_RATIO;
pub(crate) use finder::every_cycle;
pub use named::NamedMotion;
pub use outcome::{Outcome, OutcomePart};
pub use report::{
    CONFIDENT_TAKE_STRENGTH, CyclesLeftOut, FoundLoops, LoopCandidate, MissReason, NearestMiss, TakeRhythm,
};
pub use rhythm::{MIN_PROMINENCE, MIN_STRENGTH};
pub use seams::SeamPair;
pub use settings::{ChooseBy, DEFAULT_HALF_LIFE_SECS, RootMotionBounds, SearchSettings};
pub use steadiness::{EVEN_VEER_RADIANS, PaceChange, Regularity, Steadiness, TURNING_RADIANS};
pub(crate) use stretches::propose_stretches;
pub use stretches::{FoundStretch, FoundStretches, SegmentLoops};
pub use whole::{LastKey, WholeClip, WholeClipKind};
pub(crate) use whole_clip::{ended_at_its_last_key, is_cut_off};
