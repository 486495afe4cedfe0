//! Tables of Markdown.

use std::fmt;

/// A table, filled row by row.
pub(crate) struct Table {
    num_columns: usize,
    text: String,
}

impl Table {
    /// A table without rows. Bars separate the names of its columns: `take | rank`.
    pub(crate) fn new(columns: &str) -> Self {
        let num_columns = columns.matches('|').count() + 1;
        Self {
            num_columns,
            text: format!("| {columns} |\n|{}\n", " --- |".repeat(num_columns)),
        }
    }

    /// Adds a row. Bars separate its cells, as in the columns.
    ///
    /// # Panics
    ///
    /// If the number of cells differs from the number of columns.
    pub(crate) fn row(&mut self, cells: impl fmt::Display) {
        let line = format!("| {cells} |\n");
        assert_eq!(line.matches('|').count(), self.num_columns + 1, "cells of {line}");
        self.text.push_str(&line);
    }
}

/// The table as lines of Markdown.
impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// A number as a cell; a dash for `None`.
pub(crate) fn cell(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}"))
}

/// A list of Markdown; the word `none` if it is empty.
pub(crate) fn list(items: &[String]) -> String {
    if items.is_empty() {
        return "- none".to_owned();
    }
    items.iter().map(|item| format!("- {item}\n")).collect()
}
