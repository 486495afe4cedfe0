//! The headings under which `--help` lists flags: by purpose, in the order in which a loop is made.

pub(crate) use loopwright_job::recipe::headings::*;

/// Many files in one run.
pub(crate) const MANY: &str = "Many takes";

/// How loops are mixed, or follow one another.
pub(crate) const MIX: &str = "Mix";
/// The cost of a jump between two motions.
pub(crate) const JUMP: &str = "Jump";
/// What a match database holds, and what it is asked for.
pub(crate) const MATCH: &str = "Match";
/// The limits of `check`.
pub(crate) const LIMITS: &str = "Limits";
/// The measurements of `fit`.
pub(crate) const FIT: &str = "Fit";
/// The results of `fit` without a take.
pub(crate) const NUMBERS_ALONE: &str = "From numbers alone";
pub(crate) const PICTURE: &str = "Picture";
/// How the synthetic walker moves.
pub(crate) const WALK: &str = "Walk";

/// What a run may take of the machine, and open.
pub(crate) const MEMORY: &str = "Memory and files";
/// What is printed, and how.
pub(crate) const MESSAGES: &str = "Messages";
