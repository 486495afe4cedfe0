//! What is wrong with a glTF file.

use crate::excerpt::list;

/// Why bytes are not a glTF file that can be read.
///
/// Places are written as in JSON, such as `animations[2].samplers[5].input`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GltfError {
    /// The frame of a binary file is broken.
    #[error("byte {at}: {fault}")]
    Glb {
        /// Offset of the broken part.
        at: usize,
        /// What is wrong there.
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
    /// A part lacks a field, or has one of another type.
    #[error("{at}: {reason}")]
    Form {
        /// The part.
        at: String,
        /// What the JSON reader says.
        reason: String,
    },
    /// A number that stands for a part which is not there.
    #[error("{at} names number {found} of {count}")]
    NoSuch {
        /// The place of the number.
        at: String,
        /// The number.
        found: usize,
        /// Parts there are.
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
    /// Nodes hang below each other in a circle.
    #[error("nodes[{node}] hangs below itself")]
    Cycle {
        /// One of them.
        node: usize,
    },
    /// Joints inside joints beyond the limit.
    #[error("nodes[{node}]: nesting is deeper than the limit of {limit} joints")]
    TooDeep {
        /// The node that lies too deep.
        node: usize,
        /// Deepest nesting that is read.
        limit: usize,
    },
    /// The transform of a node is no transform.
    #[error("nodes[{node}]: its transform is not finite, or its rotation is none")]
    Transform {
        /// The node.
        node: usize,
    },
    /// The bytes of a buffer cannot be had.
    #[error("buffers[{buffer}]: {reason}")]
    NoBuffer {
        /// The buffer.
        buffer: usize,
        /// Why.
        reason: String,
    },
    /// Something reaches beyond the bytes it lies in.
    #[error("{at} needs {needed} bytes, there are {available}")]
    BeyondEnd {
        /// The accessor or buffer view.
        at: String,
        /// Bytes up to its end.
        needed: u64,
        /// Bytes there are.
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
    /// Values of another type than belongs there.
    #[error("{at}: expected {expected}, found {found}")]
    Kind {
        /// The accessor and what it is for.
        at: String,
        /// What belongs there.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// Another number of values than the keys ask for.
    #[error("{at}: {found} values for {keys} keys, expected {expected}")]
    KeyCount {
        /// The sampler.
        at: String,
        /// Keys.
        keys: usize,
        /// Values that belong to them.
        expected: usize,
        /// Values there are.
        found: usize,
    },
    /// Key times that go back, are negative or no numbers.
    #[error("{at}: key {key} has the time {found} s; times must not be negative and must rise")]
    KeyTime {
        /// The sampler.
        at: String,
        /// The key, counted from 0.
        key: usize,
        /// Its time.
        found: f64,
    },
    /// A key's value that is no motion.
    #[error("{at}: the value of key {key} is not finite, out of range, or a rotation of length zero")]
    KeyValue {
        /// The sampler.
        at: String,
        /// The key, counted from 0.
        key: usize,
    },
    /// Far more values than the file has bytes for.
    #[error("{at}: more values than a file of {bytes} bytes can mean")]
    OutOfProportion {
        /// Where it became too much.
        at: String,
        /// Size of the file and its buffers.
        bytes: usize,
    },
    /// There is no animation.
    #[error("the file holds no animation")]
    NoAnimations,
    /// None of the animations has keys for a node.
    #[error("none of the {count} animations has keys for a node; those there are: {}", list(.names))]
    NoMotion {
        /// Animations there are.
        count: usize,
        /// Their names.
        names: Vec<String>,
    },
    /// No animation of that name or number.
    #[error("there is no animation \"{wanted}\"; there are: {}", list(.names))]
    NoSuchAnimation {
        /// What was asked for.
        wanted: String,
        /// Names of all, in order.
        names: Vec<String>,
    },
    /// No skin of that name or number.
    #[error("there is no skin \"{wanted}\"; there are: {}", list(.names))]
    NoSuchSkin {
        /// What was asked for.
        wanted: String,
        /// Names of all, in order.
        names: Vec<String>,
    },
}

/// What is wrong with the frame of a binary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GlbFault {
    /// It ends inside its header or a chunk.
    #[error("the file is cut off: {needed} bytes are stated, {available} are there")]
    CutOff {
        /// Bytes stated.
        needed: usize,
        /// Bytes there are.
        available: usize,
    },
    /// Another version of the frame.
    #[error("the frame has version {found}, only 2 is read")]
    Version {
        /// The version that it states.
        found: u32,
    },
    /// The first chunk is not the JSON.
    #[error("the first chunk is not JSON")]
    NoJson,
}
