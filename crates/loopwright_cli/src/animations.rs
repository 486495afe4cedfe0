//! What each animation of a file is, and which loop it gives.

use std::path::Path;

use loopwright::{
    LoopCandidate, LoopSettings, SearchSettings,
    candidate::{MissReason, MotionKind, SearchError, WholeClipKind},
    math::ops,
};
use loopwright_formats::{AnimatedFile, AnimationChoice};

use crate::{
    exit::Failure,
    load::{self, Loaded, Study},
    memory,
};

/// Whether an animation loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loops {
    /// The whole of it loops as it is.
    Already,
    /// It ends as it begins, but may be a single action.
    EndsAsItBegins,
    /// The whole of it is one cycle, whose ends have to be closed.
    OneCycle,
    /// A part of it can be made into a loop.
    InPart,
    /// No part of it repeats.
    No,
}

loopwright::words!(Loops {
    Already: "already loops",
    EndsAsItBegins: "ends as it begins",
    OneCycle: "one cycle",
    InPart: "holds loops",
    No: "no",
});

impl Loops {
    fn of(best: Option<&LoopCandidate>) -> Self {
        let Some(best) = best else { return Self::No };
        match best.whole.as_ref().map(|whole| whole.kind) {
            Some(WholeClipKind::Loops) => Self::Already,
            Some(WholeClipKind::EndsAsItBegins) => Self::EndsAsItBegins,
            Some(WholeClipKind::Cycle) => Self::OneCycle,
            None => Self::InPart,
        }
    }
}

/// The animations of a file that a flag asks for: all, or those of a name, a pattern or a number.
pub(crate) fn asked_for(path: &Path, file: &AnimatedFile, wanted: Option<&str>) -> Result<Vec<usize>, Failure> {
    match wanted {
        Some(wanted) => file
            .animations_matching(wanted)
            .map_err(|error| load::read_failure(path, &error)),
        None => Ok((0..file.num_animations()).collect()),
    }
}

/// Reads and analyses one animation; its warnings are kept and not printed.
pub(crate) fn load(path: &Path, file: &AnimatedFile, number: usize, study: &Study) -> Result<Loaded, Failure> {
    let mut soft = Vec::new();
    let args = &study.args;
    let settings = args.settings(args.space(), AnimationChoice::Auto, memory::limits());
    let settings = loopwright_formats::ReadSettings {
        animation: AnimationChoice::Number(number),
        ..settings
    };
    let loaded = file
        .read(&settings, &mut soft)
        .map_err(|error| load::read_failure(path, &error))?;
    load::analysed(path, loaded, &soft, study)
}

/// A loop that represents a whole animation, and others to take instead where its seam shows.
pub(crate) type BestAndOthers = (LoopCandidate, Vec<LoopCandidate>);

/// The loop that represents a whole animation, or why there is none.
///
/// A part that is idle represents only an animation that is idle throughout, and a part that is not recommended none.
/// Errors: the settings cannot be used.
pub(crate) fn best_loop(
    loaded: &Loaded,
    settings: &SearchSettings,
) -> Result<Result<BestAndOthers, String>, SearchError> {
    let found = match loaded.analysis.find_loops(settings) {
        Ok(found) => found,
        Err(error @ SearchError::Bounds { .. }) => return Err(error),
        Err(error) => return Ok(Err(why_not_searched(loaded, &error))),
    };
    let mut candidates = found.candidates.into_iter();
    let Some(best) = candidates.next() else {
        let reason = found.nearest_miss.map(|miss| miss.reason);
        return Ok(Err(why_none(reason).to_owned()));
    };
    Ok(if best.is_idle && !loaded.analysis.is_all_idle() {
        Err("only a part in which the body is idle repeats".to_owned())
    } else if best.whole.is_none() && !best.is_sound() {
        Err("what repeats is uneven, or jumps".to_owned())
    } else {
        Ok((best, candidates.filter(LoopCandidate::is_sound).collect()))
    })
}

/// Why an animation cannot be searched, in a few words.
fn why_not_searched(loaded: &Loaded, error: &SearchError) -> String {
    match error {
        SearchError::Still => "nothing moves".to_owned(),
        SearchError::TooShort { .. } => format!("too short: {} frames", loaded.take().num_frames()),
        SearchError::NoCleanFrame => "no two frames in a row can be trusted".to_owned(),
        other => other.to_string(),
    }
}

/// Why nothing qualified, in a few words.
fn why_none(reason: Option<MissReason>) -> &'static str {
    match reason {
        Some(MissReason::CostRatio { .. }) => "no pose comes back closely enough",
        Some(MissReason::Strength { .. }) => "two poses meet, but the motion around them differs",
        Some(MissReason::NoRhythm { .. }) => "it only drifts or is idle",
        Some(MissReason::SeenOnce) => "it shows its cycle only once",
        Some(MissReason::RootMotion { .. }) => "no part has the root motion asked for",
        Some(MissReason::Cycles { .. }) => "no part has as many cycles",
        None => "no two frames can be the ends of a loop",
    }
}

/// What an animation is.
pub(crate) struct Judged {
    pub(crate) kind: MotionKind,
    pub(crate) loops: Loops,
    /// Speed over the ground of the loop, metres per second; `None` without a loop.
    pub(crate) speed_mps: Option<f64>,
    /// Why there is no loop.
    pub(crate) why_not: Option<String>,
}

/// Judges an animation by a search with default settings and by the loop that it gives.
pub(crate) fn judge(loaded: &Loaded) -> Judged {
    let settings = SearchSettings::default();
    let best = best_loop(loaded, &settings).unwrap_or_else(|error| Err(error.to_string()));
    // The feet of a walk in place show its speed only in the loop.
    let speed_mps = best.as_ref().ok().map(|(best, _)| {
        let made = loaded.analysis.make_loop(best, &LoopSettings::default());
        let twist = made.map_or(best.twist, |made| made.loop_clip.root().twist);
        ops::hypot(twist.linear.x, twist.linear.z)
    });
    let (best, why_not) = match best {
        Ok((best, _)) => (Some(best), None),
        Err(why_not) => (None, Some(why_not)),
    };
    Judged {
        kind: loaded.analysis.motion_kind(best.as_ref(), speed_mps),
        loops: Loops::of(best.as_ref()),
        speed_mps,
        why_not,
    }
}
