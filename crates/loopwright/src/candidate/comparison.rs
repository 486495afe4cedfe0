//! Poses of a take compared with what they meet one lag later.

use crate::{analysis::features::Features, mirror::Pairing};

/// Poses of a take, and what later poses are met as: themselves, or their mirror images.
#[derive(Clone, Copy, Debug)]
pub struct PoseComparison<'a> {
    /// A row for each pose; where images are met, a row for each image after them.
    features: &'a Features,
    pairing: &'a Pairing,
    num_frames: usize,
}

impl<'a> PoseComparison<'a> {
    /// Poses compared with later poses.
    pub fn of_poses(features: &'a Features) -> Self {
        Self::new(features, &Pairing::Same)
    }

    /// Poses compared with what later ones are met as; `features` are those of `features`.
    pub fn new(features: &'a Features, pairing: &'a Pairing) -> Self {
        Self {
            features,
            pairing,
            num_frames: features.num_frames() / usize::from(pairing.num_stretches()),
        }
    }

    /// What is compared, rows in the order of poses and then images.
    pub fn features(&self) -> &'a Features {
        self.features
    }

    /// How the ends of a stretch belong together.
    pub(super) fn pairing(&self) -> &'a Pairing {
        self.pairing
    }

    /// Number of frames of the take.
    pub fn num_frames(&self) -> usize {
        self.num_frames
    }

    /// The row of what a frame is met as; the row of the pose itself is the frame's number.
    pub(super) fn row_met(&self, frame: usize) -> usize {
        frame + (self.features.num_frames() - self.num_frames)
    }

    /// The frame that is met as what stands in a row; `None` for rows of poses where images are met, and beyond the last row.
    pub(super) fn frame_met(&self, row: usize) -> Option<usize> {
        let frame = row.checked_sub(self.features.num_frames() - self.num_frames)?;
        (frame < self.num_frames).then_some(frame)
    }

    /// The frame whose pose or image stands in a row.
    pub(super) fn frame_of_row(&self, row: usize) -> usize {
        row % self.num_frames
    }

    /// Squared distance between a pose and what a later one is met as, square metres.
    pub(super) fn squared_distance(&self, frame: usize, later: usize) -> f64 {
        self.features.squared_distance(frame, self.row_met(later))
    }
}

impl<'a> From<&'a Features> for PoseComparison<'a> {
    fn from(features: &'a Features) -> Self {
        Self::of_poses(features)
    }
}
