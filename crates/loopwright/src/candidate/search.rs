//! The search over all admissible pairs of frames: bound, prune, score exactly.
//!
//! Bounds of whole blocks of pairs, and then of single pairs, are held against a limit that comes down as good pairs are
//! found; only what stays within it is scored exactly. In the end all pairs within the limit are known, so the list is exact up
//! to there; and what the limit lets through is the neighbourhood of as many loops as were asked for, so memory grows with the
//! number of frames only. Argument and proof: docs/math/search.md, section "The exact list of distinct loops".

use std::{
    cmp::Ordering,
    collections::BTreeMap,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use super::{
    bound::{LANES, LONG_RUN, Looks, ROWS, RunLength, SeamBounds, Squares},
    score::SeamCost,
};
use crate::analysis::{
    energy::{Activity, Energy},
    features::Features,
};

/// Two source frames and the exact two-sided cost of the seam between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeamPair {
    /// Frame at which the loop starts.
    pub start_frame: usize,
    /// Frame whose pose meets the start's.
    pub end_frame: usize,
    /// Cost in metre-seconds.
    pub cost: f64,
}

impl SeamPair {
    /// Behind every pair there is.
    const LAST: Self = Self {
        start_frame: usize::MAX,
        end_frame: usize::MAX,
        cost: f64::INFINITY,
    };

    /// Order of preference: cost, then start, then length.
    fn order(&self, other: &Self) -> Ordering {
        (self.cost.total_cmp(&other.cost))
            .then(self.start_frame.cmp(&other.start_frame))
            .then(self.end_frame.cmp(&other.end_frame))
    }
}

/// Which pairs may be loops.
#[derive(Clone, Debug, PartialEq)]
pub struct Admission {
    min_lag: usize,
    max_lag: usize,
    usable: Vec<bool>,
    /// Per frame, how many frames before it do not fit the activity asked for, and how many move.
    unfit_before: Vec<usize>,
    moving_before: Vec<usize>,
    /// Per frame, the last one of the run of fitting frames that it lies in; the frame itself where it does not fit.
    fits_until: Vec<usize>,
    min_moving_share: f64,
    /// Frames from a frame to its image, where ends are images.
    shift: usize,
}

/// Share of a moving loop's frames that must move; the rest may be slower, but never idle.
const MIN_MOVING_SHARE: f64 = 0.8;

impl Admission {
    /// Pairs whose length in frames lies in `lags` and whose frames are all of one activity.
    ///
    /// [`Activity::Idle`] admits cuts of idle frames alone, any other cuts that move and never idle.
    pub fn new(energy: &Energy, usable: &[bool], lags: core::ops::RangeInclusive<usize>, activity: Activity) -> Self {
        let idle = activity == Activity::Idle;
        let (mut unfit_before, mut moving_before) = (vec![0], vec![0]);
        for (frame, &found) in energy.activities().iter().enumerate() {
            let fits = (found == Activity::Idle) == idle;
            unfit_before.push(unfit_before[frame] + usize::from(!fits));
            moving_before.push(moving_before[frame] + usize::from(found == Activity::Moving));
        }
        Self::of_runs(
            usable,
            lags,
            unfit_before,
            moving_before,
            if idle { 0.0 } else { MIN_MOVING_SHARE },
        )
    }

    /// All pairs of usable frames whose length in frames lies in `lags`, whatever the body does between them.
    pub fn of_any_activity(usable: &[bool], lags: core::ops::RangeInclusive<usize>) -> Self {
        let none_before = vec![0; usable.len() + 1];
        Self::of_runs(usable, lags, none_before.clone(), none_before, 0.0)
    }

    fn of_runs(
        usable: &[bool],
        lags: core::ops::RangeInclusive<usize>,
        unfit_before: Vec<usize>,
        moving_before: Vec<usize>,
        min_moving_share: f64,
    ) -> Self {
        // Callers measure both on the same take; should they not, what is missing is no end of a loop.
        let num_frames = usable.len().min(unfit_before.len() - 1);
        let mut fits_until: Vec<usize> = (0..num_frames).collect();
        for frame in (1..num_frames).rev() {
            if unfit_before[frame - 1] == unfit_before[frame + 1] {
                fits_until[frame - 1] = fits_until[frame];
            }
        }
        Self {
            min_lag: (*lags.start()).max(3),
            max_lag: *lags.end(),
            usable: usable[..num_frames].to_vec(),
            unfit_before,
            moving_before,
            fits_until,
            min_moving_share,
            shift: 0,
        }
    }

    /// The same conditions for pairs of a frame and the image of a later one, where as many images follow the frames as there
    /// are of them: frame `n` has its image at `n` plus the number of frames.
    pub fn of_images(&self) -> Self {
        let num_frames = self.usable.len();
        // Counts of the images are those of their frames, so that a difference still tells of the frames between.
        let twice = |counts: &[usize]| [&counts[..=num_frames], &counts[1..=num_frames]].concat();
        let ends = self.fits_until.iter().map(|&last| last + num_frames);
        Self {
            min_lag: self.min_lag + num_frames,
            max_lag: self.max_lag.saturating_add(num_frames),
            usable: [self.usable.as_slice(), self.usable.as_slice()].concat(),
            unfit_before: twice(&self.unfit_before),
            moving_before: twice(&self.moving_before),
            // Images are ends alone.
            fits_until: ends.chain(num_frames..2 * num_frames).collect(),
            shift: num_frames,
            ..self.clone()
        }
    }

    /// The same conditions with other lengths.
    pub fn with_lags(&self, lags: core::ops::RangeInclusive<usize>) -> Self {
        Self {
            min_lag: lags.start().saturating_add(self.shift).max(self.min_lag),
            max_lag: lags.end().saturating_add(self.shift).min(self.max_lag),
            ..self.clone()
        }
    }

    /// Whether the pair may be a loop.
    pub fn admits(&self, start_frame: usize, end_frame: usize) -> bool {
        let num_frames = self.usable.len();
        if end_frame >= num_frames || end_frame <= start_frame {
            return false;
        }
        let lag = end_frame - start_frame;
        if lag < self.shift {
            return false;
        }
        let moving = self.moving_before[end_frame + 1] - self.moving_before[start_frame];
        (self.min_lag..=self.max_lag).contains(&lag)
            && self.usable[start_frame]
            && self.usable[end_frame]
            && self.unfit_before[end_frame + 1] == self.unfit_before[start_frame]
            && moving as f64 >= self.min_moving_share * (lag - self.shift + 1) as f64
    }

    /// First and last end that pairs of a start may have, before each is asked for by [`Self::admits`]; `None` where it has
    /// no pair.
    fn ends_of(&self, start_frame: usize) -> Option<(usize, usize)> {
        if !self.usable.get(start_frame).copied().unwrap_or(false) {
            return None;
        }
        let first = start_frame.saturating_add(self.min_lag);
        let last = start_frame
            .saturating_add(self.max_lag)
            .min(self.fits_until[start_frame]);
        (first <= last).then_some((first, last))
    }
}

/// Loops that are alike none of each other: both starts, or both ends, lie further apart than a separation.
#[derive(Clone, Debug)]
struct Distinct {
    separation: usize,
    /// By start and end in steps of one more than the separation; two pairs in one cell are alike, so none holds more than
    /// one, and what is alike lies in the same cell or next to it.
    cells: BTreeMap<(usize, usize), (usize, usize)>,
}

impl Distinct {
    fn new(separation: usize) -> Self {
        Self {
            separation,
            cells: BTreeMap::new(),
        }
    }

    fn cell(&self, pair: &SeamPair) -> (usize, usize) {
        let side = self.separation.saturating_add(1);
        (pair.start_frame / side, pair.end_frame / side)
    }

    fn has_alike(&self, pair: &SeamPair) -> bool {
        let (row, column) = self.cell(pair);
        (row.saturating_sub(1)..=row + 1).any(|row| {
            self.cells
                .range((row, column.saturating_sub(1))..=(row, column + 1))
                .any(|(_, &(start_frame, end_frame))| {
                    start_frame.abs_diff(pair.start_frame) <= self.separation
                        && end_frame.abs_diff(pair.end_frame) <= self.separation
                })
        })
    }

    /// Keeps a pair unless one like it is there; whether it was kept.
    fn keep(&mut self, pair: &SeamPair) -> bool {
        let is_new = !self.has_alike(pair);
        if is_new {
            self.cells.insert(self.cell(pair), (pair.start_frame, pair.end_frame));
        }
        is_new
    }
}

/// Distinct loops that the first sweep over all pairs looks for; each later one looks for as many more as are known by then.
///
/// Fewer make the limit tighter; a caller who takes more pays another sweep.
const FIRST_GOAL: usize = 16;

/// Pairs that a sweep may hold. Together with the separation it says how many loops one sweep can look for.
const MAX_HELD: usize = 1 << 19;

/// Emits admissible pairs, best first, each at least `separation` frames away from every pair before it.
///
/// Two pairs are alike when both their starts and both their ends lie within the separation; of pairs that are alike only
/// the best in the order (cost, start, length) is emitted. The sequence is exact: it equals greedy suppression over the
/// list of all admissible pairs of finite cost. Pairs are looked for as they are asked for.
pub struct DistinctPairs<'a> {
    bounds: &'a SeamBounds<'a>,
    admission: Admission,
    kept: Distinct,
    /// Found and not yet asked for, the best last.
    ready: Vec<SeamPair>,
    max_cost: f64,
    goal: usize,
    is_exhausted: bool,
}

impl<'a> DistinctPairs<'a> {
    /// The distinct pairs that `admission` lets through.
    pub fn new(bounds: &'a SeamBounds<'a>, admission: Admission, separation: usize) -> Self {
        Self {
            bounds,
            admission,
            kept: Distinct::new(separation),
            ready: Vec::new(),
            max_cost: f64::MAX,
            goal: FIRST_GOAL,
            is_exhausted: false,
        }
    }

    /// Ends the sequence before the first pair that costs more, and saves the work of looking for it.
    #[must_use]
    pub fn up_to(self, max_cost: f64) -> Self {
        Self { max_cost, ..self }
    }

    /// Says how many pairs will be asked for, where that is known; more can still be had.
    #[must_use]
    pub fn expecting(self, count: usize) -> Self {
        Self {
            goal: count.max(1),
            ..self
        }
    }

    /// Looks for the next pairs: a quarter of the goal at least, unless there are none left.
    fn sweep(&mut self) {
        // All pairs within a limit for k loops are like one of k of them.
        let around = self.kept.separation.saturating_mul(2).saturating_add(1);
        let room = MAX_HELD / around.saturating_mul(around).max(1);
        let goal = self.goal.min(room).max(1);
        let sweep = Sweep::new(self.bounds, &self.admission, &self.kept, goal, self.max_cost);
        let found = sweep.run();
        self.is_exhausted = found.is_complete;
        for pair in found.pairs {
            if self.kept.keep(&pair) {
                self.ready.push(pair);
            }
        }
        self.ready.reverse();
        self.goal = self.kept.cells.len().max(goal);
    }
}

impl Iterator for DistinctPairs<'_> {
    type Item = SeamPair;

    fn next(&mut self) -> Option<SeamPair> {
        if self.ready.is_empty() && !self.is_exhausted {
            self.sweep();
        }
        self.ready.pop()
    }
}

/// The best pairs of a sweep, in order.
struct Haul {
    goal: usize,
    separation: usize,
    pairs: Vec<SeamPair>,
    /// No pair behind this one is wanted.
    limit: SeamPair,
    room: usize,
}

/// What a sweep found: every pair up to some place in the order, but those like pairs kept before.
struct Found {
    pairs: Vec<SeamPair>,
    /// Whether there are no others at all.
    is_complete: bool,
}

impl Haul {
    fn new(goal: usize, separation: usize, max_cost: f64) -> Self {
        Self {
            goal,
            separation,
            pairs: Vec::new(),
            limit: SeamPair {
                cost: max_cost,
                ..SeamPair::LAST
            },
            room: 64 + 4 * goal,
        }
    }

    fn add(&mut self, pair: SeamPair) {
        if pair.order(&self.limit) == Ordering::Greater {
            return;
        }
        self.pairs.push(pair);
        if self.pairs.len() >= self.room {
            self.tighten();
            self.room = 2 * self.pairs.len() + 64 + 4 * self.goal;
        }
    }

    /// Brings the limit down to the pair by which the wanted number of distinct loops is reached among those found so far,
    /// where there are as many.
    ///
    /// Better pairs found later may suppress some of these loops, but never more than three of four.
    fn tighten(&mut self) {
        self.pairs.sort_unstable_by(SeamPair::order);
        let mut apart = Distinct::new(self.separation);
        let last = self
            .pairs
            .iter()
            .position(|pair| apart.keep(pair) && apart.cells.len() == self.goal);
        if let Some(last) = last {
            self.limit = self.pairs[last];
            self.pairs.truncate(last + 1);
        }
    }
}

/// One pass over all pairs.
struct Sweep<'a> {
    bounds: &'a SeamBounds<'a>,
    admission: &'a Admission,
    kept: &'a Distinct,
    goal: usize,
    max_cost: f64,
    /// First and last end of any pair that starts in a tile of frames.
    ends: Vec<Option<(usize, usize)>>,
    /// Bits of the lowest limit that any worker knows; costs are not negative, so their bits are in their order.
    shared: AtomicU64,
}

/// Frames of starts that are swept together: four long runs.
const PANEL: usize = ROWS * LONG_RUN;

/// Of this many panels the first measures whether short runs save anything, and the others do as it says.
const PROBE_EVERY: usize = 16;

/// Share of blocks that short runs let through above which comparing them costs more than it saves.
const MAX_SHORT_SHARE: f64 = 0.85;

/// What a worker keeps from block to block: how short runs fare, and room for distances.
struct Work {
    uses_short_runs: bool,
    tried: usize,
    passed: usize,
    squares: Squares,
}

impl<'a> Sweep<'a> {
    fn new(
        bounds: &'a SeamBounds<'a>,
        admission: &'a Admission,
        kept: &'a Distinct,
        goal: usize,
        max_cost: f64,
    ) -> Self {
        let num_frames = bounds.num_frames();
        let ends = (0..num_frames.div_ceil(LANES))
            .map(|tile| {
                (tile * LANES..((tile + 1) * LANES).min(num_frames))
                    .filter_map(|start| admission.ends_of(start))
                    .filter(|&(first, _)| first < num_frames)
                    .map(|(first, last)| (first, last.min(num_frames - 1)))
                    .reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
            })
            .collect();
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

    fn run(&self) -> Found {
        let num_panels = self.bounds.num_frames().div_ceil(PANEL);
        let mut seeds = self.new_haul();
        let unlimited = seeds.limit;
        self.seed(&mut seeds);
        let hauls = self.sweep_panels(num_panels, seeds.limit);
        // The lowest limit that anyone held: what lies beyond it, some worker has passed over.
        let limit = hauls.iter().map(|haul| haul.limit).fold(seeds.limit, |low, limit| {
            if limit.order(&low) == Ordering::Less {
                limit
            } else {
                low
            }
        });
        let mut pairs: Vec<SeamPair> = hauls.into_iter().flat_map(|haul| haul.pairs).collect();
        pairs.retain(|pair| pair.order(&limit) != Ordering::Greater);
        pairs.sort_unstable_by(SeamPair::order);
        Found {
            pairs,
            is_complete: limit == unlimited,
        }
    }

    fn new_haul(&self) -> Haul {
        Haul::new(self.goal, self.kept.separation, self.max_cost)
    }

    /// Sweeps all panels, starting from a limit.
    #[cfg(not(feature = "threads"))]
    fn sweep_panels(&self, num_panels: usize, limit: SeamPair) -> Vec<Haul> {
        vec![self.sweep_share(0..num_panels, limit)]
    }

    /// Sweeps all panels, starting from a limit, a share of them on each processor.
    ///
    /// What is found does not depend on who finds it: the list is put together and cut off afterwards.
    #[cfg(feature = "threads")]
    fn sweep_panels(&self, num_panels: usize, limit: SeamPair) -> Vec<Haul> {
        // Short sweeps are over before a thread has started.
        let workers = crate::threads::up_to(num_panels / 8);
        let mut hauls: Vec<Option<Haul>> = (0..workers).map(|_| None).collect();
        crate::threads::share_out(workers, hauls.iter_mut().enumerate(), |(share, haul)| {
            *haul = Some(self.sweep_share((share..num_panels).step_by(workers), limit));
        });
        hauls.into_iter().flatten().collect()
    }

    fn sweep_share(&self, panels: impl Iterator<Item = usize>, limit: SeamPair) -> Haul {
        let mut haul = self.new_haul();
        haul.limit = limit;
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
            self.sweep_panel(panel, &mut work, &mut haul);
            if index % PROBE_EVERY == 0 {
                work.uses_short_runs = work.passed as f64 <= MAX_SHORT_SHARE * work.tried as f64;
            }
        }
        haul
    }

    /// Highest cost that a pair found now may have.
    fn max_cost(&self, haul: &Haul) -> f64 {
        haul.limit.cost.min(f64::from_bits(self.shared.load(Relaxed)))
    }

    /// Holds the long runs of a panel of starts against those of all ends.
    fn sweep_panel(&self, panel: usize, work: &mut Work, haul: &mut Haul) {
        let tiles = panel * ROWS..((panel + 1) * ROWS).min(self.ends.len());
        let Some((first, last)) = tiles
            .clone()
            .filter_map(|tile| self.ends[tile])
            .reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
        else {
            return;
        };
        // Nothing costs less than zero, and among equal costs the earlier start comes first.
        if haul.limit.cost == 0.0 && panel * PANEL > haul.limit.start_frame {
            return;
        }
        let runs_tile = LONG_RUN * LANES;
        for far in first / runs_tile..=last / runs_tile {
            let limit = self.bounds.limit(self.max_cost(haul));
            let Some(gaps) = self.bounds.runs(RunLength::Long, panel * ROWS, far, limit) else {
                continue;
            };
            // Ends in groups of as many frames as a tile of short runs covers.
            for group in 0..LANES / ROWS {
                let lanes = group * ROWS..(group + 1) * ROWS;
                for tile in tiles.clone() {
                    let Some((first, last)) = self.ends[tile] else {
                        continue;
                    };
                    let passes = |lane: usize| {
                        let end_tile = far * LANES + lane;
                        gaps[tile - tiles.start][lane] <= limit && (first / LANES..=last / LANES).contains(&end_tile)
                    };
                    let mut passed = 0_u32;
                    for lane in lanes.clone() {
                        passed |= u32::from(passes(lane)) << (lane - lanes.start);
                    }
                    if passed != 0 {
                        self.sweep_group(tile, far * LANES + lanes.start, passed, work, haul);
                    }
                }
            }
        }
    }

    /// Holds the short runs of one tile of starts against those of four tiles of ends, of which `passed` are wanted, and then
    /// the frames in those that are left.
    fn sweep_group(&self, tile: usize, end_tile: usize, passed: u32, work: &mut Work, haul: &mut Haul) {
        let limit = self.bounds.limit(self.max_cost(haul));
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
        // Where the boxes of short runs tell nothing, single frames are far apart on every dimension or on none.
        let looks = if work.uses_short_runs {
            Looks::Early
        } else {
            Looks::Last
        };
        let passed = (self.bounds).frames(tile, end_tile, wanted, limit, looks, &mut work.squares);
        for bit in (0..LANES).filter(|bit| passed >> bit & 1 == 1) {
            let (column, row) = (bit / ROWS, bit % ROWS * ROWS);
            for (row, distances) in (row..).zip(&work.squares[column][row..row + ROWS]) {
                for (lane, &distance) in distances.iter().enumerate() {
                    if distance <= limit {
                        self.score_pair(tile * LANES + row, (end_tile + column) * LANES + lane, haul);
                    }
                }
            }
        }
    }

    fn score_pair(&self, start_frame: usize, end_frame: usize, haul: &mut Haul) {
        if end_frame >= self.bounds.num_frames() || !self.admission.admits(start_frame, end_frame) {
            return;
        }
        let max_cost = self.max_cost(haul);
        let mut pair = SeamPair {
            start_frame,
            end_frame,
            cost: 0.0,
        };
        // Even for nothing it would come too late; copies of frames make millions of such pairs.
        if pair.order(&haul.limit) == Ordering::Greater
            || !self.bounds.seams().bound_is_within(start_frame, end_frame, max_cost)
            || self.kept.has_alike(&pair)
        {
            return;
        }
        pair.cost = self.bounds.seams().cost(start_frame, end_frame);
        if pair.cost <= max_cost {
            haul.add(pair);
            if haul.limit.cost < max_cost {
                self.shared.fetch_min(haul.limit.cost.to_bits(), Relaxed);
            }
        }
    }

    /// Finds some good pairs before the sweep, so that it begins with a limit: of every long run with the nearest other.
    fn seed(&self, haul: &mut Haul) {
        let mut nearest: Vec<(f32, usize, usize)> = Vec::new();
        for panel in 0..self.ends.len().div_ceil(ROWS) {
            let tiles = panel * ROWS..((panel + 1) * ROWS).min(self.ends.len());
            let mut best = [(f32::INFINITY, 0); ROWS];
            let span = (tiles.clone().filter_map(|tile| self.ends[tile]))
                .reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
            let Some((first, last)) = span else {
                continue;
            };
            let runs_tile = LONG_RUN * LANES;
            for far in first / runs_tile..=last / runs_tile {
                let farthest = best.iter().fold(0.0, |far: f32, &(gap, _)| far.max(gap));
                let Some(gaps) = self.bounds.runs(RunLength::Long, panel * ROWS, far, farthest) else {
                    continue;
                };
                for tile in tiles.clone() {
                    let Some((first, last)) = self.ends[tile] else {
                        continue;
                    };
                    let best = &mut best[tile - tiles.start];
                    for end_tile in (first / LANES).max(far * LANES)..=(last / LANES).min(far * LANES + LANES - 1) {
                        let gap = gaps[tile - tiles.start][end_tile - far * LANES];
                        if gap < best.0 {
                            *best = (gap, end_tile);
                        }
                    }
                }
            }
            for tile in tiles.clone() {
                let (gap, end_tile) = best[tile - tiles.start];
                if gap.is_finite() {
                    nearest.push((gap, tile, end_tile));
                }
            }
        }
        let mut seeds: Vec<(f32, usize, usize)> = Vec::new();
        let mut squares: Squares = [[[0.0; LANES]; LANES]; ROWS];
        for &(_, tile, end_tile) in &nearest {
            let mut best = (f32::INFINITY, 0, 0);
            self.bounds
                .frames(tile, end_tile, 0b1111, f32::MAX, Looks::Last, &mut squares);
            for (row, distances) in squares[0].iter().enumerate() {
                for (lane, &distance) in distances.iter().enumerate() {
                    let (start_frame, end_frame) = (tile * LANES + row, end_tile * LANES + lane);
                    if distance < best.0 && self.admission.admits(start_frame, end_frame) {
                        best = (distance, start_frame, end_frame);
                    }
                }
            }
            if best.0.is_finite() {
                seeds.push(best);
            }
        }
        seeds.sort_by(|left, right| left.0.total_cmp(&right.0));
        for (_, start_frame, end_frame) in seeds {
            self.score_pair(start_frame, end_frame, haul);
        }
        haul.tighten();
        // Only the limit stays: the sweep comes by these pairs again.
        haul.pairs.clear();
    }
}

/// Seam costs between any two frames of a take.
#[derive(Clone, Copy)]
pub struct Seams<'a> {
    features: &'a Features,
    cost: SeamCost,
    position_weight: f64,
    velocity_weight: f64,
}

impl<'a> Seams<'a> {
    /// Seams between frames of `features`, priced by `cost`.
    pub fn new(features: &'a Features, cost: impl Into<SeamCost>) -> Self {
        let cost = cost.into();
        let (position_weight, velocity_weight) = cost.bound_weights();
        Self {
            features,
            cost,
            position_weight,
            velocity_weight,
        }
    }

    /// What is compared.
    pub fn features(&self) -> &'a Features {
        self.features
    }

    /// What prices the gap of each axis.
    pub fn cost_per_axis(&self) -> SeamCost {
        self.cost
    }

    /// Exact two-sided cost of the seam from `end_frame` back to `start_frame`, metre-seconds, summed in axis order.
    pub fn cost(&self, start_frame: usize, end_frame: usize) -> f64 {
        let (x_end, x_start) = (self.features.positions(end_frame), self.features.positions(start_frame));
        let (v_end, v_start) = (
            self.features.velocities(end_frame),
            self.features.velocities(start_frame),
        );
        (0..self.features.num_axes())
            .map(|axis| {
                self.cost
                    .two_sided(x_end[axis] - x_start[axis], v_end[axis] - v_start[axis])
            })
            .sum()
    }

    /// Whether the lower bound of the cost is at most `limit`; gives up as soon as it is not.
    fn bound_is_within(&self, start_frame: usize, end_frame: usize, limit: f64) -> bool {
        const CHUNK: usize = 8;
        let (x_end, x_start) = (self.features.positions(end_frame), self.features.positions(start_frame));
        let (v_end, v_start) = (
            self.features.velocities(end_frame),
            self.features.velocities(start_frame),
        );
        let (start_share, end_share) = (self.cost.start_share(), 1.0 - self.cost.start_share());
        let mut bound = 0.0;
        let axes = self.features.num_axes();
        let mut from = 0;
        while from < axes {
            let to = (from + CHUNK).min(axes);
            for axis in from..to {
                let position = self.position_weight * (x_end[axis] - x_start[axis]);
                let velocity = self.velocity_weight * (v_end[axis] - v_start[axis]);
                // Rounding may lift the sum above a cost it truly equals; the allowance keeps the bound a bound.
                bound += start_share * (position + velocity).abs() + end_share * (position - velocity).abs()
                    - 1e-12 * (position.abs() + velocity.abs());
            }
            if bound > limit {
                return false;
            }
            from = to;
        }
        true
    }

    /// Median cost of random pairs of usable frames at least `min_gap` frames apart; `None` where there are none.
    ///
    /// The pairs are the same for every run: a fixed generator draws them.
    pub fn random_median(&self, usable: &[bool], min_gap: usize) -> Option<f64> {
        const PAIRS: usize = 1000;
        let frames: Vec<usize> = (0..usable.len()).filter(|&frame| usable[frame]).collect();
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut draw = || {
            // Knuth's MMIX generator; the high bits are good enough to pick frames.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as usize) % frames.len().max(1)
        };
        let mut costs = Vec::with_capacity(PAIRS);
        // Short takes have few pairs far enough apart; give up after a bounded number of draws.
        for _ in 0..50 * PAIRS {
            let (left, right) = (draw(), draw());
            let (Some(&left), Some(&right)) = (frames.get(left), frames.get(right)) else {
                return None;
            };
            if left + min_gap.max(1) <= right {
                costs.push(self.cost(left, right));
                if costs.len() == PAIRS {
                    break;
                }
            }
        }
        costs.sort_by(f64::total_cmp);
        costs.get(costs.len() / 2).copied()
    }
}
