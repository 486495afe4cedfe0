//! A studio without a window, and the hands that drive it.

use std::{
    ops::{Deref, DerefMut},
    path::{Path, PathBuf},
    process::Output,
    sync::Arc,
    time::{Duration, Instant},
};

use eframe::egui::{Event, Key, Modifiers, Pos2, Rect, Vec2, vec2};
use egui_kittest::{Harness, kittest::Queryable as _};
use loopwright_core::LoopClip;
use loopwright_formats::{Format, Source, write_take};
use loopwright_studio::{
    Action, Model, Studio,
    model::{Edit, Exported, Judgement, Made, Opened, Shown, Stretch},
};
use loopwright_synth::{WalkSettings, synthesize};
use tempfile::TempDir;

/// Longest that work beside the window may take in a debug build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A studio that is driven as a person drives it.
pub(crate) struct Driven(Harness<'static, Option<Studio>>);

impl Deref for Driven {
    type Target = Harness<'static, Option<Studio>>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Driven {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

/// A studio in a window of that size, once it shows the walk that it opens with.
pub(crate) fn studio(width: f32, height: f32) -> Driven {
    let mut harness = studio_that(width, height, |_| {});
    harness.wait_made();
    harness
}

/// A studio that something is done to before its first frame.
pub(crate) fn studio_that(width: f32, height: f32, first: impl Fn(&mut Studio) + 'static) -> Driven {
    let builder = Harness::builder().with_size([width, height]).with_max_steps(2);
    let mut harness = Driven(builder.build_ui_state(
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
    ));
    harness.step();
    harness
}

/// A folder with `stroll.bvh`, and a studio that has opened it.
pub(crate) fn studio_with_stroll(width: f32, height: f32) -> (TempDir, Driven) {
    let folder = tempfile::tempdir().unwrap();
    let [path] = strolls(folder.path(), ["stroll.bvh"]);
    let mut harness = studio(width, height);
    harness.open(&path);
    (folder, harness)
}

/// Writes the walk that differs from the studio's into files of these names.
pub(crate) fn strolls<const N: usize>(folder: &Path, names: [impl AsRef<Path>; N]) -> [PathBuf; N] {
    let bytes = walk(Format::Bvh, &stroll());
    names.map(|name| {
        let path = folder.join(name);
        std::fs::write(&path, &bytes).unwrap();
        path
    })
}

/// A walk that differs from the one that the studio opens with.
pub(crate) fn stroll() -> WalkSettings {
    WalkSettings::default().seed(3).seconds(6.0).period_secs(1.02)
}

pub(crate) fn walk(format: Format, settings: &WalkSettings) -> Vec<u8> {
    let take = synthesize(settings).unwrap().take;
    write_take(&take, &Source::for_take(&take, format)).unwrap().bytes
}

/// Whether the loop of what is set is there, with its feet held.
pub(crate) fn is_made(model: &Model) -> bool {
    model.progress().is_none() && model.finished().is_some()
}

/// The tabs beside the view, on wide windows and on narrow ones.
const TABS: [&str; 5] = [
    "Loops of the take",
    "Close the seam",
    "Feet on the ground",
    "Edit the motion",
    "Export to a file",
];

impl Driven {
    pub(crate) fn model(&self) -> &Model {
        self.state().as_ref().unwrap().model()
    }

    pub(crate) fn edit(&self) -> &Edit {
        self.model().edit().unwrap()
    }

    pub(crate) fn opened(&self) -> &Arc<Opened> {
        self.model().opened().unwrap()
    }

    pub(crate) fn made(&self) -> &Arc<Made> {
        self.model().made().unwrap()
    }

    /// The keys of the loop that is shown.
    pub(crate) fn clip(&self) -> LoopClip {
        self.made().done.made.loop_clip.clone()
    }

    pub(crate) fn rect(&self, label: &str) -> Rect {
        self.get_by_label(label).rect()
    }

    /// Draws frames until something is so of the model.
    #[track_caller]
    pub(crate) fn wait(&mut self, what: &str, is_so: impl Fn(&Model) -> bool) {
        self.wait_for(what, |driven| is_so(driven.model()));
    }

    /// Draws frames until the loop of what is set is there.
    #[track_caller]
    pub(crate) fn wait_made(&mut self) {
        self.wait("the loop is made", is_made);
    }

    /// Draws frames until a file is written.
    #[track_caller]
    pub(crate) fn wait_file(&mut self, path: &Path) {
        self.wait("the file is there", |_| path.exists());
    }

    /// Draws frames until each loop of the list has its grade.
    #[track_caller]
    pub(crate) fn wait_judged(&mut self) {
        let count = self.opened().found.candidates.len();
        self.wait("all loops are judged", |model| {
            (0..count).all(|index| model.judgement(index) != Judgement::NotYet)
        });
    }

    /// Draws frames until a set is played.
    #[track_caller]
    pub(crate) fn wait_set(&mut self) {
        self.wait("the set is shown", |model| {
            model.shown() == Shown::Set && is_made(model)
        });
    }

    /// Draws frames until so many takes are open.
    #[track_caller]
    pub(crate) fn wait_takes(&mut self, count: usize) {
        self.wait("all are open", |model| {
            is_made(model) && model.others().count() + 1 == count
        });
    }

    /// Draws frames until something is so of what is seen.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let start = Instant::now();
        while !is_so(self) {
            assert!(start.elapsed() < PATIENCE, "never: {what}");
            std::thread::sleep(Duration::from_millis(5));
            self.step();
        }
        self.run_steps(2);
    }

    /// Draws frames until there is a widget whose label has these words.
    #[track_caller]
    pub(crate) fn wait_label(&mut self, words: &str) {
        self.wait_for(words, |driven| {
            driven.query_all_by_label_contains(words).next().is_some()
        });
    }

    /// Draws frames until a problem is said, whose words are returned.
    #[track_caller]
    pub(crate) fn wait_problem(&mut self) -> String {
        self.wait("a problem is said", |model| model.problem().is_some());
        self.model().problem().unwrap().to_string()
    }

    pub(crate) fn key(&mut self, key: Key) {
        self.key_press(key);
        self.run_steps(3);
    }

    /// Exports the loop, or saves its recipe, by the button of that label, into the folder that is offered.
    #[track_caller]
    pub(crate) fn export_by(&mut self, label: &str) {
        self.press(label);
        self.write_here();
    }

    /// Has files go into the folder that is offered, where that is asked.
    #[track_caller]
    pub(crate) fn write_here(&mut self) {
        self.wait_label("Write here");
        self.press("Write here");
    }

    /// Goes through the tabs until one has that label, as a person does who looks for it.
    pub(crate) fn find(&mut self, label: &str) {
        for tab in TABS {
            if self.query_all_by_label(label).next().is_some() {
                return;
            }
            if let Some(tab) = self.query_by_label(tab) {
                tab.click();
                self.run_steps(3);
            }
        }
    }

    #[track_caller]
    pub(crate) fn press(&mut self, label: &str) {
        self.find(label);
        self.get_by_label(label).click();
        self.run_steps(3);
    }

    /// Opens or closes the part of a panel that has that label, which takes some frames.
    #[track_caller]
    pub(crate) fn unfold(&mut self, label: &str) {
        self.press(label);
        self.run_steps(17);
    }

    /// Clicks what has that label, and waits until the loop is made.
    #[track_caller]
    pub(crate) fn click(&mut self, label: &str) {
        self.press(label);
        self.wait_made();
    }

    /// Takes an entry of a list, and waits until the loop is made.
    #[track_caller]
    pub(crate) fn choose(&mut self, list: &str, entry: &str) {
        self.press(list);
        self.click(entry);
    }

    /// Drags the mouse from a point to another one.
    pub(crate) fn drag(&mut self, from: Pos2, by: Vec2) {
        self.drag_at(from);
        self.step();
        self.hover_at(from + by);
        self.step();
        self.drop_at(from + by);
        self.run_steps(2);
    }

    /// Drags what has that label along.
    pub(crate) fn drag_along(&mut self, label: &str, points: f32) {
        let from = self.rect(label).center();
        self.drag(from, vec2(points, 0.0));
    }

    /// Clicks into the field of that label, and types instead of what it holds.
    pub(crate) fn type_into(&mut self, label: &str, text: &str) {
        self.find(label);
        self.drag_along(label, 0.0);
        self.key_press_modifiers(Modifiers::COMMAND, Key::A);
        self.event(Event::Text(text.to_owned()));
        self.run_steps(3);
    }

    pub(crate) fn apply(&mut self, action: Action) {
        self.state_mut().as_mut().unwrap().apply(action);
    }

    /// Takes these frames, which close badly.
    #[track_caller]
    pub(crate) fn choose_frames(&mut self, start_frame: f64, end_frame: f64) {
        self.apply(Action::Choose(Stretch::Frames { start_frame, end_frame }));
        self.wait_made();
    }

    /// Changes what is set, at the end of a drag.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Edit)) {
        let edit = Box::new(self.edit().with(change));
        self.apply(Action::Edit { edit, is_final: true });
    }

    /// Has a file read, as if it were dropped.
    pub(crate) fn start_opening(&mut self, path: &Path) {
        self.state_mut().as_mut().unwrap().open_path(path);
    }

    /// Opens a take, and waits until its loop is made.
    #[track_caller]
    pub(crate) fn open(&mut self, path: &Path) {
        self.start_opening(path);
        self.wait_open(|opened| path.ends_with(&opened.file_name));
    }

    /// Draws frames until such a take is open, and its loop is made.
    #[track_caller]
    pub(crate) fn wait_open(&mut self, is_it: impl Fn(&Opened) -> bool) {
        self.wait("the take is open", |model| {
            is_made(model) && model.opened().is_some_and(|opened| is_it(opened))
        });
    }
}

/// Takes in what is done until something is so. Returns what was written meanwhile.
pub(crate) fn written_until(model: &mut Model, is_so: impl Fn(&Model) -> bool) -> Vec<Exported> {
    let start = Instant::now();
    let mut written = Vec::new();
    while !is_so(model) {
        assert!(start.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(2));
        model.poll();
        written.extend(model.exported.take());
    }
    written
}

/// Runs the command that LOOPWRIGHT names in a folder and returns its output; `None` without one.
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
