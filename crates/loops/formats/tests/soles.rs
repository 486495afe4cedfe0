//! Soles are where the mesh of a character has them: against corners of boxes known beforehand, and against all vertices of captured
//! characters.

use glam::{DAffine3, DMat4, DQuat, DVec3};
use loopwright_core::{
    BodyOverrides, Pose,
    retarget::{FootSole, Rig},
};
use loopwright_formats::{
    AnimatedFile, Format, LoadedTake, ReadSettings, SizeLimits, SpaceSettings, UnitChoice, UpChoice, load, mesh::Mesh,
    read_take, soles::read_soles,
};
use loopwright_mocap::folder_or_skip;
use serde_json::json;

use crate::support::{carried, gltf_file::GltfFile, walk, written};

/// A node of [`Legs`]: name, parent, translation, rotation.
type Row = (&'static str, Option<usize>, [f64; 3], DQuat);

/// A body of legs and a head below a scaled and turned armature.
struct Legs {
    file: GltfFile,
    /// From each node into the world, with scales.
    worlds: Vec<DMat4>,
}

const SHIN: usize = 3;
const FOOT: usize = 4;
const TOES: usize = 5;

impl Legs {
    fn new() -> Self {
        let turn =
            |x: f64, y: f64, z: f64| DQuat::from_rotation_x(x) * DQuat::from_rotation_y(y) * DQuat::from_rotation_z(z);
        let none = DQuat::IDENTITY;
        let rows: [Row; 12] = [
            ("Armature", None, [0.1, 0.0, -0.2], turn(0.0, 0.7, 0.0)),
            ("Hips", Some(0), [0.0, 0.5, 0.0], none),
            ("LeftUpLeg", Some(1), [0.05, 0.0, 0.0], none),
            ("LeftLeg", Some(2), [0.0, -0.22, 0.01], none),
            ("LeftFoot", Some(3), [0.0, -0.23, -0.01], turn(0.9, 0.3, -0.2)),
            ("LeftToeBase", Some(4), [0.0, 0.06, 0.05], turn(0.5, 0.0, 0.4)),
            ("RightUpLeg", Some(1), [-0.05, 0.0, 0.0], none),
            ("RightLeg", Some(6), [0.0, -0.22, 0.01], none),
            ("RightFoot", Some(7), [0.0, -0.23, -0.01], turn(0.9, 0.3, -0.2)),
            ("RightToeBase", Some(8), [0.0, 0.06, 0.05], turn(0.5, 0.0, 0.4)),
            ("Spine", Some(1), [0.0, 0.2, 0.0], none),
            ("Head", Some(10), [0.0, 0.2, 0.0], none),
        ];
        let mut worlds: Vec<DMat4> = Vec::new();
        let mut nodes: Vec<serde_json::Value> = Vec::new();
        for (index, &(name, parent, at, turn)) in rows.iter().enumerate() {
            let scale = DVec3::splat(if index == 0 { 2.0 } else { 1.0 });
            let local = DMat4::from_scale_rotation_translation(scale, turn, at.into());
            worlds.push(parent.map_or(local, |parent| worlds[parent] * local));
            let children: Vec<usize> = (0..rows.len()).filter(|&child| rows[child].1 == Some(index)).collect();
            let mut node =
                json!({"name": name, "translation": at, "rotation": turn.to_array(), "scale": scale.to_array()});
            if !children.is_empty() {
                node["children"] = json!(children);
            }
            nodes.push(node);
        }
        let mut file = GltfFile::of_nodes(json!(nodes));
        file.json["meshes"] = json!([]);
        let times = file.floats("SCALAR", &[0.0, 0.5]);
        // The armature moves the body, all else its skeleton.
        let turns = |file: &mut GltfFile, turn: DQuat| {
            let turn = turn.as_quat().to_array();
            file.floats("VEC4", &[turn, turn].concat())
        };
        let channels: Vec<_> = (1..rows.len())
            .map(|joint| (joint, "rotation", "LINEAR", times, turns(&mut file, rows[joint].3)))
            .collect();
        file.animate("stand", &channels);
        Self { file, worlds }
    }

    /// Returns a place of the world in the axes of a node, without its scale.
    fn in_axes(&self, node: usize, at: DVec3) -> DVec3 {
        let (_, turn, origin) = self.worlds[node].to_scale_rotation_translation();
        turn.conjugate() * (at - origin)
    }

    /// Adds triangles between points of the world, each with shares of joints. The mesh lies in the world by `world_from_mesh`.
    fn skin(&mut self, points: &[(DVec3, &[(usize, f32)])], world_from_mesh: DAffine3) {
        let joints = [1, SHIN, FOOT, TOES, 6, 7, 8, 9];
        let binds = joints.map(|joint| {
            let bind = self.worlds[joint].inverse() * DMat4::from(world_from_mesh);
            bind.as_mat4().to_cols_array()
        });
        let binds = self.file.floats("MAT4", binds.as_flattened());
        self.file.json["skins"] = json!([{"joints": joints, "inverseBindMatrices": binds}]);
        let (mut numbers, mut weights) = (Vec::new(), Vec::new());
        for (_, shares) in points {
            let slot = |slot: usize| shares.get(slot).copied().unwrap_or((1, 0.0));
            let number = |joint: usize| joints.iter().position(|&known| known == joint).unwrap() as u8;
            numbers.extend([0, 1, 2, 3].map(|at| number(slot(at).0)));
            weights.extend([0, 1, 2, 3].map(|at| slot(at).1));
        }
        let view = self.file.view(&numbers);
        let accessor = json!({"bufferView": view, "componentType": 5121, "type": "VEC4", "count": points.len()});
        let numbers = self.file.accessor(accessor);
        let weights = self.file.floats("VEC4", &weights);
        let places: Vec<DVec3> = points.iter().map(|(at, _)| *at).collect();
        let mut primitive = self.primitive(&places, world_from_mesh);
        primitive["attributes"]["JOINTS_0"] = numbers.into();
        primitive["attributes"]["WEIGHTS_0"] = weights.into();
        let mesh = self.mesh(primitive);
        // The transform of a skinned mesh's node makes no difference.
        let node = json!({"name": "body", "mesh": mesh, "skin": 0, "translation": [5.0, 5.0, 5.0]});
        let nodes = self.file.json["nodes"].as_array_mut().unwrap();
        nodes.push(node);
        let node = nodes.len() - 1;
        let roots = self.file.json["scenes"][0]["nodes"].as_array_mut().unwrap();
        roots.push(node.into());
    }

    /// Adds a rigid part below a joint.
    fn part(&mut self, joint: usize, points: &[DVec3]) {
        let local = DMat4::from_scale_rotation_translation(
            DVec3::new(0.1, 0.3, 0.2),
            DQuat::from_rotation_z(0.8),
            DVec3::new(0.3, 0.1, 0.0),
        );
        let world = DAffine3::from_mat4(self.worlds[joint] * local);
        let primitive = self.primitive(points, world);
        let mesh = self.mesh(primitive);
        let nodes = self.file.json["nodes"].as_array_mut().unwrap();
        nodes.push(json!({"name": "shoe", "mesh": mesh, "matrix": local.to_cols_array()}));
        let node = nodes.len() - 1;
        match nodes[joint].get_mut("children") {
            Some(children) => children.as_array_mut().unwrap().push(node.into()),
            None => nodes[joint]["children"] = json!([node]),
        }
    }

    /// Triangles between each three points that follow each other.
    fn primitive(&mut self, points: &[DVec3], world_from_mesh: DAffine3) -> serde_json::Value {
        let mesh_from_world = world_from_mesh.inverse();
        let numbers: Vec<f32> = points
            .iter()
            .flat_map(|at| mesh_from_world.transform_point3(*at).as_vec3().to_array())
            .collect();
        let positions = self.file.floats("VEC3", &numbers);
        json!({"attributes": {"POSITION": positions}, "mode": 5})
    }

    fn mesh(&mut self, primitive: serde_json::Value) -> usize {
        let meshes = self.file.json["meshes"].as_array_mut().unwrap();
        meshes.push(json!({"primitives": [primitive]}));
        meshes.len() - 1
    }

    /// The points that are read.
    fn soles(&self) -> (Rig, Vec<FootSole>) {
        let bytes = self.file.glb();
        let settings = ReadSettings::in_space(SpaceSettings::new(UpChoice::Y, UnitChoice::Metres(1.0)));
        let loaded = read_take(&bytes, "stand", &settings, &mut Vec::new()).unwrap();
        soles_of(&bytes, &loaded)
    }
}

fn rig_of(loaded: &LoadedTake) -> Rig {
    let rest = loaded.source.rest(loaded.take.skeleton());
    Rig::of(&loaded.take, &rest, &BodyOverrides::default()).unwrap()
}

fn soles_of(bytes: &[u8], loaded: &LoadedTake) -> (Rig, Vec<FootSole>) {
    let rig = rig_of(loaded);
    let soles = read_soles(bytes, &loaded.source, &rig, &SizeLimits::default());
    (rig, soles)
}

/// Returns the corners of a box, those ahead last.
fn corners(low: DVec3, high: DVec3) -> Vec<DVec3> {
    let side = |at: usize, bit: usize| if at & bit == 0 { low } else { high };
    (0..8)
        .map(|at| DVec3::new(side(at, 1).x, side(at, 2).y, side(at, 4).z))
        .collect()
}

/// Returns the points of the world in the axes of a joint, with its name.
fn corners_in(legs: &Legs, (name, node): (&'static str, usize), points: &[DVec3]) -> Vec<(&'static str, DVec3)> {
    points.iter().map(|at| (name, legs.in_axes(node, *at))).collect()
}

/// Heel and toes in the axes of their joints.
fn shod(legs: &Legs, heel: &[DVec3], toes: &[DVec3]) -> Vec<(&'static str, DVec3)> {
    [
        corners_in(legs, ("LeftFoot", FOOT), heel),
        corners_in(legs, ("LeftToeBase", TOES), toes),
    ]
    .concat()
}

/// The points of a sole by joint names, in any order, are these.
fn assert_points(rig: &Rig, sole: &FootSole, expected: &[(&str, DVec3)]) {
    let name = |joint: usize| rig.skeleton().joint(joint).name.as_str();
    let found: Vec<(&str, DVec3)> = sole.points.iter().map(|&(joint, at)| (name(joint), at)).collect();
    for (joint, at) in expected {
        let is_it = |(found, place): &&(&str, DVec3)| found == joint && place.distance(*at) < 1e-5;
        assert!(found.iter().any(|found| is_it(&found)), "{joint} {at} in {found:?}");
    }
    assert_eq!(found.len(), expected.len(), "{found:?}");
}

/// Heel and toes of the left foot, and what belongs to neither.
fn shoe() -> (Vec<DVec3>, Vec<DVec3>) {
    let at = |x: f64, y: f64, z: f64| DVec3::new(0.2, 0.1, -0.2) + DVec3::new(x, y, z);
    (
        corners(at(-0.05, -0.1, -0.08), at(0.04, 0.05, 0.1)),
        corners(at(-0.06, -0.1, 0.1), at(0.05, -0.03, 0.2)),
    )
}

#[test]
fn soles_of_a_skin_are_the_corners_of_its_feet() {
    let mut legs = Legs::new();
    let (heel, toes) = shoe();
    let middle = |points: &[DVec3]| points.iter().sum::<DVec3>() / points.len() as f64;
    let mut points: Vec<(DVec3, &[(usize, f32)])> = Vec::new();
    // The shin counts for less than half even where it counts most.
    points.extend(
        heel.iter()
            .map(|at| (*at, &[(FOOT, 0.35), (TOES, 0.25), (SHIN, 0.4)][..])),
    );
    points.extend(toes.iter().map(|at| (*at, &[(FOOT, 0.45), (TOES, 0.55)][..])));
    points.extend([(middle(&heel), &[(FOOT, 1.0)][..]), (middle(&toes), &[(TOES, 1.0)][..])]);
    // A trouser leg that hangs lower than the foot.
    points.extend([(DVec3::new(0.2, -0.4, 0.0), &[(SHIN, 0.6), (FOOT, 0.4)][..]); 3]);
    let world_from_mesh = DAffine3::from_scale_rotation_translation(
        DVec3::splat(0.01),
        DQuat::from_rotation_x(-1.2),
        DVec3::new(0.3, 0.2, 0.1),
    );
    legs.skin(&points, world_from_mesh);
    let (rig, soles) = legs.soles();
    assert_eq!(soles.len(), 1, "the right foot carries nothing");
    assert_eq!(rig.skeleton().joint(soles[0].ankle).name, "LeftFoot");
    assert_points(&rig, &soles[0], &shod(&legs, &heel, &toes));
    assert_eq!(rig.clone().with_soles(soles.clone()).soles(), soles);
}

#[test]
fn parts_without_skin_belong_to_the_joint_they_hang_from() {
    let mut legs = Legs::new();
    let (heel, toes) = shoe();
    legs.part(FOOT, &heel);
    legs.part(TOES, &toes);
    // Not of the foot.
    legs.part(SHIN, &corners(DVec3::splat(-0.5), DVec3::splat(0.3)));
    let right = corners(DVec3::new(-0.1, 0.0, -0.1), DVec3::new(0.0, 0.1, 0.1));
    legs.part(8, &right);
    let (rig, soles) = legs.soles();
    assert_eq!(soles.len(), 2);
    assert_points(&rig, &soles[0], &shod(&legs, &heel, &toes));
    assert_points(&rig, &soles[1], &corners_in(&legs, ("RightFoot", 8), &right));
}

/// As in rigs whose last bone is shin and foot in one, and ends in a joint that no vertex knows.
#[test]
fn where_an_ankle_carries_nothing_the_end_of_its_bone_is_the_foot() {
    let mut legs = Legs::new();
    let (heel, _) = shoe();
    legs.part(SHIN, &heel);
    // The knee is at a height of 0.56.
    legs.part(SHIN, &corners(DVec3::new(0.15, 0.3, -0.3), DVec3::new(0.25, 0.6, -0.1)));
    let (rig, soles) = legs.soles();
    assert_eq!(soles.len(), 1);
    assert_eq!(rig.skeleton().joint(soles[0].ankle).name, "LeftFoot");
    assert_points(&rig, &soles[0], &corners_in(&legs, ("LeftLeg", SHIN), &heel));
}

#[test]
fn of_a_round_foot_few_points_are_kept() {
    let mut legs = Legs::new();
    let (rows, columns) = (40, 60);
    let ball: Vec<DVec3> = (0..rows * columns)
        .map(|at| {
            let height = core::f64::consts::PI * (at / columns) as f64 / (rows - 1) as f64;
            let turn = core::f64::consts::TAU * (at % columns) as f64 / columns as f64;
            0.1 * DVec3::new(height.sin() * turn.cos(), -height.cos(), height.sin() * turn.sin())
        })
        .collect();
    legs.part(FOOT, &ball);
    let (_, soles) = legs.soles();
    assert_eq!(soles[0].points.len(), 24);
}

#[test]
fn without_a_mesh_there_are_no_soles() {
    let read = |format: Format| {
        let bytes = written(&walk(), format);
        let loaded = load(&bytes, "walk").unwrap();
        (bytes, loaded)
    };
    for (format, feet) in [(Format::Bvh, 0), (Format::Glb, 2)] {
        let (bytes, loaded) = read(format);
        assert_eq!(soles_of(&bytes, &loaded).1.len(), feet, "{format:?}");
    }
    assert_eq!(Legs::new().soles().1, []);
    // Nor where there is no room for one.
    let (bytes, loaded) = read(Format::Glb);
    let small = SizeLimits {
        max_memory_bytes: 1000,
        ..SizeLimits::default()
    };
    assert_eq!(read_soles(&bytes, &loaded.source, &rig_of(&loaded), &small), []);
}

/// A captured character at rest.
struct Captured {
    rig: Rig,
    mesh: Mesh,
    soles: Vec<FootSole>,
    world: Pose,
}

fn captured(folder: &std::path::Path, name: &str) -> Captured {
    let bytes = std::fs::read(folder.join(name)).unwrap();
    let file = AnimatedFile::parse(&bytes, name, None).unwrap();
    let loaded = file.read_rest(&ReadSettings::default(), &mut Vec::new()).unwrap();
    let (rig, soles) = soles_of(&bytes, &loaded);
    let skeleton = loaded.take.skeleton();
    let mesh = loaded.source.read_mesh(&bytes, skeleton, &SizeLimits::default());
    let world = loaded.source.rest(skeleton).as_ref().world(skeleton);
    Captured {
        rig,
        mesh: mesh.unwrap().unwrap(),
        soles,
        world,
    }
}

impl Captured {
    /// Returns all vertices of triangles, at rest.
    fn vertices(&self) -> Vec<DVec3> {
        let bones = self.mesh.bones_at(&self.world);
        let indices = self.mesh.indices.iter();
        let vertices = indices.map(|&vertex| &self.mesh.vertices[vertex as usize]);
        vertices.map(|vertex| carried(vertex, &bones)).collect()
    }

    fn at_rest(&self, &(joint, at): &(usize, DVec3)) -> DVec3 {
        self.world.translations[joint] + self.world.rotations[joint] * at
    }
}

/// Whether this build reads files of that kind.
fn is_read(name: &str) -> bool {
    cfg!(feature = "fbx") || !name.ends_with(".fbx")
}

fn lowest(points: impl Iterator<Item = DVec3>) -> f64 {
    points.map(|at| at.y).fold(f64::INFINITY, f64::min)
}

#[test]
fn soles_of_captured_characters_are_as_low_as_their_meshes() {
    let Some(folder) = folder_or_skip() else { return };
    let names = [
        "gltf/RobotExpressive.glb",
        "gltf/Knight.glb",
        "gltf/CesiumMan.gltf",
        "mesh2motion/human-male.glb",
        "mesh2motion/fox-animations.glb",
        "bvh-toolbox/walk01_template.fbx",
        "ufbx/maya_kenney_character_7700_binary.fbx",
    ];
    for name in names.into_iter().filter(|name| is_read(name)) {
        let character = captured(&folder, name);
        let vertices = character.vertices();
        let ground = lowest(vertices.iter().copied());
        let height = vertices.iter().map(|at| at.y).fold(f64::NEG_INFINITY, f64::max) - ground;
        assert_eq!(character.soles.len(), character.rig.body().feet.len(), "{name}");
        for sole in &character.soles {
            let points = sole.points.iter().map(|point| character.at_rest(point));
            let low = (lowest(points) - ground) / height;
            // A foot of the first FBX file stands 4 mm higher than the other.
            assert!(
                (-1e-6..0.003).contains(&low),
                "{name}: a sole is {low} of the height above the lowest point"
            );
            assert!((4..=24).contains(&sole.points.len()), "{name}");
        }
    }
}
