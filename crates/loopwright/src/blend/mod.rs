//! Blending loops: any number of them, by weights, into a loop that closes as exactly as they do.
//!
//! Loops are laid onto each other by the phase of their motion (`phase`), not by their first frames; periods and twists are
//! averaged so that the way travelled is the mean of the ways, and poses joint by joint at equal phase. Every value of the
//! blend is a function of values that repeat, so the blend repeats. A [`space::BlendSpace`] finds the weights for a speed and
//! a rate of turn. Derivation: docs/math/blend.md.

use glam::DVec3;

use crate::{
    loop_clip::{Interpolation, LoopClip, LoopClipError},
    math::{
        rigid::{Rigid, Twist},
        rotation,
    },
    motion::{Pose, RootMotion, Skeleton, Tracks},
};

pub(crate) mod phase;

pub(crate) mod space;

pub use phase::align;
pub use space::{Axis, BlendSpace};

/// Why loops cannot be blended.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BlendError {
    /// There is nothing to blend.
    #[error("there are no loops")]
    NoLoops,
    /// A loop has another skeleton than the first.
    #[error("loop {index} has another skeleton than the first: {difference}")]
    Skeleton {
        /// Which loop, counted from 0.
        index: usize,
        /// What differs first.
        difference: SkeletonDifference,
    },
    /// There is not one weight for each loop.
    #[error("there are {loops} loops and {weights} weights")]
    Count {
        /// Loops given.
        loops: usize,
        /// Weights given.
        weights: usize,
    },
    /// A weight is negative or no finite number.
    #[error("weight {index} must be a number of at least 0, found {found}")]
    Weight {
        /// Which weight, counted from 0.
        index: usize,
        /// Value given.
        found: f64,
    },
    /// All weights are zero.
    #[error("all weights are zero")]
    NoWeight,
    /// The blended samples are not a loop clip.
    #[error(transparent)]
    LoopClip(#[from] LoopClipError),
}

/// The first thing in which two skeletons differ.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonDifference {
    /// They have not the same number of joints.
    #[error("{found} joints instead of {expected}")]
    Count {
        /// Joints of the first.
        expected: usize,
        /// Joints of the other.
        found: usize,
    },
    /// A joint has another name.
    #[error("joint {joint} is \"{found}\" instead of \"{expected}\"")]
    Name {
        /// Index of the joint.
        joint: usize,
        /// Its name in the first.
        expected: String,
        /// Its name in the other.
        found: String,
    },
    /// A joint hangs from another one.
    #[error("joint {joint}, \"{name}\", hangs from another joint")]
    Parent {
        /// Index of the joint.
        joint: usize,
        /// Its name.
        name: String,
    },
}

impl SkeletonDifference {
    /// In what `other` differs from `first` as a tree of named joints; lengths of bones may differ, since motion is blended
    /// joint by joint.
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

/// Loops of one skeleton laid onto each other, ready to be blended with any weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Blender {
    /// As they came.
    loops: Vec<LoopClip>,
    /// The same loops seen from their constant twists, whatever paths their roots follow.
    on_screws: Vec<LoopClip>,
    phases: Vec<f64>,
}

impl Blender {
    /// Lays loops onto the first one.
    ///
    /// Errors: no loops, or not all of one skeleton.
    pub fn new(loops: Vec<LoopClip>) -> Result<Self, BlendError> {
        let first = loops.first().ok_or(BlendError::NoLoops)?;
        for (index, clip) in loops.iter().enumerate() {
            if let Some(difference) = SkeletonDifference::between(first.skeleton(), clip.skeleton()) {
                return Err(BlendError::Skeleton { index, difference });
            }
        }
        let on_screws = loops
            .iter()
            .cloned()
            .map(LoopClip::on_screw)
            .collect::<Result<Vec<_>, _>>()?;
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

    /// For every loop the phase, 0 to 1, at which it does what the first one does at its start.
    pub fn phases(&self) -> &[f64] {
        &self.phases
    }

    /// The loop of these weights, one for each loop, which need not sum to 1.
    ///
    /// Its period is the weighted mean of the periods, and its twist the mean of the twists weighted by the time that each
    /// loop has in it: xi = sum w_i T_i xi_i / T, in the root's own axes, so that a cycle travels the mean of the cycles.
    /// Local rotations are means on the sphere of rotations, translations plain ones. It starts where the first loop does, in
    /// its phase, with its mode and its carrier. A weight of 1 alone gives that loop again, from that phase on. Errors:
    /// [`BlendError`].
    pub fn blend(&self, weights: &[f64]) -> Result<LoopClip, BlendError> {
        let weights = self.shares(weights)?;
        let mean = |value: &dyn Fn(&LoopClip) -> f64| -> f64 {
            self.on_screws
                .iter()
                .zip(&weights)
                .map(|(clip, weight)| value(clip) * weight)
                .sum()
        };
        let period_secs = mean(&LoopClip::period_secs);
        let num_samples = (mean(&|clip| clip.num_samples() as f64).round() as usize).max(3);
        let twist = self
            .on_screws
            .iter()
            .zip(&weights)
            .fold(Twist::ZERO, |sum, (clip, weight)| {
                let (share, twist) = (weight * clip.period_secs() / period_secs, clip.root().twist);
                Twist {
                    linear: sum.linear + twist.linear * share,
                    angular: sum.angular + twist.angular * share,
                }
            });
        let first = &self.on_screws[0];
        let step_secs = period_secs / num_samples as f64;
        let mut tracks = Tracks::empty(first.skeleton().clone(), step_secs, num_samples);
        for sample in 0..num_samples {
            let poses: Vec<Pose> = self
                .on_screws
                .iter()
                .zip(&self.phases)
                .map(|(clip, phase)| {
                    clip.body_pose_at(time_at(clip, *phase, sample, num_samples), Interpolation::Cubic)
                })
                .collect();
            let mean = |joint: usize| {
                let parts = poses.iter().zip(&weights);
                let place = parts
                    .clone()
                    .map(|(pose, weight)| pose.translations[joint] * *weight)
                    .sum();
                let turns: Vec<_> = parts.map(|(pose, weight)| (pose.rotations[joint], *weight)).collect();
                (place, rotation::mean(&turns))
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

    /// The mean of the places of roots that follow paths, seen from their twists.
    fn paths(&self, weights: &[f64], num_samples: usize) -> Vec<Rigid> {
        (0..num_samples)
            .map(|sample| {
                let places = self.loops.iter().zip(&self.phases).zip(weights);
                let (mut place, mut turns) = (DVec3::ZERO, Vec::new());
                for ((clip, phase), &weight) in places {
                    let sway = clip.sway_at(time_at(clip, *phase, sample, num_samples));
                    place += sway.translation * weight;
                    turns.push((sway.rotation, weight));
                }
                Rigid::new(rotation::mean(&turns), place)
            })
            .collect()
    }

    /// The weights, checked, as shares of their sum.
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

    /// The names of the loops that take part.
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

/// Blends loops: see [`Blender`], which keeps what does not depend on the weights.
pub fn blend(loops: &[LoopClip], weights: &[f64]) -> Result<LoopClip, BlendError> {
    Blender::new(loops.to_vec())?.blend(weights)
}
