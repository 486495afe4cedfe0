//! An animation as records: stack, layer, curve nodes, curves, and their connections.

use super::record::Record;

/// Ticks of a file's clock per second; files of some later versions state fewer.
pub(crate) const TICKS_PER_SEC: f64 = 46_186_158_000.0;

/// Latest time that is written, in seconds: far below the range of 64-bit ticks.
pub(crate) const MAX_SECS: f64 = 1e8;

/// The property of a node that a track animates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Property {
    /// In the file's unit.
    Translation,
    /// In degrees.
    Rotation,
    /// As a factor.
    Scaling,
}

impl Property {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Translation => "Lcl Translation",
            Self::Rotation => "Lcl Rotation",
            Self::Scaling => "Lcl Scaling",
        }
    }

    /// Name of the curve node, as used by exporters.
    fn short(self) -> &'static str {
        match self {
            Self::Translation => "T\0\x01AnimCurveNode",
            Self::Rotation => "R\0\x01AnimCurveNode",
            Self::Scaling => "S\0\x01AnimCurveNode",
        }
    }
}

/// Values of one property of one node, one for each key; or one for all.
pub(crate) struct Track {
    /// Number of the node.
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
    /// Whether all values are the same as written, so that one key stands for all.
    fn is_still(&self) -> bool {
        let bits = |value: &[f64; 3]| value.map(|part| (part as f32).to_bits());
        self.values.windows(2).all(|pair| bits(&pair[0]) == bits(&pair[1]))
    }
}

/// Reduces tracks that do not move to one key. Those of all axes of a property have the same keys, because three.js (0.187,
/// `FBXLoader.js`) reads them together. One track keeps all its keys, so that the animation keeps its length.
pub(crate) fn shorten(tracks: &mut [Track]) {
    let mut needs_long = tracks.iter().all(Track::is_still);
    for track in tracks.iter_mut().filter(|track| track.is_still()) {
        if !core::mem::take(&mut needs_long) {
            track.values.truncate(1);
        }
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

/// Key times in ticks: multiples of the step, the first at zero.
pub(crate) fn ticks(num_keys: usize, step_secs: f64, ticks_per_sec: f64) -> Vec<i64> {
    (0..num_keys)
        .map(|key| (key as f64 * step_secs * ticks_per_sec).round() as i64)
        .collect()
}

/// The interpolation between keys: linear, as is usual for dense keys.
const LINEAR: i32 = 0x4;

/// Builds an animation of the tracks; objects are numbered from `first_id` on.
pub(crate) fn build(name: &str, tracks: &[Track], times: &[i64], first_id: i64) -> Animation {
    let end = times.last().copied().unwrap_or(0);
    let (stack, layer) = (first_id, first_id + 1);
    let mut next_id = first_id + 2;
    let mut take_id = || {
        next_id += 1;
        next_id - 1
    };
    let range = ["LocalStart", "LocalStop", "ReferenceStart", "ReferenceStop"]
        .into_iter()
        .zip([0, end, 0, end])
        .map(|(name, time)| property(name, "KTime", "Time", "").i64(time));
    let mut objects = vec![
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
    ];
    let mut connections = vec![connect(layer, stack)];
    for track in tracks {
        let curve_node = take_id();
        let first = track.values.first().copied().unwrap_or_default();
        let axes = ["d|X", "d|Y", "d|Z"];
        let defaults = axes
            .into_iter()
            .zip(first)
            .map(|(axis, value)| property(axis, "Number", "", "A").f64(value));
        objects.push(
            Record::new("AnimationCurveNode")
                .i64(curve_node)
                .text(track.property.short())
                .text("")
                .with([properties(defaults)]),
        );
        connections.push(connect(curve_node, layer));
        connections.push(connect_property(curve_node, track.node, track.property.name()));
        for (index, axis) in axes.into_iter().enumerate() {
            let curve = take_id();
            let times = &times[..track.values.len().min(times.len())];
            let values: Vec<f32> = track.values.iter().map(|value| value[index] as f32).collect();
            objects.push(
                Record::new("AnimationCurve")
                    .i64(curve)
                    .text("\0\x01AnimCurve")
                    .text("")
                    .with([
                        Record::new("Default").f64(first[index]),
                        Record::new("KeyVer").i32(4008),
                        Record::new("KeyTime").i64s(times),
                        Record::new("KeyValueFloat").f32s(&values),
                        // One entry applies to all keys.
                        Record::new("KeyAttrFlags").i32s(&[LINEAR]),
                        Record::new("KeyAttrDataFloat").f32s(&[0.0; 4]),
                        Record::new("KeyAttrRefCount").i32s(&[times.len() as i32]),
                    ]),
            );
            connections.push(connect_property(curve, curve_node, axis));
        }
    }
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
            ("AnimationCurveNode", tracks.len()),
            ("AnimationCurve", 3 * tracks.len()),
        ],
    }
}

/// One entry of a list of properties, still without its values.
pub(crate) fn property(name: &str, kind: &str, label: &str, flags: &str) -> Record<'static> {
    Record::new("P").text(name).text(kind).text(label).text(flags)
}

pub(crate) fn properties(entries: impl IntoIterator<Item = Record<'static>>) -> Record<'static> {
    Record::new("Properties70").with(entries)
}

/// Connects an object to its parent.
pub(crate) fn connect(child: i64, parent: i64) -> Record<'static> {
    Record::new("C").text("OO").i64(child).i64(parent)
}

/// Connects an object to a property of another.
fn connect_property(child: i64, parent: i64, property: &str) -> Record<'static> {
    Record::new("C").text("OP").i64(child).i64(parent).text(property)
}
