//! Feet of a reference pose laid flat, by how they lie while they stand in a take.
//!
//! The rest pose of a file need not stand on flat soles: bones of captured skeletons may point ahead and down from the ankle, and some
//! characters rest in mid-stride. Carried over from such a pose, a sole that is flat on the ground would come out as far off it as the
//! rest pose is. A take in which the body stands shows where the sole is.

use glam::DVec3;

use super::{
    anatomy::{Anatomy, LimbKind},
    reference::uprightness,
};
use crate::{
    analysis::{
        Body,
        standing::{self, ContactLimits},
    },
    feet::leg::arc,
    math::{rigid::Rigid, rotation},
    motion::{Pose, WorldTracks},
    take::Take,
};

/// A sole nearer to the ground than this in the reference pose lies flat in it, radians (11 degrees): people stand so far from level,
/// and captures are off by as much.
const FLAT_RADIANS: f64 = 0.2;

/// A foot has to stand for so long in all to show its sole, seconds.
const LEAST_SECS: f64 = 0.15;

/// How alike the sole has to lie at all these times: the length of the mean of its normals, 1 where all are one.
const ALIKE: f64 = 0.95;

/// Frames of a take that are looked at, and poses among them that are tested for standing upright.
const MOST_FRAMES: usize = 8000;
const MOST_POSES: usize = 256;

/// The reference pose with ankles and toes turned so that soles that stand in the take lie flat in it.
pub(super) fn with_flat_feet(take: &Take, body: &Body, anatomy: &Anatomy, reference: &Pose) -> Pose {
    let mut flat = reference.clone();
    let (skeleton, num_frames) = (take.skeleton(), take.num_frames().min(MOST_FRAMES));
    if num_frames < 3 || !anatomy.is_biped() {
        return flat;
    }
    let motion = WorldTracks::of_frames(take.tracks(), 0..num_frames);
    let rise = standing::rise_of_hips(&motion, body.hips, take.frame_time_secs());
    let limits = ContactLimits::default().at_size(body.size(take));
    let stands = |joint: usize| {
        let positions: Vec<DVec3> = (0..num_frames).map(|frame| motion.position(frame, joint)).collect();
        standing::stands(&positions, &rise, take.frame_time_secs(), &limits)
    };
    let is_upright = |frame: usize| {
        let pose = take.pose(frame).world(skeleton);
        uprightness(anatomy, &pose) >= 1.0
    };
    for limb in anatomy.limbs.iter().filter(|limb| limb.kind == LimbKind::Leg) {
        let (Some(ankle), Some(toe)) = (limb.bones.and_then(|bones| bones.end), limb.toe) else {
            continue;
        };
        // Where heel and ball both stand the sole is on the ground.
        let both: Vec<usize> = (stands(ankle).into_iter().zip(stands(toe)).enumerate())
            .filter_map(|(frame, stands)| (stands == (true, true)).then_some(frame))
            .collect();
        if (both.len() as f64) * take.frame_time_secs() < LEAST_SECS {
            continue;
        }
        let stride = both.len().div_ceil(MOST_POSES);
        let frames: Vec<usize> = (both.into_iter().step_by(stride))
            .filter(|&frame| is_upright(frame))
            .collect();
        for joint in [ankle, toe] {
            let normals = frames
                .iter()
                .map(|&frame| motion.rotation(frame, joint).conjugate() * DVec3::Y);
            let normal = normals.sum::<DVec3>() / frames.len().max(1) as f64;
            if normal.length() < ALIKE {
                continue;
            }
            let own = flat.as_ref().world(skeleton).as_ref().joint(joint);
            let tilt = arc(own.rotation * normal, DVec3::Y);
            if rotation::log(rotation::on_side_of(tilt, glam::DQuat::IDENTITY)).length() < FLAT_RADIANS {
                continue;
            }
            let above = flat.as_ref().above(skeleton, joint);
            let local = above.inverse() * Rigid::new((tilt * own.rotation).normalize(), own.translation);
            flat.rotations[joint] = local.rotation.normalize();
        }
    }
    flat
}
