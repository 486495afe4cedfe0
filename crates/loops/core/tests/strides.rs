//! Strides against the settings and the truth of synthetic walks, and those of loops against those of takes.

use loopwright_core::analysis::{FootPaths, Mean, Stay, Strides};
use loopwright_synth::{WalkSettings, synthesize};

use crate::support::{analysed, steady};

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
