//! The order to which a seam is closed.

/// Order to which a seam is closed.
#[handed_over(Copy, Default, Eq, PartialOrd, Ord)]
#[in_words]
pub enum Order {
    /// Pose alone; velocities keep their gap, so the seam is a kink: to compare with.
    C0,
    /// Pose and velocity.
    C1,
    /// Acceleration as well, if both shapes support it (quintic, least); pose and velocity otherwise.
    #[default]
    C2,
}

impl Order {
    /// Returns the number of boundary conditions at both ends together.
    pub fn num_conditions(self) -> usize {
        match self {
            Self::C0 => 2,
            Self::C1 => 4,
            Self::C2 => 6,
        }
    }
}
