//! Reads the bytes of a file as a take.

use crate::{
    animated_file::{parsed, read_warned},
    error::ReadError,
    limits::SizeLimits,
    loop_file::sha256,
    settings::ReadSettings,
    source::LoadedTake,
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
    settings: &ReadSettings,
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
    settings: &ReadSettings,
    warnings: &mut Vec<FileWarning>,
) -> Result<LoadedTake, ReadError> {
    let (_, file) = parsed(bytes, settings.companions, &settings.limits)?;
    read_warned(&*file, name, settings, warnings)
}

/// Returns the names of the animations in a file, in its order, as [`crate::AnimationChoice::Given`] takes them.
///
/// Empty if animations have no names, as in BVH, or if the file cannot be read; [`read_take`] gives the reason.
pub fn animation_names(bytes: &[u8]) -> Vec<String> {
    let file = parsed(bytes, None, &SizeLimits::default());
    file.map_or_else(|_| Vec::new(), |(_, file)| file.animation_names())
}
