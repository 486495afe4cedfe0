//! Settings for holding feet while they stand.

use eframe::egui::Ui;
use loopwright_core::feet::FootLock;

use super::{ask_edit, edit_by, settings::pick_ui};
use crate::model::Model;

const LOCKS: [FootLock; 3] = [FootLock::Auto, FootLock::Solve, FootLock::Off];

pub fn feet_ui(ui: &mut Ui, model: &Model) {
    let Some(edit) = model.edit() else { return };
    let lock = edit.settings.feet.lock;
    let mut holds = lock != FootLock::Off;
    edit_by(model, &ui.checkbox(&mut holds, "Lock planted feet"), |edit| {
        edit.settings.feet.lock = if holds { FootLock::Auto } else { FootLock::Off };
    });
    if let Some(lock) = pick_ui(ui, "Foot locking", lock, LOCKS, |lock| match lock {
        FootLock::Auto => "auto",
        FootLock::Solve => "always",
        FootLock::Off => "off",
    }) {
        ask_edit(model, true, |edit| edit.settings.feet.lock = lock);
    }
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
