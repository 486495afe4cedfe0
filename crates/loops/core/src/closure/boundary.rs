//! The boundary system: finds the mixture of decays that meets the required offsets at both ends exactly.
//!
//! An offset is a sum of decays from the start, as functions of t, and from the end, as functions of T - t. The conditions o(0),
//! o(T), o'(0), o'(T) (and o''(0), o''(T) for C2) form a square linear system that depends only on the decays, so it is solved
//! once and its solution applied to every track as one weight per condition. The system also cancels the remainder of a decay at
//! the far end. Derivation: docs/math/boundary.md.

use super::{Order, Shape};
use crate::{
    math::{Jet, ordered},
    unit::Unit,
};

/// Largest number of boundary conditions.
pub const MAX_CONDITIONS: usize = 6;

/// Smallest pivot of the system, relative to its largest entry, once rows and columns are in units of each end's own time.
///
/// Weights lose about as many digits as the pivot is small: at 1e-7 half of them are left. Shapes that fit into the period keep
/// every pivot near 1, however short they are; a spring reaches 1e-7 at a half-life of 370 periods, a quintic at a blend of 110.
/// A smaller limit would accept mixtures whose huge terms cancel.
const SMALLEST_PIVOT: f64 = 1e-7;

/// Why no mixture of the decays can meet the conditions.
#[error_kinds]
pub enum BoundaryError {
    /// The decays of the two ends do not differ enough over the period.
    #[error("the blends at start and end cannot be distinguished over {period_secs} s")]
    Singular { start: Shape, end: Shape, period_secs: f64 },
}

/// Share of each boundary condition in an offset at one time, and in its first and second derivative.
///
/// Conditions are in the order o(0), o(T), o'(0), o'(T), o''(0), o''(T); the last two are zero for C1.
#[value(Copy, Default)]
pub struct Weights {
    /// For the offset itself.
    pub value: [f64; MAX_CONDITIONS],
    /// For its first derivative.
    pub rate: [f64; MAX_CONDITIONS],
    /// For its second derivative.
    pub acceleration: [f64; MAX_CONDITIONS],
}

/// A square matrix with room for all conditions; unused rows and columns are zero.
pub type Matrix = [[f64; MAX_CONDITIONS]; MAX_CONDITIONS];

/// Progress of a track along its own path, as a share of the path's length: [`super::ShapeKind::Adjustment`] fades with it.
#[value]
pub struct Progress {
    /// Shares at even times from the start to the end, the first 0 and the last 1.
    shares: Vec<f64>,
    /// Share per second at both ends.
    rates: [f64; 2],
}

impl Progress {
    /// Progress from the lengths of the steps of a track, the seconds of a step, and the speeds at both ends, in the track's
    /// unit.
    ///
    /// A speed that would cover the whole path in less than a step is reduced to one that takes a step: it was measured beyond
    /// the cut, where the track may move further than inside. `None` for a track without motion, or one whose numbers are not
    /// finite. Source: docs/math/adjustment.md.
    pub fn new(steps: &[f64], step_secs: f64, speeds: [f64; 2]) -> Option<Self> {
        let whole: f64 = steps.iter().sum();
        if !(whole > SMALLEST_PATH && whole.is_finite() && speeds.iter().all(|speed| speed.is_finite())) {
            return None;
        }
        let rates = speeds.map(|speed| (speed / whole).min(1.0 / step_secs));
        let mut shares = Vec::with_capacity(steps.len() + 1);
        let mut come = 0.0;
        shares.push(0.0);
        for step in steps {
            come += step;
            shares.push((come / whole).min(1.0));
        }
        if let Some(last) = shares.last_mut() {
            *last = 1.0;
        }
        Some(Self { shares, rates })
    }

    /// Returns the share and its rate at a time; linear between the samples, with the measured rates at both ends.
    fn at(&self, t: f64, period_secs: f64) -> Jet {
        let steps = self.shares.len() - 1;
        let position = (t / period_secs * steps as f64).clamp(0.0, steps as f64);
        let before = (position as usize).min(steps - 1);
        let [from, to] = [self.shares[before], self.shares[before + 1]];
        Jet::new(
            from + (to - from) * (position - before as f64),
            if t <= 0.0 {
                self.rates[0]
            } else if t >= period_secs {
                self.rates[1]
            } else {
                (to - from) * steps as f64 / period_secs
            },
            0.0,
        )
    }
}

/// Paths shorter than this are rounding: the track does not move, metres or radians.
const SMALLEST_PATH: f64 = 1e-9;

/// The solved system of a start shape and an end shape over a period.
#[value]
pub struct Boundary {
    start: Shape,
    end: Shape,
    period_secs: f64,
    /// The conditions that are met: with velocities and accelerations or without.
    pub(super) order: Order,
    progress: Option<Progress>,
    /// Row per decay, column per condition.
    coefficients: Matrix,
}

impl Boundary {
    /// Solves the system.
    ///
    /// C2 is met if both shapes carry accelerations, else C1. The shapes are used as given, even when they
    /// are longer than the period. Errors: [`BoundaryError::Singular`].
    pub fn new(start: Shape, end: Shape, period_secs: f64, order: Order) -> Result<Self, BoundaryError> {
        Self::with_progress(start, end, period_secs, order, None)
    }

    /// As [`Self::new`] for a track with its own progress, with which shapes that follow the track fade; linear in time without one.
    pub fn with_progress(
        start: Shape,
        end: Shape,
        period_secs: f64,
        order: Order,
        progress: Option<Progress>,
    ) -> Result<Self, BoundaryError> {
        let order = if start.is_c2() && end.is_c2() {
            order
        } else {
            order.min(Order::C1)
        };
        let mut boundary = Self {
            start,
            end,
            period_secs,
            order,
            progress,
            coefficients: [[0.0; MAX_CONDITIONS]; MAX_CONDITIONS],
        };
        let mut coefficients = boundary.matrix();
        invert(
            &mut coefficients,
            order.num_conditions(),
            [start, end].map(|shape| time_unit(shape, period_secs)),
        )
        .ok_or(BoundaryError::Singular {
            start,
            end,
            period_secs,
        })?;
        boundary.coefficients = coefficients;
        Ok(boundary)
    }

    /// Returns the seconds from start to end.
    pub fn period_secs(&self) -> f64 {
        self.period_secs
    }

    /// Returns the boundary matrix: row per condition in the order of [`Weights`], column per decay: position, velocity (and
    /// acceleration) from the start, then from the end.
    pub fn matrix(&self) -> Matrix {
        let ends = [self.decays(0.0), self.decays(self.period_secs)];
        let mut matrix = [[0.0; MAX_CONDITIONS]; MAX_CONDITIONS];
        for column in 0..self.order.num_conditions() {
            for (end, decays) in ends.iter().enumerate() {
                matrix[end][column] = decays[column].value;
                if self.order != Order::C0 {
                    matrix[2 + end][column] = decays[column].rate;
                }
                if self.order == Order::C2 {
                    matrix[4 + end][column] = decays[column].acceleration;
                }
            }
        }
        matrix
    }

    /// Returns the weights of the conditions `t` seconds after the start, t within the period.
    pub fn weights(&self, t: f64) -> Weights {
        let mut weights = Weights::default();
        for (jet, row) in self.decays(t).iter().zip(&self.coefficients) {
            for (condition, coefficient) in row.iter().enumerate() {
                weights.value[condition] += jet.value * coefficient;
                weights.rate[condition] += jet.rate * coefficient;
                weights.acceleration[condition] += jet.acceleration * coefficient;
            }
        }
        weights
    }

    /// The columns of the system at time t: decays from the start, then from the end.
    fn decays(&self, t: f64) -> [Jet; MAX_CONDITIONS] {
        let come = self.come(self.start, t);
        let from_start = self
            .start
            .fading(t, Jet::new(1.0 - come.value, -come.rate, -come.acceleration));
        // Time runs backwards from the end, so progress and remainder are exchanged.
        let come = self.come(self.end, t);
        let from_end = self.end.fading(
            self.period_secs - t,
            Jet {
                rate: -come.rate,
                ..come
            },
        );
        let per_end = self.order.num_conditions() / 2;
        let mut columns = [Jet::default(); MAX_CONDITIONS];
        for (end, fading) in [from_start, from_end].into_iter().enumerate() {
            let conditions = [
                fading.position,
                fading.velocity,
                fading.acceleration.unwrap_or_default(),
            ];
            columns[end * per_end..][..per_end].copy_from_slice(&conditions[..per_end]);
        }
        for jet in &mut columns[per_end..2 * per_end] {
            jet.rate = -jet.rate;
        }
        columns
    }

    /// Returns the share of the period, or of the track's path, that has passed at time t, for a shape.
    fn come(&self, shape: Shape, t: f64) -> Jet {
        match &self.progress {
            Some(progress) if shape.follows_the_track() => progress.at(t, self.period_secs),
            _ => Jet::new(t / self.period_secs, 1.0 / self.period_secs, 0.0),
        }
    }
}

/// Returns the time in which a shape changes, seconds: its shortest time, at most the period, rounded down to a power of two.
///
/// `None` if no such power of two exists.
fn time_unit(shape: Shape, period_secs: f64) -> Option<f64> {
    let shortest = shape
        .values()
        .filter_map(|(parameter, value)| (parameter.unit == Unit::Secs).then_some(value))
        .fold(period_secs, f64::min);
    (shortest >= f64::MIN_POSITIVE && shortest.is_finite()).then(|| libm::scalbn(1.0, libm::ilogb(shortest)))
}

/// Inverts the leading `size` by `size` block of a boundary matrix, or returns `None` when it is singular.
///
/// Gauss-Jordan elimination with row pivoting, after rows and columns are scaled to the time unit of their own end. The units are
/// powers of two, so that scaling is exact.
fn invert(matrix: &mut Matrix, size: usize, units: [Option<f64>; 2]) -> Option<()> {
    let [Some(start_unit), Some(end_unit)] = units else {
        return None;
    };
    let powers = [start_unit, end_unit].map(|unit| [1.0, unit, unit * unit]);
    // Conditions and decays both count derivatives: two conditions of each order, and one decay of each order per end.
    let row_unit = |row: usize| powers[row % 2][row / 2];
    let column_unit = |column: usize| powers[column / (size / 2)][column % (size / 2)];
    let mut inverse = [[0.0; MAX_CONDITIONS]; MAX_CONDITIONS];
    for row in 0..size {
        inverse[row][row] = 1.0;
        for column in 0..size {
            matrix[row][column] *= row_unit(row) / column_unit(column);
        }
    }
    let largest = matrix
        .iter()
        .flatten()
        .fold(0.0_f64, |largest, value| largest.max(value.abs()));
    for column in 0..size {
        let pivot = (column..size).max_by_key(|&row| ordered(matrix[row][column].abs()))?;
        if !(matrix[pivot][column].abs() > SMALLEST_PIVOT * largest && largest.is_finite()) {
            return None;
        }
        matrix.swap(column, pivot);
        inverse.swap(column, pivot);
        let scale = matrix[column][column];
        for at in 0..size {
            matrix[column][at] /= scale;
            inverse[column][at] /= scale;
        }
        for row in 0..size {
            let factor = matrix[row][column];
            if row == column || factor == 0.0 {
                continue;
            }
            for at in 0..size {
                matrix[row][at] -= factor * matrix[column][at];
                inverse[row][at] -= factor * inverse[column][at];
            }
        }
    }
    // (R M C)^-1 = C^-1 M^-1 R^-1 with R the units of the rows and C one over those of the columns.
    for row in 0..size {
        for column in 0..size {
            matrix[row][column] = inverse[row][column] * row_unit(column) / column_unit(row);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::closure::shapes::ShapeKind;

    /// The plain spread: the pose gap falls evenly from the start's share to the end's, without other conditions.
    #[test]
    fn a_seam_whose_pose_alone_meets_is_a_straight_line() {
        let linear = Shape::new(ShapeKind::Linear, 0.3);
        let boundary = Boundary::new(linear, linear, 2.0, Order::C0).unwrap();
        for t in [0.0, 0.4, 1.0, 2.0] {
            let weights = boundary.weights(t).value;
            assert!((weights[0] - (1.0 - t / 2.0)).abs() < 1e-15 && (weights[1] - t / 2.0).abs() < 1e-15);
            assert_eq!(weights[2..], [0.0; 4]);
        }
    }

    #[test]
    fn decays_that_hardly_fade_are_refused() {
        let refused = |shape: Shape, period: f64| {
            matches!(
                Boundary::new(shape, shape, period, Order::C2),
                Err(BoundaryError::Singular { period_secs, .. }) if period_secs.to_bits() == period.to_bits()
            )
        };
        assert!(refused(Shape::new(ShapeKind::Spring, 1e5), 1.0));
        assert!(refused(Shape::new(ShapeKind::Quintic, 1e4), 1.0));
        assert!(refused(Shape::new(ShapeKind::Least, 1e4), 1.0));
        assert!(refused(Shape::new(ShapeKind::Cubic, 0.0), 1.0));
        assert!(refused(Shape::new(ShapeKind::Cubic, f64::NAN), 1.0));
        assert!(refused(Shape::new(ShapeKind::Cubic, 0.4), 0.0));
        assert!(refused(Shape::new(ShapeKind::Cubic, 0.4), f64::NAN));
        assert!(!refused(Shape::new(ShapeKind::Cubic, 0.4), 1.0));
    }
}
