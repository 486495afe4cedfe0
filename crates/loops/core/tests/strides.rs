//! Strides against the settings and the truth of synthetic walks, and those of loops against those of takes.

use glam::{DQuat, DVec3};
use loopwright_core::analysis::{Body, FootPaths, Mean, Stay, Stride, Strides};
use loopwright_core::math::{Rigid, ops};
use loopwright_core::{BodyOverrides, LoopClip, Take, Tracks};
use loopwright_synth::{WalkSettings, synthesize};

use crate::support::{analysed, clip_of, root, skeleton, steady, twist};

#[track_caller]
fn near(found: Option<Mean>, expected: f64, share: f64) {
    let found = found.unwrap();
    assert!(
        (found.mean / expected - 1.0).abs() < share,
        "{found:?}, expected {expected}"
    );
}

fn of_settings(strides: &Strides, settings: &WalkSettings, share: f64) {
    let (secs, metres) = (settings.period_secs, settings.period_secs * settings.speed_mps);
    near(strides.cadence_spm, 120.0 / secs, share);
    near(strides.speed_mps, settings.speed_mps, share);
    near(strides.stride_secs, secs, share);
    near(strides.stride_metres, metres, share);
    near(strides.step_secs, 0.5 * secs, 2.0 * share);
    near(strides.step_metres, 0.5 * metres, 2.0 * share);
    near(strides.evenness.step_metres, 1.0, 4.0 * share);
    assert_eq!(strides.pauses, 0);
}

#[test]
fn strides_are_those_of_the_settings() {
    for settings in [
        steady().turn_dps(0.0),
        steady().turn_dps(0.0).period_secs(0.95).speed_mps(1.6),
        steady()
            .turn_dps(0.0)
            .period_secs(1.3)
            .speed_mps(0.9)
            .frame_rate_hz(120.0),
    ] {
        let synthetic = synthesize(&settings).unwrap();
        let analysis = analysed(&synthetic.take);
        of_settings(&analysis.strides(), &settings, 0.01);
        let frames = |secs: Option<f64>| secs.map(|secs| secs * settings.frame_rate_hz);
        let mut stays: Vec<Stay> = Vec::new();
        for (foot, name) in ["LeftFoot", "RightFoot"].iter().enumerate() {
            let of_foot = synthetic.truth.stays.iter().filter(|stay| stay.foot == *name);
            stays.extend(of_foot.map(|stay| Stay {
                foot,
                strike: frames(stay.strike_secs),
                lift: frames(stay.lift_secs),
            }));
        }
        let truth = FootPaths::of_take(&analysis.take, &analysis.world, &analysis.body).strides(&stays);
        of_settings(&truth, &settings, 1e-3);
        let period = settings.period_secs * settings.frame_rate_hz;
        let stance = |stay: &Stay| Some(stay.lift? - stay.strike?);
        let duty = stays.iter().find_map(stance).unwrap() / period;
        near(truth.duty, duty, 1e-9);
        near(analysis.strides().duty, duty, 0.05);
    }
}

/// Returns a loop of two feet that hang from a root on a curve, which need not stand to be measured.
fn curved() -> LoopClip {
    let body = skeleton(&[
        ("Hips", None, DVec3::Y),
        ("LeftFoot", Some(0), DVec3::ZERO),
        ("RightFoot", Some(0), DVec3::ZERO),
    ]);
    let start = Rigid::from_yaw(0.7, DVec3::new(3.0, 0.0, -2.0));
    let motion = root(start, twist(DVec3::new(0.1, 0.0, 1.2), DVec3::Y * 0.5));
    clip_of(body, 1.0 / 30.0, 34, motion, |phase, joint| {
        let turn = core::f64::consts::TAU * (phase + 0.5 * joint as f64);
        let at = DVec3::new(
            0.1 - 0.2 * (joint as f64 - 1.0),
            0.1 * ops::sin(turn) - 0.9,
            0.3 * ops::cos(turn),
        );
        (if joint == 0 { DVec3::Y } else { at }, DQuat::IDENTITY)
    })
}

#[test]
fn strides_of_a_loop_are_those_of_its_cycles_one_after_the_other() {
    let clip = curved();
    let of_cycle = [(0, 5.25, 25.5), (1, 22.5, 41.0)];
    let stays = |cycles: usize| -> Vec<Stay> {
        let cycles = (0..cycles).map(|cycle| (cycle * clip.num_samples()) as f64);
        let each = cycles.flat_map(|shift| of_cycle.map(|(foot, strike, lift)| (foot, strike + shift, lift + shift)));
        each.map(|(foot, strike, lift)| {
            let (strike, lift) = (Some(strike), Some(lift));
            Stay { foot, strike, lift }
        })
        .collect()
    };
    let poses = (0..5 * clip.num_samples()).map(|key| clip.folded_pose(key));
    let tracks = Tracks::from_poses(clip.skeleton().clone(), clip.step_secs(), poses).unwrap();
    let take = Take::from_tracks("cycles", tracks).unwrap();
    let body = Body::find(&take, &BodyOverrides::default()).unwrap();
    let feet = body.feet.iter().map(|foot| foot.ankle).collect::<Vec<_>>();
    assert_eq!(feet, [1, 2]);
    let found = FootPaths::of_loop(&clip, &body, &feet).strides(&stays(1));
    let wanted = FootPaths::of_take(&take, &take.world_tracks(), &body).strides(&stays(5));
    let values = |row: &Stride| {
        let [first, second] = row.double_support_secs.unwrap();
        let known = [row.stride_metres, row.step_secs, row.step_metres, row.speed_mps].map(Option::unwrap);
        let times = [
            row.secs(),
            row.stance_secs(),
            first,
            second,
            row.flight_secs,
            row.cadence_spm,
        ];
        [&known[..], &times].concat()
    };
    let cycle = |row: &&Stride| (1.0..2.0).contains(&(row.strike_secs / clip.period_secs()));
    let wanted: Vec<&Stride> = wanted.rows.iter().filter(cycle).collect();
    assert_eq!((found.rows.len(), wanted.len()), (2, 2));
    for (row, wanted) in found.rows.iter().zip(wanted) {
        assert!((row.strike_secs + clip.period_secs() - wanted.strike_secs).abs() < 1e-9);
        for (found, wanted) in values(row).into_iter().zip(values(wanted)) {
            assert!((found - wanted).abs() < 1e-9, "{row:?}, expected {wanted}");
        }
    }
    // Along the chord of the curve by half a radian a second, 1.2 m/s ahead and .1 aside.
    let radius = ops::hypot(1.2, 0.1) / 0.5;
    near(
        found.speed_mps,
        2.0 * radius * ops::sin(0.25 * clip.period_secs()) / clip.period_secs(),
        1e-4,
    );
    let in_place = FootPaths::of_loop(&clip.in_place(), &body, &feet).strides(&stays(1));
    assert_eq!((in_place.speed_mps, in_place.step_metres), (None, None));
    assert_eq!(in_place.stride_secs, found.stride_secs);
}
