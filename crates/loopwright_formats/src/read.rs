//! From the bytes of a file to a take.

use std::io::{self, Read};

use glam::DVec3;
use loopwright::{Joint, Take};

use crate::{
    animated_file::AnimatedFile,
    bvh,
    detect::{self, FileKind},
    error::ReadError,
    limits::MAX_FILE_BYTES,
    settings::ReadSettings,
    source::{LoadedTake, Source},
    warning::Warning,
};

/// Reads a take from the bytes of a file with default settings. [`read_take`] has settings, and returns warnings.
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
    warnings: &mut Vec<Warning>,
) -> Result<LoadedTake, ReadError> {
    match detect::file_kind(bytes) {
        #[cfg(feature = "fbx")]
        FileKind::FbxBinary | FileKind::FbxAscii => {}
        FileKind::Gltf | FileKind::Glb => {}
        _ => return read_bvh(bytes, name, settings, warnings),
    }
    AnimatedFile::parse(bytes, name, settings.companions)?.read(settings, warnings)
}

/// Reads a BVH file; a file of an unknown kind is reported as a broken one.
pub(crate) fn read_bvh(
    bytes: &[u8],
    name: &str,
    settings: &ReadSettings<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<LoadedTake, ReadError> {
    let num_before = warnings.len();
    let (take, source) = bvh::read::read_take(bytes, name, settings, warnings)?;
    warn_of_take(&take, num_before, warnings);
    Ok(LoadedTake {
        take,
        source: Source::Bvh(source),
    })
}

/// Warns about what is odd in a take of any format; the warnings from `num_before` on are about the same take.
pub(crate) fn warn_of_take(take: &Take, num_before: usize, warnings: &mut Vec<Warning>) {
    // If the keys have no rate of their own, it is ours.
    let is_ours = |warning: &Warning| matches!(warning, Warning::KeysOffGrid { .. });
    let rate_hz = take.frame_rate_hz();
    if is_odd(rate_hz) && take.num_frames() > 1 && !warnings[num_before..].iter().any(is_ours) {
        warnings.push(Warning::OddRate { rate_hz });
    }
    if lacks_rest(take) {
        warnings.push(Warning::RestMissing);
    }
}

/// Reads a take from a stream, to its end; otherwise like [`read_take`].
///
/// Errors: those of [`read_take`], those of the stream ([`ReadError::Io`]), and [`ReadError::TooLarge`] for a stream of more
/// than [`MAX_FILE_BYTES`].
pub fn read_take_from(
    stream: impl Read,
    name: &str,
    settings: &ReadSettings<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<LoadedTake, ReadError> {
    read_take(&read_bytes(stream, MAX_FILE_BYTES)?, name, settings, warnings)
}

/// All bytes of a stream that has no more than `limit` of them.
fn read_bytes(stream: impl Read, limit: u64) -> Result<Vec<u8>, ReadError> {
    let failed = |error: io::Error| ReadError::Io {
        kind: error.kind(),
        reason: error.to_string(),
    };
    let mut bytes = Vec::new();
    stream.take(limit + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { limit });
    }
    Ok(bytes)
}

/// Names of the animations in a file, in its order, as [`crate::AnimationChoice::Given`] takes them.
///
/// Empty if animations have no names, as in BVH, or if the file cannot be read; [`read_take`] gives the reason.
pub fn animation_names(bytes: &[u8]) -> Vec<String> {
    match detect::file_kind(bytes) {
        FileKind::FbxBinary | FileKind::FbxAscii | FileKind::Gltf | FileKind::Glb => {
            AnimatedFile::parse(bytes, "", None).map_or_else(|_| Vec::new(), |file| file.animation_names().to_vec())
        }
        _ => Vec::new(),
    }
}

/// How far a rate may be from a whole number, as a share.
///
/// Television rates are a thousandth off (29.97), and frame times are rounded to their fourth digit (0.0167 for 60). A frame time
/// of 0.033 is a hundredth off: its clip runs a frame too long in three seconds.
const WHOLE_RATE: f64 = 2e-3;

/// Whether no device records motion at this rate. Rates below one frame per second have a separate warning.
fn is_odd(rate_hz: f64) -> bool {
    let whole = rate_hz.round().max(1.0);
    rate_hz > 1.0 && (rate_hz / whole - 1.0).abs() > WHOLE_RATE
}

/// Whether every joint rests on its parent although the motion moves it elsewhere.
fn lacks_rest(take: &Take) -> bool {
    let joints = take.skeleton().joints();
    let lies_apart = |joint: &Joint| joint.parent.is_some() && joint.rest_offset != DVec3::ZERO;
    let moves_apart = |position: &DVec3| *position != DVec3::ZERO;
    !joints.iter().any(lies_apart) && take.translations(0)[1..].iter().any(moves_apart)
}

#[cfg(test)]
mod tests {
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
