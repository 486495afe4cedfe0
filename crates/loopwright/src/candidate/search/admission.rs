//! Conditions on pairs of frames that may be loops: their length, and the activity between them.

use core::ops::RangeInclusive;

use crate::analysis::activity::{Activity, ActivityKind};

/// The pairs that may be loops.
#[derive(Clone, Debug, PartialEq)]
pub struct Admission {
    min_lag: usize,
    max_lag: usize,
    usable: Vec<bool>,
    /// Per frame, how many frames before it do not fit the activity asked for, and how many move.
    unfit_before: Vec<usize>,
    moving_before: Vec<usize>,
    /// Per frame, the last frame of its run of fitting frames; the frame itself where it does not fit.
    fits_until: Vec<usize>,
    min_moving_share: f64,
}

/// Share of a moving loop's frames that must move; the rest may be slower, but never idle.
const MIN_MOVING_SHARE: f64 = 0.8;

impl Admission {
    /// Pairs whose length in frames lies in `lags` and whose frames all have one activity.
    ///
    /// [`ActivityKind::Idle`] admits cuts of idle frames only; any other kind admits cuts that move and are never idle.
    pub fn new(activity: &Activity, usable: &[bool], lags: RangeInclusive<usize>, kind: ActivityKind) -> Self {
        let idle = kind == ActivityKind::Idle;
        let (mut unfit_before, mut moving_before) = (vec![0], vec![0]);
        for (frame, &found) in activity.kinds().iter().enumerate() {
            let fits = (found == ActivityKind::Idle) == idle;
            unfit_before.push(unfit_before[frame] + usize::from(!fits));
            moving_before.push(moving_before[frame] + usize::from(found == ActivityKind::Moving));
        }
        Self::of_runs(
            usable,
            lags,
            unfit_before,
            moving_before,
            if idle { 0.0 } else { MIN_MOVING_SHARE },
        )
    }

    /// All pairs of usable frames whose length in frames lies in `lags`, whatever the activity between them.
    pub fn of_any_activity(usable: &[bool], lags: RangeInclusive<usize>) -> Self {
        let none_before = vec![0; usable.len() + 1];
        Self::of_runs(usable, lags, none_before.clone(), none_before, 0.0)
    }

    fn of_runs(
        usable: &[bool],
        lags: RangeInclusive<usize>,
        unfit_before: Vec<usize>,
        moving_before: Vec<usize>,
        min_moving_share: f64,
    ) -> Self {
        // Both should be measured on the same take; if not, missing frames cannot be ends of a loop.
        let num_frames = usable.len().min(unfit_before.len() - 1);
        let mut fits_until: Vec<usize> = (0..num_frames).collect();
        for frame in (1..num_frames).rev() {
            if unfit_before[frame - 1] == unfit_before[frame + 1] {
                fits_until[frame - 1] = fits_until[frame];
            }
        }
        Self {
            min_lag: (*lags.start()).max(3),
            max_lag: *lags.end(),
            usable: usable[..num_frames].to_vec(),
            unfit_before,
            moving_before,
            fits_until,
            min_moving_share,
        }
    }

    /// The same conditions with other lengths.
    pub fn with_lags(&self, lags: RangeInclusive<usize>) -> Self {
        Self {
            min_lag: (*lags.start()).max(self.min_lag),
            max_lag: (*lags.end()).min(self.max_lag),
            ..self.clone()
        }
    }

    /// Whether the pair may be a loop.
    pub fn admits(&self, start_frame: usize, end_frame: usize) -> bool {
        let num_frames = self.usable.len();
        if end_frame >= num_frames || end_frame <= start_frame {
            return false;
        }
        let lag = end_frame - start_frame;
        let moving = self.moving_before[end_frame + 1] - self.moving_before[start_frame];
        (self.min_lag..=self.max_lag).contains(&lag)
            && self.usable[start_frame]
            && self.usable[end_frame]
            && self.unfit_before[end_frame + 1] == self.unfit_before[start_frame]
            && moving as f64 >= self.min_moving_share * (lag + 1) as f64
    }

    /// First and last end that pairs of a start may have, before [`Self::admits`] checks each; `None` where it has no pair.
    pub(super) fn ends_of(&self, start_frame: usize) -> Option<(usize, usize)> {
        if !self.usable.get(start_frame).copied().unwrap_or(false) {
            return None;
        }
        let first = start_frame.saturating_add(self.min_lag);
        let last = start_frame
            .saturating_add(self.max_lag)
            .min(self.fits_until[start_frame]);
        (first <= last).then_some((first, last))
    }
}
