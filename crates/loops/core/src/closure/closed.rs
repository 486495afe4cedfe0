//! The result of closing: the samples of the loop, and the offsets that were applied.

use glam::DVec3;

use super::{Clamp, Gaps, Method, SeamGaps};
use crate::motion::Tracks;

/// A closed clip and the offsets that closed it.
///
/// N is the number of intervals of the clip. Arrays are frame-major: the value of (sample, joint) is at sample * num_joints +
/// joint.
#[handed_over]
pub struct Closed {
    /// The N unique samples. Signs of rotations are continuous, even over the seam, except for a joint that makes an odd number
    /// of whole turns per period, for which no choice of signs is continuous.
    pub tracks: Tracks,
    /// Offsets added to the translations, metres, for samples 0 to N inclusive.
    #[handed(with = "crate::plain_bytes")]
    pub translation_offsets: Vec<DVec3>,
    /// Offsets of the rotations, rotation vectors multiplied on the left, radians, for samples 0 to N inclusive.
    #[handed(with = "crate::plain_bytes")]
    pub rotation_offsets: Vec<DVec3>,
    /// Gaps of every joint before closing.
    pub seam: SeamGaps,
    /// Largest gaps after closing, of the joints that are not left open, from the closed values and the derivatives of the
    /// offsets at both ends: only rounding, except for the accelerations when only C1 was met.
    pub residual: Gaps,
    /// The method of the joints without their own, as fitted to the clip; without a crossfade if the take has no frames for it.
    /// Its order is the one that was met: C2 only if requested and if both shapes support it.
    pub method: Method,
    /// Whether the joints were closed in two layers, one for their motion and one for their noise.
    pub is_layered: bool,
    /// Settings that did not fit.
    pub clamps: Vec<Clamp>,
}
