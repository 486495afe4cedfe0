//! The frame of many takes that is cheapest to jump to.

use loopwright_core::{Analysis, analysis::BodyOverrides, math::Decay};
use loopwright_match::{
    CostDatabase, CostError, CostFeatures, CostMotion, DatabaseError, FeatureSetKind, MatchDatabase, MatchFilter,
    MatchSource, features::Horizon,
};
use loopwright_moves::{Transitions, transition::TransitionClip};
use loopwright_synth::WalkSettings;

use crate::support::{at_any_address, damage_is_refused, made, one_by_one, rows_of, walk};

const SPRING: Decay = Decay::Spring { half_life_secs: 0.1 };

fn walks(count: u64) -> Vec<Analysis> {
    let settings = |seed: u64| {
        WalkSettings::default()
            .seed(seed)
            .speed_mps(0.8 + 0.1 * seed as f64)
            .turn_dps(12.0 * (seed as f64 - 2.5))
            .seconds(5.0)
            .noise_deg(0.3)
    };
    (0..count).map(|seed| walk(&settings(seed))).collect()
}

fn motions(takes: &[Analysis], features: &CostFeatures) -> Vec<CostMotion> {
    let motions = takes.iter().enumerate().flat_map(|(number, take)| {
        let tags = [("style".to_owned(), ["walk", "stroll"][number % 2].to_owned())];
        source(take)
            .cost_motions(&format!("{number}.bvh"), &tags, features)
            .unwrap()
    });
    motions.collect()
}

fn database(takes: &[Analysis], decay: Decay) -> CostDatabase<'static> {
    let features = CostFeatures::new(&source(&takes[0]), decay).unwrap();
    CostDatabase::new(features.clone(), &motions(takes, &features)).unwrap()
}

fn source(take: &Analysis) -> MatchSource {
    MatchSource::from_take(take.clone())
}

/// Frames of a walk that is left out, and mixtures of two, under every fade: always the cheapest of all rows, to the bit.
#[test]
fn the_answer_is_the_least_exact_cost_of_all_rows() {
    let takes = walks(6);
    let asked = &takes[5];
    for decay in [
        SPRING,
        Decay::Cubic { blend_secs: 0.4 },
        Decay::Quintic { blend_secs: 0.35 },
        Decay::Spring { half_life_secs: 0.6 },
    ] {
        let database = database(&takes[..5], decay);
        let rows = rows_of(&database);
        let queries = database.features().queries(&source(asked)).unwrap();
        let mut before = None;
        for (trial, mut query) in queries.iter().cloned().enumerate().step_by(3) {
            if trial % 2 == 1 {
                let other = &rows[trial * 97 % rows.len()];
                for (number, other) in query.iter_mut().zip(other).step_by(2) {
                    *number = *other;
                }
            }
            let all = one_by_one(&rows, decay, &query);
            let found = database.cheapest(&query, &MatchFilter::default(), before);
            assert_eq!(found, Some(all[0]), "{decay:?}, query {trial}");
            let filter = MatchFilter {
                tags: vec![("style".to_owned(), "stroll".to_owned())],
                rows_left: 20,
                ..MatchFilter::default()
            };
            let passes = |row: usize| {
                let clip = database.frame_of(row).clip;
                let rows = &database.clips()[clip];
                clip % 2 == 1 && row + 20 < rows.first_row + rows.num_rows
            };
            let expected = all.iter().find(|one| passes(one.row)).copied();
            assert_eq!(database.cheapest(&query, &filter, before), expected);
            before = found.map(|best| best.row);
        }
        // Far away from all rows, and in their middle.
        for scale in [0.0, 1e3, 1e9] {
            let query: Vec<f32> = queries[40].iter().map(|number| number * scale).collect();
            let all = one_by_one(&rows, decay, &query);
            assert_eq!(database.cheapest(&query, &MatchFilter::default(), None), Some(all[0]));
        }
    }
}

/// The cost of a jump is that of `transition`, but for the rounding of rows to single precision, and its bound is below it.
#[test]
fn costs_are_those_of_jumps_between_the_takes() {
    let takes = walks(2);
    let database = database(&takes, SPRING);
    let queries = database.features().queries(&source(&takes[1])).unwrap();
    let [left, entered] = [1, 0].map(|take: usize| TransitionClip::from_take(takes[take].clone()));
    let transitions = Transitions::between(&left, &entered, &[]).unwrap();
    for (exit, entry) in [(0, 0), (40, 100), (200, 7), (299, 250)] {
        let exact = transitions.cost(exit, entry, SPRING);
        let form = transitions.feature_cost(exit, entry, SPRING);
        let found = database.cost(&queries[exit], entry);
        assert!((found / exact - 1.0).abs() < 1e-5, "{found} {exact}");
        let bound = database.feature_cost(&queries[exit], entry);
        assert!((bound / form - 1.0).abs() < 1e-5, "{bound} {form}");
        assert!(bound <= found);
        // The features that are written for other programs have the bound as their distance.
        let forms =
            [&queries[exit], &database.row(entry).collect::<Vec<f32>>()].map(|row| database.features().form(row));
        let pairs = forms[0].iter().zip(&forms[1]);
        let distance: f64 = pairs.map(|(one, other)| (one - other).abs()).sum();
        assert!((distance / bound - 1.0).abs() < 1e-9, "{distance} {bound}");
    }
}

#[test]
fn equal_rows_give_the_lowest() {
    let takes = walks(1);
    let features = CostFeatures::new(&source(&takes[0]), SPRING).unwrap();
    let mut twice = motions(&takes, &features);
    twice.extend(twice.clone());
    let database = CostDatabase::new(features, &twice).unwrap();
    let half = database.num_rows() / 2;
    for row in 0..half {
        let query: Vec<f32> = database.row(half + row).collect();
        let found = database
            .cheapest(&query, &MatchFilter::default(), Some(half + row))
            .unwrap();
        assert_eq!((found.row, found.cost), (row, 0.0));
    }
}

/// Every sample of a loop is a row, the last too, whose velocity goes over the seam.
#[test]
fn samples_of_a_loop_are_rows() {
    let made = made(&walks(1)[0]);
    let source = MatchSource::from_loop(&made.loop_clip, &BodyOverrides::default(), Horizon::default()).unwrap();
    let features = CostFeatures::new(&source, SPRING).unwrap();
    let motions = source.cost_motions("loop", &[], &features).unwrap();
    let database = CostDatabase::new(features.clone(), &motions).unwrap();
    let count = made.loop_clip.num_samples();
    assert_eq!((database.num_rows(), source.num_frames()), (count, count));
    let queries = features.queries(&source).unwrap();
    assert_eq!(queries.len(), count);
    // One step on from the last sample is the first.
    let step = |row: usize, next: usize| database.cost(&queries[row], next);
    let usual = (0..count - 1).map(|row| step(row, row + 1)).fold(0.0, f64::max);
    assert!(step(count - 1, 0) <= 1.2 * usual, "{} {usual}", step(count - 1, 0));
    for (row, query) in queries.iter().enumerate() {
        let cheapest = database.cheapest(query, &MatchFilter::default(), None).unwrap();
        assert_eq!((cheapest.row, cheapest.cost), (row, 0.0));
    }
}

#[test]
fn takes_that_do_not_fit_are_refused() {
    let takes = walks(2);
    let features = CostFeatures::new(&source(&takes[0]), SPRING).unwrap();
    assert_eq!(features.columns(), 6 * features.joints().len() + 4);
    let foot = features.joints()[1].name.clone();
    let mut joints = takes[1].take.skeleton().joints().to_vec();
    joints[takes[1].take.skeleton().find(&foot).unwrap()].name = "Elsewhere".to_owned();
    let (values, secs) = (takes[1].take.values(), takes[1].take.frame_time_secs());
    let (translations, rotations) = (values.translations.to_vec(), values.rotations.to_vec());
    let skeleton = loopwright_core::Skeleton::new(joints).unwrap();
    let take = loopwright_core::Take::new("other", skeleton, secs, translations, rotations).unwrap();
    let other = source(&Analysis::new(&take).unwrap());
    let error = other.cost_motions("other", &[], &features).unwrap_err();
    assert_eq!(error, CostError::Joint { name: foot });
    // Rows of other features than the database has.
    let mut motions = motions(&takes[..1], &features);
    motions[0].features[3].pop();
    assert!(CostDatabase::new(features, &motions).is_err());
}

#[test]
fn a_range_of_a_take_has_the_rows_of_the_whole() {
    let takes = walks(1);
    let features = CostFeatures::new(&source(&takes[0]), SPRING).unwrap();
    let whole = motions(&takes, &features);
    let part = source(&takes[0]).within(50..120);
    let of_part = part.cost_motions("0.bvh", &[], &features).unwrap();
    assert_eq!((of_part.len(), of_part[0].clip.first_frame), (1, 50));
    assert_eq!(of_part[0].features, whole[0].features[50..120]);
    let classic = part.motions("0.bvh", &[], Horizon::default()).unwrap();
    let all = source(&takes[0]).motions("0.bvh", &[], Horizon::default()).unwrap();
    assert_eq!(classic[0].features, all[0].features[50..120]);
    assert_eq!(classic[0].standing, all[0].standing[50..120]);
}

#[test]
fn a_cost_database_survives_its_bytes() {
    let takes = walks(3);
    for decay in [SPRING, Decay::Quintic { blend_secs: 0.35 }] {
        let database = database(&takes[..2], decay);
        let bytes = database.to_bytes();
        assert_eq!(FeatureSetKind::from_bytes(&bytes), Ok(FeatureSetKind::Cost));
        at_any_address(&bytes, |bytes| {
            let again = CostDatabase::from_bytes(bytes).unwrap();
            assert_eq!(again, database);
            assert_eq!(again.to_bytes(), bytes);
        });
        let found = FeatureSetKind::Cost;
        let other = MatchDatabase::from_bytes(&bytes);
        assert_eq!(other, Err(DatabaseError::OtherSet { found }));
        // Takes that are added leave the others as they were.
        let more = database.with(&motions(&takes[2..], database.features())).unwrap();
        assert_eq!(rows_of(&more)[..database.num_rows()], rows_of(&database));
        assert_eq!(more.features(), database.features());
        damage_is_refused(&bytes, |changed| CostDatabase::from_bytes(changed).unwrap_err());
        for (at, number) in [(20, 0_u32), (20, 5), (20, u32::MAX), (16, 2)] {
            let mut changed = bytes.clone();
            changed[at..at + 4].copy_from_slice(&number.to_le_bytes());
            assert!(CostDatabase::from_bytes(&changed).is_err(), "{at} {number}");
        }
    }
    let empty = CostDatabase::new(database(&takes[..1], SPRING).features().clone(), &[]).unwrap();
    assert_eq!(CostDatabase::from_bytes(&empty.to_bytes()), Ok(empty.clone()));
    let query = vec![0.0; empty.features().columns()];
    assert_eq!(empty.cheapest(&query, &MatchFilter::default(), None), None);
}

/// Memory of the search beside the rows, for 8 joints.
#[test]
fn the_index_takes_sixteen_bytes_a_row() {
    let database = database(&walks(6), SPRING);
    let bytes = database.index_bytes() as f64 / database.num_rows() as f64;
    let joints = database.features().joints();
    assert!(joints.len() <= 9, "{joints:?}");
    assert!(bytes < 16.0, "{bytes} bytes a row, {} joints", joints.len());
}
