//! The light of a grade: a colour beside its word, never instead of it.

use eframe::egui::{Color32, Sense, Ui, vec2};
use loopwright_formats::loop_file::facts::Grade;

/// The colour of a grade.
pub(crate) fn colour(grade: Grade, is_dark: bool) -> Color32 {
    match (grade, is_dark) {
        (Grade::Good, true) => Color32::from_rgb(90, 200, 140),
        (Grade::Good, false) => Color32::from_rgb(0, 130, 80),
        (Grade::Check, true) => Color32::from_rgb(240, 190, 70),
        (Grade::Check, false) => Color32::from_rgb(170, 110, 0),
        (Grade::Bad, true) => Color32::from_rgb(240, 100, 90),
        (Grade::Bad, false) => Color32::from_rgb(190, 40, 30),
    }
}

/// A disc of that colour; painted, since not every font has one.
pub(crate) fn light_ui(ui: &mut Ui, grade: Grade) {
    let (rect, _) = ui.allocate_exact_size(vec2(12.0, 12.0), Sense::empty());
    ui.painter()
        .circle_filled(rect.center(), 4.5, colour(grade, ui.visuals().dark_mode));
}
