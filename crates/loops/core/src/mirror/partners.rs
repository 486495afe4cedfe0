//! Finds each joint's partner on the other side: from the caller, by name, or by position at rest.

use std::collections::BTreeMap;

use glam::DVec3;

use super::{ACROSS, MirrorError};
use crate::{
    analysis::similar_joints,
    math::{greatest, ordered},
    motion::Skeleton,
};

/// Side words in names, left before right.
const SIDES: [(&str, &str); 5] = [
    ("Left", "Right"),
    ("left", "right"),
    ("LEFT", "RIGHT"),
    ("L", "R"),
    ("l", "r"),
];

/// Longest name in which sides are looked for, bytes: the effort grows with its square.
const LONGEST_NAME: usize = 256;

/// Partners found by position may be off by this share of the skeleton's size.
const SIZE_TOLERANCE: f64 = 0.05;

/// Power iterations after which the normal of any skeleton has converged to rounding.
const MULTIPLICATIONS: usize = 400;

/// Cosine of the angle to an axis (8 degrees) from which the normal is snapped to that axis.
const ALONG_AXIS: f64 = 0.99;

/// Returns the partners of all joints and the direction from right to left at rest; the caller's pairs take precedence.
///
/// `rest` holds each joint's position in its parent's axes, metres. Errors: no partners, or invalid pairs.
pub(super) fn find(
    skeleton: &Skeleton,
    rest: &[DVec3],
    pairs: &[(String, String)],
) -> Result<(Vec<usize>, DVec3), MirrorError> {
    let mut partners = by_name(skeleton);
    set_given(skeleton, pairs, &mut partners)?;
    let has_pairs = |partners: &[usize]| partners.iter().enumerate().any(|(joint, &partner)| joint != partner);
    let found = if has_pairs(&partners) {
        let normal = normal_between(skeleton, rest, &partners);
        (partners, normal)
    } else {
        (by_position(skeleton, rest), DVec3::X)
    };
    if !has_pairs(&found.0) {
        return Err(MirrorError::NoPairs);
    }
    check_parents(skeleton, &found.0)?;
    Ok(found)
}

/// Returns the distance of the farthest joint from the topmost one without rotations, metres.
pub(super) fn size(skeleton: &Skeleton, rest: &[DVec3]) -> f64 {
    greatest(unturned(skeleton, rest).iter().map(|position| position.length()))
}

/// Returns the positions of the joints without rotations, relative to the topmost one.
fn unturned(skeleton: &Skeleton, rest: &[DVec3]) -> Vec<DVec3> {
    let mut positions: Vec<DVec3> = Vec::with_capacity(rest.len());
    for joint in 0..skeleton.num_joints() {
        let position = skeleton
            .parent(joint)
            .map_or(DVec3::ZERO, |parent| positions[parent] + rest[joint]);
        positions.push(position);
    }
    positions
}

/// Finds the partner of every joint by its name or from the partners of its children; the joint itself if it has none.
fn by_name(skeleton: &Skeleton) -> Vec<usize> {
    // The first of those of one name.
    let joints: BTreeMap<&str, usize> = skeleton
        .joints()
        .iter()
        .enumerate()
        .rev()
        .map(|(joint, each)| (each.says(), joint))
        .collect();
    let mut partners: Vec<usize> = (0..skeleton.num_joints())
        .map(|joint| {
            let name = skeleton.joint(joint).says();
            SIDES
                .iter()
                .filter(|_| name.len() <= LONGEST_NAME)
                .flat_map(|&(left, right)| [(left, right), (right, left)])
                .flat_map(|(from, to)| {
                    name.match_indices(from)
                        .map(move |(at, _)| format!("{}{to}{}", &name[..at], &name[at + from.len()..]))
                })
                .find_map(|name| joints.get(&*name).copied().filter(|&other| other != joint))
                .unwrap_or(joint)
        })
        .collect();
    for joint in 0..partners.len() {
        // Partners must agree; a joint whose partner does not point back has none.
        if partners[partners[joint]] != joint {
            partners[joint] = joint;
        }
    }
    // Children come after their parents, so going backwards each pair determines the one above it.
    for joint in (0..partners.len()).rev() {
        let [own, other] = [joint, partners[joint]].map(|joint| skeleton.parent(joint));
        if let (Some(own), Some(other)) = (own, other)
            && own != other
            && partners[own] == own
            && partners[other] == other
        {
            partners[own] = other;
            partners[other] = own;
        }
    }
    partners
}

fn set_given(skeleton: &Skeleton, pairs: &[(String, String)], partners: &mut [usize]) -> Result<(), MirrorError> {
    let mut is_given = vec![false; partners.len()];
    for (left, right) in pairs {
        let find = |name: &String| {
            skeleton.find(name).ok_or_else(|| MirrorError::NoSuchJoint {
                name: name.clone(),
                similar: similar_joints(skeleton, name),
            })
        };
        let (left, right) = (find(left)?, find(right)?);
        for (joint, partner) in [(left, right), (right, left)] {
            if is_given[joint] && partners[joint] != partner {
                return Err(MirrorError::Twice {
                    name: skeleton.name_of(joint),
                });
            }
            // The partner that the joint had by name no longer has one.
            let before = partners[joint];
            if partners[before] == joint && !is_given[before] {
                partners[before] = before;
            }
            partners[joint] = partner;
            is_given[joint] = true;
        }
    }
    Ok(())
}

/// Partners by position at rest: pairs in which each is the joint nearest to the other's position, mirrored across X.
fn by_position(skeleton: &Skeleton, rest: &[DVec3]) -> Vec<usize> {
    let (positions, size) = (unturned(skeleton, rest), size(skeleton, rest));
    let nearest: Vec<usize> = (0..positions.len())
        .map(|joint| {
            let off = |other: usize| positions[other].distance(positions[joint] * ACROSS);
            // Among joints at one position the one with the same number of children is chosen, then the first in skeleton order.
            (0..positions.len())
                .filter(|&other| off(other) < SIZE_TOLERANCE * size)
                .filter(|&other| skeleton.children(other).len() == skeleton.children(joint).len())
                .min_by_key(|&other| ordered(off(other)))
                .unwrap_or(joint)
        })
        .collect();
    nearest
        .iter()
        .enumerate()
        .map(|(joint, &other)| if nearest[other] == joint { other } else { joint })
        .collect()
}

/// Returns the normal of the mirror that best maps joints at rest to their partners.
///
/// |S a - b|^2 with S = 1 - 2 n n' is least where n'(a b' + b a')n, summed over the pairs, is least: at the eigenvector of the
/// smallest eigenvalue.
fn normal_between(skeleton: &Skeleton, rest: &[DVec3], partners: &[usize]) -> DVec3 {
    let positions = unturned(skeleton, rest);
    let mut rows = [DVec3::ZERO; 3];
    for (joint, &partner) in partners.iter().enumerate() {
        if joint < partner {
            let (a, b) = (positions[joint], positions[partner]);
            for axis in 0..3 {
                rows[axis] += b * a[axis] + a * b[axis];
            }
        }
    }
    // Subtracted from a multiple of the identity above its largest eigenvalue, the matrix has that direction as its dominant
    // eigenvector, which power iteration finds.
    let above: f64 = rows.iter().map(|row| row.length()).sum();
    let mut normal = DVec3::new(1.0, 0.01, 0.02).normalize();
    for _ in 0..MULTIPLICATIONS {
        normal = (above * normal - DVec3::from_array(rows.map(|row| row.dot(normal)))).normalize_or(DVec3::X);
    }
    // Skeletons are drawn along an axis; the small errors of a hand-measured one would tilt the mirror.
    DVec3::AXES
        .into_iter()
        .find(|axis| normal.dot(*axis).abs() > ALONG_AXIS)
        .unwrap_or(normal)
}

fn check_parents(skeleton: &Skeleton, partners: &[usize]) -> Result<(), MirrorError> {
    for (joint, &partner) in partners.iter().enumerate() {
        let [own, other] = [joint, partner].map(|joint| skeleton.parent(joint));
        if own.map(|parent| partners[parent]) != other {
            return Err(MirrorError::Parents {
                left: skeleton.name_of(joint),
                right: skeleton.name_of(partner),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::skeleton;

    #[test]
    fn no_sides_are_looked_for_in_names_of_more_than_256_bytes() {
        for (length, partners) in [(256, [0, 2, 1]), (257, [0, 1, 2])] {
            let [left, right] = ["L", "R"].map(|side| format!("{side}{}", "_".repeat(length - 1)));
            let rows = [
                ("Hips", None, DVec3::Y),
                (&*left, Some(0), DVec3::X),
                (&*right, Some(0), DVec3::NEG_X),
            ];
            assert_eq!(by_name(&skeleton(&rows)), partners, "{length}");
        }
    }
}
