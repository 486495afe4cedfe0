//! The phase at which a jump enters a loop: the one at which the fading offset displaces the body least in total.
//!
//! The cost is the exact displacement of the fade, D(x, v), as in the search for seams. It is one-sided: only the motion after a
//! jump is changed. x and v are gaps of joint positions relative to the root and of their velocities, including the root's
//! velocity. There is one cost for each sample of the loop; the best is refined between samples. Source: docs/math/search.md.

use std::borrow::Cow;

use glam::DVec3;

use super::INTERPOLATION;
use crate::{blend::shift::joint_weights, transition::State};
use loopwright_core::{
    loop_clip::LoopClip,
    math::{Decay, Rigid},
    motion::Tracks,
};

/// The point at which a jump enters a loop.
#[value(Copy)]
pub struct Entry {
    /// Time in the loop, seconds since its start.
    pub secs: f64,
    /// The cost of the jump, metre-seconds: the displacement of weighted joints, summed over axes and time.
    pub cost: f64,
}

/// Share of a sample's time over which velocities are measured: small against it, and large against rounding.
const DIFFERENCE: f64 = 1e-3;

/// A time this close to a sample, as a share of the time between samples, is that sample.
const SAME_SAMPLE: f64 = 1e-9;

/// Refinements of the best phase between samples, each to half the interval.
pub(super) const NUM_REFINEMENTS: usize = 6;

/// Loops of one skeleton, with weighted positions and velocities of their joints at all samples.
#[value]
pub(super) struct SampledLoops {
    pub loops: Vec<LoopClip>,
    pub weights: Vec<f64>,
    pub samples: Vec<Vec<WeightedState>>,
}

/// Positions (metres) and velocities (metres per second) of all joints, weighted, axis by axis, in the root's axes.
#[value]
pub(crate) struct WeightedState {
    pub(super) positions: Vec<f64>,
    pub(super) velocities: Vec<f64>,
}

impl WeightedState {
    pub(crate) fn state(&self) -> State<'_> {
        State {
            positions: &self.positions,
            velocities: &self.velocities,
        }
    }
}

impl SampledLoops {
    pub(super) fn new(loops: Vec<LoopClip>) -> Self {
        let weights = loops.first().map(joint_weights).unwrap_or_default();
        let samples = loops.iter().map(|clip| {
            (0..clip.num_samples())
                .map(|sample| sample as f64 * clip.step_secs())
                .map(|secs| motion(clip, secs, &weights))
                .collect()
        });
        Self {
            samples: samples.collect(),
            weights,
            loops,
        }
    }

    /// Returns the state of a loop at a time. A sample has the same state however its time was computed: velocities are
    /// differences over so short a time that rounding affects them.
    pub(super) fn state(&self, of: usize, secs: f64) -> Cow<'_, WeightedState> {
        let samples = secs / self.loops[of].step_secs();
        let nearest = samples.round();
        if (samples - nearest).abs() < SAME_SAMPLE {
            let sample = nearest.rem_euclid(self.samples[of].len() as f64);
            Cow::Borrowed(&self.samples[of][sample as usize])
        } else {
            Cow::Owned(motion(&self.loops[of], secs, &self.weights))
        }
    }

    /// Finds the cheapest phase of `to` for a jump from a time of `from`.
    pub(super) fn entry(&self, from: usize, secs: f64, to: usize, decay: Decay) -> Entry {
        self.entry_from(&self.state(from, secs), to, decay)
    }

    /// Finds the cheapest phase of `to` for a jump from a state.
    pub(super) fn entry_from(&self, left: &WeightedState, to: usize, decay: Decay) -> Entry {
        let clip = &self.loops[to];
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
        let mut best = self.refined_entry(left, to, best, decay);
        best.secs = best.secs.rem_euclid(clip.period_secs());
        best
    }

    /// Refines an entry between samples; its time may be in another cycle.
    pub(super) fn refined_entry(&self, left: &WeightedState, to: usize, mut best: Entry, decay: Decay) -> Entry {
        let mut reach = 0.5 * self.loops[to].step_secs();
        for _ in 0..NUM_REFINEMENTS {
            for secs in [best.secs - reach, best.secs + reach] {
                let cost = left.state().cost(self.state(to, secs).state(), decay);
                if cost < best.cost {
                    best = Entry { secs, cost };
                }
            }
            reach *= 0.5;
        }
        best
    }
}

fn motion(clip: &LoopClip, secs: f64, weights: &[f64]) -> WeightedState {
    let h = DIFFERENCE * clip.step_secs();
    let [from, to] = [secs - h, secs + h];
    let [before, here, after] = [from, secs, to].map(|secs| {
        clip.body_pose_at(secs, INTERPOLATION)
            .as_ref()
            .world(clip.skeleton())
            .translations
    });
    let twist = clip.root().twist;
    let velocities = (0..here.len()).map(|joint| {
        let of_root = twist.linear + twist.angular.cross(here[joint]);
        // The difference of the times as rounded.
        (after[joint] - before[joint]) / (to - from) + of_root
    });
    WeightedState {
        positions: weighted(here.iter().copied(), weights),
        velocities: weighted(velocities, weights),
    }
}

/// Returns the state of a motion that plays once, given relative to its roots, at a sample.
pub(crate) fn state_in(tracks: &Tracks, roots: &[Rigid], sample: usize, weights: &[f64]) -> WeightedState {
    let (before, after) = (sample.saturating_sub(1), (sample + 1).min(roots.len() - 1));
    let [before_at, here, after_at] = [before, sample, after].map(|at| {
        let root = roots[sample].inverse() * roots[at];
        let world = tracks.pose(at).world(tracks.skeleton()).translations;
        world.into_iter().map(move |place| root.transform_point(place))
    });
    let secs = (after - before) as f64 * tracks.step_secs();
    WeightedState {
        positions: weighted(here, weights),
        velocities: weighted(before_at.zip(after_at).map(|(from, to)| (to - from) / secs), weights),
    }
}

fn weighted(vectors: impl Iterator<Item = DVec3>, weights: &[f64]) -> Vec<f64> {
    vectors
        .zip(weights)
        .map(|(vector, weight)| vector * *weight)
        .flat_map(|vector| vector.to_array())
        .collect()
}
