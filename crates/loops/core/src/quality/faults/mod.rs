//! Finds what no body does, in the loop alone: jumps and tremor, lost frames, a body that floats, broken limbs, still limbs.
//!
//! A fault that comes once a cycle is in the take, too, and in every statistic of it, so nothing is compared with either. Each
//! figure is a multiple of the least fault that a person sees. Formulas and limits: docs/math/faults.md.

use glam::DVec3;

use super::JointPeak;
use crate::{
    analysis::{Body, Foot},
    loop_clip::LoopKeys,
    math::{TimeStep, distinct},
    motion::Skeleton,
};

mod anatomy;
mod ground;
mod motion;
mod stiff;

/// The worst place of each kind of fault, with its size in multiples of the least visible one; `None` where it does not apply.
#[handed_over(Copy, Default)]
pub struct Faults {
    /// A joint leaves its path for a moment.
    pub spike: Option<JointPeak>,
    /// Joints tremble all the time.
    pub shake: Option<JointPeak>,
    /// The whole body stops or jumps along its path: frames are held or lost.
    pub stutter: Option<JointPeak>,
    /// Nothing bears a body that goes on legs, and it does not fall.
    pub bears: Option<JointPeak>,
    /// Bones, knees, shoulders, feet or the head are as no body has them.
    pub anatomy: Option<JointPeak>,
    /// A limb is still, and its partner moves.
    pub stiff: Option<JointPeak>,
}

impl Faults {
    /// Finds the faults of a body of that size relative to a person of 1.7 m; none in loops too short to have neighbours.
    pub(super) fn find(keys: &LoopKeys, body: &Body, size: f64) -> Self {
        let cycle = Cycle::new(keys, body, size);
        if (cycle.count as usize) < LEAST_STEPS * cycle.reach as usize || cycle.size <= 0.0 {
            return Self::default();
        }
        let [spike, shake] = motion::spike_and_shake(&cycle);
        Self {
            spike,
            shake,
            stutter: motion::stutter(&cycle),
            bears: ground::bears(&cycle),
            anatomy: anatomy::worst(&cycle),
            stiff: stiff::worst(&cycle),
        }
    }
}

/// Steps of [`STEP_SECS`] in the shortest loop that is measured: the neighbours of a sample are others.
const LEAST_STEPS: usize = 7;

/// Time between the samples that are compared with each other.
const STEP_SECS: f64 = 1.0 / 30.0;

/// Leg and spine up to the head joint of a person of 1.7 m, for which limits are stated, over that height.
const JOINTS_OF_HEIGHT: f64 = 0.83;

/// Radians.
const DEGREE: f64 = core::f64::consts::PI / 180.0;

/// A period of a body's main joints, at the size of a person.
struct Cycle<'a> {
    keys: &'a LoopKeys,
    body: &'a Body,
    /// Metres of this body in one of a person's.
    size: f64,
    /// The hips, and all between them and head, hands and feet; others may be cloth, hair or helpers.
    joints: Vec<usize>,
    /// Samples.
    count: isize,
    /// Samples in [`STEP_SECS`].
    reach: isize,
}

impl<'a> Cycle<'a> {
    fn new(keys: &'a LoopKeys, body: &'a Body, size: f64) -> Self {
        Self {
            keys,
            body,
            size: size / JOINTS_OF_HEIGHT,
            joints: main_joints(keys.skeleton(), body),
            count: keys.num_samples() as isize,
            reach: TimeStep::new(keys.step_secs()).nearest_from_one(STEP_SECS) as isize,
        }
    }

    fn skeleton(&self) -> &Skeleton {
        self.keys.skeleton()
    }

    fn samples(&self) -> core::ops::Range<isize> {
        0..self.count
    }

    /// Returns where a joint is: the hips relative to the root, others relative to the hips.
    fn place(&self, sample: isize, joint: usize) -> DVec3 {
        let hips = self.body.hips;
        let from = if joint == hips {
            DVec3::ZERO
        } else {
            self.keys.position(sample, hips)
        };
        (self.keys.position(sample, joint) - from) / self.size
    }

    /// Returns the distance of two joints.
    fn distance(&self, sample: isize, [one, other]: [usize; 2]) -> f64 {
        self.keys
            .position(sample, one)
            .distance(self.keys.position(sample, other))
            / self.size
    }

    fn peak(&self, joint: usize, sample: isize, ratio: f64) -> JointPeak {
        JointPeak {
            joint,
            sample: sample.rem_euclid(self.count) as usize,
            ratio,
        }
    }
}

/// Returns the hips and the joints between them and each end of the body, each before those that hang from it.
fn main_joints(skeleton: &Skeleton, body: &Body) -> Vec<usize> {
    let feet = body.feet.iter();
    let ends = feet
        .clone()
        .filter_map(|foot| body.end_of_leg_apart(skeleton, foot))
        .chain(feet.map(Foot::lowest_joint))
        .chain(body.hands.iter().copied())
        .chain(body.head);
    let paths = ends.flat_map(|end| skeleton.path_from_root(end));
    let below = paths.filter(|&joint| !skeleton.is_within(body.hips, joint));
    distinct(below.chain([body.hips]))
}

/// Returns the worst of several places.
fn worst(peaks: impl IntoIterator<Item = JointPeak>) -> Option<JointPeak> {
    peaks.into_iter().reduce(super::inside::sharper)
}

/// Returns the first sample with the largest value, and that value.
fn largest(values: impl IntoIterator<Item = f64>) -> (isize, f64) {
    let mut most = (0, 0.0);
    for (at, value) in values.into_iter().enumerate() {
        if value > most.1 {
            most = (at as isize, value);
        }
    }
    most
}
