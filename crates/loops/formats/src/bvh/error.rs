//! Errors of BVH files, with their positions.

use super::channel::Channel;

/// A position in a text file; both numbers count from 1, columns in characters.
#[value(Copy, Eq, thiserror::Error)]
#[error("line {line}, column {column}")]
pub struct Position {
    /// Line; LF, CRLF and a bare CR each end one.
    pub line: usize,
    /// Column within the line.
    pub column: usize,
}

/// The text found where something else was expected.
#[error_kinds(Eq)]
pub enum Found {
    /// Some text, truncated if it is long.
    #[error("\"{0}\"")]
    Text(String),
    #[error("the end of the file")]
    EndOfFile,
}

/// The meaning of a number in the file.
#[error_kinds(Eq)]
pub enum NumberPlace {
    #[error("OFFSET of {joint}")]
    Offset { joint: String },
    #[error("OFFSET of the End Site of {joint}")]
    EndSite { joint: String },
    #[error("frame {frame}, joint {joint}, channel {channel}")]
    Value {
        frame: usize,
        joint: String,
        channel: Channel,
    },
}

/// The likely reason why a text is not a number.
#[error_kinds(Copy, Eq)]
pub enum NumberHint {
    /// Unknown.
    #[error("")]
    None,
    #[error("; decimal comma? write the file again with a decimal point")]
    DecimalComma,
    #[error("; two numbers run together? a blank is missing between them")]
    RunTogether,
    #[error(" (NaN or infinity of an old exporter); export the take again or cut out the frame")]
    OldNan,
}

/// Why bytes cannot be read as a BVH file.
///
/// Messages state the position, the text found, the text expected, and what to try if there is anything.
#[error_kinds]
pub enum BvhError {
    /// The first word is not HIERARCHY. The word is not quoted: a file that is not a take may hold confidential text.
    #[error("not a BVH file: expected HIERARCHY at {at}")]
    NotBvh { at: Position },
    /// Another word than the format requires.
    #[error("{at}: expected {expected}, found {found}")]
    Expected {
        at: Position,
        expected: String,
        found: Found,
    },
    #[error("{at}: the hierarchy has no joints: expected ROOT, found {found}")]
    NoJoints { at: Position, found: Found },
    #[error("{at}: joint name missing after {keyword}; a brace is not a name")]
    JointNameMissing {
        at: Position,
        /// ROOT or JOINT.
        keyword: &'static str,
    },
    #[error("{at}: nesting is deeper than the limit of {limit} joints")]
    TooDeep { at: Position, limit: usize },
    /// A joint is not closed before the hierarchy ends.
    #[error("{at}: expected \"}}\" before {found}: joint {joint} is left open")]
    UnclosedBrace { at: Position, joint: String, found: Found },
    #[error("{at}: unexpected \"}}\": every joint is closed already")]
    ExtraBrace { at: Position },
    #[error("{at}: an End Site has no channels, that of {joint} lists some")]
    EndSiteChannels { at: Position, joint: String },
    /// A joint or End Site without OFFSET.
    #[error("{at}: OFFSET missing in {joint}")]
    OffsetMissing { at: Position, joint: String },
    #[error("{at}: OFFSET of {joint} needs three numbers, found {found}")]
    OffsetNumbers {
        /// Position of the fourth offset, or of the missing one.
        at: Position,
        joint: String,
        found: usize,
    },
    /// OFFSET or CHANNELS twice in one joint.
    #[error("{at}: {keyword} twice in {joint}")]
    Twice {
        at: Position,
        joint: String,
        /// OFFSET or CHANNELS.
        keyword: &'static str,
    },
    /// The list of channels differs in length from its stated number.
    #[error("{at}: CHANNELS says {declared} in {joint}, found {found}")]
    ChannelCount {
        at: Position,
        joint: String,
        declared: usize,
        found: usize,
    },
    #[error("{at}: channel count {found} of {joint} is out of range, a joint has at most {limit}")]
    ChannelCountRange {
        at: Position,
        joint: String,
        found: Found,
        limit: usize,
    },
    /// A channel name that is not in the format.
    #[error("{at}: unknown channel {found} in {joint}; known are Xposition, Xrotation, Xscale and so on for Y and Z")]
    UnknownChannel { at: Position, joint: String, found: Found },
    #[error("{at}: channel {channel} twice in {joint}")]
    RepeatedChannel {
        at: Position,
        joint: String,
        channel: Channel,
    },
    #[error("the hierarchy has no channels, so the file holds no motion")]
    NoChannels,
    /// Text in the place of a number.
    #[error("{at}: {found} is not a number ({place}){hint}")]
    NotANumber {
        at: Position,
        place: NumberPlace,
        found: Found,
        hint: NumberHint,
    },
    /// NaN or infinity, written out.
    #[error("{at}: value is not finite: {found} ({place})")]
    NotFinite {
        at: Position,
        place: NumberPlace,
        found: Found,
    },
    /// A number beyond the range of motion.
    #[error("{at}: value {found} is out of any plausible range, the limit is {limit:e} ({place})")]
    OutOfRange {
        at: Position,
        place: NumberPlace,
        found: Found,
        limit: f64,
    },
    /// The number of frames, or the time of one, is not valid.
    #[error("{at}: {fault}, found {found}")]
    MotionHead {
        at: Position,
        found: Found,
        fault: &'static str,
    },
    /// There is a skeleton, but not a single whole frame.
    #[error("the file holds no motion: {declared} frames are declared and no whole row is present")]
    NoMotion { declared: u64 },
    #[error(
        "{at}: the last frame, {frame}, has too few values, {found} of {expected}; is the file cut off? delete that row to use the rest"
    )]
    CutOff {
        at: Position,
        /// The frame, counted from 1.
        frame: usize,
        found: usize,
        expected: usize,
    },
    #[error("{at}: a row has {found} values, the hierarchy has {expected} channels (frame {frame})")]
    RowWidth {
        at: Position,
        /// The frame, counted from 1.
        frame: usize,
        found: usize,
        expected: usize,
    },
    #[error("{at}: unexpected {found} after the last frame; one file holds one take, split it")]
    SecondSection { at: Position, found: Found },
    /// A joint scale that changes.
    #[error("frame {frame}, joint {joint}, channel {channel}: scale {value} is not supported, only 1 is")]
    Scale {
        /// The frame, counted from 1.
        frame: usize,
        joint: String,
        channel: Channel,
        value: f64,
    },
}
