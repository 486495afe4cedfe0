//! Aligns loops by a shift of phase.
//!
//! Loops start at different phases: one at the left foot's strike, another in its swing. The positions of joints relative to the
//! root, mainly of the feet, are compared at every shift of one loop against the other. The best shift is the peak of their
//! circular correlation. So stance aligns with stance, and a rig without feet is aligned as well. Derivation:
//! docs/math/blend.md.

use glam::DVec3;

use crate::floor::body_of;
use loopwright_core::{
    analysis::{BodyOverrides, FoundBy},
    loop_clip::{Interpolation, LoopClip},
};

/// Number of phases at which motions are compared: a peak of a correlation is at least a tenth of a cycle wide.
const NUM_PHASES: usize = 64;

/// Refinements of the best shift, each to a quarter of the interval; for equal loops the remaining error is below 1e-12.
const NUM_REFINEMENTS: usize = 8;

/// Weights of joints other than those of feet and hands.
const OTHERS_WEIGHT: f64 = 0.1;
/// Weight of a foot's joints, which slide if phases differ.
const FOOT_WEIGHT: f64 = 1.0;
const HAND_WEIGHT: f64 = 0.3;

/// Returns for every loop the phase, 0 to 1, that corresponds to the start of the first loop; 0 for the first itself.
///
/// The loops must have one skeleton, and be seen from their constant twists. A loop that is idle matches anywhere: 0.
pub fn align(loops: &[LoopClip]) -> Vec<f64> {
    let Some((first, others)) = loops.split_first() else {
        return Vec::new();
    };
    let weights = joint_weights(first);
    let reference = PhaseProfile::new(first, 0.0, &weights);
    let shifts = others.iter().map(|clip| shift(&reference, clip, &weights));
    core::iter::once(0.0).chain(shifts).collect()
}

/// Returns the weights of joints. A correlation uses their squares, so feet count a hundred times as much as shoulders.
pub(crate) fn joint_weights(clip: &LoopClip) -> Vec<f64> {
    let num_joints = clip.skeleton().num_joints();
    let body = body_of(clip, &BodyOverrides::default());
    let Some(body) = body.filter(|body| body.found_by != FoundBy::AllLeaves) else {
        return vec![1.0; num_joints];
    };
    let mut weights = vec![OTHERS_WEIGHT; num_joints];
    for &control in &body.controls {
        weights[control] = 0.0;
    }
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

/// Weighted positions of all joints seen from the root at even phases, less their means over the loop.
struct PhaseProfile(Vec<Vec<DVec3>>);

impl PhaseProfile {
    /// Samples the positions from the phase `from` on.
    fn new(clip: &LoopClip, from: f64, weights: &[f64]) -> Self {
        let mut positions: Vec<Vec<DVec3>> = (0..NUM_PHASES)
            .map(|index| {
                let secs = (from + index as f64 / NUM_PHASES as f64) * clip.period_secs();
                let mut positions = clip
                    .body_pose_at(secs, Interpolation::Cubic)
                    .as_ref()
                    .world(clip.skeleton())
                    .translations;
                positions
                    .iter_mut()
                    .zip(weights)
                    .for_each(|(position, weight)| *position *= *weight);
                positions
            })
            .collect();
        for joint in 0..weights.len() {
            let mean = positions.iter().map(|positions| positions[joint]).sum::<DVec3>() / NUM_PHASES as f64;
            positions.iter_mut().for_each(|positions| positions[joint] -= mean);
        }
        Self(positions)
    }

    /// Returns the sum of products with another profile that is `steps` ahead.
    fn correlation(&self, other: &Self, steps: usize) -> f64 {
        (0..NUM_PHASES)
            .map(|index| (&self.0[index], &other.0[(index + steps) % NUM_PHASES]))
            .flat_map(|(here, there)| here.iter().zip(there))
            .map(|(a, b)| a.dot(*b))
            .sum()
    }

    fn squared_distance(&self, other: &Self) -> f64 {
        self.0
            .iter()
            .zip(&other.0)
            .flat_map(|(here, there)| here.iter().zip(there))
            .map(|(a, b)| a.distance_squared(*b))
            .sum()
    }
}

/// Finds the phase of a loop that corresponds to the start of the reference.
fn shift(reference: &PhaseProfile, clip: &LoopClip, weights: &[f64]) -> f64 {
    let motion = PhaseProfile::new(clip, 0.0, weights);
    let correlations: Vec<f64> = (0..NUM_PHASES)
        .map(|steps| reference.correlation(&motion, steps))
        .collect();
    let mut best = 0;
    for (steps, &correlation) in correlations.iter().enumerate() {
        // Rounding must not decide between equal correlations: between two idle bodies any phase fits, so the start is used.
        if correlation > correlations[best] + 1e-12 * correlations[best].abs() {
            best = steps;
        }
    }
    // The distance locates the shift precisely: between equal motions it is zero there, regardless of the samples between which
    // both are interpolated. The correlation is only the largest of many large numbers.
    let mut at = best as f64 / NUM_PHASES as f64;
    let mut reach = 1.0 / NUM_PHASES as f64;
    for _ in 0..NUM_REFINEMENTS {
        let [before, here, after] = [at - reach, at, at + reach]
            .map(|from| reference.squared_distance(&PhaseProfile::new(clip, from, weights)));
        let bend = before - 2.0 * here + after;
        if bend > 0.0 {
            // The minimum of the parabola through the three.
            at += (0.5 * (before - after) / bend).clamp(-1.0, 1.0) * reach;
        }
        reach *= 0.25;
    }
    // A value just below 0 is 0, not nearly 1.
    let wrapped = at - at.floor();
    if wrapped > 1.0 - 1e-9 { 0.0 } else { wrapped }
}
