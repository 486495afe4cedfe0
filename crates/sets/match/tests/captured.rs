//! The nearest frame of captured takes, against comparing all rows one by one.
//!
//! `LOOPWRIGHT_QUERIES` is how many are asked for, `LOOPWRIGHT_FLUSHED=1` says that the processor flushes numbers too small for their
//! exponent to zero, as game engines have it: `.ci/long` does both.

use core::hint::black_box;

use loopwright_core::math::Decay;
use loopwright_match::{
    CostDatabase, CostFeatures, MatchFilter, MatchSource,
    features::{self, Horizon, RawFeatures},
};
use loopwright_mocap::folder_or_skip;

use crate::support::{captured, nearest_is_that_of_all, one_by_one, rows_of};

/// Takes that are rows, and takes that are asked for.
const ROWS: [&str; 9] = [
    "100style/Neutral_FW.bvh",
    "100style/Neutral_FR.bvh",
    "100style/Neutral_ID.bvh",
    "pfnn/LocomotionFlat04_000.bvh",
    "bandai-namco/dataset-1_walk_normal_001.bvh",
    "bandai-namco/dataset-1_run_normal_001.bvh",
    "bandai-namco/dataset-2_walk_normal_020.bvh",
    "bandai-namco/dataset-2_run_elderly_019.bvh",
    "xia/neutral_01.bvh",
];
const ASKED: [&str; 3] = [
    "100style/Neutral_TR1.bvh",
    "pfnn/LocomotionFlat09_000.bvh",
    "bandai-namco/dataset-1_walk-left_normal_001.bvh",
];

/// Queries in the ordinary tests.
const QUERIES: usize = 600;

/// Returns the frames of the takes; those that cannot be matched, because they are too short, give none.
fn frames_of(folder: &std::path::Path, names: &[&str]) -> Vec<RawFeatures> {
    let frames = names
        .iter()
        .map(|name| features::of_take(&captured(folder, name), Horizon::default()));
    frames.flat_map(Result::unwrap_or_default).collect()
}

#[test]
fn captured_frames_and_steered_ones_are_found_as_by_comparing_all() {
    let Some(folder) = folder_or_skip() else { return };
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    let is_flushed = black_box(f32::MIN_POSITIVE) * black_box(0.25) == 0.0;
    let wants_flushed = number("LOOPWRIGHT_FLUSHED") == Some(1);
    assert_eq!(is_flushed, wants_flushed, "small numbers are flushed: {is_flushed}");
    let frames = frames_of(&folder, &ROWS);
    let asked = frames_of(&folder, &ASKED);
    let counts = [&frames, &asked].map(Vec::len);
    assert!(counts[0] > 5_000 && counts[1] > 1_000, "rows and asked for: {counts:?}");
    nearest_is_that_of_all(&frames, &asked, number("LOOPWRIGHT_QUERIES").unwrap_or(QUERIES));
}

/// Takes of one skeleton whose frames are jumped to, and one whose frames are left.
const ENTERED: [&str; 3] = [
    "100style/Neutral_FW.bvh",
    "100style/Neutral_FR.bvh",
    "100style/Neutral_ID.bvh",
];
const LEFT: &str = "100style/Neutral_TR1.bvh";

/// The frame of captured takes that is cheapest to jump to, against the exact cost of all rows; from the answer before on, as a
/// controller asks.
#[test]
fn the_cheapest_captured_frame_is_found_as_by_scoring_all() {
    let Some(folder) = folder_or_skip() else { return };
    let source = |name: &str| MatchSource::from_take(captured(&folder, name));
    let entered = ENTERED.map(source);
    for decay in [
        Decay::Spring { half_life_secs: 0.1 },
        Decay::Quintic { blend_secs: 0.35 },
    ] {
        let features = CostFeatures::new(&entered[0], decay).unwrap();
        let motions: Vec<_> = entered
            .iter()
            .zip(ENTERED)
            .flat_map(|(source, name)| source.cost_motions(name, &[], &features).unwrap())
            .collect();
        let database = CostDatabase::new(features.clone(), &motions).unwrap();
        let bytes = database.to_bytes();
        let mapped = CostDatabase::from_bytes(&bytes).unwrap();
        let rows = rows_of(&database);
        let queries = features.queries(&source(LEFT)).unwrap();
        let mut before = None;
        for (frame, query) in queries.iter().enumerate().step_by(7) {
            let all = one_by_one(&rows, decay, query);
            let answer = mapped.cheapest(query, &MatchFilter::default(), before);
            assert_eq!(answer, Some(all[0]), "{decay:?}, frame {frame}");
            before = answer.map(|best| best.row);
        }
    }
}
