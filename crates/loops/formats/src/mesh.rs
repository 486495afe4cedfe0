//! The surface of a character: triangles that follow the joints of a take.

use core::ops::Range;
use std::{collections::HashMap, sync::Arc};

use glam::{DAffine3, DVec3, Mat4, Vec3, Vec3A};
use loopwright_core::{Pose, math::Rigid};

use crate::{
    error::ReadError,
    fbx::error::FbxError,
    gltf::{container::percent_decoded, error::GltfError},
    limits::SizeLimits,
};

/// The surface of a character.
///
/// A posed vertex is the weighted mean of `bone * position` over its bones, with the matrices of [`Mesh::bones_at`].
#[value(Default)]
pub struct Mesh {
    /// Its vertices, in the axes and the unit of the file's mesh.
    pub vertices: Vec<Vertex>,
    /// The bones that carry vertices.
    pub bones: Vec<Bone>,
    /// Vertices of the triangles, three each.
    pub indices: Vec<u32>,
    /// Triangles of one texture each, which together are all of them.
    pub parts: Vec<MeshPart>,
    /// Textures as the file holds them, PNG or JPEG, each once.
    pub images: Vec<MeshImage>,
    /// Whether it is not a character but the capsules that represent one in files made for takes from elsewhere.
    pub is_stand_in: bool,
}

/// A posed vertex: its position relative to an origin, and its normal, which need not have length one.
pub type Posed = [[f32; 3]; 2];

/// A texture of a [`Mesh`].
#[value(Eq)]
pub enum MeshImage {
    /// The picture is in the file.
    Here(Arc<[u8]>),
    /// The picture is in another file: its URI as stated, relative to the folder of the mesh's file. It may point anywhere.
    Beside(String),
}

impl MeshImage {
    /// Returns the path behind the URI of a picture in another file.
    pub fn path_of(uri: &str) -> String {
        percent_decoded(uri)
    }
}

/// A vertex of a [`Mesh`].
#[value(Copy)]
pub struct Vertex {
    /// Its position.
    pub position: [f32; 3],
    /// Its normal; of length one, or zero if the file has neither a normal nor a triangle.
    pub normal: [f32; 3],
    /// Its texture coordinates, from the left and from the top, as shares of width and height.
    pub texture_at: [f32; 2],
    /// Its colour without texture: red, green and blue, linear, from 0 to 1.
    pub colour: [f32; 3],
    /// Bones that carry it, as indices in [`Mesh::bones`].
    pub bones: [u16; 4],
    /// Their weights; they sum to one.
    pub weights: [f32; 4],
}

/// A joint that carries vertices, and how the mesh lies in its axes.
#[value(Copy)]
pub struct Bone {
    /// The joint of the take.
    pub joint: usize,
    /// From the mesh into the axes of the joint, in metres.
    pub joint_from_mesh: DAffine3,
}

/// Triangles of a [`Mesh`] that share a texture.
#[value(Eq)]
pub struct MeshPart {
    /// Their vertices, as a range of [`Mesh::indices`].
    pub indices: Range<usize>,
    /// Their texture, as an index in [`Mesh::images`].
    pub image: Option<usize>,
}

/// Largest number of vertices, and of triangles, of a mesh; a character has a few hundred thousand.
pub(crate) const MOST: usize = 4_000_000;

/// Most textures of a mesh that are read.
const MOST_IMAGES: usize = 1024;

/// Why the mesh of a file cannot be read.
#[error_kinds]
pub enum MeshError {
    /// The glTF file is invalid.
    Gltf(GltfError),
    /// The FBX file is invalid.
    Fbx(FbxError),
    /// Reading it is beyond a limit.
    Read(ReadError),
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
        self.bones
            .iter()
            .map(|bone| {
                let Rigid { rotation, translation } = world.as_ref().joint(bone.joint);
                DAffine3::from_rotation_translation(rotation, translation) * bone.joint_from_mesh
            })
            .collect()
    }

    /// Poses all vertices with the bones of [`Mesh::bones_at`], relative to an origin.
    ///
    /// # Panics When there are fewer bones than the mesh has.
    pub fn posed(&self, bones: &[DAffine3], origin: DVec3) -> Vec<Posed> {
        // Single precision near the origin: a body that has walked far is as exact as at its start.
        let bones: Vec<Mat4> = bones
            .iter()
            .map(|bone| {
                let near = DAffine3 {
                    translation: bone.translation - origin,
                    ..*bone
                };
                Mat4::from_cols(
                    near.matrix3.x_axis.extend(0.0).as_vec4(),
                    near.matrix3.y_axis.extend(0.0).as_vec4(),
                    near.matrix3.z_axis.extend(0.0).as_vec4(),
                    near.translation.extend(1.0).as_vec4(),
                )
            })
            .collect();
        self.vertices
            .iter()
            .map(|vertex| {
                let of_slot = |slot: usize| bones[usize::from(vertex.bones[slot])];
                let carrier = match vertex.weights[0] {
                    1.0 => of_slot(0),
                    _ => (0..4)
                        .filter(|&slot| vertex.weights[slot] > 0.0)
                        .fold(Mat4::ZERO, |sum, slot| sum + of_slot(slot) * vertex.weights[slot]),
                };
                let position = carrier.transform_point3a(Vec3A::from_array(vertex.position));
                let normal = carrier.transform_vector3a(Vec3A::from_array(vertex.normal));
                [position.to_array(), normal.to_array()]
            })
            .collect()
    }

    /// Returns the corners of a coarser mesh: triangles whose corners lie in different cells, of which the longest side has
    /// `cells`; the first vertex of a cell stands for all of it. Vertices of different bones are kept apart.
    pub fn coarse(&self, cells: f32) -> Vec<u32> {
        let positions = || self.vertices.iter().map(|vertex| Vec3::from_array(vertex.position));
        let low = positions().fold(Vec3::INFINITY, Vec3::min);
        let cell = (positions().fold(Vec3::NEG_INFINITY, Vec3::max) - low).max_element() / cells;
        let mut first_in: HashMap<(u16, [i32; 3]), u32> = HashMap::new();
        let stands_for: Vec<u32> = self
            .vertices
            .iter()
            .zip(positions())
            .zip(0..)
            .map(|((vertex, position), number)| {
                let at = ((position - low) / cell).to_array().map(|cells| cells as i32);
                *first_in.entry((vertex.bones[0], at)).or_insert(number)
            })
            .collect();
        self.indices
            .chunks_exact(3)
            .map(|corners| [0, 1, 2].map(|corner| stands_for[corners[corner] as usize]))
            .filter(|[a, b, c]| a != b && b != c && c != a)
            .flatten()
            .collect()
    }

    /// Folds the first joint into the one below it, whose rest transform in it is given.
    #[must_use]
    pub fn without_root_joint(mut self, root_from_child: Rigid) -> Self {
        let inverse = root_from_child.inverse();
        for bone in &mut self.bones {
            match bone.joint.checked_sub(1) {
                Some(joint) => bone.joint = joint,
                None => {
                    bone.joint_from_mesh = DAffine3::from_rotation_translation(inverse.rotation, inverse.translation)
                        * bone.joint_from_mesh;
                }
            }
        }
        self
    }

    /// Checks that this many more vertices and triangles fit. Errors: they are too many.
    pub(crate) fn check_room(&self, vertices: usize, triangles: usize, limits: &SizeLimits) -> Result<(), MeshError> {
        let vertices = self.vertices.len().saturating_add(vertices);
        let triangles = (self.indices.len() / 3).saturating_add(triangles);
        if vertices.max(triangles) > MOST {
            return Err(MeshError::TooLarge { limit: MOST });
        }
        let bytes = vertices * size_of::<Vertex>() + triangles * 3 * size_of::<u32>();
        // Growing vectors are copied.
        Ok(limits.check_room(2 * bytes as u64).map_err(ReadError::from)?)
    }

    /// Returns the number of a bone, new or known. Errors: more bones than any skeleton has.
    pub(crate) fn bone(&mut self, bone: Bone) -> Result<u16, MeshError> {
        // A rigid part has one bone, and a skin lists each bone once, so comparing with the last bone suffices.
        let is_known = self.bones.last() == Some(&bone);
        let number = u16::try_from(self.bones.len() - usize::from(is_known)).map_err(|_| MeshError::TooLarge {
            limit: usize::from(u16::MAX),
        })?;
        self.bones.extend((!is_known).then_some(bone));
        Ok(number)
    }

    /// Returns the number of a texture, new or known; `None` for one that is beyond the limits.
    pub(crate) fn image(&mut self, image: MeshImage, limits: &SizeLimits) -> Option<usize> {
        let known = self.images.iter().position(|known| *known == image);
        if known.is_some() {
            return known;
        }
        self.images.push(image);
        let bytes = self.images.iter().map(|image| match image {
            MeshImage::Here(bytes) => bytes.len() as u64,
            MeshImage::Beside(_) => 0,
        });
        if self.images.len() > MOST_IMAGES || limits.check_room(bytes.sum()).is_err() {
            self.images.pop();
            return None;
        }
        Some(self.images.len() - 1)
    }

    /// Adds triangles to the part of their texture, which is the last one or a new one.
    pub(crate) fn add_part(&mut self, indices: Range<usize>, image: Option<usize>) {
        match self.parts.last_mut() {
            Some(last) if last.image == image && last.indices.end == indices.start => last.indices.end = indices.end,
            _ if indices.is_empty() => {}
            _ => self.parts.push(MeshPart { indices, image }),
        }
    }

    /// Computes normals for the vertices from `first` on from the triangles from `first_index` on, weighted by area.
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

/// Returns the four largest of several bone weights, normalized to a sum of one; without any, `rigid` carries all.
pub(crate) fn four_largest(weighted: &mut Vec<(u16, f32)>, rigid: u16) -> ([u16; 4], [f32; 4]) {
    weighted.retain(|(_, weight)| weight.is_finite() && *weight > 0.0);
    weighted.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    weighted.truncate(4);
    let sum: f32 = weighted.iter().map(|(_, weight)| weight.min(1e6)).sum();
    let (mut bones, mut weights) = ([rigid, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]);
    for (slot, &(bone, weight)) in weighted.iter().enumerate() {
        bones[slot] = bone;
        weights[slot] = weight.min(1e6) / sum;
    }
    (bones, weights)
}

fn single(v: [f32; 3]) -> DVec3 {
    DVec3::from_array(v.map(f64::from))
}
