//! Joints that are neither descendants nor ancestors of the hips: feet apart from their legs, props, targets that steer a rig.

use crate::{
    analysis::{Body, Foot, FoundBy, Side, body::vocabulary::Meaning},
    math::ordered,
    motion::{Pose, Skeleton},
};

/// A separate foot lies nearer to the end of its leg than this, as a share of the leg from the hips on.
const FOOT_SHARE: f64 = 0.25;

/// Returns the body with the feet that its legs lack; `None` unless joints beside it lie at the ends of both legs.
///
/// The legs have two bones, and nothing is attached to the lower one. Joints named as controls are not feet; but numbered copies
/// of a leg's bone (from Blender) are the foot of a leg without one, and steer a leg with a foot of its own.
pub(super) fn with_feet_apart(skeleton: &Skeleton, body: &Body, world: &Pose) -> Option<Body> {
    let [one, other] = body.feet.as_slice() else {
        return None;
    };
    if !matches!(body.found_by, FoundBy::Names | FoundBy::Geometry) {
        return None;
    }
    let legs = [bare_leg(skeleton, body, one)?, bare_leg(skeleton, body, other)?];
    let mut feet = Vec::new();
    for leg in legs {
        let ankle = foot_at(skeleton, body, &leg, world)?;
        let mut named = core::iter::once(&ankle).chain(leg.iter().rev());
        let side = named.find_map(|&joint| Meaning::of(skeleton.joint(joint).says()).side)?;
        feet.push((
            leg[0],
            Foot {
                ankle,
                toe: None,
                side: Some(side),
            },
        ));
    }
    feet.sort_by_key(|(_, foot)| foot.side);
    let [(left, one), (right, other)] = feet.as_slice() else {
        return None;
    };
    if one.side != Some(Side::Left) || other.side != Some(Side::Right) || one.ankle == other.ankle {
        return None;
    }
    let mut controls = body.controls.clone();
    controls.retain(|&joint| !skeleton.is_within(joint, one.ankle) && !skeleton.is_within(joint, other.ankle));
    Some(Body {
        feet: vec![*one, *other],
        thighs: Some([*left, *right]),
        controls,
        ..body.clone()
    })
}

/// Returns the joints of a leg without a foot of its own, from below the hips to the end of its lower bone.
fn bare_leg(skeleton: &Skeleton, body: &Body, foot: &Foot) -> Option<Vec<usize>> {
    let path = skeleton.path_from_root(foot.ankle);
    let hips = path.iter().position(|&joint| joint == body.hips)?;
    let mut leg = path[hips + 1..].to_vec();
    while let Some(&last) = leg.last() {
        match skeleton.children(last) {
            [] => break,
            [only] => leg.push(*only),
            _ => return None,
        }
    }
    matches!(*leg, [_, _, end] if Meaning::of(skeleton.joint(end).says()).is_helper).then_some(leg)
}

/// Returns the joint beside the body that lies at the end of a leg.
fn foot_at(skeleton: &Skeleton, body: &Body, leg: &[usize], world: &Pose) -> Option<usize> {
    let at = &world.translations;
    let end = at[*leg.last()?];
    let length = world.length_along(&[&[body.hips][..], leg].concat());
    let steers = |joint: usize| {
        let name = skeleton.joint(joint).name.as_str();
        let is_copy = name
            .rsplit_once('.')
            .and_then(|(stem, _)| skeleton.find(stem))
            .is_some_and(|bone| leg.contains(&bone));
        Meaning::of(name).is_helper || (body.is_control(joint) && !is_copy)
    };
    // Among joints beside the body only descendants of joints above the hips.
    (0..at.len())
        .filter(|&joint| {
            let parent = skeleton.parent(joint);
            is_beside(skeleton, joint, body.hips) && parent.is_none_or(|parent| !is_beside(skeleton, parent, body.hips))
        })
        .filter(|&joint| at[joint].distance(end) < FOOT_SHARE * length && !steers(joint))
        .min_by_key(|&joint| ordered(at[joint].distance(end)))
}

/// Whether a joint is neither the hips, nor a descendant, nor an ancestor of them.
pub(super) fn is_beside(skeleton: &Skeleton, joint: usize, hips: usize) -> bool {
    !skeleton.is_within(joint, hips) && !skeleton.is_within(hips, joint)
}
