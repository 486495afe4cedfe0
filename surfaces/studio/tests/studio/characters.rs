//! Takes that are smoothed and put on another character.

use std::path::Path;

use eframe::egui::vec2;
use egui_kittest::kittest::Queryable as _;
use loopwright_formats::{Format, Source, write_take};
use loopwright_studio::{Action, Model};
use loopwright_synth::{WalkSettings, synthesize};

use super::driven::{
    apply, click, command, drag, export_by, is_made, model, open, press, start_opening, stroll, studio, unfold, wait,
    walk,
};

/// Smoothed, and on another character: by its panel, taken back, and as the command makes it of the saved recipe.
#[test]
fn a_take_is_smoothed_and_put_on_a_character() {
    let folder = tempfile::tempdir().unwrap();
    let [path, hero] = ["stroll.bvh", "hero.glb"].map(|name| folder.path().join(name));
    std::fs::write(&path, walk(Format::Bvh, &stroll())).unwrap();
    let settings = WalkSettings::default().seed(11);
    let take = synthesize(&settings).unwrap().take;
    let source = Source::for_take(&take, Format::Glb);
    std::fs::write(&hero, write_take(&take, &source).unwrap().bytes).unwrap();
    let mut harness = studio(1280.0, 4200.0);
    open(&mut harness, &path);
    let first = model(&harness).made().unwrap().done.made.loop_clip.clone();
    unfold(&mut harness, "Smoothing and character");

    press(&mut harness, "Smooth the take");
    wait(&mut harness, "it is smoothed", |model| {
        is_made(model) && model.opened().unwrap().study.smooth == Some(6.0)
    });
    let smooth = model(&harness).made().unwrap().done.made.loop_clip.clone();
    assert_eq!(smooth.num_samples(), first.num_samples(), "the same frames are closed");
    assert_ne!(smooth.tracks(), first.tracks());

    press(&mut harness, "Put the loop on the next character I open");
    start_opening(&mut harness, &hero);
    wait(&mut harness, "it is on the character", |model| {
        is_made(model) && model.opened().unwrap().studied.character.is_some()
    });
    assert_eq!(model(&harness).opened().unwrap().file_name, "stroll.bvh");
    assert!(!model(&harness).awaits_character());
    let skeleton = model(&harness).made().unwrap().done.made.loop_clip.skeleton().clone();
    assert_ne!(&skeleton, first.skeleton());

    export_by(&mut harness, "Save the recipe");
    press(&mut harness, "Export the loop");
    let exported = folder.path().join("stroll-loop.glb");
    wait(&mut harness, "the file is there", |_| {
        folder.path().join("stroll-loop.glb.json").exists()
    });
    let text = std::fs::read_to_string(folder.path().join("stroll-loop.toml")).unwrap();
    assert!(text.contains("smooth = 6.0") && text.contains("hero.glb"), "{text}");
    let words = ["make", "stroll.bvh", "--recipe", "stroll-loop.toml", "-o", "again.glb"];
    if command(folder.path(), &words).is_some() {
        let again = std::fs::read(folder.path().join("again.glb")).unwrap();
        assert!(again == std::fs::read(&exported).unwrap(), "{text}");
        command(folder.path(), &["check", "stroll-loop.glb"]);
    }

    // Each reading is a step of undo.
    press(&mut harness, "Undo");
    wait(&mut harness, "it has its own body again", |model| {
        is_made(model) && model.opened().unwrap().studied.character.is_none()
    });
    assert_eq!(model(&harness).made().unwrap().done.made.loop_clip, smooth);
    press(&mut harness, "Undo");
    wait(&mut harness, "it is not smoothed", |model| {
        is_made(model) && model.opened().unwrap().study.smooth.is_none()
    });
    assert_eq!(model(&harness).made().unwrap().done.made.loop_clip, first);
    assert!(!model(&harness).can_undo());
    press(&mut harness, "Redo");
    press(&mut harness, "Redo");
    wait(&mut harness, "both are made again", |model| {
        is_made(model) && model.opened().unwrap().studied.character.is_some()
    });

    // The recipe is followed by a take that was opened afresh, whose character is on the disk.
    let mut harness = studio(1280.0, 4200.0);
    open(&mut harness, &path);
    let recipe = folder.path().join("stroll-loop.toml");
    start_opening(&mut harness, &recipe);
    wait(&mut harness, "the recipe is followed", |model| {
        is_made(model) && model.opened().unwrap().studied.character.is_some()
    });
    assert_eq!(model(&harness).recipe_text().unwrap().unwrap(), text);
    std::fs::remove_file(&hero).unwrap();
    start_opening(&mut harness, &path);
    wait(&mut harness, "the take is open again", |model| {
        is_made(model) && model.opened().unwrap().studied.character.is_none()
    });
    start_opening(&mut harness, &recipe);
    wait(&mut harness, "it is said", |model| model.problem().is_some());
    harness.get_by_label_contains("drop it as a character first");
}

/// All at once: ends that were dragged, another method, a stance by hand, a layer of edits and a character.
#[test]
fn what_was_steered_is_repeated_on_a_character_to_the_byte() {
    let folder = tempfile::tempdir().unwrap();
    let [path, hero] = ["stroll.bvh", "hero.glb"].map(|name| folder.path().join(name));
    std::fs::write(&path, walk(Format::Bvh, &stroll())).unwrap();
    std::fs::write(&hero, walk(Format::Glb, &WalkSettings::default())).unwrap();
    let mut harness = studio(1280.0, 4200.0);
    open(&mut harness, &path);
    let end = harness.get_by_label("End of the stretch").rect().center();
    drag(&mut harness, end, vec2(25.0, 0.0));
    wait(&mut harness, "another stretch is made", is_made);
    press(&mut harness, "Method");
    click(&mut harness, "cubic");
    click(&mut harness, "Add: noise");
    unfold(&mut harness, "Smoothing and character");
    press(&mut harness, "Put the loop on the next character I open");
    start_opening(&mut harness, &hero);
    wait(&mut harness, "it is on the character", |model| {
        is_made(model) && model.opened().unwrap().studied.character.is_some()
    });
    click(&mut harness, "Add a stance of LeftFoot");

    export_by(&mut harness, "Save the recipe");
    press(&mut harness, "Export the loop");
    wait(&mut harness, "the file is there", |_| {
        folder.path().join("stroll-loop.glb.json").exists()
    });
    let text = std::fs::read_to_string(folder.path().join("stroll-loop.toml")).unwrap();
    let said = ["start = ", "method = \"cubic\"", "hero.glb", "LeftFoot", "noise"];
    assert!(said.iter().all(|said| text.contains(said)), "{text}");
    let words = ["make", "stroll.bvh", "--recipe", "stroll-loop.toml", "-o", "again.glb"];
    if command(folder.path(), &words).is_some() {
        let [exported, again] = ["stroll-loop.glb", "again.glb"].map(|name| folder.path().join(name));
        let is_right = std::fs::read(again).unwrap() == std::fs::read(exported).unwrap();
        assert!(is_right, "{text}");
    }

    // The recipe gives a fresh studio the same loop.
    let saved = model(&harness).made().unwrap().done.made.loop_clip.clone();
    let mut harness = studio(1280.0, 4200.0);
    open(&mut harness, &path);
    start_opening(&mut harness, &folder.path().join("stroll-loop.toml"));
    wait(&mut harness, "the recipe is followed", |model| {
        is_made(model) && model.opened().unwrap().studied.character.is_some()
    });
    assert_eq!(model(&harness).recipe_text().unwrap().unwrap(), text);
    assert_eq!(model(&harness).made().unwrap().done.made.loop_clip, saved);
}

/// A map of joints that is dropped is followed, by a recipe too, as the command follows it.
#[test]
fn a_map_of_joints_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let [path, hero, map] = ["stroll.bvh", "hero.glb", "hero.toml"].map(|name| folder.path().join(name));
    std::fs::write(&path, walk(Format::Bvh, &stroll())).unwrap();
    let take = synthesize(&WalkSettings::default()).unwrap().take;
    let source = Source::for_take(&take, Format::Glb);
    std::fs::write(&hero, write_take(&take, &source).unwrap().bytes).unwrap();
    // The head rests.
    std::fs::write(&map, "[joints]\nHead = \"\"\n").unwrap();
    let recipe = folder.path().join("recipe.toml");
    std::fs::write(&recipe, "[take]\nrig = \"hero.glb\"\nmap = \"hero.toml\"\n").unwrap();
    let mut harness = studio(1280.0, 4200.0);
    open(&mut harness, &path);
    start_opening(&mut harness, &map);
    wait(&mut harness, "it is said", |model| model.problem().is_some());
    harness.get_by_label_contains("this map of joints is for a take on a character");

    // Their folders are not those that the recipe is read from.
    start_opening(&mut harness, &recipe);
    wait(&mut harness, "the character is asked for", |model| {
        model.progress().is_none()
            && model
                .problem()
                .is_some_and(|problem| problem.to_string().contains("hero.glb"))
    });
    apply(&mut harness, Action::AwaitCharacter(true));
    start_opening(&mut harness, &hero);
    let joints = |model: &Model| Some(model.opened()?.studied.character.as_ref()?.facts().joints_followed);
    wait(&mut harness, "it is on the character", |model| {
        is_made(model) && joints(model).is_some()
    });
    let all = joints(model(&harness)).unwrap();
    start_opening(&mut harness, &map);
    wait(&mut harness, "the head rests", |model| {
        is_made(model) && joints(model) == Some(all - 1)
    });
    start_opening(&mut harness, &recipe);
    wait(&mut harness, "the recipe names both", |model| {
        let named = model
            .opened()
            .map(|opened| opened.study.map.as_deref() == Some(Path::new("hero.toml")));
        is_made(model) && named == Some(true)
    });
    assert_eq!(joints(model(&harness)), Some(all - 1));
    let recipe_text = model(&harness).recipe_text().unwrap().unwrap();
    std::fs::write(folder.path().join("made.toml"), recipe_text).unwrap();
    let opened = model(&harness).opened().unwrap();
    let made = model(&harness).made().unwrap();
    let exported = loopwright_studio::model::Exported::of(opened, made, Format::Glb).unwrap();
    let words = ["make", "stroll.bvh", "--recipe", "made.toml", "-o", "again.glb"];
    if command(folder.path(), &words).is_some() {
        assert!(std::fs::read(folder.path().join("again.glb")).unwrap() == exported.bytes);
    }
}
