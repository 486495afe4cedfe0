//! Buttons with a drawn sign instead of a word: the one typeface has no such letters. Each has a name for screen readers, shown as a tip
//! too.

use std::f32::consts::TAU;

use eframe::egui::{
    Button, Color32, Painter, Rect, Response, Role, Shape, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, vec2,
};

/// Width and height of a sign, points.
const SIGN_POINTS: f32 = 16.0;

/// The sign of a button.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Icon {
    ToStart,
    Play,
    Pause,
    StepBack,
    StepOn,
    Repeat,
    SeamOnly,
    Slow,
    Undo,
    Redo,
    Sun,
    Moon,
    Reset,
    Ghost,
    Split,
    Onion,
    Trail,
    Body,
    Follow,
    Orthographic,
    Frame,
    Up,
    Down,
    Remove,
}

/// Shows a button with a sign.
pub fn button(ui: &mut Ui, icon: Icon, name: &str, tip: &str, is_enabled: bool) -> Response {
    sign_ui(ui, icon, name, tip, is_enabled, None)
}

/// Shows a switch with a sign; returns whether it is clicked.
pub fn switch(ui: &mut Ui, icon: Icon, name: &str, tip: &str, is_enabled: bool, is_on: bool) -> bool {
    sign_ui(ui, icon, name, tip, is_enabled, Some(is_on)).clicked()
}

/// The side length of a button, points.
pub fn side(ui: &Ui) -> f32 {
    ui.spacing().interact_size.y.max(SIGN_POINTS + 10.0)
}

fn sign_ui(ui: &mut Ui, icon: Icon, name: &str, tip: &str, is_enabled: bool, is_on: Option<bool>) -> Response {
    let side = side(ui);
    let button = match is_on {
        Some(is_on) => Button::selectable(is_on, ""),
        None => Button::new("").frame_when_inactive(false),
    };
    let response = ui.add_enabled(is_enabled, button.min_size(Vec2::splat(side)));
    response.widget_info(|| match is_on {
        Some(is_on) => WidgetInfo::selected(Role::Button, is_enabled, is_on, name),
        None => WidgetInfo::labeled(Role::Button, is_enabled, name),
    });
    let visuals = ui.style().interact_selectable(&response, is_on == Some(true));
    let colour = if is_enabled {
        visuals.text_color()
    } else {
        ui.visuals().weak_text_color().gamma_multiply(0.5)
    };
    paint(
        ui.painter(),
        icon,
        Rect::from_center_size(response.rect.center(), Vec2::splat(SIGN_POINTS)),
        colour,
    );
    response.on_hover_text(tip).on_disabled_hover_text(tip)
}

// The parts of each sign in the order in which they are painted, in hundredths of its side from the left and from the top:
//
// | part | numbers |
// | --- | --- |
// | `L` line | points |
// | `S` line | width in points, percent of opacity, points |
// | `F` filled convex polygon | corners |
// | `A` arc | centre, radius, from and to hundredths of a turn, clockwise from the right |
// | `D` disc | centre, radius, percent of opacity |
// | `O` circle | centre, radius, width in points, percent of opacity |
// | `B` filled rectangle | corners at the upper left and lower right |
// | `E` outline of a rectangle | these corners, radius of its own corners in points |
loopwright_core::words!(Icon {
    Play: "F 20 5 95 50 20 95",
    Pause: "B 18 10 40 90; B 60 10 82 90",
    ToStart: "B 5 10 17 90; F 95 10 95 90 25 50",
    StepBack: "F 65 15 65 85 10 50; B 76 10 88 90",
    StepOn: "F 35 15 90 50 35 85; B 12 10 24 90",
    Repeat: "A 50 50 40 -10 72.5; F 42 -10 42 32 72 11",
    SeamOnly: "L 50 0 50 100; F 5 25 40 50 5 75; F 95 25 95 75 60 50",
    Slow: "A 50 70 50 50 100; L 50 70 20 40; D 50 70 12.5 100",
    Up: "L 15 65 50 30 85 65",
    Down: "L 15 35 50 70 85 35",
    Remove: "L 20 20 80 80; L 80 20 20 80",
    Undo: "F 0 32 38 4 38 60; L 30 32 62 32 86 42 94 62 86 82 62 92 30 92",
    Redo: "F 100 32 62 4 62 60; L 70 32 38 32 14 42 6 62 14 82 38 92 70 92",
    Reset: "A 50 50 36 -37.5 42.5; F 0 30 42 36 20 2",
    Sun: "D 50 50 22 100; L 84 50 98 50; L 74 74 84 84; L 50 84 50 98; L 26 74 16 84; L 16 50 2 50; L 26 26 16 16; L 50 16 50 2; L 74 26 84 16",
    Moon: "A 50 50 42 0 75; A 78 22 36 31 44; L 50 8 42 30 48 50 68 60 92 50",
    Ghost: "O 36 50 32 1 60; D 66 50 30 100",
    Split: "E 6.25 6.25 93.75 93.75 2; B 50 6 94 94",
    Onion: "D 20 18 12 35; S 2.5 35 20 34 20 95; D 50 18 12 100; S 2.5 100 50 34 50 95; D 80 18 12 35; S 2.5 35 80 34 80 95",
    Trail: "L 0 85 15 50 32 30 50 40 62 62 80 68 95 30; D 95 24 16.25 100",
    Body: "D 50 16 15 100; S 2.4 100 50 34 50 62; S 2.4 100 14 44 86 44; S 2.4 100 50 60 30 100; S 2.4 100 50 60 70 100",
    Follow: "O 50 50 30 1.5 100; L 50 0 50 30; L 50 70 50 100; L 0 50 30 50; L 70 50 100 50",
    Orthographic: "E 0.3125 27.3125 72.6875 99.6875 0; L 5 32 32 5 95 5 95 68 68 95; L 68 32 95 5",
    Frame: "L 30 0 0 0 0 30; L 70 0 100 0 100 30; L 70 100 100 100 100 70; L 30 100 0 100 0 70; D 50 50 15.625 100",
});

/// Paints a sign into a square.
fn paint(painter: &Painter, icon: Icon, rect: Rect, colour: Color32) {
    painter.extend(icon.as_str().split(';').filter_map(|part| shape(part, rect, colour)));
}

/// A part of a sign; `None` if there is no such part.
fn shape(part: &str, rect: Rect, colour: Color32) -> Option<Shape> {
    let mut words = part.split_whitespace();
    let kind = words.next()?;
    let numbers: Vec<f32> = words.map(str::parse).collect::<Result<_, _>>().ok()?;
    let at = |x: f32, y: f32| rect.min + rect.size() * vec2(x, y) / 1e2;
    let path = |points: &[f32]| points.as_chunks().0.iter().map(|&[x, y]| at(x, y)).collect();
    let share = rect.width() / 1e2;
    let stroke = |width: f32, percent: f32| Stroke::new(width, colour.gamma_multiply(percent / 1e2));
    let thin = stroke(1.5, 1e2);
    Some(match (kind, &numbers[..]) {
        ("L", points) => Shape::line(path(points), thin),
        ("S", &[width, percent, ref points @ ..]) => Shape::line(path(points), stroke(width, percent)),
        ("F", corners) => Shape::convex_polygon(path(corners), colour, Stroke::NONE),
        ("A", &[x, y, radius, from, to]) => {
            let angle = |point: i32| TAU * (from + (to - from) * point as f32 / 16.0) / 1e2;
            let arc = (0..=16).map(|point| at(x, y) + radius * share * Vec2::angled(angle(point)));
            Shape::line(arc.collect(), thin)
        }
        ("D", &[x, y, radius, percent]) => {
            Shape::circle_filled(at(x, y), radius * share, colour.gamma_multiply(percent / 1e2))
        }
        ("O", &[x, y, radius, width, percent]) => {
            Shape::circle_stroke(at(x, y), radius * share, stroke(width, percent))
        }
        ("B", &[left, top, right, bottom]) => {
            Shape::rect_filled(Rect::from_min_max(at(left, top), at(right, bottom)), 1.0, colour)
        }
        ("E", &[left, top, right, bottom, rounding]) => Shape::rect_stroke(
            Rect::from_min_max(at(left, top), at(right, bottom)),
            rounding,
            thin,
            StrokeKind::Inside,
        ),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_have_parts_that_there_are() {
        let rect = Rect::from_min_size([0.0; 2].into(), Vec2::splat(SIGN_POINTS));
        for icon in Icon::ALL {
            for part in icon.as_str().split(';') {
                assert!(shape(part, rect, Color32::RED).is_some(), "{icon:?}: {part}");
            }
        }
    }
}
