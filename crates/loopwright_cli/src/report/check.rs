//! Answers of `check`.

use std::fmt::Write;

use loopwright_formats::loop_file::facts::{CandidateFacts, QualityFacts, RootFacts, TakeFacts};
use serde::Serialize;

use super::{
    figures::{figures, root_motion},
    json,
};
use crate::limits::{Exceeded, Limits};

/// The verdict on one loop.
#[derive(Default, Serialize)]
pub(crate) struct Verdict {
    /// The loop's file.
    pub(crate) file: String,
    /// The animation, where the file holds several loops.
    pub(crate) animation: Option<String>,
    /// "loops", "pops", "fails" (a limit is exceeded, though nothing pops) or "error".
    pub(crate) verdict: &'static str,
    /// Limits that the loop exceeds; none where it loops.
    pub(crate) failed: Vec<Exceeded>,
    /// The loop as a take; null where it cannot be read.
    pub(crate) take: Option<TakeFacts>,
    /// What the sidecar says of the stretch; null without one.
    pub(crate) candidate: Option<CandidateFacts>,
    /// The root motion; null where the file cannot be read.
    pub(crate) root: Option<RootFacts>,
    /// The figures; null where the file cannot be read.
    pub(crate) quality: Option<QualityFacts>,
    /// Why it pops or cannot be checked, and what was assumed.
    pub(crate) warnings: Vec<String>,
}

impl Verdict {
    /// The file, and the animation in it where that is not the only loop.
    pub(crate) fn title(&self) -> String {
        match &self.animation {
            Some(animation) => format!("{} ({animation})", self.file),
            None => self.file.clone(),
        }
    }
}

/// The answer of `check` on one loop.
pub(crate) fn human(verdict: &Verdict) -> String {
    let mut text = format!("{}: {}\n", verdict.title(), verdict.verdict);
    if let Some(root) = &verdict.root {
        let _ = writeln!(text, "  {:<20} {}", "root motion", root_motion(root));
    }
    if let Some(quality) = &verdict.quality {
        text.push_str(&figures(quality));
    }
    for exceeded in &verdict.failed {
        let _ = writeln!(text, "  failed: {exceeded}\n    try: {}", exceeded.hint);
    }
    text
}

#[derive(Serialize)]
struct CheckAnswer<'a> {
    loops: &'a [Verdict],
    /// What they were held against.
    limits: &'a Limits,
}

/// The answer as JSON.
pub(crate) fn json(verdicts: &[Verdict], limits: &Limits) -> String {
    json::text(&CheckAnswer {
        loops: verdicts,
        limits,
    })
}
