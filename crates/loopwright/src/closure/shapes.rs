//! Shapes of decay: how an offset at one end of a clip fades towards the other.
//!
//! Each shape has up to three decays over the time t since its end: one of the position, which starts near 1, one of the
//! velocity, which starts at 0 with a slope of 1, and, for C2, one of the acceleration, which starts flat with a second
//! derivative of 1. None of that is required: [`super::boundary`] solves for the mixture, so a shape with another start value, a
//! slope, or a tail at the far end closes just as exactly. Formulas: docs/math/shapes.md.

use crate::math::{
    decay::{Decay, Fading, Jet},
    ops,
};

/// How an offset fades.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub enum Shape {
    /// Fifth-degree polynomials over the blend time, exactly zero after it; C2.
    Quintic {
        /// Blend time, seconds.
        blend_secs: f64,
    },
    /// Third-degree polynomials over the blend time, exactly zero after it; C1.
    Cubic {
        /// Blend time, seconds.
        blend_secs: f64,
    },
    /// Critically damped spring; C1. Its tail never ends; the boundary system takes it into account.
    Spring {
        /// Half-life in the articles' convention, seconds: y = 2 ln2 / h. A resting offset falls to 59.7% after it; half of it is
        /// left after 1.2107 half-lives.
        half_life_secs: f64,
    },
    /// Critically damped springs, one for the pose and one for the velocity; C1.
    TwoSprings {
        /// Half-life of the pose, seconds, in the convention of [`Self::Spring`].
        half_life_secs: f64,
        /// Half-life of the velocity, seconds.
        velocity_half_life_secs: f64,
    },
    /// The least of all offsets o that meet the conditions: the integral of o^2 + s^6 o'''^2 over the period, s = B/6, is the
    /// smallest; C2. Like the spring it never ends; the boundary system takes its tail into account.
    Least {
        /// Blend time B, seconds: after it less than 5% of a resting offset is left.
        blend_secs: f64,
    },
    /// The pose fades linearly over the whole clip, the velocity like a cubic; C1.
    Linear {
        /// Blend time of the velocity, seconds.
        blend_secs: f64,
    },
    /// The pose fades linearly over the duration and levels off softly, the velocity like a cubic; C1.
    SoftFade {
        /// Time after which an infinitely hard fade would be zero, seconds: twice the time of its middle.
        duration_secs: f64,
        /// How sharply it levels off; 0.5 is nearly straight, 16 nearly a corner.
        hardness: f64,
        /// Blend time of the velocity, seconds.
        blend_secs: f64,
    },
    /// The pose fades while the joint itself moves, in proportion to its progress; for a joint without motion it fades linearly.
    /// The velocity fades like a cubic; C1.
    Adjustment {
        /// Blend time of the velocity, seconds.
        blend_secs: f64,
    },
}

/// Blend time of the least closure in units of its time s.
///
/// After 6 units a resting offset is at -4.8%, and nothing later is larger. With fewer units more is left when the blend is over, 8.1%
/// after 5. With more, the longest blend that a short loop allows bends more sharply.
const LEAST_TIMES_PER_BLEND: f64 = 6.0;

/// Lowest hardness of a soft fade: below it the fade hardly leaves its start value.
pub(crate) const SOFTEST: f64 = 0.5;

impl From<Decay> for Shape {
    fn from(decay: Decay) -> Self {
        match decay {
            Decay::Quintic { blend_secs } => Self::Quintic { blend_secs },
            Decay::Cubic { blend_secs } => Self::Cubic { blend_secs },
            Decay::Spring { half_life_secs } => Self::Spring { half_life_secs },
        }
    }
}

impl Shape {
    /// The times of the shape, seconds, the leading one first: blend time, half-life or duration; then the velocity's own.
    pub fn times(self) -> [Option<f64>; 2] {
        match self {
            Self::Quintic { blend_secs }
            | Self::Cubic { blend_secs }
            | Self::Least { blend_secs }
            | Self::Linear { blend_secs }
            | Self::Adjustment { blend_secs } => [Some(blend_secs), None],
            Self::Spring { half_life_secs } => [Some(half_life_secs), None],
            Self::TwoSprings {
                half_life_secs,
                velocity_half_life_secs,
            } => [Some(half_life_secs), Some(velocity_half_life_secs)],
            Self::SoftFade {
                duration_secs,
                blend_secs,
                ..
            } => [Some(duration_secs), Some(blend_secs)],
        }
    }

    /// The leading time of the shape, seconds: blend time, half-life or duration.
    pub fn secs(self) -> f64 {
        match self {
            Self::Quintic { blend_secs }
            | Self::Cubic { blend_secs }
            | Self::Least { blend_secs }
            | Self::Linear { blend_secs }
            | Self::Adjustment { blend_secs } => blend_secs,
            Self::Spring { half_life_secs } | Self::TwoSprings { half_life_secs, .. } => half_life_secs,
            Self::SoftFade { duration_secs, .. } => duration_secs,
        }
    }

    /// How sharply a soft fade levels off; `None` for the other shapes.
    pub fn hardness(self) -> Option<f64> {
        match self {
            Self::SoftFade { hardness, .. } => Some(hardness),
            _ => None,
        }
    }

    /// The shape fitted to a period: shortened where it is too long, hardened where it is too soft.
    ///
    /// A blend ends within the period, a half-life fits twice, a duration is at most two periods. Longer ones still meet the
    /// boundary conditions, but change the far end as much as their own. The velocity's blend of a soft fade lasts no longer than
    /// the fade: it cancels the fade's own slope, 2/D, and over a time B overshoots by 0.3 B/D of the gap.
    pub fn fitted(self, period_secs: f64) -> Self {
        match self {
            Self::Quintic { blend_secs } => Self::Quintic {
                blend_secs: blend_secs.min(period_secs),
            },
            Self::Cubic { blend_secs } => Self::Cubic {
                blend_secs: blend_secs.min(period_secs),
            },
            Self::Spring { half_life_secs } => Self::Spring {
                half_life_secs: half_life_secs.min(0.5 * period_secs),
            },
            Self::TwoSprings {
                half_life_secs,
                velocity_half_life_secs,
            } => Self::TwoSprings {
                half_life_secs: half_life_secs.min(0.5 * period_secs),
                velocity_half_life_secs: velocity_half_life_secs.min(0.5 * period_secs),
            },
            Self::Least { blend_secs } => Self::Least {
                blend_secs: blend_secs.min(period_secs),
            },
            Self::Linear { blend_secs } => Self::Linear {
                blend_secs: blend_secs.min(period_secs),
            },
            Self::SoftFade {
                duration_secs,
                hardness,
                blend_secs,
            } => {
                let duration_secs = duration_secs.min(2.0 * period_secs);
                Self::SoftFade {
                    duration_secs,
                    hardness: hardness.max(SOFTEST),
                    blend_secs: blend_secs.min(period_secs).min(duration_secs),
                }
            }
            Self::Adjustment { blend_secs } => Self::Adjustment {
                blend_secs: blend_secs.min(period_secs),
            },
        }
    }

    /// Whether the shape can carry an acceleration.
    pub fn is_c2(self) -> bool {
        matches!(self, Self::Quintic { .. } | Self::Least { .. })
    }

    /// Whether the fade follows the track's own progress.
    pub(crate) fn follows_the_track(self) -> bool {
        matches!(self, Self::Adjustment { .. })
    }

    /// The shape as a decay; `None` for shapes that only the seam of a clip can have.
    pub fn decay(self) -> Option<Decay> {
        match self {
            Self::Quintic { blend_secs } => Some(Decay::Quintic { blend_secs }),
            Self::Cubic { blend_secs } => Some(Decay::Cubic { blend_secs }),
            Self::Spring { half_life_secs } => Some(Decay::Spring { half_life_secs }),
            Self::TwoSprings { .. }
            | Self::Least { .. }
            | Self::Linear { .. }
            | Self::SoftFade { .. }
            | Self::Adjustment { .. } => None,
        }
    }

    /// How offsets of unit size fade `t` seconds after the shape's own end of the clip, t at least 0.
    ///
    /// `left` is the remaining share, with which the shapes that last the whole clip fade: of the time, or of the track's own
    /// path for [`Self::Adjustment`]. Source: docs/math/shapes.md.
    pub fn fading(self, t: f64, left: Jet) -> Fading {
        let with_velocity_of_cubic = |position: Jet, blend_secs: f64| Fading {
            position,
            ..Decay::Cubic { blend_secs }.at(t)
        };
        match self {
            Self::Quintic { blend_secs } => Decay::Quintic { blend_secs }.at(t),
            Self::Cubic { blend_secs } => Decay::Cubic { blend_secs }.at(t),
            Self::Spring { half_life_secs } => Decay::Spring { half_life_secs }.at(t),
            Self::TwoSprings {
                half_life_secs,
                velocity_half_life_secs,
            } => Fading {
                velocity: Decay::Spring {
                    half_life_secs: velocity_half_life_secs,
                }
                .at(t)
                .velocity,
                ..Decay::Spring { half_life_secs }.at(t)
            },
            Self::Least { blend_secs } => least(blend_secs / LEAST_TIMES_PER_BLEND, t),
            Self::Linear { blend_secs } | Self::Adjustment { blend_secs } => with_velocity_of_cubic(left, blend_secs),
            Self::SoftFade {
                duration_secs,
                hardness,
                blend_secs,
            } => with_velocity_of_cubic(soft_fade(duration_secs, hardness, t), blend_secs),
        }
    }
}

/// The solutions of o = s^6 o'''''' that fade with t: mixtures of e^-x and of e^(-x/2) times the cosine and sine of sqrt(3)/2 x,
/// x = t/s.
///
/// The derivatives of p, q and r in x are -r, p - 2r and q - 2r. Source: docs/math/shapes.md.
fn least(s: f64, t: f64) -> Fading {
    let x = t / s;
    if x > LEAST_END {
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
    let jet = |scale: f64, [value, rate, acceleration]: [f64; 3]| Jet {
        value: scale * value,
        rate: scale * rate / s,
        acceleration: scale * acceleration / (s * s),
    };
    Fading {
        position: jet(1.0, [p, -r, 2.0 * r - q]),
        velocity: jet(s, [q, p - 2.0 * r, 3.0 * r - 2.0 * q]),
        acceleration: Some(jet(s * s, [r, q - 2.0 * r, p - 2.0 * q + 2.0 * r])),
    }
}

/// Where the solutions are below the smallest number, in units of s; further out x may be infinite.
const LEAST_END: f64 = 1500.0;

/// The square root of 3.
const SQRT_3: f64 = 1.732_050_807_568_877_2;

/// softplus(k (1 - 2t/D)) / k with its derivatives, for any hardness k and time t without overflow.
///
/// softplus(z) = max(z, 0) + ln(1 + e^-|z|), its derivative the logistic function. Source: docs/math/softfade.md.
fn soft_fade(duration_secs: f64, hardness: f64, t: f64) -> Jet {
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

    const SHAPES: [Shape; 8] = [
        Shape::Quintic { blend_secs: 0.4 },
        Shape::Cubic { blend_secs: 0.3 },
        Shape::Spring { half_life_secs: 0.1 },
        Shape::Least { blend_secs: 0.5 },
        Shape::Linear { blend_secs: 0.3 },
        Shape::SoftFade {
            duration_secs: 0.31,
            hardness: 3.0,
            blend_secs: 0.3,
        },
        Shape::Adjustment { blend_secs: 0.3 },
        Shape::TwoSprings {
            half_life_secs: 0.1,
            velocity_half_life_secs: 0.03,
        },
    ];

    /// The fading at a time in a clip of 0.6 s.
    fn fading(shape: Shape, t: f64) -> Fading {
        let left = Jet {
            value: 1.0 - t / 0.6,
            rate: -1.0 / 0.6,
            acceleration: 0.0,
        };
        shape.fading(t, left)
    }

    fn jets(fading: Fading) -> impl Iterator<Item = Jet> {
        [Some(fading.position), Some(fading.velocity), fading.acceleration]
            .into_iter()
            .flatten()
    }

    #[test]
    fn each_decay_starts_with_its_own_derivative_only() {
        for shape in SHAPES[..4].iter().chain(&SHAPES[7..]) {
            let at = fading(*shape, 0.0);
            assert_eq!((at.position.value, at.position.rate), (1.0, 0.0));
            assert_eq!((at.velocity.value, at.velocity.rate), (0.0, 1.0));
            assert_eq!(at.acceleration.is_some(), shape.is_c2());
            if let Some(acceleration) = at.acceleration {
                assert_eq!((at.position.acceleration, at.velocity.acceleration), (0.0, 0.0));
                assert_eq!((acceleration.value, acceleration.rate), (0.0, 0.0));
                assert!((acceleration.acceleration - 1.0).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn derivatives_match_finite_differences() {
        let step = 1e-4;
        for shape in SHAPES {
            for i in 1..28 {
                let t = 0.01 * f64::from(i);
                let [before, at, after] = [t - step, t, t + step].map(|t| fading(shape, t));
                for ((before, at), after) in jets(before).zip(jets(at)).zip(jets(after)) {
                    let rate = (after.value - before.value) / (2.0 * step);
                    let acceleration = (after.rate - before.rate) / (2.0 * step);
                    assert!((at.rate - rate).abs() < 1e-4 * (1.0 + rate.abs()), "{shape:?} {t}");
                    assert!(
                        (at.acceleration - acceleration).abs() < 1e-4 * (1.0 + acceleration.abs()),
                        "{shape:?} {t}"
                    );
                }
            }
        }
    }

    #[test]
    fn blends_end_on_time() {
        for shape in [SHAPES[0], SHAPES[1]] {
            for t in [shape.secs(), 2.0 * shape.secs()] {
                for jet in jets(fading(shape, t)) {
                    assert_eq!((jet.value, jet.rate), (0.0, 0.0));
                    assert!(!shape.is_c2() || jet.acceleration == 0.0);
                }
            }
        }
        // The cubic's second derivative jumps there; a blend as long as the clip ends inside it.
        let [at, after] = [0.3, 0.3001].map(|t| fading(SHAPES[1], t).position.acceleration);
        assert!((at - 6.0 / 0.09).abs() < 1e-12 && after == 0.0);
    }

    #[test]
    fn the_half_life_is_the_articles() {
        let spring = SHAPES[2];
        assert!((fading(spring, 0.1).position.value - 0.5966).abs() < 1e-4);
        assert!((fading(spring, 0.12107).position.value - 0.5).abs() < 1e-4);
    }

    #[test]
    fn little_of_a_least_closure_is_left_after_its_blend() {
        let share = |units: f64| fading(SHAPES[3], 0.5 * units / 6.0).position.value;
        // The first swing to the other side is the largest, and is nearly over when the blend is.
        let largest = (0..400).map(|i| share(0.02 * f64::from(i))).fold(0.0, f64::min);
        assert!((largest + 0.0815).abs() < 1e-3, "{largest}");
        assert!((share(6.0) + 0.048).abs() < 1e-3, "{}", share(6.0));
        for i in 0..4000 {
            let later = share(6.0 + 0.01 * f64::from(i));
            assert!(later.abs() < 0.05, "{i} {later}");
        }
        let gone = least(1e-200, 1.0);
        assert_eq!(jets(gone).map(|jet| jet.value.abs() + jet.rate.abs()).sum::<f64>(), 0.0);
    }

    #[test]
    fn soft_fades_of_any_hardness_stay_finite_and_start_as_derived() {
        for hardness in [0.5, 3.0, 89.0, 1e6, 1e300] {
            for t in [0.0, 1e-9, 0.1, 0.125, 0.25, 10.0, 1e12] {
                let at = soft_fade(0.25, hardness, t);
                assert!(
                    at.value.is_finite() && at.rate.is_finite() && at.acceleration.is_finite(),
                    "{hardness} {t}"
                );
                assert!(at.value >= 0.0 && at.rate <= 0.0 && at.acceleration >= 0.0);
            }
            let at = soft_fade(0.25, hardness, 0.0);
            let expected = 1.0 + libm::log1p(libm::exp(-hardness)) / hardness;
            assert!((at.value - expected).abs() < 1e-15);
            // g(k) / D with g(k) = -2 / (1 + e^-k).
            assert!((at.rate + 2.0 / (1.0 + libm::exp(-hardness)) / 0.25).abs() < 1e-12);
        }
    }

    #[test]
    fn too_long_or_too_soft_shapes_are_fitted() {
        let soft = Shape::SoftFade {
            duration_secs: 5.0,
            hardness: 0.1,
            blend_secs: 3.0,
        };
        let fitted = Shape::SoftFade {
            duration_secs: 2.0,
            hardness: SOFTEST,
            blend_secs: 1.0,
        };
        assert_eq!(soft.fitted(1.0), fitted);
        assert_eq!(fitted.fitted(1.0), fitted);
        let spring = Shape::Spring { half_life_secs: 2.0 };
        assert_eq!(spring.fitted(1.0), Shape::Spring { half_life_secs: 0.5 });
        let springs = Shape::TwoSprings {
            half_life_secs: 0.2,
            velocity_half_life_secs: 2.0,
        };
        assert_eq!(springs.fitted(1.0).times(), [Some(0.2), Some(0.5)]);
        let short = Shape::SoftFade {
            duration_secs: 0.01,
            hardness: 3.0,
            blend_secs: 0.3,
        };
        assert_eq!(short.fitted(1.0).times(), [Some(0.01); 2]);
        for shape in SHAPES {
            assert_eq!(shape.fitted(0.6), shape);
        }
    }
}
