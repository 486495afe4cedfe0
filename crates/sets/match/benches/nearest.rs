//! Measures the time to find the nearest frame of many takes: `cargo bench -p loopwright_match --bench nearest`.
//!
//! The rows are features of synthetic walks of many speeds and turns; the queries come from walks that are left out, two of three with a
//! path of their own. For comparison the same run also compares all rows one by one, and uses boxes around 16 and 64 consecutive frames, as
//! in Holden et al., "Learned motion matching", 2020, implemented anew here.
//!
//! With `LOOPWRIGHT_ROWS` and `LOOPWRIGHT_ASKED`, two arrays that `loopwright match export --npy` wrote, these are searched instead, for
//! comparison with other programs that read the same arrays.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::{hint::black_box, time::Instant};

use loopwright_core::{Analysis, math::ops};
use loopwright_match::{
    NearestRows,
    features::{self, Future, Horizon, NUM_FEATURES, RawFeatures, Standard},
};
use loopwright_synth::{WalkSettings, synthesize};

/// Frames of a take, at 60 a second.
const FRAMES_OF_TAKE: usize = 2500;

const NUM_QUERIES: usize = 5000;

fn frames(seed: u64, num_frames: usize) -> Vec<RawFeatures> {
    let at = seed as f64;
    let settings = WalkSettings::default()
        .seed(seed)
        .frame_rate_hz(60.0)
        .seconds(num_frames as f64 / 60.0 + 1.1)
        .period_secs(0.9 + 0.05 * (at % 9.0))
        .speed_mps(0.6 + 0.09 * (at % 13.0))
        .turn_dps(11.0 * (at % 11.0) - 55.0)
        .noise_deg(0.4);
    let take = synthesize(&settings).expect("the walk is sound").take;
    let analysis = Analysis::new(&take).expect("no joints are named");
    features::of_take(&analysis, Horizon::default()).expect("the walk has feet and lasts long enough")
}

/// Boxes around runs of frames.
struct Boxes {
    run: usize,
    low: Vec<f32>,
    high: Vec<f32>,
}

impl Boxes {
    fn of(rows: &[f32], run: usize) -> Self {
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for part in rows.chunks(run * NUM_FEATURES) {
            for column in 0..NUM_FEATURES {
                let numbers = || part.iter().skip(column).step_by(NUM_FEATURES).copied();
                low.push(numbers().fold(f32::INFINITY, f32::min));
                high.push(numbers().fold(f32::NEG_INFINITY, f32::max));
            }
        }
        Self { run, low, high }
    }

    /// Whether everything in a box is farther than `best`; distances are added up only until that is known.
    fn is_beyond(&self, index: usize, query: &[f32], best: f32) -> bool {
        let columns = index * NUM_FEATURES..(index + 1) * NUM_FEATURES;
        let mut sum = 0.0;
        for ((low, high), number) in self.low[columns.clone()].iter().zip(&self.high[columns]).zip(query) {
            let gap = number - number.clamp(*low, *high);
            sum += gap * gap;
            if sum >= best {
                return true;
            }
        }
        false
    }
}

/// Returns the nearest row by boxes of two sizes.
fn by_boxes(rows: &[f32], boxes: &[Boxes; 2], query: &[f32]) -> usize {
    let [large, small] = boxes;
    let (mut best, mut nearest) = (f32::INFINITY, 0);
    let num_rows = rows.len() / NUM_FEATURES;
    for outer in 0..num_rows.div_ceil(large.run) {
        if large.is_beyond(outer, query, best) {
            continue;
        }
        let end = ((outer + 1) * large.run).min(num_rows);
        for inner in outer * large.run / small.run..end.div_ceil(small.run) {
            if small.is_beyond(inner, query, best) {
                continue;
            }
            for row in inner * small.run..((inner + 1) * small.run).min(num_rows) {
                let mut sum = 0.0;
                for (number, other) in rows[row * NUM_FEATURES..][..NUM_FEATURES].iter().zip(query) {
                    sum += (number - other) * (number - other);
                    if sum >= best {
                        break;
                    }
                }
                if sum < best {
                    (best, nearest) = (sum, row);
                }
            }
        }
    }
    nearest
}

fn one_by_one(rows: &[f32], query: &[f32]) -> usize {
    let distance = |row: &[f32]| {
        let gaps = row.iter().zip(query).map(|(number, other)| number - other);
        gaps.map(|gap| gap * gap).sum::<f32>()
    };
    let distances = rows.chunks_exact(NUM_FEATURES).map(distance).enumerate();
    distances
        .min_by(|one, other| one.1.total_cmp(&other.1))
        .map_or(0, |best| best.0)
}

/// Microseconds of every query, in ascending order.
#[expect(clippy::disallowed_methods, reason = "a bench needs a clock")]
fn microseconds(queries: &[[f32; NUM_FEATURES]], mut search: impl FnMut(&[f32]) -> usize) -> (Vec<f64>, Vec<usize>) {
    let (mut times, mut answers) = (Vec::new(), Vec::new());
    for query in queries {
        let start = Instant::now();
        answers.push(black_box(search(black_box(query))));
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    (times, answers)
}

/// The rows of an array of 32-bit floats.
fn array(name: &str) -> Option<Vec<[f32; NUM_FEATURES]>> {
    let bytes = std::fs::read(std::env::var_os(name)?).expect("the array can be read");
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let numbers: Vec<f32> = bytes[start..]
        .chunks_exact(4)
        .map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        .collect();
    let (rows, rest) = numbers.as_chunks();
    assert!(rest.is_empty(), "{name} has rows of other features");
    Some(rows.to_vec())
}

fn main() {
    if let Some((rows, queries)) = array("LOOPWRIGHT_ROWS").zip(array("LOOPWRIGHT_ASKED")) {
        compare(rows.as_flattened(), &queries);
        return;
    }
    for num_rows in [50_000, 500_000] {
        let num_takes = num_rows / FRAMES_OF_TAKE;
        let all: Vec<RawFeatures> = (0..num_takes)
            .flat_map(|seed| frames(seed as u64, FRAMES_OF_TAKE))
            .collect();
        let standard = Standard::new(&all);
        let rows: Vec<f32> = all.iter().flat_map(|frame| standard.apply(frame)).collect();
        let left_out = (0..8).flat_map(|seed| frames(10_007 + seed, NUM_QUERIES / 8));
        let queries: Vec<[f32; NUM_FEATURES]> = left_out
            .enumerate()
            .map(|(index, mut asked)| {
                if index % 3 > 0 {
                    let angle = 0.01 * (index % 200) as f64 - 1.0;
                    let speed = 0.8 + 0.004 * (index % 150) as f64;
                    let future = |secs: f64| Future {
                        position: [speed * secs * ops::sin(angle), speed * secs * ops::cos(angle)],
                        facing: angle,
                    };
                    features::steer(&mut asked, Horizon::default().secs().map(future));
                }
                standard.apply(&asked)
            })
            .collect();
        compare(&rows, &queries);
    }
}

#[expect(clippy::disallowed_methods, reason = "a bench needs a clock")]
fn compare(rows: &[f32], queries: &[[f32; NUM_FEATURES]]) {
    let start = Instant::now();
    let tree = NearestRows::new(rows, NUM_FEATURES).expect("features are finite");
    println!(
        "\n{} rows of {NUM_FEATURES}, {} queries; index of {:.1} bytes a row, built in {:.2} s",
        rows.len() / NUM_FEATURES,
        queries.len(),
        tree.index_bytes() as f64 / tree.num_rows() as f64,
        start.elapsed().as_secs_f64()
    );
    let boxes = [64, 16].map(|run| Boxes::of(rows, run));
    let mut before = None;
    let (all_rows, expected) = microseconds(&queries[..queries.len() / 10], |query| one_by_one(rows, query));
    let (published, by_boxes) = microseconds(queries, |query| by_boxes(rows, &boxes, query));
    let (ours, answers) = microseconds(queries, |query| tree.nearest(query, None).map_or(0, |best| best.row));
    let (follow, followed) = microseconds(queries, |query| {
        before = tree.nearest(query, before).map(|best| best.row);
        before.unwrap_or(0)
    });
    assert!(answers[..expected.len()] == expected && answers == by_boxes && answers == followed);
    for (name, times) in [
        ("all rows one by one", &all_rows),
        ("boxes around 64 and 16 frames", &published),
        ("tree", &ours),
        ("tree, from the last answer on", &follow),
    ] {
        let [median, high, tail] = [0.5, 0.9, 0.99].map(|share| times[(share * (times.len() - 1) as f64) as usize]);
        let boxes_median = published[(0.5 * (published.len() - 1) as f64) as usize];
        println!(
            "{name:<32} {median:9.2} us, 90th percentile {high:9.2}, 99th {tail:9.2}; {:6.3} of boxes",
            median / boxes_median
        );
    }
}
