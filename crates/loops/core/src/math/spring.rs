//! The critically damped spring of game characters.
//!
//! The half-life h is the articles' parameter, damping 4 ln 2 / h: of an offset at rest 59.7% is left after h, and half after
//! 1.2107 h. Source: Daniel Holden, "Fitting Code Driven Displacement" and "Spring-It-On", theorangeduck.com; docs/math/fit.md.

use super::{Jet, decay_rate, ops};

/// A critically damped spring that moves from a value and a rate to a goal.
#[value(Copy)]
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
    pub fn at(&self, secs: f64) -> Jet {
        let (y, offset, slope) = self.parts();
        let decay = ops::exp(-y * secs);
        Jet {
            value: self.goal + decay * (offset + slope * secs),
            rate: decay * (self.rate - slope * y * secs),
            acceleration: -decay * y * (self.rate + slope - slope * y * secs),
        }
    }

    /// Returns the time of the extreme of the rate after the start, seconds: (j1 + v)/(j1 y). `None` if it has none.
    pub fn extreme_rate_secs(&self) -> Option<f64> {
        let (y, _, slope) = self.parts();
        let secs = (slope + self.rate) / (slope * y);
        (secs.is_finite() && secs > 0.0).then_some(secs)
    }

    /// Returns the time of the largest rate from the start on, seconds, and that rate, per second.
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
