//! The take of a loop, seen from the root: floor, clearance and knees of the loop are held against it.

use glam::{DQuat, DVec3};

use super::{Course, FixedPoint};
use crate::{motion::WorldTracks, root_motion::RootRelativeClip};

/// Frames beyond both ends of the cut in which the take's heights and knees count too.
const BEYOND: isize = 2;

/// Places of joints in the take that a loop was cut from; a motion without a take is its own.
pub(in crate::feet) struct Uncut {
    world: WorldTracks,
    /// The frame of the loop's first sample; `None` for a motion that is its own.
    first: Option<usize>,
    is_mirrored: bool,
}

impl Uncut {
    /// The take of a loop; `is_mirrored` where the second half is the image of the first, and frames beyond the ends are that of
    /// nothing.
    pub(in crate::feet) fn from_source(source: &RootRelativeClip, is_mirrored: bool) -> Self {
        Self {
            is_mirrored,
            world: source.clip.world_tracks(),
            first: Some(source.clip.sample_range().start().unsigned_abs()),
        }
    }

    /// A motion that is its own, by where its joints are seen from its root.
    pub(in crate::feet) fn from_motion(world: &WorldTracks) -> Self {
        Self {
            world: world.clone(),
            first: None,
            is_mirrored: false,
        }
    }

    /// Frames beyond both ends of the loop that count too.
    pub(super) fn beyond(&self) -> isize {
        if self.first.is_some() && !self.is_mirrored {
            BEYOND
        } else {
            0
        }
    }

    /// Samples from one place at which the take leaps to the next: the end of a loop that was cut from it, and that of the half of one whose
    /// other half mirrors it.
    pub(super) fn samples_between_seams(&self, course: &Course) -> usize {
        match self.first {
            Some(_) if self.is_mirrored => course.count() / 2,
            Some(_) => course.count(),
            None => usize::MAX / 2,
        }
    }

    /// Samples of a course, and near the ends of a loop, whose neighbours are those of one stretch.
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

    /// The place of a point that is fixed to a joint, at a sample of the motion, or of a loop's take near its ends.
    pub(super) fn place(&self, sample: isize, (joint, offset): FixedPoint) -> DVec3 {
        self.world.joint(self.frame(sample), joint).transform_point(offset)
    }

    /// The rotation of a joint in the axes of the one above.
    pub(super) fn rotation(&self, sample: isize, joint: usize, above: Option<usize>) -> DQuat {
        let frame = self.frame(sample);
        let above = above.map_or(DQuat::IDENTITY, |above| self.world.rotation(frame, above));
        above.conjugate() * self.world.rotation(frame, joint)
    }

    fn frame(&self, sample: isize) -> usize {
        let frames = self.world.num_frames() as isize;
        let frame = match self.first {
            Some(first) => (sample + first as isize).clamp(0, frames - 1),
            None => sample.rem_euclid(frames),
        };
        frame as usize
    }
}
