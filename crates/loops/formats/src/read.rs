//! Reads the bytes of a file as a take.

use std::io::Read;

use crate::animated_file::{format_to_read, read_warned};
use crate::{
    error::ReadError, limits::SizeLimits, loop_file::sha256, settings::ReadSettings, source::LoadedTake,
    warning::FileWarning,
};

/// Reads a take from the bytes of a file with default settings. [`read_take`] has settings and reports warnings.
///
/// `name` becomes the take's name where the file has none; usually it is the file's stem. Errors: [`ReadError`].
pub fn load(bytes: &[u8], name: &str) -> Result<LoadedTake, ReadError> {
    read_take(bytes, name, &ReadSettings::default(), &mut Vec::new())
}

/// Reads a take from the bytes of a file of any supported kind, detected from its first bytes.
///
/// `name` becomes the take's name if the file has none; usually it is the file's stem. The space is taken from `settings`, stated
/// by the format, or guessed from the body, see [`crate::SpaceSettings`]. The world is then rotated so that +Y is up (only the
/// root's track changes) and scaled to metres. Unusual contents are reported in `warnings`. Errors: [`ReadError`]; no input
/// panics, and memory stays in proportion to the bytes.
pub fn read_take(
    bytes: &[u8],
    name: &str,
    settings: &ReadSettings<'_>,
    warnings: &mut Vec<FileWarning>,
) -> Result<LoadedTake, ReadError> {
    Ok(LoadedTake {
        file_sha256: Some(sha256(bytes)),
        ..read_without_hash(bytes, name, settings, warnings)?
    })
}

/// Reads a take like [`read_take`], without the file's SHA-256: for callers that know it or compute it in another thread.
pub fn read_without_hash(
    bytes: &[u8],
    name: &str,
    settings: &ReadSettings<'_>,
    warnings: &mut Vec<FileWarning>,
) -> Result<LoadedTake, ReadError> {
    settings.limits.check_input(bytes)?;
    let file = (format_to_read(bytes).entry().parse)(bytes, settings.companions, &settings.limits)?;
    read_warned(&*file, name, settings, warnings)
}

/// Reads a take from a stream, to its end; otherwise like [`read_take`].
///
/// Errors: those of [`read_take`], those of the stream ([`ReadError::Io`]), and [`ReadError::TooLarge`] for a stream of more
/// than `settings.limits` allow.
pub fn read_take_from(
    stream: impl Read,
    name: &str,
    settings: &ReadSettings<'_>,
    warnings: &mut Vec<FileWarning>,
) -> Result<LoadedTake, ReadError> {
    read_take(
        &read_bytes(stream, settings.limits.max_input_bytes)?,
        name,
        settings,
        warnings,
    )
}

/// Reads all bytes of a stream of at most `limit` bytes.
fn read_bytes(stream: impl Read, limit: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let read = stream.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| ReadError::Io {
        kind: error.kind(),
        reason: error.to_string(),
    })?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { limit });
    }
    Ok(bytes)
}

/// Returns the names of the animations in a file, in its order, as [`crate::AnimationChoice::Given`] takes them.
///
/// Empty if animations have no names, as in BVH, or if the file cannot be read; [`read_take`] gives the reason.
pub fn animation_names(bytes: &[u8]) -> Vec<String> {
    let parsed = (format_to_read(bytes).entry().parse)(bytes, None, &SizeLimits::default());
    parsed.map_or_else(|_| Vec::new(), |file| file.animation_names())
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn streams_are_read_up_to_the_limit() {
        assert_eq!(read_bytes(&b"1234"[..], 4).unwrap(), b"1234");
        assert_eq!(read_bytes(io::repeat(b'1'), 4), Err(ReadError::TooLarge { limit: 4 }));
    }

    #[test]
    fn failing_streams_are_reported() {
        struct Failing;

        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::new(io::ErrorKind::ConnectionReset, "gone"))
            }
        }

        let error = read_take_from(Failing, "t", &ReadSettings::default(), &mut Vec::new()).unwrap_err();
        assert!(matches!(
            error,
            ReadError::Io {
                kind: io::ErrorKind::ConnectionReset,
                ..
            }
        ));
        assert_eq!(error.to_string(), "gone");
    }
}
