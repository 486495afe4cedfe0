//! The searches for loops: in a whole take, or for a stretch that the caller chose.

use super::{
    Choosing, FoundLoops, LastKey, LoopCandidate, SearchError, SearchSettings, Steadiness, WholeClip, WholeClipKind,
    finder::{Finder, is_gesture},
    is_cut_off, ping_pong, rhythm,
    whole_clip::{trimmed_cycle, whole_candidate},
};
use crate::{
    analysis::{Analysis, Features},
    take::{Cut, CutError},
};

/// The loops that a search proposes.
pub(crate) struct Proposed {
    /// The whole take as a loop, in its own frames.
    pub whole: Option<LoopCandidate>,
    /// The others in the order of their costs, in frames of the take to choose on.
    pub found: FoundLoops,
}

/// Returns the loops that a search proposes; the pipeline chooses among them. Errors: [`SearchError`].
pub(crate) fn propose_loops(choosing: &Choosing) -> Result<Proposed, SearchError> {
    let (analysis, settings) = (choosing.own, choosing.own_settings);
    if settings.pairing.is_ping_pong() {
        check(analysis, settings)?;
        let found = ping_pong::find(analysis, settings)?;
        return Ok(Proposed { whole: None, found });
    }
    let features = settings.pairing.features(choosing.analysis());
    find_all(choosing, &finder(choosing, &features))
}

/// Returns the search on the take to choose on. Errors: [`SearchError`].
pub(super) fn finder<'a>(choosing: &'a Choosing<'_>, features: &'a Features) -> Result<Finder<'a>, SearchError> {
    check(choosing.own, choosing.own_settings).map(|()| Finder::new(choosing.analysis(), choosing.settings(), features))
}

/// Finds the loop of the whole take, and those of the stretches that the settings admit. Errors: [`SearchError`].
pub(super) fn find_all(choosing: &Choosing, finder: &Result<Finder, SearchError>) -> Result<Proposed, SearchError> {
    let (analysis, settings) = (choosing.own, choosing.own_settings);
    let admits_whole = settings.admits_whole_take();
    let asked_for = |whole: WholeClip| {
        let candidate = whole_candidate(analysis, &whole, settings)?;
        let (first, last) = settings.within.unwrap_or((0, usize::MAX));
        let is_searched = candidate.cut.start_frame() >= first as f64 && candidate.cut.end_frame() <= last as f64;
        let is_idle = || candidate.is_idle && !is_gesture(analysis, whole.start_frame, whole.last_frame);
        let is_asked_for = is_searched && (!settings.idle || is_idle());
        (is_asked_for && settings.root_motion.admit(&candidate.twist)).then_some(candidate)
    };
    let whole_loop = admits_whole
        .then(|| analysis.whole_loop())
        .flatten()
        .and_then(asked_for);
    let returns = |whole: &WholeClip| whole.kind == WholeClipKind::EndsAsItBegins;
    let is_action = whole_loop
        .as_ref()
        .and_then(|found| found.whole.as_ref())
        .is_some_and(returns);
    if is_action && analysis.named_motion().repeats == Some(false) {
        return Err(SearchError::SingleAction);
    }
    let (found, cycle) = match finder {
        Ok(finder) => {
            let within = choosing.settings().within;
            let found = finder.find(within, settings.idle);
            // A search finds an idle stretch in any take that rests somewhere, but a cycle is the purpose of the take.
            let moves = found.candidates.first().is_some_and(|best| !best.is_idle);
            let cycle = (admits_whole && !moves && whole_loop.is_none()).then(|| {
                let whole = analysis.whole_cycle();
                let own = Finder::new(analysis, settings, &analysis.features);
                trimmed_cycle(analysis, &own, whole.as_ref()).or(whole)
            });
            (found, cycle.flatten())
        }
        Err(_) if whole_loop.is_some() => (FoundLoops::default(), None),
        Err(error) => return Err(error.clone()),
    };
    let whole = whole_loop
        .filter(|whole| !is_chance(whole, &found))
        .or_else(|| cycle.and_then(asked_for));
    Ok(Proposed { whole, found })
}

/// Whether a take that counts as one cycle ends at its start by chance: the search finds a shorter cycle at least twice.
fn is_chance(candidate: &LoopCandidate, found: &FoundLoops) -> bool {
    candidate.cycles == 1
        && candidate
            .whole
            .is_some_and(|whole| whole.last_key == LastKey::BeforeClosing && !whole.is_in_place())
        && found.candidates.iter().any(|best| {
            let cycles = f64::from(best.cycles.max(1));
            !best.is_idle && 2.0 * best.source_period_secs <= cycles * candidate.source_period_secs
        })
}

impl Analysis {
    /// Describes a stretch of the caller's choice as a candidate, with all figures that [`Self::find_loops`] reports.
    ///
    /// Frames are counted from 0 and may be fractional. The stretch need not qualify as a loop, and its ends are kept; figures
    /// are those of the nearest whole frames. Cycles are counted unless the settings give their number. Errors: frames outside
    /// the take, or fewer than three between the ends.
    pub fn appraise(
        &self,
        start_frame: f64,
        end_frame: f64,
        settings: &SearchSettings,
    ) -> Result<LoopCandidate, CutError> {
        if settings.pairing.is_ping_pong() {
            return ping_pong::describe(self, settings, start_frame, end_frame);
        }
        let cut = Cut::new(&self.take, start_frame, end_frame)?;
        let (start_frame, end_frame) = (start_frame.round() as usize, end_frame.round() as usize);
        // Between held poses, the frames that move are the intended loop of the take.
        if settings.admits_whole_take()
            && is_cut_off(self, &cut)
            && let Some(whole) = self.whole_loop()
            && whole.kind == WholeClipKind::Loops
            && whole.last_key == LastKey::Repeated
            && let Some(candidate) = whole_candidate(self, &whole, settings)
            && candidate.cut == cut
        {
            return Ok(candidate);
        }
        let lag = end_frame - start_frame;
        if lag < 3 {
            return Err(CutError::TooShort { num_intervals: lag });
        }
        if let Some(cycles) = settings.cycles.filter(|&cycles| cycles as usize > lag / 2) {
            return Err(CutError::Cycles {
                cycles,
                num_intervals: lag,
            });
        }
        let features = settings.pairing.features(self);
        let finder = Finder::new(self, settings, &features);
        let pair = finder.pair(start_frame, end_frame);
        let rhythm = finder
            .rhythm(&pair)
            .filter(|rhythm| rhythm.strength >= rhythm::MIN_STRENGTH && rhythm.prominence >= rhythm::MIN_PROMINENCE);
        let is_idle = self.is_idle_between(start_frame, end_frame);
        let candidate = finder.describe(&pair, cut, rhythm, is_idle);
        let Some(cycles) = settings.cycles.filter(|&cycles| cycles != candidate.cycles) else {
            return Ok(candidate);
        };
        Ok(LoopCandidate {
            cycles,
            steadiness_around: Steadiness::estimated(self, [cut.start_frame(), cut.end_frame()], cycles),
            ..candidate
        })
    }
}

/// Checks that the take can be searched at all.
fn check(analysis: &Analysis, settings: &SearchSettings) -> Result<(), SearchError> {
    let (min_secs, max_secs) = (settings.min_secs, settings.max_secs);
    if !(min_secs > 0.0 && max_secs >= min_secs) {
        return Err(SearchError::Bounds { min_secs, max_secs });
    }
    let num_frames = analysis.take.num_frames();
    if num_frames > 1 && !analysis.usable.contains(&true) {
        return Err(SearchError::NoCleanFrame);
    }
    // A ping-pong stretch need not move a compared joint: `ping_pong` checks all joints.
    if analysis.activity.is_still() && num_frames > 1 && !settings.pairing.is_ping_pong() {
        return Err(SearchError::Still);
    }
    if num_frames < 3 || settings.lag_step(&analysis.take).fewest(min_secs) > num_frames - 1 {
        return Err(SearchError::TooShort {
            take_secs: analysis.take.duration_secs(),
            min_secs,
        });
    }
    Ok(())
}
