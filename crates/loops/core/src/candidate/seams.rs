//! Computes the exact cost of the seam between any two frames.

use std::cmp::Ordering;

use super::comparison::PoseComparison;
use crate::{
    analysis::{Analysis, features::Features},
    math::{Decay, Displacement},
};

/// Two source frames and the exact two-sided cost of the seam between them.
#[handed_over(Copy)]
pub struct SeamPair {
    /// Frame at which the loop starts.
    pub start_frame: usize,
    /// Frame whose pose meets the start's.
    pub end_frame: usize,
    /// Cost in metre-seconds.
    pub cost: f64,
}

impl SeamPair {
    /// Returns the frames from the start to the end.
    pub(super) fn lag(&self) -> usize {
        self.end_frame - self.start_frame
    }

    /// A placeholder that sorts after every other pair.
    pub(super) const LAST: Self = Self {
        start_frame: usize::MAX,
        end_frame: usize::MAX,
        cost: f64::INFINITY,
    };

    /// Order of preference: cost, then start, then length.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        self.cost
            .total_cmp(&other.cost)
            .then(self.start_frame.cmp(&other.start_frame))
            .then(self.end_frame.cmp(&other.end_frame))
    }
}

/// Costs below this, metre-seconds, come from copied frames, which differ by rounding in a file. They count as zero, so that the
/// order of frames decides and a rotated or mirrored take gives the same loops. Idle bodies cost a thousand times as much.
pub(super) const NO_COST: f64 = 1e-6;

impl Analysis {
    /// Returns the cost of the seam from `end_frame` back to `start_frame`, metre-seconds; 0 below 1e-6.
    ///
    /// `decay` gives how the offset of a jump fades. Both must be frames of the take.
    pub fn seam_cost(&self, start_frame: usize, end_frame: usize, decay: Decay) -> f64 {
        Seams::new(&self.features, decay).cost(start_frame, end_frame)
    }
}

/// Seam costs between any two frames of a take.
#[derive(Clone, Copy)]
pub struct Seams<'a> {
    comparison: PoseComparison<'a>,
    displacement: Displacement,
}

impl<'a> Seams<'a> {
    /// Creates seams between frames, compared by `comparison`, whose offsets fade by `decay`.
    pub fn new(comparison: impl Into<PoseComparison<'a>>, decay: Decay) -> Self {
        Self {
            comparison: comparison.into(),
            displacement: Displacement::new(decay),
        }
    }

    /// Returns the poses that are compared.
    pub fn comparison(&self) -> PoseComparison<'a> {
        self.comparison
    }

    /// Returns the features in which poses are compared.
    pub fn features(&self) -> &'a Features {
        self.comparison.features()
    }

    /// Returns the weights a and b of the signed area, see [`Decay::area_weights`].
    ///
    /// They give a lower bound of the cost of an axis: (|a x + b v| + |a x - b v|) / 2, which is max(a |x|, b |v|).
    pub(super) fn bound_weights(&self) -> (f64, f64) {
        self.displacement.decay().area_weights()
    }

    /// Returns the exact two-sided cost of the seam from `end_frame` back to `start_frame`, metre-seconds, summed in axis order;
    /// zero below [`NO_COST`].
    pub fn cost(&self, start_frame: usize, end_frame: usize) -> f64 {
        let cost = self.cost_of_rows(start_frame, self.comparison.row_met(end_frame));
        if cost < NO_COST { 0.0 } else { cost }
    }

    fn cost_of_rows(&self, start: usize, end: usize) -> f64 {
        let features = self.features();
        let positions = features.positions(end).iter().zip(features.positions(start));
        let velocities = features.velocities(end).iter().zip(features.velocities(start));
        let both = positions.zip(velocities);
        both.map(|((x_end, x_start), (v_end, v_start))| self.two_sided(x_end - x_start, v_end - v_start))
            .sum()
    }

    /// Returns the cost of one axis with the gap x (metres) and v (metres per second), metre-seconds.
    ///
    /// Each side of a loop's seam closes half of it: the start forward in time, the end with time reversed, so that a seam costs (D(x, v) +
    /// D(x, -v)) / 2. Source: docs/math/search.md, section "What a seam costs", with rho = 1/2.
    fn two_sided(&self, x: f64, v: f64) -> f64 {
        // On one of the two sides the offset first moves away from zero, and never crosses it.
        let (x, v) = (x.abs(), v.abs());
        0.5 * self.displacement.signed_area(x, v) + 0.5 * self.displacement.get(x, -v)
    }

    /// Returns the median cost of random pairs of usable frames at least `min_gap` frames apart, of an even number the upper middle one;
    /// `None` if there are none.
    ///
    /// Poses are compared with poses even if ends are mirrored. A fixed generator draws the pairs, so they are the same in every
    /// run.
    pub(crate) fn random_median(&self, usable: &[bool], min_gap: usize) -> Option<f64> {
        const PAIRS: usize = 1000;
        let frames: Vec<usize> = (0..usable.len()).filter(|&frame| usable[frame]).collect();
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut draw = || {
            // Knuth's MMIX generator; the high bits are good enough to pick frames.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            frames.get((state >> 33) as usize % frames.len().max(1)).copied()
        };
        // Short takes have few pairs far enough apart; the number of draws is bounded.
        let mut costs: Vec<f64> = (0..50 * PAIRS)
            .filter_map(|_| draw().zip(draw()))
            .filter(|(left, right)| left + min_gap.max(1) <= *right)
            .take(PAIRS)
            .map(|(left, right)| self.cost_of_rows(left, right))
            .collect();
        let middle = costs.len() / 2;
        (!costs.is_empty()).then(|| *costs.select_nth_unstable_by(middle, f64::total_cmp).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_stays_below_and_sides_do_not_matter() {
        let features = Features::from_values(0.1, 4, Vec::new(), Vec::new()).unwrap();
        for decay in [
            Decay::Spring { half_life_secs: 0.2 },
            Decay::Cubic { blend_secs: 0.4 },
            Decay::Quintic { blend_secs: 0.3 },
        ] {
            for (x, v) in [
                (0.1, 0.4),
                (0.1, -3.0),
                (-0.2, 5.0),
                (0.0, 1.0),
                (0.3, 0.0),
                (1e-9, -40.0),
                (0.0, 0.0),
            ] {
                let cost = Seams::new(&features, decay);
                let (a, b) = cost.bound_weights();
                let bound = 0.5 * (a * x + b * v).abs() + 0.5 * (a * x - b * v).abs();
                assert!(cost.two_sided(x, v) >= bound - 1e-15);
                assert!((cost.two_sided(x, v) - cost.two_sided(-x, -v)).abs() < 1e-15);
                assert!((cost.two_sided(x, v) - cost.two_sided(-x, v)).abs() < 1e-15);
            }
        }
    }
}
