//! `cut` on the command line: passages with their facts, whole files or none, and what was looked for where nothing is found.

use crate::harness::{Folder, holds, items, near, number, parts_of_glb, replaced, schema::assert_valid, texts};

fn with_start() -> Folder {
    let folder = Folder::new();
    folder.succeed("synth -o start.bvh --lead-in 2 --seconds 9 --turn-rate 0 --drift 0 --noise 0 --fps 30");
    folder
}

#[test]
fn a_take_gives_its_own_loops_and_a_start_between_them() {
    let folder = with_start();
    let answer = folder.answer("cut start.bvh -o cut --json");
    assert_valid(&answer, "cut");
    assert_eq!(texts(&answer["passages"], "name"), ["start_walk"]);
    let facts = folder.json("cut/start_walk.json");
    assert_valid(&facts, "passage");
    holds(&facts, "from/loop = idle\nto/loop = walk\ncost_metre_secs < 0.1");
    let take = folder.take("cut/start_walk.bvh");
    assert_eq!(take.num_frames() as f64, number(&facts, "frames") + 1.0);
    // The passage goes on where the loops are, by their names. What is there is not overwritten without being asked.
    folder.runs(
        "
        1 cut start.bvh cut/idle.bvh cut/walk.bvh -o again --kind start,stop --transitions --for godot | start_walk | idle_to_walk | bad: LeftToeBase slides | walk_to_idle | 3 passages in again | no stop:
        inspect again/start_walk.glb
        2 cut start.bvh -o cut | --force
        cut start.bvh -o glb --to glb
        ",
    );
    assert!(!folder.has("again/walk.glb"));
    // A loop of a glTF file has its root motion on a joint of its own, and a passage beside it had it on the hips.
    let joints = |name: &str| folder.take(name).num_joints();
    assert_eq!(joints("glb/start_walk.glb"), joints("glb/walk.glb"));
}

/// The middle of the clip repeats, key by key, in every format; glTF has the parts as animations of their own, too, and says where
/// they are.
#[test]
fn a_loop_with_its_start_says_where_it_repeats() {
    let folder = with_start();
    for format in ["bvh", "fbx", "glb"] {
        folder.succeed(&format!(
            "make start.bvh --with start --set output.repeat=2 -o walk.{format} -f"
        ));
        let facts = folder.json("walk.json");
        assert_valid(&facts, "passage");
        let cycles = &facts["cycles"];
        let [start, end, all] =
            [&cycles["start_frame"], &cycles["end_frame"], &facts["frames"]].map(|key| key.as_u64().unwrap() as usize);
        near(number(cycles, "start_percent"), 100.0 * start as f64 / all as f64, 1e-9);
        let take = folder.take(&format!("walk.{format}"));
        assert_eq!((take.num_frames(), end), (all + 1, all));
        let half = (end - start) / 2;
        for frame in start..=start + half {
            for joint in 1..take.num_joints() {
                let [one, other] = [frame, frame + half].map(|frame| take.pose(frame).rotations[joint]);
                assert!(one.dot(other).abs() > 1.0 - 1e-8, "{format}: {frame}, {joint}");
            }
        }
        if format == "glb" {
            let animations = parts_of_glb(&folder.read("walk.glb")).0["animations"].clone();
            assert_eq!(
                texts(&animations, "name"),
                ["start_with_start", "start_start", "start-loop"]
            );
            assert_eq!(animations[0]["extras"]["loopwright"]["cycles"], *cycles);
        }
    }
    folder.succeed("check walk.glb");
}

#[test]
fn an_engine_that_moves_the_root_gets_passages_in_place() {
    let folder = with_start();
    folder.succeed("cut start.bvh -o cut --for bevy --to bvh");
    let facts = folder.json("cut/start_walk.json");
    assert_eq!(facts["in_place"], true);
    let keys = items(&facts["root"]["translation_m"]);
    assert!(keys.last().unwrap().as_f64() > Some(0.3), "the facts move the root");
    let take = folder.take("cut/start_walk.bvh");
    let hips = |frame: usize| take.world_tracks().position(frame, 0);
    assert!(
        (hips(take.num_frames() - 1) - hips(0)).length() < 0.2,
        "and the file does not"
    );
}

/// Passages are named after loops, and those after animations: `../x` led out of the folder.
#[test]
fn names_of_animations_lead_nowhere() {
    let folder = with_start();
    folder.run("set start.bvh -o hero --to glb").ended(1);
    let glb = replaced(&folder.read("hero/hero.glb"), b"\"walk-loop\"", b"\"../x-loop\"");
    folder.write("hero/hero.glb", glb);
    let mut beside = folder.json("hero/hero.glb.json");
    for facts in beside["loops"].as_array_mut().unwrap() {
        facts["file_sha256"].take();
        if facts["playback"]["animation"] == "walk-loop" {
            facts["playback"]["animation"] = "../x-loop".into();
        }
    }
    folder.write("hero/hero.glb.json", beside.to_string());
    folder.succeed("cut start.bvh hero/hero.glb -o cut --transitions");
    assert!(folder.has("cut/start_..-x-loop.bvh cut/..-x-loop_to_idle-loop.bvh"));
    assert!(!folder.has("x-loop_to_idle-loop.bvh"));
    assert_eq!(folder.json("cut/start_..-x-loop.json")["to"]["loop"], "../x-loop");
}

#[test]
fn a_take_is_cut_for_another_character() {
    let folder = Folder::with_character();
    // Loops that are on it already stay so, and others are put onto it.
    folder.runs(
        "
        synth -o start.bvh --lead-in 2 --seconds 9 --turn-rate 0 --drift 0 --noise 0 --fps 30
        cut start.bvh --rig hero.glb -o cut
        make start.bvh --cycles 1 -o walk.bvh
        cut start.bvh cut/idle.glb walk.bvh --rig hero.glb -o again
        2 cut start.bvh --map map.toml -o x | --rig
        ",
    );
    let joints = |name: &str| folder.take(name).num_joints();
    assert_eq!(joints("cut/start_walk.glb"), joints("cut/walk.glb"));
    assert_eq!(joints("again/start_walk.glb"), joints("cut/walk.glb"));
    holds(&folder.json("cut/start_walk.json"), "take/rig/file = hero.glb");
}

/// Passages between loops that end in `-loop` were taken for loops, and are judged as what they are.
#[test]
fn passages_are_checked_as_passages() {
    let folder = with_start();
    folder.succeed("cut start.bvh -o own");
    folder.make_folder("cut");
    for end in ["bvh", "bvh.json"] {
        folder.copy(&format!("own/idle.{end}"), &format!("cut/idle-loop.{end}"));
        folder.copy(&format!("own/walk.{end}"), &format!("cut/walk-loop.{end}"));
    }
    folder.succeed("cut start.bvh cut/idle-loop.bvh cut/walk-loop.bvh -o cut");
    let checked = folder.succeed("check cut --json").json();
    assert_valid(&checked, "check");
    assert_eq!(items(&checked["loops"]).len(), 3, "{checked:#}");
    let passage = items(&checked["loops"]).find(|row| row["passage"] == "start").unwrap();
    assert!(passage["file"].as_str().unwrap().ends_with("start_walk-loop.bvh"));
    let checks = items(&passage["quality"]["checks"]);
    for (check, most) in checks.zip([0.1, 20.0, 20.0]) {
        assert!(number(check, "value") < most, "{check:#}");
    }
    let mut facts = folder.json("cut/start_walk-loop.json");
    facts["to"]["secs"] = (number(&facts, "to/secs") + 0.3).into();
    folder.write("cut/start_walk-loop.json", facts.to_string());
    folder.runs(
        "
        1 check cut/start_walk-loop.bvh | where it ends
        1 set start.bvh -o hero --to glb
        check hero | (start_walk): good: it meets its loops
        ",
    );
}

#[test]
fn what_cannot_be_cut_says_why() {
    let folder = with_start();
    folder.runs(
        "
        synth -o steady.bvh --seconds 6 --turn-rate 0
        1 cut steady.bvh -o none --kind start,turn      | nothing to cut | no start: the body never stands
        2 cut start.bvh -o x --kind fly                 | must be one of start, stop, turn, jump
        2 cut missing.bvh -o x --fps 0                  | --fps
        2 cut start.bvh steady.bvh -o x
        2 cut missing.bvh -o x
        ",
    );
    let document = folder.run("cut steady.bvh -o none --kind start --json -f").ended(1);
    assert_valid(&document.json(), "cut");
    folder
        .run("cut start.bvh -o x --fps 29.97 --for unreal --to glb")
        .says("29.97");
}
