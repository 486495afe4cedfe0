//! Motion is written into files made here and read back.

use core::f64::consts::PI;
use loopwright::{LoopClip, RootMotion, Tracks};

use glam::{DQuat, DVec3};
use loopwright::{Take, math::rotation};

use crate::fbx::animation::{self, Track, connect, properties, property};
use crate::fbx::record::{self, Document, Record};
use crate::{
    AnimationChoice, LoadedTake, ReadSettings, Source, SpaceSettings, UnitChoice, UpChoice, WriteError, write_take,
};

/// A skeleton with all properties that a node can have: an armature above it with scale, rotation and translation; every rotation
/// order; pre- and post-rotations; offsets and pivots; a scale; both other modes of inheriting a scale.
fn file() -> Vec<u8> {
    let vector = |name: &str, [x, y, z]: [f64; 3]| property(name, "Vector3D", "Vector", "").f64(x).f64(y).f64(z);
    let node = |id: i64, name: &str, entries: Vec<Record<'static>>| {
        Record::new("Model")
            .i64(id)
            .text(&format!("{name}\0\x01Model"))
            .text(if id == 1 { "Null" } else { "LimbNode" })
            .with([Record::new("Version").i32(232), properties(entries)])
    };
    let armature = vec![
        vector("Lcl Translation", [10.0, -20.0, 30.0]),
        vector("Lcl Rotation", [-90.0, 15.0, 0.0]),
        vector("Lcl Scaling", [100.0, 100.0, 100.0]),
    ];
    let mut objects = vec![node(1, "Armature", armature)];
    let mut connections = vec![connect(1, 0)];
    for order in 0..7_i32 {
        let id = i64::from(order) + 2;
        let spread = f64::from(order);
        objects.push(node(
            id,
            &format!("bone{order}"),
            vec![
                property("RotationOrder", "enum", "", "").i32(order),
                property("RotationActive", "bool", "", "").i32(i32::from(order != 6)),
                property("InheritType", "enum", "", "").i32(if order < 4 { 1 } else { order % 3 }),
                vector("PreRotation", [10.0 * spread, -35.0, 70.0 - spread]),
                vector("PostRotation", [5.0, 20.0 * spread, -15.0]),
                vector("RotationOffset", [0.01, 0.02 * spread, 0.0]),
                vector("RotationPivot", [0.0, 0.03, -0.01 * spread]),
                vector("ScalingOffset", [0.02, 0.0, 0.01]),
                vector("ScalingPivot", [0.0, -0.04, 0.02]),
                vector("Lcl Translation", [0.1, 0.2 + 0.1 * spread, -0.05]),
                vector("Lcl Rotation", [4.0 * spread, -8.0, 12.0]),
                vector(
                    "Lcl Scaling",
                    [1.0, 1.0, 1.0].map(|one| one + 0.05 * f64::from(order % 2)),
                ),
            ],
        ));
        connections.push(connect(id, id - 1));
    }
    let tracks: Vec<Track> = (2..9)
        .flat_map(|id| {
            let at = |key: i32| 2.0 * PI * f64::from(key) / 20.0 + id as f64;
            let turn = |key| [30.0 * at(key).sin(), 50.0 * at(key).cos(), 20.0 * (2.0 * at(key)).sin()];
            let position_at = |key| [0.1, 0.3 + 0.01 * at(key).sin(), 0.02 * at(key).cos()];
            animation::transform_tracks(id, (0..21).map(position_at).collect(), (0..21).map(turn).collect())
        })
        .collect();
    let times = animation::ticks(21, 1.0 / 30.0, animation::TICKS_PER_SEC);
    let mut animation = animation::Builder::new("first", &times, false, 100);
    tracks.into_iter().for_each(|track| animation.add(track));
    let animation = animation.finish("first");
    objects.extend(animation.objects);
    connections.extend(animation.connections);
    let settings = [
        ("UpAxis", 2),
        ("UpAxisSign", 1),
        ("FrontAxis", 0),
        ("FrontAxisSign", 1),
        ("CoordAxis", 1),
        ("CoordAxisSign", 1),
        ("TimeMode", 6),
    ]
    .map(|(name, value)| property(name, "int", "Integer", "").i32(value));
    record::write(Document {
        version: 7500,
        records: vec![
            Record::new("GlobalSettings").with([properties(settings)]),
            Record::new("Definitions").with([Record::new("Count").i32(3)]),
            Record::new("Objects").with(objects),
            Record::new("Connections").with(connections),
        ],
        code: [7; 16],
    })
    .unwrap()
}

fn read(bytes: &[u8], animation: &str) -> LoadedTake {
    let settings = ReadSettings {
        space: SpaceSettings::new(UpChoice::Auto, UnitChoice::Metres(0.01)),
        animation: AnimationChoice::Given(animation),
        ..ReadSettings::default()
    };
    crate::read_take(bytes, "t", &settings, &mut Vec::new()).unwrap()
}

fn assert_same(one: &Take, other: &Take) {
    let (p, q) = (one.world_tracks(), other.world_tracks());
    for frame in 0..one.num_frames() {
        for joint in 0..one.num_joints() {
            let off = p.position(frame, joint).distance(q.position(frame, joint));
            assert!(off < 1e-6, "frame {frame}, joint {joint}: {off} m");
            let turn = rotation::difference(one.rotations(frame)[joint], other.rotations(frame)[joint]);
            assert!(turn.length() < 1e-6, "frame {frame}, joint {joint}: {turn} rad");
        }
    }
}

#[test]
fn motion_goes_back_through_every_order_turn_pivot_and_scale() {
    let before = file();
    let LoadedTake { take, source, .. } = read(&before, "first");
    assert_eq!((take.num_joints(), take.num_frames()), (7, 21));
    let written = write_take(&take, &source).unwrap();
    assert_same(&take, &read(&written.bytes, written.animation.as_deref().unwrap()).take);

    // Motion that the file never had: the whole rotated and moved, and every joint bent.
    let bend = rotation::exp(DVec3::new(0.3, -0.7, 0.5));
    let frames = 0..take.num_frames();
    let translations = frames
        .clone()
        .flat_map(|frame| {
            take.translations(frame)
                .iter()
                .map(|t| *t + DVec3::new(0.01, 0.02, -0.03))
                .collect::<Vec<_>>()
        })
        .collect();
    let rotations = frames
        .flat_map(|frame| take.rotations(frame).iter().map(|q| *q * bend).collect::<Vec<_>>())
        .collect();
    let bent = Take::new(
        "bent",
        take.skeleton().clone(),
        take.frame_time_secs(),
        translations,
        rotations,
    )
    .unwrap();
    let written = write_take(&bent, &source).unwrap();
    assert_eq!(written.animation.as_deref(), Some("bent"));
    assert_same(&bent, &read(&written.bytes, "bent").take);
    assert_same(&take, &read(&written.bytes, "first").take);
}

/// The file states the rate of the animation that was added, since importers resample at what it states.
#[test]
fn the_file_states_the_rate_of_what_was_added() {
    let LoadedTake { take, source, .. } = read(&file(), "first");
    for (rate_hz, mode) in [(60.0, 3), (30.0, 6), (61.5, 14)] {
        let values = take.values();
        let (translations, rotations) = (values.translations.to_vec(), values.rotations.to_vec());
        let at_rate = Take::new(
            "at rate",
            take.skeleton().clone(),
            1.0 / rate_hz,
            translations,
            rotations,
        )
        .unwrap();
        let written = write_take(&at_rate, &source).unwrap();
        let mut document = record::parse(&written.bytes).unwrap();
        let stated = super::document::setting(&mut document, "TimeMode").unwrap().unwrap();
        assert!(stated.ends_in_i32(mode), "{rate_hz}");
    }
}

#[test]
fn all_records_that_were_there_are_there_to_the_last_bit() {
    let before = file();
    let LoadedTake { take, source, .. } = read(&before, "first");
    let written = write_take(&take, &source).unwrap();
    let (old, new) = (record::parse(&before).unwrap(), record::parse(&written.bytes).unwrap());
    assert_eq!((old.version, old.code), (new.version, new.code));
    for (old, new) in old.records.iter().zip(&new.records) {
        assert_eq!(old.name, new.name);
        if *old.name != *b"Definitions" {
            assert_eq!(old.children[..], new.children[..old.children.len()]);
        }
    }
    // Names in use get a number.
    assert_eq!(written.animation.as_deref(), Some("t"));
    let Source::Fbx(again) = read(&written.bytes, "t").source else {
        panic!("the source is another");
    };
    let twice = write_take(&take, &Source::Fbx(again)).unwrap();
    assert_eq!(twice.animation.as_deref(), Some("t_2"));
}

#[test]
fn takes_of_other_skeletons_are_refused() {
    let source = read(&file(), "first").source;
    let other = take_of_one_joint();
    assert_eq!(
        write_take(&other, &source),
        Err(WriteError::JointCount { expected: 7, found: 1 })
    );
}

/// A first joint of a kind at a position, with a joint below it.
fn file_of(kind: &str, [x, y, z]: [f64; 3]) -> Vec<u8> {
    let model = |id: i64, kind: &str, position: [f64; 3]| {
        let translation = property("Lcl Translation", "Lcl Translation", "", "A");
        let translation = position
            .iter()
            .fold(translation, |property, value| property.f64(*value));
        Record::new("Model")
            .i64(id)
            .text(&format!("n{id}\0\x01Model"))
            .text(kind)
            .with([Record::new("Version").i32(232), properties([translation])])
    };
    let attribute = |id: i64, node: i64| {
        let name = format!("n{node}\0\x01NodeAttribute");
        let flags = Record::new("TypeFlags").text("Skeleton");
        Record::new("NodeAttribute")
            .i64(id)
            .text(&name)
            .text("LimbNode")
            .with([flags])
    };
    // Two bones below the first joint make it one, whatever its kind.
    let mut objects = vec![
        model(1, kind, [x, y, z]),
        model(2, "LimbNode", [10.0, 0.0, 0.0]),
        model(3, "LimbNode", [-10.0, 0.0, 0.0]),
        attribute(12, 2),
        attribute(13, 3),
    ];
    let mut connections = vec![
        connect(1, 0),
        connect(2, 1),
        connect(3, 1),
        connect(12, 2),
        connect(13, 3),
    ];
    if kind == "LimbNode" {
        objects.push(attribute(11, 1));
        connections.push(connect(11, 1));
    }
    let positions = (0..21).map(|key| [x, y, z + f64::from(key)]).collect();
    let tracks: Vec<Track> = animation::transform_tracks(1, positions, vec![[0.0; 3]; 21]).into();
    let times = animation::ticks(21, 1.0 / 30.0, animation::TICKS_PER_SEC);
    let mut animation = animation::Builder::new("first", &times, false, 100);
    tracks.into_iter().for_each(|track| animation.add(track));
    let animation = animation.finish("first");
    objects.extend(animation.objects);
    connections.extend(animation.connections);
    record::write(Document {
        version: 7400,
        records: vec![
            Record::new("Definitions").with([Record::new("Count").i32(3)]),
            Record::new("Objects").with(objects),
            Record::new("Connections").with(connections),
        ],
        code: [0; 16],
    })
    .unwrap()
}

#[test]
fn an_added_root_is_a_bone_unless_blender_would_misread_it() {
    for (kind, position, wanted) in [
        ("LimbNode", [0.0, 90.0, 5.0], "LimbNode"),
        ("LimbNode", [0.0, 90.0, 0.0], "Null"),
        ("LimbNode", [0.0, 0.0, 0.0], "LimbNode"),
        ("Null", [0.0, 90.0, 5.0], "Null"),
    ] {
        let LoadedTake { take, source, .. } = read(&file_of(kind, position), "first");
        assert_eq!(take.num_joints(), 3, "{kind} {position:?}");
        // An in-place loop: its root does not move, and is still a joint.
        let poses = (0..4).map(|_| take.pose(0).to_pose());
        let tracks = Tracks::from_poses(take.skeleton().clone(), take.frame_time_secs(), poses).unwrap();
        let clip = LoopClip::new("l", tracks, 0, RootMotion::NONE).unwrap();
        let layout = crate::LoopWriteSettings {
            add_root: true,
            ..crate::LoopWriteSettings::default()
        };
        let written = crate::write_loop(&clip, &source, &layout).unwrap();
        let document = record::parse(&written.bytes).unwrap();
        let objects = (document.records.iter()).find(|record| *record.name == *b"Objects");
        let mut objects = objects.unwrap().children.iter();
        let added = objects.find(|record| record.name_of_object() == Some(b"root\0\x01Model"));
        let kind_of_added = added.unwrap().kind_of_object();
        assert_eq!(kind_of_added, Some(wanted.as_bytes()), "{kind} {position:?}");
        let again = read(&written.bytes, "l-loop").take;
        assert_eq!(
            (again.num_joints(), again.skeleton().joint(0).name.as_str()),
            (4, "root")
        );
    }
}

fn take_of_one_joint() -> Take {
    let joint = loopwright::Joint::new("alone", None, DVec3::ZERO);
    let skeleton = loopwright::Skeleton::new(vec![joint]).unwrap();
    Take::new("t", skeleton, 0.1, vec![DVec3::ZERO], vec![DQuat::IDENTITY]).unwrap()
}
