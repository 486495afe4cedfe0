//! The samples over which feet are solved: around a loop, or from end to end of a stretch of a take or of a fade.

use glam::DVec3;

use super::super::stage::Stage;
use crate::math::rigid::Rigid;

/// Samples at each end of a fade that are not corrected, so that a correction begins and ends at rest.
const HELD: usize = 2;

/// What becomes of the first and the last sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    /// The last is followed by the first.
    Meet,
    /// Both are as free as all others.
    Free,
    /// They are not corrected.
    Held,
}

/// How the root moves over samples at even times, and what becomes of the ends.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::feet) struct Course {
    pub(super) step_secs: f64,
    /// The root's motion from each sample to the next.
    pub(super) on: Vec<Rigid>,
    /// The up axis of the world, seen from the root.
    pub(super) up: Vec<DVec3>,
    ends: Ends,
}

impl Course {
    /// The course around a loop.
    pub(in crate::feet) fn around(stage: &Stage<'_>) -> Self {
        Self::of(stage, stage.clip.num_samples(), Ends::Meet)
    }

    /// The course over the first samples of a loop whose others only lead back.
    pub(in crate::feet) fn over_first(stage: &Stage<'_>, count: usize) -> Self {
        Self::of(stage, count, Ends::Free)
    }

    fn of(stage: &Stage<'_>, count: usize, ends: Ends) -> Self {
        Self {
            step_secs: stage.clip.step_secs(),
            on: vec![stage.root_motion.twist.exp(stage.clip.step_secs()); count],
            up: (0..count).map(|sample| stage.up(sample)).collect(),
            ends,
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
            ends: Ends::Held,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.on.len()
    }

    /// The sample so many after another; `None` beyond the end.
    pub(super) fn after(&self, sample: usize, steps: usize) -> Option<usize> {
        let beyond = sample + steps >= self.count();
        (self.ends == Ends::Meet || !beyond).then(|| (sample + steps) % self.count())
    }

    /// Whether the last sample is not followed by the first.
    pub(super) fn has_ends(&self) -> bool {
        self.ends != Ends::Meet
    }

    /// Whether a sample is not corrected.
    pub(super) fn is_held(&self, sample: usize) -> bool {
        self.ends == Ends::Held && (sample < HELD || sample + HELD >= self.count())
    }
}
