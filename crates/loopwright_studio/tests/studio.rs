//! The studio driven as a person drives it: by the labels of its widgets.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use egui_kittest::{Harness, kittest::Queryable as _};
use loopwright::{
    Analysis, LoopSettings, SearchSettings,
    closure::{ClosureName, Method, Shape},
    feet::FootLock,
};
use loopwright_formats::{Format, Limits, LoopFile, Sidecar, Source, load, loop_file::facts::TakeFacts, write_take};
use loopwright_recipe::{EditRecipe, Recipe};
use loopwright_studio::{Action, Model, Studio, model::Stretch};
use loopwright_synth::{WalkSettings, synthesize};

/// Longest that work beside the window may take in a debug build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A walk that differs from the one that the studio opens with.
fn walk_bvh() -> Vec<u8> {
    let settings = WalkSettings {
        seed: 3,
        seconds: 6.0,
        period_secs: 1.02,
        ..WalkSettings::default()
    };
    let take = synthesize(&settings).unwrap().take;
    write_take(&take, &Source::for_take(&take, Format::Bvh)).unwrap().bytes
}

/// A studio in a window of that size.
fn studio(width: f32, height: f32) -> Harness<'static, Option<Studio>> {
    let builder = Harness::builder().with_size([width, height]).with_max_steps(2);
    let mut harness = builder.build_ui_state(
        |ui, studio: &mut Option<Studio>| {
            let ctx = ui.ctx().clone();
            studio.get_or_insert_with(|| Studio::in_context(&ctx)).studio_ui(ui);
        },
        None,
    );
    harness.step();
    harness
}

fn model<'h>(harness: &'h Harness<'_, Option<Studio>>) -> &'h Model {
    harness.state().as_ref().unwrap().model()
}

/// Draws frames until something is so.
fn wait(harness: &mut Harness<'_, Option<Studio>>, what: &str, is_so: impl Fn(&Model) -> bool) {
    let start = Instant::now();
    while !is_so(model(harness)) {
        assert!(start.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
        harness.step();
    }
    harness.step();
}

/// Clicks what has that label, and waits until the loop is made.
fn click(harness: &mut Harness<'static, Option<Studio>>, label: &str) {
    harness.get_by_label(label).click();
    harness.run_steps(3);
    wait(harness, label, is_made);
}

/// What the command that LOOPWRIGHT names answers in a folder; `None` without one.
fn command(folder: &Path, words: &[&str]) -> Option<std::process::Output> {
    let command = std::env::var_os("LOOPWRIGHT")?;
    let done = std::process::Command::new(command)
        .args(words)
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.code() < Some(2), "{words:?}: {said}");
    Some(done)
}

fn is_made(model: &Model) -> bool {
    model.progress().is_none() && model.finished().is_some()
}

fn open(harness: &mut Harness<'_, Option<Studio>>, path: &Path) {
    harness.state_mut().as_mut().unwrap().open_path(path);
    let file_name = path.file_name().unwrap().to_string_lossy().into_owned();
    wait(harness, "the take is open", |model| {
        model.opened().is_some_and(|opened| opened.file_name == file_name) && is_made(model)
    });
}

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
fn from_a_file_to_an_exported_loop() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stroll.bvh");
    let bytes = walk_bvh();
    std::fs::write(&path, &bytes).unwrap();
    let mut harness = studio(1280.0, 2400.0);
    open(&mut harness, &path);

    // Another loop of the list, or frames of one's own where there is only one.
    let num_loops = model(&harness).opened().unwrap().found.candidates.len();
    if num_loops > 1 {
        harness.get_by_label_contains("Loop 2:").click();
        harness.step();
        wait(&mut harness, "loop 2 is made", is_made);
        assert_eq!(model(&harness).edit().unwrap().stretch, Stretch::Found(1));
    }
    // Another method, by its list.
    harness.get_by_label("Method").click();
    harness.run_steps(3);
    harness.get_by_label("spring").click();
    harness.run_steps(2);
    wait(&mut harness, "the spring is made", is_made);
    assert_eq!(model(&harness).edit().unwrap().closure(), ClosureName::Spring);
    let spring = model(&harness).edit().unwrap().clone();
    // Feet off, and on again by undo.
    harness.get_by_label("Hold feet while they stand").click();
    harness.run_steps(2);
    wait(&mut harness, "feet are free", is_made);
    assert_eq!(model(&harness).edit().unwrap().settings.feet.lock, FootLock::Off);
    harness.get_by_label("Undo").click();
    harness.run_steps(2);
    wait(&mut harness, "the change is taken back", is_made);
    assert_eq!(model(&harness).edit(), Some(&spring));

    harness.get_by_label("Export the loop").click();
    harness.run_steps(2);
    let written = folder.path().join("stroll-loop.bvh");
    let sidecar = folder.path().join("stroll-loop.bvh.json");
    wait(&mut harness, "the file is there", |_| sidecar.exists());

    // The same by the library alone.
    let file = load(&bytes, "stroll").unwrap();
    let analysis = Analysis::new(&file.take).unwrap();
    let found = analysis.find_loops(&SearchSettings::default()).unwrap();
    let candidate = &found.candidates[if num_loops > 1 { 1 } else { 0 }];
    let settings = LoopSettings {
        closure: spring.settings.closure.clone(),
        ..LoopSettings::default()
    };
    let made = analysis.make_loop(candidate, &settings).unwrap();
    let wanted = LoopFile::write(&made, &file.source).unwrap();
    let bytes = std::fs::read(&written).unwrap();
    assert!(
        bytes == wanted.bytes().as_ref(),
        "the studio writes what the library writes"
    );
    let facts = Sidecar::from_json(&std::fs::read(&sidecar).unwrap()).unwrap();
    assert!(facts.check_file(&bytes).is_ok() && facts.take.file == "stroll.bvh");

    // A file that is there is left alone until one says otherwise.
    std::fs::write(&written, "mine").unwrap();
    harness.get_by_label("Export the loop").click();
    harness.run_steps(2);
    let start = Instant::now();
    while harness.query_by_label("Replace it").is_none() {
        assert!(start.elapsed() < PATIENCE);
        harness.step();
    }
    assert_eq!(std::fs::read(&written).unwrap(), b"mine");
    harness.get_by_label("Replace it").click();
    harness.run_steps(2);
    assert!(std::fs::read(&written).unwrap() == bytes);
}

#[test]
fn every_format_is_what_the_library_writes() {
    let mut model = Model::new(loopwright_studio::work::Wake::default());
    let poll = |model: &mut Model, is_so: &dyn Fn(&mut Model) -> bool| {
        let start = Instant::now();
        while !is_so(model) {
            assert!(start.elapsed() < PATIENCE);
            std::thread::sleep(Duration::from_millis(2));
            model.poll();
        }
    };
    poll(&mut model, &|model| is_made(model));
    let (opened, made) = (model.opened().unwrap().clone(), model.made().unwrap().clone());
    for format in Format::ALL {
        model.apply(Action::Export(format));
        let exported = std::cell::Cell::new(None);
        poll(&mut model, &|model| {
            let written = model.take_exported();
            let is_there = written.is_some();
            exported.set(written);
            is_there
        });
        let exported = exported.take().unwrap();
        let source = opened.source.in_format(format, opened.take());
        // As the command line writes it: with a root joint where engines want one.
        let writing = (made.output).writing(format, opened.analysis.root_joint(), Limits::default());
        let take = TakeFacts::of("walk.bvh", opened.take(), opened.source.space());
        let wanted = LoopFile::write_with(&made.made, take, &source, &writing).unwrap();
        assert!(exported.bytes == wanted.bytes().as_ref(), "{format:?}");
        assert_eq!(exported.file_name, format!("walk-loop.{}", format.extension()));
    }
}

#[test]
fn what_cannot_be_opened_is_said_and_the_former_take_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.bvh");
    std::fs::write(&path, "HIERARCHY ROOT").unwrap();
    let mut harness = studio(1280.0, 860.0);
    wait(&mut harness, "the walk is closed", is_made);
    for path in [path.as_path(), folder.path(), Path::new("no such file")] {
        harness.state_mut().as_mut().unwrap().open_path(path);
        wait(&mut harness, "it is said", |model| model.problem().is_some());
        harness.get_by_label_contains("cannot open this take");
        assert_eq!(model(&harness).opened().unwrap().file_name, "walk.bvh");
        harness.get_by_label("Dismiss").click();
        harness.run_steps(2);
        assert!(model(&harness).problem().is_none());
    }
}

#[test]
fn keys_do_what_the_list_says() {
    use eframe::egui::{Key, Modifiers};
    let mut harness = studio(1280.0, 2400.0);
    wait(&mut harness, "the walk is closed", is_made);
    harness.key_press(Key::Space);
    harness.run_steps(2);
    harness.get_by_label("Play");
    harness.key_press(Key::Home);
    harness.run_steps(2);
    harness.key_press(Key::ArrowRight);
    harness.run_steps(2);
    let step = model(&harness).step_secs();
    let secs = model(&harness).playback_secs();
    assert!((secs - step).abs() < 1e-9, "{secs}");
    harness.key_press(Key::B);
    harness.run_steps(2);
    assert_eq!(model(&harness).shown(), loopwright_studio::model::Shown::Uncut);
    harness.get_by_label("Keys ?").click();
    harness.run_steps(3);
    harness.get_by_label("Close").click();
    harness.run_steps(3);
    assert!(harness.query_by_label("Close").is_none());
    harness.get_by_label("Hold feet while they stand").click();
    harness.run_steps(2);
    wait(&mut harness, "feet are free", is_made);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run_steps(2);
    assert!(model(&harness).can_redo());
}

#[test]
fn the_ends_of_the_stretch_are_dragged() {
    let mut harness = studio(1280.0, 860.0);
    wait(&mut harness, "the walk is closed", is_made);
    let end = harness.get_by_label("End of the stretch").rect().center();
    harness.drag_at(end);
    harness.step();
    harness.hover_at(end + eframe::egui::vec2(60.0, 0.0));
    harness.step();
    harness.drop_at(end + eframe::egui::vec2(60.0, 0.0));
    harness.run_steps(2);
    let Stretch::Frames { start_frame, end_frame } = model(&harness).edit().unwrap().stretch else {
        panic!("the end was dragged");
    };
    let found = model(&harness).opened().unwrap().found.best().unwrap().cut;
    assert!(start_frame == found.start_frame() && end_frame > found.end_frame() + 5.0 && end_frame.fract() == 0.0);
    wait(&mut harness, "it is made", is_made);
}

#[test]
fn a_narrow_window_has_all_panels_too() {
    let mut harness = studio(390.0, 3000.0);
    wait(&mut harness, "the walk is closed", is_made);
    for label in [
        "Export the loop",
        "Method",
        "Root motion",
        "Hold feet while they stand",
        "Pause",
        "Ghost of the uncut stretch",
        "Follow",
        "Whole take: click to show that time",
        "Two periods with the seam in the middle",
    ] {
        let right = harness.get_by_label(label).rect().right();
        assert!(right <= 390.0, "{label} ends at {right}");
    }
}

#[test]
fn a_drag_shows_drafts_and_ends_with_held_feet() {
    let mut harness = studio(1280.0, 860.0);
    wait(&mut harness, "the walk is closed", is_made);
    let mut edit = model(&harness).edit().unwrap().clone();
    for (blend_secs, is_final) in [(0.3, false), (0.25, false), (0.25, true)] {
        edit.settings.closure.method = Method::of(Shape::Quintic { blend_secs });
        let edit = Box::new(edit.clone());
        harness
            .state_mut()
            .as_mut()
            .unwrap()
            .apply(Action::Edit { edit, is_final });
        if is_final {
            wait(&mut harness, "the loop is made", is_made);
            assert!(model(&harness).made().unwrap().made.feet.is_locked());
        } else {
            wait(&mut harness, "a draft is made", |model| model.made().unwrap().is_draft);
            assert!(model(&harness).finished().is_none(), "a draft is not exported");
        }
    }
    harness.state_mut().as_mut().unwrap().apply(Action::Undo);
    wait(&mut harness, "the drag is taken back", is_made);
    assert!(!model(&harness).can_undo());
}

/// The loop that a recipe makes of a take, by the libraries alone, as the command line makes it.
fn made_by_recipe(text: &str, bytes: &[u8], format: Format) -> Vec<u8> {
    use loopwright_formats::{AnimationChoice, read_take};
    let recipe = Recipe::read(text.as_bytes()).unwrap();
    let study = &recipe.take;
    let settings = study.settings(study.space(), AnimationChoice::Auto, Limits::default());
    let file = read_take(bytes, "stroll", &settings, &mut Vec::new()).unwrap();
    let analysis = Analysis::with(&file.take, &study.overrides()).unwrap();
    let search = SearchSettings {
        cycles: recipe.stretch.cycles,
        ..SearchSettings::default()
    };
    let (start, end) = recipe.stretch.start.zip(recipe.stretch.end).unwrap();
    let candidate = analysis.appraise(start, end, &search).unwrap();
    let output = recipe.output.filled(file.take.frame_rate_hz(), &candidate);
    let settings = recipe.loop_settings(&output, &analysis, &mut Vec::new()).unwrap();
    let made = analysis.make_loop(&candidate, &settings).unwrap();
    let source = output.engine().placed(file.source.in_format(format, &file.take));
    let writing = output.writing(format, analysis.root_joint(), Limits::default());
    let take = TakeFacts::of("stroll.bvh", &file.take, file.source.space());
    let mut written = LoopFile::write_with(&made, take, &source, &writing).unwrap();
    written.sidecar.candidate.several_cycles_for = recipe.stretch.several_cycles_for;
    written.bytes().into_owned()
}

/// What is saved makes the same bytes again: by the libraries, by the studio, and by the command that LOOPWRIGHT names, if any.
#[test]
fn a_saved_recipe_makes_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stroll.bvh");
    let bytes = walk_bvh();
    std::fs::write(&path, &bytes).unwrap();
    let mut harness = studio(1280.0, 3600.0);
    open(&mut harness, &path);
    harness.get_by_label("Method").click();
    harness.run_steps(3);
    click(&mut harness, "spring");
    for kind in ["joint at a time", "joint all the time", "smooth", "aim", "noise"] {
        click(&mut harness, &format!("Add: {kind}"));
    }
    assert_eq!(model(&harness).made().unwrap().made.edits.len(), 5);
    // Values, as the widgets set them.
    let mut edit = model(&harness).edit().unwrap().clone();
    for layer in &mut edit.recipe.edits {
        match layer {
            EditRecipe::Move { rotation, .. } | EditRecipe::Offset { rotation, .. } => *rotation = [5.0, 0.0, 12.5],
            EditRecipe::Aim { turn } => *turn = 20.0,
            _ => {}
        }
    }
    let edit = Box::new(edit);
    let action = Action::Edit { edit, is_final: true };
    harness.state_mut().as_mut().unwrap().apply(action);
    wait(&mut harness, "the edits are made", is_made);
    click(&mut harness, "Add a stance of LeftFoot");

    harness.get_by_label("Save the recipe").click();
    harness.run_steps(3);
    harness.get_by_label("Export the loop").click();
    harness.run_steps(3);
    let sidecar = folder.path().join("stroll-loop.bvh.json");
    wait(&mut harness, "the file is there", |_| sidecar.exists());
    let text = std::fs::read_to_string(folder.path().join("stroll-loop.toml")).unwrap();
    let exported = std::fs::read(folder.path().join("stroll-loop.bvh")).unwrap();
    assert!(exported == made_by_recipe(&text, &bytes, Format::Bvh), "{text}");
    let facts = Sidecar::from_json(&std::fs::read(&sidecar).unwrap()).unwrap();
    assert_eq!(facts.edits.len(), 5);
    // The facts inside a glTF file are the same, too.
    let (opened, made) = (model(&harness).opened().unwrap(), model(&harness).finished().unwrap());
    let glb = loopwright_studio::model::Exported::of(opened, made, Format::Glb).unwrap();
    assert!(glb.bytes == made_by_recipe(&text, &bytes, Format::Glb), "GLB");
    for (name, wanted) in [("again.bvh", &exported), ("again.glb", &glb.bytes)] {
        let words = ["make", "stroll.bvh", "--recipe", "stroll-loop.toml", "-o", name];
        if command(folder.path(), &words).is_some() {
            assert!(std::fs::read(folder.path().join(name)).unwrap() == *wanted, "{name}");
            command(folder.path(), &["check", name]);
        }
    }

    // Opened again it is the same, on a take that was opened afresh.
    let saved = model(&harness).finished().unwrap().recipe.clone();
    harness.state_mut().as_mut().unwrap().open_path(&path);
    wait(&mut harness, "the take is open again", |model| {
        is_made(model) && model.edit().is_some_and(|edit| edit.recipe.edits.is_empty())
    });
    let recipe = folder.path().join("stroll-loop.toml");
    harness.state_mut().as_mut().unwrap().open_path(&recipe);
    wait(&mut harness, "the recipe is followed", |model| {
        is_made(model) && model.edit().is_some_and(|edit| edit.recipe.edits.len() == 5)
    });
    assert_eq!(model(&harness).finished().unwrap().recipe, saved);
    assert_eq!(model(&harness).recipe_text().unwrap().unwrap(), text);
    harness.get_by_label("Undo").click();
    harness.run_steps(2);
    wait(&mut harness, "the recipe is taken back", is_made);
    assert!(model(&harness).edit().unwrap().recipe.edits.is_empty());
    // What is no recipe changes nothing.
    std::fs::write(&recipe, "[closure]\nmetod = \"spring\"\n").unwrap();
    harness.state_mut().as_mut().unwrap().open_path(&recipe);
    wait(&mut harness, "it is said", |model| model.problem().is_some());
    harness.get_by_label_contains("unknown field");
}

#[test]
fn stances_are_added_dragged_and_removed() {
    let mut harness = studio(1280.0, 3600.0);
    wait(&mut harness, "the walk is closed", is_made);
    harness.key_press(eframe::egui::Key::Space);
    harness.key_press(eframe::egui::Key::Home);
    harness.run_steps(3);
    let contacts = |model: &Model| model.finished().unwrap().made.feet.contacts.clone();
    let detected = contacts(model(&harness));
    harness.get_by_label("Add a stance of LeftFoot").click();
    harness.run_steps(3);
    wait(&mut harness, "it is added", is_made);
    let stances = |harness: &Harness<'_, Option<Studio>>| model(harness).edit().unwrap().recipe.stances.clone();
    let added = stances(&harness)[0].clone();
    assert!(added.stands && added.to > added.from);
    // The bar is dragged along the loop; its length stays.
    let at = harness.get_by_label("Stance 1").rect().center();
    harness.drag_at(at);
    harness.step();
    harness.hover_at(at + eframe::egui::vec2(80.0, 0.0));
    harness.step();
    harness.drop_at(at + eframe::egui::vec2(80.0, 0.0));
    harness.run_steps(2);
    wait(&mut harness, "it is dragged", is_made);
    let dragged = stances(&harness)[0].clone();
    assert!(dragged.from > added.from + 0.1, "{added:?} {dragged:?}");
    assert!((dragged.to - dragged.from - (added.to - added.from)).abs() < 1e-9);
    harness.get_by_label("Stance 1 stands").click();
    harness.run_steps(3);
    wait(&mut harness, "it swings", is_made);
    assert!(!stances(&harness)[0].stands);
    harness.get_by_label("Remove stance 1").click();
    harness.run_steps(3);
    wait(&mut harness, "it is removed", is_made);
    assert!(stances(&harness).is_empty());
    assert_eq!(contacts(model(&harness)), detected);
}

#[test]
fn several_takes_stay_open_and_two_settings_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["one.bvh", "other.bvh"].map(|name| folder.path().join(name));
    for path in [&one, &other] {
        std::fs::write(path, walk_bvh()).unwrap();
    }
    let mut harness = studio(1280.0, 3600.0);
    wait(&mut harness, "the walk is closed", is_made);
    let autosave = folder.path().join("state/last.toml");
    harness.state_mut().as_mut().unwrap().autosave_to(autosave.clone());
    open(&mut harness, &one);
    harness.get_by_label("Keep as A").click();
    harness.run_steps(2);
    let first = model(&harness).edit().unwrap().clone();
    harness.get_by_label("Add: noise").click();
    harness.run_steps(2);
    wait(&mut harness, "the noise is made", is_made);
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
    harness.get_by_label("Go on with one.bvh").click();
    harness.run_steps(2);
    wait(&mut harness, "the first take is shown again", is_made);
    assert_eq!(model(&harness).opened().unwrap().file_name, "one.bvh");
    assert_eq!(model(&harness).edit(), Some(&first));
    assert!(model(&harness).can_undo());
    // A file that is opened again replaces itself.
    open(&mut harness, &other);
    assert_eq!(model(&harness).others().collect::<Vec<_>>(), ["one.bvh"]);
    // Of files that come at once each is read.
    let (third, fourth) = (folder.path().join("third.bvh"), folder.path().join("fourth.bvh"));
    for path in [&third, &fourth] {
        std::fs::write(path, walk_bvh()).unwrap();
        harness.state_mut().as_mut().unwrap().open_path(path);
    }
    wait(&mut harness, "all are open", |model| {
        is_made(model) && model.others().count() == 3
    });
    // Both views are there, by their labels and keys.
    harness.get_by_label("Before and after").click();
    harness.get_by_label("Without perspective").click();
    harness.run_steps(3);
}

/// Smoothed, and on another character: by its panel, taken back, and as the command makes it of the saved recipe.
#[test]
fn a_take_is_smoothed_and_put_on_a_character() {
    let folder = tempfile::tempdir().unwrap();
    let [path, hero] = ["stroll.bvh", "hero.glb"].map(|name| folder.path().join(name));
    std::fs::write(&path, walk_bvh()).unwrap();
    let settings = WalkSettings {
        seed: 11,
        ..WalkSettings::default()
    };
    let take = synthesize(&settings).unwrap().take;
    let source = Source::for_take(&take, Format::Glb);
    std::fs::write(&hero, write_take(&take, &source).unwrap().bytes).unwrap();
    let mut harness = studio(1280.0, 4200.0);
    wait(&mut harness, "the walk is closed", is_made);
    open(&mut harness, &path);
    let first = model(&harness).made().unwrap().made.loop_clip.clone();
    harness.get_by_label("Smoothing and character").click();
    harness.run_steps(20);

    harness.get_by_label("Smooth the take").click();
    harness.run_steps(3);
    wait(&mut harness, "it is smoothed", |model| {
        is_made(model) && model.opened().unwrap().study.smooth == Some(6.0)
    });
    let smooth = model(&harness).made().unwrap().made.loop_clip.clone();
    assert_eq!(smooth.num_samples(), first.num_samples(), "the same frames are closed");
    assert_ne!(smooth.tracks(), first.tracks());

    harness
        .get_by_label("Put the loop on the next character I open")
        .click();
    harness.run_steps(3);
    harness.state_mut().as_mut().unwrap().open_path(&hero);
    wait(&mut harness, "it is on the character", |model| {
        is_made(model) && model.opened().unwrap().rig.is_some()
    });
    assert_eq!(model(&harness).opened().unwrap().file_name, "stroll.bvh");
    assert!(!model(&harness).awaits_character());
    let skeleton = model(&harness).made().unwrap().made.loop_clip.skeleton().clone();
    assert_ne!(&skeleton, first.skeleton());

    harness.get_by_label("Save the recipe").click();
    harness.run_steps(3);
    harness.get_by_label("Export the loop").click();
    harness.run_steps(3);
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
    harness.get_by_label("Undo").click();
    harness.run_steps(2);
    wait(&mut harness, "it has its own body again", |model| {
        is_made(model) && model.opened().unwrap().rig.is_none()
    });
    assert_eq!(model(&harness).made().unwrap().made.loop_clip, smooth);
    harness.get_by_label("Undo").click();
    harness.run_steps(2);
    wait(&mut harness, "it is not smoothed", |model| {
        is_made(model) && model.opened().unwrap().study.smooth.is_none()
    });
    assert_eq!(model(&harness).made().unwrap().made.loop_clip, first);
    assert!(!model(&harness).can_undo());
    harness.get_by_label("Redo").click();
    harness.run_steps(2);
    harness.get_by_label("Redo").click();
    harness.run_steps(2);
    wait(&mut harness, "both are made again", |model| {
        is_made(model) && model.opened().unwrap().rig.is_some()
    });

    // The recipe is followed by a take that was opened afresh, whose character is on the disk.
    let mut harness = studio(1280.0, 4200.0);
    wait(&mut harness, "the walk is closed", is_made);
    open(&mut harness, &path);
    let recipe = folder.path().join("stroll-loop.toml");
    harness.state_mut().as_mut().unwrap().open_path(&recipe);
    wait(&mut harness, "the recipe is followed", |model| {
        is_made(model) && model.opened().unwrap().rig.is_some()
    });
    assert_eq!(model(&harness).recipe_text().unwrap().unwrap(), text);
    std::fs::remove_file(&hero).unwrap();
    harness.state_mut().as_mut().unwrap().open_path(&path);
    wait(&mut harness, "the take is open again", |model| {
        is_made(model) && model.opened().unwrap().rig.is_none()
    });
    harness.state_mut().as_mut().unwrap().open_path(&recipe);
    wait(&mut harness, "it is said", |model| model.problem().is_some());
    harness.get_by_label_contains("drop it as a character first");
}

/// A map of joints that is dropped is followed, by a recipe too, as the command follows it.
#[test]
fn a_map_of_joints_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let [path, hero, map] = ["stroll.bvh", "hero.glb", "hero.toml"].map(|name| folder.path().join(name));
    std::fs::write(&path, walk_bvh()).unwrap();
    let take = synthesize(&WalkSettings::default()).unwrap().take;
    let source = Source::for_take(&take, Format::Glb);
    std::fs::write(&hero, write_take(&take, &source).unwrap().bytes).unwrap();
    // The head rests.
    std::fs::write(&map, "[joints]\nHead = \"\"\n").unwrap();
    let recipe = folder.path().join("recipe.toml");
    std::fs::write(&recipe, "[take]\nrig = \"hero.glb\"\nmap = \"hero.toml\"\n").unwrap();
    let mut harness = studio(1280.0, 4200.0);
    wait(&mut harness, "the walk is closed", is_made);
    open(&mut harness, &path);
    let drop_file = |harness: &mut Harness<'_, Option<Studio>>, path: &Path| {
        harness.state_mut().as_mut().unwrap().open_path(path);
    };
    drop_file(&mut harness, &map);
    wait(&mut harness, "it is said", |model| model.problem().is_some());
    harness.get_by_label_contains("this map of joints is for a take on a character");

    // Their folders are not those that the recipe is read from.
    drop_file(&mut harness, &recipe);
    wait(&mut harness, "the character is asked for", |model| {
        model.progress().is_none()
            && model
                .problem()
                .is_some_and(|problem| problem.to_string().contains("hero.glb"))
    });
    harness
        .state_mut()
        .as_mut()
        .unwrap()
        .apply(Action::AwaitCharacter(true));
    drop_file(&mut harness, &hero);
    let joints = |model: &Model| Some(model.opened()?.rig.as_ref()?.joints_followed);
    wait(&mut harness, "it is on the character", |model| {
        is_made(model) && joints(model).is_some()
    });
    let all = joints(model(&harness)).unwrap();
    drop_file(&mut harness, &map);
    wait(&mut harness, "the head rests", |model| {
        is_made(model) && joints(model) == Some(all - 1)
    });
    drop_file(&mut harness, &recipe);
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

/// A joint gets a closure of its own, by its panel.
#[test]
fn joints_are_closed_in_ways_of_their_own() {
    let mut harness = studio(1280.0, 4200.0);
    wait(&mut harness, "the walk is closed", is_made);
    let before = model(&harness).made().unwrap().made.loop_clip.clone();
    let watched = before.skeleton().find("LeftHand").unwrap();
    harness.state_mut().as_mut().unwrap().apply(Action::Watch(watched));
    harness.get_by_label("Joints of their own").click();
    harness.run_steps(20);
    click(&mut harness, "Close LeftHand in its own way");
    click(&mut harness, "Time of joints 1");
    let joint = &model(&harness).edit().unwrap().recipe.joints[0];
    assert_eq!((joint.pattern.as_str(), joint.blend), ("LeftHand", None));
    click(&mut harness, "Time of joints 1");
    let after = model(&harness).made().unwrap().made.loop_clip.clone();
    let changed: Vec<usize> = (0..after.skeleton().num_joints())
        .filter(|&joint| {
            (0..after.num_samples())
                .any(|key| after.body_pose(key).rotations[joint] != before.body_pose(key).rotations[joint])
        })
        .collect();
    assert_eq!(changed, [watched]);
    let text = model(&harness).recipe_text().unwrap().unwrap();
    assert!(
        text.contains("[[joint]]\npattern = \"LeftHand\"\nmethod = \"quintic\"\nblend = 0.1"),
        "{text}"
    );
    click(&mut harness, "Remove joints 1");
    assert_eq!(model(&harness).made().unwrap().made.loop_clip, before);
}

/// An end that is dragged goes to the cheapest seam nearby, figures follow, and Alt sets it free.
#[test]
fn ends_snap_to_good_seams_and_figures_follow() {
    let mut harness = studio(1280.0, 860.0);
    wait(&mut harness, "the walk is closed", is_made);
    harness.key_press(eframe::egui::Key::Space);
    let drag = |harness: &mut Harness<'static, Option<Studio>>, points: f32, is_free: bool| -> [f64; 2] {
        let end = harness.get_by_label("End of the stretch").rect().center();
        let modifiers = match is_free {
            true => eframe::egui::Modifiers::ALT,
            false => eframe::egui::Modifiers::NONE,
        };
        harness.event(eframe::egui::Event::ModifiersChanged(modifiers));
        let to = end + eframe::egui::vec2(points, 0.0);
        harness.drag_at(end);
        harness.step();
        harness.hover_at(to);
        harness.step();
        harness.hover_at(to);
        harness.step();
        wait(harness, "a draft follows", |model| {
            model
                .made()
                .is_some_and(|made| made.is_draft && Some(&made.edit) == model.edit())
        });
        harness.drop_at(to);
        harness.step();
        harness.event(eframe::egui::Event::ModifiersChanged(eframe::egui::Modifiers::NONE));
        harness.run_steps(2);
        wait(harness, "it is made", is_made);
        let Stretch::Frames { start_frame, end_frame } = model(harness).edit().unwrap().stretch else {
            panic!("the end was dragged");
        };
        [start_frame, end_frame]
    };
    let opened = model(&harness).opened().unwrap().clone();
    let bar = harness.get_by_label("Whole take: click to show that time").rect();
    let frames_per_point = (opened.take().num_frames() - 1) as f64 / f64::from(bar.width());
    let found = opened.found.best().unwrap().cut;
    let cost = |end: f64, start: f64| {
        let decay = SearchSettings::default().decay;
        opened
            .analysis
            .seam_cost(start.round() as usize, end.round() as usize, decay)
    };
    let [start, snapped] = drag(&mut harness, 30.0, false);
    let wanted = (found.end_frame() + 30.0 * frames_per_point).round();
    let reach = (9.0 * frames_per_point).floor();
    assert!((snapped - wanted).abs() <= reach, "{snapped} {wanted} {reach}");
    let mut near = -(reach as i64)..=reach as i64;
    assert!(near.all(|step| cost(snapped, start) <= cost(wanted + step as f64, start)));
    // One step of undo, however many drafts.
    harness.get_by_label("Undo").click();
    harness.run_steps(2);
    wait(&mut harness, "it is taken back", is_made);
    assert!(!model(&harness).can_undo());
    let [_, free] = drag(&mut harness, 30.0, true);
    assert_eq!(free, wanted);
    assert!(cost(snapped, start) < cost(free, start), "else snapping shows nothing");
}

/// The panels that look closer show what the library finds, and the map of costs is clicked into.
#[test]
fn the_take_is_looked_at_closer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stroll.bvh");
    std::fs::write(&path, walk_bvh()).unwrap();
    let mut harness = studio(1280.0, 5200.0);
    wait(&mut harness, "the walk is closed", is_made);
    open(&mut harness, &path);
    harness.key_press(eframe::egui::Key::Space);
    for header in [
        "Parts of its score",
        "Lengths that repeat",
        "Cost of every seam",
        "Jumps between loops",
        "Controller fit",
    ] {
        harness.get_by_label(header).click();
        harness.run_steps(20);
    }
    wait(&mut harness, "all is worked out", |model| {
        let studies = model.studies();
        model.progress().is_none() && studies.costs.is_some() && studies.jumps.is_some() && studies.fit.is_some()
    });
    harness.run_steps(5);
    let opened = model(&harness).opened().unwrap().clone();
    // The walk repeats after 1.02 s.
    harness.get_by_label("How alike the take is to itself, over lag");
    harness.get_by_label_contains("It repeats after 1.02 s");
    for part in ["Gap at the seam", "Moved by closing", "Foot sliding"] {
        harness.get_by_label(part);
    }
    harness.get_by_label("Speed of the take, and the springs fitted to it");
    harness.get_by_label_contains("No half-life of the velocity");
    let studies = model(&harness).studies().clone();
    // Jumps cost what the command says between the loops that it makes.
    let jumps = studies.jumps.unwrap().unwrap();
    let num_loops = opened.found.candidates.len().min(4);
    assert_eq!(jumps.len(), num_loops * (num_loops - 1));
    if let Some(jump) = jumps.first() {
        let [from, to] = [jump.from, jump.to].map(|index| (index + 1).to_string());
        for (pick, name) in [(&from, "from.bvh"), (&to, "to.bvh")] {
            command(
                folder.path(),
                &["make", "stroll.bvh", "--shifted", "--pick", pick, "-o", name],
            );
        }
        if let Some(answer) = command(folder.path(), &["cost", "from.bvh", "to.bvh", "--json"]) {
            let text = String::from_utf8(answer.stdout).unwrap();
            let key = "\"cost_metre_secs\":";
            let number = text.split(key).nth(1).unwrap().split([',', '}']).next().unwrap();
            let cost: f64 = number.trim().parse().unwrap();
            assert!((cost - jump.cost).abs() < 1e-5, "{cost} {}", jump.cost);
        }
    }

    let costs = studies.costs.unwrap();
    let random = opened.found.random_cost.unwrap();
    let decay = SearchSettings::default().decay;
    let (start, end) = (costs.len() / 5, costs.len() / 2);
    let [start_frame, end_frame] = [start, end].map(|cell| costs.frames[cell]);
    let ratio = opened.analysis.seam_cost(start_frame, end_frame, decay) / random;
    assert!((costs.ratios[start * costs.len() + end] - ratio).abs() < 1e-12);
    assert!(costs.ratios[end * costs.len() + start].is_infinite());
    let rect = harness.get_by_label("Cost of every seam: click to take one").rect();
    let share = |cell: usize| (cell as f32 + 0.5) / costs.len() as f32;
    let point = rect.left_bottom() + rect.size() * eframe::egui::vec2(share(start), -share(end));
    harness.hover_at(point);
    harness.step();
    harness.drag_at(point);
    harness.step();
    harness.drop_at(point);
    harness.run_steps(3);
    wait(&mut harness, "the seam is made", is_made);
    let Stretch::Frames { start_frame, end_frame } = model(&harness).edit().unwrap().stretch else {
        panic!("the map was clicked");
    };
    let taken = opened
        .analysis
        .seam_cost(start_frame as usize, end_frame as usize, decay)
        / random;
    assert!(taken <= ratio, "{taken} {ratio}");
    let near = |frame: f64, cell: usize| (frame - costs.frames[cell] as f64).abs() <= 3.0 * costs.frames[1] as f64;
    assert!(
        near(start_frame, start) && near(end_frame, end),
        "{start_frame} {end_frame}"
    );
}

/// Two walks blend into every speed between.
#[test]
fn loops_of_a_set_blend_by_speed() {
    let folder = tempfile::tempdir().unwrap();
    let speeds = [1.0, 1.6];
    let mut harness = studio(1280.0, 5200.0);
    wait(&mut harness, "the walk is closed", is_made);
    harness.get_by_label("Set and blend").click();
    harness.run_steps(20);
    for speed_mps in speeds {
        let settings = WalkSettings {
            speed_mps,
            ..WalkSettings::default()
        };
        let take = synthesize(&settings).unwrap().take;
        let path = folder.path().join(format!("walk-{speed_mps}.bvh"));
        let bytes = write_take(&take, &Source::for_take(&take, Format::Bvh)).unwrap().bytes;
        std::fs::write(&path, bytes).unwrap();
        open(&mut harness, &path);
        harness.get_by_label("Put this loop into the set").click();
        harness.run_steps(3);
    }
    harness.get_by_label("Phases of the loops of the set");
    assert!(harness.query_all_by_label("Speed of the blend").next().is_some());
    harness.get_by_label("Show the blend").click();
    harness.run_steps(3);
    assert_eq!(model(&harness).shown(), loopwright_studio::model::Shown::Blend);
    harness.state_mut().as_mut().unwrap().apply(Action::Mix(1.3));
    harness.run_steps(3);
    let mixed = model(&harness).set().mixed().unwrap().clone();
    let made = loopwright_studio::model::LoopSet::speed_of(&mixed);
    assert!((made - 1.3).abs() < 1e-9, "{made}");
    let weights = model(&harness).set().weights();
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12 && weights.iter().all(|weight| *weight > 0.3));
    harness.get_by_label("Take 2 out").click();
    harness.run_steps(3);
    assert!(model(&harness).set().mixed().is_none());
    assert_eq!(model(&harness).shown(), loopwright_studio::model::Shown::Loop);
}

/// The first steps are ticked off as they are done, and go when one says so.
#[test]
fn the_first_steps_lead_from_a_drop_to_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stroll.bvh");
    std::fs::write(&path, walk_bvh()).unwrap();
    let mut harness = studio(1280.0, 4200.0);
    wait(&mut harness, "the walk is closed", is_made);
    assert!(harness.query_by_label_contains("(done)").is_none());
    open(&mut harness, &path);
    harness.get_by_label_contains("1. Drop a take on this window, or press Open. The best loop plays at once. (done)");
    harness.key_press(eframe::egui::Key::B);
    harness.run_steps(3);
    assert_eq!(harness.query_all_by_label_contains("(done)").count(), 2);
    harness.key_press(eframe::egui::Key::L);
    harness.run_steps(3);
    harness.key_press(eframe::egui::Key::E);
    harness.run_steps(3);
    let written = folder.path().join("stroll-loop.bvh.json");
    wait(&mut harness, "the file is there", |_| written.exists());
    harness.run_steps(3);
    assert_eq!(harness.query_all_by_label_contains("(done)").count(), 3);
    harness.get_by_label("Hide these steps").click();
    harness.run_steps(3);
    assert!(harness.query_by_label_contains("(done)").is_none());
}

/// For an engine: its format, its root motion, and the bytes of the command with the saved recipe.
#[test]
fn a_loop_is_exported_for_an_engine() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stroll.bvh");
    std::fs::write(&path, walk_bvh()).unwrap();
    let mut harness = studio(1280.0, 4200.0);
    wait(&mut harness, "the walk is closed", is_made);
    open(&mut harness, &path);
    for (engine, mode, name) in [
        ("bevy", loopwright::RootMode::InPlace, "stroll-loop.glb"),
        ("unity", loopwright::RootMode::Constant, "stroll-loop.fbx"),
    ] {
        harness.get_by_label("Engine").click();
        harness.run_steps(3);
        click(&mut harness, engine);
        let edit = model(&harness).edit().unwrap();
        assert_eq!(edit.settings.root.mode, mode);
        assert!(edit.settings.root.recenter, "engines take loops at the origin");
        harness.get_by_label("Export (E)").click();
        harness.run_steps(3);
        let sidecar = folder.path().join(format!("{name}.json"));
        wait(&mut harness, "the file is there", |_| sidecar.exists());
        let facts = Sidecar::from_json(&std::fs::read(&sidecar).unwrap()).unwrap();
        assert!(facts.target.is_some());
        harness.get_by_label("Save the recipe").click();
        harness.run_steps(3);
        let again = name.replace("stroll-loop", "again");
        let words = ["make", "stroll.bvh", "--recipe", "stroll-loop.toml", "-o", &again];
        if command(folder.path(), &words).is_some() {
            let [own, again] = [name, &again].map(|name| std::fs::read(folder.path().join(name)).unwrap());
            assert!(own == again, "{engine}");
        }
        std::fs::remove_file(folder.path().join("stroll-loop.toml")).unwrap();
    }
}
