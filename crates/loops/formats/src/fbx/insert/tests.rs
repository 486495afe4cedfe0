//! Motion is written into files made here and read back.

use core::f64::consts::PI;

use glam::{DQuat, DVec3};
use loopwright_core::{
    Analysis, LoopClip, LoopSettings, Pose, RootMotion, SearchSettings, Take, Tracks, math::rotation,
};

use crate::{
    AnimationChoice, Format, LoadedTake, LoopFile, ReadSettings, Source, SpaceSettings, UnitChoice, UpChoice,
    WriteError,
    fbx::{
        animation::{self, Track, connect, properties, property},
        form::ChannelShapes,
        record::{self, Document, Record},
        source::Form,
    },
    settings::KeyInterpolation,
    shapes::ShapeWeights,
    write_take,
};

/// Returns a skeleton with all properties that a node can have: an armature above it with scale, rotation and translation;
/// every rotation order; pre- and post-rotations; offsets and pivots; a scale; both other modes of inheriting a scale.
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
            animation::transform_tracks(
                id,
                (0..21)
                    .map(|key| [0.1, 0.3 + 0.01 * at(key).sin(), 0.02 * at(key).cos()])
                    .collect(),
                (0..21)
                    .map(|key| [30.0 * at(key).sin(), 50.0 * at(key).cos(), 20.0 * (2.0 * at(key)).sin()])
                    .collect(),
            )
        })
        .collect();
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
    let settings = Record::new("GlobalSettings").with([properties(settings)]);
    finished(7500, vec![settings], objects, connections, tracks)
}

/// Returns a file of these records with an animation of 21 keys.
fn finished(
    version: u32,
    mut records: Vec<Record<'static>>,
    mut objects: Vec<Record<'static>>,
    mut connections: Vec<Record<'static>>,
    tracks: impl IntoIterator<Item = Track>,
) -> Vec<u8> {
    let times: Vec<i64> = (0..21).map(|key| key * animation::TICKS_PER_SEC as i64 / 30).collect();
    let animation = animation::NewAnimation {
        name: "first",
        times: &times,
        has_short_tracks: false,
        interpolation: KeyInterpolation::Linear,
        tracks: tracks.into_iter().collect(),
    };
    let animation = animation.records(100);
    objects.extend(animation.objects);
    connections.extend(animation.connections);
    records.extend([
        Record::new("Definitions").with([Record::new("Count").i32(3)]),
        Record::new("Objects").with(objects),
        Record::new("Connections").with(connections),
    ]);
    record::write(Document {
        version,
        records,
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
    let values = take.values();
    let translations = values
        .translations
        .iter()
        .map(|t| *t + DVec3::new(0.01, 0.02, -0.03))
        .collect();
    let rotations = values.rotations.iter().map(|q| *q * bend).collect();
    let (skeleton, step_secs) = (take.skeleton().clone(), take.frame_time_secs());
    let bent = Take::new("bent", skeleton, step_secs, translations, rotations).unwrap();
    let written = write_take(&bent, &source).unwrap();
    assert_eq!(written.animation.as_deref(), Some("bent"));
    assert_same(&bent, &read(&written.bytes, "bent").take);
    assert_same(&take, &read(&written.bytes, "first").take);
}

/// Bones that are still in a new animation have curves if another animation moves them; otherwise a program that played that one
/// before would leave them displaced.
#[test]
fn bones_that_another_animation_moves_have_curves() {
    let LoadedTake { take, source, .. } = read(&file(), "first");
    let still = |frame: usize| {
        let mut pose = take.pose(frame).to_pose();
        let rest = source.form().rest(take.skeleton()).unwrap();
        pose.translations[3..].copy_from_slice(&rest.translations[3..]);
        pose.rotations[3..].copy_from_slice(&rest.rotations[3..]);
        pose
    };
    let clip = clip_of(&take, (0..20).map(still));
    let written = crate::write_loop(&clip, &source, &crate::LoopWriteSettings::default()).unwrap();
    let scene = crate::fbx::scene::load(&written.bytes, false).unwrap();
    let stack = (&scene.anim_stacks)
        .into_iter()
        .find(|stack| &*stack.element.name == "l-loop");
    let layer = stack.unwrap().layers.iter().next().unwrap();
    let moved = layer
        .anim_props
        .iter()
        .filter(|prop| &*prop.prop_name == "Lcl Rotation");
    assert_eq!(moved.count(), 7);
}

/// A loop "l" whose root does not move.
fn clip_of(take: &Take, poses: impl Iterator<Item = Pose>) -> LoopClip {
    let tracks = Tracks::from_poses(take.skeleton().clone(), take.frame_time_secs(), poses).unwrap();
    LoopClip::new("l", tracks, 0, RootMotion::NONE).unwrap()
}

/// Returns a walk in a file with three shapes of a face, two of which move with the steps.
fn walk_with_a_face() -> (loopwright_synth::Truth, LoadedTake) {
    let loopwright_synth::SyntheticTake { take, truth } = loopwright_synth::synthesize(&Default::default()).unwrap();
    let plain = write_take(&take, &Source::for_take(&take, Format::Fbx)).unwrap().bytes;
    let mut document = record::parse(&plain).unwrap();
    let deformer = |id: i64, name: &str, kind: &str| {
        Record::new("Deformer")
            .i64(id)
            .text(&format!("{name}\0\x01SubDeformer"))
            .text(kind)
            .with([Record::new("DeformPercent").f64(0.0)])
    };
    let channels = [9001, 9002, 9003];
    let mut objects = vec![deformer(9000, "face", "BlendShape")];
    objects.extend(channels.map(|id| deformer(id, &format!("shape{id}"), "BlendShapeChannel")));
    super::document::section(&mut document, "Objects")
        .unwrap()
        .extend(objects);
    let links = channels.map(|id| connect(id, 9000));
    super::document::section(&mut document, "Connections")
        .unwrap()
        .extend(links);
    let mut source = read(&record::write(document).unwrap(), take.name()).source;
    let Source::Fbx(fbx) = &mut source else { panic!("FBX") };
    let Form::File(file) = &mut fbx.form else {
        panic!("a file")
    };
    assert_eq!(file.shapes, ChannelShapes::default());
    file.shapes = ChannelShapes {
        channels: vec![9001, 9003],
        percents: ShapeWeights {
            width: 2,
            weights: truth.phases.iter().flat_map(|phase| face(*phase)).collect(),
        },
    };
    let written = write_take(&take, &source).unwrap();
    (truth, read(&written.bytes, written.animation.as_deref().unwrap()))
}

/// Returns the weights of the shapes at a phase of the walk, percent.
fn face(phase: f64) -> [f64; 2] {
    let angle = 2.0 * PI * phase;
    [50.0 + 40.0 * angle.sin(), 30.0 + 20.0 * (2.0 * angle).cos()]
}

fn shapes(source: &Source) -> &ChannelShapes {
    match source {
        Source::Fbx(fbx) => match &fbx.form {
            Form::File(file) => &file.shapes,
            Form::Fresh { .. } => panic!("a fresh file"),
        },
        _ => panic!("not FBX"),
    }
}

#[test]
fn a_face_loops_with_its_body() {
    let (truth, LoadedTake { take, source, .. }) = walk_with_a_face();
    let read_shapes = shapes(&source);
    assert_eq!(read_shapes.channels, [9001, 9003]);
    assert_eq!(read_shapes.percents.weights.len(), 2 * take.num_frames());
    for (found, phase) in read_shapes.percents.weights.chunks(2).zip(&truth.phases) {
        let off = (found[0] - face(*phase)[0])
            .abs()
            .max((found[1] - face(*phase)[1]).abs());
        assert!(off < 1e-4, "{phase}: {found:?}");
    }

    let analysis = Analysis::new(&take).unwrap();
    let found = analysis.find_loops(&SearchSettings::default()).unwrap();
    let made = analysis
        .make_loop(found.best().unwrap(), &LoopSettings::default())
        .unwrap();
    let written = LoopFile::write(&made, &source).unwrap().written;
    let looped = read(&written.bytes, written.animation.as_deref().unwrap());
    let percents = &shapes(&looped.source).percents.weights;
    let samples = made.loop_clip.num_samples();
    assert_eq!(percents.len(), 2 * (samples + 1));
    // The walk has one phase more from sample to sample, and so has its face.
    let start = truth.phases[made.candidate.cut.start_frame().round() as usize];
    for (sample, found) in percents.chunks(2).enumerate() {
        let wanted = face(start + sample as f64 / samples as f64);
        let off = (found[0] - wanted[0]).abs().max((found[1] - wanted[1]).abs());
        assert!(off < 1.5, "sample {sample}: {found:?}, not {wanted:?}");
    }
    assert_eq!(percents[..2], percents[2 * samples..]);

    // Another motion of the same character does not get this face.
    let other = write_take(&take, &source.without_shapes()).unwrap();
    let other = read(&other.bytes, other.animation.as_deref().unwrap());
    assert!(shapes(&other.source).channels.is_empty());
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

/// Returns a first joint of a kind at a position, with two joints below it, turning by so many degrees a frame.
fn turning_file(kind: &str, [x, y, z]: [f64; 3], degrees: f64) -> Vec<u8> {
    let model = |id: i64, kind: &str, position: [f64; 3]| {
        let translation = property("Lcl Translation", "Lcl Translation", "", "A");
        let translation = position.into_iter().fold(translation, Record::f64);
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
    let connections = [(1, 0), (2, 1), (3, 1), (12, 2), (13, 3)];
    let mut connections: Vec<Record<'static>> = connections.map(|(child, parent)| connect(child, parent)).into();
    if kind == "LimbNode" {
        objects.push(attribute(11, 1));
        connections.push(connect(11, 1));
    }
    let positions = (0..21).map(|key| [x, y, z + f64::from(key)]).collect();
    let turns = (0..21).map(|key| [0.0, degrees * f64::from(key), 0.0]).collect();
    let tracks = animation::transform_tracks(1, positions, turns);
    finished(7400, Vec::new(), objects, connections, tracks)
}

#[test]
fn an_added_root_is_a_bone_unless_blender_would_misread_it() {
    for (kind, position, wanted) in [
        ("LimbNode", [0.0, 90.0, 5.0], "LimbNode"),
        ("LimbNode", [0.0, 90.0, 0.0], "Null"),
        ("LimbNode", [0.0, 0.0, 0.0], "LimbNode"),
        ("Null", [0.0, 90.0, 5.0], "Null"),
    ] {
        let LoadedTake { take, source, .. } = read(&turning_file(kind, position, 0.0), "first");
        assert_eq!(take.num_joints(), 3, "{kind} {position:?}");
        // An in-place loop: its root does not move, and is still a joint.
        let poses = (0..4).map(|_| take.pose(0).to_pose());
        let clip = clip_of(&take, poses);
        let layout = crate::LoopWriteSettings {
            add_root: true,
            ..crate::LoopWriteSettings::default()
        };
        let written = crate::write_loop(&clip, &source, &layout).unwrap();
        let document = record::parse(&written.bytes).unwrap();
        let objects = document.records.iter().find(|record| *record.name == *b"Objects");
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
    let joint = loopwright_core::Joint::new("alone", None, DVec3::ZERO);
    let skeleton = loopwright_core::Skeleton::new(vec![joint]).unwrap();
    Take::new("t", skeleton, 0.1, vec![DVec3::ZERO], vec![DQuat::IDENTITY]).unwrap()
}
