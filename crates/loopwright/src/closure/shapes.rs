//! Shapes of decay: how an offset at one end of a clip fades towards the other.
//!
//! Each shape has up to three decays over the time t since its end: one that starts at 1 with no slope (position), one that
//! starts at 0 with slope 1 (velocity), and, for C2, one that starts flat with second derivative 1 (acceleration).

use crate::math::ops;

/// How an offset fades.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// Fifth-degree polynomial over the blend time, exactly zero after it with zero slope and bend.
    Quintic {
        /// Blend time, seconds.
        blend_secs: f64,
    },
    /// Third-degree polynomial over the blend time, exactly zero after it with zero slope.
    Cubic {
        /// Blend time, seconds.
        blend_secs: f64,
    },
    /// Critically damped spring. Its tail never ends; the boundary system takes it into account.
    Spring {
        /// Half-life in the articles' convention, seconds: 59.7% of a resting offset is left after it, and half at 1.2107 of
        /// it.
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

/// The three decays of a shape at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decays {
    /// Of a position offset: (1, 0) at t = 0.
    pub position: Jet,
    /// Of a velocity offset: (0, 1) at t = 0; its value is in seconds.
    pub velocity: Jet,
    /// Of an acceleration offset: (0, 0, 1) at t = 0, its value in seconds squared; `None` for shapes that are only C1.
    pub acceleration: Option<Jet>,
}

/// A cubic's or quintic's polynomial in u, times a power of the blend time, as a function of time.
///
/// `coefficients` from the constant up; beyond the blend time nothing is left.
fn polynomial<const N: usize>(coefficients: [f64; N], scale: f64, blend_secs: f64, t: f64) -> Jet {
    if t >= blend_secs {
        return Jet::default();
    }
    let u = t / blend_secs;
    let (mut value, mut rate, mut bend) = (0.0, 0.0, 0.0);
    for coefficient in coefficients.iter().rev() {
        bend = bend * u + 2.0 * rate;
        rate = rate * u + value;
        value = value * u + coefficient;
    }
    Jet {
        value: scale * value,
        rate: scale * rate / blend_secs,
        bend: scale * bend / (blend_secs * blend_secs),
    }
}

impl Shape {
    /// The shape's time: blend time or half-life, seconds.
    pub fn secs(self) -> f64 {
        match self {
            Self::Quintic { blend_secs } | Self::Cubic { blend_secs } => blend_secs,
            Self::Spring { half_life_secs } => half_life_secs,
        }
    }

    /// Longest time of this shape in a period: a blend must end within it, a half-life within half of it.
    pub fn longest_secs(self, period_secs: f64) -> f64 {
        match self {
            Self::Quintic { .. } | Self::Cubic { .. } => period_secs,
            Self::Spring { .. } => 0.5 * period_secs,
        }
    }

    /// The same shape with another time.
    pub fn with_secs(self, secs: f64) -> Self {
        match self {
            Self::Quintic { .. } => Self::Quintic { blend_secs: secs },
            Self::Cubic { .. } => Self::Cubic { blend_secs: secs },
            Self::Spring { .. } => Self::Spring { half_life_secs: secs },
        }
    }

    /// Whether the shape can carry an acceleration.
    pub fn is_c2(self) -> bool {
        matches!(self, Self::Quintic { .. })
    }

    /// The decays `t` seconds after the shape's end of the clip, t at least 0.
    ///
    /// Source: docs/math/closure.md, table of shapes.
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
                        value: fade * (1.0 + y * t),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decays_start_as_they_should_and_their_derivatives_are_their_own() {
        for shape in [
            Shape::Quintic { blend_secs: 0.4 },
            Shape::Cubic { blend_secs: 0.3 },
            Shape::Spring { half_life_secs: 0.1 },
        ] {
            let start = shape.decays(0.0);
            assert_eq!((start.position.value, start.position.rate), (1.0, 0.0));
            assert_eq!((start.velocity.value, start.velocity.rate), (0.0, 1.0));
            if let Some(acceleration) = start.acceleration {
                assert_eq!(acceleration.value, 0.0);
                assert_eq!((acceleration.rate, acceleration.bend), (0.0, 1.0));
                assert_eq!((start.position.bend, start.velocity.bend), (0.0, 0.0));
            }
            let h = 1e-4;
            for t in [0.03, 0.11, 0.23] {
                let [before, at, after] = [t - h, t, t + h].map(|t| shape.decays(t));
                let jets = |d: Decays| [Some(d.position), Some(d.velocity), d.acceleration];
                for ((before, at), after) in jets(before).into_iter().zip(jets(at)).zip(jets(after)) {
                    let (Some(before), Some(at), Some(after)) = (before, at, after) else {
                        continue;
                    };
                    assert!((at.rate - (after.value - before.value) / (2.0 * h)).abs() < 1e-4);
                    assert!((at.bend - (after.rate - before.rate) / (2.0 * h)).abs() < 1e-3);
                }
            }
        }
    }
}
