//! A sketch of a body in a few lines, small enough for a row of a list.

use glam::{DVec3, dvec3};
use loopwright_core::{Analysis, math::ops};
use loopwright_draw::Figure;

/// Turn of the view from where the body faces, radians: a walker is seen from its side and from ahead, as in the first view.
const YAW: f64 = 0.9;

/// Least thickness of a drawn limb, as a share of the body: fingers are not drawn.
const THINNEST: f64 = 0.015;

/// Lines in a square of side 1: both ends, from its upper left corner, and the width.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Sketch(pub Vec<[f32; 5]>);

impl Sketch {
    /// Sketches the body at a frame of a take.
    pub fn of_take(analysis: &Analysis, frame: usize) -> Self {
        let take = &analysis.take;
        let frame = frame.min(take.num_frames() - 1);
        let figure = Figure::new(take, &analysis.body);
        let yaw = analysis.heading.yaw(frame) + YAW;
        let right = dvec3(ops::cos(yaw), 0.0, -ops::sin(yaw));
        let points: Vec<[f64; 2]> = figure
            .points(&take.pose(frame).world(take.skeleton()))
            .iter()
            .map(|point: &DVec3| [point.dot(right), -point.y])
            .collect();
        let limbs = figure.limbs().iter();
        let limbs: Vec<_> = limbs
            .filter(|limb| limb.radii[0] > THINNEST * figure.stature())
            .collect();
        let mut range = [[f64::MAX; 2], [f64::MIN; 2]];
        for limb in &limbs {
            for (end, radius) in limb.ends.into_iter().zip(limb.radii) {
                for axis in 0..2 {
                    range[0][axis] = range[0][axis].min(points[end][axis] - radius);
                    range[1][axis] = range[1][axis].max(points[end][axis] + radius);
                }
            }
        }
        let [width, height] = [0, 1].map(|axis| range[1][axis] - range[0][axis]);
        let size = width.max(height).max(1e-9);
        let place = |point: usize, axis: usize| {
            let from_middle = points[point][axis] - 0.5 * (range[0][axis] + range[1][axis]);
            (0.5 + from_middle / size) as f32
        };
        Self(
            limbs
                .iter()
                .map(|limb| {
                    let [from, to] = limb.ends;
                    let width = (limb.radii[0] + limb.radii[1]) / size;
                    [place(from, 0), place(from, 1), place(to, 0), place(to, 1), width as f32]
                })
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::road::Opened;

    #[test]
    fn a_walker_fills_the_height_of_its_square_with_the_head_above() {
        let opened = Opened::walk().unwrap();
        let Sketch(lines) = Sketch::of_take(&opened.studied.analysis, opened.take().num_frames() / 2);
        let ys = || lines.iter().flat_map(|[_, from, _, to, _]| [*from, *to]);
        let [top, bottom] = [ys().fold(1.0, f32::min), ys().fold(0.0, f32::max)];
        assert!(lines.len() > 10 && top < 0.12 && bottom > 0.9, "{top} {bottom}");
        assert!(lines.iter().flatten().all(|number| (0.0..=1.0).contains(number)));
    }
}
