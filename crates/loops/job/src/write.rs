//! Writes a loop into memory, reads it back and measures it, with the warnings about it.

use loopwright_core::candidate::MotionKind;
use loopwright_formats::{Format, LoopFile, Sidecar, loop_file::facts::Grade};

use crate::{
    choose::Request,
    error::JobError,
    make::{LoopMade, is_in_place},
    recipe::Recipe,
    study::Studied,
    verdict::{self, Verdict},
    warning::{self, SeamRemedy, Warning},
};

/// Converts a text from a file into a part of a file name: other characters than letters, digits and underscores become hyphens.
pub fn name_part(text: &str) -> String {
    let fit = |letter: char| {
        if letter.is_alphanumeric() || matches!(letter, '_' | '.') {
            letter
        } else {
            '-'
        }
    };
    text.chars().map(fit).collect()
}

/// From this part of a frame on a length is no whole number of frames.
const NOT_WHOLE_FRAMES: f64 = 0.01;

/// A loop written into memory, without a file name yet.
#[derive(Clone, Debug)]
pub struct PendingLoop {
    /// The loop, with the choices made for it.
    pub done: LoopMade,
    /// The file and its facts, without warnings and names.
    pub file: LoopFile,
    /// Warnings about the loop; in the sidecar those about the take come first.
    pub warnings: Vec<Warning>,
    /// The kind of its motion.
    pub kind: MotionKind,
    /// The recipe that makes the same loop again.
    pub recipe: Recipe,
}

impl PendingLoop {
    /// Returns the grade of the loop as written.
    pub fn grade(&self) -> Option<Grade> {
        self.file.sidecar.quality.grade
    }

    /// Returns the verdict on the loop as written.
    pub fn verdict(&self) -> Option<Verdict> {
        Verdict::from_facts(&self.file.sidecar.quality)
    }

    /// Returns the bytes of the file, and its sidecar with the names of the outputs, the loop first and the sidecar second.
    /// `of_take` holds the warnings about the take, in words.
    pub fn named(self, outputs: Vec<String>, mut of_take: Vec<String>) -> (Vec<u8>, Sidecar) {
        let mut file = self.file;
        of_take.extend(self.warnings.iter().map(ToString::to_string));
        file.sidecar.warnings = of_take;
        file.sidecar.closure.auto_choice = self.done.decision.as_ref().map(ToString::to_string);
        let (bytes, sidecar) = file.written.named(file.sidecar, outputs);
        (bytes.into_owned(), sidecar)
    }
}

/// Writes a loop in a format, reads it back and measures it. Errors: [`JobError`].
pub fn write(studied: &Studied, request: Request, done: LoopMade, format: Format) -> Result<PendingLoop, JobError> {
    let Request { recipe, search, .. } = request;
    let engine = recipe.output.engine();
    let made = &done.made;
    let (clip, candidate) = (&made.loop_clip, &made.candidate);
    check_length(studied, &done, format)?;
    let body = studied.body_of_loops();
    let mut writing = done.output.writing(format, body.root_joint, studied.file.limits);
    let source = engine.placed(studied.form(format));
    if done.output.repeat.is_none() {
        writing.copies = source.copies(clip.period_secs());
    }
    let mut file = LoopFile::write_with(made, studied.facts(), &source, &writing)?;
    let rate_hz = file.sidecar.playback.rate_hz(clip.period_secs());
    let verdict = Verdict::of_made(made, &file.quality, &verdict::of_written(studied, candidate, format));
    let of_the_clip: Vec<Warning> = verdict.of_the_clip().collect();
    verdict.state(&mut file.sidecar.quality);

    let mut warnings: Vec<Warning> = engine.complaint(format).map(Warning::Engine).into_iter().collect();
    if let Some(joint) = body.root_joint.filter(|_| recipe.output.add_root == Some(true)) {
        warnings.push(Warning::RootJointThere {
            is_character: studied.character.is_some(),
            joint: body.skeleton.joint(joint).name.clone(),
        });
    }
    if recipe.output.add_root == Some(true) && !format.capabilities().takes_root_joint {
        warnings.push(Warning::NoRootJoint { format });
    }
    // A loop on a character has no such warnings.
    if studied.character.is_none() {
        warnings.extend(studied.file.source.left_out_in(format).map(Warning::File));
    }
    if studied.rig.is_some() && format != Format::Vrma {
        warnings.push(Warning::ReferenceUnused);
    }
    warnings.extend(done.ineffective.iter().copied().map(Warning::Ineffective));
    if recipe.stretch.start.is_none() && !search.is_some_and(|search| search.idle) {
        // No warning if the user searched for idle loops.
        warnings.extend(warning::confidence(studied.take(), candidate));
    }
    warnings.extend(warning::bad_frames(&studied.analysis, candidate));
    warnings.extend(file.written.warnings.iter().cloned().map(Warning::File));
    warnings.extend(warning::of_loop(made, recipe.output.start_at));
    warnings.extend(seam_shows(&file, &done));
    warnings.extend(of_the_clip);
    warnings.extend(engine.rate_complaint(rate_hz).map(Warning::Engine));

    let sidecar = &mut file.sidecar;
    sidecar.target = recipe
        .output
        .target
        .map(|engine| engine.facts(sidecar, clip.skeleton(), rate_hz));
    if recipe.stretch.start.is_some() {
        sidecar.candidate.several_cycles_for = recipe.stretch.several_cycles_for;
    }
    let kind = done.kind(studied);
    sidecar.kind = Some(kind.to_string());
    sidecar.in_place = is_in_place(made);
    let recipe = done.recipe(recipe);
    sidecar.recipe_sha256 = Some(recipe.sha256()?);
    Ok(PendingLoop {
        kind,
        recipe,
        done,
        file,
        warnings,
    })
}

/// Refuses a length in seconds that a file of even frames, or its engine, does not hold.
fn check_length(studied: &Studied, done: &LoopMade, format: Format) -> Result<(), JobError> {
    let (engine, output) = (done.output.engine(), &done.output);
    let of_engine = engine.choices().whole_rate;
    let is_free = format.capabilities().has_key_times || output.frames.is_some();
    let is_asked = done.made.retimed.is_some_and(|retimed| retimed.is_exact);
    let rate_hz = output.fps.unwrap_or(studied.take().frame_rate_hz());
    let secs = done.made.on_take().loop_clip.period_secs();
    let frames = secs * rate_hz;
    if !is_asked || is_free && !of_engine || (frames - frames.round()).abs() < NOT_WHOLE_FRAMES {
        return Ok(());
    }
    let what = if of_engine {
        engine.to_string()
    } else {
        format.capabilities().name.to_owned()
    };
    Err(JobError::Length { what, secs, rate_hz })
}

fn seam_shows(file: &LoopFile, done: &LoopMade) -> Option<Warning> {
    let verdict = Verdict::from_facts(&file.sidecar.quality).filter(|_| file.quality.pops())?;
    let candidate = &done.made.candidate;
    (!candidate.is_finished_clip()).then(|| Warning::SeamShows {
        reason: verdict.reason,
        remedy: match done.may_move {
            _ if candidate.pairing.is_ping_pong() => SeamRemedy::OfTheTurn,
            true => SeamRemedy::Tried(done.tried),
            false => SeamRemedy::None,
        },
    })
}
