//! A body of capsules from a skeleton: which bones are drawn, their thickness, and their side of the body.

#[cfg(feature = "pictures")]
use std::sync::Arc;

use glam::DVec3;
use loopwright_core::{
    Pose, PoseRef, Skeleton, Take,
    analysis::{Body, Foot, Side},
    math::bounds,
};

#[cfg(feature = "pictures")]
use crate::Surface;

/// A bone as it is drawn: a capsule between two points of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limb {
    /// Points at its ends, indices as [`Figure::points`] lists them.
    pub ends: [usize; 2],
    /// Radii at its ends, metres.
    pub radii: [f64; 2],
    /// The side of the body, which determines the colour; `None` for its trunk.
    pub side: Option<Side>,
}

/// A body of capsules, made once from a take and posed at every frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    skeleton: Skeleton,
    limbs: Vec<Limb>,
    /// Parent joint, and position in its axes, of the points beyond the joints: toes, fingers, the crown of the head.
    tips: Vec<(usize, DVec3)>,
    hips: usize,
    /// Points that stand on the ground.
    soles: Vec<(usize, f64)>,
    stature: f64,
    #[cfg(feature = "pictures")]
    surface: Option<Arc<Surface>>,
}

// Radii as shares of the stature, near those of an adult.
const THIGH: f64 = 0.043;
const ANKLE: f64 = 0.022;
const TOE: f64 = 0.016;
const UPPER_ARM: f64 = 0.03;
const WRIST: f64 = 0.017;
const PALM: f64 = 0.02;
const KNUCKLE: f64 = 0.01;
const FINGER: f64 = 0.006;
const PELVIS: f64 = 0.056;
const CHEST: f64 = 0.066;
const NECK: f64 = 0.03;
const SHOULDER: f64 = 0.034;
const HEAD: f64 = 0.058;
/// From the joint where the arms branch off to the chin, for skeletons without a head.
const NECK_LENGTH: f64 = 0.1;
/// Length of a hand or foot if the skeleton ends at the wrist or ankle.
const PALM_LENGTH: f64 = 0.06;
const FOOT_LENGTH: f64 = 0.1;

/// Thickness of a bone that is not recognized by name, as a share of its length.
const OTHER_BONE: f64 = 0.1;

/// The body part of the bone that ends at a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Not a bone: above the hips in the hierarchy, where it carries the root motion, or a control of the rig.
    Carrier,
    Other,
    Spine,
    Leg,
    Foot,
    Arm,
    Hand,
}

// `Foot` is a foot of the body here.
use Part::{Arm, Carrier, Hand, Leg, Other, Spine};

impl Figure {
    /// Creates the body of a take's skeleton, with the bone lengths of the take's middle frame.
    pub fn new(take: &Take, body: &Body) -> Self {
        Self::in_pose(
            take.pose(take.num_frames() / 2),
            take.skeleton(),
            body,
            body.stature(take),
        )
    }

    /// Creates the body of a skeleton, with the bone lengths of a pose and its standing height, metres; where that is unknown,
    /// as tall as the pose is large.
    pub fn in_pose(pose: PoseRef, skeleton: &Skeleton, body: &Body, stature: Option<f64>) -> Self {
        let Pose {
            translations: positions,
            rotations,
        } = pose.world(skeleton);
        let (low, high) = bounds(
            positions
                .iter()
                .enumerate()
                .filter(|&(joint, _)| !body.is_control(joint))
                .map(|(_, &position)| position),
        );
        let stature = stature.unwrap_or((high - low).max_element()).max(1e-6);
        let parts = Parts::new(skeleton, body);
        let mut figure = Self {
            limbs: Vec::new(),
            tips: Vec::new(),
            hips: body.hips,
            soles: Vec::new(),
            stature,
            skeleton: skeleton.clone(),
            #[cfg(feature = "pictures")]
            surface: None,
        };
        for joint in 0..parts.part.len() {
            figure.add_bone_to(joint, &parts, &positions);
        }
        for joint in 0..parts.part.len() {
            figure.add_end_of(joint, &parts, body, &positions, &rotations);
        }
        for foot in body.known_feet() {
            // A foot that hangs elsewhere is drawn at the end of its leg.
            if let Some(end) = body.end_of_leg_apart(&figure.skeleton, foot) {
                figure.limbs.push(Limb {
                    ends: [end, foot.ankle],
                    radii: figure.sized([THIGH, ANKLE]),
                    side: parts.side[end],
                });
            }
            // A leg without a foot has its sole at the end of its bone.
            for joint in Some(foot.ankle)
                .filter(|&ankle| body.end_of(ankle) == DVec3::ZERO)
                .into_iter()
                .chain(foot.toe)
            {
                figure.soles.push((joint, figure.radius_at(joint)));
            }
        }
        if figure.limbs.is_empty() {
            // A skeleton without a body: all its bones.
            figure.limbs = (0..skeleton.num_joints())
                .filter_map(|joint| Some([skeleton.parent(joint)?, joint]))
                .map(|ends| Limb {
                    ends,
                    radii: figure.sized([TOE; 2]),
                    side: None,
                })
                .collect();
        }
        figure
    }

    /// Returns the body with the mesh of its file, which is drawn instead of the capsules; without one for `None`, and for a
    /// mesh of another skeleton.
    #[cfg(feature = "pictures")]
    #[must_use]
    pub fn with_surface(mut self, surface: Option<Arc<Surface>>) -> Self {
        let joints = self.skeleton.num_joints();
        self.surface = surface.filter(|surface| surface.mesh.bones.iter().all(|bone| bone.joint < joints));
        self
    }

    #[cfg(feature = "pictures")]
    pub(crate) fn surface(&self) -> Option<&Surface> {
        self.surface.as_deref()
    }

    /// Whether a joint stands on the ground, or is below one that does.
    #[cfg(feature = "pictures")]
    pub(crate) fn is_of_sole(&self, joint: usize) -> bool {
        core::iter::successors(Some(joint), |&joint| self.skeleton.parent(joint))
            .any(|joint| self.soles.iter().any(|&(sole, _)| sole == joint))
    }

    /// Standing height of the body, metres.
    pub fn stature(&self) -> f64 {
        self.stature
    }

    /// Returns the index of the hips among the points.
    pub fn hips(&self) -> usize {
        self.hips
    }

    /// Returns all capsules.
    pub fn limbs(&self) -> &[Limb] {
        &self.limbs
    }

    /// Returns the points that stand on the ground, with their height above it while they stand.
    pub fn soles(&self) -> &[(usize, f64)] {
        &self.soles
    }

    /// Returns the joint that a point belongs to.
    pub fn joint_of(&self, point: usize) -> usize {
        let joints = self.skeleton.num_joints();
        if point < joints {
            point
        } else {
            self.tips[point - joints].0
        }
    }

    /// Returns the name of the joint that a point belongs to.
    pub fn name_of(&self, point: usize) -> &str {
        &self.skeleton.joint(self.joint_of(point)).name
    }

    /// Returns the point that is the joint of that name.
    pub fn point_named(&self, name: &str) -> Option<usize> {
        self.skeleton.find(name)
    }

    /// Returns the number of joints of the skeleton.
    pub fn num_joints(&self) -> usize {
        self.skeleton.num_joints()
    }

    /// Returns the number of points: joints and tips.
    pub fn num_points(&self) -> usize {
        self.skeleton.num_joints() + self.tips.len()
    }

    /// Returns the positions of all points, joints first, in a pose of this skeleton in the world.
    pub fn points(&self, world: &Pose) -> Vec<DVec3> {
        let tips = self
            .tips
            .iter()
            .map(|&(joint, offset)| world.translations[joint] + world.rotations[joint] * offset);
        world.translations.iter().copied().chain(tips).collect()
    }

    /// Radii of these shares of the stature.
    fn sized(&self, shares: [f64; 2]) -> [f64; 2] {
        shares.map(|share| share * self.stature)
    }

    fn radius_at(&self, point: usize) -> f64 {
        self.limbs
            .iter()
            .flat_map(|limb| limb.ends.into_iter().zip(limb.radii))
            .filter(|&(end, _)| end == point)
            .map(|(_, radius)| radius)
            .fold(0.0, f64::max)
    }

    /// Draws the bone between a joint and its parent.
    fn add_bone_to(&mut self, joint: usize, parts: &Parts, positions: &[DVec3]) {
        let Some(parent) = self.skeleton.parent(joint) else {
            return;
        };
        let length = positions[joint].distance(positions[parent]);
        // Bones without length are rig controls; distant props and markers are not part of the body.
        if [joint, parent]
            .iter()
            .any(|&end| parts.part[end] == Carrier && end != self.hips)
            || length < 0.002 * self.stature
            || length > self.stature
        {
            return;
        }
        let along = [parent, joint].map(|end| parts.along[end]);
        let between = |from: f64, to: f64| self.sized(along.map(|along| from + (to - from) * along));
        let radii = match parts.part[joint] {
            // From the spine or the pelvis to where the limb begins.
            Leg if parts.part[parent] != Leg => self.sized([PELVIS, THIGH]),
            Arm if parts.part[parent] != Arm => self.sized([SHOULDER, UPPER_ARM]),
            Leg => between(THIGH, ANKLE),
            Part::Foot => self.sized([ANKLE, TOE]),
            Arm => between(UPPER_ARM, WRIST),
            Hand if parts.part[parent] == Hand => self.sized([FINGER; 2]),
            // The only bone beyond the wrist is the whole hand.
            Hand => {
                let is_alone = self.skeleton.children(parent).len() == 1;
                let knuckles = if is_alone { PALM } else { KNUCKLE };
                self.sized([WRIST, knuckles])
            }
            Spine => self.spine_radii(along),
            Other | Carrier => self.other_radii(length),
        };
        self.limbs.push(Limb {
            ends: [parent, joint],
            radii,
            // The bone that joins a limb to the trunk belongs to the trunk.
            side: match (parts.part[joint], parts.part[parent]) {
                (Leg, Leg | Part::Foot) | (Arm, Arm | Hand) => parts.side[joint],
                (Leg | Arm, _) => None,
                _ => parts.side[joint],
            },
        });
    }

    /// Thick at the pelvis, thicker at the chest, thin at the neck.
    fn spine_radii(&self, along: [f64; 2]) -> [f64; 2] {
        along.map(|along| {
            let r = if along < CHEST_ALONG {
                PELVIS + (CHEST - PELVIS) * along / CHEST_ALONG
            } else {
                CHEST + (NECK - CHEST) * ((along - CHEST_ALONG) / 0.25).min(1.0)
            };
            r * self.stature
        })
    }

    /// Radii of a bone that is not recognized by name.
    fn other_radii(&self, length: f64) -> [f64; 2] {
        let [finger, shoulder] = self.sized([FINGER, SHOULDER]);
        [(OTHER_BONE * length).clamp(finger, shoulder); 2]
    }

    /// Draws the part beyond the last joint of a limb.
    fn add_end_of(&mut self, joint: usize, parts: &Parts, body: &Body, positions: &[DVec3], rotations: &[glam::DQuat]) {
        let stature = self.stature;
        let is_leaf = self.skeleton.children(joint).is_empty();
        let plausible = 0.002 * stature..0.3 * stature;
        let tip = self
            .skeleton
            .joint(joint)
            .tip
            .filter(|tip| plausible.contains(&tip.length()));
        let onwards = self.skeleton.parent(joint).and_then(|parent| {
            Some(rotations[joint].inverse() * (positions[joint] - positions[parent]).try_normalize()?)
        });
        if body.head == Some(joint) {
            self.add_head(
                joint,
                tip.and_then(DVec3::try_normalize).or(onwards).unwrap_or(DVec3::Y),
                0.02 * stature,
            );
            return;
        }
        if parts.chest == Some(joint)
            && let Some(up) = onwards
        {
            self.add_head(joint, up, NECK_LENGTH * stature);
        }
        if !is_leaf || parts.part[joint] == Carrier {
            return;
        }
        let (tip_offset, radii) = match parts.part[joint] {
            Hand if body.hands.contains(&joint) => (
                tip.or_else(|| onwards.map(|ahead| ahead * (PALM_LENGTH * stature))),
                self.sized([WRIST, PALM]),
            ),
            Part::Foot if body.end_of(joint) != DVec3::ZERO => (Some(body.end_of(joint)), self.sized([THIGH, ANKLE])),
            // Paws and hooves end where their bones do.
            Part::Foot if body.feet.len() > 2 => (tip, self.sized([ANKLE, TOE])),
            // The ankle itself may be the last joint.
            Part::Foot if body.feet.iter().any(|foot| foot.ankle == joint) => (
                Some(tip.unwrap_or(rotations[joint].inverse() * DVec3::new(0.0, 0.0, FOOT_LENGTH * stature))),
                self.sized([ANKLE, TOE]),
            ),
            Part::Foot => (tip, self.sized([TOE, 0.8 * TOE])),
            Hand => (tip, self.sized([FINGER; 2])),
            _ => (tip, self.other_radii(tip.map_or(0.0, DVec3::length))),
        };
        let Some(tip_offset) = tip_offset else { return };
        let end = self.add_tip(joint, tip_offset);
        self.limbs.push(Limb {
            ends: [joint, end],
            radii,
            side: parts.side[joint],
        });
        if parts.part[joint] == Part::Foot {
            self.soles.push((end, radii[1]));
        }
    }

    /// Draws a head whose chin is `chin` metres above a joint.
    fn add_head(&mut self, joint: usize, up: DVec3, chin: f64) {
        let radius = HEAD * self.stature;
        let ends = [0.0, 0.7].map(|at| self.add_tip(joint, up * (chin + at * radius)));
        self.limbs.push(Limb {
            ends,
            radii: [0.92 * radius, radius],
            side: None,
        });
    }

    fn add_tip(&mut self, joint: usize, tip_offset: DVec3) -> usize {
        self.tips.push((joint, tip_offset));
        self.num_points() - 1
    }
}

/// The body part of every joint.
struct Parts {
    part: Vec<Part>,
    side: Vec<Option<Side>>,
    /// Position of a joint along its limb, 0 to 1.
    along: Vec<f64>,
    /// Joint where the arms branch off, in a skeleton without a head.
    chest: Option<usize>,
}

/// Position of the thickest part of the chest along the spine, from hips (0) to head (1).
const CHEST_ALONG: f64 = 0.6;

impl Parts {
    fn new(skeleton: &Skeleton, body: &Body) -> Self {
        let count = skeleton.num_joints();
        let mut parts = Self {
            part: vec![Other; count],
            side: vec![None; count],
            along: vec![0.0; count],
            chest: None,
        };
        for joint in skeleton
            .path_from_root(body.hips)
            .into_iter()
            .chain(body.controls.iter().copied())
        {
            parts.part[joint] = Carrier;
        }
        if let Some(head) = body.head {
            parts.lay_out(skeleton, body.hips, head, Spine);
        } else if let Some(chest) = body.shoulders.and_then(|shoulders| skeleton.last_shared(shoulders)) {
            // Some skeletons end at the chest.
            parts.lay_out(skeleton, body.hips, chest, Spine);
            for along in &mut parts.along {
                *along *= CHEST_ALONG;
            }
            parts.chest = Some(chest).filter(|&chest| parts.part[chest] == Spine);
        }
        for foot in body.known_feet() {
            let path = skeleton.path_from_root(foot.ankle);
            let start = body
                .thighs
                .into_iter()
                .flatten()
                .find(|thigh| path.contains(thigh))
                .unwrap_or_else(|| top_of_leg(skeleton, body, foot, &path));
            if let (Some(end), Some([left, right])) = (body.end_of_leg_apart(skeleton, foot), body.thighs) {
                let is_left = (foot.side == Some(Side::Left)) != body.is_mirrored;
                parts.lay_out(skeleton, if is_left { left } else { right }, end, Leg);
            }
            parts.lay_out(skeleton, start, foot.ankle, Leg);
            parts.end_in(skeleton, foot.ankle, Part::Foot);
            if let Some(side) = foot.side {
                parts.take_side(skeleton, start, side);
            }
        }
        for (index, &hand) in body.hands.iter().enumerate() {
            // A forearm that ends the rig is drawn like any bone.
            if body.bone_ends.iter().any(|&(joint, _)| joint == hand) {
                continue;
            }
            parts.lay_out(
                skeleton,
                body.shoulders.map_or(hand, |shoulders| shoulders[index.min(1)]),
                hand,
                Arm,
            );
            parts.end_in(skeleton, hand, Hand);
        }
        for [left, right] in [body.thighs, body.shoulders].into_iter().flatten() {
            parts.take_side(skeleton, left, Side::Left);
            parts.take_side(skeleton, right, Side::Right);
        }
        parts
    }

    /// Marks the joints from `start` down to `end`; does nothing if `start` is not on the path to `end`.
    fn lay_out(&mut self, skeleton: &Skeleton, start: usize, end: usize, part: Part) {
        let path = skeleton.path_from_root(end);
        let Some(at) = path.iter().position(|&joint| joint == start) else {
            return;
        };
        let steps = (path.len() - 1 - at).max(1) as f64;
        for (step, &joint) in path[at..].iter().enumerate() {
            // The spine begins at the hips, which keep their own part.
            if part != Spine || step > 0 {
                self.part[joint] = part;
            }
            self.along[joint] = step as f64 / steps;
        }
    }

    /// Marks all joints below the joint that ends a limb; if there are none, marks the joint itself.
    fn end_in(&mut self, skeleton: &Skeleton, joint: usize, part: Part) {
        if skeleton.children(joint).is_empty() {
            self.part[joint] = part;
        }
        for below in skeleton.self_and_below(joint).into_iter().skip(1) {
            self.part[below] = part;
            self.along[below] = 1.0;
        }
    }

    /// Puts a joint and its descendants on a side.
    fn take_side(&mut self, skeleton: &Skeleton, top: usize, side: Side) {
        for joint in skeleton.self_and_below(top) {
            self.side[joint] = Some(side);
        }
    }
}

/// Returns the upper end of a leg that does not hang from the thighs: the first joint of the path to its ankle that carries no
/// other foot, hand or head.
fn top_of_leg(skeleton: &Skeleton, body: &Body, foot: &Foot, path: &[usize]) -> usize {
    let shared: Vec<usize> = body
        .feet
        .iter()
        .map(|other| other.ankle)
        .filter(|&ankle| ankle != foot.ankle)
        .chain(body.hands.iter().copied())
        .chain(body.head)
        .chain([body.hips])
        .flat_map(|joint| skeleton.path_from_root(joint))
        .collect();
    path.iter()
        .find(|joint| !shared.contains(joint))
        .copied()
        .unwrap_or(foot.ankle)
}

#[cfg(test)]
mod tests {
    use glam::DQuat;
    use loopwright_core::{BodyOverrides, Joint};

    use super::*;

    fn figure(rows: &[(&str, Option<usize>, [f64; 3])]) -> Figure {
        let joints = rows
            .iter()
            .map(|&(name, parent, offset)| Joint::new(name, parent, DVec3::from_array(offset)));
        let skeleton = Skeleton::new(joints.collect()).unwrap();
        let translations = rows.iter().map(|row| DVec3::from_array(row.2)).collect();
        let take = Take::new("t", skeleton, 0.1, translations, vec![DQuat::IDENTITY; rows.len()]).unwrap();
        let body = Body::find(&take, &BodyOverrides::default()).unwrap();
        Figure::new(&take, &body)
    }

    #[test]
    fn controls_are_not_drawn_and_feet_that_hang_apart_are_at_their_legs() {
        let figure = figure(&[
            ("Root", None, [0.0, 0.0, 0.0]),
            ("Foot.L", Some(0), [0.1, 0.1, 0.0]),
            ("Foot.R", Some(0), [-0.1, 0.1, 0.0]),
            ("Body", Some(0), [0.0, 1.0, 0.0]),
            ("UpperLeg.L", Some(3), [0.1, 0.0, 0.0]),
            ("LowerLeg.L", Some(4), [0.0, -0.4, 0.0]),
            ("UpperLeg.R", Some(3), [-0.1, 0.0, 0.0]),
            ("LowerLeg.R", Some(6), [0.0, -0.4, 0.0]),
            ("Head", Some(3), [0.0, 0.6, 0.0]),
            ("PoleTarget.L", Some(0), [0.1, 0.5, 0.5]),
        ]);
        let bones: Vec<[usize; 2]> = figure
            .limbs()
            .iter()
            .map(|limb| limb.ends)
            .filter(|ends| ends.iter().all(|&end| end < figure.num_joints()))
            .collect();
        let mut expected = vec![[3, 4], [4, 5], [3, 6], [6, 7], [3, 8], [5, 1], [7, 2]];
        let mut drawn = bones.clone();
        drawn.sort_unstable();
        expected.sort_unstable();
        assert_eq!(drawn, expected);
    }

    #[test]
    fn every_leg_of_an_animal_has_its_side_and_no_made_up_foot() {
        let names = [
            "leg_a_1_l",
            "leg_a_tip_l",
            "leg_a_1_r",
            "leg_a_tip_r",
            "leg_b_1_l",
            "leg_b_tip_l",
            "leg_b_1_r",
            "leg_b_tip_r",
        ];
        let mut rows = vec![("spine", None, [0.0, 0.5, 0.0])];
        for (index, name) in names.into_iter().enumerate() {
            let parent = if index % 2 == 0 { 0 } else { index };
            rows.push((name, Some(parent), [0.2, -0.25, 0.1 * index as f64]));
        }
        let figure = figure(&rows);
        assert_eq!(figure.num_points(), figure.num_joints());
        for limb in figure.limbs().iter().filter(|limb| limb.ends[0] > 0) {
            let left = figure.name_of(limb.ends[1]).ends_with("_l");
            assert_eq!(limb.side, Some(if left { Side::Left } else { Side::Right }));
        }
        assert_eq!(figure.limbs().len(), 8);
    }
}
