//! The studio in a window: paths that are opened, dialogs of the system, and the title.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use eframe::egui::{
    Button, Context, DroppedFileHandle, Key, Modifiers, PopupCloseBehavior, TextEdit, Ui, ViewportCommand,
    containers::menu::{MenuButton, MenuConfig},
    mutex::Mutex,
};

use super::Studio;
use crate::{
    model::Action,
    panels::edged_ui,
    platform::{self, Ask},
};

/// A dialog that is answered within this time was never shown.
const NO_DIALOG: Duration = Duration::from_millis(300);

/// The question of a dialog, and the paths that were chosen.
type Chosen = (Ask, Vec<PathBuf>);

/// State that only the desktop window needs.
#[derive(Default)]
pub(super) struct Host {
    /// The path being typed.
    path: String,
    /// Answers of system dialogs.
    chosen: Arc<Mutex<Vec<Chosen>>>,
    title: String,
}

impl Studio {
    /// Reads a file, or all takes of a folder, in the background; loops go into its folder.
    pub fn open_path(&mut self, path: &Path) {
        self.open_paths(&[path.to_owned()]);
    }

    /// Reads files and folders in the background, one after the other; loops go into the folder of the last one.
    pub fn open_paths(&mut self, paths: &[PathBuf]) {
        let Some(last) = paths.last() else { return };
        if self.model.awaits_character {
            // Recipes name a character by its path, so that the command finds it.
            let inbox = self.inbox.clone();
            let path = last.clone();
            std::thread::spawn(move || {
                inbox.put(match platform::open_path(&path) {
                    Action::Open { bytes, beside, .. } => Action::Open {
                        file_name: path.display().to_string(),
                        bytes,
                        beside,
                    },
                    other => other,
                });
            });
            return;
        }
        let folder = if last.is_dir() {
            Some(last.as_path())
        } else {
            last.parent().filter(|folder| !folder.as_os_str().is_empty())
        };
        // The folder of a missing file is not offered.
        if last.exists() {
            let folder = folder.map_or_else(|| ".".to_owned(), |folder| folder.display().to_string());
            self.export.offer_folder(folder);
        }
        let inbox = self.inbox.clone();
        let paths = paths.to_vec();
        std::thread::spawn(move || {
            for path in paths.iter().flat_map(|path| platform::takes_at(path)) {
                inbox.put(platform::open_path(&path));
            }
        });
    }

    /// Asks for files or a folder by a system dialog.
    fn ask(&self, ask: Ask, ctx: &Context) {
        let chosen = Arc::clone(&self.host.chosen);
        let wake = ctx.clone();
        let asked = Instant::now();
        let inbox = self.inbox.clone();
        platform::ask(ask, &self.export.folder, move |paths| {
            if paths.is_empty() && asked.elapsed() < NO_DIALOG {
                inbox.put(Action::NoDialog);
            }
            chosen.lock().push((ask, paths));
            wake.request_repaint();
        });
    }

    /// Shows the dialog for the folder of loops.
    pub(super) fn ask_folder(&self, ctx: &Context) {
        self.ask(Ask::SaveInto, ctx);
    }

    /// Handles the answers of dialogs, shows the take in the title, and asks for files on the keyboard shortcut.
    pub(super) fn begin_frame(&mut self, ctx: &Context) {
        self.take_chosen();
        self.show_title(ctx);
        if ctx.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::O)) {
            self.ask(Ask::Files, ctx);
        }
    }

    fn take_chosen(&mut self) {
        let chosen = std::mem::take(&mut *self.host.chosen.lock());
        for (ask, paths) in chosen {
            match (ask, paths.first()) {
                (Ask::SaveInto, Some(folder)) => {
                    self.export.choose_folder(folder.display().to_string());
                }
                _ => self.open_paths(&paths),
            }
        }
    }

    /// Opens what was open at the last visit, from files in a folder, and stores what is open there.
    pub fn remember_in(&mut self, folder: PathBuf, reopens: bool, ctx: &Context) {
        self.export.remember_in(folder.join("folder.txt"));
        self.remember(platform::Memory(folder), reopens, ctx);
    }

    pub(super) fn open_ui(&mut self, ui: &mut Ui) {
        // A click into the field leaves the menu open.
        MenuButton::new("Open ...")
            .config(MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside))
            .ui(ui, |ui| {
                for (word, ask) in [("Choose files ...", Ask::Files), ("Choose a folder ...", Ask::Folder)] {
                    if ui.button(word).clicked() {
                        self.ask(ask, ui.ctx());
                        ui.close();
                    }
                }
                ui.separator();
                let label = ui.label("Path of a take");
                let field = TextEdit::singleline(&mut self.host.path).desired_width(360.0);
                let is_entered = edged_ui(ui, |ui| ui.add(field)).labelled_by(label.id).lost_focus()
                    && ui.input(|input| input.key_pressed(Key::Enter));
                let path = PathBuf::from(self.host.path.trim());
                let is_typed = !path.as_os_str().is_empty();
                let opens = ui.add_enabled(is_typed, Button::new("Open this file"));
                if opens.clicked() || is_entered && is_typed {
                    self.open_path(&path);
                    ui.close();
                }
            });
    }

    pub(super) fn open_dropped(&mut self, files: &[DroppedFileHandle]) {
        let paths: Vec<PathBuf> = files.iter().map(|file| file.path().to_owned()).collect();
        self.open_paths(&paths);
    }

    /// Shows the name of the take in the title of the window.
    fn show_title(&mut self, ctx: &Context) {
        let title = match self.model.opened() {
            Some(opened) => format!("{} - loopwright studio", opened.file_name),
            None => "loopwright studio".to_owned(),
        };
        if title != self.host.title {
            ctx.send_viewport_cmd(ViewportCommand::Title(title.clone()));
            self.host.title = title;
        }
    }
}
