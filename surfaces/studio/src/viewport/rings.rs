//! Three rings around the chosen joint, about the axes of its parent: dragging one turns the joint at the time shown.

use std::f64::consts::TAU;

use eframe::egui::{Align2, Color32, CursorIcon, FontId, Pos2, Rect, Response, Shape, Stroke, Ui, Vec2, vec2};
use glam::{DQuat, DVec3};

use crate::{
    camera::View,
    model::{Action, Edit, Model},
    theme,
};

/// Radius of the rings, points of the screen.
const RADIUS_POINTS: f64 = 58.0;

/// Distance within which the mouse grasps a ring, points.
const GRASP_POINTS: f32 = 8.0;

/// Points of a ring.
const CORNERS: usize = 64;

/// Least length of a ring's tangent on the screen, as a share of its radius: on a ring seen edge-on, a drag of one point would turn the
/// joint by much.
const LEAST_TANGENT: f32 = 0.35;

/// The rings as last drawn, and the one being dragged.
#[derive(Default)]
pub struct Rings {
    seen: [Vec<Pos2>; 3],
    pub dragged: Option<Dragged>,
}

pub struct Dragged {
    axis: usize,
    /// The point where it was grasped, and the movement of that point on the screen, points per radian.
    from: Pos2,
    tangent: Vec2,
    /// The choices before the drag, and the time of the loop that is edited, seconds.
    before: Box<Edit>,
    secs: f64,
}

/// The place of the rings.
pub struct Place<'a> {
    pub joint: usize,
    pub centre: DVec3,
    /// From the axes of the joint's parent to those of the world.
    pub axes: DQuat,
    pub view: &'a View,
    pub rect: Rect,
}

impl Place<'_> {
    /// Returns a point of the ring about an axis, in the world.
    fn corner(&self, axis: usize, corner: usize) -> DVec3 {
        let radius = RADIUS_POINTS * self.view.metres_per_point(self.centre);
        let (sin, cos) = (TAU * corner as f64 / CORNERS as f64).sin_cos();
        let [one, other] = [(axis + 1) % 3, (axis + 2) % 3].map(|axis| DVec3::AXES[axis]);
        self.centre + self.axes * (radius * (cos * one + sin * other))
    }

    /// Shows above the rings how far the joint is turned, radians.
    fn angle_ui(&self, ui: &Ui, joint_name: &str, angle: f64) {
        let Some(centre) = self.view.see(self.centre) else {
            return;
        };
        let painter = ui.painter_at(self.rect);
        let colours = theme::of(ui);
        let words = format!("{joint_name} {:+.1}°", angle.to_degrees());
        let at = centre + vec2(0.0, -RADIUS_POINTS as f32 - 8.0);
        let text = painter.layout_no_wrap(words, FontId::proportional(13.0), colours.strong);
        let rect = Align2::CENTER_BOTTOM.anchor_size(at, text.size());
        painter.rect_filled(rect.expand(3.0), 4.0, colours.ground.gamma_multiply(0.8));
        painter.galley(rect.min, text, Color32::PLACEHOLDER);
    }
}

impl Rings {
    /// Draws the rings, and follows the mouse.
    pub fn rings_ui(&mut self, ui: &Ui, model: &Model, place: &Place, response: &Response) {
        let (Some(made), Some(edit)) = (model.made(), model.edit()) else {
            return;
        };
        let clip = made.clip();
        for axis in 0..3 {
            self.seen[axis] = (0..=CORNERS)
                .filter_map(|corner| place.view.see(place.corner(axis, corner)))
                .collect();
        }
        if self.seen.iter().any(|seen| seen.len() != CORNERS + 1) {
            return;
        }
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
                model.ask(Action::TogglePlaying);
            }
        }
        self.paint(ui, place, response.hover_pos());
        if let (Some(dragged), Some(at)) = (&self.dragged, response.interact_pointer_pos()) {
            let name = &clip.skeleton().joint(place.joint).name;
            let turn = f64::from((at - dragged.from).dot(dragged.tangent) / dragged.tangent.length_sq());
            place.angle_ui(ui, name, turn);
            let edit = dragged
                .before
                .turned(name, dragged.secs, turn * DVec3::AXES[dragged.axis], clip);
            model.ask(Action::Edit {
                edit: Box::new(edit),
                is_final: response.drag_stopped(),
            });
        }
        if response.drag_stopped() {
            self.dragged = None;
        }
    }

    /// Paints the rings, with the one that is dragged or below the pointer in bold.
    fn paint(&self, ui: &Ui, place: &Place, pointer: Option<Pos2>) {
        let bold = match &self.dragged {
            Some(dragged) => Some(dragged.axis),
            None => pointer.and_then(|pointer| Some(self.grasped(pointer, place.rect)?.0)),
        };
        if bold.is_some() {
            ui.ctx()
                .set_cursor_icon([CursorIcon::Grab, CursorIcon::Grabbing][usize::from(self.dragged.is_some())]);
        }
        let painter = ui.painter_at(place.rect);
        let colours = theme::of(ui).axes();
        for axis in 0..3 {
            let width = if bold == Some(axis) { 3.5 } else { 2.0 };
            for corner in 0..CORNERS {
                let is_before = place.view.is_before(place.corner(axis, corner), place.centre);
                let colour = colours[axis].gamma_multiply(if is_before { 1.0 } else { 0.3 });
                painter.add(Shape::line_segment(
                    [self.seen[axis][corner], self.seen[axis][corner + 1]],
                    Stroke::new(width, colour),
                ));
            }
        }
    }

    /// Returns the ring near a point of the screen, and its corner there.
    fn grasped(&self, pointer: Pos2, rect: Rect) -> Option<(usize, usize)> {
        self.seen
            .iter()
            .enumerate()
            .flat_map(|(axis, seen)| {
                seen.iter()
                    .take(CORNERS)
                    .enumerate()
                    .map(move |(corner, at)| (at.distance(pointer), axis, corner))
            })
            .min_by(|one, other| one.0.total_cmp(&other.0))
            .filter(|(distance, ..)| *distance <= GRASP_POINTS && rect.contains(pointer))
            .map(|(_, axis, corner)| (axis, corner))
    }

    /// Returns a point of a ring on the screen.
    #[cfg(test)]
    pub fn point(&self, axis: usize, corner: usize) -> Pos2 {
        self.seen[axis][corner]
    }
}
