//! Edits of a closed loop that keep it closed: each adds a periodic function, or changes how the root continues.
//!
//! An edit adds to a track a periodic function with continuous first and second derivatives; the seam is treated like any other
//! sample. In a loop whose second half mirrors the first, the mirror image is added half a period later, so that it stays
//! mirrored. Formulae: docs/math/edits.md.

use crate::{closure::Image, loop_clip::LoopClip};

mod error;
mod joint_offset;
mod kinds;

pub use error::EditError;
pub use joint_offset::JointOffset;
pub use kinds::move_joint::{Moment, Move, bump};
pub use kinds::noise::{Noise, num_harmonics};
pub use kinds::{
    EditDescriptor, EditKey, EditKind, EditParameter, EditValue, EditValues, EditedJoints, LoopEdit, aim::Aim,
    offset::Offset, smooth::Smooth, swing::Swing,
};

/// Applies edits to a loop in order. Edits of zeros leave a loop unchanged, to the bit.
///
/// `root_joint` is the joint of the rig that carries only the root motion, if there is one: it is not edited. Errors:
/// [`EditError`].
pub fn apply(clip: LoopClip, edits: &[LoopEdit], root_joint: Option<usize>) -> Result<LoopClip, EditError> {
    apply_mirrored(clip, edits, root_joint, None)
}

/// Applies edits like [`apply`] to a loop whose second half is the image of the first in `mirror`, if any; it stays so.
pub(crate) fn apply_mirrored(
    clip: LoopClip,
    edits: &[LoopEdit],
    root_joint: Option<usize>,
    mirror: Option<&Image>,
) -> Result<LoopClip, EditError> {
    edits.iter().try_fold(clip, |clip, edit| {
        check_joints(&clip, edit.joints(), root_joint, mirror)?;
        let edited = edit.edited(clip, mirror)?;
        let mut poses = (0..edited.num_samples()).map(|sample| edited.body_pose(sample));
        match poses.find_map(|pose| edited.skeleton().off_hinge(pose)) {
            None => Ok(edited),
            // Of noise only what is about the axes of hinges is added.
            Some(_) if matches!(edit, LoopEdit::Noise(_)) => {
                let tracks = edited.tracks().clone().on_hinges();
                Ok(edited.with_tracks(tracks))
            }
            Some(joint) => Err(EditError::Hinge {
                name: edited.skeleton().name_of(joint),
            }),
        }
    })
}

/// Errors: a joint does not exist, or may not be changed by an edit.
fn check_joints(
    clip: &LoopClip,
    joints: &[usize],
    root_joint: Option<usize>,
    mirror: Option<&Image>,
) -> Result<(), EditError> {
    let num_joints = clip.skeleton().num_joints();
    for &joint in joints {
        if joint >= num_joints {
            return Err(EditError::Joint { joint, num_joints });
        }
        let name = clip.skeleton().name_of(joint);
        if root_joint == Some(joint) {
            return Err(EditError::RootJoint { name });
        }
        if mirror.is_some_and(|mirror| mirror.is_above(joint)) {
            return Err(EditError::AboveMirrored { name });
        }
    }
    Ok(())
}
