//! Every option of `make`: its effect on the file, and the agreement of file and sidecar.

use crate::harness::{Folder, holds, items, joint_at, lines, near, number, root_start, root_twist, rows, samples};
use loopwright_core::Take;
use loopwright_core::math::{Rigid, rotation};
use serde_json::Value;

/// Root motion in a file agrees with its sidecar to a tenth of a millimetre ...
const ROOT_MOTION_METRES: f64 = 1e-4;

/// ... and a hundredth of a degree.
const ROOT_MOTION_DEG: f64 = 0.01;

/// The world-space motion from the first key to the key `cycles` later, according to the sidecar.
fn stated_motion(sidecar: &Value, cycles: usize) -> Rigid {
    let start = root_start(sidecar);
    let secs = cycles as f64 * number(sidecar, "candidate/period_secs");
    start * root_twist(sidecar).exp(secs) * start.inverse()
}

/// Asserts that the hips make this world-space motion between two keys.
fn hips_make(take: &Take, from: usize, to: usize, motion: Rigid) {
    let (expected, found) = (motion * joint_at(take, from, "Hips"), joint_at(take, to, "Hips"));
    let metres = found.translation.distance(expected.translation);
    let deg = rotation::difference(found.rotation, expected.rotation)
        .length()
        .to_degrees();
    assert!(
        metres < ROOT_MOTION_METRES && deg < ROOT_MOTION_DEG,
        "keys {from} to {to}: off by {metres} m and {deg} degrees"
    );
}

#[test]
fn the_default_output_goes_to_the_current_folder() {
    let folder = Folder::with_walk();
    folder.make_folder("takes");
    folder.copy("walk.bvh", "takes/North Walk.BVH");
    let answer = folder.run_list(&["make", "takes/North Walk.BVH"]).done();
    answer.begins("North Walk-loop.BVH: good: ");
    let names = folder.names();
    assert_eq!(names[..2], ["North Walk-loop.BVH", "North Walk-loop.BVH.json"]);
    assert_eq!(names.iter().filter(|name| name.starts_with("takes/")).count(), 1);
}

#[test]
fn pick_makes_that_loop_of_the_list() {
    // A walk alone, and one with the idle before it.
    for (synth, options, count) in [
        ("--seconds 4 --fps 30", "--set search.shifted=true", 10),
        ("--seconds 9 --fps 30 --lead-in 4 --noise 0.1", "", 2),
    ] {
        let folder = Folder::with_synth(synth);
        let found = folder.answer(&format!("find walk.bvh --json {options}"));
        assert_eq!(items(&found["candidates"]).len(), count);
        for (rank, found) in (1..).zip(items(&found["candidates"])) {
            assert_eq!(found["rank"], rank);
            let made = folder.made(&format!("--pick {rank} {options}"));
            for key in lines("start_frame\nend_frame\nsource_period_secs\ncycles\nseam_cost_metre_secs") {
                assert_eq!(made["candidate"][key], found[key], "{key} of {rank}");
            }
        }
    }
}

#[test]
fn frames_cycles_and_lengths_are_those_asked_for() {
    let folder = Folder::with_synth("--seconds 8 --fps 30");
    for [options, facts] in rows(
        "
        --range 20:55 | start_frame = 20; end_frame = 55; cycles = 1
        --cycles 1    | cycles = 1
        --cycles 2    | cycles = 2
        --cycles 3    | cycles = 3
        --seconds 2:3 | cycles = 2; source_period_secs > 2; source_period_secs < 3
        ",
    ) {
        let json = folder.made(options);
        holds(&json["candidate"], facts);
        let period = number(&json, "candidate/source_period_secs") / number(&json, "candidate/cycles");
        near(period, 1.1537, 0.02);
    }
}

#[test]
fn a_mean_of_cycles_says_which() {
    let folder = Folder::with_synth("--seconds 8 --fps 30 --noise 0.5");
    let single = folder.made("");
    holds(&single, "mean_cycle = null");
    let json = folder.made("--mean-cycles 3 --save-recipe mean.toml");
    folder.loops();
    let mean = &json["mean_cycle"];
    holds(mean, "asked = \"3\"");
    let chosen = &mean["cycles"][number(mean, "chosen") as usize];
    let start = number(&single, "candidate/start_frame");
    near(number(chosen, "start_frame"), start, 1e-9);
    assert_eq!(items(&mean["cycles"]).len(), 3);
    assert_eq!(mean["cycles"][0]["end_frame"], mean["cycles"][1]["start_frame"]);
    near(
        items(&mean["cycles"]).map(|cycle| number(cycle, "share")).sum(),
        1.0,
        1e-9,
    );
    // The recipe makes the same again, and a flag overrides it; fewer than asked for is said.
    assert!(folder.text("mean.toml").contains("mean-cycles = \"3\""));
    folder.succeed("synth -o short.bvh --seconds 2.2 --fps 30");
    folder.runs(
        "
        make walk.bvh --mean-cycles 3 -o said.bvh | mean of              3 cycles, frames | on average, from the chosen cycle
        make walk.bvh --recipe mean.toml -o again.bvh
        make walk.bvh --recipe mean.toml --mean-cycles off -o off.bvh
        make walk.bvh --mean-cycles 30 -o fewer.bvh | --mean-cycles 30 asks for more cycles than there are: the loop is the mean of
        2 make short.bvh --range 15:50 --mean-cycles all -o none.bvh | there is no mean cycle in \"short.bvh\" | try: --pick another loop
        2 make short.bvh --mean-cycles 1 -o none.bvh | must be all, off, or a number of cycles from 2 to 32
        ",
    );
    assert!(folder.read("again.bvh") == folder.read("loop.bvh") && !folder.has("none.bvh"));
    holds(&folder.json("off.bvh.json"), "mean_cycle = null");
}

#[test]
fn a_longer_blend_bends_the_motion_more_and_one_that_does_not_fit_is_shortened() {
    let folder = Folder::with_walk();
    let made = |blend: &str| folder.made(&format!("--range 20:55 --blend {blend}"));
    let [short, long] = ["0.1", "0.5"].map(|blend| number(&made(blend), "quality/displacement_mm"));
    assert!(short < long, "{short} {long}");
    let fitted = made("99");
    near(
        number(&fitted, "closure/blend_start_secs"),
        number(&fitted, "candidate/period_secs"),
        1e-12,
    );
    let warned = fitted["warnings"].to_string();
    assert!(
        warned.contains("the blend at the start was shortened from 99.000 s"),
        "{warned}"
    );
    assert_eq!(items(&fitted["warnings"]).len(), 2);
}

/// How many keys a file has, how far apart, and how the hips have moved over each of its cycles, is what its sidecar states.
#[test]
fn files_agree_with_their_sidecars_in_every_mode_and_layout() {
    for walk in lines(
        "
        --turn-rate 12
        --turn-rate -35 --speed 0.9
        --climb 0.25 --speed 0.8 --turn-rate 5
        --speed 0 --turn-rate 0
        ",
    ) {
        let folder = Folder::with_synth(&format!("--seconds 5 --fps 30 {walk}"));
        for [options, facts] in rows(
            "
                                                                 | root_motion/mode = constant; playback/root_joint_added = false
            --root-motion keep                                   | root_motion/mode = keep
            --root-motion path                                   | root_motion/mode = path
            --root-motion in-place                               | root_motion/mode = in-place
            --root-motion stationary                             | root_motion/mode = stationary; root_motion/speed_mps = 0
            --add-root                                           | playback/root_joint = root; playback/root_joint_added = true
            --add-root --root-motion in-place                    | playback/root_joint = root
            --fps 24                                             | playback/copies = 1
            --set output.frames=40                               | playback/samples = 40
            --set output.repeat=3                                | playback/copies = 3; playback/closing_key = true
            --set output.repeat=3 --set output.last-key=drop     | playback/copies = 3; playback/closing_key = false
            ",
        ) {
            let json = folder.made(options);
            holds(&json, facts);
            let (take, period) = (folder.take("loop.bvh"), number(&json, "candidate/period_secs"));
            let [count, copies] = [samples(&json), number(&json, "playback/copies") as usize];
            let closing = usize::from(json["playback"]["closing_key"] == true);
            assert_eq!(take.num_frames(), copies * count + closing, "{walk} {options}");
            let step = period / count as f64;
            near(take.frame_time_secs(), step, 1e-6);
            near(number(&json, "candidate/source_period_secs"), period, 0.5 * step + 1e-9);
            for (copy, key) in (1..=copies).flat_map(|copy| [(copy, 0), (copy, count / 3)]) {
                let motion = if options.contains("in-place") {
                    Rigid::IDENTITY
                } else {
                    stated_motion(&json, copy)
                };
                // After the last copy there is only the closing key.
                if copy * count + key < take.num_frames() {
                    hips_make(&take, key, copy * count + key, motion);
                }
            }
            folder.loops();
        }
    }
}

#[test]
fn named_hips_and_feet_are_taken() {
    let folder = Folder::with_walk();
    folder.made("");
    let plain = folder.read("loop.bvh");
    folder.made("--set take.hips=Hips --set take.feet=LeftFoot,RightFoot");
    assert!(
        folder.read("loop.bvh") == plain,
        "the names that are found anyway change something"
    );
    let inspected = folder.answer("inspect walk.bvh --set take.feet=LeftHand --json");
    holds(&inspected, "feet = [\"LeftHand\"]\nfeet_found_by = given");
}

#[test]
fn force_replaces_an_earlier_loop_and_a_loop_that_pops_is_written_too() {
    let folder = Folder::with_walk();
    folder.write("loop.bvh", "old");
    folder.write("loop.bvh.json", "old");
    folder.runs("make walk.bvh -o loop.bvh --force");
    folder.loops();
    assert_eq!(folder.names().len(), 4, "{:?}", folder.names());
    folder.runs(
        "
        1 make walk.bvh --range 3:9 --set joint=*:open -o pops.bvh | the seam shows: | pops.bvh: bad:
        1 check pops.bvh
        ",
    );
}
