//! Reads the meshes and skins of a glTF file as the surface of a take's character.

use std::{
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

use glam::{DAffine3, DMat4};
use loopwright_core::Skeleton;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    accessor::Accessors,
    container,
    error::GltfError,
    fresh::GENERATOR,
    parts::{self, Nodes, Skin},
    source::GltfSource,
};
use crate::{
    excerpt::excerpt,
    limits::{MAX_VALUE, SizeLimits},
    mesh::{Bone, Mesh, MeshError, MeshImage, Vertex, four_largest},
};

#[derive(Deserialize)]
struct MeshJson {
    primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
struct Primitive {
    attributes: BTreeMap<String, usize>,
    indices: Option<usize>,
    material: Option<usize>,
    #[serde(default = "triangles")]
    mode: u32,
    #[serde(default)]
    extensions: Map<String, Value>,
}

/// Modes of connecting vertices to triangles; the others are points and lines.
const TRIANGLES: u32 = 4;
const STRIP: u32 = 5;
const FAN: u32 = 6;

fn triangles() -> u32 {
    TRIANGLES
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Material {
    #[serde(default)]
    pbr_metallic_roughness: Surface,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Surface {
    base_color_factor: Option<[f32; 4]>,
    base_color_texture: Option<TextureUse>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TextureUse {
    index: usize,
    #[serde(default)]
    tex_coord: usize,
}

#[derive(Deserialize)]
struct Texture {
    source: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Image {
    uri: Option<String>,
    buffer_view: Option<usize>,
}

/// Reads all meshes that follow the joints of a take.
pub(crate) fn read(source: &GltfSource, skeleton: &Skeleton, limits: &SizeLimits) -> Result<Mesh, MeshError> {
    let document = &*source.document;
    let nodes = Nodes::read(document)?;
    let mut reader = Reader {
        source,
        accessors: Accessors::new(document, &[], document.num_buffer_bytes()),
        carriers: Carriers::new(source, &nodes, skeleton),
        limits,
        mesh: Mesh::default(),
        images: HashMap::new(),
    };
    let skins: Vec<Skin> = parts::parts(document, "skins")?;
    reader.mesh.is_stand_in = document.json["asset"]["generator"] == GENERATOR;
    for (index, node) in nodes.nodes.iter().enumerate() {
        let Some(number) = node.mesh else { continue };
        let bones = match node.skin {
            Some(skin) => reader.bones_of_skin(skin, &skins, &nodes)?,
            None => {
                let bone = reader.carriers.of_node(index, &nodes);
                Vec::from_iter(bone.map(|bone| reader.mesh.bone(bone)).transpose()?)
            }
        };
        if bones.is_empty() {
            continue;
        }
        let shape: MeshJson = parts::part(document, "meshes", number, &format!("nodes[{index}].mesh"))?;
        for (part, primitive) in shape.primitives.iter().enumerate() {
            let at = format!("meshes[{number}].primitives[{part}]");
            if (TRIANGLES..=FAN).contains(&primitive.mode) {
                reader.add(primitive, &bones, node.skin.is_some(), &at)?;
            }
        }
    }
    Ok(reader.mesh)
}

/// The parts of the scene that joints of the take carry.
struct Carriers {
    /// The joint of each node that has one.
    joint_of: HashMap<usize, usize>,
    /// Transforms the axes and the unit of each joint's node, with all scales above it, to the axes of the joint in metres.
    joint_from_node: Vec<DAffine3>,
}

impl Carriers {
    fn new(source: &GltfSource, nodes: &Nodes, skeleton: &Skeleton) -> Self {
        let (mut joint_of, mut node_scales) = (HashMap::new(), Vec::new());
        let mut joint_from_node = Vec::new();
        // A take from another file has no mesh in this one.
        let is_of_file = skeleton.num_joints() == source.joints.len()
            && source
                .joints
                .iter()
                .all(|joint| joint.node.is_none_or(|node| node < nodes.nodes.len()));
        for (index, joint) in source.joints.iter().enumerate().filter(|_| is_of_file) {
            let above = skeleton
                .parent(index)
                .map_or(source.above.node_scale, |parent| node_scales[parent]);
            let node_scale = match joint.node {
                Some(node) => {
                    joint_of.insert(node, index);
                    above.below(nodes.transforms[node].rotation, joint.scale)
                }
                None => above,
            };
            node_scales.push(node_scale);
            joint_from_node.push(DAffine3::from_mat3(source.space.unit_metres * node_scale.matrix()));
        }
        Self {
            joint_of,
            joint_from_node,
        }
    }

    /// Returns the joint at or above a node at rest, as a bone whose mesh lies in the node's axes.
    fn of_node(&self, node: usize, nodes: &Nodes) -> Option<Bone> {
        let mut joint_node_from_mesh = DAffine3::IDENTITY;
        for above in core::iter::once(node).chain(nodes.above(node)) {
            if let Some(&joint) = self.joint_of.get(&above) {
                let joint_from_mesh = self.joint_from_node[joint] * joint_node_from_mesh;
                return Some(Bone { joint, joint_from_mesh });
            }
            let local = nodes.transforms[above];
            joint_node_from_mesh =
                DAffine3::from_scale_rotation_translation(local.scale, local.rotation, local.translation)
                    * joint_node_from_mesh;
        }
        None
    }
}

struct Reader<'a> {
    source: &'a GltfSource,
    accessors: Accessors<'a>,
    carriers: Carriers,
    limits: &'a SizeLimits,
    mesh: Mesh,
    /// Index of each picture by its number in the file; `None` for pictures that are not read.
    images: HashMap<usize, Option<usize>>,
}

impl Reader<'_> {
    /// Returns the bones of a skin, in the order of its joints; none if it contains no joint of the take.
    fn bones_of_skin(&mut self, skin: usize, skins: &[Skin], nodes: &Nodes) -> Result<Vec<u16>, MeshError> {
        let Some(stated) = skins.get(skin) else {
            return Err(GltfError::no_such("nodes.skin", skin, skins.len()).into());
        };
        let at = format!("skins[{skin}].inverseBindMatrices");
        let inverse_binds = stated.inverse_bind_matrices;
        let inverse_binds = inverse_binds.map(|accessor| self.accessors.values(accessor, "MAT4", &at));
        let inverse_binds = inverse_binds.transpose()?;
        if let Some(inverse_binds) = &inverse_binds
            && inverse_binds.len() < 16 * stated.joints.len()
        {
            return Err(GltfError::Kind {
                at,
                expected: "a matrix for each joint",
                found: format!("{} for {}", inverse_binds.len() / 16, stated.joints.len()),
            }
            .into());
        }
        let mut carried = Vec::with_capacity(stated.joints.len());
        for (index, &node) in stated.joints.iter().enumerate() {
            GltfError::check_index(node, nodes.nodes.len(), || format!("skins[{skin}].joints"))?;
            let node_from_mesh = match &inverse_binds {
                Some(matrices) => {
                    let matrix = &matrices[16 * index..16 * index + 16];
                    check_size(matrix, &at, index)?;
                    DAffine3::from_mat4(DMat4::from_cols_slice(matrix))
                }
                None => DAffine3::IDENTITY,
            };
            let bone = self.carriers.of_node(node, nodes);
            carried.push(bone.map(|bone| Bone {
                joint_from_mesh: bone.joint_from_mesh * node_from_mesh,
                ..bone
            }));
        }
        // Joints of the skin outside the take follow the nearest joint that moves.
        let Some(first) = carried.iter().flatten().next().copied() else {
            return Ok(Vec::new());
        };
        carried
            .into_iter()
            .map(|bone| self.mesh.bone(bone.unwrap_or(first)))
            .collect()
    }

    /// Adds a part of a mesh with its bones.
    fn add(&mut self, primitive: &Primitive, bones: &[u16], is_skinned: bool, at: &str) -> Result<(), MeshError> {
        if let Some(extension) = primitive.extensions.keys().find(|name| name.ends_with("_compression")) {
            return Err(MeshError::Compressed {
                at: at.to_owned(),
                extension: excerpt(extension),
            });
        }
        let Some(&positions) = primitive.attributes.get("POSITION") else {
            return Ok(());
        };
        let positions = self
            .accessors
            .values(positions, "VEC3", &format!("{at}.attributes.POSITION"))?;
        let num_vertices = positions.len() / 3;
        let order = self.order(primitive, num_vertices, at)?;
        // A part without vertices counts, too: a small file may hold any number of them.
        self.mesh
            .check_room(num_vertices.max(1), order.len() / 3, self.limits)?;
        let (material, texture) = self.material(primitive.material);
        let list = |name: &str, shapes: &[&'static str]| self.list(primitive, name, shapes, num_vertices, at);
        let normals = list("NORMAL", &["VEC3"])?;
        let colours = list("COLOR_0", &["VEC3", "VEC4"])?;
        let places = match texture {
            Some((_, set)) => list(&format!("TEXCOORD_{set}"), &["VEC2"])?,
            None => None,
        };
        let mut sets = Vec::new();
        while let (true, Some(joints), Some(weights)) = (
            is_skinned,
            list(&format!("JOINTS_{}", sets.len()), &["VEC4"])?,
            list(&format!("WEIGHTS_{}", sets.len()), &["VEC4"])?,
        ) {
            sets.push((joints.values, weights.values));
        }
        let first = self.mesh.vertices.len();
        let mut weighted = Vec::new();
        for vertex in 0..num_vertices {
            let numbers = &positions[3 * vertex..3 * vertex + 3];
            check_size(numbers, at, vertex)?;
            weighted.clear();
            for (joints, weights) in &sets {
                for slot in 4 * vertex..4 * vertex + 4 {
                    let (joint, weight) = (joints[slot] as usize, weights[slot] as f32);
                    let bone = bones.get(joint).or((weight == 0.0).then_some(&bones[0]));
                    let bone =
                        bone.ok_or_else(|| GltfError::no_such(format!("{at}.attributes.JOINTS"), joint, bones.len()))?;
                    weighted.push((*bone, weight));
                }
            }
            let (bones, weights) = four_largest(&mut weighted, bones[0]);
            let colour = colours.as_ref().map_or([1.0; 3], |list| list.at(vertex));
            self.mesh.vertices.push(Vertex {
                position: [0, 1, 2].map(|axis| numbers[axis] as f32),
                normal: normals.as_ref().map_or([0.0; 3], |list| list.at(vertex)),
                texture_at: places.as_ref().map_or([0.0; 2], |list| list.at(vertex)),
                colour: [0, 1, 2].map(|channel| (material[channel] * colour[channel]).clamp(0.0, 1.0)),
                bones,
                weights,
            });
        }
        let mesh = &mut self.mesh;
        let first_index = mesh.indices.len();
        mesh.indices.extend(order.iter().map(|&vertex| (first + vertex) as u32));
        if normals.is_none() {
            mesh.add_normals(first, first_index);
        }
        let image = texture.filter(|_| places.is_some()).map(|(image, _)| image);
        mesh.add_part(first_index..mesh.indices.len(), image);
        Ok(())
    }

    /// Returns the vertices of the triangles of a part, three each.
    fn order(&self, primitive: &Primitive, num_vertices: usize, at: &str) -> Result<Vec<usize>, MeshError> {
        let at = format!("{at}.indices");
        let stated: Vec<usize> = match primitive.indices {
            Some(accessor) => {
                let numbers = self.accessors.values(accessor, "SCALAR", &at)?;
                numbers.iter().map(|&number| number as usize).collect()
            }
            None => (0..num_vertices).collect(),
        };
        if let Some(&found) = stated.iter().find(|&&vertex| vertex >= num_vertices) {
            return Err(GltfError::no_such(at, found, num_vertices).into());
        }
        Ok(match primitive.mode {
            // Every other triangle of a strip has the opposite winding.
            STRIP => stated
                .windows(3)
                .enumerate()
                .flat_map(|(index, w)| {
                    if index % 2 == 0 {
                        [w[0], w[1], w[2]]
                    } else {
                        [w[1], w[0], w[2]]
                    }
                })
                .collect(),
            FAN => stated
                .windows(2)
                .skip(1)
                .flat_map(|w| [stated[0], w[0], w[1]])
                .collect(),
            _ => stated[..stated.len() - stated.len() % 3].to_vec(),
        })
    }

    /// Reads an attribute of each vertex; `None` if the part has no attribute of that name. Errors: their number differs from
    /// that of the vertices.
    fn list(
        &self,
        primitive: &Primitive,
        name: &str,
        shapes: &[&'static str],
        num_vertices: usize,
        at: &str,
    ) -> Result<Option<List>, MeshError> {
        let Some(&accessor) = primitive.attributes.get(name) else {
            return Ok(None);
        };
        let at = format!("{at}.attributes.{name}");
        let (values, width) = self.accessors.values_in(accessor, shapes, &at)?;
        if width * num_vertices != values.len() {
            return Err(GltfError::Kind {
                at,
                expected: "as many values as positions",
                found: values.len().to_string(),
            }
            .into());
        }
        Ok(Some(List { values, width }))
    }

    /// Returns the colour of a material, and its texture with the number of its coordinates. Unreadable values give white.
    fn material(&mut self, material: Option<usize>) -> ([f32; 3], Option<(usize, usize)>) {
        let document = &self.source.document;
        let read = material.and_then(|index| parts::part::<Material>(document, "materials", index, "material").ok());
        let surface = read.unwrap_or_default().pbr_metallic_roughness;
        let [red, green, blue, _] = surface.base_color_factor.unwrap_or([1.0; 4]);
        let texture = surface.base_color_texture.and_then(|used| {
            let texture: Texture = parts::part(document, "textures", used.index, "texture").ok()?;
            let number = texture.source?;
            let known = match self.images.get(&number) {
                Some(known) => *known,
                None => {
                    let image = self.image(number);
                    let known = image.and_then(|image| self.mesh.image(image, self.limits));
                    self.images.insert(number, known);
                    known
                }
            };
            Some((known?, used.tex_coord))
        });
        (
            [red, green, blue].map(|channel| if channel.is_finite() { channel } else { 1.0 }),
            texture,
        )
    }

    /// Reads a picture; `None` if its kind is not supported.
    fn image(&self, number: usize) -> Option<MeshImage> {
        let image: Image = parts::part(&self.source.document, "images", number, "source").ok()?;
        match (image.buffer_view, image.uri) {
            (Some(view), _) => self
                .accessors
                .bytes(view, "images")
                .ok()
                .map(|bytes| MeshImage::Here(bytes.into())),
            (None, Some(uri)) if uri.starts_with("data:") => {
                container::picture(&uri).map(|(_, bytes)| MeshImage::Here(bytes.into()))
            }
            (None, Some(uri)) => Some(MeshImage::Beside(uri)),
            (None, None) => None,
        }
    }
}

/// Numbers per vertex.
struct List {
    values: Rc<[f64]>,
    width: usize,
}

impl List {
    /// Returns the first numbers of a vertex; zero if they are not finite.
    fn at<const N: usize>(&self, vertex: usize) -> [f32; N] {
        core::array::from_fn(|number| {
            let value = self.values.get(vertex * self.width + number).copied();
            let value = value.unwrap_or_default() as f32;
            let is_plausible = value.is_finite() && value.abs() < 1e6;
            if is_plausible { value } else { 0.0 }
        })
    }
}

fn check_size(numbers: &[f64], at: &str, vertex: usize) -> Result<(), MeshError> {
    if numbers.iter().all(|number| number.abs() <= MAX_VALUE) {
        Ok(())
    } else {
        Err(MeshError::OutOfRange {
            at: at.to_owned(),
            vertex,
        })
    }
}
