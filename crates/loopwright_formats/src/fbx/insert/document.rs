//! Changes to the document of an FBX file: unused numbers and names, and lists and counts that grow.

use crate::fbx::{
    animation::Animation,
    error::FbxError,
    name::Name,
    record::{Document, Record},
};

pub(super) fn malformed(detail: &str) -> FbxError {
    FbxError::Malformed {
        detail: detail.to_owned(),
    }
}

/// The file's own record of that name.
pub(super) fn section<'a, 'b>(document: &'b mut Document<'a>, name: &str) -> Result<&'b mut Record<'a>, FbxError> {
    document
        .records
        .iter_mut()
        .find(|record| *record.name == *name.as_bytes())
        .ok_or_else(|| malformed(&format!("no record {name}")))
}

/// A number above those of all objects.
pub(super) fn first_free_id(document: &Document<'_>) -> Result<i64, FbxError> {
    let numbered = document
        .records
        .iter()
        .filter(|record| matches!(&*record.name, b"Objects" | b"Documents"));
    let highest = numbered
        .flat_map(|record| &record.children)
        .filter_map(Record::first_int)
        .max()
        .unwrap_or(0);
    // Leaves room for three numbers for each of a million tracks and more.
    let first = highest.max(0).saturating_add(1);
    if first > i64::MAX - (1 << 40) {
        return Err(malformed("numbers of objects leave no room for more"));
    }
    Ok(first)
}

/// The name, with a number added if an animation has it already.
pub(super) fn free_name(document: &Document<'_>, name: &Name) -> String {
    let objects = document.records.iter().find(|record| *record.name == *b"Objects");
    let is_taken = |name: &str| {
        let wanted = format!("{name}\0\x01AnimStack");
        objects.is_some_and(|objects| {
            let mut stacks = objects
                .children
                .iter()
                .filter(|record| *record.name == *b"AnimationStack");
            stacks.any(|stack| stack.name_of_object() == Some(wanted.as_bytes()))
        })
    };
    core::iter::once(name.whole())
        .chain((2..).map(|number| name.numbered(number)))
        .find(|name| !is_taken(name))
        .unwrap_or_default()
}

/// Adds an animation to the lists of objects, connections, kinds and takes.
pub(super) fn add_animation(document: &mut Document<'_>, animation: Animation) -> Result<(), FbxError> {
    section(document, "Objects")?.extend(animation.objects);
    section(document, "Connections")?.extend(animation.connections);
    for (kind, count) in animation.counts {
        count_objects(document, kind, count)?;
    }
    // Some exporters omit the list of takes; importers then use the objects.
    if let Ok(takes) = section(document, "Takes") {
        takes.extend([animation.take]);
    }
    Ok(())
}

/// Increases the number of objects of a kind, and the total.
pub(super) fn count_objects(document: &mut Document<'_>, kind: &str, more: usize) -> Result<(), FbxError> {
    let definitions = section(document, "Definitions")?;
    let raise = |count: &mut Record<'_>| {
        let before = count
            .first_int()
            .and_then(|count| i32::try_from(count).ok())
            .unwrap_or(0);
        count.set_i32(before.saturating_add(i32::try_from(more).unwrap_or(i32::MAX)));
    };
    if let Some(total) = definitions.child_mut("Count") {
        raise(total);
    }
    let known = definitions
        .children
        .iter_mut()
        .find(|record| *record.name == *b"ObjectType" && record.first_text() == Some(kind.as_bytes()));
    match known.and_then(|known| known.child_mut("Count")) {
        Some(count) => raise(count),
        None => {
            let count = Record::new("Count").i32(i32::try_from(more).unwrap_or(i32::MAX));
            definitions.extend([Record::new("ObjectType").text(kind).with([count])]);
        }
    }
    Ok(())
}
