//! Samples a loop at any time, between its frames and over any number of cycles.
//!
//! Times are in seconds since the start of the loop and may be negative or exceed a cycle. The body is interpolated around the
//! loop, so the seam needs no special case. The root is a closed form of time, so no error accumulates. A pose depends on its
//! time alone. Derivation: docs/math/sampling.md.

use glam::{DQuat, DVec3};

use super::LoopClip;
use crate::{
    math::{Hermite, Rigid, Span, Twist, rotation},
    motion::{Pose, RootMotion, Tracks},
};

/// How poses between samples are interpolated; `Cubic` by default.
#[value(Copy, Default, Eq)]
pub enum Interpolation {
    /// Linear, with normalized rotations (nlerp), as in engines; velocities jump at samples.
    Linear,
    /// Cubic with central slopes: C1 everywhere, including the seam.
    #[default]
    Cubic,
}

/// Times this close to a sample, relative to themselves, count as the sample: the rounding error of dividing a time by a step.
const ON_SAMPLE: f64 = 4.0 * f64::EPSILON;

/// Feet touch down between samples; at this rate, hertz, they do so within 2 ms.
const FINE_HZ: f64 = 240.0;

/// Largest factor by which the times of a loop with few samples a second are refined.
const MOST_TIMES: f64 = 16.0;

impl LoopClip {
    /// Returns the body's pose at any time, local, relative to the root.
    ///
    /// At the times of samples the result equals the samples bit for bit. A time that is not finite counts as 0.
    pub fn body_pose_at(&self, secs: f64, interpolation: Interpolation) -> Pose {
        let (before, u) = self.locate(secs);
        if u == 0.0 {
            return self.body_pose(before).to_pose();
        }
        let around = self.around(before);
        match interpolation {
            Interpolation::Linear => self.tracks.map_joints(around, |points, turns| {
                (points.before.lerp(points.after, u), nlerp(turns.before, turns.after, u))
            }),
            Interpolation::Cubic => self.tracks.between(around, u),
        }
    }

    /// Returns the endless loop from a time on, which may lie between samples, at another number of samples, at least three, and
    /// another time between them.
    ///
    /// A period of another length is played slower or faster; the root then covers the same distance and turn in it. A path of the
    /// root is kept.
    #[must_use]
    pub fn retimed_from(&self, secs: f64, num_samples: usize, step_secs: f64) -> Self {
        let num_samples = num_samples.max(3);
        let faster = self.period_secs() / (num_samples as f64 * step_secs);
        let times = (0..num_samples).map(|sample| secs + self.period_secs() * sample as f64 / num_samples as f64);
        let Twist { linear, angular } = self.root.twist;
        Self {
            name: self.name.clone(),
            tracks: Tracks::pose_by_pose(
                self.skeleton(),
                step_secs,
                times.clone().map(|secs| self.body_pose_at(secs, Interpolation::Cubic)),
            ),
            carrier: self.carrier,
            root: RootMotion {
                start: self.root.at(secs),
                twist: Twist::new(linear * faster, angular * faster),
            },
            path: times
                .filter(|_| self.follows_path())
                .map(|secs| self.sway_at(secs))
                .collect(),
            recorded: None,
        }
    }

    /// Returns the loop sampled densely enough to detect when feet touch down.
    #[must_use]
    pub(crate) fn finely_sampled(&self) -> Self {
        let times = (FINE_HZ * self.step_secs()).ceil().clamp(1.0, MOST_TIMES);
        self.retimed_from(0.0, self.num_samples() * times as usize, self.step_secs() / times)
    }

    /// Rates of all joints' local transforms at any time under [`Interpolation::Cubic`]: velocities, metres per second, and
    /// angular velocities, radians per second in the parent's axes; relative to the root.
    pub fn body_rates_at(&self, secs: f64) -> (Vec<DVec3>, Vec<DVec3>) {
        let ((before, u), step_secs) = (self.locate(secs), self.step_secs());
        let curve = Hermite::at(u);
        self.tracks.map_joints(self.around(before), |points, turns| {
            (
                curve.point_rate(points) / step_secs,
                curve.rotation_rate(turns) / step_secs,
            )
        })
    }

    /// Returns the world transform of the root at any time: its constant twist in closed form, or the path about it.
    ///
    /// A path is interpolated by cubics relative to the twist, where it repeats, so the root motion is exact over any number of
    /// cycles.
    pub fn root_pose_at(&self, secs: f64) -> Rigid {
        let on_twist = self.root.at(finite(secs));
        if self.path.is_empty() {
            on_twist
        } else {
            on_twist * self.sway_at(secs)
        }
    }

    /// Returns the root motion between two times, relative to the root at the first: X(from)^-1 X(to).
    ///
    /// An engine applies it every frame: `character = character * delta`. Deltas of consecutive spans multiply to the delta of
    /// the whole, across cycle boundaries too, and running backwards undoes it.
    pub fn root_delta(&self, from_secs: f64, to_secs: f64) -> Rigid {
        // Not through both world transforms, which lose digits far from the origin.
        let on_twist = RootMotion {
            start: Rigid::IDENTITY,
            ..self.root
        }
        .at(finite(to_secs) - finite(from_secs));
        self.sway_at(from_secs).inverse() * on_twist * self.sway_at(to_secs)
    }

    /// Returns the world positions (metres) and rotations of all joints at any time.
    pub fn world_pose_at(&self, secs: f64, interpolation: Interpolation) -> Pose {
        self.body_pose_at(secs, interpolation)
            .as_ref()
            .world(self.skeleton())
            .moved(self.root_pose_at(secs))
    }

    /// Returns the root at any time, relative to its constant twist.
    pub fn sway_at(&self, secs: f64) -> Rigid {
        if self.path.is_empty() {
            return Rigid::IDENTITY;
        }
        let (before, u) = self.locate(secs);
        if u == 0.0 {
            return self.path[before];
        }
        let curve = Hermite::at(u);
        let path = self.around(before).map(|sample| self.path[sample]);
        Rigid::new(
            curve.rotation(path.map(|root| root.rotation)),
            curve.point(path.map(|root| root.translation)),
        )
    }

    /// Returns the sample before a time, and the fraction of the way to the next one, 0 to 1; 0 on the sample.
    fn locate(&self, secs: f64) -> (usize, f64) {
        let at = finite(secs) / self.step_secs();
        let near = at.round();
        let at = if (at - near).abs() <= ON_SAMPLE * at.abs() {
            near
        } else {
            at
        };
        let before = at.floor();
        // Exact: both are whole numbers.
        (before.rem_euclid(self.num_samples() as f64) as usize, at - before)
    }

    /// Returns the samples around a position, around the loop.
    fn around(&self, before: usize) -> Span<usize> {
        let count = self.num_samples();
        Span {
            left: Some((before + count - 1) % count),
            before,
            after: (before + 1) % count,
            right: Some((before + 2) % count),
        }
    }
}

/// Returns the time, or 0 if it is not finite: a time that overflowed must not end a program.
fn finite(secs: f64) -> f64 {
    if secs.is_finite() { secs } else { 0.0 }
}

/// Returns the chord from one rotation to another at u, on the short side, brought back to length.
fn nlerp(from: DQuat, to: DQuat, u: f64) -> DQuat {
    let to = rotation::on_side_of(to, from);
    // On the short side the chord keeps at least 0.7 of its length.
    (from * (1.0 - u) + to * u).normalize()
}
