//! The blend spaces of a set: loops as points, and the triangles between them.

use loopwright_core::analysis::MotionKind;

use super::{
    SetEntry,
    select::{side_of, way_of},
};
use loopwright_formats::set::{SetPoint, SetSpace};
use loopwright_moves::blend::extents;

/// Returns the blend spaces of loops: by speed and turn rate for those that go forward, and by direction if others do not.
pub(super) fn spaces(entries: &[SetEntry]) -> Vec<SetSpace> {
    let placed = entries
        .iter()
        .filter(|entry| entry.variant_of.is_none() && entry.gait != MotionKind::TurnInPlace);
    let rests = |entry: &SetEntry| entry.gait == MotionKind::Idle;
    let forward = placed
        .clone()
        .filter(|entry| rests(entry) || way_of(&entry.member).is_empty());
    let straight = placed.filter(|entry| rests(entry) || side_of(entry.member.turn_dps()) == 0);
    let by_turn = space("move", ["speed_mps", "turn_rate_dps"], forward, |entry| {
        [entry.member.speed_mps(), entry.member.turn_dps()]
    });
    let by_way = space("strafe", ["left_mps", "forward_mps"], straight, |entry| {
        let linear = entry.member.twist().linear;
        [linear.x, linear.z]
    });
    let goes_aside = entries
        .iter()
        .any(|entry| !rests(entry) && !way_of(&entry.member).is_empty());
    [Some(by_turn), goes_aside.then_some(by_way)]
        .into_iter()
        .flatten()
        .filter(|space| !space.points.is_empty())
        .collect()
}

fn space<'a>(
    name: &str,
    axes: [&str; 2],
    entries: impl Iterator<Item = &'a SetEntry>,
    at: impl Fn(&SetEntry) -> [f64; 2],
) -> SetSpace {
    let entries: Vec<&SetEntry> = entries.collect();
    let points: Vec<[f64; 2]> = entries
        .iter()
        .map(|entry| {
            if entry.gait == MotionKind::Idle {
                [0.0; 2]
            } else {
                at(entry)
            }
        })
        .collect();
    let extent = extents(&points);
    // Velocities keep their proportions, and have directions.
    let has_ways = axes[0] == "left_mps";
    let extent = if has_ways {
        [extent[0].max(extent[1]); 2]
    } else {
        extent
    };
    let scale = extent.map(|extent| if extent > 0.0 { 1.0 / extent } else { 0.0 });
    let mut triangles = triangles(&points, scale);
    triangles.retain(|corners| !has_ways || is_blended(corners.map(|corner| points[corner]), scale));
    SetSpace {
        name: name.to_owned(),
        axes: axes.map(str::to_owned).to_vec(),
        triangles,
        points: entries
            .iter()
            .zip(&points)
            .map(|(entry, at)| SetPoint {
                clip: entry.name.clone(),
                at: at.to_vec(),
            })
            .collect(),
    }
}

/// Points nearer to a line than this share of the extent are on it.
const FLAT: f64 = 1e-3;

/// Twice the area of a triangle of velocities that is too flat to blend in, as a share of the square of the extent.
const SLIVER: f64 = 0.02;

/// Directions whose cosine is below this are opposite (120 degrees): their loops are blended through the idle alone.
const OPPOSITE: f64 = -0.5;

/// Whether loops of these velocities are blended: their triangle must not be a sliver, and may mix opposite directions only with the idle,
/// which is at the origin.
fn is_blended(corners: [[f64; 2]; 3], scale: [f64; 2]) -> bool {
    let [a, b, c] = corners;
    let side = |to: [f64; 2]| [0, 1].map(|axis| (to[axis] - a[axis]) * scale[axis]);
    let (u, v) = (side(b), side(c));
    let length = |[x, y]: [f64; 2]| f64::sqrt(x * x + y * y);
    let are_opposite =
        |one: [f64; 2], two: [f64; 2]| one[0] * two[0] + one[1] * two[1] < OPPOSITE * length(one) * length(two);
    let is_mixed = are_opposite(a, b) || are_opposite(b, c) || are_opposite(a, c);
    (u[0] * v[1] - u[1] * v[0]).abs() >= SLIVER && (corners.contains(&[0.0; 2]) || !is_mixed)
}

/// Computes the Delaunay triangulation: the lower hull of the points lifted onto a paraboloid, each raised slightly by its
/// index, so that four points on one circle give two triangles.
fn triangles(points: &[[f64; 2]], scale: [f64; 2]) -> Vec<[usize; 3]> {
    let lifted: Vec<[f64; 3]> = points
        .iter()
        .enumerate()
        .map(|(index, point)| {
            let [x, y] = [point[0] * scale[0], point[1] * scale[1]];
            [
                x,
                y,
                x * x + y * y + 1e-7 * ((index + 1) as f64 * 0.618_033_988_75).fract(),
            ]
        })
        .collect();
    let count = points.len();
    let mut found = Vec::new();
    for a in 0..count {
        for b in a + 1..count {
            for c in b + 1..count {
                if is_below_all(&lifted, [a, b, c]) {
                    found.push([a, b, c]);
                }
            }
        }
    }
    found
}

/// Whether all points lie above the plane through three of them.
fn is_below_all(lifted: &[[f64; 3]], [a, b, c]: [usize; 3]) -> bool {
    let from_a = |index: usize| [0, 1, 2].map(|axis| lifted[index][axis] - lifted[a][axis]);
    let (u, v) = (from_a(b), from_a(c));
    let area = u[0] * v[1] - u[1] * v[0];
    if area.abs() < FLAT {
        return false;
    }
    let [nx, ny] = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2]];
    (0..lifted.len())
        .filter(|index| ![a, b, c].contains(index))
        .all(|index| {
            let w = from_a(index);
            // The height above the plane.
            w[2] + (nx * w[0] + ny * w[1]) / area > 0.0
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_cover_a_grid_once() {
        let points: Vec<[f64; 2]> = (0..12)
            .map(|index| [f64::from(index % 4), 30.0 * f64::from(index / 4)])
            .collect();
        let found = triangles(&points, [1.0 / 3.0, 1.0 / 60.0]);
        let area = |[a, b, c]: [usize; 3]| {
            let side = |to: usize| [points[to][0] - points[a][0], points[to][1] - points[a][1]];
            let (u, v) = (side(b), side(c));
            0.5 * (u[0] * v[1] - u[1] * v[0]).abs()
        };
        let sum: f64 = found.iter().map(|&triangle| area(triangle)).sum();
        assert!((sum - 180.0).abs() < 1e-9, "{found:?}");
        assert_eq!(found.len(), 12);
        assert_eq!(
            triangles(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], [0.5; 2]),
            Vec::<[usize; 3]>::new()
        );
        let of_velocities = |points: &[[f64; 2]], scale: [f64; 2]| {
            let mut found = triangles(points, scale);
            found.retain(|corners| is_blended(corners.map(|corner| points[corner]), scale));
            found
        };
        // Points back and forth without a sideways one form a line, however crooked.
        let line = [[0.02, 1.3], [0.0, 0.0], [-0.03, -0.8]];
        assert!(of_velocities(&line, [0.5; 2]).is_empty());
        // Backwards connects to forwards only through the idle.
        let aside = [[0.0, 0.0], [0.0, 1.3], [0.02, 3.0], [-0.02, -0.8], [0.9, 0.0]];
        let found = of_velocities(&aside, [1.0 / 3.8; 2]);
        assert!(
            found
                .iter()
                .all(|corners| corners.contains(&0) || !corners.contains(&3)),
            "{found:?}"
        );
        assert!((0..5).all(|point| found.iter().flatten().any(|corner| *corner == point)));
    }
}
