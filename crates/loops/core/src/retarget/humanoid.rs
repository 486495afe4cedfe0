//! The bones of a human body, and the T-pose in which avatars rest.
//!
//! Avatars have the same names for the joints of a human body, and their motion files hold only these, with rotations from a
//! common pose: upright, facing ahead, legs straight down, arms out to the sides with palms down.

use glam::{DMat3, DQuat, DVec3};

use super::{
    Rig,
    anatomy::{Bones, Limb, LimbKind},
    laid::{STEEP, knuckles},
};
use crate::{
    analysis::Side,
    math::{
        Rigid, ops,
        rotation::{self, arc},
    },
    motion::Part,
};

/// A joint of a human body.
#[handed_over]
pub struct HumanBone {
    /// Its name in avatars, such as "leftUpperArm", in the words of VRM and of Unity's humanoid.
    pub name: String,
    /// The joint of the skeleton.
    pub joint: usize,
    /// Its parent bone, by a lower number among the bones; `None` for the hips.
    pub parent: Option<usize>,
    /// Its transform in the world in the T-pose, which stands at the origin and faces +Z; metres.
    pub rest: Rigid,
}

impl HumanBone {
    /// The bones that every avatar has.
    pub const NEEDED: [&str; 15] = [
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
}

/// Cosine of the angle to its T-pose direction (10 degrees) within which a bone keeps its rest direction: people call such poses
/// T-poses, and the bones of an avatar rotate from the pose of its own file.
const NEAR_COSINE: f64 = 0.985;

/// Angle of the knuckles to their T-pose direction within which a hand keeps its rest direction, radians (20 degrees).
const HAND_RADIANS: f64 = 0.35;

/// Collar bones that begin this near to each other do not show the facing of the chest, as a share of the leg.
const LEAST_ACROSS: f64 = 0.01;

impl Rig {
    /// Returns the bones of a human body in this rig, parents before children, each with its transform in the T-pose.
    ///
    /// Of a spine of more than three joints the first, middle and last are bones, of a neck the first. If the file states the
    /// parts of its joints, other joints are not bones, and the T-pose is the pose in the file; else it is the pose in which the
    /// rig is compared with others, with misplaced trunk, limbs and feet laid into the T-pose, at the height of straight legs.
    /// Errors: the missing required bones, by their names in avatars.
    pub fn humanoid(&self) -> Result<Vec<HumanBone>, Vec<&'static str>> {
        let found = self.bones();
        let missing: Vec<&str> = HumanBone::NEEDED
            .into_iter()
            .filter(|name| !found.iter().any(|bone| bone.name == *name))
            .collect();
        if missing.is_empty() {
            Ok(self.in_t_pose(found))
        } else {
            Err(missing)
        }
    }

    /// Returns the bones that the rig has, each after its parent, at the origin.
    fn bones(&self) -> Vec<HumanBone> {
        let (anatomy, is_stated) = (&self.anatomy, self.states_parts());
        let mut bones: Vec<HumanBone> = Vec::new();
        // A joint is one bone only; the children of a bone at a used joint are attached to that joint's bone.
        let mut add = |name: String, joint: Option<usize>, parent: Option<usize>| -> Option<usize> {
            let joint = joint.filter(|&joint| {
                !(is_stated && anatomy.meanings[joint].is_helper) && bones.iter().all(|bone| bone.joint != joint)
            });
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
        for (side, limb, Bones { upper, lower, end }) in self.limbs(LimbKind::Arm) {
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
        for (side, limb, Bones { upper, lower, end }) in self.limbs(LimbKind::Leg) {
            let upper = add(format!("{side}UpperLeg"), Some(upper), hips);
            let lower = add(format!("{side}LowerLeg"), Some(lower), upper);
            let Some(end) = end else { continue };
            let foot = add(format!("{side}Foot"), Some(end), lower);
            add(format!("{side}Toes"), limb.toe, foot);
        }
        bones
    }

    /// Returns the limbs of a kind that have bones, the left one first, with the word for its side.
    fn limbs(&self, kind: LimbKind) -> impl Iterator<Item = (&'static str, &Limb, Bones)> {
        [(Side::Left, "left"), (Side::Right, "right")]
            .into_iter()
            .filter_map(move |(side, word)| {
                let limb = self.anatomy.first(kind, side)?;
                Some((word, limb, limb.bones?))
            })
    }

    /// Whether its file states the parts of its joints.
    fn states_parts(&self) -> bool {
        self.skeleton
            .joints()
            .iter()
            .any(|joint| matches!(joint.part, Some(Part::Stated(_))))
    }

    /// Puts the bones into the T-pose.
    fn in_t_pose(&self, mut bones: Vec<HumanBone>) -> Vec<HumanBone> {
        let is_stated = self.states_parts();
        let (world, axes) = if !is_stated {
            (self.world.clone(), self.axes)
        } else {
            // Files that state the parts of their joints face exactly along Z, either way.
            let axes = if (self.axes * DVec3::Z).z < 0.0 {
                DQuat::from_xyzw(0.0, 1.0, 0.0, 0.0)
            } else {
                DQuat::IDENTITY
            };
            (self.stated.world(&self.skeleton), axes)
        };
        let mut turns = vec![DQuat::IDENTITY; self.skeleton.num_joints()];
        if !is_stated {
            self.lay(&mut turns);
        }
        let at = |joint: usize| axes.conjugate() * world.translations[joint];
        let rotation = |joint: usize| (axes.conjugate() * world.rotations[joint]).normalize();
        for bone in 0..bones.len() {
            let joint = bones[bone].joint;
            let place = bones[bone].parent.map_or(DVec3::ZERO, |parent| {
                let HumanBone { joint: above, rest, .. } = bones[parent];
                rest.transform_point(rotation(above).conjugate() * (at(joint) - at(above)))
            });
            bones[bone].rest = Rigid::new((turns[joint] * rotation(joint)).normalize(), place);
        }
        let height = if is_stated {
            at(self.anatomy.hips).y
        } else {
            let lowest = bones
                .iter()
                .filter(|bone| bone.name.ends_with("Foot"))
                .map(|bone| bone.rest.translation.y)
                .fold(0.0, f64::min);
            self.ankle_over_soles() - lowest
        };
        for bone in &mut bones {
            bone.rest.translation.y += height;
        }
        bones
    }

    /// Returns how high the lower ankle is over the soles when these are on the ground, metres.
    fn ankle_over_soles(&self) -> f64 {
        // The floor is known by the soles, or because it is at 0.
        let shows_ground = self.soles.iter().any(|sole| !sole.points.is_empty())
            || self.ground_under(self.lowest_of_feet(&self.world)) == 0.0;
        if self.stance.is_at_rest && shows_ground {
            self.lower_ankle(&self.world) - self.ground()
        } else {
            self.stance.ankle
        }
    }

    /// Returns the way from the right limb of a kind to the left one, each by one of its joints, in the axes of the body.
    fn across(&self, kind: LimbKind, joint: impl Fn(&Limb) -> Option<usize>) -> Option<DVec3> {
        let [left, right] = Side::ALL.map(|side| self.anatomy.first(kind, side).and_then(&joint));
        let across = self.in_body(left?) - self.in_body(right?);
        (across.length() > LEAST_ACROSS * self.leg_length()).then_some(across)
    }

    /// Adds to each joint of trunk and limbs the turn in the axes of the body that lays it into the T-pose.
    fn lay(&self, turns: &mut [DQuat]) {
        let anatomy = &self.anatomy;
        let next = |above: DQuat, along: Option<DVec3>, wanted: DVec3| match along {
            Some(along) if (above * along).dot(wanted) < NEAR_COSINE * along.length() => {
                (arc(above * along, wanted) * above).normalize()
            }
            _ => above,
        };
        // The trunk as a whole, because bones of a neck may point far ahead in a T-pose.
        let trunk = anatomy.top().and_then(|top| self.along(anatomy.hips, Some(top)));
        let upright = next(DQuat::IDENTITY, trunk, DVec3::Y);
        // Shoulders may be raised and drawn ahead on collar bones, which begin at the trunk.
        let shoulders = self
            .across(LimbKind::Arm, |limb| limb.collar.first().copied())
            .or_else(|| self.across(LimbKind::Arm, Limb::upper))
            .map(|across| upright.conjugate() * (upright * across).with_y(0.0));
        let of_hips = next(upright, self.across(LimbKind::Leg, Limb::upper), DVec3::X);
        let of_chest = next(upright, shoulders, DVec3::X);
        let twist = rotation::difference(of_chest, of_hips);
        turns[anatomy.hips] = of_hips;
        for (index, &joint) in anatomy.spine.iter().enumerate() {
            let share = (index + 1) as f64 / anatomy.spine.len() as f64;
            turns[joint] = (rotation::exp(share * twist) * of_hips).normalize();
        }
        for &joint in anatomy.neck.iter().chain(&anatomy.head) {
            turns[joint] = upright;
        }

        for limb in &anatomy.limbs {
            let Some(Bones { upper, lower, end }) = limb.bones else {
                continue;
            };
            let (trunk, wanted) = match (limb.kind, limb.side) {
                (LimbKind::Leg, _) => (of_hips, DVec3::NEG_Y),
                (LimbKind::Arm, Side::Left) => (of_chest, DVec3::X),
                (LimbKind::Arm, Side::Right) => (of_chest, DVec3::NEG_X),
            };
            for &joint in &limb.collar {
                turns[joint] = trunk;
            }
            turns[upper] = next(trunk, self.along(upper, Some(lower)), wanted);
            turns[lower] = next(turns[upper], self.along(lower, end), wanted);
            let Some(end) = end else { continue };
            if limb.kind == LimbKind::Leg {
                // Whatever the leg does, the sole is laid level and the foot points ahead.
                let ahead = self.along(end, limb.toe);
                turns[end] = match ahead.filter(|ahead| ahead.y.abs() <= STEEP * ahead.length()) {
                    Some(ahead) if ahead.z < NEAR_COSINE * ops::over_ground(ahead) => {
                        rotation::from_yaw(-ops::atan2(ahead.x, ahead.z))
                    }
                    _ => DQuat::IDENTITY,
                };
                if let Some(toe) = limb.toe {
                    turns[toe] = turns[end];
                }
                continue;
            }
            turns[end] = turns[lower];
            if let Some(knuckles) = knuckles(self, limb) {
                let flat = DQuat::from_mat3(&DMat3::from_cols(wanted, DVec3::Z, wanted.cross(DVec3::Z)));
                let turn = (flat * knuckles.conjugate()).normalize();
                if rotation::difference(turn, turns[lower]).length() > HAND_RADIANS {
                    turns[end] = turn;
                }
            }
            for (finger, joints) in limb.fingers.iter().enumerate() {
                let mut above = turns[end];
                for (index, &joint) in joints.iter().enumerate() {
                    // A thumb points aside, and keeps its rest relative to the hand.
                    if finger > 0 {
                        above = next(above, self.along(joint, joints.get(index + 1).copied()), wanted);
                    }
                    turns[joint] = above;
                }
            }
        }
    }
}
