//! Parts of a file's own text, prepared for messages.

/// Most characters quoted from a file in one message.
const MAX_EXCERPT: usize = 40;

/// Converts some of a file's bytes to text: truncated if long, without control characters.
pub(crate) fn excerpt(text: impl AsRef<[u8]>) -> String {
    let bytes = text.as_ref();
    // Four bytes for each character, and a few more to detect a longer text.
    cut(
        &String::from_utf8_lossy(&bytes[..bytes.len().min(4 * MAX_EXCERPT + 4)]),
        MAX_EXCERPT,
    )
}

/// Puts a text from a file on one line, so that a line break in a name cannot fake a line of our output.
pub fn one_line(text: &str) -> String {
    text.chars().map(shown).collect()
}

/// Whether a character is invisible and reorders others from right to left, or begins a line.
pub fn reorders(letter: char) -> bool {
    matches!(letter, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn shown(letter: char) -> char {
    if letter.is_control() { '\u{FFFD}' } else { letter }
}

/// `text` without control characters, and with an ellipsis after `limit` characters.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    let mut cut: String = text.chars().take(limit).map(shown).collect();
    if text.chars().nth(limit).is_some() {
        cut.push('\u{2026}');
    }
    cut
}

/// Lists the first few of several names.
pub(crate) fn list(names: &[String]) -> String {
    const MOST: usize = 8;
    if names.is_empty() {
        return "none".to_owned();
    }
    let shown: Vec<String> = names.iter().take(MOST).map(|name| one_line(name)).collect();
    let shown = shown.join(", ");
    match names.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Formats a number with three significant digits, or all digits before the point.
pub(crate) fn short_number(number: f64) -> String {
    let digits = (2.0 - number.abs().max(1e-9).log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{number:.digits$}")
}

/// `1 animation`, `2 animations`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Returns the number of further items, as text after the one that is named.
pub(crate) fn and_more(count: usize) -> String {
    match count {
        0 | 1 => String::new(),
        _ => format!(" and {} more", count - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_short_and_harmless() {
        assert_eq!(excerpt(b"ninety"), "ninety");
        assert_eq!(excerpt(b"a\x1b[31mb"), "a\u{FFFD}[31mb");
        assert_eq!(excerpt([b'x'; 100_000]).chars().count(), MAX_EXCERPT + 1);
        assert_eq!(excerpt("\u{E4}".repeat(41).as_bytes()).chars().last(), Some('\u{2026}'));
        assert_eq!(excerpt("\u{E4}".repeat(40).as_bytes()), "\u{E4}".repeat(40));
        // Characters of four bytes, the most that one has.
        assert_eq!(excerpt("\u{1F600}".repeat(40).as_bytes()), "\u{1F600}".repeat(40));
        assert_eq!(
            excerpt("\u{1F600}".repeat(41).as_bytes()),
            "\u{1F600}".repeat(40) + "\u{2026}"
        );
    }
}
