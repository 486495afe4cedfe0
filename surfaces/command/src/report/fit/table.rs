//! Answers of `fit --profile`.

use std::path::Path;

use loopwright_controller::{SpeedTable, TableFit, TableOf};

use super::numbers::{Numbers, numbers_human};
use crate::report::table::Table;

/// A row of the table, and where the spring is then.
#[in_schema]
struct RowFacts {
    /// Its time.
    time_secs: f64,
    /// Its speed.
    #[serde(skip_serializing_if = "Option::is_none")]
    speed_mps: Option<f64>,
    /// Its distance.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance_m: Option<f64>,
    /// Speed of the spring.
    #[serde(skip_serializing_if = "Option::is_none")]
    fitted_speed_mps: Option<f64>,
    /// Way of the spring.
    #[serde(skip_serializing_if = "Option::is_none")]
    fitted_distance_m: Option<f64>,
}

/// How a spring goes through a table.
#[in_schema]
pub struct ProfileFacts {
    /// The table, as it was named.
    file: String,
    /// What the table holds.
    #[schemars(extend("enum" = ["speeds", "splits"]))]
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
pub fn numbers(fit: &TableFit) -> Option<Numbers> {
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
            of: if are_speeds { "speeds" } else { "splits" },
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
    let mut rows = Table::new(&format!("seconds | {name} {unit} | spring {unit}"));
    for ((secs, value), fitted) in table.rows().iter().zip(&fit.fitted) {
        rows.row(vec![
            format!("{secs:.3}"),
            format!("{value:.3}"),
            format!("{fitted:.3}"),
        ]);
    }
    let mut text = rows.render();
    text += &format!(
        "starts at {:.3} s, off by {:.3} {unit} (root mean square)\n",
        fit.start_secs, fit.error
    );
    let shown = TableFit {
        top_speed_mps: (1e2 * fit.top_speed_mps).round() / 1e2,
        ..fit.clone()
    };
    text += &numbers_human(numbers(&shown), None);
    text
}
