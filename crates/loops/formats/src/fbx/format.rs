//! The entry of FBX in the table of formats: capabilities, reader and writer.

use loopwright_core::{Pose, Skeleton, Take};

use super::{
    fresh,
    keys::Keys,
    source::{FbxSource, Form},
};
use crate::{
    entry::FormatEntry,
    error::WriteError,
    file_form::FileForm,
    format::{Capabilities, Format},
    keyed_motion::KeyedMotion,
    source::Source,
    space::Space,
    text,
    warning::FileWarning,
    written::WrittenFile,
};
#[cfg(feature = "fbx")]
use {
    super::{form::ChannelShapes, insert, mesh, read::FbxScene},
    crate::file_form::{MotionOfFile, not_extended},
    crate::limits::SizeLimits,
    crate::mesh::{Mesh, MeshError},
    crate::written::Added,
    loopwright_core::{MadeLoop, pipeline::MakeError},
};

pub(crate) const FBX: FormatEntry = FormatEntry {
    format: Format::Fbx,
    capabilities: Capabilities {
        name: "FBX",
        extension: "fbx",
        is_read: cfg!(feature = "fbx"),
        holds_animations: true,
        has_key_times: true,
        is_extended: true,
        not_extended: Some("FBX as text or older than 7.1"),
        ..Capabilities::OF_ONE_MOTION
    },
    detects: is_fbx,
    #[cfg(feature = "fbx")]
    parse: |bytes, _, _| Ok(Box::new(FbxScene::parse(bytes)?)),
    #[cfg(not(feature = "fbx"))]
    parse: |_, _, _| Err(crate::ReadError::NotRead { format: "FBX" }),
    new_form: |take, _| Source::Fbx(FbxSource::for_take(take)),
    facts: None,
};

/// Detects FBX: binary files have a fixed start, text files a comment.
fn is_fbx(bytes: &[u8]) -> bool {
    let text = text::from_first_letter(bytes);
    bytes.starts_with(b"Kaydara FBX Binary")
        || (text.first() == Some(&b';') && text::contains(&text[..64.min(text.len())], b"FBX"))
}

impl FileForm for FbxSource {
    fn format(&self) -> Format {
        Format::Fbx
    }

    fn space(&self) -> &Space {
        &self.space
    }

    fn rest(&self, skeleton: &Skeleton) -> Option<Pose> {
        (self.rest.rotations.len() == skeleton.num_joints()).then(|| self.rest.clone())
    }

    fn write(&self, motion: &KeyedMotion) -> Result<WrittenFile, WriteError> {
        match &self.form {
            #[cfg(feature = "fbx")]
            Form::File(file) => insert::insert(motion, self, file),
            Form::Fresh { leaves_meshes } => {
                let leaves = leaves_meshes.map(|meshes| match meshes {
                    true => FileWarning::MeshesLeftOut,
                    false => FileWarning::RestNotKept,
                });
                let (name, keys) = (motion.animation_name(), Keys::new(motion)?);
                Ok(WrittenFile {
                    bytes: fresh::file(&name, &keys, self.has_short_tracks, motion.interpolation)?,
                    animation: Some(name),
                    warnings: leaves.into_iter().collect(),
                })
            }
        }
    }

    fn turn_into(&mut self, _: Format, take: &Take) {
        // A file that cannot be extended gets the form of a new one.
        if !self.can_be_extended() {
            *self = Self {
                form: self.form.clone(),
                ..Self::for_take(take)
            };
        }
    }

    fn changes_scale(&self) -> bool {
        self.changes_scale
    }

    fn can_be_extended(&self) -> bool {
        !matches!(self.form, Form::Fresh { .. })
    }

    #[cfg(feature = "fbx")]
    fn write_all(&self, motions: &[MotionOfFile]) -> Result<(WrittenFile, Added), WriteError> {
        let Form::File(whole) = &self.form else {
            return Err(not_extended(self.capabilities()));
        };
        let mut extension = insert::Extension::new(self, whole)?;
        let added = motions.iter().map(|each| {
            let own: &Self = each.form()?;
            match &own.form {
                Form::File(file) => extension.add(&each.motion()?, own, file),
                Form::Fresh { .. } => Err(not_extended(self.capabilities())),
            }
        });
        let added = added.collect();
        Ok((extension.finish(None)?, added))
    }

    #[cfg(feature = "fbx")]
    fn kept(&self, take: &Take, add_root: bool) -> Option<Result<WrittenFile, WriteError>> {
        let Form::File(file) = &self.form else { return None };
        Some(insert::kept(self, file, take, add_root))
    }

    fn animation_of_whole(&self) -> Option<&str> {
        (!self.can_be_extended()).then_some(&self.animation)
    }

    #[cfg(feature = "fbx")]
    fn remove_animation(&mut self) -> Result<(), WriteError> {
        if let Form::File(file) = &mut self.form {
            **file = insert::without_animations(file, |name| name == self.animation.as_bytes())?;
        }
        Ok(())
    }

    #[cfg(feature = "fbx")]
    fn keep_animation(&mut self, number: Option<usize>) -> Result<(), WriteError> {
        if let Form::File(file) = &mut self.form {
            let kept = number.map(|_| self.animation.as_bytes());
            **file = insert::without_animations(file, |name| Some(name) != kept)?;
        }
        Ok(())
    }

    fn suit_engines(&mut self) {
        self.has_short_tracks = true;
        self.states_unit = true;
    }

    #[cfg(feature = "fbx")]
    fn loop_along(&mut self, made: &MadeLoop) -> Result<(), MakeError> {
        if let Form::File(file) = &mut self.form
            && !file.shapes.channels.is_empty()
        {
            file.shapes.percents = file.shapes.percents.looped_along(made)?;
        }
        Ok(())
    }

    #[cfg(feature = "fbx")]
    fn remove_shapes(&mut self) {
        if let Form::File(file) = &mut self.form {
            file.shapes = ChannelShapes::default();
        }
    }

    fn leave_out_meshes(&mut self) {
        let leaves_meshes = Some(true);
        self.form = Form::Fresh { leaves_meshes };
    }

    #[cfg(feature = "fbx")]
    fn read_mesh(&self, bytes: &[u8], skeleton: &Skeleton, limits: &SizeLimits) -> Result<Mesh, MeshError> {
        mesh::read(bytes, self, skeleton, limits)
    }
}
