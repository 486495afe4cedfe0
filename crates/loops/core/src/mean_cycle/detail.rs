//! Fine detail: the components of a track around a loop above some 4 Hz.
//!
//! A mean keeps the common motion of cycles and loses details with individual timing: the ring of a heel strike, a shake of the
//! hand. Such detail is taken from one cycle, so that the mean looks as sharp as a recording.

use core::f64::consts::{PI, TAU};

use glam::DVec3;

use crate::math::{mean, ops};

/// Frequency below which the motion is that of the mean, hertz, ...
const COARSE_HZ: f64 = 3.0;

/// ... and above which it is that of the chosen cycle; in between it is a mix: half at 4 Hz.
///
/// A walk has its first four harmonics below. Source: design of the project, from a prototype.
const FINE_HZ: f64 = 5.0;

/// Splits tracks around a loop of some samples: cosines and sines of the coarse harmonics.
pub(super) struct Splitter {
    /// Cosine and sine of each sample's angle around the loop.
    around: Vec<[f64; 2]>,
    /// Response of each coarse harmonic, from the first on.
    responses: Vec<f64>,
}

impl Splitter {
    pub(super) fn new(num_samples: usize, period_secs: f64) -> Self {
        Self {
            around: (0..num_samples)
                .map(|sample| {
                    let (sin, cos) = ops::sin_cos(TAU * sample as f64 / num_samples as f64);
                    [cos, sin]
                })
                .collect(),
            responses: (1..=num_samples / 2)
                .map(|harmonic| response(harmonic as f64 / period_secs))
                .take_while(|&response| response > 0.0)
                .collect(),
        }
    }

    /// Returns a track less its coarse part: the mean, and all harmonics below 3 Hz, are gone.
    pub(super) fn fine(&self, track: &[DVec3]) -> Vec<DVec3> {
        let count = track.len();
        let mean = mean(track.iter().copied());
        let mut fine: Vec<DVec3> = track.iter().map(|&value| value - mean).collect();
        for (index, &response) in self.responses.iter().enumerate() {
            let harmonic = index + 1;
            let at = |sample: usize| self.around[(sample * harmonic) % count];
            let (mut cosine, mut sine) = (DVec3::ZERO, DVec3::ZERO);
            for (sample, &value) in track.iter().enumerate() {
                let [cos, sin] = at(sample);
                cosine += value * cos;
                sine += value * sin;
            }
            // The harmonic with two samples per period has no sine, and its cosine counts once.
            let sides = if 2 * harmonic == count { 1.0 } else { 2.0 };
            let scale = response * sides / count as f64;
            for (sample, value) in fine.iter_mut().enumerate() {
                let [cos, sin] = at(sample);
                *value -= (cosine * cos + sine * sin) * scale;
            }
        }
        fine
    }
}

/// Returns the share of a frequency that is coarse: 1 below, 0 above, a cosine in between.
fn response(hz: f64) -> f64 {
    let u = ((hz - COARSE_HZ) / (FINE_HZ - COARSE_HZ)).clamp(0.0, 1.0);
    if u >= 1.0 { 0.0 } else { 0.5 + 0.5 * ops::cos(PI * u) }
}
