//! The mode of root motion, and its constants.

use eframe::egui::{self, Ui};
use loopwright_core::RootMode;

use super::settings::{Setting, choice_ui, setting_ui};
use super::{edit_by, row_ui, turning};
use crate::model::{Edit, Model};

const MODES: [RootMode; 7] = [
    RootMode::Constant,
    RootMode::InPlace,
    RootMode::Linear,
    RootMode::Path,
    RootMode::Inertialized,
    RootMode::Keep,
    RootMode::Stationary,
];

pub fn root_motion_ui(ui: &mut Ui, model: &Model) {
    let Some(edit) = model.edit() else { return };
    let mode = edit.settings.root.mode;
    choice_ui(ui, "Root motion", mode.as_str(), |ui| {
        for other in MODES {
            let mut response = ui
                .selectable_label(other == mode, other.as_str())
                .on_hover_text(meaning(other));
            if response.clicked() {
                response.mark_changed();
                let edit = edit.with(|edit| edit.settings.root.mode = other);
                model.ask_all(edit_by(&response, edit));
            }
        }
    });
    ui.weak(meaning(mode));
    if mode == RootMode::Inertialized {
        blend_ui(ui, edit, model);
    }
    let mut edit = edit.clone();
    let response = ui.checkbox(&mut edit.settings.root.recenter, "Start at the origin, facing ahead");
    model.ask_all(edit_by(&response, edit));
    let Some(made) = model.made() else { return };
    let twist = made.done.made.loop_clip.root().twist;
    egui::Grid::new("root motion").num_columns(2).show(ui, |ui| {
        row_ui(ui, "Speed", format!("{:.3} m/s", twist.linear.length()));
        row_ui(ui, "Turning", turning(twist.angular.y, 2));
        // A root that stands, or moves nearly straight, has no radius.
        let curves = twist.linear.length() > LEAST_MPS && twist.angular.y.abs() > LEAST_TURN_RATE;
        if let Some(radius) = twist.radius().filter(|radius| curves && *radius < 1e3) {
            row_ui(ui, "Radius", format!("{radius:.2} m"));
        }
        row_ui(ui, "Period", format!("{:.4} s", made.period_secs()));
    });
}

/// Shows how an inertialized root fades its gap in velocity; by default as the closure does.
fn blend_ui(ui: &mut Ui, edit: &Edit, model: &Model) {
    let method = edit.settings.closure.method;
    let mut edit = edit.clone();
    let blend = &mut edit.settings.root.blend;
    let mut moved = None;
    for (secs, shape, word, name) in [
        (
            &mut blend.start_secs,
            method.start,
            "Root blend, start",
            "Root blend at the start",
        ),
        (
            &mut blend.end_secs,
            method.end,
            "Root blend, end",
            "Root blend at the end",
        ),
    ] {
        let mut now = secs.unwrap_or(shape.secs());
        let setting = Setting {
            word,
            name,
            range: 0.02..=2.0,
            is_logarithmic: true,
            suffix: " s",
            default: Some(shape.secs()),
        };
        let response = setting_ui(ui, &mut now, &setting);
        if response.changed() || response.drag_stopped() {
            *secs = Some(now);
            moved = Some(response);
        }
    }
    let mut share = blend.share.unwrap_or(method.shares.sigma);
    let setting = Setting {
        word: "Share of the start",
        name: "Root share of the start",
        range: 0.0..=1.0,
        is_logarithmic: false,
        suffix: "",
        default: Some(method.shares.sigma),
    };
    let response = setting_ui(ui, &mut share, &setting);
    if response.changed() || response.drag_stopped() {
        blend.share = Some(share);
        moved = Some(response);
    }
    if let Some(response) = moved {
        model.ask_all(edit_by(&response, edit));
    }
}

/// Below this speed a root stands, metres per second.
const LEAST_MPS: f64 = 0.005;

/// Below this rate it does not turn, radians per second (a hundredth of a degree).
const LEAST_TURN_RATE: f64 = 1.7e-4;

fn meaning(mode: RootMode) -> &'static str {
    match mode {
        RootMode::Constant => "One constant velocity and turn rate.",
        RootMode::Linear => "Straight ahead at a constant velocity, without turning.",
        RootMode::InPlace => "The root stays; the engine moves it.",
        RootMode::Keep => "It stays on the joint that carried it in the take.",
        RootMode::Path => "The root follows the smoothed path of the hips.",
        RootMode::Inertialized => "As captured; its velocities meet at the seam.",
        RootMode::Stationary => "None: the body is brought back to its start.",
    }
}
