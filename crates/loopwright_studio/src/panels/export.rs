//! Writes the loop: natively to a path, where an existing file is replaced only after a question; on the web as a download.

use eframe::egui::{self, Ui};
use loopwright_formats::{Format, Target};

use super::final_edit;
use crate::model::{Action, Exported, Model, Opened};
use crate::platform;

/// Room beside a field, for the bar that scrolls the panels.
const BESIDE_POINTS: f32 = 8.0;

/// What is said about the last file.
#[derive(Debug)]
enum Saved {
    /// It is there.
    Written(String),
    /// It could not be written.
    Failed(String),
}

/// The chosen format and folder, and a file that waits for an answer.
#[derive(Debug)]
pub(crate) struct ExportPanel {
    format: Option<Format>,
    /// The format of the take for which that was chosen: on another character it may be another one.
    of: Option<Format>,
    /// The name of the file without its extension, where one was typed.
    name: Option<String>,
    /// The folder that files are written to; the browser has its own.
    pub(crate) folder: String,
    /// A file whose name another one has already.
    waiting: Option<Exported>,
    saved: Option<Saved>,
}

impl ExportPanel {
    pub(crate) fn new() -> Self {
        Self {
            format: None,
            of: None,
            name: None,
            folder: platform::first_folder(),
            waiting: None,
            saved: None,
        }
    }

    /// Forgets what was said of a former take.
    pub(crate) fn reset(&mut self) {
        self.format = None;
        self.name = None;
        self.waiting = None;
        self.saved = None;
    }

    /// The name of what is written of a take, without an extension.
    pub(crate) fn stem(&self, opened: &Opened) -> String {
        let typed = self.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
        typed.map_or_else(|| Exported::stem_of(opened), str::to_owned)
    }

    /// Saves a file that was just written, or asks first.
    pub(crate) fn take_in(&mut self, exported: Exported) {
        self.saved = None;
        let named = match &self.name {
            Some(name) if !name.trim().is_empty() => exported.named(name.trim()),
            _ => Ok(exported),
        };
        match named {
            Ok(exported) if platform::exists(&self.folder, &exported) => self.waiting = Some(exported),
            Ok(exported) => self.save(&exported),
            Err(error) => self.saved = Some(Saved::Failed(error.to_string())),
        }
    }

    /// Saves a file beside the one that has its name, by the first number that is free.
    fn save_beside(&mut self, exported: Exported) {
        let stem = exported.stem().to_owned();
        let mut beside = Ok(exported);
        for number in 2.. {
            beside = beside.and_then(|exported| exported.named(&format!("{stem}-{number}")));
            match &beside {
                Ok(exported) if platform::exists(&self.folder, exported) => {}
                Ok(exported) => return self.save(&exported.clone()),
                Err(error) => {
                    self.saved = Some(Saved::Failed(error.to_string()));
                    return;
                }
            }
        }
    }

    fn save(&mut self, exported: &Exported) {
        self.saved = Some(match platform::save(&self.folder, exported) {
            Ok(place) => Saved::Written(place),
            Err(error) => Saved::Failed(error.to_string()),
        });
    }

    /// The wish to export the loop in the chosen format, once the loop that is chosen is made.
    pub(crate) fn export(&self, model: &Model) -> Option<Action> {
        let opened = model.opened().filter(|_| model.finished().is_some())?;
        Some(Action::Export(self.format.unwrap_or(opened.format)))
    }

    /// The button of the top, so that nobody has to look for it.
    pub(crate) fn short_ui(&self, ui: &mut Ui, model: &Model, actions: &mut Vec<Action>) {
        let export = self.export(model);
        let tokens = crate::theme::tokens(ui.visuals().dark_mode);
        let word = egui::RichText::new("Export").color(tokens.on_filled);
        let button = ui.add_enabled(export.is_some(), egui::Button::new(word).fill(tokens.filled));
        button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, export.is_some(), "Export (E)"));
        if button
            .on_hover_text("Writes the loop as the panel Export says")
            .clicked()
        {
            actions.extend(export);
        }
    }

    /// What is said about the last file.
    pub(crate) fn said(&self) -> Option<String> {
        self.saved.as_ref().map(|saved| match saved {
            Saved::Written(place) => format!("Written: {place}"),
            Saved::Failed(error) => error.clone(),
        })
    }

    /// Returns whether the folder is to be chosen by the dialog of the system.
    pub(crate) fn export_ui(&mut self, ui: &mut Ui, model: &Model, actions: &mut Vec<Action>) -> bool {
        let Some(opened) = model.opened() else {
            return false;
        };
        if self.of != Some(opened.format) {
            self.of = Some(opened.format);
            self.format = None;
        }
        // Of a take that is still being opened nothing is chosen yet.
        let format = self.format.unwrap_or(opened.format);
        self.engine_ui(ui, model, opened, actions);
        egui::ComboBox::from_label("Format")
            .selected_text(format.capabilities().name)
            .show_ui(ui, |ui| {
                for other in Format::ALL {
                    if ui
                        .selectable_label(other == format, other.capabilities().name)
                        .clicked()
                    {
                        self.format = Some(other);
                    }
                }
            });
        let engine = model.edit().and_then(|edit| edit.recipe.output.target);
        if let Some(complaint) = engine.and_then(|engine| engine.complaint(format)) {
            ui.colored_label(ui.visuals().warn_fg_color, complaint.to_string());
        }
        let mut chooses_folder = false;
        if platform::HAS_FOLDERS {
            ui.horizontal(|ui| {
                chooses_folder = ui.button("Choose the folder ...").clicked();
                let label = ui.label("Folder");
                let width = ui.available_width() - BESIDE_POINTS;
                ui.add(egui::TextEdit::singleline(&mut self.folder).desired_width(width))
                    .labelled_by(label.id);
            });
        }
        let mut name = self.name.clone().unwrap_or_else(|| Exported::stem_of(opened));
        ui.horizontal(|ui| {
            let label = ui.label("Name");
            let width = ui.available_width() - BESIDE_POINTS;
            let field = ui.add(egui::TextEdit::singleline(&mut name).desired_width(width));
            if field.labelled_by(label.id).changed() {
                // A name, not a place: that is the folder.
                self.name = Some(name.replace(['/', '\\'], ""));
            }
        });
        let file_name = format!("{}.{}", self.stem(opened), format.extension());
        // One line however long the name, so that nothing moves while it is typed.
        let written = format!("{file_name}, and {}", Exported::name_of_sidecar(&file_name));
        ui.add(egui::Label::new(egui::RichText::new(written).weak()).truncate());
        let export = self.export(model);
        let button = ui.add_enabled(export.is_some(), egui::Button::new("Export the loop"));
        if button.on_hover_text("E").clicked() {
            actions.extend(export);
        }
        chooses_folder
    }

    /// The engine for which the loop is written, with the format that it reads.
    fn engine_ui(&mut self, ui: &mut Ui, model: &Model, opened: &Opened, actions: &mut Vec<Action>) {
        let Some(edit) = model.edit() else { return };
        let engine = edit.recipe.output.target;
        let name = |engine: Option<Target>| engine.map_or("any", Target::as_str);
        egui::ComboBox::from_label("Engine")
            .selected_text(name(engine))
            .show_ui(ui, |ui| {
                for other in core::iter::once(None).chain(Target::ALL.map(Some)) {
                    if !ui.selectable_label(other == engine, name(other)).clicked() {
                        continue;
                    }
                    if let Ok(edit) = edit.for_engine(other, opened) {
                        actions.push(final_edit(edit));
                    }
                    let reads = other.unwrap_or(Target::Generic).choices().reads;
                    if !reads.contains(&opened.format) {
                        self.format = reads.first().copied();
                    }
                }
            });
    }

    /// What became of the last file: at the top, where it is seen from everywhere.
    pub(crate) fn said_ui(&self, ui: &mut Ui) {
        match &self.saved {
            Some(Saved::Written(place)) => ui.strong(format!("Written: {place}")),
            Some(Saved::Failed(error)) => ui.colored_label(ui.visuals().error_fg_color, error),
            None => return,
        };
    }

    /// The question about a file that is there already, below it.
    pub(crate) fn question_ui(&mut self, ui: &mut Ui) {
        let Some(exported) = self.waiting.take() else { return };
        let [replaces, keeps, keeps_both] = ui
            .horizontal_wrapped(|ui| {
                ui.colored_label(
                    ui.visuals().warn_fg_color,
                    format!("{} or its sidecar is there already.", exported.file_name),
                );
                ["Replace it", "Keep it", "Keep both"].map(|word| ui.button(word).clicked())
            })
            .inner;
        if replaces {
            self.save(&exported);
        } else if keeps_both {
            self.save_beside(exported);
        } else if !keeps {
            self.waiting = Some(exported);
        }
    }
}
