//! The best pairs found so far, and the limit beyond which no other is needed.

use std::cmp::Ordering;

use super::distinct::Distinct;
use crate::candidate::SeamPair;

/// The best pairs among those found so far, as many as it takes for a wanted number of distinct ones.
pub(super) struct BestPairs {
    goal: usize,
    separation: usize,
    /// In no order.
    pub(super) pairs: Vec<SeamPair>,
    /// No pair beyond this one is wanted.
    pub(super) limit: SeamPair,
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
    pub(super) fn tighten(&mut self) {
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
