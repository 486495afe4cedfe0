//! Two periods of a joint's path with the seam in the middle, before closing and after.

use eframe::egui::{self, Align2, FontId, Rect, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};
use glam::DVec3;

use crate::focus;
use crate::model::{Action, Made, Model, Shown};

/// Height of the curves, points.
const HEIGHT: f32 = 84.0;

/// Windows lower than this show the curves only where one asks for them: they would take the body's place, points.
const HIGH_POINTS: f32 = 800.0;

/// Least range of a curve, metres: what moves less is drawn flat instead of as noise.
const LEAST_METRES: f64 = 0.02;

/// A direction seen from the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Axis {
    #[default]
    Up,
    Ahead,
    Left,
}

impl Axis {
    const ALL: [Self; 3] = [Self::Up, Self::Ahead, Self::Left];

    fn word(self) -> &'static str {
        match self {
            Self::Up => "height",
            Self::Ahead => "ahead",
            Self::Left => "to the left",
        }
    }

    fn of(self, position: DVec3) -> f64 {
        match self {
            Self::Up => position.y,
            Self::Ahead => position.z,
            Self::Left => position.x,
        }
    }
}

/// One period of a curve before closing, with the last sample that meets the first, and after.
#[derive(Debug)]
struct Curves {
    /// Which loop, which joint and which axis.
    of: (u64, usize, Axis),
    before: Vec<f64>,
    after: Vec<f64>,
}

/// The chosen axis, and the curves drawn last.
#[derive(Debug, Default)]
pub(crate) struct SeamCurve {
    /// Whether the curves are shown, once that was chosen; else where the window is high enough.
    is_shown: Option<bool>,
    axis: Axis,
    curves: Option<Curves>,
}

impl SeamCurve {
    pub(crate) fn seam_curve_ui(&mut self, ui: &mut Ui, model: &Model, actions: &mut Vec<Action>) {
        let Some(made) = model.made() else { return };
        let skeleton = made.done.made.loop_clip.skeleton();
        let watched = model.watched.min(skeleton.num_joints() - 1);
        let row = ui.horizontal_wrapped(|ui| {
            let mut is_shown = self.is_shown.unwrap_or(ui.ctx().content_rect().height() >= HIGH_POINTS);
            let shown = ui.checkbox(&mut is_shown, "Curves over the seam");
            if shown
                .on_hover_text("A joint's path over two periods, the seam in the middle")
                .changed()
            {
                self.is_shown = Some(is_shown);
            }
            if !is_shown {
                return false;
            }
            egui::ComboBox::from_id_salt("joint")
                .selected_text(&skeleton.joint(watched).name)
                .show_ui(ui, |ui| {
                    for (index, joint) in skeleton.joints().iter().enumerate() {
                        if ui.selectable_label(index == watched, &joint.name).clicked() {
                            actions.push(Action::Watch(index));
                        }
                    }
                })
                .response
                .widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, "Joint of the curves"));
            for axis in Axis::ALL {
                ui.selectable_value(&mut self.axis, axis, axis.word());
            }
            ui.weak("thin: uncut, bold: loop");
            true
        });
        if !row.inner {
            return;
        }
        let of = (model.num_made(), watched, self.axis);
        if self.curves.as_ref().is_none_or(|curves| curves.of != of) {
            self.curves = None;
        }
        let curves = self.curves.get_or_insert_with(|| Curves::new(made, of));
        curves.curves_ui(ui, model, actions);
    }
}

impl Curves {
    fn new(made: &Made, of: (u64, usize, Axis)) -> Self {
        let (_, joint, axis) = of;
        let after = made.done.made.loop_clip.tracks_from_root();
        let source = &made.done.made.source.clip;
        let before = (0..=source.num_intervals())
            .map(|sample| {
                let world = source.pose(sample as isize).world(source.skeleton());
                axis.of(world.translations[joint])
            })
            .collect();
        Self {
            of,
            before,
            after: (0..after.num_frames())
                .map(|sample| axis.of(after.position(sample, joint)))
                .collect(),
        }
    }

    fn curves_ui(&self, ui: &mut Ui, model: &Model, actions: &mut Vec<Action>) {
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::click_and_drag());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, "Two periods with the seam in the middle"));
        let is_scrubbed = (response.clicked() || response.dragged()) && model.shown() != Shown::Take;
        if let Some(at) = response.interact_pointer_pos().filter(|_| is_scrubbed) {
            // The seam is in the middle of two periods.
            let share = 2.0 * f64::from((at.x - rect.left()) / rect.width().max(1.0));
            actions.push(Action::Seek(share.rem_euclid(1.0) * model.span_secs()));
        }
        let steps = focus::steps(ui, &response);
        if steps != 0 {
            actions.push(Action::Step(steps));
        }
        let visuals = ui.visuals();
        let painter = ui.painter_at(rect);
        painter.rect_filled(rect, 3.0, visuals.extreme_bg_color);
        let values = || self.before.iter().chain(&self.after).copied();
        let (low, high) = (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max));
        let (middle, range) = (0.5 * (low + high), (high - low).max(LEAST_METRES));
        let drawn = Rect::from_min_max(rect.min + vec2(0.0, 8.0), rect.max - vec2(0.0, 8.0));
        let at = |share: f64, value: f64| {
            let y = drawn.center().y - drawn.height() * ((value - middle) / range) as f32;
            pos2(rect.left() + rect.width() * share as f32, y)
        };
        painter.vline(
            rect.center().x,
            rect.y_range(),
            Stroke::new(1.0, visuals.weak_text_color()),
        );
        let samples = (self.after.len()).max(1) as f64;
        for period in 0..2 {
            let share = |sample: usize| 0.5 * (f64::from(period) + sample as f64 / samples);
            let before = self.before.iter().enumerate();
            let line = before.map(|(sample, &value)| at(share(sample), value)).collect();
            painter.add(Shape::line(line, Stroke::new(1.0, visuals.weak_text_color())));
        }
        let line = (0..=2 * self.after.len()).map(|sample| {
            let value = self.after[sample % self.after.len()];
            at(0.5 * sample as f64 / samples, value)
        });
        painter.add(Shape::line(
            line.collect(),
            Stroke::new(2.0, visuals.selection.stroke.color),
        ));
        let font = FontId::proportional(10.5);
        let text = visuals.weak_text_color();
        painter.text(
            rect.center_top() + vec2(4.0, 1.0),
            Align2::LEFT_TOP,
            "seam",
            font.clone(),
            text,
        );
        let extent = format!("{:.1} cm", 1e2 * (high - low));
        painter.text(rect.left_top() + vec2(4.0, 1.0), Align2::LEFT_TOP, extent, font, text);
        if model.shown() != Shown::Take {
            let span = model.span_secs();
            // Half a period on, so that the seam is crossed in the middle.
            let share = (model.playback.secs_in(span) / span.max(f64::MIN_POSITIVE) + 0.5).rem_euclid(1.0);
            let x = rect.left() + rect.width() * (0.25 + 0.5 * share as f32);
            painter.vline(x, rect.y_range(), Stroke::new(1.0, visuals.strong_text_color()));
        }
    }
}
