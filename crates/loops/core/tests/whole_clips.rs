//! Whole clips: what loops already is kept, a single cycle is closed, and a single action is not bent.

use core::f64::consts::TAU;

use glam::{DQuat, DVec3};
use loopwright_core::{
    Analysis, BodyOverrides, LoopClip, LoopSettings, MadeLoop, RootMode, SearchSettings, Take, Tracks,
    candidate::{LastKey, SearchError, WholeClip, WholeClipKind},
    feet::FootLock,
    math::{ops, rotation},
};
use loopwright_synth::WalkSettings;

use crate::support::{
    analysed, best, best_made, measured, of_frames, of_poses, posed, skeleton, steady, take_of, walk_of,
};

/// Returns a walk of exactly one cycle of `frames` frames, and as many keys as asked for.
fn cycle(frames: usize, keys: usize) -> Take {
    walk_of(
        steady()
            .period_secs(frames as f64 / 60.0)
            .seconds((keys - 1) as f64 / 60.0)
            .turn_dps(0.0),
    )
}

fn whole(take: &Take) -> Option<WholeClip> {
    let analysis = analysed(take);
    let found = analysis.find_loops(&SearchSettings::default()).unwrap();
    found.best().and_then(|best| best.whole)
}

fn made(take: &Take) -> MadeLoop {
    let settings = LoopSettings::with_feet(FootLock::Off);
    best_made(&analysed(take), &settings)
}

/// Returns the largest distance and rotation between the poses of a loop, moved by its root, and the frames of a take.
fn apart(made: &MadeLoop, take: &Take, frames: usize) -> (f64, f64) {
    let clip = &made.loop_clip;
    let (mut metres, mut radians) = (0.0_f64, 0.0_f64);
    for frame in 0..frames {
        let pose = clip.folded_pose(frame);
        let own = take.pose(frame).world(take.skeleton());
        let shown = pose.as_ref().world(take.skeleton());
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

/// Checks that a loop of a cycle that ends between two frames is the walk itself, at its samples and at its keys.
fn is_the_curve(settings: &WalkSettings, period: f64, found: &WholeClip) {
    let made = made(&walk_of(settings.clone()));
    let (clip, take) = (&made.loop_clip, walk_of(settings.clone()));
    let recorded = clip.recorded().unwrap();
    assert_eq!(recorded.num_frames(), found.last_frame + 1);
    let truth = |rate: f64, frames: usize| {
        let secs = (frames - 1) as f64 / rate;
        walk_of(settings.clone().frame_rate_hz(rate).seconds(secs))
    };
    let of_samples = truth(clip.num_samples() as f64 / period, clip.num_samples());
    // Straight lines between the keys are what players show without the curve.
    let straight = |at: f64, joint: usize| {
        let (before, share) = (at.floor() as usize, at.fract());
        let [one, other] =
            [before, (before + 1).min(found.last_frame)].map(|key| take.pose(key).world(take.skeleton()));
        one.translations[joint].lerp(other.translations[joint], share)
    };
    let (mut curve_off, mut line_off, mut count) = (0.0, 0.0, 0.0);
    for sample in 0..clip.num_samples() {
        let at = sample as f64 * found.num_frames / clip.num_samples() as f64;
        if at > found.last_frame as f64 {
            break;
        }
        let own = of_samples.pose(sample).world(take.skeleton());
        let shown = clip.folded_pose(sample).as_ref().world(take.skeleton());
        for joint in 0..take.num_joints() {
            curve_off += own.translations[joint].distance_squared(shown.translations[joint]);
            line_off += own.translations[joint].distance_squared(straight(at, joint));
            count += 1.0;
        }
    }
    let [curve, line] = [curve_off, line_off].map(|sum: f64| (sum / count).sqrt());
    assert!(curve < 0.5 * line, "{curve} {line}");
    let of_keys = LoopClip::new("keys", recorded.clone(), clip.carrier(), *clip.root()).unwrap();
    for key in 0..recorded.num_frames() {
        let shown = of_keys.folded_pose(key).as_ref().world(take.skeleton());
        for (one, own) in shown
            .translations
            .iter()
            .zip(take.pose(key).world(take.skeleton()).translations)
        {
            assert!(one.distance(own) < 1e-9, "{key}");
        }
    }
}

/// Exporters cut cycles anywhere between two frames, and a few frames late.
#[test]
fn a_cycle_ends_between_keys() {
    for (rate, period) in [
        (24.0, 0.6),
        (24.0, 0.733_333),
        (25.0, 1.1),
        (30.0, 1.1537),
        (60.0, 1.0371),
        (30.0, 1.0),
    ] {
        for (turn_dps, following) in [(0.0, 0), (20.0, 0), (0.0, 3)] {
            let frames: f64 = period * rate;
            let keys = frames.ceil() as usize + following;
            let settings = steady()
                .period_secs(period)
                .frame_rate_hz(rate)
                .seconds((keys - 1) as f64 / rate)
                .turn_dps(turn_dps);
            let found = whole(&walk_of(settings.clone())).unwrap();
            let off = found.num_frames - frames;
            let [low, high] = found.end_limits.map(|limit| limit + found.last_frame as f64 - frames);
            assert!(found.kind == WholeClipKind::Loops, "{found:?}");
            assert!(
                off.abs() < 1e-3 && low <= 1e-3 && high >= -1e-3,
                "{off} {low} {high}: {found:?}"
            );
            assert!(found.num_frames == frames.round() || high - low < 0.1);
            if found.ends_between_frames() {
                is_the_curve(&settings, period, &found);
            }
        }
    }
}

#[test]
fn copies_of_the_closing_key_are_left_out() {
    let take = cycle(66, 67);
    for copies in 1..=2 {
        let held = of_frames(&take, (0..=66).chain(std::iter::repeat_n(66, copies)));
        let found = whole(&held).unwrap();
        let found = (found.last_key, found.num_frames);
        assert_eq!(found, (LastKey::Repeated, 66.0), "{copies}");
    }
}

/// Exporters hold the last pose of a cycle to bring clips to one length, with its closing key or without: nothing of it freezes.
#[test]
fn poses_held_beside_a_cycle_are_left_out() {
    for (keys, last_key) in [(67, LastKey::Repeated), (66, LastKey::BeforeClosing)] {
        let take = cycle(66, keys);
        for (before, after) in [(0, 20), (20, 0), (60, 5)] {
            let held = std::iter::repeat_n(0, before)
                .chain(0..keys)
                .chain(std::iter::repeat_n(keys - 1, after));
            let held = of_frames(&take, held);
            let found = whole(&held).unwrap();
            let of_it = (found.kind, found.start_frame, found.last_frame, found.num_frames);
            let wanted = (WholeClipKind::Loops, before, before + 66.min(keys - 1), 66.0);
            assert_eq!(of_it, wanted, "{before} {after}");
            assert_eq!(found.last_key, last_key, "{before} {after}");
            let made = made(&held);
            let (metres, radians) = apart(&made, &take, 66.min(keys - 1));
            assert_eq!(made.loop_clip.num_samples(), 66);
            assert!(
                metres < 1e-5 && radians < 0.01_f64.to_radians(),
                "{before} {after}: {metres} {radians}"
            );
        }
    }
}

#[test]
fn a_little_more_than_a_cycle_is_trimmed_to_one() {
    let truth = 1.1537;
    let lengths = [1.1, 1.15, 1.2, 1.25, 1.3];
    for (cycles, noise_deg) in lengths.into_iter().flat_map(|cycles| [(cycles, 0.0), (cycles, 0.4)]) {
        let settings = WalkSettings::default()
            .period_secs(truth)
            .seconds(cycles * truth)
            .frame_rate_hz(30.0)
            .noise_deg(noise_deg);
        let analysis = analysed(&walk_of(settings));
        let best = best(&analysis);
        let (whole, secs) = (best.whole.unwrap(), best.source_period_secs);
        assert!(
            (secs - truth).abs() < 1.0 / 30.0,
            "{cycles}, {noise_deg} deg: {secs} s, {whole:?}"
        );
        let quality = measured(&analysis.make_loop(&best, &LoopSettings::default()).unwrap());
        let displacement = quality.displacement_metres.unwrap();
        assert!(!quality.pops() && displacement < 0.01, "{quality:?}");
    }
}

#[test]
fn a_take_of_many_uneven_cycles_is_no_whole_clip() {
    for seed in 0..40 {
        let settings = WalkSettings::default()
            .seconds(12.0)
            .speed_variation(0.3)
            .noise_deg(0.1)
            .seed(seed);
        assert_eq!(whole(&walk_of(settings)), None, "{seed}");
    }
}

#[test]
fn a_single_cycle_has_its_own_period() {
    let truth = 1.1537;
    for keys in 33..=35 {
        let settings = WalkSettings::default()
            .period_secs(truth)
            .seconds(f64::from(keys - 1) / 30.0)
            .frame_rate_hz(30.0);
        let analysis = analysed(&walk_of(settings));
        let found = analysis.find_loops(&SearchSettings::default()).unwrap();
        let Some(best) = found.best() else {
            // Two frames short of a cycle is no cycle.
            assert_eq!(keys, 33);
            continue;
        };
        let (whole, secs) = (best.whole.unwrap(), best.source_period_secs);
        assert!(
            whole.last_key == LastKey::BeforeClosing && (secs - truth).abs() < 4e-3,
            "{keys}: {secs} s, {whole:?}"
        );
    }
}

#[test]
fn a_cycle_that_nearly_closes_is_one_at_every_frame_rate() {
    for rate_hz in [30.0, 60.0, 120.0] {
        let settings = WalkSettings::default()
            .period_secs(1.1)
            .seconds(1.1 - 1.0 / rate_hz)
            .frame_rate_hz(rate_hz);
        let take = walk_of(settings);
        let last = take.num_frames() as f64;
        // The body sinks by 2 cm.
        let sunk = posed(&take, |frame, pose| {
            pose.translations[0].y -= 0.02 * frame as f64 / last;
        });
        let found = analysed(&sunk).find_loops(&SearchSettings::default()).unwrap();
        let whole = found.best().and_then(|best| best.whole);
        let last_key = whole.map(|whole| whole.last_key);
        assert_eq!(last_key, Some(LastKey::BeforeClosing), "{rate_hz} Hz");
    }
}

#[test]
fn a_gap_is_closed_and_little_else_is_moved() {
    // The last key is off by 3 mm and a degree, as after a cut by hand.
    let take = cycle(66, 67);
    let off = posed(&take, |frame, pose| {
        if frame == 66 {
            pose.translations[0].y += 0.003;
            pose.rotations[12] = rotation::exp(DVec3::X * 1_f64.to_radians()) * pose.rotations[12];
        }
    });
    let made = made(&off);
    let whole = made.candidate.whole.unwrap();
    assert!(whole.loops_already(), "{whole:?}");
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
    let take = posed(&walk, |frame, pose| {
        pose.translations[0].z -= speed * frame as f64 / 60.0;
    });
    let found = whole(&take).unwrap();
    assert!(found.is_in_place());
    assert_eq!(found.root_mode(), RootMode::InPlace);
    // The speed is known all the same.
    let made = made(&take);
    assert!((made.loop_clip.root().twist.linear.z - speed).abs() < 0.02 * speed);
}

/// There and back in 60 frames, and exactly where it began: it turns around at the seam, as its author has it.
#[test]
fn what_its_author_closed_is_kept_or_mended_on_request() {
    let walk = cycle(66, 67);
    let poses = (0..=60).map(|key| {
        let swing = ops::sin(core::f64::consts::PI * f64::from(key % 60) / 60.0);
        walk.sample(20.0 + 16.0 * swing)
    });
    let take = of_poses(&walk, walk.skeleton().clone(), poses);
    let kept = made(&take);
    assert!(kept.candidate.is_finished_clip() && measured(&kept).pops());
    let (metres, radians) = apart(&kept, &take, 60);
    assert!(metres < 1e-9 && radians < 1e-7, "{metres} {radians}");
    let settings = LoopSettings {
        mend: true,
        ..LoopSettings::with_feet(FootLock::Off)
    };
    let mended = analysed(&take).make_loop(&kept.candidate, &settings).unwrap();
    assert!(!mended.candidate.is_finished_clip() && !measured(&mended).has_a_kink());
    assert_eq!(mended.loop_clip.num_samples(), 60);
}

/// An arm drifts over the clip and snaps back onto the key that closes it: only the arm is mended, and where nothing is to mend
/// nothing changes.
#[test]
fn a_joint_that_snaps_back_is_mended_alone() {
    let walk = cycle(66, 67);
    let arm = walk
        .skeleton()
        .joints()
        .iter()
        .position(|joint| joint.name == "LeftArm")
        .unwrap();
    let drifting = |degrees: f64| {
        posed(&walk, |frame, pose| {
            let share = if frame == 66 { 0.0 } else { frame as f64 / 66.0 };
            pose.rotations[arm] *= DQuat::from_rotation_x(share * degrees.to_radians());
        })
    };
    let mend = |take: &Take| {
        let settings = LoopSettings {
            mend: true,
            ..LoopSettings::default()
        };
        let analysis = analysed(take);
        analysis.make_loop(&made(take).candidate, &settings).unwrap()
    };
    let sound = mend(&drifting(0.0));
    assert!(sound.candidate.is_finished_clip());
    let take = drifting(12.0);
    let kept = made(&take);
    assert!(measured(&kept).has_a_kink());
    let mended = mend(&take);
    assert!(!measured(&mended).has_a_kink());
    for (joint, of_joint) in walk.skeleton().joints().iter().enumerate() {
        let moved = (0..66).map(|sample| {
            let [was, is] = [&kept, &mended].map(|made| made.loop_clip.tracks().pose(sample).rotations[joint]);
            rotation::difference(was, is).length()
        });
        let farthest = moved.fold(0.0, f64::max).to_degrees();
        let limit = if joint == arm { 8.0 } else { 0.5 };
        assert!(farthest < limit, "{} {farthest}", of_joint.name);
    }
}

/// The pose in which a body was bound, before its first key or in place of the closing one: far from the walk, and near.
#[test]
fn setup_poses_are_left_out() {
    let walk = cycle(66, 67);
    let t_pose = walk_of(steady().t_pose_first_frame(true)).pose(0).to_pose();
    for share in [1.0, 0.15] {
        let mut bound = walk.pose(0).to_pose();
        bound
            .rotations
            .iter_mut()
            .zip(&t_pose.rotations)
            .for_each(|(own, bound)| *own = own.slerp(*bound, share));
        let first = core::iter::once(bound.clone()).chain((0..=66).map(|key| walk.pose(key).to_pose()));
        let last = (0..66).map(|key| walk.pose(key).to_pose()).chain([bound.clone()]);
        let takes = [
            of_poses(&walk, walk.skeleton().clone(), first),
            of_poses(&walk, walk.skeleton().clone(), last),
        ];
        for (take, start) in takes.iter().zip([1, 0]) {
            let found = whole(take).unwrap();
            let of_it = (found.kind, found.start_frame, found.num_frames, found.left_out);
            assert_eq!(of_it, (WholeClipKind::Loops, start, 66.0, 1), "{share} {found:?}");
        }
    }
}

#[test]
fn half_a_swing_is_no_loop() {
    // It ends close to where it began, but moves the other way.
    let take = cycle(66, 67);
    let poses = (0..=60).map(|key| {
        let swing = 16.0 * ops::sin(core::f64::consts::PI * f64::from(key) / 60.0);
        take.sample(20.0 + swing + 0.005 * f64::from(key))
    });
    let swing = of_poses(&take, take.skeleton().clone(), poses);
    assert!(whole(&swing).is_none_or(|whole| !whole.loops_already()));
}

#[test]
fn captures_of_many_cycles_are_searched() {
    // 240 frames hold three cycles and two thirds; 199 end close to where a cycle began.
    for frames in [199, 241] {
        let take = walk_of(
            WalkSettings::default()
                .seconds(f64::from(frames - 1) / 60.0)
                .period_secs(66.0 / 60.0),
        );
        let best = best(&analysed(&take));
        assert!(best.whole.is_none() && best.cycles == 1, "{frames}: {:?}", best.whole);
    }
}

#[test]
fn clips_of_any_length_have_an_answer() {
    let take = cycle(66, 67);
    for frames in 1..12 {
        let short = of_frames(&take, 0..frames);
        let analysis = analysed(&short);
        assert_eq!(analysis.whole_loop(), None, "{frames}");
        let _ = analysis.whole_cycle();
        let _ = analysis.find_loops(&SearchSettings::default());
    }
}

/// A strike that ends as it begins: named for what it is, it loops, is none, or stays open; told not to listen, all stay open.
#[test]
fn names_tell_what_motion_leaves_open() {
    let strike = |name: &str| {
        let walk = cycle(66, 67);
        let poses = (0..=120).map(|frame: usize| {
            let burst = f64::from(u8::from((40..=80).contains(&frame)));
            let away = burst * ops::sin(core::f64::consts::PI * (frame as f64 - 40.0) / 40.0).powi(2);
            // Never held quite still, as poses are that exporters add.
            walk.sample(5.0 + 30.0 * away + 0.5 * ops::sin(TAU * frame as f64 / 60.0))
        });
        let tracks = Tracks::from_poses(walk.skeleton().clone(), 1.0 / 60.0, poses).unwrap();
        Take::from_tracks(name, tracks).unwrap()
    };
    for (name, kind, by_name) in [
        ("Spider Idle", WholeClipKind::Loops, true),
        ("Attack", WholeClipKind::EndsAsItBegins, false),
        ("Reload", WholeClipKind::EndsAsItBegins, false),
        ("Take 001", WholeClipKind::EndsAsItBegins, false),
    ] {
        let take = strike(name);
        let found = analysed(&take).whole_loop().unwrap();
        assert_eq!((found.kind, found.by_name), (kind, by_name), "{name}");
        // A take that is named an action is refused, unless its frames are given or its name is ignored.
        let refused = |analysis: &Analysis, within| {
            let settings = SearchSettings {
                within,
                ..SearchSettings::default()
            };
            analysis.find_loops(&settings) == Err(SearchError::SingleAction)
        };
        let is_named = ["Attack", "Reload"].contains(&name);
        assert_eq!(refused(&analysed(&take), None), is_named, "{name}");
        assert!(!refused(&analysed(&take), Some((10, 110))), "{name}");
        let deaf = BodyOverrides {
            ignore_name: true,
            ..BodyOverrides::default()
        };
        let deaf = Analysis::with(&take, &deaf).unwrap();
        let found = deaf.whole_loop().unwrap();
        assert_eq!(found.kind, WholeClipKind::EndsAsItBegins, "{name}");
        assert!(!refused(&deaf, None), "{name}");
    }
}

#[test]
fn a_door_on_its_hinge_moves() {
    // The ground frame went round with it, so that no joint seemed to move.
    let rows = [
        ("Door", None, DVec3::ZERO),
        ("Knob", Some(0), DVec3::new(0.8, 1.0, 0.0)),
    ];
    let door = take_of(skeleton(&rows), 1.0 / 30.0, 91, |frame, joint| {
        let turn = 0.5 - 0.5 * libm::cos(TAU * frame as f64 / 30.0);
        let turn = if joint == 0 { turn } else { 0.0 };
        (rows[joint].2, DQuat::from_rotation_y(turn))
    });
    let found = analysed(&door).find_loops(&SearchSettings::default()).unwrap();
    let best = found.best().unwrap();
    assert!(best.loops_already() && best.twist.angular.length() < 1e-6, "{best:?}");
}
