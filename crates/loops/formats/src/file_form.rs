//! The form of a take in its file: the operations that every format supports.

use core::any::Any;

use loopwright_core::{LoopClip, MadeLoop, Pose, Skeleton, Take, pipeline::MakeError};

use crate::{
    error::WriteError,
    format::{Capabilities, Format},
    keyed_motion::KeyedMotion,
    limits::SizeLimits,
    mesh::{Mesh, MeshError},
    settings::LoopWriteSettings,
    space::Space,
    written::{Added, WrittenFile},
};

/// The form of a take in a file of some format. Operations of single formats have a default for the others.
///
/// [`crate::Source`] documents the methods of the same names.
pub(crate) trait FileForm: Any {
    fn format(&self) -> Format;

    /// Returns the abilities of its format.
    fn capabilities(&self) -> &'static Capabilities {
        self.format().capabilities()
    }

    /// Formats that keep all of it, see [`Self::turn_into`].
    fn formats(&self) -> &'static [Format] {
        core::slice::from_ref(&self.format().entry().format)
    }

    fn space(&self) -> &Space;

    /// Returns the rest pose of its joints, local, in metres with +Y up; `None` if none is stated for that skeleton.
    fn rest(&self, _skeleton: &Skeleton) -> Option<Pose> {
        None
    }

    fn write(&self, motion: &KeyedMotion) -> Result<WrittenFile, WriteError>;

    /// Prepares it for writing in one of [`Self::formats`]; `take` is on its skeleton.
    fn turn_into(&mut self, _format: Format, _take: &Take) {}

    fn can_be_extended(&self) -> bool {
        self.capabilities().not_extended.is_none()
    }

    /// Writes motions into a copy of the file that all of them come from; returns for each the name of its animation, or why it
    /// is left out.
    ///
    /// Errors: the file cannot be extended or written.
    fn write_all(&self, _motions: &[MotionOfFile]) -> Result<(WrittenFile, Added), WriteError> {
        Err(not_extended(self.capabilities()))
    }

    fn kept(&self, _take: &Take, _add_root: bool) -> Option<Result<WrittenFile, WriteError>> {
        None
    }

    /// Returns a written motion as its file shows it, on the motion's own skeleton; files of this form may hold other joints.
    ///
    /// `read` is the file as it was read. Errors: it is not the file that was written.
    fn shown_on(&self, read: Take, _motion: &KeyedMotion) -> Result<Take, WriteError> {
        Ok(read)
    }

    /// Returns the memory of what the file holds beside the motion, bytes.
    fn carried_bytes(&self) -> u64 {
        0
    }

    /// Returns the name of the joint that carries root motion in files of this form, if it is always the same one.
    fn carrier(&self) -> Option<String> {
        None
    }

    /// Returns the name of the animation that was read, if the file cannot be extended and a new file would lack its other
    /// contents.
    fn animation_of_whole(&self) -> Option<&str> {
        None
    }

    /// Removes the animation that was read from the file.
    fn remove_animation(&mut self) -> Result<(), WriteError> {
        Ok(())
    }

    /// Removes all animations from the file except the one with this number, which is the one that was read.
    fn keep_animation(&mut self, _number: Option<usize>) -> Result<(), WriteError> {
        Ok(())
    }

    fn rename_as_loop(&mut self, _number: usize, _name: &str) -> Option<String> {
        None
    }

    /// Changes it to metres with +Y up, if the format does not state its space.
    fn assume_metres(&mut self) {}

    /// Drops redundant keys and states the true unit.
    fn suit_engines(&mut self) {}

    /// Loops tracks beside the pose, such as the shapes of a face, along with a loop.
    fn loop_along(&mut self, _made: &MadeLoop) -> Result<(), MakeError> {
        Ok(())
    }

    /// Removes tracks beside the pose, for another motion.
    fn remove_shapes(&mut self) {}

    /// Whether those tracks differ between left and right.
    fn has_sides(&self) -> bool {
        false
    }

    /// Exchanges left and right in those tracks.
    fn mirror(&mut self) {}

    /// Whether those tracks include expressions and the gaze of an avatar.
    fn shows_face(&self) -> bool {
        false
    }

    /// Whether the scale of a joint changes.
    fn changes_scale(&self) -> bool {
        false
    }

    /// Returns how many times a loop of this period is repeated in a file by default.
    fn copies(&self, _period_secs: f64) -> usize {
        1
    }

    fn has_meshes(&self) -> bool {
        false
    }

    /// Adds a warning for files that are written: meshes of the take's own file are left out.
    fn leave_out_meshes(&mut self) {}

    /// Returns the surface of the character; empty if the file has none.
    fn read_mesh(&self, _bytes: &[u8], _skeleton: &Skeleton, _limits: &SizeLimits) -> Result<Mesh, MeshError> {
        Ok(Mesh::default())
    }

    fn copyright(&self) -> Option<&str> {
        None
    }
}

/// Returns the error that no animation can be added to a file.
pub(crate) fn not_extended(capabilities: &Capabilities) -> WriteError {
    WriteError::NotExtended {
        found: capabilities.not_extended.unwrap_or(capabilities.name),
    }
}

/// A motion and its form in the file of several.
pub(crate) struct MotionOfFile<'a> {
    pub content: MotionContent<'a>,
    pub form: &'a dyn FileForm,
}

pub(crate) enum MotionContent<'a> {
    /// A take, and whether its first joint is a root joint that the file lacks.
    Take(&'a Take, bool),
    Loop(&'a LoopClip, &'a LoopWriteSettings),
}

impl MotionOfFile<'_> {
    /// Returns the form of one format. Errors: it has another format.
    pub(crate) fn form<F: FileForm>(&self) -> Result<&F, WriteError> {
        let form: &dyn Any = self.form;
        form.downcast_ref()
            .ok_or_else(|| not_extended(self.form.capabilities()))
    }

    pub(crate) fn motion(&self) -> Result<KeyedMotion<'_>, WriteError> {
        let motion = match self.content {
            MotionContent::Take(take, has_root) => KeyedMotion::from_take(take, has_root),
            MotionContent::Loop(clip, settings) => KeyedMotion::from_loop(clip, None, settings)?,
        };
        Ok(motion.in_format(self.form.capabilities()))
    }
}
