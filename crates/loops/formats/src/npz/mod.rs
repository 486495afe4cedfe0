//! NPZ: a zip archive of NumPy arrays, as programs that learn from motion read it. What the arrays are: docs/formats/npz.md.

mod array;
pub(crate) mod arrays;
pub(crate) mod error;
pub(crate) mod format;
mod kimodo;
mod read;
pub(crate) mod source;
#[cfg(test)]
mod tests;
pub(crate) mod zip;
