//! Every option of `make`: its effect on the file, and the agreement of file and sidecar.

use crate::harness::{Folder, joint_at, number, root_twist, samples, vector};
use loopwright_core::Take;
use loopwright_core::math::{Rigid, rotation};
use serde_json::Value;

/// Root motion in a file agrees with its sidecar to a tenth of a millimetre ...
const ROOT_MOTION_METRES: f64 = 1e-4;

/// ... and a hundredth of a degree.
const ROOT_MOTION_DEG: f64 = 0.01;

/// A few rounding errors along a limb, metres: coordinates in a file have six decimals of a centimetre.
const ROUNDING_METRES: f64 = 1e-7;

/// The root at the first key.
fn root_start(sidecar: &Value) -> Rigid {
    Rigid::from_yaw(
        number(sidecar, "root_motion/start_yaw_deg").to_radians(),
        vector(&sidecar["root_motion"]["start_position_m"]),
    )
}

/// The world-space motion from the first key to the key `cycles` later, according to the sidecar.
fn stated_motion(sidecar: &Value, cycles: usize) -> Rigid {
    let start = root_start(sidecar);
    let secs = cycles as f64 * number(sidecar, "candidate/period_secs");
    start * root_twist(sidecar).exp(secs) * start.inverse()
}

/// Asserts that the hips make this world-space motion between two keys.
fn hips_make(take: &Take, from: usize, to: usize, motion: Rigid) {
    let (expected, found) = (motion * joint_at(take, from, "Hips"), joint_at(take, to, "Hips"));
    let metres = (found.translation - expected.translation).length();
    let deg = rotation::difference(found.rotation, expected.rotation)
        .length()
        .to_degrees();
    let is_right = metres < ROOT_MOTION_METRES && deg < ROOT_MOTION_DEG;
    assert!(is_right, "keys {from} to {to}: off by {metres} m and {deg} degrees");
}

#[test]
fn the_default_output_goes_to_the_current_folder() {
    let folder = Folder::with_walk();
    folder.make_folder("takes");
    folder.copy("walk.bvh", "takes/North Walk.BVH");
    let answer = folder.run_list(&["make", "takes/North Walk.BVH"]).done();
    answer.begins("North Walk-loop.BVH: good: ");
    let names = folder.names();
    assert!(names.contains(&"North Walk-loop.BVH".to_owned()), "{names:?}");
    assert!(names.contains(&"North Walk-loop.BVH.json".to_owned()), "{names:?}");
    assert_eq!(names.iter().filter(|name| name.starts_with("takes/")).count(), 1);
}

#[test]
fn pick_makes_that_loop_of_the_list() {
    picks_are_the_list(&Folder::with_walk(), "--set search.shifted=true", 10);
    // A walk and the idle before it.
    picks_are_the_list(
        &Folder::with_synth("--seconds 9 --fps 30 --lead-in 4 --noise 0.1"),
        "",
        2,
    );
}

fn picks_are_the_list(folder: &Folder, options: &str, count: usize) {
    let found = folder.answer(&format!("find walk.bvh --json {options}"));
    let candidates = found["candidates"].as_array().unwrap();
    assert_eq!(candidates.len(), count);
    for (index, found) in candidates.iter().enumerate() {
        let rank = index + 1;
        assert_eq!(found["rank"], rank);
        let json = folder.made(&format!("--pick {rank} {options}"));
        for key in [
            "start_frame",
            "end_frame",
            "source_period_secs",
            "cycles",
            "seam_cost_metre_secs",
        ] {
            assert_eq!(json["candidate"][key], found[key], "{key} of {rank}");
        }
    }
}

#[test]
fn range_closes_these_frames() {
    let folder = Folder::with_walk();
    let json = folder.made("--range 20:55");
    assert_eq!(number(&json, "candidate/start_frame"), 20.0);
    assert_eq!(number(&json, "candidate/end_frame"), 55.0);
    assert_eq!(samples(&json), 35);
    hips_make(&folder.take("loop.bvh"), 0, 35, stated_motion(&json, 1));
    folder.loops();
}

#[test]
fn cycles_are_as_many_as_asked_for() {
    let folder = Folder::with_synth("--seconds 8 --fps 30");
    for cycles in [1_usize, 2, 3] {
        let json = folder.made(&format!("--cycles {cycles}"));
        assert_eq!(json["candidate"]["cycles"], cycles);
        let period = number(&json, "candidate/source_period_secs") / cycles as f64;
        assert!((period - 1.1537).abs() < 0.01, "{cycles} cycles of {period} s");
    }
}

#[test]
fn a_mean_of_cycles_says_which() {
    let folder = Folder::with_synth("--seconds 8 --fps 30 --noise 0.5");
    let json = folder.made("");
    assert!(json["mean_cycle"].is_null());
    let single = number(&json, "candidate/start_frame");

    let json = folder.made("--mean-cycles 3 --save-recipe mean.toml");
    folder.loops();
    assert_eq!(json["mean_cycle"]["asked"], "3");
    let cycles = json["mean_cycle"]["cycles"].as_array().unwrap();
    let of = |cycle: usize, key: &str| cycles[cycle][key].as_f64().unwrap();
    assert_eq!(cycles.len(), 3);
    let chosen = json["mean_cycle"]["chosen"].as_u64().unwrap() as usize;
    let is_near = (of(chosen, "start_frame") - single).abs() < 1e-9;
    assert!(is_near, "the mean begins where the single cycle does");
    assert_eq!(of(0, "end_frame"), of(1, "start_frame"));
    assert!(((0..3).map(|cycle| of(cycle, "share")).sum::<f64>() - 1.0).abs() < 1e-9);
    let written = folder.read("loop.bvh");
    let said = folder.succeed("make walk.bvh --mean-cycles 3 -o said.bvh").stdout;
    assert!(said.contains("mean of              3 cycles, frames "), "{said}");
    assert!(said.contains(" on average, from the chosen cycle"), "{said}");

    // The recipe makes the same again, and a flag overrides it.
    let is_said = folder.text("mean.toml").contains("mean-cycles = \"3\"");
    assert!(is_said, "{}", folder.text("mean.toml"));
    folder.succeed("make walk.bvh --recipe mean.toml -o again.bvh");
    assert!(folder.read("again.bvh") == written);
    folder.succeed("make walk.bvh --recipe mean.toml --mean-cycles off -o off.bvh");
    assert!(folder.json("off.bvh.json")["mean_cycle"].is_null());

    // Fewer than asked for is said.
    let fewer = folder.succeed("make walk.bvh --mean-cycles 30 -o fewer.bvh");
    fewer.says("--mean-cycles 30 asks for more cycles than there are: the loop is the mean of ");
}

#[test]
fn without_other_cycles_there_is_no_mean() {
    let folder = Folder::with_synth("--seconds 2.2 --fps 30");
    let refused = folder.fail("make walk.bvh --range 15:50 --mean-cycles all -o loop.bvh");
    for part in [
        "error: there is no mean cycle in \"walk.bvh\"",
        "no other cycle is beside the chosen one: before it, the take has no frames for another cycle; after it, the take has no",
        "try: --pick another loop",
    ] {
        refused.says(part);
    }
    let refused = folder.fail("make walk.bvh --mean-cycles 1 -o loop.bvh");
    refused.says("must be all, off, or a number of cycles from 2 to 32");
    assert!(!folder.names().contains(&"loop.bvh".to_owned()));
}

#[test]
fn lengths_stay_within_bounds() {
    let folder = Folder::with_synth("--seconds 8 --fps 30");
    let json = folder.made("--seconds 2:3");
    assert!((2.0..=3.0).contains(&number(&json, "candidate/source_period_secs")));
    assert_eq!(json["candidate"]["cycles"], 2);
}

#[test]
fn a_longer_blend_bends_the_motion_more() {
    let folder = Folder::with_walk();
    let displacement = |blend: &str| {
        number(
            &folder.made(&format!("--range 20:55 --blend {blend}")),
            "quality/displacement_mm",
        )
    };
    assert!(displacement("0.1") < displacement("0.5"));
}

#[test]
fn a_blend_that_does_not_fit_is_shortened_and_said() {
    let folder = Folder::with_walk();
    let answer = folder.succeed("make walk.bvh --range 20:55 --blend 99 --json");
    answer.says("warning: the blend at the start was shortened from 99.000 s");
    let json = answer.json();
    let period = number(&json, "candidate/period_secs");
    assert!((number(&json, "closure/blend_start_secs") - period).abs() < 1e-12);
    assert_eq!(json["warnings"].as_array().unwrap().len(), 2);
}

#[test]
fn root_motion_in_the_file_is_the_twist_of_the_sidecar() {
    for walk in [
        "",
        "--turn-rate 0",
        "--turn-rate -35 --speed 0.9",
        "--climb 0.25 --speed 0.8 --turn-rate 5",
        "--speed 0 --turn-rate 0",
    ] {
        let folder = Folder::with_synth(&format!("--seconds 5 --fps 30 {walk}"));
        for mode in ["constant", "keep", "path"] {
            let json = folder.made(&format!("--root-motion {mode}"));
            assert_eq!(json["root_motion"]["mode"], mode);
            let take = folder.take("loop.bvh");
            let num_samples = samples(&json);
            assert_eq!(take.num_frames(), num_samples + 1);
            hips_make(&take, 0, num_samples, stated_motion(&json, 1));
            folder.loops();
        }
    }
}

#[test]
fn in_place_leaves_no_root_motion() {
    let folder = Folder::with_walk();
    let json = folder.made("--root-motion in-place");
    assert_eq!(json["root_motion"]["mode"], "in-place");
    let is_near = (number(&json, "root_motion/speed_mps") - 1.25).abs() < 0.05;
    assert!(is_near, "the twist is still reported");
    let take = folder.take("loop.bvh");
    hips_make(&take, 0, samples(&json), Rigid::IDENTITY);
    let start = joint_at(&take, 0, "Hips").translation;
    for key in 0..take.num_frames() {
        let strayed = (joint_at(&take, key, "Hips").translation - start).with_y(0.0).length();
        assert!(strayed < 0.15, "key {key} strays by {strayed} m");
    }
    folder.loops();
}

#[test]
fn a_path_shows_on_an_added_root() {
    let folder = Folder::with_walk();
    folder.made("");
    let hips = |take: &Take, key| joint_at(take, key, "Hips").translation;
    let plain = folder.take("loop.bvh");
    let json = folder.made("--root-motion path --add-root");
    folder.loops();
    let take = folder.take("loop.bvh");
    let count = samples(&json);
    let mut farthest = 0.0_f64;
    for key in 0..=count {
        assert!((hips(&take, key) - hips(&plain, key)).length() < 1e-4);
        let on_twist = stated_motion(&json, 1).translation.length() * key as f64 / count as f64;
        farthest = farthest.max((joint_at(&take, key, "root").translation.length() - on_twist).abs());
    }
    assert!(farthest > 1e-3, "the root sways about its twist");
}

#[test]
fn in_the_world_the_body_comes_back() {
    let folder = Folder::with_walk();
    let json = folder.made("--root-motion stationary");
    assert_eq!(json["root_motion"]["mode"], "stationary");
    assert_eq!(number(&json, "root_motion/speed_mps"), 0.0);
    hips_make(&folder.take("loop.bvh"), 0, samples(&json), Rigid::IDENTITY);
}

#[test]
fn an_added_root_carries_exactly_the_twist() {
    let folder = Folder::with_walk();
    let plain_json = folder.made("");
    let plain = folder.take("loop.bvh");
    let json = folder.made("--add-root");
    assert_eq!(json["playback"]["root_joint_added"], true);
    let (take, num_samples) = (folder.take("loop.bvh"), samples(&json));
    assert_eq!(take.num_joints(), plain.num_joints() + 1);
    assert_eq!(take.skeleton().find("Hips"), Some(1));
    let step = number(&json, "candidate/period_secs") / num_samples as f64;
    let (start, twist) = (root_start(&json), root_twist(&json));
    let world = take.world_tracks();
    for key in 0..take.num_frames() {
        let root = start * twist.exp(key as f64 * step);
        let is_near = (world.position(key, 0) - root.translation).length() < ROUNDING_METRES;
        assert!(is_near, "{key}");
        let turn = rotation::difference(world.rotation(key, 0), root.rotation).length();
        assert!(turn.to_degrees() < 1e-5, "{key}");
        // The body has the same position as without the added joint.
        let (with, without) = (joint_at(&take, key, "Head"), joint_at(&plain, key, "Head"));
        assert!((with.translation - without.translation).length() < 1e-6, "{key}");
    }
    // All joints below the root repeat.
    for joint in 1..take.num_joints() {
        let moved = take.translations(num_samples)[joint] - take.translations(0)[joint];
        let turned = rotation::difference(take.rotations(num_samples)[joint], take.rotations(0)[joint]);
        let is_near = moved.length() < ROUNDING_METRES && turned.length().to_degrees() < 1e-5;
        assert!(is_near, "{joint}");
    }
    folder.loops();
    assert_eq!(json["root_motion"], plain_json["root_motion"]);

    let json = folder.made("--add-root --root-motion in-place");
    let take = folder.take("loop.bvh");
    for key in 0..take.num_frames() {
        assert!((take.translations(key)[0] - root_start(&json).translation).length() < ROUNDING_METRES);
    }
    folder.loops();
}

#[test]
fn period_samples_and_rate_are_of_one_piece() {
    let folder = Folder::with_walk();
    for (options, step) in [("", 1.0 / 30.0), ("--fps 60", 1.0 / 60.0), ("--fps 24", 1.0 / 24.0)] {
        let json = folder.made(options);
        let period = number(&json, "candidate/period_secs");
        let is_near = (period - samples(&json) as f64 * step).abs() < 1e-6;
        assert!(is_near, "{options}: {period}");
        let retimed = period - number(&json, "candidate/source_period_secs");
        assert!(retimed.abs() <= 0.5 * step + 1e-9, "{options}: retimed by {retimed} s");
        let take = folder.take("loop.bvh");
        assert!((take.frame_time_secs() - step).abs() < 1e-6, "{options}");
        assert_eq!(take.num_frames(), samples(&json) + 1, "{options}");
        folder.loops();
    }
    let json = folder.made("--set output.frames=40");
    assert_eq!(samples(&json), 40);
    let period = number(&json, "candidate/period_secs");
    assert!((period - number(&json, "candidate/source_period_secs")).abs() < 1e-9);
    let take = folder.take("loop.bvh");
    assert_eq!(take.num_frames(), 41);
    assert!((take.frame_time_secs() - period / 40.0).abs() < 1e-6);
    folder.loops();
}

#[test]
fn copies_follow_each_other_with_the_root_motion_carried_on() {
    let folder = Folder::with_walk();
    let json = folder.made("--set output.repeat=3");
    assert_eq!(json["playback"]["copies"], 3);
    let (take, num_samples) = (folder.take("loop.bvh"), samples(&json));
    assert_eq!(take.num_frames(), 3 * num_samples + 1);
    for copy in 1..=3 {
        for key in [0, num_samples / 3] {
            // After the last copy there is only the closing key.
            if copy < 3 || key == 0 {
                hips_make(&take, key, copy * num_samples + key, stated_motion(&json, copy));
            }
        }
    }
    let head = take.skeleton().find("Head").unwrap();
    for key in 0..num_samples {
        let turned = rotation::difference(take.rotations(key)[head], take.rotations(key + num_samples)[head]);
        assert!(turned.length().to_degrees() < 1e-5, "{key}");
    }
    folder.loops();
    folder.made("--set output.repeat=3 --set output.last-key=drop");
    assert_eq!(folder.take("loop.bvh").num_frames(), 3 * num_samples);
    folder.loops();
}

#[test]
fn the_last_key_repeats_the_first_or_is_dropped() {
    let folder = Folder::with_walk();
    let json = folder.made("");
    assert_eq!(json["playback"]["closing_key"], true);
    let (kept, num_samples) = (folder.take("loop.bvh"), samples(&json));
    let rows = |folder: &Folder| -> Vec<String> {
        let text = folder.text("loop.bvh");
        let (_, motion) = text.split_once("Frame Time:").unwrap();
        motion.lines().skip(1).map(str::to_owned).collect()
    };
    let kept_rows = rows(&folder);
    // The pose repeats; the hips have moved on.
    for joint in 1..kept.num_joints() {
        let turned = rotation::difference(kept.rotations(0)[joint], kept.rotations(num_samples)[joint]);
        assert!(turned.length().to_degrees() < 1e-5, "{joint}");
    }
    let distance = (kept.translations(num_samples)[0] - kept.translations(0)[0]).length();
    assert!(distance > 1.0, "{distance}");

    let json = folder.made("--set output.last-key=drop");
    assert_eq!(json["playback"]["closing_key"], false);
    assert_eq!(rows(&folder), kept_rows[..num_samples]);
    folder.loops();
}

#[test]
fn named_hips_and_feet_are_taken() {
    let folder = Folder::with_walk();
    folder.made("");
    let plain = folder.read("loop.bvh");
    folder.made("--set take.hips=Hips --set take.feet=LeftFoot,RightFoot");
    let is_right = folder.read("loop.bvh") == plain;
    assert!(is_right, "the names that are found anyway change something");
    let inspected = folder.answer("inspect walk.bvh --set take.feet=LeftHand --json");
    assert_eq!(inspected["feet"], serde_json::json!(["LeftHand"]));
    assert_eq!(inspected["feet_found_by"], "given");
}

#[test]
fn force_replaces_an_earlier_loop() {
    let folder = Folder::with_walk();
    folder.write("loop.bvh", "old");
    folder.write("loop.bvh.json", "old");
    folder.succeed("make walk.bvh -o loop.bvh --force");
    folder.loops();
    assert_eq!(folder.json("loop.bvh.json")["format"], "loopwright-loop");
    assert_eq!(folder.names().len(), 4, "{:?}", folder.names());
}

#[test]
fn a_loop_that_pops_is_written_and_ends_with_one() {
    let folder = Folder::with_walk();
    let made = folder
        .run("make walk.bvh --range 3:9 --set joint=*:open -o loop.bvh")
        .ended(1);
    made.says("the seam shows: ");
    made.begins("loop.bvh: bad: ");
    assert_eq!(folder.run("check loop.bvh").status, 1);
}
