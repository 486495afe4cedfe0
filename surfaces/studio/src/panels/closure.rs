//! How the seam is closed: the method, its times at both ends, and what each end takes of the gap.

use eframe::egui::{Button, Response, Role, Ui, WidgetInfo};
use loopwright_core::closure::{ClosureName, Method, Order, Parameter, Preset, SeamMotion, Shape, ShapeKey, Shares};
use loopwright_core::unit::Unit;
use loopwright_job::Decision;

use super::settings::{Setting, choice_ui, setting_ui};
use super::{edit_by, final_edit};
use crate::model::{Action, Edit, Model};

/// Seconds that the slider of a crossfade reaches.
const CROSSFADE_SECS: [f64; 2] = [0.01, 1.5];

pub(crate) fn closure_ui(ui: &mut Ui, model: &Model) {
    let Some(edit) = model.edit() else { return };
    let name = edit.closure();
    presets_ui(ui, edit, model);
    choice_ui(ui, "Method", name.as_str(), |ui| {
        for &other in ClosureName::OF_BODIES {
            if ui.selectable_label(other == name, other.as_str()).clicked() {
                model.ask(Action::CloseBy(other));
            }
        }
    });
    ui.weak(name.help());
    match model.made().and_then(|made| made.done.decision.as_ref()) {
        Some(Decision::Closure(tried)) => {
            let [method, _] = tried.method.names();
            ui.label(format!(
                "Chosen: {method} over {:.2} s, of {} tried",
                tried.method.secs()[0],
                tried.tried
            ));
        }
        Some(instead) => {
            ui.label(format!("Note: {instead}"));
        }
        None => {}
    }
    let method = edit.settings.closure.method;
    if name != ClosureName::Auto {
        times_ui(ui, edit, &method, model);
    }
    shares_ui(ui, edit, &method, model);
    order_ui(ui, edit, &method, model);
    let clamps = model
        .made()
        .map(|made| made.done.made.closed.clamps.as_slice())
        .unwrap_or_default();
    for clamp in clamps {
        ui.weak(format!("Note: {clamp}"));
    }
}

/// The methods of the article, by its names; the one that is set is marked.
fn presets_ui(ui: &mut Ui, edit: &Edit, model: &Model) {
    let closure = &edit.settings.closure;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for preset in Preset::ALL {
            let is_set =
                !edit.tries_closures && closure.motion == SeamMotion::Central && closure.method == preset.method();
            let response = ui.add(Button::selectable(is_set, preset.as_str()).frame_when_inactive(true));
            response.widget_info(|| {
                WidgetInfo::selected(Role::Button, true, is_set, format!("Preset {}", preset.as_str()))
            });
            if response.on_hover_text(what(preset)).clicked() {
                model.ask(final_edit(edit.with(|edit| {
                    edit.tries_closures = false;
                    edit.settings.closure.method = preset.method();
                    edit.settings.closure.motion = SeamMotion::Central;
                })));
            }
        }
    });
}

fn what(preset: Preset) -> &'static str {
    match preset {
        Preset::Start => "A spring at the start takes the whole gap",
        Preset::End => "A spring at the end takes the whole gap",
        Preset::Both => "A spring at either end takes half of the gap",
        Preset::Cubic => "Cubics at both ends",
        Preset::Linear => "The gap spread evenly over the loop, its velocity faded by cubics",
        Preset::LinearWithKink => {
            "The gap spread evenly over the loop and nothing else, to compare with: the seam is a kink"
        }
        Preset::SoftFade => "Soft ramps at both ends",
    }
}

/// A change of the method by a widget.
fn by(response: &Response, edit: &Edit, method: Method) -> Option<Action> {
    edit_by(response, edit.with(|edit| edit.settings.closure.method = method))
}

/// All times of a method, those of both ends at once.
fn times_ui(ui: &mut Ui, edit: &Edit, method: &Method, model: &Model) {
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
        let method = Method {
            crossfade_secs,
            ..*method
        };
        model.ask_all(by(&response, edit, method));
        return;
    }
    let mut apart = method.start != method.end;
    let (mut start, mut end) = (method.start, method.end);
    let at_start = shape_ui(ui, &mut start, "start");
    let at_end = shape_ui(ui, &mut end, "end");
    if !apart {
        match &at_end {
            Some(_) => start = end,
            None => end = start,
        }
    }
    if let Some(mut response) = at_start.or(at_end) {
        response.mark_changed();
        model.ask_all(by(&response, edit, Method { start, end, ..*method }));
    }
    let response = ui.checkbox(&mut apart, "Times of both ends apart");
    if response.changed() {
        // Equal times would be one setting again, so the end starts a little shorter.
        let start = method.start;
        let end = if apart {
            start.with(ShapeKey::Blend, 0.8 * start.secs())
        } else {
            start
        };
        model.ask_all(by(&response, edit, Method { end, ..*method }));
    }
    let parameters = method.start.kind().descriptor().parameters.iter();
    for parameter in parameters.filter(|parameter| parameter.default.is_none()) {
        optional_ui(ui, edit, method, parameter, model);
    }
}

/// Whether a parameter that may be absent is there; it starts from the leading time.
fn optional_ui(ui: &mut Ui, edit: &Edit, method: &Method, parameter: &Parameter, model: &Model) {
    let mut is_there = method.start.get(parameter.key).is_some();
    let response = ui.checkbox(&mut is_there, format!("{} apart", parameter.label));
    let [start, end] =
        [method.start, method.end].map(|shape| shape.with(parameter.key, is_there.then(|| shape.secs())));
    model.ask_all(by(&response, edit, Method { start, end, ..*method }));
}

/// The sliders of a shape; the one that was moved.
fn shape_ui(ui: &mut Ui, shape: &mut Shape, end: &str) -> Option<Response> {
    let mut moved = None;
    let default = Shape::from_given(shape.kind(), |_| None);
    for (parameter, mut value) in shape.values() {
        // The word has less room than the name.
        let label = match parameter.key {
            ShapeKey::VelocityBlend => "Velocity",
            _ => parameter.label,
        };
        let setting = Setting {
            word: &format!("{label}, {end}"),
            name: &format!("{} at the {end}", parameter.label),
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

fn shares_ui(ui: &mut Ui, edit: &Edit, method: &Method, model: &Model) {
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
    let shares = Shares::all(share);
    model.ask_all(by(&response, edit, Method { shares, ..*method }));
}

fn order_ui(ui: &mut Ui, edit: &Edit, method: &Method, model: &Model) {
    let mut meets = method.order == Order::C2;
    let response = ui
        .checkbox(&mut meets, "Acceleration meets too")
        .on_hover_text("where the method carries it");
    let order = if meets { Order::C2 } else { Order::C1 };
    model.ask_all(by(&response, edit, Method { order, ..*method }));

    let mut is_layered = edit.settings.closure.motion == SeamMotion::Layered;
    let response = ui.checkbox(&mut is_layered, "Keep the noise of the capture at the seam");
    let motion = if is_layered {
        SeamMotion::Layered
    } else {
        SeamMotion::Central
    };
    model.ask_all(edit_by(
        &response,
        edit.with(|edit| edit.settings.closure.motion = motion),
    ));
}
