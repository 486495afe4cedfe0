//! The gaps of a seam: the differences between the end of a cut and its start.

use glam::DVec3;

use super::{ends::JointEnds, rotation::pose_gap};

/// Gap of one joint's local motion at the seam, end minus start.
#[handed_over(Copy, Default)]
pub struct JointGap {
    /// Gap of the translation, metres.
    pub position: DVec3,
    /// Gap of its velocity, metres per second.
    pub velocity: DVec3,
    /// Gap of its acceleration, metres per second squared.
    pub acceleration: DVec3,
    /// Rotation vector from the start's rotation to the end's, radians, short side.
    pub angle: DVec3,
    /// Gap of the angular velocity in the parent's axes, radians per second.
    pub angular_velocity: DVec3,
    /// Gap of the angular acceleration, radians per second squared.
    pub angular_acceleration: DVec3,
}

impl JointGap {
    pub(crate) fn new(ends: &JointEnds) -> Self {
        let [from, to] = ends.translation;
        let [from_turn, to_turn] = ends.rotation;
        Self {
            position: to.value - from.value,
            velocity: to.velocity - from.velocity,
            acceleration: to.acceleration - from.acceleration,
            angle: pose_gap(from_turn.value, to_turn.value),
            angular_velocity: to_turn.velocity - from_turn.velocity,
            angular_acceleration: to_turn.acceleration - from_turn.acceleration,
        }
    }
}

/// Gaps of all joints, in skeleton order.
#[handed_over(Default)]
pub struct SeamGaps {
    /// One entry per joint.
    pub joints: Vec<JointGap>,
}

impl SeamGaps {
    /// Returns the largest of each gap over the joints.
    pub fn largest(&self) -> Gaps {
        self.joints.iter().fold(Gaps::default(), Gaps::max)
    }
}

/// Largest gaps over joints, as lengths of vectors.
#[handed_over(Copy, Default)]
pub struct Gaps {
    /// Metres.
    pub position: f64,
    /// Metres per second.
    pub velocity: f64,
    /// Metres per second squared.
    pub acceleration: f64,
    /// Radians.
    pub angle: f64,
    /// Radians per second.
    pub angular_velocity: f64,
    /// Radians per second squared.
    pub angular_acceleration: f64,
}

impl Gaps {
    /// Returns the larger of each gap, of these and of one more joint.
    pub(super) fn max(self, gap: &JointGap) -> Self {
        Self {
            position: self.position.max(gap.position.length()),
            velocity: self.velocity.max(gap.velocity.length()),
            acceleration: self.acceleration.max(gap.acceleration.length()),
            angle: self.angle.max(gap.angle.length()),
            angular_velocity: self.angular_velocity.max(gap.angular_velocity.length()),
            angular_acceleration: self.angular_acceleration.max(gap.angular_acceleration.length()),
        }
    }
}
