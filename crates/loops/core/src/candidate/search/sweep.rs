//! One pass over all pairs: compares blocks, then single pairs, with a limit that drops as good pairs are found.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use super::Admission;
use super::distinct::{BestPairs, Distinct};
use crate::candidate::bound::{EarlyExit, LANES, LONG_RUN, ROWS, RunLength, SeamBounds, Squares};
use crate::candidate::{SeamPair, seams::NO_COST};
use crate::math::ordered;

/// Result of a sweep: every pair up to some position in the order, in order, except those similar to pairs kept before.
pub(super) struct Swept {
    pub(super) pairs: Vec<SeamPair>,
    /// Whether no other pairs exist.
    pub(super) is_complete: bool,
}

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

/// Number of start frames swept together: four long runs.
const PANEL: usize = ROWS * LONG_RUN;

/// One of this many panels measures whether short runs save time; the others follow its result.
const PROBE_EVERY: usize = 16;

/// Share of blocks passed by short runs above which comparing them costs more than it saves.
const MAX_SHORT_SHARE: f64 = 0.85;

/// State that a worker keeps between blocks: statistics of short runs, and room for distances.
struct Work {
    uses_short_runs: bool,
    tried: usize,
    passed: usize,
    squares: Squares,
}

/// A pair of frames and the distance that bounds its cost.
struct Nearest {
    distance: f32,
    start_frame: usize,
    end_frame: usize,
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

    /// Sweeps all pairs.
    pub(super) fn run(&self) -> Swept {
        let num_panels = self.bounds.num_rows().div_ceil(PANEL);
        let unlimited = self.no_pairs().limit;
        // Only the limit of the seeds is kept: the sweep reaches these pairs again.
        let seeds = self.seed();
        let lists = self.sweep_panels(num_panels, seeds.limit);
        // The lowest limit of any worker: pairs beyond it may have been skipped.
        let limits = lists.iter().map(|best| best.limit);
        let limit = limits.fold(seeds.limit, |low, limit| core::cmp::min_by(low, limit, SeamPair::order));
        let mut pairs: Vec<SeamPair> = lists.into_iter().flat_map(|best| best.pairs).collect();
        pairs.retain(|pair| pair.order(&limit) != Ordering::Greater);
        pairs.sort_unstable_by(SeamPair::order);
        Swept {
            pairs,
            is_complete: limit == unlimited,
        }
    }

    fn no_pairs(&self) -> BestPairs {
        BestPairs::new(self.goal, self.kept.separation(), self.max_cost)
    }

    /// Sweeps all panels, starting from a limit.
    #[cfg(not(feature = "threads"))]
    fn sweep_panels(&self, num_panels: usize, limit: SeamPair) -> Vec<BestPairs> {
        vec![self.sweep_share(0..num_panels, limit)]
    }

    /// Sweeps all panels, starting from a limit, a share of them on each processor.
    ///
    /// The result does not depend on which worker finds a pair: the list is merged and truncated afterwards.
    #[cfg(feature = "threads")]
    fn sweep_panels(&self, num_panels: usize, limit: SeamPair) -> Vec<BestPairs> {
        // Short sweeps end before a thread has started.
        let workers = crate::threads::up_to(num_panels / 8);
        let mut lists: Vec<Option<BestPairs>> = (0..workers).map(|_| None).collect();
        crate::threads::share_out(workers, lists.iter_mut().enumerate(), |(share, best)| {
            *best = Some(self.sweep_share((share..num_panels).step_by(workers), limit));
        });
        lists.into_iter().flatten().collect()
    }

    fn sweep_share(&self, panels: impl Iterator<Item = usize>, limit: SeamPair) -> BestPairs {
        let mut best = self.no_pairs();
        best.limit = limit;
        let mut work = Work {
            uses_short_runs: true,
            tried: 0,
            passed: 0,
            squares: [[[0.0; LANES]; LANES]; ROWS],
        };
        for (index, panel) in panels.enumerate() {
            if index % PROBE_EVERY == 0 {
                (work.tried, work.passed) = (0, 0);
                work.uses_short_runs = true;
            }
            self.sweep_panel(panel, &mut work, &mut best);
            if index % PROBE_EVERY == 0 {
                work.uses_short_runs = work.passed as f64 <= MAX_SHORT_SHARE * work.tried as f64;
            }
        }
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

    /// Returns the tiles of long runs in which pairs that start in a panel end.
    fn far_tiles(&self, panel: usize) -> Range<usize> {
        const RUNS_TILE: usize = LONG_RUN * LANES;
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

    /// Compares the long runs of a panel of starts with those of all ends.
    fn sweep_panel(&self, panel: usize, work: &mut Work, best: &mut BestPairs) {
        // No cost is below zero, and among equal costs the earlier start comes first.
        if best.limit.cost == 0.0 && panel * PANEL > best.limit.start_frame {
            return;
        }
        let tiles = self.tiles(panel);
        for far in self.far_tiles(panel) {
            let limit = self.bounds.limit(self.max_cost(best));
            let Some(gaps) = self.bounds.runs(RunLength::Long, panel * ROWS, far, limit) else {
                continue;
            };
            // Groups of as many end frames as a tile of short runs covers.
            for group in 0..LANES / ROWS {
                let lanes = group * ROWS..(group + 1) * ROWS;
                for tile in tiles.clone() {
                    let end_tiles = self.end_tiles(tile);
                    let mut passed = 0_u32;
                    for lane in lanes.clone() {
                        let passes =
                            gaps[tile - tiles.start][lane] <= limit && end_tiles.contains(&(far * LANES + lane));
                        passed |= u32::from(passes) << (lane - lanes.start);
                    }
                    if passed != 0 {
                        self.sweep_group(tile, far * LANES + lanes.start, passed, work, best);
                    }
                }
            }
        }
    }

    /// Compares the short runs of one tile of starts with the `passed` ones of four tiles of ends, and then the frames in the
    /// remaining blocks.
    fn sweep_group(&self, tile: usize, end_tile: usize, passed: u32, work: &mut Work, best: &mut BestPairs) {
        let limit = self.bounds.limit(self.max_cost(best));
        let mut wanted = 0;
        if work.uses_short_runs {
            work.tried += ROWS * passed.count_ones() as usize;
            let Some(gaps) = self.bounds.runs(RunLength::Short, tile * ROWS, end_tile / ROWS, limit) else {
                return;
            };
            for (row, gaps) in gaps.iter().enumerate() {
                // Four short runs of ends make a tile.
                for (column, gaps) in gaps.chunks(LANES / ROWS).enumerate() {
                    let any = gaps.iter().any(|&gap| gap <= limit) && passed >> column & 1 == 1;
                    wanted |= u32::from(any) << (column * ROWS + row);
                }
            }
            work.passed += wanted.count_ones() as usize;
        } else {
            for column in 0..ROWS {
                wanted |= (((passed >> column) & 1) * 0b1111) << (column * ROWS);
            }
        }
        if wanted == 0 {
            return;
        }
        // If the boxes of short runs exclude little, single frames differ in every dimension or in none.
        let early_exit = if work.uses_short_runs {
            EarlyExit::On
        } else {
            EarlyExit::Off
        };
        let passed = (self.bounds).frames(tile, end_tile, wanted, limit, early_exit, &mut work.squares);
        for bit in (0..LANES).filter(|bit| passed >> bit & 1 == 1) {
            let (column, row) = (bit / ROWS, bit % ROWS * ROWS);
            for (row, distances) in (row..).zip(&work.squares[column][row..row + ROWS]) {
                for (lane, &distance) in distances.iter().enumerate() {
                    let start_frame = tile * LANES + row;
                    if distance <= limit
                        && let Some(end_frame) = self.admitted(start_frame, (end_tile + column) * LANES + lane)
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
        if pair.order(&best.limit) == Ordering::Greater
            || !self.bounds.seams().bound_is_within(start_frame, end_frame, max_cost)
            || self.kept.has_similar(&pair)
        {
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

    /// Finds some good pairs before the sweep, to start with a limit: for every long run, the nearest other run.
    fn seed(&self) -> BestPairs {
        let mut squares: Squares = [[[0.0; LANES]; LANES]; ROWS];
        let mut seeds: Vec<Nearest> = (0..self.ends.len().div_ceil(ROWS))
            .flat_map(|panel| self.nearest_runs(panel))
            .filter_map(|(tile, end_tile)| self.nearest_frames(tile, end_tile, &mut squares))
            .collect();
        seeds.sort_by_key(|seed| ordered(f64::from(seed.distance)));
        let mut best = self.no_pairs();
        for seed in seeds {
            self.score_pair(seed.start_frame, seed.end_frame, &mut best);
        }
        best.tighten();
        best
    }

    /// For every tile of a panel, the tile of ends with the nearest box.
    fn nearest_runs(&self, panel: usize) -> impl Iterator<Item = (usize, usize)> {
        let tiles = self.tiles(panel);
        let mut nearest = [(f32::INFINITY, 0); ROWS];
        for far in self.far_tiles(panel) {
            let farthest = nearest.iter().fold(0.0, |far: f32, &(gap, _)| far.max(gap));
            let Some(gaps) = self.bounds.runs(RunLength::Long, panel * ROWS, far, farthest) else {
                continue;
            };
            for tile in tiles.clone() {
                let nearest = &mut nearest[tile - tiles.start];
                let end_tiles = self.end_tiles(tile);
                for end_tile in end_tiles.start.max(far * LANES)..end_tiles.end.min((far + 1) * LANES) {
                    let gap = gaps[tile - tiles.start][end_tile - far * LANES];
                    if gap < nearest.0 {
                        *nearest = (gap, end_tile);
                    }
                }
            }
        }
        (tiles.zip(nearest)).filter_map(|(tile, (gap, end_tile))| gap.is_finite().then_some((tile, end_tile)))
    }

    /// Returns the nearest admitted pair of frames of two tiles.
    fn nearest_frames(&self, tile: usize, end_tile: usize, squares: &mut Squares) -> Option<Nearest> {
        self.bounds
            .frames(tile, end_tile, 0b1111, f32::MAX, EarlyExit::Off, squares);
        let mut nearest: Option<Nearest> = None;
        for (row, distances) in squares[0].iter().enumerate() {
            for (lane, &distance) in distances.iter().enumerate() {
                let start_frame = tile * LANES + row;
                if distance < nearest.as_ref().map_or(f32::INFINITY, |nearest| nearest.distance)
                    && let Some(end_frame) = self.admitted(start_frame, end_tile * LANES + lane)
                {
                    nearest = Some(Nearest {
                        distance,
                        start_frame,
                        end_frame,
                    });
                }
            }
        }
        nearest
    }
}
