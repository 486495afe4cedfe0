//! The path of a character over time.

use glam::DVec2;

use super::WalkError;

/// The path of a character over time: times in order, positions in metres on the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct WalkPath {
    points: Vec<(f64, DVec2)>,
}

impl WalkPath {
    /// Creates a path through points: seconds, and metres to the left and ahead (x and z). Errors: [`WalkError`].
    pub fn new(points: Vec<(f64, DVec2)>) -> Result<Self, WalkError> {
        if points.len() < 2 {
            return Err(WalkError::Points { found: points.len() });
        }
        for (point, (secs, at)) in points.iter().enumerate() {
            let follows = point == 0 || points[point - 1].0 < *secs;
            if !(follows && secs.is_finite() && at.is_finite()) {
                return Err(WalkError::Order { point });
            }
        }
        Ok(Self { points })
    }

    /// Returns the seconds from the first point to the last.
    pub fn duration_secs(&self) -> f64 {
        self.points[self.points.len() - 1].0 - self.points[0].0
    }

    /// Returns position and velocity this long after the first point. The path stands still at its ends.
    pub(super) fn at(&self, secs: f64) -> (DVec2, DVec2) {
        let secs = secs + self.points[0].0;
        let after = self.points.partition_point(|(time, _)| *time <= secs);
        if after == 0 || after == self.points.len() {
            let end = self.points[after.saturating_sub(1)].1;
            return (end, DVec2::ZERO);
        }
        let ((from, start), (to, end)) = (self.points[after - 1], self.points[after]);
        let velocity = (end - start) / (to - from);
        (start + velocity * (secs - from), velocity)
    }
}
