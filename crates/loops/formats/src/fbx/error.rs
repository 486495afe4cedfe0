//! Errors of FBX files.

use crate::excerpt::list;

/// Why an FBX file cannot be read or written.
#[error_kinds]
pub enum FbxError {
    /// The file ends before its contents do.
    #[error("the file is cut off; export or copy it again")]
    CutOff,
    #[error("this version of FBX is not supported; versions 3000 to 7700 are")]
    Version,
    #[error(
        "the contents are out of proportion to a file of {bytes} bytes: they need more than {limit} bytes of memory"
    )]
    TooLarge { limit: usize, bytes: usize },
    #[error("nesting is deeper than the limit of {limit} nodes")]
    TooDeep { limit: usize },
    /// Any other error that prevents reading the file.
    #[error("not a readable FBX file: {detail}")]
    Malformed { detail: String },
    /// While writing: the file exceeds the range of its version's offsets.
    #[error("the file would be larger than 4 GiB, more than its version allows")]
    TooManyBytes,
    #[error("the file has no skeleton: no bones, and no other node that moves")]
    NoSkeleton,
    #[error("there is no skeleton \"{wanted}\"; there are: {}", list(.names))]
    NoSuchSkeleton { wanted: String, names: Vec<String> },
    /// There is no animation with keys.
    #[error("the file holds no animation; export it with its takes baked")]
    NoAnimation,
    #[error("frame rate {found} is implausible, it must lie between 0.0001 and 1000000 frames per second")]
    FrameRate { found: f64 },
    #[error("joint {joint} at frame {frame} is not finite or out of any plausible range")]
    OutOfRange {
        joint: String,
        /// Frame, counted from 0.
        frame: usize,
    },
}

impl FbxError {
    /// Advises what to try.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NoSuchSkeleton { .. } => "--set take.skin=NAME with one of those names, or its number from 0",
            _ => "export the take again, as binary FBX with its animation baked",
        }
    }
}
