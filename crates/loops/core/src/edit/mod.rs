//! Edits of a closed loop that keep it closed: each adds a periodic function, or changes how the root continues.
//!
//! An edit adds to a track a periodic function with continuous first and second derivatives; the seam is treated like any other
//! sample. In a loop whose second half mirrors the first, the mirror image is added half a period later, so that it stays
//! mirrored. Formulae: docs/math/edits.md.

use crate::closure::Image;
use crate::loop_clip::LoopClip;
use crate::motion::Hinges;

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
    mirror: Option<&Image<'_>>,
) -> Result<LoopClip, EditError> {
    edits.iter().try_fold(clip, |clip, edit| {
        check_joints(&clip, edit.joints(), root_joint, mirror)?;
        match clip.skeleton().hinges().cloned() {
            Some(hinges) => on_hinges(edit, clip, &hinges),
            None => edit.edited(clip, mirror),
        }
    })
}

/// Edits a robot's loop; of noise only what is about the axes of hinges is added. Errors: as [`apply`], or an edit of a hinge that
/// is not about its axis.
fn on_hinges(edit: &LoopEdit, clip: LoopClip, hinges: &Hinges) -> Result<LoopClip, EditError> {
    let places = clip.body_pose(0).translations.to_vec();
    let edited = edit.edited(clip, None)?;
    for sample in 0..edited.num_samples() {
        let pose = edited.body_pose(sample);
        let off = hinges.off_axis(pose).filter(|_| !matches!(edit, LoopEdit::Noise(_)));
        let mut joints = hinges.each().map(|(joint, _)| joint);
        let moved = joints.find(|&joint| pose.translations[joint].distance(places[joint]) > MOVED_METRES);
        if let Some(joint) = off.map(|(joint, _)| joint).or(moved) {
            let name = edited.skeleton().joint(joint).name.clone();
            return Err(EditError::Hinge { name });
        }
    }
    let tracks = edited.tracks().clone().on_hinges();
    Ok(edited.with_tracks(tracks))
}

/// A hinge that is farther from its place has been moved, metres.
const MOVED_METRES: f64 = 1e-6;

/// Errors: a joint that is not there, or that no edit may change.
fn check_joints(
    clip: &LoopClip,
    joints: &[usize],
    root_joint: Option<usize>,
    mirror: Option<&Image<'_>>,
) -> Result<(), EditError> {
    let num_joints = clip.skeleton().num_joints();
    for &joint in joints {
        if joint >= num_joints {
            return Err(EditError::Joint { joint, num_joints });
        }
        let name = || clip.skeleton().joint(joint).name.clone();
        if root_joint == Some(joint) {
            return Err(EditError::RootJoint { name: name() });
        }
        if mirror.is_some_and(|mirror| mirror.is_above(joint)) {
            return Err(EditError::AboveMirrored { name: name() });
        }
    }
    Ok(())
}
