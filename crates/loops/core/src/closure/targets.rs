//! The offsets required at both ends of a track, with the gap shared between them.

use glam::DVec3;

use super::{Shares, boundary::MAX_CONDITIONS, ends::EndState};

/// Offsets wanted at both ends of a track, start first, with their derivatives: the conditions of the boundary system.
#[value(Copy, Default)]
pub struct Targets {
    /// o(0) and o(T), metres or radians.
    pub value: [DVec3; 2],
    /// o'(0) and o'(T), per second.
    pub rate: [DVec3; 2],
    /// o''(0) and o''(T), per second squared; ignored when only C1 is met.
    pub acceleration: [DVec3; 2],
}

/// Offsets wanted at both ends of a joint's tracks.
#[derive(Clone, Copy, Default)]
pub(crate) struct JointTargets {
    pub translation: Targets,
    pub rotation: Targets,
}

impl Targets {
    /// Returns these at the start, and at the end the image of others.
    pub(super) fn ending_like(&self, other: &Self, image: impl Fn(DVec3) -> DVec3) -> Self {
        Self {
            value: [self.value[0], image(other.value[1])],
            rate: [self.rate[0], image(other.rate[1])],
            acceleration: [self.acceleration[0], image(other.acceleration[1])],
        }
    }

    /// Returns the offset, or its derivative, for the given weights.
    pub fn mix(&self, weights: &[f64; MAX_CONDITIONS]) -> DVec3 {
        let [start, end, start_rate, end_rate, start_acceleration, end_acceleration] = *weights;
        self.value[0] * start
            + self.value[1] * end
            + self.rate[0] * start_rate
            + self.rate[1] * end_rate
            + self.acceleration[0] * start_acceleration
            + self.acceleration[1] * end_acceleration
    }
}

/// Returns the offsets required at both ends of a track of points.
///
/// With d, e, g the gaps of position, velocity and acceleration: o(0) = rho d, o(T) = -(1-rho) d, and likewise sigma of e for o'
/// and tau of g for o''. Source: docs/math/boundary.md.
pub fn point_targets(start: &EndState<DVec3>, end: &EndState<DVec3>, shares: &Shares) -> Targets {
    let split = |gap: DVec3, share: f64| [share * gap, -(1.0 - share) * gap];
    Targets {
        value: split(end.value - start.value, shares.rho),
        rate: split(end.velocity - start.velocity, shares.sigma),
        acceleration: split(end.acceleration - start.acceleration, shares.tau),
    }
}
