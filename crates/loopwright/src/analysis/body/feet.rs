//! Finds feet by name: two to eight legs of any animal.

use super::{
    Foot, Side,
    names::{NamedJoints, Part},
};
use crate::motion::Skeleton;

/// Numbers of feet with which animals walk.
pub(super) const NUM_FEET: core::ops::RangeInclusive<usize> = 2..=8;

/// Forelegs whose ends are named as hands are at least this share of the hind legs' length: the arms of a kangaroo are shorter.
const FORELEG_SHARE: f64 = 0.6;

/// The feet by their names, each pair left before right; empty where names do not tell two to eight of them.
///
/// `bones` are the lengths of the joints' bones in any unit.
pub(super) fn find(skeleton: &Skeleton, named: &NamedJoints, bones: &[f64]) -> Vec<Foot> {
    let mut tops = topmost(skeleton, named, |joint| named.name(joint).is_foot());
    if tops.is_empty() {
        let feet = leg_ends(skeleton, named).into_iter().map(|ankle| Foot {
            ankle,
            toe: None,
            side: named.side_of(ankle),
        });
        return in_pairs(feet.collect());
    }
    if tops.len() == 2 {
        tops.extend(standing_hands(skeleton, named, &tops, bones));
    }
    let has_many = tops.len() > 2;
    let feet = tops.iter().map(|&top| foot_at(skeleton, named, top, has_many));
    in_pairs(feet.collect())
}

/// Joints that are wanted and hang from no other that is; of several with one name the first, and none without a side where
/// others have one.
fn topmost(skeleton: &Skeleton, named: &NamedJoints, is_wanted: impl Fn(usize) -> bool) -> Vec<usize> {
    let num_joints = skeleton.num_joints();
    // The body itself hangs from no foot.
    let mut carries_core: Vec<bool> = (0..num_joints).map(|joint| named.name(joint).is_core()).collect();
    for joint in (1..num_joints).rev() {
        if let Some(parent) = skeleton.parent(joint) {
            carries_core[parent] |= carries_core[joint];
        }
    }
    let mut is_within = vec![false; num_joints];
    let mut found: Vec<usize> = Vec::new();
    for joint in 0..num_joints {
        let is_below = skeleton.parent(joint).is_some_and(|parent| is_within[parent]);
        let is_one = !named.is_control(joint) && !carries_core[joint] && is_wanted(joint);
        is_within[joint] = is_below || is_one;
        if is_one && !is_below && found.len() <= *NUM_FEET.end() {
            let is_new = |&other: &usize| !named.name(other).is_same(named.name(joint));
            if found.iter().all(is_new) {
                found.push(joint);
            }
        }
    }
    if found.iter().any(|&joint| named.side_of(joint).is_some()) {
        found.retain(|&joint| named.side_of(joint).is_some());
    }
    found
}

/// The foot whose topmost joint is `top`: the ankle above the toes.
///
/// Bodies of two legs have the topmost joint for an ankle. Others walk on their toes, and what is named as their ankle may be the
/// hock, half way up the leg: their ankle is the last joint above the toe.
fn foot_at(skeleton: &Skeleton, named: &NamedJoints, top: usize, has_many: bool) -> Foot {
    let toe = named.below(skeleton, top, |name| name.is_toe() && !name.is_end());
    let mut chain = vec![top];
    while let Some(next) = named.below(skeleton, chain[chain.len() - 1], |name| {
        name.is_foot() && !name.is_end()
    }) {
        chain.push(next);
    }
    if let Some(toe) = toe {
        let path = skeleton.path_from_root(toe);
        chain.retain(|joint| path.contains(joint));
    }
    let last = chain[chain.len() - 1];
    let (ankle, toe) = match (toe, chain.as_slice()) {
        (Some(toe), _) => (if has_many { last } else { top }, Some(toe)),
        (None, [.., above, toe]) if has_many => (*above, Some(*toe)),
        (None, [_, toe, ..]) => (top, Some(*toe)),
        (None, _) => (top, None),
    };
    Foot {
        ankle,
        toe,
        side: named.side_of(ankle).or(named.side_of(top)),
    }
}

/// The ends of legs whose joints have no other names: `leg_a_tip_l` of a spider.
fn leg_ends(skeleton: &Skeleton, named: &NamedJoints) -> Vec<usize> {
    let is_end = |joint: usize| {
        let name = named.name(joint);
        let hangs_from_leg = skeleton.parent(joint).is_some_and(|parent| named.name(parent).is_leg());
        name.is_end() && hangs_from_leg && named.children(skeleton, joint).next().is_none()
    };
    topmost(skeleton, named, is_end)
}

/// Hands on which a body stands: of bodies that have a tail and no fingers.
///
/// Judged by the skeleton alone, so that a rig has the same feet in all of its animations.
fn standing_hands(skeleton: &Skeleton, named: &NamedJoints, feet: &[usize], bones: &[f64]) -> Vec<usize> {
    let has_tail = (0..skeleton.num_joints()).any(|joint| !named.is_control(joint) && named.name(joint).has("tail"));
    let hands: Vec<usize> = [Side::Left, Side::Right]
        .into_iter()
        .filter_map(|side| named.sided(Part::Hand, side))
        .collect();
    let &[left, right] = hands.as_slice() else {
        return Vec::new();
    };
    let ends = |hand: usize| named.children(skeleton, hand).all(|below| named.name(below).is_end());
    let is_apart = |hand: usize| {
        let path = skeleton.path_from_root(hand);
        !feet.iter().any(|foot| path.contains(foot))
    };
    if !(has_tail && hands.iter().all(|&hand| ends(hand) && is_apart(hand))) {
        return Vec::new();
    }
    let length = |pair: [usize; 2]| {
        let paths = pair.map(|joint| skeleton.path_from_root(joint));
        let shared = (paths[0].iter().zip(&paths[1])).take_while(|(one, other)| one == other);
        let length: f64 = paths[0][shared.count()..].iter().map(|&joint| bones[joint]).sum();
        length
    };
    if length([left, right]) >= FORELEG_SHARE * length([feet[0], feet[1]]) {
        hands
    } else {
        Vec::new()
    }
}

/// The feet, each left one followed by the first right one after it; empty where they are fewer than two or more than eight.
fn in_pairs(feet: Vec<Foot>) -> Vec<Foot> {
    if !NUM_FEET.contains(&feet.len()) {
        return Vec::new();
    }
    let of_side = |side: Side| feet.iter().filter(move |foot| foot.side == Some(side)).copied();
    let (left, right): (Vec<Foot>, Vec<Foot>) = (of_side(Side::Left).collect(), of_side(Side::Right).collect());
    if left.len() + right.len() < feet.len() {
        return feet;
    }
    let mut rest = right;
    let mut pairs = Vec::with_capacity(feet.len());
    for foot in left {
        pairs.push(foot);
        if !rest.is_empty() {
            pairs.push(rest.remove(0));
        }
    }
    pairs.extend(rest);
    pairs
}
