//! Saves the settings as a recipe of `loopwright make --recipe`, and opens one.

use eframe::egui::{Button, Ui};

use super::{ExportPanel, weak_line_ui};
use crate::{
    model::{Action, Model},
    platform,
};

/// The message about the last recipe.
#[derive(Default)]
pub struct RecipePanel {
    said: Option<String>,
}

impl RecipePanel {
    /// Shows the panel. The recipe is named like the loop's file and goes into its folder.
    pub fn recipe_ui(&mut self, ui: &mut Ui, model: &Model, export: &mut ExportPanel) {
        let Some(opened) = model.opened() else { return };
        let file_name = format!("{}.toml", export.stem(opened));
        // One line however long the name, so that nothing moves while it is typed.
        weak_line_ui(ui, &file_name);
        ui.weak("`loopwright make --recipe` makes the same loop");
        let text = model.recipe_text();
        if ui.add_enabled(text.is_some(), Button::new("Save the recipe")).clicked() {
            match text {
                Some(Ok(text)) => export.take_in_other(file_name, text.into_bytes(), Some(Action::RecipeSaved)),
                Some(Err(error)) => self.said = Some(error.to_string()),
                None => {}
            }
        }
        ui.weak("A recipe is opened as a take is, and applied to the one that is shown.");
        #[cfg(target_arch = "wasm32")]
        {
            let link = model.link().and_then(|link| platform::address_of(&link));
            if ui
                .add_enabled(link.is_some(), Button::new("Copy a link"))
                .on_hover_text("Recipe and view; the take itself is named, not uploaded")
                .clicked()
            {
                ui.ctx().copy_text(link.unwrap_or_default());
                self.said = Some("The link is copied: who opens the same take sees this loop".to_owned());
            }
        }
        if let Some(said) = &self.said {
            ui.label(said);
        }
    }

    /// Saves the recipe kept for a failure, under a name that is free.
    pub fn save_kept(&mut self, folder: &str, text: &str) {
        let names = (1..).map(|number| format!("rescued-{number}.toml"));
        if let Some(file_name) = names.into_iter().find(|name| !platform::is_there(folder, name)) {
            self.said = Some(
                platform::save_bytes(folder, &file_name, text.as_bytes())
                    .map_or_else(|error| error, |place| format!("Saved: {place}")),
            );
        }
    }
}
