//! Answers of commands that fail: words on stderr, and one JSON document on stdout where JSON is asked for.

use std::{env, process::ExitCode};

use loopwright_formats::loop_file::facts::TakeFacts;
use serde::Serialize;

use super::json;
use crate::{exit::Failure, output, talk};

/// Reports why a command failed.
pub(crate) fn report(failure: &Failure) {
    if wants_json() {
        let bare = || json(failure, None);
        // What is wrong is said below in any case.
        let _ = output::print(&failure.document().map_or_else(bare, str::to_owned));
    }
    talk::fail(failure);
}

/// Reports arguments that are no command; help and the version that are asked for are no failures.
pub(crate) fn report_arguments(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && wants_json() {
        let _ = output::print(&json(&of_arguments(error), None));
    }
    // A closed stderr leaves nobody to tell.
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Whether the user asks for JSON, which has to be known even where the arguments cannot be parsed.
fn wants_json() -> bool {
    let mut options = env::args_os().skip(1).take_while(|argument| argument != "--");
    options.any(|argument| argument == "--json")
}

fn of_arguments(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let said = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut said = said.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"));
    let first = said.next().unwrap_or_default();
    let failure = Failure::error(first.trim_start_matches("error: "));
    said.fold(failure, Failure::because)
        .try_this("--help, which lists the arguments")
}

#[derive(Serialize)]
struct FailureAnswer {
    take: Option<TakeFacts>,
}

/// The document of a failure that is in no other document; `take` where it is known.
pub(crate) fn json(failure: &Failure, take: Option<TakeFacts>) -> String {
    json::document("error", FailureAnswer { take }, Some(failure), &[])
}
