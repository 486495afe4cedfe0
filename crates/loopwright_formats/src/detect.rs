//! Detects the kind of a file from its first bytes.

use core::fmt;

/// Kinds of files found under a motion file's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileKind {
    /// No bytes, or only white space.
    Empty,
    /// Starts with the word HIERARCHY.
    Bvh,
    /// Binary FBX.
    FbxBinary,
    /// FBX as text.
    FbxAscii,
    /// glTF as JSON.
    Gltf,
    /// Binary glTF.
    Glb,
    /// Text in 16-bit units, little or big end first.
    Utf16,
    /// None of these.
    Unknown,
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "an empty file",
            Self::Bvh => "a BVH file",
            Self::FbxBinary => "an FBX file",
            Self::FbxAscii => "an FBX file (as text)",
            Self::Gltf => "a glTF file",
            Self::Glb => "a binary glTF file",
            Self::Utf16 => "text in UTF-16",
            Self::Unknown => "a file of an unknown kind",
        })
    }
}

/// Detects the kind of a file from its first bytes; its name is not used.
pub fn file_kind(bytes: &[u8]) -> FileKind {
    let text = without_byte_order_mark(bytes).trim_ascii_start();
    if text.is_empty() {
        return FileKind::Empty;
    }
    if bytes.starts_with(b"Kaydara FBX Binary") {
        return FileKind::FbxBinary;
    }
    if bytes.starts_with(b"glTF") {
        return FileKind::Glb;
    }
    let is_utf16 = match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => true,
        // Without a mark: letters with a zero byte between them.
        [a, 0, b, 0, ..] | [0, a, 0, b, ..] => a.is_ascii_alphabetic() && b.is_ascii_alphabetic(),
        _ => false,
    };
    if is_utf16 {
        return FileKind::Utf16;
    }
    let starts_with = |word: &[u8]| {
        text.get(..word.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(word))
    };
    if starts_with(b"HIERARCHY") {
        return FileKind::Bvh;
    }
    if text[0] == b';'
        && text
            .get(1..64.min(text.len()))
            .is_some_and(|head| contains(head, b"FBX"))
    {
        return FileKind::FbxAscii;
    }
    if text[0] == b'{' && contains(text, b"\"asset\"") {
        return FileKind::Gltf;
    }
    FileKind::Unknown
}

/// The bytes after a UTF-8 byte order mark, if there is one.
pub(crate) fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_determine_the_kind() {
        for (bytes, kind) in [
            (&b""[..], FileKind::Empty),
            (b"\xEF\xBB\xBF \r\n\t", FileKind::Empty),
            (b"\xEF\xBB\xBF hierarchy\n", FileKind::Bvh),
            (b"Kaydara FBX Binary  \0\x1a", FileKind::FbxBinary),
            (b"; FBX 7.4.0 project file\n", FileKind::FbxAscii),
            (b"glTF\x02\0\0\0", FileKind::Glb),
            (b"{ \"asset\": {\"version\": \"2.0\"} }", FileKind::Gltf),
            (b"{ \"format\": \"loop\" }", FileKind::Unknown),
            (b"\xFF\xFEH\0I\0", FileKind::Utf16),
            (b"H\0I\0E\0", FileKind::Utf16),
            (b"\0H\0I\0E", FileKind::Utf16),
            (b"\0\x01\x02\x03\x04", FileKind::Unknown),
            (b"MOTION", FileKind::Unknown),
        ] {
            assert_eq!(file_kind(bytes), kind, "{bytes:?}");
        }
    }
}
