//! Statistics over one or many takes: medians with their spread.

use super::{
    TakeFit,
    event::{Event, Quantity},
    mode::{MODES, Maximum, ModeFigures},
    response,
};
use loopwright_core::{analysis::MotionKind, math::mean};

/// Median and spread of some values.
#[value(Copy)]
pub struct Spread {
    /// Number of values, at least one.
    pub count: usize,
    /// The least.
    pub least: f64,
    /// The lower quartile.
    pub lower: f64,
    /// The median.
    pub median: f64,
    /// The upper quartile.
    pub upper: f64,
    /// The largest.
    pub most: f64,
}

impl Spread {
    /// Creates the spread of finite values, with interpolated quantiles; `None` without values.
    pub fn new(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let (&least, &most) = (values.first()?, values.last()?);
        let [lower, median, upper] = [0.25, 0.5, 0.75].map(|share| {
            let rank = share * (values.len() - 1) as f64;
            let below = rank.floor() as usize;
            let above = (below + 1).min(values.len() - 1);
            values[below] + (values[above] - values[below]) * (rank - below as f64)
        });
        Some(Self {
            count: values.len(),
            least,
            lower,
            median,
            upper,
            most,
        })
    }
}

/// Half-lives of a set of events by both estimators, seconds.
#[value(Copy, Default)]
pub struct HalfLives {
    /// Number of events of that kind.
    pub events: usize,
    /// By the closed form of each event's peak.
    pub closed: Option<Spread>,
    /// By least squares over each event's whole response, trusted fits only.
    pub fitted: Option<Spread>,
    /// Errors of those fits, as shares of the step.
    pub error: Option<Spread>,
    /// Standard error of the median of the fits, seconds: from their scatter or from the uncertainty of each, whichever is larger.
    pub uncertainty_secs: Option<f64>,
    /// Fits of ramped goals, if these are at least half of all changes.
    pub ramped: Option<Ramped>,
}

/// Fits of changes whose goal went evenly to its value.
#[value(Copy)]
pub struct Ramped {
    /// Half-lives, seconds.
    pub half_lives: Spread,
    /// Standard error of their median, seconds.
    pub uncertainty_secs: Option<f64>,
    /// Durations of the ramps, seconds.
    pub secs: Spread,
}

impl HalfLives {
    fn new<'a>(events: impl Iterator<Item = &'a Event> + Clone) -> Self {
        let fits = || events.clone().filter_map(Event::trusted);
        Self {
            events: events.clone().count(),
            closed: Spread::new(events.clone().filter_map(|event| event.closed_secs)),
            fitted: Spread::new(fits().map(|fitted| fitted.half_life_secs)),
            error: Spread::new(fits().map(|fitted| fitted.error)),
            uncertainty_secs: uncertainty(fits().map(|fitted| (fitted.half_life_secs, fitted.uncertainty_secs))),
            ramped: Self::ramped(events.clone().filter(|event| event.trusted().is_some())),
        }
    }

    fn ramped<'a>(events: impl Iterator<Item = &'a Event> + Clone) -> Option<Ramped> {
        let ramps = || events.clone().filter_map(|event| event.ramped);
        let ramped = Ramped {
            half_lives: Spread::new(ramps().map(|fitted| fitted.half_life_secs))?,
            uncertainty_secs: uncertainty(ramps().map(|fitted| (fitted.half_life_secs, fitted.uncertainty_secs))),
            secs: Spread::new(ramps().map(|fitted| fitted.ramp_secs))?,
        };
        (2 * ramped.half_lives.count >= events.count()).then_some(ramped)
    }

    /// Returns the half-life to use: the median of the fits, or of the closed forms without fits.
    pub fn chosen_secs(&self) -> Option<f64> {
        self.chosen().map(|spread| spread.median)
    }

    /// Returns the half-lives whose median is [`Self::chosen_secs`].
    pub fn chosen(&self) -> Option<Spread> {
        self.fitted.or(self.closed)
    }
}

/// Ratio of the standard error of the median of many values to that of their mean, for normal scatter.
const OF_MEDIAN: f64 = 1.253;

/// Values scatter more than their own errors explain if the ratio of both variances exceeds 1 by this many of its standard errors.
const LARGE_SCATTER: f64 = 2.0;

/// Returns the standard error of the median of values that have standard errors. `None` for a single value without one.
///
/// It is the error of their harmonic mean, scaled up if the values scatter more than their errors explain.
fn uncertainty(values: impl Iterator<Item = (f64, Option<f64>)>) -> Option<f64> {
    let (values, own): (Vec<f64>, Vec<Option<f64>>) = values.unzip();
    let count = values.len() as f64;
    if values.len() < 2 {
        return *own.first()?;
    }
    let mean = mean(values.iter().copied());
    let scatter = values.iter().map(|value| (value - mean) * (value - mean));
    // The median of two is their mean; of more it tends to be worse.
    let of_median = (1.0 + (OF_MEDIAN - 1.0) * (1.0 - 2.0 / count)) / count.sqrt();
    let Some(own) = own.into_iter().collect::<Option<Vec<f64>>>() else {
        return Some(of_median * (scatter.sum::<f64>() / (count - 1.0)).sqrt());
    };
    let ratio = scatter.zip(&own).map(|(square, own)| square / (own * own)).sum::<f64>() / (count - 1.0);
    let larger = if ratio > 1.0 + LARGE_SCATTER * (2.0 / (count - 1.0)).sqrt() {
        ratio.sqrt()
    } else {
        1.0
    };
    Some(of_median * larger * count / own.iter().map(|own| 1.0 / own).sum::<f64>())
}

/// Statistics of one mode, or of all modes together.
#[value]
pub struct ModePool {
    /// The mode; `None` for all of them.
    pub mode: Option<MotionKind>,
    /// Takes in which it occurs.
    pub takes: usize,
    /// Seconds spent in it.
    pub secs: f64,
    /// Sustained top speeds of the takes, metres per second.
    pub top_speed: Option<Spread>,
    /// Largest smoothed accelerations of the takes, metres per second squared.
    pub acceleration: Option<Spread>,
    /// Largest smoothed decelerations of the takes, likewise.
    pub deceleration: Option<Spread>,
    /// Largest smoothed turn rates of the takes, radians per second.
    pub turn_rate: Option<Spread>,
    /// Closed form of the takes' top speed and acceleration, seconds; only of takes that start or speed up in the mode.
    pub acceleration_closed: Option<Spread>,
    /// Closed form of the takes' top speed and deceleration, seconds; only of takes that stop or slow down in the mode.
    pub deceleration_closed: Option<Spread>,
    /// All changes of velocity.
    pub velocity: HalfLives,
    /// Changes that gain speed.
    pub speeding_up: HalfLives,
    /// Changes that lose speed.
    pub slowing_down: HalfLives,
    /// Changes of the facing.
    pub facing: HalfLives,
}

/// Statistics over some takes: all modes together, then each that occurs, in the order of [`MODES`].
#[value]
pub struct Pool {
    /// Number of takes.
    pub takes: usize,
    /// All modes together.
    pub all: ModePool,
    /// Each mode.
    pub modes: Vec<ModePool>,
}

impl Pool {
    /// Pools takes; each event counts once, and each take contributes one largest value.
    pub fn new(fits: &[&TakeFit]) -> Self {
        let modes = MODES
            .into_iter()
            .map(|mode| pooled(fits, Some(mode)))
            .filter(|pool| pool.takes > 0)
            .collect();
        Self {
            takes: fits.len(),
            all: pooled(fits, None),
            modes,
        }
    }

    /// Whether there is any half-life.
    pub fn has_half_life(&self) -> bool {
        self.all
            .velocity
            .chosen_secs()
            .or(self.all.facing.chosen_secs())
            .is_some()
    }
}

fn largest(figures: &[&ModeFigures], of: fn(&ModeFigures) -> Option<Maximum>) -> Option<f64> {
    figures
        .iter()
        .filter_map(|figures| of(figures))
        .map(|peak| peak.value)
        .reduce(f64::max)
}

/// Pools the figures and events of takes in one mode; in all modes without one.
fn pooled(fits: &[&TakeFit], mode: Option<MotionKind>) -> ModePool {
    let of_mode = |of: MotionKind| mode.is_none_or(|mode| mode == of);
    // The largest over the selected modes, for each take that has any of them.
    let figures: Vec<(&TakeFit, Vec<&ModeFigures>)> = fits
        .iter()
        .map(|fit| {
            let figures: Vec<&ModeFigures> = fit.figures.iter().filter(|figures| of_mode(figures.mode)).collect();
            (*fit, figures)
        })
        .filter(|(_, figures)| !figures.is_empty())
        .collect();
    let peaks = |of: fn(&ModeFigures) -> Option<Maximum>| {
        Spread::new(figures.iter().filter_map(|(_, figures)| largest(figures, of)))
    };
    let closed = |of: fn(&ModeFigures) -> Option<Maximum>, is_meant: fn(&Event) -> bool| {
        Spread::new(figures.iter().filter_map(|(fit, figures)| {
            let has_event = fit
                .events_of(Quantity::Velocity)
                .any(|event| of_mode(event.mode) && is_meant(event));
            let (speed, rate) = (largest(figures, |figures| figures.top_speed)?, largest(figures, of)?);
            let deviation = fit.profile.velocity.rates_deviation_secs(fit.profile.frame_time_secs);
            has_event
                .then(|| response::half_life_of_smoothed_peak(speed, rate, deviation))
                .flatten()
        }))
    };
    let events = |quantity: Quantity, is_meant: fn(&Event) -> bool| {
        HalfLives::new(
            fits.iter()
                .flat_map(|fit| &fit.events)
                .filter(move |event| event.quantity == quantity && of_mode(event.mode) && is_meant(event)),
        )
    };
    ModePool {
        mode,
        takes: figures.len(),
        secs: figures
            .iter()
            .flat_map(|(_, figures)| figures)
            .map(|figures| figures.secs)
            .sum(),
        top_speed: peaks(|figures| figures.top_speed),
        acceleration: peaks(|figures| figures.acceleration),
        deceleration: peaks(|figures| figures.deceleration),
        turn_rate: peaks(|figures| figures.turn_rate),
        acceleration_closed: closed(|figures| figures.acceleration, |event| event.kind.speeds_up()),
        deceleration_closed: closed(|figures| figures.deceleration, |event| event.kind.slows_down()),
        velocity: events(Quantity::Velocity, |_| true),
        speeding_up: events(Quantity::Velocity, |event| event.kind.speeds_up()),
        slowing_down: events(Quantity::Velocity, |event| event.kind.slows_down()),
        facing: events(Quantity::Facing, |_| true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_interpolated() {
        let spread = Spread::new([4.0, 1.0, 2.0, 3.0]).unwrap();
        assert_eq!((spread.count, spread.least, spread.most), (4, 1.0, 4.0));
        assert_eq!((spread.lower, spread.median, spread.upper), (1.75, 2.5, 3.25));
        assert_eq!(Spread::new([7.0]).unwrap().lower, 7.0);
        assert_eq!(Spread::new([]), None);
    }
}
