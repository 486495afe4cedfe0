//! Features of motions, and the nearest frame of many takes.

use glam::DQuat;
use loopwright::{
    Analysis,
    analysis::BodyOverrides,
    matching::{
        NearestRows, Neighbour,
        features::{self, FUTURE_SECS, FeaturesError, NUM_FEATURES, RawFeatures, Standard},
    },
    math::ops,
};
use loopwright_synth::{WalkSettings, synthesize};

fn walk(settings: &WalkSettings) -> Analysis {
    let take = synthesize(settings).unwrap().take;
    Analysis::with(&take, &BodyOverrides::default()).unwrap()
}

fn rows(frames: &[RawFeatures], standard: &Standard) -> Vec<f32> {
    frames.iter().flat_map(|frame| standard.apply(frame)).collect()
}

/// A walk on a circle: the future is an arc of its radius, whatever the frame and wherever the walk began.
#[test]
fn the_future_of_a_turning_walk_is_an_arc() {
    let settings = WalkSettings {
        speed_mps: 1.2,
        turn_dps: 40.0,
        seconds: 12.0,
        ..WalkSettings::default()
    };
    let frames = features::of_take(&walk(&settings)).unwrap();
    let turn = settings.turn_dps.to_radians();
    // Smoothing is not one-sided here.
    for frame in &frames[60..frames.len() - 60] {
        for (at, secs) in FUTURE_SECS.into_iter().enumerate() {
            let (x, z) = (frame[15 + 2 * at], frame[16 + 2 * at]);
            let far = ops::hypot(x, z);
            let chord = 2.0 * settings.speed_mps / turn * ops::sin(0.5 * turn * secs);
            assert!(
                (far - chord).abs() < 0.06 * chord,
                "{secs} s ahead {far} m, a chord of {chord} m"
            );
            let facing = ops::atan2(frame[21 + 2 * at], frame[22 + 2 * at]);
            assert!((facing - turn * secs).abs() < 0.08, "{secs} s ahead it faces {facing}");
        }
    }
}

#[test]
fn features_do_not_depend_on_where_a_take_faces() {
    let analysis = walk(&WalkSettings::default());
    let turned = Analysis::new(&analysis.take.turned(DQuat::from_rotation_y(2.5))).unwrap();
    let [here, there] = [analysis, turned].map(|analysis| features::of_take(&analysis).unwrap());
    assert_eq!(here.len(), there.len());
    for (here, there) in here.iter().zip(&there) {
        for (one, other) in here.iter().zip(there) {
            assert!((one - other).abs() < 1e-9, "{one} {other}");
        }
    }
}

#[test]
fn every_vector_has_mean_zero_and_spread_one() {
    let frames = features::of_take(&walk(&WalkSettings::default())).unwrap();
    let standard = Standard::of(&frames);
    let rows = rows(&frames, &standard);
    let column = |at: usize| rows.chunks_exact(NUM_FEATURES).map(move |row| f64::from(row[at]));
    let count = frames.len() as f64;
    for at in 0..NUM_FEATURES {
        assert!((column(at).sum::<f64>() / count).abs() < 1e-5);
    }
    for first in [0, 3, 6, 9, 12] {
        let squares = (first..first + 3).flat_map(|at| column(at).map(|number| number * number));
        assert!(
            (squares.sum::<f64>() / (3.0 * count) - 1.0).abs() < 1e-4,
            "vector at {first}"
        );
    }
}

/// Walks of many speeds and turns, asked for by frames of other walks with wishes of their own: always the nearest of all.
#[test]
fn of_many_walks_the_nearest_frame_is_found() {
    let takes: Vec<Analysis> = (0..8)
        .map(|seed| {
            walk(&WalkSettings {
                seed,
                speed_mps: 0.8 + 0.1 * seed as f64,
                turn_dps: 12.0 * (seed as f64 - 3.5),
                seconds: 12.0,
                noise_deg: 0.3,
                ..WalkSettings::default()
            })
        })
        .collect();
    let frames: Vec<RawFeatures> = takes[..7]
        .iter()
        .flat_map(|take| features::of_take(take).unwrap())
        .collect();
    let standard = Standard::of(&frames);
    let rows = rows(&frames, &standard);
    let found = NearestRows::new(&rows, NUM_FEATURES).unwrap();
    let mut before = None;
    for (trial, mut asked) in features::of_take(&takes[7]).unwrap().into_iter().enumerate() {
        if trial % 3 > 0 {
            let angle = 0.01 * (trial % 200) as f64 - 1.0;
            features::steer(
                &mut asked,
                FUTURE_SECS.map(|secs| ([secs * ops::sin(angle), secs * ops::cos(angle)], angle)),
            );
        }
        let query = standard.apply(&asked);
        let mut nearest = Neighbour {
            row: usize::MAX,
            squared_distance: f32::INFINITY,
        };
        for (row, numbers) in rows.chunks_exact(NUM_FEATURES).enumerate() {
            let mut squared_distance = 0.0;
            for (number, other) in numbers.iter().zip(query) {
                squared_distance += (number - other) * (number - other);
            }
            if squared_distance < nearest.squared_distance {
                nearest = Neighbour { row, squared_distance };
            }
        }
        let answer = found.nearest(&query, before);
        assert_eq!(answer, Some(nearest), "query {trial}");
        before = answer.map(|best| best.row);
    }
}

#[test]
fn what_cannot_be_matched_is_refused() {
    let short = walk(&WalkSettings {
        seconds: 12.0,
        ..WalkSettings::default()
    });
    let few = loopwright::Take::new(
        "short",
        short.take.skeleton().clone(),
        short.take.frame_time_secs(),
        (0..30)
            .flat_map(|frame| short.take.translations(frame).to_vec())
            .collect(),
        (0..30).flat_map(|frame| short.take.rotations(frame).to_vec()).collect(),
    );
    let error = features::of_take(&Analysis::new(&few.unwrap()).unwrap()).unwrap_err();
    assert!(matches!(error, FeaturesError::Short { .. }), "{error}");
}
