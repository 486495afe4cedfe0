//! What is wrong with an FBX file.

/// Why an FBX file cannot be read, or not be written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FbxError {
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
