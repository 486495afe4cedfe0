//! Greedy suppression: of pairs that are alike only the first one is kept.

use std::collections::BTreeMap;

use crate::candidate::seams::SeamPair;

/// Pairs of which no two are alike: both starts, or both ends, lie further apart than a separation.
#[derive(Clone, Debug)]
pub(super) struct Distinct {
    separation: usize,
    /// By start and end in steps of one more than the separation; two pairs in one cell are alike, so none holds more than
    /// one, and what is alike lies in the same cell or next to it.
    cells: BTreeMap<(usize, usize), (usize, usize)>,
}

impl Distinct {
    /// None yet.
    pub(super) fn new(separation: usize) -> Self {
        Self {
            separation,
            cells: BTreeMap::new(),
        }
    }

    /// Frames within which both ends of a pair make it like another.
    pub(super) fn separation(&self) -> usize {
        self.separation
    }

    /// Number of pairs.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    fn cell(&self, pair: &SeamPair) -> (usize, usize) {
        let side = self.separation.saturating_add(1);
        (pair.start_frame / side, pair.end_frame / side)
    }

    /// Whether a pair like this one is there.
    pub(super) fn has_alike(&self, pair: &SeamPair) -> bool {
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
    pub(super) fn keep(&mut self, pair: &SeamPair) -> bool {
        let is_new = !self.has_alike(pair);
        if is_new {
            self.cells.insert(self.cell(pair), (pair.start_frame, pair.end_frame));
        }
        is_new
    }
}
