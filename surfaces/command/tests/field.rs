//! Files rebuilt from public reports, beside the captured takes: each stands for a kind, and what is right for it is known.

use std::path::PathBuf;

use loopwright_mocap::folder_or_skip;

use crate::harness::{Answer, Folder, holds, items, near, number, parts_of_glb, rows, texts};

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

/// A cycle with held poses beside it is kept; a body upside down is righted or bad.
#[test]
fn a_cycle_is_kept_whatever_is_beside_it_and_a_body_upside_down_is_righted() {
    let folder = Folder::new();
    for [name, options, facts] in rows(
        "
        cycle.fbx                   |               | quality/grade = good
        held_key_once.bvh           |               | quality/grade = good
        held_pose_after_cycle.bvh   |               | quality/grade = good
        held_pose_after_cycle.bvh   | --range 0:69  | quality/grade = good
        held_pose_after_cycle.bvh   | --within 0:69 | quality/grade = good
        held_pose_after_cycle.fbx   |               | quality/grade = good
        upside_down.bvh             |               | quality/grade = good; take/up = -y
        upside_down.bvh             | --up -y       | quality/grade = good; take/up = -y
        upside_down.bvh             | --up y        | quality/grade = bad
        ",
    ) {
        let Some(answer) = made(&folder, name, options) else {
            return;
        };
        let json = answer.wrote().json();
        holds(&json, facts);
        if json["quality"]["grade"] == "good" {
            near(number(&json, "root_motion/speed_mps"), MPS, 2e-3);
        }
        if !name.starts_with("upside") {
            near(number(&json, "candidate/period_secs"), CYCLE_SECS, 1e-3);
        }
    }
    let wrong = made(&folder, "upside_down.bvh", "--up -w").unwrap().refused();
    assert!(wrong.json().to_string().contains("use x, y, z, -x, -y, -z or auto"));
}

#[test]
fn whatever_stands_above_the_skeleton_the_loop_is_one() {
    let folder = Folder::new();
    let mut first = None;
    for name in ["parent_identity.glb", "parent_with_offset.glb", "parent_turned_180.glb"] {
        let Some(answer) = made(&folder, name, "") else { return };
        let json = answer.wrote().json();
        folder.runs("check loop.glb");
        let listed = folder.run_on(&field(name).unwrap(), "list FILE --json").json();
        assert!(listed.to_string().contains("walk"), "{name}: {listed}");
        let found = ["root_motion/speed_mps", "candidate/start_frame"].map(|key| number(&json, key));
        let [speed, start] = *first.get_or_insert(found);
        near(found[0], MPS, 2e-3);
        near(found[0], speed, 1e-6);
        assert_eq!(found[1], start, "{name}");
    }
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
    let glb = folder.read("loop.glb");
    let samplers = &parts_of_glb(&glb).0["animations"][1]["samplers"];
    assert!(texts(samplers, "interpolation").iter().all(|kind| *kind == "STEP"));
    let path = field("stepped_12_fps.glb").unwrap();
    folder
        .run_on(&path, &format!("make FILE --to fbx -o loop.fbx -f {held}"))
        .wrote();
    folder.runs("check loop.glb\ncheck loop.fbx");
    let bvh = folder.run_on(&path, &format!("make FILE --to bvh -o loop.bvh -f {held}"));
    bvh.refused().says("cannot hold a pose from key to key");
    assert!(!folder.has("loop.bvh"));
}

#[test]
fn a_face_keeps_moving_with_its_body() {
    let folder = Folder::new();
    // The take is a cycle, whose weights stay as they are; a part of it is closed.
    for (options, is_kept) in [
        ("", true),
        ("--range 10:60", false),
        ("--range 5:50 --set output.start-at=0.5", false),
    ] {
        let Some(answer) = made(&folder, "face_weights.glb", options) else {
            return;
        };
        answer.wrote();
        let bytes = folder.read("loop.glb");
        let [take, looped] = [0, 1].map(|animation| weights(&bytes, animation));
        let keys = looped.len();
        assert!(keys >= 46, "{options}: {keys} keys");
        assert!(
            !is_kept
                || take
                    .iter()
                    .zip(&looped)
                    .all(|(a, b)| (a[0] - b[0]).abs() + (a[1] - b[1]).abs() < 1e-6)
        );
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
    let names = loopwright_formats::animation_names(&folder.read("all.glb"));
    let is_there = |name: &str| names.iter().any(|there| there == name);
    assert!(
        is_there("Walk") && is_there("Walk-loop") && names.len() == 3,
        "{names:?}"
    );
    for name in [
        "two_animated_roots.gltf",
        "door_vertical_hinge.glb",
        "cubicspline_10_keys_a_second.glb",
        "meshopt_compressed.glb",
    ] {
        made(&folder, name, "").unwrap().wrote();
    }
    let noisy = made(&folder, "noisy_capture.bvh", "").unwrap().wrote().json();
    holds(&noisy, "quality/grade != good");
}

/// Weights of two shapes at each key of an animation.
fn weights(bytes: &[u8], animation: usize) -> Vec<[f64; 2]> {
    let (json, buffer) = parts_of_glb(bytes);
    let animation = &json["animations"][animation];
    let of_weights = items(&animation["channels"]).find(|channel| channel["target"]["path"] == "weights");
    let sampler = number(of_weights.unwrap(), "sampler") as usize;
    let accessor = &json["accessors"][number(&animation["samplers"][sampler], "output") as usize];
    let view = &json["bufferViews"][number(accessor, "bufferView") as usize];
    let start: u64 = [view, accessor].iter().filter_map(|of| of["byteOffset"].as_u64()).sum();
    let bytes = buffer[start as usize..]
        .chunks_exact(4)
        .take(number(accessor, "count") as usize);
    let numbers: Vec<f64> = bytes
        .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()).into())
        .collect();
    numbers.chunks_exact(2).map(|key| [key[0], key[1]]).collect()
}

/// Data with Z up and no node that turns it lay on its back, climbed, and was good; a rate ten times too low was bad without a word.
#[test]
fn axes_are_righted_and_rates_that_cannot_be_are_named() {
    let folder = Folder::new();
    for [name, options, facts] in rows(
        "
        2/z_up_without_a_node.glb |                            | quality/grade = good; take/up = z
        2/ten_times_slow.glb      | --set take.speed-up=10     | quality/grade = good; take/up = y
        ",
    ) {
        let Some(answer) = made(&folder, name, options) else {
            return;
        };
        let json = answer.wrote().json();
        holds(&json, facts);
        near(number(&json, "root_motion/speed_mps"), 1.3, 2e-3);
        near(number(&json, "candidate/period_secs"), CYCLE_SECS, 1e-3);
    }
    let slow = made(&folder, "2/ten_times_slow.glb", "").unwrap().wrote().json();
    assert!(slow["warnings"].to_string().contains("take.speed-up"), "{slow:#}");
    let rolls = made(&folder, "2/forward_roll.glb", "").unwrap().wrote().json();
    assert!(rolls["quality"]["grade"] != "bad", "{rolls:#}");
    let listed = folder
        .run_on(&field("2/forward_roll.glb").unwrap(), "list FILE --json")
        .json();
    assert!(!listed.to_string().contains("walk"), "{listed:#}");
}
