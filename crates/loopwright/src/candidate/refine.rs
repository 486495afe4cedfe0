//! The length of a loop below one frame.
//!
//! Around the seam the summed squared distance of poses one lag apart has its minimum at the length at which the motion meets
//! itself best. Only the end moves: along the other direction, both ends together, the cost is flat, and a start on a whole
//! frame needs no interpolation. Source: docs/math/search.md.

use super::rhythm::Later;

/// Poses this share of a fundamental period on either side of the seam are compared.
///
/// Less, and the noise of a few frames moves the length by a frame; more, and the seam is no longer what is fitted.
const REACH_SHARE: f64 = 0.25;

/// Whole frames on either side of the lag that are tried before going below one frame.
const TRIED_FRAMES: usize = 2;

/// Length in frames at which the motion around `start_frame` meets itself best, at most three frames from `lag`.
pub(super) fn refine_lag(later: Later<'_>, start_frame: usize, lag: usize, cycles: u32) -> f64 {
    let features = later.features();
    let last = later.num_frames() - 1;
    let reach = ((REACH_SHARE * lag as f64 / f64::from(cycles.max(1))).round() as usize).max(2);
    let from = start_frame.saturating_sub(reach);
    // The longest lag tried must stay inside.
    let Some(to) = last
        .checked_sub(lag + TRIED_FRAMES)
        .map(|room| room.min(start_frame + reach))
    else {
        return lag as f64;
    };
    if to < from || lag <= TRIED_FRAMES {
        return lag as f64;
    }
    let distance = |lag: usize| -> f64 {
        (from..=to)
            .map(|frame| later.squared_distance(frame, frame + lag))
            .sum()
    };
    let nearest = (lag - TRIED_FRAMES..=lag + TRIED_FRAMES)
        .min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
        .unwrap_or(lag);
    // One step of Gauss and Newton from there: a pose gap along the motion is a gap in time. Exact repeats stay exact.
    let (mut along, mut speed) = (0.0, 0.0);
    for frame in from..=to {
        let opposite = later.later(frame + nearest);
        for axis in 0..features.num_position_axes() {
            let gap = features.positions(opposite)[axis] - features.positions(frame)[axis];
            let rate = 0.5 * (features.velocities(opposite)[axis] + features.velocities(frame)[axis]);
            along += gap * rate;
            speed += rate * rate;
        }
    }
    let shift_secs = if speed > 0.0 { -along / speed } else { 0.0 };
    let shift = (shift_secs / features.frame_time_secs()).clamp(-1.0, 1.0);
    (nearest as f64 + shift).min((last - start_frame) as f64)
}
