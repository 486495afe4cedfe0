//! A studio without a window, and the hands that drive it.

use std::time::{Duration, Instant};
use std::{path::Path, process::Output};

use egui_kittest::{Harness, kittest::Queryable as _};
use loopwright_formats::{Format, Source, write_take};
use loopwright_studio::{Action, Model, Studio};
use loopwright_synth::{WalkSettings, synthesize};
use tempfile::TempDir;

/// Longest that work beside the window may take in a debug build on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) type Driven = Harness<'static, Option<Studio>>;

/// A studio in a window of that size, once it shows the walk that it opens with.
pub(crate) fn studio(width: f32, height: f32) -> Driven {
    let mut harness = studio_that(width, height, |_| {});
    wait(&mut harness, "the walk is closed", is_made);
    harness
}

/// A studio that something is done to before its first frame.
pub(crate) fn studio_that(width: f32, height: f32, first: impl Fn(&mut Studio) + 'static) -> Driven {
    let builder = Harness::builder().with_size([width, height]).with_max_steps(2);
    let mut harness = builder.build_ui_state(
        move |ui, studio: &mut Option<Studio>| {
            let ctx = ui.ctx().clone();
            let studio = studio.get_or_insert_with(|| {
                let mut studio = Studio::in_context(&ctx);
                first(&mut studio);
                studio
            });
            studio.studio_ui(ui);
        },
        None,
    );
    harness.step();
    harness
}

/// A folder with `stroll.bvh`, and a studio that has opened it.
pub(crate) fn studio_with_stroll(width: f32, height: f32) -> (TempDir, Driven) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stroll.bvh");
    std::fs::write(&path, walk(Format::Bvh, &stroll())).unwrap();
    let mut harness = studio(width, height);
    open(&mut harness, &path);
    (folder, harness)
}

/// A walk that differs from the one that the studio opens with.
pub(crate) fn stroll() -> WalkSettings {
    WalkSettings::default().seed(3).seconds(6.0).period_secs(1.02)
}

pub(crate) fn walk(format: Format, settings: &WalkSettings) -> Vec<u8> {
    let take = synthesize(settings).unwrap().take;
    write_take(&take, &Source::for_take(&take, format)).unwrap().bytes
}

pub(crate) fn model(harness: &Driven) -> &Model {
    harness.state().as_ref().unwrap().model()
}

/// Whether the loop of what is set is there, with its feet held.
pub(crate) fn is_made(model: &Model) -> bool {
    model.progress().is_none() && model.finished().is_some()
}

/// Draws frames until something is so of the model.
pub(crate) fn wait(harness: &mut Driven, what: &str, is_so: impl Fn(&Model) -> bool) {
    wait_for(harness, what, |harness| is_so(model(harness)));
}

/// Draws frames until something is so of what is seen.
pub(crate) fn wait_for(harness: &mut Driven, what: &str, is_so: impl Fn(&Driven) -> bool) {
    let start = Instant::now();
    while !is_so(harness) {
        assert!(start.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
        harness.step();
    }
    harness.run_steps(2);
}

/// Exports the loop, or saves its recipe, by the button of that label, into the folder that is offered.
pub(crate) fn export_by(harness: &mut Driven, label: &str) {
    press(harness, label);
    write_here(harness);
}

/// Has files go into the folder that is offered, where that is asked.
pub(crate) fn write_here(harness: &mut Driven) {
    wait_for(harness, "it is asked where to", |harness| {
        harness.query_by_label("Write here").is_some()
    });
    press(harness, "Write here");
}

/// The tabs beside the view, on wide windows and on narrow ones.
const TABS: [&str; 5] = [
    "Loops of the take",
    "Close the seam",
    "Feet on the ground",
    "Edit the motion",
    "Export to a file",
];

/// Goes through the tabs until one has that label, as a person does who looks for it.
pub(crate) fn find(harness: &mut Driven, label: &str) {
    for tab in TABS {
        if harness.query_all_by_label(label).next().is_some() {
            return;
        }
        if let Some(tab) = harness.query_by_label(tab) {
            tab.click();
            harness.run_steps(3);
        }
    }
}

pub(crate) fn press(harness: &mut Driven, label: &str) {
    find(harness, label);
    harness.get_by_label(label).click();
    harness.run_steps(3);
}

/// Opens or closes the part of a panel that has that label, which takes some frames.
pub(crate) fn unfold(harness: &mut Driven, label: &str) {
    find(harness, label);
    harness.get_by_label(label).click();
    harness.run_steps(20);
}

/// Clicks what has that label, and waits until the loop is made.
pub(crate) fn click(harness: &mut Driven, label: &str) {
    press(harness, label);
    wait(harness, label, is_made);
}

/// Drags the mouse from a point to another one.
pub(crate) fn drag(harness: &mut Driven, from: eframe::egui::Pos2, by: eframe::egui::Vec2) {
    harness.drag_at(from);
    harness.step();
    harness.hover_at(from + by);
    harness.step();
    harness.drop_at(from + by);
    harness.run_steps(2);
}

pub(crate) fn apply(harness: &mut Driven, action: Action) {
    harness.state_mut().as_mut().unwrap().apply(action);
}

/// Has a file read, as if it were dropped.
pub(crate) fn start_opening(harness: &mut Driven, path: &Path) {
    harness.state_mut().as_mut().unwrap().open_path(path);
}

/// Opens a take, and waits until its loop is made.
pub(crate) fn open(harness: &mut Driven, path: &Path) {
    start_opening(harness, path);
    let file_name = path.file_name().unwrap().to_string_lossy().into_owned();
    wait(harness, "the take is open", |model| {
        model.opened().is_some_and(|opened| opened.file_name == file_name) && is_made(model)
    });
}

/// What the command that LOOPWRIGHT names answers in a folder; `None` without one.
pub(crate) fn command(folder: &Path, words: &[&str]) -> Option<Output> {
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
