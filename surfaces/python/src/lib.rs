//! The compiled module of the Python package: takes and loops as objects, their numbers as bytes that NumPy reads in place.
//!
//! It is private; the package around it has the names, the types and the documentation that people see. Everything that takes time runs
//! without Python's lock, see [`work`].

#![allow(
    unreachable_pub,
    reason = "its modules are private: `pub` in them is for the module that is compiled"
)]

mod arguments;
mod arrays;
mod asked;
mod facts;
mod fault;
mod held;
mod loops;
mod matching;
mod road;
mod sets;
mod takes;
mod words;
mod work;

use std::{ffi::OsString, path::PathBuf};

use loopwright_cli::answers;
use pyo3::prelude::*;

use asked::Asked;
use fault::Fault;
use work::work;

/// Runs the command `loopwright` and returns its exit status.
#[pyfunction]
fn command(py: Python, args: Vec<OsString>) -> u8 {
    py.detach(|| loopwright_cli::run(&args))
}

/// Runs a command and returns its exit status, what it prints, and its warnings. One that fails raises.
#[pyfunction]
fn answer(py: Python, args: Vec<OsString>) -> PyResult<(u8, String, Vec<String>)> {
    work(py, move || {
        let answer = answers::answer(&args).map_err(|failure| Fault::verbatim(&failure))?;
        match answer.failure {
            Some(failure) if answer.status == 2 || answer.printed.is_empty() => Err(Fault::verbatim(&failure)),
            _ => Ok((answer.status, answer.printed, answer.warnings)),
        }
    })
}

/// Names of the animations in a file.
#[pyfunction]
fn animation_names(py: Python, path: PathBuf) -> PyResult<Vec<String>> {
    work(py, move || answers::animation_names(&path).map_err(Fault::read))
}

/// The files of motions that a folder or a pattern stands for.
#[pyfunction]
fn motions_in(py: Python, named: PathBuf) -> PyResult<Vec<PathBuf>> {
    work(py, move || answers::motions_in(&named).map_err(Fault::read))
}

/// The extension of the file that the loop of a take in a file goes into.
#[pyfunction]
fn loop_extension(path: PathBuf, asked: Asked) -> PyResult<String> {
    Ok(answers::loop_extension(&path, &asked.settled()?.0))
}

/// A text of the command in words of Python.
#[pyfunction]
fn in_python(text: String) -> String {
    words::in_python(&text)
}

/// The module that Python imports.
#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::{animation_names, answer, command, in_python, loop_extension, motions_in};
    #[pymodule_export]
    use crate::asked::{Asked, asked, setting_names};
    #[pymodule_export]
    use crate::loops::{Loop, load, loops_in};
    #[pymodule_export]
    use crate::matching::Database;
    #[pymodule_export]
    use crate::road::{blend, check, check_file, cost, cost_among, fit, fit_files, inspect, mirror, play, retarget};
    #[pymodule_export]
    use crate::sets::make_set;
    #[pymodule_export]
    use crate::takes::{Candidate, Take};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
