//! Least squares over the samples of a loop: every residual touches the unknowns of a few neighbouring samples, around the circle.
//!
//! The normal equations are banded, but for the corners that join the last samples to the first. The unknowns of the last
//! [`REACH`] samples become a border: the rest is factored as a band (Cholesky), and the border by its Schur complement. Source:
//! Golub and Van Loan, "Matrix Computations", 4th edition, 4.2 and 4.3. Sums are taken in a fixed order, so that the bits are the
//! same on every machine.

/// Samples after its first that a residual may touch.
pub(super) const REACH: usize = 3;

/// Fewest samples of a circle: fewer would meet through the band as well as through the corners.
pub(super) const FEWEST_SAMPLES: usize = 2 * REACH + 2;

/// Numbers that are summed side by side.
const LANES: usize = 8;

/// Normal equations of a linear least-squares problem over the samples of a loop.
///
/// Once factored they keep their factor: residuals that are added after [`Self::clear_residuals`] then give steps of a search whose
/// coefficients hardly change, at a fraction of the work.
#[derive(Clone, Debug)]
pub(super) struct NormalEquations {
    /// Unknowns of all samples, and of the last that form the border.
    len: usize,
    border: usize,
    /// Entries stored left of the diagonal.
    band: usize,
    /// Rows of the lower triangle, each from `band` columns left of the diagonal up to the diagonal; columns wrap around. Once
    /// factored, those of the factor.
    rows: Vec<f64>,
    /// Of the factor: one row of all border unknowns for every other unknown, filled up to whole lanes.
    sides: Vec<f64>,
    /// Of the factor: the border itself.
    corner: Vec<f64>,
    right: Vec<f64>,
    sum_of_squares: f64,
    is_factored: bool,
}

/// Coefficients of neighbouring unknowns, with the number of the first; unknowns are numbered sample by sample.
pub(super) type Run<'a> = (usize, &'a [f64]);

impl NormalEquations {
    /// Empty equations of `num_samples` samples, at least [`FEWEST_SAMPLES`], with `width` unknowns each.
    pub(super) fn new(num_samples: usize, width: usize) -> Self {
        debug_assert!(num_samples >= FEWEST_SAMPLES, "the corners would overlap the band");
        let (len, band, border) = (num_samples * width, (REACH + 1) * width - 1, REACH * width);
        Self {
            len,
            border,
            band,
            rows: vec![0.0; len * (band + 1)],
            sides: vec![0.0; (len - border) * border.next_multiple_of(LANES)],
            corner: vec![0.0; border * border],
            right: vec![0.0; len],
            sum_of_squares: 0.0,
            is_factored: false,
        }
    }

    /// Removes all equations.
    pub(super) fn clear(&mut self) {
        self.rows.fill(0.0);
        self.sides.fill(0.0);
        self.is_factored = false;
        self.clear_residuals();
    }

    /// Removes all residuals, and keeps the factor if there is one.
    pub(super) fn clear_residuals(&mut self) {
        self.right.fill(0.0);
        self.sum_of_squares = 0.0;
    }

    /// Adds the square of `residual + sum of coefficient * unknown`; once factored, its residual alone. No two runs may overlap.
    pub(super) fn add(&mut self, runs: &[Run<'_>], residual: f64) {
        self.sum_of_squares += residual * residual;
        for &(first, run) in runs {
            for (right, coefficient) in self.right[first..].iter_mut().zip(run) {
                *right -= coefficient * residual;
            }
        }
        if self.is_factored {
            return;
        }
        let stride = self.band + 1;
        for (at, &(first, run)) in runs.iter().enumerate() {
            for (off, &coefficient) in run.iter().enumerate() {
                let own = &mut self.rows[(first + off) * stride + self.band - off..][..=off];
                for (entry, other) in own.iter_mut().zip(run) {
                    *entry += coefficient * other;
                }
            }
            for &(other_first, other) in &runs[at + 1..] {
                // The rows are those of the later run around the circle.
                let back = |from: usize, to: usize| if from >= to { from - to } else { from + self.len - to };
                let one_is_later = back(first, other_first) <= back(other_first, first);
                let ((later, rows), (earlier, columns)) = if one_is_later {
                    ((first, run), (other_first, other))
                } else {
                    ((other_first, other), (first, run))
                };
                let back = back(later, earlier);
                debug_assert!(
                    back + rows.len() <= stride,
                    "a residual touches samples that are too far apart"
                );
                for (off, &coefficient) in rows.iter().enumerate() {
                    let entries = &mut self.rows[(later + off) * stride + self.band - back - off..][..columns.len()];
                    for (entry, column) in entries.iter_mut().zip(columns) {
                        *entry += coefficient * column;
                    }
                }
            }
        }
    }

    /// The squares of all residuals, summed, with all unknowns zero.
    pub(super) fn sum_of_squares(&self) -> f64 {
        self.sum_of_squares
    }

    /// The unknowns for which the sum of squares is least; `None` if the equations do not determine them.
    pub(super) fn solve(&mut self) -> Option<&[f64]> {
        if !self.is_factored {
            self.split_off_border();
            self.factor_band()?;
            self.factor_border()?;
            self.is_factored = true;
        }
        self.substitute();
        Some(&self.right)
    }

    fn inner(&self) -> usize {
        self.len - self.border
    }

    /// Moves the entries of the last samples out of the band.
    fn split_off_border(&mut self) {
        let (stride, band, inner) = (self.band + 1, self.band, self.inner());
        let lanes = self.border.next_multiple_of(LANES);
        for at in 0..self.border {
            let row = inner + at;
            for column in row - band..=row {
                let value = self.rows[row * stride + band + column - row];
                if column < inner {
                    self.sides[column * lanes + at] = value;
                } else {
                    self.corner[at * self.border + column - inner] = value;
                }
            }
        }
        for row in 0..band.min(inner) {
            // Columns left of the first are those of the last samples.
            for back in row + 1..=band {
                let value = core::mem::take(&mut self.rows[row * stride + band - back]);
                let column = self.len + row - back;
                if column >= inner {
                    self.sides[row * lanes + column - inner] = value;
                }
            }
        }
    }

    fn factor_band(&mut self) -> Option<()> {
        let (stride, band) = (self.band + 1, self.band);
        let lanes = self.border.next_multiple_of(LANES);
        for row in 0..self.inner() {
            let first = row.saturating_sub(band);
            let (done, rest) = self.rows.split_at_mut(row * stride);
            let own = &mut rest[..stride];
            for column in first..row {
                let other = &done[column * stride..][..stride];
                let count = column - first;
                let before = dot(&own[band + first - row..][..count], &other[band - count..band]);
                own[band + column - row] = (own[band + column - row] - before) / other[band];
            }
            let factors = &own[band + first - row..band];
            let pivot = own[band] - dot(factors, factors);
            if pivot.is_nan() || pivot <= 0.0 {
                return None;
            }
            let pivot = pivot.sqrt();
            let (done, rest) = self.sides.split_at_mut(row * lanes);
            subtract_products(&mut rest[..lanes], factors, &done[first * lanes..]);
            for side in &mut rest[..lanes] {
                *side /= pivot;
            }
            own[band] = pivot;
        }
        Some(())
    }

    fn factor_border(&mut self) -> Option<()> {
        let (border, corner) = (self.border, &mut self.corner);
        for sides in self.sides.chunks_exact(border.next_multiple_of(LANES)) {
            for (row, &side) in sides[..border].iter().enumerate() {
                for (entry, other) in corner[row * border..][..=row].iter_mut().zip(sides) {
                    *entry -= side * other;
                }
            }
        }
        for row in 0..border {
            for column in 0..=row {
                let before = dot(&corner[row * border..][..column], &corner[column * border..][..column]);
                let own = corner[row * border + column] - before;
                if column < row {
                    corner[row * border + column] = own / corner[column * border + column];
                } else if own > 0.0 {
                    corner[row * border + row] = own.sqrt();
                } else {
                    return None;
                }
            }
        }
        Some(())
    }

    /// Replaces the right side by the unknowns: forward through the factor, and back.
    fn substitute(&mut self) {
        let (stride, band, border, inner) = (self.band + 1, self.band, self.border, self.inner());
        let lanes = border.next_multiple_of(LANES);
        let (rows, sides, corner) = (&self.rows, &self.sides, &self.corner);
        let (of_inner, of_border) = self.right.split_at_mut(inner);
        for row in 0..inner {
            let first = row.saturating_sub(band);
            let own = &rows[row * stride..][..stride];
            let before = dot(&own[band + first - row..band], &of_inner[first..row]);
            let value = (of_inner[row] - before) / own[band];
            of_inner[row] = value;
            for (right, side) in of_border.iter_mut().zip(&sides[row * lanes..]) {
                *right -= side * value;
            }
        }
        for row in 0..border {
            let before = dot(&corner[row * border..][..row], &of_border[..row]);
            of_border[row] = (of_border[row] - before) / corner[row * border + row];
        }
        for row in (0..border).rev() {
            let value = of_border[row] / corner[row * border + row];
            of_border[row] = value;
            for (right, entry) in of_border.iter_mut().zip(&corner[row * border..][..row]) {
                *right -= entry * value;
            }
        }
        for row in (0..inner).rev() {
            let own = &rows[row * stride..][..stride];
            let value = (of_inner[row] - dot(&sides[row * lanes..][..border], of_border)) / own[band];
            of_inner[row] = value;
            let first = row.saturating_sub(band);
            for (right, entry) in of_inner[first..row].iter_mut().zip(&own[band + first - row..band]) {
                *right -= entry * value;
            }
        }
    }
}

/// The sum of products of two slices of one length.
fn dot(one: &[f64], other: &[f64]) -> f64 {
    let ((ones, one_rest), (others, other_rest)) = (one.as_chunks::<LANES>(), other.as_chunks::<LANES>());
    let mut lanes = [0.0; LANES];
    for (one, other) in ones.iter().zip(others) {
        for lane in 0..LANES {
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

/// Subtracts `factors[k] * rows[k]` for all k from a row of whole lanes.
fn subtract_products(row: &mut [f64], factors: &[f64], rows: &[f64]) {
    let stride = row.len() / LANES;
    let (rows, _) = rows.as_chunks::<LANES>();
    for (at, lanes) in row.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let mut sums = [0.0; LANES];
        for (factor, values) in factors.iter().zip(rows.iter().skip(at).step_by(stride)) {
            for lane in 0..LANES {
                sums[lane] += factor * values[lane];
            }
        }
        for lane in 0..LANES {
            lanes[lane] -= sums[lane];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random numbers in -1 to 1.
    fn numbers(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    #[test]
    fn residuals_balance_around_the_circle() {
        for (samples, width) in [(8, 1), (9, 3), (23, 5)] {
            let mut next = numbers(7);
            let len = samples * width;
            let mut equations = NormalEquations::new(samples, width);
            let mut residuals = Vec::new();
            for index in 0..4 * len {
                // Four neighbouring samples, over the seam too.
                let first = index % samples;
                let runs: Vec<(usize, Vec<f64>)> = (0..=REACH)
                    .map(|off| ((first + off) % samples * width, (0..width).map(|_| next()).collect()))
                    .collect();
                residuals.push((runs, next()));
            }
            for (runs, residual) in &residuals {
                let runs: Vec<Run<'_>> = runs.iter().map(|(first, run)| (*first, run.as_slice())).collect();
                equations.add(&runs, *residual);
            }
            let solved = equations
                .solve()
                .expect("four times as many residuals as unknowns")
                .to_vec();
            // At the least sum of squares, every unknown's column is at right angles to the residuals.
            let mut gradient = vec![0.0; len];
            for (runs, residual) in &residuals {
                let terms = || {
                    (runs.iter()).flat_map(|(first, run)| run.iter().enumerate().map(move |(off, a)| (first + off, a)))
                };
                let value: f64 = residual + terms().map(|(at, a)| a * solved[at]).sum::<f64>();
                for (at, a) in terms() {
                    gradient[at] += a * value;
                }
            }
            let worst = gradient.iter().fold(0.0_f64, |worst, g| worst.max(g.abs()));
            assert!(worst < 1e-10, "{samples} x {width}: {worst:e}");
        }
    }

    #[test]
    fn undetermined_unknowns_are_refused() {
        let mut equations = NormalEquations::new(8, 2);
        for sample in 0..8 {
            equations.add(&[(2 * sample, &[1.0])], 1.0);
        }
        assert_eq!(equations.solve(), None);
    }
}
