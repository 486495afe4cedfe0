//! The surface of a character: triangles that follow the joints of a take.

use core::ops::Range;
use std::sync::Arc;

use glam::DAffine3;
use loopwright::{Pose, math::Rigid};

use crate::{error::ReadError, fbx::error::FbxError, gltf::error::GltfError, limits::SizeLimits};

/// The surface of a character.
///
/// A vertex is where its bones carry it: the mean of `bone * position` over its bones by their weights, where `bone` is what
/// [`Mesh::bones_at`] gives for a pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Its vertices, in the axes and the unit of the file's mesh.
    pub vertices: Vec<Vertex>,
    /// What carries them.
    pub bones: Vec<Bone>,
    /// Vertices of the triangles, three each.
    pub indices: Vec<u32>,
    /// Triangles of one texture each, which together are all of them.
    pub parts: Vec<MeshPart>,
    /// Textures as the file holds them, PNG or JPEG.
    pub images: Vec<MeshImage>,
}

/// A texture of a [`Mesh`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MeshImage {
    /// It is in the file.
    Here(Arc<[u8]>),
    /// It is in a file of its own: its URI as the file states it, relative to the file's own place. It may lead anywhere.
    Beside(String),
}

/// A vertex of a [`Mesh`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vertex {
    /// Its position.
    pub position: [f32; 3],
    /// Its normal; of length one, or zero where the file has neither one nor a triangle.
    pub normal: [f32; 3],
    /// Its place in the texture, from the left and from the top, in widths and heights of it.
    pub texture_at: [f32; 2],
    /// Its colour without texture: red, green and blue, linear, from 0 to 1.
    pub colour: [f32; 3],
    /// Bones that carry it, as indices in [`Mesh::bones`].
    pub bones: [u16; 4],
    /// Their weights; they sum to one.
    pub weights: [f32; 4],
}

/// What carries vertices: a joint, and how the mesh lies in its axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone {
    /// The joint of the take.
    pub joint: usize,
    /// From the mesh into the axes of the joint, in metres.
    pub joint_from_mesh: DAffine3,
}

/// Triangles of a [`Mesh`] that share a texture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshPart {
    /// Their vertices, as a range of [`Mesh::indices`].
    pub indices: Range<usize>,
    /// Their texture, as an index in [`Mesh::images`].
    pub image: Option<usize>,
}

/// Most vertices, and most triangles, of a mesh: a character has some hundred thousand at most.
pub(crate) const MOST: usize = 4_000_000;

/// Why the mesh of a file cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages show what their fields are")]
pub enum MeshError {
    /// The glTF file is not in order.
    #[error(transparent)]
    Gltf(#[from] GltfError),
    /// The FBX file is not in order.
    #[error(transparent)]
    Fbx(#[from] FbxError),
    /// Reading it is beyond a limit.
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("{at} is compressed ({extension}); export the file without compression")]
    Compressed { at: String, extension: String },
    #[error("{at}: vertex {vertex} is not finite or out of any plausible range")]
    OutOfRange {
        at: String,
        /// The vertex, counted from 0.
        vertex: usize,
    },
    #[error("the mesh has more than {limit} vertices or triangles")]
    TooLarge { limit: usize },
}

impl Mesh {
    /// From the mesh into the world, for each bone of a pose in the world.
    ///
    /// # Panics
    /// When the pose has not all joints of the take.
    pub fn bones_at(&self, world: &Pose) -> Vec<DAffine3> {
        let carried = |bone: &Bone| {
            let Rigid { rotation, translation } = world.as_ref().joint(bone.joint);
            DAffine3::from_rotation_translation(rotation, translation) * bone.joint_from_mesh
        };
        self.bones.iter().map(carried).collect()
    }

    /// Errors: so many vertices and triangles more are too many.
    pub(crate) fn check_room(&self, vertices: usize, triangles: usize, limits: &SizeLimits) -> Result<(), MeshError> {
        let vertices = self.vertices.len().saturating_add(vertices);
        let triangles = (self.indices.len() / 3).saturating_add(triangles);
        if vertices.max(triangles) > MOST {
            return Err(MeshError::TooLarge { limit: MOST });
        }
        let bytes = vertices * size_of::<Vertex>() + triangles * 3 * size_of::<u32>();
        // Vectors that grow are copied.
        Ok(limits.check_memory(2 * bytes as u64)?)
    }

    /// The number of a bone, new or the same as before. Errors: there are more than any skeleton has.
    pub(crate) fn bone(&mut self, bone: Bone) -> Result<u16, MeshError> {
        // A rigid part has one bone, and a skin states each once: looking at the last is enough to keep them few.
        let index = match self.bones.last() == Some(&bone) {
            true => self.bones.len() - 1,
            false => self.bones.len(),
        };
        let number = u16::try_from(index).map_err(|_| MeshError::TooLarge {
            limit: usize::from(u16::MAX),
        })?;
        if index == self.bones.len() {
            self.bones.push(bone);
        }
        Ok(number)
    }

    /// Adds triangles to the part of their texture, which is the last one or a new one.
    pub(crate) fn add_part(&mut self, indices: Range<usize>, image: Option<usize>) {
        match self.parts.last_mut() {
            Some(last) if last.image == image && last.indices.end == indices.start => last.indices.end = indices.end,
            _ if indices.is_empty() => {}
            _ => self.parts.push(MeshPart { indices, image }),
        }
    }

    /// Gives the vertices from `first` on, of the triangles from `first_index` on, the normals of their triangles, larger ones
    /// counting more.
    pub(crate) fn add_normals(&mut self, first: usize, first_index: usize) {
        for triangle in self.indices[first_index..].chunks_exact(3) {
            let corners = [0, 1, 2].map(|corner| triangle[corner] as usize);
            let [a, b, c] = corners.map(|corner| single(self.vertices[corner].position));
            let normal = (b - a).cross(c - a);
            for corner in corners {
                let own = &mut self.vertices[corner].normal;
                *own = (single(*own) + normal).as_vec3().to_array();
            }
        }
        for vertex in &mut self.vertices[first..] {
            vertex.normal = single(vertex.normal).normalize_or_zero().as_vec3().to_array();
        }
    }
}

/// The four largest of some weights of bones, so that they sum to one.
pub(crate) fn four_largest(weighted: &mut Vec<(u16, f32)>) -> ([u16; 4], [f32; 4]) {
    weighted.retain(|(_, weight)| weight.is_finite() && *weight > 0.0);
    weighted.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    weighted.truncate(4);
    let sum: f32 = weighted.iter().map(|(_, weight)| weight.min(1e6)).sum();
    let (mut bones, mut weights) = ([0; 4], [0.0; 4]);
    for (slot, &(bone, weight)) in weighted.iter().enumerate() {
        bones[slot] = bone;
        weights[slot] = weight.min(1e6) / sum;
    }
    if weighted.is_empty() {
        weights[0] = 1.0;
    }
    (bones, weights)
}

fn single(v: [f32; 3]) -> glam::DVec3 {
    glam::DVec3::from_array(v.map(f64::from))
}
