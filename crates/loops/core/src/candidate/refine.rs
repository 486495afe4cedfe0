//! Refines the length of a loop below one frame.
//!
//! The summed squared distance of poses one lag apart, around the seam, is least at the length at which the motion meets itself
//! best. Only the end moves: moving both ends together hardly changes the cost, and a start on a whole frame needs no
//! interpolation. Source: docs/math/search.md.

use super::comparison::PoseComparison;
use crate::math::{TimeStep, around, ordered};

/// Poses this share of a fundamental period on either side of the seam are compared.
///
/// With less, the noise of a few frames moves the length by a frame; with more, the fit no longer describes the seam.
const REACH_SHARE: f64 = 0.25;

/// Lags this far on either side are tried before the refinement below one frame, seconds, and at least two frames: noise moves
/// the cheapest pair by a hundredth of a second.
const TRIED_SECS: f64 = 1.0 / 30.0;
const TRIED_FRAMES: usize = 2;

/// Speeds are measured between poses this far on either side, seconds, and at least one frame: at 120 frames per second noise
/// would be half of the difference between neighbouring frames.
const SPEED_SECS: f64 = 1.0 / 30.0;

/// Returns the length in frames at which the motion around `start_frame` meets itself best, at most one frame outside the lags
/// tried.
pub(super) fn refine_lag(comparison: PoseComparison, start_frame: usize, lag: usize, cycles: u32) -> f64 {
    let features = comparison.features();
    let dt = features.frame_time_secs();
    let last = comparison.num_frames() - 1;
    let tried = TimeStep::new(dt).nearest(TRIED_SECS).max(TRIED_FRAMES);
    let reach = ((REACH_SHARE * lag as f64 / f64::from(cycles.max(1))).round() as usize).max(2);
    let from = start_frame.saturating_sub(reach);
    // The longest lag tried must stay inside the take.
    let Some(to) = last.checked_sub(lag + tried).map(|room| room.min(start_frame + reach)) else {
        return lag as f64;
    };
    if to < from || lag <= tried {
        return lag as f64;
    }
    let distance = |lag: usize| -> f64 {
        (from..=to)
            .map(|frame| comparison.squared_distance(frame, frame + lag))
            .sum()
    };
    let nearest = (lag - tried..=lag + tried)
        .min_by_key(|&lag| ordered(distance(lag)))
        .unwrap_or(lag);
    // One Gauss-Newton step: a pose gap along the motion is a gap in time. Exact repeats are kept exactly.
    let span = TimeStep::new(dt).nearest_from_one(SPEED_SECS);
    let (mut along, mut speed) = (0.0, 0.0);
    for frame in from..=to {
        let ((before, after), (before_end, after_end)) =
            (around(frame, span, last), around(frame + nearest, span, last));
        let (secs, secs_end) = ((after - before) as f64 * dt, (after_end - before_end) as f64 * dt);
        let [at_end, before_end, after_end] =
            [frame + nearest, before_end, after_end].map(|frame| comparison.row_met(frame));
        for axis in 0..features.num_position_axes() {
            let at = |frame: usize| features.positions(frame)[axis];
            let gap = at(at_end) - at(frame);
            let rate = 0.5 * ((at(after) - at(before)) / secs + (at(after_end) - at(before_end)) / secs_end);
            along += gap * rate;
            speed += rate * rate;
        }
    }
    let shift_secs = if speed > 0.0 { -along / speed } else { 0.0 };
    let shift = (shift_secs / dt).clamp(-1.0, 1.0);
    (nearest as f64 + shift).min((last - start_frame) as f64)
}
