//! glTF from end to end: reading, preserved contents, writing, and rejected files.
//!
//! Files are assembled here by hand, so that the reader is not tested against our own writer alone.

mod gltf_file;

use glam::{DQuat, DVec3};
use gltf_file::GltfFile;
use loopwright::{
    Joint, LoopClip, Pose, RootMotion, Skeleton, Take,
    math::{Rigid, Twist, rotation},
};
use loopwright_formats::{
    AnimationChoice, ClosingKey, Format, GltfError, LoadedTake, LoopWriteSettings, ReadError, ReadSettings, Sidecar,
    Source, SpaceWarning, Warning, WriteError, loop_file::facts::PlaybackFacts, read_take, with_facts, write_loop,
    write_take,
};
use serde_json::{Value, json};

fn read(bytes: &[u8], animation: AnimationChoice<'_>) -> Result<(LoadedTake, Vec<Warning>), ReadError> {
    let settings = ReadSettings {
        animation,
        ..ReadSettings::default()
    };
    let mut warnings = Vec::new();
    Ok((read_take(bytes, "file", &settings, &mut warnings)?, warnings))
}

fn take_of(file: &GltfFile) -> Take {
    read(&file.glb(), AnimationChoice::Auto).unwrap().0.take
}

/// Largest distance of joints in the world over all frames, metres, and largest angle between their rotations, degrees.
fn distance(p: &Take, q: &Take) -> (f64, f64) {
    assert_eq!((p.num_frames(), p.num_joints()), (q.num_frames(), q.num_joints()));
    let (of_p, of_q) = (p.world_tracks(), q.world_tracks());
    let (mut metres, mut degrees) = (0.0_f64, 0.0_f64);
    for frame in 0..p.num_frames() {
        for joint in 0..p.num_joints() {
            metres = metres.max((of_p.position(frame, joint) - of_q.position(frame, joint)).length());
            let turn = rotation::difference(of_p.rotation(frame, joint), of_q.rotation(frame, joint));
            degrees = degrees.max(turn.length().to_degrees());
        }
    }
    (metres, degrees)
}

#[test]
fn a_bvh_take_survives_the_way_through_every_form() {
    let walk = loopwright_synth::synthesize(&loopwright_synth::WalkSettings::default())
        .unwrap()
        .take;
    for format in [Format::Glb, Format::Gltf] {
        let written = write_take(&walk, &Source::for_take(&walk, format)).unwrap();
        let (loaded, warnings) = read(&written.bytes, AnimationChoice::Auto).unwrap();
        assert_eq!(loaded.source.format(), format);
        assert_eq!(warnings, []);
        assert_eq!(loaded.take.name(), walk.name());
        assert!((loaded.take.frame_time_secs() / walk.frame_time_secs() - 1.0).abs() < 1e-6);
        let (metres, degrees) = distance(&walk, &loaded.take);
        assert!(metres < 1e-5 && degrees < 0.01, "{metres} m, {degrees} degrees");
        let bvh = write_take(&loaded.take, &Source::for_take(&loaded.take, Format::Bvh)).unwrap();
        let (back, _) = read(&bvh.bytes, AnimationChoice::Auto).unwrap();
        let (metres, degrees) = distance(&walk, &back.take);
        assert!(metres < 1e-5 && degrees < 0.01, "{metres} m, {degrees} degrees");
        for (before, after) in walk.skeleton().joints().iter().zip(back.take.skeleton().joints()) {
            assert_eq!((&before.name, before.parent), (&after.name, after.parent));
            assert!((before.rest_offset - after.rest_offset).length() < 1e-6);
        }
    }
}

#[test]
fn every_interpolation_is_sampled_as_the_format_says() {
    // Keys at 0, 0.1, 0.2 and 0.5 s: a grid of 10 per second, frame 3 and 4 between keys.
    let times = [0.0, 0.1, 0.2, 0.5];
    let x = |value: f32| [value, 0.0, 0.0];
    let plain = [x(0.0), x(1.0), x(2.0), x(5.0)].concat();
    // A parabola x = 10 t^2 with its own slopes.
    let spline: Vec<f32> = times
        .iter()
        .flat_map(|t| [x(20.0 * t), x(10.0 * t * t), x(20.0 * t)])
        .flatten()
        .collect();
    for (interpolation, values, expected) in [
        ("STEP", &plain, [0.0, 1.0, 2.0, 2.0, 2.0, 5.0]),
        ("LINEAR", &plain, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
        ("CUBICSPLINE", &spline, [0.0, 0.1, 0.4, 0.9, 1.6, 2.5]),
    ] {
        let mut file = GltfFile::of_nodes(json!([{"name": "a"}]));
        let input = file.floats("SCALAR", &times);
        let output = file.floats("VEC3", values);
        file.animate("move", &[(0, "translation", interpolation, input, output)]);
        let take = take_of(&file);
        assert_eq!(take.num_frames(), 6, "{interpolation}");
        for (frame, expected) in expected.into_iter().enumerate() {
            let found = take.translations(frame)[0].x;
            assert!(
                (found - expected).abs() < 1e-6,
                "{interpolation} {frame}: {found}, not {expected}"
            );
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
    let take = take_of(&file);
    assert_eq!(take.translations(0)[0], DVec3::ZERO);
    assert_eq!(take.translations(1)[0], DVec3::new(0.5, 0.25, -1.0));
    assert!((take.rotations(1)[0] * DVec3::Z - DVec3::X).length() < 1e-4);
}

/// Armature (Z up, scaled by 0.01) > hips > spare node > foot, with a skin of hips and foot.
fn rig() -> GltfFile {
    let turn = -core::f64::consts::FRAC_1_SQRT_2;
    let mut file = GltfFile::of_nodes(json!([
        {"name": "Armature", "rotation": [turn, 0, 0, -turn], "scale": [0.01, 0.01, 0.01], "translation": [1, 0, 0],
         "children": [1]},
        {"name": "Hips", "translation": [0, 0, 100], "children": [2], "extras": {"kept": [1, 2.50]}},
        {"name": "between", "matrix": [0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 0, 0, -10, 1], "children": [3]},
        {"name": "Foot", "translation": [0, 5, -40]},
        {"name": "prop", "mesh": 7},
    ]));
    file.json["skins"] = json!([{"name": "rig", "joints": [3, 1], "skeleton": 1}]);
    file.json["extensions"] = json!({"VENDOR_unknown": {"b": 1, "a": [true, null]}});
    let input = file.floats("SCALAR", &[0.0, 0.1, 0.2, 0.3, 0.4]);
    let positions: Vec<f32> = (0..5)
        .flat_map(|key| [10.0 * key as f32, -20.0 * key as f32, 100.0])
        .collect();
    let positions = file.floats("VEC3", &positions);
    let turns: Vec<f32> = (0..5)
        .flat_map(|key| DQuat::from_rotation_x(0.1 * f64::from(key)).as_quat().to_array())
        .collect();
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
    let file = rig();
    let (loaded, _) = read(&file.glb(), AnimationChoice::Auto).unwrap();
    let take = &loaded.take;
    let names: Vec<&str> = take
        .skeleton()
        .joints()
        .iter()
        .map(|joint| joint.name.as_str())
        .collect();
    assert_eq!(names, ["Hips", "between", "Foot"]);
    let world = take.world_tracks();
    for frame in 0..5 {
        let key = frame as f64;
        // The armature maps the file's Z to Y and converts units to centimetres.
        let hips = DVec3::new(1.0 + 0.1 * key, 1.0, 0.2 * key);
        assert!(
            (world.position(frame, 0) - hips).length() < 1e-6,
            "{}",
            world.position(frame, 0)
        );
        // In the hips' axes: at -10 along Z, then turned a quarter about Z and doubled.
        let in_hips = DQuat::from_rotation_x(0.1 * key) * DVec3::new(-10.0, 0.0, -10.0 - 80.0);
        let foot = hips + 0.01 * DVec3::new(in_hips.x, in_hips.z, -in_hips.y);
        assert!(
            (world.position(frame, 2) - foot).length() < 1e-6,
            "{} {foot}",
            world.position(frame, 2)
        );
    }
}

fn loop_of(take: &Take) -> LoopClip {
    let root = RootMotion {
        start: Rigid::from_yaw(0.3, DVec3::new(0.5, 0.0, -1.0)),
        twist: Twist {
            linear: DVec3::new(0.1, 0.0, 1.2),
            angular: DVec3::new(0.0, 0.6, 0.0),
        },
    };
    let count = take.num_frames() - 1;
    let translations = (0..count).flat_map(|frame| take.translations(frame).to_vec()).collect();
    let rotations = (0..count).flat_map(|frame| take.rotations(frame).to_vec()).collect();
    let name = format!("{}-loop", take.name());
    LoopClip::new(
        name,
        loopwright::motion::Tracks::new(take.skeleton().clone(), take.frame_time_secs(), translations, rotations)
            .unwrap(),
        0,
        root,
    )
    .unwrap()
}

fn json_of(glb: &[u8]) -> Value {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

#[test]
fn a_loop_goes_into_the_file_and_all_else_stays() {
    let file = rig();
    let before = file.glb();
    let (loaded, _) = read(&before, AnimationChoice::Auto).unwrap();
    let clip = loop_of(&loaded.take);
    for add_root in [true, false] {
        let settings = LoopWriteSettings {
            add_root,
            ..LoopWriteSettings::default()
        };
        let written = write_loop(&clip, &loaded.source, &settings).unwrap();
        assert_eq!(written.animation.as_deref(), Some("Walk-loop"));
        let json = json_of(&written.bytes);
        assert_eq!(json["extensions"].to_string(), file.json["extensions"].to_string());
        assert_eq!(json["skins"], file.json["skins"]);
        assert_eq!(json["nodes"][1], file.json["nodes"][1]);
        assert_eq!(json["nodes"][4], file.json["nodes"][4]);
        assert_eq!(json["animations"][0], file.json["animations"][0]);
        let at = 20 + u32::from_le_bytes(written.bytes[12..16].try_into().unwrap()) as usize + 8;
        assert_eq!(&written.bytes[at..at + file.bytes.len()], &file.bytes[..]);

        // The former animation is unchanged, with or without a root.
        let (walk, _) = read(&written.bytes, AnimationChoice::Given("Walk")).unwrap();
        let (metres, degrees) = distance(&walk.take, &loaded.take);
        assert!(metres < 1e-9 && degrees < 1e-6, "{metres} {degrees}");

        // Every joint of the loop agrees with the clip, one key more than samples, the first at time zero.
        let (looped, _) = read(&written.bytes, AnimationChoice::Loop).unwrap();
        assert_eq!(looped.take.name(), "Walk-loop");
        assert_eq!(looped.take.num_frames(), clip.num_samples() + 1);
        let first = usize::from(add_root);
        assert_eq!(looped.take.num_joints(), 3 + first);
        for key in 0..=clip.num_samples() {
            let Pose {
                translations: positions,
                rotations: turns,
            } = clip.world_pose(key);
            let world = looped.take.world_tracks();
            for joint in 0..3 {
                assert!((world.position(key, first + joint) - positions[joint]).length() < 1e-5);
                assert!(rotation::difference(world.rotation(key, first + joint), turns[joint]).length() < 1e-5);
            }
        }
        let times = &json["accessors"][json["animations"][1]["samplers"][0]["input"].as_u64().unwrap() as usize];
        assert_eq!(times["min"], json!([0.0]));
        assert_eq!(times["count"], json!(clip.num_samples() + 1));

        // Once more in the same file: replaced, and no second root.
        let again = read(&written.bytes, AnimationChoice::Given("Walk")).unwrap().0;
        let twice = json_of(&write_loop(&clip, &again.source, &settings).unwrap().bytes);
        assert_eq!(twice["animations"].as_array().unwrap().len(), 2);
        assert_eq!(twice["nodes"].as_array().unwrap().len(), 5 + first);
    }
}

#[test]
fn the_last_key_may_be_dropped_and_copies_added() {
    let file = rig();
    let (loaded, _) = read(&file.glb(), AnimationChoice::Auto).unwrap();
    let clip = loop_of(&loaded.take);
    let settings = LoopWriteSettings {
        closing_key: ClosingKey::Drop,
        copies: 3,
        add_root: true,
        ..LoopWriteSettings::default()
    };
    let written = write_loop(&clip, &loaded.source.in_format(Format::Gltf, &loaded.take), &settings).unwrap();
    assert!(written.bytes.starts_with(b"{"));
    let (looped, _) = read(&written.bytes, AnimationChoice::Loop).unwrap();
    assert_eq!(looped.take.num_frames(), 3 * clip.num_samples());
}

#[test]
fn facts_stand_in_the_extras_without_names_of_files() {
    let file = rig();
    let (loaded, _) = read(&file.glb(), AnimationChoice::Auto).unwrap();
    let clip = loop_of(&loaded.take);
    let written = write_loop(&clip, &loaded.source, &LoopWriteSettings::default()).unwrap();
    let mut facts = Sidecar {
        playback: PlaybackFacts {
            animation: written.animation.clone(),
            ..PlaybackFacts::default()
        },
        ..Sidecar::default()
    };
    facts.take.file = "secret.glb".to_owned();
    facts.quality.seam_rank_percent = Some(51.5);
    let json = json_of(&with_facts(&written, &facts).unwrap());
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
    let input = file.floats("SCALAR", &[0.0, 0.9]);
    let still = file.floats("VEC3", &[0.0, 0.0, 100.0, 0.0, 0.0, 100.0]);
    file.animate("Longer, but still", &[(1, "translation", "LINEAR", input, still)]);
    let names = vec!["Walk".to_owned(), "Longer, but still".to_owned()];
    let taken = "Walk".to_owned();
    assert!(reported(&file).contains(&Warning::SeveralAnimations { taken, names }));

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
    file.json["animations"].as_array_mut().unwrap().remove(0);
    file.json["animations"][0]["channels"][0]["target"] = json!({"node": 1, "path": "scale"});
    file.json["animations"][0]["channels"]
        .as_array_mut()
        .unwrap()
        .push(json!({"sampler": 0, "target": {"path": "pointer"}}));
    let warnings = reported(&file);
    let (joint, count, varies) = ("Hips".to_owned(), 1, true);
    assert!(
        warnings.contains(&Warning::ScaledJoints { joint, count, varies }),
        "{warnings:?}"
    );
    assert!(warnings.contains(&Warning::NodesLeftOut { count: 1 }), "{warnings:?}");
    assert!(
        warnings.contains(&Warning::ChannelsLeftOut { count: 1 }),
        "{warnings:?}"
    );
    assert!(
        warnings
            .iter()
            .any(|warning| matches!(warning, Warning::KeysOffGrid { .. })),
        "{warnings:?}"
    );

    let mut file = rig();
    file.json["nodes"][0]["scale"] = json!([9, 9, 9]);
    let (loaded, warnings) = read(&file.glb(), AnimationChoice::Auto).unwrap();
    assert!(
        warnings
            .iter()
            .any(|warning| matches!(warning, Warning::Space(SpaceWarning::UnitNotMetres { .. }))),
        "{warnings:?}"
    );
    assert!(loaded.source.space().unit_metres < 1.0 && !loaded.source.space().unit_given);

    let mut file = rig();
    file.json["skins"] = json!([{"joints": [1]}, {"name": "rig", "joints": [0, 1, 3]}]);
    let warnings = reported(&file);
    assert!(
        warnings
            .iter()
            .any(|warning| matches!(warning, Warning::SeveralSkins { .. })),
        "{warnings:?}"
    );
}

#[test]
fn animations_and_skins_are_taken_by_name_or_number() {
    let file = rig();
    let bytes = file.glb();
    for animation in ["Walk", "0"] {
        assert_eq!(
            read(&bytes, AnimationChoice::Given(animation)).unwrap().0.take.name(),
            "Walk"
        );
    }
    let error = read(&bytes, AnimationChoice::Given("Run")).unwrap_err();
    assert_eq!(error.to_string(), "there is no animation \"Run\"; there are: Walk");
    let settings = ReadSettings {
        skin: Some("2"),
        ..ReadSettings::default()
    };
    let error = read_take(&bytes, "f", &settings, &mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "there is no skin \"2\"; there are: rig");
    // What has no name goes by that of the file, or by its number.
    let mut nameless = rig();
    nameless.json["animations"][0]["name"] = json!(" ");
    nameless.json["skins"][0]["name"] = json!("");
    assert_eq!(take_of(&nameless).name(), "file");
    let error = read_take(&nameless.glb(), "f", &settings, &mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "there is no skin \"2\"; there are: 0");
}

/// A mesh numbers its joints with 16 bits: a skeleton of more joints is written without one.
#[test]
fn a_skeleton_of_too_many_joints_for_a_mesh_has_none() {
    let count = usize::from(u16::MAX) + 1;
    let joints = (0..count)
        .map(|joint| Joint {
            name: format!("j{joint}"),
            parent: (joint > 0).then_some(0),
            rest_offset: DVec3::X,
            tip: None,
        })
        .collect();
    let skeleton = Skeleton::new(joints).unwrap();
    let take = Take::new(
        "many",
        skeleton,
        0.1,
        vec![DVec3::X; count],
        vec![DQuat::IDENTITY; count],
    )
    .unwrap();
    let written = write_take(&take, &Source::for_take(&take, Format::Gltf)).unwrap();
    let json: Value = serde_json::from_slice(&written.bytes).unwrap();
    assert_eq!(json["nodes"].as_array().unwrap().len(), count);
    assert!(json.get("skins").is_none() && json.get("meshes").is_none());
}

/// A take may reach as far as the reader accepts, but in a node that is scaled down its numbers are larger.
#[test]
fn numbers_that_no_reader_accepts_are_not_written() {
    let mut file = GltfFile::of_nodes(json!([{"scale": [0.01, 0.01, 0.01], "children": [1]}, {}]));
    let input = file.floats("SCALAR", &[0.0, 0.1]);
    let output = file.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    file.animate("a", &[(1, "translation", "LINEAR", input, output)]);
    let LoadedTake { take, source } = read(&file.glb(), AnimationChoice::Auto).unwrap().0;
    assert_eq!((take.num_joints(), take.num_frames()), (1, 2));
    let written = |metres: f64| {
        let translations = vec![DVec3::X * metres, DVec3::ZERO];
        let rotations = vec![DQuat::IDENTITY; 2];
        let far = Take::new("far", take.skeleton().clone(), 0.1, translations, rotations).unwrap();
        write_take(&far, &source).map(|_| ())
    };
    assert_eq!(written(9e6), Ok(()));
    assert_eq!(written(9e8), Err(WriteError::OutOfRange { key: 0, joint: 0 }));
}

/// Every fault of a file, with its message.
#[test]
fn broken_files_are_refused_with_the_position_of_the_error() {
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut file = rig();
        change(&mut file.json);
        match read(&file.glb(), AnimationChoice::Auto).unwrap_err() {
            ReadError::Gltf(error) => error.to_string(),
            other => panic!("{other}"),
        }
    };
    type Change = fn(&mut Value);
    let faults: [(Change, &str); 26] = [
        (|f| f["nodes"][4] = json!(["name"]), "nodes[4]: expected an object"),
        (|f| f["animations"][0] = json!(3), "animations[0]: expected an object"),
        (|f| f["asset"]["version"] = json!("1.0"), "glTF 1.0, only 2.x"),
        (
            |f| f["nodes"][3]["children"] = json!([9]),
            "nodes[3].children names number 9 of 5",
        ),
        (
            |f| f["nodes"][3]["children"] = json!([2]),
            "nodes[2] is a child of both",
        ),
        (
            |f| {
                f["nodes"][0]["children"] = json!([]);
                f["nodes"][3]["children"] = json!([1]);
            },
            "hangs below itself",
        ),
        (
            |f| f["nodes"][1]["rotation"] = json!([0, 0, 0, 0]),
            "nodes[1]: its transform",
        ),
        (|f| f["nodes"][1]["scale"] = json!([1, 2]), "nodes[1]: "),
        (
            |f| f["skins"][0]["joints"] = json!([77]),
            "skins[0].joints names number 77 of 5",
        ),
        (|f| f["animations"] = json!([]), "no animation"),
        (|f| f["animations"][0]["channels"] = json!([]), "has keys for a node"),
        (
            |f| f["animations"][0]["channels"][0]["target"]["node"] = json!(50),
            "channels[0].target.node names number 50 of 5",
        ),
        (
            |f| f["animations"][0]["channels"][0]["sampler"] = json!(5),
            "channels[0].sampler names number 5 of 2",
        ),
        (
            |f| f["animations"][0]["samplers"][0]["input"] = json!(40),
            "samplers[0].input names number 40 of 3",
        ),
        (
            |f| f["animations"][0]["samplers"][0]["output"] = json!(2),
            "expected VEC3, found VEC4",
        ),
        (
            |f| f["animations"][0]["samplers"][0]["interpolation"] = json!("BEZIER"),
            "animations[0]: unknown variant",
        ),
        (|f| f["accessors"][1]["count"] = json!(4), "4 values for 5 keys"),
        (
            |f| f["accessors"][1]["count"] = json!(4_000_000_000_u64),
            "more values than a file",
        ),
        (|f| f["accessors"][1]["count"] = json!(600), "accessors[1] needs"),
        (
            |f| f["accessors"][1]["byteOffset"] = json!(u64::MAX),
            "accessors[1] needs",
        ),
        (
            |f| f["accessors"][1]["componentType"] = json!(1),
            "componentType: expected",
        ),
        (
            |f| f["accessors"][1]["bufferView"] = json!(30),
            "accessors[1].bufferView names number 30 of 3",
        ),
        (
            |f| f["bufferViews"][1]["byteLength"] = json!(1_000_000),
            "bufferViews[1] needs",
        ),
        (
            |f| f["bufferViews"][1]["buffer"] = json!(2),
            "bufferViews[1].buffer names number 2 of 1",
        ),
        (
            |f| f["bufferViews"][1]["extensions"] = json!({"EXT_meshopt_compression": {}}),
            "bufferViews[1] is compressed",
        ),
        (
            |f| f["buffers"][0]["uri"] = json!("gone.bin"),
            "buffers[0]: it lies in another file, \"gone.bin\"",
        ),
    ];
    for (change, expected) in faults {
        let error = refused(&change);
        assert!(error.contains(expected), "{error}\n  expected: {expected}");
    }
    for (uri, expected) in [
        ("data:text/plain,abc", "not base64"),
        ("data:text/plain;base64", "no comma"),
        ("data:;base64,****", "not base64"),
    ] {
        let error = refused(&|file| file["buffers"][0]["uri"] = json!(uri));
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn numbers_that_are_no_motion_are_refused() {
    let refused = |times: &[f32], values: &[f32]| {
        let mut file = GltfFile::of_nodes(json!([{}]));
        let input = file.floats("SCALAR", times);
        let output = file.floats(if values.len().is_multiple_of(3) { "VEC3" } else { "VEC4" }, values);
        let path = if values.len().is_multiple_of(3) {
            "translation"
        } else {
            "rotation"
        };
        file.animate("a", &[(0, path, "LINEAR", input, output)]);
        match read(&file.glb(), AnimationChoice::Auto).unwrap_err() {
            ReadError::Gltf(error) => error,
            other => panic!("{other}"),
        }
    };
    let six = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
    for times in [
        [0.2, 0.1],
        [-1.0, 0.0],
        [0.0, f32::NAN],
        [0.0, f32::INFINITY],
        [0.0, 1e30],
    ] {
        assert!(matches!(refused(&times, &six), GltfError::KeyTime { .. }), "{times:?}");
    }
    for bad in [f32::NAN, f32::NEG_INFINITY, 1e20] {
        let values = [0.0, 0.0, 0.0, 1.0, bad, 1.0];
        assert!(
            matches!(refused(&[0.0, 1.0], &values), GltfError::KeyValue { key: 1, .. }),
            "{bad}"
        );
    }
    let no_turn = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    assert!(matches!(
        refused(&[0.0, 1.0], &no_turn),
        GltfError::KeyValue { key: 1, .. }
    ));
    assert!(matches!(refused(&[], &[]), GltfError::KeyCount { .. }));
}

#[test]
fn few_bytes_that_mean_much_are_refused() {
    // A key after years: a grid of billions of frames.
    let mut file = GltfFile::of_nodes(json!([{}]));
    let input = file.floats("SCALAR", &[0.0, 0.03, 9e7]);
    let output = file.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
    file.animate("a", &[(0, "translation", "LINEAR", input, output)]);
    let error = read(&file.glb(), AnimationChoice::Auto).unwrap_err();
    assert!(matches!(error, ReadError::OutOfProportion { .. }), "{error}");
    // A chain of nodes as deep as the file is long.
    let mut nodes: Vec<Value> = (1..5000).map(|child| json!({"children": [child]})).collect();
    nodes.push(json!({}));
    let mut file = GltfFile::of_nodes(Value::Array(nodes));
    let input = file.floats("SCALAR", &[0.0, 0.1]);
    let output = file.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    file.animate("a", &[(0, "translation", "LINEAR", input, output)]);
    let error = read(&file.glb(), AnimationChoice::Auto).unwrap_err();
    assert!(matches!(error, ReadError::Gltf(GltfError::TooDeep { .. })), "{error}");
    // Brackets inside brackets.
    let deep = format!("{{\"asset\": {}", "[".repeat(100_000));
    let error = read(deep.as_bytes(), AnimationChoice::Auto).unwrap_err();
    assert!(matches!(error, ReadError::Gltf(GltfError::Json { .. })), "{error}");
}

/// Truncated anywhere, and with any byte changed, a file is read or rejected, and files that are read can be written.
#[test]
fn nothing_makes_the_reader_panic() {
    let bytes = rig().glb();
    for end in 0..bytes.len() {
        let _ = read(&bytes[..end], AnimationChoice::Auto);
    }
    let mut seed = 7_u32;
    for at in 0..bytes.len() {
        let mut edited = bytes.clone();
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        edited[at] = (seed >> 24) as u8;
        if let Ok((loaded, _)) = read(&edited, AnimationChoice::Auto) {
            let _ = write_take(&loaded.take, &loaded.source);
            let _ = write_take(&loaded.take, &loaded.source.in_format(Format::Gltf, &loaded.take));
        }
    }
}

#[test]
fn real_files_come_back_as_they_went_in() {
    let Some(folder) = loopwright_mocap::folder_or_skip() else {
        return;
    };
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
            assert!(
                metres < 1e-4 && degrees < 0.01,
                "{}: {metres} {degrees}",
                path.display()
            );
        }
        num_read += 1;
    }
    assert!(num_read >= 10, "{num_read} files in {}", folder.display());
}
