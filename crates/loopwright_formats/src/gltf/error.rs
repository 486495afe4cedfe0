//! Errors of glTF files.

use crate::excerpt::list;

/// Why bytes cannot be read as a glTF file.
///
/// Positions are written as in JSON, such as `animations[2].samplers[5].input`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GltfError {
    /// The container of a binary file is invalid.
    #[error("byte {at}: {fault}")]
    Glb {
        /// Offset of the broken part.
        at: usize,
        /// The fault.
        fault: GlbFault,
    },
    /// The text is not JSON.
    #[error("line {line}, column {column}: not JSON: {reason}")]
    Json {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What the JSON reader says.
        reason: String,
    },
    /// Another version of the format.
    #[error("the file is glTF {found}, only 2.x is read; export it again as glTF 2.0")]
    Version {
        /// The version that it states.
        found: String,
    },
    /// A field of a part is missing, or of another type.
    #[error("{at}: {reason}")]
    Form {
        /// The part.
        at: String,
        /// What the JSON reader says.
        reason: String,
    },
    /// A number refers to a missing part.
    #[error("{at} names number {found} of {count}")]
    NoSuch {
        /// The position of the number.
        at: String,
        /// The number.
        found: usize,
        /// The number of parts.
        count: usize,
    },
    /// A node has two parents.
    #[error("nodes[{node}] is a child of both nodes[{first}] and nodes[{second}]")]
    TwoParents {
        /// The node.
        node: usize,
        /// A parent.
        first: usize,
        /// The other.
        second: usize,
    },
    /// Nodes form a cycle.
    #[error("nodes[{node}] hangs below itself")]
    Cycle {
        /// One of them.
        node: usize,
    },
    /// Joints are nested beyond the limit.
    #[error("nodes[{node}]: nesting is deeper than the limit of {limit} joints")]
    TooDeep {
        /// The node that lies too deep.
        node: usize,
        /// Deepest nesting that is read.
        limit: usize,
    },
    /// The transform of a node is not valid.
    #[error("nodes[{node}]: its transform is not finite, or its rotation is none")]
    Transform {
        /// The node.
        node: usize,
    },
    /// The bytes of a buffer are missing.
    #[error("buffers[{buffer}]: {reason}")]
    NoBuffer {
        /// The buffer.
        buffer: usize,
        /// The reason.
        reason: String,
    },
    /// The data extends beyond its bytes.
    #[error("{at} needs {needed} bytes, there are {available}")]
    BeyondEnd {
        /// The accessor or buffer view.
        at: String,
        /// Bytes up to its end.
        needed: u64,
        /// Bytes available.
        available: u64,
    },
    /// A buffer view whose bytes are compressed.
    #[error("bufferViews[{view}] is compressed ({extension}); export the file without compression")]
    Compressed {
        /// The buffer view.
        view: usize,
        /// The extension that would decompress it.
        extension: String,
    },
    /// The values are of another type than required.
    #[error("{at}: expected {expected}, found {found}")]
    Kind {
        /// The accessor and what it is for.
        at: String,
        /// What belongs there.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// The number of values does not match the keys.
    #[error("{at}: {found} values for {keys} keys, expected {expected}")]
    KeyCount {
        /// The sampler.
        at: String,
        /// Keys.
        keys: usize,
        /// Values that belong to them.
        expected: usize,
        /// Values found.
        found: usize,
    },
    /// Key times decrease, are negative or not finite.
    #[error("{at}: key {key} has the time {found} s; times must not be negative and must rise")]
    KeyTime {
        /// The sampler.
        at: String,
        /// The key, counted from 0.
        key: usize,
        /// Its time.
        found: f64,
    },
    /// The value of a key is not valid.
    #[error("{at}: the value of key {key} is not finite, out of range, or a rotation of length zero")]
    KeyValue {
        /// The sampler.
        at: String,
        /// The key, counted from 0.
        key: usize,
    },
    /// There are far more values than the file has bytes for.
    #[error("{at}: more values than a file of {bytes} bytes can mean")]
    OutOfProportion {
        /// The position at which the limit was exceeded.
        at: String,
        /// Size of the file and its buffers.
        bytes: usize,
    },
    /// There is no animation.
    #[error("the file holds no animation")]
    NoAnimations,
    /// No animation has keys for a node.
    #[error("none of the {count} animations has keys for a node; those there are: {}", list(.names))]
    NoMotion {
        /// Number of animations.
        count: usize,
        /// Their names.
        names: Vec<String>,
    },
}

impl GltfError {
    /// What to try about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NoBuffer { .. } => "keep the files that it refers to beside it, or export it as one .glb",
            Self::NoAnimations | Self::NoMotion { .. } => "export it with its animations, baked",
            _ => "export the file again; a glTF validator says more",
        }
    }
}

/// An error in the container of a binary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GlbFault {
    /// It ends inside its header or a chunk.
    #[error("the file is cut off: {needed} bytes are stated, {available} are there")]
    CutOff {
        /// Bytes stated.
        needed: usize,
        /// Bytes available.
        available: usize,
    },
    /// The version of the container is not supported.
    #[error("the frame has version {found}, only 2 is read")]
    Version {
        /// The version that it states.
        found: u32,
    },
    /// The first chunk is not the JSON.
    #[error("the first chunk is not JSON")]
    NoJson,
}
