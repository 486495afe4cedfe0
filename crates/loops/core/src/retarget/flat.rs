//! Lays the feet of a reference pose flat, by their orientation while they stand in a take.
//!
//! The rest pose of a file need not have flat soles: bones of captured skeletons may point ahead and down from the ankle, and
//! some characters rest in mid-stride. Transferred from such a pose, a flat sole would be as far off the ground as in the rest
//! pose. A take in which the body stands shows the orientation of the sole.

use glam::{DQuat, DVec3};

use super::anatomy::Anatomy;
use super::reference::uprightness;
use crate::analysis::Body;
use crate::analysis::standing::{self, ContactLimits};
use crate::math::rotation::{self, arc};
use crate::motion::{Pose, WorldTracks};
use crate::take::Take;

/// Soles nearer to level than this in the reference pose are flat in it, radians (9 degrees): people stand this far from level,
/// and captures have similar errors.
const FLAT_RADIANS: f64 = 0.15;

/// Total time for which a foot must stand to show its sole, seconds.
const LEAST_SECS: f64 = 0.15;

/// Number of frames in which it must stand.
const LEAST_FRAMES: usize = 3;

/// Required agreement of the sole's orientations: the length of the mean of its normals, 1 if all are equal.
const ALIKE: f64 = 0.95;

/// Frames of a take that are looked at, and poses among them that are tested for standing upright.
const MOST_FRAMES: usize = 8000;
const MOST_POSES: usize = 256;

/// Returns the reference pose with ankles and toes rotated so that soles that stand in the take are flat in it.
pub(super) fn with_flat_feet(
    take: &Take,
    body: &Body,
    anatomy: &Anatomy,
    reference: &Pose,
    limits: &ContactLimits,
) -> Pose {
    let skeleton = take.skeleton();
    let mut flat = reference.clone();
    // Toes are descendants of ankles. Both feet get the same treatment: they bear the same body.
    for normals in shown_normals(take, body, anatomy, limits) {
        let world = flat.as_ref().world(skeleton);
        let tilts = normals
            .iter()
            .map(|&(joint, normal)| (joint, arc(world.rotations[joint] * normal, DVec3::Y)));
        let tilts: Vec<(usize, DQuat)> = tilts.collect();
        let are_flat = tilts
            .iter()
            .all(|&(_, tilt)| rotation::log(rotation::on_side_of(tilt, DQuat::IDENTITY)).length() < FLAT_RADIANS);
        if are_flat {
            continue;
        }
        for (joint, tilt) in tilts {
            let above = world.rotation_above(skeleton, joint);
            flat.rotations[joint] = (above.conjugate() * tilt * world.rotations[joint]).normalize();
        }
    }
    flat
}

/// Returns upward normals of the soles that stand in a take, in the axes of ankles and of toes.
fn shown_normals(take: &Take, body: &Body, anatomy: &Anatomy, limits: &ContactLimits) -> [Vec<(usize, DVec3)>; 2] {
    let (skeleton, num_frames) = (take.skeleton(), take.num_frames().min(MOST_FRAMES));
    let mut shown = [Vec::new(), Vec::new()];
    if num_frames < 3 || !anatomy.is_biped() {
        return shown;
    }
    let motion = WorldTracks::from_frames(take.tracks(), 0..num_frames);
    let rise = standing::rise_of_hips(&motion, body.hips, take.frame_time_secs());
    let limits = limits.at_size(body.size(take));
    let stands = |joint: usize| {
        let positions: Vec<DVec3> = (0..num_frames).map(|frame| motion.position(frame, joint)).collect();
        standing::stands(&positions, &rise, take.frame_time_secs(), &limits)
    };
    for limb in anatomy.legs() {
        let Some(ankle) = limb.bones.and_then(|bones| bones.end) else {
            continue;
        };
        // The sole is on the ground if both heel and ball stand.
        let heel = stands(ankle);
        let ball = limb.toe.map_or_else(|| heel.clone(), stands);
        let both: Vec<usize> = (0..num_frames).filter(|&frame| heel[frame] && ball[frame]).collect();
        let stride = both.len().div_ceil(MOST_POSES).max(1);
        let looked_at = both.into_iter().step_by(stride);
        let frames: Vec<usize> = looked_at
            .filter(|&frame| uprightness(anatomy, &take.pose(frame).world(skeleton)) >= 1.0)
            .collect();
        if frames.len() < LEAST_FRAMES || ((frames.len() * stride) as f64) * take.frame_time_secs() < LEAST_SECS {
            continue;
        }
        for (normals, joint) in shown.iter_mut().zip([Some(ankle), limb.toe]) {
            let Some(joint) = joint else { continue };
            let up = frames
                .iter()
                .map(|&frame| motion.rotation(frame, joint).conjugate() * DVec3::Y);
            let normal = up.sum::<DVec3>() / frames.len().max(1) as f64;
            normals.extend((normal.length() > ALIKE).then_some((joint, normal)));
        }
    }
    shown
}
