//! Stretches of a take.

use super::Take;

/// A stretch of a take, from the pose that starts it to the pose that meets the start.
///
/// Frames are counted from 0 and may be fractional. Invariant, held by [`Cut::new`]: finite, 0 <= start < end <= last frame.
#[handed_over(Copy)]
pub struct Cut {
    start_frame: f64,
    end_frame: f64,
}

/// Why a stretch cannot be cut.
#[error_kinds]
pub enum CutError {
    /// A cycle needs at least two frames.
    #[error("{cycles} cycles do not fit into {num_intervals} frames")]
    Cycles { cycles: u32, num_intervals: usize },
    /// An end is outside the take, or the two are not in order.
    #[error("frames {start_frame} to {end_frame} do not lie in order within 0 to {last_frame}")]
    OutOfRange {
        start_frame: f64,
        end_frame: f64,
        last_frame: usize,
    },
    /// Fewer than three unique samples.
    #[error("a loop needs at least 3 frames, this cut has {num_intervals}")]
    TooShort { num_intervals: usize },
    /// More samples than a clip may hold.
    #[error("{num_intervals} samples exceed the limit of {limit}")]
    TooLong { num_intervals: usize, limit: usize },
}

impl Cut {
    /// Creates a cut of `take` between two of its frames.
    ///
    /// Errors: [`CutError::OutOfRange`].
    pub fn new(take: &Take, start_frame: f64, end_frame: f64) -> Result<Self, CutError> {
        let last_frame = take.last_frame();
        let inside = start_frame >= 0.0 && start_frame < end_frame && end_frame <= last_frame as f64;
        if !inside {
            return Err(CutError::OutOfRange {
                start_frame,
                end_frame,
                last_frame,
            });
        }
        Ok(Self { start_frame, end_frame })
    }

    /// Source frame at which the cut starts.
    pub fn start_frame(&self) -> f64 {
        self.start_frame
    }

    /// Returns the source frame whose pose meets the start's.
    pub fn end_frame(&self) -> f64 {
        self.end_frame
    }

    /// Returns the length in source frames, fractional.
    pub fn num_frames(&self) -> f64 {
        self.end_frame - self.start_frame
    }
}
