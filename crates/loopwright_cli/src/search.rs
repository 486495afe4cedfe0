//! Searches for loops: turns flags into settings, and results into messages.

use loopwright::{
    FoundLoops, LoopCandidate, MadeLoop, SearchSettings,
    candidate::{self, MissReason, NearestMiss, RootMotionBounds, SearchError, SegmentLoops},
    math::ops,
    mirror::Pairing,
};

use crate::{
    args::{SearchArgs, TurnSide},
    exit::Failure,
    load::{self, Loaded},
};

/// The search settings for these arguments.
pub(crate) fn settings(args: &SearchArgs, max_candidates: usize) -> SearchSettings {
    SearchSettings {
        min_secs: args.min_seconds,
        max_secs: args.max_seconds(),
        cycles: args.cycles,
        max_candidates,
        decay: args.decay.lasting(args.half_life, 4.0 * args.half_life),
        within: args.within,
        root_motion: RootMotionBounds {
            speed_mps: args.speed,
            turn_radps: turn_bounds(args).map(|bounds| bounds.map(f64::to_radians)),
            climb_mps: args.climb,
        },
        idle: args.idle,
        choose_by: args.choose,
        pairing: Pairing::Same,
        whole_take: !args.chooses_a_part(),
    }
}

/// Turn rate from which a loop counts as turning, degrees per second.
pub(crate) const TURNING_DPS: f64 = 5.0;

/// The requested range of turn rates, degrees per second.
fn turn_bounds(args: &SearchArgs) -> Option<[f64; 2]> {
    match (args.turning, args.straight) {
        (Some(TurnSide::Left), _) => Some([TURNING_DPS, f64::INFINITY]),
        (Some(TurnSide::Right), _) => Some([f64::NEG_INFINITY, -TURNING_DPS]),
        (None, true) => Some([-TURNING_DPS, TURNING_DPS]),
        (None, false) => args.turn_rate,
    }
}

/// Fails for numbers that no search can use.
pub(crate) fn check(args: &SearchArgs, loaded: &Loaded) -> Result<(), Failure> {
    if !(args.half_life > 0.0 && args.half_life.is_finite()) {
        return Err(Failure::error(format!(
            "--half-life must be a positive number of seconds, found {:?}",
            args.half_life
        ))
        .try_this("--half-life 0.1"));
    }
    let last = loaded.take().num_frames() - 1;
    match args.within {
        Some((start, end)) if start >= end || end > last => Err(Failure::error(format!(
            "frames {start}:{end} are not a range of \"{}\"",
            loaded.path.display()
        ))
        .because(format!(
            "its frames are 0 to {last}, and the start must lie before the end"
        ))
        .try_this(format!("--within START:END within 0:{last}"))),
        _ => Ok(()),
    }
}

/// The list of `find`, in which `make --pick` counts.
pub(crate) struct Hunt {
    /// Its rows: the best loop of each stretch, or shifted and multiple versions one by one.
    pub(crate) found: FoundLoops,
    /// What the rows stand for, if they are stretches.
    pub(crate) stretches: Option<Stretches>,
}

/// What the rows of a list of stretches stand for.
pub(crate) struct Stretches {
    /// For each row, the number of loops of that stretch, itself included.
    pub(crate) versions: Vec<usize>,
    /// Number of rows beyond those asked for.
    pub(crate) num_left_out: usize,
    /// The segments of the take, and the row of each.
    pub(crate) segments: Vec<SegmentLoops>,
}

/// Searches for stretches, or for the versions of loops that `--shifted` asks for.
pub(crate) fn hunt(loaded: &Loaded, settings: &SearchSettings, shifted: bool) -> Result<Hunt, Failure> {
    if shifted {
        return Ok(Hunt {
            found: search(loaded, settings)?,
            stretches: None,
        });
    }
    let found = loaded
        .analysis
        .find_stretches(settings)
        .map_err(|error| search_failure(loaded, error))?;
    Ok(Hunt {
        stretches: Some(Stretches {
            versions: found.rows.iter().map(|row| 1 + row.versions.len()).collect(),
            num_left_out: found.num_left_out,
            segments: found.segments,
        }),
        found: FoundLoops {
            candidates: found.rows.into_iter().map(|row| row.best).collect(),
            random_cost: found.random_cost,
            nearest_miss: found.nearest_miss,
        },
    })
}

/// Searches. Errors say why a take cannot be searched.
pub(crate) fn search(loaded: &Loaded, settings: &SearchSettings) -> Result<FoundLoops, Failure> {
    search_and_make(loaded, settings).map(|(found, _)| found)
}

/// Searches, and keeps the recommended loop if it was made to choose it. Errors say why a take cannot be searched.
pub(crate) fn search_and_make(
    loaded: &Loaded,
    settings: &SearchSettings,
) -> Result<(FoundLoops, Option<MadeLoop>), Failure> {
    loaded
        .analysis
        .find_and_make(settings)
        .map_err(|error| search_failure(loaded, error))
}

/// Why a take cannot be searched.
fn search_failure(loaded: &Loaded, error: SearchError) -> Failure {
    let file = loaded.path.display();
    match error {
        SearchError::TooShort { take_secs, min_secs } => {
            let frames = loaded.take().num_frames();
            Failure::nothing(format!("no loop found in \"{file}\": the take is too short"))
                .because(format!(
                    "it lasts {take_secs:.3} s ({frames} frames), the shortest loop asked for is {min_secs} s"
                ))
                .try_this("a longer take, or a smaller --min-seconds")
        }
        SearchError::Still => Failure::nothing(format!("no loop found in \"{file}\": no joint moves"))
            .because(format!(
                "in all {} frames every joint keeps its position; the search does not see rotations at the ends of limbs",
                loaded.take().num_frames()
            ))
            .try_this("a take with motion, or `loopwright make --range START:END`"),
        SearchError::NoCleanFrame => Failure::nothing(format!(
            "no loop found in \"{file}\": no two frames in a row can be trusted"
        ))
        .because("the pose jumps, or frames are doubled, as when a take is exported at another rate than its own")
        .try_this("the take at its true rate, or --range START:END to choose the frames yourself"),
        SearchError::Bounds { .. } => {
            Failure::error(&error).try_this("--min-seconds above 0 and --max-seconds no smaller")
        }
        other => Failure::error(other),
    }
}

/// Reports why nothing qualified, with the nearest miss.
pub(crate) fn nothing_found(loaded: &Loaded, found: &FoundLoops, args: &SearchArgs) -> Failure {
    let (first, last) = args.within.unwrap_or((0, loaded.take().num_frames() - 1));
    let failure = Failure::nothing(format!(
        "no loop found in \"{}\", frames {first}-{last}",
        loaded.path.display(),
    ));
    if args.idle && found.nearest_miss.is_none() {
        return failure
            .because("the body is not idle for two seconds or more anywhere in the take")
            .try_this("a search without --idle; `loopwright inspect` lists the segments");
    }
    let Some(miss) = &found.nearest_miss else {
        return failure
            .because(format!(
                "no two frames {} s to {} s apart can be ends of a loop",
                args.min_seconds,
                args.max_seconds()
            ))
            .because("likely cause: the take is too short, or stops and starts too often")
            .try_this("a longer take, or other bounds with --min-seconds and --max-seconds");
    };
    let failure = failure.because(miss_in_words(miss));
    match miss.reason {
        MissReason::CostRatio { .. } => failure
            .because("likely cause: no pose comes back closely enough")
            .try_this("a take with at least two cycles, or --range START:END to choose the frames yourself"),
        MissReason::Strength { .. } => failure
            .because("likely cause: two poses meet, but the motion around them differs")
            .try_this("a steadier take, or --range START:END to choose the frames yourself"),
        MissReason::NoRhythm { .. } => failure
            .because("likely cause: the body only drifts or is idle")
            .try_this("a take with a repeating motion, or --range START:END to choose the frames yourself"),
        MissReason::SeenOnce => failure
            .because("likely cause: the take holds a single cycle, which proves no repeat")
            .try_this(format!(
                "--range {}:{} to make the loop anyway",
                miss.pair.start_frame, miss.pair.end_frame
            )),
        MissReason::RootMotion { .. } => failure
            .because("likely cause: no part of the take has the root motion asked for")
            .try_this("wider --speed, --turn-rate or --climb, or none of --straight and --turning"),
        MissReason::Cycles { .. } => failure.try_this("another --cycles, or wider --min-seconds and --max-seconds"),
    }
}

/// Describes the nearest miss and what it lacks.
pub(crate) fn miss_in_words(miss: &NearestMiss) -> String {
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

/// Warns if the loop represents only its own stretch of the take. That a loop is idle, or how a whole clip loops, is no warning.
pub(crate) fn confidence_warning(loaded: &Loaded, best: &LoopCandidate) -> Option<String> {
    if best.is_confident() || best.whole.is_some() || best.is_idle {
        return None;
    }
    let Some(strength) = best.take_strength else {
        return Some(format!(
            "low confidence: the take is too short to show whether all of it repeats at {:.2} s",
            best.source_period_secs
        ));
    };
    Some(format!(
        "low confidence: the take as a whole does not repeat at {:.2} s ({strength:.2}, steady takes reach {:.2}); the loop \
         represents only frames {:.0}-{:.0} of {}",
        best.source_period_secs,
        candidate::CONFIDENT_TAKE_STRENGTH,
        best.cut.start_frame(),
        best.cut.end_frame(),
        loaded.take().num_frames()
    ))
}

/// Warns if the loop contains bad frames.
pub(crate) fn bad_frames_warning(loaded: &Loaded, chosen: &LoopCandidate) -> Option<String> {
    let inside = chosen.cut.start_frame().floor() as usize..=chosen.cut.end_frame().ceil() as usize;
    let bad: Vec<usize> = loaded
        .analysis
        .defects
        .bad_frames
        .iter()
        .map(|bad| bad.frame)
        .filter(|frame| inside.contains(frame))
        .collect();
    (!bad.is_empty()).then(|| {
        format!(
            "the loop contains {}, where the take jumps or repeats frames",
            load::list_frames(&bad)
        )
    })
}
