//! Limits the memory of a catalog's rows.

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

    /// Takes bytes from the allowance. Errors: too few are left.
    pub(crate) fn take(&mut self, bytes: u64) -> Result<(), CatalogError> {
        self.left = self
            .left
            .checked_sub(bytes)
            .ok_or(CatalogError::TooLarge { limit: self.limit })?;
        Ok(())
    }

    /// Takes the memory of a row whose texts have this many bytes in total.
    pub(crate) fn take_row(&mut self, text_bytes: usize) -> Result<(), CatalogError> {
        // A growing list holds its rows up to three times.
        self.take((3 * size_of::<LoopRow>() + text_bytes) as u64)
    }
}
