//! glTF from end to end: reading, preserved contents, writing, and rejected files.
//!
//! Files are assembled here by hand, so that the reader is not tested against our own writer alone.

use glam::{DQuat, DVec3};
use loopwright_core::{
    Analysis, Joint, LoopClip, LoopSettings, RootMotion, Skeleton, Take,
    math::{Rigid, Twist, rotation},
};
use loopwright_formats::{
    AnimationChoice, ClosingKey, FileWarning, Format, GltfError, LoadedTake, LoopFile, LoopWriteSettings, ReadError,
    ReadSettings, Sidecar, Source, SpaceWarning, WriteError, load, loop_file::facts::PlaybackFacts, read_take,
    with_facts, write_loop, write_take,
};
use loopwright_mocap::folder_or_skip;
use serde_json::{Value, json};

use crate::{
    loop_file::best_made,
    support::{
        self, assert_keys, distance,
        gltf_file::{GltfFile, accessor_of, numbers, parsed, parts_of},
        read, take_of,
    },
};

fn loaded(file: &GltfFile) -> LoadedTake {
    load(&file.glb(), "t").unwrap()
}

/// Returns the same file with all views compressed by meshopt, each element of four bytes, whose differences are stored as they
/// are.
fn compressed(file: &GltfFile) -> GltfFile {
    let mut compressed = GltfFile {
        json: file.json.clone(),
        bytes: Vec::new(),
    };
    for view in compressed.json["bufferViews"].as_array_mut().unwrap() {
        let [offset, length] = ["byteOffset", "byteLength"].map(|key| view[key].as_u64().unwrap() as usize);
        let elements: Vec<&[u8]> = file.bytes[offset..offset + length].chunks(4).collect();
        let mut stream = vec![0xa0];
        let mut last = elements[0];
        for block in elements.chunks(256) {
            let groups = block.len().div_ceil(16);
            let mut columns = vec![vec![0; 16 * groups]; 4];
            for (index, element) in block.iter().enumerate() {
                for byte in 0..4 {
                    let difference = element[byte].wrapping_sub(last[byte]) as i8;
                    columns[byte][index] = ((difference << 1) ^ (difference >> 7)) as u8;
                }
                last = element;
            }
            for column in columns {
                stream.extend(vec![0xff; groups.div_ceil(4)]);
                stream.extend(column);
            }
        }
        stream.extend([0; 28]);
        stream.extend(elements[0]);
        view["buffer"] = json!(1);
        view["extensions"] = json!({"EXT_meshopt_compression": {
            "buffer": 0, "byteOffset": compressed.bytes.len(), "byteLength": stream.len(),
            "byteStride": 4, "count": elements.len(), "mode": "ATTRIBUTES",
        }});
        compressed.bytes.extend(stream);
    }
    let fallback = json!({"EXT_meshopt_compression": {"fallback": true}});
    compressed.json["buffers"] = json!([{"byteLength": 0}, {"byteLength": file.bytes.len(), "extensions": fallback}]);
    for list in ["extensionsUsed", "extensionsRequired"] {
        compressed.json[list] = json!(["EXT_meshopt_compression", "KHR_mesh_quantization"]);
    }
    compressed
}

#[test]
fn compressed_buffers_are_read_and_written_without_compression() {
    let times: Vec<f32> = (0..700).map(|frame| frame as f32 / 30.0).collect();
    let places: Vec<f32> = times.iter().flat_map(|t| [t.sin(), *t, 0.25 * t * t]).collect();
    let file = GltfFile::moving("translation", &times, &places);
    let (plain, read) = (loaded(&file), loaded(&compressed(&file)));
    assert_eq!(read.take, plain.take);
    let written = write_take(&read.take, &read.source).unwrap();
    let (json, _) = parts_of(&written.bytes);
    assert_eq!(json["extensionsRequired"], json!(["KHR_mesh_quantization"]));
    assert!(!json.to_string().contains("meshopt"), "{json}");
    let again = load(&written.bytes, "t").unwrap();
    assert_eq!(distance(&again.take, &plain.take), (0.0, 0.0));
    for (key, value, expected) in [
        (
            "count",
            "2080",
            "bufferViews[1]: its compressed bytes are damaged: it has bytes after its end",
        ),
        ("count", "2400", "damaged: it is cut off"),
        ("count", "4000000000", "memory"),
        ("byteOffset", "1", "damaged: it begins with byte"),
        ("byteLength", "1000000", "EXT_meshopt_compression needs"),
        ("mode", "\"SPIRALS\"", "its mode or its filter is not known"),
        ("filter", "\"OCTAHEDRAL_2\"", "its mode or its filter is not known"),
        ("buffer", "7", "EXT_meshopt_compression.buffer names number 7 of 2"),
    ] {
        let path = format!("/bufferViews/1/extensions/EXT_meshopt_compression/{key}");
        let error = load(&compressed(&file).edit(&path, value).glb(), "t")
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}\n  expected: {expected}");
    }
    let overlapping = compressed(&file).edit("/bufferViews/1/byteOffset", "4");
    let error = load(&overlapping.glb(), "t").unwrap_err().to_string();
    assert!(error.contains("it overlaps another view"), "{error}");
}

#[test]
fn every_interpolation_is_sampled_as_the_format_says() {
    // Keys at 0, 0.1, 0.2 and 0.5 s: a grid of 10 per second, frame 3 and 4 between keys; of a curve one of 30.
    let times = [0.0, 0.1, 0.2, 0.5];
    let x = |value: f32| [value, 0.0, 0.0];
    let plain = [x(0.0), x(1.0), x(2.0), x(5.0)].concat();
    // A parabola x = 10 t^2 with its own slopes.
    let spline = times.iter().flat_map(|t| [x(20.0 * t), x(10.0 * t * t), x(20.0 * t)]);
    let spline: Vec<f32> = spline.flatten().collect();
    for (interpolation, values, expected) in [
        ("STEP", &plain, [0.0, 1.0, 2.0, 2.0, 2.0, 5.0]),
        ("LINEAR", &plain, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
        ("CUBICSPLINE", &spline, [0.0, 0.1, 0.4, 0.9, 1.6, 2.5]),
    ] {
        let mut file = GltfFile::of_nodes(json!([{"name": "a"}]));
        let input = file.floats("SCALAR", &times);
        let output = file.floats("VEC3", values);
        file.animate("move", &[(0, "translation", interpolation, input, output)]);
        let (LoadedTake { take, .. }, warnings) = read(&file.glb(), AnimationChoice::Auto).unwrap();
        let is_stepped = warnings
            .iter()
            .any(|warning| matches!(warning, FileWarning::Stepped { count: 1, .. }));
        assert_eq!(is_stepped, interpolation == "STEP");
        let finer = if interpolation == "CUBICSPLINE" { 3 } else { 1 };
        assert_eq!(take.num_frames(), 1 + 5 * finer, "{interpolation}");
        for (frame, expected) in expected.into_iter().enumerate() {
            let found = take.translations(frame * finer)[0].x;
            let is_right = (found - expected).abs() < 1e-6;
            assert!(is_right, "{interpolation} {frame}: {found}, not {expected}");
        }
    }
}

#[test]
fn sparse_and_normalized_numbers_mean_what_they_stand_for() {
    let mut file = GltfFile::of_nodes(json!([{"name": "a"}]));
    let input = file.floats("SCALAR", &[0.0, 0.1, 0.2]);
    // Only the middle one of three is written.
    let indices = file.view(&[1]);
    let value = file.view(&[0.5_f32, 0.25, -1.0].map(f32::to_le_bytes).concat());
    let sparse = file.accessor(json!({
        "componentType": 5126, "type": "VEC3", "count": 3,
        "sparse": {"count": 1, "indices": {"bufferView": indices, "componentType": 5121}, "values": {"bufferView": value}},
    }));
    // A quarter turn about Y in 16 bits, with a stride that leaves a gap.
    let half = (core::f64::consts::FRAC_1_SQRT_2 * 32767.0).round() as i16;
    let turn = |y: i16, w: i16| [0_i16, y, 0, w, 99, 99].map(i16::to_le_bytes).concat();
    let view = file.view(&[turn(0, 32767), turn(half, half), turn(0, 32767)].concat());
    file.json["bufferViews"][view]["byteStride"] = 12.into();
    let short = file
        .accessor(json!({"bufferView": view, "componentType": 5122, "normalized": true, "type": "VEC4", "count": 3}));
    file.animate(
        "move",
        &[
            (0, "translation", "LINEAR", input, sparse),
            (0, "rotation", "LINEAR", input, short),
        ],
    );
    let take = loaded(&file).take;
    assert_eq!(take.translations(0)[0], DVec3::ZERO);
    assert_eq!(take.translations(1)[0], DVec3::new(0.5, 0.25, -1.0));
    assert!((take.rotations(1)[0] * DVec3::Z - DVec3::X).length() < 1e-4);
}

/// Armature (Z up, scaled by 0.01) > hips > spare node > foot, with a skin of hips and foot.
pub(crate) fn rig() -> GltfFile {
    let turn = -core::f64::consts::FRAC_1_SQRT_2;
    let mut file = GltfFile::of_nodes(json!([
        {"name": "Armature", "rotation": [turn, 0, 0, -turn], "scale": [0.01, 0.01, 0.01], "translation": [1, 0, 0],
         "children": [1]},
        {"name": "Hips", "translation": [0, 0, 100], "children": [2], "extras": {"kept": [1, 2.50]}},
        {"name": "between", "matrix": [0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 0, 0, -10, 1], "children": [3]},
        {"name": "Foot", "translation": [0, 5, -40]},
        {"name": "prop", "mesh": 7},
    ]));
    file.json["skins"] = parsed(r#"[{"name": "rig", "joints": [3, 1], "skeleton": 1}]"#);
    file.json["extensions"] = parsed(r#"{"VENDOR_unknown": {"b": 1, "a": [true, null]}}"#);
    let input = file.floats("SCALAR", &[0.0, 0.1, 0.2, 0.3, 0.4]);
    let positions = [0.0, 1.0, 2.0, 3.0, 4.0].iter();
    let positions: Vec<f32> = positions.flat_map(|key| [10.0 * key, -20.0 * key, 100.0]).collect();
    let positions = file.floats("VEC3", &positions);
    let turn = |key: i32| DQuat::from_rotation_x(0.1 * f64::from(key)).as_quat().to_array();
    let turns: Vec<f32> = (0..5).flat_map(turn).collect();
    let turns = file.floats("VEC4", &turns);
    file.animate(
        "Walk",
        &[
            (1, "translation", "LINEAR", input, positions),
            (1, "rotation", "LINEAR", input, turns),
        ],
    );
    file
}

#[test]
fn scales_and_nodes_above_and_between_joints_count() {
    let take = loaded(&rig()).take;
    let names = take.skeleton().joints().iter().map(|joint| joint.name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["Hips", "between", "Foot"]);
    let world = take.world_tracks();
    for frame in 0..5 {
        let key = frame as f64;
        // The armature maps the file's Z to Y and converts units to centimetres.
        let hips = DVec3::new(1.0 + 0.1 * key, 1.0, 0.2 * key);
        let [found, found_foot] = [0, 2].map(|joint| world.position(frame, joint));
        assert!((found - hips).length() < 1e-6, "{found}");
        // In the hips' axes: at -10 along Z, then turned a quarter about Z and doubled.
        let in_hips = DQuat::from_rotation_x(0.1 * key) * DVec3::new(-10.0, 0.0, -10.0 - 80.0);
        let foot = hips + 0.01 * DVec3::new(in_hips.x, in_hips.z, -in_hips.y);
        assert!((found_foot - foot).length() < 1e-6, "{found_foot} {foot}");
    }
}

fn loop_of(take: &Take) -> LoopClip {
    let root = RootMotion::new(
        Rigid::from_yaw(0.3, DVec3::new(0.5, 0.0, -1.0)),
        Twist::new(DVec3::new(0.1, 0.0, 1.2), DVec3::new(0.0, 0.6, 0.0)),
    );
    support::loop_of(take, take.num_frames() - 1, 0, root).named(format!("{}-loop", take.name()))
}

#[test]
fn a_loop_goes_into_the_file_and_all_else_stays() {
    let file = rig();
    let loaded = loaded(&file);
    let clip = loop_of(&loaded.take);
    for (add_root, closing_key, copies) in [
        (true, ClosingKey::Repeat, 1),
        (false, ClosingKey::Repeat, 1),
        (true, ClosingKey::Drop, 3),
    ] {
        let settings = LoopWriteSettings {
            add_root,
            closing_key,
            copies,
            ..LoopWriteSettings::default()
        };
        let num_keys = copies * clip.num_samples() + usize::from(closing_key == ClosingKey::Repeat);
        let written = write_loop(&clip, &loaded.source, &settings).unwrap();
        assert_eq!(written.animation.as_deref(), Some("Walk-loop"));
        let (json, bin) = parts_of(&written.bytes);
        assert_eq!(json["extensions"].to_string(), file.json["extensions"].to_string());
        assert_eq!(json["skins"], file.json["skins"]);
        assert_eq!(json["nodes"][1], file.json["nodes"][1]);
        assert_eq!(json["nodes"][4], file.json["nodes"][4]);
        assert_eq!(json["animations"][0], file.json["animations"][0]);
        assert_eq!(&bin[..file.bytes.len()], &file.bytes[..]);

        // The former animation is unchanged, with or without a root.
        let (walk, _) = read(&written.bytes, AnimationChoice::Given("Walk")).unwrap();
        let (metres, degrees) = distance(&walk.take, &loaded.take);
        assert!(metres < 1e-9 && degrees < 1e-6, "{metres} {degrees}");

        // Every joint of the loop agrees with the clip, and the first key is at time zero.
        let (looped, _) = read(&written.bytes, AnimationChoice::Loop).unwrap();
        assert_eq!(looped.take.name(), "Walk-loop");
        assert_eq!(looped.take.num_frames(), num_keys);
        let first = usize::from(add_root);
        assert_keys(&looped.take, &clip, first, [1e-5; 2]);
        for key in (0..num_keys).filter(|_| add_root) {
            // The armature above it has an offset, a turn and a scale.
            let (root, own) = (clip.root_pose(key), looped.take.pose(key).joint(0));
            let turned = rotation::difference(root.rotation, own.rotation);
            assert!(root.translation.distance(own.translation) < 1e-5 && turned.length() < 1e-5);
        }
        let channel = &json["animations"][1]["channels"][0];
        let times = accessor_of(&json, &json["animations"][1], channel, "input");
        assert_eq!(times["min"], json!([0.0]));
        assert_eq!(times["count"], json!(num_keys));

        // Once more in the same file: replaced, and no second root.
        let again = read(&written.bytes, AnimationChoice::Given("Walk")).unwrap().0;
        let written = write_loop(&clip, &again.source, &settings).unwrap();
        let (twice, _) = parts_of(&written.bytes);
        assert_eq!(twice["animations"].as_array().unwrap().len(), 2);
        assert_eq!(twice["nodes"].as_array().unwrap().len(), 5 + first);
    }
}

/// An animation of the author's own that is named as the loop would be stays, and the loop gets a number; loops replace loops.
#[test]
fn a_loop_replaces_loops_alone() {
    let mut file = rig();
    let mut own = file.json["animations"][0].clone();
    own["name"] = json!("Walk-loop");
    file.json["animations"].as_array_mut().unwrap().push(own.clone());
    let (mut source, mut bytes) = (loaded(&file).source, Vec::new());
    for _ in 0..2 {
        let clip = loop_of(&loaded(&rig()).take);
        let written = write_loop(&clip, &source, &LoopWriteSettings::default()).unwrap();
        assert_eq!(written.animation.as_deref(), Some("Walk_2-loop"));
        bytes = written.bytes;
        source = read(&bytes, AnimationChoice::Given("Walk")).unwrap().0.source;
    }
    let (json, _) = parts_of(&bytes);
    assert_eq!(json["animations"].as_array().unwrap().len(), 3);
    assert_eq!(json["animations"][1], own);
}

#[test]
fn facts_stand_in_the_extras_without_names_of_files() {
    let loaded = loaded(&rig());
    let clip = loop_of(&loaded.take);
    let written = write_loop(&clip, &loaded.source, &LoopWriteSettings::default()).unwrap();
    let mut facts = Sidecar {
        playback: PlaybackFacts {
            animation: written.animation.clone(),
            ..PlaybackFacts::default()
        },
        ..Sidecar::new()
    };
    facts.take.file = "secret.glb".to_owned();
    facts.quality.seam_rank_percent = Some(51.5);
    let bytes = with_facts(&written, &facts).unwrap();
    let (json, _) = parts_of(&bytes);
    let extras = &json["animations"][1]["extras"]["loopwright"];
    assert_eq!(extras["quality"]["seam_rank_percent"], json!(51.5));
    assert!(!json.to_string().contains("secret"));
    let bvh = write_take(&loaded.take, &Source::for_take(&loaded.take, Format::Bvh)).unwrap();
    assert_eq!(with_facts(&bvh, &facts), None);
}

#[test]
fn unusual_contents_are_reported() {
    let reported = |file: &GltfFile| read(&file.glb(), AnimationChoice::Auto).unwrap().1;
    let mut file = rig();
    let still = [0.0, 0.0, 100.0, 0.0, 0.0, 100.0];
    file.move_node("Longer, but still", (1, "translation"), &[0.0, 0.9], &still);
    let names = vec!["Walk".to_owned(), "Longer, but still".to_owned()];
    let taken = "Walk".to_owned();
    assert!(reported(&file).contains(&FileWarning::SeveralAnimations { taken, names }));

    let mut file = rig();
    let input = file.floats("SCALAR", &[0.0, 0.1317, 0.4]);
    let scales = file.floats("VEC3", &[1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0]);
    file.animate(
        "Walk",
        &[
            (1, "scale", "LINEAR", input, scales),
            (4, "translation", "STEP", input, scales),
        ],
    );
    let animation = &mut file.json["animations"][1];
    animation["channels"][0]["target"] = json!({"node": 1, "path": "scale"});
    let pointer = json!({"sampler": 0, "target": {"path": "pointer"}});
    animation["channels"].as_array_mut().unwrap().push(pointer);
    file.json["animations"].as_array_mut().unwrap().remove(0);
    let warnings = reported(&file);
    let (joint, count, varies) = ("Hips".to_owned(), 1, true);
    for warning in [
        FileWarning::ScaledJoints { joint, count, varies },
        FileWarning::NodesLeftOut { count: 1 },
        FileWarning::ChannelsLeftOut { count: 1 },
    ] {
        assert!(warnings.contains(&warning), "{warnings:?}");
    }
    let is_off_grid = |warning: &FileWarning| matches!(warning, FileWarning::KeysOffGrid { .. });
    assert!(warnings.iter().any(is_off_grid), "{warnings:?}");

    let (loaded, warnings) = read(&rig().edit("/nodes/0/scale", "[9, 9, 9]").glb(), AnimationChoice::Auto).unwrap();
    let is_unit = |warning: &FileWarning| matches!(warning, FileWarning::Space(SpaceWarning::UnitNotMetres { .. }));
    assert!(warnings.iter().any(is_unit), "{warnings:?}");
    assert!(loaded.source.space().unit_metres < 1.0 && !loaded.source.space().unit_given);

    // A dinosaur of 45 m, not one of 45 cm: in no unit a person.
    let dinosaur = rig()
        .edit("/nodes/1/name", r#""Body""#)
        .edit("/nodes/3/name", r#""Skull""#);
    let dinosaur = dinosaur.edit("/nodes/0/scale", "[0.5, 0.5, 0.5]");
    let (loaded, warnings) = read(&dinosaur.glb(), AnimationChoice::Auto).unwrap();
    let unknown = SpaceWarning::UnitUnknown { unit_metres: 1.0 }.into();
    assert!(warnings.contains(&unknown), "{warnings:?}");
    assert_eq!(loaded.source.space().unit_metres, 1.0);

    let warnings = reported(&rig().edit("/skins", r#"[{"joints": [1]}, {"name": "rig", "joints": [0, 1, 3]}]"#));
    let is_skin = |warning: &FileWarning| matches!(warning, FileWarning::SeveralSkins { .. });
    assert!(warnings.iter().any(is_skin), "{warnings:?}");
}

#[test]
fn animations_and_skins_are_taken_by_name_or_number() {
    let file = rig();
    let bytes = file.glb();
    for animation in ["Walk", "0"] {
        let (loaded, _) = read(&bytes, AnimationChoice::Given(animation)).unwrap();
        assert_eq!(loaded.take.name(), "Walk");
    }
    let error = read(&bytes, AnimationChoice::Given("Run")).unwrap_err();
    assert_eq!(error.to_string(), "there is no animation \"Run\"; there are: Walk");
    let settings = ReadSettings {
        skin: Some("2"),
        ..ReadSettings::default()
    };
    let error = read_take(&bytes, "f", &settings, &mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "there is no skin \"2\"; there are: rig");
    // Unnamed animations have the name of the file, or a number.
    let nameless = rig()
        .edit("/animations/0/name", r#"" ""#)
        .edit("/skins/0/name", r#""""#);
    assert_eq!(loaded(&nameless).take.name(), "t");
    let error = read_take(&nameless.glb(), "f", &settings, &mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "there is no skin \"2\"; there are: 0");
}

/// A mesh numbers its joints with 16 bits: a skeleton of more joints is written without one.
#[test]
fn a_skeleton_of_too_many_joints_for_a_mesh_has_none() {
    let count = usize::from(u16::MAX) + 1;
    let joints = (0..count).map(|at| Joint::new(format!("j{at}"), (at > 0).then_some(0), DVec3::X));
    let skeleton = Skeleton::new(joints.collect()).unwrap();
    let take = take_of(&skeleton, 0.1, 1, |_, _| (DVec3::X, DQuat::IDENTITY));
    let json: Value = serde_json::from_slice(&support::written(&take, Format::Gltf)).unwrap();
    assert_eq!(json["nodes"].as_array().unwrap().len(), count);
    assert!(json.get("skins").is_none() && json.get("meshes").is_none());
}

/// A take may reach as far as the reader accepts, but in a node that is scaled down its numbers are larger.
#[test]
fn numbers_that_no_reader_accepts_are_not_written() {
    let mut file = GltfFile::of(r#"[{"scale": [0.01, 0.01, 0.01], "children": [1]}, {}]"#);
    file.move_node("a", (1, "translation"), &[0.0, 0.1], &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    let LoadedTake { take, source, .. } = loaded(&file);
    assert_eq!((take.num_joints(), take.num_frames()), (1, 2));
    let written = |metres: f64| {
        let far = take_of(take.skeleton(), 0.1, 2, |frame, _| {
            (DVec3::X * if frame == 0 { metres } else { 0.0 }, DQuat::IDENTITY)
        });
        write_take(&far, &source).map(|_| ())
    };
    assert_eq!(written(9e6), Ok(()));
    assert_eq!(written(9e8), Err(WriteError::OutOfRange { key: 0, joint: 0 }));
}

#[test]
fn broken_files_are_refused_with_the_position_of_the_error() {
    let refused = |file: GltfFile, expected: &str| match load(&file.glb(), "t").unwrap_err() {
        ReadError::Gltf(error) => assert!(error.to_string().contains(expected), "{error}\n  expected: {expected}"),
        other => panic!("{other}"),
    };
    #[rustfmt::skip]
    let faults = [
        ("/nodes/4", r#"["name"]"#, "nodes[4]: expected an object"),
        ("/animations/0", "3", "animations[0]: expected an object"),
        ("/asset/version", r#""1.0""#, "glTF 1.0, only 2.x"),
        ("/nodes/3/children", "[9]", "nodes[3].children names number 9 of 5"),
        ("/nodes/3/children", "[2]", "nodes[2] is a child of both"),
        ("/nodes/1/rotation", "[0, 0, 0, 0]", "nodes[1]: its transform"),
        ("/nodes/1/scale", "[1, 2]", "nodes[1]: "),
        ("/skins/0/joints", "[77]", "skins[0].joints names number 77 of 5"),
        ("/animations", "[]", "no animation"),
        ("/animations/0/channels", "[]", "has keys for a node"),
        ("/animations/0/channels/0/target/node", "50", "channels[0].target.node names number 50 of 5"),
        ("/animations/0/channels/0/sampler", "5", "channels[0].sampler names number 5 of 2"),
        ("/animations/0/samplers/0/input", "40", "samplers[0].input names number 40 of 3"),
        ("/animations/0/samplers/0/output", "2", "expected VEC3, found VEC4"),
        ("/animations/0/samplers/0/interpolation", r#""BEZIER""#, "animations[0]: unknown variant"),
        ("/accessors/1/count", "4", "4 values for 5 keys"),
        ("/accessors/1/count", "4000000000", "more values than a file"),
        ("/accessors/1/count", "600", "accessors[1] needs"),
        ("/accessors/1/byteOffset", "18446744073709551615", "accessors[1] needs"),
        ("/accessors/1/componentType", "1", "componentType: expected"),
        ("/accessors/1/bufferView", "30", "accessors[1].bufferView names number 30 of 3"),
        ("/bufferViews/1/byteLength", "1000000", "bufferViews[1] needs"),
        ("/bufferViews/1/buffer", "2", "bufferViews[1].buffer names number 2 of 1"),
        ("/bufferViews/1/extensions", r#"{"EXT_other_compression": {}}"#, "bufferViews[1] is compressed"),
        ("/bufferViews/1/extensions", r#"{"EXT_meshopt_compression": {}}"#,
            "bufferViews[1].extensions.EXT_meshopt_compression: missing field `buffer`"),
        ("/buffers/0/uri", r#""gone.bin""#, "buffers[0]: it lies in another file, \"gone.bin\""),
        ("/buffers/0/uri", r#""data:text/plain,abc""#, "not base64"),
        ("/buffers/0/uri", r#""data:text/plain;base64""#, "no comma"),
        ("/buffers/0/uri", r#""data:;base64,****""#, "not base64"),
    ];
    for (path, value, expected) in faults {
        refused(rig().edit(path, value), expected);
    }
    let ring = rig().edit("/nodes/0/children", "[]").edit("/nodes/3/children", "[1]");
    refused(ring, "hangs below itself");
}

#[test]
fn real_files_come_back_as_they_went_in() {
    let Some(folder) = folder_or_skip() else { return };
    let folder = folder.join("gltf");
    let mut num_read = 0;
    for path in std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()) {
        if path.extension().is_none_or(|extension| extension == "bin") {
            continue;
        }
        let companions = |name: &str, _: u64| std::fs::read(path.with_file_name(name));
        let settings = ReadSettings {
            companions: Some(&companions),
            ..ReadSettings::default()
        };
        let bytes = std::fs::read(&path).unwrap();
        let loaded = read_take(&bytes, "take", &settings, &mut Vec::new())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for format in [Format::Glb, Format::Gltf] {
            let source = loaded.source.in_format(format, &loaded.take);
            let written = write_take(&loaded.take, &source).unwrap();
            let name = written.animation.as_deref().unwrap();
            let (again, _) = read(&written.bytes, AnimationChoice::Given(name)).unwrap();
            let unit = loaded.source.space().unit_metres;
            assert_eq!(again.source.space().unit_metres, unit);
            let (metres, degrees) = distance(&loaded.take, &again.take);
            let path = path.display();
            assert!(metres < 1e-4 && degrees < 0.01, "{path}: {metres} {degrees}");
        }
        num_read += 1;
    }
    assert!(num_read >= 10, "{num_read} files in {}", folder.display());
}

#[test]
fn a_joint_that_another_animation_moves_has_a_key() {
    let mut file = GltfFile::of(
        r#"[
        {"name": "hips", "children": [1, 2]},
        {"name": "hand", "translation": [0.0, 0.5, 0.0]},
        {"name": "head", "translation": [0.0, 0.7, 0.0]}
    ]"#,
    );
    let input = file.floats("SCALAR", &[0.0, 0.1, 0.2]);
    let moves = file.floats("VEC3", &[0.0, 0.5, 0.0, 0.3, 0.5, 0.0, 0.0, 0.5, 0.0]);
    let scales = file.floats("VEC3", &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0]);
    let turn = |angle: f64| DQuat::from_rotation_x(angle).as_quat().to_array();
    let turns = file.floats("VEC4", &[turn(0.0), turn(0.2), turn(0.0)].concat());
    let walk = [0, 1, 2].map(|node| (node, "rotation", "LINEAR", input, turns));
    file.animate("Walk", &walk);
    let reach = [
        (1, "translation", "LINEAR", input, moves),
        (2, "scale", "LINEAR", input, scales),
    ];
    file.animate("Reach", &reach);
    let (LoadedTake { take, source, .. }, _) = read(&file.glb(), AnimationChoice::Given("Walk")).unwrap();
    let other = take_of(take.skeleton(), take.frame_time_secs(), 3, |frame, joint| {
        (take.translations(frame)[joint], take.rotations(frame)[joint])
    });
    let written = write_take(&other, &source).unwrap();
    let (json, _) = parts_of(&written.bytes);
    let added = &json["animations"][2];
    assert_eq!(added["name"], json!(other.name()));
    let keys = |node: usize, path: &str| {
        let mut channels = added["channels"].as_array().unwrap().iter();
        let channel = channels.find(|channel| channel["target"] == json!({"node": node, "path": path}))?;
        accessor_of(&json, added, channel, "output")["count"].as_u64()
    };
    assert_eq!([keys(0, "translation"), keys(1, "translation")], [None, Some(1)]);
    assert_eq!([keys(1, "scale"), keys(2, "scale")], [None, Some(1)]);
}

/// Returns a take of two joints, of which the second slides along its bone and turns about it.
fn sliding(slide: impl Fn(usize) -> f64, turn: impl Fn(usize) -> f64) -> Take {
    let skeleton = support::skeleton(&[("a", None, DVec3::Y), ("b", Some(0), DVec3::X)]);
    take_of(&skeleton, 0.05, 41, |frame, joint| match joint {
        0 => (DVec3::Y, DQuat::IDENTITY),
        _ => (DVec3::X * (1.0 + slide(frame)), DQuat::from_rotation_x(turn(frame))),
    })
}

/// Single precision keeps a tenth of a micrometre of a metre.
#[test]
fn a_joint_that_slides_by_a_hair_slides_in_the_file() {
    for metres in [1e-5, 5e-4, 0.2] {
        let take = sliding(|frame| metres * (frame % 3) as f64, |frame| 0.1 * (frame % 5) as f64);
        let (again, _) = read(&support::written(&take, Format::Glb), AnimationChoice::Auto).unwrap();
        let (off, _) = distance(&take, &again.take);
        assert!(off < 1e-6, "{metres}: {off}");
    }
}

/// Returns a file of two nodes, in which these are the targets of three keys.
fn with_pointers(pointers: &[&str]) -> GltfFile {
    let mut file = GltfFile::of(r#"[{"name": "a", "children": [1]}, {"name": "b", "translation": [0, 1, 0]}]"#);
    file.move_node(
        "a",
        (0, "translation"),
        &[0.0, 0.1, 0.2],
        &[0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.2, 0.0, 0.0],
    );
    let channels = pointers.iter().map(|pointer| {
        json!({"sampler": 0, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": pointer}}}})
    });
    file.json["animations"][0]["channels"] = channels.collect();
    file.json["extensionsUsed"] = json!(["KHR_animation_pointer"]);
    file
}

#[test]
fn pointers_to_nodes_are_channels_of_nodes() {
    const COLOUR: &str = "/materials/0/pbrMetallicRoughness/baseColorFactor";
    let pointed = with_pointers(&["/nodes/1/translation", COLOUR]);
    let mut plain = with_pointers(&[]);
    plain.json["animations"][0]["channels"] = json!([{"sampler": 0, "target": {"node": 1, "path": "translation"}}]);
    let mut warnings = Vec::new();
    let read = read_take(&pointed.glb(), "t", &ReadSettings::default(), &mut warnings).unwrap();
    assert_eq!(read.take, loaded(&plain).take);
    assert!(
        warnings.contains(&FileWarning::ChannelsLeftOut { count: 1 }),
        "{warnings:?}"
    );
    // Written into the file, the motion has plain channels beside the pointers.
    let values = read.take.values();
    let (translations, rotations) = (values.translations.to_vec(), values.rotations.to_vec());
    let again = Take::new("again", read.take.skeleton().clone(), 0.1, translations, rotations).unwrap();
    let written = write_take(&again, &read.source).unwrap();
    let (json, _) = parts_of(&written.bytes);
    assert_eq!(json["extensionsUsed"], json!(["KHR_animation_pointer"]));
    assert_eq!(json["animations"][0], pointed.json["animations"][0]);
    let channels = json["animations"][1]["channels"].as_array().unwrap();
    assert!(
        channels.iter().all(|channel| channel["target"]["node"].is_u64()),
        "{channels:?}"
    );
    for pointers in [&[COLOUR][..], &["/nodes/0/mesh", "/nodes/x/rotation"]] {
        let error = load(&with_pointers(pointers).glb(), "t").unwrap_err();
        assert_eq!(error, GltfError::OtherPointers.into());
    }
    let beyond = load(&with_pointers(&["/nodes/7/rotation"]).glb(), "t").unwrap_err();
    assert!(beyond.to_string().contains("names number 7 of 2"), "{beyond}");
}

#[test]
fn a_scale_that_pulses_is_looped_beside_the_pose() {
    let mut file = GltfFile::of(
        r#"[{"name": "Body", "children": [1]}, {"name": "Head", "translation": [0, 0.8, 0], "children": [2]},
            {"name": "Hat", "translation": [0.1, 0.2, 0]}]"#,
    );
    let frames = || (0..31).map(|frame| std::f32::consts::TAU * frame as f32 / 30.0);
    let times: Vec<f32> = (0..31).map(|frame| frame as f32 / 30.0).collect();
    let hops: Vec<f32> = frames().flat_map(|phase| [0.0, 0.5 - 0.3 * phase.cos(), 0.0]).collect();
    let scale = |phase: f32| {
        [
            1.0 + 0.2 * phase.cos(),
            1.0 - 0.3 * phase.cos(),
            1.0 + 0.2 * phase.cos(),
        ]
    };
    let nods: Vec<f32> = frames()
        .flat_map(|phase| {
            DQuat::from_rotation_x(0.2 * f64::from(phase.sin()))
                .as_quat()
                .to_array()
        })
        .collect();
    let input = file.floats("SCALAR", &times);
    let hops = file.floats("VEC3", &hops);
    let scales = file.floats("VEC3", &frames().flat_map(scale).collect::<Vec<_>>());
    let nods = file.floats("VEC4", &nods);
    file.animate(
        "hop",
        &[
            (0, "translation", "LINEAR", input, hops),
            (0, "scale", "LINEAR", input, scales),
            (1, "rotation", "LINEAR", input, nods),
        ],
    );
    let read = loaded(&file);
    let lost =
        [Format::Glb, Format::Gltf, Format::Vrma, Format::Fbx, Format::Bvh].map(|to| read.source.loses_scale(to));
    assert_eq!(lost, [false, false, true, true, true]);
    let made = best_made(&Analysis::new(&read.take).unwrap(), &LoopSettings::default());
    let facts = read.facts("hop.glb");
    let made = LoopFile::write_with(&made, facts, &read.source, &LoopWriteSettings::default()).unwrap();
    let written = made.bytes();
    let (json, bin) = parts_of(&written);
    let animation = &json["animations"][1];
    let channels = animation["channels"].as_array().unwrap();
    let is_scale = |channel: &&Value| channel["target"] == json!({"node": 0, "path": "scale"});
    let channel = channels.iter().find(is_scale).expect("a track of scale");
    let found = numbers(&json, bin, accessor_of(&json, animation, channel, "output"));
    let known: Vec<f64> = frames().flat_map(scale).map(f64::from).collect();
    assert_eq!(found.len(), known.len());
    assert!(
        found
            .iter()
            .zip(&known)
            .all(|(found, known)| (found - known).abs() < 1e-4),
        "{found:?}"
    );
    let (again, _) = support::read(&written, AnimationChoice::Number(1)).unwrap();
    assert!(distance(&again.take, &read.take).0 < 1e-4);
    assert!(again.source.changes_scale());
}
