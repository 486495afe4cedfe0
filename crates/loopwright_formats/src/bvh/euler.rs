//! Rotation channels: from angles to rotations, and back to the angles nearest to those before.
//!
//! A joint's rotation is the product R = R1(a) R2(b) R3(c) about its rotation axes in the order of its channels. Going back
//! is a choice: (a + 180, 180 - b, c + 180) is the same rotation, every angle is free by whole turns, and where b is 90
//! degrees (gimbal lock) only the sum or the difference of a and c is determined. Each choice is made so that the curves
//! run on from the previous key.
//!
//! With s = 1 for the axis orders XYZ, YZX, ZXY and s = -1 for the others, and quaternion components named by the place of
//! their axis in the list, half-angle products give
//!
//! ```text
//! w + q2 = P cos((a + s c)/2)    q1 + s q3 = P sin((a + s c)/2)    P = sqrt 2 cos(b/2 - 45 degrees)
//! w - q2 = M cos((a - s c)/2)    q1 - s q3 = M sin((a - s c)/2)    M = sqrt 2 sin(45 degrees - b/2)
//! ```
//!
//! so that b comes from atan2(M, P) at full precision everywhere, and lock is where P or M is zero.

use core::f64::consts::{FRAC_PI_2, PI, TAU};

use glam::DQuat;
use loopwright::math::ops;

use crate::space::Axis;

/// The rotation about an axis by an angle in radians.
pub fn about(axis: Axis, angle: f64) -> DQuat {
    let (sin, cos) = ops::sin_cos(0.5 * angle);
    let v = axis.unit() * sin;
    DQuat::from_xyzw(v.x, v.y, v.z, cos)
}

/// `q` times the rotation about an axis by an angle in radians: the bits of that product, but for the signs of zeros.
pub(super) fn turned(q: DQuat, axis: Axis, angle: f64) -> DQuat {
    let (sin, cos) = ops::sin_cos(0.5 * angle);
    let DQuat { x, y, z, w } = q;
    let real = |part: f64| w * cos - part * sin;
    let along = |part: f64| w * sin + part * cos;
    // Two of the axes turn into each other.
    match axis {
        Axis::X => DQuat::from_xyzw(along(x), y * cos + z * sin, z * cos - y * sin, real(x)),
        Axis::Y => DQuat::from_xyzw(x * cos - z * sin, along(y), z * cos + x * sin, real(y)),
        Axis::Z => DQuat::from_xyzw(x * cos + y * sin, y * cos - x * sin, along(z), real(z)),
    }
}

/// The product of rotations about `axes` by `angles` (radians), the first outermost. Surplus angles play no part.
pub fn compose(axes: &[Axis], angles: &[f64]) -> DQuat {
    axes.iter()
        .zip(angles)
        .fold(DQuat::IDENTITY, |product, (axis, angle)| product * about(*axis, *angle))
}

/// Below this P or M counts as zero: the free angle is then the previous key's, at a cost of as many radians at most.
///
/// Larger values cost accuracy; much smaller ones let rounding choose the angles.
const LOCK: f64 = 1e-10;

/// Angles in radians about `axes` that make up the rotation `q`, as near as can be to `previous`.
///
/// `axes` holds up to three different axes; entries beyond their number are zero. Three axes reach every rotation, with an
/// error below 1e-9 rad. Fewer give the nearest rotation that they reach.
pub fn decompose(axes: &[Axis], q: DQuat, previous: [f64; 3]) -> [f64; 3] {
    let part = |axis: Axis| [q.x, q.y, q.z][axis.index()];
    match *axes {
        [] => [0.0; 3],
        [first] => {
            let angle = 2.0 * atan2(part(first), q.w);
            [nearest(angle, previous[0], TAU), 0.0, 0.0]
        }
        [first, second] => {
            // The scalar part of q^-1 R1(a) R2(b) is bilinear in the half angles; both of its terms peak at once.
            let third = part(third_axis(first, second)) * handedness(first, second);
            let half_sum = atan2(part(first) + part(second), q.w - third);
            let half_difference = atan2(part(first) - part(second), q.w + third);
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

fn decompose_three([w, q1, q2, q3]: [f64; 4], s: f64, previous: [f64; 3]) -> [f64; 3] {
    // Parts of a unit quaternion: their squares do not overflow, and those that vanish are below the lock.
    let length = |x: f64, y: f64| (x * x + y * y).sqrt();
    let p = length(w + q2, q1 + q3);
    let m = length(w - q2, q1 - q3);
    let b = FRAC_PI_2 - 2.0 * atan2(m, p);
    let half_sum = atan2(q1 + q3, w + q2);
    let half_difference = atan2(q1 - q3, w - q2);
    let previous_sum = 0.5 * (previous[0] + s * previous[2]);
    let previous_difference = 0.5 * (previous[0] - s * previous[2]);
    let angles = |half_sum: f64, half_difference: f64| {
        [
            half_sum + half_difference,
            nearest(b, previous[1], TAU),
            s * (half_sum - half_difference),
        ]
    };
    if m < LOCK {
        // Half a turn of the sum is a change of sign of the quaternion.
        angles(nearest(half_sum, previous_sum, PI), previous_difference)
    } else if p < LOCK {
        angles(previous_sum, nearest(half_difference, previous_difference, PI))
    } else {
        let [a, _, c] = angles(half_sum, half_difference);
        let near = |angles: [f64; 3]| {
            let [a, b, c] = angles;
            // Not by `map`, which is a call here.
            let near = [
                nearest(a, previous[0], TAU),
                nearest(b, previous[1], TAU),
                nearest(c, previous[2], TAU),
            ];
            let distance: f64 = near.iter().zip(previous).map(|(x, y)| (x - y) * (x - y)).sum();
            (near, distance)
        };
        let (direct, to_direct) = near([a, b, c]);
        // In the other choice the outer angles are half a turn away from these, so they are at least pi - 1 off.
        if to_direct < 1.0 {
            return direct;
        }
        let (flipped, to_flipped) = near([a + PI, PI - b, c + PI]);
        if to_flipped < to_direct { flipped } else { direct }
    }
}

/// `angle` shifted by whole `period`s to where it lies nearest `target`.
fn nearest(angle: f64, target: f64, period: f64) -> f64 {
    let distance = target - angle;
    // Curves that run on need no shift, and no division.
    if distance.abs() < 0.5 * period {
        return angle;
    }
    angle + period * rounded(distance / period) as f64
}

/// Steps of [`ATAN`], which are even in the tangent; more make no difference, half as many cost two digits.
const STEPS: usize = 128;

/// The angle whose tangent is k / STEPS + h, in powers of h from 0 to 5; the next is below 1e-15 for half a step.
const ATAN: [[f64; 6]; STEPS + 1] = {
    let mut table = [[0.0; 6]; STEPS + 1];
    let mut start = 0.0;
    let mut k = 0;
    while k <= STEPS {
        let u = k as f64 / STEPS as f64;
        table[k][0] = start;
        // The derivative 1 / (1 + (u + h)^2) in powers of h: each coefficient from the two before.
        let (mut last, mut coefficient) = (0.0, 1.0 / (1.0 + u * u));
        let mut power_of_step = 1.0;
        let mut n = 1;
        while n < 12 {
            power_of_step /= STEPS as f64;
            if n < 6 {
                table[k][n] = coefficient / n as f64;
            }
            // The sum for a whole step is the next angle.
            start += power_of_step * coefficient / n as f64;
            (last, coefficient) = (coefficient, -(2.0 * u * coefficient + last) / (1.0 + u * u));
            n += 1;
        }
        k += 1;
    }
    table
};

/// What becomes of the angle of the flatter of both slopes: the sum's first part, and its own sign.
///
/// Right of the y axis and flat, right and steep, left and flat, left and steep.
const OCTANTS: [(f64, f64); 4] = [(0.0, 1.0), (FRAC_PI_2, -1.0), (PI, -1.0), (FRAC_PI_2, 1.0)];

/// The angle of (x, y) in radians, as [`ops::atan2`] has it to within 1e-15, but without its choices.
///
/// The power series of the arc tangent about the nearest entry of a table. Only the four operations, so the bits are the same
/// everywhere.
#[inline]
fn atan2(y: f64, x: f64) -> f64 {
    let (size_y, size_x) = (y.abs(), x.abs());
    let is_steep = size_y > size_x;
    let (small, large) = if is_steep { (size_x, size_y) } else { (size_y, size_x) };
    // At the origin the quotient is zero.
    let t = small / (large + f64::MIN_POSITIVE);
    let step = (t * STEPS as f64 + 0.5) as u8;
    let h = t - f64::from(step) / STEPS as f64;
    let [a0, a1, a2, a3, a4, a5] = ATAN[usize::from(step).min(STEPS)];
    let angle = a0 + h * (a1 + h * (a2 + h * (a3 + h * (a4 + h * a5))));
    // By a table, because the processor cannot guess these choices.
    let (start, sign) = OCTANTS[usize::from(is_steep) + 2 * usize::from(x.is_sign_negative())];
    (start + sign * angle).copysign(y)
}

/// The nearest whole number, of two the one farther from zero, as `f64::round` has it; for sizes below 2^52.
///
/// That one is a call of the system's library on processors without an instruction for it.
fn rounded(x: f64) -> i64 {
    let whole = x as i64;
    // Exact, because both are of about the same size or the whole number is zero.
    let rest = x - whole as f64;
    whole + i64::from(rest >= 0.5) - i64::from(rest <= -0.5)
}

/// 1 where the second axis follows the first in the cycle X, Y, Z; -1 otherwise.
fn handedness(first: Axis, second: Axis) -> f64 {
    if (first.index() + 1) % 3 == second.index() {
        1.0
    } else {
        -1.0
    }
}

fn third_axis(first: Axis, second: Axis) -> Axis {
    Axis::ALL[3 - first.index() - second.index()]
}

#[cfg(test)]
mod tests {
    use loopwright::math::rotation;

    use super::*;

    const ORDERS: [[Axis; 3]; 6] = [
        [Axis::X, Axis::Y, Axis::Z],
        [Axis::Y, Axis::Z, Axis::X],
        [Axis::Z, Axis::X, Axis::Y],
        [Axis::X, Axis::Z, Axis::Y],
        [Axis::Z, Axis::Y, Axis::X],
        [Axis::Y, Axis::X, Axis::Z],
    ];

    /// Multiplicative congruential numbers in -1 to 1, the same on every run.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    #[test]
    fn every_order_gives_every_rotation_back() {
        let mut random = Random(1);
        for order in ORDERS {
            for _ in 0..5000 {
                let q = DQuat::from_xyzw(random.next(), random.next(), random.next(), random.next());
                if q.length() < 0.1 {
                    continue;
                }
                let q = q.normalize();
                let previous = [0; 3].map(|_| 10.0 * random.next());
                let angles = decompose(&order, q, previous);
                let error = rotation::difference(compose(&order, &angles), q).length();
                assert!(error < 1e-12, "{order:?} {q} {error}");
                for (angle, previous) in angles.iter().zip(previous) {
                    assert!((angle - previous).abs() < 1.5 * TAU);
                }
            }
        }
    }

    #[test]
    fn the_fast_arc_tangent_is_that_of_the_library() {
        let mut worst = 0.0_f64;
        let mut compare = |y: f64, x: f64| {
            let (fast, slow) = (atan2(y, x), ops::atan2(y, x));
            assert_eq!(fast.is_sign_negative(), slow.is_sign_negative(), "{y} {x}");
            worst = worst.max((fast - slow).abs());
        };
        let num_samples = 2_000_000;
        for index in 0..num_samples {
            let (y, x) = ops::sin_cos(TAU * f64::from(index) / f64::from(num_samples));
            compare(y, x);
        }
        let mut random = Random(6);
        for _ in 0..200_000 {
            let (y, x) = (random.next(), random.next());
            compare(y * 10_f64.powi((20.0 * random.next()) as i32), x);
        }
        let sizes = [0.0, 1e-200, 1e-16, 1.0 / 64.0, 1.0, 3.0];
        for (y, x) in sizes.into_iter().flat_map(|y| sizes.map(|x| (y, x))) {
            for (y, x) in [(y, x), (-y, x), (y, -x), (-y, -x)] {
                compare(y, x);
            }
        }
        assert!(worst < 1e-15, "{worst}");
    }

    #[test]
    fn turning_on_has_the_bits_of_the_product() {
        let mut random = Random(4);
        for _ in 0..5000 {
            let q = DQuat::from_xyzw(random.next(), random.next(), random.next(), random.next());
            let angle = 10.0 * random.next();
            for axis in Axis::ALL {
                assert_eq!(turned(q, axis, angle), q * about(axis, angle));
                assert_eq!(turned(DQuat::IDENTITY, axis, angle), about(axis, angle));
            }
        }
    }

    #[test]
    fn rounding_is_that_of_the_standard_library() {
        let mut random = Random(5);
        let large = (0..10_000).map(|index| random.next() * 10_f64.powi(index % 16));
        for x in large.chain([
            0.0,
            0.5,
            1.5,
            2.5,
            0.499_999_999_999_999_94,
            4_503_599_627_370_495.5,
            1e15,
        ]) {
            assert_eq!(rounded(x) as f64, x.round(), "{x}");
            assert_eq!(rounded(-x) as f64, (-x).round(), "{x}");
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
                    let angles = decompose(&order, q, previous);
                    let error = rotation::difference(compose(&order, &angles), q).length();
                    assert!(error < 1e-9, "{order:?} {side} {off} {error}");
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
                    // Off the reachable set no small step improves on what is found.
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
