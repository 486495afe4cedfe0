//! The panels beside the viewport, in the order from finding to writing.

mod browser;
mod capture;
mod chart;
mod closure;
mod cost_map;
mod edits;
mod export;
mod feet;
mod help;
mod joints;
mod loops;
mod played;
mod reading;
mod recipe;
mod root_motion;
mod settings;
mod stances;
mod studies;

pub use browser::Browser;
pub use capture::CapturePanel;
pub use closure::closure_ui;
pub use cost_map::CostMapPanel;
pub use edits::edits_ui;
pub use export::ExportPanel;
pub use feet::feet_ui;
pub use help::{guide_ui, help_ui, keys, release_clicked};
pub use joints::joints_ui;
pub use loops::loops_ui;
pub use played::{growing_ui, played_ui};
pub use reading::reading_ui;
pub use recipe::RecipePanel;
pub use root_motion::root_motion_ui;
pub use stances::stances_ui;
pub use studies::{fit_ui, spectrum_ui};

use eframe::egui::{ComboBox, Label, Response, RichText, Stroke, TextEdit, Ui};

use crate::{
    focus::named,
    model::{Action, Edit, Model},
    theme,
};

/// Requests a change of the choices by a dragged or clicked widget.
pub fn edit_by(model: &Model, response: &Response, change: impl FnOnce(&mut Edit)) {
    if response.changed() || response.drag_stopped() {
        ask_edit(model, !response.dragged(), change);
    }
}

/// Requests a change of the choices, completed if it `is_final`.
pub fn ask_edit(model: &Model, is_final: bool, change: impl FnOnce(&mut Edit)) {
    let edit = model.edit().map(|edit| Box::new(edit.with(change)));
    model.ask_all(edit.map(|edit| Action::Edit { edit, is_final }));
}

/// Shows a row of two columns: a name, and its value.
pub fn row_ui(ui: &mut Ui, name: &str, value: impl Into<String>) {
    ui.label(name);
    ui.label(value.into());
    ui.end_row();
}

/// Shows weak text in one line, truncated if it is too long.
pub fn weak_line_ui(ui: &mut Ui, words: impl Into<String>) {
    ui.add(Label::new(RichText::new(words).weak()).truncate());
}

/// Shows a text field after its name.
pub fn field_ui(ui: &mut Ui, name: &str, text: &mut String, width: f32) -> Response {
    let label = ui.label(name);
    let field = TextEdit::singleline(text).desired_width(width);
    named(edged_ui(ui, |ui| ui.add(field)).labelled_by(label.id), name)
}

/// Shows a list to choose from, with its name for screen readers.
pub fn dropdown_ui(ui: &mut Ui, list: ComboBox, name: &str, choices: impl FnOnce(&mut Ui)) -> Response {
    named(edged_ui(ui, |ui| list.show_ui(ui, choices).response), name)
}

/// Shows a field or a list with a visible edge.
pub fn edged_ui(ui: &mut Ui, show: impl FnOnce(&mut Ui) -> Response) -> Response {
    let edge = Stroke::new(1.0, theme::of(ui).edge);
    let before = std::mem::replace(&mut ui.visuals_mut().widgets.inactive.bg_stroke, edge);
    let response = show(ui);
    ui.visuals_mut().widgets.inactive.bg_stroke = before;
    response
}

/// Formats a turn rate; one that rounds to zero has no sign.
pub fn turning(radians_per_sec: f64, digits: usize) -> String {
    let text = format!("{:+.digits$}", radians_per_sec.to_degrees());
    if text.trim_start_matches(['+', '-', '0', '.']).is_empty() {
        "0 deg/s".to_owned()
    } else {
        format!("{text} deg/s")
    }
}

#[cfg(test)]
mod tests {
    use eframe::egui::{Context, Shape, Theme};

    use super::{settings::number, *};

    /// Numbers and lists have the edge whose contrast the theme checks; what comes after them has none.
    #[test]
    fn fields_and_lists_have_an_edge() {
        let ctx = Context::default();
        ctx.set_fonts(crate::fonts::fonts());
        theme::set(&ctx);
        let output = ctx.run_ui(Default::default(), |ui| {
            edged_ui(ui, |ui| ui.add(number(&mut 1.0_f64)));
            dropdown_ui(ui, ComboBox::from_id_salt("list"), "List", |_| {});
            let _ = ui.button("Plain");
        });
        let edge = theme::tokens(ctx.theme() == Theme::Dark).edge;
        let is_edged = |shape: &Shape| matches!(shape, Shape::Rect(rect) if rect.stroke.color == edge);
        let count = output.shapes.iter().filter(|clipped| is_edged(&clipped.shape)).count();
        output.drop_without_applying_deltas();
        assert_eq!(count, 2);
    }
}
