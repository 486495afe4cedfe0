//! The page of measurements: Markdown that people write, with sections that are measured.
//!
//! A section is the text between two markers, each on a line of its own. The rest of the page stays unchanged.
//!
//! ```text
//! <!-- begin measured: loops -->
//! | measure | raw cut |
//! | --- | --- |
//! <!-- end measured -->
//! ```

use std::path::Path;

/// A page, as text.
#[derive(Debug)]
pub(crate) struct Page(String);

impl Page {
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self(text))
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        std::fs::write(path, &self.0).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Replaces the contents of a section.
    pub(crate) fn fill(&mut self, section: &str, contents: &str) -> Result<(), String> {
        let begin = format!("<!-- begin measured: {section} -->\n");
        let start = self.0.find(&begin).map(|at| at + begin.len());
        let start = start.ok_or_else(|| format!("the page has no section {section}"))?;
        let length = self.0[start..].find("<!-- end measured -->");
        let end = start + length.ok_or_else(|| format!("section {section} has no end"))?;
        self.0.replace_range(start..end, &format!("{}\n", contents.trim_end()));
        Ok(())
    }
}

/// The rows of all Markdown tables of a text: each the name in its first cell, and its other cells under the names of their columns.
pub(crate) fn rows(text: &str) -> Vec<(String, Vec<(String, String)>)> {
    let cells_of = |line: &str| -> Option<Vec<String>> {
        let cells = line.trim().strip_prefix('|')?.strip_suffix('|')?;
        Some(cells.split('|').map(|cell| cell.trim().to_owned()).collect())
    };
    let mut rows = Vec::new();
    let mut columns: Option<Vec<String>> = None;
    for line in text.lines() {
        let (Some(cells), known) = (cells_of(line), columns.as_ref()) else {
            columns = None;
            continue;
        };
        match known {
            None => columns = Some(cells),
            Some(_) if cells.iter().all(|cell| cell.trim_matches('-').is_empty()) => {}
            Some(names) => {
                let named = names.iter().cloned().zip(cells.iter().cloned()).skip(1).collect();
                rows.push((cells[0].clone(), named));
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_markers_is_replaced() {
        let text = "# Title\n<!-- begin measured: one -->\nold\n<!-- end measured -->\n\nwords\n";
        let mut page = Page(text.to_owned());
        page.fill("one", "new\n\n").unwrap();
        assert_eq!(page.0, text.replace("old\n", "new\n"));
        assert_eq!(page.fill("two", "").unwrap_err(), "the page has no section two");
    }

    #[test]
    fn rows_have_the_names_of_their_columns() {
        let text = "| a | b | c |\n| --- | --- | --- |\n| one | 1 | |\n\n| a |\n| --- |\n| two |\n";
        let cell = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            rows(text),
            [
                ("one".to_owned(), vec![cell("b", "1"), cell("c", "")]),
                ("two".to_owned(), vec![])
            ]
        );
    }
}
