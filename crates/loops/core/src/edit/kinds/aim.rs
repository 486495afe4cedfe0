//! Aim: turns the root, so that the loop ends with another heading than it begins.

use super::{
    super::{
        error::EditError,
        joint_offset::{MAX_ROTATION, ROUNDING},
    },
    Edit, EditDescriptor, EditKey, EditParameter, EditValues, EditedJoints,
};
use crate::{closure::Image, loop_clip::LoopClip, math::Twist, unit::Unit};

/// Turns the root so that the loop ends with another heading than it begins.
#[handed_over]
pub struct Aim {
    /// Heading at its end from that at its start, radians, left positive.
    pub turn: f64,
}

pub(super) const DESCRIPTOR: EditDescriptor = EditDescriptor {
    name: "aim",
    title: "aim",
    joints: EditedJoints::Root,
    parameters: &[EditParameter::number(
        EditKey::Turn,
        "Turn to the left",
        Unit::Degrees,
        0.5,
        0.0,
    )],
    new: |_, values| {
        Aim {
            turn: values.number(EditKey::Turn).unwrap_or_default().to_radians(),
        }
        .into()
    },
};

impl Edit for Aim {
    fn edited(&self, clip: LoopClip, mirror: Option<&Image>) -> Result<LoopClip, EditError> {
        if !(0.0..=MAX_ROTATION * ROUNDING).contains(&self.turn.abs()) {
            return Err(EditError::Turn {
                found: self.turn,
                most: MAX_ROTATION,
            });
        }
        if mirror.is_some() {
            return Err(EditError::AimMirrored);
        }
        let Twist { linear, angular } = clip.root().twist;
        let angular = angular.with_y(self.turn / clip.period_secs());
        Ok(clip.with_twist(Twist { linear, angular }))
    }

    fn values(&self, _clip: &LoopClip) -> EditValues {
        EditValues::default().with(EditKey::Turn, self.turn.to_degrees())
    }
}
