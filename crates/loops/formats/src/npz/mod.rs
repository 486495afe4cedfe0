//! NPZ: a zip archive of NumPy arrays, as machine learning uses it. docs/formats/npz.md describes the arrays.

pub(crate) mod array;
pub(crate) mod arrays;
pub(crate) mod error;
pub(crate) mod format;
mod kimodo;
mod read;
pub(crate) mod source;
#[cfg(test)]
mod tests;
pub(crate) mod tracking;
pub(crate) mod zip;
