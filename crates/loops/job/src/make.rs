//! Makes a loop of a stretch, on the take or on the character, and tries other stretches and closures if the seam shows.

use std::sync::Arc;

use loopwright_core::{
    LoopCandidate, LoopSettings, MadeLoop, Quality,
    analysis::MOVING_MPS,
    candidate::MotionKind,
    closure::ClosureName,
    feet::FootLock,
    math::ops,
    pipeline::{Length, RetriedLoop, Retry, Sampling, Timing},
    quality,
};

use loopwright_formats::loop_file::facts::{CheckFacts, Grade};

use crate::{
    choose::{Chosen, Request},
    decision::Decision,
    error::JobError,
    recipe::{Ineffective, OutputRecipe, Recipe},
    study::Studied,
    verdict::{Verdict, of_take},
};

/// Highest rate at which loops are sampled, per second, unless their take has a higher one.
///
/// Engines play at most a few hundred frames per second and sample between keys. Smoothing over a time costs the square of the
/// rate: holding the feet takes most of a minute at 60,000 and milliseconds at 1,000.
const MAX_RATE_HZ: f64 = 1000.0;

/// A loop made of a stretch, not yet written.
#[derive(Clone, Debug)]
pub struct LoopMade {
    /// The row it was made from, from 1.
    pub row: usize,
    /// The loop, on the character if there is one.
    pub made: MadeLoop,
    /// The choice made for the user, with its reason.
    pub decision: Option<Decision>,
    /// Number of loops that were made.
    pub tried: usize,
    /// Whether other stretches may be tried.
    pub may_move: bool,
    /// Output settings, with the engine's choices filled in.
    pub output: OutputRecipe,
    /// Settings without effect.
    pub ineffective: Vec<Ineffective>,
}

impl LoopMade {
    /// Wraps a loop for which no alternative was tried.
    pub(crate) fn alone(made: MadeLoop, output: OutputRecipe, ineffective: Vec<Ineffective>) -> Self {
        Self {
            row: 1,
            made,
            decision: None,
            tried: 1,
            may_move: false,
            output,
            ineffective,
        }
    }

    /// Returns the recipe that makes the same loop again.
    pub fn recipe(&self, recipe: &Recipe) -> Recipe {
        recipe.done(
            &self.made.candidate,
            self.decision.is_some().then_some(&self.made.closed.method),
        )
    }

    /// Returns the speed over the ground, metres per second.
    pub fn speed_mps(&self) -> f64 {
        ground_speed(&self.made)
    }

    /// Returns the kind of its motion.
    pub fn kind(&self, studied: &Studied) -> MotionKind {
        studied
            .analysis
            .motion_kind(Some(&self.made.candidate), Some(self.speed_mps()))
    }
}

/// Whether the body of a loop stays in place, whatever its feet do.
pub(crate) fn is_in_place(made: &MadeLoop) -> bool {
    let take = &made.candidate;
    let in_take = match &take.whole {
        _ if take.pairing.is_ping_pong() => true,
        Some(whole) => whole.is_in_place(),
        None => ops::over_ground(take.twist.linear) < MOVING_MPS,
    };
    in_take || !made.root.mode.moves_root()
}

/// Returns the speed of a loop over the ground, metres per second.
pub(crate) fn ground_speed(made: &MadeLoop) -> f64 {
    ops::over_ground(made.loop_clip.root().twist.linear)
}

/// Makes the loop of a stretch, or of an alternative if the seam shows or only the alternative is good. Errors: [`JobError`].
pub fn make(studied: &Studied, request: Request, chosen: &Chosen) -> Result<LoopMade, JobError> {
    let recipe = request.recipe;
    let (mut settings, output, ineffective) = settings(studied, recipe, &chosen.stretch)?;
    check_sampling(studied, &chosen.stretch, &settings.timing)?;
    let choice = (recipe.closure.method == Some(ClosureName::Auto))
        .then(|| studied.analysis.choose_closure(&chosen.stretch, &settings))
        .transpose()?;
    if let Some(choice) = &choice {
        settings.closure.method = choice.method;
    }
    let retry = Retry {
        stretches: &chosen.others,
        search: chosen.search.as_ref(),
        closures: !recipe.states_closure(),
        made: chosen.made.as_ref(),
    };
    let mut found = studied.analysis.make_loop_or_retry(&chosen.stretch, &settings, retry)?;
    let decision = match &found.asked_for {
        Some(asked_for) => instead(&found, format!("the seam shows: {}", verdict(asked_for, &[]).reason)),
        None => good_instead(studied, &chosen.stretch, &settings, retry, &mut found).or(choice.map(Decision::Closure)),
    };
    Ok(LoopMade {
        row: chosen.row,
        made: found.made,
        decision,
        tried: found.tried,
        may_move: retry.closures && !retry.stretches.is_empty(),
        output,
        ineffective,
    })
}

/// Makes a quick loop of a stretch for preview while a setting still changes: the feet are not held, which would take longer
/// than everything else, and no alternative is tried. Errors: [`JobError`].
pub fn draft(studied: &Studied, recipe: &Recipe, stretch: &LoopCandidate) -> Result<LoopMade, JobError> {
    let (mut settings, output, ineffective) = settings(studied, recipe, stretch)?;
    settings.feet.lock = FootLock::Off;
    let made = studied.analysis.make_loop(stretch, &settings)?;
    Ok(LoopMade::alone(made, output, ineffective))
}

/// Returns the core's settings for the loop of a stretch, the output settings, and settings without effect. Errors:
/// [`JobError::Recipe`].
pub(crate) fn settings(
    studied: &Studied,
    recipe: &Recipe,
    stretch: &LoopCandidate,
) -> Result<(LoopSettings, OutputRecipe, Vec<Ineffective>), JobError> {
    let output = recipe.output.filled(studied.take().frame_rate_hz(), stretch);
    let mut ineffective = Vec::new();
    let mut settings = recipe.loop_settings(&output, &studied.analysis, &studied.body_of_loops(), &mut ineffective)?;
    settings.character = studied.character.as_ref().map(|matched| Arc::clone(&matched.pair));
    Ok((settings, output, ineffective))
}

/// Returns the highest rate at which a take or loop of rate `frame_rate_hz` is sampled, per second; engines use no higher one.
pub fn max_rate_hz(frame_rate_hz: f64) -> f64 {
    // The rate of a take is rounded, and its period is retimed to whole samples.
    MAX_RATE_HZ.max(1.01 * frame_rate_hz)
}

/// Refuses a rate that no engine can use, and a loop that takes too much memory, before any work is done.
fn check_sampling(studied: &Studied, chosen: &LoopCandidate, timing: &Timing) -> Result<(), JobError> {
    let rate_hz = studied.take().frame_rate_hz();
    let limit_hz = max_rate_hz(rate_hz);
    let secs = match timing.length {
        Some(Length::Secs(secs)) => secs,
        _ => chosen.source_period_secs,
    };
    let limit = (limit_hz * secs).ceil();
    let samples = match timing.sampling {
        Sampling::Rate(wanted_hz) if wanted_hz > limit_hz => return Err(JobError::Rate { wanted_hz, limit_hz }),
        Sampling::Samples(wanted) if wanted as f64 > limit => return Err(JobError::Frames { wanted, limit }),
        Sampling::Samples(wanted) => wanted as f64,
        Sampling::Rate(wanted_hz) => wanted_hz * secs,
        Sampling::SourceRate => rate_hz * secs,
    };
    Ok(studied.check_samples(samples)?)
}

/// Takes the first alternative whose loop is good if the recommended loop is not. The search ranks stretches by the take; the
/// finished loop shows more. A whole take keeps its place.
fn good_instead(
    studied: &Studied,
    stretch: &LoopCandidate,
    settings: &LoopSettings,
    retry: Retry,
    found: &mut RetriedLoop,
) -> Option<Decision> {
    if retry.stretches.is_empty() || stretch.keeps_its_place() {
        return None;
    }
    let of_take = |stretch: &LoopCandidate| of_take(&studied.analysis, stretch);
    let quality = found.quality.unwrap_or_else(|| quality_of(found.made.on_take()));
    let first = Verdict::of_made(found.made.on_take(), &quality, &of_take(stretch));
    if first.grade == Grade::Good {
        return None;
    }
    // Many stretches can be ruled out by the checks of the take alone, without making their loops. Finished clips are kept, since fewer of
    // these checks apply to them.
    let may_be_good = |other: &&LoopCandidate| {
        other.whole.is_some()
            || of_take(other)
                .iter()
                .all(|check| check.grade.is_none_or(|grade| grade == Grade::Good))
    };
    let is_good = |made: &MadeLoop| graded(studied, made).grade == Grade::Good;
    retry
        .instead_of(stretch)
        .filter(may_be_good)
        .find(|other| found.try_instead(&studied.analysis, other, settings, is_good))?;
    instead(found, first.to_string())
}

/// Grades a loop on the take's own skeleton and before variation, so that all outputs choose the same stretch.
pub(crate) fn graded(studied: &Studied, made: &MadeLoop) -> Verdict {
    verdict(made.on_take(), &of_take(&studied.analysis, &made.candidate))
}

fn verdict(made: &MadeLoop, of_take: &[CheckFacts]) -> Verdict {
    Verdict::of_made(made, &quality_of(made), of_take)
}

fn quality_of(made: &MadeLoop) -> Quality {
    quality::measure(&made.keys(), &made.body, Some(&made.source))
}

/// Describes the loop made instead of the requested one, with the reason; `None` if the requested one was made.
fn instead(found: &RetriedLoop, reason: String) -> Option<Decision> {
    let asked_for = found.asked_for.as_ref()?;
    let frames = |made: &MadeLoop| [made.candidate.cut.start_frame(), made.candidate.cut.end_frame()];
    Some(Decision::Instead {
        made_of: frames(&found.made),
        asked_for: (found.made.candidate != asked_for.candidate).then(|| frames(asked_for)),
        method: found.made.closed.method,
        reason,
        tried: found.tried,
    })
}
