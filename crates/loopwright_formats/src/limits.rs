//! Limits of reading, for all formats.

/// Largest file that is read, in bytes; a larger one is not a take, and memory is limited.
pub const MAX_FILE_BYTES: u64 = 4 << 30;

/// Deepest nesting of joints that is read or written.
///
/// Skeletons with hair and tails stay below a hundred. Later stages walk from joints to the root, so depth costs time, and the
/// indentation of a written BVH file grows with its square.
pub(crate) const MAX_DEPTH: usize = 512;

/// Largest size of a number that is read or written, in the file's unit or in degrees.
///
/// As a length in millimetres it is a thousand kilometres; squares and sums of it are far from overflow.
pub(crate) const MAX_VALUE: f64 = 1e9;

/// Transforms allowed for any file.
const FREE_TRANSFORMS: usize = 4_000_000;

/// Most transforms, frames times joints, allowed for a file of the given number of bytes.
///
/// `per_byte` is the number allowed per byte. A joint without keys or channels takes no bytes for its frames but memory in every
/// one, so a small file could otherwise request any amount.
pub(crate) fn most_transforms(num_bytes: usize, per_byte: usize) -> usize {
    num_bytes.saturating_mul(per_byte).saturating_add(FREE_TRANSFORMS)
}
