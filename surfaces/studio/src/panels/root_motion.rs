//! The mode of root motion, and its constants.

use eframe::egui::{self, Ui};
use loopwright_core::RootMode;

use super::{
    ask_edit, edit_by, row_ui,
    settings::{Setting, choice_ui, setting_ui},
    turning,
};
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
            if ui
                .selectable_label(other == mode, other.as_str())
                .on_hover_text(meaning(other))
                .clicked()
            {
                ask_edit(model, true, |edit| edit.settings.root.mode = other);
            }
        }
    });
    ui.weak(meaning(mode));
    if mode == RootMode::Inertialized {
        blend_ui(ui, edit, model);
    }
    let mut recenters = edit.settings.root.recenter;
    edit_by(
        model,
        &ui.checkbox(&mut recenters, "Start at the origin, facing ahead"),
        |edit| edit.settings.root.recenter = recenters,
    );
    let Some(made) = model.made() else { return };
    let twist = made.clip().root().twist;
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
    let mut blend = edit.settings.root.blend;
    let rows = [
        (
            &mut blend.start_secs,
            method.start.secs(),
            "Root blend, start",
            "Root blend at the start",
        ),
        (
            &mut blend.end_secs,
            method.end.secs(),
            "Root blend, end",
            "Root blend at the end",
        ),
        (
            &mut blend.share,
            method.shares.sigma,
            "Share of the start",
            "Root share of the start",
        ),
    ];
    let mut moved = None;
    for (number, (value, default, word, name)) in rows.into_iter().enumerate() {
        let is_share = number == 2;
        let mut now = value.unwrap_or(default);
        let setting = Setting {
            word,
            name,
            range: if is_share { 0.0..=1.0 } else { 0.02..=2.0 },
            is_logarithmic: !is_share,
            suffix: if is_share { "" } else { " s" },
            default: Some(default),
        };
        let response = setting_ui(ui, &mut now, &setting);
        if response.changed() || response.drag_stopped() {
            *value = Some(now);
            moved = Some(response);
        }
    }
    if let Some(response) = moved {
        edit_by(model, &response, |edit| edit.settings.root.blend = blend);
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
