//! The root motion of a loop: one constant velocity and turn rate.

use crate::math::rigid::{Rigid, Twist};

/// Constant root motion: root(t) = start * exp(t * twist).
///
/// A value without a policy: whether a file or an engine plays it is for whoever writes or plays the loop to decide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMotion {
    /// Where the root stands at the start, world.
    pub start: Rigid,
    /// The constant velocity and turn rate, in the root's own axes.
    pub twist: Twist,
}

impl RootMotion {
    /// A root that stands at the origin.
    pub const NONE: Self = Self {
        start: Rigid::IDENTITY,
        twist: Twist::ZERO,
    };

    /// World transform of the root `secs` seconds after the start, over any number of cycles.
    pub fn at(&self, secs: f64) -> Rigid {
        // A root that stands stays where it is to the last bit.
        if self.twist == Twist::ZERO {
            return self.start;
        }
        self.start * self.twist.exp(secs)
    }

    /// The root that stays where it starts.
    #[must_use]
    pub fn standing(&self) -> Self {
        Self {
            twist: Twist::ZERO,
            ..*self
        }
    }
}
