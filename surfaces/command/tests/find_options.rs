//! Options of a search: frames, speed, direction and cost.

use crate::harness::{Folder, holds, items, lines, near, number, texts};
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
fn loops_have_the_requested_root_motion() {
    let folder = Folder::with_synth("--seconds 6 --fps 30 --turn-rate 12 --speed 1.25");
    for options in lines("--speed 1.2:1.3\n--speed 1:\n--turning left\n--turn-rate 10:15\n--set search.climb=-0.1:0.1")
    {
        let best = &found(&folder, options)[0];
        near(number(best, "root_motion/speed_mps"), 1.25, 0.05);
        near(number(best, "root_motion/turn_rate_dps"), 12.0, 1.5);
    }
    for options in lines(
        "
        --speed 2:
        --speed :0.5
        --turning none
        --turning right
        --turn-rate=-40:-1
        --set search.climb=0.2:
        ",
    ) {
        let answer = folder.run(&format!("find walk.bvh --json {options}")).ended(1).json();
        holds(&answer, "nearest_miss/reason = root_motion\nerror/try != null");
        let refusal = &answer["error"];
        assert!(refusal["message"].to_string().contains("no loop found"), "{refusal}");
        assert!(refusal["because"][0].to_string().contains("moves at 1.2"), "{refusal}");
        let made = folder
            .run(&format!("make walk.bvh -o none.bvh --json {options}"))
            .ended(1);
        assert_eq!(made.json()["error"], *refusal);
        made.says("moves at 1.2");
    }
    assert!(!folder.has("none.bvh"));
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
fn other_prices_find_the_same_period() {
    let folder = Folder::with_synth("--seconds 6 --fps 30 --noise 0.3");
    let period = |options: &str| {
        number(
            &found(&folder, &format!("--cycles 1 {options}"))[0],
            "source_period_secs",
        )
    };
    for options in lines("fade=cubic\nfade=quintic\nhalf-life=0.05\nhalf-life=0.2") {
        near(period(&format!("--set search.{options}")), period(""), 0.03);
    }
}

#[test]
fn each_stretch_is_a_row_with_its_versions() {
    let folder = Folder::with_synth("--seconds 10 --fps 30 --lead-in 4 --noise 0.1");
    let json = folder.answer("find walk.bvh --json");
    // What moves comes first, though the body stands before it walks; segments are in the order of time, and name their rows.
    holds(
        &json,
        "
        candidates/0/segment = walk
        candidates/0/idle = false
        candidates/0/versions > 4
        candidates/1/segment = idle
        candidates/1/idle = true
        candidates/2 = null
        segments/0/gait = idle
        segments/0/rank = 2
        segments/1/gait = walk
        segments/1/rank = 1
        segments/2 = null
        ",
    );
    let rows = &json["candidates"];
    for segment in items(&json["segments"]) {
        let row = &rows[number(segment, "rank") as usize - 1];
        let [[from, to], [start, end]] =
            [segment, row].map(|part| ["start_frame", "end_frame"].map(|key| number(part, key)));
        assert!(from <= start && end <= to + 1.0);
    }
    // The idle row is what a search in those frames alone finds.
    let idle = &json["segments"][0];
    let within = format!("{}:{}", idle["start_frame"], idle["end_frame"]);
    let alone = found(&folder, &format!("--set search.shifted=true --idle --within {within}"));
    for key in lines("start_frame\nend_frame\nseam_cost_metre_secs\nroot_motion") {
        assert_eq!(alone[0][key], rows[1][key], "{key}");
    }
    // The recommended loop is the first of the flat list, and what `make` takes.
    let (shifted, made) = (found(&folder, "--set search.shifted=true"), folder.made(""));
    assert_eq!(items(&shifted).len(), 10);
    for key in ["start_frame", "end_frame"] {
        assert_eq!([&shifted[0][key], &made["candidate"][key]], [&rows[0][key]; 2]);
    }
    // Too short a walk to be seen twice, after an idle.
    folder.runs(
        "
        find walk.bvh                           | versions | idle
        find walk.bvh --set search.shifted=true |! versions
        synth -o short.bvh --seconds 6.5 --fps 30 --lead-in 5 --noise 0.1
        find short.bvh                          |! no loop in frames
        find short.bvh -v                       | no loop in frames | (walk)
        ",
    );
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
fn half_a_cycle_and_its_image_make_a_symmetric_loop() {
    let folder = Folder::with_synth("--seconds 2 --fps 60 --period 1.15 --turn-rate 0 --noise 0.1");
    let best = &found(&folder, "--symmetric")[0];
    holds(best, "mirrored = true\ncycles = 1");
    near(number(best, "source_period_secs"), 1.15, 1.0 / 60.0);
    let made = folder.made("--symmetric --save-recipe half.toml");
    holds(&made, "candidate/mirrored = true\nroot_motion/turn_rate_dps = 0");
    assert_eq!(number(&made, "playback/samples") % 2.0, 0.0);
    folder.loops();
    // By its recipe, or by hand: the same frames, as half a cycle.
    let before = folder.read("loop.bvh");
    folder.made("--recipe half.toml");
    assert_eq!(folder.read("loop.bvh"), before);
    let [start, end] = ["start_frame", "end_frame"].map(|key| number(&made["candidate"], key));
    folder.succeed(&format!(
        "close walk.bvh -o loop.bvh --force --symmetric --range {start}:{end}"
    ));
    assert_eq!(folder.read("loop.bvh"), before);
    folder.refuse(
        "make walk.bvh -o odd.bvh --symmetric --set output.frames=71",
        "even number",
    );
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
