//! Databases for motion matching.

use std::path::PathBuf;
use std::sync::Arc;

use loopwright_cli::answers;
use pyo3::{prelude::*, types::PyBytes};

use crate::asked::Asked;
use crate::fault::Fault;
use crate::road::{Held, Motion, Ready};
use crate::work::work;

/// A database, as the bytes of its file.
#[pyclass(frozen, module = "loopwright._native")]
pub(crate) struct Database(Arc<Vec<u8>>);

#[pymethods]
impl Database {
    /// Of motions, each with whether it is named, perhaps with those of another one; what is said of it in JSON, and warnings.
    #[staticmethod]
    fn build(
        py: Python<'_>,
        motions: Vec<(Motion<'_>, bool)>,
        add: Option<PyRef<'_, Self>>,
        asked: Asked,
        flags: Vec<String>,
    ) -> PyResult<(Self, String, Vec<String>)> {
        let held: Vec<(Held, bool)> = motions.iter().map(|(motion, named)| (motion.held(), *named)).collect();
        let known = add.map(|add| Arc::clone(&add.0));
        work(py, move || {
            let ready = held.iter().map(|(held, named)| Ok((held.ready(&asked)?, *named)));
            let ready = ready.collect::<Result<Vec<(Ready, bool)>, Fault>>()?;
            let motions: Vec<_> = ready.iter().map(|(ready, named)| (ready.motion(), *named)).collect();
            let known = known.as_ref().map(|known| known.as_slice());
            let ((bytes, said), warnings) = answers::match_build(&motions, known, &flags).map_err(Fault::make)?;
            Ok((Self(Arc::new(bytes)), said, warnings))
        })
    }

    /// Of the bytes of a file with this name; and what it holds, in JSON.
    #[staticmethod]
    fn parse(py: Python<'_>, name: PathBuf, bytes: Vec<u8>) -> PyResult<(Self, String)> {
        work(py, move || {
            let said = answers::match_inspect(&name, &bytes).map_err(Fault::read)?;
            Ok((Self(Arc::new(bytes)), said))
        })
    }

    /// The bytes of its file.
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0)
    }

    fn write(&self, py: Python<'_>, path: PathBuf, force: bool) -> PyResult<()> {
        let bytes = Arc::clone(&self.0);
        work(py, move || {
            answers::write_files(&[(&path, &bytes)], force, &[]).map_err(Fault::write)
        })
    }

    /// What fits best to each of these frames of a motion, in JSON; and warnings.
    fn query(
        &self,
        py: Python<'_>,
        motion: Motion<'_>,
        frames: Vec<i64>,
        asked: Asked,
        flags: Vec<String>,
    ) -> PyResult<(String, Vec<String>)> {
        let (bytes, held) = (Arc::clone(&self.0), motion.held());
        work(py, move || {
            let ready = held.ready(&asked)?;
            answers::match_query(&bytes, ready.motion(), &frames, &flags).map_err(Fault::make)
        })
    }

    /// Its rows, or those that the frames of a motion have in it, in single precision; and how many numbers one has.
    fn rows<'py>(
        &self,
        py: Python<'py>,
        motion: Option<Motion<'py>>,
        asked: Asked,
    ) -> PyResult<(Bound<'py, PyBytes>, usize)> {
        let (bytes, held) = (Arc::clone(&self.0), motion.map(|motion| motion.held()));
        let (rows, columns) = work(py, move || {
            let ready = held.map(|held| held.ready(&asked)).transpose()?;
            answers::match_rows(&bytes, ready.as_ref().map(Ready::motion)).map_err(Fault::make)
        })?;
        let rows: Vec<u8> = rows.into_iter().flat_map(f32::to_ne_bytes).collect();
        Ok((PyBytes::new(py, &rows), columns))
    }
}
