//! A stretch of a take, found or chosen by hand.

/// Fewest frames of a stretch that is chosen by hand.
pub const MIN_FRAMES: f64 = 4.0;

/// A stretch of a take.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Stretch {
    /// The first loop of the list, or a later one if the first is not good and the later one is.
    Recommended,
    /// Exactly this loop of the list, by its index.
    Found(usize),
    /// Frames that the user chose.
    Frames {
        /// The frame it starts at.
        start_frame: f64,
        /// The frame that meets the start.
        end_frame: f64,
    },
}
