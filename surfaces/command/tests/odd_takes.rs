//! Takes that are unusual and valid: very slow, very fast, very short, very deep, or nearly at rest.

use std::fmt::Write as _;

use crate::harness::{Folder, number};
use loopwright_mocap::folder_or_skip;

/// Loops at rates that readers take for hand-set keys were read back at other rates: a take of 5 fps ended with a sidecar that
/// claimed a gap of 38 degrees.
#[test]
fn loops_at_any_rate_are_read_back_as_they_were_written() {
    for (fps, seconds, end) in [(5, 8, 20), (2000, 2, 2000)] {
        let folder = Folder::with_synth(&format!("--seconds {seconds} --fps {fps}"));
        for name in ["loop.glb", "loop.gltf", "loop.fbx", "loop.bvh"] {
            let made = folder.run(&format!("close walk.bvh --range 0:{end} -o {name} --json"));
            assert_ne!(made.status, 2, "{fps} fps, {name}: {}", made.stderr);
            let made = made.json();
            assert_eq!(number(&made, "playback/samples"), f64::from(end), "{fps} fps, {name}");
            let is_right = number(&made, "quality/pose_gap_deg") < 0.01;
            assert!(is_right, "{fps} fps, {name}: {}", made["quality"]);
            assert_ne!(folder.run(&format!("check {name}")).status, 2, "{fps} fps, {name}");
        }
        // And takes.
        folder.succeed("convert walk.bvh walk.glb");
        let frames = |name: &str| number(&folder.answer(&format!("inspect {name} --json")), "take/frames");
        assert_eq!(frames("walk.glb"), frames("walk.bvh"));
    }
}

/// A loop of three samples has four keys; so few gave no rate, and the file was read with that of its scene: "the loop needs 4
/// keys, the file has 2".
#[test]
fn a_loop_of_four_keys_is_read_back_from_fbx() {
    let Some(mocap) = folder_or_skip() else { return };
    let take = mocap.join("bvh-toolbox/walk01_template.fbx");
    let folder = Folder::new();
    for range in ["0:3", "0:6"] {
        let made = folder.run_on(
            &take,
            &format!("close FILE --range {range} --set output.frames=3 -o loop.fbx --force"),
        );
        assert_ne!(made.status, 2, "{range}: {}", made.stderr);
        assert_ne!(folder.run("check loop.fbx").status, 2, "{range}");
    }
}

/// One joint more, the added root, was read nowhere.
#[test]
fn the_deepest_skeleton_can_be_written_with_a_root_joint_and_read_back() {
    let folder = Folder::new();
    let mut text =
        "HIERARCHY\nROOT j0\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
            .to_owned();
    for joint in 1..512 {
        let _ = writeln!(
            text,
            "JOINT j{joint}\n{{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation"
        );
    }
    text.push_str("End Site\n{\nOFFSET 0 1 0\n}\n");
    text.push_str(&"}\n".repeat(512));
    text.push_str("MOTION\nFrames: 40\nFrame Time: 0.033333\n");
    for frame in 0..40 {
        let value = format!("{:.4} ", (f64::from(frame) * 0.3).sin() * 0.1);
        text.push_str(value.repeat(6 + 3 * 511).trim_end());
        text.push('\n');
    }
    folder.write("deep.bvh", text);
    for name in ["loop.glb", "loop.fbx"] {
        let made = folder.run(&format!("close deep.bvh --range 0:21 --unit m -o {name} --add-root"));
        assert_ne!(made.status, 2, "{name}: {}", made.stderr);
        assert_ne!(folder.run(&format!("check {name}")).status, 2, "{name}");
    }
}

/// In a take that rests but for its start, any seam costs billions of times as much as that of random frames: "cost_ratio is out of
/// range".
#[test]
fn a_take_that_rests_but_for_its_start_can_be_looped() {
    let Some(mocap) = folder_or_skip() else { return };
    let take = mocap.join("ufbx/max_transformed_skin_7500_ascii.fbx");
    let folder = Folder::new();
    let made = folder.run_on(&take, "make FILE --range 0:20 -o loop.bvh --json");
    assert_ne!(made.status, 2, "{}", made.stderr);
    assert!(made.json()["candidate"]["cost_ratio"].is_null());
}

/// `--fps 60000` once worked for most of a minute, and a recipe with `fps = 1e5` for minutes.
#[test]
fn a_rate_that_no_engine_could_use_is_refused_at_once() {
    let folder = Folder::with_walk();
    folder.write("fast.toml", "[output]\nfps = 1e5\n");
    for options in [
        "--fps 60000",
        "--set output.frames=100000",
        "--recipe fast.toml",
        "--closure auto --fps 60000",
    ] {
        let answer = folder.fail(&format!("make walk.bvh --range 0:60 {options} -o loop.bvh"));
        answer.says("exceed the limit of ");
        answer.says("\n  try: ");
    }
    // A take may have more of its own.
    let folder = Folder::with_synth("--seconds 2 --fps 2000");
    let answer = folder.run("close walk.bvh --range 0:2000 -o loop.bvh");
    assert_ne!(answer.status, 2, "{}", answer.stderr);
}

/// It was once refused after ten seconds of work.
#[test]
fn a_performance_that_is_too_long_is_refused_at_once() {
    let folder = Folder::with_walk();
    let loops: Vec<String> = (0..4).map(|start| format!("loop{start}.bvh")).collect();
    for (start, name) in loops.iter().enumerate() {
        let end = start + 60;
        folder.run(&format!("close walk.bvh --range {start}:{end} -o {name}"));
    }
    let start = std::time::Instant::now();
    let refused = folder.fail(&format!("play {} -o played.bvh --seconds 100000", loops.join(" ")));
    refused.says("try: a smaller --seconds or --fps");
    assert!(start.elapsed().as_secs() < 2);
}
