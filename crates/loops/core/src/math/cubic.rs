//! The C1 curve between two samples: Hermite cubics with central slopes, for points and for rotations.
//!
//! With x_0 and x_1 the samples around and x_-1 and x_2 those beyond: slopes (x_1 - x_-1)/2 and (x_2 - x_0)/2 per step,
//! one-sided where a neighbour is missing. Rotations: the same in the tangent space of the earlier sample, slopes carried
//! there by the inverse Jacobian, so that the angular velocity is continuous. Derivation: docs/math/sampling.md.

use core::ops::{Add, Mul, Sub};

use glam::{DQuat, DVec3};

use super::{rotation, spline::Value};

/// Two samples and their neighbours, if any.
#[value(Copy)]
pub struct Span<T> {
    /// The sample before the earlier one.
    pub left: Option<T>,
    /// The earlier sample, at 0.
    pub before: T,
    /// The later sample, at 1.
    pub after: T,
    /// The sample after the later one.
    pub right: Option<T>,
}

impl<T> Span<T> {
    /// Applies a function to each sample.
    pub fn map<U>(self, value: impl Fn(T) -> U) -> Span<U> {
        Span {
            left: self.left.map(&value),
            before: value(self.before),
            after: value(self.after),
            right: self.right.map(&value),
        }
    }
}

impl Span<usize> {
    /// Returns the samples around a position, from `before` on; `last` is the last sample.
    pub fn within(before: usize, last: usize) -> Self {
        Self {
            left: before.checked_sub(1),
            before,
            after: before + 1,
            right: (before + 2 <= last).then_some(before + 2),
        }
    }
}

/// The Hermite basis at one point between two samples, with its derivative per step.
#[value(Copy)]
pub struct Hermite {
    /// Weights of the end value and of the slopes at start and end; the start value has 1 less that of the end.
    value: [f64; 3],
    rate: [f64; 3],
}

impl Hermite {
    /// Creates the basis at u, 0 at the earlier sample and 1 at the later one.
    pub fn at(u: f64) -> Self {
        Self {
            value: [u * u * (3.0 - 2.0 * u), u * (1.0 - u) * (1.0 - u), u * u * (u - 1.0)],
            rate: [6.0 * u * (1.0 - u), (1.0 - u) * (1.0 - 3.0 * u), u * (3.0 * u - 2.0)],
        }
    }

    /// Returns the point there.
    pub fn point<V>(&self, span: Span<V>) -> V
    where
        V: Copy + Add<Output = V> + Sub<Output = V> + Mul<f64, Output = V>,
    {
        let [end, slope_start, slope_end] = self.value;
        let [before, after] = slopes(span);
        span.before + (span.after - span.before) * end + before * slope_start + after * slope_end
    }

    /// Returns the velocity of the point at u, per step.
    pub(crate) fn point_rate(&self, span: Span<DVec3>) -> DVec3 {
        let [end, slope_start, slope_end] = self.rate;
        let [before, after] = slopes(span);
        end * (span.after - span.before) + slope_start * before + slope_end * after
    }

    /// Returns the rotation at u, with the sign of the earlier sample.
    pub(crate) fn rotation(&self, span: Span<DQuat>) -> DQuat {
        self.turned(span.before, Turns::new(span))
    }

    /// As [`Self::rotation`], from the turns between the samples.
    pub(crate) fn turned(&self, before: DQuat, turns: Turns) -> DQuat {
        rotation::on_side_of(rotation::exp(mix(self.value, turns.tangents())) * before, before)
    }

    /// Angular velocity at u, radians per step, in the space that the rotations map to.
    pub(crate) fn rotation_rate(&self, span: Span<DQuat>) -> DVec3 {
        let tangents = Turns::new(span).tangents();
        rotation::left_jacobian(mix(self.value, tangents)) * mix(self.rate, tangents)
    }
}

/// Slopes at both samples, per step.
fn slopes<V: Value>(span: Span<V>) -> [V; 2] {
    let Span {
        left,
        before,
        after,
        right,
    } = span;
    [
        left.map_or(after - before, |left| (after - left) * 0.5),
        right.map_or(after - before, |right| (right - before) * 0.5),
    ]
}

/// Rotation vectors from one sample to the next: into the earlier sample, from that to the later one, and out of that.
#[derive(Clone, Copy)]
pub(crate) struct Turns {
    pub before: Option<DVec3>,
    pub between: DVec3,
    pub after: Option<DVec3>,
}

impl Turns {
    fn new(span: Span<DQuat>) -> Self {
        Self {
            before: span.left.map(|left| rotation::difference(span.before, left)),
            between: rotation::difference(span.after, span.before),
            after: span.right.map(|right| rotation::difference(right, span.after)),
        }
    }

    /// Step from the earlier sample to the later one, and the slopes at both, as vectors at the earlier one.
    fn tangents(self) -> [DVec3; 3] {
        let step = self.between;
        // The vector of a turn is the same in the axes at both its ends.
        let slope = |beside: Option<DVec3>| beside.map_or(step, |turn| (step + turn) * 0.5);
        // At the earlier sample the tangent vector is zero and the Jacobian the identity.
        [
            step,
            slope(self.before),
            rotation::left_jacobian_inverse_times(step, slope(self.after)),
        ]
    }
}

fn mix(weights: [f64; 3], tangents: [DVec3; 3]) -> DVec3 {
    tangents[0] * weights[0] + tangents[1] * weights[1] + tangents[2] * weights[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_match_finite_differences_and_the_slopes_at_the_samples() {
        let v = |i: i32| DVec3::new(0.3 * f64::from(i), 0.1 * f64::from(i * i), -0.2);
        let points = Span {
            left: Some(v(0)),
            before: v(1),
            after: v(3),
            right: Some(v(4)),
        };
        let turns = Span {
            left: Some(rotation::exp(v(0))),
            before: rotation::exp(v(1)),
            after: -rotation::exp(v(3)),
            right: Some(rotation::exp(v(4))),
        };
        let h = 1e-5;
        for u in [0.1, 0.37, 0.5, 0.93] {
            let [low, at, high] = [u - h, u, u + h].map(Hermite::at);
            let rate = (high.point(points) - low.point(points)) / (2.0 * h);
            assert!((at.point_rate(points) - rate).length() < 1e-9);
            let rate = rotation::difference(high.rotation(turns), low.rotation(turns)) / (2.0 * h);
            assert!((at.rotation_rate(turns) - rate).length() < 1e-8);
        }
        let (start, end) = (Hermite::at(0.0), Hermite::at(1.0));
        assert!((start.point_rate(points) - (v(3) - v(0)) / 2.0).length() < 1e-15);
        assert!((end.point_rate(points) - (v(4) - v(1)) / 2.0).length() < 1e-15);
        assert!((end.point(points) - v(3)).length() < 1e-15);
        assert!(rotation::difference(end.rotation(turns), turns.after).length() < 1e-15);
        let spin = (rotation::difference(turns.right.unwrap(), turns.after)
            - rotation::difference(turns.before, turns.after))
            / 2.0;
        assert!((end.rotation_rate(turns) - spin).length() < 1e-14);
    }
}
