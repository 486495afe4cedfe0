//! Compares poses of a take with those one lag later.

use crate::{analysis::Features, mirror::Pairing};

/// Poses of a take, and later poses in the form in which they are compared: themselves, or their mirror images.
#[derive(Clone, Copy, Debug)]
pub struct PoseComparison<'a> {
    /// A row for each pose; for mirrored ends, followed by a row for each image.
    features: &'a Features,
    pairing: &'a Pairing,
    num_frames: usize,
}

impl<'a> PoseComparison<'a> {
    /// Pairs poses with later ones; `features` must be those of `pairing`.
    pub fn new(features: &'a Features, pairing: &'a Pairing) -> Self {
        Self {
            features,
            pairing,
            num_frames: features.num_frames() / usize::from(pairing.num_stretches()),
        }
    }

    /// Returns the compared features, rows in the order of poses and then images.
    pub fn features(&self) -> &'a Features {
        self.features
    }

    /// Returns how the ends of a stretch meet.
    pub(super) fn pairing(&self) -> &'a Pairing {
        self.pairing
    }

    /// Returns the number of frames of the take.
    pub fn num_frames(&self) -> usize {
        self.num_frames
    }

    /// Returns the row that represents a frame as an end; as a start, the row is the frame's number.
    pub(super) fn row_met(&self, frame: usize) -> usize {
        frame + (self.features.num_frames() - self.num_frames)
    }

    /// Returns the frame that a row represents as an end; `None` for rows of poses if ends are mirrored, and beyond the last
    /// row.
    pub(super) fn frame_met(&self, row: usize) -> Option<usize> {
        let frame = row.checked_sub(self.features.num_frames() - self.num_frames)?;
        (frame < self.num_frames).then_some(frame)
    }

    /// Returns the squared distance between a pose and a later one in its compared form, square metres.
    pub(super) fn squared_distance(&self, frame: usize, later: usize) -> f64 {
        self.features.squared_distance(frame, self.row_met(later))
    }
}

/// Compares poses with unmirrored later poses.
impl<'a> From<&'a Features> for PoseComparison<'a> {
    fn from(features: &'a Features) -> Self {
        Self::new(features, &Pairing::Same)
    }
}
