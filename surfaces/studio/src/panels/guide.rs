//! The first run: three steps, each ticked off when it is done.

use eframe::egui::{self, RichText, Ui};

use crate::model::{Action, Model};

pub(crate) fn guide_ui(ui: &mut Ui, model: &Model, has_exported: bool) {
    if !model.shows_guide {
        return;
    }
    let has_take = model.opened().is_some_and(|opened| opened.bytes.is_some());
    let steps = [
        (
            has_take,
            "Drop a take on this window, or press Open. The best loop plays at once.",
        ),
        (
            model.has_looked,
            "Look at it: choose another loop, drag its ends below, press B for the uncut stretch.",
        ),
        (has_exported, "Press Export at the top, or E."),
    ];
    egui::Frame::group(ui.style()).show(ui, |ui| {
        let next = steps.iter().position(|(is_done, _)| !is_done);
        for (index, (is_done, text)) in steps.into_iter().enumerate() {
            let text = format!("{}. {text}{}", index + 1, if is_done { " (done)" } else { "" });
            ui.label(if next == Some(index) {
                RichText::new(text).strong()
            } else {
                RichText::new(text).weak()
            });
        }
        if ui.button("Hide these steps").clicked() {
            model.ask(Action::Guide(false));
        }
    });
}
