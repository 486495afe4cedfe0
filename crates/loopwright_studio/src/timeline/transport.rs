//! Play, pause, step, speed, and what is shown.

use eframe::egui::{self, Slider, Ui};

use crate::model::{Action, Model, RootView, SPEEDS, Shown};

/// Speed of slow motion.
const SLOW_SPEED: f64 = 0.25;

/// Room for the slider of the speed with its number and name.
const SPEED_POINTS: f32 = 220.0;

/// Width of the button that plays and pauses.
const PLAY_POINTS: f32 = 52.0;

/// Room for the number and the name beside the slider of time.
const BESIDE_SLIDER_POINTS: f32 = 110.0;

pub(crate) fn transport_ui(ui: &mut Ui, model: &Model, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
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
        if ui
            .button("Step back")
            .on_hover_text("One frame back (left arrow)")
            .clicked()
        {
            actions.push(Action::Step(-1));
        }
        if ui
            .button("Step on")
            .on_hover_text("One frame on (right arrow)")
            .clicked()
        {
            actions.push(Action::Step(1));
        }
        let mut repeats = playback.repeats;
        if ui.checkbox(&mut repeats, "Repeat").changed() {
            actions.push(Action::Repeat(repeats));
        }
        let mut is_seam_only = playback.is_seam_only;
        let has_loop = model.made().is_some();
        let seam = ui.add_enabled(has_loop, egui::Checkbox::new(&mut is_seam_only, "Seam only"));
        if seam
            .on_hover_text("Plays the time around the seam again and again (L); B shows it uncut")
            .changed()
        {
            actions.push(Action::SeamOnly(is_seam_only));
        }
        if ui
            .button("Slow motion")
            .on_hover_text("A quarter of the speed, and back")
            .clicked()
        {
            let is_slow = playback.speed < 1.0;
            actions.push(Action::Speed(if is_slow { 1.0 } else { SLOW_SPEED }));
        }
        speed_ui(ui, model, actions);
    });
    time_ui(ui, model, actions);
    ui.horizontal_wrapped(|ui| {
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
        let mut has_ghost = model.has_ghost;
        let ghost = ui.add_enabled(
            has_loop,
            egui::Checkbox::new(&mut has_ghost, "Ghost of the uncut stretch"),
        );
        if ghost.changed() {
            actions.push(Action::Ghost(has_ghost));
        }
        ui.separator();
        ui.label("Root");
        let views = [
            (
                RootView::Accumulate,
                "goes on",
                "Every cycle goes on where the one before ended",
            ),
            (
                RootView::World,
                "starts again",
                "Every cycle starts where the first did",
            ),
            (RootView::InPlace, "in place", "The root stays where it is"),
        ];
        for (view, word, tip) in views {
            let is_chosen = model.root_view == view;
            if ui.selectable_label(is_chosen, word).on_hover_text(tip).clicked() {
                actions.push(Action::RootView(view));
            }
        }
        let mut camera = model.camera;
        if ui
            .checkbox(&mut camera.follows, "Follow")
            .on_hover_text("The view goes along with the body (F)")
            .changed()
        {
            actions.push(Action::Look(camera));
        }
        let orthographic = ui.checkbox(&mut camera.is_orthographic, "Without perspective");
        if orthographic.on_hover_text("Orthographic (O)").changed() {
            actions.push(Action::Look(camera));
        }
        let mut is_split = model.is_split;
        let split = ui.add_enabled(has_loop, egui::Checkbox::new(&mut is_split, "Before and after"));
        if split
            .on_hover_text("The uncut stretch on the left, the loop on the right (S)")
            .changed()
        {
            actions.push(Action::Split(is_split));
        }
    });
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
    if ui.add(slider).changed() {
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
        ui.add(slider)
    });
    if response.inner.changed() {
        actions.push(Action::Seek(secs));
    }
}

/// A number as it is shown. Limits of digits of a slider would round the value itself, in every frame.
fn two_digits(value: f64, _digits: std::ops::RangeInclusive<usize>) -> String {
    format!("{value:.2}")
}
