//! Estimates how much faster a body moves at the end of a stretch than at its start, if the take contains too little around it.
//!
//! The speed over the ground is modelled as a Gaussian process: a slow change, a part that repeats with each step, a part by which left and
//! right steps differ, and noise. Derivation, constants and errors: docs/math/choice.md.

use core::f64::consts::PI;

use glam::DVec3;

use super::steadiness::{PaceChange, SLOW_MPS, Steadiness, heading_at, veer};
use crate::{
    analysis::Analysis,
    math::{dot, mean, ops, rotation},
};

/// Samples of the speed in a cycle, ...
const BINS: usize = 16;

/// ... and the most of all; longer stretches are not estimated.
const MOST_BINS: usize = 160;

/// Variances of the slow change, and its reach in cycles.
const SLOW: f64 = 0.12 * 0.12;
const SLOW_CYCLES: f64 = 1.2;

/// Variances of the two harmonics that repeat with each step, of those by which left and right differ, and of short noise and of single
/// samples.
const ALIKE: [f64; 2] = [0.13 * 0.13, 0.04 * 0.04];
const UNLIKE: [f64; 2] = [0.015 * 0.015, 0.01 * 0.01];
const NOISE: [f64; 2] = [0.05 * 0.05, 0.01 * 0.01];

/// Number of cycles over which steps resemble each other, squared and doubled; and share of a cycle for noise.
const ALIKE_CYCLES: f64 = 12.5;
const NOISE_CYCLES: f64 = 0.15;

/// Factors of these deviations that are weighed, and how strongly larger ones are doubted.
const UNLIKE_TIMES: [f64; 3] = [1.0, 4.0, 16.0];
const ALIKE_TIMES: [f64; 2] = [1.0, 2.0];
const NOISE_TIMES: [f64; 3] = [1.0, 2.0, 4.0];
const DOUBTS: [f64; 3] = [0.7, 0.5, 0.7];

/// Error of the model itself, as a share of the speed.
const MODEL_ERROR: f64 = 0.015;

impl Steadiness {
    /// As [`Self::of`]; estimates what cannot be measured, and compares the turn with that of the path.
    pub(crate) fn estimated(analysis: &Analysis, ends: [f64; 2], cycles: u32) -> Self {
        let measured = Self::of(analysis, ends, cycles);
        Self {
            pace_change: measured.pace_change.or_else(|| estimate(analysis, ends, cycles)),
            veer_radians: veer(analysis, ends, cycles),
            ..measured
        }
    }
}

/// Estimates the change of pace from the cycle around the start to that around the end of a stretch; `None` if the take has too
/// few or too many frames for it.
fn estimate(analysis: &Analysis, [start, end]: [f64; 2], cycles: u32) -> Option<PaceChange> {
    let speeds = Speeds::of(analysis, [start, end], cycles)?;
    let covariances = covariances(speeds.off.len());
    let solutions: Vec<Solution> = UNLIKE_TIMES
        .into_iter()
        .flat_map(|unlike| ALIKE_TIMES.map(|alike| [unlike, alike]))
        .flat_map(|[unlike, alike]| NOISE_TIMES.map(|noise| [unlike, alike, noise]))
        .filter_map(|times| speeds.solve(&covariances, times))
        .collect();
    let likeliest = solutions.iter().map(|of| of.log_weight).reduce(f64::max)?;
    let weights: Vec<f64> = solutions.iter().map(|of| ops::exp(of.log_weight - likeliest)).collect();
    let sum: f64 = weights.iter().sum();
    let mean_of = |of: &dyn Fn(&Solution) -> f64| dot(&weights, &solutions.iter().map(of).collect::<Vec<f64>>()) / sum;
    let share = mean_of(&|of| of.share);
    let variance = mean_of(&|of| of.variance + (of.share - share).powi(2)) + MODEL_ERROR * MODEL_ERROR;
    Some(PaceChange {
        share: speeds.visible * share.abs(),
        std_error: speeds.visible * variance.sqrt(),
    })
}

/// Speeds of the body along its path, in equal parts of a cycle.
struct Speeds {
    /// Over their mean in the stretch, less 1.
    off: Vec<f64>,
    /// Parts before the stretch.
    before: usize,
    /// Parts of the stretch.
    inside: usize,
    /// Share of a change that counts: of slow bodies less than all.
    visible: f64,
}

/// Covariances of this many samples; targets reach half a cycle beyond the stretch.
fn covariances(count: usize) -> Vec<Covariance> {
    (0..count + BINS).map(Covariance::new).collect()
}

/// The result of one model.
struct Solution {
    log_weight: f64,
    share: f64,
    variance: f64,
}

impl Speeds {
    /// Measures the stretch and up to a cycle before and after.
    fn of(analysis: &Analysis, [start, end]: [f64; 2], cycles: u32) -> Option<Self> {
        let inside = BINS * cycles.max(1) as usize;
        let part = (end - start) / inside as f64;
        let last = analysis.take.last_frame() as f64;
        // A part is no shorter than what a rounded end may be off.
        let [before, after] = [start, last - end].map(|frames| ((frames / part + 1e-6) as usize).min(BINS));
        let count = before + inside + after;
        if part <= 0.0 || count > MOST_BINS || last < part * BINS as f64 {
            return None;
        }
        let half = 0.5 * part * BINS as f64;
        let from = start - before as f64 * part;
        let ways: Vec<f64> = (0..count)
            .map(|bin| {
                let [at, to] = [bin, bin + 1].map(|bin| from + bin as f64 * part);
                let (moved, _) = difference(analysis, [at, to]);
                moved.dot(direction(analysis, 0.5 * (at + to), half))
            })
            .collect();
        let mean = mean(ways[before..before + inside].iter().copied());
        let slow = SLOW_MPS * part * analysis.take.frame_time_secs();
        (mean > 0.0).then(|| Self {
            off: ways.iter().map(|way| way / mean - 1.0).collect(),
            before,
            inside,
            visible: (mean / slow).min(1.0),
        })
    }

    /// Solves the model whose deviations are multiplied by these factors: of left against right, of equal steps, and of noise.
    fn solve(&self, covariances: &[Covariance], times: [f64; 3]) -> Option<Solution> {
        let count = self.off.len();
        let smooth: Vec<f64> = covariances.iter().map(|covariance| covariance.of(times)).collect();
        let mut row = smooth[..count].to_vec();
        row[0] += times[2] * times[2] * NOISE[1];
        let ends = [self.before, self.before + self.inside];
        let window = |end: usize| (0..BINS).map(move |bin| (end + bin) as isize - (BINS / 2) as isize);
        let between = |one: isize, other: isize| smooth[one.abs_diff(other)];
        let targets = ends.map(|end| {
            let near = |at: usize| mean(window(end).map(|bin| between(at as isize, bin)));
            (0..count).map(near).collect::<Vec<f64>>()
        });
        let change: Vec<f64> = targets[1]
            .iter()
            .zip(&targets[0])
            .map(|(end, start)| end - start)
            .collect();
        let ([known, weights], log_determinant) = solve_toeplitz(&row, [&self.off, &change])?;
        let [of_start, of_end] = targets.each_ref().map(|target| dot(target, &known));
        let covered = |one: usize, other: usize| {
            let pairs = window(ends[one]).flat_map(|bin| window(ends[other]).map(move |far| between(bin, far)));
            mean(pairs)
        };
        let variance = 2.0 * (covered(0, 0) - covered(0, 1)) - dot(&change, &weights);
        let doubt = dot(&DOUBTS, &times.map(ops::ln));
        let mean = 1.0 + 0.5 * (of_start + of_end);
        (mean > 0.1).then(|| Solution {
            log_weight: -0.5 * (dot(&self.off, &known) + log_determinant) - doubt,
            share: (of_end - of_start) / mean,
            variance: variance.max(0.0),
        })
    }
}

/// The terms of a covariance at a distance in time that all models share: each model sums them with its own factors.
struct Covariance {
    slow: f64,
    /// Terms of steps: how much of their likeness is left, and waves of one to four times a cycle.
    fading: f64,
    waves: [f64; 4],
    noise: f64,
}

impl Covariance {
    /// Creates the terms for speeds `lag` parts of a cycle apart.
    fn new(lag: usize) -> Self {
        let cycles = lag as f64 / BINS as f64;
        let far = 3.0_f64.sqrt() * cycles / SLOW_CYCLES;
        Self {
            slow: SLOW * (1.0 + far) * ops::exp(-far),
            fading: ops::exp(-cycles * cycles / ALIKE_CYCLES),
            waves: [1.0, 2.0, 3.0, 4.0].map(|times| ops::cos(2.0 * PI * times * cycles)),
            noise: ops::exp(-cycles / NOISE_CYCLES),
        }
    }

    /// Returns the covariance, without the variance of single samples.
    fn of(&self, [unlike, alike, noise]: [f64; 3]) -> f64 {
        let wave = |times: usize| self.waves[times - 1];
        let steps = alike * alike * (ALIKE[0] * wave(2) + ALIKE[1] * wave(4))
            + unlike * unlike * (UNLIKE[0] * wave(1) + UNLIKE[1] * wave(3));
        // The mean is unknown.
        self.slow + self.fading * steps + noise * noise * NOISE[0] * self.noise + 1.0
    }
}

/// Solves equations whose matrix is symmetric and constant along its diagonals, given by its first row, for two right sides; also
/// returns the logarithm of its determinant. `None` if it is not positive.
///
/// Source: N. Levinson, "The Wiener RMS error criterion in filter design and prediction", J. Math. Phys. 25 (1946).
fn solve_toeplitz(row: &[f64], right: [&[f64]; 2]) -> Option<([Vec<f64>; 2], f64)> {
    let mut error = *row.first()?;
    let (mut forward, mut before) = (vec![1.0], Vec::new());
    let mut solved = right.map(|right| vec![right[0] / error]);
    let mut log_determinant = ops::ln(error);
    for count in 1..row.len() {
        let foreseen = |values: &[f64]| -> f64 {
            let terms = values.iter().zip(row[1..=count].iter().rev());
            terms.map(|(value, row)| value * row).sum()
        };
        let reflected = -foreseen(&forward) / error;
        before.clone_from(&forward);
        forward.push(0.0);
        for (index, value) in forward.iter_mut().enumerate().skip(1) {
            *value += reflected * before[count - index];
        }
        error *= 1.0 - reflected * reflected;
        if error.is_nan() || error <= 0.0 {
            return None;
        }
        log_determinant += ops::ln(error);
        for (solved, right) in solved.iter_mut().zip(right) {
            let step = (right[count] - foreseen(solved)) / error;
            solved.push(0.0);
            for (value, weight) in solved.iter_mut().zip(forward.iter().rev()) {
                *value += step * weight;
            }
        }
    }
    Some((solved, log_determinant))
}

/// Returns way over the ground and turn from one frame to another.
fn difference(analysis: &Analysis, ends: [f64; 2]) -> (DVec3, f64) {
    let [from, to] = ends.map(|frame| heading_at(analysis, frame));
    (to.0 - from.0, to.1 - from.1)
}

/// Returns the direction of the path around a frame: that of a cycle, rotated further at the ends of the take.
fn direction(analysis: &Analysis, frame: f64, half: f64) -> DVec3 {
    let last = analysis.take.last_frame() as f64;
    let middle = frame.clamp(half, last - half);
    let (moved, turn) = difference(analysis, [middle - half, middle + half]);
    rotation::from_yaw(turn * (frame - middle) / (2.0 * half)) * moved.normalize_or_zero()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Speeds of a walk with swaying steps, which gets faster by `trend` per cycle.
    fn walk(before: f64, after: f64, [trend, unlike]: [f64; 2]) -> Speeds {
        let [before, after] = [before, after].map(|cycles| (BINS as f64 * cycles) as usize);
        let speed = |bin: usize| {
            let cycles = (bin as f64 + 0.5 - before as f64) / BINS as f64;
            1.0 + trend * (cycles - 0.5) + 0.12 * ops::cos(4.0 * PI * cycles) + unlike * ops::sin(2.0 * PI * cycles)
        };
        Speeds {
            off: (0..before + BINS + after).map(|bin| speed(bin) - 1.0).collect(),
            before,
            inside: BINS,
            visible: 1.0,
        }
    }

    fn change(speeds: &Speeds) -> Solution {
        speeds.solve(&covariances(speeds.off.len()), [1.0; 3]).unwrap()
    }

    /// Shares of a trend that a reference implementation of the same model shows.
    #[test]
    fn a_trend_shows_the_more_the_more_is_known_around_it() {
        for (before, after, shows) in [
            (0.0, 0.0, 0.60),
            (0.0, 0.25, 0.73),
            (1.0, 0.0, 0.76),
            (0.25, 0.25, 0.86),
        ] {
            let found = change(&walk(before, after, [0.1, 0.0]));
            assert!(
                (found.share / 0.1 - shows).abs() < 0.06,
                "{before} {after}: {}",
                found.share / 0.1
            );
            assert!(
                (0.02..0.06).contains(&found.variance.sqrt()),
                "{}",
                found.variance.sqrt()
            );
            assert!(change(&walk(before, after, [0.0, 0.01])).share.abs() < 0.02);
        }
    }

    #[test]
    fn equations_are_solved_as_by_elimination() {
        let row = [2.0, 0.9, 0.4, -0.3, 0.1];
        let right = [[1.0, -2.0, 0.5, 3.0, -1.0], [0.0, 1.0, 0.0, -1.0, 2.0]];
        let (solved, log_determinant) = solve_toeplitz(&row, right.each_ref().map(|right| &right[..])).unwrap();
        let mut matrix: Vec<Vec<f64>> = (0..5)
            .map(|one| (0..5).map(|other: usize| row[other.abs_diff(one)]).collect())
            .collect();
        for (solved, right) in solved.iter().zip(&right) {
            for (line, right) in matrix.iter().zip(right) {
                assert!((dot(line, solved) - right).abs() < 1e-12);
            }
        }
        let mut determinant = 1.0;
        for pivot in 0..5 {
            determinant *= matrix[pivot][pivot];
            for line in pivot + 1..5 {
                let times = matrix[line][pivot] / matrix[pivot][pivot];
                let of_pivot = matrix[pivot].clone();
                matrix[line]
                    .iter_mut()
                    .zip(of_pivot)
                    .for_each(|(value, of_pivot)| *value -= times * of_pivot);
            }
        }
        assert!((log_determinant - ops::ln(determinant)).abs() < 1e-12);
    }
}
