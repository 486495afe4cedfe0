//! Percentiles by nearest rank: the smallest value that is not exceeded by at least the given share of all values.

/// Returns the percentile of values in any order; 0 without values. `share` is from 0 to 1.
pub fn of(values: impl IntoIterator<Item = f64>, share: f64) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    if values.is_empty() {
        return 0.0;
    }
    let index = rank(values.len(), share);
    *values.select_nth_unstable_by(index, f64::total_cmp).1
}

/// Returns the index of the percentile among `count` values in order.
pub(crate) fn rank(count: usize, share: f64) -> usize {
    ((share * count as f64).ceil() as usize).clamp(1, count.max(1)) - 1
}

/// Returns a whole number that is ordered as [`f64::total_cmp`] orders numbers: a key to sort by, or to find the least or largest by.
pub fn ordered(value: f64) -> i64 {
    let bits = value.to_bits().cast_signed();
    // Bits of negative numbers grow with the size of the number, so that all but the sign are flipped.
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

/// Returns the least and the largest value; infinity and minus infinity without values. NaN is ignored.
pub fn extremes(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let none = (f64::INFINITY, f64::NEG_INFINITY);
    let values = values.into_iter();
    values.fold(none, |(low, high), value| (low.min(value), high.max(value)))
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
    fn a_percentile_is_the_smallest_value_that_reaches_the_share() {
        let values = || (1..=40).rev().map(f64::from).collect::<Vec<_>>();
        assert_eq!(
            [0.0, 0.5, 0.95, 0.99, 1.0].map(|share| of(values(), share)),
            [1.0, 20.0, 38.0, 40.0, 40.0]
        );
        assert_eq!(of(Vec::new(), 0.5), 0.0);
    }
}
