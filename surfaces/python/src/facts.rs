//! Facts as Python's own dicts and lists.

use loopwright_formats::loop_file::to_value;
use pyo3::prelude::*;
use pythonize::pythonize;
use serde::Serialize;
use serde_json::Value;

use crate::fault::Fault;

/// Facts with the keys of their JSON.
pub struct Facts(pub Value);

impl Facts {
    /// Errors: none that is known, since structs of numbers and texts always serialise.
    pub fn new(facts: &impl Serialize) -> Result<Self, Fault> {
        to_value(facts).map(Self).map_err(|_| Fault::internal())
    }
}

impl<'py> IntoPyObject<'py> for Facts {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        Ok(pythonize(py, &self.0)?)
    }
}
