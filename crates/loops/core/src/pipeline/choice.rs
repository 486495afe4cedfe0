//! Chooses the recommended loop: the one with the best result, not the one with the cheapest seam.
//!
//! The cost of a seam is exact, but within one take it says little about the finished loop. So the loops of the list are closed,
//! and ranked by the visible result. Parts, units and their derivation: docs/math/choice.md.

use core::cmp::Ordering;

use super::{ClosedStretch, LoopSettings, MadeLoop, Plan, auto::bend};
use crate::{
    analysis::{Analysis, MOVING_MPS},
    candidate::{
        Choosing, FoundLoops, FoundStretches, LoopCandidate, MotionKind, Outcome, OutcomePart, Proposed, SearchError,
        SearchSettings, every_cycle, propose_loops, propose_stretches,
    },
    loop_clip::LoopKeys,
    math::{greatest, ops, ordered, percentile},
    quality,
};

/// Number of loops to choose from, whatever the requested number, so that fewer are the first of more.
const LISTED: usize = 60;

/// Most loops that are closed, the most promising ones by the take alone; fewer if the others are sure to lose.
const CLOSED: usize = 10;

/// Second differences of a knee that is as good as still, metres.
const STILL_METRES: f64 = 1e-4;

/// Most loops that are made in full, with their feet held.
const MADE_IN_FULL: usize = 3;

/// Least increase of a score by making a loop in full: once the best is ahead by this much, fewer are made.
const LEAST_IN_FULL: f64 = 0.4;

impl Analysis {
    /// Finds distinct loops.
    ///
    /// If the whole take already loops ([`Self::whole_loop`]), it comes first and is kept whole; if nothing that moves repeats
    /// and the take is one cycle ([`Self::whole_cycle`]), that comes first.
    ///
    /// Other candidates repeat around their seam (similarity and rhythm of the frames around it, not of two poses alone), cost
    /// less than [`crate::candidate::MAX_COST_RATIO`] of the cost of random pairs, and move; idle stretches are proposed only if
    /// nothing else repeats. They are sorted by their outcome ([`crate::candidate::Outcome::score`]), sound ones first
    /// ([`LoopCandidate::is_sound`]); for half cycles, and with [`crate::candidate::ChooseBy::Cost`], the first is the sound one with
    /// the fewest cycles whose cost is within a quarter of the lowest of any length, and the others follow by cost. Errors:
    /// [`SearchError`]: the take is too short or still, no frame of it is clean, or the bounds are not in order.
    pub fn find_loops(&self, settings: &SearchSettings) -> Result<FoundLoops, SearchError> {
        let listing = listing_enough(settings);
        let choosing = Choosing::new(self, &listing);
        let Proposed { whole, mut found } = propose_loops(&choosing)?;
        let ranked = ranked(choosing.analysis(), found.candidates, settings);
        let wanted = settings.max_candidates.max(1) - usize::from(whole.is_some());
        found.candidates = whole
            .into_iter()
            .chain(choosing.in_own_frames(ranked, wanted))
            .collect();
        found.nearest_miss = found.nearest_miss.map(|miss| choosing.own_miss(miss));
        Ok(found)
    }

    /// Finds loops like [`Self::find_loops`], and returns the recommended loop if it was made to choose it: as
    /// [`Self::make_loop`] makes it with default settings. [`crate::pipeline::Retry`] accepts it, so that it is not made twice. Errors: as
    /// [`Self::find_loops`].
    pub fn find_and_make(&self, settings: &SearchSettings) -> Result<(FoundLoops, Option<MadeLoop>), SearchError> {
        let mut found = self.find_loops(settings)?;
        let best = found
            .candidates
            .first_mut()
            .filter(|best| settings.ranks_by_outcome() && !best.keeps_its_place());
        let made = best.and_then(|best| {
            let mut made = made_in_full(self, best, closed(self, best)?)?;
            best.quality = Some(Box::new(made.measured()));
            made.candidate = best.clone();
            Some(made)
        });
        Ok((found, made))
    }

    /// Finds the stretches that repeat, each with its best loop.
    ///
    /// The first row is the first loop of [`Self::find_loops`], which takes less time if no other is needed. There are at most
    /// [`SearchSettings::max_candidates`] rows; asking for fewer returns the first ones. A whole take that loops is a row of its
    /// own. Errors: as [`Self::find_loops`].
    pub fn find_stretches(&self, settings: &SearchSettings) -> Result<FoundStretches, SearchError> {
        let listing = listing_enough(settings);
        let choosing = Choosing::new(self, &listing);
        stretches(&choosing, settings)
    }

    /// Finds each cycle of the gaits in the take, in the order of their frames: around the best loop of every stretch, the
    /// cycles before and after it that are loops of an even pace and turn, too, at the same phase.
    ///
    /// Idle stretches, half cycles and a whole take that loops give one loop each. Outcomes are not computed. Errors: as
    /// [`Self::find_loops`].
    pub fn find_cycles(&self, settings: &SearchSettings) -> Result<FoundLoops, SearchError> {
        let listing = listing_enough(settings);
        let choosing = Choosing::new(self, &listing);
        let found = stretches(&choosing, settings)?;
        let best: Vec<LoopCandidate> = found.rows.into_iter().map(|row| row.best).collect();
        let (cycles, left_out) = every_cycle(
            choosing.analysis(),
            choosing.settings(),
            best.iter().map(|best| choosing.in_chosen_frames(best)).collect(),
        );
        let (whole, cycles): (Vec<_>, Vec<_>) = cycles.into_iter().partition(|each| each.whole.is_some());
        let mut candidates = choosing.in_own_frames(cycles, usize::MAX);
        candidates.extend(best.into_iter().filter(|best| best.whole.is_some()).take(whole.len()));
        candidates.sort_by_key(|each| ordered(each.cut.start_frame()));
        Ok(FoundLoops {
            candidates,
            random_cost: found.random_cost,
            nearest_miss: found.nearest_miss,
            left_out: Some(left_out),
        })
    }
}

fn stretches(choosing: &Choosing, settings: &SearchSettings) -> Result<FoundStretches, SearchError> {
    propose_stretches(choosing, settings.max_candidates.max(1), &|candidates| {
        ranked(choosing.analysis(), candidates, settings)
    })
}

/// Returns candidates in the order of recommendation. A whole take and idle loops keep their position.
fn ranked(analysis: &Analysis, candidates: Vec<LoopCandidate>, settings: &SearchSettings) -> Vec<LoopCandidate> {
    if !settings.ranks_by_outcome() {
        return candidates;
    }
    let (mut ranked, mut first): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|each| !each.keeps_its_place());
    // The fewest cycles in the list count as one.
    let fewest = ranked.iter().map(|each| each.cycles).min().unwrap_or(1);
    let mut speeds = UsualSpeeds {
        analysis,
        known: Vec::new(),
    };
    for candidate in &mut ranked {
        candidate.outcome = Some(outcome_of_take(&mut speeds, candidate, fewest));
    }
    ranked.sort_by(by_soundness_and_score);
    // The best of those that are closed are made in full next.
    let mut best_closed: Vec<(LoopCandidate, ClosedStretch)> = Vec::new();
    work_out(&mut ranked, [CLOSED, MADE_IN_FULL], 0.0, |candidate| {
        if let Some(closed) = add_outcome_of_closing(analysis, candidate) {
            best_closed.push((candidate.clone(), closed));
            best_closed.sort_by(|(one, _), (other, _)| by_soundness_and_score(one, other));
            best_closed.truncate(MADE_IN_FULL);
        }
    });
    work_out(&mut ranked, [MADE_IN_FULL, 1], LEAST_IN_FULL, |candidate| {
        let closed = match best_closed.iter().position(|(best, _)| best.cut == candidate.cut) {
            Some(index) => Some(best_closed.swap_remove(index).1),
            None => closed(analysis, candidate),
        };
        if let Some(closed) = closed {
            add_outcome_in_full(analysis, candidate, closed);
        }
    });
    if let Some((best, others)) = ranked.split_first_mut()
        && let Some(outcome) = &mut best.outcome
    {
        outcome.fewer_cycles_lose_by = fewer_cycles_lose_by(outcome, others.iter().filter_map(|other| other.outcome));
    }
    first.append(&mut ranked);
    first
}

/// Returns the parts of the outcome that the take alone shows.
fn outcome_of_take(speeds: &mut UsualSpeeds, candidate: &LoopCandidate, fewest_cycles: u32) -> Outcome {
    let steady = candidate.steadiness_around;
    Outcome {
        cost_ratio: candidate.cost_ratio.unwrap_or(0.0),
        speed_drift: steady.pace_change.map(|change| change.likely()),
        turn_drift_radians: steady.turn_change_radians,
        turn_in_third: steady.turn_in_third,
        veer_radians: steady.veer_radians,
        pace_off: speeds.pace_off(candidate),
        abruptness: candidate.abruptness,
        extra_cycles: candidate.cycles.saturating_sub(fewest_cycles),
        ..Outcome::default()
    }
}

/// The usual speeds of the gaits of a take, computed on demand.
struct UsualSpeeds<'a> {
    analysis: &'a Analysis,
    known: Vec<(MotionKind, f64)>,
}

impl UsualSpeeds<'_> {
    /// Returns the median speed over the ground of all frames of this gait, metres per second; a curve belongs to the same gait.
    fn of(&mut self, gait: MotionKind) -> f64 {
        if let Some((_, speed)) = self.known.iter().find(|(known, _)| *known == gait) {
            return *speed;
        }
        let frames = self
            .analysis
            .segments
            .iter()
            .filter(|segment| segment.gait.kind.straight() == gait)
            .flat_map(|segment| segment.start_frame..=segment.end_frame);
        let speed = percentile::of(frames.map(|frame| self.analysis.ground_mps(frame)), 0.5);
        self.known.push((gait, speed));
        speed
    }

    /// Returns the difference of a candidate's speed from the usual one of its gait, as a share; `None` in place.
    fn pace_off(&mut self, candidate: &LoopCandidate) -> Option<f64> {
        let speed = ops::over_ground(candidate.twist.linear);
        if speed < MOVING_MPS {
            return None;
        }
        let usual = self.of(self.analysis.segment_of(candidate)?.gait.kind.straight());
        (usual > 0.0).then(|| (speed - usual).abs() / usual)
    }
}

/// Returns the stretch closed with default settings; `None` if that fails.
fn closed(analysis: &Analysis, candidate: &LoopCandidate) -> Option<ClosedStretch> {
    let plan = Plan {
        analysis,
        candidate,
        settings: &LoopSettings::default(),
    };
    Some(plan.close(plan.prepare().ok()?).ok()?.0)
}

/// Adds the parts of the outcome that closing shows; returns the closed stretch. A stretch that cannot be closed has no outcome.
fn add_outcome_of_closing(analysis: &Analysis, candidate: &mut LoopCandidate) -> Option<ClosedStretch> {
    let closed = closed(analysis, candidate);
    candidate.outcome = candidate.outcome.zip(closed.as_ref()).map(|(outcome, closed)| {
        let metres = quality::displacement_of(&closed.loop_clip, &analysis.body, &closed.source);
        Outcome {
            displacement_metres: Some(metres / analysis.body.size(&analysis.take)),
            ..outcome
        }
    });
    closed
}

/// Returns the loop of a closed stretch with default settings; `None` if it cannot be made.
fn made_in_full(analysis: &Analysis, candidate: &LoopCandidate, closed: ClosedStretch) -> Option<MadeLoop> {
    // Loops of mirrored halves are not ranked by their outcome, so there is no image.
    Plan {
        analysis,
        candidate,
        settings: &LoopSettings::default(),
    }
    .make(closed, None)
    .ok()
}

/// Adds the parts that only the finished loop shows.
fn add_outcome_in_full(analysis: &Analysis, candidate: &mut LoopCandidate, closed: ClosedStretch) {
    let made = made_in_full(analysis, candidate, closed);
    if let Some((made, outcome)) = made.zip(candidate.outcome.as_mut()) {
        let size = analysis.body.size(&analysis.take);
        let figures = quality::of_choice(&LoopKeys::from_loop(&made.loop_clip), &made.body, &made.source);
        outcome.foot_slide_mps = Some(figures.foot_slide_mps.unwrap_or(0.0) / size);
        outcome.knee_ratio = Some(sharpest_knee(&made));
        outcome.foot_height_metres = Some(figures.foot_height.map_or(0.0, |height| height.metres.abs()) / size);
        outcome.kink_ratio = figures.kink.map(|kink| kink.ratio);
    }
}

/// Compares loops, even of different parts of a take, by recommendation: sound ones first, of these the even ones, of these the
/// best. Less is better; loops without a known outcome come last.
pub fn by_recommendation(one: &LoopCandidate, other: &LoopCandidate) -> Ordering {
    by_recommendation_if_worse_by(0.0, one, other)
}

/// Returns the same order as if the score of the second were worse by `added`.
fn by_recommendation_if_worse_by(added: f64, one: &LoopCandidate, other: &LoopCandidate) -> Ordering {
    // Copied cycles differ only by rounding, which changes when the take is rotated.
    let score = |each: &LoopCandidate, added: f64| {
        each.outcome
            .map_or(f64::INFINITY, |outcome| (1e6 * (outcome.score() + added)).round())
    };
    let [one_even, other_even] = [one, other].map(|each| each.steadiness_around.regularity());
    other
        .is_sound()
        .cmp(&one.is_sound())
        .then(one_even.cmp(&other_even))
        .then(score(one, 0.0).total_cmp(&score(other, added)))
}

/// Returns the order of [`by_recommendation`], and of equals the earliest first.
fn by_soundness_and_score(one: &LoopCandidate, other: &LoopCandidate) -> Ordering {
    by_recommendation(one, other).then(one.cut.start_frame().total_cmp(&other.cut.start_frame()))
}

/// Adds parts to the first `most` of a sorted list and sorts these again, until the first `wanted` of them are final.
///
/// Added parts raise a score by `least` or more, so a candidate that ranks lower even with that ranks lower with them.
fn work_out(
    ranked: &mut [LoopCandidate],
    [most, wanted]: [usize; 2],
    least: f64,
    mut add: impl FnMut(&mut LoopCandidate),
) {
    for index in 0..ranked.len().min(most) {
        let is_sure = |last: &LoopCandidate, next: &LoopCandidate| {
            by_recommendation_if_worse_by(least, last, next)
                .then(last.cut.start_frame().total_cmp(&next.cut.start_frame()))
                .is_le()
        };
        if index >= wanted && is_sure(&ranked[wanted - 1], &ranked[index]) {
            return;
        }
        add(&mut ranked[index]);
        ranked[..=index].sort_by(by_soundness_and_score);
    }
}

/// Finds the part at which the best loop of fewer cycles loses against the recommended one; `others` are the outcomes after it.
fn fewer_cycles_lose_by(best: &Outcome, mut others: impl Iterator<Item = Outcome>) -> Option<OutcomePart> {
    others
        .find(|other| other.extra_cycles < best.extra_cycles)?
        .worst_against(best)
}

/// Returns the settings with a list that is long enough to choose from.
fn listing_enough(settings: &SearchSettings) -> SearchSettings {
    SearchSettings {
        max_candidates: settings
            .max_candidates
            .max(if settings.ranks_by_outcome() { LISTED } else { 1 }),
        ..settings.clone()
    }
}

/// Returns the largest second difference of a knee over its own in the uncut stretch, with two more frames at each end if the
/// take has them.
fn sharpest_knee(made: &MadeLoop) -> f64 {
    let clip = &made.source.clip;
    let (uncut, closed) = (clip.world_tracks(), made.loop_clip.tracks_from_root());
    let first = clip.sample_range().start().unsigned_abs();
    let count = made.loop_clip.num_samples();
    let knees = made
        .body
        .feet
        .iter()
        .filter_map(|foot| made.loop_clip.skeleton().parent(foot.ankle))
        .filter(|&knee| knee != made.body.hips);
    greatest(knees.map(|knee| {
        let own = (first.saturating_sub(2).max(1)..(first + count + 3).min(uncut.num_frames() - 1))
            .map(|frame| bend(&uncut, [frame - 1, frame, frame + 1], knee));
        let of_loop = (0..count).map(|sample| {
            let around = [sample + count - 1, sample, sample + 1].map(|sample| sample % count);
            bend(&closed, around, knee)
        });
        greatest(of_loop) / own.fold(STILL_METRES, f64::max)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_cycles_are_recommended_for_what_fewer_lose_by() {
        let outcome = |extra_cycles: u32, metres: f64| Outcome {
            extra_cycles,
            displacement_metres: Some(metres),
            ..Outcome::default()
        };
        let best = outcome(1, 0.001);
        let others = [outcome(1, 0.03), outcome(0, 0.02)];
        assert_eq!(
            fewer_cycles_lose_by(&best, others.into_iter()),
            Some(OutcomePart::Displacement)
        );
        assert_eq!(fewer_cycles_lose_by(&best, others[..1].iter().copied()), None);
        assert_eq!(fewer_cycles_lose_by(&outcome(0, 0.001), others.into_iter()), None);
    }
}
