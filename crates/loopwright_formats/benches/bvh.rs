//! How fast BVH is read and written, against a loop that only reads numbers and against other readers.
//!
//! A synthetic walk whose rows are repeated to 100 MB, or the file given as an argument likewise:
//! `cargo bench -p loopwright_formats --bench bvh [-- FILE.bvh]`.
//!
//! Figures are of the calling thread, so with the feature `threads` they tell what is left to it.
//!
//! With `--memory` in place of all that: what reading the take holds at most, on Linux. With `--wall`: seconds on the wall of
//! reading the take; with the feature `threads` and held to one processor, say by `taskset -c 0`, one thread reads it.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::{hint::black_box, time::Instant};

use glam::{DQuat, DVec3};
use loopwright_formats::{Format, LoadedTake, ReadSettings, Source, bvh, read_take, write_take};
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

/// Most bytes that the process has held so far, and those that it holds now, where the system tells them.
fn held_bytes() -> Option<(u64, u64)> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let told = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    Some((1024 * told("VmHWM:")?, 1024 * told("VmRSS:")?))
}

/// Prints what reading the take holds at most beside the bytes of the file.
fn measure_memory(read: impl Fn() -> LoadedTake) {
    let Some((_, before)) = held_bytes() else {
        println!("this system does not tell");
        return;
    };
    let loaded = read();
    let (most, _) = held_bytes().unwrap_or_default();
    let size = loaded.take.num_frames() * loaded.take.num_joints() * (size_of::<DVec3>() + size_of::<DQuat>());
    let (held, size) = (most as f64 - before as f64, size as f64);
    println!(
        "the take has {:.1} MB; reading it held {:.1} MB, {:.3} of that",
        1e-6 * size,
        1e-6 * held,
        held / size
    );
}

/// Prints seconds on the wall of reading the take.
fn measure_wall(read: impl Fn() -> LoadedTake) {
    let run = || {
        let start = Instant::now();
        black_box(read());
        start.elapsed().as_secs_f64()
    };
    let secs: Vec<f64> = (0..4 * RUNS).map(|_| run()).collect();
    println!(
        "{} processors: {:.4} s at best, {:.4} s by the median",
        std::thread::available_parallelism().map_or(1, usize::from),
        secs.iter().copied().fold(f64::INFINITY, f64::min),
        median(secs)
    );
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
    let settings = ReadSettings::default();
    let read = || read_take(bytes, "bench", &settings, &mut Vec::new()).unwrap();
    for argument in std::env::args() {
        match argument.as_str() {
            "--memory" => return measure_memory(read),
            "--wall" => return measure_wall(read),
            _ => {}
        }
    }
    let rows = rivals::rows(bytes);
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
    let mut work: [(&str, &mut dyn FnMut()); 8] = [
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
        ("copy of the bytes", &mut || {
            black_box(black_box(bytes).to_vec());
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
