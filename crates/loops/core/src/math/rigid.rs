//! Rigid motions and their rates: transforms, twists, and the exponential map between them.
//!
//! `Rigid` maps points as rotation * p + translation and composes like matrices. A [`Twist`] is a constant body-frame rate; after
//! `t` seconds it has moved a frame F to F * exp(t xi). Formulas: docs/math/rotations.md.

use glam::{DQuat, DVec3};

use super::rotation;

/// A rigid motion: first the rotation, then the translation (metres).
#[handed_over(Copy)]
pub struct Rigid {
    /// Rotation, unit quaternion (x, y, z, w).
    pub rotation: DQuat,
    /// Translation in metres.
    pub translation: DVec3,
}

impl Rigid {
    /// The identity.
    pub const IDENTITY: Self = Self {
        rotation: DQuat::IDENTITY,
        translation: DVec3::ZERO,
    };

    /// Creates a motion from its two parts.
    pub const fn new(rotation: DQuat, translation: DVec3) -> Self {
        Self { rotation, translation }
    }

    /// Creates a rotation by `yaw` radians about +Y, then a translation in metres.
    pub fn from_yaw(yaw: f64, translation: DVec3) -> Self {
        Self::new(rotation::from_yaw(yaw), translation)
    }

    /// Returns the inverse motion.
    pub fn inverse(self) -> Self {
        let rotation = self.rotation.conjugate();
        Self::new(rotation, -(rotation * self.translation))
    }

    /// Returns the image of a point, metres.
    pub fn transform_point(self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }
}

impl core::ops::Mul for Rigid {
    type Output = Self;

    /// `a * b` applies b first.
    fn mul(self, other: Self) -> Self {
        Self::new(
            rotation::renormalized(self.rotation * other.rotation),
            self.transform_point(other.translation),
        )
    }
}

/// A constant rate of rigid motion in the moving body's own frame.
#[handed_over(Copy, Default)]
pub struct Twist {
    /// Linear velocity of the frame's origin, metres per second, in the frame's own axes.
    pub linear: DVec3,
    /// Angular velocity, radians per second; +Y is a left turn.
    pub angular: DVec3,
}

impl Twist {
    /// Creates a linear velocity, metres per second, and an angular one, radians per second, in the frame's own axes.
    pub const fn new(linear: DVec3, angular: DVec3) -> Self {
        Self { linear, angular }
    }

    /// No motion.
    pub const ZERO: Self = Self {
        linear: DVec3::ZERO,
        angular: DVec3::ZERO,
    };

    /// Returns the twist with so much of another one added.
    #[must_use]
    pub fn plus(self, other: Self, share: f64) -> Self {
        Self::new(self.linear + other.linear * share, self.angular + other.angular * share)
    }

    /// Returns the motion after `secs` seconds: exp(secs * xi), translation J(w t) v t.
    pub fn exp(self, secs: f64) -> Rigid {
        let turn = self.angular * secs;
        Rigid::new(
            rotation::exp(turn),
            rotation::left_jacobian(turn) * (self.linear * secs),
        )
    }

    /// Creates the constant twist that reaches `motion` in `secs` seconds with the shortest rotation (at most half a turn).
    pub fn log(motion: Rigid, secs: f64) -> Self {
        Self::log_with_turn(motion, rotation::log(motion.rotation), secs)
    }

    /// Creates the constant twist that reaches `motion` in `secs` seconds while turning by the rotation vector `turn`.
    ///
    /// `turn` must be a logarithm of the motion's rotation, possibly with whole turns added. At one or more whole turns a twist
    /// reaches only motions without translation across the axis, and the inverse Jacobian is not finite: the caller must handle
    /// that case first.
    pub fn log_with_turn(motion: Rigid, turn: DVec3, secs: f64) -> Self {
        Self {
            linear: rotation::left_jacobian_inverse(turn) * motion.translation / secs,
            angular: turn / secs,
        }
    }

    /// Returns the twist of a rigidly attached frame; `frame` is its transform relative to the frame with this twist.
    #[must_use]
    pub(crate) fn seen_from(self, frame: Rigid) -> Self {
        let back = frame.rotation.conjugate();
        Self {
            linear: back * (self.linear + self.angular.cross(frame.translation)),
            angular: back * self.angular,
        }
    }

    /// Returns the rate of climb along `up`, a unit vector in the moving frame, metres per second: for a turning path the part
    /// along its axis, which remains over whole turns about a leaning axis.
    pub fn climb(self, up: DVec3) -> f64 {
        match self.radius() {
            Some(_) => {
                let axis = self.angular.normalize_or_zero();
                self.linear.dot(axis) * axis.dot(up)
            }
            None => self.linear.dot(up),
        }
    }

    /// Returns the radius of the path in metres, or `None` for a straight one.
    ///
    /// A path counts as straight if its radius exceeds a kilometre: beyond that the value has no practical meaning.
    pub fn radius(self) -> Option<f64> {
        let rate = self.angular.length();
        let axis = self.angular.normalize_or_zero();
        let across = self.linear - axis * self.linear.dot(axis);
        let across = if rate > 0.0 { across.length() } else { 0.0 };
        let radius = across / rate;
        (rate > 0.0 && radius.is_finite() && radius < 1000.0).then_some(radius)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_undoes_exp() {
        for scale in [1e-12, 1e-6, 1e-3, 0.1, 1.0, 2.5] {
            let twist = Twist::new(DVec3::new(1.2, 0.1, -0.4), DVec3::new(0.1, 0.9, -0.2) * scale);
            let back = Twist::log(twist.exp(0.7), 0.7);
            assert!((back.linear - twist.linear).length() < 1e-13);
            assert!((back.angular - twist.angular).length() < 1e-13);
        }
    }

    #[test]
    fn exp_adds_along_time_and_inverse_undoes() {
        let twist = Twist::new(DVec3::new(0.2, 0.05, 1.4), DVec3::new(0.0, 0.8, 0.0));
        let both = twist.exp(0.4) * twist.exp(0.9);
        let once = twist.exp(1.3);
        assert!((both.translation - once.translation).length() < 1e-15);
        let home = once * once.inverse();
        assert!(home.translation.length() < 1e-15);
        assert_eq!(twist.climb(DVec3::Y), 0.05);
        // The rise of many turns about an axis that leans, against the axis worked out from their ends.
        let leaning = Twist {
            angular: DVec3::new(0.1, 0.8, -0.05),
            ..twist
        };
        let turns = 50.0 * core::f64::consts::TAU / leaning.angular.length();
        let rise = leaning.exp(turns).translation.y / turns;
        assert!((leaning.climb(DVec3::Y) - rise).abs() < 1e-12);
        assert!((leaning.climb(DVec3::Y) - 0.05).abs() > 0.05);
        // Turning left about an axis 1.75 m to the left.
        assert!((twist.radius().unwrap() - (0.04_f64 + 1.96).sqrt() / 0.8).abs() < 1e-12);
        assert!(Twist::new(DVec3::Z, DVec3::ZERO).radius().is_none());
        // Beyond a kilometre a path counts as straight, and climbs with all of its rise.
        let wide = |radius: f64| Twist::new(DVec3::new(0.0, 0.1, 1.0), DVec3::Y / radius);
        assert!((wide(999.0).radius().unwrap() - 999.0).abs() < 1e-9);
        assert_eq!((wide(1001.0).radius(), wide(1001.0).climb(DVec3::Y)), (None, 0.1));
    }
}
