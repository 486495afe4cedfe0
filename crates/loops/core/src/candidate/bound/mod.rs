//! Lower bounds of seam costs, computed many at a time from features in single precision.
//!
//! The bound of a pair is the distance of two rows of a matrix, summed over sizes of differences.
//! Derivation and margin: docs/math/search.md.

use fearless_simd::{Level, Simd, dispatch};

mod dims;

use super::seams::Seams;

/// Number of rows in a tile.
pub(super) const LANES: usize = 16;

/// Number of dimensions after which distances are compared with the limit, to skip a tile above it.
///
/// With fewer, tiles are skipped sooner but checked more often; a check costs as much as half a dimension.
const EXIT_DIMS: usize = 12;

/// One value for each row of a tile.
type Lanes = [f32; LANES];

/// Data for lower bounds of seams: the weighted features of a take in single precision.
///
/// Memory: four bytes for each frame and dimension.
pub struct SeamBounds<'a> {
    seams: Seams<'a>,
    /// The vector instructions of the processor, which change only the time.
    level: Level,
    num_dims: usize,
    /// Per tile of 16 rows and dimension, 16 rows side by side; zero where a frame is not usable.
    tiles: Vec<Lanes>,
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
            // Rows of images follow those of the poses.
            .filter(|row| usable.get(row % seams.comparison().num_frames()) == Some(&true))
            .collect();
        let (dims, scale, largest_sum) = dims::find(&seams, &rows);
        let num_dims = dims.len();
        let mut bounds = Self {
            seams,
            level: Level::new(),
            num_dims,
            tiles: vec![[0.0; LANES]; num_rows.div_ceil(LANES) * num_dims],
            scale,
            // Each addition rounds by 2^-24 of the sum; twice that, and some more for the rounding of the exact cost.
            relative_margin: (num_dims + 8) as f64 * f64::powi(0.5, 23),
            // Rounding a value to single precision costs 2^-24 of it; four times that for both frames of a pair, and the
            // underflow below the smallest number.
            margin: f64::powi(0.5, 21) * largest_sum + num_dims as f64 * f64::from(f32::MIN_POSITIVE),
        };
        // Frames that cannot be compared stay zero: in single precision they may not be finite, and would spoil their tile.
        for row in rows {
            for (dim, stored) in dims.iter().enumerate() {
                let value = (stored.value(features, row) * scale) as f32;
                bounds.tiles[row / LANES * num_dims + dim][row % LANES] = value;
            }
        }
        bounds
    }

    /// Returns the exact costs that these values bound.
    pub fn seams(&self) -> &Seams<'a> {
        &self.seams
    }

    /// Returns the number of dimensions compared for each pair: two for every axis that is not constant.
    pub fn num_dims(&self) -> usize {
        self.num_dims
    }

    /// Returns the stored distance above which a pair costs more than `cost`, including all rounding.
    pub(super) fn limit(&self, cost: f64) -> f32 {
        let exact = cost * self.scale * (1.0 + self.relative_margin) + self.margin;
        (exact as f32).next_up()
    }

    fn tile(&self, tile: usize) -> &[Lanes] {
        &self.tiles[tile * self.num_dims..(tile + 1) * self.num_dims]
    }

    /// Returns the distances of a row to those of a tile; `None` if all of them are above `limit`.
    pub(super) fn distances(&self, row: usize, tile: usize, limit: f32) -> Option<Lanes> {
        let (rows, columns) = (self.tile(row / LANES), self.tile(tile));
        dispatch!(self.level, simd => distances(simd, rows, row % LANES, columns, limit))
    }
}

/// Implements [`SeamBounds::distances`] by plain loops, of which the compiler makes vector instructions. Dimensions are added one after the
/// other, so that vectors of any width give the same bits.
#[inline(always)]
fn distances<S: Simd>(simd: S, rows: &[Lanes], lane: usize, columns: &[Lanes], limit: f32) -> Option<Lanes> {
    simd.vectorize(
        #[inline(always)]
        || {
            let mut sums: Lanes = [0.0; LANES];
            for (rows, columns) in rows.chunks(EXIT_DIMS).zip(columns.chunks(EXIT_DIMS)) {
                for (row, column) in rows.iter().zip(columns) {
                    let own = row[lane];
                    for (sum, value) in sums.iter_mut().zip(column) {
                        *sum += (own - value).abs();
                    }
                }
                if sums.iter().copied().fold(f32::INFINITY, f32::min) > limit {
                    return None;
                }
            }
            Some(sums)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::seams::NO_COST;
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

    const DECAYS: [Decay; 3] = [
        Decay::Spring { half_life_secs: 0.1 },
        Decay::Cubic { blend_secs: 0.4 },
        Decay::Quintic { blend_secs: 0.4 },
    ];

    /// Returns the distance by its definition: one sum, dimension by dimension.
    fn plain(bounds: &SeamBounds, left: usize, right: usize) -> f32 {
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
            for decay in DECAYS {
                let bounds = SeamBounds::new(Seams::new(&features, decay), &[true; NUM_FRAMES]);
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
        let bounds = SeamBounds::new(Seams::new(&still, DECAYS[0]), &[true; 20]);
        assert_eq!(bounds.num_dims(), 0);
        let none = Features::from_values(0.1, 4, Vec::new(), Vec::new()).unwrap();
        assert_eq!(SeamBounds::new(Seams::new(&none, DECAYS[0]), &[]).num_dims(), 0);
    }
}
