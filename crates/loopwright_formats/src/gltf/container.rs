//! A glTF file as JSON and the bytes of its buffers, in either of its two forms.

use base64::{Engine as _, alphabet, engine};
use serde_json::{Value, json};

use super::error::{GlbFault, GltfError};
use crate::{detect, excerpt::excerpt, settings::Companions};

const MAGIC: &[u8; 4] = b"glTF";
const VERSION: u32 = 2;
const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;
const JSON: &[u8; 4] = b"JSON";
const BIN: &[u8; 4] = b"BIN\0";

/// How a buffer without a file of its own is written as text.
const DATA_URI: &str = "data:application/octet-stream;base64,";

/// Exporters may omit the padding.
const BASE64: engine::GeneralPurpose = engine::GeneralPurpose::new(
    &alphabet::STANDARD,
    engine::GeneralPurposeConfig::new()
        .with_decode_padding_mode(engine::DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// A file's complete JSON, and its buffers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Document {
    pub(crate) json: Value,
    /// Bytes of each buffer; `None` if they are missing and not needed.
    pub(crate) buffers: Vec<Option<Vec<u8>>>,
}

impl Document {
    /// Parses a file.
    ///
    /// Buffers in other files come from `companions`. A missing buffer is an error only if its contents are needed, see
    /// [`Self::buffer`]. Errors: the container or the JSON is invalid.
    pub(crate) fn parse(bytes: &[u8], companions: Option<Companions<'_>>) -> Result<(Self, Vec<String>), GltfError> {
        let (text, bin) = if bytes.starts_with(MAGIC) {
            chunks(bytes)?
        } else {
            (detect::without_byte_order_mark(bytes), None)
        };
        let json: Value = serde_json::from_slice(text).map_err(|error| GltfError::Json {
            line: error.line(),
            column: error.column(),
            reason: reason(&error),
        })?;
        let stated = json
            .get("buffers")
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        let mut faults = Vec::with_capacity(stated.len());
        let mut buffers = Vec::with_capacity(stated.len());
        for (index, buffer) in stated.iter().enumerate() {
            if !buffer.is_object() {
                return Err(GltfError::Form {
                    at: format!("buffers[{index}]"),
                    reason: "expected an object".to_owned(),
                });
            }
            let found = match buffer.get("uri").and_then(Value::as_str) {
                Some(uri) => resolve(uri, companions),
                None if index == 0 => bin
                    // The chunk is padded; the buffer ends at its stated length.
                    .map(|bin| bin[..stated_length(buffer).min(bin.len())].to_vec())
                    .ok_or_else(|| "it has neither a URI nor a binary chunk".to_owned()),
                None => Err("it has no URI".to_owned()),
            };
            let (bytes, fault) = match found {
                Ok(bytes) => (Some(bytes), String::new()),
                Err(fault) => (None, fault),
            };
            buffers.push(bytes);
            faults.push(fault);
        }
        Ok((Self { json, buffers }, faults))
    }

    /// The array of that name at the top of the JSON; empty if there is none.
    pub(crate) fn list(&self, name: &str) -> &[Value] {
        self.json.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Bytes of all buffers together.
    pub(crate) fn num_buffer_bytes(&self) -> usize {
        self.buffers.iter().flatten().map(Vec::len).sum()
    }

    /// The binary form: all buffers, and images from the JSON, in one chunk.
    ///
    /// A buffer with missing bytes stays as stated, and then so do all but the first.
    pub(crate) fn to_glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        let mut bin = self.buffers.first().cloned().flatten();
        if self.buffers.iter().all(Option::is_some) {
            gather(&mut json, &self.buffers, bin.get_or_insert_default());
        }
        self.embed(&mut json, 1);
        match (&bin, json.pointer_mut("/buffers/0").and_then(Value::as_object_mut)) {
            (Some(bin), Some(first)) => {
                first.shift_remove("uri");
                first.insert("byteLength".to_owned(), bin.len().into());
            }
            // Nothing refers to the chunk.
            _ => bin = None,
        }
        let mut text = json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let padded = bin.as_ref().map(|bin| bin.len().next_multiple_of(4));
        let length = HEADER + CHUNK_HEADER + text.len() + padded.map_or(0, |length| CHUNK_HEADER + length);
        let mut glb = Vec::with_capacity(length);
        glb.extend_from_slice(MAGIC);
        push_u32(&mut glb, VERSION as usize);
        push_u32(&mut glb, length);
        push_u32(&mut glb, text.len());
        glb.extend_from_slice(JSON);
        glb.extend_from_slice(&text);
        if let (Some(bin), Some(padded)) = (bin, padded) {
            push_u32(&mut glb, padded);
            glb.extend_from_slice(BIN);
            glb.extend_from_slice(&bin);
            glb.resize(length, 0);
        }
        glb
    }

    /// The form as text, with all buffers inside it.
    pub(crate) fn to_gltf(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        self.embed(&mut json, 0);
        // Formatting a tree of values does not fail.
        let mut text = serde_json::to_vec_pretty(&json).unwrap_or_default();
        text.push(b'\n');
        text
    }

    /// Embeds the buffers from number `first` on into the JSON, so that the file needs no others.
    fn embed(&self, json: &mut Value, first: usize) {
        let Some(stated) = json.get_mut("buffers").and_then(Value::as_array_mut) else {
            return;
        };
        for (buffer, bytes) in stated.iter_mut().zip(&self.buffers).skip(first) {
            if let (Some(buffer), Some(bytes)) = (buffer.as_object_mut(), bytes) {
                let is_data = |uri: &Value| uri.as_str().is_some_and(|uri| uri.starts_with("data:"));
                // Embedded buffers stay as they are.
                if !buffer.get("uri").is_some_and(is_data) {
                    buffer.insert("uri".to_owned(), format!("{DATA_URI}{}", BASE64.encode(bytes)).into());
                }
            }
        }
    }
}

/// Moves all buffers into the first, with images from the JSON, since a binary file should hold as little text as possible. Views
/// are adjusted.
fn gather(json: &mut Value, buffers: &[Option<Vec<u8>>], bin: &mut Vec<u8>) {
    let mut starts = vec![0];
    for buffer in buffers.iter().skip(1).flatten() {
        bin.resize(bin.len().next_multiple_of(4), 0);
        starts.push(bin.len());
        bin.extend_from_slice(buffer);
    }
    let move_view = |view: &mut Value| {
        let buffer = view
            .get("buffer")
            .and_then(Value::as_u64)
            .and_then(|buffer| usize::try_from(buffer).ok());
        if let Some(&start) = buffer
            .filter(|&buffer| buffer > 0)
            .and_then(|buffer| starts.get(buffer))
        {
            let offset = view.get("byteOffset").and_then(Value::as_u64).unwrap_or(0);
            view["buffer"] = 0.into();
            view["byteOffset"] = offset.saturating_add(start as u64).into();
        }
    };
    for view in json
        .get_mut("bufferViews")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        move_view(view);
        // Compressed views refer to the buffer of their source.
        let extensions = view.get_mut("extensions").and_then(Value::as_object_mut);
        for (_, extension) in extensions.into_iter().flatten() {
            move_view(extension);
        }
    }
    if let Some(stated) = json.get_mut("buffers").and_then(Value::as_array_mut) {
        stated.truncate(1);
    }
    let mut views = Vec::new();
    let first = json.get("bufferViews").and_then(Value::as_array).map_or(0, Vec::len);
    for image in json
        .get_mut("images")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        let Some((kind, bytes)) = image.get("uri").and_then(Value::as_str).and_then(picture) else {
            continue;
        };
        bin.resize(bin.len().next_multiple_of(4), 0);
        views.push(json!({"buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len()}));
        bin.extend_from_slice(&bytes);
        if let Some(image) = image.as_object_mut() {
            image.shift_remove("uri");
            image.insert("bufferView".to_owned(), (first + views.len() - 1).into());
            image.insert("mimeType".to_owned(), kind.into());
        }
    }
    if !views.is_empty() {
        list_mut(json, "bufferViews").extend(views);
        let buffers = list_mut(json, "buffers");
        if buffers.is_empty() {
            // Its length is that of the chunk, which is known at the end.
            buffers.push(json!({"byteLength": 0}));
        }
    }
}

/// The array of that name, created if it is missing.
pub(super) fn list_mut<'a>(json: &'a mut Value, name: &str) -> &'a mut Vec<Value> {
    if !json.get(name).is_some_and(Value::is_array) {
        json[name] = Value::Array(Vec::new());
    }
    match &mut json[name] {
        Value::Array(list) => list,
        _ => unreachable!("an array was put there just now"),
    }
}

/// The kind and bytes of a picture in a data URI.
fn picture(uri: &str) -> Option<(String, Vec<u8>)> {
    let kind = uri.strip_prefix("data:")?.split_once(";base64,")?.0.to_owned();
    Some((kind, resolve(uri, None).ok()?))
}

fn stated_length(buffer: &Value) -> usize {
    let stated = buffer.get("byteLength").and_then(Value::as_u64);
    stated.map_or(usize::MAX, |length| usize::try_from(length).unwrap_or(usize::MAX))
}

/// The message of a JSON reader, without the position, which is reported separately.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    let reason = error.to_string();
    let end = reason.rfind(" at line ").unwrap_or(reason.len());
    excerpt(&reason.as_bytes()[..end])
}

/// The JSON and the binary chunk of a binary file.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), GltfError> {
    let cut_off = |at: usize, needed: usize| GltfError::Glb {
        at,
        fault: GlbFault::CutOff {
            needed,
            available: bytes.len().saturating_sub(at),
        },
    };
    let number = |at: usize| -> Result<usize, GltfError> {
        let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
        four.map(|four| u32::from_le_bytes(four) as usize)
            .ok_or_else(|| cut_off(at, 4))
    };
    let version = number(4)?;
    if version != VERSION as usize {
        let found = u32::try_from(version).unwrap_or(u32::MAX);
        return Err(GltfError::Glb {
            at: 4,
            fault: GlbFault::Version { found },
        });
    }
    let length = number(8)?;
    if length > bytes.len() {
        return Err(cut_off(0, length));
    }
    let chunk = |at: usize| -> Result<(&[u8], &[u8]), GltfError> {
        let size = number(at)?;
        let kind = bytes
            .get(at + 4..at + CHUNK_HEADER)
            .ok_or_else(|| cut_off(at, CHUNK_HEADER))?;
        let start = at + CHUNK_HEADER;
        let data = start.checked_add(size).and_then(|end| bytes.get(start..end));
        Ok((kind, data.ok_or_else(|| cut_off(start, size))?))
    };
    let (kind, text) = chunk(HEADER)?;
    if kind != JSON {
        return Err(GltfError::Glb {
            at: HEADER,
            fault: GlbFault::NoJson,
        });
    }
    // Chunks of other kinds may follow; the format requires readers to skip them.
    let mut at = HEADER + CHUNK_HEADER + text.len();
    while at + CHUNK_HEADER <= length {
        let (kind, data) = chunk(at)?;
        if kind == BIN {
            return Ok((text, Some(data)));
        }
        at += CHUNK_HEADER + data.len();
    }
    Ok((text, None))
}

fn push_u32(bytes: &mut Vec<u8>, number: usize) {
    // Sizes beyond four gigabytes are rejected before a file is assembled.
    bytes.extend_from_slice(&u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
}

/// The bytes behind a URI.
fn resolve(uri: &str, companions: Option<Companions<'_>>) -> Result<Vec<u8>, String> {
    if let Some(data) = uri.strip_prefix("data:") {
        let Some((head, body)) = data.split_once(',') else {
            return Err("its data URI has no comma".to_owned());
        };
        if !head.to_ascii_lowercase().ends_with(";base64") {
            return Err("its data URI is not base64".to_owned());
        }
        return BASE64
            .decode(body.trim())
            .map_err(|error| format!("its data URI is not base64: {error}"));
    }
    let shown = excerpt(uri.as_bytes());
    let Some(companions) = companions else {
        return Err(format!(
            "it lies in another file, \"{shown}\", which was not brought along"
        ));
    };
    companions(&percent_decoded(uri)).map_err(|error| format!("\"{shown}\" cannot be read: {error}"))
}

/// Decodes `%20` and similar escapes.
fn percent_decoded(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let byte = digits
            .and_then(|digits| core::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(json: &str, buffers: Vec<Option<Vec<u8>>>) -> Document {
        Document {
            json: serde_json::from_str(json).unwrap(),
            buffers,
        }
    }

    #[test]
    fn both_forms_hold_the_same() {
        let json = r#"{"z": 1, "asset": {"version": "2.0"}, "buffers": [{"byteLength": 5}, {"name": "b", "byteLength": 2}],
            "bufferViews": [{"buffer": 1, "byteOffset": 1, "byteLength": 1}]}"#;
        let before = document(json, vec![Some(vec![1, 2, 3, 4, 5]), Some(vec![9, 8])]);
        let (glb, _) = Document::parse(&before.to_glb(), None).unwrap();
        assert_eq!(glb.buffers, [Some(vec![1, 2, 3, 4, 5, 0, 0, 0, 9, 8])]);
        assert_eq!(glb.json["bufferViews"][0]["byteOffset"], json!(9));
        let (text, _) = Document::parse(&before.to_gltf(), None).unwrap();
        assert_eq!(text.buffers, before.buffers);
        assert_eq!(text.json["z"], before.json["z"]);
        assert!(
            String::from_utf8(before.to_gltf())
                .unwrap()
                .starts_with("{\n  \"z\": 1")
        );
    }

    #[test]
    fn other_files_are_asked_for_by_their_plain_names() {
        let file = br#"{"asset": {"version": "2.0"}, "buffers": [{"uri": "a%20b.bin", "byteLength": 1}]}"#;
        let brought = |name: &str| {
            assert_eq!(name, "a b.bin");
            Ok(vec![7])
        };
        assert_eq!(
            Document::parse(file, Some(&brought)).unwrap().0.buffers,
            [Some(vec![7])]
        );
        let (alone, faults) = Document::parse(file, None).unwrap();
        assert_eq!(alone.buffers, [None]);
        assert!(faults[0].contains("a%20b.bin"));
    }
}
