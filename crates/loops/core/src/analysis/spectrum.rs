//! Lengths at which a take repeats: the autocorrelation of the features over all lags.
//!
//! A lag gives a length but no position, and a take that is not periodic as a whole has low peaks; the spectrum only guides the
//! search and explains its result. Method: remove mean and drift of every channel, zero-pad to twice the length so that nothing
//! wraps, transform, square, transform back, sum the channels, divide by the overlap at each lag. Derivation:
//! docs/math/spectrum.md.

use core::ops::RangeInclusive;

use realfft::RealFftPlanner;

use super::{Features, TakeDefects};
use crate::math::{mean, ordered};

/// Autocorrelation of a take's features over lag, 1 at lag 0.
#[handed_over]
pub struct Spectrum {
    #[handed(with = "crate::plain_bytes")]
    values: Vec<f64>,
}

/// A lag at which the take resembles itself.
#[value(Copy)]
pub struct Peak {
    /// Lag in frames, refined below one frame.
    pub lag_frames: f64,
    /// Autocorrelation there, at most 1.
    pub height: f64,
    /// Its height above the higher of the two valleys on either side.
    pub prominence: f64,
}

/// Share of the take that must overlap itself for a lag to count; with less a few frames decide.
const MIN_OVERLAP_SHARE: f64 = 0.25;

/// Factor for rounding to nine decimal places: transforms differ in the last digits between processors, but results must not.
const ROUNDING: f64 = 1e9;

impl Spectrum {
    /// Computes the autocorrelation over the position axes of `features`, zero for a take without any motion. Flagged poses are
    /// replaced by interpolated ones.
    pub(crate) fn of(features: &Features, defects: &TakeDefects) -> Self {
        let num_frames = features.num_frames();
        let spoiled = spoiled(num_frames, defects);
        let length = padded_length(num_frames);
        let mut planner = RealFftPlanner::<f64>::new();
        let forward = planner.plan_fft_forward(length);
        let inverse = planner.plan_fft_inverse(length);
        let mut signal = forward.make_input_vec();
        let mut transformed = forward.make_output_vec();
        let mut scratch = forward.make_scratch_vec();
        let mut power = vec![0.0; transformed.len()];
        for axis in 0..features.num_position_axes() {
            let positions = (0..num_frames).map(|frame| features.positions(frame)[axis]);
            signal[..num_frames].copy_from_slice(&detrended(positions.collect(), &spoiled));
            signal[num_frames..].fill(0.0);
            // Buffers come from the plan itself, so their lengths fit and the call cannot fail.
            if forward
                .process_with_scratch(&mut signal, &mut transformed, &mut scratch)
                .is_err()
            {
                continue;
            }
            for (power, value) in power.iter_mut().zip(&transformed) {
                *power += value.norm_sqr();
            }
        }
        for (value, power) in transformed.iter_mut().zip(&power) {
            *value = realfft::num_complex::Complex::new(*power, 0.0);
        }
        if inverse.process(&mut transformed, &mut signal).is_err() {
            signal.fill(0.0);
        }
        let at_zero = signal[0] / num_frames as f64;
        let num_lags = ((1.0 - MIN_OVERLAP_SHARE) * num_frames as f64) as usize;
        let values = (0..num_lags.max(1))
            .map(|lag| {
                let unbiased = signal[lag] / (num_frames - lag) as f64;
                let value = if at_zero > 0.0 { unbiased / at_zero } else { 0.0 };
                (value * ROUNDING).round() / ROUNDING
            })
            .collect();
        Self { values }
    }

    /// Returns the autocorrelation at every lag in frames from 0, except lags that leave less than a quarter of the take.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns the autocorrelation at a fractional lag, linear between frames; `None` if the take is too short for that lag.
    pub fn at(&self, lag_frames: f64) -> Option<f64> {
        if !(lag_frames >= 0.0 && lag_frames.is_finite()) {
            return None;
        }
        let before = lag_frames.floor();
        let u = lag_frames - before;
        let left = *self.values.get(before as usize)?;
        if u == 0.0 {
            return Some(left);
        }
        let right = *self.values.get(before as usize + 1)?;
        Some(left + u * (right - left))
    }

    /// Prominence above which a peak is worth showing.
    pub const SHOWN_PROMINENCE: f64 = 0.05;

    /// Prominence above which a peak is a rhythm.
    pub const RHYTHM_PROMINENCE: f64 = 0.1;

    /// Peaks between two lags (frames) with at least the given prominence, highest first.
    pub fn peaks(&self, min_lag: usize, max_lag: usize, min_prominence: f64) -> Vec<Peak> {
        let values = &self.values;
        let mut peaks = Vec::new();
        for lag in min_lag.max(1)..max_lag.saturating_add(1).min(values.len().saturating_sub(1)) {
            let (left, middle, right) = (values[lag - 1], values[lag], values[lag + 1]);
            if !(middle > left && middle >= right) {
                continue;
            }
            let before = valley(middle, values[..lag].iter().rev());
            let after = valley(middle, values[lag + 1..].iter());
            let prominence = middle - before.max(after);
            if prominence < min_prominence {
                continue;
            }
            // Vertex of the parabola through the three values.
            let curvature = left - 2.0 * middle + right;
            let shift = if curvature < 0.0 {
                0.5 * (left - right) / curvature
            } else {
                0.0
            };
            peaks.push(Peak {
                lag_frames: lag as f64 + shift,
                height: middle - 0.25 * (left - right) * shift,
                prominence,
            });
        }
        peaks.sort_by_key(|peak| ordered(-peak.height));
        peaks
    }
}

/// Returns the lowest value beside a peak, up to the first value above the peak.
fn valley<'a>(peak: f64, side: impl Iterator<Item = &'a f64>) -> f64 {
    side.take_while(|&&value| value <= peak).copied().fold(peak, f64::min)
}

/// Returns a length of at least twice the take that transforms fast: 8, 9, 10 or 12 times a power of two.
fn padded_length(num_frames: usize) -> usize {
    let least = 2 * num_frames;
    let power = least.div_ceil(16).next_power_of_two();
    let lengths = [8, 9, 10, 12].map(|factor| factor * power);
    lengths
        .into_iter()
        .find(|&length| length >= least)
        .unwrap_or(16 * power)
}

/// Runs of flagged frames.
fn spoiled(num_frames: usize, defects: &TakeDefects) -> Vec<RangeInclusive<usize>> {
    let mut runs: Vec<RangeInclusive<usize>> = Vec::new();
    let frames = defects.bad_frames.iter().map(|bad| bad.frame);
    for frame in frames.filter(|&frame| frame < num_frames) {
        match runs.last_mut() {
            Some(run) if frame <= run.end() + 1 => *run = *run.start()..=frame,
            _ => runs.push(frame..=frame),
        }
    }
    runs
}

/// Returns the values of an axis at all frames, minus their least-squares line; spoiled frames are interpolated.
fn detrended(mut values: Vec<f64>, spoiled: &[RangeInclusive<usize>]) -> Vec<f64> {
    for run in spoiled {
        let before = run.start().checked_sub(1).map(|frame| values[frame]);
        let after = values.get(run.end() + 1).copied();
        let Some(left) = before.or(after) else { break };
        let right = after.unwrap_or(left);
        let steps = (run.end() - run.start() + 2) as f64;
        for frame in run.clone() {
            let u = (frame + 1 - run.start()) as f64 / steps;
            values[frame] = left + u * (right - left);
        }
    }
    let middle = 0.5 * (values.len() as f64 - 1.0);
    let mean = mean(values.iter().copied());
    let (mut moment, mut spread) = (0.0, 0.0);
    for (frame, value) in values.iter().enumerate() {
        let x = frame as f64 - middle;
        moment += x * (value - mean);
        spread += x * x;
    }
    let slope = if spread > 0.0 { moment / spread } else { 0.0 };
    for (frame, value) in values.iter_mut().enumerate() {
        *value = *value - mean - slope * (frame as f64 - middle);
    }
    values
}
