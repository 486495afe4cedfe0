//! Rigs made from the synthetic walker's, with other names, axes, rests and proportions.

use glam::{DQuat, DVec3};
use loopwright_core::math::{Rigid, rotation};
use loopwright_core::retarget::{Rig, unturned};
use loopwright_core::{BodyOverrides, LoopClip, Pose, Skeleton, Take, quality};
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
    pub(crate) names: &'static str,
    /// How far the arms hang down at rest, radians.
    pub(crate) arms_down: f64,
    pub(crate) legs: f64,
    pub(crate) arms: f64,
    /// Whether each joint has axes of its own at rest.
    pub(crate) has_own_axes: bool,
    /// Which way it faces at rest, radians from +Z.
    pub(crate) faces: f64,
}

pub(crate) const PLAIN: Character = Character {
    names: UNREAL,
    arms_down: 0.0,
    legs: 1.0,
    arms: 1.0,
    has_own_axes: false,
    faces: 0.0,
};

/// The walker's joints without its end joints, as a rig that stands at rest on the ground.
pub(crate) fn character(walker: &Take, of: Character) -> Take {
    let names: Vec<&str> = of.names.split_whitespace().collect();
    let source = walker.skeleton();
    let kept = MIXAMO.split_whitespace().map(|name| source.find(name).unwrap());
    let kept: Vec<usize> = kept.collect();
    let mut order: Vec<usize> = (0..kept.len()).collect();
    order.sort_by_key(|&index| kept[index]);
    let (mut joints, mut pose, mut worlds) = (Vec::new(), Pose::default(), Vec::<Rigid>::new());
    let place = |joint: usize| order.iter().position(|&index| kept[index] == joint);
    for (number, &index) in order.iter().enumerate() {
        let mixamo = MIXAMO.split_whitespace().nth(index).unwrap();
        let mut above = source.parent(kept[index]);
        while above.is_some_and(|joint| place(joint).is_none()) {
            above = source.parent(above.unwrap());
        }
        let parent = above.and_then(place);
        let factor = match mixamo {
            name if name.contains("Leg") || name.contains("Foot") || name.contains("Toe") => of.legs,
            name if name.contains("Arm") || name.contains("Hand") => of.arms,
            _ => 1.0,
        };
        let mut offset = source.joint(kept[index]).rest_offset * factor;
        if parent.is_none() {
            offset.y = 0.0;
        }
        let hangs = mixamo.contains("ForeArm") || mixamo.contains("Hand");
        let sign = if mixamo.starts_with("Left") { -1.0 } else { 1.0 };
        let lowered = if hangs {
            rotation::exp(DVec3::Z * sign * of.arms_down)
        } else {
            DQuat::IDENTITY
        };
        let turned = rotation::from_yaw(of.faces);
        let at = parent.map_or(DVec3::ZERO, |parent: usize| worlds[parent].translation) + turned * (lowered * offset);
        let own = DVec3::new(1.1, -0.7, 2.3) * (1.0 + 0.37 * number as f64);
        let own = if of.has_own_axes {
            rotation::exp(own)
        } else {
            DQuat::IDENTITY
        };
        worlds.push(Rigid::new((turned * own).normalize(), at));
        joints.push((names[index], parent));
    }
    // The soles are on the ground.
    let heights = worlds.iter().map(|world| world.translation.y);
    let lowest = heights.fold(f64::INFINITY, f64::min);
    for world in &mut worlds {
        world.translation.y += 0.025 * of.legs - lowest;
    }
    let joints = joints.iter().zip(&worlds).map(|(&(name, parent), &world)| {
        let local = parent.map_or(world, |parent: usize| worlds[parent].inverse() * world);
        pose.translations.push(local.translation);
        pose.rotations.push(local.rotation.normalize());
        joint(name, parent, local.translation)
    });
    let skeleton = Skeleton::new(joints.collect()).unwrap();
    Take::new("character", skeleton, 0.1, pose.translations, pose.rotations).unwrap()
}

pub(crate) fn rig_at_rest(take: &Take) -> Rig {
    Rig::of(take, &take.pose(0).to_pose(), &BodyOverrides::default()).unwrap()
}

/// Mean speed over the ground of a point that is fixed to the joint of each stance, metres per second.
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
