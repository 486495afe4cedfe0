//! Least: the smallest offset o that meets the conditions, by the integral of o^2 + s^6 o'''^2 over the period, s = B/6. Like
//! the spring it never ends; the boundary system takes its tail into account.

use super::{Parameter, ShapeDescriptor};
use crate::{
    closure::Order,
    math::{Fading, Jet, ops},
};

pub(super) const DESCRIPTOR: ShapeDescriptor = ShapeDescriptor {
    name: "least",
    help: "Closes the same with least offset and jerk",
    order: Order::C2,
    ends: false,
    follows_the_track: false,
    parameters: &[Parameter {
        default: Some(DEFAULT_SECS),
        ..Parameter::BLEND
    }],
    fading: |values, t, _| fading(values.secs() / TIMES_PER_BLEND, t),
};

/// Default blend time, seconds: less than 5% of a resting offset is left after it.
///
/// Measured on 514 cuts: seams rank 48.3, those of the default quintic 48.6; at 0.4 s they rank 51.5.
const DEFAULT_SECS: f64 = 0.55;

/// Blend time in units of the time s.
///
/// After 6 units a resting offset is at -4.8%, and nothing later is larger. With fewer units more remains at the end of the
/// blend, 8.1% after 5. With more, the longest blend of a short loop is sharper.
pub(in crate::closure) const TIMES_PER_BLEND: f64 = 6.0;

/// Returns the solutions of o = s^6 o'''''' that fade with t: mixtures of e^-x and of e^(-x/2) times the cosine and sine of
/// sqrt(3)/2 x, x = t/s.
///
/// The derivatives of p, q and r in x are -r, p - 2r and q - 2r. Source: docs/math/shapes.md.
fn fading(s: f64, t: f64) -> Fading {
    let x = t / s;
    if x > END {
        return Fading {
            acceleration: Some(Jet::default()),
            ..Fading::default()
        };
    }
    let (single, pair) = (ops::exp(-x), ops::exp(-0.5 * x));
    let (sin, cos) = ops::sin_cos(0.5 * SQRT_3 * x);
    let [p, q, r] = [
        single + 2.0 / SQRT_3 * pair * sin,
        single - pair * (cos - SQRT_3 * sin),
        single - pair * (cos - sin / SQRT_3),
    ];
    // Each in its own power of a second.
    let jet = |scale: f64, [value, rate, acceleration]: [f64; 3]| {
        Jet::new(scale * value, scale * rate / s, scale * acceleration / (s * s))
    };
    Fading {
        position: jet(1.0, [p, -r, 2.0 * r - q]),
        velocity: jet(s, [q, p - 2.0 * r, 3.0 * r - 2.0 * q]),
        acceleration: Some(jet(s * s, [r, q - 2.0 * r, p - 2.0 * q + 2.0 * r])),
    }
}

/// Beyond this, in units of s, the solutions are below the smallest number; farther out x may be infinite.
const END: f64 = 1500.0;

/// The square root of 3.
const SQRT_3: f64 = 1.732_050_807_568_877_2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_of_a_least_closure_is_left_after_its_blend() {
        let share = |units: f64| fading(0.5 / TIMES_PER_BLEND, 0.5 * units / 6.0).position.value;
        // The first swing to the other side is the largest, and is nearly over when the blend is.
        let largest = (0..400).map(|i| share(0.02 * f64::from(i))).fold(0.0, f64::min);
        assert!((largest + 0.0815).abs() < 1e-3, "{largest}");
        assert!((share(6.0) + 0.048).abs() < 1e-3, "{}", share(6.0));
        for i in 0..4000 {
            let later = share(6.0 + 0.01 * f64::from(i));
            assert!(later.abs() < 0.05, "{i} {later}");
        }
        let gone = fading(1e-200, 1.0);
        for jet in [gone.position, gone.velocity, gone.acceleration.unwrap()] {
            assert_eq!((jet.value, jet.rate), (0.0, 0.0));
        }
    }
}
