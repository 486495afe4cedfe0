//! The loops that compare frames and boxes: plain ones, of which the compiler makes vector instructions.
//!
//! Frames are in the lanes of a vector and dimensions are added one after the other, so every distance is one chain of additions
//! in one order: vectors of any width give the same bits.

use fearless_simd::Simd;

/// Number of frames or runs in a tile.
pub(in crate::candidate) const LANES: usize = 16;

/// Number of rows of a tile that are compared with all lanes of another at once.
pub(in crate::candidate) const ROWS: usize = 4;

/// Number of dimensions after which distances are compared with the limit, to skip a block above it.
///
/// With fewer, blocks are skipped sooner but checked more often; a check costs as much as half a dimension.
const EXIT_DIMS: usize = 12;

/// One value for each lane.
pub(super) type Lanes = [f32; LANES];

/// Smallest and largest values of runs of frames.
pub(super) type Boxes = [Lanes; 2];

/// Bounds of the pairs of [`ROWS`] rows with all lanes.
pub(super) type Block = [Lanes; ROWS];

/// Returns the distances of the rows of a block to all lanes, from the values of each dimension; `None` if all are above the limit.
#[inline(always)]
pub(super) fn distances<S: Simd>(
    simd: S,
    rows: &[Lanes],
    block: usize,
    columns: &[Lanes],
    limit: f32,
) -> Option<Block> {
    simd.vectorize(
        #[inline(always)]
        || {
            sums(rows.iter().zip(columns), limit, |sums, (rows, columns)| {
                for (sums, row) in sums.iter_mut().zip(&rows[ROWS * block..][..ROWS]) {
                    for (sum, column) in sums.iter_mut().zip(columns) {
                        *sum += (row - column).abs();
                    }
                }
            })
        },
    )
}

/// Returns the gaps between boxes, as [`distances`] does.
#[inline(always)]
pub(super) fn gaps<S: Simd>(simd: S, rows: &[Boxes], block: usize, columns: &[Boxes], limit: f32) -> Option<Block> {
    simd.vectorize(
        #[inline(always)]
        || {
            sums(
                rows.iter().zip(columns),
                limit,
                |sums, ([row_lows, row_highs], [lows, highs])| {
                    for (row, sums) in sums.iter_mut().enumerate() {
                        let (row_low, row_high) = (row_lows[ROWS * block + row], row_highs[ROWS * block + row]);
                        for ((sum, low), high) in sums.iter_mut().zip(lows).zip(highs) {
                            // The row's box is below or above; both differences are negative if the boxes overlap.
                            *sum += (row_low - high).max(low - row_high).max(0.0);
                        }
                    }
                },
            )
        },
    )
}

/// Returns the sums over all dimensions, each of which `add` adds; `None` as soon as all are above the limit.
#[inline(always)]
fn sums<D>(dims: impl Iterator<Item = D>, limit: f32, add: impl Fn(&mut Block, D)) -> Option<Block> {
    let mut sums = [[0.0; LANES]; ROWS];
    let is_above = |sums: &Block| sums.as_flattened().iter().all(|&sum| sum > limit);
    for (index, dim) in dims.enumerate() {
        if index % EXIT_DIMS == 0 && is_above(&sums) {
            return None;
        }
        add(&mut sums, dim);
    }
    (!is_above(&sums)).then_some(sums)
}
