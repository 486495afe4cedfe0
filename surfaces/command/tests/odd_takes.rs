//! Takes that are unusual and valid: very slow, very fast, very short, very deep, or nearly at rest.

use std::fmt::Write as _;

use crate::harness::{Folder, holds, number};
use loopwright_mocap::folder_or_skip;

/// Asserts that a loop is made that can be checked, whatever its grade.
fn loops(folder: &Folder, close: &str, name: &str) {
    folder.run(&format!("{close} -o {name} -f")).wrote();
    folder.run(&format!("check {name}")).wrote();
}

/// Loops at rates that readers take for hand-set keys were read back at other rates: a take of 5 fps ended with a sidecar that
/// claimed a gap of 38 degrees.
#[test]
fn loops_at_any_rate_are_read_back_as_they_were_written() {
    for (fps, seconds, end) in [(5, 8, 20), (2000, 2, 2000)] {
        let folder = Folder::with_synth(&format!("--seconds {seconds} --fps {fps}"));
        for name in ["loop.glb", "loop.gltf", "loop.fbx", "loop.bvh"] {
            loops(&folder, &format!("close walk.bvh --range 0:{end}"), name);
            let made = format!("playback/samples = {end}\nquality/pose_gap_deg < 0.01");
            holds(&folder.json(&format!("{name}.json")), &made);
        }
        // And takes.
        folder.succeed("convert walk.bvh walk.glb");
        let frames = |name: &str| number(&folder.answer(&format!("inspect {name} --json")), "take/frames");
        assert_eq!(frames("walk.glb"), frames("walk.bvh"));
    }
}

/// A loop of three samples has four keys; so few gave no rate, and the file was read with that of its scene: "the loop needs 4
/// keys, the file has 2". In a take that rests but for its start, any seam costs billions of times as much as that of random
/// frames: "cost_ratio is out of range".
#[test]
fn short_loops_and_takes_that_rest_are_looped() {
    let Some(mocap) = folder_or_skip() else { return };
    let folder = Folder::new();
    let take = mocap.join("bvh-toolbox/walk01_template.fbx");
    for range in ["0:3", "0:6"] {
        let close = format!("close FILE --range {range} --set output.frames=3 -o loop.fbx --force");
        folder.run_on(&take, &close).wrote();
        folder.run("check loop.fbx").wrote();
    }
    let take = mocap.join("ufbx/max_transformed_skin_7500_ascii.fbx");
    let made = folder
        .run_on(&take, "make FILE --range 0:20 -o loop.bvh --json")
        .wrote();
    holds(&made.json(), "candidate/cost_ratio = null");
}

/// One joint more, the added root, was read nowhere.
#[test]
fn the_deepest_skeleton_can_be_written_with_a_root_joint_and_read_back() {
    let folder = Folder::new();
    let rotations = "Zrotation Xrotation Yrotation";
    let mut text =
        format!("HIERARCHY\nROOT j0\n{{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition {rotations}\n");
    for joint in 1..512 {
        let _ = writeln!(text, "JOINT j{joint}\n{{\nOFFSET 0 1 0\nCHANNELS 3 {rotations}");
    }
    let ends = "}\n".repeat(512);
    let _ = write!(
        text,
        "End Site\n{{\nOFFSET 0 1 0\n}}\n{ends}MOTION\nFrames: 40\nFrame Time: 0.033333\n"
    );
    for frame in 0..40 {
        let value = format!("{:.4} ", (f64::from(frame) * 0.3).sin() * 0.1);
        let _ = writeln!(text, "{}", value.repeat(6 + 3 * 511).trim_end());
    }
    folder.write("deep.bvh", text);
    for name in ["loop.glb", "loop.fbx"] {
        loops(&folder, "close deep.bvh --range 0:21 --unit m --add-root", name);
    }
}

/// `--fps 60000` once worked for most of a minute, and a recipe with `fps = 1e5` for minutes. A take may have more of its own. A
/// performance that is too long was refused after ten seconds of work.
#[test]
fn what_no_engine_could_use_is_refused_at_once() {
    let folder = Folder::with_walk();
    folder.write("fast.toml", "[output]\nfps = 1e5\n");
    folder.run("close walk.bvh --range 0:60 -o loop.bvh").wrote();
    let start = std::time::Instant::now();
    folder.runs(
        "
        2 make walk.bvh --range 0:60 -o no.bvh --fps 60000                   | exceed the limit of | try:
        2 make walk.bvh --range 0:60 -o no.bvh --set output.frames=100000    | exceed the limit of | try:
        2 make walk.bvh --range 0:60 -o no.bvh --recipe fast.toml            | exceed the limit of | try:
        2 make walk.bvh --range 0:60 -o no.bvh --closure auto --fps 60000    | exceed the limit of | try:
        2 play loop.bvh loop.bvh -o no.bvh --seconds 100000                  | try: a smaller --seconds or --fps
        ",
    );
    assert!(start.elapsed().as_secs() < 10);
    loops(
        &Folder::with_synth("--seconds 2 --fps 2000"),
        "close walk.bvh --range 0:2000",
        "loop.bvh",
    );
}
