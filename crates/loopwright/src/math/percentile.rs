//! Percentiles by nearest rank.

/// Smallest of the ascending values that at least the given share of them does not exceed; 0 for none.
pub fn percentile(sorted: &[f64], share: f64) -> f64 {
    if sorted.is_empty() {
        return 0.0;
    }
    sorted[rank(sorted.len(), share) - 1]
}

/// The same of values in any order.
pub fn percentile_of(mut values: Vec<f64>, share: f64) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let index = rank(values.len(), share) - 1;
    *values.select_nth_unstable_by(index, f64::total_cmp).1
}

/// Which of so many ascending values is the percentile, counted from 1.
fn rank(count: usize, share: f64) -> usize {
    ((share * count as f64).ceil() as usize).clamp(1, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_rank_is_taken() {
        let values = [1.0, 2.0, 3.0, 4.0];
        for (share, expected) in [
            (0.0, 1.0),
            (0.25, 1.0),
            (0.26, 2.0),
            (0.5, 2.0),
            (0.99, 4.0),
            (1.0, 4.0),
        ] {
            assert_eq!(percentile(&values, share), expected);
            assert_eq!(percentile_of(vec![4.0, 2.0, 1.0, 3.0], share), expected);
        }
        assert_eq!((percentile(&[], 0.5), percentile_of(Vec::new(), 0.5)), (0.0, 0.0));
    }
}
