//! How much is read of any file, whatever its format.

/// Largest file that is read, in bytes; a larger one is no take, and memory is not unbounded.
pub const MAX_FILE_BYTES: u64 = 4 << 30;

/// Deepest nesting of joints that is read or written.
///
/// Skeletons with hair and tails stay below a hundred. Later stages walk from joints to the root, so depth costs time, and
/// the indentation of a written BVH file grows with its square.
pub(crate) const MAX_DEPTH: usize = 512;

/// Largest size of a number that is read or written, in the file's unit or in degrees.
///
/// As a length in millimetres it is a thousand kilometres; squares and sums of it are far from overflow.
pub(crate) const MAX_VALUE: f64 = 1e9;

/// Transforms that any file may have.
const FREE_TRANSFORMS: usize = 4_000_000;

/// Most transforms, frames times joints, that a file of so many bytes is read as.
///
/// `per_byte` is what each byte adds. A joint without keys or channels takes no bytes for its frames but does take memory in
/// every one, so a file of few bytes could ask for any amount.
pub(crate) fn most_transforms(num_bytes: usize, per_byte: usize) -> usize {
    num_bytes.saturating_mul(per_byte).saturating_add(FREE_TRANSFORMS)
}
