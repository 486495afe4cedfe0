//! `loopwright play`: plays loops one after the other.

use std::fmt::Display;

use loopwright_formats::Format;
use loopwright_job::StoredLoop;
use loopwright_moves::{
    PlaySettings,
    play::{MAX_TRANSFORMS, PlayError},
};
use loopwright_sets::{PerformError, PlayRequest, Played, fade};

use crate::{
    args::{LoopsArgs, PlayArgs},
    exit::{Ending, Failure, Result},
    failures,
    files::{self, InputFile},
    memory,
    output::{self, Outputs},
    talk, written_loop,
};

pub fn run(args: &PlayArgs) -> Result<Ending> {
    let (names, format, mut outputs) = of_loops(&args.files)?;
    outputs.check(&args.files.output)?;
    outputs.clear_sidecar(&args.files.output)?;
    let loops = written_loop::read_all_onto(&names, &args.files.reading, None)?;
    let engine = args.files.engine.engine();
    talk::warn_all(
        engine
            .complaint(format)
            .into_iter()
            .chain(args.fps.and_then(|rate| engine.rate_complaint(rate))),
    );
    let played = played(loops, &files::stem(&args.files.output), args)?;
    let written = played.write(format)?;
    talk::warn_all(&written.warnings);
    outputs.add(&args.files.output, &written.bytes)?;
    let outputs = outputs.commit()?;
    let answer = answer(&played, &names, args.seed);
    output::answer("play", &answer, None, &outputs, args.files.json, |answer| {
        human(answer, &args.files.output.display().to_string())
    })
}

/// Returns the loops that flags name, the format of the output, and outputs that replace none of the loops.
pub fn of_loops(files: &LoopsArgs) -> Result<(Vec<InputFile>, Format, Outputs)> {
    let names = written_loop::all_loops(&files.loops, &files.reading)?;
    let format = output::format_of(&files.output)?;
    let mut outputs = Outputs::new(files.force);
    for input in &names {
        outputs.protect(&input.path);
        outputs.protect_as("take", &input.sidecar);
    }
    Ok((names, format, outputs))
}

/// Plays loops into a take of this name, as the flags ask for it.
fn played(loops: Vec<StoredLoop>, name: &str, args: &PlayArgs) -> Result<Played> {
    if let Some(StoredLoop { clip, .. }) = loops.first() {
        let num_frames = args.seconds * args.fps.unwrap_or(1.0 / clip.step_secs());
        let num_joints = clip.skeleton().num_joints();
        // A longer take is refused anyway.
        if num_frames * num_joints as f64 <= MAX_TRANSFORMS as f64 {
            memory::limits()
                .check_transforms(num_frames as usize, num_joints)
                .map_err(|error| failures::memory("to play so long", error))?;
        }
    }
    let request = PlayRequest {
        seconds: args.seconds,
        fps: args.fps,
        settings: PlaySettings {
            seed: args.seed,
            fade: fade(args.fade, args.fade_seconds),
            cycles: args.cycles,
            feet: args.lock_feet,
        },
        overrides: args.files.reading.overrides(),
        engine: args.files.engine.engine(),
        recenters: args.files.engine.recenters(),
    };
    Played::new(loops, name, &request).map_err(|error| match error {
        PerformError::Rate { wanted_hz, limit_hz } => failures::rate(wanted_hz, limit_hz),
        PerformError::Play(error) => unplayed(error),
        PerformError::Body(error) => error.into(),
        other => Failure::error(other),
    })
}

/// Describes the loops that were played, by these names.
pub fn answer(played: &Played, names: &[impl Display], seed: u64) -> PlayAnswer {
    let take = &played.take;
    PlayAnswer {
        duration_secs: take.duration_secs(),
        frames: take.num_frames(),
        fps: take.frame_rate_hz(),
        frame_time_secs: played.frame_time_secs,
        seed,
        played: played
            .performance
            .segments()
            .iter()
            .map(|segment| PlayedLoop {
                file: names[segment.loop_index].to_string(),
                start_secs: segment.start_secs,
                entry_secs: segment.entry.secs,
                exit_secs: segment.exit_secs,
                cost_metre_secs: segment.entry.cost,
            })
            .collect(),
    }
}

fn unplayed(error: PlayError) -> Failure {
    let failure = failure!("cannot play: {error}");
    let hint = match error {
        PlayError::Duration { .. } => "--seconds 60",
        PlayError::FadeSecs { .. } => "--fade-seconds 0.4",
        PlayError::TooLong | PlayError::TooManyFrames { .. } => "a smaller --seconds or --fps",
        PlayError::Take(_) => "another --fps",
        _ => return failure,
    };
    failure.try_this(hint).wrongly_called()
}

/// A loop as it was played.
#[in_schema]
pub struct PlayedLoop {
    /// The loop's file.
    file: String,
    /// When it starts.
    start_secs: f64,
    /// Where in the loop it starts.
    entry_secs: f64,
    /// Where in the loop it is left for the next; null for the last.
    exit_secs: Option<f64>,
    /// What the jump into it costs; 0 for the first.
    cost_metre_secs: f64,
}

/// The answer of `play`.
#[in_schema]
pub struct PlayAnswer {
    /// Seconds from the first frame to the last.
    duration_secs: f64,
    /// Number of frames.
    frames: usize,
    /// Frames per second.
    fps: f64,
    /// Seconds from one frame to the next.
    frame_time_secs: f64,
    /// Where the order comes from.
    seed: u64,
    /// What plays when.
    pub played: Vec<PlayedLoop>,
}

/// Words the answer of `play`.
fn human(answer: &PlayAnswer, file: &str) -> String {
    let mut text = format!(
        "{file}: {:.2} s, {} frames, {} jumps\n",
        answer.duration_secs,
        answer.frames,
        answer.played.len().saturating_sub(1)
    );
    for played in &answer.played {
        text += &format!(
            "  {:>8.2} s  {} from {:.3} s",
            played.start_secs, played.file, played.entry_secs
        );
        if let Some(exit_secs) = played.exit_secs {
            text += &format!(", left at {exit_secs:.3} s");
        }
        text.push('\n');
    }
    text
}
