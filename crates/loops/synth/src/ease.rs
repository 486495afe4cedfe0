//! Time curves for all motion: smooth steps, and fades that continue value, rate and acceleration.
//!
//! Everything here is C2 or better, because users of the takes examine accelerations.

use core::ops::{Add, Mul, Sub};

/// Smooth step of order 5: 0 at u <= 0, 1 at u >= 1, first and second derivative zero at both ends.
pub(crate) fn step(u: f64) -> f64 {
    let u = u.clamp(0.0, 1.0);
    u * u * u * (10.0 + u * (6.0 * u - 15.0))
}

/// Integral of [`step`] from 0 to u; grows with slope one beyond u = 1, where it is u - 1/2.
pub(crate) fn step_integral(u: f64) -> f64 {
    if u <= 0.0 {
        0.0
    } else if u >= 1.0 {
        u - 0.5
    } else {
        u * u * u * u * (2.5 + u * (u - 3.0))
    }
}

/// Curve from 0 to 1 over u in [0, 1] whose speed rises over the first `rise`, is constant, and falls over the last `fall`.
///
/// Flatter in the middle than a single smooth step: the speed peaks at 1/(1 - (rise + fall)/2). C3 at both ends.
fn progress(u: f64, rise: f64, fall: f64) -> f64 {
    let length = 1.0 - 0.5 * (rise + fall);
    let done = if u < 1.0 - fall {
        rise * step_integral(u / rise)
    } else {
        length - fall * step_integral((1.0 - u) / fall)
    };
    done / length
}

/// Returns a bump over u in [0, 1] with height one at u = 3/8, whose first two derivatives are zero at both ends.
pub(crate) fn early_bump(u: f64) -> f64 {
    let rest = 1.0 - u;
    u * u
        * u
        * rest
        * rest
        * rest
        * rest
        * rest
        * (8.0_f64 * 8.0 * 8.0 * 8.0 * 8.0 * 8.0 * 8.0 * 8.0 / (3.0 * 3.0 * 3.0 * 5.0 * 5.0 * 5.0 * 5.0 * 5.0))
}

/// A value with its first two derivatives at one instant.
#[derive(Clone, Copy)]
pub(crate) struct Jet<T> {
    pub value: T,
    pub rate: T,
    pub acceleration: T,
}

impl<T: Sub<Output = T>> Sub for Jet<T> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            value: self.value - other.value,
            rate: self.rate - other.rate,
            acceleration: self.acceleration - other.acceleration,
        }
    }
}

impl Jet<f64> {
    /// Creates a constant value.
    pub(crate) fn at_rest(value: f64) -> Self {
        Self {
            value,
            rate: 0.0,
            acceleration: 0.0,
        }
    }
}

/// Shape of the curve from one jet to another; all are shares of its length, and `rise + fall` is at most one.
pub(crate) struct Fade {
    /// The start's rate and acceleration decay over this share.
    pub start_window: f64,
    /// The end's rate and acceleration build up over this share.
    pub end_window: f64,
    /// Over this share the speed of the curve rises.
    pub rise: f64,
    /// Over this share the speed of the curve falls.
    pub fall: f64,
}

impl Fade {
    /// Returns the curve at u in [0, 1] that leaves like `start` and arrives like `end`, C2 at both.
    ///
    /// `duration` is the length in the unit of time of the jets.
    pub(crate) fn between<T>(&self, u: f64, duration: f64, start: &Jet<T>, end: &Jet<T>) -> T
    where
        T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>,
    {
        let share = progress(u, self.rise, self.fall);
        let leaving = self.start_window * duration;
        let arriving = self.end_window * duration;
        let (start_rate, start_acceleration) = tails(u / self.start_window);
        let (end_rate, end_acceleration) = tails((1.0 - u) / self.end_window);
        start.value
            + (end.value - start.value) * share
            + start.rate * (leaving * start_rate)
            + start.acceleration * (leaving * leaving * start_acceleration)
            - end.rate * (arriving * end_rate)
            + end.acceleration * (arriving * arriving * end_acceleration)
    }
}

/// Quintic decays of a unit rate and of a unit acceleration over u in [0, 1], zero beyond.
fn tails(u: f64) -> (f64, f64) {
    if u >= 1.0 {
        return (0.0, 0.0);
    }
    let rest = (1.0 - u) * (1.0 - u) * (1.0 - u);
    (u * rest * (1.0 + 3.0 * u), 0.5 * u * u * rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integral_has_the_step_as_its_slope() {
        let h = 1e-5;
        for i in -2..14 {
            let u = 0.1 * f64::from(i) + 0.013;
            let slope = (step_integral(u + h) - step_integral(u - h)) / (2.0 * h);
            assert!((slope - step(u)).abs() < 1e-9, "{u}");
        }
    }

    #[test]
    fn fade_meets_both_jets_to_the_second_derivative() {
        let start = Jet {
            value: 0.3,
            rate: -2.0,
            acceleration: 5.0,
        };
        let end = Jet {
            value: 1.1,
            rate: 0.7,
            acceleration: -9.0,
        };
        let duration = 0.8;
        let fade = Fade {
            start_window: 0.6,
            end_window: 0.4,
            rise: 0.4,
            fall: 0.3,
        };
        let at = |time: f64| fade.between(time / duration, duration, &start, &end);
        let h = 1e-4;
        for (time, side, jet) in [(0.0, 1.0, start), (duration, -1.0, end)] {
            let [f0, f1, f2, f3] = [0.0, 1.0, 2.0, 3.0].map(|n| at(time + side * h * n));
            assert!((f0 - jet.value).abs() < 1e-14);
            let rate = side * (-11.0 * f0 + 18.0 * f1 - 9.0 * f2 + 2.0 * f3) / (6.0 * h);
            assert!((rate - jet.rate).abs() < 1e-5, "{rate}");
            let acceleration = (2.0 * f0 - 5.0 * f1 + 4.0 * f2 - f3) / (h * h);
            assert!((acceleration - jet.acceleration).abs() < 1e-2, "{acceleration}");
        }
    }

    #[test]
    fn progress_runs_from_nought_to_one() {
        assert_eq!(progress(0.0, 0.4, 0.3), 0.0);
        assert_eq!(progress(1.0, 0.4, 0.3), 1.0);
        let (left, right) = (progress(0.7 - 1e-9, 0.4, 0.3), progress(0.7, 0.4, 0.3));
        assert!((left - right).abs() < 1e-8);
    }
}
