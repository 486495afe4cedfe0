//! The pose of a rig in which its limbs are compared with another's, and the axes of the body in it.

use core::f64::consts::FRAC_PI_4;

use glam::{DMat3, DQuat, DVec3};

use super::anatomy::Anatomy;
use crate::{analysis::Side, math::rotation, motion::Pose};

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
    let least = legs.fold(f64::INFINITY, f64::min);
    if !is_biped {
        return least;
    }
    let trunk: Vec<usize> = core::iter::once(anatomy.hips)
        .chain(anatomy.spine.iter().copied())
        .chain(anatomy.neck.iter().copied())
        .chain(anatomy.head)
        .collect();
    least.min(risen(world, &trunk, 1.0) / UPRIGHT_SHARE)
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
