//! Errors that end a job without a loop.

use loopwright_core::{
    FoundLoops, LoopCandidate,
    analysis::BodyError,
    candidate::SearchError,
    motion::SkeletonDifference,
    pipeline::MakeError,
    retarget::MapError,
    take::{CutError, SmoothError},
};
use loopwright_formats::{LoopFileError, MemoryError};

use crate::recipe::RecipeError;

/// Why a file cannot serve as a character.
#[error_sum]
#[derive(Clone, PartialEq)]
pub enum TargetError {
    /// Its file holds no skeleton.
    NoSkeleton(MapError),
    /// A transfer setting is invalid.
    Recipe(RecipeError),
}

/// Why a take cannot be studied.
#[error_kinds]
pub enum StudyError {
    /// The settings contradict each other.
    Recipe(RecipeError),
    /// Its poses cannot be compared.
    Body(BodyError),
    /// More memory than the limits allow.
    #[error("to put it onto the character, {0}")]
    Memory(#[from] MemoryError),
    /// The requested smoothing is not possible.
    Smooth(SmoothError),
    /// A take that the user names has other joints.
    #[error("{key} needs a take of the same skeleton: {difference}")]
    OtherSkeleton {
        key: &'static str,
        difference: SkeletonDifference,
    },
    #[error("take.reference names frame {frame} of {count}, counted from 0")]
    NoSuchFrame { frame: usize, count: usize },
    /// Its joints and those of the character do not match.
    #[error("{error}")]
    Joints { error: MapError, map: Option<String> },
}

/// Why there is no loop.
#[error_kinds]
pub enum JobError {
    /// The recipe cannot be followed.
    Recipe(RecipeError),
    /// The recipe names no stretch, and no search is requested.
    #[error("the recipe does not say which frames to close")]
    NoStretch,
    #[error("the half-life must be a positive number of seconds, found {found:?}")]
    HalfLife { found: f64 },
    #[error("frames {start}:{end} are not a range of the take")]
    Within { start: usize, end: usize },
    /// More memory than the limits allow.
    #[error("to make loops of it, {0}")]
    Memory(#[from] MemoryError),
    #[error("{name} chooses among loops that repeat, --ping-pong makes one of what does not")]
    PingPong { name: &'static str },
    /// A target speed for a ping-pong loop, which returns to its start.
    #[error("output.root-speed states how fast a loop goes on, and --ping-pong comes back to where it began")]
    PingPongSpeed,
    /// The take cannot be searched.
    Search(SearchError),
    /// No stretch qualifies; holds the nearest miss.
    #[error("no loop found")]
    NothingFound(Box<FoundLoops>),
    /// The body moves, but only a part in which it is idle repeats.
    #[error("only a part in which the body is idle repeats")]
    IdlePart(Box<LoopCandidate>),
    #[error("there is no loop number {row}")]
    NoSuchRow {
        /// The requested row, from 1.
        row: usize,
        count: usize,
    },
    /// The stretch cannot be cut.
    Cut(CutError),
    /// More frames per second than an engine uses.
    #[error("{wanted_hz} frames per second exceed the limit of {limit_hz:.0}")]
    Rate { wanted_hz: f64, limit_hz: f64 },
    /// More frames than an engine uses.
    #[error("{wanted} frames exceed the limit of {limit}")]
    Frames { wanted: usize, limit: f64 },
    #[error(
        "{what} holds whole frames at {rate_hz} a second, not {secs:.4} s: {:.4} s and {:.4} s are nearest",
        (secs * rate_hz).floor() / rate_hz,
        (secs * rate_hz).ceil() / rate_hz
    )]
    Length { what: String, secs: f64, rate_hz: f64 },
    /// The stretch cannot be made into a loop.
    Make(MakeError),
    /// The loop cannot be written.
    Write(LoopFileError),
}
