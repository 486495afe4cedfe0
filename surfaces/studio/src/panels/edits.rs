//! Edits of the closed loop, in the order in which they apply.

use eframe::egui::{self, Align, Button, Layout, Response, RichText, Ui, emath};
use loopwright_core::{
    Skeleton,
    edit::{EditKey, EditKind, EditParameter, EditValue, EditValues, EditedJoints},
};
use loopwright_job::recipe::EditRecipe;

use super::{ask_edit, dropdown_ui, edged_ui, edit_by, settings::number};
use crate::{
    focus::named,
    icons::{self, Icon},
    model::{Action, Model, time_of_move},
};

pub fn edits_ui(ui: &mut Ui, model: &Model) {
    let (Some(edit), Some(opened)) = (model.edit(), model.opened()) else {
        return;
    };
    let skeleton = opened.skeleton();
    let count = edit.recipe.edits.len();
    for (index, layer) in edit.recipe.edits.iter().enumerate() {
        let mut changed = layer.clone();
        ui.push_id(("edit", index), |ui| {
            head_ui(ui, model, (layer, index, count), skeleton);
            let body = ui.scope(|ui| {
                if layer.is_off {
                    ui.disable();
                }
                layer_ui(ui, &mut changed, skeleton)
            });
            if let Some(response) = body.inner {
                edit_by(model, &response, |edit| edit.recipe.edits[index] = changed);
            }
        });
    }
    ui.horizontal_wrapped(|ui| {
        // Take the joint that is chosen in the view.
        let joint = skeleton.joint(model.watched).name.clone();
        let time = model.playback.secs_in(model.span_secs());
        for &kind in EditKind::ALL {
            if ui.button(format!("Add: {}", kind.descriptor().title)).clicked() {
                let layer = first(kind, &joint, (time * 1e3).round() / 1e3);
                ask_edit(model, true, |edit| edit.recipe.edits.push(layer));
            }
        }
    });
    if edit.recipe.edits.is_empty() {
        ui.weak(format!(
            "For {}, at the time shown: click another joint in the view to choose it, drag a ring around it to turn it.",
            skeleton.joint(model.watched).name
        ));
    } else {
        ui.weak(
            "Turns and shifts are about the axes of the joint's parent, as the rings in the view are; raise, spread and twist \
             move limbs forward and up, outward, and inward about their bones.",
        );
    }
    ui.weak("Edits keep the loop closed. Feet are locked again afterwards.");
}

/// Shows the first row of an edit: whether it applies, its name, which shows its joint at its time when clicked, and its place in the
/// order.
fn head_ui(ui: &mut Ui, model: &Model, (layer, index, count): (&EditRecipe, usize, usize), skeleton: &Skeleton) {
    let number = index + 1;
    ui.horizontal(|ui| {
        let mut is_on = !layer.is_off;
        if named(ui.checkbox(&mut is_on, ""), &format!("Edit {number} applies")).changed() {
            ask_edit(model, true, |edit| edit.recipe.edits[index].is_off = !is_on);
        }
        let name = RichText::new(format!("{number}. {}", layer.kind.descriptor().title)).strong();
        let show = ui.add(Button::new(name).frame_when_inactive(false));
        if show.on_hover_text("Show its joint at its time").clicked() {
            let mut joints = skeleton.joints().iter();
            let joint = joints.position(|joint| Some(&joint.name) == layer.joint.as_ref());
            model.ask_all(joint.map(Action::Watch));
            let time = model.made().and_then(|made| time_of_move(layer, made.clip()));
            model.ask_all(time.map(Action::Seek));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let name = format!("Remove edit {number}");
            if icons::button(ui, Icon::Remove, &name, &name, true).clicked() {
                ask_edit(model, true, |edit| _ = edit.recipe.edits.remove(index));
            }
            for (icon, word, to) in [
                (Icon::Down, "later", index + 1),
                (Icon::Up, "earlier", index.wrapping_sub(1)),
            ] {
                let name = format!("Apply edit {number} {word}");
                if icons::button(ui, icon, &name, &name, to < count).clicked() {
                    ask_edit(model, true, |edit| edit.recipe.edits.swap(index, to));
                }
            }
        });
    });
}

/// Returns the edit that a button adds: of the joint, at this time if its kind has one.
fn first(kind: EditKind, joint: &str, time: f64) -> EditRecipe {
    let descriptor = kind.descriptor();
    let mut values = EditValues::default();
    for parameter in descriptor.parameters.iter().filter(|parameter| parameter.is_required) {
        values.set(parameter.key, parameter.default);
    }
    if descriptor.parameter(EditKey::Time).is_some() {
        values.set(EditKey::Time, time.into());
    }
    EditRecipe {
        kind,
        joint: (descriptor.joints == EditedJoints::One).then(|| joint.to_owned()),
        values,
        is_off: false,
    }
}

/// Shows the widgets of a layer; returns the one that was used.
fn layer_ui(ui: &mut Ui, layer: &mut EditRecipe, skeleton: &Skeleton) -> Option<Response> {
    let mut used = Used(None);
    let descriptor = layer.kind.descriptor();
    if let (EditedJoints::One, Some(joint)) = (descriptor.joints, &mut layer.joint) {
        used.take(joint_ui(ui, joint, skeleton));
    }
    // Either a time or a share of the loop is stated.
    let other = match layer.values.get(EditKey::Time) {
        Some(_) => EditKey::Phase,
        None => EditKey::Time,
    };
    let shown = || descriptor.parameters.iter().filter(|parameter| parameter.key != other);
    let is_vector = |parameter: &EditParameter| matches!(parameter.default, EditValue::Vector(_));
    ui.horizontal(|ui| {
        for parameter in shown().filter(|parameter| !is_vector(parameter)) {
            used.value(ui, parameter, &mut layer.values);
        }
    });
    for parameter in shown().filter(|parameter| is_vector(parameter)) {
        ui.horizontal_wrapped(|ui| used.value(ui, parameter, &mut layer.values));
    }
    if let EditedJoints::All | EditedJoints::UpperBody = descriptor.joints {
        ui.weak(layer.joint.as_deref().unwrap_or(descriptor.joints.usual()));
    }
    used.0
}

/// The widget that was used in this frame.
struct Used(Option<Response>);

impl Used {
    fn take(&mut self, response: Option<Response>) {
        self.0 = self
            .0
            .take()
            .or(response.filter(|response| response.changed() || response.drag_stopped()));
    }

    /// Shows the numbers of a parameter, which is stated once one of them is changed.
    fn value(&mut self, ui: &mut Ui, parameter: &EditParameter, values: &mut EditValues) {
        let before = values.get(parameter.key).unwrap_or(parameter.default);
        let mut value = before;
        match &mut value {
            EditValue::Number(number) => self.number(ui, parameter.label, number, parameter),
            EditValue::Whole(number) => self.number(ui, parameter.label, number, parameter),
            EditValue::Vector(vector) => {
                for (axis, number) in ["x", "y", "z"].into_iter().zip(vector) {
                    self.number(ui, &format!("{} {axis}", parameter.label), number, parameter);
                }
            }
        }
        if value != before {
            values.set(parameter.key, value);
        }
    }

    fn number<N: emath::Numeric>(&mut self, ui: &mut Ui, name: &str, value: &mut N, parameter: &EditParameter) {
        let drag = number(value).speed(parameter.step).suffix(parameter.unit.suffix());
        // Keeps the name and its number in one row.
        self.take(Some(
            ui.horizontal(|ui| {
                let label = ui.label(name);
                named(edged_ui(ui, |ui| ui.add(drag)).labelled_by(label.id), name)
            })
            .inner
            .on_hover_text("Drag sideways, or click to type a number"),
        ));
    }
}

fn joint_ui(ui: &mut Ui, joint: &mut String, skeleton: &Skeleton) -> Option<Response> {
    let mut chosen = None;
    ui.horizontal(|ui| {
        ui.label("Joint");
        let list = egui::ComboBox::from_id_salt("joint").selected_text(joint.clone());
        dropdown_ui(ui, list, "Joint of the edit", |ui| {
            for index in 0..skeleton.num_joints() {
                let name = &skeleton.joint(index).name;
                let mut response = ui.selectable_label(name == joint, name);
                if response.clicked() {
                    response.mark_changed();
                    chosen = Some((name.clone(), response));
                }
            }
        });
    });
    chosen.map(|(name, response)| {
        *joint = name;
        response
    })
}
