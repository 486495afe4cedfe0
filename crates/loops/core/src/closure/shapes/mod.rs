//! Shapes of decay: how an offset at one end of a clip fades towards the other. Each kind has its own file.
//!
//! Each shape has up to three decays over the time t since its end: one of the position, which starts near 1, one of the
//! velocity, which starts at 0 with a slope of 1, and, for C2, one of the acceleration, which starts flat with a second
//! derivative of 1. None of that is required: [`super::boundary`] solves for the mixture, so a shape with another start value, a
//! slope, or a tail at the far end closes just as exactly. Formulas: docs/math/shapes.md.

use super::Order;
use crate::math::{Fading, Jet};

mod descriptor;

mod adjustment;
mod cubic;
mod least;
mod linear;
mod quintic;
mod soft_fade;
mod spring;

pub(super) use least::TIMES_PER_BLEND;

pub use descriptor::{DEFAULT_BLEND_SECS, Parameter, ShapeDescriptor, ShapeKey};
use descriptor::{Period, ShapeValues};

/// Lists the kinds of shapes, each with the file that describes it.
macro_rules! kinds {
    ($(#[doc = $doc:literal] $Kind:ident: $file:ident,)+) => {
        /// A kind of shape.
        #[handed_over(Copy, Eq)]
        #[non_exhaustive]
        pub enum ShapeKind {
            $(#[doc = $doc] $Kind,)+
        }

        impl ShapeKind {
            /// Every kind, in the order in which they are listed.
            pub const ALL: &'static [Self] = &[$(Self::$Kind),+];

            /// Returns all that is known of it.
            pub fn descriptor(self) -> &'static ShapeDescriptor {
                match self {
                    $(Self::$Kind => &$file::DESCRIPTOR,)+
                }
            }
        }
    };
}

kinds! {
    /// Polynomials that also carry acceleration, exactly zero after the blend time; C2.
    Quintic: quintic,
    /// Polynomials, exactly zero after the blend time; C1.
    Cubic: cubic,
    /// A critically damped spring, for the velocity another one if wanted; C1.
    Spring: spring,
    /// The offset with the least displacement and jerk; C2.
    Least: least,
    /// The pose fades evenly over the whole clip; C1.
    Linear: linear,
    /// The pose fades evenly and levels off softly; C1.
    SoftFade: soft_fade,
    /// The pose fades while the joint itself moves; C1.
    Adjustment: adjustment,
}

/// How an offset fades: a kind of shape, and its numbers.
#[handed_over(Copy)]
pub struct Shape {
    kind: ShapeKind,
    values: ShapeValues,
}

impl Shape {
    /// Creates a kind of shape with its leading time, seconds; its other parameters have their defaults.
    pub fn new(kind: ShapeKind, secs: f64) -> Self {
        Self::from_given(kind, |key| (key == ShapeKey::Blend).then_some(secs))
    }

    /// Creates a kind of shape with the given parameters, and defaults for the others.
    ///
    /// Values for parameters that it does not have are ignored. If only the leading time is given, velocities fade in that time,
    /// too.
    pub fn from_given(kind: ShapeKind, given: impl Fn(ShapeKey) -> Option<f64>) -> Self {
        let mut values = ShapeValues::default();
        for parameter in kind.descriptor().parameters {
            let key = parameter.key;
            let default = parameter.default.map(|default| {
                given(ShapeKey::Blend)
                    .filter(|_| key == ShapeKey::VelocityBlend)
                    .unwrap_or(default)
            });
            values.set(key, given(key).or(default));
        }
        Self { kind, values }
    }

    /// Sets a parameter to a value, or to its default for `None`; without effect if the kind has no such parameter.
    #[must_use]
    pub fn with(self, key: ShapeKey, value: impl Into<Option<f64>>) -> Self {
        let value = value.into();
        Self::from_given(self.kind, |other| if other == key { value } else { self.get(other) })
    }

    /// Returns its kind.
    pub fn kind(self) -> ShapeKind {
        self.kind
    }

    /// Returns its leading time, seconds: blend time, half-life or duration.
    pub fn secs(self) -> f64 {
        self.values.secs()
    }

    /// Returns the value of a parameter; `None` if the shape has none.
    pub fn get(self, key: ShapeKey) -> Option<f64> {
        self.values.get(key)
    }

    /// Returns the parameters that have a value, and their values, the leading time first.
    pub fn values(self) -> impl Iterator<Item = (&'static Parameter, f64)> {
        self.kind
            .descriptor()
            .parameters
            .iter()
            .filter_map(move |parameter| Some((parameter, self.get(parameter.key)?)))
    }

    /// Returns the shape fitted to a period: shortened if it is too long, hardened if it is too soft.
    ///
    /// A blend ends within the period, a half-life fits twice, a duration is at most two periods. Longer ones still meet the
    /// boundary conditions, but change the far end as much as their own.
    #[must_use]
    pub fn fitted(mut self, period_secs: f64) -> Self {
        for (parameter, value) in self.values() {
            let period = Period {
                secs: period_secs,
                lead_secs: self.secs(),
            };
            self.values.set(parameter.key, Some((parameter.fitted)(value, period)));
        }
        self
    }

    /// Whether the shape can carry an acceleration.
    pub fn is_c2(self) -> bool {
        self.kind.descriptor().order == Order::C2
    }

    /// Whether the fade follows the track's own progress.
    pub(crate) fn follows_the_track(self) -> bool {
        self.kind.descriptor().follows_the_track
    }

    /// Returns how offsets of unit size fade `t` seconds after the shape's own end of the clip, t at least 0.
    ///
    /// `left` is the remaining share, with which the shapes that last the whole clip fade: of the time, or of the track's own
    /// path for [`ShapeKind::Adjustment`]. Source: docs/math/shapes.md.
    pub fn fading(self, t: f64, left: Jet) -> Fading {
        (self.kind.descriptor().fading)(&self.values, t, left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of each kind, a spring with another for the velocity last.
    fn shapes() -> Vec<Shape> {
        let kinds = ShapeKind::ALL.iter();
        let secs = |kind| if kind == ShapeKind::Spring { 0.1 } else { 0.3 };
        let mut shapes: Vec<Shape> = kinds
            .map(|&kind| Shape::new(kind, secs(kind)).with(ShapeKey::Hardness, 3.0))
            .collect();
        shapes.push(Shape::new(ShapeKind::Spring, 0.1).with(ShapeKey::VelocityBlend, 0.03));
        shapes
    }

    /// Returns the fading at a time in a clip of 0.6 s.
    fn fading(shape: Shape, t: f64) -> Fading {
        let left = Jet::new(1.0 - t / 0.6, -1.0 / 0.6, 0.0);
        shape.fading(t, left)
    }

    fn jets(fading: Fading) -> impl Iterator<Item = Jet> {
        [Some(fading.position), Some(fading.velocity), fading.acceleration]
            .into_iter()
            .flatten()
    }

    #[test]
    fn each_decay_starts_with_its_own_derivative_only() {
        for shape in shapes() {
            let at = fading(shape, 0.0);
            assert_eq!(at.acceleration.is_some(), shape.is_c2());
            assert_eq!((at.velocity.value, at.velocity.rate), (0.0, 1.0));
            if matches!(
                shape.kind(),
                ShapeKind::Linear | ShapeKind::SoftFade | ShapeKind::Adjustment
            ) {
                continue;
            }
            assert_eq!((at.position.value, at.position.rate), (1.0, 0.0));
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
        for shape in shapes() {
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
        for shape in shapes().into_iter().filter(|shape| shape.kind().descriptor().ends) {
            for t in [shape.secs(), 2.0 * shape.secs()] {
                for jet in jets(fading(shape, t)) {
                    assert_eq!((jet.value, jet.rate), (0.0, 0.0));
                    assert!(!shape.is_c2() || jet.acceleration == 0.0);
                }
            }
        }
        // The cubic's second derivative jumps there; a blend as long as the clip ends inside it.
        let cubic = Shape::new(ShapeKind::Cubic, 0.3);
        let [at, after] = [0.3, 0.3001].map(|t| fading(cubic, t).position.acceleration);
        assert!((at - 6.0 / 0.09).abs() < 1e-12 && after == 0.0);
    }

    #[test]
    fn the_half_life_is_the_articles() {
        let spring = Shape::new(ShapeKind::Spring, 0.1);
        assert!((fading(spring, 0.1).position.value - 0.5966).abs() < 1e-4);
        assert!((fading(spring, 0.12107).position.value - 0.5).abs() < 1e-4);
    }

    #[test]
    fn what_is_not_given_has_its_default() {
        for &kind in ShapeKind::ALL {
            let shape = Shape::from_given(kind, |_| None);
            for parameter in kind.descriptor().parameters {
                assert_eq!(shape.get(parameter.key), parameter.default, "{kind:?}");
            }
            assert_eq!(kind.descriptor().parameters[0].key, ShapeKey::Blend);
            assert_eq!(Shape::new(kind, 0.2).with(ShapeKey::Blend, 0.1).secs(), 0.1);
        }
        let soft = Shape::new(ShapeKind::SoftFade, 0.2);
        assert_eq!(
            (soft.get(ShapeKey::VelocityBlend), soft.get(ShapeKey::Hardness)),
            (Some(0.2), Some(16.0))
        );
        let quintic = Shape::new(ShapeKind::Quintic, 0.2);
        assert_eq!(quintic.with(ShapeKey::Hardness, 3.0), quintic);
    }

    #[test]
    fn too_long_or_too_soft_shapes_are_fitted() {
        let soft = |secs: f64, hardness: f64, velocity_secs: f64| {
            let shape = Shape::new(ShapeKind::SoftFade, secs).with(ShapeKey::Hardness, hardness);
            shape.with(ShapeKey::VelocityBlend, velocity_secs)
        };
        assert_eq!(soft(5.0, 0.1, 3.0).fitted(1.0), soft(2.0, 0.5, 1.0));
        assert_eq!(soft(0.01, 3.0, 0.3).fitted(1.0), soft(0.01, 3.0, 0.03));
        assert_eq!(soft(0.2, 3.0, 0.5).fitted(1.0), soft(0.2, 3.0, 0.5));
        let spring = |secs: f64, velocity_secs: Option<f64>| {
            Shape::new(ShapeKind::Spring, secs).with(ShapeKey::VelocityBlend, velocity_secs)
        };
        assert_eq!(spring(2.0, None).fitted(1.0), spring(0.5, None));
        assert_eq!(spring(0.2, Some(2.0)).fitted(1.0), spring(0.2, Some(0.5)));
        for shape in shapes() {
            assert_eq!(shape.fitted(0.6), shape);
            let fitted = shape.fitted(0.01);
            assert_eq!(fitted.fitted(0.01), fitted);
        }
    }
}
