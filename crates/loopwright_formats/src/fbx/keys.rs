//! The motion written into an FBX file: evenly timed poses.

use std::borrow::Cow;

use glam::{DQuat, DVec3};
use loopwright::{LoopClip, Pose, Skeleton, Take};

use super::animation;
use crate::{
    error::WriteError, euler, limits::MAX_VALUE, naming::added_root_name, settings::LoopWriteSettings, space::Axis,
};

/// Most transforms in one file: some gigabytes.
const MAX_TRANSFORMS: usize = 1 << 26;

/// Units of the file in a metre.
pub(super) const CM_PER_METRE: f64 = 100.0;

/// A joint within this distance of its rest pose has no curves, in the file's unit and in degrees.
const STILL: f64 = 1e-6;

/// Evenly timed poses, and their skeleton.
pub(super) struct Keys<'a> {
    pub(super) skeleton: Skeleton,
    pub(super) step_secs: f64,
    pub(super) num_keys: usize,
    /// Local, in metres, key after key.
    pub(super) translations: Cow<'a, [DVec3]>,
    pub(super) rotations: Cow<'a, [DQuat]>,
}

impl<'a> Keys<'a> {
    /// The frames of a take, which are not copied.
    pub(super) fn of_take(take: &'a Take) -> Result<Self, WriteError> {
        let values = take.values();
        Self {
            skeleton: take.skeleton().clone(),
            step_secs: take.frame_time_secs(),
            num_keys: take.num_frames(),
            translations: Cow::Borrowed(values.translations),
            rotations: Cow::Borrowed(values.rotations),
        }
        .checked()
    }

    pub(super) fn of_loop(clip: &LoopClip, settings: &LoopWriteSettings) -> Result<Self, WriteError> {
        let num_keys = settings.num_keys(clip)?;
        let shown = settings.shown(clip);
        if !settings.add_root {
            let skeleton = clip.skeleton().clone();
            return Self::of_poses(skeleton, clip.step_secs(), num_keys, |key| shown.folded_pose(key));
        }
        let skeleton = clip.skeleton().below_root(&added_root_name(clip.skeleton()));
        Self::of_poses(skeleton, clip.step_secs(), num_keys, |key| {
            shown.root_relative_pose(key)
        })
    }

    fn of_poses(
        skeleton: Skeleton,
        step_secs: f64,
        num_keys: usize,
        pose: impl Fn(usize) -> Pose,
    ) -> Result<Self, WriteError> {
        check_size(num_keys, skeleton.num_joints(), step_secs)?;
        let num_values = num_keys * skeleton.num_joints();
        let (mut translations, mut rotations) = (Vec::with_capacity(num_values), Vec::with_capacity(num_values));
        for key in 0..num_keys {
            let pose = pose(key);
            translations.extend(pose.translations);
            rotations.extend(pose.rotations);
        }
        Self {
            skeleton,
            step_secs,
            num_keys,
            translations: Cow::Owned(translations),
            rotations: Cow::Owned(rotations),
        }
        .checked()
    }

    /// Errors: too many keys, or a value that no file can hold.
    fn checked(self) -> Result<Self, WriteError> {
        let num_joints = self.skeleton.num_joints();
        check_size(self.num_keys, num_joints, self.step_secs)?;
        let does_not_fit = |(translation, rotation): (&DVec3, &DQuat)| {
            let is_finite = translation.is_finite() && rotation.is_finite();
            !is_finite || (*translation * CM_PER_METRE).abs().max_element() > MAX_VALUE
        };
        let mut values = self.translations.iter().zip(&*self.rotations);
        match values.position(does_not_fit) {
            Some(index) => Err(WriteError::OutOfRange {
                key: index / num_joints,
                joint: index % num_joints,
            }),
            None => Ok(self),
        }
    }

    /// Local rotations of one joint at all keys.
    pub(super) fn rotations_of(&self, joint: usize) -> impl Iterator<Item = DQuat> {
        let step = self.skeleton.num_joints();
        self.rotations.iter().skip(joint).step_by(step).copied()
    }

    /// Local translations of one joint at all keys.
    pub(super) fn translations_of(&self, joint: usize) -> impl Iterator<Item = DVec3> {
        let step = self.skeleton.num_joints();
        self.translations.iter().skip(joint).step_by(step).copied()
    }
}

/// Errors: more keys than one file holds, or later ones than its clock reaches.
fn check_size(num_keys: usize, joints: usize, step_secs: f64) -> Result<(), WriteError> {
    if num_keys.saturating_mul(joints) > MAX_TRANSFORMS {
        return Err(WriteError::TooManyKeys {
            keys: num_keys,
            joints,
            limit: MAX_TRANSFORMS,
        });
    }
    let secs = num_keys as f64 * step_secs;
    if secs > animation::MAX_SECS {
        return Err(WriteError::TooLong {
            secs,
            limit_secs: animation::MAX_SECS,
        });
    }
    Ok(())
}

/// Angles in degrees about the axes at every key, each as near as possible to those before.
pub(super) fn angles(axes: &[Axis; 3], rotations: impl Iterator<Item = DQuat>) -> Vec<[f64; 3]> {
    let mut previous = [0.0; 3];
    rotations
        .map(|rotation| {
            previous = euler::decompose(axes, rotation, previous);
            previous.map(f64::to_degrees)
        })
        .collect()
}

/// Whether a property differs from its rest value at any key.
pub(super) fn leaves(values: &[[f64; 3]], rest: DVec3) -> bool {
    let is_off = |value: &[f64; 3]| (DVec3::from_array(*value) - rest).abs().max_element() > STILL;
    values.iter().any(is_off)
}
