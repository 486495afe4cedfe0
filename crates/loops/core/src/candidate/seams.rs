//! Computes the exact cost of the seam between any two frames.

use std::cmp::Ordering;

use super::{comparison::PoseComparison, score::SeamCost};
use crate::analysis::Analysis;
use crate::analysis::features::Features;
use crate::math::decay::Decay;

/// Two source frames and the exact two-sided cost of the seam between them.
#[handed_over]
#[derive(Copy)]
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
        (self.cost.total_cmp(&other.cost))
            .then(self.start_frame.cmp(&other.start_frame))
            .then(self.end_frame.cmp(&other.end_frame))
    }
}

/// Costs below this, metre-seconds, come from copied frames, which differ by rounding in a file. They count as zero, so that the
/// order of frames decides and a rotated or mirrored take gives the same loops. Idle bodies cost a thousand times as much.
pub(super) const NO_COST: f64 = 1e-6;

/// Implements [`Analysis::seam_cost`].
pub(crate) fn seam_cost(analysis: &Analysis, start_frame: usize, end_frame: usize, decay: Decay) -> f64 {
    Seams::new(&analysis.features, decay).cost(start_frame, end_frame)
}

/// Seam costs between any two frames of a take.
#[derive(Clone, Copy)]
pub struct Seams<'a> {
    comparison: PoseComparison<'a>,
    cost: SeamCost,
    position_weight: f64,
    velocity_weight: f64,
}

impl<'a> Seams<'a> {
    /// Creates seams between frames, compared by `comparison` and with the cost function `cost`.
    pub fn new(comparison: impl Into<PoseComparison<'a>>, cost: impl Into<SeamCost>) -> Self {
        let cost = cost.into();
        let (position_weight, velocity_weight) = cost.bound_weights();
        Self {
            comparison: comparison.into(),
            cost,
            position_weight,
            velocity_weight,
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

    /// See [`SeamCost::bound_weights`].
    pub(super) fn bound_weights(&self) -> (f64, f64) {
        (self.position_weight, self.velocity_weight)
    }

    /// Returns the exact two-sided cost of the seam from `end_frame` back to `start_frame`, metre-seconds, summed in axis order;
    /// zero below [`NO_COST`].
    pub fn cost(&self, start_frame: usize, end_frame: usize) -> f64 {
        let cost = self.cost_of_rows(start_frame, self.comparison.row_met(end_frame));
        if cost < NO_COST { 0.0 } else { cost }
    }

    fn cost_of_rows(&self, start: usize, end: usize) -> f64 {
        let gaps = self.gaps(start, end);
        gaps.map(|(x, v)| self.cost.two_sided(x, v)).sum()
    }

    /// Returns the gap of each axis between two rows, in position and in velocity.
    fn gaps(&self, start: usize, end: usize) -> impl Iterator<Item = (f64, f64)> {
        let features = self.features();
        let positions = features.positions(end).iter().zip(features.positions(start));
        let velocities = features.velocities(end).iter().zip(features.velocities(start));
        let both = positions.zip(velocities);
        both.map(|((x_end, x_start), (v_end, v_start))| (x_end - x_start, v_end - v_start))
    }

    /// Whether the lower bound of the cost is at most `limit`; stops early when it is not.
    pub(super) fn bound_is_within(&self, start_frame: usize, end_frame: usize, limit: f64) -> bool {
        const CHUNK: usize = 8;
        let (features, end) = (self.features(), self.comparison.row_met(end_frame));
        let (x_end, x_start) = (features.positions(end), features.positions(start_frame));
        let (v_end, v_start) = (features.velocities(end), features.velocities(start_frame));
        let mut bound = 0.0;
        let axes = features.num_axes();
        let mut from = 0;
        while from < axes {
            let to = (from + CHUNK).min(axes);
            for axis in from..to {
                let position = self.position_weight * (x_end[axis] - x_start[axis]);
                let velocity = self.velocity_weight * (v_end[axis] - v_start[axis]);
                // Rounding may lift the sum above an exactly equal cost; the allowance keeps it a lower bound.
                bound += 0.5 * (position + velocity).abs() + 0.5 * (position - velocity).abs()
                    - 1e-12 * (position.abs() + velocity.abs());
            }
            if bound > limit {
                return false;
            }
            from = to;
        }
        true
    }

    /// Returns the median cost of random pairs of usable frames at least `min_gap` frames apart; `None` if there are none.
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
            ((state >> 33) as usize) % frames.len().max(1)
        };
        let mut pairs = Vec::with_capacity(PAIRS);
        // Short takes have few pairs far enough apart; the number of draws is bounded.
        for _ in 0..50 * PAIRS {
            let (left, right) = (draw(), draw());
            let (Some(&left), Some(&right)) = (frames.get(left), frames.get(right)) else {
                return None;
            };
            if left + min_gap.max(1) <= right {
                pairs.push((left, right));
                if pairs.len() == PAIRS {
                    break;
                }
            }
        }
        self.median_of(&pairs)
    }

    /// Returns the median cost of pairs: of an even number the upper middle one.
    fn median_of(&self, pairs: &[(usize, usize)]) -> Option<f64> {
        let middle = pairs.len() / 2;
        let bounds: Vec<[f64; 2]> = (pairs.iter())
            .map(|&(left, right)| self.bounds_of_rows(left, right))
            .collect();
        let [lowest, highest] = [0, 1].map(|side| {
            let mut bounds: Vec<f64> = bounds.iter().map(|bounds| bounds[side]).collect();
            (middle < bounds.len()).then(|| *bounds.select_nth_unstable_by(middle, f64::total_cmp).1)
        });
        // Pairs whose bounds are clearly below or above the median need no exact cost.
        let (lowest, highest) = (lowest?, highest?);
        let below = bounds.iter().filter(|bounds| bounds[1] < lowest).count();
        let mut costs: Vec<f64> = (pairs.iter().zip(&bounds))
            .filter(|(_, [low, high])| !(*high < lowest || *low > highest))
            .map(|(&(left, right), _)| self.cost_of_rows(left, right))
            .collect();
        (middle - below < costs.len()).then(|| *costs.select_nth_unstable_by(middle - below, f64::total_cmp).1)
    }

    /// Returns bounds of the cost of a seam: the larger of the separate costs of positions and velocities, and the sum of both.
    fn bounds_of_rows(&self, start: usize, end: usize) -> [f64; 2] {
        let [mut low, mut high] = [0.0; 2];
        for (x, v) in self.gaps(start, end) {
            let (position, velocity) = (self.position_weight * x, self.velocity_weight * v);
            low += 0.5 * (position + velocity).abs() + 0.5 * (position - velocity).abs();
            high += position.abs() + velocity.abs();
        }
        // Rounding must not put a cost that equals its bound beyond it.
        [low * (1.0 - 1e-12), high * (1.0 + 1e-12)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::numbers;

    #[test]
    fn the_median_is_that_of_all_costs() {
        let mut next = numbers(7);
        let mut draw = |scale: f64| 0.5 * scale * next();
        const AXES: usize = 6;
        // Positions and velocities of every size together, some frames equal.
        for scales in [[1.0, 1.0], [1.0, 30.0], [0.01, 30.0], [0.0, 0.0]] {
            let mut values = |scale: f64| -> Vec<f64> {
                (0..AXES * 60)
                    .map(|index| draw(scale) * (index / AXES % 9) as f64)
                    .collect()
            };
            let [positions, velocities] = scales.map(&mut values);
            let features = Features::from_values(1.0 / 30.0, AXES, positions, velocities).unwrap();
            for cost in [
                SeamCost::from(Decay::Spring { half_life_secs: 0.1 }),
                SeamCost::from(Decay::Cubic { blend_secs: 0.4 }),
                SeamCost::from(Decay::Quintic { blend_secs: 0.4 }),
            ] {
                let seams = Seams::new(&features, cost);
                let all: Vec<(usize, usize)> = (0..60)
                    .flat_map(|one| (one..60).map(move |other| (one, other)))
                    .collect();
                for pairs in [&all[..], &all[..7], &all[20..21], &[]] {
                    let mut costs: Vec<f64> = (pairs.iter()).map(|&(one, other)| seams.cost(one, other)).collect();
                    costs.sort_by(f64::total_cmp);
                    assert_eq!(
                        seams.median_of(pairs),
                        costs.get(costs.len() / 2).copied(),
                        "{scales:?} {cost:?}"
                    );
                }
            }
        }
    }
}
