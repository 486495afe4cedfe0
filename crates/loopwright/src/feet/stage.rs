//! A loop prepared for the treatment of its feet: samples seen from the root, and the root's motion over the ground.

use glam::{DQuat, DVec3};

use crate::{
    analysis::{
        body::Body,
        standing::{ContactLimits, LimitsAtSize},
    },
    loop_clip::LoopClip,
    math::time_step::TimeStep,
    motion::{RootMotion, Skeleton, WorldTracks},
};

/// A loop's root motion and its samples, seen from the root.
pub(super) struct Stage<'a> {
    pub(super) clip: &'a LoopClip,
    pub(super) root_motion: RootMotion,
    pub(super) world: WorldTracks,
}

impl<'a> Stage<'a> {
    pub(super) fn of(clip: &'a LoopClip) -> Self {
        Self {
            clip,
            root_motion: *clip.root(),
            world: clip.tracks_from_root(),
        }
    }

    /// Limits of standing for the feet of its body.
    pub(super) fn at_size(&self, limits: &ContactLimits, body: &Body) -> LimitsAtSize {
        limits.at_size(body.leg_size(self.clip.skeleton(), |joint| self.world.position(0, joint)))
    }

    /// Positions of a joint at all samples, seen from the root.
    pub(super) fn positions(&self, joint: usize) -> Vec<DVec3> {
        (0..self.clip.num_samples())
            .map(|sample| self.world.position(sample, joint))
            .collect()
    }

    /// World position of a point seen from the root at a key of any cycle.
    pub(super) fn to_world(&self, key: isize, position: DVec3) -> DVec3 {
        self.root_motion
            .at(key as f64 * self.clip.step_secs())
            .transform_point(position)
    }

    /// Rotation of the joint above one at a sample, seen from the root.
    pub(super) fn rotation_above(&self, sample: usize, joint: usize) -> DQuat {
        rotation_above(self.clip.skeleton(), &self.world, sample, joint)
    }

    /// The up axis of the world, seen from the root.
    pub(super) fn up(&self, sample: usize) -> DVec3 {
        let root = self.root_motion.at(sample as f64 * self.clip.step_secs());
        root.rotation.conjugate() * DVec3::Y
    }

    /// The number of samples that last this long: at least one, and no more than the loop has on both sides together.
    pub(super) fn samples_in(&self, secs: f64) -> usize {
        TimeStep::new(self.clip.step_secs())
            .nearest(secs)
            .clamp(1, (self.clip.num_samples() - 1) / 2)
    }
}

/// Rotation of the joint above one at a sample.
pub(super) fn rotation_above(skeleton: &Skeleton, world: &WorldTracks, sample: usize, joint: usize) -> DQuat {
    let above = skeleton.parent(joint);
    above.map_or(DQuat::IDENTITY, |joint| world.rotation(sample, joint))
}
