//! What is said on stderr: warnings and failures, in colour where the terminal takes it and NO_COLOR is not set.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

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

/// Tells something that was decided on the way.
pub(crate) fn note(text: &str) {
    say(AnsiColor::Cyan.on_default().bold(), "note", text);
}

/// Tells something soft of several things, one line each.
pub(crate) fn list(text: &str, lines: &[String]) {
    warn(text);
    let mut stderr = anstream::stderr().lock();
    for line in lines {
        let _ = writeln!(stderr, "  {line}");
    }
}

/// Tells why a command ended early.
pub(crate) fn fail(failure: &Failure) {
    say(AnsiColor::Red.on_default().bold(), "error", failure.what());
    let mut stderr = anstream::stderr().lock();
    for line in failure.lines() {
        let _ = writeln!(stderr, "  {line}");
    }
}

/// A bar for work that takes a while; nothing where stderr is no terminal.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Work of that many steps.
    pub(crate) fn new(what: &'static str, steps: usize) -> Self {
        let target = ProgressDrawTarget::stderr();
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target).with_message(what);
        // The template is fixed, so it holds; without it the bar has its own look.
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}") {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// One step is done.
    pub(crate) fn step(&self) {
        self.0.inc(1);
    }

    /// All is done: the bar goes.
    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
