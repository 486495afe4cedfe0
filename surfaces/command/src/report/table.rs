//! Tables of text.

/// Returns rows of text below headings, which are separated by ` | `: each column is as wide as its widest entry, and a `<` before its heading
/// left-aligns it.
pub fn in_columns(headings: &str, rows: impl IntoIterator<Item: Into<Vec<String>>>) -> String {
    let headings = headings.split(" | ");
    let at_left: Vec<bool> = headings.clone().map(|heading| heading.starts_with('<')).collect();
    let head = headings.map(|heading| heading.trim_start_matches('<').to_owned());
    let all: Vec<Vec<String>> = core::iter::once(head.collect())
        .chain(rows.into_iter().map(Into::into))
        .collect();
    let widths: Vec<usize> = (0..at_left.len())
        .map(|column| width_of(all.iter().map(|row| &row[column])))
        .collect();
    let mut text = String::new();
    for row in &all {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .zip(&at_left)
            .map(|((cell, &width), at_left)| {
                if *at_left {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                }
            })
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// Returns the width of a column with these entries. Longer ones, which a file may hold, extend beyond it.
pub fn width_of(entries: impl Iterator<Item = impl AsRef<str>>) -> usize {
    const WIDEST: usize = 200;
    entries
        .map(|entry| entry.as_ref().chars().take(WIDEST).count())
        .max()
        .unwrap_or(0)
}

/// Formats a number, or a dash if there is none.
pub fn optional(value: Option<f64>, decimals: usize) -> String {
    or_dash(value.map(|value| format!("{value:.decimals$}")))
}

/// Returns a text, or a dash if there is none.
pub fn or_dash(text: Option<impl ToString>) -> String {
    text.map_or_else(|| "-".to_owned(), |text| text.to_string())
}

/// Joins texts, with this between each two.
pub fn joined(texts: impl Iterator<Item = String>, between: &str) -> String {
    texts.collect::<Vec<_>>().join(between)
}

/// Formats frames per second to a hundredth and without trailing zeros: 120, 29.97.
pub fn rate(hertz: f64) -> String {
    let text = format!("{hertz:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Widths of `format!` above 65,535 panic.
    #[test]
    fn texts_of_any_length_are_shown_whole() {
        let long = "x".repeat(70_000);
        let rows = [[long.clone(), "1".to_owned()], ["walk".to_owned(), long.clone()]];
        let text = in_columns("<name | frames", rows);
        assert_eq!(text.matches(&long).count(), 2);
    }
}
