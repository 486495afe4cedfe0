//! The loops that compare frames and boxes, written once for vectors of any width.
//!
//! Frames are in the lanes of a vector and dimensions are added one after the other, so every distance is one chain of additions
//! in one order: vectors of any width, and plain loops, give the same bits.

use fearless_simd::prelude::*;

/// Number of frames or runs in a tile.
pub(in crate::candidate) const LANES: usize = 16;

/// Number of rows of a tile that are compared with all lanes of another at once.
pub(in crate::candidate) const ROWS: usize = 4;

/// Number of dimensions after which distances are compared with the limit, to skip a block above it.
///
/// With fewer, blocks are skipped sooner but checked more often; a check costs as much as half a dimension.
pub(super) const EXIT_DIMS: usize = 12;

/// No check before the last dimension.
pub(super) const NEVER: usize = usize::MAX;

/// One value for each lane.
pub(super) type Lanes = [f32; LANES];

/// Bounds of the pairs of [`ROWS`] rows with all lanes.
pub(in crate::candidate) type Block = [Lanes; ROWS];

/// Bounds of the pairs of a tile with each of four tiles, a row of lanes for each frame of the first.
pub(in crate::candidate) type Squares = [[Lanes; LANES]; ROWS];

/// Computes the distances of R rows to the lanes from `lane` on, V vectors of them; `None` as soon as all are above the limit,
/// which is checked every CHUNK dimensions.
///
/// Sums stay in registers: R times V chains of additions keep the adders busy, and every value loaded serves V or R of them.
#[inline(always)]
pub(super) fn distances_of<S: Simd, const R: usize, const V: usize, const CHUNK: usize>(
    simd: S,
    rows: &[Lanes],
    row: usize,
    columns: &[Lanes],
    lane: usize,
    limit: f32,
) -> Option<[[S::f32s; V]; R]> {
    let mut sums = [[S::f32s::splat(simd, 0.0); V]; R];
    for (rows, columns) in rows.chunks(CHUNK).zip(columns.chunks(CHUNK)) {
        for (row_values, column_values) in rows.iter().zip(columns) {
            let column: [S::f32s; V] = core::array::from_fn(|v| load(simd, column_values, lane + v * S::f32s::LEN));
            for r in 0..R {
                let value = S::f32s::splat(simd, row_values[row + r]);
                for v in 0..V {
                    sums[r][v] += (value - column[v]).abs();
                }
            }
        }
        if none_within(simd, &sums, limit) {
            return None;
        }
    }
    Some(sums)
}

/// Gaps between boxes, with the parameters of [`distances_of`].
#[inline(always)]
fn gaps_of<S: Simd, const R: usize, const V: usize>(
    simd: S,
    (row_lows, row_highs): (&[Lanes], &[Lanes]),
    row: usize,
    (column_lows, column_highs): (&[Lanes], &[Lanes]),
    lane: usize,
    limit: f32,
) -> Option<[[S::f32s; V]; R]> {
    let mut sums = [[S::f32s::splat(simd, 0.0); V]; R];
    let rows = row_lows.chunks(EXIT_DIMS).zip(row_highs.chunks(EXIT_DIMS));
    let columns = column_lows.chunks(EXIT_DIMS).zip(column_highs.chunks(EXIT_DIMS));
    for ((row_lows, row_highs), (column_lows, column_highs)) in rows.zip(columns) {
        let rows = row_lows.iter().zip(row_highs);
        let columns = column_lows.iter().zip(column_highs);
        for ((row_low, row_high), (column_low, column_high)) in rows.zip(columns) {
            let lows: [S::f32s; V] = core::array::from_fn(|v| load(simd, column_low, lane + v * S::f32s::LEN));
            let highs: [S::f32s; V] = core::array::from_fn(|v| load(simd, column_high, lane + v * S::f32s::LEN));
            for r in 0..R {
                let low = S::f32s::splat(simd, row_low[row + r]);
                let high = S::f32s::splat(simd, row_high[row + r]);
                for v in 0..V {
                    // The row's box is below or above; both differences are negative if the boxes overlap.
                    let gap = (low - highs[v]).max(lows[v] - high);
                    sums[r][v] += gap.max(S::f32s::splat(simd, 0.0));
                }
            }
        }
        if none_within(simd, &sums, limit) {
            return None;
        }
    }
    Some(sums)
}

#[inline(always)]
fn load<S: Simd>(simd: S, lanes: &Lanes, from: usize) -> S::f32s {
    S::f32s::from_slice(simd, &lanes[from..from + S::f32s::LEN])
}

/// Whether no sum is at most `limit`.
#[inline(always)]
fn none_within<S: Simd, const R: usize, const V: usize>(simd: S, sums: &[[S::f32s; V]; R], limit: f32) -> bool {
    let mut least = sums[0][0];
    for row in sums {
        for &sum in row {
            least = least.min(sum);
        }
    }
    !least.simd_le(S::f32s::splat(simd, limit)).any_true()
}

/// Writes sums to the lanes from `lane` on, one row of sums for each row.
#[inline(always)]
fn put<S: Simd, const R: usize, const V: usize>(sums: [[S::f32s; V]; R], lane: usize, rows: &mut [Lanes]) {
    for (sums, lanes) in sums.iter().zip(rows) {
        for (v, sum) in sums.iter().enumerate() {
            let from = lane + v * S::f32s::LEN;
            sum.store_slice(&mut lanes[from..from + S::f32s::LEN]);
        }
    }
}

/// Returns the distances of R rows to all lanes, V vectors of them at a time; returns whether any is within the limit.
#[inline(always)]
fn distances_to_lanes<S: Simd, const R: usize, const V: usize, const CHUNK: usize>(
    simd: S,
    rows: &[Lanes],
    row: usize,
    columns: &[Lanes],
    limit: f32,
    results: &mut [Lanes],
) -> bool {
    let mut any = false;
    for lane in (0..LANES).step_by(V * S::f32s::LEN) {
        match distances_of::<S, R, V, CHUNK>(simd, rows, row, columns, lane, limit) {
            Some(sums) => {
                put::<S, R, V>(sums, lane, results);
                any = true;
            }
            // The other half may be needed.
            None if V * S::f32s::LEN < LANES => {
                for lanes in &mut *results {
                    lanes[lane..lane + V * S::f32s::LEN].fill(f32::INFINITY);
                }
            }
            None => {}
        }
    }
    any
}

/// Returns the distances of the frames of a tile to those of four tiles, for the blocks selected by `wanted`: see
/// [`SeamBounds::frames`](super::SeamBounds::frames).
#[inline(always)]
pub(super) fn distances<S: Simd, const CHUNK: usize>(
    simd: S,
    rows: &[Lanes],
    columns: &[Lanes],
    wanted: u32,
    limit: f32,
    squares: &mut Squares,
) -> u32 {
    simd.vectorize(
        #[inline(always)]
        || {
            let num_dims = rows.len();
            let mut passed = 0;
            for (column, square) in squares.iter_mut().enumerate() {
                let mut row = 0;
                while row < ROWS {
                    let bit = column * ROWS + row;
                    let results = &mut square[ROWS * row..];
                    // A slice past the end has no wanted block.
                    let tile = || columns.get(column * num_dims..(column + 1) * num_dims);
                    // With a single vector for each row of a wide register, adders are idle: two rows at once use them.
                    if S::f32s::LEN == LANES && row.is_multiple_of(2) && wanted >> bit & 0b11 == 0b11 {
                        if let Some(tile) = tile()
                            && distances_to_lanes::<S, 8, 1, CHUNK>(
                                simd,
                                rows,
                                ROWS * row,
                                tile,
                                limit,
                                &mut results[..8],
                            )
                        {
                            passed |= 0b11 << bit;
                        }
                        row += 2;
                        continue;
                    }
                    if wanted >> bit & 1 == 1
                        && let Some(tile) = tile()
                    {
                        let results = &mut results[..ROWS];
                        let any = if S::f32s::LEN == LANES {
                            distances_to_lanes::<S, ROWS, 1, CHUNK>(simd, rows, ROWS * row, tile, limit, results)
                        } else {
                            distances_to_lanes::<S, ROWS, 2, CHUNK>(simd, rows, ROWS * row, tile, limit, results)
                        };
                        passed |= u32::from(any) << bit;
                    }
                    row += 1;
                }
            }
            passed
        },
    )
}

/// Computes gaps between the boxes of four runs and those of a tile of runs; `None` if all of them are above the limit.
#[inline(always)]
pub(super) fn gaps<S: Simd>(
    simd: S,
    rows: (&[Lanes], &[Lanes]),
    row: usize,
    columns: (&[Lanes], &[Lanes]),
    limit: f32,
) -> Option<Block> {
    simd.vectorize(
        #[inline(always)]
        || {
            let mut block = [[f32::INFINITY; LANES]; ROWS];
            let mut any = false;
            if S::f32s::LEN == LANES {
                if let Some(sums) = gaps_of::<S, ROWS, 1>(simd, rows, row, columns, 0, limit) {
                    put::<S, ROWS, 1>(sums, 0, &mut block);
                    any = true;
                }
            } else {
                for lane in (0..LANES).step_by(2 * S::f32s::LEN) {
                    if let Some(sums) = gaps_of::<S, ROWS, 2>(simd, rows, row, columns, lane, limit) {
                        put::<S, ROWS, 2>(sums, lane, &mut block);
                        any = true;
                    }
                }
            }
            any.then_some(block)
        },
    )
}
