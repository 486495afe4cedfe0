//! Greedy suppression: keeps only the first of similar pairs; and the best pairs found so far, with the limit beyond which no other is
//! needed.

use std::{cmp::Ordering, collections::BTreeMap};

use crate::candidate::SeamPair;

/// Pairs that are pairwise distinct: their starts, or their ends, are further apart than a separation.
#[derive(Clone, Debug)]
pub(super) struct Distinct {
    separation: usize,
    /// By start and end in steps of one more than the separation. Two pairs in one cell are similar, so each cell holds at most
    /// one, and similar pairs lie in the same cell or an adjacent one.
    cells: BTreeMap<(usize, usize), (usize, usize)>,
}

impl Distinct {
    /// Creates an empty set.
    pub(super) fn new(separation: usize) -> Self {
        Self {
            separation,
            cells: BTreeMap::new(),
        }
    }

    /// Two pairs are similar when both ends lie within this many frames.
    pub(super) fn separation(&self) -> usize {
        self.separation
    }

    /// Returns the number of pairs.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    fn cell(&self, pair: &SeamPair) -> (usize, usize) {
        let side = self.separation.saturating_add(1);
        (pair.start_frame / side, pair.end_frame / side)
    }

    /// Whether a similar pair is present.
    pub(super) fn has_similar(&self, pair: &SeamPair) -> bool {
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

    /// Keeps a pair unless a similar one is present; returns whether it was kept.
    pub(super) fn keep(&mut self, pair: &SeamPair) -> bool {
        let is_new = !self.has_similar(pair);
        if is_new {
            self.cells.insert(self.cell(pair), (pair.start_frame, pair.end_frame));
        }
        is_new
    }
}

/// The best pairs among those found so far, as many as it takes for a wanted number of distinct ones.
pub(super) struct BestPairs {
    goal: usize,
    separation: usize,
    /// In no order.
    pub pairs: Vec<SeamPair>,
    /// No pair beyond this one is wanted.
    pub limit: SeamPair,
    /// Number of pairs gathered before the limit is lowered.
    room: usize,
}

impl BestPairs {
    /// Creates an empty list that accepts pairs of cost up to `max_cost`.
    pub(super) fn new(goal: usize, separation: usize, max_cost: f64) -> Self {
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

    /// Adds a pair unless it lies beyond the limit.
    pub(super) fn add(&mut self, pair: SeamPair) {
        if pair.order(&self.limit) == Ordering::Greater {
            return;
        }
        self.pairs.push(pair);
        if self.pairs.len() >= self.room {
            self.tighten();
            self.room = 2 * self.pairs.len() + 64 + 4 * self.goal;
        }
    }

    /// Lowers the limit to the pair that completes the requested number of distinct loops, if that many are found.
    ///
    /// Better pairs found later may suppress some of these loops, but never more than three of four.
    fn tighten(&mut self) {
        self.pairs.sort_unstable_by(SeamPair::order);
        let mut apart = Distinct::new(self.separation);
        let last = self
            .pairs
            .iter()
            .position(|pair| apart.keep(pair) && apart.len() == self.goal);
        if let Some(last) = last {
            self.limit = self.pairs[last];
            self.pairs.truncate(last + 1);
        }
    }
}
