//! Forward kinematics of whole tracks.

use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::{Pose, Tracks};
use crate::math::rigid::Rigid;

/// World positions (metres) and rotations of all joints at all frames, frame-major.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldTracks {
    num_joints: usize,
    positions: Vec<DVec3>,
    rotations: Rotations,
}

/// Where world rotations come from.
#[derive(Clone, Debug, PartialEq)]
enum Rotations {
    /// Of all joints at all frames.
    Stored(Vec<DQuat>),
    /// Computed from the local ones along the chain of parents when asked for.
    ///
    /// Whole takes need them of the hips and of a few ends of chains; storing all would take as much memory as the local ones.
    Chained(Arc<Tracks>),
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
            positions: values.translations,
            rotations: Rotations::Stored(values.rotations),
        }
    }

    /// The same for tracks of any length, in less memory: rotations take time whenever they are asked for.
    pub(crate) fn of_long(tracks: &Arc<Tracks>) -> Self {
        let num_joints = tracks.num_joints();
        let mut positions = Vec::with_capacity(tracks.values().translations.len());
        let mut values = Pose::with_capacity(num_joints);
        for frame in 0..tracks.num_frames() {
            values.translations.clear();
            values.rotations.clear();
            values.append_world(tracks.skeleton(), tracks.pose(frame));
            positions.extend_from_slice(&values.translations);
        }
        Self {
            num_joints,
            positions,
            rotations: Rotations::Chained(Arc::clone(tracks)),
        }
    }

    /// Number of frames.
    pub fn num_frames(&self) -> usize {
        self.positions.len() / self.num_joints
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
        self.positions[frame * self.num_joints + joint]
    }

    /// World rotation of a joint.
    ///
    /// # Panics
    /// When frame or joint are out of range.
    pub fn rotation(&self, frame: usize, joint: usize) -> DQuat {
        assert!(joint < self.num_joints);
        match &self.rotations {
            Rotations::Stored(rotations) => rotations[frame * self.num_joints + joint],
            Rotations::Chained(tracks) => tracks.world_rotation(frame, joint),
        }
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
        &self.positions[frame * self.num_joints..(frame + 1) * self.num_joints]
    }
}
