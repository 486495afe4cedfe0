//! The motion written into an FBX file: poses at the times of its keys.

use std::borrow::Cow;

use glam::{DQuat, DVec3};
use loopwright_core::Skeleton;

use super::animation;
use crate::{
    error::WriteError,
    euler,
    keyed_motion::{KeyedMotion, KeyedPoses},
    limits::is_plausible,
    space::Axis,
};

/// Most transforms in one file: some gigabytes.
const MAX_TRANSFORMS: usize = 1 << 26;

/// Units of the file in a metre.
pub(super) const CM_PER_METRE: f64 = 100.0;

/// A joint within this distance of its rest pose has no curves, in the file's unit and in degrees.
const STILL: f64 = 1e-6;

/// The poses of a motion, and their skeleton.
pub(super) struct Keys<'a> {
    motion: &'a KeyedMotion<'a>,
    pub skeleton: Skeleton,
    pub num_keys: usize,
    /// Local, in metres, key after key.
    pub translations: Cow<'a, [DVec3]>,
    pub rotations: Cow<'a, [DQuat]>,
}

impl<'a> Keys<'a> {
    /// Lays out the keys. Errors: too many keys, or a value out of range.
    pub(super) fn new(motion: &'a KeyedMotion<'a>) -> Result<Self, WriteError> {
        motion.check_size(MAX_TRANSFORMS)?;
        let secs = motion.num_keys as f64 * motion.step_secs;
        if secs > animation::MAX_SECS {
            return Err(WriteError::TooLong {
                secs,
                limit_secs: animation::MAX_SECS,
            });
        }
        let KeyedPoses {
            translations,
            rotations,
        } = motion.poses();
        let skeleton = motion.skeleton();
        let mut transforms = translations.iter().zip(&*rotations);
        if let Some(index) = transforms
            .position(|(translation, rotation)| !rotation.is_finite() || !is_plausible(*translation * CM_PER_METRE))
        {
            let num_joints = skeleton.num_joints();
            let (key, joint) = (index / num_joints, index % num_joints);
            return Err(WriteError::OutOfRange { key, joint });
        }
        Ok(Self {
            motion,
            skeleton,
            num_keys: motion.num_keys,
            translations,
            rotations,
        })
    }

    /// Returns the frames per second.
    pub(super) fn rate_hz(&self) -> f64 {
        1.0 / self.motion.step_secs
    }

    /// Returns the times of the keys in ticks.
    pub(super) fn ticks(&self, ticks_per_sec: f64) -> Vec<i64> {
        (0..self.num_keys)
            .map(|key| (self.motion.secs(key) * ticks_per_sec).round() as i64)
            .collect()
    }
}

/// Computes angles in degrees about X, Y and Z at every key, each as near as possible to the previous ones, of rotations about these
/// axes, the first outermost.
pub(super) fn angles(axes: &[Axis; 3], rotations: impl Iterator<Item = DQuat>) -> Vec<[f64; 3]> {
    let mut previous = [0.0; 3];
    rotations
        .map(|rotation| {
            previous = euler::decompose(axes, rotation, previous);
            let mut by_axis = [0.0; 3];
            for (axis, angle) in axes.iter().zip(previous) {
                by_axis[axis.index()] = angle.to_degrees();
            }
            by_axis
        })
        .collect()
}

/// Whether a property leaves its rest value at any key.
pub(super) fn leaves(values: &[[f64; 3]], rest: DVec3) -> bool {
    values
        .iter()
        .any(|value| (DVec3::from_array(*value) - rest).abs().max_element() > STILL)
}
