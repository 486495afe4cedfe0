//! Loops of another time, against the truth of synthetic walks.

use loopwright_core::{
    LoopSettings, MadeLoop, Pose,
    analysis::Side,
    math::{ops, rotation},
    pipeline::{FallsAt, Keep, Length, MakeError, Sampling, Timing},
};
use loopwright_synth::{Walker, synthesize};

use crate::support::{analysed, best, measured, steady};

fn timed(timing: Timing) -> LoopSettings {
    LoopSettings {
        timing,
        ..LoopSettings::default()
    }
}

fn footfalls(text: &str) -> Timing {
    Timing {
        footfalls: text.parse().unwrap(),
        ..Timing::default()
    }
}

fn secs(made: &MadeLoop) -> f64 {
    made.loop_clip.period_secs()
}

fn mps(made: &MadeLoop) -> f64 {
    ops::over_ground(made.loop_clip.root().twist.linear)
}

/// Sum of the turns of all joints but the hips between two poses, radians.
fn unlike(one: &Pose, other: &Pose) -> f64 {
    let turns = one.rotations.iter().zip(&other.rotations).skip(1);
    turns
        .map(|(one, other)| rotation::difference(*one, *other).length())
        .sum()
}

/// At the moment asked for, the body is as the walk is when that foot truly touches down, to half a frame; it slides no more than
/// it does untimed, the seam does not show, and its length is exact.
#[test]
fn feet_touch_down_when_asked() {
    let settings = steady();
    let made = synthesize(&settings).unwrap();
    let (walker, analysis) = (Walker::new(&settings).unwrap(), analysed(&made.take));
    let stretch = best(&analysis);
    let frame_secs = made.take.frame_time_secs();
    let own = analysis
        .make_loop(&stretch, &timed(Sampling::Samples(40).into()))
        .unwrap();
    for (text, length) in [
        ("left:0.25,right:0.75", 1.0),
        ("left:0.25,right:0.8", 1.0),
        ("left:0.5,right:0.075", 0.9),
        ("right:0.125", 1.1),
    ] {
        let timing = Timing {
            sampling: Sampling::Samples(40),
            length: Some(Length::Secs(length * secs(&own))),
            ..footfalls(text)
        };
        let looped = analysis.make_loop(&stretch, &timed(timing)).unwrap();
        assert!((secs(&looped) - length * secs(&own)).abs() < 1e-12, "{text}");
        let written = looped.from_start();
        for (side, moment) in [
            (Side::Left, timing.footfalls.left),
            (Side::Right, timing.footfalls.right),
        ] {
            let Some(FallsAt::Share(share)) = moment else { continue };
            let pose = written.body_pose((40.0 * share).round() as usize).to_pose();
            let foot = if side == Side::Left { "LeftFoot" } else { "RightFoot" };
            let strikes = made.truth.stays.iter().filter(|stay| stay.foot == foot);
            let strike = strikes.filter_map(|stay| stay.strike_secs).nth(2).unwrap();
            let off = (-200..=200).map(|tick| 0.01 * frame_secs * f64::from(tick));
            let off = off.min_by(|&one, &other| {
                let [one, other] = [one, other].map(|off| unlike(&walker.pose_at(strike + off), &pose));
                one.total_cmp(&other)
            });
            assert!(off.unwrap().abs() < 0.5 * frame_secs, "{text}: {side} is {off:?} s off");
        }
        let [before, after] = [&own, &looped].map(measured);
        let slides = [before.foot_slide_mps, after.foot_slide_mps];
        assert!(slides[1] < Some(slides[0].unwrap() + 5e-3), "{text}: {slides:?}");
        assert!(!after.pops(), "{text}: {after:?}");
    }
}

/// Time alone scales everything; speed and stride follow what is kept, and standing feet then stand.
#[test]
fn length_speed_and_stride_belong_together() {
    let made = synthesize(&steady()).unwrap();
    let analysis = analysed(&made.take);
    let stretch = best(&analysis);
    let make = |timing| analysis.make_loop(&stretch, &timed(timing));
    let own = make(Timing::default()).unwrap();
    let of = |length: f64, speed: f64, keep| Timing {
        length: (length > 0.0).then(|| Length::Secs(length * secs(&own))),
        speed_mps: (speed > 0.0).then(|| speed * mps(&own)),
        keep,
        ..Timing::default()
    };
    for (timing, length, faster) in [
        (of(0.9, 0.0, Keep::Stride), 0.9, 1.0 / 0.9),
        (of(1.25, 0.0, Keep::Stride), 1.25, 0.8),
        (of(1.1, 0.0, Keep::Speed), 1.1, 1.0),
        (of(0.95, 0.0, Keep::Natural), 0.95, 1.0 / (0.95 * 0.95)),
        (of(0.0, 1.2, Keep::Stride), 1.0 / 1.2, 1.2),
        (of(0.0, 1.21, Keep::Natural), 1.0 / 1.1, 1.21),
        (of(1.05, 0.9, Keep::Stride), 1.05, 0.9),
    ] {
        let looped = make(timing).unwrap();
        assert!((secs(&looped) / secs(&own) - length).abs() < 1e-9, "{timing:?}");
        assert!((mps(&looped) / mps(&own) - faster).abs() < 1e-9, "{timing:?}");
        let retimed = looped.retimed.unwrap();
        assert!((retimed.length - length).abs() < 1e-9 && (retimed.stride - length * faster).abs() < 1e-9);
        assert!((retimed.acceleration - 1.0).abs() < 0.15, "{timing:?}: {retimed:?}");
        let quality = measured(&looped);
        assert!(
            quality.foot_slide_mps < Some(0.02) && !quality.pops(),
            "{timing:?}: {:?}",
            quality.foot_slide_mps
        );
    }
    let same = make(of(1.0, 0.0, Keep::Stride)).unwrap();
    assert!(same.loop_clip == own.loop_clip);
}

#[test]
fn what_bends_a_motion_too_far_is_refused() {
    let made = synthesize(&steady()).unwrap();
    let analysis = analysed(&made.take);
    let stretch = best(&analysis);
    let length = |secs| Timing {
        length: Some(Length::Secs(secs)),
        ..Timing::default()
    };
    let own = made.truth.period_secs;
    let kept = |secs, keep| Timing { keep, ..length(secs) };
    for (timing, refused) in [
        (length(0.78 * own), "beyond 0.8 to 1.25"),
        (length(1.27 * own), "beyond 0.8 to 1.25"),
        (kept(1.2 * own, Keep::Speed), "strides would be 1.20 times"),
        (kept(0.85 * own, Keep::Natural), "strides would be 1.1"),
        (footfalls("left:0.1,right:0.69"), "the left foot comes too early"),
        (footfalls("left:0.1,right:0.51"), "the right foot comes too early"),
        (footfalls("left:9s"), "outside a cycle"),
        (
            Timing {
                speed_mps: Some(1.3),
                keep: Keep::Speed,
                ..Timing::default()
            },
            "a given speed is not kept",
        ),
    ] {
        match analysis.make_loop(&stretch, &timed(timing)) {
            Err(MakeError::Timing(error)) => assert!(error.to_string().contains(refused), "{error}"),
            other => panic!("{timing:?}: {:?}", other.map(|made| made.retimed)),
        }
    }
}
