//! The form of a take in its file, kept so that a loop can be written in it.

use glam::DQuat;
use loopwright::{Pose, Skeleton, Take, retarget};

#[cfg(feature = "fbx")]
use crate::fbx;
use crate::{
    bvh::source::BvhSource, error::WriteError, fbx::source::FbxSource, gltf::source::GltfSource, space::Space,
    written::Written,
};

/// A take as loaded, and its form in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedTake {
    /// The motion, in metres with +Y up.
    pub take: Take,
    /// The form in the file.
    pub source: Source,
}

/// A file format for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
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

    /// The file extension, without the point.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Bvh => "bvh",
            Self::Fbx => "fbx",
            Self::Glb => "glb",
            Self::Gltf => "gltf",
        }
    }

    /// The format of a file extension, in any case.
    pub fn of_extension(extension: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|format| format.extension().eq_ignore_ascii_case(extension))
    }
}

/// The form of a take in its file, by format.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub enum Source {
    /// Hierarchy, channels, frame time and space of a BVH file.
    Bvh(BvhSource),
    /// The FBX file itself, or a fresh one.
    Fbx(FbxSource),
    /// The whole of a glTF file, and which of its nodes are joints.
    Gltf(GltfSource),
}

impl Source {
    /// A form for a take from elsewhere; the page of each format's source gives the details.
    pub fn for_take(take: &Take, format: Format) -> Self {
        match format {
            Format::Bvh => Self::Bvh(BvhSource::for_take(take)),
            Format::Fbx => Self::Fbx(FbxSource::for_take(take)),
            Format::Glb | Format::Gltf => Self::Gltf(GltfSource::for_take(take, format == Format::Glb)),
        }
    }

    /// The same form if it has that `format`, else a new one for `take`, which must have the source's skeleton.
    pub fn in_format(&self, format: Format, take: &Take) -> Self {
        match (self, format) {
            (Self::Bvh(_), Format::Bvh) => self.clone(),
            // A file that cannot be extended gets the form of a new one.
            (Self::Fbx(source), Format::Fbx) => Self::Fbx(source.writable(take)),
            (Self::Gltf(source), Format::Glb | Format::Gltf) => Self::Gltf(GltfSource {
                is_binary: format == Format::Glb,
                ..source.clone()
            }),
            (Self::Gltf(source), Format::Fbx) if source.has_meshes() => Self::Fbx(FbxSource::without_meshes(take)),
            _ => Self::for_take(take, format),
        }
    }

    /// The same form in metres with Y up, if the format does not state its space: programs that read BVH assume this. All other
    /// formats state theirs, and are returned unchanged.
    #[must_use]
    pub fn in_metres(self) -> Self {
        match self {
            Self::Bvh(source) => Self::Bvh(source.in_metres()),
            stated => stated,
        }
    }

    /// The same form for engines: tracks that do not move have one key, and an FBX file states the unit that it was read in.
    #[must_use]
    pub fn for_engines(self) -> Self {
        match self {
            Self::Bvh(_) => self,
            Self::Fbx(source) => Self::Fbx(source.for_engines()),
            Self::Gltf(source) => Self::Gltf(GltfSource {
                has_short_tracks: true,
                ..source
            }),
        }
    }

    /// The rest pose of the take's joints as the file states it, local, in metres with +Y up.
    ///
    /// `skeleton` is that of the take that was read with this form. In BVH every joint rests without a turn; a form for a take from
    /// elsewhere states the same.
    pub fn rest(&self, skeleton: &Skeleton) -> Pose {
        let stated = match self {
            Self::Bvh(source) => return retarget::unturned(skeleton, source.space().turn()),
            Self::Fbx(source) => source.rest(skeleton),
            Self::Gltf(source) => source.rest(skeleton),
        };
        stated.unwrap_or_else(|| retarget::unturned(skeleton, DQuat::IDENTITY))
    }

    /// The whole file that was read, with all its animations; `None` if it cannot be extended.
    ///
    /// `take` is what was read from it. With `add_root` its joints get a root joint above them, where the animations leave it at
    /// rest. Errors: the file is malformed, or too large for its format.
    pub fn kept(&self, take: &Take, add_root: bool) -> Option<Result<Written, WriteError>> {
        match self {
            #[cfg(feature = "fbx")]
            Self::Fbx(source) => fbx::write::kept(source, take, add_root),
            Self::Gltf(source) if add_root => Some(source.repacked_with_root(take)),
            Self::Gltf(source) => Some(source.repacked(take)),
            _ => None,
        }
    }

    /// The same form ready for an animation in place of the one that was read: glTF replaces one of its name by itself.
    ///
    /// Errors: the file is malformed.
    pub fn without_animation(self) -> Result<Self, WriteError> {
        match self {
            #[cfg(feature = "fbx")]
            Self::Fbx(source) => Ok(Self::Fbx(fbx::write::without_animation(&source)?)),
            other => Ok(other),
        }
    }

    /// The format of this form.
    pub fn format(&self) -> Format {
        match self {
            Self::Bvh(_) => Format::Bvh,
            Self::Fbx(_) => Format::Fbx,
            Self::Gltf(source) if source.is_binary => Format::Glb,
            Self::Gltf(_) => Format::Gltf,
        }
    }

    /// How the file's space relates to ours, and whether that was stated or guessed.
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

    /// Whether loops can be added to the file that was read, so that all else in it stays.
    pub fn can_be_extended(&self) -> bool {
        match self {
            Self::Bvh(_) => false,
            Self::Fbx(source) => source.can_be_extended(),
            Self::Gltf(_) => true,
        }
    }

    /// The form in a BVH file, if it is one.
    pub fn as_bvh(&self) -> Option<&BvhSource> {
        match self {
            Self::Bvh(source) => Some(source),
            _ => None,
        }
    }

    /// The form in an FBX file, if it is one.
    pub fn as_fbx(&self) -> Option<&FbxSource> {
        match self {
            Self::Fbx(source) => Some(source),
            _ => None,
        }
    }

    /// The form in a glTF file, if it is one.
    pub fn as_gltf(&self) -> Option<&GltfSource> {
        match self {
            Self::Gltf(source) => Some(source),
            _ => None,
        }
    }
}
