//! A row that stands on a line of its own.

use super::lex::Lexer;
use super::number::number;

/// Why a line is no row.
pub(super) enum RowFault<'l> {
    /// It has so many values.
    Width(usize),
    /// This one is no number of a file.
    Value(&'l [u8]),
}

/// Reads the values of a line: so many, or none where it is blank.
pub(super) fn read_row<'l>(line: &'l [u8], width: usize, row: &mut Vec<f64>) -> Result<(), RowFault<'l>> {
    row.clear();
    let mut lexer = Lexer::new(line);
    loop {
        lexer.skip_space();
        if lexer.plain_numbers(width - row.len(), row) > 0 {
            continue;
        }
        let token = lexer.token();
        if token.is_empty() {
            break;
        }
        let value = number(token).map_err(|_| RowFault::Value(token))?;
        if row.len() == width {
            let all = line
                .split(u8::is_ascii_whitespace)
                .filter(|token| !token.is_empty())
                .count();
            return Err(RowFault::Width(all.max(width + 1)));
        }
        row.push(value);
    }
    match row.len() {
        0 => Ok(()),
        found if found == width => Ok(()),
        found => Err(RowFault::Width(found)),
    }
}
