//! Angles about three different axes, as near as possible to previous ones: for one rotation, or for several in parallel.

use core::f64::consts::{PI, TAU};

use super::arc_tangent::atan2;

/// Below this value P or M counts as zero: the free angle is then the previous key's, which costs at most this many radians.
///
/// Larger values cost accuracy; much smaller ones let rounding choose the angles.
const LOCK: f64 = 1e-10;

/// The intermediate values of the angles (see [`super`]): squares of P and M, b, and half the sum and half the difference of a
/// and s c.
pub(super) struct Halves<const N: usize> {
    p_squared: [f64; N],
    m_squared: [f64; N],
    b: [f64; N],
    sum: [f64; N],
    difference: [f64; N],
}

impl<const N: usize> Halves<N> {
    #[inline(always)]
    pub(super) fn lane(&self, lane: usize) -> Halves<1> {
        Halves {
            p_squared: [self.p_squared[lane]],
            m_squared: [self.m_squared[lane]],
            b: [self.b[lane]],
            sum: [self.sum[lane]],
            difference: [self.difference[lane]],
        }
    }
}

/// From w, q1, q2 and s q3 of unit quaternions.
#[inline(always)]
pub(super) fn halves<const N: usize>([w, q1, q2, q3]: &[[f64; N]; 4]) -> Halves<N> {
    let mut halves = Halves {
        p_squared: [0.0; N],
        m_squared: [0.0; N],
        b: [0.0; N],
        sum: [0.0; N],
        difference: [0.0; N],
    };
    for lane in 0..N {
        let (w, q1, q2, q3) = (w[lane], q1[lane], q2[lane], q3[lane]);
        // Parts of a unit quaternion: their squares do not overflow, and those that underflow are below the lock.
        let p_squared = (w + q2) * (w + q2) + (q1 + q3) * (q1 + q3);
        let m_squared = (w - q2) * (w - q2) + (q1 - q3) * (q1 - q3);
        halves.p_squared[lane] = p_squared;
        halves.m_squared[lane] = m_squared;
        halves.b[lane] = atan2(p_squared - m_squared, 2.0 * (p_squared * m_squared).sqrt());
        halves.sum[lane] = atan2(q1 + q3, w + q2);
        halves.difference[lane] = atan2(q1 - q3, w - q2);
    }
    halves
}

/// Computes the angles by the plain formulas, and whether no other choice is nearer to the previous ones.
#[inline(always)]
pub(super) fn run_on<const N: usize>(
    halves: &Halves<N>,
    hands: &[f64; N],
    previous: &[[f64; N]; 3],
) -> ([[f64; N]; 3], [bool; N]) {
    let mut angles = [[0.0; N]; 3];
    let mut is_near = [false; N];
    for lane in 0..N {
        let found = [
            halves.sum[lane] + halves.difference[lane],
            halves.b[lane],
            hands[lane] * (halves.sum[lane] - halves.difference[lane]),
        ];
        let [x, y, z] = [0, 1, 2].map(|i| found[i] - previous[i][lane]);
        // In the other choice the outer angles differ by half a turn, so they are at least pi - 1 away.
        is_near[lane] = (x * x + y * y + z * z < 1.0)
            & (halves.m_squared[lane] >= LOCK * LOCK)
            & (halves.p_squared[lane] >= LOCK * LOCK);
        for (angles, found) in angles.iter_mut().zip(found) {
            angles[lane] = found;
        }
    }
    (angles, is_near)
}

pub(super) fn decompose_three(parts: [f64; 4], s: f64, previous: [f64; 3]) -> [f64; 3] {
    let halves = halves(&parts.map(|part| [part]));
    match run_on(&halves, &[s], &previous.map(|angle| [angle])) {
        ([[a], [b], [c]], [true]) => [a, b, c],
        _ => choose(halves, s, previous),
    }
}

/// The angles of a rotation that are nearest to the previous ones, among all choices.
#[cold]
pub(super) fn choose(halves: Halves<1>, s: f64, previous: [f64; 3]) -> [f64; 3] {
    let Halves {
        p_squared: [p_squared],
        m_squared: [m_squared],
        b: [b],
        sum: [half_sum],
        difference: [half_difference],
    } = halves;
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
    let distance = target - angle;
    // Continuous curves need no shift, and no division.
    if distance.abs() < 0.5 * period {
        return angle;
    }
    angle + period * rounded(distance / period) as f64
}

/// Returns the nearest whole number, of two the one farther from zero, like `f64::round`; for sizes below 2^52.
///
/// `f64::round` calls the system's library on processors without an instruction for it.
fn rounded(x: f64) -> i64 {
    let whole = x as i64;
    // Exact, because both are of about the same size or the whole number is zero.
    let rest = x - whole as f64;
    whole + i64::from(rest >= 0.5) - i64::from(rest <= -0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

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
}
