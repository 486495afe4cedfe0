//! The frames of a loop, as requested or as a search found them.

use loopwright_core::{candidate::OutcomePart, mean_cycle::MeanCycles};

use super::{described::described, words::optional_text};

described! {
    /// Which frames are closed; a search finds them where they are not given.
    #[derive(Copy, Default)]
    #[serde(default)]
    pub struct StretchRecipe {
        /// The first frame, counted from 0, whole or fractional [default: found].
        pub start: Option<f64> = "# start = 120.0",
        /// The frame that repeats the first [default: found].
        pub end: Option<f64> = "# end = 185.0",
        /// Cycles that the frames hold, 1 or more [default: estimated; of a search the fewest].
        pub cycles: Option<u32> = "# cycles = 1",
        /// Whether a whole clip that already loops is closed like a cut, over its own frames.
        pub mend: Option<bool> = "mend = false",
        /// Whether the frames are half a cycle, and its mirror image follows.
        pub symmetric: Option<bool> = "symmetric = false",
        /// Whether the frames are played there and back, with soft turns.
        pub ping_pong: Option<bool> = "ping-pong = false",
        /// Seconds that each turn of ping-pong takes, about.
        pub ease: Option<f64> = "# ease = 0.5",
        /// Of how many cycles around the frames the loop is the mean: off, all, or 2 to 32.
        pub mean_cycles: Option<MeanCycles> as "optional_text" = "mean-cycles = \"off\"",
        /// What loops of fewer cycles were worse at in the search that found it: a fact for the sidecar.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub several_cycles_for: Option<OutcomePart> as "optional_text" = "# several-cycles-for = \"abruptness\"",
    }
}

impl StretchRecipe {
    /// Returns this recipe for a new search, with this number of cycles if any: its frames are dropped, and with them their
    /// number of cycles.
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
