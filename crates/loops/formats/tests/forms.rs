//! What is the same in every format: a take that is written is read again, as near as the format's numbers are, and what none can hold is
//! refused.

use glam::{DQuat, DVec3};
use loopwright_core::{RootMotion, Skeleton};
use loopwright_formats::{
    Format, LoopWriteSettings, ReadError, ReadSettings, Source, SpaceSettings, UnitChoice, Up, UpChoice, WriteError,
    read_take, write_loop, write_take,
};

use crate::support::{distance, loop_of, read, skeleton, take_of, walk, written};

/// A format, and how far joints and frame times are off that come back: metres, degrees, seconds.
type Row = (Format, f64, f64, f64);

fn formats() -> Vec<Row> {
    let mut rows = vec![
        (Format::Bvh, 1e-7, 0.01, 1e-9),
        (Format::Glb, 1e-5, 0.01, 1.6e-8),
        (Format::Gltf, 1e-5, 0.01, 1.6e-8),
    ];
    // Without the feature FBX is written, and not read back.
    rows.extend(cfg!(feature = "fbx").then_some((Format::Fbx, 1e-5, 1e-3, 1e-9)));
    rows
}

#[test]
fn a_take_comes_back() {
    let take = walk();
    for (format, far, turned, secs) in formats() {
        let written = write_take(&take, &Source::for_take(&take, format)).unwrap();
        assert_eq!(written.warnings, [], "{format:?}");
        let (loaded, warnings) = read(&written.bytes, Default::default()).unwrap();
        assert_eq!((loaded.source.format(), warnings), (format, vec![]));
        let (space, again) = (loaded.source.space(), &loaded.take);
        assert!(format != Format::Bvh || (space.up, space.unit_metres) == (Up::Y, 0.01));
        // BVH has no names of animations.
        let (named, name) = if format == Format::Bvh {
            (None, "t")
        } else {
            (Some(take.name()), take.name())
        };
        let found = if let Source::Fbx(form) = &loaded.source {
            form.animation()
        } else {
            again.name()
        };
        assert_eq!((written.animation.as_deref(), found), (named, name), "{format:?}");
        assert!(
            (again.frame_time_secs() - take.frame_time_secs()).abs() < secs,
            "{format:?}"
        );
        let (metres, degrees) = distance(&take, again);
        assert!(
            metres < far && degrees < turned,
            "{format:?}: {metres} m, {degrees} degrees"
        );
        for (before, after) in take.skeleton().joints().iter().zip(again.skeleton().joints()) {
            assert_eq!((&before.name, before.parent), (&after.name, after.parent));
            assert!(before.rest_offset.distance(after.rest_offset) < 1e-6, "{format:?}");
        }
    }
}

#[test]
fn what_a_format_does_not_hold_is_refused() {
    let bones = skeleton(&[("Hips", None, DVec3::Y), ("Spine", Some(0), DVec3::new(0.0, 0.3, 0.0))]);
    let standing = |skeleton: &Skeleton, hips: DVec3| {
        let at = |joint: usize| {
            if joint == 0 {
                hips
            } else {
                skeleton.joint(joint).rest_offset
            }
        };
        take_of(skeleton, 0.1, 4, |_, joint| (at(joint), DQuat::IDENTITY))
    };
    let take = standing(&bones, DVec3::Y);
    let clip = loop_of(&take, 4, 0, RootMotion::NONE);
    let hips = Skeleton::new(bones.joints()[..1].to_vec()).unwrap();
    for (format, ..) in formats() {
        let source = Source::for_take(&take, format);
        let write = |copies: usize| {
            let settings = LoopWriteSettings {
                copies,
                ..LoopWriteSettings::default()
            };
            write_loop(&clip, &source, &settings).unwrap_err()
        };
        assert_eq!(write(0), WriteError::NoCopies, "{format:?}");
        assert!(
            matches!(write(usize::MAX), WriteError::TooManyKeys { .. }),
            "{format:?}"
        );
        if matches!(format, Format::Bvh | Format::Fbx) {
            let far = write_take(&standing(&bones, DVec3::X * 9e8), &source);
            assert_eq!(far, Err(WriteError::OutOfRange { key: 0, joint: 0 }), "{format:?}");
        }
        if format != Format::Fbx {
            let other = write_take(&standing(&hips, DVec3::Y), &source);
            let expected = WriteError::JointCount { expected: 2, found: 1 };
            assert_eq!(other, Err(expected), "{format:?}");
        }
    }
}

#[test]
fn a_unit_of_no_length_is_refused() {
    let space = SpaceSettings::new(UpChoice::Auto, UnitChoice::Metres(0.0));
    let bytes = written(&walk(), Format::Bvh);
    let refused = read_take(&bytes, "t", &ReadSettings::in_space(space), &mut Vec::new());
    assert_eq!(refused.unwrap_err(), ReadError::Unit { found: 0.0 });
}
