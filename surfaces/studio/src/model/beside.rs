//! Files that lie beside an opened one, such as the pictures of a character.

use std::sync::Arc;

/// Finds a file by the path that the opened file uses for it.
type Find = dyn Fn(&str) -> Option<Vec<u8>> + Send + Sync;

/// The files beside an opened one; none by default.
#[derive(Clone, Default)]
pub struct Beside(Option<Arc<Find>>);

impl Beside {
    /// Uses a function that finds files.
    pub fn found_by(find: impl Fn(&str) -> Option<Vec<u8>> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(find)))
    }

    /// Returns the bytes of a file; `None` if it is missing.
    pub fn find(&self, path: &str) -> Option<Vec<u8>> {
        self.0.as_ref()?(path)
    }
}
