//! Contacts and segments against the truth of synthetic takes.

use glam::DVec3;
use loopwright_core::analysis::{MotionKind, Segment};
use loopwright_core::{Joint, Skeleton};
use loopwright_synth::{WalkSettings, random_settings, synthesize};

use crate::support::{analysed, posed, posed_on, steady, walk_of};

/// Returns the differences of strikes and of lifts from the true ones, seconds, one for each true one inside the take; infinite if
/// none was found within a quarter of a second.
fn misses(settings: &WalkSettings) -> [Vec<f64>; 2] {
    let synthetic = synthesize(settings).unwrap();
    let analysis = analysed(&synthetic.take);
    let step = synthetic.take.frame_time_secs();
    let mut misses = [Vec::new(), Vec::new()];
    for (index, foot) in analysis.body.feet.iter().enumerate() {
        let name = &synthetic.take.skeleton().joint(foot.ankle).name;
        let found = || analysis.contacts.stays().iter().filter(|stay| stay.foot == index);
        let ends = [
            found().filter_map(|stay| stay.strike).collect::<Vec<f64>>(),
            found().filter_map(|stay| stay.lift).collect(),
        ];
        let inside = 0.1..(synthetic.take.num_frames() - 1) as f64 * step - 0.1;
        for truth in synthetic.truth.stays.iter().filter(|stay| &stay.foot == name) {
            for (end, truth) in [truth.strike_secs, truth.lift_secs].into_iter().enumerate() {
                let Some(truth) = truth.filter(|secs| inside.contains(secs)) else {
                    continue;
                };
                let off = ends[end].iter().map(|frame| frame * step - truth);
                let nearest = off.min_by(|one, other| one.abs().total_cmp(&other.abs()));
                misses[end].push(nearest.filter(|off| off.abs() < 0.25).unwrap_or(f64::INFINITY));
            }
        }
    }
    misses
}

#[test]
fn strikes_and_lifts_are_those_of_the_truth() {
    let mut all = [Vec::new(), Vec::new()];
    for seed in 0..60 {
        for (all, misses) in all.iter_mut().zip(misses(&random_settings(seed))) {
            all.extend(misses);
        }
    }
    for (end, mut misses) in all.into_iter().enumerate() {
        let count = misses.len();
        assert!(count > 500, "{count}");
        let off = misses.iter().filter(|miss| miss.abs() > 0.05).count();
        misses.sort_by(f64::total_cmp);
        let bias = misses[count / 2];
        assert!(
            off as f64 <= 0.02 * count as f64,
            "end {end}: {off} of {count} are more than 50 ms off"
        );
        assert!(bias.abs() < 0.02, "end {end}: {bias} s");
    }
}

/// A treadmill takes an even travel away, a clip in place the whole: the feet bear as before.
#[test]
fn feet_bear_on_ground_that_moves_as_on_ground_that_rests() {
    let take = walk_of(steady().turn_dps(0.0));
    let hips = take.world_tracks();
    let travel = hips.position(take.num_frames() - 1, 0) - hips.position(0, 0);
    let stays = |away: &dyn Fn(usize) -> DVec3| {
        let moved = posed(&take, |frame, pose| pose.translations[0] -= away(frame).with_y(0.0));
        analysed(&moved).contacts
    };
    let own = stays(&|_| DVec3::ZERO);
    assert!(own.stays().len() > 8 && own.ground().mean_mps().is_none());
    let last = (take.num_frames() - 1) as f64;
    let mps = travel.length() / (last * take.frame_time_secs());
    type Away<'a> = &'a dyn Fn(usize) -> DVec3;
    let ways: [(Away<'_>, f64); 2] = [
        (&|frame| travel * (frame as f64 / last), 0.02),
        (&|frame| hips.position(frame, 0), 0.025),
    ];
    for (away, most_secs) in ways {
        let found = stays(away);
        assert!((found.ground().mean_mps().unwrap() - mps).abs() < 0.1 * mps);
        for (stay, own) in found.stays().iter().zip(own.stays()) {
            for (found, own) in [(stay.strike, own.strike), (stay.lift, own.lift)] {
                let off = (found.unwrap_or(0.0) - own.unwrap_or(0.0)) * take.frame_time_secs();
                assert!(off.abs() < most_secs, "{off} s");
            }
        }
        assert_eq!(found.stays().len(), own.stays().len());
    }
}

/// A larger body moves faster, and stands where the smaller one does. Sizes are powers of two, so that nothing is rounded.
#[test]
fn contacts_are_the_same_at_every_size() {
    let take = walk_of(WalkSettings::default());
    let spans = |size: f64| {
        let joints = take.skeleton().joints().iter().map(|joint| Joint {
            rest_offset: joint.rest_offset * size,
            tip: joint.tip.map(|tip| tip * size),
            ..joint.clone()
        });
        let skeleton = Skeleton::new(joints.collect()).unwrap();
        let sized = posed_on(&take, skeleton, |_, pose| {
            pose.translations.iter_mut().for_each(|at| *at *= size);
        });
        analysed(&sized).contacts.spans().to_vec()
    };
    let own = spans(1.0);
    assert!(own.len() > 4, "{}", own.len());
    for size in [0.25, 4.0] {
        assert_eq!(spans(size), own, "size {size}");
    }
}

#[test]
fn the_phase_counts_from_the_strike_of_the_left_foot() {
    let settings = steady();
    let synthetic = synthesize(&settings).unwrap();
    let analysis = analysed(&synthetic.take);
    let period = settings.period_secs * settings.frame_rate_hz;
    let name = &synthetic.take.skeleton().joint(analysis.body.feet[0].ankle).name;
    let strikes = (synthetic.truth.stays.iter())
        .filter(|stay| &stay.foot == name)
        .filter_map(|stay| Some(stay.strike_secs? * settings.frame_rate_hz));
    let strike = strikes.into_iter().find(|strike| *strike > 10.0).unwrap();
    for ahead in [0.1, 0.4, 0.8, 1.3, 2.7] {
        let phase = analysis.contacts.phase(strike + ahead * period, period).unwrap();
        assert!((phase - ahead % 1.0).abs() < 0.04, "{ahead}: {phase}");
    }
    // Before the first strike the phase counts back from it.
    let phase = analysis.contacts.phase(strike - 0.25 * period, period).unwrap();
    assert!((phase - 0.75).abs() < 0.04, "{phase}");
}

#[test]
fn segments_separate_standing_from_walking_and_curves_from_lines() {
    let segments = |settings: WalkSettings| -> Vec<Segment> { analysed(&walk_of(settings)).segments };
    let settings = WalkSettings::default().lead_in_secs(3.0).turn_dps(0.0);
    let found = segments(settings.clone());
    let kinds: Vec<MotionKind> = found.iter().map(|segment| segment.gait.kind).collect();
    assert_eq!(kinds, [MotionKind::Idle, MotionKind::Walk]);
    assert!(found[0].end_frame.abs_diff(180) < 60, "{found:?}");
    let starts = (found[0].start_frame, found[1].start_frame);
    assert_eq!(starts, (0, found[0].end_frame + 1));
    for (turn_dps, curve) in [(40.0, "turning_walk, left"), (-40.0, "turning_walk, right")] {
        let found = segments(WalkSettings::default().turn_dps(turn_dps));
        assert_eq!((found.len(), found[0].gait.to_string()), (1, curve.to_owned()));
    }
}
