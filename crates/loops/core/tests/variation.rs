//! Loops whose cycles vary as those of their take do.

use std::sync::Arc;

use glam::DVec3;
use loopwright_core::feet::{StanceEdit, StanceSpan};
use loopwright_core::math::{ops, rotation};
use loopwright_core::mean_cycle::CyclesEnd;
use loopwright_core::pipeline::MakeError;
use loopwright_core::variation::{VariationError, VariationSettings};
use loopwright_core::{Joint, LoopClip, LoopSettings, MadeLoop, Skeleton, Take};

use crate::support::characters::{Character, PLAIN, character, pair_onto};
use crate::support::{analysed, best, posed, posed_on, steady, walk_of};

/// Slow swings of no common period with the walk; of the mean square one.
fn wander(secs: f64, phase: f64) -> f64 {
    let waves = [0.31, 0.47, 0.19].into_iter().enumerate();
    let sum: f64 = waves
        .map(|(index, hz)| ops::sin(core::f64::consts::TAU * hz * secs + phase * (1.0 + index as f64)))
        .sum();
    sum * (2.0 / 3.0_f64).sqrt()
}

/// Amounts by which the head nods and the spine bends with it, and the arm by itself; radians, root mean square.
const HEAD: f64 = 0.08;
const SPINE: f64 = 0.04;
const ARM: f64 = 0.06;

/// Returns a walk of 24 s whose upper body wanders from cycle to cycle; legs and hips go round exactly.
fn wandering() -> Take {
    let take = walk_of(steady().seconds(24.0));
    let [head, spine, arm] = ["Head", "Spine", "LeftArm"].map(|name| take.skeleton().find(name).unwrap());
    let step = take.frame_time_secs();
    posed(&take, |frame, pose| {
        let secs = frame as f64 * step;
        for (joint, offset) in [
            (head, DVec3::X * HEAD * wander(secs, 0.4)),
            (spine, DVec3::X * SPINE * wander(secs, 0.4)),
            (arm, DVec3::Z * ARM * wander(secs, 2.1)),
        ] {
            pose.rotations[joint] = rotation::exp(offset) * pose.rotations[joint];
        }
    })
}

fn made(take: &Take, variation: Option<VariationSettings>) -> MadeLoop {
    let analysis = analysed(take);
    let settings = LoopSettings {
        variation,
        ..LoopSettings::default()
    };
    analysis.make_loop(&best(&analysis), &settings).unwrap()
}

fn settings(seed: u32) -> VariationSettings {
    VariationSettings {
        secs: 60.0,
        seed,
        amount: 1.0,
    }
}

/// Returns the rotation added to a joint at a sample of the long loop.
fn added(varied: &MadeLoop, plain: &MadeLoop, joint: usize, sample: usize) -> DVec3 {
    let of = |clip: &LoopClip, sample: usize| clip.folded_pose(sample % clip.num_samples()).rotations[joint];
    let count = plain.loop_clip.num_samples();
    rotation::difference(of(&varied.loop_clip, sample), of(&plain.loop_clip, sample % count))
}

#[test]
fn cycles_vary_as_those_of_the_take_and_the_feet_do_not() {
    let take = wandering();
    let (plain, varied) = (made(&take, None), made(&take, Some(settings(3))));
    let (count, many) = (plain.loop_clip.num_samples(), varied.loop_clip.num_samples());
    let variation = varied.variation.clone().unwrap();
    assert_eq!(many, count * variation.copies);
    assert!(variation.joints_left_out.is_empty(), "{variation:?}");
    assert!((varied.loop_clip.period_secs() - 60.0).abs() < plain.loop_clip.period_secs());
    assert!(variation.cycles >= 8, "{variation:?}");
    let joint = |name: &str| take.skeleton().find(name).unwrap();
    let root_mean_square = |name: &str| {
        let squares = (0..many).map(|sample| added(&varied, &plain, joint(name), sample).length_squared());
        (squares.sum::<f64>() / many as f64).sqrt()
    };
    for (name, own) in [("Head", HEAD), ("Spine", SPINE), ("LeftArm", ARM)] {
        let ratio = root_mean_square(name) / own;
        assert!((0.7..1.35).contains(&ratio), "{name}: {ratio}");
    }
    // Joints that move together in the take do so here: the head twice as far as the spine.
    let (mut both, mut squares) = (0.0, [0.0; 2]);
    for sample in 0..many {
        let [head, spine, arm] = ["Head", "Spine", "LeftArm"].map(|name| added(&varied, &plain, joint(name), sample));
        both += head.dot(spine);
        squares[0] += head.length_squared();
        squares[1] += spine.length_squared();
        // Never beyond what the take shows, but for its mean: its waves add up to 2.45 times their root mean square.
        assert!(head.length() < 2.6 * HEAD && arm.length() < 2.6 * ARM, "{head} {arm}");
    }
    assert!(both / (squares[0] * squares[1]).sqrt() > 0.97);
    // Legs, hips, root and contacts are those of the plain loop, again and again, to the bit.
    for sample in 0..many {
        let [one, other] =
            [&varied.loop_clip, &plain.loop_clip].map(|clip| clip.folded_pose(sample % clip.num_samples()));
        for name in ["LeftUpLeg", "LeftLeg", "LeftFoot", "RightFoot", "RightToeBase"] {
            assert_eq!(
                one.rotations[joint(name)],
                other.rotations[joint(name)],
                "{name} {sample}"
            );
        }
    }
    assert_eq!(varied.loop_clip.root().twist, plain.loop_clip.root().twist);
    assert_eq!(varied.feet.contacts.len(), plain.feet.contacts.len() * variation.copies);
}

#[test]
fn no_cycle_is_like_another_and_the_seed_decides() {
    let take = wandering();
    let plain = made(&take, None);
    let [one, again, other] = [3, 3, 4].map(|seed| made(&take, Some(settings(seed))));
    assert_eq!(one, again);
    assert_ne!(one.loop_clip, other.loop_clip);
    let head = take.skeleton().find("Head").unwrap();
    let (count, many) = (plain.loop_clip.num_samples(), one.loop_clip.num_samples());
    let course: Vec<f64> = (0..many).map(|sample| added(&one, &plain, head, sample).x).collect();
    let at_lag = |lag: usize| -> f64 {
        let products = (0..many).map(|sample| course[sample] * course[(sample + lag) % many]);
        products.sum::<f64>() / course.iter().map(|x| x * x).sum::<f64>()
    };
    // Two cycles later nothing of it is left, nor at any later one but the whole.
    for copy in 2..many / count - 1 {
        assert!(at_lag(copy * count) < 0.6, "{copy}: {}", at_lag(copy * count));
    }
    assert!((at_lag(many) - 1.0).abs() < 1e-12);
}

#[test]
fn every_seam_is_as_smooth_as_the_rest() {
    let take = wandering();
    let (plain, varied) = (made(&take, None), made(&take, Some(settings(9))));
    let (count, many) = (plain.loop_clip.num_samples(), varied.loop_clip.num_samples());
    for name in ["Head", "Spine", "LeftArm"] {
        let joint = take.skeleton().find(name).unwrap();
        let of = |sample: usize| added(&varied, &plain, joint, sample % many);
        let third =
            |sample: usize| (of(sample + 3) - 3.0 * of(sample + 2) + 3.0 * of(sample + 1) - of(sample)).length();
        let largest = (0..many)
            .filter(|sample| (sample + 3) % count >= 3)
            .map(third)
            .fold(0.0, f64::max);
        let at_seams = (0..many)
            .filter(|sample| (sample + 3) % count < 3)
            .map(third)
            .fold(0.0, f64::max);
        // A jump of a tenth of a degree would be seen in both.
        assert!(
            at_seams <= 1.5 * largest && largest < 1e-3,
            "{name}: {at_seams} {largest}"
        );
    }
}

#[test]
fn what_cannot_vary_is_refused() {
    let take = wandering();
    let analysis = analysed(&take);
    let candidate = best(&analysis);
    let refused = |variation: VariationSettings| {
        let settings = LoopSettings {
            variation: Some(variation),
            ..LoopSettings::default()
        };
        match analysis.make_loop(&candidate, &settings) {
            Err(MakeError::Variation(error)) => error,
            other => panic!("{:?}", other.map(|made| made.loop_clip.num_samples())),
        }
    };
    let whole = settings(0);
    for secs in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = refused(VariationSettings { secs, ..whole });
        assert!(matches!(refused, VariationError::Secs { .. }), "{refused}");
    }
    for amount in [-0.1, 0.0, 2.1, f64::NAN] {
        let refused = refused(VariationSettings { amount, ..whole });
        assert!(matches!(refused, VariationError::Amount { .. }), "{refused}");
    }
    let too_long = refused(VariationSettings { secs: 1e9, ..whole });
    assert!(matches!(too_long, VariationError::TooLong { .. }));
    // What the cycles of a steady walk show: two or three too little, and those that are all alike nothing.
    let of_walk = |seconds: f64| {
        let analysis = analysed(&walk_of(steady().seconds(seconds)));
        let settings = LoopSettings {
            variation: Some(whole),
            ..LoopSettings::default()
        };
        match analysis.make_loop(&best(&analysis), &settings) {
            Err(MakeError::Variation(error)) => error,
            made => panic!("{:?}", made.map(|made| made.variation)),
        }
    };
    of_walk(3.0);
    let few = of_walk(4.6);
    let expected = matches!(
        few,
        VariationError::TooFewCycles {
            found: 2..=3,
            before: CyclesEnd::TakeEnds,
            after: CyclesEnd::TakeEnds,
        }
    );
    assert!(
        expected && few.to_string().contains("no frames for another cycle"),
        "{few}"
    );
    let alike = of_walk(12.0);
    assert!(matches!(alike, VariationError::Alike { left_out: false }), "{alike}");
}

/// Returns the take with a joint turned about the bone below it, by an angle at each time.
fn turned(take: &Take, name: &str, angle: impl Fn(f64) -> f64) -> Take {
    let (joint, step) = (take.skeleton().find(name).unwrap(), take.frame_time_secs());
    posed(take, |frame, pose| {
        pose.rotations[joint] = rotation::exp(DVec3::X * angle(frame as f64 * step)) * pose.rotations[joint];
    })
}

/// Returns the largest turn of any joint from one sample to the next, radians.
fn largest_step(clip: &LoopClip) -> f64 {
    let count = clip.num_samples();
    let turns = (0..count).flat_map(|sample| {
        let [one, next] = [sample, (sample + 1) % count].map(|sample| clip.body_pose(sample).rotations);
        one.iter()
            .zip(next)
            .map(|(one, next)| rotation::difference(*next, *one).length())
    });
    turns.fold(0.0, f64::max)
}

#[test]
fn what_spins_or_swings_too_far_does_not_vary() {
    let tau = core::f64::consts::TAU;
    let spins = |secs: f64| tau * 0.73 * secs;
    let swings = |secs: f64| 140_f64.to_radians() * 0.5 * (ops::sin(tau * 0.31 * secs) + ops::sin(tau * 0.47 * secs));
    for (what, take) in [
        ("spins", turned(&wandering(), "LeftHand", spins)),
        ("swings", turned(&wandering(), "LeftHand", swings)),
    ] {
        let (plain, varied) = (made(&take, None), made(&take, Some(settings(3))));
        let hand = take.skeleton().find("LeftHand").unwrap();
        let variation = varied.variation.as_ref().unwrap();
        assert_eq!(variation.joints_left_out, [hand], "{what}");
        let count = plain.loop_clip.num_samples();
        for sample in 0..varied.loop_clip.num_samples() {
            let [one, other] = [(&varied, sample), (&plain, sample % count)]
                .map(|(made, sample)| made.loop_clip.body_pose(sample).rotations[hand]);
            assert!(one == other || one == -other, "{what} {sample}: {one} {other}");
        }
        let [before, after] = [&plain, &varied].map(|made| largest_step(&made.loop_clip));
        assert!(
            after < 1.2 * before,
            "{what}: {} of {}",
            after.to_degrees(),
            before.to_degrees()
        );
        // The rest varies as ever.
        assert!(
            variation.joints > 10 && variation.radians > 0.005,
            "{what}: {variation:?}"
        );
    }
    // A smaller swing does.
    let take = turned(&wandering(), "LeftHand", |secs| 0.4 * swings(secs));
    let varied = made(&take, Some(settings(3)));
    assert!(varied.variation.unwrap().joints_left_out.is_empty());
}

#[test]
fn what_hangs_from_a_leg_does_not_vary() {
    let take = wandering();
    let skeleton = take.skeleton();
    let thigh = skeleton.find("LeftUpLeg").unwrap();
    let offset = DVec3::NEG_Y * 0.2;
    let joints: Vec<Joint> = (0..skeleton.num_joints())
        .map(|joint| skeleton.joint(joint).clone())
        .collect();
    let twist = joints.len();
    let more = Joint::new("LeftUpLegTwist", Some(thigh), offset);
    let skeleton = Skeleton::new(joints.into_iter().chain([more]).collect()).unwrap();
    let step = take.frame_time_secs();
    let take = posed_on(&take, skeleton, |frame, pose| {
        pose.translations.push(offset);
        pose.rotations
            .push(rotation::exp(DVec3::Y * 0.2 * wander(frame as f64 * step, 1.3)));
    });
    let (plain, varied) = (made(&take, None), made(&take, Some(settings(3))));
    let count = plain.loop_clip.num_samples();
    for sample in 0..varied.loop_clip.num_samples() {
        let [one, other] = [(&varied, sample), (&plain, sample % count)]
            .map(|(made, sample)| made.loop_clip.body_pose(sample).rotations[twist]);
        assert_eq!(one, other, "{sample}");
    }
}

/// A character varies by as much as the take, at the same time and in the same joints; it is edited, and its feet stand, in every cycle.
#[test]
fn a_character_varies_as_the_take_does() {
    let take = wandering();
    let target = character(&take, Character { legs: 0.45, ..PLAIN });
    let pair = Arc::new(pair_onto(&take, &target));
    let analysis = analysed(&take);
    let made_with = |variation: Option<VariationSettings>, stances: Vec<StanceEdit>| {
        let on = LoopSettings {
            variation,
            stances,
            character: Some(pair.clone()),
            ..LoopSettings::default()
        };
        analysis.make_loop(&best(&analysis), &on).unwrap()
    };
    // Half of a stance swings.
    let (foot, found) = (0, made_with(None, Vec::new()));
    let contact = found.feet.contacts.iter().find(|contact| contact.foot == foot).unwrap();
    let ends = [contact.start_sample, contact.start_sample + contact.num_samples / 2];
    let swings = vec![StanceEdit {
        foot,
        span: StanceSpan::Secs(ends.map(|sample| sample as f64 * found.loop_clip.step_secs())),
        stands: false,
    }];
    let (plain, varied) = (made_with(None, swings.clone()), made_with(Some(settings(3)), swings));
    assert_ne!(plain.feet.contacts, found.feet.contacts);
    let (count, many) = (plain.loop_clip.num_samples(), varied.loop_clip.num_samples());
    assert_eq!(many, count * varied.num_copies());
    assert_eq!(
        varied.feet.contacts.len(),
        plain.feet.contacts.len() * varied.num_copies()
    );
    let stands = |made: &MadeLoop, sample: usize| {
        let mut contacts = made.feet.contacts.iter().filter(|contact| contact.foot == foot);
        contacts.any(|contact| contact.keys().any(|key| key % made.loop_clip.num_samples() == sample))
    };
    for sample in 0..many {
        assert_eq!(stands(&varied, sample), stands(&plain, sample % count), "{sample}");
        let [one, other] = [(&varied, sample), (&plain, sample % count)].map(|(made, sample)| {
            let joints = ["thigh_l", "calf_l", "foot_l", "ball_r"].map(|name| target.skeleton().find(name).unwrap());
            joints.map(|joint| made.loop_clip.body_pose(sample).rotations[joint])
        });
        assert_eq!(one, other, "{sample}");
    }
    let (own_plain, own) = (made(&take, None), made(&take, Some(settings(3))));
    let joint = |take: &Take, name: &str| take.skeleton().find(name).unwrap();
    let (mut largest, mut apart) = (0.0_f64, 0.0_f64);
    for (theirs, ours) in [("Head", "head"), ("Spine", "spine_01"), ("LeftArm", "upperarm_l")] {
        for sample in 0..many {
            let of_take = added(&own, &own_plain, joint(&take, theirs), sample).length();
            let on_character = added(&varied, &plain, joint(&target, ours), sample).length();
            largest = largest.max(of_take);
            apart = apart.max((of_take - on_character).abs());
        }
    }
    assert!(largest > 0.1 && apart < 0.03 * largest, "{apart} of {largest}");
    // Both come from one cycle of the take.
    assert_eq!(varied.on_take(), own.on_take());
    assert_eq!(own.on_take(), &own_plain);
}
