//! How the rest pose of a target is laid onto that of a source.

use glam::{DMat3, DQuat, DVec3};

use super::Rig;
use super::anatomy::{Limb, LimbKind};
use crate::{analysis::body::vocabulary::Word, math::rotation::arc};

/// A foot whose toes lie steeper below the ankle than this in the rest pose is not laid flat, sine of the slope.
pub(super) const STEEP: f64 = 0.87;

/// For every joint of the target, the turn in the axes of the body that lays its rest pose onto the source's.
///
/// The trunk keeps the bearing of the target. Each bone of a limb is laid along the source's by the shortest turn after that of
/// the bone above it; hands with knuckles by these, feet over the ground. Limbs that do not both have two bones are laid as a whole,
/// but for legs of animals that reach for the places of their feet: these tell their directions.
pub(super) fn laid_onto(source: &Rig, target: &Rig) -> Vec<DQuat> {
    let mut laid = vec![DQuat::IDENTITY; target.skeleton.num_joints()];
    let at = |rig: &Rig, joint: usize| rig.axes.conjugate() * rig.world.translations[joint];
    for limb in &target.anatomy.limbs {
        let Some(from) = source.anatomy.limb(limb) else {
            continue;
        };
        let (Some(ours), Some(theirs)) = (limb.bones, from.bones) else {
            let reaches = limb.kind == LimbKind::Leg && limb.reaches.and(from.reaches).is_some();
            if let Some((whole, other)) = whole(target, limb).zip(whole(source, from)).filter(|_| !reaches) {
                let turn = arc(whole, other);
                let is_foot = |joint: usize| limb.kind == LimbKind::Leg && Some(&joint) == limb.joints.last();
                let fingers = limb.fingers.iter().flatten();
                for &joint in limb.joints.iter().filter(|&&joint| !is_foot(joint)).chain(fingers) {
                    laid[joint] = turn;
                }
            }
            continue;
        };
        let along = |rig: &Rig, from: usize, to: Option<usize>| match to {
            Some(to) => Some(at(rig, to) - at(rig, from)),
            None => tip(rig, from),
        };
        let next = |above: DQuat, ours: Option<DVec3>, theirs: Option<DVec3>| match (ours, theirs) {
            (Some(ours), Some(theirs)) => (arc(above * ours, theirs) * above).normalize(),
            _ => above,
        };
        let upper = next(
            DQuat::IDENTITY,
            along(target, ours.upper, Some(ours.lower)),
            along(source, theirs.upper, Some(theirs.lower)),
        );
        let lower = next(
            upper,
            along(target, ours.lower, ours.end),
            along(source, theirs.lower, theirs.end),
        );
        (laid[ours.upper], laid[ours.lower]) = (upper, lower);
        let Some(end) = ours.end else { continue };
        laid[end] = match limb.kind {
            LimbKind::Arm => match (knuckles(target, limb), knuckles(source, from)) {
                (Some(ours), Some(theirs)) => (theirs * ours.conjugate()).normalize(),
                _ => lower,
            },
            LimbKind::Leg => match (flat(target, limb), flat(source, from)) {
                (Some(ours), Some(theirs)) => arc(ours, theirs),
                _ => DQuat::IDENTITY,
            },
        };
        if let Some(toe) = limb.toe {
            laid[toe] = laid[end];
        }
        for (finger, others) in limb.fingers.iter().zip(&from.fingers) {
            let mut above = laid[end];
            for (index, (&joint, &other)) in finger.iter().zip(others).enumerate() {
                let (ours, theirs) = (finger.get(index + 1), others.get(index + 1));
                if let (Some(&ours), Some(&theirs)) = (ours, theirs) {
                    above = next(
                        above,
                        along(target, joint, Some(ours)),
                        along(source, other, Some(theirs)),
                    );
                }
                laid[joint] = above;
            }
        }
    }
    laid
}

/// The direction of a whole limb, from its upper bone to hand or ankle, in the axes of the body; collar bones are none of it.
fn whole(rig: &Rig, limb: &Limb) -> Option<DVec3> {
    let at = |joint: usize| rig.axes.conjugate() * rig.world.translations[joint];
    let is_collar = |joint: usize| rig.anatomy.meanings[joint].word() == Some(Word::Clavicle);
    let first = || match *limb.joints {
        [collar, next, _, ..] if is_collar(collar) => Some(next),
        [first, ..] => Some(first),
        [] => None,
    };
    let upper = limb.bones.map(|bones| bones.upper).or_else(first)?;
    let last = *limb.joints.last()?;
    let has_end = limb.bones.is_none_or(|bones| bones.end.is_some()) && last != upper;
    let end = if has_end {
        DVec3::ZERO
    } else {
        tip(rig, last).unwrap_or_default()
    };
    let along = at(last) + end - at(upper);
    (along.length() > 0.0).then_some(along)
}

/// Where the bone of a joint without children ends, in the axes of the body.
pub(super) fn tip(rig: &Rig, joint: usize) -> Option<DVec3> {
    let end = match rig.skeleton.children(joint) {
        [only] => Some(rig.reference.translations[*only]),
        _ => rig.skeleton.joint(joint).tip,
    };
    end.filter(|end| end.length() > 0.0)
        .map(|end| rig.axes.conjugate() * (rig.world.rotations[joint] * end))
}

/// The axes of a hand by its knuckles, in the axes of the body: outwards, across, and the normal of both.
pub(super) fn knuckles(rig: &Rig, limb: &Limb) -> Option<DQuat> {
    let hand = limb.bones?.end?;
    let at = |joint: usize| rig.axes.conjugate() * rig.world.translations[joint];
    let bases: Vec<usize> = limb.fingers[1..]
        .iter()
        .filter_map(|finger| finger.first().copied())
        .collect();
    let (&first, &last) = (bases.first()?, bases.last()?);
    let middle = bases.iter().map(|&base| at(base)).sum::<DVec3>() / bases.len() as f64;
    let out = (middle - at(hand)).try_normalize()?;
    let across = at(first) - at(last);
    let across = (across - out * across.dot(out)).try_normalize()?;
    Some(DQuat::from_mat3(&DMat3::from_cols(out, across, out.cross(across))).normalize())
}

/// The direction of a foot over the ground, in the axes of the body; `None` for one that points down.
fn flat(rig: &Rig, limb: &Limb) -> Option<DVec3> {
    let toe = limb.toe?;
    let along = rig.axes.conjugate() * (rig.world.translations[toe] - rig.world.translations[limb.bones?.end?]);
    if along.y.abs() > STEEP * along.length() {
        return None;
    }
    DVec3::new(along.x, 0.0, along.z).try_normalize()
}
