//! `loopwright match walk`: walks along a path with the motions of a database.

use std::path::{Path, PathBuf};

use glam::DVec2;
use loopwright_core::math::Decay;
use loopwright_match::{
    MatchDatabase, MatchFilter, MatchSource,
    walk::{self, WalkError, WalkPath, WalkerSettings},
};

use super::{Opened, open, source};
use crate::{
    animations::Excluded,
    args::{MatchWalkArgs, gaits_of},
    exit::{Ending, Failure, Result},
    failures,
    files::{self, InputFile},
    load, memory,
    output::{self, Outputs},
    recipe::TakeArgs,
    report::matching::{self as report, WalkAnswer},
    talk, written_loop,
};

pub fn run(args: &MatchWalkArgs) -> Result<Ending> {
    let format = output::format_of(&args.output)?;
    let mut outputs = Outputs::new(args.force);
    outputs.protect_as("database", [&args.database]);
    outputs.protect_as("path", [&args.path]);
    outputs.check(&args.output)?;
    let path = read_path(&args.path)?;
    let bytes = files::read_bytes(&args.database)?;
    let Opened::Future(database) = open(&args.database, &bytes)? else {
        return Err(failure!(
            "nobody walks by \"{}\": it holds what jumps cost, and no futures",
            args.database.display()
        )
        .try_this("a database that `loopwright match build` wrote without --features cost"));
    };
    let filter = MatchFilter {
        tags: args.tags.clone(),
        gaits: gaits_of(&args.gaits),
        ..MatchFilter::default()
    };
    let files = files_of(&args.database, &database);
    let mut sources: Vec<(String, MatchSource)> = Vec::new();
    for (file, name) in &files {
        files::check_named_by(&args.database, file)?;
        outputs.protect_named(file);
        let motions = source::read_all(file, name.clone(), &args.reading, &[], database.horizon())?;
        let num_motions = motions.len();
        for motion in motions {
            match motion.source {
                Ok(source) => sources.push((motion.name, source)),
                // When the database was built, loops that cannot be matched were left out if there were several.
                Err(failure) if failure.is_negative() && num_motions > 1 => {}
                Err(failure) => return Err(failure),
            }
        }
    }
    let by_clip: Vec<&MatchSource> = database
        .clips()
        .iter()
        .filter_map(|rows| sources.iter().find(|(name, _)| *name == rows.clip.name))
        .map(|(_, source)| source)
        .collect();
    if let Some(take) = by_clip.first().map(|source| source.take()) {
        memory::limits()
            .check_transforms(
                (path.duration_secs() * take.frame_rate_hz()) as usize,
                take.num_joints(),
            )
            .map_err(|error| failures::memory("to walk so long", error))?;
    }
    let walked = walk::walk(
        &database,
        &by_clip,
        &path,
        &filter,
        &WalkerSettings {
            query_secs: args.every,
            fade: Decay::Quintic {
                blend_secs: args.fade_seconds,
            },
            path_half_life_secs: args.half_life,
            holds_feet: args.lock_feet,
            stay: args.stay as f32,
        },
    )
    .map_err(|error| failure(&error))?;
    let [(first, _), ..] = &files[..] else {
        return Err(failure(&WalkError::NoRow));
    };
    let written = loopwright_formats::write_take(
        &walked.take,
        &form(first, &args.reading)?.in_format(format, &walked.take),
    )?;
    talk::warn_all(&written.warnings);
    outputs.add(&args.output, &written.bytes)?;
    let outputs = outputs.commit()?;
    let answer = WalkAnswer::new(&database, &walked);
    output::answer("match-walk", &answer, None, &outputs, args.json, |answer| {
        report::walked(answer, &args.output.display().to_string())
    })
}

/// Lists the files of a database, each once, with their names in it.
fn files_of(path: &Path, database: &MatchDatabase<'_>) -> Vec<(PathBuf, String)> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    for rows in database.clips() {
        let name = &rows.clip.name;
        // If a file holds several loops, its clips are named `file:loop`.
        let name = name
            .rsplit_once(':')
            .filter(|_| !folder.join(name).exists())
            .map_or(name.as_str(), |(file, _)| file)
            .to_owned();
        if !files.iter().any(|(_, known)| *known == name) {
            files.push((folder.join(&name), name));
        }
    }
    files
}

/// Returns the form of the first motion's file.
fn form(path: &Path, reading: &TakeArgs) -> Result<loopwright_formats::Source> {
    let input = InputFile::named(path);
    let reading = &input.reading(reading);
    if input.sidecar.is_some() {
        let loops = written_loop::loops_of(&input, reading, Excluded::NONE)?;
        let first = written_loop::read_all_playable(&loops[..1], reading)?
            .into_iter()
            .next();
        if let Some(first) = first {
            return Ok(first.file.source);
        }
    }
    Ok(files::read_take(&input.path, &load::settings(reading), &mut Vec::new())?.source)
}

/// Reads lines of three numbers: seconds, x, z. A header line, blank lines and those that begin with # are ignored.
fn read_path(file: &Path) -> Result<WalkPath> {
    let wrong = |what: String| {
        Failure::cannot("read the path", file, what)
            .try_this("lines such as 0,0,0 and 2.5,0,3.5: seconds, metres to the left, metres ahead")
    };
    let mut points = Vec::new();
    for (number, line) in files::lines(file, wrong)? {
        let numbers: Option<Vec<f64>> = line
            .split([',', ';', '\t'])
            .map(|cell| cell.trim().parse().ok())
            .collect();
        match numbers.as_deref() {
            Some([secs, x, z]) => points.push((*secs, DVec2::new(*x, *z))),
            None if points.is_empty() && line.contains(char::is_alphabetic) => {}
            _ => return Err(wrong(format!("line {number} is not three numbers"))),
        }
    }
    WalkPath::new(points).map_err(|error| wrong(error.to_string()))
}

fn failure(error: &WalkError) -> Failure {
    if *error == WalkError::NoRow {
        return Failure::nothing(format!("cannot walk: {error}"))
            .try_this("fewer --tag; `loopwright match inspect DB` lists the tags");
    }
    let failure = failure!("cannot walk: {error}");
    match error {
        WalkError::Skeleton { .. } | WalkError::Rate { .. } => {
            failure.try_this("a database of takes of one skeleton and one frame rate")
        }
        WalkError::Source { .. } => failure.try_this("`loopwright match build` again: the file was changed since"),
        _ => failure.try_this("a shorter path"),
    }
}
