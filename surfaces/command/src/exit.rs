//! How a command ends, and what a failure reports: what happened, where, why, and what to try.

use std::{fmt, path::Path};

use loopwright_formats::{RobotError, SidecarError, WriteError, loop_file::facts::Grade};
use loopwright_job::CarryError;
use loopwright_sets::CutWriteError;
use loopwright_synth::SynthError;

use crate::recipe::RecipeError;

/// How a command ended without failing.
#[value(Copy, Eq, PartialOrd, Ord)]
pub(crate) enum Ending {
    /// Done.
    Done,
    /// The verdict is negative, or nothing was found.
    Negative,
    /// Stopped at the keyboard, after the remaining work was done.
    Stopped,
}

impl Ending {
    /// The ending of a command that made a loop of this grade: negative if the loop is bad.
    pub(crate) fn of_grade(grade: Option<Grade>) -> Self {
        Self::of_answer(grade != Some(Grade::Bad))
    }

    /// The ending of a command that answers a question: negative if the answer is no.
    pub(crate) fn of_answer(is_yes: bool) -> Self {
        if is_yes { Self::Done } else { Self::Negative }
    }

    /// The ending of a command with several loops: that of the worst.
    pub(crate) fn of_grades(grades: impl Iterator<Item = Option<Grade>>) -> Self {
        grades.map(Self::of_grade).max().unwrap_or(Self::Done)
    }

    /// The status that the shell sees. A stopped run ends with 130 or 143, see [`crate::signals`].
    pub(crate) fn exit_status(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Negative => 1,
            Self::Stopped => 130,
        }
    }
}

/// Formats an error: `failure!("\"{name}\" is a folder")` is a [`Failure`] with exit status 2.
macro_rules! failure {
    ($($words:tt)+) => {
        $crate::Failure::error(format!($($words)+))
    };
}

/// The kind of a failure, which decides how the command ends.
#[value(Copy, Eq)]
enum Kind {
    /// Something went wrong.
    Error,
    /// The request is wrong, not the input.
    WrongCall,
    /// Nothing was found.
    Nothing,
    /// Nothing was found by the time the run was stopped at the keyboard.
    Stopped,
}

/// The exit status of an error.
pub(crate) const ERROR_STATUS: u8 = 2;

/// A failure to report to the user.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What happened and where, one line.
    what: String,
    /// Facts below it, one line each.
    details: Vec<String>,
    /// One thing to try.
    hint: Option<String>,
    kind: Kind,
    /// The command's own JSON document for this failure, with the facts known by then, if it has one.
    document: Option<Box<str>>,
}

/// The result of work that may fail.
pub(crate) type Result<T, E = Failure> = core::result::Result<T, E>;

impl Failure {
    /// Something went wrong: exit status 2.
    pub fn error(what: impl fmt::Display) -> Self {
        Self {
            what: what.to_string(),
            details: Vec::new(),
            hint: None,
            kind: Kind::Error,
            document: None,
        }
    }

    /// Nothing was found: exit status 1.
    pub fn nothing(what: impl fmt::Display) -> Self {
        Self {
            kind: Kind::Nothing,
            ..Self::error(what)
        }
    }

    /// Something cannot be done with a file: exit status 2.
    pub(crate) fn cannot(what: &str, path: impl AsRef<Path>, why: impl fmt::Display) -> Self {
        Self::error(format!("cannot {what} \"{}\": {why}", path.as_ref().display()))
    }

    /// Several errors as one: exit status 2.
    pub(crate) fn of_all<'f>(what: impl fmt::Display, failures: impl IntoIterator<Item = &'f Self>) -> Self {
        Self {
            details: failures.into_iter().map(|failure| failure.what.clone()).collect(),
            ..Self::error(what)
        }
    }

    /// Summarises the failures of several things, `None` if there are none: `3 of 5 files failed`.
    pub(crate) fn of_some<'f>(
        failures: impl IntoIterator<Item = &'f Self, IntoIter: ExactSizeIterator>,
        of: usize,
        what: &str,
    ) -> Option<Self> {
        let failures = failures.into_iter();
        let count = failures.len();
        (count > 0).then(|| Self::of_all(format!("{count} of {of} {what}"), failures))
    }

    /// Turns "nothing found" into an error: exit status 2.
    pub(crate) fn into_error(self) -> Self {
        let kind = if self.is_negative() { Kind::Error } else { self.kind };
        Self { kind, ..self }
    }

    /// Marks that the run was stopped at the keyboard before anything was found; an error stays as it is.
    pub(crate) fn stopped(self) -> Self {
        let kind = if self.is_negative() { Kind::Stopped } else { self.kind };
        Self { kind, ..self }
    }

    /// Puts the name of the file in front.
    pub(crate) fn of_file(mut self, path: &Path) -> Self {
        self.what = format!("\"{}\": {}", path.display(), self.what);
        self
    }

    /// Puts a part of the file in front.
    pub(crate) fn about(mut self, part: &str) -> Self {
        self.what = format!("{part}: {}", self.what);
        self
    }

    /// Adds a fact.
    pub fn because(mut self, detail: impl fmt::Display) -> Self {
        self.details.push(detail.to_string());
        self
    }

    /// Adds one thing to try.
    pub fn try_this(mut self, hint: impl fmt::Display) -> Self {
        self.hint = Some(hint.to_string());
        self
    }

    /// Marks that the request is wrong, not the input.
    pub(crate) fn wrongly_called(self) -> Self {
        Self {
            kind: Kind::WrongCall,
            ..self
        }
    }

    /// Whether the request is wrong.
    pub fn is_wrong_call(&self) -> bool {
        self.kind == Kind::WrongCall
    }

    /// Attaches the command's own JSON document that reports the failure.
    pub(crate) fn in_document(mut self, document: String) -> Self {
        self.document = Some(document.into());
        self
    }

    /// The JSON document for this failure, if the command has one of its own.
    pub(crate) fn document(&self) -> Option<&str> {
        self.document.as_deref()
    }

    /// The exit status: 1 if nothing was found, 130 if the run was stopped before, 2 for an error.
    pub fn exit_status(&self) -> u8 {
        match self.kind {
            Kind::Nothing => Ending::Negative.exit_status(),
            Kind::Stopped => Ending::Stopped.exit_status(),
            Kind::Error | Kind::WrongCall => ERROR_STATUS,
        }
    }

    /// Whether nothing was found; otherwise it is an error.
    pub fn is_negative(&self) -> bool {
        matches!(self.kind, Kind::Nothing | Kind::Stopped)
    }

    /// Facts, one line each.
    pub fn details(&self) -> &[String] {
        &self.details
    }

    /// One thing to try.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// What happened, one line.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// What happened and why, in one line.
    pub(crate) fn what_and_why(&self) -> String {
        match self.details.as_slice() {
            [] => self.what.clone(),
            details => format!("{}: {}", self.what, details.join("; ")),
        }
    }

    /// The lines below the first.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> + '_ {
        self.details
            .iter()
            .cloned()
            .chain(self.hint.iter().map(|hint| format!("try: {hint}")))
    }
}

/// Makes failures of errors that say all that is known.
macro_rules! from_plain {
    ($($Error:ty),+ $(,)?) => {
        $(impl From<$Error> for Failure {
            fn from(error: $Error) -> Self {
                Self::error(error)
            }
        })+
    };
}

from_plain! {
    CarryError, CutWriteError, RobotError, SidecarError, SynthError, WriteError, serde_json::Error,
}

impl From<RecipeError> for Failure {
    fn from(error: RecipeError) -> Self {
        Self {
            details: error.reason().into_iter().collect(),
            hint: error.hint(),
            ..Self::error(error)
        }
    }
}

/// The exit status: 0 done, 1 negative, 2 error.
pub(crate) fn status(result: &Result<Ending>) -> u8 {
    match result {
        Ok(ending) => ending.exit_status(),
        Err(failure) => failure.exit_status(),
    }
}
