//! A robot's motion as its files hold it: the base in the world, Z up, and the angles of the hinges.

use core::f64::consts::FRAC_1_SQRT_2;

use glam::{DQuat, DVec3};
use loopwright_core::{
    Pose, Skeleton, Take,
    math::{Rigid, mean, rotation},
    motion::Hinges,
};

use super::{
    body::lows,
    error::RobotMotionError,
    source::{Layout, RobotSource},
};
use crate::{
    entry::Loaded,
    error::WriteError,
    keyed_motion::KeyedMotion,
    limits::MAX_VALUE,
    settings::ReadSettings,
    source::{LoadedTake, Source},
};

/// Turns a world with Z up to one with Y up.
pub(super) const UP: DQuat = DQuat::from_xyzw(-FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2);

pub(crate) fn wxyz(row: &[f64]) -> DQuat {
    DQuat::from_xyzw(row[1], row[2], row[3], row[0])
}

/// Returns the robot of a take, as a skeleton with its hinges. Errors: none is given.
pub(crate) fn robot_of<'a>(
    settings: &ReadSettings<'a>,
    format: &'static str,
) -> Result<(&'a Skeleton, &'a Hinges), RobotMotionError> {
    settings
        .robot
        .and_then(|robot| Some((robot, robot.hinges()?)))
        .ok_or(RobotMotionError::NoRobot { format })
}

/// A motion as read.
#[derive(Default)]
pub(crate) struct RobotMotion {
    pub fps: f64,
    pub bases: Vec<Rigid>,
    /// Row by row, radians.
    pub angles: Vec<f64>,
}

impl RobotMotion {
    /// Creates a motion without rows.
    pub(crate) fn new(fps: f64) -> Self {
        Self { fps, ..Self::default() }
    }

    /// Adds a row, whose quaternion may have any nonzero length. Errors: the quaternion is zero, or numbers are out of range.
    pub(crate) fn push(
        &mut self,
        place: DVec3,
        quat: DQuat,
        angles: impl IntoIterator<Item = f64>,
    ) -> Result<(), RobotMotionError> {
        let row = self.bases.len();
        let length = quat.length();
        let first = self.angles.len();
        self.angles.extend(angles);
        let is_plausible = place.abs().max_element() <= MAX_VALUE
            && (1e-3..MAX_VALUE).contains(&length)
            && self.angles[first..].iter().all(|angle| angle.abs() <= MAX_VALUE);
        if !is_plausible {
            return Err(RobotMotionError::Implausible { row });
        }
        self.bases.push(Rigid::new(quat / length, place));
        Ok(())
    }

    /// Returns the local pose of a row whose base is below `above`.
    fn pose(&self, row: usize, robot: &Skeleton, hinges: &Hinges, above: Rigid) -> Pose {
        let count = self.angles.len() / self.bases.len().max(1);
        hinges.pose(
            robot,
            above * self.bases[row],
            self.angles[row * count..][..count].iter().copied(),
        )
    }

    /// Returns the pose of a row in the world with Z up.
    pub(crate) fn world(&self, row: usize, robot: &Skeleton, hinges: &Hinges) -> Pose {
        self.pose(row, robot, hinges, Rigid::IDENTITY).world(robot)
    }

    /// Height of the lowest soles in the middle of some rows, metres; `None` without feet.
    pub(crate) fn sole_height(&self, robot: &Skeleton, hinges: &Hinges) -> Option<f64> {
        let mut heights: Vec<f64> = (0..self.bases.len())
            .step_by((self.bases.len() / 50).max(1))
            .filter_map(|row| {
                let world = self.world(row, robot, hinges);
                hinges
                    .soles
                    .iter()
                    .flat_map(|sole| lows(&sole.points, world.joint(sole.joint)))
                    .map(|low| low.z)
                    .reduce(f64::min)
            })
            .collect();
        heights.sort_by(f64::total_cmp);
        heights.get(heights.len() / 2).map(|height| height.abs())
    }

    /// Returns the take. Errors: there are too many rows, or none.
    pub(crate) fn loaded(
        self,
        name: &str,
        (robot, hinges): (&Skeleton, &Hinges),
        settings: &ReadSettings,
        layout: Layout,
    ) -> Loaded {
        settings.limits.check_transforms(self.bases.len(), robot.num_joints())?;
        let above = Rigid::new(UP, DVec3::ZERO);
        let poses = (0..self.bases.len()).map(|row| self.pose(row, robot, hinges, above));
        let take = Take::from_poses(name, robot.clone(), 1.0 / self.fps, poses)?;
        let source = Source::Robot(RobotSource::new(layout));
        Ok(LoadedTake::new(take, source))
    }
}

/// A key of a motion, in the world with Z up.
pub(crate) struct Key {
    pub angles: Vec<f64>,
    /// The frames of all joints.
    pub joints: Vec<Rigid>,
}

/// The motion at a frame: the places, and their velocities in the world.
#[derive(Clone, Copy)]
pub(crate) struct Moving {
    pub at: Rigid,
    pub linear: DVec3,
    pub angular: DVec3,
}

/// A key, and those before and after it; for a loop, those of the previous and next cycles.
pub(crate) struct Keys {
    pub own: Key,
    before: Key,
    after: Key,
    /// Rotates the world of the neighbours into that of the key.
    turn: DQuat,
    secs: f64,
}

impl Keys {
    /// Returns a frame that is fixed to a joint, and how it moves.
    pub(crate) fn moving(&self, joint: usize, at: Rigid) -> Moving {
        let [before, after] = [&self.before, &self.after].map(|key| key.joints[joint] * at);
        Moving {
            at: self.own.joints[joint] * at,
            linear: self.turn * (after.translation - before.translation) / self.secs,
            angular: self.turn * rotation::difference(after.rotation, before.rotation) / self.secs,
        }
    }

    /// Returns the velocities of the hinges, radians per second.
    pub(crate) fn speeds(&self) -> Vec<f64> {
        self.before
            .angles
            .iter()
            .zip(&self.after.angles)
            .map(|(before, after)| (after - before) / self.secs)
            .collect()
    }

    /// Returns the position of the middle of each sole in the axes of the base, and its velocity there, foot by foot.
    pub(crate) fn feet(&self, hinges: &Hinges) -> (Vec<DVec3>, Vec<DVec3>) {
        let places = |key: &Key| -> Vec<DVec3> {
            let base = key.joints[0].inverse();
            hinges
                .soles
                .iter()
                .map(|sole| base.transform_point(mean(lows(&sole.points, key.joints[sole.joint]))))
                .collect()
        };
        let [own, before, after] = [&self.own, &self.before, &self.after].map(places);
        let moved = before
            .iter()
            .zip(&after)
            .map(|(before, after)| (*after - *before) / self.secs);
        (own, moved.collect())
    }
}

/// A motion being written.
pub(crate) struct Written<'a, 'm> {
    motion: &'a KeyedMotion<'m>,
    pub skeleton: Skeleton,
    pub hinges: Hinges,
}

impl<'a, 'm> Written<'a, 'm> {
    /// Errors: it is not that of a robot, has a root joint above it, or leaves the axis of a hinge.
    pub(crate) fn new(motion: &'a KeyedMotion<'m>) -> Result<Self, WriteError> {
        let skeleton = motion.skeleton();
        let hinges = skeleton
            .hinges()
            .filter(|_| !motion.adds_root)
            .cloned()
            .ok_or(RobotMotionError::NoHinges)?;
        for row in 0..motion.num_keys {
            if let Some(joint) = skeleton.off_hinge(motion.pose(row).as_ref()) {
                return Err(RobotMotionError::OffHinge {
                    joint: skeleton.joint(joint).name.clone(),
                    row,
                }
                .into());
            }
        }
        Ok(Self {
            motion,
            skeleton,
            hinges,
        })
    }

    pub(crate) fn is_loop(&self) -> bool {
        self.motion.as_loop().is_some()
    }

    /// Returns the key at a number, which around a loop may be any.
    fn key(&self, key: usize) -> Key {
        let pose = self.motion.pose(key);
        let world = pose.as_ref().world(&self.skeleton);
        let back = Rigid::new(UP.conjugate(), DVec3::ZERO);
        let angles = self
            .hinges
            .each()
            .map(|(joint, hinge)| hinge.angle(pose.rotations[joint]));
        Key {
            angles: angles.collect(),
            joints: (0..self.skeleton.num_joints())
                .map(|joint| back * world.joint(joint))
                .collect(),
        }
    }

    /// Returns all keys in order. A loop's velocities continue over its seam; a take's are one-sided at its ends.
    pub(crate) fn keys(&self) -> impl Iterator<Item = Keys> {
        let (last, cycle) = (self.motion.num_keys.saturating_sub(1), self.motion.cycle);
        (0..=last).map(move |number| {
            let own = self.key(number);
            let step = self.motion.step_secs;
            if self.is_loop() {
                let [before, at, after] = [0, 1, 2].map(|off| self.key(number + cycle + off - 1));
                let turn = own.joints[0].rotation * at.joints[0].rotation.conjugate();
                return Keys {
                    own,
                    before,
                    after,
                    turn,
                    secs: 2.0 * step,
                };
            }
            let [before, after] = [number.saturating_sub(1), (number + 1).min(last)];
            Keys {
                own,
                secs: (after - before).max(1) as f64 * step,
                before: self.key(before),
                after: self.key(after),
                turn: DQuat::IDENTITY,
            }
        })
    }
}
