//! Numbers as bytes that NumPy reads in place, and back.

use glam::{DQuat, DVec3};
use pyo3::{prelude::*, types::PyBytes};

use crate::fault::Fault;

/// Bytes of numbers of double precision, as this machine has them.
pub fn numbers<'py, const N: usize>(
    py: Python<'py>,
    rows: impl ExactSizeIterator<Item = [f64; N]>,
) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, rows.len() * N * 8, |bytes| {
        for (bytes, row) in bytes.chunks_exact_mut(N * 8).zip(rows) {
            for (bytes, number) in bytes.chunks_exact_mut(8).zip(row) {
                bytes.copy_from_slice(&number.to_ne_bytes());
            }
        }
        Ok(())
    })
}

/// Bytes of truth values.
pub fn booleans(py: Python<'_>, values: Vec<bool>) -> Bound<'_, PyBytes> {
    PyBytes::new(py, &values.into_iter().map(u8::from).collect::<Vec<_>>())
}

pub fn vectors<'py>(py: Python<'py>, vectors: &[DVec3]) -> PyResult<Bound<'py, PyBytes>> {
    numbers(py, vectors.iter().map(DVec3::to_array))
}

/// Rotations as x, y, z, w, or with w in front.
pub fn rotations<'py>(py: Python<'py>, rotations: &[DQuat], scalar_first: bool) -> PyResult<Bound<'py, PyBytes>> {
    numbers(
        py,
        rotations
            .iter()
            .map(|rotation| match (rotation.to_array(), scalar_first) {
                ([x, y, z, w], true) => [w, x, y, z],
                (xyzw, false) => xyzw,
            }),
    )
}

/// The numbers of an array of double precision in rows. Errors: another number of bytes.
pub fn rows<const N: usize>(name: &str, bytes: &[u8]) -> Result<Vec<[f64; N]>, Fault> {
    if !bytes.len().is_multiple_of(8 * N) {
        return Err(Fault::array(format!("{name}: expected rows of {N} numbers")));
    }
    let row = |row: &[u8]| {
        let mut numbers = [0.0; N];
        for (number, bytes) in numbers.iter_mut().zip(row.chunks_exact(8)) {
            let mut eight = [0; 8];
            eight.copy_from_slice(bytes);
            *number = f64::from_ne_bytes(eight);
        }
        numbers
    };
    Ok(bytes.chunks_exact(8 * N).map(row).collect())
}
