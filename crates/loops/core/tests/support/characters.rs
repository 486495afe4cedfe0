//! Rigs made from the synthetic walker's, with other names, axes, rests and proportions.

use glam::{DQuat, DVec3};
use loopwright_core::{
    BodyOverrides, Joint, LoopClip, Pose, Skeleton, Take,
    math::{Rigid, rotation},
    quality,
    retarget::{Rig, RigPair, unturned},
};
use loopwright_synth::WalkSettings;

use super::{joint, walk_of};

pub(crate) const MIXAMO: &str = "Hips LeftUpLeg LeftLeg LeftFoot LeftToeBase RightUpLeg RightLeg RightFoot RightToeBase Spine Spine1 Spine2 \
    Neck Head LeftShoulder LeftArm LeftForeArm LeftHand RightShoulder RightArm RightForeArm RightHand";
pub(crate) const UNREAL: &str = "pelvis thigh_l calf_l foot_l ball_l thigh_r calf_r foot_r ball_r spine_01 spine_02 spine_03 neck_01 head \
    clavicle_l upperarm_l lowerarm_l hand_l clavicle_r upperarm_r lowerarm_r hand_r";
pub(crate) fn walk() -> Take {
    walk_of(WalkSettings::default().seconds(6.0))
}

pub(crate) fn rig_of(take: &Take) -> Rig {
    let rest = unturned(take.skeleton(), DQuat::IDENTITY);
    Rig::of(take, &rest, &BodyOverrides::default()).unwrap()
}

/// How a character of the tests differs from the walker.
#[derive(Clone, Copy)]
pub(crate) struct Character {
    pub names: &'static str,
    /// How far the arms hang down at rest, radians.
    pub arms_down: f64,
    pub legs: f64,
    pub arms: f64,
    /// Whether each joint has axes of its own at rest.
    pub has_own_axes: bool,
    /// Which way it faces at rest, radians from +Z.
    pub faces: f64,
}

pub(crate) const PLAIN: Character = Character {
    names: UNREAL,
    arms_down: 0.0,
    legs: 1.0,
    arms: 1.0,
    has_own_axes: false,
    faces: 0.0,
};

/// A skeleton in the making: joints with their places in the world.
#[derive(Clone, Default)]
pub(crate) struct Tree {
    pub joints: Vec<(String, Option<usize>, Rigid)>,
}

impl Tree {
    /// Creates the joints of a rig of the walker's shape that rests without turns.
    pub(crate) fn of(take: &Take) -> Self {
        let world = take.pose(0).world(take.skeleton());
        let joints = take.skeleton().joints().iter().enumerate();
        let row = |(index, joint): (usize, &Joint)| (joint.name.clone(), joint.parent, world.as_ref().joint(index));
        Self {
            joints: joints.map(row).collect(),
        }
    }

    pub(crate) fn find(&self, name: &str) -> usize {
        self.joints.iter().position(|(known, ..)| known == name).unwrap()
    }

    pub(crate) fn at(&self, name: &str) -> DVec3 {
        self.joints[self.find(name)].2.translation
    }

    pub(crate) fn add(&mut self, name: &str, parent: Option<&str>, at: DVec3) -> &mut Self {
        let parent = parent.map(|parent| self.find(parent));
        self.joints
            .push((name.to_owned(), parent, Rigid::new(DQuat::IDENTITY, at)));
        self
    }

    pub(crate) fn rename(&mut self, names: &[(&str, &str)]) -> &mut Self {
        for (old, new) in names {
            let joint = self.find(old);
            (*new).clone_into(&mut self.joints[joint].0);
        }
        self
    }

    pub(crate) fn hang(&mut self, name: &str, parent: &str) -> &mut Self {
        let (joint, parent) = (self.find(name), self.find(parent));
        self.joints[joint].1 = Some(parent);
        self
    }

    /// Puts a joint elsewhere in the world.
    pub(crate) fn put(&mut self, name: &str, at: DVec3) -> &mut Self {
        let joint = self.find(name);
        self.joints[joint].2.translation = at;
        self
    }

    /// Leaves joints out; what hangs from them hangs from their parents.
    pub(crate) fn without(&mut self, names: &[&str]) -> &mut Self {
        for name in names {
            let gone = self.find(name);
            let above = self.joints[gone].1;
            self.joints.remove(gone);
            for (_, parent, _) in &mut self.joints {
                *parent = if *parent == Some(gone) { above } else { *parent };
                *parent = parent.map(|parent| if parent > gone { parent - 1 } else { parent });
            }
        }
        self
    }

    /// As a take of one pose; every joint after its parent.
    pub(crate) fn take(&self) -> Take {
        let mut order: Vec<usize> = Vec::new();
        while order.len() < self.joints.len() {
            let next = (0..self.joints.len()).find(|joint| {
                !order.contains(joint) && self.joints[*joint].1.is_none_or(|parent| order.contains(&parent))
            });
            order.push(next.unwrap());
        }
        let mut pose = Pose::default();
        let joints = order.iter().map(|&place| {
            let (name, parent, world) = &self.joints[place];
            let local = parent.map_or(*world, |parent| self.joints[parent].2.inverse() * *world);
            pose.translations.push(local.translation);
            pose.rotations.push(local.rotation.normalize());
            let above = parent.map(|parent| order.iter().position(|&joint| joint == parent).unwrap());
            joint(name, above, local.translation)
        });
        let skeleton = Skeleton::new(joints.collect()).unwrap();
        Take::new("made", skeleton, 0.1, pose.translations, pose.rotations).unwrap()
    }
}

/// Returns the walker's joints without its end joints, as a rig that stands at rest on the ground.
pub(crate) fn character(walker: &Take, of: Character) -> Take {
    let names: Vec<&str> = of.names.split_whitespace().collect();
    let source = walker.skeleton();
    let mut kept: Vec<(usize, usize, &str)> = MIXAMO
        .split_whitespace()
        .enumerate()
        .map(|(index, name)| (source.find(name).unwrap(), index, name))
        .collect();
    kept.sort_unstable();
    let place = |joint: usize| kept.iter().position(|&(known, ..)| known == joint);
    let mut tree = Tree::default();
    for (number, &(joint, index, mixamo)) in kept.iter().enumerate() {
        let mut above = source.parent(joint);
        while above.is_some_and(|joint| place(joint).is_none()) {
            above = source.parent(above.unwrap());
        }
        let parent = above.and_then(place);
        let is_any = |words: &[&str]| words.iter().any(|word| mixamo.contains(word));
        let factor = match mixamo {
            _ if is_any(&["Leg", "Foot", "Toe"]) => of.legs,
            _ if is_any(&["Arm", "Hand"]) => of.arms,
            _ => 1.0,
        };
        let mut offset = source.joint(joint).rest_offset * factor;
        if parent.is_none() {
            offset.y = 0.0;
        }
        let (mut lowered, mut own) = (DQuat::IDENTITY, DQuat::IDENTITY);
        if is_any(&["ForeArm", "Hand"]) {
            let sign = if mixamo.starts_with("Left") { -1.0 } else { 1.0 };
            lowered = rotation::exp(DVec3::Z * sign * of.arms_down);
        }
        if of.has_own_axes {
            own = rotation::exp(DVec3::new(1.1, -0.7, 2.3) * (1.0 + 0.37 * number as f64));
        }
        let turned = rotation::from_yaw(of.faces);
        let above = parent.map_or(DVec3::ZERO, |parent: usize| tree.joints[parent].2.translation);
        let world = Rigid::new((turned * own).normalize(), above + turned * (lowered * offset));
        tree.joints.push((names[index].to_owned(), parent, world));
    }
    // The soles are on the ground.
    let heights = tree.joints.iter().map(|(.., world)| world.translation.y);
    let lowest = heights.fold(f64::INFINITY, f64::min);
    for (.., world) in &mut tree.joints {
        world.translation.y += 0.025 * of.legs - lowest;
    }
    tree.take()
}

/// Returns a walker's rig, and the rig that it goes onto.
pub(crate) fn pair_onto(walker: &Take, target: &Take) -> RigPair {
    RigPair::new(rig_of(walker), rig_at_rest(target)).unwrap()
}

pub(crate) fn rig_at_rest(take: &Take) -> Rig {
    Rig::of(take, &take.pose(0).to_pose(), &BodyOverrides::default()).unwrap()
}

/// Returns the mean speed over the ground of a point that is fixed to the joint of each stance, metres per second.
pub(crate) fn speed_of_points(clip: &LoopClip, stands: &[quality::Stand], point: DVec3) -> f64 {
    let count = clip.num_samples();
    let world: Vec<Pose> = (0..2 * count + 2).map(|key| clip.world_pose(key)).collect();
    let (mut sum, mut number) = (0.0, 0.0);
    for stand in stands {
        for key in stand.first_sample..stand.first_sample + stand.num_samples {
            let at = |key: usize| world[key].as_ref().joint(stand.joint).transform_point(point);
            let moved = at(key + 2) - at(key);
            sum += moved.with_y(0.0).length() / (2.0 * clip.step_secs());
            number += 1.0;
        }
    }
    sum / number
}
