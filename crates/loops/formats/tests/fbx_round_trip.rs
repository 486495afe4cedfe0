//! FBX: takes and loops with known truth are written, as new files or into existing ones, and read again.

use core::f64::consts::TAU;

use glam::{DQuat, DVec3};
use loopwright_core::{
    LoopClip, RootMotion,
    math::{Rigid, Twist, rotation},
};
use loopwright_formats::{
    AnimationChoice, FileWarning, Format, LoadedTake, LoopWriteSettings, ReadSettings, Source, SpaceSettings,
    UnitChoice, UpChoice, WriteError, read_take, write_loop, write_take,
};

use crate::support::{self, loop_of, skeleton, take_of};

fn read(bytes: &[u8], animation: AnimationChoice) -> (LoadedTake, Vec<FileWarning>) {
    let settings = ReadSettings {
        space: SpaceSettings::new(UpChoice::Auto, UnitChoice::Metres(0.01)),
        animation,
        ..ReadSettings::default()
    };
    let mut warnings = Vec::new();
    let loaded = read_take(bytes, "t", &settings, &mut warnings).unwrap();
    (loaded, warnings)
}

const DEGREES: f64 = 1e-3;

#[test]
fn any_rate_survives() {
    // Rates in hertz, and frame times as BVH files round them, which must not drift.
    #[rustfmt::skip]
    let rates = [23.976_023_976, 24.0, 25.0, 29.97, 30.0, 59.940_059_94, 60.0, 120.0, 45.5, 240.0, 1.5];
    let rows = rates.map(|rate_hz| (1.0 / rate_hz, 40, 4e-5));
    let rounded = [0.008_333_33, 0.016_667, 0.033_333].map(|secs| (secs, 1500, 2e-3));
    for (frame_time_secs, num_frames, most_frames_off) in rows.into_iter().chain(rounded) {
        let take = take_of(clip(1.0).skeleton(), frame_time_secs, num_frames, |frame, _| {
            (DVec3::Y, DQuat::from_rotation_x(0.001 * frame as f64))
        });
        let again = read(&support::written(&take, Format::Fbx), AnimationChoice::Auto)
            .0
            .take;
        assert_eq!(again.num_frames(), num_frames, "{frame_time_secs}");
        let frames_off = (again.frame_time_secs() / frame_time_secs - 1.0).abs() * num_frames as f64;
        assert!(frames_off < most_frames_off, "{frame_time_secs}: {frames_off} frames");
    }
}

/// Returns a loop that moves on a screw and rotates its arm through whole turns.
fn clip(turn_radians: f64) -> LoopClip {
    let skeleton = skeleton(&[
        ("Hips", None, DVec3::Y),
        ("Spine", Some(0), DVec3::new(0.0, 0.3, 0.0)),
        ("Arm", Some(1), DVec3::new(0.2, 0.1, 0.0)),
        ("Root", Some(0), DVec3::new(0.0, -0.9, 0.1)),
    ]);
    let take = take_of(&skeleton, 1.0 / 30.0, 24, |sample, joint| {
        let phase = TAU * sample as f64 / 24.0;
        let turn = [
            DVec3::new(0.1 * phase.sin(), 0.2 * phase.cos(), 0.0),
            DVec3::new(0.0, 0.5 * phase.sin(), 0.3),
            DVec3::new(phase, 0.0, 0.0),
            DVec3::ZERO,
        ];
        (skeleton.joint(joint).rest_offset, rotation::exp(turn[joint]))
    });
    let root = RootMotion::new(
        Rigid {
            rotation: rotation::from_yaw(0.4),
            translation: DVec3::new(0.5, 0.0, -2.0),
        },
        Twist::new(DVec3::new(0.1, 0.0, 1.4), DVec3::Y * turn_radians),
    );
    loop_of(&take, 24, 0, root).named("walk")
}

/// Returns a form of a new file for the joints of a clip.
fn fresh(clip: &LoopClip) -> Source {
    let take = take_of(clip.skeleton(), 0.1, 1, |_, _| (DVec3::ZERO, DQuat::IDENTITY));
    Source::for_take(&take, Format::Fbx)
}

#[test]
fn the_closing_key_is_the_first_pose() {
    let clip = clip(0.0);
    let written = write_loop(&clip, &fresh(&clip), &LoopWriteSettings::default()).unwrap();
    let (loaded, _) = read(&written.bytes, AnimationChoice::Auto);
    for joint in 0..4 {
        let [first, last] = [0, 24].map(|key| loaded.take.rotations(key)[joint]);
        let off = rotation::difference(first, last).length().to_degrees();
        // The arm has made a whole turn, which its angles show.
        assert!(off < DEGREES, "joint {joint}: {off} degrees");
    }
}

#[test]
fn what_is_longer_than_ticks_count_is_refused() {
    let long = take_of(clip(0.0).skeleton(), 9e3, 20_000, |_, _| (DVec3::ZERO, DQuat::IDENTITY));
    let refused = write_take(&long, &Source::for_take(&long, Format::Fbx));
    assert!(matches!(refused, Err(WriteError::TooLong { .. })));
}

/// A pose is a take of one frame, in every format.
#[test]
fn a_take_of_one_frame_comes_back() {
    let take = take_of(
        &skeleton(&[("Hips", None, DVec3::Y), ("Head", Some(0), DVec3::Y)]),
        1.0 / 30.0,
        1,
        |_, joint| (DVec3::Y * (1.0 + joint as f64), DQuat::from_rotation_x(0.3)),
    );
    let (loaded, _) = read(&support::written(&take, Format::Fbx), AnimationChoice::Auto);
    assert_eq!((loaded.take.num_frames(), loaded.take.num_joints()), (1, 2));
    let known = take.world_tracks();
    for joint in 0..2 {
        assert!(
            loaded
                .take
                .world_tracks()
                .position(0, joint)
                .distance(known.position(0, joint))
                < 1e-5
        );
    }
}

#[test]
fn keys_beyond_the_stated_span_are_read() {
    let take = take_of(clip(1.0).skeleton(), 1.0 / 30.0, 31, |frame, _| {
        (DVec3::Y, DQuat::from_rotation_x(0.02 * frame as f64))
    });
    let mut bytes = support::written(&take, Format::Fbx);
    let [end, half] = [1.0, 0.5].map(|secs| ((secs * 46_186_158_000.0) as i64).to_le_bytes());
    let stops = ["LocalStop", "ReferenceStop"].map(|word| {
        let at = bytes
            .windows(word.len())
            .position(|part| part == word.as_bytes())
            .unwrap();
        at + bytes[at..].windows(8).position(|part| part == end).unwrap()
    });
    stops
        .into_iter()
        .for_each(|stop| bytes[stop..stop + 8].copy_from_slice(&half));
    let (again, warnings) = read(&bytes, AnimationChoice::Auto);
    assert_eq!(again.take.num_frames(), 31);
    let found = warnings.iter().find_map(|warning| match warning {
        FileWarning::AnimationLonger {
            keys_end_secs,
            stated_secs,
        } => Some([*keys_end_secs, *stated_secs]),
        _ => None,
    });
    assert!(
        found.is_some_and(|[keys, stated]| (keys - 1.0).abs() + (stated - 0.5).abs() < 1e-6),
        "{warnings:?}"
    );
}
