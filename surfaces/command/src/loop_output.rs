//! The files of a loop: their names, the files that they must not replace, adding them to the outputs, and the ending of the command.

use std::path::{Path, PathBuf};

use loopwright_formats::{Format, LoopFile, Sidecar, Target, WrittenFile, set::PassageFacts};
use loopwright_job::{self as job, Chosen, JobError, PendingLoop, Request, Studied, Warning};

use crate::{
    args::TargetArgs,
    exit::{Ending, Result},
    files,
    output::{self, Outputs},
    recipe::Recipe,
    report::json,
    talk, written_loop,
};

/// Returns the extension of a loop's file: the engine's, that of the rig if there is one, or the take's.
pub fn extension(take: &Path, recipe: &Recipe) -> String {
    // The standard input has no name, but its format is known.
    let take = if files::is_stream(take) {
        PathBuf::from(files::stem(take)).with_extension(files::extension(take).unwrap_or_default())
    } else {
        take.to_owned()
    };
    extension_for_motion(
        recipe.take.rig.as_deref().unwrap_or(&take),
        Some(recipe.output.engine()),
    )
    .unwrap_or_else(|| "bvh".to_owned())
}

/// Returns the extension of a motion file for an engine, based on a file like `path`: the engine's, that of the file itself, or for a
/// character format that cannot hold takes, such as a VRM avatar, that of its motion files.
pub fn extension_for_motion(path: &Path, engine: Option<Target>) -> Option<String> {
    if let Some(extension) = engine.and_then(|engine| engine.extension(path)) {
        return Some(extension.to_owned());
    }
    let own = files::extension(path)?;
    let is_take = Format::from_extension(&own).is_some();
    Some(
        Format::of_motion_for(&own)
            .filter(|_| !is_take)
            .map_or(own, |format| format.extension().to_owned()),
    )
}

/// Returns the path of a loop, by default `<stem>-loop.<extension>`; `<stem>-<animation>-loop.<extension>` if an animation is given.
pub fn of_loop(take: &Path, recipe: &Recipe, target: &TargetArgs) -> Result<PathBuf> {
    let animation = recipe
        .take
        .animation
        .as_deref()
        .map_or_else(String::new, |name| format!("-{}", in_file_name(name)));
    of_target(take, target, &format!("{animation}-loop"), || extension(take, recipe))
}

/// Returns the path for the loops of many animations, by default `<stem>-loops.<extension>` with the extension of the file that is copied.
pub fn of_pack(take: &Path, recipe: &Recipe, target: &TargetArgs) -> Result<PathBuf> {
    of_target(take, target, "-loops", || {
        let extension = copied(take, recipe).extension();
        extension.map_or_else(
            || "glb".to_owned(),
            |extension| extension.to_string_lossy().into_owned(),
        )
    })
}

/// Returns the file that is copied to hold the loops of many animations: the character's, or that of the animations.
pub fn copied<'a>(take: &'a Path, recipe: &'a Recipe) -> &'a Path {
    recipe.take.rig.as_deref().unwrap_or(take)
}

/// Returns the named file, or one with the default name in the named or the current folder; its format is the one asked for.
fn of_target(take: &Path, target: &TargetArgs, suffix: &str, extension: impl FnOnce() -> String) -> Result<PathBuf> {
    // The extension for the standard input is known only after reading it.
    let name = || {
        let name = format!("{}{suffix}.{}", files::stem(take), extension());
        match target.to {
            Some(format) => Path::new(&name).with_extension(format.extension()),
            None => name.into(),
        }
    };
    match &target.output {
        Some(folder) if !files::is_stream(folder) && output::is_named_as_folder(folder) => {
            output::make_folder(folder)?;
            Ok(folder.join(name()))
        }
        Some(path) if !files::is_stream(path) => match target.to {
            Some(format) if output::format_of(path)? != format => Err(failure!(
                "\"{}\" is not named like a file of the format {}",
                path.display(),
                format.extension()
            )
            .try_this("a name with that extension, or no --to")),
            _ => Ok(path.clone()),
        },
        _ => Ok(name()),
    }
}

/// Longest part of an animation's name in a file name, letters.
const MAX_NAMED: usize = 60;

/// Converts the name of an animation for use in a file name: letters, digits and underscores stay, others become hyphens.
fn in_file_name(animation: &str) -> String {
    animation
        .chars()
        .take(MAX_NAMED)
        .map(|letter| {
            if letter.is_alphanumeric() || letter == '_' {
                letter
            } else {
                '-'
            }
        })
        .collect()
}

/// Returns outputs that replace no input; `path` is the file of the loops, which are added to the take if `is_extended`.
pub fn outputs(take: &Path, recipe: &Recipe, target: &TargetArgs, path: &Path, is_extended: bool) -> Outputs {
    let mut outputs = Outputs::new(target.force);
    let rig = &recipe.take.rig;
    if is_extended && rig.is_none() {
        outputs.protect_unless_in_place(take, path);
    } else {
        outputs.protect(take);
    }
    outputs.protect_as("recipe", &target.recipe);
    outputs.protect_character(rig.as_deref(), recipe.take.map.as_deref());
    outputs
}

/// Makes the loop of a stretch, and writes it into memory. Errors: it cannot be made or written.
pub fn made(studied: &Studied, request: Request, chosen: &Chosen, format: Format) -> Result<PendingLoop, JobError> {
    job::write(studied, request, job::make(studied, request, chosen)?, format)
}

/// Prints the warnings of a loop, and how it was chosen.
pub fn say(pending: &PendingLoop) {
    talk::warn_all(&pending.warnings);
    if let Some(decision) = &pending.done.decision {
        talk::note(&decision.to_string());
    }
}

/// Adds a loop and its sidecar to the outputs, and returns the sidecar. `others` are all other files that will be written; `of_take` are
/// the warnings about the take.
pub fn add(
    outputs: &mut Outputs,
    pending: PendingLoop,
    path: &Path,
    others: &[&Path],
    of_take: Vec<String>,
) -> Result<Sidecar> {
    let (bytes, sidecar) = pending.named(
        names_of(path)
            .into_iter()
            .chain(others.iter().map(|path| path.display().to_string()))
            .collect(),
        of_take,
    );
    let text = if outputs.is_in_place(path) {
        written_loop::with_other_loops(&sidecar, path, &bytes)
    } else {
        sidecar.to_json()
    };
    outputs.add_with_sidecar(path, &bytes, Some(&text?))?;
    Ok(sidecar)
}

/// Adds a loop that was made from others and its sidecar to the outputs; the sidecar then names both.
pub fn add_file(outputs: &mut Outputs, file: &mut LoopFile, path: &Path) -> Result<()> {
    file.sidecar = add_written(outputs, &file.written, file.sidecar.clone(), path)?;
    Ok(())
}

/// Adds a file that was written, and its sidecar from the facts of the loop in it; returns the sidecar.
pub fn add_written(outputs: &mut Outputs, written: &WrittenFile, sidecar: Sidecar, path: &Path) -> Result<Sidecar> {
    let (bytes, sidecar) = written.named(sidecar, names_of(path).to_vec());
    outputs.add_with_sidecar(path, &bytes, Some(&sidecar.to_json()?))?;
    Ok(sidecar)
}

/// Adds a passage that was written, and its facts beside it; returns the document of these.
pub fn add_passage(outputs: &mut Outputs, path: &Path, written: &WrittenFile, facts: &PassageFacts) -> Result<String> {
    // Not the name of a loop's sidecar, since other commands would read it as one.
    let beside = path.with_extension("json");
    let document = json::document(
        "passage",
        facts,
        None,
        &[path, &beside].map(|path| path.display().to_string()),
    );
    outputs.add(path, &written.bytes)?;
    outputs.add(&beside, document.as_bytes())?;
    Ok(document)
}

/// Returns the names of a loop and of its sidecar, as sidecars list them.
pub fn names_of(path: &Path) -> [String; 2] {
    [path, &path.with_added_extension(files::SIDECAR)].map(|path| path.display().to_string())
}

/// Warnings as text, as sidecars store them.
pub fn in_words(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}

/// Returns the ending of a command that wrote a loop: negative if the loop is bad.
pub fn ending(file: &LoopFile) -> Ending {
    Ending::of_grade(file.sidecar.quality.grade)
}
