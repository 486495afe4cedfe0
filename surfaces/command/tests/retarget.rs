//! `retarget`: takes and loops on other characters, their maps, and what is refused.

use crate::harness::{Folder, glb_of, parts_of_glb, schema::assert_valid};
use loopwright_formats::{AnimationChoice, ReadSettings};
use loopwright_mocap::folder_or_skip;

/// A folder with `walk.bvh`, `loop.bvh`, and the character `hero.glb`: another walker's skeleton, in glTF.
fn with_hero() -> Folder {
    let folder = Folder::with_walk();
    folder.succeed("make walk.bvh -o loop.bvh");
    folder.succeed("synth -o other.bvh --seconds 2 --fps 30 --seed 3");
    folder.succeed("convert other.bvh hero.glb");
    folder
}

#[test]
fn a_loop_on_another_character_is_still_a_loop() {
    let folder = with_hero();
    for output in ["hero-walk.glb", "hero-walk.gltf", "hero-walk.bvh", "hero-walk.fbx"] {
        folder.succeed(&format!("retarget loop.bvh --rig hero.glb -o {output}"));
        let checked = folder.answer(&format!("check {output} --json"));
        assert_eq!(checked["loops"][0]["grade"], "good", "{output}: {checked:#}");
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

/// Another stretch is taken where the loop of the take is not good, never for what the character makes of it.
#[test]
fn a_character_on_which_a_loop_is_not_good_gets_the_same_stretch() {
    let Some(mocap) = folder_or_skip() else { return };
    let folder = Folder::new();
    let take = mocap.join("100style/Neutral_FW.bvh").display().to_string();
    let rig = mocap.join("gltf/Knight.glb").display().to_string();
    let made = |arguments: &[&str]| {
        folder
            .run_list(&[&["make", &take, "--json"], arguments].concat())
            .json()
    };
    let own = made(&["-o", "own.bvh"]);
    let on_it = made(&["-o", "knight.glb", "--rig", &rig]);
    assert_eq!(own["quality"]["grade"], "good");
    for end in ["start_frame", "end_frame"] {
        assert_eq!(on_it["candidate"][end], own["candidate"][end], "{end}");
    }
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
    assert!(!answer.stderr.contains("LeftForeArm"), "{}", answer.stderr);
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
        refused.says(says);
    }
}

#[test]
fn make_puts_the_take_onto_the_character_first() {
    let folder = with_hero();
    let made = folder.answer("make walk.bvh --rig hero.glb --json --save-recipe hero.toml");
    assert_eq!(made["outputs"][0], "walk-loop.glb");
    assert_eq!(made["take"]["file"], "walk.bvh");
    assert_eq!(made["take"]["rig"]["file"], "hero.glb");
    assert_eq!(made["quality"]["grade"], "good", "{made:#}");
    folder.succeed("check walk-loop.glb");
    let own = folder.json("loop.bvh.json");
    assert_eq!(made["playback"]["samples"], own["playback"]["samples"]);
    let again = folder.answer("make walk.bvh --recipe hero.toml -o again.glb --json");
    assert_eq!(again["take"]["rig"], made["take"]["rig"]);
    assert!(folder.read("again.glb") == folder.read("walk-loop.glb"));
    folder.succeed("find walk.bvh --rig hero.glb");
    folder.fail("make walk.bvh --map hero.toml -o all.glb");
    folder.refuse("make walk.bvh --rig hero.glb -o hero.glb --force", "is the rig itself");
}

/// Number 2 of `find` is number 2 on a character, and rows of catalogs say whose skeleton loops are on.
#[test]
fn the_loop_is_that_of_the_take_and_the_skeleton_that_of_the_character() {
    let folder = with_hero();
    let cut = |facts: &serde_json::Value| {
        let candidate = &facts["candidate"];
        (candidate["start_frame"].clone(), candidate["end_frame"].clone())
    };
    for pick in [1, 2] {
        let words = format!("make walk.bvh --set search.shifted=true --pick {pick} --json --force");
        let own = folder.answer(&format!("{words} -o own.bvh"));
        let made = folder.answer(&format!("{words} -o on.glb --rig hero.glb"));
        assert_eq!(cut(&own), cut(&made), "number {pick}");
        // The take is that of the file; the loop says what it is on.
        assert_eq!(own["take"]["unit"], made["take"]["unit"]);
        assert_eq!(made["playback"]["unit"], "m");
        assert_eq!(made["closure"], own["closure"]);
    }
    folder.succeed("make walk.bvh other.bvh --rig hero.glb -o out/ --catalog rows.csv");
    let rows = folder.text("rows.csv");
    let mut rows = rows.lines().map(|row| row.split(',').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let column = header.iter().position(|name| *name == "skeleton_sha256").unwrap();
    let hashes: Vec<&str> = rows.map(|row| row[column]).collect();
    assert!(hashes.len() == 2 && hashes[0] == hashes[1], "{hashes:?}");
}

#[test]
fn bones_of_legs_grow_where_that_is_asked_for() {
    let folder = with_hero();
    // A shorter left shin does not reach its places, which go by the mean of both legs.
    let other = folder.text("other.bvh");
    let shin = other.find("LeftFoot").unwrap();
    let from = shin + other[shin..].find("OFFSET").unwrap();
    let to = from + other[from..].find('\n').unwrap();
    let offset = other[from..to].split_whitespace().skip(1);
    let offset: Vec<f64> = offset.map(|number| 0.8 * number.parse::<f64>().unwrap()).collect();
    let shorter = format!("OFFSET {} {} {}", offset[0], offset[1], offset[2]);
    folder.write("uneven.bvh", [&other[..from], &shorter, &other[to..]].concat());
    folder.succeed("convert uneven.bvh hero.glb --force");
    let onto_hero = |more: &str| folder.run(&format!("retarget loop.bvh --rig hero.glb -o on.glb --force {more}"));
    onto_hero("").done();
    let stiff = folder.read("on.glb");
    onto_hero("--bone-stretch 1").done();
    assert!(folder.read("on.glb") != stiff, "bones grow");
    folder.succeed("check on.glb");
    for more in ["2", "x", "-1"] {
        let refused = onto_hero(&format!("--bone-stretch={more}"));
        let is_said = refused.status == 2 && refused.stderr.contains("from 0 to 1");
        assert!(is_said, "{more}: {}", refused.stderr);
    }
    folder.write("stretch.toml", "[take]\nrig = \"hero.glb\"\nbone-stretch = 5.0\n");
    folder.refuse("make walk.bvh --recipe stretch.toml -o no.glb", "from 0 to 1");
}

#[test]
fn a_character_that_cannot_be_read_stops_many_takes_before_they_begin() {
    let folder = with_hero();
    folder.make_folder("takes");
    for name in ["takes/one.bvh", "takes/two.bvh"] {
        folder.copy("walk.bvh", name);
    }
    folder.write("bad.glb", "no character");
    folder.write("bad.toml", "[joints");
    for command in ["make takes -o out", "retarget takes -o out/", "find takes"] {
        for (more, names) in [
            ("--rig bad.glb", "cannot read \"bad.glb\""),
            ("--rig hero.glb --map bad.toml", "cannot read \"bad.toml\""),
        ] {
            let refused = folder.fail(&format!("{command} {more}"));
            assert_eq!(
                refused.stderr.matches(names).count(),
                1,
                "{command}: {}",
                refused.stderr
            );
            assert!(!refused.stdout.contains("unreadable"), "{command}: {}", refused.stdout);
        }
    }
    assert!(!folder.file("out").exists());
}

#[test]
fn among_many_takes_the_character_is_none_and_errors_name_the_take() {
    let folder = with_hero();
    folder.make_folder("takes");
    for (from, to) in [("walk.bvh", "takes/walk.bvh"), ("hero.glb", "takes/hero.glb")] {
        folder.copy(from, to);
    }
    folder.succeed("make takes -o made --rig takes/hero.glb");
    folder.succeed("retarget takes -o moved/ --rig takes/hero.glb");
    assert!(folder.file("moved/walk.glb").exists() && !folder.file("moved/hero.glb").exists());
    folder.write("wrong.toml", "[joints]\nHips = \"Pelvis\"\n");
    for command in ["make takes -o no", "retarget takes -o no/"] {
        let refused = folder.fail(&format!("{command} --rig hero.glb --map wrong.toml"));
        let says = "takes/walk.bvh\": the motion's skeleton has no joint";
        let said = refused.stderr + &refused.stdout;
        assert!(said.contains(says), "{command}: {said}");
    }
    // One that is named is an input, and a folder that holds nothing else holds none.
    folder.succeed("retarget walk.bvh hero.glb -o named/ --rig hero.glb");
    assert!(folder.file("named/hero.glb").exists());
    folder.make_folder("only");
    folder.copy("hero.glb", "only/hero.glb");
    for command in ["make only -o no", "retarget only -o no/", "inspect only"] {
        folder.refuse(&format!("{command} --rig only/hero.glb"), "there is no take");
    }
    // A mesh alone is no character, whatever the takes.
    folder.write("box.bvh", "HIERARCHY ROOT Box { OFFSET 0 0 0 CHANNELS 3 Xposition Yposition Zposition } MOTION Frames: 2 Frame Time: 0.1\n0 0 0\n0 0 1\n");
    let refused = folder.run("make takes -o no --rig box.bvh");
    assert_eq!(
        (
            refused.status,
            refused.stderr.matches("the rig has no skeleton").count()
        ),
        (2, 1)
    );
    refused.says("\"box.bvh\"");
}

#[test]
fn a_map_keeps_what_it_lets_rest() {
    let folder = with_hero();
    folder.write("rest.toml", "[joints]\nHead = \"\"\n");
    let run = |more: &str| folder.succeed(&format!("retarget walk.bvh --rig hero.glb -o moved.glb --force {more}"));
    let said = run("--map rest.toml --save-map kept.toml").stderr;
    assert!(!said.contains("Head"), "what was asked for is no warning: {said}");
    let first = folder.read("moved.glb");
    let is_said = folder.text("kept.toml").contains("Head = \"\"");
    assert!(is_said, "{}", folder.text("kept.toml"));
    run("--map kept.toml");
    assert!(folder.read("moved.glb") == first);
    folder.write("wrong.toml", "[joints]\nHead = 3\n");
    let refused = folder.fail("retarget walk.bvh --rig hero.glb -o no.glb --map wrong.toml");
    refused.says("expected a joint's name");
    // The map of a recipe's character is not that of another.
    folder.write("recipe.toml", "[take]\nrig = \"nobody.glb\"\nmap = \"nothing.toml\"\n");
    folder.succeed("make walk.bvh --recipe recipe.toml --rig hero.glb -o made.glb");
    folder.write("recipe.toml", "[take]\nrig = \"hero.glb\"\nmap = \"rest.toml\"\n");
    folder.succeed("make walk.bvh --recipe recipe.toml --rig hero.glb -o same.glb");
    let joints = |file: &str| folder.json(file)["take"]["rig"]["joints_followed"].as_u64().unwrap();
    assert_eq!(joints("same.glb.json") + 1, joints("made.glb.json"));
}

#[test]
fn a_loop_whose_seam_shows_is_one_on_the_character_too() {
    let folder = with_hero();
    // As it is, the take does not close.
    folder
        .run("close walk.bvh --range 40:75 --set joint=*:open -o cut.bvh --lock-feet off")
        .ended(1);
    let moved = folder
        .run("retarget cut.bvh --rig hero.glb -o moved.glb --json")
        .ended(1);
    assert_eq!(moved.json()["quality"]["grade"], "bad");
    assert_eq!(folder.run("check moved.glb").status, 1);
}

#[test]
fn what_is_said_of_a_character_needs_one_by_flag_or_recipe() {
    let folder = with_hero();
    folder.succeed("retarget walk.bvh --rig hero.glb -o moved.glb --save-map map.toml");
    folder.write("rig.toml", "[take]\nrig = \"hero.glb\"\n");
    folder.write("no-rig.toml", "[take]\nbone-stretch = 1.0\n");
    for (more, names) in [
        ("--map map.toml", "--map"),
        ("--recipe no-rig.toml", "take.bone-stretch"),
    ] {
        let refused = folder.run(&format!("make walk.bvh -o no.glb {more}"));
        let says = format!("error: {names} says how a character follows");
        let is_said = refused.status == 2 && refused.stderr.contains(&says);
        assert!(is_said, "{}", refused.stderr);
    }
    folder.succeed("make walk.bvh -o on.glb --recipe rig.toml --map map.toml");
    folder.succeed("make walk.bvh -o also.glb --recipe no-rig.toml --rig hero.glb");
}

#[test]
fn convert_puts_takes_and_loops_onto_the_character() {
    let folder = with_hero();
    for input in ["walk.bvh", "loop.bvh"] {
        folder.succeed(&format!("convert {input} one.glb --rig hero.glb"));
        folder.succeed(&format!("retarget {input} --rig hero.glb -o two.glb"));
        let is_right = folder.read("one.glb") == folder.read("two.glb");
        assert!(is_right, "{input}: the same bytes");
        std::fs::remove_file(folder.file("one.glb")).unwrap();
        std::fs::remove_file(folder.file("two.glb")).unwrap();
    }
    let answer = folder.answer("convert loop.bvh image.glb --rig hero.glb --mirror --json");
    assert_eq!(answer["is_loop"], true);
    assert_eq!(answer["mirrored"], true);
    assert_eq!(answer["take"]["rig"]["file"], "hero.glb");
    folder.succeed("check image.glb");
    folder.succeed("convert loop.bvh straight.glb --rig hero.glb");
    let turn = |name: &str| folder.json(name)["root_motion"]["turn_rate_dps"].as_f64().unwrap();
    assert!((turn("image.glb.json") + turn("straight.glb.json")).abs() < 1e-3);
    // A folder of outputs takes the character's format.
    folder.succeed("convert walk.bvh other.bvh out/ --rig hero.glb");
    assert!(folder.file("out/walk.glb").exists() && folder.file("out/other.glb").exists());
    folder.fail("convert walk.bvh no.glb --map hero.toml");
    folder.fail("convert walk.bvh no.glb --rig none.glb");
    folder.refuse("convert walk.bvh hero.glb --rig hero.glb --force", "is the rig itself");
}

#[test]
fn blend_mixes_loops_of_two_skeletons_on_the_character() {
    let folder = with_hero();
    let renamed = folder.text("walk.bvh").replace("LeftForeArm", "LeftLowArm");
    folder.write("other-names.bvh", &renamed);
    folder.succeed("make other-names.bvh -o renamed.bvh");
    folder.refuse("blend loop.bvh renamed.bvh -o mix.bvh", "another skeleton");
    let mixed = folder.answer("blend loop.bvh renamed.bvh --rig hero.glb -o mix.glb --json");
    assert_eq!(mixed["take"]["rig"]["file"], "hero.glb");
    let slide = mixed["quality"]["foot_slide_cmps"].as_f64().unwrap();
    assert!(slide < 1.0, "{slide} cm/s");
    folder.succeed("check mix.glb");
    let own = folder.json("loop.bvh.json");
    let [one, other] = [&own, &mixed].map(|facts| facts["root_motion"]["speed_mps"].as_f64().unwrap());
    let scale = mixed["take"]["rig"]["scale"].as_f64().unwrap();
    assert!((one * scale - other).abs() < 1e-2, "{one} {other}");
    assert_eq!(loopwright_formats::animation_names(&folder.read("mix.glb")).len(), 2);
    folder.fail("blend loop.bvh --map map.toml -o no.glb");
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
    folder.succeed("check fox.glb");
}

#[test]
fn neither_the_motion_nor_the_character_is_overwritten() {
    let folder = with_hero();
    let before = folder.read("hero.glb");
    let refused = folder.fail("retarget loop.bvh --rig hero.glb -o hero.glb --force");
    refused.says("is the rig itself");
    assert!(folder.read("hero.glb") == before);
    // Nor is a take that is named like the output.
    folder.succeed("convert walk.bvh walk.glb");
    let before = folder.read("walk.glb");
    folder.fail("make walk.glb --rig hero.glb -o walk.glb --force");
    assert!(folder.read("walk.glb") == before);
    folder.write("box.bvh", "no skeleton");
    folder.fail("retarget loop.bvh --rig box.bvh -o new.bvh");
    folder.fail("retarget loop.bvh --rig none.glb -o new.bvh");
    assert!(!folder.file("new.bvh").exists());
}

#[test]
fn real_characters_take_a_walk_whole() {
    let Some(takes) = folder_or_skip() else { return };
    let folder = Folder::with_walk();
    folder.succeed("make walk.bvh -o loop.bvh");
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
            .run_on(&path, &format!("retarget loop.bvh --rig FILE -o {output} --force"))
            .done();
        let made = folder.json(&format!("{output}.json"));
        assert_eq!(made["take"]["rig"]["coverage"], 1.0, "{rig}");
        assert_eq!(made["quality"]["grade"], "good", "{rig}: {}", made["quality"]);
        folder.succeed(&format!("check {output}"));
    }
}

/// Armatures below a node of scale 100: what goes onto them, or comes from them, is what goes by way of BVH, which has no scales.
#[test]
fn fbx_armatures_of_scale_100_give_and_take_motion_at_their_size() {
    let Some(takes) = folder_or_skip() else { return };
    let folder = Folder::with_walk();
    folder.succeed("synth -o hero.glb --seconds 2 --fps 30 --seed 9");
    let run = |words: &[&str]| folder.run_list(words).done();
    for armature in ["isaacgym-cmu/07_01_cmu.fbx", "isaacgym-cmu/55_01_cmu.fbx"] {
        let armature = takes.join(armature);
        let armature = armature.to_str().unwrap();
        run(&["convert", armature, "plain.bvh", "--force"]);
        for (source, rig) in [(armature, "hero.glb"), ("walk.bvh", armature)] {
            let [plain, plain_rig] = [source, rig].map(|path| if path == armature { "plain.bvh" } else { path });
            run(&["retarget", source, "--rig", rig, "-o", "on.bvh", "--force"]);
            run(&["retarget", plain, "--rig", plain_rig, "-o", "wanted.bvh", "--force"]);
            let off = farthest(&folder.read("wanted.bvh"), &folder.read("on.bvh"));
            assert!(off < 1e-3, "{source} on {rig}: {off} m");
        }
        // The file of the armature itself holds the same.
        run(&["retarget", "walk.bvh", "--rig", armature, "-o", "on.fbx", "--force"]);
        run(&["convert", "on.fbx", "again.bvh", "--animation", "walk", "--force"]);
        let off = farthest(&folder.read("on.bvh"), &folder.read("again.bvh"));
        assert!(off < 1e-3, "{armature}: {off} m");
    }
}

/// The same animated nodes below a node of this scale, with lengths that make up for it.
fn below_scaled_node(glb: &[u8], scale: f64) -> Vec<u8> {
    let (mut json, bin) = parts_of_glb(glb);
    let mut bin = bin.to_vec();
    for node in json["nodes"].as_array_mut().unwrap() {
        if let Some(at) = node.get_mut("translation") {
            for number in at.as_array_mut().unwrap() {
                *number = (number.as_f64().unwrap() / scale).into();
            }
        }
    }
    let mut outputs: Vec<u64> = Vec::new();
    for animation in json["animations"].as_array().unwrap() {
        for channel in animation["channels"].as_array().unwrap() {
            if channel["target"]["path"] == "translation" {
                let sampler = channel["sampler"].as_u64().unwrap() as usize;
                outputs.push(animation["samplers"][sampler]["output"].as_u64().unwrap());
            }
        }
    }
    outputs.sort_unstable();
    outputs.dedup();
    assert!(!outputs.is_empty());
    let mut shrink = |accessor: u64, width: usize, is_length: &dyn Fn(usize) -> bool| {
        let accessor = &json["accessors"][accessor as usize];
        let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let offset = |of: &serde_json::Value| of["byteOffset"].as_u64().unwrap_or(0) as usize;
        let first = offset(accessor) + offset(view);
        let count = width * accessor["count"].as_u64().unwrap() as usize;
        for (at, value) in bin[first..first + 4 * count].chunks_exact_mut(4).enumerate() {
            if is_length(at % width) {
                let metres = f32::from_le_bytes(value.try_into().unwrap());
                value.copy_from_slice(&((f64::from(metres) / scale) as f32).to_le_bytes());
            }
        }
    };
    for output in outputs {
        shrink(output, 3, &|_| true);
    }
    // The mesh stays as it is: what takes it into the axes of a joint makes up for it.
    for skin in json["skins"].as_array().unwrap() {
        let matrices = skin["inverseBindMatrices"].as_u64().unwrap();
        shrink(matrices, 16, &|at| at % 4 != 3);
    }
    let above = json["nodes"].as_array().unwrap().len();
    let roots = json["scenes"][0]["nodes"].take();
    let node = serde_json::json!({ "name": "Armature", "scale": [scale, scale, scale], "children": roots });
    json["nodes"].as_array_mut().unwrap().push(node);
    json["scenes"][0]["nodes"] = serde_json::json!([above]);
    glb_of(&json, &bin)
}

/// The same nodes beside another root of the scene, first in it, that turns with a joint of the body.
fn beside_another_root(glb: &[u8]) -> Vec<u8> {
    let (mut json, bin) = parts_of_glb(glb);
    let first = json["nodes"].as_array().unwrap().len();
    let nodes = json["nodes"].as_array_mut().unwrap();
    nodes.push(serde_json::json!({ "name": "Camera", "translation": [2.0, 0.5, -1.0], "children": [first + 1] }));
    nodes.push(serde_json::json!({ "name": "Lens", "translation": [0.0, 0.1, 0.0] }));
    let roots = json["scenes"][0]["nodes"].as_array_mut().unwrap();
    roots.insert(0, first.into());
    for animation in json["animations"].as_array_mut().unwrap() {
        let channels = animation["channels"].as_array_mut().unwrap();
        let mut turns = channels
            .iter()
            .filter(|channel| channel["target"]["path"] == "rotation");
        let mut turn = turns.next_back().unwrap().clone();
        turn["target"]["node"] = first.into();
        channels.push(turn);
    }
    glb_of(&json, bin)
}

#[test]
fn other_roots_of_the_scene_change_nothing() {
    let folder = with_hero();
    folder.succeed("convert walk.bvh plain.glb");
    for name in ["plain", "hero"] {
        let beside = beside_another_root(&folder.read(&format!("{name}.glb")));
        std::fs::write(folder.path().join(format!("{name}-beside.glb")), beside).unwrap();
    }
    folder.succeed("retarget plain.glb --rig hero.glb -o wanted.glb");
    for (source, rig) in [
        ("plain-beside", "hero"),
        ("plain", "hero-beside"),
        ("plain-beside", "hero-beside"),
    ] {
        folder.succeed(&format!("retarget {source}.glb --rig {rig}.glb -o on.glb --force"));
        let name = loopwright_formats::animation_names(&folder.read("on.glb"))
            .pop()
            .unwrap();
        let of_last = |file: &str| {
            folder.succeed(&format!("convert {file}.glb {file}.bvh --animation {name} --force"));
            folder.read(&format!("{file}.bvh"))
        };
        let off = farthest(&of_last("wanted"), &of_last("on"));
        assert!(off < 1e-5, "{source} on {rig}: {off} m");
    }
}

/// The largest distance between joints of one name in two files, over all frames, metres.
fn farthest(one: &[u8], other: &[u8]) -> f64 {
    let [one, other] = [one, other].map(|bytes| loopwright_formats::load(bytes, "file").unwrap().take);
    assert_eq!(one.num_frames(), other.num_frames());
    let (of_one, of_other) = (one.world_tracks(), other.world_tracks());
    let mut farthest = 0.0_f64;
    let mut num_shared = 0;
    for (joint, known) in one.skeleton().joints().iter().enumerate() {
        let Some(same) = other.skeleton().find(&known.name) else {
            continue;
        };
        num_shared += 1;
        for frame in 0..one.num_frames() {
            let off = of_one.position(frame, joint) - of_other.position(frame, same);
            farthest = farthest.max(off.length());
        }
    }
    assert!(num_shared > 20, "{num_shared} joints");
    farthest
}

/// Armatures of other programs scale all that hangs below them, as from centimetres or to them.
#[test]
fn scaled_parents_change_neither_the_motion_nor_the_character() {
    let folder = with_hero();
    folder.succeed("convert walk.bvh plain.glb");
    folder.succeed("retarget plain.glb --rig hero.glb --animation 0 -o plain-on-hero.bvh");
    let wanted = folder.read("plain-on-hero.bvh");
    for scale in [0.01, 100.0] {
        std::fs::write(
            folder.path().join("scaled.glb"),
            below_scaled_node(&folder.read("plain.glb"), scale),
        )
        .unwrap();
        std::fs::write(
            folder.path().join("scaled-hero.glb"),
            below_scaled_node(&folder.read("hero.glb"), scale),
        )
        .unwrap();
        for (source, rig) in [
            ("scaled.glb", "hero.glb"),
            ("plain.glb", "scaled-hero.glb"),
            ("scaled.glb", "scaled-hero.glb"),
        ] {
            folder.succeed(&format!("retarget {source} --rig {rig} -o on.bvh --force"));
            let off = farthest(&wanted, &folder.read("on.bvh"));
            assert!(off < 1e-4, "{source} on {rig}, scale {scale}: {off} m");
            // Into the character's own file, below its own scaled node.
            folder.succeed(&format!("make {source} --rig {rig} -o on.glb --force"));
            folder.succeed("make plain.glb --rig hero.glb -o wanted.glb --force");
            let made = [folder.json("wanted.glb.json"), folder.json("on.glb.json")];
            let [one, other] = made.map(|facts| facts["root_motion"]["speed_mps"].as_f64().unwrap());
            assert!((one - other).abs() < 1e-4, "{one} {other}");
        }
    }
}

/// The worlds of some joints of a take at its first frame and at its last.
fn ends(folder: &Folder, file: &str, names: &[&str]) -> [Vec<glam::DVec3>; 2] {
    let settings = ReadSettings {
        animation: AnimationChoice::Loop,
        ..ReadSettings::default()
    };
    let read = loopwright_formats::read_take(&folder.read(file), file, &settings, &mut Vec::new());
    let take = read.unwrap().take;
    [0, take.num_frames() - 1].map(|frame| {
        let world = take.pose(frame).world(take.skeleton());
        let at = |name: &&str| world.translations[take.skeleton().find(name).unwrap()];
        names.iter().map(at).collect()
    })
}

#[test]
fn rigs_whose_hips_carry_a_pelvis_and_feet_beside_their_legs_go_whole() {
    let Some(takes) = folder_or_skip() else { return };
    let folder = Folder::with_walk();
    folder.succeed("make walk.bvh -o loop.bvh");
    for (rig, carrier, all) in [
        ("ozz-pab/walk.fbx", "Hips", &["Hips", "Pelvis", "Spine", "Head"][..]),
        (
            "ufbx/blender_293_barbarian_7400_binary.fbx",
            "Armature",
            &["Armature", "bassin", "pied gauche.001", "pied droit.001", "tête"],
        ),
    ] {
        let path = takes.join(rig);
        for output in ["on.fbx", "on.glb", "on.bvh"] {
            let onto = format!("retarget loop.bvh --rig FILE -o {output} --force");
            folder.run_on(&path, &onto).done();
            let made = folder.json(&format!("{output}.json"));
            assert_eq!(made["quality"]["grade"], "good", "{rig} {output}: {}", made["quality"]);
            assert_eq!(made["playback"]["carrier_joint"], carrier, "{rig} {output}");
            let checked = folder.answer(&format!("check {output} --json"));
            assert_eq!(checked["loops"][0]["grade"], "good", "{rig} {output}: {checked:#}");
            let [first, last] = ends(&folder, output, all);
            let travels = || first.iter().zip(&last).map(|(first, last)| first.distance(*last));
            // The head is the last of them.
            let wanted = travels().next_back().unwrap();
            for (name, travel) in all.iter().zip(travels()) {
                let share = travel / wanted;
                let is_said = (0.9..1.1).contains(&share);
                assert!(is_said, "{rig} {output}: {name} goes {share} of the way");
            }
        }
    }
}

#[test]
fn a_file_without_a_skeleton_is_said_to_have_none() {
    let folder = with_hero();
    // A mesh is not needed to be seen as one: nodes that carry no chain of others are no joints.
    folder.write(
        "statue.gltf",
        r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"name": "Statue"}]}"#,
    );
    for command in [
        "retarget loop.bvh --rig statue.gltf -o new.glb",
        "make walk.bvh --rig statue.gltf -o new.glb",
    ] {
        let refused = folder.refuse(command, "the rig has no skeleton");
        assert!(!refused.stderr.contains("--map"), "{}", refused.stderr);
    }
}

#[test]
fn loops_on_a_character_are_named_as_loops_once() {
    let folder = with_hero();
    folder.copy("loop.bvh", "stroll-loop.bvh");
    folder.copy("loop.bvh.json", "stroll-loop.bvh.json");
    folder.copy("walk.bvh", "stride-loop.bvh");
    for (command, name) in [
        ("retarget loop.bvh", "loop-loop"),
        ("retarget stroll-loop.bvh", "stroll-loop"),
        ("make walk.bvh", "walk-loop"),
        ("make stride-loop.bvh", "stride-loop"),
    ] {
        for output in ["on.glb", "on.fbx"] {
            folder.succeed(&format!("{command} --rig hero.glb -o {output} --force"));
            let names = loopwright_formats::animation_names(&folder.read(output));
            assert_eq!(
                names.last().map(String::as_str),
                Some(name),
                "{command} {output}: {names:?}"
            );
            assert_eq!(folder.json(&format!("{output}.json"))["playback"]["animation"], name);
            folder.succeed(&format!("check {output}"));
        }
    }
}

#[test]
fn many_motions_go_into_one_file_of_the_character() {
    let folder = Folder::with_walk();
    folder.make_folder("in");
    folder.succeed("make walk.bvh -o in/walk-loop.bvh");
    folder.succeed("synth -o in/stroll.bvh --seconds 2 --fps 30 --speed 0.9 --seed 4");
    folder.succeed("convert walk.bvh in/walk.glb");
    folder.succeed("make in/walk.glb --all-animations -o in/pack.glb");
    folder.succeed("synth -o other.bvh --seconds 2 --fps 30 --seed 3");
    for hero in ["hero.glb", "hero.fbx"] {
        folder.succeed(&format!("convert other.bvh {hero}"));
        let out = format!("all-{hero}");
        let own = loopwright_formats::animation_names(&folder.read(hero));
        let answer = folder.answer(&format!("retarget in/ --rig {hero} --into-one -o {out} --json"));
        assert_valid(&answer, "loops");
        // Two loops of one name, two takes; what the character had stays.
        let names = loopwright_formats::animation_names(&folder.read(&out));
        assert_eq!(names[..own.len()], own[..], "{names:?}");
        let added: Vec<&str> = names[own.len()..].iter().map(String::as_str).collect();
        assert_eq!(
            added,
            ["walk-loop", "stroll", "walk_2-loop", "walk"],
            "{hero}: {names:?}"
        );
        let beside = folder.json(&format!("{out}.json"));
        assert_eq!(beside["loops"].as_array().unwrap().len(), 2);
        for each in beside["loops"].as_array().unwrap() {
            assert_eq!(each["take"]["rig"]["file"], *hero);
        }
        // Each as if it were put there alone; that of the pack comes first.
        let checked = folder.answer(&format!("check {out} --json"));
        folder.succeed(&format!("retarget in/walk-loop.bvh --rig {hero} -o alone-{hero}"));
        let alone = folder.json(&format!("alone-{hero}.json"));
        assert_eq!(alone["quality"], beside["loops"][1]["quality"]);
        assert_eq!(alone["root_motion"], beside["loops"][1]["root_motion"]);
        assert_eq!(checked["loops"].as_array().unwrap().len(), 2);
        folder.succeed(&format!("play {out} --seconds 3 -o played-{hero}"));
    }
    let before = folder.names();
    let refused = "
        --rig hero.glb -o all.fbx | the output is of another kind
        --rig other.bvh -o all.bvh | no animation can be added to BVH
        --rig hero.glb -o all/ | is a folder
        --rig hero.glb -o hero.glb --force | is the rig itself
        --rig hero.glb -o in/walk.glb --force | is the take itself
        --rig hero.glb -o new.glb --to fbx | cannot be used with
    ";
    folder.refuse_all("retarget in/ --into-one", refused);
    // One that cannot be read, and nothing is written.
    folder.write("in/broken.bvh", "HIERARCHY");
    folder.fail("retarget in/ --rig hero.glb --into-one -o new.glb");
    std::fs::remove_file(folder.file("in/broken.bvh")).unwrap();
    assert_eq!(folder.names(), before);
}

/// The map that is read is not written over by the one that is saved.
#[test]
fn a_map_is_not_replaced_by_the_one_that_is_saved() {
    let folder = Folder::with_walk();
    folder.succeed("retarget walk.bvh --rig walk.bvh -o on.bvh --save-map map.toml");
    let map = folder.text("map.toml");
    folder.refuse(
        "retarget walk.bvh --rig walk.bvh --map map.toml --save-map map.toml -o again.bvh -f",
        "map",
    );
    assert_eq!(folder.text("map.toml"), map);
    assert!(!folder.file("again.bvh").exists());
}
