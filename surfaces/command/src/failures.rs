//! Words the failures between a take and its loop: what, where, why, and what to try.

use std::path::Path;

use loopwright_core::{
    analysis::BodyError,
    candidate::{self, MissReason, NearestMiss, SearchError},
    edit::EditError,
    feet::HoldError,
    math::ops,
    mean_cycle::MeanCycleError,
    pipeline::MakeError,
    root_motion::{MAX_LINEAR_TURN, RootError},
    take::CutError,
    variation::VariationError,
};
use loopwright_formats::{LoopFileError, MemoryError, WriteError, set::ManifestError};
use loopwright_job::{JobError, SearchRequest, Studied};

use crate::{exit::Failure, memory};

/// Words why a body was not found, such as a missing joint.
impl From<BodyError> for Failure {
    fn from(error: BodyError) -> Self {
        let failure = Self::error(&error);
        match error {
            BodyError::NoSuchJoint { similar, .. } if !similar.is_empty() => {
                failure.try_this(format!("one of: {}", similar.join(", ")))
            }
            BodyError::ContactLimit { limit, .. } => failure.try_this(format!(
                "--set take.contact-{limit}={}",
                if limit == "speed" { "0.3" } else { "0.03" }
            )),
            BodyError::Weight { .. } => failure.try_this("--set take.weights=Head=0, or '*Hand*=1'"),
            _ => failure.try_this("`loopwright inspect TAKE --json` lists the joints"),
        }
    }
}

/// Words why something takes more memory than the run may use; `what` names the purpose of the memory.
pub fn memory(what: &str, error: MemoryError) -> Failure {
    failure!("{what}, {error}").try_this(memory::hint(error.needed))
}

/// Words why a file is not the manifest of a set.
pub fn manifest(path: &Path, error: ManifestError) -> Failure {
    Failure::cannot("read the set", path, error).try_this("`loopwright set` writes one")
}

/// Words why a take gives no loop; `search` is the search that was made.
pub fn job(studied: &Studied, search: Option<&SearchRequest>, error: JobError) -> Failure {
    let last = studied.take().num_frames() - 1;
    let what = studied.failure(&error, search.and_then(|search| search.within));
    match error {
        JobError::Recipe(error) => error.into(),
        JobError::NoStretch => Failure::error(error)
            .because("a recipe needs both start and end under [stretch]")
            .try_this("--range START:END, or `loopwright make` to search for them"),
        JobError::HalfLife { found } => failure!(
            "search.half-life must be a positive number of seconds, found {found:?}"
        )
        .try_this("--set search.half-life=0.1"),
        JobError::Within { .. } => out_of_range(Failure::error(what), last, "within"),
        JobError::PingPong { name } => Failure::error(error.to_string()).try_this(format!("no {name}, or no --ping-pong")),
        JobError::PingPongSpeed => Failure::error(error).try_this("no output.root-speed, or no --ping-pong"),
        JobError::Memory(error) => Failure::error(what).try_this(memory::hint(error.needed)),
        JobError::Search(error) => unsearchable(studied, what, error),
        JobError::NothingFound(found) => {
            nothing_found(studied, found.nearest_miss.as_ref(), &search.cloned().unwrap_or_default())
        }
        JobError::IdlePart(part) => Failure::nothing(what).try_this(format!(
            "--idle, which makes a loop of frames {:.0}-{:.0}; or --range START:END",
            part.cut.start_frame(),
            part.cut.end_frame()
        )),
        JobError::NoSuchRow { count, .. } => Failure::error(what)
            .because(format!("the search found {count}"))
            .try_this(format!(
                "--pick 1{}; `loopwright find` lists them, and with --set search.shifted=true the versions of each, which --pick counts then",
                if count > 1 { format!(" to {count}") } else { String::new() }
            )),
        JobError::Cut(error) => cut(what, last, error),
        JobError::Rate { wanted_hz, limit_hz } => rate(wanted_hz, limit_hz),
        JobError::Length { .. } => Failure::error(error).try_this("one of the two, another --fps, or a file that states the time of each key, such as GLB"),
        JobError::Frames { .. } => too_dense(&error.to_string()),
        JobError::Make(error) => unmade(studied, what, error),
        JobError::Write(error) => write(error),
        other => Failure::error(other),
    }
}

/// Words why a loop cannot have so many frames per second.
pub fn rate(wanted_hz: f64, limit_hz: f64) -> Failure {
    // Hundreds of digits would help nobody.
    let wanted = match wanted_hz {
        ..1e7 => format!("{wanted_hz:.0}"),
        _ => format!("{wanted_hz:.0e}"),
    };
    too_dense(&format!("{wanted} frames per second exceed the limit of {limit_hz:.0}"))
}

fn too_dense(what: &str) -> Failure {
    Failure::error(what)
        .because("engines sample between keys; more of them than the take has add nothing")
        .try_this("--fps 60, or another smaller --fps, or fewer output.frames")
}

/// Words why a loop cannot be written.
pub fn write(error: LoopFileError) -> Failure {
    let failure = Failure::error(&error);
    match error {
        LoopFileError::TooManyKeys { .. } => failure.try_this("a smaller output.repeat, --fps or output.frames"),
        LoopFileError::Write(WriteError::Memory(error)) => {
            let more = memory::hint(error.needed);
            failure.try_this(format!("a smaller output.repeat, --fps or output.frames; or {more}"))
        }
        LoopFileError::Write(WriteError::Robot(error)) => failure.try_this(error.remedy()),
        _ => failure,
    }
}

/// Words that a flag names frames beyond the last one.
pub fn out_of_range(failure: Failure, last: usize, flag: &str) -> Failure {
    failure
        .because(format!(
            "its frames are 0 to {last}, and the start must lie before the end"
        ))
        .try_this(format!("--{flag} START:END within 0:{last}"))
}

/// Words why a stretch of a take with this last frame cannot be cut; `what` is the first line.
fn cut(what: String, last: usize, error: CutError) -> Failure {
    let failure = Failure::error(what);
    match error {
        CutError::OutOfRange { .. } => out_of_range(failure, last, "range"),
        CutError::TooShort { .. } => failure
            .because("a loop needs at least 3 frames to have a velocity")
            .try_this("a longer --range, or more output.frames or --fps"),
        CutError::Cycles { .. } => failure.try_this("fewer --cycles, or a longer --range"),
        CutError::TooLong { .. } => failure.try_this("a smaller --fps or output.frames"),
        _ => failure,
    }
}

/// Words why a stretch cannot be made into a loop.
fn unmade(studied: &Studied, what: String, error: MakeError) -> Failure {
    match error {
        MakeError::Cut(error) => cut(what, studied.take().num_frames() - 1, error),
        MakeError::Rate { found } => {
            failure!("--fps must be a positive number, found {found:?}").try_this("--fps 30 or --fps 60")
        }
        MakeError::OddSamples { .. } => Failure::error(error).try_this("an even number with --set output.frames=N"),
        MakeError::Image(error) => Failure::error(what)
            .because(error.to_string())
            .try_this("a loop of whole cycles, without --symmetric"),
        MakeError::Root(error) => root(studied, error),
        MakeError::MeanCycle(error) => mean_cycle(what, &error),
        MakeError::Variation(error) => variation(what, &error),
        MakeError::Feet(HoldError::Stance(error)) => Failure::error(error).try_this(
            "--set stance=FOOT:FROM:TO within the loop, in frames of the take, or in seconds: LeftFoot:0.2s:0.6s",
        ),
        MakeError::Edit(error) => edit(&error),
        MakeError::Hinges(error) => Failure::error(error).try_this("another loop from `loopwright find`"),
        MakeError::Timing(error) => {
            Failure::error(error).try_this("a setting nearer to what was recorded, or another take")
        }
        other => Failure::error(other).try_this("another --blend"),
    }
}

fn edit(error: &EditError) -> Failure {
    Failure::error(error).try_this(match error {
        EditError::RootJoint { .. } => "the joint below it; --set edit=aim:30 for its turn",
        EditError::RootNeverTurns => "--root-motion constant",
        EditError::AimInFullSpace => "--set output.root-space=ground",
        EditError::AimMirrored => "--cycles 1, without --symmetric",
        EditError::Lopsided { .. } => "an edit of the kind \"move\", or --cycles 1, without --symmetric",
        EditError::AboveMirrored { .. } => "the hips, or a joint below them",
        EditError::NoBodyAxes { .. } => "--set edit=offset:JOINT:X,Y,Z, about the axes of its parent",
        EditError::PointsAside { .. } => "spread, which lifts what points aside, or twist",
        EditError::Width { .. } => "a width in this range, or none for half a second",
        _ => "a number in this range",
    })
}

fn mean_cycle(what: String, error: &MeanCycleError) -> Failure {
    let failure = Failure::error(what).because(error.to_string());
    let instead = match error {
        MeanCycleError::TooFewAsked { .. } => "--set stretch.mean-cycles=2 or more",
        MeanCycleError::NoOther { .. } => "--pick another loop of `loopwright find`",
        MeanCycleError::WholeClip => "--cycles 1, which searches for cycles within the clip",
        MeanCycleError::Idle => "a loop that moves",
        MeanCycleError::PingPong => "no --ping-pong",
        MeanCycleError::Mirrored => "no --symmetric",
        MeanCycleError::FullSpace => "--set output.root-space=ground",
        _ => "a shorter loop, such as --cycles 1",
    };
    failure.try_this(format!("{instead}, or no stretch.mean-cycles"))
}

fn variation(what: String, error: &VariationError) -> Failure {
    Failure::error(what).because(error.to_string()).try_this(match error {
        VariationError::Secs { .. } => "--set output.vary=60",
        VariationError::Amount { .. } => "--set output.vary-amount=1",
        VariationError::TooFewCycles { .. } => {
            "--pick another loop of `loopwright find`, or a take of more such cycles; --set edit=noise:1 moves joints at random"
        }
        VariationError::TooLong { .. } => "a smaller output.vary, or a smaller --fps",
        VariationError::Alike { .. } => "no output.vary; --set edit=noise:1 moves joints at random",
        _ => "a take of many cycles, or no output.vary; --set edit=noise:1 moves joints at random",
    })
}

fn root(studied: &Studied, error: RootError) -> Failure {
    match error {
        RootError::Turns { found } => failure!(
            "the loop of \"{}\" turns by {:.1} degrees, too much for --root-motion linear",
            studied.name,
            found.to_degrees()
        )
        .because(format!(
            "linear root motion never turns, so closing bends the body by the turn; up to {:.0} degrees are accepted",
            MAX_LINEAR_TURN.to_degrees()
        ))
        .try_this("--root-motion constant, which turns; --turning none for another loop; or --set output.force-straight=true to close the turn anyway"),
        RootError::Smoothing { found } => {
            failure!("output.path-smoothing must be a positive number of seconds, found {found:?}")
                .try_this("--set output.path-smoothing=0.25")
        }
        RootError::Blend { found } => failure!(
            "output.root-blend-start and root-blend-end must be positive numbers of seconds, found {found:?}"
        )
        .try_this("--set output.root-blend-start=0.4"),
        RootError::Share { found } => {
            failure!("output.root-share must lie between 0 and 1, found {found:?}")
                .try_this("--set output.root-share=0.5")
        }
        RootError::PathInFullSpace { mode } => {
            failure!("--root-motion {mode} needs --set output.root-space=ground").try_this(format!(
                "--root-motion constant with --set output.root-space=full, or --root-motion {mode} without"
            ))
        }
        other => Failure::error(other).try_this("--root-motion constant"),
    }
}

/// Words why a take cannot be searched.
fn unsearchable(studied: &Studied, what: String, error: SearchError) -> Failure {
    match error {
        SearchError::TooShort { take_secs, min_secs } => {
            let frames = studied.take().num_frames();
            Failure::nothing(what)
                .because(format!(
                    "it lasts {take_secs:.3} s ({frames} frames), the shortest loop to find is {min_secs} s"
                ))
                .try_this("a longer take, or a shorter --seconds LOW:HIGH")
        }
        SearchError::Still => Failure::nothing(what)
            .because(format!(
                "in all {} frames every joint keeps its position; the search does not see rotations at the ends of limbs",
                studied.take().num_frames()
            ))
            .try_this("a take with motion, or `loopwright make --range START:END`"),
        SearchError::NoCleanFrame => Failure::nothing(what)
        .because("the pose jumps, or frames are doubled, as when a take is exported at another rate than its own")
        .try_this("the take at its true rate, or `loopwright make --range START:END` to choose the frames yourself"),
        SearchError::SingleAction => Failure::nothing(what).try_this(
            "--range START:END to loop it all the same; --set take.names=false if the name is wrong",
        ),
        SearchError::Bounds { .. } => {
            Failure::error(&error).try_this("--seconds LOW:HIGH, above 0 and in order")
        }
        other => Failure::error(other),
    }
}

/// Words why no stretch qualified, with the nearest miss.
pub fn nothing_found(studied: &Studied, nearest_miss: Option<&NearestMiss>, search: &SearchRequest) -> Failure {
    let failure = Failure::nothing(studied.nothing_found(search.within));
    if search.idle && nearest_miss.is_none() {
        return failure
            .because("the body is not idle for 1.4 seconds or more anywhere in the take")
            .try_this("a search without --idle; `loopwright inspect` lists the segments");
    }
    let [shortest, longest] = search.bounds_secs();
    let Some(miss) = nearest_miss else {
        return failure
            .because(format!("no valid loop points {shortest} s to {longest} s apart"))
            .because("likely cause: the take is too short, or stops and starts too often")
            .try_this("a longer take, or other --seconds LOW:HIGH");
    };
    let failure = failure.because(miss_in_words(miss));
    match miss.reason {
        MissReason::CostRatio { .. } => failure
            .because("likely cause: no pose comes back closely enough")
            .try_this(
                "a take with at least two cycles, or `loopwright make --range START:END` to choose the frames yourself",
            ),
        MissReason::Strength { .. } => failure
            .because("likely cause: two poses meet, but the motion around them differs")
            .try_this("a steadier take, or `loopwright make --range START:END` to choose the frames yourself"),
        MissReason::NoRhythm { .. } => failure
            .because("likely cause: the body only drifts or is idle")
            .try_this(
                "a take with a repeating motion, or `loopwright make --range START:END` to choose the frames yourself",
            ),
        MissReason::SeenOnce => failure
            .because("likely cause: the take holds a single cycle, which proves no repeat")
            .try_this(format!(
                "`loopwright make --range {}:{}` to make the loop anyway",
                miss.pair.start_frame, miss.pair.end_frame
            )),
        MissReason::RootMotion { .. } => failure
            .because("likely cause: no part of the take has this root motion")
            .try_this("wider --speed, --turn-rate or search.climb, or no --turning"),
        MissReason::Cycles { .. } => failure.try_this("another --cycles, or wider --seconds LOW:HIGH"),
    }
}

/// Describes the nearest miss and what it lacks.
pub fn miss_in_words(miss: &NearestMiss) -> String {
    let pair = format!(
        "frames {}-{} ({:.2} s)",
        miss.pair.start_frame, miss.pair.end_frame, miss.period_secs
    );
    match miss.reason {
        MissReason::CostRatio { found } => format!(
            "cheapest seam: {pair} at {found:.3} of what random frames cost (needs {:.2})",
            candidate::MAX_COST_RATIO
        ),
        MissReason::Strength { found } => {
            format!(
                "strongest repeat: {found:.2} at {pair} (needs {:.2})",
                candidate::MIN_STRENGTH
            )
        }
        MissReason::NoRhythm { found } => format!(
            "no rhythm at {pair}: similarity rises by {found:.2} (needs {:.2})",
            candidate::MIN_PROMINENCE
        ),
        MissReason::SeenOnce => format!("cheapest seam: {pair}, but the take shows that cycle only once"),
        MissReason::RootMotion { found } => format!(
            "cheapest seam: {pair} moves at {:.2} m/s, turning {:+.1} deg/s, climbing {:+.2} m/s",
            ops::hypot(found.linear.x, found.linear.z),
            found.angular.y.to_degrees(),
            found.linear.y
        ),
        MissReason::Cycles { found } => format!(
            "cheapest seam: {pair} spans {found} {}",
            if found == 1 { "cycle" } else { "cycles" }
        ),
    }
}

/// Words why the loops of a file cannot be written.
pub fn pack(error: JobError) -> Failure {
    match error {
        JobError::Write(error) => write(error),
        other => Failure::error(other),
    }
}
