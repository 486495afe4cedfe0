//! The search over all admissible pairs of frames: bound, prune, score exactly.
//!
//! Bounds of pairs are compared with a limit that drops as good pairs are found; only pairs within it are scored exactly. In
//! the end all pairs within the limit are known, so the list is exact up to there. Those pairs surround the requested number
//! of loops, so memory grows only with the number of frames. Argument and proof: docs/math/search.md, section "The exact list
//! of distinct loops".

use super::{SeamPair, bound::SeamBounds};

mod admission;

mod distinct;

mod sweep;

pub use admission::Admission;
use distinct::Distinct;
use sweep::Sweep;

/// Number of distinct loops that the first sweep looks for; each later sweep looks for as many more as are known by then.
///
/// Fewer make the limit tighter; a caller who needs more loops pays for another sweep.
const FIRST_GOAL: usize = 16;

/// Number of pairs that a sweep may hold. Together with the separation it limits how many loops one sweep can look for.
const MAX_HELD: usize = 1 << 19;

/// Yields admissible pairs, best first, each at least `separation` frames away from every pair before it.
///
/// Two pairs are similar when both their starts and both their ends lie within the separation; of similar pairs only the best in
/// the order (cost, start, length) is yielded. The sequence is exact: it equals greedy suppression over the list of all
/// admissible pairs of finite cost. Pairs are searched for on demand.
pub struct DistinctPairs<'a> {
    bounds: &'a SeamBounds<'a>,
    admission: Admission,
    kept: Distinct,
    /// Found and not yet yielded, the best last.
    ready: Vec<SeamPair>,
    max_cost: f64,
    goal: usize,
    is_exhausted: bool,
}

impl<'a> DistinctPairs<'a> {
    /// Creates the distinct pairs that `admission` lets through.
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

    /// Ends the sequence before the first pair that costs more, which saves the work of searching for it.
    #[must_use]
    pub fn up_to(self, max_cost: f64) -> Self {
        Self { max_cost, ..self }
    }

    /// Returns the next pair beyond the cost up to which the sequence was wanted, once it has ended.
    pub fn next_beyond(self) -> Option<SeamPair> {
        let mut rest = Self {
            max_cost: f64::MAX,
            goal: 1,
            is_exhausted: false,
            ..self
        };
        rest.next()
    }

    /// Sets how many pairs will be requested, if known; more are still available.
    #[must_use]
    pub fn expecting(self, count: usize) -> Self {
        Self {
            goal: count.max(1),
            ..self
        }
    }

    /// Searches for the next pairs: at least a quarter of the goal, unless none are left.
    fn sweep(&mut self) {
        // All pairs within a limit for k loops are similar to one of k of them.
        let around = self.kept.separation().saturating_mul(2).saturating_add(1);
        let room = MAX_HELD / around.saturating_mul(around).max(1);
        let goal = self.goal.min(room).max(1);
        let sweep = Sweep::new(self.bounds, &self.admission, &self.kept, goal, self.max_cost);
        let (found, is_complete) = sweep.run();
        self.is_exhausted = is_complete;
        self.ready.extend(found.into_iter().filter(|pair| self.kept.keep(pair)));
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
