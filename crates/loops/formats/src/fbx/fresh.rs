//! A new FBX file, binary 7.4: a skeleton and one animation, centimetres, +Y up.
//!
//! Joints are limb nodes with the rotation order XYZ, no pre- or post-rotation, no pivots and no scale, so that every importer
//! reads them alike. Values of keys have single precision, as the format requires: a position keeps a micrometre up to 8 m from
//! the origin, an angle a thousandth of a degree through twenty turns.

use glam::DVec3;

use super::{
    animation::{self, Animation, NewAnimation, TICKS_PER_SEC, connect, properties, property},
    keys::{CM_PER_METRE, Keys, angles, leaves},
    record::{self, Document, Record},
};
use crate::{error::WriteError, settings::KeyInterpolation, space::Axis};

/// Rotation axes of every joint, the first outermost: X is applied first.
const AXES: [Axis; 3] = [Axis::Z, Axis::Y, Axis::X];

/// First number of our objects; lower ones denote the scene.
const FIRST_ID: i64 = 1_000_000;

fn node_id(joint: usize) -> i64 {
    FIRST_ID + 2 * joint as i64
}

/// A matching set of code, number and time, for files without a creation time.
const FILE_CODE: [u8; 16] = [
    0xFA, 0xBC, 0xAB, 0x09, 0xD0, 0xC8, 0xD4, 0x66, 0xB1, 0x76, 0xFB, 0x83, 0x1C, 0xF7, 0x26, 0x7E,
];
const FILE_ID: [u8; 16] = [
    0x28, 0xB3, 0x2A, 0xEB, 0xB6, 0x24, 0xCC, 0xC2, 0xBF, 0xC8, 0xB0, 0x2A, 0xA9, 0x2B, 0xFC, 0xF1,
];
const CREATION_TIME: &str = "1970-01-01 10:00:00:000";

const VERSION: u32 = 7400;

/// Returns the bytes of a new file.
pub(super) fn file(
    name: &str,
    keys: &Keys,
    has_short_tracks: bool,
    interpolation: KeyInterpolation,
) -> Result<Vec<u8>, WriteError> {
    let joints = keys.skeleton.joints();
    let times = keys.ticks(TICKS_PER_SEC);
    let mut tracks = Vec::new();
    let mut at_rest = Vec::with_capacity(joints.len());
    for (joint, known) in joints.iter().enumerate() {
        let mut rest = known.rest_offset * CM_PER_METRE;
        let translations = keys.translations.iter().skip(joint).step_by(joints.len());
        let translations: Vec<[f64; 3]> = translations.map(|t| (*t * CM_PER_METRE).to_array()).collect();
        let rotations = keys.rotations.iter().skip(joint).step_by(joints.len());
        let turns = angles(&AXES, rotations.copied());
        let moves = leaves(&translations, rest);
        if joint > 0 && moves {
            // Blender connects a bone to its parent if it rests on the parent's tip, and then ignores its translation. The first
            // key is unlikely to be there.
            rest = DVec3::from_array(translations[0]);
        }
        at_rest.push(rest);
        if joint == 0 || moves || leaves(&turns, DVec3::ZERO) {
            tracks.extend(animation::transform_tracks(node_id(joint), translations, turns));
        }
    }
    let animation = NewAnimation {
        name,
        times: &times,
        has_short_tracks,
        interpolation,
        tracks,
    };
    let animation = animation.records(node_id(joints.len()));
    let document = document(name, keys, &at_rest, animation, times.last().copied().unwrap_or(0));
    Ok(record::write(document)?)
}

/// Returns the whole file around an animation that ends at `end` ticks, with the rest positions of joints, in centimetres.
fn document(name: &str, keys: &Keys<'_>, at_rest: &[DVec3], animation: Animation, end: i64) -> Document<'static> {
    let joints = keys.skeleton.joints();
    let num_joints = joints.len();
    let mut objects = Vec::new();
    let mut connections = Vec::new();
    for (joint, known) in joints.iter().enumerate() {
        let node = node_id(joint);
        let parent = known.parent.map_or(0, node_id);
        let reach = keys.skeleton.children(joint).iter();
        let reach = reach.map(|child| at_rest[*child].length()).fold(0.0, f64::max);
        objects.extend(limb_node(&known.name, node, at_rest[joint], reach));
        connections.push(connect(node, parent));
        connections.push(connect(node + 1, node));
    }
    objects.extend(animation.objects);
    connections.extend(animation.connections);
    let counts = [
        ("GlobalSettings", 1),
        ("NodeAttribute", num_joints),
        ("Model", num_joints),
    ]
    .into_iter()
    .chain(animation.counts);
    let creator = concat!("loopwright ", env!("CARGO_PKG_VERSION"));
    let records = vec![
        header(creator),
        Record::new("FileId").bytes(&FILE_ID),
        Record::new("CreationTime").text(CREATION_TIME),
        Record::new("Creator").text(creator),
        global_settings(keys.rate_hz(), end),
        scene(name),
        Record::new("References").with([]),
        definitions(counts),
        Record::new("Objects").with(objects),
        Record::new("Connections").with(connections),
        Record::new("Takes").with([Record::new("Current").text(name), animation.take]),
    ];
    Document {
        version: VERSION,
        records,
        code: FILE_CODE,
    }
}

/// Returns the attribute of a joint's node and the node itself, with that number; `reach` is the length of its bone.
fn limb_node(name: &str, node: i64, at_rest: DVec3, reach: f64) -> [Record<'static>; 2] {
    let local = |name: &'static str, values: [f64; 3]| {
        let empty = property(name, name, "", "A");
        values.into_iter().fold(empty, Record::f64)
    };
    let size = property("Size", "double", "Number", "").f64(reach);
    animation::attribute_and_model(
        node,
        name,
        "LimbNode",
        [properties([size]), Record::new("TypeFlags").text("Skeleton")],
        [
            property("RotationOrder", "enum", "", "").i32(0),
            property("RotationActive", "bool", "", "").i32(1),
            property("InheritType", "enum", "", "").i32(1),
            local("Lcl Translation", at_rest.to_array()),
            local("Lcl Rotation", [0.0; 3]),
            local("Lcl Scaling", [1.0; 3]),
        ],
    )
}

fn header(creator: &str) -> Record<'static> {
    let created = [
        ("Version", 1000),
        ("Year", 1970),
        ("Month", 1),
        ("Day", 1),
        ("Hour", 10),
        ("Minute", 0),
        ("Second", 0),
        ("Millisecond", 0),
    ];
    Record::new("FBXHeaderExtension").with([
        Record::new("FBXHeaderVersion").i32(1003),
        Record::new("FBXVersion").i32(VERSION as i32),
        Record::new("EncryptionType").i32(0),
        Record::new("CreationTimeStamp").with(created.map(|(part, value)| Record::new(part).i32(value))),
        Record::new("Creator").text(creator),
    ])
}

/// Returns the axes, unit, frame rate and range, which ends at `end` ticks.
fn global_settings(rate_hz: f64, end: i64) -> Record<'static> {
    let (time_mode, custom_rate) = time_mode(rate_hz);
    let axes = [
        ("UpAxis", 1),
        ("UpAxisSign", 1),
        ("FrontAxis", 2),
        ("FrontAxisSign", 1),
        ("CoordAxis", 0),
        ("CoordAxisSign", 1),
        ("OriginalUpAxis", 1),
        ("OriginalUpAxisSign", 1),
    ];
    let axes = axes.map(|(name, value)| property(name, "int", "Integer", "").i32(value));
    let others = [
        property("UnitScaleFactor", "double", "Number", "").f64(1.0),
        property("OriginalUnitScaleFactor", "double", "Number", "").f64(1.0),
        property("DefaultCamera", "KString", "", "").text("Producer Perspective"),
        property("TimeMode", "enum", "", "").i32(time_mode),
        property("TimeSpanStart", "KTime", "Time", "").i64(0),
        property("TimeSpanStop", "KTime", "Time", "").i64(end),
        property("CustomFrameRate", "double", "Number", "").f64(custom_rate),
    ];
    let version = Record::new("Version").i32(1000);
    Record::new("GlobalSettings").with([version, properties(axes.into_iter().chain(others))])
}

/// Returns the one scene, in which an animation of that name plays.
fn scene(animation: &str) -> Record<'static> {
    let scene = Record::new("Document")
        .i64(FIRST_ID - 1)
        .text("Scene")
        .text("Scene")
        .with([
            properties([
                property("SourceObject", "object", "", ""),
                property("ActiveAnimStackName", "KString", "", "").text(animation),
            ]),
            Record::new("RootNode").i64(0),
        ]);
    Record::new("Documents").with([Record::new("Count").i32(1), scene])
}

/// Returns the number of objects of each kind.
fn definitions(counts: impl Iterator<Item = (&'static str, usize)>) -> Record<'static> {
    let mut total = 0;
    let kinds: Vec<Record<'static>> = counts
        .map(|(kind, count)| {
            total += count as i32;
            let count = Record::new("Count").i32(count as i32);
            Record::new("ObjectType").text(kind).with([count])
        })
        .collect();
    let head = [Record::new("Version").i32(100), Record::new("Count").i32(total)];
    Record::new("Definitions").with(head.into_iter().chain(kinds))
}

/// Rates with a number of their own, and that number.
const TIME_MODES: [(f64, i32); 13] = [
    (120.0, 1),
    (100.0, 2),
    (60.0, 3),
    (50.0, 4),
    (48.0, 5),
    (30.0, 6),
    (25.0, 10),
    (24.0, 11),
    (1000.0, 12),
    (24_000.0 / 1001.0, 13),
    (96.0, 15),
    (72.0, 16),
    (60_000.0 / 1001.0, 17),
];

/// Number of a custom rate.
pub(super) const CUSTOM_TIME_MODE: i32 = 14;

/// A rate this near to one of the list, as a share, counts as that rate.
const SAME_RATE: f64 = 1e-5;

/// Returns the number of a frame rate, and the custom rate written with it.
pub(super) fn time_mode(rate_hz: f64) -> (i32, f64) {
    let known = TIME_MODES
        .iter()
        .find(|(rate, _)| (rate_hz / rate - 1.0).abs() < SAME_RATE);
    known.map_or((CUSTOM_TIME_MODE, rate_hz), |(_, mode)| (*mode, -1.0))
}

const _: () = assert!(animation::MAX_SECS * TICKS_PER_SEC < i64::MAX as f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_their_numbers() {
        assert_eq!(time_mode(120.0), (1, -1.0));
        assert_eq!(time_mode(1.0 / 0.008_333_333), (1, -1.0));
        assert_eq!(time_mode(23.976_024), (13, -1.0));
        assert_eq!(time_mode(45.5), (14, 45.5));
    }
}
