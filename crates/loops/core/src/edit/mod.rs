//! Edits of a closed loop that keep it closed: each adds a periodic function, or changes how the root continues.
//!
//! An edit adds to a track a periodic function with continuous first and second derivatives; the seam is treated like any other
//! sample. In a loop whose second half mirrors the first, the mirror image is added half a period later, so that it stays
//! mirrored. Formulae: docs/math/edits.md.

use crate::{analysis::Body, closure::Image, loop_clip::LoopClip};

mod body_turn;
mod error;
mod joint_offset;
mod kinds;

pub use body_turn::BodyTurn;
pub use error::EditError;
pub use joint_offset::JointOffset;
pub use kinds::move_joint::{Moment, Move, bump};
pub use kinds::noise::{Noise, num_harmonics};
pub use kinds::{
    EditDescriptor, EditKey, EditKind, EditParameter, EditValue, EditValues, EditedJoints, LoopEdit, aim::Aim,
    offset::Offset, smooth::Smooth, swing::Swing,
};

/// Applies edits to the loop of a body in order. Edits of zeros leave a loop unchanged, to the bit.
///
/// `root_joint` is the joint of the rig that carries only the root motion, if there is one: it is not edited. Errors:
/// [`EditError`].
pub fn apply(
    clip: LoopClip,
    edits: &[LoopEdit],
    root_joint: Option<usize>,
    body: &Body,
) -> Result<LoopClip, EditError> {
    Ok(apply_mirrored(clip, edits, root_joint, body, None)?.0)
}

/// Applies edits like [`apply`] to a loop whose second half is the image of the first in `mirror`, if any; it stays so. Also returns
/// the edits with their rotations in the axes of joints.
pub(crate) fn apply_mirrored(
    mut clip: LoopClip,
    edits: &[LoopEdit],
    root_joint: Option<usize>,
    body: &Body,
    mirror: Option<&Image>,
) -> Result<(LoopClip, Vec<LoopEdit>), EditError> {
    let mut applied = Vec::with_capacity(edits.len());
    for edit in edits {
        check_joints(&clip, edit.joints(), root_joint, mirror)?;
        let edit = edit.in_joint_axes(&clip, body)?;
        clip = edit.edited(clip, mirror)?;
        let mut poses = (0..clip.num_samples()).map(|sample| clip.body_pose(sample));
        if let Some(joint) = poses.find_map(|pose| clip.skeleton().off_hinge(pose)) {
            // Of noise only what is about the axes of hinges is added.
            if !matches!(edit, LoopEdit::Noise(_)) {
                return Err(EditError::Hinge {
                    name: clip.skeleton().name_of(joint),
                });
            }
            let tracks = clip.tracks().clone().on_hinges();
            clip = clip.with_tracks(tracks);
        }
        applied.push(edit);
    }
    Ok((clip, applied))
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
