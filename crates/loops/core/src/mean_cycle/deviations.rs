//! Computes the deviations of the cycles of a take from their mean, joint by joint, at the same phase.

use glam::{DQuat, DVec3};

use super::{CyclesEnd, LaidCycles, MeanCycleError, MeanCycles, average::MAX_SPREAD};
use crate::{
    analysis::Analysis,
    candidate::LoopCandidate,
    math::{rotation, smooth_step},
    motion::Pose,
};

/// Deviations of the local rotations of some joints from their mean over the cycles of a take: rotation vectors in the axes of the parents.
pub(crate) struct CycleDeviations {
    pub num_cycles: usize,
    pub num_samples: usize,
    /// Why the row of cycles ends before the first, and after the last.
    pub ends: [CyclesEnd; 2],
    /// Joints that have a mean, each with its deviations by cycle and sample.
    of_joints: Vec<(usize, Vec<DVec3>)>,
}

impl CycleDeviations {
    /// Measures the cycles around a candidate, each at this many samples, for the requested joints that have a mean. `shown`
    /// converts a pose of the take to the pose with those joints. Errors: [`MeanCycleError`].
    pub(crate) fn measure(
        analysis: &Analysis,
        candidate: &LoopCandidate,
        joints: &[usize],
        num_samples: usize,
        shown: impl Fn(Pose) -> Pose,
    ) -> Result<Self, MeanCycleError> {
        let laid = LaidCycles::find(analysis, candidate, MeanCycles::All, num_samples)?;
        let num_cycles = laid.row.num_cycles();
        // By cycle, sample and joint.
        let mut rotations: Vec<DQuat> = Vec::with_capacity(num_cycles * num_samples * joints.len());
        for cycle in 0..num_cycles {
            for sample in 0..num_samples {
                let pose = shown(
                    analysis
                        .take
                        .sample(laid.row.frame(cycle, sample as f64 / num_samples as f64)),
                );
                rotations.extend(joints.iter().map(|&joint| pose.rotations[joint]));
            }
        }
        let of_joints = joints.iter().enumerate().filter_map(|(index, &joint)| {
            let own: Vec<DQuat> = rotations.iter().skip(index).step_by(joints.len()).copied().collect();
            Some((joint, from_mean(&own, num_samples)?))
        });
        Ok(Self {
            num_cycles,
            num_samples,
            ends: laid.row.ends,
            of_joints: of_joints.collect(),
        })
    }

    /// Returns the joints that have a mean, in the requested order.
    pub(crate) fn joints(&self) -> Vec<usize> {
        self.of_joints.iter().map(|(joint, _)| *joint).collect()
    }

    /// Returns the deviation of a joint, by its place among those that have a mean.
    pub(crate) fn at(&self, cycle: usize, sample: usize, joint: usize) -> DVec3 {
        self.of_joints[joint].1[cycle * self.num_samples + sample]
    }

    /// Returns all deviations of each joint.
    pub(crate) fn of_joints(&self) -> impl Iterator<Item = &[DVec3]> {
        self.of_joints.iter().map(|(_, deviations)| deviations.as_slice())
    }
}

/// Returns the deviations of a joint from its mean over the cycles, by cycle and sample, as rotations; `None` if one is so large that the
/// mean is not unique.
fn from_mean(rotations: &[DQuat], num_samples: usize) -> Option<Vec<DVec3>> {
    let mut values = vec![DVec3::ZERO; rotations.len()];
    let num_cycles = rotations.len() / num_samples;
    for sample in 0..num_samples {
        // The first cycle fades in as the last one fades out, so that the mean ends where it starts.
        let rise = smooth_step(sample as f64 / num_samples as f64);
        let turns: Vec<(DQuat, f64)> = rotations
            .iter()
            .skip(sample)
            .step_by(num_samples)
            .enumerate()
            .map(|(cycle, &turn)| {
                let share = match cycle {
                    0 => rise,
                    _ if cycle + 1 == num_cycles => 1.0 - rise,
                    _ => 1.0,
                };
                (turn, share / (num_cycles - 1) as f64)
            })
            .collect();
        let mean = rotation::mean(&turns);
        for (cycle, &(turn, _)) in turns.iter().enumerate() {
            let deviation = rotation::difference(turn, mean);
            if deviation.length() > MAX_SPREAD {
                return None;
            }
            values[cycle * num_samples + sample] = deviation;
        }
    }
    Some(values)
}
