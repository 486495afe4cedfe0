//! Compares an acceleration with those of the motion itself: its size over the 99th percentile of the others.
//!
//! The visibility of a seam is judged in several stages: before a stretch is closed, in the loop as written, and between closing
//! methods. All measure second differences per joint and use a floor for small percentiles. They leave out the seam itself: with
//! 40 samples the percentile is the maximum, and a seam would be compared with itself.

use glam::DVec3;

use crate::math::percentile;

/// The percentile that counts as the peak of a motion.
const SHARE: f64 = 0.99;

/// Floors of [`usual`], per step squared.
pub(crate) mod floor {
    /// In a take, metres: a tenth of a millimetre; nothing smaller is visible.
    pub(crate) const SEEN_METRES: f64 = 1e-4;

    /// In a take, radians: a tenth of a degree.
    pub(crate) const SEEN_RADIANS: f64 = 2e-3;

    /// In a file of single precision some tens of metres from the origin, metres: the rounding noise of a joint in even motion
    /// there. Without this floor a seam would be compared with rounding.
    pub(crate) const TREMBLE_METRES: f64 = 5e-6;

    /// In motion that no file has rounded, metres; smaller values are only rounding.
    pub(crate) const ROUNDING_METRES: f64 = 1e-7;
}

/// Second difference of three successive values; its last digit depends on which end comes first.
pub(crate) fn second_difference([one, middle, other]: [DVec3; 3]) -> DVec3 {
    one - 2.0 * middle + other
}

/// Returns how many of the largest of `num_sizes` values are at the peak, at least one; the least of them is the peak.
pub(crate) fn num_at_peak(num_sizes: usize) -> usize {
    (num_sizes - percentile::rank(num_sizes, SHARE)).max(1)
}

/// Returns the peak of the motion itself: the 99th percentile of sizes in any order, at least `floor`.
pub(crate) fn usual(sizes: Vec<f64>, floor: f64) -> f64 {
    percentile::of(sizes, SHARE).max(floor)
}
