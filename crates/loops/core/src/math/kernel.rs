//! Smoothing of evenly timed samples: weights, and their application to a periodic track or one with ends.

use glam::DVec3;

use super::ops;

/// A Gaussian's weights extend this many standard deviations to either side; 0.006% of their sum lies beyond.
const REACH_DEVIATIONS: f64 = 4.0;

/// Gaussian weights at distances of 0, 1, 2... samples, the standard deviation in samples; their sum over both sides is 1.
pub fn gaussian(deviation: f64) -> Vec<f64> {
    let mut weights: Vec<f64> = (0..=(REACH_DEVIATIONS * deviation).ceil() as usize)
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
    let mut weights: Vec<f64> = (0..count)
        .map(|step| {
            let away = step.min(count - step) as f64;
            ops::exp(-0.5 * (away / deviation) * (away / deviation))
        })
        .collect();
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
    weights
}

/// Weighted means around a loop, one for each sample: `weights` are for offsets of 0, 1, 2... samples.
pub fn averaged_around(values: &[DVec3], weights: &[f64]) -> Vec<DVec3> {
    let count = values.len();
    (0..count)
        .map(|sample| {
            weights.iter().enumerate().fold(DVec3::ZERO, |sum, (step, &weight)| {
                sum + values[(sample + step) % count] * weight
            })
        })
        .collect()
}

/// Weighted means of a track continued beyond its ends by its own mirror image; `weights` as from [`gaussian`].
///
/// Ends are smoothed as much as the rest; changes there are underestimated, never overestimated.
pub fn averaged_mirrored(track: &[DVec3], weights: &[f64]) -> Vec<DVec3> {
    let last = track.len() - 1;
    (0..track.len())
        .map(|frame| {
            let mut sum = weights[0] * track[frame];
            // Far from the ends, without a check for each neighbour.
            if let Some(before) = frame.checked_sub(weights.len() - 1)
                && let Some(after) = track.get(frame + 1..frame + weights.len())
            {
                for ((left, right), &weight) in track[before..frame].iter().rev().zip(after).zip(&weights[1..]) {
                    sum += weight * (*left + *right);
                }
                return sum;
            }
            for (away, &weight) in weights.iter().enumerate().skip(1) {
                sum += weight
                    * (track[frame.abs_diff(away).min(last)] + track[last - last.abs_diff(frame + away).min(last)]);
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
        let sided = gaussian(2.5);
        assert!((2.0 * sum(&sided) - sided[0] - 1.0).abs() < 1e-15);
        assert!((sum(&gaussian_around(12, 2.5)) - 1.0).abs() < 1e-15);
        let even = averaged_around(&[DVec3::ONE; 12], &gaussian_around(12, 2.5));
        assert!(even.iter().all(|value| (*value - DVec3::ONE).length() < 1e-14));
        let even = averaged_mirrored(&[DVec3::ONE; 5], &sided);
        assert!(even.iter().all(|value| (*value - DVec3::ONE).length() < 1e-14));
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
