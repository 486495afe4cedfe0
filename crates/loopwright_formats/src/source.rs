//! The form that a take had in its file, kept so that a loop can be written in it; and reading with it.

use std::io;

use glam::DVec3;
use loopwright::take::{Joint, Take};

use crate::{
    bvh::{self, source::BvhSource},
    detect::{self, FileKind},
    error::ReadError,
    fbx::FbxSource,
    gltf::{self, source::GltfSource},
    space::{Space, SpaceSettings},
    warning::Warning,
};

/// A take as loaded, and the form it had in its file.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedTake {
    /// The motion, in metres with +Y up.
    pub take: Take,
    /// How the file put it.
    pub source: Source,
}

/// Which animation of a file is read; BVH has but one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnimationChoice<'a> {
    /// The longest that moves anything; a warning lists them where there are several.
    #[default]
    Auto,
    /// The last one whose name ends in `-loop`, as loops are written; where there is none, as [`Self::Auto`].
    Loop,
    /// The one of that name, or where there is none the one of that number, counted from 0.
    Given(&'a str),
}

/// Brings the bytes of a file that another one names by a path relative to its own place.
pub type Companions<'a> = &'a dyn Fn(&str) -> io::Result<Vec<u8>>;

/// What the caller knows about a file.
#[derive(Clone, Copy, Default)]
pub struct ReadSettings<'a> {
    /// Its space.
    pub space: SpaceSettings,
    /// Which of its animations is the take.
    pub animation: AnimationChoice<'a>,
    /// The skin whose joints are the skeleton, by name or by number from 0; the first one that the animation moves unless
    /// given.
    pub skin: Option<&'a str>,
    /// Where files beside it come from; without, a file that names others cannot be read.
    pub companions: Option<Companions<'a>>,
}

impl ReadSettings<'_> {
    /// Everything left open but the space.
    pub fn in_space(space: SpaceSettings) -> Self {
        Self {
            space,
            ..Self::default()
        }
    }
}

/// Reads a take from the bytes of a file of any known kind; its first bytes tell which.
///
/// `name` becomes the take's name where the file has none for it, usually it is the file's stem. The space is taken from
/// `settings`, stated by the format or guessed by the body, see [`SpaceSettings`]; the world is then turned so that +Y is up
/// (only the root's track changes) and scaled to metres. What is odd goes into `warnings`. Errors: [`ReadError`]; no input
/// panics, and memory stays in proportion to the bytes.
pub fn read_take(
    bytes: &[u8],
    name: &str,
    settings: &ReadSettings<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<LoadedTake, ReadError> {
    let num_before = warnings.len();
    let loaded = match detect::file_kind(bytes) {
        #[cfg(feature = "fbx")]
        FileKind::FbxBinary | FileKind::FbxAscii => crate::fbx::read::read_take(bytes, name, settings, warnings),
        FileKind::Gltf | FileKind::Glb => gltf::read::read(bytes, name, settings, warnings),
        // What is none of the known kinds is told as a BVH file gone wrong.
        _ => bvh::read::read_take(bytes, name, &settings.space, warnings),
    }?;
    // Where keys tell no rate, it is ours.
    let is_ours = |warning: &Warning| matches!(warning, Warning::KeysOffGrid { .. });
    let rate_hz = loaded.take.frame_rate_hz();
    if is_odd(rate_hz) && loaded.take.num_frames() > 1 && !warnings[num_before..].iter().any(is_ours) {
        warnings.push(Warning::OddRate { rate_hz });
    }
    if lacks_rest(&loaded.take) {
        warnings.push(Warning::RestMissing);
    }
    Ok(loaded)
}

/// Names of the animations in a file, in its order, as [`AnimationChoice::Given`] takes them.
///
/// None where animations have no names, as in BVH, and where the file cannot be read: reading it tells why.
pub fn animation_names(bytes: &[u8]) -> Vec<String> {
    match detect::file_kind(bytes) {
        #[cfg(feature = "fbx")]
        FileKind::FbxBinary | FileKind::FbxAscii => crate::fbx::read::animation_names(bytes),
        FileKind::Gltf | FileKind::Glb => gltf::read::animation_names(bytes),
        _ => Vec::new(),
    }
}

/// How far a rate may lie from a whole number, as a share.
///
/// Rates of television lie a thousandth off (29.97), and frame times are rounded to their fourth digit (0.0167 for 60). A frame
/// time of 0.033 is a hundredth off: its clip runs a frame too long in three seconds.
const WHOLE_RATE: f64 = 2e-3;

/// Whether a rate is none that motion is recorded at. Below one frame per second there is another warning.
fn is_odd(rate_hz: f64) -> bool {
    let whole = rate_hz.round().max(1.0);
    rate_hz > 1.0 && (rate_hz / whole - 1.0).abs() > WHOLE_RATE
}

/// Whether every joint rests on its parent although the motion has it elsewhere.
fn lacks_rest(take: &Take) -> bool {
    let joints = take.skeleton().joints();
    let lies_apart = |joint: &Joint| joint.parent.is_some() && joint.rest_offset != DVec3::ZERO;
    let moves_apart = |place: &DVec3| *place != DVec3::ZERO;
    !joints.iter().any(lies_apart) && take.translations(0)[1..].iter().any(moves_apart)
}

/// A kind of file that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// BVH.
    Bvh,
    /// FBX.
    Fbx,
    /// glTF in one binary file.
    Glb,
    /// glTF as text, with its buffers inside it.
    Gltf,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Bvh, Self::Fbx, Self::Glb, Self::Gltf];

    /// How the names of such files end, without the point.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Bvh => "bvh",
            Self::Fbx => "fbx",
            Self::Glb => "glb",
            Self::Gltf => "gltf",
        }
    }

    /// The format whose files end so, in any case.
    pub fn of_extension(extension: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|format| format.extension().eq_ignore_ascii_case(extension))
    }
}

/// The form of a take in its file, by format.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Source {
    /// Hierarchy, channels, frame time and space of a BVH file.
    Bvh(BvhSource),
    /// The FBX file itself, or a fresh one.
    Fbx(FbxSource),
    /// The whole of a glTF file, and which of its nodes are joints.
    Gltf(GltfSource),
}

impl Source {
    /// A form for a take that comes from elsewhere; the page of each format's source says which.
    pub fn for_take(take: &Take, format: Format) -> Self {
        match format {
            Format::Bvh => Self::Bvh(BvhSource::for_take(take)),
            Format::Fbx => Self::Fbx(FbxSource::for_take(take)),
            Format::Glb | Format::Gltf => Self::Gltf(GltfSource::for_take(take, format == Format::Glb)),
        }
    }

    /// The same form where `format` has it, else a new one for `take`, which must have the source's skeleton.
    pub fn in_format(&self, format: Format, take: &Take) -> Self {
        match (self, format) {
            (Self::Bvh(_), Format::Bvh) => self.clone(),
            // A file that cannot be written into has the form of a fresh one.
            (Self::Fbx(source), Format::Fbx) => Self::Fbx(source.writable(take)),
            (Self::Gltf(source), Format::Glb | Format::Gltf) => Self::Gltf(GltfSource {
                is_binary: format == Format::Glb,
                ..source.clone()
            }),
            (Self::Gltf(source), Format::Fbx) if source.has_meshes() => Self::Fbx(FbxSource::without_meshes(take)),
            _ => Self::for_take(take, format),
        }
    }

    /// The same form in metres with Y up, where the format does not state its space: programs that read BVH take this for
    /// granted. All others state theirs, and stay as they are.
    #[must_use]
    pub fn in_metres(self) -> Self {
        match self {
            Self::Bvh(source) => Self::Bvh(source.in_metres()),
            stated => stated,
        }
    }

    /// The format that this form is of.
    pub fn format(&self) -> Format {
        match self {
            Self::Bvh(_) => Format::Bvh,
            Self::Fbx(_) => Format::Fbx,
            Self::Gltf(source) if source.is_binary => Format::Glb,
            Self::Gltf(_) => Format::Gltf,
        }
    }

    /// How the file's space lies in ours, and whether that was stated or guessed.
    pub fn space(&self) -> &Space {
        match self {
            Self::Bvh(source) => source.space(),
            Self::Fbx(source) => source.space(),
            Self::Gltf(source) => source.space(),
        }
    }

    /// Seconds from one frame to the next in the file.
    pub fn frame_time_secs(&self) -> f64 {
        match self {
            Self::Bvh(source) => source.frame_time_secs(),
            Self::Fbx(source) => source.frame_time_secs(),
            Self::Gltf(source) => source.frame_time_secs(),
        }
    }

    /// The form in a BVH file, where that is what it is of.
    pub fn as_bvh(&self) -> Option<&BvhSource> {
        match self {
            Self::Bvh(source) => Some(source),
            _ => None,
        }
    }

    /// The form in an FBX file, where that is what it is of.
    pub fn as_fbx(&self) -> Option<&FbxSource> {
        match self {
            Self::Fbx(source) => Some(source),
            _ => None,
        }
    }

    /// The form in a glTF file, where that is what it is of.
    pub fn as_gltf(&self) -> Option<&GltfSource> {
        match self {
            Self::Gltf(source) => Some(source),
            _ => None,
        }
    }
}
