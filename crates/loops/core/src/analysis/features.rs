//! The features by which poses are compared: weighted joint positions in the heading's frame, their velocities, and the root's
//! own velocities.

use std::collections::BTreeMap;

use glam::DVec3;

use super::{Body, BodyError, Heading, TakeDefects, body, velocity};
use crate::{
    math::{around, mean, rotation},
    motion::{Skeleton, WorldTracks},
    take::Take,
};

/// A joint that is compared.
#[handed_over(Copy)]
pub struct WeightedJoint {
    /// The joint; one that replaces a missing hand or head is measured at the end of its bone ([`Body::point`]).
    pub joint: usize,
    /// Its weight, a factor on metres; 0 for a joint that flips and must be ignored.
    pub weight: f64,
}

/// Weight of an ankle, or of a foot whose toes are unknown: viewers notice feet first.
const ANKLE_WEIGHT: f64 = 1.0;
/// Weight of the toes, which mostly follow the ankle.
const TOE_WEIGHT: f64 = 0.5;
const HAND_WEIGHT: f64 = 0.5;
const HEAD_WEIGHT: f64 = 0.5;
/// Weight of the hips; in the heading's frame only the height of their position remains.
const HIPS_WEIGHT: f64 = 0.5;

/// Half body height in metres where the skeleton has no measurable height.
const FALLBACK_HALF_HEIGHT: f64 = 0.85;

/// Returns the compared joints: the default ones, changed by the caller's patterns; the last pattern that matches a joint
/// applies.
///
/// Errors: a pattern that matches no joint, a weight that is not a number of 0 or more, or no joint left to compare.
pub fn weights(
    skeleton: &Skeleton,
    body: &Body,
    defects: &TakeDefects,
    asked: &[(String, f64)],
) -> Result<Vec<WeightedJoint>, BodyError> {
    // A joint with several of these roles has the weight of the last.
    let mut weights = BTreeMap::from([(body.hips, HIPS_WEIGHT)]);
    weights.extend(body.head.map(|head| (head, HEAD_WEIGHT)));
    weights.extend(body.hands.iter().map(|&hand| (hand, HAND_WEIGHT)));
    for foot in body.feet.iter().rev() {
        weights.extend(foot.toe.map(|toe| (toe, TOE_WEIGHT)));
        weights.insert(foot.ankle, ANKLE_WEIGHT);
    }
    for flipping in &defects.flipping {
        weights.entry(flipping.joint).and_modify(|weight| *weight = 0.0);
    }
    for (pattern, weight) in asked {
        if !(0.0..=body::MAX_WEIGHT).contains(weight) {
            return Err(BodyError::Weight {
                pattern: pattern.clone(),
                found: *weight,
            });
        }
        let mut joints = skeleton.joints_matching(pattern);
        if joints.is_empty() {
            // A name that contains a star is matched exactly, and the error lists similar names.
            joints.push(body::find_given(skeleton, pattern)?);
        }
        weights.extend(joints.into_iter().map(|joint| (joint, *weight)));
    }
    if !asked.is_empty() {
        // Joints without weight only cost time.
        weights.retain(|_, weight| *weight > 0.0);
        if weights.is_empty() {
            return Err(BodyError::NoWeight);
        }
    }
    Ok(weights
        .into_iter()
        .map(|(joint, weight)| WeightedJoint { joint, weight })
        .collect())
}

/// Returns half the height of a body, which converts turn rates to speeds.
pub(crate) fn half_height(body: &Body, take: &Take) -> f64 {
    body.stature(take).map_or(FALLBACK_HALF_HEIGHT, |height| 0.5 * height)
}

/// Feature matrix of a take: a weighted position (metres) and velocity (metres per second) for every frame and axis.
///
/// Axes: three for each weighted joint, then three for the root's linear velocity and one for its turn rate, which have no
/// position. Frame-major.
#[handed_over]
pub struct Features {
    num_frames: usize,
    frame_time_secs: f64,
    num_axes: usize,
    // Long arrays are handed over separately.
    #[handed(skip)]
    positions: Vec<f64>,
    #[handed(skip)]
    velocities: Vec<f64>,
    #[handed(with = "crate::plain_bytes")]
    speeds: Vec<f64>,
}

/// Axes of the root's own motion: its linear velocity and its turn rate.
pub const ROOT_AXES: usize = 4;

#[cfg(feature = "handover")]
impl Features {
    /// Positions and velocities.
    pub(crate) fn arrays(&self) -> [&[f64]; 2] {
        [&self.positions, &self.velocities]
    }

    /// Returns these features without positions and velocities.
    pub(crate) fn without_arrays(&self) -> Self {
        Self {
            positions: Vec::new(),
            velocities: Vec::new(),
            speeds: self.speeds.clone(),
            ..*self
        }
    }

    /// Returns these features with positions and velocities; `None` if their lengths do not fit.
    pub(crate) fn with_arrays(self, [positions, velocities]: [Vec<f64>; 2]) -> Option<Self> {
        let len = self.num_frames.checked_mul(self.num_axes)?;
        (positions.len() == len && velocities.len() == len && self.speeds.len() == self.num_frames).then_some(Self {
            positions,
            velocities,
            ..self
        })
    }
}

impl Features {
    /// Computes the features of all frames of `world`; only frame time and bones of `take` are used, so its middle frame is
    /// enough.
    ///
    /// The root's turn rate is in radians per second times half the body height, so that all axes are in metres. Source:
    /// docs/math/search.md, section "What is compared".
    pub fn of(take: &Take, world: &WorldTracks, heading: &Heading, body: &Body, joints: &[WeightedJoint]) -> Self {
        let num_frames = world.num_frames();
        let dt = take.frame_time_secs();
        let num_axes = 3 * joints.len() + ROOT_AXES;
        let mut features = Self {
            num_frames,
            frame_time_secs: dt,
            num_axes,
            positions: vec![0.0; num_frames * num_axes],
            velocities: vec![0.0; num_frames * num_axes],
            speeds: vec![0.0; num_frames],
        };
        let total_weight: f64 = joints.iter().map(|weighted| weighted.weight).sum::<f64>().max(1e-9);
        for (index, weighted) in joints.iter().enumerate() {
            let track: Vec<DVec3> = (0..num_frames)
                .map(|frame| {
                    let point = body.point(world, frame, weighted.joint);
                    heading.world_from_heading(frame).inverse().transform_point(point) * weighted.weight
                })
                .collect();
            let rates = velocity::velocities(&track, dt);
            for frame in 0..num_frames {
                features.set(frame, 3 * index, track[frame], rates[frame]);
                features.speeds[frame] += rates[frame].length() / total_weight;
            }
        }
        // One after the other, because takes may be long.
        let rates = |track: &dyn Fn(usize) -> DVec3| {
            let track: Vec<DVec3> = (0..num_frames).map(track).collect();
            velocity::velocities(&track, dt)
        };
        let linear = rates(&|frame| world.position(frame, body.hips));
        let turn_rates = rates(&|frame| DVec3::X * heading.yaw(frame));
        let half_height = half_height(body, take);
        for frame in 0..num_frames {
            let linear = rotation::from_yaw(heading.yaw(frame)).conjugate() * linear[frame];
            features.set(frame, 3 * joints.len(), DVec3::ZERO, linear);
            let last = frame * num_axes + 3 * joints.len() + 3;
            features.velocities[last] = turn_rates[frame].x * half_height;
            features.speeds[frame] += linear.length();
        }
        features
    }

    /// Wraps features computed elsewhere: frame-major, `num_axes` values a frame, the last four axes those of the root.
    ///
    /// The speed of a frame is the mean size of its velocities. `None` if the arrays do not match, or contain a value that is
    /// not finite.
    pub fn from_values(
        frame_time_secs: f64,
        num_axes: usize,
        positions: Vec<f64>,
        velocities: Vec<f64>,
    ) -> Option<Self> {
        let fits = num_axes >= ROOT_AXES
            && positions.len() == velocities.len()
            && positions.len().is_multiple_of(num_axes)
            && frame_time_secs > 0.0
            && frame_time_secs.is_finite()
            && positions.iter().chain(&velocities).all(|value| value.is_finite());
        if !fits {
            return None;
        }
        let speeds = velocities
            .chunks(num_axes)
            .map(|frame| mean(frame.iter().map(|v| v.abs())))
            .collect();
        Some(Self {
            num_frames: positions.len() / num_axes,
            frame_time_secs,
            num_axes,
            positions,
            velocities,
            speeds,
        })
    }

    /// Returns these features followed by those of the mirror image of every frame, to compare halves of a cycle.
    ///
    /// `partners` are the weighted joints' partners, as indices among them. The heading's frame has its X to the left, so images
    /// have the opposite sign along it.
    pub(crate) fn with_images(&self, partners: &[usize]) -> Self {
        let mut both = self.clone();
        both.num_frames *= 2;
        let position_axes = self.num_position_axes();
        let mut image = vec![0.0; self.num_axes];
        for (values, all) in [
            (&self.positions, &mut both.positions),
            (&self.velocities, &mut both.velocities),
        ] {
            for frame in values.chunks(self.num_axes) {
                for (index, &partner) in partners.iter().enumerate() {
                    image[3 * index] = -frame[3 * partner];
                    image[3 * index + 1] = frame[3 * partner + 1];
                    image[3 * index + 2] = frame[3 * partner + 2];
                }
                // The root's velocity to the left, and its turn rate.
                image[position_axes..].copy_from_slice(&frame[position_axes..]);
                image[position_axes] = -frame[position_axes];
                image[position_axes + 3] = -frame[position_axes + 3];
                all.extend_from_slice(&image);
            }
        }
        both.speeds.extend_from_slice(&self.speeds);
        both
    }

    fn set(&mut self, frame: usize, axis: usize, position: DVec3, velocity: DVec3) {
        let offset = frame * self.num_axes + axis;
        self.positions[offset..offset + 3].copy_from_slice(&position.to_array());
        self.velocities[offset..offset + 3].copy_from_slice(&velocity.to_array());
    }

    /// Returns the number of frames.
    pub fn num_frames(&self) -> usize {
        self.num_frames
    }

    /// Returns the seconds from one frame to the next.
    pub fn frame_time_secs(&self) -> f64 {
        self.frame_time_secs
    }

    /// Returns the number of axes per frame.
    pub fn num_axes(&self) -> usize {
        self.num_axes
    }

    /// Returns the axes that have a position; those after them are the root's velocities.
    pub fn num_position_axes(&self) -> usize {
        self.num_axes - ROOT_AXES
    }

    /// Weighted positions of all axes at a frame, metres.
    pub fn positions(&self, frame: usize) -> &[f64] {
        &self.positions[frame * self.num_axes..(frame + 1) * self.num_axes]
    }

    /// Weighted velocities of all axes at a frame, metres per second.
    pub fn velocities(&self, frame: usize) -> &[f64] {
        &self.velocities[frame * self.num_axes..(frame + 1) * self.num_axes]
    }

    /// Returns how fast the body moves at a frame, metres per second: weighted mean of the joints plus the root.
    pub fn speed(&self, frame: usize) -> f64 {
        self.speeds[frame]
    }

    /// Returns how fast the body moves at every frame, as [`Self::speed`], but from velocities averaged over `reach` frames on
    /// either side, so that the noise of a capture averages out; at least as fast as its root moves or turns, because a gliding
    /// body is not idle.
    pub(crate) fn slow_speeds(&self, reach: usize) -> Vec<f64> {
        let mut speeds = vec![0.0_f64; self.num_frames];
        let mut roots = speeds.clone();
        let mut sums = vec![0.0; self.num_frames + 1];
        for axis in 0..self.num_axes {
            for frame in 0..self.num_frames {
                sums[frame + 1] = sums[frame] + self.velocities[frame * self.num_axes + axis];
            }
            for frame in 0..self.num_frames {
                let (from, to) = around(frame, reach, self.num_frames - 1);
                let speed = ((sums[to + 1] - sums[from]) / (to + 1 - from) as f64).abs();
                speeds[frame] += speed / self.num_axes as f64;
                if axis >= self.num_position_axes() {
                    roots[frame] = roots[frame].max(speed);
                }
            }
        }
        speeds.iter().zip(roots).map(|(speed, root)| speed.max(root)).collect()
    }

    /// Returns the squared distances of the poses of some frames from their mean, summed, square metres.
    pub(crate) fn spread<I: Iterator<Item = usize>>(&self, frames: impl Fn() -> I) -> f64 {
        let mut means = vec![0.0; self.num_position_axes()];
        let mut squares = means.clone();
        for frame in frames() {
            for (mean, position) in means.iter_mut().zip(self.positions(frame)) {
                *mean += position;
            }
        }
        let count = frames().count() as f64;
        means.iter_mut().for_each(|mean| *mean /= count);
        for frame in frames() {
            for ((square, mean), position) in squares.iter_mut().zip(&means).zip(self.positions(frame)) {
                *square += (position - mean) * (position - mean);
            }
        }
        squares.into_iter().sum()
    }

    /// Returns the squared distance of two frames over the position axes, square metres.
    pub(crate) fn squared_distance(&self, left: usize, right: usize) -> f64 {
        // A fixed number of parallel sums, so that vectors of any width give the same bits.
        const AT_ONCE: usize = 8;
        let axes = self.num_position_axes();
        let (lefts, left_rest) = self.positions(left)[..axes].as_chunks::<AT_ONCE>();
        let (rights, right_rest) = self.positions(right)[..axes].as_chunks::<AT_ONCE>();
        let mut lanes = [0.0; AT_ONCE];
        for (left, right) in lefts.iter().zip(rights) {
            for lane in 0..AT_ONCE {
                let off = left[lane] - right[lane];
                lanes[lane] += off * off;
            }
        }
        let mut sum = 0.0;
        for (left, right) in left_rest.iter().zip(right_rest) {
            sum += (left - right) * (left - right);
        }
        sum + lanes.iter().sum::<f64>()
    }
}
