//! Loops whose cycles vary as those of their take do.

use glam::DVec3;
use loopwright_core::{
    Joint, LoopClip, LoopSettings, MadeLoop, Skeleton, Take,
    math::{ops, rotation},
    variation::VariationSettings,
};

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
