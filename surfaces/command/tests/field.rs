//! Files rebuilt from public reports, beside the captured takes: each stands for a kind, and what is right for it is known.

use std::path::PathBuf;

use loopwright_mocap::folder_or_skip;
use serde_json::Value;

use crate::harness::{Answer, Folder, number};

/// A file of that folder; `None` where the takes are missing.
fn field(name: &str) -> Option<PathBuf> {
    Some(folder_or_skip()?.parent()?.join("field").join(name)).filter(|path| path.exists())
}

fn made(folder: &Folder, name: &str, options: &str) -> Option<Answer> {
    let extension = name.rsplit('.').next().unwrap();
    let path = field(name)?;
    Some(folder.run_on(&path, &format!("make FILE -o loop.{extension} -f --json {options}")))
}

/// The speed of the walk in all of them, metres per second, and the length of its cycle.
const MPS: f64 = 1.254;
const CYCLE_SECS: f64 = 1.15;

#[test]
fn a_cycle_with_held_poses_beside_it_is_kept() {
    let folder = Folder::new();
    for (name, options) in [
        ("cycle.fbx", ""),
        ("held_key_once.bvh", ""),
        ("held_pose_after_cycle.bvh", ""),
        ("held_pose_after_cycle.bvh", "--range 0:69"),
        ("held_pose_after_cycle.bvh", "--within 0:69"),
        ("held_pose_after_cycle.fbx", ""),
    ] {
        let Some(answer) = made(&folder, name, options) else {
            return;
        };
        let json = answer.wrote().json();
        assert_eq!(json["quality"]["grade"], "good", "{name} {options}");
        assert!(
            (number(&json, "candidate/period_secs") - CYCLE_SECS).abs() < 1e-3,
            "{name} {options}"
        );
        assert!(
            (number(&json, "root_motion/speed_mps") - MPS).abs() < 2e-3,
            "{name} {options}"
        );
    }
}

#[test]
fn whatever_stands_above_the_skeleton_the_loop_is_one() {
    let folder = Folder::new();
    let loops = ["parent_identity.glb", "parent_with_offset.glb", "parent_turned_180.glb"].map(|name| {
        let json = made(&folder, name, "")?.wrote().json();
        folder.succeed("check loop.glb");
        let listed = folder.run_on(&field(name)?, "list FILE --json").json();
        assert!(listed.to_string().contains("walk"), "{name}: {listed}");
        Some([
            number(&json, "root_motion/speed_mps"),
            number(&json, "candidate/start_frame"),
        ])
    });
    let Some([speed, start]) = loops[0] else { return };
    assert!((speed - MPS).abs() < 2e-3, "{speed}");
    for found in loops.into_iter().flatten() {
        assert!((found[0] - speed).abs() < 1e-6 && found[1] == start, "{loops:?}");
    }
}

#[test]
fn a_body_upside_down_is_righted_or_bad() {
    let folder = Folder::new();
    for (options, grade) in [("", "good"), ("--up -y", "good"), ("--up y", "bad")] {
        let Some(answer) = made(&folder, "upside_down.bvh", options) else {
            return;
        };
        let json = answer.wrote().json();
        assert_eq!(json["quality"]["grade"], grade, "{options}");
        if grade == "good" {
            assert_eq!(json["take"]["up"], "-y");
            assert!((number(&json, "root_motion/speed_mps") - MPS).abs() < 2e-3);
        }
    }
    let wrong = made(&folder, "upside_down.bvh", "--up -w").unwrap().refused();
    assert!(wrong.json().to_string().contains("use x, y, z, -x, -y, -z or auto"));
}

#[test]
fn stepped_keys_stay_so_where_asked() {
    let folder = Folder::new();
    let Some(smooth) = made(&folder, "stepped_12_fps.glb", "") else {
        return;
    };
    assert!(
        smooth.wrote().json()["warnings"]
            .to_string()
            .contains("holds each pose")
    );
    let held = "--set output.interpolation=step";
    made(&folder, "stepped_12_fps.glb", held).unwrap().wrote();
    let bytes = std::fs::read(folder.file("loop.glb")).unwrap();
    let animation = &json_of_glb(&bytes)["animations"][1];
    let samplers = animation["samplers"].as_array().unwrap();
    assert!(samplers.iter().all(|sampler| sampler["interpolation"] == "STEP"));
    assert_eq!(folder.run("check loop.glb").status, 0);
    let path = field("stepped_12_fps.glb").unwrap();
    let fbx = folder.run_on(&path, &format!("make FILE --to fbx -o loop.fbx -f {held}"));
    fbx.wrote();
    assert_eq!(folder.run("check loop.fbx").status, 0);
    let bvh = folder.run_on(&path, &format!("make FILE --to bvh -o loop.bvh -f {held}"));
    bvh.refused().says("cannot hold a pose from key to key");
    assert!(!folder.file("loop.bvh").exists());
}

/// Weights of the shapes of a face go through the cut of the body, and meet at the seam.
#[test]
fn a_face_keeps_moving_with_its_body() {
    let folder = Folder::new();
    // The take is a cycle, whose weights stay as they are; a part of it is closed.
    for (options, is_kept) in [
        ("", true),
        ("--range 10:60", false),
        ("--range 5:50 --start-at 0.5", false),
    ] {
        let Some(answer) = made(&folder, "face_weights.glb", options) else {
            return;
        };
        answer.wrote();
        let bytes = std::fs::read(folder.file("loop.glb")).unwrap();
        let [take, looped] = [0, 1].map(|animation| weights(&bytes, animation));
        let keys = looped.len();
        assert!(keys >= 46, "{options}: {keys} keys");
        assert!(!is_kept || (take.iter().zip(&looped)).all(|(a, b)| (a[0] - b[0]).abs() + (a[1] - b[1]).abs() < 1e-6));
        for shape in 0..2 {
            let at = |key: usize| looped[key][shape];
            let moves = looped.iter().any(|key| (key[shape] - at(0)).abs() > 0.3);
            assert!(
                moves && looped.iter().all(|key| (-1e-6..=1.000_001).contains(&key[shape])),
                "{options}"
            );
            assert!(
                (at(0) - at(keys - 1)).abs() < 1e-6,
                "{options}: the last key is the first"
            );
            let bend = |before: f64, here: f64, after: f64| (after - 2.0 * here + before).abs();
            let inside = (1..keys - 1)
                .map(|key| bend(at(key - 1), at(key), at(key + 1)))
                .fold(0.0, f64::max);
            assert!(bend(at(keys - 2), at(0), at(1)) <= 1.01 * inside, "{options}: {inside}");
        }
    }
}

#[test]
fn no_animation_is_lost_and_no_file_panics() {
    let folder = Folder::new();
    let Some(pack) = field("has_walk_and_walk_loop.glb") else {
        return;
    };
    folder.run_on(&pack, "make FILE --all-animations -o all.glb").wrote();
    let json = json_of_glb(&std::fs::read(folder.file("all.glb")).unwrap());
    let names: Vec<&str> = json["animations"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|each| each["name"].as_str())
        .collect();
    assert!(
        names.contains(&"Walk") && names.contains(&"Walk-loop") && names.len() == 3,
        "{names:?}"
    );
    for name in [
        "two_animated_roots.gltf",
        "door_vertical_hinge.glb",
        "cubicspline_10_keys_a_second.glb",
    ] {
        made(&folder, name, "").unwrap().wrote();
    }
    let noisy = made(&folder, "noisy_capture.bvh", "").unwrap().wrote().json();
    assert_ne!(noisy["verdict"]["grade"], "good");
    made(&folder, "meshopt_compressed.glb", "").unwrap().wrote();
}

fn json_of_glb(bytes: &[u8]) -> Value {
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).unwrap()
}

/// Weights of two shapes at each key of an animation.
fn weights(bytes: &[u8], animation: usize) -> Vec<[f64; 2]> {
    let json = json_of_glb(bytes);
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let buffer = &bytes[28 + length..];
    let animation = &json["animations"][animation];
    let channels = animation["channels"].as_array().unwrap();
    let channel = channels
        .iter()
        .find(|channel| channel["target"]["path"] == "weights")
        .unwrap();
    let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
    let accessor = &json["accessors"][sampler["output"].as_u64().unwrap() as usize];
    let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let start = [view, accessor]
        .map(|of| of["byteOffset"].as_u64().unwrap_or(0) as usize)
        .iter()
        .sum::<usize>();
    let count = accessor["count"].as_u64().unwrap() as usize;
    let number = |index: usize| {
        let at = start + 4 * index;
        f64::from(f32::from_le_bytes(buffer[at..at + 4].try_into().unwrap()))
    };
    (0..count / 2)
        .map(|key| [number(2 * key), number(2 * key + 1)])
        .collect()
}
