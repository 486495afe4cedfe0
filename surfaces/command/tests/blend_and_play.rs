//! `blend` and `play` on the command line: whole files or none, correct figures, clear errors for impossible requests.

use crate::harness::{Folder, holds, items, near, number, rows};

/// Two loops of one walker, one turning left and one turning right.
fn with_two_loops(options: &str) -> Folder {
    let folder = Folder::new();
    for (name, walk) in [
        ("left", "--turn-rate 30 --speed 1.3"),
        ("right", "--turn-rate=-30 --speed 1.1 --period 1.27"),
    ] {
        folder.runs(&format!(
            "synth -o {name}-walk.bvh --seconds 5 --fps 30 --drift 0 {walk}\nmake {name}-walk.bvh -o {name}.bvh --cycles 1 {options}"
        ));
    }
    folder
}

#[test]
fn left_and_right_blend_to_straight_and_check_sees_a_loop() {
    for options in ["", "--add-root", "--set output.last-key=drop", "--root-motion in-place"] {
        let folder = with_two_loops(options);
        let facts = folder.answer("blend left.bvh right.bvh --weights 0.5,0.5 -o straight.bvh --json");
        assert_eq!(facts, folder.json("straight.bvh.json"));
        holds(&facts, "blend/weights = [0.5,0.5]\nblend/phases/0 = 0");
        let left_and_right = ["left.bvh.json", "right.bvh.json"].map(|name| folder.json(name));
        let [left, right] = left_and_right.map(|facts| number(&facts, "candidate/period_secs"));
        let period = number(&facts, "candidate/period_secs");
        near(period, 0.5 * (left + right), 0.5 / 30.0 + 1e-9);
        near(number(&facts, "playback/samples") / period, 30.0, 1e-3);
        near(number(&facts, "root_motion/turn_rate_dps") * period, 0.0, 2.0);
        // A blend can be blended again like any other loop.
        folder.runs(
            "
            check straight.bvh | straight.bvh: good:
            blend straight.bvh left.bvh --weights 3,1 -o again.bvh
            play straight.bvh left.bvh --seconds 3 -o played.bvh
            ",
        );
    }
}

#[test]
fn a_wanted_speed_and_turn_find_their_weights() {
    let folder = with_two_loops("");
    for [flags, key, wanted] in rows(
        "
        --speed 1.25       | root_motion/speed_mps      | 1.25
        --turn-rate -12.5  | root_motion/turn_rate_dps  | -12.5
                           | blend/weights/0            | 0.5
        --weights 1,0      | blend/weights/0            | 1
        ",
    ) {
        let facts = folder.answer(&format!(
            "blend left.bvh right.bvh {flags} -o wanted.bvh --force --json"
        ));
        near(number(&facts, key), wanted.parse().unwrap(), 1e-9);
    }
    // The last, with all of the weight, is the loop itself.
    let [same, left] = ["wanted.bvh", "left.bvh"].map(|name| folder.take(name).world_tracks());
    assert_eq!(same.num_frames(), left.num_frames());
    for frame in 0..left.num_frames() {
        for joint in 0..left.num_joints() {
            let off = same.position(frame, joint).distance(left.position(frame, joint));
            assert!(off < 1e-6, "frame {frame}, joint {joint}: {off} m");
        }
    }
}

#[test]
fn loops_play_for_as_long_as_wanted_without_a_step() {
    let folder = with_two_loops("");
    let facts = folder.answer("play --seconds 20 --seed 7 left.bvh right.bvh -o out.bvh --json");
    holds(&facts, "frames = 601");
    assert!(items(&facts["played"]).len() > 4);
    assert_eq!(folder.take("out.bvh").num_frames(), 601);
    folder.runs(
        "
        play --seconds 20 --seed 7 left.bvh right.bvh -o again.bvh | again.bvh: 20.00 s, 601 frames,
        play --seconds 20 --seed 8 left.bvh right.bvh -o other.bvh
        play --seconds 5 left.bvh right.bvh --fade spring -o new.bvh -f
        play --seconds 5 left.bvh right.bvh --fade cubic --fade-seconds 0.2 -o new.bvh -f
        play --seconds 5 left.bvh right.bvh --cycles 2 -o new.bvh -f
        play --seconds 5 left.bvh right.bvh --fps 60 -o new.bvh -f
        play --seconds 5 left.bvh right.bvh --seed 0 --cycles 1:1 -o new.bvh -f
        play --seconds 5 left.bvh -o alone.bvh
        ",
    );
    let [out, again, other] = ["out.bvh", "again.bvh", "other.bvh"].map(|name| folder.read(name));
    assert!(out == again && out != other);
}

#[test]
fn what_cannot_be_blended_or_played_is_refused_and_nothing_is_written() {
    let folder = with_two_loops("");
    folder.copy("left.bvh", "bare.bvh");
    folder.runs("make left-walk.bvh -o rooted.bvh --cycles 1 --add-root\nmake left-walk.bvh -o twice.bvh --cycles 2");
    folder.copy("left.bvh", "broken.bvh");
    let broken = folder.text("left.bvh.json").replace("\"samples\": ", "\"samples\": 9");
    folder.write("broken.bvh.json", broken);
    let before = folder.contents();
    for [arguments, words] in rows(
        "
        blend left.bvh right.bvh --weights 0.5 -o out.bvh | there are 2 loops and 1 weights
        blend left.bvh right.bvh --weights=-1,2 -o out.bvh | weight 0 must be a number of at least 0
        blend left.bvh right.bvh --weights nan,1 -o out.bvh | weight 0 must be a number of at least 0
        blend left.bvh right.bvh --weights 0,0 -o out.bvh | all weights are zero
        blend left.bvh right.bvh --weights a,b -o out.bvh | invalid value
        blend left.bvh right.bvh --speed 3 -o out.bvh | --speed 3 is outside the range of the loops
        blend left.bvh right.bvh --turn-rate nan -o out.bvh | is outside the range of the loops
        blend left.bvh right.bvh --speed 1 --weights 1,1 -o out.bvh | cannot be used with
        blend left.bvh bare.bvh -o out.bvh | \"bare.bvh\" has no sidecar beside it
        blend left.bvh nowhere.bvh -o out.bvh | cannot read \"nowhere.bvh\"
        blend left.bvh rooted.bvh -o out.bvh | has another skeleton than \"left.bvh\"
        blend left.bvh twice.bvh -o out.bvh | \"twice.bvh\" holds 2 cycles
        blend left.bvh broken.bvh -o out.bvh | do not belong together
        blend left.bvh right.bvh -o left.bvh --force | left.bvh
        blend left.bvh right.bvh -o right.bvh | right.bvh
        blend left.bvh right.bvh -o out.abc | unsupported extension
        blend left.bvh right.bvh | required
        blend -o out.bvh | required
        play left.bvh bare.bvh -o out.bvh | has no sidecar beside it
        play left.bvh rooted.bvh -o out.bvh | has another skeleton
        play left.bvh right.bvh --seconds 0 -o out.bvh | must be a positive number of seconds
        play left.bvh right.bvh --seconds inf -o out.bvh | must be a positive number of seconds
        play left.bvh right.bvh --seconds 30 --fps 100000 -o out.bvh | exceed the limit of
        play left.bvh right.bvh --seconds 1e12 -o out.bvh | cannot play
        play left.bvh right.bvh --fade-seconds 0 -o out.bvh | the fade of a jump must last
        play left.bvh right.bvh --cycles 3:1 -o out.bvh | with the smaller number first
        play left.bvh right.bvh --cycles 0 -o out.bvh | with the smaller number first
        play left.bvh right.bvh --fps 0 -o out.bvh | must be a number from 1e-9
        play left.bvh right.bvh --fps 1e8 -o out.bvh | 1e8 frames per second exceed the limit of 1000
        play left.bvh right.bvh -o left.bvh.json | unsupported extension
        play left.bvh right.bvh -o nowhere/out.bvh | there is no folder
        ",
    ) {
        let answer = folder.refuse(arguments, words);
        assert!(answer.stdout.is_empty(), "{arguments}: {}", answer.stdout);
    }
    assert_eq!(folder.contents(), before);
}

#[test]
fn a_folder_stands_for_the_loops_in_it() {
    let folder = with_two_loops("");
    folder.make_folder("walks");
    folder.make_folder("empty");
    // A take among the loops has no sidecar and is ignored; a pattern stands for what matches it.
    for name in [
        "left.bvh",
        "left.bvh.json",
        "right.bvh",
        "right.bvh.json",
        "left-walk.bvh",
    ] {
        folder.copy(name, &format!("walks/{name}"));
    }
    for loops in ["walks", "walks/?e*t.bvh walks/r*.bvh"] {
        let facts = folder.answer(&format!("blend {loops} --speed 1.2 -o b.bvh --json --force"));
        near(number(&facts, "root_motion/speed_mps"), 1.2, 0.01);
        assert_eq!(items(&facts["blend"]["loops"]).len(), 2);
    }
    folder.runs(
        "
        play walks --seconds 5 -o p.bvh
        play walks/r*.bvh --seconds 5 -o q.bvh
        2 blend walks/x*.bvh -o c.bvh | nothing matches
        2 blend empty -o c.bvh        | no loop in the folder
        ",
    );
}
