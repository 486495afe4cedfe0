//! Answers of commands that fail: text on stderr, and one JSON document on stdout if JSON is requested.

use std::{
    ffi::OsString,
    sync::atomic::{AtomicBool, Ordering},
};

use loopwright_formats::loop_file::facts::TakeFacts;

use super::json;
use crate::{exit::Failure, output, talk};

/// Reports why a command failed.
pub fn report(failure: &Failure) {
    if wants_json() {
        // If printing fails, the text on stderr still reports the failure.
        let _ = output::print(&failure.document().map_or_else(|| json(failure, None), str::to_owned));
    }
    talk::fail(failure);
}

/// Reports invalid arguments. Requests for help or the version also arrive here, but are no failures.
pub fn report_arguments(error: &clap::Error) -> u8 {
    if error.use_stderr() && wants_json() {
        let _ = output::print(&json(&of_arguments(error), None));
    }
    // If stderr is closed, nobody can read the message.
    let _ = error.print();
    u8::try_from(error.exit_code()).unwrap_or(2)
}

/// Whether JSON is requested; needed even if the arguments cannot be parsed.
static WANTS_JSON: AtomicBool = AtomicBool::new(false);

/// Sets the form in which failures are reported, from the arguments as typed.
pub fn say_as_asked(typed: &[OsString]) {
    let mut options = typed.iter().skip(1).take_while(|argument| *argument != "--");
    WANTS_JSON.store(options.any(|argument| argument == "--json"), Ordering::Relaxed);
}

fn wants_json() -> bool {
    WANTS_JSON.load(Ordering::Relaxed)
}

pub fn of_arguments(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let mut said = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"));
    let first = said.next().unwrap_or_default();
    said.fold(Failure::error(first.trim_start_matches("error: ")), Failure::because)
        .try_this("--help, which lists the arguments")
        .wrongly_called()
}

/// The answer of any command that fails before it knows enough for a document of its own.
#[in_schema]
pub struct FailureAnswer {
    /// The take, where it is known; null otherwise.
    #[schemars(with = "Option<crate::schema_words::Take>")]
    take: Option<TakeFacts>,
}

/// Returns the document of a failure that no other document contains; `take` if it is known.
pub fn json(failure: &Failure, take: Option<TakeFacts>) -> String {
    json::document("error", FailureAnswer { take }, Some(failure), &[])
}

/// Returns the document of a failure on one line, for a command that answers in lines; `outputs` are files that were written nevertheless.
pub fn line(failure: &Failure, outputs: &[String]) -> String {
    json::line("error", FailureAnswer { take: None }, Some(failure), outputs)
}
