//! The bones of a human body, and the T-pose in which avatars rest.
//!
//! Avatars name the joints of a human body alike, and files of motion for any of them hold these alone, each with its turn from a pose
//! that all share: upright, facing ahead, legs straight down, arms out to the sides with palms down.

use glam::{DMat3, DQuat, DVec3};

use super::Rig;
use super::anatomy::{Bones, Limb, LimbKind};
use super::laid::{knuckles, tip};
use crate::analysis::Side;
use crate::feet::leg::arc;
use crate::math::{Rigid, rotation};
use crate::motion::{Joint, Part};

/// A joint of a human body.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub struct HumanBone {
    /// What avatars call it, such as "leftUpperArm", in the words of VRM and of Unity's humanoid.
    pub name: String,
    /// The joint of the skeleton.
    pub joint: usize,
    /// The bone that it hangs from, by its number among the bones, which is lower; `None` for the hips.
    pub parent: Option<usize>,
    /// Its transform in the world in the T-pose, which stands at the origin and faces +Z; metres.
    pub rest: Rigid,
}

/// Bones that every avatar has.
const NEEDED: [&str; 15] = [
    "hips",
    "spine",
    "head",
    "leftUpperArm",
    "leftLowerArm",
    "leftHand",
    "rightUpperArm",
    "rightLowerArm",
    "rightHand",
    "leftUpperLeg",
    "leftLowerLeg",
    "leftFoot",
    "rightUpperLeg",
    "rightLowerLeg",
    "rightFoot",
];

/// What is nearer to its place in the T-pose than this stays as it rests, cosine of the angle (10 degrees): people call such poses
/// T-poses, and the bones of an avatar turn from the pose that its own file states.
const NEAR_COSINE: f64 = 0.985;

/// The same of a hand by its knuckles, radians (20 degrees).
const HAND_RADIANS: f64 = 0.35;

impl Rig {
    /// The bones of a human body in this rig, parents before children, each with its transform in the T-pose.
    ///
    /// Of a spine of more than three joints its first, middle and last are bones, of a neck the first. The T-pose is the pose that the file
    /// states where it states also what its joints are; else the pose in which the rig is compared with others, with limbs laid where
    /// they are not in their places. Errors: the bones without which there is no avatar, by the names that avatars have for them.
    pub fn humanoid(&self) -> Result<Vec<HumanBone>, Vec<&'static str>> {
        let found = self.bones();
        let is_missing = |name: &&str| !found.iter().any(|bone| bone.name == *name);
        let missing: Vec<&str> = NEEDED.into_iter().filter(is_missing).collect();
        match missing.is_empty() {
            true => Ok(self.in_t_pose(found)),
            false => Err(missing),
        }
    }

    /// The bones that there are, in the order in which they hang from each other, at the origin.
    fn bones(&self) -> Vec<HumanBone> {
        let anatomy = &self.anatomy;
        let mut bones: Vec<HumanBone> = Vec::new();
        // A joint is one bone; below one that is another already, bones hang from what that hangs from.
        let mut add = |name: String, joint: Option<usize>, parent: Option<usize>| -> Option<usize> {
            let joint = joint.filter(|&joint| bones.iter().all(|bone| bone.joint != joint));
            let Some(joint) = joint else { return parent };
            bones.push(HumanBone {
                name,
                joint,
                parent,
                rest: Rigid::IDENTITY,
            });
            Some(bones.len() - 1)
        };
        let hips = add("hips".to_owned(), Some(anatomy.hips), None);
        let spine = match anatomy.spine.as_slice() {
            [first, between @ .., last] if !between.is_empty() => vec![*first, between[between.len() / 2], *last],
            few => few.to_vec(),
        };
        let mut top = hips;
        for (name, joint) in ["spine", "chest", "upperChest"].into_iter().zip(spine) {
            top = add(name.to_owned(), Some(joint), top);
        }
        let neck = add("neck".to_owned(), anatomy.neck.first().copied(), top);
        add("head".to_owned(), anatomy.head, neck);
        for (side, limb) in self.limbs(LimbKind::Arm) {
            let Some(Bones { upper, lower, end }) = limb.bones else {
                continue;
            };
            let shoulder = add(format!("{side}Shoulder"), limb.collar.first().copied(), top);
            let upper = add(format!("{side}UpperArm"), Some(upper), shoulder);
            let lower = add(format!("{side}LowerArm"), Some(lower), upper);
            let Some(end) = end else { continue };
            let hand = add(format!("{side}Hand"), Some(end), lower);
            for (finger, joints) in ["Thumb", "Index", "Middle", "Ring", "Little"].iter().zip(&limb.fingers) {
                let parts = match *finger {
                    "Thumb" => ["Metacarpal", "Proximal", "Distal"],
                    _ => ["Proximal", "Intermediate", "Distal"],
                };
                let mut above = hand;
                for (part, &joint) in parts.iter().zip(joints) {
                    above = add(format!("{side}{finger}{part}"), Some(joint), above);
                }
            }
        }
        for (side, limb) in self.limbs(LimbKind::Leg) {
            let Some(Bones { upper, lower, end }) = limb.bones else {
                continue;
            };
            let upper = add(format!("{side}UpperLeg"), Some(upper), hips);
            let lower = add(format!("{side}LowerLeg"), Some(lower), upper);
            let Some(end) = end else { continue };
            let foot = add(format!("{side}Foot"), Some(end), lower);
            add(format!("{side}Toes"), limb.toe, foot);
        }
        bones
    }

    /// The limbs of a kind, the left one first, with the word for its side.
    fn limbs(&self, kind: LimbKind) -> impl Iterator<Item = (&'static str, &Limb)> {
        let sides = [(Side::Left, "left"), (Side::Right, "right")].into_iter();
        sides.filter_map(move |(side, word)| {
            let mut limbs = self.anatomy.limbs.iter();
            Some((word, limbs.find(|limb| limb.kind == kind && limb.side == side)?))
        })
    }

    /// The same bones in the T-pose.
    fn in_t_pose(&self, mut bones: Vec<HumanBone>) -> Vec<HumanBone> {
        let is_stated = |joint: &Joint| matches!(joint.part, Some(Part::Stated(_)));
        let is_stated = self.skeleton.joints().iter().any(is_stated);
        let (world, axes) = match is_stated {
            // Such files face along Z to the last digit, either way.
            true => (
                self.stated.as_ref().world(&self.skeleton),
                match (self.axes * DVec3::Z).z < 0.0 {
                    true => DQuat::from_xyzw(0.0, 1.0, 0.0, 0.0),
                    false => DQuat::IDENTITY,
                },
            ),
            false => (self.world.clone(), self.axes),
        };
        let mut turns = vec![DQuat::IDENTITY; self.skeleton.num_joints()];
        if !is_stated {
            self.lay(&mut turns);
        }
        let at = |joint: usize| axes.conjugate() * world.translations[joint];
        let rotation = |joint: usize| (axes.conjugate() * world.rotations[joint]).normalize();
        for bone in 0..bones.len() {
            let (joint, parent) = (bones[bone].joint, bones[bone].parent.map(|parent| &bones[parent]));
            let place = parent.map_or(DVec3::ZERO, |parent| {
                let from_parent = at(joint) - at(parent.joint);
                parent
                    .rest
                    .transform_point(rotation(parent.joint).conjugate() * from_parent)
            });
            bones[bone].rest = Rigid::new((turns[joint] * rotation(joint)).normalize(), place);
        }
        let height = match is_stated {
            true => at(self.anatomy.hips).y,
            false => {
                let feet = bones.iter().filter(|bone| bone.name.ends_with("Foot"));
                let lowest = feet.map(|bone| bone.rest.translation.y).fold(0.0, f64::min);
                self.height_of_ankles() - lowest
            }
        };
        for bone in &mut bones {
            bone.rest.translation.y += height;
        }
        bones
    }

    /// How high the ankles are when the soles are on the ground, by the lower one of a pose that stands; its ground is at nought, or where it
    /// is not, under its lowest joint.
    fn height_of_ankles(&self) -> f64 {
        let at = |joint: usize| (self.axes.conjugate() * self.world.translations[joint]).y;
        let feet = || self.body.feet.iter();
        let ankle = feet().map(|foot| at(foot.ankle)).fold(f64::INFINITY, f64::min);
        let toes = feet().filter_map(|foot| Some(at(foot.toe?)));
        let lowest = toes.fold(ankle, f64::min);
        let legs = self.leg_length();
        match (-0.05 * legs..0.25 * legs).contains(&lowest) {
            true => ankle,
            false => ankle - lowest,
        }
    }

    /// Adds to each joint of a limb the turn in the axes of the body that lays it into the T-pose.
    fn lay(&self, turns: &mut [DQuat]) {
        let at = |joint: usize| self.axes.conjugate() * self.world.translations[joint];
        let next = |above: DQuat, along: Option<DVec3>, wanted: DVec3| match along {
            Some(along) if (above * along).dot(wanted) < NEAR_COSINE * along.length() => {
                (arc(above * along, wanted) * above).normalize()
            }
            _ => above,
        };
        let bone = |from: usize, to: Option<usize>| match to {
            Some(to) => Some(at(to) - at(from)).filter(|along| along.length() > 0.0),
            None => tip(self, from),
        };
        for limb in &self.anatomy.limbs {
            let Some(Bones { upper, lower, end }) = limb.bones else {
                continue;
            };
            let wanted = match (limb.kind, limb.side) {
                (LimbKind::Leg, _) => DVec3::NEG_Y,
                (LimbKind::Arm, Side::Left) => DVec3::X,
                (LimbKind::Arm, Side::Right) => DVec3::NEG_X,
            };
            turns[upper] = next(DQuat::IDENTITY, bone(upper, Some(lower)), wanted);
            turns[lower] = next(turns[upper], bone(lower, end), wanted);
            // Feet stay as they stand.
            let (LimbKind::Arm, Some(hand)) = (limb.kind, end) else {
                continue;
            };
            turns[hand] = turns[lower];
            if let Some(knuckles) = knuckles(self, limb) {
                let flat = DQuat::from_mat3(&DMat3::from_cols(wanted, DVec3::Z, wanted.cross(DVec3::Z)));
                let turn = (flat * knuckles.conjugate()).normalize();
                if rotation::difference(turn, turns[lower]).length() > HAND_RADIANS {
                    turns[hand] = turn;
                }
            }
            for (finger, joints) in limb.fingers.iter().enumerate() {
                let mut above = turns[hand];
                for (index, &joint) in joints.iter().enumerate() {
                    // A thumb points aside, and rests there as its hand does.
                    if finger > 0 {
                        above = next(above, bone(joint, joints.get(index + 1).copied()), wanted);
                    }
                    turns[joint] = above;
                }
            }
        }
    }
}
