//! FBX through the whole command: a loop is written into the file of its take, and bodies of a wrong size get their true one for
//! engines.

use loopwright_formats::{AnimationChoice, ReadSettings, read_take};

use crate::harness::{Folder, holds, rows};
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
    folder.runs(
        "
        inspect walk.fbx                                | unit cm, y up
        make walk.fbx
        check walk-loop.fbx --take walk.fbx             | walk-loop.fbx: good:
        2 inspect walk-loop.fbx --animation nowhere     | no animation \"nowhere\" | walk, walk-loop | loopwright list walk-loop.fbx
        ",
    );
    // Both animations are in the file, by name; the take's own is unchanged.
    let [before, after] = ["walk.fbx", "walk-loop.fbx"].map(|name| {
        let settings = ReadSettings {
            animation: AnimationChoice::Given("walk"),
            ..ReadSettings::default()
        };
        let read = read_take(&folder.read(name), name, &settings, &mut Vec::new());
        read.unwrap().take
    });
    assert_eq!(before.num_frames(), after.num_frames());
    assert_eq!(before.translations(7), after.translations(7));
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
    // Centimetres that are called metres: the walker is 160 m tall. Without an engine it stays.
    folder.write("giant.fbx", stating_unit(folder.read("walk.fbx"), 100.0));
    folder.runs(
        "
        inspect giant.fbx                                           | m tall
        convert giant.fbx kept.fbx
        convert giant.fbx right.fbx --for godot                     | states a unit of 0.01
        inspect right.fbx                                           |! m tall
        make giant.fbx --for unreal -o loop.fbx                     | states a unit
        check loop.fbx --take giant.fbx
        make giant.fbx -o same.fbx
        make giant.fbx --all-animations --for godot -o pack.fbx
        ",
    );
    // Without the sidecar, which says the size as well.
    for [file, words] in rows(
        "
        loop.fbx | !m tall
        same.fbx | m tall
        pack.fbx | !m tall
        ",
    ) {
        folder.copy(file, "bare.fbx");
        folder.runs(&format!("inspect bare.fbx |{words}"));
    }
    assert_eq!(folder.read("giant.fbx"), folder.read("kept.fbx"));
    let [giant, right] = ["giant.fbx", "right.fbx"].map(|name| {
        let read = read_take(&folder.read(name), name, &ReadSettings::default(), &mut Vec::new()).unwrap();
        (read.take.translations(3).to_vec(), read.source.space().unit_metres)
    });
    assert_eq!(right, giant);
    assert_eq!(giant.1, 0.01);
}

#[test]
fn real_giants_and_animals_for_engines() {
    let Some(mocap) = folder_or_skip() else { return };
    let folder = Folder::new();
    let giant = mocap.join("isaacgym-cmu/07_01_cmu.fbx");
    folder
        .run_on(&giant, "convert FILE right.fbx --for unity")
        .done()
        .says("states a unit of");
    folder.runs("inspect right.fbx |! m tall");
    for animal in ["fox-animations.glb", "horse-animations.glb", "spider-animations.glb"] {
        let animal = mocap.join("mesh2motion").join(animal);
        let before = folder.run_on(&animal, "inspect FILE --json").json();
        holds(&before, "take/unit = m");
        folder
            .run_on(&animal, "convert FILE animal.glb --for unreal --force")
            .done();
        folder.runs("convert animal.glb animal.fbx --for unity --force");
        for written in ["animal.glb", "animal.fbx"] {
            let after = folder.answer(&format!("inspect {written} --json"));
            let [before, after] = [&before, &after].map(|json| json["body"]["height_m"].as_f64());
            if let (Some(before), Some(after)) = (before, after) {
                assert!(
                    (after / before - 1.0).abs() < 0.02,
                    "{written}: {before} m and {after} m"
                );
            }
        }
    }
}
