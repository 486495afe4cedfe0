//! Writes a walk to measure the studio with: `cargo run --example character -- FILE [SECONDS] [HERTZ]`.
//!
//! A file `.gltf` gets a skinned character of 75 joints and 50,000 triangles, a file `.bvh` the walk alone. The walk is synthetic; joints
//! are added to that of the walker until there are as many as in a body with hands and face, and a tube hangs around every bone,
//! each vertex on two joints.

use std::error::Error;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use glam::{DVec3, Vec3};
use loopwright::{Pose, Take};
use loopwright_formats::{Format, Source, write_take};
use loopwright_synth::{WalkSettings, synthesize};
use serde_json::{Value, json};

const JOINTS: usize = 75;
const TRIANGLES: usize = 50_000;

/// Corners around a tube.
const AROUND: usize = 20;

/// Radius of a tube, metres.
const RADIUS: f32 = 0.045;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("the name of the file to write is missing")?;
    let mut number = |default: f64| arguments.next().map_or(Ok(default), |text| text.parse());
    let settings = WalkSettings {
        seconds: number(10.0)?,
        frame_rate_hz: number(60.0)?,
        ..WalkSettings::default()
    };
    let take = synthesize(&settings)?.take;
    let bytes = match path.ends_with(".bvh") {
        true => write_take(&take, &Source::for_take(&take, Format::Bvh))?.bytes,
        false => character(&take).into_bytes(),
    };
    std::fs::write(path, bytes)?;
    Ok(())
}

/// Joints with their parents, in the order of the walker's and then of those added.
fn parents(take: &Take) -> Vec<Option<usize>> {
    let mut parents: Vec<Option<usize>> = take.skeleton().joints().iter().map(|joint| joint.parent).collect();
    let own = parents.len();
    for added in own..JOINTS {
        parents.push(Some((added * 7) % own));
    }
    parents
}

/// Where an added joint lies in its parent.
fn offset(joint: usize) -> DVec3 {
    let turn = joint as f64;
    0.05 * DVec3::new(turn.sin(), turn.cos(), (0.5 * turn).sin())
}

fn character(take: &Take) -> String {
    let parents = parents(take);
    let own = take.num_joints();
    let rest: Vec<DVec3> = (0..JOINTS)
        .map(|joint| match joint < own {
            true => take.skeleton().joint(joint).rest_offset,
            false => offset(joint),
        })
        .collect();
    let mut places: Vec<DVec3> = Vec::new();
    for joint in 0..JOINTS {
        let above = parents[joint].map_or(DVec3::ZERO, |parent| places[parent]);
        places.push(above + rest[joint]);
    }
    let mut buffer = Buffer::default();
    let mesh = skin(&parents, &places, &mut buffer);
    let times: Vec<f32> = (0..take.num_frames())
        .map(|frame| (frame as f64 * take.frame_time_secs()) as f32)
        .collect();
    let times = buffer.floats("SCALAR", &times);
    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    let poses: Vec<Pose> = (0..take.num_frames()).map(|frame| take.pose(frame).to_pose()).collect();
    for joint in 0..own {
        let turns: Vec<f32> = poses
            .iter()
            .flat_map(|pose| pose.rotations[joint].as_quat().to_array())
            .collect();
        let output = buffer.floats("VEC4", &turns);
        channels.push(json!({"sampler": samplers.len(), "target": {"node": joint, "path": "rotation"}}));
        samplers.push(json!({"input": times, "output": output}));
    }
    let moves: Vec<f32> = poses
        .iter()
        .flat_map(|pose| pose.translations[0].as_vec3().to_array())
        .collect();
    let output = buffer.floats("VEC3", &moves);
    channels.push(json!({"sampler": samplers.len(), "target": {"node": 0, "path": "translation"}}));
    samplers.push(json!({"input": times, "output": output}));
    let mut nodes: Vec<Value> = (0..JOINTS)
        .map(|joint| {
            let name = match joint < own {
                true => take.skeleton().joint(joint).name.clone(),
                false => format!("added{joint}"),
            };
            let children: Vec<usize> = (0..JOINTS).filter(|&child| parents[child] == Some(joint)).collect();
            let mut node = json!({"name": name, "translation": rest[joint].to_array()});
            if !children.is_empty() {
                node["children"] = children.into();
            }
            node
        })
        .collect();
    nodes.push(json!({"name": "body", "mesh": 0, "skin": 0}));
    let binds: Vec<f32> = places
        .iter()
        .flat_map(|place| glam::Mat4::from_translation(-place.as_vec3()).to_cols_array())
        .collect();
    let binds = buffer.floats("MAT4", &binds);
    json!({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, JOINTS]}],
        "nodes": nodes,
        "meshes": [mesh],
        "skins": [{"joints": (0..JOINTS).collect::<Vec<_>>(), "inverseBindMatrices": binds}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [0.35, 0.5, 0.6, 1.0]}}],
        "animations": [{"name": "walk", "channels": channels, "samplers": samplers}],
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{
            "byteLength": buffer.bytes.len(),
            "uri": format!("data:application/octet-stream;base64,{}", STANDARD.encode(&buffer.bytes)),
        }],
    })
    .to_string()
}

/// Tubes around all bones, with as many triangles together as are asked for.
fn skin(parents: &[Option<usize>], places: &[DVec3], buffer: &mut Buffer) -> Value {
    let bones: Vec<[usize; 2]> = (0..JOINTS).filter_map(|joint| Some([parents[joint]?, joint])).collect();
    let rows = TRIANGLES.div_ceil(bones.len() * 2 * AROUND);
    let (mut positions, mut normals, mut joints, mut weights) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut indices: Vec<u32> = Vec::new();
    for [start, end] in bones {
        let first = (positions.len() / 3) as u32;
        let (from, to) = (places[start].as_vec3(), places[end].as_vec3());
        let (side, other) = (to - from).normalize_or(Vec3::Y).any_orthonormal_pair();
        for row in 0..=rows {
            let share = row as f32 / rows as f32;
            for corner in 0..AROUND {
                let (sin, cos) = (std::f32::consts::TAU * corner as f32 / AROUND as f32).sin_cos();
                let normal = cos * side + sin * other;
                positions.extend((from.lerp(to, share) + RADIUS * normal).to_array());
                normals.extend(normal.to_array());
                joints.extend([start as u8, end as u8, 0, 0]);
                weights.extend([1.0 - share, share, 0.0, 0.0]);
            }
        }
        for row in 0..rows as u32 {
            for corner in 0..AROUND as u32 {
                let at = |row: u32, corner: u32| first + row * AROUND as u32 + corner % AROUND as u32;
                let [a, b, c, d] = [
                    at(row, corner),
                    at(row, corner + 1),
                    at(row + 1, corner),
                    at(row + 1, corner + 1),
                ];
                indices.extend([a, b, c, b, d, c]);
            }
        }
    }
    let indices: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
    let (positions, normals) = (buffer.floats("VEC3", &positions), buffer.floats("VEC3", &normals));
    let (joints, weights) = (buffer.add("VEC4", 5121, &joints, 4), buffer.floats("VEC4", &weights));
    let indices = buffer.add("SCALAR", 5125, &indices, 4);
    json!({"primitives": [{
        "attributes": {"POSITION": positions, "NORMAL": normals, "JOINTS_0": joints, "WEIGHTS_0": weights},
        "indices": indices,
        "material": 0,
    }]})
}

/// A buffer with its views and accessors.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    fn floats(&mut self, shape: &str, numbers: &[f32]) -> usize {
        let width = match shape {
            "MAT4" => 16,
            "VEC4" => 4,
            "VEC3" => 3,
            _ => 1,
        };
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.add(shape, 5126, &bytes, 4 * width)
    }

    /// The number of an accessor of elements of so many bytes.
    fn add(&mut self, shape: &str, component: u32, bytes: &[u8], element: usize) -> usize {
        self.views
            .push(json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()}));
        self.bytes.extend(bytes);
        self.accessors.push(json!({
            "bufferView": self.views.len() - 1, "componentType": component, "type": shape, "count": bytes.len() / element,
        }));
        self.accessors.len() - 1
    }
}
