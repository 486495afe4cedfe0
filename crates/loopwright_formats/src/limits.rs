//! Limits of reading and writing, for all formats.

use crate::error::{ReadError, WriteError};

/// Largest file that is read by default, in bytes; a larger one is not a take, and memory is limited.
pub const MAX_FILE_BYTES: u64 = 4 << 30;

/// How much may be read, and how much memory may be taken for it.
///
/// Readers and writers estimate what they are going to need, on the high side, and refuse before they take it: with
/// [`ReadError::Memory`] or [`WriteError::Memory`], which say how much it would be.
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
/// assert!(matches!(refused, Err(ReadError::Memory { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeLimits {
    /// Most bytes of a file, together with all files that it names. By default [`MAX_FILE_BYTES`].
    pub max_input_bytes: u64,
    /// Most memory for the contents of one file, bytes. By default there is no limit: what a machine has, the caller knows.
    pub max_memory_bytes: u64,
}

impl Default for SizeLimits {
    fn default() -> Self {
        Self {
            max_input_bytes: MAX_FILE_BYTES,
            max_memory_bytes: u64::MAX,
        }
    }
}

/// Memory for one transform of a take while it is read, bytes: a position and a rotation, twice while they are converted, and what
/// a reader holds beside them.
const READ_TRANSFORM_BYTES: u64 = 160;

/// Memory for one transform while it is written and read back, bytes: the pose, its numbers as text, and what is read of them.
const WRITTEN_TRANSFORM_BYTES: u64 = 480;

impl SizeLimits {
    /// Errors: [`ReadError::TooLarge`].
    pub(crate) fn check_input(&self, bytes: &[u8]) -> Result<(), ReadError> {
        let limit = self.max_input_bytes;
        match bytes.len() as u64 > limit {
            true => Err(ReadError::TooLarge { limit }),
            false => Ok(()),
        }
    }

    /// Errors: [`ReadError::Memory`].
    pub(crate) fn check_memory(&self, needed: u64) -> Result<(), ReadError> {
        let limit = self.max_memory_bytes;
        if needed > limit {
            return Err(ReadError::Memory { needed, limit });
        }
        Ok(())
    }

    pub(crate) fn most_transforms(&self) -> usize {
        usize::try_from(self.max_memory_bytes / READ_TRANSFORM_BYTES).unwrap_or(usize::MAX)
    }

    /// Errors: [`ReadError::Memory`], for a take of that size.
    pub(crate) fn check_transforms(&self, frames: usize, joints: usize) -> Result<(), ReadError> {
        self.check_memory(
            (frames as u64)
                .saturating_mul(joints as u64)
                .saturating_mul(READ_TRANSFORM_BYTES),
        )
    }

    /// Errors: [`WriteError::Memory`], for a file of that size.
    pub(crate) fn check_written(&self, keys: usize, joints: usize) -> Result<(), WriteError> {
        let needed = (keys as u64)
            .saturating_mul(joints as u64)
            .saturating_mul(WRITTEN_TRANSFORM_BYTES);
        let limit = self.max_memory_bytes;
        if needed > limit {
            return Err(WriteError::Memory { needed, limit });
        }
        Ok(())
    }
}

/// Deepest nesting of joints that is read or written.
///
/// Skeletons with hair and tails stay below a hundred. Later stages walk from joints to the root, so depth costs time, and the
/// indentation of a written BVH file grows with its square.
pub(crate) const MAX_DEPTH: usize = 512;

/// The same where writing adds a root joint above all others: what is written can be read.
pub(crate) const MAX_DEPTH_WITH_ROOT: usize = MAX_DEPTH + 1;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AnimatedFile;

    #[test]
    fn a_limit_itself_is_still_allowed() {
        let limits = SizeLimits {
            max_memory_bytes: 12 * READ_TRANSFORM_BYTES,
            ..SizeLimits::default()
        };
        let limit = limits.max_memory_bytes;
        assert_eq!(limits.check_memory(limit), Ok(()));
        assert_eq!(
            limits.check_memory(limit + 1),
            Err(ReadError::Memory {
                needed: limit + 1,
                limit
            })
        );
        assert_eq!(limits.most_transforms(), 12);
        assert_eq!(limits.check_transforms(4, 3), Ok(()));
        assert!(matches!(limits.check_transforms(13, 1), Err(ReadError::Memory { .. })));
        assert!(matches!(
            limits.check_transforms(usize::MAX, 2),
            Err(ReadError::Memory { .. })
        ));
        // A transform that is written takes three times as much.
        assert_eq!(limits.check_written(2, 2), Ok(()));
        assert_eq!(
            limits.check_written(5, 1),
            Err(WriteError::Memory {
                needed: 5 * WRITTEN_TRANSFORM_BYTES,
                limit
            })
        );
        assert_eq!(most_transforms(10, 4), FREE_TRANSFORMS + 40);
        assert_eq!(MAX_FILE_BYTES, 4_294_967_296);
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
