//! The motion of the body: planted feet, exact periods, smooth joints.

use glam::DVec3;
use loopwright_core::math::rotation;
use loopwright_synth::{WalkSettings, Walker, random_settings, synthesize};

/// Settings without noise, drift, rise or variation.
fn steady() -> WalkSettings {
    WalkSettings::default().drift(0.0).noise_deg(0.0)
}

fn positions(walker: &Walker, time_secs: f64) -> Vec<DVec3> {
    walker.pose_at(time_secs).as_ref().world(walker.skeleton()).translations
}

/// Random walks, and special ones that random settings never give.
fn many() -> Vec<WalkSettings> {
    let mut many: Vec<WalkSettings> = (0..200).map(random_settings).collect();
    many.push(steady().lead_in_secs(1.3));
    many.push(steady().lead_in_secs(0.5).lead_out_secs(1.0));
    many.push(
        steady()
            .lead_in_secs(0.2)
            .start_phase(0.8)
            .turn_dps(-40.0)
            .speed_mps(0.8),
    );
    many.push(steady().speed_mps(0.0).turn_dps(60.0));
    many.push(steady().speed_mps(2.8).period_secs(0.74));
    many.push(steady().torso_rise_metres(0.1).drift(0.3).speed_variation(0.3));
    many
}

#[test]
fn planted_joints_do_not_move() {
    for settings in many() {
        let walker = Walker::new(&settings).unwrap();
        let truth = walker.truth();
        assert!(truth.contacts.len() > 8);
        for contact in &truth.contacts {
            let joint = walker.skeleton().find(&contact.joint).unwrap();
            for i in 0..=8 {
                let share = f64::from(i) / 8.0;
                let frame = contact.start_frame + (contact.end_frame - contact.start_frame) * share;
                let position = positions(&walker, frame / settings.frame_rate_hz)[joint];
                let slip = (position - DVec3::from_array(contact.position)).length();
                let what = format!("{} slips {slip} m at frame {frame} of {settings:?}", contact.joint);
                assert!(slip < 1e-9, "{what}");
            }
        }
    }
}

/// Returns heel, ball and tip of each foot in the world, metres; flat on the ground they are at 0, 25 and 15 mm.
fn foot_points(walker: &Walker, time_secs: f64) -> Vec<[DVec3; 3]> {
    let skeleton = walker.skeleton();
    let world = walker.pose_at(time_secs).as_ref().world(skeleton);
    let of_side = |side: &str| {
        let [ankle, ball] = ["Foot", "ToeBase"].map(|part| skeleton.find(&format!("{side}{part}")).unwrap());
        let at = |joint: usize, offset: DVec3| world.as_ref().joint(joint).transform_point(offset);
        let heel = at(ankle, DVec3::new(0.0, -0.085, -0.05));
        [heel, at(ball, DVec3::ZERO), at(ball, skeleton.joint(ball).tip.unwrap())]
    };
    ["Left", "Right"].map(of_side).to_vec()
}

#[test]
fn points_that_bear_do_not_move() {
    for settings in many() {
        let walker = Walker::new(&settings).unwrap();
        let truth = walker.truth();
        assert!(truth.stays.len() > 4);
        for stay in &truth.stays {
            let foot = usize::from(stay.foot == "RightFoot");
            for (point, bearing) in [stay.heel, stay.ball, stay.tip].into_iter().enumerate() {
                let Some(bearing) = bearing else { continue };
                // The heel stops first.
                let start_secs = bearing.start_secs + if point == 0 { 0.03 } else { 0.0 };
                if start_secs > bearing.end_secs {
                    continue;
                }
                for i in 0..=8 {
                    let secs = start_secs + (bearing.end_secs - start_secs) * f64::from(i) / 8.0;
                    let slip = foot_points(&walker, secs)[foot][point].distance(bearing.position.into());
                    assert!(slip < 1e-9, "point {point} slips {slip} m at {secs} s of {settings:?}");
                }
            }
        }
    }
}

#[test]
fn a_heel_stops_as_it_lands_and_a_foot_leaves_at_its_tip() {
    for (speed_mps, period_secs) in [(0.7, 1.4927), (1.25, 1.1537), (1.8, 0.9309), (3.0, 0.7)] {
        let settings = steady().speed_mps(speed_mps).period_secs(period_secs).turn_dps(0.0);
        let walker = Walker::new(&settings).unwrap();
        let points = |secs: f64, foot: usize| foot_points(&walker, secs)[foot];
        for stay in walker.truth().stays.iter().filter(|stay| stay.strike_secs > Some(0.2)) {
            let foot = usize::from(stay.foot == "RightFoot");
            let strike = stay.strike_secs.unwrap();
            let speed = |secs: f64| {
                (points(secs + 5e-4, foot)[0] - points(secs - 5e-4, foot)[0])
                    .with_y(0.0)
                    .length()
                    / 1e-3
            };
            let stop = if speed_mps < 2.0 { 0.012 } else { 0.025 };
            let (before, after) = (speed(strike), speed(strike + stop));
            assert!(
                (0.12 * speed_mps..0.5).contains(&before) && after < 0.01,
                "{speed_mps} m/s: {before} {after}"
            );
            let height = points(strike, foot)[0].y;
            assert!((5e-4..0.015).contains(&height), "{speed_mps} m/s: {height} m");
            let (Some(lift), Some([heel, ball, tip])) = (stay.lift_secs, all([stay.heel, stay.ball, stay.tip])) else {
                continue;
            };
            assert_eq!((heel.start_secs, tip.end_secs), (strike, lift));
            assert!(ball.start_secs == tip.start_secs && heel.end_secs < ball.end_secs && ball.end_secs < lift);
            // The toes stand on their tip in the end.
            let [_, ball, tip] = points(lift, foot);
            assert!(ball.y - tip.y > 0.02, "{speed_mps} m/s: {}", ball.y - tip.y);
        }
    }
}

/// All three values, if there are all.
fn all<T: Copy>(values: [Option<T>; 3]) -> Option<[T; 3]> {
    let [Some(first), Some(second), Some(third)] = values else {
        return None;
    };
    Some([first, second, third])
}

#[test]
fn steady_walks_repeat_exactly() {
    for seed in 0..50 {
        let settings = random_settings(seed)
            .drift(0.0)
            .torso_rise_metres(0.0)
            .speed_variation(0.0);
        let walker = Walker::new(&settings).unwrap();
        let truth = walker.truth();
        let period = settings.period_secs;
        let cycle = truth.twist().exp(period);
        for i in 0..20 {
            let start = 0.17 * f64::from(i);
            let end = start + period;
            let expected = truth.root_at(start) * cycle;
            let root = truth.root_at(end);
            assert!((root.translation - expected.translation).length() < 1e-12);
            assert!(rotation::difference(root.rotation, expected.rotation).length() < 1e-12);
            let poses = [start, end].map(|secs| {
                let mut pose = walker.pose_at(secs);
                let hips = truth.root_at(secs).inverse() * pose.as_ref().joint(0);
                pose.set_joint(0, hips);
                pose
            });
            let [first, last] = poses;
            assert!((first.translations[0] - last.translations[0]).length() < 1e-9);
            assert_eq!(first.translations[1..], last.translations[1..]);
            for (joint, (first, last)) in first.rotations.iter().zip(&last.rotations).enumerate() {
                let gap = rotation::difference(*last, *first).length();
                assert!(gap < 1e-9, "seed {seed}, joint {joint}: {gap}");
            }
        }
    }
}

#[test]
fn bones_keep_their_lengths() {
    for settings in many() {
        let made = synthesize(&settings).unwrap();
        for frame in 0..made.take.num_frames() {
            let rest = made.take.skeleton().joints().iter().map(|joint| joint.rest_offset);
            assert!(rest.skip(1).eq(made.take.translations(frame)[1..].iter().copied()));
        }
    }
}
