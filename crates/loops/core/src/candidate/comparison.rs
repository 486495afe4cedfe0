//! Compares poses of a take with what they meet one lag later.

use crate::{analysis::features::Features, mirror::Pairing};

/// Poses of a take, and what later poses count as: themselves, or their mirror images.
#[derive(Clone, Copy, Debug)]
pub struct PoseComparison<'a> {
    /// A row for each pose; where ends meet images, a row for each image after them.
    features: &'a Features,
    pairing: &'a Pairing,
    num_frames: usize,
}

impl<'a> PoseComparison<'a> {
    /// Poses compared with what later ones count as; `features` must be those of `pairing`.
    pub fn new(features: &'a Features, pairing: &'a Pairing) -> Self {
        Self {
            features,
            pairing,
            num_frames: features.num_frames() / usize::from(pairing.num_stretches()),
        }
    }

    /// The features that are compared, rows in the order of poses and then images.
    pub fn features(&self) -> &'a Features {
        self.features
    }

    /// How the ends of a stretch meet.
    pub(super) fn pairing(&self) -> &'a Pairing {
        self.pairing
    }

    /// Number of frames of the take.
    pub fn num_frames(&self) -> usize {
        self.num_frames
    }

    /// The row that a frame is compared as; the row of the pose itself is the frame's number.
    pub(super) fn row_met(&self, frame: usize) -> usize {
        frame + (self.features.num_frames() - self.num_frames)
    }

    /// The frame that is compared as a row; `None` for rows of poses where ends meet images, and beyond the last row.
    pub(super) fn frame_met(&self, row: usize) -> Option<usize> {
        let frame = row.checked_sub(self.features.num_frames() - self.num_frames)?;
        (frame < self.num_frames).then_some(frame)
    }

    /// The frame whose pose or image a row holds.
    pub(super) fn frame_of_row(&self, row: usize) -> usize {
        row % self.num_frames
    }

    /// Squared distance between a pose and what a later one counts as, square metres.
    pub(super) fn squared_distance(&self, frame: usize, later: usize) -> f64 {
        self.features.squared_distance(frame, self.row_met(later))
    }
}

/// Poses compared with later poses.
impl<'a> From<&'a Features> for PoseComparison<'a> {
    fn from(features: &'a Features) -> Self {
        Self::new(features, &Pairing::Same)
    }
}
