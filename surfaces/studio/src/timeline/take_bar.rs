//! The whole take as a bar: the speed of the body and where it faces, when its feet stand, its activity, the loops found, and the chosen
//! stretch with ends to drag.

use eframe::egui::{
    Align2, Color32, CursorIcon, FontId, Key, Modifiers, Painter, Rangef, Rect, Role, Sense, Stroke, StrokeKind, Ui,
    WidgetInfo, pos2, vec2,
};
use loopwright_core::{
    SearchSettings,
    edit::{EditKey, EditKind, bump},
    math::percentile::extremes,
};
use loopwright_formats::loop_file::facts::Grade;

use crate::{
    flat, focus, grade, line,
    model::{Action, MIN_FRAMES, Model, Opened, Stretch, around_stretch},
    theme::{self, Tokens},
};

/// Heights of the legend, of the curves of speed and heading, of the row of a foot, of the activity, and of a row of loops, points.
const LEGEND_POINTS: f32 = 15.0;
const CURVE_POINTS: f32 = 28.0;
const FOOT_POINTS: f32 = 4.0;
const SEGMENT_POINTS: f32 = 14.0;
const ROW_POINTS: f32 = 16.0;

/// Most feet whose rows are drawn.
const MAX_FEET: usize = 4;

/// Most points of the curves.
const MAX_POINTS: usize = 1024;

/// Height of the overview of the whole take when the bar shows a part of it, points.
const OVERVIEW_POINTS: f32 = 12.0;

/// Distance within which a dragged end snaps to a cheaper seam, points.
const SNAP_POINTS: f32 = 9.0;

/// Most rows of loops: overlapping loops lie below each other, and more rows would take the room of the viewport.
const MAX_ROWS: usize = 4;

/// Distance within which the mouse grasps an end, points.
const GRASP_POINTS: f32 = 6.0;

/// Fewest frames that the bar can show.
const MIN_SHOWN_FRAMES: f64 = 16.0;

/// Zoom per point of the wheel.
const ZOOM_PER_POINT: f32 = 0.005;

/// The bar, and the state of a drag.
#[derive(Default)]
pub struct TakeBar {
    /// The start of the stretch when it was grasped as a whole, frames.
    grasped: Option<f64>,
}

/// Maps frames of the take to the screen, and draws there.
struct Bar<'a> {
    model: &'a Model,
    opened: &'a Opened,
    rect: Rect,
    /// First and last frame shown: those of the take, unless the bar is zoomed in.
    shown: [f64; 2],
    last_frame: f64,
    painter: Painter,
    colours: Tokens,
}

impl<'a> Bar<'a> {
    /// Creates a bar on its ground; without frames to show, it shows all.
    fn new(ui: &Ui, model: &'a Model, opened: &'a Opened, rect: Rect, shown: Option<[f64; 2]>) -> Self {
        let last_frame = opened.last_frame().max(1.0);
        let colours = theme::of(ui);
        flat::fill(ui.painter(), rect, colours.sunken);
        Self {
            model,
            opened,
            rect,
            shown: shown.unwrap_or([0.0, last_frame]),
            last_frame,
            // Frames outside the shown ones are not drawn.
            painter: ui.painter_at(rect),
            colours,
        }
    }

    fn x(&self, frame: f64) -> f32 {
        let [first, last] = self.shown;
        self.rect.left() + self.rect.width() * ((frame - first) / (last - first)) as f32
    }

    fn frame(&self, x: f32) -> f64 {
        let share = (x - self.rect.left()) / self.rect.width().max(1.0);
        let [first, last] = self.shown;
        first + f64::from(share.clamp(0.0, 1.0)) * (last - first)
    }

    fn frames_per_point(&self) -> f64 {
        (self.shown[1] - self.shown[0]) / f64::from(self.rect.width().max(1.0))
    }

    /// The lower edge of the curves.
    fn base(&self) -> f32 {
        self.rect.top() + LEGEND_POINTS + CURVE_POINTS
    }

    /// Limits frames to show to the take; `None` if these are all of it.
    fn within(&self, [first, last]: [f64; 2]) -> Option<[f64; 2]> {
        let length = (last - first).max(MIN_SHOWN_FRAMES);
        if length >= self.last_frame {
            return None;
        }
        let first = first.clamp(0.0, self.last_frame - length);
        Some([first, first + length])
    }

    /// Zooms the bar by the wheel about the mouse, and scrolls it sideways; Z shows the stretch, or all again.
    fn zoom_ui(&self, ui: &Ui) {
        let model = self.model;
        let [first, last] = self.shown;
        if ui.rect_contains_pointer(self.rect) {
            let (wheel, pinch, at) = ui.input(|input| {
                (
                    input.smooth_scroll_delta(),
                    input.zoom_delta(),
                    input.pointer.hover_pos(),
                )
            });
            let at = at.map_or(first, |at| self.frame(at.x));
            let factor = f64::from(pinch * (ZOOM_PER_POINT * wheel.y).exp());
            let along = -f64::from(wheel.x) * self.frames_per_point();
            if factor != 1.0 || along != 0.0 {
                model.ask(Action::ZoomBar(
                    self.within([first, last].map(|end| at + (end - at) / factor + along)),
                ));
                // The wheel must not scroll the panels of a narrow window at the same time.
                ui.input_mut(|input| input.smooth_scroll_delta = vec2(0.0, 0.0));
            }
        }
        let is_free =
            !ui.ctx().text_edit_focused() && ui.memory(|memory| memory.focused().is_none()) && !model.shows_help;
        if is_free && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Z)) {
            model.ask(Action::ZoomBar(
                model
                    .ends()
                    .filter(|_| model.bar_frames.is_none())
                    .and_then(|ends| self.within(around_stretch(ends))),
            ));
        }
    }

    /// Draws all parts of the bar except the ends.
    fn parts_ui(&self, ui: &Ui, rows: Vec<(usize, bool)>) {
        let analysis = &self.opened.studied.analysis;
        let colours = &self.colours;
        let speed = |frame: usize| analysis.speed(frame) as f32;
        let yaw = |frame: usize| analysis.heading.yaw(frame);
        let (low, high) = extremes(self.frames().map(yaw));
        // A smaller range is sway, and drawn nearly flat.
        let range = (high - low).max(LEAST_TURN);
        let middle = 0.5 * (low + high);
        self.curve(colours.accent.gamma_multiply(0.6), |frame| {
            0.5 + 0.8 * ((yaw(frame) - middle) / range) as f32
        });
        // The fastest hundredth is cut off: one pose that jumps would make the rest flat.
        let mut speeds: Vec<f32> = self.frames().map(speed).collect();
        let at = (speeds.len() - 1) * 99 / 100;
        let most = speeds.select_nth_unstable_by(at, f32::total_cmp).1.max(1e-6);
        self.curve(colours.weak.gamma_multiply(0.5), |frame| {
            0.9 * (speed(frame) / most).min(1.0)
        });
        self.falloffs();
        self.contacts();
        let top = self.rect.top() + above_points(self.opened);
        self.segments(top - SEGMENT_POINTS);
        for (index, (row, is_free)) in rows.into_iter().enumerate() {
            // Loops that are folded under another one, or would cover others, appear only in the list.
            if self.opened.like(index).is_none() && is_free || self.model.chosen_row() == Some(index) {
                self.loop_ui(ui, index, top + ROW_POINTS * row as f32, is_free);
            }
        }
        self.legend((high - low).to_degrees());
        self.painter.vline(
            self.x(self.model.frame_shown()),
            self.rect.y_range(),
            Stroke::new(1.0, colours.strong),
        );
    }

    /// Returns the frames to draw: as many as a curve has points.
    fn frames(&self) -> impl Iterator<Item = usize> {
        let [first, last] = self.shown.map(|frame| frame as usize);
        let last = (last + 1).min(self.opened.take().num_frames() - 1);
        (first..=last).step_by((last - first).div_ceil(MAX_POINTS).max(1))
    }

    /// Draws a curve of shares of the height that curves have.
    fn curve(&self, colour: Color32, share: impl Fn(usize) -> f32) {
        self.painter.add(line::through(
            self.frames()
                .map(|frame| pos2(self.x(frame as f64), self.base() - CURVE_POINTS * share(frame)))
                .collect(),
            Stroke::new(1.2, colour),
        ));
    }

    /// Names the curves in a row of its own, as far as the numbers of the ends leave room.
    fn legend(&self, turned: f64) {
        let colours = &self.colours;
        let words = [
            ("how fast the body moves".to_owned(), colours.weak),
            (format!("where it faces, over {turned:.0}°"), colours.accent),
        ];
        let taken = self.model.ends().map(|ends| {
            let [start, end] = ends.map(|frame| self.x(frame));
            [
                start - NUMBER_POINTS..=start + GRASP_POINTS,
                end - GRASP_POINTS..=end + NUMBER_POINTS,
            ]
        });
        let mut x = self.rect.left() + 12.0;
        for (text, colour) in words {
            let text = self.painter.layout_no_wrap(text, theme::small(), colour);
            for number in taken.iter().flatten() {
                if x < *number.end() && x + text.size().x > *number.start() {
                    x = *number.end();
                }
            }
            if x + text.size().x < self.rect.right() {
                let at = pos2(x, self.rect.top() + 1.0);
                x += text.size().x + 16.0;
                self.painter.galley(at, text, colour);
            }
        }
    }

    /// Draws how far edits at a time of the loop reach over its cycle; those of the chosen joint more strongly.
    fn falloffs(&self) {
        let Some(made) = self.model.made() else { return };
        let clip = made.clip();
        let cut = made.candidate.cut;
        let base = self.base();
        let period = clip.period_secs();
        for edit in made.done.made.edits.iter().filter(|edit| edit.kind() == EditKind::Move) {
            let values = edit.values(clip);
            let [Some(middle), Some(width)] = [EditKey::Time, EditKey::Width].map(|key| values.number(key)) else {
                continue;
            };
            let is_chosen = edit.joints().contains(&self.model.watched);
            let colour = self.colours.accent.gamma_multiply(if is_chosen { 0.5 } else { 0.2 });
            let sides = (0..=FALLOFF_POINTS).map(|point| {
                let share = f64::from(point) / f64::from(FALLOFF_POINTS);
                let ahead = (share * period - middle).rem_euclid(period);
                let height = bump(ahead.min(period - ahead), 0.5 * width) as f32;
                let x = self.x(cut.start_frame() + share * cut.num_frames());
                [base, base - height * CURVE_POINTS].map(|y| pos2(x, y))
            });
            self.painter.add(line::area(sides, colour));
        }
    }

    /// Draws when each foot stands. In a take of an hour, a point of the screen holds several steps, which become one bar.
    fn contacts(&self) {
        let contacts = &self.opened.studied.analysis.contacts;
        for foot in 0..contacts.num_feet().min(MAX_FEET) {
            let top = self.base() + FOOT_POINTS * foot as f32;
            let across = contacts
                .spans()
                .iter()
                .filter(|contact| contact.foot == foot)
                .map(|contact| [contact.start_frame, contact.end_frame + 1].map(|frame| self.x(frame as f64)));
            for [left, right] in told_apart(across, self.rect.x_range()) {
                self.painter.rect_filled(
                    Rect::from_x_y_ranges(left..=right, top..=top + FOOT_POINTS - 1.0),
                    0.0,
                    self.colours.weak.gamma_multiply(0.8),
                );
            }
        }
    }

    /// Names the activity in each segment.
    fn segments(&self, top: f32) {
        let painter = &self.painter;
        let colours = &self.colours;
        for (index, segment) in self.opened.studied.analysis.segments.iter().enumerate() {
            let across = self.x(segment.start_frame as f64)..=self.x(segment.end_frame as f64);
            let rect = Rect::from_x_y_ranges(across, top..=top + SEGMENT_POINTS);
            if rect.right() < self.rect.left() || rect.left() > self.rect.right() || rect.width() < LEAST_GAP_POINTS {
                continue;
            }
            if index % 2 == 1 {
                painter.rect_filled(rect, 0.0, colours.raised.gamma_multiply(0.5));
            }
            painter.vline(rect.left(), rect.y_range(), Stroke::new(1.0, colours.weak));
            // A segment that begins before the shown frames is named at their edge, with a whole word or none.
            let left = rect.left().max(self.rect.left()) + 4.0;
            let name = segment.gait.to_string();
            for words in [name.as_str(), name.split(',').next().unwrap_or(&name)] {
                if rect.right() - left < LEAST_WORD_POINTS {
                    break;
                }
                let text = painter.layout_no_wrap(words.to_owned(), theme::small(), colours.text);
                if left + text.size().x <= rect.right() {
                    painter.galley(pos2(left, rect.center().y - 0.5 * text.size().y), text, colours.text);
                    break;
                }
            }
        }
    }

    /// Draws a loop as a bar to click, with the word of its grade if no other bar covers it.
    fn loop_ui(&self, ui: &Ui, index: usize, top: f32, is_free: bool) {
        let model = self.model;
        let cut = &self.opened.found.candidates[index].cut;
        let across = self.x(cut.start_frame())..=self.x(cut.end_frame());
        let rect = Rect::from_x_y_ranges(across, top + 1.0..=top + ROW_POINTS - 1.0);
        let response = ui.interact(rect, ui.scope_id().with(("loop bar", index)), Sense::click());
        let grade = model.judgement(index).grade();
        let text = format!("{} {}", index + 1, grade.map_or("", Grade::as_str));
        focus::label(&response, Role::Button, &format!("Bar of loop {text}"));
        let is_chosen = model.chosen_row() == Some(index);
        let colour = self.colour_of(grade);
        let strength = if is_chosen || response.hovered() { 0.55 } else { 0.22 };
        let painter = ui.painter_at(rect.expand(1.0));
        painter.rect_filled(rect, 3.0, colour.gamma_multiply(strength));
        painter.rect_stroke(rect, 3.0, Stroke::new(1.0, colour), StrokeKind::Inside);
        // Overlapping words could not be read; the list has them all.
        if is_free {
            painter.text(
                pos2(rect.left().max(self.rect.left()) + 5.0, rect.center().y),
                Align2::LEFT_CENTER,
                &text,
                theme::small(),
                self.colours.strong,
            );
        }
        if response.on_hover_text(text).clicked() {
            model.ask(Action::Choose(Stretch::Found(index)));
        }
    }

    fn colour_of(&self, grade: Option<Grade>) -> Color32 {
        grade.map_or(self.colours.weak, |grade| grade::colour(grade, &self.colours))
    }

    /// Draws the chosen stretch with ends to drag: a drag makes drafts, and its end the complete loop.
    fn ends_ui(&self, ui: &Ui, bar: &mut TakeBar) {
        let model = self.model;
        let Some(ends) = model.ends() else { return };
        let stretch = Rect::from_x_y_ranges(self.x(ends[0])..=self.x(ends[1]), self.rect.y_range());
        self.painter
            .rect_filled(stretch, 0.0, self.colours.accent.gamma_multiply(0.10));
        self.whole_ui(ui, bar, stretch, ends[0]);
        for (end, word) in ["Start of the stretch", "End of the stretch"].into_iter().enumerate() {
            let x = self.x(ends[end]);
            let id = ui.scope_id().with(("end", end));
            // An end beyond the shown frames cannot be grasped, but one that is being dragged stays grasped.
            if !ui.ctx().is_being_dragged(id) && !self.rect.expand(1.0).x_range().contains(x) {
                continue;
            }
            let response = ui
                .interact(
                    Rect::from_x_y_ranges(x - GRASP_POINTS..=x + GRASP_POINTS, self.rect.y_range()),
                    id,
                    Sense::drag(),
                )
                .on_hover_cursor(CursorIcon::ResizeHorizontal);
            response.widget_info(|| WidgetInfo::slider(true, ends[end], word));
            self.paint_end(ui, ends, end, response.hovered() || response.dragged());
            let chosen = model.edit().map(|edit| edit.stretch);
            if let Some(at) = response.interact_pointer_pos().filter(|_| response.dragged()) {
                let mut to = self.frame(at.x).round();
                if !ui.input(|input| input.modifiers.alt) {
                    to = self.snapped(ends, end, to);
                }
                let dragged = model.with_end(end, to);
                model.ask_all(dragged.filter(|_| dragged != chosen).map(Action::Drag));
                if let Some(ends) = dragged.and_then(|dragged| self.opened.ends(dragged)) {
                    self.dragged_word(ui, ends);
                }
            }
            let steps = focus::steps(ui, &response);
            model.ask_all(
                steps
                    .and_then(|steps| model.with_end(end, ends[end] + f64::from(steps)))
                    .map(Action::Choose),
            );
            if response.drag_stopped() {
                model.ask_all(chosen.map(Action::Choose));
            }
        }
    }

    /// Paints an end of the stretch with its frame number, wider while it is held.
    fn paint_end(&self, ui: &Ui, ends: [f64; 2], end: usize, is_held: bool) {
        let x = self.x(ends[end]);
        let top = self.rect.top();
        let painter = ui.painter();
        let Tokens { accent, text, .. } = self.colours;
        let width = if is_held { 3.0 } else { 2.0 };
        painter.vline(x, self.rect.y_range(), Stroke::new(width, accent));
        painter.circle_filled(pos2(x, top + 5.0), 4.5, accent);
        let number = painter.layout_no_wrap(format!("{:.0}", ends[end]), theme::small(), text);
        // The number stays within the bar.
        let aside = [-7.0 - number.size().x, 7.0][end];
        let low = self.rect.left();
        let high = self.rect.right() - number.size().x;
        painter.galley(pos2((x + aside).min(high).max(low), top + 1.0), number, text);
    }

    /// Shows the strip above the stretch, by which it is dragged as a whole.
    fn whole_ui(&self, ui: &Ui, bar: &mut TakeBar, stretch: Rect, start: f64) {
        let model = self.model;
        let strip = Rect::from_x_y_ranges(stretch.x_range(), self.rect.top()..=self.rect.top() + LEGEND_POINTS)
            .shrink2(vec2(GRASP_POINTS, 1.0))
            .intersect(self.rect);
        if !strip.is_positive() {
            return;
        }
        let response = ui
            .interact(strip, ui.scope_id().with("whole stretch"), Sense::drag())
            .on_hover_cursor(CursorIcon::Grab);
        response.widget_info(|| WidgetInfo::slider(true, start, "Stretch as a whole"));
        let is_held = response.hovered() || response.dragged();
        let strength = if is_held { 0.45 } else { 0.2 };
        ui.painter()
            .rect_filled(strip, 3.0, self.colours.accent.gamma_multiply(strength));
        if response.drag_started() {
            bar.grasped = Some(start);
        }
        let points = response.total_drag_delta().map_or(0.0, |delta| f64::from(delta.x));
        if let Some(from) = bar.grasped
            && let Some(to) = model.moved(from + points * self.frames_per_point() - start)
        {
            if response.dragged() && Some(to) != model.edit().map(|edit| edit.stretch) && points != 0.0 {
                model.ask(Action::Drag(to));
            }
            if response.drag_stopped() {
                bar.grasped = None;
                model.ask_all(model.edit().map(|edit| Action::Choose(edit.stretch)));
            }
        }
        let steps = focus::steps(ui, &response);
        model.ask_all(steps.and_then(|steps| model.moved(f64::from(steps)).map(Action::Choose)));
    }

    /// Returns the cost of the seam between two whole frames.
    fn seam_cost(&self, ends: [f64; 2]) -> f64 {
        // Costs are defined for whole frames, while a loop may begin between two.
        let [start, end] = ends.map(|at| at.round() as usize);
        self.opened
            .studied
            .analysis
            .seam_cost(start, end, SearchSettings::default().decay)
    }

    /// Returns the frame with the cheapest seam within a few points of the frame that an end is dragged to.
    fn snapped(&self, ends: [f64; 2], end: usize, to: f64) -> f64 {
        let reach = (f64::from(SNAP_POINTS) * self.frames_per_point()).floor() as i64;
        let (first, last) = match end {
            0 => (0.0, ends[1] - MIN_FRAMES),
            _ => (ends[0] + MIN_FRAMES, self.last_frame),
        };
        (-reach..=reach)
            .map(|step| to + step as f64)
            .filter(|frame| (first..=last).contains(frame))
            .map(|frame| {
                let mut ends = ends;
                ends[end] = frame;
                (self.seam_cost(ends), frame)
            })
            .min_by(|one, other| one.0.total_cmp(&other.0))
            .map_or(to, |(_, frame)| frame)
    }

    /// Words the length of the stretch and the quality of its seam, while an end is dragged.
    fn dragged_word(&self, ui: &Ui, ends: [f64; 2]) {
        let opened = self.opened;
        let colours = &self.colours;
        let painter = ui.painter();
        let secs = (ends[1] - ends[0]) * opened.take().frame_time_secs();
        let mut words = format!("{secs:.2} s");
        if let Some(random) = opened.found.random_cost.filter(|&cost| cost > 0.0) {
            let percent = 1e2 * self.seam_cost(ends) / random;
            words += &format!(", seam cost {percent:.0}% of random frames");
        }
        let at = pos2(
            0.5 * (self.x(ends[0]) + self.x(ends[1])),
            self.rect.top() + LEGEND_POINTS + 0.5 * CURVE_POINTS,
        );
        let text = painter.layout_no_wrap(words, FontId::proportional(12.0), colours.strong);
        let rect = Align2::CENTER_CENTER.anchor_size(at, text.size());
        painter.rect_filled(rect.expand(3.0), 3.0, colours.sunken);
        painter.galley(rect.min, text, colours.strong);
    }
}

pub fn take_bar_ui(ui: &mut Ui, bar: &mut TakeBar, model: &Model) {
    let Some(opened) = model.opened() else { return };
    overview_ui(ui, model, opened);
    let rows = rows(opened);
    let height = above_points(opened) + ROW_POINTS * rows.iter().map(|(row, _)| row + 1).max().unwrap_or(1) as f32;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::click_and_drag());
    let said = "Whole take: click to show that time";
    response.widget_info(|| WidgetInfo::slider(true, model.frame_shown().round(), said));
    let drawn = Bar::new(ui, model, opened, rect, model.bar_frames);
    ui.scope(|ui| {
        ui.set_clip_rect(rect.intersect(ui.clip_rect()));
        drawn.parts_ui(ui, rows);
    });
    drawn.ends_ui(ui, bar);
    let is_scrubbed = response.clicked() || response.dragged();
    if let Some(at) = response.interact_pointer_pos().filter(|_| is_scrubbed) {
        model.ask(Action::ShowFrame(drawn.frame(at.x)));
    }
    model.ask_all(focus::steps(ui, &response).map(Action::Step));
    drawn.zoom_ui(ui);
    if let Some(at) = response.hover_pos() {
        let frame = drawn.frame(at.x);
        let gait = opened
            .studied
            .analysis
            .segments
            .iter()
            .find(|segment| (segment.start_frame as f64..=segment.end_frame as f64 + 1.0).contains(&frame))
            .map_or_else(String::new, |segment| segment.gait.to_string());
        let secs = frame * opened.take().frame_time_secs();
        response.on_hover_text_at_pointer(format!(
            "{gait}, {secs:.2} s (frame {frame:.0}). Wheel: wider. Z: the stretch."
        ));
    }
}

/// Shows the whole take with its loops above the shown part of it; dragging it moves the part.
fn overview_ui(ui: &mut Ui, model: &Model, opened: &Opened) {
    let Some([first, last]) = model.bar_frames else { return };
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), OVERVIEW_POINTS), Sense::click_and_drag());
    let said = "Whole take: drag to what the bar shows";
    response.widget_info(|| WidgetInfo::slider(true, 0.5 * (first + last), said));
    let bar = Bar::new(ui, model, opened, rect, None);
    for (index, candidate) in opened.found.candidates.iter().enumerate() {
        let [start, end] = [candidate.cut.start_frame(), candidate.cut.end_frame()].map(|frame| bar.x(frame));
        let colour = bar.colour_of(model.judgement(index).grade());
        ui.painter().rect_filled(
            Rect::from_x_y_ranges(start..=end.max(start + 2.0), rect.y_range()).shrink2(vec2(0.0, 3.0)),
            0.0,
            colour,
        );
    }
    let [left, right] = [first, last].map(|frame| bar.x(frame));
    let window = Rect::from_x_y_ranges(left..=right.max(left + 4.0), rect.y_range());
    let accent = bar.colours.accent;
    ui.painter().rect_filled(window, 2.0, accent.gamma_multiply(0.25));
    ui.painter()
        .rect_stroke(window, 2.0, Stroke::new(1.0, accent), StrokeKind::Inside);
    let half = 0.5 * (last - first);
    let show = |middle: f64| model.ask(Action::ZoomBar(bar.within([middle - half, middle + half])));
    if let Some(at) = response.interact_pointer_pos() {
        show(bar.frame(at.x));
    }
    if let Some(steps) = focus::steps(ui, &response) {
        show(first + half + f64::from(steps) * half);
    }
}

/// Returns the height of the parts above the loops, points.
fn above_points(opened: &Opened) -> f32 {
    LEGEND_POINTS
        + CURVE_POINTS
        + FOOT_POINTS * opened.studied.analysis.contacts.num_feet().min(MAX_FEET) as f32
        + SEGMENT_POINTS
}

/// Room for the number beside an end, points.
const NUMBER_POINTS: f32 = 44.0;

/// Returns the row of every loop: the first in which it overlaps no earlier one, and whether there is one.
fn rows(opened: &Opened) -> Vec<(usize, bool)> {
    let mut rows: Vec<(usize, bool)> = Vec::new();
    for (index, candidate) in opened.found.candidates.iter().enumerate() {
        let before = rows.iter().zip(&opened.found.candidates[..index]).enumerate();
        // Loops that are folded under another one are not drawn.
        let taken: Vec<usize> = before
            .filter(|(number, (row, other))| {
                row.1
                    && opened.like(*number).is_none()
                    && other.cut.start_frame() < candidate.cut.end_frame()
                    && candidate.cut.start_frame() < other.cut.end_frame()
            })
            .map(|(_, (row, _))| row.0)
            .collect();
        let free = (0..MAX_ROWS).find(|row| !taken.contains(row));
        rows.push((free.unwrap_or(MAX_ROWS - 1), free.is_some()));
    }
    rows
}

/// Least range of the heading, radians.
const LEAST_TURN: f64 = core::f64::consts::FRAC_PI_2;

/// Points of the curve of an edit over the cycle.
const FALLOFF_POINTS: u32 = 96;

/// Joins spans of a line, given in order by their points on the screen, that cannot be distinguished; spans outside `within` are dropped.
fn told_apart(spans: impl Iterator<Item = [f32; 2]>, within: Rangef) -> Vec<[f32; 2]> {
    let mut joined: Vec<[f32; 2]> = Vec::new();
    for [left, right] in spans.filter(|[left, right]| *right >= within.min && *left <= within.max) {
        match joined.last_mut() {
            Some(last) if left - last[1] < LEAST_GAP_POINTS => last[1] = last[1].max(right),
            _ => joined.push([left, right]),
        }
    }
    joined
}

/// Smaller gaps between two bars are invisible, points.
const LEAST_GAP_POINTS: f32 = 0.5;

/// Width of the narrowest word, points.
const LEAST_WORD_POINTS: f32 = 12.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_that_nobody_tells_apart_are_one() {
        let screen = Rangef::new(0.0, 100.0);
        let apart = [[-9.0, -4.0], [-2.0, 3.0], [4.0, 9.0], [98.0, 140.0], [150.0, 160.0]];
        assert_eq!(told_apart(apart.into_iter(), screen), apart[1..4]);
        // Steps of an hour: at most as many bars as points, covering every stance.
        let steps = (0..7200).map(|step| step as f32 * 100.0 / 7200.0);
        let dense = told_apart(steps.clone().map(|x| [x, x + 0.01]), screen);
        assert_eq!(dense.len(), 1);
        assert!(dense[0][0] == 0.0 && dense[0][1] > 99.9, "{dense:?}");
        let longer = told_apart(steps.step_by(72).map(|x| [x, x + 0.2]), screen);
        assert_eq!(longer.len(), 100, "a gap of most of a point is seen");
    }
}
