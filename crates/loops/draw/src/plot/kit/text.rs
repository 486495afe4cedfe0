//! The typeface of all text, and the width of text.

use std::sync::LazyLock;

use loopwright_formats::reorders;
use ttf_parser::Face;

/// Upright face, a part of DejaVu Sans; licence in `fonts/`.
pub(crate) const REGULAR: &[u8] = include_bytes!("../../../fonts/DejaVuSans-subset.ttf");

/// Bold face, a part of DejaVu Sans Bold; licence in `fonts/`.
pub(crate) const BOLD: &[u8] = include_bytes!("../../../fonts/DejaVuSans-Bold-subset.ttf");

const UNITS_PER_EM: f64 = 2048.0;

/// Advance widths of the letters from U+0020 to U+007E in the upright face.
static ADVANCES: LazyLock<[u16; 95]> = LazyLock::new(|| {
    let face = Face::parse(REGULAR, 0).ok();
    core::array::from_fn(|index| {
        face.as_ref()
            .and_then(|face| face.glyph_hor_advance(face.glyph_index(char::from(b' ' + index as u8))?))
            .unwrap_or(OTHER_ADVANCE)
    })
});

/// Advance of letters outside the table: that of the widest script.
const OTHER_ADVANCE: u16 = 2048;

/// The bold face is at most this much wider, over words.
const BOLD_FACTOR: f64 = 1.13;

/// Returns the width of a line of text at a size; bold text is wider.
pub fn width(text: &str, size: f64, bold: bool) -> f64 {
    let units: f64 = text
        .chars()
        .map(|letter| {
            f64::from(
                ADVANCES
                    .get((letter as usize).wrapping_sub(0x20))
                    .copied()
                    .unwrap_or(OTHER_ADVANCE),
            )
        })
        .sum();
    units / UNITS_PER_EM * size * if bold { BOLD_FACTOR } else { 1.0 }
}

/// Returns the text, or as much of its beginning as fits with three dots after it.
pub fn fit(text: &str, size: f64, bold: bool, room: f64) -> String {
    if width(text, size, bold) <= room {
        return text.to_owned();
    }
    let mut short: Vec<char> = text.chars().collect();
    while short.pop().is_some() {
        let candidate = format!("{}...", short.iter().collect::<String>().trim_end());
        if width(&candidate, size, bold) <= room {
            return candidate;
        }
    }
    String::new()
}

/// Returns the text escaped for XML; letters that XML does not allow are left out.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            letter if letter.is_control() || reorders(letter) || matches!(letter, '\u{fffe}' | '\u{ffff}') => {}
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// Returns the text as [`escape`] took it.
pub(crate) fn unescape(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_does_not_fit_ends_in_dots() {
        assert_eq!(fit("heading", 12.0, false, 500.0), "heading");
        let short = fit("a rather long name of a joint", 12.0, false, 80.0);
        assert!(short.ends_with("...") && width(&short, 12.0, false) <= 80.0, "{short}");
        assert_eq!(fit("heading", 12.0, false, 1.0), "");
    }

    #[test]
    fn markup_in_names_is_escaped() {
        let text = "a<b>&\"c\"&amp;";
        let escaped = escape(&format!("{text}\u{1}"));
        assert_eq!(escaped, "a&lt;b&gt;&amp;&quot;c&quot;&amp;amp;");
        assert_eq!(unescape(&escaped), text);
    }
}
