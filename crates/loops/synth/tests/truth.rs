//! The truth of a take: root, phase, contacts, and writing and reading it.

use glam::DVec3;
use loopwright_core::math::rotation;
use loopwright_synth::{Truth, WalkSettings, Walker, random_settings, synthesize};

#[test]
fn root_runs_on_an_arc_at_the_speed_asked_for() {
    let settings = WalkSettings::default().speed_mps(1.2).turn_dps(30.0).climb_mps(0.1);
    let truth = Walker::new(&settings).unwrap().truth();
    let root = truth.root_at(3.0);
    // A quarter turn to the left about a centre to the left, +X.
    let radius = 1.2 / 30_f64.to_radians();
    let at = root.translation;
    assert!((at - DVec3::new(radius, 0.3, radius)).length() < 1e-12, "{at}");
    assert!((rotation::yaw_of(root.rotation) - 90_f64.to_radians()).abs() < 1e-12);
    // After many turns the yaw is not wrapped.
    assert!((truth.yaw_at(60.0) - 1800_f64.to_radians()).abs() < 1e-12);
}

#[test]
fn phase_and_time_are_inverse() {
    let settings = WalkSettings::default().speed_variation(0.2).lead_in_secs(1.5);
    let truth = Walker::new(&settings).unwrap().truth();
    for i in 0..40 {
        let time = 2.0 + 0.15 * f64::from(i);
        assert!((truth.time_at_phase(truth.phase_at(time)) - time).abs() < 1e-9);
    }
    assert_eq!(truth.phase_at(0.3), truth.phase_at(1.5));
    // The rate varies, and so does the period; the mean period over many cycles is the nominal one.
    let periods: Vec<f64> = (0..40).map(|i| truth.period_from(3.0 + f64::from(i), 1.0)).collect();
    let shortest = periods.iter().copied().fold(f64::INFINITY, f64::min);
    let longest = periods.iter().copied().fold(0.0, f64::max);
    assert!(shortest < 0.95 * truth.period_secs && longest > 1.05 * truth.period_secs);
    let mean = truth.period_from(3.0, 343.1) / 343.1;
    assert!((mean / truth.period_secs - 1.0).abs() < 0.01, "{mean}");
}

#[test]
fn even_walks_have_the_nominal_period_and_stances_as_long_as_the_duty_factor_says() {
    for seed in 0..50 {
        let settings = random_settings(seed).speed_variation(0.0);
        let truth = Walker::new(&settings).unwrap().truth();
        assert!((truth.period_from(1.0, 1.0) - settings.period_secs).abs() < 1e-12);
        assert!((0.5..=0.72).contains(&truth.duty_factor), "{}", truth.duty_factor);
        let period_frames = settings.period_secs * settings.frame_rate_hz;
        for (frame, phase) in truth.phases.iter().enumerate() {
            assert!((phase - truth.phases[0] - frame as f64 / period_frames).abs() < 1e-11);
        }
        let whole = truth
            .stays
            .iter()
            .filter_map(|stay| Some((stay, stay.lift_secs? - stay.strike_secs?)));
        assert!(whole.clone().count() >= 6);
        for (stay, secs) in whole {
            assert!(
                (secs / settings.period_secs - truth.duty_factor).abs() < 1e-12,
                "{stay:?}"
            );
        }
        // The joints rest as long as the points that they hold.
        let rests = truth.stays.iter().flat_map(|stay| [stay.ball, stay.heel]).flatten();
        for contact in &truth.contacts {
            let end_secs = contact.end_frame / settings.frame_rate_hz;
            assert!(rests.clone().any(|rest| (rest.end_secs - end_secs).abs() < 1e-9));
        }
    }
}

#[test]
fn a_standing_start_has_contacts_from_the_first_clean_frame() {
    let settings = WalkSettings::default()
        .lead_in_secs(2.0)
        .t_pose_first_frame(true)
        .noise_deg(0.0);
    let made = synthesize(&settings).unwrap();
    let from_start = made.truth.contacts.iter().filter(|contact| contact.start_frame == 1.0);
    let names: Vec<&str> = from_start.clone().map(|contact| contact.joint.as_str()).collect();
    assert_eq!(names, ["LeftFoot", "LeftToeBase", "RightFoot", "RightToeBase"]);
    assert!(from_start.into_iter().all(|contact| contact.end_frame >= 120.0));
    let standing = made.truth.stays.iter().filter(|stay| stay.strike_secs.is_none());
    assert_eq!(
        standing.map(|stay| stay.foot.as_str()).collect::<Vec<_>>(),
        ["LeftFoot", "RightFoot"]
    );
    // Frame 0 is a T-pose, far from what follows.
    let arm = made.take.skeleton().find("LeftArm").unwrap();
    let jump = rotation::difference(made.take.rotations(1)[arm], made.take.rotations(0)[arm]).length();
    assert!(jump.to_degrees() > 60.0, "{jump}");
    // Standing is nearly still, walking is not.
    let tracks = made.take.world_tracks();
    let distance = |start: usize, end: usize| (tracks.position(end, 0) - tracks.position(start, 0)).length();
    assert!(distance(1, 120) < 0.02, "{}", distance(1, 120));
    assert!(distance(240, 300) > 1.0);
}

#[test]
fn truth_survives_being_written() {
    let truth = synthesize(&random_settings(3)).unwrap().truth;
    let text = serde_json::to_string(&truth).unwrap();
    let back: Truth = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (back.stays.len(), back.contacts.len()),
        (truth.stays.len(), truth.contacts.len())
    );
    let (found, expected) = (back.root_at(2.7), truth.root_at(2.7));
    assert!((found.translation - expected.translation).length() < 1e-12);
    assert!((back.phase_at(1.9) - truth.phase_at(1.9)).abs() < 1e-12);
}
