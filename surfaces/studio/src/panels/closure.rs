//! How the seam is closed: the method, its times at both ends, and each end's share of the gap.

use eframe::egui::{Button, Id, Response, Role, Stroke, Ui, WidgetInfo, pos2, vec2};
use loopwright_core::{
    closure::{ClosureName, Method, Order, Preset, SeamMotion, Shape, ShapeKind, Shares},
    math::ops,
    unit::Unit,
};
use loopwright_job::Decision;

use super::{
    ask_edit, edit_by,
    settings::{Setting, pick_ui, setting_ui},
    weak_line_ui,
};
use crate::{
    line,
    model::{Action, Edit, Model},
};

/// Range of the slider of a crossfade, seconds.
const CROSSFADE_SECS: [f64; 2] = [0.01, 1.5];

/// Width of the curve of a method, points, and its number of steps over the loop.
const CURVE_POINTS: f32 = 44.0;
const CURVE_STEPS: u32 = 32;

pub fn closure_ui(ui: &mut Ui, model: &Model) {
    let Some(edit) = model.edit() else { return };
    let name = edit.closure();
    presets_ui(ui, edit, model);
    if let Some(name) = pick_ui(
        ui,
        "Method",
        name,
        ClosureName::OF_BODIES.iter().copied(),
        ClosureName::as_str,
    ) {
        ui.data_mut(|data| data.remove::<bool>(Id::unique(APART)));
        model.ask(Action::CloseBy(name));
    }
    ui.weak(name.help());
    match model.made().and_then(|made| made.done.decision.as_ref()) {
        Some(Decision::Closure(tried)) => {
            let [method, _] = tried.method.names();
            let secs = tried.method.secs()[0];
            ui.label(format!("Chosen: {method} over {secs:.2} s, of {} tried", tried.tried));
        }
        Some(instead) => {
            ui.label(format!("Note: {instead}"));
        }
        None => {}
    }
    let method = edit.settings.closure.method;
    if name != ClosureName::Auto {
        times_ui(ui, &method, model);
    }
    let mut share = method.shares.rho;
    let setting = Setting {
        word: "Share of the start",
        name: "Share of the start",
        range: 0.0..=1.0,
        is_logarithmic: false,
        suffix: "",
        default: Some(Shares::EVEN.rho),
    };
    let response = setting_ui(ui, &mut share, &setting)
        .on_hover_text("1: the start moves to the end; 0: the end moves to the start");
    edit_by(model, &response, |edit| {
        edit.settings.closure.method.shares = Shares::all(share);
    });
    order_ui(ui, edit, model);
    let made = model.made().map(|made| made.done.made.closed.clamps.as_slice());
    for clamp in made.unwrap_or_default() {
        ui.weak(format!("Note: {clamp}"));
    }
}

/// Shows the methods of the article by name, each with its curve and its meaning; the present one is marked.
fn presets_ui(ui: &mut Ui, edit: &Edit, model: &Model) {
    let closure = &edit.settings.closure;
    for preset in Preset::ALL {
        let is_central = !edit.tries_closures && closure.motion == SeamMotion::Central;
        let is_set = is_central && closure.method == preset.method();
        ui.horizontal(|ui| {
            curve_ui(ui, &preset.method(), is_set);
            let response = ui.add(Button::selectable(is_set, preset.as_str()).frame_when_inactive(true));
            let name = format!("Preset {}", preset.as_str());
            response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_set, &name));
            if response.on_hover_text(what(preset)).clicked() {
                ui.data_mut(|data| data.remove::<bool>(Id::unique(APART)));
                ask_edit(model, true, |edit| *edit = edit.closed_as(preset));
            }
            weak_line_ui(ui, what(preset));
        });
    }
}

/// Draws the correction that a method adds over a loop, from start to end: the gap lies between the two ends of the curve.
fn curve_ui(ui: &mut Ui, method: &Method, is_set: bool) {
    let (rect, _) = ui.allocate_exact_size(
        vec2(CURVE_POINTS, ui.spacing().interact_size.y),
        eframe::egui::Sense::hover(),
    );
    let rect = rect.shrink(4.0);
    let points = (0..=CURVE_STEPS).map(|step| {
        let share = f64::from(step) / f64::from(CURVE_STEPS);
        let rho = method.shares.rho;
        let offset = rho * faded(method.start, share) - (1.0 - rho) * faded(method.end, 1.0 - share);
        pos2(
            rect.left() + rect.width() * share as f32,
            rect.center().y - 0.5 * rect.height() * offset as f32,
        )
    });
    let colours = crate::theme::of(ui);
    let colour = if is_set { colours.accent } else { colours.weak };
    ui.painter()
        .hline(rect.x_range(), rect.center().y, Stroke::new(1.0, colours.line));
    ui.painter()
        .add(line::through(points.collect(), Stroke::new(1.5, colour)));
}

/// Approximate share of an offset that a shape leaves at a share of a loop of one second.
fn faded(shape: Shape, share: f64) -> f64 {
    let soft = |share: f64| {
        let left = 1.0 - share.min(1.0);
        left * left * (3.0 - 2.0 * left)
    };
    match shape.kind() {
        ShapeKind::Spring => (1.0 + 10.0 * share) * ops::exp(-10.0 * share),
        ShapeKind::Linear => 1.0 - share,
        ShapeKind::SoftFade => soft(share),
        _ => soft(share / shape.secs()),
    }
}

fn what(preset: Preset) -> &'static str {
    match preset {
        Preset::Start => "A spring at the start takes the whole gap",
        Preset::End => "A spring at the end takes the whole gap",
        Preset::Both => "A spring at either end takes half of the gap",
        Preset::Cubic => "Cubics at both ends",
        Preset::Linear => "The gap spread evenly, velocities faded by cubics",
        Preset::LinearWithKink => "The gap spread evenly, velocities left apart: a kink, to compare with",
        Preset::SoftFade => "Soft ramps at both ends",
    }
}

/// Key that stores whether equal times are shown apart.
const APART: &str = "times apart";

/// Shows all times of a method, for both ends together or apart.
fn times_ui(ui: &mut Ui, method: &Method, model: &Model) {
    let by = |response: &Response, method: Method| {
        edit_by(model, response, |edit| edit.settings.closure.method = method);
    };
    if let Some(mut secs) = method.crossfade_secs {
        let [low, high] = CROSSFADE_SECS;
        let setting = Setting {
            word: "Crossfade",
            name: "Crossfade",
            range: low..=high,
            is_logarithmic: true,
            suffix: Unit::Secs.suffix(),
            default: ClosureName::Crossfade.shape(|_| None).map(Shape::secs),
        };
        let response = setting_ui(ui, &mut secs, &setting);
        let crossfade_secs = Some(secs);
        by(
            &response,
            Method {
                crossfade_secs,
                ..*method
            },
        );
        return;
    }
    let is_kink = method.order == Order::C0;
    // Showing equal times apart changes none of them.
    let id = Id::unique(APART);
    let is_wanted = ui.data(|data| data.get_temp(id)).unwrap_or(false);
    let mut apart = is_wanted || method.start != method.end;
    let mut changed = *method;
    let moved = if apart {
        shape_ui(ui, &mut changed.start, " at the start", is_kink).or(shape_ui(
            ui,
            &mut changed.end,
            " at the end",
            is_kink,
        ))
    } else {
        let moved = shape_ui(ui, &mut changed.start, "", is_kink);
        changed.end = changed.start;
        moved
    };
    if let Some(mut moved) = moved {
        moved.mark_changed();
        by(&moved, changed);
    }
    let response = ui.checkbox(&mut apart, "Times of both ends apart");
    if response.changed() {
        ui.data_mut(|data| data.insert_temp(id, apart));
        let end = if apart { method.end } else { method.start };
        by(&response, Method { end, ..*method });
    }
    let parameters = method.start.kind().descriptor().parameters.iter();
    for parameter in parameters.filter(|parameter| parameter.default.is_none()) {
        // It starts from the leading time.
        let mut is_there = method.start.get(parameter.key).is_some();
        let response = ui.checkbox(&mut is_there, format!("{} apart", parameter.label));
        let [start, end] =
            [method.start, method.end].map(|shape| shape.with(parameter.key, is_there.then(|| shape.secs())));
        by(&response, Method { start, end, ..*method });
    }
}

/// Shows the sliders of a shape; returns the one that was moved. The velocities of a kink do not fade.
fn shape_ui(ui: &mut Ui, shape: &mut Shape, end: &str, is_kink: bool) -> Option<Response> {
    let mut moved = None;
    let default = Shape::from_given(shape.kind(), |_| None);
    for (parameter, mut value) in shape.values() {
        let is_of_velocity = parameter.label.ends_with("velocity");
        if is_of_velocity && is_kink {
            continue;
        }
        // The label has less room than the name.
        let label = if is_of_velocity { "Velocity" } else { parameter.label };
        let word = match end.rsplit(' ').next() {
            Some(end) if !end.is_empty() => format!("{label}, {end}"),
            _ => label.to_owned(),
        };
        let setting = Setting {
            word: &word,
            name: &format!("{}{end}", parameter.label),
            range: parameter.range.clone(),
            is_logarithmic: true,
            suffix: parameter.unit.suffix(),
            default: default.get(parameter.key),
        };
        let response = setting_ui(ui, &mut value, &setting);
        *shape = shape.with(parameter.key, value);
        if response.changed() || response.drag_stopped() {
            moved = Some(response);
        }
    }
    moved
}

/// Shows which derivatives meet at the seam, and whether the noise of the capture is kept there.
fn order_ui(ui: &mut Ui, edit: &Edit, model: &Model) {
    let closure = &edit.settings.closure;
    if let Some(order) = pick_ui(
        ui,
        "What meets",
        closure.method.order,
        [Order::C0, Order::C1, Order::C2],
        |order| match order {
            Order::C0 => "poses (C0)",
            Order::C1 => "and velocities (C1)",
            Order::C2 => "and accelerations (C2)",
        },
    ) {
        ask_edit(model, true, |edit| edit.settings.closure.method.order = order);
    }
    let mut is_layered = closure.motion == SeamMotion::Layered;
    let response = ui.checkbox(&mut is_layered, "Keep the noise of the capture at the seam");
    let motion = [SeamMotion::Central, SeamMotion::Layered][usize::from(is_layered)];
    edit_by(model, &response, |edit| edit.settings.closure.motion = motion);
}
