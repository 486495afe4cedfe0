//! The published method to find a loop: autocorrelation gives the length, a window of poses gives the start.
//!
//! After the article "Skeletal Animation Looping with Autocorrelation", with its faults corrected: all joints and all their
//! values have equal weight, the mean is the true mean, a quaternion and its negative are one rotation, nothing wraps around
//! the end of the take, and every lag is judged by the pairs of frames it has. The facing is removed from the hips, so that
//! a turning walk can match itself.

use glam::DQuat;
use loopwright::{math::rotation, unstable::search::Admission};

use crate::takes::Studied;

/// Frames of the window of poses.
pub(super) const WINDOW: usize = 11;

/// Frames of the window on either side of its middle.
const REACH: usize = WINDOW / 2;

/// Share of the frames that must start a pair at a lag for the lag to count; below it, a few frames would decide.
const MIN_STARTS_SHARE: f64 = 0.25;

/// A start and an end.
pub(super) type Pair = (usize, usize);

/// Rotations of all joints at all frames, as seen from the heading.
pub(super) struct Rotations {
    num_joints: usize,
    frames: Vec<DQuat>,
    /// Values of a frame minus their means over usable frames.
    centred: Vec<f64>,
}

impl Rotations {
    pub(super) fn new(studied: &Studied) -> Self {
        let (take, analysis) = (&studied.take, &studied.analysis);
        let hips = analysis.body.hips;
        let above = take.skeleton().path_from_root(hips);
        let joints: Vec<usize> = (0..take.num_joints())
            .filter(|joint| *joint == hips || !above.contains(joint))
            .collect();
        let mut frames: Vec<DQuat> = Vec::with_capacity(take.num_frames() * joints.len());
        for frame in 0..take.num_frames() {
            let facing = rotation::from_yaw(analysis.heading.yaw(frame));
            for &joint in &joints {
                let turn = if joint == hips {
                    facing.conjugate() * analysis.world.rotation(frame, hips)
                } else {
                    take.rotations(frame)[joint]
                };
                let before = frames.len().checked_sub(joints.len()).map(|index| frames[index]);
                frames.push(before.map_or(turn, |before| rotation::on_side_of(turn, before)));
            }
        }
        let num_joints = joints.len();
        let usable = &analysis.usable;
        let mut means = vec![0.0; 4 * num_joints];
        let count = usable.iter().filter(|&&usable| usable).count().max(1) as f64;
        for (frame, _) in usable.iter().enumerate().filter(|&(_, &usable)| usable) {
            for (joint, turn) in frames[frame * num_joints..][..num_joints].iter().enumerate() {
                for (mean, value) in means[4 * joint..].iter_mut().zip(turn.to_array()) {
                    *mean += value / count;
                }
            }
        }
        let values = frames.iter().flat_map(DQuat::to_array);
        let centred = values
            .zip(means.iter().cycle())
            .map(|(value, mean)| value - mean)
            .collect();
        Self {
            num_joints,
            frames,
            centred,
        }
    }

    fn num_frames(&self) -> usize {
        self.frames.len() / self.num_joints
    }

    /// Correlation of the frames with the frames one lag later, over the admitted pairs; `None` if these pairs start at less
    /// than `min_share` of all frames.
    fn autocorrelation(&self, lag: usize, admission: &Admission, min_share: f64) -> Option<f64> {
        let channels = 4 * self.num_joints;
        let row = |frame: usize| &self.centred[frame * channels..(frame + 1) * channels];
        let (mut product, mut start_square, mut end_square, mut count) = (0.0, 0.0, 0.0, 0);
        for start in 0..self.num_frames().saturating_sub(lag) {
            if admission.admits(start, start + lag) {
                for (x, y) in row(start).iter().zip(row(start + lag)) {
                    product += x * y;
                    start_square += x * x;
                    end_square += y * y;
                }
                count += 1;
            }
        }
        let enough = (min_share * self.num_frames() as f64).max(1.0);
        let size = (start_square * end_square).sqrt();
        (f64::from(count) >= enough && size > 0.0).then(|| product / size)
    }

    /// Sum over the windows around two frames of the squared distances of all joints' quaternions.
    fn window_difference(&self, start: usize, end: usize) -> f64 {
        let joints = |frame: usize| &self.frames[frame * self.num_joints..(frame + 1) * self.num_joints];
        (0..WINDOW)
            .flat_map(|k| joints(start + k - REACH).iter().zip(joints(end + k - REACH)))
            .map(|(&p, &q)| (p - q).length_squared().min((p + q).length_squared()))
            .sum()
    }

    /// Lags at which the autocorrelation peaks, highest first; the lag of its highest value if it has no peak.
    ///
    /// Lags with too few pairs do not count, unless every lag has too few.
    pub(super) fn best_lags(&self, lags: core::ops::RangeInclusive<usize>, admission: &Admission) -> Vec<usize> {
        let first = *lags.start();
        let values = |min_share: f64| -> Vec<f64> {
            (lags.clone().take_while(|&lag| lag < self.num_frames()))
                .map(|lag| {
                    self.autocorrelation(lag, admission, min_share)
                        .unwrap_or(f64::NEG_INFINITY)
                })
                .collect()
        };
        let mut values_at = values(MIN_STARTS_SHARE);
        if values_at.iter().all(|value| value.is_infinite()) {
            values_at = values(0.0);
        }
        let values = values_at;
        let mut peaks: Vec<usize> = (1..values.len().saturating_sub(1))
            .filter(|&i| values[i] > values[i - 1] && values[i] >= values[i + 1])
            .collect();
        if peaks.is_empty() {
            peaks = (0..values.len()).filter(|&i| values[i].is_finite()).collect();
        }
        peaks.sort_by(|&left, &right| values[right].total_cmp(&values[left]));
        peaks.into_iter().map(|i| first + i).collect()
    }

    /// The pair at these lags whose windows differ least.
    pub(super) fn best_pair(&self, lags: &[usize], admission: &Admission) -> Option<Pair> {
        let mut best: Option<(f64, Pair)> = None;
        for &lag in lags {
            for start in REACH..self.num_frames().saturating_sub(lag + REACH) {
                if !admission.admits(start, start + lag) {
                    continue;
                }
                let difference = self.window_difference(start, start + lag);
                if best.is_none_or(|(least, _)| difference < least) {
                    best = Some((difference, (start, start + lag)));
                }
            }
        }
        best.map(|(_, pair)| pair)
    }
}
