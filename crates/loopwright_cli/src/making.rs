//! Makes a loop from a chosen stretch, and words its warnings and failures.

use std::borrow::Cow;

use loopwright::{
    LoopCandidate, LoopSettings, MadeLoop, RootMode,
    candidate::WholeClipKind,
    edit::EditError,
    feet::{FootOutcome, PlantError},
    math::{ops, rotation},
    mean_cycle::MeanCycleError,
    pipeline::{MakeError, RetriedLoop, Retry, Sampling},
    root_motion::{MAX_LINEAR_TURN, RootError},
    take::CutError,
};
use loopwright_formats::{
    LoopFile, LoopFileError, LoopWriteSettings, Source,
    loop_file::{Verdict, facts::Grade, what_shows},
};

use crate::{
    exit::{Ending, Failure},
    load::Loaded,
};

/// Highest rate at which loops are sampled, unless their take has a higher one, per second.
///
/// Engines play at most a few hundred frames per second, and sample between keys. Smoothing over a time takes the square of the rate:
/// at 60,000 the hold of feet alone would take most of a minute, at 1,000 it takes milliseconds.
const MAX_RATE_HZ: f64 = 1000.0;

/// Refuses a rate that no engine could use, before any work is done for it. `frame_rate_hz` is the take's own.
pub(crate) fn check_rate(wanted_hz: f64, frame_rate_hz: f64) -> Result<(), Failure> {
    let most = most_rate(frame_rate_hz);
    if wanted_hz <= most {
        return Ok(());
    }
    // Hundreds of digits help nobody.
    let wanted = match wanted_hz {
        ..1e7 => format!("{wanted_hz:.0}"),
        _ => format!("{wanted_hz:.0e}"),
    };
    Err(too_dense(&format!(
        "{wanted} frames per second are asked for, the limit is {most:.0}"
    )))
}

fn most_rate(frame_rate_hz: f64) -> f64 {
    // The rate of a take is rounded, and its period is retimed to whole samples.
    MAX_RATE_HZ.max(1.01 * frame_rate_hz)
}

fn too_dense(what: &str) -> Failure {
    Failure::error(what)
        .because("engines sample between keys; more of them than the take has add nothing")
        .try_this("--fps 60, or another smaller --fps or --frames")
}

/// The same for a loop of a stretch.
pub(crate) fn check_sampling(loaded: &Loaded, chosen: &LoopCandidate, sampling: Sampling) -> Result<(), Failure> {
    let frame_rate_hz = loaded.take().frame_rate_hz();
    match sampling {
        Sampling::SourceRate => Ok(()),
        Sampling::Rate(wanted_hz) => check_rate(wanted_hz, frame_rate_hz),
        Sampling::Samples(count) => {
            let most = (most_rate(frame_rate_hz) * chosen.source_period_secs).ceil();
            if count as f64 <= most {
                return Ok(());
            }
            Err(too_dense(&format!("{count} frames are asked for, the limit is {most}")))
        }
    }
}

/// A loop, its file, and warnings about it.
pub(crate) struct Making {
    pub(crate) made: MadeLoop,
    /// The loop of the take, where that went onto a character.
    pub(crate) of_take: Option<MadeLoop>,
    pub(crate) file: LoopFile,
    pub(crate) soft: Vec<String>,
    /// What was made instead of the loop asked for, and why.
    pub(crate) retried: Option<String>,
}

/// The settings for the loop of the take, which may then go onto a character.
pub(crate) fn on_take<'a>(loaded: &Loaded, settings: &'a LoopSettings) -> Cow<'a, LoopSettings> {
    match &loaded.character {
        Some(character) => Cow::Owned(settings.before_character(&character.matched.pair)),
        None => Cow::Borrowed(settings),
    }
}

/// Makes a loop from a stretch, or another one where its seam shows.
pub(crate) fn made_or_retried(
    loaded: &Loaded,
    candidate: &LoopCandidate,
    settings: &LoopSettings,
    retry: Retry<'_>,
) -> Result<RetriedLoop, Failure> {
    let settings = on_take(loaded, settings);
    let found = loaded.analysis.make_loop_or_retry(candidate, &settings, retry);
    found.map_err(|error| failure(loaded, error))
}

/// The loop on the character that takes the loops of its take, if there is one.
pub(crate) fn on_character(
    loaded: &Loaded,
    made: &MadeLoop,
    settings: &LoopSettings,
) -> Result<Option<MadeLoop>, Failure> {
    let Some(character) = &loaded.character else {
        return Ok(None);
    };
    let on = made.clone().onto(&character.matched.pair, settings);
    on.map(Some).map_err(|error| failure(loaded, error))
}

/// The same, put onto the character that takes it, if there is one, and written into memory.
pub(crate) fn make(
    loaded: &Loaded,
    (candidate, retry): (&LoopCandidate, Retry<'_>),
    settings: &LoopSettings,
    (source, writing): (&Source, &LoopWriteSettings),
) -> Result<Making, Failure> {
    let found = made_or_retried(loaded, candidate, settings, retry)?;
    let retried = retried_in_words(&found);
    let may_retry = retry.closures && !retry.stretches.is_empty();
    let (made, of_take) = match on_character(loaded, &found.made, settings)? {
        Some(on) => (on, Some(found.made)),
        None => (found.made, None),
    };
    let file = LoopFile::write_with(&made, loaded.facts(), source, writing).map_err(write_failure)?;
    let mut soft: Vec<String> = file.written.warnings.iter().map(ToString::to_string).collect();
    soft.extend(about(&made));
    if let Some(verdict) = Verdict::of_facts(&file.sidecar.quality).filter(|verdict| verdict.grade == Grade::Bad) {
        let advice = match (made.candidate.loops_already(), may_retry) {
            (true, _) => "the clip has it as it is".to_owned(),
            (false, true) => format!("{} loops were tried, and all of them show it", found.tried),
            (false, false) => "try a longer --blend, --closure auto, or other frames".to_owned(),
        };
        soft.push(format!("the seam shows: {}; {advice}", verdict.reason));
    }
    Ok(Making {
        made,
        of_take,
        file,
        soft,
        retried,
    })
}

/// What was made instead of the loop asked for, and why; `None` if that was made.
pub(crate) fn retried_in_words(found: &RetriedLoop) -> Option<String> {
    let asked_for = found.asked_for.as_ref()?;
    let (made, closed) = (&found.made, &found.made.closed.method);
    let cut_of = |made: &MadeLoop| {
        let cut = &made.candidate.cut;
        format!("frames {:.0}-{:.0}", cut.start_frame(), cut.end_frame())
    };
    let ([name, _], [secs, _]) = (closed.names(), closed.secs());
    let instead = if made.candidate == asked_for.candidate {
        "closed as usual,".to_owned()
    } else {
        format!("of {},", cut_of(asked_for))
    };
    Some(format!(
        "took {} closed by {name} over {secs:.2} s; {instead} the seam shows: {} ({} loops were tried)",
        cut_of(made),
        what_shows(asked_for)?,
        found.tried
    ))
}

/// Warnings about a loop that do not depend on its file.
pub(crate) fn about(made: &MadeLoop) -> impl Iterator<Item = String> {
    let clamps = made.closed.clamps.iter().map(ToString::to_string);
    let feet = feet_left_alone(made);
    clamps.chain(torn_back(made)).chain(feet).chain(fewer_cycles(made))
}

/// How a command ends that wrote a loop: negatively where its seam shows.
pub(crate) fn ending(file: &LoopFile) -> Ending {
    match file.quality.pops() {
        true => Ending::Negative,
        false => Ending::Done,
    }
}

pub(crate) fn write_failure(error: LoopFileError) -> Failure {
    let has_too_many_keys = matches!(error, LoopFileError::TooManyKeys { .. });
    let failure = Failure::error(error);
    if has_too_many_keys {
        failure.try_this("a smaller --repeat, --fps or --frames")
    } else {
        failure
    }
}

/// Why a stretch cannot be cut.
pub(crate) fn cut_failure(loaded: &Loaded, error: CutError) -> Failure {
    let last = loaded.take().num_frames() - 1;
    match error {
        CutError::OutOfRange {
            start_frame, end_frame, ..
        } => Failure::error(format!(
            "frames {start_frame:.0}:{end_frame:.0} are not a range of \"{}\"",
            loaded.path.display()
        ))
        .because(format!(
            "its frames are 0 to {last}, and the start must lie before the end"
        ))
        .try_this(format!("--range START:END within 0:{last}")),
        CutError::TooShort { num_intervals } => Failure::error(format!(
            "{num_intervals} frames are too few for a loop in \"{}\"",
            loaded.path.display()
        ))
        .because("a loop needs at least 3 frames to have a velocity")
        .try_this("a longer --range, or more --frames or --fps"),
        CutError::TooLong { num_intervals, limit } => {
            Failure::error(format!("{num_intervals} frames are asked for, the limit is {limit}"))
                .try_this("a smaller --fps or --frames")
        }
        other => Failure::error(other),
    }
}

/// Why a stretch cannot be made into a loop.
pub(crate) fn failure(loaded: &Loaded, error: MakeError) -> Failure {
    match error {
        MakeError::Cut(error) => cut_failure(loaded, error),
        MakeError::Rate { found } => {
            Failure::error(format!("--fps must be a positive number, found {found:?}")).try_this("--fps 30 or --fps 60")
        }
        MakeError::OddSamples { .. } => Failure::error(error).try_this("an even number of --frames"),
        MakeError::Image(error) => Failure::error("these frames have no mirror image")
            .because(error.to_string())
            .try_this("a loop of whole cycles, without --symmetric"),
        MakeError::Root(error) => root_failure(loaded, error),
        MakeError::MeanCycle(error) => mean_cycle_failure(loaded, &error),
        MakeError::Feet(PlantError::Stance(error)) => Failure::error(error).try_this(
            "--stance FOOT:FROM:TO within the loop, in frames of the take, or in seconds: LeftFoot:0.2s:0.6s",
        ),
        MakeError::Edit(error) => edit_failure(&error),
        other => Failure::error(other).try_this("another --blend"),
    }
}

fn edit_failure(error: &EditError) -> Failure {
    let failure = Failure::error(error);
    match error {
        EditError::RootJoint { .. } => failure.try_this("the joint below it; --aim for its turn"),
        EditError::RootNeverTurns => failure.try_this("--root-motion constant"),
        EditError::AimInFullSpace => failure.try_this("--root-space ground"),
        EditError::AimMirrored => failure.try_this("--cycles 1, without --symmetric"),
        EditError::Lopsided { .. } => {
            failure.try_this("an edit of the kind \"move\", or --cycles 1, without --symmetric")
        }
        EditError::AboveMirrored { .. } => failure.try_this("the hips, or a joint below them"),
        EditError::Width { .. } => failure.try_this("a width in this range, or none for half a second"),
        _ => failure.try_this("a number in this range"),
    }
}

fn mean_cycle_failure(loaded: &Loaded, error: &MeanCycleError) -> Failure {
    let failure =
        Failure::error(format!("there is no mean cycle in \"{}\"", loaded.path.display())).because(error.to_string());
    failure.try_this(match error {
        MeanCycleError::TooFewAsked { .. } => "--mean-cycles 2 or more, or all",
        MeanCycleError::NoOther { .. } => "--pick another loop of `loopwright find`, or no --mean-cycles",
        MeanCycleError::WholeClip => "--cycles 1, which searches for cycles within the clip, or no --mean-cycles",
        MeanCycleError::Idle => "a loop that moves, or no --mean-cycles",
        MeanCycleError::Mirrored => "either --symmetric or --mean-cycles",
        MeanCycleError::FullSpace => "--root-space ground, or no --mean-cycles",
        MeanCycleError::TooLong { .. } => "a shorter loop, such as --cycles 1, or no --mean-cycles",
        _ => "no --mean-cycles",
    })
}

fn root_failure(loaded: &Loaded, error: RootError) -> Failure {
    match error {
        RootError::Turns { found } => Failure::error(format!(
            "the loop of \"{}\" turns by {:.1} degrees, too much for --root-motion linear",
            loaded.path.display(),
            found.to_degrees()
        ))
        .because(format!(
            "linear root motion never turns, so closing bends the body by the turn; up to {:.0} degrees are accepted",
            MAX_LINEAR_TURN.to_degrees()
        ))
        .try_this("--root-motion constant, which turns; --straight for another loop; or --force-straight to close the turn anyway"),
        RootError::Smoothing { found } => {
            Failure::error(format!("--path-smoothing must be a positive number of seconds, found {found:?}"))
                .try_this("--path-smoothing 0.25")
        }
        RootError::PathInFullSpace => Failure::error("--root-motion path needs --root-space ground")
            .try_this("--root-motion constant with --root-space full, or --root-motion path without"),
        other => Failure::error(other).try_this("--root-motion constant"),
    }
}

/// Warns if the mean is one of fewer cycles than asked for.
fn fewer_cycles(made: &MadeLoop) -> Option<String> {
    let mean = made.mean_cycle.as_ref().filter(|mean| mean.is_fewer_than_asked())?;
    Some(format!(
        "--mean-cycles {} asks for more cycles than there are: the loop is the mean of {}; before them, {}; after them, {}",
        mean.asked,
        mean.cycles.len(),
        mean.before,
        mean.after
    ))
}

/// Motion of the hips over a loop, metres and radians. Above it, pulling the body back gets a warning.
const TORN_METRES: f64 = 0.1;
const TORN_RADIANS: f64 = 5.0 * core::f64::consts::PI / 180.0;

/// Warns if pulling the body back removes much motion.
fn torn_back(made: &MadeLoop) -> Option<String> {
    if made.root.mode != RootMode::Stationary {
        return None;
    }
    let (clip, hips) = (&made.source.clip, made.body.hips);
    let world = clip.world_tracks();
    let start = clip.sample_range().start().unsigned_abs();
    let end = start + clip.num_intervals();
    let metres = (world.position(end, hips) - world.position(start, hips)).length();
    let radians = rotation::difference(world.rotation(end, hips), world.rotation(start, hips)).length();
    (metres > TORN_METRES || radians > TORN_RADIANS).then(|| {
        format!(
            "the body moves by {metres:.2} m and turns by {:.0} degrees over the loop; --root-motion stationary pulls it back \
             within the blend, constant or in-place would not",
            radians.to_degrees()
        )
    })
}

/// Warnings about feet that could have been held but were not, and about the source of the root's speed.
fn feet_left_alone(made: &MadeLoop) -> Vec<String> {
    let (skeleton, body, feet) = (made.loop_clip.skeleton(), &made.body, &made.feet);
    let mut said = Vec::new();
    for (foot, outcome) in body.feet.iter().zip(&feet.outcomes) {
        let name = &skeleton.joint(foot.lowest_joint()).name;
        said.extend(match outcome {
            FootOutcome::Slides { metres } => Some(format!(
                "foot {name} is not held: it slides by {:.0} cm while it is on the ground; --lock-feet solve holds it anyway",
                1e2 * metres
            )),
            FootOutcome::Released if made.candidate.whole.is_none() => Some(format!(
                "foot {name} is not held: holding it would make the feet slide more; --lock-feet solve holds it anyway"
            )),
            FootOutcome::NoKnee => Some(format!(
                "foot {name} is not held: there is no knee between the hips and it"
            )),
            _ => None,
        });
    }
    said.extend(unknown_speed(made));
    if let Some(speed) = feet.speed.filter(|_| feet.speed_is_theirs) {
        let over_ground = |v: glam::DVec3| ops::hypot(v.x, v.z);
        said.push(format!(
            "the root moves at {:.3} m/s, measured from the feet; the poses give {:.3} m/s (--root-speed pose keeps that)",
            over_ground(speed.twist.linear),
            over_ground(speed.of_poses)
        ));
    }
    said
}

/// Speed below which a root rests, metres per second.
const RESTS_MPS: f64 = 0.01;

/// Warns where a clip moves in place and its feet never stand, so that nothing shows its speed.
fn unknown_speed(made: &MadeLoop) -> Option<String> {
    let whole = made.candidate.whole.as_ref()?;
    let never_stands = |outcome: &FootOutcome| *outcome == FootOutcome::NeverStands;
    let may_walk = whole.is_in_place() && whole.kind != WholeClipKind::EndsAsItBegins && !made.candidate.is_idle;
    let is_unknown = !made.feet.outcomes.is_empty() && made.feet.outcomes.iter().all(never_stands);
    (may_walk && is_unknown && made.loop_clip.root().twist.linear.length() < RESTS_MPS).then(|| {
        "the clip stays in place and its feet hardly touch the ground, so its speed is unknown; --root-speed 3.2 states it, in m/s"
            .to_owned()
    })
}
