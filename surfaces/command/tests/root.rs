//! All root options, from file to file: modes, their errors, spaces, and rigs that have a root joint.

use crate::harness::{Folder, joint_at, number, root_twist, samples, vector};
use glam::{DQuat, DVec3};
use loopwright_core::math::{Rigid, Twist, ops, rotation};
use loopwright_core::{Joint, Skeleton, Take};
use loopwright_formats::{Format, Source};
use serde_json::Value;

/// A few rounding errors along a limb, metres and radians: coordinates in a file have six decimals of a centimetre.
const ROUNDING: f64 = 1e-7;

fn root_start(sidecar: &Value) -> Rigid {
    let turn = match sidecar["root_motion"]["start_rotation_xyzw"].as_array() {
        Some(parts) => DQuat::from_array([0, 1, 2, 3].map(|part: usize| parts[part].as_f64().unwrap())),
        None => rotation::from_yaw(number(sidecar, "root_motion/start_yaw_deg").to_radians()),
    };
    Rigid::new(turn, vector(&sidecar["root_motion"]["start_position_m"]))
}

/// Asserts that a joint of a file follows the root motion of the sidecar at every key.
fn carries_the_root(take: &Take, sidecar: &Value, joint: &str) {
    let step = number(sidecar, "candidate/period_secs") / samples(sidecar) as f64;
    let (start, twist) = (root_start(sidecar), root_twist(sidecar));
    for key in 0..take.num_frames() {
        let root = start * twist.exp(key as f64 * step);
        let found = joint_at(take, key, joint);
        let is_near = (found.translation - root.translation).length() < ROUNDING;
        assert!(is_near, "{joint} at key {key}");
        let turn = rotation::difference(found.rotation, root.rotation).length();
        assert!(turn < ROUNDING, "{joint} at key {key}");
    }
}

/// A walk below a root joint, which either was added to a loop and carries root motion or stays at the origin.
fn folder_with_root_joint(moves: bool) -> Folder {
    let folder = Folder::with_synth("--seconds 5 --fps 30 --turn-rate 20");
    if moves {
        folder.succeed("make walk.bvh -o rooted.bvh --add-root --set output.repeat=4 --set output.last-key=drop");
        folder.copy("rooted.bvh", "walk.bvh");
        return folder;
    }
    let text = folder.text("walk.bvh");
    let (hierarchy, motion) = text.split_once("MOTION").unwrap();
    let below = hierarchy.replacen("ROOT", "JOINT", 1);
    let below = below.trim_start().strip_prefix("HIERARCHY").unwrap();
    let (head, rows) = motion.split_at(motion.find("Frame Time").unwrap());
    let (time, rows) = rows.split_at(rows.find('\n').unwrap());
    let rows = rows.trim_start().lines().map(|row| format!("0 0 0 0 0 0 {row}\n"));
    let rows: String = rows.collect();
    folder.write(
        "walk.bvh",
        format!(
            "HIERARCHY\nROOT Reference\n{{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
             {below}}}\nMOTION{head}{time}\n{rows}"
        ),
    );
    folder
}

#[test]
fn a_straight_root_runs_straight() {
    let folder = Folder::with_synth("--seconds 5 --fps 30 --turn-rate 2");
    let json = folder.made("--root-motion linear --add-root");
    assert_eq!(json["root_motion"]["mode"], "linear");
    assert_eq!(number(&json, "root_motion/turn_rate_dps"), 0.0);
    assert!((number(&json, "root_motion/speed_mps") - 1.25).abs() < 0.02);
    carries_the_root(&folder.take("loop.bvh"), &json, "root");
    folder.loops();
}

#[test]
fn a_straight_root_refuses_a_turn_and_says_what_to_try() {
    let folder = Folder::with_synth("--seconds 5 --fps 30 --turn-rate 12");
    let answer = folder.fail("make walk.bvh -o loop.bvh --root-motion linear");
    answer.says("too much for --root-motion linear");
    answer.says("degrees");
    answer.says("try: --root-motion constant");
    answer.says("--set output.force-straight=true");
    assert!(!folder.file("loop.bvh").exists());

    let json = folder.made("--root-motion linear --set output.force-straight=true --save-recipe straight.toml");
    assert_eq!(number(&json, "root_motion/turn_rate_dps"), 0.0);
    folder.loops();
    // The hips return to their facing.
    let take = folder.take("loop.bvh");
    let (first, last) = (joint_at(&take, 0, "Hips"), joint_at(&take, samples(&json), "Hips"));
    assert!(rotation::difference(first.rotation, last.rotation).length() < ROUNDING);
    // The recipe keeps the forced setting.
    let recipe = folder.text("straight.toml");
    let is_said = recipe.contains("root-motion = \"linear\"") && recipe.contains("force-straight = true");
    assert!(is_said, "{recipe}");
    let first = folder.read("loop.bvh");
    folder.succeed("make walk.bvh -o loop.bvh --force --recipe straight.toml");
    assert!(folder.read("loop.bvh") == first);
}

#[test]
fn a_path_is_smoothed_as_asked_for_and_says_so() {
    let folder = Folder::with_walk();
    let sway = |options: &str| {
        let json = folder.made(&format!("--root-motion path --add-root {options}"));
        folder.loops();
        let take = folder.take("loop.bvh");
        let step = number(&json, "candidate/period_secs") / samples(&json) as f64;
        let (start, twist) = (root_start(&json), root_twist(&json));
        let away = (0..samples(&json))
            .map(|key| {
                let root = start * twist.exp(key as f64 * step);
                (root.inverse() * joint_at(&take, key, "root")).translation
            })
            .collect::<Vec<_>>();
        let mean = away.iter().sum::<DVec3>() / away.len() as f64;
        let farthest = away
            .iter()
            .map(|position| (*position - mean).length())
            .fold(0.0, f64::max);
        (number(&json, "root_motion/path_smoothing_secs"), farthest)
    };
    let (usual_secs, usual) = sway("");
    let (tight_secs, tight) = sway("--set output.path-smoothing=0.05");
    let (loose_secs, loose) = sway("--set output.path-smoothing=30");
    assert_eq!((usual_secs, tight_secs, loose_secs), (0.25, 0.05, 30.0));
    assert!(tight > 1.1 * usual && usual > 10.0 * loose, "{tight} {usual} {loose}");
    assert_eq!(folder.made("")["root_motion"]["path_smoothing_secs"], Value::Null);

    folder.made("--root-motion path --set output.path-smoothing=0.1 --save-recipe path.toml");
    assert!(folder.text("path.toml").contains("path-smoothing = 0.1"));
    let json = folder.made("--recipe path.toml");
    assert_eq!(number(&json, "root_motion/path_smoothing_secs"), 0.1);
}

#[test]
fn a_smoothing_that_is_none_is_refused() {
    let folder = Folder::with_walk();
    for secs in ["0", "-1", "nan", "inf"] {
        let refused = folder.fail(&format!(
            "make walk.bvh --root-motion path --set output.path-smoothing={secs}"
        ));
        refused.says("output.path-smoothing must be a positive number");
    }
    let refused = folder.fail("make walk.bvh --root-motion path --set output.root-space=full");
    refused.says("--root-motion path needs --set output.root-space=ground");
}

#[test]
fn settings_without_effect_get_a_warning() {
    let folder = Folder::with_walk();
    let answer =
        folder.succeed("make walk.bvh -o a.bvh --set output.path-smoothing=0.1 --set output.force-straight=true");
    answer.says("warning: output.path-smoothing has no effect without --root-motion path");
    answer.says("warning: output.force-straight has no effect without --root-motion linear");
}

#[test]
fn pulling_a_body_back_gets_a_warning_with_the_distance() {
    let folder = Folder::with_walk();
    let answer = folder.succeed("make walk.bvh -o loop.bvh --root-motion stationary --json");
    let json = answer.json();
    // 1.25 m/s on a wide circle.
    let distance = 1.25 * number(&json, "candidate/source_period_secs");
    let figure = answer.stderr.split("the body moves by ").nth(1).unwrap();
    let reported: f64 = figure.split(' ').next().unwrap().parse().unwrap();
    assert!((reported - distance).abs() < 0.05, "{reported} {distance}");
    answer.says("pulls it back");
    // A body that does not move is not pulled back.
    let on_the_spot = Folder::with_synth("--seconds 5 --fps 30 --speed 0 --turn-rate 0");
    let answer = on_the_spot.succeed("make walk.bvh -o loop.bvh --root-motion stationary");
    assert!(!answer.stderr.contains("pulls it back"), "{}", answer.stderr);
}

#[test]
fn a_root_joint_of_the_rig_carries_the_twist() {
    for (moves, name) in [(true, "root"), (false, "Reference")] {
        let folder = folder_with_root_joint(moves);
        for mode in ["constant", "in-place", "path"] {
            let json = folder.made(&format!("--root-motion {mode}"));
            assert_eq!(json["playback"]["root_joint"], name, "{mode}");
            assert_eq!(json["playback"]["carrier_joint"], name, "{mode}");
            assert_eq!(json["playback"]["root_joint_added"], false, "{mode}");
            let take = folder.take("loop.bvh");
            match mode {
                "constant" => carries_the_root(&take, &json, name),
                "in-place" => {
                    for key in 0..take.num_frames() {
                        let off = joint_at(&take, key, name).inverse() * root_start(&json);
                        assert!(off.translation.length() < ROUNDING, "{key}");
                    }
                }
                _ => {}
            }
            folder.loops();
            // With the take, `check` reports the same figures as `make`.
            let checked = folder.answer("check loop.bvh --take walk.bvh --json");
            let displacement = number(&checked["loops"][0], "quality/displacement_mm");
            let is_near = (displacement - number(&json, "quality/displacement_mm")).abs() < 1e-3;
            assert!(is_near, "{mode}");
        }
        // World positions are the same whichever joint carries root motion.
        let kept = folder.made("--root-motion keep");
        assert_eq!(kept["playback"]["root_joint"], Value::Null);
        let expected = if moves { name } else { "Hips" };
        assert_eq!(kept["playback"]["carrier_joint"], expected);
        let kept = folder.take("loop.bvh");
        folder.made("");
        let screw = folder.take("loop.bvh");
        for key in [0, 9, screw.num_frames() - 1] {
            let apart = joint_at(&kept, key, "LeftFoot").translation - joint_at(&screw, key, "LeftFoot").translation;
            assert!(apart.length() < 1e-5, "key {key}: {apart}");
        }
    }
}

#[test]
fn a_rig_with_a_root_joint_gets_no_second_one() {
    let folder = folder_with_root_joint(false);
    let answer = folder.succeed("make walk.bvh -o loop.bvh --add-root --json");
    answer.says("the take has a root joint above the hips, Reference; --add-root adds no other");
    assert_eq!(answer.json()["playback"]["root_joint_added"], false);
    assert_eq!(
        folder.take("loop.bvh").num_joints(),
        folder.take("walk.bvh").num_joints()
    );
}

#[test]
fn a_loop_under_a_root_joint_is_recognised_by_its_keys() {
    let folder = folder_with_root_joint(false);
    let json = folder.made("");
    std::fs::remove_file(folder.file("loop.bvh.json")).unwrap();
    let checked = folder.answer("check loop.bvh --json");
    let root = &checked["loops"][0]["root_motion"];
    for key in ["speed_mps", "turn_rate_dps"] {
        let (seen, made) = (root[key].as_f64().unwrap(), json["root_motion"][key].as_f64().unwrap());
        assert!((seen - made).abs() < 0.02 * made.abs(), "{key}: {seen} {made}");
    }
}

/// Slow circles turn by more than half a turn in a cycle; `check` measures that from the file alone.
#[test]
fn a_loop_that_turns_most_of_the_way_round_is_checked_without_its_sidecar() {
    for (turn, period) in [(89.0, 2.41), (-124.0, 2.41)] {
        let folder = Folder::with_synth(&format!(
            "--seconds 9 --fps 60 --speed 0.3 --period {period} --turn-rate {turn} --drift 0"
        ));
        let json = folder.made(&format!("--range 60:{}", 60.0 + period * 60.0));
        let turned = number(&json, "root_motion/turn_rate_dps") * number(&json, "candidate/period_secs");
        assert!((turned - turn * period).abs() < 2.0, "{turned}");
        assert!(
            number(&json, "root_motion/arc_to_path_ratio") > 0.98
                && number(&json, "root_motion/arc_to_path_ratio") < 1.02
        );
        std::fs::remove_file(folder.file("loop.bvh.json")).unwrap();
        let checked = folder.answer("check loop.bvh --json");
        let seen = number(&checked["loops"][0], "root_motion/turn_rate_dps");
        let is_near = (seen - number(&json, "root_motion/turn_rate_dps")).abs() < 0.5;
        assert!(is_near, "{seen}");
        assert_eq!(checked["loops"][0]["grade"], "good");
    }
}

/// A thrown staff that spins about a tilted axis and bends once a second.
fn thrown(truth: Twist) -> Take {
    let start = Rigid::new(rotation::exp(DVec3::new(0.7, -1.1, 0.4)), DVec3::new(0.4, 1.6, -0.8));
    let joints = (0..3)
        .map(|joint: usize| Joint::new(format!("staff{joint}"), joint.checked_sub(1), DVec3::Y * 0.5))
        .collect();
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for frame in 0..90 {
        let secs = f64::from(frame) / 60.0;
        let phase = core::f64::consts::TAU * secs;
        let wobble = Rigid::new(
            rotation::exp(DVec3::new(0.1, 0.2, 0.05) * ops::sin(phase)),
            DVec3::new(0.0, 0.02, 0.01) * ops::cos(phase),
        );
        let root = start * truth.exp(secs) * wobble;
        translations.extend([root.translation, DVec3::Y * 0.5, DVec3::Y * 0.5]);
        let bend = rotation::exp(DVec3::Z * 0.4 * ops::sin(phase));
        rotations.extend([root.rotation, bend, bend]);
    }
    Take::new(
        "staff",
        Skeleton::new(joints).unwrap(),
        1.0 / 60.0,
        translations,
        rotations,
    )
    .unwrap()
}

#[test]
fn a_thrown_prop_loops_about_its_own_axis() {
    let truth = Twist::new(DVec3::new(0.2, 1.1, -0.7), DVec3::new(0.48, -0.6, 0.64) * 3.6);
    let folder = Folder::new();
    let take = thrown(truth);
    let written = loopwright_formats::write_take(&take, &Source::for_take(&take, Format::Bvh)).unwrap();
    folder.write("staff.bvh", written.bytes);
    let close = |options: &str| {
        let options = format!("close staff.bvh -o loop.bvh --force --json --up y --unit cm --range 14:74 {options}");
        folder.run(&options).wrote().json()
    };
    let json = close("--set output.root-space=full --add-root --save-recipe prop.toml");
    assert_eq!(json["root_motion"]["space"], "full");
    let found = root_twist(&json);
    let is_near = (found.angular.length() - truth.angular.length()).abs() < 1e-5;
    assert!(is_near, "{found:?}");
    assert!(number(&json, "quality/pose_gap_mm") < 1e-3 && number(&json, "quality/pose_gap_deg") < 1e-4);
    carries_the_root(&folder.take("loop.bvh"), &json, "root");
    let checked = folder.answer("check loop.bvh --take staff.bvh --json");
    assert_ne!(checked["loops"][0]["grade"], "bad");
    assert_eq!(checked["loops"][0]["root_motion"]["space"], "full");
    let displacement = number(&checked["loops"][0], "quality/displacement_mm");
    assert!((displacement - number(&json, "quality/displacement_mm")).abs() < 1e-3);
    // Without sidecar and added root, the keys give the same result.
    close("--recipe prop.toml");
    close("--set output.root-space=full");
    std::fs::remove_file(folder.file("loop.bvh.json")).unwrap();
    let checked = folder.answer("check loop.bvh --up y --unit cm --json");
    assert_eq!(checked["loops"][0]["grade"], "good");
    assert_eq!(checked["loops"][0]["root_motion"]["space"], "full");
    assert!(folder.text("prop.toml").contains("root-space = \"full\""));
    // Ground space has no such motion: closing has to deform the body at the seam.
    let json = close("");
    assert_eq!(json["root_motion"]["space"], "ground");
    assert!(number(&json, "quality/displacement_mm") > 10.0 * displacement.max(0.1));
}

#[test]
fn a_climb_is_kept_as_pitch_along_the_axis() {
    let folder = Folder::with_synth("--seconds 5 --fps 30 --climb 0.25 --speed 0.8 --turn-rate 15");
    let json = folder.made("--add-root");
    let twist = root_twist(&json);
    assert!((twist.linear.y - 0.25).abs() < 0.01, "{twist:?}");
    assert_eq!((twist.angular.x, twist.angular.z), (0.0, 0.0));
    assert!((number(&json, "root_motion/climb_mps") - twist.linear.y).abs() < 1e-12);
    carries_the_root(&folder.take("loop.bvh"), &json, "root");
    folder.loops();
}
