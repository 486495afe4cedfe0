//! Velocity and acceleration from samples: the one place where motion is differentiated.
//!
//! Central differences where there is a frame on either side, three-point one-sided ones at an open end, and across the seam
//! where the motion already loops. Error orders: docs/math/estimators.md.

use glam::{DQuat, DVec3};

use crate::math::rotation;

/// Velocities of a whole track of points, per second; `dt` is the time between samples.
///
/// Second order everywhere: central inside, three-point one-sided at both ends. A single sample has no velocity and gets
/// zero; two share their one difference.
pub fn velocities(track: &[DVec3], dt: f64) -> Vec<DVec3> {
    let last = track.len().saturating_sub(1);
    (0..track.len())
        .map(|i| match (i, last) {
            (_, 0) => DVec3::ZERO,
            (_, 1) => (track[1] - track[0]) / dt,
            (0, _) => one_sided_velocity(track[0], track[1], track[2], dt),
            (i, _) if i == last => -one_sided_velocity(track[i], track[i - 1], track[i - 2], dt),
            (i, _) => (track[i + 1] - track[i - 1]) / (2.0 * dt),
        })
        .collect()
}

/// Velocity at `x0` from it and the two samples after it: (-3 x0 + 4 x1 - x2) / (2 dt), second order.
fn one_sided_velocity(x0: DVec3, x1: DVec3, x2: DVec3, dt: f64) -> DVec3 {
    (4.0 * (x1 - x0) - (x2 - x0)) / (2.0 * dt)
}

/// A rate and its rate at one end of a cut.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Derivatives {
    /// First derivative, per second.
    pub velocity: DVec3,
    /// Second derivative, per second squared.
    pub acceleration: DVec3,
}

/// Samples around one end of a cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Around<T> {
    /// One sample before, the end itself, one after.
    Both([T; 3]),
    /// The end itself and the two samples after it.
    After([T; 3]),
    /// The two samples before the end, oldest first, and the end itself.
    Before([T; 3]),
}

/// Velocity and acceleration of a point.
///
/// Central: (x+ - x-)/(2 dt) and (x+ - 2x + x-)/dt^2, second order. One-sided: second order for the velocity, first for the
/// acceleration.
pub fn of_points(samples: Around<DVec3>, dt: f64) -> Derivatives {
    let bend = |[a, b, c]: [DVec3; 3]| (a - 2.0 * b + c) / (dt * dt);
    match samples {
        Around::Both([before, at, after]) => Derivatives {
            velocity: (after - before) / (2.0 * dt),
            acceleration: bend([before, at, after]),
        },
        Around::After([x0, x1, x2]) => Derivatives {
            velocity: one_sided_velocity(x0, x1, x2, dt),
            acceleration: bend([x0, x1, x2]),
        },
        Around::Before([x2, x1, x0]) => Derivatives {
            velocity: -one_sided_velocity(x0, x1, x2, dt),
            acceleration: bend([x2, x1, x0]),
        },
    }
}

/// Angular velocity and acceleration of a rotation, in the space it maps to.
///
/// The samples become rotation vectors about the end itself, where the vector is zero, its first derivative is the angular
/// velocity and its second the angular acceleration (the left Jacobian there is the identity and its rate turns nothing
/// parallel). Source: docs/math/estimators.md.
pub fn of_rotations(samples: Around<DQuat>, dt: f64) -> Derivatives {
    let about = |at: DQuat, samples: [DQuat; 3]| samples.map(|q| rotation::difference(q, at));
    of_points(
        match samples {
            Around::Both(q) => Around::Both(about(q[1], q)),
            Around::After(q) => Around::After(about(q[0], q)),
            Around::Before(q) => Around::Before(about(q[2], q)),
        },
        dt,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::ops;

    #[test]
    fn quadratics_are_exact() {
        let x = |t: f64| DVec3::new(1.0 + 2.0 * t - 3.0 * t * t, t, 0.5 * t * t);
        let dt = 0.1;
        let track: Vec<DVec3> = (0..6).map(|i| x(f64::from(i) * dt)).collect();
        for (i, v) in velocities(&track, dt).iter().enumerate() {
            let t = i as f64 * dt;
            assert!((*v - DVec3::new(2.0 - 6.0 * t, 1.0, t)).length() < 1e-13);
        }
        let bend = DVec3::new(-6.0, 0.0, 1.0);
        for samples in [Around::Both([x(-dt), x(0.0), x(dt)]), Around::After([x(0.0), x(dt), x(2.0 * dt)])] {
            let found = of_points(samples, dt);
            assert!((found.velocity - DVec3::new(2.0, 1.0, 0.0)).length() < 1e-12);
            assert!((found.acceleration - bend).length() < 1e-11);
        }
        let found = of_points(Around::Before([x(-2.0 * dt), x(-dt), x(0.0)]), dt);
        assert!((found.velocity - DVec3::new(2.0, 1.0, 0.0)).length() < 1e-12);
        assert_eq!(velocities(&[], dt), []);
        assert_eq!(velocities(&track[..1], dt), [DVec3::ZERO]);
    }

    /// q(t) = exp(r(t)) has the angular velocity J r' and acceleration J r'' + J' r'.
    #[test]
    fn rotations_converge_with_the_order_derived() {
        let r = |t: f64| DVec3::new(0.4 * ops::sin(2.0 * t), 0.7 * t, 0.3 * ops::cos(3.0 * t));
        let r1 = |t: f64| DVec3::new(0.8 * ops::cos(2.0 * t), 0.7, -0.9 * ops::sin(3.0 * t));
        let r2 = |t: f64| DVec3::new(-1.6 * ops::sin(2.0 * t), 0.0, -2.7 * ops::cos(3.0 * t));
        let t = 0.37;
        let w = rotation::left_jacobian(r(t)) * r1(t);
        let dw = rotation::left_jacobian(r(t)) * r2(t) + rotation::left_jacobian_rate(r(t), r1(t)) * r1(t);
        let q = |t: f64| rotation::exp(r(t));
        let errors = |dt: f64, kind: u8| {
            let found = of_rotations(
                match kind {
                    0 => Around::Both([q(t - dt), q(t), q(t + dt)]),
                    1 => Around::After([q(t), q(t + dt), q(t + 2.0 * dt)]),
                    _ => Around::Before([q(t - 2.0 * dt), q(t - dt), q(t)]),
                },
                dt,
            );
            ((found.velocity - w).length(), (found.acceleration - dw).length())
        };
        for kind in 0..3 {
            let (coarse, fine) = (errors(0.02, kind), errors(0.01, kind));
            assert!(coarse.0 / fine.0 > 3.6, "{kind} {coarse:?} {fine:?}");
            let order = if kind == 0 { 3.6 } else { 1.8 };
            assert!(coarse.1 / fine.1 > order, "{kind} {coarse:?} {fine:?}");
        }
    }
}
