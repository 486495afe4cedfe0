//! Errors of glTF files.

use crate::excerpt::list;

/// Why bytes cannot be read as a glTF file.
///
/// Positions are written as in JSON, such as `animations[2].samplers[5].input`.
#[error_kinds]
pub enum GltfError {
    /// The container of a binary file ends inside its header or a chunk.
    #[error("byte {at}: the file is cut off: {needed} bytes are stated, {available} are there")]
    GlbCutOff { at: usize, needed: usize, available: usize },
    /// The version of the container is not supported.
    #[error("byte 4: the frame has version {found}, only 2 is read")]
    GlbVersion { found: usize },
    #[error("byte 12: the first chunk is not JSON")]
    GlbNoJson,
    #[error("line {line}, column {column}: not JSON: {reason}")]
    Json {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        reason: String,
    },
    /// An unsupported version of the format.
    #[error("the file is glTF {found}, only 2.x is read; export it again as glTF 2.0")]
    Version { found: String },
    /// A field of a part is missing, or has another type.
    #[error("{at}: {reason}")]
    Form { at: String, reason: String },
    /// A number refers to a missing part.
    #[error("{at} names number {found} of {count}")]
    NoSuch { at: String, found: usize, count: usize },
    #[error("nodes[{node}] is a child of both nodes[{first}] and nodes[{second}]")]
    TwoParents { node: usize, first: usize, second: usize },
    #[error("nodes[{node}] hangs below itself")]
    Cycle { node: usize },
    #[error("nodes[{node}]: nesting is deeper than the limit of {limit} joints")]
    TooDeep { node: usize, limit: usize },
    #[error("nodes[{node}]: its transform is not finite, or its rotation has length zero")]
    Transform { node: usize },
    /// The bytes of a buffer are missing.
    #[error("buffers[{buffer}]: {reason}")]
    NoBuffer { buffer: usize, reason: String },
    #[error("{at} needs {needed} bytes, there are {available}")]
    BeyondEnd { at: String, needed: u64, available: u64 },
    #[error("bufferViews[{view}] is compressed ({extension}); export the file without compression")]
    Compressed { view: usize, extension: String },
    #[error("bufferViews[{view}]: its compressed bytes are damaged: {fault}")]
    Damaged { view: usize, fault: StreamFault },
    /// The values have another type than required.
    #[error("{at}: expected {expected}, found {found}")]
    Kind {
        at: String,
        expected: &'static str,
        found: String,
    },
    #[error("{at}: {found} values for {keys} keys, expected {expected}")]
    KeyCount {
        at: String,
        keys: usize,
        expected: usize,
        found: usize,
    },
    #[error("{at}: key {key} has the time {found} s; times must not be negative and must rise")]
    KeyTime {
        at: String,
        /// The key, counted from 0.
        key: usize,
        found: f64,
    },
    #[error("{at}: the value of key {key} is not finite, out of range, or a rotation of length zero")]
    KeyValue {
        at: String,
        /// The key, counted from 0.
        key: usize,
    },
    #[error("{at}: more values than a file of {bytes} bytes can mean")]
    OutOfProportion { at: String, bytes: usize },
    #[error("the file holds no animation")]
    NoAnimations,
    #[error(
        "all tracks are KHR_animation_pointer to properties of which none is the translation, rotation or scale of a node"
    )]
    OtherPointers,
    #[error("no animation has keys for a node; there {}: {}", if *.count == 1 { "is" } else { "are" }, list(.names))]
    NoMotion { count: usize, names: Vec<String> },
}

impl GltfError {
    pub(crate) fn form(at: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Form {
            at: at.into(),
            reason: reason.into(),
        }
    }

    /// Returns the error of an index beyond the end of a list.
    pub(crate) fn no_such(at: impl Into<String>, found: usize, count: usize) -> Self {
        Self::NoSuch {
            at: at.into(),
            found,
            count,
        }
    }

    /// Checks an index. Errors: it is beyond the end of the list.
    pub(crate) fn check_index(found: usize, count: usize, at: impl FnOnce() -> String) -> Result<(), Self> {
        if found < count {
            Ok(())
        } else {
            Err(Self::no_such(at(), found, count))
        }
    }

    /// Returns a range of bytes. Errors: they end before it.
    pub(crate) fn part(bytes: &[u8], start: usize, length: usize, at: impl FnOnce() -> String) -> Result<&[u8], Self> {
        let part = start.checked_add(length).and_then(|end| bytes.get(start..end));
        part.ok_or_else(|| Self::BeyondEnd {
            at: at(),
            needed: (start as u64).saturating_add(length as u64),
            available: bytes.len() as u64,
        })
    }

    /// Advises what to try.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NoBuffer { .. } => "keep the files that it refers to beside it, or export it as one .glb",
            Self::NoAnimations | Self::NoMotion { .. } | Self::OtherPointers => "export it with its animations, baked",
            _ => "export the file again; a glTF validator says more",
        }
    }
}

/// A fault of a compressed stream.
#[error_kinds(Copy, Eq)]
pub enum StreamFault {
    /// The first byte does not fit the kind of stream, or names an unknown version.
    #[error("it begins with byte {found:#04x}, which no known version does")]
    Header { found: u8 },
    /// The stream ends too early.
    #[error("it is cut off")]
    CutOff,
    /// Bytes are left over.
    #[error("it has bytes after its end")]
    TooLong,
    /// The elements have another size than they should.
    #[error("elements of {found} bytes")]
    Stride { found: usize },
    /// The kind of stream or the filter is unknown.
    #[error("its mode or its filter is not known")]
    Kind,
    /// Another view has other bytes in its place.
    #[error("it overlaps another view")]
    Overlaps,
    /// The indices do not form whole triangles.
    #[error("{found} indices do not form whole triangles")]
    Triangles { found: usize },
}
