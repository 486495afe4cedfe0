//! `retarget`: takes and loops on other characters, their maps, and what is refused.

mod harness;

use harness::Folder;
use loopwright_mocap::folder_or_skip;

/// A folder with `walk.bvh`, `loop.bvh`, and the character `hero.glb`: another walker's skeleton, in glTF.
fn with_hero() -> Folder {
    let folder = Folder::with_walk();
    folder.run("make walk.bvh -o loop.bvh").done();
    folder.run("synth -o other.bvh --seconds 2 --fps 30 --seed 3").done();
    folder.run("convert other.bvh hero.glb").done();
    folder
}

#[test]
fn a_loop_on_another_character_is_still_a_loop() {
    let folder = with_hero();
    for output in ["hero-walk.glb", "hero-walk.gltf", "hero-walk.bvh", "hero-walk.fbx"] {
        folder
            .run(&format!("retarget loop.bvh --rig hero.glb -o {output}"))
            .done();
        let checked = folder.run(&format!("check {output} --json")).done().json();
        assert_eq!(checked["loops"][0]["verdict"], "loops", "{output}: {checked:#}");
        let (own, made) = (folder.json("loop.bvh.json"), folder.json(&format!("{output}.json")));
        assert_eq!(made["playback"]["samples"], own["playback"]["samples"]);
        assert_eq!(made["take"]["rig"]["file"], "hero.glb");
        let [one, other] = [&own, &made].map(|facts| facts["root_motion"]["speed_mps"].as_f64().unwrap());
        assert!((one - other).abs() < 1e-3, "{output}: {one} {other}");
        let slide = made["quality"]["foot_slide_cmps"].as_f64().unwrap();
        assert!(slide < 1.0, "{output}: {slide} cm/s");
    }
    // The character keeps what it had.
    let names = loopwright_formats::animation_names(&folder.read("hero-walk.glb"));
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn the_map_is_kept_edited_and_its_mistakes_are_named() {
    let folder = with_hero();
    let run = |more: &str| folder.run(&format!("retarget walk.bvh --rig hero.glb -o moved.glb --force {more}"));
    run("--save-map map.toml").done();
    let (map, first) = (folder.text("map.toml"), folder.read("moved.glb"));
    assert!(map.contains("LeftForeArm = \"LeftForeArm\""), "{map}");
    run("--map map.toml").done();
    assert!(folder.read("moved.glb") == first, "the same map gives the same bytes");
    folder.write(
        "other.toml",
        "[joints]\nLeftForeArm = \"\"\nSpine1 = [\"Spine\", \"Spine2\", 0.5]\n",
    );
    let answer = run("--map other.toml").done();
    assert!(
        answer.stderr.contains("nothing in the motion moves: LeftForeArm"),
        "{}",
        answer.stderr
    );
    assert!(folder.read("moved.glb") != first);
    for (text, says) in [
        ("[joints]\nLeftForArm = \"LeftArm\"\n", "no joint named \"LeftForArm\""),
        ("[joints]\nLeftArm = \"LeftArmm\"\n", "LeftArm"),
        ("[joints]\nLeftArm = 3\n", "cannot read \"wrong.toml\""),
        ("[bones]\n", "cannot read \"wrong.toml\""),
    ] {
        folder.write("wrong.toml", text);
        let refused = run("--map wrong.toml");
        assert_eq!(refused.status, 2, "{text}");
        assert!(refused.stderr.contains(says), "{text}: {}", refused.stderr);
    }
}

#[test]
fn make_puts_the_take_onto_the_character_first() {
    let folder = with_hero();
    let made = folder
        .run("make walk.bvh --rig hero.glb --json --save-recipe hero.toml")
        .done()
        .json();
    assert_eq!(made["outputs"][0], "walk-loop.glb");
    assert_eq!(
        (&made["take"]["file"], &made["take"]["rig"]["file"]),
        (&"walk.bvh".into(), &"hero.glb".into())
    );
    assert_eq!(made["quality"]["grade"], "good", "{made:#}");
    folder.run("check walk-loop.glb").done();
    let own = folder.json("loop.bvh.json");
    assert_eq!(made["playback"]["samples"], own["playback"]["samples"]);
    let again = folder
        .run("make walk.bvh --recipe hero.toml -o again.glb --json")
        .done()
        .json();
    assert_eq!(again["take"]["rig"], made["take"]["rig"]);
    assert!(folder.read("again.glb") == folder.read("walk-loop.glb"));
    folder.run("find walk.bvh --rig hero.glb").done();
    assert_eq!(folder.run("make walk.bvh --map hero.toml -o all.glb").status, 2);
    let refused = folder.run("make walk.bvh --rig hero.glb -o hero.glb --force");
    assert!(refused.stderr.contains("is the rig itself"), "{}", refused.stderr);
}

#[test]
fn convert_puts_takes_and_loops_onto_the_character() {
    let folder = with_hero();
    for input in ["walk.bvh", "loop.bvh"] {
        folder.run(&format!("convert {input} one.glb --rig hero.glb")).done();
        folder
            .run(&format!("retarget {input} --rig hero.glb -o two.glb"))
            .done();
        assert!(
            folder.read("one.glb") == folder.read("two.glb"),
            "{input}: the same bytes"
        );
        std::fs::remove_file(folder.file("one.glb")).unwrap();
        std::fs::remove_file(folder.file("two.glb")).unwrap();
    }
    let answer = folder
        .run("convert loop.bvh image.glb --rig hero.glb --mirror --json")
        .done()
        .json();
    assert_eq!(
        (&answer["is_loop"], &answer["mirrored"], &answer["take"]["rig"]["file"]),
        (&true.into(), &true.into(), &"hero.glb".into())
    );
    folder.run("check image.glb").done();
    folder.run("convert loop.bvh straight.glb --rig hero.glb").done();
    let turn = |name: &str| folder.json(name)["root_motion"]["turn_rate_dps"].as_f64().unwrap();
    assert!((turn("image.glb.json") + turn("straight.glb.json")).abs() < 1e-3);
    // A folder of outputs takes the character's format.
    folder.run("convert walk.bvh other.bvh out/ --rig hero.glb").done();
    assert!(folder.file("out/walk.glb").exists() && folder.file("out/other.glb").exists());
    assert_eq!(folder.run("convert walk.bvh no.glb --map hero.toml").status, 2);
    assert_eq!(folder.run("convert walk.bvh no.glb --rig none.glb").status, 2);
    let refused = folder.run("convert walk.bvh hero.glb --rig hero.glb --force");
    assert!(refused.stderr.contains("is the rig itself"), "{}", refused.stderr);
}

#[test]
fn blend_mixes_loops_of_two_skeletons_on_the_character() {
    let folder = with_hero();
    let renamed = folder.text("walk.bvh").replace("LeftForeArm", "LeftLowArm");
    folder.write("other-names.bvh", &renamed);
    folder.run("make other-names.bvh -o renamed.bvh").done();
    let refused = folder.run("blend loop.bvh renamed.bvh -o mix.bvh");
    assert!(refused.stderr.contains("another skeleton"), "{}", refused.stderr);
    let mixed = folder
        .run("blend loop.bvh renamed.bvh --rig hero.glb -o mix.glb --json")
        .done()
        .json();
    assert_eq!(mixed["take"]["rig"]["file"], "hero.glb");
    let slide = mixed["quality"]["foot_slide_cmps"].as_f64().unwrap();
    assert!(slide < 1.0, "{slide} cm/s");
    folder.run("check mix.glb").done();
    let own = folder.json("loop.bvh.json");
    let [one, other] = [&own, &mixed].map(|facts| facts["root_motion"]["speed_mps"].as_f64().unwrap());
    let scale = mixed["take"]["rig"]["scale"].as_f64().unwrap();
    assert!((one * scale - other).abs() < 1e-2, "{one} {other}");
    assert_eq!(loopwright_formats::animation_names(&folder.read("mix.glb")).len(), 2);
    assert_eq!(folder.run("blend loop.bvh --map map.toml -o no.glb").status, 2);
}

#[test]
fn an_animal_takes_the_gait_of_another() {
    let Some(takes) = folder_or_skip() else { return };
    let folder = Folder::new();
    let [horse, fox] = ["horse-animations.glb", "rig-fox.glb"].map(|name| takes.join("mesh2motion").join(name));
    let [horse, fox] = [&horse, &fox].map(|path| path.to_str().unwrap());
    folder
        .run_list(&["make", horse, "--animation", "Walk", "-o", "horse.glb"])
        .done();
    folder
        .run_list(&["retarget", "horse.glb", "--rig", fox, "-o", "fox.glb"])
        .done();
    let (own, made) = (folder.json("horse.glb.json"), folder.json("fox.glb.json"));
    assert_eq!(made["take"]["rig"]["coverage"], 1.0, "{made:#}");
    let slide = |facts: &serde_json::Value| facts["quality"]["foot_slide_cmps"].as_f64().unwrap();
    assert!(slide(&made) < slide(&own).max(1.0), "{} {}", slide(&own), slide(&made));
    folder.run("check fox.glb").done();
}

#[test]
fn neither_the_motion_nor_the_character_is_overwritten() {
    let folder = with_hero();
    let before = folder.read("hero.glb");
    let refused = folder.run("retarget loop.bvh --rig hero.glb -o hero.glb --force");
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("is the rig itself"), "{}", refused.stderr);
    assert!(folder.read("hero.glb") == before);
    folder.write("box.bvh", "no skeleton");
    assert_eq!(folder.run("retarget loop.bvh --rig box.bvh -o new.bvh").status, 2);
    assert_eq!(folder.run("retarget loop.bvh --rig none.glb -o new.bvh").status, 2);
    assert!(!folder.file("new.bvh").exists());
}

#[test]
fn real_characters_take_a_walk_whole() {
    let Some(takes) = folder_or_skip() else { return };
    let folder = Folder::with_walk();
    folder.run("make walk.bvh -o loop.bvh").done();
    for (rig, extension) in [
        ("mesh2motion/human-male.glb", "glb"),
        ("mesh2motion/rig-human.glb", "glb"),
        ("gltf/Knight.glb", "glb"),
        ("gltf/RobotExpressive.glb", "glb"),
        ("gltf/CesiumMan.gltf", "glb"),
        ("ufbx/blender_293_barbarian_7400_binary.fbx", "fbx"),
        ("ozz-pab/walk.fbx", "fbx"),
        ("cmu/05_20_daz.bvh", "bvh"),
    ] {
        let output = format!("out.{extension}");
        let path = takes.join(rig);
        folder
            .run_list(&[
                "retarget",
                "loop.bvh",
                "--rig",
                path.to_str().unwrap(),
                "-o",
                &output,
                "--force",
            ])
            .done();
        let made = folder.json(&format!("{output}.json"));
        assert_eq!(made["take"]["rig"]["coverage"], 1.0, "{rig}");
        assert_eq!(made["quality"]["grade"], "good", "{rig}: {}", made["quality"]);
        folder.run(&format!("check {output}")).done();
    }
}
