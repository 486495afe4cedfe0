//! What a seam costs: the area between the two motions that an inertialized jump leaves, and its lower bound.
//!
//! Jumping from one frame to another leaves per axis an offset x (metres) and a rate v (metres per second) that a decay takes
//! away; the cost is the integral of the offset's size, metre-seconds. No weights between positions and velocities are
//! needed. Derivation: docs/math/search.md.

use crate::math::ops;

/// Half-life of the spring that prices a seam, seconds, in the articles' convention (59.7% is left after it).
///
/// Longer ones weigh velocities more: at 0.1 s a gap of 1 m/s costs as much as one of 3.6 cm, at 0.2 s as one of 7.2 cm.
/// From 0.2 s on the noise of velocities hides repeats of mixed takes (a run with turns: 0.25 of what random pairs cost at
/// 0.1 s, 0.31 at 0.2 s).
pub const DEFAULT_HALF_LIFE_SECS: f64 = 0.1;

/// How an offset fades after a jump.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decay {
    /// Critically damped spring: (x + (v + x y) t) e^(-y t), without end.
    Spring(SpringCost),
    /// Cubic over a blend time B: (1 - u)^2 (x + (2x + v B) u) with u = t/B, zero from B on.
    Cubic {
        /// Blend time, seconds; positive.
        blend_secs: f64,
    },
    /// Quintic over a blend time B: (1 - u)^3 (x (1 + 3u + 6u^2) + v B u (1 + 3u)) with u = t/B, zero from B on.
    Quintic {
        /// Blend time, seconds; positive.
        blend_secs: f64,
    },
}

impl Decay {
    /// Weights of the signed area under the offset, a x + b v: a in seconds, b in seconds squared.
    ///
    /// Spring 2/y and 1/y^2, cubic B/2 and B^2/12, quintic B/2 and B^2/10.
    pub fn bound_weights(self) -> (f64, f64) {
        match self {
            Self::Spring(spring) => spring.bound_weights(),
            Self::Cubic { blend_secs } => (0.5 * blend_secs, blend_secs * blend_secs / 12.0),
            Self::Quintic { blend_secs } => (0.5 * blend_secs, blend_secs * blend_secs / 10.0),
        }
    }

    /// Total displacement D(x, v): the integral over all time of the size of the decaying offset, metre-seconds.
    pub fn displacement(self, x: f64, v: f64) -> f64 {
        match self {
            Self::Spring(spring) => spring.displacement(x, v),
            Self::Cubic { blend_secs } => {
                let c = v * blend_secs;
                // A straight line times a square: one crossing at most.
                let crossing = -x / (2.0 * x + c);
                let area = |u: f64| {
                    let u2 = u * u;
                    x * (u - u2 * u * (1.0 - 0.5 * u)) + c * u2 * (0.5 - u * (2.0 / 3.0 - 0.25 * u))
                };
                blend_secs * split(area, 0.5 * x + c / 12.0, crossing)
            }
            Self::Quintic { blend_secs } => {
                let c = v * blend_secs;
                let area = |u: f64| {
                    let u2 = u * u;
                    x * (u - u2 * u2 * (2.5 - u * (3.0 - u))) + c * u2 * (0.5 - u2 * (1.5 - u * (1.6 - 0.5 * u)))
                };
                blend_secs * split(area, 0.5 * x + 0.1 * c, quintic_crossing(x, c))
            }
        }
    }
}

/// Area under the size of an offset whose signed area up to u is `area` and up to the end `whole`, zero at `crossing`.
fn split(area: impl Fn(f64) -> f64, whole: f64, crossing: f64) -> f64 {
    // Also false for NaN, which is what no crossing at all looks like.
    if crossing > 0.0 && crossing < 1.0 {
        let before = area(crossing);
        before.abs() + (whole - before).abs()
    } else {
        whole.abs()
    }
}

/// Where x (1 + 3u + 6u^2) + c u (1 + 3u) crosses zero between 0 and 1; NaN where it does not.
///
/// At most once: docs/math/search.md.
fn quintic_crossing(x: f64, c: f64) -> f64 {
    let end = 10.0 * x + 4.0 * c;
    if !((x > 0.0 && end < 0.0) || (x < 0.0 && end > 0.0)) {
        return f64::NAN;
    }
    let (square, linear) = (6.0 * x + 3.0 * c, 3.0 * x + c);
    let root = (linear * linear - 4.0 * square * x).max(0.0).sqrt();
    // Both roots without cancellation: one is q/square, the other x/q.
    let q = -0.5 * (linear + if linear < 0.0 { -root } else { root });
    let far = q / square;
    if far > 0.0 && far < 1.0 { far } else { x / q }
}

/// The price of a loop's seam: a decay, and the share of the gap that is closed after the start.
///
/// The start closes the share rho forward in time, the end 1 - rho with time reversed, so a seam costs
/// rho D(x, v) + (1 - rho) D(x, -v) per axis. Source: docs/math/search.md, section "What a seam costs".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeamCost {
    decay: Decay,
    start_share: f64,
}

impl SeamCost {
    /// A decay on both sides in equal shares.
    pub fn even(decay: Decay) -> Self {
        Self {
            decay,
            start_share: 0.5,
        }
    }

    /// The same decay with the share `start_share` closed after the start; shares outside 0 to 1 count as the nearer of
    /// both, and what is no number as a half.
    #[must_use]
    pub fn with_start_share(self, start_share: f64) -> Self {
        let start_share = if start_share.is_nan() { 0.5 } else { start_share };
        Self {
            start_share: start_share.clamp(0.0, 1.0),
            ..self
        }
    }

    /// Share of the gap closed after the start, 0 to 1.
    pub fn start_share(self) -> f64 {
        self.start_share
    }

    /// Weights of the signed area, see [`Decay::bound_weights`].
    pub fn bound_weights(self) -> (f64, f64) {
        self.decay.bound_weights()
    }

    /// Cost of one axis with the gap x (metres) and v (metres per second), metre-seconds.
    pub fn two_sided(self, x: f64, v: f64) -> f64 {
        let (start, end) = (self.start_share, 1.0 - self.start_share);
        start * self.decay.displacement(x, v) + end * self.decay.displacement(x, -v)
    }

    /// Lower bound of [`Self::two_sided`]: rho |a x + b v| + (1 - rho) |a x - b v| with the weights a and b of the signed
    /// area; for equal shares max(a |x|, b |v|).
    pub fn two_sided_bound(self, x: f64, v: f64) -> f64 {
        let (position, velocity) = self.bound_weights();
        let (position, velocity) = (position * x, velocity * v);
        self.start_share * (position + velocity).abs() + (1.0 - self.start_share) * (position - velocity).abs()
    }
}

impl From<SpringCost> for SeamCost {
    fn from(spring: SpringCost) -> Self {
        Self::even(Decay::Spring(spring))
    }
}

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

    /// Integral of |f| from 0 to `end` by Simpson's rule on a fine grid.
    fn quadrature(f: impl Fn(f64) -> f64, end: f64) -> f64 {
        let steps = 2_000_000;
        let h = end / f64::from(steps);
        let f = |i: i32| f(f64::from(i) * h).abs();
        let mut sum = f(0) + f(steps);
        for i in 1..steps {
            sum += f(i) * if i % 2 == 1 { 4.0 } else { 2.0 };
        }
        sum * h / 3.0
    }

    /// Offset after `t` seconds.
    fn offset(decay: Decay, x: f64, v: f64, t: f64) -> f64 {
        match decay {
            Decay::Spring(SpringCost { y }) => (x + (v + x * y) * t) * ops::exp(-y * t),
            // The tables of the closure shapes, not the factored forms of the docs above.
            Decay::Cubic { blend_secs: b } => {
                let u = t / b;
                x * (1.0 - 3.0 * u * u + 2.0 * u * u * u) + v * b * (u - 2.0 * u * u + u * u * u)
            }
            Decay::Quintic { blend_secs: b } => {
                let u = t / b;
                let (u3, u4, u5) = (u * u * u, u * u * u * u, u * u * u * u * u);
                x * (1.0 - 10.0 * u3 + 15.0 * u4 - 6.0 * u5) + v * b * (u - 6.0 * u3 + 8.0 * u4 - 3.0 * u5)
            }
        }
    }

    #[test]
    fn displacement_equals_quadrature_and_the_bound_stays_below() {
        let spring = SpringCost::from_half_life(0.2);
        let y = spring.y;
        let decays = [
            (Decay::Spring(spring), 60.0 / y),
            (Decay::Cubic { blend_secs: 0.4 }, 0.4),
            (Decay::Quintic { blend_secs: 0.3 }, 0.3),
        ];
        for (decay, end) in decays {
            for (x, v) in [
                (0.1, 0.4),
                (0.1, -3.0),
                (-0.2, 0.7),
                (-0.2, 5.0),
                (0.0, 1.0),
                (0.3, 0.0),
                (0.1, -0.1 * y),
                // The lines on which the crossing of the cubic and of the quintic leaves the blend, and beyond them.
                (0.1, -0.1 * 3.0 / 0.4),
                (0.1, -0.1 * 2.5 / 0.3),
                (0.1, -0.1 * 2.6 / 0.3),
                (0.1, -0.1 * 2.0 / 0.3),
                (1e-9, -40.0),
                (0.0, 0.0),
            ] {
                let exact = decay.displacement(x, v);
                let expected = quadrature(|t| offset(decay, x, v, t), end);
                assert!(
                    (exact - expected).abs() < 1e-9,
                    "{decay:?} {x} {v}: {exact}, {expected}"
                );
                for share in [0.5, 0.0, 0.3, 1.0] {
                    let cost = SeamCost::even(decay).with_start_share(share);
                    assert!(cost.two_sided(x, v) >= cost.two_sided_bound(x, v) - 1e-15);
                    assert!((cost.two_sided(x, v) - cost.two_sided(-x, -v)).abs() < 1e-15);
                }
                let even = SeamCost::even(decay);
                assert!((even.two_sided(x, v) - even.two_sided(-x, v)).abs() < 1e-15);
            }
        }
        // Equal shares are the spring's own cost to the bit.
        assert_eq!(SeamCost::from(spring).two_sided(0.1, -3.0), spring.two_sided(0.1, -3.0));
    }
}
