//! Rotations as a take has them: of length one, and on the side of the frame before.

use glam::{DQuat, DVec3};

use super::{MAX_COORDINATE, TakeError};
use crate::math::rotation;

/// Brings rotations to length one, and each to the sign that is nearer to the rotation of the frame before.
///
/// There is at least one frame. Errors: the first transform that cannot be one.
pub(super) fn settle(num_joints: usize, translations: &[DVec3], rotations: &mut [DQuat]) -> Result<(), TakeError> {
    for first in (0..rotations.len()).step_by(num_joints) {
        let (before, rest) = rotations.split_at_mut(first);
        let before = &before[first.saturating_sub(num_joints)..];
        let frame = &mut rest[..num_joints];
        for (joint, (translation, rotation)) in translations[first..].iter().zip(&mut *frame).enumerate() {
            let length = rotation.length();
            let plausible = translation.abs().max_element() <= MAX_COORDINATE
                && translation.is_finite()
                && length.is_finite()
                && length > 1e-6;
            if !plausible {
                let frame = first / num_joints;
                return Err(TakeError::Implausible { frame, joint });
            }
            *rotation /= length;
        }
        // Nothing for the first frame, which has none before it.
        for (rotation, before) in frame.iter_mut().zip(before) {
            *rotation = rotation::on_side_of(*rotation, *before);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of two joints in three frames; the second joint's rotations lie at right angles or on the far side of each other.
    fn rotations() -> Vec<DQuat> {
        let (x, w) = (
            DQuat::from_xyzw(-3.0, 0.0, 0.0, 0.0),
            DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0),
        );
        vec![w, w, w, -w, w, x]
    }

    #[test]
    fn rotations_get_length_one_and_the_sign_of_the_frame_before() {
        let (mut settled, unit_x) = (rotations(), DQuat::from_xyzw(-1.0, 0.0, 0.0, 0.0));
        settle(2, &[DVec3::ONE; 6], &mut settled).unwrap();
        assert_eq!(settled[..5], [DQuat::IDENTITY; 5]);
        // At right angles neither sign is nearer, and it stays.
        assert_eq!(settled[5], unit_x);
    }

    #[test]
    fn the_first_implausible_transform_is_named() {
        let fault = |index: usize, translation: DVec3, rotation: DQuat| {
            let (mut translations, mut rotations) = ([DVec3::ONE; 6], rotations());
            (translations[index], rotations[index]) = (translation, rotation);
            rotations[5] = DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0);
            settle(2, &translations, &mut rotations)
        };
        let at = |frame, joint| Err(TakeError::Implausible { frame, joint });
        assert_eq!(fault(3, DVec3::ONE, DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0)), at(1, 1));
        assert_eq!(fault(4, DVec3::NAN, DQuat::IDENTITY), at(2, 0));
        assert_eq!(fault(4, DVec3::ONE, DQuat::IDENTITY), at(2, 1));
    }
}
