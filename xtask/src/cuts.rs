//! Many cuts of each take, and the visibility of their closed seams.

use loopwright::{LoopCandidate, SearchSettings, candidate::ChooseBy, pipeline::Sampling};

use crate::{statistics::mean, takes::Studied};

/// Most cuts of each take.
const CUTS_PER_TAKE: usize = 16;

/// Rate above which takes are halved on request, frames per second.
pub(crate) const FAST_HZ: f64 = 90.0;

/// Runs work on the distinct loops of a take in the order of the search, at the take's rate or, for a fast take, at half.
pub(crate) fn for_each(
    studied: &Studied,
    is_halved: bool,
    mut work: impl FnMut(&LoopCandidate, Sampling) -> Result<(), String>,
) -> Result<(), String> {
    let settings = SearchSettings {
        max_candidates: CUTS_PER_TAKE,
        choose_by: ChooseBy::Cost,
        ..SearchSettings::default()
    };
    let rate = studied.take.frame_rate_hz();
    let sampling = if is_halved && rate > FAST_HZ {
        Sampling::Rate(0.5 * rate)
    } else {
        Sampling::SourceRate
    };
    for candidate in &studied.find(&settings)?.candidates {
        work(candidate, sampling)?;
    }
    Ok(())
}

/// Ranks in percent of many seams.
#[derive(Default)]
pub(crate) struct Ranks(pub(crate) Vec<f64>);

impl Ranks {
    /// Mean, standard error, and share above 90, as table cells.
    pub(crate) fn cells(&self) -> String {
        let count = self.0.len() as f64;
        let mean = mean(&self.0);
        let variance = self.0.iter().map(|rank| (rank - mean) * (rank - mean)).sum::<f64>() / (count - 1.0);
        let above = self.0.iter().filter(|&&rank| rank > 90.0).count() as f64;
        format!(
            "{mean:.1} | {:.1} | {:.0}%",
            (variance / count).sqrt(),
            100.0 * above / count
        )
    }
}
