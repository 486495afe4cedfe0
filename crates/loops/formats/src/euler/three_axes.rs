//! Angles about three different axes, as near as possible to previous ones.

use core::f64::consts::{PI, TAU};

use loopwright_core::math::ops;

/// Below this value P or M counts as zero: the free angle is then the previous key's, which costs at most this many radians.
///
/// Larger values cost accuracy; much smaller ones let rounding choose the angles.
const LOCK: f64 = 1e-10;

/// From w, q1, q2 and s q3 of a unit quaternion, by the formulas of [`super`].
pub(super) fn decompose_three([w, q1, q2, q3]: [f64; 4], s: f64, previous: [f64; 3]) -> [f64; 3] {
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
    let near = |angles: [f64; 3]| {
        let near = [0, 1, 2].map(|i| nearest(angles[i], previous[i], TAU));
        let distance: f64 = near.iter().zip(previous).map(|(x, y)| (x - y) * (x - y)).sum();
        (near, distance)
    };
    let (direct, to_direct) = near([a, b, c]);
    let (flipped, to_flipped) = near([a + PI, PI - b, c + PI]);
    if to_flipped < to_direct { flipped } else { direct }
}

/// `angle` shifted by whole `period`s to the value nearest `target`.
pub(super) fn nearest(angle: f64, target: f64, period: f64) -> f64 {
    angle + period * ((target - angle) / period).round()
}
