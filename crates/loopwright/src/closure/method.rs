//! The method that closes the seam of a joint: shapes at both ends, shares of the gaps, order.

use super::{names::ClosureName, shapes::Shape};
use crate::words;

/// Order to which a seam is closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub enum Order {
    /// Pose and velocity.
    C1,
    /// Acceleration as well, where both shapes carry it (quintic, least); pose and velocity otherwise.
    #[default]
    C2,
}

words!(Order { C1: "c1", C2: "c2" });

impl Order {
    /// Number of boundary conditions at both ends together.
    pub fn num_conditions(self) -> usize {
        match self {
            Self::C1 => 4,
            Self::C2 => 6,
        }
    }
}

/// Shares of the gaps that the start takes, each from 0 to 1; the end takes the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub struct Shares {
    /// Of the pose gap.
    pub rho: f64,
    /// Of the velocity gap.
    pub sigma: f64,
    /// Of the acceleration gap.
    pub tau: f64,
}

impl Shares {
    /// Half to each end.
    pub const EVEN: Self = Self::all(0.5);

    /// The start moves to the end, which stays as it is.
    pub const START: Self = Self::all(1.0);

    /// The end moves to the start, which stays as it is.
    pub const END: Self = Self::all(0.0);

    /// One share of all gaps.
    pub const fn all(share: f64) -> Self {
        Self {
            rho: share,
            sigma: share,
            tau: share,
        }
    }
}

/// Blend time of the default method, seconds.
///
/// Measured on 514 cuts: at 0.3 s seams rank 50 of 100, at 0.35 s 48.6, at 0.4 s 47.8, where the take's own frames rank 48.0;
/// each further 0.05 s moves the take by a fourth more.
pub const DEFAULT_BLEND_SECS: f64 = 0.35;

/// The method that closes the seam of a joint.
///
/// The default is quintic C2 over [`DEFAULT_BLEND_SECS`] with equal shares.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub struct Method {
    /// Decay of the offsets from the start.
    pub start: Shape,
    /// Decay of the offsets from the end, backwards in time.
    pub end: Shape,
    /// Shares of the gaps that the start takes; the end takes the rest.
    pub shares: Shares,
    /// Order to which the seam is closed.
    pub order: Order,
    /// Seconds over which the clip first blends into the take's frames beyond the other end; no crossfade where `None`.
    pub crossfade_secs: Option<f64>,
}

impl Default for Method {
    fn default() -> Self {
        Self::of(Shape::Quintic {
            blend_secs: DEFAULT_BLEND_SECS,
        })
    }
}

impl Method {
    /// One shape at both ends, equal shares, of the highest order that the shape allows.
    pub fn of(shape: Shape) -> Self {
        Self {
            start: shape,
            end: shape,
            shares: Shares::EVEN,
            order: Order::C2,
            crossfade_secs: None,
        }
    }

    /// A crossfade; the default offsets where the take has no frames for it.
    pub fn crossfade(secs: f64) -> Self {
        Self {
            crossfade_secs: Some(secs),
            ..Self::default()
        }
    }

    /// The names of the method at the start and at the end; both name the crossfade where there is one.
    pub fn names(&self) -> [ClosureName; 2] {
        match self.crossfade_secs {
            Some(_) => [ClosureName::Crossfade; 2],
            None => [self.start, self.end].map(ClosureName::from),
        }
    }

    /// Seconds over which the method acts at the start and at the end: those of the crossfade, or the leading times of the
    /// shapes.
    pub fn secs(&self) -> [f64; 2] {
        match self.crossfade_secs {
            Some(secs) => [secs; 2],
            None => [self.start, self.end].map(Shape::secs),
        }
    }
}

/// Default half-life of a spring, seconds.
const HALF_LIFE_SECS: f64 = 0.1;

/// Default blend time of the least closure, seconds.
///
/// Measured on 514 cuts: seams rank 48.3, those of the default quintic 48.6; at 0.4 s they rank 51.5.
const LEAST_BLEND_SECS: f64 = 0.55;

/// Default hardness of a soft fade, and its default duration, seconds: those of the article.
const HARDNESS: f64 = 16.0;
const DURATION_SECS: f64 = 0.4;

impl ClosureName {
    /// The shape of that name with its leading time, the time of its velocity where that has one of its own (springs and soft
    /// fades), and its hardness, each with its default where not given; a spring's velocity fades with the pose by default.
    ///
    /// `auto` starts from quintics, which also close the gap that a crossfade leaves. `None` where nothing is closed.
    pub fn shape(self, secs: Option<f64>, velocity_secs: Option<f64>, hardness: Option<f64>) -> Option<Shape> {
        let blend_secs = secs.unwrap_or(DEFAULT_BLEND_SECS);
        Some(match self {
            Self::Auto | Self::Quintic | Self::Crossfade => Shape::Quintic { blend_secs },
            Self::Cubic => Shape::Cubic { blend_secs },
            Self::Spring => {
                let half_life_secs = secs.unwrap_or(HALF_LIFE_SECS);
                match velocity_secs {
                    Some(velocity_half_life_secs) => Shape::TwoSprings {
                        half_life_secs,
                        velocity_half_life_secs,
                    },
                    None => Shape::Spring { half_life_secs },
                }
            }
            Self::Least => Shape::Least {
                blend_secs: secs.unwrap_or(LEAST_BLEND_SECS),
            },
            Self::Linear => Shape::Linear { blend_secs },
            Self::SoftFade => Shape::SoftFade {
                duration_secs: secs.unwrap_or(DURATION_SECS),
                hardness: hardness.unwrap_or(HARDNESS),
                blend_secs: velocity_secs.unwrap_or(blend_secs),
            },
            Self::Adjustment => Shape::Adjustment { blend_secs },
            Self::Open => return None,
        })
    }
}

impl From<Shape> for ClosureName {
    fn from(shape: Shape) -> Self {
        match shape {
            Shape::Quintic { .. } => Self::Quintic,
            Shape::Cubic { .. } => Self::Cubic,
            Shape::Spring { .. } | Shape::TwoSprings { .. } => Self::Spring,
            Shape::Least { .. } => Self::Least,
            Shape::Linear { .. } => Self::Linear,
            Shape::SoftFade { .. } => Self::SoftFade,
            Shape::Adjustment { .. } => Self::Adjustment,
        }
    }
}
