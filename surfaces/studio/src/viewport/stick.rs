//! A stick over the view, for fingers and the mouse: its displacement sets the direction and speed of the character.

use eframe::egui::{Id, Rect, Sense, Stroke, Ui, Vec2, WidgetInfo, vec2};

use crate::model::{Action, Model, Steer};

/// Reach of the stick, points, and distance of its middle from a lower corner of the view: in narrow windows the left one, above the row of
/// controls there.
const REACH_POINTS: f32 = 44.0;
const RIGHT_POINTS: Vec2 = vec2(-110.0, -64.0);
const LEFT_POINTS: Vec2 = vec2(60.0, -112.0);

/// Shows the stick of a played set.
pub fn stick_ui(ui: &Ui, rect: Rect, model: &Model) {
    let Some(steered) = model.steered_here() else { return };
    let centre = if crate::theme::is_narrow(ui) {
        rect.left_bottom() + LEFT_POINTS
    } else {
        rect.right_bottom() + RIGHT_POINTS
    };
    let response = ui.interact(
        Rect::from_center_size(centre, Vec2::splat(2.0 * REACH_POINTS)),
        Id::unique("stick"),
        Sense::drag(),
    );
    let pointer = response.interact_pointer_pos().filter(|_| response.dragged());
    let drawn = pointer.map_or(Vec2::ZERO, |pointer| {
        let drawn = pointer - centre;
        drawn * (REACH_POINTS / drawn.length().max(REACH_POINTS))
    });
    let share = f64::from(drawn.length() / REACH_POINTS);
    response.widget_info(|| WidgetInfo::slider(true, share, "Stick: drag to walk"));
    let colour = ui.visuals().text_color();
    let painter = ui.painter_at(rect);
    painter.circle(
        centre,
        REACH_POINTS,
        ui.visuals().panel_fill.gamma_multiply(0.5),
        Stroke::new(1.0, colour),
    );
    painter.circle_filled(centre + drawn, 0.4 * REACH_POINTS, colour.gamma_multiply(0.6));
    if pointer.is_some() || response.drag_stopped() {
        let [_, fastest] = steered.speeds();
        let share = drawn / REACH_POINTS;
        let velocity = fastest * model.camera.on_ground([f64::from(share.x), -f64::from(share.y)]);
        model.ask(Action::Steer(Steer::Velocity(velocity)));
    }
}
