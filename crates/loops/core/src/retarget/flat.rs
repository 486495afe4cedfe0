//! Feet of a reference pose laid flat, by how they lie while they stand in a take.
//!
//! The rest pose of a file need not stand on flat soles: bones of captured skeletons may point ahead and down from the ankle, and some
//! characters rest in mid-stride. Carried over from such a pose, a sole that is flat on the ground would come out as far off it as the
//! rest pose is. A take in which the body stands shows where the sole is.

use glam::{DQuat, DVec3};

use super::anatomy::{Anatomy, LimbKind};
use super::reference::uprightness;
use crate::analysis::Body;
use crate::analysis::standing::{self, ContactLimits};
use crate::math::rotation::{self, arc};
use crate::motion::{Pose, WorldTracks};
use crate::take::Take;

/// Soles nearer to the ground than this in the reference pose lie flat in it, radians (9 degrees): people stand so far from level, and
/// captures are off by as much.
const FLAT_RADIANS: f64 = 0.15;

/// A foot has to stand for so long in all to show its sole, seconds.
const LEAST_SECS: f64 = 0.15;

/// And in so many frames.
const LEAST_FRAMES: usize = 3;

/// How alike the sole has to lie at all these times: the length of the mean of its normals, 1 where all are one.
const ALIKE: f64 = 0.95;

/// Frames of a take that are looked at, and poses among them that are tested for standing upright.
const MOST_FRAMES: usize = 8000;
const MOST_POSES: usize = 256;

/// The reference pose with ankles and toes turned so that soles that stand in the take lie flat in it, and those ankles and toes.
pub(super) fn with_flat_feet(
    take: &Take,
    body: &Body,
    anatomy: &Anatomy,
    reference: &Pose,
    limits: &ContactLimits,
) -> (Pose, Vec<usize>) {
    let mut flat = reference.clone();
    let (skeleton, num_frames) = (take.skeleton(), take.num_frames().min(MOST_FRAMES));
    if num_frames < 3 || !anatomy.is_biped() {
        return (flat, Vec::new());
    }
    let motion = WorldTracks::from_frames(take.tracks(), 0..num_frames);
    let rise = standing::rise_of_hips(&motion, body.hips, take.frame_time_secs());
    let limits = limits.at_size(body.size(take));
    let stands = |joint: usize| {
        let positions: Vec<DVec3> = (0..num_frames).map(|frame| motion.position(frame, joint)).collect();
        standing::stands(&positions, &rise, take.frame_time_secs(), &limits)
    };
    let is_upright = |frame: usize| {
        let pose = take.pose(frame).world(skeleton);
        uprightness(anatomy, &pose) >= 1.0
    };
    let normal_of = |joint: usize, frames: &[usize]| {
        let normals = frames
            .iter()
            .map(|&frame| motion.rotation(frame, joint).conjugate() * DVec3::Y);
        let normal = normals.sum::<DVec3>() / frames.len().max(1) as f64;
        (normal.length() > ALIKE).then_some((joint, normal))
    };
    let (mut of_ankles, mut of_toes) = (Vec::new(), Vec::new());
    for limb in anatomy.limbs.iter().filter(|limb| limb.kind == LimbKind::Leg) {
        let Some(ankle) = limb.bones.and_then(|bones| bones.end) else {
            continue;
        };
        // Where heel and ball both stand the sole is on the ground.
        let heel = stands(ankle);
        let ball = limb.toe.map_or_else(|| heel.clone(), stands);
        let both: Vec<usize> = (0..num_frames).filter(|&frame| heel[frame] && ball[frame]).collect();
        let stride = both.len().div_ceil(MOST_POSES).max(1);
        let upright = both.into_iter().step_by(stride).filter(|&frame| is_upright(frame));
        let frames: Vec<usize> = upright.collect();
        if frames.len() < LEAST_FRAMES || ((frames.len() * stride) as f64) * take.frame_time_secs() < LEAST_SECS {
            continue;
        }
        of_ankles.extend(normal_of(ankle, &frames));
        of_toes.extend(limb.toe.and_then(|toe| normal_of(toe, &frames)));
    }
    let shown = of_ankles.iter().chain(&of_toes).map(|&(joint, _)| joint).collect();
    // Toes hang from ankles. What is done to one foot is done to the other: both bear the same body.
    for normals in [of_ankles, of_toes] {
        let world = flat.as_ref().world(skeleton);
        let tilts = normals
            .iter()
            .map(|&(joint, normal)| (joint, arc(world.rotations[joint] * normal, DVec3::Y)));
        let tilts: Vec<(usize, DQuat)> = tilts.collect();
        let angle = |tilt: DQuat| rotation::log(rotation::on_side_of(tilt, DQuat::IDENTITY)).length();
        if tilts.iter().all(|&(_, tilt)| angle(tilt) < FLAT_RADIANS) {
            continue;
        }
        for (joint, tilt) in tilts {
            let above = skeleton
                .parent(joint)
                .map_or(DQuat::IDENTITY, |parent| world.rotations[parent]);
            flat.rotations[joint] = (above.conjugate() * tilt * world.rotations[joint]).normalize();
        }
    }
    (flat, shown)
}
