//! `loopwright play`: loops one after the other.

use loopwright::math::{Decay, DecayKind};
use loopwright::play::{DEFAULT_FADE_SECS, MAX_TRANSFORMS, Performance, PlayError};
use loopwright::{LoopSet, PlaySettings, candidate::DEFAULT_HALF_LIFE_SECS};
use loopwright_job::{StoredLoop, max_rate_hz};

use crate::exit::{Ending, Failure};
use crate::output::{self, Outputs};
use crate::report::json;
use crate::report::play::{self as report, PlayAnswer, PlayedLoop};
use crate::{args::PlayArgs, failures, files, talk, written_loop};

pub(crate) fn run(args: &PlayArgs) -> Result<Ending, Failure> {
    written_loop::check_are_there(&args.files.loops)?;
    let names = written_loop::all_loops(&args.files.loops, &args.files.reading)?;
    let format = output::format_of(&args.files.output)?;
    let mut outputs = Outputs::new(args.files.force);
    for input in &names {
        outputs.protect(&input.path);
        outputs.protect(&output::sidecar_path(&input.path));
    }
    outputs.check(&args.files.output)?;
    outputs.clear_sidecar(&args.files.output)?;
    let rate = args.fps.unwrap_or(1.0);
    if !(rate > 0.0 && rate.is_finite()) {
        return Err(
            Failure::error(format!("--fps must be a positive number, found {rate:?}")).try_this("--fps 30 or --fps 60"),
        );
    }
    let loops = written_loop::read_all_playable(&names, &args.files.reading)?;
    let engine = args.files.engine.engine();
    let complaints = engine
        .complaint(format)
        .into_iter()
        .chain(args.fps.and_then(|rate| engine.rate_complaint(rate)));
    talk::warn_all(complaints);
    let first = loops[0].file.take.clone();
    let frame_time_secs = frame_time_secs(args, loops[0].clip.step_secs(), first.skeleton().num_joints())?;
    let adds_root = engine.needs_root_joint(loops[0].has_root_joint());
    let source = engine.placed(loops[0].file.source.in_format(format, &first));
    let performance = performed(args, loops)?;
    let name = files::stem(&args.files.output);
    let (take, written) = if adds_root {
        let root = loopwright_formats::added_root_name(first.skeleton());
        let take = performance
            .to_take_with_root(&name, &root, frame_time_secs)
            .map_err(play_failure)?;
        let written = loopwright_formats::write_take_with_root(&take, &source);
        (take, written)
    } else {
        let take = performance.to_take(&name, frame_time_secs).map_err(play_failure)?;
        let written = loopwright_formats::write_take(&take, &source);
        (take, written)
    };
    let written = written.map_err(Failure::error)?;
    talk::warn_all(&written.warnings);
    outputs.add(&args.files.output, &written.bytes)?;
    let outputs = outputs.commit()?;
    let answer = PlayAnswer {
        duration_secs: take.duration_secs(),
        frames: take.num_frames(),
        fps: take.frame_rate_hz(),
        frame_time_secs,
        seed: args.seed,
        played: performance
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
    };
    output::print(&if args.files.json {
        json::document("play", answer, None, &outputs)
    } else {
        report::human(&answer, &args.files.output.display().to_string())
    })?;
    Ok(Ending::Done)
}

/// Time from one frame to the next: as asked, as the engine wants it, or as the first loop has it. Errors: more frames than a take may
/// have.
fn frame_time_secs(args: &PlayArgs, own_step_secs: f64, num_joints: usize) -> Result<f64, Failure> {
    let own_rate_hz = 1.0 / own_step_secs;
    let secs = match (args.fps, args.files.engine.engine().sampled_rate(own_rate_hz)) {
        (Some(rate), _) => 1.0 / rate,
        (None, rate) if rate == own_rate_hz => own_step_secs,
        (None, rate) => 1.0 / rate,
    };
    let most_hz = max_rate_hz(own_rate_hz);
    if 1.0 / secs > most_hz {
        return Err(failures::rate(1.0 / secs, most_hz));
    }
    let num_transforms = args.seconds / secs * num_joints as f64;
    if args.seconds.is_finite() && num_transforms > MAX_TRANSFORMS as f64 {
        return Err(play_failure(PlayError::TooManyFrames { found: num_transforms }));
    }
    Ok(secs)
}

fn performed(args: &PlayArgs, loops: Vec<StoredLoop>) -> Result<Performance, Failure> {
    let mut played = Vec::with_capacity(loops.len());
    for each in loops {
        played.push(if args.files.engine.recenters() {
            let overrides = args.files.reading.overrides();
            each.as_played(each.recentered(&overrides).map_err(failures::body)?.clip)
        } else {
            each.played()
        });
    }
    let settings = PlaySettings {
        seed: args.seed,
        fade: fade(args),
        cycles: args.cycles,
        feet: args.lock_feet,
    };
    let set = LoopSet::with(played, &args.files.reading.overrides()).map_err(play_failure)?;
    set.perform(args.seconds, &settings).map_err(play_failure)
}

fn fade(args: &PlayArgs) -> Decay {
    let blend_secs = args.fade_seconds.unwrap_or(DEFAULT_FADE_SECS);
    match args.fade {
        DecayKind::Quintic => Decay::Quintic { blend_secs },
        DecayKind::Cubic => Decay::Cubic { blend_secs },
        DecayKind::Spring => Decay::Spring {
            half_life_secs: args.fade_seconds.unwrap_or(DEFAULT_HALF_LIFE_SECS),
        },
    }
}

fn play_failure(error: PlayError) -> Failure {
    let hint = match error {
        PlayError::Duration { .. } => Some("--seconds 60"),
        PlayError::FadeSecs { .. } => Some("--fade-seconds 0.4"),
        PlayError::TooLong | PlayError::TooManyFrames { .. } => Some("a smaller --seconds or --fps"),
        PlayError::Take(_) => Some("another --fps"),
        _ => None,
    };
    let failure = Failure::error(format!("cannot play: {error}"));
    match hint {
        Some(hint) => failure.try_this(hint),
        None => failure,
    }
}
