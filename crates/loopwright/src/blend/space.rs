//! Blend spaces: the loop of a wanted speed, rate of turn or climb, from a set of loops that have others.
//!
//! Every loop is a point of its own speed and turn. A wanted point is mixed from the corners of the one simplex around it
//! that Delaunay's triangulation has there: a pair of neighbours on one axis, a triangle on two. The twist of a blend is linear
//! in the time that each loop has in it, so what is asked for is what comes out. Derivation and the other schemes that were
//! weighed: docs/math/blend.md.

use super::{BlendError, Blender};
use crate::{
    loop_clip::LoopClip,
    math::{ops, rigid::Twist},
};

/// What loops are chosen by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Speed over the ground, metres per second.
    Speed,
    /// Rate of turn, radians per second, left positive.
    Turn,
    /// Rate of climb, metres per second.
    Climb,
}

impl Axis {
    /// What a twist has along the axis.
    pub fn of(self, twist: Twist) -> f64 {
        match self {
            Self::Speed => ops::hypot(twist.linear.x, twist.linear.z),
            Self::Turn => twist.angular.y,
            Self::Climb => twist.linear.y,
        }
    }
}

/// A point of one or two axes; the second is 0 where there is one axis.
type Point = [f64; 2];

/// A set of loops from which one of any speed, turn or climb between theirs can be had.
#[derive(Clone, Debug, PartialEq)]
pub struct BlendSpace {
    blender: Blender,
    axes: [Option<Axis>; 2],
    /// The loops' own points.
    points: Vec<Point>,
    /// What a unit of either axis is divided by: the range that the loops cover.
    scale: Point,
}

impl BlendSpace {
    /// Lays loops onto each other and notes where on the axis each lies.
    ///
    /// Errors: see [`Blender::new`].
    pub fn along(axis: Axis, loops: Vec<LoopClip>) -> Result<Self, BlendError> {
        Self::new([Some(axis), None], loops)
    }

    /// The same for two axes.
    pub fn over(axes: [Axis; 2], loops: Vec<LoopClip>) -> Result<Self, BlendError> {
        Self::new(axes.map(Some), loops)
    }

    fn new(axes: [Option<Axis>; 2], loops: Vec<LoopClip>) -> Result<Self, BlendError> {
        let blender = Blender::new(loops)?;
        let points: Vec<Point> = blender
            .loops()
            .iter()
            .map(|clip| point(axes, clip.root().twist))
            .collect();
        let scale = [0, 1].map(|axis| {
            let values = points.iter().map(|point| point[axis]);
            let range = values.clone().fold(f64::NEG_INFINITY, f64::max) - values.fold(f64::INFINITY, f64::min);
            if range > 0.0 { range } else { 1.0 }
        });
        Ok(Self {
            blender,
            axes,
            points,
            scale,
        })
    }

    /// The loops and how they lie on each other.
    pub fn blender(&self) -> &Blender {
        &self.blender
    }

    /// Weights for [`Blender::blend`] of the loop at a point, one number for each axis of the space; the second is ignored
    /// where there is one axis.
    ///
    /// At least 0, of sum 1, continuous in the point; at a loop's own point that loop alone. At most three are not 0. A point
    /// outside of what the loops cover counts as the nearest one inside; what is no number as 0.
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
        // Speed is the length of a mean of velocities, a little less than the mean of lengths where loops drift to
        // different sides; asking for as much more makes up for it.
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
        // Shares of time to weights: a loop of a longer period has more time by the same weight.
        let periods = self.blender.loops().iter().map(LoopClip::period_secs);
        let weights: Vec<f64> = shares
            .iter()
            .zip(periods)
            .map(|(share, period)| share / period)
            .collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / sum).collect()
    }

    /// The loop at a point: see [`Self::weights`].
    pub fn at(&self, at: [f64; 2]) -> Result<LoopClip, BlendError> {
        self.blender.blend(&self.weights(at))
    }

    /// The twist of the blend in which each loop has that share of the time.
    fn twist(&self, shares: &[f64]) -> Twist {
        let loops = self.blender.loops().iter().zip(shares);
        loops.fold(Twist::ZERO, |sum, (clip, share)| Twist {
            linear: sum.linear + clip.root().twist.linear * *share,
            angular: sum.angular + clip.root().twist.angular * *share,
        })
    }

    /// The mean of the loops' points.
    fn mixed(&self, shares: &[f64]) -> Point {
        [0, 1].map(|axis| {
            self.points
                .iter()
                .zip(shares)
                .map(|(point, share)| point[axis] * share)
                .sum()
        })
    }

    /// Shares of sum 1 whose mean of points is `at`, or the nearest that can be had.
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

/// Most corrections of a speed; each leaves the square of what the one before left.
const MAX_CORRECTIONS: usize = 24;

fn point(axes: [Option<Axis>; 2], twist: Twist) -> Point {
    axes.map(|axis| axis.map_or(0.0, |axis| axis.of(twist)))
}

/// Up to three corners and their shares, of sum 1.
#[derive(Clone, Copy, Debug)]
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

    /// How high the paraboloid's chord over the corners hangs where the shares have it.
    fn height(&self, heights: &[f64]) -> f64 {
        self.corners().map(|(corner, share)| share * heights[corner]).sum()
    }
}

/// Points this close, of the range covered, are one; shares this far below zero are zero.
const SAME: f64 = 1e-12;

/// The simplex of Delaunay's triangulation that holds a point, or the nearest point of what it covers.
///
/// Lifted onto a paraboloid, the triangles are the faces of the lower hull: of all triangles around a point the one that
/// hangs lowest over it. There are few loops, so all are tried, and there is no triangulation to be kept up. Where four
/// points lie on a circle both diagonals hang level, and a lift of a billionth at most settles it, for all points
/// alike.
fn simplex_around(points: &[Point], at: Point) -> Simplex {
    let heights: Vec<f64> = points
        .iter()
        .enumerate()
        .map(|(index, point)| {
            // By the square of the place in the list: evenly spaced places, as grids have, do not balance each other.
            let lift = ((index * index) as f64 * 0.618_033_988_749_895).fract();
            point[0] * point[0] + point[1] * point[1] + 1e-9 * lift
        })
        .collect();
    let mut best: Option<(f64, Simplex)> = None;
    let mut offer = |simplex: Simplex| {
        let height = simplex.height(&heights);
        if best.is_none_or(|(lowest, _)| height < lowest) {
            best = Some((height, simplex));
        }
    };
    let count = points.len();
    for i in 0..count {
        for j in i + 1..count {
            for k in j + 1..count {
                if let Some(shares) = triangle_shares([points[i], points[j], points[k]], at) {
                    offer(Simplex {
                        corners: [i, j, k],
                        shares,
                    });
                }
            }
        }
    }
    if let Some((_, simplex)) = best {
        return simplex;
    }
    // Outside of all triangles, or there are none: the nearest point of any edge.
    let mut nearest = f64::INFINITY;
    let mut edges: Vec<(f64, Simplex)> = Vec::new();
    for i in 0..count {
        for j in i..count {
            let (from, to) = (points[i], points[j]);
            let (way, off) = ([to[0] - from[0], to[1] - from[1]], [at[0] - from[0], at[1] - from[1]]);
            let length = way[0] * way[0] + way[1] * way[1];
            let share = if length > SAME * SAME {
                ((off[0] * way[0] + off[1] * way[1]) / length).clamp(0.0, 1.0)
            } else {
                0.0
            };
            let gap = ops::hypot(off[0] - share * way[0], off[1] - share * way[1]);
            nearest = nearest.min(gap);
            edges.push((
                gap,
                Simplex {
                    corners: [i, j, j],
                    shares: [1.0 - share, share, 0.0],
                },
            ));
        }
    }
    edges
        .into_iter()
        .filter(|(gap, _)| *gap <= nearest + SAME)
        .map(|(_, simplex)| simplex)
        .min_by(|a, b| a.height(&heights).total_cmp(&b.height(&heights)))
        .unwrap_or(Simplex {
            corners: [0; 3],
            shares: [1.0, 0.0, 0.0],
        })
}

/// Shares of a triangle's corners in a point; `None` for a point outside and for a triangle without area.
fn triangle_shares([a, b, c]: [Point; 3], at: Point) -> Option<[f64; 3]> {
    let area = |p: Point, q: Point, r: Point| (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
    let whole = area(a, b, c);
    if whole.abs() < SAME {
        return None;
    }
    let shares = [area(at, b, c) / whole, area(a, at, c) / whole, area(a, b, at) / whole];
    if shares.iter().any(|share| *share < -SAME) {
        return None;
    }
    let shares = shares.map(|share| share.max(0.0));
    let sum: f64 = shares.iter().sum();
    Some(shares.map(|share| share / sum))
}
