//! Detects poses before or after a cycle that are not part of it: poses that exporters hold to give the clips of a pack the same length,
//! and setup poses.

use core::ops::Range;

use crate::{
    analysis::Analysis,
    math::{greatest, percentile, rotation},
    take::{Cut, Take},
};

/// A joint that moves less from frame to frame is still: metres at the size of an adult, and radians (0.01 degrees).
const STILL_METRES: f64 = 1e-4;
const STILL_RADIANS: f64 = 0.01_f64.to_radians();

/// Whether no joint moves from a frame to the next.
fn is_still(take: &Take, size: f64, frame: usize) -> bool {
    let (before, after) = (take.pose(frame), take.pose(frame + 1));
    let mut places = before.translations.iter().zip(after.translations);
    let mut turns = before.rotations.iter().zip(after.rotations);
    places.all(|(one, other)| one.distance(*other) <= STILL_METRES * size)
        && turns.all(|(one, other)| rotation::difference(*other, *one).length() <= STILL_RADIANS)
}

/// Returns the frames from one to another as a take of their own, and the first.
pub(super) fn only(analysis: &Analysis, first: usize, last: usize) -> Option<(usize, Analysis)> {
    let take = &analysis.take;
    let poses = (first..=last).map(|frame| take.pose(frame));
    let mut moving = Take::from_tracks(take.name(), take.tracks().with_poses(poses)).ok()?;
    if let Some(tail) = take.tail().filter(|_| last + 1 == take.num_frames()) {
        moving = moving.with_tail(tail.clone()).ok()?;
    }
    Some((first, Analysis::with(&moving, &analysis.overrides).ok()?))
}

/// A motion that leaves a pose with a step below this share of its median step eases out of it: the pose belongs to it.
const EASES: f64 = 0.3;

/// Returns first and last frame of a take without the poses held at its ends, which last longer than any pose inside. `None` if
/// none is held.
pub(in crate::candidate) fn moving_frames(analysis: &Analysis) -> Option<(usize, usize)> {
    moving_within(analysis, |_, _| true)
}

/// Returns the frames as [`moving_frames`] does; poses out of which the motion eases are part of it.
pub(super) fn frames_of_cycle(analysis: &Analysis) -> Option<(usize, usize)> {
    moving_within(analysis, |beside, within| {
        let usual = percentile::of(within.map(|frame| step(analysis, frame)), 0.5);
        step(analysis, beside) > EASES * usual
    })
}

/// Returns first and last frame without the poses held at the ends; `is_left` decides whether a held pose is left out, from the step beside
/// it and the steps that move.
fn moving_within(analysis: &Analysis, is_left: impl Fn(usize, Range<usize>) -> bool) -> Option<(usize, usize)> {
    let (take, size) = (&analysis.take, analysis.body.size(&analysis.take));
    let last = take.last_frame();
    let leading = (0..last).take_while(|&frame| is_still(take, size, frame)).count();
    let trailing = (leading..last)
        .rev()
        .take_while(|&frame| is_still(take, size, frame))
        .count();
    let (first, end) = (leading, last - trailing);
    if first >= end {
        return None;
    }
    let (mut longest, mut run) = (0, 0);
    for frame in first..end {
        run = if is_still(take, size, frame) { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let held = |run: usize, beside: usize| {
        if run > longest && is_left(beside, first..end) {
            run
        } else {
            0
        }
    };
    let (leading, trailing) = (held(leading, first), held(trailing, end - 1));
    let (first, end) = without_setup_poses(analysis, leading, last - trailing);
    (first < end && (first, end) != (0, last)).then_some((first, end))
}

/// Returns the distance of a pose from the next, metres.
fn step(analysis: &Analysis, frame: usize) -> f64 {
    analysis.features.squared_distance(frame, frame + 1).max(0.0).sqrt()
}

/// A step from a setup pose, relative to the longest step inside: from bind poses to runs it is 1.9 and more. Among 150 authored clips the
/// longest step at an end, of strikes and falls too, is 1.15.
const SETUP: f64 = 1.5;

/// Returns first and last frame without a setup pose at either end, from which the body jumps: the pose in which it was bound to its skin.
fn without_setup_poses(analysis: &Analysis, first: usize, last: usize) -> (usize, usize) {
    if last < first + 4 {
        return (first, last);
    }
    let longest = greatest((first + 1..last - 1).map(|frame| step(analysis, frame)));
    let is_far = |one: usize, other: usize| analysis.features.squared_distance(one, other) > (SETUP * longest).powi(2);
    let ends = [is_far(first, first + 1), is_far(last - 1, last)];
    // Where the clip closes, a jump at one end is its author's.
    let [before, after] = ends.map(|end| usize::from(end && (ends[0] == ends[1] || is_far(first, last))));
    (first + before, last - after)
}

/// Whether the frames beyond an end of a stretch hold its pose, or jump away, so that they do not show the motion there.
pub(crate) fn is_cut_off(analysis: &Analysis, cut: &Cut) -> bool {
    let take = &analysis.take;
    let size = analysis.body.size(take);
    let (start, end) = (cut.start_frame().ceil() as usize, cut.end_frame().floor() as usize);
    let is_bad = |frame: usize| analysis.defects.bad_frames.iter().any(|bad| bad.frame == frame);
    let is_held = |beyond: usize, inside: usize| is_still(take, size, beyond) && !is_still(take, size, inside);
    (end + 1 < take.num_frames() && end > 0 && (is_held(end, end - 1) || is_bad(end + 1)))
        || (start > 0 && start + 1 < take.num_frames() && (is_held(start - 1, start) || is_bad(start - 1)))
}
