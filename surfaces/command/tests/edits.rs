//! Edits of the closed loop, measured in the files that are written.

use glam::DVec3;
use loopwright_core::{LoopClip, edit::bump, math::rotation};
use serde_json::Value;

use crate::harness::{Folder, items};

/// Angles in BVH have six digits behind the point, degrees.
const ANGLE: f64 = 1e-7;

/// The loop in the files that were written last.
fn written(folder: &Folder) -> LoopClip {
    written_as(folder, "loop.bvh")
}

/// The loop in a file with its sidecar.
fn written_as(folder: &Folder, name: &str) -> LoopClip {
    loopwright_formats::loop_file::load_loop(&folder.read(name), &folder.read(&format!("{name}.json"))).unwrap()
}

/// A loop of fixed frames, feet free so that the edit alone changes it; with its answer.
fn made(folder: &Folder, edits: &str, options: &str) -> (LoopClip, Value) {
    folder.write("edits.toml", edits);
    let command = format!(
        "make walk.bvh -o loop.bvh --force --json --range 20:54.5 --lock-feet off --recipe edits.toml {options}"
    );
    let made = folder.run(&command).wrote();
    (written(folder), made.json())
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
            let is_near = (found - expected).length() < ANGLE;
            assert!(is_near, "{phase} {sample}: {found} {expected}");
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
            let is_right = differences[at] <= 1.3 * inside + 10.0 * ANGLE;
            assert!(is_right, "{edit} {at}: {} {inside}", differences[at]);
        }
        assert!(answer["quality"]["pose_gap_deg"].as_f64() < Some(1e-5));
    }
}

#[test]
fn an_aimed_loop_ends_in_its_heading_and_feet_are_held() {
    let folder = Folder::with_walk();
    for aim in ["90", "-45"] {
        let made = folder.made(&format!("--set edit=aim:{aim}"));
        let degrees: f64 = aim.parse().unwrap();
        let clip = written(&folder);
        let [start, end] = [0, clip.num_samples()].map(|key| clip.root_pose(key).rotation);
        let turned = rotation::yaw_of(end * start.conjugate()).to_degrees();
        assert!((turned - degrees).abs() < 1e-9, "{turned}");
        assert_eq!(made["feet"]["held"], true);
        // Without the hold they slide as the root turns away from under them.
        let [before, after] = ["foot_slide_before_cmps", "foot_slide_after_cmps"].map(|key| &made["feet"][key]);
        let is_right = before.as_f64() > Some(8.0) && after.as_f64() < Some(2.0);
        assert!(is_right, "{}", made["feet"]);
        assert_eq!(made["quality"]["grade"], "good");
    }
    let refused = folder.fail("make walk.bvh -o no.bvh --set edit=aim:30 --root-motion stationary");
    refused.says("cannot be aimed");
    refused.says("--root-motion constant");
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
    let is_right = made["quality"]["foot_slide_cmps"].as_f64() < Some(1.0);
    assert!(is_right, "{}", made["quality"]);
}

#[test]
fn the_same_edits_give_the_same_bytes_and_recipes_keep_them() {
    let folder = Folder::with_walk();
    folder.made("--set edit=noise:2:7 --set edit=offset:Head:10,0,0 --save-recipe saved.toml");
    let first = folder.read("loop.bvh");
    let saved = folder.text("saved.toml");
    assert!(saved.contains("kind = \"noise\"\ndeviation = 2.0\nseed = 7"), "{saved}");
    folder.made("--recipe saved.toml");
    assert_eq!(folder.read("loop.bvh"), first);
    folder.made("--set edit=noise:2:8 --set edit=offset:Head:10,0,0");
    assert_ne!(folder.read("loop.bvh"), first);
    // Flags come after the edits of the file.
    folder.write("aimed.toml", "[[edit]]\nkind = \"aim\"\nturn = 10\n");
    let both = folder.made("--recipe aimed.toml --set edit=aim:20");
    let kinds: Vec<&Value> = items(&both["edits"]).map(|edit| &edit["turn_deg"]).collect();
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
            "--set edit=offset:Heads:1,2,3",
            "",
            "the take has no joint named \"Heads\"\n  try: one of: Head",
        ),
        ("--set edit=offset:Head:1,2", "", "must be JOINT:X,Y,Z"),
        ("--set edit=noise:-3", "", "noise turns joints by 0 to 90 degrees"),
        ("--set edit=aim:400", "", "a loop turns by up to 360 degrees"),
        (
            "--symmetric --set edit=aim:20",
            "",
            "goes straight ahead and cannot be aimed",
        ),
        (
            "--symmetric --set edit=offset:Head:0,20,0",
            "",
            "joint Head is its own mirror image",
        ),
        (
            "",
            "kind = \"smooth\"\njoint = \"Wing*\"\ndeviation = 0.1",
            "the take has no joint named \"Wing*\"",
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
        folder.refuse(&format!("make walk.bvh -o no.bvh --recipe edits.toml {options}"), words);
        assert!(!folder.names().contains(&"no.bvh".to_owned()));
    }
}

/// Reflects a vector across X; a rotation is one whose sense the mirror reverses.
fn across(vector: DVec3) -> DVec3 {
    vector * DVec3::new(-1.0, 1.0, 1.0)
}

/// What an edit does on one side in the first half of a symmetric loop it does on the other in the second, by the edit's own
/// formula; and positions of joints in the file mirror each other half a period apart.
#[test]
fn symmetric_loops_stay_closed_and_mirrored_when_they_are_edited() {
    let folder = Folder::with_synth("--seconds 4 --fps 60 --turn-rate 0 --noise 0.1");
    let partner = |name: &str| match (name.strip_prefix("Left"), name.strip_prefix("Right")) {
        (Some(rest), _) => format!("Right{rest}"),
        (_, Some(rest)) => format!("Left{rest}"),
        _ => name.to_owned(),
    };
    let make = |edits: &str, feet: &str| {
        folder.write("edits.toml", edits);
        let made = folder.made(&format!("--symmetric --recipe edits.toml --lock-feet {feet}"));
        (written(&folder), made)
    };
    let (before, _) = make("", "off");
    let (half, period) = (before.num_samples() / 2, before.period_secs());
    let moved = |joint: &str, width: f64, rotation: &str| {
        format!("[[edit]]\nkind = \"move\"\njoint = \"{joint}\"\nphase = 0.2\nwidth = {width}\nrotation = {rotation}\n")
    };
    let degrees = core::f64::consts::PI / 180.0;
    let vector = DVec3::new(10.0, -4.0, 30.0) * degrees;
    // Seconds from a sample to the middle of the edit, or of its image.
    let share = |sample: usize, phase: f64, width: f64| {
        let ahead = (sample as f64 * before.step_secs() - phase * period).rem_euclid(period);
        bump(ahead.min(period - ahead), 0.5 * width)
    };
    // A joint with a partner, and one that is its own; the last is so wide that both of its bumps overlap.
    for (joint, width) in [("LeftArm", 0.5), ("Head", 0.4), ("Head", 0.9 * period)] {
        let (after, made) = make(&moved(joint, width, "[10, -4, 30]"), "off");
        let is_middle = partner(joint) == joint;
        let (own, other) = (added(&before, &after, joint), added(&before, &after, &partner(joint)));
        for sample in 0..2 * half {
            let (here, there) = (
                vector * share(sample, 0.2, width),
                -across(vector) * share(sample, 0.7, width),
            );
            let (own_wanted, other_wanted) = if is_middle {
                (here + there, here + there)
            } else {
                (here, there)
            };
            let off = (own[sample] - own_wanted)
                .length()
                .max((other[sample] - other_wanted).length());
            assert!(off < 10.0 * ANGLE, "{joint} {sample}: {off}");
        }
        let is_right = made["quality"]["pose_gap_deg"].as_f64() < Some(1e-5);
        assert!(is_right, "{}", made["quality"]);
    }
    for edits in [
        moved("LeftArm", 0.5, "[10, -4, 30]"),
        moved("Spine", 0.5, "[10, 15, 20]"),
        "[[edit]]\nkind = \"offset\"\njoint = \"RightArm\"\nrotation = [5, 8, 20]\nposition = [0.01, 0.02, 0.03]\n"
            .to_owned(),
        "[[edit]]\nkind = \"offset\"\njoint = \"Hips\"\nposition = [0, -0.05, 0]\n".to_owned(),
        "[[edit]]\nkind = \"smooth\"\njoint = \"Left*Arm\"\ndeviation = 0.1\n".to_owned(),
        "[[edit]]\nkind = \"noise\"\ndeviation = 3\n".to_owned(),
        "[[edit]]\nkind = \"noise\"\njoint = \"LeftHand\"\ndeviation = 3\nhighest = 4\n".to_owned(),
    ] {
        for feet in ["off", "solve"] {
            let (after, made) = make(&edits, feet);
            assert_eq!(made["candidate"]["mirrored"], true);
            assert_eq!(made["edits"].as_array().unwrap().len(), 1);
            let quality = &made["quality"];
            assert!(quality["pose_gap_deg"].as_f64() < Some(1e-5), "{edits} {quality}");
            let skeleton = after.skeleton();
            let seen = |sample: usize| after.body_pose(sample % (2 * half)).world(skeleton).translations;
            let (mut off, mut changed): (f64, f64) = (0.0, 0.0);
            for sample in 0..2 * half {
                let (now, later) = (seen(sample), seen(sample + half));
                for joint in 0..skeleton.num_joints() {
                    let image = skeleton.find(&partner(&skeleton.joint(joint).name)).unwrap();
                    off = off.max((across(now[joint]) - later[image]).length());
                }
                let was = before.body_pose(sample);
                let now = after.body_pose(sample);
                for joint in 0..skeleton.num_joints() {
                    changed = changed
                        .max(rotation::difference(now.rotations[joint], was.rotations[joint]).length())
                        .max((now.translations[joint] - was.translations[joint]).length());
                }
            }
            assert!(changed > 0.01, "{edits}: {changed}");
            // Feet are solved to a hair only, then evened to the rounding of the file.
            assert!(off < 1e-6, "{edits} {feet}: {off} m");
        }
    }
    // Noise keeps its size, to the rounding of the file.
    let (after, _) = make("[[edit]]\nkind = \"noise\"\ndeviation = 3\n", "off");
    for joint in ["Head", "LeftHand", "RightHand", "Spine"] {
        let noise = added(&before, &after, joint);
        let square = noise.iter().map(|v| v.length_squared()).sum::<f64>() / noise.len() as f64;
        let is_near = (square.sqrt() - 3.0 * degrees).abs() < ANGLE;
        assert!(is_near, "{joint}: {}", square.sqrt() / degrees);
    }
}

/// The sidecar of a mirrored loop states its edits for the other side: by them the mirrored loop differs from the mirror image of the
/// loop without edits.
#[test]
fn a_mirrored_loop_states_mirrored_edits() {
    let folder = Folder::with_synth("--seconds 4 --fps 30 --turn-rate 20");
    let mirrored = |edits: &str| {
        folder.write("edits.toml", edits);
        folder.made("--range 20:54.5 --lock-feet off --recipe edits.toml");
        folder.succeed("convert loop.bvh image.bvh --mirror --force");
        (written_as(&folder, "image.bvh"), folder.json("image.bvh.json"))
    };
    let (before, _) = mirrored("");
    let offset =
        "[[edit]]\nkind = \"offset\"\njoint = \"LeftArm\"\nrotation = [5, 8, 20]\nposition = [0.01, 0.02, 0.03]\n\n";
    let moved = "[[edit]]\nkind = \"move\"\njoint = \"Head\"\ntime = 0.3\nrotation = [5, 12, 3]\n\n";
    let noise = "[[edit]]\nkind = \"noise\"\njoint = \"LeftHand\"\ndeviation = 2\nseed = 4\n\n";
    let aim = "[[edit]]\nkind = \"aim\"\nturn = 25\n";
    let (after, facts) = mirrored(&[offset, moved, noise, aim].concat());
    let edits = &facts["edits"];
    let vector = |edit: &Value, key: &str| {
        let numbers = items(&edit[key]).map(|number| number.as_f64().unwrap());
        DVec3::from_slice(&numbers.collect::<Vec<f64>>())
    };
    let degrees = core::f64::consts::PI / 180.0;
    let (offset, moved, noise, aim) = (&edits[0], &edits[1], &edits[2], &edits[3]);
    assert_eq!(offset["kind"], "offset");
    assert_eq!(offset["joints"][0], "RightArm");
    for (key, found) in added(&before, &after, "RightArm").into_iter().enumerate() {
        let off = (found - vector(offset, "rotation_deg") * degrees).length();
        assert!(off < 10.0 * ANGLE, "{key}: {found}");
    }
    // At rest the walk stands along the axes of the world.
    let position = vector(offset, "position_m");
    let is_near = (position - across(DVec3::new(0.01, 0.02, 0.03))).length() < 1e-9;
    assert!(is_near, "{position}");
    assert!((vector(offset, "rotation_deg").length() - DVec3::new(5.0, 8.0, 20.0).length()).abs() < 1e-9);
    assert_eq!(
        (&moved["joints"][0], moved["time_secs"].as_f64()),
        (&"Head".into(), Some(0.3))
    );
    for (key, found) in added(&before, &after, "Head").into_iter().enumerate() {
        let ahead = (key as f64 * before.step_secs() - 0.3).rem_euclid(before.period_secs());
        let share = bump(ahead.min(before.period_secs() - ahead), 0.25);
        let off = (found - vector(moved, "rotation_deg") * (degrees * share)).length();
        assert!(off < 10.0 * ANGLE, "{key}: {found}");
    }
    assert_eq!(
        (&noise["joints"][0], &noise["seed"]),
        (&"RightHand".into(), &Value::Null)
    );
    assert!(added(&before, &after, "RightHand").iter().any(|v| v.length() > 0.01));
    assert!(
        added(&before, &after, "LeftHand")
            .iter()
            .all(|v| v.length() < 10.0 * ANGLE)
    );
    assert_eq!(aim["turn_deg"], -25.0);
    let turned = facts["root_motion"]["turn_rate_dps"].as_f64().unwrap() * after.period_secs();
    assert!((turned + 25.0).abs() < 1e-9, "{turned}");
    // Twice it is as it was.
    folder.succeed("convert image.bvh again.bvh --mirror");
    let (own, again) = (folder.json("loop.bvh.json"), folder.json("again.bvh.json"));
    for (own, again) in items(&own["edits"]).zip(again["edits"].as_array().unwrap()) {
        assert_eq!(own["joints"], again["joints"]);
        for key in ["rotation_deg", "position_m"] {
            if own[key].is_array() {
                assert!((vector(own, key) - vector(again, key)).length() < 1e-9, "{own} {again}");
            }
        }
    }
}
