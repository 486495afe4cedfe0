//! `blend` and `play` on the command line: whole files or none, correct figures, clear errors for impossible requests.

use crate::harness::{Folder, number, root_twist, rows};
use loopwright_core::math::rotation;
use loopwright_mocap::folder_or_skip;

/// Two loops of one walker, one turning left and one turning right.
fn with_two_loops(options: &str) -> Folder {
    let folder = Folder::new();
    for (name, walk) in [
        ("left", "--turn-rate 30 --speed 1.3"),
        ("right", "--turn-rate=-30 --speed 1.1 --period 1.27"),
    ] {
        folder.succeed(&format!(
            "synth -o {name}-walk.bvh --seconds 5 --fps 30 --drift 0 {walk}"
        ));
        folder.succeed(&format!("make {name}-walk.bvh -o {name}.bvh --cycles 1 {options}"));
    }
    folder
}

#[test]
fn left_and_right_blend_to_straight_and_check_sees_a_loop() {
    for options in ["", "--add-root", "--set output.last-key=drop", "--root-motion in-place"] {
        let folder = with_two_loops(options);
        let facts = folder.answer("blend left.bvh right.bvh --weights 0.5,0.5 -o straight.bvh --json");
        assert_eq!(facts, folder.json("straight.bvh.json"));
        let loops = ["left.bvh.json", "right.bvh.json"].map(|name| folder.json(name));
        let twists = [&loops[0], &loops[1], &facts].map(root_twist);
        let periods = [&loops[0], &loops[1], &facts].map(|facts| number(facts, "candidate/period_secs"));
        let mean_secs = 0.5 * (periods[0] + periods[1]);
        assert!((periods[2] - mean_secs).abs() <= 0.5 / 30.0 + 1e-9);
        let rate_hz = number(&facts, "playback/samples") / periods[2];
        assert!((rate_hz - 30.0).abs() < 1e-3, "{rate_hz}");
        // The distance per mean period is the mean of the distances.
        let way = |index: usize| twists[index].linear * periods[index];
        let blended = twists[2].linear * mean_secs;
        assert!((blended - 0.5 * (way(0) + way(1))).length() < 1e-9, "{options}");
        assert!((twists[2].angular.y * periods[2]).to_degrees().abs() < 2.0);
        assert_eq!(facts["blend"]["weights"], serde_json::json!([0.5, 0.5]));
        assert_eq!(facts["blend"]["phases"][0].as_f64().unwrap(), 0.0);
        let checked = folder.succeed("check straight.bvh");
        checked.begins("straight.bvh: good: ");
        // A blend can be blended again like any other loop.
        folder.succeed("blend straight.bvh left.bvh --weights 3,1 -o again.bvh");
        folder.succeed("play straight.bvh left.bvh --seconds 3 -o played.bvh");
    }
}

#[test]
fn a_loop_alone_stays_what_it_is() {
    let folder = with_two_loops("");
    folder.succeed("blend left.bvh right.bvh --weights 1,0 -o same.bvh");
    let (same, left) = (
        folder.take("same.bvh").world_tracks(),
        folder.take("left.bvh").world_tracks(),
    );
    assert_eq!(same.num_frames(), left.num_frames());
    for frame in 0..left.num_frames() {
        for joint in 0..left.num_joints() {
            assert!((same.position(frame, joint) - left.position(frame, joint)).length() < 1e-6);
        }
    }
}

#[test]
fn a_wanted_speed_and_turn_find_their_weights() {
    let folder = with_two_loops("");
    let wanted = |flags: &str| {
        let command = format!("blend left.bvh right.bvh {flags} -o wanted.bvh --force --json");
        folder.answer(&command)
    };
    let facts = wanted("--speed 1.25");
    assert!((number(&facts, "root_motion/speed_mps") - 1.25).abs() < 1e-9);
    let facts = wanted("--turn-rate -12.5");
    assert!((number(&facts, "root_motion/turn_rate_dps") + 12.5).abs() < 1e-9);
    // Weights are equal by default.
    assert_eq!(wanted("")["blend"]["weights"], serde_json::json!([0.5, 0.5]));
}

#[test]
fn loops_play_for_as_long_as_wanted_without_a_step() {
    let folder = with_two_loops("");
    let facts = folder.answer("play --seconds 20 --seed 7 left.bvh right.bvh -o out.bvh --json");
    assert_eq!(number(&facts, "frames"), 601.0);
    let played = facts["played"].as_array().unwrap();
    assert!(played.len() > 4);
    let take = folder.take("out.bvh");
    assert_eq!(
        (take.num_frames(), take.skeleton()),
        (601, folder.take("left-walk.bvh").skeleton())
    );
    // Steps of the hips and rotations of all joints never exceed those of the walks, even at jumps.
    let largest = |name: &str| {
        let take = folder.take(name);
        let world = take.world_tracks();
        let mut worst = [0.0_f64; 2];
        for frame in 1..take.num_frames() {
            worst[0] = worst[0].max((world.position(frame, 0) - world.position(frame - 1, 0)).length());
            for (now, before) in take.rotations(frame).iter().zip(take.rotations(frame - 1)) {
                worst[1] = worst[1].max(rotation::difference(*now, *before).length());
            }
        }
        worst
    };
    let (out, left, right) = (largest("out.bvh"), largest("left-walk.bvh"), largest("right-walk.bvh"));
    for part in 0..2 {
        let is_right = out[part] < 1.2 * left[part].max(right[part]);
        assert!(is_right, "{out:?} {left:?} {right:?}");
    }
    let again = folder.succeed("play --seconds 20 --seed 7 left.bvh right.bvh -o again.bvh");
    again.begins("again.bvh: 20.00 s, 601 frames, ");
    assert_eq!(folder.read("out.bvh"), folder.read("again.bvh"));
    folder.succeed("play --seconds 20 --seed 8 left.bvh right.bvh -o other.bvh");
    assert_ne!(folder.read("out.bvh"), folder.read("other.bvh"));
    for options in [
        "--fade spring",
        "--fade cubic --fade-seconds 0.2",
        "--cycles 2",
        "--fps 60",
        "--seed 0 --cycles 1:1",
    ] {
        folder.succeed(&format!(
            "play --seconds 5 left.bvh right.bvh {options} -o out.bvh --force"
        ));
    }
    folder.succeed("play --seconds 5 left.bvh -o alone.bvh");
}

/// Two loops that blend, and some that do not belong to them.
fn with_unfit_loops() -> Folder {
    let folder = with_two_loops("");
    folder.copy("left.bvh", "bare.bvh");
    folder.succeed("make left-walk.bvh -o rooted.bvh --cycles 1 --add-root");
    folder.succeed("make left-walk.bvh -o twice.bvh --cycles 2");
    folder.copy("left.bvh", "broken.bvh");
    folder.write(
        "broken.bvh.json",
        folder.text("left.bvh.json").replace("\"samples\": ", "\"samples\": 9"),
    );
    folder
}

/// Runs commands that say why they cannot be done, a row each, and asserts that they write nothing.
fn nothing_is_written(folder: &Folder, refused: &str) {
    let before = folder.contents();
    for [arguments, words] in rows(refused) {
        let answer = folder.refuse(arguments, words);
        assert!(answer.stdout.is_empty(), "{arguments}: {}", answer.stdout);
    }
    assert_eq!(folder.contents(), before);
}

#[test]
fn blends_that_cannot_be_are_refused_and_nothing_is_written() {
    let refused = "
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
    ";
    nothing_is_written(&with_unfit_loops(), refused);
}

#[test]
fn motions_that_cannot_be_played_are_refused_and_nothing_is_written() {
    let refused = "
        play left.bvh bare.bvh -o out.bvh | has no sidecar beside it
        play left.bvh rooted.bvh -o out.bvh | has another skeleton
        play left.bvh right.bvh --seconds 0 -o out.bvh | must be a positive number of seconds
        play left.bvh right.bvh --seconds inf -o out.bvh | must be a positive number of seconds
        play left.bvh right.bvh --seconds 30 --fps 100000 -o out.bvh | exceed the limit of
        play left.bvh right.bvh --seconds 1e12 -o out.bvh | cannot play
        play left.bvh right.bvh --fade-seconds 0 -o out.bvh | the fade of a jump must last
        play left.bvh right.bvh --cycles 3:1 -o out.bvh | with the smaller number first
        play left.bvh right.bvh --cycles 0 -o out.bvh | with the smaller number first
        play left.bvh right.bvh --fps 0 -o out.bvh | --fps must be a positive number
        play left.bvh right.bvh --fps 1e300 -o out.bvh | 1e300 frames per second exceed the limit of 1000
        play left.bvh right.bvh -o left.bvh.json | unsupported extension
        play left.bvh right.bvh -o nowhere/out.bvh | there is no folder
    ";
    nothing_is_written(&with_unfit_loops(), refused);
}

/// Turn per cycle in degrees, speed over the ground, and foot sliding of a loop.
fn figures(sidecar: &serde_json::Value) -> [f64; 3] {
    let turn = number(sidecar, "root_motion/turn_rate_dps") * number(sidecar, "candidate/period_secs");
    [
        turn,
        number(sidecar, "root_motion/speed_mps"),
        number(sidecar, "quality/foot_slide_cmps"),
    ]
}

#[test]
fn a_turning_loop_and_its_image_walk_straight() {
    let folder = Folder::with_synth("--seconds 6 --fps 60 --turn-rate 40");
    let own = folder.made("");
    folder.succeed("convert loop.bvh image.bvh --mirror");
    let image = folder.json("image.bvh.json");
    assert_eq!(
        number(&image, "root_motion/turn_rate_dps"),
        -number(&own, "root_motion/turn_rate_dps")
    );
    folder.succeed("check image.bvh");
    let blend = folder.answer("blend loop.bvh image.bvh -o straight.bvh --json");
    let ([_, own_speed, _], [turn, speed, _]) = (figures(&own), figures(&blend));
    assert!(turn.abs() < 0.1, "{turn}");
    assert!((speed / own_speed - 1.0).abs() < 0.005, "{speed} {own_speed}");
    // Mirroring twice restores the loop, up to the rounding of numbers in the file.
    folder.succeed("convert image.bvh again.bvh --mirror");
    let (before, after) = (folder.take("loop.bvh"), folder.take("again.bvh"));
    for frame in 0..before.num_frames() {
        for (one, other) in before.rotations(frame).iter().zip(after.rotations(frame)) {
            assert!(one.dot(*other).abs() > 1.0 - 1e-9);
        }
    }
}

#[test]
fn a_captured_turn_and_its_image_walk_straight() {
    let Some(takes) = folder_or_skip() else { return };
    let folder = Folder::new();
    let take = takes.join("bandai-namco/dataset-1_walk-back_childish_001.bvh");
    for lock in ["off", "solve"] {
        let make = format!("make FILE --turning left --lock-feet {lock} -o loop.bvh --json --force");
        let own = folder.run_on(&take, &make).done().json();
        assert!(number(&own, "root_motion/turn_rate_dps") > 8.0);
        folder.succeed("convert loop.bvh image.bvh --mirror --force");
        let blend = folder.answer("blend loop.bvh image.bvh -o straight.bvh --json --force");
        let ([_, own_speed, own_sliding], [turn, speed, sliding]) = (figures(&own), figures(&blend));
        let is_near = turn.abs() < 0.1 && (speed / own_speed - 1.0).abs() < 0.005;
        assert!(is_near, "{lock}: {turn} {speed} {own_speed}");
        assert!(number(&blend, "quality/foot_slide_mm") < 1.5, "{lock}");
        // Of loops whose feet are held the blend slides faster where they come to stand.
        if lock == "off" {
            assert!(sliding <= own_sliding, "{sliding} {own_sliding}");
        }
    }
}

#[test]
fn a_folder_stands_for_the_loops_in_it() {
    let folder = with_two_loops("");
    folder.make_folder("walks");
    folder.make_folder("empty");
    for name in ["left.bvh", "left.bvh.json", "right.bvh", "right.bvh.json"] {
        folder.copy(name, &format!("walks/{name}"));
    }
    // A take among the loops has no sidecar and is ignored.
    folder.copy("left-walk.bvh", "walks/left-walk.bvh");
    let facts = folder.answer("blend walks --speed 1.2 -o b.bvh --json");
    assert!((number(&facts, "root_motion/speed_mps") - 1.2).abs() < 0.01);
    assert_eq!(facts["blend"]["loops"].as_array().unwrap().len(), 2);
    folder.succeed("play walks --seconds 5 -o p.bvh");
    // A pattern stands for what matches it; of the three files in the folder the take is none.
    let facts = folder.answer("blend walks/?e*t.bvh walks/r*.bvh --speed 1.2 -o d.bvh --json");
    assert_eq!(facts["blend"]["loops"].as_array().unwrap().len(), 2);
    folder.succeed("play walks/r*.bvh --seconds 5 -o q.bvh");
    folder.refuse("blend walks/x*.bvh -o c.bvh", "nothing matches");
    folder.refuse("blend empty -o c.bvh", "no loop in the folder");
}
