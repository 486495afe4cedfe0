//! Answers of `fit`: as text, as JSON, and as a block for a controller.

use loopwright_controller::{FitError, FitSettings, Lack, Pool, Quantity, TakeFit};
use loopwright_formats::loop_file::facts::TakeFacts;

use crate::exit::Failure;

mod human;
mod json;
mod numbers;

pub use human::{block, human};
#[cfg(test)]
pub use json::FitAnswer;
pub use json::{json, numbers_json, table_json};
pub use numbers::{Numbers, numbers_human, table_human};

pub struct FittedTake {
    pub facts: TakeFacts,
    /// The fit, or the reason why there is none if the take is too short.
    pub fit: Result<TakeFit, FitError>,
    pub warnings: Vec<String>,
}

/// The result for one file.
pub enum Outcome {
    Take(Box<FittedTake>),
    /// The file could not be read.
    Unreadable {
        file: String,
        failure: Failure,
    },
}

impl Outcome {
    /// The reason why the file could not be read, if so.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Take(_) => None,
            Self::Unreadable { failure, .. } => Some(failure),
        }
    }
}

/// The takes of one argument, with their pool.
pub struct Source {
    /// The argument as the user gave it.
    pub name: String,
    /// Whether the argument stands for several files: a folder, or a pattern.
    pub is_folder: bool,
    pub outcomes: Vec<Outcome>,
}

impl Source {
    pub fn fits(&self) -> impl Iterator<Item = (&FittedTake, &TakeFit)> {
        self.outcomes.iter().filter_map(|outcome| match outcome {
            Outcome::Take(take) => take.fit.as_ref().ok().map(|fit| (&**take, fit)),
            Outcome::Unreadable { .. } => None,
        })
    }
}

/// Returns what all takes of these arguments show together.
pub fn pool<'a>(sources: impl IntoIterator<Item = &'a Source>) -> Pool {
    let fits: Vec<&TakeFit> = sources.into_iter().flat_map(Source::fits).map(|(_, fit)| fit).collect();
    Pool::new(&fits)
}

/// The meaning of a half-life; printed wherever people read one.
const MEANING: &str =
    "spring half-life: 59.7% of a change is left after one, half after 1.21 of them (docs/guide/fit.md)";

/// Degrees in a radian.
const DEGREES: f64 = 180.0 / core::f64::consts::PI;

/// Words why there is no half-life.
fn lack_in_words(lack: Lack, quantity: Quantity, settings: &FitSettings) -> String {
    match (lack, quantity) {
        (Lack::Still, _) => "the body is idle throughout".to_owned(),
        (Lack::NoEvent, Quantity::Velocity) => {
            "it never changes from one steady velocity to another; record a start, a stop or a turn".to_owned()
        }
        (Lack::NoEvent, Quantity::Facing) => "it never turns from one steady facing to another".to_owned(),
        (Lack::NoFit, _) => format!(
            "its changes are sharper than a smoothing of {} s can show, or no spring fits them; try a smaller --smoothing",
            settings.smoothing_secs
        ),
    }
}
