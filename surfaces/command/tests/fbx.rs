//! FBX through the whole command: a synthetic walk goes in as FBX, and its loop is written into the same file.

use loopwright_core::math::rotation;
use loopwright_formats::{AnimationChoice, ReadSettings, read_take};

use crate::harness::Folder;
use loopwright_mocap::folder_or_skip;

/// A folder with the walk as FBX.
fn folder() -> Folder {
    let folder = Folder::with_walk();
    folder.succeed("convert walk.bvh walk.fbx --up y --unit cm");
    folder
}

#[test]
fn a_loop_goes_into_the_file_of_its_take() {
    let folder = folder();
    let inspected = folder.succeed("inspect walk.fbx");
    inspected.shows("unit cm, y up");
    let sidecar = folder.answer("make walk.fbx --json");
    assert_eq!(sidecar["playback"]["animation"], "walk-loop");
    assert_eq!(sidecar["playback"]["root_joint_added"], false);
    let checked = folder.succeed("check walk-loop.fbx --take walk.fbx");
    checked.begins("walk-loop.fbx: good: ");
    // Both animations are in the file, by name; the take's own is unchanged.
    let take = |name: &str, animation| {
        let settings = ReadSettings {
            animation: AnimationChoice::Given(animation),
            ..ReadSettings::default()
        };
        read_take(&folder.read(name), name, &settings, &mut Vec::new())
            .unwrap()
            .take
    };
    let (before, after) = (take("walk.fbx", "walk"), take("walk-loop.fbx", "walk"));
    assert_eq!(before.num_frames(), after.num_frames());
    assert_eq!(before.translations(7), after.translations(7));
    let refused = folder.fail("inspect walk-loop.fbx --animation nowhere");
    for words in [
        "no animation \"nowhere\"",
        "walk, walk-loop",
        "loopwright list walk-loop.fbx",
    ] {
        refused.says(words);
    }
    folder.succeed("render walk-loop.fbx -o loop.png");
}

#[test]
fn a_loop_survives_bvh_to_fbx_to_bvh() {
    let folder = folder();
    folder.succeed("make walk.bvh -o loop.bvh --up y --unit cm");
    folder.succeed("convert loop.bvh loop.fbx --up y --unit cm");
    folder.succeed("convert loop.fbx again.bvh");
    let (one, other) = (folder.take("loop.bvh"), folder.take("again.bvh"));
    assert_eq!(one.num_frames(), other.num_frames());
    let (p, q) = (one.world_tracks(), other.world_tracks());
    for frame in 0..one.num_frames() {
        for joint in 0..one.num_joints() {
            let off = p.position(frame, joint).distance(q.position(frame, joint));
            let turn = rotation::difference(one.rotations(frame)[joint], other.rotations(frame)[joint]);
            assert!(off < 1e-4 && turn.length().to_degrees() < 0.01, "{off} m, {turn} rad");
        }
    }
}

/// The bytes of an FBX file that states another unit; its numbers stay.
fn stating_unit(mut bytes: Vec<u8>, centimetres: f64) -> Vec<u8> {
    let after = |from: usize, what: &[u8]| from + bytes[from..].windows(what.len()).position(|at| at == what).unwrap();
    let name = after(0, b"\x0f\0\0\0UnitScaleFactor");
    let value = 1 + after(name, &[&b"D"[..], &1.0_f64.to_le_bytes()].concat());
    bytes[value..value + 8].copy_from_slice(&centimetres.to_le_bytes());
    bytes
}

#[test]
fn a_file_of_giants_gets_its_true_size_for_engines_only() {
    let folder = folder();
    // Centimetres that are called metres: the walker is 160 m tall.
    folder.write("giant.fbx", stating_unit(folder.read("walk.fbx"), 100.0));
    let read = |name: &str| {
        let mut warnings = Vec::new();
        let loaded = read_take(&folder.read(name), name, &ReadSettings::default(), &mut warnings).unwrap();
        let warned = warnings.iter().any(|warning| warning.to_string().contains("tall"));
        (loaded.take, loaded.source.space().unit_metres, warned)
    };
    let (giant, unit, warned) = read("giant.fbx");
    assert!(warned && unit == 0.01, "{unit}");
    folder.succeed("convert giant.fbx kept.fbx");
    assert_eq!(
        folder.read("giant.fbx"),
        folder.read("kept.fbx"),
        "without an engine it stays"
    );
    let converted = folder.succeed("convert giant.fbx right.fbx --for godot");
    converted.says("states a unit of 0.01");
    let (right, unit, warned) = read("right.fbx");
    assert!(!warned && unit == 0.01, "{unit}");
    assert_eq!(right.translations(3), giant.translations(3));
    // A loop made for an engine, and the same file for another program.
    let made = folder.succeed("make giant.fbx --for unreal -o loop.fbx");
    assert_eq!(made.stderr.matches("states a unit").count(), 1, "{}", made.stderr);
    assert!(!read("loop.fbx").2);
    folder.succeed("check loop.fbx --take giant.fbx");
    folder.succeed("make giant.fbx -o same.fbx");
    assert!(read("same.fbx").2, "without an engine it still states metres");
    let pack = folder.succeed("make giant.fbx --all-animations --for godot -o pack.fbx");
    assert!(!read("pack.fbx").2, "{}", pack.stderr);
}

#[test]
fn real_giants_and_animals_for_engines() {
    let Some(mocap) = folder_or_skip() else { return };
    let folder = Folder::new();
    let giant = mocap.join("isaacgym-cmu/07_01_cmu.fbx");
    let giant = giant.display();
    let answer = folder.succeed(&format!("convert {giant} right.fbx --for unity"));
    answer.says("states a unit of");
    let again = folder.succeed("inspect right.fbx");
    assert!(!again.stderr.contains("m tall"), "{}", again.stderr);
    for animal in ["fox-animations.glb", "horse-animations.glb", "spider-animations.glb"] {
        let animal = mocap.join("mesh2motion").join(animal);
        let before = folder.answer(&format!("inspect {} --json", animal.display()));
        folder.succeed(&format!("convert {} animal.glb --for unreal --force", animal.display()));
        folder.succeed("convert animal.glb animal.fbx --for unity --force");
        for written in ["animal.glb", "animal.fbx"] {
            let after = folder.answer(&format!("inspect {written} --json"));
            let height = |json: &serde_json::Value| json["body"]["height_m"].as_f64();
            assert_eq!(before["take"]["unit"], "m");
            if let (Some(before), Some(after)) = (height(&before), height(&after)) {
                let is_near = (after / before - 1.0).abs() < 0.02;
                assert!(is_near, "{written}: {before} m and {after} m");
            }
        }
    }
}
