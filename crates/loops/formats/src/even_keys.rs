//! Key times that are even except for the last one, which is early or late: a cycle need not last a whole number of frames.

/// Rates between which keys count as frames, per second. Below, they are set by hand and far apart; 10 and 12 occur, rounded
/// down.
pub(crate) const FRAME_RATES: core::ops::RangeInclusive<f64> = 8.0..=1000.0;

/// Largest distance of a key from the grid, in frames.
pub(crate) const OFF_GRID_FRAMES: f64 = 0.02;

/// Distance of a last key off the grid from the one before, in frames.
const TAIL_FRAMES: core::ops::RangeInclusive<f64> = OFF_GRID_FRAMES..=2.05;

/// Fewest even steps that make a grid.
const FEWEST_EVEN: usize = 4;

/// Keys at even times, and a last one off them.
#[value(Copy)]
pub(crate) struct EvenKeys {
    pub start_secs: f64,
    pub step_secs: f64,
    /// Number of the even ones.
    pub num_frames: usize,
    /// The time of the last key.
    pub tail_secs: f64,
}

/// Sorts times, keeps one of those that are equal in single precision, and returns their largest difference, seconds.
pub(crate) fn sort(times: &mut Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    let rounding = 4.0 * times.last().map_or(0.0, |end| end.abs()).max(1.0) * f64::from(f32::EPSILON);
    times.dedup_by(|later, earlier| *later - *earlier <= rounding);
    rounding
}

/// Whether a step from key to key is not one frame.
fn is_off(frames: f64) -> bool {
    (frames - 1.0).abs() > OFF_GRID_FRAMES
}

/// Whether a reader detects so many even keys and a last one off the grid.
pub(crate) fn are_seen(num_frames: usize, step_secs: f64, tail_frames: f64) -> bool {
    num_frames > FEWEST_EVEN
        && FRAME_RATES.contains(&(1.0 / step_secs))
        && TAIL_FRAMES.contains(&tail_frames)
        && is_off(tail_frames)
}

impl EvenKeys {
    /// Finds them in times that [`sort`] returned.
    pub(crate) fn with_tail(times: &[f64]) -> Option<Self> {
        let (&tail_secs, even) = times.split_last()?;
        let (start_secs, last) = (*even.first()?, *even.last()?);
        let step_secs = (last - start_secs) / (even.len() - 1) as f64;
        let is_even = even.windows(2).all(|pair| !is_off((pair[1] - pair[0]) / step_secs));
        (is_even && are_seen(even.len(), step_secs, (tail_secs - last) / step_secs)).then_some(Self {
            start_secs,
            step_secs,
            num_frames: even.len(),
            tail_secs,
        })
    }

    /// Returns the time of the last even key.
    #[cfg(feature = "fbx")]
    pub(crate) fn last_secs(&self) -> f64 {
        self.start_secs + (self.num_frames - 1) as f64 * self.step_secs
    }
}
