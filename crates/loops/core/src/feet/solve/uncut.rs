//! The take of a loop, relative to the root, as the reference for floor, clearance and knees.

use glam::{DQuat, DVec3};

use super::{Course, FixedPoint};
use crate::{motion::WorldTracks, root_motion::RootRelativeClip};

/// Frames beyond both ends of the cut in which the take's heights and knees count too.
const BEYOND: isize = 2;

/// Places of joints in the take that a loop was cut from; a motion without a take is its own.
pub(crate) struct Uncut {
    world: WorldTracks,
    /// The frame of the loop's first sample; `None` if the motion is its own reference.
    first: Option<usize>,
    is_mirrored: bool,
}

impl Uncut {
    /// Uses the take of a loop; `is_mirrored` if the second half is the image of the first, and frames beyond the ends have no
    /// image.
    pub(crate) fn from_source(source: &RootRelativeClip, is_mirrored: bool) -> Self {
        Self {
            is_mirrored,
            world: source.clip.world_tracks(),
            first: Some(source.clip.sample_range().start().unsigned_abs()),
        }
    }

    /// Uses a motion as its own reference, by the positions of its joints relative to its root.
    pub(crate) fn from_motion(world: &WorldTracks) -> Self {
        Self {
            world: world.clone(),
            first: None,
            is_mirrored: false,
        }
    }

    /// Returns the frames beyond both ends of the loop that count too.
    pub(super) fn beyond(&self) -> isize {
        if self.first.is_some() && !self.is_mirrored {
            BEYOND
        } else {
            0
        }
    }

    /// Returns the samples from one jump of the take to the next: the end of a loop that was cut from it, or the half of a
    /// mirrored one.
    pub(super) fn samples_between_seams(&self, course: &Course) -> usize {
        match self.first {
            Some(_) if self.is_mirrored => course.count() / 2,
            Some(_) => course.count(),
            None => usize::MAX / 2,
        }
    }

    /// Returns the samples of a course whose neighbours, near the ends of a loop, belong to one stretch.
    pub(super) fn inner(&self, course: &Course) -> impl Iterator<Item = isize> + use<> {
        let count = course.count() as isize;
        let (first, second) = match self.first {
            _ if course.has_ends() => (1..count - 1, 0..0),
            Some(_) if self.is_mirrored => (1..count / 2 - 1, count / 2 + 1..count - 1),
            Some(_) => (1 - BEYOND..count + BEYOND - 1, 0..0),
            None => (0..count, 0..0),
        };
        first.chain(second)
    }

    /// Returns the place of a point that is fixed to a joint, at a sample of the motion, or of a loop's take near its ends.
    pub(super) fn place(&self, sample: isize, (joint, offset): FixedPoint) -> DVec3 {
        self.world.joint(self.frame(sample), joint).transform_point(offset)
    }

    /// Returns the rotation of a joint in the axes of the one above.
    pub(super) fn rotation(&self, sample: isize, joint: usize, above: Option<usize>) -> DQuat {
        let frame = self.frame(sample);
        above
            .map_or(DQuat::IDENTITY, |above| self.world.rotation(frame, above))
            .conjugate()
            * self.world.rotation(frame, joint)
    }

    fn frame(&self, sample: isize) -> usize {
        let frames = self.world.num_frames() as isize;
        self.first.map_or(sample.rem_euclid(frames), |first| {
            (sample + first as isize).clamp(0, frames - 1)
        }) as usize
    }
}
