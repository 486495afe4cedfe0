//! Which phase of a loop matches which phase of another.
//!
//! Loops start anywhere: one on the left foot's strike, another in its swing. What is matched is the motion itself: the
//! places of joints seen from the root, the feet above all, at every shift of one loop against the other. The best shift is
//! where they run together most, the peak of their circular correlation; so stance falls on stance, and a rig without feet is
//! matched as well. Derivation: docs/math/blend.md.

use glam::DVec3;

use crate::{
    analysis::body::{Body, BodyOverrides, FoundBy},
    loop_clip::{Interpolation, LoopClip},
    take::Take,
};

/// Places around a loop at which the motions are compared: a peak of a correlation is a tenth of a cycle wide or more.
const NUM_PHASES: usize = 64;

/// How often the best shift is narrowed down, to a fourth each time; what is left of equal loops' shift is below 1e-12.
const NUM_REFINEMENTS: usize = 8;

/// Weights of the joints beside those of feet and hands.
const OTHERS_WEIGHT: f64 = 0.1;
/// Weight of a foot's joints: what slides when phases differ.
const FOOT_WEIGHT: f64 = 1.0;
/// Weight of a hand.
const HAND_WEIGHT: f64 = 0.3;

/// For every loop the phase, 0 to 1, at which it does what the first does at its start; 0 for the first itself.
///
/// The loops must have one skeleton, and be seen from their constant twists. A loop that all but stands matches anywhere: 0.
pub fn align(loops: &[LoopClip]) -> Vec<f64> {
    let Some((first, others)) = loops.split_first() else {
        return Vec::new();
    };
    let weights = joint_weights(first);
    let reference = PhaseProfile::of(first, 0.0, &weights);
    let shifts = others.iter().map(|clip| shift(&reference, clip, &weights));
    core::iter::once(0.0).chain(shifts).collect()
}

/// Squares of the weights are what a correlation is weighted by, so feet count a hundred times what a shoulder does.
pub(crate) fn joint_weights(clip: &LoopClip) -> Vec<f64> {
    let num_joints = clip.skeleton().num_joints();
    let take = Take::of_tracks("", clip.tracks().clone());
    let body = take
        .ok()
        .and_then(|take| Body::find(&take, &BodyOverrides::default()).ok());
    let Some(body) = body.filter(|body| body.found_by != FoundBy::AllLeaves) else {
        return vec![1.0; num_joints];
    };
    let mut weights = vec![OTHERS_WEIGHT; num_joints];
    for hand in body.hands {
        weights[hand] = HAND_WEIGHT;
    }
    for foot in body.feet {
        for joint in [Some(foot.ankle), foot.toe].into_iter().flatten() {
            weights[joint] = FOOT_WEIGHT;
        }
    }
    weights
}

/// Weighted places of all joints seen from the root at even phases, less their means over the loop.
struct PhaseProfile(Vec<Vec<DVec3>>);

impl PhaseProfile {
    /// From the phase `from` on.
    fn of(clip: &LoopClip, from: f64, weights: &[f64]) -> Self {
        let mut places: Vec<Vec<DVec3>> = (0..NUM_PHASES)
            .map(|index| {
                let secs = (from + index as f64 / NUM_PHASES as f64) * clip.period_secs();
                let body = clip.body_pose_at(secs, Interpolation::Cubic);
                let mut places = body.as_ref().world(clip.skeleton()).translations;
                places
                    .iter_mut()
                    .zip(weights)
                    .for_each(|(place, weight)| *place *= *weight);
                places
            })
            .collect();
        for joint in 0..weights.len() {
            let mean = places.iter().map(|places| places[joint]).sum::<DVec3>() / NUM_PHASES as f64;
            places.iter_mut().for_each(|places| places[joint] -= mean);
        }
        Self(places)
    }

    /// Sum of products with another profile that is `steps` ahead.
    fn correlation(&self, other: &Self, steps: usize) -> f64 {
        let pairs = (0..NUM_PHASES).map(|index| (&self.0[index], &other.0[(index + steps) % NUM_PHASES]));
        pairs
            .flat_map(|(here, there)| here.iter().zip(there))
            .map(|(a, b)| a.dot(*b))
            .sum()
    }

    /// Sum of squared distances.
    fn squared_distance(&self, other: &Self) -> f64 {
        let pairs = self.0.iter().zip(&other.0);
        pairs
            .flat_map(|(here, there)| here.iter().zip(there))
            .map(|(a, b)| a.distance_squared(*b))
            .sum()
    }
}

/// The phase at which a loop does what the reference does at its start.
fn shift(reference: &PhaseProfile, clip: &LoopClip, weights: &[f64]) -> f64 {
    let motion = PhaseProfile::of(clip, 0.0, weights);
    let correlations: Vec<f64> = (0..NUM_PHASES)
        .map(|steps| reference.correlation(&motion, steps))
        .collect();
    let mut best = 0;
    for (steps, &correlation) in correlations.iter().enumerate() {
        // Rounding must not choose among equals: of two standing bodies the start is as good as any phase.
        if correlation > correlations[best] + 1e-12 * correlations[best].abs() {
            best = steps;
        }
    }
    // The distance tells the place finely: at the shift between equal motions it is zero and not merely the least of many
    // large numbers, whatever the samples between which both are interpolated.
    let mut at = best as f64 / NUM_PHASES as f64;
    let mut reach = 1.0 / NUM_PHASES as f64;
    for _ in 0..NUM_REFINEMENTS {
        let [before, here, after] =
            [at - reach, at, at + reach].map(|from| reference.squared_distance(&PhaseProfile::of(clip, from, weights)));
        let bend = before - 2.0 * here + after;
        if bend > 0.0 {
            // The bottom of the parabola through the three.
            at += (0.5 * (before - after) / bend).clamp(-1.0, 1.0) * reach;
        }
        reach *= 0.25;
    }
    // A hair below 0 is 0, not nearly 1.
    let wrapped = at - at.floor();
    if wrapped > 1.0 - 1e-9 { 0.0 } else { wrapped }
}
