//! The form that a take had in its file, kept so that a loop can be written in it; and reading with it.

use glam::DVec3;
use loopwright::take::Take;

use crate::{
    bvh::{self, BvhJoint, Channel, FrameTime, Hierarchy},
    error::ReadError,
    space::{Axis, Space, SpaceSettings},
    warning::Warning,
};

/// A take as loaded, and the form it had in its file.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedTake {
    /// The motion, in metres with +Y up.
    pub take: Take,
    /// How the file put it.
    pub source: Source,
}

/// Reads a take from the bytes of a BVH file.
///
/// `name` becomes the take's name, usually the file's stem. The space is taken from `settings` or guessed by the body, see
/// [`SpaceSettings`]; the world is then turned so that +Y is up (only the root's track changes) and scaled to metres. What
/// is odd goes into `warnings`. Errors: [`ReadError`]; no input panics, and memory stays in proportion to the bytes.
pub fn read_take(
    bytes: &[u8],
    name: &str,
    settings: &SpaceSettings,
    warnings: &mut Vec<Warning>,
) -> Result<LoadedTake, ReadError> {
    let file = bvh::parse(bytes, warnings)?;
    bvh::read::take_from_file(file, bytes.len(), name, settings, warnings)
}

/// The form of a take in its file: hierarchy, channels, frame time and space.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    pub(crate) hierarchy: Hierarchy,
    pub(crate) frame_time: FrameTime,
    pub(crate) space: Space,
}

/// A joint moves or lies off its offset when it does so by more than this, in centimetres.
const REST_TOLERANCE_CM: f64 = 1e-6;

impl Source {
    /// A form for a take that comes from elsewhere: BVH in centimetres, Y up.
    ///
    /// The root has position channels and rotations in the order Z X Y, all other joints rotations in that order, and
    /// position channels where the translation varies or differs from the rest offset. Each leaf gets an End Site.
    pub fn for_take(take: &Take) -> Self {
        let space = Space::CENTIMETRES_Y_UP;
        let in_cm = |v: DVec3| v / space.unit_metres;
        let skeleton = take.skeleton();
        let mut is_off = vec![false; take.num_joints()];
        for frame in 0..take.num_frames() {
            for (joint, translation) in take.translations(frame).iter().enumerate() {
                let off = in_cm(*translation - skeleton.joint(joint).rest_offset)
                    .abs()
                    .max_element();
                is_off[joint] |= off > REST_TOLERANCE_CM;
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
                    offset: in_cm(joint.rest_offset),
                    channels: positions.into_iter().filter(|_| moves).chain(rotations).collect(),
                    end_sites: is_leaf
                        .then(|| in_cm(joint.tip.unwrap_or(DVec3::ZERO)))
                        .into_iter()
                        .collect(),
                }
            })
            .collect();
        Self {
            hierarchy: Hierarchy::new(joints),
            frame_time: FrameTime {
                secs: take.frame_time_secs(),
                text: None,
            },
            space,
        }
    }

    /// The tree of joints with their channels, in the file's own words.
    pub fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }

    /// How the file's space lies in ours, and whether that was stated or guessed.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Seconds from one frame to the next in the file.
    pub fn frame_time_secs(&self) -> f64 {
        self.frame_time.secs
    }
}
