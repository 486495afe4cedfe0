//! How a command ends, and what a failure reports: what happened, where, why, and what to try.

use std::{fmt, path::Path};

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

/// A failure to report to the user.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What happened and where, one line.
    what: String,
    /// Facts below it, one line each.
    details: Vec<String>,
    /// One thing to try.
    hint: Option<String>,
    negative: bool,
    stopped: bool,
    wrong_call: bool,
    /// The command's own JSON document for this failure, with the facts known by then, if it has one.
    document: Option<Box<str>>,
}

impl Failure {
    /// Something went wrong: exit status 2.
    pub fn error(what: impl fmt::Display) -> Self {
        Self {
            what: what.to_string(),
            details: Vec::new(),
            hint: None,
            negative: false,
            stopped: false,
            wrong_call: false,
            document: None,
        }
    }

    /// Nothing was found: exit status 1.
    pub fn nothing(what: impl fmt::Display) -> Self {
        Self {
            negative: true,
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
        Self {
            negative: false,
            ..self
        }
    }

    /// The same of a run that was stopped at the keyboard: nothing was found by then. What went wrong did so all the same.
    pub(crate) fn stopped(self) -> Self {
        Self {
            stopped: self.negative,
            ..self
        }
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
            wrong_call: true,
            ..self
        }
    }

    /// Whether what was asked for is wrong.
    pub fn is_wrong_call(&self) -> bool {
        self.wrong_call
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
        match self.negative {
            true if self.stopped => status(&Ok(Ending::Stopped)),
            true => status(&Ok(Ending::Negative)),
            false => 2,
        }
    }

    /// Whether nothing was found; otherwise something went wrong.
    pub fn is_negative(&self) -> bool {
        self.negative
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

/// The status that the shell sees: 0 done, 1 negative, 2 error. A stopped run ends with 130 or 143, see [`crate::signals`].
pub(crate) fn status(result: &Result<Ending, Failure>) -> u8 {
    match result {
        Ok(Ending::Done) => 0,
        Ok(Ending::Negative) => 1,
        Ok(Ending::Stopped) => 130,
        Err(failure) => failure.exit_status(),
    }
}
