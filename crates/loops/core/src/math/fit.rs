//! Least-squares fits of motions to points: over the ground, in space, and on a circle.

use glam::{DQuat, DVec3};

use super::{Rigid, ops, rotation};

/// A point seen at the start and, one period later, at the end, with its weight.
#[value(Copy)]
pub(crate) struct PointPair {
    /// World position at the start, metres.
    pub start: DVec3,
    /// World position at the end, metres.
    pub end: DVec3,
    /// Weight in the fit, at least 0.
    pub weight: f64,
}

impl PointPair {
    pub(crate) fn new(start: DVec3, end: DVec3, weight: f64) -> Self {
        Self { start, end, weight }
    }
}

/// Returns the rotation about +Y and the translation that best map the start points to the end points.
///
/// Weighted least squares in closed form: centroids give the translation, the plane cross and dot products about them the
/// rotation. The height is included; the caller decides whether it is a climb. Without points: the identity.
pub(crate) fn fit_planar(pairs: &[PointPair]) -> Rigid {
    fit(pairs, |start, end| {
        let (mut cross, mut dot) = (0.0, 0.0);
        for pair in pairs {
            let (from, to) = (pair.start - start, pair.end - end);
            // With +X to the left of +Z a left turn takes z towards x.
            cross += pair.weight * (from.z * to.x - from.x * to.z);
            dot += pair.weight * (from.x * to.x + from.z * to.z);
        }
        // Points that do not determine a yaw give zero: the angle of (0, 0) is 0.
        rotation::from_yaw(ops::atan2(cross, dot))
    })
}

/// Returns the rigid motion that best maps the start points to the end points.
///
/// Weighted least squares in closed form: centroids give the translation, the eigenvector of the largest eigenvalue of a
/// symmetric 4x4 matrix the rotation. Points on one line do not determine the rotation about it; then any of the best motions is
/// returned. Without points: the identity. Source: Horn, Closed-form solution of absolute orientation using unit quaternions,
/// Journal of the Optical Society of America A 4, 1987.
pub(crate) fn fit_rigid(pairs: &[PointPair]) -> Rigid {
    fit(pairs, |start, end| {
        // s[i][j] sums start axis i times end axis j.
        let mut s = [[0.0; 3]; 3];
        for pair in pairs {
            let (from, to) = ((pair.start - start).to_array(), (pair.end - end).to_array());
            for (row, from) in s.iter_mut().zip(from) {
                for (sum, to) in row.iter_mut().zip(to) {
                    *sum += pair.weight * from * to;
                }
            }
        }
        let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = s;
        // Rows and columns in the order w, x, y, z.
        let [w, x, y, z] = top_eigenvector([
            [xx + yy + zz, yz - zy, zx - xz, xy - yx],
            [yz - zy, xx - yy - zz, xy + yx, zx + xz],
            [zx - xz, xy + yx, yy - xx - zz, yz + zy],
            [xy - yx, zx + xz, yz + zy, zz - xx - yy],
        ]);
        DQuat::from_xyzw(x, y, z, w).normalize()
    })
}

/// Returns the motion that maps one centroid to the other and turns as `turn` finds for them; the identity without points.
fn fit(pairs: &[PointPair], turn: impl FnOnce(DVec3, DVec3) -> DQuat) -> Rigid {
    let total: f64 = pairs.iter().map(|pair| pair.weight).sum();
    if total <= 0.0 {
        return Rigid::IDENTITY;
    }
    let start: DVec3 = pairs.iter().map(|pair| pair.start * pair.weight).sum();
    let end: DVec3 = pairs.iter().map(|pair| pair.end * pair.weight).sum();
    let (start, end) = (start / total, end / total);
    let turn = turn(start, end);
    Rigid::new(turn, end - turn * start)
}

/// Sweeps of the Jacobi method: off-diagonal sizes fall quadratically, some five sweeps reach the last digit of a 4x4.
const MAX_SWEEPS: usize = 30;

/// Unit eigenvector of the largest eigenvalue of a symmetric matrix, by Jacobi rotations in a fixed order.
fn top_eigenvector(mut a: [[f64; 4]; 4]) -> [f64; 4] {
    // Columns become the eigenvectors.
    let mut vectors = [[0.0; 4]; 4];
    for (index, row) in vectors.iter_mut().enumerate() {
        row[index] = 1.0;
    }
    for _ in 0..MAX_SWEEPS {
        let mut turned = false;
        for p in 0..3 {
            for q in p + 1..4 {
                // Below this the entry can no longer change the diagonal.
                if a[p][q].abs() <= f64::EPSILON * 1e-3 * (a[p][p].abs() + a[q][q].abs()) {
                    continue;
                }
                turned = true;
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let cos = 1.0 / (t * t + 1.0).sqrt();
                let sin = t * cos;
                for row in a.iter_mut().chain(&mut vectors) {
                    let (at_p, at_q) = (row[p], row[q]);
                    row[p] = cos * at_p - sin * at_q;
                    row[q] = sin * at_p + cos * at_q;
                }
                for k in 0..4 {
                    let (at_p, at_q) = (a[p][k], a[q][k]);
                    a[p][k] = cos * at_p - sin * at_q;
                    a[q][k] = sin * at_p + cos * at_q;
                }
            }
        }
        if !turned {
            break;
        }
    }
    // The first of a tie, so that points without information give no rotation.
    let top = (1..4).fold(0, |top, index| if a[index][index] > a[top][top] { index } else { top });
    vectors.map(|row| row[top])
}

/// Centre of the circle on which even steps of one rotation lie, and the arm from there to its start, across the rotation's axis.
///
/// `turn` is the rotation vector over all of `points`, radians, not zero. Least squares in closed form: with R_k the rotation up
/// to point k, the points are centre + R_k arm, and the sums of R_k are a + b J with J the quarter turn about the axis. Well
/// determined from half a turn on.
pub(crate) fn fit_circle(points: &[DVec3], turn: DVec3) -> (DVec3, DVec3) {
    let axis = turn.normalize_or_zero();
    let count = points.len().max(1) as f64;
    let (mut sum, mut turned_back) = (DVec3::ZERO, DVec3::ZERO);
    let (mut a, mut b) = (0.0, 0.0);
    for (index, &point) in points.iter().enumerate() {
        let (sin, cos) = ops::sin_cos(turn.length() * index as f64 / count);
        let point = point - axis * point.dot(axis);
        sum += point;
        turned_back += point * cos - axis.cross(point) * sin;
        a += cos;
        b += sin;
    }
    let centre = (sum - (turned_back * a + axis.cross(turned_back) * b) / count) / (count - (a * a + b * b) / count);
    (centre, (turned_back - (centre * a - axis.cross(centre) * b)) / count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_circle_of_a_turn_is_recovered() {
        for degrees in [180.0, 355.0, 360.0, 405.0, -360.0_f64] {
            let axis = DVec3::new(0.48, -0.6, 0.64);
            let turn = axis * degrees.to_radians();
            let (centre, arm) = (DVec3::new(0.6, 0.48, 0.0), DVec3::new(-0.64, 0.0, 0.48) * 0.3);
            let points: Vec<DVec3> = (0..50)
                .map(|step| {
                    centre + rotation::exp(turn * (f64::from(step) / 50.0)) * arm + axis * 0.1 * f64::from(step)
                })
                .collect();
            let found = fit_circle(&points, turn);
            assert!((found.0 - centre).length() < 1e-13, "{degrees}: {found:?}");
            assert!((found.1 - arm).length() < 1e-13, "{degrees}: {found:?}");
        }
    }

    /// Returns the points and their images under a motion, with different weights.
    fn moved(points: &[DVec3], motion: Rigid) -> Vec<PointPair> {
        let points = points.iter().enumerate();
        let pairs = points.map(|(at, &start)| PointPair::new(start, motion.transform_point(start), 1.0 + at as f64));
        pairs.collect()
    }

    #[test]
    fn the_fit_recovers_a_ground_motion() {
        let motion = Rigid::from_yaw(0.7, DVec3::new(1.0, 0.2, -0.5));
        let points = [
            DVec3::new(0.1, 0.9, 0.0),
            DVec3::new(-0.1, 0.1, 0.3),
            DVec3::new(0.4, 1.5, 2.0),
        ];
        let found = fit_planar(&moved(&points, motion));
        assert!((found.translation - motion.translation).length() < 1e-14);
        assert!((rotation::yaw_of(found.rotation) - 0.7).abs() < 1e-14);
        assert_eq!(fit_planar(&[]), Rigid::IDENTITY);
        // Points exactly opposite their images, and points that do not determine a yaw.
        let pair = |start: DVec3, end: DVec3| PointPair::new(start, end, 1.0);
        let quarter = fit_planar(&[pair(DVec3::Z, DVec3::X), pair(-DVec3::Z, -DVec3::X)]);
        assert!((rotation::yaw_of(quarter.rotation) - core::f64::consts::FRAC_PI_2).abs() < 1e-15);
        let lone = fit_planar(&[pair(DVec3::Z, DVec3::X)]);
        assert_eq!(lone, Rigid::new(DQuat::IDENTITY, DVec3::X - DVec3::Z));
    }

    #[test]
    fn the_fit_recovers_any_motion() {
        let points = [
            DVec3::new(0.1, 0.9, 0.0),
            DVec3::new(-0.1, 0.1, 0.3),
            DVec3::new(0.4, 1.5, 2.0),
            DVec3::new(-0.7, 0.2, 1.0),
        ];
        for angle in [0.0, 1e-9, 1e-3, 0.7, 2.0, 3.1, core::f64::consts::PI] {
            let turn = rotation::exp(DVec3::new(0.48, -0.6, 0.64) * angle);
            let motion = Rigid::new(turn, DVec3::new(1.0, 0.2, -0.5));
            let found = fit_rigid(&moved(&points, motion));
            assert!(rotation::difference(found.rotation, turn).length() < 1e-14, "{angle}");
            assert!((found.translation - motion.translation).length() < 1e-14, "{angle}");
        }
        assert_eq!(fit_rigid(&[]), Rigid::IDENTITY);
    }

    #[test]
    fn the_unit_of_weights_and_of_lengths_does_not_matter() {
        let turn = rotation::exp(DVec3::new(0.48, -0.6, 0.64) * 0.7);
        for (weight, unit) in [(1e-12, 1.0), (1e12, 1.0), (1.0, 1e-6), (1.0, 1e6)] {
            let pairs = [DVec3::X, DVec3::new(-0.1, 0.1, 0.3), DVec3::new(0.4, 1.5, 2.0)]
                .map(|start| PointPair::new(start * unit, turn * start * unit, weight));
            let found = fit_rigid(&pairs);
            assert!(
                rotation::difference(found.rotation, turn).length() < 1e-14,
                "{weight} {unit}"
            );
        }
    }

    #[test]
    fn points_that_determine_no_rotation_rotate_nothing() {
        let pair = PointPair::new(DVec3::X, DVec3::new(1.0, 2.0, 3.0), 2.0);
        let found = fit_rigid(&[pair, pair]);
        assert_eq!(found.rotation, DQuat::IDENTITY);
        assert!((found.translation - (pair.end - pair.start)).length() < 1e-15);
    }
}
