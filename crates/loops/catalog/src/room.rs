//! How much memory the rows of a catalog may take.

use crate::{CatalogError, LoopRow};

/// Memory that may still be taken.
pub(crate) struct Room {
    left: u64,
    limit: u64,
}

impl Room {
    pub(crate) fn new(limit: u64) -> Self {
        Self { left: limit, limit }
    }

    /// Errors: so many bytes more are too many.
    pub(crate) fn take(&mut self, bytes: u64) -> Result<(), CatalogError> {
        self.left = (self.left.checked_sub(bytes)).ok_or(CatalogError::TooLarge { limit: self.limit })?;
        Ok(())
    }

    /// Takes the memory of a row whose texts have so many bytes; a row without texts takes as much as any other.
    pub(crate) fn take_row(&mut self, text_bytes: usize) -> Result<(), CatalogError> {
        // A list that grows holds its rows up to three times.
        self.take((3 * size_of::<LoopRow>() + text_bytes) as u64)
    }
}
