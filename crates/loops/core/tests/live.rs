//! When a loop can be tried while a walk goes on.

use glam::{DQuat, DVec3};
use loopwright_core::{
    Joint, Skeleton,
    live::{Due, Listener},
    math::ops,
};
use loopwright_synth::{WalkSettings, synthesize};

/// Returns the tries of a walk, its period and its frame time.
fn heard(settings: &WalkSettings) -> (Vec<Due>, f64, f64) {
    let walk = synthesize(settings).unwrap();
    let take = &walk.take;
    let mut listener = Listener::new(take.skeleton(), take.frame_time_secs());
    let tries = (0..take.num_frames()).filter_map(|frame| listener.push(take.rotations(frame)));
    (tries.collect(), walk.truth.period_secs, take.frame_time_secs())
}

/// Paces, rates, turns, and noise of sensors: the first try after three cycles, then one after each.
#[test]
fn tries_come_at_the_ends_of_cycles() {
    let base = || WalkSettings::default().seconds(12.0);
    let settings = [
        base(),
        base().frame_rate_hz(120.0).period_secs(0.8),
        base().frame_rate_hz(24.0).period_secs(1.5),
        base().frame_rate_hz(60.0).turn_dps(50.0).noise_deg(0.5),
        base().frame_rate_hz(240.0).speed_variation(0.03),
        base().frame_rate_hz(60.0).lead_in_secs(2.5),
    ];
    for settings in settings {
        let (tries, period, frame_time) = heard(&settings);
        let secs = |due: &Due| due.frames.end as f64 * frame_time - settings.lead_in_secs;
        let tries: Vec<Due> = tries.into_iter().filter(|due| due.period_secs.is_some()).collect();
        let ends: Vec<f64> = tries.iter().map(|due| secs(due) / period).collect();
        // After standing, a walk begins slowly.
        let tolerance = if settings.lead_in_secs > 0.0 { 0.5 } else { 0.12 };
        assert!((ends[0] - 3.0).abs() < tolerance, "{settings:?}: {ends:?}");
        assert!(
            ends.windows(2).all(|pair| (pair[1] - pair[0] - 1.0).abs() < 0.1),
            "{settings:?}: {ends:?}"
        );
        for due in &tries {
            let found = due.period_secs.unwrap_or(0.0);
            assert!((found / period - 1.0).abs() < 0.05, "{settings:?}: {found} of {period}");
            assert!(due.frames.len() as f64 * frame_time < 12.1, "{due:?}");
        }
        let cycles: Vec<usize> = tries.iter().map(|due| due.cycle).collect();
        assert_eq!(cycles, (3..3 + cycles.len()).collect::<Vec<_>>(), "{settings:?}");
        let all = (tries[tries.len() - 1].frames.end as f64 * frame_time + period) >= settings.seconds - 0.1 * period;
        assert!(all, "{settings:?}: {ends:?}");
    }
}

#[test]
fn a_body_that_stands_has_no_rhythm() {
    let skeleton = Skeleton::new(vec![
        Joint::new("a", None, DVec3::ZERO),
        Joint::new("b", Some(0), DVec3::X),
        Joint::new("c", Some(0), DVec3::Y),
        Joint::new("d", Some(1), DVec3::Y),
    ]);
    let skeleton = skeleton.unwrap();
    let mut listener = Listener::new(&skeleton, 0.02);
    let tries: Vec<Due> = (0..1000).filter_map(|_| listener.push(&[DQuat::IDENTITY; 4])).collect();
    assert_eq!(listener.period_secs(), None);
    let expected: Vec<usize> = (1..=4).collect();
    assert_eq!(tries.iter().map(|due| due.cycle).collect::<Vec<_>>(), expected);
    // If nothing was found, the next try of a rhythm comes soon.
    let swing = |frame: usize| {
        let phase = core::f64::consts::TAU * frame as f64 / 50.0;
        let angle = 0.5 * ops::sin(phase);
        let lean = 0.4 * ops::cos(phase);
        [
            DQuat::IDENTITY,
            DQuat::from_rotation_x(angle),
            DQuat::IDENTITY,
            DQuat::from_rotation_z(lean),
        ]
    };
    let mut ends = Vec::new();
    for frame in 0..400 {
        if let Some(due) = listener.push(&swing(frame)).filter(|due| due.period_secs.is_some()) {
            ends.push(due.frames.end - 1000);
            listener.found_nothing();
        }
    }
    assert!(ends[0].abs_diff(150) < 10, "{ends:?}");
    assert!(
        ends[1..].windows(2).all(|pair| pair[1].abs_diff(pair[0] + 13) < 2),
        "{ends:?}"
    );
}

/// A camera of few frames a second shows a cycle of any length: the period lies between two of its frames.
#[test]
fn a_period_is_found_to_a_fifth_of_a_frame() {
    for period_secs in [1.0, 1.013, 1.02, 1.03] {
        let settings = WalkSettings::default().frame_rate_hz(24.0).period_secs(period_secs);
        let (tries, period, frame_time) = heard(&settings.drift(0.0).noise_deg(0.0));
        let found: Vec<f64> = tries.iter().filter_map(|due| due.period_secs).collect();
        assert!(!found.is_empty());
        for found in found {
            let frames = (found - period) / frame_time;
            assert!(frames.abs() < 0.2, "{period_secs}: {frames} frames off");
        }
    }
}
