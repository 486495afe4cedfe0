//! Settings for holding feet while they stand.

use eframe::egui::Ui;
use loopwright_core::feet::FootLock;

use super::edit_by;
use super::settings::choice_ui;
use crate::model::Model;

const LOCKS: [(FootLock, &str); 3] = [
    (FootLock::Auto, "auto"),
    (FootLock::Solve, "always"),
    (FootLock::Off, "off"),
];

pub fn feet_ui(ui: &mut Ui, model: &Model) {
    let Some(edit) = model.edit() else { return };
    let lock = edit.settings.feet.lock;
    let set = |lock: FootLock| edit.with(|edit| edit.settings.feet.lock = lock);
    let mut holds = lock != FootLock::Off;
    let response = ui.checkbox(&mut holds, "Lock planted feet");
    model.ask_all(edit_by(
        &response,
        set(if holds { FootLock::Auto } else { FootLock::Off }),
    ));
    let word = LOCKS
        .iter()
        .find(|(other, _)| *other == lock)
        .map_or("", |(_, word)| word);
    choice_ui(ui, "Foot locking", word, |ui| {
        for (other, word) in LOCKS {
            let mut response = ui.selectable_label(other == lock, word);
            if response.clicked() {
                response.mark_changed();
                model.ask_all(edit_by(&response, set(other)));
            }
        }
    });
    let Some(made) = model.made() else { return };
    if made.is_draft && lock != FootLock::Off {
        ui.label("Feet are free while you drag a slider, and locked when you release it.");
        return;
    }
    let feet = &made.done.made.feet;
    match feet.foot_slide_mps {
        [Some(before), Some(after)] => {
            let [before, after] = [before, after].map(|mps| format!("{:.1} cm/s", 1e2 * mps));
            ui.label(format!("Held: sliding falls from {before} to {after}."));
        }
        _ => {
            ui.label(if feet.contacts.is_empty() {
                "No foot is planted in this loop."
            } else {
                "Not locked."
            });
        }
    }
}
