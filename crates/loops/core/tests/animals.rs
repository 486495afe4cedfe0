//! Bodies of animals and of rigs with controls, in captured and hand-made takes.

use glam::DVec3;
use loopwright_core::{
    Analysis, BodyOverrides, LoopSettings, SearchSettings, Skeleton, Take,
    analysis::ContactLimits,
    math::{ops, rotation},
};
use loopwright_formats::{AnimationChoice, ReadSettings, read_take};
use loopwright_mocap::folder_or_skip;
use loopwright_synth::WalkSettings;

use crate::support::{analysed, best, joint, posed_on, walk_of};

/// Returns a take with a joint more that hangs from its root and flies about.
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
    let plain = analysed(&walk);
    let steered = analysed(&with_target(&walk, "LeftFootIK"));
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
    // Under another name the joint is part of the body.
    let worn = analysed(&with_target(&walk, "LeftFootBell"));
    assert!(worn.body.controls.is_empty());
    let abruptness = |analysis: &Analysis, later: f64| {
        let [start, end] = [other.cut.start_frame(), other.cut.end_frame()].map(|frame| frame + later);
        let found = analysis.appraise(start, end, &SearchSettings::default());
        found.unwrap().abruptness
    };
    let mut later = (0..10).map(f64::from);
    assert!(later.any(|later| abruptness(&worn, later) > abruptness(&plain, later) + 0.01));
}

/// Feet of an animation that walks on the spot slide, so height alone says when they stand.
#[test]
fn a_horse_walks_on_four_feet_in_turn() {
    let Some(folder) = folder_or_skip() else { return };
    let file = "mesh2motion/horse-animations.glb";
    let bytes = std::fs::read(folder.join(file)).unwrap();
    let settings = ReadSettings {
        animation: AnimationChoice::Given("Walk"),
        ..ReadSettings::default()
    };
    let take = read_take(&bytes, file, &settings, &mut Vec::new()).unwrap().take;
    let overrides = BodyOverrides {
        contacts: ContactLimits {
            speed_mps: Some(10.0),
            height_metres: Some(0.03),
        },
        ..BodyOverrides::default()
    };
    let (frames, contacts) = (take.num_frames(), Analysis::with(&take, &overrides).unwrap().contacts);
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
