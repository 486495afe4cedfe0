//! The BVH form of a take, read from its file or created for it.

use glam::DVec3;
use loopwright_core::Take;

use super::{BvhJoint, FrameTime, Hierarchy, channel::Channel};
use crate::space::{Axis, Space};

/// The form of a take in a BVH file: hierarchy, channels, frame time and space.
#[handed_over]
pub struct BvhSource {
    pub(crate) hierarchy: Hierarchy,
    pub(crate) frame_time: FrameTime,
    pub(crate) space: Space,
}

/// A joint moves, or differs from its offset, if it does so by more than this, in centimetres.
const REST_TOLERANCE_CM: f64 = 1e-6;

impl BvhSource {
    /// Creates a form for a take from elsewhere: BVH in centimetres, Y up.
    ///
    /// The root has position channels and rotations in the order Z X Y, all other joints rotations in that order, and position
    /// channels where the translation varies or differs from the rest offset. Each leaf gets an End Site.
    pub fn for_take(take: &Take) -> Self {
        let space = Space::CENTIMETRES_Y_UP;
        let unit = space.unit_metres;
        let skeleton = take.skeleton();
        let mut is_off = vec![false; take.num_joints()];
        for frame in 0..take.num_frames() {
            for (joint, translation) in take.translations(frame).iter().enumerate() {
                let off = (*translation - skeleton.joint(joint).rest_offset) / unit;
                is_off[joint] |= off.abs().max_element() > REST_TOLERANCE_CM;
            }
        }
        let joints = skeleton
            .joints()
            .iter()
            .enumerate()
            .map(|(index, joint)| {
                let positions = Axis::ALL.map(Channel::position);
                let rotations = [Axis::Z, Axis::X, Axis::Y].map(Channel::rotation);
                let moves = joint.parent.is_none() || is_off[index];
                let is_leaf = skeleton.children(index).is_empty();
                BvhJoint {
                    name: joint.name.clone(),
                    parent: joint.parent,
                    offset: joint.rest_offset / unit,
                    channels: positions.into_iter().filter(|_| moves).chain(rotations).collect(),
                    end_sites: Vec::from_iter(is_leaf.then(|| joint.tip.unwrap_or(DVec3::ZERO) / unit)),
                }
            })
            .collect();
        Self {
            hierarchy: Hierarchy { joints },
            frame_time: FrameTime {
                secs: take.frame_time_secs(),
                text: None,
            },
            space,
        }
    }

    /// Returns the tree of joints with their channels, as stated in the file.
    pub fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }
}
