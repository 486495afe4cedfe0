//! Each cycle of a gait, one after the other, all from the same phase on.

use core::iter::successors;

use super::{Finder, MAX_COST_RATIO};
use crate::candidate::report::LoopCandidate;

/// A cycle is at most this much longer or shorter than the one before.
const REACH_SHARE: f64 = 0.2;

impl Finder<'_> {
    /// The cycles before, in and after a loop that are loops of an even pace and turn too, in the order of their frames.
    ///
    /// Each ends about a period after its start, at the frame whose pose meets both that start and the start of the loop at the least
    /// cost, and the next one starts there. They end where no such frame costs less than a repeat.
    pub(in crate::candidate) fn cycles_around(&self, best: &LoopCandidate) -> Vec<LoopCandidate> {
        let Some(random_cost) = self.random_cost else {
            return Vec::new();
        };
        let wanted = f64::from(self.settings.cycles.unwrap_or(1)) / f64::from(best.cycles.max(1));
        let period = wanted * best.cut.num_frames();
        let lags = ((1.0 - REACH_SHARE) * period).ceil().max(1.0) as usize..=((1.0 + REACH_SHARE) * period) as usize;
        let first = best.cut.start_frame().round() as usize;
        let (from, to) = self.settings.within.unwrap_or((0, usize::MAX));
        let usable = &self.source.analysis.usable;
        let is_admitted = |&frame: &usize| (from..=to).contains(&frame) && usable.get(frame) == Some(&true);
        let cost = |one: usize, other: usize| self.seams.cost(one.min(other), one.max(other));
        let next = |start: usize, is_later: bool| -> Option<usize> {
            let away = |lag: usize| match is_later {
                true => start.checked_add(lag),
                false => start.checked_sub(lag),
            };
            let ends = lags.clone().filter_map(away).filter(is_admitted);
            let dear = |&frame: &usize| cost(start, frame) + cost(first, frame);
            let end = ends.min_by(|one, other| dear(one).total_cmp(&dear(other)))?;
            (cost(first, end) <= MAX_COST_RATIO * random_cost).then_some(end)
        };
        let mut starts: Vec<usize> = successors(next(first, false), |&start| next(start, false)).collect();
        starts.reverse();
        starts.extend(successors(Some(first), |&start| next(start, true)));
        let cycle = |ends: &[usize]| self.judge(&self.pair(ends[0], ends[1]), random_cost).ok();
        let passes = |cycle: &LoopCandidate| cycle.is_sound() && cycle.steadiness_around.is_even();
        starts.windows(2).filter_map(cycle).filter(passes).collect()
    }
}
