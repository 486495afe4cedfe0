//! Soft fade: the pose fades linearly over the duration and levels off softly, the velocity like a cubic.

use super::{Parameter, ShapeDescriptor, ShapeKey, cubic};
use crate::{
    closure::Order,
    math::{Jet, ops},
    unit::Unit,
};

/// Default time and hardness: those of the article.
const DURATION_SECS: f64 = 0.4;
const HARDNESS: f64 = 16.0;

/// Lowest hardness: below it the fade hardly leaves its start value. 0.5 is nearly straight, 16 nearly a corner.
const SOFTEST: f64 = 0.5;

pub(super) const DESCRIPTOR: ShapeDescriptor = ShapeDescriptor {
    name: "softfade",
    help: "Spreads the pose gap with a soft bend",
    order: Order::C1,
    ends: false,
    follows_the_track: false,
    parameters: &[
        // Time after which an infinitely hard fade would be zero: twice the time of its middle.
        Parameter {
            noun: "duration",
            label: "Duration",
            default: Some(DURATION_SECS),
            fitted: |secs, period| secs.min(2.0 * period.secs),
            ..Parameter::BLEND
        },
        Parameter {
            key: ShapeKey::VelocityBlend,
            noun: "velocity's blend",
            // It cancels the fade's own slope, 2/D, and over a time B overshoots by 0.3 B/D of the gap: by all of it at most.
            fitted: |secs, period| secs.min(period.secs).min(3.0 * period.lead_secs),
            ..Parameter::BLEND_OF_VELOCITY
        },
        Parameter {
            key: ShapeKey::Hardness,
            noun: "hardness",
            label: "Hardness",
            unit: Unit::Number,
            range: SOFTEST..=50.0,
            default: Some(HARDNESS),
            fitted: |hardness, _| hardness.max(SOFTEST),
        },
    ],
    fading: |values, t, _| {
        cubic::with_its_velocity(
            fade(values.secs(), values.number(ShapeKey::Hardness), t),
            values.number(ShapeKey::VelocityBlend),
            t,
        )
    },
};

/// softplus(k (1 - 2t/D)) / k with its derivatives, for any hardness k and time t without overflow.
///
/// softplus(z) = max(z, 0) + ln(1 + e^-|z|), its derivative the logistic function. Source: docs/math/softfade.md.
fn fade(duration_secs: f64, hardness: f64, t: f64) -> Jet {
    let slope = -2.0 / duration_secs;
    let z = hardness * (1.0 + slope * t);
    let small = ops::exp(-z.abs());
    let logistic = if z >= 0.0 {
        1.0 / (1.0 + small)
    } else {
        small / (1.0 + small)
    };
    Jet {
        value: (z.max(0.0) + ops::ln_1p(small)) / hardness,
        rate: slope * logistic,
        // The derivative of the logistic function is even, e^-|z| / (1 + e^-|z|)^2.
        acceleration: slope * slope * hardness * small / ((1.0 + small) * (1.0 + small)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soft_fades_of_any_hardness_stay_finite_and_start_as_derived() {
        for hardness in [0.5, 3.0, 89.0, 1e6, 1e300] {
            for t in [0.0, 1e-9, 0.1, 0.125, 0.25, 10.0, 1e12] {
                let at = fade(0.25, hardness, t);
                assert!(
                    at.value.is_finite() && at.rate.is_finite() && at.acceleration.is_finite(),
                    "{hardness} {t}"
                );
                assert!(at.value >= 0.0 && at.rate <= 0.0 && at.acceleration >= 0.0);
            }
            let at = fade(0.25, hardness, 0.0);
            let expected = 1.0 + libm::log1p(libm::exp(-hardness)) / hardness;
            assert!((at.value - expected).abs() < 1e-15);
            // g(k) / D with g(k) = -2 / (1 + e^-k).
            assert!((at.rate + 2.0 / (1.0 + libm::exp(-hardness)) / 0.25).abs() < 1e-12);
        }
    }
}
