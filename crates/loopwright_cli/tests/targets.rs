//! `--for`: the output for each engine, and flags that override it.

mod harness;

use harness::{Folder, number};
use serde_json::Value;

/// Makes a loop of the walk for an engine and returns the JSON of the command; `check` must find that it loops.
fn made_for(folder: &Folder, engine: &str, options: &str) -> Value {
    let made = folder
        .run(&format!("make walk.bvh --for {engine} --json --force {options}"))
        .done()
        .json();
    let file = made["outputs"][0].as_str().unwrap();
    folder.run(&format!("check {file}")).done();
    made
}

#[test]
fn every_client_gets_a_format_that_it_reads() {
    let folder = Folder::with_walk();
    for (engine, file) in [
        ("godot", "walk-loop.glb"),
        ("unity", "walk-loop.fbx"),
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
    folder.run("convert walk.bvh hero.fbx").done();
    for (engine, file) in [("godot", "hero-loop.fbx"), ("bevy", "hero-loop.glb")] {
        let made = folder
            .run(&format!("make hero.fbx --for {engine} --json --force"))
            .done();
        assert_eq!(made.json()["outputs"][0], file, "{engine}");
    }
    // A named file is written as requested, with a warning if the engine does not read it.
    let made = folder.run("make walk.bvh --for unity -o mine.bvh").done();
    assert!(made.stderr.contains("unity does not read .bvh"), "{}", made.stderr);
    let made = folder.run("make walk.bvh --for unity -o mine.fbx").done();
    assert!(!made.stderr.contains("does not read"), "{}", made.stderr);
}

#[test]
fn the_root_is_where_each_client_looks_for_it() {
    let folder = Folder::with_walk();
    for (engine, mode, added) in [
        ("godot", "constant", true),
        ("unity", "constant", true),
        ("unreal", "constant", true),
        ("bevy", "in-place", false),
        ("blender", "constant", false),
        ("three", "in-place", false),
        ("generic", "constant", false),
    ] {
        let made = made_for(&folder, engine, "");
        assert_eq!(made["root_motion"]["mode"], mode, "{engine}");
        assert_eq!(made["playback"]["root_joint_added"], added, "{engine}");
        assert!(
            number(&made, "root_motion/speed_mps") > 1.0,
            "{engine}: the twist is reported all the same"
        );
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
    folder.run("make walk.bvh --add-root -o rooted.bvh --repeat 3").done();
    folder.copy("rooted.bvh", "rig.bvh");
    let made = folder.run("make rig.bvh --for unity --json -o rig.fbx").done();
    let json = made.json();
    assert_eq!(json["playback"]["root_joint_added"], false);
    assert_eq!(json["playback"]["root_joint"], "root");
    assert_eq!(json["target"]["importer"]["motionNodeName"], "root");
    assert!(!made.stderr.contains("--add-root"), "{}", made.stderr);
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
    assert!(
        (rate(&made) - 29.97).abs() < 1e-3,
        "others keep the take's own: {}",
        rate(&made)
    );
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
    let made = made_for(&folder, "unity", "--root-motion in-place --last-key drop --repeat 2");
    let clip = &made["target"]["importer"]["clip"];
    assert_eq!(clip["lockRootPositionXZ"], true);
    assert_eq!(number(clip, "lastFrame"), 2.0 * number(&made, "playback/samples") - 1.0);
    // A reader that ignores engines still reads the sidecar.
    folder.run("check walk-loop.fbx").done();
}

#[test]
fn blender_reads_bvh_as_metres_with_y_up() {
    let folder = Folder::with_walk();
    made_for(&folder, "generic", "-o centimetres.bvh");
    let made = made_for(&folder, "blender", "-o metres.bvh");
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
    folder
        .run("convert z-up.bvh y-up.bvh --for blender --up z --unit cm")
        .done();
    let text = folder.text("y-up.bvh");
    assert!(text.contains("OFFSET 0 0.9 -0.1"), "{text}");
    let z_up = folder.run("inspect z-up.bvh --up z --unit cm --json");
    let y_up = folder.run("inspect y-up.bvh --up y --unit m --json");
    assert_eq!((z_up.status, y_up.status), (0, 0), "{}{}", z_up.stderr, y_up.stderr);
    // A second conversion changes nothing.
    folder
        .run("convert y-up.bvh again.bvh --for blender --up y --unit m")
        .done();
    assert_eq!(folder.text("again.bvh"), text);
}

#[test]
fn three_finds_the_twist_in_the_clip() {
    let folder = Folder::with_walk();
    made_for(&folder, "three", "-o web.glb");
    let bytes = folder.read("web.glb");
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let extras = &json["animations"][0]["extras"]["loopwright"];
    assert!(extras["root_motion"]["linear_velocity_mps"][2].as_f64().unwrap() > 1.0);
    assert_eq!(extras["target"]["name"], "three");
}

#[test]
fn a_recipe_names_the_client_and_flags_count_more() {
    let folder = Folder::with_walk();
    folder.write("unity.toml", "[output]\nfor = \"unity\"\n");
    let made = folder
        .run("make walk.bvh --recipe unity.toml --save-recipe done.toml --json")
        .done();
    assert_eq!(made.json()["outputs"][0], "walk-loop.fbx");
    assert!(
        folder.text("done.toml").contains("for = \"unity\""),
        "{}",
        folder.text("done.toml")
    );
    let again = folder.run("make walk.bvh --recipe done.toml --json --force").done();
    assert_eq!(again.json()["target"], made.json()["target"]);
    let other = folder.run("make walk.bvh --recipe unity.toml --for bevy --json").done();
    assert_eq!(other.json()["target"]["name"], "bevy");
    let closed = folder
        .run("close walk.bvh --range 20:54 --recipe unity.toml --json --force")
        .done();
    assert_eq!(closed.json()["playback"]["root_joint_added"], true);
    folder.write("unity.toml", "[output]\nfor = \"flash\"\n");
    let wrong = folder.run("make walk.bvh --recipe unity.toml");
    assert_eq!(wrong.status, 2);
    assert!(
        wrong.stderr.contains("line 2") && wrong.stderr.contains("godot"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn a_converted_loop_names_its_new_engine_and_not_the_old() {
    let folder = Folder::with_walk();
    made_for(&folder, "unity", "-o a.fbx");
    folder.run("convert a.fbx b.glb --for unreal").done();
    let sidecar = folder.json("b.glb.json");
    assert_eq!(sidecar["target"]["name"], "unreal");
    folder.run("check b.glb").done();
    folder.run("convert a.fbx c.glb").done();
    assert_eq!(folder.json("c.glb.json")["target"], Value::Null);
    let answer = folder.run("convert a.fbx d.bvh --for godot").done();
    assert!(answer.stderr.contains("godot does not read .bvh"), "{}", answer.stderr);
}

#[test]
fn a_rate_that_unreal_does_not_sample_at_is_reported() {
    let folder = Folder::with_walk();
    let odd = folder.run("make walk.bvh --for unreal --fps 29.97 -o odd.fbx").done();
    assert!(odd.stderr.contains("29.970 is read as 30"), "{}", odd.stderr);
    let whole = folder.run("make walk.bvh --for unreal -o whole.fbx").done();
    assert!(!whole.stderr.contains("is read as"), "{}", whole.stderr);
}
