//! Reads the meshes of a scene as the surface of a take's character.

use std::collections::HashMap;

use glam::{DAffine3, DVec2, DVec3};
use loopwright_core::Skeleton;
use ufbx::{Material, Node, Scene, SkinDeformer};

use super::{
    joints::{self, SkeletonChoice},
    read::moves,
    scene::{self, World},
    source::FbxSource,
};
use crate::{
    limits::{SizeLimits, is_plausible},
    mesh::{Bone, Mesh, MeshError, MeshImage, Vertex, four_largest},
};

/// Reads all meshes that follow the joints of a take.
pub(crate) fn read(
    bytes: &[u8],
    source: &FbxSource,
    skeleton: &Skeleton,
    limits: &SizeLimits,
) -> Result<Mesh, MeshError> {
    let scene = scene::load(bytes, true)?;
    let mut reader = Reader {
        carriers: Carriers::new(&scene, source, skeleton)?,
        limits,
        mesh: Mesh::default(),
        images: HashMap::new(),
    };
    for node in &scene.nodes {
        if let Some(shape) = &node.mesh {
            reader.add(node, shape)?;
        }
    }
    Ok(reader.mesh)
}

struct Reader<'a> {
    carriers: Carriers,
    limits: &'a SizeLimits,
    mesh: Mesh,
    /// Index of each picture by its number in the file; `None` for pictures that are not read.
    images: HashMap<u32, Option<usize>>,
}

/// The parts of the scene that joints of the take carry.
struct Carriers {
    /// For every node the joint at or above it, and the node's transform in the joint's axes, in metres.
    carried: Vec<Option<Bone>>,
}

impl Carriers {
    /// Evaluates the scene at the first frame of the take: scales that change later keep their first value, as in loops.
    fn new(scene: &Scene, source: &FbxSource, skeleton: &Skeleton) -> Result<Self, MeshError> {
        let stack = (&scene.anim_stacks)
            .into_iter()
            .find(|stack| *stack.element.name == *source.animation);
        let joints = joints::choose(
            scene,
            stack,
            |node| stack.is_some_and(|stack| moves(node, &stack.anim, [stack.time_begin, stack.time_end])),
            SkeletonChoice::Number(source.skeleton),
            &mut Vec::new(),
        )?;
        let num_nodes = scene.nodes.len();
        let mut carried: Vec<Option<Bone>> = vec![None; num_nodes];
        if joints.nodes.len() != skeleton.num_joints() {
            return Ok(Self { carried });
        }
        // Nodes beside the joints, too: their parents may be placed by keys alone.
        let animated = stack.map(|stack| scene::animation(scene, stack, 0..num_nodes));
        let animated = animated.transpose()?;
        let mut joint_of = vec![None; num_nodes];
        for (joint, &node) in joints.nodes.iter().enumerate() {
            joint_of[node] = Some(joint);
        }
        let mut worlds = vec![World::SCENE; num_nodes];
        // The joint at or above each node, from the world instead of a mesh.
        let mut bones: Vec<Option<Bone>> = vec![None; num_nodes];
        // Nodes are sorted by depth.
        for (index, node) in scene.nodes.iter().enumerate() {
            let parent = node.parent.as_ref().map(|parent| scene::index(parent));
            let local = match &animated {
                Some(anim) => ufbx::evaluate_transform(anim, node, source.begin_secs),
                None => node.local_transform,
            };
            let above = parent.map_or(World::SCENE, |parent| worlds[parent]);
            worlds[index] = if node.is_root {
                World::SCENE
            } else {
                above.child(node.inherit_mode, &local)
            };
            let world = &worlds[index];
            bones[index] = match joint_of[index] {
                Some(joint) => {
                    let axes = DAffine3::from_rotation_translation(world.rotation, world.position());
                    let metres = DAffine3::from_scale(DVec3::splat(source.space.unit_metres));
                    let joint_from_mesh = metres * axes.inverse();
                    Some(Bone { joint, joint_from_mesh })
                }
                None => parent.and_then(|parent| bones[parent]),
            };
            carried[index] = bones[index].map(|bone| Bone {
                joint_from_mesh: bone.joint_from_mesh * world.matrix,
                ..bone
            });
        }
        Ok(Self { carried })
    }

    fn bone(&self, node: &Node, node_from_mesh: &ufbx::Matrix) -> Option<Bone> {
        let bone = self.carried[scene::index(node)]?;
        let joint_from_mesh = bone.joint_from_mesh * scene::affine(node_from_mesh);
        joint_from_mesh.is_finite().then_some(Bone {
            joint_from_mesh,
            ..bone
        })
    }
}

impl Reader<'_> {
    /// Adds the triangles of a node, if a bone carries them.
    fn add(&mut self, node: &Node, shape: &ufbx::Mesh) -> Result<(), MeshError> {
        self.mesh
            .check_room(shape.num_indices.max(1), shape.num_triangles, self.limits)?;
        let skin: Option<&SkinDeformer> = shape.skin_deformers.iter().next().map(|skin| &**skin);
        let Some(bones) = bones(&mut self.mesh, node, skin, &self.carriers)? else {
            return Ok(());
        };
        // Corners that agree in all attributes are one vertex.
        let mut known = HashMap::new();
        let (mut triangles, mut weighted) = (Vec::new(), Vec::new());
        for part in 0..shape.material_parts.len().max(1) {
            let material = node.materials.get(part).or_else(|| shape.materials.get(part));
            let (colour, image) = material.map_or(([1.0; 3], None), |material| self.look(material));
            let faces: Vec<u32> = match shape.material_parts.get(part) {
                Some(part) => part.face_indices.to_vec(),
                None => (0..shape.faces.len() as u32).collect(),
            };
            let first_index = self.mesh.indices.len();
            for face in faces {
                let Some(&face) = shape.faces.get(face as usize).filter(|face| face.num_indices >= 3) else {
                    continue;
                };
                triangles.clear();
                triangles.resize(3 * (face.num_indices as usize - 2), 0);
                let num_triangles = shape.triangulate_face(&mut triangles, face) as usize;
                for &corner in &triangles[..3 * num_triangles] {
                    let corner = corner as usize;
                    let numbers = [
                        &shape.vertex_position.indices,
                        &shape.vertex_normal.indices,
                        &shape.vertex_uv.indices,
                    ]
                    .map(|indices| indices.get(corner).copied().unwrap_or_default());
                    let number = match known.get(&(part, numbers)) {
                        Some(&number) => number,
                        None => {
                            let number = self.mesh.vertices.len() as u32;
                            weights(skin, shape, corner, &bones, &mut weighted);
                            let vertex = vertex(shape, corner, numbers, &bones, &mut weighted);
                            let vertex = vertex.ok_or_else(|| MeshError::OutOfRange {
                                at: node.element.name.to_string(),
                                vertex: numbers[0] as usize,
                            })?;
                            self.mesh.vertices.push(Vertex { colour, ..vertex });
                            known.insert((part, numbers), number);
                            number
                        }
                    };
                    self.mesh.indices.push(number);
                }
            }
            self.mesh.add_part(first_index..self.mesh.indices.len(), image);
        }
        Ok(())
    }

    /// Returns colour and texture of a material.
    fn look(&mut self, material: &Material) -> ([f32; 3], Option<usize>) {
        let map = &material.pbr.base_color;
        let texture = map.texture.as_ref().filter(|_| map.texture_enabled);
        let image = texture.and_then(|texture| {
            *self.images.entry(texture.element.typed_id).or_insert_with(|| {
                let files = || core::iter::once(&**texture).chain(texture.file_textures.iter().map(|file| &**file));
                let here = files().map(|file| &*file.content).find(|bytes| !bytes.is_empty());
                let image = match here {
                    Some(bytes) => MeshImage::Here(bytes.into()),
                    None => MeshImage::Beside(files().find_map(|file| {
                        let paths = [&file.relative_filename, &file.filename, &file.absolute_filename];
                        paths.into_iter().find_map(|path| uri_of(path))
                    })?),
                };
                self.mesh.images.push(image);
                Some(self.mesh.images.len() - 1)
            })
        });
        // A texture replaces the colour.
        if image.is_some() || !map.has_value {
            return ([1.0; 3], image);
        }
        let value = map.value_vec4;
        let colour = [value.x, value.y, value.z].map(|channel| (channel as f32).clamp(0.0, 1.0));
        (colour, image)
    }
}

/// Reads the vertex at a corner of a face, white, by the indices of its position, normal and texture coordinates, and its
/// weights. `None` if an index is out of range.
fn vertex(
    shape: &ufbx::Mesh,
    corner: usize,
    numbers: [u32; 3],
    bones: &Bones,
    weighted: &mut Vec<(u16, f32)>,
) -> Option<Vertex> {
    let [point, normal, place] = numbers.map(|number| number as usize);
    let position = shape.vertex_position.values.get(point);
    let position = position.map_or(DVec3::NAN, |v| scene::vec3(*v)) + blended(shape, corner);
    if !is_plausible(position) {
        return None;
    }
    let normal = shape.vertex_normal.values.get(normal);
    let normal = normal.map_or(DVec3::ZERO, |v| scene::vec3(*v)).normalize_or_zero();
    // Texture coordinates count from below.
    let place = shape.vertex_uv.values.get(place);
    let place = place.map_or(DVec2::ZERO, |v| DVec2::new(v.x, 1.0 - v.y));
    let (bones, weights) = four_largest(weighted, bones.rigid);
    Some(Vertex {
        position: position.as_vec3().to_array(),
        normal: normal.as_vec3().to_array(),
        texture_at: place.as_vec2().to_array().map(|x| if x.abs() < 1e6 { x } else { 0.0 }),
        colour: [1.0; 3],
        bones,
        weights,
    })
}

struct Bones {
    /// The bone of each cluster of its skin; `None` if it belongs to no joint.
    of_clusters: Vec<Option<u16>>,
    /// The bone for vertices without a cluster.
    rigid: u16,
}

/// Returns the bones of a mesh; `None` if no part of it follows the joints.
fn bones(
    mesh: &mut Mesh,
    node: &Node,
    skin: Option<&SkinDeformer>,
    carriers: &Carriers,
) -> Result<Option<Bones>, MeshError> {
    let mut of_clusters = Vec::new();
    for cluster in skin.iter().flat_map(|skin| &skin.clusters) {
        let bone = cluster
            .bone_node
            .as_ref()
            .and_then(|bone| carriers.bone(bone, &cluster.geometry_to_bone));
        of_clusters.push(bone.map(|bone| mesh.bone(bone)).transpose()?);
    }
    let rigid = match carriers.bone(node, &node.geometry_to_node) {
        Some(bone) => Some(mesh.bone(bone)?),
        None => of_clusters.iter().flatten().next().copied(),
    };
    Ok(rigid.map(|rigid| Bones { of_clusters, rigid }))
}

/// Returns the displacement by blend shapes of the vertex at a corner of a face, without animation.
fn blended(shape: &ufbx::Mesh, corner: usize) -> DVec3 {
    let Some(&vertex) = shape.vertex_indices.get(corner) else {
        return DVec3::ZERO;
    };
    let blends = shape.blend_deformers.iter();
    blends
        .map(|blend| scene::vec3(blend.get_vertex_offset(vertex as usize)))
        .sum()
}

/// Replaces `weights` by those of the vertex at a corner of a face.
fn weights(
    skin: Option<&SkinDeformer>,
    shape: &ufbx::Mesh,
    corner: usize,
    bones: &Bones,
    weighted: &mut Vec<(u16, f32)>,
) {
    let stated = skin.and_then(|skin| {
        let vertex = skin.vertices.get(*shape.vertex_indices.get(corner)? as usize)?;
        let from = vertex.weight_begin as usize;
        skin.weights.get(from..from.saturating_add(vertex.num_weights as usize))
    });
    let weights = stated.unwrap_or_default().iter().filter_map(|weight| {
        let bone = bones.of_clusters.get(weight.cluster_index as usize).copied().flatten();
        Some((bone?, weight.weight as f32))
    });
    weighted.clear();
    weighted.extend(weights);
}

/// Converts a path in an FBX file, with `/` or `\`, to a URI; an absolute path, which is valid on one machine only, is reduced
/// to its last name.
fn uri_of(path: &str) -> Option<String> {
    let path = path.replace('\\', "/");
    let is_absolute = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
    let path = if is_absolute { path.rsplit('/').next()? } else { &path };
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    (!uri.is_empty()).then_some(uri)
}

#[cfg(test)]
mod tests {
    use loopwright_core::Take;

    use super::*;
    use crate::{
        load,
        source::{LoadedTake, Source},
    };

    #[test]
    fn paths_of_textures_become_uris() {
        let of = |path| uri_of(path);
        assert_eq!(
            of(r"hero.fbm\skin of 1%.png").as_deref(),
            Some("hero.fbm/skin%20of%201%25.png")
        );
        assert_eq!(of("../é.png").as_deref(), Some("../%C3%A9.png"));
        assert_eq!(of(r"D:\art\hero.png").as_deref(), Some("hero.png"));
        assert_eq!(of("/home/me/hero.png").as_deref(), Some("hero.png"));
        assert_eq!(of(""), None);
        assert_eq!(of("C:\\"), None);
    }

    fn character(bytes: &[u8]) -> (Take, FbxSource, Mesh) {
        let LoadedTake { take, source, .. } = load(bytes, "take").unwrap();
        let Source::Fbx(source) = source else {
            panic!("an FBX file")
        };
        let mesh = read(bytes, &source, take.skeleton(), &SizeLimits::default()).unwrap();
        (take, source, mesh)
    }

    #[test]
    fn textures_in_files_of_their_own_are_named() {
        let Some(folder) = loopwright_mocap::folder_or_skip() else {
            return;
        };
        let mut bytes = std::fs::read(folder.join("ufbx/blender_293_barbarian_7400_binary.fbx")).unwrap();
        // The file holds its textures; renaming the record hides them from readers.
        let held = b"\x07Content";
        for at in 0..bytes.len() - held.len() {
            if bytes[at..].starts_with(held) {
                bytes[at + held.len() - 1] = b'T';
            }
        }
        let (_, _, mesh) = character(&bytes);
        let named = |name: &str| MeshImage::Beside(format!("blender_293_barbarian_7400_binary.fbm/{name}.png"));
        assert_eq!(mesh.images.len(), 2);
        for name in ["diffuse", "diffuse_hair"] {
            assert!(mesh.images.contains(&named(name)), "{name}");
        }
        assert!(mesh.parts.iter().all(|part| part.image.is_some()));
    }
}
