//! Detects the end of each cycle in a stream of poses, so that a loop can be made of the latest frames.
//!
//! The rhythm is found without a body, an up axis or a unit, by local rotations alone: those of the joints below the hips, each
//! weighted by the square of the reach of its descendants, so that the sum approximates a squared distance. For each lag the
//! mean of that over the last lag is divided by the mean over all shorter lags, as A. de Cheveigné and H. Kawahara do for the
//! pitch of voices ("YIN, a fundamental frequency estimator for speech and music", Journal of the Acoustical Society of America
//! 111, 2002); the first lag with a low minimum is the period. It is known after two cycles.
//!
//! Memory does not grow with the stream.

use core::ops::Range;
use std::collections::VecDeque;

use glam::DQuat;

use crate::{
    math::{TimeStep, mean},
    motion::Skeleton,
};

/// Shortest and longest cycle whose rhythm is found, seconds: a sprint takes .45, slow steps 2.
const CYCLE_SECS: [f64; 2] = [0.3, 4.0];

/// Poses are compared at this rate or below, per second: at a whole fraction of the stream's rate.
const COMPARED_HZ: f64 = 60.0;

/// Poses a lag apart are alike if their mean distance is below this share of the mean over shorter lags.
const ALIKE: f64 = 0.2;

/// Mean squared distance below which a body stands still, for limbs of length 1: rotations of about 2 degrees.
const STILL: f64 = 3e-4;

/// The body moves if it covers this share of its usual distance in [`STEP_SECS`].
const MOVING_SHARE: f64 = 0.1;
const STEP_SECS: f64 = 0.2;

/// Number of cycles before the first loop: one to loop, with context before and after it.
const FIRST_CYCLES: f64 = 3.0;

/// After a try without a result, the next one follows after this share of a cycle.
const AGAIN_CYCLES: f64 = 0.25;

/// Seconds between tries without a known rhythm.
const NO_RHYTHM_SECS: f64 = 4.0;

/// Length of the frames of which a loop is made, in cycles, and its least and greatest in seconds.
const WINDOW_CYCLES: f64 = 6.0;
const WINDOW_SECS: [f64; 2] = [4.0, 12.0];

/// A request to try a loop, because a cycle has ended.
#[value]
pub struct Due {
    /// Number of cycles since the motion began, or of tries without a known rhythm.
    pub cycle: usize,
    /// Length of a cycle, seconds; `None` without a known rhythm.
    pub period_secs: Option<f64>,
    /// The frames to make it of, counted from the first received one.
    pub frames: Range<usize>,
}

/// Receives poses, and reports when a loop can be tried. After an interruption, use a new listener.
///
/// ```
/// use loopwright_core::live::Listener;
///
/// let walk = loopwright_synth::synthesize(&loopwright_synth::WalkSettings::default())?;
/// let mut listener = Listener::new(walk.take.skeleton(), walk.take.frame_time_secs());
/// let tries: Vec<_> = (0..walk.take.num_frames()).filter_map(|frame| listener.push(walk.take.rotations(frame))).collect();
/// // The first try comes after three cycles, then one after each.
/// let first_secs = tries[0].frames.end as f64 * walk.take.frame_time_secs();
/// assert!((first_secs / walk.truth.period_secs - 3.0).abs() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Listener {
    frame_time_secs: f64,
    /// Interval between the frames that are compared, frames.
    stride: usize,
    /// Compared joints, with weights that sum to one.
    joints: Vec<(usize, f64)>,
    /// The last compared poses, the latest at the end.
    poses: VecDeque<Vec<DQuat>>,
    lags: Vec<Lag>,
    min_lag: usize,
    /// Distance covered in [`STEP_SECS`], per pose.
    steps: VecDeque<f64>,
    num_frames: usize,
    period: Option<f64>,
    /// Start of the motion with this rhythm, and time of the next try; frames.
    began_at: usize,
    due_at: f64,
    num_tries: usize,
}

/// Distances of poses that are one lag apart.
#[derive(Clone, Debug, Default)]
struct Lag {
    /// The last distances, as many as the lag, and their sum.
    last: VecDeque<f64>,
    sum: f64,
}

impl Listener {
    /// Starts before the first pose of a skeleton; only ratios of its lengths matter. `frame_time_secs` must be positive.
    pub fn new(skeleton: &Skeleton, frame_time_secs: f64) -> Self {
        let rate = 1.0 / frame_time_secs.max(1e-6);
        let stride = ((rate / COMPARED_HZ).round() as usize).max(1);
        let step = TimeStep::new(stride as f64 * frame_time_secs);
        let [min_lag, max_lag] = CYCLE_SECS.map(|secs| step.nearest_from_one(secs));
        Self {
            frame_time_secs,
            stride,
            joints: weights(skeleton),
            poses: VecDeque::new(),
            lags: vec![Lag::default(); max_lag],
            min_lag: min_lag.max(3),
            steps: VecDeque::new(),
            num_frames: 0,
            period: None,
            began_at: 0,
            due_at: f64::INFINITY,
            num_tries: 0,
        }
    }

    /// Returns the length of a cycle, seconds, if known.
    pub fn period_secs(&self) -> Option<f64> {
        self.period.map(|frames| frames * self.frame_time_secs)
    }

    /// Notes that the last try found nothing, so that the next one comes sooner than after a cycle.
    pub fn found_nothing(&mut self) {
        if let Some(period) = self.period {
            self.due_at = self.num_frames as f64 + AGAIN_CYCLES * period;
        }
    }

    /// Repeats the last frame, in place of a lost one; it is not compared.
    pub fn repeat_last(&mut self) {
        self.num_frames += 1;
    }

    /// Receives the local rotations of all joints at the next frame; returns a request if a loop can be tried. Missing joints
    /// count as at rest.
    pub fn push(&mut self, rotations: &[DQuat]) -> Option<Due> {
        let is_compared = self.num_frames.is_multiple_of(self.stride);
        self.num_frames += 1;
        if is_compared {
            self.compare(rotations);
            self.follow();
        }
        self.due()
    }

    /// Adds a pose to the distances at all lags.
    fn compare(&mut self, rotations: &[DQuat]) {
        let pose: Vec<DQuat> = self
            .joints
            .iter()
            .map(|&(joint, _)| rotations.get(joint).copied().unwrap_or(DQuat::IDENTITY))
            .collect();
        for (before, lag) in self.poses.iter().rev().zip(&mut self.lags) {
            let distance = distance(&self.joints, before, &pose);
            lag.sum += distance;
            lag.last.push_back(distance);
        }
        for (index, lag) in self.lags.iter_mut().enumerate() {
            if lag.last.len() > index + 1 {
                lag.sum -= lag.last.pop_front().unwrap_or(0.0);
            }
        }
        let step = self.lags.get(self.step_lag() - 1).and_then(|lag| lag.last.back());
        // Unknown at the start; assume motion.
        self.steps.push_back(step.copied().unwrap_or(f64::INFINITY));
        self.poses.push_back(pose);
        if self.poses.len() > self.lags.len() {
            self.poses.pop_front();
        }
        // The beginning of a motion is searched within this range.
        if self.steps.len() > 3 * self.lags.len() {
            self.steps.pop_front();
        }
    }

    /// Returns the number of poses in [`STEP_SECS`].
    fn step_lag(&self) -> usize {
        TimeStep::new(self.stride as f64 * self.frame_time_secs).nearest_from_one(STEP_SECS)
    }

    /// Follows the rhythm: it begins, continues or ends.
    fn follow(&mut self) {
        let before = self.period;
        self.period = self.rhythm().map(|steps| steps * self.stride as f64);
        if let (None, Some(period)) = (before, self.period) {
            self.began_at = self.beginning(period);
            self.due_at = self.began_at as f64 + FIRST_CYCLES * period;
            self.num_tries = 0;
        }
        if self.period.is_none() && (before.is_some() || self.due_at.is_infinite()) {
            self.due_at = self.num_frames as f64 + NO_RHYTHM_SECS / self.frame_time_secs;
        }
    }

    /// Returns the period in poses: the first lag with a low minimum.
    fn rhythm(&self) -> Option<f64> {
        let (mut sum, mut best) = (0.0, None::<f64>);
        let mut shares: [f64; 2] = [f64::INFINITY; 2];
        for (index, lag) in self.lags.iter().enumerate() {
            let steps = index + 1;
            if lag.last.len() < steps {
                break;
            }
            let mean = lag.sum.max(0.0) / steps as f64;
            sum += mean;
            let usual = sum / steps as f64;
            let share = if usual > STILL { mean / usual } else { f64::INFINITY };
            let [before, at] = shares;
            // The previous lag is a minimum.
            if best.is_none() && index > self.min_lag && at < ALIKE && at <= before && at < share {
                best = Some(vertex(index as f64, [before, at, share]));
            }
            shares = [at, share];
        }
        best
    }

    /// Returns the frame at which the motion of this rhythm began: the last one before which the body hardly moved.
    fn beginning(&self, period: f64) -> usize {
        let cycle = ((period / self.stride as f64).round() as usize).clamp(1, self.steps.len().max(1));
        let last = self.steps.iter().rev();
        let usual = mean(last.clone().take(cycle).copied());
        // A walk may slow down for a moment and go on.
        let (pause, mut still, mut moving) = (self.step_lag(), 0, 0);
        for (index, &step) in last.enumerate() {
            still = if step < MOVING_SHARE * usual { still + 1 } else { 0 };
            if still == 0 {
                moving = index + 1;
            }
            if still > pause {
                break;
            }
        }
        self.num_frames.saturating_sub(moving * self.stride)
    }

    /// Returns the try that is due now.
    fn due(&mut self) -> Option<Due> {
        let now = self.num_frames as f64;
        if now < self.due_at {
            return None;
        }
        self.num_tries += 1;
        let (cycle, wait) = match self.period {
            Some(period) => (((now - self.began_at as f64) / period).round() as usize, period),
            None => (self.num_tries, NO_RHYTHM_SECS / self.frame_time_secs),
        };
        // After late tries the next one stays in step with the cycles.
        self.due_at = (self.due_at + wait).max(now + AGAIN_CYCLES * wait);
        let [shortest, longest] = WINDOW_SECS;
        let secs = self.period_secs().map_or(longest, |period| WINDOW_CYCLES * period);
        let window = (secs.clamp(shortest, longest) / self.frame_time_secs).ceil() as usize;
        Some(Due {
            cycle,
            period_secs: self.period_secs(),
            frames: self.num_frames.saturating_sub(window)..self.num_frames,
        })
    }
}

/// Returns about half the squared distance between two poses, for limbs of length 1. Signs of quaternions do not matter.
fn distance(joints: &[(usize, f64)], one: &[DQuat], other: &[DQuat]) -> f64 {
    let pairs = joints.iter().zip(one).zip(other);
    pairs.fold(0.0, |sum, ((&(_, weight), one), other)| {
        let cosine = one.dot(*other);
        sum + weight * (1.0 - cosine * cosine).max(0.0)
    })
}

/// Returns the joints below the first fork of a skeleton, the hips, with the squared reach of their descendants.
fn weights(skeleton: &Skeleton) -> Vec<(usize, f64)> {
    let count = skeleton.num_joints();
    let reach = skeleton.reaches(|joint| skeleton.joint(joint).rest_offset.length());
    // Joints above the hips rotate the whole body.
    let mut fork = 0;
    while let [only] = skeleton.children(fork) {
        fork = *only;
    }
    let first = if skeleton.children(fork).is_empty() {
        0
    } else {
        fork + 1
    };
    let weights: Vec<(usize, f64)> = (first..count)
        .map(|joint| (joint, reach[joint] * reach[joint]))
        .filter(|(_, weight)| *weight > 0.0)
        .collect();
    let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
    weights
        .into_iter()
        .map(|(joint, weight)| (joint, weight / sum))
        .collect()
}

/// Returns the vertex of the parabola through three values around `at`, of which the middle one is the least.
fn vertex(at: f64, [before, value, after]: [f64; 3]) -> f64 {
    let bend = before - 2.0 * value + after;
    if bend > 0.0 && bend.is_finite() {
        at + 0.5 * (before - after) / bend
    } else {
        at
    }
}
