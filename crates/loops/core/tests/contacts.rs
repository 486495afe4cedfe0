//! Contacts and segments against the truth of synthetic takes.

use loopwright_core::analysis::{MotionKind, Segment};
use loopwright_synth::{WalkSettings, random_settings, synthesize};

use crate::support::{analysed, posed, steady, walk_of};

/// Returns the distance of the detected spans from the true ones, frames at 30 per second, one entry for each end of a true
/// contact inside the take; infinite if none was detected for it.
fn misses(settings: &WalkSettings) -> Vec<f64> {
    let synthetic = synthesize(settings).unwrap();
    let analysis = analysed(&synthetic.take);
    let last = (synthetic.take.num_frames() - 1) as f64;
    let to_30 = 30.0 / settings.frame_rate_hz;
    let mut misses = Vec::new();
    for (index, foot) in analysis.body.feet.iter().enumerate() {
        let name = &synthetic.take.skeleton().joint(foot.lowest_joint()).name;
        let found: Vec<_> = (analysis.contacts.spans().iter())
            .filter(|contact| contact.foot == index)
            .collect();
        for truth in synthetic.truth.contacts.iter().filter(|contact| &contact.joint == name) {
            // Contacts cut off by the ends of the take have no true ends.
            if truth.start_frame < 2.0 || truth.end_frame > last - 1.0 {
                continue;
            }
            let middle = 0.5 * (truth.start_frame + truth.end_frame);
            match found
                .iter()
                .find(|span| (span.start_frame as f64..=span.end_frame as f64).contains(&middle))
            {
                Some(span) => {
                    misses.push((span.start_frame as f64 - truth.start_frame).abs() * to_30);
                    misses.push((span.end_frame as f64 - truth.end_frame).abs() * to_30);
                }
                None => misses.extend([f64::INFINITY; 2]),
            }
        }
    }
    misses
}

#[test]
fn contacts_are_those_of_the_truth() {
    let mut all = Vec::new();
    for seed in 0..60 {
        all.extend(misses(&random_settings(seed)));
    }
    assert!(all.len() > 1000, "{}", all.len());
    let (off, count) = (all.iter().filter(|&&miss| miss > 2.0).count(), all.len());
    assert!(
        off as f64 <= 0.02 * count as f64,
        "{off} of {count} ends are more than two frames off"
    );
}

/// A larger body moves faster, and stands where the smaller one does. Sizes are powers of two, so that nothing is rounded.
#[test]
fn contacts_are_the_same_at_every_size() {
    let take = walk_of(WalkSettings::default());
    let spans = |size: f64| {
        let sized = posed(&take, |_, pose| pose.translations.iter_mut().for_each(|at| *at *= size));
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
    let foot = analysis.body.feet[0].lowest_joint();
    let name = &synthetic.take.skeleton().joint(foot).name;
    let strike = (synthetic.truth.contacts.iter())
        .find(|contact| &contact.joint == name && contact.start_frame > 10.0)
        .unwrap()
        .start_frame;
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
