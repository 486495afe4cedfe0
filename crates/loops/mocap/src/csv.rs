//! Files of comma-separated values whose first line names the columns.

use std::path::Path;

/// One line of a file.
pub(crate) struct Record<'a> {
    columns: &'a [String],
    cells: Vec<String>,
}

impl Record<'_> {
    /// The cell under the name of a column.
    pub(crate) fn cell(&self, column: &str) -> Result<&str, String> {
        let index = self.columns.iter().position(|name| name == column);
        index
            .map(|index| self.cells[index].as_str())
            .ok_or_else(|| format!("there is no column {column}"))
    }

    /// Copies the cell under the name of a column.
    pub(crate) fn text(&self, column: &str) -> Result<String, String> {
        self.cell(column).map(str::to_owned)
    }
}

/// Reads a file and converts each line after the first into a row; empty lines are skipped.
pub(crate) fn read<T>(path: &Path, row: impl Fn(&Record<'_>) -> Result<T, String>) -> Result<Vec<T>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let mut lines = text.lines().zip(1..).filter(|(line, _)| !line.is_empty());
    let columns = lines.next().map(|(line, _)| split(line)).unwrap_or_default();
    lines
        .map(|(line, number)| {
            let failed = |why: String| format!("{}, line {number}: {why}", path.display());
            let cells = split(line);
            if cells.len() != columns.len() {
                return Err(failed(format!("{} cells under {} columns", cells.len(), columns.len())));
            }
            let columns = &columns;
            row(&Record { columns, cells }).map_err(failed)
        })
        .collect()
}

/// Cells of a line. Quotes enclose commas, and a doubled quote inside stands for one.
fn split(line: &str) -> Vec<String> {
    let mut cells = Vec::new();
    let mut cell = String::new();
    let mut is_quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(std::mem::take(&mut cell)),
            _ => cell.push(letter),
        }
    }
    cells.push(cell);
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_enclose_commas_and_quotes() {
        assert_eq!(split("a,\"b, c\",,d"), ["a", "b, c", "", "d"]);
        assert_eq!(split("\"say \"\"so\"\"\",\"\""), ["say \"so\"", ""]);
    }
}
