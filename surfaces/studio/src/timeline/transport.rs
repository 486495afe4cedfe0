//! Play, pause, step, playback position and speed.

use eframe::egui::{self, Label, Slider, Ui, WidgetInfo, vec2};

use crate::{
    icons::{self, Icon},
    model::{Action, Model, SPEEDS, Shown},
    theme,
};

const SLOW_SPEED: f64 = 0.25;

/// Fixed room for the numbers of frame and cycle, points, so that they do not move their neighbours.
const FRAME_POINTS: f32 = 52.0;
const FIGURE_POINTS: f32 = 8.0;
const LOOP_POINTS: f32 = 62.0;

/// Room for the slider of the speed, and its margin, points; and for the switches beside it.
const SPEED_POINTS: f32 = 60.0;
const BESIDE_SPEED_POINTS: f32 = 22.0;
const NUM_SWITCHES: f32 = 3.0;

/// Below this width, the speed is shown without its number, points.
const NUMBERED_POINTS: f32 = 800.0;

/// Shows the transport of a wide window: all in one row, with the time slider in the remaining room.
pub fn transport_ui(ui: &mut Ui, model: &Model) {
    let is_numbered = ui.available_width() > NUMBERED_POINTS;
    if !is_numbered && icons::side(ui) >= theme::TOUCH_POINTS {
        narrow_transport_ui(ui, model);
        return;
    }
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        playing_ui(ui, model);
        if has_time(model) {
            place_ui(ui, model);
            let speed = if is_numbered { NUMBER_POINTS } else { 0.0 };
            let switches = NUM_SWITCHES * (icons::side(ui) + ui.spacing().item_spacing.x);
            let room = ui.available_width() - SPEED_POINTS - BESIDE_SPEED_POINTS - switches - speed;
            time_ui(ui, model, room);
        }
        ui.add_space(6.0);
        speed_ui(ui, model, is_numbered);
        switches_ui(ui, model);
    });
}

/// Shows the transport in rows for fingers.
pub fn narrow_transport_ui(ui: &mut Ui, model: &Model) {
    ui.spacing_mut().item_spacing.x = 4.0;
    ui.horizontal(|ui| {
        playing_ui(ui, model);
        switches_ui(ui, model);
    });
    if has_time(model) {
        ui.horizontal(|ui| {
            place_ui(ui, model);
            let room = ui.available_width();
            time_ui(ui, model, room);
        });
    }
}

/// Whether the shown motion has a start and an end; a steered character does not.
fn has_time(model: &Model) -> bool {
    model.shown() != Shown::Set
}

fn playing_ui(ui: &mut Ui, model: &Model) {
    let (icon, word, tip) = if model.playback.is_playing {
        (Icon::Pause, "Pause", "Pause (space)")
    } else {
        (Icon::Play, "Play", "Play (space)")
    };
    for (icon, word, tip, action) in [
        (Icon::ToStart, "To the start", "To the start (Home)", Action::Seek(0.0)),
        (
            Icon::StepBack,
            "Step back",
            "One frame back (left arrow)",
            Action::Step(-1),
        ),
        (icon, word, tip, Action::TogglePlaying),
        (Icon::StepOn, "Step on", "One frame on (right arrow)", Action::Step(1)),
    ] {
        let is_there = has_time(model) || matches!(action, Action::TogglePlaying);
        if is_there && icons::button(ui, icon, word, tip, true).clicked() {
            model.ask(action);
        }
    }
}

/// Shows the frame, and the number of cycles played.
fn place_ui(ui: &mut Ui, model: &Model) {
    let step = model.step_secs();
    let span = model.span_secs();
    let (frame, last) = if step > 0.0 {
        ((model.playback.secs_in(span) / step).floor(), (span / step).round())
    } else {
        (0.0, 0.0)
    };
    // A take shows its last frame; a loop ends where it begins.
    let last = if model.shown() == Shown::Take {
        last
    } else {
        (last - 1.0).max(0.0)
    };
    ui.add_space(4.0);
    let figures = 2.0 * (format!("{last:.0}").len() as f32) * FIGURE_POINTS;
    word_ui(
        ui,
        format!("Frame {:.0} / {last:.0}", frame.min(last)),
        FRAME_POINTS + figures,
    );
    word_ui(ui, format!("Loop {}", model.playback.num_wraps + 1), LOOP_POINTS);
}

fn time_ui(ui: &mut Ui, model: &Model, room: f32) {
    let span = model.span_secs();
    let mut secs = model.playback.secs_in(span);
    ui.spacing_mut().slider_width = (room - NUMBER_POINTS).max(40.0);
    let slider = Slider::new(&mut secs, 0.0..=span.max(f64::MIN_POSITIVE)).show_value(false);
    let response = ui.add(slider);
    let said = (secs * 1e2).round() / 1e2;
    response.widget_info(|| WidgetInfo::slider(true, said, "Time"));
    if response.changed() {
        model.ask(Action::Seek(secs));
    }
    word_ui(ui, format!("{secs:.2} s"), NUMBER_POINTS);
}

/// Room for the number beside a slider, points.
const NUMBER_POINTS: f32 = 48.0;

fn speed_ui(ui: &mut Ui, model: &Model, is_numbered: bool) {
    let mut speed = model.playback.speed;
    ui.spacing_mut().slider_width = SPEED_POINTS;
    let response = ui.add(Slider::new(&mut speed, SPEEDS).logarithmic(true).show_value(false));
    response.widget_info(|| WidgetInfo::slider(true, speed, "Speed"));
    if response.on_hover_text(format!("Speed: {speed:.2}x")).changed() {
        model.ask(Action::Speed(speed));
    }
    if is_numbered {
        word_ui(ui, format!("{speed:.2}x"), NUMBER_POINTS);
    }
}

/// Shows a word in a fixed room, so that nothing beside it moves.
fn word_ui(ui: &mut Ui, text: String, points: f32) {
    ui.allocate_ui_with_layout(
        vec2(points, ui.spacing().interact_size.y),
        egui::Layout::left_to_right(egui::Align::Center),
        |ui| {
            ui.set_min_width(points);
            ui.add(Label::new(text).truncate());
        },
    );
}

fn switches_ui(ui: &mut Ui, model: &Model) {
    let playback = &model.playback;
    let is_slow = playback.speed < 1.0;
    let switches = [
        (
            Icon::Slow,
            "Slow motion",
            "A quarter of the speed, and back",
            true,
            is_slow,
            Action::Speed(if is_slow { 1.0 } else { SLOW_SPEED }),
        ),
        (
            Icon::Repeat,
            "Repeat",
            "Play again at the end, or stop there",
            true,
            playback.repeats,
            Action::Repeat(!playback.repeats),
        ),
        (
            Icon::SeamOnly,
            "Seam only",
            "Play the time around the seam again and again (L); B shows it uncut",
            model.made().is_some(),
            playback.is_seam_only,
            Action::SeamOnly(!playback.is_seam_only),
        ),
    ];
    let count = if has_time(model) { switches.len() } else { 1 };
    for (icon, name, tip, is_there, is_on, action) in switches.into_iter().take(count) {
        if icons::switch(ui, icon, name, tip, is_there, is_on) {
            model.ask(action);
        }
    }
}
