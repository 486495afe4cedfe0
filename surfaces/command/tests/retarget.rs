//! `retarget`: takes and loops on other characters, their maps, and what is refused.

use crate::harness::{Folder, holds, near, number, rows, texts};
use loopwright_formats::animation_names;
use loopwright_mocap::folder_or_skip;

/// A folder with `walk.bvh`, `loop.bvh`, and the character `hero.glb`: another walker's skeleton, in glTF.
fn with_hero() -> Folder {
    let folder = Folder::with_walk();
    folder.runs(
        "
        make walk.bvh -o loop.bvh
        synth -o other.bvh --seconds 2 --fps 30 --seed 3
        convert other.bvh hero.glb
        ",
    );
    folder
}

/// Another stretch is taken where the loop of the take is not good, never for what the character makes of it.
#[test]
fn a_character_on_which_a_loop_is_not_good_gets_the_same_stretch() {
    let Some(mocap) = folder_or_skip() else { return };
    let folder = Folder::new();
    let [take, rig] = ["100style/Neutral_FW.bvh", "gltf/Knight.glb"].map(|name| mocap.join(name).display().to_string());
    let made = |more: &str| folder.run(&format!("make {take} --json {more}")).json();
    let (own, on_it) = (made("-o own.bvh"), made(&format!("-o knight.glb --rig {rig}")));
    holds(&own, "quality/grade = good");
    for end in ["start_frame", "end_frame"] {
        assert_eq!(on_it["candidate"][end], own["candidate"][end], "{end}");
    }
}

/// Any other take was once drawn there, too, as if the loop were made of it.
#[test]
fn a_take_is_drawn_beside_its_loop_on_a_character() {
    with_hero().runs(
        "
        make walk.bvh --rig hero.glb -o on.glb
        render walk.bvh on.glb -o pair.png --size 64 --onion
        2 render other.bvh on.glb -o other.png --size 64 --onion   | the loop is on the character | try: the loop alone
        2 render other.bvh loop.bvh -o other.png --size 64 --onion | is not the take of this loop | try: walk.bvh
        2 check on.glb --take other.bvh                            | the loop is on the character | try: no --take
        ",
    );
}

/// A map that is saved gives the same bytes again, also where it lets a joint rest; the one that is read is not written over.
#[test]
fn the_map_is_kept_edited_and_its_mistakes_are_named() {
    let folder = with_hero();
    let moved = |more: &str| {
        let said = folder.succeed(&format!("retarget walk.bvh --rig hero.glb -o moved.glb --force {more}"));
        (said.stderr, folder.read("moved.glb"))
    };
    let first = moved("--save-map map.toml");
    assert!(folder.text("map.toml").contains("LeftForeArm = \"LeftForeArm\""));
    assert_eq!(moved("--map map.toml").1, first.1);
    folder.write(
        "rest.toml",
        "[joints]\nHead = \"\"\nSpine1 = [\"Spine\", \"Spine2\", 0.5]\n",
    );
    let (said, resting) = moved("--map rest.toml --save-map kept.toml");
    assert!(!said.contains("Head"), "what was asked for is no warning: {said}");
    assert!(folder.text("kept.toml").contains("Head = \"\"") && resting != first.1);
    assert_eq!(moved("--map kept.toml").1, resting);
    for [joints, words] in rows(
        r#"
        [joints]  LeftForArm = "LeftArm" | no joint named "LeftForArm"
        [joints]  LeftArm = "LeftArmm"   | LeftArm
        [joints]  LeftArm = 3            | expected a joint's name
        [bones]                          | cannot read "wrong.toml"
        "#,
    ) {
        folder.write("wrong.toml", joints.replace("  ", "\n"));
        folder.refuse("retarget walk.bvh --rig hero.glb -o no.glb --map wrong.toml", words);
    }
    let map = folder.text("map.toml");
    folder.refuse(
        "retarget walk.bvh --rig hero.glb --map map.toml --save-map map.toml -o no.glb -f",
        "map",
    );
    assert!(folder.text("map.toml") == map && !folder.has("no.glb"));
    // The map of a recipe's character is not that of another.
    folder.write("other.toml", "[take]\nrig = \"nobody.glb\"\nmap = \"nothing.toml\"\n");
    folder.write("own.toml", "[take]\nrig = \"hero.glb\"\nmap = \"rest.toml\"\n");
    folder.runs(
        "
        make walk.bvh --recipe other.toml --rig hero.glb -o made.glb
        make walk.bvh --recipe own.toml -o rests.glb
        ",
    );
    let joints = |file: &str| number(&folder.json(file), "take/rig/joints_followed");
    assert_eq!(joints("rests.glb.json") + 1.0, joints("made.glb.json"));
}

/// The loop is that of the take, and the skeleton that of the character, which its recipe names.
#[test]
fn make_puts_the_take_onto_the_character_first() {
    let folder = with_hero();
    let made = folder.answer("make walk.bvh --rig hero.glb --json --save-recipe hero.toml");
    holds(
        &made,
        "
        outputs/0 = walk-loop.glb
        take/file = walk.bvh
        take/rig/file = hero.glb
        take/unit = cm
        playback/unit = m
        quality/grade = good
        ",
    );
    folder.runs("check walk-loop.glb\nfind walk.bvh --rig hero.glb");
    let again = folder.answer("make walk.bvh --recipe hero.toml -o again.glb --json");
    assert_eq!(again["take"]["rig"], made["take"]["rig"]);
    assert!(folder.read("again.glb") == folder.read("walk-loop.glb"));
    for pick in [1, 2] {
        let words = format!("make walk.bvh --set search.shifted=true --pick {pick} --json --force");
        let own = folder.answer(&format!("{words} -o own.bvh"));
        let made = folder.answer(&format!("{words} -o on.glb --rig hero.glb"));
        assert_eq!(made["closure"], own["closure"]);
        for key in ["start_frame", "end_frame"] {
            assert_eq!(made["candidate"][key], own["candidate"][key], "number {pick}");
        }
    }
    // Rows of catalogs say whose skeleton loops are on.
    folder.runs("make walk.bvh other.bvh --rig hero.glb -o out/ --catalog rows.jsonl");
    let rows = folder.answer("catalog rows.jsonl --json");
    let hashes = texts(&rows["rows"], "skeleton_sha256");
    assert!(hashes.len() == 2 && hashes[0] == hashes[1], "{hashes:?}");
}

#[test]
fn a_character_that_cannot_be_read_stops_many_takes_before_they_begin() {
    let folder = with_hero();
    folder.make_folder("takes");
    folder.copy("walk.bvh", "takes/one.bvh");
    folder.copy("walk.bvh", "takes/two.bvh");
    folder.write("bad.glb", "no character");
    folder.write("bad.toml", "[joints");
    // A mesh alone is no character, whatever the takes.
    folder.write("box.bvh", "HIERARCHY ROOT Box { OFFSET 0 0 0 CHANNELS 3 Xposition Yposition Zposition } MOTION Frames: 2 Frame Time: 0.1\n0 0 0\n0 0 1\n");
    for command in ["make takes -o out", "retarget takes -o out/", "find takes"] {
        for [more, words] in rows(
            "
            --rig bad.glb                 | cannot read \"bad.glb\"
            --rig hero.glb --map bad.toml | cannot read \"bad.toml\"
            --rig box.bvh                 | the rig has no skeleton
            ",
        ) {
            let refused = folder.fail(&format!("{command} {more}"));
            assert_eq!(
                refused.stderr.matches(words).count(),
                1,
                "{command}: {}",
                refused.stderr
            );
            assert!(!refused.stdout.contains("unreadable"), "{command}: {}", refused.stdout);
        }
    }
    assert!(!folder.has("out"));
}

#[test]
fn among_many_takes_the_character_is_none_and_errors_name_the_take() {
    let folder = with_hero();
    for below in ["takes", "only"] {
        folder.make_folder(below);
        folder.copy("hero.glb", &format!("{below}/hero.glb"));
    }
    folder.copy("walk.bvh", "takes/walk.bvh");
    folder.write("wrong.toml", "[joints]\nHips = \"Pelvis\"\n");
    // One that is named is an input, and a folder that holds nothing else holds none.
    folder.runs(
        "
        make takes -o made --rig takes/hero.glb
        retarget takes -o moved/ --rig takes/hero.glb
        2 make takes -o no --rig hero.glb --map wrong.toml      | takes/walk.bvh\": the motion's skeleton has no joint
        2 retarget takes -o no/ --rig hero.glb --map wrong.toml | takes/walk.bvh\": the motion's skeleton has no joint
        retarget walk.bvh hero.glb -o named/ --rig hero.glb
        2 make only -o no --rig only/hero.glb      | there is no take
        2 retarget only -o no/ --rig only/hero.glb | there is no take
        2 inspect only --rig only/hero.glb         | there is no take
        ",
    );
    assert!(folder.has("moved/walk.glb named/hero.glb") && !folder.has("moved/hero.glb"));
}

#[test]
fn what_is_said_of_a_character_needs_one_by_flag_or_recipe() {
    let folder = with_hero();
    folder.write("rig.toml", "[take]\nrig = \"hero.glb\"\n");
    folder.write("no-rig.toml", "[take]\nbone-stretch = 1.0\n");
    // Nodes that carry no chain of others are no joints.
    folder.write(
        "statue.gltf",
        r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"name": "Statue"}]}"#,
    );
    folder.runs(
        "
        retarget walk.bvh --rig hero.glb -o moved.glb --save-map map.toml
        2 make walk.bvh -o no.glb --map map.toml       | error: --map says how a character follows
        2 make walk.bvh -o no.glb --recipe no-rig.toml | error: take.bone-stretch says how a character follows
        2 convert walk.bvh no.glb --map map.toml
        2 blend loop.bvh -o no.glb --map map.toml
        make walk.bvh -o on.glb --recipe rig.toml --map map.toml
        make walk.bvh -o also.glb --recipe no-rig.toml --rig hero.glb
        2 retarget loop.bvh --rig statue.gltf -o new.glb  | the rig has no skeleton |! --map
        2 make walk.bvh --rig statue.gltf -o new.glb      | the rig has no skeleton |! --map
        ",
    );
}

#[test]
fn convert_puts_takes_and_loops_onto_the_character() {
    let folder = with_hero();
    for input in ["walk.bvh", "loop.bvh"] {
        folder.runs(&format!(
            "convert {input} one.glb --rig hero.glb -f\nretarget {input} --rig hero.glb -o two.glb -f"
        ));
        assert!(folder.read("one.glb") == folder.read("two.glb"), "{input}");
    }
    let answer = folder.answer("convert loop.bvh image.glb --rig hero.glb --mirror --json");
    holds(&answer, "is_loop = true\nmirrored = true\ntake/rig/file = hero.glb");
    folder.runs("check image.glb\nconvert walk.bvh other.bvh out/ --rig hero.glb");
    let turn = |name: &str| number(&folder.json(name), "root_motion/turn_rate_dps");
    near(turn("image.glb.json"), -turn("one.glb.json"), 1e-3);
    // A folder of outputs takes the character's format.
    assert!(folder.has("out/walk.glb out/other.glb"));
}

#[test]
fn blend_mixes_loops_of_two_skeletons_on_the_character() {
    let folder = with_hero();
    folder.write(
        "other-names.bvh",
        folder.text("walk.bvh").replace("LeftForeArm", "LeftLowArm"),
    );
    folder.runs("make other-names.bvh -o renamed.bvh\n2 blend loop.bvh renamed.bvh -o mix.bvh | another skeleton");
    let mixed = folder.answer("blend loop.bvh renamed.bvh --rig hero.glb -o mix.glb --json");
    holds(&mixed, "take/rig/file = hero.glb\nquality/foot_slide_cmps < 1");
    folder.runs("check mix.glb");
    let [one, other] = [&folder.json("loop.bvh.json"), &mixed].map(|facts| number(facts, "root_motion/speed_mps"));
    near(one * number(&mixed, "take/rig/scale"), other, 1e-2);
    assert_eq!(animation_names(&folder.read("mix.glb")).len(), 2);
}

#[test]
fn neither_the_motion_nor_the_character_is_overwritten() {
    let folder = with_hero();
    folder.write("box.bvh", "no skeleton");
    // Nor is a take that is named like the output.
    folder.runs("convert walk.bvh walk.glb");
    let before = folder.contents();
    folder.runs(
        "
        2 retarget loop.bvh --rig hero.glb -o hero.glb --force | is the rig itself
        2 make walk.bvh --rig hero.glb -o hero.glb --force     | is the rig itself
        2 convert walk.bvh hero.glb --rig hero.glb --force     | is the rig itself
        2 make walk.glb --rig hero.glb -o walk.glb --force
        2 retarget loop.bvh --rig box.bvh -o new.bvh
        2 retarget loop.bvh --rig none.glb -o new.bvh
        2 convert walk.bvh new.glb --rig none.glb
        ",
    );
    assert!(folder.contents() == before);
}
