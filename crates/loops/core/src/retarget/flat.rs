//! Lays the feet of a reference pose flat, by their orientation while they stand in a take.
//!
//! The rest pose of a file need not have flat soles: bones of captured skeletons may point ahead and down from the ankle, and
//! some characters rest in mid-stride. Transferred from such a pose, a flat sole would be as far off the ground as in the rest
//! pose. A take in which the body stands shows the orientation of the sole.

use glam::{DQuat, DVec3};

use super::{
    anatomy::Anatomy,
    reference::uprightness,
    stance::{FootStands, normal, show_sole},
};
use crate::{
    math::rotation::{self, arc},
    motion::{Pose, WorldTracks},
    take::Take,
};

/// Soles nearer to level than this in the reference pose are flat in it, radians (9 degrees): people stand this far from level,
/// and captures have similar errors.
const FLAT_RADIANS: f64 = 0.15;

/// Frames of a take that are looked at, and poses among them that are tested for standing upright.
const MOST_FRAMES: usize = 8000;
const MOST_POSES: usize = 256;

/// Returns the reference pose with ankles and toes rotated so that soles that stand in the take are flat in it.
pub(super) fn with_flat_feet(take: &Take, anatomy: &Anatomy, reference: &Pose) -> Pose {
    let skeleton = take.skeleton();
    let mut flat = reference.clone();
    // Toes are descendants of ankles. Both feet get the same treatment: they bear the same body.
    for normals in shown_normals(take, anatomy) {
        let world = flat.world(skeleton);
        let tilts: Vec<(usize, DQuat)> = normals
            .iter()
            .map(|&(joint, normal)| (joint, arc(world.rotations[joint] * normal, DVec3::Y)))
            .collect();
        let are_flat = tilts
            .iter()
            .all(|&(_, tilt)| rotation::log(tilt).length() < FLAT_RADIANS);
        if are_flat {
            continue;
        }
        for (joint, tilt) in tilts {
            flat.rotations[joint] =
                (world.rotation_above(skeleton, joint).conjugate() * tilt * world.rotations[joint]).normalize();
        }
    }
    flat
}

/// Returns upward normals of the soles that stand in a take, in the axes of ankles and of toes.
fn shown_normals(take: &Take, anatomy: &Anatomy) -> [Vec<(usize, DVec3)>; 2] {
    let (skeleton, num_frames) = (take.skeleton(), take.num_frames().min(MOST_FRAMES));
    let mut shown = [Vec::new(), Vec::new()];
    if num_frames < 3 || !anatomy.is_biped() {
        return shown;
    }
    let (motion, step_secs) = (
        WorldTracks::from_frames(take.tracks(), 0..num_frames),
        take.frame_time_secs(),
    );
    for limb in anatomy.legs() {
        let Some(FootStands { flat, .. }) = FootStands::of(&motion, step_secs, anatomy.hips, limb) else {
            continue;
        };
        let stride = flat.len().div_ceil(MOST_POSES).max(1);
        let frames: Vec<usize> = flat
            .into_iter()
            .step_by(stride)
            .filter(|frame| uprightness(anatomy, &take.pose(*frame).world(skeleton)) >= 1.0)
            .collect();
        if show_sole(&frames, step_secs * stride as f64) {
            for (normals, joint) in shown.iter_mut().zip([limb.bones.and_then(|bones| bones.end), limb.toe]) {
                normals.extend(joint.and_then(|joint| Some((joint, normal(&motion, joint, &frames)?))));
            }
        }
    }
    shown
}
