//! Takes that are opened: what is shown first, what cannot be read, several at once.

use std::path::Path;

use egui_kittest::kittest::Queryable as _;
use loopwright_formats::Format;
use loopwright_recipe::Recipe;

use super::driven::{click, is_made, model, open, start_opening, stroll, studio, wait, walk};

#[test]
fn it_opens_moving() {
    let mut harness = studio(1280.0, 860.0);
    harness.get_by_label("Drop a take here (BVH, FBX, glTF)");
    wait(&mut harness, "the walk is closed", is_made);
    let before = model(&harness).playback_secs();
    harness.run_steps(5);
    assert!(model(&harness).playback_secs() > before);
    harness.get_by_label("Pause").click();
    harness.run_steps(2);
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
        harness.get_by_label("Dismiss").click();
        harness.run_steps(2);
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
    harness.get_by_label("Keep as A").click();
    harness.run_steps(2);
    let first = model(&harness).edit().unwrap().clone();
    click(&mut harness, "Add: noise");
    let noisy = model(&harness).edit().unwrap().clone();
    // What is set is kept on the disk without being asked for.
    let kept = std::fs::read(&autosave).unwrap();
    assert_eq!(Recipe::read(&kept).unwrap().edits, noisy.recipe.edits);
    for wanted in [&first, &noisy, &first] {
        harness.get_by_label("Swap with A").click();
        harness.run_steps(2);
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
    harness.get_by_label("Before and after").click();
    harness.get_by_label("Without perspective").click();
    harness.run_steps(3);
}
