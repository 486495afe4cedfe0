//! The last resort: if drawing a frame fails, a screen that offers to save the work.

use std::panic::{AssertUnwindSafe, catch_unwind};

use eframe::egui::{self, Ui};

/// The recipe that was kept last, and the failure if there was one.
#[derive(Default)]
pub struct Guard {
    pub recipe: Option<String>,
    pub failure: Option<String>,
}

/// The user's choice after a failure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Request {
    /// Save the recipe beside the take.
    Save,
    /// Start again with the recipe.
    GoOn,
}

/// Draws a frame. Returns how that failed, if it did.
pub fn failure_of(draw: impl FnOnce()) -> Option<String> {
    // The state that a failed frame leaves behind is discarded.
    let failure = catch_unwind(AssertUnwindSafe(draw)).err()?;
    let words = failure.downcast_ref::<String>().map(String::as_str);
    let words = words.or(failure.downcast_ref::<&str>().copied());
    Some(words.unwrap_or("no reason is known").to_owned())
}

impl Guard {
    /// Reports the failure; returns what the user chooses.
    pub fn screen_ui(&self, ui: &mut Ui) -> Option<Request> {
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
                if guard.failure.is_some() {
                    *request = request.or(guard.screen_ui(ui));
                    return;
                }
                guard.failure = failure_of(|| {
                    *frames += 1;
                    ui.label("all is well");
                    if *frames == 3 {
                        guard.recipe = Some("[closure]".to_owned());
                        panic!("three is too many");
                    }
                });
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
        assert_eq!(
            (*request, guard.recipe.as_deref()),
            (Some(Request::Save), Some("[closure]"))
        );
        guard.failure = None;
        harness.run_steps(2);
        harness.get_by_label("all is well");
    }
}
