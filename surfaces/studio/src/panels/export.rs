//! Writes loops and recipes: on the desktop into a folder that is asked for first, where replacing an existing file takes a confirmation;
//! in the browser as downloads.

use std::collections::VecDeque;

use eframe::egui::{self, Button, Ui};
use loopwright_formats::{Format, Target};

use super::{ask_edit, field_ui, loops::without_flags, settings::pick_ui, weak_line_ui};
use crate::{
    focus,
    model::{Action, Edit, ExportError, Exported, Model, Opened, SetFiles},
    platform,
};

/// Room beside a field for the scroll bar of the panels.
const BESIDE_POINTS: f32 = 8.0;

/// Width of the question for a folder, and its margin in a narrow window, points.
const WHERE_POINTS: f32 = 420.0;
const WHERE_MARGIN: f32 = 40.0;

/// A file to write.
enum Pending {
    /// A loop, with its take and choices.
    Loop(Exported, Option<Box<(String, Edit)>>),
    /// Another file: its name, its bytes, and the action that follows.
    Other(String, Vec<u8>, Option<Action>),
    /// A set, in a folder with its name.
    Set(SetFiles),
}

impl Pending {
    fn file_name(&self) -> &str {
        match self {
            Self::Loop(exported, _) => &exported.file_name,
            Self::Other(file_name, ..) => file_name,
            Self::Set(set) => &set.name,
        }
    }

    fn is_there(&self, folder: &str) -> bool {
        matches!(self, Self::Loop(exported, _) if platform::is_there(folder, &exported.sidecar_name()))
            || platform::is_there(folder, self.file_name())
    }

    /// Returns the file under its name with the first free number. Errors: the sidecar cannot be written anew.
    fn beside(self, folder: &str) -> Result<Self, ExportError> {
        let (stem, ending) = self.file_name().rsplit_once('.').unwrap_or((self.file_name(), ""));
        let stem = stem.to_owned();
        let ending = ending.to_owned();
        let mut pending = self;
        for number in 2.. {
            let name = format!("{stem}-{number}");
            pending = match pending {
                Self::Loop(exported, of) => Self::Loop(exported.named(&name)?, of),
                Self::Other(_, bytes, then) => Self::Other(format!("{name}.{ending}"), bytes, then),
                Self::Set(set) => Self::Set(set.named(name)?),
            };
            if !pending.is_there(folder) {
                break;
            }
        }
        Ok(pending)
    }
}

/// The chosen format and folder, and files that wait for an answer.
#[derive(Default)]
pub struct ExportPanel {
    format: Option<Format>,
    /// The format of the take for which that was chosen: a character may have another one.
    of: Option<Format>,
    /// The name of the file without its extension, if one was typed.
    name: Option<String>,
    /// The folder that files are written to; the browser has its own.
    pub folder: String,
    /// Whether the user chose the folder.
    is_folder_chosen: bool,
    /// Whether the folder is to be chosen in a system dialog.
    pub wants_dialog: bool,
    /// Whether the folder is from an earlier run.
    #[cfg(not(target_arch = "wasm32"))]
    is_remembered: bool,
    /// The file that stores the folder for the next run.
    #[cfg(not(target_arch = "wasm32"))]
    memory: Option<std::path::PathBuf>,
    /// Files that wait for the folder, or for an answer about an existing file.
    pending: VecDeque<Pending>,
    /// Paths of the files of the last export.
    pub written: Vec<String>,
    /// Whether these are several ticked ones.
    are_ticked: bool,
    /// Missing parts and other notes of the set that was made last.
    notes: Vec<String>,
    /// Why the last file could not be written.
    failed: Option<String>,
}

impl ExportPanel {
    pub fn new() -> Self {
        Self {
            folder: platform::first_folder(),
            is_folder_chosen: !platform::HAS_FOLDERS,
            ..Self::default()
        }
    }

    /// Forgets messages and choices of the previous take.
    pub fn reset(&mut self) {
        self.format = None;
        self.name = None;
        self.forget_said();
    }

    fn forget_said(&mut self) {
        self.written.clear();
        self.notes.clear();
        self.failed = None;
    }

    /// Marks the folder as chosen.
    fn settle_folder(&mut self) {
        self.is_folder_chosen = true;
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(memory) = &self.memory {
            platform::keep_text(memory, &self.folder);
        }
    }

    /// The name that was typed, without extension.
    fn typed(&self) -> Option<&str> {
        self.name.as_deref().map(str::trim).filter(|name| !name.is_empty())
    }

    /// The name of a take's output, without extension.
    pub fn stem(&self, opened: &Opened) -> String {
        self.typed().map_or_else(|| Exported::stem_of(opened), str::to_owned)
    }

    /// Queues a loop that was just made for its file, with its take and choices; `is_ticked` if it is one of several.
    pub fn take_in(&mut self, exported: Exported, of: Option<(String, Edit)>, is_ticked: bool) {
        if !(is_ticked && self.are_ticked) {
            self.forget_said();
        }
        self.are_ticked = is_ticked;
        let named = match self.typed() {
            Some(name) if !is_ticked => exported.named(name),
            _ => Ok(exported),
        };
        match named {
            Ok(exported) => self.pending.push_back(Pending::Loop(exported, of.map(Box::new))),
            Err(error) => self.failed = Some(error.to_string()),
        }
    }

    /// Queues another file, and the action that follows once it is written.
    pub fn take_in_other(&mut self, file_name: String, bytes: Vec<u8>, then: Option<Action>) {
        self.forget_said();
        self.pending.push_back(Pending::Other(file_name, bytes, then));
    }

    /// Queues a set that was just made.
    pub fn take_in_set(&mut self, set: SetFiles) {
        self.forget_said();
        self.notes.clone_from(&set.notes);
        self.pending.push_back(Pending::Set(set));
    }

    /// Whether files wait for the folder to be chosen.
    pub fn asks_where(&self) -> bool {
        !self.pending.is_empty() && !self.is_folder_chosen
    }

    fn save(&mut self, pending: Pending, model: &Model) {
        let saved = match &pending {
            Pending::Loop(exported, _) => platform::save(&self.folder, exported),
            Pending::Other(file_name, bytes, _) => platform::save_bytes(&self.folder, file_name, bytes),
            Pending::Set(set) => platform::save_set(&self.folder, set),
        };
        match saved {
            Ok(place) => {
                self.written.push(place);
                model.ask_all(match pending {
                    Pending::Loop(_, of) => Some(Action::Written(of)),
                    Pending::Other(.., then) => then,
                    Pending::Set(set) => Action::of_set(&set),
                });
            }
            Err(error) => self.failed = Some(error),
        }
    }

    /// Returns the action that exports the loop in the chosen format, once the chosen loop is made and nothing ticked is being written.
    pub fn export(&self, model: &Model) -> Option<Action> {
        let is_ready = model.finished().is_some() && model.writing().is_none();
        let opened = model.opened().filter(|_| is_ready)?;
        Some(Action::Export(self.format.unwrap_or(opened.format)))
    }

    /// Shows the button in the top row, so that nobody has to look for it.
    pub fn short_ui(&self, ui: &mut Ui, model: &Model) {
        let export = self.export(model);
        let button = ui.add_enabled(export.is_some(), filled(ui, "Export"));
        button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, export.is_some(), "Export (E)"));
        if button.on_hover_text("Writes the loop as the tab Export says").clicked() {
            model.ask_all(export);
        }
    }

    /// Words what happened to the last files.
    pub fn said(&self) -> Option<String> {
        match (&self.failed, &self.written[..]) {
            (Some(error), _) => Some(error.clone()),
            (None, []) => None,
            (None, [place]) => Some(format!("Written: {place}")),
            (None, [.., last]) => Some(format!("Written: {} files, the last {last}", self.written.len())),
        }
    }

    /// Shows the panel.
    pub fn export_ui(&mut self, ui: &mut Ui, model: &Model) {
        let Some(opened) = model.opened() else { return };
        if self.of.replace(opened.format) != Some(opened.format) {
            self.format = None;
        }
        // A take that is still being opened has no choices yet.
        let format = self.format.unwrap_or(opened.format);
        self.engine_ui(ui, model, opened);
        self.format = pick_ui(ui, "Format", format, Format::of_characters(), |format| {
            format.capabilities().name
        })
        .or(self.format);
        let engine = model.edit().and_then(|edit| edit.recipe.output.target);
        if let Some(complaint) = engine.and_then(|engine| engine.complaint(format)) {
            ui.colored_label(ui.visuals().warn_fg_color, complaint.to_string());
        }
        self.place_ui(ui, opened, format);
        let export = self.export(model);
        let button = ui.add_enabled(export.is_some(), Button::new("Export the loop"));
        if button.on_hover_text("E").clicked() {
            model.ask_all(export);
        }
        let num_ticked = model.ticked().map_or(0, <[_]>::len);
        if num_ticked > 0 {
            let export = Button::new(format!("Export all that is ticked ({num_ticked})"));
            if ui.add_enabled(model.writing().is_none(), export).clicked() {
                model.ask(Action::ExportTicked(self.format));
            }
        }
        self.notes_ui(ui);
    }

    /// Shows the folder and the name of files.
    fn place_ui(&mut self, ui: &mut Ui, opened: &Opened, format: Format) {
        if platform::HAS_FOLDERS {
            ui.horizontal(|ui| {
                self.wants_dialog |= ui.button("Choose the folder ...").clicked();
                let width = ui.available_width() - BESIDE_POINTS;
                self.is_folder_chosen |= field_ui(ui, "Folder", &mut self.folder, width).changed();
            });
        }
        let mut name = self.name.clone().unwrap_or_else(|| Exported::stem_of(opened));
        ui.horizontal(|ui| {
            let width = ui.available_width() - BESIDE_POINTS;
            if field_ui(ui, "Name", &mut name, width).changed() {
                // A name holds no folders: these are chosen above.
                self.name = Some(name.replace(['/', '\\'], ""));
            }
        });
        let file_name = format!("{}.{}", self.stem(opened), format.extension());
        // One line however long the name, so that nothing moves while it is typed.
        weak_line_ui(
            ui,
            format!("{file_name}, and {}", Exported::name_of_sidecar(&file_name)),
        );
    }

    /// Shows the button that makes a set of several takes, or of a file with several animations.
    pub fn set_ui(&self, ui: &mut Ui, model: &Model) {
        let files = model.files_for_set();
        let word = match &files[..] {
            [file] if model.may_have_animations() => format!("Make a set of {}", file.file_name),
            [] | [_] => return,
            files => format!("Make a set of {} takes", files.len()),
        };
        let button = ui.add_enabled(model.progress().is_none(), Button::new(word));
        let tip = "The best loop of each way to move, starts, stops and turns between them, and set.json, as `loopwright set` makes them: \
            in the folder \"set\", or in one of the name that is typed in the tab Export. Then it is played.";
        if button.on_hover_text(tip).clicked() {
            let name = self.typed().unwrap_or("set");
            model.ask(Action::MakeSet(name.to_owned(), self.format));
        }
    }

    /// Shows missing parts and other notes of the set that was made last.
    pub fn notes_ui(&self, ui: &mut Ui) {
        for note in &self.notes {
            let words = without_flags(note);
            ui.weak(if words.is_empty() { note } else { &words });
        }
    }

    /// Shows the engine for which the loop is written, with the format that it reads.
    fn engine_ui(&mut self, ui: &mut Ui, model: &Model, opened: &Opened) {
        let Some(edit) = model.edit() else { return };
        let engine = edit.recipe.output.target;
        let Some(engine) = pick_ui(
            ui,
            "Engine",
            engine,
            core::iter::once(None).chain(Target::ALL.map(Some)),
            |engine| engine.map_or("any", Target::as_str),
        ) else {
            return;
        };
        if let Ok(changed) = edit.for_engine(engine, opened) {
            ask_edit(model, true, |edit| *edit = changed);
        }
        let reads = engine.unwrap_or(Target::Generic).choices().reads;
        if !reads.contains(&opened.format) {
            self.format = reads.first().copied();
        }
    }

    /// Shows where the last files are, or why they were not written: at the top, where it is always visible.
    pub fn said_ui(&self, ui: &mut Ui) {
        match self.said() {
            Some(said) if self.failed.is_some() => ui.colored_label(ui.visuals().error_fg_color, said),
            Some(said) => ui.strong(said),
            None => return,
        };
    }

    /// Writes waiting files, and first asks for the folder, and about existing files.
    pub fn question_ui(&mut self, ui: &mut Ui, model: &Model) {
        if self.asks_where() {
            return self.where_ui(ui);
        }
        while let Some(pending) = self.pending.pop_front() {
            if !pending.is_there(&self.folder) {
                self.save(pending, model);
                continue;
            }
            let sidecar = match pending {
                Pending::Loop(..) => " or its sidecar",
                _ => "",
            };
            let words = format!("{}{sidecar} is there already.", pending.file_name());
            let [replaces, keeps, keeps_both] = ui
                .horizontal_wrapped(|ui| {
                    ui.colored_label(ui.visuals().warn_fg_color, words);
                    ["Replace it", "Keep it", "Keep both"].map(|word| ui.button(word).clicked())
                })
                .inner;
            if replaces {
                self.save(pending, model);
            } else if keeps_both {
                match pending.beside(&self.folder) {
                    Ok(pending) => self.save(pending, model),
                    Err(error) => self.failed = Some(error.to_string()),
                }
            } else if !keeps {
                self.pending.push_front(pending);
            }
            break;
        }
    }

    /// Asks for the folder, once: later files go there, too.
    fn where_ui(&mut self, ui: &mut Ui) {
        let names = match (self.pending.front(), self.pending.len()) {
            (Some(only), 1) => only.file_name().to_owned(),
            (_, count) => format!("{count} files"),
        };
        let modal = egui::Modal::new(egui::Id::unique("where")).show(ui.ctx(), |ui| {
            focus::group(ui, egui::Role::Dialog, "Folder to write into");
            // A phone is narrower than a path is long.
            let width = WHERE_POINTS.min(ui.ctx().content_rect().width() - WHERE_MARGIN);
            ui.set_max_width(width);
            ui.heading("Where to?");
            ui.label(format!(
                "{names} goes into this folder, and what you export later, too."
            ));
            field_ui(ui, "Folder of loops", &mut self.folder, width);
            ui.horizontal_wrapped(|ui| {
                for folder in platform::folders() {
                    if ui.selectable_label(folder == self.folder, &folder).clicked() {
                        self.folder = folder;
                    }
                }
            });
            ui.add_space(6.0);
            ui.horizontal_wrapped(|ui| {
                let writes = ui.add(filled(ui, "Write here")).clicked();
                let [chooses, cancels] = ["Another folder ...", "Do not write"].map(|word| ui.button(word).clicked());
                [writes, chooses, cancels]
            })
            .inner
        });
        let [writes, chooses, cancels] = modal.inner;
        self.wants_dialog |= chooses;
        if writes {
            self.settle_folder();
            ui.ctx().request_repaint();
        } else if cancels || modal.should_close() {
            self.pending.clear();
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl ExportPanel {
    /// Offers the folder of a take, until another one is chosen.
    pub fn offer_folder(&mut self, folder: String) {
        if !self.is_folder_chosen && !self.is_remembered {
            self.folder = folder;
        }
    }

    /// Sets the folder for files.
    pub fn choose_folder(&mut self, folder: String) {
        self.folder = folder;
        self.settle_folder();
    }

    /// Stores the folder in a file for the next run, and offers the one that the last run stored.
    pub fn remember_in(&mut self, memory: std::path::PathBuf) {
        let kept = std::fs::read_to_string(&memory).unwrap_or_default();
        if std::path::Path::new(&kept).is_dir() {
            (self.folder, self.is_remembered) = (kept, true);
        }
        self.memory = Some(memory);
    }
}

/// Returns the one filled button of a row.
fn filled<'a>(ui: &Ui, word: &str) -> Button<'a> {
    let tokens = crate::theme::of(ui);
    Button::new(egui::RichText::new(word).color(tokens.on_filled)).fill(tokens.filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pictures go where loops go, after the same questions, and replace nothing unasked.
    #[test]
    fn a_picture_waits_for_its_folder_and_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().display().to_string();
        let mut panel = ExportPanel::new();
        panel.take_in_other("walk-loop.png".to_owned(), vec![1], None);
        assert!(panel.asks_where());
        panel.choose_folder(place.clone());
        assert!(!panel.asks_where());
        let model = Model::default();
        let first = panel.pending.pop_front().unwrap();
        panel.save(first, &model);
        let second = Pending::Other("walk-loop.png".to_owned(), vec![2], None);
        assert!(second.is_there(&place));
        let second = second.beside(&place).unwrap();
        assert_eq!(second.file_name(), "walk-loop-2.png");
        panel.save(second, &model);
        for (name, bytes) in [("walk-loop.png", [1]), ("walk-loop-2.png", [2])] {
            assert_eq!(std::fs::read(folder.path().join(name)).unwrap(), bytes);
        }
    }
}
