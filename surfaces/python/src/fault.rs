//! Failures as exceptions of the package.

use loopwright_cli::Failure;
use pyo3::prelude::*;

/// A failure, and the class of the exception that says it.
#[derive(Debug)]
pub(crate) struct Fault {
    class: &'static str,
    failure: Failure,
}

impl Fault {
    fn new(class: &'static str, failure: impl Into<Failure>) -> Self {
        let failure = failure.into();
        Self {
            class: if failure.is_wrong_call() { "SettingError" } else { class },
            failure,
        }
    }

    /// A file that cannot be read.
    pub(crate) fn read(failure: Failure) -> Self {
        Self::new("ReadError", failure)
    }

    /// A setting that cannot be followed.
    pub(crate) fn setting(failure: impl Into<Failure>) -> Self {
        Self::new("SettingError", failure)
    }

    /// An array that is none of a motion.
    pub(crate) fn array(what: impl std::fmt::Display) -> Self {
        Self::new("ArrayError", Failure::error(what))
    }

    /// A loop that cannot be made: there is none, or something is wrong.
    pub(crate) fn make(failure: Failure) -> Self {
        let class = if failure.is_negative() {
            "NoLoopError"
        } else {
            "MakeError"
        };
        Self::new(class, failure)
    }

    /// A file that cannot be written.
    pub(crate) fn write(failure: Failure) -> Self {
        Self::new("WriteError", failure)
    }

    /// A command that failed.
    pub(crate) fn command(failure: Failure) -> Self {
        Self::new("CommandError", failure)
    }

    /// A fault of the library itself.
    pub(crate) fn internal() -> Self {
        Self::new(
            "InternalError",
            Failure::error("a fault inside loopwright; nothing was changed"),
        )
    }
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> Self {
        let Fault { class, failure } = fault;
        Python::attach(|py| {
            let raised = py.import("loopwright._errors").and_then(|module| {
                let details = failure.details().to_vec();
                module.getattr(class)?.call1((failure.what(), details, failure.hint()))
            });
            raised.map_or_else(|error| error, |raised| PyErr::from_value(raised))
        })
    }
}
