//! Loops that are blended: which, their phases as a ring, and a slider for the speed of the blend.

use core::f32::consts::TAU;

use eframe::egui::{Align2, Color32, FontId, Pos2, Role, Sense, Shape, Slider, Stroke, Ui, vec2};

use crate::focus::{self, named};
use crate::model::{Action, LoopSet, Model, Shown};

/// Side of the ring, points.
const RING: f32 = 150.0;

/// Room for the ring of a foot, points.
const FOOT_POINTS: f32 = 5.0;

pub(crate) fn set_ui(ui: &mut Ui, model: &Model) {
    let set = model.set();
    for (index, each) in set.loops().iter().enumerate() {
        ui.horizontal_wrapped(|ui| {
            ui.label(format!("{}. {}", index + 1, each.name));
            if let Some(weight) = set.weights().get(index) {
                ui.weak(format!("{:.0}%", 1e2 * weight));
            }
            if ui.button(format!("Take {} out", index + 1)).clicked() {
                model.ask(Action::RemoveFromSet(index));
            }
        });
    }
    let is_made = model.finished().is_some();
    let add = eframe::egui::Button::new("Put this loop into the set");
    if ui.add_enabled(is_made, add).clicked() {
        model.ask(Action::AddToSet);
    }
    if let Some(problem) = set.problem() {
        ui.colored_label(ui.visuals().warn_fg_color, format!("They cannot be blended: {problem}"));
    }
    match set.speeds().filter(|_| set.mixed().is_some()) {
        Some([slowest, fastest]) => {
            let mut speed = set.speed();
            let slider = Slider::new(&mut speed, slowest..=fastest.max(slowest + 1e-9))
                .suffix(" m/s")
                .fixed_decimals(2)
                .text("Speed of the blend");
            if named(ui.add(slider), "Speed of the blend").changed() {
                model.ask(Action::Mix(speed));
            }
            let is_shown = model.shown() == Shown::Blend;
            if ui.selectable_label(is_shown, "Show the blend").clicked() {
                model.ask(if is_shown {
                    Action::Show(Shown::Loop)
                } else {
                    Action::Mix(speed)
                });
            }
            ring_ui(ui, set, model);
            ui.weak("Rings: when feet are planted in each loop, in phase; the first loop is the outermost.");
            ui.weak("`loopwright blend` writes it, with its feet locked.");
        }
        None => {
            ui.weak("Two loops of one skeleton, such as a walk and a run, blend into every speed between.");
        }
    }
}

fn ring_ui(ui: &mut Ui, set: &LoopSet, model: &Model) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), RING), Sense::hover());
    focus::label(&response, Role::Image, "Phases of the loops of the set");
    let painter = ui.painter_at(rect);
    let centre = rect.center();
    // The start of the first loop is at the top; time goes clockwise.
    let at = |phase: f32, radius: f32| -> Pos2 {
        let angle = TAU * phase;
        centre + radius * vec2(angle.sin(), -angle.cos())
    };
    let tokens = crate::theme::of(ui);
    let feet = [tokens.left, tokens.right];
    let mut radius = 0.5 * RING - 6.0;
    for (each, &phase) in set.loops().iter().zip(set.phases()) {
        for (foot, colour) in feet.into_iter().enumerate() {
            painter.circle_stroke(centre, radius, Stroke::new(0.5, ui.visuals().weak_text_color()));
            for (_, [from, to]) in each.stances.iter().filter(|(of, _)| *of == foot) {
                const PIECES: usize = 24;
                let arc = (0..=PIECES).map(|piece| {
                    let share = from + (to - from) * piece as f64 / PIECES as f64;
                    at((share - phase) as f32, radius)
                });
                painter.add(Shape::line(arc.collect(), Stroke::new(3.0, colour)));
            }
            radius -= FOOT_POINTS;
        }
        radius -= 0.5 * FOOT_POINTS;
    }
    if model.shown() == Shown::Blend {
        let span = model.span_secs().max(f64::MIN_POSITIVE);
        let phase = (model.playback.secs_in(span) / span) as f32;
        let line = [at(phase, 0.0), at(phase, 0.5 * RING)];
        painter.line_segment(line, Stroke::new(1.0, ui.visuals().strong_text_color()));
    }
    for (foot, (colour, word)) in feet.into_iter().zip(["first foot", "second foot"]).enumerate() {
        let corner = [Align2::LEFT_TOP, Align2::RIGHT_TOP][foot];
        let place = corner.pos_in_rect(&rect);
        let colour: Color32 = colour;
        painter.text(place, corner, word, FontId::proportional(10.5), colour);
    }
}
