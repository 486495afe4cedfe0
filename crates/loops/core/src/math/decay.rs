//! The fade of an offset over time, and the area under its size: the total displacement of a jump.
//!
//! A spring, a cubic and a quintic, each as the curves that an offset of position, velocity or acceleration follows while it
//! fades ([`Decay::at`]). An offset that starts at x and changes by v per second crosses zero at most once. So the area under its
//! size is the signed area with the part beyond the crossing negated. Formulas: docs/math/shapes.md; the area:
//! docs/math/transition_cost.md.

use core::f64::consts::LN_2;

use super::ops;

/// How an offset fades.
#[value(Copy)]
pub enum Decay {
    /// Critically damped spring: (x + (v + x y) t) e^(-y t) with y = 2 ln2 / h, without end.
    Spring {
        /// Half-life h in the articles' convention (59.7% of a resting offset is left after it), seconds; positive.
        half_life_secs: f64,
    },
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

/// The kind of a [`Decay`], without its time.
#[choice_in_words]
pub enum DecayKind {
    /// A critically damped spring.
    Spring,
    /// A cubic blend.
    Cubic,
    /// A quintic blend.
    Quintic,
}

impl DecayKind {
    /// Returns the decay of this kind, with the half-life of springs and the blend time of the others, seconds.
    pub fn lasting(self, half_life_secs: f64, blend_secs: f64) -> Decay {
        match self {
            Self::Spring => Decay::Spring { half_life_secs },
            Self::Cubic => Decay::Cubic { blend_secs },
            Self::Quintic => Decay::Quintic { blend_secs },
        }
    }
}

/// Value, first and second derivative of a function of time.
#[value(Copy, Default)]
pub struct Jet {
    /// Value.
    pub value: f64,
    /// First derivative, per second.
    pub rate: f64,
    /// Second derivative, per second squared.
    pub acceleration: f64,
}

impl Jet {
    /// Value, first and second derivative.
    pub const fn new(value: f64, rate: f64, acceleration: f64) -> Self {
        Self {
            value,
            rate,
            acceleration,
        }
    }
}

/// How offsets of unit size fade, at one time.
#[value(Copy, Default)]
pub struct Fading {
    /// An offset of position, which starts at 1.
    pub position: Jet,
    /// An offset of velocity: it starts at 0 with a slope of 1; its value is in seconds.
    pub velocity: Jet,
    /// An offset of acceleration: it starts flat at 0 with a second derivative of 1, its value in seconds squared. `None` for
    /// decays that are only C1.
    pub acceleration: Option<Jet>,
}

impl Decay {
    /// Returns its kind, without its time.
    pub fn kind(self) -> DecayKind {
        match self {
            Self::Spring { .. } => DecayKind::Spring,
            Self::Cubic { .. } => DecayKind::Cubic,
            Self::Quintic { .. } => DecayKind::Quintic,
        }
    }

    /// Returns the name for display.
    pub fn name(self) -> &'static str {
        self.kind().as_str()
    }

    /// Returns the half-life of the spring or blend time of the others, seconds.
    pub fn secs(self) -> f64 {
        match self {
            Self::Spring { half_life_secs: secs }
            | Self::Cubic { blend_secs: secs }
            | Self::Quintic { blend_secs: secs } => secs,
        }
    }

    /// Returns the offsets `t` seconds after the start of the fade, t at least 0.
    ///
    /// At the blend time, where a derivative jumps, the value from before it is returned. Source: docs/math/shapes.md.
    pub fn at(self, t: f64) -> Fading {
        match self {
            Self::Quintic { blend_secs: b } => Fading {
                position: polynomial([1.0, 0.0, 0.0, -10.0, 15.0, -6.0], 1.0, b, t),
                velocity: polynomial([0.0, 1.0, 0.0, -6.0, 8.0, -3.0], b, b, t),
                acceleration: Some(polynomial([0.0, 0.0, 0.5, -1.5, 1.5, -0.5], b * b, b, t)),
            },
            Self::Cubic { blend_secs: b } => Fading {
                position: polynomial([1.0, 0.0, -3.0, 2.0], 1.0, b, t),
                velocity: polynomial([0.0, 1.0, -2.0, 1.0], b, b, t),
                acceleration: None,
            },
            Self::Spring { half_life_secs } => {
                let y = decay_rate(half_life_secs);
                let fade = ops::exp(-y * t);
                Fading {
                    position: Jet::new((1.0 + y * t) * fade, -y * y * t * fade, y * y * (y * t - 1.0) * fade),
                    velocity: Jet::new(t * fade, (1.0 - y * t) * fade, y * (y * t - 2.0) * fade),
                    acceleration: None,
                }
            }
        }
    }

    /// Returns the weights of the signed area under the offset, a x + b v: a in seconds, b in seconds squared.
    ///
    /// Spring 2/y and 1/y^2, cubic B/2 and B^2/12, quintic B/2 and B^2/10.
    pub fn area_weights(self) -> (f64, f64) {
        match self {
            Self::Spring { half_life_secs } => {
                let y = decay_rate(half_life_secs);
                (2.0 / y, 1.0 / (y * y))
            }
            Self::Cubic { blend_secs } => (0.5 * blend_secs, blend_secs * blend_secs / 12.0),
            Self::Quintic { blend_secs } => (0.5 * blend_secs, blend_secs * blend_secs / 10.0),
        }
    }

    /// Signed area under the offset, a x + b v, in units of x times seconds.
    ///
    /// For a position and its velocity this is the feature form: the difference of two states' values is the signed area that a
    /// jump between them leaves, and its size never exceeds [`Self::displacement`].
    pub fn signed_area(self, x: f64, v: f64) -> f64 {
        Displacement::new(self).signed_area(x, v)
    }

    /// Total displacement D(x, v): the integral over all time of the size of the decaying offset, in units of x times seconds.
    ///
    /// A number for all finite x and v that do not overflow; never less than the size of [`Self::signed_area`], to the last bit.
    pub fn displacement(self, x: f64, v: f64) -> f64 {
        Displacement::new(self).get(x, v)
    }
}

/// [`Decay::displacement`] for many offsets: terms independent of the offset are computed once.
#[value(Copy)]
pub struct Displacement {
    decay: Decay,
    weights: (f64, f64),
    /// Decay rate of a spring, per second; of no use to the others.
    spring_rate: f64,
}

impl Displacement {
    /// Creates the displacement of a decay.
    pub fn new(decay: Decay) -> Self {
        Self {
            decay,
            weights: decay.area_weights(),
            spring_rate: decay_rate(decay.secs()),
        }
    }

    /// Returns the decay.
    pub fn decay(&self) -> Decay {
        self.decay
    }

    /// As [`Decay::displacement`].
    pub fn get(&self, x: f64, v: f64) -> f64 {
        let (whole, beyond) = (self.signed_area(x, v), self.beyond_crossing(x, v));
        // Rounding must not raise the signed area above its bound.
        ((whole - beyond).abs() + beyond.abs()).max(whole.abs())
    }

    /// Returns [`Decay::signed_area`]; its size is the displacement of an offset that never crosses zero, as when x and v have
    /// the same sign.
    pub fn signed_area(&self, x: f64, v: f64) -> f64 {
        let (position, rate) = self.weights;
        position * x + rate * v
    }

    /// Returns the signed area of the offset after it crosses zero; 0 where it never does.
    fn beyond_crossing(&self, x: f64, v: f64) -> f64 {
        match self.decay {
            Decay::Spring { .. } => {
                let y = self.spring_rate;
                let rate = v + x * y;
                if are_opposite(x, rate) {
                    self.weights.1 * rate * ops::exp(x * y / rate)
                } else {
                    0.0
                }
            }
            Decay::Cubic { blend_secs } => {
                // In w = 1 - u the offset is w^2 times the straight line from `end` at w = 0 to x at w = 1.
                let end = 3.0 * x + v * blend_secs;
                if are_opposite(x, end) {
                    let w = end / (end - x);
                    blend_secs * end * w * w * w / 12.0
                } else {
                    0.0
                }
            }
            Decay::Quintic { blend_secs } => {
                let c = v * blend_secs;
                // In w = 1 - u the offset is w^3 times the parabola end - slope w + square w^2, which is x at w = 1.
                if are_opposite(x, 10.0 * x + 4.0 * c) {
                    // Scaled by the larger, so that squares neither overflow nor vanish.
                    let scale = x.abs().max(c.abs());
                    let (x, c) = (x / scale, c / scale);
                    let (end, slope, square) = (10.0 * x + 4.0 * c, 15.0 * x + 7.0 * c, 6.0 * x + 3.0 * c);
                    // Where x and `end` have opposite signs, the other zero lies between 4/3 and 5/3.
                    let w = crossing(square, slope, end);
                    let w2 = w * w;
                    blend_secs * scale * (w2 * w2 * w * (3.0 * slope - 5.0 * square * w) / 60.0)
                } else {
                    0.0
                }
            }
        }
    }
}

/// Decay rate y, per second, of a critically damped spring with that half-life, seconds: its offset falls as e^(-y t).
///
/// The half-life is the articles' parameter, y = 2 ln2 / h: 59.7% of a resting offset is left after h, half of it after 1.2107 h. The
/// function is its own inverse.
pub fn decay_rate(half_life_secs: f64) -> f64 {
    2.0 * LN_2 / half_life_secs
}

/// `scale` times a polynomial in u = t / blend, with its derivatives in t; nothing after the blend.
///
/// `coefficients` from the constant up.
fn polynomial<const N: usize>(coefficients: [f64; N], scale: f64, blend_secs: f64, t: f64) -> Jet {
    if t > blend_secs {
        return Jet::default();
    }
    let u = t / blend_secs;
    // Horner's scheme for a polynomial and both derivatives at once; `half_second` gathers half the second.
    let (mut value, mut rate, mut half_second) = (0.0, 0.0, 0.0);
    for coefficient in coefficients.iter().rev() {
        half_second = half_second * u + rate;
        rate = rate * u + value;
        value = value * u + coefficient;
    }
    Jet {
        value: scale * value,
        rate: scale * rate / blend_secs,
        acceleration: scale * 2.0 * half_second / (blend_secs * blend_secs),
    }
}

/// Whether one is positive and the other negative.
fn are_opposite(x: f64, end: f64) -> bool {
    (x > 0.0 && end < 0.0) || (x < 0.0 && end > 0.0)
}

/// Returns the zero nearer to 0 of a parabola `end` - `slope` w + `square` w^2, without cancellation.
fn crossing(square: f64, slope: f64, end: f64) -> f64 {
    let root = (slope * slope - 4.0 * square * end).max(0.0).sqrt();
    end / (0.5 * (slope + if slope < 0.0 { -root } else { root }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_life_and_its_decay_rate_give_each_other() {
        // After its half-life a resting offset is (1 + y h) e^(-y h) = (1 + 2 ln 2) / 4.
        let y = decay_rate(0.2);
        assert!(((1.0 + y * 0.2) * ops::exp(-y * 0.2) - (1.0 + 2.0 * LN_2) / 4.0).abs() < 1e-15);
        for half_life_secs in [1e-3, 0.2, 7.0] {
            let back = decay_rate(decay_rate(half_life_secs));
            assert!(
                (back - half_life_secs).abs() <= 1e-15 * half_life_secs,
                "{half_life_secs}: {back}"
            );
        }
    }
}
