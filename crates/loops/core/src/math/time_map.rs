//! A map of time around a cycle: C2, through given moments, of least bend. Derivation: docs/math/time.md.
//!
//! At share S of the new cycle it shows share phi(S) = S + delta(S) of the old one; delta is the periodic cubic spline through the
//! given differences, which has the least integral of phi''^2. Source: de Boor, A Practical Guide to Splines, 1978, chapter V.

use super::spline::{Place, Spline};

/// Number of cycles on either side whose moments are included: the influence of the ends of a natural spline falls by 2 - sqrt(3) per
/// moment.
const CYCLES_AROUND: i32 = 30;

/// Shares of the cycle at which its rate is measured.
const RATES: u32 = 512;

/// A map of time around a cycle.
pub(crate) struct TimeMap {
    shares: Vec<f64>,
    differences: Spline<f64>,
}

impl TimeMap {
    /// Creates the map through pairs of a new share and the old share shown there, at least one, in the order of the new ones, which are
    /// distinct and lie in one cycle.
    pub(crate) fn through(moments: &[[f64; 2]]) -> Self {
        let (shares, differences): (Vec<_>, _) = (-CYCLES_AROUND..=CYCLES_AROUND)
            .map(f64::from)
            .flat_map(|cycle| moments.iter().map(move |&[new, old]| (new + cycle, old - new)))
            .unzip();
        Self {
            differences: Spline::new(&shares, differences),
            shares,
        }
    }

    /// Returns the old share shown at a new one, up to [`CYCLES_AROUND`] away.
    pub(crate) fn at(&self, share: f64) -> f64 {
        share + self.differences.at(Place::find(&self.shares, share))
    }

    /// Returns the least and the greatest of its slopes.
    pub(crate) fn rates(&self) -> [f64; 2] {
        let step = 1.0 / f64::from(RATES);
        (0..RATES)
            .map(|index| {
                let [from, to] = [0, 1].map(|off| self.at(f64::from(index + off) * step));
                (to - from) / step
            })
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], rate| {
                [least.min(rate), most.max(rate)]
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For two moments half a cycle apart, shifted by c, the spline is known: cubics of slope 1 +- 6 c at their middles.
    #[test]
    fn two_shifted_moments_give_the_known_cubics() {
        for shift in [0.0, 0.01, -0.04] {
            let map = TimeMap::through(&[[0.25, 0.25 + shift], [0.75, 0.75 - shift]]);
            for index in 0..=200 {
                let share = f64::from(index) / 100.0;
                // From one moment to the next, u from 0 to 1: shift (1 - 6 u^2 + 4 u^3).
                let half = (share - 0.25).rem_euclid(1.0) * 2.0;
                let (sign, u) = if half < 1.0 { (1.0, half) } else { (-1.0, half - 1.0) };
                let known = share + shift * sign * (1.0 - 6.0 * u * u + 4.0 * u * u * u);
                assert!((map.at(share) - known).abs() < 1e-12, "{share}");
                assert!((map.at(share + 1.0) - map.at(share) - 1.0).abs() < 1e-12);
            }
            let [least, most] = map.rates();
            let bend = 6.0 * f64::abs(shift);
            assert!(
                (1.0 - bend - least).abs() < 1e-4 && (1.0 + bend - most).abs() < 1e-4,
                "{least} {most}"
            );
        }
    }
}
