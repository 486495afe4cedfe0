//! Creates a glTF file for a take from elsewhere: its skeleton, and a simple body on the bones so that viewers show it.

use std::sync::Arc;

use glam::DVec3;
use loopwright_core::{
    Skeleton, Take,
    analysis::{Body, BodyOverrides, FoundBy},
};
use serde_json::{Value, json};

use super::{container::Document, source::GltfSource};

/// Radius of a bone as a share of its length, and its bounds in metres.
const RADIUS_SHARE: f64 = 0.12;
const RADIUS_METRES: [f64; 2] = [0.008, 0.06];

/// The generator of files whose mesh is capsules; files of characters keep their own.
pub(super) const GENERATOR: &str = "loopwright";

/// Most joints that get capsules: a skeleton with more is no body, and a capsule takes twenty kilobytes while it is written.
const MAX_SKINNED: usize = 2048;

impl GltfSource {
    /// Creates a form for a take from elsewhere: metres, +Y up, a node for each joint with its rest offset and no rotation, a
    /// skin of all of them, and a mesh of capsules, each bound to one joint.
    pub fn for_take(take: &Take, is_binary: bool) -> Self {
        let skeleton = take.skeleton();
        let document = document(skeleton, hips_of(take));
        Self::fresh(document, skeleton.num_joints(), is_binary)
    }
}

/// Returns the joint at which both legs and the upper body meet, if the take has a body. Joints above it get no bone.
fn hips_of(take: &Take) -> Option<usize> {
    let body = Body::find(take, &BodyOverrides::default()).ok()?;
    (body.found_by != FoundBy::AllLeaves).then_some(body.hips)
}

fn document(skeleton: &Skeleton, hips: Option<usize>) -> Document {
    let num_joints = skeleton.num_joints();
    let mut nodes: Vec<Value> = skeleton
        .joints()
        .iter()
        .enumerate()
        .map(|(index, joint)| node(&joint.name, joint.rest_offset, skeleton.children(index)))
        .collect();
    let mut json = json!({
        "asset": {"version": "2.0", "generator": GENERATOR},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
    });
    if num_joints > MAX_SKINNED {
        json["nodes"] = Value::Array(nodes);
        return Document {
            json,
            buffers: Vec::new(),
        };
    }
    let positions = rest_positions(skeleton);
    let mut buffer = Buffer::default();
    let unmoved: Vec<f32> = positions
        .iter()
        .flat_map(|position| {
            let [x, y, z] = (-*position).as_vec3().to_array();
            [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z, 1.0]
        })
        .collect();
    let unmoved = buffer.push(
        floats(&unmoved),
        None,
        json!({"componentType": 5126, "type": "MAT4", "count": num_joints}),
    );
    json["scenes"][0]["nodes"] = json!([0, num_joints]);
    nodes.push(json!({"name": "body", "mesh": 0, "skin": 0}));
    json["nodes"] = Value::Array(nodes);
    json["skins"] = json!([{
        "name": "skeleton",
        "inverseBindMatrices": unmoved,
        "skeleton": 0,
        "joints": (0..num_joints).collect::<Vec<_>>(),
    }]);
    json["materials"] = json!([{
        "name": "body",
        "pbrMetallicRoughness": {"baseColorFactor": [0.62, 0.66, 0.72, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8},
    }]);
    let body = Capsules::new(skeleton, &positions, hips);
    json["meshes"] = json!([{"name": "body", "primitives": [body.primitive(&mut buffer)]}]);
    json["accessors"] = Value::Array(buffer.accessors);
    json["bufferViews"] = Value::Array(buffer.views);
    json["buffers"] = json!([{"byteLength": buffer.bytes.len()}]);
    Document {
        json,
        buffers: vec![Some(Arc::new(buffer.bytes))],
    }
}

/// Returns a node that rests without a rotation.
pub(super) fn node(name: &str, offset: DVec3, children: &[usize]) -> Value {
    let mut node = json!({"name": name, "translation": offset.to_array()});
    if !children.is_empty() {
        node["children"] = json!(children);
    }
    node
}

/// Returns the world positions of joints without rotations.
fn rest_positions(skeleton: &Skeleton) -> Vec<DVec3> {
    let mut positions: Vec<DVec3> = Vec::with_capacity(skeleton.num_joints());
    for joint in skeleton.joints() {
        let above = joint.parent.map_or(DVec3::ZERO, |parent| positions[parent]);
        positions.push(above + joint.rest_offset);
    }
    positions
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Bytes with their views and accessors, one of each per push.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    /// Adds bytes and returns the number of their accessor; `target` states their use on graphics cards.
    fn push(&mut self, bytes: Vec<u8>, target: Option<u32>, mut accessor: Value) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view = json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()});
        if let Some(target) = target {
            view["target"] = target.into();
        }
        accessor["bufferView"] = self.views.len().into();
        self.bytes.extend(bytes);
        self.views.push(view);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}

/// Points, normals and triangles, and the joint of each point.
#[derive(Default)]
struct Capsules {
    positions: Vec<DVec3>,
    normals: Vec<DVec3>,
    joints: Vec<u16>,
    triangles: Vec<u32>,
}

/// Sine and cosine of an eighth of a turn.
const HALF: f64 = core::f64::consts::FRAC_1_SQRT_2;

/// Directions around a bone.
const AROUND: [[f64; 2]; 8] = [
    [1.0, 0.0],
    [HALF, HALF],
    [0.0, 1.0],
    [-HALF, HALF],
    [-1.0, 0.0],
    [-HALF, -HALF],
    [0.0, -1.0],
    [HALF, -HALF],
];

impl Capsules {
    /// Builds a capsule from each joint to each child or to its tip; a small ball if neither is known. Joints above the hips
    /// carry the root motion and get no bone.
    fn new(skeleton: &Skeleton, positions: &[DVec3], hips: Option<usize>) -> Self {
        let mut body = Self::default();
        let to_hips = hips.map_or_else(Vec::new, |hips| skeleton.path_from_root(hips));
        for (index, joint) in skeleton.joints().iter().enumerate() {
            let carries = Some(index) != hips && to_hips.contains(&index);
            let children = skeleton
                .children(index)
                .iter()
                .filter(|child| !to_hips.contains(child))
                .map(|&child| skeleton.joint(child).rest_offset);
            let ends: Vec<DVec3> = children.chain(joint.tip).filter(|end| end.length() > 1e-6).collect();
            if ends.is_empty() && !carries {
                body.capsule(index, positions[index], DVec3::ZERO);
            }
            for end in ends {
                body.capsule(index, positions[index], end);
            }
        }
        body
    }

    fn capsule(&mut self, joint: usize, from: DVec3, bone: DVec3) {
        let length = bone.length();
        let radius = (RADIUS_SHARE * length).clamp(RADIUS_METRES[0], RADIUS_METRES[1]);
        let along = bone.try_normalize().unwrap_or(DVec3::Y);
        let (side, front) = along.any_orthonormal_pair();
        let first = u32::try_from(self.positions.len()).unwrap_or(u32::MAX);
        // Rings from pole to pole: the end that they surround, and the direction of their normals along and outwards.
        let rings = [(0.0, -HALF, HALF), (0.0, 0.0, 1.0), (1.0, 0.0, 1.0), (1.0, HALF, HALF)];
        let mut point = |end: f64, normal: DVec3| {
            self.positions.push(from + bone * end + normal * radius);
            self.normals.push(normal);
            self.joints.push(joint as u16);
        };
        point(0.0, -along);
        for (end, lean, out) in rings {
            for [x, y] in AROUND {
                point(end, along * lean + (side * x + front * y) * out);
            }
        }
        point(1.0, along);
        let sides = AROUND.len() as u32;
        let ring = |ring: u32, step: u32| first + 1 + ring * sides + step % sides;
        let last = first + 1 + rings.len() as u32 * sides;
        for step in 0..sides {
            self.triangles.extend([first, ring(0, step + 1), ring(0, step)]);
            for between in 0..rings.len() as u32 - 1 {
                let [p, q] = [ring(between, step), ring(between, step + 1)];
                let [r, s] = [ring(between + 1, step), ring(between + 1, step + 1)];
                self.triangles.extend([p, q, s, p, s, r]);
            }
            self.triangles.extend([ring(3, step), ring(3, step + 1), last]);
        }
    }

    fn primitive(&self, buffer: &mut Buffer) -> Value {
        const VERTICES: Option<u32> = Some(34962);
        const INDICES: Option<u32> = Some(34963);
        let count = self.positions.len();
        let vectors = |vectors: &[DVec3]| -> Vec<f32> { vectors.iter().flat_map(|v| v.as_vec3().to_array()).collect() };
        let positions = vectors(&self.positions);
        let [min, max] = [f32::min as fn(f32, f32) -> f32, f32::max].map(|pick| {
            [0, 1, 2].map(|axis| {
                let bound = positions[axis..].iter().step_by(3).copied().reduce(pick);
                f64::from(bound.unwrap_or(0.0))
            })
        });
        let position = buffer.push(
            floats(&positions),
            VERTICES,
            json!({"componentType": 5126, "type": "VEC3", "count": count, "min": min, "max": max}),
        );
        let normal = buffer.push(
            floats(&vectors(&self.normals)),
            VERTICES,
            json!({"componentType": 5126, "type": "VEC3", "count": count}),
        );
        let joints = self.joints.iter().flat_map(|joint| {
            let [low, high] = joint.to_le_bytes();
            [low, high, 0, 0, 0, 0, 0, 0]
        });
        let joints = buffer.push(
            joints.collect(),
            VERTICES,
            json!({"componentType": 5123, "type": "VEC4", "count": count}),
        );
        let weights = buffer.push(
            [255, 0, 0, 0].repeat(count),
            VERTICES,
            json!({"componentType": 5121, "normalized": true, "type": "VEC4", "count": count}),
        );
        let indices = buffer.push(
            self.triangles.iter().flat_map(|index| index.to_le_bytes()).collect(),
            INDICES,
            json!({"componentType": 5125, "type": "SCALAR", "count": self.triangles.len()}),
        );
        json!({
            "attributes": {"POSITION": position, "NORMAL": normal, "JOINTS_0": joints, "WEIGHTS_0": weights},
            "indices": indices,
            "material": 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use loopwright_core::Joint;

    use super::*;

    /// A root joint on the floor once produced a capsule a metre long beside the body.
    #[test]
    fn no_bone_leads_from_joints_above_the_hips_to_them() {
        let joints = [
            ("root", None, DVec3::ZERO),
            ("hips", Some(0), DVec3::Y),
            ("spine", Some(1), DVec3::Y),
            ("prop", Some(0), DVec3::X),
        ];
        let joints = joints.map(|(name, parent, offset)| Joint::new(name, parent, offset));
        let skeleton = Skeleton::new(joints.to_vec()).unwrap();
        let positions = rest_positions(&skeleton);
        let bound_to = |hips: Option<usize>, joint: u16| {
            let capsules = Capsules::new(&skeleton, &positions, hips);
            let bound = capsules.joints.iter().filter(|&&bound| bound == joint);
            bound.count()
        };
        let one = bound_to(Some(1), 1);
        assert_eq!([0, 1, 2, 3].map(|joint| bound_to(Some(1), joint)), [one; 4]);
        assert_eq!([0, 1].map(|joint| bound_to(None, joint)), [2 * one, one]);
        let alone = Skeleton::new(skeleton.joints()[..3].to_vec()).unwrap();
        assert!(
            Capsules::new(&alone, &positions, Some(1))
                .joints
                .iter()
                .all(|&joint| joint != 0)
        );
    }
}
