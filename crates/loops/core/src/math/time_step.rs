//! Converts seconds to steps of a fixed length, such as the frames of a take, with one function for each rounding mode.

/// The time from one sample to the next.
#[value(Copy)]
pub struct TimeStep {
    secs: f64,
}

/// Share of a step that counts as rounding error of a whole number of steps.
const ROUNDING: f64 = 1e-9;

impl TimeStep {
    /// Creates the steps of the given length in seconds, a positive number.
    pub fn new(secs: f64) -> Self {
        Self { secs }
    }

    /// Returns the whole number of steps nearest to `secs`; saturates if it does not fit.
    pub fn nearest(self, secs: f64) -> usize {
        (secs / self.secs).round() as usize
    }

    /// [`Self::nearest`], but at least one step.
    pub fn nearest_from_one(self, secs: f64) -> usize {
        self.nearest(secs).max(1)
    }

    /// Returns the number of steps started within `secs`: rounded up.
    pub fn up(self, secs: f64) -> usize {
        (secs / self.secs).ceil() as usize
    }

    /// Returns the fewest steps that last at least `secs`, within rounding.
    pub fn fewest(self, secs: f64) -> usize {
        (secs / self.secs - ROUNDING).ceil() as usize
    }

    /// Returns the most steps that fit in `secs`, within rounding.
    pub fn most(self, secs: f64) -> usize {
        (secs / self.secs + ROUNDING).floor() as usize
    }

    /// Returns the duration of the given number of steps, seconds.
    pub fn secs(self, steps: usize) -> f64 {
        steps as f64 * self.secs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_round_does_as_its_name_says() {
        let step = TimeStep::new(1.0 / 30.0);
        assert_eq!([0.0, 0.016, 0.018, 0.1].map(|secs| step.nearest(secs)), [0, 0, 1, 3]);
        assert_eq!(step.nearest_from_one(0.0), 1);
        assert_eq!([0.0, 0.01, 0.034].map(|secs| step.up(secs)), [0, 1, 2]);
        // Three tenths of a second are nine steps, whatever rounding gives.
        assert_eq!([step.fewest(0.1 + 0.2), step.most(0.3 - 1e-17)], [9, 9]);
        assert_eq!([step.fewest(0.31), step.most(0.31)], [10, 9]);
        assert_eq!(step.most(f64::INFINITY), usize::MAX);
        assert_eq!(step.secs(60), 2.0);
    }
}
