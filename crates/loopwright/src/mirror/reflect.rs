//! Motion seen in the mirror: vectors, rotations, poses and whole takes.

use glam::{DQuat, DVec3};

use super::Mirror;
use crate::take::Take;

/// Changes the sign of what lies across the mirror.
pub(crate) const ACROSS: DVec3 = DVec3::new(-1.0, 1.0, 1.0);

impl Mirror {
    /// The image of a vector in the axes of a joint's parent, in those of its partner's parent.
    pub fn reflect(&self, joint: usize, vector: DVec3) -> DVec3 {
        self.parent_axes[joint].conjugate() * (vector * ACROSS)
    }

    /// The image of a rotation vector, or of an angular velocity, in the axes of a joint's parent.
    pub fn reflect_turn(&self, joint: usize, turn: DVec3) -> DVec3 {
        // A rotation vector is reflected and changes its sense.
        -self.reflect(joint, turn)
    }

    /// The image of a joint's local rotation, for its partner.
    pub fn reflect_rotation(&self, joint: usize, rotation: DQuat) -> DQuat {
        (self.parent_axes[joint].conjugate() * flipped(rotation) * self.own_axes[joint]).normalize()
    }

    /// The image of a joint's position in its parent's axes, for its partner: bones keep their own lengths, and the offset from
    /// rest is reflected.
    pub fn reflect_place(&self, joint: usize, place: DVec3) -> DVec3 {
        match (self.rest[joint], self.rest[self.partners[joint]]) {
            (Some(own), Some(other)) => other + self.reflect(joint, place - own),
            _ => self.reflect(joint, place),
        }
    }

    /// The image of a rotation in the space of the mirror, as that of the partner of the joint that has it.
    pub fn reflect_in_space(&self, joint: usize, rotation: DQuat) -> DQuat {
        (flipped(rotation) * self.own_axes[joint]).normalize()
    }

    /// The image of a whole take, in a mirror across the world's X: +X becomes -X.
    pub fn take(&self, take: &Take) -> Take {
        let num_transforms = take.num_frames() * take.num_joints();
        let mut translations = vec![DVec3::ZERO; num_transforms];
        let mut rotations = vec![DQuat::IDENTITY; num_transforms];
        for frame in 0..take.num_frames() {
            let (positions, turns) = (take.translations(frame), take.rotations(frame));
            for joint in 0..take.num_joints() {
                let image = frame * take.num_joints() + self.partners[joint];
                translations[image] = self.reflect_place(joint, positions[joint]);
                rotations[image] = self.reflect_rotation(joint, turns[joint]);
            }
        }
        // Reflecting keeps rotations of length one and their signs continuous along a joint's track.
        take.with_tracks(translations, rotations)
    }
}

/// A rotation seen in the mirror, as one between the images of the two spaces: S q S.
pub(super) fn flipped(rotation: DQuat) -> DQuat {
    DQuat::from_xyzw(rotation.x, -rotation.y, -rotation.z, rotation.w)
}
