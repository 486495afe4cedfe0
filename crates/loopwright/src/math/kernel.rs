//! Smoothing of evenly timed samples: weights, and their application to a periodic track or one with ends.

use core::{
    f64::consts::PI,
    iter::Sum,
    ops::{Add, Mul},
};

use glam::DVec3;

use super::ops;

/// A Gaussian's weights extend this many standard deviations to either side; 0.006% of their sum lies beyond.
const REACH_DEVIATIONS: f64 = 4.0;

/// Weights of a raised cosine over `reach` samples on either side, from the first to the last; their sum is one.
pub fn bump(reach: usize) -> Vec<f64> {
    let turn = PI / (reach + 1) as f64;
    let weights: Vec<f64> = (1..=2 * reach + 1)
        .map(|step| 1.0 - ops::cos(turn * step as f64))
        .collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// Gaussian weights at distances of 0, 1, 2... samples, the standard deviation in samples; their sum over both sides is 1.
pub fn gaussian(deviation: f64) -> Vec<f64> {
    let reach = (REACH_DEVIATIONS * deviation).ceil() as usize;
    let mut weights: Vec<f64> = (0..=reach)
        .map(|away| {
            let away = away as f64 / deviation;
            ops::exp(-0.5 * away * away)
        })
        .collect();
    let sum = 2.0 * weights.iter().sum::<f64>() - weights[0];
    weights.iter_mut().for_each(|weight| *weight /= sum);
    weights
}

/// Gaussian weights at offsets of 0, 1, 2... samples around a loop of `count`, the standard deviation in samples; their sum is 1.
pub fn gaussian_around(count: usize, deviation: f64) -> Vec<f64> {
    let half = count as f64 / 2.0;
    let mut weights: Vec<f64> = (0..count)
        .map(|step| {
            let away = if step as f64 > half {
                count as f64 - step as f64
            } else {
                step as f64
            };
            ops::exp(-0.5 * (away / deviation) * (away / deviation))
        })
        .collect();
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
    weights
}

/// Weighted means around a loop, one for each sample: `weights` are for offsets of 0, 1, 2... samples.
pub fn averaged_around<T>(values: &[T], weights: &[f64]) -> Vec<T>
where
    T: Copy + Default + Add<Output = T> + Mul<f64, Output = T>,
{
    let count = values.len();
    (0..count)
        .map(|sample| {
            let steps = weights.iter().enumerate();
            steps.fold(T::default(), |sum, (step, &weight)| {
                sum + values[(sample + step) % count] * weight
            })
        })
        .collect()
}

/// Means around a loop under a [`bump`] of `reach` samples on either side, fewer than the loop has; exactly zero if all values
/// are.
pub fn smoothed_around<T>(values: &[T], reach: usize) -> Vec<T>
where
    T: Copy + Mul<f64, Output = T> + Sum,
{
    let count = values.len();
    let bump = bump(reach);
    (0..count)
        .map(|sample| {
            let around = (0..=2 * reach).map(|off| values[(sample + count + off - reach) % count] * bump[off]);
            around.sum()
        })
        .collect()
}

/// A C1 curve around a loop that is never below the values, nor below zero.
///
/// The highest value within `reach` samples, then its mean under a bump of that reach.
pub fn envelope_around(values: &[f64], reach: usize) -> Vec<f64> {
    let count = values.len();
    let highest: Vec<f64> = (0..count)
        .map(|sample| {
            let around = (0..=2 * reach).map(|off| values[(sample + count + off - reach) % count]);
            around.fold(0.0, f64::max)
        })
        .collect();
    smoothed_around(&highest, reach)
}

/// The same for a track with ends: zero at both, if the values there are not above zero.
///
/// The highest value within `reach` samples, then its mean under a bump of half that reach; towards the ends both have shorter
/// reach.
pub fn envelope(values: &[f64], reach: usize) -> Vec<f64> {
    let count = values.len();
    if values.iter().all(|&value| value <= 0.0) {
        return vec![0.0; count];
    }
    let around = |index: usize, part: usize| {
        let reach = reach.min(index).min(count - 1 - index) / part;
        index - reach..=index + reach
    };
    let highest: Vec<f64> = (0..count)
        .map(|index| values[around(index, 1)].iter().copied().fold(0.0, f64::max))
        .collect();
    (0..count)
        .map(|index| {
            let span = around(index, 2);
            let weights = bump((span.end() - span.start()) / 2);
            highest[span]
                .iter()
                .zip(weights)
                .map(|(high, weight)| high * weight)
                .sum()
        })
        .collect()
}

/// Weighted means of a track continued beyond its ends by its own mirror image; `weights` as from [`gaussian`].
///
/// Ends are smoothed as much as the rest; changes there are underestimated, never overestimated.
pub fn averaged_mirrored(track: &[DVec3], weights: &[f64]) -> Vec<DVec3> {
    let last = track.len() - 1;
    let before = |away: usize| track[away.min(last)];
    let after = |away: usize| track[last - away.min(last)];
    (0..track.len())
        .map(|frame| {
            let mut sum = weights[0] * track[frame];
            for (away, &weight) in weights.iter().enumerate().skip(1) {
                let left = if away <= frame {
                    track[frame - away]
                } else {
                    before(away - frame)
                };
                let right = if frame + away <= last {
                    track[frame + away]
                } else {
                    after(frame + away - last)
                };
                sum += weight * (left + right);
            }
            sum
        })
        .collect()
}

/// Value at each index of the least-squares line over the `reach` values on either side, fewer at the ends.
pub fn trend(values: &[f64], reach: usize) -> Vec<f64> {
    // Running sums of 1, x, x^2, y, xy, with x counted from the middle of the track to preserve precision.
    let middle = 0.5 * values.len() as f64;
    let mut sums = vec![[0.0; 4]];
    for (index, &y) in values.iter().enumerate() {
        let x = index as f64 - middle;
        let [sx, sxx, sy, sxy] = sums[index];
        sums.push([sx + x, sxx + x * x, sy + y, sxy + x * y]);
    }
    (0..values.len())
        .map(|index| {
            let (from, to) = (index.saturating_sub(reach), (index + reach + 1).min(values.len()));
            let count = (to - from) as f64;
            let [sx, sxx, sy, sxy] = core::array::from_fn(|k| sums[to][k] - sums[from][k]);
            let spread = sxx - sx * sx / count;
            let slope = if spread > 1e-9 {
                (sxy - sx * sy / count) / spread
            } else {
                0.0
            };
            sy / count + slope * (index as f64 - middle - sx / count)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_add_up_to_one_and_keep_what_is_even() {
        let sum = |weights: &[f64]| weights.iter().sum::<f64>();
        assert!((sum(&bump(3)) - 1.0).abs() < 1e-15 && bump(0) == [1.0]);
        let sided = gaussian(2.5);
        assert!((2.0 * sum(&sided) - sided[0] - 1.0).abs() < 1e-15);
        assert!((sum(&gaussian_around(12, 2.5)) - 1.0).abs() < 1e-15);
        for even in [
            averaged_around(&[3.0; 12], &gaussian_around(12, 2.5)),
            smoothed_around(&[3.0; 12], 4),
        ] {
            assert!(even.iter().all(|value| (value - 3.0).abs() < 1e-14));
        }
        let even = averaged_mirrored(&[DVec3::ONE; 5], &sided);
        assert!(even.iter().all(|value| (*value - DVec3::ONE).length() < 1e-14));
    }

    #[test]
    fn envelopes_are_high_enough_and_gentle() {
        let below: Vec<f64> = (0..60)
            .map(|index| {
                if (20..24).contains(&index) || index == 50 {
                    0.01
                } else {
                    -0.02
                }
            })
            .collect();
        let lift = envelope(&below, 12);
        for (index, (&lift, &below)) in lift.iter().zip(&below).enumerate() {
            assert!(lift >= below - 1e-15, "{index}: {lift} is less than {below}");
            assert!(lift <= 0.01 + 1e-15, "{index}: {lift} is more than was asked for");
        }
        assert_eq!((lift[0], lift[59], lift[2]), (0.0, 0.0, 0.0));
        let steps = lift.windows(2).map(|pair| (pair[1] - pair[0]).abs());
        assert!(steps.fold(0.0, f64::max) < 0.004);
        assert_eq!(envelope(&[-0.1; 5], 3), [0.0; 5]);
        assert!(envelope(&[], 3).is_empty());
        assert_eq!(envelope(&[0.02], 3), [0.02]);
        for (lift, below) in envelope_around(&below, 12).iter().zip(&below) {
            assert!((below - 1e-15..=0.01 + 1e-15).contains(lift));
        }
    }

    #[test]
    fn the_trend_follows_a_line_from_end_to_end() {
        let line: Vec<f64> = (0..50).map(|i| 0.9 + 0.03 * f64::from(i)).collect();
        for (index, (found, truth)) in trend(&line, 10).iter().zip(&line).enumerate() {
            assert!((found - truth).abs() < 1e-12, "{index}");
        }
        assert_eq!(trend(&[1.0], 10), [1.0]);
    }
}
