//! Kernels and parts of solvers, for benches, measurements and tests of this project. They change without notice.

/// Lower bounds of seams.
pub mod bound {
    pub use crate::candidate::bound::*;
}

/// The repetition of the frames around a pair.
pub mod rhythm {
    pub use crate::candidate::rhythm::*;
}

/// Distinct pairs by cost.
pub mod search {
    pub use crate::candidate::search::*;
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

/// Finds a rig's root joint.
pub mod root_joint {
    pub use crate::root_motion::root_joint::*;
}

/// The compared frames.
pub mod comparison {
    pub use crate::candidate::comparison::*;
}

/// Exact costs of the seams between any two frames.
pub mod seams {
    pub use crate::candidate::seams::*;
}
