//! The closed forms between the half-life of a spring and its largest rate. Source: docs/math/fit.md.

use core::f64::consts::{E, LN_2};

use loopwright_core::math::decay_rate;

/// Half-life, seconds, of the spring that covers `step` from rest with `peak_rate` as its largest rate of change.
///
/// h = 4 ln 2 / (2 e |peak / step|). For a velocity the step is the top speed and the rate the acceleration; for a facing they
/// are the angle and the turn rate. `None` unless both are finite and not zero.
pub fn half_life_of_peak(step: f64, peak_rate: f64) -> Option<f64> {
    let share = (peak_rate / step).abs();
    (share.is_finite() && share > 0.0).then(|| 4.0 * LN_2 / (2.0 * E * share))
}

/// Largest rate of change over a `step` from rest, per second; reached 1/y seconds after the start.
pub fn peak_of_half_life(step: f64, half_life_secs: f64) -> f64 {
    step.abs() * decay_rate(half_life_secs) / E
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
}
