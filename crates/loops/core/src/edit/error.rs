//! Why a loop cannot be edited.

/// Why a loop cannot be edited.
#[error_kinds]
pub enum EditError {
    #[error("there is no joint {joint}, the skeleton has {num_joints}")]
    Joint { joint: usize, num_joints: usize },
    #[error("joint {name} carries the root motion of the rig and is not edited")]
    RootJoint { name: String },
    #[error("the time of an edit must be a number, found {found}")]
    Moment {
        /// Seconds or share given.
        found: f64,
    },
    /// The width is shorter than a few samples, or longer than the loop.
    #[error("the width of an edit must be {least:.3} to {most:.3} s for this loop, found {found}")]
    Width {
        found: f64,
        /// Six samples.
        least: f64,
        most: f64,
    },
    /// The rotation is not finite, or more than a whole turn.
    #[error("an edit turns a joint by up to {:.0} degrees, found {:.3}", .most.to_degrees(), .found.to_degrees())]
    Rotation {
        /// Radians given.
        found: f64,
        /// A whole turn.
        most: f64,
    },
    #[error(
        "joint {name} is not of the trunk, the head, an arm or a leg, and cannot be raised, spread or twisted; a rotation \
         turns it"
    )]
    NoBodyAxes { name: String },
    #[error(
        "joint {name} points aside, and raising it about the axis from right to left would only twist it; spread or twist \
         it"
    )]
    PointsAside { name: String },
    /// The distance is not finite, or longer than any body.
    #[error("an edit moves a joint by up to {most:.0} m, found {found}")]
    Distance {
        /// Metres given.
        found: f64,
        /// Farther than any body reaches.
        most: f64,
    },
    /// The smoothing time is out of range.
    #[error("smoothing takes 0 to {most:.3} s for this loop, found {found}")]
    Smoothing {
        found: f64,
        /// Half the period, at most a second.
        most: f64,
    },
    #[error("a swing is scaled by 0 to {most}, found {found}")]
    Swing { found: f64, most: f64 },
    #[error("joint {name} turns all around, and has no swing about a mean")]
    TurnsAround { name: String },
    /// The size of the noise is out of range.
    #[error("noise turns joints by 0 to {:.0} degrees, found {:.3}", .most.to_degrees(), .found.to_degrees())]
    Noise {
        /// Radians given.
        found: f64,
        most: f64,
    },
    #[error("the highest rate of noise must be {least} to {most} Hz, found {found}")]
    NoiseRate { found: f64, least: f64, most: f64 },
    #[error("a loop turns by up to {:.0} degrees, found {:.3}", .most.to_degrees(), .found.to_degrees())]
    Turn {
        /// Radians given.
        found: f64,
        /// A whole turn.
        most: f64,
    },
    #[error("a root that moves straight ahead or not at all cannot be aimed")]
    RootNeverTurns,
    #[error("a root that moves in full space cannot be aimed")]
    AimInFullSpace,
    #[error("a loop whose second half mirrors the first goes straight ahead and cannot be aimed")]
    AimMirrored,
    #[error(
        "joint {name} is its own mirror image, and an offset to one side all the time cannot be in a loop whose second half \
         mirrors the first; one at a time can"
    )]
    Lopsided { name: String },
    #[error(
        "joint {name} is a hinge, which turns about one axis alone and stays in its place, and this edit moves it otherwise"
    )]
    Hinge { name: String },
    /// The joint is above the one that carries the root motion, and does not move in a loop of two mirrored halves.
    #[error("joint {name} lies above the hips and is not edited in a loop whose second half mirrors the first")]
    AboveMirrored { name: String },
}
