//! Points in space seen from one side, without perspective.

use glam::DVec3;

use super::kit::svg::Area;

/// A point seen from above with +Z up and +X to the left, as seen when facing +Z.
pub(super) fn from_above(point: DVec3) -> [f64; 2] {
    [-point.x, point.z]
}

/// The lower and the upper ends of points, across and up.
pub(super) fn bounds(points: impl IntoIterator<Item = [f64; 2]>) -> [[f64; 2]; 2] {
    points
        .into_iter()
        .fold([[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]], |[low, high], [x, y]| {
            [[low[0].min(x), low[1].min(y)], [high[0].max(x), high[1].max(y)]]
        })
}

/// The places in a picture of points that are given by their distances across and up, metres.
pub(super) struct View {
    pub area: Area,
    pub pixels_per_metre: f64,
    pub middle: [f64; 2],
}

impl View {
    /// Creates the view with the middle of these bounds in the middle of the area.
    pub(super) fn new(area: Area, [low, high]: [[f64; 2]; 2], pixels_per_metre: f64) -> Self {
        Self {
            area,
            pixels_per_metre,
            middle: [0, 1].map(|axis| 0.5 * (low[axis] + high[axis])),
        }
    }

    pub(super) fn at(&self, [across, up]: [f64; 2]) -> (f64, f64) {
        let (x, y) = self.area.middle();
        (
            x + (across - self.middle[0]) * self.pixels_per_metre,
            y - (up - self.middle[1]) * self.pixels_per_metre,
        )
    }
}

/// Returns the points without those that move by less than that, but the last.
pub(crate) fn without_small_steps(points: impl Iterator<Item = (f64, f64)>, least: f64) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    let mut skipped = None;
    for point in points {
        let last = kept.last();
        if last.is_none_or(|last| (last.0 - point.0).abs() + (last.1 - point.1).abs() >= least) {
            kept.push(point);
            skipped = None;
        } else {
            skipped = Some(point);
        }
    }
    kept.extend(skipped);
    kept
}
