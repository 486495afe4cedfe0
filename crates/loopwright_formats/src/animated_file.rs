//! A file that is parsed once, and whose animations are read one by one.

use std::sync::Arc;

#[cfg(feature = "fbx")]
use crate::fbx;
use crate::{
    animations,
    detect::{self, FileKind},
    error::ReadError,
    gltf, read,
    settings::{Companions, ReadSettings},
    source::{LoadedTake, Source},
    warning::Warning,
};

/// A file of any supported kind, parsed once; each of its animations is a take.
///
/// ```
/// # let walk = loopwright_synth::synthesize(&loopwright_synth::WalkSettings::default())?.take;
/// # let source = loopwright_formats::Source::for_take(&walk, loopwright_formats::Format::Glb);
/// # let bytes = loopwright_formats::write_take(&walk, &source)?.bytes;
/// use loopwright_formats::{AnimatedFile, AnimationChoice, ReadSettings};
///
/// let file = AnimatedFile::parse(&bytes, "pack", None)?;
/// for number in 0..file.num_animations() {
///     let settings = ReadSettings {
///         animation: AnimationChoice::Number(number),
///         ..ReadSettings::default()
///     };
///     let take = file.read(&settings, &mut Vec::new())?.take;
///     println!("{} lasts {:.2} s", file.animation_names()[number], take.duration_secs());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AnimatedFile {
    name: String,
    names: Vec<String>,
    content: Content,
}

enum Content {
    /// Rows are parsed where they are read: there is one take.
    Bvh(Arc<[u8]>),
    #[cfg(feature = "fbx")]
    Fbx(fbx::read::FbxScene),
    Gltf(Box<gltf::read::GltfFile>),
}

impl AnimatedFile {
    /// Parses the bytes of a file, except for its motion.
    ///
    /// `name` becomes the name of takes that have none in the file; usually it is the file's stem. `companions` reads other files
    /// that this one refers to. Errors: [`ReadError`]; no input panics.
    pub fn parse(bytes: &[u8], name: &str, companions: Option<Companions<'_>>) -> Result<Self, ReadError> {
        let (names, content) = match detect::file_kind(bytes) {
            #[cfg(feature = "fbx")]
            FileKind::FbxBinary | FileKind::FbxAscii => {
                let scene = fbx::read::FbxScene::parse(bytes)?;
                (scene.animation_names(), Content::Fbx(scene))
            }
            FileKind::Gltf | FileKind::Glb => {
                let file = gltf::read::GltfFile::parse(bytes, companions)?;
                (file.animation_names(), Content::Gltf(Box::new(file)))
            }
            // A file of an unknown kind is reported as a broken BVH file.
            _ => (vec![name.to_owned()], Content::Bvh(bytes.into())),
        };
        Ok(Self {
            name: name.to_owned(),
            names,
            content,
        })
    }

    /// Number of animations in the file. A BVH file has one.
    pub fn num_animations(&self) -> usize {
        self.names.len()
    }

    /// Names of the animations in the order of the file; one without a name has its number, from 0.
    pub fn animation_names(&self) -> &[String] {
        &self.names
    }

    /// The numbers of all animations that a name, a pattern or a number means, in the order of the file.
    ///
    /// A name matches exactly, else in any case, else behind a bar, as in `Armature|walk`; a pattern of `*` and `?` matches whole
    /// names in any case; a number counts from 0. Errors: [`ReadError::Animation`], if none matches, or if several names differ
    /// from the wanted one in case alone.
    pub fn animations_matching(&self, wanted: &str) -> Result<Vec<usize>, ReadError> {
        Ok(animations::matching(&self.names, wanted)?)
    }

    /// Reads the animation that the settings choose, like [`crate::read_take`]. Companions in the settings are not used.
    ///
    /// Errors: [`ReadError`]; no input panics, and memory stays in proportion to the bytes.
    pub fn read(&self, settings: &ReadSettings<'_>, warnings: &mut Vec<Warning>) -> Result<LoadedTake, ReadError> {
        let num_before = warnings.len();
        let (take, source) = match &self.content {
            Content::Bvh(bytes) => return read::read_bvh(bytes, &self.name, settings, warnings),
            #[cfg(feature = "fbx")]
            Content::Fbx(scene) => {
                let (take, source) = fbx::read::read_take(scene, &self.name, settings, warnings)?;
                (take, Source::Fbx(source))
            }
            Content::Gltf(file) => {
                let (take, source) = gltf::read::read_take(file, &self.name, settings, warnings)?;
                (take, Source::Gltf(source))
            }
        };
        read::warn_of_take(&take, num_before, warnings);
        Ok(LoadedTake { take, source })
    }

    /// Reads the skeleton as a take of one frame, as it stands without animation: for files that have none.
    ///
    /// Errors: [`ReadError`]; a BVH file without frames has no pose.
    pub fn read_rest(&self, settings: &ReadSettings<'_>, warnings: &mut Vec<Warning>) -> Result<LoadedTake, ReadError> {
        let (take, source) = match &self.content {
            Content::Bvh(bytes) => return read::read_bvh(bytes, &self.name, settings, warnings),
            #[cfg(feature = "fbx")]
            Content::Fbx(scene) => {
                let (take, source) = fbx::read::read_rest(scene, &self.name, settings, warnings)?;
                (take, Source::Fbx(source))
            }
            Content::Gltf(file) => {
                let (take, source) = gltf::read::read_rest(file, &self.name, settings, warnings)?;
                (take, Source::Gltf(source))
            }
        };
        Ok(LoadedTake { take, source })
    }
}

impl core::fmt::Debug for AnimatedFile {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("AnimatedFile")
            .field("name", &self.name)
            .field("animations", &self.names)
            .finish_non_exhaustive()
    }
}
