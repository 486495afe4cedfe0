//! The ground: its height, its grid, the shadow on it and the path over it.

use glam::{DVec2, DVec3};
use loopwright_core::math::mean;

use super::{
    camera::Camera,
    canvas::{Canvas, Colour, Ink},
    mesh::Corner,
    motion::DrawnMotion,
};

/// A plane that the body walks on: level, or sloping along a climb.
#[value(Copy)]
pub(super) struct Ground {
    /// Height at the origin, metres.
    height: f64,
    /// Rise per metre along x and z.
    slope: DVec2,
    /// Metres between grid lines.
    spacing: f64,
}

/// Smaller slopes count as level: rolling soles and capture drift are not a climb.
const LEVEL: f64 = 0.06;

/// Ridge term of the fit, metres: it keeps the slope near zero where the body hardly moves.
const RIDGE: f64 = 0.5;

/// Share of the lowest points that may lie below the ground, such as stray frames.
const BELOW: f64 = 0.02;

/// Most frames examined.
const MAX_FRAMES: usize = 600;

/// Extent of the grid as a share of the camera distance: somewhat beyond the edges of the picture.
const REACH: f64 = 0.95;

/// Most grid lines on either side of the target; where more would be needed, the spacing grows.
const MAX_LINES: f64 = 24.0;

/// Steps over which a grid line fades.
const FADE_STEPS: i32 = 12;

impl Ground {
    /// Creates the plane under the soles of a motion of `secs`.
    pub(super) fn under(motion: &DrawnMotion, secs: f64) -> Self {
        let count = ((secs / motion.step_secs()).round() as usize).clamp(1, MAX_FRAMES);
        let lowest: Vec<DVec3> = (0..=count)
            .filter_map(|at| {
                motion
                    .standing_at(secs * at as f64 / count as f64)
                    .into_iter()
                    .reduce(|a, b| if b.y < a.y { b } else { a })
            })
            .collect();
        let slope = slope_of(&lowest);
        let mut heights: Vec<f64> = lowest.iter().map(|p| p.y - slope.dot(DVec2::new(p.x, p.z))).collect();
        heights.sort_by(f64::total_cmp);
        let height = heights
            .get((BELOW * heights.len() as f64) as usize)
            .copied()
            .unwrap_or(0.0);
        // A metre for a person, scaled for larger and smaller bodies.
        let spacing = 10.0_f64.powf((motion.figure.stature() / 1.7).log10().round().clamp(-6.0, 9.0));
        Self { height, slope, spacing }
    }

    /// Returns the point of the ground below or above a point.
    pub(super) fn below(&self, point: DVec3) -> DVec3 {
        point.with_y(self.height + self.slope.dot(DVec2::new(point.x, point.z)))
    }

    /// Lines a metre apart, with fainter ones halfway between, which fade with the distance from the target; the world's axes
    /// are stronger. From far away the lines are two metres apart, or four, and so on.
    pub(super) fn draw_grid(&self, camera: &Camera, canvas: &mut Canvas) {
        let target = camera.target;
        let reach = REACH * camera.distance;
        let mut half = 0.5 * self.spacing;
        while reach / half > MAX_LINES {
            half *= 2.0;
        }
        let lines = (reach / half).ceil() as i32;
        let centre = [target.x, target.z].map(|along| (along / half).round());
        if !centre.iter().all(|at| at.abs() < 1e12) {
            return;
        }
        for axis in 0..2 {
            for line in -lines..=lines {
                let number = centre[axis] + f64::from(line);
                let fixed = number * half;
                let ink = if number == 0.0 {
                    Ink::Axis
                } else if number % 2.0 == 0.0 {
                    Ink::Metre
                } else {
                    Ink::HalfMetre
                };
                let middle = centre[1 - axis] * half;
                let at = |step: i32| {
                    let along = middle + reach * f64::from(step) / f64::from(FADE_STEPS);
                    let (x, z) = if axis == 0 { (fixed, along) } else { (along, fixed) };
                    self.below(DVec3::new(x, 0.0, z))
                };
                for step in -FADE_STEPS..FADE_STEPS {
                    let [from, to] = [at(step), at(step + 1)];
                    let level = (from + to) / 2.0 - target;
                    let away = DVec2::new(level.x, level.z).length() / reach;
                    let share = 1.0 - away * away;
                    if share > 0.02 {
                        canvas.line(camera, &[from, to], ink, share);
                    }
                }
            }
        }
    }

    /// The shadow of vertical light: the outline of every capsule, projected onto the ground.
    pub(super) fn draw_shadow(&self, motion: &DrawnMotion, points: &[DVec3], camera: &Camera, canvas: &mut Canvas) {
        let mut outlines = Vec::new();
        for limb in motion.figure.limbs() {
            let ends = limb.ends.map(|end| DVec2::new(points[end].x, points[end].z));
            let hull = super::canvas::hull_of_circles(ends, limb.radii, 8).into_iter();
            outlines.push(
                hull.filter_map(|p| camera.project(self.below(DVec3::new(p.x, 0.0, p.y))))
                    .map(|spot| spot.at)
                    .collect::<Vec<DVec2>>(),
            );
        }
        canvas.fill_union(&outlines, Colour::SHADOW);
    }

    /// The shadow of a mesh on these points.
    pub(super) fn draw_mesh_shadow(&self, points: &[DVec3], indices: &[u32], camera: &Camera, canvas: &mut Canvas) {
        let Colour([red, green, blue, opacity]) = Colour::SHADOW;
        let ink = [red, green, blue].map(|channel| channel as f32);
        let corners: Vec<_> = points
            .iter()
            .map(|&point| Corner::new(camera.project(self.below(point))?, [ink; 2]))
            .collect();
        canvas.triangles(&corners, indices, opacity);
    }
}

/// Slope of the ground through the lowest points; level unless they climb by a clear amount.
fn slope_of(lowest: &[DVec3]) -> DVec2 {
    let mean = mean(lowest.iter().copied());
    let ridge = RIDGE * RIDGE * lowest.len() as f64;
    let (mut xx, mut xz, mut zz) = (ridge, 0.0, ridge);
    let mut rise = DVec2::ZERO;
    for p in lowest.iter().map(|&p| p - mean) {
        xx += p.x * p.x;
        xz += p.x * p.z;
        zz += p.z * p.z;
        rise += DVec2::new(p.x, p.z) * p.y;
    }
    let determinant = xx * zz - xz * xz;
    let slope = DVec2::new(zz * rise.x - xz * rise.y, xx * rise.y - xz * rise.x) / determinant;
    if slope.is_finite() && slope.length() > LEVEL {
        slope
    } else {
        DVec2::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(rise: f64, count: usize) -> Vec<DVec3> {
        (0..count)
            .map(|i| {
                let along = i as f64 * 0.7;
                let aside = if i % 2 == 0 { 0.1 } else { -0.1 };
                DVec3::new(aside + 0.6 * along, rise * along, 0.8 * along)
            })
            .collect()
    }

    #[test]
    fn a_climb_has_a_slope_along_its_path_and_nothing_else_has() {
        assert_eq!(slope_of(&steps(0.0, 8)), DVec2::ZERO);
        assert_eq!(slope_of(&steps(0.3, 1)), DVec2::ZERO);
        let up = slope_of(&steps(0.3, 8));
        assert!((up - DVec2::new(0.18, 0.24)).length() < 0.03, "{up}");
        // Two steps in place with one foot higher are not a climb.
        assert_eq!(slope_of(&[DVec3::ZERO, DVec3::new(0.2, 0.02, 0.0)]), DVec2::ZERO);
    }
}
