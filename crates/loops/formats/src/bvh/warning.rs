//! Warnings about BVH files, when reading or writing.

use super::error::{Found, Position};
use crate::excerpt::{and_more, short_number};

/// Something unusual in a BVH file that does not prevent its use, or a change made to write one.
#[error_kinds]
pub enum BvhWarning {
    /// Joint names have bytes that are not UTF-8 and were replaced by replacement characters.
    #[error("{at}: {}", names_not_utf8(.name, *.count))]
    NameNotUtf8 {
        at: Position,
        /// The first one, repaired.
        name: String,
        count: usize,
    },
    /// Joint names are truncated everywhere but in the hierarchy itself, because they are too long.
    #[error("{at}: {}", long_names(*.num_chars, *.count))]
    LongName {
        at: Position,
        num_chars: usize,
        count: usize,
    },
    #[error("{count} joints are named {name}; they are distinguished by index")]
    DuplicateName { name: String, count: usize },
    /// Leaf joints without an End Site: the length of their bones is unknown.
    #[error("{}, taken as zero", missing_end_sites(.joint, *.count))]
    MissingEndSites { joint: String, count: usize },
    /// A keyword was read as a similar usual one.
    #[error("{at}: unusual keyword {found} for \"{expected}\"")]
    UnusualKeyword {
        at: Position,
        expected: &'static str,
        found: Found,
    },
    #[error("scale channels of {joint}{} ignored, all are 1", and_more(*.count))]
    ScaleIgnored { joint: String, count: usize },
    #[error("the root {joint} has no position channels: it does not move, only turn")]
    RootWithoutPosition { joint: String },
    #[error("all position channels below the root are zero: joints are placed by their OFFSETs alone")]
    ZeroPositions,
    #[error("the skeleton has no size: every offset is zero")]
    NoSize,
    #[error("{declared} frames declared, {present} present; {present} are used")]
    FewerRows { declared: u64, present: usize },
    #[error("{ignored} {} beyond the declared {declared} ignored", if *.ignored == 1 { "row" } else { "rows" })]
    MoreRows { declared: u64, ignored: usize },
    #[error("{at}: rows do not end where lines end; the values were read as one stream")]
    RowsAcrossLines { at: Position },
    #[error("{at}: text after the last frame ignored, from {found} on")]
    TrailingText { at: Position, found: Found },
    #[error("{at}: one frame each {secs} s; was {secs} fps meant?")]
    LongFrameTime { at: Position, secs: f64 },
    #[error("{at}: the frame time {found} has lost its decimal point, read as {secs} s")]
    FrameTimeWithoutPoint { at: Position, found: Found, secs: f64 },
    /// While writing: a joint was given position channels, since it leaves its OFFSET.
    #[error("{joint} moves {} units from its OFFSET and was given position channels", short_number(*.distance))]
    PositionChannelsAdded {
        joint: String,
        /// How far it moves from its OFFSET, in the file's unit.
        distance: f64,
    },
    #[error("{joint} has too few rotation channels, its rotation is written with an error of {degrees:.3} degrees")]
    RotationProjected { joint: String, degrees: f64 },
}

fn names_not_utf8(first: &str, count: usize) -> String {
    match count {
        1 => format!("joint name is not UTF-8, read as \"{first}\""),
        _ => format!("{count} joint names are not UTF-8, the first is read as \"{first}\""),
    }
}

fn long_names(num_chars: usize, count: usize) -> String {
    match count {
        1 => format!("joint name of {num_chars} characters, shown cut"),
        _ => format!("{count} long joint names, the first of {num_chars} characters, shown cut"),
    }
}

fn missing_end_sites(first: &str, count: usize) -> String {
    match count {
        1 => format!("{first} has no End Site: its length is unknown"),
        _ => format!("{first}{} have no End Site: their length is unknown", and_more(count)),
    }
}
