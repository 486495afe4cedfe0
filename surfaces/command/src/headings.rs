//! The headings under which `--help` lists flags: by purpose, in the order in which a loop is made.

pub use loopwright_job::recipe::headings::*;

/// Many files in one run.
pub const MANY: &str = "Many takes";

/// How loops are mixed, or follow one another.
pub const MIX: &str = "Mix";
/// The cost of a jump between two motions.
pub const JUMP: &str = "Jump";
/// What a match database holds, and what it is asked for.
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

/// What a run may take of the machine, and open.
pub const MEMORY: &str = "Memory and files";
/// What is printed, and how.
pub const MESSAGES: &str = "Messages";
