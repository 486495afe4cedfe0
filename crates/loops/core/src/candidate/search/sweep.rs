//! One pass over all pairs: compares blocks, then single pairs, with a limit that drops as good pairs are found.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use super::Admission;
use super::distinct::{BestPairs, Distinct};
use crate::candidate::bound::{LANES, ROWS, SeamBounds};
use crate::candidate::{SeamPair, seams::NO_COST};

/// One pass over all pairs.
pub(super) struct Sweep<'a> {
    bounds: &'a SeamBounds<'a>,
    admission: &'a Admission,
    kept: &'a Distinct,
    goal: usize,
    max_cost: f64,
    /// First and last row that ends any pair starting in a tile of rows.
    ends: Vec<Option<(usize, usize)>>,
    /// Bits of the lowest limit known to any worker; costs are not negative, so their bits have the same order.
    shared: AtomicU64,
}

/// Number of start frames swept together: four runs.
const PANEL: usize = ROWS * LANES;

impl<'a> Sweep<'a> {
    /// Creates a pass for pairs up to `max_cost` that are not similar to any of `kept`, until `goal` distinct ones are found.
    pub(super) fn new(
        bounds: &'a SeamBounds<'a>,
        admission: &'a Admission,
        kept: &'a Distinct,
        goal: usize,
        max_cost: f64,
    ) -> Self {
        let comparison = bounds.seams().comparison();
        let num_frames = comparison.num_frames();
        let mut ends = vec![None; bounds.num_rows().div_ceil(LANES)];
        let starts = admission.frames();
        for tile in starts.start / LANES..starts.end.min(num_frames).div_ceil(LANES) {
            ends[tile] = (tile * LANES..((tile + 1) * LANES).min(num_frames))
                .filter_map(|start| admission.ends_of(start))
                .filter(|&(first, _)| first < num_frames)
                .map(|(first, last)| (first, last.min(num_frames - 1)))
                .map(|(first, last)| (comparison.row_met(first), comparison.row_met(last)))
                .reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
        }
        Self {
            bounds,
            admission,
            kept,
            goal,
            max_cost,
            ends,
            shared: AtomicU64::new(f64::INFINITY.to_bits()),
        }
    }

    /// Sweeps all pairs: returns every one up to some position in the order, in order, except those similar to pairs kept before, and whether
    /// no others exist.
    pub(super) fn run(&self) -> (Vec<SeamPair>, bool) {
        let num_panels = self.bounds.num_rows().div_ceil(PANEL);
        let unlimited = self.no_pairs().limit;
        let lists = self.sweep_panels(num_panels);
        // The lowest limit of any worker: pairs beyond it may have been skipped.
        let limits = lists.iter().map(|best| best.limit);
        let limit = limits.fold(unlimited, |low, limit| core::cmp::min_by(low, limit, SeamPair::order));
        let mut pairs: Vec<SeamPair> = lists.into_iter().flat_map(|best| best.pairs).collect();
        pairs.retain(|pair| pair.order(&limit) != Ordering::Greater);
        pairs.sort_unstable_by(SeamPair::order);
        (pairs, limit == unlimited)
    }

    fn no_pairs(&self) -> BestPairs {
        BestPairs::new(self.goal, self.kept.separation(), self.max_cost)
    }

    /// Sweeps all panels.
    #[cfg(not(feature = "threads"))]
    fn sweep_panels(&self, num_panels: usize) -> Vec<BestPairs> {
        vec![self.sweep_share(0..num_panels)]
    }

    /// Sweeps all panels, a share of them on each processor.
    ///
    /// The result does not depend on which worker finds a pair: the list is merged and truncated afterwards.
    #[cfg(feature = "threads")]
    fn sweep_panels(&self, num_panels: usize) -> Vec<BestPairs> {
        // Short sweeps end before a thread has started.
        let workers = crate::threads::up_to(num_panels / 8);
        let mut lists: Vec<Option<BestPairs>> = (0..workers).map(|_| None).collect();
        crate::threads::share_out(workers, lists.iter_mut().enumerate(), |(share, best)| {
            *best = Some(self.sweep_share((share..num_panels).step_by(workers)));
        });
        lists.into_iter().flatten().collect()
    }

    fn sweep_share(&self, panels: impl Iterator<Item = usize>) -> BestPairs {
        let mut best = self.no_pairs();
        panels.for_each(|panel| self.sweep_panel(panel, &mut best));
        best
    }

    /// Returns the highest cost that a pair found now may have; costlier pairs are discarded.
    fn max_cost(&self, best: &BestPairs) -> f64 {
        let shared = f64::from_bits(self.shared.load(Relaxed));
        best.limit.cost.min(shared).max(NO_COST)
    }

    /// Returns the tiles of a panel.
    fn tiles(&self, panel: usize) -> Range<usize> {
        panel * ROWS..((panel + 1) * ROWS).min(self.ends.len())
    }

    /// Returns the tiles of runs in which pairs that start in a panel end.
    fn far_tiles(&self, panel: usize) -> Range<usize> {
        const RUNS_TILE: usize = LANES * LANES;
        let ends = self.tiles(panel).filter_map(|tile| self.ends[tile]);
        let span = ends.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
        span.map_or(0..0, |(first, last)| first / RUNS_TILE..last / RUNS_TILE + 1)
    }

    /// Returns the tiles of rows in which pairs that start in a tile end.
    fn end_tiles(&self, tile: usize) -> Range<usize> {
        self.ends[tile].map_or(0..0, |(first, last)| first / LANES..last / LANES + 1)
    }

    /// Returns the last frame of an admitted pair of rows.
    fn admitted(&self, start_row: usize, end_row: usize) -> Option<usize> {
        let end_frame = self.bounds.seams().comparison().frame_met(end_row)?;
        (self.admission.admits(start_row, end_frame)).then_some(end_frame)
    }

    /// Returns the stored distance of the costliest pair that is still kept.
    fn limit(&self, best: &BestPairs) -> f32 {
        self.bounds.limit(self.max_cost(best))
    }

    /// Compares the runs of a panel of starts with those of all ends.
    fn sweep_panel(&self, panel: usize, best: &mut BestPairs) {
        // No cost is below zero, and among equal costs the earlier start comes first.
        if best.limit.cost == 0.0 && panel * PANEL > best.limit.start_frame {
            return;
        }
        for far in self.far_tiles(panel) {
            let Some(gaps) = self.bounds.runs(panel, far, self.limit(best)) else {
                continue;
            };
            for (tile, gaps) in self.tiles(panel).zip(gaps) {
                let end_tiles = self.end_tiles(tile);
                for (gap, end_tile) in gaps.into_iter().zip(far * LANES..) {
                    if end_tiles.contains(&end_tile) && gap <= self.limit(best) {
                        self.sweep_tiles(tile, end_tile, best);
                    }
                }
            }
        }
    }

    /// Compares the frames of two tiles.
    fn sweep_tiles(&self, tile: usize, end_tile: usize, best: &mut BestPairs) {
        for block in 0..LANES / ROWS {
            let limit = self.limit(best);
            let distances = self.bounds.frames(tile, block, end_tile, limit);
            for (distances, start_frame) in distances.into_iter().flatten().zip(tile * LANES + block * ROWS..) {
                for (distance, end_row) in distances.into_iter().zip(end_tile * LANES..) {
                    if distance <= limit
                        && let Some(end_frame) = self.admitted(start_frame, end_row)
                    {
                        self.score_pair(start_frame, end_frame, best);
                    }
                }
            }
        }
    }

    /// Scores an admitted pair exactly, if it may be needed.
    fn score_pair(&self, start_frame: usize, end_frame: usize, best: &mut BestPairs) {
        let max_cost = self.max_cost(best);
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
        if pair.cost <= max_cost {
            best.add(pair);
            if best.limit.cost < max_cost {
                self.shared.fetch_min(best.limit.cost.to_bits(), Relaxed);
            }
        }
    }
}
