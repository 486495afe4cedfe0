//! The whole take as a bar: how fast the body moves, the loops found, and the chosen stretch, whose ends one drags.

use eframe::egui::{
    Align2, Color32, CursorIcon, FontId, Rect, Response, Role, Sense, Shape, Stroke, StrokeKind, Ui, WidgetInfo, pos2,
    vec2,
};
use loopwright_formats::loop_file::facts::Grade;

use crate::{
    grade,
    model::{Action, Model, Opened, Shown, Stretch},
};

/// Height of the curve of speed, and of a row of loops, points.
const CURVE_POINTS: f32 = 34.0;
const ROW_POINTS: f32 = 20.0;

/// Rows of loops: those that overlap lie below each other, and more rows would take the viewport's place.
const MAX_ROWS: usize = 4;

/// How near the mouse grasps an end, points.
const GRASP_POINTS: f32 = 6.0;

/// Fewest frames of a stretch that is dragged.
const MIN_FRAMES: f64 = 4.0;

/// The ends while one of them is dragged, frames.
#[derive(Debug, Default)]
pub(crate) struct TakeBar {
    dragged: Option<[f64; 2]>,
}

/// Frames of the take on the screen.
struct Scale {
    rect: Rect,
    last_frame: f32,
}

impl Scale {
    fn x(&self, frame: f64) -> f32 {
        self.rect.left() + self.rect.width() * frame as f32 / self.last_frame
    }

    fn frame(&self, x: f32) -> f64 {
        let share = (x - self.rect.left()) / self.rect.width().max(1.0);
        f64::from(share.clamp(0.0, 1.0) * self.last_frame)
    }
}

pub(crate) fn take_bar_ui(ui: &mut Ui, bar: &mut TakeBar, model: &Model, actions: &mut Vec<Action>) {
    let Some(opened) = model.opened() else {
        return;
    };
    let rows = rows(opened);
    let num_rows = rows.iter().max().map_or(1, |row| row + 1);
    let height = CURVE_POINTS + ROW_POINTS * num_rows as f32;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, "Whole take: click to show that time"));
    let scale = Scale {
        rect,
        last_frame: (opened.take().num_frames() - 1).max(1) as f32,
    };
    let visuals = ui.visuals().clone();
    ui.painter().rect_filled(rect, 3.0, visuals.extreme_bg_color);
    speed(ui, &scale, opened, visuals.weak_text_color().gamma_multiply(0.5));
    if let Some(at) = response.interact_pointer_pos().filter(|_| response.clicked()) {
        actions.push(Action::Show(Shown::Take));
        actions.push(Action::Seek(scale.frame(at.x) * opened.take().frame_time_secs()));
    }
    for (index, row) in rows.iter().enumerate() {
        loop_ui(ui, &scale, model, opened, index, *row, actions);
    }
    ends_ui(ui, bar, &scale, model, opened, actions);
    playhead(ui, &scale, model);
}

/// The row of every loop: the first in which it overlaps none before it.
fn rows(opened: &Opened) -> Vec<usize> {
    let mut rows: Vec<usize> = Vec::new();
    for (index, candidate) in opened.found.candidates.iter().enumerate() {
        let overlaps = |row: usize| {
            rows.iter()
                .zip(&opened.found.candidates[..index])
                .any(|(&other_row, other)| {
                    other_row == row
                        && other.cut.start_frame() < candidate.cut.end_frame()
                        && candidate.cut.start_frame() < other.cut.end_frame()
                })
        };
        let row = (0..MAX_ROWS).find(|&row| !overlaps(row)).unwrap_or(MAX_ROWS - 1);
        rows.push(row);
    }
    rows
}

fn speed(ui: &Ui, scale: &Scale, opened: &Opened, colour: Color32) {
    let most = opened.speeds.iter().copied().fold(1e-6, f32::max);
    let base = scale.rect.top() + CURVE_POINTS;
    let last = (opened.speeds.len() - 1).max(1) as f32;
    let points = opened.speeds.iter().enumerate().map(|(point, speed)| {
        let x = scale.rect.left() + scale.rect.width() * point as f32 / last;
        pos2(x, base - 0.9 * CURVE_POINTS * speed / most)
    });
    ui.painter()
        .add(Shape::line(points.collect(), Stroke::new(1.2, colour)));
    ui.painter().text(
        scale.rect.left_top() + vec2(4.0, 2.0),
        Align2::LEFT_TOP,
        "how fast the body moves",
        FontId::proportional(10.5),
        colour,
    );
}

/// A loop as a bar to click, with the word of its grade.
fn loop_ui(
    ui: &Ui,
    scale: &Scale,
    model: &Model,
    opened: &Opened,
    index: usize,
    row: usize,
    actions: &mut Vec<Action>,
) {
    let candidate = &opened.found.candidates[index];
    let found = Grade::of_candidate(candidate);
    let top = scale.rect.top() + CURVE_POINTS + ROW_POINTS * row as f32;
    let rect = Rect::from_min_max(
        pos2(scale.x(candidate.cut.start_frame()), top + 2.0),
        pos2(scale.x(candidate.cut.end_frame()), top + ROW_POINTS - 2.0),
    );
    let response = ui.interact(rect, ui.scope_id().with(("loop bar", index)), Sense::click());
    let text = format!("{} {}", index + 1, found.spoken());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Bar of loop {text}")));
    let is_chosen = model.edit().is_some_and(|edit| edit.stretch == Stretch::Found(index));
    let colour = grade::colour(found, ui.visuals().dark_mode);
    let strength = if is_chosen || response.hovered() { 0.55 } else { 0.22 };
    let painter = ui.painter_at(rect.expand(1.0));
    painter.rect_filled(rect, 3.0, colour.gamma_multiply(strength));
    painter.rect_stroke(rect, 3.0, Stroke::new(1.0, colour), StrokeKind::Inside);
    painter.text(
        rect.left_center() + vec2(5.0, 0.0),
        Align2::LEFT_CENTER,
        text,
        FontId::proportional(11.5),
        ui.visuals().text_color(),
    );
    if response.clicked() {
        actions.push(Action::Choose(Stretch::Found(index)));
    }
}

/// The chosen stretch, whose ends one drags; the loop is made when they are released.
fn ends_ui(ui: &Ui, bar: &mut TakeBar, scale: &Scale, model: &Model, opened: &Opened, actions: &mut Vec<Action>) {
    let chosen = model.edit().and_then(|edit| opened.candidate(edit.stretch).ok());
    let Some(chosen) = chosen else {
        return;
    };
    let mut ends = bar
        .dragged
        .unwrap_or([chosen.cut.start_frame(), chosen.cut.end_frame()]);
    let accent = ui.visuals().selection.stroke.color;
    let stretch = Rect::from_x_y_ranges(scale.x(ends[0])..=scale.x(ends[1]), scale.rect.y_range());
    ui.painter().rect_filled(stretch, 0.0, accent.gamma_multiply(0.10));
    for (end, word) in ["Start of the stretch", "End of the stretch"].into_iter().enumerate() {
        let x = scale.x(ends[end]);
        let grasp = Rect::from_x_y_ranges(x - GRASP_POINTS..=x + GRASP_POINTS, scale.rect.y_range());
        let response = ui.interact(grasp, ui.scope_id().with(("end", end)), Sense::drag());
        let response = response.on_hover_cursor(CursorIcon::ResizeHorizontal);
        response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, word));
        let width = if response.hovered() || response.dragged() {
            3.0
        } else {
            2.0
        };
        ui.painter().vline(x, scale.rect.y_range(), Stroke::new(width, accent));
        ui.painter().circle_filled(pos2(x, scale.rect.top() + 5.0), 4.5, accent);
        let number = format!("{:.0}", ends[end]);
        let (align, aside) = if end == 0 {
            (Align2::RIGHT_TOP, -7.0)
        } else {
            (Align2::LEFT_TOP, 7.0)
        };
        let at = pos2(x + aside, scale.rect.top() + 1.0);
        ui.painter()
            .text(at, align, number, FontId::proportional(11.0), ui.visuals().text_color());
        if let Some(to) = dragged_to(&response, scale) {
            ends[end] = match end {
                0 => to.min(ends[1] - MIN_FRAMES).max(0.0),
                _ => to.max(ends[0] + MIN_FRAMES).min(f64::from(scale.last_frame)),
            };
            bar.dragged = Some(ends);
        }
        if response.drag_stopped()
            && let Some([start_frame, end_frame]) = bar.dragged.take()
        {
            actions.push(Action::Choose(Stretch::Frames { start_frame, end_frame }));
        }
    }
}

/// The whole frame that an end is dragged to.
fn dragged_to(response: &Response, scale: &Scale) -> Option<f64> {
    let at = response.interact_pointer_pos().filter(|_| response.dragged())?;
    Some(scale.frame(at.x).round())
}

/// Where the time shown is in the take.
fn playhead(ui: &Ui, scale: &Scale, model: &Model) {
    let span = model.span_secs();
    let within = model.playback.secs_in(span);
    let frame = match (model.shown(), model.made()) {
        (Shown::Loop | Shown::Uncut, Some(made)) => {
            let cut = &made.candidate.cut;
            cut.start_frame() + within / span.max(f64::MIN_POSITIVE) * cut.num_frames()
        }
        _ => within / model.step_secs().max(f64::MIN_POSITIVE),
    };
    let stroke = Stroke::new(1.0, ui.visuals().strong_text_color());
    ui.painter().vline(scale.x(frame), scale.rect.y_range(), stroke);
}
