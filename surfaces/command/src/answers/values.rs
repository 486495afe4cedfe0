//! Answers about takes and loops that are values: what a command reads from files is given, and its flags are as on a command line.
//!
//! Each returns what was warned of besides.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use loopwright_core::{BodyOverrides, Take};
use loopwright_formats::{Format, LoadedTake, LoopFile, LoopFileError, Target};
use loopwright_job::recipe::TakeArgs;
use loopwright_job::{AddedRoot, CharacterTarget, LoopOfLoops, StoredLoop, Studied};
use loopwright_match::{MatchSource, features::Horizon};
use loopwright_sets::road::{MakeSetError, SetClipFile, WrittenSet};
use loopwright_sets::{Blend, Played};

use crate::args::{BlendArgs, CheckArgs, CostArgs, MatchBuildArgs, MatchQueryArgs, PlayArgs, RetargetArgs};
use crate::commands::cost::Side;
use crate::commands::matching::{self, build::Building};
use crate::commands::{self, check::Fails, convert, set};
use crate::exit::Failure;
use crate::input_file::InputFile;
use crate::motions::{ReadMotion, frame_of};
use crate::output::{self, Outputs};
use crate::report::failure::of_arguments;
use crate::report::{check as check_report, inspect::InspectAnswer, json};
use crate::written_loop::{self, WrittenLoop};
use crate::{failures, limits::Limits, load, loop_output, mirroring, talk};

/// What was done, and warnings.
type Said<T> = Result<(T, Vec<String>), Failure>;

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

    /// As a motion whose frames can be left and entered.
    fn read(&self, reading: &TakeArgs) -> Result<ReadMotion, Failure> {
        match self {
            Self::Take(studied) => Ok(ReadMotion::of_take(studied.analysis.clone())),
            Self::Loop(name, stored) => ReadMotion::of_loop(Path::new(name), &folded(name, stored)?, reading),
        }
    }

    /// As a motion whose frames can be matched.
    fn source(&self, horizon: Horizon, overrides: &BodyOverrides) -> Result<MatchSource, Failure> {
        match self {
            Self::Take(studied) => Ok(MatchSource::from_take(studied.analysis.clone())),
            Self::Loop(name, stored) => MatchSource::from_loop(&stored.clip, overrides, horizon)
                .map_err(|error| matching::unmatched(Path::new(name), error)),
        }
    }
}

/// A loop without a root joint that was added to its file.
fn folded(name: &str, stored: &StoredLoop) -> Result<StoredLoop, Failure> {
    stored
        .folded()
        .map_err(|error| written_loop::unusable(Path::new(name), error))
}

/// Flags of a command, and words that it needs and nobody looks at. Errors: they are none of its own.
pub(super) fn typed<T: Args>(command: &'static str, flags: &[String], words: &[&str]) -> Result<T, Failure> {
    let command = T::augment_args(clap::Command::new(command).no_binary_name(true));
    let typed = flags.iter().map(String::as_str).chain(words.iter().copied());
    let parsed = command.try_get_matches_from(typed);
    let args = parsed.and_then(|matches| T::from_arg_matches(&matches));
    args.map_err(|error| of_arguments(&error))
}

/// The words of a command that reads one thing and writes another.
const IN_AND_OUT: [&str; 3] = ["--output=.", "--", "."];

/// Does the work of a command, and keeps what it says.
fn aside<T>(work: impl FnOnce() -> Result<T, Failure>) -> Said<T> {
    let (done, said) = talk::aside(work);
    Ok((done?, said.warnings))
}

/// All loops in these files, folders and patterns, with their names and paths. Errors: one of them cannot be read.
pub fn stored_loops(paths: &[PathBuf]) -> Said<Vec<(String, PathBuf, StoredLoop)>> {
    aside(|| {
        let reading = TakeArgs::default();
        written_loop::check_are_there(paths)?;
        let names = written_loop::all_loops(paths, &reading)?.into_iter();
        let read = |input: InputFile| {
            let stored = written_loop::read_playable(&input, &reading, AddedRoot::Kept)?;
            Ok((input.to_string(), input.typed(), stored))
        };
        names.map(read).collect()
    })
}

/// Mixes loops as `blend` does. Errors: its own.
pub fn blend(loops: &[(String, StoredLoop)], flags: &[String]) -> Said<Blend> {
    aside(|| {
        let args: BlendArgs = typed("blend", flags, &IN_AND_OUT)?;
        let target = load::character_of(&args.on)?;
        let each = |(name, stored): &(String, StoredLoop)| match &target {
            None => Ok(stored.clone()),
            Some(target) => written_loop::on_character(folded(name, stored)?, target, &args.files.reading),
        };
        let stored = loops.iter().map(each).collect::<Result<Vec<_>, _>>()?;
        let names: Vec<&String> = loops.iter().map(|(name, _)| name).collect();
        written_loop::same_skeletons(&names, &stored)?;
        commands::blend::blended(&stored, &names, &args)
    })
}

/// Why a loop that comes of others is not written, in words.
pub fn unwritten(error: LoopFileError) -> Failure {
    commands::blend::unwritten(error)
}

/// Plays loops into a take of this name as `play` does, and says what was played in JSON. Errors: its own.
pub fn play(loops: Vec<(String, StoredLoop)>, name: &str, flags: &[String]) -> Said<(Played, String)> {
    aside(|| {
        let args: PlayArgs = typed("play", flags, &IN_AND_OUT)?;
        failures::check_rate(args.fps)?;
        let (names, stored): (Vec<String>, Vec<StoredLoop>) = loops.into_iter().unzip();
        written_loop::same_skeletons(&names, &stored)?;
        let engine = args.files.engine.engine();
        talk::warn_all(args.fps.and_then(|rate| engine.rate_complaint(rate)));
        let played = commands::play::played(stored, name, &args)?;
        let answer = commands::play::answer(&played, &names, args.seed);
        Ok((played, json::text(&answer)))
    })
}

/// What jumps cost as `cost` says it, between two motions or frames of them, or among several; in JSON without the costs themselves, which
/// are row by row beside it, NaN where there is no jump. A table has at most so many frames a side. Errors: those of `cost`.
pub fn cost(motions: &[(Motion<'_>, Option<i64>)], flags: &[String], most: usize) -> Said<(String, Vec<f64>)> {
    aside(|| {
        let args: CostArgs = typed("cost", flags, &["--", "."])?;
        let side = |(motion, frame): &(Motion<'_>, Option<i64>)| {
            let frame = frame.map(|frame| frame.to_string());
            Side::new(
                PathBuf::from(motion.name()),
                motion.read(&args.reading)?,
                frame.as_deref(),
            )
        };
        let sides = motions.iter().map(side).collect::<Result<Vec<_>, _>>()?;
        let mut answer = match &sides[..] {
            [left, entered] => commands::cost::compared([left, entered], &args, most, false)?.0,
            _ => commands::cost::among::compared(&sides, &args)?,
        };
        let mut costs = Vec::new();
        if let Some(table) = &mut answer.table {
            costs = core::mem::take(&mut table.costs_metre_secs).concat();
        }
        if let Some(among) = &mut answer.among {
            let rows = core::mem::take(&mut among.costs_metre_secs);
            costs.extend(rows.into_iter().flatten().map(|cost| cost.unwrap_or(f64::NAN)));
        }
        Ok((json::text(&answer), costs))
    })
}

/// The document of `fit` on takes with their names and what was odd in their files. Errors: those of `fit`.
pub fn fit(takes: Vec<(String, &LoadedTake, Vec<String>)>, flags: &[String]) -> Said<String> {
    aside(|| commands::fit::document(takes, &typed("fit", flags, &["--", "."])?))
}

/// The document of `inspect` on a take.
pub fn inspect(studied: &Studied) -> String {
    let (document, _) = talk::aside(|| {
        talk::warn_all(&studied.warnings);
        InspectAnswer::new(&studied.clone().into(), None).json(&[])
    });
    document
}

/// The document of `check` on a loop, or on a take without a sidecar. Errors: those of `check`.
pub fn check(motion: Motion<'_>, take: Option<&Studied>, flags: &[String]) -> Said<String> {
    aside(|| {
        let args: CheckArgs = typed("check", flags, &["--", "."])?;
        let path = Path::new(motion.name());
        let (file, sidecar) = match motion {
            Motion::Take(studied) => (studied.file.clone(), None),
            Motion::Loop(_, stored) => (stored.file.clone(), Some(stored.sidecar.clone())),
        };
        let read = WrittenLoop::of(path, file, sidecar, &[])?;
        let limits = Limits::settled(args.limits, args.config.as_deref())?;
        let fails = Fails {
            from: args.fail_on,
            only: &args.only,
        };
        let verdict = commands::check::check(path, &read, &args.reading, take, &limits, &fails)?;
        Ok(check_report::json(&[verdict], &limits, None))
    })
}

/// The bytes of a database of motions as `match build` writes it, with more of them where it is known, and the answer in JSON. Errors: those
/// of `match build`; where nobody named a motion, it is left out if there is nothing in it to match.
pub fn match_build(motions: &[(Motion<'_>, bool)], known: Option<&[u8]>, flags: &[String]) -> Said<(Vec<u8>, String)> {
    aside(|| {
        let args: MatchBuildArgs = typed("build", flags, &IN_AND_OUT)?;
        let known = known.map(|bytes| matching::open(Path::new("add"), bytes)).transpose()?;
        let (mut building, horizon) = Building::new(known, &args)?;
        let overrides = BodyOverrides {
            weights: args.weights.clone(),
            ..args.reading.overrides()
        };
        let mut num_added = 0;
        for (motion, is_named) in motions {
            let (name, source) = (motion.name(), motion.source(horizon, &overrides)?);
            match building.add(Path::new(name), &source, name, &args.tags) {
                Ok(num_rows) => num_added += num_rows,
                Err(failure) if failure.is_negative() && !is_named => {
                    talk::warn(&format!("left out: {}", failure.what()));
                }
                Err(failure) => return Err(failure.into_error()),
            }
        }
        if num_added == 0 {
            return Err(matching::build::no_rows());
        }
        let (bytes, answer) = building.finish(Path::new(""), num_added)?;
        Ok((bytes, json::text(&answer)))
    })
}

/// What a database holds, in JSON as `match inspect` says it. Errors: it is none.
pub fn match_inspect(name: &Path, database: &[u8]) -> Result<String, Failure> {
    let opened = matching::open(name, database)?;
    Ok(json::text(&matching::inspected(name, &opened, database.len())))
}

/// What `match query` finds for each of these frames of a motion, in JSON. Errors: those of `match query`.
pub fn match_query(database: &[u8], motion: Motion<'_>, frames: &[i64], flags: &[String]) -> Said<String> {
    aside(|| {
        let args: MatchQueryArgs = typed("query", flags, &["--", "database", "."])?;
        let opened = matching::open(Path::new("database"), database)?;
        let path = Path::new(motion.name());
        let source = motion.source(opened.horizon(), &args.reading.overrides())?;
        let num_frames = source.num_frames();
        let num_keys = num_frames + usize::from(source.is_loop());
        let frame = |frame: &i64| Ok(frame_of(path, &frame.to_string(), num_keys)? % num_frames);
        let frames = frames.iter().map(frame).collect::<Result<Vec<usize>, Failure>>()?;
        let found = matching::query::found(&args, path, &source, &frames, &opened)?;
        Ok(json::text(&found))
    })
}

/// The rows of a database, or those that the frames of a motion have there, and how many numbers one has. Errors: those of `match export`.
pub fn match_rows(database: &[u8], motion: Option<Motion<'_>>) -> Result<(Vec<f32>, usize), Failure> {
    let opened = matching::open(Path::new("database"), database)?;
    let source = |motion: Motion<'_>| motion.source(opened.horizon(), &BodyOverrides::default());
    let source = motion.map(source).transpose()?;
    let motion = (motion.as_ref().map(|motion| Path::new(motion.name()))).zip(source.as_ref());
    let mut rows = Vec::new();
    let columns = matching::export::add_rows(&mut rows, &opened, motion)?;
    Ok((rows, columns))
}

/// A take on the character that `retarget` puts it onto, that character, and the engine it is for. Errors: those of `retarget`.
pub fn retarget_take(name: &Path, file: &LoadedTake, flags: &[String]) -> Said<(Take, Arc<CharacterTarget>, Target)> {
    aside(|| {
        let (args, target) = onto(name, flags)?;
        let take = commands::retarget::take_onto(file, &args, &target)?;
        Ok((take, target, args.engine.engine()))
    })
}

/// A loop on the character that `retarget` puts it onto, its file in a format, by default that of the character, and the format. Errors: those
/// of `retarget`.
pub fn retarget_loop(
    name: &str,
    stored: &StoredLoop,
    format: Option<Format>,
    flags: &[String],
) -> Said<(LoopOfLoops, LoopFile, Format)> {
    aside(|| {
        let (args, target) = onto(Path::new(name), flags)?;
        let format = format.unwrap_or_else(|| target.character.file.source.format());
        let source = target.form(format, args.engine.engine());
        let onto = commands::retarget::loop_onto(folded(name, stored)?, &args, &target, &source)?;
        let file = onto.write(&source).map_err(unwritten)?;
        Ok((onto, file, format))
    })
}

fn onto(name: &Path, flags: &[String]) -> Result<(RetargetArgs, Arc<CharacterTarget>), Failure> {
    let args = RetargetArgs {
        input: InputFile::new(name.to_owned(), None),
        ..typed("retarget", flags, &IN_AND_OUT)?
    };
    let target = load::character(&args.rig, args.map.as_deref(), args.bone_stretch)?;
    Ok((args, Arc::new(target)))
}

/// The mirror image of a take, left and right exchanged by the names of joints and by these pairs. Errors: they cannot be exchanged.
pub fn mirror_take(take: &Take, pairs: &[String], reading: &TakeArgs) -> Said<Take> {
    aside(|| Ok(mirroring::mirrored(take, pairs, reading)?.0))
}

/// The same for a loop.
pub fn mirror_loop(name: &str, stored: &StoredLoop, pairs: &[String], reading: &TakeArgs) -> Said<StoredLoop> {
    aside(|| {
        let mirrored = stored.clone().mirrored(pairs, &reading.overrides());
        let (image, mirror) = mirrored.map_err(|error| written_loop::unusable(Path::new(name), error))?;
        mirroring::warn(&mirror);
        Ok(image)
    })
}

/// Writes a loop that comes of others and its sidecar, as `blend` and `retarget` do: see [`super::write_loop`].
pub fn write_file(path: &Path, force: bool, inputs: &[PathBuf], mut file: LoopFile) -> Result<(), Failure> {
    let mut outputs = checked(path, force, inputs)?;
    loop_output::add_file(&mut outputs, &mut file, path)?;
    outputs.commit().map(|_| ())
}

/// Writes a loop that has no file and its sidecar, as `convert` does: see [`super::write_loop`].
pub fn write_stored(path: &Path, force: bool, stored: &StoredLoop) -> Result<(), Failure> {
    let mut outputs = checked(path, force, &[])?;
    let file = &stored.file;
    let source = file.source.in_format(output::format_of(path)?, &file.take);
    let written = loopwright_formats::write_keys(&file.take, &stored.sidecar, &source).map_err(Failure::error)?;
    let sidecar = convert::stated(stored.sidecar.clone(), &written, &source);
    loop_output::add_written(&mut outputs, &written, sidecar, path)?;
    outputs.commit().map(|_| ())
}

/// Why there is no set for a folder, in words.
pub fn set_failure(folder: &Path, error: MakeSetError) -> Failure {
    set::failure(folder, error)
}

/// Writes a set into a folder, which is made where it is missing: all of its files or none, as `set` does. The files of `inputs` are never
/// overwritten. Errors: the folder cannot be written to, or has files of these names and `force` is not given.
pub fn write_set(
    folder: &Path,
    force: bool,
    inputs: &[PathBuf],
    clips: &[SetClipFile],
    made: &WrittenSet,
) -> Result<(), Failure> {
    let mut outputs = Outputs::new(force);
    for input in inputs {
        outputs.protect(input);
    }
    output::make_folder(folder)?;
    for file in clips {
        set::add(folder, &mut outputs, file)?;
    }
    set::add_beside(folder, &mut outputs, made)?;
    outputs.commit().map(|_| ())
}

/// Outputs where a loop and its sidecar may be written.
fn checked(path: &Path, force: bool, inputs: &[PathBuf]) -> Result<Outputs, Failure> {
    let mut outputs = Outputs::new(force);
    for input in inputs {
        outputs.protect(input);
    }
    for path in [path, &output::sidecar_path(path)] {
        outputs.check(path)?;
    }
    Ok(outputs)
}
