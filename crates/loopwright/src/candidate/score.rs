//! What a seam costs: the area between the two motions that an inertialized jump leaves, and its lower bound.
//!
//! Jumping from one frame to another leaves per axis an offset x (metres) and a rate v (metres per second) that a critically
//! damped spring takes away; the cost is the integral of the offset's size, metre-seconds. No weights between positions and
//! velocities are needed. Derivation: docs/math/search.md.

use crate::math::ops;

/// Half-life of the spring that prices a seam, seconds, in the articles' convention (59.7% is left after it).
///
/// Longer ones weigh velocities more: at 0.1 s a gap of 1 m/s costs as much as one of 3.6 cm, at 0.2 s as one of 7.2 cm.
/// From 0.2 s on the noise of velocities hides repeats of mixed takes (a run with turns: 0.25 of what random pairs cost at
/// 0.1 s, 0.31 at 0.2 s).
pub const DEFAULT_HALF_LIFE_SECS: f64 = 0.1;

/// A critically damped spring as the measure of seams.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringCost {
    y: f64,
}

impl SpringCost {
    /// The spring of that half-life, which must be positive (seconds); y = 2 ln2 / h.
    pub fn from_half_life(half_life_secs: f64) -> Self {
        Self {
            y: 2.0 * core::f64::consts::LN_2 / half_life_secs,
        }
    }

    /// Weights that turn a position gap and a velocity gap into the lower bound: 2/y (seconds) and 1/y^2 (seconds squared).
    pub fn bound_weights(self) -> (f64, f64) {
        (2.0 / self.y, 1.0 / (self.y * self.y))
    }

    /// Total displacement D(x, v): the integral over all time of the size of the decaying offset, metre-seconds.
    pub fn displacement(self, x: f64, v: f64) -> f64 {
        let y = self.y;
        let whole = (2.0 * x * y + v) / (y * y);
        // The offset crosses zero once if at all; beyond the crossing its area counts with the other sign.
        let rate = v + x * y;
        let crossing = -x / rate;
        if rate == 0.0 || !crossing.is_finite() || crossing <= 0.0 {
            return whole.abs();
        }
        let after = ops::exp(-y * crossing) / (y * y) * (crossing * v * y + x * y * (crossing * y + 2.0) + v);
        (whole - after).abs() + after.abs()
    }

    /// Cost of closing a seam from both sides in equal shares: (D(x, v) + D(x, -v)) / 2.
    pub fn two_sided(self, x: f64, v: f64) -> f64 {
        0.5 * (self.displacement(x, v) + self.displacement(x, -v))
    }

    /// Lower bound of [`Self::two_sided`]: max(2|x|/y, |v|/y^2).
    pub fn two_sided_bound(self, x: f64, v: f64) -> f64 {
        let (position, velocity) = self.bound_weights();
        (position * x.abs()).max(velocity * v.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Integral of |(x + (v + xy) t) e^(-yt)| by Simpson's rule on a fine grid.
    fn quadrature(y: f64, x: f64, v: f64) -> f64 {
        let (end, steps) = (60.0 / y, 2_000_000);
        let h = end / f64::from(steps);
        let f = |i: i32| {
            let t = f64::from(i) * h;
            ((x + (v + x * y) * t) * ops::exp(-y * t)).abs()
        };
        let mut sum = f(0) + f(steps);
        for i in 1..steps {
            sum += f(i) * if i % 2 == 1 { 4.0 } else { 2.0 };
        }
        sum * h / 3.0
    }

    #[test]
    fn displacement_equals_quadrature_and_the_bound_stays_below() {
        let cost = SpringCost::from_half_life(0.2);
        let y = cost.y;
        for (x, v) in [
            (0.1, 0.4),
            (0.1, -3.0),
            (-0.2, 0.7),
            (0.0, 1.0),
            (0.3, 0.0),
            (0.1, -0.1 * y),
            (0.0, 0.0),
        ] {
            let exact = cost.displacement(x, v);
            assert!((exact - quadrature(y, x, v)).abs() < 1e-9, "{x} {v}");
            assert!(cost.two_sided(x, v) >= cost.two_sided_bound(x, v) - 1e-15);
            assert!((cost.two_sided(x, v) - cost.two_sided(-x, v)).abs() < 1e-15);
        }
    }
}
