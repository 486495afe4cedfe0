//! Paints marks on the ground with the painter of the interface: the path of the root, standing feet.

use std::f32::consts::PI;

use eframe::egui::{Align2, Color32, FontId, Painter, Pos2, Shape, Stroke, vec2};
use glam::DVec3;

use super::{scene::Scene, seam::Paths};
use crate::{camera::View, theme::Tokens};

/// Segments of a ring on the ground.
const RING: usize = 20;

/// Radius of the mark under a foot, metres.
const CONTACT_METRES: f64 = 0.075;

/// Radius of the ring around a joint, points.
const JOINT_POINTS: f32 = 7.0;

/// Returns the colour of the uncut stretch's body, linear.
pub fn ghost(is_dark: bool) -> [f32; 3] {
    if is_dark { [0.8, 0.82, 0.86] } else { [0.3, 0.32, 0.36] }
}

/// Converts a screen colour to linear, with a square for the transfer curve, as the shader does.
pub fn linear(colour: Color32) -> [f32; 3] {
    [colour.r(), colour.g(), colour.b()].map(|channel| (f32::from(channel) / 255.0).powi(2))
}

/// Paints the path of a joint over the seam, uncut and closed.
pub fn trail(painter: &Painter, view: &View, paths: &Paths, tokens: &Tokens) {
    for uncut in &paths.uncut {
        line(painter, view, uncut, Stroke::new(1.0, tokens.trunk));
    }
    for (closed, colour) in paths.closed.iter().zip([tokens.before_seam, tokens.accent]) {
        line(painter, view, closed, Stroke::new(2.5, colour));
    }
    if let Some(seam) = paths.closed[1].first().and_then(|&seam| view.see(seam)) {
        painter.circle_filled(seam, 3.5, tokens.accent);
    }
}

/// Paints a mark below a foot that moves while it should stand, with words beside it.
pub fn fault(painter: &Painter, view: &View, at: DVec3, words: &str, tokens: &Tokens) {
    disc(painter, view, at, tokens.review);
    if let Some(seen) = view.see(at) {
        let words = painter.layout_no_wrap(words.to_owned(), FontId::proportional(13.0), tokens.review);
        let place = Align2::LEFT_CENTER.anchor_size(seen + vec2(18.0, 8.0), words.size());
        painter.rect_filled(place.expand(2.0), 3.0, tokens.ground);
        painter.galley(place.min, words, tokens.review);
    }
}

/// Paints the place of the root at the seam, lit when it is crossed.
pub fn seam(painter: &Painter, view: &View, at: DVec3, is_lit: bool, tokens: &Tokens) {
    disc(painter, view, at, if is_lit { tokens.strong } else { tokens.accent });
}

/// Paints the marks on the ground.
pub fn ground(painter: &Painter, view: &View, scene: &Scene, tokens: &Tokens) {
    line(painter, view, &scene.path, Stroke::new(2.0, tokens.good));
    for &foot in &scene.standing {
        disc(painter, view, foot, tokens.good);
    }
}

/// Paints a ring around a joint, and its name beside it.
pub fn joint(painter: &Painter, at: Pos2, name: &str, colour: Color32) {
    painter.circle_stroke(at, JOINT_POINTS, Stroke::new(2.0, colour));
    painter.text(
        at + vec2(JOINT_POINTS + 4.0, 0.0),
        Align2::LEFT_CENTER,
        name,
        FontId::proportional(13.0),
        colour,
    );
}

/// Paints a line through the points that are in front of the eye.
fn line(painter: &Painter, view: &View, points: &[DVec3], stroke: Stroke) {
    let mut seen: Vec<Pos2> = Vec::with_capacity(points.len());
    let finish = |seen: &mut Vec<Pos2>| {
        let points = std::mem::take(seen);
        if points.len() > 1 {
            painter.add(crate::line::through(points, stroke));
        }
    };
    for &point in points {
        match view.see(point) {
            Some(point) => seen.push(point),
            None => finish(&mut seen),
        }
    }
    finish(&mut seen);
}

/// Paints a mark under a standing foot.
fn disc(painter: &Painter, view: &View, centre: DVec3, colour: Color32) {
    let corners: Option<Vec<Pos2>> = (0..RING)
        .map(|corner| {
            let (sin, cos) = (2.0 * PI * corner as f32 / RING as f32).sin_cos();
            view.see(centre + CONTACT_METRES * DVec3::new(f64::from(cos), 0.0, f64::from(sin)))
        })
        .collect();
    if let Some(corners) = corners {
        painter.add(Shape::convex_polygon(
            corners,
            colour.gamma_multiply(0.25),
            Stroke::new(1.5, colour),
        ));
    }
}
