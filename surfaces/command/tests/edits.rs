//! Edits of the closed loop, measured in the files that are written.

use loopwright_core::{LoopClip, math::rotation};
use serde_json::Value;

use crate::harness::{Folder, holds, items, near, number, rows};

const DEGREES: f64 = core::f64::consts::PI / 180.0;

/// The loop in a file with its sidecar.
fn written(folder: &Folder, name: &str) -> LoopClip {
    loopwright_formats::loop_file::load_loop(&folder.read(name), &folder.read(&format!("{name}.json"))).unwrap()
}

/// Makes `loop.bvh` with these edits, each the fields of a table of TOML, and returns the JSON of the command.
fn edited(folder: &Folder, edits: &[&str], options: &str) -> Value {
    let edits: String = edits.iter().map(|edit| format!("{{{edit}}},")).collect();
    folder.write("edits.toml", format!("edit = [{edits}]"));
    folder.made(&format!("--recipe edits.toml {options}"))
}

/// An aimed root turns away from under the feet, and lowered hips bend the legs: feet stay where they stood.
#[test]
fn feet_are_held_after_edits() {
    let folder = Folder::with_walk();
    for aim in [90.0, -45.0] {
        let made = folder.made(&format!("--set edit=aim:{aim}"));
        let clip = written(&folder, "loop.bvh");
        let [start, end] = [0, clip.num_samples()].map(|key| clip.root_pose(key).rotation);
        near(rotation::yaw_of(end * start.conjugate()), aim * DEGREES, 1e-9);
        holds(
            &made,
            "
            feet/held = true
            feet/foot_slide_before_cmps > 8
            feet/foot_slide_after_cmps < 2.5
            quality/grade = good
            ",
        );
    }
    folder.made("--range 20:54.5");
    let before = written(&folder, "loop.bvh");
    let crouch = "kind = 'offset', joint = 'Hips', position = [0, -0.06, 0]";
    let made = edited(&folder, &[crouch], "--range 20:54.5");
    let after = written(&folder, "loop.bvh");
    let height = |clip: &LoopClip, name: &str| {
        let joint = clip.skeleton().find(name).unwrap();
        let heights = (0..clip.num_samples()).map(|key| clip.world_pose(key).translations[joint].y);
        heights.fold(f64::INFINITY, f64::min)
    };
    for (joint, lowered) in [("Hips", 0.06), ("LeftToeBase", 0.0), ("RightToeBase", 0.0)] {
        near(height(&before, joint) - height(&after, joint), lowered, 0.005);
    }
    holds(&made, "quality/foot_slide_cmps < 1");
}

#[test]
fn the_same_edits_give_the_same_bytes_and_recipes_keep_them() {
    let folder = Folder::with_walk();
    let bytes = |options: &str| {
        folder.made(options);
        folder.read("loop.bvh")
    };
    let offsets = "--set edit=offset:Head:10,0,0 --set edit=offset:LeftArm:raise=10,twist=-5";
    let first = bytes(&format!("--set edit=noise:2:7 {offsets} --save-recipe saved.toml"));
    let saved = folder.text("saved.toml");
    assert!(
        saved.contains("joint = \"LeftArm\"\nraise = 10.0\ntwist = -5.0"),
        "{saved}"
    );
    assert!(saved.contains("kind = \"noise\"\ndeviation = 2.0\nseed = 7"), "{saved}");
    assert_eq!(bytes("--recipe saved.toml"), first);
    assert_ne!(bytes(&format!("--set edit=noise:2:8 {offsets}")), first);
    // Flags come after the edits of the file.
    let both = edited(&folder, &["kind = 'aim', turn = 10"], "--set edit=aim:20");
    assert_eq!(items(&both["edits"]).len(), 2);
    let turned = number(&both, "root_motion/turn_rate_dps") * number(&both, "candidate/period_secs");
    near(turned, 20.0, 1e-9);
}

#[test]
fn edits_that_cannot_be_made_say_why() {
    let folder = Folder::with_walk();
    for [options, edit, words] in rows(
        "
        --set edit=offset:Heads:1,2,3 | | the take has no joint named \"Heads\"
        --set edit=offset:Head:1,2    | | must be JOINT:X,Y,Z
        --set edit=offset:Head:tilt=3 | | JOINT:raise=20,spread=10,twist=-5
        --set edit=offset:LeftShoulder:raise=9 | | joint LeftShoulder points aside
        --symmetric --set edit=offset:Head:twist=20 | | joint Head is its own mirror image
        --set edit=noise:-3           | | noise turns joints by 0 to 90 degrees
        --set edit=aim:400            | | a loop turns by up to 360 degrees
        --root-motion stationary --set edit=aim:30 | | cannot be aimed
        --symmetric --set edit=aim:20 | | goes straight ahead and cannot be aimed
        --symmetric --set edit=offset:Head:0,20,0 | | joint Head is its own mirror image
        | {kind = 'smooth', joint = 'Wing*', deviation = 0.1}          | the take has no joint named \"Wing*\"
        | {kind = 'move', joint = 'Head', time = 1, phase = 0.5}       | both a time and a phase
        | {kind = 'move', joint = 'Head', width = 9}                   | the width of an edit must be
        | {kind = 'bend'}                                              | unknown variant `bend`
        ",
    ) {
        folder.write("edits.toml", format!("edit = [{edit}]"));
        folder.refuse(&format!("make walk.bvh -o no.bvh --recipe edits.toml {options}"), words);
        assert!(!folder.has("no.bvh"));
    }
}
