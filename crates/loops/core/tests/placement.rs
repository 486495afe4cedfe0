//! Loops brought to the origin: a walk placed anywhere and facing anywhere starts there, faces +Z, and is the same loop.

use glam::DVec3;
use loopwright_core::{
    LoopSettings, MadeLoop, RootMode, RootSettings, Take,
    analysis::Body,
    math::{Rigid, rotation},
    root_motion::RootSpace,
};
use loopwright_synth::{IdleSettings, WalkSettings, synthesize_idle};

use crate::support::{analysed, best, moved, posed, walk_of};

/// Returns a turning walk that starts anywhere, facing anywhere, on a floor above the origin.
fn walk(place: Rigid) -> Take {
    let settings = WalkSettings::default().turn_dps(25.0);
    moved(&walk_of(settings), |_| place)
}

/// Returns the loop at the place of the take, and at the origin.
fn both(take: &Take, root: RootSettings) -> [MadeLoop; 2] {
    let analysis = analysed(take);
    let best = best(&analysis);
    [false, true].map(|recenter| {
        let settings = LoopSettings::with_root(RootSettings { recenter, ..root });
        analysis.make_loop(&best, &settings).unwrap()
    })
}

fn places() -> [Rigid; 4] {
    [
        Rigid::IDENTITY,
        Rigid::from_yaw(2.5, DVec3::new(7.0, 0.3, -3.0)),
        Rigid::from_yaw(-1.2, DVec3::new(-40.0, -0.2, 12.0)),
        Rigid::from_yaw(core::f64::consts::PI, DVec3::new(0.0, 0.0, 100.0)),
    ]
}

fn is_over_origin(at: DVec3) -> bool {
    at.with_y(0.0).length() < 1e-9
}

#[test]
fn a_loop_from_anywhere_starts_at_the_origin_facing_ahead() {
    for place in places() {
        let take = walk(place);
        for mode in [
            RootMode::Constant,
            RootMode::InPlace,
            RootMode::Keep,
            RootMode::Path,
            RootMode::Inertialized,
        ] {
            let [off, on] = both(&take, mode.into());
            let (was, now) = (&off.loop_clip, &on.loop_clip);
            assert_eq!(off.recentered_by, None);
            let first = now.root_pose(0);
            assert!(is_over_origin(first.translation), "{mode}: {first:?}");
            let height = was.root_pose(0).translation.y;
            assert_eq!(first.translation.y, height, "{mode}: the floor stays");
            assert!(rotation::yaw_of(first.rotation).abs() < 1e-9, "{mode}: {first:?}");
            let twists = [was, now].map(|clip| clip.root().twist);
            assert_eq!(twists[0], twists[1], "{mode}: the twist is in the root's own axes");
            assert_eq!(now.tracks(), was.tracks(), "{mode}: poses in joint space");
            assert_eq!(on.source.clip, off.source.clip, "{mode}: so are the uncut ones");
            let motion = on.recentered_by.unwrap();
            assert_eq!(motion.translation.y, 0.0);
            for key in [0, 1, was.num_samples() / 2, 3 * was.num_samples()] {
                let wanted = was.world_pose(key).moved(motion);
                let found = now.world_pose(key);
                for joint in 0..take.num_joints() {
                    let off = (found.translations[joint] - wanted.translations[joint]).length();
                    assert!(off < 1e-9, "{mode}: joint {joint} at key {key} is {off} m off");
                    let turn = rotation::difference(found.rotations[joint], wanted.rotations[joint]);
                    assert!(turn.length() < 1e-9, "{mode}: joint {joint} at key {key}");
                }
            }
            // A second time changes nothing.
            let again = on.clone().recentered();
            assert!((again.loop_clip.root().start.translation - now.root().start.translation).length() < 1e-12);
        }
    }
}

#[test]
fn a_body_that_is_pulled_back_is_moved_itself() {
    for place in places() {
        let take = walk(place);
        let [off, on] = both(&take, RootMode::Stationary.into());
        let [root, was] = [&on, &off].map(|made| made.loop_clip.root());
        assert_eq!(root, was, "its root is at the origin already");
        let motion = on.recentered_by.unwrap();
        let hips = on.body.hips;
        let count = on.loop_clip.num_samples();
        let mut mean = DVec3::ZERO;
        for key in 0..count {
            let was = off.loop_clip.world_pose(key).moved(motion);
            let now = on.loop_clip.world_pose(key);
            mean += now.translations[hips] / count as f64;
            for joint in 0..take.num_joints() {
                assert!((was.translations[joint] - now.translations[joint]).length() < 1e-9);
            }
        }
        assert!(is_over_origin(mean), "{mean}");
        let uncut = |made: &MadeLoop| made.source.clip.world_tracks().position(0, hips);
        assert!((motion.transform_point(uncut(&off)) - uncut(&on)).length() < 1e-9);
    }
}

#[test]
fn in_full_space_the_root_keeps_its_tilt() {
    let take = walk(places()[1]);
    let root = RootSettings {
        space: RootSpace::Full,
        ..RootSettings::default()
    };
    let [off, on] = both(&take, root);
    let (was, now) = (off.loop_clip.root(), on.loop_clip.root());
    assert_eq!(was.twist, now.twist);
    let motion = on.recentered_by.unwrap();
    let moved = motion * was.start;
    assert!((moved.translation - now.start.translation).length() < 1e-9);
    assert!(rotation::difference(moved.rotation, now.start.rotation).length() < 1e-9);
    assert!(is_over_origin(now.start.translation));
}

#[test]
fn a_whole_take_starts_at_the_origin() {
    for place in places() {
        let take = walk(place);
        let body = Body::find(&take, &loopwright_core::BodyOverrides::default()).unwrap();
        let moved = take.recentered(&body);
        let analysis = analysed(&moved);
        let first = analysis.heading.world_from_heading(0);
        assert!(is_over_origin(first.translation), "{first:?}");
        let height = analysed(&take).heading.ground(0).y;
        assert!((first.translation.y - height).abs() < 1e-9);
        assert!(rotation::yaw_of(first.rotation).abs() < 1e-9);
        // Everything else moves along.
        for frame in [0, 10, 50] {
            for joint in 1..take.num_joints() {
                assert_eq!(moved.translations(frame)[joint], take.translations(frame)[joint]);
            }
        }
    }
}

/// An idle body beside its root joint is as its author placed it; one that stands metres away was captured there.
#[test]
fn a_body_beside_its_root_joint_stays_there() {
    let idle = synthesize_idle(&IdleSettings::default()).unwrap();
    let mean = |made: &MadeLoop| {
        let count = made.loop_clip.num_samples();
        let hips = (0..count).map(|key| made.loop_clip.world_pose(key).translations[made.body.hips]);
        hips.sum::<DVec3>() / count as f64
    };
    for (off, stays) in [(0.5, true), (5.0, false)] {
        let take = posed(&idle.below_root_joint("root"), |_, pose| pose.translations[1].z += off);
        let [there, here] = both(&take, RootSettings::default());
        assert_eq!(here.source.root_joint, Some(0));
        let start = here.loop_clip.root().start;
        let placed = (start.translation, rotation::yaw_of(start.rotation));
        assert_eq!(placed, (DVec3::ZERO, 0.0));
        let (was, now) = (mean(&there), mean(&here));
        if stays {
            assert!((was - now).length() < 1e-9, "{was} {now}");
        } else {
            assert!(now.x.abs() + now.z.abs() < 0.05, "{now}");
        }
    }
}
