//! Settings for the removal of root motion from a stretch.

/// Default standard deviation of the weights that smooth a root's path, seconds.
///
/// Shorter, and the root jerks with every step; longer, and it no longer follows the body. A quarter of a second removes the
/// bounce of steps (2% of an oscillation of two per second is left) and keeps the weave of strides.
pub const PATH_SMOOTHING_SECS: f64 = 0.25;

/// The use of the take's root motion.
#[handed_over(Copy, Default, Eq)]
#[in_words]
pub enum RootMode {
    /// The root moves at one constant velocity and turn rate (a twist); the hips keep what differs from it.
    #[default]
    Constant,
    /// The root moves straight ahead at a constant velocity and never turns; closing removes the turn of the take from the body.
    Linear,
    /// The root stays where it starts; its velocity and turn rate are only reported.
    InPlace,
    /// The root motion stays on the joint that carried it in the take; its mean over a cycle is the same constant twist.
    Keep,
    /// The root follows the smoothed path of the hips over the ground; its mean over a cycle is the same constant twist.
    Path,
    /// The root moves as captured; only the difference between its velocities at both ends is faded out, and its travel adds up from
    /// cycle to cycle. Its mean over a cycle is the same constant twist.
    Inertialized,
    /// There is no root motion: closing brings the body back to where it started.
    Stationary,
}

impl RootMode {
    /// Whether a file or an engine moves the root: not if it stays in place and the root motion is only reported.
    pub fn moves_root(self) -> bool {
        !matches!(self, Self::InPlace | Self::Stationary)
    }

    /// Whether the root follows a path of its own about its constant twist.
    pub fn follows_path(self) -> bool {
        matches!(self, Self::Path | Self::Inertialized)
    }
}

/// The motions that count as root motion.
#[handed_over(Copy, Default, Eq)]
#[in_words]
pub enum RootSpace {
    /// Turns about the up axis, motion over the ground, and a climb above 3 cm per cycle: bodies that stand and walk.
    #[default]
    Ground,
    /// Any rigid motion, about any axis: props, and animals that roll or climb. The root is the mean frame of the hips.
    Full,
}

/// How an inertialized root fades the difference between its velocities; `None` uses the closure's value.
#[handed_over(Copy, Default)]
pub struct RootBlend {
    /// Seconds over which it fades after the start.
    pub start_secs: Option<f64>,
    /// Seconds over which it fades before the end.
    pub end_secs: Option<f64>,
    /// Share of the difference that the start takes, 0 to 1; the end takes the rest.
    pub share: Option<f64>,
}

/// How root motion is removed from a stretch, and what it is used for.
#[handed_over(Copy)]
pub struct RootSettings {
    /// The use of the root motion.
    pub mode: RootMode,
    /// The motions that count as root motion.
    pub space: RootSpace,
    /// Standard deviation of the weights that smooth the root's path, seconds; for [`RootMode::Path`], and for
    /// [`RootMode::Inertialized`] if the take has no moving root joint.
    pub path_smoothing_secs: f64,
    /// How [`RootMode::Inertialized`] fades.
    pub blend: RootBlend,
    /// Also accept loops that turn by more than [`MAX_LINEAR_TURN`] for [`RootMode::Linear`].
    pub force_straight: bool,
    /// Whether the loop is moved to the origin and turned to face +Z, instead of keeping the place of the take.
    pub recenter: bool,
}

impl Default for RootSettings {
    fn default() -> Self {
        Self {
            mode: RootMode::default(),
            space: RootSpace::default(),
            path_smoothing_secs: PATH_SMOOTHING_SECS,
            blend: RootBlend::default(),
            force_straight: false,
            recenter: false,
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

/// A loop that turns by more than this over its length, radians (5 degrees), is not straight: closing would turn the body by the
/// whole angle within a fraction of a second.
pub const MAX_LINEAR_TURN: f64 = 5.0_f64.to_radians();

/// Why the root motion cannot be removed with these settings.
#[error_kinds]
pub enum RootError {
    #[error(
        "the stretch turns by {:.1} degrees, a straight root takes {:.0}",
        found.to_degrees(),
        MAX_LINEAR_TURN.to_degrees()
    )]
    Turns {
        /// Size of the turn from start to end, radians.
        found: f64,
    },
    #[error("the smoothing of the path must be a positive number of seconds, found {found}")]
    Smoothing { found: f64 },
    #[error("the root's blend must last a positive number of seconds, found {found}")]
    Blend { found: f64 },
    #[error("the start's share of the root's blend must lie between 0 and 1, found {found}")]
    Share { found: f64 },
    #[error("the {mode} of a root lies on the ground, root motion in full space leaves it")]
    PathInFullSpace {
        /// The requested mode.
        mode: RootMode,
    },
    #[error("half a cycle is mirrored across an upright plane, so its root motion must be over the ground")]
    HalfInFullSpace,
}

impl RootSettings {
    /// Checks the settings, independent of the take. Errors: [`RootError`].
    pub fn check(&self) -> Result<(), RootError> {
        let secs = self.path_smoothing_secs;
        if !(secs > 0.0 && secs.is_finite()) {
            return Err(RootError::Smoothing { found: secs });
        }
        let RootBlend {
            start_secs,
            end_secs,
            share,
        } = self.blend;
        let mut times = [start_secs, end_secs].into_iter().flatten();
        if let Some(found) = times.find(|found| !(*found > 0.0 && found.is_finite())) {
            return Err(RootError::Blend { found });
        }
        if let Some(found) = share.filter(|found| !(0.0..=1.0).contains(found)) {
            return Err(RootError::Share { found });
        }
        if self.mode.follows_path() && self.space == RootSpace::Full {
            return Err(RootError::PathInFullSpace { mode: self.mode });
        }
        Ok(())
    }
}
