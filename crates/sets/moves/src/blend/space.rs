//! Blend spaces: the weights of a loop of a given speed or turn rate, from a set of loops with other values.
//!
//! Every loop is a point of its speed and turn rate. A given point is blended from the corners of the simplex around it in
//! Delaunay's triangulation: a pair of neighbours on one axis, a triangle on two. The twist of a blend is linear in each loop's
//! share of the time, so the blend has exactly the given values. Derivation and rejected alternatives: docs/math/blend.md.

use super::BlendError;
use loopwright_core::{
    loop_clip::LoopClip,
    math::{Twist, ops, ordered, percentile},
};

/// The figure that an axis of a blend space measures.
#[value(Copy, Eq)]
pub enum BlendAxis {
    /// Speed over the ground, metres per second.
    Speed,
    /// Rate of turn, radians per second, left positive.
    Turn,
}

impl BlendAxis {
    /// Returns the value of a twist on the axis.
    pub fn of(self, twist: Twist) -> f64 {
        match self {
            Self::Speed => ops::over_ground(twist.linear),
            Self::Turn => twist.angular.y,
        }
    }
}

/// A point on one or two axes; the second is 0 if there is only one axis.
type Point = [f64; 2];

/// Loops as points on axes such as speed and turn rate; any point between them has weights.
#[value]
pub struct BlendSpace<'a> {
    loops: &'a [LoopClip],
    axes: [Option<BlendAxis>; 2],
    /// The loops' own points.
    points: Vec<Point>,
    /// The scale of each axis: the range that the loops cover.
    scale: Point,
}

impl<'a> BlendSpace<'a> {
    /// Places loops on one or two axes. Errors: there are no loops.
    pub fn new(axes: [Option<BlendAxis>; 2], loops: &'a [LoopClip]) -> Result<Self, BlendError> {
        if loops.is_empty() {
            return Err(BlendError::NoLoops);
        }
        let points: Vec<Point> = loops.iter().map(|clip| point(axes, clip.root().twist)).collect();
        let scale = extents(&points).map(|extent| if extent > 0.0 { extent } else { 1.0 });
        Ok(Self {
            loops,
            axes,
            points,
            scale,
        })
    }

    /// Returns the weights for a blend ([`super::Blender::blend`]) of the loops at a point, one number for each axis of the
    /// space; the second is ignored if there is one axis.
    ///
    /// Weights are at least 0, sum to 1 and are continuous in the point; at a loop's own point only that loop has a weight. At
    /// most three are not 0. A point outside of the range of the loops counts as the nearest one inside, and a value that is not
    /// finite as 0.
    pub fn weights(&self, at: [f64; 2]) -> Vec<f64> {
        let at = [0, 1].map(|axis| {
            if self.axes[axis].is_some() && at[axis].is_finite() {
                at[axis]
            } else {
                0.0
            }
        });
        let mut shares = self.shares(at);
        let wanted = self.mixed(&shares);
        let mut asked = wanted;
        // The speed of a mean of velocities is a little below the mean of speeds if loops drift to different sides. The
        // requested speed is raised to compensate.
        for _ in 0..MAX_CORRECTIONS {
            let found = point(self.axes, self.twist(&shares));
            let missing = [0, 1].map(|axis| wanted[axis] - found[axis]);
            if missing
                .iter()
                .zip(&self.scale)
                .all(|(missing, scale)| missing.abs() <= 1e-13 * scale)
            {
                break;
            }
            asked = [0, 1].map(|axis| asked[axis] + missing[axis]);
            shares = self.shares(asked);
        }
        // Converts shares of time to weights: a loop with a longer period has more time at the same weight.
        let periods = self.loops.iter().map(LoopClip::period_secs);
        let weights: Vec<f64> = shares
            .iter()
            .zip(periods)
            .map(|(share, period)| share / period)
            .collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / sum).collect()
    }

    /// Returns the twist of the blend for the given shares of the time.
    fn twist(&self, shares: &[f64]) -> Twist {
        self.loops
            .iter()
            .zip(shares)
            .fold(Twist::ZERO, |sum, (clip, share)| sum.plus(clip.root().twist, *share))
    }

    /// Returns the mean of the loops' points.
    fn mixed(&self, shares: &[f64]) -> Point {
        [0, 1].map(|axis| {
            self.points
                .iter()
                .zip(shares)
                .map(|(point, share)| point[axis] * share)
                .sum()
        })
    }

    /// Returns shares of sum 1 whose mean of points is `at`, or the nearest possible point.
    fn shares(&self, at: Point) -> Vec<f64> {
        let scaled = |point: Point| [point[0] / self.scale[0], point[1] / self.scale[1]];
        let points: Vec<Point> = self.points.iter().copied().map(scaled).collect();
        let mut shares = vec![0.0; points.len()];
        for (index, share) in simplex_around(&points, scaled(at)).corners() {
            shares[index] += share;
        }
        shares
    }
}

/// Returns how far points reach along each axis.
pub fn extents(points: &[[f64; 2]]) -> [f64; 2] {
    [0, 1].map(|axis| {
        let (low, high) = percentile::extremes(points.iter().map(|point| point[axis]));
        high - low
    })
}

/// Most corrections of a speed; each squares the error.
const MAX_CORRECTIONS: usize = 24;

fn point(axes: [Option<BlendAxis>; 2], twist: Twist) -> Point {
    axes.map(|axis| axis.map_or(0.0, |axis| axis.of(twist)))
}

/// Up to three corners and their shares, of sum 1.
#[derive(Clone, Copy)]
struct Simplex {
    corners: [usize; 3],
    shares: [f64; 3],
}

impl Simplex {
    fn corners(self) -> impl Iterator<Item = (usize, f64)> {
        self.corners
            .into_iter()
            .zip(self.shares)
            .filter(|(_, share)| *share > 0.0)
    }

    /// Returns the height of the paraboloid's chord over the corners at the given shares.
    fn height(&self, heights: &[f64]) -> f64 {
        self.corners().map(|(corner, share)| share * heights[corner]).sum()
    }
}

/// Points this close, as a share of the range, are equal; shares this far below zero are zero.
const SAME: f64 = 1e-12;

/// Finds the simplex of the Delaunay triangulation that contains a point, or the nearest covered point.
///
/// Lifted onto a paraboloid, the triangles are the faces of the lower hull: of all triangles around a point the lowest one is
/// the face. There are few loops, so all triangles are tried and no triangulation is stored. Where four points lie on a circle
/// both diagonals are at the same height; a lift of at most a billionth decides, for all points alike.
fn simplex_around(points: &[Point], at: Point) -> Simplex {
    let heights: Vec<f64> = points
        .iter()
        .enumerate()
        .map(|(index, point)| {
            // By the square of the index, so that the lifts of evenly spaced points, as in grids, do not cancel.
            let lift = ((index * index) as f64 * 0.618_033_988_749_895).fract();
            point[0] * point[0] + point[1] * point[1] + 1e-9 * lift
        })
        .collect();
    let count = points.len();
    let triangles = (0..count)
        .flat_map(|i| (i + 1..count).flat_map(move |j| (j + 1..count).map(move |k| [i, j, k])))
        .filter_map(|corners| {
            let shares = triangle_shares(corners.map(|corner| points[corner]), at)?;
            Some(Simplex { corners, shares })
        });
    lowest(triangles, &heights).unwrap_or_else(|| nearest_edge(points, &heights, at))
}

/// Returns the first of the lowest simplices.
fn lowest(simplices: impl Iterator<Item = Simplex>, heights: &[f64]) -> Option<Simplex> {
    simplices.min_by_key(|simplex| ordered(simplex.height(heights)))
}

/// Returns the nearest point of any edge, for a point outside all triangles.
fn nearest_edge(points: &[Point], heights: &[f64], at: Point) -> Simplex {
    let mut nearest = f64::INFINITY;
    let mut edges: Vec<(f64, Simplex)> = Vec::new();
    for (i, &from) in points.iter().enumerate() {
        for (j, &to) in points.iter().enumerate().skip(i) {
            let (edge, off) = ([to[0] - from[0], to[1] - from[1]], [at[0] - from[0], at[1] - from[1]]);
            let length = edge[0] * edge[0] + edge[1] * edge[1];
            let share = if length > SAME * SAME {
                ((off[0] * edge[0] + off[1] * edge[1]) / length).clamp(0.0, 1.0)
            } else {
                0.0
            };
            let gap = ops::hypot(off[0] - share * edge[0], off[1] - share * edge[1]);
            nearest = nearest.min(gap);
            let edge = Simplex {
                corners: [i, j, j],
                shares: [1.0 - share, share, 0.0],
            };
            edges.push((gap, edge));
        }
    }
    lowest(
        edges
            .into_iter()
            .filter(|(gap, _)| *gap <= nearest + SAME)
            .map(|(_, simplex)| simplex),
        heights,
    )
    .unwrap_or(Simplex {
        corners: [0; 3],
        shares: [1.0, 0.0, 0.0],
    })
}

/// Returns the barycentric coordinates of a point in a triangle; `None` for a point outside and for a triangle without area.
fn triangle_shares([a, b, c]: [Point; 3], at: Point) -> Option<[f64; 3]> {
    let whole = doubled_area(a, b, c);
    if whole.abs() < SAME {
        return None;
    }
    let shares = [(at, b, c), (a, at, c), (a, b, at)].map(|(p, q, r)| doubled_area(p, q, r) / whole);
    if shares.iter().any(|share| *share < -SAME) {
        return None;
    }
    let shares = shares.map(|share| share.max(0.0));
    let sum: f64 = shares.iter().sum();
    Some(shares.map(|share| share / sum))
}

/// Returns twice the area of a triangle, negative if its corners are clockwise.
fn doubled_area(p: Point, q: Point, r: Point) -> f64 {
    (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
}
