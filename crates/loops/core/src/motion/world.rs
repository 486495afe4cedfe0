//! Forward kinematics of whole tracks.

use core::ops::Range;
use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::{Pose, Tracks};
use crate::math::Rigid;

/// World positions (metres) and rotations of all joints at all frames, frame-major.
#[value]
pub struct WorldTracks {
    num_joints: usize,
    /// The joints that have values; all if `None`.
    kept: Option<Kept>,
    positions: Vec<DVec3>,
    rotations: Rotations,
}

/// The joints that have values at every frame.
#[value]
struct Kept {
    count: usize,
    /// Per joint of the skeleton its place among them, if it is one.
    slots: Vec<Option<usize>>,
}

/// How world rotations are stored.
#[value]
enum Rotations {
    /// Rotations of all joints that have values, at all frames.
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
            kept: None,
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
            values.translations.clear();
            values.rotations.clear();
            values.append_world(tracks.skeleton(), tracks.pose(frame));
            positions.extend_from_slice(&values.translations);
        }
        Self {
            num_joints,
            kept: None,
            positions,
            rotations: Rotations::Chained(Arc::clone(tracks)),
        }
    }

    /// Rebuilds the result of [`Self::from_long`] from tracks; `None` unless there is one position for each transform.
    #[cfg(feature = "handover")]
    pub(crate) fn of_positions(tracks: &Arc<Tracks>, positions: Vec<DVec3>) -> Option<Self> {
        (positions.len() == tracks.values().translations.len()).then(|| Self {
            num_joints: tracks.num_joints(),
            kept: None,
            positions,
            rotations: Rotations::Chained(Arc::clone(tracks)),
        })
    }

    /// Returns the positions of all joints at all frames.
    #[cfg(feature = "handover")]
    pub(crate) fn all_positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// Creates tracks of some joints from where each is at every frame.
    pub(crate) fn of_joints(
        num_joints: usize,
        num_frames: usize,
        joints: &[usize],
        at: impl Fn(usize, usize) -> Rigid,
    ) -> Self {
        let (mut count, mut slots) = (0, vec![None; num_joints]);
        for &joint in joints {
            slots[joint].get_or_insert_with(|| {
                count += 1;
                count - 1
            });
        }
        let size = num_frames * count;
        let mut values = Pose::new(vec![DVec3::ZERO; size], vec![DQuat::IDENTITY; size]);
        for frame in 0..num_frames {
            for (joint, slot) in slots.iter().enumerate() {
                if let Some(slot) = slot {
                    values.set_joint(frame * count + slot, at(frame, joint));
                }
            }
        }
        Self {
            num_joints,
            kept: Some(Kept { count, slots }),
            positions: values.translations,
            rotations: Rotations::Stored(values.rotations),
        }
    }

    /// Returns the number of frames.
    pub fn num_frames(&self) -> usize {
        let width = self.kept.as_ref().map_or(self.num_joints, |kept| kept.count);
        self.positions.len().checked_div(width).unwrap_or(0)
    }

    /// Returns the index of a joint's values. Panics if it has none.
    fn index(&self, frame: usize, joint: usize) -> usize {
        assert!(joint < self.num_joints);
        match &self.kept {
            Some(kept) => frame * kept.count + kept.slots[joint].expect("a joint that is kept"),
            None => frame * self.num_joints + joint,
        }
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
        self.positions[self.index(frame, joint)]
    }

    /// Returns the world rotation of a joint.
    ///
    /// # Panics
    /// When frame or joint are out of range.
    pub fn rotation(&self, frame: usize, joint: usize) -> DQuat {
        match &self.rotations {
            Rotations::Stored(rotations) => rotations[self.index(frame, joint)],
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
