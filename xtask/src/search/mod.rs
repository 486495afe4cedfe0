//! Measurements of the search: against the truth of synthetic walks, and against other ways to look for loops.

use std::path::Path;

use crate::manifest::Row;

mod truth;

/// The page as Markdown.
pub(crate) fn page(folder: &Path, rows: &[Row]) -> Result<String, String> {
    let _ = (folder, rows);
    let mut page = String::from(
        "# The search, measured\n\n\
         Written by `cargo xtask measure search`; nothing here is typed by hand but the words.\n\n",
    );
    truth::section(&mut page)?;
    Ok(page)
}
