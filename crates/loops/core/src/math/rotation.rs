//! Rotations as quaternions and as rotation vectors, with the derivatives of the exponential map.
//!
//! A rotation vector is angle (radians) times unit axis. `exp(v) * q` applies q first. Angular velocities are in the space
//! the rotation maps to: d/dt exp(o(t)) has the angular velocity J(o) o', with J the left Jacobian of SO(3).
//! Derivations: docs/math/rotations.md.

use glam::{DMat3, DQuat, DVec3};

use super::ops;

/// Angle below which closed-form quotients lose digits and series are used instead, in radians.
///
/// Just below it the series are accurate to 1e-14 relative; the quotient of `b1`, the worst, loses 9e-11 of its value at 0.1.
const SERIES_ANGLE: f64 = 0.4;

/// Returns the rotation by the vector `v` (radians times unit axis).
pub fn exp(v: DVec3) -> DQuat {
    // sin(angle/2)/angle and cos(angle/2) as functions of x = (angle/2)^2.
    let x = 0.25 * v.length_squared();
    let (s, w) = if x < QUARTER_SQUARED {
        (polynomial(x, &HALF_SINE), polynomial(x, &COSINE))
    } else {
        let half = x.sqrt();
        let (sin, cos) = ops::sin_cos(half);
        (sin / (2.0 * half), cos)
    };
    renormalized(DQuat::from_xyzw(v.x * s, v.y * s, v.z * s, w))
}

/// Restores the unit length of a quaternion after rounding: as exact as division by its length, at a fraction of the time.
/// Others are divided by it.
pub(crate) fn renormalized(q: DQuat) -> DQuat {
    let beyond = q.length_squared() - 1.0;
    // The next term of the series is 3/8 of the square.
    if beyond.abs() < 1e-8 {
        q * (1.0 - 0.5 * beyond)
    } else {
        q.normalize()
    }
}

/// The series of sin(h)/(2h) and of cos(h) in h^2.
const HALF_SINE: [f64; 7] = [
    1.0 / 2.0,
    -1.0 / 12.0,
    1.0 / 240.0,
    -1.0 / 10_080.0,
    1.0 / 725_760.0,
    -1.0 / 79_833_600.0,
    1.0 / 12_454_041_600.0,
];
const COSINE: [f64; 8] = [
    1.0,
    -1.0 / 2.0,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
];

/// Returns the sum of coefficients times powers of x, from the constant on.
fn polynomial<const N: usize>(x: f64, coefficients: &[f64; N]) -> f64 {
    coefficients
        .iter()
        .rev()
        .fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// Square of the half angle below which series are used for sine and cosine: exact to the last digit, and several times as fast
/// as the functions.
const QUARTER_SQUARED: f64 = 0.25 * 0.25;

/// Returns the length of a vector.
///
/// The bits are those of glam, whose square root from `libm` is slow on platforms for which stable compilers have no other, such
/// as WebAssembly; that of the standard library is one instruction, and exact everywhere.
pub(crate) fn length(v: DVec3) -> f64 {
    v.length_squared().sqrt()
}

/// Returns the rotation vector of `q` on the short side: length 0 to pi, in radians.
///
/// Both signs of the quaternion give the same vector, except at a half turn, where the sign determines the axis.
pub fn log(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let v = DVec3::new(q.x, q.y, q.z);
    let s = length(v);
    // angle/sin(angle/2), by the series of the arc sine near the identity.
    let factor = if s < SMALL_SINE {
        let x = s * s;
        2.0 + x
            * (1.0 / 3.0)
            * (1.0
                + x * (9.0 / 20.0) * (1.0 + x * (25.0 / 42.0) * (1.0 + x * (49.0 / 72.0) * (1.0 + x * (81.0 / 110.0)))))
    } else {
        2.0 * ops::atan2(s, q.w) / s
    };
    v * factor
}

/// Sine of the half angle below which the logarithm of a unit quaternion is a series, exact to the last digit.
const SMALL_SINE: f64 = 0.04;

/// Returns the shortest rotation from one direction to another; the identity if either has no length, or if they are opposite.
pub fn arc(from: DVec3, to: DVec3) -> DQuat {
    let cross = from.cross(to);
    let turn = DQuat::from_xyzw(
        cross.x,
        cross.y,
        cross.z,
        from.dot(to) + (from.length_squared() * to.length_squared()).sqrt(),
    );
    if turn.length_squared() > LEAST_ARC * from.length_squared() * to.length_squared() {
        turn.normalize()
    } else {
        DQuat::IDENTITY
    }
}

/// Square of the angle, radians, from exactly opposite directions within which the axis of rotation is only rounding.
const LEAST_ARC: f64 = 1e-24;

/// Returns the rotation vector that takes `from` to `to`: log(to from^-1), short side, radians.
pub fn difference(to: DQuat, from: DQuat) -> DVec3 {
    log(to * from.conjugate())
}

/// `q` or `-q`: the one closer to `reference`; the rotation is the same.
pub fn on_side_of(q: DQuat, reference: DQuat) -> DQuat {
    if q.dot(reference) < 0.0 { -q } else { q }
}

/// Steps of [`mean`]: rotations within a right angle of each other need four.
const MAX_MEAN_STEPS: usize = 16;

/// Returns the weighted mean of rotations: the one from which the weighted rotation vectors to all of them sum to zero.
///
/// Weights are at least 0 and sum to 1. The mean is unique if the rotations lie within a right angle of it; otherwise it is one
/// of several, found with the sign of the first. Without rotations: the identity. Source: Karcher, "Riemannian center of mass and
/// mollifier smoothing", 1977.
pub fn mean(rotations: &[(DQuat, f64)]) -> DQuat {
    let Some(&(first, _)) = rotations.first() else {
        return DQuat::IDENTITY;
    };
    // The mean of the quaternions is close, and exact for two with equal weights.
    let sum = rotations
        .iter()
        .fold(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), |sum, &(q, weight)| {
            sum + on_side_of(q, first) * weight
        });
    let mut mean = if sum.length() > 1e-6 { sum.normalize() } else { first };
    for _ in 0..MAX_MEAN_STEPS {
        let step: DVec3 = rotations.iter().map(|&(q, weight)| difference(q, mean) * weight).sum();
        mean = (exp(step) * mean).normalize();
        if step.length() < 1e-15 {
            break;
        }
    }
    mean
}

/// As [`mean`], of rotations that count equally.
pub fn even_mean(rotations: impl ExactSizeIterator<Item = DQuat>) -> DQuat {
    let weight = 1.0 / rotations.len() as f64;
    mean(&rotations.map(|rotation| (rotation, weight)).collect::<Vec<_>>())
}

/// The series of (1 - cos t)/t^2 and of (t - sin t)/t^3 in t^2.
const TURNED: [f64; 6] = [
    1.0 / 2.0,
    -1.0 / 24.0,
    1.0 / 720.0,
    -1.0 / 40_320.0,
    1.0 / 3_628_800.0,
    -1.0 / 479_001_600.0,
];
const LAGGED: [f64; 6] = [
    1.0 / 6.0,
    -1.0 / 120.0,
    1.0 / 5040.0,
    -1.0 / 362_880.0,
    1.0 / 39_916_800.0,
    -1.0 / 6_227_020_800.0,
];

/// (1 - cos t)/t^2 and (t - sin t)/t^3 as functions of t^2.
fn jacobian_coefficients(angle_squared: f64) -> (f64, f64) {
    let t2 = angle_squared;
    if t2 < SERIES_ANGLE * SERIES_ANGLE {
        (polynomial(t2, &TURNED), polynomial(t2, &LAGGED))
    } else {
        let t = t2.sqrt();
        let (sin, cos) = ops::sin_cos(t);
        ((1.0 - cos) / t2, (t - sin) / (t2 * t))
    }
}

/// Left Jacobian of SO(3): angular velocity of exp(o(t)) is `left_jacobian(o) * o'`.
pub fn left_jacobian(o: DVec3) -> DMat3 {
    let (a, b) = jacobian_coefficients(o.length_squared());
    let k = cross_matrix(o);
    DMat3::IDENTITY + k * a + (k * k) * b
}

/// Inverse of [`left_jacobian`]; finite for angles below a full turn.
pub fn left_jacobian_inverse(o: DVec3) -> DMat3 {
    let k = cross_matrix(o);
    DMat3::IDENTITY - k * 0.5 + (k * k) * inverse_coefficient(o)
}

/// Returns the product of [`left_jacobian_inverse`] and a vector, in less time.
pub(crate) fn left_jacobian_inverse_times(o: DVec3, v: DVec3) -> DVec3 {
    let turned = o.cross(v);
    v - 0.5 * turned + inverse_coefficient(o) * o.cross(turned)
}

/// The series of (1 - (t/2) cot(t/2))/t^2 in t^2.
const BENT: [f64; 6] = [
    1.0 / 12.0,
    1.0 / 720.0,
    1.0 / 30_240.0,
    1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    691.0 / 1_307_674_368_000.0,
];

/// c in J^-1 = 1 - K/2 + c K^2, with K the cross product by `o`.
fn inverse_coefficient(o: DVec3) -> f64 {
    let t2 = o.length_squared();
    // J^-1 = 1 - K/2 + c K^2 with c = (1 - (t/2) cot(t/2))/t^2 = 1/t^2 - (1 + cos t)/(2 t sin t).
    if t2 < SERIES_ANGLE * SERIES_ANGLE {
        polynomial(t2, &BENT)
    } else {
        let half = 0.5 * t2.sqrt();
        let (sin, cos) = ops::sin_cos(half);
        (1.0 - half * cos / sin) / t2
    }
}

/// d/dt left_jacobian(o(t)) for o' = `rate`.
///
/// Source: design of C2 closure; docs/math/rotations.md gives the formula and its series.
pub fn left_jacobian_rate(o: DVec3, rate: DVec3) -> DMat3 {
    let t2 = o.length_squared();
    let (a, b) = jacobian_coefficients(t2);
    let (a1, b1) = if t2 < SERIES_ANGLE * SERIES_ANGLE {
        (
            // d a/d(t^2) * 2 and d b/d(t^2) * 2, term by term.
            -1.0 / 12.0
                + t2 * (1.0 / 180.0
                    + t2 * (-1.0 / 6720.0
                        + t2 * (1.0 / 453_600.0 + t2 * (-1.0 / 47_900_160.0 + t2 / 7_264_857_600.0)))),
            -1.0 / 60.0
                + t2 * (1.0 / 1260.0
                    + t2 * (-1.0 / 60_480.0
                        + t2 * (1.0 / 4_989_600.0 + t2 * (-1.0 / 622_702_080.0 + t2 / 108_972_864_000.0)))),
        )
    } else {
        let t = t2.sqrt();
        let (sin, cos) = ops::sin_cos(t);
        (
            (t * sin - 2.0 * (1.0 - cos)) / (t2 * t2),
            (t * (1.0 - cos) - 3.0 * (t - sin)) / (t2 * t2 * t),
        )
    };
    let s = o.dot(rate);
    let k = cross_matrix(o);
    let n = cross_matrix(rate);
    k * (s * a1) + (k * k) * (s * b1) + n * a + (n * k + k * n) * b
}

fn cross_matrix(v: DVec3) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(0.0, v.z, -v.y),
        DVec3::new(-v.z, 0.0, v.x),
        DVec3::new(v.y, -v.x, 0.0),
    )
}

/// Returns the rotation about the up axis (+Y) by `yaw` radians; a left turn is positive.
pub fn from_yaw(yaw: f64) -> DQuat {
    let (sin, cos) = ops::sin_cos(0.5 * yaw);
    DQuat::from_xyzw(0.0, sin, 0.0, cos)
}

/// Yaw of `q` about +Y by swing-twist split, radians in -pi to pi: the part of the rotation about the up axis.
pub fn yaw_of(q: DQuat) -> f64 {
    wrap_angle(2.0 * ops::atan2(q.y, q.w))
}

/// `angle` less whole turns, in -pi to pi.
pub fn wrap_angle(angle: f64) -> f64 {
    let turn = core::f64::consts::TAU;
    angle - turn * (angle / turn).round()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases() -> Vec<DVec3> {
        let mut cases = Vec::new();
        for exponent in -12..=0 {
            let size = 3.1 * libm::pow(10.0, f64::from(exponent));
            for axis in [DVec3::X, DVec3::new(0.48, -0.6, 0.64), DVec3::new(-0.8, 0.0, 0.6)] {
                cases.push(axis * size);
            }
        }
        // Both sides of the switch from series to closed form.
        for size in [0.399_999, 0.400_001] {
            cases.push(DVec3::new(0.48, -0.6, 0.64) * size);
        }
        cases
    }

    #[test]
    fn exp_and_log_are_inverse() {
        for v in cases() {
            assert!((log(exp(v)) - v).length() <= 1e-15 + 4e-16 * v.length(), "{v}");
            assert!((log(-exp(v)) - v).length() <= 1e-15 + 4e-16 * v.length(), "{v}");
        }
    }

    #[test]
    fn jacobian_is_the_derivative_of_exp() {
        let rate = DVec3::new(0.3, 0.7, -0.4);
        for o in cases() {
            let step = 1e-5;
            let velocity = difference(exp(o + rate * step), exp(o - rate * step)) / (2.0 * step);
            assert!((left_jacobian(o) * rate - velocity).length() < 1e-9, "{o}");
            let product = left_jacobian(o) * left_jacobian_inverse(o);
            let error = product - DMat3::IDENTITY;
            assert!(
                error.x_axis.length() + error.y_axis.length() + error.z_axis.length() < 1e-14,
                "{o}"
            );
        }
    }

    #[test]
    fn jacobian_rate_is_the_derivative_of_the_jacobian() {
        let rate = DVec3::new(0.3, 0.7, -0.4);
        for o in cases() {
            let step = 1e-5;
            let difference = (left_jacobian(o + rate * step) - left_jacobian(o - rate * step)) * (0.5 / step);
            let error = left_jacobian_rate(o, rate) - difference;
            assert!(
                error.x_axis.length() + error.y_axis.length() + error.z_axis.length() < 1e-9,
                "{o}"
            );
        }
    }

    #[test]
    fn means_lie_where_the_vectors_balance() {
        let v = [
            DVec3::new(0.3, 0.1, -0.2),
            DVec3::new(-0.4, 0.5, 0.1),
            DVec3::new(0.1, -0.2, 0.9),
        ];
        let weighted: Vec<_> = v.iter().zip([0.5, 0.3, 0.2]).map(|(&v, w)| (exp(v), w)).collect();
        let found = mean(&weighted);
        let balance: DVec3 = weighted.iter().map(|&(q, w)| difference(q, found) * w).sum();
        assert!(balance.length() < 1e-15);
        // Signs and a shared rotation do not matter; a weight of 1 gives that rotation; two rotations meet between them.
        let turned: Vec<_> = weighted.iter().map(|&(q, w)| (-(exp(DVec3::Y) * q), w)).collect();
        assert!(difference(mean(&turned), exp(DVec3::Y) * found).length() < 1e-15);
        assert!(difference(mean(&[(exp(v[0]), 1.0), (exp(v[1]), 0.0)]), exp(v[0])).length() < 1e-15);
        let third = mean(&[(exp(DVec3::X * 0.2), 0.75), (exp(DVec3::X * 1.4), 0.25)]);
        assert!((log(third) - DVec3::X * 0.5).length() < 1e-15);
        assert_eq!(mean(&[]), DQuat::IDENTITY);
    }

    #[test]
    fn left_turn_is_positive_yaw() {
        // Facing +Z, a quarter turn to the left faces +X.
        let facing = from_yaw(core::f64::consts::FRAC_PI_2) * DVec3::Z;
        assert!((facing - DVec3::X).length() < 1e-15);
        assert!((yaw_of(from_yaw(0.3)) - 0.3).abs() < 1e-15);
        assert!((wrap_angle(7.0) - (7.0 - core::f64::consts::TAU)).abs() < 1e-15);
    }
}
