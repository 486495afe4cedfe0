//! Conditions on pairs of frames that may be loops: their length, and the activity between them.

use core::ops::{Range, RangeInclusive};

use crate::analysis::ActivityKind;

/// The pairs that may be loops.
#[value]
pub struct Admission {
    min_lag: usize,
    max_lag: usize,
    /// First usable frame. The lists below begin with it and end with the last one, so that a search in a part of a long take
    /// costs what the part costs.
    first: usize,
    usable: Vec<bool>,
    /// Per frame, how many frames before it do not fit the requested activity, and how many move.
    before: Vec<[usize; 2]>,
    /// Per frame, the last frame of its run of fitting frames; the frame itself if it does not fit.
    fits_until: Vec<usize>,
    min_moving_share: f64,
}

/// Share of a moving loop's frames that must move; the rest may be slower, but not idle.
const MIN_MOVING_SHARE: f64 = 0.8;

impl Admission {
    /// Admits pairs whose length in frames lies in `lags` and whose frames all have one activity, given that of every frame.
    ///
    /// [`ActivityKind::Idle`] admits cuts of idle frames only; any other kind admits cuts that move and are never idle.
    pub fn new(kinds: &[ActivityKind], usable: &[bool], lags: RangeInclusive<usize>, kind: ActivityKind) -> Self {
        let idle = kind == ActivityKind::Idle;
        // Both should be measured on the same take; if not, missing frames cannot be ends of a loop.
        let usable = &usable[..usable.len().min(kinds.len())];
        let window = match (usable.iter().position(|&is| is), usable.iter().rposition(|&is| is)) {
            (Some(first), Some(last)) => first..last + 1,
            _ => 0..0,
        };
        let mut before = vec![[0; 2]];
        for (index, &found) in kinds[window.clone()].iter().enumerate() {
            let [unfit, moving] = before[index];
            before.push([
                unfit + usize::from((found == ActivityKind::Idle) != idle),
                moving + usize::from(found == ActivityKind::Moving),
            ]);
        }
        let mut fits_until: Vec<usize> = window.clone().collect();
        for index in (1..fits_until.len()).rev() {
            if before[index - 1][0] == before[index + 1][0] {
                fits_until[index - 1] = fits_until[index];
            }
        }
        Self {
            min_lag: (*lags.start()).max(3),
            max_lag: *lags.end(),
            first: window.start,
            usable: usable[window].to_vec(),
            before,
            fits_until,
            min_moving_share: if idle { 0.0 } else { MIN_MOVING_SHARE },
        }
    }

    /// Admits all pairs of usable frames whose length in frames lies in `lags`, whatever the activity between them.
    pub fn of_any_activity(usable: &[bool], lags: RangeInclusive<usize>) -> Self {
        let alike = vec![ActivityKind::Idle; usable.len()];
        Self::new(&alike, usable, lags, ActivityKind::Idle)
    }

    /// Returns the frames at which pairs may start and end: from the first usable one to the last.
    pub(super) fn frames(&self) -> Range<usize> {
        self.first..self.first + self.usable.len()
    }

    /// Returns the conditions with other lengths.
    pub fn with_lags(&self, lags: RangeInclusive<usize>) -> Self {
        Self {
            min_lag: (*lags.start()).max(self.min_lag),
            max_lag: (*lags.end()).min(self.max_lag),
            ..self.clone()
        }
    }

    /// Whether the pair may be a loop.
    pub fn admits(&self, start_frame: usize, end_frame: usize) -> bool {
        if start_frame < self.first || end_frame >= self.frames().end || end_frame <= start_frame {
            return false;
        }
        let lag = end_frame - start_frame;
        let (start, end) = (start_frame - self.first, end_frame - self.first);
        let ([unfit_before, moving_before], [unfit, moving]) = (self.before[start], self.before[end + 1]);
        (self.min_lag..=self.max_lag).contains(&lag)
            && self.usable[start]
            && self.usable[end]
            && unfit == unfit_before
            && (moving - moving_before) as f64 >= self.min_moving_share * (lag + 1) as f64
    }

    /// Returns the first and last end that pairs of a start may have, before [`Self::admits`] checks each; `None` if it has no
    /// pair.
    pub(super) fn ends_of(&self, start_frame: usize) -> Option<(usize, usize)> {
        let index = start_frame.checked_sub(self.first)?;
        if self.usable.get(index) != Some(&true) {
            return None;
        }
        let first = start_frame.saturating_add(self.min_lag);
        let last = start_frame.saturating_add(self.max_lag).min(self.fits_until[index]);
        (first <= last).then_some((first, last))
    }
}
