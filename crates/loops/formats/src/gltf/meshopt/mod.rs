//! Decompresses buffers that use EXT_meshopt_compression or KHR_meshopt_compression.
//!
//! A compressed view refers to the compressed bytes and to the place of the decompressed ones. They are decompressed into that
//! place, as if the file came with the fallback buffer for readers without the extension; the extension and the compressed bytes
//! are then removed. Such a file is therefore written without compression.

use std::{collections::BTreeMap, sync::Arc};

use serde::Deserialize;
use serde_json::Value;

use super::{
    accessor::View,
    container::{Document, known_list},
    error::{GltfError, StreamFault},
    parts, prune,
};
use crate::{error::ReadError, limits::SizeLimits, settings::Companions};

mod filters;
mod streams;

/// The names of the extension: the original, and its successor.
const EXTENSIONS: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// A compressed view.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Compressed {
    buffer: usize,
    #[serde(default)]
    byte_offset: usize,
    byte_length: usize,
    byte_stride: usize,
    count: usize,
    mode: String,
    #[serde(default)]
    filter: Option<String>,
}

/// Implements [`Document::parse`] with all views decompressed.
pub(super) fn document(
    bytes: &[u8],
    companions: Option<Companions>,
    limits: &SizeLimits,
) -> Result<(Document, Vec<String>), ReadError> {
    let (mut document, faults) = Document::parse(bytes, companions, limits)?;
    let limits = limits.for_file((bytes.len() + document.num_buffer_bytes()) as u64);
    decompress(&mut document, &limits)?;
    Ok((document, faults))
}

/// Decompresses all views. Buffers without bytes that views are decompressed into exist afterwards; views whose compressed bytes
/// are missing are left as they are. Errors: streams are damaged, or take more memory than the limits allow.
fn decompress(document: &mut Document, limits: &SizeLimits) -> Result<(), ReadError> {
    let Document { json, buffers } = document;
    let views = known_list(json, "bufferViews");
    let mut places: Vec<Option<Vec<u8>>> = vec![None; buffers.len()];
    // Ends of views by their starts.
    let mut taken: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut needed = 0_u64;
    let (mut is_left, mut has_any) = (false, false);
    for (index, view) in views.into_iter().flatten().enumerate() {
        let at = format!("bufferViews[{index}]");
        let Some((name, compressed)) = compressed(view, &at)? else {
            continue;
        };
        has_any = true;
        let place: View = parts::form(view, || at.clone())?;
        GltfError::check_index(place.buffer, buffers.len(), || format!("{at}.buffer"))?;
        GltfError::check_index(compressed.buffer, buffers.len(), || {
            format!("{at}.extensions.{name}.buffer")
        })?;
        if buffers[place.buffer].is_none() {
            let Some(stored) = buffers[compressed.buffer].clone() else {
                is_left = true;
                continue;
            };
            let stream = GltfError::part(&stored, compressed.byte_offset, compressed.byte_length, || {
                format!("{at}.extensions.{name}")
            })?;
            let length = compressed.count.saturating_mul(compressed.byte_stride);
            let end = place.byte_offset.saturating_add(length.max(place.byte_length));
            // All elements, and their buffer, which grows to its stated end.
            let into = places[place.buffer].get_or_insert_default();
            needed = needed.saturating_add(end.saturating_sub(into.len()) as u64);
            limits.check_room(needed.saturating_add(2 * length as u64))?;
            let elements = elements(&compressed, stream).map_err(|fault| GltfError::Damaged { view: index, fault })?;
            let start = place.byte_offset;
            let mut end_of_view = start + elements.len();
            into.resize(end.max(into.len()), 0);
            let into = &mut into[start..end_of_view];
            let before = taken.range(..(place.buffer, end_of_view)).next_back();
            if let Some((_, &other)) = before.filter(|(at, other)| at.0 == place.buffer && **other > start) {
                if *into != elements[..] {
                    let fault = StreamFault::Overlaps;
                    return Err(GltfError::Damaged { view: index, fault }.into());
                }
                end_of_view = other.max(end_of_view);
            }
            taken.insert((place.buffer, start), end_of_view);
            into.copy_from_slice(&elements);
        }
        forget(view, name);
    }
    for (index, place) in places.into_iter().enumerate() {
        if let Some(bytes) = place {
            json["buffers"][index]["byteLength"] = bytes.len().into();
            buffers[index] = Some(Arc::new(bytes));
        }
    }
    if has_any && !is_left {
        forget_everywhere(json);
        prune::keep_used_bytes(document);
    }
    Ok(())
}

/// Returns the compression extension of a view; `None` for a view of plain bytes.
fn compressed(view: &Value, at: &str) -> Result<Option<(&'static str, Compressed)>, GltfError> {
    let mut names = EXTENSIONS.into_iter();
    let Some((name, stated)) = names.find_map(|name| Some((name, view.get("extensions")?.get(name)?))) else {
        return Ok(None);
    };
    let compressed = parts::form(stated, || format!("{at}.extensions.{name}"))?;
    Ok(Some((name, compressed)))
}

/// Returns the elements of a view.
fn elements(view: &Compressed, stream: &[u8]) -> Result<Vec<u8>, StreamFault> {
    let indices = |decode: fn(&[u8], usize) -> Result<Vec<u32>, StreamFault>| {
        let are_short = match view.byte_stride {
            2 => true,
            4 => false,
            found => return Err(StreamFault::Stride { found }),
        };
        let indices = decode(stream, view.count)?.into_iter();
        Ok(if are_short {
            indices.flat_map(|index| (index as u16).to_le_bytes()).collect()
        } else {
            indices.flat_map(u32::to_le_bytes).collect()
        })
    };
    match view.mode.as_str() {
        "ATTRIBUTES" => {
            let mut elements = streams::attributes(stream, view.count, view.byte_stride)?;
            let filter = view.filter.as_deref().unwrap_or("NONE");
            filters::apply(filter, &mut elements, view.byte_stride)?;
            Ok(elements)
        }
        "TRIANGLES" => indices(streams::triangles),
        "INDICES" => indices(streams::sequence),
        _ => Err(StreamFault::Kind),
    }
}

/// Removes an extension from a part.
fn forget(part: &mut Value, name: &str) {
    let Some(part) = part.as_object_mut() else { return };
    if let Some(extensions) = part.get_mut("extensions").and_then(Value::as_object_mut) {
        extensions.shift_remove(name);
        if extensions.is_empty() {
            part.shift_remove("extensions");
        }
    }
}

/// Removes the extension from buffers and from the lists of used extensions.
fn forget_everywhere(json: &mut Value) {
    for buffer in known_list(json, "buffers").into_iter().flatten() {
        EXTENSIONS.into_iter().for_each(|name| forget(buffer, name));
    }
    for list in ["extensionsUsed", "extensionsRequired"] {
        let Some(names) = known_list(json, list) else { continue };
        names.retain(|name| name.as_str().is_none_or(|name| !EXTENSIONS.contains(&name)));
        if names.is_empty()
            && let Some(file) = json.as_object_mut()
        {
            file.shift_remove(list);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elements of zero bytes take none of the allowed memory, however many there are.
    #[test]
    fn indices_without_bytes_are_refused_before_they_are_decoded() {
        for mode in ["INDICES", "TRIANGLES"] {
            let view = Compressed {
                buffer: 0,
                byte_offset: 0,
                byte_length: 0,
                byte_stride: 0,
                count: usize::MAX / 3 * 3,
                mode: mode.to_owned(),
                filter: None,
            };
            let stream = [0xd1, 0, 0, 0, 0];
            assert_eq!(elements(&view, &stream), Err(StreamFault::Stride { found: 0 }));
        }
    }
}
