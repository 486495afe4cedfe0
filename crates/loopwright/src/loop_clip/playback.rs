//! Playing a loop at any time: no frames, no cycles, no loop points.
//!
//! Times are in seconds since the start of the loop, negative ones and those of any number of cycles included. The body is
//! interpolated around the loop, so the seam is a place like any other; the root is a closed form of time, so nothing adds
//! up. Poses do not depend on when else the loop is looked at. Derivation: docs/math/sampling.md.

use glam::{DQuat, DVec3};

use super::LoopClip;
use crate::{
    math::{
        cubic::{Hermite, Span},
        rigid::Rigid,
        rotation,
    },
    motion::{Pose, RootMotion},
};

/// How poses between samples are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Along straight lines, rotations along chords brought back to length (nlerp), as engines do; speeds jump at samples.
    Linear,
    /// Along cubics with central slopes: C1 everywhere, the seam included.
    #[default]
    Cubic,
}

/// A place between two samples of a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    /// The sample at or before it.
    before: usize,
    /// Way to the next sample, 0 to 1; 0 on the sample.
    u: f64,
}

/// Times this close to a sample, relative to themselves, are on it: what dividing a time by a step may err by.
const ON_SAMPLE: f64 = 4.0 * f64::EPSILON;

impl LoopClip {
    /// The body's pose at any time, local, relative to the root.
    ///
    /// At the times of samples the values are the samples' own, bit for bit. A time that is not finite counts as 0.
    pub fn body_pose_at(&self, secs: f64, interpolation: Interpolation) -> Pose {
        let place = self.place(secs);
        if place.u == 0.0 {
            return self.body_pose(place.before).to_pose();
        }
        let around = self.around(place.before);
        match interpolation {
            Interpolation::Linear => self.tracks.map_joints(around, |points, turns| {
                (
                    points.before.lerp(points.after, place.u),
                    nlerp(turns.before, turns.after, place.u),
                )
            }),
            Interpolation::Cubic => self.tracks.between(around, place.u),
        }
    }

    /// Rates of all joints' local transforms at any time under [`Interpolation::Cubic`]: velocities, metres per second, and
    /// angular velocities, radians per second in the parent's axes; relative to the root.
    pub fn body_rates_at(&self, secs: f64) -> (Vec<DVec3>, Vec<DVec3>) {
        let (place, step_secs) = (self.place(secs), self.step_secs());
        let curve = Hermite::at(place.u);
        self.tracks.map_joints(self.around(place.before), |points, turns| {
            (
                curve.point_rate(points) / step_secs,
                curve.rotation_rate(turns) / step_secs,
            )
        })
    }

    /// World transform of the root at any time: its constant twist in closed form, or the path about it.
    ///
    /// A path is interpolated by cubics as seen from the twist, which repeats; so the travel is exact over any number of
    /// cycles.
    pub fn root_pose_at(&self, secs: f64) -> Rigid {
        let travelled = self.root.at(finite(secs));
        if self.path.is_empty() {
            travelled
        } else {
            travelled * self.sway_at(secs)
        }
    }

    /// What moves the root from its place at one time to that at another, seen from the former: X(from)^-1 X(to).
    ///
    /// What an engine adds per frame: `character = character * delta`. Deltas of consecutive stretches multiply to that of
    /// the whole; it knows nothing of cycles, and running backwards undoes it.
    pub fn root_delta(&self, from_secs: f64, to_secs: f64) -> Rigid {
        // Not by way of both places in the world, whose digits are spent on the distance to its origin.
        let travel = RootMotion {
            start: Rigid::IDENTITY,
            ..self.root
        };
        let travelled = travel.at(finite(to_secs) - finite(from_secs));
        self.sway_at(from_secs).inverse() * travelled * self.sway_at(to_secs)
    }

    /// World positions (metres) and rotations of all joints at any time.
    pub fn world_pose_at(&self, secs: f64, interpolation: Interpolation) -> Pose {
        let body = self.body_pose_at(secs, interpolation);
        body.as_ref().world(self.skeleton()).moved(self.root_pose_at(secs))
    }

    /// Where the root stands at any time, seen from its constant twist.
    pub fn sway_at(&self, secs: f64) -> Rigid {
        if self.path.is_empty() {
            return Rigid::IDENTITY;
        }
        let place = self.place(secs);
        if place.u == 0.0 {
            return self.path[place.before];
        }
        let curve = Hermite::at(place.u);
        let path = self.around(place.before).map(|sample| self.path[sample]);
        Rigid::new(
            curve.rotation(path.map(|place| place.rotation)),
            curve.point(path.map(|place| place.translation)),
        )
    }

    /// Between which samples a time lies.
    fn place(&self, secs: f64) -> Place {
        let at = finite(secs) / self.step_secs();
        let near = at.round();
        let at = if (at - near).abs() <= ON_SAMPLE * at.abs() {
            near
        } else {
            at
        };
        let before = at.floor();
        Place {
            // Exact: both are whole numbers.
            before: before.rem_euclid(self.num_samples() as f64) as usize,
            u: at - before,
        }
    }

    /// The samples around a place, around the loop.
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

/// A time, 0 where it is none: a time that overflowed on the way is no reason to end a program.
fn finite(secs: f64) -> f64 {
    if secs.is_finite() { secs } else { 0.0 }
}

/// The chord from one rotation to another at u, on the short side, brought back to length.
fn nlerp(from: DQuat, to: DQuat, u: f64) -> DQuat {
    let to = rotation::on_side_of(to, from);
    // On the short side the chord keeps at least 0.7 of its length.
    (from * (1.0 - u) + to * u).normalize()
}
