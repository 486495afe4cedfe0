//! Finds the feet of skeletons without usable names: the leaves that stay low over the take.

use super::{Foot, FoundBy, names::NamedJoints};
use crate::take::Take;

/// A leaf counts as a foot when over the take it stays this close to the ground, as a share of the skeleton's height.
///
/// Hands hang at about 0.45 of the height and toes at 0.05; the middle leaves room for crouching on one side and for long
/// ankles on the other.
const FOOT_HEIGHT_SHARE: f64 = 0.2;

/// The ankles and toes that stay low over the take; every leaf where this does not distinguish feet from other joints.
pub(super) fn feet(take: &Take, named: &NamedJoints) -> (Vec<Foot>, FoundBy) {
    let skeleton = take.skeleton();
    let leaves: Vec<usize> = (0..skeleton.num_joints())
        .filter(|&joint| skeleton.children(joint).is_empty())
        .collect();
    let world = take.world_tracks();
    // A few dozen frames are enough for the heights of any take.
    let stride = take.num_frames().div_ceil(64);
    let mut heights = vec![0.0; skeleton.num_joints()];
    let mut count = 0.0;
    for frame in (0..take.num_frames()).step_by(stride) {
        let lowest = world.positions(frame).iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        for (height, position) in heights.iter_mut().zip(world.positions(frame)) {
            *height += position.y - lowest;
        }
        count += 1.0;
    }
    let top = heights.iter().copied().fold(0.0, f64::max) / count;
    let is_low: Vec<bool> = heights
        .iter()
        .map(|height| height / count < FOOT_HEIGHT_SHARE * top)
        .collect();
    // Children come after their parents, so going backwards everything below a joint is known.
    let mut all_low = is_low.clone();
    for joint in (0..skeleton.num_joints()).rev() {
        if let Some(parent) = skeleton.parent(joint) {
            all_low[parent] &= all_low[joint];
        }
    }
    let mut feet: Vec<Foot> = Vec::new();
    for &leaf in leaves.iter().filter(|&&leaf| is_low[leaf]) {
        // A foot is the whole path that stays low, up to the ankle; the toe is the next joint.
        let path = skeleton.path_from_root(leaf);
        let ankle = path.iter().position(|&joint| all_low[joint]).unwrap_or(path.len() - 1);
        if feet.iter().all(|foot| foot.ankle != path[ankle]) {
            feet.push(Foot {
                ankle: path[ankle],
                toe: path.get(ankle + 1).copied(),
                side: named.side_of(path[ankle]),
            });
        }
    }
    let feet_are_distinct = leaves.iter().any(|&leaf| !is_low[leaf]) && feet.len().is_multiple_of(2) && feet.len() <= 8;
    if feet_are_distinct && !feet.is_empty() {
        return (feet, FoundBy::Geometry);
    }
    let of_leaf = |&leaf: &usize| Foot {
        ankle: leaf,
        toe: None,
        side: named.side_of(leaf),
    };
    (leaves.iter().map(of_leaf).collect(), FoundBy::AllLeaves)
}
