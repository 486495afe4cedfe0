//! Text: the start of a file, from which its format is detected, and trees that are drawn by indents.

/// Returns the bytes after a UTF-8 byte order mark, if there is one.
pub(crate) fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// Returns the text of a file from its first letter on; empty if it has none.
pub(crate) fn from_first_letter(bytes: &[u8]) -> &[u8] {
    without_byte_order_mark(bytes).trim_ascii_start()
}

/// Whether bytes contain other bytes.
pub(crate) fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Returns the lines of a tree that is drawn by indents, each with the number of the line that it hangs from.
pub(crate) fn tree(text: &'static str) -> Vec<(&'static str, Option<usize>)> {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let above = |(index, line): (usize, &&'static str)| {
        let shallower = lines[..index].iter().rposition(|above| depth(above) < depth(line));
        (line.trim_start(), shallower)
    };
    lines.iter().enumerate().map(above).collect()
}
