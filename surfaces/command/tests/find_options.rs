//! Options of a search: frames, speed, direction and cost.

use crate::harness::{Folder, holds, items, number, texts};
use serde_json::Value;

fn found(folder: &Folder, options: &str) -> Value {
    folder.answer(&format!("find walk.bvh --json {options}"))["candidates"].clone()
}

#[test]
fn loops_lie_within_the_frames_asked_for() {
    let folder = Folder::with_synth("--seconds 8 --fps 30");
    let candidates = found(&folder, "--within 100:200");
    assert_ne!(items(&candidates).len(), 0);
    for candidate in items(&candidates) {
        // The end is refined by less than a frame.
        holds(candidate, "start_frame > 99.999\nend_frame < 201");
    }
    // `make` accepts the same option.
    holds(&folder.made("--within 100:200"), "candidate/start_frame > 99.999");
}

#[test]
fn idle_loops_when_they_are_asked_for() {
    let folder = Folder::with_synth("--seconds 9 --fps 30 --lead-in 4 --noise 0.1");
    holds(&found(&folder, "")[0], "idle = false");
    let candidates = found(&folder, "--idle");
    assert_ne!(items(&candidates).len(), 0);
    for candidate in items(&candidates) {
        holds(candidate, "idle = true\nend_frame < 126");
    }
    folder.runs("find walk.bvh --idle |! confidence");
    Folder::with_walk().runs("1 find walk.bvh --idle | the body is not idle");
}

#[test]
fn smoothing_and_weights_are_reported_and_kept() {
    let folder = Folder::with_synth("--seconds 6 --fps 60 --noise 0.5");
    let cost = |options: &str| number(&found(&folder, options)[0], "seam_cost_metre_secs");
    // White noise of every joint causes most of the seam cost here.
    let (plain, smooth) = (cost("--cycles 1"), cost("--cycles 1 --smooth 6"));
    assert!(smooth < 0.7 * plain, "{smooth} {plain}");
    let made = folder.made("--smooth 6 --set take.weights=*Hand*=0 --save-recipe walk.toml");
    holds(&made, "take/smooth_hz = 6");
    let before = folder.read("loop.bvh");
    folder.made("--recipe walk.toml");
    assert_eq!(folder.read("loop.bvh"), before);
    let weights = "inspect walk.bvh --json --set take.weights=*Hand*=0 --set take.weights=Head=2";
    let weights = &folder.answer(weights)["weights"];
    assert!(texts(weights, "joint").iter().all(|joint| !joint.contains("Hand")));
    let head = items(weights).find(|weight| weight["joint"] == "Head").unwrap();
    holds(head, "weight = 2");
}

#[test]
fn settings_may_say_which_joints_are_images() {
    let folder = Folder::with_synth("--seconds 3 --fps 30 --turn-rate 0");
    // The names no longer distinguish left from right.
    let text = folder.text("walk.bvh").replace("Left", "Near").replace("Right", "Far");
    folder.write("walk.bvh", text);
    let inspected = folder.answer("inspect walk.bvh --json");
    let near = texts(&inspected["skeleton"], "name")
        .into_iter()
        .filter(|name| name.contains("Near"));
    let pairs: Vec<String> = near
        .map(|name| format!("{name}={}", name.replace("Near", "Far")))
        .collect();
    folder.succeed(&format!(
        "make walk.bvh -o loop.bvh --symmetric --set take.mirror={}",
        pairs.join(",")
    ));
    folder.loops();
    // A file of pairs is for whom mirrors takes.
    folder.write("pairs.txt", format!("# all\n{}", pairs.join("\n")));
    folder.write("wrong.txt", "NearHand FarHand = \n");
    folder.runs(
        "
        convert walk.bvh image.bvh --mirror --mirror-map pairs.txt
        2 convert walk.bvh image.bvh -f --mirror --mirror-map wrong.txt | line 1
        2 find walk.bvh --symmetric --set take.mirror=NearHand=FarHand,NearArm=NearArm | their parents are not
        ",
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = Folder::with_walk();
    let refused = "
        --within 50:500 | frames 50:500 are not a range
        --within 50:40 | frames 50:40 are not a range
        --set search.half-life=0 | search.half-life must be a positive number
        --speed fast | must be LOW:HIGH
        --speed 3:2 | must be LOW:HIGH
        --speed : | must be LOW:HIGH
        --speed nan:2 | must be LOW:HIGH
        --turn-rate 1:2 --turning none | cannot be used with
        --idle --speed 1:2 | cannot be used with
        --set take.weights=Hand | must be PATTERN=WEIGHT
        --set take.weights=Hand=heavy | must be PATTERN=WEIGHT
        --set take.weights=LeftHnad=1 | no joint named \"LeftHnad\"
        --set take.weights=*Hand*=-1 | the weight of \"*Hand*\" must lie between 0 and 1000
        --set take.weights=*=0 | no joint has a weight above 0
        --smooth 0 | --smooth must lie above 0
        --smooth 40 | up to 13.5000 Hz
        --set search.fade=linear | expected one of `spring`, `cubic`, `quintic`
    ";
    folder.refuse_all("find walk.bvh", refused);
    folder.fail("make walk.bvh --range 20:55 --speed 1:2");
}
