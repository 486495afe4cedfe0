//! The critically damped spring of game characters, and the closed forms between its half-life and its peak.
//!
//! The half-life h is the articles' parameter, damping 4 ln 2 / h: of an offset at rest 59.7% is left after h, and half after
//! 1.2107 h. Source: Daniel Holden, "Fitting Code Driven Displacement" and "Spring-It-On", theorangeduck.com; docs/math/fit.md.

use core::f64::consts::{E, LN_2};

use crate::math::decay::decay_rate;
use crate::math::ops;

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

/// Value of a spring and its derivatives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpringState {
    /// The value.
    pub value: f64,
    /// Its rate of change, per second.
    pub rate: f64,
    /// Its second derivative, per second squared.
    pub acceleration: f64,
}

/// A critically damped spring that moves from a value and a rate to a goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Value at time 0.
    pub value: f64,
    /// Rate of change at time 0, per second.
    pub rate: f64,
    /// The goal.
    pub goal: f64,
    /// Half-life in seconds, above zero.
    pub half_life_secs: f64,
}

impl Spring {
    /// Decay rate y, offset j0 from the goal, and j1 = rate + y j0: the offset at t is e^(-y t) (j0 + j1 t).
    fn parts(&self) -> (f64, f64, f64) {
        let y = decay_rate(self.half_life_secs);
        let offset = self.value - self.goal;
        (y, offset, self.rate + y * offset)
    }

    /// Value, rate and acceleration after `secs` seconds.
    pub fn at(&self, secs: f64) -> SpringState {
        let (y, offset, slope) = self.parts();
        let decay = ops::exp(-y * secs);
        SpringState {
            value: self.goal + decay * (offset + slope * secs),
            rate: decay * (self.rate - slope * y * secs),
            acceleration: -decay * y * (self.rate + slope - slope * y * secs),
        }
    }

    /// When the rate has its extreme after the start, seconds: (j1 + v)/(j1 y). `None` where it has none.
    pub fn extreme_rate_secs(&self) -> Option<f64> {
        let (y, _, slope) = self.parts();
        let secs = (slope + self.rate) / (slope * y);
        (secs.is_finite() && secs > 0.0).then_some(secs)
    }

    /// The time of the largest rate from the start on, seconds, and that rate, per second.
    ///
    /// It is at the extreme or at the start: an initial rate may be the largest.
    pub fn fastest(&self) -> (f64, f64) {
        match self.extreme_rate_secs().map(|secs| (secs, self.at(secs).rate)) {
            Some((secs, rate)) if rate.abs() > self.rate.abs() => (secs, rate),
            _ => (0.0, self.rate),
        }
    }
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

    #[test]
    fn rates_are_derivatives_and_the_fastest_is_the_fastest() {
        for (value, rate, goal) in [(0.0, 0.0, 1.0), (1.0, 0.5, 3.0), (2.0, -1.0, 0.0), (0.0, 20.0, 1.0)] {
            let spring = Spring {
                value,
                rate,
                goal,
                half_life_secs: 0.3,
            };
            let dt = 1e-5;
            for secs in [0.1, 0.4, 1.3] {
                let [before, here, after] = [secs - dt, secs, secs + dt].map(|secs| spring.at(secs));
                assert!(((after.value - before.value) / (2.0 * dt) - here.rate).abs() < 1e-6);
                assert!(((after.rate - before.rate) / (2.0 * dt) - here.acceleration).abs() < 1e-5);
            }
            let (_, fastest) = spring.fastest();
            let seen = (0..4000).map(|step| spring.at(f64::from(step) * 1e-3).rate.abs());
            let seen = seen.fold(0.0, f64::max);
            assert!((fastest.abs() - seen).abs() < 1e-4 * seen, "{fastest} {seen}");
        }
    }
}
