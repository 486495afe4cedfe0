//! The compiled module of the Python package: takes and loops as objects, their numbers as bytes that NumPy reads in place.
//!
//! It is private; the package around it has the names, the types and the documentation that people see. Everything that takes time runs
//! without Python's lock, see [`work`].

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

use std::ffi::OsString;

use loopwright_cli::answers;
use pyo3::prelude::*;

use fault::Fault;
use work::work;

/// Runs the command `loopwright` and returns its exit status.
#[pyfunction]
fn command(py: Python<'_>, args: Vec<OsString>) -> u8 {
    py.detach(|| loopwright_cli::run(&args))
}

/// What a command would print: its exit status, the text, and its warnings. One that fails raises.
#[pyfunction]
fn answer(py: Python<'_>, args: Vec<OsString>) -> PyResult<(u8, String, Vec<String>)> {
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
fn animation_names(py: Python<'_>, path: std::path::PathBuf) -> PyResult<Vec<String>> {
    work(py, move || answers::animation_names(&path).map_err(Fault::read))
}

/// The files of motions that a folder or a pattern stands for.
#[pyfunction]
fn motions_in(py: Python<'_>, named: std::path::PathBuf) -> PyResult<Vec<std::path::PathBuf>> {
    work(py, move || answers::motions_in(&named).map_err(Fault::read))
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<takes::Take>()?;
    module.add_class::<takes::Candidate>()?;
    module.add_class::<loops::Loop>()?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    module.add_function(wrap_pyfunction!(answer, module)?)?;
    module.add_class::<asked::Asked>()?;
    module.add_function(wrap_pyfunction!(asked::asked, module)?)?;
    module.add_function(wrap_pyfunction!(asked::setting_names, module)?)?;
    module.add_function(wrap_pyfunction!(animation_names, module)?)?;
    module.add_function(wrap_pyfunction!(loops::load, module)?)?;
    module.add_function(wrap_pyfunction!(loops::loops_in, module)?)?;
    module.add_function(wrap_pyfunction!(motions_in, module)?)?;
    module.add_class::<matching::Database>()?;
    module.add_function(wrap_pyfunction!(road::blend, module)?)?;
    module.add_function(wrap_pyfunction!(road::check, module)?)?;
    module.add_function(wrap_pyfunction!(road::check_file, module)?)?;
    module.add_function(wrap_pyfunction!(road::cost, module)?)?;
    module.add_function(wrap_pyfunction!(road::cost_among, module)?)?;
    module.add_function(wrap_pyfunction!(road::fit, module)?)?;
    module.add_function(wrap_pyfunction!(road::fit_files, module)?)?;
    module.add_function(wrap_pyfunction!(road::inspect, module)?)?;
    module.add_function(wrap_pyfunction!(road::mirror, module)?)?;
    module.add_function(wrap_pyfunction!(road::play, module)?)?;
    module.add_function(wrap_pyfunction!(road::retarget, module)?)?;
    module.add_function(wrap_pyfunction!(sets::make_set, module)?)?;
    Ok(())
}
