//! The outcome of writing.

use crate::{error::WriteError, warning::FileWarning};

/// A file as written, and what had to be changed.
#[value(Default)]
pub struct WrittenFile {
    /// The whole file.
    pub bytes: Vec<u8>,
    /// The name of the animation in it, if the format has names.
    pub animation: Option<String>,
    /// Changes made for writing, such as joints with too few channels for their motion.
    pub warnings: Vec<FileWarning>,
}

/// For each of several motions, the name of its animation in the file, or why it was left out.
pub(crate) type Added = Vec<Result<String, WriteError>>;
