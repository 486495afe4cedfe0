//! Loops that go there and back.

use crate::harness::{Folder, holds, items, lines, number, samples, texts};

#[test]
fn what_does_not_repeat_is_played_there_and_back() {
    let folder = Folder::with_synth("--seconds 6 --fps 30 --noise 0.2");
    let json = folder.answer("find walk.bvh --json --ping-pong --seconds 2:5");
    assert!(items(&json["candidates"]).len() > 1);
    for row in items(&json["candidates"]) {
        assert!((2.0..=5.0).contains(&number(row, "source_period_secs")), "{row}");
        holds(row, "root_motion/speed_mps = 0\nping_pong_ease_frames = 15");
    }
    let made = folder.made("--ping-pong --seconds 2:5 --save-recipe there.toml");
    let candidate = &made["candidate"];
    for key in ["start_frame", "end_frame"] {
        assert_eq!(candidate[key], json["candidates"][0][key]);
    }
    holds(&made, "in_place = true\nroot_motion/mode = in-place");
    let count = samples(&made);
    let checks = items(&made["quality"]["checks"]);
    let seam: Vec<_> = checks
        .filter(|check| check["id"].as_str().unwrap().starts_with("seam"))
        .collect();
    assert!(
        seam.len() >= 4 && seam.iter().all(|check| check["grade"] == "good"),
        "{seam:?}"
    );

    // The recipe, and the same frames by hand, make the same bytes.
    let before = folder.read("loop.bvh");
    folder
        .run("make walk.bvh -o loop.bvh --recipe there.toml --force")
        .wrote();
    assert_eq!(folder.read("loop.bvh"), before);
    let [start, end] = ["start_frame", "end_frame"].map(|key| number(candidate, key));
    let close = format!("close walk.bvh -o loop.bvh --force --ping-pong --range {start}:{end}");
    let by_hand = folder.run(&close).wrote();
    assert_eq!(folder.read("loop.bvh"), before);
    // A walk goes backwards on the way back.
    let walk = folder.take("walk.bvh");
    let hips = |frame: usize| walk.pose(frame).translations[0].with_y(0.0);
    let (first, last) = (start as usize, end as usize);
    let ways = (first..=last).map(|frame| hips(frame).distance(hips(first)));
    let way = ways.fold(0.0, f64::max);
    by_hand.says(&format!(
        "the body goes {way:.1} m and comes back by the same way, backwards"
    ));
    by_hand.shows("there and back");
    // Beside the take nothing was moved.
    let checked = folder.run("check loop.bvh --take walk.bvh --json").wrote().json();
    holds(&checked, "loops/0/quality/displacement_mm < 0.01");
    // Softer turns take longer: 3/16 of 45 and of 15 frames, rounded, at each half of a turn.
    folder.run(&format!("{close} --set stretch.ease=1.5")).wrote();
    let soft = folder.json("loop.bvh.json");
    holds(&soft, "candidate/ping_pong_ease_frames = 45");
    assert_eq!(samples(&soft), count + 4 * (8 - 3));
}

#[test]
fn what_contradicts_going_back_is_refused() {
    let folder = Folder::with_walk();
    folder.write("both.toml", "[stretch]\nping-pong = true\nsymmetric = true\n");
    folder.refuse_all(
        "",
        "
        make walk.bvh --ping-pong --symmetric | cannot be used with
        make walk.bvh --ping-pong --mean-cycles all | cannot be used with
        make walk.bvh --recipe both.toml | --ping-pong plays the stretch back
        make walk.bvh --ping-pong --cycles 2 | try: no --cycles, or no --ping-pong
        make walk.bvh --ping-pong --turning left | --turning chooses among loops that repeat
        find walk.bvh --ping-pong --every-cycle | --every-cycle chooses among loops that repeat
        make walk.bvh --set stretch.ease=1 | try: --ping-pong, or no stretch.ease
        make walk.bvh --ping-pong --set output.root-speed=1.2 | try: no output.root-speed, or no --ping-pong
        close walk.bvh --range 10:60 --ping-pong --set output.root-speed=1.2 | try: no output.root-speed, or no --ping-pong
        find walk.bvh --set stretch.ease=1 | try: --ping-pong, or no stretch.ease
        find walk.bvh --set stretch.start=1 | stretch.start has no effect on this command
        make walk.bvh --ping-pong --set stretch.ease=0 | stretch.ease must be a positive number of seconds
        make walk.bvh --ping-pong --set stretch.ease=nan | stretch.ease must be a positive number of seconds
        close walk.bvh --ping-pong --range 10:12 | 2 frames are too few for a loop
        make walk.bvh --ping-pong --set stretch.mean-cycles=all | either --ping-pong or --mean-cycles
        ",
    );
    folder.runs("1 make walk.bvh --ping-pong --within 5:7");
    assert!(!folder.has("walk-loop.bvh"));
}

/// `find` lists what `make --pick` takes, whatever the turns, however they are asked for.
#[test]
fn rows_are_those_that_are_picked() {
    let folder = Folder::with_synth("--seconds 6 --fps 30 --noise 0.2");
    for turns in [
        "--ping-pong --set stretch.ease=3",
        "--set stretch.ping-pong=true --set stretch.ease=0.2",
    ] {
        let json = folder.answer(&format!("find walk.bvh --json {turns}"));
        let made = folder.made(&format!("--pick 1 {turns}"));
        for key in lines("start_frame\nend_frame\nping_pong_ease_frames\nsource_period_secs") {
            assert_eq!(made["candidate"][key], json["candidates"][0][key], "{turns} {key}");
        }
    }
}

/// What helps is a softer turn: nothing is closed.
#[test]
fn cures_are_of_turns() {
    let folder = Folder::with_synth("--seconds 6 --fps 120 --noise 0");
    let hard = "close walk.bvh -o loop.bvh --ping-pong --range 120:300 --set stretch.ease=0.02 --plot loop.svg";
    let hard = folder.run(hard).wrote();
    hard.shows("stretch.ease=1");
    let said = hard.stdout + &hard.stderr;
    for wrong in ["--blend", "--closure", "has it as it is", "close it again"] {
        assert!(!said.contains(wrong), "{said}");
    }
    let drawn = folder.text("loop.svg");
    assert!(drawn.contains("there and back") && !drawn.contains("meets in"));
    let checked = folder.run("check loop.bvh").wrote();
    assert!(!checked.stdout.contains("--blend"), "{checked:?}");
    let checked = folder.run("check loop.bvh --json --fail-on review").json();
    let hints = texts(&checked["loops"][0]["failed"], "try");
    let are_of_turns = hints.iter().all(|hint| hint.contains("stretch.ease"));
    assert!(!hints.is_empty() && are_of_turns, "{checked}");
}
