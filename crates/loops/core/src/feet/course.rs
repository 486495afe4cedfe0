//! The motion of the root over the samples of a motion, and its ends: a closed loop, a stretch of a take with free ends, or a
//! fade.

use glam::DVec3;

use crate::{
    math::{Rigid, TimeStep},
    motion::RootMotion,
};

/// Samples at each end of a fade that are not corrected, so that a correction begins and ends at rest.
const HELD: usize = 2;

/// How the first and the last sample are treated.
#[value(Copy, Eq)]
enum Ends {
    /// The last is followed by the first.
    Meet,
    /// Both are corrected like all others.
    Free,
    /// Neither is corrected.
    Held,
}

/// Where the root is.
#[value]
enum Root {
    Moves(RootMotion),
    /// At every sample.
    At(Vec<Rigid>),
}

/// The motion of the root over samples at even times, and the kind of its ends.
#[value]
pub struct Course {
    pub(super) step_secs: f64,
    /// The root's motion from each sample to the next.
    pub(super) on: Vec<Rigid>,
    /// The up axis of the world, relative to the root.
    pub up: Vec<DVec3>,
    root: Root,
    ends: Ends,
}

impl Course {
    /// Creates the course around a loop.
    pub(crate) fn around(root: RootMotion, step_secs: f64, count: usize) -> Self {
        Self::along(root, step_secs, count, Ends::Meet)
    }

    /// Creates the course of a stretch of a take, whose poses are relative to the world.
    pub(crate) fn in_world(step_secs: f64, count: usize) -> Self {
        Self::along(RootMotion::NONE, step_secs, count, Ends::Free)
    }

    fn along(root: RootMotion, step_secs: f64, count: usize, ends: Ends) -> Self {
        Self {
            step_secs,
            on: vec![root.twist.exp(step_secs); count],
            up: (0..count)
                .map(|sample| root.at(sample as f64 * step_secs).rotation.conjugate() * DVec3::Y)
                .collect(),
            root: Root::Moves(root),
            ends,
        }
    }

    /// Creates the course of a root through places in the world.
    pub fn through(roots: Vec<Rigid>, step_secs: f64) -> Self {
        let mut on: Vec<Rigid> = roots.windows(2).map(|pair| pair[0].inverse() * pair[1]).collect();
        on.extend(roots.last().map(|_| Rigid::IDENTITY));
        Self {
            step_secs,
            on,
            up: roots.iter().map(|root| root.rotation.conjugate() * DVec3::Y).collect(),
            root: Root::At(roots),
            ends: Ends::Held,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.on.len()
    }

    /// Returns the sample this many steps after another; `None` beyond the end.
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

    /// Returns the key of any cycle of a loop; with ends, the nearest key between them.
    pub(super) fn clamped(&self, key: isize) -> isize {
        if self.has_ends() {
            key.clamp(0, self.count() as isize - 1)
        } else {
            key
        }
    }

    /// Returns the sample at a key of any cycle; with ends, of the nearest key between them.
    pub(super) fn sample(&self, key: isize) -> usize {
        self.clamped(key).rem_euclid(self.count() as isize) as usize
    }

    /// Returns the world transform of the root at a key of any cycle, or between the ends.
    pub(super) fn root(&self, key: isize) -> Rigid {
        match &self.root {
            Root::Moves(motion) => motion.at(key as f64 * self.step_secs),
            Root::At(roots) => roots[self.sample(key)],
        }
    }

    /// Converts a point relative to the root at a key of any cycle to a world position.
    pub(super) fn to_world(&self, key: isize, position: DVec3) -> DVec3 {
        self.root(key).transform_point(position)
    }

    /// Returns the number of samples that last this long: at least one, and no more than there are on both sides together.
    pub(super) fn samples_in(&self, secs: f64) -> usize {
        TimeStep::new(self.step_secs)
            .nearest(secs)
            .clamp(1, (self.count() - 1) / 2)
    }
}
