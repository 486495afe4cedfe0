//! Inputs shared by tests of several subjects: walks, captured takes, and bytes that are changed.

use loopwright_core::{
    Analysis, LoopSettings, MadeLoop, SearchSettings,
    math::{Decay, ops},
};
use loopwright_match::{
    Cheapest, CostDatabase, DatabaseError, NearestRows, Neighbour,
    features::{self, Future, Horizon, NUM_FEATURES, RawFeatures, Standard},
};
use loopwright_synth::{WalkSettings, synthesize};

pub(crate) fn walk(settings: &WalkSettings) -> Analysis {
    Analysis::new(&synthesize(settings).unwrap().take).unwrap()
}

pub(crate) fn captured(folder: &std::path::Path, file: &str) -> Analysis {
    let bytes = std::fs::read(folder.join(file)).unwrap();
    Analysis::new(&loopwright_formats::load(&bytes, file).unwrap().take).unwrap()
}

pub(crate) fn made(analysis: &Analysis) -> MadeLoop {
    let found = analysis.find_loops(&SearchSettings::default()).unwrap();
    analysis
        .make_loop(found.best().unwrap(), &LoopSettings::default())
        .unwrap()
}

/// The nearest row is that of comparing all, for frames with wishes of their own, each after the answer before.
pub(crate) fn nearest_is_that_of_all(frames: &[RawFeatures], asked: &[RawFeatures], num_queries: usize) {
    let standard = Standard::new(frames);
    let rows: Vec<f32> = frames.iter().flat_map(|frame| standard.apply(frame)).collect();
    let found = NearestRows::new(&rows, NUM_FEATURES).unwrap();
    let mut before = None;
    for trial in 0..num_queries {
        let mut wish = asked[trial * 7 % asked.len()];
        if trial % 8 > 0 {
            let (angle, speed) = (0.017 * (trial % 240) as f64 - 2.0, 0.03 * (trial % 101) as f64);
            let path = Horizon::default().secs().map(|secs| {
                let far = speed * secs;
                Future {
                    position: [far * ops::sin(angle * secs), far * ops::cos(angle * secs)],
                    facing: angle * secs,
                }
            });
            features::steer(&mut wish, path);
        }
        let query = standard.apply(&wish);
        let answer = found.nearest(&query, before);
        assert_eq!(answer, Some(nearest_of_all(&rows, &query)), "query {trial}");
        before = answer.map(|best| best.row);
    }
}

/// The nearest of all rows, compared one by one; the lowest of equal ones.
fn nearest_of_all(rows: &[f32], query: &[f32; NUM_FEATURES]) -> Neighbour {
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
    nearest
}

pub(crate) fn rows_of(database: &CostDatabase) -> Vec<Vec<f32>> {
    let rows = (0..database.num_rows()).map(|row| database.row(row).collect());
    rows.collect()
}

/// The cost of every row in turn, the cheapest first: positions of the joints' axes stand first, then velocities of these and of the root.
pub(crate) fn one_by_one(rows: &[Vec<f32>], decay: Decay, query: &[f32]) -> Vec<Cheapest> {
    let num_positions = (query.len() - 4) / 2;
    let mut all: Vec<Cheapest> = rows
        .iter()
        .enumerate()
        .map(|(row, numbers)| {
            let gap = |column: usize| f64::from(query[column]) - f64::from(numbers[column]);
            let mut cost = 0.0;
            for axis in 0..query.len() - num_positions {
                let x = if axis < num_positions { gap(axis) } else { 0.0 };
                cost += decay.displacement(x, gap(num_positions + axis));
            }
            Cheapest { row, cost }
        })
        .collect();
    all.sort_by(|one, other| one.cost.total_cmp(&other.cost).then(one.row.cmp(&other.row)));
    all
}

/// Gives the bytes of a database at every alignment.
pub(crate) fn at_any_address(bytes: &[u8], read: impl Fn(&[u8])) {
    for shift in 0..5 {
        let mut shifted = vec![0; shift];
        shifted.extend(bytes);
        read(&shifted[shift..]);
    }
}

/// A changed bit behind the header is refused, and so is every part of a database.
pub(crate) fn damage_is_refused(bytes: &[u8], refused: impl Fn(&[u8]) -> DatabaseError) {
    for at in (64..bytes.len()).step_by(991) {
        let mut changed = bytes.to_vec();
        changed[at] ^= 1;
        assert_eq!(refused(&changed), DatabaseError::Checksum);
    }
    for length in (0..bytes.len()).step_by(577) {
        let error = refused(&bytes[..length]);
        let is_right = match length {
            0..8 => error == DatabaseError::Magic,
            _ => matches!(error, DatabaseError::Length { .. }),
        };
        assert!(is_right, "{length}: {error}");
    }
}

/// Writes the checksum of the format, computed again from its description.
pub(crate) fn sum_up(bytes: &mut [u8]) {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for part in bytes[64..].chunks(8) {
        let word = part
            .iter()
            .rev()
            .fold(0, |word: u64, &byte| word << 8 | u64::from(byte));
        hash = (hash ^ word).wrapping_mul(0x0100_0000_01b3);
    }
    bytes[56..64].copy_from_slice(&hash.to_le_bytes());
}
