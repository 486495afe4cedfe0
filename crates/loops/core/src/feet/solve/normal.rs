//! Least squares over the samples of a loop: every residual touches the unknowns of a few neighbouring samples, around the
//! circle.
//!
//! The normal equations are a band of blocks, one block for the unknowns of a sample, plus corners that join the last samples to
//! the first. The unknowns of the last [`REACH`] samples become a border: the others are eliminated one sample after the other
//! (Cholesky), each from the [`REACH`] samples after it and from the border, and the border comes last. Source: Golub and Van
//! Loan, "Matrix Computations", 4th edition, 4.2 and 4.3.
//!
//! Every entry is one chain of subtractions in one order, whatever the width of the processor's vectors, so that the bits are
//! the same on every machine.

use fearless_simd::{Level, dispatch, f64x4, prelude::*};

/// Samples after its first that a residual may touch.
pub(super) const REACH: usize = 3;

/// Fewest samples of a circle: fewer would meet through the band as well as through the corners.
pub(super) const FEWEST_SAMPLES: usize = 2 * REACH + 2;

/// Numbers side by side in a vector; blocks are filled up to whole vectors.
const LANES: usize = 4;

/// Normal equations of a linear least-squares problem over the samples of a loop.
///
/// They keep their factor: right-hand sides added after [`Self::clear_pulls`] then give steps of a search whose coefficients
/// hardly change, at a fraction of the work.
pub(super) struct NormalEquations {
    shape: Shape,
    level: Level,
    /// Rows of the samples outside the border, in the upper triangle: the sample's own block, those of the [`REACH`] samples
    /// after it, and those of the border. After factoring, rows of the factor.
    rows: Vec<f64>,
    /// The upper triangle of the border itself, likewise.
    corner: Vec<f64>,
    /// The right side, a block for each sample.
    right: Vec<f64>,
    is_factored: bool,
    /// Number of leading samples that touch neither the border nor its factor: all but the last few of a chain, whose ends do not meet.
    num_apart: usize,
}

/// Numbers of samples and unknowns.
#[derive(Clone, Copy)]
struct Shape {
    num_samples: usize,
    /// Number of unknowns of a sample, and the same rounded up to whole vectors.
    width: usize,
    block: usize,
}

impl Shape {
    /// Returns the samples that are not of the border.
    fn num_inner(&self) -> usize {
        self.num_samples - REACH
    }

    /// Returns the columns of the blocks of a sample and of those after it; those of the border follow.
    fn band(&self) -> usize {
        (1 + REACH) * self.block
    }

    fn border(&self) -> usize {
        REACH * self.block
    }

    /// Returns the columns of a row.
    fn stride(&self) -> usize {
        self.band() + self.border()
    }

    /// Whether a column of a block belongs to an unknown.
    fn is_unknown(&self, column: usize) -> bool {
        column % self.block < self.width
    }
}

/// An unknown: its sample, and its index in the sample.
pub(super) type Unknown = (usize, usize);

impl NormalEquations {
    /// Empty equations of `num_samples` samples, at least [`FEWEST_SAMPLES`], with `width` unknowns each.
    pub(super) fn new(num_samples: usize, width: usize) -> Self {
        debug_assert!(num_samples >= FEWEST_SAMPLES, "the corners would overlap the band");
        let shape = Shape {
            num_samples,
            width,
            block: width.next_multiple_of(LANES),
        };
        Self {
            shape,
            level: Level::new(),
            rows: vec![0.0; shape.num_inner() * shape.block * shape.stride()],
            corner: vec![0.0; shape.border() * shape.border()],
            right: vec![0.0; num_samples * shape.block],
            is_factored: false,
            num_apart: shape.num_inner(),
        }
    }

    /// Removes all equations.
    pub(super) fn clear(&mut self) {
        self.rows.fill(0.0);
        self.corner.fill(0.0);
        self.is_factored = false;
        self.num_apart = self.shape.num_inner();
        self.clear_pulls();
    }

    /// Clears the right-hand side, and keeps the factor if there is one.
    pub(super) fn clear_pulls(&mut self) {
        self.right.fill(0.0);
    }

    /// Whether they have been factored since they were cleared.
    pub(super) fn is_factored(&self) -> bool {
        self.is_factored
    }

    /// Returns the vector instructions of the processor.
    pub(super) fn level(&self) -> Level {
        self.level
    }

    /// Adds half the slopes of the sum of squares by neighbouring unknowns of a sample, from `first` on.
    #[inline]
    pub(super) fn add_pull(&mut self, sample: usize, first: usize, slopes: &[f64]) {
        let right = &mut self.right[sample * self.shape.block + first..][..slopes.len()];
        for (right, slope) in right.iter_mut().zip(slopes) {
            *right -= slope;
        }
    }

    /// Adds sums of products of coefficients: rows of neighbouring unknowns with columns of others. Between two samples either
    /// order counts; within one sample, rows may not begin after columns. Does nothing after factoring.
    #[inline]
    pub(super) fn add_block<const R: usize, const C: usize>(
        &mut self,
        rows: Unknown,
        columns: Unknown,
        products: &[[f64; C]; R],
    ) {
        if self.is_factored {
            return;
        }
        if rows.0 > columns.0 {
            for (unknown, row) in products.iter().enumerate() {
                for (other, product) in row.iter().enumerate() {
                    let (entries, at, _) = self.entries((columns.0, columns.1 + other), (rows.0, rows.1 + unknown));
                    entries[at] += product;
                }
            }
            return;
        }
        let (entries, first, stride) = self.entries(rows, columns);
        for (unknown, row) in products.iter().enumerate() {
            let entries = &mut entries[first + unknown * stride..][..C];
            for (entry, product) in entries.iter_mut().zip(row) {
                *entry += product;
            }
        }
    }

    /// Adds products of each unknown of a sample with the same unknown of another. Does nothing after factoring.
    pub(super) fn add_diagonal(&mut self, sample: usize, other: usize, products: &[f64]) {
        if self.is_factored {
            return;
        }
        let (entries, first, stride) = self.entries((sample.min(other), 0), (sample.max(other), 0));
        for (unknown, product) in products.iter().enumerate() {
            entries[first + unknown * (stride + 1)] += product;
        }
    }

    /// Adds the square of a residual, given its slopes by unknowns of one or more samples, each with the number of the unknown, in
    /// ascending order.
    pub(super) fn add_residual<R: AsRef<[(usize, f64)]>>(&mut self, rows: &[(usize, R)], residual: f64) {
        for (number, (sample, row)) in rows.iter().enumerate() {
            for (index, &(unknown, slope)) in row.as_ref().iter().enumerate() {
                self.add_pull(*sample, unknown, &[slope * residual]);
                if self.is_factored {
                    continue;
                }
                for (ahead, (other_sample, others)) in rows[number..].iter().enumerate() {
                    // Within a sample each product counts once.
                    let first = if ahead == 0 { index } else { 0 };
                    for &(other, by_other) in &others.as_ref()[first..] {
                        self.add_block((*sample, unknown), (*other_sample, other), &[[slope * by_other]]);
                    }
                }
            }
        }
    }

    /// Returns the entry of the product of two unknowns, of which the second is not from an earlier sample: the entries, its
    /// index, and the distance to the next row.
    #[inline]
    fn entries(&mut self, (sample, unknown): Unknown, (other, column): Unknown) -> (&mut [f64], usize, usize) {
        let shape = self.shape;
        let inner = shape.num_inner();
        if let Some(of_border) = sample.checked_sub(inner) {
            let stride = shape.border();
            return (
                &mut self.corner,
                (of_border * shape.block + unknown) * stride + (other - inner) * shape.block + column,
                stride,
            );
        }
        let ahead = other - sample;
        debug_assert!(
            ahead <= REACH || other >= inner,
            "a residual touches samples that are too far apart"
        );
        let start = match other.checked_sub(inner) {
            Some(of_border) => {
                self.num_apart = self.num_apart.min(sample);
                shape.band() + of_border * shape.block
            }
            None => ahead * shape.block,
        };
        let stride = shape.stride();
        (
            &mut self.rows,
            (sample * shape.block + unknown) * stride + start + column,
            stride,
        )
    }

    /// Adds the cost of the square of each unknown of a sample, for all samples, before factoring.
    pub(super) fn damp(&mut self, squares: &[f64]) {
        for sample in 0..self.shape.num_samples {
            self.add_diagonal(sample, sample, squares);
        }
    }

    /// Returns the pulls of residuals: minus half the slopes of the sum of squares, sample by sample.
    pub(super) fn pulls(&self) -> Vec<f64> {
        self.right
            .chunks_exact(self.shape.block)
            .flat_map(|block| &block[..self.shape.width])
            .copied()
            .collect()
    }

    /// Returns the unknowns with the least sum of squares, sample by sample; `None` if the equations do not determine them.
    pub(super) fn solve(&mut self) -> Option<Vec<f64>> {
        let shape = self.shape;
        if !self.is_factored {
            let (num_apart, rows, corner) = (self.num_apart, &mut self.rows, &mut self.corner);
            self.is_factored = dispatch!(self.level, simd => factor(simd, shape, num_apart, rows, corner));
        }
        if !self.is_factored {
            return None;
        }
        self.substitute();
        // The unknowns have taken the place of the pulls.
        Some(self.pulls())
    }

    /// Replaces the right side by the unknowns: forward through the factor, and back.
    fn substitute(&mut self) {
        let shape = self.shape;
        let (stride, band, border) = (shape.stride(), shape.band(), shape.border());
        let (first_of_border, count) = (shape.num_inner() * shape.block, self.right.len());
        let (right, corner) = (&mut self.right, &self.corner);
        // The columns of a row from the diagonal on, the unknown after the last of them, and its columns of the border.
        let row_of = |at: usize| match at.checked_sub(first_of_border) {
            Some(at) => (&corner[at * border..][at..border], count, &[][..]),
            None => {
                let (own, border) = self.rows[at * stride..][..stride].split_at(band);
                let border = if at < self.num_apart * shape.block { &[] } else { border };
                (&own[at % shape.block..], first_of_border, border)
            }
        };
        for at in (0..count).filter(|&at| shape.is_unknown(at)) {
            let (own, end, border) = row_of(at);
            let value = right[at] / own[0];
            right[at] = value;
            subtract_multiple(&mut right[at + 1..end], value, &own[1..]);
            subtract_multiple(&mut right[first_of_border..], value, border);
        }
        for at in (0..count).rev().filter(|&at| shape.is_unknown(at)) {
            let (own, end, border) = row_of(at);
            let others = dot(&own[1..], &right[at + 1..end]) + dot(border, &right[first_of_border..]);
            right[at] = (right[at] - others) / own[0];
        }
    }
}

/// Subtracts a multiple of one slice from the start of another; the rest of the longer one is ignored.
#[inline(always)]
fn subtract_multiple(from: &mut [f64], factor: f64, row: &[f64]) {
    let count = from.len().min(row.len());
    let (from, row) = (&mut from[..count], &row[..count]);
    for at in 0..count {
        from[at] -= factor * row[at];
    }
}

/// Returns the sum of products of two slices; the rest of the longer one is ignored.
fn dot(one: &[f64], other: &[f64]) -> f64 {
    const AT_ONCE: usize = 8;
    let count = one.len().min(other.len());
    let (ones, one_rest) = one[..count].as_chunks::<AT_ONCE>();
    let (others, other_rest) = other[..count].as_chunks::<AT_ONCE>();
    let mut lanes = [0.0; AT_ONCE];
    for (one, other) in ones.iter().zip(others) {
        for lane in 0..AT_ONCE {
            lanes[lane] += one[lane] * other[lane];
        }
    }
    let mut sum = 0.0;
    for (one, other) in one_rest.iter().zip(other_rest) {
        sum += one * other;
    }
    for lane in lanes {
        sum += lane;
    }
    sum
}

/// Factors the rows and the corner in place; `false` if they have no factor.
#[inline(always)]
fn factor<S: Simd>(simd: S, shape: Shape, num_apart: usize, rows: &mut [f64], corner: &mut [f64]) -> bool {
    let Shape { width, block, .. } = shape;
    let (stride, band, border) = (shape.stride(), shape.band(), shape.border());
    let size = block * stride;
    for sample in 0..shape.num_inner() {
        let (own, later) = rows[sample * size..].split_at_mut(size);
        let reaches_border = sample >= num_apart;
        let columns = if reaches_border { stride } else { band };
        if !factor_block(own, stride, columns, width, |_| true) {
            return false;
        }
        let own = Block {
            rows: own,
            stride,
            count: width,
        };
        for (ahead, target) in (1..=REACH).zip(later.chunks_exact_mut(size)) {
            let at = ahead * block;
            // Subtracts from this block and later ones, as far as this sample reaches, and from the border.
            own.subtract_from(simd, at..at + block, at..band, target, stride, true);
            if reaches_border {
                own.subtract_from(simd, at..at + block, band..stride, &mut target[band..], stride, false);
            }
        }
        if reaches_border {
            own.subtract_from(simd, band..stride, band..stride, corner, border, true);
        }
    }
    factor_block(corner, border, border, border, |row| shape.is_unknown(row))
}

/// Factors a square block at the left of rows of `stride` columns, in its upper triangle, and applies that to the other ones of
/// the first `columns`. Rows that are not unknowns are left out.
#[inline(always)]
fn factor_block(
    rows: &mut [f64],
    stride: usize,
    columns: usize,
    size: usize,
    is_unknown: impl Fn(usize) -> bool,
) -> bool {
    for at in 0..size {
        if !is_unknown(at) {
            continue;
        }
        let (done, below) = rows.split_at_mut((at + 1) * stride);
        let own = &mut done[at * stride..][at..columns];
        let pivot = own[0];
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        let root = pivot.sqrt();
        let inverse = 1.0 / root;
        own[0] = root;
        for entry in &mut own[1..] {
            *entry *= inverse;
        }
        for row in at + 1..size {
            let below = &mut below[(row - at - 1) * stride..][..stride];
            subtract_multiple(&mut below[row..], own[row - at], &own[row - at..]);
        }
    }
    true
}

/// Rows of the factor that belong to one sample.
#[derive(Clone, Copy)]
struct Block<'a> {
    rows: &'a [f64],
    stride: usize,
    count: usize,
}

impl Block<'_> {
    /// Subtracts the products of two ranges of its columns, summed over its rows, from the first entries of rows of `target`: one row
    /// of it for each column of `down`, one column for each of `across`. Of a square block at their start only the upper triangle is
    /// wanted, if `is_upper`. Both ranges are whole vectors.
    #[inline(always)]
    fn subtract_from<S: Simd>(
        self,
        simd: S,
        down: core::ops::Range<usize>,
        across: core::ops::Range<usize>,
        target: &mut [f64],
        stride: usize,
        is_upper: bool,
    ) {
        let num_columns = across.len();
        let mut row = 0;
        while row < down.len() {
            let target = &mut target[row * stride..];
            let mut column = if is_upper { row } else { 0 };
            while column + 2 * LANES <= num_columns {
                let (down, across) = (down.start + row, across.start + column);
                self.subtract_tile::<S, 2>(simd, down, across, &mut target[column..], stride);
                column += 2 * LANES;
            }
            if column < num_columns {
                let (down, across) = (down.start + row, across.start + column);
                self.subtract_tile::<S, 1>(simd, down, across, &mut target[column..], stride);
            }
            row += LANES;
        }
    }

    /// Subtracts the products of one row per lane and V vectors of columns: all sums stay in registers.
    #[inline(always)]
    fn subtract_tile<S: Simd, const V: usize>(
        self,
        simd: S,
        down: usize,
        across: usize,
        target: &mut [f64],
        stride: usize,
    ) {
        // Plain loops: closures would not be compiled for the wider vectors.
        let mut sums = [[f64x4::splat(simd, 0.0); V]; LANES];
        for at in 0..LANES {
            for v in 0..V {
                sums[at][v] = f64x4::from_slice(simd, &target[at * stride + v * LANES..][..LANES]);
            }
        }
        for row in 0..self.count {
            let row = &self.rows[row * self.stride..][..self.stride];
            let mut columns = [f64x4::splat(simd, 0.0); V];
            for v in 0..V {
                columns[v] = f64x4::from_slice(simd, &row[across + v * LANES..][..LANES]);
            }
            for at in 0..LANES {
                let factor = f64x4::splat(simd, row[down + at]);
                for v in 0..V {
                    sums[at][v] -= factor * columns[v];
                }
            }
        }
        for at in 0..LANES {
            for v in 0..V {
                sums[at][v].store_slice(&mut target[at * stride + v * LANES..][..LANES]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::numbers;

    /// Coefficients of neighbouring unknowns of a sample, from its first on.
    type Run<const N: usize> = (usize, [f64; N]);

    /// Adds the square of `residual + sum of coefficient * unknown`.
    fn add<const N: usize>(equations: &mut NormalEquations, runs: &[Run<N>], residual: f64) {
        for (at, (sample, run)) in runs.iter().enumerate() {
            equations.add_pull(*sample, 0, &run.map(|coefficient| coefficient * residual));
            for (other, columns) in &runs[at..] {
                let products = run.map(|row| columns.map(|column| row * column));
                equations.add_block((*sample, 0), (*other, 0), &products);
            }
        }
    }

    #[test]
    fn residuals_balance_around_the_circle_and_along_a_chain() {
        for is_chain in [false, true] {
            balance::<1>(8, is_chain);
            balance::<3>(9, is_chain);
            balance::<4>(11, is_chain);
            balance::<5>(23, is_chain);
            balance::<19>(12, is_chain);
        }
    }

    fn balance<const WIDTH: usize>(samples: usize, is_chain: bool) {
        let mut next = numbers(7);
        let len = samples * WIDTH;
        let mut equations = NormalEquations::new(samples, WIDTH);
        let mut residuals = Vec::new();
        for index in 0..4 * len {
            // Four neighbouring samples, over the seam too.
            let first = index % if is_chain { samples - REACH } else { samples };
            let runs: Vec<Run<WIDTH>> = (0..=REACH)
                .map(|off| ((first + off) % samples, [(); WIDTH].map(|()| next())))
                .collect();
            residuals.push((runs, next()));
        }
        for (runs, residual) in &residuals {
            add(&mut equations, runs, *residual);
        }
        // A chain touches the border with its last samples alone.
        let num_apart = if is_chain { samples - 2 * REACH } else { 0 };
        assert_eq!(equations.num_apart, num_apart, "{samples} x {WIDTH}");
        let solved = equations.solve().expect("four times as many residuals as unknowns");
        // At the least sum of squares, every unknown's column is at right angles to the residuals.
        let mut gradient = vec![0.0; len];
        for (runs, residual) in &residuals {
            let terms = || {
                runs.iter()
                    .flat_map(|(sample, run)| run.iter().enumerate().map(move |(off, a)| (sample * WIDTH + off, a)))
            };
            let value: f64 = residual + terms().map(|(at, a)| a * solved[at]).sum::<f64>();
            for (at, a) in terms() {
                gradient[at] += a * value;
            }
        }
        let worst = gradient.iter().fold(0.0_f64, |worst, g| worst.max(g.abs()));
        assert!(worst < 1e-10, "{samples} x {WIDTH}: {worst:e}");
    }

    #[test]
    fn damping_is_a_square_of_each_unknown() {
        const WIDTH: usize = 5;
        let (samples, factor) = (11, 0.7);
        let [mut damped, mut with_rows] = [(); 2].map(|()| {
            let mut next = numbers(3);
            let mut equations = NormalEquations::new(samples, WIDTH);
            for sample in (0..samples).chain(0..samples) {
                let run = [(); WIDTH].map(|()| next());
                add(&mut equations, &[(sample, run), ((sample + 1) % samples, run)], next());
            }
            equations
        });
        damped.damp(&[factor * factor; WIDTH]);
        for sample in 0..samples {
            for unknown in 0..WIDTH {
                let run = core::array::from_fn(|at| if at == unknown { factor } else { 0.0 });
                add::<WIDTH>(&mut with_rows, &[(sample, run)], 0.0);
            }
        }
        let [damped, with_rows] = [damped.solve(), with_rows.solve()].map(|solved| solved.expect("all are determined"));
        for (one, other) in damped.iter().zip(&with_rows) {
            assert!((one - other).abs() < 1e-12, "{one} {other}");
        }
    }

    #[test]
    fn undetermined_unknowns_are_refused() {
        let mut equations = NormalEquations::new(8, 2);
        for sample in 0..8 {
            add(&mut equations, &[(sample, [1.0, 0.0])], 1.0);
        }
        assert_eq!(equations.solve(), None);
    }
}
