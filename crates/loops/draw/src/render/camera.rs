//! The position of the camera: a perspective camera that moves with the body or stays fixed.

use glam::{DVec2, DVec3};

/// Side from which the body is seen, relative to its heading.
#[choice_in_words]
#[derive(Default)]
pub enum View {
    /// From ahead, to the right and a little above.
    #[default]
    ThreeQuarter,
    /// From the right: the body moves from left to right.
    Side,
    /// From ahead.
    Front,
    /// From behind, a little above.
    Back,
    /// From above, with the heading upwards in the picture.
    Top,
}

impl View {
    /// Direction towards the camera: degrees to the right of the heading, and degrees above the ground.
    fn direction(self) -> [f64; 2] {
        match self {
            Self::ThreeQuarter => [52.0, 16.0],
            Self::Side => [90.0, 6.0],
            Self::Front => [0.0, 8.0],
            Self::Back => [180.0, 14.0],
            Self::Top => [180.0, 90.0],
        }
    }
}

/// Half of the angle of view across the shorter side of the picture, radians: narrow enough to compare lengths by eye.
const HALF_ANGLE: f64 = 13.0_f64.to_radians();

/// Free margins of the picture, as shares: at the sides, and above and below, where text is placed.
const MARGINS: [f64; 2] = [0.06, 0.13];

/// Nearest depth drawn, as a share of the distance to the target.
const NEAR: f64 = 0.05;

/// Axes of a camera, without a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Orientation {
    right: DVec3,
    up: DVec3,
    /// Towards the camera.
    back: DVec3,
    /// Whether lines of sight are parallel, so that a plan shows true lengths.
    is_plan: bool,
}

impl Orientation {
    /// Creates the axes for a view of a body that moves along `heading`, a horizontal vector.
    pub(super) fn new(view: View, heading: DVec3) -> Self {
        let ahead = heading.with_y(0.0).normalize_or(DVec3::Z);
        let [aside, above] = view.direction().map(f64::to_radians);
        let level = ahead * aside.cos() + ahead.cross(DVec3::Y) * aside.sin();
        let back = level * above.cos() + DVec3::Y * above.sin();
        let right = DVec3::Y.cross(level).normalize();
        Self {
            right,
            up: back.cross(right),
            back,
            is_plan: view == View::Top,
        }
    }

    /// Returns the distance from which all points, relative to the target, are visible in a picture of that size in pixels.
    pub(super) fn distance(&self, points: impl Iterator<Item = DVec3>, size: [u32; 2]) -> f64 {
        let [tan_x, tan_y] = tangents(size);
        let [tan_x, tan_y] = [tan_x * (1.0 - MARGINS[0]), tan_y * (1.0 - MARGINS[1])];
        let nearest = points
            .map(|p| {
                let aside = (p.dot(self.right).abs() / tan_x).max(p.dot(self.up).abs() / tan_y);
                if self.is_plan {
                    aside.max(p.dot(self.back) / (1.0 - 2.0 * NEAR))
                } else {
                    p.dot(self.back) + aside
                }
            })
            .fold(0.0, f64::max);
        if nearest.is_finite() { nearest.max(1e-6) } else { 1.0 }
    }
}

/// Tangents of half the angles of view across the picture's width and height.
fn tangents([width, height]: [u32; 2]) -> [f64; 2] {
    let [width, height] = [f64::from(width), f64::from(height)];
    let scale = HALF_ANGLE.tan() / width.min(height);
    [width * scale, height * scale]
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Camera {
    axes: Orientation,
    pub target: DVec3,
    /// Metres from the camera to the target.
    pub distance: f64,
    centre: DVec2,
    /// Pixels per unit of the tangent.
    focal: f64,
}

/// A point in the picture.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    /// Pixels, y downwards.
    pub at: DVec2,
    /// Metres along the line of sight.
    pub depth: f64,
    /// Pixels per metre at that depth.
    pub scale: f64,
}

impl Camera {
    /// Creates a camera that looks at `target` from `distance` metres.
    pub(super) fn new(axes: Orientation, target: DVec3, distance: f64, size: [u32; 2]) -> Self {
        let [width, height] = size.map(f64::from);
        let [tan_x, _] = tangents(size);
        Self {
            axes,
            target,
            distance,
            centre: DVec2::new(width, height) / 2.0,
            focal: width / 2.0 / tan_x,
        }
    }

    /// Returns the position in the picture of a world point; `None` behind the camera or too close to it.
    pub(super) fn project(&self, point: DVec3) -> Option<Spot> {
        let p = point - self.target;
        let depth = self.distance - p.dot(self.axes.back);
        if depth.is_nan() || depth <= NEAR * self.distance {
            return None;
        }
        let scale = self.focal / if self.axes.is_plan { self.distance } else { depth };
        Some(Spot {
            at: self.centre + DVec2::new(p.dot(self.axes.right), -p.dot(self.axes.up)) * scale,
            depth,
            scale,
        })
    }

    /// Returns the unit vector from a world point to the camera.
    pub(super) fn towards_eye(&self, point: DVec3) -> DVec3 {
        if self.axes.is_plan {
            return self.axes.back;
        }
        (self.target + self.axes.back * self.distance - point).normalize_or(self.axes.back)
    }

    /// Returns the direction towards the light: above the camera and to its left.
    pub(super) fn light(&self) -> DVec3 {
        let Orientation { right, up, back, .. } = self.axes;
        (back * 0.55 - right * 0.45 + up * 0.7).normalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(view: View, heading: DVec3, point: DVec3) -> DVec2 {
        let axes = Orientation::new(view, heading);
        Camera::new(axes, DVec3::ZERO, 10.0, [200, 200])
            .project(point)
            .unwrap()
            .at
            - DVec2::splat(100.0)
    }

    /// A body that moves along +Z has its left hand at +X.
    #[test]
    fn sides_are_where_an_onlooker_sees_them() {
        let (ahead, left) = (DVec3::Z, DVec3::X);
        assert!(seen(View::Front, ahead, left).x > 20.0);
        assert!(seen(View::Back, ahead, left).x < -20.0);
        assert!(seen(View::Side, ahead, ahead).x > 20.0);
        assert!(seen(View::Top, ahead, left).x < -20.0);
        assert!(seen(View::Top, ahead, ahead).y < -20.0);
        for view in [View::Front, View::Back, View::Side, View::ThreeQuarter] {
            assert!(seen(view, ahead, DVec3::Y).y < -20.0);
        }
        // A plan shows lengths at any height alike.
        let [low, high] = [0.0, 3.0].map(|height| seen(View::Top, ahead, left + DVec3::Y * height));
        assert!((low - high).length() < 1e-9);
        // The view turns with the heading.
        let turned = seen(View::ThreeQuarter, DVec3::X, -DVec3::Z);
        assert!((turned - seen(View::ThreeQuarter, DVec3::Z, DVec3::X)).length() < 1e-9);
    }

    #[test]
    fn the_distance_shown_holds_every_point() {
        let axes = Orientation::new(View::ThreeQuarter, DVec3::new(0.3, 0.0, 0.8));
        let points: Vec<DVec3> = (0..200)
            .map(|i| {
                let i = f64::from(i);
                DVec3::new((i * 1.3).sin(), 2.0 * (i * 0.7).sin(), (i * 2.1).cos())
            })
            .collect();
        for size in [[200, 200], [320, 100], [100, 320]] {
            let distance = axes.distance(points.iter().copied(), size);
            let camera = Camera::new(axes, DVec3::ZERO, distance, size);
            let mut closest = f64::INFINITY;
            for &point in &points {
                let at = camera.project(point).unwrap().at;
                let [width, height] = size.map(f64::from);
                let room = at.x.min(width - at.x).min(at.y).min(height - at.y);
                closest = closest.min(room);
            }
            assert!(closest > 0.0 && closest < 22.0, "{size:?}: {closest}");
        }
    }
}
