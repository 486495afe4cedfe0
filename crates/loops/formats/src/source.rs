//! The form of a take in its file, kept so that a loop can be written in the same form.

use std::sync::Arc;

use glam::DQuat;
use loopwright_core::{MadeLoop, Pose, Skeleton, Take, pipeline::MakeError, retarget};

use crate::{
    bvh::source::BvhSource,
    error::WriteError,
    fbx::source::FbxSource,
    file_form::FileForm,
    format::{Capabilities, Format},
    gltf::{source::GltfSource, vrma::VrmaSource},
    limits::SizeLimits,
    loop_file::facts::TakeFacts,
    mesh::{Mesh, MeshError},
    npz::source::NpzSource,
    robot::source::RobotSource,
    space::Space,
    warning::FileWarning,
    written::WrittenFile,
};

/// A take as loaded, and its form in the file.
#[value]
pub struct LoadedTake {
    /// The motion, in metres with +Y up.
    pub take: Take,
    /// The form in the file.
    pub source: Source,
    /// SHA-256 of the file's bytes, 64 hexadecimal digits, without files that it refers to; `None` if it was not read from a
    /// file.
    pub file_sha256: Option<String>,
    /// Limits of memory for work on it.
    pub limits: SizeLimits,
}

impl LoadedTake {
    /// Wraps a take from no file, with this form.
    pub fn new(take: Take, source: Source) -> Self {
        Self {
            take,
            source,
            file_sha256: None,
            limits: SizeLimits::default(),
        }
    }

    /// Returns the facts of a take that was read from a file of that name.
    pub fn facts(&self, file: impl Into<String>) -> TakeFacts {
        let names_takes = match &self.source {
            // Its takes have the names of their animations where there are several.
            Source::Fbx(scene) => scene.animation() == self.take.name(),
            other => other.capabilities().names_takes,
        };
        TakeFacts {
            file_sha256: self.file_sha256.clone(),
            licence: self.source.copyright().map(str::to_owned),
            animation: names_takes.then(|| self.take.name().to_owned()),
            ..TakeFacts::new(file, &self.take, self.source.space())
        }
    }
}

/// Declares the forms, one line each.
macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident($form:ty),)*) => {
        /// The form of a take in its file, by format.
        #[handed_over]
        #[non_exhaustive]
        pub enum Source {
            $($(#[$doc])* $name($form),)*
        }

        impl Source {
            pub(crate) fn form(&self) -> &dyn FileForm {
                match self {
                    $(Self::$name(form) => form,)*
                }
            }

            pub(crate) fn form_mut(&mut self) -> &mut dyn FileForm {
                match self {
                    $(Self::$name(form) => form,)*
                }
            }
        }
    };
}

forms! {
    /// Hierarchy, channels, frame time and space of a BVH file.
    Bvh(BvhSource),
    /// The FBX file itself, or a fresh one.
    Fbx(FbxSource),
    /// The whole glTF file, and which of its nodes are joints.
    Gltf(GltfSource),
    /// Joints and frame time of an NPZ file.
    Npz(NpzSource),
    /// A new VRM animation, and the bones of its body.
    Vrma(VrmaSource),
    /// The layout of a robot's motion.
    Robot(RobotSource),
}

/// Defines what a source answers by its form.
macro_rules! answers {
    ($($(#[$doc:meta])* $name:ident($($of:ident: $Of:ty),*) -> $Answer:ty;)*) => {
        impl Source {
            $($(#[$doc])*
            pub fn $name(&self, $($of: $Of),*) -> $Answer {
                self.form().$name($($of),*)
            })*
        }
    };
}

answers! {
    /// Returns the format of this form.
    format() -> Format;

    /// Returns the capabilities of its format.
    capabilities() -> &'static Capabilities;

    /// Returns the formats that keep all contents of the file: its own, and others with the same contents.
    formats() -> &'static [Format];

    /// Returns the whole file that was read, with all its animations; `None` if it cannot be extended.
    ///
    /// `take` is the take read from it. With `add_root` its joints get a root joint above them, which rests in the animations.
    /// Errors: the file is malformed, or too large for its format.
    kept(take: &Take, add_root: bool) -> Option<Result<WrittenFile, WriteError>>;

    /// Returns the name of the animation that was read, if the file cannot be extended and a new file would lack its other
    /// contents, so that it is better left unchanged.
    animation_of_whole() -> Option<&str>;

    /// Returns the name of the joint that carries root motion in files of this form, if the motion itself uses another one: avatars travel
    /// only by their hips.
    carrier() -> Option<String>;

    /// Returns how the file's space relates to ours, and whether that was stated or guessed.
    space() -> &Space;

    /// Whether loops can be added to the file that was read, without changing its other contents.
    can_be_extended() -> bool;

    /// Whether the scale of a joint changes.
    changes_scale() -> bool;

    /// Returns how many times a loop of this period is written into its files in succession, by default.
    copies(period_secs: f64) -> usize;

    /// Returns the copyright or licence that the file states.
    copyright() -> Option<&str>;
}

impl Source {
    /// Loops tracks beside the pose, such as the shapes of a face, along with the loop; they are dropped for a
    /// character.
    pub(crate) fn along(&self, made: &MadeLoop) -> Result<Self, MakeError> {
        if made.of_take.is_some() {
            return Ok(self.without_shapes());
        }
        let mut source = self.clone();
        source.form_mut().loop_along(made)?;
        Ok(source)
    }

    /// Removes tracks beside the pose, for another motion.
    pub(crate) fn without_shapes(&self) -> Self {
        let mut source = self.clone();
        source.form_mut().remove_shapes();
        source
    }

    /// Whether a format keeps all contents of the file.
    pub fn keeps_all_in(&self, format: Format) -> bool {
        self.formats().contains(&format)
    }

    /// Changes it to metres with Y up if the format does not state its space, as programs that read BVH assume. Other formats
    /// state their space and are returned unchanged.
    #[must_use]
    pub fn in_metres(mut self) -> Self {
        self.form_mut().assume_metres();
        self
    }

    /// Adapts it for engines: tracks that do not move have one key, and an FBX file states the unit that it was read with.
    #[must_use]
    pub fn for_engines(mut self) -> Self {
        self.form_mut().suit_engines();
        self
    }

    /// Returns the rest pose of the take's joints as the file states it, local, in metres with +Y up.
    ///
    /// `skeleton` is that of the take that was read with this form. In BVH every joint rests without a rotation; so does a form
    /// for a take from elsewhere.
    pub fn rest(&self, skeleton: &Skeleton) -> Pose {
        self.form()
            .rest(skeleton)
            .unwrap_or_else(|| retarget::unturned(skeleton, DQuat::IDENTITY))
    }

    /// Removes the animation that was read, to make room for another one; glTF replaces an animation of the same name anyway.
    ///
    /// Errors: the file is malformed.
    pub fn without_animation(mut self) -> Result<Self, WriteError> {
        self.form_mut().remove_animation()?;
        Ok(self)
    }

    /// Reduces the file to one animation: removes all, or all except the one that was read, which has this number in the file.
    ///
    /// Everything else is kept, except for bytes that only the other animations need. Errors: the file is malformed.
    pub fn with_animation(mut self, number: Option<usize>) -> Result<Self, WriteError> {
        self.form_mut().keep_animation(number)?;
        Ok(self)
    }

    /// Removes all animations like [`Self::with_animation`], where `reduced` is another form of this file without them: files of many are
    /// then reduced once. Errors: the file is malformed.
    pub fn in_file_of(mut self, reduced: &Self) -> Result<Self, WriteError> {
        if let (Self::Gltf(own), Self::Gltf(reduced)) = (&mut self, reduced) {
            own.document = Arc::clone(&reduced.document);
            return Ok(self);
        }
        self.with_animation(None)
    }

    /// Gives an animation of the file this name as that of a loop, `walk-loop`; the first free one of `walk_2-loop` ... if another
    /// animation has it. Returns the new name; `None` if animations of this form cannot be renamed.
    pub fn rename_as_loop(&mut self, number: usize, name: &str) -> Option<String> {
        self.form_mut().rename_as_loop(number, name)
    }

    /// Mirrors the gaze and the one-sided expressions of an avatar's motion.
    #[must_use]
    pub fn mirrored(mut self) -> Self {
        self.form_mut().mirror();
        self
    }

    /// Warns about tracks beside the pose that a file of another format lacks.
    pub fn left_out_in(&self, format: Format) -> Option<FileWarning> {
        let is_lost = self.form().shows_face() && !self.keeps_all_in(format);
        is_lost.then_some(FileWarning::FaceLeftOut { format })
    }

    /// Whether the scale of a joint changes and files of this format do not keep the change: it stays only within glTF.
    pub fn loses_scale(&self, format: Format) -> bool {
        let is_gltf = |format| matches!(format, Format::Glb | Format::Gltf);
        self.changes_scale() && !(is_gltf(self.format()) && is_gltf(format))
    }

    /// Reads the surface of a character from the file that the take was read from; `None` if the file has none that follows its
    /// joints.
    ///
    /// `skeleton` is that of the take, and `bytes` are the file. Rigid parts below a joint belong to it, and the rest of the
    /// scene is left out. Only the four largest weights of a vertex are kept, and shapes that blend (morph targets) do not move.
    /// Errors: [`MeshError`]; no input panics.
    ///
    /// ```
    /// use loopwright_formats::{SizeLimits, load};
    ///
    /// # let walk = loopwright_synth::synthesize(&loopwright_synth::WalkSettings::default())?.take;
    /// # let source = loopwright_formats::Source::for_take(&walk, loopwright_formats::Format::Glb);
    /// # let bytes = loopwright_formats::write_take(&walk, &source)?.bytes;
    /// let file = load(&bytes, "walk")?;
    /// let mesh = file.source.read_mesh(&bytes, file.take.skeleton(), &SizeLimits::default())?;
    /// # let mesh = mesh.ok_or("no mesh")?;
    /// # assert!(mesh.indices.len() > 100);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_mesh(&self, bytes: &[u8], skeleton: &Skeleton, limits: &SizeLimits) -> Result<Option<Mesh>, MeshError> {
        let mesh = self.form().read_mesh(bytes, skeleton, limits)?;
        Ok((!mesh.indices.is_empty()).then_some(mesh))
    }
}
