//! Options of the root, from file to file: modes, their errors, and rigs that have a root joint.

use crate::harness::{Folder, holds, near, number, rows};

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
