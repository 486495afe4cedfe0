//! Answers of `check`.

use std::fmt::Write;

use loopwright_formats::loop_file::{
    Verdict as Judged,
    facts::{CandidateFacts, QualityFacts, RootMotionFacts, TakeFacts},
};
use serde::{Serialize, Serializer};

use super::{
    figures::{figures, root_motion},
    json::{self, ErrorFacts},
};
use crate::{
    exit::Failure,
    limits::{Exceeded, Limits},
};

/// The verdict on one loop.
#[derive(Default, Serialize)]
pub(crate) struct Verdict {
    /// The loop's file.
    pub(crate) file: String,
    /// The animation, if the file holds several loops.
    pub(crate) animation: Option<String>,
    /// "loops", "pops", "fails" (a limit is exceeded, though nothing pops) or "error".
    pub(crate) verdict: &'static str,
    /// Limits that the loop exceeds; empty if it loops.
    pub(crate) failed: Vec<Exceeded>,
    /// The loop as a take; null if it cannot be read.
    pub(crate) take: Option<TakeFacts>,
    /// The stretch as the sidecar describes it; null without a sidecar.
    pub(crate) candidate: Option<CandidateFacts>,
    /// The root motion; null if the file cannot be read.
    pub(crate) root_motion: Option<RootMotionFacts>,
    /// The figures; null if the file cannot be read.
    pub(crate) quality: Option<QualityFacts>,
    /// Why it cannot be checked; left out if it can.
    #[serde(rename = "error", skip_serializing_if = "Option::is_none", serialize_with = "error")]
    pub(crate) failure: Option<Failure>,
    /// Assumptions, and reasons to doubt the verdict.
    pub(crate) warnings: Vec<String>,
}

fn error<S: Serializer>(failure: &Option<Failure>, to: S) -> Result<S::Ok, S::Error> {
    failure.as_ref().map(ErrorFacts::new).serialize(to)
}

impl Verdict {
    /// The file, and the animation in it if the file holds several loops.
    pub(crate) fn title(&self) -> String {
        match &self.animation {
            Some(animation) => format!("{} ({animation})", self.file),
            None => self.file.clone(),
        }
    }
}

/// The answer of `check` on one loop; `verbose` adds all figures.
pub(crate) fn human(verdict: &Verdict, verbose: bool) -> String {
    let judged = (verdict.quality.as_ref()).and_then(Judged::from_facts);
    let judged = judged.map_or_else(|| verdict.verdict.to_owned(), |judged| judged.to_string());
    let mut text = format!("{}: {judged}\n", verdict.title());
    if let Some(root) = &verdict.root_motion {
        let _ = writeln!(text, "  {:<20} {}", "root motion", root_motion(root));
    }
    if let Some(quality) = &verdict.quality {
        text.push_str(&figures(quality, verbose, ""));
    }
    for exceeded in &verdict.failed {
        let _ = writeln!(text, "  failed: {exceeded}\n    try: {}", exceeded.hint);
    }
    text
}

#[derive(Serialize)]
struct CheckAnswer<'a> {
    loops: &'a [Verdict],
    /// The limits that the figures were compared with.
    limits: &'a Limits,
}

/// The answer as JSON.
pub(crate) fn json(loops: &[Verdict], limits: &Limits, failure: Option<&Failure>) -> String {
    json::document("check", CheckAnswer { loops, limits }, failure, &[])
}
