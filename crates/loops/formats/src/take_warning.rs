//! Warnings about a take of any format.

use glam::DVec3;
use loopwright_core::Take;

use crate::warning::FileWarning;

/// How far a rate may be from a whole number, as a share.
///
/// Television rates are a thousandth off (29.97), and frame times are rounded to their fourth digit (0.0167 for 60). A frame time
/// of 0.033 is a hundredth off: its clip runs a frame too long in three seconds.
const WHOLE_RATE: f64 = 2e-3;

/// Warns about oddities of a take, whatever its format; the warnings from `num_before` on concern the same take.
pub(crate) fn warn_of_take(take: &Take, num_before: usize, warnings: &mut Vec<FileWarning>) {
    // If the keys have no rate of their own, the rate is our choice and not odd.
    let is_ours = warnings[num_before..]
        .iter()
        .any(|warning| matches!(warning, FileWarning::KeysOffGrid { .. }));
    let rate_hz = take.frame_rate_hz();
    // No device records motion at such a rate. Rates below one frame per second have a separate warning.
    let is_odd = rate_hz > 1.0 && (rate_hz / rate_hz.round().max(1.0) - 1.0).abs() > WHOLE_RATE;
    if is_odd && take.num_frames() > 1 && !is_ours {
        warnings.push(FileWarning::OddRate { rate_hz });
    }
    // Every joint rests on its parent although the motion moves it elsewhere.
    let mut joints = take.skeleton().joints().iter();
    if joints.all(|joint| joint.parent.is_none() || joint.rest_offset == DVec3::ZERO)
        && take.translations(0)[1..]
            .iter()
            .any(|position| *position != DVec3::ZERO)
    {
        warnings.push(FileWarning::RestMissing);
    }
}
