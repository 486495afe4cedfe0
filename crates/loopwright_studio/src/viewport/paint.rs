//! Paints the world: ground, path, shadows, and a body of shaded capsules, far ones first.
//!
//! Triangles of the interface's own painter, so that a graphics card is not needed and a test sees what a person sees.

use std::f32::consts::PI;

use eframe::egui::{Color32, Mesh, Painter, Pos2, Shape, Stroke, Vec2, pos2, vec2};
use glam::DVec3;
use loopwright::analysis::Side;

use crate::camera::{Seen, View};

use super::{
    figure::{Figure, Limb},
    scene::Scene,
};

/// Metres of ground that are marked to each side of the body.
const GROUND_METRES: i32 = 9;

/// Corners of a half circle: rounder cannot be told apart at this size.
const HALF_CIRCLE: usize = 8;

/// Segments of a ring on the ground.
const RING: usize = 20;

/// Radius of the mark under a foot, metres.
const CONTACT_METRES: f64 = 0.075;

/// Colours of one theme. Left and right differ in brightness too, for people who do not see the hues apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Palette {
    pub(super) sky: Color32,
    ground_line: Color32,
    shadow: Color32,
    path: Color32,
    contact: Color32,
    left: Color32,
    right: Color32,
    trunk: Color32,
    ghost: Color32,
}

impl Palette {
    pub(super) fn of_theme(is_dark: bool) -> Self {
        let (left, right) = (Color32::from_rgb(64, 156, 255), Color32::from_rgb(240, 158, 56));
        match is_dark {
            true => Self {
                sky: Color32::from_rgb(24, 26, 31),
                ground_line: Color32::from_rgb(120, 128, 145),
                shadow: Color32::from_black_alpha(26),
                path: Color32::from_rgb(110, 220, 160),
                contact: Color32::from_rgb(110, 220, 160),
                left,
                right,
                trunk: Color32::from_rgb(196, 202, 212),
                ghost: Color32::from_white_alpha(34),
            },
            false => Self {
                sky: Color32::from_rgb(236, 239, 244),
                ground_line: Color32::from_rgb(120, 126, 140),
                shadow: Color32::from_black_alpha(14),
                path: Color32::from_rgb(0, 130, 80),
                contact: Color32::from_rgb(0, 140, 90),
                left: Color32::from_rgb(36, 112, 214),
                right: Color32::from_rgb(214, 120, 20),
                trunk: Color32::from_rgb(126, 134, 148),
                ghost: Color32::from_black_alpha(40),
            },
        }
    }

    fn of_side(&self, side: Option<Side>) -> Color32 {
        match side {
            Some(Side::Left) => self.left,
            Some(Side::Right) => self.right,
            None => self.trunk,
        }
    }
}

/// Paints all of a scene.
pub(super) fn scene(painter: &Painter, view: &View, scene: &Scene, figure: &Figure, palette: &Palette) {
    ground(painter, view, scene, palette);
    line(painter, view, &scene.path, Stroke::new(2.0, palette.path));
    for &foot in &scene.standing {
        disc(painter, view, foot, palette.contact);
    }
    let mut shadow = Mesh::default();
    for limb in figure.limbs() {
        let [start, end] = limb.ends.map(|end| {
            let point = scene.points[end];
            view.see(DVec3::new(point.x, scene.floor, point.z))
        });
        if let (Some(start), Some(end)) = (start, end) {
            capsule(&mut shadow, limb, [start, end], palette.shadow, palette.shadow);
        }
    }
    painter.add(Shape::mesh(shadow));
    if let Some(ghost) = &scene.ghost {
        painter.add(Shape::mesh(body(view, figure, ghost, |_| palette.ghost, 1.0)));
    }
    painter.add(Shape::mesh(body(
        view,
        figure,
        &scene.points,
        |side| palette.of_side(side),
        0.5,
    )));
}

/// The capsules of a body, far ones first; their rims are darker by a factor.
fn body(view: &View, figure: &Figure, points: &[DVec3], colour: impl Fn(Option<Side>) -> Color32, rim: f32) -> Mesh {
    let mut seen: Vec<([Seen; 2], &Limb)> = (figure.limbs().iter())
        .filter_map(|limb| {
            let [start, end] = limb.ends.map(|end| view.see(points[end]));
            Some(([start?, end?], limb))
        })
        .collect();
    seen.sort_by(|(one, _), (other, _)| {
        let depth = |ends: &[Seen; 2]| ends[0].depth + ends[1].depth;
        depth(other).total_cmp(&depth(one))
    });
    let mut mesh = Mesh::default();
    for (ends, limb) in seen {
        let light = colour(limb.side);
        let dark = match rim < 1.0 {
            true => Color32::from_rgb(shade(light.r(), rim), shade(light.g(), rim), shade(light.b(), rim)),
            false => light,
        };
        capsule(&mut mesh, limb, ends, light, dark);
    }
    mesh
}

fn shade(channel: u8, factor: f32) -> u8 {
    (f32::from(channel) * factor) as u8
}

/// A capsule: an outline around two centres, light along its middle and dark at its rim.
fn capsule(mesh: &mut Mesh, limb: &Limb, ends: [Seen; 2], light: Color32, dark: Color32) {
    let [start, end] = ends;
    let radius = |end: Seen, metres: f64| (metres as f32 * end.points_per_metre).clamp(0.5, 4000.0);
    let radii = [radius(start, limb.radii[0]), radius(end, limb.radii[1])];
    let along = end.at - start.at;
    let along = match along.length() > 1e-3 {
        true => along.normalized(),
        false => Vec2::X,
    };
    let first = mesh.vertices.len() as u32;
    // Light comes from above: the bright line lies above the middle.
    for (end, radius) in ends.iter().zip(radii) {
        mesh.colored_vertex(end.at - vec2(0.0, 0.3 * radius), light);
    }
    let outline = 2 * (HALF_CIRCLE + 1);
    for (half, (centre, radius)) in [(start.at, radii[0]), (end.at, radii[1])].into_iter().enumerate() {
        for corner in 0..=HALF_CIRCLE {
            let turn = PI * (0.5 + half as f32 + corner as f32 / HALF_CIRCLE as f32);
            let (sin, cos) = turn.sin_cos();
            let towards = along * cos + along.rot90() * sin;
            mesh.colored_vertex(centre + radius * towards, dark);
        }
    }
    let rim = |corner: usize| first + 2 + (corner % outline) as u32;
    for corner in 0..outline {
        let centre = if corner <= HALF_CIRCLE { first } else { first + 1 };
        mesh.add_triangle(centre, rim(corner), rim(corner + 1));
    }
    // Between both halves the triangles above leave the sides of the middle line open.
    mesh.add_triangle(first, rim(HALF_CIRCLE + 1), first + 1);
    mesh.add_triangle(first, first + 1, rim(0));
}

/// Lines each metre, every fifth stronger, fading with the distance from the body.
fn ground(painter: &Painter, view: &View, scene: &Scene, palette: &Palette) {
    let centre = scene.centre;
    let [x, z] = [centre.x, centre.z].map(|at| at.round() as i32);
    let corner = |x: i32, z: i32| DVec3::new(f64::from(x), scene.floor, f64::from(z));
    for from in -GROUND_METRES..=GROUND_METRES {
        for along in -GROUND_METRES..GROUND_METRES {
            for is_across in [false, true] {
                let (start, end, number) = match is_across {
                    true => (corner(x + along, z + from), corner(x + along + 1, z + from), z + from),
                    false => (corner(x + from, z + along), corner(x + from, z + along + 1), x + from),
                };
                let middle = 0.5 * (start + end);
                let far = ((middle - centre).length() / f64::from(GROUND_METRES)) as f32;
                let strength = (1.0 - far).max(0.0) * if number % 5 == 0 { 0.9 } else { 0.35 };
                if let (Some(start), Some(end), true) = (view.see(start), view.see(end), strength > 0.01) {
                    let stroke = Stroke::new(1.0, palette.ground_line.gamma_multiply(strength));
                    painter.line_segment([start.at, end.at], stroke);
                }
            }
        }
    }
}

/// A line through the points that are in front of the eye.
fn line(painter: &Painter, view: &View, points: &[DVec3], stroke: Stroke) {
    for ends in points.windows(2) {
        if let (Some(start), Some(end)) = (view.see(ends[0]), view.see(ends[1])) {
            painter.line_segment([start.at, end.at], stroke);
        }
    }
}

/// A mark under a foot that stands.
fn disc(painter: &Painter, view: &View, centre: DVec3, colour: Color32) {
    let corners: Option<Vec<Pos2>> = (0..RING)
        .map(|corner| {
            let (sin, cos) = (2.0 * PI * corner as f32 / RING as f32).sin_cos();
            let at = centre + CONTACT_METRES * DVec3::new(f64::from(cos), 0.0, f64::from(sin));
            view.see(at).map(|seen| pos2(seen.at.x, seen.at.y))
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
