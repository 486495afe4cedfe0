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
//! so that tan b = (P^2 - M^2) / (2 P M), at full precision everywhere, and lock is where P or M is zero.

use core::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};

use fearless_simd::{Level, dispatch, prelude::*};
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

/// Rotations whose angles are worked out side by side.
const LANES: usize = 8;

/// [`decompose`] for all joints of a skeleton at once, several times as fast.
pub(super) struct Decomposer {
    level: Level,
    joints: Vec<JointAxes>,
}

struct JointAxes {
    axes: Vec<Axis>,
    /// Where three axes stand in a quaternion, and their handedness; that is zero where there are fewer.
    places: [usize; 3],
    hand: f64,
}

impl Decomposer {
    /// For joints with these rotation axes.
    pub(super) fn new(level: Level, axes: impl Iterator<Item = Vec<Axis>>) -> Self {
        let joint = |axes: Vec<Axis>| {
            let (places, hand) = match axes[..] {
                [first, second, third] => ([first, second, third].map(Axis::index), handedness(first, second)),
                _ => ([0, 1, 2], 0.0),
            };
            JointAxes { axes, places, hand }
        };
        Self {
            level,
            joints: axes.map(joint).collect(),
        }
    }

    /// Rotation axes of a joint.
    pub(super) fn axes(&self, joint: usize) -> &[Axis] {
        &self.joints[joint].axes
    }

    /// Joints with fewer than three axes, which do not reach every rotation.
    pub(super) fn restricted(&self) -> impl Iterator<Item = usize> {
        (self.joints.iter().enumerate())
            .filter(|(_, joint)| joint.hand == 0.0)
            .map(|(index, _)| index)
    }

    /// [`compose`] for one of the joints.
    pub(super) fn compose(&self, joint: usize, angles: [f64; 3]) -> DQuat {
        compose(&self.joints[joint].axes, &angles)
    }

    /// The angles of `rotations` as near as can be to those in `angles`, which they replace: the bits of [`decompose`].
    pub(super) fn decompose_all(&self, rotations: &[DQuat], angles: &mut [[f64; 3]]) {
        dispatch!(self.level, simd => decompose_joints(simd, &self.joints, rotations, angles));
    }
}

#[inline(always)]
fn decompose_joints(_: impl Simd, joints: &[JointAxes], rotations: &[DQuat], angles: &mut [[f64; 3]]) {
    let groups = joints
        .chunks(LANES)
        .zip(rotations.chunks(LANES))
        .zip(angles.chunks_mut(LANES));
    for ((joints, rotations), angles) in groups {
        let mut parts = [[0.0; LANES]; 4];
        let mut hands = [1.0; LANES];
        let mut previous = [[0.0; LANES]; 3];
        for (lane, ((joint, rotation), angles)) in joints.iter().zip(rotations).zip(&*angles).enumerate() {
            let rotation: &[f64; 4] = rotation.as_ref();
            // All places are below four; this way nobody has to ask.
            let [first, second, third] = joint.places.map(|place| rotation[place % 4]);
            parts[0][lane] = rotation[3];
            parts[1][lane] = first;
            parts[2][lane] = second;
            parts[3][lane] = joint.hand * third;
            hands[lane] = joint.hand;
            for (previous, angle) in previous.iter_mut().zip(angles) {
                previous[lane] = *angle;
            }
        }
        let halves = halves(&parts);
        let ([a, b, c], is_near) = run_on(&halves, &hands, &previous);
        for (lane, ((joint, rotation), angles)) in joints.iter().zip(rotations).zip(angles).enumerate() {
            *angles = if joint.hand == 0.0 {
                decompose(&joint.axes, *rotation, *angles)
            } else if is_near[lane] {
                [a[lane], b[lane], c[lane]]
            } else {
                choose(halves.lane(lane), joint.hand, *angles)
            };
        }
    }
}

/// What the angles of rotations are made of: the squares of P and M, b, and half of the sum and the difference of a and s c.
struct Halves<const N: usize> {
    p_squared: [f64; N],
    m_squared: [f64; N],
    b: [f64; N],
    sum: [f64; N],
    difference: [f64; N],
}

impl<const N: usize> Halves<N> {
    #[inline(always)]
    fn lane(&self, lane: usize) -> Halves<1> {
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
fn halves<const N: usize>([w, q1, q2, q3]: &[[f64; N]; 4]) -> Halves<N> {
    let mut halves = Halves {
        p_squared: [0.0; N],
        m_squared: [0.0; N],
        b: [0.0; N],
        sum: [0.0; N],
        difference: [0.0; N],
    };
    for lane in 0..N {
        let (w, q1, q2, q3) = (w[lane], q1[lane], q2[lane], q3[lane]);
        // Parts of a unit quaternion: their squares do not overflow, and those that vanish are below the lock.
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

/// Angles as they come, and whether no other choice is nearer to the previous ones.
#[inline(always)]
fn run_on<const N: usize>(
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
        // In the other choice the outer angles are half a turn away from these, so they are at least pi - 1 off.
        is_near[lane] = (x * x + y * y + z * z < 1.0)
            & (halves.m_squared[lane] >= LOCK * LOCK)
            & (halves.p_squared[lane] >= LOCK * LOCK);
        for (angles, found) in angles.iter_mut().zip(found) {
            angles[lane] = found;
        }
    }
    (angles, is_near)
}

fn decompose_three(parts: [f64; 4], s: f64, previous: [f64; 3]) -> [f64; 3] {
    let halves = halves(&parts.map(|part| [part]));
    match run_on(&halves, &[s], &previous.map(|angle| [angle])) {
        ([[a], [b], [c]], [true]) => [a, b, c],
        _ => choose(halves, s, previous),
    }
}

/// The choice among all angles of a rotation that is nearest to the previous ones.
#[cold]
fn choose(halves: Halves<1>, s: f64, previous: [f64; 3]) -> [f64; 3] {
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

/// `angle` shifted by whole `period`s to where it lies nearest `target`.
fn nearest(angle: f64, target: f64, period: f64) -> f64 {
    let distance = target - angle;
    // Curves that run on need no shift, and no division.
    if distance.abs() < 0.5 * period {
        return angle;
    }
    angle + period * rounded(distance / period) as f64
}

/// Where the arc tangent is taken about 1 rather than 0: tan(22.5 degrees).
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

/// The angle of (x, y) in radians, as [`ops::atan2`] has it to within 1e-15.
///
/// No branch, no table, and only the four operations: many can be taken side by side, and the bits are the same everywhere.
#[inline(always)]
fn atan2(y: f64, x: f64) -> f64 {
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
    // In pairs, and pairs of those, so that no product waits for all others.
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
    fn joints_side_by_side_get_the_angles_that_each_gets_alone() {
        let mut random = Random(7);
        let axes: Vec<Vec<Axis>> = (0..27)
            .map(|index| ORDERS[index % 6][..3 - (index % 10) / 8].to_vec())
            .collect();
        for level in [Level::new(), Level::baseline()] {
            let decomposer = Decomposer::new(level, axes.iter().cloned());
            let mut angles: Vec<[f64; 3]> = axes.iter().map(|_| [0; 3].map(|_| 10.0 * random.next())).collect();
            for round in 0..500 {
                let step = [0.01, 1.0][round % 2];
                let rotations: Vec<DQuat> = (axes.iter().zip(&angles).enumerate())
                    .map(|(joint, (axes, angles))| {
                        let mut angles = angles.map(|angle| angle + step * random.next());
                        if joint % 7 == round % 7 {
                            angles[1] = FRAC_PI_2;
                        }
                        compose(axes, &angles)
                    })
                    .collect();
                let alone: Vec<[f64; 3]> = (axes.iter().zip(&rotations).zip(&angles))
                    .map(|((axes, rotation), previous)| decompose(axes, *rotation, *previous))
                    .collect();
                decomposer.decompose_all(&rotations, &mut angles);
                assert_eq!(angles, alone);
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
