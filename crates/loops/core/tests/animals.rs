//! Bodies of animals and of rigs with controls, in captured and hand-made takes.

use glam::DVec3;
use loopwright_core::analysis::{Body, ContactLimits, Contacts, FoundBy};
use loopwright_core::math::{ops, rotation};
use loopwright_core::{Analysis, BodyOverrides, LoopSettings, Skeleton, Take};
use loopwright_formats::{AnimationChoice, ReadSettings, animation_names, read_take};
use loopwright_mocap::folder_or_skip;
use loopwright_synth::WalkSettings;

use crate::support::{best, captured, joint, posed_on, walk_of};

/// A take with a joint more that hangs from its root and flies about.
fn with_target(take: &Take, name: &str) -> Take {
    let mut joints = take.skeleton().joints().to_vec();
    joints.push(joint(name, Some(0), DVec3::X));
    posed_on(take, Skeleton::new(joints).unwrap(), |frame, pose| {
        let leap = if frame % 17 == 0 { 3.0 } else { 0.0 };
        let at = DVec3::new(ops::sin(frame as f64), leap, 0.02 * frame as f64);
        pose.translations.push(at);
        pose.rotations.push(rotation::exp(DVec3::Y * (frame * frame) as f64));
    })
}

#[test]
fn a_target_that_flies_about_changes_nothing() {
    let walk = walk_of(WalkSettings::default());
    let plain = Analysis::new(&walk).unwrap();
    let steered = Analysis::new(&with_target(&walk, "LeftFootIK")).unwrap();
    assert_eq!(steered.body.controls, [walk.num_joints()]);
    assert_eq!(steered.body.feet, plain.body.feet);
    assert_eq!((&steered.joints, &steered.defects), (&plain.joints, &plain.defects));
    let loops = |analysis: &Analysis| {
        let best = best(analysis);
        let made = analysis.make_loop(&best, &LoopSettings::default()).unwrap();
        (best, made)
    };
    let ((one, steered), (other, plain_loop)) = (loops(&steered), loops(&plain));
    assert_eq!(one.cut, other.cut);
    // Rotations are made unit once more when the take with the target is put together.
    assert!((one.seam_cost - other.seam_cost).abs() < 1e-12 && (one.abruptness - other.abruptness).abs() < 1e-9);
    let [twist, plain_twist] = [&steered, &plain_loop].map(|made| made.loop_clip.root().twist);
    assert!((twist.linear - plain_twist.linear).length() < 1e-12);
    assert!((twist.angular - plain_twist.angular).length() < 1e-12);
    assert_eq!(steered.feet.contacts, plain_loop.feet.contacts);
    // The same joint under another name is part of the body.
    let worn = Analysis::new(&with_target(&walk, "LeftFootBell")).unwrap();
    assert!(worn.body.controls.is_empty());
    assert!(loops(&worn).0.abruptness > other.abruptness + 0.01);
}

/// All animations of a file, with their names.
fn takes(folder: &std::path::Path, file: &str) -> Vec<(String, Take)> {
    let bytes = std::fs::read(folder.join(file)).unwrap();
    let read = |name: String| {
        let settings = ReadSettings {
            animation: AnimationChoice::Given(&name),
            ..ReadSettings::default()
        };
        let take = read_take(&bytes, file, &settings, &mut Vec::new()).unwrap().take;
        (name, take)
    };
    animation_names(&bytes).into_iter().map(read).collect()
}

fn feet_of(take: &Take, body: &Body) -> String {
    let names = (body.feet.iter()).map(|foot| take.skeleton().joint(foot.lowest_joint()).name.as_str());
    names.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_rig_has_the_same_feet_in_all_of_its_animations() {
    let Some(folder) = folder_or_skip() else { return };
    for (file, feet) in [
        (
            "mesh2motion/horse-animations.glb",
            "front_leg_foot_l front_leg_foot_r back_leg_toe_l back_leg_toe_r",
        ),
        (
            "mesh2motion/fox-animations.glb",
            "Front_Leg_Foot_L Front_Leg_Foot_R Back_Leg_Foot_1_L Back_Leg_Foot_1_R",
        ),
        (
            "mesh2motion/spider-animations.glb",
            "leg_a_tip_l leg_a_tip_r leg_b_tip_l leg_b_tip_r leg_c_tip_l leg_c_tip_r leg_d_tip_l leg_d_tip_r",
        ),
        (
            "gltf/Fox.glb",
            "b_LeftFoot02_018 b_RightFoot02_022 b_LeftHand_011 b_RightHand_08",
        ),
    ] {
        let takes = takes(&folder, file);
        assert!(takes.len() >= 3, "{file}");
        for (name, take) in takes {
            let body = Body::find(&take, &BodyOverrides::default()).unwrap();
            assert_eq!(body.found_by, FoundBy::Names, "{file} {name}");
            assert_eq!(feet_of(&take, &body), feet, "{file} {name}");
        }
    }
}

/// The contacts of an animation that walks on the spot. Its feet slide, so height alone says when they stand.
fn contacts(folder: &std::path::Path, file: &str, animation: &str) -> (usize, Contacts) {
    let overrides = BodyOverrides {
        contacts: ContactLimits {
            speed_mps: Some(10.0),
            height_metres: Some(0.03),
        },
        ..BodyOverrides::default()
    };
    let mut takes = takes(folder, file).into_iter();
    let (_, take) = takes.find(|(name, _)| name == animation).unwrap();
    let contacts = Analysis::with(&take, &overrides).unwrap().contacts;
    (take.num_frames(), contacts)
}

#[test]
fn a_horse_walks_on_four_feet_in_turn() {
    let Some(folder) = folder_or_skip() else { return };
    let (frames, contacts) = contacts(&folder, "mesh2motion/horse-animations.glb", "Walk");
    let stands = |foot: usize| (0..frames).filter(|&frame| contacts.is_planted(foot, frame)).count();
    assert_eq!(contacts.num_feet(), 4);
    for foot in 0..4 {
        let stands = stands(foot);
        assert!((frames / 4..=3 * frames / 4).contains(&stands), "{foot}: {stands}");
    }
    // In a walk one foot of a pair mostly stands while the other swings.
    for [left, right] in [[0, 1], [2, 3]] {
        let both = (0..frames).filter(|&frame| contacts.is_planted(left, frame) && contacts.is_planted(right, frame));
        assert!(both.count() <= frames / 3);
    }
    assert!((0..frames).all(|frame| (0..4).any(|foot| contacts.is_planted(foot, frame))));
}

#[test]
fn a_spider_walks_on_two_sets_of_four_feet() {
    let Some(folder) = folder_or_skip() else { return };
    let (frames, contacts) = contacts(&folder, "mesh2motion/spider-animations.glb", "Walk");
    assert_eq!(contacts.num_feet(), 8);
    // Feet are in pairs, left before right: in neighbouring pairs opposite sides stand together.
    let sets = [[0, 3, 4, 7], [1, 2, 5, 6]];
    let standing = |set: [usize; 4], frame| set.into_iter().filter(|&foot| contacts.is_planted(foot, frame)).count();
    let one_set = |frame: usize| {
        let [one, other] = sets.map(|set| standing(set, frame));
        one.max(other) >= 3 && one.min(other) <= 1
    };
    let clear = (0..frames).filter(|&frame| one_set(frame)).count();
    assert!(3 * clear >= 2 * frames, "{clear} of {frames}");
}

#[test]
fn controls_are_no_limbs() {
    let Some(folder) = folder_or_skip() else { return };
    for (file, num_controls) in [
        ("gltf/Knight.glb", 18),
        ("gltf/Robot.glb", 2),
        ("ufbx/maya_kenney_character_7700_binary.fbx", 18),
        ("ufbx/blender_293_barbarian_7400_binary.fbx", 8),
    ] {
        for (name, take) in takes(&folder, file).into_iter().take(3) {
            let analysis = Analysis::new(&take).unwrap();
            let body = &analysis.body;
            let counts = (body.controls.len(), body.feet.len());
            assert_eq!(counts, (num_controls, 2), "{file} {name}");
            let are_of_body = analysis.joints.iter().all(|weighted| !body.is_control(weighted.joint));
            assert!(are_of_body, "{file} {name}");
        }
    }
}

#[test]
fn forearms_that_end_a_rig_have_hands() {
    let Some(folder) = folder_or_skip() else { return };
    let take = captured(&folder, "snu/slope_16.bvh");
    let analysis = Analysis::new(&take).unwrap();
    let hands: Vec<&str> = (analysis.body.hands.iter())
        .map(|&hand| take.skeleton().joint(hand).name.as_str())
        .collect();
    assert_eq!(hands, ["LeftForeArm", "RightForeArm"]);
    for &hand in &analysis.body.hands {
        let reach = analysis.body.point(&analysis.world, 0, hand) - analysis.world.position(0, hand);
        assert!((reach.length() - 0.22).abs() < 0.01, "{}", reach.length());
        let joints = analysis.joints.iter();
        assert!(
            joints
                .filter(|weighted| weighted.weight > 0.0)
                .any(|weighted| weighted.joint == hand)
        );
    }
}
