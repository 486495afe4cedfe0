//! An arc tangent for several lanes in parallel.

use core::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// From this slope on the arc tangent is expanded about 1 rather than 0: tan(22.5 degrees).
const STEEP: f64 = 0.414_213_562_373_095_03;

/// (atan(t) - t) / t^3 in powers of t^2, the least largest error of all polynomials of this degree for t up to [`STEEP`] by
/// the Remez exchange: 4e-17 of the angle.
const ATAN: [f64; 10] = [
    -0.333_333_333_333_302_06,
    0.199_999_999_991_017_09,
    -0.142_857_141_962_667_83,
    0.111_111_066_924_417_4,
    -0.090_907_832_613_965_14,
    0.076_900_794_961_800_48,
    -0.066_412_120_867_567_9,
    0.056_929_833_399_530_956,
    -0.043_602_946_607_980_01,
    0.021_273_575_073_839_642,
];

/// Returns the angle of (x, y) in radians, equal to [`ops::atan2`] within 1e-15.
///
/// No branch, no table, and only the four operations: many can be computed in parallel, and the bits are the same on all
/// platforms.
#[inline(always)]
pub(super) fn atan2(y: f64, x: f64) -> f64 {
    let (size_y, size_x) = (y.abs(), x.abs());
    let is_steep = size_y > size_x;
    let (small, large) = if is_steep { (size_x, size_y) } else { (size_y, size_x) };
    // atan(t) = 45 degrees + atan((t - 1) / (t + 1))
    let is_far = small > STEEP * large;
    let above = if is_far { small - large } else { small };
    // At the origin the quotient is zero.
    let below = if is_far {
        small + large
    } else {
        large + f64::MIN_POSITIVE
    };
    let t = above / below;
    let square = t * t;
    // In pairs, and pairs of pairs, so that the products are independent.
    let [c0, c1, c2, c3, c4, c5, c6, c7, c8, c9] = ATAN;
    let fourth = square * square;
    let low = (c0 + c1 * square) + (c2 + c3 * square) * fourth;
    let middle = (c4 + c5 * square) + (c6 + c7 * square) * fourth;
    let sum = low + (middle + (c8 + c9 * square) * (fourth * fourth)) * (fourth * fourth);
    let angle = if is_far { FRAC_PI_4 } else { 0.0 } + (t + t * square * sum);
    let angle = if is_steep { FRAC_PI_2 - angle } else { angle };
    let angle = if x.is_sign_negative() { PI - angle } else { angle };
    angle.copysign(y)
}

#[cfg(test)]
mod tests {
    use core::f64::consts::TAU;

    use loopwright_core::math::ops;

    use super::*;
    use crate::random::Random;

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
}
