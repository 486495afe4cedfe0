//! Answers of `synth`.

use loopwright_formats::{Source, loop_file::facts::TakeFacts};
use loopwright_synth::SyntheticTake;
use serde::Serialize;

/// Parameters of a synthetic walk; the file of its ground truth has the rest.
#[derive(Serialize)]
pub(crate) struct TruthFacts {
    period_secs: f64,
    speed_mps: f64,
    turn_rate_dps: f64,
    climb_mps: f64,
}

impl TruthFacts {
    pub(crate) fn new(synthetic: &SyntheticTake) -> Self {
        let truth = &synthetic.truth;
        Self {
            period_secs: truth.period_secs,
            speed_mps: truth.settings.speed_mps,
            turn_rate_dps: truth.settings.turn_dps,
            climb_mps: truth.settings.climb_mps,
        }
    }

    /// The same in one line.
    pub(crate) fn human(&self) -> String {
        format!(
            "truth: period {:.4} s, {:.3} m/s, turning {:+.2} deg/s\n",
            self.period_secs, self.speed_mps, self.turn_rate_dps
        )
    }
}

/// The answer of `synth`.
#[derive(Serialize)]
pub(crate) struct SynthAnswer {
    take: TakeFacts,
    truth: TruthFacts,
}

impl SynthAnswer {
    /// The answer for a take written into this file, in this format.
    pub(crate) fn new(file: String, synthetic: &SyntheticTake, source: &Source) -> Self {
        Self {
            take: TakeFacts::new(file, &synthetic.take, source.space()),
            truth: TruthFacts::new(synthetic),
        }
    }
}
