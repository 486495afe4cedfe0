//! Stances by hand: when a foot stands or swings, in place of the detected contacts. Bars are dragged along the loop.

use eframe::egui::{self, Color32, CursorIcon, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use loopwright_job::recipe::{StanceRecipe, StanceUnit};

use super::{ask_edit, edged_ui, edit_by, settings::number};
use crate::{
    focus::{self, named},
    model::{Edit, Made, Model},
    theme::{self, Tokens},
};

/// Height of the row of a foot, points.
const ROW_POINTS: f32 = 16.0;

/// Length of a newly added stance, seconds.
const FIRST_SECS: f64 = 0.2;

pub fn stances_ui(ui: &mut Ui, model: &Model) {
    let (Some(edit), Some(opened), Some(made)) = (model.edit(), model.opened(), model.made()) else {
        return;
    };
    let skeleton = opened.skeleton();
    let names: Vec<&str> = opened
        .body()
        .feet
        .iter()
        .map(|foot| skeleton.joint(foot.ankle).name.as_str())
        .collect();
    if names.is_empty() {
        return;
    }
    let period = made.period_secs();
    for (foot, name) in names.iter().enumerate() {
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW_POINTS), Sense::hover());
        let colours = theme::of(ui);
        ui.painter().rect_filled(rect, 2.0, colours.sunken);
        let row = FootRow {
            foot,
            name,
            edit,
            made,
            rect,
        };
        row.contacts_ui(ui, model);
        row.stances_ui(ui, model);
        ui.painter().text(
            rect.left_center() + vec2(4.0, 0.0),
            egui::Align2::LEFT_CENTER,
            name,
            egui::FontId::proportional(10.5),
            colours.text,
        );
    }
    if edit.recipe.stances.is_empty() {
        ui.weak("Grey: detected contacts over the loop. Click a bar to correct it.");
    }
    for (index, stance) in edit.recipe.stances.iter().enumerate() {
        row_ui(ui, index, stance, model);
    }
    ui.horizontal_wrapped(|ui| {
        for name in &names {
            if ui.button(format!("Add a stance of {name}")).clicked() {
                let from = model.playback.secs_in(period).min((period - FIRST_SECS).max(0.0));
                add(model, name, [from, (from + FIRST_SECS).min(period)]);
            }
        }
    });
}

/// The row of a foot: one period of the loop from edge to edge.
struct FootRow<'a> {
    foot: usize,
    name: &'a str,
    edit: &'a Edit,
    made: &'a Made,
    rect: Rect,
}

impl FootRow<'_> {
    /// Returns a bar from one time to another, seconds, clipped at the edges.
    fn bar(&self, from: f64, to: f64) -> Rect {
        let [left, right] = [from, to]
            .map(|secs| self.rect.left() + self.rect.width() * (secs / self.made.period_secs()).clamp(0.0, 1.0) as f32);
        Rect::from_min_max(pos2(left, self.rect.top() + 2.0), pos2(right, self.rect.bottom() - 2.0))
    }

    /// Shows detected contacts; a click turns one into a stance.
    fn contacts_ui(&self, ui: &Ui, model: &Model) {
        let made = &self.made.done.made;
        let period = self.made.period_secs();
        let step = made.loop_clip.step_secs();
        let colour = theme::of(ui).weak.gamma_multiply(0.5);
        let contacts = made.feet.contacts.iter();
        let of_foot = contacts.filter(|contact| contact.foot == self.foot);
        for (number, contact) in of_foot.enumerate() {
            let from = contact.start_sample as f64 * step;
            let to = from + contact.num_samples as f64 * step;
            let id = ui.scope_id().with(("contact", self.foot, number));
            let response = ui.interact(self.bar(from, to), id, Sense::click());
            let word = format!("Contact {} of {}: click to correct it", number + 1, self.name);
            focus::label(&response, Role::Button, &word);
            if response.on_hover_text(&word).clicked() {
                add(model, self.name, [from, to.min(period)]);
            }
            ui.painter().rect_filled(self.bar(from, to), 2.0, colour);
            // A contact may continue over the seam.
            ui.painter()
                .rect_filled(self.bar(from - period, to - period), 2.0, colour);
        }
    }

    /// Shows stances by hand; a drag moves one.
    fn stances_ui(&self, ui: &Ui, model: &Model) {
        let edit = self.edit;
        let period = self.made.period_secs();
        let step = self.made.clip().step_secs();
        let Tokens { chosen, accent, .. } = theme::of(ui);
        for (index, stance) in edit.recipe.stances.iter().enumerate() {
            if stance.foot != self.name || stance.unit != StanceUnit::Seconds {
                continue;
            }
            let area = self.bar(stance.from, stance.to);
            let response = ui
                .interact(area, ui.scope_id().with(("stance", index)), Sense::drag())
                .on_hover_cursor(CursorIcon::Grab);
            response.widget_info(|| WidgetInfo::slider(true, stance.from, format!("Stance {}", index + 1)));
            let fill = if stance.stands { chosen } else { Color32::TRANSPARENT };
            ui.painter().rect_filled(area, 2.0, fill);
            ui.painter()
                .rect_stroke(area, 2.0, (1.5, accent), egui::StrokeKind::Inside);
            let steps = focus::steps(ui, &response).unwrap_or(0);
            let share = response.drag_delta().x / self.rect.width().max(1.0);
            let secs = f64::from(share) * period + f64::from(steps) * step;
            if secs != 0.0 || response.drag_stopped() {
                let length = stance.to - stance.from;
                let from = (stance.from + secs).clamp(0.0, (period - length).max(0.0));
                ask_edit(model, !response.dragged(), |edit| {
                    let stance = &mut edit.recipe.stances[index];
                    (stance.from, stance.to) = (from, from + length);
                });
            }
        }
    }
}

/// Adds a stance of a foot, with times in seconds from the start of the loop.
fn add(model: &Model, foot: &str, [from, to]: [f64; 2]) {
    let stance = StanceRecipe {
        foot: foot.to_owned(),
        from,
        to,
        unit: StanceUnit::Seconds,
        stands: true,
    };
    ask_edit(model, true, |edit| edit.recipe.stances.push(stance));
}

/// Shows the numbers of a stance.
fn row_ui(ui: &mut Ui, index: usize, stance: &StanceRecipe, model: &Model) {
    let mut changed = stance.clone();
    let unit = match stance.unit {
        StanceUnit::Frames => "",
        StanceUnit::Seconds => " s",
    };
    ui.push_id(("stance row", index), |ui| {
        ui.horizontal_wrapped(|ui| {
            let label = ui.label(format!("{}. {}", index + 1, stance.foot));
            let [from, to] = [("from", &mut changed.from), ("to", &mut changed.to)].map(|(end, value)| {
                let field = edged_ui(ui, |ui| ui.add(number(value).speed(0.005).suffix(unit)));
                named(field.labelled_by(label.id), &format!("Stance {} {end}", index + 1))
            });
            // A stance does not end before it begins.
            changed.to = changed.to.max(changed.from);
            let stands = ui.checkbox(&mut changed.stands, format!("Stance {} is planted", index + 1));
            for response in [from, to, stands] {
                edit_by(model, &response, |edit| edit.recipe.stances[index] = changed.clone());
            }
            if ui.button(format!("Remove stance {}", index + 1)).clicked() {
                ask_edit(model, true, |edit| _ = edit.recipe.stances.remove(index));
            }
        });
    });
}
