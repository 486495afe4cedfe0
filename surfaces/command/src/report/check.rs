//! Answers of `check`.

use loopwright_formats::{
    loop_file::facts::{CandidateFacts, CheckFacts, Grade, QualityFacts, RootMotionFacts, TakeFacts},
    set::ClipKind,
};
use loopwright_job::{CheckId, Verdict as Judged};
use loopwright_sets::{PassageCheckId, SetCheckId, check_row};

use super::{
    figures::{figures, labelled, root_motion},
    json,
    table::in_columns,
};
use crate::{
    exit::Failure,
    limits::{Exceeded, Limits},
};

/// The verdict on one loop; sections are null where the file cannot be read.
#[in_schema]
#[derive(Default)]
#[schemars(rename = "CheckedLoop")]
pub struct Verdict {
    /// The loop's file.
    pub file: String,
    /// The animation, where the file holds several loops.
    pub animation: Option<String>,
    /// The grade of the loop; error: it cannot be checked.
    #[schemars(extend("enum" = ["good", "review", "bad", "error"]))]
    pub grade: &'static str,
    /// Checks that it fails, and limits that it exceeds; none where it passes.
    pub failed: Vec<Exceeded>,
    /// Checks to review, which do not make it fail.
    #[serde(skip)]
    pub to_review: Vec<Exceeded>,
    /// The loop's file as a take.
    #[schemars(with = "Option<crate::schema_words::Take>")]
    pub take: Option<TakeFacts>,
    /// What the sidecar says of the stretch; null without one.
    #[schemars(with = "Option<crate::schema_words::Candidate>")]
    pub candidate: Option<CandidateFacts>,
    /// Its root motion, from the sidecar, else estimated from the keys.
    #[schemars(with = "Option<crate::schema_words::RootMotion>")]
    pub root_motion: Option<RootMotionFacts>,
    /// What was measured now, with the grade and the checks.
    #[schemars(with = "Option<crate::schema_words::Quality>")]
    pub quality: Option<QualityFacts>,
    /// What a passage does, as cut says it; null for a loop.
    #[schemars(with = "Option<crate::schema_words::ClipKind>")]
    pub passage: Option<ClipKind>,
    /// How it fits the other loops, one entry per check; null unless --together asks for it.
    #[schemars(with = "Option<Vec<crate::schema_words::Check>>")]
    pub together: Option<Vec<CheckFacts>>,
    /// Why it cannot be checked; left out where it can.
    #[serde(rename = "error", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<super::json::ErrorFacts>")]
    pub failure: Option<Failure>,
    /// What was assumed, and what makes the verdict doubtful.
    pub warnings: Vec<String>,
}

impl Verdict {
    /// Words why it fails, in one line: the worst of the failed checks, and the exceeded limits.
    pub fn why(&self) -> String {
        let checks: Vec<CheckFacts> = self
            .quality
            .iter()
            .flat_map(|quality| &quality.checks)
            .filter(|check| self.failed.iter().any(|failed| failed.measure == check.id))
            .cloned()
            .collect();
        let mut reasons: Vec<String> = self
            .failed
            .iter()
            .filter(|failed| checks.iter().all(|check| check.id != failed.measure))
            .map(ToString::to_string)
            .collect();
        if !checks.is_empty() {
            let Judged { grade, reason, .. } = Judged::of_checks(checks, check_row);
            reasons.insert(0, format!("{grade}, {reason}"));
        }
        reasons.join("; ")
    }

    /// The file, and the animation in it if the file holds several loops.
    pub fn title(&self) -> String {
        match &self.animation {
            Some(animation) => format!("{} ({animation})", self.file),
            None => self.file.clone(),
        }
    }
}

/// How much to print about a loop.
#[value(Copy, Eq)]
pub enum Detail {
    /// The grade and the failures: for one of many loops in a file.
    Faults,
    /// The main figures, too.
    Figures,
    /// All figures.
    All,
}

/// Counts how many loops each check finds good, to review and bad; checks that all loops pass, or that none answers, are left out. Only the
/// checks in `only` count, or all if it is empty.
pub fn by_check(verdicts: &[Verdict], only: &[CheckId]) -> String {
    let mut rows = Vec::new();
    let ids = CheckId::ALL
        .iter()
        .filter(|id| only.is_empty() || only.contains(id))
        .map(|id| id.as_str())
        .chain(PassageCheckId::ALL.iter().map(|id| id.as_str()))
        .chain(SetCheckId::ALL.iter().map(|id| id.as_str()));
    for id in ids {
        let grades: Vec<Option<Grade>> = verdicts
            .iter()
            .filter_map(|verdict| verdict.quality.as_ref())
            .flat_map(|quality| &quality.checks)
            .chain(verdicts.iter().flat_map(|verdict| &verdict.together).flatten())
            .filter(|check| check.id == id)
            .map(|check| check.grade)
            .collect();
        let count = |wanted: Option<Grade>| grades.iter().filter(|grade| **grade == wanted).count();
        let counts = [Some(Grade::Good), Some(Grade::Review), Some(Grade::Bad), None].map(count);
        if counts[1] + counts[2] == 0 {
            continue;
        }
        let [good, review, bad, unmeasured] = counts.map(|count| count.to_string());
        rows.push([id.to_owned(), good, review, bad, unmeasured]);
    }
    if rows.is_empty() {
        return String::new();
    }
    in_columns("<check | good | review | bad | not measured", rows)
}

/// The answer for build servers: in JUnit's format, with a test case per loop and check that it answers.
pub fn junit(verdicts: &[Verdict]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"loopwright check\">\n");
    for verdict in verdicts {
        let own = verdict.quality.iter().flat_map(|quality| &quality.checks);
        let fails = |measure: &str| verdict.failed.iter().find(|failed| failed.measure == measure);
        // A check without an answer for a loop, such as the sliding of feet that never stand, is not a test case.
        let answered = |check: &&CheckFacts| check.grade.is_some() || fails(&check.id).is_some();
        let checks: Vec<&CheckFacts> = own.chain(verdict.together.iter().flatten()).filter(answered).collect();
        let is_check = |measure: &str| checks.iter().any(|check| check.id == measure);
        let of_limits: Vec<&Exceeded> = verdict
            .failed
            .iter()
            .filter(|failed| !is_check(&failed.measure))
            .collect();
        let errors = usize::from(verdict.failure.is_some());
        text += &format!(
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{errors}\">\n",
            escape(&verdict.title()),
            checks.len() + of_limits.len() + errors,
            verdict.failed.len(),
        );
        let mut case = |name: &str, inside: &str| {
            let class = escape(&verdict.title());
            let name = escape(name);
            text += &match inside {
                "" => format!("    <testcase classname=\"{class}\" name=\"{name}\"/>\n"),
                inside => format!("    <testcase classname=\"{class}\" name=\"{name}\">{inside}</testcase>\n"),
            };
        };
        let failure = |failed: &Exceeded| {
            let (what, hint) = (escape(&failed.to_string()), escape(&failed.hint));
            format!("<failure message=\"{what}\">try: {hint}</failure>")
        };
        for check in checks {
            case(&check.id, &fails(&check.id).map_or_else(String::new, failure));
        }
        for failed in of_limits {
            case(&failed.measure, &failure(failed));
        }
        if let Some(failure) = &verdict.failure {
            case("read", &format!("<error message=\"{}\"/>", escape(failure.what())));
        }
        text += "  </testsuite>\n";
    }
    text += "</testsuites>\n";
    text
}

/// Escapes text for XML; characters that XML cannot hold become question marks.
fn escape(text: &str) -> String {
    text.chars()
        .map(|letter| match letter {
            '&' => "&amp;".to_owned(),
            '<' => "&lt;".to_owned(),
            '>' => "&gt;".to_owned(),
            '"' => "&quot;".to_owned(),
            '\n' => "&#10;".to_owned(),
            letter if letter.is_control() || ['\u{fffe}', '\u{ffff}'].contains(&letter) => "?".to_owned(),
            letter => letter.to_string(),
        })
        .collect()
}

/// Words the answer of `check` about a loop.
pub fn human(verdict: &Verdict, detail: Detail) -> String {
    let judged = verdict.quality.as_ref().and_then(Judged::from_facts);
    let judged = judged.map_or_else(|| verdict.grade.to_owned(), |judged| judged.to_string());
    let mut text = format!("{}: {judged}\n", verdict.title());
    if detail == Detail::Faults {
        return text + &wanting(&verdict.failed, &[]);
    }
    if let Some(root) = &verdict.root_motion {
        text += &labelled("root motion", root_motion(root));
    }
    if let (Some(quality), None) = (&verdict.quality, &verdict.passage) {
        text += &figures(quality, detail == Detail::All, "");
    }
    text += &wanting(&verdict.failed, &verdict.to_review);
    text
}

/// Lists under its name the checks in which a loop does not fit the others; empty if all are good.
pub fn together(verdict: &Verdict, failed: &[Exceeded], to_review: &[Exceeded]) -> String {
    match wanting(failed, to_review) {
        checks if checks.is_empty() => checks,
        checks => format!("{}: does not fit the others\n{checks}", verdict.title()),
    }
}

fn wanting(failed: &[Exceeded], to_review: &[Exceeded]) -> String {
    let mut text = String::new();
    for (what, list) in [("failed", failed), ("review", to_review)] {
        for exceeded in list {
            text += &format!("  {what}: {exceeded}\n    try: {}\n", exceeded.hint);
        }
    }
    text
}

/// The answer of check.
#[in_schema]
pub struct CheckAnswer<'a> {
    /// The verdict on each loop.
    loops: &'a [Verdict],
    /// What they were held against.
    limits: &'a Limits,
}

pub fn json(loops: &[Verdict], limits: &Limits, failure: Option<&Failure>) -> String {
    json::document("check", CheckAnswer { loops, limits }, failure, &[])
}
