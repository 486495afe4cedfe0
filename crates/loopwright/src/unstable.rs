//! Kernels and parts of solvers, for benches, measurements and tests of this project. They change without notice.

/// Lower bounds of seams.
pub mod bound {
    pub use crate::candidate::bound::*;
}

/// How well the frames around a pair repeat.
pub mod rhythm {
    pub use crate::candidate::rhythm::*;
}

/// The price of a seam.
pub mod score {
    pub use crate::candidate::score::*;
}

/// Distinct pairs by cost.
pub mod search {
    pub use crate::candidate::search::*;
}

/// Lengths at which a take repeats.
pub mod spectrum {
    pub use crate::analysis::spectrum::*;

    /// Lengths at which features repeat.
    pub fn of(features: &crate::analysis::Features) -> Spectrum {
        Spectrum::of(features)
    }
}

/// When a foot stands.
pub mod standing {
    pub use crate::analysis::standing::*;
}

/// Velocity and acceleration estimates.
pub mod velocity {
    pub use crate::analysis::velocity::*;
}

/// The linear system of a closure.
pub mod boundary {
    pub use crate::closure::boundary::*;
}

/// Velocities at the ends of a cut.
pub mod ends {
    pub use crate::closure::ends::*;
}

/// Boundary values of rotations.
pub mod rotation {
    pub use crate::closure::rotation::*;
}

/// Boundary values of points.
pub mod targets {
    pub use crate::closure::targets::*;
}

/// The root motion of a period.
pub mod cycle {
    pub use crate::root_motion::cycle::*;
}

/// Finds a rig's root joint.
pub mod root_joint {
    pub use crate::root_motion::root_joint::*;
}

/// Finite screw motions.
pub mod screw {
    pub use crate::math::screw::*;
}

/// Fits of rigid motions to points.
pub mod fit {
    pub use crate::math::fit::*;
}

/// The frames that are compared.
pub mod comparison {
    pub use crate::candidate::comparison::*;
}

/// Exact costs of the seams between any two frames.
pub mod seams {
    pub use crate::candidate::seams::*;
}

/// The mirror image of a clip, and the closure of such a half cycle.
pub mod image {
    pub use crate::closure::image::*;
}

/// The size of the body of a take relative to a man.
pub fn body_size(analysis: &crate::Analysis) -> f64 {
    analysis.body.size(&analysis.take)
}
