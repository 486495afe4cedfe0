//! The fit of character controllers: the speeds of a take, and the half-lives of springs that respond like its body.
//!
//! [`fit`] smooths velocity and facing (`profile`), separates walks from runs and finds the largest values of each (`mode`), finds
//! starts, stops and turns and fits a critically damped spring to each in two ways (`event`), and drives the same springs through
//! the take for comparison (`simulate`). [`Pool`] takes medians over events and takes. [`SpeedTable`] needs no take and fits the
//! spring to speeds or split times. Half-lives are the articles' parameter: see [`Spring`](loopwright_core::math::Spring).
//!
//! ```
//! use loopwright_core::{Analysis, analysis::MotionKind};
//! use loopwright_controller::{FitSettings, Pool, half_life_of_peak};
//!
//! # let driven = loopwright_synth::DriveSettings::default();
//! # let take = loopwright_synth::drive(&driven)?;
//! let fit = loopwright_controller::fit(&Analysis::new(&take)?, &FitSettings::default())?;
//! let half_life = Pool::new(&[&fit]).all.velocity.chosen_secs().ok_or("no change of velocity")?;
//! assert!((half_life / driven.velocity_half_life_secs - 1.0).abs() < 0.03);
//!
//! // From standing to 4.86 m/s with at most 3.94 m/s^2.
//! let half_life = half_life_of_peak(4.86, 3.94).ok_or("nothing moves")?;
//! assert!((half_life - 0.629).abs() < 0.001);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[macro_use]
extern crate loopwright_attributes;

use loopwright_core::{Analysis, analysis::MotionKind};

mod response;

mod profile;

mod mode;

mod event;

mod least_squares;

mod simulate;

mod pool;

mod table;

pub use event::{Event, EventKind, Quantity};
pub use mode::{MODES, Maximum, ModeFigures};
pub use pool::{HalfLives, ModePool, Pool, Ramped, Spread};
use profile::SUSTAINED_SECS;
pub use profile::{Profile, Signal};
pub use response::{SmoothedResponse, half_life_of_peak, peak_of_half_life};
pub use table::{SpeedTable, TableError, TableFit, TableOf, TableRow};

pub use least_squares::FittedResponse;

/// Default standard deviation of the weights that smooth velocity and facing, seconds.
///
/// It reduces a wave of 1.8 Hz, the steps of a walk, to 8% of its size. If shorter, steps count as accelerations; if longer,
/// consecutive changes merge.
pub const SMOOTHING_SECS: f64 = 0.2;

/// Shortest and longest standard deviation allowed, seconds: below, nothing is smoothed at any frame rate; above, no start
/// remains.
pub const SMOOTHING_RANGE: core::ops::RangeInclusive<f64> = 0.001..=2.0;

/// Highest frame rate allowed, frames per second: no capture of whole bodies is faster, and the work grows with its square.
pub const MAX_RATE_HZ: f64 = 2000.0;

/// How a take is fitted.
#[handed_over(Copy)]
pub struct FitSettings {
    /// Standard deviation of the weights that smooth velocity and facing, seconds.
    pub smoothing_secs: f64,
    /// The mode of the whole take, one of [`MODES`]; detected from its speed and direction if not given.
    pub mode: Option<MotionKind>,
}

impl Default for FitSettings {
    fn default() -> Self {
        Self {
            smoothing_secs: SMOOTHING_SECS,
            mode: None,
        }
    }
}

/// Why a take cannot be fitted.
#[error_kinds(Copy)]
pub enum FitError {
    /// The smoothing is out of range.
    #[error("the smoothing must lie between {min} s and {max} s, found {found} s", min = SMOOTHING_RANGE.start(), max = SMOOTHING_RANGE.end())]
    Smoothing { found: f64 },
    #[error("{found:.0} frames per second are more than the {MAX_RATE_HZ} that are taken")]
    Rate { found: f64 },
    #[error(
        "no run of frames without a jump lasts {SUSTAINED_SECS} s, for which a speed must be held to count; the take has {found:.2} s"
    )]
    TooShort { found: f64 },
}

/// Why a quantity has no half-life.
#[value(Copy, Eq)]
pub enum Lack {
    /// The body is idle throughout.
    Still,
    /// The body moves, but never changes from one steady value to another.
    NoEvent,
    /// The changes are too sharp or too uneven for any spring.
    NoFit,
}

/// The controller parameters of a take.
#[handed_over]
pub struct TakeFit {
    /// The settings of the fit.
    pub settings: FitSettings,
    /// Smoothed velocity and facing.
    pub profile: Profile,
    /// Mode of every frame.
    pub modes: Vec<MotionKind>,
    /// Largest values of each mode that occurs.
    pub figures: Vec<ModeFigures>,
    /// Changes of velocity, then of the facing, each in order.
    pub events: Vec<Event>,
    /// A controller with the take's half-life of velocity, driven through the take, if there is one.
    pub simulated_velocity: Option<Signal>,
    /// A controller with the half-life of the facing, driven through the take, if there is one.
    pub simulated_facing: Option<Signal>,
}

impl TakeFit {
    /// Explains why a quantity has no half-life; `None` if it has one.
    pub fn lack(&self, quantity: Quantity) -> Option<Lack> {
        let mut of_it = self.events_of(quantity).peekable();
        if of_it.peek().is_none() {
            let moves = self.figures.iter().any(|figures| figures.mode != MotionKind::Idle);
            return Some(if moves { Lack::NoEvent } else { Lack::Still });
        }
        let has_half_life = of_it.any(|event| event.closed_secs.is_some() || event.trusted().is_some());
        (!has_half_life).then_some(Lack::NoFit)
    }

    /// Changes of one quantity, in order.
    pub fn events_of(&self, quantity: Quantity) -> impl Iterator<Item = &Event> {
        self.events.iter().filter(move |event| event.quantity == quantity)
    }
}

/// Fits a character controller to a take.
///
/// A take that is idle, or never changes its velocity, is not an error: see [`TakeFit::lack`]. Errors: [`FitError`].
/// Source: docs/math/fit.md.
pub fn fit(analysis: &Analysis, settings: &FitSettings) -> Result<TakeFit, FitError> {
    let take = &analysis.take;
    if !SMOOTHING_RANGE.contains(&settings.smoothing_secs) {
        return Err(FitError::Smoothing {
            found: settings.smoothing_secs,
        });
    }
    if take.frame_rate_hz() > MAX_RATE_HZ * (1.0 + 1e-9) {
        return Err(FitError::Rate {
            found: take.frame_rate_hz(),
        });
    }
    let profile = Profile::new(analysis, settings.smoothing_secs);
    if profile.runs.is_empty() {
        return Err(FitError::TooShort {
            found: take.duration_secs(),
        });
    }
    let mut modes = match settings.mode {
        Some(mode) => vec![mode::mode_of(mode); take.num_frames()],
        None => mode::of_frames(&analysis.segments, take.num_frames()),
    };
    let mut events = event::find(&profile, &modes, Quantity::Velocity);
    events.extend(event::find(&profile, &modes, Quantity::Facing));
    if settings.mode.is_none() {
        for event in events.iter().filter(|event| event.mode == MotionKind::TurnInPlace) {
            for frame in event.turning_frames(&profile) {
                if modes[frame] == MotionKind::Idle {
                    modes[frame] = MotionKind::TurnInPlace;
                }
            }
        }
    }
    let mut fit = TakeFit {
        settings: *settings,
        figures: mode::figures(&profile, &modes),
        profile,
        modes,
        events,
        simulated_velocity: None,
        simulated_facing: None,
    };
    let all = Pool::new(&[&fit]).all;
    fit.simulated_velocity = simulate::simulate(&fit, Quantity::Velocity, all.velocity.chosen_secs());
    fit.simulated_facing = simulate::simulate(&fit, Quantity::Facing, all.facing.chosen_secs());
    Ok(fit)
}
