//! The form that a take had in its file, kept so that a loop can be written in it.

use loopwright::Take;

use crate::{bvh::source::BvhSource, fbx::source::FbxSource, gltf::source::GltfSource, space::Space};

/// A take as loaded, and the form it had in its file.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedTake {
    /// The motion, in metres with +Y up.
    pub take: Take,
    /// How the file put it.
    pub source: Source,
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
