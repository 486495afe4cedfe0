//! The critically damped spring that best fits a whole response, smoothed like the take.
//!
//! The parameters are half-life h, start t0, first value and step. The fit is nonlinear in the first two only; for each pair of
//! them the others follow from a linear regression. So the sum of squares is evaluated on a coarse grid of (h, t0), and then
//! minimized by steps along both, which are halved when none of them helps. Source: docs/math/fit.md.

use core::ops::Range;

use glam::DVec3;
use loopwright_core::math::ops;

use super::profile::Signal;
use super::response::{self, SmoothedResponse, golden_section};

/// Largest error of a trusted fit, as a share of the step.
///
/// The median error of captured changes is 4 to 5% for velocity and 1.5% for the facing. A change above 10% is
/// not one change but several.
pub(crate) const LARGEST_ERROR: f64 = 0.1;

/// A spring fitted to a response.
#[handed_over]
#[derive(Copy)]
pub struct FittedResponse {
    /// Half-life, seconds.
    pub half_life_secs: f64,
    /// Its standard error, seconds: the residual is taken as noise with the smoothing of the take. `None` if the change has too
    /// few independent samples.
    pub uncertainty_secs: Option<f64>,
    /// Time of the input, seconds from the first frame of the take.
    pub start_secs: f64,
    /// Seconds over which the input goes from one value to the other; 0 for a step.
    pub ramp_secs: f64,
    /// Value before: metres per second in the world, or radians about +Y.
    pub from: DVec3,
    /// Value after: the goal.
    pub to: DVec3,
    /// RMS residual of the fit, as a share of the step.
    pub error: f64,
}

impl FittedResponse {
    /// Returns the fitted value at a time, smoothed with a standard deviation, both in seconds; 0 gives the spring itself.
    pub fn at(&self, secs: f64, deviation_secs: f64) -> DVec3 {
        let response = SmoothedResponse::new(self.half_life_secs, deviation_secs);
        self.from + (self.to - self.from) * response.ramped(secs - self.start_secs, self.ramp_secs)
    }

    /// Returns its rate of change, per second.
    pub fn rate_at(&self, secs: f64, deviation_secs: f64) -> DVec3 {
        let response = SmoothedResponse::new(self.half_life_secs, deviation_secs);
        let since = secs - self.start_secs;
        let rate = if self.ramp_secs > 0.0 {
            (response.step(since) - response.step(since - self.ramp_secs)) / self.ramp_secs
        } else {
            response.rate(since)
        };
        (self.to - self.from) * rate
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

/// Trial durations of a ramped goal, seconds; the best is refined between its neighbours in this many steps.
const RAMPS_SECS: [f64; 6] = [0.05, 0.1, 0.25, 0.5, 1.0, 2.0];
const RAMP_STEPS: usize = 10;

/// First steps of the search for each of them, as shares of the half-life and seconds, and its precision.
const RAMPED_STEPS: [f64; 2] = [0.1, 0.05];
const FINE: f64 = 1e-3;

/// A goal was ramped if that leaves less than this share of the squared error of a step ...
const RAMPED_SHARE: f64 = 0.2;

/// ... of which a ramp would explain this share to first order, ...
const LEAST_EXPLAINED: f64 = 0.4;

/// ... and the step leaves more than rounding, as a share of its size.
const RAMPED_ERROR: f64 = 1e-3;

/// Fits springs to the frames of a signal: for a goal that steps, and for a ramped goal if that fits far better. `peak` is the
/// frame of the largest rate. `None` if no spring fits.
pub(super) fn fit(
    signal: &Signal,
    frames: Range<usize>,
    peak: usize,
    dt: f64,
) -> Option<(FittedResponse, Option<FittedResponse>)> {
    let every = ((SAMPLE_SHARE * signal.deviation_secs / dt) as usize).max(1);
    let samples = frames.clone().step_by(every);
    let samples: Vec<(f64, DVec3)> = samples.map(|frame| (frame as f64 * dt, signal.values[frame])).collect();
    let seen = signal.values[frames.end - 1] - signal.values[frames.start];
    let change = Change {
        samples,
        deviation_secs: signal.deviation_secs,
        half_lives: (response::SHORTEST_SHARE * signal.deviation_secs).max(SHORTEST_SECS)..LONGEST_SECS,
        starts: frames.start as f64 * dt..peak as f64 * dt,
        largest_step: LARGEST_STEP * seen.length(),
    };
    let range = ops::ln(change.half_lives.end) - ops::ln(change.half_lives.start);
    let step = change.refined(change.coarse()?, [range / HALF_LIVES as f64, STARTS_SECS], FINEST);
    let ramped = change.ramped(step).and_then(|fit| change.known(fit));
    Some((change.known(step)?, ramped))
}

/// A fit and its sum of squared errors.
type Fit = (f64, FittedResponse);

/// A change to be fitted, and the limits of its parameters.
struct Change {
    /// Times and values.
    samples: Vec<(f64, DVec3)>,
    deviation_secs: f64,
    half_lives: Range<f64>,
    starts: Range<f64>,
    largest_step: f64,
}

impl Change {
    /// Finds the best values for a half-life, given by its logarithm, a start and a ramp; `None` outside the limits.
    fn regress(&self, log: f64, start_secs: f64, ramp_secs: f64) -> Option<Fit> {
        let half_life_secs = ops::exp(log);
        let (half_lives, starts) = (&self.half_lives, &self.starts);
        let inside = (half_lives.start..=half_lives.end).contains(&half_life_secs)
            && (starts.start..=starts.end).contains(&start_secs);
        let at = FittedResponse {
            half_life_secs,
            uncertainty_secs: None,
            start_secs,
            ramp_secs,
            from: DVec3::ZERO,
            to: DVec3::ZERO,
            error: 0.0,
        };
        inside.then(|| regression(&self.samples, at, self.deviation_secs, self.largest_step))?
    }

    /// Finds the best of a grid of half-lives and starts, for a step.
    fn coarse(&self) -> Option<Fit> {
        let (from, to) = (ops::ln(self.half_lives.start), ops::ln(self.half_lives.end));
        let (first, last) = (self.starts.start, self.starts.end);
        let starts = ((last - first) / STARTS_SECS).ceil().max(1.0) as usize;
        let logs = (0..HALF_LIVES).map(|index| from + (to - from) * (index as f64 + 0.5) / HALF_LIVES as f64);
        let points = logs.flat_map(|log| {
            (0..=starts).map(move |start| (log, first + (last - first) * start as f64 / starts as f64))
        });
        let fits = points.filter_map(|(log, start)| self.regress(log, start, 0.0));
        fits.reduce(|best, fit| if fit.0 < best.0 { fit } else { best })
    }

    /// Descends from a fit with shrinking steps of the half-life's logarithm and of the start; the ramp is kept.
    fn refined(&self, mut best: Fit, mut steps: [f64; 2], finest: f64) -> Fit {
        // The valley of the sum runs diagonally, with later starts at shorter half-lives, so both are also changed together.
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
        let mut at = [ops::ln(best.1.half_life_secs), best.1.start_secs];
        for _ in 0..MOST_STEPS {
            let next = DIRECTIONS.into_iter().find_map(|direction| {
                let next = [at[0] + direction[0] * steps[0], at[1] + direction[1] * steps[1]];
                let fit = self.regress(next[0], next[1], best.1.ramp_secs)?;
                (fit.0 < best.0).then_some((next, fit))
            });
            match next {
                Some((next, fit)) => (at, best) = (next, fit),
                None => steps = steps.map(|step| 0.5 * step),
            }
            if steps[0] < finest && steps[1] < finest {
                break;
            }
        }
        best
    }

    /// Fits a ramped goal, if that explains most of the error of a step.
    fn ramped(&self, (left, step): Fit) -> Option<Fit> {
        let counts = (RAMPED_ERROR..=LARGEST_ERROR).contains(&step.error);
        if !counts || self.share_of_a_ramp(&step) < LEAST_EXPLAINED {
            return None;
        }
        // A third of the samples is enough to find the ramp.
        let thinned = Self {
            samples: self.samples.iter().copied().step_by(3).collect(),
            half_lives: self.half_lives.clone(),
            starts: self.starts.clone(),
            ..*self
        };
        let cost = |ramp_secs: f64| {
            thinned
                .fit_of_ramp(&step, ramp_secs, FINE)
                .map_or(f64::INFINITY, |fit| fit.0)
        };
        let costs = RAMPS_SECS.map(cost);
        let best = (0..costs.len()).min_by(|&one, &other| costs[one].total_cmp(&costs[other]))?;
        let mut low = if best == 0 { 0.0 } else { RAMPS_SECS[best - 1] };
        let mut high = RAMPS_SECS[(best + 1).min(RAMPS_SECS.len() - 1)];
        let mut at = golden_section(low, high);
        let mut costs = at.map(cost);
        for _ in 0..RAMP_STEPS {
            if costs[0] < costs[1] {
                high = at[1];
                at = golden_section(low, high);
                costs = [cost(at[0]), costs[0]];
            } else {
                low = at[0];
                at = golden_section(low, high);
                costs = [costs[1], cost(at[1])];
            }
        }
        let ramped = self.fit_of_ramp(&step, 0.5 * (low + high), FINEST)?;
        (ramped.0 < RAMPED_SHARE * left && ramped.1.ramp_secs >= RAMPS_SECS[0]).then_some(ramped)
    }

    /// Fits a ramped goal of this duration, starting from the fit of a step: the middle of the input stays about the same.
    fn fit_of_ramp(&self, step: &FittedResponse, ramp_secs: f64, finest: f64) -> Option<Fit> {
        let start = (step.start_secs - 0.5 * ramp_secs).max(self.starts.start);
        let from = self.regress(ops::ln(step.half_life_secs), start, ramp_secs)?;
        Some(self.refined(from, RAMPED_STEPS, finest))
    }

    /// Adds the uncertainty to a fit; `None` at the edge of the range, where the half-life is only bounded.
    fn known(&self, (_, fitted): Fit) -> Option<FittedResponse> {
        let inside = self.half_lives.start * 1.01..self.half_lives.end * 0.99;
        (fitted.half_life_secs > inside.start && fitted.half_life_secs < inside.end).then(|| FittedResponse {
            uncertainty_secs: self.uncertainty_secs(&fitted),
            ..fitted
        })
    }

    /// Returns the derivatives of the fitted values by each parameter: first value, step, start, ramp if there is one, and last
    /// the half-life.
    fn derivatives(&self, fitted: &FittedResponse) -> Vec<Vec<f64>> {
        let size = (fitted.to - fitted.from).length();
        let shares = |half_life_secs: f64, shift: f64, ramp_secs: f64| -> Vec<f64> {
            let response = SmoothedResponse::new(half_life_secs, self.deviation_secs);
            self.samples
                .iter()
                .map(|&(secs, _)| response.ramped(secs - fitted.start_secs - shift, ramp_secs))
                .collect()
        };
        let slope = |before: Vec<f64>, after: Vec<f64>, over: f64| -> Vec<f64> {
            let pairs = before.iter().zip(&after);
            pairs.map(|(before, after)| size * (after - before) / over).collect()
        };
        const SMALL: f64 = 1e-4;
        let (h, ramp) = (fitted.half_life_secs, fitted.ramp_secs);
        let mut columns = vec![vec![1.0; self.samples.len()], shares(h, 0.0, ramp)];
        columns.push(slope(shares(h, SMALL, ramp), shares(h, -SMALL, ramp), 2.0 * SMALL));
        if ramp > 0.0 {
            let [less, more] = [ramp - SMALL, ramp + SMALL].map(|ramp| shares(h, 0.0, ramp));
            columns.push(slope(less, more, 2.0 * SMALL));
        }
        let [less, more] = [1.0 - SMALL, 1.0 + SMALL].map(|times| shares(h * times, 0.0, ramp));
        columns.push(slope(less, more, 2.0 * SMALL * h));
        columns
    }

    /// Returns the residual of each sample, along the change.
    fn left(&self, fitted: &FittedResponse) -> Vec<f64> {
        let along = (fitted.to - fitted.from).normalize_or_zero();
        let response = SmoothedResponse::new(fitted.half_life_secs, self.deviation_secs);
        let samples = self.samples.iter().map(|&(secs, value)| {
            let share = response.ramped(secs - fitted.start_secs, fitted.ramp_secs);
            (value - fitted.from - (fitted.to - fitted.from) * share).dot(along)
        });
        samples.collect()
    }

    /// Estimates to first order the share of a step's squared error that a short ramp would explain.
    fn share_of_a_ramp(&self, step: &FittedResponse) -> f64 {
        const SHORT_SECS: f64 = 0.1;
        let response = SmoothedResponse::new(step.half_life_secs, self.deviation_secs);
        let change = self.samples.iter().map(|(secs, _)| {
            let since = secs - step.start_secs;
            response.ramped(since + 0.5 * SHORT_SECS, SHORT_SECS) - response.step(since)
        });
        let mut columns = self.derivatives(step);
        columns.push(change.collect());
        let (basis, _) = orthogonal(columns);
        let left = self.left(step);
        let along = basis.last().map_or(0.0, |unit| dot(unit, &left));
        along * along / dot(&left, &left)
    }

    /// Estimates the standard error of the half-life, seconds, if the residual is noise with the smoothing of the take.
    ///
    /// The half-life errs by the component of the residual along the part of its derivative that is orthogonal to those of the
    /// other parameters. Source: docs/math/fit.md.
    fn uncertainty_secs(&self, fitted: &FittedResponse) -> Option<f64> {
        let (basis, sensitivity) = orthogonal(self.derivatives(fitted));
        // Noise smoothed by Gaussian weights is correlated like weights of twice the variance; samples are evenly apart.
        let correlation = self.samples.iter().map(|(secs, _)| {
            let apart = (secs - self.samples[0].0) / self.deviation_secs.max(1e-9);
            ops::exp(-0.25 * apart * apart)
        });
        let correlation: Vec<f64> = correlation.collect();
        let spreads = basis.iter().map(|unit| {
            let rows = (0..unit.len()).map(|one| {
                let others = unit.iter().enumerate();
                others
                    .map(|(other, value)| value * correlation[one.abs_diff(other)])
                    .sum::<f64>()
            });
            unit.iter().zip(rows).map(|(value, row)| value * row).sum()
        });
        let spreads: Vec<f64> = spreads.collect();
        let count = self.samples.len() as f64;
        let free = count - spreads.iter().sum::<f64>();
        let left = self.left(fitted);
        let error = (dot(&left, &left) / free * spreads.last()?).sqrt() / sensitivity;
        (free > FEWEST_FREE * count && error.is_finite()).then_some(error)
    }
}

/// Orthonormalizes columns in order, and returns the remaining length of the last one.
fn orthogonal(columns: Vec<Vec<f64>>) -> (Vec<Vec<f64>>, f64) {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut length = 0.0;
    for mut column in columns {
        // Twice, because the first pass leaves rounding errors.
        for unit in basis.iter().chain(&basis) {
            let along = dot(unit, &column);
            column
                .iter_mut()
                .zip(unit)
                .for_each(|(value, unit)| *value -= along * unit);
        }
        length = dot(&column, &column).sqrt();
        basis.push(column.iter().map(|value| value / length).collect());
    }
    (basis, length)
}

/// Least share of the samples' noise that must remain after the fit; with less, the residual says nothing about the noise.
const FEWEST_FREE: f64 = 0.05;

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// Finds the best first value and step, limited in size, for the half-life, start and ramp of `at`, and the residual sum of
/// squares.
fn regression(samples: &[(f64, DVec3)], at: FittedResponse, deviation_secs: f64, largest_step: f64) -> Option<Fit> {
    let count = samples.len() as f64;
    let response = SmoothedResponse::new(at.half_life_secs, deviation_secs);
    let shares = (samples.iter()).map(|&(secs, _)| response.ramped(secs - at.start_secs, at.ramp_secs));
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
    let to = from + step;
    error
        .is_finite()
        .then_some((left, FittedResponse { from, to, error, ..at }))
}
