//! Forward kinematics of whole tracks.

use core::ops::Range;
use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::{Pose, Tracks};
use crate::math::Rigid;

/// World positions (metres) and rotations of all joints at all frames, frame-major.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldTracks {
    num_joints: usize,
    positions: Vec<DVec3>,
    rotations: Rotations,
}

/// How world rotations are stored.
#[derive(Clone, Debug, PartialEq)]
enum Rotations {
    /// Rotations of all joints at all frames.
    Stored(Vec<DQuat>),
    /// Computed on demand from the local ones along the chain of parents.
    ///
    /// Whole takes need them only for the hips and a few ends of chains; storing all would take as much memory as the local
    /// ones.
    Chained(Arc<Tracks>),
}

impl Tracks {
    /// Returns the world positions and rotations of all joints at all frames.
    pub fn world(&self) -> WorldTracks {
        WorldTracks::from_frames(self, 0..self.num_frames())
    }
}

impl WorldTracks {
    pub(crate) fn from_frames(tracks: &Tracks, frames: Range<usize>) -> Self {
        let mut values = Pose::with_capacity(frames.len() * tracks.num_joints());
        for frame in frames {
            values.append_world(tracks.skeleton(), tracks.pose(frame));
        }
        Self {
            num_joints: tracks.num_joints(),
            positions: values.translations,
            rotations: Rotations::Stored(values.rotations),
        }
    }

    /// Computes world tracks of tracks of any length in less memory; each access to a rotation takes time.
    pub(crate) fn from_long(tracks: &Arc<Tracks>) -> Self {
        let num_joints = tracks.num_joints();
        let mut positions = Vec::with_capacity(tracks.values().translations.len());
        let mut values = Pose::with_capacity(num_joints);
        for frame in 0..tracks.num_frames() {
            values.set_world(tracks.skeleton(), tracks.pose(frame));
            positions.extend_from_slice(&values.translations);
        }
        Self {
            num_joints,
            positions,
            rotations: Rotations::Chained(Arc::clone(tracks)),
        }
    }

    /// Rebuilds the result of [`Self::from_long`] from tracks; `None` unless there is one position for each transform.
    #[cfg(feature = "handover")]
    pub(crate) fn of_positions(tracks: &Arc<Tracks>, positions: Vec<DVec3>) -> Option<Self> {
        (positions.len() == tracks.values().translations.len()).then(|| Self {
            num_joints: tracks.num_joints(),
            positions,
            rotations: Rotations::Chained(Arc::clone(tracks)),
        })
    }

    /// Returns the positions of all joints at all frames.
    #[cfg(feature = "handover")]
    pub(crate) fn all_positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// Creates tracks of some joints from where each is at every frame; the others are not known, and stay at the origin.
    pub(crate) fn of_joints(
        num_joints: usize,
        num_frames: usize,
        joints: &[usize],
        at: impl Fn(usize, usize) -> Rigid,
    ) -> Self {
        let num_values = num_frames * num_joints;
        let mut values = Pose::new(vec![DVec3::ZERO; num_values], vec![DQuat::IDENTITY; num_values]);
        for frame in 0..num_frames {
            for &joint in joints {
                values.set_joint(frame * num_joints + joint, at(frame, joint));
            }
        }
        Self {
            num_joints,
            positions: values.translations,
            rotations: Rotations::Stored(values.rotations),
        }
    }

    /// Returns the number of frames.
    pub fn num_frames(&self) -> usize {
        self.positions.len() / self.num_joints
    }

    /// Returns the number of joints.
    pub fn num_joints(&self) -> usize {
        self.num_joints
    }

    /// Returns the world position of a joint, metres.
    ///
    /// # Panics
    /// When frame or joint are out of range.
    pub fn position(&self, frame: usize, joint: usize) -> DVec3 {
        assert!(joint < self.num_joints);
        self.positions[frame * self.num_joints + joint]
    }

    /// Returns the world rotation of a joint.
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

    /// Returns the world transform of a joint.
    ///
    /// # Panics
    /// When frame or joint are out of range.
    pub fn joint(&self, frame: usize, joint: usize) -> Rigid {
        Rigid::new(self.rotation(frame, joint), self.position(frame, joint))
    }

    /// Returns the world position of a point in the axes of a joint, metres; the rotation is not needed for the joint itself.
    ///
    /// # Panics
    /// When frame or joint are out of range.
    pub fn point(&self, frame: usize, joint: usize, in_joint: DVec3) -> DVec3 {
        if in_joint == DVec3::ZERO {
            return self.position(frame, joint);
        }
        self.position(frame, joint) + self.rotation(frame, joint) * in_joint
    }

    /// Returns the world positions of all joints at `frame`, metres.
    ///
    /// # Panics
    /// When `frame` is out of range.
    pub fn positions(&self, frame: usize) -> &[DVec3] {
        &self.positions[frame * self.num_joints..(frame + 1) * self.num_joints]
    }
}
