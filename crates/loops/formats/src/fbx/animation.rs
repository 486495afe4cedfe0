//! An animation as records: stack, layer, curve nodes, curves, and their connections.

use super::record::Record;
use crate::settings::KeyInterpolation;

/// Ticks of a file's clock per second; files of some later versions state fewer.
pub(crate) const TICKS_PER_SEC: f64 = 46_186_158_000.0;

/// Latest time that is written, in seconds: far below the range of 64-bit ticks.
pub(crate) const MAX_SECS: f64 = 1e8;

/// The property of a node that a track animates.
#[handed_over]
#[derive(Copy, Eq)]
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
        match self {
            Self::Translation => "Lcl Translation",
            Self::Rotation => "Lcl Rotation",
            Self::Scaling => "Lcl Scaling",
            Self::DeformPercent => "DeformPercent",
        }
    }

    /// Returns the name of the curve node, as used by exporters.
    fn short(self) -> &'static str {
        match self {
            Self::Translation => "T\0\x01AnimCurveNode",
            Self::Rotation => "R\0\x01AnimCurveNode",
            Self::Scaling => "S\0\x01AnimCurveNode",
            Self::DeformPercent => "DeformPercent\0\x01AnimCurveNode",
        }
    }

    /// Returns its components, each with a curve of its own.
    fn axes(self) -> &'static [&'static str] {
        match self {
            Self::Translation | Self::Rotation | Self::Scaling => &["d|X", "d|Y", "d|Z"],
            Self::DeformPercent => &["d|DeformPercent"],
        }
    }
}

/// Values of one property of one node, or of one channel of shapes, one for each key.
pub(crate) struct Track {
    pub(crate) node: i64,
    pub(crate) property: Property,
    pub(crate) values: Vec<[f64; 3]>,
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
    pub(crate) objects: Vec<Record<'static>>,
    pub(crate) connections: Vec<Record<'static>>,
    /// The entry of the list of takes.
    pub(crate) take: Record<'static>,
    /// Kinds of objects with their numbers.
    pub(crate) counts: [(&'static str, usize); 4],
}

/// The interpolation between keys: linear, as is usual for dense keys, or none.
const LINEAR: i32 = 0x4;
const CONSTANT: i32 = 0x2;

/// An animation that grows track by track, so that only one track is held as numbers.
pub(crate) struct Builder<'a> {
    times: &'a [i64],
    key_time: Record<'static>,
    has_short_tracks: bool,
    interpolation: KeyInterpolation,
    next_id: i64,
    layer: i64,
    num_tracks: usize,
    num_curves: usize,
    objects: Vec<Record<'static>>,
    connections: Vec<Record<'static>>,
    /// The first track and the position of its records, while no track has all keys.
    first_short: Option<Track>,
}

/// Records of a stack and its layer, ahead of those of the tracks.
const NUM_HEAD_OBJECTS: usize = 2;

impl<'a> Builder<'a> {
    /// Starts an animation with keys at these times, whose objects are numbered from `first_id` on.
    ///
    /// With short tracks, those that do not move have one key. Curves of all axes of a property have the same keys, because
    /// three.js (0.187, `FBXLoader.js`) reads them together. One track keeps all its keys, so that the animation keeps its
    /// length.
    pub(crate) fn new(
        name: &str,
        times: &'a [i64],
        has_short_tracks: bool,
        interpolation: KeyInterpolation,
        first_id: i64,
    ) -> Self {
        let end = times.last().copied().unwrap_or(0);
        let (stack, layer) = (first_id, first_id + 1);
        let range = [
            ("LocalStart", 0),
            ("LocalStop", end),
            ("ReferenceStart", 0),
            ("ReferenceStop", end),
        ]
        .map(|(name, time)| property(name, "KTime", "Time", "").i64(time));
        Self {
            times,
            key_time: Record::new("KeyTime").i64s(times).shared(),
            has_short_tracks,
            interpolation,
            next_id: first_id + 2,
            layer,
            num_tracks: 0,
            num_curves: 0,
            objects: vec![
                Record::new("AnimationStack")
                    .i64(stack)
                    .text(&format!("{name}\0\x01AnimStack"))
                    .text("")
                    .with([properties(range)]),
                Record::new("AnimationLayer")
                    .i64(layer)
                    .text("BaseLayer\0\x01AnimLayer")
                    .text("")
                    .with([]),
            ],
            connections: vec![connect(layer, stack)],
            first_short: None,
        }
    }

    /// Adds a track with one value for each key.
    pub(crate) fn add(&mut self, track: Track) {
        let is_short = self.has_short_tracks && track.is_still();
        let (objects, connections) = self.records_of_track(&track, self.next_id, is_short);
        self.next_id += objects.len() as i64;
        self.num_curves += objects.len() - 1;
        self.objects.extend(objects);
        self.connections.extend(connections);
        self.first_short = (is_short && self.num_tracks == 0)
            .then_some(track)
            .or_else(|| self.first_short.take().filter(|_| is_short));
        self.num_tracks += 1;
    }

    /// Returns the animation, with its name for the list of takes.
    pub(crate) fn finish(mut self, name: &str) -> Animation {
        if let Some(track) = self.first_short.take() {
            let first_id = self.layer + 1;
            let (objects, _) = self.records_of_track(&track, first_id, false);
            self.objects
                .splice(NUM_HEAD_OBJECTS..NUM_HEAD_OBJECTS + objects.len(), objects);
        }
        let end = self.times.last().copied().unwrap_or(0);
        Animation {
            objects: self.objects,
            connections: self.connections,
            take: Record::new("Take").text(name).with([
                Record::new("FileName").text(&format!("{name}.tak")),
                Record::new("LocalTime").i64(0).i64(end),
                Record::new("ReferenceTime").i64(0).i64(end),
            ]),
            counts: [
                ("AnimationStack", 1),
                ("AnimationLayer", 1),
                ("AnimationCurveNode", self.num_tracks),
                ("AnimationCurve", self.num_curves),
            ],
        }
    }

    /// Returns the objects and the connections of a track.
    ///
    /// The node of its curves has the number `first_id`, the curve of each axis the next one. Where `is_short`, only the first key is
    /// written.
    fn records_of_track(
        &self,
        track: &Track,
        first_id: i64,
        is_short: bool,
    ) -> (Vec<Record<'static>>, Vec<Record<'static>>) {
        let num_keys = if is_short { 1 } else { track.values.len() };
        let times = &self.times[..num_keys.min(self.times.len())];
        let values = &track.values[..num_keys.min(track.values.len())];
        let first = values.first().copied().unwrap_or_default();
        let key_time = if times.len() == self.times.len() {
            self.key_time.clone()
        } else {
            Record::new("KeyTime").i64s(times)
        };
        let axes = track.property.axes();
        let defaults = axes
            .iter()
            .zip(first)
            .map(|(axis, value)| property(axis, "Number", "", "A").f64(value));
        let mut objects = vec![
            Record::new("AnimationCurveNode")
                .i64(first_id)
                .text(track.property.short())
                .text("")
                .with([properties(defaults)]),
        ];
        let mut connections = vec![
            connect(first_id, self.layer),
            connect_property(first_id, track.node, track.property.name()),
        ];
        let flags = match self.interpolation {
            KeyInterpolation::Linear => LINEAR,
            KeyInterpolation::Step => CONSTANT,
        };
        for (index, axis) in axes.iter().enumerate() {
            let curve = first_id + 1 + index as i64;
            let values: Vec<f32> = values.iter().map(|value| value[index] as f32).collect();
            objects.push(
                Record::new("AnimationCurve")
                    .i64(curve)
                    .text("\0\x01AnimCurve")
                    .text("")
                    .with([
                        Record::new("Default").f64(first[index]),
                        Record::new("KeyVer").i32(4008),
                        key_time.clone(),
                        Record::new("KeyValueFloat").f32s(&values),
                        // One entry applies to all keys.
                        Record::new("KeyAttrFlags").i32s(&[flags]),
                        Record::new("KeyAttrDataFloat").f32s(&[0.0; 4]),
                        Record::new("KeyAttrRefCount").i32s(&[times.len() as i32]),
                    ]),
            );
            connections.push(connect_property(curve, first_id, axis));
        }
        (objects, connections)
    }
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
