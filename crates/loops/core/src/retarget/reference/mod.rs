//! The pose of a rig in which its limbs are compared with another's, and the axes of the body in it.

use core::f64::consts::FRAC_PI_4;

use glam::{DMat3, DQuat, DVec3};

use self::calibration::Calibration;
use super::{
    anatomy::{Anatomy, Bones, Limb},
    stance,
};
use crate::{
    analysis::{Body, Side},
    math::{Rigid, greatest, mean, rotation, smallest},
    motion::{Pose, Skeleton},
    take::Take,
};

mod calibration;

mod soles;

/// Which pose a rig is compared with others in.
#[value(Copy, Default, Eq)]
pub enum Reference {
    /// The rest pose of its file, if a body may rest so; else one worked out from the motion.
    #[default]
    Auto,
    /// The rest pose, whatever it is.
    Rest,
    /// A pose derived from the motion.
    Motion,
}

/// The source of the pose in which a rig is compared with others.
#[handed_over(Copy, Default, Eq)]
#[in_words]
pub enum ReferenceSource {
    /// The rest pose.
    #[default]
    Rest,
    /// The one that the caller states.
    Given,
    /// The rest pose except for the arms, which are raised in it and are derived from the motion.
    RestButArms,
    /// The anatomy and the motion.
    Motion,
    /// The most upright pose of the motion: of animals, and where the anatomy is not known.
    Upright,
}

/// A doubtful part of a pose that is derived from the motion, each of a joint.
#[handed_over(Copy, Eq)]
pub enum Doubt {
    /// The foot of this ankle never stands flat: its sole is estimated from the ball, or is the usual one.
    Sole(usize),
    /// The hinge of this knee or elbow hardly bends, so the twist of the bone above is estimated.
    Hinge(usize),
    /// The axes of this joint are not those of the joint above, so its twist is the mean of the motion.
    Axes(usize),
}

/// A pose in which a rig is compared with others, local.
pub(super) struct FoundReference {
    pub pose: Pose,
    pub anatomy: Anatomy,
    pub source: ReferenceSource,
    pub doubts: Vec<Doubt>,
    pub stands: bool,
}

/// Most frames of a take that are searched for a standing pose.
const MOST_FRAMES: usize = 64;

/// Returns a few frames of a take.
fn few_frames(take: &Take) -> impl Iterator<Item = usize> {
    (0..take.num_frames()).step_by(take.num_frames().div_ceil(MOST_FRAMES))
}

/// Returns the poses of a few frames in the world.
pub(super) fn few_poses(take: &Take) -> impl Iterator<Item = Pose> {
    few_frames(take).map(|frame| take.pose(frame).world(take.skeleton()))
}

/// Finds the pose in which the rig of a body is compared with others; `stated` is the local pose without animation.
pub(super) fn find(take: &Take, body: &Body, stated: &Pose, reference: Reference) -> FoundReference {
    let skeleton = take.skeleton();
    let world = stated.world(skeleton);
    let anatomy = Anatomy::of(skeleton, body, &world);
    let rests = match reference {
        Reference::Auto => rests(&anatomy, &world),
        Reference::Rest => Some(ReferenceSource::Given),
        Reference::Motion => None,
    };
    let mut found = FoundReference {
        pose: stated.clone(),
        stands: rests.is_some(),
        source: rests.unwrap_or(ReferenceSource::Upright),
        anatomy,
        doubts: Vec::new(),
    };
    match rests {
        Some(ReferenceSource::RestButArms) => {
            let axes = body_axes(&found.anatomy, &world);
            let Calibration {
                axes: of_joints,
                doubts,
                ..
            } = Calibration::of_arms(take, &found.anatomy, &world, axes);
            found.pose = posed(skeleton, found.pose, &of_joints, axes);
            found.doubts = doubts;
        }
        Some(_) => {}
        None => found.work_out(take, body, &world),
    }
    found
}

impl FoundReference {
    /// Works the pose out from a take; `stated` is the pose without animation in the world.
    fn work_out(&mut self, take: &Take, body: &Body, stated: &Pose) {
        let skeleton = take.skeleton();
        let (mut upright, mut best) = (uprightness(&self.anatomy, stated), None);
        for frame in few_frames(take) {
            let world = take.pose(frame).world(skeleton);
            let anatomy = Anatomy::of(skeleton, body, &world);
            let found = uprightness(&anatomy, &world);
            if found > upright {
                (upright, best, self.anatomy) = (found, Some(frame), anatomy);
            }
        }
        if let Some((pose, doubts)) = worked_out(take, body, &self.anatomy, &self.pose) {
            (self.pose, self.doubts) = (pose, doubts);
            (self.source, self.stands) = (ReferenceSource::Motion, upright > 0.0);
            return;
        }
        self.stands = upright >= 1.0;
        if let Some(frame) = best {
            self.pose = take.pose(frame).to_pose();
        }
    }
}

/// Returns the pose of a body of two legs by its anatomy and motion, and what is uncertain in it; joints that are no part of the
/// body are as in a local pose.
fn worked_out(take: &Take, body: &Body, anatomy: &Anatomy, pose: &Pose) -> Option<(Pose, Vec<Doubt>)> {
    let skeleton = take.skeleton();
    let mut found = anatomy.is_biped().then(|| Calibration::of_body(take, anatomy))?;
    soles::find(&mut found);
    let Calibration { axes, doubts, .. } = found;
    let mut needed = anatomy.legs().filter_map(Limb::upper).chain([anatomy.hips]);
    if needed.any(|joint| axes[joint].is_none()) {
        return None;
    }
    let mut pose = pose.clone();
    for joint in (body.hips + 1..skeleton.num_joints()).filter(|&joint| skeleton.is_within(joint, body.hips)) {
        pose.translations[joint] = mean((0..take.num_frames()).map(|frame| take.pose(frame).translations[joint]));
    }
    Some((
        on_ground(take, body, posed(skeleton, pose, &axes, DQuat::IDENTITY)),
        doubts,
    ))
}

/// A pose is a rest pose if the line from hips to head, and the bones of legs, rise by this share of their length, ...
const RISEN: f64 = 0.9;

/// ... knees bend by less than this, radians (45 degrees), ...
const BENT_KNEE: f64 = 0.79;

/// ... the line of the hips slopes by less than this, as a sine, ...
const SLOPE_OF_HIPS: f64 = 0.2;

/// ... limbs of one side are where the mirror image of the other's are, within this share of the leg, ...
const ASYMMETRY: f64 = 0.2;

/// ... and arms rise by less than this, as a sine (30 degrees).
const RISEN_ARM: f64 = 0.5;

/// Returns which parts of a pose are a rest pose; `None` if it is no rest pose.
fn rests(anatomy: &Anatomy, world: &Pose) -> Option<ReferenceSource> {
    if !anatomy.is_biped() {
        return (uprightness(anatomy, world) >= 1.0).then_some(ReferenceSource::Rest);
    }
    let at = &world.translations;
    let rise = |limb: &Limb| risen(world, &limb.main(), -1.0);
    let trunk = [&[anatomy.hips][..], anatomy.top().as_slice()].concat();
    let mut knees = anatomy.legs().filter_map(|limb| {
        let [upper, lower, end] = limb.bones?.ends()?.map(|joint| at[joint]);
        Some((lower - upper).angle_between(end - lower))
    });
    let stands = risen(world, &trunk, 1.0) >= RISEN
        && anatomy.legs().map(rise).all(|rise| rise >= RISEN)
        && knees.all(|bent| bent <= BENT_KNEE)
        && asymmetry(anatomy, world) <= ASYMMETRY;
    let rises = |limb: &Limb| {
        let Bones { upper, lower, end } = limb.bones?;
        let along = at[end.unwrap_or(lower)] - at[upper];
        Some(along.y > RISEN_ARM * along.length())
    };
    stands.then(|| match anatomy.arms().any(|limb| rises(limb) == Some(true)) {
        true => ReferenceSource::RestButArms,
        false => ReferenceSource::Rest,
    })
}

/// Returns how far limbs are from the mirror image of those of the other side, as a share of the leg; infinite where the line
/// across the hips slopes.
fn asymmetry(anatomy: &Anatomy, world: &Pose) -> f64 {
    let at = &world.translations;
    let of_side = |side: Side| anatomy.limbs.iter().filter(move |limb| limb.side == side);
    let legs: Vec<&Limb> = anatomy.legs().collect();
    let [Some(left), Some(right)] = [0, 1].map(|leg| legs[leg].top()) else {
        return 0.0;
    };
    let (across, middle) = (at[left] - at[right], 0.5 * (at[left] + at[right]));
    let Some(normal) = across.try_normalize() else {
        return f64::INFINITY;
    };
    if normal.y.abs() > SLOPE_OF_HIPS {
        return f64::INFINITY;
    }
    let apart = of_side(Side::Left)
        .filter_map(|left| {
            let right = of_side(Side::Right).find(|right| right.kind == left.kind)?;
            Some(left.bones?.joints().zip(right.bones?.joints()))
        })
        .flatten()
        .map(|(left, right)| (at[left] - 2.0 * normal * normal.dot(at[left] - middle)).distance(at[right]));
    let leg = legs
        .iter()
        .map(|leg| world.length_along(&leg.joints))
        .fold(f64::MIN_POSITIVE, f64::max);
    greatest(apart) / leg
}

/// Returns a local pose whose joints lie as their axes say in a body that has these axes; others keep their rotation below their
/// parents.
fn posed(skeleton: &Skeleton, mut pose: Pose, axes: &[Option<DQuat>], body: DQuat) -> Pose {
    for (joint, axes) in axes.iter().enumerate() {
        if let Some(axes) = axes {
            pose.rotations[joint] =
                (pose.as_ref().above(skeleton, joint).rotation.conjugate() * body * axes.conjugate()).normalize();
        }
    }
    pose
}

/// Returns a local pose with its hips above the origin, and its feet as high as those that stand in a take.
fn on_ground(take: &Take, body: &Body, mut pose: Pose) -> Pose {
    let skeleton = take.skeleton();
    let lowest = |world: &Pose| stance::lowest_of_feet(skeleton, body, world);
    let world = pose.world(skeleton);
    let rise = stance::low(few_poses(take).map(|world| lowest(&world))) - lowest(&world);
    let hips = world.joint(body.hips);
    pose.place(
        skeleton,
        body.hips,
        Rigid::new(hips.rotation, DVec3::Y * (hips.translation.y + rise)),
    );
    pose
}

/// A body stands if trunk and legs rise by this share of their length. A crouch rises by half; lying and folded rests do not.
const UPRIGHT_SHARE: f64 = 0.6;

/// Legs of animals that stand are bent; they rise by at least this share of their length.
const ANIMAL_SHARE: f64 = 0.35;

/// Returns how upright a pose is: the least share, over trunk and legs, by which they rise, relative to the required one. At
/// least 1 if it stands.
///
/// Infinite for a body without either, which cannot be judged.
pub(super) fn uprightness(anatomy: &Anatomy, world: &Pose) -> f64 {
    let is_biped = anatomy.is_biped();
    let needed = if is_biped { UPRIGHT_SHARE } else { ANIMAL_SHARE };
    let legs = anatomy.legs().map(|limb| risen(world, &limb.joints, -1.0) / needed);
    let least = smallest(legs);
    if !is_biped {
        return least;
    }
    least.min(risen(world, &anatomy.trunk(), 1.0) / UPRIGHT_SHARE)
}

/// Returns the share of its length by which a chain rises, times a sign; infinite for a single joint.
fn risen(world: &Pose, chain: &[usize], sign: f64) -> f64 {
    let [first, .., last] = *chain else {
        return f64::INFINITY;
    };
    let (at, length) = (&world.translations, world.length_along(chain));
    // A chain without length, from a file without a rest pose, does not stand.
    if length > 0.0 {
        sign * (at[last].y - at[first].y) / length
    } else {
        0.0
    }
}

/// Returns the rotation from the axes of the body (left +X, up +Y, forward +Z) to the world in a pose.
///
/// Up is the world's, unless the body leans from it by more than an eighth of a turn: then it is the trunk's.
pub(super) fn body_axes(anatomy: &Anatomy, world: &Pose) -> DQuat {
    let at = &world.translations;
    let mut left = DVec3::ZERO;
    for limb in &anatomy.limbs {
        let Some(top) = limb.top() else { continue };
        left += match limb.side {
            Side::Left => at[top],
            Side::Right => -at[top],
        };
    }
    let num_left = anatomy.limbs.iter().filter(|limb| limb.side == Side::Left).count();
    if 2 * num_left != anatomy.limbs.len() || left.length() < 1e-9 {
        return DQuat::IDENTITY;
    }
    let trunk = anatomy.top().map_or(DVec3::Y, |top| at[top] - at[anatomy.hips]);
    let leans = trunk.angle_between(DVec3::Y) > FRAC_PI_4 && anatomy.is_biped();
    let up = if leans { trunk } else { DVec3::Y };
    let ahead = left.cross(up);
    let (Some(up), Some(ahead)) = (up.try_normalize(), ahead.try_normalize()) else {
        return DQuat::IDENTITY;
    };
    if !leans {
        return rotation::from_yaw(crate::math::ops::atan2(ahead.x, ahead.z));
    }
    DQuat::from_mat3(&DMat3::from_cols(up.cross(ahead), up, ahead)).normalize()
}
