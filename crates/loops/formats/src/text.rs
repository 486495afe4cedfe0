//! The start of a file as text, from which its format is detected.

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
