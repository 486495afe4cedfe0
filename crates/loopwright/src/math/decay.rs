//! How an offset fades away, and the area under its size: what a jump displaces in all.
//!
//! An offset that starts at x and changes by v a second is taken away by a spring, a cubic or a quintic. All cross zero at most
//! once, so the area under the offset's size is the signed area with what lies beyond the crossing counted the other way.
//! Derivation: docs/math/transition_cost.md.

use core::f64::consts::LN_2;

use super::ops;
use crate::words;

/// How an offset fades.
#[derive(Clone, Copy, Debug, PartialEq)]
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

/// The kind of a [`Decay`], whatever its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecayKind {
    /// A critically damped spring.
    Spring,
    /// A cubic blend.
    Cubic,
    /// A quintic blend.
    Quintic,
}

words!(DecayKind {
    Spring: "spring",
    Cubic: "cubic",
    Quintic: "quintic",
});

impl DecayKind {
    /// The decay of this kind, with the half-life of springs and the blend time of the others, seconds.
    pub fn lasting(self, half_life_secs: f64, blend_secs: f64) -> Decay {
        match self {
            Self::Spring => Decay::Spring { half_life_secs },
            Self::Cubic => Decay::Cubic { blend_secs },
            Self::Quintic => Decay::Quintic { blend_secs },
        }
    }
}

/// The signed area under an offset, and how much of it lies beyond the place where the offset crosses zero.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Area {
    whole: f64,
    beyond: f64,
}

impl Decay {
    /// Name as people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spring { .. } => "spring",
            Self::Cubic { .. } => "cubic",
            Self::Quintic { .. } => "quintic",
        }
    }

    /// Half-life of the spring or blend time of the others, seconds.
    pub fn secs(self) -> f64 {
        match self {
            Self::Spring { half_life_secs: secs }
            | Self::Cubic { blend_secs: secs }
            | Self::Quintic { blend_secs: secs } => secs,
        }
    }

    /// Weights of the signed area under the offset, a x + b v: a in seconds, b in seconds squared.
    ///
    /// Spring 2/y and 1/y^2, cubic B/2 and B^2/12, quintic B/2 and B^2/10.
    pub fn area_weights(self) -> (f64, f64) {
        match self {
            Self::Spring { half_life_secs } => {
                let y = stiffness(half_life_secs);
                (2.0 / y, 1.0 / (y * y))
            }
            Self::Cubic { blend_secs } => (0.5 * blend_secs, blend_secs * blend_secs / 12.0),
            Self::Quintic { blend_secs } => (0.5 * blend_secs, blend_secs * blend_secs / 10.0),
        }
    }

    /// Signed area under the offset, a x + b v, in units of x times seconds.
    ///
    /// Of a place and its velocity it is the feature form: the difference of two states' values is the signed area that a jump
    /// between them leaves, and its size never exceeds [`Self::displacement`].
    pub fn signed_area(self, x: f64, v: f64) -> f64 {
        let (place, rate) = self.area_weights();
        place * x + rate * v
    }

    /// Total displacement D(x, v): the integral over all time of the size of the decaying offset, in units of x times seconds.
    ///
    /// A number for all finite x and v that do not overflow; at least the size of [`Self::signed_area`], to the last bit.
    pub fn displacement(self, x: f64, v: f64) -> f64 {
        let Area { whole, beyond } = self.area(x, v);
        // Rounding must not lift the signed area above what it bounds.
        ((whole - beyond).abs() + beyond.abs()).max(whole.abs())
    }

    fn area(self, x: f64, v: f64) -> Area {
        let whole = self.signed_area(x, v);
        let beyond = match self {
            Self::Spring { half_life_secs } => {
                let y = stiffness(half_life_secs);
                let rate = v + x * y;
                if are_opposite(x, rate) {
                    rate * ops::exp(x * y / rate) / (y * y)
                } else {
                    0.0
                }
            }
            Self::Cubic { blend_secs } => {
                // In w = 1 - u the offset is w^2 times the straight line from `end` at w = 0 to x at w = 1.
                let end = 3.0 * x + v * blend_secs;
                if are_opposite(x, end) {
                    let w = end / (end - x);
                    blend_secs * end * w * w * w / 12.0
                } else {
                    0.0
                }
            }
            Self::Quintic { blend_secs } => {
                let c = v * blend_secs;
                // In w = 1 - u the offset is w^3 times the parabola end - slope w + bend w^2, which is x at w = 1.
                if are_opposite(x, 10.0 * x + 4.0 * c) {
                    // In shares of the larger, whose squares neither overflow nor vanish.
                    let scale = x.abs().max(c.abs());
                    let (x, c) = (x / scale, c / scale);
                    let (end, slope, bend) = (10.0 * x + 4.0 * c, 15.0 * x + 7.0 * c, 6.0 * x + 3.0 * c);
                    let w = crossing(bend, slope, end);
                    let w2 = w * w;
                    blend_secs * scale * (w2 * w2 * w * (3.0 * slope - 5.0 * bend * w) / 60.0)
                } else {
                    0.0
                }
            }
        };
        Area { whole, beyond }
    }
}

/// y of the spring with that half-life, per second.
fn stiffness(half_life_secs: f64) -> f64 {
    2.0 * LN_2 / half_life_secs
}

/// Whether one lies above zero and the other below.
fn are_opposite(x: f64, end: f64) -> bool {
    (x > 0.0 && end < 0.0) || (x < 0.0 && end > 0.0)
}

/// The zero between 0 and 1 of a parabola `end` - `slope` w + `bend` w^2 whose values there have opposite signs.
fn crossing(bend: f64, slope: f64, end: f64) -> f64 {
    let root = (slope * slope - 4.0 * bend * end).max(0.0).sqrt();
    // Both zeros without cancellation: one is q/bend, the other end/q.
    let q = 0.5 * (slope + if slope < 0.0 { -root } else { root });
    let far = q / bend;
    if far > 0.0 && far < 1.0 { far } else { end / q }
}
