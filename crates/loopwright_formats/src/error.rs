//! Why a file cannot be read or written.

use core::fmt;

use loopwright::take::{SkeletonError, TakeError};

use crate::{bvh::Channel, detect::FileKind, gltf::error::GltfError};

/// A place in a text file; both numbers count from 1, columns in characters.
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

/// What stands in the file where something else was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Some text, cut when it is long.
    Text(String),
    /// Nothing more.
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

/// Most characters of a file's own words in one message.
const MAX_EXCERPT: usize = 40;

/// A piece of the file fit for a message: cut when long, without control characters.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    // Four bytes for each character, and some to see that there are more.
    let head = &bytes[..bytes.len().min(4 * MAX_EXCERPT + 4)];
    cut(&String::from_utf8_lossy(head), MAX_EXCERPT)
}

/// `text` without control characters, and with an ellipsis after `limit` characters.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    let mut cut: String = text
        .chars()
        .take(limit)
        .map(|letter| if letter.is_control() { '\u{FFFD}' } else { letter })
        .collect();
    if text.chars().nth(limit).is_some() {
        cut.push('\u{2026}');
    }
    cut
}

/// What a number in the file is for.
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

/// Why a piece of text is probably not the number it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NumberHint {
    /// Nothing comes to mind.
    None,
    /// A comma stands where a point belongs.
    DecimalComma,
    /// Two numbers have no blank between them.
    RunTogether,
    /// The way old C runtimes print NaN and infinity.
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

/// What is wrong with the number of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameCountFault {
    /// Not a number.
    NotANumber,
    /// Below zero.
    Negative,
    /// It has a fraction.
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

/// What is wrong with the frame time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameTimeFault {
    /// Not a number, or not a finite one.
    NotANumber,
    /// Zero or below.
    NotPositive,
    /// So short or so long that no camera or sensor makes it.
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

/// What is wrong with an FBX file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FbxFault {
    /// The file ends before its contents do.
    #[error("the file is cut off; export or copy it again")]
    CutOff,
    /// A version that nobody reads.
    #[error("this version of FBX is not supported; versions 3000 to 7700 are")]
    Version,
    /// Its contents ask for more memory than a file of that size has a right to.
    #[error(
        "the contents are out of proportion to a file of {bytes} bytes: they need more than {limit} bytes of memory"
    )]
    TooLarge {
        /// Most bytes that are used.
        limit: usize,
        /// Size of the file.
        bytes: usize,
    },
    /// Nodes inside nodes beyond the limit.
    #[error("nesting is deeper than the limit of {limit} nodes")]
    TooDeep {
        /// Deepest nesting that is read.
        limit: usize,
    },
    /// Anything else that stops the file from being read.
    #[error("not a readable FBX file: {detail}")]
    Malformed {
        /// What the parser says.
        detail: String,
    },
    /// While writing: more bytes than the offsets of the file's version reach.
    #[error("the file would be larger than 4 GiB, more than its version allows")]
    TooManyBytes,
    /// Neither bones nor nodes that move.
    #[error("the file has no skeleton: no bones, and no other node that moves")]
    NoSkeleton,
    /// No animation, or none with keys.
    #[error("the file holds no animation; export it with its takes baked")]
    NoAnimation,
    /// No animation of the name or number asked for.
    #[error("the file has no animation \"{wanted}\"; it has: {}", names.join(", "))]
    NoSuchAnimation {
        /// What was asked for.
        wanted: String,
        /// Names of those that are there, the first dozen.
        names: Vec<String>,
    },
    /// No plausible rate of frames is stated.
    #[error("frame rate {found} is implausible, it must lie between 0.0001 and 1000000 frames per second")]
    FrameRate {
        /// Frames per second.
        found: f64,
    },
    /// The animation is far too long for the size of the file.
    #[error(
        "an animation of {secs} s at {rate_hz} frames per second is out of proportion to the file, at most {limit} frames are"
    )]
    TooManyFrames {
        /// Seconds stated.
        secs: f64,
        /// Frames per second.
        rate_hz: f64,
        /// Most frames that are read from this file.
        limit: usize,
    },
    /// A joint is nowhere, or farther off than any motion goes.
    #[error("joint {joint} at frame {frame} is not finite or out of any plausible range")]
    OutOfRange {
        /// The joint.
        joint: String,
        /// Frame, counted from 0.
        frame: usize,
    },
}

/// Why bytes are not a take.
///
/// Messages say where, what was found, what was expected, and what to try where there is something.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// No bytes, or only white space.
    #[error("the file is empty")]
    Empty,
    /// A kind of file that is not read here.
    #[error("this is {kind}, not BVH or glTF; export the take as one of them")]
    OtherKind {
        /// What it is.
        kind: FileKind,
    },
    /// Text in 16-bit units.
    #[error("the text is UTF-16; save it as UTF-8 or ASCII")]
    Utf16,
    /// The first word is not HIERARCHY.
    #[error("not a BVH file: expected HIERARCHY at {at}, found {found}")]
    NotBvh {
        /// Where.
        at: Position,
        /// What stands there.
        found: Found,
    },
    /// Something else than the format asks for.
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
    /// Joints inside joints beyond the limit.
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
    /// A channel of another name than those of the format.
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
    /// The number of frames is no such thing.
    #[error("{at}: frame count {fault}, found {found}")]
    FrameCount {
        /// Where.
        at: Position,
        /// The text.
        found: Found,
        /// What is wrong with it.
        fault: FrameCountFault,
    },
    /// The frame time is no such thing.
    #[error("{at}: {fault}, found {found}")]
    FrameTime {
        /// Where.
        at: Position,
        /// The text.
        found: Found,
        /// What is wrong with it.
        fault: FrameTimeFault,
    },
    /// A skeleton without a single whole frame.
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
    /// A joint that changes its size.
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
    /// Far more transforms than the file has bytes for.
    #[error("{frames} frames of {joints} joints are out of proportion to a file of {bytes} bytes")]
    OutOfProportion {
        /// Frames present.
        frames: usize,
        /// Joints.
        joints: usize,
        /// Size of the file.
        bytes: usize,
    },
    /// An FBX file that cannot be read, or holds no take.
    #[error("{fault}")]
    Fbx {
        /// What is wrong with it.
        fault: FbxFault,
    },
    /// The unit asked for is not a plausible number of metres.
    #[error("the unit must lie between 1e-6 m and 1e6 m, found {found} m")]
    Unit {
        /// Metres asked for.
        found: f64,
    },
    /// A glTF file that cannot be read.
    #[error(transparent)]
    Gltf(#[from] GltfError),
    /// The joints are not a skeleton.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// The values are not a take.
    #[error(transparent)]
    Take(#[from] TakeError),
}

impl ReadError {
    /// Where in the file it went wrong, for those errors that have a place.
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
            _ => None,
        }
    }
}

/// Why motion cannot be written in a source's form.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The motion has another skeleton than the source.
    #[error("the motion has {found} joints, its source {expected}")]
    JointCount {
        /// Joints of the source.
        expected: usize,
        /// Joints of the motion.
        found: usize,
    },
    /// A joint hangs elsewhere than in the source.
    #[error("joint {joint} has another parent than in its source")]
    Parent {
        /// Index of the joint.
        joint: usize,
    },
    /// No copies are asked for.
    #[error("at least one copy of the loop must be written")]
    NoCopies,
    /// More values than any reader takes.
    #[error("{keys} keys of {joints} joints are too many, the limit is {limit} transforms")]
    TooManyKeys {
        /// Keys asked for.
        keys: usize,
        /// Joints.
        joints: usize,
        /// Most transforms that are written.
        limit: usize,
    },
    /// Later keys than the file's clock is good for.
    #[error("the motion takes {secs} s, the limit is {limit_secs} s")]
    TooLong {
        /// Seconds asked for.
        secs: f64,
        /// Most seconds that are written.
        limit_secs: f64,
    },
    /// The joints with a root above them are not a skeleton.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// An FBX file that cannot be written, or not be written into.
    #[error(transparent)]
    Fbx(#[from] FbxFault),
    /// Joints inside joints beyond what the reader takes.
    #[error("nesting is deeper than the limit of {limit} joints")]
    TooDeep {
        /// Deepest nesting that is written.
        limit: usize,
    },
    /// More bytes than the format can count.
    #[error("the file would have {bytes} bytes, the limit is {limit}")]
    TooLarge {
        /// Bytes of its buffers.
        bytes: u64,
        /// Most that are written.
        limit: u64,
    },
    /// A value too large for the file in the source's unit.
    #[error("the transform of joint {joint} at key {key} is out of range in the source's unit")]
    OutOfRange {
        /// Key, counted from 0.
        key: usize,
        /// Index of the joint.
        joint: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_short_and_harmless() {
        assert_eq!(excerpt(b"ninety"), "ninety");
        assert_eq!(excerpt(b"a\x1b[31mb"), "a\u{FFFD}[31mb");
        assert_eq!(excerpt(&[b'x'; 100_000]).chars().count(), MAX_EXCERPT + 1);
        assert_eq!(excerpt("\u{E4}".repeat(41).as_bytes()).chars().last(), Some('\u{2026}'));
        assert_eq!(excerpt("\u{E4}".repeat(40).as_bytes()), "\u{E4}".repeat(40));
    }
}
