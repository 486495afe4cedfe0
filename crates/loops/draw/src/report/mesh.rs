//! A mesh as the page's script draws it: thinned, its numbers in few bytes, and once for all loops of a character.

use base64::{Engine, engine::general_purpose::STANDARD};
use glam::{DAffine3, DVec3, Vec3};
use loopwright_formats::mesh::Mesh;
use sha2::{Digest, Sha256};

use crate::{
    mesh::{thinned, to_screen},
    plot::short,
};

/// Most bytes of a mesh, which become a third more as text: 300 KB with the rest. Positions of vertices always have 16 bits.
const MAX_BYTES: usize = 220_000;

/// Bytes of a vertex, a triangle and a bone.
const BYTES_EACH: [usize; 3] = [24, 6, 48];

/// A mesh on a page.
#[value]
pub(crate) struct PageMesh {
    /// Its name on the page: equal meshes share it.
    pub(super) key: String,
    /// A JSON object: `q` metres of a unit, `o` the origin of the units, and in base64, numbers little-endian, `p` positions (16 bit) and
    /// `n` normals (8), `c` colours (8), `b` four bones (16) and `w` their weights (8) of vertices, `t` triangles (16).
    pub(super) json: String,
    /// Matrices of the bones in base64, 32-bit, three numbers a column. They are separate from the mesh, since writing a loop rounds them.
    pub(super) matrices: String,
    /// The joint of each bone.
    pub(super) joints: Vec<usize>,
}

impl PageMesh {
    /// `None` if it cannot be made small enough.
    pub(crate) fn new(mesh: &Mesh) -> Option<Self> {
        let mut bones: Vec<u16> = mesh
            .vertices
            .iter()
            .flat_map(|vertex| vertex.bones.into_iter().zip(vertex.weights))
            .filter_map(|(bone, weight)| (weight > 0.0).then_some(bone))
            .collect();
        bones.sort_unstable();
        bones.dedup();
        let mesh = thinned(mesh, |vertices, triangles| {
            let bytes = [vertices, triangles, bones.len()].into_iter().zip(BYTES_EACH);
            bytes.map(|(count, bytes)| count * bytes).sum::<usize>() <= MAX_BYTES
        })?;
        let (low, high) = mesh
            .vertices
            .iter()
            .map(|vertex| Vec3::from_array(vertex.position))
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), position| {
                (low.min(position), high.max(position))
            });
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        let unit = (half.max_element() / f32::from(i16::MAX)).max(f32::MIN_POSITIVE);
        let bytes = |channel: f32| (255.0 * channel).round() as u8;
        let mut parts: [Vec<u8>; 6] = Default::default();
        let [points, normals, colours, carriers, weights, triangles] = &mut parts;
        for vertex in &mesh.vertices {
            points.extend(shorts(((Vec3::from_array(vertex.position) - middle) / unit).as_dvec3()).as_flattened());
            normals.extend(vertex.normal.map(|value| (127.0 * value).round() as i8 as u8));
            colours.extend(vertex.colour.map(|channel| bytes(to_screen(channel))));
            for (bone, weight) in vertex.bones.into_iter().zip(vertex.weights) {
                carriers.extend((bones.binary_search(&bone).unwrap_or_default() as u16).to_le_bytes());
                weights.push(bytes(weight));
            }
        }
        for &index in &mesh.indices {
            triangles.extend((index as u16).to_le_bytes());
        }
        let bones: Vec<_> = bones.iter().map(|&bone| mesh.bones[usize::from(bone)]).collect();
        let mut matrices = Vec::new();
        for bone in &bones {
            let DAffine3 { matrix3, translation } = bone.joint_from_mesh;
            for column in [matrix3.x_axis, matrix3.y_axis, matrix3.z_axis, translation] {
                matrices.extend(column.as_vec3().to_array().map(f32::to_le_bytes).as_flattened());
            }
        }
        let mut json = format!("{{\"q\":{unit:e},\"o\":{}", list(&middle.to_array().map(f64::from), 9));
        for (name, part) in "pncbwt".chars().zip(&parts) {
            json += &format!(",\"{name}\":\"{}\"", STANDARD.encode(part));
        }
        json.push('}');
        let hash = Sha256::digest(json.as_bytes());
        Some(Self {
            key: hash[..6].iter().map(|byte| format!("{byte:02x}")).collect(),
            json,
            matrices: STANDARD.encode(matrices),
            joints: bones.iter().map(|bone| bone.joint).collect(),
        })
    }
}

/// Returns the whole numbers nearest to those of a vector, 16-bit, little-endian.
pub(super) fn shorts(vector: DVec3) -> [[u8; 2]; 3] {
    vector.to_array().map(|value| (value.round() as i16).to_le_bytes())
}

/// Formats numbers in brackets; NaN becomes 0.
pub(super) fn list(values: &[f64], decimals: usize) -> String {
    let values: Vec<_> = values.iter().map(|&value| short(value, decimals)).collect();
    format!("[{}]", values.join(","))
}
