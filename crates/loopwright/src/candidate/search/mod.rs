//! The search over all admissible pairs of frames: bound, prune, score exactly.
//!
//! Bounds of whole blocks of pairs, and then of single pairs, are held against a limit that comes down as good pairs are
//! found; only what stays within it is scored exactly. In the end all pairs within the limit are known, so the list is exact up
//! to there; and what the limit lets through is the neighbourhood of as many loops as were asked for, so memory grows with the
//! number of frames only. Argument and proof: docs/math/search.md, section "The exact list of distinct loops".

use super::bound::SeamBounds;
use super::seams::SeamPair;

mod admission;

mod best_pairs;

mod distinct;

mod sweep;

pub use admission::Admission;
use distinct::Distinct;
use sweep::Sweep;

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
    /// FoundLoops and not yet asked for, the best last.
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
        let around = self.kept.separation().saturating_mul(2).saturating_add(1);
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
        self.goal = self.kept.len().max(goal);
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
