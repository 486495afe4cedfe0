//! The controller fit against known springs, and against motion that must not give a half-life.

use core::f64::consts::TAU;

use glam::DVec3;
use loopwright_controller::{EventKind, FitError, FitSettings, Lack, Pool, Quantity, TakeFit, peak_of_half_life};
use loopwright_core::{Analysis, Take, analysis::MotionKind, math::ops};
use loopwright_synth::{Command, DriveSettings, WalkSettings, drive, synthesize};

fn command(at_secs: f64, velocity_mps: [f64; 2], facing_deg: f64) -> Command {
    Command {
        at_secs,
        velocity_mps,
        facing_deg,
    }
}

fn fit(take: &Take) -> TakeFit {
    let analysis = Analysis::new(take).unwrap();
    loopwright_controller::fit(&analysis, &FitSettings::default()).unwrap()
}

fn driven(change: impl FnOnce(&mut DriveSettings)) -> (DriveSettings, TakeFit) {
    let mut settings = DriveSettings::default();
    change(&mut settings);
    let take = drive(&settings).unwrap();
    (settings, fit(&take))
}

/// Both estimators of both quantities are within a share of the truth, for the median and for every event of the fit.
fn assert_recovered(settings: &DriveSettings, found: &TakeFit, tolerance: f64) {
    let all = Pool::new(&[found]).all;
    for (half_lives, truth, events) in [
        (all.velocity, settings.velocity_half_life_secs, 5),
        (all.facing, settings.facing_half_life_secs, 2),
    ] {
        assert_eq!(half_lives.events, events, "{truth}");
        for spread in [half_lives.closed, half_lives.fitted] {
            let spread = spread.unwrap();
            assert_eq!(spread.count, events);
            for value in [spread.least, spread.median, spread.most] {
                assert!(
                    (value / truth - 1.0).abs() <= tolerance,
                    "{value} instead of {truth}, {settings:?}"
                );
            }
        }
    }
}

/// Within three percent without noise, and within a tenth with that of sensors.
#[test]
fn half_lives_come_back() {
    let usual = DriveSettings::default();
    let clean = [(0.15, 0.4), (0.3, 0.2), (0.6, 0.3), (0.4, 0.6)];
    let clean = clean.map(|half_lives| (half_lives, usual.seed, usual.noise_deg, 0.03));
    let of_default = (usual.velocity_half_life_secs, usual.facing_half_life_secs);
    let noisy = (0..6).map(|seed| (of_default, seed, 0.5, 0.1));
    for ((velocity, facing), seed, noise_deg, within) in clean.into_iter().chain(noisy) {
        for rate in [30.0, 60.0, 120.0] {
            let (settings, found) = driven(|settings| {
                settings.velocity_half_life_secs = velocity;
                settings.facing_half_life_secs = facing;
                settings.seed = seed;
                settings.frame_rate_hz = rate;
                settings.noise_deg = noise_deg;
            });
            assert_recovered(&settings, &found, within);
        }
    }
}

/// Hips sway by two centimetres with every stride, as in real walks; the median stays close.
#[test]
fn the_sway_of_a_gait_moves_half_lives_by_less_than_a_tenth() {
    let (settings, found) = driven(|settings| {
        settings.sway_metres = 0.02;
        settings.noise_deg = 0.2;
    });
    let all = Pool::new(&[&found]).all;
    for (half_lives, truth) in [
        (all.velocity, settings.velocity_half_life_secs),
        (all.facing, settings.facing_half_life_secs),
    ] {
        let fitted = half_lives.fitted.unwrap().median;
        assert!((fitted / truth - 1.0).abs() < 0.1, "{fitted} instead of {truth}");
    }
}

/// Goals that go to their values over a time in place of at once, by many small commands.
fn ramped(settings: &mut DriveSettings, secs: f64) {
    const STEPS: i32 = 50;
    let mut before = command(0.0, [0.0, 0.0], 0.0);
    let mut commands = Vec::new();
    for &goal in &settings.commands {
        for step in 1..=STEPS {
            let share = f64::from(step) / f64::from(STEPS);
            let between = |from: f64, to: f64| from + share * (to - from);
            let [x, z] = [0, 1].map(|axis| between(before.velocity_mps[axis], goal.velocity_mps[axis]));
            let at_secs = goal.at_secs + secs * (f64::from(step) - 0.5) / f64::from(STEPS);
            commands.push(command(at_secs, [x, z], between(before.facing_deg, goal.facing_deg)));
        }
        before = goal;
    }
    settings.commands = commands;
}

/// A goal that is ramped makes a spring look slower: that is recognised, and the spring behind it found.
#[test]
fn ramped_goals_are_recognised() {
    for (half_life, ramp, noise_deg) in [
        (0.15, 0.25, 0.0),
        (0.3, 0.25, 0.0),
        (0.15, 0.5, 0.0),
        (0.4, 0.6, 0.0),
        (0.15, 0.5, 0.1),
    ] {
        let (_, found) = driven(|settings| {
            settings.velocity_half_life_secs = half_life;
            settings.facing_half_life_secs = half_life;
            settings.noise_deg = noise_deg;
            ramped(settings, ramp);
        });
        for event in &found.events {
            let fitted = event.ramped.unwrap();
            assert!(
                (fitted.half_life_secs / half_life - 1.0).abs() < 0.015 + 0.3 * noise_deg,
                "{half_life} {ramp}: {fitted:?}"
            );
            assert!(
                (fitted.ramp_secs - ramp).abs() < 0.005 + 0.2 * noise_deg,
                "{half_life} {ramp}: {fitted:?}"
            );
        }
    }
    let (_, stepped) = driven(|settings| settings.velocity_half_life_secs = 0.15);
    assert!(stepped.events.iter().all(|event| event.ramped.is_none()));
}

/// Over many seeds half-lives scatter as their uncertainties say, and no step is taken for a ramp.
#[test]
fn half_lives_scatter_as_their_uncertainties_say() {
    let truth = |settings: &DriveSettings, quantity: Quantity| match quantity {
        Quantity::Velocity => settings.velocity_half_life_secs,
        Quantity::Facing => settings.facing_half_life_secs,
    };
    for (noise_deg, sway_metres) in [(0.5, 0.0), (0.2, 0.02)] {
        let (mut of_changes, mut of_medians) = (Vec::new(), Vec::new());
        for seed in 0..20 {
            let (settings, found) = driven(|settings| {
                settings.seed = seed;
                settings.noise_deg = noise_deg;
                settings.sway_metres = sway_metres;
                settings.frame_rate_hz = 30.0;
            });
            for event in &found.events {
                let fitted = event.trusted().unwrap();
                assert_eq!(event.ramped, None, "{seed}: {fitted:?}");
                let off = fitted.half_life_secs - truth(&settings, event.quantity);
                of_changes.push(off / fitted.uncertainty_secs.unwrap());
            }
            let all = Pool::new(&[&found]).all;
            for (half_lives, quantity) in [(all.velocity, Quantity::Velocity), (all.facing, Quantity::Facing)] {
                let off = half_lives.chosen_secs().unwrap() - truth(&settings, quantity);
                of_medians.push(off / half_lives.uncertainty_secs.unwrap());
            }
        }
        for off in [&of_changes, &of_medians] {
            let rms = (off.iter().map(|off| off * off).sum::<f64>() / off.len() as f64).sqrt();
            let within = off.iter().filter(|off| off.abs() < 2.0).count();
            assert!((0.5..1.3).contains(&rms), "{noise_deg} {sway_metres}: {rms}");
            assert!(
                within * 100 >= off.len() * 93,
                "{noise_deg} {sway_metres}: {within} of {}",
                off.len()
            );
        }
    }
}

/// A body whose facing sways with its strides, slowly enough to look like ramps: its turns are steps, of the half-life that they have.
#[test]
fn turns_that_sway_are_no_ramps() {
    let (mut offs, mut within) = (Vec::new(), 0);
    for seed in 0..20 {
        let settings = DriveSettings {
            seed,
            sway_metres: 0.03,
            noise_deg: 0.2,
            frame_rate_hz: 30.0,
            ..DriveSettings::default()
        };
        let take = drive(&settings).unwrap();
        let (values, skeleton) = (take.values(), take.skeleton().clone());
        let mut rotations = values.rotations.to_vec();
        for frame in 0..take.num_frames() {
            let angle = TAU * 0.93 * take.frame_time_secs() * frame as f64 + seed as f64;
            let sway = loopwright_core::math::rotation::from_yaw(0.04 * ops::sin(angle));
            let hips = &mut rotations[frame * skeleton.joints().len()];
            *hips = sway * *hips;
        }
        let translations = values.translations.to_vec();
        let swaying = Take::new("t", skeleton, take.frame_time_secs(), translations, rotations).unwrap();
        let found = fit(&swaying);
        for event in found.events_of(Quantity::Facing) {
            let fitted = event.trusted().unwrap();
            assert_eq!(event.ramped, None, "{seed}: {fitted:?}");
            let off = fitted.half_life_secs - settings.facing_half_life_secs;
            offs.push(off.abs() / settings.facing_half_life_secs);
            within += usize::from(off.abs() < 2.0 * fitted.uncertainty_secs.unwrap());
        }
    }
    offs.sort_by(f64::total_cmp);
    assert!(offs.len() >= 30 && offs[offs.len() / 2] < 0.02, "{offs:?}");
    assert!(within * 10 >= offs.len() * 9, "{within} of {}", offs.len());
}

#[test]
fn events_modes_and_peaks_are_those_that_were_driven() {
    let (settings, found) = driven(|_| {});
    let events = found.events_of(Quantity::Velocity);
    let kinds: Vec<(EventKind, MotionKind)> = events.map(|event| (event.kind, event.mode)).collect();
    let expected = [
        (EventKind::Start, MotionKind::Walk),
        (EventKind::Turn, MotionKind::Walk),
        (EventKind::Faster, MotionKind::Run),
        (EventKind::Turn, MotionKind::Run),
        (EventKind::Stop, MotionKind::Walk),
    ];
    assert_eq!(kinds, expected);
    for (event, command) in found.events_of(Quantity::Velocity).zip(&settings.commands) {
        let fitted = event.trusted().unwrap();
        assert!((fitted.start_secs - command.at_secs).abs() < 0.01, "{fitted:?}");
        let asked = DVec3::new(command.velocity_mps[0], 0.0, command.velocity_mps[1]);
        assert!((fitted.to - asked).length() < 0.02, "{fitted:?}");
    }
    let [walk, run] = [MotionKind::Walk, MotionKind::Run].map(|mode| {
        let mut figures = found.figures.iter();
        figures.find(|figures| figures.mode == mode).unwrap()
    });
    let top = walk.top_speed.unwrap();
    assert!((1.39..1.45).contains(&top.value), "{top:?}");
    assert!((run.top_speed.unwrap().value - 3.6).abs() < 0.02);
    // The true peak of 1.4 to 3.6 m/s is 2.81 m/s^2, at 1/y after the command; smoothing reduces it.
    let peak = run.acceleration.unwrap();
    let truth = peak_of_half_life(2.2, settings.velocity_half_life_secs);
    assert!(peak.value < truth && peak.value > 0.6 * truth, "{peak:?} {truth}");
    let secs = 10.0 + 1.0 / loopwright_core::math::decay_rate(0.4);
    assert!((peak.secs - secs).abs() < 0.15, "{peak:?}");
}

#[test]
fn the_simulated_controller_retraces_a_driven_take() {
    let (_, found) = driven(|_| {});
    let profile = &found.profile;
    for (simulated, signal, limit) in [
        (found.simulated_velocity.as_ref().unwrap(), &profile.velocity, 0.05),
        (found.simulated_facing.as_ref().unwrap(), &profile.facing, 0.05),
    ] {
        for frame in profile.runs[0].clone() {
            let off = (simulated.values[frame] - signal.values[frame]).length();
            assert!(off < limit, "{frame}: {off}");
        }
    }
}

#[test]
fn a_strafe_and_a_step_back_are_separated_from_a_walk() {
    for (velocity_mps, mode) in [([1.2, 0.0], MotionKind::Strafe), ([0.0, -1.2], MotionKind::Backward)] {
        let (_, found) = driven(|settings| {
            settings.seconds = 10.0;
            settings.commands = vec![command(2.0, velocity_mps, 0.0), command(6.0, [0.0; 2], 0.0)];
        });
        let events = &found.events;
        assert!(events.iter().all(|event| event.mode == mode), "{events:?}");
        assert_eq!(events.len(), 2);
    }
    let (_, found) = driven(|settings| {
        settings.seconds = 6.0;
        settings.commands = vec![command(2.0, [0.0; 2], 180.0)];
    });
    assert_eq!(found.events.len(), 1);
    let event = &found.events[0];
    assert_eq!(
        (event.quantity, event.mode),
        (Quantity::Facing, MotionKind::TurnInPlace)
    );
}

#[test]
fn a_take_that_is_idle_or_never_changes_has_no_half_life() {
    let (_, still) = driven(|settings| {
        settings.commands.clear();
        settings.noise_deg = 0.3;
    });
    let both = [Quantity::Velocity, Quantity::Facing];
    assert_eq!(both.map(|quantity| still.lack(quantity)), [Some(Lack::Still); 2]);
    assert!(still.simulated_velocity.is_none());

    // A steady walk on a curve, with its steps and sway.
    let walk = synthesize(&WalkSettings::default().seconds(12.0).turn_dps(30.0).noise_deg(0.3));
    let steady = fit(&walk.unwrap().take);
    let lacks = both.map(|quantity| steady.lack(quantity));
    assert_eq!(lacks, [Some(Lack::NoEvent); 2], "{:?}", steady.events);
    let pool = Pool::new(&[&steady]);
    assert!(!pool.has_half_life());
    assert_eq!(pool.all.acceleration_closed, None);
    assert!((pool.all.top_speed.unwrap().median - 1.25).abs() < 0.05);
}

#[test]
fn short_takes_and_smoothing_out_of_range_are_refused() {
    let driven = |seconds: f64, frame_rate_hz: f64| {
        let settings = DriveSettings {
            seconds,
            frame_rate_hz,
            ..DriveSettings::default()
        };
        Analysis::new(&drive(&settings).unwrap()).unwrap()
    };
    let refused =
        |analysis: &Analysis, settings: &FitSettings| loopwright_controller::fit(analysis, settings).unwrap_err();
    let usual = FitSettings::default();
    let short = driven(0.4, DriveSettings::default().frame_rate_hz);
    assert!(matches!(refused(&short, &usual), FitError::TooShort { .. }));
    let fast = driven(1.0, 5000.0);
    assert!(matches!(refused(&fast, &usual), FitError::Rate { .. }));
    for smoothing_secs in [0.0, -1.0, f64::NAN, f64::INFINITY, 3.0] {
        let settings = FitSettings {
            smoothing_secs,
            ..usual
        };
        let error = refused(&short, &settings);
        assert!(matches!(error, FitError::Smoothing { .. }), "{smoothing_secs}");
    }
}

/// A T-pose in the first frame, ten metres away, is not an acceleration.
#[test]
fn a_jump_of_the_pose_is_no_event() {
    let take = drive(&DriveSettings {
        noise_deg: 0.1,
        ..DriveSettings::default()
    })
    .unwrap();
    let (values, skeleton) = (take.values(), take.skeleton().clone());
    let (mut translations, rotations) = (values.translations.to_vec(), values.rotations.to_vec());
    translations[0].x += 10.0;
    let jumping = Take::new("t", skeleton, take.frame_time_secs(), translations, rotations).unwrap();
    let (clean, found) = (fit(&take), fit(&jumping));
    assert_eq!(clean.events.len(), found.events.len());
    for (clean, found) in clean.figures.iter().zip(&found.figures) {
        let [clean, found] = [clean, found].map(|figures| figures.acceleration.map_or(0.0, |peak| peak.value));
        assert!((clean - found).abs() < 0.05 * (1.0 + clean), "{clean} {found}");
    }
}

/// The result does not depend on the frame in which the motion is seen.
#[test]
fn turning_the_world_turns_nothing_else() {
    let take = drive(&DriveSettings::default()).unwrap();
    let turned = take.turned(loopwright_core::math::rotation::from_yaw(1.1));
    let (one, other) = (fit(&take), fit(&turned));
    assert_eq!(one.events.len(), other.events.len());
    for (one, other) in one.events.iter().zip(&other.events) {
        assert_eq!((one.kind, one.mode), (other.kind, other.mode));
        let [one, other] = [one, other].map(|event| event.trusted().unwrap().half_life_secs);
        assert!((one / other - 1.0).abs() < 1e-3, "{one} {other}");
    }
}
