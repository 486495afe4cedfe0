//! Answers of `synth` and `demo`.

use loopwright_formats::{Sidecar, Source, loop_file::facts::TakeFacts};
use loopwright_synth::SyntheticTake;

use super::{find::FindAnswer, make};

/// Parameters of a synthetic walk; the file of its ground truth has the rest.
#[in_schema]
pub struct TruthFacts {
    /// Seconds of one cycle.
    period_secs: f64,
    /// Speed over the ground.
    speed_mps: f64,
    /// Rate of turn, left positive.
    turn_rate_dps: f64,
    /// Rate of climb.
    climb_mps: f64,
}

impl TruthFacts {
    pub fn new(synthetic: &SyntheticTake) -> Self {
        let truth = &synthetic.truth;
        Self {
            period_secs: truth.period_secs,
            speed_mps: truth.settings.speed_mps,
            turn_rate_dps: truth.settings.turn_dps,
            climb_mps: truth.settings.climb_mps,
        }
    }

    /// Words the parameters in one line.
    pub fn human(&self) -> String {
        format!(
            "truth: period {:.4} s, {:.3} m/s, turning {:+.2} deg/s\n",
            self.period_secs, self.speed_mps, self.turn_rate_dps
        )
    }
}

/// The answer of `synth`.
#[in_schema]
pub struct SynthAnswer {
    /// The take that was written.
    #[schemars(with = "crate::schema_words::Take")]
    take: TakeFacts,
    /// What it was made with.
    truth: TruthFacts,
}

impl SynthAnswer {
    /// Returns the answer for a take that was written to this file, in this format.
    pub fn new(file: String, synthetic: &SyntheticTake, source: &Source) -> Self {
        Self {
            take: TakeFacts::new(file, &synthetic.take, source.space()),
            truth: TruthFacts::new(synthetic),
        }
    }
}

/// The answer of `demo`: the answers of `find` and `make` for the built-in take, and its ground truth.
#[in_schema]
pub struct DemoAnswer<'a> {
    #[serde(flatten)]
    pub found: FindAnswer,
    /// The loop that was made.
    #[serde(rename = "loop")]
    #[schemars(with = "crate::schema_words::Loop")]
    pub made: &'a Sidecar,
    /// What the take was made with.
    pub truth: TruthFacts,
}

impl DemoAnswer<'_> {
    pub fn human(&self) -> String {
        let (found, made, truth) = (
            self.found.human(false),
            make::human(self.made, false),
            self.truth.human(),
        );
        format!("{found}\n{made}{truth}")
    }
}
