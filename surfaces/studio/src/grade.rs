//! The light of a grade: a colour and a shape beside its word, never in place of it.

use eframe::egui::{Color32, Painter, Pos2, Rect, Sense, Shape, Stroke, Ui, Vec2, vec2};
use loopwright_formats::loop_file::facts::Grade;

use crate::theme::{self, Tokens};

pub fn colour(grade: Grade, tokens: &Tokens) -> Color32 {
    match grade {
        Grade::Good => tokens.good,
        Grade::Review => tokens.review,
        Grade::Bad => tokens.bad,
    }
}

/// Half the height of a light, points.
const LIGHT_POINTS: f32 = 4.5;

/// Shows the light of a grade: a disc, a triangle or a square, so that it does not depend on colour alone. Painted, since not every font
/// has these shapes.
pub fn light_ui(ui: &mut Ui, grade: Grade) {
    let (rect, _) = ui.allocate_exact_size(vec2(12.0, 12.0), Sense::empty());
    paint_light(ui.painter(), rect.center(), grade, colour(grade, &theme::of(ui)));
}

/// Paints the light alone.
pub fn paint_light(painter: &Painter, centre: Pos2, grade: Grade, colour: Color32) {
    match grade {
        Grade::Good => {
            painter.circle_filled(centre, LIGHT_POINTS, colour);
        }
        Grade::Review => {
            let corners =
                [vec2(0.0, -1.0), vec2(1.0, 0.9), vec2(-1.0, 0.9)].map(|corner| centre + LIGHT_POINTS * corner);
            painter.add(Shape::convex_polygon(corners.to_vec(), colour, Stroke::NONE));
        }
        Grade::Bad => {
            painter.rect_filled(
                Rect::from_center_size(centre, Vec2::splat(1.8 * LIGHT_POINTS)),
                0.0,
                colour,
            );
        }
    }
}
