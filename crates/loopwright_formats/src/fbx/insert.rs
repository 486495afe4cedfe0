//! Motion into the file that it was read from: everything stays, an animation is added.
//!
//! Records that are kept are written byte for byte; only offsets, the counts of objects and the lists that grow are new. The
//! added animation has keys for the joints alone: what else the file's other animations move stands as the file has it
//! where nothing is animated.

use std::borrow::Cow;

use glam::DQuat;
use ufbx::InheritMode;

use super::{
    ADDED_ROOT, FbxSource,
    animation::{self, Animation, Track, connect, properties, property},
    form::{FbxFile, NodeForm},
    record::{self, Document, Record},
    write::{Keys, LOOP_SUFFIX, Name, angles, leaves},
};
use crate::{
    error::{FbxFault, WriteError},
    limits::MAX_VALUE,
    warning::Warning,
    write::Written,
};

/// Writes keys as another animation into the file that their skeleton was read from.
///
/// With an added root a new node stands between the skeleton and what it hung from; at rest it is where that is, so that the
/// file's other animations and its skins stay as they are. Errors: [`WriteError`], when the skeleton is another one or a
/// value is out of range.
pub(super) fn insert(
    name: &Name,
    keys: &Keys,
    add_root: bool,
    source: &FbxSource,
    file: &FbxFile,
) -> Result<Written, WriteError> {
    check_skeleton(keys, usize::from(add_root), file)?;
    let mut document = record::parse(&file.bytes)?;
    let mut next_id = first_free_id(&document)?;
    let mut nodes = Cow::Borrowed(&file.nodes);
    if add_root {
        let root = add_root_node(&mut document, keys, file, next_id)?;
        nodes.to_mut().insert(0, root);
        next_id += 2;
    }
    let tracks = tracks(keys, &nodes, source, file)?;
    let times = animation::ticks(keys.num_keys, keys.step_secs, file.ticks_per_sec);
    let name = free_name(&document, name);
    add(&mut document, animation::build(&name, &tracks, &times, next_id))?;
    Ok(Written {
        bytes: record::write(&document)?,
        // A loop is told from other animations by its name and its sidecar; a take is not.
        warnings: (!name.ends_with(LOOP_SUFFIX))
            .then(|| Warning::AnimationAdded { name: name.clone() })
            .into_iter()
            .collect(),
        animation: Some(name),
    })
}

/// Whether the keys are of the file's skeleton, below `num_added` joints more.
fn check_skeleton(keys: &Keys, num_added: usize, file: &FbxFile) -> Result<(), WriteError> {
    let found = keys.skeleton.num_joints();
    let expected = file.parents.len() + num_added;
    if found != expected {
        return Err(WriteError::JointCount { expected, found });
    }
    let is_elsewhere = |joint: &usize| {
        let parent = keys.skeleton.parent(joint + num_added);
        parent.and_then(|parent| parent.checked_sub(num_added)) != file.parents[*joint]
    };
    match (0..file.parents.len()).find(is_elsewhere) {
        Some(joint) => Err(WriteError::Parent { joint }),
        None => Ok(()),
    }
}

/// Properties of all nodes that leave their values at rest, key by key.
fn tracks(keys: &Keys, nodes: &[NodeForm], source: &FbxSource, file: &FbxFile) -> Result<Vec<Track>, WriteError> {
    let num_joints = nodes.len();
    let mut places = vec![Vec::with_capacity(keys.num_keys); num_joints];
    let mut turns = vec![Vec::with_capacity(keys.num_keys); num_joints];
    let file_from_world = source.turn.conjugate();
    let mut worlds = Vec::with_capacity(num_joints);
    for key in 0..keys.num_keys {
        worlds.clear();
        for (joint, node) in nodes.iter().enumerate() {
            let index = key * num_joints + joint;
            let offset = keys.translations[index] / source.space.unit_metres;
            let rotation = keys.rotations[index];
            let (parent, position, local) = match keys.skeleton.parent(joint) {
                Some(parent) => {
                    let parent: &super::scene::World = &worlds[parent];
                    (parent, parent.position() + parent.rotation * offset, rotation)
                }
                None => (
                    &file.above,
                    file_from_world * offset,
                    file.above.rotation.conjugate() * file_from_world * rotation,
                ),
            };
            let (place, world) = node.placed(parent, position, local);
            let translation = node.property_translation(place, local);
            if !translation.is_finite() || translation.abs().max_element() > MAX_VALUE {
                return Err(WriteError::OutOfRange { key, joint });
            }
            places[joint].push(translation.to_array());
            turns[joint].push(node.property_rotation(local));
            worlds.push(world);
        }
    }
    let held = file.held.iter().map(|&(node, property, value)| Track {
        node,
        property,
        values: vec![value; keys.num_keys],
    });
    let mut tracks: Vec<Track> = held.collect();
    for (joint, node) in nodes.iter().enumerate() {
        let places = core::mem::take(&mut places[joint]);
        let turns: Vec<DQuat> = core::mem::take(&mut turns[joint]);
        let turns: Vec<[f64; 3]> = angles(&node.axes, turns.into_iter())
            .into_iter()
            .map(|angles| {
                let mut by_axis = [0.0; 3];
                for (axis, angle) in node.axes.iter().zip(angles) {
                    by_axis[axis.index()] = angle;
                }
                by_axis
            })
            .collect();
        if joint == 0 || leaves(&places, node.translation) || leaves(&turns, node.rotation) {
            tracks.extend(animation::transform_tracks(node.id, places, turns));
        }
    }
    Ok(tracks)
}

fn malformed(detail: &str) -> FbxFault {
    FbxFault::Malformed {
        detail: detail.to_owned(),
    }
}

/// The file's own record of that name.
fn section<'a, 'b>(document: &'b mut Document<'a>, name: &str) -> Result<&'b mut Record<'a>, FbxFault> {
    document
        .records
        .iter_mut()
        .find(|record| *record.name == *name.as_bytes())
        .ok_or_else(|| malformed(&format!("no record {name}")))
}

/// A number beyond those of all objects.
fn first_free_id(document: &Document<'_>) -> Result<i64, FbxFault> {
    let numbered = document
        .records
        .iter()
        .filter(|record| matches!(&*record.name, b"Objects" | b"Documents"));
    let highest = numbered
        .flat_map(|record| &record.children)
        .filter_map(Record::first_int)
        .max()
        .unwrap_or(0);
    // Room for three numbers for each of a million tracks and more.
    let first = highest.max(0).saturating_add(1);
    if first > i64::MAX - (1 << 40) {
        return Err(malformed("numbers of objects leave no room for more"));
    }
    Ok(first)
}

/// The name, with a number in it where an animation has it already.
fn free_name(document: &Document<'_>, name: &Name) -> String {
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
fn add(document: &mut Document<'_>, animation: Animation) -> Result<(), FbxFault> {
    section(document, "Objects")?.extend(animation.objects);
    section(document, "Connections")?.extend(animation.connections);
    for (kind, count) in animation.counts {
        count_objects(document, kind, count)?;
    }
    // Some exporters leave the list of takes out; importers then go by the objects.
    if let Ok(takes) = section(document, "Takes") {
        takes.extend([animation.take]);
    }
    Ok(())
}

/// Adds to the number of objects of a kind, and to that of all.
fn count_objects(document: &mut Document<'_>, kind: &str, more: usize) -> Result<(), FbxFault> {
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

/// What the added root is: a bone, as rigs of games have it, unless Blender (3.4, `import_fbx.py`) would misread the file.
///
/// It makes a bone of a limb node, with its tip as far along Y as its children lie on average, and a child that rests exactly
/// there is joined to it and loses its place. And below a limb node it looks for no bones under a null, and stumbles over their
/// skins. A null becomes an object there, with neither fault.
fn kind_of_root(document: &Document<'_>, first: &NodeForm) -> &'static str {
    let rest = first.place_at_rest();
    let rests_on_tip = rest.y > 0.0 && rest.x.abs().max(rest.z.abs()) < ON_TIP * rest.y;
    let objects = document.records.iter().find(|record| *record.name == *b"Objects");
    let model = objects
        .into_iter()
        .flat_map(|objects| &objects.children)
        .find(|record| *record.name == *b"Model" && record.first_int() == Some(first.id));
    let is_bone = model.is_some_and(|model| matches!(model.kind_of_object(), Some(b"LimbNode" | b"Limb")));
    if is_bone && !rests_on_tip { "LimbNode" } else { "Null" }
}

/// How far beside the tip a joint rests on it, as a share of the way there; Blender takes a millionth.
const ON_TIP: f64 = 1e-4;

/// Puts a node between the first joint and what it hangs from.
fn add_root_node(document: &mut Document<'_>, keys: &Keys, file: &FbxFile, id: i64) -> Result<NodeForm, FbxFault> {
    let first = file.nodes.first().ok_or_else(|| malformed("no joints"))?;
    // A child that takes its parent's scale in its own way must find it there.
    let (mode, inherit_type) = match first.mode {
        InheritMode::Normal => (InheritMode::Normal, 1),
        InheritMode::IgnoreParentScale | InheritMode::ComponentwiseScale => (InheritMode::ComponentwiseScale, 0),
    };
    let name = &keys.skeleton.joint(0).name;
    let kind = kind_of_root(document, first);
    let connections = section(document, "Connections")?;
    let before = connect(first.id, file.above_id);
    let link = connections
        .children
        .iter_mut()
        .find(|record| record.has_attributes_of(&before))
        .ok_or_else(|| malformed("the first joint hangs from nothing"))?;
    *link = connect(first.id, id);
    connections.extend([connect(id, file.above_id), connect(id + 1, id)]);
    section(document, "Objects")?.extend([
        Record::new("NodeAttribute")
            .i64(id + 1)
            .text(&format!("{name}\0\x01NodeAttribute"))
            .text(kind)
            .with([Record::new("TypeFlags").text(if kind == "Null" { "Null" } else { "Skeleton" })]),
        Record::new("Model")
            .i64(id)
            .text(&format!("{name}\0\x01Model"))
            .text(kind)
            .with([
                Record::new("Version").i32(232),
                properties([
                    property("InheritType", "enum", "", "").i32(inherit_type),
                    property(ADDED_ROOT, "KString", "", "").text("travel"),
                ]),
                Record::new("Shading").bool(true),
                Record::new("Culling").text("CullingOff"),
            ]),
    ]);
    count_objects(document, "NodeAttribute", 1)?;
    count_objects(document, "Model", 1)?;
    Ok(NodeForm::plain(id, mode))
}

#[cfg(test)]
mod tests {
    use core::f64::consts::PI;

    use glam::DVec3;
    use loopwright::{math::rotation, take::Take};

    use super::*;
    use crate::{
        LoadedTake, ReadSettings, Source, SpaceSettings, UnitChoice, UpChoice, source::AnimationChoice, write_take,
    };

    /// A skeleton with all that a node can do to its properties: an armature above it with a scale, a turn and a place;
    /// every rotation order; turns before and after; offsets and pivots; a scale; both other ways to inherit one.
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
                let place = |key| [0.1, 0.3 + 0.01 * at(key).sin(), 0.02 * at(key).cos()];
                animation::transform_tracks(id, (0..21).map(place).collect(), (0..21).map(turn).collect())
            })
            .collect();
        let times = animation::ticks(21, 1.0 / 30.0, animation::TICKS_PER_SEC);
        let animation = animation::build("first", &tracks, &times, 100);
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
        record::write(&Document {
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
            space: SpaceSettings {
                up: UpChoice::Auto,
                unit: UnitChoice::Metres(0.01),
            },
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
        let LoadedTake { take, source } = read(&before, "first");
        assert_eq!((take.num_joints(), take.num_frames()), (7, 21));
        let written = write_take(&take, &source).unwrap();
        assert_same(&take, &read(&written.bytes, written.animation.as_deref().unwrap()).take);

        // Another motion than the file ever had: the whole turned, moved, and every joint bent.
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

    #[test]
    fn all_records_that_were_there_are_there_to_the_last_bit() {
        let before = file();
        let LoadedTake { take, source } = read(&before, "first");
        let written = write_take(&take, &source).unwrap();
        let (old, new) = (record::parse(&before).unwrap(), record::parse(&written.bytes).unwrap());
        assert_eq!((old.version, old.code), (new.version, new.code));
        for (old, new) in old.records.iter().zip(&new.records) {
            assert_eq!(old.name, new.name);
            if *old.name != *b"Definitions" {
                assert_eq!(old.children[..], new.children[..old.children.len()]);
            }
        }
        // Names that are taken get a number.
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

    /// A first joint of a kind at a place, with a joint below it.
    fn file_of(kind: &str, [x, y, z]: [f64; 3]) -> Vec<u8> {
        let model = |id: i64, kind: &str, place: [f64; 3]| {
            let translation = property("Lcl Translation", "Lcl Translation", "", "A");
            let translation = place.iter().fold(translation, |property, value| property.f64(*value));
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
        let places = (0..21).map(|key| [x, y, z + f64::from(key)]).collect();
        let tracks: Vec<Track> = animation::transform_tracks(1, places, vec![[0.0; 3]; 21]).into();
        let times = animation::ticks(21, 1.0 / 30.0, animation::TICKS_PER_SEC);
        let animation = animation::build("first", &tracks, &times, 100);
        objects.extend(animation.objects);
        connections.extend(animation.connections);
        record::write(&Document {
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
        for (kind, place, wanted) in [
            ("LimbNode", [0.0, 90.0, 5.0], "LimbNode"),
            ("LimbNode", [0.0, 90.0, 0.0], "Null"),
            ("LimbNode", [0.0, 0.0, 0.0], "LimbNode"),
            ("Null", [0.0, 90.0, 5.0], "Null"),
        ] {
            let LoadedTake { take, source } = read(&file_of(kind, place), "first");
            assert_eq!(take.num_joints(), 3, "{kind} {place:?}");
            // A loop in place: its root stands still, and is a joint all the same.
            let (mut translations, mut rotations) = (Vec::new(), Vec::new());
            for _ in 0..4 {
                translations.extend_from_slice(take.translations(0));
                rotations.extend_from_slice(take.rotations(0));
            }
            let root = loopwright::motion::RootMotion {
                start: loopwright::math::rigid::Rigid::IDENTITY,
                twist: loopwright::math::rigid::Twist {
                    linear: DVec3::ZERO,
                    angular: DVec3::ZERO,
                },
            };
            let (skeleton, step) = (take.skeleton().clone(), take.frame_time_secs());
            let clip = loopwright::loop_clip::LoopClip::new(
                "l",
                loopwright::motion::Tracks::new(skeleton, step, translations, rotations).unwrap(),
                0,
                root,
            )
            .unwrap();
            let layout = crate::LoopWriteSettings {
                add_root: true,
                ..crate::LoopWriteSettings::default()
            };
            let written = crate::write_loop(&clip, &source, &layout).unwrap();
            let document = record::parse(&written.bytes).unwrap();
            let objects = document
                .records
                .iter()
                .find(|record| *record.name == *b"Objects")
                .unwrap();
            let added = objects
                .children
                .iter()
                .find(|record| record.name_of_object() == Some(b"root\0\x01Model"))
                .unwrap();
            assert_eq!(added.kind_of_object(), Some(wanted.as_bytes()), "{kind} {place:?}");
            let again = read(&written.bytes, "l-loop").take;
            assert_eq!(
                (again.num_joints(), again.skeleton().joint(0).name.as_str()),
                (4, "root")
            );
        }
    }

    fn take_of_one_joint() -> Take {
        let joint = loopwright::take::Joint {
            name: "alone".to_owned(),
            parent: None,
            rest_offset: DVec3::ZERO,
            tip: None,
        };
        let skeleton = loopwright::take::Skeleton::new(vec![joint]).unwrap();
        Take::new("t", skeleton, 0.1, vec![DVec3::ZERO], vec![DQuat::IDENTITY]).unwrap()
    }
}
