//! Triangles of a mesh as pixels: with depth, light at their corners, and edges that are not jagged.

use glam::{DAffine3, DVec3, Vec2};
use resvg::tiny_skia::PremultipliedColorU8;

use super::camera::{Camera, Spot};
use super::canvas::{self, Canvas};
use crate::Surface;

/// Samples across and down each pixel: the edges have as many steps as its square.
const SAMPLES: usize = 3;

/// Most samples held at once: 16 MB. Larger pictures are drawn in bands.
const MAX_SAMPLES: usize = 1 << 21;

/// A mesh in a pose.
pub(super) struct PosedMesh<'a> {
    surface: &'a Surface,
    /// Vertices in the world, and their normals.
    points: Vec<DVec3>,
    normals: Vec<DVec3>,
}

/// A corner of a triangle in the picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    /// Pixels, y downwards.
    at: Vec2,
    /// Larger for what is nearer; linear across the picture.
    nearness: f32,
    /// Its colour, and that of its other side, each with its light.
    inks: [[f32; 3]; 2],
    /// Whether its other side is the one that is seen.
    is_turned_away: bool,
}

impl<'a> PosedMesh<'a> {
    /// A surface where bones carry it; `near` is somewhere near it.
    pub(super) fn new(surface: &'a Surface, bones: &[DAffine3], near: DVec3) -> Self {
        let double = |v: [f32; 3]| DVec3::from_array(v.map(f64::from));
        let posed = surface.mesh().posed(bones, near).into_iter();
        let (points, normals) = posed
            .map(|[position, normal]| (near + double(position), double(normal).normalize_or_zero()))
            .unzip();
        Self {
            surface,
            points,
            normals,
        }
    }

    /// Its vertices in the world.
    pub(super) fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// Corners of its triangles.
    pub(super) fn indices(&self) -> &[u32] {
        &self.surface.mesh().indices
    }

    /// Draws it; `ink` returns a vertex's colour.
    pub(super) fn draw(&self, camera: &Camera, canvas: &mut Canvas, ink: impl Fn(usize) -> [f32; 3]) {
        let corners: Vec<Option<Corner>> = (self.points.iter().zip(&self.normals).enumerate())
            .map(|(vertex, (&point, &normal))| {
                let ink = ink(vertex);
                let lit = |normal: DVec3| {
                    let light = canvas::brightness(normal, camera.light()) as f32;
                    ink.map(|channel| (channel * light).clamp(0.0, 1.0))
                };
                Some(Corner {
                    is_turned_away: normal.dot(camera.towards_eye(point)) < 0.0,
                    ..Corner::new(camera.project(point)?, [lit(normal), lit(-normal)])?
                })
            })
            .collect();
        canvas.triangles(&corners, self.indices(), 1.0);
    }
}

impl Corner {
    /// `None` for a place that is none.
    pub(super) fn new(spot: Spot, inks: [[f32; 3]; 2]) -> Option<Self> {
        let (at, nearness) = (spot.at.as_vec2(), (1.0 / spot.depth) as f32);
        (at.is_finite() && nearness.is_finite()).then_some(Self {
            at,
            nearness,
            inks,
            is_turned_away: false,
        })
    }
}

impl Canvas {
    /// Triangles with depth, three corners each; those with a corner that is not in front of the camera are left out.
    pub(super) fn triangles(&mut self, corners: &[Option<Corner>], indices: &[u32], opacity: f64) {
        let [width, height] = [self.pixels.width(), self.pixels.height()].map(|side| side as usize);
        let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        for corner in corners.iter().flatten() {
            low = low.min(corner.at);
            high = high.max(corner.at);
        }
        // Casts of floats end at the limits of integers, and what is no number is 0.
        let [left, top] = [low.x, low.y].map(|side| side.floor().max(0.0) as usize);
        let right = (high.x.ceil().max(0.0) as usize).min(width);
        let bottom = (high.y.ceil().max(0.0) as usize).min(height);
        if left >= right || top >= bottom {
            return;
        }
        let across = (right - left) * SAMPLES;
        let rows = (MAX_SAMPLES / (across * SAMPLES)).max(1);
        let mut samples = Vec::new();
        for top in (top..bottom).step_by(rows) {
            let rows = rows.min(bottom - top);
            samples.clear();
            samples.resize(across * rows * SAMPLES, Sample::default());
            let mut band = Band {
                corner: Vec2::new(left as f32, top as f32),
                across,
                samples: &mut samples,
            };
            for triangle in indices.chunks_exact(3) {
                if let [Some(a), Some(b), Some(c)] = [0, 1, 2].map(|corner| corners[triangle[corner] as usize]) {
                    band.add([a, b, c]);
                }
            }
            for y in 0..rows {
                for x in 0..right - left {
                    if let Some((ink, share)) = band.pixel(x, y) {
                        self.blend((top + y) * width + left + x, ink, share * opacity as f32);
                    }
                }
            }
        }
    }

    /// Lays a colour over a pixel.
    fn blend(&mut self, index: usize, ink: [f32; 3], opacity: f32) {
        let pixel = &mut self.pixels.pixels_mut()[index];
        let below = [pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()];
        let above = [ink[0], ink[1], ink[2], 1.0];
        let mut sums = [0; 4];
        for channel in 0..4 {
            let sum = 255.0 * above[channel] * opacity + f32::from(below[channel]) * (1.0 - opacity);
            sums[channel] = sum.round() as u8;
        }
        let [red, green, blue, alpha] = sums;
        // Colours are multiplied with their opacity, which rounding must not leave below them.
        let [red, green, blue] = [red, green, blue].map(|channel| channel.min(alpha));
        if let Some(sum) = PremultipliedColorU8::from_rgba(red, green, blue, alpha) {
            *pixel = sum;
        }
    }
}

/// A sample of a picture: the nearest thing there.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    /// 0 for nothing.
    nearness: f32,
    ink: [u8; 3],
}

/// Rows of samples.
struct Band<'a> {
    /// Its first pixel.
    corner: Vec2,
    across: usize,
    samples: &'a mut [Sample],
}

impl Band<'_> {
    fn add(&mut self, corners: [Corner; 3]) {
        // Samples lie in the middle of their parts of a pixel.
        let [a, b, c] = corners.map(|corner| (corner.at - self.corner) * SAMPLES as f32 - Vec2::splat(0.5));
        let area = (b - a).perp_dot(c - a);
        if !area.is_finite() || area.abs() < 1e-9 {
            return;
        }
        let down = self.samples.len() / self.across;
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let range = |low: f32, high: f32, count: usize| {
            let end = ((high.floor() + 1.0).max(0.0) as usize).min(count);
            (low.ceil().max(0.0) as usize)..end
        };
        let columns = range(low.x, high.x, self.across);
        let side = usize::from(corners.iter().all(|corner| corner.is_turned_away));
        for y in range(low.y, high.y, down) {
            for x in columns.clone() {
                let at = Vec2::new(x as f32, y as f32);
                let shares = [
                    (c - b).perp_dot(at - b),
                    (a - c).perp_dot(at - c),
                    (b - a).perp_dot(at - a),
                ];
                let shares = shares.map(|part| part / area);
                if shares.iter().any(|&share| share.is_nan() || share < 0.0) {
                    continue;
                }
                let mean = |of: [f32; 3]| of[0] * shares[0] + of[1] * shares[1] + of[2] * shares[2];
                let nearness = mean(corners.map(|corner| corner.nearness));
                let sample = &mut self.samples[y * self.across + x];
                if nearness > sample.nearness {
                    let channel = |channel: usize| mean(corners.map(|corner| corner.inks[side][channel]));
                    *sample = Sample {
                        nearness,
                        ink: [0, 1, 2].map(|of| (255.0 * channel(of)).round() as u8),
                    };
                }
            }
        }
    }

    /// The mean colour of what is at a pixel of the band, and how much of it that covers.
    fn pixel(&self, x: usize, y: usize) -> Option<([f32; 3], f32)> {
        let (mut sums, mut count) = ([0_u32; 3], 0);
        for row in SAMPLES * y..SAMPLES * (y + 1) {
            let first = row * self.across + SAMPLES * x;
            for sample in &self.samples[first..first + SAMPLES] {
                if sample.nearness > 0.0 {
                    count += 1;
                    for (sum, channel) in sums.iter_mut().zip(sample.ink) {
                        *sum += u32::from(channel);
                    }
                }
            }
        }
        let mean = |sum: u32| sum as f32 / (255 * count) as f32;
        (count > 0).then(|| (sums.map(mean), count as f32 / (SAMPLES * SAMPLES) as f32))
    }
}
