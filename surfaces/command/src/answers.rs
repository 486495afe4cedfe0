//! The interface for programs that hold takes and loops as values: reads files as the command does, and words answers and failures alike.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use clap::FromArgMatches;
use loopwright_core::SearchSettings;
use loopwright_formats::{FileWarning, LoadedTake, Sidecar, loop_file::to_value};
use loopwright_job::{
    AddedRoot, PendingLoop, SearchRows, StoredLoop, Studied, Study,
    recipe::{Recipe, TakeArgs},
};

use serde_json::Value;

use crate::{
    args::{self, Cli},
    commands::make,
    exit::{self, Failure, Result},
    files::{self, InputFile},
    loop_output, memory,
    motions::NamedMotion,
    output::Outputs,
    report::{failure::of_arguments, find::FindAnswer},
    talk, written_loop,
};

mod values;

pub use crate::args::{GAITS, JumpSettings, RowSettings, StandingFoot, Wish};
pub use crate::commands::set::failure as set_failure;
pub use crate::failures::job as job_failure;
pub use crate::files::split_animation;
pub use crate::load::{cannot_study as study_failure, character, study};
pub use crate::output::format_of;
pub use crate::written_loop::same_skeletons as check_skeletons;
pub use values::{
    Motion, check, check_file, cost, cost_among, fit, fit_files, gait, inspect, match_build, match_inspect,
    match_query, match_rows, on_character, played, stored_loops, unusable, write_file, write_set, write_stored,
};

/// The output of a command, and how it ended.
#[derive(Debug)]
pub struct Answer {
    /// Its exit status.
    pub status: u8,
    /// The text for the standard output.
    pub printed: String,
    /// Its warnings.
    pub warnings: Vec<String>,
    /// The reason for a failure or for an empty answer.
    pub failure: Option<Failure>,
}

/// Runs a command with these arguments, the first of which is its name, and returns its output instead of printing it. Several may run at
/// the same time. No `loopwright.toml` is looked for. Errors: the arguments do not parse.
pub fn answer(typed: &[OsString]) -> Result<Answer> {
    let cli = args::parsed(typed)
        .and_then(|(_, matches)| Cli::from_arg_matches(&matches))
        .map_err(|error| of_arguments(&error))?;
    if typed.iter().any(|argument| argument == "--dry-run") {
        // The flag holds for a whole process.
        return Err(Failure::error("--dry-run is of the command alone"));
    }
    let (result, aside) = talk::aside(|| cli.command.perform());
    let status = exit::status(&result);
    let mut printed = aside.printed;
    let failure = result.err();
    if let Some(document) = failure.as_ref().and_then(Failure::document) {
        printed = document.to_owned();
    }
    Ok(Answer {
        status,
        printed,
        warnings: aside.warnings,
        failure,
    })
}

/// Reads the take in a file; oddities of the file go to `warnings`. Errors: it cannot be read.
pub fn read(path: &Path, study: &Study, warnings: &mut Vec<FileWarning>) -> Result<LoadedTake> {
    files::read_take(path, &study.reading(memory::limits()), warnings)
}

/// Reads a take from the bytes of a file, which may name no other files. `name` becomes the take's name if the file has none.
pub fn read_bytes(bytes: &[u8], name: &str, study: &Study, warnings: &mut Vec<FileWarning>) -> Result<LoadedTake> {
    files::read_hashed(bytes, name, &study.reading(memory::limits()), warnings)
        .map_err(|error| files::cannot_read(Path::new(name), &error))
}

/// Names of the animations in a file. Errors: it cannot be read.
pub fn animation_names(path: &Path) -> Result<Vec<String>> {
    Ok(files::read_animated(path)?.animation_names().to_vec())
}

/// Returns the extension of a loop's file: the engine's format, else that of the character if there is one, else that of the take.
pub fn loop_extension(take: &Path, recipe: &Recipe) -> String {
    loop_output::extension(&split_animation(take).0, recipe)
}

/// Reads a loop with the sidecar beside it, and its warnings. Errors: it has none, or either cannot be read.
pub fn stored_loop(path: &Path, reading: &TakeArgs) -> (Result<StoredLoop>, Vec<String>) {
    let (read, aside) =
        talk::aside(|| written_loop::read_playable(&InputFile::new(path.to_owned(), None), reading, AddedRoot::Kept));
    (read, aside.warnings)
}

/// Lists the motion files that a folder or a pattern stands for, or the file itself, as `match build` does. Errors: there are none.
pub fn motions_in(named: &Path) -> Result<Vec<PathBuf>> {
    Ok(NamedMotion::all(named)?.into_iter().map(|motion| motion.path).collect())
}

/// Returns the list of a search as the command prints it, without the keys that all documents share.
pub fn found(studied: &Studied, rows: &SearchRows, settings: &SearchSettings) -> Result<Value> {
    Ok(to_value(&FindAnswer::new(studied, rows, settings))?)
}

/// Reads a recipe from a file, and checks that its character and map lie where a recipe may name them. Errors: the file is no such recipe.
pub fn recipe(path: &Path) -> Result<Recipe> {
    make::with_file(&Recipe::default(), Some(path))
}

/// Writes a loop and its sidecar, as `make` does: both or none, and over other files only with `force`. `inputs` are never overwritten, and
/// `of_take` are the warnings about the take. Errors: it cannot be written.
pub fn write_loop(
    path: &Path,
    force: bool,
    inputs: &[&Path],
    pending: PendingLoop,
    of_take: &[loopwright_job::Warning],
) -> Result<Sidecar> {
    let mut outputs = Outputs::keeping(force, inputs);
    outputs.check_loop(path)?;
    let sidecar = loop_output::add(&mut outputs, pending, path, &[], loop_output::in_words(of_take))?;
    outputs.commit()?;
    Ok(sidecar)
}

/// Writes files that belong together: all or none, and over other files only with `force`. `inputs` are never overwritten. Errors: they cannot
/// be written.
pub fn write_files(files: &[(&Path, &[u8])], force: bool, inputs: &[&Path]) -> Result<()> {
    let mut outputs = Outputs::keeping(force, inputs);
    for (path, bytes) in files {
        outputs.add(path, bytes)?;
    }
    outputs.commit().map(drop)
}
