//! The keys and their meanings, and the first steps.

use eframe::egui::{self, Context, Event, InputState, Key, Modal, Modifiers, Popup, RichText, Ui};
use glam::DVec3;

use super::ExportPanel;
use crate::{
    focus,
    model::{Action, Model, Shown, Steer, Stretch},
    viewport::switches,
};

/// The list of keys and their meanings: a row each.
const KEYS: &str = "
Space | play or pause
Left, right | one frame back or forward; ten with shift
[ and ] | start and end of the stretch at the time shown
Tab, then arrows | another control, then its value
B | the loop, or the uncut stretch
G | the ghost of the uncut stretch
S | before and after side by side
N | poses before and after the seam at once
T | the path of the chosen joint over the seam
K | the character of the file, or a mannequin
C | centre the body
L | repeat the time around the seam
1 to 9 | the loop of that number in the list
Alt while an end is dragged | any frame, not only good seams
O | with or without perspective
A | keep the settings as A, then swap them with A
F | the camera follows the body
Home | to the start
E | export the loop
Z | zoom the bar of the take to the chosen stretch, or back
W A S D, arrows | walk, where a set is shown; run with shift
Ctrl+O | open files, on the desktop
Ctrl+Z | undo
Ctrl+Shift+Z, Ctrl+Y | redo
Ctrl+plus, Ctrl+minus | larger or smaller interface
Escape | close what is open, or cancel work in progress
? | this list
";

/// The actions of the mouse.
const MOUSE: &str = "Mouse: drag turns the view, shift-drag or right-drag moves it, the wheel brings it nearer; a double click resets it, a \
    click on a joint chooses it. In the bar of the take drag the ends of the stretch; the wheel widens it.";

/// Width of the list of keys in two columns, and the margins around the list in a window, points.
const WIDE_POINTS: f32 = 860.0;
const MARGIN_POINTS: egui::Vec2 = egui::vec2(60.0, 130.0);

pub fn help_ui(ctx: &Context, model: &Model) {
    if !model.shows_help {
        return;
    }
    let modal = Modal::new(egui::Id::unique("help")).show(ctx, |ui| {
        focus::group(ui, egui::Role::Dialog, "List of keys");
        let room = ctx.content_rect().size() - MARGIN_POINTS;
        ui.set_width(room.x.min(WIDE_POINTS));
        let closes = ui.horizontal(|ui| {
            ui.heading("Keys");
            let right = egui::Layout::right_to_left(egui::Align::Center);
            ui.with_layout(right, |ui| ui.button("Close").clicked()).inner
        });
        let rows: Vec<_> = KEYS.lines().filter_map(|row| row.split_once(" | ")).collect();
        let columns = if room.x < WIDE_POINTS { 1 } else { 2 };
        egui::ScrollArea::vertical().max_height(room.y).show(ui, |ui| {
            ui.columns(columns, |columns| {
                let count = rows.len().div_ceil(columns.len());
                for (number, (column, rows)) in columns.iter_mut().zip(rows.chunks(count)).enumerate() {
                    let list = egui::Grid::new(("keys", number)).num_columns(2).spacing([16.0, 5.0]);
                    list.show(column, |ui| {
                        for (key, meaning) in rows {
                            ui.strong(*key);
                            ui.add(egui::Label::new(*meaning).wrap());
                            ui.end_row();
                        }
                    });
                }
            });
            ui.separator();
            ui.label(MOUSE);
        });
        closes.inner
    });
    if modal.inner || modal.should_close() {
        model.ask(Action::Help(false));
    }
}

/// Requests the actions of the keys pressed in this frame: none while text is typed, and only those of the whole window while another
/// widget has the focus.
pub fn keys(ctx: &Context, model: &Model, export: &ExportPanel) {
    // Open dialogs and lists handle the escape key themselves.
    let is_open = model.shows_help || export.asks_where() || Popup::is_any_open(ctx);
    if ctx.text_edit_focused() {
        return;
    }
    let has_focus = ctx.memory(|memory| memory.focused().is_some());
    ctx.input_mut(|input| {
        let redo = Modifiers::COMMAND | Modifiers::SHIFT;
        if input.consume_key(redo, Key::Z) || input.consume_key(Modifiers::COMMAND, Key::Y) {
            model.ask(Action::Redo);
        }
        if input.consume_key(Modifiers::COMMAND, Key::Z) {
            model.ask(Action::Undo);
        }
        let mut modifiers = [Modifiers::SHIFT, Modifiers::NONE].into_iter();
        if modifiers.any(|with| input.consume_key(with, Key::Questionmark)) {
            model.ask(Action::Help(!model.shows_help));
        }
        if is_open {
            return;
        }
        if input.consume_key(Modifiers::NONE, Key::Escape) {
            model.ask(Action::Cancel);
        }
        if !has_focus && model.shown() == Shown::Set {
            model.ask_all(steering(input, model));
        }
        for (end, bracket) in ["[", "]"].into_iter().enumerate() {
            let mut events = input.events.iter();
            if events.any(|event| matches!(event, Event::Text(text) if text == bracket)) {
                model.ask_all(model.with_end_shown(end).map(Action::Choose));
            }
        }
        if has_focus {
            return;
        }
        let pressed = input.events.iter().filter_map(|event| match event {
            Event::Key {
                key,
                pressed: true,
                modifiers,
                ..
            } => Some((*key, modifiers.shift)),
            _ => None,
        });
        for (key, is_shifted) in pressed.collect::<Vec<_>>() {
            if let Some(action) = action_of(key, is_shifted, model, export)
                && input.consume_key(Modifiers::NONE, key)
            {
                model.ask(action);
            }
        }
    });
}

/// Returns the action of a key, pressed alone or with shift.
fn action_of(key: Key, is_shifted: bool, model: &Model, export: &ExportPanel) -> Option<Action> {
    if let Some((.., action)) = switches(model).into_iter().find(|(_, of, ..)| *of == key) {
        return Some(action);
    }
    let frames = if is_shifted { 10 } else { 1 };
    Some(match key {
        Key::Space => Action::TogglePlaying,
        Key::ArrowLeft => Action::Step(-frames),
        Key::ArrowRight => Action::Step(frames),
        Key::B => Action::ToggleUncut,
        Key::C => Action::Look(model.camera.framed()),
        Key::L => Action::SeamOnly(!model.playback.is_seam_only),
        Key::A if model.kept.is_some() => Action::SwapKept,
        Key::A => Action::Keep,
        Key::Home => Action::Seek(0.0),
        Key::E => return export.export(model),
        _ => {
            let index = key.name().parse::<usize>().ok()?.checked_sub(1)?;
            model.opened()?.found.candidates.get(index)?;
            Action::Choose(Stretch::Found(index))
        }
    })
}

/// Returns the action by which held keys or a game pad steer the character of a set; the keys have no other meaning meanwhile.
fn steering(input: &mut InputState, model: &Model) -> Option<Action> {
    let steered = model.steered_here()?;
    let mut held = |keys: [Key; 2]| {
        for key in keys {
            while input.consume_key(Modifiers::NONE, key) {}
        }
        f64::from(u8::from(keys.iter().any(|key| input.key_down(*key))))
    };
    let away = held([Key::W, Key::ArrowUp]) - held([Key::S, Key::ArrowDown]);
    let aside = held([Key::D, Key::ArrowRight]) - held([Key::A, Key::ArrowLeft]);
    let [slowest, fastest] = steered.speeds();
    let speed = if input.modifiers.shift { fastest } else { slowest };
    let velocity = match crate::platform::game_pad() {
        Some(drawn) => fastest * model.camera.on_ground(drawn).clamp_length_max(1.0),
        None => speed * model.camera.on_ground([aside, away]).normalize_or_zero(),
    };
    (velocity != DVec3::ZERO || steered.is_held()).then_some(Action::Steer(Steer::Velocity(velocity)))
}

/// Takes the focus from a clicked widget, so that space and arrows still control playback; a focus gained by tab stays.
pub fn release_clicked(ctx: &Context) {
    if ctx.input(|input| input.pointer.any_released()) && !ctx.text_edit_focused() {
        ctx.memory_mut(|memory| {
            if let Some(focused) = memory.focused() {
                memory.surrender_focus(focused);
            }
        });
    }
}

/// Shows the first run: three steps, each ticked off when it is done.
pub fn guide_ui(ui: &mut Ui, model: &Model, has_exported: bool) {
    if !model.shows_guide {
        return;
    }
    let has_take = model.opened().is_some_and(|opened| opened.bytes.is_some());
    let steps = [
        (
            has_take,
            "Drop a take on this window, or press Open. The best loop plays at once.",
        ),
        (
            model.has_looked,
            "Look at it: choose another loop, drag its ends below, press B for the uncut stretch.",
        ),
        (has_exported, "Press Export at the top, or E."),
    ];
    egui::Frame::group(ui.style()).show(ui, |ui| {
        let next = steps.iter().position(|(is_done, _)| !is_done);
        for (index, (is_done, text)) in steps.into_iter().enumerate() {
            let done = if is_done { " (done)" } else { "" };
            let text = RichText::new(format!("{}. {text}{done}", index + 1));
            let is_next = next == Some(index);
            ui.label(if is_next { text.strong() } else { text.weak() });
        }
        if ui.button("Hide these steps").clicked() {
            model.ask(Action::Guide(false));
        }
    });
}
