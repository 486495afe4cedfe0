//! A fresh VRM animation: a motion by the bones of a human body, each with its turn from the T-pose.
//!
//! Every bone is a node without a turn at rest, so that its rotations say how it turned from the T-pose in axes of the world. Joints
//! that are no bones are left out: what turns by them comes out in the turn of the bone below.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use loopwright::retarget::{HumanBone, Rig};
use loopwright::{BodyOverrides, Joint, Pose, Skeleton, Take, math::Rigid};
use serde_json::{Value, json};

use super::container::Document;
use super::source::{Above, GltfJoint, GltfSource};
use super::{fresh::GENERATOR, vrm, write};
use crate::file_form::FileForm;
use crate::format::{Capabilities, Format};
use crate::written::WrittenFile;
use crate::{error::WriteError, keyed_motion::KeyedMotion, space::Space, warning::Warning};

/// Bones that are farther from their places than this are spoken of, metres.
const APART_METRES: f64 = 0.002;

/// The form of a take in a fresh VRM animation, and the bones of its body.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub struct VrmaSource {
    /// Its bones; the bones that are missing, where it is no body for avatars.
    bones: Result<Vec<HumanBone>, Vec<String>>,
    /// The joints of the motion.
    parents: Vec<Option<usize>>,
    rest: Pose,
    /// The file of the bones alone.
    file: GltfSource,
    space: Space,
}

impl VrmaSource {
    /// A form for a take from elsewhere, whose joints rest like this, local: metres, +Y up, facing +Z in the T-pose.
    pub fn for_take(take: &Take, rest: &Pose) -> Self {
        let rig = Rig::of(take, rest, &BodyOverrides::default());
        let bones = match rig.map(|rig| rig.humanoid()) {
            Ok(Ok(bones)) => Ok(bones),
            Ok(Err(missing)) => Err(missing.into_iter().map(str::to_owned).collect()),
            Err(_) => Err(vec!["hips".to_owned()]),
        };
        let skeleton = take.skeleton();
        let known = bones.as_deref().unwrap_or_default();
        let joint = |node| GltfJoint {
            node: Some(node),
            scale: DVec3::ONE,
        };
        Self {
            parents: skeleton.joints().iter().map(|joint| joint.parent).collect(),
            rest: rest.clone(),
            file: GltfSource {
                document: Arc::new(document(skeleton, known)),
                is_binary: true,
                joints: (0..known.len()).map(joint).collect(),
                above: Above::NOTHING,
                frame_time_secs: take.frame_time_secs(),
                start_secs: 0.0,
                space: Space::METRES_Y_UP,
                has_short_tracks: false,
                shapes: Vec::new(),
            },
            space: Space::METRES_Y_UP,
            bones,
        }
    }

    fn bones(&self) -> Result<&[HumanBone], WriteError> {
        self.bones.as_deref().map_err(|missing| WriteError::NoAvatar {
            missing: missing.clone(),
        })
    }
}

/// The offset of a bone from the one that it hangs from.
fn offset(bones: &[HumanBone], bone: &HumanBone) -> DVec3 {
    let above = bone.parent.map_or(DVec3::ZERO, |parent| bones[parent].rest.translation);
    bone.rest.translation - above
}

fn document(skeleton: &Skeleton, bones: &[HumanBone]) -> Document {
    let nodes = bones.iter().enumerate().map(|(index, bone)| {
        let joint = &skeleton.joint(bone.joint).name;
        let mut node = json!({"name": joint, "translation": offset(bones, bone).to_array()});
        let hangs = |&below: &usize| bones[below].parent == Some(index);
        let children: Vec<usize> = (0..bones.len()).filter(hangs).collect();
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        node
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

/// A motion by its bones, with the hips where legs hang from where they hung: local poses at all keys, and the joint that is farthest from its place, with the distance.
fn by_bones(motion: &KeyedMotion<'_>, bones: &[HumanBone]) -> (Vec<Pose>, (usize, f64)) {
    let skeleton = motion.skeleton();
    let mut apart = (0, 0.0);
    let legs: Vec<&HumanBone> = bones.iter().filter(|bone| bone.name.ends_with("UpperLeg")).collect();
    let mut poses = Vec::with_capacity(motion.num_keys);
    for key in 0..motion.num_keys {
        let world = motion.pose(key).as_ref().world(&skeleton);
        let turned = |bone: &HumanBone| (world.rotations[bone.joint] * bone.rest.rotation.conjugate()).normalize();
        // Where joints between hips and legs bend, feet would slide otherwise.
        let off = |leg: &HumanBone| {
            let hung = world.translations[bones[0].joint] + turned(&bones[0]) * offset(bones, leg);
            world.translations[leg.joint] - hung
        };
        let hips = world.translations[bones[0].joint]
            + legs.iter().map(|leg| off(leg)).sum::<DVec3>() / legs.len().max(1) as f64;
        let mut placed: Vec<Rigid> = Vec::with_capacity(bones.len());
        let mut pose = Pose::default();
        for bone in bones {
            let turned = turned(bone);
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
            pose.translations.push(offset);
            pose.rotations.push((above.rotation.conjugate() * turned).normalize());
        }
        poses.push(pose);
    }
    (poses, apart)
}

fn take_of(name: &str, skeleton: Skeleton, step_secs: f64, poses: Vec<Pose>) -> Result<Take, WriteError> {
    let (translations, rotations) = poses
        .into_iter()
        .map(|pose| (pose.translations, pose.rotations))
        .unzip();
    let (translations, rotations): (Vec<Vec<DVec3>>, Vec<Vec<DQuat>>) = (translations, rotations);
    Ok(Take::new(
        name,
        skeleton,
        step_secs,
        translations.concat(),
        rotations.concat(),
    )?)
}

impl FileForm for VrmaSource {
    fn format(&self) -> Format {
        Format::Vrma
    }

    fn capabilities(&self) -> &'static Capabilities {
        Format::Vrma.capabilities()
    }

    fn formats(&self) -> &'static [Format] {
        &[Format::Vrma]
    }

    fn space(&self) -> &Space {
        &self.space
    }

    fn frame_time_secs(&self) -> f64 {
        self.file.frame_time_secs
    }

    fn rest(&self, skeleton: &Skeleton) -> Option<Pose> {
        (skeleton.num_joints() == self.rest.rotations.len()).then(|| self.rest.clone())
    }

    fn write(&self, motion: &KeyedMotion<'_>) -> Result<WrittenFile, WriteError> {
        let bones = self.bones()?;
        if motion.adds_root {
            return Err(WriteError::NoRootJoint);
        }
        motion.check_parents(&self.parents)?;
        motion.check_size(write::MAX_TRANSFORMS)?;
        let skeleton = motion.skeleton();
        let joints = bones.iter().map(|bone| {
            let joint = skeleton.joint(bone.joint);
            Joint::new(joint.name.clone(), bone.parent, offset(bones, bone))
        });
        let (poses, (farthest, metres)) = by_bones(motion, bones);
        let take = take_of(motion.name, Skeleton::new(joints.collect())?, motion.step_secs, poses)?;
        let mut written = write::write(&motion.on_joints_of(&take), &self.file)?;
        if metres > APART_METRES {
            written.warnings.push(Warning::BonesApart {
                joint: skeleton.joint(farthest).name.clone(),
                metres,
            });
        }
        Ok(written)
    }

    fn turn_into(&mut self, _: Format, _: &Take) {}

    fn shown_on(&self, read: Take, motion: &KeyedMotion<'_>) -> Result<Take, WriteError> {
        let bones = self.bones()?;
        if read.num_joints() != bones.len() || read.num_frames() != motion.num_keys {
            return Err(WriteError::JointCount {
                expected: bones.len(),
                found: read.num_joints(),
            });
        }
        let skeleton = motion.skeleton();
        let mut bone_of = vec![None; skeleton.num_joints()];
        for (index, bone) in bones.iter().enumerate() {
            bone_of[bone.joint] = Some(index);
        }
        // Joints above the hips carry what carried the motion, which the file does not show.
        let above_hips = skeleton.path_from_root(bones[0].joint);
        let poses = (0..motion.num_keys).map(|key| {
            let shown = read.pose(key).world(read.skeleton());
            let before = motion.pose(key);
            let mut placed: Vec<Rigid> = Vec::with_capacity(skeleton.num_joints());
            let mut pose = Pose::default();
            for (joint, bone) in bone_of.iter().enumerate() {
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
                pose.translations.push(local.translation);
                pose.rotations.push(local.rotation.normalize());
            }
            pose
        });
        take_of(read.name(), skeleton.clone(), read.frame_time_secs(), poses.collect())
    }

    fn carrier(&self) -> Option<String> {
        self.file.carrier()
    }

    fn suit_engines(&mut self) {
        self.file.has_short_tracks = true;
    }
}
