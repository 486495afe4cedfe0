//! A glTF file as JSON and the bytes of its buffers, in binary or text form.

use std::{collections::HashMap, sync::Arc};

use base64::{Engine as _, alphabet, engine};
use serde_json::{Value, json};

use super::error::GltfError;
use crate::{
    error::ReadError, excerpt::excerpt, limits::SizeLimits, loop_file::json::reason, settings::Companions, text,
};

const MAGIC: &[u8; 4] = b"glTF";
const VERSION: u32 = 2;
const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;
const JSON: &[u8; 4] = b"JSON";
const BIN: &[u8; 4] = b"BIN\0";

/// The start of the URI of an embedded buffer.
const DATA_URI: &str = "data:application/octet-stream;base64,";

/// Accepts missing padding, which some exporters omit.
const BASE64: engine::GeneralPurpose = engine::GeneralPurpose::new(
    &alphabet::STANDARD,
    engine::GeneralPurposeConfig::new()
        .with_decode_padding_mode(engine::DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// A file's complete JSON, and its buffers; those that the file states in one other file are united.
#[handed_over]
pub(crate) struct Document {
    #[handed(with = "crate::handover::json")]
    pub json: Value,
    /// Bytes of each buffer; `None` if they are missing and not needed.
    #[handed(with = "crate::handover::buffers")]
    pub buffers: Vec<Option<Arc<Vec<u8>>>>,
}

impl Document {
    /// Parses a file; compressed views stay as they are.
    ///
    /// Buffers in other files come from `companions`: each file is read once, no further than its buffers need, and all of them
    /// and `bytes` stay within `limits`. A missing buffer is an error only if its contents are needed, see [`Self::buffer`].
    /// Errors: the container or the JSON is invalid, or takes too much memory.
    pub(crate) fn parse(
        bytes: &[u8],
        companions: Option<Companions>,
        limits: &SizeLimits,
    ) -> Result<(Self, Vec<String>), ReadError> {
        let (text, bin) = if bytes.starts_with(MAGIC) {
            chunks(bytes)?
        } else {
            (text::without_byte_order_mark(bytes), None)
        };
        limits.for_file(bytes.len() as u64).check_json(text)?;
        let mut json: Value = serde_json::from_slice(text).map_err(|error| GltfError::Json {
            line: error.line(),
            column: error.column(),
            reason: excerpt(reason(&error)),
        })?;
        let stated = list_in(&json, "buffers");
        let mut others = OtherFiles::new(stated, bytes.len(), companions, limits);
        let (mut faults, mut buffers, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        // The buffer of each other file, or why it cannot be read.
        let mut known: HashMap<String, Result<usize, String>> = HashMap::new();
        for (index, buffer) in stated.iter().enumerate() {
            if !buffer.is_object() {
                return Err(GltfError::form(format!("buffers[{index}]"), "expected an object").into());
            }
            let number = buffers.len();
            let found = match text_in(buffer, "uri") {
                Some(uri) if uri.starts_with(DATA) => decoded(uri),
                Some(uri) => {
                    let name = plain_name(uri);
                    let found = match known.get(&name) {
                        Some(Ok(same)) => {
                            numbers.push(*same);
                            continue;
                        }
                        Some(Err(fault)) => Err(fault.clone()),
                        None => others.read(uri, &name),
                    };
                    known.insert(name, found.as_ref().map(|_| number).map_err(String::clone));
                    found
                }
                None if index == 0 => bin
                    // The chunk is padded; the buffer ends at its stated length.
                    .map(|bin| bin[..stated_length(buffer).min(bin.len())].to_vec())
                    .ok_or_else(|| "it has neither a URI nor a binary chunk".to_owned()),
                None => Err("it has no URI".to_owned()),
            };
            faults.push(found.as_ref().err().cloned().unwrap_or_default());
            buffers.push(found.ok().map(Arc::new));
            numbers.push(number);
        }
        if buffers.len() < numbers.len() {
            unite(&mut json, &numbers, &buffers);
        }
        Ok((Self { json, buffers }, faults))
    }

    /// Returns the array of that name at the top of the JSON; empty if there is none.
    pub(crate) fn list(&self, name: &str) -> &[Value] {
        list_in(&self.json, name)
    }

    /// Returns the bytes of all buffers together.
    pub(crate) fn num_buffer_bytes(&self) -> usize {
        self.buffers.iter().flatten().map(|bytes| bytes.len()).sum()
    }

    /// Returns the binary form: all buffers, and images from the JSON, in one chunk.
    ///
    /// If the bytes of a buffer are missing, that buffer and all except the first are kept as stated.
    pub(crate) fn to_glb(&self) -> Vec<u8> {
        let Self { mut json, buffers } = self.clone();
        let mut bin = buffers.first().cloned().flatten().map(Arc::unwrap_or_clone);
        if buffers.iter().all(Option::is_some) {
            gather(&mut json, &buffers, bin.get_or_insert_default());
        }
        embed(&mut json, &buffers, 1);
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
        let head = [*MAGIC, VERSION.to_le_bytes(), size(length), size(text.len()), *JSON];
        glb.extend_from_slice(head.as_flattened());
        glb.extend_from_slice(&text);
        if let (Some(bin), Some(padded)) = (bin, padded) {
            glb.extend_from_slice([size(padded), *BIN].as_flattened());
            glb.extend_from_slice(&bin);
            glb.resize(length, 0);
        }
        glb
    }

    /// Returns the form as text, with all buffers inside it.
    pub(crate) fn to_gltf(&self) -> Vec<u8> {
        let Self { mut json, buffers } = self.clone();
        embed(&mut json, &buffers, 0);
        // Formatting a tree of values does not fail.
        let mut text = serde_json::to_vec_pretty(&json).unwrap_or_default();
        text.push(b'\n');
        text
    }
}

/// Embeds the buffers from number `first` on in the JSON, so that the file needs no other files.
fn embed(json: &mut Value, buffers: &[Option<Arc<Vec<u8>>>], first: usize) {
    let stated = known_list(json, "buffers").into_iter().flatten();
    for (buffer, bytes) in stated.zip(buffers).skip(first) {
        // Embedded buffers are kept as they are.
        if let Some(bytes) = bytes
            && buffer.get("uri").is_none_or(is_in_other_file)
        {
            buffer["uri"] = format!("{DATA_URI}{}", BASE64.encode(&**bytes)).into();
        }
    }
}

fn is_in_other_file(uri: &Value) -> bool {
    uri.as_str().is_none_or(|uri| !uri.starts_with(DATA))
}

/// Keeps one buffer for each other file, however many the file states; `numbers` says which one stands for each.
fn unite(json: &mut Value, numbers: &[usize], buffers: &[Option<Arc<Vec<u8>>>]) {
    if let Some(stated) = known_list(json, "buffers") {
        let (mut number, mut count) = (numbers.iter(), 0);
        stated.retain(|_| {
            let is_first = number.next() == Some(&count);
            count += usize::from(is_first);
            is_first
        });
        for (buffer, bytes) in stated.iter_mut().zip(buffers) {
            // The longest stated length is as much as was read.
            if let Some(bytes) = bytes
                .as_ref()
                .filter(|_| buffer.get("uri").is_some_and(is_in_other_file))
            {
                buffer["byteLength"] = bytes.len().into();
            }
        }
    }
    each_view(json, |view| {
        if let Some(&number) = index_in(view, "buffer").and_then(|number| numbers.get(number)) {
            view["buffer"] = number.into();
        }
    });
}

/// Changes every part that refers to a buffer.
fn each_view(json: &mut Value, mut change: impl FnMut(&mut Value)) {
    for view in known_list(json, "bufferViews").into_iter().flatten() {
        change(view);
        // Compressed views refer to the buffer of their source.
        let extensions = view.get_mut("extensions").and_then(Value::as_object_mut);
        for (_, extension) in extensions.into_iter().flatten() {
            change(extension);
        }
    }
}

/// Moves all buffers into the first, with images from the JSON, because a binary file should hold as little text as possible.
/// Views are adjusted.
fn gather(json: &mut Value, buffers: &[Option<Arc<Vec<u8>>>], bin: &mut Vec<u8>) {
    let mut starts = vec![0];
    for buffer in buffers.iter().skip(1).flatten() {
        bin.resize(bin.len().next_multiple_of(4), 0);
        starts.push(bin.len());
        bin.extend_from_slice(buffer);
    }
    each_view(json, |view| {
        let buffer = index_in(view, "buffer").filter(|&buffer| buffer > 0);
        if let Some(&start) = buffer.and_then(|buffer| starts.get(buffer)) {
            let offset = view.get("byteOffset").and_then(Value::as_u64).unwrap_or(0);
            view["buffer"] = 0.into();
            view["byteOffset"] = offset.saturating_add(start as u64).into();
        }
    });
    if let Some(stated) = known_list(json, "buffers") {
        stated.truncate(1);
    }
    let mut views = Vec::new();
    let first = list_in(json, "bufferViews").len();
    for image in known_list(json, "images").into_iter().flatten() {
        let Some((kind, bytes)) = text_in(image, "uri").and_then(picture) else {
            continue;
        };
        bin.resize(bin.len().next_multiple_of(4), 0);
        views.push(json!({"buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len()}));
        bin.extend_from_slice(&bytes);
        if let Some(image) = image.as_object_mut() {
            image.shift_remove("uri");
        }
        image["bufferView"] = (first + views.len() - 1).into();
        image["mimeType"] = kind.into();
    }
    if !views.is_empty() {
        list_mut(json, "bufferViews").extend(views);
        let buffers = list_mut(json, "buffers");
        if buffers.is_empty() {
            // Its length is that of the chunk, known at the end.
            buffers.push(json!({"byteLength": 0}));
        }
    }
}

/// Returns the array of that name; empty if it is missing.
fn list_in<'a>(json: &'a Value, name: &str) -> &'a [Value] {
    json.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the array of that name, if it is there.
pub(super) fn known_list<'a>(json: &'a mut Value, name: &str) -> Option<&'a mut Vec<Value>> {
    json.get_mut(name)?.as_array_mut()
}

/// Reads a number from a part, such as the index of another part.
pub(super) fn index_in(part: &Value, key: &str) -> Option<usize> {
    usize::try_from(part.get(key)?.as_u64()?).ok()
}

/// Reads a text from a part, such as its name.
pub(super) fn text_in<'a>(part: &'a Value, key: &str) -> Option<&'a str> {
    part.get(key)?.as_str()
}

/// Returns the array of that name, created if it is missing.
pub(super) fn list_mut<'a>(json: &'a mut Value, name: &str) -> &'a mut Vec<Value> {
    if !json.get(name).is_some_and(Value::is_array) {
        json[name] = Value::Array(Vec::new());
    }
    match &mut json[name] {
        Value::Array(list) => list,
        _ => unreachable!("an array was put there just now"),
    }
}

/// Returns the kind and bytes of a picture in a data URI.
pub(super) fn picture(uri: &str) -> Option<(String, Vec<u8>)> {
    let kind = uri.strip_prefix("data:")?.split_once(";base64,")?.0.to_owned();
    Some((kind, decoded(uri).ok()?))
}

fn stated_length(buffer: &Value) -> usize {
    index_in(buffer, "byteLength").unwrap_or(usize::MAX)
}

/// Returns the JSON and the binary chunk of a binary file.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), GltfError> {
    let version = number_at(bytes, 4)?;
    if version != VERSION as usize {
        return Err(GltfError::GlbVersion { found: version });
    }
    let length = number_at(bytes, 8)?;
    part_at(bytes, 0, length)?;
    let (kind, text) = chunk(bytes, HEADER)?;
    if kind != JSON {
        return Err(GltfError::GlbNoJson);
    }
    // Chunks of other kinds may follow; the format requires readers to skip them.
    let mut at = HEADER + CHUNK_HEADER + text.len();
    while at + CHUNK_HEADER <= length {
        let (kind, data) = chunk(bytes, at)?;
        if kind == BIN {
            return Ok((text, Some(data)));
        }
        at += CHUNK_HEADER + data.len();
    }
    Ok((text, None))
}

/// Returns the bytes of a binary file. Errors: it ends before them.
fn part_at(bytes: &[u8], at: usize, needed: usize) -> Result<&[u8], GltfError> {
    let part = at.checked_add(needed).and_then(|end| bytes.get(at..end));
    part.ok_or_else(|| GltfError::GlbCutOff {
        at,
        needed,
        available: bytes.len().saturating_sub(at),
    })
}

fn number_at(bytes: &[u8], at: usize) -> Result<usize, GltfError> {
    let four = part_at(bytes, at, 4)?.try_into().unwrap_or_default();
    Ok(u32::from_le_bytes(four) as usize)
}

/// Reads the kind of a chunk, and its data.
fn chunk(bytes: &[u8], at: usize) -> Result<(&[u8], &[u8]), GltfError> {
    let size = number_at(bytes, at)?;
    let head = part_at(bytes, at, CHUNK_HEADER)?;
    Ok((&head[4..], part_at(bytes, at + CHUNK_HEADER, size)?))
}

fn size(number: usize) -> [u8; 4] {
    // Sizes beyond four gigabytes are rejected before a file is assembled.
    u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes()
}

/// The start of a data URI.
const DATA: &str = "data:";

/// Returns the bytes in a data URI.
fn decoded(uri: &str) -> Result<Vec<u8>, String> {
    let Some((head, body)) = uri.strip_prefix(DATA).and_then(|data| data.split_once(',')) else {
        return Err("its data URI has no comma".to_owned());
    };
    if !head.to_ascii_lowercase().ends_with(";base64") {
        return Err("its data URI is not base64".to_owned());
    }
    BASE64
        .decode(body.trim())
        .map_err(|error| format!("its data URI is not base64: {error}"))
}

/// The other files that hold buffers. Each is read once, and no further than the longest of its buffers.
struct OtherFiles<'a> {
    companions: Option<Companions<'a>>,
    /// Number of bytes that buffers state, by file; `None` if one of them does not say.
    lengths: HashMap<String, usize>,
    /// Bytes that may still be read.
    left: u64,
    limit: u64,
}

impl<'a> OtherFiles<'a> {
    /// Creates the files of these buffers, in a file of `num_bytes`.
    fn new(stated: &[Value], num_bytes: usize, companions: Option<Companions<'a>>, limits: &SizeLimits) -> Self {
        let mut lengths = HashMap::new();
        for buffer in stated {
            if let Some(uri) = text_in(buffer, "uri").filter(|uri| !uri.starts_with(DATA)) {
                let length = lengths.entry(plain_name(uri)).or_insert(0);
                *length = stated_length(buffer).max(*length);
            }
        }
        let limit = limits.max_input_bytes.min(limits.max_memory_bytes);
        Self {
            companions,
            lengths,
            left: limit.saturating_sub(num_bytes as u64),
            limit,
        }
    }

    /// Reads the bytes of a file of that plain name. Errors: the reason why it cannot be read.
    fn read(&mut self, uri: &str, name: &str) -> Result<Vec<u8>, String> {
        let shown = excerpt(uri);
        let Some(companions) = self.companions else {
            return Err(format!(
                "it lies in another file, \"{shown}\", which was not brought along"
            ));
        };
        let needed = self.lengths.get(name).copied().unwrap_or(usize::MAX) as u64;
        // One more byte shows that the file is longer than allowed.
        let most = needed.min(self.left.saturating_add(1));
        let mut bytes = companions(name, most).map_err(|error| format!("\"{shown}\" cannot be read: {error}"))?;
        bytes.truncate(usize::try_from(needed).unwrap_or(usize::MAX));
        if bytes.len() as u64 > self.left {
            return Err(format!(
                "with \"{shown}\" the file and the files that it names hold more than the limit of {} bytes",
                self.limit
            ));
        }
        self.left -= bytes.len() as u64;
        Ok(bytes)
    }
}

/// Returns the path that a URI names, without redundant parts.
fn plain_name(uri: &str) -> String {
    let decoded = percent_decoded(uri);
    let parts: Vec<&str> = decoded.split('/').filter(|part| *part != ".").collect();
    parts.join("/")
}

/// Decodes `%20` and similar escapes.
pub(crate) fn percent_decoded(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let byte = digits.and_then(|digits| u8::from_str_radix(core::str::from_utf8(digits).ok()?, 16).ok());
        decoded.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(bytes: &[u8], companions: Option<Companions>) -> (Document, Vec<String>) {
        Document::parse(bytes, companions, &SizeLimits::default()).unwrap()
    }

    fn document(json: &str, buffers: Vec<Option<Vec<u8>>>) -> Document {
        Document {
            json: serde_json::from_str(json).unwrap(),
            buffers: buffers.into_iter().map(|bytes| bytes.map(Arc::new)).collect(),
        }
    }

    #[test]
    fn both_forms_hold_the_same() {
        let json = r#"{"z": 1, "asset": {"version": "2.0"}, "buffers": [{"byteLength": 5}, {"name": "b", "byteLength": 2}],
            "bufferViews": [{"buffer": 1, "byteOffset": 1, "byteLength": 1}]}"#;
        let before = document(json, vec![Some(vec![1, 2, 3, 4, 5]), Some(vec![9, 8])]);
        let (glb, _) = parse(&before.to_glb(), None);
        assert_eq!(glb.buffers, [Some(Arc::new(vec![1, 2, 3, 4, 5, 0, 0, 0, 9, 8]))]);
        assert_eq!(glb.json["bufferViews"][0]["byteOffset"], json!(9));
        let (text, _) = parse(&before.to_gltf(), None);
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
        let brought = |name: &str, most: u64| {
            assert_eq!((name, most), ("a b.bin", 1));
            Ok(vec![7])
        };
        assert_eq!(parse(file, Some(&brought)).0.buffers, [Some(Arc::new(vec![7]))]);
        let (alone, faults) = parse(file, None);
        assert_eq!(alone.buffers, [None]);
        assert!(faults[0].contains("a%20b.bin"));
    }

    /// A text of a few kilobytes that names one file a thousand times once took a thousand times its size.
    #[test]
    fn a_file_named_by_many_buffers_is_read_once_and_written_once() {
        let names = ["big.bin", "./big.bin", "%62ig.bin"];
        let buffer = |index: usize| json!({"uri": names[index % 3], "byteLength": 6 + index % 2});
        let stated: Vec<Value> = (0..1000).map(buffer).collect();
        let views: Vec<Value> = (0..1000)
            .map(|index| json!({"buffer": index, "byteLength": 6}))
            .collect();
        let file = json!({"asset": {"version": "2.0"}, "buffers": stated, "bufferViews": views}).to_string();
        let times = std::cell::Cell::new(0);
        let brought = |_: &str, most: u64| {
            times.set(times.get() + 1);
            Ok(vec![7; usize::try_from(most).unwrap()])
        };
        let (read, _) = parse(file.as_bytes(), Some(&brought));
        assert_eq!((times.get(), read.buffers.len(), read.num_buffer_bytes()), (1, 1, 7));
        for written in [read.to_glb(), read.to_gltf()] {
            let (again, _) = parse(&written, None);
            assert_eq!(again.buffers, [Some(Arc::new(vec![7; 7]))]);
            assert_eq!(again.json["bufferViews"][999]["buffer"], json!(0));
            assert_eq!(again.json["buffers"][0]["byteLength"], json!(7));
        }
    }

    #[test]
    fn all_files_together_stay_within_the_limit() {
        let file = br#"{"buffers": [{"uri": "a", "byteLength": 60}, {"uri": "b", "byteLength": 60}, {"uri": "c"}]}"#;
        let limits = SizeLimits {
            max_input_bytes: file.len() as u64 + 100,
            ..SizeLimits::default()
        };
        let endless = |_: &str, most: u64| Ok(vec![7; usize::try_from(most.min(1 << 20)).unwrap()]);
        let (read, faults) = Document::parse(file, Some(&endless), &limits).unwrap();
        assert_eq!(read.num_buffer_bytes(), 60);
        assert!(faults[1].contains("more than the limit"), "{}", faults[1]);
        assert!(faults[2].contains("more than the limit"), "{}", faults[2]);
    }

    #[test]
    fn text_of_many_small_values_is_refused_before_it_fills_memory() {
        let file = format!("{{\"extras\": [{}0]}}", "0,".repeat(100_000));
        let limits = SizeLimits {
            max_memory_bytes: 1 << 20,
            ..SizeLimits::default()
        };
        let refused = Document::parse(file.as_bytes(), None, &limits);
        assert!(
            matches!(
                refused,
                Err(ReadError::Memory(crate::MemoryError { limit: 0x10_0000, .. }))
            ),
            "{refused:?}"
        );
    }
}
