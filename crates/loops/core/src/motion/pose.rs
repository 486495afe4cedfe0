//! One pose: a transform for every joint of a skeleton at one time.

use glam::{DQuat, DVec3};

use super::{Hinge, Hinges, Skeleton};
use crate::math::{Rigid, mean, rotation};

/// Transforms of all joints at one time, in skeleton order.
///
/// Translations in metres, unit quaternions. Local (each joint in its parent's axes) unless the function that returns it says
/// otherwise.
#[handed_over(Default)]
pub struct Pose {
    /// Translations, metres.
    #[handed(with = "crate::plain_bytes")]
    pub translations: Vec<DVec3>,
    /// Rotations.
    #[handed(with = "crate::plain_bytes")]
    pub rotations: Vec<DQuat>,
}

/// A borrowed [`Pose`], usually one frame of [`super::Tracks`].
#[value(Copy)]
pub struct PoseRef<'a> {
    /// Translations, metres.
    pub translations: &'a [DVec3],
    /// Rotations.
    pub rotations: &'a [DQuat],
}

impl<'a> From<&'a Pose> for PoseRef<'a> {
    fn from(pose: &'a Pose) -> Self {
        pose.as_ref()
    }
}

impl<'a> From<&'a PoseRef<'_>> for PoseRef<'a> {
    fn from(pose: &'a PoseRef) -> Self {
        *pose
    }
}

impl<'a> PoseRef<'a> {
    /// Creates a pose of these translations and rotations, which are as many.
    pub const fn new(translations: &'a [DVec3], rotations: &'a [DQuat]) -> Self {
        Self {
            translations,
            rotations,
        }
    }

    /// Returns the number of joints.
    pub fn num_joints(self) -> usize {
        self.translations.len()
    }

    /// Returns the transform of a joint.
    ///
    /// # Panics
    /// When `joint` is out of range.
    pub fn joint(self, joint: usize) -> Rigid {
        Rigid::new(self.rotations[joint], self.translations[joint])
    }

    /// Returns the transforms of some joints.
    pub(crate) fn of(self, joints: &[usize]) -> Pose {
        joints
            .iter()
            .map(|&joint| (self.translations[joint], self.rotations[joint]))
            .collect()
    }

    /// Returns the pose, owned.
    pub fn to_pose(self) -> Pose {
        Pose::new(self.translations.to_vec(), self.rotations.to_vec())
    }

    /// Returns the world transform of the parent of a joint of a local pose: its transform in the space of the root's parent.
    ///
    /// The identity for the root.
    pub fn above(self, skeleton: &Skeleton, joint: usize) -> Rigid {
        let path = skeleton.path_from_root(joint);
        path[..path.len() - 1]
            .iter()
            .fold(Rigid::IDENTITY, |above, &joint| above * self.joint(joint))
    }

    /// Returns the world transform of a joint of a local pose: its transform in the space of the root's parent.
    pub fn world_of(self, skeleton: &Skeleton, joint: usize) -> Rigid {
        self.above(skeleton, joint) * self.joint(joint)
    }

    /// Returns the local transform of a joint of a local pose after `motion` moves the world; the joints above are unchanged.
    pub fn carried(self, skeleton: &Skeleton, joint: usize, motion: Rigid) -> Rigid {
        let above = self.above(skeleton, joint);
        above.inverse() * motion * above * self.joint(joint)
    }

    /// Returns the local pose after `motion` moves a joint in the world without its descendants.
    pub(crate) fn with_joint_led(self, skeleton: &Skeleton, joint: usize, motion: Rigid) -> Pose {
        let (unmoved, led) = (self.joint(joint), self.carried(skeleton, joint, motion));
        let mut pose = self.to_pose();
        pose.set_joint(joint, led);
        for &child in skeleton.children(joint) {
            pose.set_joint(child, led.inverse() * unmoved * self.joint(child));
        }
        pose
    }

    /// Returns the local transform of a joint relative to a root at `root`; the joints above are unchanged.
    pub fn in_root(self, skeleton: &Skeleton, joint: usize, root: Rigid) -> Rigid {
        let path = skeleton.path_from_root(joint);
        // Up to the parent, and on to the joint itself: both begin with the bits of the topmost joint.
        let mut frames = [Rigid::IDENTITY, self.joint(path[0])];
        for &below in &path[1..] {
            frames = [frames[1], frames[1] * self.joint(below)];
        }
        frames[0].inverse() * root.inverse() * frames[1]
    }

    /// Forward kinematics: a local pose in the space of the root's parent.
    pub fn world(self, skeleton: &Skeleton) -> Pose {
        let mut world = Pose::with_capacity(self.num_joints());
        world.append_world(skeleton, self);
        world
    }
}

impl Pose {
    /// Returns the transforms of poses one after the other, as tracks hold them.
    pub(crate) fn joined(poses: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::default();
        for pose in poses {
            all.translations.extend(pose.translations);
            all.rotations.extend(pose.rotations);
        }
        all
    }

    /// Creates a pose of these translations and rotations, which are as many.
    pub const fn new(translations: Vec<DVec3>, rotations: Vec<DQuat>) -> Self {
        Self {
            translations,
            rotations,
        }
    }

    pub(super) fn with_capacity(num_transforms: usize) -> Self {
        Self::new(Vec::with_capacity(num_transforms), Vec::with_capacity(num_transforms))
    }

    /// As [`PoseRef::world`].
    pub fn world(&self, skeleton: &Skeleton) -> Self {
        self.as_ref().world(skeleton)
    }

    /// Appends a local pose in the space of the root's parent.
    pub(super) fn append_world(&mut self, skeleton: &Skeleton, local: PoseRef) {
        let base = self.translations.len();
        self.translations.reserve(skeleton.num_joints());
        self.rotations.reserve(skeleton.num_joints());
        for (joint, (&translation, &rotation)) in local.translations.iter().zip(local.rotations).enumerate() {
            let (position, rotation) = match skeleton.parent(joint) {
                None => (translation, rotation),
                Some(parent) => {
                    let above = self.rotations[base + parent];
                    (
                        self.translations[base + parent] + above * translation,
                        rotation::renormalized(above * rotation),
                    )
                }
            };
            self.translations.push(position);
            self.rotations.push(rotation);
        }
    }

    /// Returns the pose, borrowed.
    pub fn as_ref(&self) -> PoseRef<'_> {
        PoseRef::new(&self.translations, &self.rotations)
    }

    /// Returns the transform of a joint.
    ///
    /// # Panics
    /// When `joint` is out of range.
    pub fn joint(&self, joint: usize) -> Rigid {
        self.as_ref().joint(joint)
    }

    /// Returns the rotation of the joint above one in a pose in the world.
    pub(crate) fn rotation_above(&self, skeleton: &Skeleton, joint: usize) -> DQuat {
        let above = skeleton.parent(joint);
        above.map_or(DQuat::IDENTITY, |above| self.rotations[above])
    }

    /// Returns the mean of the places of some joints.
    pub(crate) fn mean_place(&self, joints: &[usize]) -> DVec3 {
        mean(joints.iter().map(|&joint| self.translations[joint]))
    }

    /// Returns the length of a chain of joints of a pose in the world, metres.
    pub(crate) fn length_along(&self, chain: &[usize]) -> f64 {
        let at = &self.translations;
        chain.windows(2).map(|bone| at[bone[0]].distance(at[bone[1]])).sum()
    }

    /// Sets the transform of a joint.
    ///
    /// # Panics
    /// When `joint` is out of range.
    pub fn set_joint(&mut self, joint: usize, transform: Rigid) {
        self.translations[joint] = transform.translation;
        self.rotations[joint] = transform.rotation;
    }

    /// Sets the world transform of a joint of a local pose; the joints above are unchanged.
    pub fn place(&mut self, skeleton: &Skeleton, joint: usize, world: Rigid) {
        let local = self.as_ref().above(skeleton, joint).inverse() * world;
        self.set_joint(joint, Rigid::new(local.rotation.normalize(), local.translation));
    }

    /// Moves a joint of a local pose, and all below it, as `motion` moves the world.
    ///
    /// Joints above it are unchanged. Applied to the joint that carries the root motion, this adds the motion to a root-relative
    /// pose; the inverse motion removes it again.
    pub fn carry(&mut self, skeleton: &Skeleton, joint: usize, motion: Rigid) {
        let moved = self.as_ref().carried(skeleton, joint, motion);
        self.set_joint(joint, moved);
    }

    /// Returns a local pose below a new first joint with that transform.
    #[must_use]
    pub fn below_root(self, root: Rigid) -> Self {
        Self {
            translations: core::iter::once(root.translation).chain(self.translations).collect(),
            rotations: core::iter::once(root.rotation).chain(self.rotations).collect(),
        }
    }

    /// Returns a world pose after the world has moved; each rotation keeps the sign of its quaternion.
    #[must_use]
    pub fn moved(mut self, motion: Rigid) -> Self {
        for (position, own) in self.translations.iter_mut().zip(&mut self.rotations) {
            *position = motion.transform_point(*position);
            *own = rotation::on_side_of(rotation::renormalized(motion.rotation * *own), *own);
        }
        self
    }
}

impl FromIterator<(DVec3, DQuat)> for Pose {
    fn from_iter<I: IntoIterator<Item = (DVec3, DQuat)>>(joints: I) -> Self {
        let (translations, rotations) = joints.into_iter().unzip();
        Self::new(translations, rotations)
    }
}

impl Hinges {
    /// Returns the local pose with the base at a place and hinges at these angles, in their order.
    pub fn pose(&self, skeleton: &Skeleton, base: Rigid, angles: impl IntoIterator<Item = f64>) -> Pose {
        let offsets = skeleton.joints().iter().map(|joint| joint.rest_offset);
        let mut pose = Pose::new(offsets.collect(), vec![DQuat::IDENTITY; skeleton.num_joints()]);
        pose.set_joint(0, base);
        for ((joint, hinge), angle) in self.each().zip(angles) {
            pose.rotations[joint] = hinge.rotation(angle);
        }
        pose
    }
}

impl Skeleton {
    /// Returns a joint of a robot that a local pose turns off the axis of its hinge, or moves from its place.
    pub fn off_hinge(&self, pose: PoseRef) -> Option<usize> {
        let is_off = |joint: usize, hinge: &Hinge| {
            let moved = pose.translations[joint].distance(self.joint(joint).rest_offset);
            moved > ROUNDED_METRES || hinge.off_axis(pose.rotations[joint]) > ROUNDED_TURN
        };
        let mut hinges = self.hinges().into_iter().flat_map(Hinges::each);
        hinges.find_map(|(joint, hinge)| is_off(joint, hinge).then_some(joint))
    }

    /// Turns the joints of a robot's local pose that are off their axes or beyond their limits back.
    pub fn keep_hinges(&self, pose: &mut Pose) {
        for (joint, hinge) in self.hinges().into_iter().flat_map(Hinges::each) {
            let local = pose.rotations[joint];
            let angle = hinge.within(hinge.angle(local));
            if angle != hinge.angle(local) || hinge.off_axis(local) > 0.0 {
                pose.rotations[joint] = hinge.rotation(angle);
            }
        }
    }
}

/// Turns off the axis of a hinge, radians, and places off its own, metres, that are larger are not due to rounding.
const ROUNDED_TURN: f64 = 1e-4;
const ROUNDED_METRES: f64 = 1e-6;
