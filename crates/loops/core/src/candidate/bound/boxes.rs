//! Boxes around runs of frames: no two frames are closer than the boxes of their runs.

use super::kernel::{LANES, Lanes};

/// Smallest and largest value of every dimension over runs of frames, [`LANES`] runs to a tile.
pub(super) struct Boxes {
    lows: Vec<Lanes>,
    highs: Vec<Lanes>,
}

impl Boxes {
    /// Empty boxes.
    pub(super) fn empty(num_runs: usize, num_dims: usize) -> Self {
        let num_rows = num_runs.div_ceil(LANES) * num_dims;
        Self {
            lows: vec![[f32::INFINITY; LANES]; num_rows],
            highs: vec![[f32::NEG_INFINITY; LANES]; num_rows],
        }
    }

    /// Widens the box of a run to hold a value of one of its frames.
    pub(super) fn widen(&mut self, num_dims: usize, run: usize, dim: usize, value: f32) {
        let row = run / LANES * num_dims + dim;
        let low = &mut self.lows[row][run % LANES];
        *low = low.min(value);
        let high = &mut self.highs[row][run % LANES];
        *high = high.max(value);
    }

    /// Lows and highs of a tile of runs, a row of lanes for each dimension.
    pub(super) fn tile(&self, num_dims: usize, tile: usize) -> (&[Lanes], &[Lanes]) {
        let rows = tile * num_dims..(tile + 1) * num_dims;
        (&self.lows[rows.clone()], &self.highs[rows])
    }
}
