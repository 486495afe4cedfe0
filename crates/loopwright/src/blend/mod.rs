//! Blending loops: any number of them, by weights, into a loop that closes as exactly as they do.
//!
//! Loops are aligned by the phase of their motion (`phase`), not by their first frames. Periods and twists are averaged so that
//! the distance of a cycle is the mean of the distances, and poses are averaged joint by joint at equal phase. Every value of the
//! blend is a function of values that repeat, so the blend repeats. A [`space::BlendSpace`] finds the weights for a speed and a
//! turn rate. Derivation: docs/math/blend.md.

use glam::DVec3;

use crate::analysis::body::BodyOverrides;
use crate::loop_clip::{Interpolation, LoopClip, LoopClipError};
use crate::math::rigid::{Rigid, Twist};
use crate::math::rotation;
use crate::motion::{Pose, RootMotion, Skeleton, Tracks};

pub(crate) mod phase;
pub(crate) mod space;

pub use phase::align;
pub use space::{Axis, BlendSpace};

/// Why loops cannot be blended.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages show what their fields are")]
pub enum BlendError {
    #[error("there are no loops")]
    NoLoops,
    #[error("the skeleton of loop {index} differs from that of the first loop: {difference}")]
    Skeleton {
        /// The loop, counted from 0.
        index: usize,
        difference: SkeletonDifference,
    },
    /// The number of weights differs from the number of loops.
    #[error("there are {loops} loops and {weights} weights")]
    Count { loops: usize, weights: usize },
    /// A weight is negative or not finite.
    #[error("weight {index} must be a number of at least 0, found {found}")]
    Weight {
        /// The weight, counted from 0.
        index: usize,
        found: f64,
    },
    #[error("all weights are zero")]
    NoWeight,
    /// The blended samples are not a loop clip.
    #[error(transparent)]
    LoopClip(#[from] LoopClipError),
}

/// The first difference between two skeletons.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages show what their fields are")]
pub enum SkeletonDifference {
    /// The numbers of joints differ.
    #[error("{found} joints instead of {expected}")]
    Count { expected: usize, found: usize },
    #[error("joint {joint} is \"{found}\" instead of \"{expected}\"")]
    Name {
        joint: usize,
        expected: String,
        found: String,
    },
    #[error("joint {joint}, \"{name}\", has another parent")]
    Parent { joint: usize, name: String },
}

impl SkeletonDifference {
    /// The first difference between two trees of named joints. Lengths of bones may differ, since motion is blended joint by
    /// joint.
    pub fn between(first: &Skeleton, other: &Skeleton) -> Option<Self> {
        let (expected, found) = (first.num_joints(), other.num_joints());
        if expected != found {
            return Some(Self::Count { expected, found });
        }
        let joints = first.joints().iter().zip(other.joints()).enumerate();
        joints.into_iter().find_map(|(joint, (one, other))| {
            if one.name != other.name {
                Some(Self::Name {
                    joint,
                    expected: one.name.clone(),
                    found: other.name.clone(),
                })
            } else if one.parent != other.parent {
                Some(Self::Parent {
                    joint,
                    name: one.name.clone(),
                })
            } else {
                None
            }
        })
    }
}

/// Loops of one skeleton, aligned by phase and ready to be blended with any weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Blender {
    /// The loops as given.
    loops: Vec<LoopClip>,
    /// The same loops seen from their constant twists, without root paths, on the floor of the first.
    on_screws: Vec<LoopClip>,
    phases: Vec<f64>,
}

impl Blender {
    /// Aligns loops with the first one.
    ///
    /// Errors: no loops, or not all of one skeleton.
    pub fn new(loops: Vec<LoopClip>) -> Result<Self, BlendError> {
        Self::with(loops, &BodyOverrides::default())
    }

    /// The same with the caller's choices for the body, whose feet show the floor.
    pub fn with(loops: Vec<LoopClip>, overrides: &BodyOverrides) -> Result<Self, BlendError> {
        let first = loops.first().ok_or(BlendError::NoLoops)?;
        for (index, clip) in loops.iter().enumerate() {
            if let Some(difference) = SkeletonDifference::between(first.skeleton(), clip.skeleton()) {
                return Err(BlendError::Skeleton { index, difference });
            }
        }
        let on_screws: Result<Vec<_>, _> = loops.iter().cloned().map(LoopClip::on_screw).collect();
        let on_screws = LoopClip::on_one_floor(on_screws?, overrides);
        Ok(Self {
            phases: align(&on_screws),
            loops,
            on_screws,
        })
    }

    /// The loops, in the order in which they were given.
    pub fn loops(&self) -> &[LoopClip] {
        &self.loops
    }

    /// For every loop the phase, 0 to 1, that corresponds to the start of the first loop.
    pub fn phases(&self) -> &[f64] {
        &self.phases
    }

    /// Blends the loops with one weight each; weights need not sum to 1.
    ///
    /// The period is the weighted mean of the periods. The twist is the mean of the twists weighted by each loop's share of the
    /// time: xi = sum w_i T_i xi_i / T, in the root's own axes, so that the distance of a cycle is the mean of the distances.
    /// Local rotations are means on the sphere of rotations, translations plain means. The blend starts at the phase, the mode,
    /// the carrier and the floor of the first loop. A single weight of 1 returns that loop, from that phase on and on that floor.
    pub fn blend(&self, weights: &[f64]) -> Result<LoopClip, BlendError> {
        let weights = self.shares(weights)?;
        let weighted = || self.on_screws.iter().zip(&weights);
        let mean =
            |value: &dyn Fn(&LoopClip) -> f64| -> f64 { weighted().map(|(clip, weight)| value(clip) * weight).sum() };
        let period_secs = mean(&LoopClip::period_secs);
        let num_samples = (mean(&|clip| clip.num_samples() as f64).round() as usize).max(3);
        let twist = weighted().fold(Twist::ZERO, |sum, (clip, weight)| {
            let (share, twist) = (weight * clip.period_secs() / period_secs, clip.root().twist);
            Twist::new(sum.linear + twist.linear * share, sum.angular + twist.angular * share)
        });
        let first = &self.on_screws[0];
        let step_secs = period_secs / num_samples as f64;
        let mut tracks = Tracks::empty(first.skeleton().clone(), step_secs, num_samples);
        for sample in 0..num_samples {
            let pose = |(clip, phase): (&LoopClip, &f64)| {
                clip.body_pose_at(time_at(clip, *phase, sample, num_samples), Interpolation::Cubic)
            };
            let poses: Vec<Pose> = self.on_screws.iter().zip(&self.phases).map(pose).collect();
            let mean = |joint: usize| {
                let parts = poses.iter().zip(&weights);
                let positions = parts.clone().map(|(pose, weight)| pose.translations[joint] * *weight);
                let position = positions.sum();
                let turns: Vec<_> = parts.map(|(pose, weight)| (pose.rotations[joint], *weight)).collect();
                (position, rotation::mean(&turns))
            };
            tracks.push((0..first.skeleton().num_joints()).map(mean).collect::<Pose>().as_ref());
        }
        let root = RootMotion {
            twist,
            ..*self.loops[0].root()
        };
        let follows_paths = self.loops.iter().any(LoopClip::follows_path);
        let clip = LoopClip::new(self.name(&weights), tracks, first.carrier(), root)?;
        if follows_paths {
            Ok(clip.along(self.paths(&weights, num_samples))?)
        } else {
            Ok(clip)
        }
    }

    /// The mean of root paths, seen from their twists.
    fn paths(&self, weights: &[f64], num_samples: usize) -> Vec<Rigid> {
        (0..num_samples)
            .map(|sample| {
                let paths = self.loops.iter().zip(&self.phases).zip(weights);
                let (mut position, mut turns) = (DVec3::ZERO, Vec::new());
                for ((clip, phase), &weight) in paths {
                    let sway = clip.sway_at(time_at(clip, *phase, sample, num_samples));
                    position += sway.translation * weight;
                    turns.push((sway.rotation, weight));
                }
                Rigid::new(rotation::mean(&turns), position)
            })
            .collect()
    }

    /// The weights, validated and divided by their sum.
    fn shares(&self, weights: &[f64]) -> Result<Vec<f64>, BlendError> {
        if weights.len() != self.on_screws.len() {
            return Err(BlendError::Count {
                loops: self.on_screws.len(),
                weights: weights.len(),
            });
        }
        if let Some((index, &found)) = (weights.iter().enumerate()).find(|(_, weight)| !(0.0..=1e12).contains(*weight))
        {
            return Err(BlendError::Weight { index, found });
        }
        let sum: f64 = weights.iter().sum();
        if sum <= 1e-12 {
            return Err(BlendError::NoWeight);
        }
        Ok(weights.iter().map(|weight| weight / sum).collect())
    }

    /// The names of the loops with a weight above 0.
    fn name(&self, weights: &[f64]) -> String {
        let named = self.on_screws.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
        let names: Vec<&str> = named.map(|(clip, _)| clip.name()).collect();
        names.join("+")
    }
}

/// Seconds of a loop at a sample of the blend.
fn time_at(clip: &LoopClip, phase: f64, sample: usize, num_samples: usize) -> f64 {
    (sample as f64 / num_samples as f64 + phase) * clip.period_secs()
}

/// Blends loops: see [`Blender`], which keeps the alignment for further weights.
pub fn blend(loops: &[LoopClip], weights: &[f64]) -> Result<LoopClip, BlendError> {
    Blender::new(loops.to_vec())?.blend(weights)
}
