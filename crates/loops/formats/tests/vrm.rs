//! VRM animations, and VRM characters by what they state of their bones.

use glam::{DQuat, DVec3};
use loopwright_core::{Take, motion::Part};
use loopwright_formats::{
    AnimationChoice, Character, FileWarning, Format, LoadedTake, ReadSettings, Source, WriteError, load, write_take,
};
use serde_json::{Value, json};

use crate::support::{
    Random, distance,
    gltf_file::{GltfFile, accessor_of, numbers, parsed, parts_of},
    read, skeleton, take_of, walk, written,
};

/// The bones of the synthetic body, by the names of their joints.
const BONES: &str = "
Hips hips
Spine spine
Spine1 chest
Spine2 upperChest
Neck neck
Head head
LeftShoulder leftShoulder
LeftArm leftUpperArm
LeftForeArm leftLowerArm
LeftHand leftHand
LeftHandIndex1 leftIndexProximal
RightShoulder rightShoulder
RightArm rightUpperArm
RightForeArm rightLowerArm
RightHand rightHand
RightHandIndex1 rightIndexProximal
LeftUpLeg leftUpperLeg
LeftLeg leftLowerLeg
LeftFoot leftFoot
LeftToeBase leftToes
RightUpLeg rightUpperLeg
RightLeg rightLowerLeg
RightFoot rightFoot
RightToeBase rightToes";

fn human_bones() -> impl Iterator<Item = (&'static str, &'static str)> {
    BONES.trim().lines().map(|line| line.split_once(' ').unwrap())
}

fn bone_of(joint: &str) -> &'static str {
    human_bones().find(|(name, _)| *name == joint).unwrap().1
}

/// Characters of version 0 face the other way.
fn face_of(version: u32) -> DQuat {
    DQuat::from_rotation_y(if version == 0 { std::f64::consts::PI } else { 0.0 })
}

/// Returns the synthetic body as a VRM character of that version whose joints rest turned and have no names.
fn avatar(version: u32) -> GltfFile {
    let mut random = Random(17);
    let face = face_of(version);
    let body = walk();
    let joints = body.skeleton().joints();
    let mut turns: Vec<DQuat> = Vec::new();
    let nodes = joints.iter().enumerate().map(|(index, joint)| {
        let above = joint.parent.map_or(DQuat::IDENTITY, |parent| turns[parent]);
        let turn = DQuat::from_scaled_axis(2.0 * random.vector());
        turns.push(turn);
        json!({
            "translation": (above.conjugate() * face * joint.rest_offset).to_array(),
            "rotation": (above.conjugate() * turn).normalize().to_array(),
            "children": body.skeleton().children(index),
        })
    });
    let mut nodes: Vec<Value> = nodes.collect();
    for node in &mut nodes {
        if node["children"] == json!([]) {
            node.as_object_mut().unwrap().remove("children");
        }
    }
    let mut file = GltfFile::of_nodes(Value::Array(nodes));
    let named = || {
        joints
            .iter()
            .enumerate()
            .map(|(node, joint)| (node, bone_of(&joint.name)))
    };
    file.json["extensions"] = match version {
        0 => {
            let bones: Vec<Value> = named()
                .map(|(node, bone)| json!({"bone": bone, "node": node}))
                .collect();
            json!({"VRM": {"specVersion": "0.0", "humanoid": {"humanBones": bones}}})
        }
        _ => {
            let bones = named().map(|(node, bone)| (bone.to_owned(), json!({"node": node})));
            let bones: serde_json::Map<String, Value> = bones.collect();
            json!({"VRMC_vrm": {"specVersion": "1.0", "humanoid": {"humanBones": bones}}})
        }
    };
    file
}

#[test]
fn a_take_goes_through_an_animation_for_avatars() {
    let take = walk();
    let bytes = written(&take, Format::Vrma);
    assert_eq!(Format::detect(&bytes), Some(Format::Vrma));
    let (back, warnings) = read(&bytes, AnimationChoice::Auto).unwrap();
    assert_eq!((warnings, back.source.format()), (Vec::new(), Format::Vrma));
    // Its joints come in another order.
    let order = |name: &str| take.skeleton().find(name).unwrap();
    let (one, other) = (take.world_tracks(), back.take.world_tracks());
    for (joint, found) in back.take.skeleton().joints().iter().enumerate() {
        let own = order(&found.name);
        for frame in 0..take.num_frames() {
            let apart = one.position(frame, own).distance(other.position(frame, joint));
            assert!(apart < 2e-6, "{} is {apart} m apart", found.name);
        }
    }
    let (json, _) = parts_of(&bytes);
    let stated = &json["extensions"]["VRMC_vrm_animation"];
    assert_eq!(
        (&stated["specVersion"], &json["extensionsUsed"]),
        (&json!("1.0"), &json!(["VRMC_vrm_animation"]))
    );
    for (joint, bone) in human_bones() {
        let node = stated["humanoid"]["humanBones"][bone]["node"].as_u64().unwrap();
        assert_eq!(json["nodes"][node as usize]["name"], joint, "{bone}");
    }
    // And again as it is.
    let again = write_take(&back.take, &back.source).unwrap();
    let again = load(&again.bytes, "t").unwrap();
    assert!(distance(&again.take, &back.take).0 < 2e-6);
}

#[test]
fn characters_of_both_versions_are_known_by_their_bones() {
    for version in [0, 1] {
        let bytes = avatar(version).glb();
        let character = Character::read(&bytes, "hero", &ReadSettings::default()).unwrap();
        let skeleton = character.rig.skeleton();
        let named = walk();
        let bones = character.rig.humanoid().unwrap();
        assert_eq!(bones.len(), human_bones().count());
        for bone in &bones {
            // Nodes have the order of the synthetic joints.
            let node: usize = skeleton
                .joint(bone.joint)
                .name
                .strip_prefix("node")
                .unwrap()
                .parse()
                .unwrap();
            assert_eq!(
                bone.name,
                bone_of(&named.skeleton().joint(node).name),
                "version {version}"
            );
            assert!(matches!(&skeleton.joint(bone.joint).part, Some(Part::Stated(_))));
        }
        // The pose that it states is its T-pose, turned to face ahead.
        let face = face_of(version);
        let world = character.file.source.rest(skeleton).as_ref().world(skeleton);
        let hips = bones[0].clone();
        for bone in &bones {
            let place = face * (world.translations[bone.joint] - world.translations[hips.joint]);
            let apart = place.distance(bone.rest.translation - hips.rest.translation);
            assert!(apart < 1e-9, "{} is {apart} m apart", bone.name);
            let turn = face * world.rotations[bone.joint];
            assert!(turn.dot(bone.rest.rotation).abs() > 1.0 - 1e-12, "{}", bone.name);
        }
        assert!((hips.rest.translation.y - world.translations[hips.joint].y).abs() < 1e-9);
    }
}

#[test]
fn an_animation_on_a_character_turns_from_its_rest() {
    // Whatever way joints rest, a character in its own T-pose is one without turns.
    for version in [0, 1] {
        let character = Character::read(&avatar(version).glb(), "hero", &ReadSettings::default()).unwrap();
        let skeleton = character.file.take.skeleton().clone();
        let rest = character.file.source.rest(&skeleton);
        let still = take_of(&skeleton, 0.1, 3, |_, joint| {
            (rest.translations[joint], rest.rotations[joint])
        });
        let source = character.file.source.in_format(Format::Vrma, &character.file.take);
        let bytes = write_take(&still, &source).unwrap().bytes;
        let back = load(&bytes, "t").unwrap();
        let face = face_of(version);
        for (joint, turn) in back.take.pose(1).rotations.iter().enumerate() {
            let wanted = if joint == 0 { face } else { DQuat::IDENTITY };
            assert!(
                turn.dot(wanted).abs() > 1.0 - 1e-9,
                "version {version}, joint {joint}: {turn}"
            );
        }
    }
}

/// Returns the joints of a take whose axes are turned in its rest pose, so that its bones lie otherwise: those turns, of each
/// joint and of the one above it, and the rows of the skeleton.
#[expect(clippy::type_complexity, reason = "three lists by joint")]
fn axes_turned(
    take: &Take,
    axes: impl Fn(&str) -> DQuat,
) -> (Vec<DQuat>, Vec<DQuat>, Vec<(&str, Option<usize>, DVec3)>) {
    let joints = take.skeleton().joints();
    let axes: Vec<DQuat> = joints.iter().map(|joint| axes(&joint.name)).collect();
    let above = joints
        .iter()
        .map(|joint| joint.parent.map_or(DQuat::IDENTITY, |parent| axes[parent]));
    let above: Vec<DQuat> = above.collect();
    let rows = joints.iter().zip(&above);
    let rows = rows.map(|(joint, above)| (joint.name.as_str(), joint.parent, above.conjugate() * joint.rest_offset));
    let rows = rows.collect();
    (axes, above, rows)
}

/// Returns the name of a joint without its side.
fn without_side(name: &str) -> Option<&str> {
    name.strip_prefix("Left").or(name.strip_prefix("Right"))
}

/// Returns the synthetic walk on a skeleton that rests with bent legs and hanging arms.
fn resting_otherwise() -> Take {
    let walk = walk();
    let (axes, above, mut rows) = axes_turned(&walk, |name| match without_side(name) {
        Some("UpLeg") => DQuat::from_rotation_x(0.4),
        Some("Leg") => DQuat::from_rotation_x(-0.3),
        Some(part) if part.contains("Arm") || part.contains("Hand") => {
            let aside = if name.starts_with("Left") {
                DVec3::X
            } else {
                DVec3::NEG_X
            };
            DQuat::from_rotation_arc(DVec3::NEG_Y, aside)
        }
        _ => DQuat::IDENTITY,
    });
    // As much lower as its legs are bent.
    for joint in ["LeftLeg", "LeftFoot"] {
        let joint = walk.skeleton().find(joint).unwrap();
        rows[0].2.y -= rows[joint].2.y - walk.skeleton().joint(joint).rest_offset.y;
    }
    take_of(
        &skeleton(&rows),
        walk.frame_time_secs(),
        walk.num_frames(),
        |frame, joint| {
            let (pose, above) = (walk.pose(frame), above[joint].conjugate());
            let turn = above * pose.rotations[joint] * axes[joint];
            (above * pose.translations[joint], turn.normalize())
        },
    )
}

/// Returns a take after it was written as an animation for avatars.
fn through(take: &Take) -> Take {
    load(&written(take, Format::Vrma), "t").unwrap().take
}

#[test]
fn whatever_a_body_rests_in_is_laid_into_the_t_pose() {
    let [one, other] = [walk(), resting_otherwise()].map(|take| through(&take));
    let (metres, degrees) = distance(&one, &other);
    assert!(metres < 2e-6 && degrees < 2e-4, "{metres} m, {degrees} degrees");
    for (joint, rest) in one.skeleton().joints().iter().zip(other.skeleton().joints()) {
        let apart = joint.rest_offset.distance(rest.rest_offset);
        assert!(apart < 1e-6, "{} rests {apart} m elsewhere", joint.name);
    }
}

#[test]
fn what_is_no_human_body_is_refused_by_the_bones_that_it_lacks() {
    let skeleton = skeleton(&[("post", None, DVec3::ZERO), ("door", Some(0), DVec3::Y)]);
    let door = take_of(&skeleton, 0.1, 4, |frame, joint| {
        (joint as f64 * DVec3::Y, DQuat::from_rotation_y(0.1 * frame as f64))
    });
    let refused = write_take(&door, &Source::for_take(&door, Format::Vrma));
    let Err(WriteError::NoAvatar { missing }) = refused else {
        panic!("{refused:?}");
    };
    assert!(
        missing.contains(&"leftHand".to_owned()) && !missing.contains(&"hips".to_owned()),
        "{missing:?}"
    );
}

/// Returns a motion of hips and spine, with an expression and a gaze beside them, and channels that such a file must not have.
fn motion() -> GltfFile {
    let mut file = GltfFile::of(
        r#"[
        {"name": "stage", "rotation": [0, 1, 0, 0], "children": [1]},
        {"name": "hips", "translation": [0, 0.9, 0], "children": [2]},
        {"name": "spine", "translation": [0, 0.2, 0], "children": [3]},
        {"name": "between", "translation": [0, 0.2, 0], "children": [4]},
        {"name": "head", "translation": [0, 0.2, 0]},
        {"name": "mouth"},
        {"name": "gaze"}
    ]"#,
    );
    let times: Vec<f32> = (0..31).map(|key| key as f32 / 30.0).collect();
    let input = file.floats("SCALAR", &times);
    let vectors = |at: &dyn Fn(f32) -> [f32; 3]| -> Vec<f32> { times.iter().flat_map(|&time| at(time)).collect() };
    let hips = file.floats("VEC3", &vectors(&|time| [0.0, 0.9 + 0.1 * time, time]));
    let weight = file.floats("VEC3", &vectors(&|time| [1.5 * time, 7.0, 7.0]));
    let turn = |time: f32| [0.0, (0.3 * time).sin(), 0.0, (0.3 * time).cos()];
    let turns = file.floats("VEC4", &times.iter().flat_map(|&time| turn(time)).collect::<Vec<f32>>());
    let sizes = file.floats("VEC3", &vectors(&|time| [1.0 + time; 3]));
    file.animate("other", &[(1, "translation", "LINEAR", input, hips)]);
    file.animate(
        "nod",
        &[
            (1, "translation", "LINEAR", input, hips),
            (2, "rotation", "LINEAR", input, turns),
            (5, "translation", "LINEAR", input, weight),
            (6, "rotation", "LINEAR", input, turns),
            (2, "translation", "LINEAR", input, hips),
            (3, "rotation", "LINEAR", input, turns),
            (4, "scale", "LINEAR", input, sizes),
        ],
    );
    file.json["extensionsUsed"] = json!(["VRMC_vrm_animation"]);
    file.json["extensions"] = parsed(
        r#"{"VRMC_vrm_animation": {
        "specVersion": "1.0-draft",
        "humanoid": {"humanBones": {"hips": {"node": 1}, "spine": {"node": 2}, "head": {"node": 4}}},
        "expressions": {"preset": {"aa": {"node": 5}}},
        "lookAt": {"node": 6}
    }}"#,
    );
    file
}

/// Returns the second animation of such a motion.
fn nod(file: &GltfFile) -> (LoadedTake, Vec<FileWarning>) {
    read(&file.glb(), AnimationChoice::Given("nod")).unwrap()
}

#[test]
fn only_bones_move_and_expressions_and_gaze_come_along() {
    let (loaded, warnings) = nod(&motion());
    assert!(
        matches!(&warnings[..], [FileWarning::BonesMissing { names }, FileWarning::NotOfBones { count: 3 }]
            if names.len() == 12 && names.contains(&"leftHand".to_owned()) && !names.contains(&"head".to_owned())),
        "{warnings:?}"
    );
    let names = loaded.take.skeleton().joints().iter().map(|joint| joint.name.as_str());
    assert!(names.eq(["hips", "spine", "between", "head"]));
    assert_eq!(loaded.take.pose(30).translations[1], DVec3::new(0.0, 0.2, 0.0));
    let again = write_take(&loaded.take, &loaded.source).unwrap();
    let (json, bytes) = parts_of(&again.bytes);
    // Programs play the first animation, so there is no other.
    assert_eq!(json["animations"].as_array().unwrap().len(), 1);
    let channels = json["animations"][0]["channels"].as_array().unwrap();
    let targets: Vec<(u64, &str)> = channels
        .iter()
        .map(|channel| &channel["target"])
        .map(|target| (target["node"].as_u64().unwrap(), target["path"].as_str().unwrap()))
        .collect();
    assert_eq!(
        targets,
        [
            (1, "translation"),
            (1, "rotation"),
            (2, "rotation"),
            (4, "rotation"),
            (5, "translation"),
            (6, "rotation")
        ]
    );
    let values = |node: u64, width: usize| -> Vec<Vec<f64>> {
        let channel = targets.iter().rposition(|target| target.0 == node).unwrap();
        let accessor = accessor_of(&json, &json["animations"][0], &channels[channel], "output");
        numbers(&json, bytes, accessor)
            .chunks_exact(width)
            .map(<[f64]>::to_vec)
            .collect()
    };
    for (frame, weight) in values(5, 3).iter().enumerate() {
        // Weights beyond one mean one, and the rest of the translation nothing.
        let wanted = (1.5 * frame as f64 / 30.0).min(1.0);
        assert!(
            (weight[0] - wanted).abs() < 1e-6 && weight[1..] == [0.0, 0.0],
            "{frame}: {weight:?}"
        );
    }
    for (frame, turn) in values(6, 4).iter().enumerate() {
        let half = 0.3 * frame as f64 / 30.0;
        assert!(
            (turn[1] - half.sin()).abs() < 1e-6 && (turn[3] - half.cos()).abs() < 1e-6,
            "{frame}: {turn:?}"
        );
    }
}

#[test]
fn what_a_file_may_leave_open_is_no_fault() {
    for (path, value) in [
        ("lookAt", r#"{"offsetFromHeadBone": [0, 0.06, 0]}"#),
        ("lookAt", r#"{"node": null}"#),
        ("lookAt", "null"),
        ("expressions/preset/aa", "null"),
        ("humanoid/humanBones/spine", "null"),
    ] {
        let file = motion().edit(&format!("/extensions/VRMC_vrm_animation/{path}"), value);
        let (loaded, warnings) = nod(&file);
        let mut warned = warnings.iter();
        let is_left_out = warned.any(|warning| matches!(warning, FileWarning::NotOfBones { count: 4.. }));
        assert!(is_left_out, "{path}: {value}: {warnings:?}");
        assert!(write_take(&loaded.take, &loaded.source).is_ok());
    }
}

#[test]
fn eyes_are_not_animated() {
    let file = motion().edit(
        "/extensions/VRMC_vrm_animation/humanoid/humanBones/leftEye",
        r#"{"node": 3}"#,
    );
    let (loaded, warnings) = nod(&file);
    assert!(warnings.contains(&FileWarning::NotOfBones { count: 3 }), "{warnings:?}");
    let (json, _) = parts_of(&write_take(&loaded.take, &loaded.source).unwrap().bytes);
    let channels = json["animations"][0]["channels"].as_array().unwrap();
    assert!(
        channels.iter().all(|channel| channel["target"]["node"] != 3),
        "{channels:?}"
    );
}

#[test]
fn a_scale_that_stretches_the_whole_body_is_spoken_of() {
    for (scale, is_spoken_of) in [([1.0, 2.0, 1.0], true), ([2.0, 2.0, 2.0], false)] {
        let mut file = motion();
        file.json["nodes"][0]["scale"] = json!(scale);
        let (_, warnings) = nod(&file);
        let spoken = warnings
            .iter()
            .any(|warning| matches!(warning, FileWarning::ScaledJoints { joint, .. } if joint == "stage"));
        assert_eq!(spoken, is_spoken_of, "{scale:?}: {warnings:?}");
    }
}

#[test]
fn joints_that_a_character_does_not_state_are_no_bones() {
    let mut file = avatar(1);
    let bones = &mut file.json["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"];
    for bone in ["neck", "leftToes", "rightShoulder"] {
        bones.as_object_mut().unwrap().remove(bone).unwrap();
    }
    let character = Character::read(&file.glb(), "hero", &ReadSettings::default()).unwrap();
    let bones = character.rig.humanoid().unwrap();
    let names: Vec<&str> = bones.iter().map(|bone| bone.name.as_str()).collect();
    assert_eq!(bones.len(), human_bones().count() - 3);
    assert!(
        ["neck", "leftToes", "rightShoulder"]
            .iter()
            .all(|bone| !names.contains(bone)),
        "{names:?}"
    );
}

#[test]
fn a_root_joint_above_the_hips_is_refused() {
    let walk = walk();
    let back = load(&written(&walk, Format::Vrma), "t").unwrap();
    for (take, source) in [
        (&walk, Source::for_take(&walk, Format::Vrma)),
        (&back.take, back.source),
    ] {
        let refused = loopwright_formats::write_take_with_root(&take.below_root_joint("root"), &source);
        assert_eq!(refused, Err(WriteError::NoRootJoint));
    }
}
