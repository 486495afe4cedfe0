//! How the seam is closed: the method, its times at both ends, and what each end takes of the gap.

use std::ops::RangeInclusive;

use eframe::egui::{self, Slider, SliderClamping, Ui};
use loopwright::closure::{ClosureName, Method, Order, Parameter, Preset, SeamMotion, Shape, ShapeKey, Shares};
use loopwright::unit::Unit;
use loopwright_job::Decision;

use super::{edit_by, final_edit};
use crate::focus::named;
use crate::model::{Action, Edit, Model};

/// Seconds that the slider of a crossfade reaches.
const CROSSFADE_SECS: RangeInclusive<f64> = 0.01..=1.5;

pub(crate) fn closure_ui(ui: &mut Ui, model: &Model, actions: &mut Vec<Action>) {
    let Some(edit) = model.edit() else { return };
    let name = edit.closure();
    let list = egui::ComboBox::from_label("Method")
        .selected_text(name.as_str())
        .show_ui(ui, |ui| {
            for &other in ClosureName::OF_BODIES {
                if ui.selectable_label(other == name, other.as_str()).clicked() {
                    actions.push(Action::CloseBy(other));
                }
            }
        });
    named(list.response, "Method");
    ui.weak(name.help());
    ui.menu_button("Presets of the article", |ui| {
        for preset in Preset::ALL {
            if ui.button(preset.as_str()).clicked() {
                let mut edit = with(edit, preset.method());
                edit.tries_closures = false;
                edit.settings.closure.motion = SeamMotion::Central;
                actions.push(final_edit(edit));
            }
        }
    });
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
        times_ui(ui, edit, &method, actions);
    }
    shares_ui(ui, edit, &method, actions);
    order_ui(ui, edit, &method, actions);
    let clamps = model
        .made()
        .map(|made| made.done.made.closed.clamps.as_slice())
        .unwrap_or_default();
    for clamp in clamps {
        ui.weak(format!("Note: {clamp}"));
    }
}

fn with(edit: &Edit, method: Method) -> Edit {
    let mut edit = edit.clone();
    edit.settings.closure.method = method;
    edit
}

fn times_ui(ui: &mut Ui, edit: &Edit, method: &Method, actions: &mut Vec<Action>) {
    if let Some(mut secs) = method.crossfade_secs {
        let slider = slider(&mut secs, CROSSFADE_SECS, Unit::Secs).text("Crossfade");
        let response = named(ui.add(slider), "Crossfade");
        let crossfade_secs = Some(secs);
        let method = Method {
            crossfade_secs,
            ..*method
        };
        actions.extend(edit_by(&response, with(edit, method)));
        return;
    }
    let is_one = method.start == method.end;
    let (mut start, mut end) = (method.start, method.end);
    let moved = if is_one {
        let moved = shape_ui(ui, &mut start, "");
        end = start;
        moved
    } else {
        let at_start = shape_ui(ui, &mut start, " at the start");
        let at_end = shape_ui(ui, &mut end, " at the end");
        at_start.or(at_end)
    };
    if let Some(mut response) = moved {
        response.mark_changed();
        actions.extend(edit_by(&response, with(edit, Method { start, end, ..*method })));
    }
    let mut apart = !is_one;
    let response = ui.checkbox(&mut apart, "Times of both ends apart");
    if response.changed() {
        // Apart, one end starts a little shorter: equal ones are one setting.
        let start = method.start;
        let end = if apart {
            start.with(ShapeKey::Blend, 0.8 * start.secs())
        } else {
            start
        };
        actions.extend(edit_by(&response, with(edit, Method { end, ..*method })));
    }
    let parameters = method.start.kind().descriptor().parameters.iter();
    for parameter in parameters.filter(|parameter| parameter.default.is_none()) {
        optional_ui(ui, edit, method, parameter, actions);
    }
}

/// Whether a parameter that may be absent is there; it starts from the leading time.
fn optional_ui(ui: &mut Ui, edit: &Edit, method: &Method, parameter: &Parameter, actions: &mut Vec<Action>) {
    let mut is_there = method.start.get(parameter.key).is_some();
    let response = ui.checkbox(&mut is_there, format!("{} apart", parameter.label));
    let other = |shape: Shape| shape.with(parameter.key, is_there.then(|| shape.secs()));
    let (start, end) = (other(method.start), other(method.end));
    actions.extend(edit_by(&response, with(edit, Method { start, end, ..*method })));
}

/// The sliders of a shape; the one that was moved.
fn shape_ui(ui: &mut Ui, shape: &mut Shape, end: &str) -> Option<egui::Response> {
    let mut moved = None;
    for (parameter, mut value) in shape.values() {
        let slider = slider(&mut value, parameter.range.clone(), parameter.unit);
        let name = format!("{}{end}", parameter.label);
        let response = named(ui.add(slider.text(&name)), &name);
        *shape = shape.with(parameter.key, value);
        if response.changed() || response.drag_stopped() {
            moved = Some(response);
        }
    }
    moved
}

fn slider(value: &mut f64, range: RangeInclusive<f64>, unit: Unit) -> Slider<'_> {
    Slider::new(value, range)
        .logarithmic(true)
        .suffix(unit.suffix())
        .custom_formatter(three_digits)
        .clamping(SliderClamping::Edits)
}

fn shares_ui(ui: &mut Ui, edit: &Edit, method: &Method, actions: &mut Vec<Action>) {
    let mut share = method.shares.rho;
    let slider = Slider::new(&mut share, 0.0..=1.0)
        .custom_formatter(three_digits)
        .clamping(SliderClamping::Edits)
        .text("Share of the start");
    let response = named(ui.add(slider), "Share of the start");
    let response = response.on_hover_text("1: the start moves to the end; 0: the end moves to the start");
    let shares = Shares::all(share);
    actions.extend(edit_by(&response, with(edit, Method { shares, ..*method })));
}

fn order_ui(ui: &mut Ui, edit: &Edit, method: &Method, actions: &mut Vec<Action>) {
    let mut meets = method.order == Order::C2;
    let response = ui
        .checkbox(&mut meets, "Acceleration meets too")
        .on_hover_text("where the method carries it");
    let order = if meets { Order::C2 } else { Order::C1 };
    actions.extend(edit_by(&response, with(edit, Method { order, ..*method })));

    let mut is_layered = edit.settings.closure.motion == SeamMotion::Layered;
    let response = ui.checkbox(&mut is_layered, "Keep the noise of the capture at the seam");
    let mut edit = edit.clone();
    edit.settings.closure.motion = match is_layered {
        true => SeamMotion::Layered,
        false => SeamMotion::Central,
    };
    actions.extend(edit_by(&response, edit));
}

/// A number as it is shown. Limits of digits of a slider would round the setting itself, untouched.
fn three_digits(value: f64, _digits: RangeInclusive<usize>) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
