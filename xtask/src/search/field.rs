//! The pairs of frames of a take that every search method may choose from.

use loopwright::{LoopCandidate, SearchSettings, analysis::ActivityKind, unstable::search::Admission};

use crate::takes::Studied;

/// Shortest idle loop that the search proposes, seconds.
const MIN_IDLE_SECS: f64 = 2.0;

/// The pairs of frames of a take that the search admits by default, and the loop that it recommends.
pub(super) struct Field {
    /// Recommended loop.
    pub(super) best: LoopCandidate,
    /// Lengths in frames.
    pub(super) lags: core::ops::RangeInclusive<usize>,
    /// The admitted pairs.
    pub(super) admission: Admission,
}

impl Field {
    pub(super) fn new(studied: &Studied) -> Result<Self, String> {
        let (take, analysis) = (&studied.take, &studied.analysis);
        let settings = SearchSettings::default();
        let best = (studied.recommended()?).ok_or_else(|| studied.failed("no loop was found"))?;
        let dt = take.frame_time_secs();
        let mut min_lag = ((settings.min_secs / dt - 1e-9).ceil() as usize).max(3);
        let mut activity = ActivityKind::Moving;
        if best.is_idle {
            min_lag = min_lag.max((MIN_IDLE_SECS / dt).round() as usize);
            activity = ActivityKind::Idle;
        }
        let max_lag = (settings.max_secs / dt + 1e-9).floor() as usize;
        let lags = min_lag..=max_lag.min(take.num_frames() - 1);
        Ok(Self {
            best,
            admission: Admission::new(&analysis.activity, &analysis.usable, lags.clone(), activity),
            lags,
        })
    }
}
