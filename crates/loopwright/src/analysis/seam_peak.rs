//! How far an acceleration stands out from a motion's own: its size over the 99th percentile of the others.
//!
//! What a seam looks like is judged in several places: before a stretch is closed, in the loop as written, and between ways of
//! closing it. All measure second differences per joint, leave the seam itself out (with 40 samples the percentile is the
//! maximum, and a seam would be compared with itself), and count smaller percentiles as a floor.

use glam::DVec3;

use crate::math::percentile;

/// The percentile that is taken for a motion's own peak.
const SHARE: f64 = 0.99;

/// Floors of [`usual`], per step squared, each with what lies below it.
pub(crate) mod floor {
    /// In a take, metres: a tenth of a millimetre, below which there is nothing to see.
    pub(crate) const SEEN_METRES: f64 = 1e-4;

    /// The same for rotations, radians: a tenth of a degree.
    pub(crate) const SEEN_RADIANS: f64 = 2e-3;

    /// In a file of single precision some tens of metres from the origin, metres: what a joint that goes evenly trembles by there,
    /// or the seam would be compared with rounding.
    pub(crate) const TREMBLE_METRES: f64 = 5e-6;

    /// In motion that no file has rounded, metres; below it there is rounding and no motion.
    pub(crate) const ROUNDING_METRES: f64 = 1e-7;
}

/// Second difference of three values in a row; its last digit depends on which end comes first.
pub(crate) fn second_difference([one, middle, other]: [DVec3; 3]) -> DVec3 {
    one - 2.0 * middle + other
}

/// The motion's own peak: the 99th percentile of sizes in any order, at least `floor`.
pub(crate) fn usual(sizes: Vec<f64>, floor: f64) -> f64 {
    percentile::of(sizes, SHARE).max(floor)
}
