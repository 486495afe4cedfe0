//! How root motion is taken out of a stretch, and what becomes of it.

use crate::words;

/// Standard deviation of the weights that smooth a root's path unless given, seconds.
///
/// Shorter, and the root jerks with every step; longer, and it no longer follows the body. A quarter of a second takes the
/// bounce of steps away (2% of what comes twice a second is left) and keeps the weave of strides.
pub const PATH_SMOOTHING_SECS: f64 = 0.25;

/// What becomes of the root motion of the take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RootMode {
    /// The root moves at one constant velocity and turn rate (a twist); the hips keep what differs from it.
    #[default]
    Constant,
    /// The root moves straight ahead at a constant velocity and never turns; closing takes the turn of the take out of the
    /// body.
    Linear,
    /// The root stays where it starts; its velocity and turn rate are only reported.
    InPlace,
    /// The root motion stays on the joint that carried it in the take; its mean over a cycle is the same constant twist.
    Keep,
    /// The root follows the smoothed path of the hips over the ground; its mean over a cycle is the same constant twist.
    Path,
    /// There is no root motion: closing brings the body back to where it started.
    Stationary,
}

impl RootMode {
    /// Whether a file or an engine moves the root: not where it stays, and the root motion is reported only.
    pub fn moves_root(self) -> bool {
        !matches!(self, Self::InPlace | Self::Stationary)
    }
}

words!(RootMode {
    Constant: "constant" | "screw",
    Linear: "linear" | "rabbit",
    InPlace: "in-place",
    Keep: "keep",
    Path: "path",
    Stationary: "stationary" | "world",
});

/// Which motions of a root count as travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RootSpace {
    /// Turns about the up axis, the way over the ground, and a climb above 3 cm per cycle: what stands and walks.
    #[default]
    Ground,
    /// Any rigid motion, about any axis: props, and animals that roll or climb. The root is the mean frame of the hips.
    Full,
}

words!(RootSpace {
    Ground: "ground",
    Full: "full",
});

/// How the travel is taken out of a stretch, and what becomes of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootSettings {
    /// What becomes of the travel.
    pub mode: RootMode,
    /// Which motions count as travel.
    pub space: RootSpace,
    /// Standard deviation of the weights that smooth the root's path, seconds; for [`RootMode::Path`] alone.
    pub path_smoothing_secs: f64,
    /// Take loops that turn by more than [`MAX_LINEAR_TURN`] into [`RootMode::Linear`] as well.
    pub force_straight: bool,
}

impl Default for RootSettings {
    fn default() -> Self {
        Self {
            mode: RootMode::default(),
            space: RootSpace::default(),
            path_smoothing_secs: PATH_SMOOTHING_SECS,
            force_straight: false,
        }
    }
}

impl From<RootMode> for RootSettings {
    fn from(mode: RootMode) -> Self {
        Self {
            mode,
            ..Self::default()
        }
    }
}

/// A loop that turns by more than this over its length, radians (5 degrees), is no straight one: closing bends the body by
/// the whole turn within a fraction of a second.
pub const MAX_LINEAR_TURN: f64 = 5.0 * core::f64::consts::PI / 180.0;

/// Why the travel cannot be taken out as asked for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RootError {
    /// A straight root is asked for, and the stretch turns.
    #[error(
        "the stretch turns by {:.1} degrees, a straight root takes {:.0}",
        found.to_degrees(),
        MAX_LINEAR_TURN.to_degrees()
    )]
    Turns {
        /// Size of the turn from start to end, radians.
        found: f64,
    },
    /// The smoothing of a path is not a positive number of seconds.
    #[error("the smoothing of the path must be a positive number of seconds, found {found}")]
    Smoothing {
        /// Seconds given.
        found: f64,
    },
    /// A path over the ground is asked for together with travel in all directions.
    #[error("a path lies on the ground, travel in full space leaves it")]
    PathInFullSpace,
    /// Half a cycle is to be mirrored, together with travel in all directions.
    #[error("half a cycle is mirrored across an upright plane, so its travel is that over the ground")]
    HalfInFullSpace,
}

impl RootSettings {
    /// Whether the settings can be used, whatever the take. Errors: [`RootError`].
    pub fn check(&self) -> Result<(), RootError> {
        let secs = self.path_smoothing_secs;
        if !(secs > 0.0 && secs.is_finite()) {
            return Err(RootError::Smoothing { found: secs });
        }
        if self.mode == RootMode::Path && self.space == RootSpace::Full {
            return Err(RootError::PathInFullSpace);
        }
        Ok(())
    }
}
