//! Pages of docs/measurements: Markdown that people write, with sections that a measurement fills.
//!
//! A section is the text between two markers, each on a line of its own. The rest of the page stays unchanged.
//!
//! ```text
//! <!-- begin measured: every-take -->
//! | take | rank |
//! | --- | --- |
//! <!-- end measured -->
//! ```

use std::{collections::BTreeMap, fmt::Display, path::Path};

const BEGIN: &str = "<!-- begin measured: ";
const END: &str = "<!-- end measured -->";

/// The contents that a measurement provides for the sections of its page, by name.
#[derive(Debug, Default)]
pub(crate) struct Sections(BTreeMap<&'static str, String>);

impl Sections {
    /// Adds the contents of a section: lines of Markdown.
    ///
    /// # Panics
    ///
    /// If the measurement has already added a section of this name.
    pub(crate) fn add(&mut self, name: &'static str, contents: impl Display) {
        let contents = contents.to_string();
        let before = self.0.insert(name, contents.trim_end().to_owned());
        assert!(before.is_none(), "two sections are called {name}");
    }

    /// Fills the sections of a page.
    ///
    /// Fails and leaves the page unchanged unless it has exactly these sections.
    pub(crate) fn write_into(self, page: &Path) -> Result<(), String> {
        let failed = |why: &dyn Display| format!("{}: {why}", page.display());
        let before = std::fs::read_to_string(page).map_err(|error| failed(&error))?;
        let after = self.fill(&before).map_err(|fault| failed(&fault))?;
        std::fs::write(page, after).map_err(|error| failed(&error))
    }

    fn fill(mut self, page: &str) -> Result<String, String> {
        let mut filled = String::new();
        let mut open: Option<(&str, usize)> = None;
        for (line, number) in page.lines().zip(1..) {
            let begun = (line.strip_prefix(BEGIN)).map(|rest| rest.strip_suffix(" -->").unwrap_or(rest));
            match (open, begun) {
                (Some((name, at)), Some(_)) => return Err(format!("section {name}, begun in line {at}, has no end")),
                (None, Some(name)) => {
                    let contents = self.0.remove(name);
                    let contents =
                        contents.ok_or_else(|| format!("line {number}: nothing is measured for section {name}"))?;
                    filled.extend([line, "\n", &contents, "\n"]);
                    open = Some((name, number));
                }
                (None, None) if line == END => return Err(format!("line {number}: an end without a beginning")),
                (Some(_), None) if line == END => {
                    filled.extend([line, "\n"]);
                    open = None;
                }
                (Some(_), None) => {}
                (None, None) => filled.extend([line, "\n"]),
            }
        }
        if let Some((name, at)) = open {
            return Err(format!("section {name}, begun in line {at}, has no end"));
        }
        if self.0.is_empty() {
            Ok(filled)
        } else {
            let names: Vec<&str> = self.0.into_keys().collect();
            Err(format!("there is no section for {}", names.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(page: &str) -> Result<String, String> {
        let mut sections = Sections::default();
        sections.add("one", "1\n\n1\n");
        sections.add("two", 2);
        sections.fill(page)
    }

    #[test]
    fn only_what_stands_between_markers_is_replaced() {
        let page = "# Title\n\
                    <!-- begin measured: one -->\nold\n\nold\n<!-- end measured -->\n\nwords\n\
                    <!-- begin measured: two -->\n<!-- end measured -->\n";
        let filled = "# Title\n\
                      <!-- begin measured: one -->\n1\n\n1\n<!-- end measured -->\n\nwords\n\
                      <!-- begin measured: two -->\n2\n<!-- end measured -->\n";
        assert_eq!(fill(page).as_deref(), Ok(filled));
        assert_eq!(fill(filled).as_deref(), Ok(filled));
    }

    #[test]
    fn a_page_with_other_sections_is_refused() {
        let section = |name: &str| format!("{BEGIN}{name} -->\n{END}\n");
        let refusal = |parts: &[&str]| fill(&parts.concat()).unwrap_err();
        let [one, two, three] = ["one", "two", "three"].map(section);
        let begin_one = "<!-- begin measured: one -->\n";
        for (parts, fault) in [
            (&[&*one, "words\n"][..], "there is no section for two"),
            (&[&one, &two, &three], "line 5: nothing is measured for section three"),
            (&[&one, &two, &one], "line 5: nothing is measured for section one"),
            (&[begin_one, &two], "section one, begun in line 1, has no end"),
            (&[&two, begin_one], "section one, begun in line 3, has no end"),
            (&[END, "\n"], "line 1: an end without a beginning"),
        ] {
            assert_eq!(refusal(parts), fault);
        }
    }
}
