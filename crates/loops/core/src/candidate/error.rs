//! Why a take cannot be searched.

/// Why a take cannot be searched at all.
#[error_kinds]
pub enum SearchError {
    /// The take is too short for the shortest loop.
    #[error("too short: it lasts {take_secs:.3} s, the shortest loop to find is {min_secs} s")]
    TooShort { take_secs: f64, min_secs: f64 },
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
    Bounds { min_secs: f64, max_secs: f64 },
}
