//! Blend spaces: loops over axes, and their weights at any point.

use core::ops::{Deref, DerefMut};

use glam::DVec3;
use loopwright_core::math::{Twist, mean, ops, ordered};
use loopwright_formats::set::Manifest;
use loopwright_moves::blend::extents;

use crate::{SetError, clip::MotionClip};

/// The motion that a character should show.
#[value(Copy, Default)]
pub struct Goal {
    /// Speed over the ground, metres per second.
    pub speed: f64,
    /// Turn rate, radians per second, left positive.
    pub turn_rate: f64,
    /// Direction of motion relative to the facing, radians, left positive.
    pub direction: f64,
    /// Rate of climb, metres per second.
    pub climb: f64,
    /// A single turn by a passage, radians.
    pub turn: f64,
}

/// The figure that an axis of a blend space measures, named as in the manifest.
#[value(Copy, Eq)]
pub enum SpaceAxis {
    /// Speed over the ground, metres per second.
    Speed,
    /// Turn rate, degrees per second, left positive.
    TurnRateDegrees,
    /// Direction of motion relative to the facing, degrees, left positive.
    DirectionDegrees,
    /// Rate of climb, metres per second.
    Climb,
    /// Velocity along the facing, metres per second.
    Forward,
    /// Velocity across the facing, metres per second.
    Left,
}

loopwright_core::words!(SpaceAxis {
    Speed: "speed_mps",
    TurnRateDegrees: "turn_rate_dps",
    DirectionDegrees: "direction_deg",
    Climb: "climb_mps",
    Forward: "forward_mps",
    Left: "left_mps",
});

impl SpaceAxis {
    /// Returns the least range over which distances are measured; a smaller one is chance, not intent.
    fn least_range(self) -> f64 {
        match self {
            Self::Speed | Self::Climb | Self::Forward | Self::Left => 0.5,
            Self::TurnRateDegrees | Self::DirectionDegrees => 45.0,
        }
    }
}

/// A turn counts as unreachable if it needs more standing loops than going straight does, by this share of the time.
const MOST_STANDING: f64 = 0.05;

/// A loop with a smaller share does not contribute: the others then play as they would without it.
const LEAST_SHARE: f64 = 1e-4;

/// The part of a loop in a blend.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub clip: usize,
    /// Share of the time, which determines speed and turn rate.
    pub share: f64,
    /// Share of the pose.
    pub weight: f64,
    at: [f64; 2],
}

/// The loops of a blend: one to three.
#[derive(Clone, Copy)]
pub(crate) struct Parts {
    parts: [Part; 3],
    count: usize,
}

impl Deref for Parts {
    type Target = [Part];

    fn deref(&self) -> &[Part] {
        &self.parts[..self.count]
    }
}

impl DerefMut for Parts {
    fn deref_mut(&mut self) -> &mut [Part] {
        &mut self.parts[..self.count]
    }
}

/// Loops as points on axes such as speed and turn rate; any point between them has weights.
#[derive(Clone, Debug)]
pub struct PlayedSpace {
    /// Its name; a loop that is in no other space is alone in one of its own name.
    pub name: String,
    /// Its axes: none, one or two.
    pub axes: Vec<SpaceAxis>,
    /// The points of its loops; missing axes are 0.
    pub points: Vec<[f64; 2]>,
    /// The numbers of its loops in the set, in the order of the points.
    pub clips: Vec<usize>,
    /// Indices of points that are blended: one, two, or the corners of a triangle.
    pub simplices: Vec<Vec<usize>>,
    scale: [f64; 2],
    /// The axis of loops on a line: of two lines that bend, the nearest point would jump.
    along: Option<usize>,
    /// How far a line of points bends, as a share of the range of the other axis.
    bends: f64,
    pub(crate) stands: bool,
    pub(crate) is_variant: bool,
}

impl PlayedSpace {
    fn new(
        name: &str,
        axes: Vec<SpaceAxis>,
        points: Vec<(usize, [f64; 2])>,
        triangles: &[[usize; 3]],
        clips: &[MotionClip],
    ) -> Self {
        let (of_points, points): (Vec<usize>, Vec<[f64; 2]>) = points.into_iter().unzip();
        let extents = extents(&points);
        let least = [0, 1].map(|index| axes.get(index).map_or(1.0, |axis| axis.least_range()));
        let scale = [0, 1].map(|index| extents[index].max(least[index]));
        // Points of a line are ordered along the axis on which they are farther apart.
        let axis = usize::from(extents[1] / least[1] > extents[0] / least[0]);
        let simplices = if triangles.is_empty() {
            let mut order: Vec<usize> = (0..points.len()).collect();
            order.sort_by_key(|&index| ordered(points[index][axis]));
            if order.len() == 1 {
                vec![order]
            } else {
                order.windows(2).map(<[usize]>::to_vec).collect()
            }
        } else {
            triangles.iter().map(|triangle| triangle.to_vec()).collect()
        };
        Self {
            name: name.to_owned(),
            axes,
            simplices,
            scale,
            along: triangles.is_empty().then_some(axis),
            bends: if triangles.is_empty() {
                extents[1 - axis] / scale[1 - axis]
            } else {
                0.0
            },
            stands: of_points.iter().all(|&clip| clips[clip].stands()),
            is_variant: of_points.iter().all(|&clip| clips[clip].variant_of.is_some()),
            points,
            clips: of_points,
        }
    }

    /// Returns the point of a goal on the axes.
    pub(crate) fn place(&self, goal: &Goal) -> [f64; 2] {
        let mut at = [0.0; 2];
        for (value, axis) in at.iter_mut().zip(&self.axes) {
            *value = match axis {
                SpaceAxis::Speed => goal.speed,
                SpaceAxis::TurnRateDegrees => goal.turn_rate.to_degrees(),
                SpaceAxis::DirectionDegrees => goal.direction.to_degrees(),
                SpaceAxis::Climb => goal.climb,
                SpaceAxis::Forward => goal.speed * ops::cos(goal.direction),
                SpaceAxis::Left => goal.speed * ops::sin(goal.direction),
            };
        }
        at
    }

    /// Returns loops and their weights at a point, or at the nearest covered one.
    pub(crate) fn weights(&self, clips: &[MotionClip], at: [f64; 2]) -> Parts {
        let (mut least, mut simplex, mut shares) = (f64::INFINITY, &[][..], [0.0; 3]);
        for found in &self.simplices {
            let (square, of_corners) = self.nearest(found, at);
            if square < least {
                (least, simplex, shares) = (square, found, of_corners);
            }
            if least == 0.0 {
                break;
            }
        }
        let mut parts: [Part; 3] = core::array::from_fn(|corner| {
            let index = simplex.get(corner).copied().unwrap_or_default();
            let share = if shares[corner] > LEAST_SHARE {
                shares[corner]
            } else {
                0.0
            };
            Part {
                clip: self.clips[index],
                share,
                weight: share / clips[self.clips[index]].seconds,
                at: self.points[index],
            }
        });
        parts.sort_by_key(|part| part.share == 0.0);
        let count = parts.iter().filter(|part| part.share > 0.0).count();
        let mut parts = Parts { parts, count };
        let [share, weight] =
            [|part: &Part| part.share, |part: &Part| part.weight].map(|of| parts.iter().map(of).sum::<f64>());
        for part in &mut *parts {
            part.share /= share;
            part.weight /= weight;
        }
        parts
    }

    /// Returns the squared distance of the nearest point of a simplex, and its barycentric coordinates.
    fn nearest(&self, simplex: &[usize], at: [f64; 2]) -> (f64, [f64; 3]) {
        let scaled = |point: [f64; 2]| {
            [0, 1].map(|axis| {
                if self.along.is_none_or(|along| along == axis) {
                    point[axis] / self.scale[axis]
                } else {
                    0.0
                }
            })
        };
        let mut corners = [[0.0; 2]; 3];
        let corners = &mut corners[..simplex.len().min(3)];
        for (corner, &index) in corners.iter_mut().zip(simplex) {
            *corner = scaled(self.points[index]);
        }
        let at = scaled(at);
        let to = |from: [f64; 2], to: [f64; 2]| [to[0] - from[0], to[1] - from[1]];
        if let [a, b, c] = *corners {
            let [b, c, at] = [b, c, at].map(|other| to(a, other));
            let [area, second, third] = [(b, c), (at, c), (b, at)].map(|(u, v)| u[0] * v[1] - u[1] * v[0]);
            let (second, third) = (second / area, third / area);
            let shares = [1.0 - second - third, second, third];
            if shares.iter().all(|share| *share >= 0.0) {
                return (0.0, shares);
            }
        }
        let mut best = (f64::INFINITY, [1.0, 0.0, 0.0]);
        for i in 0..corners.len() {
            for j in i..corners.len() {
                let (way, off) = (to(corners[i], corners[j]), to(corners[i], at));
                let square = way[0] * way[0] + way[1] * way[1];
                let along = if square > 0.0 {
                    (way[0] * off[0] + way[1] * off[1]) / square
                } else {
                    0.0
                };
                let u = along.clamp(0.0, 1.0);
                let left = [off[0] - u * way[0], off[1] - u * way[1]];
                let square = left[0] * left[0] + left[1] * left[1];
                if square < best.0 {
                    let mut shares = [0.0; 3];
                    shares[i] += 1.0 - u;
                    shares[j] += u;
                    best = (square, shares);
                }
            }
        }
        best
    }

    pub(crate) fn twist(clips: &[MotionClip], parts: &[Part]) -> Twist {
        parts
            .iter()
            .fold(Twist::ZERO, |sum, part| sum.plus(clips[part.clip].twist(), part.share))
    }

    /// Returns the nearest point that the loops cover.
    pub(crate) fn covered(&self, clips: &[MotionClip], at: [f64; 2]) -> [f64; 2] {
        let parts = self.weights(clips, at);
        [0, 1].map(|axis| parts.iter().map(|part| part.share * part.at[axis]).sum())
    }

    /// Returns the goal as far as the loops can meet it at its speed: first the turn is reduced, and only then the direction. The nearest
    /// point to a faster turn may otherwise be a faster run; and a turning run, mixed with an idle, may stand in for a walk.
    pub(crate) fn met(&self, clips: &[MotionClip], goal: &Goal) -> Goal {
        let off = |goal: &Goal| {
            let at = self.place(goal);
            self.distance(self.covered(clips, at), at)
        };
        let with = |turned: f64, aside: f64| Goal {
            turn_rate: turned * goal.turn_rate,
            direction: aside * goal.direction,
            ..*goal
        };
        let standing = |goal: &Goal| -> f64 {
            let parts = self.weights(clips, self.place(goal));
            parts
                .iter()
                .filter(|part| clips[part.clip].stands())
                .map(|part| part.share)
                .sum()
        };
        // A speed beyond all loops must not limit the rest.
        let straight = with(0.0, 0.0);
        let least = off(&straight) + self.bends + 0.02;
        let most = |of: &dyn Fn(f64) -> Goal, stands: f64| {
            let is_there = |share: f64| off(&of(share)) <= least && standing(&of(share)) <= stands;
            if is_there(1.0) {
                return 1.0;
            }
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..12 {
                let middle = 0.5 * (low + high);
                if is_there(middle) { low = middle } else { high = middle }
            }
            low
        };
        let aside = most(&|share| with(0.0, share), 1.0);
        let stands = standing(&with(0.0, aside)) + MOST_STANDING;
        with(most(&|share| with(share, aside), stands), aside)
    }

    /// Returns by how much the blend for a goal, as far as it can be met, misses it, metres per second.
    pub(crate) fn misses(&self, clips: &[MotionClip], goal: &Goal) -> f64 {
        let met = self.met(clips, goal);
        let twist = Self::twist(clips, &self.weights(clips, self.place(&met)));
        let (left, ahead) = ops::sin_cos(goal.direction);
        let off = DVec3::new(left, 0.0, ahead) * goal.speed - twist.linear;
        ops::over_ground(off) + 0.3 * (goal.turn_rate - twist.angular.y).abs()
    }

    /// Returns the mean of its points.
    pub(crate) fn middle(&self) -> [f64; 2] {
        [0, 1].map(|axis| mean(self.points.iter().map(|point| point[axis])))
    }

    pub(crate) fn point_of(&self, clip: usize) -> [f64; 2] {
        let index = self.clips.iter().position(|found| *found == clip);
        index.map_or([0.0; 2], |index| self.points[index])
    }

    /// Returns the distance of two points as a share of the range of the axes.
    pub(crate) fn distance(&self, a: [f64; 2], b: [f64; 2]) -> f64 {
        ops::hypot((a[0] - b[0]) / self.scale[0], (a[1] - b[1]) / self.scale[1])
    }
}

/// Returns the blend spaces of the manifest, and one for each loop that stands or is in none.
pub(crate) fn spaces(
    manifest: &Manifest,
    clips: &[MotionClip],
    index: impl Fn(&str) -> Result<usize, SetError>,
) -> Result<Vec<PlayedSpace>, SetError> {
    let mut spaces = Vec::new();
    for entry in &manifest.blend_spaces {
        let wrong = |reason| SetError::PlayedSpace {
            name: entry.name.clone(),
            reason,
        };
        let axes: Vec<SpaceAxis> = entry.axes.iter().filter_map(|name| name.parse().ok()).collect();
        if axes.len() != entry.axes.len() || axes.len() > 2 {
            return Err(wrong("its axes are not one or two that this player knows"));
        }
        let mut points = Vec::new();
        for point in &entry.points {
            let mut at = [0.0; 2];
            if point.at.len() != axes.len() {
                return Err(wrong("a point has not one number for each axis"));
            }
            at[..point.at.len()].copy_from_slice(&point.at);
            let clip = index(&point.clip)?;
            if !clips[clip].loops() {
                return Err(wrong("a point is no loop"));
            }
            points.push((clip, at));
        }
        if points.is_empty() || entry.triangles.iter().flatten().any(|corner| *corner >= points.len()) {
            return Err(wrong("it has no points, or a triangle names one that is not there"));
        }
        spaces.push(PlayedSpace::new(&entry.name, axes, points, &entry.triangles, clips));
    }
    for (index, clip) in clips.iter().enumerate() {
        let is_placed = spaces.iter().any(|space| space.clips.contains(&index));
        let is_alone = spaces.iter().any(|space| space.clips == [index]);
        if clip.loops() && !is_alone && (!is_placed || clip.stands()) {
            spaces.push(PlayedSpace::new(
                &clip.name,
                Vec::new(),
                vec![(index, [0.0; 2])],
                &[],
                clips,
            ));
        }
    }
    Ok(spaces)
}
