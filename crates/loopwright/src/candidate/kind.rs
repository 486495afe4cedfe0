//! What a whole take is, in one word, for lists of many.

use super::{report::LoopCandidate, whole::WholeClipKind, whole_clip::is_single_action};
use crate::analysis::{
    Analysis,
    segments::{self, Gait},
};

/// What a take is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionKind {
    /// Nothing moves.
    Still,
    /// The body hardly moves.
    Idle,
    /// It walks, on a path or in place.
    Walk,
    /// It runs, on a path or in place.
    Run,
    /// It goes backwards.
    Backward,
    /// It goes sideways.
    Sideways,
    /// It turns and stays in its position.
    Turn,
    /// It moves once, in a burst, as strikes, jumps and falls do.
    Strike,
    /// It moves otherwise and stays in its position.
    OnTheSpot,
}

crate::words!(MotionKind {
    Still: "still",
    Idle: "idle",
    Walk: "walk",
    Run: "run",
    Backward: "backward",
    Sideways: "sideways",
    Turn: "turn",
    Strike: "strike",
    OnTheSpot: "on the spot",
});

/// As [`Analysis::motion_kind`].
pub(crate) fn motion_kind(analysis: &Analysis, best: Option<&LoopCandidate>, speed_mps: Option<f64>) -> MotionKind {
    if analysis.activity.is_still() {
        return MotionKind::Still;
    }
    let is_strike = match best {
        Some(best) => (best.whole.as_ref()).is_some_and(|whole| whole.kind == WholeClipKind::EndsAsItBegins),
        None => is_single_action(analysis),
    };
    if is_strike {
        return MotionKind::Strike;
    }
    let speed_mps = speed_mps.filter(|speed| *speed >= segments::MOVING_MPS);
    match main_gait(analysis) {
        Gait::Idle => MotionKind::Idle,
        Gait::OnTheSpot => match speed_mps {
            Some(speed) if speed >= segments::run_speed(&analysis.take, &analysis.body) => MotionKind::Run,
            Some(_) => MotionKind::Walk,
            None => MotionKind::OnTheSpot,
        },
        Gait::Turn(_) => MotionKind::Turn,
        Gait::Walk(_) => MotionKind::Walk,
        Gait::Run(_) => MotionKind::Run,
        Gait::Backward => MotionKind::Backward,
        Gait::Sideways(_) => MotionKind::Sideways,
    }
}

/// The gait that most frames have; the first of several.
fn main_gait(analysis: &Analysis) -> Gait {
    let num_frames = |gait: Gait| -> usize {
        let same = analysis.segments.iter().filter(|segment| segment.gait == gait);
        same.map(|segment| segment.end_frame + 1 - segment.start_frame).sum()
    };
    let gaits = analysis.segments.iter().rev().map(|segment| segment.gait);
    gaits.max_by_key(|&gait| num_frames(gait)).unwrap_or(Gait::Idle)
}
