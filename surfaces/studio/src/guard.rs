//! The last resort: if drawing a frame fails, a screen that offers to save the work.

use std::panic::{AssertUnwindSafe, catch_unwind};

use eframe::egui::{self, Ui};

/// Holds the last settings, and the failure if there was one.
#[derive(Default)]
pub struct Guard {
    recipe: Option<String>,
    failure: Option<String>,
}

/// The user's choice after a failure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Request {
    /// Save the recipe beside the take.
    Save,
    /// Start again with the recipe.
    GoOn,
}

impl Guard {
    pub fn keep(&mut self, recipe: String) {
        self.recipe = Some(recipe);
    }

    /// Returns the recipe that was kept last.
    pub fn kept(&self) -> Option<&str> {
        self.recipe.as_deref()
    }

    pub fn forget(&mut self) {
        self.failure = None;
    }

    /// Draws a frame, or after a failure the screen that reports it; returns what the user chooses there.
    pub fn frame_ui(&mut self, ui: &mut Ui, draw: impl FnOnce(&mut Self, &mut Ui)) -> Option<Request> {
        if self.failure.is_none() {
            // The state that a failed frame leaves behind is discarded.
            let drawn = catch_unwind(AssertUnwindSafe(|| draw(self, ui)));
            self.failure = drawn.err().map(|failure| {
                failure
                    .downcast_ref::<String>()
                    .map(String::as_str)
                    .or(failure.downcast_ref::<&str>().copied())
                    .unwrap_or("no reason is known")
                    .to_owned()
            });
            if self.failure.is_some() {
                ui.ctx().request_repaint();
            }
            return None;
        }
        self.screen_ui(ui)
    }

    fn screen_ui(&self, ui: &mut Ui) -> Option<Request> {
        let mut request = None;
        ui.heading("The studio failed");
        ui.label("This is a fault of the program, not of your take. What you set last is kept.");
        ui.label(self.failure.as_deref().unwrap_or_default());
        ui.horizontal(|ui| {
            if ui
                .add_enabled(self.recipe.is_some(), egui::Button::new("Save what was set"))
                .clicked()
            {
                request = Some(Request::Save);
            }
            if ui.button("Start again with it").clicked() {
                request = Some(Request::GoOn);
            }
        });
        if let Some(recipe) = &self.recipe {
            let mut text = recipe.as_str();
            egui::ScrollArea::vertical().show(ui, |ui| {
                ui.add(
                    egui::TextEdit::multiline(&mut text)
                        .code_editor()
                        .desired_width(f32::INFINITY),
                );
            });
        }
        request
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::{Harness, kittest::Queryable as _};

    use super::*;
    use crate::fonts::fonts;

    #[test]
    fn a_frame_that_fails_leaves_the_recipe() {
        let state = (Guard::default(), None::<Request>, 0);
        let mut harness = Harness::new_ui_state(
            |ui, (guard, request, frames): &mut (Guard, Option<Request>, i32)| {
                ui.ctx().set_fonts(fonts());
                let wished = guard.frame_ui(ui, |guard, ui| {
                    *frames += 1;
                    ui.label("all is well");
                    if *frames == 3 {
                        guard.keep("[closure]".to_owned());
                        panic!("three is too many");
                    }
                });
                *request = request.or(wished);
            },
            state,
        );
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        harness.run_steps(6);
        std::panic::set_hook(hook);
        harness.get_by_label("The studio failed");
        harness.get_by_label_contains("three is too many");
        assert!(harness.query_by_label("all is well").is_none());
        harness.get_by_label("Save what was set").click();
        harness.run_steps(2);
        let (guard, request, _) = harness.state_mut();
        assert_eq!((*request, guard.kept()), (Some(Request::Save), Some("[closure]")));
        guard.forget();
        harness.run_steps(2);
        harness.get_by_label("all is well");
    }
}
