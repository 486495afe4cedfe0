//! Failures as exceptions of the package.

use loopwright_cli::{Failure, answers};
use loopwright_job::{JobError, SearchRequest, Studied};
use pyo3::prelude::*;

use crate::words::Words;

/// A failure, and the class of the exception that says it.
#[derive(Debug)]
pub struct Fault {
    class: &'static str,
    words: Words,
}

impl Fault {
    fn new(class: &'static str, words: impl Into<Words>) -> Self {
        let words = words.into();
        Self { class, words }
    }

    /// A failure of this class, or of a wrong call.
    fn of(class: &'static str, failure: Failure) -> Self {
        Self::new(if failure.is_wrong_call() { "SettingError" } else { class }, failure)
    }

    /// With one thing to try.
    pub fn hinting(mut self, hint: impl Into<String>) -> Self {
        self.words.hint = Some(hint.into());
        self
    }

    /// A file that cannot be read.
    pub fn read(failure: Failure) -> Self {
        Self::of("ReadError", failure)
    }

    /// A setting that cannot be followed.
    pub fn setting(failure: impl Into<Words>) -> Self {
        Self::new("SettingError", failure)
    }

    /// An array that is none of a motion.
    pub fn array(what: impl std::fmt::Display) -> Self {
        Self::new("ArrayError", what.to_string())
    }

    /// With a fact.
    pub fn because(mut self, detail: String) -> Self {
        self.words.details.push(detail);
        self
    }

    /// A loop that cannot be made, in words of Python.
    pub fn make_plain(what: String) -> Self {
        Self::new("MakeError", what)
    }

    /// A file that cannot be written, in words of Python.
    pub fn write_plain(what: String) -> Self {
        Self::new("WriteError", what)
    }

    /// The error of a take without a loop, in the words of the arguments of the search.
    pub fn job(studied: &Studied, search: Option<&SearchRequest>, error: JobError) -> Self {
        let last = studied.take().num_frames() - 1;
        match error {
            JobError::Recipe(error) => Self::setting(error),
            JobError::HalfLife { found } => Self::setting(format!(
                "half_life: expected a positive number of seconds, found {found:?}"
            )),
            JobError::Within { start, end } => Self::setting(format!(
                "within: expected (start, end), in order, of the frames 0 to {last}, found ({start}, {end})"
            )),
            error @ (JobError::PingPong { .. } | JobError::PingPongSpeed) => {
                Self::new("SettingError", answers::job_failure(studied, search, error))
            }
            error => Self::make(answers::job_failure(studied, search, error)),
        }
    }

    /// A loop that cannot be made: there is none, or something is wrong.
    pub fn make(failure: Failure) -> Self {
        let class = if failure.is_negative() {
            "NoLoopError"
        } else {
            "MakeError"
        };
        Self::of(class, failure)
    }

    /// A file that cannot be written.
    pub fn write(failure: Failure) -> Self {
        Self::of("WriteError", failure)
    }

    /// Files that a document cannot be made of.
    pub fn command(failure: Failure) -> Self {
        Self::of("CommandError", failure)
    }

    /// A command that failed, in its own words.
    pub fn verbatim(failure: &Failure) -> Self {
        let words = Words {
            what: failure.what().to_owned(),
            details: failure.details().to_vec(),
            hint: failure.hint().map(ToOwned::to_owned),
        };
        Self::new("CommandError", words)
    }

    /// A fault of the library itself.
    pub fn internal() -> Self {
        Self::new(
            "InternalError",
            "a fault inside loopwright; nothing was changed".to_owned(),
        )
    }
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> Self {
        let Fault { class, words } = fault;
        Python::attach(|py| {
            let raised = py
                .import("loopwright._errors")
                .and_then(|module| module.getattr(class)?.call1((words.what, words.details, words.hint)));
            raised.map_or_else(|error| error, |raised| PyErr::from_value(raised))
        })
    }
}
