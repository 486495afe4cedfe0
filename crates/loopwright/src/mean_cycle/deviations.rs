//! How the cycles of a take differ from their mean, joint by joint, at the same phase.

use glam::{DQuat, DVec3};

use super::average::LaidCycles;
use super::{MeanCycleError, MeanCycles};
use crate::analysis::Analysis;
use crate::candidate::LoopCandidate;
use crate::math::rotation;

/// Steps by which a mean rotation is found: each brings it nearer by the square of the spread.
const MEAN_STEPS: usize = 4;

/// From 0 to 1 without slope and curvature at either end.
pub(crate) fn smooth_step(phase: f64) -> f64 {
    phase * phase * phase * (10.0 - phase * (15.0 - 6.0 * phase))
}

/// Deviations of the local rotations of some joints from their mean over the cycles of a take: rotation vectors in the axes of the parents.
pub(crate) struct CycleDeviations {
    num_cycles: usize,
    num_samples: usize,
    num_joints: usize,
    /// By cycle, sample and joint.
    values: Vec<DVec3>,
}

impl CycleDeviations {
    /// Measures the cycles around a candidate, each at so many samples. Errors: [`MeanCycleError`].
    pub(crate) fn measure(
        analysis: &Analysis,
        candidate: &LoopCandidate,
        joints: &[usize],
        num_samples: usize,
    ) -> Result<Self, MeanCycleError> {
        let laid = LaidCycles::find(analysis, candidate, MeanCycles::All, num_samples)?;
        let num_cycles = laid.num_cycles();
        let mut rotations = vec![DQuat::IDENTITY; num_cycles * num_samples * joints.len()];
        let at = |cycle: usize, sample: usize, index: usize| (cycle * num_samples + sample) * joints.len() + index;
        for cycle in 0..num_cycles {
            for sample in 0..num_samples {
                let pose = analysis
                    .take
                    .sample(laid.frame(cycle, sample as f64 / num_samples as f64));
                for (index, &joint) in joints.iter().enumerate() {
                    rotations[at(cycle, sample, index)] = pose.rotations[joint];
                }
            }
        }
        let mut values = vec![DVec3::ZERO; rotations.len()];
        for sample in 0..num_samples {
            // The first cycle comes in as the last one goes, so that the mean ends where it starts.
            let rise = smooth_step(sample as f64 / num_samples as f64);
            let weight = |cycle: usize| match cycle {
                0 => rise,
                _ if cycle + 1 == num_cycles => 1.0 - rise,
                _ => 1.0,
            };
            for index in 0..joints.len() {
                let of_cycles = || (0..num_cycles).map(|cycle| rotations[at(cycle, sample, index)]);
                let mut mean = rotations[at(num_cycles / 2, sample, index)];
                for _ in 0..MEAN_STEPS {
                    let terms = of_cycles().enumerate();
                    let sum: DVec3 = terms
                        .map(|(cycle, turn)| weight(cycle) * rotation::difference(turn, mean))
                        .sum();
                    mean = (rotation::exp(sum / (num_cycles - 1) as f64) * mean).normalize();
                }
                for cycle in 0..num_cycles {
                    values[at(cycle, sample, index)] = rotation::difference(rotations[at(cycle, sample, index)], mean);
                }
            }
        }
        Ok(Self {
            num_cycles,
            num_samples,
            num_joints: joints.len(),
            values,
        })
    }

    pub(crate) fn num_cycles(&self) -> usize {
        self.num_cycles
    }

    pub(crate) fn num_samples(&self) -> usize {
        self.num_samples
    }

    pub(crate) fn num_joints(&self) -> usize {
        self.num_joints
    }

    /// The deviation of a joint, by its place among those asked for.
    pub(crate) fn at(&self, cycle: usize, sample: usize, joint: usize) -> DVec3 {
        self.values[(cycle * self.num_samples + sample) * self.num_joints + joint]
    }

    /// All deviations.
    pub(crate) fn all(&self) -> impl Iterator<Item = DVec3> {
        self.values.iter().copied()
    }
}
