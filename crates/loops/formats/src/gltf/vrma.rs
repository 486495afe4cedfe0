//! Creates a new VRM animation: a motion of the bones of a human body, relative to the T-pose.
//!
//! Every bone is a node without a rotation at rest, so that its rotations are relative to the T-pose in world axes. Joints that
//! are not bones are left out: the bone below them takes over their rotation.

use glam::{DQuat, DVec3};
use loopwright_core::{
    BodyOverrides, Joint, Pose, Skeleton, Take,
    math::{Rigid, mean, rotation},
    retarget::{HumanBone, Rig},
    take::Tail,
};
use serde_json::{Value, json};

use super::{container::Document, fresh::GENERATOR, fresh::node, source::GltfSource, vrm, write};
use crate::{
    error::WriteError, file_form::FileForm, format::Format, keyed_motion::KeyedMotion, space::Space,
    warning::FileWarning, written::WrittenFile,
};

/// Bones farther from their places than this get a warning, metres.
const APART_METRES: f64 = 0.002;

/// The form of a take in a new VRM animation, and the bones of its body.
#[handed_over]
pub struct VrmaSource {
    /// Its bones; or the missing bones, if the body cannot be an avatar's.
    bones: Result<Vec<HumanBone>, Vec<String>>,
    /// The joints of the motion.
    parents: Vec<Option<usize>>,
    rest: Pose,
    /// A file with only the bones.
    file: GltfSource,
}

impl VrmaSource {
    /// Creates a form for a take from elsewhere with this local rest pose: metres, +Y up, facing +Z in the T-pose.
    pub fn for_take(take: &Take, rest: &Pose) -> Self {
        Self::for_rig(take, rest, Rig::of(take, rest, &BodyOverrides::default()).ok().as_ref())
    }

    /// Creates a form for a take from elsewhere whose skeleton is compared with avatars as this rig of it, if it is one.
    pub(crate) fn for_rig(take: &Take, rest: &Pose, rig: Option<&Rig>) -> Self {
        let bones = match rig.map(Rig::humanoid) {
            Some(Ok(bones)) => Ok(with_legs_as_seen(take, bones)),
            Some(Err(missing)) => Err(missing.into_iter().map(str::to_owned).collect()),
            None => Err(vec!["hips".to_owned()]),
        };
        let skeleton = take.skeleton();
        let known = bones.as_deref().unwrap_or_default();
        Self {
            parents: skeleton.joints().iter().map(|joint| joint.parent).collect(),
            rest: rest.clone(),
            file: GltfSource::fresh(document(skeleton, known), known.len(), true),
            bones,
        }
    }

    fn bones(&self) -> Result<&[HumanBone], WriteError> {
        self.bones.as_deref().map_err(|missing| WriteError::NoAvatar {
            missing: missing.clone(),
        })
    }
}

/// Returns the rotation of a bone from the T-pose to a pose.
fn turned(bone: &HumanBone, world: &Pose) -> DQuat {
    (world.rotations[bone.joint] * bone.rest.rotation.conjugate()).normalize()
}

/// Number of frames of a take in which the legs are measured.
const MOST_FRAMES: usize = 64;

/// Places the legs relative to the hips as they are on average in the take, ahead and to the side, because joints between may
/// hold them elsewhere than at rest: 3 cm away in CMU's captures. Their height is unchanged, so that the hips rest at the length
/// of the legs.
fn with_legs_as_seen(take: &Take, mut bones: Vec<HumanBone>) -> Vec<HumanBone> {
    let skeleton = take.skeleton();
    let hips = bones[0].clone();
    let stride = take.num_frames().div_ceil(MOST_FRAMES);
    let worlds: Vec<Pose> = (0..take.num_frames())
        .step_by(stride)
        .map(|frame| take.pose(frame).world(skeleton))
        .collect();
    let mut shifts = vec![DVec3::ZERO; bones.len()];
    for index in 0..bones.len() {
        let bone = &bones[index];
        let Some(parent) = bone.parent else { continue };
        let is_apart = bone.name.ends_with("UpperLeg") && skeleton.parent(bone.joint) != Some(hips.joint);
        shifts[index] = shifts[parent];
        if is_apart {
            let seen = worlds.iter().map(|world| {
                let from_hips = world.translations[bone.joint] - world.translations[hips.joint];
                turned(&hips, world).conjugate() * from_hips
            });
            let shift = mean(seen) - offset(&bones, bone);
            shifts[index] = DVec3::new(shift.x, 0.0, shift.z);
        }
    }
    for (bone, shift) in bones.iter_mut().zip(shifts) {
        bone.rest.translation += shift;
    }
    bones
}

/// Returns the offset of a bone from its parent bone.
fn offset(bones: &[HumanBone], bone: &HumanBone) -> DVec3 {
    let above = bone.parent.map_or(DVec3::ZERO, |parent| bones[parent].rest.translation);
    bone.rest.translation - above
}

/// Returns the tree of the bones, named as their joints are.
fn of_bones(skeleton: &Skeleton, bones: &[HumanBone]) -> Result<Skeleton, WriteError> {
    let joints = bones.iter().map(|bone| {
        let joint = skeleton.joint(bone.joint);
        Joint::new(joint.name.clone(), bone.parent, offset(bones, bone))
    });
    Ok(Skeleton::new(joints.collect())?)
}

fn document(skeleton: &Skeleton, bones: &[HumanBone]) -> Document {
    let nodes = bones.iter().enumerate().map(|(index, bone)| {
        let children: Vec<usize> = (0..bones.len())
            .filter(|&below| bones[below].parent == Some(index))
            .collect();
        node(&skeleton.joint(bone.joint).name, offset(bones, bone), &children)
    });
    let nodes: Vec<Value> = nodes.collect();
    let named = bones.iter().enumerate().map(|(node, bone)| (bone.name.as_str(), node));
    Document {
        json: json!({
            "asset": {"version": "2.0", "generator": GENERATOR},
            "extensionsUsed": [vrm::ANIMATION],
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": nodes,
            "extensions": vrm::stated(named),
        }),
        buffers: Vec::new(),
    }
}

/// Returns for each bone the only bone below it, skipping joints between them. Its position gives the direction in which the bone points.
fn led_by(skeleton: &Skeleton, bones: &[HumanBone]) -> Vec<Option<usize>> {
    let all = bones.iter().enumerate().map(|(index, bone)| {
        let mut below = (0..bones.len()).filter(|&below| bones[below].parent == Some(index));
        let only = below.next().filter(|_| below.next().is_none())?;
        (skeleton.parent(bones[only].joint) != Some(bone.joint)).then_some(only)
    });
    all.collect()
}

/// Converts a motion to its bones: local poses at all keys, and the joint that is farthest from its place, with the distance.
///
/// If joints between hips and legs move, the hips compensate, so that feet do not slide.
fn by_bones(motion: &KeyedMotion, bones: &[HumanBone]) -> (Vec<Pose>, (usize, f64)) {
    let skeleton = motion.skeleton();
    let mut apart = (0, 0.0);
    let led_by = led_by(&skeleton, bones);
    let turned = |world: &Pose, bone: usize| {
        let turned = turned(&bones[bone], world);
        led_by[bone].map_or(turned, |next| {
            let along = world.translations[bones[next].joint] - world.translations[bones[bone].joint];
            (rotation::arc(turned * offset(bones, &bones[next]), along) * turned).normalize()
        })
    };
    // Offset of the midpoint between the legs' tops from its average position relative to the hips.
    let legs: Vec<usize> = bones
        .iter()
        .filter(|bone| bone.name.ends_with("UpperLeg"))
        .map(|bone| bone.joint)
        .collect();
    let from_hips = |world: &Pose| {
        let tops = mean(legs.iter().map(|&leg| world.translations[leg]));
        tops - world.translations[bones[0].joint]
    };
    let worlds = || (0..motion.num_keys).map(|key| motion.pose(key).as_ref().world(&skeleton));
    let seen = worlds().map(|world| turned(&world, 0).conjugate() * from_hips(&world));
    let usual = mean(seen);
    let mut poses = Vec::with_capacity(motion.num_keys);
    for world in worlds() {
        let hips = world.translations[bones[0].joint] + from_hips(&world) - turned(&world, 0) * usual;
        let mut placed: Vec<Rigid> = Vec::with_capacity(bones.len());
        let locals = bones.iter().enumerate().map(|(index, bone)| {
            let turned = turned(&world, index);
            let above = bone.parent.map_or(Rigid::IDENTITY, |parent| placed[parent]);
            let offset = match bone.parent {
                Some(_) => offset(bones, bone),
                None => hips,
            };
            let place = above.transform_point(offset);
            let off = place.distance(world.translations[bone.joint]);
            if off > apart.1 {
                apart = (bone.joint, off);
            }
            placed.push(Rigid::new(turned, place));
            (offset, (above.rotation.conjugate() * turned).normalize())
        });
        poses.push(locals.collect());
    }
    (poses, apart)
}

impl FileForm for VrmaSource {
    fn format(&self) -> Format {
        Format::Vrma
    }

    fn space(&self) -> &Space {
        &self.file.space
    }

    fn rest(&self, skeleton: &Skeleton) -> Option<Pose> {
        (skeleton.num_joints() == self.rest.rotations.len()).then(|| self.rest.clone())
    }

    fn write(&self, motion: &KeyedMotion) -> Result<WrittenFile, WriteError> {
        let bones = self.bones()?;
        if motion.adds_root {
            return Err(WriteError::NoRootJoint);
        }
        motion.check_parents(&self.parents)?;
        motion.check_size(write::MAX_TRANSFORMS)?;
        let skeleton = motion.skeleton();
        let (poses, (farthest, metres)) = by_bones(motion, bones);
        let take = Take::from_poses(motion.name, of_bones(&skeleton, bones)?, motion.step_secs, poses)?;
        let mut written = write::write(&motion.on_joints_of(&take), &self.file)?;
        if metres > APART_METRES {
            written.warnings.push(FileWarning::BonesApart {
                joint: skeleton.joint(farthest).name.clone(),
                metres,
            });
        }
        Ok(written)
    }

    fn shown_on(&self, read: Take, motion: &KeyedMotion) -> Result<Take, WriteError> {
        let (bones, skeleton) = (self.bones()?, motion.skeleton());
        let on_bones = read.on(&of_bones(&skeleton, bones)?);
        let expected = motion.num_keys - usize::from(read.tail().is_some());
        let read = on_bones
            .ok()
            .filter(|read| read.num_frames() == expected)
            .ok_or(WriteError::JointCount {
                expected: bones.len(),
                found: read.num_joints(),
            })?;
        let keys = KeyedMotion::from_take(&read, false).in_format(self.capabilities());
        let mut bone_of = vec![None; skeleton.num_joints()];
        for (index, bone) in bones.iter().enumerate() {
            bone_of[bone.joint] = Some(index);
        }
        // Joints above the hips carry the root motion that the file does not show.
        let above_hips = skeleton.path_from_root(bones[0].joint);
        let poses = (0..motion.num_keys).map(|key| {
            let shown = keys.pose(key).as_ref().world(read.skeleton());
            let before = motion.pose(key);
            let mut placed: Vec<Rigid> = Vec::with_capacity(skeleton.num_joints());
            let locals = bone_of.iter().enumerate().map(|(joint, bone)| {
                let above = skeleton.parent(joint).map_or(Rigid::IDENTITY, |parent| placed[parent]);
                let local = match bone {
                    Some(bone) => {
                        let shown = shown.as_ref().joint(*bone);
                        let turned = (shown.rotation * bones[*bone].rest.rotation).normalize();
                        above.inverse() * Rigid::new(turned, shown.translation)
                    }
                    None if above_hips.contains(&joint) => before.as_ref().joint(joint),
                    None => self.rest.as_ref().joint(joint),
                };
                placed.push(above * local);
                (local.translation, local.rotation.normalize())
            });
            locals.collect::<Pose>()
        });
        let mut poses: Vec<Pose> = poses.collect();
        let tail = read.tail().zip((poses.len() > expected).then(|| poses.pop()).flatten());
        let take = Take::from_poses(read.name(), skeleton.clone(), read.frame_time_secs(), poses)?;
        Ok(match tail {
            Some((Tail { frames, .. }, pose)) => take.with_tail(Tail { frames: *frames, pose })?,
            None => take,
        })
    }

    fn carrier(&self) -> Option<String> {
        self.file.carrier()
    }

    fn suit_engines(&mut self) {
        self.file.has_short_tracks = true;
    }
}
