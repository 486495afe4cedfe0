//! Contacts and segments against the truth of synthetic takes.

use glam::DVec3;
use loopwright_core::{
    Joint, Skeleton,
    analysis::{MotionKind, Segment},
};
use loopwright_synth::{WalkSettings, random_settings, synthesize};

use crate::support::{analysed, posed, posed_on, steady, walk_of};

/// How the strikes or the lifts that are found compare with the true ones.
#[derive(Default)]
struct Misses {
    /// Differences from the true ones inside the take, seconds; infinite if none was found within a quarter of a second.
    secs: Vec<f64>,
    num_found: usize,
}

impl Misses {
    fn mean_secs(&self) -> f64 {
        self.secs.iter().map(|off| off.abs()).sum::<f64>() / self.secs.len() as f64
    }

    /// The harmonic mean of the shares of true and of found ones that are within 50 ms of each other.
    fn f1(&self) -> f64 {
        let hits = self.secs.iter().filter(|off| off.abs() <= 0.05).count();
        2.0 * hits as f64 / (self.secs.len() + self.num_found) as f64
    }
}

fn misses(settings: &WalkSettings) -> [Misses; 2] {
    let synthetic = synthesize(settings).unwrap();
    let analysis = analysed(&synthetic.take);
    let step = synthetic.take.frame_time_secs();
    let inside = 0.1..synthetic.take.duration_secs() - 0.1;
    let mut misses = [Misses::default(), Misses::default()];
    for (index, foot) in analysis.body.feet.iter().enumerate() {
        let name = &synthetic.take.skeleton().joint(foot.ankle).name;
        let found = || analysis.contacts.stays().iter().filter(|stay| stay.foot == index);
        let truth = || synthetic.truth.stays.iter().filter(|stay| &stay.foot == name);
        let strikes = (found().map(|stay| stay.strike), truth().map(|stay| stay.strike_secs));
        let lifts = (found().map(|stay| stay.lift), truth().map(|stay| stay.lift_secs));
        let ends: [(Vec<_>, Vec<_>); 2] = [
            (strikes.0.flatten().collect(), strikes.1.flatten().collect()),
            (lifts.0.flatten().collect(), lifts.1.flatten().collect()),
        ];
        for (misses, (found, truth)) in misses.iter_mut().zip(ends) {
            let found: Vec<f64> = found.iter().map(|frame| frame * step).collect();
            misses.num_found += found.iter().filter(|secs| inside.contains(secs)).count();
            for truth in truth.iter().filter(|secs| inside.contains(secs)) {
                let off = found.iter().map(|secs| secs - truth);
                let nearest = off.min_by(|one, other| one.abs().total_cmp(&other.abs()));
                let near = nearest.filter(|off| off.abs() < 0.25);
                misses.secs.push(near.unwrap_or(f64::INFINITY));
            }
        }
    }
    misses
}

#[test]
fn strikes_and_lifts_are_those_of_the_truth() {
    for (speed_mps, period_secs) in [(0.8, 1.4), (1.25, 1.1537), (1.8, 0.93), (3.0, 0.7)] {
        for rate_hz in [30.0, 60.0, 120.0] {
            for (noise_deg, most_secs, least_f1) in [(0.0, 0.012, 0.98), (0.3, 0.015, 0.95)] {
                let settings = steady().speed_mps(speed_mps).period_secs(period_secs).turn_dps(0.0);
                let settings = settings.frame_rate_hz(rate_hz).noise_deg(noise_deg).seconds(20.0);
                for (end, misses) in misses(&settings).iter().enumerate() {
                    let (mean, f1) = (misses.mean_secs(), misses.f1());
                    assert!(misses.secs.len() >= 20);
                    assert!(
                        mean < most_secs && f1 > least_f1,
                        "end {end}: {mean} s, F1 {f1} at {speed_mps} m/s, {rate_hz} Hz, noise {noise_deg}"
                    );
                }
            }
        }
    }
}

#[test]
fn strikes_and_lifts_of_random_walks_are_those_of_the_truth() {
    let mut all = [Misses::default(), Misses::default()];
    for seed in 0..60 {
        for (all, misses) in all.iter_mut().zip(misses(&random_settings(seed))) {
            all.secs.extend(misses.secs);
            all.num_found += misses.num_found;
        }
    }
    for (end, mut misses) in all.into_iter().enumerate() {
        let (count, f1) = (misses.secs.len(), misses.f1());
        misses.secs.sort_by(f64::total_cmp);
        let bias = misses.secs[count / 2];
        assert!(
            count > 500 && f1 > 0.98 && bias.abs() < 0.012,
            "end {end}: F1 {f1} of {count}, bias {bias} s"
        );
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
    let strikes = synthetic
        .truth
        .stays
        .iter()
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
