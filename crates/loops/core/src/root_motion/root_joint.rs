//! Root joints: many rigs have a joint on the ground above the hips, from which engines read the root motion.
//!
//! In some takes it moves along with the hips, in others it is fixed at the origin. In both cases its purpose is to carry the
//! root motion, so a loop puts exactly that on it, and the hips below keep the difference. Source: docs/math/root.md.

use glam::{DQuat, DVec3};

use crate::{
    analysis::{Analysis, Body},
    math::{Rigid, bounds, greatest, rotation, smallest},
    motion::{PoseRef, RootMotion, Skeleton, WorldTracks},
    take::{Clip, Take},
};

/// A joint carries the root motion when the box around its path has at least this share of the diagonal of the hips' box.
const CARRIER_SHARE: f64 = 0.5;

/// A joint above the hips is on the ground when at some time it comes this near to the height of the lowest joint of the body, as
/// a share of the height of the hips over it.
///
/// Root joints are within a few centimetres of the soles; the lowest other joints from which legs hang are at half of it, in
/// bodies that crouch for the whole take.
const GROUND_SHARE: f64 = 0.25;

impl Analysis {
    /// Returns the root joint of the rig, if it has one: a joint above the hips that carries only the root motion.
    pub fn root_joint(&self) -> Option<usize> {
        find(self.take.skeleton(), &self.world, &self.body)
    }
}

/// Returns the root joint of the rig of a take that is not analysed, such as one of a single pose: as [`Analysis::root_joint`].
pub fn root_joint_of(take: &Take, body: &Body) -> Option<usize> {
    find(take.skeleton(), &take.world_tracks(), body)
}

/// Returns the topmost joint on the path to the hips that moves with them; the hips themselves if nothing moves.
///
/// In some files the root stays at the origin and the hips below it move; in others the root moves.
pub fn find_carrier(skeleton: &Skeleton, world: &WorldTracks, body: &Body) -> usize {
    let needed = CARRIER_SHARE * extent(world, body.hips);
    skeleton
        .path_from_root(body.hips)
        .into_iter()
        .find(|&joint| extent(world, joint) >= needed)
        .unwrap_or(body.hips)
}

impl Analysis {
    /// Returns the joint that carries the root motion: see [`find_carrier`].
    pub(crate) fn carrier(&self) -> usize {
        find_carrier(self.take.skeleton(), &self.world, &self.body)
    }
}

/// Returns the root joint of a rig that has one: on the ground above the joint that carries the root motion, or that joint
/// itself if it is above the hips.
///
/// Of several joints at the same position it is the one nearest to the hips. `None` if the hips are the topmost joint, or if no
/// joint above them is on the ground.
pub fn find(skeleton: &Skeleton, world: &WorldTracks, body: &Body) -> Option<usize> {
    let carrier = find_carrier(skeleton, world, body);
    let mut above = skeleton.path_from_root(carrier);
    if carrier == body.hips {
        above.pop();
    }
    if above.is_empty() {
        return None;
    }
    let of_body: Vec<usize> = (0..skeleton.num_joints())
        .filter(|&joint| skeleton.is_within(joint, body.hips))
        .collect();
    let lowest: Vec<f64> = (0..world.num_frames())
        .map(|frame| smallest(of_body.iter().map(|&joint| world.position(frame, joint).y)))
        .collect();
    let heights = |joint| {
        let lowest = lowest.iter().enumerate();
        lowest.map(move |(frame, lowest)| world.position(frame, joint).y - lowest)
    };
    let hips_height = greatest(heights(body.hips));
    above
        .into_iter()
        .rev()
        .find(|&joint| heights(joint).any(|height| height.abs() < GROUND_SHARE * hips_height))
}

/// Diagonal of the box around a joint's path, metres.
fn extent(world: &WorldTracks, joint: usize) -> f64 {
    let (low, high) = bounds((0..world.num_frames()).map(|frame| world.position(frame, joint)));
    high.distance(low)
}

/// Returns children of a root joint whose world transforms are kept when the joint is moved elsewhere.
///
/// All of them if the root joint itself moves; if it is stationary, those that lead to the hips or move. Other joints then move
/// along with the root, as they would in an engine that moves it.
pub fn kept_children(skeleton: &Skeleton, joint: usize, analysis: &Analysis) -> Vec<usize> {
    let (world, hips) = (&analysis.world, analysis.body.hips);
    let needed = CARRIER_SHARE * extent(world, hips);
    let moves = |joint: usize| extent(world, joint) >= needed;
    let mut children = skeleton.children(joint).to_vec();
    if !moves(joint) {
        children.retain(|&child| skeleton.is_within(hips, child) || moves(child));
    }
    children
}

/// Returns a clip relative to the root, with its root joint at `root_from_joint` and its body unchanged in the world.
///
/// `root_from_joint` holds transforms of the root joint relative to the constant twist, one for each sample of a period or one
/// for all. `root` is `None` for a clip that is already relative to it.
pub(crate) fn with_root_joint_at(
    clip: &Clip,
    root: Option<RootMotion>,
    joint: usize,
    analysis: &Analysis,
    root_from_joint: &[Rigid],
) -> Clip {
    let world = clip.world_tracks();
    let first = *clip.sample_range().start();
    let at = |sample: isize, joint: usize| world.joint((sample - first) as usize, joint);
    let joint_at = |sample: isize| match root_from_joint.len() {
        0 => Rigid::IDENTITY,
        count => root_from_joint[sample.rem_euclid(count as isize) as usize],
    };
    let parent = clip.skeleton().parent(joint);
    // Joints above keep their tracks, now relative to the root.
    let mut moved = clip.with_joint_track(joint, |sample| {
        parent.map_or(Rigid::IDENTITY, |parent| at(sample, parent)).inverse() * joint_at(sample)
    });
    for child in kept_children(clip.skeleton(), joint, analysis) {
        moved = moved.with_joint_track(child, |sample| {
            let root_from_clip = root.map_or(Rigid::IDENTITY, |root| {
                root.at(sample as f64 * clip.step_secs()).inverse()
            });
            joint_at(sample).inverse() * root_from_clip * at(sample, child)
        });
    }
    moved
}

/// Returns the rotation of a root joint relative to the root: upright, or tilted as in a pose of the rig.
///
/// Its facing is the root's; rigs whose axes are not Y up are tilted by a quarter turn and keep that.
pub fn tilt(skeleton: &Skeleton, pose: PoseRef, joint: usize) -> Rigid {
    let rotation = skeleton
        .path_from_root(joint)
        .iter()
        .fold(DQuat::IDENTITY, |above, &joint| above * pose.rotations[joint]);
    Rigid::new(
        (rotation::from_yaw(rotation::yaw_of(rotation)).conjugate() * rotation).normalize(),
        DVec3::ZERO,
    )
}
