//! The root motion of a loop: one constant velocity and turn rate.

use glam::DVec3;

use crate::math::{Rigid, Twist};

/// Constant root motion: root(t) = start * exp(t * twist).
///
/// A value without a policy: the writer or player of the loop decides whether the file or the engine moves the root.
#[handed_over(Copy)]
pub struct RootMotion {
    /// World transform of the root at the start.
    pub start: Rigid,
    /// The constant velocity and turn rate, in the root's own axes.
    pub twist: Twist,
}

impl RootMotion {
    /// Creates a root with a start and a twist.
    pub const fn new(start: Rigid, twist: Twist) -> Self {
        Self { start, twist }
    }

    /// A root that is fixed at the origin.
    pub const NONE: Self = Self {
        start: Rigid::IDENTITY,
        twist: Twist::ZERO,
    };

    /// Returns the world transform of the root `secs` seconds after the start, over any number of cycles.
    pub fn at(&self, secs: f64) -> Rigid {
        // A root that rests, or does not turn, keeps its bits.
        if self.twist == Twist::ZERO {
            return self.start;
        }
        let moved = self.start * self.twist.exp(secs);
        if self.twist.angular == DVec3::ZERO {
            return Rigid::new(self.start.rotation, moved.translation);
        }
        moved
    }

    /// Returns the root without motion.
    #[must_use]
    pub fn standing(&self) -> Self {
        Self {
            twist: Twist::ZERO,
            ..*self
        }
    }
}
