//! Parses formats.

use loopwright_formats::Format;

/// Returns the format with this extension.
pub fn parse_format(text: &str) -> Result<Format, String> {
    Format::from_extension(text.trim_start_matches('.'))
        .ok_or_else(|| format!("must be {}", Format::extensions(&Format::ALL, "")))
}
