//! Classifies the motion of a whole take or a loop.

use super::{LoopCandidate, WholeClip, WholeClipKind, whole_clip::is_single_action};
use crate::{
    analysis::{Analysis, Gait, MotionKind, Running, run_speed, segments},
    math::{percentile, smallest},
};

impl Analysis {
    /// Returns the kind of motion of the take: a single action, or the gait that it shows for longest.
    ///
    /// `best` is its recommended loop, and `speed_mps` the speed over the ground of that loop as made: in a walk in place the
    /// feet show it, not the root.
    pub fn motion_kind(&self, best: Option<&LoopCandidate>, speed_mps: Option<f64>) -> MotionKind {
        let shown = shown_kind(self, best, speed_mps);
        // A take with several motions is named after one of them.
        let is_whole = best.is_none_or(|best| best.whole.is_some());
        match self.named_motion().kind.filter(|_| is_whole) {
            Some(named) if may_be(self, shown, named, best, speed_mps) => named,
            _ => shown,
        }
    }
}

/// Largest factor by which a walk exceeds the speed at which people begin to run, or a run falls below it.
const NAMED_SPEED: f64 = 2.0;

/// Whether a motion that looks like one kind may be another, which its name states.
fn may_be(
    analysis: &Analysis,
    shown: MotionKind,
    named: MotionKind,
    best: Option<&LoopCandidate>,
    speed_mps: Option<f64>,
) -> bool {
    use MotionKind::{Backward, Idle, Jump, OneShot, Other, Run, Strafe, TurnInPlace, TurningWalk, Walk};
    let stays = best
        .and_then(|best| best.whole.as_ref())
        .is_some_and(WholeClip::is_in_place);
    let runs_at = run_speed(&analysis.take, &analysis.body);
    match (shown, named) {
        (Idle | OneShot | Jump | Other, Idle | OneShot | Jump | Other) => true,
        // In place the feet hardly show the direction of the body.
        (
            Other | OneShot | Walk | TurningWalk | Run | Backward | Strafe | TurnInPlace,
            Walk | Run | Backward | Strafe | Other,
        ) if stays => true,
        (Walk | Run, Walk | Run) => {
            speed_mps.is_some_and(|speed| (runs_at / NAMED_SPEED..=runs_at * NAMED_SPEED).contains(&speed))
        }
        _ => false,
    }
}

/// Returns the kind that the motion shows.
fn shown_kind(analysis: &Analysis, best: Option<&LoopCandidate>, speed_mps: Option<f64>) -> MotionKind {
    if analysis.activity.is_still() {
        return MotionKind::Still;
    }
    let whole = best.and_then(|best| best.whole.as_ref());
    let is_one_shot = match best {
        Some(_) => whole.is_some_and(|whole| whole.kind == WholeClipKind::EndsAsItBegins),
        None => is_single_action(analysis),
    };
    if is_one_shot {
        return if leaves_the_ground(analysis) {
            MotionKind::Jump
        } else {
            MotionKind::OneShot
        };
    }
    // Poses held before and after a cycle are not part of it.
    let of_stretch = best
        .filter(|_| whole.is_none_or(|whole| whole.left_out > 0))
        .and_then(|best| analysis.segment_of(best));
    let gait = of_stretch.map_or_else(|| main_gait(analysis), |segment| Some(segment.gait));
    let kind = match gait.map_or(MotionKind::Idle, |gait| gait.kind) {
        // Hips that sway go nowhere.
        kind if kind.travels() && whole.is_some_and(WholeClip::is_in_place) => MotionKind::Other,
        kind => kind,
    };
    match (kind, speed_mps) {
        // In place the feet show the speed, not the root.
        (MotionKind::Other, Some(speed)) if !turns_over(analysis, best) => {
            let running = Running {
                from_mps: run_speed(&analysis.take, &analysis.body),
                footing: analysis.footing(),
            };
            MotionKind::at_speed(speed, 0.0, &running)
        }
        // Sitting down moves the hips back, and is not a walk.
        _ if kind.travels() && best.is_none() && analysis.contacts.spans().len() < LEAST_STEPS => MotionKind::Other,
        _ => kind,
    }
}

/// Whether the body turns over in a stretch, or anywhere.
fn turns_over(analysis: &Analysis, best: Option<&LoopCandidate>) -> bool {
    let count = analysis.take.num_frames();
    let (from, to) = best.map_or((0, count), |best| {
        (best.cut.start_frame() as usize, best.cut.end_frame() as usize)
    });
    let to = to.clamp(1, count);
    segments::turns_over(&segments::rises(&analysis.world, &analysis.body, from.min(to - 1)..to))
}

/// Fewest contacts of a body that travels: each foot stands at first and is set down at least once.
const LEAST_STEPS: usize = 4;

/// Smallest height of all feet above the ground in a jump, and of the hips above their median, as shares of the standing height.
const JUMP_SHARE: f64 = 0.08;
const RISE_SHARE: f64 = 0.04;

/// Whether at some frame all feet are well above their lowest positions, and the hips high: a body that falls or lies down lifts
/// its feet, too.
fn leaves_the_ground(analysis: &Analysis) -> bool {
    let body = &analysis.body;
    let Some(stature) = body.stature(&analysis.take) else {
        return false;
    };
    let height = |frame: usize, joint: usize| body.point(&analysis.world, frame, joint).y;
    let frames = || 0..analysis.take.num_frames();
    let lowest: Vec<f64> = body
        .feet
        .iter()
        .map(|foot| smallest(frames().map(|frame| height(frame, foot.lowest_joint()))))
        .collect();
    let usual = percentile::of(frames().map(|frame| height(frame, body.hips)), 0.5);
    frames().any(|frame| {
        let above = body.feet.iter().zip(&lowest);
        !lowest.is_empty()
            && height(frame, body.hips) - usual > RISE_SHARE * stature
            && above
                .into_iter()
                .all(|(foot, lowest)| height(frame, foot.lowest_joint()) - lowest > JUMP_SHARE * stature)
    })
}

/// Returns the most frequent gait, the first of a tie.
fn main_gait(analysis: &Analysis) -> Option<Gait> {
    let gaits = analysis.segments.iter().rev().map(|segment| segment.gait);
    gaits.max_by_key(|&gait| -> usize {
        let same = analysis.segments.iter().filter(|segment| segment.gait == gait);
        same.map(|segment| segment.end_frame + 1 - segment.start_frame).sum()
    })
}
