//! Edits the JSON of a file and keeps everything else in it.

use std::{collections::HashMap, sync::Arc};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    accessor::Accessors,
    container::{Document, known_list, list_mut, text_in},
    parts::{Animation, Target, Transform, parts},
    source::GltfJoint,
};

/// The key of loopwright's data in `extras`.
const EXTRA: &str = "loopwright";

const ADDED_ROOT: &str = "root";

/// An index of the animations of a file and the properties they move, so that many can be added without scanning all of them for
/// each.
#[derive(Default)]
pub(crate) struct Animations {
    /// The first animation of each name.
    places: HashMap<String, usize>,
    /// The name of the animation that moves a property of a node; `None` if several do.
    moved: HashMap<(usize, String), Option<String>>,
}

impl Animations {
    pub(crate) fn of(document: &Document) -> Self {
        let mut all = Self::default();
        for (place, animation) in document.list("animations").iter().enumerate() {
            all.note(place, animation);
        }
        all
    }

    fn note(&mut self, place: usize, animation: &Value) {
        let name = text_in(animation, "name");
        if let Some(name) = name {
            self.places.entry(name.to_owned()).or_insert(place);
        }
        let channels = animation.get("channels").and_then(Value::as_array);
        for channel in channels.into_iter().flatten() {
            if let Ok(Target { node: Some(node), path }) = Target::deserialize(&channel["target"]) {
                let by = self.moved.entry((node, path));
                let by = by.or_insert_with(|| name.map(str::to_owned));
                if by.as_deref() != name {
                    *by = None;
                }
            }
        }
    }

    /// Whether an animation of that name exists that is not one of our loops, or the loop of a body with other nodes.
    pub(crate) fn has_foreign(&self, document: &Document, name: &str, joints: &[GltfJoint]) -> bool {
        self.places.get(name).is_some_and(|&place| {
            let animation = &document.list("animations")[place];
            let channels = animation["channels"].as_array().into_iter().flatten();
            let mut nodes = channels.filter_map(|channel| channel["target"]["node"].as_u64());
            // The facts of a loop that we wrote have a candidate.
            extra_in(animation).is_none_or(|facts| facts.get("candidate").is_none())
                || !nodes.any(|node| joints.iter().any(|joint| joint.node == Some(node as usize)))
        })
    }

    /// Whether an animation of another name moves a property of a node.
    pub(crate) fn move_elsewhere(&self, node: usize, path: &str, name: &str) -> bool {
        let by = self.moved.get(&(node, path.to_owned()));
        by.is_some_and(|by| by.as_deref() != Some(name))
    }

    /// Adds an animation, replacing those of the same name.
    pub(crate) fn set(&mut self, document: &mut Document, name: &str, animation: Value) {
        let animations = list_mut(&mut document.json, "animations");
        let Some(&place) = self.places.get(name) else {
            self.note(animations.len(), &animation);
            animations.push(animation);
            return;
        };
        let mut index = 0;
        animations.retain(|animation| {
            index += 1;
            index <= place || text_in(animation, "name") != Some(name)
        });
        animations.insert(place, animation);
        *self = Self::of(document);
    }

    /// Writes `facts` into the extras of the animation of that name.
    pub(crate) fn set_extra(&self, document: &mut Document, name: &str, facts: Value) {
        if let Some(&place) = self.places.get(name) {
            list_mut(&mut document.json, "animations")[place]["extras"] = json!({ EXTRA: facts });
        }
    }
}

/// Returns the value that [`Animations::set_extra`] wrote into the animation of that name.
pub(crate) fn extra<'a>(animations: &'a [Value], name: &str) -> Option<&'a Value> {
    let mut all = animations.iter();
    extra_in(all.find(|animation| text_in(animation, "name") == Some(name))?)
}

/// The value that [`Animations::set_extra`] wrote into this animation.
pub(super) fn extra_in(animation: &Value) -> Option<&Value> {
    animation.get("extras")?.get(EXTRA)
}

pub(crate) fn mark_root(json: &mut Value, node: usize) {
    json["nodes"][node]["extras"] = json!({ EXTRA: ADDED_ROOT });
}

/// Whether a node is a root that was added for an earlier loop.
pub(crate) fn is_added_root(json: &Value, node: usize) -> bool {
    let extra = json["nodes"][node]["extras"][EXTRA].as_str();
    extra == Some(ADDED_ROOT)
}

/// Inserts a new node between `tops`, which are roots or have one parent, and their parent; returns its number.
pub(crate) fn insert_above(json: &mut Value, tops: &[usize], name: &str) -> usize {
    let nodes = list_mut(json, "nodes");
    let new = nodes.len();
    for node in nodes.iter_mut() {
        if let Some(children) = known_list(node, "children") {
            replace(children, tops, new);
        }
    }
    nodes.push(json!({"name": name, "children": tops}));
    for scene in known_list(json, "scenes").into_iter().flatten() {
        if let Some(roots) = known_list(scene, "nodes") {
            replace(roots, tops, new);
        }
    }
    new
}

/// Replaces the first of the old numbers by the new one and removes the others.
fn replace(numbers: &mut Vec<Value>, old: &[usize], new: usize) {
    let is_old = |number: &Value| {
        number
            .as_u64()
            .is_some_and(|number| old.iter().any(|&old| old as u64 == number))
    };
    if let Some(index) = numbers.iter().position(is_old) {
        numbers.retain(|number| !is_old(number));
        numbers.insert(index, new.into());
    }
}

/// Decomposes a matrix, because nodes with a matrix cannot be animated.
pub(crate) fn part_transform(json: &mut Value, node: usize, transform: &Transform) {
    let Some(node) = json["nodes"].get_mut(node) else {
        return;
    };
    if node
        .as_object_mut()
        .is_some_and(|node| node.shift_remove("matrix").is_some())
    {
        node["translation"] = json!(transform.translation.to_array());
        node["rotation"] = json!(transform.rotation.to_array());
        node["scale"] = json!(transform.scale.to_array());
    }
}

/// Paths of all other files that a file needs.
pub(crate) fn outside_files(document: &Document) -> Vec<String> {
    let images = document.list("images").iter();
    let buffers = document
        .list("buffers")
        .iter()
        .zip(&document.buffers)
        .filter(|(_, bytes)| bytes.is_none());
    images
        .chain(buffers.map(|(buffer, _)| buffer))
        .filter_map(|part| text_in(part, "uri"))
        .filter(|uri| !uri.starts_with("data:"))
        .map(str::to_owned)
        .collect()
}

/// Returns the names of the animations that contain invalid numbers, as far as their accessors can be read.
pub(crate) fn unfit_animations(document: &Document) -> Vec<String> {
    let accessors = Accessors::new(document, &[], 0);
    let animations: Vec<Animation> = parts(document, "animations").unwrap_or_default();
    let unfit = animations.into_iter().enumerate().filter(|(_, animation)| {
        animation.samplers.iter().any(|sampler| {
            let values = accessors.values_in(sampler.output, &["SCALAR", "VEC3", "VEC4"], "animations");
            values.is_ok_and(|(values, _)| values.iter().any(|value| !value.is_finite()))
        })
    });
    unfit
        .map(|(index, animation)| animation.name.unwrap_or_else(|| index.to_string()))
        .collect()
}

/// Numbers to be written into a buffer: one view over all of them, one accessor per push.
pub(crate) struct Data<'a> {
    document: &'a mut Document,
    is_binary: bool,
    bytes: Vec<u8>,
    accessors: Vec<Value>,
    first: usize,
    view: usize,
}

impl<'a> Data<'a> {
    pub(crate) fn new(document: &'a mut Document, is_binary: bool) -> Self {
        let (first, view) = (document.list("accessors").len(), document.list("bufferViews").len());
        Self {
            document,
            is_binary,
            bytes: Vec::new(),
            accessors: Vec::new(),
            first,
            view,
        }
    }

    /// Adds times, with their bounds as the format requires; returns the number of their accessor.
    pub(crate) fn push_times(&mut self, times: &[f32]) -> usize {
        let accessor = self.push(times.iter().map(|time| [*time]));
        if let Some(stated) = self.accessors.last_mut() {
            for (key, time) in [("min", times.first()), ("max", times.last())] {
                stated[key] = json!([time.map_or(0.0, |time| f64::from(*time))]);
            }
        }
        accessor
    }

    /// Adds elements; returns the number of their accessor.
    pub(crate) fn push<const WIDTH: usize>(&mut self, elements: impl IntoIterator<Item = [f32; WIDTH]>) -> usize {
        let start = self.bytes.len();
        let numbers = elements.into_iter().flatten();
        self.bytes.extend(numbers.flat_map(f32::to_le_bytes));
        let shape = match WIDTH {
            1 => "SCALAR",
            3 => "VEC3",
            _ => "VEC4",
        };
        self.accessors.push(json!({
            "bufferView": self.view,
            "byteOffset": start,
            "componentType": 5126,
            "count": (self.bytes.len() - start) / (4 * WIDTH),
            "type": shape,
        }));
        self.first + self.accessors.len() - 1
    }

    /// Appends everything to the file: to the binary chunk of a binary file, else as a separate buffer.
    pub(crate) fn finish(self) {
        let Document { json, buffers } = self.document;
        let length = self.bytes.len();
        let stated = list_mut(json, "buffers");
        let appends = self.is_binary && buffers.first().is_some_and(Option::is_some);
        let (buffer, offset) = if appends {
            let bytes = Arc::make_mut(buffers[0].get_or_insert_default());
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            let offset = bytes.len();
            bytes.extend_from_slice(&self.bytes);
            stated[0]["byteLength"] = bytes.len().into();
            (0, offset)
        } else {
            stated.push(json!({"byteLength": length}));
            buffers.push(Some(Arc::new(self.bytes)));
            (buffers.len() - 1, 0)
        };
        list_mut(json, "bufferViews").push(json!({
            "buffer": buffer,
            "byteOffset": offset,
            "byteLength": length,
        }));
        list_mut(json, "accessors").extend(self.accessors);
    }
}
