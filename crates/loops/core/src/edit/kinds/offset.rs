//! Offset: a constant offset of a joint.

use super::{
    super::{error::EditError, joint_offset::JointOffset},
    Edit, EditDescriptor, EditParameter, EditValues, EditedJoints, offset_joint, only,
};
use crate::{closure::Image, loop_clip::LoopClip};

/// Offsets a joint all the time.
#[handed_over]
pub struct Offset {
    /// The joint.
    pub joint: usize,
    /// The offset.
    pub offset: JointOffset,
}

pub(super) const DESCRIPTOR: EditDescriptor = EditDescriptor {
    name: "offset",
    title: "joint all the time",
    joints: EditedJoints::One,
    parameters: &[EditParameter::ROTATION, EditParameter::POSITION],
    new: |joints, values| {
        let (joint, offset) = (only(joints), values.offset());
        Offset { joint, offset }.into()
    },
};

/// Share of an offset that may be lost by making it its own mirror image: poses with a symmetric mean are symmetric to a few
/// degrees.
const MAX_LOPSIDED: f64 = 0.2;

impl Edit for Offset {
    fn joints(&self) -> &[usize] {
        core::slice::from_ref(&self.joint)
    }

    fn edited(&self, clip: LoopClip, mirror: Option<&Image>) -> Result<LoopClip, EditError> {
        let Self { joint, offset } = *self;
        offset.check()?;
        let Some(mirror) = mirror else {
            return Ok(offset_joint(clip, joint, |_| offset));
        };
        let (partner, image) = (mirror.partner(joint), offset.image(mirror, joint));
        if partner != joint {
            return Ok(offset_joint(offset_joint(clip, joint, |_| offset), partner, |_| image));
        }
        let even = (offset + image) * 0.5;
        if [(offset.rotation, even.rotation), (offset.position, even.position)]
            .into_iter()
            .any(|(whole, even)| whole.distance(even) > MAX_LOPSIDED * whole.length())
        {
            return Err(EditError::Lopsided {
                name: clip.skeleton().name_of(joint),
            });
        }
        Ok(offset_joint(clip, joint, |_| even))
    }

    fn values(&self, _clip: &LoopClip) -> EditValues {
        self.offset.into()
    }
}
