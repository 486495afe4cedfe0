//! The dimensions of a take's bounds: for every axis the values whose differences bound its cost.
//!
//! Source: docs/math/search.md.

use crate::{
    analysis::Features,
    candidate::seams::Seams,
    math::{greatest, ordered, percentile},
};

/// One stored dimension: position p (x - c) + velocity q (v - d) of an axis.
pub(super) struct Dim {
    axis: usize,
    position: f64,
    velocity: f64,
    center: (f64, f64),
    spread: f64,
}

impl Dim {
    /// Returns the value of a row.
    pub(super) fn value(&self, features: &Features, row: usize) -> f64 {
        let position = features.positions(row)[self.axis] - self.center.0;
        let velocity = features.velocities(row)[self.axis] - self.center.1;
        self.position * position + self.velocity * velocity
    }
}

/// Returns the dimensions for the seams between frames in `rows`, the largest spread first; a constant axis needs none. Also returns the power of
/// two by which stored values are multiplied, and the largest sum of the absolute values of a row, multiplied by it.
pub(super) fn find(seams: &Seams, rows: &[usize]) -> (Vec<Dim>, f64, f64) {
    let features = seams.features();
    let (position_weight, velocity_weight) = seams.bound_weights();
    let mut dims = Vec::new();
    let mut largest = 0.0_f64;
    let mut sums = vec![0.0_f64; features.num_frames()];
    for axis in 0..features.num_axes() {
        let positions = percentile::extremes(rows.iter().map(|&row| features.positions(row)[axis]));
        let velocities = percentile::extremes(rows.iter().map(|&row| features.velocities(row)[axis]));
        // Values near zero lose least in rounding.
        let center = (0.5 * (positions.0 + positions.1), 0.5 * (velocities.0 + velocities.1));
        dims.extend([1.0, -1.0].map(|sign| {
            let mut dim = Dim {
                axis,
                position: 0.5 * position_weight,
                velocity: 0.5 * sign * velocity_weight,
                center,
                spread: 0.0,
            };
            dim.spread = rows.iter().map(|&row| dim.value(features, row).abs()).sum();
            dim
        }));
        for &row in rows {
            let position = position_weight * (features.positions(row)[axis] - center.0).abs();
            let velocity = velocity_weight * (features.velocities(row)[axis] - center.1).abs();
            sums[row] += position + velocity;
            largest = largest.max(position + velocity);
        }
    }
    let largest_sum = greatest(sums);
    // Beyond the range of numbers no bound is possible: without dimensions all pairs are scored exactly.
    if !(largest_sum.is_finite() && largest > 0.0) || dims.iter().any(|dim| !dim.spread.is_finite()) {
        return (Vec::new(), 1.0, 0.0);
    }
    dims.retain(|dim| dim.spread > 0.0);
    // The dimensions with the largest spread come first, so that the sums pass a limit early.
    dims.sort_by_key(|dim| ordered(-dim.spread));
    let scale = power_of_two_below(1.0 / largest);
    (dims, scale, largest_sum * scale)
}

/// Returns the largest power of two not above a positive number, and far from the ends of the number range.
fn power_of_two_below(value: f64) -> f64 {
    const EXPONENT: u64 = 0x7FF0_0000_0000_0000;
    f64::from_bits(value.clamp(1e-290, 1e290).to_bits() & EXPONENT)
}
