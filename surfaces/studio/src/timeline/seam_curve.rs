//! Curves of one period with the seam in the middle: the correction of every joint, or the motion of one joint, uncut and closed.

use eframe::egui::{self, Align2, Color32, Painter, Pos2, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use loopwright_core::math::percentile::extremes;

use super::seam_channels::{Channel, Kind, Offset, channels, offsets, skeleton_of, zone_secs};
use crate::{
    flat, focus, line,
    model::{Action, Made, Model, Shown},
    panels::dropdown_ui,
    theme::{self, Tokens},
};

/// Least height of the curves, points.
const LEAST_POINTS: f32 = 70.0;

/// Height of the window from which the curves are shown by default: in a lower one they would take the room of the body, points.
const HIGH_POINTS: f32 = 800.0;

/// Room below the curves, points.
const BELOW_POINTS: f32 = 6.0;

/// Width of the list of the most moved joints, points; and the least room for the curves beside it.
const LIST_POINTS: f32 = 168.0;
const BESIDE_LIST_POINTS: f32 = 260.0;

/// Number of joints whose curves are drawn, and most that are listed.
const MOST_DRAWN: usize = 16;
const MOST_LISTED: usize = 12;

/// The curves that are drawn.
enum Curves {
    /// Corrections of all joints, the most moved first.
    Offsets(Vec<Offset>),
    /// Channels of one joint.
    Channels(Box<[Channel; 3]>),
}

/// The chosen kind of curves, and those drawn last.
#[derive(Default)]
pub struct SeamCurve {
    /// Whether the curves are shown, if the user chose; otherwise the height of the window decides.
    is_shown: Option<bool>,
    kind: Kind,
    /// With the loop, the kind and the joint that they are of.
    drawn: Option<((u64, Kind, usize), Curves)>,
}

impl SeamCurve {
    /// Whether the curves are shown; the user can then drag their height.
    pub fn is_shown(&self, ctx: &egui::Context) -> bool {
        self.is_shown.unwrap_or(ctx.content_rect().height() >= HIGH_POINTS)
    }

    pub fn seam_curve_ui(&mut self, ui: &mut Ui, model: &Model) {
        let Some(made) = model.made() else { return };
        let watched = model.watched.min(made.clip().skeleton().num_joints() - 1);
        ui.horizontal_wrapped(|ui| self.choices_ui(ui, made, watched, model));
        if !self.is_shown(ui.ctx()) {
            return;
        }
        let kind = self.kind;
        let joint = if kind.is_of_all() { 0 } else { watched };
        let of = (model.num_made, kind, joint);
        self.drawn.take_if(|(drawn, _)| *drawn != of);
        let (_, curves) = self.drawn.get_or_insert_with(|| {
            let curves = if kind.is_of_all() {
                Curves::Offsets(offsets(made, kind))
            } else {
                Curves::Channels(Box::new(channels(made, kind, joint)))
            };
            (of, curves)
        });
        // Exactly the remaining height: otherwise the panel would grow with its curves.
        let height = (ui.available_height() - BELOW_POINTS).max(LEAST_POINTS);
        let has_list = matches!(curves, Curves::Offsets(_)) && ui.available_width() > LIST_POINTS + BESIDE_LIST_POINTS;
        let width = ui.available_width() - if has_list { LIST_POINTS } else { 0.0 };
        let size = vec2(ui.available_width(), height);
        ui.allocate_ui_with_layout(size, egui::Layout::left_to_right(egui::Align::Min), |ui| {
            ui.spacing_mut().item_spacing.x = 8.0;
            let (rect, response) = ui.allocate_exact_size(vec2(width - 8.0, height), Sense::click_and_drag());
            focus::label(&response, Role::Image, "One period with the seam in the middle");
            let chart = Chart::new(ui, rect, Some(made), kind);
            match curves {
                Curves::Offsets(offsets) => chart.offsets_ui(offsets, made, model, watched),
                Curves::Channels(channels) => chart.channels_ui(channels),
            }
            chart.playhead_ui(model);
            // A click shows the time under the pointer.
            if let Some(at) = response.interact_pointer_pos()
                && model.shown() != Shown::Take
            {
                let share = f64::from((at.x - rect.left()) / rect.width().max(1.0)).clamp(0.0, 1.0);
                let phase = (share + 0.5).rem_euclid(1.0);
                model.ask(Action::Seek(phase * model.span_secs()));
            }
            model.ask_all(focus::steps(ui, &response).map(Action::Step));
            if let (Curves::Offsets(offsets), true) = (&*curves, has_list) {
                ui.vertical(|ui| list_ui(ui, offsets, kind, model));
            }
        });
    }

    /// Shows the choices: whether curves are shown, their kind, and their joint.
    fn choices_ui(&mut self, ui: &mut Ui, made: &Made, watched: usize, model: &Model) {
        let mut is_shown = self.is_shown(ui.ctx());
        let shown = ui.checkbox(&mut is_shown, "Curves over the seam");
        if shown.on_hover_text("One period, the seam in the middle").changed() {
            self.is_shown = Some(is_shown);
        }
        if !is_shown {
            return;
        }
        for kind in Kind::ALL {
            let is_chosen = self.kind == kind;
            let [word, tip] = kind.words();
            let response = ui.selectable_label(is_chosen, word);
            let name = format!("Curves: {word}");
            response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_chosen, &name));
            if response.on_hover_text(tip).clicked() {
                self.kind = kind;
            }
        }
        joint_ui(ui, made, watched, model);
    }
}

/// Shows the list of joints whose curves can be drawn.
pub fn joint_ui(ui: &mut Ui, made: &Made, watched: usize, model: &Model) {
    let skeleton = made.clip().skeleton();
    let list = egui::ComboBox::from_id_salt("joint").selected_text(&skeleton.joint(watched).name);
    dropdown_ui(ui, list, "Joint of the curves", |ui| {
        for (index, joint) in skeleton.joints().iter().enumerate() {
            if ui.selectable_label(index == watched, &joint.name).clicked() {
                model.ask(Action::Watch(index));
            }
        }
    });
}

/// Shows the most moved joints, to choose from.
fn list_ui(ui: &mut Ui, offsets: &[Offset], kind: Kind, model: &Model) {
    let Some(made) = model.made() else { return };
    let skeleton = skeleton_of(made);
    let (factor, unit) = kind.unit();
    egui::ScrollArea::vertical()
        .max_height(ui.available_height())
        .auto_shrink([false, true])
        .show(ui, |ui| {
            ui.set_width(LIST_POINTS - 18.0);
            ui.spacing_mut().item_spacing.y = 1.0;
            ui.spacing_mut().interact_size.y = 17.0;
            ui.spacing_mut().button_padding.y = 0.0;
            if offsets.is_empty() {
                ui.weak("Nothing is added.");
            }
            for offset in offsets.iter().take(MOST_LISTED) {
                let joint = shown_joint(model, offset.joint);
                let name = &skeleton.joint(offset.joint).name;
                let words = format!("{name}  {:.1}{unit}", factor * offset.most);
                let words = egui::RichText::new(words).font(theme::small());
                let is_chosen = joint == Some(model.watched);
                let button = egui::Button::selectable(is_chosen, words).truncate();
                if ui.add(button).clicked() {
                    model.ask_all(joint.map(Action::Watch));
                }
            }
        });
}

/// Returns the joint of the shown body that follows a joint of the take.
fn shown_joint(model: &Model, of_take: usize) -> Option<usize> {
    let opened = model.opened()?;
    (0..opened.skeleton().num_joints()).find(|&joint| opened.joint_of_take(joint) == Some(of_take))
}

/// The area of the curves.
pub struct Chart {
    rect: Rect,
    painter: Painter,
    colours: Tokens,
    kind: Kind,
}

impl Chart {
    /// Creates an empty chart, with the seam and the times over which closing acts.
    pub fn new(ui: &Ui, rect: Rect, made: Option<&Made>, kind: Kind) -> Self {
        let painter = ui.painter_at(rect);
        let colours = theme::of(ui);
        flat::fill(&painter, rect, colours.sunken);
        let middle = rect.center().x;
        let word = |at: Pos2, text: &str| {
            painter.text(
                at + vec2(4.0, -2.0),
                Align2::LEFT_BOTTOM,
                text,
                theme::small(),
                colours.weak,
            );
        };
        if let Some(made) = made {
            let period = made.period_secs().max(f64::MIN_POSITIVE);
            let [after, before] = zone_secs(made).map(|secs| rect.width() * (secs / period).min(0.5) as f32);
            painter.rect_filled(
                Rect::from_x_y_ranges(middle - before..=middle + after, rect.y_range()),
                0.0,
                colours.accent.gamma_multiply(0.08),
            );
            word(rect.left_bottom(), "shaded: blended");
        }
        painter.vline(middle, rect.y_range(), Stroke::new(1.0, colours.weak));
        word(rect.center_bottom(), "seam");
        Self {
            rect,
            painter,
            colours,
            kind,
        }
    }

    /// Returns the point of a value at a share of the period; values lie within a range about a middle.
    fn at(&self, share: f64, value: f64, range: f64) -> Pos2 {
        let drawn = self.rect.shrink2(vec2(0.0, 12.0));
        pos2(
            self.rect.left() + self.rect.width() * share as f32,
            drawn.center().y - drawn.height() * (value / range.max(f64::MIN_POSITIVE)) as f32,
        )
    }

    /// Returns the curve of values before and after the seam. A loop of an hour has more values than the screen has points: of those that
    /// share one, the least and the greatest are drawn.
    fn lines(&self, values: &[f64], middle: f64, range: f64) -> [Vec<Pos2>; 2] {
        let intervals = values.len().saturating_sub(1);
        let middle_sample = intervals / 2;
        let columns = self.rect.width().max(1.0) as usize;
        // Before the seam lies the second half of the period, after it the first half.
        [(-0.5, middle_sample..=intervals), (0.5, 0..=middle_sample)].map(|(aside, samples)| {
            let at = |sample: usize| {
                let share = sample as f64 / intervals.max(1) as f64 + aside;
                self.at(share, values[sample] - middle, range)
            };
            let (first, last) = samples.into_inner();
            let stride = (last - first).div_ceil(columns).max(1);
            if stride == 1 {
                return (first..=last).map(at).collect();
            }
            let by_value = |one: &usize, other: &usize| values[*one].total_cmp(&values[*other]);
            (first..=last)
                .step_by(stride)
                .flat_map(|from| {
                    let column = from..=(from + stride - 1).min(last);
                    let extremes = [column.clone().min_by(by_value), column.max_by(by_value)];
                    extremes.map(|sample| pos2(at(from).x, at(sample.unwrap_or(from)).y))
                })
                .collect()
        })
    }

    /// Draws the curve of values.
    fn draw(&self, values: &[f64], range: f64, width: f32, colour: Color32) {
        for line in self.lines(values, 0.0, range) {
            self.painter.add(line::through(line, Stroke::new(width, colour)));
        }
    }

    /// Draws the corrections of the most moved joints, and on top that of `watched`, a joint of the shown body; corrections are of joints
    /// of the take.
    fn offsets_ui(&self, offsets: &[Offset], made: &Made, model: &Model, watched: usize) {
        let chosen = model.opened().and_then(|opened| opened.joint_of_take(watched));
        let most = offsets.iter().map(|offset| offset.most).fold(0.0, f64::max);
        let range = 2.0 * most.max(0.5 * self.kind.least());
        let Tokens { accent, weak, .. } = self.colours;
        let zero = self.at(0.0, 0.0, range).y;
        self.painter
            .hline(self.rect.x_range(), zero, Stroke::new(1.0, weak.gamma_multiply(0.4)));
        let of_chosen = offsets.iter().find(|offset| Some(offset.joint) == chosen);
        let most_moved = offsets.iter().take(MOST_DRAWN);
        for offset in most_moved.filter(|offset| Some(offset.joint) != chosen) {
            self.draw(&offset.values, range, 1.0, weak.gamma_multiply(0.7));
        }
        if let Some(offset) = of_chosen {
            for line in self.lines(&offset.values, 0.0, range) {
                let ground: Vec<Pos2> = line.iter().map(|point| pos2(point.x, zero)).collect();
                self.fill(&line, &ground, accent);
            }
            self.draw(&offset.values, range, 2.0, accent);
        }
        let (factor, unit) = self.kind.unit();
        let name = chosen.map_or("", |joint| skeleton_of(made).joint(joint).name.as_str());
        let most_of_chosen = of_chosen.map_or(0.0, |offset| offset.most);
        let words = [
            (format!("at most {:.1}{unit}", factor * most), weak),
            (format!("{name} {:.1}{unit}", factor * most_of_chosen), accent),
        ];
        self.legend(&words);
    }

    /// Draws the channels of one joint, uncut and closed.
    fn channels_ui(&self, channels: &[Channel; 3]) {
        let extents = channels
            .each_ref()
            .map(|channel| extremes(channel.before.iter().chain(&channel.after).copied()));
        let range = extents
            .iter()
            .map(|(low, high)| high - low)
            .fold(self.kind.least(), f64::max);
        let Tokens { weak, strong, .. } = self.colours;
        let colours = self.colours.axes();
        for ((channel, (low, high)), colour) in channels.iter().zip(extents).zip(colours) {
            let middle = 0.5 * (low + high);
            let mut after = channel.after.clone();
            after.extend(channel.after.first());
            let before = self.lines(&channel.before, middle, range);
            let after = self.lines(&after, middle, range);
            for (before, after) in before.into_iter().zip(after) {
                self.fill(&before, &after, colour);
                self.painter
                    .add(line::through(before, Stroke::new(1.0, strong.gamma_multiply(0.75))));
                self.painter.add(line::through(after, Stroke::new(2.0, colour)));
            }
        }
        let (factor, unit) = self.kind.unit();
        let mut words: Vec<(String, Color32)> = self
            .kind
            .axes()
            .into_iter()
            .zip(extents)
            .zip(colours)
            .map(|((axis, (low, high)), colour)| (format!("{axis} {:.1}{unit}", factor * (high - low)), colour))
            .collect();
        words.push(("thin: uncut, bold: loop".to_owned(), weak));
        self.legend(&words);
    }

    /// Draws the corrections of a joint in compared loops.
    pub fn compared_ui(&self, offsets: &[(Vec<f64>, Color32)]) {
        let values = offsets.iter().flat_map(|(values, _)| values);
        let range = 2.0 * values.fold(0.5 * self.kind.least(), |most, value| most.max(value.abs()));
        for (values, colour) in offsets {
            self.draw(values, range, 1.5, *colour);
        }
    }

    /// Fills the area between two lines whose points correspond, or nearly so.
    fn fill(&self, one: &[Pos2], other: &[Pos2], colour: Color32) {
        self.painter.add(line::area(
            one.iter().zip(other).map(|(&one, &other)| [one, other]),
            colour.gamma_multiply(0.3),
        ));
    }

    /// Writes words in a row along the upper edge, as far as there is room.
    pub fn legend(&self, words: &[(String, Color32)]) {
        let mut x = self.rect.left() + 6.0;
        for (text, colour) in words {
            let text = self.painter.layout_no_wrap(text.clone(), theme::small(), *colour);
            if x + text.size().x > self.rect.right() {
                break;
            }
            let at = pos2(x, self.rect.top() + 2.0);
            x += text.size().x + 14.0;
            self.painter.galley(at, text, *colour);
        }
    }

    pub fn playhead_ui(&self, model: &Model) {
        if !matches!(model.shown(), Shown::Loop | Shown::Uncut) {
            return;
        }
        let span = model.span_secs();
        let x = self.rect.left()
            + self.rect.width()
                * (model.playback.secs_in(span) / span.max(f64::MIN_POSITIVE) + 0.5).rem_euclid(1.0) as f32;
        self.painter
            .vline(x, self.rect.y_range(), Stroke::new(1.0, self.colours.strong));
    }
}
