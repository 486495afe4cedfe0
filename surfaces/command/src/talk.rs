//! Messages on stderr: warnings and failures, in colour if the terminal supports it and NO_COLOR is not set. Warnings are also kept, since
//! every JSON document lists them.

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::BTreeSet,
    fmt,
    io::Write,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use anstyle::AnsiColor;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use loopwright_formats::{one_line, reorders};

use crate::{exit::Failure, parallel::locked};

/// File names with a line break, whose second line could pass for an answer.
static BROKEN_NAMES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Makes messages print this path, and names that are derived from it, on one line.
pub fn keep_on_one_line(path: &Path) {
    for name in path.iter().map(|name| Path::new(name).with_extension("")) {
        let name = name.to_string_lossy();
        if name.contains('\n') {
            let mut names = locked(&BROKEN_NAMES);
            names.push(name.into_owned());
        }
    }
}

/// Makes a text safe for a terminal: characters that control it or reorder letters, which file names may contain, are printed as escapes of
/// JSON instead of taking effect.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let is_harmful = |letter: char| reorders(letter) || letter.is_control() && !matches!(letter, '\n' | '\t');
    let mut text = Cow::Borrowed(text);
    for name in locked(&BROKEN_NAMES).iter() {
        if text.contains(name.as_str()) {
            text = Cow::Owned(text.replace(name.as_str(), &one_line(name)));
        }
    }
    if !text.contains(is_harmful) {
        return text;
    }
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_harmful(letter) {
            shown.push_str(&format!("\\u{:04x}", u32::from(letter)));
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

/// Prints a message, and lines below it.
fn say(color: AnsiColor, label: &str, text: &str, below: impl IntoIterator<Item: AsRef<str>>) {
    let style = color.on_default().bold();
    let mut stderr = anstream::stderr().lock();
    // If stderr is closed, nobody can read the message.
    let _ = writeln!(stderr, "{style}{label}{style:#}: {}", harmless(text));
    for line in below {
        let _ = writeln!(stderr, "  {}", harmless(line.as_ref()));
    }
}

/// Formats a warning, and gives it with [`warn`].
macro_rules! warning {
    ($($words:tt)+) => {
        $crate::talk::warn(&format!($($words)+))
    };
}

/// Formats a note, and gives it with [`note`].
macro_rules! note {
    ($($words:tt)+) => {
        $crate::talk::note(&format!($($words)+))
    };
}

/// Whether warnings and notes are suppressed.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Sets verbosity and colours for the whole run.
pub fn set(is_quiet: bool, color: clap::ColorChoice) {
    IS_QUIET.store(is_quiet, Ordering::Relaxed);
    match color {
        // The terminal and NO_COLOR decide.
        clap::ColorChoice::Auto => {}
        clap::ColorChoice::Always => anstream::ColorChoice::Always.write_global(),
        clap::ColorChoice::Never => anstream::ColorChoice::Never.write_global(),
    }
}

fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}

/// Every warning so far.
static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The output about one of many files.
#[derive(Clone, Debug, Default)]
pub struct Aside {
    pub warnings: Vec<String>,
    /// Text meant for stdout.
    pub printed: String,
}

thread_local! {
    /// The output about one of many files, while this thread works on it.
    static ASIDE: RefCell<Option<Aside>> = const { RefCell::new(None) };
}

/// Does the work on one of many files: its output is returned instead of printed among that of other files. Notes are dropped; they explain
/// decisions that the answer states too. Calls may be nested.
pub fn aside<T>(work: impl FnOnce() -> T) -> (T, Aside) {
    let around = ASIDE.replace(Some(Aside::default()));
    (work(), ASIDE.replace(around).unwrap_or_default())
}

/// Adds to the output about one of many files, if this thread works on one; returns whether it does.
fn add_aside(add: impl FnOnce(&mut Aside)) -> bool {
    ASIDE.with_borrow_mut(|aside| {
        if let Some(aside) = aside {
            add(aside);
        }
        aside.is_some()
    })
}

/// Keeps data meant for stdout, if this thread works on one of many files; returns whether it does.
pub fn print_aside(text: &str) -> bool {
    add_aside(|aside| aside.printed.push_str(text))
}

fn is_aside() -> bool {
    ASIDE.with_borrow(Option::is_some)
}

/// Warns, now and in the JSON document of the command.
pub fn warn(text: &str) {
    keep(text);
    if !is_aside() && !is_quiet() {
        say(AnsiColor::Yellow, "warning", text, [""; 0]);
    }
}

pub fn warn_all(warnings: impl IntoIterator<Item: ToString>) {
    for warning in warnings {
        warn(&warning.to_string());
    }
}

/// Warns of each of several things in a file.
pub fn warn_of(file: impl fmt::Display, warnings: impl IntoIterator<Item: fmt::Display>) {
    for warning in warnings {
        warn(&format!("{file}: {warning}"));
    }
}

/// Adds a warning to the JSON document only.
pub fn keep(text: &str) {
    if !add_aside(|aside| aside.warnings.push(text.to_owned())) {
        let mut warnings = locked(&WARNINGS);
        warnings.push(text.to_owned());
    }
}

/// Returns all warnings so far, or those of one file if this thread works on one of many.
pub fn warnings() -> Vec<String> {
    ASIDE
        .with_borrow(|aside| aside.as_ref().map(|aside| aside.warnings.clone()))
        .unwrap_or_else(|| locked(&WARNINGS).clone())
}

/// Every note so far: a file that is opened twice gives the same note only once.
static NOTES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Reports a decision the command made, once.
pub fn note(text: &str) {
    if is_aside() || is_quiet() {
        return;
    }
    if locked(&NOTES).insert(text.to_owned()) {
        say(AnsiColor::Cyan, "note", text, [""; 0]);
    }
}

/// Lists several things below a heading, one line each.
pub fn list(text: &str, lines: &[String]) {
    if is_aside() || is_quiet() {
        return;
    }
    say(AnsiColor::Yellow, "warning", text, lines);
}

/// Reports why a command ended early.
pub fn fail(failure: &Failure) {
    say(AnsiColor::Red, "error", failure.what(), failure.lines());
}

/// A progress bar for long work, with the rate and the time left; it draws nothing if stderr is no terminal.
pub struct Progress(ProgressBar);

/// Steps a second, or seconds a step, in whole numbers.
fn pace(state: &ProgressState, text: &mut dyn fmt::Write) {
    let rate = state.per_sec();
    // An error here would only leave the pace out.
    let _ = match () {
        () if rate >= 1.0 => write!(text, "{rate:.0}/s"),
        () if rate > 1e-3 => write!(text, "{:.0} s each", 1.0 / rate),
        () => Ok(()),
    };
}

impl Progress {
    /// Creates a bar with this many steps.
    pub fn new(what: &'static str, steps: usize) -> Self {
        // Work on one of many files is a single step of another bar.
        let target = if is_aside() || is_quiet() {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target).with_message(what);
        // The template is fixed and valid; without it the bar would use its default style.
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {pace} {eta}") {
            bar.set_style(style.with_key("pace", pace));
        }
        Self(bar)
    }

    /// Counts one step as done.
    pub fn step(&self) {
        self.0.inc(1);
    }

    /// Prints without tearing the bar.
    pub fn beside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.0.suspend(print)
    }

    /// Removes the bar when all steps are done.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}
