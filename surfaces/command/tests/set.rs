//! `set` on the command line: what takes show is in the set, in phase; what they lack is named; and the manifest tells the truth.

use serde_json::Value;

use crate::harness::{Folder, items, number, parts_of_glb, schema};
use loopwright_formats::set::Manifest;
use loopwright_mocap::folder_or_skip;

/// Takes of one walker: it stands and walks, walks on a curve, and runs.
fn with_takes() -> Folder {
    let folder = Folder::new();
    folder.make_folder("takes");
    for (name, flags) in [
        ("walk", "--speed 1.3 --turn-rate 0 --lead-in 4 --seconds 9"),
        ("left", "--speed 1.2 --turn-rate 40 --seed 3 --seconds 6"),
        ("run", "--speed 3.2 --turn-rate 0 --period 0.7 --seed 5 --seconds 5"),
    ] {
        folder.succeed(&format!("synth -o takes/{name}.bvh --fps 30 --drift 0 {flags}"));
    }
    folder
}

fn clip<'a>(set: &'a Value, name: &str) -> &'a Value {
    let found = items(&set["clips"]).find(|clip| clip["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} among {:?}", names(set)))
}

fn names(set: &Value) -> Vec<&str> {
    items(&set["clips"]).filter_map(|clip| clip["name"].as_str()).collect()
}

fn missing(set: &Value) -> Vec<&str> {
    items(&set["missing"])
        .filter_map(|part| part["what"].as_str())
        .collect()
}

fn is_at_the_origin(folder: &Folder, file: &str) {
    let facts = folder.json(&format!("{file}.json"));
    for key in ["start_position_m/0", "start_position_m/2", "start_yaw_deg"] {
        assert_eq!(number(&facts, &format!("root_motion/{key}")), 0.0, "{file}");
    }
    let hips = folder.take(file).world_tracks().position(0, 0);
    assert!(hips.x.hypot(hips.z) < 0.05, "{file}: {hips}");
}

#[test]
fn a_set_has_what_its_takes_show_and_names_what_they_lack() {
    let folder = with_takes();
    let made = folder.run("set takes -o hero --json").ended(1);
    let set = folder.json("hero/set.json");
    assert_eq!(made.json(), set);
    schema::assert_valid_set(&set);
    Manifest::from_json(&folder.read("hero/set.json")).unwrap();
    assert_eq!(missing(&set), ["stop", "turn_in_place_left", "turn_in_place_right"]);
    made.says("stop is missing");
    for name in ["idle", "walk", "walk_left_40", "walk_right_40", "run", "start_walk"] {
        clip(&set, name);
    }
    assert_eq!(clip(&set, "walk_right_40")["made"]["from"], "mirror");
    let filled = items(&set["filled"])
        .find(|filled| filled["clip"] == "walk_right_40")
        .unwrap();
    assert_eq!(filled["from"], serde_json::json!(["walk_left_40"]));
    for clip in items(&set["clips"]) {
        assert_eq!(clip["grade"], "good", "{clip:#}");
        let file = format!("hero/{}", clip["file"].as_str().unwrap());
        assert_eq!(folder.take(&file).num_frames() as f64, number(clip, "frames") + 1.0);
        if clip["kind"] == "loop" {
            is_at_the_origin(&folder, &file);
        }
        if clip["kind"] != "loop" || clip["gait"] == "idle" {
            continue;
        }
        // In phase: left down at the start, right down half a cycle later, within a frame.
        assert_eq!(number(clip, "phase/left"), 0.0, "{clip:#}");
        assert!(
            (number(clip, "phase/right") - 0.5).abs() < 1.0 / number(clip, "frames"),
            "{clip:#}"
        );
        assert!((number(clip, "phase/warp") - number(clip, "phase/right") + 0.5).abs() < 1e-12);
        let first = &clip["events"][0];
        assert_eq!((&first["foot"], &first["kind"]), (&"left".into(), &"strike".into()));
        assert_eq!(items(&clip["events"]).count(), 4);
        let facts = folder.json(&format!("{file}.json"));
        assert!((number(clip, "speed_mps") - number(&facts, "root_motion/speed_mps")).abs() < 1e-9);
    }
    let truth = |name: &str| {
        (
            number(clip(&set, name), "speed_mps"),
            number(clip(&set, name), "turn_rate_dps"),
        )
    };
    for (name, speed, turn) in [
        ("walk", 1.3, 0.0),
        ("walk_left_40", 1.2, 40.0),
        ("walk_right_40", 1.2, -40.0),
        ("run", 3.2, 0.0),
    ] {
        let found = truth(name);
        assert!(
            (found.0 / speed - 1.0).abs() < 0.025 && (found.1 - turn).abs() < 1.0,
            "{name}: {found:?}"
        );
    }
    let start = clip(&set, "start_walk");
    assert_eq!(start["from"]["clip"], "idle");
    let keys = number(start, "frames") as usize + 1;
    assert_eq!(items(&start["root"]["translation"]).count(), 3 * keys);
    let loops = items(&set["clips"]).filter(|clip| clip["kind"] == "loop").count();
    assert_eq!(items(&set["transitions"]).count(), loops * (loops - 1));
    let space = &set["blend_spaces"][0];
    assert_eq!(items(&space["points"]).count(), loops);
    assert!(items(&space["triangles"]).count() > 0);
    assert!(number(&set, "controller/modes/0/top_speed_mps") > 1.0);
}

#[test]
fn loops_that_were_made_before_and_one_file_for_all() {
    let folder = with_takes();
    folder.make_folder("loops");
    for name in ["walk", "left"] {
        folder.succeed(&format!(
            "make takes/{name}.bvh --cycles 1 --set output.fps=24 -o loops/{name}.bvh"
        ));
    }
    folder.run("set loops -o hero --single --to glb").ended(1);
    let set = folder.json("hero/set.json");
    assert_eq!(set["fps"], 24.0);
    assert_eq!(names(&set), ["walk", "walk_left_40", "walk_right_40"]);
    let glb = folder.read("hero/hero.glb");
    let animations = &parts_of_glb(&glb).0["animations"];
    let animations: Vec<&Value> = items(animations).map(|animation| &animation["name"]).collect();
    let named: Vec<&Value> = items(&set["clips"]).map(|clip| &clip["animation"]).collect();
    assert_eq!(animations, named);
    assert_eq!(set["root_joint"], "root");
    folder.succeed("check hero/hero.glb");
    // Nothing is replaced unless that is asked for.
    let before = folder.contents();
    folder.refuse("set loops -o hero --single --to glb", "exists already");
    assert_eq!(folder.contents(), before);
    folder.run("set loops -o hero --single --to glb --force").ended(1);
    assert_eq!(folder.contents().len(), before.len());
    // Clips that only the set before had go with it; what it did not write stays.
    folder.write("hero/notes.txt", "mine");
    folder.run("set loops -o hero --to bvh --force").ended(1);
    assert!(!folder.file("hero/hero.glb").exists() && !folder.file("hero/hero.glb.json").exists());
    assert!(folder.file("hero/walk.bvh").exists() && folder.file("hero/notes.txt").exists());
    folder.run("set loops -o hero --single --to glb --force").ended(1);
    assert!(!folder.file("hero/walk.bvh").exists() && !folder.file("hero/walk.bvh.json").exists());
    folder.run("set takes -o character --rig hero/hero.glb").wrote();
    assert!(names(&folder.json("character/set.json")).contains(&"start_walk"));
}

/// An idle of one still pose came with all animations of the file that it is from.
#[test]
fn each_file_holds_its_clip_alone() {
    let folder = with_takes();
    folder.succeed("synth -o takes/walk.bvh --fps 30 --drift 0 --turn-rate 0 --lead-in 0.7 --seconds 6 -f");
    // It stands three metres beside the origin.
    let text = folder.text("takes/walk.bvh");
    let (head, frames) = text.split_once("Frame Time").unwrap();
    let beside = |line: &str| match line.split_once(' ').map(|(x, rest)| (x.parse::<f64>(), rest)) {
        Some((Ok(x), rest)) => format!("{} {rest}\n", x + 300.0),
        _ => format!("{line}\n"),
    };
    let frames: String = frames.lines().map(beside).collect();
    folder.write("takes/walk.bvh", format!("{head}Frame Time{frames}"));
    folder.succeed("convert takes/run.bvh rig.glb");
    folder.succeed("retarget takes --rig rig.glb --into-one -o pack.glb");
    folder.run("set pack.glb -o hero").ended(1);
    let set = folder.json("hero/set.json");
    assert!(
        clip(&set, "idle")["reason"]
            .as_str()
            .unwrap()
            .contains("one still pose")
    );
    for clip in items(&set["clips"]) {
        let glb = folder.read(&format!("hero/{}", clip["file"].as_str().unwrap()));
        assert_eq!(items(&parts_of_glb(&glb).0["animations"]).count(), 1, "{clip:#}");
        // A pose stood where the take did, metres from its root.
        let take = loopwright_formats::load(&glb, "clip").unwrap().take;
        let hips = take.world_tracks().position(0, take.skeleton().find("Hips").unwrap());
        assert!(hips.x.hypot(hips.z) < 0.2, "{hips}: {clip:#}");
    }
}

/// The pose was left where its take stood.
#[test]
fn an_idle_of_one_pose_stands_at_the_origin() {
    let Some(mocap) = folder_or_skip() else { return };
    let folder = Folder::new();
    let takes = ["uturn", "slow_2foot_hop"].map(|name| mocap.join(format!("snu/{name}.bvh")).display().to_string());
    let made = folder.run(&format!("set {} -o hero", takes.join(" "))).ended(1);
    made.says("differ by up to 27 mm");
    let set = folder.json("hero/set.json");
    assert!(
        clip(&set, "idle")["reason"]
            .as_str()
            .unwrap()
            .contains("one still pose")
    );
    is_at_the_origin(&folder, "hero/idle.bvh");
}

/// In place, hips turn to where the body goes: strafes became runs, and a jump began in a step back.
#[test]
fn clips_in_place_go_where_their_feet_push() {
    let Some(mocap) = folder_or_skip() else { return };
    let folder = Folder::new();
    let knight = mocap.join("gltf/Knight.glb").display().to_string();
    folder.run(&format!("set {knight} -o hero")).wrote();
    let set = folder.json("hero/set.json");
    for (name, animation, way) in [
        ("walk_back", "Walking_Backwards", 180.0),
        ("run", "Running_B", 0.0),
        ("run_fast", "Running_A", 0.0),
        ("run_strafe_left", "Running_Strafe_Left", 60.0),
        ("run_strafe_right", "Running_Strafe_Right", -60.0),
    ] {
        let clip = clip(&set, name);
        assert_eq!(clip["made"]["animation"], animation);
        let found = number(clip, "direction_deg").abs() - f64::abs(way);
        assert!(found.abs() < 2.0, "{clip:#}");
        is_at_the_origin(&folder, &format!("hero/{name}.glb"));
    }
    assert_eq!(clip(&set, "idle")["made"]["animation"], "Idle");
    assert_eq!(clip(&set, "jump")["from"]["clip"], "idle");
    // A walk that swings fast was a run, and a step of one that never stands was an idle.
    for (file, wanted) in [("RobotExpressive.glb", "run"), ("CesiumMan.gltf", "walk")] {
        let path = mocap.join("gltf").join(file).display().to_string();
        folder.run(&format!("set {path} -o {file}-set")).ended(1);
        let set = folder.json(&format!("{file}-set/set.json"));
        assert!(names(&set).contains(&"walk") && names(&set).contains(&wanted));
        assert_eq!(names(&set).contains(&"idle"), file != "CesiumMan.gltf");
    }
}

#[test]
fn variants_differ_and_say_what_they_are_variants_of() {
    let folder = Folder::new();
    folder.succeed("synth -o walk.bvh --fps 30 --seconds 12 --turn-rate 0 --variation 0.1 --noise 0.3");
    folder.run("set walk.bvh -o hero --variants 3").ended(1);
    let set = folder.json("hero/set.json");
    let of_walk: Vec<&str> = items(&set["clips"])
        .filter(|clip| clip["variant_of"] == "walk")
        .filter_map(|clip| clip["name"].as_str())
        .collect();
    assert_eq!(of_walk, ["walk_v2", "walk_v3"]);
    // They are for the place of the first, not points of their own.
    let points = items(&set["blend_spaces"][0]["points"]).map(|point| &point["clip"]);
    assert!(points.into_iter().all(|name| name != "walk_v2"));
}

#[test]
fn what_does_not_fit_is_left_out_and_said() {
    let folder = with_takes();
    // Another skeleton, and a loop whose root goes elsewhere than its feet.
    let renamed = folder.text("takes/left.bvh").replace("Spine", "Back");
    folder.write("takes/renamed.bvh", renamed);
    folder.succeed("make takes/left.bvh --cycles 1 -o takes/odd.bvh");
    let mut odd = folder.json("takes/odd.bvh.json");
    odd["feet"]["feet_speed_mps"] = 3.0.into();
    folder.write("takes/odd.bvh.json", odd.to_string());
    folder.write("takes/broken.bvh", "HIERARCHY");
    let made = folder.run("set takes -o hero").ended(1);
    made.says("another skeleton");
    let set = folder.json("hero/set.json");
    let why = |take: &str| {
        let left = items(&set["left_out"]).find(|left| left["take"].as_str().unwrap().ends_with(take));
        left.unwrap_or_else(|| panic!("{take} is used"))["why"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(why("renamed.bvh").contains("another skeleton"));
    // A loop is named by its take.
    assert!(why("left.bvh").contains("one of the two is wrong"));
    assert!(why("broken.bvh").contains("broken.bvh"));
    clip(&set, "walk_left_40");

    folder.write("still.bvh", folder.text("takes/walk.bvh"));
    folder.refuse("set takes -o hero/set.json", "is a file");
    // Before anything is read.
    folder.refuse("set nowhere.bvh -o other --fps 0", "--fps must be a positive number");
    folder.refuse("set takes/walk.bvh -o other --fps 1e12", "exceed the limit");
    folder
        .run("set takes/walk.bvh -o odd --to glb --for unreal --fps 29.97")
        .says("29.97");
    folder.refuse("set nowhere.bvh -o other", "nowhere.bvh");
    folder
        .run("set takes/broken.bvh -o other")
        .ended(1)
        .says("no take gives a loop");
}

#[test]
fn styles_are_told_by_names_or_asked_for() {
    let folder = Folder::new();
    folder.make_folder("takes");
    for (style, speed) in [("calm", 1.1), ("tired", 0.8)] {
        for (way, turn) in [("ahead", 0), ("curve", 40)] {
            folder.succeed(&format!(
                "synth -o takes/{style}_{way}.bvh --fps 30 --seconds 6 --speed {speed} --turn-rate {turn}"
            ));
        }
    }
    folder.run("set takes -o calm").ended(1).says("several styles");
    assert!((number(clip(&folder.json("calm/set.json"), "walk"), "speed_mps") - 1.1).abs() < 0.05);
    folder.run("set takes -o tired --style tired").ended(1);
    assert!((number(clip(&folder.json("tired/set.json"), "walk"), "speed_mps") - 0.8).abs() < 0.05);
    folder.run("set takes -o none --style angry").ended(1).says("\"angry\"");
}

#[test]
fn a_page_shows_the_grid_and_the_phases() {
    let folder = with_takes();
    folder.run("set takes -o hero").ended(1);
    folder.succeed("report hero -o page.html");
    let page = folder.text("page.html");
    for shown in ["Speed and turn rate", "Phases", "start_walk", "Missing: stop"] {
        assert!(page.contains(shown), "{shown}");
    }
    folder.succeed("report hero/set.json -o same.html");
    folder.write("hero/set.json", "{\"format\": \"loopwright-set\", \"version\": 9}");
    folder.refuse("report hero -o other.html", "version 9");
}
