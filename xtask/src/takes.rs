//! The takes for pictures, each with its analysis.

use std::fmt::Display;

use loopwright_core::{Analysis, FoundLoops, LoopCandidate, LoopSettings, MadeLoop, SearchSettings, Take};
use loopwright_synth::{WalkSettings, synthesize};

/// A take with its analysis.
pub(crate) struct Studied {
    /// Error messages begin with it.
    name: String,
    pub(crate) take: Take,
    pub(crate) analysis: Analysis,
}

impl Studied {
    pub(crate) fn of(name: &str, take: Take) -> Result<Self, String> {
        let analysis = Analysis::new(&take).map_err(|error| format!("{name}: {error}"))?;
        Ok(Self {
            name: name.to_owned(),
            take,
            analysis,
        })
    }

    /// Makes and analyses a synthetic walk.
    pub(crate) fn walk(settings: &WalkSettings) -> Result<Self, String> {
        let name = "the synthetic walk";
        let walk = synthesize(settings).map_err(|error| format!("{name}: {error}"))?;
        Self::of(name, walk.take)
    }

    /// An error message that names the take.
    pub(crate) fn failed(&self, error: impl Display) -> String {
        format!("{}: {error}", self.name)
    }

    pub(crate) fn find(&self, settings: &SearchSettings) -> Result<FoundLoops, String> {
        self.analysis.find_loops(settings).map_err(|error| self.failed(error))
    }

    /// The loop recommended by default; `None` if the take has no steady loop.
    pub(crate) fn recommended(&self) -> Result<Option<LoopCandidate>, String> {
        Ok(self.find(&SearchSettings::default())?.best().cloned())
    }

    pub(crate) fn make(&self, candidate: &LoopCandidate, settings: &LoopSettings) -> Result<MadeLoop, String> {
        self.analysis
            .make_loop(candidate, settings)
            .map_err(|error| self.failed(error))
    }
}
