//! FBX: takes and loops with known truth are written, as new files or into existing ones, and read again.

#![cfg(feature = "fbx")]

use core::f64::consts::TAU;

use glam::{DQuat, DVec3};
use loopwright::{
    Joint, LoopClip, RootMotion, Skeleton, Take,
    math::{Rigid, Twist, rotation},
};
use loopwright_formats::{
    AnimationChoice, ClosingKey, Format, LoadedTake, LoopWriteSettings, ReadSettings, Source, SpaceSettings,
    UnitChoice, UpChoice, Warning, WriteError, read_take, write_loop, write_take,
};
use loopwright_synth::{WalkSettings, synthesize};

fn walk() -> Take {
    synthesize(&WalkSettings::default()).unwrap().take
}

fn read(bytes: &[u8], animation: AnimationChoice<'_>) -> (LoadedTake, Vec<Warning>) {
    let settings = ReadSettings {
        space: SpaceSettings {
            up: UpChoice::Auto,
            unit: UnitChoice::Metres(0.01),
        },
        animation,
        ..ReadSettings::default()
    };
    let mut warnings = Vec::new();
    let loaded = read_take(bytes, "t", &settings, &mut warnings).unwrap();
    (loaded, warnings)
}

/// Largest difference of a joint in the world, in metres, and of its local rotation, in degrees.
fn difference(take: &Take, frame: usize, (positions, rotations): (&[DVec3], &[DQuat])) -> (f64, f64) {
    let found = take.pose(frame).world(take.skeleton()).translations;
    let mut farthest = (0.0_f64, 0.0_f64);
    for joint in 0..positions.len() {
        let turn = rotation::difference(take.rotations(frame)[joint], rotations[joint]).length();
        farthest.0 = farthest.0.max(found[joint].distance(positions[joint]));
        farthest.1 = farthest.1.max(turn.to_degrees());
    }
    farthest
}

/// Single precision of keys, at a few metres from the origin and a few turns.
const METRES: f64 = 1e-5;
const DEGREES: f64 = 1e-3;

#[test]
fn a_take_survives() {
    let take = walk();
    let written = write_take(&take, &Source::for_take(&take, Format::Fbx)).unwrap();
    assert_eq!(written.warnings, []);
    assert_eq!(written.animation.as_deref(), Some(take.name()));
    let mut warnings = Vec::new();
    let LoadedTake { take: again, source } =
        read_take(&written.bytes, "t", &ReadSettings::default(), &mut warnings).unwrap();
    assert_eq!(warnings, []);
    let Source::Fbx(form) = &source else {
        panic!("an FBX file")
    };
    assert_eq!(form.animation(), take.name());
    assert_eq!(
        (again.num_frames(), again.num_joints()),
        (take.num_frames(), take.num_joints())
    );
    assert!((again.frame_time_secs() - take.frame_time_secs()).abs() < 1e-9);
    for (one, other) in again.skeleton().joints().iter().zip(take.skeleton().joints()) {
        assert_eq!((&one.name, one.parent), (&other.name, other.parent));
        assert!(one.rest_offset.distance(other.rest_offset) < 1e-6);
    }
    let world = take.world_tracks();
    for frame in 0..take.num_frames() {
        let positions: Vec<DVec3> = (0..take.num_joints())
            .map(|joint| world.position(frame, joint))
            .collect();
        let (metres, degrees) = difference(&again, frame, (&positions, take.rotations(frame)));
        assert!(
            metres < METRES && degrees < DEGREES,
            "frame {frame}: {metres} m, {degrees} degrees"
        );
    }
}

#[test]
fn any_rate_survives() {
    for rate_hz in [
        23.976_023_976,
        24.0,
        25.0,
        29.97,
        30.0,
        59.940_059_94,
        60.0,
        120.0,
        45.5,
        240.0,
        1.5,
    ] {
        let skeleton = clip(1.0).skeleton().clone();
        let count = 40 * skeleton.num_joints();
        let translations = (0..count)
            .map(|index| DVec3::new(0.0, 0.1, 0.001 * index as f64))
            .collect();
        let take = Take::new("t", skeleton, 1.0 / rate_hz, translations, vec![DQuat::IDENTITY; count]).unwrap();
        let written = write_take(&take, &Source::for_take(&take, Format::Fbx)).unwrap();
        let (loaded, _) = read(&written.bytes, AnimationChoice::Auto);
        assert_eq!(loaded.take.num_frames(), 40, "{rate_hz}");
        assert!((loaded.take.frame_rate_hz() / rate_hz - 1.0).abs() < 1e-6, "{rate_hz}");
    }
}

#[test]
fn rates_near_whole_ones_do_not_drift() {
    // Frame times as BVH files round them: 0.00833333, 0.016667, 0.033333.
    for frame_time_secs in [0.008_333_33, 0.016_667, 0.033_333] {
        let skeleton = clip(1.0).skeleton().clone();
        let num_frames = 1500;
        let count = num_frames * skeleton.num_joints();
        let translations = vec![DVec3::Y; count];
        let turn = |index: usize| DQuat::from_rotation_x(0.001 * (index / skeleton.num_joints()) as f64);
        let rotations = (0..count).map(turn).collect();
        let take = Take::new("t", skeleton.clone(), frame_time_secs, translations, rotations).unwrap();
        let written = write_take(&take, &Source::for_take(&take, Format::Fbx)).unwrap();
        let again = read(&written.bytes, AnimationChoice::Auto).0.take;
        assert_eq!(again.num_frames(), num_frames);
        let frames_off = (again.frame_time_secs() / frame_time_secs - 1.0).abs() * num_frames as f64;
        assert!(frames_off < 2e-3, "{frame_time_secs}: {frames_off} frames");
    }
}

/// A loop that moves on a screw and rotates its arm through whole turns.
fn clip(turn_radians: f64) -> LoopClip {
    let joint = |name: &str, parent, rest_offset| Joint {
        name: name.to_owned(),
        parent,
        rest_offset,
        tip: None,
    };
    let skeleton = Skeleton::new(vec![
        joint("Hips", None, DVec3::Y),
        joint("Spine", Some(0), DVec3::new(0.0, 0.3, 0.0)),
        joint("Arm", Some(1), DVec3::new(0.2, 0.1, 0.0)),
        joint("Root", Some(0), DVec3::new(0.0, -0.9, 0.1)),
    ])
    .unwrap();
    let num_samples = 24;
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for sample in 0..num_samples {
        let phase = TAU * f64::from(sample) / f64::from(num_samples);
        translations.extend(skeleton.joints().iter().map(|joint| joint.rest_offset));
        rotations.extend([
            rotation::exp(DVec3::new(0.1 * phase.sin(), 0.2 * phase.cos(), 0.0)),
            rotation::exp(DVec3::new(0.0, 0.5 * phase.sin(), 0.3)),
            rotation::exp(DVec3::new(phase, 0.0, 0.0)),
            DQuat::IDENTITY,
        ]);
    }
    let root = RootMotion {
        twist: Twist {
            angular: DVec3::Y * turn_radians,
            linear: DVec3::new(0.1, 0.0, 1.4),
        },
        start: Rigid {
            rotation: rotation::from_yaw(0.4),
            translation: DVec3::new(0.5, 0.0, -2.0),
        },
    };
    LoopClip::new(
        "walk",
        loopwright::motion::Tracks::new(skeleton, 1.0 / 30.0, translations, rotations).unwrap(),
        0,
        root,
    )
    .unwrap()
}

/// Compares the keys of a written loop with the clip.
fn assert_keys(take: &Take, clip: &LoopClip, num_keys: usize, num_added: usize) {
    assert_eq!(
        (take.num_frames(), take.num_joints()),
        (num_keys, clip.skeleton().num_joints() + num_added)
    );
    for key in 0..num_keys {
        let positions = clip.world_pose(key).translations;
        let found = take.pose(key).world(take.skeleton()).translations;
        for (joint, position) in positions.iter().enumerate() {
            let off = found[joint + num_added].distance(*position);
            assert!(off < METRES, "key {key}, joint {joint}: {off} m");
        }
    }
}

#[test]
fn loops_survive_in_every_layout() {
    let fresh = |clip: &LoopClip| {
        let one = vec![DVec3::ZERO; 4];
        let take = Take::new("t", clip.skeleton().clone(), 0.1, one, vec![DQuat::IDENTITY; 4]).unwrap();
        Source::for_take(&take, Format::Fbx)
    };
    for turn in [0.0, 2.5] {
        let clip = clip(turn);
        for (closing_key, copies, add_root, num_keys) in [
            (ClosingKey::Repeat, 1, false, 25),
            (ClosingKey::Drop, 1, false, 24),
            (ClosingKey::Repeat, 3, true, 73),
            (ClosingKey::Drop, 2, true, 48),
        ] {
            let settings = LoopWriteSettings {
                closing_key,
                copies,
                add_root,
                in_place: false,
                ..LoopWriteSettings::default()
            };
            let num_added = usize::from(add_root);
            let written = write_loop(&clip, &fresh(&clip), &settings).unwrap();
            assert_eq!(written.animation.as_deref(), Some("walk-loop"));
            let (loaded, _) = read(&written.bytes, AnimationChoice::Auto);
            assert_keys(&loaded.take, &clip, num_keys, num_added);
            assert!((loaded.take.frame_time_secs() - clip.step_secs()).abs() < 1e-9);
            if add_root {
                // The name "root" is in use, in another case.
                assert_eq!(loaded.take.skeleton().joint(0).name, "root_motion");
            }

            // The same into a file that already holds another animation of the skeleton.
            let other = write_loop(&self::clip(1.0), &fresh(&clip), &LoopWriteSettings::default()).unwrap();
            let (file, _) = read(&other.bytes, AnimationChoice::Auto);
            let written = write_loop(&clip, &file.source, &settings).unwrap();
            assert_eq!(written.animation.as_deref(), Some("walk_2-loop"));
            let (loaded, warnings) = read(&written.bytes, AnimationChoice::Loop);
            assert_eq!((loaded.take.name(), warnings), ("walk_2-loop", vec![]));
            assert_keys(&loaded.take, &clip, num_keys, num_added);
            // The existing animation is unchanged.
            let (kept, _) = read(&written.bytes, AnimationChoice::Given("walk-loop"));
            let known = file.take.world_tracks();
            let kept = kept.take.world_tracks();
            for frame in 0..25 {
                for joint in 0..4 {
                    let off = kept
                        .position(frame, joint + num_added)
                        .distance(known.position(frame, joint));
                    assert!(off < 1e-9, "{off} m");
                }
            }
        }
    }
}

#[test]
fn the_closing_key_is_the_first_pose() {
    let clip = clip(0.0);
    let one = vec![DVec3::ZERO; 4];
    let take = Take::new("t", clip.skeleton().clone(), 0.1, one, vec![DQuat::IDENTITY; 4]).unwrap();
    let source = Source::for_take(&take, Format::Fbx);
    let written = write_loop(&clip, &source, &LoopWriteSettings::default()).unwrap();
    let (loaded, _) = read(&written.bytes, AnimationChoice::Auto);
    for joint in 0..4 {
        let [first, last] = [0, 24].map(|key| loaded.take.rotations(key)[joint]);
        let off = rotation::difference(first, last).length().to_degrees();
        // The arm has made a whole turn, which its angles show.
        assert!(off < DEGREES, "joint {joint}: {off} degrees");
    }
}

#[test]
fn what_cannot_be_written_is_refused() {
    let clip = clip(0.0);
    let one = |metres| {
        let positions = vec![DVec3::Y * metres; 4];
        Take::new("t", clip.skeleton().clone(), 0.1, positions, vec![DQuat::IDENTITY; 4]).unwrap()
    };
    let source = Source::for_take(&one(1.0), Format::Fbx);
    let settings = LoopWriteSettings {
        copies: 0,
        ..LoopWriteSettings::default()
    };
    assert_eq!(write_loop(&clip, &source, &settings), Err(WriteError::NoCopies));
    let settings = LoopWriteSettings {
        copies: 10_000_000,
        ..LoopWriteSettings::default()
    };
    assert!(matches!(
        write_loop(&clip, &source, &settings),
        Err(WriteError::TooManyKeys { .. })
    ));
    assert_eq!(
        write_take(&one(1e8), &source),
        Err(WriteError::OutOfRange { key: 0, joint: 0 })
    );
    let frames = vec![DVec3::ZERO; 4 * 20_000];
    let rotations = vec![DQuat::IDENTITY; 4 * 20_000];
    let long = Take::new("t", clip.skeleton().clone(), 9e3, frames, rotations).unwrap();
    assert!(matches!(write_take(&long, &source), Err(WriteError::TooLong { .. })));
}
