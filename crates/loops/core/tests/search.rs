//! The search against brute force over all pairs.

use loopwright_core::{
    SearchSettings, Take,
    analysis::{ActivityKind, Features},
    candidate::SeamPair,
    math::Decay,
    unstable::{
        bound::SeamBounds,
        comparison::PoseComparison,
        rhythm::{self, PoseDistances},
        seams::Seams,
        search::{Admission, DistinctPairs},
    },
};
use loopwright_mocap::folder_or_skip;
use loopwright_synth::WalkSettings;

use crate::support::{Random, analysed, captured, posed, steady, walk_of};

/// Greedy suppression over the sorted list of all admissible pairs, by definition.
fn brute_force(seams: &Seams, admission: &Admission, separation: usize, count: usize) -> Vec<SeamPair> {
    let num_frames = seams.features().num_frames();
    let mut pairs = Vec::new();
    for start_frame in 0..num_frames {
        for end_frame in start_frame..num_frames {
            if !admission.admits(start_frame, end_frame) {
                continue;
            }
            let cost = seams.cost(start_frame, end_frame);
            let pair = SeamPair {
                start_frame,
                end_frame,
                cost,
            };
            pairs.extend(cost.is_finite().then_some(pair));
        }
    }
    pairs.sort_by(|a, b| {
        a.cost
            .total_cmp(&b.cost)
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

/// Cases for the search: each kind of feature set that can fail in its own way.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Every value is random.
    Noise,
    /// Waves of a few rates, with noise.
    Waves,
    /// A few poses held for some frames: plateaus, and ties everywhere.
    Plateaus,
    /// Exact copies of one stretch: pairs with zero cost.
    Copies,
    /// Copies that differ in the last digits.
    NearCopies,
    /// Nothing changes.
    Still,
    /// Small changes far from zero.
    FarAway,
    /// Too large to be squared, some too large to be subtracted.
    Huge,
    /// So small that single precision has no numbers for it.
    Tiny,
    /// Some frames far from all others.
    Spikes,
}

const KINDS: [Kind; 10] = [
    Kind::Noise,
    Kind::Waves,
    Kind::Plateaus,
    Kind::Copies,
    Kind::NearCopies,
    Kind::Still,
    Kind::FarAway,
    Kind::Huge,
    Kind::Tiny,
    Kind::Spikes,
];

fn features(kind: Kind, num_frames: usize, random: &mut Random) -> Features {
    let num_axes = 4 + (random.unit() * 20.0) as usize;
    let period = 20 + (random.unit() * 40.0) as usize;
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let waves: Vec<[f64; 2]> = (0..2 * num_axes)
        .map(|_| [random.unit(), 7.0 * random.unit()])
        .collect();
    let poses: Vec<Vec<f64>> = (0..4)
        .map(|_| (0..2 * num_axes).map(|_| (3.0 * random.unit()).floor()).collect())
        .collect();
    let mut pose = 0;
    for frame in 0..num_frames {
        let mut noise = || random.unit() - 0.5;
        let row = match kind {
            Kind::Noise => (0..2 * num_axes).map(|_| noise()).collect(),
            Kind::Waves | Kind::FarAway | Kind::Spikes | Kind::Tiny => waves
                .iter()
                .enumerate()
                .map(|(index, [size, phase])| {
                    let rate = (1 + index % 3) as f64 * core::f64::consts::TAU / period as f64;
                    let value = size * libm::sin(rate * frame as f64 + phase) + 0.05 * noise();
                    match kind {
                        Kind::FarAway => 1e7 + value,
                        Kind::Tiny => 1e-250 * value,
                        Kind::Spikes if frame % 37 == 5 => 1e9 * value,
                        _ => value,
                    }
                })
                .collect(),
            Kind::Plateaus => {
                if noise() > 0.3 {
                    pose = ((noise() + 0.5) * 4.0) as usize;
                }
                poses[pose].clone()
            }
            Kind::Copies | Kind::NearCopies if frame >= period => {
                let size = if matches!(kind, Kind::Copies) { 0.0 } else { 1e-15 };
                rows[frame - period]
                    .iter()
                    .map(|value| value + size * noise())
                    .collect()
            }
            Kind::Copies | Kind::NearCopies => (0..2 * num_axes).map(|_| noise()).collect(),
            Kind::Still => vec![0.25; 2 * num_axes],
            Kind::Huge => {
                let size = if frame % 50 < 3 { 1.5e308 } else { 1e200 };
                (0..2 * num_axes).map(|_| size * noise()).collect()
            }
        };
        rows.push(row);
    }
    let part = |from: usize| -> Vec<f64> {
        rows.iter()
            .flat_map(|row| row[from..from + num_axes].iter().copied())
            .collect()
    };
    Features::from_values(1.0 / 30.0, num_axes, part(0), part(num_axes)).unwrap()
}

fn any_decay(random: &mut Random) -> Decay {
    let blend_secs = 0.1 + random.unit();
    let decays = [
        Decay::Spring {
            half_life_secs: blend_secs,
        },
        Decay::Cubic { blend_secs },
        Decay::Quintic { blend_secs },
    ];
    decays[(random.unit() * 3.0) as usize]
}

/// Lists as bits, so that a difference in the last digit shows.
fn bits(pairs: &[SeamPair]) -> Vec<(usize, usize, u64)> {
    let bits = |pair: &SeamPair| (pair.start_frame, pair.end_frame, pair.cost.to_bits());
    pairs.iter().map(bits).collect()
}

#[test]
fn any_features_give_the_list_of_brute_force() {
    let (mut sets, mut compared) = (0, 0);
    for seed in 0..200_u64 {
        let random = &mut Random::new(seed.into(), 11);
        let kind = KINDS[seed as usize % KINDS.len()];
        let num_frames = [1, 17, 64, 150, 300][seed as usize / KINDS.len() % 5];
        let num_frames = num_frames + (random.unit() * 0.3 * num_frames as f64) as usize;
        let features = features(kind, num_frames, random);
        let rare = 0.02 * random.unit();
        let usable: Vec<bool> = (0..num_frames).map(|_| random.unit() >= rare).collect();
        let min_lag = 1 + (random.unit() * 20.0) as usize;
        let max_lag = [usize::MAX, min_lag + 60, min_lag][(random.unit() * 3.0) as usize];
        let admission = Admission::of_any_activity(&usable, min_lag..=max_lag);
        let separation = (random.unit() * 6.0) as usize;
        let seams = Seams::new(&features, any_decay(random));
        let expected = brute_force(&seams, &admission, separation, 60);
        let bounds = SeamBounds::new(seams, &usable);
        for goal in [1, 10, 1000] {
            let list = DistinctPairs::new(&bounds, admission.clone(), separation).expecting(goal);
            let found: Vec<SeamPair> = list.take(60).collect();
            assert_eq!(bits(&found), bits(&expected), "{kind:?}, seed {seed}, goal {goal}");
        }
        // A ceiling cuts the list off and changes nothing before.
        if let Some(middle) = expected.get(expected.len() / 2) {
            let below = DistinctPairs::new(&bounds, admission, separation).up_to(middle.cost);
            let below: Vec<SeamPair> = below.take(60).collect();
            let is_below = |pair: &SeamPair| pair.cost <= middle.cost;
            let expected: Vec<SeamPair> = expected.iter().copied().take_while(is_below).collect();
            assert_eq!(bits(&below), bits(&expected), "{kind:?}, seed {seed}");
        }
        sets += 1;
        compared += expected.len();
    }
    assert!(sets >= 100 && compared > 3000, "{sets} sets, {compared} pairs");
}

/// Long enough for more than one worker where the search is built with threads.
#[test]
fn long_features_give_the_list_of_brute_force() {
    let kinds = [Kind::Noise, Kind::Waves, Kind::Copies, Kind::NearCopies];
    for (seed, kind) in kinds.into_iter().enumerate() {
        let random = &mut Random::new(seed as u128, 13);
        let features = features(kind, 1300, random);
        let usable = vec![true; 1300];
        let admission = Admission::of_any_activity(&usable, 12..=1300);
        let seams = Seams::new(&features, Decay::Spring { half_life_secs: 0.1 });
        let bounds = SeamBounds::new(seams, &usable);
        let expected = brute_force(&seams, &admission, 3, 100);
        let found: Vec<SeamPair> = DistinctPairs::new(&bounds, admission, 3).take(100).collect();
        assert_eq!(bits(&found), bits(&expected), "{kind:?}");
    }
}

/// Walks of the synth crate, and captured takes if they exist.
#[test]
fn takes_give_the_list_of_brute_force() {
    let walk = |seed: u64| walk_of(WalkSettings::default().seed(seed));
    let mut takes: Vec<Take> = (0..3).map(walk).collect();
    if let Some(folder) = folder_or_skip() {
        for name in [
            "bandai-namco/dataset-2_walk_normal_020.bvh",
            "snu/raw_walk_stop_walk.bvh",
            "100style/Neutral_TR1.bvh",
            "xia/neutral_01.bvh",
        ] {
            takes.push(captured(&folder, name));
        }
    }
    for take in takes {
        let analysis = analysed(&take);
        let fps = 1.0 / take.frame_time_secs();
        let (min_lag, separation) = ((0.4 * fps) as usize, (0.1 * fps).round() as usize);
        let seams = Seams::new(&analysis.features, Decay::Spring { half_life_secs: 0.1 });
        let bounds = SeamBounds::new(seams, &analysis.usable);
        for activity in [ActivityKind::Moving, ActivityKind::Idle] {
            let lags = min_lag..=(10.0 * fps) as usize;
            let admission = Admission::new(analysis.activity.kinds(), &analysis.usable, lags, activity);
            let expected = brute_force(&seams, &admission, separation, 40);
            let found: Vec<SeamPair> = DistinctPairs::new(&bounds, admission, separation).take(40).collect();
            assert_eq!(bits(&found), bits(&expected), "{} {activity:?}", take.name());
        }
    }
}

#[test]
fn a_loop_with_a_jump_inside_counts_it_and_is_not_sound() {
    let clean = walk_of(steady().drift(WalkSettings::default().drift));
    // From here on the body stands half a metre to the side.
    let jumping = posed(&clean, |frame, pose| {
        pose.translations[0].x += if frame >= 200 { 0.5 } else { 0.0 };
    });
    let appraised = |take: &Take, start: f64, end: f64| {
        let analysis = analysed(take);
        analysis.appraise(start, end, &SearchSettings::default()).unwrap()
    };
    assert_eq!(appraised(&clean, 170.0, 239.0).num_jumps, 0);
    assert!(appraised(&clean, 170.0, 239.0).is_sound());
    let across = appraised(&jumping, 170.0, 239.0);
    assert_eq!((across.num_jumps, across.is_sound()), (1, false));
    assert_eq!(appraised(&jumping, 210.0, 279.0).num_jumps, 0);
}

/// Distances that are remembered are those of other pairs of frames never: more of them are asked for here than there are places.
#[test]
fn remembered_distances_change_no_rhythm() {
    let settings = WalkSettings::default().seconds(20.0);
    let analysis = analysed(&walk_of(settings));
    let comparison = PoseComparison::from(&analysis.features);
    let remembered = PoseDistances::new(comparison);
    let (num_frames, frame_time) = (comparison.num_frames(), analysis.take.frame_time_secs());
    let mut found = 0;
    for start in (0..num_frames).step_by(97) {
        for lag in (20..num_frames - start).step_by(61) {
            let [one, other] = [&remembered, &PoseDistances::new(comparison)]
                .map(|distances| rhythm::measure(distances, start, lag, frame_time));
            assert_eq!(one, other, "frames {start} to {}", start + lag);
            found += usize::from(one.is_some());
        }
    }
    assert!(found > 80, "{found} pairs have a rhythm");
}
