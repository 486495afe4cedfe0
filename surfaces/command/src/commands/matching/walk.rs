//! `loopwright match walk`: walks along a path with the motions of a database.

use std::path::{Path, PathBuf};

use glam::DVec2;
use loopwright_core::math::{Decay, greatest, mean};
use loopwright_job::AddedRoot;
use loopwright_match::{
    MatchDatabase, MatchFilter, MatchSource,
    walk::{self, WalkError, WalkPath, Walked, WalkerSettings},
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
        let num_frames = (path.duration_secs() * take.frame_rate_hz()) as usize;
        memory::limits()
            .check_transforms(num_frames, take.num_joints())
            .map_err(|error| failures::memory("to walk so long", error))?;
    }
    let settings = WalkerSettings {
        query_secs: args.every,
        fade: Decay::Quintic {
            blend_secs: args.fade_seconds,
        },
        path_half_life_secs: args.half_life,
        holds_feet: args.lock_feet,
        stay: args.stay as f32,
    };
    let walked = walk::walk(&database, &by_clip, &path, &filter, &settings).map_err(|error| failure(&error))?;
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
        in_text(answer, &args.output.display().to_string())
    })
}

/// Lists the files of a database, each once, with their names in it.
fn files_of(path: &Path, database: &MatchDatabase) -> Vec<(PathBuf, String)> {
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
        if let Some(first) = loops.first() {
            let stored = written_loop::read_playable(first, reading, AddedRoot::Kept)?;
            return Ok(stored.file.source);
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
    failure!("cannot walk: {error}").try_this(match error {
        WalkError::Skeleton { .. } | WalkError::Rate { .. } => "a database of takes of one skeleton and one frame rate",
        WalkError::Source { .. } => "`loopwright match build` again: the file was changed since",
        _ => "a shorter path",
    })
}

/// A part of a walk that plays one clip.
#[in_schema]
struct WalkedPart {
    /// When it starts.
    start_secs: f64,
    /// The clip, by its name in the database.
    clip: String,
    /// The frame of the take with which it starts.
    frame: usize,
}

/// What a walk along a path is like.
#[in_schema]
pub struct WalkAnswer {
    /// Seconds from the first frame to the last.
    duration_secs: f64,
    /// Number of frames.
    frames: usize,
    /// Frames per second.
    fps: f64,
    /// How often the motion goes on in another frame of the database.
    jumps: usize,
    /// The same per second.
    jump_rate_hz: f64,
    /// Mean distance of the body from where the path is at that time.
    mean_path_error_m: f64,
    /// The largest of these distances.
    largest_path_error_m: f64,
    /// Mean speed over the ground of feet that stand; null where none stands.
    foot_slide_mps: Option<f64>,
    /// The same of the frames that are played, in their own takes.
    foot_slide_of_sources_mps: Option<f64>,
    /// The largest change of a joint's step from one frame to the next, just after jumps.
    sharpest_after_jumps_m: f64,
    /// The same in all other frames.
    sharpest_elsewhere_m: f64,
    /// What plays, from the first frame and from every jump on.
    parts: Vec<WalkedPart>,
}

impl WalkAnswer {
    fn new(database: &MatchDatabase, walked: &Walked) -> Self {
        let take = &walked.take;
        let errors = &walked.path_error_metres;
        Self {
            duration_secs: take.duration_secs(),
            frames: take.num_frames(),
            fps: take.frame_rate_hz(),
            jumps: walked.jumps.len(),
            jump_rate_hz: walked.jumps.len() as f64 / take.duration_secs().max(take.frame_time_secs()),
            mean_path_error_m: mean(errors.iter().copied()),
            largest_path_error_m: greatest(errors.iter().copied()),
            foot_slide_mps: walked.slide_mps,
            foot_slide_of_sources_mps: walked.slide_of_sources_mps,
            sharpest_after_jumps_m: walked.sharpest_metres[0],
            sharpest_elsewhere_m: walked.sharpest_metres[1],
            parts: [0]
                .iter()
                .chain(&walked.jumps)
                .map(|&frame| {
                    let at = database.frame_of(walked.rows[frame]);
                    WalkedPart {
                        start_secs: frame as f64 * take.frame_time_secs(),
                        clip: database.clips()[at.clip].clip.name.clone(),
                        frame: at.frame,
                    }
                })
                .collect(),
        }
    }
}

/// The answer of `match walk`.
fn in_text(answer: &WalkAnswer, file: &str) -> String {
    let mut text = format!(
        "{file}: {:.2} s, {} frames, {} jumps ({:.2} a second)\n  off the path  {:.2} m on average, at most {:.2} m\n",
        answer.duration_secs,
        answer.frames,
        answer.jumps,
        answer.jump_rate_hz,
        answer.mean_path_error_m,
        answer.largest_path_error_m
    );
    if let Some((slide, own)) = answer.foot_slide_mps.zip(answer.foot_slide_of_sources_mps) {
        text += &format!(
            "  feet slide    {:.1} cm/s while planted, {:.1} in their takes\n",
            100.0 * slide,
            100.0 * own
        );
    }
    for part in &answer.parts {
        text += &format!(
            "  {:>8.2} s  {} from frame {}\n",
            part.start_secs, part.clip, part.frame
        );
    }
    text
}
