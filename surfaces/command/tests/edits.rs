//! Edits of the closed loop, measured in the files that are written.

use glam::DVec3;
use loopwright_core::{LoopClip, edit::bump, math::rotation};
use serde_json::Value;

use crate::harness::{Folder, holds, items, near, number, rows, vector};

/// Angles in BVH have six digits behind the point, degrees.
const ANGLE: f64 = 1e-7;

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

/// What one loop adds to a joint of another, round the seam: rotation vectors.
fn added(before: &LoopClip, after: &LoopClip, joint: &str) -> Vec<DVec3> {
    let joint = before.skeleton().find(joint).unwrap();
    let turn = |clip: &LoopClip, key| clip.body_pose(key).rotations[joint];
    (0..before.num_samples())
        .map(|key| rotation::difference(turn(after, key), turn(before, key)))
        .collect()
}

/// How much of a bump of half a second a sample has, at so many seconds.
fn share(clip: &LoopClip, sample: usize, secs: f64) -> f64 {
    let ahead = (sample as f64 * clip.step_secs() - secs).rem_euclid(clip.period_secs());
    bump(ahead.min(clip.period_secs() - ahead), 0.25)
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
    let first = bytes("--set edit=noise:2:7 --set edit=offset:Head:10,0,0 --save-recipe saved.toml");
    let saved = folder.text("saved.toml");
    assert!(saved.contains("kind = \"noise\"\ndeviation = 2.0\nseed = 7"), "{saved}");
    assert_eq!(bytes("--recipe saved.toml"), first);
    assert_ne!(bytes("--set edit=noise:2:8 --set edit=offset:Head:10,0,0"), first);
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

/// Reflects a vector across X; a rotation is one whose sense the mirror reverses.
fn across(vector: DVec3) -> DVec3 {
    vector * DVec3::new(-1.0, 1.0, 1.0)
}

/// The joint on the other side.
fn partner(name: &str) -> String {
    match (name.strip_prefix("Left"), name.strip_prefix("Right")) {
        (Some(rest), _) => format!("Right{rest}"),
        (_, Some(rest)) => format!("Left{rest}"),
        _ => name.to_owned(),
    }
}

/// What an edit does on one side in the first half of a symmetric loop it does on the other in the second, by the edit's own
/// formula; and positions of joints in the file mirror each other half a period apart.
#[test]
fn symmetric_loops_stay_closed_and_mirrored_when_they_are_edited() {
    let folder = Folder::with_synth("--seconds 4 --fps 60 --turn-rate 0 --noise 0.1");
    edited(&folder, &[], "--symmetric --lock-feet off");
    let before = written(&folder, "loop.bvh");
    let half = before.num_samples() / 2;
    for [edit, feet] in rows(
        "
        kind = 'move', joint = 'LeftArm', phase = 0.2, width = 0.5, rotation = [10, -4, 30]                   | off
        kind = 'move', joint = 'Spine', phase = 0.2, width = 0.5, rotation = [10, 15, 20]                     | solve
        kind = 'offset', joint = 'RightArm', rotation = [5, 8, 20], position = [0.01, 0.02, 0.03]             | off
        kind = 'offset', joint = 'Hips', position = [0, -0.05, 0]                                             | solve
        kind = 'smooth', joint = 'Left*Arm', deviation = 0.1                                                  | off
        kind = 'noise', deviation = 3                                                                         | solve
        kind = 'noise', deviation = 3                                                                         | off
        ",
    ) {
        let made = edited(&folder, &[edit], &format!("--symmetric --lock-feet {feet}"));
        holds(&made, "candidate/mirrored = true\nquality/pose_gap_deg < 1e-5");
        let after = written(&folder, "loop.bvh");
        let skeleton = after.skeleton();
        let seen = |sample: usize| after.body_pose(sample % (2 * half)).world(skeleton).translations;
        for sample in 0..2 * half {
            let (now, later) = (seen(sample), seen(sample + half));
            for joint in 0..skeleton.num_joints() {
                let image = skeleton.find(&partner(&skeleton.joint(joint).name)).unwrap();
                // Feet are solved to a hair only, then evened to the rounding of the file.
                let off = across(now[joint]).distance(later[image]);
                assert!(off < 1e-6, "{edit} {feet}: {off} m");
            }
        }
        for sample in (0..2 * half).filter(|_| edit.contains("'LeftArm'")) {
            let vector = DVec3::new(10.0, -4.0, 30.0) * DEGREES;
            for (joint, phase, vector) in [("LeftArm", 0.2, vector), ("RightArm", 0.7, -across(vector))] {
                let wanted = vector * share(&before, sample, phase * before.period_secs());
                let off = added(&before, &after, joint)[sample].distance(wanted);
                assert!(off < 10.0 * ANGLE, "{joint} {sample}: {off}");
            }
        }
        // Noise keeps its size, to the rounding of the file.
        for joint in ["Head", "LeftHand", "Spine"]
            .iter()
            .filter(|_| edit.contains("noise") && feet == "off")
        {
            let noise = added(&before, &after, joint);
            let square = noise.iter().map(|v| v.length_squared()).sum::<f64>() / noise.len() as f64;
            near(square.sqrt(), 3.0 * DEGREES, ANGLE);
        }
    }
}

/// The sidecar of a mirrored loop states its edits for the other side: by them the mirrored loop differs from the mirror image of
/// the loop without edits.
#[test]
fn a_mirrored_loop_states_mirrored_edits() {
    let folder = Folder::with_synth("--seconds 4 --fps 30 --turn-rate 20");
    let mirrored = |edits: &[&str]| {
        edited(&folder, edits, "--range 20:54.5 --lock-feet off");
        folder.runs("convert loop.bvh image.bvh --mirror --force");
        (written(&folder, "image.bvh"), folder.json("image.bvh.json"))
    };
    let (before, _) = mirrored(&[]);
    let (after, facts) = mirrored(&[
        "kind = 'offset', joint = 'LeftArm', rotation = [5, 8, 20], position = [0.01, 0.02, 0.03]",
        "kind = 'move', joint = 'Head', time = 0.3, rotation = [5, 12, 3]",
        "kind = 'noise', joint = 'LeftHand', deviation = 2, seed = 4",
        "kind = 'aim', turn = 25",
    ]);
    holds(
        &facts["edits"],
        "
        0/kind = offset
        0/joints/0 = RightArm
        1/joints/0 = Head
        1/time_secs = 0.3
        2/joints/0 = RightHand
        2/seed = null
        3/turn_deg = -25
        ",
    );
    let stated = |edit: usize| vector(&facts["edits"][edit]["rotation_deg"]) * DEGREES;
    for key in 0..before.num_samples() {
        for (joint, wanted) in [
            ("RightArm", stated(0)),
            ("Head", stated(1) * share(&before, key, 0.3)),
            ("LeftHand", DVec3::ZERO),
        ] {
            let off = added(&before, &after, joint)[key].distance(wanted);
            assert!(off < 10.0 * ANGLE, "{joint} {key}: {off}");
        }
    }
    assert!(added(&before, &after, "RightHand").iter().any(|v| v.length() > 0.01));
    near(stated(0).length(), DVec3::new(5.0, 8.0, 20.0).length() * DEGREES, 1e-9);
    // At rest the walk stands along the axes of the world.
    let position = vector(&facts["edits"][0]["position_m"]);
    assert!(
        position.distance(across(DVec3::new(0.01, 0.02, 0.03))) < 1e-9,
        "{position}"
    );
    let turned = number(&facts, "root_motion/turn_rate_dps") * after.period_secs();
    near(turned, -25.0, 1e-9);
    // Twice it is as it was.
    folder.runs("convert image.bvh again.bvh --mirror");
    let (own, again) = (folder.json("loop.bvh.json"), folder.json("again.bvh.json"));
    for (own, again) in items(&own["edits"]).zip(items(&again["edits"])) {
        assert_eq!(own["joints"], again["joints"]);
        for key in ["rotation_deg", "position_m"].iter().filter(|key| own[key].is_array()) {
            assert!(vector(&own[key]).distance(vector(&again[key])) < 1e-9, "{own} {again}");
        }
    }
}
