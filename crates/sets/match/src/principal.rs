//! Principal components of rows: orthonormal directions along which they differ most.
//!
//! They are the eigenvectors of the covariance matrix, computed by Jacobi rotations. Source: Golub and Van Loan, "Matrix
//! Computations", 4th edition, 8.5.

/// Number of principal components; with the distance from their plane a position has eight numbers.
pub(super) const COMPONENTS: usize = 7;

/// Numbers of a position.
pub(super) const SIDES: usize = COMPONENTS + 1;

/// The position of a row: along the principal components, and its distance from their plane.
pub(super) type Place = [f32; SIDES];

/// The directions along which rows differ most.
#[value(Default)]
pub(super) struct Principal {
    pub mean: Vec<f64>,
    pub components: Vec<f64>,
}

impl Principal {
    /// Computes the components of rows of `columns` numbers each.
    pub(super) fn new(numbers: &[f32], columns: usize) -> Self {
        let (mean, components) = components(numbers, columns, COMPONENTS);
        Self { mean, components }
    }

    pub(super) fn place(&self, row: &[f32]) -> Place {
        let mut at = [0.0; SIDES];
        let centred = row
            .iter()
            .zip(&self.mean)
            .map(|(&number, mean)| f64::from(number) - mean);
        let mut outside: f64 = centred.clone().map(|number| number * number).sum();
        for (place, component) in at.iter_mut().zip(self.components.chunks_exact(self.mean.len())) {
            let along: f64 = centred
                .clone()
                .zip(component)
                .map(|(number, component)| number * component)
                .sum();
            outside -= along * along;
            *place = along as f32;
        }
        at[COMPONENTS] = outside.max(0.0).sqrt() as f32;
        at
    }

    pub(super) fn bytes(&self) -> usize {
        8 * (self.mean.len() + self.components.len())
    }
}

/// Most sweeps of rotations; five to ten are usual.
const MOST_SWEEPS: usize = 30;

/// Off-diagonal numbers below this share of the diagonal are rounding.
const NEGLIGIBLE: f64 = 1e-14;

/// Most rows used for the covariance, evenly spaced: the directions need not be exact.
const MOST_SAMPLED: usize = 20_000;

/// Returns the mean of rows, and `count` principal components (fewer with fewer columns), component by component.
fn components(numbers: &[f32], columns: usize, count: usize) -> (Vec<f64>, Vec<f64>) {
    let rows = || {
        numbers
            .chunks_exact(columns)
            .step_by((numbers.len() / columns).div_ceil(MOST_SAMPLED).max(1))
    };
    let num_rows = rows().len().max(1) as f64;
    let mut mean = vec![0.0; columns];
    for row in rows() {
        for (mean, &number) in mean.iter_mut().zip(row) {
            *mean += f64::from(number) / num_rows;
        }
    }
    let mut covariance = vec![0.0; columns * columns];
    let mut centred = vec![0.0; columns];
    for row in rows() {
        for ((centred, &number), mean) in centred.iter_mut().zip(row).zip(&mean) {
            *centred = f64::from(number) - mean;
        }
        for (one, row) in centred.iter().zip(covariance.chunks_exact_mut(columns)) {
            for (entry, other) in row.iter_mut().zip(&centred) {
                *entry += one * other;
            }
        }
    }
    let vectors = eigenvectors(&mut covariance, columns);
    let mut order: Vec<usize> = (0..columns).collect();
    order.sort_by(|&one, &other| {
        let [value, next] = [one, other].map(|at| covariance[at * columns + at]);
        next.total_cmp(&value).then(one.cmp(&other))
    });
    let components = order
        .into_iter()
        .take(count)
        .flat_map(|index| (0..columns).map(move |row| (row, index)));
    (
        mean,
        components.map(|(row, index)| vectors[row * columns + index]).collect(),
    )
}

/// Diagonalizes a symmetric matrix; returns the eigenvectors as columns.
fn eigenvectors(matrix: &mut [f64], size: usize) -> Vec<f64> {
    let mut vectors = vec![0.0; size * size];
    for at in 0..size {
        vectors[at * size + at] = 1.0;
    }
    for _ in 0..MOST_SWEEPS {
        let mut has_turned = false;
        for row in 0..size {
            for column in row + 1..size {
                let off = matrix[row * size + column];
                let (one, other) = (matrix[row * size + row], matrix[column * size + column]);
                if off.abs() <= NEGLIGIBLE * (one.abs() * other.abs()).sqrt() || off == 0.0 {
                    continue;
                }
                has_turned = true;
                let ratio = (other - one) / (2.0 * off);
                let tangent = ratio.signum() / (ratio.abs() + (ratio * ratio + 1.0).sqrt());
                let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
                let (plane, angle) = ([row, column], [cosine, tangent * cosine]);
                turn(matrix, size, plane, angle);
                turn_columns(&mut vectors, size, plane, angle);
            }
        }
        if !has_turned {
            break;
        }
    }
    vectors
}

/// Rotates two columns of a matrix into each other.
fn turn_columns(matrix: &mut [f64], size: usize, [one, other]: [usize; 2], [cosine, sine]: [f64; 2]) {
    for row in matrix.chunks_exact_mut(size) {
        let (a, b) = (row[one], row[other]);
        row[one] = cosine * a - sine * b;
        row[other] = sine * a + cosine * b;
    }
}

/// Rotates rows and columns of a symmetric matrix in the plane of two of them, by the angle of this cosine and sine.
fn turn(matrix: &mut [f64], size: usize, [one, other]: [usize; 2], [cosine, sine]: [f64; 2]) {
    turn_columns(matrix, size, [one, other], [cosine, sine]);
    for at in 0..size {
        let (a, b) = (matrix[one * size + at], matrix[other * size + at]);
        matrix[one * size + at] = cosine * a - sine * b;
        matrix[other * size + at] = sine * a + cosine * b;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_along_a_line_have_it_as_their_first_component() {
        let rows: Vec<f32> = (0..50).flat_map(|at| [at as f32, 2.0 * at as f32, 5.0]).collect();
        let (mean, components) = components(&rows, 3, 2);
        for (found, expected) in mean.iter().zip([24.5, 49.0, 5.0]) {
            assert!((found - expected).abs() < 1e-12, "{mean:?}");
        }
        let along = 1.0 / 5.0_f64.sqrt();
        let sign = components[0].signum();
        for (found, expected) in components[..3].iter().zip([along, 2.0 * along, 0.0]) {
            assert!((sign * found - expected).abs() < 1e-12, "{components:?}");
        }
    }

    #[test]
    fn components_are_orthonormal_and_diagonalize_the_covariance() {
        let columns = 9;
        let rows: Vec<f32> = (0..columns * 200)
            .map(|at| ((at * at * 7919) % 104_729) as f32 / 1e4)
            .collect();
        let (_, components) = components(&rows, columns, columns);
        for one in 0..columns {
            for other in 0..columns {
                let products = (0..columns).map(|at| components[one * columns + at] * components[other * columns + at]);
                let expected = f64::from(u8::from(one == other));
                assert!((products.sum::<f64>() - expected).abs() < 1e-12);
            }
        }
    }
}
