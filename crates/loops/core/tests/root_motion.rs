//! The root of motions with known root motion: bodies on exact screws, through turns beyond half and whole ones.

use glam::{DQuat, DVec3};
use loopwright_core::{
    LoopClip, LoopSettings, MadeLoop, RootMode, RootSettings, Take,
    loop_clip::{LoopClipError, LoopKeys},
    math::{Rigid, Twist, rotation},
    pipeline::MakeError,
    quality, recognition,
    root_motion::{RootError, RootSpace},
};
use loopwright_synth::WalkSettings;

use crate::support::{analysed, by_cost, made_of, posed, skeleton, stretch, take_of, twist, walk_of};

const FRAME_TIME: f64 = 1.0 / 60.0;

/// Hips with two legs and a head; hips one metre above the moving frame. With `still_root`, a joint at the origin above.
fn take_on(root: impl Fn(f64) -> Rigid, num_frames: usize, still_root: bool) -> Take {
    let mut rows: Vec<(&str, Option<usize>, DVec3)> = vec![("Hips", None, DVec3::Y)];
    if still_root {
        rows = vec![("joint_Root", None, DVec3::ZERO), ("Hips", Some(0), DVec3::Y)];
    }
    let hips = rows.len() - 1;
    rows.extend([
        ("LeftUpLeg", Some(hips), DVec3::new(0.1, 0.0, 0.0)),
        ("LeftFoot", Some(hips + 1), DVec3::new(0.0, -0.9, 0.0)),
        ("RightUpLeg", Some(hips), DVec3::new(-0.1, 0.0, 0.0)),
        ("RightFoot", Some(hips + 3), DVec3::new(0.0, -0.9, 0.0)),
        ("Head", Some(hips), DVec3::new(0.0, 0.6, 0.0)),
    ]);
    take_of(skeleton(&rows), FRAME_TIME, num_frames, |frame, joint| {
        let (root, at) = (root(frame as f64 * FRAME_TIME), rows[joint].2);
        if joint == hips {
            (root.transform_point(at), root.rotation)
        } else {
            (at, DQuat::IDENTITY)
        }
    })
}

fn made(take: &Take, start: usize, end: usize, mode: RootMode) -> MadeLoop {
    let settings = LoopSettings::with_root(mode);
    made_of(take, start, end, &settings)
}

#[test]
fn turns_beyond_half_and_whole_ones_keep_the_length_of_the_path() {
    for degrees in [0.0, 90.0, 170.0, 190.0, -270.0, 330.0, 355.0, 360.0, 405.0_f64] {
        let twist = twist(DVec3::Z * 1.2, DVec3::Y * degrees.to_radians());
        let start = Rigid::from_yaw(0.7, DVec3::new(2.0, 0.0, -1.0));
        let take = take_on(|secs| start * twist.exp(secs), 90, false);
        // One second: the turn per period is the turn per second.
        let made = made(&take, 10, 70, RootMode::Constant);
        let found = made.loop_clip.root().twist;
        assert!((found.linear.length() - 1.2).abs() < 0.02 * 1.2, "{degrees}: {found:?}");
        let turn = found.angular.y.to_degrees();
        assert!((turn - degrees).abs() < 0.5, "{degrees}: {found:?}");
    }
}

/// Returns the same with legs that swing once in sixty frames: a body that never moves looks closed at every key.
fn with_swinging_legs(take: &Take) -> Take {
    posed(take, |frame, pose| {
        for (name, way) in [("LeftUpLeg", 0.5), ("RightUpLeg", -0.5)] {
            let phase = core::f64::consts::TAU * frame as f64 / 60.0;
            let joint = take.skeleton().find(name).unwrap();
            pose.rotations[joint] = rotation::exp(DVec3::X * (way * libm::sin(phase)));
        }
    })
}

/// Without a loop file the root motion is detected from the keys of a loop, including whole turns.
#[test]
fn turns_are_detected_from_the_keys_of_a_loop() {
    for degrees in [0.0, 90.0, 170.0, 190.0, -270.0, 330.0, 355.0, 359.9, 360.0, 405.0_f64] {
        let twist = twist(DVec3::new(0.1, 0.02, 1.2), DVec3::Y * degrees.to_radians());
        let start = Rigid::from_yaw(0.7, DVec3::new(2.0, 0.0, -1.0));
        for has_closing_key in [true, false] {
            let num_keys = 60 + usize::from(has_closing_key);
            let written = with_swinging_legs(&take_on(|secs| start * twist.exp(secs), num_keys, false));
            let body = analysed(&written).body;
            let seen = recognition::recognise(&written, &body, 0).unwrap();
            assert_eq!(seen.layout.has_closing_key, has_closing_key, "{degrees}");
            assert_eq!(seen.space, RootSpace::Ground);
            let found = seen.root.twist;
            let (speed, turn) = (found.linear.length(), found.angular.y.to_degrees());
            assert!(
                (speed - twist.linear.length()).abs() < 0.02 * 1.2,
                "{degrees}: {found:?}"
            );
            assert!((turn - degrees).abs() < 0.5, "{degrees}: {found:?}");
            if has_closing_key {
                let keys = LoopKeys::new(&written, seen.layout, seen.root, 0).unwrap();
                let quality = quality::measure(&keys, &body, None);
                let gap = quality.pose_gap_metres.max(quality.pose_gap_radians);
                assert!(gap < 1e-9, "{degrees}: {quality:?}");
            }
        }
    }
}

#[test]
fn a_spin_on_a_straight_path_stays_in_the_body() {
    let spinning = |secs: f64| Rigid::from_yaw(secs * core::f64::consts::TAU, DVec3::new(0.0, 0.0, 1.5 * secs));
    let take = take_on(spinning, 90, false);
    let made = made(&take, 10, 70, RootMode::Constant);
    let found = made.loop_clip.root().twist;
    assert!(found.angular.length() < 1e-6, "{found:?}");
    assert!((found.linear.length() - 1.5).abs() < 1e-6, "{found:?}");
}

#[test]
fn climbs_are_kept_and_small_rises_left_to_the_body() {
    for (climb, kept) in [(0.2, 0.2), (0.02, 0.0)] {
        let twist = twist(DVec3::new(0.0, climb, 1.0), DVec3::Y * 0.4);
        let made = made(&take_on(|secs| twist.exp(secs), 90, false), 10, 70, RootMode::Constant);
        assert!((made.loop_clip.root().twist.linear.y - kept).abs() < 1e-9);
    }
}

/// The root motion is on the hips below a still root. The loop must continue it from cycle to cycle: on the hips where it is
/// preserved there, on the root joint otherwise.
#[test]
fn the_world_goes_on_over_the_seam_in_every_mode_and_rig() {
    let twist = twist(DVec3::new(0.1, 0.0, 1.3), DVec3::Y * 0.9);
    for still_root in [false, true] {
        let take = take_on(|secs| twist.exp(secs), 90, still_root);
        for mode in [RootMode::Constant, RootMode::Keep, RootMode::InPlace] {
            let made = made(&take, 10, 70, mode);
            let clip = &made.loop_clip;
            let hips = usize::from(still_root);
            let expected = if mode == RootMode::Keep { hips } else { 0 };
            assert_eq!(clip.carrier(), expected, "{mode:?} {still_root}");
            for key in [0, 30, 60, 100, 200] {
                // The caller decides on the use of the root motion: in place, the root stays at its start.
                for (clip, frame) in [(clip, 10 + key), (&clip.in_place(), 10)] {
                    let expected = twist.exp(frame as f64 * FRAME_TIME).transform_point(DVec3::Y);
                    let gap = (clip.world_pose(key).translations[hips] - expected).length();
                    assert!(gap < 1e-9, "{mode:?} {still_root} key {key}: {gap}");
                }
            }
        }
    }
}

/// Returns a loop of the synthetic walker.
fn walked(mode: RootMode) -> MadeLoop {
    walk(20.0, &mode.into()).unwrap()
}

/// Returns a loop of the synthetic walker that turns at some rate, degrees per second.
fn walk(turn_dps: f64, root: &RootSettings) -> Result<MadeLoop, MakeError> {
    let settings = WalkSettings::default().seconds(6.0).turn_dps(turn_dps);
    let analysis = analysed(&walk_of(settings));
    let found = analysis.find_loops(&by_cost()).unwrap();
    let settings = LoopSettings::with_root(*root);
    analysis.make_loop(&stretch(&analysis, &found.candidates[0].cut), &settings)
}

/// A straight root moves as far as the screw, faces like the body, and never turns; the hips close the remainder.
#[test]
fn a_straight_root_never_turns() {
    let [linear, screw] = [RootMode::Linear, RootMode::Constant].map(|mode| walk(3.0, &mode.into()).unwrap());
    let (root, twist) = (linear.loop_clip.root(), screw.loop_clip.root().twist);
    assert!(twist.angular.y.to_degrees() > 2.0);
    assert_eq!(root.twist.angular, DVec3::ZERO);
    assert_eq!(root.at(100.0).rotation, root.start.rotation);
    assert!((root.twist.linear.length() - twist.linear.length()).abs() < 1e-3);
    assert!(root.twist.linear.normalize().dot(DVec3::Z) > 0.999, "{:?}", root.twist);
    let residual = linear.closed.residual;
    assert!(residual.position < 1e-9 && residual.velocity < 1e-9 && residual.angular_velocity < 1e-9);
    // Seen from the root both ends of the take are at their world positions, less the root's translation.
    let clip = &linear.loop_clip;
    let [first, after] = [0, clip.num_samples()].map(|key| clip.world_pose(key).translations);
    let way = root.start.rotation * root.twist.linear * clip.period_secs();
    for (first, after) in first.iter().zip(&after) {
        assert!((*after - *first - way).length() < 1e-9);
    }
}

#[test]
fn a_straight_root_rejects_a_turn_unless_forced() {
    let straight = RootSettings::from(RootMode::Linear);
    let period = walk(12.0, &RootMode::Constant.into()).unwrap().loop_clip.period_secs();
    for turn_dps in [-12.0, 12.0_f64] {
        let MakeError::Root(RootError::Turns { found }) = walk(turn_dps, &straight).unwrap_err() else {
            panic!("another refusal");
        };
        assert!((found.to_degrees() - turn_dps.abs() * period).abs() < 0.5, "{found}");
        let forced = RootSettings {
            force_straight: true,
            ..straight
        };
        let made = walk(turn_dps, &forced).unwrap();
        assert_eq!(made.loop_clip.root().twist.angular, DVec3::ZERO);
        // The turn is closed as an offset of the hips.
        let hips = made.loop_clip.carrier();
        let gap = made.closed.seam.joints[hips].angle.length();
        assert!((gap - found).abs() < 0.02, "{gap} {found}");
        assert!(made.closed.residual.position < 1e-9 && made.closed.residual.angular_velocity < 1e-9);
    }
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    for path_smoothing_secs in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let settings = RootSettings {
            path_smoothing_secs,
            ..RootMode::Path.into()
        };
        let refused = walk(0.0, &settings);
        assert!(matches!(refused, Err(MakeError::Root(RootError::Smoothing { .. }))));
    }
    let settings = RootSettings {
        space: RootSpace::Full,
        ..RootMode::Path.into()
    };
    assert_eq!(
        settings.check(),
        Err(RootError::PathInFullSpace { mode: RootMode::Path })
    );
}

/// A longer smoothing leaves less of the sway, down to the twist itself.
#[test]
fn a_path_is_as_smooth_as_asked_for() {
    let sway = |path_smoothing_secs: f64| {
        let settings = RootSettings {
            path_smoothing_secs,
            ..RootMode::Path.into()
        };
        let clip = walk(20.0, &settings).unwrap().loop_clip;
        let seen = |key: usize| {
            let twist = clip.root().at(key as f64 * clip.step_secs());
            (twist.inverse() * clip.root_pose(key)).translation
        };
        let mean = (0..clip.num_samples()).map(seen).sum::<DVec3>() / clip.num_samples() as f64;
        let off = (0..clip.num_samples()).map(|key| (seen(key) - mean).length());
        off.fold(0.0, f64::max)
    };
    let (tight, usual, loose) = (sway(0.02), sway(0.25), sway(100.0));
    assert!(tight > 1.2 * usual && usual > 100.0 * loose, "{tight} {usual} {loose}");
    assert!(loose < 1e-6, "{loose}");
}

/// Moving the root along a path moves no joint in the world, and the path is smooth even if the hips are not.
#[test]
fn a_root_on_a_path_goes_with_the_hips_and_moves_nothing() {
    let (screw, path) = (walked(RootMode::Constant).loop_clip, walked(RootMode::Path).loop_clip);
    let count = screw.num_samples();
    for key in 0..=2 * count {
        for poses in [
            [&screw, &path].map(|clip| clip.world_pose(key)),
            [&screw, &path].map(|clip| clip.folded_pose(key)),
        ] {
            for (a, b) in poses[0].translations.iter().zip(&poses[1].translations) {
                assert!((*a - *b).length() < 1e-9);
            }
        }
        // Every cycle adds the same motion in the world.
        let carried = |clip: &LoopClip, key: usize| clip.root_pose(key + count) * clip.root_pose(key).inverse();
        let (cycle, expected) = (carried(&path, key), carried(&screw, 0));
        assert!((cycle.translation - expected.translation).length() < 1e-9);
        assert!((cycle.rotation.dot(expected.rotation).abs() - 1.0).abs() < 1e-12);
    }
    let from_hips = |clip: &LoopClip, key: usize| {
        let hips = clip.world_pose(key).translations[clip.carrier()] - clip.root_pose(key).translation;
        hips.with_y(0.0).length()
    };
    let mean = |clip| (0..count).map(|key| from_hips(clip, key)).sum::<f64>() / count as f64;
    assert!(mean(&path) < 0.8 * mean(&screw), "{} {}", mean(&path), mean(&screw));
    // Its speed stays smoother than that of the hips, also across the seam.
    let roughness = |position: &dyn Fn(usize) -> DVec3| {
        let bend = |key: usize| (position(key + 1) - 2.0 * position(key) + position(key - 1)).length();
        (1..=2 * count).map(bend).fold(0.0, f64::max)
    };
    let root = roughness(&|key| path.root_pose(key).translation);
    let hips = roughness(&|key| path.world_pose(key).translations[path.carrier()]);
    assert!(root < 0.3 * hips, "{root} {hips}");
}

#[test]
fn a_path_needs_one_transform_for_each_sample() {
    let clip = walked(RootMode::Constant).loop_clip;
    let num_samples = clip.num_samples();
    let error = clip.along(vec![Rigid::IDENTITY]).unwrap_err();
    assert_eq!(error, LoopClipError::PathLength { num_samples, found: 1 });
}

/// In the stationary mode the body stands at its start when the cycle ends, and all gaps close there.
#[test]
fn in_stationary_mode_the_body_returns() {
    let made = walked(RootMode::Stationary);
    let clip = &made.loop_clip;
    let count = clip.num_samples();
    assert_eq!(clip.root().twist, Twist::ZERO);
    let (first, after) = (clip.world_pose(0).translations, clip.world_pose(count).translations);
    assert_eq!(first, after);
    assert!(made.closed.residual.position < 1e-9 && made.closed.residual.velocity < 1e-9);
    // In the take itself the body walked on.
    let hips = clip.carrier();
    let walked = made.source.clip.translations(count as isize)[hips] - made.source.clip.translations(0)[hips];
    assert!(walked.length() > 1.0);
}
