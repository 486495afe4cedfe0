//! Makes a loop whose seam shows again in other ways, until a loop without a visible seam is found.

use super::{LoopSettings, MadeLoop, MakeError};
use crate::{
    analysis::Analysis,
    candidate::{LoopCandidate, SearchSettings, ended_at_its_last_key},
    loop_clip::LoopKeys,
    quality::{Quality, SeamSteps},
    root_motion::RootSettings,
};

/// Most that a loop made instead may move joints on average, metres at the size of a man: a bent motion is worse than a seam.
const MAX_BENT_METRES: f64 = 0.02;

/// Most alternative stretches that are tried.
pub const MAX_STRETCHES: usize = 4;

/// Changes that are allowed if the seam of a loop shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Retry<'a> {
    /// Alternative stretches, the best first; [`Self::instead_of`] selects those to try.
    pub stretches: &'a [LoopCandidate],
    /// If no stretch is given, those of this search are tried: seams rarely show, and most loops then need no other stretch.
    pub search: Option<&'a SearchSettings>,
    /// Whether the seam may be closed by other methods.
    pub closures: bool,
    /// The loop that [`Analysis::find_and_make`] made; it is made again for settings other than the defaults.
    pub made: Option<&'a MadeLoop>,
}

impl<'a> Retry<'a> {
    /// Returns the stretches that are tried instead of this one: at most four, the best first.
    pub fn instead_of(self, candidate: &LoopCandidate) -> impl Iterator<Item = &'a LoopCandidate> + Clone {
        self.stretches
            .iter()
            .filter(move |other| *other != candidate)
            .take(MAX_STRETCHES)
    }

    /// Returns the loop that was made before, with its figures if they are still valid.
    fn made_before(&self, candidate: &LoopCandidate, settings: &LoopSettings) -> Option<(MadeLoop, Option<Quality>)> {
        let root = RootSettings {
            recenter: false,
            ..settings.root
        };
        let made = self.made.filter(|made| made.candidate == *candidate)?;
        let asked = LoopSettings {
            root,
            ..settings.clone()
        };
        (asked == LoopSettings::default()).then(|| {
            let made = MadeLoop {
                root: settings.root,
                ..made.clone()
            };
            if settings.root.recenter {
                (made.recentered(), None)
            } else {
                let quality = made.candidate.quality.as_deref().copied();
                (made, quality)
            }
        })
    }
}

/// A loop, and the requested loop that it replaces.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RetriedLoop {
    /// The loop: the first whose seam does not show, or the requested one if all seams show.
    pub made: MadeLoop,
    /// The settings that the loop of the take was made with.
    pub settings: LoopSettings,
    /// The requested loop of the take, if its seam shows; `None` if it is the one that was made.
    pub asked_for: Option<MadeLoop>,
    /// Number of loops that were made.
    pub tried: usize,
    /// Whether the seam of the loop shows.
    pub shows: bool,
    /// The figures of the loop of the take, if they are known already.
    pub quality: Option<Quality>,
}

impl Analysis {
    /// Makes a loop as [`Self::make_loop`] does; if its seam shows ([`crate::Quality::pops`]), tries the alternatives that
    /// `retry` admits: first the other stretches, then the other closing methods for each stretch.
    ///
    /// A take that already loops keeps its stretch; if its closing key is missing, the last resort is to end at its last key.
    /// Stretches that cannot be made into a loop are skipped. Errors: those of [`Self::make_loop`] for the requested loop.
    pub fn make_loop_or_retry(
        &self,
        candidate: &LoopCandidate,
        settings: &LoopSettings,
        retry: Retry,
    ) -> Result<RetriedLoop, MakeError> {
        // Seams are judged on the take's loop; the chosen one is then put onto the character and varied.
        let mut done = of_take_or_retry(self, candidate, &settings.of_take(), retry)?;
        done.made = done.made.completed(self, settings)?;
        Ok(done)
    }
}

/// Makes the loop of the take, or another one if its seam shows.
fn of_take_or_retry(
    analysis: &Analysis,
    candidate: &LoopCandidate,
    settings: &LoopSettings,
    retry: Retry,
) -> Result<RetriedLoop, MakeError> {
    let (first, quality) = match retry.made_before(candidate, settings) {
        Some(made) => made,
        None => (analysis.make_loop(candidate, settings)?, None),
    };
    let mut done = RetriedLoop {
        shows: quality.map_or_else(|| shows(&first), |quality| quality.pops()),
        quality,
        made: first,
        settings: settings.clone(),
        asked_for: None,
        tried: 1,
    };
    // A seam that its author closed is not changed.
    if !done.shows || candidate.is_finished_clip() {
        return Ok(done);
    }
    let found;
    let stretches = match retry.search.filter(|_| retry.stretches.is_empty()) {
        None => retry.stretches,
        Some(search) => {
            found = analysis
                .find_loops(search)
                .map_or_else(|_| Vec::new(), |found| found.candidates);
            &found[..]
        }
    };
    let others = Retry { stretches, ..retry }.instead_of(candidate);
    for other in others.clone() {
        if done.try_without_seam(analysis, other, settings) {
            return Ok(done);
        }
    }
    for stretch in core::iter::once(candidate).chain(others).filter(|_| retry.closures) {
        let Ok(choice) = analysis.choose_closure(stretch, settings) else {
            continue;
        };
        done.tried += choice.tried.saturating_sub(1);
        let mut settings = settings.clone();
        settings.closure.method = choice.method;
        if done.try_without_seam(analysis, stretch, &settings) {
            return Ok(done);
        }
    }
    if let Some(shorter) = ended_at_its_last_key(analysis, candidate).filter(|_| retry.closures) {
        done.try_without_seam(analysis, &shorter, settings);
    }
    Ok(done)
}

impl RetriedLoop {
    /// Makes an alternative loop and replaces the previous one by it, if it is accepted; returns whether it was.
    pub fn try_instead(
        &mut self,
        analysis: &Analysis,
        candidate: &LoopCandidate,
        settings: &LoopSettings,
        accepts: impl FnOnce(&MadeLoop) -> bool,
    ) -> bool {
        let Ok(made) = analysis.make_loop(candidate, settings) else {
            return false;
        };
        self.tried += 1;
        if !accepts(&made) {
            return false;
        }
        self.shows = shows(&made);
        self.quality = None;
        self.settings = settings.clone();
        self.asked_for = Some(core::mem::replace(&mut self.made, made));
        true
    }

    /// Makes another loop and takes it if its seam does not show and the motion is not bent for that.
    fn try_without_seam(&mut self, analysis: &Analysis, candidate: &LoopCandidate, settings: &LoopSettings) -> bool {
        self.try_instead(analysis, candidate, settings, |made| {
            let quality = made.measured();
            // An edited loop differs from the uncut take on purpose, and a mean from the cycle that it is compared with.
            let is_meant = !settings.edits.is_empty() || made.mean_cycle.is_some();
            let is_bent = |metres: f64| !is_meant && metres > MAX_BENT_METRES * quality.body_size;
            !quality.pops() && !quality.displacement_metres.is_some_and(is_bent)
        })
    }
}

fn shows(made: &MadeLoop) -> bool {
    let keys = LoopKeys::from_loop(&made.loop_clip);
    SeamSteps::from_loop(&keys, made.body.size_in(keys.skeleton(), keys.middle_pose())).shows()
}
