//! The mean cycle against walks whose true mean is known.

use glam::{DQuat, DVec3};
use loopwright_core::{
    Analysis, LoopCandidate, LoopSettings, MadeLoop, RootSettings, SearchSettings, Take,
    feet::FootLock,
    math::{Rigid, ops, rotation},
    mean_cycle::{CyclesEnd, MeanCycle, MeanCycleError, MeanCycles},
    mirror::Pairing,
    pipeline::MakeError,
    root_motion::RootSpace,
};
use loopwright_synth::{IdleSettings, synthesize, synthesize_idle};

use crate::support::{analysed, made_of, moved, posed, steady, walk_of};

/// Frames of a cycle, and the first frame of the first whole one.
const CYCLE: usize = 60;
const FIRST: usize = 10;

/// Returns some cycles that are all alike, without noise.
fn walk(num_cycles: usize) -> Take {
    walk_of(steady().period_secs(1.0).seconds(num_cycles as f64 + 0.5))
}

/// Returns the numbers from -1 to 1 that follow from a seed.
fn random(seed: usize) -> f64 {
    let mut state = (seed as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03;
    for _ in 0..3 {
        state ^= state >> 29;
        state = state.wrapping_mul(0xBF58_476D_1CE4_E5B9);
        state ^= state >> 32;
    }
    (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

fn vector(seed: usize) -> DVec3 {
    DVec3::new(random(3 * seed), random(3 * seed + 1), random(3 * seed + 2))
}

/// Returns the take with every joint but the root turned by a vector that depends on joint and frame.
fn turned(take: &Take, by: impl Fn(usize, usize) -> DVec3) -> Take {
    posed(take, |frame, pose| {
        for (joint, rotation) in pose.rotations.iter_mut().enumerate().skip(1) {
            *rotation *= rotation::exp(by(joint, frame));
        }
    })
}

/// Returns the walk with every cycle varied in its own way, degrees, and with noise, degrees.
fn varied(take: &Take, cycle_deg: f64, noise_deg: f64) -> Take {
    turned(take, |joint, frame| {
        let wave = |cycle: usize, turns: f64| {
            let own = vector(1000 * joint + cycle) * cycle_deg.to_radians();
            own * (0.5 - 0.5 * ops::cos(core::f64::consts::TAU * turns))
        };
        // Variations of two neighbours overlap, so nothing jumps.
        let at = (frame + 3 * CYCLE - FIRST) as f64 / CYCLE as f64;
        let slow = wave(2 * at as usize, at) + wave(2 * (at + 0.5) as usize + 1, at + 0.5);
        slow + vector(1_000_000 + 1000 * frame + joint) * noise_deg.to_radians()
    })
}

fn stretch(analysis: &Analysis, cycle: usize) -> LoopCandidate {
    let start = FIRST + cycle * CYCLE;
    let settings = SearchSettings {
        cycles: Some(1),
        ..SearchSettings::default()
    };
    analysis
        .appraise(start as f64, (start + CYCLE) as f64, &settings)
        .unwrap()
}

fn settings(mean_cycles: MeanCycles) -> LoopSettings {
    LoopSettings {
        feet: FootLock::Off.into(),
        mean_cycles,
        ..LoopSettings::default()
    }
}

fn made(take: &Take, cycle: usize, mean_cycles: MeanCycles) -> MadeLoop {
    let start = FIRST + cycle * CYCLE;
    made_of(take, start, start + CYCLE, &settings(mean_cycles))
}

fn mean_of(made: &MadeLoop) -> &MeanCycle {
    made.mean_cycle.as_ref().unwrap()
}

/// Returns the mean angle between the local rotations of two motions of one length, degrees; the root's are left out.
fn degrees_between(made: &MadeLoop, other: impl Fn(usize) -> Vec<DQuat>) -> f64 {
    let tracks = made.loop_clip.tracks();
    let mut sum = 0.0;
    for sample in 0..tracks.num_frames() {
        let pairs = tracks.pose(sample).rotations.iter().zip(other(sample)).skip(1);
        sum += pairs
            .map(|(one, other)| rotation::difference(*one, other).length())
            .sum::<f64>();
    }
    (sum / (tracks.num_frames() * (tracks.num_joints() - 1)) as f64).to_degrees()
}

/// Returns the distance of a loop from the walk that was meant.
fn off_truth(made: &MadeLoop, truth: &Take) -> f64 {
    let start = made.candidate.cut.start_frame();
    degrees_between(made, |sample| truth.sample(start + sample as f64).rotations)
}

#[test]
fn the_mean_is_nearer_to_the_truth_than_any_cycle() {
    let truth = walk(8);
    let take = varied(&truth, 4.0, 0.5);
    let mean = made(&take, 3, MeanCycles::All);
    assert_eq!((mean_of(&mean).cycles.len(), mean_of(&mean).chosen), (8, 3));
    let off = off_truth(&mean, &truth);
    let singles = [0, 1, 2, 3, 4, 5, 6, 7].map(|cycle| off_truth(&made(&take, cycle, MeanCycles::Off), &truth));
    let nearest = singles.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(off < 0.6 * nearest, "{off} {singles:?}");
    // More cycles are better than fewer.
    let few = off_truth(&made(&take, 3, MeanCycles::UpTo(3)), &truth);
    assert!(off < few && few < nearest, "{off} {few} {nearest}");
    // The root moves as the walk does.
    let [twist, wanted] = [&mean, &made(&truth, 3, MeanCycles::Off)].map(|made| made.loop_clip.root().twist);
    assert!((twist.linear - wanted.linear).length() < 5e-3, "{twist:?} {wanted:?}");
    assert!((twist.angular - wanted.angular).length() < 5e-3, "{twist:?} {wanted:?}");
}

/// Periodic by construction: nothing is left to close but rounding, though single cycles gape.
#[test]
fn the_mean_repeats_before_it_is_closed() {
    let take = varied(&walk(6), 4.0, 0.5);
    let single = made(&take, 2, MeanCycles::Off).closed.seam.largest();
    assert!(single.angle > 0.5_f64.to_radians(), "{single:?}");
    for mean_cycles in [MeanCycles::UpTo(2), MeanCycles::UpTo(4), MeanCycles::All] {
        let gap = made(&take, 2, mean_cycles).closed.seam.largest();
        assert!(gap.position < 1e-9 && gap.angle < 1e-9, "{mean_cycles}: {gap:?}");
        let rate = gap.velocity.max(gap.angular_velocity);
        assert!(rate < 1e-6, "{mean_cycles}: {gap:?}");
    }
}

/// Cycles that are all alike have a mean like each of them.
#[test]
fn the_mean_of_equal_cycles_is_each_of_them() {
    let take = walk(6);
    let mean = made(&take, 2, MeanCycles::All);
    let off = off_truth(&mean, &take);
    assert!(off < 1e-6, "{off}");
    let single = made(&take, 2, MeanCycles::Off);
    let [one, other] = [&mean, &single].map(|made| made.loop_clip.root());
    let (turn, at) = (
        one.twist.linear - other.twist.linear,
        one.start.translation - other.start.translation,
    );
    assert!(turn.length() < 1e-5 && at.length() < 1e-4, "{one:?} {other:?}");
    for cycle in &mean_of(&mean).cycles {
        let frames = cycle.end_frame - cycle.start_frame;
        assert!((frames - CYCLE as f64).abs() < 1e-6, "{cycle:?}");
    }
}

/// A walker that hurries and lingers passes through the same poses. Laid onto each other in phase they stay sharp, and the loop keeps
/// the time of the chosen cycle.
#[test]
fn cycles_of_different_pace_are_laid_onto_each_other_in_phase() {
    let synthetic = synthesize(&steady().period_secs(1.0).seconds(8.0).speed_variation(0.12));
    let synthetic = synthetic.unwrap();
    let (take, truth) = (&synthetic.take, &synthetic.truth);
    let analysis = analysed(take);
    let start_secs = 3.0;
    let start = start_secs * take.frame_rate_hz();
    let end = (start_secs + truth.period_from(start_secs, 1.0)) * take.frame_rate_hz();
    let candidate = analysis.appraise(start, end, &SearchSettings::default()).unwrap();
    let mean = analysis.make_loop(&candidate, &settings(MeanCycles::All)).unwrap();
    let count = mean.loop_clip.num_samples();
    let step = candidate.cut.num_frames() / count as f64;
    let off = degrees_between(&mean, |sample| take.sample(start + sample as f64 * step).rotations);
    assert!(off < 0.25, "{off}");
    // Every cycle ends a whole cycle after the one before.
    let phase = |frame: f64| truth.phase_at(frame * take.frame_time_secs());
    let cycles = &mean_of(&mean).cycles;
    assert!(cycles.len() >= 6, "{cycles:?}");
    let lengths: Vec<f64> = cycles.iter().map(|cycle| cycle.end_frame - cycle.start_frame).collect();
    let [shortest, longest] = [f64::min, f64::max].map(|which| lengths.iter().copied().reduce(which).unwrap());
    assert!(longest > 1.08 * shortest, "{lengths:?}");
    for cycle in cycles {
        let turns = phase(cycle.end_frame) - phase(cycle.start_frame);
        assert!((turns - 1.0).abs() < 0.02, "{cycle:?}: {turns}");
    }
}

/// A cycle in which the walker stumbles has no weight, and the mean is almost what it is without it.
#[test]
fn a_stumble_changes_little() {
    let truth = walk(9);
    let sound = varied(&truth, 0.7, 0.2);
    let stumbles = |frame: usize| (FIRST + 6 * CYCLE..FIRST + 7 * CYCLE).contains(&frame);
    let broken = turned(&sound, |joint, frame| {
        if !stumbles(frame) {
            return DVec3::ZERO;
        }
        let phase = (frame - FIRST - 6 * CYCLE) as f64 / CYCLE as f64;
        let size = 12_f64.to_radians() * (0.5 - 0.5 * ops::cos(core::f64::consts::TAU * phase));
        vector(77_000 + joint).normalize() * size
    });
    let [before, after] = [&sound, &broken].map(|take| made(take, 3, MeanCycles::All));
    let cycles = &mean_of(&after).cycles;
    assert_eq!(cycles.len(), 9);
    assert_eq!(cycles[6].share, 0.0);
    assert!(cycles[..5].iter().skip(1).all(|cycle| cycle.share > 0.08), "{cycles:?}");
    let rotations = before.loop_clip.tracks();
    let moved = degrees_between(&after, |sample| rotations.pose(sample).rotations.to_vec());
    // Its share of the plain mean would move joints by 0.7 degrees.
    assert!(moved < 0.25, "{moved}");
    assert!(off_truth(&after, &truth) < 1.3 * off_truth(&before, &truth));
}

/// The reference of the comparison is still the candidate's own stretch.
#[test]
fn displacement_is_measured_from_the_chosen_cycle() {
    let take = varied(&walk(6), 3.0, 0.2);
    let [single, mean] = [MeanCycles::Off, MeanCycles::All].map(|mean_cycles| made(&take, 2, mean_cycles));
    assert_eq!(mean.source, single.source);
    assert_eq!(mean.loop_clip.period_secs(), single.loop_clip.period_secs());
}

/// A floor that is not level does not lift or sink the mean.
#[test]
fn the_mean_stands_on_the_floor_of_the_chosen_cycle() {
    let level = walk(8);
    let slanted = moved(&level, |frame| {
        Rigid::new(DQuat::IDENTITY, DVec3::Y * -0.015 * frame as f64 / CYCLE as f64)
    });
    let [single, mean] = [MeanCycles::Off, MeanCycles::All].map(|mean_cycles| made(&slanted, 1, mean_cycles));
    let height = |made: &MadeLoop| {
        let world = made.loop_clip.tracks_from_root();
        let heights = (0..CYCLE).map(|sample| world.position(sample, made.body.hips).y);
        heights.sum::<f64>() / CYCLE as f64
    };
    // Of eight cycles the middle is four centimetres lower than the second.
    let off = height(&mean) - height(&single);
    assert!(off.abs() < 0.01, "{off}");
}

/// Poses say nothing about the way: cycles that turn elsewhere are not averaged.
#[test]
fn a_row_ends_where_the_walker_goes_elsewhere() {
    let take = walk(8);
    let bend = FIRST + 5 * CYCLE;
    let turning = moved(&take, |frame| {
        let about = Rigid::new(DQuat::IDENTITY, take.translations(bend)[0]);
        let yaw = 0.7 * frame.saturating_sub(bend) as f64 / CYCLE as f64;
        about * Rigid::from_yaw(yaw, DVec3::ZERO) * about.inverse()
    });
    let mean = made(&turning, 2, MeanCycles::All);
    let mean = mean_of(&mean);
    assert_eq!((mean.cycles.len(), mean.after), (5, CyclesEnd::OtherPath));
}

/// Nine tenths of a cycle are left at each end of the take: they are no cycles that hurry.
#[test]
fn parts_of_cycles_do_not_count() {
    let take = walk(6);
    let analysis = analysed(&take);
    for start in [2 * CYCLE - 5, 2 * CYCLE - 11] {
        let candidate = analysis
            .appraise(start as f64, (start + CYCLE) as f64, &SearchSettings::default())
            .unwrap();
        let mean = analysis.make_loop(&candidate, &settings(MeanCycles::All)).unwrap();
        let mean = mean_of(&mean);
        assert_eq!((mean.cycles.len(), mean.chosen), (5, 1), "{:?}", mean.cycles);
    }
}

fn failure(take: &Take, candidate: impl Fn(&Analysis) -> LoopCandidate, settings: &LoopSettings) -> MeanCycleError {
    let analysis = analysed(take);
    match analysis.make_loop(&candidate(&analysis), settings) {
        Err(MakeError::MeanCycle(error)) => error,
        other => panic!("{:?}", other.map(|made| made.mean_cycle)),
    }
}

#[test]
fn what_has_no_mean_says_why() {
    let all = settings(MeanCycles::All);
    let second = |analysis: &Analysis| stretch(analysis, 1);
    let no_other = |end: CyclesEnd| MeanCycleError::NoOther {
        before: end,
        after: end,
    };
    // One cycle and a half: no other whole one.
    let short = failure(&walk(1), |analysis| stretch(analysis, 0), &all);
    assert_eq!(short, no_other(CyclesEnd::TakeEnds));
    assert_eq!(
        failure(&walk(3), second, &settings(MeanCycles::UpTo(1))),
        MeanCycleError::TooFewAsked { found: 1 }
    );

    // Frames that jump, on both sides.
    let take = walk(3);
    let jumping = turned(&take, |joint, frame| match frame {
        30 | 160 if joint % 2 == 1 => DVec3::X * 1.5,
        _ => DVec3::ZERO,
    });
    assert_eq!(failure(&jumping, second, &all), no_other(CyclesEnd::BadFrames));

    // The walker does something else before and after: its joints turn another way.
    let other = turned(&take, |joint, frame| {
        let away = frame.abs_diff(FIRST + CYCLE + CYCLE / 2).saturating_sub(CYCLE / 2) as f64 / 20.0;
        vector(900 + joint) * away.min(1.0) * 2.0
    });
    assert_eq!(failure(&other, second, &all), no_other(CyclesEnd::OtherMotion));

    let full = LoopSettings {
        root: RootSettings {
            space: RootSpace::Full,
            ..RootSettings::default()
        },
        ..all.clone()
    };
    assert_eq!(failure(&take, second, &full), MeanCycleError::FullSpace);

    let idle = synthesize_idle(&IdleSettings::default()).unwrap();
    let found = |analysis: &Analysis| LoopCandidate {
        is_idle: true,
        ..analysis.appraise(30.0, 150.0, &SearchSettings::default()).unwrap()
    };
    assert_eq!(failure(&idle, found, &all), MeanCycleError::Idle);

    let mirrored = |analysis: &Analysis| LoopCandidate {
        pairing: Pairing::Mirrored(analysis.mirror(&[]).unwrap()),
        ..second(analysis)
    };
    assert_eq!(failure(&take, mirrored, &all), MeanCycleError::Mirrored);
}
