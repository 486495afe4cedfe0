//! Cost of a seam: the area between the two motions that an inertialized jump leaves, and its lower bound.
//!
//! A jump from one frame to another has a gap x (metres) and v (metres per second) per axis, which a decay removes; the cost is
//! the integral of the offset's size, metre-seconds. It needs no weights between positions and velocities. Derivation:
//! docs/math/search.md; the area itself: docs/math/transition_cost.md.

use crate::math::{Decay, Displacement};

/// Half-life of the spring for the cost of a seam, seconds, in the articles' convention (59.7% is left after it).
///
/// Longer ones weigh velocities more: at 0.1 s a gap of 1 m/s costs as much as one of 3.6 cm, at 0.2 s as one of 7.2 cm. From
/// 0.2 s on the noise of velocities hides repeats of mixed takes (a run with turns: 0.25 of the cost of random pairs at 0.1 s,
/// 0.31 at 0.2 s).
pub const DEFAULT_HALF_LIFE_SECS: f64 = 0.1;

/// The cost of a loop's seam, of which each side closes half.
///
/// The start closes its half forward in time, the end with time reversed, so a seam costs (D(x, v) + D(x, -v)) / 2 per axis.
/// Source: docs/math/search.md, section "What a seam costs", with rho = 1/2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeamCost(Displacement);

impl SeamCost {
    /// Returns the weights a and b of the signed area, see [`Decay::area_weights`].
    ///
    /// They give a lower bound of [`Self::two_sided`]: (|a x + b v| + |a x - b v|) / 2, which is max(a |x|, b |v|).
    pub(crate) fn bound_weights(self) -> (f64, f64) {
        self.0.decay().area_weights()
    }

    /// Returns the cost of one axis with the gap x (metres) and v (metres per second), metre-seconds.
    pub(crate) fn two_sided(self, x: f64, v: f64) -> f64 {
        // On one of the two sides the offset first moves away from zero, and never crosses it.
        let (x, v) = (x.abs(), v.abs());
        0.5 * self.0.signed_area(x, v) + 0.5 * self.0.get(x, -v)
    }
}

impl From<Decay> for SeamCost {
    fn from(decay: Decay) -> Self {
        Self(Displacement::new(decay))
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
                let cost = SeamCost::from(decay);
                let (a, b) = cost.bound_weights();
                let bound = 0.5 * (a * x + b * v).abs() + 0.5 * (a * x - b * v).abs();
                assert!(cost.two_sided(x, v) >= bound - 1e-15);
                assert!((cost.two_sided(x, v) - cost.two_sided(-x, -v)).abs() < 1e-15);
                assert!((cost.two_sided(x, v) - cost.two_sided(-x, v)).abs() < 1e-15);
            }
        }
    }
}
