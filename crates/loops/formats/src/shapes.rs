//! Weights of blend shapes (morph targets), which a file animates beside its pose.

use loopwright_core::{MadeLoop, pipeline::MakeError};

/// Weights of several shapes at every frame of a take, or at every sample of a loop.
#[handed_over(Default)]
pub(crate) struct ShapeWeights {
    /// Number of shapes.
    pub width: usize,
    /// Frame by frame.
    pub weights: Vec<f64>,
}

impl ShapeWeights {
    /// Returns the weights at every key of a motion that repeats after `cycle` keys; `None` if they belong to another motion.
    pub(crate) fn of_keys(&self, num_keys: usize, cycle: usize) -> Option<impl Iterator<Item = &[f64]>> {
        let count = self.weights.len().checked_div(self.width)?;
        let period = if count == num_keys { num_keys } else { cycle };
        (count == period)
            .then(|| (0..num_keys).map(move |key| &self.weights[key % period * self.width..][..self.width]))
    }

    /// Returns the weights at `num_keys` keys, `step` samples apart, of a loop with `count` samples, interpolated linearly; the weights of
    /// another motion are unchanged.
    pub(crate) fn every(&self, step: f64, count: usize, num_keys: usize) -> Self {
        if self.weights.len() != count * self.width {
            return self.clone();
        }
        let keys = (0..num_keys).flat_map(|key| {
            let at = key as f64 * step;
            let (before, share) = (at.floor() as usize, at.fract());
            let of = move |sample: usize, shape: usize| self.weights[sample % count * self.width + shape];
            (0..self.width).map(move |shape| of(before, shape) * (1.0 - share) + of(before + 1, shape) * share)
        });
        Self {
            width: self.width,
            weights: keys.collect(),
        }
    }

    /// Cuts, samples and closes the weights like a loop of their take. Errors: as [`MadeLoop::looped_along`].
    pub(crate) fn looped_along(&self, made: &MadeLoop) -> Result<Self, MakeError> {
        Ok(Self {
            width: self.width,
            weights: made.looped_along(&self.weights, self.width)?,
        })
    }
}
