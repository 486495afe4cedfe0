//! Settings: errors, seeds, and properties of random walks.

use loopwright_core::math::rotation;
use loopwright_synth::{SynthError, WalkSettings, synthesize};

#[test]
fn nonsense_is_refused_with_its_numbers() {
    let refused = |change: fn(&mut WalkSettings)| {
        let mut settings = WalkSettings::default();
        change(&mut settings);
        synthesize(&settings).unwrap_err()
    };
    for (setting, error) in [
        ("speed_mps", refused(|s| s.speed_mps = f64::NAN)),
        ("seconds", refused(|s| s.seconds = -1.0)),
        ("seconds", refused(|s| s.seconds = f64::INFINITY)),
        ("period_secs", refused(|s| s.period_secs = 0.0)),
        ("frame_rate_hz", refused(|s| s.frame_rate_hz = 0.0)),
        ("noise_deg", refused(|s| s.noise_deg = -0.1)),
        ("turn_dps", refused(|s| s.turn_dps = 1e9)),
        ("drift", refused(|s| s.drift = 2.0)),
        ("speed_variation", refused(|s| s.speed_variation = 0.9)),
        ("start_phase", refused(|s| s.start_phase = f64::NEG_INFINITY)),
        ("lead_in_secs", refused(|s| s.lead_in_secs = f64::NAN)),
    ] {
        let SynthError::OutOfRange { setting: named, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(named, setting);
    }
    assert!(matches!(refused(|s| s.seconds = 1e5), SynthError::TooLarge { .. }));
    let error = refused(|s| (s.speed_mps, s.period_secs) = (5.0, 2.0));
    assert!(matches!(error, SynthError::OutOfReach { .. }));
}

#[test]
fn frames_are_counted_from_first_to_last() {
    let frames = |seconds, frame_rate_hz| {
        let settings = WalkSettings::default().seconds(seconds).frame_rate_hz(frame_rate_hz);
        synthesize(&settings).unwrap().take.num_frames()
    };
    assert_eq!(frames(8.0, 60.0), 481);
    assert_eq!(frames(0.1, 30.0), 4);
    assert_eq!(frames(0.99, 10.0), 10);
    assert_eq!(frames(0.0, 60.0), 1);
}

#[test]
fn same_seed_same_bits_other_seed_other_noise() {
    let seeded = |seed: u64, noise_deg: f64| {
        let settings = WalkSettings::default().seed(seed).noise_deg(noise_deg);
        synthesize(&settings).unwrap()
    };
    let WalkSettings { seed, noise_deg, .. } = WalkSettings::default();
    let first = seeded(seed, noise_deg);
    assert_eq!(first, seeded(seed, noise_deg));
    assert_ne!(first.take, seeded(seed + 1, noise_deg).take);
    // Without noise and variation the seed changes nothing.
    assert_eq!(seeded(seed, 0.0).take, seeded(seed + 1, 0.0).take);
}

#[test]
fn noise_has_the_size_asked_for() {
    let [noisy, clean] = [0.4, 0.0].map(|noise_deg| {
        let settings = WalkSettings::default().noise_deg(noise_deg);
        synthesize(&settings).unwrap().take
    });
    let (mut turns, mut shifts) = (0.0, 0.0);
    for frame in 0..clean.num_frames() {
        for (noisy, clean) in noisy.rotations(frame).iter().zip(clean.rotations(frame)) {
            turns += rotation::difference(*noisy, *clean).length_squared() / 3.0;
        }
        shifts += (noisy.translations(frame)[0] - clean.translations(frame)[0]).length_squared() / 3.0;
    }
    let frames = clean.num_frames() as f64;
    let deg = (turns / frames / clean.num_joints() as f64).sqrt().to_degrees();
    let metres = (shifts / frames).sqrt();
    assert!((deg / 0.4 - 1.0).abs() < 0.02, "{deg}");
    assert!((metres / 0.002 - 1.0).abs() < 0.1, "{metres}");
}
