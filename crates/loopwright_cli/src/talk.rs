//! Messages on stderr: warnings and failures, in colour if the terminal supports it and NO_COLOR is not set. Warnings are
//! kept, since every JSON document lists them.

use std::{
    borrow::Cow,
    io::Write,
    sync::{Mutex, PoisonError},
};

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::exit::Failure;

/// A text for a terminal: control characters in it, as names of files may have them, are shown and not obeyed.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    let is_harmful = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match is_harmful(letter) {
            true => shown.extend(letter.escape_default()),
            false => shown.push(letter),
        }
    }
    Cow::Owned(shown)
}

fn say(style: Style, label: &str, text: &str) {
    let text = harmless(text);
    let mut stderr = anstream::stderr().lock();
    // If stderr is closed, nobody can read the message.
    let _ = writeln!(stderr, "{style}{label}{style:#}: {text}");
}

/// Every warning so far.
static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Warns, now and in the JSON document of the command.
pub(crate) fn warn(text: &str) {
    keep(text);
    say(AnsiColor::Yellow.on_default().bold(), "warning", text);
}

/// Adds a warning to the JSON document only.
pub(crate) fn keep(text: &str) {
    let mut warnings = WARNINGS.lock().unwrap_or_else(PoisonError::into_inner);
    warnings.push(text.to_owned());
}

/// All warnings so far.
pub(crate) fn warnings() -> Vec<String> {
    WARNINGS.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Reports a decision the command made.
pub(crate) fn note(text: &str) {
    say(AnsiColor::Cyan.on_default().bold(), "note", text);
}

/// Lists several things below a heading, one line each.
pub(crate) fn list(text: &str, lines: &[String]) {
    say(AnsiColor::Yellow.on_default().bold(), "warning", text);
    let mut stderr = anstream::stderr().lock();
    for line in lines {
        let _ = writeln!(stderr, "  {}", harmless(line));
    }
}

/// Reports why a command ended early.
pub(crate) fn fail(failure: &Failure) {
    say(AnsiColor::Red.on_default().bold(), "error", failure.what());
    let mut stderr = anstream::stderr().lock();
    for line in failure.lines() {
        let _ = writeln!(stderr, "  {}", harmless(&line));
    }
}

/// A progress bar for long work; it draws nothing if stderr is no terminal.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// A bar for this many steps.
    pub(crate) fn new(what: &'static str, steps: usize) -> Self {
        let target = ProgressDrawTarget::stderr();
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target).with_message(what);
        // The template is fixed and valid; without it the bar would use its default style.
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}") {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// Counts one step as done.
    pub(crate) fn step(&self) {
        self.0.inc(1);
    }

    /// Removes the bar when all steps are done.
    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
