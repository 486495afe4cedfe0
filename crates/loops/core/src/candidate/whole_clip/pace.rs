//! Measures how evenly a clip moves: a gait moves all the time, a strike once.

use crate::math::{greatest, mean};
use crate::{analysis::Analysis, math::percentile};

/// The speed of a body over a clip, in parts.
pub(super) struct Pace {
    mean: f64,
    /// Highest and 10th percentile of the smoothed speed.
    highest: f64,
    low: f64,
}

/// Largest ratio of the highest speed of a cycle to the mean. Measured on 165 authored clips: 33 moving cycles reach 1.86; of 75
/// strikes, falls, jumps and the like all but 8 begin at 1.92, and the ends of those 8 are far apart or meet exactly.
const MAX_BURST: f64 = 1.9;

/// Smallest ratio of the 10th percentile of a cycle's speed to the mean; a strafe whose feet cross reaches 0.15.
const MIN_LOW: f64 = 0.14;

impl Pace {
    pub(super) fn new(analysis: &Analysis) -> Self {
        let count = analysis.take.num_frames();
        let mean_of = |from: usize, to: usize| mean((from..to).map(|frame| analysis.speed(frame)));
        let smoothed: Vec<f64> = (0..count)
            .map(|frame| mean_of(frame.saturating_sub(1), (frame + 2).min(count)))
            .collect();
        Self {
            mean: mean_of(0, count),
            highest: greatest(smoothed.iter().copied()),
            low: percentile::of(smoothed, 0.1),
        }
    }

    /// Whether the body moves all the time and never in one burst.
    pub(super) fn is_even(&self) -> bool {
        self.highest <= MAX_BURST * self.mean && self.low >= MIN_LOW * self.mean
    }
}
