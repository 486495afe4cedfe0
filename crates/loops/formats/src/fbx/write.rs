//! From takes and loops to FBX: into the source file, or as a new file.

#[cfg(feature = "fbx")]
use super::insert;
use super::source::{FbxSource, Form};
use super::{fresh, keys::Keys};
use crate::animation_name::Name;
#[cfg(feature = "fbx")]
use crate::file_form::{FileForm as _, MotionOfFile, not_extended};
#[cfg(feature = "fbx")]
use crate::written::Added;
use crate::{error::WriteError, keyed_motion::KeyedMotion, written::WrittenFile};

/// Writes motion as one animation: into the source file, or as a new one. The name of a loop ends in `-loop`.
///
/// Errors: [`WriteError`], if motion and source have different skeletons, and for values out of range or too many of them.
pub(super) fn write(motion: &KeyedMotion<'_>, source: &FbxSource) -> Result<WrittenFile, WriteError> {
    match &source.form {
        #[cfg(feature = "fbx")]
        Form::File(file) => insert::insert(motion, source, file),
        Form::Fresh { leaves } => {
            let name = Name::new(motion).whole();
            Ok(WrittenFile {
                bytes: fresh::file(
                    &name,
                    &Keys::new(motion)?,
                    source.has_short_tracks,
                    motion.interpolation,
                )?,
                animation: Some(name),
                warnings: leaves.iter().cloned().collect(),
            })
        }
    }
}

/// Writes motions into a copy of the source file; for each, the name of its animation. A motion that cannot be written is left out.
///
/// Errors: [`WriteError::NotExtended`] if the source file cannot be extended; and those of the whole file.
#[cfg(feature = "fbx")]
pub(super) fn write_all(source: &FbxSource, motions: &[MotionOfFile<'_>]) -> Result<(WrittenFile, Added), WriteError> {
    let Form::File(whole) = &source.form else {
        return Err(not_extended(source.capabilities()));
    };
    let mut extension = insert::Extension::new(source, whole)?;
    let added = motions.iter().map(|each| {
        let own: &FbxSource = each.form()?;
        match &own.form {
            Form::File(file) => extension.add(&each.motion()?, own, file),
            Form::Fresh { .. } => Err(not_extended(source.capabilities())),
        }
    });
    let added = added.collect();
    Ok((extension.finish(None)?, added))
}
