//! Lower bounds of seam costs, many at a time: features in single precision, boxes around runs of frames, and the loops that
//! compare them.
//!
//! The bound of a pair is the distance of two rows of a matrix, summed over sizes of differences. Frames lie across a vector
//! and dimensions are added one after the other, so every bound is one chain of additions in one order: vectors of any
//! width, and plain loops, give the same bits. Derivation, margin and boxes: docs/math/search.md.

use fearless_simd::{Level, dispatch, prelude::*};

use super::search::Seams;

/// Frames or runs side by side in a tile.
pub(super) const LANES: usize = 16;

/// Rows of a tile that are compared with all lanes of another at once.
pub(super) const ROWS: usize = 4;

/// Frames of the short runs: 4 leave 0.4% of the pairs of runs of motion at 120 fps and 4% at 30 fps, 8 leave 2% and 15%.
pub(super) const SHORT_RUN: usize = ROWS;

/// Frames of the long runs, which are a tile of frames.
pub(super) const LONG_RUN: usize = LANES;

/// Dimensions between two looks at whether all pairs of a block have passed the limit already.
///
/// Fewer stop sooner and look more often; a look costs as much as half a dimension.
const CHUNK: usize = 12;

/// No look before the last dimension.
const NEVER: usize = usize::MAX;

/// One value for each lane.
type Lanes = [f32; LANES];

/// Bounds of the pairs of [`ROWS`] rows with all lanes.
pub(super) type Block = [Lanes; ROWS];

/// Bounds of the pairs of a tile with each of four tiles, a row of lanes for each frame of the first.
pub(super) type Squares = [[Lanes; LANES]; ROWS];

/// The vector instructions that bounds are computed with; which ones changes nothing but the time.
#[derive(Clone, Copy, Debug)]
pub struct Instructions(Level);

impl Instructions {
    /// The widest that this processor has.
    pub fn detect() -> Self {
        Self(Level::new())
    }

    /// All that this processor has, widest first.
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

    /// Name for reports, as in "AVX2".
    pub fn name(self) -> &'static str {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        match self.0 {
            Level::Avx512(_) => return "AVX-512",
            Level::Avx2(_) => return "AVX2",
            Level::Sse4_2(_) => return "SSE4.2",
            Level::Sse2(_) => return "SSE2",
            #[expect(clippy::allow_attributes, reason = "whether an arm is left depends on the target")]
            #[allow(unreachable_patterns, reason = "levels of other targets")]
            _ => {}
        }
        if self.0.is_fallback() { "none" } else { "128 bit" }
    }
}

impl Default for Instructions {
    fn default() -> Self {
        Self::detect()
    }
}

/// Smallest and largest value of every dimension over runs of frames, [`LANES`] runs to a tile.
struct Boxes {
    lows: Vec<Lanes>,
    highs: Vec<Lanes>,
}

/// What bounds of seams are computed from: the weighted features of a take in single precision, with their boxes.
///
/// Memory: a little over six bytes for each frame and dimension.
pub struct SeamBounds<'a> {
    seams: Seams<'a>,
    instructions: Instructions,
    num_frames: usize,
    num_dims: usize,
    /// Per tile of 16 frames and dimension, 16 frames side by side; zero where a frame is not usable.
    tiles: Vec<Lanes>,
    short: Boxes,
    long: Boxes,
    /// Stored values are metre-seconds times this power of two, so that none is large or tiny.
    scale: f64,
    /// What rounding may add to a bound: relative to the bound, and in stored units.
    relative_margin: f64,
    margin: f64,
}

impl<'a> SeamBounds<'a> {
    /// Bounds for pairs of the frames marked in `usable`; a frame beyond its end counts as not usable.
    pub fn new(seams: Seams<'a>, usable: &[bool]) -> Self {
        Self::with_instructions(seams, usable, Instructions::detect())
    }

    /// The same with a choice of vector instructions.
    pub fn with_instructions(seams: Seams<'a>, usable: &[bool], instructions: Instructions) -> Self {
        let rows = Rows::of(&seams, usable);
        let num_frames = seams.features().num_frames();
        let num_dims = rows.dims.len();
        let num_tiles = num_frames.div_ceil(LANES);
        let mut bounds = Self {
            seams,
            instructions,
            num_frames,
            num_dims,
            tiles: vec![[0.0; LANES]; num_tiles * num_dims],
            short: Boxes::empty(num_frames.div_ceil(SHORT_RUN), num_dims),
            long: Boxes::empty(num_frames.div_ceil(LONG_RUN), num_dims),
            scale: rows.scale,
            // Each of the additions rounds by 2^-24 of the sum; twice that, and some for the exact cost's own rounding.
            relative_margin: (num_dims + 8) as f64 * f64::powi(0.5, 23),
            // Rounding a value to single precision costs 2^-24 of it; four times that for both frames of a pair, and what
            // may vanish below the smallest number.
            margin: f64::powi(0.5, 21) * rows.largest_sum + num_dims as f64 * f64::from(f32::MIN_POSITIVE),
        };
        for frame in 0..num_frames {
            // What cannot be compared stays zero: it may be no number in single precision, and would spoil its block.
            if !usable.get(frame).copied().unwrap_or(false) {
                continue;
            }
            for dim in 0..num_dims {
                let value = rows.dims[dim].value(&bounds.seams, frame, rows.scale);
                bounds.tiles[frame / LANES * num_dims + dim][frame % LANES] = value;
                bounds.short.widen(num_dims, frame / SHORT_RUN, dim, value);
                bounds.long.widen(num_dims, frame / LONG_RUN, dim, value);
            }
        }
        bounds
    }

    /// The exact costs that are bounded.
    pub fn seams(&self) -> &Seams<'a> {
        &self.seams
    }

    /// Number of frames.
    pub fn num_frames(&self) -> usize {
        self.num_frames
    }

    /// Dimensions that are compared for each pair: two for every axis with a position, one for a velocity alone, none for
    /// an axis on which nothing changes.
    pub fn num_dims(&self) -> usize {
        self.num_dims
    }

    /// The same bounds, computed with other instructions.
    #[must_use]
    pub fn using(self, instructions: Instructions) -> Self {
        Self { instructions, ..self }
    }

    /// The stored distance above which a pair costs more than `cost`, whatever was rounded on the way.
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

    /// Distances of the frames of a tile to those of four tiles from `first_end_tile` on, for the blocks named in `wanted`.
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
        looks: Looks,
        squares: &mut Squares,
    ) -> u32 {
        let rows = self.tile(tile);
        let columns = &self.tiles[(first_end_tile * self.num_dims).min(self.tiles.len())..];
        match looks {
            Looks::Early => {
                dispatch!(self.instructions.0, simd => distances::<_, CHUNK>(simd, rows, columns, wanted, limit, squares))
            }
            Looks::Last => {
                dispatch!(self.instructions.0, simd => distances::<_, NEVER>(simd, rows, columns, wanted, limit, squares))
            }
        }
    }

    /// Distances of the boxes of four runs from `first` on to those of a tile of 16 runs.
    ///
    /// `None` where all of them are above `limit`; those of a block that is not are complete where they are within it.
    /// Below the distance of any two frames inside, in the same rounded arithmetic.
    #[inline]
    pub(super) fn runs(&self, length: RunLength, first: usize, tile: usize, limit: f32) -> Option<Block> {
        let boxes = match length {
            RunLength::Short => &self.short,
            RunLength::Long => &self.long,
        };
        let rows = boxes.tile(self.num_dims, first / LANES);
        let columns = boxes.tile(self.num_dims, tile);
        let row = first % LANES;
        dispatch!(self.instructions.0, simd => gaps(simd, rows, row, columns, limit))
    }

    /// The lowest distance of any two frames, the whole matrix compared with itself: the work that bounds save.
    ///
    /// For measurements of speed.
    pub fn dense(&self) -> f32 {
        let num_tiles = self.num_frames.div_ceil(LANES);
        dispatch!(self.instructions.0, simd => all_pairs(simd, &self.tiles, self.num_dims, num_tiles))
    }

    /// [`Self::dense`] over the first tile alone, `times` over: the speed of the arithmetic without memory.
    ///
    /// For measurements of speed; `times` 16 x 16 pairs are compared.
    pub fn dense_in_cache(&self, times: usize) -> f32 {
        let tile = self.tiles.get(..self.num_dims).unwrap_or_default();
        dispatch!(self.instructions.0, simd => one_pair(simd, tile, times))
    }
}

/// When to look whether a block has passed the limit.
#[derive(Clone, Copy)]
pub(super) enum Looks {
    /// Every few dimensions.
    Early,
    /// After the last: where nothing passes early, looking is a waste.
    Last,
}

/// Which boxes to compare.
#[derive(Clone, Copy)]
pub(super) enum RunLength {
    /// Runs of [`SHORT_RUN`] frames.
    Short,
    /// Runs of [`LONG_RUN`] frames.
    Long,
}

impl Boxes {
    fn empty(num_runs: usize, num_dims: usize) -> Self {
        let num_rows = num_runs.div_ceil(LANES) * num_dims;
        Self {
            lows: vec![[f32::INFINITY; LANES]; num_rows],
            highs: vec![[f32::NEG_INFINITY; LANES]; num_rows],
        }
    }

    fn widen(&mut self, num_dims: usize, run: usize, dim: usize, value: f32) {
        let row = run / LANES * num_dims + dim;
        let low = &mut self.lows[row][run % LANES];
        *low = low.min(value);
        let high = &mut self.highs[row][run % LANES];
        *high = high.max(value);
    }

    fn tile(&self, num_dims: usize, tile: usize) -> (&[Lanes], &[Lanes]) {
        let rows = tile * num_dims..(tile + 1) * num_dims;
        (&self.lows[rows.clone()], &self.highs[rows])
    }
}

/// One stored dimension: position p (x - c) + velocity q (v - d) of an axis.
struct Dim {
    axis: usize,
    position: f64,
    velocity: f64,
    center: (f64, f64),
    spread: f64,
}

impl Dim {
    fn exact(&self, seams: &Seams<'_>, frame: usize) -> f64 {
        let features = seams.features();
        let position = features.positions(frame)[self.axis] - self.center.0;
        let velocity = features.velocities(frame)[self.axis] - self.center.1;
        self.position * position + self.velocity * velocity
    }

    fn value(&self, seams: &Seams<'_>, frame: usize, scale: f64) -> f32 {
        (self.exact(seams, frame) * scale) as f32
    }
}

/// Which dimensions a take needs.
struct Rows {
    dims: Vec<Dim>,
    scale: f64,
    /// Largest sum, over the usable frames, of the sizes of a frame's values, scaled.
    largest_sum: f64,
}

impl Rows {
    fn of(seams: &Seams<'_>, usable: &[bool]) -> Self {
        let features = seams.features();
        let frames = || (0..features.num_frames()).filter(|&frame| usable.get(frame).copied().unwrap_or(false));
        let (position_weight, velocity_weight) = seams.cost_per_axis().bound_weights();
        let start_share = seams.cost_per_axis().start_share();
        let mut dims = Vec::new();
        let (mut largest, mut largest_sum) = (0.0_f64, 0.0);
        let mut sums = vec![0.0_f64; features.num_frames()];
        for axis in 0..features.num_axes() {
            let range = |value: &dyn Fn(usize) -> f64| {
                frames().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), frame| {
                    (low.min(value(frame)), high.max(value(frame)))
                })
            };
            let positions = range(&|frame| features.positions(frame)[axis]);
            let velocities = range(&|frame| features.velocities(frame)[axis]);
            // Values near zero lose least when they are rounded.
            let center = (0.5 * (positions.0 + positions.1), 0.5 * (velocities.0 + velocities.1));
            let mut add = |position: f64, velocity: f64| {
                let mut dim = Dim {
                    axis,
                    position,
                    velocity,
                    center,
                    spread: 0.0,
                };
                dim.spread = frames().map(|frame| dim.exact(seams, frame).abs()).sum();
                dims.push(dim);
            };
            if positions.0 < positions.1 {
                let end_share = 1.0 - start_share;
                for (share, sign) in [(start_share, 1.0), (end_share, -1.0)] {
                    if share > 0.0 {
                        add(share * position_weight, share * sign * velocity_weight);
                    }
                }
            } else if velocities.0 < velocities.1 {
                // Without a position both dimensions are one and the same.
                add(0.0, velocity_weight);
            }
            for frame in frames() {
                let position = position_weight * (features.positions(frame)[axis] - center.0).abs();
                let velocity = velocity_weight * (features.velocities(frame)[axis] - center.1).abs();
                sums[frame] += position + velocity;
                largest = largest.max(position + velocity);
            }
        }
        for sum in sums {
            largest_sum = sum.max(largest_sum);
        }
        // Beyond what numbers hold nothing can be bounded: without dimensions all pairs are scored exactly.
        if !(largest_sum.is_finite() && largest > 0.0) || dims.iter().any(|dim| !dim.spread.is_finite()) {
            return Self {
                dims: Vec::new(),
                scale: 1.0,
                largest_sum: 0.0,
            };
        }
        // The dimensions that differ most come first, so that the sums pass a limit early.
        dims.sort_by(|left, right| right.spread.total_cmp(&left.spread));
        let scale = power_of_two_below(1.0 / largest);
        Self {
            dims,
            scale,
            largest_sum: largest_sum * scale,
        }
    }
}

/// The largest power of two not above a positive number, and far from the ends of the range of numbers.
fn power_of_two_below(value: f64) -> f64 {
    const EXPONENT: u64 = 0x7FF0_0000_0000_0000;
    f64::from_bits(value.clamp(1e-290, 1e290).to_bits() & EXPONENT)
}

/// Distances of R rows to the lanes from `lane` on, V vectors of them; `None` as soon as all are above the limit.
///
/// Sums stay in registers: R times V chains of additions keep the adders busy, and every value loaded serves V or R of them.
#[inline(always)]
fn distances_of<S: Simd, const R: usize, const V: usize, const LOOK: usize>(
    simd: S,
    rows: &[Lanes],
    row: usize,
    columns: &[Lanes],
    lane: usize,
    limit: f32,
) -> Option<[[S::f32s; V]; R]> {
    let mut sums = [[S::f32s::splat(simd, 0.0); V]; R];
    for (rows, columns) in rows.chunks(LOOK).zip(columns.chunks(LOOK)) {
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

/// Gaps between boxes, with the meaning of [`distances_of`].
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
    let rows = row_lows.chunks(CHUNK).zip(row_highs.chunks(CHUNK));
    let columns = column_lows.chunks(CHUNK).zip(column_highs.chunks(CHUNK));
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
                    // Lies the row's box above, or below; both are negative where the boxes overlap.
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

/// Writes sums to the lanes from `lane` on of as many rows.
#[inline(always)]
fn put<S: Simd, const R: usize, const V: usize>(sums: [[S::f32s; V]; R], lane: usize, rows: &mut [Lanes]) {
    for (sums, lanes) in sums.iter().zip(rows) {
        for (v, sum) in sums.iter().enumerate() {
            let from = lane + v * S::f32s::LEN;
            sum.store_slice(&mut lanes[from..from + S::f32s::LEN]);
        }
    }
}

/// Distances of R rows to all lanes, V vectors of them at a time; whether any is within the limit.
#[inline(always)]
fn distances_to_lanes<S: Simd, const R: usize, const V: usize, const LOOK: usize>(
    simd: S,
    rows: &[Lanes],
    row: usize,
    columns: &[Lanes],
    limit: f32,
    results: &mut [Lanes],
) -> bool {
    let mut any = false;
    for lane in (0..LANES).step_by(V * S::f32s::LEN) {
        match distances_of::<S, R, V, LOOK>(simd, rows, row, columns, lane, limit) {
            Some(sums) => {
                put::<S, R, V>(sums, lane, results);
                any = true;
            }
            // The other half may be wanted.
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

#[inline(always)]
fn distances<S: Simd, const LOOK: usize>(
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
                    // One vector for each row of a wide one leaves adders idle: twice the rows make up for it.
                    if S::f32s::LEN == LANES && row.is_multiple_of(2) && wanted >> bit & 0b11 == 0b11 {
                        if let Some(tile) = tile()
                            && distances_to_lanes::<S, 8, 1, LOOK>(
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
                            distances_to_lanes::<S, ROWS, 1, LOOK>(simd, rows, ROWS * row, tile, limit, results)
                        } else {
                            distances_to_lanes::<S, ROWS, 2, LOOK>(simd, rows, ROWS * row, tile, limit, results)
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

#[inline(always)]
fn gaps<S: Simd>(
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

#[inline(always)]
fn all_pairs<S: Simd>(simd: S, tiles: &[Lanes], num_dims: usize, num_tiles: usize) -> f32 {
    /// Tiles to a square that stays in the cache.
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

#[inline(always)]
fn one_pair<S: Simd>(simd: S, tile: &[Lanes], times: usize) -> f32 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{analysis::features::Features, candidate::score::SeamCost, math::decay::Decay};

    const NUM_FRAMES: usize = 150;
    const NUM_AXES: usize = 9;

    /// Uneven numbers of very different sizes, the same for every run.
    fn features(offset: f64, size: f64) -> Features {
        let mut state = 1_u64;
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / 16_777_216.0 - 0.5
        };
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
            SeamCost::even(Decay::Cubic { blend_secs: 0.4 }).with_start_share(0.3),
            SeamCost::even(Decay::Quintic { blend_secs: 0.4 }).with_start_share(1.0),
        ]
    }

    /// The distance as the definition has it: one sum, dimension by dimension.
    fn plain(bounds: &SeamBounds<'_>, left: usize, right: usize) -> f32 {
        let value = |frame: usize, dim: usize| bounds.tile(frame / LANES)[dim][frame % LANES];
        let mut sum = 0.0;
        for dim in 0..bounds.num_dims() {
            sum += (value(left, dim) - value(right, dim)).abs();
        }
        sum
    }

    #[test]
    fn every_instruction_set_gives_the_bits_of_plain_loops() {
        let features = features(0.0, 1.0);
        let mut squares: Squares = [[[0.0; LANES]; LANES]; ROWS];
        for cost in costs() {
            let mut bounds = SeamBounds::new(Seams::new(&features, cost), &[true; NUM_FRAMES]);
            let mut lists = Vec::new();
            for instructions in Instructions::available() {
                bounds = bounds.using(instructions);
                let mut found = Vec::new();
                for looks in [Looks::Early, Looks::Last] {
                    for tile in 0..NUM_FRAMES / LANES {
                        for limit in [f32::INFINITY, bounds.limit(0.5), bounds.limit(0.1)] {
                            let passed = bounds.frames(tile, 4, 0xFFFF, limit, looks, &mut squares);
                            for index in 0..LANES * LANES * ROWS {
                                let (column, row, lane) = (index / 256, index / 16 % 16, index % 16);
                                let (left, right) = (tile * LANES + row, (4 + column) * LANES + lane);
                                if right >= NUM_FRAMES {
                                    continue;
                                }
                                let expected = plain(&bounds, left, right);
                                let was_passed = passed >> (column * ROWS + row / ROWS) & 1 == 1;
                                let distance = squares[column][row][lane];
                                if expected <= limit {
                                    assert!(was_passed);
                                    assert_eq!(distance.to_bits(), expected.to_bits(), "{instructions:?}");
                                } else {
                                    assert!(!was_passed || distance > limit);
                                }
                            }
                        }
                    }
                }
                for (length, frames) in [(RunLength::Short, SHORT_RUN), (RunLength::Long, LONG_RUN)] {
                    let gaps = bounds.runs(length, 0, 0, f32::INFINITY).unwrap();
                    for (left, gaps) in gaps.iter().enumerate() {
                        for (right, &gap) in gaps.iter().enumerate() {
                            let run = |run: usize| run * frames..((run + 1) * frames).min(NUM_FRAMES);
                            for left in run(left) {
                                for right in run(right) {
                                    // No margin: the gap is rounded like the distance, and never above it.
                                    assert!(gap <= plain(&bounds, left, right));
                                }
                            }
                            found.push(gap.to_bits());
                        }
                    }
                }
                lists.push(found);
            }
            assert!(lists.windows(2).all(|pair| pair[0] == pair[1]));
        }
    }

    #[test]
    fn no_rounding_lifts_a_bound_above_its_cost() {
        for (offset, size) in [(0.0, 1.0), (1e6, 1.0), (3.0, 1e-9), (0.0, 1e150), (0.0, 1e-200)] {
            let features = features(offset, size);
            for cost in costs() {
                let bounds = SeamBounds::new(Seams::new(&features, cost), &[true; NUM_FRAMES]);
                for left in 0..NUM_FRAMES {
                    for right in left..NUM_FRAMES {
                        let limit = bounds.limit(bounds.seams().cost(left, right));
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
        assert_eq!(bounds.dense(), 0.0);
        let none = Features::from_values(0.1, 4, Vec::new(), Vec::new()).unwrap();
        assert_eq!(
            SeamBounds::new(Seams::new(&none, costs()[0]), &[]).dense(),
            f32::INFINITY
        );
    }
}
