//! Computes mean squared gaps between motions and every stretch of a take, for all starts at once, by Fourier transforms.

use realfft::{RealFftPlanner, num_complex::Complex};

use super::State;

/// Factor for rounding to nine decimal places: transforms differ in the last digits between processors, but results must not.
const ROUNDING: f64 = 1e9;

/// Frames of features, sampled at one step.
pub(super) struct Sampled {
    pub num_axes: usize,
    pub positions: Vec<f64>,
    pub velocities: Vec<f64>,
}

impl Sampled {
    pub(super) fn num_frames(&self) -> usize {
        self.positions.len() / self.num_axes
    }

    pub(super) fn state(&self, frame: usize) -> State<'_> {
        let axes = frame * self.num_axes..(frame + 1) * self.num_axes;
        State {
            positions: &self.positions[axes.clone()],
            velocities: &self.velocities[axes],
        }
    }

    /// Returns one axis of the features, weighted: positions, then velocities.
    fn channel(&self, channel: usize, weights: (f64, f64)) -> impl Iterator<Item = f64> {
        let (of_position, of_velocity) = weights;
        let (values, weight) = if channel < self.num_axes {
            (&self.positions, of_position)
        } else {
            (&self.velocities, of_velocity)
        };
        let axis = channel % self.num_axes;
        values
            .iter()
            .skip(axis)
            .step_by(self.num_axes)
            .map(move |value| weight * value)
    }
}

/// Returns for each pattern the mean squared gap between it and the stretch that begins at each frame of the take, over all
/// channels.
///
/// Sum of (t - p)^2 = sum of t^2 + sum of p^2 - 2 sum of t p, and the last sum is a cross-correlation: the transform of the take
/// times the conjugate transform of the pattern, transformed back.
pub(super) fn squared_gaps(take: &Sampled, patterns: &[Sampled], weights: (f64, f64)) -> Vec<Vec<f64>> {
    let num_frames = take.num_frames();
    let longest = patterns.iter().map(Sampled::num_frames).max().unwrap_or(0);
    let length = (num_frames + longest).next_power_of_two();
    let mut planner = RealFftPlanner::<f64>::new();
    let (forward, inverse) = (planner.plan_fft_forward(length), planner.plan_fft_inverse(length));
    let mut signal = forward.make_input_vec();
    let mut of_take = forward.make_output_vec();
    let mut of_pattern = forward.make_output_vec();
    let mut products = vec![vec![Complex::new(0.0, 0.0); of_take.len()]; patterns.len()];
    let mut squares = vec![0.0; num_frames + 1];
    let mut of_patterns = vec![0.0; patterns.len()];
    for channel in 0..2 * take.num_axes {
        let fill = |signal: &mut [f64], sampled: &Sampled| {
            signal.fill(0.0);
            for (value, number) in signal.iter_mut().zip(sampled.channel(channel, weights)) {
                *value = number;
            }
        };
        fill(&mut signal, take);
        for (frame, value) in signal[..num_frames].iter().enumerate() {
            squares[frame + 1] += value * value;
        }
        // Buffers come from the plan itself, so their lengths fit and the calls cannot fail.
        let _ = forward.process(&mut signal, &mut of_take);
        for ((pattern, products), square) in patterns.iter().zip(&mut products).zip(&mut of_patterns) {
            fill(&mut signal, pattern);
            *square += signal[..pattern.num_frames()]
                .iter()
                .map(|value| value * value)
                .sum::<f64>();
            let _ = forward.process(&mut signal, &mut of_pattern);
            for (product, (take, pattern)) in products.iter_mut().zip(of_take.iter().zip(&of_pattern)) {
                *product += take * pattern.conj();
            }
        }
    }
    for frame in 0..num_frames {
        squares[frame + 1] += squares[frame];
    }
    patterns
        .iter()
        .zip(products)
        .zip(of_patterns)
        .map(|((pattern, mut product), square)| {
            let count = pattern.num_frames();
            // The inverse transform rejects rounding errors in these imaginary parts.
            for end in [0, product.len() - 1] {
                product[end].im = 0.0;
            }
            let _ = inverse.process(&mut product, &mut signal);
            (0..(num_frames + 1).saturating_sub(count))
                .map(|start| {
                    let both = squares[start + count] - squares[start] + square - 2.0 * signal[start] / length as f64;
                    (both / count as f64 * ROUNDING).round() / ROUNDING
                })
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squared_gaps_are_those_of_the_direct_sum() {
        let sampled = |num_frames: usize, phase: f64| Sampled {
            num_axes: 2,
            positions: (0..2 * num_frames)
                .map(|at| loopwright_core::math::ops::sin(0.37 * at as f64 + phase))
                .collect(),
            velocities: (0..2 * num_frames)
                .map(|at| loopwright_core::math::ops::cos(0.71 * at as f64 - phase))
                .collect(),
        };
        let take = sampled(70, 0.2);
        let patterns = [sampled(9, 1.0), sampled(16, -0.4)];
        let weights = (0.3, 0.8);
        let gaps = squared_gaps(&take, &patterns, weights);
        for (pattern, gaps) in patterns.iter().zip(&gaps) {
            assert_eq!(gaps.len(), 70 - pattern.num_frames() + 1);
            for (start, gap) in gaps.iter().enumerate() {
                let mut direct = 0.0;
                for channel in 0..4 {
                    let of_take = take.channel(channel, weights).skip(start);
                    direct += of_take
                        .zip(pattern.channel(channel, weights))
                        .map(|(take, pattern)| (take - pattern) * (take - pattern))
                        .sum::<f64>();
                }
                assert!(
                    (gap - direct / pattern.num_frames() as f64).abs() < 2e-9,
                    "{start}: {gap}"
                );
            }
        }
    }
}
