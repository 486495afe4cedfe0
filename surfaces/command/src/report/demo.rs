//! Answers of `demo`.

use loopwright_formats::Sidecar;
use serde::Serialize;

use super::{find::FindAnswer, json, make, synth::TruthFacts};

/// The answer of `demo`: the answers of `find` and `make` for the built-in take, and its ground truth.
#[derive(Serialize)]
pub(crate) struct DemoAnswer<'a> {
    #[serde(flatten)]
    pub(crate) found: FindAnswer,
    #[serde(rename = "loop")]
    pub(crate) made: &'a Sidecar,
    pub(crate) truth: TruthFacts,
}

impl DemoAnswer<'_> {
    pub(crate) fn json(&self, outputs: &[String]) -> String {
        json::document("demo", self, None, outputs)
    }

    pub(crate) fn human(&self) -> String {
        let (found, made, truth) = (
            self.found.human(false),
            make::human(self.made, false),
            self.truth.human(),
        );
        format!("{found}\n{made}{truth}")
    }
}
