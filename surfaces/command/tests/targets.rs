//! `--for`: the output for each engine, and flags that override it.

use crate::harness::{Folder, holds, items, near, number, parts_of_glb, rows};
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

#[test]
fn loops_for_engines_start_at_the_origin_and_face_ahead_in_every_format() {
    let folder = Folder::with_synth("--seconds 6 --turn-rate 20");
    for file in ["at.bvh", "at.fbx", "at.glb"] {
        let make = "make walk.bvh --for unreal --json";
        let there = folder.answer(&format!("{make} --set output.recenter=off -o off-{file}"));
        let here = folder.answer(&format!("{make} -o on-{file}"));
        holds(&there, "root_motion/recentered = null");
        holds(
            &here,
            "root_motion/start_yaw_deg < 1e-9\nroot_motion/start_yaw_deg > -1e-9\nroot_motion/recentered/moved_m/1 = 0",
        );
        let velocity = |made: &Value| made["root_motion"]["linear_velocity_mps"].clone();
        assert_eq!(velocity(&here), velocity(&there), "{file}");
        let root = |name: String| folder.take(&name).pose(0).joint(0);
        let (was, now) = (root(format!("off-{file}")), root(format!("on-{file}")));
        // The harness reads all files as centimetres.
        assert!(was.translation.length() > 0.002, "the loop stood elsewhere: {was:?}");
        assert!(
            now.translation.length() < 1e-6 && now.rotation.xyz().length() < 1e-6,
            "{file}: {now:?}"
        );
        for name in ["off", "on"] {
            let checked = folder.answer(&format!("check {name}-{file} --take walk.bvh --json"));
            holds(&checked, "loops/0/quality/displacement_mm < 30");
        }
    }
    folder.refuse("make walk.bvh --set output.recenter=maybe -o x.bvh", "maybe");
    folder.write("place.toml", "[output]\nrecenter = \"on\"\n");
    let made = folder.answer("make walk.bvh --recipe place.toml --json -o recipe.bvh");
    holds(&made, "root_motion/start_yaw_deg = 0");
}

/// The file of the character that a loop is for gets the same root joint, once.
#[test]
fn the_character_gets_the_root_joint_of_its_loops() {
    let folder = Folder::with_walk();
    folder.runs(
        "
        convert walk.bvh hero.fbx
        convert walk.bvh hero.glb
        make hero.fbx --for unity -o made.fbx
        convert hero.fbx mesh.fbx --for unity
        convert hero.glb mesh.glb --for unreal
        convert mesh.fbx again.fbx --for unity
        convert hero.fbx plain.fbx --for godot
        convert walk.bvh take.fbx --for unity
        make mesh.fbx --for unity -o rig.fbx |! --add-root
        ",
    );
    let [made, mesh, take] = ["made.fbx", "mesh.fbx", "take.fbx"].map(|name| folder.take(name));
    assert_eq!(made.skeleton().joint(0).name, "root");
    let parents = |take: &loopwright_core::Take| -> Vec<(String, Option<usize>)> {
        let joints = take.skeleton().joints().iter();
        joints.map(|joint| (joint.name.clone(), joint.parent)).collect()
    };
    assert_eq!(parents(&mesh), parents(&made));
    assert!(take.pose(0).joint(0).translation.length() < 1e-6);
    // A glTF file gets the node, and its animations stay.
    let bytes = folder.read("mesh.glb");
    let (json, _) = parts_of_glb(&bytes);
    let root = items(&json["nodes"]).position(|node| node["name"] == "root").unwrap();
    assert_eq!(json["scenes"][0]["nodes"][0], root);
    assert_eq!(json["nodes"][root]["children"], serde_json::json!([0]));
    // What has a root joint gets no second one, nor does an engine that needs none.
    assert_eq!(folder.read("mesh.fbx"), folder.read("again.fbx"));
    assert_eq!(folder.read("hero.fbx"), folder.read("plain.fbx"));
    let rooted = "playback/root_joint_added = false\nplayback/root_joint = root\ntarget/importer/motionNodeName = root";
    holds(&folder.json("rig.fbx.json"), rooted);
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

/// From whichever phase a loop is written, it is the same endless motion with the same figures, and stands where it is asked to.
#[test]
fn loops_start_at_the_phase_that_is_asked_for() {
    let folder = Folder::with_synth("--seconds 6 --turn-rate 20");
    let at_seam = folder.answer("make walk.bvh --json -o seam.bvh");
    holds(&at_seam, "playback/seam_sample = 0");
    let count = number(&at_seam, "playback/samples");
    for [phase, options, file] in rows(
        "
        left-contact  |                           | at.bvh
        left-contact  |                           | at.fbx
        right-contact | --set output.recenter=on  | at.glb
        passing       | --root-motion path        | at.glb
        0.25          | --add-root                | at.fbx
        left-contact  | --root-motion in-place    | at.bvh
        ",
    ) {
        let what = format!("{phase} {options} {file}");
        let plain = folder.answer(&format!("make walk.bvh --json -f -o plain-{file} {options}"));
        let made = folder.answer(&format!(
            "make walk.bvh --json -f -o {file} {options} --start-at {phase}"
        ));
        for (one, other) in items(&plain["quality"]["checks"]).zip(items(&made["quality"]["checks"])) {
            if let (Some(one), Some(other)) = (one["value"].as_f64(), other["value"].as_f64()) {
                near(other, one, 0.01 * one.abs().max(0.1));
            }
        }
        let first = count - number(&made, "playback/seam_sample");
        // What is said to happen at a time happens there in the file.
        let kink_secs = |made: &Value| {
            let mut checks = items(&made["quality"]["checks"]);
            number(checks.find(|check| check["id"] == "kink").unwrap(), "time_secs")
        };
        let period = number(&made, "candidate/period_secs");
        let later = kink_secs(&made) - kink_secs(&plain) + first * period / count;
        assert!((later / period).fract().abs() < 1e-6, "{what}: {later}");
        let strikes = [0, 1].map(|foot| number(&made, &format!("feet/outcomes/{foot}/strike_phase")));
        match phase {
            // The strike lies between the first key and the next.
            "left-contact" => assert!(strikes[0] < 1.0 / count, "{what}: {strikes:?}"),
            "right-contact" => assert!(strikes[1] < 1.0 / count, "{what}: {strikes:?}"),
            "passing" => assert!(strikes[1] > 0.05 && strikes[1] < 0.5, "{what}: {strikes:?}"),
            _ => assert_eq!(first, (0.25 * count).round(), "{what}"),
        }
        if options.contains("recenter") {
            near(number(&made, "root_motion/start_yaw_deg"), 0.0, 1e-9);
        } else if !options.contains("in-place") {
            let [was, now] = [&format!("plain-{file}"), file].map(|name| folder.take(name).world_tracks());
            let unit = if file == "at.glb" { 0.01 } else { 1.0 };
            for (key, joint) in
                (0..(count - first) as usize).flat_map(|key| (0..now.num_joints()).map(move |joint| (key, joint)))
            {
                let off = was
                    .position(first as usize + key, joint)
                    .distance(now.position(key, joint));
                assert!(off < 5e-5 * unit, "{what}: key {key}, {off}");
            }
        }
        let checked = folder.answer(&format!("check {file} --take walk.bvh --json"));
        let moved = number(&made, "quality/displacement_mm");
        near(
            number(&checked, "loops/0/quality/displacement_mm"),
            moved,
            0.02 * moved + 1e-3,
        );
    }
    folder.runs(
        "
        2 make walk.bvh --start-at 1 -o x.bvh | left-contact
        make walk.bvh --set take.feet=LeftFoot --start-at right-contact -o one-foot.bvh -f | the loop starts at its seam: no right foot touches down in it
        ",
    );
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
}
