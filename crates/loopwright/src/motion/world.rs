//! Forward kinematics of whole tracks.

use glam::{DQuat, DVec3};

use super::{Pose, Tracks};
use crate::math::rigid::Rigid;

/// World positions (metres) and rotations of all joints at all frames, frame-major.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldTracks {
    num_joints: usize,
    values: Pose,
}

impl WorldTracks {
    /// Computes the world transforms at every frame.
    pub(super) fn of(tracks: &Tracks) -> Self {
        let mut values = Pose::with_capacity(tracks.values().num_joints());
        for frame in 0..tracks.num_frames() {
            values.append_world(tracks.skeleton(), tracks.pose(frame));
        }
        Self {
            num_joints: tracks.num_joints(),
            values,
        }
    }

    /// Number of frames.
    pub fn num_frames(&self) -> usize {
        self.values.translations.len() / self.num_joints
    }

    /// Number of joints.
    pub fn num_joints(&self) -> usize {
        self.num_joints
    }

    /// World position of a joint, metres.
    ///
    /// # Panics
    /// When frame or joint are out of range.
    pub fn position(&self, frame: usize, joint: usize) -> DVec3 {
        assert!(joint < self.num_joints);
        self.values.translations[frame * self.num_joints + joint]
    }

    /// World rotation of a joint.
    ///
    /// # Panics
    /// When frame or joint are out of range.
    pub fn rotation(&self, frame: usize, joint: usize) -> DQuat {
        assert!(joint < self.num_joints);
        self.values.rotations[frame * self.num_joints + joint]
    }

    /// World transform of a joint.
    ///
    /// # Panics
    /// When frame or joint are out of range.
    pub fn joint(&self, frame: usize, joint: usize) -> Rigid {
        Rigid::new(self.rotation(frame, joint), self.position(frame, joint))
    }

    /// World positions of all joints at `frame`, metres.
    ///
    /// # Panics
    /// When `frame` is out of range.
    pub fn positions(&self, frame: usize) -> &[DVec3] {
        &self.values.translations[frame * self.num_joints..(frame + 1) * self.num_joints]
    }
}
