//! The search against brute force over all pairs.

use glam::{DQuat, DVec3};
use loopwright::{
    analysis::{Analysis, body::BodyOverrides, energy::Activity},
    candidate::{
        score::SpringCost,
        search::{Admission, DistinctPairs, SeamPair, Seams},
    },
    math::rotation,
    take::{Joint, Skeleton, Take},
};
use rand_pcg::{Pcg64, rand_core::Rng};

fn uniform(random: &mut Pcg64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A body of five joints that sways at a few random frequencies, with pauses.
fn swaying(seed: u64) -> Take {
    let random = &mut Pcg64::new(seed.into(), 7);
    let names = [
        ("Hips", None),
        ("LeftUpLeg", Some(0)),
        ("LeftFoot", Some(1)),
        ("RightUpLeg", Some(0)),
        ("RightFoot", Some(3)),
    ];
    let offsets = [
        DVec3::Y,
        DVec3::new(0.1, 0.0, 0.0),
        DVec3::new(0.0, -0.9, 0.0),
        DVec3::new(-0.1, 0.0, 0.0),
        DVec3::new(0.0, -0.9, 0.0),
    ];
    let joints = names
        .iter()
        .zip(offsets)
        .map(|(&(name, parent), rest_offset)| Joint {
            name: name.to_owned(),
            parent,
            rest_offset,
            tip: None,
        })
        .collect();
    let waves: Vec<[f64; 4]> = (0..15)
        .map(|_| {
            [
                uniform(random),
                0.5 + 2.0 * uniform(random),
                6.0 * uniform(random),
                uniform(random),
            ]
        })
        .collect();
    let num_frames = 60 + (uniform(random) * 120.0) as usize;
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for frame in 0..num_frames {
        let t = frame as f64 / 30.0;
        for joint in 0..5 {
            let axis = |k: usize| {
                let [size, rate, phase, _] = waves[3 * joint + k];
                0.6 * size * libm::sin(rate * core::f64::consts::TAU * t + phase) + 0.02 * (uniform(random) - 0.5)
            };
            let angles: Vec<f64> = (0..3).map(axis).collect();
            let turn = rotation::exp(DVec3::from_slice(&angles));
            let at = if joint == 0 {
                offsets[0] + DVec3::Z * 0.7 * t
            } else {
                offsets[joint]
            };
            translations.push(at);
            rotations.push(if joint == 0 { DQuat::IDENTITY } else { turn });
        }
    }
    Take::new(
        "sway",
        Skeleton::new(joints).unwrap(),
        1.0 / 30.0,
        translations,
        rotations,
    )
    .unwrap()
}

/// Greedy suppression over the sorted list of all admissible pairs, as the definition has it.
fn brute_force(analysis: &Analysis, admission: &Admission, separation: usize, count: usize) -> Vec<SeamPair> {
    let num_frames = analysis.features.num_frames();
    let seams = Seams::new(&analysis.features, SpringCost::from_half_life(0.2));
    let mut pairs = Vec::new();
    for start_frame in 0..num_frames {
        for end_frame in start_frame..num_frames {
            if admission.admits(start_frame, end_frame) {
                let cost = seams.cost(start_frame, end_frame);
                pairs.push(SeamPair {
                    start_frame,
                    end_frame,
                    cost,
                });
            }
        }
    }
    pairs.sort_by(|a, b| {
        (a.cost.total_cmp(&b.cost))
            .then(a.start_frame.cmp(&b.start_frame))
            .then(a.end_frame.cmp(&b.end_frame))
    });
    let mut kept: Vec<SeamPair> = Vec::new();
    for pair in pairs {
        let alike = |other: &SeamPair| {
            other.start_frame.abs_diff(pair.start_frame) <= separation
                && other.end_frame.abs_diff(pair.end_frame) <= separation
        };
        if !kept.iter().any(alike) {
            kept.push(pair);
        }
        if kept.len() == count {
            break;
        }
    }
    kept
}

#[test]
fn the_distinct_list_equals_brute_force_to_the_bit() {
    let mut compared = 0;
    for seed in 0..60 {
        let take = swaying(seed);
        let analysis = Analysis::of(&take, &BodyOverrides::default()).unwrap();
        let admission = Admission::new(&analysis.energy, &analysis.usable, 12..=70, Activity::Moving);
        let expected = brute_force(&analysis, &admission, 3, 40);
        let cost = SpringCost::from_half_life(0.2);
        let found: Vec<SeamPair> = DistinctPairs::new(&analysis.features, cost, admission, 3)
            .take(40)
            .collect();
        assert_eq!(found, expected, "seed {seed}");
        compared += found.len();
    }
    // Takes without any admissible pair would prove nothing.
    assert!(compared > 1000, "{compared}");
}
