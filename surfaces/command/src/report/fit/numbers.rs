//! Half-lives and rates from numbers alone.

use loopwright_controller::{half_life_of_peak, peak_of_half_life};
use loopwright_core::math::decay_rate;

use super::MEANING;

/// The size of a step, its largest rate and the half-life that follows from both.
#[derive(Clone, Copy)]
pub struct Numbers {
    /// In metres per second for a velocity, degrees for a facing.
    step: f64,
    /// In the unit of the step, per second.
    rate_per_sec: f64,
    half_life_secs: f64,
}

impl Numbers {
    /// Completes a step, metres per second or degrees, by its largest rate or its half-life; a rate wins over a half-life.
    ///
    /// `None` if both are missing, or the rate gives no half-life.
    pub fn completed(step: f64, rate_per_sec: Option<f64>, half_life_secs: Option<f64>) -> Option<Self> {
        let half_life_secs = match rate_per_sec {
            Some(rate_per_sec) => half_life_of_peak(step, rate_per_sec),
            None => half_life_secs,
        }?;
        Some(Self {
            step,
            rate_per_sec: rate_per_sec.unwrap_or_else(|| peak_of_half_life(step, half_life_secs)),
            half_life_secs,
        })
    }

    fn peak_secs(&self) -> f64 {
        1.0 / decay_rate(self.half_life_secs)
    }
}

/// Words the answer from numbers alone.
pub fn numbers_human(velocity: Option<Numbers>, facing: Option<Numbers>) -> String {
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
            numbers.rate_per_sec,
            numbers.peak_secs()
        );
    }
    text += &format!("{MEANING}\n");
    text
}

/// A change of velocity, from numbers alone.
#[in_schema]
pub struct VelocityNumbers {
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
#[in_schema]
pub struct FacingNumbers {
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
            acceleration_mps2: numbers.rate_per_sec,
            half_life_secs: numbers.half_life_secs,
            peak_secs: numbers.peak_secs(),
        }
    }
}

impl From<Numbers> for FacingNumbers {
    fn from(numbers: Numbers) -> Self {
        Self {
            angle_deg: numbers.step,
            turn_rate_dps: numbers.rate_per_sec,
            half_life_secs: numbers.half_life_secs,
            peak_secs: numbers.peak_secs(),
        }
    }
}
