//! The loop that the choices make, with its figures.

use loopwright_core::{LoopCandidate, LoopClip, Quality, quality};
use loopwright_job::{
    Chosen, JobError, LoopMade, Recipe, RecipeError, Request, Rows, Verdict, choose, draft, make,
    recipe::StretchRecipe, verdict,
};

use super::{
    edit::Edit,
    opened::{Opened, StretchError},
    stretch::Stretch,
};

/// A loop, its figures and its verdict.
#[derive(Clone, Debug)]
pub struct Made {
    /// The choices that it was made with.
    pub edit: Edit,
    /// The stretch that it was made from: not the chosen one if the seam of that is visible.
    pub candidate: LoopCandidate,
    /// The loop, with the decisions made for it.
    pub done: LoopMade,
    /// Its figures.
    pub quality: Quality,
    /// The verdict in one word, and the reason.
    pub verdict: Verdict,
    /// The recipe that makes it again, which is saved.
    pub recipe: Recipe,
    /// Whether it is a draft, made while a slider is dragged, with feet left free: holding them takes far longer than everything else.
    pub is_draft: bool,
}

/// Why there is no loop.
#[error_sum]
#[derive(Clone, PartialEq)]
pub enum MadeError {
    /// The stretch does not exist.
    Stretch(StretchError),
    /// Background work failed.
    #[error("{0}")]
    Beside(String),
    /// The choices cannot be read.
    Recipe(RecipeError),
    /// The choices do not fit the take, or the stretch cannot be made into a loop.
    #[error("{0}{hint}", hint = hint(.0))]
    Job(#[from] JobError),
}

/// Returns advice for an error of a recipe.
fn hint(error: &JobError) -> String {
    match error {
        JobError::Recipe(error) => error.hint().map_or_else(String::new, |hint| format!("; try {hint}")),
        _ => String::new(),
    }
}

impl Made {
    /// Makes the loop. If its seam is visible and the stretch is the recommended one, another may be made instead. Errors: [`MadeError`].
    pub fn of(opened: &Opened, edit: &Edit) -> Result<Self, MadeError> {
        let recipe = recipe_of(edit);
        let done = make(&opened.studied, request(&recipe), &chosen(opened, edit, &recipe)?)?;
        Ok(Self::measured(opened, edit, done, false))
    }

    /// Makes the loop with feet left free. Errors: [`MadeError`].
    pub fn draft(opened: &Opened, edit: &Edit) -> Result<Self, MadeError> {
        let recipe = recipe_of(edit);
        let done = draft(&opened.studied, &recipe, &chosen(opened, edit, &recipe)?.stretch)?;
        Ok(Self::measured(opened, edit, done, true))
    }

    fn measured(opened: &Opened, edit: &Edit, done: LoopMade, is_draft: bool) -> Self {
        let made = &done.made;
        let quality = quality::measure(&made.keys(), &made.body, Some(&made.source));
        Self::of_work(opened, edit, done, quality, is_draft)
    }

    /// Completes a loop and its figures, which take long to make, by what follows from the choices.
    pub fn of_work(opened: &Opened, edit: &Edit, done: LoopMade, quality: Quality, is_draft: bool) -> Self {
        let made = &done.made;
        let candidate = made.candidate.clone();
        let recipe = edit.to_recipe();
        let verdict = Verdict::of_made(made, &quality, &verdict::of_take(&opened.studied.analysis, &candidate));
        Self {
            recipe: done.recipe(&recipe),
            edit: edit.clone(),
            candidate,
            done,
            quality,
            verdict,
            is_draft,
        }
    }

    /// The loop.
    pub fn clip(&self) -> &LoopClip {
        &self.done.made.loop_clip
    }

    /// Length of one cycle, seconds.
    pub fn period_secs(&self) -> f64 {
        self.clip().period_secs()
    }
}

/// Returns the choices as a recipe, with the frames that the user chose, if any.
fn recipe_of(edit: &Edit) -> Recipe {
    let recipe = edit.to_recipe();
    let Stretch::Frames { start_frame, end_frame } = edit.stretch else {
        return recipe;
    };
    Recipe {
        stretch: StretchRecipe {
            start: Some(start_frame),
            end: Some(end_frame),
            ..recipe.stretch
        },
        ..recipe
    }
}

/// Returns the request that a recipe makes.
pub fn request(recipe: &Recipe) -> Request<'_> {
    Request {
        recipe,
        search: None,
        rows: &Rows::Recommended,
    }
}

/// Returns the stretch of these choices. In place of the recommended one, later ones of the list may be taken.
fn chosen(opened: &Opened, edit: &Edit, recipe: &Recipe) -> Result<Chosen, MadeError> {
    match edit.stretch {
        Stretch::Recommended => {
            Ok(Chosen::first_of(opened.found.candidates.clone()).ok_or(StretchError::NotFound { index: 0 })?)
        }
        Stretch::Found(index) => Ok(Chosen::new(index + 1, opened.candidate(edit.stretch)?)),
        Stretch::Frames { .. } => {
            let mut chosen = choose(&opened.studied, request(recipe), &mut Vec::new())?;
            Ok(chosen.remove(0)?)
        }
    }
}
