//! Whole clips: most authored clips are already cut to one cycle.
//!
//! No search can prove a repeat that a clip shows once. But the clip shows whether its last pose leads back to its first, up to
//! the root motion, as smoothly as the clip moves elsewhere. Its last keys may be the closing key, the key before it, or copies
//! of it. Limits: docs/math/whole_clips.md.

mod completed;
mod cycles;
mod held;
mod pace;
mod reading;

pub(crate) use completed::completed;
pub(crate) use held::is_cut_off;
pub(in crate::candidate) use held::moving_frames;

use self::pace::Pace;
use self::reading::{Reading, Scale};
use super::finder::Finder;
use super::report::LoopCandidate;
use super::settings::SearchSettings;
use super::steadiness::Steadiness;
use super::whole::{LastKey, WholeClip, WholeClipKind};
use crate::analysis::{Analysis, MotionKind, activity::ActivityKind};
use crate::math::rigid::Twist;
use crate::take::Cut;

/// Largest roughness of a seam whose poses meet. Finished loops of four packs reach 1.2 if keys rest at the extremes of a walk;
/// half a swing, which ends where it began but moves the other way, exceeds 5.
const SMOOTH: f64 = 1.5;

/// Largest roughness of a seam without a closing key.
const SMOOTH_STEP: f64 = 1.3;

/// Most copies of the closing key that are left out; more of them are a hold that somebody wanted.
const MAX_COPIES: usize = 2;

/// Frames by which a cycle is trimmed at most, to close better.
const MAX_TRIMMED: usize = 2;

/// A clip that shows a little more than one cycle is trimmed to no less than this share of its frames: from a third of a cycle on,
/// the frames shown twice prove its rhythm.
const MIN_KEPT_SHARE: f64 = 0.75;

/// Factor by which a trimmed clip must close better than the whole one.
const WORTH_TRIMMING: f64 = 2.0;

/// Fewest frames of a whole clip.
const MIN_FRAMES: usize = 4;

/// As [`Analysis::whole_loop`].
pub(crate) fn whole_loop(analysis: &Analysis) -> Option<WholeClip> {
    let num_frames = analysis.take.num_frames();
    if num_frames <= MIN_FRAMES || analysis.activity.is_still() {
        return None;
    }
    let moving = held::without_held_poses(analysis);
    let of_moving =
        |read: fn(&Analysis) -> Option<WholeClip>| moving.as_ref().and_then(|moving| of_padded(moving, read));
    if let Some(padded) = of_moving(whole_loop).filter(|padded| padded.kind == WholeClipKind::Loops) {
        return Some(padded);
    }
    let scale = Scale::new(analysis);
    let (closing, missing) = (num_frames - 1, num_frames);
    // Copies of the closing key make the clip hold its pose; the smoothest reading leaves them out.
    let copies = 1..=MAX_COPIES.min(closing - MIN_FRAMES);
    let copied = copies.map(|copies| Reading::new(&scale, closing - copies));
    let closed = core::iter::once(Reading::new(&scale, closing))
        .filter(|first| first.meets(&scale))
        .chain(copied.take_while(Reading::is_copy))
        .take_while(|reading| reading.meets(&scale))
        .min_by(|one, other| one.roughness(&scale).total_cmp(&other.roughness(&scale)))
        .filter(|reading| reading.roughness(&scale) <= SMOOTH);
    let step = Reading::new(&scale, missing);
    let lacks_key = || lacks_closing_key(analysis, &scale, &step);
    // Slow bodies come near their first pose a frame early.
    let closed = closed.filter(|closed| {
        let goes_on =
            !closed.is_copy() && step.is_in_place() && step.roughness(&scale) < closed.roughness(&scale) && lacks_key();
        !goes_on
    });
    let bursts = is_single_action(analysis);
    let by_name = bursts && scale.named.repeats == Some(true);
    let is_single_action = bursts && !by_name;
    let (last_key, reading) = if let Some(reading) = closed {
        let is_whole = reading.num_frames == closing;
        let last_key = if is_whole { LastKey::Closing } else { LastKey::Repeated };
        (last_key, reading)
    } else {
        if bursts || !lacks_key() {
            return None;
        }
        (LastKey::BeforeClosing, step)
    };
    let kind = if is_single_action && reading.is_in_place() {
        WholeClipKind::EndsAsItBegins
    } else {
        WholeClipKind::Loops
    };
    let whole = WholeClip {
        by_name,
        ..reading.as_whole(&scale, kind, last_key)
    };
    // A loop that moves does not freeze in each cycle.
    let cycle = (kind == WholeClipKind::Loops).then(|| of_moving(whole_cycle));
    Some(cycle.flatten().unwrap_or(whole))
}

/// Whether a clip continues over its seam like a loop without its closing key.
fn lacks_closing_key(analysis: &Analysis, scale: &Scale<'_>, step: &Reading) -> bool {
    // At rest, any two poses follow each other slowly enough.
    let is_smooth = step.roughness(scale) <= SMOOTH_STEP && step.is_even(scale);
    let is_calm_jump = is_all_idle(analysis) && !step.meets(scale);
    is_smooth
        && !is_calm_jump
        && ((step.is_in_place() && !is_all_idle(analysis) && step.is_like_any(scale))
            || cycles::are_copies(&analysis.features, step.num_frames))
}

/// Reads a take without the poses that it holds before and after the motion; a single action may rest as long as it likes.
fn of_padded((first, moving): &(usize, Analysis), read: fn(&Analysis) -> Option<WholeClip>) -> Option<WholeClip> {
    let whole = read(moving)?;
    Some(WholeClip {
        start_frame: first + whole.start_frame,
        last_frame: first + whole.last_frame,
        last_key: match whole.last_key {
            LastKey::Closing => LastKey::Repeated,
            other => other,
        },
        ..whole
    })
}

/// Whether the take moves in bursts, as a strike does: its ends are then at rest, and prove nothing.
pub(in crate::candidate) fn is_single_action(analysis: &Analysis) -> bool {
    !is_all_idle(analysis) && !Pace::new(analysis).is_even()
}

/// As [`Analysis::whole_cycle`].
pub(crate) fn whole_cycle(analysis: &Analysis) -> Option<WholeClip> {
    let num_frames = analysis.take.num_frames();
    if num_frames <= MIN_FRAMES + MAX_TRIMMED || analysis.activity.is_still() {
        return None;
    }
    if let Some(padded) = held::without_held_poses(analysis).and_then(|moving| of_padded(&moving, whole_cycle)) {
        return Some(padded);
    }
    let scale = Scale::new(analysis);
    // An idle body is searched for its calmest stretch.
    let is_meant_so = scale.named.repeats == Some(true) && scale.named.kind != Some(MotionKind::Idle);
    if !is_meant_so && !Pace::new(analysis).is_even() {
        return None;
    }
    let reading = (num_frames - 1 - MAX_TRIMMED..=num_frames)
        .map(|length| Reading::new(&scale, length))
        .filter(|reading| reading.is_mendable(&scale))
        .min_by(|a, b| a.mending(&scale).total_cmp(&b.mending(&scale)))?;
    if reading.num_frames < num_frames {
        return Some(reading.as_whole(&scale, WholeClipKind::Cycle, LastKey::Closing));
    }
    let (seam_frames, motion) = reading::best_seam(&scale, reading.is_in_place());
    Some(WholeClip {
        num_frames: (num_frames - 1) as f64 + seam_frames,
        motion,
        ..reading.as_whole(&scale, WholeClipKind::Cycle, LastKey::BeforeClosing)
    })
}

/// Returns a whole take without its closing key as a loop that ends at its last key: a frame shorter, and bent by closing.
///
/// `None` if the closing key is present, or if closing cannot repair the gap.
pub(crate) fn ended_at_its_last_key(analysis: &Analysis, candidate: &LoopCandidate) -> Option<LoopCandidate> {
    let whole = candidate
        .whole
        .filter(|whole| whole.last_key == LastKey::BeforeClosing)?;
    let num_frames = (whole.last_frame.checked_sub(whole.start_frame)).filter(|&frames| frames >= MIN_FRAMES)?;
    let scale = Scale::new(analysis);
    let reading = Reading::ending_like(&scale, &whole, num_frames);
    reading.is_mendable(&scale).then_some(())?;
    let whole = reading.as_whole(&scale, WholeClipKind::Cycle, LastKey::Closing);
    whole_candidate(analysis, &whole, &SearchSettings::default())
}

/// Whether the body is idle in all frames.
fn is_all_idle(analysis: &Analysis) -> bool {
    let mut kinds = analysis.activity.kinds().iter();
    kinds.all(|&activity| activity == ActivityKind::Idle)
}

/// Returns the cycle in a take that contains a little more than one: the cheapest pair of frames that is nearly the whole, if
/// that closes much better than `whole`.
///
/// `None` if the take moves in one burst, or is clearly not a cycle, as for [`whole_cycle`].
pub(in crate::candidate) fn trimmed_cycle(
    analysis: &Analysis,
    finder: &Finder<'_>,
    whole: Option<&WholeClip>,
) -> Option<WholeClip> {
    let last = analysis.take.num_frames().checked_sub(MIN_FRAMES + 1)? + MIN_FRAMES;
    let shortest = (MIN_KEPT_SHARE * last as f64).ceil() as usize;
    if analysis.activity.is_still() || !Pace::new(analysis).is_even() {
        return None;
    }
    let pair = finder.cheapest_repeat(shortest.max(MIN_FRAMES)..=last)?;
    let scale = Scale::new(analysis);
    let reading = Reading::from(&scale, pair.start_frame, pair.lag());
    let is_better = whole.is_none_or(|whole| {
        WORTH_TRIMMING * reading.mending(&scale) <= scale.mending(whole.gap_metres, whole.gap_radians)
    });
    (is_better && reading.is_mendable(&scale)).then(|| reading.as_whole(&scale, WholeClipKind::Cycle, LastKey::Closing))
}

/// Returns the whole take as a candidate, with all figures that a search reports.
pub(in crate::candidate) fn whole_candidate(
    analysis: &Analysis,
    whole: &WholeClip,
    settings: &SearchSettings,
) -> Option<LoopCandidate> {
    let completed = completed(analysis, whole);
    let start = whole.start_frame;
    let cut = Cut::new(&completed.take, start as f64, start as f64 + whole.num_frames).ok()?;
    let last = whole.num_frames.round() as usize;
    let finder = Finder::new(&completed, settings, &completed.features);
    let candidate = finder.describe(&finder.pair(start, start + last), cut, None, is_all_idle(analysis));
    let twist = if whole.is_in_place() {
        Twist::default()
    } else {
        candidate.twist
    };
    let cycles = if start > 0 {
        1
    } else {
        cycles::count(&analysis.features, last.min(analysis.take.num_frames()))
    };
    let ends = [cut.start_frame(), cut.end_frame()];
    Some(LoopCandidate {
        cycles,
        // In a clip of one cycle, left and right that differ and a change of pace are the same.
        steadiness_around: if cycles > 1 {
            Steadiness::estimated(&completed, ends, cycles)
        } else {
            Steadiness::of(&completed, ends, 1)
        },
        cost_ratio: None,
        take_strength: None,
        twist,
        whole: Some(*whole),
        ..candidate
    })
}
