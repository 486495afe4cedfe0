//! Offsets of rotations: q(t) becomes exp(o(t)) q(t), and o must make poses, angular velocities and angular accelerations meet.
//!
//! Rotation vectors are not additive; adding them leaves errors of up to a radian per second. The left Jacobian J and its rate
//! convert o and o' into motion. Derivation: docs/math/so3.md.

use glam::{DQuat, DVec3};

use super::{Shares, ends::EndState, targets::Targets};
use crate::math::rotation;

/// Returns the offsets wanted at both ends of a track of rotations.
///
/// With D = log(q(T) q(0)^-1) on the short side, o(0) = rho D and o(T) = -(1-rho) D make the poses equal. The angular velocities
/// meet at w* = (1-sigma) exp(o(0)) w(0) + sigma exp(o(T)) w(T) when o' = J^-1 (w* - exp(o) w) at either end. The accelerations
/// meet at the corresponding mean of exp(o) w' when o'' = J^-1 (w'* - J' o' - (w* - exp(o) w) x (exp(o) w) - exp(o) w'). At a gap
/// of exactly half a turn the short side depends on the sign. Source: docs/math/so3.md.
pub fn rotation_targets(start: &EndState<DQuat>, end: &EndState<DQuat>, shares: &Shares) -> Targets {
    let gap = pose_gap(start.value, end.value);
    let offsets = [shares.rho * gap, -(1.0 - shares.rho) * gap];
    let [at_start, at_end] = [(start, offsets[0]), (end, offsets[1])].map(|(end, o)| {
        let offset = rotation::exp(o);
        (offset * end.velocity, offset * end.acceleration)
    });
    let seam_velocity = (1.0 - shares.sigma) * at_start.0 + shares.sigma * at_end.0;
    let seam_acceleration = (1.0 - shares.tau) * at_start.1 + shares.tau * at_end.1;
    let [start, end] = [(offsets[0], at_start), (offsets[1], at_end)].map(|(o, (velocity, acceleration))| {
        let inverse = rotation::left_jacobian_inverse(o);
        let added = seam_velocity - velocity;
        let rate = inverse * added;
        let by_turning = rotation::left_jacobian_rate(o, rate) * rate + added.cross(velocity);
        (rate, inverse * (seam_acceleration - by_turning - acceleration))
    });
    Targets {
        value: offsets,
        rate: [start.0, end.0],
        acceleration: [start.1, end.1],
    }
}

/// Returns the pose and motion of exp(o(t)) q(t) at one time, from o and its first and second derivative.
///
/// Velocity J o' + exp(o) w, acceleration J o'' + J' o' + (J o') x (exp(o) w) + exp(o) w'. Source:
/// docs/math/so3.md.
pub fn offset_motion(raw: &EndState<DQuat>, o: DVec3, rate: DVec3, acceleration: DVec3) -> EndState<DQuat> {
    let offset = rotation::exp(o);
    let jacobian = rotation::left_jacobian(o);
    let velocity = offset * raw.velocity;
    let added = jacobian * rate;
    EndState {
        value: rotate_by(o, raw.value),
        velocity: added + velocity,
        acceleration: jacobian * acceleration
            + rotation::left_jacobian_rate(o, rate) * rate
            + added.cross(velocity)
            + offset * raw.acceleration,
    }
}

/// Returns the rotation vector from the start's rotation to the end's, short side; exactly zero when their bits are equal.
pub(super) fn pose_gap(start: DQuat, end: DQuat) -> DVec3 {
    // q times its own inverse differs from the identity by rounding, which would move tracks that do not move.
    if end == start {
        DVec3::ZERO
    } else {
        rotation::difference(end, start)
    }
}

/// exp(o) q, of unit length; bit for bit q when o is zero.
pub(super) fn rotate_by(o: DVec3, q: DQuat) -> DQuat {
    if o == DVec3::ZERO {
        q
    } else {
        (rotation::exp(o) * q).normalize()
    }
}
