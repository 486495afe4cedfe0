//! What a whole take or a loop is, in one word.

use super::{report::LoopCandidate, whole::WholeClipKind, whole_clip::is_single_action};
use crate::{
    analysis::{
        Analysis,
        segments::{self, Gait},
    },
    math::percentile,
};

/// What a take or a loop is, in the words of animators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionKind {
    /// Nothing moves.
    Still,
    /// The body hardly moves.
    Idle,
    /// It walks ahead, on a path or in place.
    Walk,
    /// It walks on a curve.
    TurningWalk,
    /// It runs ahead, on a path or in place, straight or on a curve.
    Run,
    /// It goes backwards.
    Backward,
    /// It goes sideways.
    Strafe,
    /// It turns and stays in its position.
    TurnInPlace,
    /// It leaves the ground once, with all feet.
    Jump,
    /// It moves once and comes to rest.
    OneShot,
    /// Something else, or its geometry does not tell.
    Other,
}

crate::words!(MotionKind {
    Still: "still",
    Idle: "idle",
    Walk: "walk",
    TurningWalk: "turning walk",
    Run: "run",
    Backward: "backward",
    Strafe: "strafe",
    TurnInPlace: "turn in place",
    Jump: "jump",
    OneShot: "one-shot",
    Other: "other",
});

impl From<Gait> for MotionKind {
    fn from(gait: Gait) -> Self {
        match gait {
            Gait::Idle => Self::Idle,
            Gait::OnTheSpot => Self::Other,
            Gait::Turn(_) => Self::TurnInPlace,
            Gait::Walk(None) => Self::Walk,
            Gait::Walk(Some(_)) => Self::TurningWalk,
            Gait::Run(_) => Self::Run,
            Gait::Backward => Self::Backward,
            Gait::Sideways(_) => Self::Strafe,
        }
    }
}

/// As [`Analysis::motion_kind`].
pub(crate) fn motion_kind(analysis: &Analysis, best: Option<&LoopCandidate>, speed_mps: Option<f64>) -> MotionKind {
    if analysis.activity.is_still() {
        return MotionKind::Still;
    }
    let is_one_shot = match best {
        Some(best) => (best.whole.as_ref()).is_some_and(|whole| whole.kind == WholeClipKind::EndsAsItBegins),
        None => is_single_action(analysis),
    };
    if is_one_shot {
        return match leaves_the_ground(analysis) {
            true => MotionKind::Jump,
            false => MotionKind::OneShot,
        };
    }
    let whole = best.is_none_or(|best| best.whole.is_some());
    let of_stretch = best
        .filter(|_| !whole)
        .and_then(|best| super::segment_of(analysis, best));
    let gait = of_stretch.map_or_else(|| main_gait(analysis), |segment| segment.gait);
    let speed_mps = speed_mps.filter(|speed| *speed >= segments::MOVING_MPS);
    match (MotionKind::from(gait), speed_mps) {
        // In place the root does not show the speed, and the feet do.
        (MotionKind::Other, Some(speed)) if speed >= segments::run_speed(&analysis.take, &analysis.body) => {
            MotionKind::Run
        }
        (MotionKind::Other, Some(_)) => MotionKind::Walk,
        // Sitting down moves the hips back, and is no walk.
        (
            MotionKind::Walk | MotionKind::TurningWalk | MotionKind::Run | MotionKind::Backward | MotionKind::Strafe,
            _,
        ) if best.is_none() && analysis.contacts.spans().len() < LEAST_STEPS => MotionKind::Other,
        (kind, _) => kind,
    }
}

/// Whoever goes somewhere sets down each foot at least once, besides where it stood.
const LEAST_STEPS: usize = 4;

/// Shares of the standing height by which all feet are above the ground in a jump, and the hips above where they are for half of the time.
const JUMP_SHARE: f64 = 0.08;
const RISE_SHARE: f64 = 0.04;

/// Whether there is a moment at which all feet are well above their lowest places, and the hips high: who falls or lies down lifts the
/// feet too.
fn leaves_the_ground(analysis: &Analysis) -> bool {
    let body = &analysis.body;
    let Some(stature) = body.stature(&analysis.take) else {
        return false;
    };
    let height = |frame: usize, joint: usize| analysis.world.position(frame, joint).y;
    let frames = || 0..analysis.take.num_frames();
    let lowest: Vec<f64> = (body.feet.iter())
        .map(|foot| {
            frames()
                .map(|frame| height(frame, foot.lowest_joint()))
                .fold(f64::INFINITY, f64::min)
        })
        .collect();
    let usual = percentile::of(frames().map(|frame| height(frame, body.hips)).collect(), 0.5);
    frames().any(|frame| {
        let above = body.feet.iter().zip(&lowest);
        !lowest.is_empty()
            && height(frame, body.hips) - usual > RISE_SHARE * stature
            && above
                .into_iter()
                .all(|(foot, lowest)| height(frame, foot.lowest_joint()) - lowest > JUMP_SHARE * stature)
    })
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
