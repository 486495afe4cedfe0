//! One pass over all pairs, with a limit that drops as good pairs are found.

use std::{
    cmp::Ordering,
    ops::Range,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use super::{
    Admission,
    distinct::{BestPairs, Distinct},
};
use crate::candidate::{
    SeamPair,
    bound::{LANES, SeamBounds},
    seams::NO_COST,
};

/// One pass over all pairs.
pub(super) struct Sweep<'a> {
    bounds: &'a SeamBounds<'a>,
    admission: &'a Admission,
    kept: &'a Distinct,
    goal: usize,
    max_cost: f64,
    /// Bits of the lowest limit known to any worker; costs are not negative, so their bits have the same order.
    shared: AtomicU64,
}

impl<'a> Sweep<'a> {
    /// Creates a pass for pairs up to `max_cost` that are not similar to any of `kept`, until `goal` distinct ones are found.
    pub(super) fn new(
        bounds: &'a SeamBounds<'a>,
        admission: &'a Admission,
        kept: &'a Distinct,
        goal: usize,
        max_cost: f64,
    ) -> Self {
        Self {
            bounds,
            admission,
            kept,
            goal,
            max_cost,
            shared: AtomicU64::new(f64::INFINITY.to_bits()),
        }
    }

    /// Sweeps all pairs: returns every one up to some position in the order, in order, except those similar to pairs kept before, and whether
    /// no others exist.
    pub(super) fn run(&self) -> (Vec<SeamPair>, bool) {
        let unlimited = self.no_pairs().limit;
        let starts = self.admission.frames();
        let lists = self.sweep_all(starts.start..starts.end.min(self.num_frames()));
        // The lowest limit of any worker: pairs beyond it may have been skipped.
        let limits = lists.iter().map(|best| best.limit);
        let limit = limits.fold(unlimited, |low, limit| core::cmp::min_by(low, limit, SeamPair::order));
        let mut pairs: Vec<SeamPair> = lists.into_iter().flat_map(|best| best.pairs).collect();
        pairs.retain(|pair| pair.order(&limit) != Ordering::Greater);
        pairs.sort_unstable_by(SeamPair::order);
        (pairs, limit == unlimited)
    }

    fn num_frames(&self) -> usize {
        self.bounds.seams().comparison().num_frames()
    }

    fn no_pairs(&self) -> BestPairs {
        BestPairs::new(self.goal, self.kept.separation(), self.max_cost)
    }

    /// Sweeps the pairs of all starts.
    #[cfg(not(feature = "threads"))]
    fn sweep_all(&self, starts: Range<usize>) -> Vec<BestPairs> {
        vec![self.sweep_share(starts)]
    }

    /// Sweeps the pairs of all starts, a share of them on each processor.
    ///
    /// The result does not depend on which worker finds a pair: the list is merged and truncated afterwards.
    #[cfg(feature = "threads")]
    fn sweep_all(&self, starts: Range<usize>) -> Vec<BestPairs> {
        // Short sweeps end before a thread has started.
        let workers = crate::threads::up_to(starts.len() / 512);
        let mut lists: Vec<Option<BestPairs>> = (0..workers).map(|_| None).collect();
        crate::threads::share_out(workers, lists.iter_mut().enumerate(), |(share, best)| {
            *best = Some(self.sweep_share(starts.clone().skip(share).step_by(workers)));
        });
        lists.into_iter().flatten().collect()
    }

    fn sweep_share(&self, starts: impl Iterator<Item = usize>) -> BestPairs {
        let mut best = self.no_pairs();
        starts.for_each(|start_frame| self.sweep_start(start_frame, &mut best));
        best
    }

    /// Compares a start with all ends, a tile of them at a time.
    fn sweep_start(&self, start_frame: usize, best: &mut BestPairs) {
        // No cost is below zero, and among equal costs the earlier start comes first.
        if best.limit.cost == 0.0 && start_frame > best.limit.start_frame {
            return;
        }
        let comparison = self.bounds.seams().comparison();
        let ends = self.admission.ends_of(start_frame);
        let Some((first, last)) = ends.filter(|(first, _)| *first < self.num_frames()) else {
            return;
        };
        let [first, last] = [first, last.min(self.num_frames() - 1)].map(|frame| comparison.row_met(frame));
        for tile in first / LANES..=last / LANES {
            // Costlier pairs are discarded.
            let max_cost = best.limit.cost.min(f64::from_bits(self.shared.load(Relaxed)));
            let limit = self.bounds.limit(max_cost.max(NO_COST));
            let distances = self.bounds.distances(start_frame, tile, limit).into_iter().flatten();
            for (_, row) in distances.zip(tile * LANES..).filter(|(distance, _)| *distance <= limit) {
                let end_frame = comparison.frame_met(row);
                if let Some(end_frame) = end_frame.filter(|&end_frame| self.admission.admits(start_frame, end_frame)) {
                    self.score_pair(start_frame, end_frame, best);
                }
            }
        }
    }

    /// Scores an admitted pair exactly, if it may be needed.
    fn score_pair(&self, start_frame: usize, end_frame: usize, best: &mut BestPairs) {
        let mut pair = SeamPair {
            start_frame,
            end_frame,
            cost: 0.0,
        };
        // It would rank too late even at cost zero; repeated frames make millions of such pairs.
        if pair.order(&best.limit) == Ordering::Greater || self.kept.has_similar(&pair) {
            return;
        }
        pair.cost = self.bounds.seams().cost(start_frame, end_frame);
        if pair.cost.is_nan() {
            return;
        }
        best.add(pair);
        // A write takes the number away from the other threads.
        if best.limit.cost < f64::from_bits(self.shared.load(Relaxed)) {
            self.shared.fetch_min(best.limit.cost.to_bits(), Relaxed);
        }
    }
}
