//! From takes and loops to FBX: into the source file, or as a new file.

use loopwright::{LoopClip, Take};

use super::{
    fresh,
    keys::Keys,
    name::Name,
    source::{FbxSource, Form},
};
use crate::{
    error::WriteError,
    settings::LoopWriteSettings,
    written::{AddedLoops, Written},
};

/// Writes a take as one animation of the take's name: into the source file, or as a new one.
///
/// Errors: [`WriteError`], if take and source have different skeletons, and for values out of range or too many of them.
pub(crate) fn write_take(take: &Take, source: &FbxSource) -> Result<Written, WriteError> {
    let keys = Keys::of_take(take)?;
    write(&Name::of_take(take.name()), &keys, false, source)
}

/// [`crate::write_take_with_root`] for FBX.
pub(crate) fn write_take_with_root(take: &Take, source: &FbxSource) -> Result<Written, WriteError> {
    let keys = Keys::of_take(take)?;
    write(&Name::of_take(take.name()), &keys, true, source)
}

/// The whole file as it was read, with a new root joint above the take's own joints where `add_root` says so, and with the unit
/// stated that was used; `None` if it cannot be extended.
#[cfg(feature = "fbx")]
pub(crate) fn kept(source: &FbxSource, take: &Take, add_root: bool) -> Option<Result<Written, WriteError>> {
    match &source.form {
        Form::File(file) => Some(super::insert::kept(source, file, take, add_root)),
        Form::Fresh { .. } => None,
    }
}

/// The same form without the animation that was read: the next one takes its place.
///
/// A file that cannot be extended is unchanged. Errors: the file is malformed.
#[cfg(feature = "fbx")]
pub(crate) fn without_animation(source: &FbxSource) -> Result<FbxSource, WriteError> {
    let form = match &source.form {
        Form::File(file) => Form::File(Box::new(super::insert::without_animation(file, &source.animation)?)),
        fresh @ Form::Fresh { .. } => fresh.clone(),
    };
    Ok(FbxSource { form, ..source.clone() })
}

/// Writes a loop as one animation whose name ends in `-loop`: into the source file, or as a new one.
///
/// Keys, root motion and added root: see [`crate::write_loop`]. Errors: [`WriteError`].
pub(crate) fn write_loop(
    clip: &LoopClip,
    source: &FbxSource,
    settings: &LoopWriteSettings,
) -> Result<Written, WriteError> {
    let keys = Keys::of_loop(clip, settings)?;
    write(&Name::of_loop(clip.name()), &keys, settings.add_root, source)
}

/// Writes loops into a copy of the source file; for each, the name of its animation. A loop that cannot be written is left out.
///
/// Errors: [`WriteError::NotExtended`] if the source file cannot be extended; and those of the whole file.
pub(crate) fn write_loops(
    source: &FbxSource,
    loops: &[(&LoopClip, &FbxSource, &LoopWriteSettings)],
) -> Result<(Written, AddedLoops), WriteError> {
    match &source.form {
        #[cfg(feature = "fbx")]
        Form::File(whole) => {
            let mut insertions = Vec::with_capacity(loops.len());
            for &(clip, source, settings) in loops {
                insertions.push(match &source.form {
                    Form::File(file) => Keys::of_loop(clip, settings)
                        .map(|keys| (Name::of_loop(clip.name()), keys, settings.add_root, source, &**file)),
                    Form::Fresh { .. } => Err(WriteError::NotExtended),
                });
            }
            let (bytes, added) = super::insert::insert_all(&whole.bytes, insertions, source.unit_to_state())?;
            let written = Written {
                bytes,
                animation: None,
                warnings: super::insert::unit_warning(source).into_iter().collect(),
            };
            Ok((written, added))
        }
        Form::Fresh { .. } => Err(WriteError::NotExtended),
    }
}

fn write(name: &Name, keys: &Keys<'_>, add_root: bool, source: &FbxSource) -> Result<Written, WriteError> {
    match &source.form {
        #[cfg(feature = "fbx")]
        Form::File(file) => super::insert::insert(name, keys, add_root, source, file),
        Form::Fresh { leaves } => Ok(Written {
            bytes: fresh::file(&name.whole(), keys, source.has_short_tracks)?,
            animation: Some(name.whole()),
            warnings: leaves.iter().cloned().collect(),
        }),
    }
}
