//! Euler angles: converts angles to rotations, and rotations to the angles nearest to previous ones.
//!
//! A rotation is the product R = R1(a) R2(b) R3(c) about a list of axes, the first outermost. The inverse is not unique: (a +
//! 180, 180 - b, c + 180) is the same rotation, every angle is free by whole turns, and where b is 90 degrees (gimbal lock) only
//! the sum or the difference of a and c is determined. Each choice keeps the curves continuous from the previous key.
//!
//! With s = 1 for the axis orders XYZ, YZX, ZXY and s = -1 for the others, and quaternion components numbered by the order of the
//! axes in the list, half-angle products give
//!
//! ```text
//! w + q2 = P cos((a + s c)/2)    q1 + s q3 = P sin((a + s c)/2)    P = sqrt 2 cos(b/2 - 45 degrees)
//! w - q2 = M cos((a - s c)/2)    q1 - s q3 = M sin((a - s c)/2)    M = sqrt 2 sin(45 degrees - b/2)
//! ```
//!
//! so that tan b = (P^2 - M^2) / (2 P M), at full precision everywhere, and lock is where P or M is zero.

use core::f64::consts::{PI, TAU};

use glam::DQuat;
use loopwright_core::math::ops;

use crate::space::Axis;

mod turning;

pub(crate) use turning::Turning;

/// Returns the rotation about an axis by an angle in radians.
pub(crate) fn about(axis: Axis, angle: f64) -> DQuat {
    let (sin, cos) = ops::sin_cos(0.5 * angle);
    let v = axis.unit() * sin;
    DQuat::from_xyzw(v.x, v.y, v.z, cos)
}

/// `q` times the rotation about an axis by an angle in radians: the same bits as that product, except for signs of zeros.
pub(crate) fn turned(q: DQuat, axis: Axis, angle: f64) -> DQuat {
    let (sin, cos) = ops::sin_cos(0.5 * angle);
    let DQuat { x, y, z, w } = q;
    let real = |part: f64| w * cos - part * sin;
    let along = |part: f64| w * sin + part * cos;
    // The rotation mixes the other two axes.
    match axis {
        Axis::X => DQuat::from_xyzw(along(x), y * cos + z * sin, z * cos - y * sin, real(x)),
        Axis::Y => DQuat::from_xyzw(x * cos - z * sin, along(y), z * cos + x * sin, real(y)),
        Axis::Z => DQuat::from_xyzw(x * cos + y * sin, y * cos - x * sin, along(z), real(z)),
    }
}

/// Returns the product of rotations about `axes` by `angles` (radians), the first outermost. Surplus angles are ignored.
pub(crate) fn compose(axes: &[Axis], angles: &[f64]) -> DQuat {
    axes.iter()
        .zip(angles)
        .fold(DQuat::IDENTITY, |product, (axis, angle)| product * about(*axis, *angle))
}

/// Angles in radians about `axes` that give the rotation `q`, as near as possible to `previous`.
///
/// `axes` holds up to three different axes; entries beyond their number are zero. Three axes reach every rotation, with an error
/// below 1e-9 rad. Fewer give the nearest rotation within their reach.
pub(crate) fn decompose(axes: &[Axis], q: DQuat, previous: [f64; 3]) -> [f64; 3] {
    let part = |axis: Axis| [q.x, q.y, q.z][axis.index()];
    match *axes {
        [] => [0.0; 3],
        [first] => {
            let angle = 2.0 * ops::atan2(part(first), q.w);
            [nearest(angle, previous[0], TAU), 0.0, 0.0]
        }
        [first, second] => {
            // The scalar part of q^-1 R1(a) R2(b) is bilinear in the half angles; both of its terms peak at the same angles.
            let third = part(Axis::ALL[3 - first.index() - second.index()]) * handedness(first, second);
            let half_sum = ops::atan2(part(first) + part(second), q.w - third);
            let half_difference = ops::atan2(part(first) - part(second), q.w + third);
            [
                nearest(half_sum + half_difference, previous[0], TAU),
                nearest(half_sum - half_difference, previous[1], TAU),
                0.0,
            ]
        }
        [first, second, third, ..] => {
            let s = handedness(first, second);
            decompose_three([q.w, part(first), part(second), s * part(third)], s, previous)
        }
    }
}

/// 1 where the second axis follows the first in the cycle X, Y, Z; -1 otherwise.
fn handedness(first: Axis, second: Axis) -> f64 {
    if (first.index() + 1) % 3 == second.index() {
        1.0
    } else {
        -1.0
    }
}

/// Below this value P or M counts as zero: the free angle is then the previous key's, which costs at most this many radians.
///
/// Larger values cost accuracy; much smaller ones let rounding choose the angles.
const LOCK: f64 = 1e-10;

/// From w, q1, q2 and s q3 of a unit quaternion, by the formulas above.
fn decompose_three([w, q1, q2, q3]: [f64; 4], s: f64, previous: [f64; 3]) -> [f64; 3] {
    // Parts of a unit quaternion: their squares do not overflow, and those that underflow are below the lock.
    let p_squared = (w + q2) * (w + q2) + (q1 + q3) * (q1 + q3);
    let m_squared = (w - q2) * (w - q2) + (q1 - q3) * (q1 - q3);
    let b = ops::atan2(p_squared - m_squared, 2.0 * (p_squared * m_squared).sqrt());
    let (half_sum, half_difference) = (ops::atan2(q1 + q3, w + q2), ops::atan2(q1 - q3, w - q2));
    let previous_sum = 0.5 * (previous[0] + s * previous[2]);
    let previous_difference = 0.5 * (previous[0] - s * previous[2]);
    let angles = |half_sum: f64, half_difference: f64| {
        [
            half_sum + half_difference,
            nearest(b, previous[1], TAU),
            s * (half_sum - half_difference),
        ]
    };
    if m_squared < LOCK * LOCK {
        // Half a turn of the sum is a change of sign of the quaternion.
        return angles(nearest(half_sum, previous_sum, PI), previous_difference);
    }
    if p_squared < LOCK * LOCK {
        return angles(previous_sum, nearest(half_difference, previous_difference, PI));
    }
    let [a, _, c] = angles(half_sum, half_difference);
    let near = |angles: [f64; 3]| [0, 1, 2].map(|i| nearest(angles[i], previous[i], TAU));
    nearer([near([a, b, c]), near([a + PI, PI - b, c + PI])], previous)
}

/// Returns that of two triples of angles that is nearer to the previous one.
pub(crate) fn nearer([direct, flipped]: [[f64; 3]; 2], previous: [f64; 3]) -> [f64; 3] {
    let distance = |angles: [f64; 3]| -> f64 { angles.iter().zip(previous).map(|(x, y)| (x - y) * (x - y)).sum() };
    if distance(flipped) < distance(direct) {
        flipped
    } else {
        direct
    }
}

/// `angle` shifted by whole `period`s to the value nearest `target`.
fn nearest(angle: f64, target: f64, period: f64) -> f64 {
    angle + period * ((target - angle) / period).round()
}

#[cfg(test)]
mod tests {
    use core::f64::consts::FRAC_PI_2;

    use loopwright_core::math::rotation;

    use super::*;
    use crate::random::Random;

    const ORDERS: [[Axis; 3]; 6] = [
        [Axis::X, Axis::Y, Axis::Z],
        [Axis::Y, Axis::Z, Axis::X],
        [Axis::Z, Axis::X, Axis::Y],
        [Axis::X, Axis::Z, Axis::Y],
        [Axis::Z, Axis::Y, Axis::X],
        [Axis::Y, Axis::X, Axis::Z],
    ];

    fn four_numbers(random: &mut Random) -> DQuat {
        DQuat::from_array([0; 4].map(|_| random.next()))
    }

    /// Angles of a rotation, which give it back.
    fn exact(order: [Axis; 3], q: DQuat, previous: [f64; 3], limit: f64) -> [f64; 3] {
        let angles = decompose(&order, q, previous);
        let error = rotation::difference(compose(&order, &angles), q).length();
        assert!(error < limit, "{order:?} {q} {error}");
        angles
    }

    #[test]
    fn every_order_gives_every_rotation_back() {
        let mut random = Random(1);
        for order in ORDERS {
            for _ in 0..5000 {
                let q = four_numbers(&mut random);
                if q.length() < 0.1 {
                    continue;
                }
                let q = q.normalize();
                let previous = [0; 3].map(|_| 10.0 * random.next());
                let angles = exact(order, q, previous, 1e-12);
                for (angle, previous) in angles.iter().zip(previous) {
                    assert!((angle - previous).abs() < 1.5 * TAU);
                }
            }
        }
    }

    #[test]
    fn turning_on_has_the_bits_of_the_product() {
        let mut random = Random(4);
        for _ in 0..5000 {
            let q = four_numbers(&mut random);
            let angle = 10.0 * random.next();
            for axis in Axis::ALL {
                assert_eq!(turned(q, axis, angle), q * about(axis, angle));
                assert_eq!(turned(DQuat::IDENTITY, axis, angle), about(axis, angle));
            }
        }
    }

    #[test]
    fn lock_keeps_rotation_and_curves() {
        let mut random = Random(2);
        for order in ORDERS {
            for side in [FRAC_PI_2, -FRAC_PI_2] {
                for off in [0.0, 1e-16, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5] {
                    let previous = [0; 3].map(|_| 10.0 * random.next());
                    let q = compose(&order, &[3.0 * random.next(), side + off, 3.0 * random.next()]);
                    exact(order, q, previous, 1e-9);
                }
                // Slowly through the lock: no angle jumps.
                let at = |t: f64| compose(&order, &[0.4 + 0.1 * t, side, 0.2 * t]);
                let mut previous = decompose(&order, at(0.0), [0.4, side, 0.0]);
                for step in 1..200 {
                    let angles = decompose(&order, at(0.1 * f64::from(step)), previous);
                    for (angle, previous) in angles.iter().zip(previous) {
                        assert!((angle - previous).abs() < 0.05, "{angles:?} {previous:?}");
                    }
                    previous = angles;
                }
            }
        }
    }

    #[test]
    fn curves_run_on_through_many_turns() {
        for order in ORDERS {
            let at = |t: f64| [7.0 * t, 1.4 * ops::sin(t) + 0.1, -9.0 * t];
            let mut previous = at(0.0);
            for step in 1..2000 {
                let truth = at(0.01 * f64::from(step));
                previous = decompose(&order, compose(&order, &truth), previous);
                for (angle, truth) in previous.iter().zip(truth) {
                    assert!((angle - truth).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn fewer_axes_give_the_nearest_rotation() {
        let mut random = Random(3);
        for order in ORDERS {
            for count in [1, 2] {
                let axes = &order[..count];
                for _ in 0..200 {
                    let angles = [0; 3].map(|_| 3.0 * random.next());
                    let reachable = compose(axes, &angles);
                    let found = decompose(axes, reachable, angles);
                    assert!(rotation::difference(compose(axes, &found), reachable).length() < 1e-12);
                    // For rotations out of reach no small step improves the result.
                    let q = compose(&order, &angles);
                    let found = decompose(axes, q, angles);
                    let error = |angles: [f64; 3]| rotation::difference(compose(axes, &angles), q).length();
                    for axis in 0..count {
                        for step in [-1e-3, 1e-3] {
                            let mut moved = found;
                            moved[axis] += step;
                            assert!(error(moved) > error(found) - 1e-9);
                        }
                    }
                }
            }
        }
    }
}
