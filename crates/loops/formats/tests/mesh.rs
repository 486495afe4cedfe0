//! Meshes follow the joints of takes as the formats define it: against products of matrices computed here, from the JSON itself.

use glam::{DMat4, DQuat, DVec3};
use loopwright_core::Pose;
use loopwright_formats::{
    Format, LoadedTake, ReadSettings, SizeLimits, SpaceSettings, UnitChoice, UpChoice, load,
    mesh::{Mesh, MeshError, MeshImage},
    read_take,
};
use serde_json::{Value, json};

use crate::support::{
    carried,
    gltf_file::{GltfFile, numbers, parsed},
    walk, written,
};

fn mesh_of(bytes: &[u8], loaded: &LoadedTake) -> Result<Option<Mesh>, MeshError> {
    loaded
        .source
        .read_mesh(bytes, loaded.take.skeleton(), &SizeLimits::default())
}

/// Returns a file as a take, with its mesh.
fn loaded(bytes: &[u8]) -> (LoadedTake, Mesh) {
    let loaded = load(bytes, "take").unwrap();
    let mesh = mesh_of(bytes, &loaded).unwrap().unwrap();
    (loaded, mesh)
}

/// Returns the places to which the bones carry the vertices.
fn skinned(mesh: &Mesh, world: &Pose) -> Vec<DVec3> {
    let bones = mesh.bones_at(world);
    mesh.vertices.iter().map(|vertex| carried(vertex, &bones)).collect()
}

/// Returns the world matrices of all nodes of a file, each node's own transform given.
fn globals(json: &Value, local: impl Fn(usize, &Value) -> DMat4) -> Vec<DMat4> {
    let nodes = json["nodes"].as_array().unwrap();
    let mut parents = vec![None; nodes.len()];
    for (parent, node) in nodes.iter().enumerate() {
        for child in node["children"].as_array().into_iter().flatten() {
            parents[child.as_u64().unwrap() as usize] = Some(parent);
        }
    }
    let global = |node: usize| {
        let mut matrix = DMat4::IDENTITY;
        let mut next = Some(node);
        while let Some(node) = next {
            matrix = local(node, &nodes[node]) * matrix;
            next = parents[node];
        }
        matrix
    };
    (0..nodes.len()).map(global).collect()
}

fn rest(node: &Value) -> DMat4 {
    let numbers = |name: &str| {
        let list = node[name].as_array()?.iter();
        Some(list.map(|number| number.as_f64().unwrap()).collect::<Vec<f64>>())
    };
    match numbers("matrix") {
        Some(matrix) => DMat4::from_cols_slice(&matrix),
        None => DMat4::from_scale_rotation_translation(
            numbers("scale").map_or(DVec3::ONE, |v| DVec3::from_slice(&v)),
            numbers("rotation").map_or(DQuat::IDENTITY, |v| DQuat::from_slice(&v)),
            numbers("translation").map_or(DVec3::ZERO, |v| DVec3::from_slice(&v)),
        ),
    }
}

/// From each of the two joints to the mesh.
fn binds() -> [DMat4; 2] {
    let (scale, turn) = (DVec3::splat(0.5), DQuat::from_rotation_x(0.3));
    [
        DMat4::from_scale_rotation_translation(scale, turn, DVec3::new(0.1, -0.2, 0.3)),
        DMat4::from_translation(DVec3::new(0.0, -0.7, 0.2)),
    ]
}

/// Two joints below a scaled and turned node; a triangle hangs on both, and a rigid one on a node below the second.
fn two_joints() -> GltfFile {
    let mut file = GltfFile::of(
        r#"[
        {"name": "top", "children": [1], "scale": [2.0, 2.0, 2.0], "rotation": [0.0, 0.6, 0.0, 0.8], "translation": [0.5, 0.0, 1.0]},
        {"name": "hips", "children": [2], "translation": [0.0, 1.0, 0.0]},
        {"name": "spine", "children": [3], "translation": [0.0, 0.4, 0.1], "scale": [0.5, 0.5, 0.5]},
        {"name": "hat", "mesh": 1, "translation": [0.0, 0.3, 0.0], "scale": [1.0, 2.0, 3.0]},
        {"name": "body", "mesh": 0, "skin": 0, "translation": [9.0, 9.0, 9.0]}
    ]"#,
    );
    let binds: Vec<f32> = binds().iter().flat_map(|bind| bind.as_mat4().to_cols_array()).collect();
    let binds = file.floats("MAT4", &binds);
    file.json["skins"] = json!([{"joints": [1, 2], "inverseBindMatrices": binds}]);
    let positions = file.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.5]);
    let weights = file.floats("VEC4", &[1.0, 0.0, 0.0, 0.0, 0.25, 0.75, 0.0, 0.0, 0.5, 1.5, 0.0, 0.0]);
    let view = file.view(&[0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0]);
    let joints = file.accessor(json!({"bufferView": view, "componentType": 5121, "type": "VEC4", "count": 3}));
    let hat = file.floats("VEC3", &[0.1, 0.2, 0.3, 0.0, 0.0, 1.0, 0.3, 0.0, 0.0]);
    file.json["materials"] = parsed(r#"[{"pbrMetallicRoughness": {"baseColorFactor": [0.25, 0.5, 1.0, 1.0]}}]"#);
    file.json["meshes"] = json!([
        {"primitives": [{"attributes": {"POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights}, "material": 0}]},
        {"primitives": [{"attributes": {"POSITION": hat}}]},
    ]);
    let times = file.floats("SCALAR", &[0.0, 0.5]);
    let turns = file.floats("VEC4", &[0.0, 0.0, 0.0, 1.0, 0.6, 0.0, 0.0, 0.8]);
    let moves = file.floats("VEC3", &[0.0, 1.0, 0.0, 0.3, 1.1, -0.2]);
    let bends = file.floats("VEC4", &[0.0, 0.0, 0.6, 0.8, 0.0, 0.8, 0.0, 0.6]);
    file.animate(
        "wave",
        &[
            (1, "translation", "LINEAR", times, moves),
            (1, "rotation", "LINEAR", times, turns),
            (2, "rotation", "LINEAR", times, bends),
        ],
    );
    file
}

#[test]
fn textures_are_in_the_file_or_named_by_it() {
    let mut file = two_joints();
    let places = file.floats("VEC2", &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    let material = |texture: usize| json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": texture}}});
    file.json["materials"] = json!([material(0), material(1), material(2)]);
    file.json["textures"] = parsed(r#"[{"source": 0}, {"source": 1}, {"source": 2}]"#);
    let primitive = file.json["meshes"][0]["primitives"][0].clone();
    let primitives = (0..3).map(|material| {
        let mut primitive = primitive.clone();
        primitive["attributes"]["TEXCOORD_0"] = places.into();
        primitive["material"] = material.into();
        primitive
    });
    let view = file.view(&[1, 2, 3]);
    file.json["meshes"][0]["primitives"] = primitives.collect();
    file.json["images"] = json!([
        {"bufferView": view, "mimeType": "image/png"},
        {"uri": "data:image/png;base64,BAUG"},
        {"uri": "skins/of%20hero.png"},
    ]);
    let bytes = file.glb();
    let mesh = mesh_of(&bytes, &load(&bytes, "wave").unwrap()).unwrap().unwrap();
    let here = |bytes: &[u8]| MeshImage::Here(bytes.into());
    let wanted = [
        here(&[1, 2, 3]),
        here(&[4, 5, 6]),
        MeshImage::Beside("skins/of%20hero.png".to_owned()),
    ];
    assert_eq!(mesh.images, wanted);
    let of_parts: Vec<_> = mesh.parts.iter().map(|part| part.image).collect();
    assert_eq!(of_parts, [None, Some(0), Some(1), Some(2)], "the hat has none");
}

#[test]
fn vertices_follow_scaled_joints_as_the_format_says() {
    let file = two_joints();
    let bytes = file.glb();
    let settings = ReadSettings::in_space(SpaceSettings::new(UpChoice::Auto, UnitChoice::Metres(1.0)));
    let loaded = read_take(&bytes, "wave", &settings, &mut Vec::new()).unwrap();
    let mesh = mesh_of(&bytes, &loaded).unwrap().unwrap();
    assert_eq!((mesh.vertices.len(), mesh.indices.len()), (6, 6));
    // Nodes come in the order of the file: the hat first.
    assert_eq!(mesh.vertices[0].colour, [1.0; 3]);
    assert_eq!(mesh.vertices[3].colour, [0.25, 0.5, 1.0]);
    // Weights that do not sum to one are shares.
    assert_eq!(mesh.vertices[5].weights, [0.75, 0.25, 0.0, 0.0]);
    let last = loaded.take.num_frames() - 1;
    let quarter = |x: f64, y: f64, z: f64, w: f64| DQuat::from_xyzw(x, y, z, w);
    let (file, bin) = (&file.json, &file.bytes[..]);
    for (frame, place, turn, bend) in [
        (0, [0.0, 1.0, 0.0], DQuat::IDENTITY, quarter(0.0, 0.0, 0.6, 0.8)),
        (
            last,
            [0.3, 1.1, -0.2],
            quarter(0.6, 0.0, 0.0, 0.8),
            quarter(0.0, 0.8, 0.0, 0.6),
        ),
    ] {
        let expected = expected_vertices(file, bin, |index, node| match index {
            1 => DMat4::from_rotation_translation(turn, place.into()),
            2 => DMat4::from_scale_rotation_translation(DVec3::splat(0.5), bend, DVec3::new(0.0, 0.4, 0.1)),
            _ => rest(node),
        });
        let pose = loaded.take.pose(frame).world(loaded.take.skeleton());
        let found = skinned(&mesh, &pose);
        assert_eq!(found.len(), expected.len());
        for (vertex, (found, expected)) in found.into_iter().zip(expected).enumerate() {
            let off = (found - expected).length();
            assert!(off < 1e-6, "frame {frame}, vertex {vertex}: {found} {expected}");
        }
    }
}

#[test]
fn faults_are_named() {
    let read = |file: GltfFile| {
        let bytes = file.glb();
        mesh_of(&bytes, &load(&bytes, "wave").unwrap()).map(|_| ())
    };
    assert_eq!(read(two_joints()), Ok(()));
    let mut file = two_joints();
    let view = file.view(&[0, 1, 3]);
    let indices = json!({"bufferView": view, "componentType": 5121, "type": "SCALAR", "count": 3});
    let indices = file.accessor(indices).to_string();
    let uneven = file.floats("VEC3", &[0.0; 6]).to_string();
    let far = file
        .floats("VEC3", &[0.0, 0.0, f32::NAN, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0])
        .to_string();
    #[rustfmt::skip]
    let faults = [
        ("/nodes/4/skin", "7", "nodes.skin names number 7 of 1"),
        ("/meshes/0/primitives/0/indices", &indices, "meshes[0].primitives[0].indices names number 3 of 3"),
        ("/skins/0/joints", "[1]", "meshes[0].primitives[0].attributes.JOINTS names number 1 of 1"),
        ("/meshes/0/primitives/0/extensions", r#"{"KHR_draco_mesh_compression": {}}"#,
            "meshes[0].primitives[0] is compressed (KHR_draco_mesh_compression)"),
        ("/meshes/0/primitives/0/attributes/NORMAL", &uneven, "expected as many values as positions"),
        ("/meshes/1/primitives/0/attributes/POSITION", &far,
            "meshes[1].primitives[0]: vertex 0 is not finite or out of any plausible range"),
    ];
    for (path, value, expected) in faults {
        let fault = read(file.clone().edit(path, value)).unwrap_err().to_string();
        assert!(fault.contains(expected), "{fault}\n  expected: {expected}");
    }
    // Many nodes that show one mesh, whose numbers stand nowhere, are many vertices for few bytes.
    let zeros = file.accessor(json!({"componentType": 5126, "type": "VEC3", "count": 300_000}));
    let nodes = file.json["nodes"].as_array_mut().unwrap();
    let first = nodes.len();
    nodes.extend((0..14).map(|_| json!({"mesh": 1})));
    nodes[2]["children"] = (3..4).chain(first..first + 14).collect::<Vec<usize>>().into();
    let many = read(file.edit("/meshes/1/primitives/0/attributes/POSITION", &zeros.to_string()));
    assert_eq!(many, Err(MeshError::TooLarge { limit: 4_000_000 }));
}

/// Returns all vertices of a file, by products of matrices: weights that do not sum to one are shares.
fn expected_vertices(json: &Value, bin: &[u8], local: impl Fn(usize, &Value) -> DMat4) -> Vec<DVec3> {
    let world = globals(json, local);
    let accessor = |number: &Value| Some(numbers(json, bin, &json["accessors"][number.as_u64()? as usize]));
    let mut expected = Vec::new();
    for (index, node) in json["nodes"].as_array().unwrap().iter().enumerate() {
        let Some(number) = node["mesh"].as_u64() else { continue };
        let skin = node["skin"].as_u64().map(|skin| &json["skins"][skin as usize]);
        let bones: Option<Vec<DMat4>> = skin.map(|skin| {
            let binds = accessor(&skin["inverseBindMatrices"]).unwrap();
            skin["joints"]
                .as_array()
                .unwrap()
                .iter()
                .zip(binds.chunks_exact(16))
                .map(|(joint, bind)| world[joint.as_u64().unwrap() as usize] * DMat4::from_cols_slice(bind))
                .collect()
        });
        for primitive in json["meshes"][number as usize]["primitives"].as_array().unwrap() {
            let list = |name: &str| accessor(&primitive["attributes"][name]);
            let positions = list("POSITION").unwrap();
            let (joints, weights) = (list("JOINTS_0"), list("WEIGHTS_0"));
            for (vertex, position) in positions.chunks_exact(3).enumerate() {
                let position = DVec3::from_slice(position);
                expected.push(match (&bones, &joints, &weights) {
                    (Some(bones), Some(joints), Some(weights)) => {
                        let slots = 4 * vertex..4 * vertex + 4;
                        let sum: f64 = weights[slots.clone()].iter().sum();
                        let of_bone = |slot: usize| bones[joints[slot] as usize].transform_point3(position);
                        slots.map(|slot| weights[slot] / sum * of_bone(slot)).sum()
                    }
                    _ => world[index].transform_point3(position),
                });
            }
        }
    }
    expected
}

/// The capsules of a fresh file are no character, and the same triangles of another program are one.
#[test]
fn a_mesh_that_stands_in_for_a_character_says_so() {
    assert!(loaded(&written(&walk(), Format::Glb)).1.is_stand_in);
    assert!(!loaded(&two_joints().glb()).1.is_stand_in);
}

/// All vertices at once, in single precision and from an origin far away, are where each is by itself.
#[test]
fn posed_vertices_are_where_their_bones_carry_them() {
    let (loaded, mesh) = loaded(&written(&walk(), Format::Glb));
    let far = DVec3::new(12_000.0, 0.0, -9_000.0);
    let mut world = loaded.take.pose(7).world(loaded.take.skeleton());
    for position in &mut world.translations {
        *position += far;
    }
    let posed = mesh.posed(&mesh.bones_at(&world), far);
    for ([position, normal], expected) in posed.into_iter().zip(skinned(&mesh, &world)) {
        let found = far + DVec3::from_array(position.map(f64::from));
        assert!(found.distance(expected) < 1e-5, "{found} instead of {expected}");
        assert!((DVec3::from_array(normal.map(f64::from)).length() - 1.0).abs() < 1e-4);
    }
}

/// A mesh that is read with a root joint above the others follows the joints without it as before.
#[test]
fn a_root_joint_is_folded_out_of_the_bones() {
    let (loaded, mesh) = loaded(&written(&walk().below_root_joint("root"), Format::Glb));
    let folded_take = loaded.take.without_root_joint().unwrap();
    let folded = mesh.clone().without_root_joint(loaded.take.pose(0).joint(1));
    let [with, without] = [&loaded.take, &folded_take].map(|take| take.pose(9).world(take.skeleton()));
    let carried_by_root = |number: usize| mesh.bones[usize::from(mesh.vertices[number].bones[0])].joint == 0;
    let both = skinned(&mesh, &with).into_iter().zip(skinned(&folded, &without));
    for (number, (with, without)) in both.enumerate() {
        assert!(
            carried_by_root(number) || with.distance(without) < 1e-6,
            "vertex {number}"
        );
    }
}
