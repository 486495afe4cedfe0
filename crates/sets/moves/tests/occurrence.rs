//! One motion sought in another, where it is known to be.

use loopwright_core::{Analysis, Take, math::Decay};
use loopwright_moves::{
    Transitions,
    transition::{Occurrence, TransitionClip},
};
use loopwright_synth::WalkSettings;

use crate::support::{best_loop, walk_of};

const SPRING: Decay = Decay::Spring { half_life_secs: 0.1 };

/// Low enough that only the same motion counts.
const SAME: f64 = 0.2;

fn walk(seconds: f64, frame_rate_hz: f64) -> Take {
    walk_of(WalkSettings::default().seconds(seconds).frame_rate_hz(frame_rate_hz))
}

fn motion(take: &Take) -> TransitionClip {
    TransitionClip::from_take(Analysis::new(take).unwrap())
}

/// Returns the same frames, each shown `factor` times as long.
fn slowed(take: &Take, factor: f64) -> Take {
    let (values, skeleton, secs) = (take.values(), take.skeleton().clone(), factor * take.frame_time_secs());
    let (translations, rotations) = (values.translations.to_vec(), values.rotations.to_vec());
    Take::new(take.name(), skeleton, secs, translations, rotations).unwrap()
}

fn found(pattern: &TransitionClip, frames: core::ops::Range<usize>, take: &TransitionClip) -> Vec<Occurrence> {
    let transitions = Transitions::between(pattern, take, &[]).unwrap();
    transitions
        .occurrences(frames, 0..take.num_frames(), SPRING, SAME)
        .found
}

#[test]
fn frames_of_a_take_are_found_in_it_again() {
    let take = motion(&walk(8.0, 60.0));
    for start in [37, 150, 301] {
        let best = found(&take, start..start + 50, &take)[0];
        assert_eq!((best.start_frame, best.num_frames, best.cost), (start, 50, 0.0));
        assert!((best.tempo - 1.0).abs() < 1e-12 && best.joint_gap_metres == 0.0);
    }
}

#[test]
fn cycles_of_a_loop_follow_one_another_at_its_period() {
    let take = walk(10.0, 60.0);
    let clip = best_loop(&take);
    let pattern = TransitionClip::from_loop(&clip, &Default::default()).unwrap();
    let mut cycles = found(&pattern, 0..1, &motion(&take));
    cycles.sort_by_key(|cycle| cycle.start_frame);
    let period = clip.period_secs() * 60.0;
    let count = cycles.len();
    assert!(count as f64 >= (600.0 / period).floor() - 1.0, "{count}");
    for pair in cycles.windows(2) {
        let apart = (pair[1].start_frame - pair[0].start_frame) as f64;
        assert!((apart - period).abs() <= 3.0, "{apart} frames, the period is {period}");
    }
}

#[test]
fn tempo_and_frame_rate_are_told_apart() {
    let pattern = motion(&walk(4.0, 60.0));
    // The walk at half the frame rate has the same tempo.
    let coarse = found(&pattern, 60..121, &motion(&walk(8.0, 30.0)))[0];
    assert!((coarse.tempo - 1.0).abs() < 0.04, "{}", coarse.tempo);
    // Frames shown for longer: slower by that factor, and so are their velocities.
    for factor in [0.85, 1.15, 1.25] {
        let slow = found(&pattern, 60..121, &motion(&slowed(&walk(8.0, 60.0), factor)))[0];
        assert!((slow.tempo * factor - 1.0).abs() < 0.04, "{factor}: {}", slow.tempo);
        assert!(slow.joint_gap_metres < 0.02, "{factor}: {}", slow.joint_gap_metres);
    }
}

#[test]
fn another_motion_is_not_found_and_the_nearest_stretch_is_named() {
    let standing = motion(&walk_of(
        WalkSettings::default().seconds(6.0).frame_rate_hz(60.0).speed_mps(0.0),
    ));
    let walking = motion(&walk(4.0, 60.0));
    let transitions = Transitions::between(&walking, &standing, &[]).unwrap();
    let none = transitions.occurrences(60..121, 0..standing.num_frames(), SPRING, SAME);
    assert!(none.found.is_empty());
    assert!(none.nearest.unwrap().cost_ratio > SAME);
}

#[test]
fn stretches_lie_within_the_frames_asked_for_whatever_these_are() {
    let take = motion(&walk(4.0, 30.0));
    let transitions = Transitions::between(&take, &take, &[]).unwrap();
    let last = take.num_frames();
    let ranges = [
        (0, 0),
        (5, 5),
        (5, 6),
        (5, 9),
        (0, last),
        (30, 90),
        (100, 10_000),
        (500, 600),
    ];
    for (start, end) in ranges {
        for (from, to) in [(0, 0), (3, 4), (10, 40), (0, last), (last - 3, last), (400, 900)] {
            let all = transitions.occurrences(start..end, from..to, SPRING, 1e9);
            for found in all.found {
                assert!(from <= found.start_frame && found.start_frame + found.num_frames <= to.min(last));
            }
        }
    }
}
