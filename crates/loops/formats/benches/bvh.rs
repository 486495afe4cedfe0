//! How fast BVH is read and written: a synthetic walk repeated to about 100 MB, the median of several runs.
//!
//! Run with `cargo bench -p loopwright_formats`.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::{hint::black_box, time::Instant};

use loopwright_core::Take;
use loopwright_formats::{Format, ReadSettings, Source, read_take, write_take};
use loopwright_synth::{WalkSettings, synthesize};

/// Approximate size of the file in bytes.
const NUM_BYTES: usize = 100_000_000;

/// Number of runs; the median is reported.
const RUNS: usize = 7;

/// Returns the bytes of a take as BVH.
fn written(take: &Take) -> Vec<u8> {
    write_take(take, &Source::for_take(take, Format::Bvh)).unwrap().bytes
}

/// Returns a synthetic walk, repeated.
fn long_walk() -> Take {
    let walk = synthesize(&WalkSettings::default()).unwrap().take;
    let copies = NUM_BYTES / written(&walk).len();
    let frames = || (0..copies).flat_map(|_| 0..walk.num_frames());
    let translations = frames().flat_map(|frame| walk.translations(frame)).copied().collect();
    let rotations = frames().flat_map(|frame| walk.rotations(frame)).copied().collect();
    Take::new(
        walk.name(),
        walk.skeleton().clone(),
        walk.frame_time_secs(),
        translations,
        rotations,
    )
    .unwrap()
}

/// Prints the median speed of an operation on the given number of bytes.
fn report<T>(name: &str, num_bytes: usize, work: impl Fn() -> T) {
    let mut secs: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed().as_secs_f64()
        })
        .collect();
    secs.sort_by(f64::total_cmp);
    println!("{name:10} {:5.0} MB/s", 1e-6 * num_bytes as f64 / secs[RUNS / 2]);
}

fn main() {
    let take = long_walk();
    let bytes = written(&take);
    println!(
        "{:.1} MB, {} frames, {} joints",
        1e-6 * bytes.len() as f64,
        take.num_frames(),
        take.num_joints()
    );
    report("take", bytes.len(), || {
        read_take(&bytes, "bench", &ReadSettings::default(), &mut Vec::new()).unwrap()
    });
    report("write", bytes.len(), || written(&take));
}
