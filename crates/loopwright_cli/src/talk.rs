//! What is said on stderr: warnings and failures, in colour where the terminal takes it and NO_COLOR is not set.

use std::io::Write;

use anstyle::{AnsiColor, Style};

use crate::exit::Failure;

fn say(style: Style, label: &str, text: &str) {
    let mut stderr = anstream::stderr().lock();
    // A closed stderr leaves nobody to tell.
    let _ = writeln!(stderr, "{style}{label}{style:#}: {text}");
}

/// Tells something soft.
pub(crate) fn warn(text: &str) {
    say(AnsiColor::Yellow.on_default().bold(), "warning", text);
}

/// Tells why a command ended early.
pub(crate) fn fail(failure: &Failure) {
    say(AnsiColor::Red.on_default().bold(), "error", failure.what());
    let mut stderr = anstream::stderr().lock();
    for line in failure.lines() {
        let _ = writeln!(stderr, "  {line}");
    }
}
