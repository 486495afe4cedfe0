//! Which animation of a file is read: files of characters hold many.

use std::sync::Weak;

use eframe::egui::{self, Ui};
use loopwright_formats::animation_names;
use loopwright_job::recipe::StudyArgs;

use crate::model::{Action, Model};

/// Height of the list, points: files of characters have a dozen animations or more.
const LIST_POINTS: f32 = 400.0;

/// The animations of the file whose list was opened last.
#[derive(Debug, Default)]
pub(crate) struct AnimationsPanel {
    /// The file.
    of: Weak<Vec<u8>>,
    names: Vec<String>,
}

impl AnimationsPanel {
    pub(crate) fn animations_ui(&mut self, ui: &mut Ui, model: &Model, actions: &mut Vec<Action>) {
        let Some(opened) = model
            .opened()
            .filter(|opened| opened.format.capabilities().holds_animations)
        else {
            return;
        };
        // On a character the animation is that of the take, whose file this is not the format of.
        let Some(bytes) = opened.bytes.as_ref().filter(|_| opened.studied.character.is_none()) else {
            return;
        };
        egui::ComboBox::from_label("Animation")
            .selected_text(opened.take().name())
            .height(LIST_POINTS)
            .show_ui(ui, |ui| {
                // The file is looked into again only for a list that is open.
                if !std::ptr::eq(self.of.as_ptr(), std::sync::Arc::as_ptr(bytes)) {
                    self.names = animation_names(bytes);
                    self.of = std::sync::Arc::downgrade(bytes);
                }
                for name in &self.names {
                    if ui.selectable_label(name == opened.take().name(), name).clicked() {
                        actions.push(Action::Read(Box::new(StudyArgs {
                            animation: Some(name.clone()),
                            ..opened.study.clone()
                        })));
                    }
                }
            });
    }
}
