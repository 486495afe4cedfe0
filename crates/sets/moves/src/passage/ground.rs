//! The path of a root over the ground, and the bending of its ends to meet those of two loops.

use core::ops::{Add, Mul, Sub};

use glam::DVec3;

use loopwright_core::{
    analysis::Analysis,
    math::{Decay, Hermite, Rigid, Span, Twist, kernel, ops, rotation},
    root_motion::{PATH_SMOOTHING_SECS, root_joint},
};

/// A position and a facing, or a difference of two.
#[value(Copy)]
pub(super) struct Ground {
    /// Metres.
    pub at: DVec3,
    /// Radians, left positive, not wrapped.
    pub yaw: f64,
}

impl Ground {
    pub(super) fn root(self) -> Rigid {
        Rigid::from_yaw(self.yaw, self.at)
    }

    /// Advances by a twist.
    pub(super) fn moved(self, twist: Twist, secs: f64) -> Self {
        Self {
            at: (self.root() * twist.exp(secs)).translation,
            yaw: self.yaw + twist.angular.y * secs,
        }
    }

    /// Moves it, and rotates it if there are at least two points, so that points given relative to it are nearest to others in the world;
    /// keeps its height.
    pub(super) fn laid(self, seen: &[DVec3], world: &[DVec3]) -> Self {
        let [own, onto] = [seen, world].map(|points| points.iter().sum::<DVec3>() / points.len() as f64);
        let (along, across) = seen
            .iter()
            .zip(world)
            .map(|(seen, world)| (*seen - own, *world - onto))
            .fold((0.0, 0.0), |(along, across), (seen, world)| {
                let way = rotation::from_yaw(self.yaw) * seen;
                (
                    along + way.x * world.x + way.z * world.z,
                    across + way.z * world.x - way.x * world.z,
                )
            });
        let yaw = self.yaw + if seen.len() > 1 { ops::atan2(across, along) } else { 0.0 };
        let at = onto - rotation::from_yaw(yaw) * own;
        Self {
            at: at.with_y(self.at.y),
            yaw,
        }
    }

    /// Adds whole turns to be near another facing.
    pub(super) fn near(self, other: Self) -> Self {
        Self {
            yaw: other.yaw + rotation::wrap_angle(self.yaw - other.yaw),
            ..self
        }
    }
}

impl Add for Ground {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            at: self.at + other.at,
            yaw: self.yaw + other.yaw,
        }
    }
}

impl Sub for Ground {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + other * -1.0
    }
}

impl Mul<f64> for Ground {
    type Output = Self;
    fn mul(self, by: f64) -> Self {
        Self {
            at: self.at * by,
            yaw: self.yaw * by,
        }
    }
}

/// The difference to add at an end of a motion to meet another: a value, its rate and its acceleration, by time away from the
/// end.
pub(super) struct Bend<T>([T; 3]);

impl<T> Bend<T>
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>,
{
    /// Computes the bend from the gaps one sample beyond the end, at it, and one sample inside.
    pub(super) fn new([beyond, at, inside]: [T; 3], step_secs: f64) -> Self {
        let rate = (inside - beyond) * (0.5 / step_secs);
        let acceleration = (inside - at + beyond - at) * (1.0 / (step_secs * step_secs));
        Self([at, rate, acceleration])
    }

    /// Returns the part of it that remains this long after the start, or before the end.
    pub(super) fn left(&self, fade: Decay, secs: f64) -> T {
        let fading = fade.at(secs);
        let [value, rate, acceleration] = self.0;
        value * fading.position.value
            + rate * fading.velocity.value
            + acceleration * fading.acceleration.unwrap_or_default().value
    }
}

/// The path of a root over a take: the smoothed path of the hips over the floor, or that of the rig's joint that carries the
/// root motion.
pub(super) struct Way {
    frames: Vec<Ground>,
}

impl Way {
    /// Computes the smoothed path of the hips.
    pub(super) fn of_hips(analysis: &Analysis) -> Self {
        let (heading, floor) = (&analysis.heading, analysis.floor.heights());
        let weights = kernel::gaussian(PATH_SMOOTHING_SECS / analysis.take.frame_time_secs());
        let places: Vec<DVec3> = (0..heading.num_frames())
            .map(|frame| heading.ground(frame).with_y(floor[frame]))
            .collect();
        let yaws: Vec<DVec3> = (0..heading.num_frames())
            .map(|frame| DVec3::Y * heading.yaw(frame))
            .collect();
        let [places, yaws] = [places, yaws].map(|track| kernel::averaged_mirrored(&track, &weights));
        let frames = places.into_iter().zip(yaws);
        Self {
            frames: frames.map(|(at, yaw)| Ground { at, yaw: yaw.y }).collect(),
        }
    }

    /// Computes the path of the root joint.
    pub(super) fn of_root(analysis: &Analysis) -> Self {
        let mut way = Self::of_hips(analysis);
        let (skeleton, world) = (analysis.take.skeleton(), &analysis.world);
        let joint = root_joint::find(skeleton, world, &analysis.body);
        let Some(joint) = joint.filter(|&joint| joint == root_joint::find_carrier(skeleton, world, &analysis.body))
        else {
            return way;
        };
        // Its axes are arbitrary; only its rotation since the first frame matters.
        let first = world.rotation(0, joint);
        let mut facing = way.frames[0].yaw;
        let start = facing;
        for (frame, way) in way.frames.iter_mut().enumerate() {
            let at = world.position(frame, joint);
            let turned = rotation::yaw_of(world.rotation(frame, joint) * first.conjugate());
            facing += rotation::wrap_angle(start + turned - facing);
            *way = Ground {
                at: DVec3::new(at.x, way.at.y, at.z),
                yaw: facing,
            };
        }
        way
    }

    pub(super) fn num_frames(&self) -> usize {
        self.frames.len()
    }

    pub(super) fn at(&self, frame: usize) -> Ground {
        self.frames[frame]
    }

    /// Returns the place and facing at a frame, which may be fractional.
    pub(super) fn between(&self, frame: f64) -> Ground {
        let last = self.frames.len() - 1;
        let frame = frame.clamp(0.0, last as f64);
        let before = (frame.floor() as usize).min(last.saturating_sub(1));
        let u = frame - before as f64;
        if u == 0.0 {
            return self.frames[before];
        }
        let span = Span::within(before, last);
        let curve = Hermite::at(u);
        Ground {
            at: curve.point(span.map(|frame| self.frames[frame].at)),
            yaw: curve.point(span.map(|frame| DVec3::Y * self.frames[frame].yaw)).y,
        }
    }

    /// Speed over the ground at a frame, metres per second, and turn rate, radians per second.
    pub(super) fn rates(&self, frame: usize, frame_time_secs: f64) -> [f64; 2] {
        let last = self.frames.len() - 1;
        let (from, to) = (frame.saturating_sub(1), (frame + 1).min(last));
        let gap = self.frames[to] - self.frames[from];
        let secs = (to - from).max(1) as f64 * frame_time_secs;
        [ops::over_ground(gap.at) / secs, gap.yaw / secs]
    }
}

#[cfg(test)]
mod tests {
    use core::f64::consts::TAU;

    use super::*;

    #[test]
    fn a_facing_comes_near_another_by_whole_turns() {
        let facing = |yaw: f64| Ground { at: DVec3::ZERO, yaw };
        for (own, other, turns) in [
            (0.3, 0.2, 0.0),
            (7.0, 0.5, -1.0),
            (-3.0, 3.0, 1.0),
            (0.1, 4.0 * TAU, 4.0),
        ] {
            let near = facing(own).near(facing(other)).yaw;
            assert!((near - own - turns * TAU).abs() < 1e-12, "{own} {other}: {near}");
        }
    }
}
