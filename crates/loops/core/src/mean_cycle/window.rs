//! The window of weights over cycles, and the trust in each of them.
//!
//! Two neighbouring cycles blend into one that repeats: the weight rises from 0 to 1 over the first and falls back over the
//! second, so that the end of the first, which has all the weight there, leads into the start of the second. The mean is a
//! weighted sum of such pairs. So its weights start and end at zero with zero slope and curvature, their copies shifted by whole
//! cycles sum to one, and both hold for any weights of the pairs.

use crate::math::{percentile, smooth_step};

/// Weights of the pairs of neighbouring cycles; they sum to one.
pub(super) struct Window {
    pub pairs: Vec<f64>,
}

impl Window {
    /// Creates the window over at least two cycles with the given trust: the weight of a pair depends on the trust in both its
    /// cycles.
    pub(super) fn over(trust: &[f64]) -> Self {
        let mut pairs: Vec<f64> = trust.windows(2).map(|pair| pair[0] * pair[1]).collect();
        let mut total: f64 = pairs.iter().sum();
        if total < MIN_TRUST {
            // No two neighbours are alike, so there are no outliers.
            pairs.fill(1.0);
            total = pairs.len() as f64;
        }
        pairs.iter_mut().for_each(|weight| *weight /= total);
        Self { pairs }
    }

    /// Returns the weights of all cycles at a phase; they sum to one.
    pub(super) fn at(&self, phase: f64) -> Vec<f64> {
        let share = smooth_step(phase);
        let mut weights = vec![0.0; self.pairs.len() + 1];
        for (pair, weight) in self.pairs.iter().enumerate() {
            weights[pair] += weight * share;
            weights[pair + 1] += weight * (1.0 - share);
        }
        weights
    }

    /// Returns the share of each cycle in the whole mean: half of each pair in which it is.
    pub(super) fn shares(&self) -> Vec<f64> {
        self.at(0.5)
    }
}

/// Sum of the weights of all pairs below which no pair counts as trusted.
const MIN_TRUST: f64 = 1e-3;

/// A cycle this many times as far from the middle of all cycles as the median cycle has no weight.
///
/// A distance over many joints and phases varies little from cycle to cycle: in captured walks the largest of ten is 1.2 to 1.8
/// times the median. At 2, sound cycles lose most of their weight; at 5 a stumble keeps some.
const OUTLYING: f64 = 3.0;

/// Distances below this are equal, metres: noise of capture.
const EQUAL_METRES: f64 = 1e-3;

/// Trust in each cycle by its distance from the middle of all: Tukey's biweight, 1 at distance zero and 0 from three times the
/// median on. Source: Beaton and Tukey, The fitting of power series, Technometrics 16, 1974.
pub(super) fn trust(distances: &[f64]) -> Vec<f64> {
    let limit = OUTLYING * percentile::of(distances.to_vec(), 0.5).max(EQUAL_METRES);
    distances
        .iter()
        .map(|distance| {
            let ratio = distance / limit;
            let left = (1.0 - ratio * ratio).max(0.0);
            left * left
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_one_at_every_phase_whatever_the_trust() {
        for trust in [&[1.0, 1.0][..], &[0.3, 1.0, 0.0, 0.7, 0.2], &[1.0, 0.0, 1.0]] {
            let window = Window::over(trust);
            for step in 0..=20 {
                let sum: f64 = window.at(f64::from(step) / 20.0).iter().sum();
                assert!((sum - 1.0).abs() < 1e-15, "{trust:?}: {sum}");
            }
            assert!((window.shares().iter().sum::<f64>() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn a_cycle_unlike_the_others_gets_no_weight() {
        let trusted = trust(&[0.01, 0.012, 0.05, 0.011, 0.009]);
        assert_eq!(trusted[2], 0.0);
        assert!(
            trusted.iter().enumerate().all(|(at, &trust)| at == 2 || trust > 0.7),
            "{trusted:?}"
        );
        let shares = Window::over(&trusted).shares();
        assert_eq!(shares[2], 0.0);
        // Equal cycles are all trusted.
        assert_eq!(trust(&[0.0, 0.0, 0.0]), [1.0; 3]);
    }

    #[test]
    fn cycles_of_which_no_two_neighbours_are_trusted_count_alike() {
        assert_eq!(Window::over(&[1.0, 0.0, 1.0]).pairs, [0.5, 0.5]);
    }
}
