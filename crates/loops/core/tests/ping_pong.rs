//! Stretches that are played there and back.

use glam::{DQuat, DVec3};
use loopwright_core::{
    LoopSettings, MadeLoop, SearchSettings, Take,
    candidate::SearchError,
    math::{ops, rotation},
    mirror::Pairing,
    pipeline::MakeError,
};

use crate::support::{analysed, chain, posed, skeleton};

const TAU: f64 = core::f64::consts::TAU;

fn ping_pong(take: &Take, ease_secs: f64) -> SearchSettings {
    SearchSettings {
        pairing: Pairing::PingPong {
            ease_frames: ease_secs / take.frame_time_secs(),
        },
        ..SearchSettings::default()
    }
}

/// Returns the angle of a joint of a banner, which swings at two rates of no common period; radians.
fn angle(joint: usize, secs: f64) -> f64 {
    let phase = 0.7 * joint as f64;
    0.2 * ops::sin(TAU * 0.43 * secs - phase) + 0.11 * ops::sin(TAU * 0.43 * 1.618 * secs + 0.3 - 2.0 * phase)
}

/// Returns a banner of six bones along X, sampled from its angles.
fn banner(rate_hz: f64, secs: f64) -> Take {
    let skeleton = chain(&["pole", "b1", "b2", "b3", "b4", "tip"], 0.2 * DVec3::X);
    let (count, joints) = ((secs * rate_hz) as usize + 1, skeleton.num_joints());
    let at = |index: usize| (index % joints, (index / joints) as f64 / rate_hz);
    let translation = |index: usize| match at(index).0 {
        0 => 2.0 * DVec3::Y,
        _ => 0.2 * DVec3::X,
    };
    let translations = (0..count * joints).map(translation).collect();
    let turn = |index: usize| {
        let (joint, secs) = at(index);
        DQuat::from_rotation_z(if joint == 0 { 0.0 } else { angle(joint, secs) })
    };
    let rotations = (0..count * joints).map(turn).collect();
    Take::new("banner", skeleton, 1.0 / rate_hz, translations, rotations).unwrap()
}

/// Returns the loop of frames of the user's choice.
fn made_of(take: &Take, start: f64, end: f64, ease_secs: f64, settings: &LoopSettings) -> MadeLoop {
    let analysis = analysed(take);
    let candidate = analysis.appraise(start, end, &ping_pong(take, ease_secs)).unwrap();
    analysis.make_loop(&candidate, settings).unwrap()
}

/// Returns the local rotation of a joint about Z at a sample.
fn turned(made: &MadeLoop, sample: usize, joint: usize) -> f64 {
    let turn = made.loop_clip.folded_pose(sample).rotations[joint];
    rotation::difference(turn, DQuat::IDENTITY).z
}

#[test]
fn poses_before_and_after_a_turn_are_the_same_to_the_bit() {
    let take = banner(30.0, 8.0);
    for (start, end, ease) in [
        (20.0, 77.0, 0.5),
        (20.3, 77.9, 0.5),
        (31.0, 40.0, 2.0),
        (0.0, 240.0, 0.3),
    ] {
        let made = made_of(&take, start, end, ease, &LoopSettings::default());
        let count = made.loop_clip.num_samples();
        for sample in 1..count {
            let [there, back] = [sample, count - sample].map(|sample| made.loop_clip.folded_pose(sample));
            assert_eq!(there, back, "{start}:{end} sample {sample} of {count}");
        }
        assert_eq!(made.loop_clip.root().twist, loopwright_core::math::Twist::default());
    }
    // Between the turns the frames are those of the take.
    let made = made_of(&take, 20.0, 77.0, 0.5, &LoopSettings::default());
    assert_eq!(made.loop_clip.num_samples(), 2 * 57 + 4 * 3);
    for sample in 8..49 {
        for joint in 1..6 {
            let own = take.rotations(20 + sample - 3)[joint];
            let written = made.loop_clip.folded_pose(sample).rotations[joint];
            assert!(rotation::difference(own, written).length() < 1e-12);
        }
    }
}

/// If a motion is C2, halving the step halves the largest change of its acceleration from sample to sample; if the acceleration jumps, that
/// change stays. Turns of a few frames, which take ever less time, are the counterexample.
#[test]
fn acceleration_goes_on_over_both_turns_and_all_joins() {
    let largest_change = |rate: f64, ease: f64| {
        let take = banner(rate, 6.0);
        let made = made_of(&take, 0.5 * rate, 3.3 * rate, ease, &LoopSettings::default());
        let count = made.loop_clip.num_samples();
        let at = |sample: usize, joint: usize| turned(&made, sample % count, joint);
        let acceleration = |sample: usize, joint: usize| {
            let [before, at, after] = [0, 1, 2].map(|step| at(sample + step, joint));
            (before - 2.0 * at + after) * rate * rate
        };
        let change = |(sample, joint)| (acceleration(sample + 1, joint) - acceleration(sample, joint)).abs();
        let all = (0..count).flat_map(|sample| (1..6).map(move |joint| (sample, joint)));
        all.map(change).fold(0.0, f64::max)
    };
    let [coarse, middle, fine] = [120.0, 240.0, 480.0].map(|rate| largest_change(rate, 0.5));
    assert!(coarse / middle > 1.7 && middle / fine > 1.7, "{coarse} {middle} {fine}");
    let [coarse, fine] = [240.0, 480.0].map(|rate| largest_change(rate, 1e-9));
    assert!(coarse / fine < 1.2, "{coarse} {fine}");
}

#[test]
fn the_stretch_is_found_whose_ends_are_slow() {
    let take = banner(60.0, 12.0);
    let analysis = analysed(&take);
    let settings = ping_pong(&take, 0.5);
    let (found, _) = analysis.find_and_make(&settings).unwrap();
    let world = take.world_tracks();
    let speed = |frame: f64| -> f64 {
        let frame = (frame as usize).clamp(1, take.num_frames() - 2);
        let way = |joint: usize| world.position(frame + 1, joint) - world.position(frame - 1, joint);
        (1..6).map(|joint| way(joint).length_squared()).sum()
    };
    let best = found.best().unwrap();
    let (start, end) = (best.cut.start_frame(), best.cut.end_frame());
    let frames = (end - start) as usize;
    let mean = (0..=frames).map(|frame| speed(start + frame as f64)).sum::<f64>() / frames as f64;
    assert!(speed(start) + speed(end) < 0.3 * mean, "{start}:{end}");
    // Nearly as long as a loop of ten seconds allows.
    assert!(
        best.source_period_secs <= 10.0 + 1e-9 && best.source_period_secs > 7.5,
        "{}",
        best.source_period_secs
    );
    assert!(best.is_sound() && best.is_confident() && best.loops_already());
    // The list of rows is the same.
    let rows = analysis.find_stretches(&settings).unwrap().rows;
    assert_eq!(&rows[0].best, best);

    for [low, high] in [[0.4, 3.0], [4.0, 5.0], [0.4, 0.8]] {
        let bounds = SearchSettings {
            min_secs: low,
            max_secs: high,
            ..settings.clone()
        };
        for candidate in analysis.find_loops(&bounds).unwrap().candidates {
            let secs = candidate.source_period_secs;
            assert!((low - 1e-9..=high + 1e-9).contains(&secs), "{secs}");
            let made = analysis.make_loop(&candidate, &LoopSettings::default()).unwrap();
            assert!((made.loop_clip.period_secs() - secs).abs() < 1e-9);
        }
    }
    let within = SearchSettings {
        within: Some((100, 300)),
        ..settings
    };
    for candidate in analysis.find_loops(&within).unwrap().candidates {
        assert!(candidate.cut.start_frame() >= 100.0 && candidate.cut.end_frame() <= 300.0);
    }
}

#[test]
fn what_cannot_be_trusted_is_left_out() {
    let take = banner(60.0, 6.0);
    // The rest pose before it, held; a jump inside; and the last pose, held.
    let odd = posed(&take, |frame, pose| match frame {
        0..40 => pose.rotations.fill(DQuat::IDENTITY),
        150 => pose.rotations[2] = DQuat::from_rotation_z(2.0),
        320.. => pose.rotations.copy_from_slice(take.rotations(320)),
        _ => {}
    });
    let analysis = analysed(&odd);
    let found = analysis.find_loops(&ping_pong(&odd, 0.5)).unwrap();
    assert!(!found.candidates.is_empty());
    for candidate in &found.candidates {
        let (start, end) = (candidate.cut.start_frame(), candidate.cut.end_frame());
        assert!(start >= 39.0 && end <= 320.0, "{start}:{end}");
        assert!(end < 150.0 || start > 150.0, "{start}:{end}");
    }
}

/// Long stretches have more ends than are tried one by one: of all that are far enough, the slowest of every few neighbours are.
#[test]
fn long_stretches_are_found() {
    let skeleton = chain(&["pole", "banner", "tip"], 0.2 * DVec3::X);
    let (count, rate_hz) = (9600, 30.0);
    // It trembles so that each second frame is slower than its neighbours.
    let angle = |frame: usize| {
        let trembles = [0.0, 1.0, 0.0, -1.0][frame % 4];
        0.3 * ops::sin(TAU * 0.43 * frame as f64 / rate_hz) + 0.02 * trembles
    };
    let at = |index: usize| DQuat::from_rotation_z(if index % 3 == 1 { angle(index / 3) } else { 0.0 });
    let take = Take::new(
        "banner",
        skeleton,
        1.0 / rate_hz,
        (0..3 * count).map(|_| 0.2 * DVec3::X).collect(),
        (0..3 * count).map(at).collect(),
    )
    .unwrap();
    let analysis = analysed(&take);
    let moved = |frame: usize| angle(frame + 1) - angle(frame - 1);
    let mean = (1..count - 1).map(|frame| moved(frame) * moved(frame)).sum::<f64>() / (count - 2) as f64;
    for shortest in [1.0, 600.0] {
        let settings = SearchSettings {
            min_secs: shortest,
            max_secs: 638.0,
            ..ping_pong(&take, 0.5)
        };
        let found = analysis.find_loops(&settings).unwrap();
        let best = found.candidates.first().expect("a stretch of five minutes");
        let secs = best.source_period_secs;
        assert!((600.0..=638.0).contains(&secs), "{secs}");
        for end in [best.cut.start_frame(), best.cut.end_frame()] {
            let moved = moved((end as usize).clamp(1, count - 2));
            assert!(moved * moved < 0.1 * mean, "{end}: {} of {mean}", moved * moved);
        }
    }
}

#[test]
fn what_cannot_be_made_is_refused() {
    let take = banner(30.0, 4.0);
    let analysis = analysed(&take);
    let settings = ping_pong(&take, 0.5);
    assert!(analysis.appraise(10.0, 12.0, &settings).is_err());
    assert!(analysis.appraise(50.0, 10.0, &settings).is_err());
    assert!(analysis.appraise(50.0, 1e9, &settings).is_err());
    let candidate = analysis.appraise(10.0, 80.0, &settings).unwrap();
    let mean = LoopSettings {
        mean_cycles: loopwright_core::mean_cycle::MeanCycles::All,
        ..LoopSettings::default()
    };
    assert!(matches!(
        analysis.make_loop(&candidate, &mean),
        Err(MakeError::MeanCycle(_))
    ));
    let short = banner(30.0, 0.1);
    let analysis = analysed(&short);
    let refused = analysis.find_loops(&ping_pong(&short, 0.5));
    assert!(matches!(refused, Err(SearchError::TooShort { .. })), "{refused:?}");
    let one = skeleton(&[("thing", None, DVec3::ZERO)]);
    let still = Take::new("still", one, 0.1, vec![DVec3::ZERO; 50], vec![DQuat::IDENTITY; 50]).unwrap();
    let analysis = analysed(&still);
    assert_eq!(analysis.find_loops(&ping_pong(&still, 0.5)), Err(SearchError::Still));
    // Odd numbers of frames and odd times of turns give loops all the same.
    for ease in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e-300, 1e300] {
        let made = made_of(&take, 10.2, 50.7, ease, &LoopSettings::default());
        assert!(made.loop_clip.num_samples() > 80);
    }
}
