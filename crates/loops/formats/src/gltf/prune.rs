//! Removes animations from a file, with the bytes that only they need.
//!
//! Numbers of the remaining parts do not change, because unknown extensions may refer to them: removing an entry from the middle
//! of a list leaves an empty entry.

use std::{collections::HashSet, sync::Arc};

use serde_json::{Value, json};

use super::container::{Document, index_in, list_mut};

/// Returns the file without its animations, except for the one with this number.
pub(super) fn with_animation(all: &Document, number: Option<usize>) -> Document {
    let animations = all.list("animations");
    let kept = number.filter(|&number| number < animations.len());
    // A file of many is reduced to each of them: the others are not copied first.
    let json = match &all.json {
        Value::Object(file) => {
            let parts = file.iter().filter_map(|(name, part)| match (name.as_str(), kept) {
                ("animations", Some(kept)) => Some((name.clone(), json!([animations[kept]]))),
                ("animations", None) => None,
                _ => Some((name.clone(), part.clone())),
            });
            Value::Object(parts.collect())
        }
        other => other.clone(),
    };
    let mut reduced = Document {
        json,
        buffers: all.buffers.clone(),
    };
    let document = &mut reduced;
    let mut of_gone = HashSet::new();
    for (index, animation) in animations.iter().enumerate() {
        if Some(index) != kept {
            samplers(animation, &mut of_gone);
        }
    }
    of_gone.retain(is_not_in(accessors_used(document)));
    let accessors = list_mut(&mut document.json, "accessors");
    let mut views = HashSet::new();
    of_gone
        .iter()
        .filter_map(|&accessor| accessors.get(accessor))
        .for_each(|accessor| under_key(accessor, "bufferView", &mut views));
    remove(
        accessors,
        &of_gone,
        &json!({"componentType": 5126, "count": 1, "type": "SCALAR"}),
    );
    let mut used = HashSet::new();
    under_key(&document.json, "bufferView", &mut used);
    views.retain(is_not_in(used));
    if !names_bytes_elsewhere(document) {
        let stated = list_mut(&mut document.json, "bufferViews");
        remove(stated, &views, &json!({"buffer": 0, "byteLength": 1}));
        keep_used_bytes(document);
    }
    reduced
}

/// Whether extensions of views may refer to other bytes.
fn names_bytes_elsewhere(document: &Document) -> bool {
    let mut views = document.list("bufferViews").iter();
    views.any(|view| view.get("extensions").is_some())
}

/// Removes the bytes from all buffers that no view needs.
pub(super) fn keep_used_bytes(document: &mut Document) {
    if names_bytes_elsewhere(document) {
        return;
    }
    for buffer in 0..document.buffers.len() {
        cut(document, buffer);
    }
}

fn is_not_in(others: HashSet<usize>) -> impl Fn(&usize) -> bool {
    move |number| !others.contains(number)
}

/// Collects the accessors of an animation.
fn samplers(animation: &Value, into: &mut HashSet<usize>) {
    under_key(animation, "input", into);
    under_key(animation, "output", into);
}

/// Returns the accessors that the file needs, possibly with some more.
fn accessors_used(document: &Document) -> HashSet<usize> {
    let mut used = HashSet::new();
    document
        .list("animations")
        .iter()
        .for_each(|each| samplers(each, &mut used));
    document
        .list("meshes")
        .iter()
        .for_each(|mesh| integers(mesh, &mut used));
    for skin in document.list("skins") {
        under_key(skin, "inverseBindMatrices", &mut used);
    }
    let extended = document.list("nodes").iter().filter_map(|node| node.get("extensions"));
    extended.for_each(|extensions| integers(extensions, &mut used));
    used
}

/// Collects all whole numbers in a part of the file.
fn integers(part: &Value, into: &mut HashSet<usize>) {
    match part {
        Value::Array(list) => list.iter().for_each(|each| integers(each, into)),
        Value::Object(map) => map.values().for_each(|each| integers(each, into)),
        other => into.extend(other.as_u64().and_then(|number| usize::try_from(number).ok())),
    }
}

/// Collects all whole numbers below a key, at any depth.
fn under_key(part: &Value, key: &str, into: &mut HashSet<usize>) {
    match part {
        Value::Array(list) => list.iter().for_each(|each| under_key(each, key, into)),
        Value::Object(map) => {
            for (name, each) in map {
                if name == key {
                    integers(each, into);
                } else {
                    under_key(each, key, into);
                }
            }
        }
        _ => {}
    }
}

/// Removes entries of a list: entries at its end are dropped, others are emptied.
fn remove(list: &mut Vec<Value>, gone: &HashSet<usize>, empty: &Value) {
    while list.len().checked_sub(1).is_some_and(|last| gone.contains(&last)) {
        list.pop();
    }
    for &number in gone {
        if let Some(entry) = list.get_mut(number) {
            entry.clone_from(empty);
        }
    }
}

/// Removes the bytes from a buffer that no view needs.
fn cut(document: &mut Document, buffer: usize) {
    let Some(Some(bytes)) = document.buffers.get(buffer) else {
        return;
    };
    let views = document.list("bufferViews").iter();
    let ranges = views
        .filter(|view| index_in(view, "buffer") == Some(buffer))
        .map(|view| {
            let start = index_in(view, "byteOffset").unwrap_or(0);
            start
                ..start
                    .saturating_add(index_in(view, "byteLength").unwrap_or(0))
                    .min(bytes.len())
        });
    let mut kept: Vec<_> = ranges.collect();
    kept.retain(|range| !range.is_empty());
    kept.sort_by_key(|range| range.start);
    // Views may share bytes.
    let mut parts: Vec<core::ops::Range<usize>> = Vec::new();
    for range in kept {
        match parts.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => parts.push(range),
        }
    }
    let mut fewer = Vec::new();
    let mut moved = Vec::new();
    for part in parts {
        // Data is aligned to the size of its numbers.
        fewer.resize(fewer.len().next_multiple_of(4) + part.start % 4, 0);
        moved.push((part.clone(), fewer.len()));
        fewer.extend_from_slice(&bytes[part]);
    }
    // A buffer must not be empty.
    fewer.resize(fewer.len().next_multiple_of(4).max(4), 0);
    if fewer.len() >= bytes.len() {
        return;
    }
    let views = list_mut(&mut document.json, "bufferViews").iter_mut();
    for view in views.filter(|view| index_in(view, "buffer") == Some(buffer)) {
        let start = index_in(view, "byteOffset").unwrap_or(0);
        if let Some((part, at)) = moved.iter().find(|(part, _)| part.contains(&start)) {
            view["byteOffset"] = (at + start - part.start).into();
        }
    }
    if let Some(stated) = list_mut(&mut document.json, "buffers").get_mut(buffer) {
        stated["byteLength"] = fewer.len().into();
        if let Some(stated) = stated.as_object_mut() {
            stated.shift_remove("uri");
        }
    }
    document.buffers[buffer] = Some(Arc::new(fewer));
}
