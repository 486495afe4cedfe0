//! Edits of the closed loop, measured in the files that are written.

use glam::DVec3;
use loopwright::{LoopClip, edit::bump, math::rotation};
use serde_json::Value;

mod harness;

use harness::Folder;

/// Angles in BVH have six digits behind the point, degrees.
const ANGLE: f64 = 1e-7;

/// The loop in the files that were written last.
fn written(folder: &Folder) -> LoopClip {
    loopwright_formats::loop_file::load_loop(&folder.read("loop.bvh"), &folder.read("loop.bvh.json")).unwrap()
}

/// A loop of fixed frames, feet free so that the edit alone changes it; with its answer.
fn made(folder: &Folder, edits: &str, options: &str) -> (LoopClip, Value) {
    folder.write("edits.toml", edits);
    let made = folder.made(&format!(
        "--range 20:54.5 --lock-feet off --recipe edits.toml {options}"
    ));
    (written(folder), made)
}

/// What one loop adds to a joint of another, round the seam: rotation vectors.
fn added(before: &LoopClip, after: &LoopClip, joint: &str) -> Vec<DVec3> {
    let joint = before.skeleton().find(joint).unwrap();
    (0..before.num_samples())
        .map(|key| {
            let [before, after] = [before, after].map(|clip| clip.body_pose(key).rotations[joint]);
            rotation::difference(after, before)
        })
        .collect()
}

/// Largest third difference of a track over each sample, round the loop: a jump of pose, velocity or acceleration shows in it.
fn third_differences(track: &[DVec3]) -> Vec<f64> {
    let at = |sample: usize| track[sample % track.len()];
    (0..track.len())
        .map(|first| (at(first + 3) - at(first + 2) * 3.0 + at(first + 1) * 3.0 - at(first)).length())
        .collect()
}

#[test]
fn a_joint_moved_at_the_seam_follows_the_bump_in_the_file() {
    let folder = Folder::with_synth("--seconds 4 --fps 30");
    let (before, _) = made(&folder, "", "");
    let period = before.period_secs();
    for phase in [0.0, 0.5, 0.97] {
        let edit = format!(
            "[[edit]]\nkind = \"move\"\njoint = \"LeftArm\"\nphase = {phase}\nwidth = 0.5\nrotation = [10, 0, 30]\n"
        );
        let (after, answer) = made(&folder, &edit, "");
        let vector = DVec3::new(10.0, 0.0, 30.0) * (core::f64::consts::PI / 180.0);
        for (sample, found) in added(&before, &after, "LeftArm").into_iter().enumerate() {
            let ahead = (sample as f64 * before.step_secs() - phase * period).rem_euclid(period);
            let expected = vector * bump(ahead.min(period - ahead), 0.25);
            assert!(
                (found - expected).length() < ANGLE,
                "{phase} {sample}: {found} {expected}"
            );
        }
        assert!(added(&before, &after, "Head").iter().all(|v| v.length() < 1e-15));
        let quality = &answer["quality"];
        assert!(quality["pose_gap_deg"].as_f64() < Some(1e-5), "{quality}");
        assert!(quality["pose_gap_mm"].as_f64() < Some(1e-5), "{quality}");
        let edit = &answer["edits"][0];
        assert_eq!((&edit["kind"], &edit["joints"][0]), (&"move".into(), &"LeftArm".into()));
        assert!((edit["time_secs"].as_f64().unwrap() - phase * period).abs() < 1e-12);
    }
}

/// Nowhere round the loop, the seam included, does what an edit adds jump more than elsewhere.
#[test]
fn pose_velocity_and_acceleration_meet_after_every_edit() {
    let folder = Folder::with_synth("--seconds 4 --fps 30");
    let (before, _) = made(&folder, "", "");
    for (edit, joint) in [
        ("kind = \"noise\"\ndeviation = 3\nhighest = 3", "Spine1"),
        (
            "kind = \"noise\"\njoint = \"*Hand\"\ndeviation = 3\nhighest = 3",
            "LeftHand",
        ),
        ("kind = \"smooth\"\ndeviation = 0.15", "LeftArm"),
        ("kind = \"offset\"\njoint = \"Head\"\nrotation = [20, 0, 0]", "Head"),
    ] {
        let (after, answer) = made(&folder, &format!("[[edit]]\n{edit}\n"), "");
        let track = added(&before, &after, joint);
        let differences = third_differences(&track);
        let count = differences.len();
        let inside = differences[3..count - 6].iter().copied().fold(0.0, f64::max);
        let largest = track.iter().map(|v| v.length()).fold(0.0, f64::max);
        assert!(largest > 0.002, "{edit}: {largest}");
        for at in (count - 6..count).chain(0..3) {
            assert!(
                differences[at] <= 1.3 * inside + 10.0 * ANGLE,
                "{edit} {at}: {} {inside}",
                differences[at]
            );
        }
        assert!(answer["quality"]["pose_gap_deg"].as_f64() < Some(1e-5));
    }
}

#[test]
fn an_aimed_loop_ends_in_its_heading_and_feet_are_held() {
    let folder = Folder::with_walk();
    for aim in ["90", "-45"] {
        let made = folder.made(&format!("--aim {aim}"));
        let degrees: f64 = aim.parse().unwrap();
        let clip = written(&folder);
        let [start, end] = [0, clip.num_samples()].map(|key| clip.root_pose(key).rotation);
        let turned = rotation::yaw_of(end * start.conjugate()).to_degrees();
        assert!((turned - degrees).abs() < 1e-9, "{turned}");
        assert_eq!(made["feet"]["held"], true);
        // Without the hold they slide as the root turns away from under them.
        let [before, after] = ["foot_slide_before_cmps", "foot_slide_after_cmps"].map(|key| &made["feet"][key]);
        assert!(
            before.as_f64() > Some(8.0) && after.as_f64() < Some(2.0),
            "{}",
            made["feet"]
        );
        assert_eq!(made["quality"]["grade"], "good");
    }
    let refused = folder.run("make walk.bvh -o no.bvh --aim 30 --root-motion stationary");
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("cannot be aimed") && refused.stderr.contains("--root-motion constant"));
}

/// Hips lowered: the legs bend, and the feet stay where they stood.
#[test]
fn feet_are_held_after_the_hips_are_lowered() {
    let folder = Folder::with_walk();
    folder.write(
        "crouch.toml",
        "[[edit]]\nkind = \"offset\"\njoint = \"Hips\"\nposition = [0, -0.06, 0]\n",
    );
    folder.made("--range 20:54.5");
    let before = written(&folder);
    let made = folder.made("--range 20:54.5 --recipe crouch.toml");
    let after = written(&folder);
    let height = |clip: &LoopClip, name: &str| {
        let joint = clip.skeleton().find(name).unwrap();
        let heights = (0..clip.num_samples()).map(|key| clip.world_pose(key).translations[joint].y);
        heights.fold(f64::INFINITY, f64::min)
    };
    let lowered = height(&after, "Hips") - height(&before, "Hips");
    assert!((lowered + 0.06).abs() < 0.005, "{lowered}");
    for toe in ["LeftToeBase", "RightToeBase"] {
        let sunk = height(&after, toe) - height(&before, toe);
        assert!(sunk.abs() < 0.005, "{toe}: {sunk}");
    }
    assert!(
        made["quality"]["foot_slide_cmps"].as_f64() < Some(1.0),
        "{}",
        made["quality"]
    );
}

#[test]
fn the_same_edits_give_the_same_bytes_and_recipes_keep_them() {
    let folder = Folder::with_walk();
    folder.made("--noise 2:7 --offset Head:10,0,0 --save-recipe saved.toml");
    let first = folder.read("loop.bvh");
    let saved = folder.text("saved.toml");
    assert!(saved.contains("kind = \"noise\"\ndeviation = 2.0\nseed = 7"), "{saved}");
    folder.made("--recipe saved.toml");
    assert_eq!(folder.read("loop.bvh"), first);
    folder.made("--noise 2:8 --offset Head:10,0,0");
    assert_ne!(folder.read("loop.bvh"), first);
    // Flags come after the edits of the file.
    folder.write("aimed.toml", "[[edit]]\nkind = \"aim\"\nturn = 10\n");
    let both = folder.made("--recipe aimed.toml --aim 20");
    let kinds: Vec<&Value> = both["edits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| &edit["turn_deg"])
        .collect();
    assert_eq!(kinds.len(), 2);
    assert!(
        (both["root_motion"]["turn_rate_dps"].as_f64().unwrap() * written(&folder).period_secs() - 20.0).abs() < 1e-9
    );
}

#[test]
fn edits_that_cannot_be_made_say_why() {
    let folder = Folder::with_walk();
    for (options, edit, words) in [
        (
            "--offset Heads:1,2,3",
            "",
            "no joint is named \"Heads\"\n  try: one of: Head",
        ),
        ("--offset Head:1,2", "", "must be JOINT:X,Y,Z"),
        ("--noise -3", "", "noise turns joints by 0 to 90 degrees"),
        ("--aim 400", "", "a loop turns by up to 360 degrees"),
        ("--symmetric --aim 20", "", "cannot be edited"),
        (
            "",
            "kind = \"smooth\"\njoint = \"Wing*\"\ndeviation = 0.1",
            "no joint is named \"Wing*\"",
        ),
        (
            "",
            "kind = \"move\"\njoint = \"Head\"\ntime = 1\nphase = 0.5",
            "both a time and a phase",
        ),
        (
            "",
            "kind = \"move\"\njoint = \"Head\"\nwidth = 9",
            "the width of an edit must be",
        ),
        ("", "kind = \"bend\"", "unknown variant `bend`"),
    ] {
        let text = if edit.is_empty() {
            String::new()
        } else {
            format!("[[edit]]\n{edit}\n")
        };
        folder.write("edits.toml", text);
        let failed = folder.run(&format!("make walk.bvh -o no.bvh --recipe edits.toml {options}"));
        assert_eq!(failed.status, 2, "{options} {edit}");
        assert!(failed.stderr.contains(words), "{options} {edit}: {}", failed.stderr);
        assert!(!folder.names().contains(&"no.bvh".to_owned()));
    }
}
