//! The multi-dimensional matrix profile: the two stretches of a take whose shapes are most alike.
//!
//! Every channel of the features that changes is z-normalised within each window. The distance of two windows is the mean
//! of their distances over all channels. All admissible pairs are compared, diagonal by diagonal, with running sums.
//! Source: Yeh, Kavantzas, Keogh, "Matrix Profile VI", ICDM 2017; as `stumpy.mstump` with all dimensions.

use loopwright::{analysis::Features, unstable::search::Admission};

use super::published::{Pair, WINDOW};

/// Frames of a window on either side of its middle.
const REACH: usize = WINDOW / 2;

/// Smallest spread of a window, as a share of the spread of the whole channel, at which the window has a shape.
const FLAT: f64 = 1e-7;

/// One channel with the mean and the spread of the window that begins at each frame.
struct Channel {
    values: Vec<f64>,
    means: Vec<f64>,
    spreads: Vec<f64>,
}

impl Channel {
    /// `None` if the channel does not change.
    fn new(mut values: Vec<f64>) -> Option<Self> {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let spread = (values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count).sqrt();
        if spread < 1e-9 {
            return None;
        }
        // Distances do not depend on a channel's offset and scale; running sums are most precise near zero.
        for value in &mut values {
            *value = (*value - mean) / spread;
        }
        let window_mean = |window: &[f64]| window.iter().sum::<f64>() / WINDOW as f64;
        let means: Vec<f64> = values.windows(WINDOW).map(window_mean).collect();
        let spreads = (values.windows(WINDOW).zip(&means))
            .map(|(window, mean)| {
                let variance = window.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / WINDOW as f64;
                variance.sqrt()
            })
            .collect();
        Some(Self { values, means, spreads })
    }

    /// Adds the distances of all windows one lag apart, by start of the earlier window.
    fn add_distances(&self, lag: usize, sums: &mut [f64]) {
        let length = WINDOW as f64;
        let product = |frame: usize| self.values[frame] * self.values[frame + lag];
        let mut dot: f64 = (0..WINDOW - 1).map(product).sum();
        for (start, sum) in sums.iter_mut().enumerate() {
            dot += product(start + WINDOW - 1);
            let (own, other) = (self.spreads[start], self.spreads[start + lag]);
            *sum += match (own < FLAT, other < FLAT) {
                (true, true) => 0.0,
                (true, false) | (false, true) => length.sqrt(),
                (false, false) => {
                    let likeness = (dot / length - self.means[start] * self.means[start + lag]) / (own * other);
                    (2.0 * length * (1.0 - likeness).max(0.0)).sqrt()
                }
            };
            dot -= product(start);
        }
    }
}

/// The admissible pair of frames in the middle of the two windows that are most alike.
pub(super) fn best_pair(
    features: &Features,
    lags: core::ops::RangeInclusive<usize>,
    admission: &Admission,
) -> Option<Pair> {
    let num_frames = features.num_frames();
    let positions = (0..features.num_position_axes()).map(|axis| track(features, axis, Features::positions));
    let velocities = (0..features.num_axes()).map(|axis| track(features, axis, Features::velocities));
    let channels: Vec<Channel> = positions.chain(velocities).filter_map(Channel::new).collect();
    let mut best: Option<(f64, Pair)> = None;
    for lag in lags {
        let Some(windows) = (num_frames + 1)
            .checked_sub(lag + WINDOW)
            .filter(|&windows| windows > 0)
        else {
            break;
        };
        let mut sums = vec![0.0; windows];
        for channel in &channels {
            channel.add_distances(lag, &mut sums);
        }
        for (first, &sum) in sums.iter().enumerate() {
            let pair = (first + REACH, first + REACH + lag);
            if best.is_none_or(|(least, _)| sum < least) && admission.admits(pair.0, pair.1) {
                best = Some((sum, pair));
            }
        }
    }
    best.map(|(_, pair)| pair)
}

fn track(features: &Features, axis: usize, row: impl Fn(&Features, usize) -> &[f64]) -> Vec<f64> {
    (0..features.num_frames())
        .map(|frame| row(features, frame)[axis])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Running sums give the same result as the definition.
    #[test]
    fn distances_are_those_of_windows_brought_to_mean_zero_and_spread_one() {
        let values: Vec<f64> = (0..60)
            .map(|i| (0.7 * f64::from(i)).sin() + 0.03 * f64::from(i * i % 17))
            .collect();
        let normalised = |from: usize| -> Vec<f64> {
            let window = &values[from..from + WINDOW];
            let mean = window.iter().sum::<f64>() / WINDOW as f64;
            let spread = (window.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / WINDOW as f64).sqrt();
            window.iter().map(|x| (x - mean) / spread).collect()
        };
        let channel = Channel::new(values.clone()).unwrap();
        let lag = 9;
        let mut sums = vec![0.0; values.len() + 1 - lag - WINDOW];
        channel.add_distances(lag, &mut sums);
        for (start, found) in sums.iter().enumerate() {
            let (own, other) = (normalised(start), normalised(start + lag));
            let expected = own.iter().zip(&other).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
            assert!((found - expected).abs() < 1e-9, "{start}: {found}, {expected}");
        }
    }
}
