//! Classifies stretches of a take as moving or idle, by activity relative to the take's own.
//!
//! A still stretch matches any other and would win every search, so loops are searched where the body moves.

use super::Features;
use crate::math::{TimeStep, around, percentile};

/// Activity of a frame.
#[handed_over(Copy, Eq)]
#[in_words]
pub enum ActivityKind {
    /// The body moves at a fair share of the take's own pace.
    Moving,
    /// Between moving and idle.
    Transition,
    /// The body is almost still.
    Idle,
}

/// Speeds are averaged over this long, seconds: slow instants within a step are not idle.
const WINDOW_SECS: f64 = 0.5;

/// Share of the take's pace (90th percentile of the smoothed speed) above which a frame counts as moving.
///
/// A slow walk in a take that also runs reaches 0.3.
const MOVING_SHARE: f64 = 0.22;

/// Share of the take's pace below which a frame counts as idle.
const IDLE_SHARE: f64 = 0.1;

/// Speed below which a body of an adult's size is idle, metres per second, whatever the take's own pace; it grows with the root
/// of the size, as the speeds of gaits do. Idles of asset packs and captures breathe and sway at 0.01 to 0.08, slow gaits begin
/// at 0.3.
const IDLE_SPEED: f64 = 0.08;

/// For that comparison velocities are averaged over this long on either side, seconds, because noise moves a standing body, too.
const NOISE_SECS: f64 = 0.125;

/// A take whose smoothed speed never exceeds this is still, metres per second.
const STILL_SPEED: f64 = 0.003;

/// Activity of every frame.
#[handed_over]
pub struct Activity {
    activities: Vec<ActivityKind>,
    pace: f64,
}

impl Activity {
    /// Classifies all frames; `usable` marks the reliable frames, and `size` is the size of the body relative to an adult, if
    /// known.
    pub(crate) fn of(features: &Features, usable: &[bool], size: Option<f64>, frame_time_secs: f64) -> Self {
        let step = TimeStep::new(frame_time_secs);
        let half = step.nearest(0.5 * WINDOW_SECS);
        let speeds: Vec<f64> = (0..features.num_frames()).map(|frame| features.speed(frame)).collect();
        let smoothed = smooth(&speeds, usable, half);
        let slow = smooth(&features.slow_speeds(step.nearest(NOISE_SECS)), usable, half);
        // A long idle stretch before the motion must not hide it.
        let pace = percentile::of(smoothed.iter().copied().filter(|&speed| speed > STILL_SPEED), 0.9);
        let idle_speed = size.map_or(0.0, |size| IDLE_SPEED * size.sqrt());
        let activities = smoothed
            .iter()
            .zip(slow)
            .map(|(&speed, slow)| {
                if speed < IDLE_SHARE * pace || slow < idle_speed || pace <= STILL_SPEED {
                    ActivityKind::Idle
                } else if speed >= MOVING_SHARE * pace {
                    ActivityKind::Moving
                } else {
                    ActivityKind::Transition
                }
            })
            .collect();
        Self { activities, pace }
    }

    /// Returns the take's pace, metres per second: 90th percentile of the smoothed speed of moving frames, 0 if nothing moves.
    pub fn pace(&self) -> f64 {
        self.pace
    }

    /// Whether the whole take is still.
    pub fn is_still(&self) -> bool {
        self.pace <= STILL_SPEED
    }

    /// Returns the activity of every frame.
    pub fn kinds(&self) -> &[ActivityKind] {
        &self.activities
    }

    /// Iterates over the take's stretches of one activity, with their first and last frames, in order and without gaps.
    pub fn stretches(&self) -> impl Iterator<Item = (ActivityKind, usize, usize)> {
        let mut start = 0;
        self.activities.chunk_by(ActivityKind::eq).map(move |stretch| {
            let first = start;
            start += stretch.len();
            (stretch[0], first, start - 1)
        })
    }
}

/// Averages over the usable ones of `half` frames on either side.
fn smooth(speeds: &[f64], usable: &[bool], half: usize) -> Vec<f64> {
    let (mut sums, mut counts) = (vec![0.0], vec![0_usize]);
    for (frame, (&speed, &counted)) in speeds.iter().zip(usable).enumerate() {
        sums.push(sums[frame] + if counted { speed } else { 0.0 });
        counts.push(counts[frame] + usize::from(counted));
    }
    (0..speeds.len())
        .map(|frame| {
            let (from, to) = around(frame, half, speeds.len() - 1);
            (sums[to + 1] - sums[from]) / (counts[to + 1] - counts[from]).max(1) as f64
        })
        .collect()
}
