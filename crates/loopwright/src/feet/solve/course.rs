//! The samples over which feet are solved: around a loop, or from end to end of a fade.

use glam::DVec3;

use super::super::stage::Stage;
use crate::math::rigid::Rigid;

/// Samples at each end of a fade that are not corrected, so that a correction begins and ends at rest.
const HELD: usize = 2;

/// How the root moves over samples at even times, and whether the last meets the first.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Course {
    pub(super) step_secs: f64,
    /// The root's motion from each sample to the next.
    pub(super) on: Vec<Rigid>,
    /// The up axis of the world, seen from the root.
    pub(super) up: Vec<DVec3>,
    has_ends: bool,
}

impl Course {
    pub(super) fn around(stage: &Stage<'_>) -> Self {
        let count = stage.clip.num_samples();
        Self {
            step_secs: stage.clip.step_secs(),
            on: vec![stage.root_motion.twist.exp(stage.clip.step_secs()); count],
            up: (0..count).map(|sample| stage.up(sample)).collect(),
            has_ends: false,
        }
    }

    /// The course of a root through places in the world.
    pub(super) fn through(roots: &[Rigid], step_secs: f64) -> Self {
        let next = |sample: usize| roots.get(sample + 1).copied();
        Self {
            step_secs,
            on: (roots.iter().enumerate())
                .map(|(sample, root)| next(sample).map_or(Rigid::IDENTITY, |next| root.inverse() * next))
                .collect(),
            up: roots.iter().map(|root| root.rotation.conjugate() * DVec3::Y).collect(),
            has_ends: true,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.on.len()
    }

    /// The sample so many after another; `None` beyond the end.
    pub(super) fn after(&self, sample: usize, steps: usize) -> Option<usize> {
        let beyond = sample + steps >= self.count();
        (!(self.has_ends && beyond)).then(|| (sample + steps) % self.count())
    }

    /// Whether a sample is not corrected.
    pub(super) fn is_held(&self, sample: usize) -> bool {
        self.has_ends && (sample < HELD || sample + HELD >= self.count())
    }
}
