//! Why a file cannot be read or written, whatever its format.

use std::io;

use loopwright::{motion::SkeletonError, take::TakeError};

use crate::{
    bvh::error::{BvhError, Position},
    detect::FileKind,
    fbx::error::FbxError,
    gltf::error::GltfError,
};

/// Why bytes are not a take.
///
/// Messages say what was found, what was expected, and what to try where there is something.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The bytes could not be had.
    #[error("{reason}")]
    Io {
        /// The kind of failure.
        kind: io::ErrorKind,
        /// What the system says.
        reason: String,
    },
    /// More bytes than any file is read of.
    #[error("the file is larger than the limit of {limit} bytes")]
    TooLarge {
        /// Most bytes that are read.
        limit: u64,
    },
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
    /// A BVH file that cannot be read.
    #[error(transparent)]
    Bvh(#[from] BvhError),
    /// An FBX file that cannot be read, or holds no take.
    #[error(transparent)]
    Fbx(#[from] FbxError),
    /// A glTF file that cannot be read.
    #[error(transparent)]
    Gltf(#[from] GltfError),
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
    /// The unit asked for is not a plausible number of metres.
    #[error("the unit must lie between 1e-6 m and 1e6 m, found {found} m")]
    Unit {
        /// Metres asked for.
        found: f64,
    },
    /// The joints are not a skeleton.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// The values are not a take.
    #[error(transparent)]
    Take(#[from] TakeError),
}

impl ReadError {
    /// The place in the file, for errors of text formats that have one.
    pub fn position(&self) -> Option<Position> {
        match self {
            Self::Bvh(error) => error.position(),
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
    Fbx(#[from] FbxError),
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
