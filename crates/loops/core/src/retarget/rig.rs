//! A skeleton, its rest pose, and the parts of the body in it.

use glam::{DQuat, DVec3};

use super::{
    Doubt, Reference, ReferenceSource,
    anatomy::{Anatomy, Limb},
    beside, flat,
    reference::{self, FoundReference},
    stance::{self, Stance},
};
use crate::{
    analysis::{Body, BodyError, BodyOverrides, ContactLimits, Foot},
    feet::model::SoleFront,
    math::{bounds, distinct, mean, ops, ordered, percentile, rotation},
    motion::{Pose, Skeleton, Tracks},
    root_motion::root_joint,
    take::Take,
};

/// A character to take motion from or to give it to.
#[handed_over]
pub struct Rig {
    pub(super) skeleton: Skeleton,
    pub(super) body: Body,
    pub(super) anatomy: Anatomy,
    /// The pose without animation that the file states, local.
    pub(super) stated: Pose,
    /// The pose of joints that follow nothing, local.
    pub(super) rest: Pose,
    /// The pose in which the rig is compared with others, with its feet laid flat: local, and (`world`) in the world.
    pub(super) reference: Pose,
    pub(super) world: Pose,
    /// Rotation from the axes of the body to the world in that pose.
    pub(super) axes: DQuat,
    stands: bool,
    source: ReferenceSource,
    doubts: Vec<Doubt>,
    /// Angle by which its gaze is raised, radians.
    raised: f64,
    /// How it stands in its take.
    pub(super) stance: Stance,
    pub(super) soles: Vec<FootSole>,
    /// Limits below which its feet count as standing.
    pub(super) contacts: ContactLimits,
}

/// The surface of the underside of a foot, as its mesh states it.
///
/// Its points are enough to find its lowest one however the foot is turned and its toes are bent.
#[handed_over]
pub struct FootSole {
    /// The ankle.
    pub ankle: usize,
    /// Points of the surface that move with a joint of the foot (the ankle, the toes or their descendants; if these carry
    /// nothing, the bone that ends at the ankle): the joint, and the position in its axes, metres.
    pub points: Vec<(usize, DVec3)>,
}

impl FootSole {
    /// Returns its points in a pose in the world, each with its joint.
    pub(super) fn in_world(&self, world: &Pose) -> impl Iterator<Item = (usize, DVec3)> {
        self.points
            .iter()
            .map(|&(joint, point)| (joint, world.joint(joint).transform_point(point)))
    }
}

/// Toes that turn up by more than this share of the leg over the ground are not the front of a sole.
const SOLE_SHARE: f64 = 0.02;

impl Rig {
    /// Builds the rig of a take: its skeleton and rest pose, or its only pose.
    ///
    /// `rest` is the local pose without animation, as the file states it. If no body rests so, as in files whose bones all lie
    /// along one axis or that rest in mid-stride, [`Reference::Motion`] is compared with other rigs instead; if its soles are off
    /// the ground in it, feet are compared in their orientation while they stand in the take. Errors: a joint that `overrides`
    /// name does not exist.
    pub fn of(take: &Take, rest: &Pose, overrides: &BodyOverrides) -> Result<Self, BodyError> {
        Self::with_reference(take, rest, overrides, Reference::Auto)
    }

    /// Builds the rig of a take like [`Self::of`], with this choice of the pose in which it is compared with others.
    pub fn with_reference(
        take: &Take,
        rest: &Pose,
        overrides: &BodyOverrides,
        reference: Reference,
    ) -> Result<Self, BodyError> {
        let skeleton = take.skeleton();
        let body = Body::find(take, overrides)?;
        let body = beside::with_feet_apart(skeleton, &body, &rest.world(skeleton)).unwrap_or(body);
        let FoundReference {
            pose,
            anatomy,
            source,
            doubts,
            stands,
        } = reference::find(take, &body, rest, reference);
        let rig = Self {
            world: pose.world(skeleton),
            skeleton: skeleton.clone(),
            body,
            anatomy,
            stated: rest.clone(),
            reference: pose.clone(),
            rest: pose,
            axes: DQuat::IDENTITY,
            stands,
            source,
            doubts,
            raised: 0.0,
            stance: Stance::default(),
            soles: Vec::new(),
            contacts: overrides.contacts,
        };
        Ok(rig.in_take(take))
    }

    /// Returns the rig as it stands in a take of its skeleton.
    #[must_use]
    pub(crate) fn in_take(mut self, take: &Take) -> Self {
        self.reference = match self.source {
            ReferenceSource::Motion => self.rest.clone(),
            _ => flat::with_flat_feet(take, &self.anatomy, &self.rest),
        };
        self.world = self.reference.world(&self.skeleton);
        self.axes = reference::body_axes(&self.anatomy, &self.world);
        let poses: Vec<Pose> = reference::few_poses(take).collect();
        let ground = self.ground_under(stance::low(poses.iter().map(|pose| self.lowest_of_feet(pose))));
        self.stance = Stance {
            is_at_rest: !matches!(self.source, ReferenceSource::Motion | ReferenceSource::Upright),
            ankle: stance::low(poses.iter().map(|pose| self.lower_ankle(pose))) - ground,
        };
        let raised = core::mem::take(&mut self.raised);
        self.with_gaze_raised(raised)
    }

    /// Returns the rig with its gaze higher by an angle, radians: motion is taken from it with neck and head turned up.
    #[must_use]
    pub fn with_gaze_raised(mut self, radians: f64) -> Self {
        let Some(base) = self.anatomy.neck.first().copied().or(self.anatomy.head) else {
            return self;
        };
        self.raised += radians;
        // In the reference pose it then looks lower by the same angle.
        self.reference.rotations[base] = (self.world.rotation_above(&self.skeleton, base).conjugate()
            * rotation::exp(self.axes * DVec3::X * radians)
            * self.world.rotations[base])
            .normalize();
        self.world = self.reference.world(&self.skeleton);
        self
    }

    /// Returns the angle by which its gaze is raised, radians.
    pub fn gaze_raised(&self) -> f64 {
        self.raised
    }

    /// Returns the angle by which the rig looks down in a take of its skeleton, the median over the take, radians; `None` without a head.
    pub fn gaze(&self, take: &Take) -> Option<f64> {
        let head = self.anatomy.head?;
        Some(self.lowered(head, reference::few_poses(take).map(|world| world.rotations[head])))
    }

    /// Returns the median angle by which the rig looks down, radians, given rotations of its head in the world.
    pub(super) fn lowered(&self, head: usize, rotations: impl Iterator<Item = DQuat>) -> f64 {
        let ahead = self.world.rotations[head].conjugate() * (self.axes * DVec3::Z);
        let lowered = rotations.map(|rotation| {
            let ahead = rotation * ahead;
            ops::atan2(-ahead.y, ops::over_ground(ahead))
        });
        percentile::of(lowered, 0.5)
    }

    /// Returns the rig with the surface of its feet, if its file has a mesh. Points of missing joints are left out, and so are
    /// feet whose surface lies above their ankles: few vertices may be attached to a joint that only steers.
    #[must_use]
    pub fn with_soles(mut self, soles: Vec<FootSole>) -> Self {
        let joints = self.skeleton.num_joints();
        self.soles = soles;
        for sole in &mut self.soles {
            sole.points.retain(|(joint, at)| *joint < joints && at.is_finite());
        }
        let world = &self.world;
        self.soles.retain(|sole| {
            sole.ankle < joints
                && sole
                    .in_world(world)
                    .any(|(_, place)| place.y < world.translations[sole.ankle].y)
        });
        self
    }

    /// Returns the tree of joints.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// Returns the parts of the body.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// Returns the pose in which the rig is compared with others, local.
    pub fn reference(&self) -> &Pose {
        &self.reference
    }

    /// Returns the surface of its feet; empty if no mesh is known.
    pub fn soles(&self) -> &[FootSole] {
        &self.soles
    }

    /// Whether it has limbs: a chain of at least three joints. A file that has only a mesh gives none.
    pub fn has_skeleton(&self) -> bool {
        let mut joints = self.skeleton.joints().iter();
        joints.any(|joint| joint.parent.and_then(|parent| self.skeleton.parent(parent)).is_some())
    }

    /// Whether the rig stands in its reference pose. If not, limbs may be laid askew onto another's.
    pub fn stands(&self) -> bool {
        self.stands
    }

    /// Returns the source of its reference pose.
    pub fn reference_source(&self) -> ReferenceSource {
        self.source
    }

    /// Returns the doubtful parts of its reference pose.
    pub fn doubts(&self) -> &[Doubt] {
        &self.doubts
    }

    /// Returns the joint that carries only the root motion, if it has one.
    ///
    /// Feet apart from their legs move with the root only if it is above them and the hips.
    pub fn root_joint(&self) -> Option<usize> {
        let on_ground = self.joint_on_ground();
        let root = on_ground.or_else(|| self.skeleton.parent(self.top_below(on_ground)))?;
        Some(
            self.anatomy
                .apart
                .iter()
                .filter_map(|&(foot, _)| self.skeleton.last_shared([foot, self.body.hips]))
                .fold(root, usize::min),
        )
    }

    /// Returns the topmost joint that moves with the hips.
    pub(super) fn top(&self) -> usize {
        self.top_below(self.joint_on_ground())
    }

    /// Returns the joint that carries the root motion.
    pub(crate) fn carrier(&self) -> usize {
        self.root_joint().unwrap_or_else(|| self.top())
    }

    fn joint_on_ground(&self) -> Option<usize> {
        let rest = Tracks::pose_by_pose(&self.skeleton, 1.0, [self.reference.as_ref()]);
        root_joint::find(&self.skeleton, &rest.world(), &self.body)
    }

    /// Returns the joints of limbs, trunk and head: those that should follow another rig, in ascending order.
    pub fn main_joints(&self) -> Vec<usize> {
        let limbs = self.anatomy.limbs.iter().flat_map(Limb::main);
        distinct(limbs.chain(self.anatomy.trunk()))
    }

    /// Returns the place of a joint in the reference pose, in the axes of the body, metres.
    pub(super) fn in_body(&self, joint: usize) -> DVec3 {
        self.axes.conjugate() * self.world.translations[joint]
    }

    /// Returns the scale of the root and hips of a source on this rig: the ratio of the legs' lengths.
    pub(super) fn scale_from(&self, source: &Self) -> f64 {
        self.leg_length() / source.leg_length()
    }

    /// Returns the mean length of the legs, from thigh to ankle, metres; the body's size if it has none.
    pub(super) fn leg_length(&self) -> f64 {
        let length = mean(self.anatomy.legs().map(|limb| self.world.length_along(&limb.main())));
        if length > 0.0 {
            return length;
        }
        let (low, high) = bounds(self.world.translations.iter().copied());
        high.distance(low).max(f64::MIN_POSITIVE)
    }

    /// Returns the front of the sole of a foot with toes; `None` if no mesh shows it.
    pub(super) fn front_of_sole(&self, foot: &Foot) -> Option<SoleFront> {
        let toe = foot.toe?;
        let sole = self.soles.iter().find(|sole| sole.ankle == foot.ankle)?;
        let (ankle, at_toe) = (self.world.translations[foot.ankle], self.world.joint(toe));
        let highest = self.ground() + SOLE_SHARE * self.leg_length();
        let (_, front) = sole
            .in_world(&self.world)
            .filter(|&(joint, place)| self.skeleton.is_within(joint, toe) && place.y < highest)
            .map(|(_, place)| (ops::over_ground(place - ankle), place))
            .max_by_key(|(away, _)| ordered(*away))?;
        Some(SoleFront {
            of_toes: at_toe.inverse().transform_point(front),
            below_ball: at_toe.translation.y - front.y,
        })
    }

    /// Returns the height of the ground under the rig in its reference pose, metres: that of its soles if a mesh shows them;
    /// else 0 if it stands there, or that of its lowest point.
    pub(super) fn ground(&self) -> f64 {
        self.soles
            .iter()
            .flat_map(|sole| sole.in_world(&self.world))
            .map(|(_, place)| place.y)
            .reduce(f64::min)
            .unwrap_or_else(|| self.ground_under(self.lowest_of_feet(&self.world)))
    }

    /// Returns the height of the ground under feet with this lowest point: 0 if they can stand at 0.
    pub(super) fn ground_under(&self, lowest: f64) -> f64 {
        let legs = self.leg_length();
        if (-0.05 * legs..0.25 * legs).contains(&lowest) {
            0.0
        } else {
            lowest
        }
    }

    /// Returns the height of the lower ankle in a pose, metres; 0 without feet.
    pub(super) fn lower_ankle(&self, world: &Pose) -> f64 {
        self.body
            .feet
            .iter()
            .map(|foot| world.translations[foot.ankle].y)
            .reduce(f64::min)
            .unwrap_or(0.0)
    }

    /// Returns the height of the lowest joint or bone end of the feet in a pose.
    pub(super) fn lowest_of_feet(&self, world: &Pose) -> f64 {
        stance::lowest_of_feet(&self.skeleton, &self.body, world)
    }
}

/// Returns the rest pose of a skeleton whose joints rest without rotations, except for the first.
///
/// This is the rest of BVH files, where `turn` is the rotation from the file's axes to ours.
pub fn unturned(skeleton: &Skeleton, turn: DQuat) -> Pose {
    let mut pose: Pose = skeleton
        .joints()
        .iter()
        .map(|joint| (joint.rest_offset, DQuat::IDENTITY))
        .collect();
    pose.rotations[0] = turn;
    pose
}
