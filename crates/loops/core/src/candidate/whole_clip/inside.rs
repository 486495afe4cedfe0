//! A clip as points of its body, and how it moves inside: the measure of its ends.

use core::cell::OnceCell;

use glam::DVec3;

use super::curve::{NOISES, Roughness};
use super::reading::{Scale, level};
use crate::analysis::Analysis;
use crate::math::fit::{PointPair, fit_planar};
use crate::math::{ops, percentile, rigid::Rigid};

/// Most keys compared on either side of the end, and the fewest.
const MOST_KEYS: usize = 6;
pub(super) const FEWEST_KEYS: usize = 3;

/// Most windows inside the clip from which its own roughness is taken.
const MOST_WINDOWS: usize = 16;

/// The distance from a joint of the points that show how it turns, metres at the size of an adult.
const LEVER_METRES: f64 = 0.1;

/// Noise that every file has, metres at the size of an adult.
pub(super) const NOISE_METRES: f64 = 2e-5;

/// A step is at least this long where misses are compared with it, metres at the size of an adult.
const LEAST_STEP_METRES: f64 = 2e-4;

/// Most frames from which a clip's own misses are taken.
const MAX_SAMPLED: usize = 128;

/// A point of the body: a joint, or one beside it.
pub(super) struct Point {
    joint: usize,
    lever: DVec3,
    /// Its share of a mean over the body.
    pub(super) weight: f64,
}

/// How rough a clip is inside.
pub(super) struct Inside {
    /// The likeliest noise.
    pub(super) noise: f64,
    /// The weight of each point over its own roughness.
    pub(super) weights: Vec<f64>,
}

/// A clip, and how it moves inside.
pub(super) struct Clip<'a> {
    pub(super) analysis: &'a Analysis,
    pub(super) size: f64,
    pub(super) points: Vec<Point>,
    /// Keys compared on either side.
    pub(super) keys: usize,
    /// The usual step of the body, without its travel, metres.
    pub(super) step_metres: f64,
    /// The 90th percentile of the distances of keys from where their neighbours predict them, metres.
    pub(super) own_miss_metres: f64,
    /// A key after the last frame: when, and where its points are.
    pub(super) tail: Option<(f64, Vec<DVec3>)>,
    /// Worked out for the first end that needs it.
    inside: OnceCell<Inside>,
}

impl<'a> Clip<'a> {
    /// Measures the inside of a clip; `None` if it is too short.
    pub(super) fn new(scale: &Scale<'a>) -> Option<Self> {
        let analysis = scale.analysis;
        let num_frames = analysis.take.num_frames();
        let keys = MOST_KEYS.min(num_frames / 2);
        if keys < FEWEST_KEYS {
            return None;
        }
        let levers = [DVec3::ZERO, DVec3::X, DVec3::Z].map(|axis| axis * LEVER_METRES * scale.size);
        let total: f64 = levers.len() as f64 * scale.joints.iter().map(|(_, weight)| weight).sum::<f64>();
        let points = (scale.joints.iter())
            .flat_map(|&(joint, weight)| {
                levers.map(|lever| Point {
                    joint,
                    lever,
                    weight: weight / total,
                })
            })
            .collect();
        let mut clip = Self {
            analysis,
            size: scale.size,
            points,
            keys,
            step_metres: 0.0,
            own_miss_metres: 0.0,
            tail: None,
            inside: OnceCell::new(),
        };
        clip.tail = analysis.take.tail().map(|tail| {
            let world = tail.pose.as_ref().world(analysis.take.skeleton());
            let at = |point: &Point| world.joint(point.joint).transform_point(point.lever);
            (tail.frames, clip.points.iter().map(at).collect())
        });
        clip.measure_steps();
        Some(clip)
    }

    pub(super) fn num_frames(&self) -> usize {
        self.analysis.take.num_frames()
    }

    pub(super) fn at(&self, frame: usize, point: &Point) -> DVec3 {
        self.analysis.world.point(frame, point.joint, point.lever)
    }

    /// Returns the root of the mean square of a length over the points.
    pub(super) fn over_points(&self, length: impl Fn(&Point) -> f64) -> f64 {
        let squares = self.points.iter().map(|point| point.weight * length(point).powi(2));
        squares.sum::<f64>().sqrt()
    }

    fn measure_steps(&mut self) {
        let last = self.num_frames() - 1;
        let centre = |frame: usize| -> DVec3 {
            self.points
                .iter()
                .map(|point| self.at(frame, point) * point.weight)
                .sum()
        };
        let travel = ((centre(last) - centre(0)) / last as f64).with_y(0.0);
        let every = last.div_ceil(MAX_SAMPLED);
        let steps = (0..last).step_by(every).map(|frame| {
            self.over_points(|point| (self.at(frame + 1, point) - self.at(frame, point) - travel).length())
        });
        let step = percentile::of(steps.collect(), 0.5);
        let misses = (2..last.saturating_sub(1)).step_by(every).map(|frame| {
            self.over_points(|point| {
                let [far, near, after, beyond] =
                    [frame - 2, frame - 1, frame + 1, frame + 2].map(|frame| self.at(frame, point));
                (self.at(frame, point) - (4.0 * (near + after) - far - beyond) / 6.0).length()
            })
        });
        self.own_miss_metres = percentile::of(misses.collect(), 0.9);
        self.step_metres = step + LEAST_STEP_METRES * self.size;
    }

    /// Returns how rough the clip is inside, with the likeliest noise.
    pub(super) fn inside(&self) -> &Inside {
        self.inside.get_or_init(|| {
            let times: Vec<f64> = (0..2 * self.keys).map(|key| key as f64).collect();
            let products: Vec<Vec<f64>> = self.points.iter().map(|point| self.products_inside(point)).collect();
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

    /// Returns the sums of products of a point's places at keys of windows inside the clip, row by row, per window.
    fn products_inside(&self, point: &Point) -> Vec<f64> {
        let (length, room) = (2 * self.keys, self.num_frames() - 2 * self.keys);
        let windows = (0..room + 1).step_by((room + 1).div_ceil(MOST_WINDOWS));
        let share = 1.0 / windows.len() as f64;
        let mut sums = vec![0.0; length * length];
        for first in windows {
            // Relative to one of them, so that digits are not lost far from the origin.
            let origin = self.at(first, point);
            let values: Vec<DVec3> = (first..first + length)
                .map(|frame| self.at(frame, point) - origin)
                .collect();
            for (row, one) in values.iter().enumerate() {
                for (column, other) in values.iter().enumerate() {
                    sums[row * length + column] += one.dot(*other) * share;
                }
            }
        }
        sums
    }

    /// Returns the motion over the ground that best maps the first pose to another.
    pub(super) fn planar_motion(&self, frame: usize) -> Rigid {
        self.motion_to(self.points.iter().map(|point| self.at(frame, point)))
    }

    pub(super) fn motion_to(&self, ends: impl Iterator<Item = DVec3>) -> Rigid {
        let pairs: Vec<PointPair> = (self.points.iter().zip(ends))
            .map(|(point, end)| PointPair::new(self.at(0, point), end, point.weight))
            .collect();
        level(fit_planar(&pairs))
    }
}
