//! Errors of BVH files, with their positions.

use core::fmt;

use super::channel::Channel;

/// A position in a text file; both numbers count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line; LF, CRLF and a bare CR each end one.
    pub line: usize,
    /// Column within the line.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// The text found where something else was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Some text, truncated if it is long.
    Text(String),
    /// The end of the file.
    EndOfFile,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "\"{text}\""),
            Self::EndOfFile => f.write_str("the end of the file"),
        }
    }
}

/// The meaning of a number in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NumberPlace {
    /// A joint's OFFSET.
    Offset {
        /// The joint's name.
        joint: String,
    },
    /// The OFFSET of a joint's End Site.
    EndSite {
        /// The joint's name.
        joint: String,
    },
    /// A value of the motion.
    Value {
        /// Frame, counted from 1.
        frame: usize,
        /// The joint's name.
        joint: String,
        /// The channel.
        channel: Channel,
    },
}

impl fmt::Display for NumberPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Offset { joint } => write!(f, "OFFSET of {joint}"),
            Self::EndSite { joint } => write!(f, "OFFSET of the End Site of {joint}"),
            Self::Value { frame, joint, channel } => write!(f, "frame {frame}, joint {joint}, channel {channel}"),
        }
    }
}

/// The likely reason why a text is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NumberHint {
    /// Unknown.
    None,
    /// A comma instead of a decimal point.
    DecimalComma,
    /// Two numbers without a blank between them.
    RunTogether,
    /// NaN or infinity as written by old C runtimes.
    OldNan,
}

impl fmt::Display for NumberHint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "",
            Self::DecimalComma => "; decimal comma? write the file again with a decimal point",
            Self::RunTogether => "; two numbers run together? a blank is missing between them",
            Self::OldNan => " (NaN or infinity of an old exporter); export the take again or cut out the frame",
        })
    }
}

/// An error in the number of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameCountFault {
    /// Not a number.
    NotANumber,
    /// Negative.
    Negative,
    /// Not a whole number.
    NotWhole,
    /// It does not fit 64 bits.
    OutOfRange,
}

impl fmt::Display for FrameCountFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotANumber => "must be a whole number",
            Self::Negative => "must not be negative",
            Self::NotWhole => "must be a whole number",
            Self::OutOfRange => "is out of range",
        })
    }
}

/// An error in the frame time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameTimeFault {
    /// Not a number, or not a finite one.
    NotANumber,
    /// Zero or negative.
    NotPositive,
    /// Too short or too long for any camera or sensor.
    Implausible,
}

impl fmt::Display for FrameTimeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotANumber => "frame time must be a positive number of seconds",
            Self::NotPositive => "frame time must be positive",
            Self::Implausible => {
                "frame rate is implausible: the frame time must lie between 0.000001 and 10000 seconds"
            }
        })
    }
}

/// Why bytes cannot be read as a BVH file.
///
/// Messages state the position, the text found, the text expected, and what to try if there is anything.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BvhError {
    /// The first word is not HIERARCHY.
    #[error("not a BVH file: expected HIERARCHY at {at}, found {found}")]
    NotBvh {
        /// Where.
        at: Position,
        /// What stands there.
        found: Found,
    },
    /// The format requires something else here.
    #[error("{at}: expected {expected}, found {found}")]
    Expected {
        /// Where.
        at: Position,
        /// What belongs there.
        expected: String,
        /// What stands there.
        found: Found,
    },
    /// HIERARCHY without a ROOT.
    #[error("{at}: the hierarchy has no joints: expected ROOT, found {found}")]
    NoJoints {
        /// Where.
        at: Position,
        /// What stands there.
        found: Found,
    },
    /// ROOT or JOINT without a name.
    #[error("{at}: joint name missing after {keyword}; a brace is not a name")]
    JointNameMissing {
        /// Where the name belongs.
        at: Position,
        /// ROOT or JOINT.
        keyword: &'static str,
    },
    /// Joints are nested beyond the limit.
    #[error("{at}: nesting is deeper than the limit of {limit} joints")]
    TooDeep {
        /// Where.
        at: Position,
        /// Deepest nesting that is read.
        limit: usize,
    },
    /// A second tree of joints.
    #[error(
        "{at}: more than one ROOT is not supported, found \"{first}\" and \"{second}\"; split the file, one tree each"
    )]
    SecondRoot {
        /// Where the second one starts.
        at: Position,
        /// Name of the first.
        first: String,
        /// Name of the second.
        second: String,
    },
    /// A joint is not closed before the hierarchy ends.
    #[error("{at}: expected \"}}\" before {found}: joint {joint} is left open")]
    UnclosedBrace {
        /// Where it was missed.
        at: Position,
        /// The innermost open joint.
        joint: String,
        /// What stands there instead.
        found: Found,
    },
    /// One closing brace too many.
    #[error("{at}: unexpected \"}}\": every joint is closed already")]
    ExtraBrace {
        /// Where.
        at: Position,
    },
    /// An End Site with channels.
    #[error("{at}: an End Site has no channels, that of {joint} lists some")]
    EndSiteChannels {
        /// Where.
        at: Position,
        /// The joint above.
        joint: String,
    },
    /// A joint or End Site without OFFSET.
    #[error("{at}: OFFSET missing in {joint}")]
    OffsetMissing {
        /// Where the joint ends.
        at: Position,
        /// The joint.
        joint: String,
    },
    /// OFFSET with another number of numbers.
    #[error("{at}: OFFSET of {joint} needs three numbers, found {found}")]
    OffsetNumbers {
        /// Where the fourth or the missing one is.
        at: Position,
        /// The joint.
        joint: String,
        /// How many there are.
        found: usize,
    },
    /// OFFSET or CHANNELS twice in one joint.
    #[error("{at}: {keyword} twice in {joint}")]
    Twice {
        /// Where the second one is.
        at: Position,
        /// The joint.
        joint: String,
        /// OFFSET or CHANNELS.
        keyword: &'static str,
    },
    /// The list of channels is longer or shorter than its number says.
    #[error("{at}: CHANNELS says {declared} in {joint}, found {found}")]
    ChannelCount {
        /// Where.
        at: Position,
        /// The joint.
        joint: String,
        /// Number stated.
        declared: usize,
        /// Number of names.
        found: usize,
    },
    /// A number of channels that no joint can have.
    #[error("{at}: channel count {found} of {joint} is out of range, a joint has at most {limit}")]
    ChannelCountRange {
        /// Where.
        at: Position,
        /// The joint.
        joint: String,
        /// What is stated.
        found: Found,
        /// Most channels that a joint can have.
        limit: usize,
    },
    /// A channel name that is not in the format.
    #[error("{at}: unknown channel {found} in {joint}; known are Xposition, Xrotation, Xscale and so on for Y and Z")]
    UnknownChannel {
        /// Where.
        at: Position,
        /// The joint.
        joint: String,
        /// The word.
        found: Found,
    },
    /// A channel twice in one joint.
    #[error("{at}: channel {channel} twice in {joint}")]
    RepeatedChannel {
        /// Where the second one is.
        at: Position,
        /// The joint.
        joint: String,
        /// The channel.
        channel: Channel,
    },
    /// No joint has a channel.
    #[error("the hierarchy has no channels, so the file holds no motion")]
    NoChannels,
    /// Text where a number belongs.
    #[error("{at}: {found} is not a number ({place}){hint}")]
    NotANumber {
        /// Where.
        at: Position,
        /// What the number is for.
        place: NumberPlace,
        /// The text.
        found: Found,
        /// What may have happened.
        hint: NumberHint,
    },
    /// NaN or infinity, written out.
    #[error("{at}: value is not finite: {found} ({place})")]
    NotFinite {
        /// Where.
        at: Position,
        /// What the number is for.
        place: NumberPlace,
        /// The text.
        found: Found,
    },
    /// A number that no motion has.
    #[error("{at}: value {found} is out of any plausible range, the limit is {limit:e} ({place})")]
    OutOfRange {
        /// Where.
        at: Position,
        /// What the number is for.
        place: NumberPlace,
        /// The text.
        found: Found,
        /// Largest size that is read.
        limit: f64,
    },
    /// The number of frames is not valid.
    #[error("{at}: frame count {fault}, found {found}")]
    FrameCount {
        /// Where.
        at: Position,
        /// The text.
        found: Found,
        /// What is wrong with it.
        fault: FrameCountFault,
    },
    /// The frame time is not valid.
    #[error("{at}: {fault}, found {found}")]
    FrameTime {
        /// Where.
        at: Position,
        /// The text.
        found: Found,
        /// What is wrong with it.
        fault: FrameTimeFault,
    },
    /// There is a skeleton, but not a single whole frame.
    #[error("the file holds no motion: {declared} frames are declared and no whole row is present")]
    NoMotion {
        /// Number of frames stated.
        declared: u64,
    },
    /// The file ends in the middle of a row.
    #[error(
        "{at}: the last frame, {frame}, has too few values, {found} of {expected}; is the file cut off? delete that row to use the rest"
    )]
    CutOff {
        /// Where the last row starts.
        at: Position,
        /// The frame, counted from 1.
        frame: usize,
        /// Values present.
        found: usize,
        /// Channels of the hierarchy.
        expected: usize,
    },
    /// Rows do not fit the hierarchy.
    #[error("{at}: a row has {found} values, the hierarchy has {expected} channels (frame {frame})")]
    RowWidth {
        /// Where the row starts.
        at: Position,
        /// The frame, counted from 1.
        frame: usize,
        /// Values of the row.
        found: usize,
        /// Channels of the hierarchy.
        expected: usize,
    },
    /// A section after the motion.
    #[error("{at}: unexpected {found} after the last frame; one file holds one take, split it")]
    SecondSection {
        /// Where.
        at: Position,
        /// The section's keyword.
        found: Found,
    },
    /// A joint changes its size.
    #[error("frame {frame}, joint {joint}, channel {channel}: scale {value} is not supported, only 1 is")]
    Scale {
        /// The frame, counted from 1.
        frame: usize,
        /// The joint.
        joint: String,
        /// The channel.
        channel: Channel,
        /// The scale.
        value: f64,
    },
}

impl BvhError {
    /// The position in the file, for errors that have one.
    pub fn position(&self) -> Option<Position> {
        match self {
            Self::NotBvh { at, .. }
            | Self::Expected { at, .. }
            | Self::NoJoints { at, .. }
            | Self::JointNameMissing { at, .. }
            | Self::TooDeep { at, .. }
            | Self::SecondRoot { at, .. }
            | Self::UnclosedBrace { at, .. }
            | Self::ExtraBrace { at }
            | Self::EndSiteChannels { at, .. }
            | Self::OffsetMissing { at, .. }
            | Self::OffsetNumbers { at, .. }
            | Self::Twice { at, .. }
            | Self::ChannelCount { at, .. }
            | Self::ChannelCountRange { at, .. }
            | Self::UnknownChannel { at, .. }
            | Self::RepeatedChannel { at, .. }
            | Self::NotANumber { at, .. }
            | Self::NotFinite { at, .. }
            | Self::OutOfRange { at, .. }
            | Self::FrameCount { at, .. }
            | Self::FrameTime { at, .. }
            | Self::CutOff { at, .. }
            | Self::RowWidth { at, .. }
            | Self::SecondSection { at, .. } => Some(*at),
            Self::NoChannels | Self::NoMotion { .. } | Self::Scale { .. } => None,
        }
    }
}
