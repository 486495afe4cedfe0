//! At which phase a jump enters a loop: where the offset that it leaves displaces the body least in all.
//!
//! The price is the exact one of the fade, D(x, v), as where seams are searched, one-sided: only what comes after a jump is
//! bent. x and v are gaps of joint places seen from the root and of their velocities, those of the travel included. One price
//! for each sample of the loop; the best is refined between samples. Source: docs/math/search.md.

use glam::DVec3;

use super::INTERPOLATION;
use crate::{blend::phase::joint_weights, loop_clip::LoopClip, math::decay::Decay, transition::State};

/// Where a jump enters a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Time in the loop, seconds since its start.
    pub secs: f64,
    /// What the jump costs, metre-seconds: how far weighted joints are displaced, summed over axes and time.
    pub cost: f64,
}

/// Share of a sample's time over which velocities are told: small against it, and large against rounding.
const DIFFERENCE: f64 = 1e-3;

/// How often the best phase is narrowed down between samples, to half each time.
const NUM_REFINEMENTS: usize = 6;

/// Weighted places and velocities of joints at the samples of all loops.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SampledLoops {
    weights: Vec<f64>,
    /// Per loop, per sample.
    samples: Vec<Vec<WeightedState>>,
}

/// Places (metres) and velocities (metres per second) of all joints, weighted, axis by axis, as the root has its axes.
#[derive(Clone, Debug, PartialEq)]
struct WeightedState {
    places: Vec<f64>,
    velocities: Vec<f64>,
}

impl WeightedState {
    fn state(&self) -> State<'_> {
        State {
            places: &self.places,
            velocities: &self.velocities,
        }
    }
}

impl SampledLoops {
    /// Of loops of one skeleton; without any, of nothing.
    pub(super) fn of(loops: &[LoopClip]) -> Self {
        let weights = loops.first().map(joint_weights).unwrap_or_default();
        let sampled = |clip: &LoopClip| {
            let times = (0..clip.num_samples()).map(|sample| sample as f64 * clip.step_secs());
            times.map(|secs| motion(clip, secs, &weights)).collect()
        };
        Self {
            samples: loops.iter().map(sampled).collect(),
            weights,
        }
    }

    /// The cheapest phase of `to` to jump into from a time of `from`.
    pub(super) fn entry(&self, loops: &[LoopClip], from: usize, secs: f64, to: usize, decay: Decay) -> Entry {
        let left = motion(&loops[from], secs, &self.weights);
        let clip = &loops[to];
        let mut best = Entry {
            secs: 0.0,
            cost: f64::INFINITY,
        };
        for (sample, joined) in self.samples[to].iter().enumerate() {
            let cost = left.state().cost(joined.state(), decay);
            if cost < best.cost {
                best = Entry {
                    secs: sample as f64 * clip.step_secs(),
                    cost,
                };
            }
        }
        let mut reach = 0.5 * clip.step_secs();
        for _ in 0..NUM_REFINEMENTS {
            for secs in [best.secs - reach, best.secs + reach] {
                let cost = left.state().cost(motion(clip, secs, &self.weights).state(), decay);
                if cost < best.cost {
                    best = Entry { secs, cost };
                }
            }
            reach *= 0.5;
        }
        best.secs = best.secs.rem_euclid(clip.period_secs());
        best
    }
}

fn motion(clip: &LoopClip, secs: f64, weights: &[f64]) -> WeightedState {
    let places = |secs: f64| {
        let body = clip.body_pose_at(secs, INTERPOLATION);
        body.as_ref().world(clip.skeleton()).translations
    };
    let h = DIFFERENCE * clip.step_secs();
    let (before, here, after) = (places(secs - h), places(secs), places(secs + h));
    let twist = clip.root().twist;
    let velocity = |joint: usize| {
        let travel = twist.linear + twist.angular.cross(here[joint]);
        (after[joint] - before[joint]) / (2.0 * h) + travel
    };
    let weighted = |of: &dyn Fn(usize) -> DVec3| {
        let joints = 0..here.len();
        joints
            .flat_map(|joint| (of(joint) * weights[joint]).to_array())
            .collect()
    };
    WeightedState {
        places: weighted(&|joint| here[joint]),
        velocities: weighted(&velocity),
    }
}
