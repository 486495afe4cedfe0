//! Stances by hand: when a foot stands or swings in place of what was detected. Bars are dragged along the loop.

use eframe::egui::{self, Color32, CursorIcon, DragValue, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use loopwright_job::recipe::{StanceRecipe, StanceUnit};

use super::{edit_by, final_edit};
use crate::focus::{self, named};
use crate::model::{Action, Edit, Model};

/// Height of the row of a foot, points.
const ROW_POINTS: f32 = 16.0;

/// How long a stance is that was just added, seconds.
const FIRST_SECS: f64 = 0.2;

pub(crate) fn stances_ui(ui: &mut Ui, model: &Model, actions: &mut Vec<Action>) {
    let (Some(edit), Some(opened), Some(made)) = (model.edit(), model.opened(), model.made()) else {
        return;
    };
    let (skeleton, body) = (opened.skeleton(), opened.body());
    let names: Vec<&str> = (body.feet.iter())
        .map(|foot| skeleton.joint(foot.ankle).name.as_str())
        .collect();
    if names.is_empty() {
        return;
    }
    let period = made.period_secs();
    let colours = [ui.visuals().weak_text_color(), ui.visuals().selection.bg_fill];
    for (foot, name) in names.iter().enumerate() {
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW_POINTS), Sense::hover());
        let bar = |from: f64, to: f64| {
            let x = |secs: f64| rect.left() + rect.width() * (secs / period).clamp(0.0, 1.0) as f32;
            Rect::from_min_max(pos2(x(from), rect.top() + 2.0), pos2(x(to), rect.bottom() - 2.0))
        };
        ui.painter().rect_filled(rect, 2.0, ui.visuals().extreme_bg_color);
        let step = made.done.made.loop_clip.step_secs();
        let contacts = made
            .done
            .made
            .feet
            .contacts
            .iter()
            .filter(|contact| contact.foot == foot);
        for (number, contact) in contacts.enumerate() {
            let from = contact.start_sample as f64 * step;
            let to = from + contact.num_samples as f64 * step;
            let id = ui.scope_id().with(("contact", foot, number));
            let response = ui.interact(bar(from, to), id, Sense::click());
            let word = format!("Contact {} of {name}: click to correct it", number + 1);
            response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &word));
            if response.on_hover_text(&word).clicked() {
                actions.push(add(edit, name, [from, to.min(period)]));
            }
            ui.painter()
                .rect_filled(bar(from, to), 2.0, colours[0].gamma_multiply(0.5));
            // What runs on over the seam.
            ui.painter()
                .rect_filled(bar(from - period, to - period), 2.0, colours[0].gamma_multiply(0.5));
        }
        for (index, stance) in edit.recipe.stances.iter().enumerate() {
            if stance.foot != *name || stance.unit != StanceUnit::Seconds {
                continue;
            }
            let area = bar(stance.from, stance.to);
            let response = ui.interact(area, ui.scope_id().with(("stance", index)), Sense::drag());
            let response = response.on_hover_cursor(CursorIcon::Grab);
            response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, format!("Stance {}", index + 1)));
            let colour = if stance.stands {
                colours[1]
            } else {
                Color32::TRANSPARENT
            };
            ui.painter().rect_filled(area, 2.0, colour);
            ui.painter()
                .rect_stroke(area, 2.0, (1.5, colours[1]), egui::StrokeKind::Inside);
            let steps = focus::steps(ui, &response);
            let secs = f64::from(response.drag_delta().x / rect.width().max(1.0)) * period + f64::from(steps) * step;
            if secs != 0.0 || response.drag_stopped() {
                let length = stance.to - stance.from;
                let from = (stance.from + secs).clamp(0.0, (period - length).max(0.0));
                let changed = with(edit, |stances| {
                    (stances[index].from, stances[index].to) = (from, from + length);
                });
                actions.push(Action::Edit {
                    edit: Box::new(changed),
                    is_final: !response.dragged(),
                });
            }
        }
        ui.painter().text(
            rect.left_center() + vec2(4.0, 0.0),
            egui::Align2::LEFT_CENTER,
            name,
            egui::FontId::proportional(10.5),
            ui.visuals().text_color(),
        );
    }
    if edit.recipe.stances.is_empty() {
        ui.weak("Grey: detected contacts over the loop. Click a bar to correct it.");
    }
    for (index, stance) in edit.recipe.stances.iter().enumerate() {
        row_ui(ui, edit, index, stance, actions);
    }
    ui.horizontal_wrapped(|ui| {
        for name in &names {
            if ui.button(format!("Add a stance of {name}")).clicked() {
                let from = model.playback.secs_in(period).min((period - FIRST_SECS).max(0.0));
                actions.push(add(edit, name, [from, (from + FIRST_SECS).min(period)]));
            }
        }
    });
}

/// Adds a stance of a foot, seconds.
fn add(edit: &Edit, foot: &str, [from, to]: [f64; 2]) -> Action {
    let stance = StanceRecipe {
        foot: foot.to_owned(),
        from,
        to,
        unit: StanceUnit::Seconds,
        stands: true,
    };
    final_edit(with(edit, |stances| stances.push(stance)))
}

/// The numbers of a stance.
fn row_ui(ui: &mut Ui, edit: &Edit, index: usize, stance: &StanceRecipe, actions: &mut Vec<Action>) {
    let mut changed = stance.clone();
    let unit = match stance.unit {
        StanceUnit::Frames => "",
        StanceUnit::Seconds => " s",
    };
    let set = |changed: StanceRecipe| with(edit, |stances| stances[index] = changed);
    ui.push_id(("stance row", index), |ui| {
        ui.horizontal_wrapped(|ui| {
            let label = ui.label(format!("{}. {}", index + 1, stance.foot));
            let from = ui.add(
                DragValue::new(&mut changed.from)
                    .speed(0.005)
                    .suffix(unit)
                    .max_decimals(3),
            );
            let to = ui.add(
                DragValue::new(&mut changed.to)
                    .speed(0.005)
                    .suffix(unit)
                    .max_decimals(3),
            );
            let (from, to) = (from.labelled_by(label.id), to.labelled_by(label.id));
            let from = named(from, &format!("Stance {} from", index + 1));
            let to = named(to, &format!("Stance {} to", index + 1));
            // A stance ends when it begins or later.
            changed.to = changed.to.max(changed.from);
            actions.extend(edit_by(&from, set(changed.clone())));
            actions.extend(edit_by(&to, set(changed.clone())));
            let stands = ui.checkbox(&mut changed.stands, format!("Stance {} is planted", index + 1));
            actions.extend(edit_by(&stands, set(changed)));
            if ui.button(format!("Remove stance {}", index + 1)).clicked() {
                actions.push(final_edit(with(edit, |stances| {
                    stances.remove(index);
                })));
            }
        });
    });
}

fn with(edit: &Edit, change: impl FnOnce(&mut Vec<StanceRecipe>)) -> Edit {
    let mut edit = edit.clone();
    change(&mut edit.recipe.stances);
    edit
}
