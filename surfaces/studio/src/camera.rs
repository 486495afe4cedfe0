//! The camera: where the view is from, and where a point of the world appears on the screen.

use eframe::egui::{Pos2, Rect, Vec2, pos2};
use glam::{DVec3, DVec4};
use loopwright_core::math::ops;

use crate::road::Opened;

/// Tangent of half the vertical angle of view: about 34 degrees from top to bottom, as of a portrait lens.
const HALF_VIEW: f64 = 0.31;

/// Nothing nearer to the eye is drawn, metres.
const NEAR_METRES: f64 = 0.05;

/// Nothing farther away is drawn, metres.
const FAR_METRES: f64 = 1000.0;

/// Nearest and farthest distance by the wheel, in heights of the body.
const DISTANCES: [f64; 2] = [0.3, 40.0];

/// Radians per point of the screen that is dragged.
const ORBIT_RADIANS: f64 = 0.008;

/// Lowest and highest view, radians: from just below the ground to almost straight down.
const PITCHES: [f64; 2] = [-0.1, 1.5];

/// A view that turns around a point.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Camera {
    /// Turn about the up axis, radians; 0 looks at a body that faces +Z from the front.
    pub yaw: f64,
    /// Height above the horizon, radians.
    pub pitch: f64,
    /// Distance from the point looked at, in heights of the body.
    pub distance: f64,
    /// Displacement of the view from the body, metres.
    pub offset: DVec3,
    /// Whether the view moves along with the body.
    pub follows: bool,
    /// Whether the projection is orthographic, so that far things are as large as near ones.
    pub is_orthographic: bool,
    /// Height of the body, metres.
    pub stature: f64,
}

impl Default for Camera {
    fn default() -> Self {
        Self {
            yaw: 0.9,
            pitch: 0.22,
            distance: 2.4,
            offset: DVec3::ZERO,
            follows: true,
            is_orthographic: false,
            stature: 1.7,
        }
    }
}

impl Camera {
    /// Whether all its numbers are finite.
    pub fn is_finite(&self) -> bool {
        [self.yaw, self.pitch, self.distance, self.stature]
            .iter()
            .all(|number| number.is_finite())
            && self.offset.is_finite()
    }

    /// The steepest view from above, radians.
    pub const STEEPEST: f64 = PITCHES[1];

    /// Returns the first view of a take: from the side and ahead of where its body faces.
    pub fn facing(self, opened: &Opened) -> Self {
        Self {
            stature: opened.stature().unwrap_or(Self::default().stature),
            ..self
        }
        .reset()
    }

    /// Returns the first view of the same body, with the same mode.
    pub fn reset(self) -> Self {
        Self {
            stature: self.stature,
            follows: self.follows,
            is_orthographic: self.is_orthographic,
            ..Self::default()
        }
    }

    /// Returns the view turned by a drag, points of the screen.
    pub fn orbited(self, drag: Vec2) -> Self {
        Self {
            yaw: self.yaw - ORBIT_RADIANS * f64::from(drag.x),
            pitch: (self.pitch + ORBIT_RADIANS * f64::from(drag.y)).clamp(PITCHES[0], PITCHES[1]),
            ..self
        }
    }

    /// Returns the view moved by a drag, points of the screen, in a view of this height.
    pub fn panned(self, drag: Vec2, height: f32) -> Self {
        let [right, up, _] = self.axes();
        let metres = 2.0 * HALF_VIEW * self.distance * self.stature / f64::from(height.max(1.0));
        Self {
            offset: self.offset + metres * (f64::from(drag.y) * up - f64::from(drag.x) * right),
            ..self
        }
    }

    /// Returns the view nearer by a factor.
    pub fn zoomed(self, factor: f64) -> Self {
        let distance = self.distance / factor.clamp(0.1, 10.0);
        Self {
            distance: distance.clamp(DISTANCES[0], DISTANCES[1]),
            ..self
        }
    }

    /// Returns the direction over the ground that is so far to the right and so far away as seen.
    pub fn on_ground(&self, [right, away]: [f64; 2]) -> DVec3 {
        let sin = ops::sin(self.yaw);
        let cos = ops::cos(self.yaw);
        right * DVec3::new(cos, 0.0, -sin) - away * DVec3::new(sin, 0.0, cos)
    }

    /// Returns the view with the whole body in the middle, from the same side.
    pub fn framed(self) -> Self {
        let Self { offset, distance, .. } = Self::default();
        Self {
            offset,
            distance,
            ..self
        }
    }

    /// Right, up, and from the point looked at to the eye.
    fn axes(&self) -> [DVec3; 3] {
        let [sin_yaw, cos_yaw] = [ops::sin(self.yaw), ops::cos(self.yaw)];
        let [sin_pitch, cos_pitch] = [ops::sin(self.pitch), ops::cos(self.pitch)];
        let back = DVec3::new(sin_yaw * cos_pitch, sin_pitch, cos_yaw * cos_pitch);
        let right = DVec3::new(cos_yaw, 0.0, -sin_yaw);
        [right, back.cross(right), back]
    }

    /// Places the camera for a target in a rectangle.
    pub fn view(&self, target: DVec3, rect: Rect) -> View {
        let [right, up, back] = self.axes();
        let target = target + self.offset;
        View {
            eye: target + back * self.distance * self.stature,
            right,
            up,
            back,
            centre: rect.center(),
            points_per_slope: f64::from(rect.height()) * 0.5 / HALF_VIEW,
            even_depth: self.is_orthographic.then_some(self.distance * self.stature),
        }
    }
}

/// A placed camera.
pub struct View {
    eye: DVec3,
    right: DVec3,
    up: DVec3,
    back: DVec3,
    centre: Pos2,
    points_per_slope: f64,
    /// The constant distance of an orthographic view; `None` in perspective.
    even_depth: Option<f64>,
}

impl View {
    /// Projects a point; `None` behind the eye, or if the point is not finite.
    pub fn see(&self, point: DVec3) -> Option<Pos2> {
        let from_eye = point - self.eye;
        let depth = -from_eye.dot(self.back);
        if depth <= NEAR_METRES && self.even_depth.is_none() {
            return None;
        }
        let scale = self.points_per_slope / self.even_depth.unwrap_or(depth);
        if !scale.is_finite() {
            return None;
        }
        Some(pos2(
            self.centre.x + (from_eye.dot(self.right) * scale) as f32,
            self.centre.y - (from_eye.dot(self.up) * scale) as f32,
        ))
    }

    /// Metres per point of the screen at a place.
    pub fn metres_per_point(&self, place: DVec3) -> f64 {
        self.even_depth
            .unwrap_or((self.eye - place).dot(self.back))
            .max(NEAR_METRES)
            / self.points_per_slope
    }

    /// Whether a point is nearer to the eye than another one.
    pub fn is_before(&self, point: DVec3, other: DVec3) -> bool {
        (point - other).dot(self.back) > 0.0
    }

    /// Returns the projection as a matrix for the graphics card, column by column: from axes of the world around an origin into the cube
    /// from -1 to 1 that the rectangle of the view shows.
    pub fn clip_from_near(&self, origin: DVec3, rect: Rect) -> [f32; 16] {
        let scale = [rect.width(), rect.height()].map(|size| 2.0 * self.points_per_slope / f64::from(size.max(1.0)));
        let from_eye = (origin - self.eye).extend(1.0);
        let row = |axis: DVec3, scale: f64| (scale * axis).extend(scale * axis.dot(from_eye.truncate()));
        let depth = row(-self.back, 1.0);
        let near = NEAR_METRES;
        let far = FAR_METRES;
        let (z, w) = match self.even_depth {
            None => (
                depth * ((far + near) / (far - near)) - DVec4::W * (2.0 * far * near / (far - near)),
                depth,
            ),
            Some(even) => (depth * (even / far), DVec4::W * even),
        };
        let rows = [row(self.right, scale[0]), row(self.up, scale[1]), z, w];
        std::array::from_fn(|number| rows[number % 4][number / 4] as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rect() -> Rect {
        Rect::from_min_size(Pos2::ZERO, Vec2::new(800.0, 600.0))
    }

    #[test]
    fn the_point_looked_at_is_in_the_middle_and_up_is_up() {
        let camera = Camera::default();
        let target = DVec3::new(3.0, 1.0, -2.0);
        let view = camera.view(target, rect());
        let middle = view.see(target).unwrap();
        assert!((middle - rect().center()).length() < 1e-3);
        assert!(view.see(target + DVec3::Y).unwrap().y < middle.y);
        assert!(view.see(view.eye + view.back).is_none(), "behind the eye");
    }

    #[test]
    fn without_perspective_far_things_are_as_large() {
        for is_orthographic in [false, true] {
            let camera = Camera {
                is_orthographic,
                ..Camera::default()
            };
            let view = camera.view(DVec3::ZERO, rect());
            let size = |at: DVec3| {
                let [foot, head] = [at, at + view.up].map(|point| view.see(point).unwrap());
                f64::from((head - foot).length())
            };
            let ratio = size(-view.back * 2.0) / size(DVec3::ZERO);
            let is_near = (is_orthographic && (ratio - 1.0).abs() < 1e-5) || (!is_orthographic && ratio < 0.8);
            assert!(is_near, "{ratio}");
        }
    }

    #[test]
    fn the_matrix_shows_points_where_the_view_sees_them() {
        for is_orthographic in [false, true] {
            let camera = Camera {
                is_orthographic,
                ..Camera::default()
            };
            let origin = DVec3::new(40.0, 0.5, -7.0);
            let view = camera.view(origin + DVec3::Y, rect());
            let clip = view.clip_from_near(origin, rect()).map(f64::from);
            for near in [DVec3::ZERO, DVec3::new(0.4, 1.5, -0.3), DVec3::new(-2.0, 0.0, 1.0)] {
                let [x, y, z, w] = [0, 1, 2, 3]
                    .map(|row| clip[row] * near.x + clip[4 + row] * near.y + clip[8 + row] * near.z + clip[12 + row]);
                let seen = view.see(origin + near).unwrap();
                let at = pos2((400.0 + 400.0 * x / w) as f32, (300.0 - 300.0 * y / w) as f32);
                assert!((at - seen).length() < 0.01, "{at:?} {seen:?}");
                assert!((-1.0..1.0).contains(&(z / w)), "{}", z / w);
            }
        }
    }

    #[test]
    fn dragging_moves_the_world_along() {
        let camera = Camera::default();
        let seen = |camera: Camera| camera.view(DVec3::ZERO, rect()).see(DVec3::ZERO).unwrap();
        let drag = Vec2::new(30.0, -20.0);
        let moved = seen(camera.panned(drag, rect().height())) - seen(camera);
        assert!((moved - drag).length() < 1.0, "{moved:?}");
        assert!(camera.zoomed(1e9).distance >= DISTANCES[0] && camera.zoomed(0.0).distance <= DISTANCES[1]);
        assert!(camera.orbited(Vec2::new(0.0, 1e6)).pitch <= PITCHES[1]);
    }
}
