//! Files of many animations: `list`, the choice of animations, and `make` for all of them.

use crate::harness::{Folder, holds, items, lines, number, rows, schema::assert_valid, texts};
use loopwright_formats::animation_names;
use loopwright_mocap::folder_or_skip;
use serde_json::{Value, json};

/// Gives a glTF text file more animations: copies of its first with another name and some of its keys.
fn with_copies(folder: &Folder, name: &str, copies: &[(&str, usize)]) {
    folder.succeed("convert walk.bvh one.gltf");
    let mut file = folder.json("one.gltf");
    let first = file["animations"][0].clone();
    for &(copy, num_keys) in copies {
        let mut animation = first.clone();
        animation["name"] = json!(copy);
        for sampler in animation["samplers"].as_array_mut().unwrap() {
            for end in ["input", "output"] {
                let accessors = file["accessors"].as_array_mut().unwrap();
                let mut accessor = accessors[number(sampler, end) as usize].clone();
                accessor["count"] = json!(number(&accessor, "count").min(num_keys as f64) as usize);
                if accessor.get("max").is_some() {
                    let secs = (num_keys as f64 - 1.0) / 30.0;
                    accessor["max"] = json!([number(&accessor, "max/0").min(secs)]);
                }
                accessors.push(accessor);
                sampler[end] = json!(accessors.len() - 1);
            }
        }
        file["animations"].as_array_mut().unwrap().push(animation);
    }
    folder.write(name, file.to_string());
}

/// A folder with `walk.bvh`, and with `pack.gltf`, which has these animations beside the walk.
fn with_pack(copies: &[(&str, usize)]) -> Folder {
    let folder = Folder::with_walk();
    with_copies(&folder, "pack.gltf", copies);
    folder
}

fn named<'a>(animations: &'a Value, name: &str) -> &'a Value {
    let found = items(animations).find(|animation| animation["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {animations}"))
}

/// The animations that `list` finds in a file.
fn listed(folder: &Folder, file: &str) -> Value {
    folder.answer(&format!("list {file} --json"))["files"][0]["animations"].clone()
}

/// How many loops `check` finds in a file, all of which pass.
fn num_loops(folder: &Folder, file: &str) -> usize {
    items(&folder.answer(&format!("check {file} --json"))["loops"]).len()
}

#[test]
fn animations_are_listed_with_what_they_are() {
    let folder = with_pack(&[("two", 2), ("short", 20)]);
    let answer = folder.answer("list pack.gltf walk.bvh --json");
    assert_valid(&answer, "list");
    let animations = &answer["files"][0]["animations"];
    let walk = "kind = walk\nloops = holds loops\nspeed_mps > 1.15\nspeed_mps < 1.35";
    holds(named(animations, "walk"), walk);
    holds(
        named(animations, "two"),
        "why_no_loop = too short: it lasts 0.033 s, the shortest loop to find is 0.4 s",
    );
    assert_eq!(items(&answer["files"][1]["animations"]).len(), 1);
    // A file that cannot be read does not stop the others.
    let answer = folder.fail("list gone.glb walk.bvh --json").json();
    assert_valid(&answer, "list");
    holds(&answer, "files/1/animations/0/name = walk");
    // One without an animation shows its skeleton.
    let mut file = folder.json("one.gltf");
    file["animations"] = json!([]);
    folder.write("rig.gltf", file.to_string());
    assert_valid(&folder.answer("inspect rig.gltf --json"), "inspect");
    folder.runs(
        "
        list pack.gltf                 | pack.gltf: 3 animations at 30 fps
        list pack.gltf --animation W*  | 1 animation at | walk
        list rig.gltf                  | rig.gltf: no animations
        inspect rig.gltf               | holds no animation; this is its skeleton at rest | rig.gltf: no motion, 24 joints | LeftToeBase
        2 find rig.gltf
        2 make rig.gltf --all-animations | the file holds no animation
        2 make rig.gltf --all-animations --split -o loops/ | rig.gltf | the file holds no animation
        ",
    );
}

#[test]
fn names_are_found_in_any_case_by_pattern_and_by_number() {
    let folder = with_pack(&[("Jog", 121), ("JOG", 60), ("stroll", 121)]);
    for wanted in lines("JOG\nJog\nSTROLL\nSt*\n?TROLL\ns*l\n0") {
        let read = folder.answer(&format!("inspect pack.gltf --json --animation {wanted}"));
        let frames = if wanted == "JOG" { 60 } else { 121 };
        assert_eq!(read["take"]["frames"], frames, "{wanted}");
    }
    folder.runs(
        "
        2 inspect pack.gltf --animation jog    | several animations are named \"jog\" but for case: Jog, JOG | try: `loopwright list pack.gltf`
        2 inspect pack.gltf --animation j*     | \"j*\" matches 2 animations: Jog, JOG
        2 inspect pack.gltf --animation sprint | there is no animation \"sprint\"; there are: walk, Jog, JOG, stroll
        ",
    );
}

#[test]
fn five_hundred_animations_are_read_and_never_named_in_one_line() {
    let folder = Folder::with_synth("--seconds 1 --fps 10");
    let names: Vec<String> = (0..499).map(|number| format!("clip_{number:03}")).collect();
    let copies: Vec<(&str, usize)> = names.iter().map(|name| (name.as_str(), 8)).collect();
    with_copies(&folder, "pack.gltf", &copies);
    assert_eq!(items(&listed(&folder, "pack.gltf")).len(), 500);
    for wanted in ["", "--animation clip_5000", "--animation clip*", "--animation nothing"] {
        let answer = folder.run(&format!("inspect pack.gltf {wanted}"));
        assert_eq!(answer.status, if wanted.is_empty() { 0 } else { 2 });
        assert!(answer.stderr.lines().all(|line| line.len() < 300), "{}", answer.stderr);
    }
}

#[test]
fn all_animations_are_looped_into_one_copy() {
    let folder = Folder::with_walk();
    for pack in ["pack.glb", "pack.fbx"] {
        let (out, again) = (format!("out-{pack}"), format!("again-{pack}"));
        folder.succeed(&format!("convert walk.bvh {pack}"));
        let first = folder.answer(&format!("make {pack} --all-animations -o {out} --json"));
        assert_valid(&first, "loops");
        // An FBX file of one animation gives the take its own name.
        let walk = named(&first["animations"], "walk");
        holds(walk, "outcome = cut\ngap_after_mm < 0.01");
        let looped = walk["loop_animation"].as_str().unwrap();
        assert!(looped.ends_with("-loop"), "{walk}");
        assert_eq!(items(&first["loops"]).len(), 1);
        assert_valid(&first["loops"][0], "loop");
        let beside = folder.json(&format!("{out}.json"));
        holds(&beside, "format = loopwright-loops");
        assert_eq!(beside["animations"], first["animations"]);
        assert_eq!(num_loops(&folder, &out), 1);
        let answer = folder.answer(&format!("make {out} --animation * -o {again} --json"));
        let kept = named(&answer["animations"], looped);
        assert!(
            kept["outcome"] == "kept" || kept["reason"] == "replaced by the new loop of that name",
            "{answer}"
        );
        folder.succeed(&format!("play {out} --seconds 3 -o played-{pack}"));
    }
}

#[test]
fn all_animations_go_onto_a_character_in_one_copy_of_its_file() {
    let folder = with_pack(&[("Stroll", 1000)]);
    folder.runs(
        "
        synth -o other.bvh --seconds 2 --fps 30 --seed 3
        convert other.bvh hero.glb
        make walk.bvh -o round.bvh
        convert round.bvh round.gltf
        ",
    );
    let answer = folder.answer("make pack.gltf --rig hero.glb --all-animations --json");
    assert_valid(&answer, "loops");
    assert_eq!(answer["outputs"][0], "pack-loops.glb", "in the form of the character");
    for index in 0..2 {
        holds(
            &answer["loops"][index],
            "take/rig/file = hero.glb\nquality/foot_slide_cmps < 1",
        );
    }
    let [own, names] = ["hero.glb", "pack-loops.glb"].map(|file| animation_names(&folder.read(file)));
    assert_eq!(names.len(), own.len() + 2, "{names:?}");
    assert_eq!(names[..own.len()], own);
    assert_eq!(num_loops(&folder, "pack-loops.glb"), 2);
    // The file of the character has neither an animation that loops already nor one that is named like a loop: both are closed.
    let mut round = folder.json("round.gltf");
    for name in ["Round", "Round-loop"] {
        round["animations"][0]["name"] = json!(name);
        folder.write("again.gltf", round.to_string());
        let answer = folder.answer("make again.gltf --rig hero.glb --all-animations --force --json");
        let closed = "outcome = closed\nloop_animation = Round-loop";
        holds(named(&answer["animations"], name), closed);
    }
    folder.runs(
        "
        2 make pack.gltf --rig other.bvh --all-animations -o all.bvh | other.bvh
        2 make pack.gltf --rig hero.glb --all-animations -o hero.glb --force | is the rig itself
        ",
    );
}

/// `FILE#ANIMATION` is what `--animation` is, but for one file of several.
#[test]
fn animations_are_named_behind_their_file() {
    let folder = with_pack(&[("Stroll", 110), ("two", 2)]);
    folder.runs(
        "
        make pack.gltf --all-animations -o loops.glb
        make pack.gltf#Stroll -o stroll.glb
        make pack.gltf#Stroll | pack-Stroll-loop.gltf: good
        cost loops.glb#Stroll-loop loops.glb#walk-loop pack.gltf#walk --json
        2 blend loops.glb#walk-loop loops.glb#Strol-loop -o no.glb       | there is no animation \"Strol-loop\" | Stroll-loop
        2 play loops.glb#Strol-loop -o no.glb                            | there is no animation \"Strol-loop\" | Stroll-loop
        2 check loops.glb#Strol-loop                                     | there is no animation \"Strol-loop\" | Stroll-loop
        2 retarget --rig walk.bvh loops.glb#Strol-loop -o no.glb         | there is no animation \"Strol-loop\" | Stroll-loop
        render pack.gltf loops.glb --animation Stroll -o pair.png --size 32
        play loops.glb#*-loop --seconds 2 -o played.glb
        match build pack.gltf#Stroll pack.gltf#walk:0:90 -o takes.lwmatch
        2 inspect pack.gltf#Sprint | there is no animation \"Sprint\"
        2 inspect gone.gltf#Stroll | gone.gltf#Stroll
        ",
    );
    for [command, facts] in rows(
        "
        inspect pack.gltf#stroll                            | take/frames = 110
        find pack.gltf#St*                                  | take/frames = 110
        convert pack.gltf#Stroll stroll.bvh                 | take/frames = 110
        cost pack.gltf#Stroll loops.glb#walk-loop           | left/file = pack.gltf#Stroll
        cost pack.gltf#Stroll:60 pack.gltf#walk:20          | left/frame = 60; entered/frame = 20
        blend loops.glb#Stroll-loop loops.glb#walk-loop -o blend.glb | blend/loops/1 != null; blend/loops/2 = null
        check loops.glb#walk-loop                           | loops/0/grade = good; loops/1 = null
        report loops.glb#walk-loop -o page.html             | loops = 1
        ",
    ) {
        holds(&folder.answer(&format!("{command} --json")), facts);
    }
    holds(&folder.json("stroll.glb.json"), "take/animation = Stroll");
    let drawn = folder.succeed("render loops.glb -o loop.png --size 32").stderr;
    assert_eq!(drawn.matches("--animation names another").count(), 1, "{drawn}");
    let found = folder.answer("match query takes.lwmatch pack.gltf#walk:30 --json");
    let clips = texts(&found["found"], "clip");
    assert!(clips.iter().any(|clip| clip.starts_with("pack.gltf#")), "{clips:?}");
    // A file that has the whole name is meant by it.
    folder.copy("walk.bvh", "pack.gltf#Stroll");
    holds(&folder.answer("inspect pack.gltf#Stroll --json"), "take/frames = 121");
}

#[test]
fn excluded_animations_are_left_out() {
    let folder = with_pack(&[("Stroll", 121), ("Jog", 121), ("T-Pose", 2)]);
    for [options, names] in rows(
        "
        --exclude t-pose                | walk Stroll Jog
        --exclude *o* --exclude stroll  | walk
        --animation *o* --exclude 2     | Stroll T-Pose
        ",
    ) {
        let answer = folder.answer(&format!(
            "make pack.gltf --all-animations --force --json -o out.glb {options}"
        ));
        assert_eq!(texts(&answer["animations"], "name").join(" "), names, "{options}");
    }
    let all = listed(&folder, "out.glb");
    let names = texts(&all, "name");
    assert!(names.contains(&"Jog") && !names.contains(&"Jog-loop"), "{names:?}");
    folder.remove("out.glb");
    folder.runs(
        "
        2 make pack.gltf --all-animations -o out.glb --exclude sprint | there is no animation \"sprint\"; there are: walk, Stroll, Jog, T-Pose
        1 make pack.gltf --all-animations -o out.glb --exclude *      | --exclude leaves no animation
        2 make pack.gltf --exclude Jog                                | --all-animations
        ",
    );
    assert!(!folder.has("out.glb"));
    // Of many files, some have nothing to exclude.
    folder.runs(
        "
        make pack.gltf --all-animations --force -o out.glb --exclude T-Pose
        convert walk.bvh lone.glb
        make pack.gltf lone.glb --all-animations --exclude Jog --exclude T-Pose -o out/
        2 check out.glb --exclude *-loop      | --exclude leaves no loop
        2 check out.glb --exclude sprint-loop | there is no animation \"sprint-loop\"
        ",
    );
    for [options, names] in rows(
        "
        --exclude *o?-loop                                          | walk-loop Stroll-loop
        --animation *-loop --exclude Jog-loop --exclude stroll*     | walk-loop
        ",
    ) {
        let checked = folder.run(&format!("check out.glb --json {options}")).json();
        assert_eq!(texts(&checked["loops"], "animation").join(" "), names, "{options}");
    }
}

/// The names of the files in a folder, but for journals and sidecars.
fn files_in(folder: &Folder, below: &str) -> Vec<String> {
    let names = folder.names().into_iter();
    let names = names.filter_map(|name| Some(name.strip_prefix(&format!("{below}/"))?.to_owned()));
    names
        .filter(|name| !name.ends_with(".json") && !name.starts_with('.'))
        .collect()
}

#[test]
fn loops_are_split_into_files_of_one_animation() {
    let folder = with_pack(&[("Jog: fast/2", 110), ("Jog- fast-2", 121), ("two", 2)]);
    for to in ["glb", "fbx", "bvh"] {
        // One animation is no loop.
        folder.runs(&format!(
            "1 make pack.gltf --all-animations --split --to {to} -o {to}/ | two: too short: it lasts 0.033 s"
        ));
        let names = ["Jog--fast-2-loop-2", "Jog--fast-2-loop", "walk-loop"].map(|name| format!("pack-{name}.{to}"));
        assert_eq!(files_in(&folder, to), names);
        for name in names {
            let file = format!("{to}/{name}");
            assert_eq!(
                [num_loops(&folder, &file), items(&listed(&folder, &file)).len()],
                [1, 1]
            );
            assert_valid(&folder.json(&format!("{file}.json")), "loop");
        }
    }
    // The loop is that of a run for its animation alone.
    folder.runs(
        "
        make pack.gltf --animation walk -o alone.glb
        2 make pack.gltf --all-animations --split -o one.glb | is the name of a file
        2 make pack.gltf --split -o out/                     | --all-animations
        2 convert alone.glb one.glb --split                  | is the name of a file
        ",
    );
    let root = |sidecar: &str| folder.json(sidecar)["root_motion"].clone();
    assert_eq!(root("alone.glb.json"), root("glb/pack-walk-loop.glb.json"));
}

#[test]
fn animations_are_split_as_they_are() {
    let folder = with_pack(&[("Stroll", 110), ("two", 2)]);
    folder.runs(
        "
        make pack.gltf --all-animations -o loops.glb
        convert loops.glb out/ --split --to glb | loops-Stroll.glb | loops-two.glb | loops-walk.glb
        check out/loops-walk-loop.glb
        ",
    );
    assert!(!folder.has("out/loops-walk.glb.json"));
    assert_valid(&folder.json("out/loops-walk-loop.glb.json"), "loop");
    for name in ["Stroll", "two", "walk", "walk-loop"] {
        let frames = |arguments: &str| folder.answer(&format!("inspect {arguments} --json"))["take"]["frames"].clone();
        let file = format!("out/loops-{name}.glb");
        assert_eq!(
            frames(&file),
            frames(&format!("loops.glb --animation {name}")),
            "{name}"
        );
        // The animation alone, with its own keys, and none of the others' bytes.
        let bytes = folder.read(&file);
        assert_eq!(animation_names(&bytes), [name]);
        assert!(
            bytes.len() < folder.read("loops.glb").len() * 2 / 3,
            "{name}: {}",
            bytes.len()
        );
    }
    // FBX likewise; a file of one motion without a name keeps its own.
    folder.runs(
        "
        convert walk.bvh pack.fbx
        make pack.fbx --animation walk -o pack.fbx --force
        convert pack.fbx walk.bvh split/ --split
        check split/pack-walk-loop.fbx
        ",
    );
    let names = files_in(&folder, "split");
    assert_eq!(names, ["pack-walk-loop.fbx", "pack-walk.fbx", "walk.bvh"]);
    assert_eq!(animation_names(&folder.read("split/pack-walk.fbx")), ["walk"]);
}

#[test]
fn what_is_no_loop_is_left_alone_and_said() {
    let folder = with_pack(&[("two", 2), ("half", 20), ("walk", 121)]);
    // BVH holds one motion. What --to asks for is obeyed or refused.
    folder.runs(
        "
        make pack.gltf --all-animations -o out.glb                  | left alone: too short: it lasts 0.033 s
        make pack.gltf --all-animations --for unity -o unity.glb    | unity does not read .glb by itself; it reads .fbx; --split -o loops/ writes each loop
        make pack.gltf --all-animations --to glb                    | pack-loops.glb
        2 make walk.bvh --all-animations -o none.bvh                | no animation can be added to BVH
        2 make pack.gltf --all-animations -o none.fbx               | ends in .glb or .gltf
        2 make pack.gltf --all-animations --to fbx                  | the output is of another kind, which keeps one animation | --split for a file of each
        2 make pack.gltf --all-animations --to bvh                  | the output is of another kind, which keeps one animation
        2 make pack.gltf --all-animations --to fbx -o none/         | the output is of another kind, which keeps one animation
        2 make pack.gltf --all-animations --to gltf -o none.glb     | is not named like a file of the format gltf
        ",
    );
    // Of two animations of one name both are looped.
    let all = listed(&folder, "out.glb");
    let names = texts(&all, "name");
    assert!(
        ["walk-loop", "walk_2-loop", "two"]
            .iter()
            .all(|name| names.contains(name)),
        "{names:?}"
    );
    // A broken animation is an error, and the others are looped.
    let mut file = folder.json("pack.gltf");
    file["animations"][1]["samplers"][0]["output"] = json!(99_999);
    folder.write("broken.gltf", file.to_string());
    let document = folder
        .fail("make broken.gltf --all-animations -o broken-out.glb --json")
        .json();
    assert_valid(&document, "loops");
    holds(named(&document["animations"], "two"), "outcome = error");
    holds(named(&document["animations"], "walk"), "outcome = cut");
    assert!(folder.has("broken-out.glb pack-loops.glb"));
}

#[test]
fn loops_are_added_to_their_own_file_in_place() {
    let folder = Folder::with_walk();
    // FBX numbers a second loop, glTF replaces the one of that name.
    for (pack, num_animations) in [("pack.glb", 2), ("pack.fbx", 3)] {
        folder.succeed(&format!("convert walk.bvh {pack}"));
        let before = folder.read(pack);
        folder.refuse(&format!("make {pack} -o {pack}"), "--force to add the loop to it");
        assert_eq!(folder.read(pack), before);
        let make = format!("make {pack} --animation walk -o {pack} --force");
        folder.succeed(&make);
        let format = || folder.json(&format!("{pack}.json"))["format"].clone();
        assert_eq!(format(), "loopwright-loop");
        folder.succeed(&format!("{make} --set search.shifted=true --pick 2"));
        assert_eq!(items(&listed(&folder, pack)).len(), num_animations);
        let is_one = num_animations == 2;
        assert_eq!(format() == "loopwright-loop", is_one);
        assert_eq!(num_loops(&folder, pack), num_animations - 1);
    }
    // A take that cannot hold loops is never overwritten.
    folder.refuse("make walk.bvh -o walk.bvh --force", "a take is never overwritten");
}

#[test]
fn a_real_pack_is_looped_and_checked() {
    let Some(takes) = folder_or_skip() else { return };
    let folder = Folder::new();
    for (file, out, num_animations) in [
        ("gltf/Robot.glb", "out.glb", 14),
        ("ozz-pab/locomotions.fbx", "out.fbx", 3),
        ("mesh2motion/fox-animations.glb", "out.glb", 14),
    ] {
        let make = format!("make FILE --all-animations -o {out} --force --json");
        let answer = folder.run_on(&takes.join(file), &make).wrote();
        let made = answer.json();
        assert_valid(&made, "loops");
        assert_eq!(items(&made["animations"]).len(), num_animations, "{file}");
        let checked = folder.run(&format!("check {out} --json"));
        assert!(checked.status <= answer.status, "{file}: {}", checked.stderr);
        let count = |json: &Value| items(&json["loops"]).len();
        assert_eq!(count(&checked.json()), count(&made), "{file}");
    }
}
