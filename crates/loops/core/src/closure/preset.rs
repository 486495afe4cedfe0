//! The methods of the article and its demo, by their names there.

use super::{Method, Order, Shape, ShapeKind, Shares};
use crate::words;

/// A method of the article on looping by inertialization; other settings have their defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// A spring at the start takes the whole gap.
    Start,
    /// A spring at the end takes the whole gap.
    End,
    /// A spring at either end takes its share.
    Both,
    /// Cubics at both ends.
    Cubic,
    /// The pose gap spread evenly, the velocity gap faded by cubics.
    Linear,
    /// Only spreads the pose gap evenly: the seam has a kink.
    LinearWithKink,
    /// Soft ramps at both ends.
    SoftFade,
}

words!(Preset {
    Start: "start",
    End: "end",
    Both: "both",
    Cubic: "cubic",
    Linear: "linear",
    LinearWithKink: "linear-with-kink",
    SoftFade: "softfade",
});

impl Preset {
    /// Returns the method; the article measures velocities between neighbouring frames, [`super::SeamMotion::Central`].
    pub fn method(self) -> Method {
        let (kind, shares, order) = match self {
            Self::Start => (ShapeKind::Spring, Shares::START, Order::C1),
            Self::End => (ShapeKind::Spring, Shares::END, Order::C1),
            Self::Both => (ShapeKind::Spring, Shares::EVEN, Order::C1),
            Self::Cubic => (ShapeKind::Cubic, Shares::EVEN, Order::C1),
            Self::Linear => (ShapeKind::Linear, Shares::EVEN, Order::C1),
            Self::LinearWithKink => (ShapeKind::Linear, Shares::EVEN, Order::C0),
            Self::SoftFade => (ShapeKind::SoftFade, Shares::EVEN, Order::C1),
        };
        let shape = Shape::from_given(kind, |_| None);
        Method {
            shares,
            order,
            ..Method::new(shape)
        }
    }
}
