//! The recommended loop is the one that comes out best, not the one with the cheapest seam.

use std::cmp::Reverse;

use glam::{DQuat, DVec3};
use loopwright_core::{
    Joint, LoopCandidate, SearchSettings, Skeleton, Take, Tracks,
    candidate::{ChooseBy, Outcome},
};
use loopwright_mocap::folder_or_skip;
use loopwright_synth::{WalkSettings, Walker};

use crate::support::{analysed, captured, take_of, walk_of};

/// Returns a walk that gets faster all the time, with sensor noise.
fn drifting() -> Take {
    walk_of(WalkSettings::default().seconds(12.0).drift(0.5).noise_deg(0.2))
}

fn found(take: &Take, choose_by: ChooseBy) -> Vec<LoopCandidate> {
    let analysis = analysed(take);
    let settings = SearchSettings {
        choose_by,
        ..SearchSettings::default()
    };
    analysis.find_loops(&settings).unwrap().candidates
}

/// Returns the difference of speed over a cycle around both ends, measured apart from the library: at the hips.
fn drift(take: &Take, candidate: &LoopCandidate) -> f64 {
    let analysis = analysed(take);
    let hips = |frame: f64| analysis.world.position(frame.round() as usize, analysis.body.hips);
    let ends = [candidate.cut.start_frame(), candidate.cut.end_frame()];
    let last = (take.num_frames() - 1) as f64;
    // Both ends use the same part of a cycle.
    let half = (0.5 * candidate.num_frames / f64::from(candidate.cycles))
        .min(ends[0])
        .min(last - ends[1])
        .floor();
    let speed = |frame: f64| (hips(frame.floor() + half) - hips(frame.floor() - half)).length();
    let [from, to] = ends.map(speed);
    2.0 * (to - from).abs() / (from + to)
}

/// Returns a walk whose speed and step rate vary.
fn unsteady(seed: u64) -> Take {
    walk_of(
        WalkSettings::default()
            .seconds(12.0)
            .speed_variation(0.3)
            .noise_deg(0.1)
            .seed(seed),
    )
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
    // Fully made loops come first, in order, as many as may win; closed ones follow in order.
    let made_in_full = |candidate: &&LoopCandidate| candidate.outcome.unwrap().knee_ratio.is_some();
    let num_made = by_outcome.iter().take_while(made_in_full).count();
    let num_closed = by_outcome
        .iter()
        .take_while(|each| each.outcome.unwrap().displacement_metres.is_some())
        .count();
    for list in [&by_outcome[..num_made], &by_outcome[num_made..num_closed]] {
        for pair in list.windows(2) {
            let scores: Vec<f64> = by_outcome.iter().map(score).collect();
            let worth =
                |candidate: &LoopCandidate| (candidate.is_sound(), Reverse(candidate.steadiness_around.regularity()));
            assert!(
                worth(&pair[0]) > worth(&pair[1]) || score(&pair[0]) <= score(&pair[1]),
                "{scores:?}"
            );
        }
    }
    let num_all = by_outcome.iter().filter(made_in_full).count();
    assert!(
        (1..=3).contains(&num_made) && num_all == num_made,
        "{num_made} {num_all}"
    );
}

#[test]
fn fewer_candidates_are_the_first_of_more() {
    let analysis = analysed(&drifting());
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
    let with = |change: fn(&mut Outcome)| {
        let mut outcome = best;
        change(&mut outcome);
        outcome.score()
    };
    assert_eq!(with(|outcome| outcome.displacement_metres = Some(0.0025)), 0.5);
    assert_eq!(with(|outcome| outcome.speed_drift = Some(0.1)), 2.0);
    assert_eq!(with(|outcome| outcome.speed_drift = Some(4.0)), 3.0);
    assert_eq!(with(|outcome| outcome.speed_drift = None), 1.0);
    assert_eq!(with(|outcome| outcome.extra_cycles = 9), 3.0);
    let slides = |outcome: &mut Outcome| (outcome.foot_slide_mps, outcome.knee_ratio) = (Some(0.02), Some(1.25));
    assert_eq!(with(slides), 1.5);
}

/// If several cycles are recommended, the search states the loss with fewer; for one cycle there is nothing to state.
#[test]
fn several_cycles_have_a_reason() {
    let Some(folder) = folder_or_skip() else { return };
    for file in [
        "bandai-namco/dataset-1_walk-back_childish_001.bvh",
        "bandai-namco/dataset-2_walk_elderly_004.bvh",
        "100style/Neutral_FR.bvh",
        "pymo/AV_8Walk_Meredith.bvh",
    ] {
        let list = found(&captured(&folder, file), ChooseBy::Outcome);
        let has_reason = |candidate: &LoopCandidate| {
            candidate
                .outcome
                .is_some_and(|outcome| outcome.fewer_cycles_lose_by.is_some())
        };
        let has_extra = list[0].outcome.is_some_and(|outcome| outcome.extra_cycles > 0);
        assert_eq!(has_reason(&list[0]), has_extra, "{file}");
        assert!(!list[1..].iter().any(has_reason));
    }
}

/// Loops as listed: start, end in thousandths of frames, cycles.
fn listed(take: &Take) -> Vec<[i64; 3]> {
    let frames = |frame: f64| (1e3 * frame).round() as i64;
    let row = |loops: &LoopCandidate| {
        let (start, end) = (loops.cut.start_frame(), loops.cut.end_frame());
        [frames(start), frames(end), loops.cycles.into()]
    };
    found(take, ChooseBy::Outcome).iter().map(row).collect()
}

#[test]
fn takes_that_are_turned_or_mirrored_give_the_same_loops() {
    let walk = walk_of(WalkSettings::default().seconds(8.0).noise_deg(0.2));
    let num_joints = walk.num_joints();
    let step = (walk.translations(72)[0] - walk.translations(40)[0]) * DVec3::new(1.0, 0.0, 1.0);
    // Copied cycles cost nothing but rounding, whichever is chosen.
    let copies = take_of(walk.skeleton().clone(), walk.frame_time_secs(), 200, |frame, joint| {
        let (cycle, of_cycle) = (frame / 32, 40 + frame % 32);
        let moved = if joint == 0 { cycle as f64 * step } else { DVec3::ZERO };
        (
            walk.translations(of_cycle)[joint] + moved,
            walk.rotations(of_cycle)[joint],
        )
    });
    for take in [walk.clone(), copies] {
        let expected = listed(&take);
        for degrees in [37.0, 180.0] {
            let turn = DQuat::from_rotation_y(f64::to_radians(degrees));
            assert_eq!(listed(&take.turned(turn)), expected, "{degrees}");
        }
        let point = |at: DVec3| DVec3::new(-at.x, at.y, at.z);
        let partners = analysed(&take).mirror(&[]).unwrap();
        let joints = (0..num_joints).map(|joint| Joint {
            name: take.skeleton().joint(partners.partner(joint)).name.clone(),
            rest_offset: point(take.skeleton().joint(joint).rest_offset),
            tip: take.skeleton().joint(joint).tip.map(point),
            ..take.skeleton().joint(joint).clone()
        });
        let skeleton = Skeleton::new(joints.collect()).unwrap();
        let image = take_of(skeleton, take.frame_time_secs(), take.num_frames(), |frame, joint| {
            let turn = take.rotations(frame)[joint];
            let turn = DQuat::from_xyzw(turn.x, -turn.y, -turn.z, turn.w);
            (point(take.translations(frame)[joint]), turn)
        });
        assert_eq!(listed(&image), expected);
    }
}

/// The first frame half a frame later, and half of the frames: what is chosen belongs to the motion, but where two loops are nearly as good.
#[test]
fn walks_sampled_anew_give_the_same_stretch() {
    let same = (0..6).map(|seed| {
        let settings = WalkSettings::default().seconds(12.0).noise_deg(0.0);
        let walker = Walker::new(&settings.speed_variation(0.3).seed(seed)).unwrap();
        let ends = |rate_hz: f64, late_frames: f64| {
            let num_frames = (12.0 * rate_hz) as usize;
            let poses = (0..num_frames).map(|frame| walker.pose_at((frame as f64 + late_frames) / rate_hz));
            let skeleton = walker.skeleton().clone();
            let tracks = Tracks::from_poses(skeleton, 1.0 / rate_hz, poses).unwrap();
            let take = Take::from_tracks("made", tracks).unwrap();
            let cut = found(&take, ChooseBy::Outcome)[0].cut;
            [cut.start_frame(), cut.end_frame()].map(|frame| (frame + late_frames) / rate_hz)
        };
        let own = ends(60.0, 0.0);
        let others = [(60.0, 0.5), (30.0, 0.0)].map(|(rate_hz, late_frames)| ends(rate_hz, late_frames));
        let is_same = |other: &&[f64; 2]| own.iter().zip(*other).all(|(own, other)| (own - other).abs() < 0.034);
        others.iter().filter(is_same).count()
    });
    let same: usize = same.sum();
    assert!(same >= 10, "{same} of 12");
}
