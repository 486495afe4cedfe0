//! Takes that are opened: what is shown first, what cannot be read, several at once.

use std::path::Path;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use egui_kittest::kittest::Queryable as _;
use loopwright_core::edit::EditKind;
use loopwright_formats::Format;
use loopwright_job::recipe::Recipe;
use loopwright_studio::model::Exported;

use super::driven::{
    Driven, click, command, is_made, model, open, press, start_opening, stroll, studio, studio_that, wait, walk,
};

#[test]
fn it_opens_moving() {
    let mut harness = studio(1280.0, 860.0);
    harness.get_by_label("Drop a take here (BVH, FBX, GLB, glTF, NPZ or VRMA)");
    wait(&mut harness, "the walk is closed", is_made);
    let before = model(&harness).playback_secs();
    harness.run_steps(5);
    assert!(model(&harness).playback_secs() > before);
    press(&mut harness, "Pause");
    let paused = model(&harness).playback_secs();
    harness.run_steps(5);
    assert_eq!(model(&harness).playback_secs(), paused);
}

#[test]
fn what_cannot_be_opened_is_said_and_the_former_take_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.bvh");
    std::fs::write(&path, "HIERARCHY ROOT").unwrap();
    let mut harness = studio(1280.0, 860.0);
    for path in [path.as_path(), folder.path(), Path::new("no such file")] {
        start_opening(&mut harness, path);
        wait(&mut harness, "it is said", |model| model.problem().is_some());
        harness.get_by_label_contains("cannot open this take");
        assert_eq!(model(&harness).opened().unwrap().file_name, "walk.bvh");
        press(&mut harness, "Dismiss");
        assert!(model(&harness).problem().is_none());
    }
}

#[test]
fn several_takes_stay_open_and_two_settings_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["one.bvh", "other.bvh"].map(|name| folder.path().join(name));
    for path in [&one, &other] {
        std::fs::write(path, walk(Format::Bvh, &stroll())).unwrap();
    }
    let mut harness = studio(1280.0, 3600.0);
    let autosave = folder.path().join("state/last.toml");
    harness.state_mut().as_mut().unwrap().autosave_to(autosave.clone());
    open(&mut harness, &one);
    press(&mut harness, "Keep as A");
    let first = model(&harness).edit().unwrap().clone();
    click(&mut harness, "Add: noise");
    let noisy = model(&harness).edit().unwrap().clone();
    // What is set is kept on the disk without being asked for.
    let kept = std::fs::read(&autosave).unwrap();
    assert_eq!(Recipe::read(&kept).unwrap().edits, noisy.recipe.edits);
    for wanted in [&first, &noisy, &first] {
        press(&mut harness, "Swap with A");
        wait(&mut harness, "the other is made", is_made);
        assert_eq!(model(&harness).edit(), Some(wanted));
    }
    open(&mut harness, &other);
    assert_eq!(model(&harness).others().collect::<Vec<_>>(), ["one.bvh"]);
    assert!(!model(&harness).has_kept());
    click(&mut harness, "Go on with one.bvh");
    assert_eq!(model(&harness).opened().unwrap().file_name, "one.bvh");
    assert_eq!(model(&harness).edit(), Some(&first));
    assert!(model(&harness).can_undo());
    // A file that is opened again replaces itself.
    open(&mut harness, &other);
    assert_eq!(model(&harness).others().collect::<Vec<_>>(), ["one.bvh"]);
    // Of files that come at once each is read.
    let (third, fourth) = (folder.path().join("third.bvh"), folder.path().join("fourth.bvh"));
    for path in [&third, &fourth] {
        std::fs::write(path, walk(Format::Bvh, &stroll())).unwrap();
        start_opening(&mut harness, path);
    }
    wait(&mut harness, "all are open", |model| {
        is_made(model) && model.others().count() == 3
    });
    // Both views are there, by their labels and keys.
    press(&mut harness, "Before and after");
    press(&mut harness, "Without perspective");
}

/// Buffers beside a glTF file are read with it, and its loop is the command's.
#[test]
fn a_gltf_file_brings_its_buffers_along() {
    let folder = tempfile::tempdir().unwrap();
    let whole: serde_json::Value = serde_json::from_slice(&walk(Format::Gltf, &stroll())).unwrap();
    let mut apart = whole.clone();
    for (number, buffer) in apart["buffers"].as_array_mut().unwrap().iter_mut().enumerate() {
        let name = format!("part {number}.bin");
        let data = buffer["uri"].as_str().unwrap().split(',').nth(1).unwrap().to_owned();
        std::fs::write(folder.path().join(&name), STANDARD.decode(data).unwrap()).unwrap();
        buffer["uri"] = name.replace(' ', "%20").into();
    }
    let path = folder.path().join("apart.gltf");
    std::fs::write(&path, serde_json::to_vec(&apart).unwrap()).unwrap();
    let mut harness = studio(1280.0, 860.0);
    open(&mut harness, &path);
    let (opened, made) = (model(&harness).opened().unwrap(), model(&harness).finished().unwrap());
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
    let mut file: serde_json::Value = serde_json::from_slice(&walk(Format::Gltf, &stroll())).unwrap();
    for (number, buffer) in file["buffers"].as_array_mut().unwrap().iter_mut().enumerate() {
        let data = buffer["uri"].as_str().unwrap().split(',').nth(1).unwrap().to_owned();
        std::fs::write(
            folder.path().join(format!("{number}.bin")),
            STANDARD.decode(data).unwrap(),
        )
        .unwrap();
        buffer["uri"] = format!("../{number}.bin").into();
    }
    let path = inner.join("nosy.gltf");
    std::fs::write(&path, serde_json::to_vec(&file).unwrap()).unwrap();
    let mut harness = studio(1280.0, 860.0);
    start_opening(&mut harness, &path);
    wait(&mut harness, "it is said", |model| model.problem().is_some());
    harness.get_by_label_contains("cannot open this take");
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
        wait(&mut harness, "a loop is shown", is_made);
        harness
    };
    let mut harness = visit(true);
    for name in ["one.bvh", "other.bvh"] {
        let path = folder.path().join(name);
        std::fs::write(&path, walk(Format::Bvh, &stroll())).unwrap();
        open(&mut harness, &path);
    }
    click(&mut harness, "Add: noise");
    let set = model(&harness).recipe_text().unwrap().unwrap();
    press(&mut harness, "Loops of the take");
    click(&mut harness, "Go on with one.bvh");
    click(&mut harness, "Add: aim");
    harness.run_steps(3);
    let mut harness = visit(true);
    wait(&mut harness, "all are open", |model| {
        model.others().count() == 1 && is_made(model)
    });
    assert_eq!(model(&harness).opened().unwrap().file_name, "one.bvh");
    let edits = |harness: &Driven| model(harness).edit().unwrap().recipe.edits.clone();
    assert_eq!(edits(&harness)[0].kind, EditKind::Aim);
    press(&mut harness, "Loops of the take");
    click(&mut harness, "Go on with other.bvh, not written");
    assert_eq!(model(&harness).recipe_text().unwrap().unwrap(), set);
    assert!(visit(false).state().as_ref().unwrap().model().others().next().is_none());
}
