//! A clip as points of its body, and the smoothness of its motion inside, by which its ends are judged.

use core::cell::OnceCell;

use glam::DVec3;

use super::{
    curve::{NOISES, Roughness},
    reading::{Scale, level},
};
use crate::{
    math::{
        Rigid,
        fit::{PointPair, fit_planar},
        ops, percentile,
    },
    motion::PoseRef,
    take::Take,
};

/// Most keys compared on either side of the end, and the fewest.
const MOST_KEYS: usize = 6;
pub(super) const FEWEST_KEYS: usize = 3;

/// Most windows inside the clip from which its own roughness is taken.
const MOST_WINDOWS: usize = 16;

/// The distance from a joint of the points that show how it turns, metres at the size of an adult.
const LEVER_METRES: f64 = 0.1;

/// Noise that every file has, metres at the size of an adult.
pub(super) const NOISE_METRES: f64 = 2e-5;

/// Shortest step with which misses are compared, metres at the size of an adult.
const LEAST_STEP_METRES: f64 = 2e-4;

/// Most frames from which a clip's own misses are taken.
const MAX_SAMPLED: usize = 128;

/// A point of the body: a joint, or one beside it.
struct Point {
    joint: usize,
    lever: DVec3,
    /// Its share of a mean over the body.
    weight: f64,
}

/// How rough a clip is inside.
pub(super) struct Inside {
    /// The likeliest noise.
    pub noise: f64,
    /// The weight of each point over its own roughness.
    pub weights: Vec<f64>,
}

/// A clip, and the smoothness of its motion inside.
pub(super) struct Clip<'a> {
    pub take: &'a Take,
    pub size: f64,
    points: Vec<Point>,
    /// Keys compared on either side.
    pub keys: usize,
    /// The places of the points at each key, worked out for the first that asks.
    places: Vec<OnceCell<Vec<DVec3>>>,
    /// The usual step of the body, without its travel, metres.
    pub step_metres: f64,
    /// The 90th percentile of the distances of keys from where their neighbours predict them, metres.
    pub own_miss_metres: f64,
    /// Worked out for the first end that needs it.
    inside: OnceCell<Inside>,
}

impl<'a> Clip<'a> {
    /// Measures the inside of a clip; `None` if it is too short.
    pub(super) fn new(scale: &Scale<'a>) -> Option<Self> {
        let take = &scale.analysis.take;
        let keys = MOST_KEYS.min(take.num_frames() / 2);
        if keys < FEWEST_KEYS {
            return None;
        }
        let levers = [DVec3::ZERO, DVec3::X, DVec3::Z].map(|axis| axis * LEVER_METRES * scale.size);
        let total: f64 = levers.len() as f64 * scale.joints.iter().map(|(_, weight)| weight).sum::<f64>();
        let points = scale
            .joints
            .iter()
            .flat_map(|&(joint, weight)| {
                levers.map(|lever| Point {
                    joint,
                    lever,
                    weight: weight / total,
                })
            })
            .collect();
        let mut clip = Self {
            take,
            size: scale.size,
            points,
            keys,
            places: vec![OnceCell::new(); take.num_frames()],
            step_metres: 0.0,
            own_miss_metres: 0.0,
            inside: OnceCell::new(),
        };
        clip.measure_steps();
        Some(clip)
    }

    /// Returns the places of all points at a key.
    pub(super) fn places(&self, key: usize) -> &[DVec3] {
        self.places[key].get_or_init(|| self.places_of(self.take.pose(key)))
    }

    /// Returns the places of all points in a pose.
    pub(super) fn places_of(&self, pose: PoseRef) -> Vec<DVec3> {
        let world = pose.world(self.take.skeleton());
        self.points
            .iter()
            .map(|point| world.joint(point.joint).transform_point(point.lever))
            .collect()
    }

    /// Returns the root of the mean square of a length over the points, given by their numbers.
    pub(super) fn over_points(&self, length: impl Fn(usize) -> f64) -> f64 {
        let points = self.points.iter().enumerate();
        let squares = points.map(|(index, point)| point.weight * length(index).powi(2));
        squares.sum::<f64>().sqrt()
    }

    fn measure_steps(&mut self) {
        let last = self.take.last_frame();
        let [start, end] = [0, last].map(|key| self.places(key));
        let points = self.points.iter().enumerate();
        let way: DVec3 = points
            .map(|(index, point)| (end[index] - start[index]) * point.weight)
            .sum();
        let travel = (way / last as f64).with_y(0.0);
        let (mut steps, mut misses) = (Vec::new(), Vec::new());
        for frame in (2..last - 1).step_by(last.div_ceil(MAX_SAMPLED)) {
            let [far, near, at, after, beyond] = core::array::from_fn(|key| self.places(frame + key - 2));
            steps.push(self.over_points(|index| (after[index] - at[index] - travel).length()));
            misses.push(self.over_points(|index| {
                let predicted = (4.0 * (near[index] + after[index]) - far[index] - beyond[index]) / 6.0;
                predicted.distance(at[index])
            }));
        }
        self.own_miss_metres = percentile::of(misses, 0.9);
        self.step_metres = percentile::of(steps, 0.5) + LEAST_STEP_METRES * self.size;
    }

    /// Returns how rough the clip is inside, with the likeliest noise.
    pub(super) fn inside(&self) -> &Inside {
        self.inside.get_or_init(|| {
            let times: Vec<f64> = (0..2 * self.keys).map(|key| key as f64).collect();
            let products = self.products_inside();
            let of_noise = |noise: f64| {
                let form = Roughness::new(&times, noise);
                let least = (NOISE_METRES * self.size).powi(2) * form.of_noise();
                let own: Vec<f64> = products.iter().map(|products| form.of(products).max(least)).collect();
                let points = self.points.iter().zip(&own);
                let logs: f64 = points.clone().map(|(point, own)| point.weight * ops::ln(*own)).sum();
                let weights = points.map(|(point, own)| point.weight / own).collect();
                (form.rank() * logs + form.log_det(), Inside { noise, weights })
            };
            let first = of_noise(NOISES[0]);
            let others = NOISES[1..].iter().map(|&noise| of_noise(noise));
            others
                .fold(first, |best, other| if other.0 < best.0 { other } else { best })
                .1
        })
    }

    /// Returns for each point the sums of products of its places at keys of windows inside the clip, row by row, per window.
    fn products_inside(&self) -> Vec<Vec<f64>> {
        let (length, room) = (2 * self.keys, self.take.num_frames() - 2 * self.keys);
        let windows = (0..room + 1).step_by((room + 1).div_ceil(MOST_WINDOWS));
        let share = 1.0 / windows.len() as f64;
        let mut products = vec![vec![0.0; length * length]; self.points.len()];
        for first in windows {
            let places: Vec<&[DVec3]> = (first..first + length).map(|key| self.places(key)).collect();
            for (point, sums) in products.iter_mut().enumerate() {
                // Relative to one of them, so that digits are not lost far from the origin.
                let at = |key: usize| places[key][point] - places[0][point];
                for (index, sum) in sums.iter_mut().enumerate() {
                    *sum += at(index / length).dot(at(index % length)) * share;
                }
            }
        }
        products
    }

    /// Returns the motion over the ground that best maps the first key to other places of the points.
    pub(super) fn motion_to(&self, places: &[DVec3]) -> Rigid {
        let pairs: Vec<PointPair> = self
            .points
            .iter()
            .zip(self.places(0))
            .zip(places)
            .map(|((point, &first), &end)| PointPair::new(first, end, point.weight))
            .collect();
        level(fit_planar(&pairs))
    }
}
