//! The mean cycle: neighbouring cycles of a take are aligned in phase and averaged into one that repeats by construction.
//!
//! Every cycle of a captured walk is a sample of the intended walk, with individual stumbles and glances. Steps: find the cycles
//! around the chosen one and align each with it by a smooth map of time (`phase`), give little weight to outliers and weigh all
//! by a window that fades in and out (`window`), average poses relative to a root that maps cycle onto cycle (`average`), and
//! add the fine detail of the chosen cycle alone (`detail`), which a mean loses. The result is a clip like any other: root
//! motion is extracted and its seam closed as usual. Derivation: docs/math/mean_cycle.md.

mod window;

mod phase;

mod average;
mod deviations;

mod detail;

pub(crate) use average::LaidCycles;
pub(crate) use deviations::CycleDeviations;

/// Most cycles that are averaged; of more, those nearest to the chosen one are used.
///
/// The noise of a mean falls with the root of their number, so that more cycles make no visible difference; the limit also
/// bounds the work on takes of an hour.
pub const MAX_CYCLES: usize = 32;

/// Fewest cycles that make up a mean: the chosen one and a neighbour.
pub const MIN_CYCLES: usize = 2;

/// Longest cycle that is averaged, seconds: the work grows with the square of its length.
pub const MAX_CYCLE_SECS: f64 = 60.0;

/// Whether a loop is the mean of several cycles, and of how many.
#[handed_over(Copy, Default, Eq)]
pub enum MeanCycles {
    /// The loop is the chosen cycle alone.
    #[default]
    Off,
    /// The mean of this many cycles, the chosen one in the middle if possible; of fewer if the take has no more.
    UpTo(usize),
    /// The mean of all cycles around the chosen one that resemble it, at most [`MAX_CYCLES`].
    All,
}

impl MeanCycles {
    /// Returns the largest number of cycles to use.
    fn most(self) -> usize {
        match self {
            Self::Off => 1,
            Self::UpTo(count) => count.min(MAX_CYCLES),
            Self::All => MAX_CYCLES,
        }
    }
}

crate::words::words_or_number! {
    MeanCycles { Off: "off", All: "all", } UpTo in MIN_CYCLES..=MAX_CYCLES,
    "must be all, off, or a number of cycles from 2 to 32"
}

/// The cycles whose mean a loop is.
#[handed_over]
pub struct MeanCycle {
    /// The requested cycles.
    pub asked: MeanCycles,
    /// The cycles in order of time; each ends where the next one starts.
    pub cycles: Vec<UsedCycle>,
    /// Index of the chosen cycle among them: it determines the time of the loop, and its fine detail.
    pub chosen: usize,
    /// Why there are no more cycles before the first of them.
    pub before: CyclesEnd,
    /// Why there are no more cycles after the last of them.
    pub after: CyclesEnd,
    /// Joints that differ too much between the cycles for a mean, or that flip: they move as in the chosen cycle.
    pub joints_left_out: Vec<usize>,
}

/// A cycle that a mean includes.
#[handed_over(Copy)]
pub struct UsedCycle {
    /// Source frame, fractional, at which it starts.
    pub start_frame: f64,
    /// Source frame, fractional, at which it ends.
    pub end_frame: f64,
    /// Its share of the mean, 0 to 1; all shares sum to 1. The first and the last cycle fade in and out, and an outlier has a
    /// small share or none.
    pub share: f64,
}

/// Why a row of cycles ends.
#[handed_over(Copy, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "messages show what they are")]
pub enum CyclesEnd {
    #[error("as many as are wanted were found")]
    Enough,
    #[error("the take has no frames for another cycle")]
    TakeEnds,
    #[error("poses jump or freeze there")]
    BadFrames,
    /// The body moves differently there: its poses differ from those of the chosen cycle.
    #[error("the body moves differently there")]
    OtherMotion,
    #[error("the stride or the turn differs there")]
    OtherPath,
}

/// Why there is no mean cycle.
#[error_kinds]
pub enum MeanCycleError {
    #[error("a mean takes at least {MIN_CYCLES} cycles, found {found}")]
    TooFewAsked { found: usize },
    #[error("no other cycle is beside the chosen one: before it, {before}; after it, {after}")]
    NoOther { before: CyclesEnd, after: CyclesEnd },
    /// The loop is a whole clip, with nothing before or after it.
    #[error("the loop is the whole clip, so there are no other cycles")]
    WholeClip,
    #[error("the body is idle in the loop, and idle bodies have no cycles")]
    Idle,
    #[error("the loop is half a cycle that its mirror image follows, and a mean is of whole cycles")]
    Mirrored,
    #[error("the stretch is played there and back, and a mean is of whole cycles")]
    PingPong,
    #[error("cycles are laid onto each other over the ground, and the root motion is in full space")]
    FullSpace,
    #[error("a cycle of {secs:.1} s is too long for a mean, the limit is {MAX_CYCLE_SECS} s")]
    TooLong { secs: f64 },
}
