//! Answers about takes and loops that are held as values; they equal those that the command prints.
//!
//! Each function also returns its warnings.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use loopwright_controller::FitSettings;
use loopwright_core::{BodyOverrides, analysis::Strides};
use loopwright_formats::{
    LoadedTake, LoopFile,
    loop_file::{facts::Grade, to_value},
};
use loopwright_job::{AddedRoot, CharacterTarget, CheckId, StoredLoop, StoredLoopError, Studied, recipe::TakeArgs};
use loopwright_match::{MatchSource, features::Horizon};
use loopwright_sets::{
    Played,
    road::{SetClipFile, WrittenSet},
};
use serde::Serialize;
use serde_json::Value;

use crate::{
    args::{CheckArgs, CostArgs, JumpSettings, RowSettings, Wish},
    commands::{
        self,
        check::Fails,
        convert,
        cost::Side,
        matching::{self, build::Building},
        set,
    },
    exit::{Ending, Failure, Result},
    limits::Limits,
    loop_output,
    motions::{ReadMotion, frame_of},
    output::{self, Outputs},
    report::{check as check_report, gait::GaitFacts, inspect::InspectAnswer, json},
    talk,
    written_loop::{self, WrittenLoop},
};

/// A result, and the warnings that came with it.
type Said<T> = Result<(T, Vec<String>)>;

/// A take or a loop.
#[derive(Clone, Copy, Debug)]
pub enum Motion<'a> {
    /// A take.
    Take(&'a Studied),
    /// A loop with its name.
    Loop(&'a str, &'a StoredLoop),
}

impl Motion<'_> {
    fn name(&self) -> &str {
        match self {
            Self::Take(studied) => &studied.name,
            Self::Loop(name, _) => name,
        }
    }

    /// The motion with the frames at which it can be left and entered.
    fn read(&self, reading: &TakeArgs) -> Result<ReadMotion> {
        match self {
            Self::Take(studied) => Ok(ReadMotion::of_take(studied.analysis.clone())),
            Self::Loop(name, stored) => ReadMotion::of_loop(Path::new(name), &folded(name, stored)?, reading),
        }
    }

    /// The motion as a source of frames to match.
    fn source(&self, horizon: Horizon, overrides: &BodyOverrides) -> Result<MatchSource> {
        match self {
            Self::Take(studied) => Ok(MatchSource::from_take(studied.analysis.clone())),
            Self::Loop(name, stored) => MatchSource::from_loop(&stored.clip, overrides, horizon)
                .map_err(|error| matching::unmatched(Path::new(name), error)),
        }
    }
}

/// The loop without the root joint that was added to its file.
fn folded(name: &str, stored: &StoredLoop) -> Result<StoredLoop> {
    stored
        .folded()
        .map_err(|error| written_loop::unusable(Path::new(name), error))
}

/// Does the work of a command, and returns its warnings instead of printing them.
fn aside<T>(work: impl FnOnce() -> Result<T>) -> Said<T> {
    let (done, said) = talk::aside(work);
    Ok((done?, said.warnings))
}

/// All loops in these files, folders and patterns, with their names and paths. Errors: one of them cannot be read.
pub fn stored_loops(paths: &[PathBuf]) -> Said<Vec<(String, PathBuf, StoredLoop)>> {
    aside(|| {
        let reading = TakeArgs::default();
        written_loop::all_loops(paths, &reading)?
            .into_iter()
            .map(|input| {
                let stored = written_loop::read_playable(&input, &reading, AddedRoot::Kept)?;
                Ok((input.to_string(), input.typed(), stored))
            })
            .collect()
    })
}

/// Puts loops onto a character by their poses alone. Errors: one of them does not fit.
pub fn on_character(
    loops: Vec<(String, StoredLoop)>,
    target: &Arc<CharacterTarget>,
    reading: &TakeArgs,
) -> Said<Vec<(String, StoredLoop)>> {
    aside(|| {
        loops
            .into_iter()
            .map(|(name, stored)| {
                let carried = written_loop::on_character(folded(&name, &stored)?, target, reading)?;
                Ok((name, carried))
            })
            .collect()
    })
}

/// Returns which loop plays when, as `play` reports it.
pub fn played(played: &Played, names: &[String]) -> Value {
    value(&commands::play::answer(played, names, 0).played)
}

/// Returns the costs of jumps as `cost` reports them, between two motions or frames of them, or among several; the table itself is returned
/// beside it, row by row, NaN where there is no jump. A table has at most `most` frames a side. Errors: those of `cost`.
pub fn cost(
    motions: &[(Motion, Option<i64>)],
    settings: &JumpSettings,
    reading: &TakeArgs,
    most: usize,
) -> Said<(Value, Vec<f64>)> {
    aside(|| {
        let sides = motions
            .iter()
            .map(|(motion, frame)| {
                let frame = frame.map(|frame| frame.to_string());
                Side::new(PathBuf::from(motion.name()), motion.read(reading)?, frame.as_deref())
            })
            .collect::<Result<Vec<_>, _>>()?;
        let mut answer = match &sides[..] {
            [left, entered] => commands::cost::compared([left, entered], settings, most, false)?.0,
            _ => commands::cost::among::compared(&sides, settings)?,
        };
        let mut costs = Vec::new();
        if let Some(table) = &mut answer.table {
            costs = core::mem::take(&mut table.costs_metre_secs).concat();
        }
        if let Some(among) = &mut answer.among {
            let rows = core::mem::take(&mut among.costs_metre_secs);
            costs.extend(rows.into_iter().flatten().map(|cost| cost.unwrap_or(f64::NAN)));
        }
        Ok((value(&answer), costs))
    })
}

/// Returns the document of `cost` on the motions of a folder or a pattern. Errors: those of `cost`.
pub fn cost_among(folder: PathBuf, jumps: JumpSettings, reading: TakeArgs) -> Said<Value> {
    document(|| {
        commands::cost::among::run(&CostArgs {
            motions: vec![folder],
            jumps,
            reading,
            plot: None,
            force: false,
            json: true,
        })
    })
}

/// Returns the document of `fit` on takes, given with their names and the warnings about their files. Errors: those of `fit`.
pub fn fit(takes: Vec<(String, &LoadedTake, Vec<String>)>, reading: &TakeArgs, settings: &FitSettings) -> Said<Value> {
    aside(|| parsed(&commands::fit::document(takes, reading, settings)?))
}

/// Returns the document of `fit` on files and folders. Errors: those of `fit`.
pub fn fit_files(paths: &[PathBuf], reading: &TakeArgs, settings: &FitSettings) -> Said<Value> {
    aside(|| parsed(&commands::fit::document_of_files(paths, reading, settings)?))
}

/// Returns the document of `inspect` on a take. Errors: none that is known.
pub fn inspect(studied: &Studied) -> Result<Value> {
    let (document, _) = talk::aside(|| {
        talk::warn_all(&studied.warnings);
        let strides = studied.analysis.strides();
        json::document("inspect", InspectAnswer::new(studied, &strides, None), None, &[])
    });
    parsed(&document)
}

/// Returns strides with the names of the feet, as `inspect` reports them.
pub fn gait((feet, strides): &(Vec<String>, Strides)) -> Value {
    let feet: Vec<&str> = feet.iter().map(String::as_str).collect();
    value(&GaitFacts::new(strides, &feet))
}

/// Returns the document of `check` on a loop, or on a take without a sidecar, compared with the original take if there is one. Only the
/// checks in `only` run, unless it is empty. Errors: those of `check`.
pub fn check(motion: Motion, take: Option<&Studied>, only: &[CheckId]) -> Said<Value> {
    aside(|| {
        let path = Path::new(motion.name());
        let (file, sidecar) = match motion {
            Motion::Take(studied) => (studied.file.clone(), None),
            Motion::Loop(_, stored) => (stored.file.clone(), Some(stored.sidecar.clone())),
        };
        let read = WrittenLoop::of(path, file, sidecar, &[])?;
        let limits = Limits::default();
        let verdict = commands::check::check(
            path,
            &read,
            &TakeArgs::default(),
            take,
            &limits,
            &Fails { from: Grade::Bad, only },
        )?;
        parsed(&check_report::json(&[verdict], &limits, None))
    })
}

/// Returns the document of `check` on a file, compared with the file of its take.
pub fn check_file(path: PathBuf, take: Option<PathBuf>, only: Vec<CheckId>) -> Said<Value> {
    document(|| {
        commands::check::run(&CheckArgs {
            loops: vec![path],
            fail_on: Grade::Bad,
            only,
            take,
            json: true,
            ..CheckArgs::default()
        })
    })
}

/// Runs a command that prints one document. Errors: it fails without one.
fn document(run: impl FnOnce() -> Result<Ending>) -> Said<Value> {
    let (result, aside) = talk::aside(run);
    match result {
        Err(failure) if failure.exit_status() == 2 || failure.document().is_none() => Err(failure),
        Err(failure) => Ok((parsed(failure.document().unwrap_or_default())?, aside.warnings)),
        Ok(_) => Ok((parsed(&aside.printed)?, aside.warnings)),
    }
}

/// Parses a document.
fn parsed(document: &str) -> Result<Value> {
    Ok(serde_json::from_str(document)?)
}

/// Converts an answer to a JSON value.
fn value(answer: &impl Serialize) -> Value {
    // Structs of numbers and strings always serialise.
    to_value(answer).unwrap_or_default()
}

/// Returns the bytes of a database as `match build` writes it, with the motions of a known database included. Errors: those of `match
/// build`. A motion that nobody named is left out if nothing in it can be matched.
pub fn match_build(
    motions: &[(Motion, bool)],
    known: Option<&[u8]>,
    settings: &RowSettings,
    tags: &[(String, String)],
    overrides: &BodyOverrides,
) -> Said<Vec<u8>> {
    aside(|| {
        let known = known.map(|bytes| matching::open(Path::new("add"), bytes)).transpose()?;
        let mut building = Building::new(known, settings)?;
        let mut num_added = 0;
        for (motion, is_named) in motions {
            let (name, source) = (motion.name(), motion.source(building.horizon, overrides)?);
            match building.add(Path::new(name), &source, name, tags) {
                Ok(num_rows) => num_added += num_rows,
                Err(failure) if failure.is_negative() && !is_named => {
                    warning!("left out: {}", failure.what());
                }
                Err(failure) => return Err(failure.into_error()),
            }
        }
        if num_added == 0 {
            return Err(matching::build::no_rows());
        }
        Ok(building.finish(Path::new(""), num_added)?.0)
    })
}

/// Returns the contents of a database, as `match inspect` reports them. Errors: the bytes are no database.
pub fn match_inspect(name: &Path, database: &[u8]) -> Result<Value> {
    let opened = matching::open(name, database)?;
    Ok(value(&matching::inspected(name, &opened, database.len())))
}

/// Returns the best matches for each of these frames of a motion, as `match query` does. Errors: those of `match query`.
pub fn match_query(database: &[u8], motion: Motion, frames: &[i64], wish: &Wish) -> Said<Value> {
    aside(|| {
        let name = Path::new("database");
        let opened = matching::open(name, database)?;
        let path = Path::new(motion.name());
        let source = motion.source(opened.horizon(), &BodyOverrides::default())?;
        let num_frames = source.num_frames();
        let num_keys = num_frames + usize::from(source.is_loop());
        let frames = frames
            .iter()
            .map(|frame| Ok(frame_of(path, &frame.to_string(), num_keys)? % num_frames))
            .collect::<Result<Vec<usize>>>()?;
        let found = matching::query::found(wish, name, path, &source, &frames, &opened)?;
        Ok(value(&found))
    })
}

/// Returns the rows of a database, or the rows that the frames of a motion would have there, and the length of a row. Errors: those of
/// `match export`.
pub fn match_rows(database: &[u8], motion: Option<Motion>) -> Result<(Vec<f32>, usize)> {
    let opened = matching::open(Path::new("database"), database)?;
    let source = |motion: Motion<'_>| motion.source(opened.horizon(), &BodyOverrides::default());
    let source = motion.map(source).transpose()?;
    let motion = motion
        .as_ref()
        .map(|motion| Path::new(motion.name()))
        .zip(source.as_ref());
    let mut rows = Vec::new();
    let columns = matching::export::add_rows(&mut rows, &opened, motion)?;
    Ok((rows, columns))
}

/// Words why a loop cannot be used as asked for.
pub fn unusable(name: &str, error: StoredLoopError) -> Failure {
    written_loop::unusable(Path::new(name), error)
}

/// Writes a loop that was made from others, and its sidecar, as `blend` and `retarget` do: see [`super::write_loop`].
pub fn write_file(path: &Path, force: bool, inputs: &[PathBuf], mut file: LoopFile) -> Result<()> {
    let mut outputs = checked(path, force, inputs)?;
    loop_output::add_file(&mut outputs, &mut file, path)?;
    outputs.commit().map(drop)
}

/// Writes a loop that has no file yet, and its sidecar, as `convert` does: see [`super::write_loop`].
pub fn write_stored(path: &Path, force: bool, stored: &StoredLoop) -> Result<()> {
    let mut outputs = checked(path, force, &[])?;
    let file = &stored.file;
    let source = file.source.in_format(output::format_of(path)?, &file.take);
    let written = loopwright_formats::write_keys(&file.take, &stored.sidecar, &source)?;
    loop_output::add_written(
        &mut outputs,
        &written,
        convert::stated(stored.sidecar.clone(), &written, &source),
        path,
    )?;
    outputs.commit().map(drop)
}

/// Writes a set into a folder, which is created if missing: all of its files or none, as `set` does. The files of `inputs` are never
/// overwritten. Errors: the folder cannot be written to, or has files of these names and `force` is not given.
pub fn write_set(
    folder: &Path,
    force: bool,
    inputs: &[PathBuf],
    clips: &[SetClipFile],
    made: &WrittenSet,
) -> Result<()> {
    let mut outputs = Outputs::keeping(force, inputs);
    output::make_folder(folder)?;
    for file in clips {
        outputs.add_with_sidecar(&folder.join(&file.name), &file.bytes, file.sidecar.as_deref())?;
    }
    set::add_beside(folder, &mut outputs, made)?;
    outputs.commit().map(drop)
}

/// Returns outputs for a loop and its sidecar, once both paths are checked.
fn checked(path: &Path, force: bool, inputs: &[PathBuf]) -> Result<Outputs> {
    let outputs = Outputs::keeping(force, inputs);
    outputs.check_loop(path)?;
    Ok(outputs)
}
