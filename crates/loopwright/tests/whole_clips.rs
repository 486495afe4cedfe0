//! Whole clips: what loops already is kept, a single cycle is closed, and a single action is not bent.

use glam::DVec3;
use loopwright::{
    Analysis, LoopSettings, MadeLoop, RootMode, SearchSettings, Take,
    candidate::{LastKey, WholeClip, WholeClipKind},
    loop_clip::LoopKeys,
    math::rotation,
    quality,
};
use loopwright_synth::{WalkSettings, synthesize};

/// A walk of exactly one cycle of `frames` frames, and as many keys as asked for.
fn cycle(frames: usize, keys: usize) -> Take {
    let settings = WalkSettings {
        period_secs: frames as f64 / 60.0,
        seconds: (keys - 1) as f64 / 60.0,
        drift: 0.0,
        noise_deg: 0.0,
        turn_dps: 0.0,
        ..WalkSettings::default()
    };
    synthesize(&settings).unwrap().take
}

fn whole(take: &Take) -> Option<WholeClip> {
    let analysis = Analysis::new(take).unwrap();
    let found = analysis.find_loops(&SearchSettings::default()).unwrap();
    found.best().and_then(|best| best.whole)
}

fn made(take: &Take) -> MadeLoop {
    let analysis = Analysis::new(take).unwrap();
    let found = analysis.find_loops(&SearchSettings::default()).unwrap();
    let best = found.best().unwrap();
    let settings = LoopSettings {
        feet: loopwright::feet::FootLock::Off.into(),
        ..LoopSettings::default()
    };
    analysis.make_loop(best, &settings).unwrap()
}

/// A take with other frames.
fn with_frames(take: &Take, frames: impl Iterator<Item = usize>) -> Take {
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for frame in frames {
        translations.extend_from_slice(take.translations(frame));
        rotations.extend_from_slice(take.rotations(frame));
    }
    Take::new(
        "part",
        take.skeleton().clone(),
        take.frame_time_secs(),
        translations,
        rotations,
    )
    .unwrap()
}

/// Largest distance and rotation between the poses of a loop, moved by its root, and the frames of a take.
fn apart(made: &MadeLoop, take: &Take, frames: usize) -> (f64, f64) {
    let clip = &made.loop_clip;
    let (mut metres, mut radians) = (0.0_f64, 0.0_f64);
    for frame in 0..frames {
        let pose = clip.folded_pose(frame);
        let (own, shown) = (
            take.pose(frame).world(take.skeleton()),
            pose.as_ref().world(take.skeleton()),
        );
        for joint in 0..take.num_joints() {
            metres = metres.max(own.translations[joint].distance(shown.translations[joint]));
            radians = radians.max(rotation::difference(own.rotations[joint], shown.rotations[joint]).length());
        }
    }
    (metres, radians)
}

#[test]
fn a_finished_loop_comes_back_as_it_was() {
    for (keys, last_key) in [(67, LastKey::Closing), (66, LastKey::BeforeClosing)] {
        let take = cycle(66, keys);
        let found = whole(&take).unwrap();
        assert_eq!((found.kind, found.last_key), (WholeClipKind::Loops, last_key));
        assert_eq!(found.num_frames, 66.0);
        let made = made(&take);
        assert_eq!(made.loop_clip.num_samples(), 66);
        let (metres, radians) = apart(&made, &take, 66);
        assert!(
            metres < 1e-5 && radians < 0.01_f64.to_radians(),
            "{last_key}: {metres} {radians}"
        );
    }
}

#[test]
fn copies_of_the_closing_key_are_left_out() {
    let take = cycle(66, 67);
    for copies in 1..=2 {
        let held = with_frames(&take, (0..=66).chain(std::iter::repeat_n(66, copies)));
        let found = whole(&held).unwrap();
        assert_eq!(
            (found.last_key, found.num_frames),
            (LastKey::Repeated, 66.0),
            "{copies}"
        );
    }
}

#[test]
fn a_little_more_than_a_cycle_is_trimmed_to_one() {
    let truth = 1.1537;
    for (cycles, noise_deg) in [1.1, 1.15, 1.2, 1.25, 1.3]
        .iter()
        .flat_map(|&cycles| [(cycles, 0.0), (cycles, 0.4)])
    {
        let settings = WalkSettings {
            period_secs: truth,
            seconds: cycles * truth,
            frame_rate_hz: 30.0,
            noise_deg,
            ..WalkSettings::default()
        };
        let take = synthesize(&settings).unwrap().take;
        let analysis = Analysis::new(&take).unwrap();
        let found = analysis.find_loops(&SearchSettings::default()).unwrap();
        let best = found.best().unwrap();
        let whole = best.whole.unwrap();
        assert!(
            whole.kind == WholeClipKind::Cycle && (best.source_period_secs - truth).abs() < 1.0 / 30.0,
            "{cycles}, {noise_deg} deg: {} s, {whole:?}",
            best.source_period_secs
        );
        let made = analysis.make_loop(best, &LoopSettings::default()).unwrap();
        let keys = LoopKeys::from_loop(&made.loop_clip);
        let quality = quality::measure(&keys, &made.body, Some(&made.source));
        assert!(
            !quality.pops() && quality.displacement_metres.unwrap() < 0.01,
            "{quality:?}"
        );
    }
}

#[test]
fn a_take_of_many_uneven_cycles_is_no_whole_clip() {
    for seed in 0..40 {
        let settings = WalkSettings {
            seconds: 12.0,
            speed_variation: 0.3,
            noise_deg: 0.1,
            seed,
            ..WalkSettings::default()
        };
        let take = synthesize(&settings).unwrap().take;
        assert_eq!(whole(&take), None, "{seed}");
    }
}

#[test]
fn a_single_cycle_has_its_own_period() {
    let truth = 1.1537;
    for keys in 33..=35 {
        let settings = WalkSettings {
            period_secs: truth,
            seconds: f64::from(keys - 1) / 30.0,
            frame_rate_hz: 30.0,
            ..WalkSettings::default()
        };
        let take = synthesize(&settings).unwrap().take;
        let analysis = Analysis::new(&take).unwrap();
        let found = analysis.find_loops(&SearchSettings::default()).unwrap();
        let Some(best) = found.best() else {
            // Two frames short of a cycle is no cycle.
            assert_eq!(keys, 33);
            continue;
        };
        let whole = best.whole.unwrap();
        assert!(
            whole.last_key == LastKey::BeforeClosing && (best.source_period_secs - truth).abs() < 4e-3,
            "{keys}: {} s, {whole:?}",
            best.source_period_secs
        );
    }
}

#[test]
fn a_gap_is_closed_and_little_else_is_moved() {
    // The last key is off by 3 mm and a degree, as after a cut by hand.
    let take = cycle(66, 67);
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for frame in 0..=66 {
        let mut pose = take.pose(frame).to_pose();
        if frame == 66 {
            pose.translations[0] += DVec3::new(0.0, 0.003, 0.0);
            pose.rotations[12] = rotation::exp(DVec3::X * 1_f64.to_radians()) * pose.rotations[12];
        }
        translations.extend(pose.translations);
        rotations.extend(pose.rotations);
    }
    let off = Take::new(
        "off",
        take.skeleton().clone(),
        take.frame_time_secs(),
        translations,
        rotations,
    )
    .unwrap();
    let made = made(&off);
    let whole = made.candidate.whole.unwrap();
    assert!(whole.loops_already() && whole.gap_metres > 2e-3, "{whole:?}");
    assert_eq!(made.loop_clip.num_samples(), 66);
    // Away from the ends nothing moves.
    let (middle, own) = (made.loop_clip.folded_pose(33), take.pose(33));
    let (middle, own) = (middle.as_ref().world(take.skeleton()), own.world(take.skeleton()));
    for (one, other) in middle.translations.iter().zip(&own.translations) {
        assert!(one.distance(*other) < 1e-9);
    }
    assert!(made.closed.residual.position < 1e-9);
}

#[test]
fn a_clip_in_place_stays_in_place() {
    let walk = cycle(66, 67);
    let speed = WalkSettings::default().speed_mps;
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for frame in 0..=66 {
        let mut pose = walk.pose(frame).to_pose();
        pose.translations[0].z -= speed * frame as f64 / 60.0;
        translations.extend(pose.translations);
        rotations.extend(pose.rotations);
    }
    let take = Take::new(
        "belt",
        walk.skeleton().clone(),
        walk.frame_time_secs(),
        translations,
        rotations,
    )
    .unwrap();
    let found = whole(&take).unwrap();
    assert!(found.is_in_place());
    assert_eq!(found.root_mode(), RootMode::InPlace);
    // The speed is known all the same.
    let made = made(&take);
    assert!((made.loop_clip.root().twist.linear.z - speed).abs() < 0.02 * speed);
}

#[test]
fn half_a_swing_is_no_loop() {
    // It ends where it began, but moves the other way.
    let take = cycle(66, 67);
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for key in 0..=60 {
        let pose = take.sample(20.0 + 16.0 * loopwright::math::ops::sin(core::f64::consts::PI * f64::from(key) / 60.0));
        translations.extend(pose.translations);
        rotations.extend(pose.rotations);
    }
    let swing = Take::new(
        "swing",
        take.skeleton().clone(),
        take.frame_time_secs(),
        translations,
        rotations,
    )
    .unwrap();
    assert!(whole(&swing).is_none_or(|whole| !whole.loops_already()));
}

#[test]
fn captures_of_many_cycles_are_searched() {
    // 240 frames hold three cycles and two thirds; 199 end close to where a cycle began.
    for frames in [199, 241] {
        let take = synthesize(&WalkSettings {
            seconds: f64::from(frames - 1) / 60.0,
            period_secs: 66.0 / 60.0,
            ..WalkSettings::default()
        });
        let take = take.unwrap().take;
        let analysis = Analysis::new(&take).unwrap();
        let found = analysis.find_loops(&SearchSettings::default()).unwrap();
        let best = found.best().unwrap();
        assert!(best.whole.is_none() && best.cycles == 1, "{frames}: {:?}", best.whole);
    }
}

#[test]
fn clips_of_any_length_have_an_answer() {
    let take = cycle(66, 67);
    for frames in 1..12 {
        let short = with_frames(&take, 0..frames);
        let analysis = Analysis::new(&short).unwrap();
        assert_eq!(analysis.whole_loop(), None, "{frames}");
        let _ = analysis.whole_cycle();
        let _ = analysis.find_loops(&SearchSettings::default());
    }
}
