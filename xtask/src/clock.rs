//! Seconds that work takes, and the machine that took them.

use std::{hint::black_box, time::Instant};

use loopwright::unstable::bound::Instructions;

use crate::statistics::median;

/// Number of runs whose median is reported.
const RUNS: usize = 5;

/// A run repeats its work until it has lasted this long, seconds: the system counts processor time in steps of some
/// milliseconds.
const LEAST_SECS: f64 = 0.1;

/// Name of the processor, number of processors, and the system.
pub(crate) fn machine() -> String {
    let report = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = report
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or("a processor without a name", |(_, model)| model.trim());
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{model} ({}), {count} processors, {}",
        Instructions::detect().name(),
        std::env::consts::OS
    )
}

/// Processor seconds of this thread if the system reports them, else wall-clock seconds.
///
/// Other work on the same machine lengthens wall-clock time, but hardly processor time.
fn seconds() -> f64 {
    let report = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = report.and_then(|report| report.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(on_the_wall, |nanoseconds| 1e-9 * nanoseconds)
}

/// Seconds since the first call.
pub(crate) fn on_the_wall() -> f64 {
    static FIRST: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Seconds that one run of a piece of work takes: the mean over enough runs to fill the least time.
fn run<T>(work: &mut impl FnMut() -> T) -> f64 {
    let start = seconds();
    let mut times = 0.0;
    loop {
        black_box(work());
        times += 1.0;
        let secs = seconds() - start;
        if secs >= LEAST_SECS {
            return secs / times;
        }
    }
}

/// Median of several runs of a piece of work, seconds.
pub(crate) fn time<T>(mut work: impl FnMut() -> T) -> f64 {
    median((0..RUNS).map(|_| run(&mut work)))
}

/// The same for two pieces of work under comparison, run in turn: anything that slows the machine slows both.
///
/// Returns both medians, and the median ratio of the first to the second.
pub(crate) fn time_both<T, U>(mut one: impl FnMut() -> T, mut other: impl FnMut() -> U) -> (f64, f64, f64) {
    let runs: Vec<(f64, f64)> = (0..RUNS).map(|_| (run(&mut one), run(&mut other))).collect();
    (
        median(runs.iter().map(|(one, _)| *one)),
        median(runs.iter().map(|(_, other)| *other)),
        median(runs.iter().map(|(one, other)| one / other)),
    )
}
