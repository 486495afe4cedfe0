//! Offset: a constant offset of a joint.

use super::{
    super::{body_turn::BodyTurn, error::EditError, joint_offset::JointOffset},
    Edit, EditDescriptor, EditKey, EditParameter, EditValues, EditedJoints, offset_joint, only,
};
use crate::{analysis::Body, closure::Image, loop_clip::LoopClip, math::rotation};

/// Offsets a joint all the time.
#[handed_over]
pub struct Offset {
    /// The joint.
    pub joint: usize,
    /// The offset.
    pub offset: JointOffset,
    /// What is turned after it by the axes of the body; [`edit::apply`](crate::edit::apply) makes it a part of the offset.
    pub turn: BodyTurn,
}

pub(super) const DESCRIPTOR: EditDescriptor = EditDescriptor {
    name: "offset",
    title: "joint all the time",
    joints: EditedJoints::One,
    parameters: &[
        EditParameter::ROTATION,
        EditParameter::POSITION,
        EditParameter::turn(EditKey::Raise, "Raise"),
        EditParameter::turn(EditKey::Spread, "Spread"),
        EditParameter::turn(EditKey::Twist, "Twist"),
    ],
    new: |joints, values| {
        let [raise, spread, twist] = EditKey::TURNS.map(|key| values.number(key).unwrap_or_default().to_radians());
        Offset {
            joint: only(joints),
            offset: values.offset(),
            turn: BodyTurn { raise, spread, twist },
        }
        .into()
    },
};

/// Share of an offset that may be lost by making it its own mirror image: poses with a symmetric mean are symmetric to a few
/// degrees.
const MAX_LOPSIDED: f64 = 0.2;

impl Offset {
    /// Returns the offset with its turn in the axes of the joint's parent, as a part of the rotation.
    pub(super) fn in_joint_axes(&self, clip: &LoopClip, body: &Body) -> Result<Self, EditError> {
        let mut own = self.clone();
        let turn = core::mem::take(&mut own.turn);
        if turn != BodyTurn::default() {
            // The logarithm below makes any rotation one of at most half a turn.
            own.offset.check()?;
            let turn = turn.of_joint(clip, body, own.joint)?;
            own.offset.rotation = rotation::log(turn * rotation::exp(own.offset.rotation));
        }
        Ok(own)
    }
}

impl Edit for Offset {
    fn joints(&self) -> &[usize] {
        core::slice::from_ref(&self.joint)
    }

    fn edited(&self, clip: LoopClip, mirror: Option<&Image>) -> Result<LoopClip, EditError> {
        let Self { joint, offset, .. } = *self;
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
