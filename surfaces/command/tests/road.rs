//! The whole pipeline on the command line: a take goes in, a loop and its figures come out, and the two agree.

use crate::harness::{Answer, Folder, holds, items, near, number, root_twist, vector};
use serde_json::Value;

fn has_keys(object: &Value, keys: &str) {
    for key in keys.split(' ') {
        assert!(object.get(key).is_some(), "no {key} in {object}");
    }
}

const TAKE_KEYS: &str = "file frames frame_time_secs joints unit up";

#[test]
fn the_loop_agrees_with_the_truth() {
    let folder = Folder::with_synth("--seconds 8 --fps 60");
    let (truth, made) = (folder.json("walk.bvh.truth.json"), folder.made(""));
    let period = number(&made, "candidate/source_period_secs") / number(&made, "candidate/cycles");
    near(period, number(&truth, "period_secs"), 2e-3);
    let twist = root_twist(&made);
    assert!(twist.linear.distance(vector(&truth["linear_mps"])) < 0.03, "{twist:?}");
    assert!(
        twist.angular.distance(vector(&truth["angular_rps"])) < 0.01,
        "{twist:?}"
    );
}

#[test]
fn top_bounds_the_list() {
    let folder = Folder::with_walk();
    for (options, count) in [("--top 1", 1), ("--top 3", 3), ("", 10)] {
        let found = folder.answer(&format!("find walk.bvh --json --set search.shifted=true {options}"));
        assert_eq!(items(&found["candidates"]).len(), count);
    }
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
    let folder = Folder::with_walk();
    folder.write("foreign.bvh", FOREIGN);
    folder.runs(
        "
        convert foreign.bvh again.bvh --up z --unit 0.3048
        convert walk.bvh twice.bvh
        convert twice.bvh third.bvh
        ",
    );
    assert!(folder.read("twice.bvh") == folder.read("third.bvh"));
    // Word for word, but for zeros behind the point.
    let words = |text: &str| -> Vec<String> {
        let words = text.split_whitespace();
        let plain = |word: &str| word.parse().map_or(word.to_owned(), |number: f64| number.to_string());
        words.map(plain).collect()
    };
    assert_eq!(words(&folder.text("again.bvh")), words(FOREIGN));
}

#[test]
fn the_demo_writes_its_files_once() {
    let folder = Folder::new();
    folder.runs("demo | truth: period 1.1537 s\ncheck loopwright-demo/walk-loop.bvh");
    let written = [
        "walk-loop.bvh",
        "walk-loop.bvh.json",
        "walk-loop.svg",
        "walk.bvh",
        "walk.bvh.truth.json",
    ];
    assert_eq!(
        folder.names()[1..],
        written.map(|name| format!("loopwright-demo/{name}"))
    );
    assert!(folder.text("loopwright-demo/walk-loop.svg").starts_with("<svg "));
    let before = folder.contents();
    folder.runs("2 demo | \"loopwright-demo/walk.bvh\" exists already | try: --force");
    assert!(folder.contents() == before);
    folder.runs("demo --force");
    assert!(folder.contents() == before, "the demo is not the same every time");
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
        folder.succeed("check alone.bvh").says(message);
        let checked = &folder.succeed("check alone.bvh --json").json()["loops"][0];
        holds(checked, "grade = good\ncandidate = null");
        for key in ["root_motion/speed_mps", "root_motion/turn_rate_dps"] {
            near(number(checked, key) / number(&sidecar, key), 1.0, close);
        }
    }
}

#[test]
fn inspect_reports_what_the_search_sees() {
    let folder = Folder::with_synth("--seconds 8 --fps 30");
    folder.runs(
        "inspect walk.bvh | hips Hips | feet LeftFoot, RightFoot (found by names) | weights | rhythm | LeftUpLeg",
    );
    let json = folder.answer("inspect walk.bvh --json");
    has_keys(&json["take"], TAKE_KEYS);
    holds(&json, "skeleton/23 != null\nskeleton/24 = null\nweights/0 != null");
    let mut rhythm = items(&json["rhythm_peaks"]);
    assert!(rhythm.any(|peak| (number(peak, "period_secs") - 1.1537).abs() < 0.01));
}

#[test]
fn a_program_built_from_its_sources_says_where_the_licences_of_all_that_is_inside_are() {
    Folder::new().runs(
        "
        licences | MIT OR Apache-2.0 | cargo tree
        licenses | MIT OR Apache-2.0 | cargo tree
        ",
    );
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
        Answer::new(command.output().unwrap())
    };
    let missing = run(folder.path(), &["studio", "walk.bvh"]).refused();
    for part in ["not installed", "loopwright-studio", "cargo install"] {
        missing.says(part);
    }
    folder.make_folder("bin");
    folder.write("bin/loopwright-studio", "#!/bin/sh\necho \"$@\" >opened\nexit $#\n");
    std::fs::set_permissions(
        folder.file("bin/loopwright-studio"),
        std::fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    let bin = folder.file("bin");
    run(&bin, &["studio"]).done();
    run(&bin, &["studio", "walk.bvh"]).refused().says("ended with");
    assert_eq!(folder.text("opened"), "walk.bvh\n");
    run(&bin, &["studio", "missing.bvh"]).refused().says("missing.bvh");
}

/// The worse a grade, the more.
pub(crate) fn rank(grade: &Value) -> usize {
    ["good", "review", "bad"].iter().position(|word| grade == word).unwrap()
}

/// One loop has one grade, whoever is asked; what the search says of a row is no better than what becomes of it.
#[test]
fn every_command_gives_a_loop_one_grade() {
    let folder = Folder::with_walk();
    folder.runs(
        "
        synth --noise 0.5 --seed 3 -o noisy.bvh
        synth --noise 0.2 --variation 0.2 -o uneven.bvh
        synth --speed 0.02 --turn-rate 0 -o slow.bvh
        ",
    );
    for take in ["walk.bvh", "noisy.bvh", "uneven.bvh", "slow.bvh"] {
        let found = folder.answer(&format!("find {take} --json"));
        for (index, row) in items(&found["candidates"]).enumerate() {
            folder.run(&format!("make {take} -o loop.bvh --force --pick {}", index + 1));
            let made = folder.json("loop.bvh.json")["quality"].clone();
            assert!(
                rank(&row["grade"]) >= rank(&made["grade"]),
                "{take} {index}: {row} {made}"
            );
            let checked = folder.run("check loop.bvh --json").json();
            assert_eq!(checked["loops"][0]["grade"], made["grade"], "{take} {index}");
            if index == 0 {
                assert_eq!(row["grade"], made["grade"], "{take}");
                let listed = folder.answer(&format!("list {take} --json"));
                for key in ["grade", "reason"] {
                    assert_eq!(listed["files"][0]["animations"][0][key], made[key], "{take}");
                }
            }
        }
        if take == "slow.bvh" {
            holds(&found, "candidates/0/grade = review");
        }
    }
}
