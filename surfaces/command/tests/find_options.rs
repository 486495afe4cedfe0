//! Options of a search: frames, speed, direction and cost.

use crate::harness::{Folder, items, number};

fn first(folder: &Folder, options: &str) -> serde_json::Value {
    folder.answer(&format!("find walk.bvh --json {options}"))["candidates"][0].clone()
}

#[test]
fn loops_lie_within_the_frames_asked_for() {
    let folder = Folder::with_synth("--seconds 8 --fps 30");
    let json = folder.answer("find walk.bvh --json --within 100:200");
    let candidates = json["candidates"].as_array().unwrap();
    assert!(!candidates.is_empty());
    for candidate in candidates {
        let [start, end] = ["start_frame", "end_frame"].map(|key| number(candidate, key));
        // The end is refined by less than a frame.
        assert!(start >= 100.0 && end < 201.0, "{start} to {end}");
    }
    // `make` accepts the same option.
    let made = folder.made("--within 100:200");
    assert!(number(&made, "candidate/start_frame") >= 100.0);
}

#[test]
fn loops_have_the_requested_root_motion() {
    let folder = Folder::with_synth("--seconds 6 --fps 30 --turn-rate 12 --speed 1.25");
    for options in [
        "--speed 1.2:1.3",
        "--speed 1:",
        "--turning left",
        "--turn-rate 10:15",
        "--set search.climb=-0.1:0.1",
    ] {
        let found = first(&folder, options);
        let is_near = (number(&found, "root_motion/speed_mps") - 1.25).abs() < 0.05;
        assert!(is_near, "{options}");
        let is_near = (number(&found, "root_motion/turn_rate_dps") - 12.0).abs() < 1.5;
        assert!(is_near, "{options}");
    }
    for options in [
        "--speed 2:",
        "--speed :0.5",
        "--turning none",
        "--turning right",
        "--turn-rate=-40:-1",
        "--set search.climb=0.2:",
    ] {
        let answer = folder.run(&format!("find walk.bvh {options}")).ended(1);
        answer.says("moves at 1.2");
        let answer = folder.run(&format!("find walk.bvh --json {options}"));
        assert_eq!(answer.json()["nearest_miss"]["reason"], "root_motion");
        let refusal = answer.json()["error"].clone();
        assert!(refusal["message"].as_str().unwrap().contains("no loop found"));
        assert!(refusal["because"][0].as_str().unwrap().contains("moves at 1.2") && refusal["try"].is_string());
        let made = folder.run(&format!("make walk.bvh -o none.bvh --json {options}"));
        assert_eq!((made.status, &made.json()["error"]), (1, &refusal));
        assert_eq!(folder.run(&format!("make walk.bvh -o none.bvh {options}")).status, 1);
    }
    assert!(!folder.names().contains(&"none.bvh".to_owned()));
}

#[test]
fn idle_loops_when_they_are_asked_for() {
    let folder = Folder::with_synth("--seconds 9 --fps 30 --lead-in 4 --noise 0.1");
    assert_eq!(first(&folder, "")["idle"], false);
    let answer = folder.succeed("find walk.bvh --json --idle");
    assert!(!answer.stderr.contains("confidence"), "{}", answer.stderr);
    let json = answer.json();
    let candidates = json["candidates"].as_array().unwrap();
    assert!(!candidates.is_empty());
    for candidate in candidates {
        assert_eq!(candidate["idle"], true);
        assert!(number(candidate, "end_frame") < 125.0);
    }
    let walk = Folder::with_walk();
    let answer = walk.run("find walk.bvh --idle");
    let is_said = answer.status == 1 && answer.stderr.contains("the body is not idle");
    assert!(is_said, "{}", answer.stderr);
}

#[test]
fn other_prices_find_the_same_period() {
    let folder = Folder::with_synth("--seconds 6 --fps 30 --noise 0.3");
    let period = number(&first(&folder, "--cycles 1"), "source_period_secs");
    for options in [
        "--set search.fade=cubic",
        "--set search.fade=quintic",
        "--set search.half-life=0.05",
        "--set search.half-life=0.2",
    ] {
        let found = number(&first(&folder, &format!("--cycles 1 {options}")), "source_period_secs");
        assert!((found - period).abs() < 0.03, "{options}: {found}, not {period}");
    }
}

#[test]
fn each_stretch_is_a_row_with_its_versions() {
    let folder = Folder::with_synth("--seconds 10 --fps 30 --lead-in 4 --noise 0.1");
    let json = folder.answer("find walk.bvh --json");
    let rows = json["candidates"].as_array().unwrap();
    // What moves comes first, though the body stands before it walks.
    let of_rows: Vec<_> = rows.iter().map(|row| (&row["segment"], &row["idle"])).collect();
    assert_eq!(
        of_rows,
        [(&"walk".into(), &false.into()), (&"idle".into(), &true.into())]
    );
    assert!(rows[0]["versions"].as_u64() >= Some(5), "{}", rows[0]);
    // The segments are in the order of time, and name their rows.
    let segments = json["segments"].as_array().unwrap();
    let of_segments: Vec<_> = segments.iter().map(|one| (&one["gait"], &one["rank"])).collect();
    assert_eq!(of_segments, [(&"idle".into(), &2.into()), (&"walk".into(), &1.into())]);
    for segment in segments {
        let row = &rows[segment["rank"].as_u64().unwrap() as usize - 1];
        let [start, end] = ["start_frame", "end_frame"].map(|key| number(row, key));
        assert!(number(segment, "start_frame") <= start && end <= number(segment, "end_frame") + 1.0);
    }
    // The idle row is what a search in those frames alone finds.
    let within = format!("{}:{}", segments[0]["start_frame"], segments[0]["end_frame"]);
    let alone = folder.answer(&format!(
        "find walk.bvh --json --set search.shifted=true --idle --within {within}"
    ));
    for key in ["start_frame", "end_frame", "seam_cost_metre_secs", "root_motion"] {
        assert_eq!(alone["candidates"][0][key], rows[1][key], "{key}");
    }
    // The recommended loop is the first of the flat list, and what `make` takes.
    let shifted = folder.answer("find walk.bvh --json --set search.shifted=true");
    assert_eq!(shifted["candidates"].as_array().unwrap().len(), 10);
    for key in ["start_frame", "end_frame"] {
        assert_eq!(shifted["candidates"][0][key], rows[0][key]);
        assert_eq!(folder.made("")["candidate"][key], rows[0][key]);
    }
    let text = folder.succeed("find walk.bvh").stdout;
    assert!(text.contains("versions") && text.contains("idle"), "{text}");
    let text = folder.succeed("find walk.bvh --set search.shifted=true").stdout;
    assert!(!text.contains("versions"), "{text}");
}

#[test]
fn segments_without_a_loop_are_listed_on_request() {
    // Too short a walk to be seen twice, after an idle.
    let folder = Folder::with_synth("--seconds 6.5 --fps 30 --lead-in 5 --noise 0.1");
    let plain = folder.succeed("find walk.bvh").stdout;
    assert!(!plain.contains("no loop in frames"), "{plain}");
    let all = folder.succeed("find walk.bvh -v").stdout;
    assert!(all.contains("no loop in frames") && all.contains("(walk)"), "{all}");
}

#[test]
fn candidates_report_their_phase_and_the_search_its_rhythm() {
    let folder = Folder::with_synth("--seconds 8 --fps 60 --period 1.15 --turn-rate 0");
    let json = folder.answer("find walk.bvh --json");
    assert!((number(&json, "rhythm/period_secs") - 1.15).abs() < 0.01);
    assert!(number(&json, "rhythm/confidence") > 0.9);
    let multiples = json["rhythm"]["multiples"].as_array().unwrap();
    assert!(multiples.len() >= 4 && multiples.iter().all(|likeness| likeness.as_f64().unwrap() > 0.8));
    for found in json["candidates"].as_array().unwrap() {
        assert!((0.0..1.0).contains(&number(found, "contact_phase")));
        assert!((0.5..1.5).contains(&number(found, "activity_ratio")));
    }
}

#[test]
fn smoothing_and_weights_are_reported_and_kept() {
    let folder = Folder::with_synth("--seconds 6 --fps 60 --noise 0.5");
    let plain = first(&folder, "--cycles 1");
    let smooth = first(&folder, "--cycles 1 --smooth 6");
    let cost = |found: &serde_json::Value| number(found, "seam_cost_metre_secs");
    // White noise of every joint causes most of the seam cost here.
    assert!(cost(&smooth) < 0.7 * cost(&plain), "{} {}", cost(&smooth), cost(&plain));
    let made = folder.made("--smooth 6 --set take.weights=*Hand*=0 --save-recipe walk.toml");
    assert_eq!(made["take"]["smooth_hz"], 6.0);
    let recipe = folder.text("walk.toml");
    let is_said = recipe.contains("smooth = 6.0") && recipe.contains("*Hand*=0");
    assert!(is_said, "{recipe}");
    let before = folder.read("loop.bvh");
    folder.succeed("make walk.bvh -o loop.bvh --recipe walk.toml --force");
    assert_eq!(folder.read("loop.bvh"), before);
    let weights =
        folder.answer("inspect walk.bvh --json --set take.weights=*Hand*=0 --set take.weights=Head=2")["weights"]
            .clone();
    let weights = weights.as_array().unwrap();
    let has = |name: &str| {
        weights
            .iter()
            .any(|weight| weight["joint"].as_str().unwrap().contains(name))
    };
    assert!(
        !has("Hand")
            && weights
                .iter()
                .any(|weight| weight["joint"] == "Head" && weight["weight"] == 2.0)
    );
}

#[test]
fn half_a_cycle_and_its_image_make_a_symmetric_loop() {
    let folder = Folder::with_synth("--seconds 2 --fps 60 --period 1.15 --turn-rate 0 --noise 0.1");
    let json = folder.answer("find walk.bvh --json --symmetric");
    let best = &json["candidates"][0];
    assert_eq!((&best["mirrored"], &best["cycles"]), (&true.into(), &1.into()));
    assert!((number(best, "source_period_secs") - 1.15).abs() < 1.0 / 60.0);
    let made = folder.made("--symmetric --save-recipe half.toml");
    assert_eq!(made["candidate"]["mirrored"], true);
    assert_eq!(number(&made, "root_motion/turn_rate_dps"), 0.0);
    assert_eq!(made["playback"]["samples"].as_u64().unwrap() % 2, 0);
    folder.loops();
    let before = folder.read("loop.bvh");
    folder.succeed("make walk.bvh -o loop.bvh --recipe half.toml --force");
    assert_eq!(folder.read("loop.bvh"), before);
    // By hand: the same frames, as half a cycle.
    let (start, end) = (
        number(&made, "candidate/start_frame"),
        number(&made, "candidate/end_frame"),
    );
    folder.succeed(&format!(
        "close walk.bvh -o loop.bvh --force --symmetric --range {start}:{end}"
    ));
    assert_eq!(folder.read("loop.bvh"), before);
    let refused = folder.fail("make walk.bvh -o odd.bvh --symmetric --set output.frames=71");
    refused.says("even number");
}

#[test]
fn settings_may_say_which_joints_are_images() {
    let folder = Folder::with_synth("--seconds 3 --fps 30 --turn-rate 0");
    // The names no longer distinguish left from right.
    let text = folder.text("walk.bvh").replace("Left", "Near").replace("Right", "Far");
    folder.write("walk.bvh", text);
    let refused = folder.fail("find walk.bvh --symmetric --set take.mirror=NearHand=FarHand,NearArm=NearArm");
    refused.says("their parents are not");
    let inspected = folder.answer("inspect walk.bvh --json");
    let names = items(&inspected["skeleton"]).map(|joint| joint["name"].as_str().unwrap());
    let near = names.filter(|name| name.contains("Near"));
    let pairs = near.map(|name| format!("{name}={}", name.replace("Near", "Far")));
    let pairs: Vec<String> = pairs.collect();
    let pairs = pairs.join(",");
    folder.succeed(&format!(
        "make walk.bvh -o loop.bvh --symmetric --set take.mirror={pairs}"
    ));
    folder.loops();
    // A file of pairs is for whom mirrors takes.
    folder.write("pairs.txt", format!("# all\n{}", pairs.replace(',', "\n")));
    folder.succeed("convert walk.bvh image.bvh --mirror --mirror-map pairs.txt");
    folder.write("pairs.txt", "NearHand FarHand = \n");
    folder.refuse(
        "convert walk.bvh image.bvh -f --mirror --mirror-map pairs.txt",
        "line 1",
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
