//! A twist as a screw: rotation about an axis, motion along it, and a circle around it.
//!
//! One representation covers lines, circles, helices and turns at one point: rate, climb and the speed around the axis are all
//! finite and may all be zero. The radius is not included, because it grows without bound as the path becomes straight; it
//! follows from speed and rate. Derivation: docs/math/screw.md.

use glam::{DQuat, DVec3};

use super::{Rigid, Twist, ops};

/// A constant twist in terms of its axis.
///
/// Seen from the moving frame at time 0, at the origin. The three directions are orthogonal unit vectors, axis = basis_x cross
/// basis_y; the path starts along basis_y and curves away from basis_x.
#[value(Copy)]
pub struct Screw {
    /// Direction of the axis: that of the angular velocity, or up (+Y) without rotation.
    pub axis: DVec3,
    /// Turn rate about the axis, radians per second, at least 0: the direction of the axis makes it positive.
    pub rate: f64,
    /// Speed along the axis, metres per second; negative against it.
    pub climb: f64,
    /// Speed across the axis, metres per second, at least 0.
    pub speed: f64,
    /// From the axis towards the moving frame.
    pub basis_x: DVec3,
    /// Direction of motion across the axis.
    pub basis_y: DVec3,
}

/// Speeds across the axis below this share of the whole are rounding errors and have no direction.
const ROUNDING: f64 = 1e-15;

impl From<Twist> for Screw {
    fn from(twist: Twist) -> Self {
        let (axis, rate) = direction_and_length(twist.angular).unwrap_or((DVec3::Y, 0.0));
        let climb = twist.linear.dot(axis);
        let (basis_y, speed) = direction_and_length(twist.linear - axis * climb)
            .filter(|&(_, speed)| speed > ROUNDING * climb.abs())
            // A small difference of large parts is not exactly orthogonal to the axis; a second projection corrects it.
            .map(|(towards, speed)| ((towards - axis * towards.dot(axis)).normalize_or(towards), speed))
            // Without motion across the axis any direction is valid.
            .unwrap_or_else(|| (axis.any_orthonormal_vector(), 0.0));
        Self {
            axis,
            rate,
            climb,
            speed,
            basis_x: basis_y.cross(axis),
            basis_y,
        }
    }
}

impl From<Screw> for Twist {
    fn from(screw: Screw) -> Self {
        Self {
            linear: screw.axis * screw.climb + screw.basis_y * screw.speed,
            angular: screw.axis * screw.rate,
        }
    }
}

impl Screw {
    /// Returns the distance of the moving frame from the axis, metres: speed / rate, infinite for a straight path, and 0 for a
    /// frame on the axis.
    pub fn radius(&self) -> f64 {
        if self.speed == 0.0 { 0.0 } else { self.speed / self.rate }
    }

    /// Returns the position of the moving frame after `secs` seconds, metres, relative to its transform at time 0.
    ///
    /// climb t A - 2 r sin^2(w t/2) X + r sin(w t) Y, with r = speed/w written into the sines: s t sinc(w t) Y - s t (w t/2)
    /// sinc^2(w t/2) X. Nothing cancels, and a straight path is the limit, not a special case.
    pub fn position(&self, secs: f64) -> DVec3 {
        let half = 0.5 * self.rate * secs;
        let distance = self.speed * secs;
        let narrow = sinc(half);
        self.axis * (self.climb * secs) + self.basis_y * (distance * sinc(2.0 * half))
            - self.basis_x * (distance * half * narrow * narrow)
    }

    /// Returns the rotation of the moving frame after `secs` seconds.
    pub(crate) fn orientation(&self, secs: f64) -> DQuat {
        let (sin, cos) = ops::sin_cos(0.5 * self.rate * secs);
        let v = self.axis * sin;
        DQuat::from_xyzw(v.x, v.y, v.z, cos).normalize()
    }

    /// Returns the motion after `secs` seconds; equal to that of the twist.
    pub fn at(&self, secs: f64) -> Rigid {
        Rigid::new(self.orientation(secs), self.position(secs))
    }
}

/// sin(x)/x, 1 at 0.
fn sinc(x: f64) -> f64 {
    // x/sin(x) is 1 to the last digit below the root of the precision, and x itself may be subnormal.
    if x.abs() < 1e-8 { 1.0 } else { ops::sin(x) / x }
}

/// Returns the unit vector and length of `v`; `None` for zero. Squares of tiny values would vanish, so it is scaled first.
fn direction_and_length(v: DVec3) -> Option<(DVec3, f64)> {
    let size = v.abs().max_element();
    if !(size > 0.0 && size.is_finite()) {
        return None;
    }
    // In two steps: the inverse of a subnormal number is infinite.
    let scaled = v / size;
    let length = scaled.length();
    Some((scaled / length, size * length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation;

    /// Twists about many axes, with and without motion along and across.
    fn twists() -> Vec<Twist> {
        let mut twists = Vec::new();
        for axis in [
            DVec3::Y,
            -DVec3::Y,
            DVec3::X,
            DVec3::new(0.48, -0.6, 0.64),
            DVec3::new(-0.8, 0.0, 0.6),
            DVec3::new(2.0, 3.0, -6.0) / 7.0,
        ] {
            for linear in [
                DVec3::new(0.3, -0.2, 1.4),
                DVec3::Z,
                DVec3::ZERO,
                axis * 0.7,
                axis * -1e-3 + DVec3::X * 1e-9,
            ] {
                for rate in [0.0, 1e-300, 1e-12, 1e-9, 1e-6, 1e-3, 0.1, 1.0, 3.0, 9.0] {
                    twists.push(Twist::new(linear, axis * rate));
                }
            }
        }
        twists
    }

    #[test]
    fn equals_the_exponential_of_the_twist() {
        for twist in twists() {
            let screw = Screw::from(twist);
            for secs in [0.0, 1e-9, 0.01, 0.7, -1.3, 5.0] {
                let (found, expected) = (screw.at(secs), twist.exp(secs));
                assert!(
                    (found.translation - expected.translation).length() < 1e-12,
                    "{twist:?} {secs}: {found:?} {expected:?}"
                );
                assert!(rotation::difference(found.rotation, expected.rotation).length() < 1e-12);
            }
        }
    }

    #[test]
    fn goes_back_to_the_twist() {
        for twist in twists() {
            let back = Twist::from(Screw::from(twist));
            assert!((back.linear - twist.linear).length() < 1e-15, "{twist:?} {back:?}");
            assert!((back.angular - twist.angular).length() <= 1e-15 * twist.angular.length());
        }
    }

    #[test]
    fn directions_are_a_frame_and_the_axis_keeps_its_distance() {
        for twist in twists() {
            let screw = Screw::from(twist);
            assert!(
                (screw.basis_x.cross(screw.basis_y) - screw.axis).length() < 1e-15,
                "{twist:?}"
            );
            assert!(screw.basis_x.is_normalized() && screw.basis_y.is_normalized());
            let radius = screw.radius();
            if radius < 100.0 {
                // The axis is one radius against basis_x from the start; the whole path has that distance from it.
                let from_axis = screw.position(0.83) + screw.basis_x * radius;
                let across = from_axis - screw.axis * from_axis.dot(screw.axis);
                assert!((across.length() - radius).abs() < 1e-12 * (1.0 + radius), "{twist:?}");
            }
        }
        // A left quarter turn of 2 m: about an axis 4/pi to the left of it, which is +X.
        let screw = Screw::from(Twist::new(DVec3::Z * 2.0, DVec3::Y * core::f64::consts::FRAC_PI_2));
        assert!((screw.radius() - 4.0 / core::f64::consts::PI).abs() < 1e-15);
        assert_eq!(
            (screw.axis, screw.basis_y, screw.basis_x),
            (DVec3::Y, DVec3::Z, -DVec3::X)
        );
        assert!((screw.position(1.0) - DVec3::new(1.0, 0.0, 1.0) * screw.radius()).length() < 1e-15);
        assert_eq!(Screw::from(Twist::ZERO).radius(), 0.0);
        let straight = Twist::new(DVec3::Z, DVec3::ZERO);
        assert_eq!(Screw::from(straight).radius(), f64::INFINITY);
    }
}
