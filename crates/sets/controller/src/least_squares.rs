//! The critically damped spring that best fits a whole response, smoothed like the take.
//!
//! The parameters are half-life h, start t0, first value and step. The fit is nonlinear in the first two only; for each pair of
//! them the others follow from a linear regression. So the sum of squares is evaluated on a coarse grid of (h, t0), and then
//! minimized by steps along both, which are halved when none of them helps. Source: docs/math/fit.md.

use core::{f64::consts::TAU, ops::Range};

use glam::DVec3;
use loopwright_core::math::{dot, mean, ops, ordered};

use super::{
    profile::Signal,
    response::{self, SmoothedResponse, golden_section},
};

/// Largest error of a trusted fit, as a share of the step.
///
/// The median error of captured changes is 4 to 5% for velocity and 1.5% for the facing. A change above 10% is
/// not one change but several.
pub(crate) const LARGEST_ERROR: f64 = 0.1;

/// A spring fitted to a response.
#[handed_over(Copy)]
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

/// A ramp is searched for if, to first order, it would explain this share of the squared error of a step, ...
const LEAST_EXPLAINED: f64 = 0.2;

/// ... the step leaves more than rounding, as a share of its size, ...
const RAMPED_ERROR: f64 = 1e-3;

/// ... and the ramp counts if it reduces the squared error by this multiple of the noise along it: five standard errors.
const RAMPED_RATIO: f64 = 25.0;

/// With this multiple a ramp is possible, which makes the half-life of a step less certain.
const POSSIBLE_RATIO: f64 = 4.0;

/// Frequencies of sway that are tried, hertz: first, last, and their distance.
const SWAYS_HZ: (f64, f64, f64) = (0.6, 2.4, 0.05);

/// Sway is removed if one frequency explains this share of the residuals of all changes of a take, ...
const SWAY_SHARE: f64 = 0.8;

/// ... and this multiple of the noise along it.
const SWAY_RATIO: f64 = 8.0;

/// Fits springs to changes of a signal, each given by its frames and the frame of its largest rate: for a goal that steps, and for
/// a ramped goal if that fits better than noise explains. `None` where no spring fits.
pub(super) fn fit(
    signal: &Signal,
    changes: &[(Range<usize>, usize)],
    dt: f64,
) -> Vec<Option<(FittedResponse, Option<FittedResponse>)>> {
    let changes: Vec<(Change, Option<Fit>)> = changes
        .iter()
        .map(|(frames, peak)| {
            let change = Change::new(signal, frames, *peak, dt);
            let step = change.stepped();
            (change, step)
        })
        .collect();
    let mut models: Vec<Option<Model>> = changes
        .iter()
        .map(|(change, step)| Model::new(change.clone(), *step))
        .collect();
    if let Some(hz) = sway(&changes) {
        let swaying: Vec<Option<Model>> = changes
            .into_iter()
            .map(|(change, step)| {
                let change = change.without(hz);
                let step = step.and_then(|(_, step)| change.stepped_near(step));
                Model::new(change, step)
            })
            .collect();
        // Goals that ramp look like sway, too.
        let ramps: f64 = models.iter().flatten().map(|model| model.best().0).sum();
        if swaying.iter().flatten().map(|model| model.step.0).sum::<f64>() < ramps {
            models = swaying;
        }
    }
    let (left, free) = models
        .iter()
        .flatten()
        .map(|model| model.change.noise(&model.best().1))
        .fold((0.0, 0.0), |sum, each| (sum.0 + each.left, sum.1 + each.free));
    models.into_iter().map(|model| Some(model?.known(left, free))).collect()
}

/// The fits of a change.
struct Model {
    change: Change,
    step: Fit,
    /// The best ramp, and the reduction of the squared error as a multiple of the noise along it.
    ramped: Option<(Fit, f64)>,
}

impl Model {
    fn new(change: Change, step: Option<Fit>) -> Option<Self> {
        let step = change.inside(step?)?;
        let ramped = change
            .ramped(&step)
            .and_then(|(fit, ratio)| Some((change.inside(fit)?, ratio)));
        Some(Self { change, step, ramped })
    }

    fn best(&self) -> &Fit {
        self.ramped
            .as_ref()
            .filter(|ramped| ramped.1 > RAMPED_RATIO)
            .map_or(&self.step, |ramped| &ramped.0)
    }

    /// Adds uncertainties. `left` is the sum of squared residuals of the fits of all changes, and `free` the number of their independent
    /// samples that remain.
    fn known(self, left: f64, free: f64) -> (FittedResponse, Option<FittedResponse>) {
        let change = &self.change;
        let noise = change.noise(&self.best().1);
        // The residual variance of this change, with one sample added that has the mean over all changes.
        let own = (noise.left + left / free) / (noise.free.max(0.0) + 1.0);
        let own = if free > FEWEST_FREE * change.samples.len() as f64 {
            own
        } else {
            0.0
        };
        let variance = change.variance.max(own);
        let known = |fit: Fit| FittedResponse {
            uncertainty_secs: change.uncertainty_secs(&fit.1, variance),
            ..fit.1
        };
        let mut step = known(self.step);
        if let (Some(error), Some((ramped, _))) = (&mut step.uncertainty_secs, self.ramped) {
            // The half-life of the step is no more certain than its difference from that of the ramp.
            *error = ops::hypot(*error, step.half_life_secs - ramped.1.half_life_secs);
        }
        (
            step,
            self.ramped
                .filter(|ramped| ramped.1 > RAMPED_RATIO)
                .map(|ramped| known(ramped.0)),
        )
    }
}

/// Returns the frequency of sway that all changes share, hertz, if there is one.
fn sway(changes: &[(Change, Option<Fit>)]) -> Option<f64> {
    let residuals: Vec<_> = changes
        .iter()
        .filter_map(|(change, fit)| {
            let step = &fit.as_ref()?.1;
            let basis = change.columns_with_ramp(step);
            let left = orthogonal(basis.iter().cloned().chain([change.left(step)]).collect());
            let left: Vec<f64> = left.0.last()?.iter().map(|unit| unit * left.1).collect();
            Some((change, basis, left))
        })
        .collect();
    let all: f64 = residuals.iter().map(|(_, _, left)| dot(left, left)).sum();
    let (first, last, apart) = SWAYS_HZ;
    let count = ((last - first) / apart) as usize;
    let best = (0..=count)
        .map(|index| first + apart * index as f64)
        .map(|hz| {
            let (mut explained, mut noise) = (0.0, 0.0);
            for (change, basis, left) in &residuals {
                let (units, _) = orthogonal(basis.iter().cloned().chain(change.wave(hz)).collect());
                for unit in &units[basis.len()..] {
                    explained += dot(unit, left) * dot(unit, left);
                    noise += change.variance * change.variance_along(unit);
                }
            }
            (explained, noise, hz)
        })
        .max_by_key(|each| ordered(each.0))?;
    (best.0 > SWAY_SHARE * all && best.0 > SWAY_RATIO * best.1).then_some(best.2)
}

/// A fit and its sum of squared errors.
type Fit = (f64, FittedResponse);

/// The squared residual of a fit along the change, and the number of independent samples that remain.
struct Noise {
    left: f64,
    free: f64,
}

/// A change to be fitted, and the limits of its parameters.
#[derive(Clone)]
struct Change {
    /// Times and values.
    samples: Vec<(f64, DVec3)>,
    /// Values without the parts that are not the response, and the mean of the values.
    rest: Vec<DVec3>,
    mean: DVec3,
    /// Orthonormal columns of the parts of the values that are not the response: a constant, and sway.
    besides: Vec<Vec<f64>>,
    deviation_secs: f64,
    is_rate: bool,
    /// Variance that noise of the capture has in the values.
    variance: f64,
    half_lives: Range<f64>,
    starts: Range<f64>,
    largest_step: f64,
}

impl Change {
    fn new(signal: &Signal, frames: &Range<usize>, peak: usize, dt: f64) -> Self {
        let every = ((SAMPLE_SHARE * signal.deviation_secs / dt) as usize).max(1);
        let samples: Vec<(f64, DVec3)> = frames
            .clone()
            .step_by(every)
            .map(|frame| (frame as f64 * dt, signal.values[frame]))
            .collect();
        let seen = signal.values[frames.end - 1] - signal.values[frames.start];
        let change = Self {
            mean: mean(samples.iter().map(|&(_, value)| value)),
            samples,
            rest: Vec::new(),
            besides: Vec::new(),
            deviation_secs: signal.deviation_secs,
            is_rate: signal.is_rate,
            variance: signal.noise,
            half_lives: (response::SHORTEST_SHARE * signal.deviation_secs).max(SHORTEST_SECS)..LONGEST_SECS,
            starts: frames.start as f64 * dt..peak as f64 * dt,
            largest_step: LARGEST_STEP * seen.length(),
        };
        let constant = vec![1.0; change.samples.len()];
        change.besides(vec![constant])
    }

    /// Sets the columns of the parts that are not the response.
    fn besides(mut self, columns: Vec<Vec<f64>>) -> Self {
        self.besides = orthogonal(columns).0;
        let axes = [0, 1, 2].map(|axis| {
            let mut column: Vec<f64> = self.samples.iter().map(|(_, value)| value[axis]).collect();
            self.clean(&mut column);
            column
        });
        self.rest = (0..self.samples.len())
            .map(|at| DVec3::from_array(axes.each_ref().map(|axis| axis[at])))
            .collect();
        self
    }

    /// Cosine and sine of a frequency at the samples; for a velocity, their size grows with the speed.
    fn wave(&self, hz: f64) -> [Vec<f64>; 2] {
        [0.0, 0.25].map(|turn| {
            self.samples
                .iter()
                .map(|&(secs, value)| {
                    let size = if self.is_rate { value.length() } else { 1.0 };
                    size * ops::cos(TAU * (hz * secs - turn))
                })
                .collect()
        })
    }

    /// Adds sway of a frequency to the parts that are not the response.
    fn without(self, hz: f64) -> Self {
        let columns = self.besides.iter().cloned().chain(self.wave(hz)).collect();
        self.besides(columns)
    }

    /// Every third sample: enough to find a ramp.
    fn thinned(&self) -> Self {
        let columns = self
            .besides
            .iter()
            .map(|column| column.iter().copied().step_by(3).collect())
            .collect();
        let thinned = Self {
            samples: self.samples.iter().copied().step_by(3).collect(),
            rest: Vec::new(),
            besides: Vec::new(),
            half_lives: self.half_lives.clone(),
            starts: self.starts.clone(),
            ..*self
        };
        thinned.besides(columns)
    }

    /// Removes the parts that are not the response from a column.
    fn clean(&self, column: &mut [f64]) {
        for unit in &self.besides {
            take_out(unit, column);
        }
    }

    /// Fits a goal that steps.
    fn stepped(&self) -> Option<Fit> {
        let range = ops::ln(self.half_lives.end) - ops::ln(self.half_lives.start);
        Some(self.refined(self.coarse()?, [range / HALF_LIVES as f64, STARTS_SECS], FINEST))
    }

    /// Fits a goal that steps, starting from the fit of one.
    fn stepped_near(&self, step: FittedResponse) -> Option<Fit> {
        let fit = self.regress(ops::ln(step.half_life_secs), step.start_secs, 0.0)?;
        Some(self.refined(fit, RAMPED_STEPS, FINEST))
    }

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
        inside.then(|| self.regression(at))?
    }

    /// Finds the best of a grid of half-lives and starts, for a step.
    fn coarse(&self) -> Option<Fit> {
        let (from, to) = (ops::ln(self.half_lives.start), ops::ln(self.half_lives.end));
        let (first, last) = (self.starts.start, self.starts.end);
        let starts = ((last - first) / STARTS_SECS).ceil().max(1.0) as usize;
        (0..HALF_LIVES)
            .map(|index| from + (to - from) * (index as f64 + 0.5) / HALF_LIVES as f64)
            .flat_map(|log| (0..=starts).map(move |start| (log, first + (last - first) * start as f64 / starts as f64)))
            .filter_map(|(log, start)| self.regress(log, start, 0.0))
            .reduce(|best, fit| if fit.0 < best.0 { fit } else { best })
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

    /// Fits a ramped goal, if it reduces the squared error by more than the noise along it explains; also returns that multiple.
    fn ramped(&self, step: &Fit) -> Option<(Fit, f64)> {
        let (left, step) = step;
        let error = (RAMPED_ERROR..=LARGEST_ERROR).contains(&step.error);
        let basis = self.columns_with_ramp(step);
        let (along, rest) = (basis.last()?, self.left(step));
        let explained = dot(along, &rest) * dot(along, &rest);
        if !error || explained < LEAST_EXPLAINED * dot(&rest, &rest) {
            return None;
        }
        let thinned = self.thinned();
        let cost = |ramp_secs: f64| {
            thinned
                .fit_of_ramp(step, ramp_secs, FINE)
                .map_or(f64::INFINITY, |fit| fit.0)
        };
        let costs = RAMPS_SECS.map(cost);
        let best = (0..costs.len()).min_by_key(|&at| ordered(costs[at]))?;
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
        let ramped = self.fit_of_ramp(step, 0.5 * (low + high), FINEST)?;
        let noise = self.noise(&ramped.1);
        let own = if noise.free > FEWEST_FREE * self.samples.len() as f64 {
            noise.left / noise.free
        } else {
            0.0
        };
        let variance = self.variance.max(own) * self.variance_along(along);
        let ratio = (left - ramped.0) / variance.max(f64::MIN_POSITIVE);
        (ratio > POSSIBLE_RATIO && ramped.1.ramp_secs >= RAMPS_SECS[0]).then_some((ramped, ratio))
    }

    /// Fits a ramped goal of this duration, starting from the fit of a step: the middle of the input stays about the same.
    fn fit_of_ramp(&self, step: &FittedResponse, ramp_secs: f64, finest: f64) -> Option<Fit> {
        let start = (step.start_secs - 0.5 * ramp_secs).max(self.starts.start);
        let from = self.regress(ops::ln(step.half_life_secs), start, ramp_secs)?;
        Some(self.refined(from, RAMPED_STEPS, finest))
    }

    /// Returns a fit, but not at the edge of the range, where the half-life is only bounded.
    fn inside(&self, fit: Fit) -> Option<Fit> {
        let inside = self.half_lives.start * 1.01..self.half_lives.end * 0.99;
        (fit.1.half_life_secs > inside.start && fit.1.half_life_secs < inside.end).then_some(fit)
    }

    /// Returns the derivatives of the fitted values by each parameter: the parts that are not the response, step, start, ramp if there is
    /// one, and last the half-life.
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
            before
                .iter()
                .zip(&after)
                .map(|(before, after)| size * (after - before) / over)
                .collect()
        };
        const SMALL: f64 = 1e-4;
        let (h, ramp) = (fitted.half_life_secs, fitted.ramp_secs);
        let mut columns = self.besides.clone();
        columns.push(shares(h, 0.0, ramp));
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
        let mut left: Vec<f64> = self
            .samples
            .iter()
            .map(|&(secs, value)| {
                let share = response.ramped(secs - fitted.start_secs, fitted.ramp_secs);
                (value - (fitted.to - fitted.from) * share).dot(along)
            })
            .collect();
        self.clean(&mut left);
        left
    }

    /// Returns orthonormal columns of the derivatives, and last of the difference between a short ramp and a step.
    fn columns_with_ramp(&self, step: &FittedResponse) -> Vec<Vec<f64>> {
        const SHORT_SECS: f64 = 0.1;
        let response = SmoothedResponse::new(step.half_life_secs, self.deviation_secs);
        let change = self.samples.iter().map(|(secs, _)| {
            let since = secs - step.start_secs;
            response.ramped(since + 0.5 * SHORT_SECS, SHORT_SECS) - response.step(since)
        });
        let mut columns = self.derivatives(step);
        columns.push(change.collect());
        orthogonal(columns).0
    }

    /// Estimates the standard error of the half-life, seconds, by the variance of noise.
    ///
    /// The half-life errs by the component of the noise along the part of its derivative that is orthogonal to those of the
    /// other parameters. Source: docs/math/fit.md.
    fn uncertainty_secs(&self, fitted: &FittedResponse, variance: f64) -> Option<f64> {
        let (basis, sensitivity) = orthogonal(self.derivatives(fitted));
        let error = (variance * self.variance_along(basis.last()?)).sqrt() / sensitivity;
        (variance > 0.0 && error.is_finite()).then_some(error)
    }

    /// Returns the residual of a fit.
    fn noise(&self, fitted: &FittedResponse) -> Noise {
        let (basis, _) = orthogonal(self.derivatives(fitted));
        let left = self.left(fitted);
        let taken: f64 = basis.iter().map(|unit| self.variance_along(unit)).sum();
        Noise {
            left: dot(&left, &left),
            free: self.samples.len() as f64 - taken,
        }
    }

    /// Returns the variance, along a unit column, of noise with a variance of 1 that is white in what was captured and smoothed like the
    /// take. Gaussian weights correlate it like weights of twice their variance; velocities are rates of it.
    fn variance_along(&self, unit: &[f64]) -> f64 {
        // Samples are evenly apart.
        let correlation: Vec<f64> = self
            .samples
            .iter()
            .map(|(secs, _)| {
                let apart = (secs - self.samples[0].0) / self.deviation_secs.max(1e-9);
                let of_values = ops::exp(-0.25 * apart * apart);
                if self.is_rate {
                    (1.0 - 0.5 * apart * apart) * of_values
                } else {
                    of_values
                }
            })
            .collect();
        unit.iter()
            .enumerate()
            .map(|(one, value)| {
                let others = unit.iter().enumerate();
                value
                    * others
                        .map(|(other, value)| value * correlation[one.abs_diff(other)])
                        .sum::<f64>()
            })
            .sum()
    }

    /// Finds the best first value and step, limited in size, for the half-life, start and ramp of `at`, and the residual sum of
    /// squares.
    fn regression(&self, at: FittedResponse) -> Option<Fit> {
        let count = self.samples.len() as f64;
        let response = SmoothedResponse::new(at.half_life_secs, self.deviation_secs);
        let mut shares: Vec<f64> = self
            .samples
            .iter()
            .map(|&(secs, _)| response.ramped(secs - at.start_secs, at.ramp_secs))
            .collect();
        let mean_share = shares.iter().sum::<f64>() / count;
        self.clean(&mut shares);
        let spread = dot(&shares, &shares);
        if spread < 1e-9 {
            return None;
        }
        let pairs = || self.rest.iter().zip(&shares);
        let step =
            (pairs().map(|(&value, &share)| value * share).sum::<DVec3>() / spread).clamp_length_max(self.largest_step);
        let from = self.mean - step * mean_share;
        let left: f64 = pairs()
            .map(|(&value, &share)| (value - step * share).length_squared())
            .sum();
        let error = (left / count).sqrt() / step.length();
        let to = from + step;
        error
            .is_finite()
            .then_some((left, FittedResponse { from, to, error, ..at }))
    }
}

/// Orthonormalizes columns in order, and returns the remaining length of the last one.
fn orthogonal(columns: Vec<Vec<f64>>) -> (Vec<Vec<f64>>, f64) {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut length = 0.0;
    for mut column in columns {
        // Twice, because the first pass leaves rounding errors.
        for unit in basis.iter().chain(&basis) {
            take_out(unit, &mut column);
        }
        length = dot(&column, &column).sqrt();
        basis.push(column.iter().map(|value| value / length).collect());
    }
    (basis, length)
}

/// Removes the part along a unit column from a column.
fn take_out(unit: &[f64], column: &mut [f64]) {
    let along = dot(unit, column);
    for (value, unit) in column.iter_mut().zip(unit) {
        *value -= along * unit;
    }
}

/// Least share of the samples' noise that must remain after the fit; with less, the residual says nothing about the noise.
const FEWEST_FREE: f64 = 0.05;
