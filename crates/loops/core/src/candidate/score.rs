//! Cost of a seam: the area between the two motions that an inertialized jump leaves, and its lower bound.
//!
//! Jumping from one frame to another leaves per axis an offset x (metres) and a rate v (metres per second), which a decay
//! removes; the cost is the integral of the offset's size, metre-seconds. It needs no weights between positions and velocities.
//! Derivation: docs/math/search.md; the area itself: docs/math/transition_cost.md.

use crate::math::decay::{Decay, Displacement};

/// Half-life of the spring that prices a seam, seconds, in the articles' convention (59.7% is left after it).
///
/// Longer ones weigh velocities more: at 0.1 s a gap of 1 m/s costs as much as one of 3.6 cm, at 0.2 s as one of 7.2 cm. From 0.2
/// s on the noise of velocities hides repeats of mixed takes (a run with turns: 0.25 of the cost of random pairs at 0.1 s, 0.31
/// at 0.2 s).
pub const DEFAULT_HALF_LIFE_SECS: f64 = 0.1;

/// The price of a loop's seam: a decay, and the share of the gap that is closed after the start.
///
/// The start closes the share rho forward in time, the end 1 - rho with time reversed, so a seam costs
/// rho D(x, v) + (1 - rho) D(x, -v) per axis. Source: docs/math/search.md, section "What a seam costs".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeamCost {
    displacement: Displacement,
    start_share: f64,
}

impl SeamCost {
    /// A decay on both sides in equal shares.
    pub fn even(decay: Decay) -> Self {
        Self {
            displacement: Displacement::new(decay),
            start_share: 0.5,
        }
    }

    /// The same decay with the share `start_share` closed after the start; shares outside 0 to 1 are clamped, and NaN counts as a
    /// half.
    #[must_use]
    pub fn with_start_share(self, start_share: f64) -> Self {
        let start_share = if start_share.is_nan() { 0.5 } else { start_share };
        Self {
            start_share: start_share.clamp(0.0, 1.0),
            ..self
        }
    }

    /// Share of the gap closed after the start, 0 to 1.
    pub(crate) fn start_share(self) -> f64 {
        self.start_share
    }

    /// Weights a and b of the signed area, see [`Decay::area_weights`].
    ///
    /// They give a lower bound of [`Self::two_sided`]: rho |a x + b v| + (1 - rho) |a x - b v|; for equal shares
    /// max(a |x|, b |v|).
    pub(crate) fn bound_weights(self) -> (f64, f64) {
        self.displacement.decay().area_weights()
    }

    /// Cost of one axis with the gap x (metres) and v (metres per second), metre-seconds.
    pub(crate) fn two_sided(self, x: f64, v: f64) -> f64 {
        let (start, end) = (self.start_share, 1.0 - self.start_share);
        // On one of the two sides the offset moves away from zero first, and never crosses it.
        let (leaving, returning) = if x.is_sign_positive() == v.is_sign_positive() {
            (start, end)
        } else {
            (end, start)
        };
        let (x, v) = (x.abs(), v.abs());
        leaving * self.displacement.signed_area(x, v) + returning * self.displacement.get(x, -v)
    }
}

impl From<Decay> for SeamCost {
    fn from(decay: Decay) -> Self {
        Self::even(decay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_stays_below_and_sides_do_not_matter() {
        for decay in [
            Decay::Spring { half_life_secs: 0.2 },
            Decay::Cubic { blend_secs: 0.4 },
            Decay::Quintic { blend_secs: 0.3 },
        ] {
            for (x, v) in [
                (0.1, 0.4),
                (0.1, -3.0),
                (-0.2, 5.0),
                (0.0, 1.0),
                (0.3, 0.0),
                (1e-9, -40.0),
                (0.0, 0.0),
            ] {
                for share in [0.5, 0.0, 0.3, 1.0] {
                    let cost = SeamCost::even(decay).with_start_share(share);
                    let (a, b) = cost.bound_weights();
                    let bound = share * (a * x + b * v).abs() + (1.0 - share) * (a * x - b * v).abs();
                    assert!(cost.two_sided(x, v) >= bound - 1e-15);
                    assert!((cost.two_sided(x, v) - cost.two_sided(-x, -v)).abs() < 1e-15);
                }
                let even = SeamCost::even(decay);
                assert!((even.two_sided(x, v) - even.two_sided(-x, v)).abs() < 1e-15);
            }
        }
    }
}
