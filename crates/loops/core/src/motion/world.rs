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
    /// The joints with positions; all in order if `None`.
    placed: Option<Kept>,
    positions: Vec<DVec3>,
    rotations: Rotations,
}

/// Those joints that have a value at every frame.
#[derive(Clone, Debug, PartialEq)]
struct Kept {
    /// In the order of their values.
    joints: Vec<usize>,
    /// Per joint of the skeleton its place among them, if it is one.
    slots: Vec<Option<usize>>,
}

impl Kept {
    /// Keeps some of `num_joints` joints; duplicates are kept once.
    fn new(some: &[usize], num_joints: usize) -> Self {
        let mut joints = Vec::new();
        let mut slots = vec![None; num_joints];
        for &joint in some {
            if slots[joint].is_none() {
                slots[joint] = Some(joints.len());
                joints.push(joint);
            }
        }
        Self { joints, slots }
    }

    /// Returns the index of a joint's value. Panics if it has none.
    fn index(&self, frame: usize, joint: usize) -> usize {
        frame * self.joints.len() + self.slots[joint].expect("a joint that is kept")
    }
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
    /// Rotations of some joints at all frames.
    Some(Kept, Vec<DQuat>),
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
            placed: None,
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
            placed: None,
            positions,
            rotations: Rotations::Chained(Arc::clone(tracks)),
        }
    }

    /// Rebuilds the result of [`Self::from_long`] from tracks; `None` unless there is one position for each transform.
    #[cfg(feature = "handover")]
    pub(crate) fn of_positions(tracks: &Arc<Tracks>, positions: Vec<DVec3>) -> Option<Self> {
        (positions.len() == tracks.values().translations.len()).then(|| Self {
            num_joints: tracks.num_joints(),
            placed: None,
            positions,
            rotations: Rotations::Chained(Arc::clone(tracks)),
        })
    }

    /// Returns the positions of all joints at all frames.
    #[cfg(feature = "handover")]
    pub(crate) fn all_positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// Creates tracks of some joints, and of the rotations of `turned` among them, from where each is at every frame.
    pub(crate) fn of_joints(
        num_joints: usize,
        num_frames: usize,
        (placed, turned): (&[usize], &[usize]),
        at: impl Fn(usize, usize) -> Rigid,
    ) -> Self {
        let [placed, turned] = [placed, turned].map(|joints| Kept::new(joints, num_joints));
        let at = &at;
        let positions =
            (0..num_frames).flat_map(|frame| placed.joints.iter().map(move |&joint| at(frame, joint).translation));
        let rotations =
            (0..num_frames).flat_map(|frame| turned.joints.iter().map(move |&joint| at(frame, joint).rotation));
        let (positions, rotations) = (positions.collect(), rotations.collect());
        Self {
            num_joints,
            placed: Some(placed),
            positions,
            rotations: Rotations::Some(turned, rotations),
        }
    }

    /// Returns the number of frames.
    pub fn num_frames(&self) -> usize {
        let width = (self.placed.as_ref()).map_or(self.num_joints, |placed| placed.joints.len());
        self.positions.len() / width
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
        let index = (self.placed.as_ref()).map_or(frame * self.num_joints + joint, |placed| placed.index(frame, joint));
        self.positions[index]
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
            Rotations::Some(kept, rotations) => rotations[kept.index(frame, joint)],
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
