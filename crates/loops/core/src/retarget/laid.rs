//! Lays the rest pose of a target onto that of a source.

use glam::{DMat3, DQuat, DVec3};

use super::{LimbKind, Rig, anatomy::Limb};
use crate::{
    analysis::body::vocabulary::Word,
    math::{mean, rotation::arc},
};

/// Sine of the slope above which a foot is not laid flat: its toes lie steeply below the ankle in the rest pose.
pub(super) const STEEP: f64 = 0.87;

/// Returns for every joint of the target the rotation in the axes of the body that lays its rest pose onto the source's.
///
/// The trunk keeps the bearing of the target. Each bone of a limb is laid along the source's by the shortest turn after that of
/// the bone above it; hands with knuckles by these, feet over the ground. Limbs that do not both have two bones are laid as a
/// whole, except legs of animals that reach for their feet's positions, which give their directions.
pub(super) fn laid_onto(source: &Rig, target: &Rig) -> Vec<DQuat> {
    let mut laid = vec![DQuat::IDENTITY; target.skeleton.num_joints()];
    for limb in &target.anatomy.limbs {
        let Some(from) = source.anatomy.limb(limb) else {
            continue;
        };
        let (Some(ours), Some(theirs)) = (limb.bones, from.bones) else {
            let reaches = limb.kind == LimbKind::Leg && limb.reaches.and(from.reaches).is_some();
            if let Some((whole, other)) = whole(target, limb).zip(whole(source, from)).filter(|_| !reaches) {
                let turn = arc(whole, other);
                let foot = limb.joints.last().filter(|_| limb.kind == LimbKind::Leg);
                for &joint in limb
                    .joints
                    .iter()
                    .filter(|&joint| Some(joint) != foot)
                    .chain(limb.fingers.iter().flatten())
                {
                    laid[joint] = turn;
                }
            }
            continue;
        };
        let upper = laid_along(
            DQuat::IDENTITY,
            target.along(ours.upper, Some(ours.lower)),
            source.along(theirs.upper, Some(theirs.lower)),
        );
        let lower = laid_along(
            upper,
            target.along(ours.lower, ours.end),
            source.along(theirs.lower, theirs.end),
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
                if let Some((&ours, &theirs)) = finger.get(index + 1).zip(others.get(index + 1)) {
                    above = laid_along(
                        above,
                        target.along(joint, Some(ours)),
                        source.along(other, Some(theirs)),
                    );
                }
                laid[joint] = above;
            }
        }
    }
    laid
}

/// Returns the rotation of a bone that aligns it with another's by the shortest way after that of its parent bone, which it
/// keeps if either has no direction.
fn laid_along(above: DQuat, ours: Option<DVec3>, theirs: Option<DVec3>) -> DQuat {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => (arc(above * ours, theirs) * above).normalize(),
        _ => above,
    }
}

impl Rig {
    /// Returns the bone from a joint to another, or to its tip, in the axes of the body.
    pub(super) fn along(&self, from: usize, to: Option<usize>) -> Option<DVec3> {
        match to {
            Some(to) => Some(self.in_body(to) - self.in_body(from)),
            None => tip(self, from),
        }
    }
}

/// Returns the direction of a whole limb, from its upper bone to hand or ankle, in the axes of the body; without collar bones.
fn whole(rig: &Rig, limb: &Limb) -> Option<DVec3> {
    let upper = limb.upper().or_else(|| match *limb.joints {
        [collar, next, _, ..] if rig.anatomy.meanings[collar].word() == Some(Word::Clavicle) => Some(next),
        [first, ..] => Some(first),
        [] => None,
    })?;
    let last = *limb.joints.last()?;
    let has_end = limb.bones.is_none_or(|bones| bones.end.is_some()) && last != upper;
    let end = if has_end {
        DVec3::ZERO
    } else {
        tip(rig, last).unwrap_or_default()
    };
    let along = rig.in_body(last) + end - rig.in_body(upper);
    (along.length() > 0.0).then_some(along)
}

/// Returns the end of the bone of a joint without children, in the axes of the body.
fn tip(rig: &Rig, joint: usize) -> Option<DVec3> {
    let end = match rig.skeleton.children(joint) {
        [only] => Some(rig.reference.translations[*only]),
        _ => rig.skeleton.joint(joint).tip,
    };
    end.filter(|end| end.length() > 0.0)
        .map(|end| rig.axes.conjugate() * (rig.world.rotations[joint] * end))
}

/// Returns the axes of a hand by its knuckles, in the axes of the body: outwards, across, and the normal of both.
pub(super) fn knuckles(rig: &Rig, limb: &Limb) -> Option<DQuat> {
    let hand = limb.bones?.end?;
    let bases: Vec<usize> = limb.fingers[1..]
        .iter()
        .filter_map(|finger| finger.first().copied())
        .collect();
    let (&first, &last) = (bases.first()?, bases.last()?);
    let out = (mean(bases.iter().map(|&base| rig.in_body(base))) - rig.in_body(hand)).try_normalize()?;
    let across = rig.in_body(first) - rig.in_body(last);
    let across = (across - out * across.dot(out)).try_normalize()?;
    Some(DQuat::from_mat3(&DMat3::from_cols(out, across, out.cross(across))).normalize())
}

/// Returns the direction of a foot over the ground, in the axes of the body; `None` if it points down.
fn flat(rig: &Rig, limb: &Limb) -> Option<DVec3> {
    let toe = limb.toe?;
    let along = rig.axes.conjugate() * (rig.world.translations[toe] - rig.world.translations[limb.bones?.end?]);
    if along.y.abs() > STEEP * along.length() {
        return None;
    }
    along.with_y(0.0).try_normalize()
}
