//! Edits the document of an FBX file: unused numbers and names, and growing lists and counts.

use std::collections::{HashMap, HashSet};

use crate::{
    fbx::{
        animation::{Animation, properties, property},
        error::FbxError,
        fresh::{CUSTOM_TIME_MODE, time_mode},
        record::{Document, Record},
    },
    naming,
};

pub(super) fn malformed(detail: &str) -> FbxError {
    FbxError::Malformed {
        detail: detail.to_owned(),
    }
}

pub(super) fn section<'a, 'b>(document: &'b mut Document<'a>, name: &str) -> Result<&'b mut Record<'a>, FbxError> {
    document
        .records
        .iter_mut()
        .find(|record| *record.name == *name.as_bytes())
        .ok_or_else(|| malformed(&format!("no record {name}")))
}

/// Returns the objects of a file; none if it lacks them.
pub(super) fn objects<'d, 'a>(document: &'d Document<'a>) -> &'d [Record<'a>] {
    let section = document.records.iter().find(|record| *record.name == *b"Objects");
    section.map_or(&[], |section| &section.children)
}

/// Returns a number above those of all objects.
pub(super) fn first_free_id(document: &Document) -> Result<i64, FbxError> {
    let numbered = document
        .records
        .iter()
        .filter(|record| matches!(&*record.name, b"Objects" | b"Documents"))
        .flat_map(|record| &record.children);
    let highest = numbered.filter_map(Record::first_int).max().unwrap_or(0);
    // Leaves room for three numbers for each of a million tracks and more.
    let first = highest.max(0).saturating_add(1);
    if first > i64::MAX - (1 << 40) {
        return Err(malformed("numbers of objects leave no room for more"));
    }
    Ok(first)
}

/// Returns the name, with a number added if another animation uses it.
pub(super) fn free_name(document: &Document, name: &str) -> String {
    naming::free_name(name, |name| {
        let wanted = format!("{name}\0\x01AnimStack");
        objects(document)
            .iter()
            .any(|object| *object.name == *b"AnimationStack" && object.name_of_object() == Some(wanted.as_bytes()))
    })
}

/// Adds an animation to the lists of objects, connections, kinds and takes.
pub(super) fn add_animation(document: &mut Document, animation: Animation) -> Result<(), FbxError> {
    section(document, "Objects")?.extend(animation.objects);
    section(document, "Connections")?.extend(animation.connections);
    for (kind, count) in animation.counts {
        change_count(document, kind, i32::try_from(count).unwrap_or(i32::MAX))?;
    }
    // Some exporters omit the list of takes; importers then use the objects.
    if let Ok(takes) = section(document, "Takes") {
        takes.extend([animation.take]);
    }
    Ok(())
}

/// Returns the objects with a property that any curve of the file moves.
pub(super) fn moved_objects(document: &mut Document) -> Result<HashSet<i64>, FbxError> {
    let links = section(document, "Connections")?.children.iter();
    let of_properties = links.filter(|link| link.first_text() == Some(b"OP"));
    Ok(of_properties
        .filter_map(Record::link)
        .map(|[_, object]| object)
        .collect())
}

/// Removes the animations of these names with their layers and curves.
pub(super) fn remove_animations(document: &mut Document<'_>, is_gone: impl Fn(&[u8]) -> bool) -> Result<(), FbxError> {
    let mut parents: HashMap<i64, Vec<i64>> = HashMap::new();
    for [child, parent] in section(document, "Connections")?
        .children
        .iter()
        .filter_map(Record::link)
    {
        parents.entry(child).or_default().push(parent);
    }
    let objects = section(document, "Objects")?;
    let named = objects.children.iter().filter(|object| {
        let name = object.name_of_object().unwrap_or_default();
        *object.name == *b"AnimationStack" && is_gone(name.strip_suffix(b"\0\x01AnimStack").unwrap_or(name))
    });
    let mut gone: HashSet<i64> = named.filter_map(Record::first_int).collect();
    let mut removed = vec![("AnimationStack", gone.len())];
    let motion = objects
        .children
        .iter()
        .filter(|object| object.name.starts_with(b"Animation"));
    let motion: HashSet<i64> = motion.filter_map(Record::first_int).collect();
    for kind in ["AnimationLayer", "AnimationCurveNode", "AnimationCurve"] {
        let mut count = 0;
        for id in objects
            .children
            .iter()
            .filter(|object| *object.name == *kind.as_bytes())
            .filter_map(Record::first_int)
        {
            // Curve nodes shared with another animation are kept.
            let above = parents.get(&id).map_or(&[][..], Vec::as_slice);
            let mut above = above.iter().filter(|parent| motion.contains(parent)).peekable();
            if above.peek().is_some() && above.all(|parent| gone.contains(parent)) {
                gone.insert(id);
                count += 1;
            }
        }
        removed.push((kind, count));
    }
    let goes = |id: i64| gone.contains(&id);
    objects.children.retain(|object| !object.first_int().is_some_and(goes));
    let connections = &mut section(document, "Connections")?.children;
    connections.retain(|link| !link.link().is_some_and(|ends| ends.into_iter().any(goes)));
    if let Ok(takes) = section(document, "Takes") {
        takes
            .children
            .retain(|take| *take.name != *b"Take" || !take.first_text().is_some_and(&is_gone));
    }
    for (kind, count) in removed {
        change_count(document, kind, -i32::try_from(count).unwrap_or(i32::MAX))?;
    }
    Ok(())
}

/// Makes a file state another unit; all its numbers are unchanged.
pub(super) fn state_unit(document: &mut Document, unit_metres: f64) -> Result<(), FbxError> {
    let centimetres = property("UnitScaleFactor", "double", "Number", "").f64(100.0 * unit_metres);
    state(document, "UnitScaleFactor", centimetres)
}

/// Makes a file state another frame rate, at which programs show its animations; keys are unchanged. Does nothing if it already
/// states that rate.
pub(super) fn state_rate(document: &mut Document, rate_hz: f64) -> Result<(), FbxError> {
    // Without any settings it states no rate.
    if section(document, "GlobalSettings").is_err() {
        return Ok(());
    }
    let (mode, custom_hz) = time_mode(rate_hz);
    let is_stated = setting(document, "TimeMode")?.is_some_and(|entry| entry.ends_in_i32(mode));
    if is_stated && mode != CUSTOM_TIME_MODE {
        return Ok(());
    }
    state(document, "TimeMode", property("TimeMode", "enum", "", "").i32(mode))?;
    let custom = property("CustomFrameRate", "double", "Number", "").f64(custom_hz);
    state(document, "CustomFrameRate", custom)
}

/// Returns a global setting of that name.
fn setting<'d, 'a>(document: &'d mut Document<'a>, name: &str) -> Result<Option<&'d mut Record<'a>>, FbxError> {
    let list = section(document, "GlobalSettings")?.child_mut("Properties70");
    let entries = list.map(|list| list.children.iter_mut());
    Ok(entries
        .into_iter()
        .flatten()
        .find(|entry| entry.first_text() == Some(name.as_bytes())))
}

/// Replaces a global setting of that name, or adds it.
fn state(document: &mut Document, name: &str, entry: Record<'static>) -> Result<(), FbxError> {
    if let Some(known) = setting(document, name)? {
        *known = entry;
        return Ok(());
    }
    let settings = section(document, "GlobalSettings")?;
    match settings.child_mut("Properties70") {
        Some(list) => list.extend([entry]),
        None => settings.extend([properties([entry])]),
    }
    Ok(())
}

/// Changes the number of objects of a kind, and the total.
pub(super) fn change_count(document: &mut Document, kind: &str, more: i32) -> Result<(), FbxError> {
    let definitions = section(document, "Definitions")?;
    let raise = |count: &mut Record<'_>| {
        let before = count
            .first_int()
            .and_then(|count| i32::try_from(count).ok())
            .unwrap_or(0);
        *count = Record::new("Count").i32(before.saturating_add(more).max(0));
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
            let count = Record::new("Count").i32(more.max(0));
            definitions.extend([Record::new("ObjectType").text(kind).with([count])]);
        }
    }
    Ok(())
}
