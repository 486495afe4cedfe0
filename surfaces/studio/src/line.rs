//! Polylines, drawn through as few of their points as look the same: with software rendering, each corner takes time.

use eframe::egui::{Color32, Mesh, Pos2, Shape, Stroke};

/// Largest distance of a dropped point from the line, points.
const UNSEEN_POINTS: f32 = 0.15;

/// Returns a line through points, without those that make no visible difference.
pub fn through(points: Vec<Pos2>, stroke: Stroke) -> Shape {
    Shape::line(lean(&points), stroke)
}

/// Returns the area between two lines, given point by point.
pub fn area(sides: impl Iterator<Item = [Pos2; 2]>, colour: Color32) -> Mesh {
    let mut mesh = Mesh::default();
    for ends in sides {
        for end in ends {
            mesh.colored_vertex(end, colour);
        }
        let last = mesh.vertices.len() as u32 - 2;
        if last > 0 {
            mesh.add_triangle(last - 2, last - 1, last);
            mesh.add_triangle(last - 1, last, last + 1);
        }
    }
    mesh
}

/// Selects the points that keep all others within the unnoticeable distance of the line (Douglas and Peucker, 1973).
fn lean(points: &[Pos2]) -> Vec<Pos2> {
    let mut is_kept = vec![false; points.len()];
    let mut spans = vec![(0, points.len().saturating_sub(1))];
    while let Some((first, last)) = spans.pop() {
        for end in [first, last] {
            if let Some(kept) = is_kept.get_mut(end) {
                *kept = true;
            }
        }
        let farthest = (first + 1..last)
            .map(|index| (index, from_line(points[index], points[first], points[last])))
            .max_by(|one, other| one.1.total_cmp(&other.1));
        if let Some((index, _)) = farthest.filter(|(_, off)| off.is_nan() || *off > UNSEEN_POINTS) {
            spans.extend([(first, index), (index, last)]);
        }
    }
    points
        .iter()
        .zip(is_kept)
        .filter_map(|(&point, is_kept)| is_kept.then_some(point))
        .collect()
}

/// Distance of a point from the segment between two others.
fn from_line(point: Pos2, start: Pos2, end: Pos2) -> f32 {
    let along = end - start;
    let share = (point - start).dot(along) / along.length_sq().max(f32::MIN_POSITIVE);
    point.distance(start + share.clamp(0.0, 1.0) * along)
}

#[cfg(test)]
mod tests {
    use eframe::egui::pos2;

    use super::*;

    #[test]
    fn what_is_straight_has_two_points_and_what_bends_stays_where_it_was() {
        let straight: Vec<Pos2> = (0..500).map(|x| pos2(x as f32, 0.3 * x as f32)).collect();
        assert_eq!(lean(&straight), [straight[0], straight[499]]);
        let wave: Vec<Pos2> = (0..500)
            .map(|x| pos2(x as f32, 40.0 * (0.05 * x as f32).sin()))
            .collect();
        let drawn = lean(&wave);
        assert!(drawn.len() < 160, "{}", drawn.len());
        let off = wave.iter().map(|&point| {
            let ends = drawn.windows(2).map(|ends| from_line(point, ends[0], ends[1]));
            ends.fold(f32::INFINITY, f32::min)
        });
        assert!(off.fold(0.0, f32::max) <= UNSEEN_POINTS);
        let spike = [pos2(0.0, 0.0), pos2(1.0, 9.0), pos2(2.0, 0.0)];
        assert_eq!(lean(&spike), spike);
        let nowhere = [pos2(0.0, 0.0), pos2(f32::NAN, 0.0), pos2(2.0, 0.0)];
        assert_eq!(lean(&nowhere).len(), 3, "what is wrong is not hidden");
        for few in [&straight[..0], &straight[..1], &straight[..2]] {
            assert_eq!(lean(few), few);
        }
    }
}
