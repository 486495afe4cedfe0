//! A small chart: curves over one axis, with words at its corners.

use eframe::egui::{Align2, Color32, FontId, Pos2, Rect, Role, Sense, Stroke, Ui, pos2, vec2};

use crate::{focus, line};

/// Height of a chart, points.
const HEIGHT: f32 = 96.0;

/// Room for the scroll bar of the panels, points.
pub const SCROLL_POINTS: f32 = 10.0;

/// The area of a chart, and the values at its sides.
pub struct Chart {
    rect: Rect,
    across: [f64; 2],
    up: [f64; 2],
}

impl Chart {
    /// Shows an empty chart with its name for screen readers.
    pub fn new(ui: &mut Ui, name: &str, across: [f64; 2], up: [f64; 2]) -> Self {
        let (rect, response) =
            ui.allocate_exact_size(vec2(ui.available_width() - SCROLL_POINTS, HEIGHT), Sense::hover());
        focus::label(&response, Role::Image, name);
        ui.painter().rect_filled(rect, 3.0, ui.visuals().extreme_bg_color);
        Self { rect, across, up }
    }

    /// Lays a chart over an existing drawing.
    pub fn over(rect: Rect, across: [f64; 2], up: [f64; 2]) -> Self {
        Self { rect, across, up }
    }

    /// Returns the values at a point of the chart.
    pub fn values(&self, at: Pos2) -> [f64; 2] {
        let drawn = self.rect.shrink2(vec2(2.0, 6.0));
        let share = (at - drawn.left_bottom()) / drawn.size();
        [(share.x, self.across), (-share.y, self.up)]
            .map(|(share, [low, high])| low + f64::from(share.clamp(0.0, 1.0)) * (high - low))
    }

    pub fn at(&self, x: f64, y: f64) -> Pos2 {
        let [x, y] = [(x, self.across), (y, self.up)]
            .map(|(value, [low, high])| ((value - low) / (high - low).max(f64::MIN_POSITIVE)) as f32);
        let drawn = self.rect.shrink2(vec2(2.0, 6.0));
        pos2(drawn.left() + drawn.width() * x, drawn.bottom() - drawn.height() * y)
    }

    pub fn line(&self, ui: &Ui, points: impl Iterator<Item = [f64; 2]>, width: f32, colour: Color32) {
        ui.painter_at(self.rect).add(line::through(
            points.map(|[x, y]| self.at(x, y)).collect(),
            Stroke::new(width, colour),
        ));
    }

    pub fn upright(&self, ui: &Ui, x: f64, colour: Color32) {
        ui.painter_at(self.rect)
            .vline(self.at(x, self.up[0]).x, self.rect.y_range(), Stroke::new(1.0, colour));
    }

    pub fn dot(&self, ui: &Ui, x: f64, y: f64, colour: Color32) {
        ui.painter_at(self.rect).circle_filled(self.at(x, y), 3.0, colour);
    }

    pub fn word(&self, ui: &Ui, corner: Align2, text: &str) {
        let at = corner.pos_in_rect(&self.rect.shrink(4.0));
        ui.painter_at(self.rect).text(
            at,
            corner,
            text,
            FontId::proportional(10.5),
            ui.visuals().weak_text_color(),
        );
    }
}
