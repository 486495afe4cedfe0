//! Files: whether other programs see in them the same motion that we read and wrote.

use std::path::Path;

use crate::{page, takes::Captured};

mod loops;
mod peers;
mod players;
mod readers;
mod survival;

/// What one program says of files, or that it was not asked because something is missing.
enum Row {
    /// Name of the program and of what it was asked, and the other cells of the row.
    Given(String, String),
    /// The name and what is missing.
    Skipped(String, String),
}

/// Cells of every row.
const COLUMNS: &str = "program | asked about | files | farthest off, or worst step over the seam";

/// The table. Rows of programs that are missing stay as they were.
pub(crate) fn measure(captured: &Captured, scratch: &Path, before: &str) -> Result<String, String> {
    let peers = peers::Peers::new(scratch.to_owned());
    let made = loops::make(captured)?;
    let mut rows = readers::measure(captured, &peers)?;
    rows.extend(players::measure(&made, &peers)?);
    rows.extend(survival::measure(&made)?);
    let known = page::rows(before);
    let mut table = format!("| {COLUMNS} |\n|{}\n", " --- |".repeat(COLUMNS.split('|').count()));
    for row in rows {
        let line = match row {
            Row::Given(name, cells) => format!("{name} | {cells}"),
            Row::Skipped(name, why) => {
                let cells = known.iter().find(|(known, _)| *known == name).map(|(_, cells)| cells);
                let cells: Option<Vec<&str>> = cells.map(|cells| cells.iter().map(|(_, cell)| cell.as_str()).collect());
                format!(
                    "{name} | {}",
                    cells.map_or(format!("skipped: {why} | |"), |cells| cells.join(" | "))
                )
            }
        };
        table.push_str(&format!("| {line} |\n"));
    }
    Ok(table)
}

/// Writes a file of the scratch folder.
fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// A readable distance: micrometres below a tenth of a millimetre, else millimetres.
fn distance(metres: f64) -> String {
    if metres < 1e-4 {
        format!("{:.1} µm", 1e6 * metres)
    } else {
        format!("{:.2} mm", 1e3 * metres)
    }
}

/// The larger of two values; NaN counts as larger than any number, because a fault must not hide.
fn worse(one: f64, other: f64) -> f64 {
    if one.is_nan() || other.is_nan() {
        f64::NAN
    } else {
        one.max(other)
    }
}
