//! `--for`: the output for each engine, and flags that override it.

use crate::harness::{Folder, items, number, parts_of_glb};
use serde_json::Value;

/// Makes a loop of the walk for an engine and returns the JSON of the command; `check` must find that it loops.
fn made_for(folder: &Folder, engine: &str, options: &str) -> Value {
    let made = folder.answer(&format!("make walk.bvh --for {engine} --json --force {options}"));
    let file = made["outputs"][0].as_str().unwrap();
    folder.succeed(&format!("check {file}"));
    made
}

#[test]
fn every_client_gets_a_format_that_it_reads() {
    let folder = Folder::with_walk();
    for (engine, file) in [
        ("godot", "walk-loop.glb"),
        ("unity", "walk-loop.fbx"),
        ("unity-humanoid", "walk-loop.fbx"),
        ("unreal", "walk-loop.fbx"),
        ("bevy", "walk-loop.glb"),
        ("blender", "walk-loop.bvh"),
        ("three", "walk-loop.bvh"),
        ("generic", "walk-loop.bvh"),
    ] {
        let made = made_for(&folder, engine, "");
        assert_eq!(made["outputs"][0], file, "{engine}");
        assert_eq!(made["target"]["name"], engine);
        assert_eq!(made["playback"]["closing_key"], true, "{engine}");
        assert_eq!(made, folder.json(&format!("{file}.json")), "the sidecar says the same");
    }
    // The take's own format stays if the engine reads it.
    folder.succeed("convert walk.bvh hero.fbx");
    for (engine, file) in [("godot", "hero-loop.fbx"), ("bevy", "hero-loop.glb")] {
        let made = folder.succeed(&format!("make hero.fbx --for {engine} --json --force"));
        assert_eq!(made.json()["outputs"][0], file, "{engine}");
    }
    // A named file is written as requested, with a warning if the engine does not read it.
    let made = folder.succeed("make walk.bvh --for unity -o mine.bvh");
    made.says("unity does not read .bvh");
    let made = folder.succeed("make walk.bvh --for unity -o mine.fbx");
    assert!(!made.stderr.contains("does not read"), "{}", made.stderr);
}

#[test]
fn the_root_is_where_each_client_looks_for_it() {
    let folder = Folder::with_walk();
    for (engine, mode, added) in [
        ("godot", "constant", true),
        ("unity", "constant", true),
        ("unity-humanoid", "constant", false),
        ("unreal", "constant", true),
        ("bevy", "in-place", false),
        ("blender", "constant", false),
        ("three", "in-place", false),
        ("generic", "constant", false),
    ] {
        let made = made_for(&folder, engine, "");
        assert_eq!(made["root_motion"]["mode"], mode, "{engine}");
        assert_eq!(made["playback"]["root_joint_added"], added, "{engine}");
        let is_right = number(&made, "root_motion/speed_mps") > 1.0;
        assert!(is_right, "{engine}: the twist is reported all the same");
    }
    // Clips of one character share a skeleton, with or without root motion.
    for engine in ["unity", "unreal"] {
        let made = made_for(&folder, engine, "--root-motion in-place");
        assert_eq!(made["playback"]["root_joint_added"], true, "{engine}");
    }
    let made = made_for(&folder, "bevy", "--root-motion constant");
    assert_eq!(made["root_motion"]["mode"], "constant", "flags count more");
}

#[test]
fn a_rig_with_a_root_joint_gets_no_second_one_and_no_warning() {
    let folder = Folder::with_walk();
    folder.succeed("make walk.bvh --add-root -o rooted.bvh --set output.repeat=3");
    folder.copy("rooted.bvh", "rig.bvh");
    let made = folder.succeed("make rig.bvh --for unity --json -o rig.fbx");
    let json = made.json();
    assert_eq!(json["playback"]["root_joint_added"], false);
    assert_eq!(json["playback"]["root_joint"], "root");
    assert_eq!(json["target"]["importer"]["motionNodeName"], "root");
    assert!(!made.stderr.contains("--add-root"), "{}", made.stderr);
}

#[test]
fn an_added_root_joint_is_named() {
    let folder = Folder::with_walk();
    folder.succeed("make walk.bvh -o loop.bvh");
    for made in ["make walk.bvh -o made.glb", "convert loop.bvh made.fbx --for unreal"] {
        folder.succeed(made);
        let name = made.split(' ').find(|word| word.starts_with("made.")).unwrap();
        let playback = &folder.json(&format!("{name}.json"))["playback"];
        assert_eq!(playback["root_joint_added"], true, "{made}");
        assert_eq!(playback["root_joint"], "root", "{made}");
    }
}

#[test]
fn unreal_gets_whole_frames_per_second() {
    let folder = Folder::with_synth("--seconds 4 --fps 29.97");
    let rate = |made: &Value| number(made, "playback/samples") / number(made, "candidate/period_secs");
    let made = made_for(&folder, "unreal", "");
    assert!((rate(&made) - 30.0).abs() < 1e-6, "{}", rate(&made));
    assert_eq!(made["target"]["importer"]["custom_sample_rate"], 30);
    assert_eq!(made["target"]["importer"]["use_default_sample_rate"], false);
    assert_eq!(made["target"]["importer"]["enable_root_motion"], true);
    let made = made_for(&folder, "unreal", "--root-motion in-place --fps 60");
    assert!((rate(&made) - 60.0).abs() < 1e-6, "flags count more: {}", rate(&made));
    assert_eq!(made["target"]["importer"]["custom_sample_rate"], 60);
    assert_eq!(made["target"]["importer"]["enable_root_motion"], false);
    let made = made_for(&folder, "godot", "");
    let sampled = made["target"]["importer"]["animation/fps"].as_f64().unwrap();
    assert!((sampled - rate(&made)).abs() < 1e-9, "{sampled}");
    let made = made_for(&folder, "unity", "");
    let is_near = (rate(&made) - 29.97).abs() < 1e-3;
    assert!(is_near, "others keep the take's own: {}", rate(&made));
}

#[test]
fn unity_gets_the_settings_of_its_importer() {
    let folder = Folder::with_walk();
    let made = made_for(&folder, "unity", "");
    let importer = &made["target"]["importer"];
    let clip = &importer["clip"];
    assert_eq!(importer["animationType"], "Generic");
    assert_eq!(importer["preserveHierarchy"], true);
    assert_eq!(importer["motionNodeName"], "root");
    assert_eq!(clip["takeName"], made["playback"]["animation"]);
    assert_eq!(number(clip, "firstFrame"), 0.0);
    assert_eq!(number(clip, "lastFrame"), number(&made, "playback/samples"));
    assert_eq!(clip["loopTime"], true);
    assert_eq!(clip["loopPose"], false);
    for key in ["lockRootRotation", "lockRootHeightY", "lockRootPositionXZ"] {
        assert_eq!(clip[key], false, "{key}");
    }
    for key in [
        "keepOriginalOrientation",
        "keepOriginalPositionY",
        "keepOriginalPositionXZ",
    ] {
        assert_eq!(clip[key], true, "{key}");
    }
    let made = made_for(
        &folder,
        "unity",
        "--root-motion in-place --set output.last-key=drop --set output.repeat=2",
    );
    let clip = &made["target"]["importer"]["clip"];
    assert_eq!(clip["lockRootPositionXZ"], true);
    assert_eq!(number(clip, "lastFrame"), 2.0 * number(&made, "playback/samples") - 1.0);
    // A reader that ignores engines still reads the sidecar.
    folder.succeed("check walk-loop.fbx");
}

#[test]
fn blender_reads_bvh_as_metres_with_y_up() {
    let folder = Folder::with_walk();
    made_for(&folder, "generic", "-o centimetres.bvh");
    let made = made_for(&folder, "blender", "--set output.recenter=off -o metres.bvh");
    assert_eq!(made["playback"]["unit"], "m");
    let (wanted, found) = (folder.take("centimetres.bvh"), folder.take("metres.bvh"));
    // The harness reads both as centimetres.
    let off = (0..wanted.num_frames())
        .map(|frame| {
            let (wanted, found) = (wanted.translations(frame)[0], found.translations(frame)[0] * 100.0);
            (wanted - found).length()
        })
        .fold(0.0, f64::max);
    assert!(off < 1e-5, "{off} m");

    // Converting a file with another up axis.
    let turned = "HIERARCHY\nROOT Hips\n{\n OFFSET 0 10 90\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n JOINT Head\n {\n  OFFSET 0 0 60\n  CHANNELS 3 Zrotation Xrotation Yrotation\n  End Site\n  {\n   OFFSET 0 0 10\n  }\n }\n}\nMOTION\nFrames: 2\nFrame Time: 0.04\n1 2 90 0 0 0 10 20 30\n2 4 91 40 0 0 10 20 30\n";
    folder.write("z-up.bvh", turned);
    folder.succeed("convert z-up.bvh y-up.bvh --for blender --up z --unit cm");
    let text = folder.text("y-up.bvh");
    assert!(text.contains("OFFSET 0 0.9 -0.1"), "{text}");
    let z_up = folder.run("inspect z-up.bvh --up z --unit cm --json");
    let y_up = folder.run("inspect y-up.bvh --up y --unit m --json");
    assert_eq!((z_up.status, y_up.status), (0, 0), "{}{}", z_up.stderr, y_up.stderr);
    // A second conversion changes nothing.
    folder.succeed("convert y-up.bvh again.bvh --for blender --up y --unit m");
    assert_eq!(folder.text("again.bvh"), text);
}

#[test]
fn three_finds_the_twist_in_the_clip() {
    let folder = Folder::with_walk();
    made_for(&folder, "three", "-o web.glb");
    let bytes = folder.read("web.glb");
    let (json, _) = parts_of_glb(&bytes);
    let extras = &json["animations"][0]["extras"]["loopwright"];
    assert!(extras["root_motion"]["linear_velocity_mps"][2].as_f64().unwrap() > 1.0);
    assert_eq!(extras["target"]["name"], "three");
}

#[test]
fn a_recipe_names_the_client_in_any_case_and_flags_count_more() {
    let folder = Folder::with_walk();
    folder.write("unity.toml", "[output]\nfor = \"Unity\"\n");
    let made = folder.succeed("make walk.bvh --recipe unity.toml --save-recipe done.toml --json");
    assert_eq!(made.json()["outputs"][0], "walk-loop.fbx");
    assert_eq!(made.json()["target"]["name"], "unity");
    let is_said = folder.text("done.toml").contains("for = \"unity\"");
    assert!(is_said, "{}", folder.text("done.toml"));
    let again = folder.succeed("make walk.bvh --recipe done.toml --json --force");
    assert_eq!(again.json()["target"], made.json()["target"]);
    let other = folder.succeed("make walk.bvh --recipe unity.toml --for bevy --json");
    assert_eq!(other.json()["target"]["name"], "bevy");
    let closed = folder.succeed("close walk.bvh --range 20:54 --recipe unity.toml --json --force");
    assert_eq!(closed.json()["playback"]["root_joint_added"], true);
    folder.write("unity.toml", "[output]\nfor = \"flash\"\n");
    let wrong = folder.refuse("make walk.bvh --recipe unity.toml", "line 2");
    wrong.says("godot");
}

#[test]
fn a_converted_loop_names_its_new_engine_and_not_the_old() {
    let folder = Folder::with_walk();
    made_for(&folder, "unity", "-o a.fbx");
    folder.succeed("convert a.fbx b.glb --for unreal");
    let sidecar = folder.json("b.glb.json");
    assert_eq!(sidecar["target"]["name"], "unreal");
    folder.succeed("check b.glb");
    folder.succeed("convert a.fbx c.glb");
    assert_eq!(folder.json("c.glb.json")["target"], Value::Null);
    let answer = folder.succeed("convert a.fbx d.bvh --for godot");
    answer.says("godot does not read .bvh");
}

#[test]
fn a_rate_that_unreal_does_not_sample_at_is_reported() {
    let folder = Folder::with_walk();
    let odd = folder.succeed("make walk.bvh --for unreal --fps 29.97 -o odd.fbx");
    odd.says("29.970 is read as 30");
    let whole = folder.succeed("make walk.bvh --for unreal -o whole.fbx");
    assert!(!whole.stderr.contains("is read as"), "{}", whole.stderr);
}

/// World positions of all joints of a take at a frame: forward kinematics written out here.
fn world(take: &loopwright_core::Take, frame: usize) -> Vec<glam::DVec3> {
    let mut frames: Vec<(glam::DVec3, glam::DQuat)> = Vec::new();
    for (joint, (t, q)) in take.translations(frame).iter().zip(take.rotations(frame)).enumerate() {
        let (place, turn) = match take.skeleton().parent(joint) {
            Some(parent) => frames[parent],
            None => (glam::DVec3::ZERO, glam::DQuat::IDENTITY),
        };
        frames.push((place + turn * *t, turn * *q));
    }
    frames.into_iter().map(|(place, _)| place).collect()
}

#[test]
fn loops_for_engines_start_at_the_origin_and_face_ahead_in_every_format() {
    let folder = Folder::with_synth("--seconds 6 --turn-rate 20");
    for file in ["at.bvh", "at.fbx", "at.glb"] {
        let there = folder.run(&format!(
            "make walk.bvh --for unreal --set output.recenter=off --json -o off-{file}"
        ));
        let here = folder.run(&format!("make walk.bvh --for unreal --json -o on-{file}"));
        let (there, here) = (there.done().json(), here.done().json());
        assert_eq!(there["root_motion"]["recentered"], Value::Null, "{file}");
        assert_eq!(
            here["root_motion"]["linear_velocity_mps"],
            there["root_motion"]["linear_velocity_mps"]
        );
        assert!(number(&here, "root_motion/start_yaw_deg").abs() < 1e-9, "{file}");
        let moved = &here["root_motion"]["recentered"];
        let by = |index: usize| moved["moved_m"][index].as_f64().unwrap();
        assert!(by(0).abs() + by(2).abs() > 0.3, "the loop stood elsewhere: {moved}");
        assert_eq!(by(1), 0.0, "the floor stays");
        let (was, now) = (folder.take(&format!("off-{file}")), folder.take(&format!("on-{file}")));
        let first = now.pose(0).joint(0);
        assert!(first.translation.length() < 1e-6, "{file}: {first:?}");
        assert!(first.rotation.xyz().length() < 1e-6, "{file}: {first:?}");
        let turn = glam::DQuat::from_rotation_y(number(moved, "turn_deg").to_radians());
        // The harness reads all files as centimetres.
        let unit = if file == "at.glb" { 0.01 } else { 1.0 };
        let place = unit * glam::DVec3::new(by(0), 0.0, by(2));
        for frame in [0, 7, now.num_frames() - 1] {
            for (was, now) in world(&was, frame).into_iter().zip(world(&now, frame)) {
                let is_near = (turn * was + place - now).length() < 2e-5 * unit;
                assert!(is_near, "{file}: frame {frame}");
            }
        }
        for loops in ["off", "on"] {
            let figures = folder.answer(&format!("check {loops}-{file} --take walk.bvh --json"));
            let displacement = figures["loops"][0]["quality"]["displacement_mm"].as_f64();
            assert!(displacement.is_some_and(|mm| mm < 30.0), "{loops}-{file}: {figures:#}");
        }
    }
    let wrong = folder.refuse("make walk.bvh --set output.recenter=maybe -o x.bvh", "maybe");
    wrong.says("off");
    folder.write("place.toml", "[output]\nrecenter = \"on\"\n");
    let made = folder.answer("make walk.bvh --recipe place.toml --json -o recipe.bvh");
    assert_eq!(number(&made, "root_motion/start_yaw_deg"), 0.0);
}

#[test]
fn the_character_gets_the_root_joint_of_its_loops() {
    let folder = Folder::with_walk();
    folder.succeed("convert walk.bvh hero.fbx");
    folder.succeed("convert walk.bvh hero.glb");
    let names = |take: &loopwright_core::Take| -> Vec<(String, Option<usize>)> {
        let joints = take.skeleton().joints().iter();
        joints.map(|joint| (joint.name.clone(), joint.parent)).collect()
    };
    for (take, engine) in [("hero.fbx", "unity"), ("hero.glb", "unreal"), ("walk.bvh", "unity")] {
        let extension = if engine == "unity" { "fbx" } else { "glb" };
        let (made, converted) = (format!("made.{extension}"), format!("mesh.{extension}"));
        folder.succeed(&format!("make {take} --for {engine} --force -o {made}"));
        folder.succeed(&format!("convert {take} {converted} --for {engine} --force"));
        let (made, converted) = (folder.take(&made), folder.take(&converted));
        if extension == "fbx" {
            assert_eq!(made.skeleton().joint(0).name, "root");
            assert_eq!(names(&converted), names(&made), "{take}");
        }
        if take == "walk.bvh" {
            let recentered = world(&converted, 0);
            assert!(recentered[0].length() < 1e-6);
        }
    }
    // A glTF file gets the node, and its animations stay.
    let bytes = folder.read("mesh.glb");
    let (json, _) = parts_of_glb(&bytes);
    let nodes = json["nodes"].as_array().unwrap();
    let root = nodes.iter().position(|node| node["name"] == "root").unwrap();
    assert_eq!(json["scenes"][0]["nodes"][0], root);
    assert_eq!(nodes[root]["children"], serde_json::json!([0]));
    // What has a root joint gets no second one.
    folder.succeed("convert mesh.fbx again.fbx --for unity");
    assert_eq!(folder.read("mesh.fbx"), folder.read("again.fbx"));
    // Nor does an engine that needs none.
    folder.succeed("convert hero.fbx plain.fbx --for godot");
    assert_eq!(folder.read("hero.fbx"), folder.read("plain.fbx"));
}

#[test]
fn a_loop_without_a_root_joint_gets_one_when_it_is_converted() {
    let folder = Folder::with_walk();
    for file in ["a.bvh", "a.fbx"] {
        let made = folder.answer(&format!("make walk.bvh --json -o {file}"));
        assert_eq!(made["playback"]["root_joint_added"], false);
        folder.succeed(&format!("convert {file} b.fbx --for unity --force"));
        let sidecar = folder.json("b.fbx.json");
        assert_eq!(sidecar["playback"]["root_joint_added"], true, "{file}");
        assert_eq!(sidecar["target"]["importer"]["motionNodeName"], "root");
        assert_eq!(number(&sidecar, "root_motion/start_yaw_deg"), 0.0);
        assert!(sidecar["root_motion"]["recentered"].is_object());
        let take = folder.take("b.fbx");
        assert_eq!(take.skeleton().joint(0).name, "root");
        let (first, last) = (take.pose(0).joint(0), take.pose(take.num_frames() - 1).joint(0));
        let is_near = first.translation.length() < 1e-6 && last.translation.z > 0.5;
        assert!(is_near, "{first:?} {last:?}");
        folder.succeed("check b.fbx --take walk.bvh");
        let listed = folder.answer("list b.fbx --json");
        assert_eq!(
            listed["files"][0]["animations"].as_array().map(Vec::len),
            Some(1),
            "{listed:#}"
        );
    }
}

#[test]
fn blends_and_plays_are_written_for_engines_too() {
    let folder = Folder::with_walk();
    folder.succeed("synth -o fast.bvh --speed 2 --period 0.9 --seconds 6 --seed 9");
    folder.succeed("make walk.bvh --cycles 1 -o slow-loop.bvh");
    folder.succeed("make fast.bvh --cycles 1 -o fast-loop.bvh");
    let blend = folder.answer("blend slow-loop.bvh fast-loop.bvh -o mixed.fbx --for Unreal --json");
    assert_eq!(blend["target"]["name"], "unreal");
    assert_eq!(blend["playback"]["root_joint_added"], true);
    let rate = number(&blend, "playback/samples") / number(&blend, "candidate/period_secs");
    assert!((rate - rate.round()).abs() < 1e-9, "{rate}");
    assert_eq!(number(&blend, "root_motion/start_yaw_deg"), 0.0);
    let take = folder.take("mixed.fbx");
    assert_eq!(take.skeleton().joint(0).name, "root");
    assert!(take.pose(0).joint(0).translation.length() < 1e-6);
    folder.succeed("check mixed.fbx");
    let played = folder.succeed("play slow-loop.bvh fast-loop.bvh -o played.fbx --for unity --seconds 5");
    assert!(!played.stderr.contains("does not read"), "{}", played.stderr);
    let take = folder.take("played.fbx");
    assert_eq!(take.skeleton().joint(0).name, "root");
    let (first, last) = (take.pose(0).joint(0), take.pose(take.num_frames() - 1).joint(0));
    assert!(first.translation.length() < 1e-6 && first.rotation.xyz().length() < 1e-6);
    assert!(last.translation.z > 4.0, "{last:?}");
    let odd = folder.succeed("play slow-loop.bvh -o played.bvh --for unity --seconds 5");
    odd.says("unity does not read .bvh");
    let metres = folder.succeed("play slow-loop.bvh -o metres.bvh --for blender --seconds 5");
    assert!(metres.stderr.is_empty(), "{}", metres.stderr);
    assert!(folder.text("metres.bvh").contains("OFFSET"));
}

#[test]
fn keys_for_engines_read_like_all_keys() {
    let folder = Folder::with_walk();
    for (long, short, engine) in [("long.glb", "short.glb", "godot"), ("long.fbx", "short.fbx", "unreal")] {
        folder.succeed(&format!("make walk.bvh --add-root --set output.recenter=on -o {long}"));
        folder.succeed(&format!("make walk.bvh --for {engine} -o {short}"));
        let (was, now) = (folder.take(long), folder.take(short));
        assert_eq!(
            (was.num_frames(), was.frame_time_secs()),
            (now.num_frames(), now.frame_time_secs())
        );
        for frame in 0..was.num_frames() {
            assert_eq!(was.pose(frame), now.pose(frame), "{short}: frame {frame}");
        }
        folder.succeed(&format!("check {short} --take walk.bvh"));
    }
}

#[test]
fn humanoids_take_their_root_motion_from_the_body() {
    let folder = Folder::with_walk();
    let made = made_for(&folder, "unity-humanoid", "");
    let importer = &made["target"]["importer"];
    assert_eq!(importer["animationType"], "Human");
    assert_eq!(importer["motionNodeName"], "");
    assert_eq!(importer["clip"]["loopTime"], true);
    assert_eq!(importer["clip"]["lockRootPositionXZ"], false, "a walk moves");
    assert_eq!(importer["clip"]["lockRootHeightY"], true, "over level ground");
    assert_eq!(importer["clip"]["keepOriginalOrientation"], true);
    let made = made_for(&folder, "unity-humanoid", "--root-motion in-place");
    for key in ["lockRootRotation", "lockRootHeightY", "lockRootPositionXZ"] {
        assert_eq!(made["target"]["importer"]["clip"][key], true, "{key}");
    }
}

/// From whichever phase a loop is written, it is the same endless motion with the same figures, and stands where it is asked to.
#[test]
fn loops_start_at_the_phase_that_is_asked_for() {
    let folder = Folder::with_synth("--seconds 6 --turn-rate 20");
    let figures = |made: &Value| -> Vec<f64> {
        let checks = made["quality"]["checks"].as_array().unwrap().iter();
        checks.filter_map(|check| check["value"].as_f64()).collect()
    };
    let at_seam = folder.answer("make walk.bvh --json -o seam.bvh");
    assert_eq!(at_seam["playback"]["seam_sample"], 0);
    let count = at_seam["playback"]["samples"].as_u64().unwrap() as usize;
    for (phase, options) in [
        ("left-contact", ""),
        ("right-contact", "--set output.recenter=on"),
        ("passing", "--root-motion path"),
        ("0.25", "--add-root"),
        ("left-contact", "--root-motion in-place"),
    ] {
        for file in ["at.bvh", "at.fbx", "at.glb"] {
            let what = format!("{phase} {options} {file}");
            let plain = folder.answer(&format!("make walk.bvh --json -f -o plain-{file} {options}"));
            let made = folder.answer(&format!(
                "make walk.bvh --json -f -o {file} {options} --start-at {phase}"
            ));
            for (one, other) in figures(&plain).into_iter().zip(figures(&made)) {
                assert!((one - other).abs() < 0.01 * one.abs().max(0.1), "{what}: {one} {other}");
            }
            let first = count - made["playback"]["seam_sample"].as_u64().unwrap() as usize;
            // What is said to happen at a time happens there in the file.
            let kink_secs = |made: &Value| {
                let kink = items(&made["quality"]["checks"])
                    .find(|check| check["id"] == "kink")
                    .unwrap();
                kink["time_secs"].as_f64().unwrap()
            };
            let period = number(&made, "candidate/period_secs");
            let later = kink_secs(&made) - kink_secs(&plain) + first as f64 * period / count as f64;
            assert!((later / period).fract().abs() < 1e-6, "{what}: {later}");
            let feet = made["feet"]["outcomes"].as_array().unwrap();
            let strikes: Vec<f64> = feet.iter().map(|foot| foot["strike_phase"].as_f64().unwrap()).collect();
            match phase {
                "left-contact" => assert_eq!(strikes[0], 0.0, "{what}"),
                "right-contact" => assert_eq!(strikes[1], 0.0, "{what}"),
                "passing" => assert!(strikes[1] > 0.05 && strikes[1] < 0.5, "{what}: {strikes:?}"),
                _ => assert_eq!(first, (0.25 * count as f64).round() as usize, "{what}"),
            }
            let (was, now) = (folder.take(&format!("plain-{file}")), folder.take(file));
            let is_recentered = options.contains("recenter");
            assert!(
                !is_recentered || number(&made, "root_motion/start_yaw_deg").abs() < 1e-9,
                "{what}"
            );
            let unit = if file == "at.glb" { 0.01 } else { 1.0 };
            let is_there = !is_recentered && !options.contains("in-place");
            for key in (0..count - first).filter(|_| is_there) {
                for (was, now) in world(&was, first + key).into_iter().zip(world(&now, key)) {
                    assert!((was - now).length() < 5e-5 * unit, "{what}: key {key}, {was} {now}");
                }
            }
            let checked = folder.answer(&format!("check {file} --take walk.bvh --json"));
            let moved = |figures: &Value| figures["quality"]["displacement_mm"].as_f64().unwrap();
            let (one, other) = (moved(&made), moved(&checked["loops"][0]));
            assert!((one - other).abs() < 0.02 * one + 1e-3, "{what}: {one} {other}");
        }
    }
    folder.refuse("make walk.bvh --start-at 1 -o x.bvh", "left-contact");
    let made = folder.run("make walk.bvh --set take.feet=LeftFoot --start-at right-contact -o one-foot.bvh");
    made.says("the loop starts at its seam: no right foot touches down in it");
}
