//! Unusual contents of files are reported with kind and position, in any format; these are the kinds that no other test covers.

use glam::DQuat;
use loopwright_formats::{AnimationChoice, FileWarning, LoadedTake, write_take};

use crate::support::{self, gltf_file::GltfFile};

fn read(bytes: &[u8]) -> (LoadedTake, Vec<FileWarning>) {
    support::read(bytes, AnimationChoice::Auto).unwrap()
}

/// Two joints in BVH at a frame time, the lower one with an offset and a different position in every frame.
fn bvh_of(frame_time: &str, offset: &str) -> Vec<u8> {
    format!(
        "HIERARCHY ROOT Hips {{ OFFSET 0 0 0 CHANNELS 3 Xposition Yposition Zposition \
         JOINT Chest {{ OFFSET {offset} CHANNELS 3 Xposition Yposition Zposition End Site {{ OFFSET 0 0 0 }} }} }}\n\
         MOTION\nFrames: 3\nFrame Time: {frame_time}\n0 90 0 0 20 0\n0 90 1 0 20 0\n0 90 2 0 20 0\n"
    )
    .into_bytes()
}

fn odd_rates(bytes: &[u8]) -> Vec<f64> {
    let reported = read(bytes).1.into_iter();
    let rates = reported.filter_map(|warning| match warning {
        FileWarning::OddRate { rate_hz } => Some(rate_hz),
        _ => None,
    });
    rates.collect()
}

#[test]
fn implausible_rates_are_reported() {
    let usual = "0.0333333 0.033367 0.03333 0.0083333 0.008333 .01666 0.0167 0.04 0.041708 0.05 0.1";
    for usual in usual.split(' ') {
        assert_eq!(odd_rates(&bvh_of(usual, "0 20 0")), [0.0; 0], "{usual}");
    }
    for odd in ["0.0578", "0.033", "0.0295"] {
        let reported = odd_rates(&bvh_of(odd, "0 20 0"));
        assert_eq!(reported.len(), 1, "{odd}");
        assert!((reported[0] * odd.parse::<f64>().unwrap() - 1.0).abs() < 1e-12, "{odd}");
    }
    // A second or more has its own warning.
    assert_eq!(odd_rates(&bvh_of("1.4", "0 20 0")), [0.0; 0]);
}

#[test]
fn a_missing_rest_pose_is_reported() {
    let is_reported = |offset: &str| read(&bvh_of("0.04", offset)).1.contains(&FileWarning::RestMissing);
    assert!(is_reported("0 0 0"));
    assert!(!is_reported("0 20 0"));
}

/// Hips that walk and a chest that turns, each with keys from 0 to some second.
fn gltf(walk_secs: f32, turn_secs: f32, degrees: f64) -> GltfFile {
    let mut file = GltfFile::of(
        r#"[
        {"name": "Hips", "translation": [0, 1, 0], "children": [1]},
        {"name": "Chest", "translation": [0, 0.4, 0]}
    ]"#,
    );
    let times = |secs: f32| -> Vec<f32> { (0..=10).map(|key| secs * key as f32 / 10.0).collect() };
    let walk = file.floats("SCALAR", &times(walk_secs));
    let positions: Vec<f32> = (0..=10).flat_map(|key| [0.0, 1.0, 0.1 * key as f32]).collect();
    let positions = file.floats("VEC3", &positions);
    let turn = file.floats("SCALAR", &times(turn_secs));
    let rotation = |key: i32| {
        DQuat::from_rotation_y((degrees * f64::from(key)).to_radians())
            .as_quat()
            .to_array()
    };
    let turns: Vec<f32> = (0..=10).flat_map(rotation).collect();
    let turns = file.floats("VEC4", &turns);
    file.animate(
        "Walk",
        &[
            (0, "translation", "LINEAR", walk, positions),
            (1, "rotation", "LINEAR", turn, turns),
        ],
    );
    file
}

#[test]
fn gltf_channels_of_unequal_length_are_reported() {
    assert_eq!(read(&gltf(1.0, 1.0, 2.0).glb()).1, []);
    let reported = read(&gltf(1.0, 0.5, 2.0).glb()).1;
    let [
        FileWarning::ChannelsShorter {
            joint,
            count: 1,
            keys_secs,
            whole_secs,
        },
    ] = reported.as_slice()
    else {
        panic!("{reported:?}");
    };
    assert_eq!(joint, "Chest");
    assert!(
        (keys_secs[1] - 0.5).abs() < 1e-6 && (whole_secs - 1.0).abs() < 1e-6,
        "{reported:?}"
    );
    // Still joints may have keys at any time.
    assert_eq!(read(&gltf(1.0, 0.5, 0.0).glb()).1, []);
}

#[test]
fn gltf_scales_are_reported() {
    let file = gltf(1.0, 1.0, 2.0).edit("/nodes/1/scale", "[1, 1.5, 1]");
    let (joint, count, varies) = ("Chest".to_owned(), 1, false);
    assert_eq!(
        read(&file.glb()).1,
        [FileWarning::ScaledJoints { joint, count, varies }]
    );
    // A scale of the whole skeleton is a unit conversion.
    let file = gltf(1.0, 1.0, 2.0).edit("/nodes/0/scale", "[1.5, 1.5, 1.5]");
    assert_eq!(read(&file.glb()).1, []);
}

#[test]
fn what_hardly_moves_is_written_and_read_again() {
    // A hundred-thousandth of a unit counts as motion in this file, and no longer once it is sampled between its keys.
    let mut file = GltfFile::of(r#"[{"name": "Hips"}]"#);
    let places = [[0.0; 3], [0.0, 0.000_011, 0.0], [0.0; 3], [0.0; 3]].concat();
    file.move_node("Breath", (0, "translation"), &[0.0, 0.0101, 0.0233, 0.9], &places);
    let (LoadedTake { take, source, .. }, reported) = read(&file.glb());
    let stands_still = FileWarning::StandsStill {
        animation: "Breath".to_owned(),
    };
    assert!(!reported.contains(&stands_still), "{reported:?}");
    let written = write_take(&take, &source).unwrap();
    let (again, reported) = read(&written.bytes);
    assert!(reported.contains(&stands_still), "{reported:?}");
    assert_eq!(again.take.num_frames(), take.num_frames());
}

#[test]
fn an_animation_without_motion_is_no_match_for_one_with_it() {
    let mut file = gltf(0.5, 0.5, 0.0);
    file.move_node("Rest", (0, "translation"), &[0.0, 5.0], &[0.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!(read(&file.glb()).0.take.name(), "Walk");
    file.json["animations"].as_array_mut().unwrap().remove(0);
    assert_eq!(read(&file.glb()).0.take.name(), "Rest");
}
