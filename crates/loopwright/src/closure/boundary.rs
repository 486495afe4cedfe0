//! The boundary system: which mixture of decays meets the wanted offsets at both ends exactly.
//!
//! An offset is a sum of decays from the start, as functions of t, and from the end, as functions of T - t. The conditions
//! o(0), o(T), o'(0), o'(T) (and o''(0), o''(T) for C2) make a square linear system that depends on the shapes alone, so it is
//! solved once and its solution applied to every track. Whatever a shape leaves over at the far end is thereby taken back.

use super::shapes::{Decays, Jet, Shape};

/// Largest number of boundary conditions.
pub const MAX_CONDITIONS: usize = 6;

/// Why no mixture of the decays meets the conditions.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BoundaryError {
    /// The decays of the two ends do not differ enough over this period.
    #[error("the shapes cannot be told apart over {period_secs} s; their times are too long for the clip")]
    Singular {
        /// The period, seconds.
        period_secs: f64,
    },
}

/// Weights that turn the boundary conditions into the offset at any sample.
///
/// Conditions are in the order o(0), o(T), o'(0), o'(T), o''(0), o''(T).
#[derive(Clone, Debug, PartialEq)]
pub struct Boundary {
    start: Shape,
    end: Shape,
    period_secs: f64,
    num_conditions: usize,
    /// Row: decay; column: condition.
    coefficients: [[f64; MAX_CONDITIONS]; MAX_CONDITIONS],
}

impl Boundary {
    /// Solves the system of a start shape and an end shape over a period.
    ///
    /// `c2` asks for accelerations as well and needs shapes that carry them at both ends; otherwise four conditions are met.
    /// Errors: the system is singular.
    pub fn new(start: Shape, end: Shape, period_secs: f64, c2: bool) -> Result<Self, BoundaryError> {
        let num_conditions = if c2 && start.is_c2() && end.is_c2() { 6 } else { 4 };
        let mut boundary = Self {
            start,
            end,
            period_secs,
            num_conditions,
            coefficients: [[0.0; MAX_CONDITIONS]; MAX_CONDITIONS],
        };
        let mut matrix = boundary.matrix();
        // Rates and bends in units of the period, so that all rows are of one size.
        let units = [1.0, 1.0, period_secs, period_secs, period_secs * period_secs, period_secs * period_secs];
        for (row, unit) in matrix.iter_mut().zip(units) {
            for value in row {
                *value *= unit;
            }
        }
        boundary.coefficients = invert(matrix, num_conditions).ok_or(BoundaryError::Singular { period_secs })?;
        for row in &mut boundary.coefficients {
            for (value, unit) in row.iter_mut().zip(units) {
                *value *= unit;
            }
        }
        Ok(boundary)
    }

    /// Number of conditions: 4 for C1, 6 for C2.
    pub fn num_conditions(&self) -> usize {
        self.num_conditions
    }

    /// Decays from the start, then from the end, at time t in 0..=T.
    fn decays(&self, t: f64) -> [Jet; MAX_CONDITIONS] {
        let select = |decays: Decays| [decays.position, decays.velocity, decays.acceleration.unwrap_or_default()];
        let from_start = select(self.start.decays(t));
        let from_end = select(self.end.decays(self.period_secs - t)).map(|jet| Jet {
            // Time runs backwards from the end.
            rate: -jet.rate,
            ..jet
        });
        let per_end = self.num_conditions / 2;
        let mut all = [Jet::default(); MAX_CONDITIONS];
        all[..per_end].copy_from_slice(&from_start[..per_end]);
        all[per_end..2 * per_end].copy_from_slice(&from_end[..per_end]);
        all
    }

    /// The boundary matrix: row per condition, column per decay (of the start: position, velocity, acceleration; of the end
    /// likewise). Unused rows and columns are zero.
    pub fn matrix(&self) -> [[f64; MAX_CONDITIONS]; MAX_CONDITIONS] {
        let (at_start, at_end) = (self.decays(0.0), self.decays(self.period_secs));
        let mut matrix = [[0.0; MAX_CONDITIONS]; MAX_CONDITIONS];
        for decay in 0..self.num_conditions {
            for (row, jet) in [(0, &at_start[decay]), (1, &at_end[decay])] {
                matrix[row][decay] = jet.value;
                matrix[row + 2][decay] = jet.rate;
                if self.num_conditions == 6 {
                    matrix[row + 4][decay] = jet.bend;
                }
            }
        }
        matrix
    }

    /// Weights of the conditions in the offset `t` seconds after the start, and in its first and second derivative.
    pub fn weights(&self, t: f64) -> [[f64; MAX_CONDITIONS]; 3] {
        let decays = self.decays(t);
        let mut weights = [[0.0; MAX_CONDITIONS]; 3];
        for (jet, row) in decays.iter().zip(&self.coefficients) {
            for (condition, coefficient) in row.iter().enumerate() {
                weights[0][condition] += jet.value * coefficient;
                weights[1][condition] += jet.rate * coefficient;
                weights[2][condition] += jet.bend * coefficient;
            }
        }
        weights
    }
}

/// Inverse of the leading `size` by `size` block by elimination with pivoting; `None` when it is singular.
fn invert(
    mut matrix: [[f64; MAX_CONDITIONS]; MAX_CONDITIONS],
    size: usize,
) -> Option<[[f64; MAX_CONDITIONS]; MAX_CONDITIONS]> {
    let mut inverse = [[0.0; MAX_CONDITIONS]; MAX_CONDITIONS];
    for (index, row) in inverse.iter_mut().enumerate().take(size) {
        row[index] = 1.0;
    }
    let largest = matrix.iter().flatten().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    for column in 0..size {
        let pivot = (column..size).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        if matrix[pivot][column].is_nan() || matrix[pivot][column].abs() <= 1e-12 * largest {
            return None;
        }
        matrix.swap(column, pivot);
        inverse.swap(column, pivot);
        let scale = matrix[column][column].recip();
        for at in 0..size {
            matrix[column][at] *= scale;
            inverse[column][at] *= scale;
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
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_meet_every_condition() {
        let shapes = [
            Shape::Quintic { blend_secs: 0.4 },
            Shape::Quintic { blend_secs: 1.0 },
            Shape::Cubic { blend_secs: 0.25 },
            Shape::Spring { half_life_secs: 0.5 },
            Shape::Spring { half_life_secs: 0.001 },
        ];
        for start in shapes {
            for end in shapes {
                let boundary = Boundary::new(start, end, 1.0, true).unwrap();
                let (at_start, at_end) = (boundary.weights(0.0), boundary.weights(1.0));
                for order in 0..boundary.num_conditions() / 2 {
                    for condition in 0..boundary.num_conditions() {
                        let wanted = |row: usize| f64::from(u8::from(condition == 2 * order + row));
                        assert!((at_start[order][condition] - wanted(0)).abs() < 1e-9, "{start:?} {end:?}");
                        assert!((at_end[order][condition] - wanted(1)).abs() < 1e-9, "{start:?} {end:?}");
                    }
                }
            }
        }
    }
}
