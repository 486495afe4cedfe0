//! Why a take cannot be searched.

/// Why a take cannot be searched at all.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The take is too short for the shortest loop.
    #[error("too short: it lasts {take_secs:.3} s, the shortest loop to find is {min_secs} s")]
    TooShort {
        /// Seconds of the take.
        take_secs: f64,
        /// Shortest requested loop, seconds.
        min_secs: f64,
    },
    /// The take does not move.
    #[error("nothing moves")]
    Still,
    /// The take ends as it begins, as a loop does, but its name says that it is a single action.
    #[error("by its name it is a single action, which only ends as it begins")]
    SingleAction,
    /// No frame has reliable neighbours, so no frame can be an end of a loop.
    #[error("all frames are bad: poses jump or repeat")]
    NoCleanFrame,
    /// The bounds are not usable numbers.
    #[error("lengths must be positive seconds in order, found {min_secs} to {max_secs}")]
    Bounds {
        /// Shortest requested length, seconds.
        min_secs: f64,
        /// Longest requested length, seconds.
        max_secs: f64,
    },
}
