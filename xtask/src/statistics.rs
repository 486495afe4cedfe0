//! Medians and other quantiles of samples.

/// A sample in ascending order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sorted(Vec<f64>);

impl FromIterator<f64> for Sorted {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        Self(values)
    }
}

impl Sorted {
    /// Number of values.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The quantile at this share: 0 is the smallest value, 0.5 the median, 1 the largest. `None` without values.
    pub(crate) fn at(&self, share: f64) -> Option<f64> {
        let last = self.0.len().checked_sub(1)?;
        Some(self.0[(share * last as f64).round() as usize])
    }

    /// Median: the larger of the two middle values if their number is even; 0 without values.
    pub(crate) fn median(&self) -> f64 {
        self.at(0.5).unwrap_or(0.0)
    }

    /// Largest value; 0 without values.
    pub(crate) fn largest(&self) -> f64 {
        self.at(1.0).unwrap_or(0.0)
    }

    /// The quantiles at these shares, joined by `between`; dashes without values.
    pub(crate) fn spread(&self, shares: &[f64], decimals: usize, between: &str) -> String {
        let cells: Vec<String> = shares
            .iter()
            .map(|&share| crate::table::cell(self.at(share), decimals))
            .collect();
        cells.join(between)
    }
}

/// Median of a sample; 0 without values.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().collect::<Sorted>().median()
}

/// Mean of a sample; 0 without values.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_values_of_the_sample() {
        let sample: Sorted = [3.0, 1.0, 4.0, 2.0].into_iter().collect();
        assert_eq!(
            [0.0, 0.5, 0.9, 1.0].map(|share| sample.at(share)),
            [1.0, 3.0, 4.0, 4.0].map(Some)
        );
        assert_eq!(sample.spread(&[0.5, 1.0], 1, " / "), "3.0 / 4.0");
        assert_eq!(Sorted::default().spread(&[0.5, 1.0], 1, " / "), "- / -");
        assert_eq!((median([]), mean(&[])), (0.0, 0.0));
    }
}
