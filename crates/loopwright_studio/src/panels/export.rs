//! Writes the loop: natively to a path, where an existing file is replaced only after a question; on the web as a download.

use eframe::egui::{self, Ui};
use loopwright_formats::Format;

use crate::{
    model::{Action, Exported, Model},
    platform::{self, SaveError},
};

/// What is said about the last file.
#[derive(Debug)]
enum Saved {
    /// It is there.
    Written(String),
    /// It could not be written.
    Failed(SaveError),
}

/// The chosen format and folder, and a file that waits for an answer.
#[derive(Debug)]
pub(crate) struct ExportPanel {
    format: Option<Format>,
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
            folder: platform::first_folder(),
            waiting: None,
            saved: None,
        }
    }

    /// Forgets what was said of a former take.
    pub(crate) fn reset(&mut self) {
        self.format = None;
        self.waiting = None;
        self.saved = None;
    }

    /// Saves a file that was just written, or asks first.
    pub(crate) fn take_in(&mut self, exported: Exported) {
        self.saved = None;
        match platform::exists(&self.folder, &exported) {
            true => self.waiting = Some(exported),
            false => self.save(&exported),
        }
    }

    fn save(&mut self, exported: &Exported) {
        self.saved = Some(match platform::save(&self.folder, exported) {
            Ok(place) => Saved::Written(place),
            Err(error) => Saved::Failed(error),
        });
    }

    /// The wish to export the loop in the chosen format, once the loop that is chosen is made.
    pub(crate) fn export(&self, model: &Model) -> Option<Action> {
        let opened = model.opened().filter(|_| model.finished().is_some())?;
        Some(Action::Export(self.format.unwrap_or(opened.format)))
    }

    /// What is said about the last file.
    pub(crate) fn said(&self) -> Option<String> {
        self.saved.as_ref().map(|saved| match saved {
            Saved::Written(place) => format!("Written: {place}"),
            Saved::Failed(error) => error.to_string(),
        })
    }

    pub(crate) fn export_ui(&mut self, ui: &mut Ui, model: &Model, actions: &mut Vec<Action>) {
        let Some(opened) = model.opened() else {
            return;
        };
        // Of a take that is still being opened nothing is chosen yet.
        let format = self.format.unwrap_or(opened.format);
        egui::ComboBox::from_label("Format")
            .selected_text(word(format))
            .show_ui(ui, |ui| {
                for other in Format::ALL {
                    if ui.selectable_label(other == format, word(other)).clicked() {
                        self.format = Some(other);
                    }
                }
            });
        if platform::HAS_FOLDERS {
            ui.horizontal(|ui| {
                let label = ui.label("Folder");
                let width = ui.available_width();
                ui.add(egui::TextEdit::singleline(&mut self.folder).desired_width(width))
                    .labelled_by(label.id);
            });
        }
        let file_name = Exported::file_name(opened, format);
        ui.weak(format!("{file_name}, and {}", Exported::name_of_sidecar(&file_name)));
        let export = self.export(model);
        let button = ui.add_enabled(export.is_some(), egui::Button::new("Export the loop"));
        if button.on_hover_text("E").clicked() {
            actions.extend(export);
        }
        self.question_ui(ui);
        if let Some(said) = self.said() {
            ui.label(said);
        }
    }

    fn question_ui(&mut self, ui: &mut Ui) {
        let Some(exported) = self.waiting.take() else {
            return;
        };
        ui.label(format!("{} or its sidecar is there already.", exported.file_name));
        let (replaces, keeps) = ui
            .horizontal(|ui| (ui.button("Replace it").clicked(), ui.button("Keep it").clicked()))
            .inner;
        if replaces {
            self.save(&exported);
        } else if !keeps {
            self.waiting = Some(exported);
        }
    }
}

fn word(format: Format) -> &'static str {
    match format {
        Format::Bvh => "BVH",
        Format::Fbx => "FBX",
        Format::Glb => "GLB",
        Format::Gltf => "glTF",
        _ => format.extension(),
    }
}
