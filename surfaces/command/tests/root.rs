//! Options of the root, from file to file: modes, their errors, and rigs that have a root joint.

use crate::harness::{Folder, holds, joint_at, near, number, root_start, root_twist, rows, samples};
use loopwright_core::Take;
use loopwright_core::math::rotation;
use serde_json::Value;

/// A few rounding errors along a limb, metres and radians: coordinates in a file have six decimals of a centimetre.
const ROUNDING: f64 = 1e-7;

/// Asserts that a joint of a file follows the root motion of the sidecar at every key.
fn carries_the_root(take: &Take, sidecar: &Value, joint: &str) {
    let step = number(sidecar, "candidate/period_secs") / samples(sidecar) as f64;
    let (start, twist) = (root_start(sidecar), root_twist(sidecar));
    for key in 0..take.num_frames() {
        let root = start * twist.exp(key as f64 * step);
        let found = joint_at(take, key, joint);
        let metres = found.translation.distance(root.translation);
        let turn = rotation::difference(found.rotation, root.rotation).length();
        assert!(metres < ROUNDING && turn < ROUNDING, "{joint} at key {key}");
    }
}

#[test]
fn a_straight_root_runs_straight_and_refuses_a_turn() {
    let folder = Folder::with_synth("--seconds 5 --fps 30 --turn-rate 2");
    let json = folder.made("--root-motion linear --add-root");
    holds(&json, "root_motion/mode = linear\nroot_motion/turn_rate_dps = 0");
    near(number(&json, "root_motion/speed_mps"), 1.25, 0.02);
    carries_the_root(&folder.take("loop.bvh"), &json, "root");
    folder.loops();

    let folder = Folder::with_synth("--seconds 5 --fps 30 --turn-rate 12");
    let linear = "make walk.bvh -o loop.bvh --root-motion linear";
    let answer = folder.refuse(linear, "too much for --root-motion linear");
    answer.says("try: --root-motion constant");
    answer.says("--set output.force-straight=true");
    assert!(!folder.has("loop.bvh"));
    let json = folder.made("--root-motion linear --set output.force-straight=true --save-recipe straight.toml");
    holds(&json, "root_motion/turn_rate_dps = 0");
    folder.loops();
    // The hips return to their facing.
    let take = folder.take("loop.bvh");
    let [first, last] = [0, samples(&json)].map(|key| joint_at(&take, key, "Hips").rotation);
    assert!(rotation::difference(first, last).length() < ROUNDING);
    // The recipe keeps the forced setting.
    let first = folder.read("loop.bvh");
    folder.made("--recipe straight.toml");
    assert!(folder.read("loop.bvh") == first);
}

#[test]
fn a_path_is_smoothed_as_asked_for_and_says_so() {
    let folder = Folder::with_walk();
    for [options, secs] in rows(
        "
        --root-motion path                                                            | 0.25
        --root-motion path --set output.path-smoothing=0.1 --save-recipe path.toml    | 0.1
        --recipe path.toml                                                            | 0.1
                                                                                      | null
        ",
    ) {
        let made = folder.made(options);
        holds(&made, &format!("root_motion/path_smoothing_secs = {secs}"));
    }
    folder.runs(
        "
        2 make walk.bvh --root-motion path --set output.path-smoothing=0    | output.path-smoothing must be a positive number
        2 make walk.bvh --root-motion path --set output.path-smoothing=nan  | output.path-smoothing must be a positive number
        2 make walk.bvh --root-motion path --set output.root-space=full     | --root-motion path needs --set output.root-space=ground
        make walk.bvh -o a.bvh --set output.path-smoothing=0.1              | output.path-smoothing has no effect without --root-motion path
        make walk.bvh -o b.bvh --set output.force-straight=true             | output.force-straight has no effect without --root-motion linear
        ",
    );
}

#[test]
fn pulling_a_body_back_gets_a_warning_with_the_distance() {
    let folder = Folder::with_walk();
    let answer = folder.succeed("make walk.bvh -o loop.bvh --root-motion stationary --json");
    // 1.25 m/s on a wide circle.
    let distance = 1.25 * number(&answer.json(), "candidate/source_period_secs");
    let figure = answer.stderr.split("the body moves by ").nth(1).unwrap();
    near(figure.split(' ').next().unwrap().parse().unwrap(), distance, 0.05);
    answer.says("pulls it back");
    // A body that does not move is not pulled back.
    Folder::with_synth("--seconds 5 --fps 30 --speed 0 --turn-rate 0")
        .runs("make walk.bvh -o loop.bvh --root-motion stationary |! pulls it back");
}

/// A walk below a root joint, which either was added to a loop and carries root motion or stays at the origin.
fn folder_with_root_joint(moves: bool) -> Folder {
    let folder = Folder::with_synth("--seconds 5 --fps 30 --turn-rate 20");
    if moves {
        folder.runs("make walk.bvh -o rooted.bvh --add-root --set output.repeat=4 --set output.last-key=drop");
        folder.copy("rooted.bvh", "walk.bvh");
        return folder;
    }
    let text = folder.text("walk.bvh");
    let (hierarchy, motion) = text.split_once("MOTION").unwrap();
    let below = hierarchy.replacen("ROOT", "JOINT", 1).replace("HIERARCHY", "");
    let (head, rows) = motion.split_once("Frame Time: ").unwrap();
    let (time, rows) = rows.split_once('\n').unwrap();
    let rows: String = rows.lines().map(|row| format!("0 0 0 0 0 0 {row}\n")).collect();
    folder.write(
        "walk.bvh",
        format!(
            "HIERARCHY\nROOT Reference\n{{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
             {below}}}\nMOTION{head}Frame Time: {time}\n{rows}"
        ),
    );
    folder
}

#[test]
fn a_root_joint_of_the_rig_carries_the_twist() {
    for (moves, name) in [(true, "root"), (false, "Reference")] {
        let folder = folder_with_root_joint(moves);
        for mode in ["constant", "in-place", "path"] {
            let json = folder.made(&format!("--root-motion {mode}"));
            let joint = format!("root_joint = {name}\ncarrier_joint = {name}\nroot_joint_added = false");
            holds(&json["playback"], &joint);
            let take = folder.take("loop.bvh");
            if mode == "constant" {
                carries_the_root(&take, &json, name);
            }
            for key in (0..take.num_frames()).filter(|_| mode == "in-place") {
                let off = joint_at(&take, key, name).inverse() * root_start(&json);
                assert!(off.translation.length() < ROUNDING, "{key}");
            }
            folder.loops();
            // With the take, `check` reports the same figures as `make`.
            let checked = folder.answer("check loop.bvh --take walk.bvh --json");
            let displacement = number(&checked, "loops/0/quality/displacement_mm");
            near(displacement, number(&json, "quality/displacement_mm"), 1e-3);
        }
        let kept = folder.made("--root-motion keep");
        let carrier = if moves { name } else { "Hips" };
        holds(
            &kept["playback"],
            &format!("root_joint = null; carrier_joint = {carrier}"),
        );
    }
}

#[test]
fn a_rig_with_a_root_joint_gets_no_second_one_and_its_loop_is_recognised_by_its_keys() {
    let folder = folder_with_root_joint(false);
    let answer = folder.succeed("make walk.bvh -o loop.bvh --add-root --json");
    answer.says("the take has a root joint above the hips, Reference; --add-root adds no other");
    let json = answer.json();
    holds(&json, "playback/root_joint_added = false");
    assert_eq!(
        folder.take("loop.bvh").num_joints(),
        folder.take("walk.bvh").num_joints()
    );
    folder.remove("loop.bvh.json");
    let checked = folder.answer("check loop.bvh --json");
    for key in ["speed_mps", "turn_rate_dps"] {
        let made = number(&json["root_motion"], key);
        near(
            number(&checked["loops"][0]["root_motion"], key),
            made,
            0.02 * made.abs(),
        );
    }
}
