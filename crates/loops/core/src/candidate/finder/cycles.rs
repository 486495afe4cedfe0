//! Finds each cycle of a gait, one after the other, all at the same phase.

use core::iter::successors;

use super::{Finder, MAX_COST_RATIO};
use crate::{
    analysis::Analysis,
    candidate::{CyclesLeftOut, LoopCandidate, SearchSettings},
    math::ordered,
    mirror::Pairing,
};

/// Largest change in length from one cycle to the next.
const REACH_SHARE: f64 = 0.2;

/// Cycles that share more than this with one of a better stretch are left out.
const OVERLAP_SHARE: f64 = 0.25;

/// Returns the cycles of the gaits to which these loops, better ones first, belong, in the order of their frames. Idle loops,
/// half cycles and whole takes are kept as they are.
pub(crate) fn every_cycle(
    analysis: &Analysis,
    settings: &SearchSettings,
    best_of_stretches: Vec<LoopCandidate>,
) -> (Vec<LoopCandidate>, CyclesLeftOut) {
    let features = settings.pairing.features(analysis);
    let finder = Finder::new(analysis, settings, &features);
    let mut cycles: Vec<LoopCandidate> = Vec::new();
    let mut left_out = CyclesLeftOut::default();
    for best in best_of_stretches {
        // Half cycles have no next one at their phase.
        let is_one = best.whole.is_some() || best.is_idle || settings.pairing != Pairing::Same;
        let mut around = if is_one {
            vec![best]
        } else {
            finder.cycles_around(&best, &mut left_out)
        };
        around.retain(|cycle| {
            cycles
                .iter()
                .all(|known| known.shared_frames(cycle) < OVERLAP_SHARE * cycle.num_frames)
        });
        cycles.append(&mut around);
    }
    cycles.sort_by_key(|cycle| ordered(cycle.cut.start_frame()));
    (cycles, left_out)
}

impl Finder<'_> {
    /// Returns the cycles before, in and after a loop that are also loops of an even pace and turn, in the order of their
    /// frames, and counts those that are not.
    ///
    /// Each ends about a period after its start, at the frame whose pose meets both that start and the start of the loop at the
    /// least cost, and the next one starts there. They end if no such frame costs less than a repeat.
    fn cycles_around(&self, best: &LoopCandidate, left_out: &mut CyclesLeftOut) -> Vec<LoopCandidate> {
        let Some(random_cost) = self.random_cost else {
            return Vec::new();
        };
        let wanted = f64::from(self.settings.cycles.unwrap_or(1)) / f64::from(best.cycles.max(1));
        let period = wanted * best.cut.num_frames();
        let lags = ((1.0 - REACH_SHARE) * period).ceil().max(1.0) as usize..=((1.0 + REACH_SHARE) * period) as usize;
        let first = best.cut.start_frame().round() as usize;
        let (from, to) = self.settings.within.unwrap_or((0, usize::MAX));
        let usable = &self.source.analysis.usable;
        let cost = |one: usize, other: usize| self.seams.cost(one.min(other), one.max(other));
        let next = |start: usize, is_later: bool| -> Option<usize> {
            let sign = if is_later { 1 } else { -1 };
            let ends = lags
                .clone()
                .filter_map(|lag| start.checked_add_signed(sign * lag as isize))
                .filter(|&frame| (from..=to).contains(&frame) && usable.get(frame) == Some(&true));
            let end = ends.min_by_key(|&frame| ordered(cost(start, frame) + cost(first, frame)))?;
            (cost(first, end) <= MAX_COST_RATIO * random_cost).then_some(end)
        };
        let mut starts: Vec<usize> = successors(next(first, false), |&start| next(start, false)).collect();
        starts.reverse();
        starts.extend(successors(Some(first), |&start| next(start, true)));
        let mut cycles = Vec::new();
        for ends in starts.windows(2) {
            match self.judge(&self.pair(ends[0], ends[1]), random_cost) {
                Err(_) => left_out.no_repeat += 1,
                Ok(cycle) if !cycle.is_sound() => left_out.unsound += 1,
                Ok(cycle) if !cycle.steadiness_around.is_even() => left_out.uneven += 1,
                Ok(cycle) => cycles.push(cycle),
            }
        }
        cycles
    }
}
