//! The loop that the choices give, with its figures.

use loopwright::{
    LoopCandidate, LoopSettings, MadeLoop, Quality, SearchSettings,
    feet::FootLock,
    loop_clip::LoopKeys,
    pipeline::{ClosureChoice, MakeError},
    quality,
};
use loopwright_formats::loop_file::{Verdict, doubt};
use loopwright_job::recipe::{OutputRecipe, Recipe, RecipeError};

use super::{
    edit::Edit,
    opened::{Opened, StretchError},
    stretch::Stretch,
};

/// A loop and what is said about it.
#[derive(Clone, Debug)]
pub struct Made {
    /// The choices that it was made with.
    pub edit: Edit,
    /// The stretch it was made of.
    pub candidate: LoopCandidate,
    /// The loop.
    pub made: MadeLoop,
    /// The closure that was found by trying several.
    pub tried: Option<ClosureChoice>,
    /// Its figures.
    pub quality: Quality,
    /// One word about it, and the reason.
    pub verdict: Verdict,
    /// The recipe that makes it again: what is saved.
    pub recipe: Recipe,
    /// How it is written.
    pub output: OutputRecipe,
    /// Settings without effect, one sentence each.
    pub warnings: Vec<String>,
    /// Whether it was made in haste, while a slider was dragged, with feet left free: holding them takes far longer than all else.
    pub is_draft: bool,
}

/// What takes long to find out about a loop: the rest follows from the choices.
#[derive(Clone, Debug)]
pub(crate) struct Worked {
    /// The loop.
    pub(crate) made: MadeLoop,
    /// The closure that was found by trying several.
    pub(crate) tried: Option<ClosureChoice>,
    /// Its figures.
    pub(crate) quality: Quality,
    /// Settings without effect, one sentence each.
    pub(crate) warnings: Vec<String>,
    /// Whether feet were left free.
    pub(crate) is_draft: bool,
}

/// Why there is no loop.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MadeError {
    /// There is no such stretch.
    #[error(transparent)]
    Stretch(#[from] StretchError),
    /// What went wrong beside the window.
    #[error("{0}")]
    Beside(String),
    /// What is chosen does not fit the take.
    #[error("{0}{hint}", hint = .0.hint().map_or_else(String::new, |hint| format!("; try {hint}")))]
    Recipe(#[from] RecipeError),
    /// The stretch cannot be made into a loop.
    #[error(transparent)]
    Make(#[from] MakeError),
}

impl Made {
    /// Makes the loop. Errors: [`MadeError`].
    pub fn of(opened: &Opened, edit: &Edit) -> Result<Self, MadeError> {
        Self::with_feet(opened, edit, true)
    }

    /// Makes the loop with feet left free. Errors: [`MadeError`].
    pub fn draft(opened: &Opened, edit: &Edit) -> Result<Self, MadeError> {
        Self::with_feet(opened, edit, false)
    }

    fn with_feet(opened: &Opened, edit: &Edit, holds_feet: bool) -> Result<Self, MadeError> {
        let candidate = candidate(opened, edit)?;
        let mut ineffective = Vec::new();
        let recipe = edit.to_recipe();
        let output = recipe.output.filled(opened.take().frame_rate_hz(), &candidate);
        let body = opened.body_of_loops();
        let mut settings = recipe.loop_settings(&output, &opened.analysis, &body, &mut ineffective)?;
        let on_take = |settings: &LoopSettings| match &opened.character {
            Some(on) => settings.before_character(&on.pair),
            None => settings.clone(),
        };
        let tried = match edit.tries_closures {
            true => Some(opened.analysis.choose_closure(&candidate, &on_take(&settings))?),
            false => None,
        };
        if let Some(choice) = &tried {
            settings.closure.method = choice.method;
        }
        if !holds_feet {
            settings.feet.lock = FootLock::Off;
        }
        let mut made = opened.analysis.make_loop(&candidate, &on_take(&settings))?;
        if let Some(on) = &opened.character {
            made = made.onto(&on.pair, &settings)?;
        }
        let quality = quality::measure(&LoopKeys::of_loop(&made.loop_clip), &made.body, Some(&made.source));
        Ok(Self::of_work(
            opened,
            edit,
            Worked {
                made,
                tried,
                quality,
                warnings: ineffective.iter().map(ToString::to_string).collect(),
                is_draft: !holds_feet,
            },
        ))
    }

    /// What is said about the loop that was made by these choices.
    pub(crate) fn of_work(opened: &Opened, edit: &Edit, worked: Worked) -> Self {
        let Worked {
            made,
            tried,
            quality,
            warnings,
            is_draft,
        } = worked;
        let candidate = made.candidate.clone();
        let output = (edit.to_recipe().output).filled(opened.take().frame_rate_hz(), &candidate);
        let skeleton = made.loop_clip.skeleton();
        let (root, mode) = (made.loop_clip.root(), made.root.mode);
        let judged = Quality {
            // What was edited is meant to differ from the take.
            displacement_metres: (quality.displacement_metres)
                .filter(|_| made.edits.is_empty() && made.mean_cycle.is_none()),
            ..quality
        };
        let verdict = Verdict::of(&judged, root, mode, skeleton, doubt(&candidate));
        Self {
            recipe: edit.done(&candidate, tried.as_ref().map(|_| &made.closed.method)),
            output,
            warnings,
            edit: edit.clone(),
            candidate,
            made,
            tried,
            quality,
            verdict,
            is_draft,
        }
    }

    /// Seconds of one cycle.
    pub fn period_secs(&self) -> f64 {
        self.made.loop_clip.period_secs()
    }
}

/// The stretch of these choices; of frames that a recipe named with all that it says of them.
fn candidate(opened: &Opened, edit: &Edit) -> Result<LoopCandidate, MadeError> {
    let Stretch::Frames { start_frame, end_frame } = edit.stretch else {
        return Ok(opened.candidate(edit.stretch)?);
    };
    let stretch = &edit.recipe.stretch;
    let mirror = match stretch.symmetric {
        Some(true) => Some(loopwright_job::recipe::mirror(
            &opened.analysis,
            &edit.recipe.take.mirror,
        )?),
        _ => None,
    };
    let settings = SearchSettings {
        cycles: stretch.cycles,
        pairing: mirror.into(),
        ..SearchSettings::default()
    };
    let found = opened.analysis.appraise(start_frame, end_frame, &settings);
    Ok(found.map_err(StretchError::from)?)
}
