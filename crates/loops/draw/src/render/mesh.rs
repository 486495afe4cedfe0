//! Triangles of a mesh as pixels: with depth, light at their corners, and edges that are not jagged.

use glam::{DAffine3, DVec2, DVec3, Vec3};
use resvg::tiny_skia::PremultipliedColorU8;

use super::{
    camera::{Camera, Spot},
    canvas::{self, Canvas},
};
use crate::Surface;

/// Samples across and down each pixel: the edges have as many steps as its square.
const SAMPLES: usize = 3;

/// Most samples held at once: 16 MB. Larger pictures are drawn in bands.
const MAX_SAMPLES: usize = 1 << 21;

/// A mesh in a pose.
pub(super) struct PosedMesh<'a> {
    surface: &'a Surface,
    /// Vertices in the world, and their normals.
    pub points: Vec<DVec3>,
    normals: Vec<DVec3>,
}

/// A corner of a triangle in the picture.
#[derive(Clone, Copy)]
pub(super) struct Corner {
    /// Pixels, y downwards.
    at: DVec2,
    /// Larger for nearer points; linear across the picture.
    nearness: f64,
    /// The lit colours of its front and back.
    inks: [[f32; 3]; 2],
    /// Whether its other side is the one that is seen.
    is_turned_away: bool,
}

impl<'a> PosedMesh<'a> {
    /// Creates a surface where bones carry it; `near` is somewhere near it.
    pub(super) fn new(surface: &'a Surface, bones: &[DAffine3], near: DVec3) -> Self {
        let (points, normals) = surface
            .mesh
            .posed(bones, near)
            .into_iter()
            .map(|vectors| {
                let [position, normal] = vectors.map(|vector| DVec3::from_array(vector.map(f64::from)));
                (near + position, normal.normalize_or_zero())
            })
            .unzip();
        Self {
            surface,
            points,
            normals,
        }
    }

    /// Returns the corners of its triangles.
    pub(super) fn indices(&self) -> &[u32] {
        &self.surface.mesh.indices
    }

    /// Draws it; `ink` returns a vertex's colour.
    pub(super) fn draw(&self, camera: &Camera, canvas: &mut Canvas, ink: impl Fn(usize) -> [f32; 3]) {
        let corners: Vec<_> = self
            .points
            .iter()
            .zip(&self.normals)
            .enumerate()
            .map(|(vertex, (&point, &normal))| {
                let ink = ink(vertex);
                let lit = [normal, -normal].map(|normal| {
                    let light = canvas::brightness(normal, camera.light()) as f32;
                    ink.map(|channel| (channel * light).clamp(0.0, 1.0))
                });
                Some(Corner {
                    is_turned_away: normal.dot(camera.towards_eye(point)) < 0.0,
                    ..Corner::new(camera.project(point)?, lit)?
                })
            })
            .collect();
        canvas.triangles(&corners, self.indices(), 1.0);
    }
}

impl Corner {
    /// Creates a corner at a spot; `None` if its position is not finite.
    pub(super) fn new(spot: Spot, inks: [[f32; 3]; 2]) -> Option<Self> {
        let (at, nearness) = (spot.at, 1.0 / spot.depth);
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
        let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        for corner in corners.iter().flatten() {
            low = low.min(corner.at);
            high = high.max(corner.at);
        }
        // Casts of floats saturate, and NaN becomes 0.
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
                corner: DVec2::new(left as f64, top as f64),
                across,
                samples: &mut samples,
            };
            let corners_of = |triangle: usize| -> Option<[Corner; 3]> {
                let [a, b, c] = [0, 1, 2].map(|corner| corners[indices[3 * triangle + corner] as usize]);
                Some([a?, b?, c?])
            };
            for triangle in 0..indices.len() / 3 {
                if let Some(corners) = corners_of(triangle) {
                    band.add(corners, triangle as u32);
                }
            }
            for y in 0..rows {
                for x in 0..right - left {
                    if let Some((ink, share)) = band.pixel(x, y, corners_of) {
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
            sums[channel] =
                (255.0 * above[channel] * opacity + f32::from(below[channel]) * (1.0 - opacity) + 0.5) as u8;
        }
        let [red, green, blue, alpha] = sums;
        // Colours are multiplied with their opacity, which rounding must not leave below them.
        let [red, green, blue] = [red, green, blue].map(|channel| channel.min(alpha));
        if let Some(sum) = PremultipliedColorU8::from_rgba(red, green, blue, alpha) {
            *pixel = sum;
        }
    }
}

/// A sample of a picture: the nearest triangle there.
#[derive(Clone, Copy, Default)]
struct Sample {
    /// 0 for nothing.
    nearness: f32,
    triangle: u32,
}

/// Rows of samples.
struct Band<'a> {
    /// Its first pixel.
    corner: DVec2,
    across: usize,
    samples: &'a mut [Sample],
}

/// A number that is linear across samples: by column, by row, and at the first one.
#[derive(Clone, Copy, Debug)]
struct Linear([f64; 3]);

impl Linear {
    fn at(self, x: f64, y: f64) -> f64 {
        self.0[0] * x + self.0[1] * y + self.0[2]
    }
}

impl Band<'_> {
    /// The share of each corner of a triangle at samples; `None` for one without area.
    fn shares(&self, corners: &[Corner; 3]) -> Option<([DVec2; 3], [Linear; 3])> {
        // Samples lie in the middle of their parts of a pixel.
        let spots = corners.map(|corner| (corner.at - self.corner) * SAMPLES as f64 - DVec2::splat(0.5));
        let area = (spots[1] - spots[0]).perp_dot(spots[2] - spots[0]);
        if !area.is_finite() || area.abs() < 1e-9 {
            return None;
        }
        let shares = [0, 1, 2].map(|corner| {
            let (from, to) = (spots[(corner + 1) % 3], spots[(corner + 2) % 3]);
            let along = (to - from) / area;
            Linear([-along.y, along.x, along.y * from.x - along.x * from.y])
        });
        Some((spots, shares))
    }

    fn add(&mut self, corners: [Corner; 3], triangle: u32) {
        let Some((spots, shares)) = self.shares(&corners) else {
            return;
        };
        let nearness = Linear([0, 1, 2].map(|part| (0..3).map(|k| shares[k].0[part] * corners[k].nearness).sum()));
        let [low, high] = [
            spots[0].y.min(spots[1].y).min(spots[2].y),
            spots[0].y.max(spots[1].y).max(spots[2].y),
        ];
        // Casts of floats end at the limits of integers.
        let rows = low.ceil().max(0.0) as usize
            ..((high.floor() + 1.0).max(0.0) as usize).min(self.samples.len() / self.across);
        for y in rows {
            let (mut left, mut right) = (0.0_f64, self.across as f64 - 1.0);
            for share in shares {
                let [by_column, ..] = share.0;
                let at_first = share.at(0.0, y as f64);
                if by_column > 0.0 {
                    left = left.max(-at_first / by_column);
                } else if by_column < 0.0 {
                    right = right.min(-at_first / by_column);
                } else if at_first < 0.0 {
                    right = -1.0;
                }
            }
            let columns = left.ceil() as usize..(right.floor() + 1.0).max(0.0) as usize;
            let (first, step) = (nearness.at(columns.start as f64, y as f64) as f32, nearness.0[0] as f32);
            let row = &mut self.samples[y * self.across..(y + 1) * self.across];
            for (column, sample) in row.get_mut(columns).unwrap_or_default().iter_mut().enumerate() {
                let nearness = first + step * column as f32;
                if nearness > sample.nearness {
                    *sample = Sample { nearness, triangle };
                }
            }
        }
    }

    /// Returns the mean colour of the triangles at a pixel of the band, and the share of the pixel that they cover.
    fn pixel(&self, x: usize, y: usize, corners_of: impl Fn(usize) -> Option<[Corner; 3]>) -> Option<([f32; 3], f32)> {
        let (mut sum, mut count) = (Vec3::ZERO, 0);
        let mut last: Option<(u32, Vec3)> = None;
        for row in SAMPLES * y..SAMPLES * (y + 1) {
            let first = row * self.across + SAMPLES * x;
            for sample in self.samples[first..first + SAMPLES]
                .iter()
                .filter(|sample| sample.nearness > 0.0)
            {
                let ink = match last {
                    Some((triangle, ink)) if triangle == sample.triangle => ink,
                    _ => self.ink(x, y, &corners_of(sample.triangle as usize)?),
                };
                last = Some((sample.triangle, ink));
                sum += ink;
                count += 1;
            }
        }
        let covered = count as f32;
        (count > 0).then(|| ((sum / covered).to_array(), covered / (SAMPLES * SAMPLES) as f32))
    }

    /// Returns the colour of a triangle in the middle of a pixel, or near the middle if that lies outside the triangle.
    fn ink(&self, x: usize, y: usize, corners: &[Corner; 3]) -> Vec3 {
        let [x, y] = [x, y].map(|pixel| (SAMPLES * pixel) as f64 + 0.5 * (SAMPLES - 1) as f64);
        let shares = self.shares(corners).map_or([1.0; 3], |(_, shares)| {
            shares.map(|share| share.at(x, y).clamp(0.0, 1.0))
        });
        let side = usize::from(corners.iter().all(|corner| corner.is_turned_away));
        let sum: f64 = shares.iter().sum();
        let inks = corners.iter().zip(shares);
        inks.map(|(corner, share)| Vec3::from_array(corner.inks[side]) * (share / sum) as f32)
            .sum()
    }
}
