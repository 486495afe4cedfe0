//! Limits of reading and writing, for all formats.

use glam::DVec3;

use crate::{byte_count::MemoryError, error::WriteError};

/// Largest file that is read by default, in bytes; a larger one is not a take, and memory is limited.
pub const MAX_FILE_BYTES: u64 = 4 << 30;

/// Limits of how much is read and how much memory it may take.
///
/// Readers and writers estimate the memory that they need, on the high side, and refuse before allocating it, with
/// [`ReadError::Memory`](crate::ReadError::Memory) or [`WriteError::Memory`], which state the amount.
///
/// ```
/// use loopwright_formats::{SizeLimits, ReadError, ReadSettings, read_take};
///
/// let walk = loopwright_synth::synthesize(&loopwright_synth::WalkSettings::default())?.take;
/// # let source = loopwright_formats::Source::for_take(&walk, loopwright_formats::Format::Glb);
/// # let bytes = loopwright_formats::write_take(&walk, &source)?.bytes;
/// let settings = ReadSettings {
///     limits: SizeLimits {
///         max_memory_bytes: 64 << 10,
///         ..SizeLimits::default()
///     },
///     ..ReadSettings::default()
/// };
/// let refused = read_take(&bytes, "walk", &settings, &mut Vec::new());
/// assert!(matches!(refused, Err(ReadError::Memory(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[value(Copy, Eq)]
pub struct SizeLimits {
    /// Most bytes of a file, together with all files that it names. By default [`MAX_FILE_BYTES`].
    pub max_input_bytes: u64,
    /// Largest memory for the contents of one file and the work on them, bytes. By default only [`Self::in_proportion`] limits
    /// it, because the caller knows the machine.
    pub max_memory_bytes: u64,
    /// Whether memory must also stay in proportion to the file: below 288 MiB plus 48 bytes for each of its bytes. On by
    /// default. Takes of people stay far below; a small file that needs more is usually malicious.
    pub in_proportion: bool,
}

impl Default for SizeLimits {
    fn default() -> Self {
        Self {
            max_input_bytes: MAX_FILE_BYTES,
            max_memory_bytes: u64::MAX,
            in_proportion: true,
        }
    }
}

/// Memory that any file may take under the proportional limit, bytes: a minute of a person at 120 frames per second.
const FREE_MEMORY_BYTES: u64 = 288 << 20;

/// Additional memory per byte of the file: searching compressed takes needs up to an estimated 34.
const MEMORY_PER_BYTE: u64 = 48;

/// Memory for one transform of a take while it is read, bytes: a position and a rotation, twice during conversion, and the
/// reader's own data.
const READ_TRANSFORM_BYTES: u64 = 160;

/// Memory for one frame of a take while it is read and analysed, beside its transforms, bytes; measured on takes of one joint.
const READ_FRAME_BYTES: u64 = 300;

/// Memory for one transform while it is written and read back, bytes: the pose, its numbers as text, and the values read from
/// them.
const WRITTEN_TRANSFORM_BYTES: u64 = 480;

/// Memory per frame and joint, and per compared joint, while a take is analysed and searched and a loop is made, bytes; measured
/// on skeletons of 24 to 8000 joints.
const SEARCH_FRAME_BYTES: u64 = 400;
const SEARCH_JOINT_BYTES: u64 = 100;
const SEARCH_COMPARED_BYTES: u64 = 430;

/// Shorter takes count as this many frames, because per-joint costs dominate there.
const FEWEST_FRAMES: usize = 256;

/// Memory for one transform of a loop that is held with all its inputs, bytes.
const HELD_TRANSFORM_BYTES: u64 = 800;

impl SizeLimits {
    /// Returns the limits for a file of this many bytes, including the files it refers to: absolute, no longer proportional.
    #[must_use]
    pub fn for_file(&self, num_bytes: u64) -> Self {
        let in_proportion = FREE_MEMORY_BYTES.saturating_add(MEMORY_PER_BYTE.saturating_mul(num_bytes));
        Self {
            max_memory_bytes: if self.in_proportion {
                self.max_memory_bytes.min(in_proportion)
            } else {
                self.max_memory_bytes
            },
            in_proportion: false,
            ..*self
        }
    }

    /// Checks whether a take with these frames, joints and compared joints may be searched. Errors: [`MemoryError`].
    pub fn check_search(&self, frames: usize, joints: usize, compared: usize) -> Result<(), MemoryError> {
        self.check_room(
            bytes_of(joints, 1, SEARCH_JOINT_BYTES)
                .saturating_add(bytes_of(compared, 1, SEARCH_COMPARED_BYTES))
                .saturating_add(SEARCH_FRAME_BYTES)
                .saturating_mul(frames.max(FEWEST_FRAMES) as u64),
        )
    }

    /// Checks whether loops with this many transforms in all may be held at once and written. Errors: [`MemoryError`].
    pub fn check_held(&self, transforms: u64) -> Result<(), MemoryError> {
        self.check_room(transforms.saturating_mul(HELD_TRANSFORM_BYTES))
    }

    /// Checks an amount of memory against the limit. Errors: it is larger.
    pub fn check_room(&self, needed: u64) -> Result<(), MemoryError> {
        let limit = self.max_memory_bytes;
        if needed > limit {
            Err(MemoryError { needed, limit })
        } else {
            Ok(())
        }
    }

    pub(crate) fn most_transforms(&self) -> usize {
        usize::try_from(self.max_memory_bytes / READ_TRANSFORM_BYTES).unwrap_or(usize::MAX)
    }

    /// Checks the memory for a take of this size. Errors: [`MemoryError`].
    pub fn check_transforms(&self, frames: usize, joints: usize) -> Result<(), MemoryError> {
        self.check_room(
            bytes_of(frames, joints, READ_TRANSFORM_BYTES)
                .saturating_add(READ_FRAME_BYTES.saturating_mul(frames as u64)),
        )
    }

    /// Checks the memory for a file of JSON. Errors: [`MemoryError`].
    pub fn check_json(&self, text: &[u8]) -> Result<(), MemoryError> {
        // Its text, and a value after every comma and bracket.
        let values = text.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count() as u64;
        let length = text.len() as u64;
        self.for_file(length).check_room(values * JSON_VALUE_BYTES + length)
    }

    /// Checks the memory for a written file of this size. Errors: [`WriteError::Memory`].
    pub(crate) fn check_written(&self, keys: usize, joints: usize) -> Result<(), WriteError> {
        Ok(self.check_room(bytes_of(keys, joints, WRITTEN_TRANSFORM_BYTES))?)
    }
}

/// Returns the memory for the transforms of all joints at all frames, bytes, saturated.
fn bytes_of(frames: usize, joints: usize, per_transform: u64) -> u64 {
    (frames as u64)
        .saturating_mul(joints as u64)
        .saturating_mul(per_transform)
}

/// Memory of a JSON value beyond its text, bytes, rounded up.
pub(crate) const JSON_VALUE_BYTES: u64 = 120;

/// Deepest nesting of joints that is read or written.
///
/// Skeletons with hair and tails stay below a hundred. Later stages walk from joints to the root, so depth costs time, and the
/// indentation of a written BVH file grows with its square.
pub(crate) const MAX_DEPTH: usize = 512;

/// Deepest nesting that is read: with the root joint that writing may add on top.
pub(crate) const MAX_DEPTH_WITH_ROOT: usize = MAX_DEPTH + 1;

/// Whether a vector is finite, and of a size that is read or written.
pub(crate) fn is_plausible(vector: DVec3) -> bool {
    vector.is_finite() && vector.abs().max_element() <= MAX_VALUE
}

/// Largest size of a number that is read or written, in the file's unit or in degrees.
///
/// As a length in millimetres it is a thousand kilometres; squares and sums of it are far from overflow.
pub(crate) const MAX_VALUE: f64 = 1e9;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AnimatedFile, ReadError};

    #[test]
    fn a_limit_itself_is_still_allowed() {
        let limits = SizeLimits {
            max_memory_bytes: 12 * READ_TRANSFORM_BYTES,
            ..SizeLimits::default()
        };
        let limit = limits.max_memory_bytes;
        assert_eq!(limits.check_room(limit), Ok(()));
        assert_eq!(
            limits.check_room(limit + 1),
            Err(MemoryError {
                needed: limit + 1,
                limit
            })
        );
        assert_eq!(limits.most_transforms(), 12);
        assert_eq!(limits.check_transforms(4, 1), Ok(()));
        assert!(limits.check_transforms(5, 1).is_err());
        assert!(limits.check_transforms(usize::MAX, 2).is_err());
        // A written transform takes three times as much.
        assert_eq!(limits.check_written(2, 2), Ok(()));
        assert_eq!(
            limits.check_written(5, 1),
            Err(WriteError::Memory(MemoryError {
                needed: 5 * WRITTEN_TRANSFORM_BYTES,
                limit
            }))
        );
        assert_eq!(MAX_FILE_BYTES, 4_294_967_296);
    }

    #[test]
    fn small_files_take_little_memory_unless_somebody_knows_better() {
        let own = SizeLimits::default();
        assert_eq!(own.for_file(1 << 20).max_memory_bytes, (288 + 48) << 20);
        assert_eq!(own.for_file(u64::MAX).max_memory_bytes, u64::MAX);
        let machine = SizeLimits {
            max_memory_bytes: 1 << 30,
            ..own
        };
        assert_eq!(machine.for_file(1 << 20).max_memory_bytes, (288 + 48) << 20);
        assert_eq!(machine.for_file(1 << 30).max_memory_bytes, 1 << 30);
        let said = SizeLimits {
            in_proportion: false,
            ..machine
        };
        assert_eq!(said.for_file(0), said);
        // Absolute limits do not change.
        assert_eq!(own.for_file(7).for_file(1 << 40), own.for_file(7));
        assert!(own.for_file(0).check_search(15_000, 60, 20).is_ok());
        assert!(own.for_file(0).check_search(30_000, 60, 20).is_err());
        assert!(own.for_file(0).check_search(100, 8000, 8000).is_err());
        assert!(own.for_file(0).check_held(370_000).is_ok());
        assert!(own.for_file(0).check_held(u64::MAX).is_err());
    }

    #[test]
    fn a_file_may_be_just_as_large_as_the_limit() {
        let bytes = b"HIERARCHY";
        let parsed = |max_input_bytes: u64| {
            let limits = SizeLimits {
                max_input_bytes,
                ..SizeLimits::default()
            };
            AnimatedFile::parse_within(bytes, "t", None, &limits).map(|_| ())
        };
        assert_eq!(parsed(9), Ok(()));
        assert_eq!(parsed(8), Err(ReadError::TooLarge { limit: 8 }));
    }
}
