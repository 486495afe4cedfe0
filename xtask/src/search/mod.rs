//! Measurements of the search: against the truth of synthetic walks, and against other ways to look for loops.

use std::path::Path;

use crate::{manifest::Row, road::study};

mod truth;

mod field;

mod published;

mod profile;

mod rivals;

mod crossings;

mod displacement;

/// The page as Markdown.
pub(crate) fn page(folder: &Path, rows: &[Row]) -> Result<String, String> {
    let studied = study(folder, rows.iter().filter(|row| row.expect == "loop"))?;
    let mut page = String::from(
        "# The search, measured\n\n\
         Written by `cargo xtask measure search`; nothing here is typed by hand but the words, and no clock is\n\
         involved: the same takes give the same page. What takes a clock is in [search-speed.md](search-speed.md).\n\n",
    );
    truth::section(&mut page)?;
    rivals::section(&studied, &mut page)?;
    crossings::section(&studied, &mut page)?;
    displacement::section(&studied, &mut page)?;
    Ok(page)
}
