//! The seam of a cut: what lies between its end and its start, and what the offsets at both ends must be to close it.

use glam::{DQuat, DVec3};

use super::Shares;
use crate::math::rotation;

/// Pose and motion of a track of points at one end of a cut.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointEnd {
    /// Position, metres.
    pub position: DVec3,
    /// Velocity, metres per second.
    pub velocity: DVec3,
    /// Acceleration, metres per second squared.
    pub acceleration: DVec3,
}

/// Pose and motion of a track of rotations at one end of a cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RotationEnd {
    /// Rotation.
    pub rotation: DQuat,
    /// Angular velocity in the space the rotation maps to, radians per second.
    pub velocity: DVec3,
    /// Angular acceleration, radians per second squared.
    pub acceleration: DVec3,
}

/// Offsets wanted at both ends: values, rates and bends; the six conditions of the boundary system in its order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Targets {
    /// o(0), o(T), o'(0), o'(T), o''(0), o''(T).
    pub conditions: [DVec3; 6],
}

/// Targets of a track of points.
///
/// o(0) = rho d, o(T) = -(1-rho) d, and likewise sigma of the velocity gap and tau of the acceleration gap; gaps are end
/// minus start. Source: docs/math/closure.md.
pub fn point_targets(start: &PointEnd, end: &PointEnd, shares: &Shares) -> Targets {
    let d = end.position - start.position;
    let e = end.velocity - start.velocity;
    let g = end.acceleration - start.acceleration;
    Targets {
        conditions: [
            shares.rho * d,
            -(1.0 - shares.rho) * d,
            shares.sigma * e,
            -(1.0 - shares.sigma) * e,
            shares.tau * g,
            -(1.0 - shares.tau) * g,
        ],
    }
}

/// Targets of a track of rotations, as rotation vectors o with exp(o) q closed.
///
/// With D = log(q(T) q(0)^-1) on the short side, o(0) = rho D and o(T) = -(1-rho) D make the poses equal. exp(o) q has the
/// angular velocity J o' + exp(o) w, so o' = J^-1 (w* - exp(o) w) with w* the shared mean; its angular acceleration is
/// J o'' + J' o' + (J o') x (exp(o) w) + exp(o) w', which is solved for o'' likewise. Source: docs/math/closure.md.
pub fn rotation_targets(start: &RotationEnd, end: &RotationEnd, shares: &Shares) -> Targets {
    let d = rotation::difference(end.rotation, start.rotation);
    let (o_start, o_end) = (shares.rho * d, -(1.0 - shares.rho) * d);
    let carried = |o: DVec3, end: &RotationEnd| {
        let turn = rotation::exp(o);
        (turn * end.velocity, turn * end.acceleration)
    };
    let (w_start, dw_start) = carried(o_start, start);
    let (w_end, dw_end) = carried(o_end, end);
    let w_seam = (1.0 - shares.sigma) * w_start + shares.sigma * w_end;
    let dw_seam = (1.0 - shares.tau) * dw_start + shares.tau * dw_end;
    let solve = |o: DVec3, w: DVec3, dw: DVec3| {
        let inverse = rotation::left_jacobian_inverse(o);
        let added = w_seam - w;
        let rate = inverse * added;
        let bend = inverse * (dw_seam - rotation::left_jacobian_rate(o, rate) * rate - added.cross(w) - dw);
        (rate, bend)
    };
    let (rate_start, bend_start) = solve(o_start, w_start, dw_start);
    let (rate_end, bend_end) = solve(o_end, w_end, dw_end);
    Targets {
        conditions: [o_start, o_end, rate_start, rate_end, bend_start, bend_end],
    }
}

/// Angular velocity and acceleration of exp(o(t)) q(t) at one end, from the offset's value, rate and bend there.
pub fn closed_rotation(end: &RotationEnd, o: DVec3, rate: DVec3, bend: DVec3) -> RotationEnd {
    let turn = rotation::exp(o);
    let jacobian = rotation::left_jacobian(o);
    let (w, dw) = (turn * end.velocity, turn * end.acceleration);
    let added = jacobian * rate;
    RotationEnd {
        rotation: turn * end.rotation,
        velocity: added + w,
        acceleration: jacobian * bend + rotation::left_jacobian_rate(o, rate) * rate + added.cross(w) + dw,
    }
}

/// Largest gaps over joints, sizes of vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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
    /// Takes in the gap of a track of points.
    pub(super) fn add_points(&mut self, start: &PointEnd, end: &PointEnd) {
        self.position = self.position.max((end.position - start.position).length());
        self.velocity = self.velocity.max((end.velocity - start.velocity).length());
        self.acceleration = self.acceleration.max((end.acceleration - start.acceleration).length());
    }

    /// Takes in the gap of a track of rotations; rates are compared in the space both map to.
    pub(super) fn add_rotations(&mut self, start: &RotationEnd, end: &RotationEnd) {
        self.angle = self.angle.max(rotation::difference(end.rotation, start.rotation).length());
        self.angular_velocity = self.angular_velocity.max((end.velocity - start.velocity).length());
        self.angular_acceleration = self.angular_acceleration.max((end.acceleration - start.acceleration).length());
    }
}
