//! Catalogs as comma-separated values.

use std::io::Write;

use crate::{
    COLUMNS, CatalogError, LoopRow,
    cell::{Cell, CellKind},
    room::Room,
};

pub(crate) fn write<'a>(rows: impl IntoIterator<Item = &'a LoopRow>, mut to: impl Write) -> Result<(), CatalogError> {
    let names: Vec<&str> = COLUMNS.iter().map(|column| column.name).collect();
    writeln!(to, "{}", names.join(","))?;
    for row in rows {
        let fields: Vec<String> = row.cells().iter().map(field).collect();
        writeln!(to, "{}", fields.join(","))?;
    }
    Ok(to.flush()?)
}

/// Spreadsheets evaluate texts that begin like this as formulas; an apostrophe in front prevents that.
const LIKE_FORMULAS: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\''];

fn guarded(text: &str) -> String {
    if text.starts_with(LIKE_FORMULAS) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

fn field(cell: &Cell) -> String {
    match cell {
        Cell::Null => String::new(),
        Cell::Text(text) if text.contains([',', '"', '\n', '\r']) => {
            format!("\"{}\"", guarded(text).replace('"', "\"\""))
        }
        Cell::Text(text) => guarded(text),
        Cell::Real(number) => format!("{number:?}"),
        Cell::Whole(number) => number.to_string(),
        Cell::Truth(truth) => truth.to_string(),
    }
}

pub(crate) fn read(bytes: &[u8], room: &mut Room) -> Result<Vec<LoopRow>, CatalogError> {
    let text = core::str::from_utf8(bytes).map_err(|_| CatalogError::Line {
        line: 1,
        reason: "it is not text in UTF-8".to_owned(),
    })?;
    // Spreadsheets put a mark in front.
    let mut records = Records {
        rest: text.trim_start_matches('\u{feff}'),
        line: 1,
    };
    let headings = records.next().transpose()?.map(|(_, headings)| headings);
    let headings = headings.unwrap_or_default();
    if !headings.iter().any(|name| name == "path") {
        return Err(CatalogError::NoCatalog);
    }
    let mut rows = Vec::new();
    for record in records {
        let (line, fields) = record?;
        room.take_row(fields.iter().map(String::len).sum())?;
        if fields.len() != headings.len() {
            return Err(CatalogError::Line {
                line,
                reason: format!("{} fields, but {} headings", fields.len(), headings.len()),
            });
        }
        rows.push(LoopRow::from_cells(rows.len() + 1, |name, kind| {
            Some(cell(
                &fields[headings.iter().position(|heading| heading == name)?],
                kind,
            ))
        })?);
    }
    Ok(rows)
}

/// Converts a field to a value; a field that cannot be parsed remains a text, which its column refuses.
fn cell(field: &str, kind: CellKind) -> Cell {
    let bare = field.strip_prefix('\'').filter(|bare| bare.starts_with(LIKE_FORMULAS));
    let other = || Cell::Text(bare.unwrap_or(field).to_owned());
    match kind {
        _ if field.is_empty() => Cell::Null,
        CellKind::Text => other(),
        CellKind::Real => field.parse().map_or_else(|_| other(), Cell::Real),
        CellKind::Whole => field.parse().map_or_else(|_| other(), Cell::Whole),
        CellKind::Truth => field.to_ascii_lowercase().parse().map_or_else(|_| other(), Cell::Truth),
    }
}

/// The records of a text, each with the line on which it starts.
struct Records<'a> {
    rest: &'a str,
    line: usize,
}

impl Iterator for Records<'_> {
    type Item = Result<(usize, Vec<String>), CatalogError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let start = self.line;
        let mut fields = vec![String::new()];
        let mut is_quoted = false;
        let mut letters = self.rest.char_indices().peekable();
        let mut end = self.rest.len();
        while let Some((index, letter)) = letters.next() {
            self.line += usize::from(letter == '\n');
            let last = fields.len() - 1;
            let field = &mut fields[last];
            match letter {
                '"' if is_quoted && letters.peek().is_some_and(|&(_, next)| next == '"') => {
                    field.push('"');
                    letters.next();
                }
                '"' => is_quoted = !is_quoted,
                ',' if !is_quoted => fields.push(String::new()),
                '\n' if !is_quoted => {
                    end = index + 1;
                    break;
                }
                '\r' if !is_quoted => {}
                letter => field.push(letter),
            }
        }
        self.rest = &self.rest[end..];
        if is_quoted {
            self.rest = "";
            return Some(Err(CatalogError::Line {
                line: start,
                reason: "a quote is not closed".to_owned(),
            }));
        }
        Some(Ok((start, fields)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_look_like_formulas_are_texts_and_come_back() {
        for text in ["=1+1", "+x", "-x, y", "@sum", "\tx", "'quoted", "'=x", "plain", "a=b"] {
            let written = field(&Cell::Text(text.to_owned()));
            let shown = written.trim_start_matches('"');
            assert!(shown.starts_with('\'') || !text.starts_with(LIKE_FORMULAS), "{written}");
            let record = format!("{written}\n");
            let mut records = Records { rest: &record, line: 1 };
            let (_, fields) = records.next().unwrap().unwrap();
            assert_eq!(cell(&fields[0], CellKind::Text), Cell::Text(text.to_owned()));
        }
        assert_eq!(field(&Cell::Real(-1.5)), "-1.5");
        assert_eq!(cell("-1.5", CellKind::Real), Cell::Real(-1.5));
    }
}
