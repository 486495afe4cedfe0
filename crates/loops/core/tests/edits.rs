//! Edits keep a loop closed: what they add repeats with it, and the seam is no special place.

use core::f64::consts::TAU;

use glam::{DQuat, DVec3};
use loopwright_core::{
    BodyOverrides, LoopClip, RootMotion, Take,
    analysis::Body,
    edit::{self, Aim, BodyTurn, EditError, JointOffset, LoopEdit, Moment, Move, Noise, Offset, Smooth, Swing, bump},
    math::{Rigid, rotation},
};

use crate::support::{
    chain,
    characters::{Character, PLAIN, character, walk},
    clip_of, root, twist,
};

const COUNT: usize = 60;
const STEP: f64 = 1.0 / 50.0;

/// Returns a chain of four joints that swing in a few harmonics of the period.
fn swinging() -> LoopClip {
    swinging_from(0)
}

/// Returns the same loop started at another sample.
fn swinging_from(first: usize) -> LoopClip {
    let skeleton = chain(&["a", "b", "c", "d"], DVec3::Y * 0.3);
    let start = Rigid::from_yaw(0.4, DVec3::new(1.0, 0.0, 2.0));
    let root = root(start, twist(DVec3::new(0.1, 0.0, 1.3), DVec3::Y * 0.2));
    clip_of(skeleton, STEP, COUNT, root, |share, joint| {
        let sample = (share * COUNT as f64).round() as usize;
        let phase = TAU * ((sample + first) % COUNT) as f64 / COUNT as f64 + 0.7 * joint as f64;
        let [x, y, z] = [
            libm::sin(phase),
            0.4 * libm::cos(2.0 * phase),
            0.2 * libm::sin(3.0 * phase),
        ];
        let swing = DVec3::new(x, y, z);
        (DVec3::Y * 0.3 + swing * 0.02, rotation::exp(swing * 0.9))
    })
}

fn apply(clip: LoopClip, edits: &[LoopEdit], root_joint: Option<usize>) -> Result<LoopClip, EditError> {
    let take = Take::from_tracks("loop", clip.tracks().clone()).unwrap();
    let body = Body::find(&take, &BodyOverrides::default()).unwrap();
    edit::apply(clip, edits, root_joint, &body)
}

fn edited(clip: LoopClip, edit: LoopEdit) -> LoopClip {
    apply(clip, &[edit], None).unwrap()
}

fn offset() -> JointOffset {
    JointOffset {
        rotation: DVec3::new(0.5, -0.3, 0.8),
        position: DVec3::new(0.01, 0.2, -0.05),
    }
}

fn moved(at: Moment, width_secs: f64) -> LoopEdit {
    LoopEdit::Move(Move {
        joint: 2,
        at,
        width_secs: Some(width_secs),
        offset: offset(),
    })
}

/// Returns the largest distance of rotations, radians, and of translations, metres, between two loops, the second from a later
/// sample on.
fn distance(one: &LoopClip, other: &LoopClip, later: usize) -> f64 {
    let mut most: f64 = 0.0;
    for sample in 0..COUNT {
        let (a, b) = (one.body_pose(sample + later), other.body_pose(sample));
        for joint in 0..4 {
            let turned = rotation::difference(a.rotations[joint], b.rotations[joint]).length();
            let moved = (a.translations[joint] - b.translations[joint]).length();
            most = most.max(turned).max(moved);
        }
    }
    most
}

/// Returns what `after` adds to `before`, by the formula: rotation vector and position of a joint.
fn added(before: &LoopClip, after: &LoopClip, joint: usize, sample: usize) -> JointOffset {
    let [before, after] = [before, after].map(|clip| clip.body_pose(sample).joint(joint));
    JointOffset {
        rotation: rotation::difference(after.rotation, before.rotation),
        position: after.translation - before.translation,
    }
}

/// At the seam, before it and behind it, the offset is the bump: with it pose, velocity and acceleration meet.
#[test]
fn a_move_adds_the_bump_wherever_its_middle_lies() {
    let clip = swinging();
    let period = clip.period_secs();
    for (middle, width) in [
        (0.0, 0.5),
        (period, 0.5),
        (0.03, 0.3),
        (-0.21, 0.5),
        (0.6, period),
        (7.3, 0.2),
    ] {
        let after = edited(swinging(), moved(Moment::Secs(middle), width));
        for sample in 0..COUNT {
            // The bump summed over its images in nearby periods, instead of taken the short way around.
            let times = (-12..12).map(|cycle| sample as f64 * STEP - middle + f64::from(cycle) * period);
            let share: f64 = times.map(|secs| bump(secs, 0.5 * width)).sum();
            let found = added(&clip, &after, 2, sample);
            let off = (found.rotation - offset().rotation * share).length()
                + (found.position - offset().position * share).length();
            assert!(off < 1e-13, "{middle} {sample}");
            let [before, after] = [&clip, &after].map(|clip| clip.body_pose(sample));
            for other in [0, 1, 3] {
                assert_eq!(before.joint(other), after.joint(other));
            }
        }
    }
    let by_phase = edited(swinging(), moved(Moment::Phase(0.25), 0.4));
    assert_eq!(by_phase, edited(swinging(), moved(Moment::Secs(0.25 * period), 0.4)));
}

fn offset_of(joint: usize, offset: JointOffset) -> LoopEdit {
    let turn = BodyTurn::default();
    LoopEdit::Offset(Offset { joint, offset, turn })
}

/// The turn of a joint in the axes of the body, X left and Z ahead, by angles of raise, spread and twist.
fn turned(clip: &LoopClip, faces: f64, joint: &str, angles: [f64; 3]) -> Result<DQuat, EditError> {
    let joint = clip.skeleton().find(joint).unwrap();
    let [raise, spread, twist] = angles;
    let edit = Offset {
        joint,
        offset: JointOffset::ZERO,
        turn: BodyTurn { raise, spread, twist },
    };
    let after = apply(clip.clone(), &[edit.into()], None)?;
    let [before, after] = [clip, &after].map(|clip| clip.body_pose(0).world(clip.skeleton()).rotations[joint]);
    let facing = rotation::from_yaw(faces);
    Ok(facing.conjugate() * after * before.conjugate() * facing)
}

/// A body that stands with hanging arms, faces aside, and whose joints all have axes of their own.
#[test]
fn raise_spread_and_twist_do_the_same_whatever_the_axes_of_joints() {
    let faces = 0.7;
    let take = character(
        &walk(),
        Character {
            has_own_axes: true,
            arms_down: 1.2,
            faces,
            ..PLAIN
        },
    );
    let pose = take.pose(0);
    let clip = clip_of(take.skeleton().clone(), STEP, 8, RootMotion::NONE, |_, joint| {
        (pose.translations[joint], pose.rotations[joint])
    });
    let by = |joint: &str, angles: [f64; 3]| turned(&clip, faces, joint, angles).unwrap();
    let at = |joint: &str| take.world_tracks().position(0, take.skeleton().find(joint).unwrap());
    let near = |found: DVec3, wanted: DVec3| assert!((found - wanted).length() < 1e-9, "{found}, not {wanted}");
    let (sin, cos) = (libm::sin(0.3), libm::cos(0.3));
    for (joint, end) in [
        ("upperarm", "lowerarm"),
        ("lowerarm", "hand"),
        ("thigh", "calf"),
        ("foot", "ball"),
    ] {
        for (side, out) in [("l", 1.0), ("r", -1.0)] {
            let [joint, end] = [joint, end].map(|name| format!("{name}_{side}"));
            let bone = (rotation::from_yaw(-faces) * (at(&end) - at(&joint))).normalize();
            let raised = by(&joint, [0.3, 0.0, 0.0]);
            near(raised * DVec3::X, DVec3::X);
            assert!((raised * bone - bone).dot(DVec3::Y + DVec3::Z) > 0.2, "{joint}");
            let spread = by(&joint, [0.0, 0.3, 0.0]) * bone;
            let away = out * (libm::asin(spread.x) - libm::asin(bone.x));
            assert!((away - 0.3).abs() < 1e-9, "{joint}: {away}");
            let twisted = by(&joint, [0.0, 0.0, 0.3]);
            near(twisted * bone, bone);
            let front = if bone.y < -0.7 { DVec3::Z } else { DVec3::Y };
            assert!(out * (twisted * front).x < -0.2, "{joint}");
        }
    }
    // All three at once turn both sides as mirror images; a hand without fingers has a bone, too.
    for joint in ["upperarm", "lowerarm", "hand", "thigh", "calf", "foot", "ball"] {
        let [left, right] = ["l", "r"].map(|side| by(&format!("{joint}_{side}"), [0.3, 0.2, -0.4]));
        let mirror = DVec3::new(-1.0, 1.0, 1.0);
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            near(right * (axis * mirror), left * axis * mirror);
        }
    }
    for joint in ["pelvis", "spine_02", "neck_01", "head"] {
        near(by(joint, [0.3, 0.0, 0.0]) * DVec3::Z, DVec3::new(0.0, sin, cos));
        near(by(joint, [0.0, 0.3, 0.0]) * DVec3::Y, DVec3::new(sin, cos, 0.0));
        near(by(joint, [0.0, 0.0, 0.3]) * DVec3::Z, DVec3::new(sin, 0.0, cos));
    }
    // Collar bones point aside.
    let lifted = by("clavicle_r", [0.0, 0.3, 0.0]) * DVec3::NEG_X;
    assert!((lifted.y - sin).abs() < 0.01, "{lifted}");
    let refused = turned(&clip, faces, "clavicle_l", [0.3, 0.0, 0.0]);
    assert!(matches!(refused, Err(EditError::PointsAside { .. })), "{refused:?}");
    let refused = turned(&swinging(), 0.0, "c", [0.3, 0.0, 0.0]);
    assert!(matches!(refused, Err(EditError::NoBodyAxes { .. })), "{refused:?}");
    let refused = turned(&clip, faces, "head", [f64::NAN, 0.0, 7.0]);
    assert!(matches!(refused, Err(EditError::Rotation { .. })), "{refused:?}");
    // A rotation out of range is refused with a turn, too.
    let edit = Offset {
        joint: clip.skeleton().find("head").unwrap(),
        offset: JointOffset {
            rotation: DVec3::X * 7.0,
            ..JointOffset::ZERO
        },
        turn: BodyTurn {
            raise: 0.3,
            ..BodyTurn::default()
        },
    };
    let refused = apply(clip.clone(), &[edit.into()], None);
    assert!(matches!(refused, Err(EditError::Rotation { .. })), "{refused:?}");
}

/// An edited loop that starts elsewhere is the loop that starts elsewhere, edited: nothing tells where the seam is.
#[test]
fn the_seam_is_no_special_place() {
    for later in [1, 17, COUNT / 2, COUNT - 1] {
        let secs = later as f64 * STEP;
        for (here, there) in [
            (moved(Moment::Secs(0.02), 0.5), moved(Moment::Secs(0.02 - secs), 0.5)),
            (offset_of(1, offset()), offset_of(1, offset())),
            (swing(0.4), swing(0.4)),
            (smooth(0.08), smooth(0.08)),
            (smooth(0.5), smooth(0.5)),
        ] {
            let (one, other) = (edited(swinging(), here.clone()), edited(swinging_from(later), there));
            let away = distance(&one, &other, later);
            assert!(away < 1e-13, "{here:?} {later}: {away}");
        }
    }
}

fn swing(scale: f64) -> LoopEdit {
    let joints = vec![1, 2];
    LoopEdit::Swing(Swing { joints, scale })
}

/// A joint that swings about one axis has the same mean, and swings that much farther.
#[test]
fn a_swing_is_scaled_about_its_mean() {
    let about = DVec3::new(0.6, 0.0, 0.8);
    let rest = rotation::exp(DVec3::new(0.3, -1.1, 0.2));
    let angle = |phase: f64| 0.7 * libm::sin(TAU * phase) + 0.2 * libm::cos(2.0 * TAU * phase);
    let clip = |scale: f64| {
        let skeleton = chain(&["a", "b", "c", "d"], DVec3::Y * 0.3);
        clip_of(
            skeleton,
            STEP,
            COUNT,
            root(Rigid::IDENTITY, twist(DVec3::Z, DVec3::ZERO)),
            |phase, joint| {
                let scale = if joint == 1 { scale } else { 1.0 };
                (DVec3::Y * 0.3, rotation::exp(about * (scale * angle(phase))) * rest)
            },
        )
    };
    let of = |scale| Swing { joints: vec![1], scale }.into();
    for scale in [0.0, 0.3, 1.0, 2.0] {
        let away = distance(&clip(scale), &edited(clip(1.0), of(scale)), 0);
        assert!(away < 1e-12, "{scale}: {away}");
    }
    for scale in [-0.1, 3.1, f64::NAN] {
        let refused = apply(clip(1.0), &[of(scale)], None);
        assert!(matches!(refused, Err(EditError::Swing { .. })), "{scale}");
    }
    let turned = apply(clip(5.0), &[of(0.5)], None);
    assert!(matches!(turned, Err(EditError::TurnsAround { .. })), "{turned:?}");
}

fn smooth(deviation_secs: f64) -> LoopEdit {
    smooth_of(vec![0, 1, 2, 3], deviation_secs)
}

fn smooth_of(joints: Vec<usize>, deviation_secs: f64) -> LoopEdit {
    LoopEdit::Smooth(Smooth { joints, deviation_secs })
}

/// A harmonic of the period keeps exp(-(rate deviation)^2 / 2) of itself.
#[test]
fn smoothing_takes_out_harmonics_as_a_gaussian_does() {
    let clip = swinging();
    for deviation in [0.03, 0.06, 0.12] {
        let after = edited(swinging(), smooth(deviation));
        // The translation of a joint has the harmonics 1, 2 and 3 on its axes.
        for sample in 0..COUNT {
            let rest = DVec3::Y * 0.3;
            let before = clip.body_pose(sample).translations[1] - rest;
            let found = after.body_pose(sample).translations[1] - rest;
            for (axis, harmonic) in [(0, 1.0), (1, 2.0), (2, 3.0)] {
                let turns = TAU * harmonic * deviation / clip.period_secs();
                let kept = libm::exp(-0.5 * turns * turns);
                // The weights are sampled and end at four deviations, beyond which 6e-5 lie.
                let off = (found[axis] - kept * before[axis]).abs();
                assert!(off < 2e-6, "{deviation} {sample} {axis}");
            }
        }
    }
}

/// A joint that turns once round in a period goes on turning evenly: over the seam its quaternion changes its sign.
#[test]
fn a_joint_that_turns_round_is_smoothed_over_the_seam() {
    let turning = |phase: f64| DQuat::from_axis_angle(DVec3::X, TAU * phase);
    let wheel = clip_of(
        chain(&["wheel"], DVec3::ZERO),
        STEP,
        COUNT,
        RootMotion::NONE,
        |phase, _| (DVec3::ZERO, turning(phase)),
    );
    let after = edited(wheel, smooth_of(vec![0], 0.05));
    for sample in 0..COUNT {
        let turning = turning(sample as f64 / COUNT as f64);
        let away = rotation::difference(after.body_pose(sample).rotations[0], turning).length();
        assert!(away < 1e-14, "{sample}: {away}");
    }
}

fn noise(deviation: f64, seed: u32) -> LoopEdit {
    LoopEdit::Noise(Noise {
        joints: vec![1, 3],
        deviation,
        highest_hz: 3.0,
        seed,
    })
}

/// Its root mean square is the one asked for, and the seed decides.
#[test]
fn noise_repeats_and_has_the_size_asked_for() {
    let clip = swinging();
    let after = edited(swinging(), noise(0.04, 5));
    for joint in [1, 3] {
        let values: Vec<DVec3> = (0..COUNT)
            .map(|sample| added(&clip, &after, joint, sample).rotation)
            .collect();
        let square: f64 = values.iter().map(|v| v.length_squared()).sum::<f64>() / COUNT as f64;
        assert!((square.sqrt() - 0.04).abs() < 1e-13);
    }
    let other = edited(swinging(), noise(0.04, 6));
    assert_eq!(after, edited(swinging(), noise(0.04, 5)));
    assert!(distance(&after, &other, 0) > 0.01);
}

/// The root ends in the heading asked for, and the body does not change.
#[test]
fn an_aimed_loop_ends_in_its_heading() {
    let clip = swinging();
    for turn in [-TAU, -1.0, 0.0, 0.5, 3.0, TAU] {
        let after = edited(swinging(), LoopEdit::Aim(Aim { turn }));
        assert_eq!(after.tracks(), clip.tracks());
        let [start, end] = [0, COUNT].map(|key| after.root_pose(key).rotation);
        let away = rotation::difference(end, rotation::from_yaw(turn) * start).length();
        assert!(away < 1e-14, "{turn}: {away}");
        assert_eq!(after.root().twist.linear, clip.root().twist.linear);
    }
}

#[test]
fn edits_of_nothing_leave_every_bit() {
    let zero = JointOffset::ZERO;
    let edits = [
        LoopEdit::Move(Move {
            joint: 2,
            at: Moment::Phase(0.9),
            width_secs: None,
            offset: zero,
        }),
        offset_of(0, zero),
        smooth(0.0),
        noise(0.0, 3),
    ];
    assert_eq!(apply(swinging(), &edits, None), Ok(swinging()));
    assert_eq!(apply(swinging(), &[], None), Ok(swinging()));
}

#[test]
fn what_cannot_be_edited_is_refused() {
    let refused = |edit: LoopEdit| apply(swinging(), &[edit], Some(0)).unwrap_err();
    let far = |rotation: DVec3, position: DVec3| offset_of(1, JointOffset { rotation, position });
    let nowhere = EditError::Joint {
        joint: 4,
        num_joints: 4,
    };
    assert_eq!(refused(offset_of(4, offset())), nowhere);
    let root = EditError::RootJoint { name: "a".to_owned() };
    assert_eq!(refused(offset_of(0, offset())), root);
    let all_still = Noise {
        joints: vec![1],
        deviation: 0.1,
        highest_hz: 0.0,
        seed: 0,
    };
    let matches = [
        (
            refused(far(DVec3::X * 7.0, DVec3::ZERO)),
            "turns a joint by up to 360 degrees",
        ),
        (refused(far(DVec3::NAN, DVec3::ZERO)), "turns a joint"),
        (refused(far(DVec3::ZERO, DVec3::X * 101.0)), "by up to 100 m, found 101"),
        (refused(far(DVec3::ZERO, DVec3::NAN)), "moves a joint"),
        (refused(moved(Moment::Secs(f64::NAN), 0.5)), "must be a number"),
        (refused(moved(Moment::Secs(0.0), 0.1)), "must be 0.120 to 1.200 s"),
        (refused(moved(Moment::Secs(0.0), 1.3)), "must be 0.120 to 1.200 s"),
        (refused(moved(Moment::Secs(0.0), f64::NAN)), "must be 0.120"),
        (refused(smooth_of(vec![1], 0.7)), "0 to 0.600 s"),
        (refused(LoopEdit::Aim(Aim { turn: 6.5 })), "up to 360 degrees"),
        (refused(LoopEdit::Aim(Aim { turn: f64::NAN })), "up to 360 degrees"),
        (refused(noise(2.0, 0)), "0 to 90 degrees"),
        (refused(LoopEdit::Noise(all_still)), "highest rate"),
    ];
    for (error, words) in matches {
        assert!(error.to_string().contains(words), "{error}");
    }
}
