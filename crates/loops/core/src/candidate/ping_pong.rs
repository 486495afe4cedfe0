//! Finds ping-pong stretches: those at whose ends the motion is slow, so that reversing changes it least.
//!
//! Rule and numbers: docs/math/ping_pong.md.

use core::ops::RangeInclusive;

use glam::DVec3;

use super::{
    FoundLoops, LoopCandidate, SeamPair, SearchError, SearchSettings, describe::SearchedTake, whole_clip::moving_frames,
};
use crate::{
    analysis::{Analysis, TakeDefects},
    math::{around, ordered, rotation},
    take::{Cut, CutError},
};

/// Fewest frames of a stretch.
const SHORTEST: usize = 3;

/// Rotation of a joint counts as the motion of a point at this distance, metres at the size of an adult: a hinge rotates in
/// place.
const ARM_METRES: f64 = 0.3;

/// Price of the missing length of a stretch, as a share of the longest possible, in the unit of its other cost: squared speed at
/// both ends over its own mean. Ends at half of the speed of the stretch are worth half of its length.
const LENGTH_PRICE: f64 = 0.5;

/// A stretch rests if its mean squared speed is below this share of the take's.
const RESTS_SHARE: f64 = 0.02;

/// Stretches that share more than this of the shorter one are the same.
const OVERLAP_SHARE: f64 = 0.5;

/// Most ends that are tried with each start; of more, only the slowest of every few neighbours is tried.
const MOST_ENDS: usize = 4000;

/// Finds the stretches that reverse best, the best first. Errors: [`SearchError`] for a take that is too short or does not move.
pub(super) fn find(analysis: &Analysis, settings: &SearchSettings) -> Result<FoundLoops, SearchError> {
    let squares = squared_speeds(analysis);
    if squares.iter().all(|&square| square == 0.0) {
        return Err(SearchError::Still);
    }
    let candidates = pairs(analysis, settings, &squares, lags(analysis, settings))
        .into_iter()
        .filter_map(|pair| describe(analysis, settings, pair.start_frame as f64, pair.end_frame as f64).ok())
        .collect();
    Ok(FoundLoops {
        candidates,
        ..FoundLoops::default()
    })
}

/// Describes a stretch as a loop, whatever its quality. Errors: [`CutError`].
pub(super) fn describe(
    analysis: &Analysis,
    settings: &SearchSettings,
    start_frame: f64,
    end_frame: f64,
) -> Result<LoopCandidate, CutError> {
    let cut = Cut::new(&analysis.take, start_frame, end_frame)?;
    let pair = SeamPair {
        start_frame: start_frame.round() as usize,
        end_frame: end_frame.round() as usize,
        cost: 0.0,
    };
    if pair.lag() < SHORTEST {
        return Err(CutError::TooShort {
            num_intervals: pair.lag(),
        });
    }
    let is_idle = analysis.is_idle_between(pair.start_frame, pair.end_frame);
    let searched = SearchedTake::new(analysis, &settings.pairing);
    Ok(searched.describe(&pair, cut, None, is_idle))
}

/// Returns the lengths of stretches whose loops have the requested length.
fn lags(analysis: &Analysis, settings: &SearchSettings) -> RangeInclusive<usize> {
    let (take, most) = (&analysis.take, analysis.take.last_frame());
    let is_within = |lag: &usize| {
        let course = Cut::new(take, 0.0, *lag as f64)
            .ok()
            .and_then(|cut| settings.pairing.ping_pong(&cut));
        let secs = course.map(|course| course.num_frames() * take.frame_time_secs());
        // The tolerance keeps requested lengths in spite of rounding.
        secs.is_some_and(|secs| (settings.min_secs - 1e-9..=settings.max_secs + 1e-9).contains(&secs))
    };
    let shortest = (SHORTEST..=most).find(is_within).unwrap_or(usize::MAX);
    let longest = (shortest..=most).take_while(is_within).last().unwrap_or(0);
    shortest..=longest
}

/// Returns distinct pairs of frames, the cheapest first; the whole moving part has no price for its length.
fn pairs(
    analysis: &Analysis,
    settings: &SearchSettings,
    squares: &[f64],
    lags: RangeInclusive<usize>,
) -> Vec<SeamPair> {
    let runs = clean_runs(analysis, settings.within);
    let frames = runs.iter().map(|(first, last)| last + 1 - first).sum::<usize>();
    let totals = runs
        .iter()
        .map(|&(first, last)| squares[first..=last].iter().sum::<f64>());
    let mean = totals.sum::<f64>() / frames.max(1) as f64;
    let longest = runs
        .iter()
        .map(|(first, last)| last - first)
        .max()
        .unwrap_or(0)
        .min(*lags.end());
    // One for every start, because one long stretch must not hide all others.
    let mut best: Vec<SeamPair> = Vec::new();
    for &(first, last) in &runs {
        let sums: Vec<f64> = core::iter::once(0.0)
            .chain(squares[first..=last].iter().scan(0.0, |sum, square| {
                *sum += square;
                Some(*sum)
            }))
            .collect();
        let slow = slow_frames(squares, first, last);
        let most = slow.iter().map(|&start| ends_of(&slow, start, &lags).len()).max();
        let ends = slowest_of_each(&slow, squares, most.unwrap_or(0).div_ceil(MOST_ENDS).max(1));
        for &start in &slow {
            let cheapest = ends_of(&ends, start, &lags)
                .iter()
                .filter_map(|&end| {
                    let own = (sums[end + 1 - first] - sums[start - first]) / (end + 1 - start) as f64;
                    let turns = (squares[start] + squares[end]) / (2.0 * own);
                    let missing = 1.0 - (end - start) as f64 / longest as f64;
                    let cost = turns + LENGTH_PRICE * missing;
                    (own > RESTS_SHARE * mean && own > 0.0).then_some(SeamPair {
                        start_frame: start,
                        end_frame: end,
                        cost,
                    })
                })
                .min_by_key(|pair| ordered(pair.cost));
            best.extend(cheapest);
        }
    }
    best.sort_by_key(|pair| (ordered(pair.cost), pair.start_frame));
    distinct(best, settings.max_candidates.max(1))
}

/// Returns the first `most` pairs that share less than [`OVERLAP_SHARE`] with those before them.
fn distinct(pairs: Vec<SeamPair>, most: usize) -> Vec<SeamPair> {
    let mut distinct: Vec<SeamPair> = Vec::new();
    for pair in pairs {
        if distinct.len() >= most {
            break;
        }
        let is_known = distinct.iter().any(|known| {
            let shared = known
                .end_frame
                .min(pair.end_frame)
                .saturating_sub(known.start_frame.max(pair.start_frame));
            shared as f64 > OVERLAP_SHARE * known.lag().min(pair.lag()) as f64
        });
        if !is_known {
            distinct.push(pair);
        }
    }
    distinct
}

/// Returns per frame the mean over joints of the squared speed in the world, including rotation, per frame.
fn squared_speeds(analysis: &Analysis) -> Vec<f64> {
    let (world, last) = (&analysis.world, analysis.take.last_frame());
    let arm = ARM_METRES * analysis.body.size(&analysis.take);
    let joints = world.num_joints();
    (0..=last)
        .map(|frame| {
            let (before, after) = around(frame, 1, last);
            let frames = (after - before).max(1) as f64;
            let squares = (0..joints).map(|joint| {
                let moved: DVec3 = world.position(after, joint) - world.position(before, joint);
                let turned = rotation::difference(world.rotation(after, joint), world.rotation(before, joint));
                moved.length_squared() + arm * arm * turned.length_squared()
            });
            squares.sum::<f64>() / (joints as f64 * frames * frames)
        })
        .collect()
}

/// Returns first and last frames of reliable runs: without bad frames, jumps, and poses held at the ends of the take.
fn clean_runs(analysis: &Analysis, within: Option<(usize, usize)>) -> Vec<(usize, usize)> {
    let last = analysis.take.last_frame();
    let (first, end) = moving_frames(analysis).unwrap_or((0, last));
    let (from, to) = within.unwrap_or((0, last));
    let (first, end) = (first.max(from), end.min(to));
    let TakeDefects { bad_frames, jumps, .. } = &analysis.defects;
    let mut runs = Vec::new();
    let mut start = None;
    for frame in first..=end {
        let is_bad = bad_frames.binary_search_by_key(&frame, |bad| bad.frame).is_ok();
        // A jump leads from the previous frame.
        if is_bad || jumps.binary_search(&frame).is_ok() {
            runs.extend(start.take().map(|start| (start, frame - 1)));
        }
        if !is_bad {
            start.get_or_insert(frame);
        }
    }
    runs.extend(start.map(|start| (start, end)));
    runs
}

/// Returns those of some ordered frames at which a stretch of these lengths from a start may end.
fn ends_of<'a>(frames: &'a [usize], start: usize, lags: &RangeInclusive<usize>) -> &'a [usize] {
    let [from, to] =
        [*lags.start(), lags.end() + 1].map(|lag| frames.partition_point(|&frame| frame < start.saturating_add(lag)));
    &frames[from..to.max(from)]
}

/// Returns the slowest frame of each group of `count` consecutive frames.
fn slowest_of_each(frames: &[usize], squares: &[f64], count: usize) -> Vec<usize> {
    frames
        .chunks(count)
        .filter_map(|some| some.iter().copied().min_by_key(|&frame| ordered(squares[frame])))
        .collect()
}

/// Returns the frames of a run that are slower than both neighbours, and its ends, in order.
fn slow_frames(squares: &[f64], first: usize, last: usize) -> Vec<usize> {
    (first..=last)
        .filter(|&frame| {
            frame == first
                || frame == last
                || (squares[frame] <= squares[frame - 1] && squares[frame] < squares[frame + 1])
        })
        .collect()
}
