//! Computes the mean of the cycles around a candidate, as the clip from which its loop is made.

use super::{MakeError, Plan};
use crate::closure;
use crate::mean_cycle::{LaidCycles, MeanCycle, MeanCycleError, MeanCycles};
use crate::root_motion::{self, RootRelativeClip, RootSettings, RootSpace};
use crate::take::Clip;

/// Returns the mean that the settings request; `None` if they request none. `clip` is the candidate's own stretch.
pub(super) fn asked_for(plan: &Plan<'_>, clip: &Clip) -> Result<Option<(RootRelativeClip, MeanCycle)>, MakeError> {
    let Plan {
        analysis,
        candidate,
        settings,
    } = *plan;
    if settings.mean_cycles == MeanCycles::Off {
        return Ok(None);
    }
    if settings.root.space == RootSpace::Full {
        return Err(MeanCycleError::FullSpace.into());
    }
    let laid = LaidCycles::find(analysis, candidate, settings.mean_cycles, clip.num_intervals())?;
    // Fine detail needs the candidate closed by itself, whatever happens to its root later.
    let root = root_motion::extract_root_motion(analysis, clip, candidate.cycles, &RootSettings::default(), None)?.root;
    let closed = closure::close(&laid.own(clip, root).clip, &settings.closure)?;
    let (mean, about) = laid.mean(&closed.tracks);
    let mean = root_motion::extract_root_motion(analysis, &mean, candidate.cycles, &settings.root, None)?;
    Ok(Some((mean, about)))
}
