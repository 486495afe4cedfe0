//! Compares all pairs of frames with each other: the work that bounds save, for measurements of speed.

use fearless_simd::prelude::*;

use super::kernel::{LANES, Lanes, NEVER, ROWS, distances_of};

/// Least distance of the frames of two tiles, all pairs of them.
#[inline(always)]
fn least_of<S: Simd>(simd: S, rows: &[Lanes], columns: &[Lanes], least: &mut S::f32s) {
    const ALL: f32 = f32::INFINITY;
    if S::f32s::LEN == LANES {
        for row in (0..LANES).step_by(8) {
            let sums = distances_of::<S, 8, 1, NEVER>(simd, rows, row, columns, 0, ALL);
            lower::<S, 8, 1>(least, sums);
        }
    } else {
        for row in (0..LANES).step_by(ROWS) {
            for lane in (0..LANES).step_by(2 * S::f32s::LEN) {
                let sums = distances_of::<S, ROWS, 2, NEVER>(simd, rows, row, columns, lane, ALL);
                lower::<S, ROWS, 2>(least, sums);
            }
        }
    }
}

#[inline(always)]
fn lower<S: Simd, const R: usize, const V: usize>(least: &mut S::f32s, sums: Option<[[S::f32s; V]; R]>) {
    for sum in sums.iter().flatten().flatten() {
        *least = least.min(*sum);
    }
}

#[inline(always)]
fn lowest<S: Simd>(least: S::f32s) -> f32 {
    least.as_slice().iter().copied().fold(f32::INFINITY, f32::min)
}

/// Least distance of any two frames of all tiles.
#[inline(always)]
pub(super) fn all_pairs<S: Simd>(simd: S, tiles: &[Lanes], num_dims: usize, num_tiles: usize) -> f32 {
    /// Number of tiles in a square that stays in the cache.
    const SQUARE: usize = 32;
    simd.vectorize(
        #[inline(always)]
        || {
            let mut least = S::f32s::splat(simd, f32::INFINITY);
            let tile = |tile: usize| &tiles[tile * num_dims..(tile + 1) * num_dims];
            for row_square in (0..num_tiles).step_by(SQUARE) {
                for column_square in (row_square..num_tiles).step_by(SQUARE) {
                    for row in row_square..(row_square + SQUARE).min(num_tiles) {
                        for column in column_square.max(row)..(column_square + SQUARE).min(num_tiles) {
                            least_of(simd, tile(row), tile(column), &mut least);
                        }
                    }
                }
            }
            lowest::<S>(least)
        },
    )
}

/// Least distance within a tile, computed `times` times.
#[inline(always)]
pub(super) fn one_pair<S: Simd>(simd: S, tile: &[Lanes], times: usize) -> f32 {
    simd.vectorize(
        #[inline(always)]
        || {
            let mut least = S::f32s::splat(simd, f32::INFINITY);
            for _ in 0..times {
                least_of(simd, core::hint::black_box(tile), tile, &mut least);
            }
            lowest::<S>(least)
        },
    )
}
