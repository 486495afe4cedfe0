//! The list of real takes: file, and what is expected of it.

use std::path::Path;

/// A take of the list.
pub(crate) struct Row {
    /// Path below the folder.
    pub(crate) file: String,
    /// loop, warn or refuse; empty for files that are not BVH.
    pub(crate) expect: String,
}

/// Reads the list's columns `file` and `expect`.
pub(crate) fn read(path: &Path) -> Result<Vec<Row>, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("the list of real takes cannot be read at {}: {error}", path.display()))?;
    let mut lines = text.lines();
    let header = split(lines.next().unwrap_or_default());
    let column = |name: &str| {
        header
            .iter()
            .position(|cell| cell == name)
            .ok_or_else(|| format!("the list has no column {name}"))
    };
    let (file, expect) = (column("file")?, column("expect")?);
    Ok(lines
        .map(split)
        .filter(|cells| cells.len() == header.len())
        .map(|cells| Row {
            file: cells[file].clone(),
            expect: cells[expect].clone(),
        })
        .collect())
}

/// Cells of a line; quotes hold commas together and double quotes stand for one.
fn split(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            _ => {
                if let Some(cell) = cells.last_mut() {
                    cell.push(letter);
                }
            }
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_commas_together() {
        assert_eq!(split("a,\"b, c\",,d"), ["a", "b, c", "", "d"]);
    }
}
