//! The loop that the choices give, with its figures.

use loopwright::{
    LoopCandidate, LoopSettings, MadeLoop, Quality,
    feet::FootLock,
    loop_clip::LoopKeys,
    pipeline::{ClosureChoice, MakeError},
    quality,
};
use loopwright_formats::loop_file::{Verdict, doubt};

use super::{
    edit::Edit,
    opened::{Opened, StretchError},
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
    /// Whether it was made in haste, while a slider was dragged, with feet left free: holding them takes far longer than all else.
    pub is_draft: bool,
}

/// Why there is no loop.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MadeError {
    /// There is no such stretch.
    #[error(transparent)]
    Stretch(#[from] StretchError),
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
        let candidate = opened.candidate(edit.stretch)?;
        let (mut settings, tried) = settings(opened, edit, &candidate)?;
        if !holds_feet {
            settings.feet.lock = FootLock::Off;
        }
        let made = opened.analysis.make_loop(&candidate, &settings)?;
        let quality = quality::measure(&LoopKeys::of_loop(&made.loop_clip), &made.body, Some(&made.source));
        let skeleton = made.loop_clip.skeleton();
        let (root, mode) = (made.loop_clip.root(), made.root.mode);
        let verdict = Verdict::of(&quality, root, mode, skeleton, doubt(&candidate));
        Ok(Self {
            edit: edit.clone(),
            candidate,
            made,
            tried,
            quality,
            verdict,
            is_draft: !holds_feet,
        })
    }

    /// Seconds of one cycle.
    pub fn period_secs(&self) -> f64 {
        self.made.loop_clip.period_secs()
    }
}

/// The settings of the core for these choices.
fn settings(
    opened: &Opened,
    edit: &Edit,
    candidate: &LoopCandidate,
) -> Result<(LoopSettings, Option<ClosureChoice>), MakeError> {
    let mut settings = edit.settings.clone();
    if !edit.tries_closures {
        return Ok((settings, None));
    }
    let choice = opened.analysis.choose_closure(candidate, &settings)?;
    settings.closure.method = choice.method;
    Ok((settings, Some(choice)))
}
