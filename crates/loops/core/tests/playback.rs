//! Loops sampled at any time: smooth everywhere, exact at the samples, without drift over a thousand cycles.

use glam::{DQuat, DVec3};
use loopwright_core::{
    LoopClip, Pose, Take, Tracks,
    loop_clip::{Interpolation, KeyLayout, KeysError, LoopKeys},
    math::{Rigid, ops, rotation},
};

use crate::support::{chain, clip_of, root, twist};

const STEP: f64 = 1.0 / 30.0;
const COUNT: usize = 34;

/// Returns a joint's transform at a phase of the loop, known at any time; the last joint makes a whole turn per period.
fn truth(joint: usize, phase: f64) -> (DVec3, DQuat) {
    let j = joint as f64;
    let a = core::f64::consts::TAU * phase;
    let [x, y, z] = [ops::sin(a + j), ops::cos(2.0 * a + j), ops::cos(a)];
    let position = DVec3::new(0.1 * x, 0.4 + 0.05 * y, 0.1 * z);
    let [x, y, z] = [ops::sin(a + j), ops::cos(2.0 * a), ops::sin(3.0 * a)];
    let swing = rotation::exp(DVec3::new(0.5 * x, 0.3 * y, 0.2 * z));
    let spin = if joint == 3 {
        rotation::from_yaw(a)
    } else {
        DQuat::IDENTITY
    };
    (position, swing * spin)
}

fn clip() -> LoopClip {
    let twist = twist(DVec3::new(0.1, 0.05, 1.3), DVec3::Y * 0.9);
    let root = root(Rigid::from_yaw(0.4, DVec3::new(1.0, 0.0, 2.0)), twist);
    let skeleton = chain(&["j0", "j1", "j2", "j3"], DVec3::Y);
    clip_of(skeleton, STEP, COUNT, root, |phase, joint| truth(joint, phase))
}

/// Returns the same with its root on a path that sways about the twist.
fn weaving() -> LoopClip {
    let weave = |sample: usize| {
        let a = core::f64::consts::TAU * sample as f64 / COUNT as f64;
        let aside = DVec3::new(0.05 * ops::cos(a), 0.0, 0.02 * ops::sin(2.0 * a));
        Rigid::from_yaw(0.1 * ops::sin(a), aside)
    };
    clip().along((0..COUNT).map(weave).collect()).unwrap()
}

fn turn_between(a: DQuat, b: DQuat) -> f64 {
    rotation::difference(a, b).length()
}

#[test]
fn samples_come_back_bit_for_bit_in_any_cycle() {
    for clip in [clip(), weaving()] {
        for cycle in [-7, -1, 0, 1, 12] {
            for sample in 0..COUNT {
                let secs = f64::from(cycle * COUNT as i32 + sample as i32) * STEP;
                for interpolation in [Interpolation::Linear, Interpolation::Cubic] {
                    assert_eq!(clip.body_pose_at(secs, interpolation).as_ref(), clip.body_pose(sample));
                }
                if cycle >= 0 {
                    let key = cycle as usize * COUNT + sample;
                    assert_eq!(clip.root_pose_at(secs), clip.root_pose(key));
                    assert_eq!(clip.world_pose_at(secs, Interpolation::Linear), clip.world_pose(key));
                }
            }
        }
    }
}

/// The error of cubics falls with the third power of the step, of chords with the second; the seam is no exception.
#[test]
fn poses_between_samples_are_near_the_motion() {
    let clip = clip();
    for i in -200..500 {
        let secs = 0.0137 * f64::from(i);
        let phase = secs / clip.period_secs();
        for (interpolation, most) in [(Interpolation::Linear, 0.012), (Interpolation::Cubic, 1.2e-3)] {
            let found = clip.body_pose_at(secs, interpolation);
            for joint in 0..4 {
                let (position, turn) = truth(joint, phase);
                let error = turn_between(found.rotations[joint], turn);
                assert!(error < most, "{interpolation:?} joint {joint} at {secs}: {error}");
                assert!((found.translations[joint] - position).length() < 0.2 * most);
                assert!((found.rotations[joint].length() - 1.0).abs() < 1e-14);
            }
        }
    }
}

#[test]
fn cubics_have_no_corner_and_give_their_rates() {
    let clip = weaving();
    let h = 1e-6;
    let mut worst = 0.0_f64;
    for i in -40..120 {
        // On samples, between them, and on the seam.
        let secs = 0.25 * f64::from(i) * STEP;
        let at = |secs| clip.body_pose_at(secs, Interpolation::Cubic);
        let (before, here, after) = (at(secs - h), at(secs), at(secs + h));
        let (velocities, spins) = clip.body_rates_at(secs);
        for joint in 0..4 {
            for (early, late) in [(&before, &here), (&here, &after)] {
                let velocity = (late.translations[joint] - early.translations[joint]) / h;
                let spin = rotation::difference(late.rotations[joint], early.rotations[joint]) / h;
                let (off, turned) = (velocity - velocities[joint], spin - spins[joint]);
                worst = worst.max(off.length()).max(turned.length());
            }
        }
        let root = |secs| clip.root_pose_at(secs);
        let speed = |from, to| {
            let delta = root(from).inverse() * root(to);
            (delta.translation / h, rotation::log(delta.rotation) / h)
        };
        let (early, late) = (speed(secs - h, secs), speed(secs, secs + h));
        worst = worst.max((early.0 - late.0).length()).max((early.1 - late.1).length());
    }
    // Accelerations of some 50 per second squared over a microsecond.
    assert!(worst < 1e-4, "{worst}");
}

#[test]
fn a_thousand_cycles_do_not_drift() {
    for clip in [clip(), weaving()] {
        let secs = 1000.0 * clip.period_secs();
        let expected = clip.root_pose_at(0.0) * {
            let sway = clip.sway_at(0.0);
            sway.inverse() * clip.root().twist.exp(secs) * sway
        };
        let gap = |found: Rigid| {
            (found.translation - expected.translation).length() + turn_between(found.rotation, expected.rotation)
        };
        assert!(gap(clip.root_pose_at(secs)) < 1e-9);
        // Frame by frame at rates unrelated to the loop's, accumulated as by an engine.
        for frames in [1000, 67_891, 7] {
            let mut character = clip.root_pose_at(0.0);
            for frame in 0..frames {
                let time = |frame: usize| secs * frame as f64 / frames as f64;
                character = character * clip.root_delta(time(frame), time(frame + 1));
            }
            assert!(gap(character) < 1e-6, "{frames}: {}", gap(character));
        }
    }
}

#[test]
fn deltas_match_the_transforms_and_run_backwards() {
    for clip in [clip(), clip().in_place(), weaving()] {
        for (from, to) in [(0.1, 0.9), (-3.0, 0.4), (1.0, 1.0), (5.3, -2.0)] {
            let delta = clip.root_delta(from, to);
            let there = clip.root_pose_at(from) * delta;
            let expected = clip.root_pose_at(to);
            assert!((there.translation - expected.translation).length() < 1e-13);
            assert!(turn_between(there.rotation, expected.rotation) < 1e-14);
            let back = delta * clip.root_delta(to, from);
            assert!(back.translation.length() < 1e-13 && turn_between(back.rotation, DQuat::IDENTITY) < 1e-14);
        }
    }
    assert_eq!(clip().in_place().root_delta(0.0, 7.0), Rigid::IDENTITY);
}

#[test]
fn times_that_are_not_finite_do_not_panic() {
    let clip = weaving();
    for secs in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e300, -1e300, 5e-324] {
        let pose = clip.world_pose_at(secs, Interpolation::Cubic);
        // If the path itself overflows, so does the position.
        let is_finite = pose.rotations.iter().all(|turn| turn.is_finite());
        assert!(secs.abs() == 1e300 || is_finite, "{secs}");
        assert_eq!(pose.translations.len(), 4);
        let _ = (clip.body_rates_at(secs), clip.root_delta(0.0, secs));
    }
}

/// Returns the keys of a file, across the seam and on, as a take.
fn are_alike(one: &Pose, other: &Pose) -> bool {
    let mut pairs = one.translations.iter().zip(&other.translations);
    pairs.all(|(one, other)| (*one - *other).length() < 1e-12)
}

fn keys(clip: &LoopClip, count: usize) -> Take {
    let poses = (0..count).map(|key| clip.folded_pose(key));
    Take::from_tracks("l", Tracks::from_poses(clip.skeleton().clone(), STEP, poses).unwrap()).unwrap()
}

#[test]
fn loops_come_back_from_their_keys() {
    let layout = KeyLayout {
        seam_sample: 0,
        num_samples: COUNT,
        last_step: 1.0,
        has_closing_key: true,
        in_place: false,
        num_cycles: 1,
    };
    for in_place in [false, true] {
        let clip = if in_place { clip().in_place() } else { clip() };
        let layout = KeyLayout {
            seam_sample: 0,
            in_place,
            ..layout
        };
        let back = LoopClip::from_keys(&keys(&clip, COUNT + 1), layout, *clip.root(), 0).unwrap();
        assert_eq!(back.num_samples(), COUNT);
        for key in 0..3 * COUNT {
            assert!(
                are_alike(&clip.world_pose(key), &back.world_pose(key)),
                "in place: {in_place}"
            );
        }
    }
    // A file whose root followed a path gives the same body on its twist.
    let weaving = weaving();
    let back = LoopClip::from_keys(&keys(&weaving, COUNT + 1), layout, *weaving.root(), 0).unwrap();
    assert!(are_alike(&weaving.world_pose(50), &back.world_pose(50)) && !back.follows_path());
    let error = |count: usize, carrier: usize| {
        LoopClip::from_keys(&keys(&weaving, count), layout, *weaving.root(), carrier).unwrap_err()
    };
    let (needed, found) = (COUNT + 1, COUNT);
    assert_eq!(error(COUNT, 0), KeysError::MissingKeys { needed, found });
    let (carrier, num_joints) = (9, 4);
    assert_eq!(error(COUNT + 1, 9), KeysError::Carrier { carrier, num_joints });
    // Further frames are no closing key off the grid.
    let last_step = 0.4;
    let between = KeyLayout { last_step, ..layout };
    let without = LoopKeys::new(&keys(&weaving, COUNT + 5), between, *weaving.root(), 0);
    assert_eq!(without.unwrap_err(), KeysError::MissingKeys { needed, found });
}
