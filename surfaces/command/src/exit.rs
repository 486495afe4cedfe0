//! How a command ends, and what a failure reports: what happened, where, why, and what to try.

use std::{fmt, path::Path};

use loopwright_formats::loop_file::facts::Grade;

use crate::recipe::RecipeError;

/// How a command ended without failing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ending {
    /// Done.
    Done,
    /// The verdict is negative, or nothing was found.
    Negative,
    /// Stopped at the keyboard, after what had to be done was done.
    Stopped,
}

impl Ending {
    /// How a command ends with a loop of this grade: negatively if that has a fault that anyone sees.
    pub(crate) fn of_grade(grade: Option<Grade>) -> Self {
        Self::of_answer(grade != Some(Grade::Bad))
    }

    /// How a command ends that answers a question: negatively if the answer is no.
    pub(crate) fn of_answer(is_yes: bool) -> Self {
        if is_yes { Self::Done } else { Self::Negative }
    }

    /// How a command ends with several: as with the worst.
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

/// Formats what went wrong: `failure!("\"{name}\" is a folder")` is a [`Failure`] with exit status 2.
macro_rules! failure {
    ($($words:tt)+) => {
        $crate::Failure::error(format!($($words)+))
    };
}

/// What kind of failure it is, which decides how the command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Something went wrong.
    Error,
    /// What was asked for is wrong, not what was read.
    WrongCall,
    /// Nothing was found.
    Nothing,
    /// Nothing was found by the time the run was stopped at the keyboard.
    Stopped,
}

/// The status that the shell sees of what went wrong.
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

/// What may fail in the command.
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

    /// Several things went wrong: exit status 2.
    pub(crate) fn of_all<'f>(what: impl fmt::Display, failures: impl IntoIterator<Item = &'f Self>) -> Self {
        Self {
            details: failures.into_iter().map(|failure| failure.what.clone()).collect(),
            ..Self::error(what)
        }
    }

    /// The same if anything did, of so many things: `3 of 5 files failed`.
    pub(crate) fn of_some<'f>(
        failures: impl IntoIterator<Item = &'f Self, IntoIter: ExactSizeIterator>,
        of: usize,
        what: &str,
    ) -> Option<Self> {
        let failures = failures.into_iter();
        let count = failures.len();
        (count > 0).then(|| Self::of_all(format!("{count} of {of} {what}"), failures))
    }

    /// The same as something that went wrong: exit status 2.
    pub(crate) fn into_error(self) -> Self {
        let kind = if self.is_negative() { Kind::Error } else { self.kind };
        Self { kind, ..self }
    }

    /// The same of a run that was stopped at the keyboard: nothing was found by then. What went wrong did so all the same.
    pub(crate) fn stopped(self) -> Self {
        let kind = if self.is_negative() { Kind::Stopped } else { self.kind };
        Self { kind, ..self }
    }

    /// Says of which file.
    pub(crate) fn of_file(mut self, path: &Path) -> Self {
        self.what = format!("\"{}\": {}", path.display(), self.what);
        self
    }

    /// Says of which part of a file.
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

    /// Says that what was asked for is wrong, not what was read.
    pub(crate) fn wrongly_called(self) -> Self {
        Self {
            kind: Kind::WrongCall,
            ..self
        }
    }

    /// Whether what was asked for is wrong.
    pub fn is_wrong_call(&self) -> bool {
        self.kind == Kind::WrongCall
    }

    /// Reports the failure in a JSON document of the command's own.
    pub(crate) fn in_document(mut self, document: String) -> Self {
        self.document = Some(document.into());
        self
    }

    /// The JSON document for this failure, if the command has one of its own.
    pub(crate) fn document(&self) -> Option<&str> {
        self.document.as_deref()
    }

    /// The status that the shell sees: 1 where nothing was found, 130 if it was stopped by then, 2 for an error.
    pub fn exit_status(&self) -> u8 {
        match self.kind {
            Kind::Nothing => Ending::Negative.exit_status(),
            Kind::Stopped => Ending::Stopped.exit_status(),
            Kind::Error | Kind::WrongCall => ERROR_STATUS,
        }
    }

    /// Whether nothing was found; otherwise something went wrong.
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
        let hint = self.hint.iter().map(|hint| format!("try: {hint}"));
        self.details.iter().cloned().chain(hint)
    }
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

/// The status that the shell sees: 0 done, 1 negative, 2 error.
pub(crate) fn status(result: &Result<Ending>) -> u8 {
    match result {
        Ok(ending) => ending.exit_status(),
        Err(failure) => failure.exit_status(),
    }
}
