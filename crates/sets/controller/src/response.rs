//! A spring's response after smoothing: a lower peak and a rounder corner, both by known amounts.
//!
//! The accelerations of a take are meaningful only after smoothing, and smoothed acceleration is lower than the true one. So the
//! model is smoothed too, with the same Gaussian weights, in closed form: with u = y t and s = y times the standard deviation of
//! the weights,
//! ```text
//! step(u) = P(u/s) - e^(s^2/2 - u) ((1 + m) P(m/s) + s p(m/s))      rate(u) = e^(s^2/2 - u) (m P(m/s) + s p(m/s))
//! sum(u) = (u - 2) P(u/s) + s p(u/s) + e^(s^2/2 - u) ((2 + m) P(m/s) + s p(m/s))
//! ```
//!
//! where m = u - s^2, P and p are the normal distribution and its density, and sum is the integral of step, whose differences
//! give the response to a ramped goal. Also the closed forms between the half-life of a spring and its largest rate, without
//! smoothing. Derivation: docs/math/fit.md.

use core::f64::consts::{E, LN_2, PI, SQRT_2};

use loopwright_core::math::{decay_rate, ops};

/// Returns the half-life, seconds, of the spring that covers `step` from rest with `peak_rate` as its largest rate of change.
///
/// h = 4 ln 2 / (2 e |peak / step|). For a velocity the step is the top speed and the rate the acceleration; for a facing they
/// are the angle and the turn rate. `None` unless both are finite and not zero.
pub fn half_life_of_peak(step: f64, peak_rate: f64) -> Option<f64> {
    let share = (peak_rate / step).abs();
    (share.is_finite() && share > 0.0).then(|| 4.0 * LN_2 / (2.0 * E * share))
}

/// Returns the largest rate of change over a `step` from rest, per second; reached 1/y seconds after the start.
pub fn peak_of_half_life(step: f64, half_life_secs: f64) -> f64 {
    step.abs() * decay_rate(half_life_secs) / E
}

/// The response of a critically damped spring to a step of size 1 at time 0, smoothed.
#[value(Copy)]
pub struct SmoothedResponse {
    decay_rate: f64,
    /// Standard deviation of the weights in units of 1/y.
    deviation: f64,
}

/// Deviations, in units of 1/y, below which smoothing changes no significant digit.
const NO_SMOOTHING: f64 = 1e-4;

/// Ramps shorter than this, in units of 1/y, are steps: differences of the sum would lose their digits.
const SHORTEST_RAMP: f64 = 1e-4;

/// Below this many deviations the normal distribution is computed from its asymptotic series, whose terms do not cancel.
const FAR_BELOW: f64 = -10.0;

impl SmoothedResponse {
    /// Creates the response of a half-life under weights of a standard deviation, both in seconds; the half-life is positive.
    pub fn new(half_life_secs: f64, deviation_secs: f64) -> Self {
        let decay_rate = decay_rate(half_life_secs);
        Self {
            decay_rate,
            deviation: decay_rate * deviation_secs,
        }
    }

    /// Returns the share of the step completed `secs` after the input, from 0 long before to 1 long after.
    pub fn step(&self, secs: f64) -> f64 {
        let (u, s) = (self.decay_rate * secs, self.deviation);
        if s < NO_SMOOTHING {
            return if u > 0.0 { 1.0 - ops::exp(-u) * (1.0 + u) } else { 0.0 };
        }
        let (tail, density, scale) = self.parts(u);
        normal(u / s) - scale * ((1.0 + u - s * s) * tail + s * density)
    }

    /// Returns the response to a goal that goes evenly from 0 to 1 over `ramp_secs`; the input is its start.
    pub fn ramped(&self, secs: f64, ramp_secs: f64) -> f64 {
        let (u, ramp) = (self.decay_rate * secs, self.decay_rate * ramp_secs);
        if ramp < SHORTEST_RAMP {
            return self.step(secs);
        }
        (self.sum(u) - self.sum(u - ramp)) / ramp
    }

    /// Integral of the step over u = y t.
    fn sum(&self, u: f64) -> f64 {
        let s = self.deviation;
        if s < NO_SMOOTHING {
            return if u > 0.0 {
                u - 2.0 + ops::exp(-u) * (2.0 + u)
            } else {
                0.0
            };
        }
        let (tail, density_at, scale) = self.parts(u);
        (u - 2.0) * normal(u / s) + s * density(u / s) + scale * ((2.0 + u - s * s) * tail + s * density_at)
    }

    /// Returns the rate of change of that share, per second.
    pub fn rate(&self, secs: f64) -> f64 {
        let (u, s) = (self.decay_rate * secs, self.deviation);
        if s < NO_SMOOTHING {
            return if u > 0.0 {
                self.decay_rate * u * ops::exp(-u)
            } else {
                0.0
            };
        }
        let (tail, density, scale) = self.parts(u);
        // Far below, the two terms cancel except for the remainder of the series.
        self.decay_rate * (scale * ((u - s * s) * tail + s * density)).max(0.0)
    }

    /// Returns P(m/s), p(m/s) and e^(s^2/2 - u), or multiples of them with the same products that do not overflow.
    fn parts(&self, u: f64) -> (f64, f64, f64) {
        let s = self.deviation;
        let z = u / s - s;
        if z < FAR_BELOW {
            // P(z)/p(z) for z far below zero; e^(s^2/2 - u) p(z) is the density at u/s.
            let w = 1.0 / (z * z);
            let ratio = -(1.0 - w * (1.0 - 3.0 * w * (1.0 - 5.0 * w * (1.0 - 7.0 * w)))) / z;
            (ratio, 1.0, density(u / s))
        } else {
            (normal(z), density(z), ops::exp(0.5 * s * s - u))
        }
    }

    /// Returns the largest rate, per second.
    pub fn peak_rate(&self) -> f64 {
        // The rate rises once and falls once: the peak of u e^-u at 1, moved and flattened by the weights.
        let (mut low, mut high) = (-4.0 * self.deviation, 1.0 + 4.0 * self.deviation);
        let at = |u: f64| self.rate(u / self.decay_rate);
        for _ in 0..60 {
            let [left, right] = golden_section(low, high);
            if at(left) < at(right) {
                low = left;
            } else {
                high = right;
            }
        }
        at(0.5 * (low + high))
    }
}

/// Returns the two inner points of a golden-section search.
pub(super) fn golden_section(low: f64, high: f64) -> [f64; 2] {
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    [high - golden * (high - low), low + golden * (high - low)]
}

/// Returns the half-life, seconds, of the spring that covers `step` and whose largest rate, smoothed, is `peak_rate`.
///
/// Without smoothing this is [`half_life_of_peak`]. `None` if nothing moves, or if the half-life is below half the deviation: the
/// change is then as sharp as the smoothing allows.
pub(crate) fn half_life_of_smoothed_peak(step: f64, peak_rate: f64, deviation_secs: f64) -> Option<f64> {
    let plain = half_life_of_peak(step, peak_rate)?;
    let share = (peak_rate / step).abs();
    // The true half-life is shorter than that of the plain formula, and the peak falls as the half-life grows.
    let (mut low, mut high) = (SHORTEST_SHARE * deviation_secs, plain);
    if deviation_secs <= 0.0 {
        return Some(plain);
    }
    if low >= high || SmoothedResponse::new(low, deviation_secs).peak_rate() <= share {
        return None;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if SmoothedResponse::new(middle, deviation_secs).peak_rate() > share {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(0.5 * (low + high))
}

/// Half-lives below this share of the smoothing's deviation are not reported: their peaks are within a tenth of the peak of a
/// sudden step, and a body that eases into its change has the same peak.
pub(super) const SHORTEST_SHARE: f64 = 0.5;

/// Distribution function of the normal distribution.
fn normal(z: f64) -> f64 {
    0.5 * ops::erfc(-z / SQRT_2)
}

/// Density of the normal distribution.
fn density(z: f64) -> f64 {
    ops::exp(-0.5 * z * z) / (2.0 * PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_forms_undo_each_other_and_refuse_nothing_moving() {
        for (step, half_life) in [(5.0, 0.2), (-3.1, 0.6), (1e-3, 4.0)] {
            let peak = peak_of_half_life(step, half_life);
            assert!((half_life_of_peak(step, peak).unwrap() - half_life).abs() < 1e-15 * 4.0);
        }
        for (step, peak) in [(0.0, 1.0), (1.0, 0.0), (f64::NAN, 1.0), (0.0, 0.0)] {
            assert_eq!(half_life_of_peak(step, peak), None);
        }
    }

    /// Computes the response by summing the unsmoothed response over the weights.
    fn summed(half_life: f64, deviation: f64, secs: f64) -> f64 {
        let plain = SmoothedResponse::new(half_life, 0.0);
        let count = 20_000;
        let step = 16.0 * deviation / f64::from(count);
        (0..count)
            .map(|index| {
                let away = (f64::from(index) + 0.5) * step - 8.0 * deviation;
                plain.step(secs - away) * density(away / deviation) * step / deviation
            })
            .sum()
    }

    #[test]
    fn the_closed_form_is_the_sum_over_the_weights() {
        for half_life in [0.03, 0.1, 0.4, 2.0] {
            for deviation in [0.01, 0.1, 0.2] {
                let response = SmoothedResponse::new(half_life, deviation);
                for step in -40..=60 {
                    let secs = 0.02 * f64::from(step);
                    let (found, expected) = (response.step(secs), summed(half_life, deviation, secs));
                    assert!(
                        (found - expected).abs() < 2e-6,
                        "{half_life} {deviation} {secs}: {found} {expected}"
                    );
                    let ramped = |ramp: f64| {
                        let count = 400;
                        let at = |index: i32| secs - ramp * (f64::from(index) + 0.5) / f64::from(count);
                        (0..count).map(|index| response.step(at(index))).sum::<f64>() / f64::from(count)
                    };
                    for ramp in [0.0, 0.05, 0.6] {
                        let (found, expected) = (response.ramped(secs, ramp), ramped(ramp));
                        assert!(
                            (found - expected).abs() < 1e-5,
                            "{half_life} {deviation} {secs} {ramp}: {found} {expected}"
                        );
                    }
                    let dt = 1e-5;
                    let slope = (response.step(secs + dt) - response.step(secs - dt)) / (2.0 * dt);
                    assert!(
                        (response.rate(secs) - slope).abs() < 1e-4 * (1.0 + slope.abs()),
                        "{half_life} {deviation} {secs}: {} {slope}",
                        response.rate(secs)
                    );
                }
            }
        }
    }

    #[test]
    fn nothing_overflows_however_far_away() {
        for half_life in [1e-3, 0.2, 100.0] {
            for deviation in [0.0, 1e-9, 0.2, 5.0] {
                let response = SmoothedResponse::new(half_life, deviation);
                for secs in [-1e6, -1e3, -30.0, 0.0, 30.0, 1e3, 1e6] {
                    let (step, rate) = (response.step(secs), response.rate(secs));
                    assert!(
                        (-1e-9..=1.0 + 1e-9).contains(&step),
                        "{half_life} {deviation} {secs}: {step}"
                    );
                    assert!(
                        rate.is_finite() && rate >= 0.0,
                        "{half_life} {deviation} {secs}: {rate}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_peak_gives_the_half_life_back() {
        for half_life in [0.11, 0.2, 0.63, 1.9] {
            for deviation in [0.0, 0.05, 0.2] {
                let peak = SmoothedResponse::new(half_life, deviation).peak_rate();
                let found = half_life_of_smoothed_peak(-3.0, 3.0 * peak, deviation).unwrap();
                assert!((found - half_life).abs() < 1e-6, "{half_life} {deviation}: {found}");
            }
        }
        // A sudden step, smoothed, rises at 0.4 of its size per deviation; nothing can be sharper.
        assert_eq!(half_life_of_smoothed_peak(1.0, 0.399 / 0.2, 0.2), None);
        let nearly = SmoothedResponse::new(0.09, 0.2).peak_rate();
        assert_eq!(half_life_of_smoothed_peak(1.0, nearly, 0.2), None);
        assert_eq!(half_life_of_smoothed_peak(1.0, 0.0, 0.2), None);
    }
}
