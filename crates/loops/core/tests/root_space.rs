//! Root motion about any axis: props that tumble, with known screws.

use glam::DVec3;
use loopwright_core::{
    Analysis, LoopSettings, MadeLoop, RootMode, RootSettings, Take,
    loop_clip::{KeyLayout, LoopKeys},
    math::{Rigid, Twist, rotation},
    quality, recognition,
    root_motion::RootSpace,
};

use crate::support::{chain, made_of, take_of, twist};

const FRAME_TIME: f64 = 1.0 / 60.0;
const PERIOD: usize = 60;
const START: usize = 14;

/// Returns a staff of three joints, or of one, that moves by `body` and bends by `bend`.
fn staff(num_joints: usize, num_frames: usize, body: impl Fn(f64) -> Rigid, bend: impl Fn(f64) -> DVec3) -> Take {
    let skeleton = chain(&["staff0", "staff1", "staff2"][..num_joints], DVec3::ZERO);
    take_of(skeleton, FRAME_TIME, num_frames, |frame, joint| {
        let secs = frame as f64 * FRAME_TIME;
        let root = body(secs);
        if joint == 0 {
            (root.translation, root.rotation)
        } else {
            (DVec3::new(0.1, 0.5, 0.0), rotation::exp(bend(secs)))
        }
    })
}

fn made(take: &Take, mode: RootMode) -> MadeLoop {
    let settings = LoopSettings::with_root(RootSettings {
        space: RootSpace::Full,
        ..mode.into()
    });
    made_of(take, START, START + PERIOD, &settings)
}

fn start() -> Rigid {
    Rigid::new(rotation::exp(DVec3::new(0.7, -1.1, 0.4)), DVec3::new(0.4, 1.6, -0.8))
}

/// Tilted screws: slow ones, ones beyond half and whole turns, ones along and across their axis, and none.
fn screws() -> Vec<Twist> {
    let axis = DVec3::new(0.48, -0.6, 0.64);
    let mut screws = Vec::new();
    for degrees in [0.0, 1e-3, 20.0, 90.0, 175.0, 190.0, 270.0, 330.0, 400.0_f64] {
        for linear in [DVec3::new(0.2, 1.1, -0.7), axis * 0.8, DVec3::new(0.5, 0.0, -0.375)] {
            screws.push(twist(linear, axis * degrees.to_radians()));
        }
    }
    screws
}

#[test]
fn the_screw_of_a_tumbling_prop_is_recovered() {
    for num_joints in [1, 3] {
        for truth in screws() {
            let take = staff(num_joints, 90, |secs| start() * truth.exp(secs), |_| DVec3::ZERO);
            let made = made(&take, RootMode::Constant);
            let root = made.loop_clip.root();
            // Without wobble the root is the prop itself, at the cut's start.
            let stands = start() * truth.exp(START as f64 * FRAME_TIME);
            let off = (root.start.translation - stands.translation).length()
                + rotation::difference(root.start.rotation, stands.rotation).length();
            assert!(off < 1e-9, "{truth:?}: the root is off by {off}");
            let linear = (root.twist.linear - truth.linear).length();
            let angular = (root.twist.angular - truth.angular).length();
            let off = linear.max(angular);
            assert!(off < 1e-9, "{num_joints} {truth:?}: {linear} {angular}");
            let fit = made.source.fit.unwrap();
            assert!(fit.residual_metres < 1e-12, "{fit:?}");
            assert!((fit.arc_metres - fit.path_metres).abs() < 1e-9, "{fit:?}");
        }
    }
}

/// Wobble and bending go to the joints, and the loop closes in any case.
#[test]
fn a_wobbling_prop_closes_about_its_screw() {
    let truth = twist(DVec3::new(0.2, 1.1, -0.7), DVec3::new(0.48, -0.6, 0.64) * 2.6);
    let phase = |secs: f64| core::f64::consts::TAU * secs / (PERIOD as f64 * FRAME_TIME);
    let wobble = |secs: f64| {
        Rigid::new(
            rotation::exp(DVec3::new(0.2, 0.1, -0.15) * libm::sin(phase(secs))),
            DVec3::new(0.02, -0.01, 0.03) * libm::cos(phase(secs)),
        )
    };
    let take = staff(
        3,
        90,
        |secs| start() * truth.exp(secs) * wobble(secs),
        |secs| DVec3::X * 0.4 * libm::sin(2.0 * phase(secs)),
    );
    let made = made(&take, RootMode::Constant);
    let root = made.loop_clip.root();
    // The motion of the world over a cycle is the prop's own.
    let found = root.at(1.0) * root.at(0.0).inverse();
    let expected = start() * truth.exp(1.0) * start().inverse();
    assert!((found.translation - expected.translation).length() < 1e-9);
    assert!(rotation::difference(found.rotation, expected.rotation).length() < 1e-9);
    assert!(made.closed.residual.position < 1e-12 && made.closed.residual.angular_velocity < 1e-9);
    for key in [0, 17, 60, 77, 300] {
        let world = made.loop_clip.world_pose(key).translations;
        let secs = (START + key) as f64 * FRAME_TIME;
        let expected = (start() * truth.exp(secs) * wobble(secs)).translation;
        assert!((world[0] - expected).length() < 1e-8, "{key}");
    }
}

/// In this mode climb and tilt belong to the root motion, however small.
#[test]
fn small_climbs_are_root_motion_in_full_space() {
    let truth = twist(DVec3::new(0.0, 0.01, 1.0), DVec3::new(0.02, 0.3, 0.0));
    let take = staff(3, 90, |secs| truth.exp(secs), |_| DVec3::ZERO);
    let found = made(&take, RootMode::Constant).loop_clip.root().twist;
    assert!((found.linear - truth.linear).length() < 1e-9 && (found.angular - truth.angular).length() < 1e-9);
}

/// A prop that spins on a straight path orthogonal to its axis is on no screw: the spin stays in the prop.
#[test]
fn a_spin_across_its_path_stays_in_the_prop() {
    let body = |secs: f64| {
        let turn = rotation::exp(DVec3::X * (core::f64::consts::TAU * secs));
        Rigid::new(turn, DVec3::Z * (1.5 * secs))
    };
    let take = staff(3, 90, body, |_| DVec3::ZERO);
    let twist = made(&take, RootMode::Constant).loop_clip.root().twist;
    assert!(twist.angular.length() < 1e-9, "{twist:?}");
    assert!((twist.linear.length() - 1.5).abs() < 1e-9, "{twist:?}");
}

/// A prop that spins at one point is on its twist, including whole turns.
#[test]
fn a_spin_on_the_spot_is_the_twist() {
    for degrees in [170.0, 270.0, 360.0, 450.0_f64] {
        let spin = twist(DVec3::ZERO, DVec3::new(0.6, 0.0, 0.8) * degrees.to_radians());
        let take = staff(3, 90, |secs| start() * spin.exp(secs), |_| DVec3::ZERO);
        let twist = made(&take, RootMode::Constant).loop_clip.root().twist;
        assert!((twist.angular - spin.angular).length() < 1e-9, "{degrees}: {twist:?}");
        assert!(twist.linear.length() < 1e-9, "{degrees}: {twist:?}");
    }
}

/// Without a loop file the root motion of a tumbling loop is detected from its keys.
#[test]
fn a_tumbling_loop_is_recognised_by_its_keys() {
    for truth in screws() {
        // A periodic bend, so that no other pose equals the first.
        let bend = |secs: f64| DVec3::Z * 0.4 * libm::sin(core::f64::consts::TAU * secs);
        let written = staff(3, PERIOD + 1, |secs| start() * truth.exp(secs), bend);
        let body = Analysis::new(&written).unwrap().body;
        let seen = recognition::recognise(&written, &body, 0).unwrap();
        let layout = KeyLayout {
            seam_sample: 0,
            num_samples: PERIOD,
            last_step: 1.0,
            has_closing_key: true,
            in_place: false,
            num_cycles: 1,
        };
        assert_eq!(seen.layout, layout, "{truth:?}");
        let keys = LoopKeys::new(&written, layout, seen.root, 0).unwrap();
        let quality = quality::measure(&keys, &body, None);
        let rounding = if seen.space == RootSpace::Full { 1e-6 } else { 1e-4 };
        let gap = quality.pose_gap_metres.max(quality.pose_gap_radians);
        assert!(gap < rounding, "{truth:?}: {quality:?}");
        if seen.space == RootSpace::Full {
            let linear = (seen.root.twist.linear.length() - truth.linear.length()).abs();
            let angular = (seen.root.twist.angular.length() - truth.angular.length()).abs();
            assert!(linear < 1e-6 && angular < 1e-9, "{truth:?}: {linear} {angular}");
        } else {
            // Hardly a turn: a motion over the ground explains it to a tenth of a millimetre.
            assert!(truth.angular.length() < 1e-3, "{truth:?}");
        }
    }
}

/// In spatial mode props keep their tilt; the in-place root is the prop at the start.
#[test]
fn straight_and_in_place_work_in_full_space() {
    let truth = twist(DVec3::new(0.2, 1.1, -0.7), DVec3::X * 0.05);
    let take = staff(3, 90, |secs| start() * truth.exp(secs), |_| DVec3::ZERO);
    let linear = made(&take, RootMode::Linear).loop_clip;
    assert_eq!(linear.root().twist.angular, DVec3::ZERO);
    let way = truth.exp(1.0).translation.length();
    assert!((linear.root().twist.linear.length() - way).abs() < 1e-9);
    let stays = made(&take, RootMode::InPlace).loop_clip.in_place();
    assert_eq!(stays.root().at(7.0), stays.root().start);
    let there = stays.world_pose(3 * PERIOD);
    let stands = start() * truth.exp(START as f64 * FRAME_TIME);
    assert!((there.translations[0] - stands.translation).length() < 1e-9);
    assert!(rotation::difference(there.rotations[0], stands.rotation).length() < 1e-9);
}
