//! Pixels: lit capsules, lines on the ground, unions of outlines; all anti-aliased.

use core::f64::consts::{PI, TAU};

use glam::{DVec2, DVec3};
use loopwright_core::analysis::Side;
use resvg::tiny_skia::{
    Color, FillRule, GradientStop, LineCap, LineJoin, LinearGradient, Paint, Path, PathBuilder, Pixmap, PixmapPaint,
    Point, RadialGradient, Rect, Shader, SpreadMode, Stroke, Transform,
};

use super::{
    camera::{Camera, Spot},
    picture::Picture,
};

/// A colour, red, green, blue and opacity from 0 to 1.
#[value(Copy)]
pub(super) struct Colour(pub(super) [f64; 4]);

impl Colour {
    pub(super) const PAPER: Self = Self([0.957, 0.965, 0.973, 1.0]);
    pub(super) const SHADOW: Self = Self([0.12, 0.14, 0.17, 0.22]);
    pub(super) const LEFT: Self = Self([0.21, 0.55, 0.83, 1.0]);
    pub(super) const RIGHT: Self = Self([0.93, 0.49, 0.16, 1.0]);
    const MIDDLE: Self = Self([0.82, 0.80, 0.76, 1.0]);
    pub(super) const GREY: Self = Self([0.62, 0.65, 0.69, 1.0]);

    /// Creates the colour of a side of the body; colour-blind viewers can distinguish them too.
    pub(super) fn of_side(side: Option<Side>) -> Self {
        match side {
            Some(Side::Left) => Self::LEFT,
            Some(Side::Right) => Self::RIGHT,
            None => Self::MIDDLE,
        }
    }

    /// Returns the colour under light of this strength, with the same opacity.
    fn lit(self, light: f64) -> Color {
        let [red, green, blue, opacity] = self.0;
        let [red, green, blue] = [red, green, blue].map(|part| (part * light).clamp(0.0, 1.0) as f32);
        Color::from_rgba(red, green, blue, opacity as f32).unwrap_or(Color::BLACK)
    }

    pub(super) fn faded(self, opacity: f64) -> Self {
        let [red, green, blue, _] = self.0;
        Self([red, green, blue, opacity])
    }
}

/// Colours of lines.
#[value(Copy, Eq)]
pub(super) enum Ink {
    Axis,
    Metre,
    HalfMetre,
    PathBehind,
    PathAhead,
    Mark,
}

impl Ink {
    /// Returns the colour and width in pixels at a picture of 512.
    fn pen(self) -> (Colour, f64) {
        match self {
            Self::Axis => (Colour([0.30, 0.34, 0.40, 0.75]), 1.8),
            Self::Metre => (Colour([0.40, 0.45, 0.51, 0.55]), 1.3),
            Self::HalfMetre => (Colour([0.45, 0.50, 0.56, 0.28]), 1.0),
            Self::PathBehind => (Colour([0.44, 0.26, 0.56, 0.95]), 2.4),
            Self::PathAhead => (Colour([0.44, 0.26, 0.56, 0.40]), 1.8),
            Self::Mark => (Colour([0.44, 0.26, 0.56, 0.95]), 3.0),
        }
    }
}

/// Share of the light that reaches a surface facing away from the light.
const AMBIENT: f64 = 0.58;

/// Opacity of the line around a capsule, which separates crossing limbs.
const EDGE: f64 = 0.30;

/// Most pixels of one picture (half a gigabyte), so that a mistyped size does not use all memory.
pub(super) const MAX_PIXELS: u64 = 1 << 27;

/// A picture being drawn.
pub(super) struct Canvas {
    pub pixels: Pixmap,
    /// Line widths scale with the picture.
    scale: f64,
}

impl Canvas {
    /// Creates an empty sheet; `None` for no pixels or more than [`MAX_PIXELS`].
    pub(super) fn new([width, height]: [u32; 2]) -> Option<Self> {
        if u64::from(width) * u64::from(height) > MAX_PIXELS {
            return None;
        }
        let mut pixels = Pixmap::new(width, height)?;
        pixels.fill(Colour::PAPER.lit(1.0));
        Some(Self {
            pixels,
            scale: f64::from(width.min(height)) / 512.0,
        })
    }

    /// Returns a transparent layer of the same size.
    pub(super) fn layer(&self) -> Option<Self> {
        Some(Self {
            pixels: Pixmap::new(self.pixels.width(), self.pixels.height())?,
            scale: self.scale,
        })
    }

    pub(super) fn finish(self) -> Picture {
        Picture::new(self.pixels)
    }

    /// Draws another picture over this one with its corner at a pixel.
    pub(super) fn lay(&mut self, picture: &Picture, [x, y]: [u32; 2]) {
        let (paint, pixels) = (PixmapPaint::default(), picture.pixels.as_ref());
        self.pixels
            .draw_pixmap(x as i32, y as i32, pixels, &paint, Transform::identity(), None);
    }

    /// Draws a layer of the same size over this one.
    pub(super) fn lay_layer(&mut self, layer: &Self, opacity: f64) {
        self.pixels.draw_pixmap(
            0,
            0,
            layer.pixels.as_ref(),
            &PixmapPaint {
                opacity: opacity as f32,
                ..PixmapPaint::default()
            },
            Transform::identity(),
            None,
        );
    }

    /// A line through world points; parts behind the camera are left out.
    pub(super) fn line(&mut self, camera: &Camera, points: &[DVec3], ink: Ink, share: f64) {
        let mut builder = PathBuilder::new();
        for part in points.split(|&point| camera.project(point).is_none()) {
            add_line(
                &mut builder,
                part.iter()
                    .filter_map(|&point| camera.project(point))
                    .map(|spot| spot.at),
            );
        }
        let (colour, width) = ink.pen();
        self.stroke(builder, colour.faded(colour.0[3] * share.clamp(0.0, 1.0)), width);
    }

    /// A line between two points of the picture, `width` in pixels of a picture of 512.
    pub(super) fn stick(&mut self, spots: [DVec2; 2], colour: Colour, width: f64) {
        let mut builder = PathBuilder::new();
        add_line(&mut builder, spots);
        self.stroke(builder, colour, width);
    }

    fn stroke(&mut self, builder: PathBuilder, colour: Colour, width: f64) {
        if let Some(path) = builder.finish() {
            self.stroke_path(&path, colour, width);
        }
    }

    fn stroke_path(&mut self, path: &Path, colour: Colour, width: f64) {
        self.pixels.stroke_path(
            path,
            &solid(colour),
            &Stroke {
                width: (width * self.scale.max(0.5)) as f32,
                line_cap: LineCap::Butt,
                line_join: LineJoin::Round,
                ..Stroke::default()
            },
            Transform::identity(),
            None,
        );
    }

    fn fill_path(&mut self, path: &Path, paint: &Paint) {
        self.pixels
            .fill_path(path, paint, FillRule::Winding, Transform::identity(), None);
    }

    /// A rectangle of one colour, pixels.
    pub(super) fn bar(&mut self, left: f64, top: f64, width: f64, height: f64, colour: Colour) {
        let Some(rect) = Rect::from_xywh(left as f32, top as f32, width as f32, height as f32) else {
            return;
        };
        self.pixels.fill_rect(rect, &solid(colour), Transform::identity(), None);
    }

    pub(super) fn fill_union(&mut self, outlines: &[Vec<DVec2>], colour: Colour) {
        let mut builder = PathBuilder::new();
        for outline in outlines {
            // All outlines must have the same winding, or they would cut holes into each other.
            if signed_area(outline) > 0.0 {
                add_line(&mut builder, outline.iter().copied());
            } else {
                add_line(&mut builder, outline.iter().rev().copied());
            }
            builder.close();
        }
        if let Some(path) = builder.finish() {
            self.fill_path(&path, &solid(colour));
        }
    }

    /// A lit capsule; `ends` are world points, `radii` metres.
    pub(super) fn capsule(&mut self, camera: &Camera, ends: [DVec3; 2], radii: [f64; 2], colour: Colour) {
        let [Some(from), Some(to)] = ends.map(|end| camera.project(end)) else {
            return;
        };
        let circles = [radii[0] * from.scale, radii[1] * to.scale];
        let along = to.at - from.at;
        let mut builder = PathBuilder::new();
        add_line(
            &mut builder,
            hull_of_circles([from.at, to.at], circles, segments(circles)),
        );
        builder.close();
        let Some(path) = builder.finish() else { return };
        let seen_from_the_side = along.length() > (circles[0] - circles[1]).abs() + 0.5;
        let shader = if seen_from_the_side {
            across(camera, ends, [from, to], circles, colour)
        } else {
            let spot = if from.depth - radii[0] < to.depth - radii[1] {
                from
            } else {
                to
            };
            round(
                camera,
                (ends[0] + ends[1]) / 2.0,
                spot,
                circles[0].max(circles[1]),
                colour,
            )
        };
        let Some(shader) = shader else { return };
        self.fill_path(&path, &paint(shader));
        self.stroke_path(&path, Colour([0.08, 0.09, 0.11, EDGE * colour.0[3]]), 0.9);
    }
}

fn paint(shader: Shader<'_>) -> Paint<'_> {
    Paint {
        shader,
        anti_alias: true,
        ..Paint::default()
    }
}

fn solid(colour: Colour) -> Paint<'static> {
    paint(Shader::SolidColor(colour.lit(1.0)))
}

/// Adds a line through points.
fn add_line(builder: &mut PathBuilder, points: impl IntoIterator<Item = DVec2>) {
    for (index, p) in points.into_iter().enumerate() {
        if index == 0 {
            builder.move_to(p.x as f32, p.y as f32);
        } else {
            builder.line_to(p.x as f32, p.y as f32);
        }
    }
}

/// Enough segments per half circle that no corner is visible.
fn segments(circles: [f64; 2]) -> usize {
    (4.0 + circles[0].max(circles[1]).sqrt() * 2.0).min(40.0) as usize
}

pub(super) fn brightness(normal: DVec3, light: DVec3) -> f64 {
    AMBIENT + (1.12 - AMBIENT) * normal.dot(light).max(0.0)
}

/// Light across a capsule seen from the side, as on a cylinder.
fn across(
    camera: &Camera,
    ends: [DVec3; 2],
    [from, to]: [Spot; 2],
    circles: [f64; 2],
    colour: Colour,
) -> Option<Shader<'static>> {
    let axis = (ends[1] - ends[0]).try_normalize()?;
    let eye = camera.towards_eye((ends[0] + ends[1]) / 2.0);
    // The line of the surface that faces the camera, and the one at the edge below the axis when the axis points to the right.
    let facing = (eye - axis * eye.dot(axis)).try_normalize()?;
    let edge = axis.cross(facing);
    let along = (to.at - from.at).normalize();
    let aside = DVec2::new(-along.y, along.x);
    let radius = circles[0].max(circles[1]).max(0.5);
    let middle = (from.at + to.at) / 2.0;
    let stops = [-1.0_f64, -0.8, -0.45, 0.0, 0.45, 0.8, 1.0]
        .map(|at| {
            let normal = edge * at + facing * (1.0 - at * at).max(0.0).sqrt();
            GradientStop::new(
                ((at + 1.0) / 2.0) as f32,
                colour.lit(brightness(normal, camera.light())),
            )
        })
        .to_vec();
    let [start, end] = [middle - aside * radius, middle + aside * radius].map(point);
    LinearGradient::new(start, end, stops, SpreadMode::Pad, Transform::identity())
}

/// Light on a capsule seen end on, as on a ball.
fn round(camera: &Camera, centre: DVec3, spot: Spot, radius: f64, colour: Colour) -> Option<Shader<'static>> {
    let eye = camera.towards_eye(centre);
    let light = camera.light();
    let stops = [0.0_f64, 0.4, 0.75, 1.0]
        .map(|at| {
            // Around the ball, from the brightest point outwards, away from the light.
            let towards = (light + eye).normalize();
            let normal = (towards * (1.0 - at * at).max(0.0).sqrt() - light * (0.35 * at)).normalize();
            GradientStop::new(at as f32, colour.lit(brightness(normal, light)))
        })
        .to_vec();
    let brightest = camera.project(centre + light * (0.4 * radius / spot.scale));
    RadialGradient::new(
        point(brightest.map_or(spot.at, |lit| lit.at)),
        0.0,
        point(spot.at),
        (radius * 1.1).max(0.5) as f32,
        stops,
        SpreadMode::Pad,
        Transform::identity(),
    )
}

fn point(at: DVec2) -> Point {
    Point::from_xy(at.x as f32, at.y as f32)
}

fn signed_area(outline: &[DVec2]) -> f64 {
    outline
        .iter()
        .zip(outline.iter().cycle().skip(1))
        .map(|(a, b)| a.perp_dot(*b))
        .sum::<f64>()
        / 2.0
}

/// Outline around two circles; `segments` per half circle.
///
/// The straight parts touch both circles at the angle whose cosine is the difference of the radii over the distance.
pub(super) fn hull_of_circles(centres: [DVec2; 2], radii: [f64; 2], segments: usize) -> Vec<DVec2> {
    let along = centres[1] - centres[0];
    let distance = along.length();
    let segments = segments.max(2);
    let circle = |centre: DVec2, radius: f64, from: f64, to: f64| {
        (0..=segments)
            .map(move |step| centre + DVec2::from_angle(from + (to - from) * step as f64 / segments as f64) * radius)
    };
    let difference = radii[0] - radii[1];
    if distance <= difference.abs() {
        // One circle lies within the other.
        let larger = usize::from(difference < 0.0);
        return circle(centres[larger], radii[larger], 0.0, TAU).skip(1).collect();
    }
    let direction = along.to_angle();
    let touch = (difference / distance).acos();
    circle(centres[1], radii[1], direction - touch, direction + touch)
        .chain(circle(
            centres[0],
            radii[0],
            direction + touch,
            direction + 2.0 * PI - touch,
        ))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outline_of_two_circles_touches_both_and_holds_them() {
        let centres = [DVec2::new(3.0, 4.0), DVec2::new(13.0, -2.0)];
        for radii in [[2.0, 2.0], [4.0, 1.0], [0.0, 3.0], [14.0, 1.0]] {
            let outline = hull_of_circles(centres, radii, 64);
            let distance = |p: DVec2| (p - centres[0]).length() - radii[0];
            let other = |p: DVec2| (p - centres[1]).length() - radii[1];
            for &p in &outline {
                assert!(
                    distance(p).min(other(p)).abs() < 1e-9,
                    "{radii:?}: {p} is on neither circle"
                );
            }
            // Constant winding, so the outline is convex and contains both circles.
            let count = outline.len();
            for i in 0..count {
                let [a, b, c] = [0, 1, 2].map(|step| outline[(i + step) % count]);
                assert!((b - a).perp_dot(c - b) > -1e-9, "{radii:?}: dent at {b}");
            }
        }
    }
}
