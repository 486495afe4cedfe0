//! Files that lie beside one that was opened, such as the pictures of a character.

use std::{fmt, sync::Arc};

/// Finds a file by the path that the opened one names it by.
type Find = dyn Fn(&str) -> Option<Vec<u8>> + Send + Sync;

/// The files beside one that was opened; none by default.
#[derive(Clone, Default)]
pub struct Beside {
    find: Option<Arc<Find>>,
}

impl Beside {
    /// Files that this function finds.
    pub fn found_by(find: impl Fn(&str) -> Option<Vec<u8>> + Send + Sync + 'static) -> Self {
        Self {
            find: Some(Arc::new(find)),
        }
    }

    /// The bytes of a file; `None` where it is not there.
    pub fn find(&self, path: &str) -> Option<Vec<u8>> {
        self.find.as_ref()?(path)
    }
}

impl fmt::Debug for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Beside").finish_non_exhaustive()
    }
}
