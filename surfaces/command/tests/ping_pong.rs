//! Loops that go there and back.

use crate::harness::{Folder, lines, texts};

#[test]
fn what_contradicts_going_back_is_refused() {
    let folder = Folder::with_walk();
    folder.write("both.toml", "[stretch]\nping-pong = true\nsymmetric = true\n");
    folder.refuse_all(
        "",
        "
        make walk.bvh --ping-pong --symmetric | cannot be used with
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
        make walk.bvh --ping-pong --set stretch.mean-cycles=all | no --ping-pong, or no stretch.mean-cycles
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

/// The advice is a softer turn, because nothing is closed.
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
