//! Half-lives and rates from numbers alone.

use loopwright_controller::{half_life_of_peak, peak_of_half_life};
use loopwright_core::math::decay_rate;
use serde::Serialize;

use super::MEANING;

/// The size of a step, its largest rate and the half-life that follows from both.
#[derive(Clone, Copy)]
pub(crate) struct Numbers {
    step: f64,
    rate: f64,
    half_life_secs: f64,
}

impl Numbers {
    /// Completes the given numbers; `None` if there is neither rate nor half-life.
    pub(crate) fn new(step: f64, rate: Option<f64>, half_life_secs: Option<f64>) -> Option<Self> {
        let half_life_secs = match rate {
            Some(rate) => half_life_of_peak(step, rate),
            None => half_life_secs,
        }?;
        Some(Self {
            step,
            rate: rate.unwrap_or_else(|| peak_of_half_life(step, half_life_secs)),
            half_life_secs,
        })
    }

    fn peak_secs(&self) -> f64 {
        1.0 / decay_rate(self.half_life_secs)
    }
}

/// The answer from numbers, as text.
pub(crate) fn numbers_human(velocity: Option<Numbers>, facing: Option<Numbers>) -> String {
    let mut text = String::new();
    for (name, numbers, step, rate) in [
        ("velocity", velocity, "m/s", "m/s^2"),
        ("facing", facing, "deg", "deg/s"),
    ] {
        let Some(numbers) = numbers else { continue };
        text += &format!(
            "{name}: half-life {:.3} s; 0 to {} {step} peaks at {:.2} {rate}, after {:.3} s\n",
            numbers.half_life_secs,
            numbers.step,
            numbers.rate,
            numbers.peak_secs()
        );
    }
    text += &format!("{MEANING}\n");
    text
}

/// A change of velocity, from numbers alone.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct VelocityNumbers {
    /// Top speed.
    speed_mps: f64,
    /// Largest acceleration on the way to it.
    acceleration_mps2: f64,
    /// Half-life of the spring that shows both.
    half_life_secs: f64,
    /// When the acceleration is largest.
    peak_secs: f64,
}

/// A change of facing, from numbers alone.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct FacingNumbers {
    /// Angle turned by.
    angle_deg: f64,
    /// Largest rate of turn.
    turn_rate_dps: f64,
    /// Half-life of the spring that shows both.
    half_life_secs: f64,
    /// When the rate is largest.
    peak_secs: f64,
}

impl From<Numbers> for VelocityNumbers {
    fn from(numbers: Numbers) -> Self {
        Self {
            speed_mps: numbers.step,
            acceleration_mps2: numbers.rate,
            half_life_secs: numbers.half_life_secs,
            peak_secs: numbers.peak_secs(),
        }
    }
}

impl From<Numbers> for FacingNumbers {
    fn from(numbers: Numbers) -> Self {
        Self {
            angle_deg: numbers.step,
            turn_rate_dps: numbers.rate,
            half_life_secs: numbers.half_life_secs,
            peak_secs: numbers.peak_secs(),
        }
    }
}
