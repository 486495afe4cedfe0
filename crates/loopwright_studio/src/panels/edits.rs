//! Edits of the closed loop, in the order in which they apply.

use eframe::egui::{self, DragValue, Response, Ui};
use loopwright::Skeleton;
use loopwright_job::recipe::EditRecipe;

use super::{edit_by, final_edit};
use crate::model::{Action, Edit, Model};

/// How fast values follow the mouse, a point of the screen.
const DEGREES_PER_POINT: f64 = 0.5;
const METRES_PER_POINT: f64 = 0.002;
const SECS_PER_POINT: f64 = 0.005;

pub(crate) fn edits_ui(ui: &mut Ui, model: &Model, actions: &mut Vec<Action>) {
    let (Some(edit), Some(opened)) = (model.edit(), model.opened()) else {
        return;
    };
    let skeleton = opened.skeleton();
    for (index, layer) in edit.recipe.edits.iter().enumerate() {
        let mut changed = layer.clone();
        let mut is_removed = false;
        ui.push_id(("edit", index), |ui| {
            ui.horizontal(|ui| {
                ui.strong(format!("{}. {}", index + 1, title(layer)));
                is_removed = ui.button(format!("Remove edit {}", index + 1)).clicked();
            });
            if let Some(response) = layer_ui(ui, &mut changed, skeleton) {
                actions.extend(edit_by(&response, with(edit, |edits| edits[index] = changed)));
            }
        });
        if is_removed {
            let edit = with(edit, |edits| {
                edits.remove(index);
            });
            actions.push(final_edit(edit));
        }
    }
    ui.horizontal_wrapped(|ui| {
        // The joint that is chosen in the view.
        let joint = skeleton.joint(model.watched).name.clone();
        let time = model.playback.secs_in(model.span_secs());
        for layer in first_layers(&joint, (time * 1e3).round() / 1e3) {
            let name = format!("Add: {}", title(&layer));
            if ui.button(name).clicked() {
                actions.push(final_edit(with(edit, |edits| edits.push(layer))));
            }
        }
    });
    if edit.recipe.edits.is_empty() {
        ui.weak(format!(
            "For {}, at the time shown: click another joint in the view to choose it.",
            skeleton.joint(model.watched).name
        ));
    } else {
        ui.weak("Turns and shifts are about the axes of the joint's parent.");
    }
    ui.weak("Edits keep the loop closed. Feet are held afterwards.");
}

/// What each button adds.
fn first_layers(joint: &str, time: f64) -> [EditRecipe; 5] {
    [
        EditRecipe::Move {
            joint: joint.to_owned(),
            time: Some(time),
            phase: None,
            width: None,
            rotation: [0.0; 3],
            position: [0.0; 3],
        },
        EditRecipe::Offset {
            joint: joint.to_owned(),
            rotation: [0.0; 3],
            position: [0.0; 3],
        },
        EditRecipe::Smooth {
            joint: None,
            deviation: 0.02,
        },
        EditRecipe::Aim { turn: 0.0 },
        EditRecipe::Noise {
            joint: None,
            deviation: 1.0,
            highest: None,
            seed: 0,
        },
    ]
}

fn title(layer: &EditRecipe) -> &'static str {
    match layer {
        EditRecipe::Move { .. } => "joint at a time",
        EditRecipe::Offset { .. } => "joint all the time",
        EditRecipe::Smooth { .. } => "smooth",
        EditRecipe::Aim { .. } => "aim",
        EditRecipe::Noise { .. } => "noise",
    }
}

fn with(edit: &Edit, change: impl FnOnce(&mut Vec<EditRecipe>)) -> Edit {
    let mut edit = edit.clone();
    change(&mut edit.recipe.edits);
    edit
}

/// The widgets of a layer; the one that was used.
fn layer_ui(ui: &mut Ui, layer: &mut EditRecipe, skeleton: &Skeleton) -> Option<Response> {
    let mut used = Used(None);
    match layer {
        EditRecipe::Move {
            joint,
            time,
            phase,
            width,
            rotation,
            position,
        } => {
            used.take(joint_ui(ui, joint, skeleton));
            ui.horizontal(|ui| {
                match (time.as_mut(), phase.as_mut()) {
                    (None, Some(phase)) => used.number(ui, "Phase", phase, 0.002, ""),
                    (Some(time), _) => used.number(ui, "Time", time, SECS_PER_POINT, " s"),
                    (None, None) => used.number(ui, "Time", time.insert(0.0), SECS_PER_POINT, " s"),
                }
                let mut secs = width.unwrap_or(loopwright::edit::DEFAULT_WIDTH_SECS);
                used.number(ui, "Width", &mut secs, SECS_PER_POINT, " s");
                if secs != width.unwrap_or(loopwright::edit::DEFAULT_WIDTH_SECS) {
                    *width = Some(secs);
                }
            });
            used.vectors(ui, rotation, position);
        }
        EditRecipe::Offset {
            joint,
            rotation,
            position,
        } => {
            used.take(joint_ui(ui, joint, skeleton));
            used.vectors(ui, rotation, position);
        }
        EditRecipe::Smooth { joint, deviation } => {
            ui.horizontal(|ui| used.number(ui, "Smoothing", deviation, 0.001, " s"));
            ui.weak(joint.as_deref().unwrap_or("all joints"));
        }
        EditRecipe::Aim { turn } => {
            ui.horizontal(|ui| used.number(ui, "Turn to the left", turn, DEGREES_PER_POINT, "°"));
        }
        EditRecipe::Noise {
            joint, deviation, seed, ..
        } => {
            ui.horizontal(|ui| {
                used.number(ui, "Noise", deviation, 0.02, "°");
                let label = ui.label("Seed");
                used.take(Some(ui.add(DragValue::new(seed).speed(0.1)).labelled_by(label.id)));
            });
            ui.weak(joint.as_deref().unwrap_or("trunk, arms and head"));
        }
    }
    used.0
}

/// The widget that was used in this frame.
struct Used(Option<Response>);

impl Used {
    fn take(&mut self, response: Option<Response>) {
        let response = response.filter(|response| response.changed() || response.drag_stopped());
        self.0 = self.0.take().or(response);
    }

    fn number(&mut self, ui: &mut Ui, name: &str, value: &mut f64, speed: f64, unit: &str) {
        let label = ui.label(name);
        let drag = DragValue::new(value).speed(speed).suffix(unit).max_decimals(3);
        let response = ui.add(drag).labelled_by(label.id);
        self.take(Some(response.on_hover_text("Drag sideways, or click to type a number")));
    }

    fn vectors(&mut self, ui: &mut Ui, rotation: &mut [f64; 3], position: &mut [f64; 3]) {
        for (name, vector, speed, unit) in [
            ("Turn", rotation, DEGREES_PER_POINT, "°"),
            ("Shift", position, METRES_PER_POINT, " m"),
        ] {
            ui.horizontal_wrapped(|ui| {
                for (axis, value) in ["x", "y", "z"].into_iter().zip(vector) {
                    self.number(ui, &format!("{name} {axis}"), value, speed, unit);
                }
            });
        }
    }
}

/// The list of joints.
fn joint_ui(ui: &mut Ui, joint: &mut String, skeleton: &Skeleton) -> Option<Response> {
    let mut chosen = None;
    egui::ComboBox::from_label("Joint")
        .selected_text(joint.clone())
        .show_ui(ui, |ui| {
            for index in 0..skeleton.num_joints() {
                let name = &skeleton.joint(index).name;
                let mut response = ui.selectable_label(name == joint, name);
                if response.clicked() {
                    response.mark_changed();
                    chosen = Some((name.clone(), response));
                }
            }
        });
    chosen.map(|(name, response)| {
        *joint = name;
        response
    })
}
