//! Joints that are closed in their own way: tables `[[joint]]` of a recipe.

use eframe::egui::{self, Ui};
use loopwright_core::closure::{ClosureName, ShapeKind};
use loopwright_job::recipe::JointRecipe;

use super::{ask_edit, dropdown_ui, edged_ui, edit_by, field_ui, settings};
use crate::{focus::named, model::Model};

/// Initial blend time of a joint of its own, seconds: shorter than that of the body.
const FIRST_SECS: f64 = 0.1;

pub fn joints_ui(ui: &mut Ui, model: &Model) {
    let (Some(edit), Some(opened)) = (model.edit(), model.opened()) else {
        return;
    };
    let skeleton = opened.take().skeleton();
    for (index, joint) in edit.recipe.joints.iter().enumerate() {
        ui.push_id(("joint", index), |ui| {
            ui.horizontal_wrapped(|ui| row_ui(ui, joint, index, model));
            if skeleton.joints_matching(&joint.pattern).is_empty() {
                ui.colored_label(
                    ui.visuals().warn_fg_color,
                    format!("No joint is named {}", joint.pattern),
                );
            }
        });
    }
    // The seam is closed on the joints of the take, even on a character.
    if let Some(joint) = opened.joint_of_take(model.watched) {
        let name = skeleton.joint(joint).name.clone();
        if ui.button(format!("Close {name} in its own way")).clicked() {
            let joint = JointRecipe {
                pattern: name,
                method: ClosureName::Shape(ShapeKind::Quintic),
                blend: Some(FIRST_SECS),
            };
            ask_edit(model, true, |edit| edit.recipe.joints.push(joint));
        }
    }
    ui.weak("The joint is that of the curves over the seam.");
}

/// Shows a row: which joints, how they are closed, and over which time.
fn row_ui(ui: &mut Ui, joint: &JointRecipe, index: usize, model: &Model) {
    let number = index + 1;
    let mut changed = joint.clone();
    if let Some(pattern) = pattern_ui(ui, number, &joint.pattern) {
        changed.pattern = pattern;
    }
    let list = egui::ComboBox::from_id_salt("method").selected_text(joint.method.as_str());
    dropdown_ui(ui, list, &format!("Method of joints {number}"), |ui| {
        for &other in ClosureName::OF_JOINTS {
            if ui.selectable_label(other == joint.method, other.as_str()).clicked() {
                changed.method = other;
            }
        }
    });
    let mut has_own = joint.blend.is_some();
    if ui.checkbox(&mut has_own, format!("Time of joints {number}")).changed() {
        changed.blend = has_own.then_some(FIRST_SECS);
    }
    if changed != *joint {
        ask_edit(model, true, |edit| edit.recipe.joints[index] = changed.clone());
    }
    if let Some(secs) = &mut changed.blend {
        let field = settings::number(secs).speed(0.005).range(0.001..=10.0).suffix(" s");
        let field = named(edged_ui(ui, |ui| ui.add(field)), &format!("Seconds of joints {number}"));
        edit_by(model, &field, |edit| edit.recipe.joints[index] = changed);
    }
    if ui.button(format!("Remove joints {number}")).clicked() {
        ask_edit(model, true, |edit| _ = edit.recipe.joints.remove(index));
    }
}

/// Shows a pattern for the names of joints; returns another one once it is entered, since a half-typed one fits no joint.
fn pattern_ui(ui: &mut Ui, number: usize, pattern: &str) -> Option<String> {
    let id = ui.scope_id().with("pattern");
    let mut typed = ui.data(|data| data.get_temp(id)).unwrap_or_else(|| pattern.to_owned());
    let field = field_ui(ui, &format!("Joints {number}"), &mut typed, 110.0).on_hover_text("* and ? stand for letters");
    // Read outside, since the context is locked inside.
    let is_typed_into = field.has_focus();
    ui.data_mut(|data| {
        if is_typed_into {
            data.insert_temp(id, typed.clone());
        } else {
            data.remove::<String>(id);
        }
    });
    (field.lost_focus() && typed != pattern).then_some(typed)
}
