//! The least closure is the least: no other offset between the same ends has a smaller integral of o^2 + s^6 o'''^2.

use crate::support::Random;
use loopwright_core::{
    closure::{Order, Shape, ShapeKind},
    unstable::boundary::Boundary,
};

/// Blend time of the least closure in units of its s, as its page has it.
const TIMES_PER_BLEND: f64 = 6.0;

/// Intervals over which integrals are summed.
const NUM_INTERVALS: usize = 4000;

/// Conditions o(0), o(T), o'(0), o'(T), o''(0), o''(T) of size 1 in units of this time.
fn conditions(random: &mut Random, unit_secs: f64) -> [f64; 6] {
    core::array::from_fn(|i| random.within(-1.0, 1.0) / libm::pow(unit_secs, (i / 2) as f64))
}

/// An offset over a period as samples of its value and its third derivative, in the middle of each interval.
struct Sampled(Vec<[f64; 2]>);

impl Sampled {
    /// Creates the closure by a shape. The third derivative is the difference of the second.
    fn closure(shape: Shape, period: f64, conditions: &[f64; 6]) -> Self {
        let boundary = Boundary::new(shape, shape, period, Order::C2).unwrap();
        let step = period / NUM_INTERVALS as f64;
        let sum = |weights: [f64; 6]| weights.iter().zip(conditions).map(|(w, c)| w * c).sum::<f64>();
        let at = |i: f64| boundary.weights(i * step);
        let sample = |i: usize| {
            let i = i as f64;
            let third = (sum(at(i + 1.0).acceleration) - sum(at(i).acceleration)) / step;
            [sum(at(i + 0.5).value), third]
        };
        Self((0..NUM_INTERVALS).map(sample).collect())
    }

    /// (u (1 - u))^3 cos(k pi u) with u = t/T: it vanishes with two derivatives at both ends.
    fn vanishing(period: f64, k: usize, size: f64) -> Self {
        let rate = core::f64::consts::PI * k as f64;
        let sample = |i: usize| {
            let u = (i as f64 + 0.5) / NUM_INTERVALS as f64;
            // (u - u^2)^3 and its derivatives, and those of the cosine; the third of the product by Leibniz.
            let (v, v1) = (u - u * u, 1.0 - 2.0 * u);
            let hump = [
                v * v * v,
                3.0 * v * v * v1,
                6.0 * v * v1 * v1 - 6.0 * v * v,
                6.0 * v1 * v1 * v1 - 36.0 * v * v1,
            ];
            let (sin, cos) = libm::sincos(rate * u);
            let wave = [cos, -rate * sin, -rate * rate * cos, rate * rate * rate * sin];
            let third = hump[0] * wave[3] + 3.0 * hump[1] * wave[2] + 3.0 * hump[2] * wave[1] + hump[3] * wave[0];
            [size * hump[0] * wave[0], size * third / (period * period * period)]
        };
        Self((0..NUM_INTERVALS).map(sample).collect())
    }

    fn plus(&self, other: &Self, factor: f64) -> Self {
        let sum = |(a, b): (&[f64; 2], &[f64; 2])| [a[0] + factor * b[0], a[1] + factor * b[1]];
        Self(self.0.iter().zip(&other.0).map(sum).collect())
    }

    /// Returns the integral of o^2 + s^6 o'''^2 over the period, over the period.
    fn integral(&self, s: f64) -> f64 {
        let weight = libm::pow(s, 6.0);
        let sum: f64 = self.0.iter().map(|[o, third]| o * o + weight * third * third).sum();
        sum / NUM_INTERVALS as f64
    }
}

#[test]
fn the_least_closure_has_the_smallest_integral() {
    let mut random = Random::new(20_021_978, 1);
    for case in 0..60 {
        let period = libm::exp(random.within(-2.0, 2.0));
        // Up to three times as long as a loop permits: the two ends then share the whole period.
        let blend_secs = random.within(0.2, [1.0, 3.0][case % 2]) * period;
        let s = blend_secs / TIMES_PER_BLEND;
        let conditions = conditions(&mut random, blend_secs.min(period) / 3.0);
        let least = Sampled::closure(Shape::new(ShapeKind::Least, blend_secs), period, &conditions);
        let smallest = least.integral(s);
        for share in [0.2, 0.4, 0.6, 0.8, 1.0] {
            let quintic = Shape::new(ShapeKind::Quintic, share * period);
            let other = Sampled::closure(quintic, period, &conditions).integral(s);
            assert!(other > smallest, "case {case}: {smallest} above {other} of {quintic:?}");
        }
        for k in 0..8 {
            let bump = Sampled::vanishing(period, k, random.within(1.0, 64.0));
            let own = bump.integral(s);
            for factor in [-1.0, -1e-2, 1e-2, 1.0] {
                let other = least.plus(&bump, factor).integral(s);
                assert!(other > smallest, "case {case}, {k}: {smallest} above {other}");
                // It is a minimum, not a slope: what is added is the integral of the bump alone.
                let slope = (other - smallest) / factor - factor * own;
                assert!(
                    slope.abs() < 1e-5 * (own * smallest).sqrt(),
                    "case {case}, {k}: slope {slope} of {own} and {smallest}"
                );
            }
        }
    }
}
