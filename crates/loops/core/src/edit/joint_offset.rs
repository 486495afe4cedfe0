//! Offsets that edits add to joints.

use core::ops::{Add, Mul};

use glam::DVec3;

use super::EditError;
use crate::{closure::Image, mirror::Mirror};

/// An offset of a joint, in the axes of its parent.
#[handed_over(Copy, Default)]
pub struct JointOffset {
    /// Rotation vector, multiplied on the left of the joint's rotation, radians.
    pub rotation: DVec3,
    /// Added to its translation, metres.
    pub position: DVec3,
}

/// Largest rotation of an edit, radians: one whole turn, beyond which only numbers grow.
pub(super) const MAX_ROTATION: f64 = core::f64::consts::TAU;

/// Farthest that a joint is moved, metres.
const MAX_METRES: f64 = 100.0;

/// Rounding of a number that a caller worked out.
pub(super) const ROUNDING: f64 = 1.0 + 1e-9;

impl JointOffset {
    /// No offset.
    pub const ZERO: Self = Self {
        rotation: DVec3::ZERO,
        position: DVec3::ZERO,
    };

    /// Returns the offset in a mirror across X, for the partner of the joint, as [`Mirror::take`] mirrors the poses of a take.
    #[must_use]
    pub fn mirrored(self, mirror: &Mirror, joint: usize) -> Self {
        Self {
            // A rotation vector changes its sense when mirrored.
            rotation: -mirror.reflect(joint, self.rotation),
            position: mirror.reflect(joint, self.position),
        }
    }

    /// Returns its image in the mirror of a loop, in the axes of the parent of the joint's partner.
    pub(super) fn image(self, mirror: &Image, joint: usize) -> Self {
        Self {
            rotation: mirror.rotation_vector(joint, self.rotation),
            position: mirror.vector(joint, self.position),
        }
    }

    /// Errors: a value is not finite, a rotation exceeds a whole turn, or a distance exceeds that of any body.
    pub(super) fn check(&self) -> Result<(), EditError> {
        let (rotation, position) = (self.rotation.length(), self.position.length());
        if !(0.0..=MAX_ROTATION * ROUNDING).contains(&rotation) {
            return Err(EditError::Rotation {
                found: rotation,
                most: MAX_ROTATION,
            });
        }
        if !(0.0..=MAX_METRES).contains(&position) {
            return Err(EditError::Distance {
                found: position,
                most: MAX_METRES,
            });
        }
        Ok(())
    }
}

impl Mul<f64> for JointOffset {
    type Output = Self;

    fn mul(self, share: f64) -> Self {
        Self {
            rotation: self.rotation * share,
            position: self.position * share,
        }
    }
}

impl Add for JointOffset {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            rotation: self.rotation + other.rotation,
            position: self.position + other.position,
        }
    }
}
