//! Detects angles that change by more than half a turn per frame, as those of rotors do.

/// The angle of one channel, frame by frame.
///
/// A single step beyond half a turn is no evidence, because recorders keep angles between -180 and 180 degrees. Two in a row in
/// the same direction are.
#[derive(Default)]
pub(crate) struct Turning {
    /// Angle and step of the last frame, degrees.
    last: Option<(f64, f64)>,
    fastest: f64,
}

const HALF_TURN: f64 = 180.0;

impl Turning {
    pub(crate) fn look_at(&mut self, degrees: f64) {
        let (before, step_before) = self.last.unwrap_or((degrees, 0.0));
        let step = degrees - before;
        if step.abs() > HALF_TURN && step_before.abs() > HALF_TURN && step * step_before > 0.0 {
            self.fastest = self.fastest.max(step.abs());
        }
        self.last = Some((degrees, step));
    }

    /// Returns the largest step beyond half a turn, degrees.
    pub(crate) fn fastest(&self) -> Option<f64> {
        (self.fastest > 0.0).then_some(self.fastest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fastest(angles: impl IntoIterator<Item = f64>) -> Option<f64> {
        let mut turning = Turning::default();
        angles.into_iter().for_each(|angle| turning.look_at(angle));
        turning.fastest()
    }

    #[test]
    fn rotors_are_told_from_angles_that_are_kept_within_a_turn() {
        assert_eq!(fastest((0..5).map(|frame| -270.0 * f64::from(frame))), Some(270.0));
        assert_eq!(fastest((0..50).map(|frame| 179.0 * f64::from(frame))), None);
        let within = |degrees: f64| degrees - 360.0 * (degrees / 360.0).round();
        for step in [3.0, 100.0, 170.0, 179.0, -120.0] {
            assert_eq!(
                fastest((0..500).map(|frame| within(step * f64::from(frame)))),
                None,
                "{step}"
            );
        }
        assert_eq!(fastest([0.0, 350.0, 0.0, 350.0, f64::NAN, 0.0]), None);
    }
}
