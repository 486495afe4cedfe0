//! `loopwright fit`: figures for a character controller, from takes or from numbers alone.

use std::path::{Path, PathBuf};

use loopwright_controller::{FitError, FitSettings, SpeedTable, TableOf, TakeFit};
use loopwright_core::Analysis;
use loopwright_formats::{Format, LoadedTake};
use loopwright_job::warning;

use crate::{
    args::FitArgs,
    batch,
    exit::{Ending, Failure, Result},
    files, load,
    output::{self, Outputs},
    patterns::{Pattern, files_below},
    plot::PlotFile,
    recipe::TakeArgs,
    report::fit::{self as report, FittedTake, Outcome, Source},
    talk,
};

pub fn run(args: &FitArgs) -> Result<Ending> {
    if let Some(profile) = &args.profile {
        return from_table(args, profile);
    }
    if args.takes.is_empty() {
        return from_numbers(args);
    }
    let mut outputs = Outputs::keeping(args.force, &args.takes);
    let plot = PlotFile::asked_for(args.plot.as_deref(), &outputs)?;
    if let Some(path) = &args.toml {
        outputs.check(path)?;
    }
    let settings = FitSettings {
        smoothing_secs: args.smoothing,
        mode: args.mode,
    };
    let sources = sources(&args.takes, &args.reading, &settings)?;
    let fits: Vec<(&FittedTake, &TakeFit)> = sources.iter().flat_map(Source::fits).collect();
    for (take, _) in &fits {
        outputs.protect(Path::new(&take.facts.file));
    }
    let pool = report::pool(&sources);
    let block = report::block(&pool, &settings);
    if let Some(plot) = plot
        && !fits.is_empty()
    {
        let named: Vec<(String, &TakeFit)> = fits
            .iter()
            .map(|(take, fit)| (files::stem(Path::new(&take.facts.file)), *fit))
            .collect();
        plot.add(&mut outputs, &loopwright_plots::controller_fit(&named))?;
    }
    // A block without takes would be empty and could overwrite a useful one.
    if let Some(path) = args.toml.as_ref().filter(|_| !fits.is_empty()) {
        outputs.add(path, block.as_bytes())?;
    }
    let outputs = outputs.commit()?;
    let failure = unreadable(&sources);
    let document = report::json(&sources, &pool, &settings, failure.as_ref(), &outputs);
    if !args.json {
        output::print(&report::human(&sources, &pool, &settings, &block))?;
    }
    output::end(document, failure, args.json)?;
    Ok(Ending::of_answer(pool.has_half_life()))
}

/// The takes of each path. Errors: the only take cannot be read, or the settings fit no take.
fn sources(paths: &[PathBuf], reading: &TakeArgs, settings: &FitSettings) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for path in paths {
        sources.push(source(path, paths.len(), reading, settings)?);
    }
    if let [Source { outcomes, .. }] = &sources[..]
        && let [Outcome::Unreadable { failure, .. }] = &outcomes[..]
    {
        // A failure that ends the run is reported by the end of the run.
        return Err(failure.clone());
    }
    Ok(sources)
}

/// Words why some of the takes could not be fitted.
fn unreadable(sources: &[Source]) -> Option<Failure> {
    let outcomes: Vec<&Outcome> = sources.iter().flat_map(|source| &source.outcomes).collect();
    let unreadable: Vec<&Failure> = outcomes.iter().filter_map(|outcome| outcome.failure()).collect();
    Failure::of_some(unreadable, outcomes.len(), "takes could not be fitted")
}

/// Returns the document for takes that were read already, with their names and warnings. Errors: one cannot be fitted.
pub fn document(
    takes: Vec<(String, &LoadedTake, Vec<String>)>,
    reading: &TakeArgs,
    settings: &FitSettings,
) -> Result<String> {
    let sources = takes
        .into_iter()
        .map(|(name, file, warnings)| {
            let take = smoothed(fitted(Path::new(&name), file, warnings, reading, settings)?)?;
            talk::warn_all(&take.warnings);
            Ok(Source {
                name,
                is_folder: false,
                outcomes: vec![Outcome::Take(Box::new(take))],
            })
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(report::json(&sources, &report::pool(&sources), settings, None, &[]))
}

/// Returns the document for the takes that these paths name. Errors: one cannot be read or fitted.
pub fn document_of_files(paths: &[PathBuf], reading: &TakeArgs, settings: &FitSettings) -> Result<String> {
    let sources = sources(paths, reading, settings)?;
    match unreadable(&sources) {
        Some(failure) => Err(failure),
        None => Ok(report::json(&sources, &report::pool(&sources), settings, None, &[])),
    }
}

/// Errors: the settings fit no take.
fn smoothed(take: FittedTake) -> Result<FittedTake> {
    match take.fit {
        Err(error @ FitError::Smoothing { .. }) => Err(Failure::error(error).try_this("--smoothing 0.2")),
        _ => Ok(take),
    }
}

/// Reads and fits all takes of an argument; a bad file does not stop the others. Errors: the settings fit no take.
fn source(path: &Path, num_paths: usize, reading: &TakeArgs, settings: &FitSettings) -> Result<Source> {
    let is_folder = batch::is_many(path);
    let is_batch = is_folder || num_paths > 1;
    let files = match Pattern::files_of(path) {
        Ok(None) if is_folder => takes_below(path),
        Ok(None) => Ok(vec![path.to_owned()]),
        Ok(Some(files)) => Ok(files),
        Err(failure) => Err(failure),
    };
    let is_alone = num_paths == 1 && files.as_ref().map_or(1, Vec::len) == 1;
    let failed = |file: &Path, failure: Failure| {
        if !is_alone {
            talk::fail(&failure);
        }
        Outcome::Unreadable {
            file: file.display().to_string(),
            failure,
        }
    };
    let mut outcomes = Vec::new();
    match files {
        Err(failure) => outcomes.push(failed(path, failure)),
        Ok(files) => {
            for file in files {
                outcomes.push(match fit_take(&file, reading, settings) {
                    Ok(take) => {
                        let take = smoothed(take)?;
                        if is_batch {
                            talk::warn_of(&take.facts.file, &take.warnings);
                        } else {
                            talk::warn_all(&take.warnings);
                        }
                        Outcome::Take(Box::new(take))
                    }
                    Err(failure) => failed(&file, failure),
                });
            }
        }
    }
    Ok(Source {
        name: path.display().to_string(),
        is_folder,
        outcomes,
    })
}

/// Reads a take and fits it. Errors: it cannot be read, or its frames are too far apart or too close together.
fn fit_take(path: &Path, reading: &TakeArgs, settings: &FitSettings) -> Result<FittedTake> {
    let mut soft = Vec::new();
    fitted(
        path,
        &files::read_take(path, &load::settings(reading), &mut soft)?,
        soft.iter().map(ToString::to_string).collect(),
        reading,
        settings,
    )
}

/// Fits a take that was read with these warnings. Errors: a named joint is missing, or the frames are too far apart or too close together.
pub fn fitted(
    path: &Path,
    file: &LoadedTake,
    mut warnings: Vec<String>,
    reading: &TakeArgs,
    settings: &FitSettings,
) -> Result<FittedTake> {
    let analysis = Analysis::with(&file.take, &reading.overrides())?;
    if !analysis.defects.jumps.is_empty() {
        warnings.push(format!(
            "the pose jumps at {}: nothing is measured across it",
            warning::list_frames(&analysis.defects.jumps)
        ));
    }
    let fit = loopwright_controller::fit(&analysis, settings);
    if let Err(error @ FitError::Rate { .. }) = fit {
        return Err(Failure::cannot("fit", path, error).try_this("export the take at 30 to 120 frames per second"));
    }
    Ok(FittedTake {
        facts: file.facts(path.display().to_string()),
        fit,
        warnings,
    })
}

/// Takes in a folder and its subfolders, sorted by name: files in a format that can be read, except loops (files with a sidecar).
///
/// Links to folders are not followed, since they may form a cycle. Errors: a folder cannot be listed, or there is no take.
fn takes_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let found = files_below(folder, |path| {
        files::is_take_of_a_folder(path) && !files::has_sidecar(path)
    })?;
    if found.is_empty() {
        return Err(
            failure!("there is no take in the folder \"{}\" or below", folder.display())
                .because(format!(
                    "in a folder, takes are {} files without a loop's sidecar beside them",
                    Format::names("and")
                ))
                .try_this("name the files themselves"),
        );
    }
    Ok(found)
}

/// Fits a spring to a table of speeds or split times.
fn from_table(args: &FitArgs, path: &Path) -> Result<Ending> {
    takes_only(args)?;
    let table = read_table(path)?;
    let fit = table.fit();
    output::print(&if args.json {
        report::table_json(path, &table, &fit)
    } else {
        report::table_human(&table, &fit)
    })?;
    Ok(Ending::Done)
}

/// Reads lines of two numbers below a line of names. Blank lines, lines that begin with #, and further columns are ignored.
fn read_table(path: &Path) -> Result<SpeedTable> {
    let wrong = |what: String| {
        Failure::cannot("read the table", path, what)
            .try_this("a first line time,speed or distance,time, then a line of numbers each: seconds, m/s, metres")
    };
    let mut lines = files::lines(path, wrong)?.into_iter();
    let cells = |line: &str| -> Vec<String> {
        line.split([',', ';', '\t'])
            .map(|cell| cell.trim().to_lowercase())
            .collect()
    };
    let names = lines.next().map(|(_, line)| cells(&line)).unwrap_or_default();
    let column = |known: &[&str]| {
        // Units may follow a name: time_secs, speed (m/s).
        let is_known = |name: &String| {
            let word = name.split(|letter: char| !letter.is_alphabetic()).next();
            word.is_some_and(|word| known.contains(&word))
        };
        names.iter().position(is_known)
    };
    let time = column(&["time", "t", "secs", "seconds"]);
    let speed = column(&["speed", "velocity", "v"]).map(|at| (at, TableOf::Speeds));
    let value = speed.or_else(|| column(&["distance", "d", "metres", "meters"]).map(|at| (at, TableOf::Splits)));
    let (Some(time), Some((value, of))) = (time, value) else {
        return Err(wrong(
            "its first line names no time with a speed or a distance".to_owned(),
        ));
    };
    let mut rows = Vec::new();
    for (number, line) in lines {
        let cells = cells(&line);
        let cell = |at: usize| cells.get(at).and_then(|cell| cell.parse::<f64>().ok());
        let (Some(secs), Some(value)) = (cell(time), cell(value)) else {
            return Err(wrong(format!("line {number} lacks a number")));
        };
        rows.push((secs, value));
    }
    SpeedTable::new(of, rows).map_err(|error| wrong(error.to_string()))
}

/// Errors: a flag for takes is given without any take.
fn takes_only(args: &FitArgs) -> Result<()> {
    for (flag, is_there) in [
        ("--plot", args.plot.is_some()),
        ("--toml", args.toml.is_some()),
        ("--mode", args.mode.is_some()),
    ] {
        if is_there {
            return Err(failure!("{flag} needs a take").try_this("loopwright fit TAKE"));
        }
    }
    Ok(())
}

/// Computes from numbers alone, by the closed forms.
fn from_numbers(args: &FitArgs) -> Result<Ending> {
    takes_only(args)?;
    let pair = |step: Option<f64>, rate: Option<f64>| report::Numbers::completed(step?, rate, args.half_life);
    let (velocity, facing) = (pair(args.speed, args.acceleration), pair(args.angle, args.turn_rate));
    let unanswered = (args.speed.is_some() && velocity.is_none()) || (args.angle.is_some() && facing.is_none());
    if unanswered || (velocity.is_none() && facing.is_none()) {
        return Err(Failure::error("too few numbers to answer from")
            .because("--speed with --acceleration gives the half-life, with --half-life the largest acceleration")
            .because("--angle with --turn-rate gives the half-life, with --half-life the largest turn rate")
            .try_this("--speed 5 --half-life 0.2"));
    }
    output::print(&if args.json {
        report::numbers_json(velocity, facing)
    } else {
        report::numbers_human(velocity, facing)
    })?;
    Ok(Ending::Done)
}
