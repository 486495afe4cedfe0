//! Seconds of work.

use std::{hint::black_box, time::Instant};

use crate::road::median;

/// Runs that a figure is the median of.
const RUNS: usize = 5;

/// A run repeats its work until it has lasted this long, seconds: the system counts processor time in steps of some
/// milliseconds.
const LEAST_SECS: f64 = 0.1;

/// Processor seconds of this thread where the system tells them, else seconds on the wall.
///
/// Others at work on the same machine lengthen the second, and hardly the first.
fn seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(on_the_wall, |nanoseconds| 1e-9 * nanoseconds)
}

/// Seconds since the first call.
pub(super) fn on_the_wall() -> f64 {
    static FIRST: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Seconds that one run of a piece of work takes, the mean of as many as fill some time.
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
pub(super) fn time<T>(mut work: impl FnMut() -> T) -> f64 {
    let mut runs: Vec<f64> = (0..RUNS).map(|_| run(&mut work)).collect();
    median(&mut runs)
}

/// The same for two pieces of work that are compared, in turn: what slows the machine down slows both.
///
/// Returns both medians, and the median of the first over the second.
pub(crate) fn time_both<T, U>(mut one: impl FnMut() -> T, mut other: impl FnMut() -> U) -> (f64, f64, f64) {
    let (mut ones, mut others, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let (first, second) = (run(&mut one), run(&mut other));
        ones.push(first);
        others.push(second);
        ratios.push(first / second);
    }
    (median(&mut ones), median(&mut others), median(&mut ratios))
}
