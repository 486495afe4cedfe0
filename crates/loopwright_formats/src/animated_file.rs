//! A file that is parsed once, and whose animations are read one by one.

use std::sync::Arc;

use glam::DVec3;
use loopwright::{Joint, Skeleton, Take, Tracks};

#[cfg(feature = "fbx")]
use crate::fbx;
use crate::{
    animations, bvh,
    detect::{self, FileKind},
    error::ReadError,
    gltf,
    limits::Limits,
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
        Self::parse_within(bytes, name, companions, &Limits::default())
    }

    /// The same within limits. Errors: [`ReadError`]; no input panics.
    pub fn parse_within(
        bytes: &[u8],
        name: &str,
        companions: Option<Companions<'_>>,
        limits: &Limits,
    ) -> Result<Self, ReadError> {
        if bytes.len() as u64 > limits.max_input_bytes {
            return Err(ReadError::TooLarge {
                limit: limits.max_input_bytes,
            });
        }
        let (names, content) = match detect::file_kind(bytes) {
            #[cfg(feature = "fbx")]
            FileKind::FbxBinary | FileKind::FbxAscii => {
                let scene = fbx::read::FbxScene::parse(bytes)?;
                (scene.animation_names(), Content::Fbx(scene))
            }
            FileKind::Gltf | FileKind::Glb => {
                let file = gltf::read::GltfFile::parse(bytes, companions, limits)?;
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
            Content::Bvh(bytes) => return read_bvh(bytes, &self.name, settings, warnings),
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
        warn_of_take(&take, num_before, warnings);
        Ok(LoadedTake { take, source })
    }

    /// A character: its skeleton at rest, or its first animation where nothing else tells which nodes are joints; and an animation of the
    /// same joints, if the file has one, which shows how it stands. Errors: as [`Self::read`].
    pub(crate) fn read_character(&self, settings: &ReadSettings<'_>) -> Result<(LoadedTake, Option<Take>), ReadError> {
        let motion = match (&self.content, self.num_animations()) {
            // Its only motion comes with the skeleton.
            (Content::Bvh(_), _) | (_, 0) => None,
            _ => Some(self.read(settings, &mut Vec::new())),
        };
        let at_rest = self.read_rest(settings, &mut Vec::new());
        match (at_rest, motion) {
            (Ok(at_rest), motion) => {
                let motion = motion.and_then(Result::ok).map(|motion| motion.take);
                let motion = motion.and_then(|motion| on_skeleton(&motion, at_rest.take.skeleton()));
                Ok((at_rest, motion))
            }
            (Err(_), Some(motion)) => Ok((motion?, None)),
            (Err(error), None) => Err(error),
        }
    }

    /// Reads the skeleton as a take of one frame, as it stands without animation: for files that have none.
    ///
    /// Errors: [`ReadError`]; a BVH file without frames has no pose.
    pub fn read_rest(&self, settings: &ReadSettings<'_>, warnings: &mut Vec<Warning>) -> Result<LoadedTake, ReadError> {
        let (take, source) = match &self.content {
            Content::Bvh(bytes) => return read_bvh(bytes, &self.name, settings, warnings),
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

/// A take on a skeleton of the same joints, whose rest offsets may differ by the rounding of the file; `None` where joints differ.
fn on_skeleton(take: &Take, skeleton: &Skeleton) -> Option<Take> {
    let tree = |skeleton: &Skeleton| -> Vec<(String, Option<usize>)> {
        let joints = skeleton.joints().iter();
        joints.map(|joint| (joint.name.clone(), joint.parent)).collect()
    };
    if tree(take.skeleton()) != tree(skeleton) {
        return None;
    }
    let poses = (0..take.num_frames()).map(|frame| take.pose(frame).to_pose());
    let tracks = Tracks::of_poses(skeleton.clone(), take.frame_time_secs(), poses).ok()?;
    Take::of_tracks(take.name(), tracks).ok()
}

impl core::fmt::Debug for AnimatedFile {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("AnimatedFile")
            .field("name", &self.name)
            .field("animations", &self.names)
            .finish_non_exhaustive()
    }
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
