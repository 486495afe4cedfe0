//! Three rings around the chosen joint, about the axes of its parent: dragging one turns the joint at the time shown.

use std::f64::consts::TAU;

use eframe::egui::{Align2, Color32, CursorIcon, FontId, Pos2, Rect, Response, Shape, Stroke, Ui, Vec2, vec2};
use glam::{DQuat, DVec3};

use crate::camera::View;
use crate::model::{Action, Edit, Model};
use crate::theme::Tokens;

/// Radius of the rings, points of the screen.
const RADIUS_POINTS: f64 = 58.0;

/// How near the mouse grasps a ring, points.
const GRASP_POINTS: f32 = 8.0;

/// Points of a ring.
const CORNERS: usize = 64;

/// A ring that is seen from its edge is no longer along the screen than this share of its radius: a drag of one point would turn it by
/// much.
const LEAST_TANGENT: f32 = 0.35;

/// The rings as they were drawn last, and the one that is dragged.
#[derive(Debug, Default)]
pub(super) struct Rings {
    seen: [Vec<Pos2>; 3],
    dragged: Option<Dragged>,
}

#[derive(Debug)]
struct Dragged {
    axis: usize,
    /// Where it was grasped, and where that point of the ring goes, points for each radian.
    from: Pos2,
    tangent: Vec2,
    /// The choices before, and the time of the loop that is edited, seconds.
    before: Box<Edit>,
    secs: f64,
}

/// Where the rings lie.
pub(super) struct Place<'a> {
    pub(super) joint: usize,
    pub(super) centre: DVec3,
    /// From the axes of the joint's parent to those of the world.
    pub(super) axes: DQuat,
    pub(super) view: &'a View,
    pub(super) rect: Rect,
}

impl Rings {
    /// Whether one is dragged: the drag does not turn the view.
    pub(super) fn are_dragged(&self) -> bool {
        self.dragged.is_some()
    }

    /// Draws them, and follows the mouse.
    pub(super) fn rings_ui(
        &mut self,
        ui: &Ui,
        model: &Model,
        place: &Place<'_>,
        response: &Response,
        tokens: &Tokens,
        actions: &mut Vec<Action>,
    ) {
        let (Some(made), Some(edit)) = (model.made(), model.edit()) else {
            return;
        };
        let clip = &made.done.made.loop_clip;
        let radius = RADIUS_POINTS * place.view.metres_per_point(place.centre);
        let ring = |axis: usize, corner: usize| {
            let (sin, cos) = (TAU * corner as f64 / CORNERS as f64).sin_cos();
            let [one, other] = [(axis + 1) % 3, (axis + 2) % 3].map(|axis| DVec3::AXES[axis]);
            place.centre + place.axes * (radius * (cos * one + sin * other))
        };
        for axis in 0..3 {
            let corners = (0..=CORNERS).filter_map(|corner| place.view.see(ring(axis, corner)));
            self.seen[axis] = corners.map(|seen| seen.at).collect();
        }
        if self.seen.iter().any(|seen| seen.len() != CORNERS + 1) {
            return;
        }
        let joint_name = &clip.skeleton().joint(place.joint).name;
        if response.drag_started()
            && let Some(from) = ui.input(|input| input.pointer.press_origin())
            && let Some((axis, corner)) = self.grasped(from, place.rect)
        {
            let tangent = self.seen[axis][corner + 1] - self.seen[axis][corner];
            let tangent = tangent * (CORNERS as f32 / std::f32::consts::TAU);
            let least = LEAST_TANGENT * RADIUS_POINTS as f32;
            self.dragged = Some(Dragged {
                axis,
                from,
                tangent: tangent.normalized() * tangent.length().max(least),
                before: Box::new(edit.clone()),
                secs: model.playback.secs_in(clip.period_secs()),
            });
            if model.playback.is_playing {
                actions.push(Action::TogglePlaying);
            }
        }
        let mut angle = None;
        if let (Some(dragged), Some(at)) = (&self.dragged, response.interact_pointer_pos()) {
            let turn = f64::from((at - dragged.from).dot(dragged.tangent) / dragged.tangent.length_sq());
            angle = Some(turn);
            let edit = dragged
                .before
                .turned(joint_name, dragged.secs, turn * DVec3::AXES[dragged.axis], clip);
            actions.push(Action::Edit {
                edit: Box::new(edit),
                is_final: response.drag_stopped(),
            });
        }
        let under = match (&self.dragged, response.hover_pos()) {
            (Some(dragged), _) => Some(dragged.axis),
            (None, Some(pointer)) => self.grasped(pointer, place.rect).map(|(axis, _)| axis),
            (None, None) => None,
        };
        if under.is_some() {
            let icon = [CursorIcon::Grab, CursorIcon::Grabbing][usize::from(self.dragged.is_some())];
            ui.ctx().set_cursor_icon(icon);
        }
        let painter = ui.painter_at(place.rect);
        for axis in 0..3 {
            let width = if under == Some(axis) { 3.5 } else { 2.0 };
            for corner in 0..CORNERS {
                let is_before = place.view.is_before(ring(axis, corner), place.centre);
                let colour = tokens.axes[axis].gamma_multiply(if is_before { 1.0 } else { 0.3 });
                let ends = [self.seen[axis][corner], self.seen[axis][corner + 1]];
                painter.add(Shape::line_segment(ends, Stroke::new(width, colour)));
            }
        }
        if let (Some(angle), Some(centre)) = (angle, place.view.see(place.centre)) {
            let words = format!("{joint_name} {:+.1}°", angle.to_degrees());
            let at = centre.at + vec2(0.0, -RADIUS_POINTS as f32 - 8.0);
            let text = painter.layout_no_wrap(words, FontId::proportional(13.0), ui.visuals().strong_text_color());
            let rect = Align2::CENTER_BOTTOM.anchor_size(at, text.size());
            painter.rect_filled(rect.expand(3.0), 4.0, ui.visuals().panel_fill.gamma_multiply(0.8));
            painter.galley(rect.min, text, Color32::PLACEHOLDER);
        }
        if response.drag_stopped() {
            self.dragged = None;
        }
    }

    /// The ring near a point of the screen, and its corner there.
    fn grasped(&self, pointer: Pos2, rect: Rect) -> Option<(usize, usize)> {
        let near = |axis: usize| {
            let corners = self.seen[axis].iter().take(CORNERS).enumerate();
            corners.map(move |(corner, at)| (at.distance(pointer), axis, corner))
        };
        let nearest = (0..3).flat_map(near).min_by(|one, other| one.0.total_cmp(&other.0));
        nearest
            .filter(|(distance, ..)| *distance <= GRASP_POINTS && rect.contains(pointer))
            .map(|(_, axis, corner)| (axis, corner))
    }

    /// A point of a ring on the screen.
    #[cfg(test)]
    pub(super) fn point(&self, axis: usize, corner: usize) -> Pos2 {
        self.seen[axis][corner]
    }
}
