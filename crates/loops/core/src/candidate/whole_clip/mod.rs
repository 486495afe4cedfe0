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
    analysis.is_idle_between(0, analysis.take.last_frame())
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

#[cfg(test)]
mod tests {
    use core::f64::consts::TAU;

    use glam::{DQuat, DVec3};

    use super::*;
    use crate::{
        math::ops,
        take::Take,
        tests::{skeleton, take_of},
    };

    /// The distance of two joints at which a body has the size of an adult, metres.
    const RADIUS: f64 = 0.85;

    /// Analyses a take of that name in which the last joint moves: its place in its parent's axes, frame by frame.
    fn moving(
        rows: &[(&str, Option<usize>, DVec3)],
        (name, rate_hz, num_frames): (&str, f64, usize),
        at: impl Fn(f64) -> DVec3,
    ) -> Analysis {
        let take = take_of(skeleton(rows), 1.0 / rate_hz, num_frames, |frame, joint| {
            let rests = joint + 1 < rows.len();
            let place = if rests { rows[joint].2 } else { at(frame as f64) };
            (place, DQuat::IDENTITY)
        });
        let named = Take::from_tracks(name, (**take.tracks()).clone()).unwrap();
        Analysis::new(&named).unwrap()
    }

    /// Analyses a take of a joint that goes around another one.
    fn around(of: (&str, f64, usize), at: impl Fn(f64) -> DVec3) -> Analysis {
        moving(&[("a", None, DVec3::ZERO), ("b", Some(0), DVec3::Y)], of, at)
    }

    /// Returns a place on an upright circle, which is at the top for no angle.
    fn on_circle(angle: f64, radius: f64) -> DVec3 {
        DVec3::new(radius * ops::sin(angle), radius * ops::cos(angle), 0.0)
    }

    /// A motion that rests at its ends hardly leaves its first pose: the key before the closing one is near the first, but is not the same.
    /// The closing key is the same, also where a file has rounded it.
    #[test]
    fn a_key_is_the_first_again_within_a_share_of_the_first_step_and_noise() {
        let found = |num_frames: usize, off_metres: f64| {
            let clip = around(("made", 60.0, num_frames), |frame| {
                let angle = TAU * frame / 60.0;
                let off = if frame < 60.0 { 0.0 } else { off_metres };
                on_circle(0.25 * TAU + angle - ops::sin(angle), RADIUS) + DVec3::Y * off
            });
            let end = ends::find(&Scale::new(&clip))?;
            Some((end.last_frame, end.is_exact))
        };
        assert_eq!(found(61, 0.0), Some((60, true)));
        assert_eq!(found(61, 1e-5), Some((60, true)));
        assert_eq!(found(60, 0.0), Some((59, false)));
    }

    /// The cycle of a joint that shakes ends a fifth of a frame before the last key. As the end, that key misses its prediction by 0.24
    /// steps; an end a frame after the key before, by 0.11.
    #[test]
    fn an_end_that_may_be_too_late_wins_only_by_the_least_miss() {
        let clip = around(("made", 30.0, 41), |frame| {
            on_circle(TAU * frame / 39.8, RADIUS) + DVec3::Y * (0.02 * ops::sin(2.3 * frame * frame))
        });
        let end = ends::find(&Scale::new(&clip)).unwrap();
        assert_eq!(end.last_frame, 39, "{end:?}");
    }

    /// At a high rate a gap of 4 mm is more than a step can be off, but no more than a cut by hand is.
    #[test]
    fn a_clip_that_nearly_closes_loops_at_its_last_key() {
        let clip = around(("made", 1200.0, 1201), |frame| {
            let share = frame / 1200.0;
            on_circle(TAU * share, RADIUS - 0.004 * share)
        });
        assert_eq!(ends::find(&Scale::new(&clip)), None);
        let whole = clip.whole_loop().unwrap();
        let of_it = (whole.kind, whole.last_key, whole.num_frames);
        assert_eq!(of_it, (WholeClipKind::Loops, LastKey::Closing, 1200.0));
        assert!((whole.gap_metres - 0.004).abs() < 1e-9, "{whole:?}");
    }

    /// Three unequal breaths without the closing key: a capture of an idle body ends like that by chance, what is named an idle does not.
    #[test]
    fn an_idle_that_is_named_so_loops() {
        let leg = DVec3::Y * -0.45;
        let rows = [
            ("Hips", None, DVec3::Y),
            ("LeftUpLeg", Some(0), DVec3::X * 0.1),
            ("LeftLeg", Some(1), leg),
            ("LeftFoot", Some(2), leg),
            ("RightUpLeg", Some(0), DVec3::X * -0.1),
            ("RightLeg", Some(4), leg),
            ("RightFoot", Some(5), leg),
            ("Head", Some(0), DVec3::Y * 0.7),
        ];
        let whole = |name: &str| {
            let clip = moving(&rows, (name, 60.0, 241), |frame| {
                let angle = TAU * frame / 241.0;
                let height = ops::sin(3.0 * angle + 0.7) + 0.3 * ops::sin(angle + 0.7);
                DVec3::new(0.0, 0.7 + 0.03 * height, 0.009 * ops::cos(3.0 * angle))
            });
            assert!(is_all_idle(&clip));
            clip.whole_loop().map(|whole| (whole.kind, whole.num_frames))
        };
        assert_eq!(whole("Idle"), Some((WholeClipKind::Loops, 241.0)));
        assert_eq!(whole("made"), None);
    }

    /// A burst that ends 3 cm from where it begins.
    #[test]
    fn a_burst_is_a_cycle_if_its_name_says_so_and_it_is_no_idle() {
        let cycle = |name: &str| {
            let clip = around((name, 60.0, 61), |frame| {
                let angle = TAU * frame / 60.0;
                on_circle(angle - ops::sin(angle), RADIUS - 0.03 * frame / 60.0)
            });
            clip.whole_cycle().map(|whole| (whole.kind, whole.by_name))
        };
        assert_eq!(cycle("Attack_Loop"), Some((WholeClipKind::Cycle, true)));
        assert_eq!(cycle("made"), None);
        assert_eq!(cycle("Idle Alert"), None);
    }

    /// A recoil leaves its first pose within a frame and comes back to it; from a setup pose the body goes elsewhere.
    #[test]
    fn a_jump_at_one_end_is_its_authors_where_the_clip_closes() {
        let frames = |from: f64, to: f64| {
            let clip = around(("made", 60.0, 61), |frame| {
                let share = (frame - 1.0) / 59.0;
                let angle = if frame < 1.0 { 0.0 } else { from + (to - from) * share };
                on_circle(angle, RADIUS)
            });
            held::frames_of_cycle(&clip)
        };
        assert_eq!(frames(1.0, 0.0), None);
        assert_eq!(frames(1.0, 2.0), Some((1, 60)));
    }
}
