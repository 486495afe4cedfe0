//! Takes that are opened: what is shown first, what cannot be read, several at once.

use std::path::Path;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use egui_kittest::kittest::Queryable as _;
use loopwright_core::edit::EditKind;
use loopwright_formats::Format;
use loopwright_studio::{
    Action,
    model::{Exported, Stretch},
};

use super::driven::{Driven, command, stroll, strolls, studio, studio_that, walk};

#[test]
fn it_opens_moving() {
    let mut harness = studio(1280.0, 860.0);
    harness.get_by_label("Drop a take here (BVH, FBX, GLB, glTF, NPZ or VRMA)");
    harness.wait_made();
    let before = harness.model().playback.secs;
    harness.run_steps(5);
    assert!(harness.model().playback.secs > before);
    harness.press("Pause");
    let paused = harness.model().playback.secs;
    harness.run_steps(5);
    assert_eq!(harness.model().playback.secs, paused);
}

#[test]
fn what_cannot_be_opened_is_said_and_the_former_take_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.bvh");
    std::fs::write(&path, "HIERARCHY ROOT").unwrap();
    let mut harness = studio(1280.0, 860.0);
    for path in [path.as_path(), folder.path(), Path::new("no such file")] {
        harness.start_opening(path);
        harness.wait_problem();
        harness.get_by_label_contains("cannot open this file");
        assert_eq!(harness.opened().file_name, "walk.bvh");
        harness.press("Dismiss");
        assert!(harness.model().problem().is_none());
    }
}

/// Reading a take anew takes the turn of its loop, which is made after all if the reading is cancelled.
#[test]
fn a_cancelled_reading_leaves_a_loop() {
    let folder = tempfile::tempdir().unwrap();
    let [path] = strolls(folder.path(), ["stroll.bvh"]);
    let mut harness = studio(1280.0, 860.0);
    harness.open(&path);
    let mut study = harness.opened().study.clone();
    study.smooth = Some(6.0);
    for action in [
        Action::Choose(Stretch::Frames {
            start_frame: 40.0,
            end_frame: 110.0,
        }),
        Action::Read(Box::new(study)),
        Action::Cancel,
    ] {
        harness.apply(action);
    }
    harness.wait_made();
    assert_eq!(harness.opened().study.smooth, None);
}

#[test]
fn several_takes_stay_open_and_two_settings_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = strolls(folder.path(), ["one.bvh", "other.bvh"]);
    let mut harness = studio(1280.0, 3600.0);
    harness.open(&one);
    harness.press("Keep as A");
    let first = harness.edit().clone();
    harness.click("Add: noise");
    let noisy = harness.edit().clone();
    for wanted in [&first, &noisy, &first] {
        harness.press("Swap with A");
        harness.wait_made();
        assert_eq!(harness.model().edit(), Some(wanted));
    }
    harness.open(&other);
    assert_eq!(harness.model().others().collect::<Vec<_>>(), ["one.bvh"]);
    assert!(harness.model().kept.is_none());
    harness.click("Go on with one.bvh");
    assert_eq!(harness.opened().file_name, "one.bvh");
    assert_eq!(harness.model().edit(), Some(&first));
    assert!(harness.model().undo_names()[0].is_some());
    // A file that is opened again replaces itself.
    harness.open(&other);
    assert_eq!(harness.model().others().collect::<Vec<_>>(), ["one.bvh"]);
    // Of files that come at once each is read.
    for path in strolls(folder.path(), ["third.bvh", "fourth.bvh"]) {
        harness.start_opening(&path);
    }
    harness.wait_takes(4);
    // Both views are there, by their labels and keys.
    harness.press("Before and after");
    harness.press("Without perspective");
}

/// A glTF file whose buffers lie in a folder, which it names by what comes before their names.
pub(crate) fn apart(folder: &Path, before: &str) -> Vec<u8> {
    let mut file: serde_json::Value = serde_json::from_slice(&walk(Format::Gltf, &stroll())).unwrap();
    for (number, buffer) in file["buffers"].as_array_mut().unwrap().iter_mut().enumerate() {
        let (_, data) = buffer["uri"].as_str().unwrap().split_once(',').unwrap();
        std::fs::write(
            folder.join(format!("part {number}.bin")),
            STANDARD.decode(data).unwrap(),
        )
        .unwrap();
        buffer["uri"] = format!("{before}part%20{number}.bin").into();
    }
    serde_json::to_vec(&file).unwrap()
}

/// Buffers beside a glTF file are read with it, and its loop is the command's.
#[test]
fn a_gltf_file_brings_its_buffers_along() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("apart.gltf");
    std::fs::write(&path, apart(folder.path(), "")).unwrap();
    let mut harness = studio(1280.0, 860.0);
    harness.open(&path);
    let (opened, made) = (harness.opened(), harness.made());
    for (format, name) in [(Format::Gltf, "again.gltf"), (Format::Glb, "again.glb")] {
        let exported = Exported::of(opened, made, format).unwrap();
        if command(folder.path(), &["make", "apart.gltf", "-o", name]).is_some() {
            let is_right = std::fs::read(folder.path().join(name)).unwrap() == exported.bytes;
            assert!(is_right, "{name}");
        }
    }
}

/// A file of another folder is none that a foreign file may name.
#[test]
fn a_gltf_file_does_not_bring_files_of_other_folders_along() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let path = inner.join("nosy.gltf");
    std::fs::write(&path, apart(folder.path(), "../")).unwrap();
    let mut harness = studio(1280.0, 860.0);
    harness.start_opening(&path);
    harness.wait_problem();
    harness.get_by_label_contains("cannot open this file");
}

/// Takes, what is set of each and which one is shown; a file that was named is opened alone.
#[test]
fn what_was_open_is_there_at_the_next_visit() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let visit = |reopens: bool| {
        let state = state.clone();
        let mut harness = studio_that(1280.0, 1400.0, move |_| {});
        let ctx = harness.ctx.clone();
        let studio = harness.state_mut().as_mut().unwrap();
        studio.remember_in(state, reopens, &ctx);
        harness.wait_made();
        harness
    };
    // The walk that it opens with has no file; what was set of it is there.
    let mut harness = visit(true);
    harness.click("Add: noise");
    harness.run_steps(3);
    let mut harness = visit(true);
    harness.wait("its edit is there", |model| {
        model.edit().is_some_and(|edit| edit.recipe.edits.len() == 1)
    });
    harness.click("Undo");
    for path in strolls(folder.path(), ["one.bvh", "other.bvh"]) {
        harness.open(&path);
    }
    harness.click("Add: noise");
    let set = harness.model().recipe_text().unwrap().unwrap();
    harness.press("Loops of the take");
    harness.click("Go on with one.bvh");
    harness.click("Add: aim");
    harness.run_steps(3);
    let mut harness = visit(true);
    harness.wait_takes(2);
    assert_eq!(harness.opened().file_name, "one.bvh");
    let edits = |harness: &Driven| harness.edit().recipe.edits.clone();
    assert_eq!(edits(&harness)[0].kind, EditKind::Aim);
    harness.press("Loops of the take");
    harness.click("Go on with other.bvh, not written");
    assert_eq!(harness.model().recipe_text().unwrap().unwrap(), set);
    assert!(visit(false).state().as_ref().unwrap().model().others().next().is_none());
}
