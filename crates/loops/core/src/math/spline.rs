//! The C2 curve through values at uneven times: natural cubic splines.
//!
//! With M_i the second derivatives at times t_i, h_i = t_(i+1) - t_i and d_i = (y_(i+1) - y_i) / h_i:
//! h_(i-1) M_(i-1) + 2 (h_(i-1) + h_i) M_i + h_i M_(i+1) = 6 (d_i - d_(i-1)), and M = 0 at both ends. Source: de Boor, A
//! Practical Guide to Splines, 1978, chapter IV.

use core::ops::{Add, Mul, Sub};

/// Values that splines may run through.
pub(crate) trait Value: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<f64, Output = Self> {}

impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>> Value for T {}

/// A natural cubic spline through one value for each of some times.
pub(crate) struct Spline<T> {
    values: Vec<T>,
    bends: Vec<T>,
}

/// A place between two of the times.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    before: usize,
    /// Seconds since the time before, and until the next.
    since: f64,
    until: f64,
}

impl Place {
    /// Finds a time among increasing times, at least two.
    pub(crate) fn find(times: &[f64], time: f64) -> Self {
        let before = times.partition_point(|&own| own <= time).clamp(1, times.len() - 1) - 1;
        Self {
            before,
            since: time - times[before],
            until: times[before + 1] - time,
        }
    }
}

impl<T: Value> Spline<T> {
    /// Creates the spline; `times` increase, and there are as many values.
    pub(crate) fn new(times: &[f64], values: Vec<T>) -> Self {
        let length = |index: usize| times[index + 1] - times[index];
        let slope = |index: usize| (values[index + 1] - values[index]) * (1.0 / length(index));
        let mut bends = vec![values[0] * 0.0; values.len()];
        // Elimination downwards: M_i = rest_i - above_i M_(i+1).
        let mut above = vec![0.0; values.len()];
        for index in 1..values.len().saturating_sub(1) {
            let pivot = 2.0 * (length(index - 1) + length(index)) - length(index - 1) * above[index - 1];
            above[index] = length(index) / pivot;
            bends[index] =
                ((slope(index) - slope(index - 1)) * 6.0 - bends[index - 1] * length(index - 1)) * (1.0 / pivot);
        }
        for index in (1..values.len().saturating_sub(1)).rev() {
            bends[index] = bends[index] - bends[index + 1] * above[index];
        }
        Self { values, bends }
    }

    /// Returns the value at a place among the times.
    pub(crate) fn at(&self, place: Place) -> T {
        let Place { before, since, until } = place;
        let length = since + until;
        let [first, second] = [before, before + 1].map(|index| (self.values[index], self.bends[index]));
        let bent = |part: f64| part * (part * part - length * length) / (6.0 * length);
        first.0 * (until / length) + second.0 * (since / length) + first.1 * bent(until) + second.1 * bent(since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::ops;

    /// Between keys of a sine the error falls with the fourth power of the step, also where one step is short.
    #[test]
    fn a_spline_follows_a_smooth_curve_and_hits_its_keys() {
        let times: Vec<f64> = (0..60)
            .map(|key| f64::from(key) - if key > 29 { 0.63 } else { 0.0 })
            .collect();
        let truth = |time: f64| ops::sin(0.3 * time);
        let spline = Spline::new(&times, times.iter().map(|&time| truth(time)).collect());
        let at = |time: f64| spline.at(Place::find(&times, time));
        for key in 0..60 {
            assert!((at(times[key]) - truth(times[key])).abs() < 1e-14);
        }
        for tenth in 100..480 {
            let time = 0.1 * f64::from(tenth);
            assert!((at(time) - truth(time)).abs() < 1e-4, "{time}");
        }
    }
}
