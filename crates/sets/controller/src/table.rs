//! A spring fitted to a table of times and speeds, or of distances and split times, such as those published for sprinters.
//!
//! From rest at the time t0 the speed of a critically damped spring with the decay rate y and the goal S is S (1 - (1 + y t)
//! e^(-y t)), and its distance S (t - 2/y + e^(-y t) (t + 2/y)), t seconds after t0. S is found by least squares for every pair
//! of half-life and t0, and the pair on grids that shrink around the best. Source: docs/math/fit.md.

use loopwright_core::math::{decay_rate, ops};

use super::response::peak_of_half_life;

/// Most rows of a table: ten minutes at a thousand a second.
const MAX_ROWS: usize = 600_000;

/// Shortest and longest half-life that is tried, seconds.
const HALF_LIVES_SECS: [f64; 2] = [0.005, 20.0];

/// Points of a grid along half-life and start, and how much smaller the next grid is.
const GRID: usize = 33;
const SHRINK: f64 = 0.25;

/// Grids, one inside another: the last has steps of 1e-10 of the range.
const NUM_GRIDS: usize = 16;

/// With fewer rows the start is fixed at time 0, because there would be as many unknowns as numbers.
const MIN_ROWS_FOR_START: usize = 4;

/// The meaning of the rows of a table.
#[choice_in_words]
pub enum TableOf {
    /// Times and speeds.
    Speeds,
    /// Times at which distances were reached.
    Splits,
}

/// A row: seconds, and metres per second or metres.
pub type TableRow = (f64, f64);

/// Times and speeds, or times and distances, in order of time.
#[value]
pub struct SpeedTable {
    of: TableOf,
    rows: Vec<TableRow>,
}

/// Why a spring cannot be fitted to rows.
#[error_kinds(Copy)]
pub enum TableError {
    /// There are fewer rows than unknowns, or too many.
    #[error("{found} rows; a fit needs 2 to {MAX_ROWS}, with a time after 0")]
    Rows { found: usize },
    /// Times do not increase, begin before 0, or a value is negative or not finite.
    #[error("row {row}: times must increase from 0 on, speeds and distances must be 0 or more")]
    Order { row: usize },
    #[error("row {row}: the distance is less than in the row before")]
    Back { row: usize },
    /// Nothing moves.
    #[error("all values are 0")]
    Still,
}

/// The spring from rest to a top speed that fits a table best.
#[value]
pub struct TableFit {
    /// The goal speed of the spring, metres per second.
    pub top_speed_mps: f64,
    /// Its half-life, seconds: the articles' parameter.
    pub half_life_secs: f64,
    /// When it starts, seconds.
    pub start_secs: f64,
    /// Its largest acceleration, metres per second squared.
    pub peak_acceleration_mps2: f64,
    /// Root mean square error, in the unit of the values.
    pub error: f64,
    /// The spring's value at every row.
    pub fitted: Vec<f64>,
}

impl SpeedTable {
    /// Creates a table of these rows. Errors: [`TableError`].
    pub fn new(of: TableOf, rows: Vec<TableRow>) -> Result<Self, TableError> {
        let moves_on = rows.last().is_some_and(|(secs, _)| *secs > 0.0);
        if !(2..=MAX_ROWS).contains(&rows.len()) || !moves_on {
            return Err(TableError::Rows { found: rows.len() });
        }
        let mut before = (f64::NEG_INFINITY, 0.0);
        for (index, &(secs, value)) in rows.iter().enumerate() {
            let is_sound = secs >= 0.0 && secs > before.0 && value >= 0.0 && secs.is_finite() && value.is_finite();
            if !is_sound {
                return Err(TableError::Order { row: index + 1 });
            }
            if of == TableOf::Splits && value < before.1 {
                return Err(TableError::Back { row: index + 1 });
            }
            before = (secs, value);
        }
        if rows.iter().all(|(_, value)| *value == 0.0) {
            return Err(TableError::Still);
        }
        Ok(Self { of, rows })
    }

    /// Returns the meaning of its rows.
    pub fn of(&self) -> TableOf {
        self.of
    }

    /// Returns its rows.
    pub fn rows(&self) -> &[TableRow] {
        &self.rows
    }

    /// Fits the spring with the least squared error.
    pub fn fit(&self) -> TableFit {
        // It moves in the first row with a value, so it started before.
        let moving = self.rows.iter().find(|(_, value)| *value > 0.0);
        let last_start = if self.rows.len() < MIN_ROWS_FOR_START {
            0.0
        } else {
            moving.map_or(0.0, |(secs, _)| *secs)
        };
        let [least, most] = HALF_LIVES_SECS.map(ops::ln);
        let mut centre = (0.5 * (least + most), 0.5 * last_start);
        let mut reach = (0.5 * (most - least), 0.5 * last_start);
        let num_starts = if last_start > 0.0 { GRID } else { 1 };
        for _ in 0..NUM_GRIDS {
            let around = |centre: f64, reach: f64, [low, high]: [f64; 2]| {
                (0..GRID).map(move |step| {
                    let share = 2.0 * step as f64 / (GRID - 1) as f64 - 1.0;
                    (centre + share * reach).clamp(low, high)
                })
            };
            let mut best = (f64::INFINITY, centre);
            for half_life in around(centre.0, reach.0, [least, most]) {
                for start in around(centre.1, reach.1, [0.0, last_start]).take(num_starts) {
                    let error = self.with(ops::exp(half_life), start).1;
                    if error < best.0 {
                        best = (error, (half_life, start));
                    }
                }
            }
            centre = best.1;
            reach = (SHRINK * reach.0, SHRINK * reach.1);
        }
        let (half_life_secs, start_secs) = (ops::exp(centre.0), centre.1);
        let (top_speed_mps, error) = self.with(half_life_secs, start_secs);
        TableFit {
            peak_acceleration_mps2: peak_of_half_life(top_speed_mps, half_life_secs),
            error: (error / self.rows.len() as f64).sqrt(),
            fitted: self
                .rows
                .iter()
                .map(|(secs, _)| top_speed_mps * self.unit_value(secs - start_secs, half_life_secs))
                .collect(),
            top_speed_mps,
            half_life_secs,
            start_secs,
        }
    }

    /// Finds the best top speed for a half-life and a start, and the sum of squared errors.
    fn with(&self, half_life_secs: f64, start_secs: f64) -> (f64, f64) {
        let (mut both, mut square) = (0.0, 0.0);
        for (secs, value) in &self.rows {
            let unit = self.unit_value(secs - start_secs, half_life_secs);
            both += unit * value;
            square += unit * unit;
        }
        let top = if square > 0.0 { both / square } else { 0.0 };
        let errors = self.rows.iter().map(|(secs, value)| {
            let off = top * self.unit_value(secs - start_secs, half_life_secs) - value;
            off * off
        });
        (top, errors.sum())
    }

    /// Returns speed or distance this many seconds after the start, for a spring with a goal of 1 m/s.
    fn unit_value(&self, secs: f64, half_life_secs: f64) -> f64 {
        if secs <= 0.0 {
            return 0.0;
        }
        let y = decay_rate(half_life_secs);
        let (turns, decay) = (y * secs, ops::exp(-y * secs));
        match self.of {
            TableOf::Speeds => 1.0 - (1.0 + turns) * decay,
            TableOf::Splits => secs - 2.0 / y + decay * (secs + 2.0 / y),
        }
    }
}
