//! The headings under which `--help` lists flags: by purpose, in the order in which a loop is made.

pub use loopwright_job::recipe::headings::*;

/// Many files in one run.
pub const MANY: &str = "Many takes";

/// Mixing loops, or playing them one after another.
pub const MIX: &str = "Mix";
/// The cost of a jump between two motions.
pub const JUMP: &str = "Jump";
/// The contents of a match database, and queries to it.
pub const MATCH: &str = "Match";
/// The limits of `check`.
pub const LIMITS: &str = "Limits";
/// The measurements of `fit`.
pub const FIT: &str = "Fit";
/// The results of `fit` without a take.
pub const NUMBERS_ALONE: &str = "From numbers alone";
pub const PICTURE: &str = "Picture";
/// How the synthetic walker moves.
pub const WALK: &str = "Walk";

/// The memory that a run may use, and the files that it may open.
pub const MEMORY: &str = "Memory and files";
/// The messages that are printed.
pub const MESSAGES: &str = "Messages";
