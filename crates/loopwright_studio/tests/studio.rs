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
use loopwright_formats::{Format, LoopFile, Sidecar, Source, load, write_take};
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
        let wanted = LoopFile::write(&made.made, &opened.source.in_format(format, opened.take())).unwrap();
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
