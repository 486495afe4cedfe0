//! The length of a loop below one frame.
//!
//! Around the seam the mean squared distance of poses one lag apart is a parabola in the lag; its vertex is the length at
//! which the motion meets itself best. Only the end moves: along the other direction, both ends together, the cost is flat,
//! and a start on a whole frame needs no interpolation.

use crate::analysis::features::Features;

/// Poses this far on either side of the seam are compared, seconds: enough to average noise, less than any phase drifts.
const REACH_SECS: f64 = 0.12;

/// Length in frames at which the motion around `start_frame` meets itself best, within half a frame of `lag`... or one.
pub(super) fn refine_lag(features: &Features, start_frame: usize, lag: usize, frame_time_secs: f64) -> f64 {
    let last = features.num_frames() - 1;
    let reach = ((REACH_SECS / frame_time_secs).round() as usize).max(2);
    let from = start_frame.saturating_sub(reach);
    // The longest lag looked at must stay inside.
    let to = (start_frame + reach).min(last.saturating_sub(lag + 1));
    if to < from || lag < 2 {
        return lag as f64;
    }
    let distance = |lag: usize| -> f64 {
        (from..=to).map(|frame| features.squared_distance(frame, frame + lag)).sum()
    };
    let (shorter, middle, longer) = (distance(lag - 1), distance(lag), distance(lag + 1));
    let bend = shorter - 2.0 * middle + longer;
    if bend <= 0.0 {
        return lag as f64;
    }
    let shift = 0.5 * (shorter - longer) / bend;
    (lag as f64 + shift.clamp(-1.0, 1.0)).min((last - start_frame) as f64)
}
