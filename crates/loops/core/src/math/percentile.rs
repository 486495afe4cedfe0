//! Percentiles by nearest rank: the smallest value that is not exceeded by at least the given share of all values.

/// Returns the percentile of values in any order; 0 without values. `share` is from 0 to 1.
pub fn of(values: impl IntoIterator<Item = f64>, share: f64) -> f64 {
    nth(values, |count| rank(count, share))
}

/// Returns the middle value, the greater one of two; 0 without values.
pub fn upper_median(values: impl IntoIterator<Item = f64>) -> f64 {
    nth(values, |count| count / 2)
}

fn nth(values: impl IntoIterator<Item = f64>, index_among: impl FnOnce(usize) -> usize) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    if values.is_empty() {
        return 0.0;
    }
    let index = index_among(values.len());
    *values.select_nth_unstable_by(index, f64::total_cmp).1
}

/// Returns the index of the percentile among `count` values in order.
pub(crate) fn rank(count: usize, share: f64) -> usize {
    ((share * count as f64).ceil() as usize).clamp(1, count.max(1)) - 1
}

/// Returns the least and the largest value; infinity and minus infinity without values. NaN is ignored.
pub fn extremes(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let values = values.into_iter();
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

/// Returns how far the largest value is from the least.
pub(crate) fn spread(values: impl IntoIterator<Item = f64>) -> f64 {
    let (low, high) = extremes(values);
    high - low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_the_smallest_value_that_reaches_the_share() {
        let values = || (1..=40).rev().map(f64::from).collect::<Vec<_>>();
        assert_eq!(
            [0.0, 0.5, 0.95, 0.99, 1.0].map(|share| of(values(), share)),
            [1.0, 20.0, 38.0, 40.0, 40.0]
        );
        assert_eq!(upper_median(values()), 21.0);
        assert_eq!(of(Vec::new(), 0.5), 0.0);
    }
}
