//! The answer of `make` for many takes: a line for each loop as it is done, and a summary.

use std::{collections::BTreeMap, time::Duration};

use loopwright_catalog::LoopRow;

use super::{
    figures::counted,
    json::{self, Document, ErrorFacts},
    table::in_columns,
};
use crate::{
    batch::{LoopResult, TakeResult, Verdict},
    exit::{Ending, Failure, Result},
    output,
};

/// Most distinct reasons that the summary lists for a verdict.
const MOST_REASONS: usize = 4;

/// Longest reason in the summary, letters.
const MOST_LETTERS: usize = 100;

/// The outcome of all loops so far.
#[derive(Debug, Default)]
pub struct Summary {
    num_takes: usize,
    num_loops_skipped: usize,
    num_done_before: usize,
    num_with_warnings: usize,
    /// Number of frames in the takes that were worked on.
    num_frames: u64,
    counts: BTreeMap<Verdict, Count>,
    /// The catalog, once it is written.
    pub catalog: Option<String>,
}

#[derive(Debug, Default)]
struct Count {
    results: usize,
    /// By its words without numbers, the first reason of each kind and how many there are.
    reasons: BTreeMap<String, (String, usize)>,
}

impl Summary {
    pub fn new(num_loops_skipped: usize) -> Self {
        Self {
            num_loops_skipped,
            ..Self::default()
        }
    }

    /// Counts the loops of a take.
    pub fn add(&mut self, take: &TakeResult) {
        self.num_takes += 1;
        self.num_done_before += usize::from(take.was_done);
        self.num_frames += take.num_frames;
        for result in &take.results {
            self.num_with_warnings += usize::from(!result.warnings.is_empty());
            let count = self.counts.entry(result.verdict).or_default();
            count.results += 1;
            let reason = short_reason(take, result);
            let found = count.reasons.entry(without_numbers(&reason)).or_insert((reason, 0));
            found.1 += 1;
        }
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.counts.get(&verdict).map_or(0, |count| count.results)
    }

    /// Returns the lines to print as soon as a take is done.
    pub fn lines(&self, take: &TakeResult, json: bool, verbose: bool) -> String {
        let mut text = String::new();
        for result in &take.results {
            if json {
                text += &line(take, result);
                continue;
            }
            let named = result.outputs.first().map_or(&take.path, |output| &output.path);
            let before = if take.was_done { " (done before)" } else { "" };
            text += &format!(
                "{}: {}: {}{before}\n",
                named.display(),
                result.verdict.as_str(),
                reason(take, result)
            );
            if verbose {
                for line in result.because.iter().chain(&result.warnings) {
                    text += &format!("  {line}\n");
                }
                if let Some(hint) = &result.hint {
                    text += &format!("  try: {hint}\n");
                }
            }
        }
        text
    }

    /// Words how fast the run was.
    pub fn pace(&self, took: Duration) -> String {
        let done = self.num_takes - self.num_done_before;
        let secs = took.as_secs_f64();
        let before = match self.num_done_before {
            0 => String::new(),
            before => format!(", {before} were done before"),
        };
        format!(
            "{} in {secs:.1} s, {:.0} frames per second{before}",
            counted(done, "take"),
            self.num_frames as f64 / secs.max(1e-9)
        )
    }

    /// Prints the summary, and returns how the run ends.
    pub fn end(&self, json: bool) -> Result<Ending> {
        let broken = self.count(Verdict::Unreadable) + self.count(Verdict::Failed);
        let all: usize = self.counts.values().map(|count| count.results).sum();
        let failure = (broken > 0).then(|| {
            failure!("{broken} of {all} loops could not be made")
                .try_this("-v, which prints why and what to try; --resume tries only these again")
        });
        let document = self.document(failure.as_ref());
        if !json {
            output::print(&self.human())?;
        }
        output::end(document, failure, json)?;
        let is_negative = self.counts.keys().any(|verdict| verdict.exit_status() == 1);
        Ok(Ending::of_answer(!is_negative))
    }

    fn human(&self) -> String {
        let mut rows = Vec::new();
        for verdict in Verdict::ALL {
            let Some(count) = self.counts.get(&verdict) else {
                continue;
            };
            let mut reasons: Vec<&(String, usize)> = count.reasons.values().collect();
            reasons.sort_by(|one, other| (other.1, &one.0).cmp(&(one.1, &other.0)));
            for (index, (reason, number)) in reasons.iter().take(MOST_REASONS).enumerate() {
                let reason = match number {
                    1 => reason.clone(),
                    _ => format!("{number} like this: {reason}"),
                };
                let first = |text: String| if index == 0 { text } else { String::new() };
                rows.push([
                    first(verdict.as_str().to_owned()),
                    first(count.results.to_string()),
                    reason,
                ]);
            }
            let more = reasons.len().saturating_sub(MOST_REASONS);
            if more > 0 {
                rows.push([String::new(), String::new(), format!("{more} more reasons")]);
            }
        }
        let mut text = format!("\n{}", in_columns("<grade | loops | <why", rows));
        if self.num_with_warnings > 0 {
            text += &format!(
                "{} with warnings: see the sidecars, or add -v\n",
                self.num_with_warnings
            );
        }
        if self.num_loops_skipped > 0 {
            text += &format!(
                "{} files left out: they are loops with their sidecars\n",
                self.num_loops_skipped
            );
        }
        if let Some(catalog) = &self.catalog {
            text += &format!("{catalog}\n");
        }
        text
    }

    fn document(&self, failure: Option<&Failure>) -> String {
        json::line(
            "batch",
            BatchFacts {
                takes: self.num_takes,
                done_before: self.num_done_before,
                loops_left_out: self.num_loops_skipped,
                good: self.count(Verdict::Good),
                review: self.count(Verdict::Review),
                bad: self.count(Verdict::Bad),
                no_loop: self.count(Verdict::NoLoop),
                unreadable: self.count(Verdict::Unreadable),
                failed: self.count(Verdict::Failed),
            },
            failure,
            self.catalog.as_slice(),
        )
    }
}

/// Returns the reason in one clause: why there is no loop, rather than that there is none.
fn reason<'r>(take: &TakeResult, result: &'r LoopResult) -> &'r str {
    const CAUSE: &str = "likely cause: ";
    let cause = result.because.iter().find_map(|line| line.strip_prefix(CAUSE));
    let Some(behind) = result
        .reason
        .strip_prefix(&format!("no loop found in \"{}\"", take.path.display()))
    else {
        return cause.unwrap_or(&result.reason);
    };
    cause
        .or(behind.strip_prefix(": "))
        .or(result.because.first().map(String::as_str))
        .unwrap_or(&result.reason)
}

/// Returns the reason without the name of the file, which would differ for each.
fn short_reason(take: &TakeResult, result: &LoopResult) -> String {
    let text = reason(take, result).replace(&format!("\"{}\"", take.path.display()), "it");
    match text.char_indices().nth(MOST_LETTERS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// Strips numbers from a reason: reasons that differ only in numbers count as one.
fn without_numbers(text: &str) -> String {
    let mut kind: String = text.chars().filter(|letter| !letter.is_ascii_digit()).collect();
    kind.retain(|letter| !matches!(letter, '.' | '-' | '+'));
    kind
}

/// Returns the outcome of one loop as a line of JSON.
fn line(take: &TakeResult, result: &LoopResult) -> String {
    let outputs: Vec<String> = result
        .outputs
        .iter()
        .map(|output| output.path.display().to_string())
        .collect();
    let mut document = Document::new(
        "result",
        ResultFacts {
            take: take.path.display().to_string(),
            verdict: result.verdict,
            reason: &result.reason,
            done_before: take.was_done,
            row: result.row.as_deref(),
        },
        None,
        &outputs,
    );
    document.error = result.row.is_none().then(|| ErrorFacts {
        message: &result.reason,
        because: &result.because,
        hint: result.hint.as_deref(),
        exit_status: result.verdict.exit_status(),
    });
    document.warnings.clone_from(&result.warnings);
    document.line()
}

/// One loop that was asked for, on a line of its own.
#[in_schema]
pub struct ResultFacts<'a> {
    /// The take, as it was named or found.
    take: String,
    /// What became of the loop: good, review or bad where it was made; no-loop where the take gives none; unreadable where the take cannot be
    /// read; failed where the loop could not be made or written.
    verdict: Verdict,
    /// Why, as a clause.
    reason: &'a str,
    /// Whether an earlier run did it.
    done_before: bool,
    /// Its row in a catalog; null where there is no loop.
    #[serde(rename = "loop")]
    #[schemars(with = "Option<crate::schema_words::CatalogRow>")]
    row: Option<&'a LoopRow>,
}

/// The last line of a run.
#[in_schema]
pub struct BatchFacts {
    /// Takes, those included that could not be read.
    takes: usize,
    /// Takes that an earlier run did.
    done_before: usize,
    /// Files in folders that were left out, because they are loops with their sidecars.
    loops_left_out: usize,
    /// Loops that can be used unchanged.
    good: usize,
    /// Loops that a person should look at.
    review: usize,
    /// Loops whose seam shows.
    bad: usize,
    /// Loops that a take does not give.
    no_loop: usize,
    /// Takes that cannot be read.
    unreadable: usize,
    /// Loops that could not be made or written.
    failed: usize,
}
