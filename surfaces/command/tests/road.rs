//! The whole pipeline on the command line: a take goes in, a loop and its figures come out, and the two agree.

use crate::harness::{Folder, items, number, root_twist, vector};
use serde_json::Value;

fn has_keys(object: &Value, keys: &str) {
    for key in keys.split(' ') {
        assert!(object.get(key).is_some(), "no {key} in {object}");
    }
}

const TAKE_KEYS: &str = "file frames frame_time_secs joints unit up";

const CANDIDATE_KEYS: &str = "start_frame end_frame source_period_secs period_secs cycles seam_cost_metre_secs cost_ratio \
    steadiness";

const ROOT_KEYS: &str = "mode linear_velocity_mps angular_velocity_radps speed_mps turn_rate_dps radius_m climb_mps";

const QUALITY_KEYS: &str = "pose_gap_deg pose_gap_mm velocity_gap_dps velocity_gap_mmps seam_acceleration_error_ratio \
    seam_acceleration_ratio seam_rank_percent take_rank_percent displacement_mm displacement_deg \
    foot_slide_cmps";

#[test]
fn a_walk_becomes_a_loop() {
    let folder = Folder::new();
    let synth = folder.succeed("synth -o walk.bvh --seconds 4 --fps 30");
    assert_eq!(synth.stdout, "walk.bvh\nwalk.bvh.truth.json\n");
    let found = folder.succeed("find walk.bvh");
    found.begins("walk.bvh: 121 frames, 4.00 s at 30 fps, 24 joints, unit cm, y up\n");
    let made = folder.succeed("make walk.bvh");
    made.begins("walk-loop.bvh: good: ");
    assert_eq!(
        folder.names(),
        ["walk-loop.bvh", "walk-loop.bvh.json", "walk.bvh", "walk.bvh.truth.json"]
    );
    let checked = folder.succeed("check walk-loop.bvh");
    checked.begins("walk-loop.bvh: good: the seam does not show");
    for answer in [synth, found, made, checked] {
        assert_eq!(answer.stderr, "");
    }
}

#[test]
fn the_loop_agrees_with_the_truth() {
    let folder = Folder::with_synth("--seconds 8 --fps 60");
    let (truth, loop_json) = (folder.json("walk.bvh.truth.json"), folder.made(""));
    let period = number(&loop_json, "candidate/source_period_secs") / number(&loop_json, "candidate/cycles");
    assert!((period - number(&truth, "period_secs")).abs() < 2e-3, "{period}");
    let twist = root_twist(&loop_json);
    let off = (twist.linear - vector(&truth["linear_mps"])).length();
    assert!(off < 0.03, "{off} m/s");
    let off = (twist.angular - vector(&truth["angular_rps"])).length();
    assert!(off < 0.01, "{off} rad/s");
}

#[test]
fn json_of_make_is_the_sidecar_and_says_what_was_made() {
    let folder = Folder::with_walk();
    let answer = folder.succeed("make walk.bvh --json");
    assert_eq!(answer.stdout, folder.text("walk-loop.bvh.json"));
    let json = answer.json();
    assert_eq!(
        json["outputs"],
        serde_json::json!(["walk-loop.bvh", "walk-loop.bvh.json"])
    );
    assert_eq!(json["take"]["file"], "walk.bvh");
    assert_eq!(json["take"]["frames"], 121);
    assert_eq!(json["take"]["joints"], 24);
    assert_eq!(json["take"]["unit"], "cm");
    assert_eq!(json["take"]["up"], "y");
    assert!((number(&json, "take/frame_time_secs") - 1.0 / 30.0).abs() < 1e-6);
    assert_eq!(json["closure"]["method"], "quintic");
    assert_eq!(json["root_motion"]["mode"], "constant");
    // For a walk with frames on both sides of the cut, every figure is known.
    for (part, keys) in [("candidate", CANDIDATE_KEYS), ("quality", QUALITY_KEYS)] {
        for key in keys.split(' ') {
            number(&json, &format!("{part}/{key}"));
        }
    }
    let twist = root_twist(&json);
    assert!((number(&json, "root_motion/speed_mps") - twist.linear.with_y(0.0).length()).abs() < 1e-12);
    assert!((number(&json, "root_motion/turn_rate_dps") - twist.angular.y.to_degrees()).abs() < 1e-9);
    assert!((number(&json, "root_motion/climb_mps") - twist.linear.y).abs() < 1e-12);
    assert!((number(&json, "root_motion/radius_m") - twist.linear.length() / twist.angular.length()).abs() < 1e-6);
    assert!(number(&json, "quality/pose_gap_deg") < 0.01 && number(&json, "quality/pose_gap_mm") < 0.01);
    assert!(number(&json, "quality/velocity_gap_dps") < 1e-6 && number(&json, "quality/velocity_gap_mmps") < 1e-6);
}

#[test]
fn a_straight_path_has_no_radius() {
    let folder = Folder::with_synth("--seconds 4 --fps 30 --turn-rate 0 --noise 0");
    assert_eq!(folder.made("")["root_motion"]["radius_m"], Value::Null);
}

#[test]
fn json_of_find_and_check_uses_the_same_names() {
    let folder = Folder::with_walk();
    let found = folder.answer("find walk.bvh --json");
    has_keys(&found["take"], TAKE_KEYS);
    assert!(found["warnings"].is_array());
    let candidates = found["candidates"].as_array().unwrap();
    assert!(!candidates.is_empty());
    for candidate in candidates {
        has_keys(candidate, CANDIDATE_KEYS);
        has_keys(&candidate["root_motion"], ROOT_KEYS);
    }
    let sidecar = folder.made("");
    let checked = folder.answer("check loop.bvh --json");
    let checked = &checked["loops"][0];
    has_keys(checked, "file grade warnings");
    has_keys(&checked["take"], TAKE_KEYS);
    has_keys(&checked["quality"], QUALITY_KEYS);
    assert_eq!(checked["grade"], "good");
    assert_eq!(checked["candidate"], sidecar["candidate"]);
    for key in ROOT_KEYS.split(' ') {
        let (found, stated) = (&checked["root_motion"][key], &sidecar["root_motion"][key]);
        if let (Some(found), Some(stated)) = (found.as_f64(), stated.as_f64()) {
            assert!((found - stated).abs() < 1e-9, "{key}: {found} and {stated}");
        } else if found.is_array() {
            assert!((vector(found) - vector(stated)).length() < 1e-9, "{key}");
        } else {
            assert_eq!(found, stated, "{key}");
        }
    }
}

#[test]
fn check_with_the_take_finds_the_figures_of_make() {
    let folder = Folder::with_walk();
    let sidecar = folder.made("");
    let checked = folder.answer("check loop.bvh --take walk.bvh --json");
    let quality = &checked["loops"][0]["quality"];
    for key in QUALITY_KEYS.split(' ') {
        if key.starts_with("velocity_gap") {
            assert_eq!(quality[key], Value::Null, "{key} is known to make only");
            continue;
        }
        let (found, stated) = (number(quality, key), number(&sidecar["quality"], key));
        let is_near = (found - stated).abs() < 1e-6 * (1.0 + stated);
        assert!(is_near, "{key}: {found} and {stated}");
    }
    let alone = folder.answer("check loop.bvh --json");
    assert_eq!(alone["loops"][0]["quality"]["displacement_mm"], Value::Null);
}

#[test]
fn top_bounds_the_list() {
    let folder = Folder::with_walk();
    let count = |options: &str| {
        let found = folder.answer(&format!("find walk.bvh --json --set search.shifted=true {options}"));
        found["candidates"].as_array().unwrap().len()
    };
    assert_eq!((count("--top 1"), count("--top 3"), count("")), (1, 3, 10));
}

#[test]
fn two_runs_give_the_same_bytes() {
    let run = || {
        let folder = Folder::with_walk();
        let answers = [
            "find walk.bvh --json",
            "make walk.bvh --json",
            "check walk-loop.bvh --take walk.bvh --json",
            "inspect walk.bvh --json",
        ]
        .map(|arguments| folder.succeed(arguments).stdout);
        (answers, folder.contents())
    };
    assert!(run() == run());
}

#[test]
fn convert_keeps_every_position() {
    let folder = Folder::with_walk();
    let answer = folder.succeed("convert walk.bvh again.bvh");
    assert_eq!(answer.stdout, "");
    let (before, after) = (folder.take("walk.bvh"), folder.take("again.bvh"));
    let (before_world, after_world) = (before.world_tracks(), after.world_tracks());
    assert_eq!(before.num_frames(), after.num_frames());
    assert_eq!(before.skeleton(), after.skeleton());
    for frame in 0..before.num_frames() {
        for joint in 0..before.num_joints() {
            // A hundred-thousandth of the file's unit, centimetres.
            let off = (before_world.position(frame, joint) - after_world.position(frame, joint)).length();
            assert!(off < 1e-7, "frame {frame}, joint {joint}: {off} m");
        }
    }
    folder.succeed("convert again.bvh third.bvh");
    assert!(folder.read("again.bvh") == folder.read("third.bvh"));
}

/// Z up, in feet, with a rotation order and a layout that the program itself never writes.
const FOREIGN: &str = "HIERARCHY
ROOT Base
{
  OFFSET 0 0 0
  CHANNELS 6 Yrotation Zrotation Xrotation Zposition Yposition Xposition
  JOINT Arm
  {
    OFFSET 0.5 0 2
    CHANNELS 2 Xrotation Zrotation
    End Site
    {
      OFFSET 0 0 1
    }
  }
}

MOTION
Frames: 3
Frame Time: 0.0417
10 20 30 3 2 1 5 -6
11 22 28 3.1 2.2 1.3 7.5 -4
12 25 20 3.2 2.5 1.5 9 -1
";

#[test]
fn convert_keeps_the_form_of_the_source() {
    let folder = Folder::new();
    folder.write("foreign.bvh", FOREIGN);
    folder.succeed("convert foreign.bvh again.bvh --up z --unit 0.3048");
    let again = folder.text("again.bvh");
    assert!(again.contains("CHANNELS 6 Yrotation Zrotation Xrotation Zposition Yposition Xposition"));
    assert!(again.contains("CHANNELS 2 Xrotation Zrotation"));
    assert!(again.contains("Frame Time: 0.0417"));
    let numbers = |text: &str| -> Vec<f64> {
        let (_, rows) = text.split_once("0.0417").unwrap();
        rows.split_whitespace().map(|word| word.parse().unwrap()).collect()
    };
    let (before, after) = (numbers(FOREIGN), numbers(&again));
    assert_eq!(before.len(), after.len());
    for (before, after) in before.iter().zip(after) {
        assert!((before - after).abs() < 1e-5, "{before} became {after}");
    }
}

#[test]
fn the_same_seed_gives_the_same_take_and_its_truth() {
    let synth = |seed: u32| {
        let folder = Folder::with_synth(&format!("--seconds 2 --fps 30 --turn-rate 9 --seed {seed}"));
        assert_eq!(folder.names(), ["walk.bvh", "walk.bvh.truth.json"]);
        let truth = folder.json("walk.bvh.truth.json");
        assert_eq!(number(&truth, "settings/seed"), f64::from(seed));
        assert_eq!(number(&truth, "period_secs"), 1.1537);
        assert!((vector(&truth["angular_rps"]).y.to_degrees() - 9.0).abs() < 1e-9);
        folder.read("walk.bvh")
    };
    assert!(synth(3) == synth(3));
    assert!(synth(3) != synth(4));
}

#[test]
fn the_demo_writes_its_files_once() {
    let folder = Folder::new();
    let answer = folder.succeed("demo");
    answer.shows("truth: period 1.1537 s");
    let written = [
        "walk-loop.bvh",
        "walk-loop.bvh.json",
        "walk-loop.svg",
        "walk.bvh",
        "walk.bvh.truth.json",
    ];
    let names: Vec<String> = written.iter().map(|name| format!("loopwright-demo/{name}")).collect();
    assert_eq!(folder.names()[1..], names);
    assert!(folder.text("loopwright-demo/walk-loop.svg").starts_with("<svg "));
    folder.succeed("check loopwright-demo/walk-loop.bvh");

    let before = folder.contents();
    let again = folder.refuse("demo", "\"loopwright-demo/walk.bvh\" exists already");
    again.says("try: --force");
    assert!(folder.contents() == before);
    folder.succeed("demo --force");
    assert!(folder.contents() == before, "the demo is not the same every time");
}

#[test]
fn a_raw_take_pops() {
    let folder = Folder::with_walk();
    let checked = folder.run("check walk.bvh").ended(1);
    checked.begins("walk.bvh: bad: ");
    checked.says("walk.bvh: no sidecar");
}

#[test]
fn without_a_sidecar_the_closing_key_is_recognised() {
    let folder = Folder::with_walk();
    for (last_key, message, close) in [
        ("repeat", "assuming that the last key repeats the first", 0.02),
        // Root motion over the last step is a guess here.
        ("drop", "assuming that the last key comes right before the first", 0.05),
    ] {
        let sidecar = folder.made(&format!("--set output.last-key={last_key}"));
        folder.copy("loop.bvh", "alone.bvh");
        let checked = folder.succeed("check alone.bvh");
        checked.says(message);
        let json = folder.answer("check alone.bvh --json");
        let json = &json["loops"][0];
        assert_eq!(json["grade"], "good");
        assert_eq!(json["candidate"], Value::Null);
        let off = number(json, "root_motion/speed_mps") / number(&sidecar, "root_motion/speed_mps") - 1.0;
        assert!(off.abs() < close, "{last_key}: speed off by {off}");
        let off = number(json, "root_motion/turn_rate_dps") / number(&sidecar, "root_motion/turn_rate_dps") - 1.0;
        assert!(off.abs() < close, "{last_key}: turn off by {off}");
    }
}

#[test]
fn check_goes_on_past_a_bad_file() {
    let folder = Folder::with_walk();
    folder.made("");
    folder.write("text.bvh", "not a take");
    let checked = folder.fail("check text.bvh walk.bvh missing.bvh loop.bvh");
    checked.shows("walk.bvh: bad: ");
    checked.shows("loop.bvh: good: ");
    for message in [
        "cannot read \"text.bvh\"",
        "cannot read \"missing.bvh\"",
        "2 of 4 loops could not be checked",
    ] {
        checked.says(message);
    }
    let json = folder.run("check text.bvh walk.bvh missing.bvh loop.bvh --json").json();
    let verdicts: Vec<&Value> = items(&json["loops"]).map(|one| &one["grade"]).collect();
    assert_eq!(verdicts, ["error", "bad", "error", "good"]);
    assert_eq!(folder.run("check walk.bvh loop.bvh").status, 1);
    assert_eq!(folder.run("check loop.bvh loop.bvh").status, 0);
}

#[test]
fn inspect_reports_what_the_search_sees() {
    let folder = Folder::with_synth("--seconds 8 --fps 30");
    let text = folder.succeed("inspect walk.bvh").stdout;
    for part in [
        "hips Hips",
        "feet LeftFoot, RightFoot (found by names)",
        "weights",
        "rhythm",
        "\n    LeftUpLeg",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    let json = folder.answer("inspect walk.bvh --json");
    has_keys(&json["take"], TAKE_KEYS);
    assert_eq!(json["skeleton"].as_array().unwrap().len(), 24);
    assert!(!json["weights"].as_array().unwrap().is_empty());
    let rhythm = json["rhythm_peaks"].as_array().unwrap();
    let period = |peak: &Value| (number(peak, "period_secs") - 1.1537).abs() < 0.01;
    assert!(rhythm.iter().any(period), "{rhythm:?}");
}

#[test]
fn licences_of_all_that_is_inside_are_printed() {
    let folder = Folder::new();
    for command in ["licences", "licenses"] {
        let text = folder.succeed(command).stdout;
        for part in ["MIT OR Apache-2.0", "glam 0.", "ufbx", "TERMS AND CONDITIONS"] {
            assert!(text.contains(part), "no {part:?}");
        }
    }
}

/// The window is a program of its own, beside the command or on the PATH.
#[cfg(unix)]
#[test]
fn the_studio_is_started_where_it_is_installed() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::with_walk();
    let run = |path: &std::path::Path, arguments: &[&str]| {
        let mut command = crate::harness::command();
        command.args(arguments).current_dir(folder.path()).env("PATH", path);
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, said) = run(folder.path(), &["studio", "walk.bvh"]);
    assert_eq!(status, Some(2));
    for part in ["not installed", "loopwright-studio", "cargo install"] {
        assert!(said.contains(part), "no {part:?}: {said}");
    }
    folder.make_folder("bin");
    let program = folder.file("bin/loopwright-studio");
    folder.write("bin/loopwright-studio", "#!/bin/sh\necho \"$@\" >opened\nexit $#\n");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(run(&folder.file("bin"), &["studio"]).0, Some(0));
    let (status, said) = run(&folder.file("bin"), &["studio", "walk.bvh"]);
    assert!(status == Some(2) && said.contains("ended with"), "{said}");
    assert_eq!(folder.text("opened"), "walk.bvh\n");
    let (status, said) = run(&folder.file("bin"), &["studio", "missing.bvh"]);
    assert!(status == Some(2) && said.contains("missing.bvh"), "{said}");
}

/// The worse a grade, the more.
pub(crate) fn rank(grade: &Value) -> usize {
    ["good", "review", "bad"].iter().position(|word| grade == word).unwrap()
}

/// One loop has one grade, whoever is asked; what the search says of a row is no better than what becomes of it.
#[test]
fn every_command_gives_a_loop_one_grade() {
    let folder = Folder::with_walk();
    folder.succeed("synth --noise 0.5 --seed 3 -o noisy.bvh");
    folder.succeed("synth --noise 0.2 --variation 0.2 -o uneven.bvh");
    folder.succeed("synth --speed 0.02 --turn-rate 0 -o slow.bvh");
    assert_eq!(
        folder.answer("find slow.bvh --json")["candidates"][0]["grade"],
        "review"
    );
    for take in ["walk.bvh", "noisy.bvh", "uneven.bvh", "slow.bvh"] {
        let found = folder.answer(&format!("find {take} --json"));
        let rows = found["candidates"].as_array().unwrap();
        let listed = folder.answer(&format!("list {take} --json"));
        for (index, row) in rows.iter().enumerate() {
            folder.run(&format!("make {take} -o loop.bvh --force --pick {}", index + 1));
            let made = folder.json("loop.bvh.json")["quality"].clone();
            assert!(
                rank(&row["grade"]) >= rank(&made["grade"]),
                "{take} {index}: {row} {made}"
            );
            let checked = folder.run("check loop.bvh --json").json();
            assert_eq!(checked["loops"][0]["grade"], made["grade"], "{take} {index}: {checked}");
            if index == 0 {
                assert_eq!(row["grade"], made["grade"], "{take}");
                let animation = &listed["files"][0]["animations"][0];
                assert_eq!(
                    [&animation["grade"], &animation["reason"]],
                    [&made["grade"], &made["reason"]],
                    "{take}"
                );
            }
        }
    }
}
