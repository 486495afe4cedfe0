//! How the take is read: smoothed, or on a character.

use eframe::egui::Ui;
use loopwright_formats::Format;
use loopwright_job::{Matched, recipe::StudyArgs};

use super::{edged_ui, settings::number};
use crate::{
    focus::named,
    model::{Action, Model, Opened},
};

/// Initial frequency of smoothing, hertz: walks have nothing faster.
const FIRST_HZ: f64 = 6.0;

pub fn reading_ui(ui: &mut Ui, model: &Model) {
    let Some(opened) = model.opened() else { return };
    if opened.bytes.is_none() {
        ui.weak("Open a take to smooth it or to put it on another character.");
        return;
    }
    ui.horizontal_wrapped(|ui| smoothing_ui(ui, opened, model));
    if let Some(rig) = opened.studied.character.as_ref().map(Matched::facts) {
        ui.label(format!(
            "On {}: {} joints follow, size x {:.2}",
            rig.file, rig.joints_followed, rig.scale
        ));
        if !rig.unsure.is_empty() {
            ui.weak(format!("Check these joints: {}", rig.unsure.join(", ")));
        }
        if ui.button("Back to its own body").clicked() {
            model.ask(Action::CloseCharacter);
        }
    }
    let mut awaits = model.awaits_character;
    if ui
        .checkbox(&mut awaits, "Put the loop on the next character I open")
        .changed()
    {
        model.ask(Action::AwaitCharacter(awaits));
    }
    if awaits {
        ui.label(format!(
            "Now drop or open the character: a {} file with its skeleton, or an avatar (VRM).",
            Format::names("or")
        ));
    }
}

/// Shows whether the take is smoothed, and above which frequency; the take is read anew once the number is released.
fn smoothing_ui(ui: &mut Ui, opened: &Opened, model: &Model) {
    let study = &opened.study;
    let mut smooth = study.smooth;
    let mut is_smoothed = smooth.is_some();
    if ui.checkbox(&mut is_smoothed, "Smooth the take").changed() {
        smooth = is_smoothed.then_some(FIRST_HZ);
    }
    if let Some(hertz) = study.smooth {
        let most = 0.5 * opened.take().frame_rate_hz();
        let id = ui.scope_id().with("smooth");
        let mut shown = ui.data(|data| data.get_temp(id)).unwrap_or(hertz);
        let label = ui.label("above");
        let field = number(&mut shown).speed(0.05).range(0.1..=most).suffix(" Hz");
        let response = edged_ui(ui, |ui| ui.add(field)).labelled_by(label.id);
        let response = named(response, "Smooth above");
        ui.data_mut(|data| {
            if response.dragged() {
                data.insert_temp(id, shown);
            } else {
                data.remove::<f64>(id);
            }
        });
        if response.drag_stopped() || response.changed() && !response.dragged() {
            smooth = Some(shown);
        }
    }
    if smooth != study.smooth {
        model.ask(Action::Read(Box::new(StudyArgs {
            smooth,
            ..study.clone()
        })));
    }
}
