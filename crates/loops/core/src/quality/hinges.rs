//! Whether the hinges of a robot stay within their limits.

use super::JointPeak;
use crate::{loop_clip::LoopKeys, motion::Hinges};

/// How far hinges go beyond their limits, by the joint that goes farthest; 0 is within them. `None` if no hinge has such a limit.
#[handed_over(Copy, Default)]
pub struct HingePeaks {
    /// Angle beyond the limit, radians.
    pub angle: Option<JointPeak>,
    /// Speed over the largest.
    pub speed: Option<JointPeak>,
}

/// Measures the hinges of a loop as written; [`HingePeaks::default`] for a body without hinges.
pub(super) fn peaks(keys: &LoopKeys) -> HingePeaks {
    let mut peaks = HingePeaks::default();
    let worse = |peak: &mut Option<JointPeak>, joint: usize, sample: isize, ratio: f64| {
        if peak.is_none_or(|peak| ratio > peak.ratio) {
            let sample = sample as usize;
            *peak = Some(JointPeak { joint, sample, ratio });
        }
    };
    for (joint, hinge) in keys.skeleton().hinges().into_iter().flat_map(Hinges::each) {
        for sample in 0..keys.num_samples() as isize {
            let [angle, next] = [sample, sample + 1].map(|sample| hinge.angle(keys.rotation(sample, joint)));
            if hinge.limits.is_some() {
                worse(&mut peaks.angle, joint, sample, (angle - hinge.within(angle)).abs());
            }
            if let Some(most) = hinge.speed {
                worse(
                    &mut peaks.speed,
                    joint,
                    sample,
                    (next - angle).abs() / keys.step_secs() / most,
                );
            }
        }
    }
    peaks
}
