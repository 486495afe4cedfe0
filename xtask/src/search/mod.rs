//! The search, compared with the truth of synthetic walks and with other search methods.

use crate::{page::Sections, takes::Captured};

mod truth;

mod field;

mod published;

mod profile;

mod rivals;

mod crossings;

mod displacement;

pub(crate) fn measure(captured: &Captured) -> Result<Sections, String> {
    let studied = captured.loops()?;
    let mut sections = Sections::default();
    truth::measure(&mut sections)?;
    rivals::measure(&studied, &mut sections)?;
    sections.add("bends", crossings::table(&studied)?);
    sections.add("price", displacement::table(&studied)?);
    Ok(sections)
}
