//! A motion prepared for processing its feet: samples relative to the root, and the motion of the root over the ground.

use glam::{DQuat, DVec3};

use super::Course;
use crate::{
    loop_clip::LoopClip,
    math::ops,
    motion::{Skeleton, Tracks, WorldTracks},
};

/// A point that is fixed to a joint: the joint, and the point in its axes, metres.
pub(super) type FixedPoint = (usize, DVec3);

/// A motion and the course of its root.
pub struct Stage<'a> {
    pub(super) tracks: &'a Tracks,
    /// Positions of all joints, relative to the root.
    pub world: WorldTracks,
    /// Where the root is.
    pub course: Course,
}

impl<'a> Stage<'a> {
    /// Wraps tracks relative to the root of a course with as many samples.
    pub fn new(tracks: &'a Tracks, course: Course) -> Self {
        Self {
            world: tracks.world(),
            tracks,
            course,
        }
    }

    /// Creates a loop that follows no path.
    pub fn of_loop(clip: &'a LoopClip) -> Self {
        Self::new(
            clip.tracks(),
            Course::around(*clip.root(), clip.step_secs(), clip.num_samples()),
        )
    }

    /// Returns the number of samples.
    pub(crate) fn num_samples(&self) -> usize {
        self.course.count()
    }

    /// Whether the last sample is followed by the first.
    pub(crate) fn is_loop(&self) -> bool {
        !self.course.has_ends()
    }

    /// Returns a stage of the same course with other tracks.
    pub(crate) fn with_tracks(&self, tracks: &'a Tracks) -> Self {
        Self::new(tracks, self.course.clone())
    }

    /// Returns the speed of a joint over the ground at a sample, metres per second, between its neighbours.
    pub(crate) fn speed_over_ground(&self, sample: usize, joint: usize) -> f64 {
        let course = &self.course;
        let [before, after] = [-1, 1].map(|off| course.clamped(sample as isize + off));
        let [from, to] =
            [before, after].map(|key| course.to_world(key, self.world.position(course.sample(key), joint)));
        ops::over_ground(to - from) / ((after - before) as f64 * course.step_secs)
    }

    pub(super) fn skeleton(&self) -> &Skeleton {
        self.tracks.skeleton()
    }

    /// Returns the positions of a point at all samples, relative to the root.
    pub(super) fn positions_of(&self, (joint, offset): FixedPoint) -> Vec<DVec3> {
        let samples = 0..self.course.count();
        if offset == DVec3::ZERO {
            return samples.map(|sample| self.world.position(sample, joint)).collect();
        }
        samples
            .map(|sample| self.world.joint(sample, joint).transform_point(offset))
            .collect()
    }

    /// Returns the positions of a point at all samples, in the world.
    pub(super) fn places_of(&self, point: FixedPoint) -> Vec<DVec3> {
        self.positions_of(point)
            .into_iter()
            .enumerate()
            .map(|(key, at)| self.course.to_world(key as isize, at))
            .collect()
    }

    /// Returns the height of a point at a sample over the root, metres.
    pub(super) fn height(&self, sample: usize, (joint, offset): FixedPoint) -> f64 {
        self.course.up[sample].dot(self.world.joint(sample, joint).transform_point(offset))
    }

    /// Returns the rotation of a joint in the axes of the one above at a sample.
    pub(super) fn local_rotation(&self, sample: usize, joint: usize) -> DQuat {
        self.rotation_above(sample, joint).conjugate() * self.world.rotation(sample, joint)
    }

    /// Returns the rotation of the parent of a joint at a sample, relative to the root.
    pub(super) fn rotation_above(&self, sample: usize, joint: usize) -> DQuat {
        let above = self.skeleton().parent(joint);
        above.map_or(DQuat::IDENTITY, |above| self.world.rotation(sample, above))
    }
}
