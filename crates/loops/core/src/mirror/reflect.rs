//! Reflects motion: vectors, rotations, poses and whole takes.

use glam::{DQuat, DVec3};

use super::Mirror;
use crate::take::Take;

/// Changes the sign of the component across the mirror.
pub(crate) const ACROSS: DVec3 = DVec3::new(-1.0, 1.0, 1.0);

impl Mirror {
    /// Returns the image of a vector in the axes of a joint's parent, as a vector in the axes of its partner's parent.
    pub(crate) fn reflect(&self, joint: usize, vector: DVec3) -> DVec3 {
        self.parent_axes[joint].conjugate() * (vector * ACROSS)
    }

    /// Returns the image of a joint's local rotation, for its partner.
    pub(crate) fn reflect_rotation(&self, joint: usize, rotation: DQuat) -> DQuat {
        (self.parent_axes[joint].conjugate() * flipped(rotation) * self.own_axes[joint]).normalize()
    }

    /// Returns the image of a joint's position in its parent's axes, for its partner: bones keep their own lengths, and the
    /// offset from rest is reflected.
    pub(crate) fn reflect_position(&self, joint: usize, position: DVec3) -> DVec3 {
        match (self.rest[joint], self.rest[self.partners[joint]]) {
            (Some(own), Some(other)) => other + self.reflect(joint, position - own),
            _ => self.reflect(joint, position),
        }
    }

    /// Returns the image of a world-space rotation of a joint, for its partner.
    pub(crate) fn reflect_in_space(&self, joint: usize, rotation: DQuat) -> DQuat {
        (flipped(rotation) * self.own_axes[joint]).normalize()
    }

    /// Returns the image of a whole take, in a mirror across the world's X: +X becomes -X.
    pub fn take(&self, take: &Take) -> Take {
        // Reflection keeps rotations at length one and their signs continuous along a joint's track.
        take.map_poses(|pose| {
            let mut mirrored = pose.to_pose();
            for joint in 0..pose.num_joints() {
                let image = self.partners[joint];
                mirrored.translations[image] = self.reflect_position(joint, pose.translations[joint]);
                mirrored.rotations[image] = self.reflect_rotation(joint, pose.rotations[joint]);
            }
            mirrored
        })
    }
}

/// Returns the image of a rotation, between the images of the two spaces: S q S.
pub(super) fn flipped(rotation: DQuat) -> DQuat {
    DQuat::from_xyzw(rotation.x, -rotation.y, -rotation.z, rotation.w)
}
