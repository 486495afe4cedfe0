//! Blends any number of loops, by weights, into a loop that closes as exactly as they do.
//!
//! Loops are aligned by the contacts of their feet (`phase`, `alignment`), or by their motion if they have none (`shift`),
//! not by their first frames. Periods and twists are averaged so that the distance of a cycle is the mean of the distances, and
//! poses are averaged joint by joint at equal phase. Every value of the blend is a function of periodic values, so the blend is
//! periodic. Feet stand when those of the loops do (`mix`). A [`space::BlendSpace`] finds the weights for a speed and a turn
//! rate. Derivation: docs/math/blend.md.

use loopwright_core::{
    analysis::{Body, BodyOverrides},
    loop_clip::{LoopClip, LoopClipError},
    math::Twist,
    motion::{RootMotion, SkeletonDifference},
    retarget::FollowedFeet,
};

use crate::floor::{body_of, on_one_floor, other_skeleton};

mod alignment;
mod mix;
mod phase;
pub(crate) mod shift;
pub(crate) mod space;

use alignment::Alignment;
use mix::{BlendedLeg, Mixing};
pub use mix::{Mix, mean};
pub use phase::{PhaseError, PhaseMap};
pub use shift::align;
pub use space::{BlendAxis, BlendSpace, extents};

/// Why loops cannot be blended.
#[error_kinds]
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
    /// The blended samples do not form a loop clip.
    LoopClip(LoopClipError),
}

/// Loops of one skeleton, aligned by phase and ready to be blended with any weights.
#[value]
pub struct Blender {
    /// The loops as given.
    loops: Vec<LoopClip>,
    /// The loops relative to their constant twists, without root paths, on the floor of the first.
    on_screws: Vec<LoopClip>,
    /// The legs of the body, per foot; empty if it is unknown.
    legs: Vec<BlendedLeg>,
    /// The foot contacts of each loop, as many as legs; empty if no body is known.
    feet: Vec<FollowedFeet>,
    alignment: Alignment,
}

impl Blender {
    /// Aligns loops with the first one.
    ///
    /// Errors: no loops, or not all of one skeleton.
    pub fn new(loops: Vec<LoopClip>) -> Result<Self, BlendError> {
        Self::with(loops, &BodyOverrides::default())
    }

    /// Aligns loops with the caller's choices for the body, whose feet determine floor and phase.
    pub fn with(loops: Vec<LoopClip>, overrides: &BodyOverrides) -> Result<Self, BlendError> {
        let on_screws = on_screws(&loops, overrides)?;
        let body = body_of(&on_screws[0], overrides);
        let feet = body
            .iter()
            .flat_map(|body| {
                on_screws
                    .iter()
                    .map(|clip| FollowedFeet::of_itself(clip, body, overrides.contacts))
            })
            .collect();
        Ok(Self::aligned(loops, on_screws, body.as_ref(), feet))
    }

    /// Aligns loops on a character, whose feet stand when those of the source loops do: one entry per loop, each for all feet of
    /// the body.
    pub fn of_character(loops: Vec<LoopClip>, body: &Body, feet: Vec<FollowedFeet>) -> Result<Self, BlendError> {
        let on_screws = on_screws(&loops, &BodyOverrides::default())?;
        Ok(Self::aligned(loops, on_screws, Some(body), feet))
    }

    fn aligned(loops: Vec<LoopClip>, on_screws: Vec<LoopClip>, body: Option<&Body>, feet: Vec<FollowedFeet>) -> Self {
        Self {
            alignment: Alignment::new(&on_screws, body, &feet),
            legs: body.map_or_else(Vec::new, |body| BlendedLeg::all(body, &on_screws[0])),
            loops,
            on_screws,
            feet,
        }
    }

    /// Returns the loops, in the order in which they were given.
    pub fn loops(&self) -> &[LoopClip] {
        &self.loops
    }

    /// For every loop the phase, 0 to 1, that corresponds to the start of the first loop.
    pub fn phases(&self) -> &[f64] {
        &self.alignment.phases
    }

    /// Returns for every loop its phase by the contacts of its feet, or why it is aligned by a shift alone.
    pub fn phase_maps(&self) -> impl Iterator<Item = Result<&PhaseMap, PhaseError>> {
        (0..self.loops.len()).map(|index| self.alignment.map(index))
    }

    /// Blends the loops with one weight each; weights need not sum to 1.
    ///
    /// The period is the weighted mean of the periods. The twist is the mean of the twists weighted by each loop's share of the
    /// time: xi = sum w_i T_i xi_i / T, in the root's own axes, so that the distance of a cycle is the mean of the distances.
    /// Local rotations are means on the sphere of rotations, translations plain means; legs are averaged relative to the root.
    /// The blend starts at the phase, the mode, the carrier and the floor of the first loop. A single weight of 1 returns that
    /// loop, with this start and floor.
    pub fn blend(&self, weights: &[f64]) -> Result<LoopClip, BlendError> {
        let (num_samples, step_secs) = self.sampling(weights)?;
        Ok(self.mix(weights, num_samples, step_secs)?.clip)
    }

    /// Returns the natural number of samples of a blend with these weights, and the time between them.
    pub fn sampling(&self, weights: &[f64]) -> Result<(usize, f64), BlendError> {
        let weights = self.shares(weights)?;
        let num_samples = (self.mean(&weights, |clip| clip.num_samples() as f64).round() as usize).max(3);
        let period_secs = self.mean(&weights, LoopClip::period_secs);
        Ok((num_samples, period_secs / num_samples as f64))
    }

    /// Blends at another number of samples, at least three, and another time between them; also returns the foot contacts.
    pub fn mix(&self, weights: &[f64], num_samples: usize, step_secs: f64) -> Result<Mix, BlendError> {
        let mixing = Mixing {
            blender: self,
            weights: &self.shares(weights)?,
        };
        mixing.mixed(num_samples.max(3), step_secs)
    }

    /// Returns the root motion of a blend with these shares.
    fn root(&self, weights: &[f64]) -> RootMotion {
        let period_secs = self.mean(weights, LoopClip::period_secs);
        let twist = self
            .on_screws
            .iter()
            .zip(weights)
            .fold(Twist::ZERO, |sum, (clip, weight)| {
                sum.plus(clip.root().twist, weight * clip.period_secs() / period_secs)
            });
        RootMotion {
            twist,
            ..*self.loops[0].root()
        }
    }

    /// Returns the weighted mean of a figure of the loops.
    fn mean(&self, weights: &[f64], of: impl Fn(&LoopClip) -> f64) -> f64 {
        self.on_screws
            .iter()
            .zip(weights)
            .map(|(clip, weight)| of(clip) * weight)
            .sum()
    }

    /// Returns the weights, validated and divided by their sum.
    fn shares(&self, weights: &[f64]) -> Result<Vec<f64>, BlendError> {
        if weights.len() != self.on_screws.len() {
            return Err(BlendError::Count {
                loops: self.on_screws.len(),
                weights: weights.len(),
            });
        }
        let mut numbered = weights.iter().enumerate();
        if let Some((index, &found)) = numbered.find(|(_, weight)| !(0.0..=1e12).contains(*weight)) {
            return Err(BlendError::Weight { index, found });
        }
        let sum: f64 = weights.iter().sum();
        if sum <= 1e-12 {
            return Err(BlendError::NoWeight);
        }
        Ok(weights.iter().map(|weight| weight / sum).collect())
    }

    /// Returns the names of the loops with a weight above 0.
    fn name(&self, weights: &[f64]) -> String {
        let names: Vec<&str> = self
            .on_screws
            .iter()
            .zip(weights)
            .filter(|(_, weight)| **weight > 0.0)
            .map(|(clip, _)| clip.name())
            .collect();
        names.join("+")
    }
}

/// Returns the loops relative to their constant twists, on the floor of the first. Errors: none, or not all of one skeleton.
fn on_screws(loops: &[LoopClip], overrides: &BodyOverrides) -> Result<Vec<LoopClip>, BlendError> {
    let first = loops.first().ok_or(BlendError::NoLoops)?;
    if let Some((index, difference)) = other_skeleton(first.skeleton(), loops) {
        return Err(BlendError::Skeleton { index, difference });
    }
    let on_screws: Result<Vec<_>, _> = loops.iter().cloned().map(LoopClip::on_screw).collect();
    Ok(on_one_floor(on_screws?, overrides))
}

/// Blends loops: see [`Blender`], which keeps the alignment for other weights.
pub fn blend(loops: &[LoopClip], weights: &[f64]) -> Result<LoopClip, BlendError> {
    Blender::new(loops.to_vec())?.blend(weights)
}
