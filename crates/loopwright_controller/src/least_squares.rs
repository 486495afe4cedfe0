//! The critically damped spring that best fits a whole response, smoothed like the take.
//!
//! The parameters are half-life h, start t0, first value and step. The fit is nonlinear in the first two only; for each pair of
//! them the others follow from a linear regression. So the sum of squares is evaluated on a coarse grid of (h, t0), and then
//! minimized by steps along both, which are halved when none of them helps. Source: docs/math/fit.md.

use core::ops::Range;

use glam::DVec3;
use loopwright::math::ops;

use super::{profile::Signal, response, response::SmoothedResponse};

/// A spring fitted to a response.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub struct FittedResponse {
    /// Half-life, seconds.
    pub half_life_secs: f64,
    /// Time of the input step, seconds from the first frame of the take.
    pub start_secs: f64,
    /// Value before: metres per second in the world, or radians about +Y.
    pub from: DVec3,
    /// Value after: the goal.
    pub to: DVec3,
    /// RMS residual of the fit, as a share of the step.
    pub error: f64,
}

impl FittedResponse {
    /// The fitted value at a time, smoothed with a standard deviation, both in seconds; 0 gives the spring itself.
    pub fn at(&self, secs: f64, deviation_secs: f64) -> DVec3 {
        let response = SmoothedResponse::new(self.half_life_secs, deviation_secs);
        self.from + (self.to - self.from) * response.step(secs - self.start_secs)
    }

    /// Its rate of change, per second.
    pub fn rate_at(&self, secs: f64, deviation_secs: f64) -> DVec3 {
        let response = SmoothedResponse::new(self.half_life_secs, deviation_secs);
        (self.to - self.from) * response.rate(secs - self.start_secs)
    }
}

/// Longest half-life tried, seconds; slower changes exceed the duration of an event.
const LONGEST_SECS: f64 = 5.0;

/// Shortest half-life tried without smoothing, seconds.
const SHORTEST_SECS: f64 = 0.01;

/// Number of grid points over half-lives (even in their logarithm), and seconds between its starts.
const HALF_LIVES: usize = 24;
const STARTS_SECS: f64 = 0.1;

/// Samples are at least this share of the smoothing's deviation apart: closer ones add no information.
const SAMPLE_SHARE: f64 = 0.2;

/// The minimization ends when its steps are below these: share of the half-life, and seconds.
const FINEST: f64 = 1e-6;

/// The fitted step is at most this times the observed step: the response never shows a larger one, which would fit any half-life.
const LARGEST_STEP: f64 = 1.1;

/// Fits the frames of a signal; `peak` is the frame of its largest rate. `None` if no spring fits.
pub(super) fn fit(signal: &Signal, frames: Range<usize>, peak: usize, dt: f64) -> Option<FittedResponse> {
    let every = ((SAMPLE_SHARE * signal.deviation_secs / dt) as usize).max(1);
    let samples = frames.clone().step_by(every);
    let samples: Vec<(f64, DVec3)> = samples.map(|frame| (frame as f64 * dt, signal.values[frame])).collect();
    let seen = signal.values[frames.end - 1] - signal.values[frames.start];
    let shortest = (response::SHORTEST_SHARE * signal.deviation_secs).max(SHORTEST_SECS);
    let (first, last) = (frames.start as f64 * dt, peak as f64 * dt);
    let regress = |log: f64, start_secs: f64| -> Option<(f64, FittedResponse)> {
        let half_life_secs = ops::exp(log);
        let inside = (shortest..=LONGEST_SECS).contains(&half_life_secs) && (first..=last).contains(&start_secs);
        if !inside {
            return None;
        }
        let response = SmoothedResponse::new(half_life_secs, signal.deviation_secs);
        regression(
            &samples,
            start_secs,
            &response,
            half_life_secs,
            LARGEST_STEP * seen.length(),
        )
    };

    let (from, to) = (ops::ln(shortest), ops::ln(LONGEST_SECS));
    let starts = ((last - first) / STARTS_SECS).ceil().max(1.0) as usize;
    let mut best: Option<(f64, FittedResponse)> = None;
    let mut consider = |found: Option<(f64, FittedResponse)>| -> bool {
        let is_better = match (&found, &best) {
            (Some((cost, _)), Some((least, _))) => cost < least,
            (found, _) => found.is_some(),
        };
        if is_better {
            best = found;
        }
        is_better
    };
    for index in 0..HALF_LIVES {
        let log = from + (to - from) * (index as f64 + 0.5) / HALF_LIVES as f64;
        for start in 0..=starts {
            consider(regress(log, first + (last - first) * start as f64 / starts as f64));
        }
    }
    let (_, coarse) = best?;
    let mut at = [ops::ln(coarse.half_life_secs), coarse.start_secs];
    let mut steps = [(to - from) / HALF_LIVES as f64, STARTS_SECS];
    let mut consider = |found: Option<(f64, FittedResponse)>| -> bool {
        let is_better = found
            .as_ref()
            .zip(best.as_ref())
            .is_some_and(|(new, old)| new.0 < old.0);
        if is_better {
            best = found;
        }
        is_better
    };
    // In the valley of the sum a later start goes with a shorter half-life, so both are also changed together.
    const DIRECTIONS: [[f64; 2]; 8] = [
        [1.0, 0.0],
        [-1.0, 0.0],
        [0.0, 1.0],
        [0.0, -1.0],
        [1.0, -1.0],
        [-1.0, 1.0],
        [1.0, 1.0],
        [-1.0, -1.0],
    ];
    const MOST_STEPS: usize = 2000;
    for _ in 0..MOST_STEPS {
        let next = DIRECTIONS
            .map(|direction| [at[0] + direction[0] * steps[0], at[1] + direction[1] * steps[1]])
            .into_iter()
            .find(|&[log, start]| consider(regress(log, start)));
        match next {
            Some(next) => at = next,
            None => steps = steps.map(|step| 0.5 * step),
        }
        if steps[0] < FINEST && steps[1] < FINEST {
            break;
        }
    }
    let (_, fitted) = best?;
    // At the edge of the range the half-life is only bounded, not determined.
    let is_inside = fitted.half_life_secs > shortest * 1.01 && fitted.half_life_secs < LONGEST_SECS * 0.99;
    is_inside.then_some(fitted)
}

/// The best first value and step, limited in size, for a response that starts at a given time, and the residual sum of squares.
fn regression(
    samples: &[(f64, DVec3)],
    start_secs: f64,
    response: &SmoothedResponse,
    half_life_secs: f64,
    largest_step: f64,
) -> Option<(f64, FittedResponse)> {
    let count = samples.len() as f64;
    let shares = samples.iter().map(|&(secs, _)| response.step(secs - start_secs));
    let shares: Vec<f64> = shares.collect();
    let mean_share = shares.iter().sum::<f64>() / count;
    let mean = samples.iter().map(|&(_, value)| value).sum::<DVec3>() / count;
    let (mut spread, mut slope) = (0.0, DVec3::ZERO);
    for (&(_, value), share) in samples.iter().zip(&shares) {
        spread += (share - mean_share) * (share - mean_share);
        slope += (value - mean) * (share - mean_share);
    }
    if spread < 1e-9 {
        return None;
    }
    let step = (slope / spread).clamp_length_max(largest_step);
    let from = mean - step * mean_share;
    let pairs = samples.iter().map(|&(_, value)| value).zip(&shares);
    let left: f64 = pairs
        .map(|(value, &share)| (value - from - step * share).length_squared())
        .sum();
    let error = (left / count).sqrt() / step.length();
    error.is_finite().then_some((
        left,
        FittedResponse {
            half_life_secs,
            start_secs,
            from,
            to: from + step,
            error,
        },
    ))
}
