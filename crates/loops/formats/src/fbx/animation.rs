//! An animation as records: stack, layer, curve nodes, curves, and their connections.

use super::record::Record;
use crate::settings::KeyInterpolation;

/// Ticks of a file's clock per second; files of some later versions state fewer.
pub(crate) const TICKS_PER_SEC: f64 = 46_186_158_000.0;

/// Latest time that is written, in seconds: far below the range of 64-bit ticks.
pub(crate) const MAX_SECS: f64 = 1e8;

/// The property of a node that a track animates.
#[handed_over(Copy)]
pub(crate) enum Property {
    /// The translation, in the file's unit.
    Translation,
    /// The rotation, in degrees.
    Rotation,
    /// The scale, as a factor.
    Scaling,
    /// The weight of a blend shape, in percent: the first value of a track.
    DeformPercent,
}

impl Property {
    pub(crate) fn name(self) -> &'static str {
        self.words().0
    }

    /// Returns its name, the name of its curve node, as used by exporters, and its components, each with a curve of its own.
    fn words(self) -> (&'static str, &'static str, &'static [&'static str]) {
        const XYZ: &[&str] = &["d|X", "d|Y", "d|Z"];
        match self {
            Self::Translation => ("Lcl Translation", "T\0\x01AnimCurveNode", XYZ),
            Self::Rotation => ("Lcl Rotation", "R\0\x01AnimCurveNode", XYZ),
            Self::Scaling => ("Lcl Scaling", "S\0\x01AnimCurveNode", XYZ),
            Self::DeformPercent => (
                "DeformPercent",
                "DeformPercent\0\x01AnimCurveNode",
                &["d|DeformPercent"],
            ),
        }
    }
}

/// Values of one property of one node, or of one channel of shapes, one for each key.
pub(crate) struct Track {
    pub node: i64,
    pub property: Property,
    pub values: Vec<[f64; 3]>,
}

/// Position and rotation of a node, always together.
///
/// Readers that search sorted lists of curves, such as ufbx 0.11, would use another node's curves for those that a node lacks.
pub(crate) fn transform_tracks(node: i64, positions: Vec<[f64; 3]>, turns: Vec<[f64; 3]>) -> [Track; 2] {
    [(Property::Translation, positions), (Property::Rotation, turns)].map(|(property, values)| Track {
        node,
        property,
        values,
    })
}

impl Track {
    /// Whether all values are equal as written, so that one key suffices.
    fn is_still(&self) -> bool {
        self.values.windows(2).all(|pair| {
            let [one, next] = [pair[0], pair[1]].map(|value| value.map(|part| (part as f32).to_bits()));
            one == next
        })
    }
}

/// The records of one animation, and the number of objects of each kind.
pub(crate) struct Animation {
    pub objects: Vec<Record<'static>>,
    pub connections: Vec<Record<'static>>,
    /// The entry of the list of takes.
    pub take: Record<'static>,
    /// Kinds of objects with their numbers.
    pub counts: [(&'static str, usize); 4],
}

/// The interpolation between keys: linear, as is usual for dense keys, or none.
const LINEAR: i32 = 0x4;
const CONSTANT: i32 = 0x2;

/// An animation to be written.
pub(crate) struct NewAnimation<'a> {
    pub name: &'a str,
    /// Times of its keys, in ticks.
    pub times: &'a [i64],
    /// Whether tracks that do not move have one key.
    ///
    /// One track keeps all its keys, so that the animation keeps its length.
    pub has_short_tracks: bool,
    pub interpolation: KeyInterpolation,
    /// Tracks with one value for each key.
    pub tracks: Vec<Track>,
}

impl NewAnimation<'_> {
    /// Returns its records, whose objects are numbered from `first_id` on.
    pub(crate) fn records(self, first_id: i64) -> Animation {
        let Self { name, times, .. } = self;
        let end = times.last().copied().unwrap_or(0);
        let (stack, layer) = (first_id, first_id + 1);
        let range = [
            ("LocalStart", 0),
            ("LocalStop", end),
            ("ReferenceStart", 0),
            ("ReferenceStop", end),
        ]
        .map(|(name, time)| property(name, "KTime", "Time", "").i64(time));
        let mut objects = vec![
            object("AnimationStack", stack, &format!("{name}\0\x01AnimStack")).with([properties(range)]),
            object("AnimationLayer", layer, "BaseLayer\0\x01AnimLayer").with([]),
        ];
        let mut connections = vec![connect(layer, stack)];
        let num_tracks = self.tracks.len();
        let mut next_id = layer + 1;
        let mut needs_long = self.tracks.iter().all(Track::is_still);
        let flags = match self.interpolation {
            KeyInterpolation::Linear => LINEAR,
            KeyInterpolation::Step => CONSTANT,
        };
        let all_times = Record::new("KeyTime").i64s(times);
        let first_time = Record::new("KeyTime").i64s(&times[..times.len().min(1)]);
        for track in self.tracks {
            let is_short = self.has_short_tracks && track.is_still() && !core::mem::take(&mut needs_long);
            let key_time = if is_short { &first_time } else { &all_times };
            let num_keys = if is_short { 1 } else { times.len() };
            let values = &track.values[..num_keys.min(track.values.len())];
            let first = values.first().copied().unwrap_or_default();
            // The node of its curves, and after it the curve of each axis.
            let node = next_id;
            let (name, short, axes) = track.property.words();
            let defaults = axes
                .iter()
                .zip(first)
                .map(|(axis, value)| property(axis, "Number", "", "A").f64(value));
            objects.push(object("AnimationCurveNode", node, short).with([properties(defaults)]));
            connections.push(connect(node, layer));
            connections.push(connect_property(node, track.node, name));
            // Curves of all axes of a property have the same keys, because three.js (0.187, `FBXLoader.js`) reads them together.
            for (index, axis) in axes.iter().enumerate() {
                next_id += 1;
                let values: Vec<f32> = values.iter().map(|value| value[index] as f32).collect();
                objects.push(object("AnimationCurve", next_id, "\0\x01AnimCurve").with([
                    Record::new("Default").f64(first[index]),
                    Record::new("KeyVer").i32(4008),
                    key_time.clone(),
                    Record::new("KeyValueFloat").f32s(&values),
                    // One entry applies to all keys.
                    Record::new("KeyAttrFlags").i32s(&[flags]),
                    Record::new("KeyAttrDataFloat").f32s(&[0.0; 4]),
                    Record::new("KeyAttrRefCount").i32s(&[num_keys as i32]),
                ]));
                connections.push(connect_property(next_id, node, axis));
            }
            next_id += 1;
        }
        let num_curves = (next_id - first_id) as usize - 2 - num_tracks;
        Animation {
            objects,
            connections,
            take: Record::new("Take").text(name).with([
                Record::new("FileName").text(&format!("{name}.tak")),
                Record::new("LocalTime").i64(0).i64(end),
                Record::new("ReferenceTime").i64(0).i64(end),
            ]),
            counts: [
                ("AnimationStack", 1),
                ("AnimationLayer", 1),
                ("AnimationCurveNode", num_tracks),
                ("AnimationCurve", num_curves),
            ],
        }
    }
}

/// An object of an animation, still without its contents.
fn object(class: &'static str, id: i64, name: &str) -> Record<'static> {
    Record::new(class).i64(id).text(name).text("")
}

/// One entry of a list of properties, still without its values.
pub(crate) fn property(name: &str, kind: &str, label: &str, flags: &str) -> Record<'static> {
    Record::new("P").text(name).text(kind).text(label).text(flags)
}

pub(crate) fn properties(entries: impl IntoIterator<Item = Record<'static>>) -> Record<'static> {
    Record::new("Properties70").with(entries)
}

pub(crate) fn connect(child: i64, parent: i64) -> Record<'static> {
    Record::new("C").text("OO").i64(child).i64(parent)
}

/// Connects an object to a property of another.
fn connect_property(child: i64, parent: i64, property: &str) -> Record<'static> {
    Record::new("C").text("OP").i64(child).i64(parent).text(property)
}

/// Returns the two objects of a node: its `NodeAttribute`, which is numbered `id + 1` and holds `attribute`, and its `Model`, which is
/// numbered `id` and has the properties `entries`.
pub(crate) fn attribute_and_model(
    id: i64,
    name: &str,
    kind: &str,
    attribute: impl IntoIterator<Item = Record<'static>>,
    entries: impl IntoIterator<Item = Record<'static>>,
) -> [Record<'static>; 2] {
    let object = |class: &'static str, id: i64| {
        let named = Record::new(class).i64(id).text(&format!("{name}\0\x01{class}"));
        named.text(kind)
    };
    [
        object("NodeAttribute", id + 1).with(attribute),
        object("Model", id).with([
            Record::new("Version").i32(232),
            properties(entries),
            Record::new("Shading").bool(true),
            Record::new("Culling").text("CullingOff"),
        ]),
    ]
}
