//! Half-lives and rates from numbers alone, and from a table of `--profile`.

use std::path::Path;

use loopwright_controller::{SpeedTable, TableFit, TableOf, half_life_of_peak, peak_of_half_life};
use loopwright_core::math::decay_rate;

use super::MEANING;
use crate::report::table::in_columns;

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

/// A row of the table, and where the spring is then.
#[in_schema]
struct RowFacts {
    /// Its time.
    time_secs: f64,
    /// Its speed.
    #[absent]
    speed_mps: Option<f64>,
    /// Its distance.
    #[absent]
    distance_m: Option<f64>,
    /// Speed of the spring.
    #[absent]
    fitted_speed_mps: Option<f64>,
    /// Way of the spring.
    #[absent]
    fitted_distance_m: Option<f64>,
}

/// How a spring goes through a table.
#[in_schema]
pub struct ProfileFacts {
    /// The table, as it was named.
    file: String,
    /// What the table holds.
    #[schemars(schema_with = "crate::schema_words::word::<TableOf>")]
    of: &'static str,
    /// When the spring starts from rest; 0 with fewer than four rows.
    start_secs: f64,
    /// Root mean square of what the spring is off; null for splits.
    error_mps: Option<f64>,
    /// Root mean square of what the spring is off; null for speeds.
    error_m: Option<f64>,
    /// Each row.
    rows: Vec<RowFacts>,
}

/// Returns size, largest rate and half-life of the spring.
pub fn of_table(fit: &TableFit) -> Option<Numbers> {
    Numbers::completed(
        fit.top_speed_mps,
        Some(fit.peak_acceleration_mps2),
        Some(fit.half_life_secs),
    )
}

impl ProfileFacts {
    pub fn new(path: &Path, table: &SpeedTable, fit: &TableFit) -> Self {
        let are_speeds = table.of() == TableOf::Speeds;
        let speed = |value: f64| are_speeds.then_some(value);
        let distance = |value: f64| (!are_speeds).then_some(value);
        let rows = table
            .rows()
            .iter()
            .zip(&fit.fitted)
            .map(|(&(secs, value), &fitted)| RowFacts {
                time_secs: secs,
                speed_mps: speed(value),
                distance_m: distance(value),
                fitted_speed_mps: speed(fitted),
                fitted_distance_m: distance(fitted),
            });
        Self {
            file: path.display().to_string(),
            of: table.of().as_str(),
            start_secs: fit.start_secs,
            error_mps: speed(fit.error),
            error_m: distance(fit.error),
            rows: rows.collect(),
        }
    }
}

/// Words the answer.
pub fn table_human(table: &SpeedTable, fit: &TableFit) -> String {
    let (name, unit) = match table.of() {
        TableOf::Speeds => ("speed", "m/s"),
        TableOf::Splits => ("distance", "m"),
    };
    let rows = table.rows().iter().zip(&fit.fitted);
    let mut text = in_columns(
        &format!("seconds | {name} {unit} | spring {unit}"),
        rows.map(|((secs, value), fitted)| [secs, value, fitted].map(|number| format!("{number:.3}"))),
    );
    text += &format!(
        "starts at {:.3} s, off by {:.3} {unit} (root mean square)\n",
        fit.start_secs, fit.error
    );
    let shown = TableFit {
        top_speed_mps: (1e2 * fit.top_speed_mps).round() / 1e2,
        ..fit.clone()
    };
    text += &numbers_human(of_table(&shown), None);
    text
}
