//! Paints what lies below the body, with the painter of the interface: marks on the ground, the path of the root, feet that stand.

use std::f32::consts::PI;

use eframe::egui::{Align2, Color32, FontId, Mesh, Painter, Pos2, Shape, Stroke, vec2};
use glam::DVec3;

use super::scene::Scene;
use super::seam::Paths;
use crate::camera::View;
use crate::theme::Tokens;

/// Metres of ground that are marked to each side of the body.
const GROUND_METRES: i32 = 9;

/// Segments of a ring on the ground.
const RING: usize = 20;

/// Radius of the mark under a foot, metres.
const CONTACT_METRES: f64 = 0.075;

/// Radius of the ring around a joint, points.
const JOINT_POINTS: f32 = 7.0;

/// The colour of the body of the uncut stretch, linear.
pub(super) fn ghost(is_dark: bool) -> [f32; 3] {
    if is_dark { [0.8, 0.82, 0.86] } else { [0.3, 0.32, 0.36] }
}

/// Converts a colour of the screen to linear, with a square for the curve, as the shader does.
pub(super) fn linear(colour: Color32) -> [f32; 3] {
    [colour.r(), colour.g(), colour.b()].map(|channel| (f32::from(channel) / 255.0).powi(2))
}

/// Paints the path of a joint over the seam, uncut and closed.
pub(super) fn trail(painter: &Painter, view: &View, paths: &Paths, tokens: &Tokens) {
    for uncut in &paths.uncut {
        line(painter, view, uncut, Stroke::new(1.0, tokens.trunk));
    }
    let colours = [tokens.before_seam, tokens.accent];
    for (closed, colour) in paths.closed.iter().zip(colours) {
        line(painter, view, closed, Stroke::new(2.5, colour));
    }
    if let Some(seam) = paths.closed[1].first().and_then(|&seam| view.see(seam)) {
        painter.circle_filled(seam, 3.5, tokens.accent);
    }
}

/// Paints a mark below a foot that does not stay where it stands, with words beside it.
pub(super) fn fault(painter: &Painter, view: &View, at: DVec3, words: &str, tokens: &Tokens) {
    disc(painter, view, at, tokens.review);
    if let Some(seen) = view.see(at) {
        let beside = seen + vec2(18.0, 8.0);
        painter.text(
            beside,
            Align2::LEFT_CENTER,
            words,
            FontId::proportional(13.0),
            tokens.review,
        );
    }
}

/// Paints what lies on the ground.
pub(super) fn ground(painter: &Painter, view: &View, scene: &Scene, tokens: &Tokens) {
    marks(painter, view, scene, tokens);
    line(painter, view, &scene.path, Stroke::new(2.0, tokens.good));
    for &foot in &scene.standing {
        disc(painter, view, foot, tokens.good);
    }
}

/// Paints a ring around a joint, and its name beside it.
pub(super) fn joint(painter: &Painter, at: Pos2, name: &str, colour: Color32) {
    painter.circle_stroke(at, JOINT_POINTS, Stroke::new(2.0, colour));
    let beside = at + vec2(JOINT_POINTS + 4.0, 0.0);
    painter.text(beside, Align2::LEFT_CENTER, name, FontId::proportional(13.0), colour);
}

/// Squares of a metre, every other one filled, and lines between them, every fifth stronger, those through the origin in the colours of their
/// axes; all fades with the distance from the body. In one mesh, because seven hundred lines of their own take a good part of a frame.
fn marks(painter: &Painter, view: &View, scene: &Scene, tokens: &Tokens) {
    let centre = scene.centre;
    let [x, z] = [centre.x, centre.z].map(|at| at.round() as i32);
    let corner = |x: i32, z: i32| DVec3::new(f64::from(x), scene.floor, f64::from(z));
    let fading = |colour: Color32, at: DVec3| {
        let far = ((at - centre).length() / f64::from(GROUND_METRES)) as f32;
        colour.gamma_multiply((1.0 - far).max(0.0))
    };
    let soft = 1.0 / painter.pixels_per_point();
    let mut mesh = Mesh::default();
    let filled = tokens.ground_line.gamma_multiply(0.13);
    for x in x - GROUND_METRES..x + GROUND_METRES {
        for z in (z - GROUND_METRES..z + GROUND_METRES).filter(|z| (x + z) % 2 == 0) {
            let corners = [[x, z], [x + 1, z], [x, z + 1], [x + 1, z + 1]].map(|[x, z]| corner(x, z));
            square(&mut mesh, corners.map(|at| Some((view.see(at)?, fading(filled, at)))));
        }
    }
    for beside in -GROUND_METRES..=GROUND_METRES {
        for is_across in [false, true] {
            let number = beside + if is_across { z } else { x };
            let colour = match (number, is_across) {
                (0, true) => tokens.axes[0],
                (0, false) => tokens.axes[2],
                _ => tokens
                    .ground_line
                    .gamma_multiply(if number % 5 == 0 { 0.9 } else { 0.35 }),
            };
            let points = (-GROUND_METRES..=GROUND_METRES).map(|along| {
                let at = if is_across {
                    corner(x + along, number)
                } else {
                    corner(number, z + along)
                };
                view.see(at).map(|seen| (seen, fading(colour, at)))
            });
            soft_line(&mut mesh, points, soft);
        }
    }
    painter.add(mesh);
}

/// Adds a square whose colour changes from corner to corner; one that is not seen whole, or has no colour, leaves a gap.
fn square(mesh: &mut Mesh, corners: [Option<(Pos2, Color32)>; 4]) {
    let [Some(a), Some(b), Some(c), Some(d)] = corners else {
        return;
    };
    if [a, b, c, d].iter().all(|(_, colour)| *colour == Color32::TRANSPARENT) {
        return;
    }
    let first = mesh.vertices.len() as u32;
    for (at, colour) in [a, b, c, d] {
        mesh.colored_vertex(at, colour);
    }
    mesh.add_triangle(first, first + 1, first + 2);
    mesh.add_triangle(first + 1, first + 2, first + 3);
}

/// Adds a straight line as wide as a pixel with soft edges, whose colour changes from point to point; points that are not seen leave gaps.
fn soft_line(mesh: &mut Mesh, points: impl Iterator<Item = Option<(Pos2, Color32)>> + Clone, soft: f32) {
    let mut seen = points.clone().flatten();
    let (Some((first, _)), Some((last, _))) = (seen.next(), seen.last()) else {
        return;
    };
    let aside = soft * (last - first).normalized().rot90();
    let mut goes_on = false;
    for point in points {
        if let Some((at, colour)) = point {
            let next = mesh.vertices.len() as u32;
            for (at, colour) in [
                (at - aside, Color32::TRANSPARENT),
                (at, colour),
                (at + aside, Color32::TRANSPARENT),
            ] {
                mesh.colored_vertex(at, colour);
            }
            // Nothing is drawn between two points without colour.
            let has_colour = mesh.vertices[mesh.vertices.len() - 2].color != Color32::TRANSPARENT
                || goes_on && mesh.vertices[next as usize - 2].color != Color32::TRANSPARENT;
            if goes_on && has_colour {
                for side in [next - 3, next - 2] {
                    mesh.add_triangle(side, side + 1, side + 3);
                    mesh.add_triangle(side + 1, side + 3, side + 4);
                }
            }
        }
        goes_on = point.is_some();
    }
}

/// A line through the points that are in front of the eye.
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

/// A mark under a foot that stands.
fn disc(painter: &Painter, view: &View, centre: DVec3, colour: Color32) {
    let corners: Option<Vec<Pos2>> = (0..RING)
        .map(|corner| {
            let (sin, cos) = (2.0 * PI * corner as f32 / RING as f32).sin_cos();
            let at = centre + CONTACT_METRES * DVec3::new(f64::from(cos), 0.0, f64::from(sin));
            view.see(at)
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
