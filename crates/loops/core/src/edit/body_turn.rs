//! Turns of a joint by what they do to the body, the same on any rig: raise, spread and twist.
//!
//! Their axes come from where the body faces in the loop, and from where the joint's bone points on average. Formulae:
//! docs/math/edits.md.

use glam::{DQuat, DVec3};

use super::{EditError, JointOffset};
use crate::{
    analysis::{Body, Heading, Side},
    loop_clip::LoopClip,
    math::{mean, rotation},
    retarget::{BodyPart, LimbKind},
};

/// A turn of a joint by what it does, radians. Equal angles turn the two sides of the body as mirror images.
#[handed_over(Copy, Default)]
pub struct BodyTurn {
    /// A limb goes forward and up; trunk and head look up and lean back.
    pub raise: f64,
    /// A limb goes away from the middle of the body, or up if it points aside; trunk and head lean to the left.
    pub spread: f64,
    /// The front or upper side of a limb turns inward about its bone; trunk and head turn to the left.
    pub twist: f64,
}

/// Share of a bone along the axis from right to left beyond which it points aside: to raise it would twist it, and hardly move it.
const ASIDE: f64 = 0.9;

impl BodyTurn {
    /// Returns the turn of a joint in the axes of its parent. Errors: an angle is out of range, or the joint has no such axes.
    pub(super) fn of_joint(self, clip: &LoopClip, body: &Body, joint: usize) -> Result<DQuat, EditError> {
        let rotation = DVec3::new(self.raise, self.spread, self.twist);
        JointOffset {
            rotation,
            ..JointOffset::ZERO
        }
        .check()?;
        let name = clip.skeleton().name_of(joint);
        let Some([raise, spread, twist]) = axes(clip, body, joint) else {
            return Err(EditError::NoBodyAxes { name });
        };
        if self.raise != 0.0 && raise.dot(twist).abs() > ASIDE {
            return Err(EditError::PointsAside { name });
        }
        // The twist first, which leaves the bone where it is, and the raise last, which leaves it as far from the middle.
        let moved = rotation::exp(raise * self.raise) * rotation::exp(spread * self.spread);
        Ok(moved * rotation::exp(twist * self.twist))
    }
}

/// Returns the axes of raise, spread and twist in the mean axes of a joint's parent; `None` for a joint of no part of the body, or
/// without a bone.
fn axes(clip: &LoopClip, body: &Body, joint: usize) -> Option<[DVec3; 3]> {
    let (skeleton, world, count) = (clip.skeleton(), clip.tracks_from_root(), clip.num_samples());
    let part = BodyPart::of(skeleton, body, &clip.body_pose(0).world(skeleton), joint)?;
    let parent = skeleton.parent(joint);
    let above = |sample: usize| parent.map_or(DQuat::IDENTITY, |parent| world.rotation(sample, parent));
    let heading = Heading::level(&world, body);
    let facing = rotation::from_yaw(mean((0..count).map(|sample| heading.yaw(sample))));
    // From the axes of the body (X left, Y up, Z ahead) to those of the parent.
    let to_parent = rotation::even_mean((0..count).map(above)).conjugate() * facing;
    let axes = match part {
        BodyPart::Trunk => [DVec3::NEG_X, DVec3::NEG_Z, DVec3::Y],
        BodyPart::Limb { side, kind, ends } => {
            let along = |sample: usize| {
                let at = world.position(sample, joint);
                let bones = [
                    mean(ends.iter().map(|&end| world.position(sample, end) - at)),
                    world.rotation(sample, joint) * skeleton.joint(joint).tip.unwrap_or_default(),
                    // Feet without toes point ahead, hands without fingers as their forearms do.
                    match kind {
                        LimbKind::Leg => facing * DVec3::Z,
                        LimbKind::Arm => at - world.position(sample, parent.unwrap_or(joint)),
                    },
                ];
                let bone = bones.into_iter().find_map(DVec3::try_normalize);
                above(sample).conjugate() * bone.unwrap_or_default()
            };
            let bone: DVec3 = (0..count).map(along).sum();
            let bone = (to_parent.conjugate() * bone).try_normalize()?;
            let outward = if side == Side::Left { 1.0 } else { -1.0 };
            let away = if bone.x * outward > ASIDE {
                DVec3::Y
            } else {
                DVec3::X * outward
            };
            [DVec3::NEG_X, bone.cross(away).normalize_or_zero(), bone * outward]
        }
    };
    Some(axes.map(|axis| to_parent * axis))
}
