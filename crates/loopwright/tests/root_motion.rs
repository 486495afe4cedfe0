//! The root of motions whose travel is known: bodies on exact screws, through turns beyond half and whole ones.

use glam::{DQuat, DVec3};
use loopwright::{
    analysis::{Analysis, body::BodyOverrides},
    candidate::{self, SearchSettings},
    loop_clip::{LoopClip, LoopClipError},
    math::rigid::{Rigid, Twist},
    pipeline::{self, LoopSettings},
    root_motion::RootMode,
    take::{Cut, Joint, Skeleton, Take},
};
use loopwright_synth::{WalkSettings, synthesize};

const FRAME_TIME: f64 = 1.0 / 60.0;

/// Hips with two legs and a head; hips one metre over the frame that travels. With `still_root`, a joint at the origin above.
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
    let joints = rows
        .iter()
        .map(|&(name, parent, rest_offset)| Joint {
            name: name.to_owned(),
            parent,
            rest_offset,
            tip: None,
        })
        .collect();
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for frame in 0..num_frames {
        let root = root(frame as f64 * FRAME_TIME);
        for (joint, row) in rows.iter().enumerate() {
            let carries = joint == hips;
            translations.push(if carries { root.transform_point(row.2) } else { row.2 });
            rotations.push(if carries { root.rotation } else { DQuat::IDENTITY });
        }
    }
    Take::new(
        "screw",
        Skeleton::new(joints).unwrap(),
        FRAME_TIME,
        translations,
        rotations,
    )
    .unwrap()
}

fn made(take: &Take, start: usize, end: usize, mode: RootMode) -> pipeline::Made {
    let analysis = Analysis::of(take, &BodyOverrides::default()).unwrap();
    let cut = Cut::new(take, start as f64, end as f64).unwrap();
    let settings = LoopSettings {
        root: mode,
        ..LoopSettings::default()
    };
    pipeline::make(take, &analysis, &cut, 1, &settings).unwrap()
}

#[test]
fn turns_beyond_half_and_whole_ones_keep_the_length_of_the_path() {
    for degrees in [0.0, 90.0, 170.0, 190.0, -270.0, 330.0, 355.0, 360.0, 405.0_f64] {
        let twist = Twist {
            linear: DVec3::new(0.0, 0.0, 1.2),
            angular: DVec3::Y * degrees.to_radians(),
        };
        let start = Rigid::from_yaw(0.7, DVec3::new(2.0, 0.0, -1.0));
        let take = take_on(|secs| start * twist.exp(secs), 90, false);
        // One second: the turn per period is the turn per second.
        let made = made(&take, 10, 70, RootMode::Screw);
        let found = made.loop_clip.root().twist;
        assert!((found.linear.length() - 1.2).abs() < 0.02 * 1.2, "{degrees}: {found:?}");
        assert!(
            (found.angular.y.to_degrees() - degrees).abs() < 0.5,
            "{degrees}: {found:?}"
        );
    }
}

#[test]
fn a_spin_on_a_straight_path_stays_in_the_body() {
    let spinning = |secs: f64| Rigid::from_yaw(secs * core::f64::consts::TAU, DVec3::new(0.0, 0.0, 1.5 * secs));
    let take = take_on(spinning, 90, false);
    let made = made(&take, 10, 70, RootMode::Screw);
    let found = made.loop_clip.root().twist;
    assert!(found.angular.length() < 1e-6, "{found:?}");
    assert!((found.linear.length() - 1.5).abs() < 1e-6, "{found:?}");
}

#[test]
fn climbs_are_kept_and_small_rises_left_to_the_body() {
    for (climb, kept) in [(0.2, 0.2), (0.02, 0.0)] {
        let twist = Twist {
            linear: DVec3::new(0.0, climb, 1.0),
            angular: DVec3::Y * 0.4,
        };
        let made = made(&take_on(|secs| twist.exp(secs), 90, false), 10, 70, RootMode::Screw);
        assert!((made.loop_clip.root().twist.linear.y - kept).abs() < 1e-9);
    }
}

/// The travel sits on the hips below a root that stays: the loop must carry it on from cycle to cycle all the same.
#[test]
fn the_world_goes_on_over_the_seam_in_every_mode_and_rig() {
    let twist = Twist {
        linear: DVec3::new(0.1, 0.0, 1.3),
        angular: DVec3::Y * 0.9,
    };
    for still_root in [false, true] {
        let take = take_on(|secs| twist.exp(secs), 90, still_root);
        for mode in [RootMode::Screw, RootMode::Keep, RootMode::InPlace] {
            let made = made(&take, 10, 70, mode);
            let clip = &made.loop_clip;
            let hips = usize::from(still_root);
            assert_eq!(clip.carrier(), hips);
            for key in [0, 30, 60, 100, 200] {
                let (world, _) = clip.world_pose(key);
                let expected = match mode {
                    RootMode::InPlace => twist.exp(10.0 * FRAME_TIME),
                    _ => twist.exp((10 + key) as f64 * FRAME_TIME),
                };
                let gap = (world[hips] - expected.transform_point(DVec3::Y)).length();
                assert!(gap < 1e-9, "{mode:?} {still_root} key {key}: {gap}");
            }
        }
    }
}

/// A loop of the synthetic walker.
fn walked(mode: RootMode) -> pipeline::Made {
    let settings = WalkSettings {
        seconds: 6.0,
        turn_dps: 20.0,
        ..WalkSettings::default()
    };
    let take = synthesize(&settings).unwrap().take;
    let analysis = Analysis::of(&take, &BodyOverrides::default()).unwrap();
    let found = candidate::find(&take, &analysis, &SearchSettings::default()).unwrap();
    let settings = LoopSettings {
        root: mode,
        ..LoopSettings::default()
    };
    pipeline::make(&take, &analysis, &found.candidates[0].cut, 1, &settings).unwrap()
}

/// Leading the root along a path moves no joint in the world, and the path is smooth where the hips are not.
#[test]
fn a_root_on_a_path_goes_with_the_hips_and_moves_nothing() {
    let (screw, path) = (walked(RootMode::Screw).loop_clip, walked(RootMode::Path).loop_clip);
    let count = screw.num_samples();
    for key in 0..=2 * count {
        let ((on_screw, _), (on_path, _)) = (screw.world_pose(key), path.world_pose(key));
        for (a, b) in on_screw.iter().zip(&on_path) {
            assert!((*a - *b).length() < 1e-9);
        }
        let ((on_screw, _), (on_path, _)) = (screw.folded_pose(key), path.folded_pose(key));
        for (a, b) in on_screw.iter().zip(&on_path) {
            assert!((*a - *b).length() < 1e-9);
        }
        // Every cycle adds the same motion in the world.
        let carried = |clip: &LoopClip, key: usize| clip.root_pose(key + count) * clip.root_pose(key).inverse();
        let (cycle, expected) = (carried(&path, key), carried(&screw, 0));
        assert!((cycle.translation - expected.translation).length() < 1e-9);
        assert!((cycle.rotation.dot(expected.rotation).abs() - 1.0).abs() < 1e-12);
    }
    let from_hips = |clip: &LoopClip, key: usize| {
        let hips = clip.world_pose(key).0[clip.carrier()] - clip.root_pose(key).translation;
        DVec3::new(hips.x, 0.0, hips.z).length()
    };
    let mean = |clip| (0..count).map(|key| from_hips(clip, key)).sum::<f64>() / count as f64;
    assert!(mean(&path) < 0.8 * mean(&screw), "{} {}", mean(&path), mean(&screw));
    // Its speed stays calmer than that of the hips, also over the seam.
    let roughness = |place: &dyn Fn(usize) -> DVec3| {
        (1..=2 * count)
            .map(|key| (place(key + 1) - 2.0 * place(key) + place(key - 1)).length())
            .fold(0.0, f64::max)
    };
    let root = roughness(&|key| path.root_pose(key).translation);
    let hips = roughness(&|key| path.world_pose(key).0[path.carrier()]);
    assert!(root < 0.3 * hips, "{root} {hips}");
}

#[test]
fn a_path_needs_one_place_for_each_sample() {
    let clip = walked(RootMode::Screw).loop_clip;
    let num_samples = clip.num_samples();
    assert_eq!(
        clip.along(vec![Rigid::IDENTITY]).unwrap_err(),
        LoopClipError::PathLength { num_samples, found: 1 }
    );
}

/// In the world's own mode the body stands where it started when the cycle ends, and everything meets there.
#[test]
fn in_the_world_the_body_comes_back() {
    let made = walked(RootMode::World);
    let clip = &made.loop_clip;
    let count = clip.num_samples();
    assert_eq!(clip.root().twist, Twist::ZERO);
    let ((first, _), (after, _)) = (clip.world_pose(0), clip.world_pose(count));
    assert_eq!(first, after);
    assert!(made.closed.residual.position < 1e-9 && made.closed.residual.velocity < 1e-9);
    // The take itself walked on.
    let hips = clip.carrier();
    let walked = made.source.clip.translations(count as isize)[hips] - made.source.clip.translations(0)[hips];
    assert!(walked.length() > 1.0);
}
