//! Root joints: a joint on the ground above the hips that many rigs have, and that engines read the travel from.
//!
//! In some takes it travels along with the hips, in others it stands at the origin for ever. Either way it is there to carry
//! the root's motion, so a loop puts exactly that on it, and the hips below keep what differs. Source: docs/math/root.md.

use glam::DVec3;

use crate::{
    analysis::{Analysis, body::Body},
    math::{rigid::Rigid, rotation},
    motion::{RootMotion, Skeleton, WorldTracks},
    take::Clip,
};

/// A joint carries the travel when it covers at least this share of the ground that the hips cover.
const CARRIER_SHARE: f64 = 0.5;

/// A joint above the hips is on the ground when some time it comes this near to the height of the lowest joint of the body,
/// as a share of the height of the hips over it.
///
/// Root joints stand within a few centimetres of the soles; the lowest other joints that legs hang from are at half of it,
/// in bodies that crouch for the whole take.
const GROUND_SHARE: f64 = 0.25;

impl Analysis {
    /// The root joint of the rig, where it has one: a joint above the hips that carries the root motion and nothing else.
    pub fn root_joint(&self) -> Option<usize> {
        find(self.take.skeleton(), &self.world, &self.body)
    }
}

/// The topmost joint on the way to the hips that travels with them; the hips themselves when nothing travels.
///
/// In some files the root stays at the origin and the hips travel below it; in others the root does.
pub fn find_carrier(skeleton: &Skeleton, world: &WorldTracks, body: &Body) -> usize {
    let needed = CARRIER_SHARE * extent(world, body.hips);
    skeleton
        .path_from_root(body.hips)
        .into_iter()
        .find(|&joint| extent(world, joint) >= needed)
        .unwrap_or(body.hips)
}

/// The root joint of a rig that has one: on the ground above the joint that carries the travel, or that joint itself where
/// it is above the hips.
///
/// Of several joints on top of each other the one nearest to the hips. `None` where the hips are the topmost joint, or where
/// nothing above them is on the ground.
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
        .filter(|&joint| is_below(skeleton, joint, body.hips))
        .collect();
    let lowest: Vec<f64> = (0..world.num_frames())
        .map(|frame| {
            let heights = of_body.iter().map(|&joint| world.position(frame, joint).y);
            heights.fold(f64::INFINITY, f64::min)
        })
        .collect();
    let over_ground = |frame: usize, joint: usize| world.position(frame, joint).y - lowest[frame];
    let hips_height = (0..world.num_frames())
        .map(|frame| over_ground(frame, body.hips))
        .fold(0.0, f64::max);
    above.into_iter().rev().find(|&joint| {
        (0..world.num_frames()).any(|frame| over_ground(frame, joint).abs() < GROUND_SHARE * hips_height)
    })
}

/// Diagonal of the box that a joint's way fills, metres.
fn extent(world: &WorldTracks, joint: usize) -> f64 {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for frame in 0..world.num_frames() {
        low = low.min(world.position(frame, joint));
        high = high.max(world.position(frame, joint));
    }
    (high - low).length()
}

/// Whether a joint is `above` or hangs from it.
fn is_below(skeleton: &Skeleton, joint: usize, above: usize) -> bool {
    let mut at = Some(joint);
    while let Some(here) = at.filter(|&here| here >= above) {
        if here == above {
            return true;
        }
        at = skeleton.parent(here);
    }
    false
}

/// Children of a root joint whose place in the world is kept when the joint is put elsewhere.
///
/// All of them where the root joint travels itself; below one that stands those that lead to the hips or travel. What
/// stands beside the hips then goes along with the root, as it would in an engine that moves it.
fn kept_children(skeleton: &Skeleton, joint: usize, analysis: &Analysis) -> Vec<usize> {
    let (world, hips) = (&analysis.world, analysis.body.hips);
    let needed = CARRIER_SHARE * extent(world, hips);
    let travels = |joint: usize| extent(world, joint) >= needed;
    let mut children = skeleton.children(joint).to_vec();
    if !travels(joint) {
        children.retain(|&child| is_below(skeleton, hips, child) || travels(child));
    }
    children
}

/// A clip seen from the root, whose root joint stands at `seats` and whose body is where it was in the world.
///
/// `seats` holds places of the root joint seen from the constant twist, one for each sample of a period or one for all.
pub fn seated(clip: &Clip, root: RootMotion, joint: usize, analysis: &Analysis, seats: &[Rigid]) -> Clip {
    let root_from_world = |sample: isize| root.at(sample as f64 * clip.step_secs()).inverse();
    let children = kept_children(clip.skeleton(), joint, analysis);
    seat(clip, joint, &children, &root_from_world, seats)
}

/// The same for a clip that is seen from the root already.
pub(crate) fn reseated(clip: &Clip, joint: usize, analysis: &Analysis, seats: &[Rigid]) -> Clip {
    let children = kept_children(clip.skeleton(), joint, analysis);
    seat(clip, joint, &children, &|_| Rigid::IDENTITY, seats)
}

fn seat(
    clip: &Clip,
    joint: usize,
    children: &[usize],
    root_from_clip: &dyn Fn(isize) -> Rigid,
    seats: &[Rigid],
) -> Clip {
    let world = clip.world_tracks();
    let first = *clip.sample_range().start();
    let at = |sample: isize, joint: usize| world.joint((sample - first) as usize, joint);
    let seat = |sample: isize| match seats.len() {
        0 => Rigid::IDENTITY,
        count => seats[sample.rem_euclid(count as isize) as usize],
    };
    let parent = clip.skeleton().parent(joint);
    // Joints above keep their tracks, now seen from the root.
    let mut moved = clip.with_joint_track(joint, |sample| {
        let above = parent.map_or(Rigid::IDENTITY, |parent| at(sample, parent));
        above.inverse() * seat(sample)
    });
    for &child in children {
        moved = moved.with_joint_track(child, |sample| {
            seat(sample).inverse() * root_from_clip(sample) * at(sample, child)
        });
    }
    moved
}

/// How a root joint stands on the root: upright, or tilted as the rig has it at the start of the clip.
///
/// Its facing is the root's; rigs whose axes are not Y up lean by a quarter turn and keep that.
pub(crate) fn tilt(clip: &Clip, joint: usize) -> Rigid {
    let path = clip.skeleton().path_from_root(joint);
    let turn = path
        .iter()
        .map(|&joint| clip.rotations(0)[joint])
        .fold(glam::DQuat::IDENTITY, |above, turn| above * turn);
    let upright = rotation::from_yaw(rotation::yaw_of(turn));
    Rigid::new((upright.conjugate() * turn).normalize(), DVec3::ZERO)
}
