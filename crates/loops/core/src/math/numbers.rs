//! Many numbers at once: their order, the greatest and the smallest, the mean, the box around points.

use core::{iter::Sum, ops::Div};

use glam::{DMat3, DVec3};

/// Returns a whole number that is ordered as [`f64::total_cmp`] orders numbers: a key to sort by, or to find the least or largest by.
pub fn ordered(value: f64) -> i64 {
    let bits = value.to_bits().cast_signed();
    // Bits of negative numbers grow with the size of the number, so that all but the sign are flipped.
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

/// Returns the greatest of numbers none of which is below zero; 0 without any. NaN is ignored.
pub fn greatest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, f64::max)
}

/// Returns the smallest number; infinity without any. NaN is ignored.
pub fn smallest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::INFINITY, f64::min)
}

/// Returns the lowest and highest corner of the box around points.
pub fn bounds(points: impl IntoIterator<Item = DVec3>) -> (DVec3, DVec3) {
    points
        .into_iter()
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), point| {
            (low.min(point), high.max(point))
        })
}

/// Returns the mean of numbers or of vectors; 0 without any.
pub fn mean<T: Sum + Div<f64, Output = T>>(values: impl IntoIterator<Item = T>) -> T {
    let mut count = 0_usize;
    let sum: T = values.into_iter().inspect(|_| count += 1).sum();
    sum / count.max(1) as f64
}

/// Returns values in ascending order, each once.
pub(crate) fn distinct<T: Ord>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.into_iter().collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// Returns the first and the last index within `reach` of one, up to `last`.
pub(crate) fn around(index: usize, reach: usize, last: usize) -> (usize, usize) {
    (index.saturating_sub(reach), (index + reach).min(last))
}

/// From 0 to 1, with two continuous derivatives where it begins and ends.
pub(crate) fn smooth_step(share: f64) -> f64 {
    share * share * share * (10.0 - share * (15.0 - 6.0 * share))
}

/// Returns the sum of the products of the numbers at the same places.
pub fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// Returns the product of a column and a row.
#[inline]
pub(crate) fn outer(column: DVec3, row: DVec3) -> DMat3 {
    DMat3::from_cols(column * row.x, column * row.y, column * row.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_ordered_as_by_their_total_order() {
        let mut numbers = [
            3.0,
            -0.0,
            f64::NAN,
            1e-300,
            f64::NEG_INFINITY,
            0.0,
            -3.0,
            f64::INFINITY,
            -1e300,
            -f64::NAN,
        ];
        let mut by_key = numbers;
        numbers.sort_by(f64::total_cmp);
        by_key.sort_by_key(|&number| ordered(number));
        assert_eq!(by_key.map(f64::to_bits), numbers.map(f64::to_bits));
    }

    #[test]
    fn a_mean_is_of_all_and_zero_of_none() {
        assert_eq!(mean([1.0, 2.0, 6.0]), 3.0);
        assert_eq!(mean(std::iter::empty::<f64>()), 0.0);
    }
}
