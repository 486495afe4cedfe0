//! The likelihood that the ends of a clip form one smooth curve: a random curve through its last keys and its first.
//!
//! The curve is twice differentiable, with the generalized covariance -|t|^5 and noise; the part that a parabola explains is excluded
//! (restricted likelihood). Source: Wahba, Spline Models for Observational Data, 1990, chapter 1. Derivation: docs/math/whole_clips.md.

use glam::DVec3;

use crate::math::{dot, ops};

/// Degrees of freedom of a parabola.
const TREND: usize = 3;

/// Variances of the noise that are tried, relative to the curve's.
pub(super) const NOISES: [f64; 10] = [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4, 1e5];

/// The roughness of a curve through keys at given times, as a quadratic form of its values.
pub(super) struct Roughness {
    count: usize,
    /// Symmetric, row by row.
    form: Vec<f64>,
    /// Logarithm of the determinant of the covariance, on the scale of the keys.
    log_det: f64,
}

impl Roughness {
    /// Creates the form for keys at `times`, more than [`TREND`], in frames.
    pub(super) fn new(times: &[f64], noise: f64) -> Self {
        let count = times.len();
        let (contrasts, log_trend) = contrasts(times);
        let rank = contrasts.len();
        let covariance = |one: usize, other: usize| {
            let apart = (times[one] - times[other]).abs();
            -(apart * apart) * (apart * apart) * apart
        };
        let mut matrix = vec![0.0; rank * rank];
        for (row, one) in contrasts.iter().enumerate() {
            let along: Vec<f64> = (0..count)
                .map(|key| (0..count).map(|other| covariance(key, other) * one[other]).sum())
                .collect();
            for (column, other) in contrasts.iter().enumerate().take(row + 1) {
                matrix[row * rank + column] = dot(other, &along) + if row == column { noise } else { 0.0 };
            }
        }
        let log_det = factorize(&mut matrix, rank);
        // Whitened contrasts: the form is the sum of their squares.
        let mut whitened: Vec<Vec<f64>> = Vec::with_capacity(rank);
        for (row, contrast) in contrasts.iter().enumerate() {
            let mut white = contrast.clone();
            for (column, earlier) in whitened.iter().enumerate() {
                subtract(&mut white, earlier, matrix[row * rank + column]);
            }
            white.iter_mut().for_each(|value| *value /= matrix[row * rank + row]);
            whitened.push(white);
        }
        let entry = |one: usize, other: usize| whitened.iter().map(|white| white[one] * white[other]).sum();
        Self {
            count,
            form: (0..count * count)
                .map(|index| entry(index / count, index % count))
                .collect(),
            log_det: log_det + log_trend,
        }
    }

    /// Returns the number of values less those that a parabola takes.
    pub(super) fn rank(&self) -> f64 {
        (self.count - TREND) as f64
    }

    pub(super) fn log_det(&self) -> f64 {
        self.log_det
    }

    /// Returns the mean square of a noise of variance 1, per degree of freedom.
    pub(super) fn of_noise(&self) -> f64 {
        (0..self.count)
            .map(|key| self.form[key * self.count + key])
            .sum::<f64>()
            / self.rank()
    }

    /// Returns a row of the form.
    pub(super) fn row(&self, key: usize) -> &[f64] {
        &self.form[key * self.count..(key + 1) * self.count]
    }

    /// Returns the form of values given by the sums of their products, row by row, per degree of freedom and axis.
    pub(super) fn of(&self, products: &[f64]) -> f64 {
        dot(&self.form, products) / (3.0 * self.rank())
    }
}

/// Returns the sum of points with weights.
pub(super) fn weighted(weights: &[f64], points: &[DVec3]) -> DVec3 {
    weights.iter().zip(points).map(|(&weight, &point)| point * weight).sum()
}

/// Returns the weights by which a cubic interpolates from values at four times to time 0.
pub(super) fn lagrange(nodes: [f64; 4]) -> [f64; 4] {
    core::array::from_fn(|own| {
        let others = (0..4).filter(|&other| other != own);
        others
            .map(|other| -nodes[other] / (nodes[own] - nodes[other]))
            .product()
    })
}

/// Returns orthonormal vectors without a parabola in `times`, and the logarithm of the determinant of the parabolas' products.
fn contrasts(times: &[f64]) -> (Vec<Vec<f64>>, f64) {
    let count = times.len();
    let power = |of: fn(f64) -> f64| times.iter().map(|&time| of(time)).collect::<Vec<f64>>();
    let trend = [power(|_| 1.0), power(|time| time), power(|time| time * time)].into_iter();
    let units = (0..count).map(|key| (0..count).map(|other| f64::from(u8::from(other == key))).collect());
    let (mut basis, mut log_trend) = (Vec::<Vec<f64>>::new(), 0.0);
    for (index, mut vector) in trend.chain(units).enumerate() {
        // Twice, so that the vectors stay orthogonal to the last digit.
        for _ in 0..2 {
            for unit in &basis {
                let along = dot(unit, &vector);
                subtract(&mut vector, unit, along);
            }
        }
        let length = dot(&vector, &vector).sqrt();
        if index < TREND {
            log_trend += 2.0 * ops::ln(length);
        }
        // The units span more than is left.
        if length > 1e-3 && basis.len() < count {
            vector.iter_mut().for_each(|value| *value /= length);
            basis.push(vector);
        }
    }
    (basis.split_off(TREND), log_trend)
}

fn subtract(from: &mut [f64], vector: &[f64], factor: f64) {
    from.iter_mut()
        .zip(vector)
        .for_each(|(value, part)| *value -= factor * part);
}

/// Replaces the lower half of a symmetric matrix by its Cholesky factor; returns the logarithm of its determinant.
fn factorize(matrix: &mut [f64], rank: usize) -> f64 {
    let mut log_det = 0.0;
    for row in 0..rank {
        for column in 0..=row {
            let rest =
                matrix[row * rank + column] - dot(&matrix[row * rank..][..column], &matrix[column * rank..][..column]);
            matrix[row * rank + column] = if row == column {
                let pivot = rest.max(f64::MIN_POSITIVE);
                log_det += ops::ln(pivot);
                pivot.sqrt()
            } else {
                rest / matrix[column * rank + column]
            };
        }
    }
    log_det
}
