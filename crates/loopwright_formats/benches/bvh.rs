//! How fast BVH is read and written, against a loop that only reads numbers and against other readers.
//!
//! A synthetic walk whose rows are repeated to 100 MB, or the file given as an argument likewise:
//! `cargo bench -p loopwright_formats --bench bvh [-- FILE.bvh]`.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::{hint::black_box, time::Instant};

use loopwright_formats::{Format, ReadSettings, Source, bvh, read_take, write_take};
use loopwright_synth::{WalkSettings, synthesize};

#[path = "bvh_rivals/mod.rs"]
mod rivals;

/// Size of the file in bytes.
const NUM_BYTES: usize = 100_000_000;

/// Runs that a figure is the median of.
const RUNS: usize = 7;

/// Processor seconds of this thread where the system tells them, else seconds on the wall.
fn seconds(start: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |nanoseconds| 1e-9 * nanoseconds)
}

/// Seconds of each piece of work, run by run in turn, so that what slows the machine down slows all.
fn times(work: &mut [(&str, &mut dyn FnMut())]) -> Vec<Vec<f64>> {
    let epoch = Instant::now();
    let mut times = vec![Vec::new(); work.len()];
    for _ in 0..RUNS {
        for ((_, run), times) in work.iter_mut().zip(&mut times) {
            let start = seconds(epoch);
            run();
            times.push(seconds(epoch) - start);
        }
    }
    times
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let text = match std::env::args().skip(1).find(|argument| !argument.starts_with('-')) {
        Some(path) => String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned(),
        None => {
            let take = synthesize(&WalkSettings::default()).unwrap().take;
            let written = write_take(&take, &Source::for_take(&take, Format::Bvh)).unwrap();
            String::from_utf8(written.bytes).unwrap()
        }
    };
    let text = rivals::repeated(&text, NUM_BYTES).unwrap();
    let bytes = text.as_bytes();
    let rows = rivals::rows(bytes);
    let settings = ReadSettings::default();
    let read = || read_take(bytes, "bench", &settings, &mut Vec::new()).unwrap();
    let loaded = read();
    let written = write_take(&loaded.take, &loaded.source).unwrap().bytes.len();
    let values = bvh::parse(bytes, &mut Vec::new()).unwrap().values().to_vec();
    println!(
        "{:.1} MB, {} frames, {} joints, {:.1} bytes a value; medians of {RUNS}",
        1e-6 * bytes.len() as f64,
        loaded.take.num_frames(),
        loaded.take.num_joints(),
        rows.len() as f64 / values.len() as f64,
    );
    let (mut fresh, mut reused) = (Vec::new(), Vec::with_capacity(values.len()));
    rivals::fused(rows, &mut fresh);
    assert!(fresh == values, "the loop reads other numbers");
    drop(fresh);
    let mut work: [(&str, &mut dyn FnMut()); 7] = [
        ("numbers alone, fresh buffer", &mut || {
            let mut values = Vec::with_capacity(values.len());
            rivals::fused(rows, &mut values);
            black_box(&values);
        }),
        ("numbers alone, reused buffer", &mut || {
            reused.clear();
            rivals::fused(rows, &mut reused);
            black_box(&reused);
        }),
        ("raw values", &mut || {
            black_box(bvh::parse(bytes, &mut Vec::new()).unwrap());
        }),
        ("take", &mut || {
            black_box(read());
        }),
        ("fast-float2, fresh buffer", &mut || {
            let mut values = Vec::with_capacity(values.len());
            rivals::fast_float(rows, &mut values);
            black_box(&values);
        }),
        ("bvh_anim", &mut || {
            black_box(rivals::bvh_anim(bytes).unwrap());
        }),
        ("write", &mut || {
            black_box(write_take(&loaded.take, &loaded.source).unwrap());
        }),
    ];
    let times = times(&mut work);
    for ((name, _), times_of) in work.iter().zip(&times) {
        let num_bytes = if *name == "write" { written } else { bytes.len() };
        let over = |other: usize| {
            median(
                times[other]
                    .iter()
                    .zip(times_of)
                    .map(|(other, own)| other / own)
                    .collect(),
            )
        };
        println!(
            "{name:32} {:7.0} MB/s   {:5.2} of the loop, fresh; {:5.2} reused; {:5.2} of bvh_anim",
            1e-6 * num_bytes as f64 / median(times_of.clone()),
            over(0),
            over(1),
            over(5),
        );
    }
}
