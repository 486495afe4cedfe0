//! Why a file cannot be read or written, in any format.

use loopwright_core::{motion::SkeletonError, take::TakeError};

use crate::{
    animations::AnimationError, bvh::error::BvhError, byte_count::MemoryError, excerpt::list, fbx::error::FbxError,
    gltf::error::GltfError, npz::error::NpzError, robot::error::RobotMotionError,
};

/// Why bytes cannot be read as a take.
///
/// Messages state what was found and what was expected, with a remedy if there is one.
#[error_kinds]
pub enum ReadError {
    #[error("the file is larger than the limit of {limit} bytes")]
    TooLarge { limit: u64 },
    /// Its contents would take more memory than [`crate::SizeLimits`] allow.
    #[error("to read it, {0}")]
    Memory(#[from] MemoryError),
    /// The file has no bytes, or only white space.
    #[error("the file is empty")]
    Empty,
    #[error("this program was built without {format}; export the take in another format")]
    NotRead { format: &'static str },
    /// Text in 16-bit units, such as UTF-16.
    #[error("the text is UTF-16; save it as UTF-8 or ASCII")]
    Utf16,
    #[error("this is a Git LFS pointer, not the file itself: fetch that with `git lfs pull`")]
    LfsPointer,
    #[error("this is a web page, not a take: download the file itself")]
    WebPage,
    /// A BVH file that cannot be read.
    Bvh(BvhError),
    /// An FBX file that cannot be read, or holds no take.
    Fbx(FbxError),
    /// A glTF file that cannot be read.
    Gltf(GltfError),
    /// An NPZ file that cannot be read, or holds no motion.
    Npz(NpzError),
    /// A motion of a robot that cannot be read.
    Robot(RobotMotionError),
    /// The requested animation matches none of the file's animations, or several.
    Animation(AnimationError),
    #[error("there is no skin \"{wanted}\"; there are: {}", list(.names))]
    NoSuchSkin { wanted: String, names: Vec<String> },
    #[error("there is no skeleton \"{wanted}\"; there are: {}", list(.names))]
    NoSuchSkeleton { wanted: String, names: Vec<String> },
    /// The requested unit is not a plausible number of metres.
    #[error("the unit must lie between 1e-6 m and 1e6 m, found {found} m")]
    Unit {
        /// Requested metres per unit.
        found: f64,
    },
    /// The joints do not form a skeleton.
    Skeleton(SkeletonError),
    /// The values do not form a take.
    Take(TakeError),
}

impl ReadError {
    /// Whether this build reads no format of this kind.
    pub fn is_of_no_format(&self) -> bool {
        matches!(
            self,
            Self::Empty | Self::NotRead { .. } | Self::Utf16 | Self::Bvh(BvhError::NotBvh { .. })
        )
    }

    /// Whether another file that this one refers to is missing.
    pub fn lacks_other_file(&self) -> bool {
        matches!(self, Self::Gltf(GltfError::NoBuffer { .. }))
    }

    /// Advises what to do about the contents of the file.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Fbx(error) => error.remedy(),
            Self::Gltf(error) => error.remedy(),
            Self::Npz(error) => error.remedy(),
            Self::Robot(error) => error.remedy(),
            Self::LfsPointer | Self::WebPage => "on a page such as GitHub's, the raw file of full size",
            _ => "export the take again, or correct that line in a text editor",
        }
    }
}

/// Why motion cannot be written in a source's form.
#[error_kinds]
pub enum WriteError {
    #[error("the motion has {found} joints, its source {expected}")]
    JointCount { expected: usize, found: usize },
    #[error("joint {joint} has another parent than in its source")]
    Parent { joint: usize },
    #[error("no animation can be added to this file: it is {found}")]
    NotExtended { found: &'static str },
    #[error(
        "a VRM animation holds a human body, and these bones of it are not found: {}; other bodies go into GLB, glTF, FBX and BVH",
        .missing.join(", ")
    )]
    NoAvatar { missing: Vec<String> },
    #[error("an avatar travels by its hips, and has no joint above them for root motion")]
    NoRootJoint,
    /// Not the motion of a robot.
    Robot(RobotMotionError),
    /// The poses do not form a take.
    Take(TakeError),
    #[error("the format cannot hold a pose from key to key; GLB, glTF, FBX and VRMA can")]
    NoSteps,
    /// The number of copies is zero.
    #[error("at least one copy of the loop must be written")]
    NoCopies,
    /// There are more values than any reader accepts.
    #[error("{keys} keys of {joints} joints are too many, the limit is {limit} transforms")]
    TooManyKeys { keys: usize, joints: usize, limit: usize },
    /// Writing would take more memory than [`crate::SizeLimits`] allow.
    #[error("to write it, {0}")]
    Memory(#[from] MemoryError),
    /// The keys exceed the range of the file's clock.
    #[error("the motion takes {secs} s, the limit is {limit_secs} s")]
    TooLong { secs: f64, limit_secs: f64 },
    /// The joints below an added root do not form a skeleton.
    Skeleton(SkeletonError),
    /// Why the FBX file cannot be written or extended.
    Fbx(FbxError),
    /// Joints are nested more deeply than the reader allows.
    #[error("nesting is deeper than the limit of {limit} joints")]
    TooDeep { limit: usize },
    /// There are more bytes than the format can count.
    #[error("the file would have {bytes} bytes, the limit is {limit}")]
    TooLarge { bytes: u64, limit: u64 },
    /// A value is too large for the file in the source's unit.
    #[error("the transform of joint {joint} at key {key} is out of range in the source's unit")]
    OutOfRange {
        /// Key, counted from 0.
        key: usize,
        joint: usize,
    },
}
