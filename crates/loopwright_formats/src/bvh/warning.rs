//! What is odd in a BVH file, or in writing one.

use core::fmt;

use super::error::{Found, Position};

/// Something odd in a BVH file that does not stop it from being used, or what had to be changed to write one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BvhWarning {
    /// Joint names have bytes that are not UTF-8; replacement characters stand for them.
    NameNotUtf8 {
        /// Where the first one is.
        at: Position,
        /// The first one, repaired.
        name: String,
        /// How many there are.
        count: usize,
    },
    /// Joint names are so long that they are cut everywhere but in the hierarchy itself.
    LongName {
        /// Where the first one is.
        at: Position,
        /// The length of the first one in characters.
        num_chars: usize,
        /// How many there are.
        count: usize,
    },
    /// Several joints share a name; all later steps go by index.
    DuplicateName {
        /// The name.
        name: String,
        /// How many joints have it.
        count: usize,
    },
    /// Leaf joints without an End Site: the length of their bones is unknown.
    MissingEndSites {
        /// The first of them.
        joint: String,
        /// How many there are.
        count: usize,
    },
    /// Another keyword than the usual one was taken for it.
    UnusualKeyword {
        /// Where.
        at: Position,
        /// The usual one.
        expected: &'static str,
        /// What the file has.
        found: Found,
    },
    /// Scale channels, all of them 1, play no part.
    ScaleIgnored {
        /// The first joint that has them.
        joint: String,
        /// How many joints have them.
        count: usize,
    },
    /// The root has no position channels.
    RootWithoutPosition {
        /// The root.
        joint: String,
    },
    /// Every offset is zero.
    NoSize,
    /// Fewer rows than the file declares.
    FewerRows {
        /// Frames declared.
        declared: u64,
        /// Rows present.
        present: usize,
    },
    /// More rows than the file declares.
    MoreRows {
        /// Frames declared.
        declared: u64,
        /// Whole rows beyond them.
        ignored: usize,
    },
    /// Rows do not end where lines end; the values were read as one stream.
    RowsAcrossLines {
        /// The first line that holds parts of two rows.
        at: Position,
    },
    /// Something after the last frame.
    TrailingText {
        /// Where.
        at: Position,
        /// What it starts with.
        found: Found,
    },
    /// The frame time is a second or more.
    LongFrameTime {
        /// Where.
        at: Position,
        /// Seconds.
        secs: f64,
    },
    /// A frame time without its decimal point.
    FrameTimeWithoutPoint {
        /// Where.
        at: Position,
        /// What the file has.
        found: Found,
        /// Seconds it was taken for.
        secs: f64,
    },
    /// While writing: a joint was given position channels, since it no longer stays at its OFFSET.
    PositionChannelsAdded {
        /// The joint.
        joint: String,
        /// How far it moves from its OFFSET, in the file's unit.
        distance: f64,
    },
    /// While writing: a joint has too few rotation channels for its rotation, which is written as nearly as they can.
    RotationProjected {
        /// The joint.
        joint: String,
        /// Largest error in degrees.
        degrees: f64,
    },
}

impl fmt::Display for BvhWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NameNotUtf8 { at, name, count: 1 } => {
                write!(f, "{at}: joint name is not UTF-8, read as \"{name}\"")
            }
            Self::NameNotUtf8 { at, name, count } => {
                write!(
                    f,
                    "{at}: {count} joint names are not UTF-8, the first is read as \"{name}\""
                )
            }
            Self::LongName {
                at,
                num_chars,
                count: 1,
            } => {
                write!(f, "{at}: joint name of {num_chars} characters, shown cut")
            }
            Self::LongName { at, num_chars, count } => {
                write!(
                    f,
                    "{at}: {count} long joint names, the first of {num_chars} characters, shown cut"
                )
            }
            Self::DuplicateName { name, count } => {
                write!(f, "{count} joints are named {name}; they are told apart by index")
            }
            Self::MissingEndSites { joint, count: 1 } => {
                write!(f, "{joint} has no End Site: its length is unknown, taken as zero")
            }
            Self::MissingEndSites { joint, count } => {
                write!(
                    f,
                    "{joint} and {} more have no End Site: their length is unknown, taken as zero",
                    count - 1
                )
            }
            Self::UnusualKeyword { at, expected, found } => {
                write!(f, "{at}: unusual keyword {found} for \"{expected}\"")
            }
            Self::ScaleIgnored { joint, count: 1 } => write!(f, "scale channels of {joint} ignored, all are 1"),
            Self::ScaleIgnored { joint, count } => {
                write!(f, "scale channels of {joint} and {} more ignored, all are 1", count - 1)
            }
            Self::RootWithoutPosition { joint } => {
                write!(
                    f,
                    "the root {joint} has no position channels: it does not move, only turn"
                )
            }
            Self::NoSize => f.write_str("the skeleton has no size: every offset is zero"),
            Self::FewerRows { declared, present } => {
                write!(f, "{declared} frames declared, {present} present; {present} are used")
            }
            Self::MoreRows { declared, ignored: 1 } => write!(f, "1 row beyond the declared {declared} ignored"),
            Self::MoreRows { declared, ignored } => {
                write!(f, "{ignored} rows beyond the declared {declared} ignored")
            }
            Self::RowsAcrossLines { at } => {
                write!(
                    f,
                    "{at}: rows do not end where lines end; the values were read as one stream"
                )
            }
            Self::TrailingText { at, found } => {
                write!(f, "{at}: text after the last frame ignored, from {found} on")
            }
            Self::LongFrameTime { at, secs } => {
                write!(f, "{at}: one frame each {secs} s; was {secs} fps meant?")
            }
            Self::FrameTimeWithoutPoint { at, found, secs } => {
                write!(
                    f,
                    "{at}: the frame time {found} has lost its decimal point, read as {secs} s"
                )
            }
            Self::PositionChannelsAdded { joint, distance } => {
                write!(
                    f,
                    "{joint} moves {distance:.6} units from its OFFSET and was given position channels"
                )
            }
            Self::RotationProjected { joint, degrees } => {
                write!(
                    f,
                    "{joint} has too few rotation channels, its rotation is written with an error of {degrees:.3} degrees"
                )
            }
        }
    }
}
