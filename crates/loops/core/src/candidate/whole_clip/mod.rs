//! Whole clips: most authored clips are already cut to one cycle.
//!
//! No search can prove a repeat that a clip shows once. But the clip shows whether its last pose leads back to its first, up to
//! the root motion, as smoothly as the clip moves elsewhere. Its last keys may be the closing key, the key before it, or copies
//! of it. Limits: docs/math/whole_clips.md.

mod completed;
mod curve;
mod cycles;
mod ends;
mod held;
mod inside;
mod pace;
mod reading;
mod seam;

pub(crate) use held::is_cut_off;
pub(in crate::candidate) use held::moving_frames;

use self::{
    ends::End,
    inside::Clip,
    reading::{Reading, Scale},
    seam::Seam,
};
use super::{LastKey, LoopCandidate, SearchSettings, Steadiness, WholeClip, WholeClipKind, finder::Finder};
use crate::{
    analysis::{Analysis, MotionKind},
    math::{Rigid, Twist, ordered},
    take::Cut,
};

/// Largest roughness of a seam whose poses meet. Finished loops of four packs reach 1.2 if keys rest at the extremes of a walk;
/// half a swing, which ends where it began but moves the other way, exceeds 5.
const SMOOTH: f64 = 1.5;

/// Frames by which a cycle is trimmed at most, to close better.
const MAX_TRIMMED: usize = 2;

/// A clip that shows a little more than one cycle is trimmed to no less than this share of its frames: from a third of a cycle on,
/// the frames shown twice prove its rhythm.
const MIN_KEPT_SHARE: f64 = 0.75;

/// Factor by which a trimmed clip must close better than the whole one.
const WORTH_TRIMMING: f64 = 2.0;

/// Where the end of a cycle without its closing key may be, in frames after its last key.
const AFTER_CYCLE: [f64; 2] = [0.5, 1.5];

/// Fewest frames of a whole clip.
const MIN_FRAMES: usize = 4;

impl Analysis {
    /// Returns the whole take as one loop, if it clearly loops already: its ends meet, or only the closing key is missing and
    /// the step over the seam is like any other, in a take of one cycle or of exact copies of one.
    ///
    /// `None` if its ends do not meet, or if nothing moves.
    pub fn whole_loop(&self) -> Option<WholeClip> {
        let num_frames = self.take.num_frames();
        if num_frames <= MIN_FRAMES || self.activity.is_still() {
            return None;
        }
        let moving = without_held_poses(self);
        let of_moving =
            |read: fn(&Analysis) -> Option<WholeClip>| moving.as_ref().and_then(|moving| of_padded(moving, read));
        if let Some(padded) = of_moving(Self::whole_loop).filter(|padded| padded.kind == WholeClipKind::Loops) {
            return Some(padded);
        }
        let scale = Scale::new(self);
        let nearly_closed = || {
            let reading = Reading::from(&scale, 0, num_frames - 1);
            let meets = reading.meets(&scale) && reading.roughness(&scale) <= SMOOTH;
            meets.then(|| End::at_key(num_frames - 1, reading.motion, reading.gap_metres, false))
        };
        let bursts = is_single_action(self);
        let by_name = bursts && scale.named.repeats == Some(true);
        // The ends of an action that returns to its first pose do not distinguish it from a loop, but its name may.
        let is_named_action = scale.named.repeats == Some(false);
        let is_single_action = is_named_action || (bursts && !by_name);
        let end = ends::find(&scale)
            .filter(|end| end.is_exact || !is_single_action || end.seam_frames == 0.0)
            .or_else(nearly_closed)?;
        let reading = reading_at(&scale, &end);
        if is_named_action && !reading.is_in_place() {
            return None;
        }
        if !end.is_exact && !is_no_chance(self, &end, &reading, &scale) {
            return None;
        }
        let last_key = if end.seam_frames > 0.0 {
            LastKey::BeforeClosing
        } else if end.last_frame + 1 == num_frames {
            LastKey::Closing
        } else {
            LastKey::Repeated
        };
        let kind = if is_single_action && reading.is_in_place() {
            WholeClipKind::EndsAsItBegins
        } else {
            WholeClipKind::Loops
        };
        let whole = WholeClip {
            by_name,
            last_frame: end.last_frame,
            num_frames: end.last_frame as f64 + end.seam_frames,
            end_limits: end.limits,
            ..reading.as_whole(&scale, kind, last_key)
        };
        // A loop that moves does not freeze in each cycle.
        let cycle = (kind == WholeClipKind::Loops).then(|| of_moving(Self::whole_cycle));
        Some(cycle.flatten().unwrap_or(whole))
    }
}

/// Evaluates a clip at its end; a seam that lasts up to a frame as one of a whole frame.
fn reading_at(scale: &Scale, end: &End) -> Reading {
    if end.seam_frames == 0.0 {
        return Reading::with_motion(scale, 0, end.last_frame, end.motion);
    }
    let mut reading = Reading::with_motion(scale, 0, end.last_frame + 1, end.motion);
    (reading.gap_metres, reading.gap_radians) = (end.miss_metres, 0.0);
    reading
}

/// Whether a clip is one cycle or equal ones, or its end is too similar to its start for a capture of several cycles that meets its start
/// by chance.
fn is_no_chance(analysis: &Analysis, end: &End, reading: &Reading, scale: &Scale) -> bool {
    let length = (end.last_frame as f64 + end.seam_frames).round() as usize;
    let is_closed = end.seam_frames == 0.0 && reading.meets(scale) && reading.roughness(scale) <= SMOOTH;
    let is_meant_so = scale.named.repeats == Some(true);
    is_closed
        || (reading.is_in_place() && (is_meant_so || !is_all_idle(analysis)) && reading.is_like_any(scale))
        || cycles::are_copies(&analysis.features, length)
}

/// Returns a take without the poses beside its motion, and its first frame; `None` if there are none, or if the rest ends far from
/// where it begins.
fn without_held_poses(analysis: &Analysis) -> Option<(usize, Analysis)> {
    let (first, last) = held::frames_of_cycle(analysis)?;
    let scale = Scale::new(analysis);
    let ends = last.saturating_sub(ends::MOST_FOLLOWING).max(first + MIN_FRAMES)..=last;
    let mut gaps = ends.map(|end| Reading::from(&scale, first, end - first));
    gaps.any(|reading| reading.is_near(&scale))
        .then(|| held::only(analysis, first, last))
        .flatten()
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
    !is_all_idle(analysis) && !pace::is_even(analysis)
}

impl Analysis {
    /// Returns the whole take as one cycle that closing can repair, at the length at which it closes best.
    ///
    /// `None` if it is clearly not a cycle: if its ends are too far apart, or if it moves in one burst, as a strike does.
    pub fn whole_cycle(&self) -> Option<WholeClip> {
        let num_frames = self.take.num_frames();
        // A body that idles all the time is cut anywhere in its breath: a search finds its calmest stretch.
        if num_frames <= MIN_FRAMES + MAX_TRIMMED || self.activity.is_still() || is_all_idle(self) {
            return None;
        }
        if let Some(padded) = without_held_poses(self).and_then(|moving| of_padded(&moving, Self::whole_cycle)) {
            return Some(padded);
        }
        let scale = Scale::new(self);
        // An idle body is searched for its calmest stretch.
        let is_meant_so = scale.named.repeats == Some(true) && scale.named.kind != Some(MotionKind::Idle);
        if !is_meant_so && !pace::is_even(self) {
            return None;
        }
        let reading = (num_frames - 1 - MAX_TRIMMED..=num_frames)
            .map(|length| Reading::from(&scale, 0, length))
            .filter(|reading| reading.is_mendable(&scale))
            .min_by_key(|reading| ordered(reading.mending(&scale)))?;
        if reading.num_frames < num_frames {
            return Some(reading.as_whole(&scale, WholeClipKind::Cycle, LastKey::Closing));
        }
        // A cut between two captured cycles falls anywhere between two frames.
        let clip = Clip::new(&scale)?;
        let seam = Seam::new(&clip, num_frames - 1, AFTER_CYCLE);
        let fit = seam.likeliest(reading.is_in_place().then_some(Rigid::IDENTITY));
        Some(WholeClip {
            num_frames: (num_frames - 1) as f64 + fit.seam_frames,
            motion: fit.motion,
            ..reading.as_whole(&scale, WholeClipKind::Cycle, LastKey::BeforeClosing)
        })
    }
}

/// Returns a whole take without its closing key as a loop that ends at its last key: a frame shorter, and bent by closing.
///
/// `None` if the closing key is present, or if closing cannot repair the gap.
pub(crate) fn ended_at_its_last_key(analysis: &Analysis, candidate: &LoopCandidate) -> Option<LoopCandidate> {
    let whole = candidate
        .whole
        .filter(|whole| whole.last_key == LastKey::BeforeClosing)?;
    let num_frames = whole
        .last_frame
        .checked_sub(whole.start_frame)
        .filter(|&frames| frames >= MIN_FRAMES)?;
    let scale = Scale::new(analysis);
    let reading = Reading::ending_like(&scale, &whole, num_frames);
    reading.is_mendable(&scale).then_some(())?;
    let whole = reading.as_whole(&scale, WholeClipKind::Cycle, LastKey::Closing);
    whole_candidate(analysis, &whole, &SearchSettings::default())
}

/// Whether the body is idle in all frames.
fn is_all_idle(analysis: &Analysis) -> bool {
    analysis.is_idle_between(0, analysis.take.num_frames() - 1)
}

/// Returns the cycle in a take that contains a little more than one: the cheapest pair of frames that is nearly the whole, if
/// that closes much better than `whole`.
///
/// `None` if the take moves in one burst, or is clearly not a cycle, as for [`Analysis::whole_cycle`].
pub(in crate::candidate) fn trimmed_cycle(
    analysis: &Analysis,
    finder: &Finder,
    whole: Option<&WholeClip>,
) -> Option<WholeClip> {
    let last = analysis.take.num_frames().checked_sub(MIN_FRAMES + 1)? + MIN_FRAMES;
    let shortest = (MIN_KEPT_SHARE * last as f64).ceil() as usize;
    if analysis.activity.is_still() || !pace::is_even(analysis) {
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
    let completed = analysis.completed(whole);
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
    // In a clip of one cycle, left and right that differ and a change of pace are the same.
    let steadiness_around = if cycles > 1 {
        Steadiness::estimated(&completed, ends, cycles)
    } else {
        Steadiness::of(&completed, ends, 1)
    };
    Some(LoopCandidate {
        cycles,
        steadiness_around,
        cost_ratio: None,
        take_strength: None,
        twist,
        whole: Some(WholeClip {
            left_out: analysis.take.num_frames() + whole.start_frame - whole.last_frame - 1,
            ..*whole
        }),
        ..candidate
    })
}
