//! The method that closes the seam of a joint: shapes at both ends, shares of the gaps, order; and those of the article, by their names
//! there.

use super::{ClosureName, DEFAULT_BLEND_SECS, Order, Shape, ShapeKind};
use crate::words;

/// Shares of the gaps that the start takes, each from 0 to 1; the end takes the rest.
#[handed_over(Copy)]
pub struct Shares {
    /// Share of the pose gap.
    pub rho: f64,
    /// Share of the velocity gap.
    pub sigma: f64,
    /// Share of the acceleration gap.
    pub tau: f64,
}

impl Shares {
    /// Half to each end.
    pub const EVEN: Self = Self::all(0.5);

    /// The start moves to the end, which is unchanged.
    pub const START: Self = Self::all(1.0);

    /// The end moves to the start, which is unchanged.
    pub const END: Self = Self::all(0.0);

    /// Creates one share for all gaps.
    pub const fn all(share: f64) -> Self {
        Self {
            rho: share,
            sigma: share,
            tau: share,
        }
    }
}

/// The method that closes the seam of a joint.
///
/// The default is quintic C2 over [`DEFAULT_BLEND_SECS`] with equal shares.
#[handed_over(Copy)]
pub struct Method {
    /// Decay of the offsets from the start.
    pub start: Shape,
    /// Decay of the offsets from the end, backwards in time.
    pub end: Shape,
    /// Shares of the gaps that the start takes; the end takes the rest.
    pub shares: Shares,
    /// Order to which the seam is closed.
    pub order: Order,
    /// Seconds over which the clip first blends into the take's frames beyond the other end; `None` for no crossfade.
    pub crossfade_secs: Option<f64>,
}

impl Default for Method {
    fn default() -> Self {
        Self::new(Shape::new(ShapeKind::Quintic, DEFAULT_BLEND_SECS))
    }
}

impl Method {
    /// One shape at both ends, equal shares, of the highest order that the shape allows.
    pub fn new(shape: Shape) -> Self {
        Self {
            start: shape,
            end: shape,
            shares: Shares::EVEN,
            order: Order::C2,
            crossfade_secs: None,
        }
    }

    /// Returns a crossfade; the default offsets if the take has no frames for it.
    pub fn crossfade(secs: f64) -> Self {
        Self {
            crossfade_secs: Some(secs),
            ..Self::default()
        }
    }

    /// Returns the names of the method at the start and at the end; both name the crossfade if there is one.
    pub fn names(&self) -> [ClosureName; 2] {
        match self.crossfade_secs {
            Some(_) => [ClosureName::Crossfade; 2],
            None => [self.start, self.end].map(ClosureName::from),
        }
    }

    /// Returns the seconds over which the method acts at the start and at the end: those of the crossfade, or the leading times
    /// of the shapes.
    pub fn secs(&self) -> [f64; 2] {
        self.crossfade_secs
            .map_or([self.start, self.end].map(Shape::secs), |secs| [secs; 2])
    }
}

/// A method of the article on looping by inertialization; other settings have their defaults.
#[value(Copy, Eq)]
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
        Method {
            shares,
            order,
            ..Method::new(Shape::from_given(kind, |_| None))
        }
    }
}
