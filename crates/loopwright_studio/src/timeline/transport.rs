//! Play, pause, step, speed, and what is shown.

use eframe::egui::{self, Slider, Ui};

use crate::camera::Camera;
use crate::focus::named;
use crate::model::{Action, Model, RootView, SPEEDS, Shown};

const SLOW_SPEED: f64 = 0.25;

/// Room for the slider of the speed with its number and name.
const SPEED_POINTS: f32 = 220.0;

/// Width of the button that plays and pauses.
const PLAY_POINTS: f32 = 52.0;

/// Room for the number and the name beside the slider of time.
const BESIDE_SLIDER_POINTS: f32 = 110.0;

pub(crate) fn transport_ui(ui: &mut Ui, model: &Model, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        playing_ui(ui, model, actions);
        speed_ui(ui, model, actions);
    });
    time_ui(ui, model, actions);
    ui.horizontal_wrapped(|ui| {
        shown_ui(ui, model, actions);
        ui.separator();
        root_ui(ui, model, actions);
        camera_ui(ui, model, actions);
    });
}

/// A switch that can be set where `is_enabled`; the value that it is set to.
fn switch(ui: &mut Ui, is_enabled: bool, mut is_on: bool, name: &str, tip: &str) -> Option<bool> {
    let switch = ui.add_enabled(is_enabled, egui::Checkbox::new(&mut is_on, name));
    let switch = if tip.is_empty() {
        switch
    } else {
        switch.on_hover_text(tip)
    };
    switch.changed().then_some(is_on)
}

fn playing_ui(ui: &mut Ui, model: &Model, actions: &mut Vec<Action>) {
    let playback = &model.playback;
    let (word, tip) = match playback.is_playing {
        true => ("Pause", "Pause (space)"),
        false => ("Play", "Play (space)"),
    };
    // As wide as either word, so that nothing beside it moves.
    let button = egui::Button::new(word).min_size(egui::vec2(PLAY_POINTS, 0.0));
    if ui.add(button).on_hover_text(tip).clicked() {
        actions.push(Action::TogglePlaying);
    }
    for (name, tip, frames) in [
        ("Step back", "One frame back (left arrow)", -1),
        ("Step on", "One frame on (right arrow)", 1),
    ] {
        if ui.button(name).on_hover_text(tip).clicked() {
            actions.push(Action::Step(frames));
        }
    }
    actions.extend(switch(ui, true, playback.repeats, "Repeat", "").map(Action::Repeat));
    let tip = "Plays the time around the seam again and again (L); B shows it uncut";
    let seam_only = switch(ui, model.made().is_some(), playback.is_seam_only, "Seam only", tip);
    actions.extend(seam_only.map(Action::SeamOnly));
    let slow = ui
        .button("Slow motion")
        .on_hover_text("A quarter of the speed, and back");
    if slow.clicked() {
        let is_slow = playback.speed < 1.0;
        actions.push(Action::Speed(if is_slow { 1.0 } else { SLOW_SPEED }));
    }
}

fn shown_ui(ui: &mut Ui, model: &Model, actions: &mut Vec<Action>) {
    ui.label("Show");
    let has_loop = model.made().is_some();
    for (shown, word) in [
        (Shown::Loop, "Loop"),
        (Shown::Uncut, "Uncut"),
        (Shown::Take, "Whole take"),
    ] {
        let is_there = has_loop || shown == Shown::Take;
        let widget = egui::Button::selectable(model.shown() == shown, word);
        if ui.add_enabled(is_there, widget).clicked() {
            actions.push(Action::Show(shown));
        }
    }
    let ghost = switch(ui, has_loop, model.has_ghost, "Ghost of the uncut stretch", "");
    actions.extend(ghost.map(Action::Ghost));
}

fn root_ui(ui: &mut Ui, model: &Model, actions: &mut Vec<Action>) {
    ui.label("Root");
    for (view, word, tip) in [
        (
            RootView::Accumulate,
            "accumulate",
            "Every cycle continues where the one before ended",
        ),
        (RootView::World, "restart", "Every cycle starts where the first did"),
        (RootView::InPlace, "in place", "The root stays where it is"),
    ] {
        let is_chosen = model.root_view == view;
        if ui.selectable_label(is_chosen, word).on_hover_text(tip).clicked() {
            actions.push(Action::RootView(view));
        }
    }
}

fn camera_ui(ui: &mut Ui, model: &Model, actions: &mut Vec<Action>) {
    let camera = model.camera;
    let tip = "The camera follows the body (F)";
    let follows = switch(ui, true, camera.follows, "Follow", tip);
    actions.extend(follows.map(|follows| Action::Look(Camera { follows, ..camera })));
    let orthographic = switch(
        ui,
        true,
        camera.is_orthographic,
        "Without perspective",
        "Orthographic (O)",
    );
    actions.extend(orthographic.map(|is_orthographic| {
        Action::Look(Camera {
            is_orthographic,
            ..camera
        })
    }));
    let tip = "The uncut stretch on the left, the loop on the right (S)";
    let split = switch(ui, model.made().is_some(), model.is_split, "Before and after", tip);
    actions.extend(split.map(Action::Split));
}

fn speed_ui(ui: &mut Ui, model: &Model, actions: &mut Vec<Action>) {
    let mut speed = model.playback.speed;
    if ui.available_size_before_wrap().x < SPEED_POINTS {
        // A slider with its number and name does not wrap by itself.
        ui.end_row();
    }
    let slider = Slider::new(&mut speed, SPEEDS)
        .logarithmic(true)
        .suffix("x")
        .custom_formatter(two_digits)
        .text("Speed");
    if named(ui.add(slider), "Speed").changed() {
        actions.push(Action::Speed(speed));
    }
}

fn time_ui(ui: &mut Ui, model: &Model, actions: &mut Vec<Action>) {
    let span = model.span_secs();
    let mut secs = model.playback.secs_in(span);
    let slider = Slider::new(&mut secs, 0.0..=span.max(f64::MIN_POSITIVE))
        .custom_formatter(two_digits)
        .suffix(" s")
        .text("Time");
    let response = ui.scope(|ui| {
        ui.spacing_mut().slider_width = (ui.available_width() - BESIDE_SLIDER_POINTS).max(60.0);
        named(ui.add(slider), "Time")
    });
    if response.inner.changed() {
        actions.push(Action::Seek(secs));
    }
}

/// A number as it is shown. Limits of digits of a slider would round the value itself, in every frame.
fn two_digits(value: f64, _digits: std::ops::RangeInclusive<usize>) -> String {
    format!("{value:.2}")
}
