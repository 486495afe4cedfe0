//! The recommended loop is the one that comes out best, not the one with the cheapest seam.

use loopwright::{
    Analysis, LoopCandidate, SearchSettings, Take,
    candidate::{ChooseBy, Outcome},
};
use loopwright_synth::{WalkSettings, synthesize};

/// A walk that gets faster all the time, with sensor noise.
fn drifting() -> Take {
    let settings = WalkSettings {
        seconds: 12.0,
        drift: 0.5,
        noise_deg: 0.2,
        ..WalkSettings::default()
    };
    synthesize(&settings).unwrap().take
}

fn found(take: &Take, choose_by: ChooseBy) -> Vec<LoopCandidate> {
    let analysis = Analysis::new(take).unwrap();
    let settings = SearchSettings {
        choose_by,
        ..SearchSettings::default()
    };
    analysis.find_loops(&settings).unwrap().candidates
}

/// Difference of speed over a cycle around both ends, measured apart from the library: at the hips.
fn drift(take: &Take, candidate: &LoopCandidate) -> f64 {
    let analysis = Analysis::new(take).unwrap();
    let hips = |frame: f64| analysis.world.position(frame.round() as usize, analysis.body.hips);
    let ends = [candidate.cut.start_frame(), candidate.cut.end_frame()];
    let last = (take.num_frames() - 1) as f64;
    // The same part of a cycle at both ends.
    let half = (0.5 * candidate.num_frames / f64::from(candidate.cycles))
        .min(ends[0])
        .min(last - ends[1])
        .floor();
    let speed = |frame: f64| (hips(frame.floor() + half) - hips(frame.floor() - half)).length();
    let [from, to] = ends.map(speed);
    2.0 * (to - from).abs() / (from + to)
}

/// A walk whose speed and step rate vary.
fn unsteady(seed: u64) -> Take {
    let settings = WalkSettings {
        seconds: 12.0,
        speed_variation: 0.3,
        noise_deg: 0.1,
        seed,
        ..WalkSettings::default()
    };
    synthesize(&settings).unwrap().take
}

#[test]
fn steadier_stretches_are_recommended() {
    let mut drifts = [0.0, 0.0];
    for seed in 0..12 {
        let take = unsteady(seed);
        for (sum, choose_by) in drifts.iter_mut().zip([ChooseBy::Outcome, ChooseBy::Cost]) {
            *sum += drift(&take, &found(&take, choose_by)[0]) / 12.0;
        }
    }
    let [ours, cheapest] = drifts;
    assert!(ours < 0.7 * cheapest && ours < 0.04, "{ours} against {cheapest}");
}

#[test]
fn the_list_is_in_the_order_of_outcome() {
    let take = unsteady(11);
    let by_outcome = found(&take, ChooseBy::Outcome);
    let by_cost = found(&take, ChooseBy::Cost);
    let score = |candidate: &LoopCandidate| candidate.outcome.unwrap().score();
    assert!(by_cost.iter().all(|candidate| candidate.outcome.is_none()));
    // Those made in full come first, in order; the others follow in order, too.
    for list in [&by_outcome[..3], &by_outcome[3..]] {
        for pair in list.windows(2) {
            assert!(
                (pair[0].is_sound() && !pair[1].is_sound()) || score(&pair[0]) <= score(&pair[1]),
                "{:?}",
                by_outcome.iter().map(score).collect::<Vec<_>>()
            );
        }
    }
    let made_in_full = |candidate: &LoopCandidate| candidate.outcome.unwrap().knee_ratio.is_some();
    assert!(by_outcome[..3].iter().all(made_in_full) && !by_outcome[3..].iter().any(made_in_full));
}

#[test]
fn fewer_candidates_are_the_first_of_more() {
    let analysis = Analysis::new(&drifting()).unwrap();
    let list = |max_candidates: usize| {
        let settings = SearchSettings {
            max_candidates,
            ..SearchSettings::default()
        };
        analysis.find_loops(&settings).unwrap().candidates
    };
    let all = list(20);
    for count in [1, 2, 7] {
        assert_eq!(list(count), all[..count]);
    }
    let stretches = analysis.find_stretches(&SearchSettings::default()).unwrap();
    assert_eq!(stretches.rows[0].best, all[0]);
}

#[test]
fn a_part_counts_three_at_most_and_nothing_below_zero() {
    let best = Outcome {
        speed_drift: Some(0.0),
        turn_drift_radians: Some(0.0),
        knee_ratio: Some(0.2),
        ..Outcome::default()
    };
    assert_eq!(best.score(), 0.0);
    let of = |outcome: Outcome| outcome.score();
    assert_eq!(
        of(Outcome {
            displacement_metres: Some(0.0025),
            ..best
        }),
        0.5
    );
    assert_eq!(
        of(Outcome {
            speed_drift: Some(0.1),
            ..best
        }),
        2.0
    );
    assert_eq!(
        of(Outcome {
            speed_drift: Some(4.0),
            ..best
        }),
        3.0
    );
    assert_eq!(
        of(Outcome {
            speed_drift: None,
            ..best
        }),
        1.0
    );
    assert_eq!(
        of(Outcome {
            extra_cycles: 9,
            ..best
        }),
        3.0
    );
    assert_eq!(
        of(Outcome {
            foot_slide_mps: Some(0.02),
            knee_ratio: Some(1.25),
            ..best
        }),
        1.5
    );
}

/// Where several cycles are recommended, the search says what fewer lose by; of one cycle there is nothing to say.
#[test]
fn several_cycles_have_a_reason() {
    let Some(folder) = loopwright_mocap::folder_or_skip() else {
        return;
    };
    for (file, is_several) in [
        ("bandai-namco/dataset-2_walk-turn-right_masculine_006.bvh", true),
        ("bandai-namco/dataset-2_walk_elderly_004.bvh", false),
    ] {
        let bytes = std::fs::read(folder.join(file)).unwrap();
        let settings = loopwright_formats::ReadSettings::default();
        let take = loopwright_formats::read_take(&bytes, file, &settings, &mut Vec::new())
            .unwrap()
            .take;
        let list = found(&take, ChooseBy::Outcome);
        let reason = list[0].outcome.unwrap().fewer_cycles_lose_by;
        assert_eq!(
            (list[0].cycles > 1, reason.is_some()),
            (is_several, is_several),
            "{file}"
        );
        assert!(list[1..].iter().all(|other| {
            other
                .outcome
                .is_none_or(|outcome| outcome.fewer_cycles_lose_by.is_none())
        }));
    }
}
