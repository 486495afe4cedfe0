//! `--for`: the output for each engine, and flags that override it.

use crate::harness::{Folder, glb_of, holds, near, number, parts_of_glb, rows};
use loopwright_formats::animation_names;
use serde_json::Value;

/// Makes a loop of the walk for an engine and returns the JSON of the command; `check` must find that it loops.
fn made_for(folder: &Folder, engine: &str, options: &str) -> Value {
    let made = folder.answer(&format!("make walk.bvh --for {engine} --json --force {options}"));
    let file = made["outputs"][0].as_str().unwrap();
    folder.succeed(&format!("check {file}"));
    made
}

/// The format is one that the engine reads, and the root is where it looks for it.
#[test]
fn every_client_gets_a_format_and_a_root_that_it_reads() {
    let folder = Folder::with_walk();
    for [engine, file, mode, added] in rows(
        "
        godot          | walk-loop.glb | constant | true
        unity          | walk-loop.fbx | constant | true
        unity-humanoid | walk-loop.fbx | constant | false
        unreal         | walk-loop.fbx | constant | true
        bevy           | walk-loop.glb | in-place | false
        blender        | walk-loop.bvh | constant | false
        three          | walk-loop.bvh | in-place | false
        generic        | walk-loop.bvh | constant | false
        ",
    ) {
        let made = made_for(&folder, engine, "");
        holds(
            &made,
            &format!(
                "
                outputs/0 = {file}
                target/name = {engine}
                playback/closing_key = true
                playback/root_joint_added = {added}
                root_motion/mode = {mode}
                root_motion/speed_mps > 1
                "
            ),
        );
        assert_eq!(made, folder.json(&format!("{file}.json")), "the sidecar says the same");
    }
    // Clips of one character share a skeleton, with or without root motion; and flags count more.
    for [engine, options, fact] in rows(
        "
        unity  | --root-motion in-place | playback/root_joint_added = true
        unreal | --root-motion in-place | playback/root_joint_added = true
        bevy   | --root-motion constant | root_motion/mode = constant
        ",
    ) {
        holds(&made_for(&folder, engine, options), fact);
    }
    // The take's own format stays if the engine reads it; a named file is written as requested, with a warning.
    folder.runs(
        "
        convert walk.bvh hero.fbx
        make hero.fbx --for godot                 | hero-loop.fbx: good
        make hero.fbx --for bevy                  | hero-loop.glb: good
        make walk.bvh --for unity -o mine.bvh     | unity does not read .bvh
        make walk.bvh --for unity -o mine.fbx     |! does not read
        make walk.bvh --for unreal --fps 29.97 -o odd.fbx | 29.970 is read as 30
        make walk.bvh --for unreal -o whole.fbx   |! is read as
        ",
    );
    // A viewer finds the twist in the clip.
    made_for(&folder, "three", "-o web.glb");
    let web = folder.read("web.glb");
    holds(
        &parts_of_glb(&web).0["animations"][0]["extras"]["loopwright"],
        "root_motion/linear_velocity_mps/2 > 1\ntarget/name = three",
    );
}

#[test]
fn unreal_gets_whole_frames_per_second() {
    let folder = Folder::with_synth("--seconds 4 --fps 29.97");
    for [engine, options, rate_hz, facts] in rows(
        "
        unreal |                               | 30    | custom_sample_rate = 30; use_default_sample_rate = false; enable_root_motion = true
        unreal | --root-motion in-place --fps 60 | 60  | custom_sample_rate = 60; enable_root_motion = false
        unity  |                               | 29.97 | animationType = Generic
        ",
    ) {
        let made = made_for(&folder, engine, options);
        let rate = number(&made, "playback/samples") / number(&made, "candidate/period_secs");
        near(rate, rate_hz.parse().unwrap(), 1e-3);
        holds(&made["target"]["importer"], facts);
    }
    let made = made_for(&folder, "godot", "");
    let rate = number(&made, "playback/samples") / number(&made, "candidate/period_secs");
    near(number(&made["target"]["importer"], "animation~1fps"), rate, 1e-9);
}

#[test]
fn unity_gets_the_settings_of_its_importer() {
    let folder = Folder::with_walk();
    let made = made_for(&folder, "unity", "");
    holds(
        &made["target"]["importer"],
        "
        animationType = Generic
        preserveHierarchy = true
        motionNodeName = root
        clip/firstFrame = 0
        clip/loopTime = true
        clip/loopPose = false
        clip/lockRootRotation = false
        clip/lockRootHeightY = false
        clip/lockRootPositionXZ = false
        clip/keepOriginalOrientation = true
        clip/keepOriginalPositionY = true
        clip/keepOriginalPositionXZ = true
        ",
    );
    let clip = &made["target"]["importer"]["clip"];
    assert_eq!(clip["takeName"], made["playback"]["animation"]);
    assert_eq!(number(clip, "lastFrame"), number(&made, "playback/samples"));
    let options = "--root-motion in-place --set output.last-key=drop --set output.repeat=2";
    let made = made_for(&folder, "unity", options);
    let clip = &made["target"]["importer"]["clip"];
    holds(clip, "lockRootPositionXZ = true");
    assert_eq!(number(clip, "lastFrame"), 2.0 * number(&made, "playback/samples") - 1.0);

    // Humanoids take their root motion from the body: a walk moves over level ground.
    holds(
        &made_for(&folder, "unity-humanoid", "")["target"]["importer"],
        "
        animationType = Human
        motionNodeName = \"\"
        clip/loopTime = true
        clip/lockRootPositionXZ = false
        clip/lockRootHeightY = true
        clip/keepOriginalOrientation = true
        ",
    );
    holds(
        &made_for(&folder, "unity-humanoid", "--root-motion in-place")["target"]["importer"]["clip"],
        "lockRootRotation = true\nlockRootHeightY = true\nlockRootPositionXZ = true",
    );
}

#[test]
fn blender_reads_bvh_as_metres_with_y_up() {
    let folder = Folder::with_walk();
    made_for(&folder, "generic", "-o centimetres.bvh");
    let made = made_for(&folder, "blender", "--set output.recenter=off -o metres.bvh");
    holds(&made, "playback/unit = m");
    let (wanted, found) = (folder.take("centimetres.bvh"), folder.take("metres.bvh"));
    for frame in 0..wanted.num_frames() {
        // The harness reads both as centimetres.
        let off = wanted.translations(frame)[0] - found.translations(frame)[0] * 100.0;
        assert!(off.length() < 1e-5, "{off} m");
    }
    // Converting a file with another up axis; a second conversion changes nothing.
    let turned = "HIERARCHY\nROOT Hips\n{\n OFFSET 0 10 90\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n JOINT Head\n {\n  OFFSET 0 0 60\n  CHANNELS 3 Zrotation Xrotation Yrotation\n  End Site\n  {\n   OFFSET 0 0 10\n  }\n }\n}\nMOTION\nFrames: 2\nFrame Time: 0.04\n1 2 90 0 0 0 10 20 30\n2 4 91 40 0 0 10 20 30\n";
    folder.write("z-up.bvh", turned);
    folder.runs(
        "
        convert z-up.bvh y-up.bvh --for blender --up z --unit cm
        convert y-up.bvh again.bvh --for blender --up y --unit m
        ",
    );
    let text = folder.text("y-up.bvh");
    assert!(text.contains("OFFSET 0 0.9 -0.1"), "{text}");
    assert_eq!(folder.text("again.bvh"), text);
}

#[test]
fn a_recipe_names_the_client_in_any_case_and_flags_count_more() {
    let folder = Folder::with_walk();
    folder.write("unity.toml", "[output]\nfor = \"Unity\"\n");
    folder.write("wrong.toml", "[output]\nfor = \"flash\"\n");
    let made = folder.answer("make walk.bvh --recipe unity.toml --save-recipe done.toml --json");
    holds(&made, "outputs/0 = walk-loop.fbx\ntarget/name = unity");
    assert!(folder.text("done.toml").contains("for = \"unity\""));
    let again = folder.answer("make walk.bvh --recipe done.toml --json --force");
    assert_eq!(again["target"], made["target"]);
    for [command, fact] in rows(
        "
        make walk.bvh --recipe unity.toml --for bevy            | target/name = bevy
        close walk.bvh --range 20:54 --recipe unity.toml --force | playback/root_joint_added = true
        ",
    ) {
        holds(&folder.answer(&format!("{command} --json")), fact);
    }
    folder
        .refuse("make walk.bvh --recipe wrong.toml", "line 2")
        .says("godot");
}

#[test]
fn a_converted_loop_names_its_new_engine_and_not_the_old() {
    let folder = Folder::with_walk();
    made_for(&folder, "unity", "-o a.fbx");
    folder.runs(
        "
        convert a.fbx b.glb --for unreal
        check b.glb
        convert a.fbx c.glb
        convert a.fbx d.bvh --for godot | godot does not read .bvh
        ",
    );
    holds(&folder.json("b.glb.json"), "target/name = unreal");
    holds(&folder.json("c.glb.json"), "target = null");
}

/// Asserts that a root joint goes ahead from the origin, by more than this many metres.
fn starts_at_the_origin(folder: &Folder, file: &str, metres: f64) {
    let take = folder.take(file);
    assert_eq!(take.skeleton().joint(0).name, "root");
    let (first, last) = (take.pose(0).joint(0), take.pose(take.num_frames() - 1).joint(0));
    assert!(
        first.translation.length() < 1e-6 && last.translation.z > metres,
        "{first:?} {last:?}"
    );
}

#[test]
fn a_loop_without_a_root_joint_gets_one_when_it_is_converted() {
    let folder = Folder::with_walk();
    for file in ["a.bvh", "a.fbx"] {
        folder.runs(&format!(
            "
            make walk.bvh -o {file}
            convert {file} b.fbx --for unity --force
            check b.fbx --take walk.bvh
            list b.fbx | 1 animation at
            "
        ));
        holds(
            &folder.json(&format!("{file}.json")),
            "playback/root_joint_added = false",
        );
        holds(
            &folder.json("b.fbx.json"),
            "
            playback/root_joint_added = true
            playback/root_joint = root
            target/importer/motionNodeName = root
            root_motion/start_yaw_deg = 0
            root_motion/recentered != null
            ",
        );
        starts_at_the_origin(&folder, "b.fbx", 0.5);
    }
}

#[test]
fn blends_and_plays_are_written_for_engines_too() {
    let folder = Folder::with_walk();
    folder.runs(
        "
        synth -o fast.bvh --speed 2 --period 0.9 --seconds 6 --seed 9
        make walk.bvh --cycles 1 -o slow-loop.bvh
        make fast.bvh --cycles 1 -o fast-loop.bvh
        ",
    );
    let blend = folder.answer("blend slow-loop.bvh fast-loop.bvh -o mixed.fbx --for Unreal --json");
    holds(
        &blend,
        "target/name = unreal\nplayback/root_joint_added = true\nroot_motion/start_yaw_deg = 0",
    );
    let rate = number(&blend, "playback/samples") / number(&blend, "candidate/period_secs");
    near(rate, rate.round(), 1e-9);
    folder.runs(
        "
        check mixed.fbx
        play slow-loop.bvh fast-loop.bvh -o played.fbx --for unity --seconds 5 |! does not read
        play slow-loop.bvh -o played.bvh --for unity --seconds 5 | unity does not read .bvh
        ",
    );
    starts_at_the_origin(&folder, "mixed.fbx", 0.5);
    starts_at_the_origin(&folder, "played.fbx", 4.0);
    let metres = folder.succeed("play slow-loop.bvh -o metres.bvh --for blender --seconds 5");
    assert_eq!(metres.stderr, "");
}

/// Godot repeats what is named `-loop`: a loop of a pack that stays as it is gets the name.
#[test]
fn loops_that_stay_are_named_so_for_godot() {
    let folder = Folder::with_walk();
    folder.succeed("make walk.bvh -o loop.glb --for bevy");
    let loop_file = folder.read("loop.glb");
    let named = String::from_utf8_lossy(&loop_file).contains("\"walk-loop\"");
    assert!(named);
    let mut pack = loop_file;
    while let Some(at) = pack.windows(9).position(|name| name == b"walk-loop") {
        pack[at..at + 9].copy_from_slice(b"wandering");
    }
    folder.write("pack.glb", pack);
    for [engine, name] in [["godot", "wandering-loop"], ["generic", "wandering"]] {
        let made = folder.answer(&format!(
            "make pack.glb --all-animations --for {engine} -o {engine}.glb --json"
        ));
        holds(
            &made,
            &format!(
                "animations/0/outcome = kept\nloops/0/playback/animation = {name}\nloops/0/target/name = {engine}"
            ),
        );
        let (document, _) = parts_of_glb(&folder.read(&format!("{engine}.glb")));
        assert_eq!(document["animations"].as_array().unwrap().len(), 1);
        assert_eq!(document["animations"][0]["name"], name);
        folder.succeed(&format!("check {engine}.glb"));
    }
    // The name is another animation's: a number stands before its ending.
    let pack = folder.read("pack.glb");
    let (mut document, motion) = parts_of_glb(&pack);
    let mut other = document["animations"][0].clone();
    other["name"] = "wandering-loop".into();
    document["animations"].as_array_mut().unwrap().push(other);
    folder.write("two.glb", glb_of(&document, motion));
    let made = folder.answer("make two.glb --all-animations --for godot -o numbered.glb --json");
    holds(
        &made,
        "
        animations/0/outcome = kept
        animations/0/loop_animation = wandering_2-loop
        loops/0/playback/animation = wandering_2-loop
        loops/1/playback/animation = wandering-loop
        warnings/0 = wandering: another animation has the name of its loop, which is therefore \"wandering_2-loop\"
        ",
    );
    let names = animation_names(&folder.read("numbered.glb"));
    assert_eq!(names, ["wandering_2-loop", "wandering-loop"]);
    // Animations of FBX cannot be renamed: the loop is added, named after the file, as that of a single animation is.
    folder.succeed("convert pack.glb pack.fbx");
    let made = folder.answer("make pack.fbx --all-animations --for godot -o godot.fbx --json");
    holds(
        &made,
        "animations/0/outcome = closed\nloops/0/playback/animation = pack-loop",
    );
    // A file of its own is named anew anyway, so that the loop is kept for any engine, with the feet of its author.
    let feet = ["generic", "godot"].map(|engine| {
        folder.succeed(&format!(
            "make pack.fbx --all-animations --split --for {engine} -o {engine}/"
        ));
        let names = folder.names().into_iter();
        let below = format!("{engine}/");
        let mut sidecars = names.filter(|name| name.starts_with(&below) && name.ends_with(".fbx.json"));
        folder.json(&sidecars.next().unwrap())["feet"].clone()
    });
    holds(&feet[0], "outcomes/0/outcome = not asked");
    assert_eq!(feet[0], feet[1]);
}
