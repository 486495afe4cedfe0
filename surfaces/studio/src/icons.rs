//! Buttons with a drawn sign instead of a word: the one typeface has no such letters. Each has its name for screen readers and as a tip.

use std::f32::consts::{PI, TAU};

use eframe::egui::{
    Button, Color32, Painter, Pos2, Rect, Response, Role, Shape, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, vec2,
};

/// Width and height of a sign, points.
const SIGN_POINTS: f32 = 16.0;

/// What a sign shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Icon {
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

/// A button with a sign.
pub(crate) fn button(ui: &mut Ui, icon: Icon, name: &str, tip: &str, is_enabled: bool) -> Response {
    sign_ui(ui, icon, name, tip, is_enabled, None)
}

/// A switch with a sign; the value that it is set to, where it is clicked.
pub(crate) fn switch(ui: &mut Ui, icon: Icon, name: &str, tip: &str, is_enabled: bool, is_on: bool) -> Option<bool> {
    sign_ui(ui, icon, name, tip, is_enabled, Some(is_on))
        .clicked()
        .then_some(!is_on)
}

/// The side of a button, points.
pub(crate) fn side(ui: &Ui) -> f32 {
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
    let rect = Rect::from_center_size(response.rect.center(), Vec2::splat(SIGN_POINTS));
    paint(ui.painter(), icon, rect, colour);
    response.on_hover_text(tip).on_disabled_hover_text(tip)
}

/// Paints a sign into a square.
fn paint(painter: &Painter, icon: Icon, rect: Rect, colour: Color32) {
    let at = |x: f32, y: f32| rect.min + rect.size() * vec2(x, y);
    let thin = Stroke::new(1.5, colour);
    let fill = |corners: &[[f32; 2]]| {
        let corners = corners.iter().map(|&[x, y]| at(x, y)).collect();
        painter.add(Shape::convex_polygon(corners, colour, Stroke::NONE));
    };
    let bar = |x: f32, width: f32| painter.rect_filled(Rect::from_min_max(at(x, 0.1), at(x + width, 0.9)), 1.0, colour);
    let line = |points: &[[f32; 2]]| {
        painter.add(Shape::line(points.iter().map(|&[x, y]| at(x, y)).collect(), thin));
    };
    let arc = |centre: Pos2, radius: f32, from: f32, to: f32| {
        let points = (0..=16).map(|point| {
            let (sin, cos) = (from + (to - from) * point as f32 / 16.0).sin_cos();
            centre + radius * rect.width() * vec2(cos, sin)
        });
        painter.add(Shape::line(points.collect(), thin));
    };
    let centre = rect.center();
    match icon {
        Icon::Play => fill(&[[0.2, 0.05], [0.95, 0.5], [0.2, 0.95]]),
        Icon::Pause => {
            bar(0.18, 0.22);
            bar(0.6, 0.22);
        }
        Icon::ToStart => {
            bar(0.05, 0.12);
            fill(&[[0.95, 0.1], [0.95, 0.9], [0.25, 0.5]]);
        }
        Icon::StepBack => {
            fill(&[[0.65, 0.15], [0.65, 0.85], [0.1, 0.5]]);
            bar(0.76, 0.12);
        }
        Icon::StepOn => {
            fill(&[[0.35, 0.15], [0.9, 0.5], [0.35, 0.85]]);
            bar(0.12, 0.12);
        }
        Icon::Repeat => {
            arc(centre, 0.4, -0.2 * PI, 1.45 * PI);
            fill(&[[0.42, -0.1], [0.42, 0.32], [0.72, 0.11]]);
        }
        Icon::SeamOnly => {
            line(&[[0.5, 0.0], [0.5, 1.0]]);
            fill(&[[0.05, 0.25], [0.4, 0.5], [0.05, 0.75]]);
            fill(&[[0.95, 0.25], [0.95, 0.75], [0.6, 0.5]]);
        }
        Icon::Slow => {
            arc(at(0.5, 0.7), 0.5, PI, TAU);
            line(&[[0.5, 0.7], [0.2, 0.4]]);
            painter.circle_filled(at(0.5, 0.7), 2.0, colour);
        }
        Icon::Up => line(&[[0.15, 0.65], [0.5, 0.3], [0.85, 0.65]]),
        Icon::Down => line(&[[0.15, 0.35], [0.5, 0.7], [0.85, 0.35]]),
        Icon::Remove => {
            line(&[[0.2, 0.2], [0.8, 0.8]]);
            line(&[[0.8, 0.2], [0.2, 0.8]]);
        }
        Icon::Undo | Icon::Redo => {
            let mirrored = |points: &[[f32; 2]]| -> Vec<[f32; 2]> {
                let is_redo = icon == Icon::Redo;
                (points.iter())
                    .map(|&[x, y]| [if is_redo { 1.0 - x } else { x }, y])
                    .collect()
            };
            fill(&mirrored(&[[0.0, 0.32], [0.38, 0.04], [0.38, 0.6]]));
            line(&mirrored(&[
                [0.3, 0.32],
                [0.62, 0.32],
                [0.86, 0.42],
                [0.94, 0.62],
                [0.86, 0.82],
                [0.62, 0.92],
                [0.3, 0.92],
            ]));
        }
        Icon::Reset => {
            arc(centre, 0.36, -0.75 * PI, 0.85 * PI);
            fill(&[[0.0, 0.3], [0.42, 0.36], [0.2, 0.02]]);
        }
        Icon::Sun => {
            painter.circle_filled(centre, 0.22 * rect.width(), colour);
            for ray in 0..8 {
                let (sin, cos) = (TAU * ray as f32 / 8.0).sin_cos();
                let along = rect.width() * vec2(cos, sin);
                painter.line_segment([centre + 0.34 * along, centre + 0.48 * along], thin);
            }
        }
        Icon::Moon => {
            arc(centre, 0.42, 0.0, 1.5 * PI);
            arc(at(0.78, 0.22), 0.36, 0.62 * PI, 0.88 * PI);
            line(&[[0.5, 0.08], [0.42, 0.3], [0.48, 0.5], [0.68, 0.6], [0.92, 0.5]]);
        }
        Icon::Ghost => {
            painter.circle_stroke(
                at(0.36, 0.5),
                0.32 * rect.width(),
                Stroke::new(1.0, colour.gamma_multiply(0.6)),
            );
            painter.circle_filled(at(0.66, 0.5), 0.3 * rect.width(), colour);
        }
        Icon::Split => {
            painter.rect_stroke(rect.shrink(1.0), 2.0, thin, StrokeKind::Inside);
            painter.rect_filled(Rect::from_min_max(at(0.5, 0.06), at(0.94, 0.94)), 1.0, colour);
        }
        Icon::Onion => {
            for (x, strength) in [(0.2, 0.35), (0.5, 1.0), (0.8, 0.35)] {
                let colour = colour.gamma_multiply(strength);
                painter.circle_filled(at(x, 0.18), 0.12 * rect.width(), colour);
                painter.line_segment([at(x, 0.34), at(x, 0.95)], Stroke::new(2.5, colour));
            }
        }
        Icon::Trail => {
            line(&[
                [0.0, 0.85],
                [0.15, 0.5],
                [0.32, 0.3],
                [0.5, 0.4],
                [0.62, 0.62],
                [0.8, 0.68],
                [0.95, 0.3],
            ]);
            painter.circle_filled(at(0.95, 0.24), 2.6, colour);
        }
        Icon::Body => {
            painter.circle_filled(at(0.5, 0.16), 0.15 * rect.width(), colour);
            let thick = Stroke::new(2.4, colour);
            for [from, to] in [
                [[0.5, 0.34], [0.5, 0.62]],
                [[0.14, 0.44], [0.86, 0.44]],
                [[0.5, 0.6], [0.3, 1.0]],
                [[0.5, 0.6], [0.7, 1.0]],
            ] {
                painter.line_segment([at(from[0], from[1]), at(to[0], to[1])], thick);
            }
        }
        Icon::Follow => {
            painter.circle_stroke(centre, 0.3 * rect.width(), thin);
            for [from, to] in [
                [[0.5, 0.0], [0.5, 0.3]],
                [[0.5, 0.7], [0.5, 1.0]],
                [[0.0, 0.5], [0.3, 0.5]],
                [[0.7, 0.5], [1.0, 0.5]],
            ] {
                line(&[from, to]);
            }
        }
        Icon::Orthographic => {
            painter.rect_stroke(
                Rect::from_min_max(at(0.05, 0.32), at(0.68, 0.95)),
                0.0,
                thin,
                StrokeKind::Middle,
            );
            line(&[[0.05, 0.32], [0.32, 0.05], [0.95, 0.05], [0.95, 0.68], [0.68, 0.95]]);
            line(&[[0.68, 0.32], [0.95, 0.05]]);
        }
        Icon::Frame => {
            for [x, y] in [[0.0_f32, 0.0_f32], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] {
                let inwards = |side: f32| side + 0.3 * (1.0 - 2.0 * side);
                line(&[[inwards(x), y], [x, y], [x, inwards(y)]]);
            }
            painter.circle_filled(centre, 2.5, colour);
        }
    }
}
