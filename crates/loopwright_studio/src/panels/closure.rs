//! How the seam is closed: the method, its times at both ends, and what each end takes of the gap.

use eframe::egui::{self, Slider, SliderClamping, Ui};
use loopwright::closure::{ClosureName, Method, Order, SeamMotion, Shape, Shares};
use loopwright_job::Decision;

use super::edit_by;
use crate::model::{Action, Edit, Model};

/// Times that sliders reach, seconds: shorter blends jerk, longer ones bend the whole loop.
const SECS: std::ops::RangeInclusive<f64> = 0.01..=1.5;

/// Hardness that the slider reaches: from nearly straight to nearly a corner.
const HARDNESS: std::ops::RangeInclusive<f64> = 0.5..=50.0;

pub(crate) fn closure_ui(ui: &mut Ui, model: &Model, actions: &mut Vec<Action>) {
    let Some(edit) = model.edit() else {
        return;
    };
    let name = edit.closure();
    egui::ComboBox::from_label("Method")
        .selected_text(word(name))
        .show_ui(ui, |ui| {
            for other in ClosureName::OF_BODIES {
                if ui.selectable_label(other == name, word(other)).clicked() {
                    actions.push(Action::CloseBy(other));
                }
            }
        });
    ui.weak(meaning(name));
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

/// The choices with that method.
fn with(edit: &Edit, method: Method) -> Edit {
    let mut edit = edit.clone();
    edit.settings.closure.method = method;
    edit
}

fn times_ui(ui: &mut Ui, edit: &Edit, method: &Method, actions: &mut Vec<Action>) {
    let slider = |secs| {
        Slider::new(secs, SECS)
            .logarithmic(true)
            .suffix(" s")
            .custom_formatter(three_digits)
            .clamping(SliderClamping::Edits)
    };
    if let Some(mut secs) = method.crossfade_secs {
        let response = ui.add(slider(&mut secs).text("Crossfade"));
        let crossfade_secs = Some(secs);
        actions.extend(edit_by(
            &response,
            with(
                edit,
                Method {
                    crossfade_secs,
                    ..*method
                },
            ),
        ));
        return;
    }
    let lead = match method.start {
        Shape::Spring { .. } | Shape::TwoSprings { .. } => "Half-life",
        Shape::SoftFade { .. } => "Duration",
        Shape::Linear { .. } | Shape::Adjustment { .. } => "Blend of the velocity",
        _ => "Blend time",
    };
    let is_one = method.start == method.end;
    let mut apart = !is_one;
    if is_one {
        let mut shape = method.start;
        if let Some(mut response) = shape_ui(ui, &mut shape, lead, "") {
            response.mark_changed();
            let both = Method {
                start: shape,
                end: shape,
                ..*method
            };
            actions.extend(edit_by(&response, with(edit, both)));
        }
    } else {
        let (mut start, mut end) = (method.start, method.end);
        let at_start = shape_ui(ui, &mut start, lead, " at the start");
        let at_end = shape_ui(ui, &mut end, lead, " at the end");
        if let Some(mut response) = at_start.or(at_end) {
            response.mark_changed();
            actions.extend(edit_by(&response, with(edit, Method { start, end, ..*method })));
        }
    }
    let response = ui.checkbox(&mut apart, "Times of both ends apart");
    if response.changed() {
        // Apart, one end starts a little shorter: equal ones are one setting.
        let end = match apart {
            true => scaled(method.start, 0.8),
            false => method.start,
        };
        actions.extend(edit_by(&response, with(edit, Method { end, ..*method })));
    }
    velocity_ui(ui, edit, method, actions);
}

/// Whether the velocity of a spring fades by a half-life of its own.
fn velocity_ui(ui: &mut Ui, edit: &Edit, method: &Method, actions: &mut Vec<Action>) {
    let mut is_apart = match method.start {
        Shape::Spring { .. } => false,
        Shape::TwoSprings { .. } => true,
        _ => return,
    };
    let response = ui.checkbox(&mut is_apart, "A half-life of its own for the velocity");
    let other = |shape: Shape| match shape {
        Shape::Spring { half_life_secs } => Shape::TwoSprings {
            half_life_secs,
            velocity_half_life_secs: half_life_secs,
        },
        Shape::TwoSprings { half_life_secs, .. } => Shape::Spring { half_life_secs },
        other => other,
    };
    let (start, end) = (other(method.start), other(method.end));
    actions.extend(edit_by(&response, with(edit, Method { start, end, ..*method })));
}

/// The same shape with its leading time shorter by a factor.
fn scaled(mut shape: Shape, factor: f64) -> Shape {
    let [lead, ..] = times_of(&mut shape);
    if let Some(lead) = lead {
        *lead *= factor;
    }
    shape
}

/// The leading time, the blend of the velocity, and the hardness of a shape.
fn times_of(shape: &mut Shape) -> [Option<&mut f64>; 3] {
    match shape {
        Shape::Quintic { blend_secs }
        | Shape::Cubic { blend_secs }
        | Shape::Least { blend_secs }
        | Shape::Linear { blend_secs }
        | Shape::Adjustment { blend_secs } => [Some(blend_secs), None, None],
        Shape::Spring { half_life_secs } => [Some(half_life_secs), None, None],
        Shape::TwoSprings {
            half_life_secs,
            velocity_half_life_secs,
        } => [Some(half_life_secs), Some(velocity_half_life_secs), None],
        Shape::SoftFade {
            duration_secs,
            hardness,
            blend_secs,
        } => [Some(duration_secs), Some(blend_secs), Some(hardness)],
        // Shapes of later versions of the library keep their settings.
        _ => [None, None, None],
    }
}

/// The sliders of a shape; the one that was moved.
fn shape_ui(ui: &mut Ui, shape: &mut Shape, lead: &str, end: &str) -> Option<egui::Response> {
    let velocity = match shape {
        Shape::TwoSprings { .. } => "Half-life of the velocity",
        _ => "Blend of the velocity",
    };
    let names = [lead, velocity, "Hardness"];
    let mut moved = None;
    for ((value, name), range) in times_of(shape).into_iter().zip(names).zip([SECS, SECS, HARDNESS]) {
        let Some(value) = value else {
            continue;
        };
        let unit = if range == HARDNESS { "" } else { " s" };
        let slider = Slider::new(value, range)
            .logarithmic(true)
            .suffix(unit)
            .custom_formatter(three_digits)
            .clamping(SliderClamping::Edits);
        let response = ui.add(slider.text(format!("{name}{end}")));
        if response.changed() || response.drag_stopped() {
            moved = Some(response);
        }
    }
    moved
}

fn shares_ui(ui: &mut Ui, edit: &Edit, method: &Method, actions: &mut Vec<Action>) {
    let mut share = method.shares.rho;
    let slider = Slider::new(&mut share, 0.0..=1.0)
        .custom_formatter(three_digits)
        .clamping(SliderClamping::Edits)
        .text("Share of the start");
    let response = ui
        .add(slider)
        .on_hover_text("1: the start moves to the end; 0: the end moves to the start");
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

/// The name of a method for readers.
pub(super) fn word(name: ClosureName) -> &'static str {
    match name {
        ClosureName::Auto => "auto: try several",
        ClosureName::SoftFade => "soft fade",
        other => other.as_str(),
    }
}

fn meaning(name: ClosureName) -> &'static str {
    match name {
        ClosureName::Auto => "Tries a grid of methods and keeps the least visible.",
        ClosureName::Quintic => "Pose, velocity and acceleration meet; nothing changes beyond the blend time.",
        ClosureName::Cubic => "Pose and velocity meet; nothing changes beyond the blend time.",
        ClosureName::Spring => "Offsets fade as a critically damped spring.",
        ClosureName::Least => "Of all offsets that meet, the least.",
        ClosureName::Linear => "The pose fades over the whole clip, the velocity near the seam.",
        ClosureName::SoftFade => "The pose fades in a line that levels off softly.",
        ClosureName::Adjustment => "Joints take their offset while they move.",
        ClosureName::Crossfade => "The clip blends into the take's frames beyond the other end.",
        ClosureName::Open => "The seam keeps its jump.",
    }
}

/// A number as it is shown. Limits of digits of a slider would round the setting itself, untouched.
fn three_digits(value: f64, _digits: std::ops::RangeInclusive<usize>) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
