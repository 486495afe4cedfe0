//! Lower bounds of seam costs, computed many at a time: features in single precision, boxes around runs of frames, and the loops
//! that compare them.
//!
//! The bound of a pair is the distance of two rows of a matrix, summed over sizes of differences.
//! Derivation, margin and boxes: docs/math/search.md.

use fearless_simd::{Level, dispatch};

mod dims;

mod kernel;

use dims::Dims;
pub(super) use kernel::{Block, LANES, ROWS, Squares};
use kernel::{EXIT_DIMS, Lanes, NEVER};

use super::seams::Seams;

/// Frames of a short run: 4 leave 0.4% of the pairs of runs of motion at 120 fps and 4% at 30 fps, 8 leave 2% and 15%.
pub(super) const SHORT_RUN: usize = ROWS;

/// Frames of a long run, which is a tile of frames.
pub(super) const LONG_RUN: usize = LANES;

/// Whether distances are compared with the limit before all dimensions are summed.
#[derive(Clone, Copy)]
pub(super) enum EarlyExit {
    /// Every few dimensions.
    On,
    /// Never: if nothing exceeds the limit early, the checks only cost time.
    Off,
}

/// Which boxes to compare.
#[derive(Clone, Copy)]
pub(super) enum RunLength {
    /// Runs of [`SHORT_RUN`] frames.
    Short,
    /// Runs of [`LONG_RUN`] frames.
    Long,
}

/// The vector instructions that compute the bounds; the choice affects only the time.
#[derive(Clone, Copy, Debug)]
pub struct Instructions(Level);

impl Instructions {
    /// Returns the widest that this processor supports.
    pub fn detect() -> Self {
        Self(Level::new())
    }

    /// Returns all that this processor supports, widest first.
    pub fn available() -> Vec<Self> {
        let level = Level::new();
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        {
            let narrower = [
                level.as_avx512().map(Level::Avx512),
                level.as_avx2().map(Level::Avx2),
                level.as_sse4_2().map(Level::Sse4_2),
                level.as_sse2().map(Level::Sse2),
            ];
            narrower.into_iter().flatten().map(Self).collect()
        }
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
        {
            vec![Self(level)]
        }
    }
}

/// Data for lower bounds of seams: the weighted features of a take in single precision, with their boxes.
///
/// Memory: a little over six bytes for each frame and dimension.
pub struct SeamBounds<'a> {
    seams: Seams<'a>,
    instructions: Instructions,
    num_dims: usize,
    /// Per tile of 16 rows and dimension, 16 rows side by side; zero where a frame is not usable.
    tiles: Vec<Lanes>,
    short: Boxes,
    long: Boxes,
    /// Stored values are metre-seconds times this power of two, which keeps them in range.
    scale: f64,
    /// Rounding error that a bound may contain: relative to the bound, and in stored units.
    relative_margin: f64,
    margin: f64,
}

impl<'a> SeamBounds<'a> {
    /// Creates bounds for pairs of the frames of the take marked in `usable`; a frame beyond its end counts as not usable.
    pub fn new(seams: Seams<'a>, usable: &[bool]) -> Self {
        let features = seams.features();
        let num_rows = features.num_frames();
        let rows: Vec<usize> = (0..num_rows)
            .filter(|row| usable.get(seams.comparison().frame_of_row(*row)) == Some(&true))
            .collect();
        let Dims {
            dims,
            scale,
            largest_sum,
        } = Dims::new(&seams, &rows);
        let num_dims = dims.len();
        let num_tiles = num_rows.div_ceil(LANES);
        let mut bounds = Self {
            seams,
            instructions: Instructions::detect(),
            num_dims,
            tiles: vec![[0.0; LANES]; num_tiles * num_dims],
            short: Boxes::empty(num_rows.div_ceil(SHORT_RUN), num_dims),
            long: Boxes::empty(num_rows.div_ceil(LONG_RUN), num_dims),
            scale,
            // Each addition rounds by 2^-24 of the sum; twice that, and some more for the rounding of the exact cost.
            relative_margin: (num_dims + 8) as f64 * f64::powi(0.5, 23),
            // Rounding a value to single precision costs 2^-24 of it; four times that for both frames of a pair, and the
            // underflow below the smallest number.
            margin: f64::powi(0.5, 21) * largest_sum + num_dims as f64 * f64::from(f32::MIN_POSITIVE),
        };
        // Frames that cannot be compared stay zero: in single precision they may not be finite, and would spoil their block.
        for row in rows {
            for (dim, stored) in dims.iter().enumerate() {
                let value = stored.value(features, row, scale);
                bounds.tiles[row / LANES * num_dims + dim][row % LANES] = value;
                bounds.short.widen(num_dims, row / SHORT_RUN, dim, value);
                bounds.long.widen(num_dims, row / LONG_RUN, dim, value);
            }
        }
        bounds
    }

    /// Returns the exact costs that these values bound.
    pub fn seams(&self) -> &Seams<'a> {
        &self.seams
    }

    /// Returns the number of rows: one for each frame, and for mirrored ends one for each image.
    pub fn num_rows(&self) -> usize {
        self.seams.features().num_frames()
    }

    /// Returns the number of dimensions compared for each pair: two for every axis with a position, one for a velocity alone,
    /// none for a constant axis.
    pub fn num_dims(&self) -> usize {
        self.num_dims
    }

    /// Uses other vector instructions.
    #[must_use]
    pub fn using(self, instructions: Instructions) -> Self {
        Self { instructions, ..self }
    }

    /// Returns the stored distance above which a pair costs more than `cost`, including all rounding.
    pub(super) fn limit(&self, cost: f64) -> f32 {
        let exact = cost * self.scale * (1.0 + self.relative_margin) + self.margin;
        let rounded = exact as f32;
        if f64::from(rounded) < exact {
            rounded.next_up()
        } else {
            rounded
        }
    }

    fn tile(&self, tile: usize) -> &[Lanes] {
        &self.tiles[tile * self.num_dims..(tile + 1) * self.num_dims]
    }

    /// Computes the distances of the frames of a tile to those of four tiles from `first_end_tile` on, for the blocks selected
    /// by `wanted`.
    ///
    /// Bit 4 c + r stands for the block of the four rows from 4 r on and of tile c. Returns the bits of the blocks with any
    /// distance within `limit`; their distances are written to `squares`, complete wherever they are within it.
    #[inline]
    pub(super) fn frames(
        &self,
        tile: usize,
        first_end_tile: usize,
        wanted: u32,
        limit: f32,
        early_exit: EarlyExit,
        squares: &mut Squares,
    ) -> u32 {
        let rows = self.tile(tile);
        let columns = &self.tiles[(first_end_tile * self.num_dims).min(self.tiles.len())..];
        match early_exit {
            EarlyExit::On => {
                dispatch!(self.instructions.0, simd => kernel::distances::<_, EXIT_DIMS>(simd, rows, columns, wanted, limit, squares))
            }
            EarlyExit::Off => {
                dispatch!(self.instructions.0, simd => kernel::distances::<_, NEVER>(simd, rows, columns, wanted, limit, squares))
            }
        }
    }

    /// Returns the distances of the boxes of four runs from `first` on to those of a tile of 16 runs.
    ///
    /// `None` if all of them are above `limit`; otherwise the distances within the limit are complete. Never above the distance
    /// of any two frames inside, in the same rounded arithmetic.
    #[inline]
    pub(super) fn runs(&self, length: RunLength, first: usize, tile: usize, limit: f32) -> Option<Block> {
        let boxes = match length {
            RunLength::Short => &self.short,
            RunLength::Long => &self.long,
        };
        let rows = boxes.tile(self.num_dims, first / LANES);
        let columns = boxes.tile(self.num_dims, tile);
        let row = first % LANES;
        dispatch!(self.instructions.0, simd => kernel::gaps(simd, rows, row, columns, limit))
    }
}

/// Smallest and largest value of every dimension over runs of frames, [`LANES`] runs to a tile.
struct Boxes {
    lows: Vec<Lanes>,
    highs: Vec<Lanes>,
}

impl Boxes {
    /// Empty boxes.
    fn empty(num_runs: usize, num_dims: usize) -> Self {
        let num_rows = num_runs.div_ceil(LANES) * num_dims;
        Self {
            lows: vec![[f32::INFINITY; LANES]; num_rows],
            highs: vec![[f32::NEG_INFINITY; LANES]; num_rows],
        }
    }

    /// Widens the box of a run to hold a value of one of its frames.
    fn widen(&mut self, num_dims: usize, run: usize, dim: usize, value: f32) {
        let row = run / LANES * num_dims + dim;
        let low = &mut self.lows[row][run % LANES];
        *low = low.min(value);
        let high = &mut self.highs[row][run % LANES];
        *high = high.max(value);
    }

    /// Lows and highs of a tile of runs, a row of lanes for each dimension.
    fn tile(&self, num_dims: usize, tile: usize) -> (&[Lanes], &[Lanes]) {
        let rows = tile * num_dims..(tile + 1) * num_dims;
        (&self.lows[rows.clone()], &self.highs[rows])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::{score::SeamCost, seams::NO_COST};
    use crate::{analysis::features::Features, math::decay::Decay, tests::numbers};

    const NUM_FRAMES: usize = 150;
    const NUM_AXES: usize = 9;

    /// Irregular numbers of very different sizes, the same in every run.
    fn features(offset: f64, size: f64) -> Features {
        let mut next = numbers(1);
        let mut draw = || 0.5 * next();
        let values = |scale: f64, draw: &mut dyn FnMut() -> f64| -> Vec<f64> {
            (0..NUM_FRAMES * NUM_AXES)
                .map(|index| offset + size * scale * draw() / (1 + index % NUM_AXES) as f64)
                .collect()
        };
        let positions = values(1.0, &mut draw);
        let velocities = values(10.0, &mut draw);
        Features::from_values(1.0 / 30.0, NUM_AXES, positions, velocities).unwrap()
    }

    fn costs() -> [SeamCost; 3] {
        [
            Decay::Spring { half_life_secs: 0.1 }.into(),
            SeamCost::from(Decay::Cubic { blend_secs: 0.4 }),
            SeamCost::from(Decay::Quintic { blend_secs: 0.4 }),
        ]
    }

    /// Returns the distance by its definition: one sum, dimension by dimension.
    fn plain(bounds: &SeamBounds<'_>, left: usize, right: usize) -> f32 {
        let value = |frame: usize, dim: usize| bounds.tile(frame / LANES)[dim][frame % LANES];
        let mut sum = 0.0;
        for dim in 0..bounds.num_dims() {
            sum += (value(left, dim) - value(right, dim)).abs();
        }
        sum
    }

    #[test]
    fn no_rounding_lifts_a_bound_above_its_cost() {
        for (offset, size) in [(0.0, 1.0), (1e6, 1.0), (3.0, 1e-9), (0.0, 1e150), (0.0, 1e-200)] {
            let features = features(offset, size);
            for cost in costs() {
                let bounds = SeamBounds::new(Seams::new(&features, cost), &[true; NUM_FRAMES]);
                for left in 0..NUM_FRAMES {
                    for right in left..NUM_FRAMES {
                        let limit = bounds.limit(bounds.seams().cost(left, right).max(NO_COST));
                        assert!(plain(&bounds, left, right) <= limit, "{offset} {size} {left} {right}");
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_to_compare_bounds_nothing() {
        let still = Features::from_values(0.1, 4, vec![1.0; 80], vec![0.0; 80]).unwrap();
        let bounds = SeamBounds::new(Seams::new(&still, costs()[0]), &[true; 20]);
        assert_eq!(bounds.num_dims(), 0);
        let none = Features::from_values(0.1, 4, Vec::new(), Vec::new()).unwrap();
        assert_eq!(SeamBounds::new(Seams::new(&none, costs()[0]), &[]).num_dims(), 0);
    }
}
