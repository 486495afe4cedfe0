//! Shapes of decay: how an offset at one end of a clip fades towards the other.
//!
//! Each shape has up to three decays over the time t since its end: one that starts at 1 with no slope (position), one
//! that starts at 0 with slope 1 (velocity), and, for C2, one that starts flat with second derivative 1 (acceleration).
//! None of that is relied on: [`super::boundary`] solves for the mixture, so a shape with another start value, a slope,
//! or a tail at the far end closes just as exactly. Formulas: docs/math/closure.md.

use crate::math::ops;

/// How an offset fades.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
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
    /// Critically damped spring; C1. Its tail never ends, and the boundary system takes it into account.
    Spring {
        /// Half-life in the articles' convention, seconds: y = 2 ln2 / h. A resting offset is at 59.7% after it; half
        /// of it is left after 1.2107 half-lives.
        half_life_secs: f64,
    },
}

/// Value, first and second derivative of a decay at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jet {
    /// Value.
    pub value: f64,
    /// First derivative, per second.
    pub rate: f64,
    /// Second derivative, per second squared.
    pub bend: f64,
}

/// The decays of a shape at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Decays {
    /// Of a position offset.
    pub position: Jet,
    /// Of a velocity offset; its value is in seconds.
    pub velocity: Jet,
    /// Of an acceleration offset, its value in seconds squared; `None` for shapes that are only C1.
    pub acceleration: Option<Jet>,
}

impl Shape {
    /// The shape's time, seconds: blend time or half-life.
    pub fn secs(self) -> f64 {
        match self {
            Self::Quintic { blend_secs } | Self::Cubic { blend_secs } => blend_secs,
            Self::Spring { half_life_secs } => half_life_secs,
        }
    }

    /// The same shape with another time, seconds.
    pub fn with_secs(self, secs: f64) -> Self {
        match self {
            Self::Quintic { .. } => Self::Quintic { blend_secs: secs },
            Self::Cubic { .. } => Self::Cubic { blend_secs: secs },
            Self::Spring { .. } => Self::Spring { half_life_secs: secs },
        }
    }

    /// Longest time of this shape that closes a period well, seconds.
    ///
    /// A blend ends within the period; a half-life fits twice. Longer ones still meet the boundary conditions, but they
    /// bend the far end as much as their own.
    pub fn longest_secs(self, period_secs: f64) -> f64 {
        match self {
            Self::Quintic { .. } | Self::Cubic { .. } => period_secs,
            Self::Spring { .. } => 0.5 * period_secs,
        }
    }

    /// Whether the shape can carry an acceleration.
    pub fn is_c2(self) -> bool {
        matches!(self, Self::Quintic { .. })
    }

    /// The decays `t` seconds after the shape's own end of the clip, t at least 0.
    ///
    /// Where a derivative jumps, at the blend time, the one from before it holds. Source: docs/math/closure.md, shapes.
    pub fn decays(self, t: f64) -> Decays {
        match self {
            Self::Quintic { blend_secs: b } => Decays {
                position: polynomial([1.0, 0.0, 0.0, -10.0, 15.0, -6.0], 1.0, b, t),
                velocity: polynomial([0.0, 1.0, 0.0, -6.0, 8.0, -3.0], b, b, t),
                acceleration: Some(polynomial([0.0, 0.0, 0.5, -1.5, 1.5, -0.5], b * b, b, t)),
            },
            Self::Cubic { blend_secs: b } => Decays {
                position: polynomial([1.0, 0.0, -3.0, 2.0], 1.0, b, t),
                velocity: polynomial([0.0, 1.0, -2.0, 1.0], b, b, t),
                acceleration: None,
            },
            Self::Spring { half_life_secs } => {
                let y = 2.0 * core::f64::consts::LN_2 / half_life_secs;
                let fade = ops::exp(-y * t);
                Decays {
                    position: Jet {
                        value: (1.0 + y * t) * fade,
                        rate: -y * y * t * fade,
                        bend: y * y * (y * t - 1.0) * fade,
                    },
                    velocity: Jet {
                        value: t * fade,
                        rate: (1.0 - y * t) * fade,
                        bend: y * (y * t - 2.0) * fade,
                    },
                    acceleration: None,
                }
            }
        }
    }
}

/// `scale` times a polynomial in u = t / blend, with its derivatives in t; nothing after the blend.
///
/// `coefficients` from the constant up.
fn polynomial<const N: usize>(coefficients: [f64; N], scale: f64, blend_secs: f64, t: f64) -> Jet {
    if t > blend_secs {
        return Jet::default();
    }
    let u = t / blend_secs;
    // Horner's scheme for a polynomial and both derivatives at once; `bend` gathers half the second.
    let (mut value, mut rate, mut bend) = (0.0, 0.0, 0.0);
    for coefficient in coefficients.iter().rev() {
        bend = bend * u + rate;
        rate = rate * u + value;
        value = value * u + coefficient;
    }
    Jet {
        value: scale * value,
        rate: scale * rate / blend_secs,
        bend: scale * 2.0 * bend / (blend_secs * blend_secs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [Shape; 3] = [
        Shape::Quintic { blend_secs: 0.4 },
        Shape::Cubic { blend_secs: 0.3 },
        Shape::Spring { half_life_secs: 0.1 },
    ];

    fn jets(decays: Decays) -> impl Iterator<Item = Jet> {
        [Some(decays.position), Some(decays.velocity), decays.acceleration]
            .into_iter()
            .flatten()
    }

    #[test]
    fn each_decay_starts_with_its_own_derivative_only() {
        for shape in SHAPES {
            let at = shape.decays(0.0);
            assert_eq!((at.position.value, at.position.rate), (1.0, 0.0));
            assert_eq!((at.velocity.value, at.velocity.rate), (0.0, 1.0));
            assert_eq!(at.acceleration.is_some(), shape.is_c2());
            if let Some(acceleration) = at.acceleration {
                assert_eq!((at.position.bend, at.velocity.bend), (0.0, 0.0));
                assert_eq!((acceleration.value, acceleration.rate), (0.0, 0.0));
                assert!((acceleration.bend - 1.0).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn derivatives_match_finite_differences() {
        let step = 1e-4;
        for shape in SHAPES {
            for i in 1..28 {
                let t = 0.01 * f64::from(i);
                let [before, at, after] = [t - step, t, t + step].map(|t| shape.decays(t));
                for ((before, at), after) in jets(before).zip(jets(at)).zip(jets(after)) {
                    let rate = (after.value - before.value) / (2.0 * step);
                    let bend = (after.rate - before.rate) / (2.0 * step);
                    assert!((at.rate - rate).abs() < 1e-4 * (1.0 + rate.abs()), "{shape:?} {t}");
                    assert!((at.bend - bend).abs() < 1e-4 * (1.0 + bend.abs()), "{shape:?} {t}");
                }
            }
        }
    }

    #[test]
    fn blends_end_on_time() {
        for shape in [SHAPES[0], SHAPES[1]] {
            for t in [shape.secs(), 2.0 * shape.secs()] {
                for jet in jets(shape.decays(t)) {
                    assert_eq!((jet.value, jet.rate), (0.0, 0.0));
                    assert!(!shape.is_c2() || jet.bend == 0.0);
                }
            }
        }
        // The cubic's second derivative jumps there; a blend as long as the clip has its end inside.
        let [at, after] = [0.3, 0.3001].map(|t| SHAPES[1].decays(t).position.bend);
        assert!((at - 6.0 / 0.09).abs() < 1e-12 && after == 0.0);
    }

    #[test]
    fn the_half_life_is_the_articles() {
        let spring = SHAPES[2];
        assert!((spring.decays(0.1).position.value - 0.5966).abs() < 1e-4);
        assert!((spring.decays(0.12107).position.value - 0.5).abs() < 1e-4);
    }
}
