//! The frames from which a loop is made, as requested or as a search found them.

use loopwright::{candidate::OutcomePart, mean_cycle::MeanCycles};
use serde::{Deserialize, Serialize};

use super::words::optional_text;

/// Which frames are closed; a search finds them where they are not given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct StretchRecipe {
    /// Source frames, counted from 0, fractional.
    pub start: Option<f64>,
    /// The frame that repeats the start.
    pub end: Option<f64>,
    /// Fundamental periods in it.
    pub cycles: Option<u32>,
    /// Whether the stretch is half a cycle and its mirror image follows.
    pub symmetric: Option<bool>,
    /// Of how many cycles around the stretch the loop is the mean.
    #[serde(with = "optional_text")]
    pub mean_cycles: Option<MeanCycles>,
    /// What loops of fewer cycles were worse at in the search that found it: a fact for the sidecar.
    #[serde(with = "optional_text", skip_serializing_if = "Option::is_none")]
    pub several_cycles_for: Option<OutcomePart>,
}

impl StretchRecipe {
    /// This recipe for a new search, with this number of cycles if any: its frames are dropped, and with them the number of
    /// cycles that they hold.
    pub fn searched_anew(self, cycles: Option<u32>) -> Self {
        Self {
            start: None,
            end: None,
            several_cycles_for: None,
            cycles: cycles.or(self.cycles.filter(|_| self.start.is_none())),
            ..self
        }
    }
}
