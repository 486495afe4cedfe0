//! What closes a seam, by name, as people write it.

use loopwright::closure::{DEFAULT_BLEND_SECS, Shape};

/// What closes a seam, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClosureName {
    Auto,
    Quintic,
    Cubic,
    Spring,
    Linear,
    SoftFade,
    Adjustment,
    Crossfade,
    Open,
}

loopwright::words!(ClosureName {
    Auto: "auto",
    Quintic: "quintic",
    Cubic: "cubic",
    Spring: "spring",
    Linear: "linear",
    SoftFade: "softfade",
    Adjustment: "adjustment",
    Crossfade: "crossfade",
    Open: "open",
});

/// Half-life of a spring unless given, seconds.
const HALF_LIFE_SECS: f64 = 0.1;

/// Hardness of a soft fade unless given, and its duration, seconds: those of the article.
const HARDNESS: f64 = 16.0;
const DURATION_SECS: f64 = 0.4;

impl ClosureName {
    /// What closes a whole body.
    pub(crate) const OF_BODIES: [Self; 8] = [
        Self::Auto,
        Self::Quintic,
        Self::Cubic,
        Self::Spring,
        Self::Linear,
        Self::SoftFade,
        Self::Adjustment,
        Self::Crossfade,
    ];

    /// What closes single joints.
    pub(crate) const OF_JOINTS: [Self; 8] = [
        Self::Quintic,
        Self::Cubic,
        Self::Spring,
        Self::Linear,
        Self::SoftFade,
        Self::Adjustment,
        Self::Crossfade,
        Self::Open,
    ];

    /// The shape of that name with its leading time and its hardness, each with its default where not given.
    ///
    /// `auto` starts from quintics, and what a crossfade leaves is closed by them. `None` where nothing is closed.
    pub(crate) fn shape(self, secs: Option<f64>, hardness: Option<f64>) -> Option<Shape> {
        let blend_secs = secs.unwrap_or(DEFAULT_BLEND_SECS);
        Some(match self {
            Self::Auto | Self::Quintic | Self::Crossfade => Shape::Quintic { blend_secs },
            Self::Cubic => Shape::Cubic { blend_secs },
            Self::Spring => Shape::Spring {
                half_life_secs: secs.unwrap_or(HALF_LIFE_SECS),
            },
            Self::Linear => Shape::Linear { blend_secs },
            Self::SoftFade => Shape::SoftFade {
                duration_secs: secs.unwrap_or(DURATION_SECS),
                hardness: hardness.unwrap_or(HARDNESS),
                blend_secs,
            },
            Self::Adjustment => Shape::Adjustment { blend_secs },
            Self::Open => return None,
        })
    }
}

impl From<Shape> for ClosureName {
    fn from(shape: Shape) -> Self {
        match shape {
            Shape::Cubic { .. } => Self::Cubic,
            Shape::Spring { .. } => Self::Spring,
            Shape::Linear { .. } => Self::Linear,
            Shape::SoftFade { .. } => Self::SoftFade,
            Shape::Adjustment { .. } => Self::Adjustment,
            _ => Self::Quintic,
        }
    }
}
