//! The motion of a leg over a whole loop that brings its foot to its goals, smoothed where the knee would jerk.
//!
//! Every sample is solved by itself, which near full extension can require a leap of the knee. There the rotations of thigh and
//! knee are smoothed over time until the knee moves no more sharply than in the original loop. The foot yields, first by tilting
//! about the held joint. Derivation: docs/math/feet.md.

use glam::{DQuat, DVec3};

use super::{
    footing::{Footing, PlantedFoot},
    leg::{Leg, arc},
    stage::Stage,
};
use crate::{
    math::{kernel, rotation},
    motion::WorldTracks,
};

/// Knees may move more sharply than in the closed loop, before feet are held, by this factor.
///
/// Against the take, which is what people see, docs/measurements/feet.md has the figures.
/// At 1, sound knees would be smoothed too, since hips and legs continue to sway; at 1.1 the sharpest motion is visible.
const SHARPER: f64 = 1.02;

/// A jerk is smoothed on samples within this time of it, seconds. A shorter time takes more rounds; a longer one releases feet
/// held elsewhere.
const AROUND_SECS: f64 = 0.04;

/// Rotations are smoothed over this long on either side in one round, seconds.
const SMOOTH_SECS: f64 = 0.02;

/// Rounds of smoothing; jerks that remain after them are kept.
const ROUNDS: usize = 40;

/// The state of a leg at one sample.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The position of the thigh, raised with the hips.
    thigh: DVec3,
    /// From thigh to knee, from knee to ankle and from ankle to the held joint, before any rotation.
    bones: [DVec3; 3],
    /// Axis of the knee.
    hinge: DVec3,
    /// The goal of the lowest joint.
    goal: DVec3,
    /// Rotation of the whole leg at the thigh.
    swing: DVec3,
    /// Additional angle of the knee.
    bend: f64,
    /// Rotation of the foot.
    tilt: DQuat,
}

impl Step {
    fn knee(&self) -> DVec3 {
        self.thigh + rotation::exp(self.swing) * self.bones[0]
    }
}

/// The rotations of a leg at one sample, about world axes: at the thigh, before that at the knee, and of the whole foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turns {
    pub(super) swing: DQuat,
    pub(super) bent: DQuat,
    pub(super) foot: DQuat,
}

/// A leg over the whole loop.
pub(super) struct Stride {
    steps: Vec<Step>,
}

impl Stride {
    /// The leg with its foot at its goal at every sample, the hips raised by `rise`.
    pub(super) fn of(stage: &Stage<'_>, foot: &PlantedFoot, rise: &[f64]) -> Self {
        let Leg { thigh, knee, ankle, .. } = foot.leg;
        let step = |(sample, &rise): (usize, &f64)| {
            let up = stage.up(sample);
            let at = |joint: usize| stage.world.position(sample, joint) + up * rise;
            let mut step = Step {
                thigh: at(thigh),
                bones: [at(knee) - at(thigh), at(ankle) - at(knee), at(foot.lowest) - at(ankle)],
                hinge: foot.leg.hinge_at(stage.rotation_above(sample, knee)),
                goal: at(foot.lowest),
                swing: DVec3::ZERO,
                bend: 0.0,
                tilt: DQuat::IDENTITY,
            };
            if foot.offsets.offsets[sample] != DVec3::ZERO || rise != 0.0 {
                let footing = Footing::of(stage, foot, sample, rise);
                let (swing, bend) = foot.leg.reach(at, stage.rotation_above(sample, knee), footing.ankle);
                (step.swing, step.bend, step.tilt) = (rotation::log(swing), bend, footing.tilt);
                // Where the foot falls short between stances, its reached position becomes the goal.
                step.goal = footing.ankle + footing.tilt * step.bones[2];
            }
            step
        };
        Self {
            steps: rise.iter().enumerate().map(step).collect(),
        }
    }

    /// Smooths the rotations of the leg wherever its knee would accelerate by more than `metres` per sample squared.
    pub(super) fn ease(&mut self, stage: &Stage<'_>, metres: f64) {
        let count = self.steps.len();
        let [around, reach] = [AROUND_SECS, SMOOTH_SECS].map(|secs| stage.samples_in(secs));
        for _ in 0..ROUNDS {
            let knees: Vec<DVec3> = self.steps.iter().map(Step::knee).collect();
            let mut share = vec![0.0_f64; count];
            for jerk in (0..count).filter(|&sample| second_difference(&knees, sample).length() > metres) {
                for off in 0..=2 * around {
                    let near = (off as f64 - around as f64) / (around + 1) as f64;
                    let sample = (jerk + count + off - around) % count;
                    share[sample] = share[sample].max((1.0 - near * near).powi(2));
                }
            }
            if share.iter().all(|&share| share == 0.0) {
                return;
            }
            let swings: Vec<DVec3> = self.steps.iter().map(|step| step.swing).collect();
            let bends: Vec<f64> = self.steps.iter().map(|step| step.bend).collect();
            let smooth = kernel::smoothed_around(&swings, reach);
            let smooth = smooth.into_iter().zip(kernel::smoothed_around(&bends, reach));
            for ((step, share), (swing, bend)) in self.steps.iter_mut().zip(share).zip(smooth) {
                step.swing += (swing - step.swing) * share;
                step.bend += (bend - step.bend) * share;
            }
        }
    }

    /// The rotations at a sample; `None` if there are none.
    pub(super) fn turns(&self, sample: usize) -> Option<Turns> {
        let step = &self.steps[sample];
        if step.swing == DVec3::ZERO && step.bend == 0.0 && step.tilt == DQuat::IDENTITY {
            return None;
        }
        let [upper, lower, arm] = step.bones;
        let (swing, bent) = (rotation::exp(step.swing), rotation::exp(step.hinge * step.bend));
        let ankle = step.thigh + swing * (upper + bent * lower);
        // The foot tilts further, so that the held joint is at its goal, or in line with it.
        let foot = arc(step.tilt * arm, step.goal - ankle) * step.tilt;
        Some(Turns { swing, bent, foot })
    }
}

/// The largest allowed acceleration of a knee: its own largest and a little more, metres per sample squared.
///
/// Each knee has its own: one limp leg must not become as sharp as the other.
pub(super) fn sharpest(world: &WorldTracks, knee: usize) -> f64 {
    let count = world.num_frames();
    let positions: Vec<DVec3> = (0..count).map(|sample| world.position(sample, knee)).collect();
    let own = (0..count).map(|sample| second_difference(&positions, sample).length());
    SHARPER * own.fold(0.0, f64::max)
}

/// Second difference of positions around the loop.
fn second_difference(positions: &[DVec3], sample: usize) -> DVec3 {
    let count = positions.len();
    positions[(sample + 1) % count] - 2.0 * positions[sample] + positions[(sample + count - 1) % count]
}
