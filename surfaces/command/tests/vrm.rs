//! VRM animations and characters.

use serde_json::{Value, json};

use crate::harness::{Folder, number};

/// The JSON of a binary glTF file.
fn json_of(folder: &Folder, name: &str) -> Value {
    let bytes = folder.read(name);
    let end = 20 + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[20..end]).unwrap()
}

/// Writes a copy of a binary glTF file with that JSON.
fn write_with_json(folder: &Folder, name: &str, json: &Value, copy: &str) {
    let bytes = folder.read(name);
    let end = 20 + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let rest = &bytes[end..];
    let length = |bytes: usize| (bytes as u32).to_le_bytes();
    let head = [
        b"glTF".to_vec(),
        2_u32.to_le_bytes().to_vec(),
        length(20 + text.len() + rest.len()).to_vec(),
    ]
    .concat();
    let file = [&head[..], &length(text.len()), b"JSON", &text, rest].concat();
    folder.write(copy, &file);
}

/// A copy of the synthetic walk's GLB as a VRM character: its bones by a map, its joints without names.
fn make_avatar(folder: &Folder) {
    folder.succeed("convert walk.bvh body.glb");
    let mut json = json_of(folder, "body.glb");
    let mut bones = serde_json::Map::new();
    for (node, stated) in json["nodes"].as_array_mut().unwrap().iter_mut().enumerate() {
        let joint = stated["name"].as_str().unwrap().to_owned();
        let (side, part) = match joint.strip_prefix("Left").map(|part| ("left", part)) {
            Some(sided) => sided,
            None => joint
                .strip_prefix("Right")
                .map_or(("", &*joint), |part| ("right", part)),
        };
        let bone = match part {
            "Hips" | "Spine" | "Neck" | "Head" => part.to_lowercase(),
            "Spine1" => "chest".to_owned(),
            "Spine2" => "upperChest".to_owned(),
            "UpLeg" => format!("{side}UpperLeg"),
            "Leg" => format!("{side}LowerLeg"),
            "Arm" => format!("{side}UpperArm"),
            "ForeArm" => format!("{side}LowerArm"),
            "ToeBase" => format!("{side}Toes"),
            "HandIndex1" => format!("{side}IndexProximal"),
            "body" => continue,
            _ => format!("{side}{part}"),
        };
        bones.insert(bone, json!({ "node": node }));
        stated["name"] = format!("j{node}").into();
    }
    json["extensionsUsed"] = json!(["VRMC_vrm"]);
    json["extensions"] = json!({"VRMC_vrm": {"specVersion": "1.0", "humanoid": {"humanBones": bones}}});
    json.as_object_mut().unwrap().remove("animations");
    write_with_json(folder, "body.glb", &json, "hero.vrm");
}

#[test]
fn loops_of_animations_for_avatars_are_such_animations() {
    let folder = Folder::with_walk();
    folder.succeed("convert walk.bvh walk.vrma");
    folder.succeed("make walk.vrma");
    folder.succeed("check walk-loop.vrma").begins("walk-loop.vrma: good: ");
    let of_vrma = folder.answer("make walk.vrma -o a.vrma --json");
    let of_bvh = folder.answer("make walk.bvh -o b.bvh --json");
    for key in [
        "candidate/period_secs",
        "root_motion/speed_mps",
        "root_motion/turn_rate_dps",
    ] {
        assert!((number(&of_vrma, key) - number(&of_bvh, key)).abs() < 1e-4, "{key}");
    }
    assert_eq!(of_vrma["playback"]["carrier_joint"], "Hips");
    assert_eq!(of_vrma["playback"]["root_joint_added"], false);
    assert_eq!(folder.answer("inspect walk.vrma --json")["take"]["joints"], 24);
    assert_eq!(
        folder.answer("list walk.vrma --json")["files"][0]["animations"][0]["name"],
        "walk"
    );
    folder.succeed("find walk.vrma");
    // Root motion is the hips' own: of a loop that had a joint for it, and where one is asked for.
    folder.succeed("make walk.bvh -o rooted.glb --add-root");
    folder.succeed("convert rooted.glb rooted.vrma");
    folder.succeed("check rooted.vrma").begins("rooted.vrma: good: ");
    folder
        .succeed("make walk.bvh -o asked.vrma --add-root")
        .says("travel by their hips");
    folder
        .succeed("make walk.bvh -o unity.vrma --for unity")
        .says("does not read .vrma");
    folder.succeed("check asked.vrma unity.vrma");
    folder.succeed("convert a.vrma back.bvh");
    folder.succeed("check back.bvh");
    folder.refuse(
        "make walk.vrma --all-animations -o all.vrma",
        "a VRM animation, which holds one",
    );
    folder.succeed("blend a.vrma a.vrma -o mixed.vrma");
    folder.succeed("check mixed.vrma");
}

#[test]
fn a_character_takes_motion_and_is_no_take() {
    let folder = Folder::with_walk();
    make_avatar(&folder);
    let retarget = folder.succeed("retarget walk.bvh --rig hero.vrm -o on.vrma");
    assert!(!retarget.stderr.contains("guess"), "{}", retarget.stderr);
    folder.succeed("make walk.bvh --rig hero.vrm");
    folder.succeed("check walk-loop.vrma").begins("walk-loop.vrma: good: ");
    folder.succeed("retarget walk-loop.vrma --rig hero.vrm -o again.vrma");
    folder.succeed("check again.vrma").begins("again.vrma: good: ");
    folder.succeed("make walk.bvh --rig hero.vrm --for godot");
    folder.succeed("make walk.bvh --rig hero.vrm -o whole.glb -f");
    let whole = folder.read("whole.glb");
    assert!(
        whole.windows(10).any(|part| part == b"\"VRMC_vrm\""),
        "the character stays in a GLB"
    );
    for words in ["retarget walk.bvh --rig hero.vrm -o x.vrm", "make walk.bvh -o x.VRM"] {
        folder.refuse(words, "a name that ends in .vrma for the motion alone, or in .glb");
    }
    // In a folder it is passed over, and outputs are named for what they are.
    folder.make_folder("pack");
    folder.write("pack/hero.vrm", folder.read("hero.vrm"));
    folder.copy("on.vrma", "pack/one.vrma");
    folder.succeed("make pack -o loops/");
    assert!(folder.file("loops/one-loop.vrma").exists());
    folder.succeed("retarget pack --rig hero.vrm -o onto/");
    assert!(folder.file("onto/one.vrma").exists());
    folder.succeed("make pack -o named/ --name {stem}-x.vrma");
    assert!(folder.file("named/one-x.vrma").exists());
}

#[test]
fn faces_are_mirrored_and_spoken_of_where_they_are_lost() {
    let folder = Folder::with_walk();
    folder.succeed("convert walk.bvh walk.vrma");
    // A wink as the hips go, and a gaze as the head turns: what they do is not looked at here.
    let mut json = json_of(&folder, "walk.vrma");
    let stated = &json["extensions"]["VRMC_vrm_animation"]["humanoid"]["humanBones"];
    let nodes = json["nodes"].as_array().unwrap().len();
    let mut channels = Vec::new();
    for (bone, path) in [("hips", "translation"), ("leftUpperArm", "rotation")] {
        let animated = json["animations"][0]["channels"].as_array().unwrap().iter();
        let of_bone =
            |channel: &&Value| channel["target"]["node"] == stated[bone]["node"] && channel["target"]["path"] == path;
        let mut channel = animated.clone().find(of_bone).unwrap().clone();
        channel["target"]["node"] = json!(nodes + channels.len());
        channels.push(channel);
    }
    json["animations"][0]["channels"]
        .as_array_mut()
        .unwrap()
        .extend(channels);
    for name in ["wink", "gaze"] {
        json["nodes"].as_array_mut().unwrap().push(json!({ "name": name }));
    }
    let stated = &mut json["extensions"]["VRMC_vrm_animation"];
    stated["expressions"] = json!({"preset": {"blinkLeft": {"node": nodes}}});
    stated["lookAt"] = json!({"node": nodes + 1});
    write_with_json(&folder, "walk.vrma", &json, "face.vrma");
    for other in ["face.bvh", "face.glb", "face.npz"] {
        folder
            .succeed(&format!("convert face.vrma {other}"))
            .says("expressions and the gaze are not carried over");
    }
    folder
        .succeed("make face.vrma -o loop.glb")
        .says("expressions and the gaze are not carried over to GLB");
    let kept = folder.succeed("make face.vrma -o plain.vrma");
    assert!(!kept.stderr.contains("gaze"), "{}", kept.stderr);
    folder
        .succeed("make face.vrma -o halves.vrma --symmetric")
        .says("two mirrored halves");
    folder.succeed("convert face.vrma image.vrma --mirror");
    assert_eq!(
        json_of(&folder, "image.vrma")["extensions"]["VRMC_vrm_animation"]["expressions"],
        json!({"preset": {"blinkRight": {"node": nodes}}})
    );
    // A face alone moves no body.
    json["extensions"]["VRMC_vrm_animation"]
        .as_object_mut()
        .unwrap()
        .remove("humanoid");
    write_with_json(&folder, "walk.vrma", &json, "alone.vrma");
    folder.refuse("make alone.vrma", "there are no bones");
    assert!(!folder.file("alone-loop.vrma").exists());
}

#[test]
fn other_bodies_than_human_ones_are_refused() {
    let folder = Folder::new();
    folder.write(
        "door.bvh",
        b"HIERARCHY\nROOT post\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
          JOINT door\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 1 0 0\n}\n}\n}\n\
          MOTION\nFrames: 3\nFrame Time: 0.1\n0 0 0 0 0 0 0 0 0\n0 0 0 0 0 0 0 0 9\n0 0 0 0 0 0 0 0 20\n",
    );
    folder.refuse("convert door.bvh door.vrma", "these bones of it are not found");
    assert!(!folder.file("door.vrma").exists());
}
